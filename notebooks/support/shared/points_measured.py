"""Every operating point that a campaign has measured, in one table."""

from __future__ import annotations

import math

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.measured.means import PERCENTILES, Mean, Measured, interval_text
from roundtrip.present.measured.words import means_note
from roundtrip.present.numbers import Quantity, size_label
from roundtrip.present.quantities import Entry, Row, quantity_table
from roundtrip.present.runs import TIME
from roundtrip.present.tables import Table

_INTERVAL = "95 % interval"
_METHODS = {"t": "Student's t", "BCa bootstrap": "BCa bootstrap"}


def points_measured_table(here: Measured, *, caption: str) -> Table | None:
    """List every operating point that was measured: rate, times and CPU.

    Returns
    -------
    Table or None
        None when nothing was measured. Points with a doubted run are marked.
    """
    if not here.exists:
        return None
    chapter = here.chapter
    rows: list[Row] = []
    method = "none, one run each"
    for size in here.levels("message_bytes"):
        rows.append(Row(f"Message size {size_label(size)}"))
        for level in here.levels("requesters", message_bytes=size):
            at = {"message_bytes": size, "requesters": level}
            mean = here.mean(**at)
            if mean is None:
                continue
            if mean.interval.known:
                method = _METHODS[mean.interval.method]
            line: list[Entry] = [
                _quantity(mean), interval_text(chapter, mean), mean.median,
                _variation(chapter, mean), str(len(mean.values)),
            ]  # fmt: skip
            line += [_quantity(here.mean(TIME, name, **at)) for name in PERCENTILES]
            line += [_quantity(here.mean(m, **at)) for m in ("broker_cpu", "machine_cpu")]
            rows.append(Row(str(level), tuple(line)))
    return quantity_table(
        chapter,
        rows,
        header=["Requesters", "Mean", _INTERVAL, "Median", "CV (%)", "Runs",
         *(f"{name} (ms)" for name in PERCENTILES.values()), "Broker (%)", "Machine (%)"],
        over=[(chapter.label(RATE), 5), ("Round-trip time", 3), ("CPU", 2)],
        caption=caption,
        notes=(
            f"{means_note(here)} Times are percentiles of each run, averaged over the runs. "
            f"Interval: {method}. CV: coefficient of variation over the runs.",
        ),
        by_row=True,
    )  # fmt: skip


def _variation(chapter: Chapter, mean: Mean) -> str | None:
    share = mean.variation
    return None if math.isnan(share) else chapter.numbers.write(100 * share, 1)


def _quantity(mean: Mean | None) -> Quantity | None:
    return None if mean is None else mean.quantity
