"""A chapter parsed, with placeholders where figures, tables and code stand."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import nbformat

from roundtrip.cache import Cache
from roundtrip.errors import ChapterError, RenderError
from roundtrip.files import sha256_of_json
from roundtrip.outputs import CALCULATOR, FIGURE, MARKDOWN, TABLE
from roundtrip.publish.book import APART, CALLOUTS, PLACEHOLDER, stands_for
from roundtrip.publish.book_definition import ChapterPlan
from roundtrip.publish.chapters.notebooks import (
    heading_of,
    read_options,
    with_code_gathered,
    without_options,
)
from roundtrip.publish.pandoc import READER, Element, as_printed, parse_markdown, walk
from roundtrip.versions import library_versions

_REFUSED = {
    "Math": "formulas", "Image": "images from files", "LineBlock": "line blocks",
    "Figure": "images from files",
}  # fmt: skip
_SHORTCODE = re.compile(r"(?<!\\)\{\{<")
_SCHEMES = ("http://", "https://", "mailto:", "#")


@dataclass
class Draft:
    """A chapter before its references are resolved."""

    name: str
    kind: Literal["front", "chapter", "appendix"]
    number: str
    title: str
    label: str
    blocks: list[Element]
    figures: dict[str, dict[str, Any]] = field(default_factory=dict)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    codes: list[str] = field(default_factory=list)
    calculator: dict[str, Any] | None = None

    @property
    def where(self) -> str:
        """The file that messages about it name."""
        return f"notebooks/{self.name}.ipynb"


def draft_chapter(notebook: nbformat.NotebookNode, plan: ChapterPlan, cache: Cache) -> Draft:
    """Turn one finalised notebook into Pandoc blocks with placeholders.

    What the embedded renderer does not understand is refused by name; the cache keeps parsed
    text.
    """
    name = plan.source.stem
    title, label = heading_of(notebook, Path(name))
    draft = Draft(name, plan.kind, plan.number, title, label, [])
    parts: list[str] = []
    for position, cell in enumerate(with_code_gathered(notebook.cells)):
        if cell.cell_type == "markdown":
            source = cell.source
            if position == 0:
                source = "\n".join(source.splitlines()[1:])
            parts.append(source)
        elif cell.cell_type == "code":
            _add_code(draft, cell, parts)
    text = "\n\n".join(parts)
    if _SHORTCODE.search(text):
        raise _unsupported("shortcodes", draft)
    draft.blocks = as_printed(_parse(text, cache, draft))
    _refuse_unknown(draft)
    _refuse_swallowed(draft)
    return draft


def _add_code(draft: Draft, cell: Any, parts: list[str]) -> None:
    code = without_options(cell.source).strip()
    if code:
        parts.append(_placeholder("code", len(draft.codes)))
        draft.codes.append(code)
    options = read_options(cell.source)
    for output in cell.outputs:
        data = output.data
        if FIGURE in data:
            draft.figures[options["label"]] = {**data, "options": options}
            parts.append(_placeholder("figure", options["label"]))
        elif TABLE in data:
            draft.tables[options["label"]] = {**data[TABLE], "options": options}
            parts.append(_placeholder("table", options["label"]))
        elif CALCULATOR in data:
            if draft.calculator is not None:
                raise ChapterError(
                    "shows a second calculator: the address of a page keeps the state of one",
                    where=draft.where,
                )
            draft.calculator = data[CALCULATOR]
            parts.append(_placeholder("calculator", "form"))
        else:
            parts.append(data[MARKDOWN])


def _placeholder(kind: str, name: str | int) -> str:
    return f"``` {{={PLACEHOLDER}}}\n{kind}:{name}\n```"


def _parse(text: str, cache: Cache, draft: Draft) -> list[Element]:
    def parsed() -> str:
        try:
            return json.dumps(parse_markdown(text)["blocks"], ensure_ascii=False)
        except RenderError as problem:
            raise RenderError(problem.what, where=draft.where) from problem

    key = sha256_of_json([text, READER, library_versions()["pypandoc-binary"]])[:24]
    blocks: list[Element] = json.loads(cache.text("blocks", key, parsed))
    return blocks


def _refuse_unknown(draft: Draft) -> None:
    placeholders = _placeholders(draft)
    for element in walk(draft.blocks):
        kind = element["t"]
        refused = _REFUSED.get(kind)
        if kind == "RawBlock" and stands_for(element) not in placeholders:
            refused = f"raw {element['c'][0]} blocks"
        if kind == "RawInline":
            refused = f"raw {element['c'][0]} text: {element['c'][1]}"
        unknown = [] if kind != "Div" else [n for n in element["c"][0][1] if n not in CALLOUTS]
        if unknown:
            refused = f"blocks of class '{unknown[0]}'"
        unknown = [] if kind != "Header" else [n for n in element["c"][1][1] if n != APART]
        if unknown:
            refused = f"headings of class '{unknown[0]}' (allowed: {APART})"
        if refused:
            raise _unsupported(refused, draft)
        if kind == "Link" and not element["c"][2][0].startswith(_SCHEMES):
            raise RenderError(
                f"link to '{element['c'][2][0]}'", where=draft.where, allowed=", ".join(_SCHEMES)
            )


def _unsupported(what: str, draft: Draft) -> RenderError:
    return RenderError(
        f"the embedded renderer does not support {what}",
        where=draft.where,
        remedy="use Markdown text, and figures and tables of roundtrip.present",
    )


def _placeholders(draft: Draft) -> list[tuple[str, str]]:
    """Give kind and name of the placeholders for figures, tables, code and calculator."""
    return [
        *(("figure", label) for label in draft.figures),
        *(("table", label) for label in draft.tables),
        *(("code", str(number)) for number in range(len(draft.codes))),
        *([] if draft.calculator is None else [("calculator", "form")]),
    ]


def _refuse_swallowed(draft: Draft) -> None:
    """Refuse a chapter where text that does not end takes what stands below it for its own."""
    found = {stands_for(element) for element in walk(draft.blocks)}
    for kind, label in _placeholders(draft):
        if (kind, label) not in found:
            what = {"code": "the code of a cell", "calculator": "the calculator"}.get(kind, label)
            raise ChapterError(
                f"{what} stands inside a code block",
                where=draft.where,
                remedy="close the fence (```) in the text above it",
            )
