"""Processors that are named as the limit, and are not busy."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roundtrip.claims import Ledger
from roundtrip.detectors import margins
from roundtrip.detectors.proposal import Contradiction
from roundtrip.detectors.subject import Limit, Subject, place

FULL = 100.0

_LIMIT = "limit"
_PROCESSORS = re.compile(r"\b(CPUs?|processors?)\b", re.IGNORECASE)


def cpu_limits(subject: Subject) -> Iterator[Contradiction]:
    """Propose points that are said to be limited by CPU, and leave more of it idle than that.

    The statements come from the ledger of claims; the CPU that a point printed is in the
    observations. What is allowed to be idle is what `BUSY_CPU` leaves of it.
    """
    cells = subject.cells
    allowed = FULL - margins.BUSY_CPU
    for limit in subject.limits:
        points = cells.loc[cells["observation_id"].isin(limit.cells), "point_id"]
        cpus = cells[cells["point_id"].isin(points) & (cells["metric"] == "cpu")]
        for cpu in subject.rows(cpus.drop_duplicates("observation_id")):
            idle = FULL - cpu["settled"]
            if idle <= allowed + cpu["slack"]:
                continue
            yield Contradiction(
                [cpu], idle, allowed, "% idle",
                f"{place(cpu)} ({cpu['row_label']}) prints {cpu['settled']:g} % CPU where CPU is "
                f"said to be the limit: {limit.says}",
            )  # fmt: skip


def named_limits(ledger: Ledger, report: str) -> list[Limit]:
    """Take out of a ledger the statements of a report that name the processors as the limit.

    They are its claims of kind *limit* that speak of processors and were computed from cells.
    """
    return [
        Limit(judged.claim.says, judged.cells)
        for judged in ledger.claims
        if judged.report == report
        and judged.claim.kind == _LIMIT
        and _PROCESSORS.search(judged.claim.says)
        and judged.cells
    ]
