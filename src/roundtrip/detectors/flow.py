"""Laws of flow: requests in flight, set rates, and what links and processors can carry."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from roundtrip.checks.laws import (
    MILLISECONDS,
    SECONDS_PER_HOUR,
    loads_of_links,
    offered,
    rates_with_times,
    requests_in_flight,
)
from roundtrip.checks.precision import Cell
from roundtrip.claims import Judged, Ledger
from roundtrip.detectors import margins
from roundtrip.detectors.outliers import scatter
from roundtrip.detectors.proposal import Contradiction, Sure, three_digits
from roundtrip.detectors.subject import Subject, place, printed, unstated
from roundtrip.dictionary import RATES, TIME

_FULL = 100.0
_PROCESSORS = re.compile(r"\b(CPUs?|processors?)\b", re.IGNORECASE)


def little(subject: Subject) -> Iterator[Contradiction]:
    """Propose points where rate times response time is not the number of requesters."""
    pairs = [
        (rate, time) for rate, time in _pairs(subject)
        if rate["requesters"] > 0 and unstated(rate["requester_rate"])
        and unstated(rate["target_rate"])
    ]  # fmt: skip
    if not pairs:
        return
    ratio = np.log([requests_in_flight(*pair) / pair[0]["requesters"] for pair in pairs])
    usual, allowed = 0.0, float(np.log(margins.IN_FLIGHT))
    if len(pairs) >= margins.IN_FLIGHT_POINTS:
        usual = float(np.median(ratio))
        by_scatter = margins.ROBUST_LIMIT * scatter(ratio)
        allowed = max(float(np.log(margins.IN_FLIGHT_USUAL)), by_scatter)
    for (rate, time), away in zip(pairs, ratio - usual, strict=True):
        slack = rate["slack"] / rate["settled"] + time["slack"] / time["settled"]
        bound = allowed + float(np.log1p(slack))
        if abs(away) <= bound:
            continue
        yield Contradiction(
            [time, rate, *_clients(subject, rate)],
            float(np.expm1(abs(away))) * 100, float(np.expm1(bound)) * 100, "%",
            f"{place(rate)} ({rate['row_label']}): {printed(rate)} of "
            f"{three_digits(time['settled'])} ms keep "
            f"{three_digits(requests_in_flight(rate, time))} requests in flight, but there are "
            f"{rate['requesters']:g} requesters"
            + (f"; the usual ratio in this report is {np.exp(usual):.2f}." if usual else "."),
        )  # fmt: skip


def _pairs(subject: Subject) -> list[tuple[Cell, Cell]]:
    """Pair rates with response times of the same point, or of the same setting elsewhere."""
    cells = subject.cells[subject.cells["requesters"].notna()]
    together = list(rates_with_times(cells, ["point_id"]))
    alone = cells[~cells["position"].isin([time["position"] for _, time in together])]
    apart: dict[tuple[int, float], tuple[Cell, Cell]] = {}
    for rate, time in rates_with_times(alone, [*subject.stated, "requesters"]):
        apart.setdefault((time["position"], rate["settled"]), (rate, time))
    return [*together, *apart.values()]


def _clients(subject: Subject, cell: Cell) -> list[dict[str, Any]]:
    """Give the cell that prints the number of requesters of a point, if there is one."""
    cells = subject.cells
    return subject.rows(
        cells[(cells["point_id"] == cell["point_id"]) & (cells["metric"] == "clients")]
    )


def set_rates(subject: Subject) -> Iterator[Contradiction]:
    """Propose rates that differ from what their requesters were told to keep."""
    cells = subject.cells
    rated = cells[
        cells["metric"].isin(RATES) & cells["requester_rate"].notna() & (cells["requesters"] > 0)
    ]
    for cell in subject.rows(rated):
        if (target := offered(cell)) is None:
            continue
        share = cell["settled"] / target - 1
        if share < 0 and not _keeps_up(subject, cell):
            continue
        allowed = (margins.SPREAD if share > 0 else margins.SHORTFALL) + cell["slack"] / target
        if abs(share) <= allowed:
            continue
        yield Contradiction(
            [cell, *_clients(subject, cell)], 100 * abs(share), 100 * allowed, "%",
            f"{place(cell)} ({cell['row_label']}): {cell['requesters']:,g} requesters at "
            f"{cell['requester_rate']:,g} round trips/h give {target:,.0f} round trips/s, "
            f"not {printed(cell)}.",
        )  # fmt: skip


def _keeps_up(subject: Subject, cell: Cell) -> bool:
    """Say whether replies came soon enough for the set rate; so unless a slower one is printed."""
    cells = subject.cells
    times = cells[(cells["point_id"] == cell["point_id"]) & (cells["metric"] == TIME)]["settled"]
    cycle = SECONDS_PER_HOUR * MILLISECONDS / cell["requester_rate"]
    return bool(times.empty or times.max() < cycle)


def link_bandwidth(subject: Subject) -> Iterator[Contradiction]:
    """Propose rates whose messages alone need more than the link carries.

    Where a report does not speak of compression, messages are taken to be sent as they are.
    """
    cells = subject.cells
    plain = cells["compression"].isna() | (cells["compression"] == "none")
    rates = cells[cells["metric"].isin(RATES) & plain]
    for cell, needed in loads_of_links(rates, margins.MESSAGES_EACH_WAY):
        deviation = float(needed - cell["link_gbps"])
        allowed = float(margins.SPREAD * cell["link_gbps"])
        if deviation > allowed:
            yield Contradiction(
                [cell], deviation, allowed, "Gb/s",
                f"{place(cell)} ({cell['row_label']}): at {printed(cell)} the messages alone "
                f"need {needed:.3g} Gb/s each way, and the link has {cell['link_gbps']:g}.",
            )  # fmt: skip


def replication_round_trip(subject: Subject) -> Iterator[Contradiction]:
    """Propose rates above what requesters can reach that wait for a distant copy of the log.

    Each round trip has at least one commit that waits for the delay that was added to the link,
    so that `n` requesters make no more than `n` round trips in that time.
    """
    cells = subject.cells[subject.cells["metric"].isin(RATES) & (subject.cells["requesters"] > 0)]
    cells = cells[cells["delivery"].isin(margins.LOGGED)]
    strict = (cells["consistency"] == "strict") | (cells["replication_phase"] == "synchronous")
    ha = cells["ha_link_rtt_ms"].where(
        cells["ha"].isin(subject.dictionary.factors["ha"].synchronous)
    )
    away = cells["replication_link_rtt_ms"].where(strict.fillna(False).astype(bool))
    delay = ha.astype("Float64").fillna(0) + away.astype("Float64").fillna(0)
    for cell, wait in zip(subject.rows(cells), delay, strict=True):
        if wait <= 0:
            continue
        most = cell["requesters"] * MILLISECONDS / wait
        deviation = cell["settled"] - most
        allowed = margins.SPREAD * most + cell["slack"]
        if deviation > allowed:
            yield Contradiction(
                [cell, *_clients(subject, cell)], deviation, allowed, str(cell["unit"]),
                f"{place(cell)} ({cell['row_label']}): {cell['requesters']:g} requesters that wait "
                f"at least {wait:g} ms for each commit reach {most:,.0f} round trips/s at most, "
                f"not {printed(cell)}.",
            )  # fmt: skip


def cpu_limits(subject: Subject) -> Iterator[Contradiction]:
    """Propose points that are said to be limited by CPU, and leave more of it idle than that.

    The statements come from the ledger of claims; the CPU that a point printed is in the
    observations. What is allowed to be idle is what `BUSY_CPU` leaves of it.
    """
    cells = subject.cells
    allowed = _FULL - margins.BUSY_CPU
    for limit in subject.limits:
        points = cells.loc[cells["observation_id"].isin(limit.cells), "point_id"]
        cpus = cells[cells["point_id"].isin(points) & (cells["metric"] == "cpu")]
        for cpu in subject.rows(cpus.drop_duplicates("observation_id")):
            idle = _FULL - cpu["settled"]
            if idle <= allowed + cpu["slack"]:
                continue
            yield Contradiction(
                [cpu], idle, allowed, "% idle",
                f"{place(cpu)} ({cpu['row_label']}) prints {cpu['settled']:g} % CPU where CPU is "
                f"said to be the limit: {limit.claim.says}",
                Sure.medium,
            )  # fmt: skip


def named_limits(ledger: Ledger, report: str) -> list[Judged]:
    """Take out of a ledger the claims of a report that name the processors as the limit.

    They are of kind *limit*, speak of processors and were computed from cells.
    """
    return [
        row for row in ledger.claims
        if row.report == report and row.claim.kind == "limit" and row.cells
        and _PROCESSORS.search(row.claim.says)
    ]  # fmt: skip
