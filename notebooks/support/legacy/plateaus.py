"""Persistent messages: the peak of each sweep, and the mean where they were always written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, Table, chart, largest, style_of
from roundtrip.present.chapter import RATE
from roundtrip.present.quantities import Row, quantity_table
from support.legacy.rates import MODES, MQSERIES, MSMQ, rates_of, stated_rates
from support.shared.counted import with_statistic
from support.shared.ends import ends

_STATISTICS = {"peak": "peak of the sweep", "plateau": "mean of its plateau"}


@dataclass(frozen=True)
class Sweeps:
    """Peaks and plateaus by number of client machines, in three variants.

    Attributes
    ----------
    inside, outside, other : str
        MQSeries inside and outside syncpoint; MSMQ.
    machines : list of float
        Numbers of client machines.
    """

    chapter: Chapter
    points: pd.DataFrame
    inside: str
    outside: str
    other: str
    machines: list[float]

    @property
    def variants(self) -> tuple[str, str, str]:
        """All three."""
        return self.inside, self.outside, self.other

    def of(self, variant: str, statistic: str, machines: float) -> Quantity:
        """Give one rate."""
        return self.chapter.quantity(
            self.points, variant=variant, statistic=statistic, client_machines=machines
        )

    def gap(self, variant: str) -> Quantity:
        """Give the largest factor between peak and plateau."""
        return largest(
            self.of(variant, "peak", n).over(self.of(variant, "plateau", n), 1)
            for n in self.machines
        )

    def price(self, machines: float) -> Quantity:
        """Give what units of work leave MQSeries of its rate, on the plateau."""
        return self.of(self.inside, "plateau", machines).percent_of(
            self.of(self.outside, "plateau", machines)
        )


def sweeps(chapter: Chapter) -> Sweeps:
    """Give peaks and plateaus."""
    points = with_statistic(chapter, rates_of(chapter, "table-05"))
    points["variant"] = [
        f"{'MQSeries' if product == MQSERIES else product} {MODES[syncpoint]}"
        for product, syncpoint in zip(points["product"], points["syncpoint"], strict=True)
    ]
    inside, outside, other = dict.fromkeys(points["variant"])
    return Sweeps(chapter, points, inside, outside, other, sorted(set(points["client_machines"])))


def plateaus_figure(found: Sweeps, *, caption: str) -> Figure:
    """Draw peaks and plateaus, a panel for each variant."""
    chapter = found.chapter
    inside, outside, other = (chapter.write(found.gap(variant)) for variant in found.variants)
    return chart(
        chapter,
        found.points,
        x="client_machines",
        y=RATE,
        mark="line",
        series="statistic",
        panels="variant",
        columns=len(found.variants),
        log={RATE},
        names=_STATISTICS,
        styles={
            name: replace(style_of(name, position), dash="solid")
            for position, name in enumerate(_STATISTICS.values(), start=2)
        },
        varied={"product", "product_version", "syncpoint", "channel_binding"},
        title=(
            f"Peaks reach {outside} times the plateau for MQSeries outside syncpoint, {inside} "
            f"inside; {other} times for MSMQ"
        ),
        caption=caption,
    )


def plateaus_table(found: Sweeps, *, caption: str, notes: Sequence[str]) -> Table:
    """List peaks and plateaus."""
    rows = []
    for count in found.machines:
        rates = [found.of(v, s, count) for v in found.variants for s in ("peak", "plateau")]
        rows.append(Row(f"{count:g}", tuple(rates)))
    return quantity_table(
        found.chapter,
        rows,
        header=["Client machines", *["Peak", "Plateau"] * 3],
        over=[(variant, 2) for variant in found.variants],
        caption=caption,
        notes=notes,
    )


def plateaus(found: Sweeps) -> SimpleNamespace:
    """Give what the text says of the plateaus.

    Returns
    -------
    namespace
        The value of Table 2 that lacks its decimal point, ``misprinted``, and the same in Table 5,
        ``right``. The ends of MQSeries over MSMQ with more than one client, ``outside`` and
        ``inside`` syncpoint, and of what units of work leave MQSeries, ``price``. MSMQ with eight
        clients: ``msmq_first`` with one thread each, ``msmq_last`` with fifteen, and the loss,
        ``msmq_fall``; ``crowd``, MQSeries outside syncpoint over the second of these.
    """
    chapter = found.chapter
    rows = chapter.observations.rows_of(["mqseries-vs-msmq/table-02/r1c3"])
    outside, inside = (
        [
            found.of(variant, "plateau", n).over(found.of(found.other, "plateau", n), 1)
            for n in found.machines
            if n > 1  # with one client, the source says, MSMQ has none
        ]
        for variant in (found.outside, found.inside)
    )
    eight = chapter.select(
        stated_rates(chapter), delivery="persistent", syncpoint="outside", client_machines=8
    )
    first, last, mqseries = (
        chapter.quantity(eight, product=product, threads_per_client=threads)
        for product, threads in ((MSMQ, 1), (MSMQ, 15), (MQSERIES, 15))
    )
    return SimpleNamespace(
        misprinted=str(rows["value_printed"].iloc[0]),
        right=found.of(found.inside, "plateau", 1),
        outside=ends(outside),
        inside=ends(inside),
        price=ends(found.price(n) for n in found.machines),
        msmq_first=first,
        msmq_last=last,
        msmq_fall=last.percent_below(first),
        crowd=mqseries.over(last, 1),
    )


def highest_peaks(found: Sweeps) -> SimpleNamespace:
    """Give what the peaks say of the source's summary, that MQSeries was always faster.

    Returns
    -------
    namespace
        The number of ``clients`` with which MSMQ peaks highest, and both rates there; ``behind``,
        with how many of ``count`` numbers of clients MQSeries inside syncpoint peaks below MSMQ;
        the ``top`` of MQSeries.
    """
    peaks = {v: {n: found.of(v, "peak", n) for n in found.machines} for v in found.variants}
    inside, outside, other = (peaks[variant] for variant in found.variants)
    best = max(found.machines, key=lambda n: other[n].value)
    return SimpleNamespace(
        clients=f"{best:g}",
        msmq=other[best],
        mqseries=outside[best],
        behind=sum(other[n].value > inside[n].value for n in found.machines),
        count=len(found.machines),
        top=largest(outside.values()),
    )
