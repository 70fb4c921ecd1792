"""Files that are written whole or not at all, and hashes of what they hold."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from roundtrip.errors import RoundtripError

_UNWRITABLE = {
    errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO, errno.EFBIG,
}  # fmt: skip


@contextmanager
def disk_errors(target: Path) -> Iterator[None]:
    """Turn a failed write (full disk, no permission) into an error a user can act on."""
    try:
        yield
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        raise RoundtripError(
            f"could not write: {error.strerror or error}",
            where=target,
            remedy="free disk space or correct the permissions, then run the command again; "
            "what was there before is untouched",
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


def _restore(target: Path) -> None:
    """Put back, or clear away, what a process left that was killed between two renames."""
    for old in target.parent.glob(f".{target.name}.old-*"):
        if target.exists():
            shutil.rmtree(old)
        else:
            old.replace(target)


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
        _restore(target)
        work = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.new-"))
        work.chmod(0o755)
    try:
        with disk_errors(target):
            yield work
            if not target.exists():
                work.replace(target)
                return
            old = work.with_name(f".{target.name}.old-{work.name[-8:]}")
            target.replace(old)
            try:
                work.replace(target)
            except BaseException:
                old.replace(target)
                raise
            shutil.rmtree(old)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def sha256_of(content: bytes | str) -> str:
    """Hash bytes or text, as hexadecimal SHA-256."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def sha256_of_file(path: Path) -> str:
    """Hash a file's content, as hexadecimal SHA-256."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sha256_of_tree(*roots: Path, pattern: str = "*") -> str:
    """Hash names and contents of the files below some folders, whatever order they are found in.

    Parameters
    ----------
    *roots : Path
        Folders or files.
    pattern : str
        Which files count.

    Returns
    -------
    str
        One hexadecimal SHA-256.
    """
    digest = hashlib.sha256()
    for root in roots:
        files = [root] if root.is_file() else sorted(root.rglob(pattern))
        for path in files:
            if path.is_file() and "__pycache__" not in path.parts:
                name = path.relative_to(root.parent).as_posix()
                digest.update(f"{name}\0{sha256_of_file(path)}\n".encode())
    return digest.hexdigest()
