"""A byte stream cut into blocks of whole lines, in bounded memory whatever the stream holds."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

BLOCK_BYTES = 1 << 20
"""How much is looked at together: large enough for vector operations, small enough for caches."""

LONGEST_LINE = 1 << 20
"""A line above this length is not read; no tool prints one except as one JSON document."""

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"),
         (codecs.BOM_UTF16_BE, "utf-16-be"))  # fmt: skip


@dataclass(frozen=True)
class Block:
    r"""Some whole lines.

    Attributes
    ----------
    data : numpy.ndarray
        The bytes, uint8; each line with its end.
    starts, ends : numpy.ndarray
        int64 positions of each line's first byte and of the byte after its last; line ends
        (``\n`` or ``\r\n``) are outside.
    first_line : int
        Number of the first line within the stream, from 1.
    overlong : frozenset of int
        Positions (within the block) of lines of which only the beginning is here.
    offset : int or None
        Where the stream has these very bytes; None where they were changed.
    """

    data: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    first_line: int
    overlong: frozenset[int] = frozenset()
    offset: int | None = None

    @classmethod
    def of(cls, data: bytes) -> Block:
        """Make a block of bytes that end with a line end."""
        return _block([data], 1, unfinished=False)

    def __len__(self) -> int:
        return len(self.starts)

    def line(self, index: int) -> bytes:
        """Give one line without its end."""
        return self.data[self.starts[index] : self.ends[index]].tobytes()

    def texts(self) -> pa.Array:
        """Give all lines with their ends, not copied; bytes that are no UTF-8 stay as they are."""
        offsets = np.append(self.starts, len(self.data)).astype(np.int32)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self.data)]
        return pa.Array.from_buffers(pa.string(), len(self), buffers)


def blocks(stream: BinaryIO, size: int = BLOCK_BYTES) -> Iterator[Block]:
    """Cut a stream into blocks of whole lines.

    UTF-16 with a byte order mark is turned into UTF-8, and a mark of UTF-8 is left out: both
    come from redirected output on Windows. Lines above `LONGEST_LINE` are cut and marked.

    Parameters
    ----------
    stream : binary file
        Read once, from where it stands.
    size : int
        Bytes to read at a time.
    """
    rest, first_line, skipping = b"", 1, False
    for chunk, at in _utf8(stream, size):
        data = chunk
        if skipping:
            end = data.find(b"\n")
            if end < 0:
                continue
            data, skipping = data[end + 1 :], False
        cut = data.rfind(b"\n") + 1
        if not cut and len(rest) + len(data) <= LONGEST_LINE:
            rest += data
            continue
        offset = None if at is None else at + len(chunk) - len(data) - len(rest)
        whole, rest = [rest, data[:cut]], data[cut:]
        if not cut or len(rest) > LONGEST_LINE:
            whole = [b"".join([*whole, rest])[: LONGEST_LINE + len(whole[0]) + cut], b"\n"]
            rest, skipping, offset = b"", True, None
        block = _block(whole, first_line, unfinished=skipping, offset=offset)
        first_line += len(block)
        if len(block):
            yield block
    if rest:
        yield _block([rest, b"\n"], first_line, unfinished=False)


def _block(
    parts: list[bytes], first_line: int, *, unfinished: bool, offset: int | None = None
) -> Block:
    """Put parts that end with a line end together, in one copy."""
    data = np.frombuffer(b"".join(parts), dtype=np.uint8)
    ends = np.flatnonzero(data == 10)
    starts = np.concatenate(([0], ends[:-1] + 1))[: len(ends)]
    if any(b"\r" in part for part in parts):
        ends = ends - ((ends > starts) & (data[ends - 1] == 13))
    overlong = set[int]()
    if len(data) > LONGEST_LINE:
        overlong = {int(index) for index in np.flatnonzero(ends - starts > LONGEST_LINE)}
    if unfinished:
        overlong.add(len(ends) - 1)
    return Block(data, starts, ends, first_line, frozenset(overlong), offset)


def _utf8(stream: BinaryIO, size: int) -> Iterator[tuple[bytes, int | None]]:
    """Read a stream, UTF-16 as UTF-8, each piece with its place; None where it was changed."""
    head, at = stream.read(size), 0
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            head, at = head[len(mark) :], len(mark)
            if encoding == "utf-8":
                break
            decoder = codecs.getincrementaldecoder(encoding)("replace")
            while head:
                yield decoder.decode(head).encode("utf-8", "replace"), None
                head = stream.read(size)
            tail = decoder.decode(b"", final=True).encode()
            if tail:
                yield tail, None
            return
    while head:
        yield head, at
        at += len(head)
        head = stream.read(size)
