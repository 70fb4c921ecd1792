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
_MINUS = _U(ord("-"))
_BATCH = 1 << 16  # lines that walk together: their arrays stay within the caches

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
    decimals : {0, 2}
        Digits that must follow the decimal mark; 0 for a whole number without one.
    mark : {".", ","}
        The decimal mark.
    signed : bool
        Whether a minus sign may precede it.
    """

    name: str
    decimals: Literal[0, 2] = 0
    mark: Literal[".", ","] = "."
    signed: bool = False


class Words8:
    """Eight bytes from any position of a block, as little-endian 64-bit words."""

    def __init__(self, data: npt.NDArray[np.uint8]) -> None:
        # The words overlap: each begins one byte after the other.
        self.words = np.ndarray((len(data) - 7,), "<u8", data, 0, (1,))

    def at(self, positions: Ints) -> Words:
        """Load the eight bytes from each position; callers keep positions inside the block."""
        words: Words = self.words[positions]
        return words


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
        if any(set(part) & set(b"\r\n") for part in parts if isinstance(part, bytes)):
            raise ValueError("a template does not reach over the end of a line")
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
        if len(found) == 1:
            return found[0], columns[0]
        return np.concatenate(found), {
            name: np.concatenate([part[name] for part in columns]) for name in self.names
        }

    def _walk(
        self, words: Words8, starts: Ints, ends: Ints
    ) -> tuple[Ints, dict[str, npt.NDArray[np.float64] | Ints]]:
        """Walk one batch through the parts, keeping only the lines that still fit.

        No part matches the end of a line, so that a line that still fits is never left.
        """
        kept = np.arange(len(starts))
        position, values = starts, dict[str, npt.NDArray[np.float64] | Ints]()
        for part in self.parts:
            if isinstance(part, bytes):
                good = _literal(words, position, part)
                step: Ints = position + len(part)
            else:
                good, step, values[part.name] = _number(words, position, part)
            if not good.all():
                kept, ends, step = kept[good], ends[good], step[good]
                values = {name: column[good] for name, column in values.items()}
            position = step
        at_end = position == ends
        if not at_end.all():
            kept = kept[at_end]
            values = {name: column[at_end] for name, column in values.items()}
        return kept, values


def _literal(words: Words8, position: Ints, text: bytes) -> Flags:
    """Whether the text stands at each position; the last eight bytes may overlap those before."""
    if len(text) < 8:
        mask = _U((1 << (8 * len(text))) - 1)
        found: Flags = (words.at(position) & mask) == _U(int.from_bytes(text, "little"))
        return found
    good: Flags | None = None
    offsets = [*range(0, len(text) - 7, 8)]
    if offsets[-1] + 8 < len(text):
        offsets.append(len(text) - 8)
    for offset in offsets:
        wanted = _U(int.from_bytes(text[offset : offset + 8], "little"))
        here = words.at(position + offset if offset else position) == wanted
        good = here if good is None else good & here
    assert good is not None  # noqa: S101 - there is at least one offset
    return good


def _value(raw: Words) -> tuple[npt.NDArray[np.uint8], Ints]:
    """Read up to eight digits of words: how many there are, and the value they have."""
    raw = raw ^ _ZEROS
    other = raw + _TENS
    other |= raw
    other &= _HIGH  # the lowest bit set marks the first other byte
    below = ~other
    below += _U(1)
    other &= below
    other -= _U(1)
    count = np.bitwise_count(other) >> 3
    raw <<= (_U(64) - (count.astype(np.uint64) << _U(3))) & _U(63)
    raw &= _LOW4
    raw *= _U(2561)
    raw >>= _EIGHT
    raw &= _U(0x00FF00FF00FF00FF)
    raw *= _U(6553601)
    raw >>= _U(16)
    raw &= _U(0x0000FFFF0000FFFF)
    raw *= _U(42949672960001)
    raw >>= _U(32)
    return count, raw.view(np.int64)


def _number(
    words: Words8, position: Ints, part: Number
) -> tuple[Flags, Ints, npt.NDArray[np.float64] | Ints]:
    raw = words.at(position)
    negative: Flags | None = None
    if part.signed:
        minus: Flags = (raw & _U(255)) == _MINUS
        if minus.any():
            negative = minus
            position = position + minus
            raw = words.at(position)
    count, value = _value(raw)
    if count.max(initial=0) == 8:
        more, rest = _value(words.at(position + 8))
        more = np.where(count == 8, more, 0)
        value = np.where(more > 0, value * _POWERS[more] + rest, value)
        count = count + more
    good: Flags = (count > 0) & (count < 16)
    position = position + count
    if not part.decimals:
        return good, position, value if negative is None else np.where(negative, -value, value)
    fraction, well = _fraction(words.at(position), part)
    value *= _POWERS[part.decimals]
    value += fraction
    good &= well
    if count.max(initial=0) > 13 - part.decimals:
        good &= (count + part.decimals < 17) & (value < _EXACT)
    # Both are exact as floats, so that the quotient is the float nearest to the printed text.
    result = value / float(_POWERS[part.decimals])
    if negative is not None:
        result = np.where(negative, -result, result)
    return good, position + (1 + part.decimals), result


def _fraction(raw: Words, part: Number) -> tuple[Ints, Flags]:
    """Read the mark and two decimals, and see that no digit follows them."""
    good: Flags = (raw & _U(255)) == _U(ord(part.mark))
    digits = (raw >> _EIGHT) ^ _U(0x303030)
    tens, ones = digits & _U(255), (digits >> _EIGHT) & _U(255)
    good &= (tens < _U(10)) & (ones < _U(10)) & (((digits >> _U(16)) & _U(255)) > _U(9))
    tens *= _U(10)
    tens += ones
    return tens.view(np.int64), good
