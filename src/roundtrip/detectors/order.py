"""Order: larger messages and longer links are slower, larger machines faster, peaks highest."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from roundtrip.checks.laws import above_peak, beside_slowest
from roundtrip.checks.precision import room
from roundtrip.checks.selection import records
from roundtrip.detectors import margins
from roundtrip.detectors.proposal import Contradiction, Sure
from roundtrip.detectors.subject import POINT_STATISTICS, Subject, place, printed
from roundtrip.dictionary import RATES, TIME
from roundtrip.sources.disclosure import Host, Model, PublishedReport

_MAKES_LOAD = re.compile(r"client|driver", re.IGNORECASE)
"""Roles of hosts that are not under test."""


def slower_with(subject: Subject, factor: str) -> Iterator[Contradiction]:
    """Propose rates that rise, and times that fall, as a factor rises and all else stays."""
    cells = subject.tables
    cells = cells[cells[factor].notna() & cells["metric"].isin((*RATES, TIME))]
    of_peak = cells["metric"].isin(RATES) & (cells["statistic"] == "peak")
    cells = cells.assign(
        setting=subject.settings_but(factor)[cells.index],
        load=cells["requesters"].mask(of_peak),  # each peak has its own
    )
    series = ["setting", "metric", "statistic", "load"]
    if factor == "message_bytes":
        series.append("table_id")  # sizes stand side by side, delays may have a table each
    unit = subject.dictionary.factors[factor].unit
    for _, group in cells.groupby(series, dropna=False, sort=False):
        faster = 1 if group["metric"].iloc[0] in RATES else -1
        for cell, slowest in beside_slowest(subject.rows(group), factor, faster):
            deviation = faster * (cell["settled"] - slowest["settled"])
            allowed = margins.SPREAD * slowest["settled"] + cell["slack"] + slowest["slack"]
            if deviation <= allowed:
                continue
            here, lower = (f"{one[factor]:,g} {unit}" for one in (cell, slowest))
            yield Contradiction(
                [cell, slowest],
                100 * deviation / slowest["settled"], 100 * allowed / slowest["settled"], "%",
                f"{place(cell)} ({cell['row_label']}) prints {printed(cell)} at {here}, "
                f"better than {printed(slowest)} at {lower} ({place(slowest)}).",
                Sure.medium,
            )  # fmt: skip


def faster_with_hardware(subject: Subject) -> Iterator[Contradiction]:
    """Propose peaks that are higher on a machine that has less of everything.

    A machine has less if the report gives it fewer processor cores, and no faster ones.
    """
    cells = subject.tables
    peaks = cells[cells["metric"].isin(RATES) & (cells["statistic"] == "peak")]
    places = zip(*(peaks[name].fillna("") for name in ("platform", "host_set")), strict=True)
    capacities = [_capacity(subject.disclosure, *map(str, of_peak)) for of_peak in places]
    peaks = peaks.assign(
        cores=[cores for cores, _ in capacities], clock_ghz=[clock for _, clock in capacities]
    )
    peaks = peaks[peaks["cores"].notna()]
    held = subject.settings_but("platform", "host_set")[peaks.index]
    for _, group in peaks.groupby([held, "metric"], sort=False):
        cells_of = records(group)
        done: set[float] = set()
        for less in cells_of:
            # A clock that is not known is no slower.
            larger = [
                one for one in cells_of
                if one["cores"] > less["cores"] and not one["clock_ghz"] < less["clock_ghz"]
            ]  # fmt: skip
            if not larger or less["settled"] in done:
                continue
            done.add(less["settled"])
            # The slowest of them, one of the same table before others.
            more = min(
                larger, key=lambda one: (one["settled"], one["table_id"] != less["table_id"])
            )
            deviation = less["settled"] - more["settled"]
            allowed = margins.SPREAD * more["settled"] + less["slack"] + more["slack"]
            if deviation > allowed:
                yield Contradiction(
                    [less, more],
                    100 * deviation / more["settled"], 100 * allowed / more["settled"], "%",
                    f"{place(less)} ({less['row_label']}) prints {printed(less)} on a machine of "
                    f"{less['cores']:g} cores, more than the {printed(more)} of {place(more)} on "
                    f"one of {more['cores']:g}.",
                    Sure.medium,
                )  # fmt: skip


def _capacity(
    disclosure: PublishedReport | None, platform: str, host_set: str
) -> tuple[float, float]:
    """Give the processor cores of a machine under test, and their clock.

    A platform that ends in the name of a model is that model; otherwise the hosts of the host set
    that have another role than to make the load are taken, if they are of one kind.
    """
    if disclosure is None:
        return np.nan, np.nan
    model = disclosure.models.get(platform.rpartition(" ")[2])
    hosts = disclosure.host_sets[host_set].hosts if host_set in disclosure.host_sets else ()
    servers = [one for one in hosts if not all(_MAKES_LOAD.search(role) for role in one.roles)]
    sizes = {_size_of(machine) for machine in ([model] if model else servers)}
    return sizes.pop() if len(sizes) == 1 else (np.nan, np.nan)


def _size_of(machine: Model | Host) -> tuple[float, float]:
    if machine.cores is None:
        return np.nan, np.nan
    return float(machine.cores), np.nan if machine.clock_ghz is None else machine.clock_ghz


def peaks_are_highest(subject: Subject) -> Iterator[Contradiction]:
    """Propose peaks that are not the highest rate which the report has of their setting."""
    wanted = ["metric", "statistic", "requesters", "settled", "position", "table_id", "row_label"]
    cells = subject.cells[wanted].assign(setting=subject.settings)
    cells = cells[cells["metric"].isin(RATES) & cells["statistic"].isin(POINT_STATISTICS)]
    cells = cells[cells["requesters"].notna()]
    for _, series in cells.groupby(["setting", "metric"], sort=False):
        peaks = series[series["statistic"] == "peak"]
        # Rows of one table with a peak each: a factor that tells them apart is not stated.
        alike = (peaks.groupby("table_id")["row_label"].nunique() > 1).any()
        if alike or series["settled"].nunique() < 2:
            continue
        points = subject.rows(series)
        for peak in subject.rows(peaks):
            others = (cell for cell in points if cell["requesters"] != peak["requesters"])
            if above := above_peak(peak, others):
                top = max(above, key=lambda cell: cell["settled"])
                yield Contradiction(
                    [peak, top], top["settled"] - peak["settled"], room(peak, top),
                    str(peak["unit"]),
                    f"{place(peak)} ({peak['row_label']}) calls {printed(peak)} the peak, and "
                    f"{place(top)} has {printed(top)} at {top['requesters']:g} requesters.",
                )  # fmt: skip
