"""The file of lines that were not understood: place, reason, hash, and text if asked for."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from roundtrip.files import disk_errors
from roundtrip.ingest.records import Reject, printable


def heading(texts: bool) -> str:
    """Give the first line of such a file."""
    return "where\treason\tsha256" + ("\ttext" if texts else "")


@contextmanager
def rejects_file(path: Path | None, texts: bool) -> Iterator[Callable[[str, Reject], None]]:
    """Take rejected lines into a file that appears whole at the end, or not at all.

    Without a path nothing is kept; with `texts` it holds the text of the lines.
    """
    if path is None:
        yield lambda name, reject: None
        return
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    work, stream = Path(name), os.fdopen(handle, "w", encoding="utf-8")

    def add(name: str, reject: Reject) -> None:
        with disk_errors(work):
            stream.write(f"{printable(name)}:{reject.line}\t{reject.cells}\n")

    try:
        with disk_errors(path):
            stream.write(f"{heading(texts)}\n")
        yield add
        with disk_errors(path):
            stream.close()
            work.chmod(0o644)
            work.replace(path)
    finally:
        with suppress(OSError):
            stream.close()
        with suppress(OSError):  # once it is in its place, there is none
            work.unlink()
