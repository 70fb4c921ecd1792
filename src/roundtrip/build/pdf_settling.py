"""Chapters settled in processes of their own: ``python -m roundtrip.build.pdf_settling``.

Each process reads one request as a line of JSON, answers with another, and ends with its input.
Threads of one process would share, and lock, what Typst remembers of all that it has laid out; and
the memory for it would stay taken while the book is laid out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import IO

import typst

from roundtrip.build.pdf_placement import Arrangement, settle
from roundtrip.errors import RenderError


def fonts_of(folder: Path) -> typst.Fonts:
    """Load the fonts in a folder, and no others."""
    return typst.Fonts(
        include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(folder)]
    )


class Settlers:
    """Processes that settle chapters, as many as there are calls at a time.

    Used as a context: its end ends them.

    Parameters
    ----------
    folder : Path
        Templates, ``book.json``, chapters and figures.
    fonts : Path
        Folder of the fonts.
    """

    def __init__(self, folder: Path, fonts: Path) -> None:
        self._command = [sys.executable, "-P", "-m", __name__, str(folder), str(fonts)]
        self._idle: SimpleQueue[subprocess.Popen[str]] = SimpleQueue()
        self._all: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Settlers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._all:
            if kind is not None:
                process.kill()
            process.communicate()

    def settle(self, name: str, elsewhere: Sequence[str], in_order: bool) -> Arrangement:
        """Settle one chapter; see `roundtrip.build.pdf_placement.settle`.

        Raises
        ------
        RenderError
            If the process ends before it has answered, as when memory runs out.
        """
        try:
            process = self._idle.get_nowait()
        except Empty:
            process = self._start()
        assert process.stdin is not None  # noqa: S101
        assert process.stdout is not None  # noqa: S101
        try:
            process.stdin.write(json.dumps([name, list(elsewhere), in_order]) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise RenderError(
                f"the process that lays out chapters ended with status {process.wait()}",
                where=f"chapter {name}",
                remedy="see whether memory is short; fewer chapters at a time need less",
            )
        self._idle.put(process)
        return Arrangement.from_json(answer)

    def _start(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
            env={**os.environ, "RAYON_NUM_THREADS": "1"},
        )  # fmt: skip
        self._all.append(process)
        return process


def serve(folder: Path, fonts: typst.Fonts, requests: IO[str], answers: IO[str]) -> None:
    """Settle chapters until there are no more requests."""
    for request in requests:
        name, elsewhere, in_order = json.loads(request)
        arrangement = settle(folder, name, elsewhere, fonts, in_order)
        answers.write(json.dumps(asdict(arrangement)) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), fonts_of(Path(sys.argv[2])), sys.stdin, sys.stdout)
    os._exit(0)  # there is nothing to tidy up, and freeing all that was remembered takes long
