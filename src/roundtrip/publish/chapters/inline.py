"""Values that the text of a chapter names, as MyST writes it: ``{eval}`best```.

JupyterLab with MyST's extension evaluates them when a text cell is shown, and keeps the results in
the cell's metadata. The build does the same, so that an executed chapter reads alike in both.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from roundtrip.errors import ChapterError
from roundtrip.outputs import MARKDOWN, escape_markdown
from roundtrip.publish.chapters.notebooks import with_cells

RESULTS = "user_expressions"
"""Where the metadata of a text cell holds results."""

# The first alternative that fits wins: what stands within code is an example, no expression.
_INLINE = re.compile(
    r"(?P<code>^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)|(?<!\})(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|\{eval\}(?:`(?P<expression>[^`\n]+)`)?",
    re.DOTALL | re.MULTILINE,
)
_ALLOWED = (
    ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.keyword, ast.Constant,
    ast.Tuple, ast.List, ast.UnaryOp, ast.USub, ast.Load,
)  # fmt: skip


def expressions_of(text: str, where: str | Path) -> list[str]:
    """Give the expressions that Markdown names, each once, in order.

    One that is malformed, or computes instead of naming, is refused.
    """
    matches = _INLINE.finditer(text) if "{eval}" in text else ()
    found = dict.fromkeys(match["expression"] for match in matches if match["code"] is None)
    for expression in found:
        if expression is None:
            raise ChapterError(
                "'{eval}' is not followed by an expression in backticks",
                where=where, allowed="{eval}`name.attribute`, in one line",
            )  # fmt: skip
        _refuse_computing(expression, where)
    return list(found)


def _refuse_computing(expression: str, where: str | Path) -> None:
    try:
        parts = list(ast.walk(ast.parse(expression.strip(), mode="eval")))
    except (SyntaxError, ValueError) as problem:
        raise _refused(expression, "is no expression", where) from problem
    for part in parts:
        if not isinstance(part, _ALLOWED):
            raise _refused(expression, f"computes ({type(part).__name__})", where)


def _refused(expression: str, what: str, where: str | Path) -> ChapterError:
    return ChapterError(
        f"{{eval}}`{expression}` {what}",
        where=where,
        allowed="names, attributes, items and calls, as in rates['LZ4FAST'].peak",
        remedy="compute it in a code cell above, or in the chapter's module",
    )


def markdown_of(result: dict[str, Any]) -> str:
    """Give the Markdown that stands for a value, from what the kernel said of it.

    A ValueError names its type if it is neither a quantity nor text nor a whole number.
    """
    data = result["data"]
    if MARKDOWN in data:
        return str(data[MARKDOWN])
    plain = str(data.get("text/plain", ""))
    try:
        value = ast.literal_eval(plain)
    except (SyntaxError, ValueError):
        value = None
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return escape_markdown(str(value))
    raise ValueError(plain.splitlines()[0][:80] if plain else "nothing")


def with_values(notebook: NotebookNode) -> NotebookNode:
    """Fill the values into the text cells of an executed chapter.

    Returns
    -------
    notebook
        A copy as renderers want it, without expressions.
    """
    cells = [_filled(cell) if RESULTS in cell.metadata else cell for cell in notebook.cells]
    return with_cells(notebook, cells)


def _filled(cell: NotebookNode) -> NotebookNode:
    values = {entry["expression"]: markdown_of(entry["result"]) for entry in cell.metadata[RESULTS]}

    def fill(match: re.Match[str]) -> str:
        return match[0] if match["code"] is not None else values[match["expression"]]

    metadata = {key: value for key, value in cell.metadata.items() if key != RESULTS}
    return NotebookNode(
        {**cell, "source": _INLINE.sub(fill, cell.source), "metadata": NotebookNode(metadata)}
    )
