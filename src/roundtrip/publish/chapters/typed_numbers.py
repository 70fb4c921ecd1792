"""Refuse a number that is typed into a chapter's prose instead of coming from the data.

A number may be typed where it names or sets something; every other one was measured, counted or
computed. Each rule says what it lets through; a number that no rule covers fails the build.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import nbformat
from pydantic import Field

from roundtrip.errors import ChapterError, ParameterError
from roundtrip.project import Project
from roundtrip.publish.chapters.notebooks import options_of
from roundtrip.yamlfile import Strict, load_model, matching

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

    A ChapterError names the line of the first call with such a number; `names` may be typed. The
    module is one that `modules_of` has found, and so Python.
    """
    for line, prose in _prose_of_module(path.read_bytes()):
        _refuse(prose, f"{where}:{line}", names)


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


@lru_cache(maxsize=4096)  # a build that watches reads the same modules again
def _prose_of_module(source: bytes) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Give the sentences that each call in a module holds, with its line."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return tuple((call.lineno, tuple(_of_call(call))) for call in calls)


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


# Nothing is tried twice and lists are bounded, so that no text takes long.
_NUMBER = r"(?<![\d.,])\d++(?>(?:[.,\u202f]\d++)*)"
_LIST = rf"{_NUMBER}(?>(?:(?:, and|,| and| or| to) {_NUMBER}){{0,8}})(?>(?:–\d++)?)"
_GAP = r"[ \u00a0-]"
_NO_UNIT = r"(?!\s*(?:%|[a-z ]+/s|round trips|messages|requesters|clients|times|ms\b|s\b|MB|KB))"
_RELEASE = rf"\d+\.\d+(?![\d.,]*\d){_NO_UNIT}"
_OTHER_RELEASE = rf"(?: (?:and|or|against|versus) v?{_RELEASE})"

# What is no prose: code, formulas of references, labels, addresses, placeholders.
_NO_PROSE = re.compile(
    r"```.*?```|`[^`]*`|\{[^}]*\}|@[A-Za-z][\w-]*|\]\([^)]*\)|<?https?://\S+|^\s*\d+\.\s",
    re.DOTALL | re.MULTILINE,
)

