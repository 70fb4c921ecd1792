"""What the edition adds to the book definition, for Quarto and for its PDF."""

from __future__ import annotations

import html
from typing import Any

import yaml

from roundtrip.errors import RenderError
from roundtrip.project import Project
from roundtrip.publish.book import Book
from roundtrip.publish.pdf.render import front_matter
from roundtrip.publish.quarto.text import page_of
from roundtrip.theme import load_theme
from roundtrip.yamlfile import load_yaml


def configuration(project: Project, book: Book) -> str:
    """Write ``_quarto.yml`` of the staged book: the definition, and what edition and commit add."""
    defaults = load_yaml(project.template("quarto/defaults.yml"), RenderError)
    settings: dict[str, Any] = {**defaults, **load_yaml(project.book, RenderError)}
    edition, theme = book.edition, load_theme(project)
    appendices = [page_of(chapter) for chapter in book.chapters if chapter.kind == "appendix"]
    settings["lang"] = edition.lang
    settings["project"]["resources"] = ["assets/**", "data/**"]
    settings["book"] |= {
        "title": edition.title,
        "subtitle": edition.subtitle,
        "author": list(edition.authors),
        "date": edition.date,
        "date-format": "D MMMM YYYY",
        "chapters": [page_of(item) for item in book.chapters if item.kind != "appendix"],
        "appendices": appendices,
        "page-footer": {
            "left": theme.footer or front_matter(book)["edition"],
            "right": "[PDF](../report.pdf) · [Manifest](../manifest.json)",
        },
    }
    if theme.logo:
        settings["book"]["sidebar"] = {"logo": f"assets/{theme.logo}"}
    if theme.cover:
        settings["book"]["cover-image"] = f"assets/{theme.cover}"
        settings["book"]["cover-image-alt"] = edition.title
    if not appendices:
        del settings["book"]["appendices"]
    # Without an icon of its own, every page would ask for one that does not exist.
    settings["format"]["html"]["include-in-header"] = [{"text": '<link rel="icon" href="data:,">'}]
    if book.banner:
        banner = f'<p class="rt-banner" role="note">{html.escape(book.banner)}</p>'
        settings["format"]["html"]["include-before-body"] = [{"text": banner}]
    return yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)


def print_data(book: Book) -> dict[str, Any]:
    """Give what ``templates/quarto/typst-show.typ`` reads from ``book.json``.

    What the embedded renderer prints, and number and title of every figure and table.
    """
    items = {}
    for chapter in book.chapters:
        for label, figure in chapter.figures.items():
            items[label] = _entry("fig", figure.number, figure.title)
        for label, table in chapter.tables.items():
            items[label] = _entry("tbl", table.number, table.caption)
    return {**front_matter(book), "items": items}


def _entry(kind: str, number: str, title: str) -> dict[str, str]:
    return {"kind": f"quarto-float-{kind}", "number": number, "title": title}
