"""Standalone pages for reviewers: what a chapter's page shows, with all of its code."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

import nbformat
from markupsafe import Markup

from roundtrip.cache import Kept, made_now
from roundtrip.files import write_atomically
from roundtrip.project import Project, filled
from roundtrip.publish.book import Book, Chapter, FigureItem, TableItem
from roundtrip.publish.html.assets import has_charts
from roundtrip.publish.html.items import figure_html, table_html
from roundtrip.publish.html.writer import BodyWriter, chapter_inputs, code_block
from roundtrip.publish.pandoc import Element
from roundtrip.theme import load_theme, logo_address

_SCRIPTS = ("html/assets/theme.js", "html/assets/regions.js")
"""Those of the site that a page needs which stands alone: its mode, and its scrolling regions."""

_LINK = Markup('<a href="{}">{}</a>')


class _ReviewWriter(BodyWriter):
    """Writes a chapter for a page that stands alone, in a folder beside the site's pages."""

    def href(self, anchor: str) -> str | None:
        address = super().href(anchor)
        return address if address is None or address.startswith("#") else f"../{address}"

    def figure(self, item: FigureItem) -> str:
        return figure_html(item, self.href, self._in_chapter(item.label))

    def table(self, item: TableItem) -> str:
        return table_html(item, self.href, self._in_chapter(item.label))

    def code(self, source: str) -> list[Element]:
        return [code_block(source)]

    def calculator(self, content: Mapping[str, Any]) -> str:
        link = _LINK.format(f"../{self.chapter.page}#calculator", "the chapter’s page")
        return Markup("<p>A calculator for other workloads is on {}.</p>").format(link)

    def _in_chapter(self, label: str) -> Markup:
        return _LINK.format(f"../{self.chapter.page}#{quote(label)}", "In the chapter")


def review_body(chapter: Chapter, book: Book) -> str:
    """Convert a chapter's body for the reviewers' page.

    Like `chapter_to_html`, but with the code in sight, and without the tools that need the site's
    scripts. Charts become interactive where the site's folder is beside the page.
    It depends on nothing but `chapter_inputs`.
    """
    body = _ReviewWriter(chapter, book).html()
    return body.replace('<pre class="source', '<pre tabindex="0" class="source')  # it may scroll


def write_review(
    book: Book,
    notebooks: Mapping[str, nbformat.NotebookNode],
    project: Project,
    site: Path,
    kept: Kept = made_now,
    modules: Mapping[str, Path] | None = None,
) -> None:
    """Put the executed notebooks and the reviewers' pages beside the site's pages.

    Parameters
    ----------
    notebooks : mapping
        Chapter name to its finalised notebook.
    project : Project
        Whose template and theme are used.
    site : Path
        Folder of the site; ``notebooks/`` and ``review/`` are written in it.
    kept : callable, optional
        Gives the notebooks' texts and the pages' bodies, for example from a cache.
    modules : mapping, optional
        Modules beside the chapters that these import, by their names there.

    Raises
    ------
    RenderError
        If the template is missing or broken.
    """
    folders = project.template_folders("html")
    sheet = project.template("css/report.css").read_text("utf-8") + load_theme(project).css()
    style = Markup(sheet.replace("../fonts/", "../assets/fonts/"))  # noqa: S704 - our own
    logo = logo_address(project)
    scripts = [Markup(project.template(name).read_text("utf-8")) for name in _SCRIPTS]  # noqa: S704
    hashes = [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]

    def write(chapter: Chapter) -> None:
        notebook = notebooks[chapter.name]
        text = kept("notebook", notebook, lambda: nbformat.writes(notebook) + "\n")
        write_atomically(site / "notebooks" / f"{chapter.name}.ipynb", text)
        made = partial(review_body, chapter, book)
        body = Markup(kept("review", chapter_inputs(chapter, book), made))  # noqa: S704
        page = filled(
            folders, "review.html", book=book, chapter=chapter, body=body, style=style, logo=logo,
            scripts=scripts, hashes=hashes, charts=has_charts(chapter), back=f"../{chapter.page}",
        )  # fmt: skip
        write_atomically(site / "review" / f"{chapter.name}.html", page)

    with ThreadPoolExecutor(max_workers=2) as pool:
        list(pool.map(write, book.chapters))
    for name, path in (modules or {}).items():
        write_atomically(site / "notebooks" / name, path.read_bytes())
