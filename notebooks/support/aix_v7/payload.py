"""Bytes carried by measured messages, from their rate and size."""

from __future__ import annotations

from typing import Any

from roundtrip.present.chapter import RATE, TIME
from roundtrip.present.derived import round_trips
from roundtrip.present.measured.means import Measured, interval_text
from roundtrip.present.numbers import Quantity, size_label
from roundtrip.present.quantities import Entry, Row, quantity_table
from roundtrip.present.tables import Table
from support.shared.quantities_at import quantities_at

_BESIDE = ((TIME, "p50"), (TIME, "p99"), ("machine_cpu", "mean"), ("broker_memory", "mean"))


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
            # A message counts once in each direction.
            carried = round_trips(chapter, mean.quantity) * size / 1e6
            line: list[Entry] = [
                mean.quantity, interval_text(chapter, mean),
                Quantity(carried, "MB/s", mean.quantity.cells, 1, "measured"),
                str(len(mean.values)), *quantities_at(here, _BESIDE, **at),
            ]  # fmt: skip
            rows.append(Row(size_label(size), tuple(line)))
    return quantity_table(
        chapter,
        rows,
        header=["Message size", chapter.label(RATE), "95 % interval", "MB/s each way", "Runs",
                "p50 (ms)", "p99 (ms)", "Machine's CPU (%)", "Broker's memory (MB)"],
        caption=caption,
        notes=(
            "Message sizes: 1\u00a0MB is 1,048,576 bytes; MB/s: 1\u00a0MB is 1,000,000 bytes. A "
            "message counts once in each direction.",
        ),
        by_row=True,
    )  # fmt: skip
