"""What one input gave: which tool wrote it, what it says, and where every line went."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from roundtrip.errors import RoundtripError
from roundtrip.files import sha256_of
from roundtrip.ingest.blocks import blocks
from roundtrip.ingest.fast import FastReader, Matching
from roundtrip.ingest.inputs import DAMAGED, Input, reason_of
from roundtrip.ingest.reader import HEAD_BYTES, Head, Reader
from roundtrip.ingest.records import (
    OF_ANY_TOOL,
    Columns,
    Fault,
    Kind,
    Reject,
    Sink,
    printable,
)
from roundtrip.ingest.registry import reader_for
from roundtrip.ingest.tables import Rows
from roundtrip.secrets import masked_bytes, name_without_secrets

_NAMED = 200
KEPT_BYTES = 16 << 20
"""Longest content that is kept beside its results; longer ones are named by their hash."""


class FileResult(Sink):
    """What one input gave.

    Attributes
    ----------
    name : str
        Relative to the path that was given.
    reader : Reader or None
        Its reader, None where no tool was recognised.
    rows : dict
        Its rows, by their kind.
    sha256, length : str, int
        Of its content, decompressed.
    problem : str or None
        Why it could not be read to its end.
    content : bytes or None
        Its content where it is short enough to be kept, its secrets in it until `mask` is called.
    """

    def __init__(
        self, name: str, folder: Path, reject: Callable[[Reject], None], texts: bool = False
    ) -> None:
        super().__init__(self._keep, reject, texts)
        self.name, self._folder = name, folder
        self.reader: Reader | None = None
        self.rows: dict[Kind, Rows] = {}
        self.sha256, self.length = "", 0
        self.problem: str | None = None
        self.content: bytes | None = None

    def _keep(self, kind: Kind, columns: Columns) -> None:
        self.rows.setdefault(kind, Rows(self._folder, kind)).append(columns)

    @property
    def tool(self) -> str:
        """The tool, empty where none was recognised."""
        return self.reader.name if self.reader else ""

    @property
    def title(self) -> str:
        """The tool as shown."""
        return self.reader.title if self.reader else "not recognised"

    @property
    def intervals(self) -> int:
        """How many intervals it holds."""
        return self.rows["interval"].count if "interval" in self.rows else 0

    def mask(self) -> None:
        """Take the secrets out of the content, which then counts as what was read.

        With a hash of the original beside what is kept, anyone could try out passwords.
        """
        masked = masked_bytes(self.content or b"")
        if self.content is not None and masked != self.content:
            self.content, self.length, self.sha256 = masked, len(masked), sha256_of(masked)

    @property
    def explained(self) -> dict[str, Fault]:
        """Every fault that it may show, by its key."""
        own = self.reader.faults if self.reader else ()
        return {fault.key: fault for fault in (*own, *OF_ANY_TOOL)}


class _Hashing(io.RawIOBase):
    """A stream that remembers the hash and the length of what was read.

    It ends where it is damaged, so that whatever its reader raises is a fault of the reader.
    """

    def __init__(self, stream: BinaryIO, damage: list[str]) -> None:
        self._stream, self._damage = stream, damage
        self.digest = hashlib.sha256()
        self._kept = bytearray()
        self.length = 0

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read and remember."""
        try:
            data = self._stream.read(len(buffer))
        except DAMAGED as problem:
            self._damage.append(f"damaged: {reason_of(problem)}")
            return 0
        self.digest.update(data)
        self.length += len(data)
        if self.length <= KEPT_BYTES:
            self._kept += data
        else:
            self._kept.clear()
        buffer[: len(data)] = data
        return len(data)

    @property
    def content(self) -> bytes | None:
        """All that was read, None where it was too much to keep."""
        return bytes(self._kept) if self.length <= KEPT_BYTES else None


def read_input(
    source: Input,
    folder: Path,
    reject: Callable[[Reject], None],
    reader: Reader | None = None,
    texts: bool = False,
    matching: Matching | None = None,
) -> FileResult:
    """Read one input with the reader that it is for.

    Parameters
    ----------
    folder : Path
        For rows that are too many for memory.
    reject : callable
        Takes each line that was not understood.
    reader : Reader, optional
        The one to use; found from the content without it.
    texts : bool
        Whether the text of rejected lines is asked for.
    matching : callable, optional
        Matches the blocks of a file that is not packed, elsewhere than here.

    Raises
    ------
    RoundtripError
        If the reader fails, which no input may bring about.
    """
    # What is kept is refused with hidden characters in it: nobody could read the campaign again.
    result = FileResult(printable(name_without_secrets(source.name)), folder, reject, texts)
    if source.problem:
        result.problem = printable(source.problem)
        return result
    stream = _Hashing(source.stream, source.damage)
    try:
        whole = io.BufferedReader(stream, HEAD_BYTES)
        result.reader = reader = reader or reader_for(Head.of(whole.peek(), source.name))
        if matching is not None and source.unpacked and isinstance(reader, FastReader):
            reader.matching = matching
        if reader is None:
            for block in blocks(whole):  # the first lines are named, the others counted
                for index in range(min(len(block), max(0, _NAMED - result.account.rejected))):
                    line = block.line(index)
                    result.rejected(block.first_line + index, "no tool recognised", line)
                result.account.rejected = block.first_line - 1 + len(block)
        else:
            reader.read(whole, result)
    except RoundtripError:
        raise
    except Exception as fault:
        failed = f"the reader {reader.name} failed" if reader else "looking for its reader failed"
        raise RoundtripError(
            f"{failed}: {type(fault).__name__}: {printable(str(fault))}", where=result.name,
            remedy="leave the file out, or name another reader with --tool; report the traceback "
            "that 'roundtrip --debug …' shows",
        ) from fault  # fmt: skip
    result.flush()
    result.problem = next(map(printable, source.damage), None)
    result.sha256, result.length = stream.digest.hexdigest(), stream.length
    result.content = stream.content
    return result
