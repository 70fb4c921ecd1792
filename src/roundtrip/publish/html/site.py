"""The HTML site: a page for each chapter, with everything it needs in one folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from markupsafe import Markup

from roundtrip.cache import Kept, made_now
from roundtrip.files import disk_errors, write_atomically
from roundtrip.project import Project, filled
from roundtrip.publish.book import Book, Chapter
from roundtrip.publish.html.assets import has_charts, write_assets, write_downloads
from roundtrip.publish.html.search import search_script
from roundtrip.publish.html.writer import chapter_inputs, chapter_to_html, page_headings
from roundtrip.publish.volumes import volumes_of
from roundtrip.theme import Theme, load_theme

# Not those of the language that a library may have set.
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip

# Nothing may come from another place. Charts need inline styles and, to save a picture, blobs;
# `file:` lets the pages work when opened from a folder.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' file:",
        "style-src 'self' file: 'unsafe-inline'",
        "font-src 'self' file:",
        "img-src 'self' file: data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
    )
)

# The index page of a book without a front chapter holds the cover and the contents alone.
_NO_FRONT: dict[str, Any] = {
    "chapter": None, "body": "", "headings": [], "previous": None, "following": None,
    "charts": False, "filters": False,
}  # fmt: skip


def render_site(
    book: Book,
    project: Project,
    target: Path,
    kept: Kept = made_now,
    comparison: Mapping[str, Any] | None = None,
) -> None:
    """Write the site into an empty folder.

    Parameters
    ----------
    target : Path
        The folder; links to ``../report.pdf``, ``../manifest.json``, ``notebooks/`` and
        ``review/`` are made, the files themselves are not.
    kept : callable, optional
        Gives the bodies of chapters, for example from a cache.
    comparison : mapping, optional
        From `roundtrip.present.comparison.comparison`; without one its page says so.

    Raises
    ------
    RenderError
        If a template is missing or broken, or a chapter cannot be converted.
    """
    folders = project.template_folders("html")
    theme = load_theme(project)
    shared = {
        "book": book,
        "volumes": volumes_of(book),
        "edition": book.edition,
        "footer": theme.footer,
        "logo": theme.logo,
        "cover_picture": theme.cover,
        "policy": CONTENT_SECURITY_POLICY,
        "long_date": long_date,
        "paragraphs": paragraphs,
        "compared": comparison is not None,
        "comparing": False,
        "chapters": [each for each in book.chapters if each.kind == "chapter"],
        "appendices": [each for each in book.chapters if each.kind == "appendix"],
    }

    def body_of(chapter: Chapter) -> str:
        made = partial(chapter_to_html, chapter, book)
        return kept("html", chapter_inputs(chapter, book), made)

    with ThreadPoolExecutor(max_workers=2) as pool:
        bodies = list(pool.map(body_of, book.chapters))
    pages: dict[str, str] = {}
    for position, (chapter, body) in enumerate(zip(book.chapters, bodies, strict=True)):
        context = {**shared, **_place(book, position), "chapter": chapter, "body": Markup(body)}  # noqa: S704
        name = "index.html" if chapter.kind == "front" else "chapter.html"
        pages[chapter.page] = filled(folders, name, **context)
    if "index.html" not in pages:
        pages["index.html"] = filled(folders, "index.html", **shared, **_NO_FRONT)
    context = {**shared, **_NO_FRONT, "charts": comparison is not None, "comparing": True}
    pages["compare.html"] = filled(folders, "compare.html", **context)
    with disk_errors(target):
        for file_name, page in pages.items():
            write_atomically(target / unquote(file_name), page)  # names of pages are addresses
        write_atomically(target / "assets" / "search-index.js", search_script(book))
        write_assets(book, project, target / "assets", comparing=comparison is not None)
        if comparison is not None:
            script = _comparison_script(comparison, book, theme)
            write_atomically(target / "assets" / "comparison.js", script)
        write_downloads(book, target / "data")


def _place(book: Book, position: int) -> dict[str, Any]:
    """Give what surrounds a chapter: its own headings and its neighbours."""
    chapters = book.chapters
    return {
        "headings": [each for each in page_headings(chapters[position]).values() if each.anchor],
        "charts": has_charts(chapters[position]),
        "filters": any(table.filter for table in chapters[position].tables.values()),
        "previous": chapters[position - 1] if position else None,
        "following": chapters[position + 1] if position + 1 < len(chapters) else None,
    }


def _comparison_script(comparison: Mapping[str, Any], book: Book, theme: Theme) -> str:
    """Write the points as a script: series with the pages of their cells, levels with colours."""
    pages = {each.name: each.page for each in book.chapters}
    series = []
    for each in comparison["series"]:
        first = next(iter(each["values"].values()))[0]
        chapter = book.anchors.get(each["prefix"] + first[3], "")
        series.append({**each, "page": pages.get(chapter)})
    named = {
        variant: theme.series[place - 1] if isinstance(place, int) else theme.baseline
        for variant, place in theme.variants.items()
    }
    factors = []
    for factor in comparison["factors"]:
        told = {name: value for name, value in factor.items() if name != "variants"}
        factors.append(told | {"named": [named.get(each) for each in factor["variants"]]})
    content = {**comparison, "factors": factors, "series": series, "colors": theme.series}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return f"window.roundtripComparison={text};\n"


def long_date(value: str) -> str:
    """Write an ISO date as ``21 November 2026``; other text stays as it is."""
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return value
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def paragraphs(text: str) -> list[str]:
    """Split text at its empty lines."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
