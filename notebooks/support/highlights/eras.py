"""The same kind of work in reports of different years: each with its set-up, all in one chart."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, Table, chart, cpu_cost
from roundtrip.present.chapter import RATE
from roundtrip.present.derived import cores_of
from roundtrip.present.quantities import Entry, Row, quantity_table
from roundtrip.present.styles import Style
from roundtrip.sources.disclosure import Host, HostSet, Workload
from support.shared.counted import counted_once

_ASIDE = re.compile(r"\s*\([^)]*\)|, for .*$")
_PER_TRIP = re.compile(r" per (?:round trip|message)|, all ")
_IN_UNITS = {"inside": "yes", "outside": "no"}
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True)
class Era:
    """One published operating point and what its report discloses about it.

    Attributes
    ----------
    chapter : Chapter
        Its report.
    name : str
        Product and version, or model.
    kind : str
        What it is compared with: points of one kind stand in one series.
    best : pandas.DataFrame
        The one point, from `Chapter.points`.
    """

    chapter: Chapter
    name: str
    kind: str
    best: pd.DataFrame

    @property
    def point(self) -> pd.Series[Any]:
        """The factors."""
        return self.best.iloc[0]

    @property
    def rate(self) -> Quantity:
        """In the rate unit of the edition."""
        return self.chapter.quantities(self.best)[0]

    @property
    def cpu(self) -> Quantity | None:
        """CPU share of the host at that rate, where it is printed."""
        return None if pd.isna(self.point.get("cpu")) else self.chapter.quantity(self.best, "cpu")

    @property
    def requesters(self) -> str:
        """Number of requesters at that rate, in words where it is not stated."""
        return _count(self, "requesters")

    @property
    def year(self) -> int:
        """Year of the report."""
        found = _YEAR.search(self.chapter.about.date)
        if found is None:
            raise ValueError(f"{self.chapter.about.id} is not dated: {self.chapter.about.date}")
        return int(found.group())

    @property
    def hosts(self) -> HostSet:
        """The machines that it was measured on."""
        return self.chapter.about.host_sets[str(self.point["host_set"])]

    @property
    def server(self) -> Host:
        """The queue manager's host."""
        return self.hosts.hosts[0]

    @property
    def workload(self) -> Workload:
        """What applications did."""
        return self.chapter.about.workloads[str(self.point["workload"])]

    @property
    def cores(self) -> Quantity:
        """Physical cores of the queue manager's host."""
        return Quantity(cores_of(self.chapter, str(self.point["host_set"])), "cores", ())

    @property
    def rate_per_core(self) -> Quantity:
        """Rate divided by the physical cores of the host, busy or not."""
        value = self.rate.value / self.cores.value
        return Quantity(value, f"{self.rate.unit} per core", self.rate.cells, _decimals(value))

    @property
    def core_time(self) -> Quantity | None:
        """Core time that one round trip costs, where the CPU share is printed."""
        if self.cpu is None:
            return None
        return cpu_cost(self.chapter, self.best, str(self.point["host_set"]), "workload")[0][2]


def _decimals(value: float) -> int:
    return 0 if value >= 100 else 1


def era(chapter: Chapter, table: str, *, name: str, kind: str, **factors: Any) -> Era:
    """Take the highest rate that a table prints under some factors.

    Parameters
    ----------
    chapter : Chapter
        The report; message rates must count a message once (`counted_once`).
    table : str
        Id of the table.
    name, kind : str
        See `Era`.
    **factors
        Values that factors must have.

    Raises
    ------
    ValueError
        If the table prints no such rate.
    """
    points = counted_once(chapter, chapter.points(table, **factors))
    points = points[points[RATE].notna()]
    if points.empty:
        raise ValueError(f"{chapter.about.id} {table} prints no rate with {factors}")
    return Era(chapter, name, kind, points.loc[[points[RATE].idxmax()]])


