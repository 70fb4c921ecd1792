"""MQ-CPH, IBM's load driver in C++, and what runcph_agg.py prints of several of its processes.

Forms of the lines: ``ControlThread.cpp``, ``WorkerThread.cpp``, ``ReconnectTimer.cpp`` and
``runcph_agg.py`` of ibm-messaging/mq-cph.
"""

from __future__ import annotations

import math
import re
from typing import ClassVar

import numpy as np

from roundtrip.dictionary import FactorValue
from roundtrip.ingest.commands import is_command
from roundtrip.ingest.fast import WHOLE, FastReader, Form
from roundtrip.ingest.printed import number, peeled
from roundtrip.ingest.reader import Head, share_of
from roundtrip.ingest.records import FAULT, RUN, STREAM, Columns, Fault, Quantity, Sink

_NO_LATENCY = (2.0**63 - 1, 2.0**31 - 1)
_WRAP = 2.0**32
_AGGREGATED = "all processes"
_VALUE = r"[-+]?[\w.,#∞\ufffd()]+?"
_RATE = re.compile(
    rf"^(?:id=(?P<id>[^,]{{1,80}}),)?"
    rf"(?: \((?P<each>[\d \t]*)\) )?rate=(?P<rate>{_VALUE}),threads=(?P<threads>\d{{1,15}})"
    rf"(?:,processes=(?P<processes>\d{{1,6}}))?"
    rf"(?:,avg_latency\(uSec\)=(?P<avg>-?\d{{1,20}}),max_latency\(uSec\)=(?P<max>-?\d{{1,20}}),"
    rf"min_latency\(uSec\)=(?P<min>-?\d{{1,20}}))?$"
)
_PID = re.compile(r"^pid:(?P<pid>\d{1,10}) ")
_SUMMARY = re.compile(rf"^totalIterations=(\d{{1,20}}),totalSeconds=({_VALUE}),avgRate=({_VALUE})$")
_JOB = re.compile(
    rf"^totalJobIterations=(\d{{1,20}}),maxSeconds=({_VALUE}),avgJobRate=({_VALUE}),"
    rf"avgRatePerProcess=({_VALUE})$"
)
_LATENCY = re.compile(
    r"^avg_latency\(uSec\)=(-?\d{1,20}),max_latency\(uSec\)=(-?\d{1,20}),"
    r"min_latency\(uSec\)=(-?\d{1,20})$"
)
_THREAD = re.compile(r"^(?:\^C)?\[(?P<name>[A-Za-z_]\w{0,60})\]:? (?P<says>.*)$")
_QUIET = re.compile(
    r"^(?:START|STOP|First session open - entering RUNNING state\.|Session \d+ complete - .*|"
    r"Starting session \d+\.|Generated CorrelID:.*|Using selection string:.*|"
    r"Time to connect to secondary host is \d+ ms.*|All threads reconnected at .*|"
    r"(?:MQI call failed|Caught exception)\b.*)$"
)
_OTHER = re.compile(
    r"^(?:Shared library \S+ loaded ok|Secondary port number: \d+|controlThread (?:START|STOP)|"
    r"Timer : Runlength expired|Caught shutdown exception\.|cphControlCInvoked.*|"
    r"Shutdown signal detected.*|Thread \[id=\d+\] received a shutdown request\.|"
    r"(?:Setting|Getting|Default|getrlimit|setrlimit|setting stack|Loading|Using) .*|"
    r"MQ[A-Z0-9]{2,10}[: ].*|(?:\d+ ms\s+)?max: \d+ ms\)|"  # the rest of lines that were wrapped
    r"(?:threads )?to (?:queue manager|next) .*|---.*|[-=]{8,}|\s*)$"
)


