"""Bytes carried by measured messages, from their rate and size."""

from __future__ import annotations

from typing import Any

from roundtrip.present.chapter import MESSAGES_PER_ROUND_TRIP, RATE
from roundtrip.present.measured.means import Measured, interval_text
from roundtrip.present.numbers import Quantity, size_label
from roundtrip.present.quantities import Entry, Row, quantity_table
from roundtrip.present.runs import TIME
from roundtrip.present.tables import Table

_MB = 1e6


def payload_each_way(here: Measured, **factors: Any) -> Quantity | None:
    """Give the payload that one point carries in each direction, in MB/s of 10^6 bytes.

    Parameters
    ----------
    **factors
        Values that select one operating point, with ``message_bytes``.
    """
    mean = here.mean(**factors)
    if mean is None:
        return None
    per_trip = MESSAGES_PER_ROUND_TRIP if here.chapter.rate_unit == "messages/s" else 1
    trips = mean.quantity.value / per_trip
    value = trips * float(factors["message_bytes"]) / _MB
    return Quantity(value, "MB/s", mean.quantity.cells, 1, "measured")


def payload_table(here: Measured, *, split: str, caption: str, **factors: Any) -> Table | None:
    """List by message size the rate, the time of a round trip and the payload carried.

    Parameters
    ----------
    split : str
        A group of rows for each level of this factor.
    **factors
        Values of the other factors that vary.

    Returns
    -------
    Table or None
        None when nothing was measured.
    """
    if not here.exists:
        return None
    chapter = here.chapter
    rows: list[Row] = []
    for group in here.levels(split, **factors):
        rows.append(Row(chapter.level(split, group).capitalize()))
        for size in here.levels("message_bytes", **{split: group}, **factors):
            at = {split: group, "message_bytes": size, **factors}
            mean = here.mean(**at)
            if mean is None:
                continue
            line: list[Entry] = [
                mean.quantity, interval_text(chapter, mean), payload_each_way(here, **at),
                str(len(mean.values)),
            ]  # fmt: skip
            more = [here.mean(*metric, **at) for metric in (
                (TIME, "p50"), (TIME, "p99"), ("machine_cpu", "mean"), ("broker_memory", "mean"),
            )]  # fmt: skip
            line += [None if one is None else one.quantity for one in more]
            rows.append(Row(size_label(size), tuple(line)))
    return quantity_table(
        chapter,
        rows,
        header=["Message size", chapter.label(RATE), "95 % interval", "MB/s each way", "Runs",
                "p50 (ms)", "p99 (ms)", "Machine's CPU (%)", "Broker's memory (MB)"],
        caption=caption,
        notes=(
            "1 MB of the payload is 1,000,000 bytes; a message counts once in each direction.",
        ),
        by_row=True,
    )  # fmt: skip
