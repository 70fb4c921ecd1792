"""Rate against the time of a log write: a mark for each file system."""

from __future__ import annotations

import pandas as pd

from roundtrip.present import Figure, Measured, chart
from roundtrip.present.chapter import with_unit
from support.persistent.storage import WRITE, log_write_points


def log_writes_figure(here: Measured, *, title: str, caption: str) -> Figure | None:
    """Draw the rate of each file system over the mean time of a log write, with intervals.

    Parameters
    ----------
    here : Measured
        Of one number of requesters; a series for each message size.
    title, caption : str
        The finding; what is drawn.

    Returns
    -------
    Figure or None
        None when nothing was measured.
    """
    rows = [
        (size, *point)
        for size in (here.levels("message_bytes") if here.exists else ())
        for point in log_write_points(here, size)
    ]
    if not rows:
        return None
    chapter = here.chapter
    label = with_unit(chapter.dictionary.metrics[WRITE].label, chapter.unit(WRITE))
    return chart(
        chapter, pd.DataFrame(rows, columns=["message_bytes", "store", "write", "rate"]),
        x="write", y="rate", mark="dot", series="message_bytes", labels="store", log={"write"},
        x_title=f"{label}, mean", y_title=chapter.label("round_trip_rate"), title=title,
        caption=caption,
    )  # fmt: skip
