"""Transactional messages: rates by size, and what more requesters bring."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from roundtrip.present import Chapter, Figure, Quantity, Table, size_label
from roundtrip.present.chapter import RATE
from roundtrip.present.derived import cores_of
from roundtrip.present.quantities import Row, quantity_table
from support.legacy.rates import (
    MQSERIES,
    MSMQ,
    PRODUCTS,
    Rates,
    rates_figure,
    stated_rates,
    time_between,
)
from support.shared.ends import ends


def sizes_figure(found: Rates, *, caption: str) -> Figure:
    """Draw the rates over message size, and below them the printed ratio."""
    write, mqseries = found.chapter.write, found.of[MQSERIES]
    msmq = ends(found.of[MSMQ])
    return rates_figure(
        found,
        log={"message_bytes"},
        title=(
            f"MSMQ holds {write(msmq.low, unit=False)} to {write(msmq.high)} at every size; IBM "
            f"MQSeries goes from {write(mqseries[0], unit=False)} to "
            f"{write(mqseries[-1], unit=False)}"
        ),
        caption=caption,
    )


def sizes_table(found: Rates, *, caption: str, notes: Sequence[str]) -> Table:
    """List payload and rate of both products by message size, with the printed ratio."""
    rate = found.chapter.label(RATE)
    rows = []
    for size, ratio in zip(found.levels, found.ratios, strict=True):
        values = [found.at(p, size, metric) for p in PRODUCTS for metric in ("payload_rate", RATE)]
        rows.append(Row(size_label(size), (*values, ratio)))
    return quantity_table(
        found.chapter,
        rows,
        header=["Message size", "KB/s", rate, "KB/s", rate, "MQSeries / MSMQ"],
        over=[(MQSERIES, 2), (MSMQ, 2), ("Ratio", 1)],
        caption=caption,
        notes=notes,
    )


def requesters(chapter: Chapter) -> SimpleNamespace:
    """Give the stated rates of 1 KB messages: at each product's peak, with the most requesters.

    Returns
    -------
    namespace
        Rates at the peak of ``mqseries`` and ``msmq`` and with the most requesters,
        ``mqseries_crowd`` and ``msmq_crowd``; the numbers of requesters, named likewise with
        ``_at``; ``burnt``, the processor time of a round trip at MSMQ's peak if all processors are
        busy there.
    """
    stated = chapter.select(stated_rates(chapter), delivery="transactional", message_bytes=1024)
    found: dict[str, Quantity | str] = {}
    for name, product, machines, threads in (
        ("mqseries", MQSERIES, 2, 1),
        ("mqseries_crowd", MQSERIES, 8, 15),
        ("msmq", MSMQ, 4, 3),
        ("msmq_crowd", MSMQ, 8, 15),
    ):
        at = {"product": product, "client_machines": machines, "threads_per_client": threads}
        points = chapter.select(stated, **at)
        found[name] = chapter.quantities(points)[0]
        found[f"{name}_at"] = chapter.numbers.write(points["requesters"].iloc[0])
    rates = SimpleNamespace(**found)
    processors = cores_of(chapter, "windows-2000")
    rates.burnt = time_between(chapter, rates.msmq).times(processors)
    return rates
