"""One kind of work over the years: which printed peak stands for each report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from roundtrip.present import Chapter, Quantity, largest, size_label, smallest
from support.highlights.eras import Era, Growth, era
from support.highlights.timeline import Moment
from support.shared.counted import counted_once

SIZE = 2048  # bytes; the reports' common message size

FAST = "non-persistent"
OWN = "persistent, log on the host's own storage"
SAN = "persistent, log on SAN"
KINDS = (FAST, OWN, SAN)

NAMES = {
    "v5.1": "MQSeries 5.1",
    "v7": "WebSphere MQ V7",
    "m2003": "MQ Appliance M2003A",
    "v9.4": "MQ V9.4",
}


@dataclass(frozen=True)
class Reports:
    """The reports of this chapter, each shown in the units of this edition."""

    legacy: Chapter
    aix: Chapter
    appliance: Chapter
    linux: Chapter
    ha: Chapter


def open_reports(rate_unit: str, number_format: str) -> Reports:
    """Open the reports of this chapter."""

    def report(name: str) -> Chapter:
        return Chapter(name, rate_unit=rate_unit, number_format=number_format)

    return Reports(
        legacy=report("mqseries-vs-msmq"),
        aix=report("websphere-mq-v7-aix"),
        appliance=report("mq-appliance-m2003"),
        linux=report("ibm-mq-v9.4-linux"),
        ha=report("ibm-mq-v10-ha"),
    )


@dataclass(frozen=True)
class History:
    """The peaks of these reports, by kind of work and year.

    Attributes
    ----------
    eras : list of Era
        In the order of kinds, then of years.
    """

    reports: Reports
    eras: list[Era]

    def of(self, kind: str, name: str) -> Era:
        """Give the peak of one kind for a product of `NAMES`."""
        return next(item for item in self.eras if item.kind == kind and item.name == NAMES[name])

    @property
    def oldest(self) -> Era:
        """The earliest of all."""
        return min(self.eras, key=lambda item: item.year)

    @property
    def growths(self) -> list[Growth]:
        """Earlier and later peaks of one kind that are compared."""
        pairs = [
            (FAST, "v7", "m2003"),
            (FAST, "v7", "v9.4"),
            (SAN, "v7", "v9.4"),
            (OWN, "v5.1", "m2003"),
            (OWN, "v5.1", "v9.4"),
        ]
        return [Growth(self.of(kind, one), self.of(kind, other)) for kind, one, other in pairs]

    def moments(self, read: Callable[[Era], Quantity | None]) -> list[Moment]:
        """Give the value of each era that has one; labels make room for a year that follows."""
        years = [item.year for item in self.eras]
        return [
            Moment(item.kind, item.year, item.name, value, before=item.year + 1 in years)
            for item in self.eras
            if (value := read(item)) is not None
        ]


def collect(reports: Reports) -> History:
    """Choose the peak that stands for each report and kind of work."""
    legacy, aix, appliance, linux = (
        reports.legacy,
        reports.aix,
        reports.appliance,
        reports.linux,
    )
    v5 = {"product": "IBM MQSeries", "message_bytes": SIZE}
    v7 = {"product_version": "V7", "message_bytes": SIZE}
    m2003 = {"host_set": "m2003a", "message_bytes": SIZE}
    v94 = {"message_bytes": SIZE}
    eras = [
        era(aix, "table-03", name=NAMES["v7"], kind=FAST, **v7),
        era(appliance, "table-04", name=NAMES["m2003"], kind=FAST, **m2003),
        era(linux, "table-03", name=NAMES["v9.4"], kind=FAST, **v94),
        era(legacy, "table-04", name=NAMES["v5.1"], kind=OWN, **v5),
        era(appliance, "table-05", name=NAMES["m2003"], kind=OWN, **m2003),
        era(linux, "table-07", name=NAMES["v9.4"], kind=OWN, **v94),
        era(aix, "table-04", name=NAMES["v7"], kind=SAN, **v7),
        era(linux, "table-08", name=NAMES["v9.4"], kind=SAN, log_storage="SAN", **v94),
    ]
    return History(reports, sorted(eras, key=lambda item: (KINDS.index(item.kind), item.year)))


def quarter_century(history: History) -> SimpleNamespace:
    """Compare the first persistent peak with the last, and the first one's two deliveries."""
    legacy = history.reports.legacy
    start, end = history.of(OWN, "v5.1"), history.of(OWN, "v9.4")
    kilobyte = era(
        legacy,
        "table-04",
        name=NAMES["v5.1"],
        kind=OWN,
        product="IBM MQSeries",
        message_bytes=1024,
    )
    logged = legacy.points(
        "table-05", product="IBM MQSeries", syncpoint="inside", client_machines=4
    )
    write = history.reports.linux.numbers.write
    return SimpleNamespace(
        first=start.year,
        later=end.year,
        rate=start.rate,
        transactional=kilobyte.rate,
        inside=smallest(legacy.quantities(counted_once(legacy, logged))),
        times=Growth(start, end).rate,
        cores=end.cores.over(start.cores, 0),
        per_core=end.rate_per_core.over(start.rate_per_core, 0),
        few=write(start.point["requesters"]),
        many=write(end.point["requesters"]),
        top=largest(legacy.quantities(counted_once(legacy, legacy.points("table-05")))),
    )


