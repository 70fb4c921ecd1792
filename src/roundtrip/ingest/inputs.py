"""Everything below some paths: files, what is compressed, and members of archives.

Nothing is unpacked to disk: members are streamed, so that no name inside an archive is ever used
as a path. What a file on disk opens to is bounded, by its own size and however archives nest in
it: in bytes, members and depth. What an archive claims of its members is not believed.
"""

from __future__ import annotations

import gzip
import io
import lzma
import re
import tarfile
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

import pyarrow as pa

from roundtrip.errors import DataError

DEEPEST = 4
MOST_MEMBERS = 100_000
FREE_BYTES = 256 << 20
LARGEST_RATIO = 250
_INSIDE = 4
"""How many times as long as itself what lies in an archive may have been, to that bound."""
_SKIPPED = {".git", "__pycache__", "node_modules", ".cache"}
DAMAGED = (
    EOFError, OSError, zlib.error, lzma.LZMAError, tarfile.TarError,
    zipfile.BadZipFile, RuntimeError, NotImplementedError, ValueError,
)  # fmt: skip


@dataclass(frozen=True)
class Input:
    """One thing to read.

    Attributes
    ----------
    name : str
        Path as given, then ``!`` and the member for what is inside an archive.
    stream : binary file
        Its content, decompressed; to be read before the next input is asked for.
    problem : str or None
        Why it could not be opened, None where it could.
    damage : list of str
        Why it ended before its end; known when it has been read.
    unpacked : bool
        Whether the file on disk holds these bytes as they are.
    """

    name: str
    stream: BinaryIO
    problem: str | None = None
    damage: list[str] = field(default_factory=list)
    unpacked: bool = False


@dataclass
class _Opened:
    """What was opened of a file on disk, in all archives within it together.

    Attributes
    ----------
    packed : int
        Bytes of the file.
    members : int
        Members of archives that were met.
    sizes : Counter
        Bytes that were decompressed at each depth.
    """

    packed: int
    members: int = 0
    sizes: Counter[int] = field(default_factory=Counter)

    def most(self, depth: int) -> int:
        """Give how many bytes may be decompressed at a depth: what is packed twice grows twice."""
        return max(FREE_BYTES, self.packed * LARGEST_RATIO * int(_INSIDE**depth))


