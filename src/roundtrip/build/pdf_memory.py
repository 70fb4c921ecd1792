"""What the last PDF was typeset from, so that the next need not be laid out from nothing.

Typst lays out again only what changed since its process has last laid it out. A new process
remembers nothing. So it lays out the last PDF once more, which takes a processor that would
otherwise wait, while the chapters of the next are made ready.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread, get_native_id

import typst

from roundtrip.build.pdf_placement import Place
from roundtrip.build.pdf_settling import fonts_of
from roundtrip.files import folder_atomically

MAIN = "book.typ"
"""The Typst file that holds the book together."""

PLACES = "places.json"
"""Where the anchors stood that tables and figures link to."""

LISTS = "lists.json"
"""How many pages the lists of chapters, tables and figures filled."""

YIELDING = 10
"""Chapters go before the last PDF, kernels too. Typst's own threads inherit this."""

_remembered: set[Path] = set()
"""What this process has laid out."""


class LastPdf:
    """The sources of the last PDF.

    Parameters
    ----------
    folder : Path
        Where they are kept, and where those of the next will be.
    fonts : Path
        Folder of the fonts.
    """

    def __init__(self, folder: Path, fonts: Path) -> None:
        self._folder = folder
        self._fonts = fonts
        self._recalling: Thread | None = None

    def recall(self) -> None:
        """Begin to lay out the last PDF, unless there is none or this process has done it."""
        if self._folder not in _remembered and (self._folder / MAIN).is_file():
            self._recalling = Thread(target=self._lay_out, name="last-pdf", daemon=True)
            self._recalling.start()

    def _lay_out(self) -> None:
        if sys.platform == "linux":  # where a thread has a priority of its own
            os.setpriority(os.PRIO_PROCESS, get_native_id(), YIELDING)
        with suppress(RuntimeError, OSError):  # nobody asked for this PDF; the next will tell
            compiler_of(self._folder, fonts_of(self._fonts)).query("<places>", field="value")

    def wait(self) -> None:
        """Wait until the last PDF is laid out, if that has begun."""
        if self._recalling is not None:
            self._recalling.join()

    def places(self) -> dict[str, Place]:
        """Give where the anchors stood; nothing is known without a last PDF."""
        with suppress(OSError, ValueError):
            return dict(json.loads((self._folder / PLACES).read_text("utf-8")))
        return {}

    def list_pages(self) -> int:
        """Give how many pages the lists filled; nothing is known without a last PDF."""
        with suppress(OSError, ValueError, TypeError, OverflowError):
            return int(json.loads((self._folder / LISTS).read_text("utf-8")))
        return 0

    @contextmanager
    def replaced(self) -> Iterator[Path]:
        """Give an empty folder for the sources of the next PDF, and keep it if all goes well."""
        with folder_atomically(self._folder) as folder:
            yield folder
        _remembered.add(self._folder)


def compiler_of(folder: Path, fonts: typst.Fonts) -> typst.Compiler:
    """Give a compiler of the book in a folder. It does not notice when a file changes."""
    return typst.Compiler(str(folder / MAIN), root=str(folder), font_paths=fonts)
