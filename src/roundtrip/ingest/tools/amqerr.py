"""Error logs of IBM MQ queue managers: AMQERRnn.LOG, one line a message in containers, JSON.

Dates are written in the order of the process's locale, which varies within one file: the time is
taken from ``Time()``, in UTC. Texts vary in language and code page and are wrapped: messages are
told by their number, values by their place in the text or by the record's inserts.
"""

from __future__ import annotations

import json
import re
from itertools import takewhile
from typing import Any, ClassVar

from roundtrip.dictionary import FactorValue
from roundtrip.ingest.printed import peeled, seconds
from roundtrip.ingest.reader import Head, LineReader, share_of
from roundtrip.ingest.records import Fault, Quantity, Sink, printable

_HEAD = re.compile(
    r"^(?P<date>\d{1,4}[./-]\d{1,2}[./-]\d{1,4})[ ,T]+(?P<time>\d{1,2}[:.]\d\d[:.]\d\d)"
    r"(?P<half> ?[APap]\.?[Mm]\.?)? +- +Process\("
)
_TIME = re.compile(
    r"\bTime\((\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)?\)"
)
_ATTRIBUTE = re.compile(r"\b([A-Za-z]+\d?)\(((?:[^()]|\([^()]*\))*)\)")
_MESSAGE = re.compile(r"^(?P<id>AMQ\d{4,5})(?P<severity>[A-Z])?: (?P<text>.*)$")
_END = re.compile(r"^-{3,}(?: \S+ ?: ?\d+ ?)?-*\s*$")
_JSON = re.compile(r'^\{.*"ibm_messageId"')
_INSERTS = re.compile(r" \[[A-Z]\w+\(")
_EXTENT = re.compile(r"\bS(\d{7})\.LOG\b")
_NUMBERS = re.compile(r"(?<![\w.])\d{1,18}(?![\w]|\.\w)")
_STATISTICS = re.compile(
    r"(?<!\d)(\d{1,18})\D{1,12}created\D+(\d{1,18})\D{1,12}reused\D+(\d{1,18})\D{1,12}deleted"
)
_LONGEST_MESSAGE, _LONGEST_RECORD = 12, 100  # lines
KEPT = {
    "AMQ7490": "log extent statistics", "AMQ7467": "restart extent",
    "AMQ7468": "media recovery extent", "AMQ6729": "slow log I/O", "AMQ3288": "rebase",
}  # fmt: skip


