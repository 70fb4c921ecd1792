"""Raw files: every line that a tool wrote during a run, as it was written, compressed at once."""

from __future__ import annotations

import io
import itertools
import json
import math
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import zstandard

from roundtrip.campaign.names import ENDING, PARTIAL, Break, RawName
from roundtrip.errors import DataError
from roundtrip.files import disk_errors

_LONGEST_LINE = 1 << 22
_LONGEST_ENTRY = _LONGEST_LINE + 1024
"""With what a raw file says of a line: when it was read, and who wrote it."""
SAMPLER_OF = "sampler of "
"""What the name of a host's sampler begins with, where broker and drivers ran on several hosts."""
_TIMES = {"t_ms": 1, "t": 1000}
"""Times that a process tells, by key: how many milliseconds their unit has."""


@dataclass(frozen=True)
class RawLine:
    """One line of a raw file.

    Attributes
    ----------
    at : float
        When the runner read it, in seconds since 1970.
    source : str
        Which process wrote it: ``runner``, ``sampler``, ``broker``, ``requester-1``, …
    record : dict
        What it says, where it is a JSON object; otherwise empty.
    text : str
        The line as written, where it is not.
    """

    at: float
    source: str
    record: dict[str, Any]
    text: str = ""

    @property
    def event(self) -> str:
        """The record's event; empty where it has none."""
        return str(self.record.get("event", ""))

    def earlier(self, by_ms: float) -> RawLine:
        """Give the line as if its process had read a clock that is behind by so much."""
        times = {
            key: float(self.record[key]) - by_ms / per_ms
            for key, per_ms in _TIMES.items()
            if by_ms and key in self.record
        }
        return replace(self, record={**self.record, **times}) if times else self


class Keeping(Protocol):
    """Where what processes and the runner say goes: a raw file, or the way to one."""

    def line(self, source: str, text: str) -> None:
        """Keep a line of a process."""

    def record(self, source: str, **content: Any) -> None:
        """Keep a record of the runner's own."""


class RawFile:
    """A raw file in the making: its name has another ending until it is finished.

    Parameters
    ----------
    folder : Path
        ``raw`` of the campaign.
    hidden : mapping of str to str
        Texts that name the machine, such as the project's path, and what takes their place.
    """

    def __init__(self, folder: Path, key: str, hidden: Mapping[str, str] | None = None) -> None:
        self._hidden = dict(hidden or {})
        self.folder, self.key = folder, key
        self.path = folder / f"{key}{ENDING}{PARTIAL}"
        self._lock = threading.Lock()
        self._closed = False
        with disk_errors(self.path):
            folder.mkdir(parents=True, exist_ok=True)
            self._stream = self.path.open("wb")
        self._writer = zstandard.ZstdCompressor(level=9).stream_writer(self._stream)
        self._flushed = -math.inf  # the first line, which names the run, is never lost
        self.failure: OSError | None = None

    def hide(self, hidden: Mapping[str, str]) -> None:
        """Replace further texts from now on, the longest first."""
        every = {**self._hidden, **hidden}
        self._hidden = dict(sorted(every.items(), key=lambda pair: -len(pair[0])))

    def line(self, source: str, text: str) -> None:
        """Keep a line of a process. A JSON object is kept character by character."""
        for secret, shown in self._hidden.items():
            text = text.replace(secret, shown)
        said = _object_in(text)
        body = f'"text":{json.dumps(text)}' if said is None else f'"record":{text.strip()}'
        self._write(f'{{"at":{time.time():.3f},"from":{json.dumps(source)},{body}}}\n')

    def record(self, source: str, **content: Any) -> None:
        """Keep a record of the runner's own."""
        self.line(source, json.dumps(content, ensure_ascii=False, default=str))

    def _write(self, text: str) -> None:
        with self._lock:
            if self._closed or self.failure:
                return
            try:
                self._writer.write(text.encode())
                if time.monotonic() - self._flushed > 1:
                    self._writer.flush(zstandard.FLUSH_BLOCK)
                    self._flushed = time.monotonic()
            except OSError as problem:  # raised where it can be handled, not in a reader's thread
                self.failure = problem

    def check(self) -> None:
        """Raise what went wrong while writing, such as a full disk."""
        if self.failure is not None:
            with disk_errors(self.path):
                raise self.failure

    def finish(self, broke_off: Break | None = None) -> Path:
        """Complete the file and give it its name.

        What became of a run that was not finished is part of the name, with its number.
        """
        with self._lock, disk_errors(self.path):
            if not self._closed:
                self._closed = True
                self._writer.flush(zstandard.FLUSH_FRAME)
                self._stream.flush()
                os.fsync(self._stream.fileno())
                self._stream.close()
            name = _next_name(self.folder, self.key, broke_off) if broke_off else RawName(self.key)
            target = self.folder / str(name)
            self.path.replace(target)
        return target


