"""What the site's search can find: sections, figures, tables and terms, each with its words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from roundtrip.publish.book import Book, Chapter, TableItem, stands_for
from roundtrip.publish.html.writer import page_headings, plain_text
from roundtrip.publish.pandoc import walk

Entry = dict[str, str]


def search_script(book: Book) -> str:
    """Write the search index as a script, because a page opened as a file may not fetch one.

    It sets ``window.roundtripSearchIndex``.
    """
    entries = [entry for chapter in book.chapters for entry in search_entries(chapter)]
    entries.extend(
        _entry("index.html", "", "notices", notice.title, "section", notice.text)
        for notice in book.edition.notices
    )
    return f"window.roundtripSearchIndex={json.dumps(entries, ensure_ascii=False, indent=0)};\n"


def search_entries(chapter: Chapter) -> Iterator[Entry]:
    """Yield what can be found in one chapter, in reading order."""
    headings = page_headings(chapter)
    anchor, title, blocks = chapter.label, chapter.title, list[Any]()
    for position, block in enumerate(chapter.blocks):
        heading = headings.get(position)
        if heading is None or not heading.anchor:
            blocks.append(block)
            continue
        yield from _section(chapter, anchor, title, blocks)
        anchor, title, blocks = heading.anchor, f"{heading.number} {heading.text}".strip(), []
    yield from _section(chapter, anchor, title, blocks)


def _section(chapter: Chapter, anchor: str, title: str, blocks: list[Any]) -> Iterator[Entry]:
    place = chapter.page, f"{chapter.number} {chapter.title}".strip()
    yield _entry(*place, anchor, title, "section", plain_text(blocks))
    for element in walk(blocks):
        kind, label = stands_for(element)
        if kind == "figure":
            figure = chapter.figures[label]
            words = f"{figure.title}. {figure.alt}"
            name = f"Figure {figure.number}: {figure.caption}"
            yield _entry(*place, label, name, "figure", words)
        elif kind == "table":
            table = chapter.tables[label]
            name = f"Table {table.number}: {table.caption}"
            yield _entry(*place, label, name, "table", _words_of(table))
            for term, *meaning in table.rows:
                if term.kind == "label" and (term.anchor or "").startswith("term-"):
                    words = " ".join(cell.text for cell in meaning)
                    yield _entry(*place, str(term.anchor), term.text, "term", words)


def _words_of(table: TableItem) -> str:
    header = " ".join(cell.text for row in table.header for cell in row if cell.text)
    rows = (" ".join(cell.text for cell in row if cell.text) for row in table.rows)
    return " · ".join(part for part in (header, *rows, *table.notes) if part)


def _entry(page: str, chapter: str, anchor: str, title: str, kind: str, text: str) -> Entry:
    return {
        "href": f"{page}#{quote(anchor)}", "title": title, "chapter": chapter, "kind": kind,
        "text": text,
    }  # fmt: skip
