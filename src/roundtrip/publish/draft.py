"""A chapter read from its notebook, with placeholders where figures, tables and code stand."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat

from roundtrip import typography
from roundtrip.cache import Cache
from roundtrip.errors import ChapterError, RenderError
from roundtrip.files import sha256_of_json, sha256_of_tree
from roundtrip.outputs import (
    CALCULATOR,
    FIGURE,
    MARKDOWN,
    PLOTLY,
    SVG,
    TABLE,
    BodyCell,
    HeaderCell,
)
from roundtrip.publish import pandoc
from roundtrip.publish.book import (
    APART,
    CALLOUTS,
    PLACEHOLDER,
    Chapter,
    FigureItem,
    TableItem,
    stands_for,
)
from roundtrip.publish.book_definition import ChapterPlan
from roundtrip.publish.chapters.notebooks import (
    heading_of,
    read_options,
    with_code_gathered,
    without_options,
)
from roundtrip.publish.pandoc import Element, as_printed, parse_markdown, plain, walk
from roundtrip.typography import printed_text
from roundtrip.versions import library_versions

_REFUSED = {
    "Math": "formulas", "Image": "images from files", "LineBlock": "line blocks",
    "Figure": "images from files",
}  # fmt: skip
_SHORTCODE = re.compile(r"(?<!\\)\{\{<")
_SCHEMES = ("http://", "https://", "mailto:", "#")
_PRINTING = (Path(pandoc.__file__), Path(typography.__file__))
"""The code that decides how text is read and printed."""


def draft_chapter(notebook: nbformat.NotebookNode, plan: ChapterPlan, cache: Cache) -> Chapter:
    """Turn one finalised notebook into a chapter without references, numbers and sources.

    What the embedded renderer does not understand is refused by name; the cache keeps parsed
    text.
    """
    name = plan.source.stem
    title, label = heading_of(notebook, Path(name))
    draft = Chapter(name, title, label, plan.number, plan.kind, [])
    figures: dict[str, FigureItem] = {}
    tables: dict[str, TableItem] = {}
    codes: list[str] = []
    calculators: list[dict[str, Any]] = []
    parts: list[str] = []
    placed: set[tuple[str, str]] = set()

    def place(kind: str, key: str) -> None:
        placed.add((kind, key))
        parts.append(f"``` {{={PLACEHOLDER}}}\n{kind}:{key}\n```")

    for position, cell in enumerate(with_code_gathered(notebook.cells)):
        if cell.cell_type == "markdown":
            source = cell.source
            if position == 0:
                source = "\n".join(source.splitlines()[1:])
            parts.append(source)
            continue
        if code := without_options(cell.source).strip():
            place("code", str(len(codes)))
            codes.append(code)
        options = read_options(cell.source)
        for output in cell.outputs:
            data = output.data
            if FIGURE in data:
                figures[options["label"]] = _figure(data, options)
                place("figure", options["label"])
            elif TABLE in data:
                tables[options["label"]] = _table(data[TABLE], options)
                place("table", options["label"])
            elif CALCULATOR in data:
                calculators.append(data[CALCULATOR])
                place("calculator", "form")
            else:
                parts.append(data[MARKDOWN])
    if len(calculators) > 1:
        raise ChapterError(
            "shows a second calculator: the address of a page keeps the state of one",
            where=draft.where,
        )
    text = "\n\n".join(parts)
    if _SHORTCODE.search(text):
        raise _unsupported("shortcodes", draft)
    draft = replace(
        draft, blocks=_with_titles(_parse(text, cache, draft)), figures=figures, tables=tables,
        codes=tuple(codes), calculator=calculators[0] if calculators else None,
    )  # fmt: skip
    _refuse_unknown(draft, placed)
    return draft


def _figure(data: Mapping[str, Any], options: Mapping[str, str]) -> FigureItem:
    content = data[FIGURE]
    return FigureItem(
        label=options["label"], number="", title=printed_text(content["title"]),
        caption=printed_text(options["fig-cap"]), alt=options["fig-alt"], svg=data[SVG],
        spec=data.get(PLOTLY), csv=content["csv"], sources=(), narrow=content.get("narrow", ""),
        cells=tuple(content["cells"]),
    )  # fmt: skip


def _table(data: Mapping[str, Any], options: Mapping[str, str]) -> TableItem:
    return TableItem(
        label=options["label"],
        number="",
        caption=printed_text(options["tbl-cap"]),
        header=tuple(
            tuple(HeaderCell(**{**cell, "text": printed_text(cell["text"])}) for cell in row)
            for row in data["header"]
        ),
        rows=tuple(tuple(map(_body_cell, row)) for row in data["rows"]),
        notes=tuple(map(printed_text, data["notes"])),
        filter=None if data.get("filter") is None else tuple(data["filter"]),
        shares=tuple(data.get("shares", ())),
        as_printed=data.get("as_printed", False),
        cells=tuple(data["cells"]),
        csv=data["csv"],
        sources=(),
    )


def _body_cell(data: Mapping[str, Any]) -> BodyCell:
    text = data["text"] if data.get("kind") == "code" else printed_text(data["text"])
    links = tuple((str(words), str(anchor)) for words, anchor in data.get("links", ()))
    return BodyCell(**{**data, "text": text, "links": links})


def _parse(text: str, cache: Cache, draft: Chapter) -> list[Element]:
    def parsed() -> str:
        try:
            return json.dumps(as_printed(parse_markdown(text)["blocks"]), ensure_ascii=False)
        except RenderError as problem:
            raise RenderError(problem.what, where=draft.where) from problem

    code = sha256_of_tree(*_PRINTING)
    key = sha256_of_json([text, code, library_versions()["pypandoc-binary"]])[:24]
    blocks: list[Element] = json.loads(cache.text("blocks", key, parsed))
    return blocks


def _with_titles(blocks: list[Element]) -> list[Element]:
    """Make the heading that a callout begins with its title, as in Quarto and JupyterLab."""
    for element in walk(blocks):
        if element["t"] == "Div" and set(element["c"][0][1]) & {*CALLOUTS}:
            (_, _, pairs), inside = element["c"]
            if inside and inside[0]["t"] == "Header":
                pairs.append(["title", plain(inside.pop(0)["c"][2])])
    return blocks


def _refuse_unknown(draft: Chapter, placed: set[tuple[str, str]]) -> None:
    """Refuse what is not understood, and text that takes what stands below it for its own."""
    left = set(placed)
    for element in walk(draft.blocks):
        kind: str = element["t"]
        content: Any = element.get("c")
        left.discard(stands_for(element))
        refused = _REFUSED.get(kind)
        if kind == "RawBlock" and stands_for(element) not in placed:
            refused = f"raw {content[0]} blocks"
        elif kind == "RawInline":
            refused = f"raw {content[0]} text: {content[1]}"
        elif kind == "Div" and (unknown := {*content[0][1]} - {*CALLOUTS}):
            refused = f"blocks of class '{min(unknown)}'"
        elif kind == "Header" and (unknown := {*content[1][1]} - {APART}):
            refused = f"headings of class '{min(unknown)}' (allowed: {APART})"
        if refused:
            raise _unsupported(refused, draft)
        if kind == "Link" and not content[2][0].startswith(_SCHEMES):
            raise RenderError(
                f"link to '{content[2][0]}'", where=draft.where, allowed=", ".join(_SCHEMES)
            )
    if left:
        what, name = min(left)
        raise ChapterError(
            f"the {what} of a cell, {name}, stands inside a code block", where=draft.where,
            remedy="close the fence (```) in the text above it",
        )  # fmt: skip


def _unsupported(what: str, draft: Chapter) -> RenderError:
    return RenderError(
        f"the embedded renderer does not support {what}",
        where=draft.where,
        remedy="use Markdown text, and figures and tables of roundtrip.present",
    )
