"""Every operating point that a campaign has measured, in one table."""

from __future__ import annotations

import math

from roundtrip.present.chapter import RATE, TIME, Chapter
from roundtrip.present.measured.means import PERCENTILES, Mean, Measured, interval_text
from roundtrip.present.measured.words import means_note
from roundtrip.present.numbers import size_label
from roundtrip.present.quantities import Entry, Row, quantity_table
from roundtrip.present.tables import Table
from support.shared.quantities_at import quantities_at

_METHODS = {"t": "Student's t", "BCa bootstrap": "BCa bootstrap"}
_CPU = (("broker_cpu", "mean"), ("machine_cpu", "mean"))


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
    every = [
        {"message_bytes": size, "requesters": level}
        for size in here.levels("message_bytes")
        for level in here.levels("requesters", message_bytes=size)
    ]
    times = [
        (TIME, name)
        for name in PERCENTILES
        if any(quantities_at(here, [(TIME, name)], **at) != [None] for at in every)
    ]
    rows: list[Row] = []
    methods: dict[str, None] = {}
    for size in here.levels("message_bytes"):
        rows.append(Row(f"Message size: {size_label(size)}"))
        for level in here.levels("requesters", message_bytes=size):
            at = {"message_bytes": size, "requesters": level}
            mean = here.mean(**at)
            if mean is None:
                continue
            if mean.interval.known:
                methods[_METHODS[mean.interval.method]] = None
            line: list[Entry] = [
                mean.quantity, interval_text(chapter, mean), mean.median,
                _variation(chapter, mean), str(len(mean.values)),
            ]  # fmt: skip
            rows.append(Row(str(level), (*line, *quantities_at(here, (*times, *_CPU), **at))))
    return quantity_table(
        chapter,
        rows,
        header=["Requesters", "Mean", "95 % interval", "Median", "CV (%)", "Runs",
         *(f"{PERCENTILES[name]} (ms)" for _, name in times), "Broker (%)", "Machine (%)"],
        over=[(chapter.label(RATE), 5), ("Round-trip time", len(times)), ("CPU", 2)],
        caption=caption,
        notes=(
            f"{means_note(here)} Times are percentiles of each run, averaged over the runs. "
            f"Interval: {' or '.join(methods) or 'none, one run each'}. "
            "CV: coefficient of variation over the runs. A dash: a run has too few round trips for "
            "that percentile.",
        ),
        by_row=True,
    )  # fmt: skip


def _variation(chapter: Chapter, mean: Mean) -> str | None:
    share = mean.variation
    return None if math.isnan(share) else chapter.numbers.write(100 * share, 1)