class MqCph(FastReader):
    """Reads MQ-CPH."""

    name = "mq-cph"
    title = "MQ-CPH"
    implied: ClassVar[dict[str, FactorValue]] = {"product": "IBM MQ", "api": "MQI"}
    drives = "by role"
    columns = (
        "rate", "threads", "threads_set", "latency_avg", "latency_max", "latency_min",
    )  # fmt: skip
    quantities: ClassVar[dict[str, Quantity]] = {
        "rate": Quantity("round trips/s", "round_trip_rate"),
        "threads": Quantity("threads", combine="max"),
        "threads_set": Quantity("threads", combine="max"),  # of all processes, as set
        "latency_avg": Quantity("µs", "round_trip_time", 1e-3),  # of thread 0, as all latencies
        "latency_max": Quantity("µs", combine="max"),
        "latency_min": Quantity("µs", combine="min"),
        "iterations": Quantity("iterations"),  # of the whole run
        "seconds": Quantity("s"),  # ramp-up and shutdown included
        "run_rate": Quantity("round trips/s", "round_trip_rate"),  # the same
        "run_latency_avg": Quantity("µs"),  # mean of the intervals'
        "run_latency_max": Quantity("µs"),
        "run_latency_min": Quantity("µs"),
    }  # fmt: skip
    faults = (
        Fault("short interval", "suspect",
              "MQ-CPH divides by whole seconds: an interval shorter than one second prints inf or "
              "nan. The rate is left out.",
              of="rates"),
        Fault("idle latency", "suspect",
              "Thread 0 completed nothing in this interval: MQ-CPH prints the largest long as the "
              "shortest latency, 0 as the longest and the mean of an earlier interval. All three "
              "are left out.",
              of="latencies"),
        Fault("iterations wrapped", "corrected",
              "MQ-CPH counts iterations in 32 bits. The intervals show that the counter wrapped: "
              "what was lost is added again, and the run's rate computed from it.",
              of="rates"),
        Fault("ramp-up unseen", "suspect",
              "runcph_agg.py prints how many threads it was told to run, not how many do: where "
              "the ramp-up ended cannot be seen, and only the first interval is left out.",
              of="rates"),
        Fault("empty run", "suspect",
              "No iteration was timed: the rate of the run is not a number.",
              of="rates"),
        Fault("several processes", "suspect",
              "Two programs started before the first interval, and intervals do not name theirs: "
              "the mean may be that of both. Give each a name (-id) or a file of its own."),
    )  # fmt: skip
    forms = (
        Form(rf"rate=(?P<rate>\d{{1,13}}\.\d\d),threads=(?P<threads>{WHOLE})"),
        Form(
            rf"rate=(?P<rate>\d{{1,13}}\.\d\d),threads=(?P<threads>{WHOLE}),"
            rf"avg_latency\(uSec\)=(?P<latency_avg>{WHOLE}),"
            rf"max_latency\(uSec\)=(?P<latency_max>{WHOLE}),"
            rf"min_latency\(uSec\)=(?P<latency_min>{WHOLE})",
            dialect="with latency",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._first = ""  # number of the thread that starts first
        self._started, self._several = -1, set[int]()  # runs
        self._sums: dict[tuple[int, int], list[float]] = {}
        self._totals: list[tuple[int, int, str, float | None, float, float, float]] = []

    def confidence(self, head: Head) -> float:
        """Look for its interval and summary lines and for its threads' messages."""
        certain = (_RATE, _SUMMARY, _JOB, _LATENCY)
        bare = [_PID.sub("", line) for line in head.bare]
        if not any(pattern.match(line) for line in bare for pattern in certain):
            sessions = any("First session open" in line for line in bare)
            return 0.5 if sessions else 0.0
        return 0.6 + 0.4 * share_of(bare, *certain, _THREAD, _OTHER)

    def derive(self, columns: Columns, sink: Sink) -> None:
        """Leave out what an idle interval prints, and sum up for the check of the summary."""
        if self._several:
            shared = np.isin(columns[RUN], list(self._several)) & (columns[FAULT] == 0)
            shared &= columns[STREAM] == sink.streams.get("", -1)
            sink.mark(columns, "several processes", shared)
        shortest = columns["latency_min"]
        idle = np.isin(shortest, _NO_LATENCY) | (shortest < 0)
        if idle.any():
            for name in ("latency_avg", "latency_max", "latency_min"):
                columns[name][idle] = np.nan
            sink.mark(columns, "idle latency", idle)
        good = np.isfinite(columns["rate"])
        code = columns[RUN][good] * (1 << 20) + columns[STREAM][good]
        pairs, place = np.unique(code, return_inverse=True)
        sums, counts = np.bincount(place, columns["rate"][good]), np.bincount(place)
        for pair, rates, count in zip(pairs.tolist(), sums.tolist(), counts.tolist(), strict=True):
            total = self._sums.setdefault(divmod(pair, 1 << 20), [0.0, 0.0])
            total[0] += rates
            total[1] += count

    def line(self, number_: int, text: str, sink: Sink) -> str | None:
        """Read a line that is not a plain interval."""
        self.catch_up(number_, sink)
        time, bare = peeled(text)
        pid = _PID.match(bare)
        stream = ""
        if pid:
            stream, bare = f"pid {pid['pid']}", bare[pid.end() :]
        if match := _RATE.match(bare):
            return self._interval(number_, match, stream, time, sink)
        if match := _SUMMARY.match(bare):
            return self._summary(number_, match, stream, time, sink)
        if match := _JOB.match(bare):
            values = {
                "iterations": float(match[1]), "seconds": number(match[2]),
                "run_rate": number(match[3]),
            }  # fmt: skip
            sink.dialect("runcph_agg")
            sink.row("summary", number_, values, stream=_AGGREGATED, time=time)
            return sink.count_used()
        if match := _LATENCY.match(bare):
            lowest = float(match[3])
            idle = lowest in _NO_LATENCY
            sink.row("summary", number_, {
                "run_latency_avg": None if idle else float(match[1]),
                "run_latency_max": None if idle else float(match[2]),
                "run_latency_min": None if idle else lowest,
            }, stream=stream, time=time, fault="idle latency" if idle else "")  # fmt: skip
            return sink.count_used()
        return self._message(number_, bare, stream, sink)

    def _interval(
        self, line: int, match: re.Match[str], stream: str, time: float | None, sink: Sink
    ) -> str | None:
        rate = number(match["rate"])
        if rate < 0:
            return "a rate below zero"
        values = {"threads_set" if match["processes"] else "threads": float(match["threads"])}
        fault = "ramp-up unseen" if match["processes"] else ""
        if math.isfinite(rate):
            values["rate"] = rate
        else:
            fault = "short interval"
        if match["avg"]:
            sink.dialect("with latency")
            for name in ("avg", "max", "min"):
                values[f"latency_{name}"] = float(match[name])
        if match["each"] is not None:
            sink.dialect("per thread")
        if match["processes"]:
            sink.dialect("runcph_agg")
            stream = _AGGREGATED
        elif match["id"]:
            stream = match["id"]
        return self.interval(line, values, sink, stream, time, fault)

    def _summary(
        self, line: int, match: re.Match[str], stream: str, time: float | None, sink: Sink
    ) -> str | None:
        iterations, seconds, rate = float(match[1]), number(match[2]), number(match[3])
        self.summed_up(line)
        self._totals.append((line, sink.run, stream, time, iterations, seconds, rate))
        return sink.count_used()

    def settle(self, sink: Sink) -> None:
        """Hand over the summaries, checked against the intervals of their runs."""
        now = sink.run
        for line, run, stream, time, iterations, seconds, rate in self._totals:
            fault = ""
            if not math.isfinite(rate) or seconds <= 0 or not math.isfinite(seconds):
                rate, fault = math.nan, "empty run"
            seen = self._seen(run, stream, sink)
            if seen and seen[1] >= 3 and not fault:
                lost = round((seen[0] / seen[1] * seconds - iterations) / _WRAP)
                if lost > 0:
                    iterations += lost * _WRAP
                    rate, fault = iterations / seconds, "iterations wrapped"
            sink.run = run
            sink.row("summary", line, {
                "iterations": iterations, "seconds": seconds, "run_rate": rate,
            }, stream=stream, time=time, fault=fault)  # fmt: skip
        sink.run = now
        self._totals = []
        self._several &= {now}

    def _seen(self, run: int, stream: str, sink: Sink) -> list[float] | None:
        """Give the sum and the number of a run's rates; a summary does not name its process.

        Rates of all processes together say nothing about the totals of one.
        """
        number = sink.stream(stream)
        if (run, number) in self._sums:
            return self._sums[run, number]
        several = sink.streams.get(_AGGREGATED)
        own = [sums for key, sums in self._sums.items() if key[0] == run and key[1] != several]
        return own[0] if len(own) == 1 else None

    def _message(self, line: int, bare: str, stream: str, sink: Sink) -> str | None:
        """Read what threads say, commands, and the rest of a line that was wrapped."""
        if match := _THREAD.match(bare):
            says = match["says"].strip()
            if says == "START":
                stem = match["name"].rstrip("0123456789")
                number = match["name"].removeprefix(stem)
                self._first = self._first or number
                if number and number == self._first and not stream:
                    self.started(line, sink)
                    if self._started == sink.run:
                        self._several.add(sink.run)
                    self._started = sink.run
                self.next_run(line, sink)
                sink.setting("programs", stem)
            elif says == "STOP":
                self._started = -1
            if _QUIET.match(says):
                return sink.count_ignored()
            return "a thread's message of unknown form"
        bare = bare.removeprefix("Command line: ")
        command = is_command(bare) or re.match(r"^-[a-z]{2} ", bare) or " -tc " in bare
        if command and self.command(line, bare, sink):
            return sink.count_used()
        if _OTHER.match(bare):
            return sink.count_ignored()
        return "not a line of MQ-CPH that is known"
