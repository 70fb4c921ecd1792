"""MIQM, RDQM and a queue manager on SAN: their peaks, without and with delay between the hosts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from roundtrip.outputs import NOTHING, BodyCell, HeaderCell, is_group, listed
from roundtrip.present import (
    Chapter,
    Figure,
    Quantity,
    Table,
    Text,
    chart,
    relative,
    results_table,
    size_label,
)
from roundtrip.present.chapter import RATE
from roundtrip.present.quantities import Row, quantity_table
from support.shared.ends import Ends, ends
from support.shared.replication import kept_shares

DELAY = "ha_link_rtt_ms"
VARIED = ("ha", DELAY)
"""What arrangements differ in; the links of a single queue manager have no delay."""


@dataclass(frozen=True)
class Arrangements:
    """Peaks of the arrangements, of which the column ``arrangement`` gives the name.

    Attributes
    ----------
    near, far : pandas.DataFrame
        Without added delay; those that have links, over all delays.
    baseline : str
        The arrangement that the others are compared with.
    """

    chapter: Chapter
    near: pd.DataFrame
    far: pd.DataFrame
    baseline: str

    @cached_property
    def sizes(self) -> list[float]:
        """The message sizes."""
        return sorted(set(self.near["message_bytes"]))

    @property
    def smallest(self) -> str:
        """The smallest message size."""
        return size_label(self.sizes[0])

    @cached_property
    def delays(self) -> list[float]:
        """The delays, from none on."""
        return sorted(set(self.far[DELAY]))

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What readers call the arrangements."""
        kinds = dict.fromkeys(self.near["arrangement"])
        return {kind: "SAN without HA" if kind == "SAN" else kind for kind in kinds}

    @property
    def base(self) -> str:
        """What readers call the baseline."""
        return self.names[self.baseline]

    @cached_property
    def relative(self) -> pd.DataFrame:
        """The peaks without added delay, with their share of the baseline's."""
        return relative(self.chapter, self.near, of="arrangement", baseline=self.baseline)

    @property
    def shares(self) -> list[tuple[str, float, Quantity]]:
        """What each arrangement reaches of the rate of the baseline, by message size."""
        columns = self.relative[["arrangement", "message_bytes", "share"]]
        return list(columns.itertuples(index=False, name=None))

    @cached_property
    def kept(self) -> list[tuple[tuple[Any, ...], float, Quantity]]:
        """What each delay leaves of the rate without one, by arrangement and message size."""
        return kept_shares(self.chapter, self.far, DELAY, ["arrangement", "message_bytes"], 0)

    @property
    def losses(self) -> Text:
        """What each arrangement loses at each delay, with the smallest message."""
        losses: dict[str, list[str]] = {}
        for (kind, size), delay, share in self.kept:
            if size == self.sizes[0] and delay > self.delays[0]:
                lost = f"{self.chapter.inline(share.complement())} at {delay:g} ms"
                losses.setdefault(kind, []).append(lost)
        return Text("; ".join(f"{kind} loses {listed(lost)}" for kind, lost in losses.items()))

    @cached_property
    def busiest(self) -> tuple[str, float, Quantity]:
        """The peak without delay that uses most of the processors, and how much."""
        columns = (self.near["arrangement"], self.near["message_bytes"])
        used = zip(*columns, self.chapter.quantities(self.near, "cpu"), strict=True)
        return max(used, key=lambda item: item[2].value)

    def shares_alone(self, arrangement: str, storage: str) -> dict[float, Quantity]:
        """Give what an arrangement reaches of one queue manager with a log on some storage.

        By message size. That is from the tests that the report prints beside other file systems.
        """
        here = self.chapter.points("table-13", ha=arrangement).assign(where="here")
        there = self.chapter.points("table-08", log_storage=storage).assign(where="there")
        points = pd.concat([here, there], ignore_index=True)
        rows = relative(self.chapter, points, of="where", baseline="there")
        return dict(zip(rows["message_bytes"], rows["share"], strict=True))

    def beside_alone(self, arrangement: str, storage: str) -> Ends:
        """Give the lowest and the highest of these shares, with their sizes in words."""
        shares = self.shares_alone(arrangement, storage)
        return ends((size_label(size), share) for size, share in shares.items())

    @cached_property
    def san_again(self) -> Ends:
        """What the rates on SAN are of those that the report prints beside other file systems."""
        return self.beside_alone("none", "SAN")

    @property
    def hosts_differ(self) -> Quantity:
        """By how much the same set-up differs between two sets of hosts, at most."""
        found = (self.san_again.low, self.san_again.high)
        share = max(found, key=lambda one: abs(one.value - 100))
        return replace(share, value=abs(share.value - 100))

    @property
    def san_clients(self) -> Text:
        """Say at which sizes the two tests on SAN have their peak with other requesters, if any."""
        told = []
        for size in self.sizes:
            here, there = (
                self.chapter.quantities(
                    self.chapter.points(table, message_bytes=size, log_storage="SAN"), "clients"
                )
                for table in ("table-13", "table-08")
            )
            if here[0].value != there[0].value:
                shown = [self.chapter.inline(one[0].number) for one in (here, there)]
                told.append(f"at {size_label(size)}, {shown[0]} requesters instead of {shown[1]}")
        return Text(f"; {listed(told)} may explain the difference" if told else "")

    def requesters(self, kind: str, size: float) -> list[Quantity]:
        """Give the requesters of the peaks of an arrangement over all delays."""
        rows = self.far[(self.far["arrangement"] == kind) & (self.far["message_bytes"] == size)]
        return self.chapter.quantities(rows, "clients")

    def kept_by(self, kind: str, size: float) -> dict[float, Quantity]:
        """Give what each added delay leaves; nothing where that is not shown."""
        return {
            delay: share
            for key, delay, share in self.kept
            if key == (kind, size) and delay > self.delays[0]
        }