RULES: dict[str, re.Pattern[str]] = {
    "a date": re.compile(r"\b\d{4}-\d{2}-\d{2}\b"),
    # V3.1, LZ4, X200, SHA-256, SHARECNV(0), p570, HA2, AMQ3288I, RR-CC-2
    "part of a name": re.compile(
        r"(?<!\w)(?=[A-Za-z][\w/.(-]{0,60}\d)[\w/]{1,60}+(?>(?:[-.(]\w{1,60}+){0,6})\)?"
    ),
    # 10Q, 64-bit, 2Q-pair, 16-core; but not 12ms, 5s, 3x, 7k, 8pp
    "a number that begins a name": re.compile(r"\b\d+(?:Q\b|-bit\b|-way\b|-core\b)"),
    # TLS 1.2, JDK 17, Acme Broker 3.1 against 3.0, 2.55.0; but not "At Berlin 3.1 ms"
    "a version": re.compile(
        rf"\b(?:TLS|SSL|HTTP|AMQP|MQTT|JMS|Java|JDK|JRE|OpenJDK|Python|Linux|RHEL|Debian|Ubuntu|AIX"
        rf"|Windows|macOS|NFS|[Kk]ernel|[Vv]ersion|[Rr]elease){_GAP}v?{_NUMBER}"
        rf"(?: (?:and|or) {_NUMBER}|{_OTHER_RELEASE})?"
        rf"|\b[A-Z]\w{{1,30}}+ [A-Z]\w{{1,30}}+ v?{_RELEASE}{_OTHER_RELEASE}?"
        r"|(?<![\d.,])\d+\.\d+\.\d+(?!,?\d|\.\d)"
    ),
    "cores that a machine has": re.compile(
        rf"(?:\b(?:on|with|has|have|of) (?:a |an )?|^){_LIST} (?:(?:physical|logical|virtual) )?"
        r"(?:cores|vCPUs|CPUs|processors|hardware threads)\b"
    ),
    "a percentile": re.compile(r"\b\d{2}(?:\.\d+)?th percentiles?\b"),
    "a time that was set": re.compile(
        rf"{_LIST}{_GAP}(?:s|seconds?|min|minutes?) of (?:warm-up|ramp-up|measurement)\b"
        rf"|\b(?:warm-up|ramp-up|measurement|runs?)s? (?:of|for) {_LIST}{_GAP}"
        r"(?:s|seconds?|min|minutes?)\b"
    ),
    "a place in a document": re.compile(
        rf"\b(?:[Tt]ables?|[Ff]igures?|[Ss]ections?|[Ss]ec\.?|[Cc]hapters?|[Pp]ages?|[Ss]teps?)"
        rf"{_GAP}{_LIST}"
    ),
    "a message, file or memory size": re.compile(
        rf"{_LIST}{_GAP}(?:bytes?|B|[KMGT]i?B)\b(?!/|\s*per\b)"
    ),
    "the bandwidth of a link": re.compile(
        rf"\blinks? of {_LIST}{_GAP}[KMG]b(?:/s)?(?!\w)"
        rf"|{_LIST}{_GAP}[KMG]b(?:/s|it)?{_GAP}(?:links?|ports?|Ethernet|networks?)\b"
        rf"|{_LIST}{_GAP}?GbE\b"
    ),
    "a delay that was set": re.compile(
        rf"\b[Dd]elays? of {_LIST}{_GAP}ms\b"
        rf"|{_LIST}{_GAP}ms (?:(?:of|more|less) (?:link )?delay|added|between|on the links?)\b"
    ),
    "a load that was set": re.compile(
        rf"{_LIST} (?:\w+ )?(?:threads?|machines?)\b|\bsteps of {_NUMBER}\b"
        rf"|\bone message (?:in|every) {_NUMBER} seconds\b"
    ),
    "a level of confidence": re.compile(rf"{_NUMBER}{_GAP}%{_GAP}(?:confidence|intervals?)\b"),
    "what is quoted as printed": re.compile(r"\u201c[^\u201d]{1,40}\u201d"),
    "a year": re.compile(
        r"(?<![\d.,\u2212+-])(?:19|20)\d\d(?![\d.,]*\d)"
        rf"{_NO_UNIT}"
    ),
}  # fmt: skip
_BLANK = "\u00b7"
_DIGIT = re.compile(r"\d")
_LEFT = re.compile(rf"[+\u2212-]?\d++(?>(?:[.,\u202f]\d++)*)(?:{_GAP}?[%\u2030])?")


Name = Annotated[
    str, Field(min_length=2, max_length=100), matching("(?s).*[A-Za-z].*", "a text with a letter")
]


class _Names(Strict):
    names: tuple[Name, ...] = ()


def names_of(project: Project) -> tuple[str, ...]:
    """Read the names with numbers that a project declares in ``params/names.yml``."""
    path = project.params / "names.yml"
    return load_model(path, _Names, ParameterError).names if path.exists() else ()


def typed_numbers(prose: str, names: Sequence[str] = ()) -> Iterator[str]:
    """Find numbers in prose that no rule lets through, each with the word after it.

    The prose is Markdown, or a template of `Chapter.text`; `names` are names with numbers,
    beside those that the rules know.
    """
    if not _DIGIT.search(prose):
        return
    text = _NO_PROSE.sub(_blank, prose)
    for name in names:
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w|[.,]\d)", _blank, text)
    for rule in RULES.values():
        text = rule.sub(_blank, text)
    for match in _LEFT.finditer(text):
        after = re.match(rf"\s*[^\s\d{_BLANK}]\S*", text[match.end() :])
        yield (match[0] + (after[0] if after else "")).rstrip(".,;:")


def _blank(match: re.Match[str]) -> str:
    """Leave the place of what is let through, so that nothing new is joined across it."""
    return "\n" * match[0].count("\n") + _BLANK
