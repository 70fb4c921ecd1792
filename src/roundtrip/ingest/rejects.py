"""The file of lines that were not understood: place, reason, hash, and text if asked for."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from roundtrip.files import disk_errors
from roundtrip.ingest.records import Reject, printable


def heading(texts: bool) -> str:
    """Give the first line of such a file."""
    return "where\treason\tsha256" + ("\ttext" if texts else "")


class RejectsFile:
    """Takes rejected lines one by one; the file appears whole at the end, or not at all.

    Without a path nothing is kept; with `texts` it holds the text of the lines.
    """

    def __init__(self, path: Path | None, texts: bool = False) -> None:
        self.path = path
        self._head = heading(texts)
        self._work: Path | None = None

    def __enter__(self) -> RejectsFile:
        if self.path is not None:
            with disk_errors(self.path):
                self.path.parent.mkdir(parents=True, exist_ok=True)
                handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
                self._stream = os.fdopen(handle, "w", encoding="utf-8")
                self._work = Path(name)
                self._stream.write(f"{self._head}\n")
        return self

    def add(self, name: str, reject: Reject) -> None:
        """Keep a line."""
        if self._work is not None:
            with disk_errors(self._work):
                self._stream.write(f"{printable(name)}:{reject.line}\t{reject.cells}\n")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if self._work is None or self.path is None:
            return
        try:
            if kind is None:
                with disk_errors(self.path):
                    self._stream.close()
                    self._work.chmod(0o644)
                    self._work.replace(self.path)
        finally:
            with suppress(OSError):
                self._stream.close()
            with suppress(OSError):  # once it is in its place, there is none
                self._work.unlink()
