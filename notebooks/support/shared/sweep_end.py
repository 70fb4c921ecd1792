"""Peaks at the end of a sweep: the rate may have gone on rising with more requesters."""

from __future__ import annotations

import pandas as pd

_MOST = 300  # requesters, in the tests of MQ V9.4 with one queue manager and without HA


def end_notes(points: pd.DataFrame) -> tuple[str, ...]:
    """Give a note on peaks with the most requesters of all; nothing where there is none."""
    if not points["clients"].eq(_MOST).any():
        return ()
    return (
        f"{_MOST} requesters are the most of these tests: there, the rate may still have been "
        "rising.",
    )
