"""One kind of work over the years: which printed peak stands for each report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import SimpleNamespace

from roundtrip.claims import Ends
from roundtrip.present import Chapter, Quantity, largest, smallest
from support.highlights.eras import Era, Growth, era
from support.shared.counted import counted_once

SIZE = 2048  # bytes; the reports' common message size

FAST = "non-persistent"
OWN = "persistent, log on the host's own storage"
SAN = "persistent, log on SAN"
KINDS = (FAST, OWN, SAN)

LINUX = "ibm-mq-v9.4-linux"
"""The report whose options the highlights price."""

NAMES = {
    "v5.1": "MQSeries 5.1, transactional",
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


def open_reports(
    rate_unit: str, number_format: str, word_limits: Mapping[str, Ends] | None = None
) -> Reports:
    """Open the reports of this chapter."""
    linux = Chapter(
        LINUX, rate_unit=rate_unit, number_format=number_format, word_limits=word_limits
    )
    return Reports(
        legacy=linux.on("mqseries-vs-msmq"),
        aix=linux.on("websphere-mq-v7-aix"),
        appliance=linux.on("mq-appliance-m2003"),
        linux=linux,
        ha=linux.on("ibm-mq-v10-ha"),
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

    def logged_share(self, kind: str, name: str) -> Quantity:
        """Give a product's persistent rate as a share of its non-persistent one."""
        return self.of(kind, name).rate.percent_of(self.of(FAST, name).rate)

    def growth(self, kind: str, earlier: str, later: str) -> Growth:
        """Compare the peaks of one kind for two products of `NAMES`."""
        return Growth(self.of(kind, earlier), self.of(kind, later))

    @property
    def growths(self) -> list[Growth]:
        """Earlier and later peaks of one kind that are compared."""
        return [
            self.growth(FAST, "v7", "m2003"),
            self.growth(FAST, "v7", "v9.4"),
            self.growth(SAN, "v7", "v9.4"),
            self.growth(OWN, "v5.1", "m2003"),
            self.growth(OWN, "v5.1", "v9.4"),
        ]


def collect(reports: Reports) -> History:
    """Choose the peak that stands for each report and kind of work."""
    v7 = {"product_version": "V7"}
    m2003 = {"host_set": "m2003a"}
    chosen: tuple[tuple[str, str, Chapter, str, dict[str, str]], ...] = (
        (FAST, "v7", reports.aix, "table-03", v7),
        (FAST, "m2003", reports.appliance, "table-04", m2003),
        (FAST, "v9.4", reports.linux, "table-03", {}),
        (OWN, "v5.1", reports.legacy, "table-04", {"product": "IBM MQSeries"}),
        (OWN, "m2003", reports.appliance, "table-05", m2003),
        (OWN, "v9.4", reports.linux, "table-07", {}),
        (SAN, "v7", reports.aix, "table-04", v7),
        (SAN, "v9.4", reports.linux, "table-08", {"log_storage": "SAN"}),
    )
    eras = [
        era(chapter, table, name=NAMES[name], kind=kind, message_bytes=SIZE, **factors)
        for kind, name, chapter, table, factors in chosen
    ]
    return History(reports, eras)


def mqseries_peaks(legacy: Chapter) -> SimpleNamespace:
    """Give the rates of 1 KB messages that stand beside the first persistent peak.

    Returns
    -------
    namespace
        The ``transactional`` one; the persistent one ``inside`` units of work with four clients;
        the highest of all persistent ones, ``top``.
    """
    own = {"product": "IBM MQSeries"}
    single = counted_once(legacy, legacy.points("table-04", message_bytes=1024, **own))
    logged = counted_once(legacy, legacy.points("table-05"))
    inside = legacy.select(logged, syncpoint="inside", client_machines=4, **own)
    return SimpleNamespace(
        transactional=legacy.quantity(single),
        inside=smallest(legacy.quantities(inside)),
        top=largest(legacy.quantities(logged)),
    )


def other_tests(reports: Reports) -> SimpleNamespace:
    """Give higher rates of other tests of much the same work, in the same reports."""
    aix, linux, appliance = reports.aix, reports.linux, reports.appliance

    def highest(chapter: Chapter, table: str, **factors: str) -> Quantity:
        return largest(chapter.quantities(chapter.points(table, message_bytes=SIZE, **factors)))

    fast, logged = {"delivery": "nonpersistent"}, {"delivery": "persistent"}
    eight_cores = {"product_version": "V7", "workload": "RR-CB"}
    return SimpleNamespace(
        standard=highest(aix, "sec-2.2.2", product_version="V7", **fast),
        more_cores=highest(aix, "sec-6.3", **eight_cores, **fast),
        more_cores_logged=highest(aix, "sec-6.3", **eight_cores, **logged),
        ten=highest(appliance, "table-06", host_set="m2003a"),
        ten_logged=highest(appliance, "table-07", host_set="m2003a"),
        again=linux.quantity(linux.points("table-09"), tls_cipher="none"),
        san=linux.quantity(linux.points("table-13", message_bytes=SIZE), ha="none"),
    )
