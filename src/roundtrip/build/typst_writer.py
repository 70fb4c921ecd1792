"""One chapter of the book as Typst source."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import pypandoc

from roundtrip.build.book import BodyCell, Chapter, FigureItem, Source, TableItem, TableModel
from roundtrip.build.typst_blocks import BlockRewriter
from roundtrip.build.typst_text import decoded
from roundtrip.errors import RenderError

PREAMBLE = '#import "/report.typ": *\n\n'
_PANDOC_API = [1, 23, 1]
_TIME_LIMIT = 120
_DECIMAL = re.compile(r"[+−-]?[\d.,\u2009\u202f\u00a0 ]*\d[.,](\d+)")


def chapter_to_typst(chapter: Chapter) -> str:
    """Write a chapter's body as Typst source that uses the functions of ``report.typ``.

    The result depends on nothing but the chapter, so it can be kept under a hash of it. Pictures
    are named, not included: ``/figures/<label>.svg``. The heading of the chapter is not part of it.

    Parameters
    ----------
    chapter : Chapter
        The chapter.

    Returns
    -------
    str
        Typst source.

    Raises
    ------
    RenderError
        If the chapter holds something that cannot be printed, or names an item it does not have.
    """

    def place(name: str, after_heading: bool) -> str:
        kind, _, key = name.partition(":")
        if kind == "code":
            return ""
        if kind == "figure" and key in chapter.figures:
            data = _figure_data(chapter.figures[key], chapter)
        elif kind == "table" and key in chapter.tables:
            data = _table_data(chapter.tables[key])
        else:
            raise RenderError(
                f"there is no {kind} '{key}' to print",
                where=f"chapter {chapter.name}",
                allowed=", ".join([*chapter.figures, *chapter.tables]) or "no items",
            )
        return f"#{kind}-item({decoded({**data, 'after-heading': after_heading})})"

    blocks = BlockRewriter(chapter.name, chapter.number, place).blocks(chapter.blocks)
    return PREAMBLE + _pandoc(blocks, chapter)


def _pandoc(blocks: list[Any], chapter: Chapter) -> str:
    document = {"pandoc-api-version": _PANDOC_API, "meta": {}, "blocks": blocks}
    command = [pypandoc.get_pandoc_path(), "--from=json", "--to=typst", "--wrap=none"]
    command.append("--syntax-highlighting=none")
    try:
        run = subprocess.run(
            command,
            input=json.dumps(document).encode(),
            capture_output=True,
            check=False,
            timeout=_TIME_LIMIT,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RenderError(
            f"pandoc did not run: {error}",
            where=f"chapter {chapter.name}",
            remedy="run `make setup`, then build again",
        ) from error
    complaint = run.stderr.decode(errors="replace").strip()
    if run.returncode or complaint:
        raise RenderError(
            f"pandoc could not write the chapter for print: {complaint or run.returncode}",
            where=f"chapter {chapter.name}",
        )
    return run.stdout.decode()


def _figure_data(figure: FigureItem, chapter: Chapter) -> dict[str, Any]:
    if not figure.alt.strip():
        raise RenderError(
            f"figure '{figure.label}' has no text for readers who cannot see it",
            where=f"chapter {chapter.name}",
            remedy="say in `#| fig-alt:` what the figure shows",
        )
    return {
        "label": figure.label,
        "number": figure.number,
        "title": figure.title,
        "caption": figure.caption,
        "alt": figure.alt,
        "sources": _sources(figure.sources),
    }


def _table_data(table: TableItem) -> dict[str, Any]:
    model = table.model
    return {
        "label": table.label,
        "number": table.number,
        "caption": table.caption,
        "columns": _column_count(model),
        "header": [
            [{"text": cell.text, "span": cell.span, "align": cell.align} for cell in row]
            for row in model.header
        ],
        "rows": _rows(model),
        "notes": list(model.notes),
        "sources": _sources(table.sources),
    }


def _column_count(model: TableModel) -> int:
    widths = [sum(cell.span for cell in row) for row in model.header]
    widths += [len(row) for row in model.rows if row and row[0].kind != "group"]
    return max(widths, default=1)


def _rows(model: TableModel) -> list[list[dict[str, Any]]]:
    decimals = _decimals(model)
    return [
        [
            _cell(cell, decimals.get(column, 0))
            for column, cell in enumerate(row[:1] if row and row[0].kind == "group" else row)
        ]
        for row in model.rows
    ]


def _cell(cell: BodyCell, decimals: int) -> dict[str, Any]:
    data: dict[str, Any] = {"text": cell.text, "align": cell.align, "kind": cell.kind}
    if cell.strong:
        data["strong"] = True
    if cell.anchor:
        data["anchor"] = cell.anchor
    if cell.link:
        data["link"] = cell.link
    number = _DECIMAL.fullmatch(cell.text)
    if number and cell.align == "right" and len(number[1]) < decimals:
        data["pad"] = decimals - len(number[1])
    return data


def _decimals(model: TableModel) -> dict[int, int]:
    """Find the columns whose numbers differ in decimals only, and how many they have at most.

    Shorter numbers of such a column are moved left, so that the decimal points stand below each
    other. A column that mixes whole numbers and fractions is left alone.
    """
    found: dict[int, list[int]] = {}
    mixed: set[int] = set()
    for row in model.rows:
        for column, cell in enumerate(row):
            if cell.align != "right" or not any(map(str.isdigit, cell.text)):
                continue
            match = _DECIMAL.fullmatch(cell.text)
            if match and len(match[1]) < 3:
                found.setdefault(column, []).append(len(match[1]))
            else:
                mixed.add(column)
    return {column: max(counts) for column, counts in found.items() if column not in mixed}


def _sources(sources: tuple[Source, ...]) -> list[dict[str, str]]:
    return [{"text": source.text, "anchor": source.anchor} for source in sources]
