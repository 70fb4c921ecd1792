"""Published peaks and measured ones in one table, without a ratio between them."""

from __future__ import annotations

from typing import Any

import pandas as pd

from roundtrip.present import Measured, Table, size_label
from roundtrip.present.chapter import RATE
from roundtrip.present.measured.means import interval_text
from roundtrip.present.quantities import Entry, Row, quantity_table
from support.shared.quantities_at import quantities_at

_PROCESSORS = (("machine_cpu", "mean"), ("broker_cpu", "mean"))


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
    published = {int(size) for size in peaks["message_bytes"]}
    for size in sorted(published.union(here.levels("message_bytes"))):
        of_size = peaks[peaks["message_bytes"] == size]
        line: list[Entry] = []
        if len(of_size) == 1:
            line += [chapter.quantities(of_size, m)[0] for m in (RATE, "clients", "cpu")]
        else:
            line += [None, None, None]
        peak = here.peak(message_bytes=size)
        at: dict[str, Any] = {"message_bytes": size, "requesters": peak}
        mean = None if peak is None else here.mean(**at)
        if mean is None:
            line += [None] * 5
        else:
            line += [mean.quantity, interval_text(chapter, mean), f"{peak}"]
            line += quantities_at(here, _PROCESSORS, **at)
        rows.append(Row(size_label(size), tuple(line)))
    rate = chapter.label(RATE)
    return quantity_table(
        chapter,
        rows,
        header=["Message size", rate, "Requesters", "CPU (%)", rate, "95 % interval", "Requesters",
                "CPU (%)", "of which broker (points)"],
        over=[("Published", 3), ("Measured here", 5)],
        caption=caption,
        notes=(f"Published CPU is that of the queue manager's host only; here {_cpu(here)}",),
    )  # fmt: skip


def _cpu(here: Measured) -> str:
    manifest = here.manifest
    if manifest is not None and manifest.broker_elsewhere:
        return "it is that of the machine of requesters and responders, without the broker."
    share = "with what the broker takes of it"
    if manifest is not None and not manifest.broker_restarted:
        share = "without a broker that was running already"
    return f"broker, requesters and responders share one machine, whose CPU is given {share}."
