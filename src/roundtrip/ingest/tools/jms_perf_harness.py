"""JMSPerfHarness with any of its statistics modules.

Forms of the lines: ``BasicStats``, ``RollingAvgStats``, ``ResponseTimeStats`` and ``FileStats`` of
ot4i/perf-harness. All format with the locale's decimal mark, in data separated by commas.
"""

from __future__ import annotations

import math
import re
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from roundtrip.dictionary import FactorValue
from roundtrip.ingest.commands import is_command
from roundtrip.ingest.fast import WHOLE, FastReader, Form
from roundtrip.ingest.printed import number, peeled, seconds
from roundtrip.ingest.reader import Head, share_of
from roundtrip.ingest.records import FACTOR, Columns, Fault, Quantity, Sink

_WRAP = 2.0**32
_HALF = 2.0**31
_VALUE = r"[-+]?[\w.,∞\ufffd]+?"
_BEGIN = (
    rf"^(?:id=(?P<id>[^,]{{1,80}}),)?(?:memory=(?P<memory>{_VALUE}),)?"
    r"(?: \((?P<each>(?>(?:[^()]|\(micros\))*))\) )?"
)
_BASIC = re.compile(
    rf"{_BEGIN}rate=(?P<rate>{_VALUE}),total messages=(?P<messages>-?\d{{1,15}}),"
    r"Snapshot period=(?P<period>-?\d{1,15}),threads=(?P<threads>\d{1,15})$"
)
_ROLLING = re.compile(rf"{_BEGIN}rateR=(?P<rate>{_VALUE}),threads=(?P<threads>\d{{1,15}})$")
_RESPONSE = re.compile(
    rf"{_BEGIN}tps=(?P<rate>{_VALUE}),avgResponse\(micros\)(?:=(?P<response>-?\d{{1,20}}))?,"
    r"threads=(?P<threads>\d{1,15})$"
)
_STAMP = r"^(?P<date>\d{4}/\d\d/\d\d),(?P<clock>\d\d:\d\d:\d\d),"
_FILE = re.compile(
    r"^(?:id=(?P<id>[^,]{1,80}),)?"
    + _STAMP[1:]
    + rf"Threads,(?P<threads>\d{{1,9}}),MsgRate,(?P<rate>{_VALUE})"
    r"(?P<each>(?:,IndThreads(?:,-?\d{1,12})*)?)$"
)
_FILE_SUMMARY = re.compile(
    _STAMP + r"(?P<target>[^,]{0,256}),MsgSize,(?P<size>[^,]{0,12}),Threads,(?P<threads>\d{1,9}),"
    rf"MsgRate,(?P<rate>{_VALUE}),Iterations,(?P<iterations>\d{{1,20}}),"
    rf"AvgDuration,(?P<duration>{_VALUE}),Tx,(?P<tx>true|false),"
    r"Persistent,(?P<persistent>true|false),UseCorrId,(?P<correlation>true|false)$"
)
_SUMMARY = re.compile(
    rf"^totalIterations=(\d{{1,20}}),avgDuration=({_VALUE}),(totalRate|maxrateR)=({_VALUE})$"
)
_EACH = re.compile(r"^Total msgs per thread\s+\d+(?: , \d+)*$")
_TABLE_ROW = re.compile(
    r"^ *(?P<thread>\d{1,9}) +(?P<iterations>-?\d{1,20}) +(?P<duration>[\d.,]{1,20}) +"
    rf"(?P<rate>{_VALUE})\| *(?P<avg>-?\d{{1,20}}) +(?P<min>N/A|-?\d{{1,20}}) +"
    rf"(?P<max>N/A|-?\d{{1,20}}) +(?P<sd>{_VALUE})\|$"
)
_OVERALL = re.compile(
    rf"^ *OVERALL: +(?P<iterations>\d{{1,20}}) +(?P<duration>{_VALUE}) +(?P<rate>{_VALUE})\| *"
    r"(?P<avg>-?\d{1,20}) +(?P<min>-?\d{1,20}) +(?P<max>-?\d{1,20}) +---$"
)
_RULER = re.compile(
    r"^(?:={10,}|-{20,}\|-{20,}\||[ ]+\|[ ]+ResponseTimes[ ]+\||"
    r" *Thread Number +Iterations .*|\s*)$"
)
_THREAD = re.compile(r"^(?:\^C)?(?P<name>[A-Za-z]\w{0,60}\d+|main|[A-Z]\w{0,60}): (?P<says>.*)$")
_CONTROL_START = re.compile(r"^ControlThread\d*$")
_OTHER = re.compile(
    r"^(?:Collecting message rate data from beginning of run|"
    r"Warmup period ended; Message rate data collection starts|"
    r"PerfHarness command processor is monitoring .*|unsupported)$"
)
_THROWN = re.compile(r"^(?:Caused by: )?(?:[a-z][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error)\b.*$")
_TRACE = re.compile(r"^\s+(?:at [\w$.<>/]+\(.*\)|\.\.\. \d+ (?:more|common frames omitted)).*$")
_NONE_SEEN = 999999999
_DELIVERY = {"true": "persistent", "false": "nonpersistent"}


