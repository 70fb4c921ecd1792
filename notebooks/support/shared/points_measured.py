"""Every operating point that a campaign has measured, in one table."""

from __future__ import annotations

import math

from roundtrip.present import Measured, Table, means_of
from roundtrip.present.chapter import RATE, TIME
from roundtrip.present.measured.means import PERCENTILES, interval_text
from roundtrip.present.measured.words import MEANS
from roundtrip.present.quantities import Entry, Row, quantity_table
from support.shared.quantities_at import quantities_at
from support.shared.sweeps import FREE

_METHODS = {"t": "Student's t", "BCa bootstrap": "BCa bootstrap"}
_CPU = (("broker_cpu", "mean"), ("machine_cpu", "mean"))


def points_measured_table(here: Measured, *, caption: str) -> Table | None:
    """List every operating point that was measured: rate, times and CPU.

    Returns
    -------
    Table or None
        None when nothing was measured. Points with a doubted run are marked.
    """
    chapter, every = here.chapter, ("message_bytes", "requesters")
    rates = means_of(here, *every)
    if rates.empty:
        return None
    times = [
        (TIME, name)
        for name in PERCENTILES
        if not means_of(here, *every, metric=TIME, statistic=name).empty
    ]
    rows: list[Row] = []
    for size, points in rates.groupby("message_bytes"):
        rows.append(Row(f"Message size: {chapter.level('message_bytes', size)}"))
        for level, mean in zip(points["requesters"], points[RATE], strict=True):
            scatter = mean.variation
            line: list[Entry] = [
                mean.quantity, interval_text(chapter, mean), mean.median,
                None if math.isnan(scatter) else chapter.numbers.write(100 * scatter, 1),
                str(len(mean.values)),
            ]  # fmt: skip
            line += quantities_at(here, (*times, *_CPU), message_bytes=size, requesters=level)
            rows.append(Row(str(level), tuple(line)))
    every_load = Measured(
        chapter, here.plan, **{n: v for n, v in here.factors.items() if n not in FREE}
    )
    rated = every_load.frame["point_id"].nunique() - here.frame["point_id"].nunique()
    intervals = [mean.interval for mean in rates[RATE] if mean.interval.known]
    methods = dict.fromkeys(_METHODS[interval.method] for interval in intervals)
    return quantity_table(
        chapter,
        rows,
        header=["Requesters", "Mean", "95 % interval", "Median", "CV (%)", "Runs",
         *(f"{PERCENTILES[name]} (ms)" for _, name in times), "Broker (%)", "Machine (%)"],
        over=[(chapter.label(RATE), 5), ("Round-trip time", len(times)), ("CPU", 2)],
        caption=caption,
        notes=(
            f"{MEANS} Times are percentiles of each run, averaged over the runs. "
            f"Interval: {' or '.join(methods) or 'none, one run each'}. "
            "CV: coefficient of variation over the runs. A dash: a run has too few round trips for "
            "that percentile.",
            *([f"Points at a set rate are no part of a sweep: the list of every run has {rated}."]
              if rated else []),
        ),
        by_row=True,
    )  # fmt: skip
