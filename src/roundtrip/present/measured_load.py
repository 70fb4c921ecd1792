"""Measured variants at the same load: one number of requesters, one size, one of each of others."""

from __future__ import annotations

from typing import Any

from roundtrip.present.chapter import Chapter
from roundtrip.present.measured import Measured


def at_common_load(chapter: Chapter, plan: str, **factors: Any) -> Measured:
    """Give a campaign at the number of requesters that most of its points have.

    Where a campaign sweeps the requesters, its variants peak at different numbers; they are
    compared at one. Of several numbers with equally many points the highest is taken.

    Parameters
    ----------
    chapter : Chapter
    plan : str
        Name of the plan.
    **factors
        Values that factors must have.
    """
    here = Measured(chapter, plan, **factors)
    if not here.exists:
        return here
    points = here.frame.drop_duplicates("point_id").groupby("requesters").size()
    most = int(points[points == points.max()].index.max())
    return Measured(chapter, plan, **factors, requesters=most)