def parse_line(source: str, text: str) -> RawLine | None:
    """Read a line that a process has just written; None when it is not a JSON object."""
    said = _object_in(text)
    return None if said is None else RawLine(time.time(), source, said)


def _object_in(text: str) -> dict[str, Any] | None:
    """Read a line as a JSON object; None when it is none, or too long for a raw file's reader."""
    text = text.strip()
    if text.startswith("{") and text.endswith("}") and len(text) <= _LONGEST_LINE:
        with suppress(ValueError):
            found: dict[str, Any] = json.loads(text)
            return found
    return None


def read_raw(path: Path) -> Iterator[RawLine]:
    """Read a raw file, also one that ends where the runner was killed."""
    with path.open("rb") as packed:
        lines = io.BufferedReader(
            zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True), 1 << 16
        )
        for number in itertools.count(1):
            try:
                line = lines.readline(_LONGEST_ENTRY + 1)
            except zstandard.ZstdError as problem:
                raise DataError(f"is damaged: {problem}", where=path) from problem
            if len(line) > _LONGEST_ENTRY:
                raise DataError("a line is too long", where=f"{path}:{number}")
            if not line.endswith(b"\n"):
                return
            yield _parsed(line, f"{path}:{number}")


def _parsed(line: bytes, where: str) -> RawLine:
    try:
        content = json.loads(line)
        record = content.get("record")
        return RawLine(
            float(content["at"]), str(content["from"]),
            record if isinstance(record, dict) else {}, str(content.get("text", "")),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise DataError(f"is not a line of a raw file: {problem}", where=where) from problem


def on_one_clock(lines: Iterable[RawLine]) -> Iterator[RawLine]:
    """Give the lines of a raw file with all times as the runner's clock would have told them.

    The runner's records ``host`` bound the offset of each host's clock, in milliseconds, of which
    the middle is taken; ``placed`` says on which host a process runs.
    """
    ahead: dict[str, float] = {}
    for line in lines:
        record = line.record
        if line.source == "runner" and line.event == "host":
            middle = (float(record["least_ms"]) + float(record["most_ms"])) / 2
            ahead[SAMPLER_OF + str(record["host"])] = middle
        elif line.source == "runner" and line.event == "placed":
            ahead[str(record["process"])] = ahead[SAMPLER_OF + str(record["host"])]
        yield line.earlier(ahead.get(line.source, 0.0))


def keep_interrupted(folder: Path) -> list[str]:
    """Keep what was read of the runs in hand when a runner was killed, named as interrupted."""
    keys = []
    for path in sorted(folder.glob(f"*{ENDING}{PARTIAL}")):
        key = path.name.removesuffix(f"{ENDING}{PARTIAL}")
        with disk_errors(path):
            path.replace(folder / str(_next_name(folder, key, "interrupted")))
        keys.append(key)
    return keys


def _next_name(folder: Path, key: str, how: Break) -> RawName:
    """Give an attempt that broke off its number: ``failed-1`` for the first, and so on."""
    # Counting them would give a number twice where one was removed.
    taken = [RawName.parse(path.name).number for path in folder.glob(f"{key}.{how}-*{ENDING}")]
    return RawName(key, how, max(taken, default=0) + 1)
