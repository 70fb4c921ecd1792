"""Chapter notebooks as files: cell options, labels, parameters, the modules that they import."""

from __future__ import annotations

import ast
import copy
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any

import nbformat
import orjson
from nbformat import NotebookNode, from_dict

from roundtrip.errors import ChapterError, unknown
from roundtrip.headings import headings_of
from roundtrip.outputs import one_line
from roundtrip.yamlfile import hidden_character, parse_yaml

KNOWN_OPTIONS = ("label", "fig-cap", "fig-alt", "tbl-cap")
LABEL = re.compile(r"(fig|tbl)-[a-z0-9][a-z0-9-]*")
"""What every figure and table is referred to by."""
_LABELLED = re.compile(rf"^#\|\s*label:\s*[\"']?({LABEL.pattern})", re.MULTILINE)


def read_notebook(path: Path) -> NotebookNode:
    """Read a notebook and validate its format.

    Raises
    ------
    ChapterError
        If the file is missing, is no notebook, or has a cell that a report cannot hold.
    """
    found: dict[str, Exception] = {}
    try:
        notebook: NotebookNode = nbformat.read(path, as_version=4, capture_validation_error=found)
        for problem in found.values():
            raise problem
    except FileNotFoundError as problem:
        raise ChapterError(
            "the chapter does not exist", where=path, remedy="correct the list in _quarto.yml"
        ) from problem
    except Exception as problem:  # nbformat lets JSON, schema and key errors through
        reason = str(problem).splitlines()[0][:200]
        raise ChapterError(
            f"is not a valid notebook: {reason}",
            where=path,
            remedy="restore it from git, or save it again in JupyterLab",
        ) from problem
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "raw":
            raise ChapterError(
                "is a raw cell, which a report cannot hold", where=f"{path}: cell {number}",
                allowed="Markdown and code",
            )  # fmt: skip
        hidden = hidden_character(cell.source)
        if hidden is not None:
            raise ChapterError(f"holds {hidden}", where=f"{path}: cell {number}")
    return notebook


def executed_from(content: bytes) -> NotebookNode:
    """Read a notebook as `executed_as_bytes` gave it; it was validated when it was executed.

    What the outputs show stays as plain JSON: a chart has thousands of values.
    """
    kept = orjson.loads(content)
    cells = [_cell_of(cell) for cell in kept["cells"]]
    return NotebookNode({**kept, "metadata": from_dict(kept["metadata"]), "cells": cells})


def _cell_of(kept: dict[str, Any]) -> NotebookNode:
    cell = NotebookNode({**kept, "metadata": from_dict(kept["metadata"])})
    if cell.cell_type == "code":
        cell.outputs = [NotebookNode(output) for output in kept["outputs"]]
    return cell


def executed_as_bytes(notebook: NotebookNode) -> bytes:
    """Write an executed notebook as JSON in one line, which is read and written fastest."""
    return orjson.dumps(notebook, option=orjson.OPT_SORT_KEYS)


def heading_of(notebook: NotebookNode, path: Path) -> tuple[str, str]:
    """Give title and label of a chapter from its first line.

    Raises
    ------
    ChapterError
        If the first cell does not begin with ``# Title {#sec-name}``.
    """
    first = notebook.cells[0] if notebook.cells else None
    if first is not None and first.cell_type == "markdown":
        for one in headings_of(first.source)[:1]:
            if one.level == one.line == 1 and one.label and "{eval}" not in one.title:
                return one.title, one.label
    raise ChapterError(
        "the first cell must begin with '# Title {#sec-name}'",
        where=f"{path}: cell 1",
        allowed="plain words; values may be named in the text below",
    )


def parted(source: str) -> tuple[list[str], str]:
    """Part the ``#|`` lines at the top of a cell from its code."""
    lines = source.splitlines()
    options = list(takewhile(lambda line: line.startswith("#|"), lines))
    return options, "\n".join(lines[len(options) :]).strip("\n")


def options_of(source: str, where: str) -> dict[str, str]:
    """Read the ``#| key: value`` lines at the top of a code cell; others than known are refused."""
    lines, _ = parted(source)
    if not lines:
        return {}
    text = "\n".join(line[2:].removeprefix(" ") for line in lines)
    options = parse_yaml(text, f"{where}, options", ChapterError)
    if not isinstance(options, dict):
        raise ChapterError("cell options must be 'key: value' lines", where=where)
    for key in options:
        if key not in KNOWN_OPTIONS:
            raise unknown(ChapterError, "cell option", str(key), KNOWN_OPTIONS, where=where)
    return {key: str(value) for key, value in options.items()}


def option_lines(options: Mapping[str, str]) -> list[str]:
    """Write options as the ``#|`` lines of a cell, each value as JSON in one line."""
    return [
        f"#| {key}: {json.dumps(one_line(value), ensure_ascii=False)}"
        for key, value in options.items()
    ]


def read_options(source: str) -> dict[str, str]:
    """Read back what `option_lines` wrote at the top of a cell."""
    parts = (line[2:].partition(":") for line in parted(source)[0])
    return {key.strip(): json.loads(value) for key, _, value in parts}


def without_options(source: str) -> str:
    """Give a cell's code without its option lines."""
    return parted(source)[1]


def with_code_gathered(cells: Iterable[Any]) -> list[Any]:
    """Move the code of cells that show nothing to the next cell that shows something.

    A page then begins with what it says, and one click opens all that its first figure needs. The
    parameters of the edition stand alone, without the defaults that they replace.
    """
    cells = list(cells)
    replaced = any("injected-parameters" in tags_of(cell) for cell in cells)
    gathered, waiting = [], []
    for cell in cells:
        if replaced and "parameters" in tags_of(cell):
            continue
        if cell.cell_type != "code":
            gathered.append(cell)
        elif not cell.outputs:
            waiting.append(cell)
        else:
            options, own = parted(cell.source)
            code = [each.source for each in waiting] + [own]
            source = "\n".join([*options, "\n\n".join(filter(None, code))])
            gathered.append(NotebookNode({**cell, "source": source}))
            waiting = []
    return gathered + waiting


