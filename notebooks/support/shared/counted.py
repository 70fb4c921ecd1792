"""What a source counts, and what kind of value it prints: messages as round trips, peak or mean."""

from __future__ import annotations

import pandas as pd

from roundtrip.present import Chapter
from roundtrip.present.chapter import RATE

MESSAGE_RATE = "message_rate"


def counted_once(chapter: Chapter, points: pd.DataFrame) -> pd.DataFrame:
    """Give message rates as rates of round trips, in the rate unit of this edition.

    Only for sources that count a message once, when its requester has it back: there one message
    is one round trip. A source that counts requests and replies must not pass through here.

    Parameters
    ----------
    points : pandas.DataFrame
        From `Chapter.points`, with a ``message_rate`` or, unchanged, a ``round_trip_rate``.
    """
    if MESSAGE_RATE not in points:
        return points
    named = points.rename(
        columns={MESSAGE_RATE + end: RATE + end for end in ("", "_cell", "_decimals")}
    )
    return named.assign(**{RATE: named[RATE] * chapter.rate_scale})


def with_statistic(chapter: Chapter, points: pd.DataFrame) -> pd.DataFrame:
    """Add a column ``statistic``: whether a rate is a peak, a mean, the plateau of a sweep.

    Parameters
    ----------
    points : pandas.DataFrame
        Those without a rate are left out.
    """
    kept = points[points[RATE].notna()].reset_index(drop=True)
    cells = list(kept[f"{RATE}_cell"])
    statistics = chapter.observations.rows_of(cells).set_index("observation_id")["statistic"]
    return kept.assign(statistic=list(statistics[cells]))
