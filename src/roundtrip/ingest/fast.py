"""Readers of logs that can be very long: most lines by templates, the others one by one."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, BinaryIO, ClassVar

import numpy as np
import numpy.typing as npt

from roundtrip.ingest.blocks import Block, blocks
from roundtrip.ingest.reader import Reader, numbered_of
from roundtrip.ingest.records import (
    LINE,
    NOT_FINITE,
    RUN,
    STREAM,
    TIME,
    TRAP,
    Columns,
    Sink,
)
from roundtrip.ingest.templates import Template

_MOST_PREFIXES = 64


class FastReader(Reader):
    """A reader whose intervals have a line of fixed form each.

    Attributes
    ----------
    columns : tuple of str
        Every column of an interval.
    templates : tuple of Template
        Forms of an interval's line, the most frequent first. Each may follow a prefix, such as
        the identifier of a process, that `learn` has seen.
    """

    columns: ClassVar[tuple[str, ...]]
    templates: ClassVar[tuple[Template, ...]]

    def __init__(self, *, inside_another: bool = False) -> None:
        self.inside_another = inside_another
        self._forms: list[tuple[Template, str]] = []
        self._known: set[bytes] = set()
        self._rows: list[dict[str, Any]] = []
        self._fast: list[Columns] = []
        self._runs: list[tuple[int, int]] = []
        self._summed = False

    @abstractmethod
    def line(self, number: int, text: str, sink: Sink) -> str | None:
        """Read a line of no known form, counting it, or say why it cannot be used."""

    def begin(self, sink: Sink) -> None:
        """Prepare for a new input."""

    def end(self, sink: Sink) -> None:
        """Finish an input."""

    def settle(self, sink: Sink) -> None:
        """Do what needs all intervals so far: called after each block, and at the end."""

    def derive(self, columns: Columns, sink: Sink) -> None:
        """Complete the columns of many intervals in place, with what follows from the printed."""

    def learn(self, prefix: str, stream: str) -> None:
        """Note text that precedes the intervals of a process, to read them fast from now on."""
        raw = prefix.encode()
        if raw not in self._known and len(self._known) < _MOST_PREFIXES:
            self._known.add(raw)
            self._forms += [(template.after(raw), stream) for template in self.templates]

    def interval(
        self, line: int, values: Mapping[str, float], sink: Sink, stream: str = "",
        time: float | None = None, trap: str = "",
    ) -> None:  # fmt: skip
        """Hand over one interval that was read from a single line."""
        sink.used()
        if self.inside_another:
            sink.row("interval", line, values, stream=stream, time=time, trap=trap)
            return
        if any(math.isinf(value) for value in values.values()):
            values = {name: value for name, value in values.items() if not math.isinf(value)}
            trap = trap or NOT_FINITE.key
        if trap:
            sink.traps[trap] += 1
        self._rows.append(
            {LINE: line, STREAM: sink.stream(stream), RUN: sink.run, TRAP: sink.trap(trap),
             TIME: np.nan if time is None else time, **values}
        )  # fmt: skip

    def starting(self, line: int, requesters: str, sink: Sink) -> None:
        """Begin the next run where a script says that it starts one."""
        sink.used()
        sink.setting("requesters of the first run", requesters)
        if self._summed:
            self._summed = False
            self.next_run(line, sink)

    def next_run(self, line: int, sink: Sink) -> None:
        """Let a new run begin at a line."""
        sink.run += 1
        self._runs.append((line, sink.run))

    def read(self, stream: BinaryIO, sink: Sink) -> None:
        """Read a stream to its end, a block at a time."""
        sink.quantities.update(self.quantities)
        self._forms, self._known = [], set()
        self.learn("", "")
        self.begin(sink)
        for block in blocks(stream):
            self._block(block, sink)
        self.end(sink)
        sink.flush()

    def _block(self, block: Block, sink: Sink) -> None:
        first_run = sink.run
        self._rows, self._fast, self._runs = [], [], []
        todo = np.arange(len(block))
        if block.overlong:
            for number, _ in numbered_of(block, sorted(block.overlong), sink):
                raise AssertionError(number)  # they are all rejected, none is given
            todo = np.setdiff1d(todo, np.fromiter(block.overlong, dtype=np.int64))
        todo = self._match(block, todo, self._forms, sink)
        while len(todo):
            todo = self._one_by_one(block, todo, sink)
        self._hand_over(block, first_run, sink)
        self.settle(sink)

    def _match(
        self, block: Block, todo: npt.NDArray[np.int64], forms: list[tuple[Template, str]],
        sink: Sink,
    ) -> npt.NDArray[np.int64]:  # fmt: skip
        """Read what has one of the forms, and give the lines that are left."""
        for template, stream in forms:
            if not len(todo):
                break
            lines, columns = template.match(block, todo)
            if not len(lines):
                continue
            sink.used(len(lines))
            if template.dialect:
                sink.dialect(template.dialect)
            if len(lines) == len(todo):
                todo = todo[:0]
            else:
                left = np.ones(len(block), dtype=bool)
                left[lines] = False
                todo = todo[left[todo]]
            self._fast.append(
                {LINE: lines + block.first_line,
                 STREAM: constant(sink.stream(stream), len(lines)), **columns}
            )  # fmt: skip
        return todo

    def _one_by_one(
        self, block: Block, todo: npt.NDArray[np.int64], sink: Sink
    ) -> npt.NDArray[np.int64]:
        """Read lines one by one until a new prefix is learnt; give the lines that are left."""
        known = len(self._forms)
        for done, (number, text) in enumerate(numbered_of(block, todo.tolist(), sink), start=1):
            try:
                reason = self.line(number, text, sink)
            except ValueError as problem:
                reason = str(problem)
            if reason is not None:
                sink.rejected(number, reason, text)
            if len(self._forms) > known:
                return self._match(block, todo[done:], self._forms[known:], sink)
        return todo[:0]

    def _hand_over(self, block: Block, first_run: int, sink: Sink) -> None:
        """Put the intervals of a block together, in the order of their lines."""
        names = (LINE, STREAM, RUN, TIME, TRAP, *self.columns)
        parts = list(self._fast)
        if self._rows:
            parts.append(
                {name: np.array([row.get(name, np.nan) for row in self._rows]) for name in names}
            )
        if not parts:
            return
        for part in parts:
            length = len(part[LINE])
            if RUN not in part:
                part[RUN] = self._run_of(part[LINE], first_run)
                part[TRAP] = constant(0, length)
            for name in names:
                if name not in part:
                    part[name] = constant(np.nan, length)
        columns = {name: parts[0][name] for name in names}
        if len(parts) > 1:
            columns = {name: np.concatenate([part[name] for part in parts]) for name in names}
            order = np.argsort(columns[LINE], kind="stable")
            columns = {name: column[order] for name, column in columns.items()}
        for name in names:
            kind = np.int64 if name in (LINE, STREAM, RUN, TRAP) else np.float64
            if columns[name].dtype != kind:
                columns[name] = columns[name].astype(kind)
        self.derive(columns, sink)
        sink.columns("interval", columns)

    def _run_of(self, lines: npt.NDArray[np.int64], first: int) -> npt.NDArray[np.int64]:
        if not self._runs:
            return constant(first, len(lines))
        begins = np.array([line for line, _ in self._runs])
        runs = np.array([first, *(run for _, run in self._runs)])
        result: npt.NDArray[np.int64] = runs[np.searchsorted(begins, lines, side="right")]
        return result


def constant(value: float, length: int) -> npt.NDArray[Any]:
    """Give a column of one value, which takes no memory however long it is."""
    return np.broadcast_to(np.array(value), (length,))


def is_constant(column: npt.NDArray[Any]) -> bool:
    """Whether a column was made by `constant`."""
    return column.strides == (0,)