def with_parameters_once(notebook: NotebookNode) -> NotebookNode:
    """Put the parameters of the edition where the defaults stand that they replace.

    Who changes them in a chapter that was executed then changes what is used.
    """
    given = [cell.source for cell in notebook.cells if "injected-parameters" in tags_of(cell)]
    cells = [cell for cell in notebook.cells if "injected-parameters" not in tags_of(cell)]
    if given:
        cells = [
            NotebookNode({**cell, "source": given[0]}) if "parameters" in tags_of(cell) else cell
            for cell in cells
        ]
    return with_cells(notebook, cells)


def with_cells(notebook: NotebookNode, cells: list[Any]) -> NotebookNode:
    """Give a notebook with other cells; the one given keeps its own."""
    changed = copy.copy(notebook)
    changed.cells = cells
    return changed


def name_cells(cells: Iterable[Any]) -> None:
    """Name cells by their places, where Jupyter has names that differ from run to run."""
    for number, cell in enumerate(cells, start=1):
        cell["id"] = f"cell-{number}"


def tags_of(cell: Any) -> list[str]:
    """Give the tags of a cell."""
    return list(cell.get("metadata", {}).get("tags", []))


def numbered(notebook: NotebookNode) -> Iterator[tuple[int, Any]]:
    """Yield each cell with its number in the source, which lacks the cell that papermill adds."""
    number = 0
    for cell in notebook.cells:
        number += "injected-parameters" not in tags_of(cell)
        yield number, cell


def static_labels(notebook: NotebookNode) -> set[str]:
    """Give every label that the source of a chapter shows, without running it."""
    labels: set[str] = set()
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            labels.update(one.label for one in headings_of(cell.source) if one.label)
        else:
            labels.update(match[1] for match in _LABELLED.finditer(cell.source))
    return labels


def used_twice(label: str, first: str, second: str) -> ChapterError:
    """Say that two chapters, in the book's order, or one of them twice, give a label."""
    return ChapterError(
        f"label '{label}' is used twice, in {first} and {second}",
        # The first is one's own where the other is an appendix.
        where=f"notebooks/{first}.ipynb",
        remedy="rename it there, and wherever that chapter refers to it",
    )


def declared_parameters(notebook: NotebookNode, path: Path, known: Collection[str]) -> list[str]:
    """Give the names that the cell tagged ``parameters`` assigns, of the known ones.

    Refused are several such cells, what is no plain assignment, and unknown names.
    """
    cells = [
        (number, cell.source)
        for number, cell in enumerate(notebook.cells, start=1)
        if cell.cell_type == "code" and "parameters" in tags_of(cell)
    ]
    if not cells:
        return []
    if len(cells) > 1:
        raise ChapterError("several cells are tagged 'parameters'", where=path)
    number, source = cells[0]
    where = f"{path}: cell {number}"
    try:
        statements = ast.parse(source).body
    except SyntaxError as problem:
        raise ChapterError(f"the parameters cell is not Python: {problem.msg}", where=where) from (
            problem
        )
    names = []
    for statement in statements:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in known:
                names.append(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                raise unknown(ChapterError, "parameter of the report", name, known, where=where)
            case _:
                raise ChapterError("the parameters cell may only assign defaults", where=where)
    return names


def modules_of(folder: Path, cells: Iterable[str]) -> list[Path]:
    """Find the modules in a chapter's folder that its code imports, directly or through others.

    The folder is where its kernel works. A cell that is not plain Python may import any of
    them.
    """
    found: set[Path] = set()
    waiting: list[Path] = []
    for source in cells:
        try:
            waiting += _imported(source.encode(), folder, folder)
        except SyntaxError:
            waiting += folder.rglob("*.py")
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            try:
                waiting += _imported(path.read_bytes(), path.parent, folder)
            except (SyntaxError, ValueError) as problem:
                line = getattr(problem, "lineno", None) or 1
                raise ChapterError(f"is not Python: {problem}", where=f"{path}:{line}") from problem
    return sorted(found)


@lru_cache(maxsize=4096)  # many chapters share a module, and a build that watches reads it again
def _imports(source: bytes) -> tuple[tuple[int, str], ...]:
    """Give the dotted names that a module imports, each with how many folders up it begins."""
    found: dict[tuple[int, str], None] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {(0, alias.name): None for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = f"{node.module}." if node.module else ""
            found |= {(node.level, start + alias.name): None for alias in node.names}
    return tuple(found)


def _imported(source: bytes, own: Path, top: Path) -> list[Path]:
    """Give the files that a module's imports lead to, in its own folder or below the top one."""
    places = [top, *(place for place in (own, *own.parents) if place.is_relative_to(top))]
    return [
        path
        for level, name in _imports(source)
        if level < len(places)  # beyond the topmost folder: the chapter's run says so
        for path in _files(places[level], name.split("."))
    ]


def _files(start: Path, names: list[str]) -> Iterator[Path]:
    """Give every file that importing ``a.b.c`` reads: the packages on the way, and the module."""
    for depth in range(1, len(names) + 1):
        place = start.joinpath(*names[:depth])
        for path in (place / "__init__.py", place.with_suffix(".py")):
            if path.is_file():
                yield path
        if not place.is_dir():  # an installed package, or a name in a module
            return
