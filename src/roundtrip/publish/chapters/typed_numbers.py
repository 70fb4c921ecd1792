"""Refuse a number that is typed into a chapter's prose instead of coming from the data."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat

from roundtrip.errors import ChapterError
from roundtrip.publish.chapters.modules import parse_module
from roundtrip.publish.chapters.notebooks import options_of
from roundtrip.publish.chapters.number_names import typed_numbers

_TEXT_CALLS = ("text", "Text")
_PROSE_ARGUMENTS = ("title", "caption", "alt", "notes")


def refuse_typed_numbers(
    notebook: nbformat.NotebookNode, where: str | Path, names: Sequence[str] = ()
) -> None:
    """Refuse measured numbers typed into Markdown, templates, titles, captions and alt texts.

    A ChapterError names the cell and every such number in it; `names` may be typed.
    """
    for number, cell in enumerate(notebook.cells, start=1):
        _refuse(_prose_of(cell, str(where)), f"{where}: cell {number}", names)


def refuse_typed_numbers_in_module(
    path: Path, where: str | Path, names: Sequence[str] = ()
) -> None:
    """Refuse measured numbers typed into the sentences of a module beside the chapters.

    A ChapterError names the line of the first call with such a number; `names` may be typed.
    """
    for node in ast.walk(parse_module(path)):
        if isinstance(node, ast.Call):
            _refuse(_of_call(node), f"{where}:{node.lineno}", names)


def _refuse(prose: Iterable[str], where: str, names: Sequence[str]) -> None:
    found = [item for text in prose for item in typed_numbers(text, names)]
    if found:
        listed = ", ".join(f"'{item}'" for item in dict.fromkeys(found))
        raise ChapterError(
            f"a number is typed into the text: {listed}",
            where=where,
            allowed="numbers that name something: versions, sizes, years, tables "
            "('roundtrip docs chapters' lists them)",
            remedy="compute it and name it, {eval}`value` in a text cell; a name that "
            "holds a number goes into params/names.yml",
        )


def _prose_of(cell: Any, where: str) -> Iterator[str]:
    """Give the sentences that a cell holds."""
    if cell.cell_type == "markdown":
        yield cell.source
    elif cell.cell_type == "code":
        yield from options_of(cell.source, where).values()
        try:
            tree = ast.parse(cell.source)
        except SyntaxError:
            return  # running the cell says what is wrong with it
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                yield from _of_call(node)


def _of_call(call: ast.Call) -> Iterator[str]:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    written: list[ast.expr] = call.args[:1] if name in _TEXT_CALLS else []
    written += [item.value for item in call.keywords if item.arg in _PROSE_ARGUMENTS]
    for expression in written:
        yield from _texts(expression)


def _texts(node: ast.expr) -> Iterator[str]:
    """Give the literal text of an expression, with a mark where something is computed."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(
            part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "{}"
            for part in node.values
        )
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = list(_texts(node.left)), list(_texts(node.right))
        # A sentence that goes on is one sentence: a unit may stand in its second half.
        if len(left) == len(right) == 1:
            yield left[0] + right[0]
        else:
            yield from (*left, *right)
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)
    elif isinstance(node, (ast.List, ast.Tuple)):
        for item in node.elts:
            yield from _texts(item)