class JmsPerfHarness(FastReader):
    """Reads JMSPerfHarness."""

    name = "jmsperfharness"
    title = "JMSPerfHarness"
    implied: ClassVar[dict[str, FactorValue]] = {"api": "JMS"}
    drives = "by role"
    columns = (
        "rate", "rate_printed", "messages", "period", "threads", "rolling_rate", "response",
        "memory",
    )  # fmt: skip
    quantities: ClassVar[dict[str, Quantity]] = {
        "rate": Quantity("round trips/s", "round_trip_rate"),
        "rate_printed": Quantity("round trips/s"),  # before correction
        "rolling_rate": Quantity("round trips/s", "round_trip_rate"),  # of 30 s (-sr): rows overlap
        "messages": Quantity("iterations"),  # of the interval
        "period": Quantity("s"),  # cut to whole seconds
        "threads": Quantity("threads", combine="max"),
        "response": Quantity("µs", "round_trip_time", 1e-3),
        "memory": Quantity("B", combine="max"),  # heap in use
        "iterations": Quantity("iterations"),  # of the whole run
        "seconds": Quantity("s"),  # mean length of the threads' runs
        "run_rate": Quantity("round trips/s", "round_trip_rate"),  # sum of the threads' rates
        "max_rolling_rate": Quantity("round trips/s", statistic="peak"),  # a maximum, no mean
        "run_response": Quantity("µs", "round_trip_time", 1e-3),
        "run_response_min": Quantity("µs"),
        "run_response_max": Quantity("µs"),
    }  # fmt: skip
    faults = (
        Fault("overflow", "corrected",
              "The rate is computed from messages × 1000 in 32 bits, which overflows above "
              "2,147,483 messages in an interval. It is recomputed from the interval's "
              "messages and length; the length in milliseconds follows from the overflowed "
              "value itself, or else is the printed whole seconds.",
              of="rates"),
        Fault("overflow unseen", "suspect",
              "A rate below zero shows that messages × 1000 overflowed 32 bits. This statistics "
              "module does not print the messages, so that the rate cannot be computed: left out.",
              of="rates"),
        Fault("messages wrapped", "suspect",
              "The number of messages in the interval is below zero: its 32-bit counter wrapped. "
              "Messages and rate are left out.",
              of="rates"),
        Fault("below zero", "suspect",
              "A rate below zero that the interval's messages do not explain: it is left out.",
              of="rates"),
        Fault("short run", "corrected",
              "FileStats prints a rate of 0 when a run was shorter than nine tenths of what was "
              "asked for. The rate is computed from iterations and duration.",
              of="rates"),
        Fault("no sample", "suspect",
              "No rolling sample or no iteration was taken; the printed value means nothing.",
              of="rates"),
        Fault("no response", "suspect",
              "No response was timed: the smallest printed response time is a starting value.",
              of="latencies"),
    )  # fmt: skip
    forms = tuple(
        Form(expression.replace("MARK", mark), dialect, comma=mark == ",")
        for mark in (r"\.", ",")
        for expression, dialect in (
            (rf"rate=(?P<rate>-?\d{{1,13}}MARK\d\d),total messages=(?P<messages>-?{WHOLE}),"
             rf"Snapshot period=(?P<period>{WHOLE}),threads=(?P<threads>{WHOLE})", "BasicStats"),
            (rf"rateR=(?P<rolling_rate>\d{{1,13}}MARK\d\d),threads=(?P<threads>{WHOLE})",
             "RollingAvgStats"),
            (rf"tps=(?P<rate>\d{{1,13}}MARK\d\d),avgResponse\(micros\)=(?P<response>{WHOLE}),"
             rf"threads=(?P<threads>{WHOLE})", "ResponseTimeStats"),
        )
    )  # fmt: skip

    def confidence(self, head: Head) -> float:
        """Look for the lines of its statistics modules and for its threads' messages."""
        certain = (_BASIC, _ROLLING, _RESPONSE, _FILE, _FILE_SUMMARY, _SUMMARY, _OVERALL)
        if not head.has(*certain):
            return 0.5 if head.has(re.compile(r"^ControlThread\d: START")) else 0.0
        return 0.6 + 0.4 * share_of(head.bare, *certain, _TABLE_ROW, _THREAD, _RULER, _OTHER)

    def derive(self, columns: Columns, sink: Sink) -> None:
        """Compute overflowed rates anew."""
        rate, messages, period = columns["rate"], columns["messages"], columns["period"]
        total = messages * 1000.0
        over = np.abs(total) >= _HALF
        lost = messages < 0
        blind = (rate < 0) & np.isnan(messages)
        if not (over.any() or lost.any() or (rate < 0).any()):
            return
        columns["rate_printed"] = np.where(over | lost | (rate < 0), rate, np.nan)
        over &= ~lost
        odd = (rate < 0) & ~(over | lost | blind)
        columns["rate"] = np.where(over, _recomputed(rate, total, period), rate)
        columns["rate"] = np.where(lost | blind | odd, np.nan, columns["rate"])
        columns["messages"] = np.where(lost, np.nan, messages)
        unknown = np.isnan(columns["rate"]) & over
        for key, rows in (
            ("overflow", over & ~unknown),
            ("messages wrapped", lost),
            ("overflow unseen", blind | unknown),
            ("below zero", odd),
        ):
            sink.mark(columns, key, rows)

    def line(self, number_: int, text: str, sink: Sink) -> str | None:
        """Read a line that is not a plain interval."""
        self.catch_up(number_, sink)
        time, bare = peeled(text)
        bare = bare.rstrip() if not bare.endswith(") ") else bare
        for pattern, dialect in (
            (_BASIC, "BasicStats"), (_ROLLING, "RollingAvgStats"), (_RESPONSE, "ResponseTimeStats"),
        ):  # fmt: skip
            if match := pattern.match(bare):
                return self._interval(number_, match, dialect, time, sink)
        if match := _FILE.match(bare):
            return self._file_interval(number_, match, sink)
        for pattern, handler in (
            (_SUMMARY, self._summary), (_FILE_SUMMARY, self._file_summary),
            (_OVERALL, self._overall),
        ):  # fmt: skip
            if match := pattern.match(bare):
                handler(number_, match, sink)
                self.summed_up(number_)
                return sink.count_used()
        return self._message(number_, bare, sink)

    def _interval(
        self, line: int, match: re.Match[str], dialect: str, time: float | None, sink: Sink
    ) -> str | None:
        values: dict[str, float] = {"threads": float(match["threads"])}
        rate = number(match["rate"])
        if match["memory"]:
            values["memory"] = number(match["memory"])
        fault, rolling = "", dialect == "RollingAvgStats"
        if math.isfinite(rate) and not (rolling and rate < 0):
            values["rolling_rate" if rolling else "rate"] = rate
        else:
            fault = "no sample"
        if dialect == "BasicStats":
            values |= {"messages": float(match["messages"]), "period": float(match["period"])}
        elif dialect == "ResponseTimeStats" and match["response"]:
            values["response"] = float(match["response"])
        sink.dialect(dialect)
        if re.search(r"\d,\d\d$", match["rate"]):
            sink.dialect("decimal comma")
        if match["each"] is not None:
            sink.dialect("per thread")
        return self.interval(line, values, sink, match["id"] or "", time, fault)

    def _file_interval(self, line: int, match: re.Match[str], sink: Sink) -> str | None:
        rate = number(match["rate"])
        time = seconds(match["date"], match["clock"])
        sink.without_zone()
        sink.dialect("FileStats")
        values = {"threads": float(match["threads"])}
        counts = [int(text) for text in match["each"].split(",")[2:]]
        if counts:
            values["messages"] = float(sum(counts))
        fault = ""
        if math.isfinite(rate):
            values["rate"] = rate
        else:
            fault = "overflow unseen"
        return self.interval(line, values, sink, match["id"] or "", time, fault)

    def _summary(self, line: int, match: re.Match[str], sink: Sink) -> None:
        name = "run_rate" if match[3] == "totalRate" else "max_rolling_rate"
        sink.dialect("BasicStats" if name == "run_rate" else "RollingAvgStats")
        rate, fault = number(match[4]), ""
        if not math.isfinite(rate) or rate < 0:
            rate, fault = math.nan, "no sample"
        duration = number(match[2])
        sink.row("summary", line, {
            "iterations": float(match[1]), "seconds": duration if math.isfinite(duration) else None,
            name: rate,
        }, fault=fault)  # fmt: skip

    def _file_summary(self, line: int, match: re.Match[str], sink: Sink) -> None:
        sink.dialect("FileStats")
        sink.without_zone()
        iterations, duration = float(match["iterations"]), number(match["duration"])
        rate, fault = number(match["rate"]), ""
        if rate == 0 and iterations > 0 and duration > 0:
            # Threads run side by side for about the mean duration, so that their rates add up so.
            rate, fault = iterations / duration, "short run"
        for name, group in (("message size", "size"), ("transacted", "tx"),
                            ("persistent", "persistent"), ("threads", "threads")):  # fmt: skip
            sink.setting(name, match[group])
        sink.row("summary", line, {
            "iterations": iterations, "seconds": duration, "run_rate": rate,
            # Of several programs in one run, each line tells its own.
            f"{FACTOR}delivery": _DELIVERY[match["persistent"]],
            f"{FACTOR}syncpoint": "inside" if match["tx"] == "true" else None,
        }, time=seconds(match["date"], match["clock"]), fault=fault)  # fmt: skip

    def _overall(self, line: int, match: re.Match[str], sink: Sink) -> None:
        sink.dialect("ResponseTimeStats")
        smallest, fault = float(match["min"]), ""
        if smallest == _NONE_SEEN:
            fault = "no response"
        sink.row("summary", line, {
            "iterations": float(match["iterations"]), "seconds": number(match["duration"]),
            "run_rate": number(match["rate"]),
            "run_response": None if fault else float(match["avg"]),
            "run_response_min": None if fault else smallest,
            "run_response_max": None if fault else float(match["max"]),
        }, fault=fault)  # fmt: skip

    def _message(self, line: int, bare: str, sink: Sink) -> str | None:
        """Read what threads say, commands and exceptions."""
        if match := _THREAD.match(bare):
            if _CONTROL_START.match(match["name"]):
                if match["says"].strip() == "START":
                    self.started(line, sink)
            elif match["says"].strip() in ("START", "STOP") and match["name"][-1].isdigit():
                if match["says"].strip() == "START":
                    self.next_run(line, sink)
                sink.setting("programs", match["name"].rstrip("0123456789"))
            return sink.count_ignored()
        if (is_command(bare) or " -tc " in bare) and self.command(line, bare, sink):
            return sink.count_used()
        quiet = (_TABLE_ROW, _RULER, _OTHER, _THROWN, _TRACE, _EACH)
        if is_command(bare) or any(pattern.match(bare) for pattern in quiet):
            return sink.count_ignored()
        return "not a line of JMSPerfHarness that is known"


def _recomputed(
    rate: npt.NDArray[np.float64], total: npt.NDArray[np.float64], period: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Compute a rate anew, in messages per second, whose numerator overflowed.

    `rate` is as printed: the wrapped numerator over the period in milliseconds. `total` is the true
    numerator, messages × 1000; `period` is as printed, in whole seconds. The result is nan where
    that is not above zero.
    """
    wrapped = np.mod(total + _HALF, _WRAP) - _HALF
    with np.errstate(divide="ignore", invalid="ignore"):
        milliseconds = np.round(wrapped / rate)
        fits = (milliseconds >= period * 1000) & (milliseconds < (period + 1) * 1000)
        fits &= np.abs(wrapped / milliseconds - rate) <= 0.006
        exact = np.where(fits, total / milliseconds, total / (period * 1000))
    return np.where(period > 0, exact, np.nan)