def eras_table(chapter: Chapter, eras: Sequence[Era], *, caption: str) -> Table:
    """List the numbers of each report by kind of work, a column for each report.

    Parameters
    ----------
    chapter : Chapter
        Gives the number format.
    eras : sequence of Era
        At most one of each kind for each report.
    """
    first = _firsts(eras)
    unit = chapter.unit(RATE)
    numbers: Sequence[tuple[str, Callable[[Era], Entry]]] = (
        (f"Rate ({unit})", lambda e: e.rate),
        ("Requesters at that rate", lambda e: e.requesters),
        ("In units of work", lambda e: _IN_UNITS.get(e.point["syncpoint"], "not stated")),
        (f"Rate per core ({unit})", lambda e: e.rate_per_core),
        ("CPU of the host (%)", lambda e: e.cpu or "not printed"),
        ("Core time per round trip (µs)", lambda e: e.core_time or "not printed"),
    )
    rows: list[Row] = []
    for kind in dict.fromkeys(item.kind for item in eras):
        found = {e.chapter.about.id: e for e in eras if e.kind == kind}
        rows.append(Row(kind[:1].upper() + kind[1:]))
        rows += [
            Row(label, tuple(read(found[report]) if report in found else None for report in first))
            for label, read in numbers
        ]
    table = quantity_table(chapter, rows, caption=caption, header=_heads(first), by_row=True)
    # The words among the numbers would put a column to the left.
    return replace(
        table,
        header=tuple(
            (label, *(replace(head, align="right") for head in heads))
            for label, *heads in table.header
        ),
        rows=tuple(
            (label, *(replace(cell, align="right") for cell in cells))
            for label, *cells in table.rows
        ),
    )


def set_up_table(
    chapter: Chapter, eras: Sequence[Era], *, caption: str, counts: Mapping[str, str]
) -> Table:
    """List the set-up that the numbers of each report were measured in, a column for each report.

    Parameters
    ----------
    counts : mapping
        Report id to what the report counts, in words.
    """
    first = _firsts(eras)
    rows = [Row(label, tuple(map(read, first.values()))) for label, read in _SETUP]
    rows.append(Row("What counts as one round trip", tuple(counts[report] for report in first)))
    return quantity_table(chapter, rows, caption=caption, header=_heads(first))


def _firsts(eras: Sequence[Era]) -> dict[str, Era]:
    """Give the first era of each report, the oldest report first."""
    by_year = sorted(eras, key=lambda item: item.year)
    reports = dict.fromkeys(item.chapter.about.id for item in by_year)
    return {report: next(e for e in eras if e.chapter.about.id == report) for report in reports}


def _heads(first: Mapping[str, Era]) -> list[str]:
    return ["", *(f"{item.year}: {item.name}" for item in first.values())]


def _count(item: Era, factor: str) -> str:
    count = item.point[factor]
    return "not stated" if pd.isna(count) else item.chapter.numbers.write(count)


def _brief(text: str | None) -> str:
    """Leave out what a disclosure puts in brackets, and what a device is used for."""
    return _ASIDE.sub("", text) if text else "not stated"


def _machine(item: Era) -> str:
    memory = item.server.memory_gb
    size = f"{item.chapter.numbers.write(memory)}\u00a0GB" if memory else "memory not stated"
    return f"{_brief(item.server.model)}, {size}"


def _processors(item: Era) -> str:
    host = item.server
    clock = (
        f" at {item.chapter.numbers.write(host.clock_ghz, 1)}\u00a0GHz" if host.clock_ghz else ""
    )
    cores = item.chapter.numbers.write(item.cores.value)
    return f"{host.processor}, {cores} cores{clock}"


def _network(item: Era) -> str:
    stated = item.point["link_gbps"]
    if not pd.isna(stated):
        return f"{item.chapter.numbers.write(float(stated))} Gb/s"
    speeds = sorted(
        {link.bandwidth_gbps for link in item.hosts.links
         if link.bandwidth_gbps and "messages" in (link.carries or "")}
    )  # fmt: skip
    text = [item.chapter.numbers.write(speed, 0 if speed >= 1 else 1) for speed in speeds]
    return f"{' and '.join(text)} Gb/s" if text else "not stated"


