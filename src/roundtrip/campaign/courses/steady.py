"""The usual course: warmed up until steady, then measured for as long as the plan says."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from roundtrip.campaign.live_run import LiveRun, RunFailedError
from roundtrip.campaign.raw import RawLine
from roundtrip.campaign.values import together
from roundtrip.stats.steady import carries_debt, is_steady

FIRST_INTERVAL_SECONDS = 60.0
"""For each driver to report for the first time."""
LEAST_PATIENCE_SECONDS = 10.0
"""For all of them to report again."""
_EARLY_SECONDS = 0.05
"""So much sooner may the measured part end: intervals are not exact, and one more is too long."""


class Intervals:
    """Intervals that some drivers report, as they arrive.

    Attributes
    ----------
    records : dict of str to list
        By driver: one that has fallen silent is not made up for by the others.
    """

    def __init__(self, drivers: Iterable[str]) -> None:
        self.records: dict[str, list[Mapping[str, Any]]] = {name: [] for name in drivers}

    @property
    def count(self) -> int:
        """How many intervals every driver has reported."""
        return min(map(len, self.records.values()))

    def take(self, line: RawLine) -> bool:
        """Take a line, where it is an interval of one of the drivers; say whether it was."""
        if line.event != "interval" or line.source not in self.records:
            return False
        self.records[line.source].append(line.record)
        return True

    def await_next(self, live: LiveRun) -> None:
        """Wait until every driver has reported one more interval."""
        plan, before = live.plan, self.count
        patience = FIRST_INTERVAL_SECONDS if not before else max(
            LEAST_PATIENCE_SECONDS, 5 * plan.interval_seconds, 2 * plan.driver.reply_timeout_seconds
        )  # fmt: skip
        deadline = time.monotonic() + patience
        while self.count == before:
            line = live.next(deadline)
            if line is None:
                raise live.explained(RunFailedError, "the drivers have nothing to report")
            if self.take(line):
                live.measuring = True
                if len(self.records[line.source]) == 1:  # of several, the others may be slower
                    deadline = time.monotonic() + FIRST_INTERVAL_SECONDS

    def await_end(self, live: LiveRun, begin: float) -> float:
        """Wait until the measured part that began then is over; give its end, in milliseconds."""
        least = (live.plan.measure_seconds - _EARLY_SECONDS) * 1000
        while (end := self.together()[-1][0]) - begin < least:
            self.await_next(live)
        return end

    def together(self) -> list[tuple[float, float]]:
        """Give end and rate of all drivers together, interval by interval."""
        return together(self.records)

    def catches_up(self, window: int) -> bool:
        """Say whether drivers at a set rate still work off what they fell behind with at first."""
        rows = list(zip(*self.records.values(), strict=False))[-window:]
        behind = [sum(float(record.get("behind", 0)) for record in row) for row in rows]
        return carries_debt(behind[0], behind[-1], self.together()[-1][1])


def warm_up(live: LiveRun, seen: Intervals) -> tuple[bool, float]:
    """Wait until drivers are steady, within the plan's limits; say whether, and after how long."""
    limits = live.plan.warm_up
    live.context.say("warming up")
    while True:
        seen.await_next(live)
        elapsed = seen.count * live.plan.interval_seconds
        steady = (
            elapsed >= limits.least_seconds
            and is_steady(
                [rate for _, rate in seen.together()], limits.window, limits.scatter, limits.drift
            )
            and not seen.catches_up(limits.window)
        )
        if steady or elapsed >= limits.most_seconds:
            return steady, elapsed


def follow(live: LiveRun) -> None:
    """Wait until the run is steady, then for the measured part; say in the raw file which it is."""
    seen = Intervals(live.requesters)
    steady, warm_up_s = warm_up(live, seen)
    first, (begin, _) = seen.count, seen.together()[-1]
    live.raw.record("runner", event="measure", from_ms=begin, steady=steady, warm_up_s=warm_up_s)
    live.context.say("measuring")
    seen.await_next(live)
    end = seen.await_end(live, begin)
    live.raw.record("runner", event="finished", from_ms=begin, to_ms=end)
    rates = [rate for _, rate in seen.together()[first:]]
    live.measured_rate = sum(rates) / len(rates)
    if sum(rates) <= 0:
        raise RunFailedError("no round trip was completed in the measured part")
