"""Lines of a fixed form, read a block at a time with vector operations.

A template is the form of a line: literal text and numbers in turn. All lines of a block walk
through it together, eight bytes at a time, each with a position of its own; a line that differs
anywhere leaves the walk and is read by slower means. What matches has exactly the value that
``float`` or ``int`` would give its text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from roundtrip.ingest.blocks import Block

_U = np.uint64
_EIGHT = _U(8)
_ZEROS = _U(0x3030303030303030)
_TENS = _U(0x7676767676767676)
_HIGH = _U(0x8080808080808080)
_LOW4 = _U(0x0F0F0F0F0F0F0F0F)
_POWERS = 10 ** np.arange(17, dtype=np.int64)
_EXACT = 1 << 53  # integers below have a float of their own
_BATCH = 1 << 15  # lines that walk together: their arrays stay within the caches

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Number:
    """A number in a template.

    Parameters
    ----------
    name : str
        Column that it fills.
    decimals : int
        Digits that must follow the decimal mark; 0 for a whole number without one.
    mark : {".", ","}
        The decimal mark.
    signed : bool
        Whether a minus sign may precede it.
    """

    name: str
    decimals: int = 0
    mark: Literal[".", ","] = "."
    signed: bool = False


class Words8:
    """Eight bytes from any position of a block, as little-endian 64-bit words."""

    def __init__(self, data: npt.NDArray[np.uint8]) -> None:
        whole = len(data) - len(data) % 8
        self.words = data[:whole].view("<u8")

    def at(self, positions: Ints) -> Words:
        """Load the eight bytes from each position; callers keep positions inside the block."""
        index = positions >> 3
        shift = (positions.astype(np.uint64) & _U(7)) << _U(3)
        low = self.words[index] >> shift
        # A shift by 64 bits is undefined: for aligned positions the second word must not count.
        high = (self.words[index + 1] << _U(1)) << (_U(63) - shift)
        result: Words = low | high
        return result


class Template:
    """The form of a line.

    Parameters
    ----------
    *parts : bytes or Number
        Literal text and numbers, in the order of the line. The first is literal.
    dialect : str
        Dialect of the tool that prints such lines.
    """

    def __init__(self, *parts: bytes | Number, dialect: str = "") -> None:
        self.parts = parts
        self.dialect = dialect
        self.names = [part.name for part in parts if isinstance(part, Number)]

    def after(self, prefix: bytes) -> Template:
        """Give the template with text before it."""
        first, *others = self.parts
        if not isinstance(first, bytes):
            raise TypeError("a template begins with literal text")
        return Template(prefix + first, *others, dialect=self.dialect)

    def match(
        self, block: Block, lines: Ints
    ) -> tuple[Ints, dict[str, npt.NDArray[np.float64] | Ints]]:
        """Read the lines that have this form.

        Parameters
        ----------
        block : Block
        lines : numpy.ndarray
            int64 positions of lines within the block.

        Returns
        -------
        numpy.ndarray
            Positions of the lines that match.
        dict
            A column for each number: int64 for whole numbers, float64 for others.
        """
        words = Words8(block.data)
        found, columns = [], []
        for begin in range(0, len(lines), _BATCH):
            batch = lines[begin : begin + _BATCH]
            good, values = self._walk(words, block.starts[batch], block.ends[batch])
            found.append(batch[good])
            columns.append(values)
        if not found:
            return lines[:0], {name: np.empty(0) for name in self.names}
        return np.concatenate(found), {
            name: np.concatenate([part[name] for part in columns]) for name in self.names
        }

    def _walk(
        self, words: Words8, starts: Ints, ends: Ints
    ) -> tuple[Ints, dict[str, npt.NDArray[np.float64] | Ints]]:
        """Walk one batch through the parts, keeping only the lines that still fit."""
        kept = np.arange(len(starts))
        position, values = starts, dict[str, npt.NDArray[np.float64] | Ints]()
        for part in self.parts:
            if isinstance(part, bytes):
                good = _literal(words, position, ends, part)
                step: Ints = position + len(part)
            else:
                good, step, values[part.name] = _number(words, position, ends, part)
            if not good.all():
                kept, ends, step = kept[good], ends[good], step[good]
                values = {name: column[good] for name, column in values.items()}
            position = step
        at_end = position == ends
        if not at_end.all():
            kept = kept[at_end]
            values = {name: column[at_end] for name, column in values.items()}
        return kept, values


def _literal(words: Words8, position: Ints, ends: Ints, text: bytes) -> Flags:
    good: Flags = position + len(text) <= ends
    for offset in range(0, len(text), 8):
        piece = text[offset : offset + 8]
        mask = _U((1 << (8 * len(piece))) - 1)
        # Lines too short to hold the text look at the block's own bytes: masked out above.
        inside = np.minimum(position + offset, ends)
        good &= (words.at(inside) & mask) == _U(int.from_bytes(piece, "little"))
    return good


def _digits(words: Words8, position: Ints) -> tuple[Ints, Ints]:
    """Read up to eight digits: how many there are, and the value they have."""
    raw = words.at(position) ^ _ZEROS
    other = ((raw + _TENS) | raw) & _HIGH  # the lowest bit set marks the first other byte
    count = np.bitwise_count((other & (~other + _U(1))) - _U(1)).astype(np.int64) >> 3
    value = np.where(count > 0, raw << (_U(64) - (count.astype(np.uint64) << _U(3)) & _U(63)), 0)
    value = ((value & _LOW4) * _U(2561)) >> _EIGHT
    value = ((value & _U(0x00FF00FF00FF00FF)) * _U(6553601)) >> _U(16)
    value = ((value & _U(0x0000FFFF0000FFFF)) * _U(42949672960001)) >> _U(32)
    return count, value.astype(np.int64)


def _number(
    words: Words8, position: Ints, ends: Ints, part: Number
) -> tuple[Flags, Ints, npt.NDArray[np.float64] | Ints]:
    position = np.minimum(position, ends)
    negative: Flags | None = None
    if part.signed:
        minus: Flags = (words.at(position) & _U(255)) == _U(45)
        if minus.any():
            negative = minus
            position = np.minimum(position + minus, ends)
    count, value = _digits(words, position)
    if (count == 8).any():
        more, rest = _digits(words, np.minimum(position + 8, ends))
        more = np.where(count == 8, more, 0)
        value = np.where(more > 0, value * _POWERS[more] + rest, value)
        count = count + more
    good: Flags = (count > 0) & (count < 16)
    position = position + count
    if not part.decimals:
        return good, position, value if negative is None else np.where(negative, -value, value)
    inside = np.minimum(position, ends)
    mark = (words.at(inside) & _U(255)) == _U(ord(part.mark))
    places, fraction = _digits(words, np.minimum(position + 1, ends))
    whole = value * _POWERS[part.decimals] + fraction
    good &= mark & (places == part.decimals) & (count + part.decimals < 17) & (whole < _EXACT)
    # Both are exact as floats, so that the quotient is the float nearest to the printed text.
    result = whole / float(_POWERS[part.decimals])
    if negative is not None:
        result = np.where(negative, -result, result)
    return good, position + 1 + part.decimals, result