def _integrity(item: Era) -> str:
    tuning = item.chapter.about.tuning
    stated = (one.value for one in tuning if one.name == "LogWriteIntegrity")
    return next(stated, "not stated")


_SETUP: Sequence[tuple[str, Callable[[Era], str]]] = (
    ("Machine and memory", _machine),
    ("Processor", _processors),
    ("Storage of the host", lambda e: _brief(e.server.storage)),
    ("LogWriteIntegrity", _integrity),
    ("Links that carry messages", _network),
    ("Applications", lambda e: e.workload.title),
    ("Pairs of queues", lambda e: _count(e, "queue_pairs")),
    ("On the network per round trip", lambda e: _PER_TRIP.split(e.workload.flows)[0]),
)


@dataclass(frozen=True)
class Growth:
    """How a rate grew between two points, split into the factors whose product it is.

    Rate is cores times their busy share divided by core time per round trip, so that the growth
    of the rate is the product of the other three. It is arithmetic and names no cause.
    """

    earlier: Era
    later: Era

    @property
    def rate(self) -> Quantity:
        """Factor by which the rate grew; a large one in three digits, as the old rates have."""
        found = self.later.rate.over(self.earlier.rate, 1)
        value = found.value if found.value < 1000 else float(f"{found.value:.3g}")
        return replace(found, value=value, decimals=_decimals(value))

    @property
    def cores(self) -> Quantity:
        """Factor by which the number of cores grew."""
        return self.later.cores.over(self.earlier.cores, 1)

    @property
    def busy(self) -> Quantity | None:
        """Factor by which the busy share of the cores grew."""
        if self.later.cpu is None or self.earlier.cpu is None:
            return None
        return self.later.cpu.over(self.earlier.cpu)

    @property
    def thrift(self) -> Quantity | None:
        """Factor by which the core time per round trip fell."""
        before, after = self.earlier.core_time, self.later.core_time
        return None if before is None or after is None else before.over(after)


def growth_table(chapter: Chapter, growths: Sequence[Growth], *, caption: str) -> Table:
    """Split growths into their factors, a row for each."""
    rows = []
    for g in growths:
        before, after = (one.point["delivery"] for one in (g.earlier, g.later))
        earlier = f"{g.earlier.year}{f' ({before})' if before != after else ''}"
        label = f"{earlier} to {g.later.year}, {g.later.kind}"
        rows.append(Row(label, (g.rate, g.cores, g.busy, g.thrift)))
    return quantity_table(
        chapter,
        rows,
        caption=caption,
        header=[
            "",
            "Rate (×)",
            "Number of cores (×)",
            "Their utilisation (×)",
            "Round trips per second of core time (×)",
        ],
        notes=["The growth of the rate is the product of the three factors beside it."],
        by_row=True,
    )


def timeline(
    chapter: Chapter,
    eras: Sequence[Era],
    read: Callable[[Era], Quantity | None],
    *,
    axis: str,
    styles: Mapping[str, Style],
    title: str,
    caption: str,
) -> Figure:
    """Draw a value of each era, the reports from the oldest to the newest.

    Parameters
    ----------
    eras : sequence of Era
        Those without a value are left out.
    read : callable
        Gives the value of an era; all have one unit.
    axis : str
        Label of their axis.
    styles : mapping
        Style of each kind of work.
    title, caption : str
        The finding; what is drawn.
    """
    rows = [
        (f"{item.year}: {item.name}", item.kind, read(item))
        for item in sorted(eras, key=lambda item: item.year)
    ]
    return chart(
        chapter,
        pd.DataFrame(rows, columns=["report", "kind", "value"]),
        x="report",
        y="value",
        mark="dot",
        series="kind",
        horizontal=True,
        log={"value"},
        y_title=axis,
        styles=styles,
        varied=None,
        title=title,
        caption=caption,
    )
