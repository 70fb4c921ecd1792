"""The usual course: warmed up until steady, then measured for as long as the plan says."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from roundtrip.campaign.live_run import LiveRun, RunFailedError
from roundtrip.campaign.raw import RawLine
from roundtrip.stats.steady import carries_debt

FIRST_INTERVAL_SECONDS = 60.0
"""For each requester process to report for the first time."""
LEAST_PATIENCE_SECONDS = 10.0
"""For all of them to report again."""


@dataclass
class Intervals:
    """Intervals of all requester processes, as they arrive."""

    processes: list[str]
    records: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)

    def add(self, line: RawLine) -> None:
        """Take an interval."""
        self.records.setdefault(line.source, []).append(line.record)

    @property
    def count(self) -> int:
        """How many intervals every process has reported."""
        return min(len(self.records.get(name, ())) for name in self.processes)

    def together(self) -> list[float]:
        """Give the rate of all processes together, interval by interval."""
        return self._sums("rate")

    def catches_up(self, window: int) -> bool:
        """Say whether drivers at a set rate still work off what they fell behind with at first."""
        behind = self._sums("behind")[-window:]
        return carries_debt(behind[0], behind[-1], self.together()[-1])

    def _sums(self, key: str) -> list[float]:
        rows = zip(*(self.records[name][: self.count] for name in self.processes), strict=True)
        return [sum(float(record.get(key, 0)) for record in row) for row in rows]

    def end_of(self, index: int) -> float:
        """Give when the last process ended an interval, in milliseconds since 1970."""
        return max(float(self.records[name][index]["t_ms"]) for name in self.processes)


def follow(live: LiveRun) -> None:
    """Wait until the run is steady, then for the measured part; say in the raw file which it is."""
    plan, warm_up = live.plan, live.plan.warm_up
    seen = Intervals(live.requesters)
    patience = max(
        LEAST_PATIENCE_SECONDS, 5 * plan.interval_seconds, 2 * plan.driver.reply_timeout_seconds
    )
    deadline = time.monotonic() + FIRST_INTERVAL_SECONDS
    begin: float | None = None
    first = 0
    live.context.say("warming up")
    while True:
        message = live.next(deadline)
        if message is None:
            raise live.explained(RunFailedError, "the drivers have nothing to report")
        if message.event != "interval" or message.source not in seen.processes:
            continue
        live.measuring = True
        before, reporting = seen.count, len(seen.records)
        seen.add(message)
        if seen.count == before:  # one that has fallen silent is not made up for by the others
            if len(seen.records) > reporting:
                deadline = time.monotonic() + FIRST_INTERVAL_SECONDS
            continue
        deadline = time.monotonic() + patience
        elapsed = seen.count * plan.interval_seconds
        if begin is None:
            steady = (
                elapsed >= warm_up.least_seconds
                and warm_up.rule.holds(seen.together())
                and not seen.catches_up(warm_up.window)
            )
            if steady or elapsed >= warm_up.most_seconds:
                begin, first = seen.end_of(seen.count - 1), seen.count
                live.raw.record(
                    "runner", event="measure", from_ms=begin, steady=steady, warm_up_s=elapsed
                )
                live.context.say("measuring")
        elif seen.end_of(seen.count - 1) - begin >= (plan.measure_seconds - 0.05) * 1000:
            end = seen.end_of(seen.count - 1)
            live.raw.record("runner", event="finished", from_ms=begin, to_ms=end)
            rates = seen.together()[first:]
            live.measured_rate = sum(rates) / len(rates)
            if sum(rates) <= 0:
                raise RunFailedError("no round trip was completed in the measured part")
            return
