"""Files that are written whole or not at all, and hashes of what they hold."""

from __future__ import annotations

import errno
import fcntl
import glob
import hashlib
import io
import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import orjson

from roundtrip.errors import DataError, RoundtripError

if TYPE_CHECKING:
    from typing_extensions import Buffer

_UNWRITABLE = {
    errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO, errno.EFBIG,
    errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG,
}  # fmt: skip


@contextmanager
def disk_errors(target: Path) -> Iterator[None]:
    """Turn a failed write into an error that a user can act on: full disk, no permission."""
    try:
        yield
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        raise RoundtripError(
            f"could not write: {error.strerror or error}",
            where=target,
            remedy="free disk space, correct the permissions or move away what stands there, then "
            "run the command again; what was there before is untouched",
        ) from error


def write_atomically(target: Path, content: bytes | str) -> None:
    """Write a file under a temporary name and rename it, so that readers never see half of it.

    Parameters
    ----------
    target : Path
        The file to write; missing folders are made.
    content : bytes or str
        What it shall hold; text is written as UTF-8 with the line ends it has.

    Raises
    ------
    RoundtripError
        If the disk is full or the folder cannot be written.
    """
    with stream_atomically(target) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)


class _Target(io.FileIO):
    """What becomes a file: that it cannot be written is told of the file, by its name."""

    def __init__(self, handle: int, target: Path) -> None:
        super().__init__(handle, "wb")
        self._target = target

    def write(self, data: Buffer, /) -> int:
        """Write what fits."""
        with disk_errors(self._target):
            return super().write(data)


@contextmanager
def stream_atomically(target: Path, mode: int = 0o644) -> Iterator[BinaryIO]:
    """Take a file's bytes one after another, and give it its name when all are there.

    Parameters
    ----------
    target : Path
        The file to write; missing folders are made.
    mode : int
        Who may read it: nobody else before it has its name.

    Yields
    ------
    binary file
        Takes the bytes. On an exception they are removed and ``target`` stays as it was.

    Raises
    ------
    RoundtripError
        If the disk is full or the folder cannot be written.
    """
    with disk_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    work = Path(name)
    try:
        with io.BufferedWriter(_Target(handle, target)) as stream:
            yield stream
        with disk_errors(target):
            work.chmod(mode)
            work.replace(target)
    except BaseException:
        with suppress(OSError):
            work.unlink()
        raise


@contextmanager
def folder_atomically(target: Path) -> Iterator[Path]:
    """Fill a folder beside its place and move it there when all of it is written.

    Parameters
    ----------
    target : Path
        The folder to make or to replace.

    Yields
    ------
    Path
        An empty folder to fill. On an exception it is removed and ``target`` stays as it was.
    """
    with disk_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with _Hold(target.parent):
            _clear_leftovers(target)
            work = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.new-"))
            in_use = _Hold(work)
        work.chmod(0o755)
    try:
        with disk_errors(target), in_use:
            yield work
            if not target.exists():
                work.replace(target)
                return
            head, _, tail = work.name.rpartition(".new-")
            old = work.with_name(f"{head}.old-{tail}")  # while the new one takes over
            target.replace(old)
            try:
                work.replace(target)
            except BaseException:
                old.replace(target)
                raise
            shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)