class _Bounded(io.RawIOBase):
    """A decompressed stream that ends, with a word on why, where it is damaged or grows too far.

    What was decompressed before is given all the same: the lines of a log that was cut are worth
    having.
    """

    def __init__(
        self, source: Any, so_far: _Opened, depth: int, damage: list[str],
        of_archive: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self._source, self._so_far, self._depth, self._damage = source, so_far, depth, damage
        self._of_archive = of_archive  # it says better why a member is cut

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer with the next bytes."""
        if self._damage:
            return 0
        try:
            # In small parts, as the one that meets damage is lost.
            data = self._source.read1(min(len(buffer), 1 << 14))
        except DAMAGED as problem:
            self._damage.append(next(iter(self._of_archive), f"damaged: {reason_of(problem)}"))
            return 0
        self._so_far.sizes[self._depth] += len(data)
        if self._so_far.sizes[self._depth] > self._so_far.most(self._depth):
            self._damage.append(
                f"expands to more than {LARGEST_RATIO} times its size: decompress it yourself if "
                "it is what you expect"
            )
            return 0
        buffer[: len(data)] = data
        return len(data)


_IN_ARCHIVE = re.compile(r"(.*?\.(?:zip|tar|jar))!", re.IGNORECASE | re.DOTALL)
"""How the name of an input begins that lies in an archive; folders may have the mark too."""


def folder_of(name: str) -> str:
    """Give the folder of an input, by its name; what is in an archive lies where that one does."""
    inside = _IN_ARCHIVE.match(name)
    return str(PurePosixPath(inside[1] if inside else name).parent)


def files_below(paths: list[Path]) -> Iterator[tuple[Path, str]]:
    """Give every regular file below some paths, with the name to show, in a fixed order.

    Symbolic links inside folders are not followed: they could lead anywhere.

    Raises
    ------
    DataError
        If a path does not exist, or there is no file below it.
    """
    for path in paths:
        if not path.exists():
            raise DataError(
                "there is no such file or folder", where=path, remedy="name where the logs are"
            )
        if path.is_file():
            yield path, path.name
            continue
        empty = True
        for found in sorted(path.rglob("*")):
            inside = found.relative_to(path)
            if found.is_symlink() or not found.is_file() or _SKIPPED & set(inside.parts):
                continue
            yield found, inside.as_posix()
            empty = False
        if empty:
            raise DataError(
                "holds no file to read", where=path, remedy="name the folder where the logs are",
                allowed="files, or folders of files; links inside a folder are not followed",
            )  # fmt: skip


def inputs_of(path: Path, name: str) -> Iterator[Input]:
    """Open a file and everything inside it."""
    try:
        so_far = _Opened(path.stat().st_size)
        with path.open("rb") as stream:
            yield from _opened(name, stream, so_far, 0, [])
    except DAMAGED as problem:
        yield Input(name, io.BytesIO(), f"damaged or unreadable: {reason_of(problem)}")


def reason_of(problem: Exception) -> str:
    """Say what an error tells: its words, or its kind where it has none."""
    return getattr(problem, "strerror", None) or str(problem) or type(problem).__name__


def _opened(
    name: str, stream: io.BufferedReader, so_far: _Opened, depth: int, damage: list[str]
) -> Iterator[Input]:
    head = stream.peek(1024)
    if depth > DEEPEST:
        yield Input(name, io.BytesIO(), f"archives nested more than {DEEPEST} deep")
        return
    if head.startswith(b"\x1f\x8b"):
        plain = _bounded(gzip.GzipFile(fileobj=stream), so_far, depth, damage)
        yield from _opened(_without(name, ".gz"), plain, so_far, depth + 1, damage)
    elif head.startswith(b"\x28\xb5\x2f\xfd"):
        # Unlike zstandard's, Arrow's reader tells a frame that was cut from one that ends.
        reader = pa.CompressedInputStream(pa.PythonFile(stream, mode="r"), "zstd")
        plain = _bounded(reader, so_far, depth, damage)
        yield from _opened(_without(name, ".zst"), plain, so_far, depth + 1, damage)
    elif head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        yield from _zip_members(name, stream, so_far, depth)
    elif head[257:262] == b"ustar":
        yield from _tar_members(name, stream, so_far, depth, damage)
    else:
        yield Input(name, stream, None, damage, unpacked=depth == 0)


def _bounded(
    source: Any, so_far: _Opened, depth: int, damage: list[str], of_archive: Sequence[str] = ()
) -> io.BufferedReader:
    return io.BufferedReader(_Bounded(source, so_far, depth, damage, of_archive), 1 << 18)


def _without(name: str, ending: str) -> str:
    if name.endswith(".tgz"):
        return name[:-4] + ".tar"
    return name.removesuffix(ending)


def _tar_members(
    name: str, stream: BinaryIO, so_far: _Opened, depth: int, damage: list[str]
) -> Iterator[Input]:
    largest = so_far.most(depth)
    own: list[str] = []
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                inside, own = f"{name}!{member.name}", []
                so_far.members += 1
                if so_far.members > MOST_MEMBERS:
                    yield Input(name, io.BytesIO(), f"more than {MOST_MEMBERS} members")
                    return
                if member.issparse():  # its zeros would be made up here
                    yield Input(inside, io.BytesIO(), "a sparse file: unpack the archive yourself")
                elif member.isreg():
                    content = archive.extractfile(member)
                    plain = _bounded(content, _Opened(member.size), depth, own, damage)
                    yield from _opened(inside, plain, so_far, depth + 1, own)
                if archive.offset > largest:  # where the next member would be sought, for hours
                    raise tarfile.ReadError("a member claims to be larger than the archive")
    except (tarfile.TarError, IndexError) as problem:
        yield Input(name, io.BytesIO(), f"damaged archive: {problem}")
    else:  # a stream that ends between two members ends the archive, too
        if damage and damage[0] not in own:
            yield Input(name, io.BytesIO(), damage[0])


def _zip_members(name: str, stream: BinaryIO, so_far: _Opened, depth: int) -> Iterator[Input]:
    with tempfile.SpooledTemporaryFile(max_size=32 << 20) as whole:
        while data := stream.read(1 << 20):
            whole.write(data)
        whole.seek(0)
        try:
            with zipfile.ZipFile(whole) as archive:
                members = [one for one in archive.infolist() if one.filename[-1:] != "/"]
                so_far.members += len(members)
                if so_far.members > MOST_MEMBERS:
                    yield Input(name, io.BytesIO(), f"more than {MOST_MEMBERS} members")
                    return
                for member in members:
                    inside = f"{name}!{member.filename}"
                    if member.flag_bits & 1:
                        yield Input(inside, io.BytesIO(), "the archive is encrypted")
                        continue
                    with archive.open(member) as content:
                        own: list[str] = []
                        plain = _bounded(content, so_far, depth, own)
                        yield from _opened(inside, plain, so_far, depth + 1, own)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as problem:
            yield Input(name, io.BytesIO(), f"damaged archive: {problem}")