class AmqErr(LineReader):
    """Reads error logs of queue managers."""

    name = "amqerr"
    title = "AMQERR"
    implied: ClassVar[dict[str, FactorValue]] = {"product": "IBM MQ"}
    ramps_up, watches = False, "events"
    quantities: ClassVar[dict[str, Quantity]] = {
        "created": Quantity("extents", "log_extents_created"),
        "reused": Quantity("extents", "log_extents_reused"),
        "deleted": Quantity("extents", "log_extents_deleted"),
        "restart_extent": Quantity("extent", "restart_log_extent", combine="last"),
        "media_extent": Quantity("extent", "media_recovery_extent", combine="last"),
        "value": Quantity("", combine="max"),  # largest number in the message
    }  # fmt: skip
    faults = (
        Fault("no Time()", "suspect",
              "The record has no Time(): its date is in the order of an unknown locale. It keeps "
              "its place among the records, without a time."),
        Fault("not English", "suspect",
              "The numbers of created, reused and deleted extents were taken in the order of the "
              "text, which is not English."),
        Fault("unfinished record", "suspect", "The record has no end: its text may be cut."),
    )  # fmt: skip

    def __init__(self) -> None:
        self._record: list[str] = []  # beginning of the record under way
        self._at, self._lines = 0, 0  # its first line, and how many it has
        self._counts: dict[str, int] = {}

    def confidence(self, head: Head) -> float:
        """Look for heads of records and for numbers of messages."""
        if any(_HEAD.match(line) or _JSON.match(line) for line in head.lines):
            return 0.9
        return 0.7 if share_of(head.bare, _MESSAGE) >= 0.2 else 0.0

    def line(self, number: int, text: str, sink: Sink) -> str | None:
        """Read one line."""
        bare = text.rstrip()
        if _HEAD.match(bare):
            self._finish(sink)
            self._record, self._at, self._lines = [bare], number, 1
            return None
        if bare.startswith("{"):
            return self._json(number, bare, sink)
        time, without = peeled(bare)
        if time is not None and (match := _MESSAGE.match(without)) and match["severity"]:
            self._finish(sink)
            sink.dialect("container")
            says = match["text"]
            found = _INSERTS.search(says) if says.endswith(")]") else None
            at = found.start() if found else len(says)
            inserts = dict(_ATTRIBUTE.findall(says[at:]))
            return self._emit(number, time, match["id"], says[:at], inserts, sink, "")
        if not self._record:
            return "outside of a record" if bare else sink.count_ignored()
        self._lines += 1
        if _END.match(bare):
            self._finish(sink, ended=True)
        elif self._lines <= _LONGEST_RECORD:
            self._record.append(bare)
        return None

    def end(self, sink: Sink) -> None:
        """Hand over the last record, and how often each message came."""
        self._finish(sink)
        for name, count in sorted(self._counts.items()):
            sink.setting(f"messages {name}", str(count))

    def _json(self, number: int, bare: str, sink: Sink) -> str | None:
        """Read a message in JSON."""
        self._finish(sink)
        try:
            record: Any = json.loads(bare)
        except (ValueError, RecursionError):
            return "JSON that is not complete"
        if not isinstance(record, dict) or not isinstance(record.get("ibm_messageId"), str):
            return "JSON without ibm_messageId"
        sink.dialect("JSON")
        identifier = record["ibm_messageId"][:7]
        text = str(record.get("message", "")).partition(": ")[2]
        match = _TIME.search(f"Time({record.get('ibm_datetime', '')})")
        time = _moment(match) if match else None
        inserts = {
            name.removeprefix("ibm_").replace("arith", "Arith").replace("comment", "Comment"):
            str(value) for name, value in record.items() if "Insert" in name
        }  # fmt: skip
        inserts["QMgr"] = str(record.get("ibm_serverName", ""))
        fault = "" if time else "no Time()"
        return self._emit(number, time, identifier, text, inserts, sink, fault)

    def _finish(self, sink: Sink, *, ended: bool = False) -> None:
        """Hand over a record; all its lines are used if its message is one that we keep."""
        record, self._record = self._record, []
        if not record:
            return
        sink.dialect("LOG")
        begin = next(
            (place for place, line in enumerate(record) if _MESSAGE.match(line)), len(record)
        )
        time, inserts = None, dict[str, str]()
        for line in record[:begin]:
            if match := _TIME.search(line):
                time = _moment(match)
            for name, value in _ATTRIBUTE.findall(line):
                if name.startswith(("ArithInsert", "CommentInsert", "QMgr")):
                    inserts.setdefault(name, value)
        message = map(str.strip, record[begin : begin + _LONGEST_MESSAGE])
        match = _MESSAGE.match(" ".join(takewhile(bool, message)))
        identifier, text = match.group("id", "text") if match else ("", "")
        fault = "no Time()" if time is None else "" if ended else "unfinished record"
        self._emit(self._at, time, identifier, text, inserts, sink, fault, self._lines)

    def _emit(
        self, line: int, time: float | None, identifier: str, text: str, inserts: dict[str, str],
        sink: Sink, fault: str, lines: int = 1,
    ) -> str | None:  # fmt: skip
        """Hand over a message, and count its lines."""
        if identifier and (len(self._counts) < 2000 or identifier in self._counts):
            self._counts[identifier] = self._counts.get(identifier, 0) + 1
        if identifier not in KEPT:
            return sink.count_ignored(lines)
        values, doubt = _values(identifier, text, inserts)
        manager = inserts.get("QMgr", "")
        sink.row("interval" if identifier == "AMQ7490" else "event", line,
                 {"event": KEPT[identifier], **values}, stream=printable(manager)[:60],
                 time=time, fault=doubt or fault)  # fmt: skip
        return sink.count_used(lines)


def _moment(match: re.Match[str]) -> float | None:
    """Give the time that a ``Time()`` tells; None where there is no such time."""
    try:
        return seconds(*match.groups())
    except ValueError:
        return None


def _values(
    identifier: str, text: str, inserts: dict[str, str]
) -> tuple[dict[str, float | str | None], str]:
    """Take the values of a message, and what is doubtful about them."""
    if identifier == "AMQ7490":
        if match := _STATISTICS.search(text):
            return dict(zip(("created", "reused", "deleted"), map(float, match.groups()),
                            strict=True)), ""  # fmt: skip
        numbers = [float(found) for found in _NUMBERS.findall(text)]
        if len(numbers) == 3:
            return dict(zip(("created", "reused", "deleted"), numbers, strict=True)), "not English"
        return {}, "not English"
    if identifier in ("AMQ7467", "AMQ7468"):
        name = "restart_extent" if identifier == "AMQ7467" else "media_extent"
        places = " ".join([text, *inserts.values()])
        found = _EXTENT.findall(places)
        return ({name: float(found[0])} if found else {}), ""
    numbers = [float(found) for found in _NUMBERS.findall(text)]
    numbers += [float(value) for name, value in inserts.items()
                if name.startswith("ArithInsert") and re.fullmatch(r"\d{1,18}", value)]  # fmt: skip
    return ({"value": max(numbers)} if numbers else {}), ""
