"""Published peaks and measured ones in one table, without a ratio between them."""

from __future__ import annotations

import pandas as pd

from roundtrip.present import Measured, Quantity, Table, size_label
from roundtrip.present.chapter import RATE
from roundtrip.present.measured.means import Mean, interval_text
from roundtrip.present.quantities import Entry, Row, quantity_table


def _quantity(mean: Mean | None) -> Quantity | None:
    return None if mean is None else mean.quantity


def peaks_beside_table(here: Measured, peaks: pd.DataFrame, *, caption: str) -> Table | None:
    """Lay published peaks beside the highest points measured here, by message size.

    There is no ratio between the two sides: product, machine and driver differ all at once.

    Parameters
    ----------
    peaks : pandas.DataFrame
        Published peaks: ``message_bytes``, a rate, ``cpu`` and ``clients``.

    Returns
    -------
    Table or None
        None when nothing was measured.
    """
    if not here.exists:
        return None
    chapter = here.chapter
    rows: list[Row] = []
    measured_sizes = here.levels("message_bytes")
    for size in sorted({*(int(s) for s in peaks["message_bytes"]), *measured_sizes}):
        of_size = peaks[peaks["message_bytes"] == size]
        line: list[Entry] = []
        if len(of_size) == 1:
            line += [chapter.quantities(of_size, m)[0] for m in (RATE, "clients", "cpu")]
        else:
            line += [None, None, None]
        peak = here.peak(message_bytes=size) if size in measured_sizes else None
        if peak is None:
            line += [None] * 5
        else:
            at = {"message_bytes": size, "requesters": peak}
            mean = here.mean(**at)
            line += [
                _quantity(mean), None if mean is None else interval_text(chapter, mean), f"{peak}",
                _quantity(here.mean("machine_cpu", **at)),
                _quantity(here.mean("broker_cpu", **at)),
            ]  # fmt: skip
        rows.append(Row(size_label(size), tuple(line)))
    rate = chapter.label(RATE)
    return quantity_table(
        chapter,
        rows,
        header=["Message size", rate, "Clients", "CPU (%)", rate, "95 % interval", "Requesters",
                "CPU (%)", "Broker's share (%)"],
        over=[("Published", 3), ("Measured here", 5)],
        caption=caption,
        notes=(
            "Published CPU is that of the queue manager's host only; here broker, "
            "requesters and responders share one machine, whose CPU is given with the "
            "broker's share of it.",
        ),
    )  # fmt: skip
