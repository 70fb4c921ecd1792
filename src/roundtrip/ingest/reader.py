"""What every reader of a tool's output has in common."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO, ClassVar, Literal, TypeVar

from roundtrip.dictionary import FactorValue
from roundtrip.ingest.blocks import Block, blocks
from roundtrip.ingest.printed import peeled
from roundtrip.ingest.records import Fault, Quantity, Sink, decoded
from roundtrip.secrets import MASK, Masking

Cell = TypeVar("Cell")
HEAD_BYTES = 64 << 10
"""How much of a file detection looks at."""


@dataclass(frozen=True)
class Head:
    """The beginning of a file, for detection.

    Attributes
    ----------
    text : str
        Its first bytes, decoded; a last line that may be cut is left out.
    name : str
        File name, for what content cannot tell.
    """

    text: str
    name: str

    @classmethod
    def of(cls, first: bytes, name: str) -> Head:
        """Make it from the first bytes of a file."""
        for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
            if first.startswith(mark):
                return cls(first[2:].decode(encoding, "replace"), name)
        if len(first) >= HEAD_BYTES:  # it may end within a line, and within a letter
            whole, _, rest = first.rpartition(b"\n")
            first = whole or rest.rstrip(bytes(range(128, 256)))
        return cls(decoded(first.removeprefix(b"\xef\xbb\xbf")), name)

    @cached_property
    def lines(self) -> list[str]:
        """Its lines."""
        return self.text.splitlines()

    @cached_property
    def bare(self) -> list[str]:
        """Its lines without the times that a container runtime put before them."""
        return [peeled(line)[1] for line in self.lines]

    def has(self, *patterns: re.Pattern[str]) -> bool:
        """Whether any pattern matches the beginning of any of its bare lines."""
        return any(pattern.match(line) for line in self.bare for pattern in patterns)


class Reader(ABC):
    """Reads the output of one tool; each reads one input.

    Attributes
    ----------
    name : str
        The tool, as given to ``--tool``.
    title : str
        The tool, as shown.
    quantities : dict
        What its columns hold.
    faults : tuple of Fault
        What the tool is known to get wrong.
    summary_note : str
        What is said of points that are no means of intervals.
    implied : dict
        Factors of all that it reads.
    ramps_up : bool
        Whether the first interval is left out where no number of threads is printed: the load
        began in it.
    role : str or None
        What its programs do, where it is always the same.
    drives : {"as named", "by role"} or None
        Of a load driver, to whose points the values of monitors are joined: whether its rates count
        what their quantities name, or what the role of its programs says.
    watches : {"machine", "broker", "events"} or None
        Of a monitor, whose runs are those of the load: a machine's processors or a broker, whose
        values are joined, or a broker's events, whose values are not.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    quantities: ClassVar[dict[str, Quantity]] = {}
    faults: ClassVar[tuple[Fault, ...]] = ()
    summary_note: ClassVar[str] = "summed up by the tool"
    implied: ClassVar[dict[str, FactorValue]] = {}
    ramps_up: ClassVar[bool] = True
    role: ClassVar[str | None] = None
    drives: ClassVar[Literal["as named", "by role"] | None] = None
    watches: ClassVar[Literal["machine", "broker", "events"] | None] = None

    def confidence(self, head: Head) -> float:
        """Say how sure it is, from 0 to 1, that the file is this tool's output.

        A reader that says nothing reads only what is named as its tool's.
        """
        return 0.0

    @abstractmethod
    def read(self, stream: BinaryIO, sink: Sink) -> None:
        """Read a stream to its end, handing every value and every line to the sink."""


class LineReader(Reader):
    """A reader that goes through its input line by line."""

    def read(self, stream: BinaryIO, sink: Sink) -> None:
        """Read each line; what `line` does not take, or what holds no number, is rejected."""
        sink.quantities.update(self.quantities)
        self.read_blocks(blocks(stream), sink)
        self.end(sink)
        sink.flush()

    def read_blocks(self, found: Iterable[Block], sink: Sink) -> None:
        """Read all lines of all blocks."""
        for block in found:
            self.read_lines(block, range(len(block)), sink)

    def read_lines(self, block: Block, indices: Iterable[int], sink: Sink) -> None:
        """Read some lines of a block; overlong ones are rejected."""
        for index in indices:
            number, raw = block.first_line + index, block.line(index)
            if index in block.overlong:
                sink.rejected(number, "longer than one MiB", raw)
                continue
            text = decoded(raw)
            if number != sink.masked + 1:  # intervals lie between, which end what a line began
                sink.masking = Masking()
            sink.masked = number
            text = MASK if sink.masking.hides(text) else text
            try:
                reason = self.line(number, text, sink)
            except ValueError as problem:
                reason = str(problem)
            if reason is not None:
                sink.rejected(number, reason, text)

    @abstractmethod
    def line(self, number: int, text: str, sink: Sink) -> str | None:
        """Read one line, counting it as used or ignored, or say why it cannot be used."""

    def end(self, sink: Sink) -> None:
        """Finish an input."""


def under(headings: Sequence[str], cells: Sequence[Cell]) -> Iterable[tuple[str, Cell]]:
    """Give each heading with the cell under it, or a ValueError where there are more of one."""
    if len(cells) != len(headings):
        raise ValueError(f"{len(cells)} cells under {len(headings)} headings")
    return zip(headings, cells, strict=True)


def share_of(lines: Iterable[str], *patterns: re.Pattern[str]) -> float:
    """Give the share of non-empty lines that any pattern matches at their beginning."""
    counted = [line for line in lines if line.strip()]
    if not counted:
        return 0.0
    hits = sum(1 for line in counted if any(pattern.match(line) for pattern in patterns))
    return hits / len(counted)
