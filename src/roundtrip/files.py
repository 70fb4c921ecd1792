"""Files that are written whole or not at all, and hashes of what they hold."""

from __future__ import annotations

import errno
import fcntl
import glob
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import orjson

from roundtrip.errors import RoundtripError

_UNWRITABLE = {
    errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO, errno.EFBIG,
    errno.EEXIST, errno.ENOTDIR, errno.EISDIR,
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
    data = content.encode() if isinstance(content, str) else content
    with disk_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            Path(name).chmod(0o644)
            Path(name).replace(target)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise


def kept_text(path: Path, make: Callable[[], str]) -> str:
    """Give what a file holds; make and write it where there is no such file.

    Parameters
    ----------
    path : Path
        Named after everything that the text depends on.
    make : callable
        Makes the text.

    Returns
    -------
    str

    Raises
    ------
    RoundtripError
        If the disk is full or the folder cannot be written.
    """
    if path.is_file():
        return path.read_text(encoding="utf-8")
    text = make()
    write_atomically(path, text)
    return text


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
            old = _aside(work)
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
    """Hold a folder until the end of the context, or of the process however it ends."""

    def __init__(self, folder: Path, *, wait: bool = True) -> None:
        self.handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(self.handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BaseException:
            os.close(self.handle)
            raise

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        os.close(self.handle)


@contextmanager
def alone_in(folder: Path, *, wait: bool = True) -> Iterator[None]:
    """Keep other processes out of a folder whose users all ask so; it is made when missing.

    Parameters
    ----------
    folder : Path
    wait : bool
        Wait until it is free; otherwise refuse at once.

    Raises
    ------
    RoundtripError
        If another process holds it and `wait` is false.
    """
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            hold = _Hold(folder, wait=wait)
        except BlockingIOError as problem:
            raise RoundtripError(
                "another process is at work here", where=folder, remedy="wait until it has ended"
            ) from problem
    with hold:
        yield


def _aside(work: Path) -> Path:
    """Give the place of the old folder while the new one takes over."""
    head, _, tail = work.name.rpartition(".new-")
    return work.with_name(f"{head}.old-{tail}")


def _clear_leftovers(target: Path) -> None:
    """Undo what a killed process left: a folder half filled, the old one moved aside."""
    name = glob.escape(target.name)
    for work in target.parent.glob(f".{name}.new-*"):
        with suppress(BlockingIOError), _Hold(work, wait=False):
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

    Returns
    -------
    str
        One hexadecimal SHA-256.
    """
    digest = hashlib.sha256()
    for root in roots:
        files = [root] if root.is_file() else sorted(root.rglob(pattern))
        for path in files:
            if path.name in without or "__pycache__" in path.parts:
                continue
            if path.is_file():
                name = path.relative_to(root.parent).as_posix()
                digest.update(f"{name}\0{sha256_of_file(path)}\n".encode())
    return digest.hexdigest()
