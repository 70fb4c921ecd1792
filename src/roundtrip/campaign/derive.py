"""From a raw file to what the run showed: everything here can be computed again at any time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from roundtrip.campaign.manifest import Manifest, Move
from roundtrip.campaign.names import LOG_DISK, MQ_PORT
from roundtrip.campaign.plan import Plan
from roundtrip.campaign.raw import RawLine, on_one_clock, read_raw
from roundtrip.campaign.tls.cipher_specs import negotiated
from roundtrip.campaign.values import (
    TOLERANCE_MS,
    Reported,
    Values,
    drivers,
    ending_within,
    failover,
    intervals_of,
    mirror,
    records_of,
    resources,
    together,
)
from roundtrip.errors import DataError
from roundtrip.stats.steady import carries_debt, mser5

TAKERS: Mapping[str, str] = {"other_cpu": "other processes", "cpu_steal": "the hypervisor"}
"""Metric to who takes processors from a run, as its mark says it.

Other processes are all work outside brokers, drivers and runner, the kernel's threads included.
"""
NOT_QUIET = "the machine was not quiet before"
"""How the mark of a run says that other work ran before it."""
HELD_UP = "tasks waited for a disk"
"""How the mark of a run without a recovery log says that a disk held it up."""
_UNSTEADY = "not steady"
_LATE = "settled only"
_BEHIND = "ms behind"
_UNANSWERED = "never answered"
_UNENDED = "never ended"
_MOVED = "moved from"
_KINDS: Mapping[str, str] = {
    _UNSTEADY: "not steady", _LATE: "settled late", _BEHIND: "behind schedule",
    _UNANSWERED: "replies missing", _UNENDED: "threads not ended", _MOVED: "on another host",
}  # fmt: skip
"""Words in the mark of a run, to what the run was; any other mark says what disturbed it."""
_DISTURBED = "disturbed"
_ROUNDED_MS = 1.0
"""By how much less the last interval may seem to end after the measured part.

