"""The modules beside a chapter that it imports, found without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from roundtrip.errors import ChapterError


def modules_of(folder: Path, cells: Iterable[str]) -> list[Path]:
    """Find the modules in a chapter's folder that its code imports, directly or through others.

    The folder is where its kernel works. A cell that is not plain Python may import any of
    them.
    """
    found: set[Path] = set()
    waiting: list[Path] = []
    for source in cells:
        try:
            tree = ast.parse(source)
        except SyntaxError:
            waiting += folder.rglob("*.py")
        else:
            waiting += _imported(tree, folder, folder)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imported(parse_module(path), path.parent, folder)
    return sorted(found)


def parse_module(path: Path) -> ast.Module:
    """Parse a module; a ChapterError says where it is not Python."""
    try:
        return ast.parse(path.read_bytes())
    except (SyntaxError, ValueError) as problem:
        line = getattr(problem, "lineno", None) or 1
        raise ChapterError(f"is not Python: {problem}", where=f"{path}:{line}") from problem


def _imported(tree: ast.Module, own: Path, top: Path) -> Iterator[Path]:
    """Give the files that a module's imports lead to, in its own folder or below the top one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files(top, alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            places = [top, *(place for place in (own, *own.parents) if place.is_relative_to(top))]
            if node.level >= len(places):
                continue  # beyond the topmost folder: the chapter's run says so
            start = places[node.level]
            for alias in node.names:
                names = [*(node.module or "").split("."), alias.name]
                yield from _files(start, [name for name in names if name])


def _files(start: Path, names: list[str]) -> Iterator[Path]:
    """Give every file that importing ``a.b.c`` reads: the packages on the way, and the module."""
    for depth in range(1, len(names) + 1):
        place = start.joinpath(*names[:depth])
        for path in (place / "__init__.py", place.with_suffix(".py")):
            if path.is_file():
                yield path