def arrangements(chapter: Chapter, baseline: str) -> Arrangements:
    """Give the arrangements that this edition shows, and the baseline."""

    def shown(*tables: str) -> pd.DataFrame:
        points = chapter.points(*tables)
        # A queue manager without HA is named by its storage.
        names = points["ha"].where(points["ha"] != "none", points["log_storage"])
        chosen = names.notna()
        if set(chapter.variants) & set(names):
            chosen = names.isin([*chapter.variants, baseline])
        return points.assign(arrangement=names)[chosen].reset_index(drop=True)

    near, far = shown("table-13"), shown("table-13", "table-14", "table-15")
    return Arrangements(chapter, near, far[far[DELAY].notna()].reset_index(drop=True), baseline)


def near_figure(found: Arrangements, *, caption: str) -> Figure:
    """Draw the rates relative to the baseline, by message size."""
    write, base = found.chapter.write, found.base
    low, top = (end(found.shares, key=lambda row: row[2].value) for end in (min, max))
    on = "On faster storage, " if _faster_storage(found, *top[:2]) else ""
    return chart(
        found.chapter,
        found.relative, x="message_bytes", y="share", series="arrangement", names=found.names,
        varied=VARIED, y_title=f"Rate relative to {base} (%)", reference=(100, f"{base} = 100 %"),
        title=f"{on}{top[0]} reaches {write(top[2])} of the rate of {base} at "
        f"{size_label(top[1])}, {low[0]} {write(low[2])} at {size_label(low[1])}",
        caption=caption,
    )  # fmt: skip


def _faster_storage(found: Arrangements, kind: str, size: float) -> bool:
    """Whether one queue manager is faster on the storage of an arrangement than of the baseline."""
    near, alone = found.near, found.chapter.points("table-08", message_bytes=size)
    kinds = near.drop_duplicates("arrangement").set_index("arrangement")["log_storage"]
    rates = alone.set_index("log_storage")[RATE]
    return bool(rates[kinds[kind]] > rates[kinds[found.baseline]])