def other_tests(reports: Reports) -> SimpleNamespace:
    """Give higher rates of other tests of much the same work, in the same reports."""
    aix, linux, appliance = reports.aix, reports.linux, reports.appliance

    def highest(chapter: Chapter, table: str, **factors: Any) -> Quantity:
        return largest(chapter.quantities(chapter.points(table, message_bytes=SIZE, **factors)))

    def ten(table: str) -> Quantity:
        return highest(appliance, table, host_set="m2003a")

    def eight_cores(delivery: str) -> Quantity:
        return highest(aix, "sec-6.3", product_version="V7", workload="RR-CB", delivery=delivery)

    return SimpleNamespace(
        standard=highest(aix, "sec-2.2.2", product_version="V7", delivery="nonpersistent"),
        more_cores=eight_cores("nonpersistent"),
        more_cores_logged=eight_cores("persistent"),
        ten=ten("table-06"),
        ten_logged=ten("table-07"),
        again=linux.quantity(linux.points("table-09"), tls_cipher="none"),
        san=linux.quantity(linux.points("table-13", message_bytes=SIZE), ha="none"),
    )


def logged_shares(history: History) -> SimpleNamespace:
    """Give the persistent rate as a share of the non-persistent one, report by report."""

    def share(kind: str, name: str) -> Quantity:
        return history.of(kind, name).rate.percent_of(history.of(FAST, name).rate)

    return SimpleNamespace(
        v7=share(SAN, "v7"),
        v7_year=history.of(FAST, "v7").year,
        m2003=share(OWN, "m2003"),
        m2003_year=history.of(FAST, "m2003").year,
        v94=share(OWN, "v9.4"),
        v94_year=history.of(FAST, "v9.4").year,
    )


def single_requester(history: History) -> SimpleNamespace:
    """Compare how long one requester waited for a persistent round trip, then and now."""
    legacy, appliance = history.reports.legacy, history.reports.appliance
    told = legacy.points("text")
    told = told[told["round_trip_time"].notna() & (told["requesters"] == 1)]
    told = told.drop_duplicates(["product", "delivery", "message_bytes"])
    then = legacy.quantity(
        told,
        "round_trip_time",
        product="IBM MQSeries",
        delivery="transactional",
        message_bytes=1024,
    )
    waits = appliance.points("table-08", host_set="m2003a", message_bytes=SIZE)
    now = appliance.quantity(waits[waits["round_trip_time"].notna()], "round_trip_time")
    factor = then.over(now, 0)
    return SimpleNamespace(
        then=then,
        then_year=history.of(OWN, "v5.1").year,
        now=now,
        now_year=history.of(OWN, "m2003").year,
        size=size_label(SIZE),
        # The later time has one digit.
        factor=replace(factor, value=round(factor.value, -1)),
    )
