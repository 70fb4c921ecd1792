"""A PDF of unknown origin, read in a process of its own that has limits."""

from __future__ import annotations

import io
import multiprocessing
import os
import re
import resource
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from roundtrip.drafting.charts import Chart, charts_on
from roundtrip.drafting.pages import Page, Program, read_page
from roundtrip.errors import DataError, ParameterError

PROGRAMS: tuple[Program, ...] = ("pdfminer", "pdfium")
MOST_PAGES = 400
"""A longer document is read in parts, named by their pages."""

_SECONDS = 30  # processor time for one page
_MEGABYTES = 3072
_LARGEST = 200  # megabytes of a file
_WIDE = 900  # pixels of a page's picture
_SAFE_PATH = "PYTHONSAFEPATH"  # else modules of the current folder would be run in that process
_RANGES = re.compile(r"\d{1,5}(?:-\d{1,5})?(?:,\d{1,5}(?:-\d{1,5})?)*")


class Document:
    """A PDF, whose pages another process reads, which has limits; no script in it is run."""

    def __init__(self, path: Path, pool: ProcessPoolExecutor) -> None:
        self.path = path
        self._pool = pool
        problem, self.pages, self.scripts = self._ask(_opened, path)
        if problem:
            raise DataError(problem, where=path.name, allowed="a PDF that opens without a password")

    def numbers(self, wanted: str | None) -> list[int]:
        """Give the pages to read, named such as ``7-30,42``, or all; refuse too many at a time."""
        found = list(range(1, self.pages + 1))
        if wanted is not None:
            spans = [part.partition("-") for part in wanted.split(",")]
            known = _RANGES.fullmatch(wanted) is not None
            ends = [(int(first), int(last or first)) for first, _, last in spans if known]
            if not known or any(not 1 <= first <= last <= self.pages for first, last in ends):
                raise ParameterError(
                    f"'{wanted}' names no pages of the document", where="--from",
                    allowed=f"pages from 1 to {self.pages}, such as 7-30,42",
                )  # fmt: skip
            found = sorted({page for first, last in ends for page in range(first, last + 1)})
        if len(found) > MOST_PAGES:
            raise ParameterError(
                f"{len(found)} pages are more than can be read at a time", where=self.path.name,
                allowed=f"{MOST_PAGES} pages", remedy="name the pages with tables: --from 7-30",
            )  # fmt: skip
        return found

    def read(
        self, numbers: Sequence[int], progress: Callable[[int, int], None]
    ) -> dict[Program, list[Page]]:
        """Read pages with each program; `progress` is told how many are read, and of how many."""
        found: dict[Program, list[Page]] = {program: [] for program in PROGRAMS}
        for done, number in enumerate(numbers, start=1):
            for program in PROGRAMS:
                page = self._ask(read_page, self.path, number, program, page=number)
                found[program].append(page)
            progress(done, len(numbers))
        if not any(page.words for pages in found.values() for page in pages):
            raise DataError(
                "no page has text: they are pictures of pages, as a scanner makes them",
                where=self.path.name,
                remedy="have the text recognised first, or type the tables as "
                "'roundtrip docs add-a-report' says",
            )
        return found

    def picture(self, number: int) -> bytes:
        """Draw a page as a PNG file."""
        picture: bytes = self._ask(_drawn, self.path, number, page=number)
        return picture

    def charts(self, number: int) -> list[Chart]:
        """Find the charts of a page that are drawn in lines, with their points."""
        charts: list[Chart] = self._ask(charts_on, self.path, number, page=number)
        return charts

    def _ask(self, do: Callable[..., Any], *arguments: object, page: int | None = None) -> Any:
        try:
            return self._pool.submit(_limited, _SECONDS, _MEGABYTES, do, arguments).result()
        except Exception as problem:
            why = f"cannot be read: {type(problem).__name__}"
            if isinstance(problem, (BrokenProcessPool, MemoryError)):
                why = (f"takes more than {_SECONDS} s of processor time or {_MEGABYTES} MB of "
                       "memory to read, or breaks the program that reads it")  # fmt: skip
            raise DataError(
                f"{f'page {page}' if page else 'the document'} {why}", where=self.path.name,
                remedy="leave that page out with --from" if page else None,
            ) from problem  # fmt: skip


@contextmanager
def open_document(path: Path) -> Iterator[Document]:
    """Open a PDF for reading; refuse what is none, encrypted, broken or too large."""
    if not path.is_file():
        raise DataError("there is no such file", where=path, allowed="a PDF")
    if path.stat().st_size > _LARGEST * 1_000_000:
        raise DataError(f"the file has more than {_LARGEST} MB", where=path)
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            yield Document(path, pool)
    finally:
        os.environ.pop(_SAFE_PATH, None)
        if before is not None:
            os.environ[_SAFE_PATH] = before


def _limited(
    seconds: int, megabytes: int, do: Callable[..., Any], arguments: tuple[object, ...]
) -> Any:
    used = resource.getrusage(resource.RUSAGE_SELF)
    until = int(used.ru_utime + used.ru_stime) + seconds
    for limit, most in ((resource.RLIMIT_CPU, until), (resource.RLIMIT_AS, megabytes * 2**20)):
        hard = resource.getrlimit(limit)[1]
        resource.setrlimit(
            limit, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard)
        )
    try:
        return do(*arguments)
    except Exception as problem:
        if isinstance(problem.__context__, MemoryError):  # a library's own error hides it
            raise MemoryError from problem
        raise


def _opened(path: Path) -> tuple[str, int, bool]:
    import pypdfium2
    from pypdfium2.raw import FPDFDoc_GetJavaScriptActionCount

    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as problem:
        if "password" in str(problem).lower():
            return "the document is encrypted", 0, False
        return "the file is no PDF, or is broken: it cannot be opened", 0, False
    with document:
        named = FPDFDoc_GetJavaScriptActionCount(document) > 0
        return "", len(document), named or b"/JavaScript" in path.read_bytes()


def _drawn(path: Path, number: int) -> bytes:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        page = document[number - 1]
        picture = page.render(scale=_WIDE / max(page.get_width(), 1)).to_pil().convert("L")
        held = io.BytesIO()
        picture.quantize(16).save(held, "PNG", optimize=True)
        return held.getvalue()
