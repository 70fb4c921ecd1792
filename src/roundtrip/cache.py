"""The one way into ``.cache``: what can be made again, kept under a hash of what it was made from.

Every file begins with the hash of its name and its content. A file that was changed, cut short or
put in the place of another one counts as missing, so that it is made anew instead of published.
Where the folder cannot be written, as on a read-only disk, everything is made anew each time.
"""

from __future__ import annotations

import errno
import hashlib
import mmap
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from roundtrip.errors import RoundtripError
from roundtrip.files import alone_in, sha256_of, write_atomically

Kept = Callable[[str, Any, Callable[[], str]], str]
"""Gives a text of some kind that some content decides, one at hand or one that is made now. It may
be called from several threads."""
_CLOSED = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST}
_DIGITS = 64
_AT_A_TIME = 1 << 20


def made_now(_kind: str, _content: Any, make: Callable[[], str]) -> str:
    """Make a text that is kept nowhere; a `Kept`."""
    return make()


class Cache:
    """What a project keeps.

    Parameters
    ----------
    folder : Path
        The project's ``.cache``.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, kind: str, key: str) -> bytes | None:
        """Give what is kept.

        Parameters
        ----------
        kind : str
            What sort of thing it is: a folder of the cache.
        key : str
            Names everything that it was made from.

        Returns
        -------
        bytes or None
            None where nothing is kept, or not what was put there.
        """
        with suppress(OSError):
            stored = (self._folder / kind / key).read_bytes()
            content = stored[_DIGITS:]
            if stored[:_DIGITS] == _digest(kind, key, content):
                return content
        return None

    def holds(self, kind: str, key: str) -> bool:
        """Whether something is kept, be it what was put there or not."""
        return (self._folder / kind / key).is_file()

    def mapped(self, kind: str, key: str) -> memoryview | None:
        """Give what is kept, as `get` does, without holding it: the system reads what is used."""
        with suppress(OSError, ValueError), (self._folder / kind / key).open("rb") as file:
            head, found = file.read(_DIGITS), hashlib.sha256(f"{kind}/{key}\n".encode())
            while part := file.read(_AT_A_TIME):
                found.update(part)
            if head == found.hexdigest().encode():
                return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))[_DIGITS:]
        return None

    def put(self, kind: str, key: str, content: bytes) -> None:
        """Keep something where the folder can be written; see `get`.

        Raises
        ------
        RoundtripError
            If the disk is full.
        """
        with _if_open():
            write_atomically(self._folder / kind / key, _digest(kind, key, content) + content)

    def text(self, kind: str, key: str, make: Callable[[], str]) -> str:
        """Give text that is kept; make and keep it where it is not."""
        content = self.get(kind, key)
        if content is None:
            content = make().encode()
            self.put(kind, key, content)
        return content.decode()

    def text_once(self, kind: str, key: str, make: Callable[[], str]) -> str:
        """Give text as `text` does; of processes that ask at the same time, one makes it."""
        content = self.get(kind, key)
        if content is not None:
            return content.decode()
        with ExitStack() as stack:
            with _if_open():
                stack.enter_context(alone_in(self._folder / kind))
            return self.text(kind, key, make)


@contextmanager
def _if_open() -> Iterator[None]:
    """Go on where the folder cannot be written; a full disk is still an error."""
    try:
        yield
    except RoundtripError as problem:
        if getattr(problem.__cause__, "errno", None) not in _CLOSED:
            raise


def _digest(kind: str, key: str, content: bytes) -> bytes:
    return sha256_of(f"{kind}/{key}\n".encode() + content).encode()
