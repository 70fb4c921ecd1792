"""The report rendered by Quarto: run it on the staged book, and believe none of its silence."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import nbformat

from roundtrip.errors import RenderError, SetupError
from roundtrip.files import disk_errors
from roundtrip.project import Project
from roundtrip.publish.book import Book
from roundtrip.publish.quarto.markdown import page_of
from roundtrip.publish.quarto.stage import stage_book
from roundtrip.setup.harness_build import said_of_version

MINIMUM = (1, 9)
"""Quarto prints books with Typst since then."""

_TIME_LIMIT = 1800
_SWITCHES = frozenset(
    {"QUARTO_PROFILE", "QUARTO_LOG", "QUARTO_LOG_LEVEL", "QUARTO_LOG_FORMAT", "QUARTO_PDF_STANDARD",
     "TYPST_FONT_PATHS"}
)  # fmt: skip
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_FORMATS = (("html", "_html"), ("typst", "_pdf"))
_UNRESOLVED = re.compile(
    r'quarto-unresolved-ref"[^>]*>\??(?P<span>[\w-]+)|<strong>\?@(?P<text>[\w-]+)'
)
_MAIN = re.compile(r"<main\b.*</main>", re.DOTALL)

# Quarto's own log, its Lua filters, Pandoc and Typst each have their way of complaining.
_COMPLAINT = re.compile(
    r"(?:(?:WARN|WARNING|ERROR|CRITICAL|FATAL): |(?:WARNING|ERROR|FATAL) \([^)]*\) "
    r"|\([WEF]\) |\[(?:WARNING|ERROR)\] "
    r"|(?:\[typst\]: Compiling \S+ to [^.]+\.pdf\.\.\.)?(?:warning|error): "
    r"|(?=Unable to resolve (?:crossref|link target)))(?P<text>.+)"
)
_TYPST_PLACE = re.compile(r"^\s*┌─ (?P<place>\S+)")
_PAGE = re.compile(r"^\s*\[\s*\d+/\d+\] (?P<page>\S+\.ipynb)\s*$")


def quarto_version(program: Path) -> str:
    """Ask Quarto for its version.

    Raises
    ------
    SetupError
        If it does not run or is too old to print books with Typst.
    """
    said = said_of_version(program)
    if said is None:
        raise SetupError(
            "Quarto does not run", where=program,
            remedy="fix the installation, or build with --engine embedded",
        )  # fmt: skip
    version = said.strip()
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < MINIMUM:
        raise SetupError(
            f"Quarto {version or 'of unknown version'} cannot print books with Typst",
            allowed=f"{MINIMUM[0]}.{MINIMUM[1]} or newer",
            remedy="install a newer Quarto, or build with --engine embedded",
        )
    return version


def render_with_quarto(
    project: Project,
    book: Book,
    notebooks: Mapping[str, nbformat.NotebookNode],
    target: Path,
    left_out: Mapping[str, str],
) -> None:
    """Render a book with the Quarto on ``PATH`` into ``html/`` and ``report.pdf``.

    Parameters
    ----------
    notebooks : mapping
        Chapter name to its finalised notebook.
    target : Path
        The folder of the edition.
    left_out : mapping
        See `roundtrip.publish.references.References`.

    Raises
    ------
    RenderError
        If Quarto fails, complains about anything, or leaves a page out, empty or with an
        unresolved reference.
    """
    with disk_errors(Path(tempfile.gettempdir())), tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve() / "book"
        folder.mkdir()
        stage_book(project, book, notebooks, folder, left_out)
        for kind, output in _FORMATS:
            _run(folder, kind, output, book.timestamp)
        check_pages(folder / "_html", book)
        pdfs = sorted((folder / "_pdf").glob("*.pdf"))
        if len(pdfs) != 1:
            raise RenderError(f"Quarto made {len(pdfs)} PDF files instead of one")
        with disk_errors(target):
            shutil.move(folder / "_html", target / "html")
            shutil.move(pdfs[0], target / "report.pdf")


def environment(timestamp: int) -> dict[str, str]:
    """Give the environment that makes Quarto and Typst repeat themselves.

    It is the caller's, without the switches that would change what Quarto renders. The
    timestamp, in seconds since 1970, is the only date that outputs may hold.
    """
    kept = {name: value for name, value in os.environ.items() if name not in _SWITCHES}
    return kept | {
        "SOURCE_DATE_EPOCH": str(timestamp),
        "TYPST_IGNORE_SYSTEM_FONTS": "true",
        "TZ": "UTC",
        "NO_COLOR": "1",
    }


def _run(folder: Path, kind: str, output: str, timestamp: int) -> None:
    command = ["quarto", "render", str(folder), "--to", kind, "--output-dir", output]
    try:
        run = subprocess.run(
            command, cwd=folder, env=environment(timestamp), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, errors="replace", check=False, timeout=_TIME_LIMIT,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise RenderError(f"Quarto did not finish: {problem}") from problem
    log = run.stdout + run.stderr
    found = complaints(log)
    if found or run.returncode:
        shown = found[:5] or [f"exit status {run.returncode}: {_ANSI.sub('', log).strip()[-400:]}"]
        more = f" (and {len(found) - 5} more)" if len(found) > 5 else ""
        raise RenderError(
            f"Quarto complained while it made {kind}: {'; '.join(shown)}{more}",
            remedy="fix the chapter named, or build with --engine embedded",
        )


def complaints(log: str) -> list[str]:
    """Find every warning and error in what Quarto printed.

    Each once, with the chapter that was being rendered where that is known.
    """
    found: list[str] = []
    page = ""
    for line in _ANSI.sub("", log).splitlines():
        progress = _PAGE.match(line)
        place = _TYPST_PLACE.match(line)
        if progress:
            page = progress["page"]
        elif not line.strip():
            page = ""  # what follows concerns the whole book
        elif place and found:
            found[-1] += f" ({place['place']})"
        if match := _COMPLAINT.match(line.strip()):
            text = match["text"].removeprefix("error: ").strip()
            found.append(f"{page}: {text}" if page else text)
    return list(dict.fromkeys(found))


def check_pages(site: Path, book: Book) -> None:
    """Refuse a site with a page missing, empty, or with an unresolved reference."""
    for chapter in book.chapters:
        where = chapter.where
        page = site / Path(page_of(chapter)).with_suffix(".html")
        if not page.is_file():
            raise RenderError(f"Quarto made no page {page.name}", where=where)
        main = _MAIN.search(page.read_text(encoding="utf-8"))
        if main is None or (chapter.items and "cell-output" not in main[0]):
            raise RenderError("Quarto printed an empty chapter", where=where)
        dangling = _UNRESOLVED.search(main[0])
        if dangling:
            raise RenderError(
                f"unresolved reference @{dangling['span'] or dangling['text']}", where=where
            )