def near_table(found: Arrangements, *, caption: str) -> Table:
    """List the peaks without added delay, beside the baseline and beside the same storage.

    The second ratio is to one queue manager of the tests that the report prints beside other file
    systems.
    """
    chapter, near = found.chapter, found.near
    table = results_table(
        chapter, near, caption=caption, group="message_bytes", row="arrangement",
        names=found.names, baseline=found.baseline, varied=VARIED,
    )  # fmt: skip
    kinds = near[["ha", "log_storage"]].drop_duplicates().itertuples(index=False, name=None)
    alone = {kind: found.shares_alone(*kind) for kind in kinds}
    # In the order of the table's rows: the source's table is grouped by size, too.
    columns = (near[name] for name in ("ha", "log_storage", "message_bytes"))
    ratios = [alone[ha, storage].get(size) for ha, storage, size in zip(*columns, strict=True)]
    left = iter(ratios)
    rows = [row if is_group(row) else (*row, _ratio(chapter, next(left))) for row in table.rows]
    head = HeaderCell("Ratio to one queue manager, log on the same kind of storage")
    cells = [cell for ratio in ratios if ratio for cell in ratio.cells]
    return replace(
        table, header=((*table.header[0], head),), rows=tuple(rows),
        cells=tuple(dict.fromkeys((*table.cells, *cells))),
    )  # fmt: skip


def _ratio(chapter: Chapter, share: Quantity | None) -> BodyCell:
    if share is None:
        return BodyCell(NOTHING)
    return BodyCell(chapter.write(replace(share, value=share.value / 100, unit="", decimals=2)))


def delay_figure(found: Arrangements, *, caption: str) -> Figure:
    """Draw the rates over the delay of the links, by message size."""
    longest, write = found.delays[-1], found.chapter.write
    left = ends(
        (kind, size_label(size), share)
        for (kind, size), delay, share in found.kept if delay == longest
    )  # fmt: skip
    return chart(
        found.chapter, found.far, mark="line", x=DELAY, y=RATE, series="arrangement",
        panels="message_bytes", columns=6, one_scale=False, varied=("ha",),
        title=f"{longest:g} ms of link delay leaves between {write(left.low)} ({left.low_at}) and "
        f"{write(left.high)} ({left.high_at}) of the rate",
        caption=caption,
    )  # fmt: skip


def delay_table(chapter: Chapter, table: str, *, caption: str) -> Table:
    """List the peaks of one of the source's tables over delay, the arrangements side by side."""
    points = chapter.points(table)
    caption = f"{caption}, {chapter.level(DELAY, points[DELAY].iloc[0])} of added delay"
    return results_table(chapter, points, caption=caption, row="message_bytes", columns="ha")


def kept_table(found: Arrangements, *, caption: str) -> Table:
    """List which share of the rate without added delay each delay leaves."""
    rows = []
    for size in found.sizes:
        rows.append(Row(f"Message size: {size_label(size)}"))
        for kind in dict.fromkeys(kind for (kind, _), *_ in found.kept):
            left = [share for key, _, share in found.kept if key == (kind, size)]
            rows.append(Row(kind, tuple(left)))
    delays = [f"{found.chapter.level(DELAY, delay)} (%)" for delay in found.delays]
    return quantity_table(found.chapter, rows, caption=caption, header=["Arrangement", *delays])


def cpu_figure(found: Arrangements, *, caption: str) -> Figure:
    """Draw the rate of each peak without added delay over the processor time that it uses."""
    kind, size, cpu = found.busiest
    return chart(
        found.chapter, found.near, mark="line", x="cpu", y=RATE, labels="message_bytes",
        log={RATE}, varied=VARIED, series="arrangement", names=found.names,
        title="Without added delay, no MQ V9.4 arrangement saturates its processors; the busiest "
        f"is {kind} at {size_label(size)} with {found.chapter.write(cpu)}",
        caption=caption,
    )  # fmt: skip
