"""Calls to Pandoc, and walks over its syntax tree in JSON form."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pypandoc

from roundtrip.errors import RenderError
from roundtrip.headings import FENCED
from roundtrip.typography import belong_together, with_apostrophes

Element = dict[str, Any]
"""A block or inline element of the syntax tree: its type under ``t``, its content under ``c``."""

READER = "markdown-latex_macros-markdown_in_html_blocks-native_divs-native_spans+raw_attribute"
"""Markdown as Quarto reads it; HTML, TeX and formulas become elements that are refused by name."""
_INLINE = r"(?<![`\\])(?P<tick>`+)(?!`).+?(?<!`)(?P=tick)(?!`)"
CODE = f"(?P<code>{FENCED}|{_INLINE})"
"""Pattern of code in Markdown, over several lines: `re.MULTILINE` goes with it."""
_SPACES = frozenset({"Space", "SoftBreak", "LineBreak"})
_BLOCKS = frozenset(
    {
        "Plain", "Para", "LineBlock", "CodeBlock", "Header", "Table", "Figure", "Div", "BulletList",
        "OrderedList", "DefinitionList", "BlockQuote",
    }
)  # fmt: skip


PANDOC = Path(pypandoc.__file__).parent / "files" / "pandoc"
"""The Pandoc that is installed with the package, whatever other one there is."""


def run_pandoc(arguments: list[str], text: str) -> str:
    """Run Pandoc on text; a warning is an error."""
    done = subprocess.run(
        [PANDOC, "--fail-if-warnings", *arguments],
        input=text, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode:
        raise RenderError(f"Pandoc: {done.stderr.strip()}")
    return done.stdout


def parse_markdown(text: str) -> dict[str, Any]:
    """Parse Markdown into Pandoc's syntax tree."""
    tree: dict[str, Any] = json.loads(run_pandoc(["-f", READER, "-t", "json"], text))
    return tree


def write_tree(blocks: list[Any], to: str, *arguments: str) -> str:
    """Write blocks in one of Pandoc's output formats."""
    tree = {"pandoc-api-version": api_version(), "meta": {}, "blocks": blocks}
    return run_pandoc(
        ["-f", "json", "-t", to, "--wrap=none", *arguments], json.dumps(tree, ensure_ascii=False)
    )


@lru_cache(maxsize=1)
def api_version() -> list[int]:
    """Give the version of the syntax tree that this Pandoc reads."""
    return list(json.loads(run_pandoc(["-f", "markdown", "-t", "json"], ""))["pandoc-api-version"])


def walk(node: Any) -> Iterator[dict[str, Any]]:
    """Yield every element below a node, parents first."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if "t" in node:
                yield node
            waiting.extend(reversed(node.values()))
        elif isinstance(node, list):
            waiting.extend(reversed(node))


def rewrite(tree: Any, visit: Callable[[Element], list[Element] | None]) -> Any:
    """Rebuild a tree of lists and dictionaries, replacing elements on the way down.

    `visit` is given each element and returns its replacements, or None to keep it. Replacements
    are not visited again; what is inside a kept element is. The tree passed in is left as it
    is.
    """
    if isinstance(tree, list):
        result: list[Any] = []
        for item in tree:
            replaced = visit(item) if isinstance(item, dict) and "t" in item else None
            if replaced is None:
                result.append(rewrite(item, visit))
            else:
                result.extend(replaced)
        return result
    if isinstance(tree, dict):
        return {key: rewrite(value, visit) for key, value in tree.items()}
    return tree


def plain(tree: Any) -> str:
    """Give the text of a tree, without markup, footnotes and placeholders."""
    return "".join(_pieces(tree))


def as_printed(tree: Any) -> Any:
    """Give a tree as it is printed: what belongs together on one line, apostrophes typographic."""
    if isinstance(tree, dict):
        if tree.get("t") == "Str":
            return {**tree, "c": with_apostrophes(tree["c"])}
        return {key: as_printed(value) for key, value in tree.items()}
    if not isinstance(tree, list):
        return tree
    bound = [as_printed(element) for element in tree]
    for place in range(1, len(bound) - 1):
        before, space, after = bound[place - 1 : place + 2]
        if (
            isinstance(space, dict)
            and space.get("t") in ("Space", "SoftBreak")
            and belong_together(plain(before), plain(after))
        ):
            bound[place] = {"t": "Str", "c": "\u00a0"}
    return bound


def _pieces(tree: Any) -> Iterator[str]:
    if isinstance(tree, list):
        for item in tree:
            yield from _pieces(item)
    elif isinstance(tree, dict) and "t" in tree:
        kind: str = tree["t"]
        content: Any = tree.get("c")
        if kind == "Str":
            yield content
        elif kind in _SPACES:
            yield " "
        elif kind in {"Code", "CodeBlock", "Math"}:
            yield content[1]
        elif kind == "Quoted":
            yield from ("“", *_pieces(content[1]), "”")
        elif kind not in {"Note", "RawBlock", "RawInline"}:
            yield from _pieces(content)
        if kind in _BLOCKS:
            yield " "
