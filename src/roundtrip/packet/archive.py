"""Archives with the same bytes for the same files, and opening those of others safely."""

from __future__ import annotations

import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import SEEK_END, BytesIO
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from roundtrip.errors import DataError
from roundtrip.files import disk_errors, temporary_files
from roundtrip.packet.contents import ABOUT, REPORT
from roundtrip.publish.manifest import EDITION_MANIFEST

MOST_FILES = 200_000
MOST_BYTES = 20 * 2**30
"""An archive that opens to more files or bytes is a bomb: it could fill a disk."""
_STORED = {".gz", ".pdf", ".png", ".woff2", ".zip", ".zst"}
_UNREADABLE = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)
_PART = 2**20
_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = (stat.S_IFREG | 0o644) << 16


def write_zip(stream: BinaryIO, top: str, files: Mapping[str, Path | bytes]) -> None:
    """Pack files below one folder `top`, so that the same files give the same bytes.

    They are sorted, with one date and mode, and held in memory a part at a time.

    Parameters
    ----------
    stream : binary file
        Takes the archive; it can be sought in, as parts of it are known late.

    Raises
    ------
    DataError
        If `open_packet` would refuse the archive.
    """
    with zipfile.ZipFile(stream, "w") as archive:
        for name in sorted(files):
            content = files[name]
            entry = zipfile.ZipInfo(f"{top}/{name}", _TIME)
            packed = PurePosixPath(name).suffix not in _STORED
            entry.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
            entry._compresslevel = 9 if packed else None  # type: ignore[attr-defined]
            entry.external_attr = _MODE
            entry.create_system = 3
            with BytesIO(content) if isinstance(content, bytes) else content.open("rb") as data:
                entry.file_size = data.seek(0, SEEK_END)  # above 2 GiB its head has more fields
                data.seek(0)
                with archive.open(entry, "w") as target:
                    shutil.copyfileobj(data, target, _PART)
        _refuse(archive, top, remedy="rename or remove that file, then build and pack again")


@contextmanager
def opened(source: Path) -> Iterator[Path]:
    """Open a packet in a temporary folder, where it may be read and built without leaving a trace.

    Raises
    ------
    DataError
        As `open_packet` does.
    """
    with temporary_files(), tempfile.TemporaryDirectory() as name:
        yield open_packet(source, Path(name))


def open_packet(source: Path, target: Path) -> Path:
    """Copy a packet from its archive or its folder to an empty folder, and give its place there.

    Nothing is written outside it, and nothing is executed. Refused is what is neither a packet nor
    a built report, or has paths that leave its folder, links, the same name twice, or more in it
    than any report has.
    """
    if source.is_dir():
        if not any(
            (source / name).is_file()
            for name in (ABOUT, f"{REPORT}/{EDITION_MANIFEST}", EDITION_MANIFEST)
        ):
            raise not_an_edition(source)  # before it is copied, however large it is
        for path in source.rglob("*"):
            if path.is_symlink():
                raise DataError("holds a link, which may lead anywhere", where=path)
            if not path.is_file() and not path.is_dir():
                raise DataError("is neither a file nor a folder", where=path)
        with disk_errors(target):
            shutil.copytree(source, target / "packet")
        return target / "packet"
    if not source.is_file():
        raise DataError(
            "there is no such archive or folder", where=source,
            remedy="name a file that 'roundtrip pack' wrote, or the folder it was opened to",
        )  # fmt: skip
    try:
        with zipfile.ZipFile(source) as archive:
            _refuse(archive, str(source))
            with disk_errors(target):
                archive.extractall(target)
    except (*_UNREADABLE, OSError) as problem:
        raise DataError(
            f"the archive cannot be read: {problem}", where=source,
            remedy="if it was copied or downloaded, it may be incomplete: get it again",
        ) from problem  # fmt: skip
    tops = list(target.iterdir())
    if len(tops) != 1 or not tops[0].is_dir():
        raise DataError("is no packet: it does not hold one folder", where=source)
    return tops[0]


def not_an_edition(place: Path | str) -> DataError:
    """Give the error for what is neither a packet nor a report."""
    return DataError(
        "is neither a packet nor a built report", where=place,
        allowed="a file that 'roundtrip pack' wrote, or a folder reports/<version>",
    )  # fmt: skip


def _refuse(archive: zipfile.ZipFile, source: str, remedy: str | None = None) -> None:
    """Refuse what could write elsewhere or fill the disk, before anything is written."""
    entries = archive.infolist()
    if len(entries) > MOST_FILES or sum(entry.file_size for entry in entries) > MOST_BYTES:
        raise DataError("opens to more than any report holds", where=source)
    files = {PurePosixPath(one.filename.casefold()) for one in entries if one.filename[-1:] != "/"}
    seen: set[PurePosixPath] = set()
    for entry in entries:
        where = f"{source}: {entry.filename!r}"
        path = PurePosixPath(entry.filename)
        if (
            not path.parts
            or path.is_absolute()
            or ".." in path.parts
            or "\\" in entry.filename
            or ":" in path.parts[0]
        ):
            raise DataError(
                "a path leaves the folder of the archive, on this or another system", where=where,
                allowed="paths below it, without '..', a backslash or a drive", remedy=remedy,
            )  # fmt: skip
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise DataError("holds a link, which may lead anywhere", where=where)
        name = PurePosixPath(entry.filename.casefold())  # without '.' and a second '/' in it
        if name in seen or files & set(name.parents):
            raise DataError(
                "holds the same name twice", where=where, remedy=remedy,
                allowed="names that differ in more than capitals, which some systems do not tell "
                "apart",
            )  # fmt: skip
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise DataError("is packed in a way that packets are not", where=where)
        if entry.flag_bits & 1:
            raise DataError("is encrypted", where=where)
        seen.add(name)