class _Hold:
    """Hold a file or folder until the end of the context, or of the process however it ends."""

    def __init__(self, path: Path, *, wait: bool = True) -> None:
        self.handle = os.open(path, os.O_RDONLY)
        try:
            fcntl.flock(self.handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BaseException:
            os.close(self.handle)
            raise

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        os.close(self.handle)


_PREFIX = ".roundtrip-tmp-"
"""How the names of temporary folders begin, and of nothing else: what nobody holds is removed."""

_LONGEST_PLACE = 55
"""Bytes of a path in which a browser's socket still finds room: a socket's path has 104 at most."""


@contextmanager
def temporary_files() -> Iterator[Path]:
    """Keep all temporary files of this process, its libraries and its children in one folder.

    Children, which open sockets, get another one where its path is too long for that. It is
    removed at the end. What killed processes left of theirs is removed first: a lock on each
    folder tells the living from the dead, because it ends with its process.
    """
    place = Path(tempfile.gettempdir())
    for left in place.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if left.lstat().st_uid == os.geteuid():
                with _Hold(left, wait=False):
                    shutil.rmtree(left, ignore_errors=True)
    before = tempfile.tempdir, os.environ.get("TMPDIR")
    with ExitStack() as stack:
        folder = stack.enter_context(temporary_folder(place))
        short = place_of_sockets(folder)
        if short != folder:
            short = stack.enter_context(temporary_folder(short))
        try:
            tempfile.tempdir = str(folder)
            os.environ["TMPDIR"] = str(short)
            yield folder
        finally:
            tempfile.tempdir = before[0]
            if before[1] is not None:
                os.environ["TMPDIR"] = before[1]
            else:
                os.environ.pop("TMPDIR", None)


def place_of_sockets(place: Path) -> Path:
    """Give a folder, or another one where its path leaves no room for a socket's."""
    return place if len(os.fsencode(place)) <= _LONGEST_PLACE else Path("/tmp")  # noqa: S108


@contextmanager
def temporary_folder(place: Path) -> Iterator[Path]:
    """Make a temporary folder; should this process be killed, `temporary_files` removes it later.

    Parameters
    ----------
    place : Path
        Where it is made.
    """
    with disk_errors(place):
        folder, hold = _held_folder(place)
    with hold:
        try:
            yield folder
        finally:  # before another process that starts could take it for left behind
            shutil.rmtree(folder, ignore_errors=True)


def _held_folder(place: Path) -> tuple[Path, _Hold]:
    """Make a temporary folder and hold it, unless another process that starts was faster."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        with suppress(FileNotFoundError):
            hold = _Hold(folder)
            if folder.exists():
                return folder, hold
            hold.__exit__()


@contextmanager
def alone_in(folder: Path, *, wait: bool | Callable[[str], None] = True) -> Iterator[None]:
    """Keep other processes out of a folder whose users all ask so; it is made when missing.

    Parameters
    ----------
    wait : bool or callable
        Wait until it is free, which a callable is told, with the process that holds it; refuse at
        once where it is false.

    Raises
    ------
    RoundtripError
        If another process, which is named, holds it and `wait` is false.
    """
    note = folder / ".process"
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            hold = _Hold(folder, wait=wait is True)
        except BlockingIOError as problem:
            number = note.read_text(encoding="ascii") if note.is_file() else ""
            holder = f"process {number}" if number else "another process"
            if not callable(wait):
                raise RoundtripError(
                    f"{holder} is at work here",
                    where=folder,
                    remedy="wait until it has ended, or end it",
                ) from problem
            wait(holder)
            hold = _Hold(folder)
    with hold:
        if wait is not True:
            write_atomically(note, str(os.getpid()))
        yield


def _clear_leftovers(target: Path) -> None:
    """Undo what a killed process left: a folder half filled, the old one moved aside."""
    name = glob.escape(target.name)
    for work in target.parent.glob(f".{name}.new-*"):
        # Another process still fills it, or has just moved it to its place.
        with suppress(BlockingIOError, FileNotFoundError), _Hold(work, wait=False):
            shutil.rmtree(work, ignore_errors=True)
    for old in target.parent.glob(f".{name}.old-*"):
        head, _, tail = old.name.rpartition(".old-")
        if old.with_name(f"{head}.new-{tail}").exists():
            continue  # a living process is about to bring the new one
        if target.exists():
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.replace(target)


def sha256_of(content: bytes | str) -> str:
    """Hash bytes or text, as hexadecimal SHA-256."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def sha256_of_json(content: Any) -> str:
    """Hash what JSON can hold, and dataclasses of it; the order of keys does not count."""
    return sha256_of(orjson.dumps(content, option=orjson.OPT_SORT_KEYS))


def sha256_of_file(path: Path) -> str:
    """Hash a file's content, as hexadecimal SHA-256."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def hashes_below(folder: Path) -> dict[str, str]:
    """Hash every file below a folder, by its path there, sorted."""
    return {
        path.relative_to(folder).as_posix(): sha256_of_file(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


_KEPT_BESIDE = {"__pycache__", ".ipynb_checkpoints"}


def files_below(place: Path) -> list[Path]:
    """List the files below a folder, sorted; a file alone is its own list, nothing an empty one.

    What Python and Jupyter keep beside files, in folders of their own, is not among them.

    Raises
    ------
    DataError
        If a folder cannot be read, or a link leads to a folder or nowhere: what belongs there would
        be missing without a word. Hidden links, such as locks of editors, are passed over.
    """
    if place.is_file():
        return [place]

    def refuse(problem: OSError) -> None:
        raise DataError(
            f"cannot be read: {problem.strerror}", where=problem.filename,
            remedy="correct its permissions, or move it away",
        ) from problem  # fmt: skip

    found = []
    for folder, folders, names in os.walk(place, onerror=refuse) if place.exists() else ():
        folders[:] = [name for name in folders if name not in _KEPT_BESIDE]
        for name in (*folders, *names):
            path = Path(folder, name)
            if path.is_file():
                found.append(path)
            elif path.is_symlink() and not name.startswith("."):
                what = "a folder, which would be passed over" if path.exists() else "nothing"
                raise DataError(
                    f"is a link to {what}", where=path,
                    remedy="put what it stands for in its place, or remove it",
                )  # fmt: skip
    return sorted(found)


def sha256_of_tree(*roots: Path, pattern: str = "*", without: Collection[str] = ()) -> str:
    """Hash names and contents of the files below some folders, whatever order they are found in.

    Parameters
    ----------
    *roots : Path
        Folders or files.
    pattern : str
        Which files count.
    without : collection of str
        Names of files that do not.

    Raises
    ------
    DataError
        As `files_below`.
    """
    digest = hashlib.sha256()
    for root in roots:
        for path in files_below(root):
            if path.name not in without and (path == root or path.match(pattern)):
                name = path.relative_to(root.parent).as_posix()
                digest.update(f"{name}\0{sha256_of_file(path)}\n".encode())
    return digest.hexdigest()
