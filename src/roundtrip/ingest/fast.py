"""Readers of logs that can be very long: intervals a block at a time, other lines one by one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from roundtrip.ingest.blocks import Block
from roundtrip.ingest.commands import options_of
from roundtrip.ingest.reader import LineReader
from roundtrip.ingest.records import (
    FAULT,
    LINE,
    RUN,
    STREAM,
    TIME,
    Columns,
    Sink,
    columns_of,
    decoded,
)

WHOLE = r"\d{1,15}"
_PROCESS = r"id=(?P<process>[^,]{1,80}),"


@dataclass(frozen=True)
class Form:
    """The form of an interval's line; any other form is left to `FastReader.line`.

    Attributes
    ----------
    expression : str
        A regular expression (RE2) of the line, without its end and the identifier of a process
        that may precede it. Each named group is a column of numbers.
    dialect : str
        Dialect of the tool that prints such lines.
    comma : bool
        Whether the decimal mark is a comma.
    """

    expression: str
    dialect: str = ""
    comma: bool = False

    def match(
        self, lines: pa.Array, prefix: str = ""
    ) -> tuple[npt.NDArray[np.bool_], dict[str, pa.Array]]:
        """Say which lines, given with their ends, have this form, and give the groups of those."""
        found = pc.extract_regex(lines, pattern=rf"^{prefix}{self.expression}\r?\n$")
        matches = found.is_valid().to_numpy(zero_copy_only=False)
        return matches, dict(zip(found.type.names, found.drop_null().flatten(), strict=True))

    def numbers(self, texts: pa.Array) -> npt.NDArray[np.float64]:
        """Give the numbers of a group, exactly those that ``float`` would give."""
        if self.comma:
            texts = pc.replace_substring(texts, ",", ".")
        column: npt.NDArray[np.float64] = texts.cast(pa.float64()).to_numpy(zero_copy_only=False)
        return column


@dataclass(frozen=True)
class Found:
    """Lines of a block that have one form: their places in the block, and their columns.

    `processes` are names, and the position of each line's own among them.
    """

    dialect: str
    places: npt.NDArray[np.int64]
    processes: tuple[list[bytes], npt.NDArray[np.int32]] | None
    numbers: Columns


@dataclass(frozen=True)
class Matched:
    """What of a block can be told without any other block.

    Attributes
    ----------
    found : list of Found
        Lines that have a form, form by form.
    others : list of int
        Positions of all other lines.
    """

    found: list[Found]
    others: list[int]


class FastReader(LineReader):
    """A reader whose intervals have a line of fixed form each; others are read one by one.

    Attributes
    ----------
    columns : tuple of str
        Every column of an interval.
    forms : tuple of Form
        Forms of an interval's line, the most frequent first.
    matching : callable
        Matches blocks, here or elsewhere, and gives them in their order.
    """

    columns: ClassVar[tuple[str, ...]]
    forms: ClassVar[tuple[Form, ...]]

    def __init__(self) -> None:
        self.matching: Matching = _one_by_one
        self._rows: list[dict[str, Any]] = []
        self._runs: list[tuple[int, int]] = [(0, 0)]
        self._unnamed: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._summed = 0
        self._begun, self._latest = 0, -1

    def settle(self, sink: Sink) -> None:
        """Do what needs all intervals so far: called after each block."""

    def derive(self, columns: Columns, sink: Sink) -> None:
        """Complete the columns of many intervals in place, with what follows from the printed."""

    def interval(
        self, line: int, values: Mapping[str, float], sink: Sink, stream: str = "",
        time: float | None = None, fault: str = "",
    ) -> str | None:  # fmt: skip
        """Hand over one interval that was read from a single line; give None as `line` does."""
        if not stream:
            self.next_run(line, sink)
            self._latest = line
        self._rows.append(sink.made(line, values, stream, time, fault))
        return sink.count_used()

    def command(self, line: int, bare: str, sink: Sink) -> bool:
        """Keep the options of a command line, with which a run begins; say whether it has any."""
        options = options_of(bare)
        if options:
            self.started(line, sink)
            sink.command(options, wrapped=bare.startswith("-"))
        return bool(options)

    def summed_up(self, line: int) -> None:
        """Note that a line gave the totals of a run."""
        self._summed = line

    def next_run(self, line: int, sink: Sink) -> None:
        """Let a new run begin at a line, where totals of the one before were printed."""
        if self._summed:
            self._summed = 0
            self._begun = line
            sink.run += 1
            self._runs.append((line, sink.run))

    def started(self, line: int, sink: Sink) -> None:
        """Let a new run begin where a program starts after totals, or after one that was killed."""
        place = int(np.searchsorted(self._unnamed, line))
        latest = max([self._latest, *self._unnamed[:place][-1:].tolist()])
        if latest >= self._begun:
            self._summed = self._summed or line
        self.next_run(line, sink)

    def catch_up(self, line: float, sink: Sink) -> None:
        """Let a new run begin at the first interval between totals and a line.

        Programs that are told to print little announce no run. An interval with the name of a
        process begins none: others may go on when one has printed its totals.
        """
        if self._summed:
            place = int(np.searchsorted(self._unnamed, self._summed))
            if place < len(self._unnamed) and self._unnamed[place] < line:
                self.next_run(int(self._unnamed[place]), sink)

    def read_blocks(self, found: Iterable[Block], sink: Sink) -> None:
        """Read the intervals of each block together, other lines one by one."""
        for block, matched in self.matching(type(self), found):
            self._rows, self._runs = [], [(0, sink.run)]
            columns = [_columns(one, block.first_line, sink) for one in matched.found]
            unnamed = [one.places for one in matched.found if one.processes is None]
            self._unnamed = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *unnamed]))
            self._unnamed += block.first_line
            self.read_lines(block, matched.others, sink)
            self.catch_up(math.inf, sink)
            self._latest = max([self._latest, *self._unnamed[-1:].tolist()])
            self._hand_over(columns, sink)
            self.settle(sink)

    @classmethod
    def match(cls, block: Block) -> Matched:
        """Find the lines of a block that have a form; this needs to know of no other block."""
        found, places, texts = [], np.arange(len(block)), block.texts()
        # As an optional part of one expression, the process would make RE2 half as fast.
        for prefix, form in itertools.product(("", _PROCESS), cls.forms):
            if not len(places):
                break
            matches, groups = form.match(texts, prefix)
            if not matches.any():
                continue
            processes = None
            if prefix:
                named = groups.pop("process").cast(pa.binary()).dictionary_encode()
                processes = named.dictionary.to_pylist(), named.indices.to_numpy()
            numbers = {name: form.numbers(group) for name, group in groups.items()}
            found.append(Found(form.dialect, places[matches], processes, numbers))
            places, texts = places[~matches], texts.filter(pa.array(~matches))
        return Matched(found, places.tolist())

    def _hand_over(self, found: list[Columns], sink: Sink) -> None:
        """Put the intervals of a block together, in the order of their lines."""
        names = (LINE, STREAM, RUN, FAULT, TIME, *self.columns)
        begins, runs = (np.array(column) for column in zip(*self._runs, strict=True))
        for part in found:
            part[RUN] = runs[np.searchsorted(begins, part[LINE], side="right") - 1]
            part[FAULT] = np.zeros(len(part[LINE]))
        if self._rows:
            found.append(columns_of(self._rows))
        if not found:
            return
        order = np.argsort(np.concatenate([part[LINE] for part in found]), kind="stable")
        columns: Columns = {}
        for name in names:
            parts = [part.get(name, np.full(len(part[LINE]), np.nan)) for part in found]
            kind = np.int64 if name in (LINE, STREAM, RUN, FAULT) else np.float64
            columns[name] = np.concatenate(parts)[order].astype(kind)
        self.derive(columns, sink)
        sink.columns("interval", columns)


Matching = Callable[[type[FastReader], Iterable[Block]], Iterator[tuple[Block, Matched]]]


def _one_by_one(
    reader: type[FastReader], found: Iterable[Block]
) -> Iterator[tuple[Block, Matched]]:
    """Match blocks here."""
    for block in found:
        yield block, reader.match(block)


def _columns(found: Found, first_line: int, sink: Sink) -> Columns:
    """Count lines that were found, and give their columns."""
    sink.count_used(len(found.places))
    if found.dialect:
        sink.dialect(found.dialect)
    if found.processes is None:
        streams = np.array(sink.stream(""))
    else:
        names, own = found.processes
        streams = np.array([sink.stream(decoded(name)) for name in names])[own]
    lines = found.places + first_line
    return {LINE: lines, STREAM: np.broadcast_to(streams, lines.shape), **found.numbers}
