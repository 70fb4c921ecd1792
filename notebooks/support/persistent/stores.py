"""Published peaks by storage of the recovery log, with the payload that reaches it."""

from __future__ import annotations

from collections.abc import Sequence

from roundtrip.outputs import listed
from roundtrip.present import Quantity, Table, Text
from roundtrip.present.chapter import RATE, with_unit
from roundtrip.present.quantities import Row, quantity_table
from roundtrip.present.repeats import repeat_spreads
from support.shared.by_size import BySize
from support.shared.flows import payload


def peaks_table(logs: BySize, baseline: str, *, caption: str, notes: Sequence[str] = ()) -> Table:
    """List the peak of each storage by message size, beside that of the baseline."""
    chapter = logs.chapter
    rows: list[Row] = []
    for size in logs.sizes:
        rows.append(Row(f"{chapter.factor_label('message_bytes')}: {size}"))
        rows += [
            Row(
                chapter.level(logs.factor, store),
                (
                    logs.rate(store, size), logs.cpu(store, size), logs.clients(store, size),
                    logged(logs, store, size), logs.ratio(store, baseline, size),
                ),
            )
            for store in logs.levels
        ]  # fmt: skip
    heads = [
        with_unit(chapter.label(name), chapter.unit(name)) for name in (RATE, "cpu", "clients")
    ]
    header = [
        chapter.factor_label(logs.factor), *heads, "Payload logged (Gb/s)",
        f"Ratio to {chapter.level(logs.factor, baseline)}",
    ]  # fmt: skip
    return quantity_table(chapter, rows, caption=caption, header=header, notes=notes, by_row=True)


def logged(logs: BySize, store: str, size: str) -> Quantity:
    """Give the payload of requests and replies that a peak writes to the log, in Gb/s."""
    return payload(logs.chapter, logs.rate(store, size), logs.sizes[size])


def same_payload(logs: BySize, baseline: str) -> Text:
    """Say what the stores outside the host log at the two largest sizes, where it is the same.

    Empty where one of them differs by more than the source's repeated measurements do.
    """
    chapter, sizes = logs.chapter, [*logs.sizes][-2:]
    if len(sizes) < 2:
        return Text("")
    spread = repeat_spreads(chapter)[chapter.about.id].value
    told = []
    for store in logs.levels:
        if store == baseline:
            continue
        low, high = sorted((logged(logs, store, size) for size in sizes), key=lambda q: q.value)
        if high.percent_above(low, 1).value > spread:
            return Text("")
        told.append(f"{store} up to {chapter.inline(high)}")
    return Text(
        f"At {sizes[0]} and {sizes[1]} each logs the same payload per second ({listed(told)}), "
        "which fits a limit of bandwidth, though below those named."
        if told
        else ""
    )