Older raw files hold the clocks of hosts less exactly than the runner knew them. What comes after
that is the rest of an interval in which drivers were told to stop.
"""


@dataclass
class Summary:
    """What one raw file says.

    Attributes
    ----------
    run : dict
        The runner's record of what was to be run.
    effective, versions : dict
        Configuration in effect; versions that broker and drivers state.
    hosts : list of dict
        The runner's records of the hosts, where there were several.
    moved : list of Move
        Roles that were taken over from a host that was lost.
    measured : dict or None
        The runner's record of the measured part; None when the run did not get so far.
    reason : str or None
        Why the run broke off.
    warm_up_s : float
        Time from the first interval to the measured part.
    rates : tuple of float
        Rate of every interval, warm-up included, to the end of the measured part or a failure that
        the course made.
    drift : float or None
        By what share the rate of the second half of the measured part exceeds that of the first;
        None where it has fewer than four intervals, or one without a round trip.
    behind_ms : float
        How far drivers at a set rate were behind their schedule when the measured part began, where
        they worked it off in it; 0 otherwise.
    unended : int
        Threads of drivers that did not end, whose last messages the account does not hold.
    series : list of (interval, metric, statistic, value)
        What the run shows over time: seconds from the beginning of the measured part.
    began, ended : float
        When the runner read the first and the last line, in seconds since 1970.
    reached : set of str
        Host and port of the brokers that its drivers were given.
    """

    run: dict[str, Any] = field(default_factory=dict)
    effective: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, Any] = field(default_factory=dict)
    hosts: list[dict[str, Any]] = field(default_factory=list)
    moved: list[Move] = field(default_factory=list)
    measured: dict[str, Any] | None = None
    steady: bool = False
    reason: str | None = None
    values: Values = field(default_factory=dict)
    warm_up_s: float = 0.0
    rates: tuple[float, ...] = ()
    drift: float | None = None
    behind_ms: float = 0.0
    unended: int = 0
    series: list[tuple[float, str, str, float]] = field(default_factory=list)
    began: float = 0.0
    ended: float = 0.0
    reached: set[str] = field(default_factory=set)

    @property
    def rate(self) -> float | None:
        """Round trips per second, or messages where nobody answers; None when there were none."""
        return self.values.get(
            ("round_trip_rate", "mean"), self.values.get(("message_rate", "mean"))
        )

    @property
    def rate_unit(self) -> str:
        """What `rate` is counted in."""
        answered = ("round_trip_rate", "mean") in self.values
        return "messages/s" if self.rate and not answered else "round trips/s"

    def settled(self, interval_seconds: float) -> float | None:
        """Give when the whole series says that the run was settled, in seconds; None if unknown.

        It is a second opinion, by another rule than the one that ended the warm-up.
        """
        if self.run.get("course") == "connections":
            return None  # what is measured ends before the first interval
        cut = mser5(self.rates)
        return None if cut is None else cut * interval_seconds

    def doubt(self, plan: Plan) -> str | None:
        """Say why the run should not be trusted like the others, or None.

        Parameters
        ----------
        plan : Plan
            Its limits.
        """
        found = []
        if not self.steady:
            found.append(f"{_UNSTEADY} when it was measured")
        settled = self.settled(plan.interval_seconds)
        if settled is not None and settled > self.warm_up_s:
            found.append(
                f"{_LATE} after {settled:g} s (MSER-5), measured from {self.warm_up_s:g} s"
            )
        if self.run.get("complaint"):
            found.append(f"{NOT_QUIET}: {self.run['complaint']}")
        if self.behind_ms:
            found.append(f"its drivers were {self.behind_ms:.0f} {_BEHIND} when it was measured")
        if lost := self.values.get(("lost_replies", "total")):
            found.append(f"requests {_UNANSWERED}: {lost:g}")
        if self.unended:
            found.append(f"threads that {_UNENDED}, their messages not counted: {self.unended}")
        found += [f"{move.role} {_MOVED} {move.lost} to {move.host}" for move in self.moved]
        for metric, taker in TAKERS.items():
            taken = self.values.get((metric, "mean"), 0.0)
            if taken > plan.guard.other:
                found.append(f"{taker} took {taken:.0f} % of the processors")
        # A recovery log makes tasks wait for its disk; without one, somebody else's work does.
        waited = self.values.get(("disk_wait", "mean"), 0.0)
        unlogged = self.run.get("factors", {}).get("delivery") == "nonpersistent"
        if unlogged and waited > plan.guard.disk:
            found.append(f"{HELD_UP} {waited:.0f} % of the time")
        return "; ".join(found) or None


def marked_words(manifest: Manifest) -> str:
    """Say how many runs are marked, and why, as a sentence; empty where none is."""
    doubts = [
        {
            next((kind for words, kind in _KINDS.items() if words in part), _DISTURBED)
            for part in entry.doubt.split("; ")
        }
        for entry in manifest.runs if entry.doubt
    ]  # fmt: skip
    if not doubts:
        return ""
    kinds = Counter(kind for of in doubts for kind in of)
    told = [f"{kind}: {kinds[kind]}" for kind in (*_KINDS.values(), _DISTURBED) if kinds[kind]]
    if several := sum(len(of) > 1 for of in doubts):
        told.append(f"{'both' if len(kinds) == 2 else 'more than one of these'}: {several}")
    return f"Marked runs: {len(doubts)} of {len(manifest.runs)} ({', '.join(told)})."


@dataclass(frozen=True)
class WholeRun:
    """What a raw file says of its run from the first message to the last.

    Attributes
    ----------
    wrong : bool
        Whether a driver counted an error, or a message that was wrong, came twice or was lost.
    silent : tuple of str
        Drivers that were connected and gave no account.
    read_back : bool
        Whether the broker said what was in effect.
    """

    wrong: bool
    silent: tuple[str, ...]
    read_back: bool


def whole_run(path: Path) -> WholeRun:
    """Read what a raw file says of its whole run, warm-up included.

    Raises
    ------
    DataError
        If the file is damaged, or a record is not what the runner or a driver writes.
    """
    lines = list(read_raw(path))
    told = drivers.accounts(lines)
    connected = dict.fromkeys(line.source for line in lines if line.event == "connected")
    try:
        return WholeRun(
            any(int(one.get(key, 0)) for one in told.values() for key in drivers.WRONG)
            or drivers.unanswered(lines) > 0,
            tuple(name for name in connected if name not in told),
            any(broker.get("effective") for broker in records_of(lines, "broker", "runner")),
        )
    except (AttributeError, TypeError, ValueError) as problem:
        raise DataError(f"a record is not what a driver writes: {problem}", where=path) from problem


def summarise(path: Path) -> Summary:
    """Read a raw file.

    Parameters
    ----------
    path : Path
        Finished, failed or interrupted.

    Raises
    ------
    DataError
        If the file is damaged or does not begin with the run.
    """
    summary = Summary()
    try:
        lines = list(on_one_clock(read_raw(path)))
        for line in lines:
            record = line.record
            if line.source == "runner":
                _note(summary, line.event, record)
            elif line.event in ("start", "ready"):
                versions = record.get("versions") or (record.get("effective") or {}).get("versions")
                if isinstance(versions, dict):
                    summary.versions.update(versions)
                options = record.get("options") or {}
                if url := options.get("url"):
                    summary.reached.add(host_and_port(url))
                elif options.get("provider") == "ibmmq":
                    summary.reached.add(f"{options['host']}:{options['port']}")
            elif line.event == "end":
                summary.unended += int(record.get("unended", 0))
            elif line.event == "connected" and record.get("encryption"):
                factors = summary.run.get("factors", {})
                if "tls_cipher" not in factors:  # the plan says nothing of it: what was negotiated
                    factors = {**factors, **negotiated(record["encryption"])}
                    summary.run = {**summary.run, "factors": factors}
        if summary.run:
            summary.began, summary.ended = lines[0].at, lines[-1].at
            _measure(summary, lines)
    # Anybody may have written the file: a record may lack a key, or have something else there.
    except (
        ArithmeticError, AttributeError, LookupError, StopIteration, TypeError, ValueError,
    ) as problem:  # fmt: skip
        raise DataError(
            f"a record is not what the runner writes: {type(problem).__name__}: {problem}",
            where=path,
        ) from problem
    if not summary.run:
        raise DataError("does not say which run it holds", where=path)
    return summary


def host_and_port(url: str) -> str:
    """Give host and port of a broker's URL."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or MQ_PORT}"


def _note(summary: Summary, event: str, record: dict[str, Any]) -> None:
    if event == "run":
        summary.run = record
    elif event == "host":
        summary.hosts.append(record)
    elif event == "moved":
        summary.moved.append(Move(**{key: str(record[key]) for key in ("role", "lost", "host")}))
    elif event == "broker":
        summary.effective = dict(record.get("effective") or {})
    elif event == LOG_DISK:
        summary.values.update(drivers.log_disk_values(record))
    elif event == "measure":
        summary.steady = bool(record["steady"])
        summary.warm_up_s = float(record["warm_up_s"])
    elif event == "finished":
        summary.measured = record
    elif event == "failed":
        summary.reason = str(record["reason"])


def _measure(summary: Summary, lines: Sequence[RawLine]) -> None:
    intervals = intervals_of(lines, "requester")
    sampled: dict[str, list[RawLine]] = {}
    for line in lines:
        if line.event == "sample":
            sampled.setdefault(line.source, []).append(line)
    samples = {source: resources.read_at_one_time(own) for source, own in sampled.items()}
    here = samples.get("sampler", [])
    begin, end = (
        (math.inf, math.inf)
        if summary.measured is None
        else (float(summary.measured["from_ms"]), float(summary.measured["to_ms"]))
    )
    # What comes after a failure that was wanted says nothing about whether the run was settled,
    # nor does the rest of an interval in which the drivers were told to stop.
    killed = [float(record["at_ms"]) for record in records_of(lines, "killed")]
    last = end + _ROUNDED_MS
    until = min([last, *killed])
    summary.rates = tuple(rate for _, rate in together(ending_within(intervals, 0, until)))
    if summary.measured is None:
        return
    measured = [rate for _, rate in together(ending_within(intervals, begin + TOLERANCE_MS, until))]
    half = len(measured) // 2
    if half > 1 and min(measured) > 0:
        summary.drift = round(sum(measured[-half:]) / sum(measured[:half]) - 1, 6)
    summary.behind_ms = _behind_ms(intervals, begin, end)
    chosen = ending_within(intervals, begin + TOLERANCE_MS, last)
    summary.values.update(drivers.driver_values(summary.run.get("factors", {}), chosen))
    if not killed:  # a broker that is lost on purpose takes messages with it
        lost = summary.values["lost_replies", "total"]
        summary.values["lost_replies", "total"] = max(lost, drivers.unanswered(lines))
    round_trips = (summary.values.get(("round_trip_rate", "mean")) or 0) * (end - begin) / 1000
    summary.values.update(drivers.link_values(lines, begin, end, round_trips))
    summary.values.update(failover.failover_values(lines, _rate_before(summary)))
    summary.values.update(drivers.queue_values(lines))
    summary.values.update(drivers.compression_values(r for rows in chosen.values() for r in rows))
    values, summary.series = mirror.mirror_values(summary.run, lines, begin, end)
    summary.values.update(values)
    if summary.run.get("course") == "connections":
        summary.values.update(drivers.connection_values(lines, here, begin, end))
    span = begin / 1000, end / 1000
    summary.values.update(
        resources.values_of_hosts(summary.hosts, samples, *span, round_trips)
        if summary.hosts
        else resources.resource_values(here, *span, float(summary.run["processors"]), round_trips)
    )


def _behind_ms(intervals: Reported, begin: float, end: float) -> float:
    """Give how late the times of a measured part begin, because drivers still catch up."""
    first = last = rate = 0.0
    for rows in intervals.values():
        before = [row for row in rows if float(row["t_ms"]) <= begin + TOLERANCE_MS]
        until = [row for row in rows if float(row["t_ms"]) <= end + TOLERANCE_MS]
        if before:
            first += float(before[-1].get("behind", 0))
            last += float(until[-1].get("behind", 0))
            rate += float(until[-1]["rate"])
    return 1000 * first / rate if rate and carries_debt(first, last, rate) else 0.0


def _rate_before(summary: Summary) -> float | None:
    """Give the rate that was kept; one above the set rate only made up for a slow start."""
    target = summary.run.get("factors", {}).get("target_rate")
    rate = summary.rate
    return rate if rate is None or target is None else min(rate, float(target))
