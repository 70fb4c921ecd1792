"""What changed from one edition of a report to another."""

from __future__ import annotations

import csv
import difflib
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Literal

from roundtrip.errors import DataError
from roundtrip.packet.contents import REPORT
from roundtrip.publish.manifest import read_manifest

Kind = Literal["claim", "number", "cell", "sentence", "table", "parameter", "check", "environment"]
ORDER: tuple[Kind, ...] = (
    "claim", "number", "cell", "sentence", "table", "check", "parameter", "environment",
)  # fmt: skip
"""By importance: what a reader of the old edition must unlearn comes first."""
_VERDICT = {"report", "id", "verdict"}


@dataclass(frozen=True)
class Change:
    """One difference.

    Attributes
    ----------
    kind : str
        One of `ORDER`.
    where : str
        Table, figure, page, claim, parameter or library.
    old, new : str
        Empty where there is none.
    relative : float or None
        New by old, less one; of numbers only.
    beyond : bool or None
        Whether the two intervals are apart; None where one of the two has none.
    """

    kind: Kind
    where: str
    old: str
    new: str
    relative: float | None = None
    beyond: bool | None = None

    @property
    def weight(self) -> tuple[int, int, float]:
        """Order by importance, the largest change first."""
        return (
            ORDER.index(self.kind),
            0 if self.beyond else 1,
            -abs(self.relative) if self.relative is not None else 0.0,
        )


def report_in(folder: Path) -> Path:
    """Give the report's folder within a packet, or the folder itself where it is a report.

    Raises
    ------
    DataError
        If it is neither.
    """
    for place in (folder / REPORT, folder):
        if (place / "manifest.json").is_file():
            return place
    raise DataError(
        "is neither a packet nor a built report", where=folder,
        allowed="a file that 'roundtrip pack' wrote, or a folder reports/<version>",
    )  # fmt: skip


def changes(old: Path, new: Path) -> list[Change]:
    """Compare two built reports.

    Parameters
    ----------
    old, new : Path
        Folders with ``manifest.json`` and ``html``.

    Returns
    -------
    list of Change
        The most important first.

    Raises
    ------
    RenderError
        If a manifest is damaged.
    """
    found = [*_tables(old, new), *_sentences(old, new), *_manifests(old, new)]
    return sorted(found, key=lambda change: (change.weight, change.where))


def _tables(old: Path, new: Path) -> Iterator[Change]:
    """Compare the data of tables and figures, each by its name."""
    first, second = (
        {path.stem: path for path in sorted((folder / "html" / "data").glob("*.csv"))}
        for folder in (old, new)
    )
    verdicts: tuple[dict[str, str], dict[str, str]] = ({}, {})
    for name in sorted(first.keys() | second.keys()):
        rows = [_rows(each[name]) if name in each else None for each in (first, second)]
        if any(group and set(group[0]) >= _VERDICT for group in rows):
            for group, kept in zip(rows, verdicts, strict=True):
                kept.update({f"{row['report']}/{row['id']}": row["verdict"] for row in group or ()})
        elif rows[0] is None or rows[1] is None:
            yield Change("table", name, _presence(rows[0]), _presence(rows[1]))
        else:
            yield from _cells(name, rows[0], rows[1])
    for claim in sorted(verdicts[0].keys() | verdicts[1].keys()):
        one, other = (kept.get(claim, "") for kept in verdicts)
        if one != other:
            yield Change("claim", claim, one, other)


def _presence(rows: Sequence[Mapping[str, str]] | None) -> str:
    return "" if rows is None else "present"


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return [
            {str(key): value or "" for key, value in row.items()}
            for row in csv.DictReader(stream, restkey="further", restval="")
            if isinstance(row, dict)
        ]


def _cells(
    name: str, old: Sequence[Mapping[str, str]], new: Sequence[Mapping[str, str]]
) -> Iterator[Change]:
    """Compare the rows of a table, which are found again by what names them."""
    first, second = _named(old), _named(new)
    for key in [*first, *(key for key in second if key not in first)]:
        one, other = first.get(key), second.get(key)
        where = f"{name}: {', '.join(part for part in key[:-1] if part)}"
        if one is None or other is None:
            yield Change("cell", where, _told(one), _told(other))
            continue
        for column in one:
            if column in ("low", "high", "cells") or one[column] == other.get(column, ""):
                continue
            before, after = one[column], other.get(column, "")
            numbers = _number(before), _number(after)
            label = where if column == "value" else f"{where}, {column}"
            if None in numbers:
                yield Change("cell", label, before, after)
            elif numbers[0] != numbers[1]:
                yield Change(
                    "number", label, before, after, _relative(*numbers), _beyond(one, other)
                )


def _named(rows: Sequence[Mapping[str, str]]) -> dict[tuple[str, ...], Mapping[str, str]]:
    """Give rows by what names them: columns before the value, or the first one; and how often."""
    seen: Counter[tuple[str, ...]] = Counter()
    found = {}
    for row in rows:
        columns = list(row)
        until = columns.index("value") if "value" in row else 1
        key = tuple(row[column] for column in columns[:until])
        seen[key] += 1
        found[*key, str(seen[key])] = row
    return found


def _told(row: Mapping[str, str] | None) -> str:
    if row is None:
        return ""
    return row.get("value", "present")


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _relative(old: float | None, new: float | None) -> float | None:
    return new / old - 1 if old and new is not None else None


def _beyond(old: Mapping[str, str], new: Mapping[str, str]) -> bool | None:
    """Say whether two intervals are apart; None where one is unknown."""
    ends = [_number(row.get(name, "")) for row in (old, new) for name in ("low", "high")]
    low, high, other_low, other_high = ends
    if low is None or high is None or other_low is None or other_high is None:
        return None
    return high < other_low or other_high < low


class _Text(HTMLParser):
    """Collects the paragraphs, list items and headings of a chapter, without code and tables."""

    _BLOCKS = ("p", "li", "h1", "h2", "h3", "h4", "figcaption", "caption", "dd")
    _APART = ("script", "style", "pre", "nav", "table", "svg", "details", "button")

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[str] = []
        self._open: list[str] = []
        self._apart = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in self._APART:
            self._apart += 1
        elif tag in self._BLOCKS:
            self._end()
            self._open = [""]

    def handle_endtag(self, tag: str) -> None:
        if tag in self._APART:
            self._apart = max(self._apart - 1, 0)
        elif tag in self._BLOCKS:
            self._end()

    def handle_data(self, data: str) -> None:
        if self._open and not self._apart:
            self._open.append(data)

    def _end(self) -> None:
        text = " ".join("".join(self._open).split())
        if text:
            self.blocks.append(text)
        self._open = []


def _paragraphs(path: Path) -> list[str]:
    reader = _Text()
    text = path.read_text("utf-8", "replace")
    begin, end = text.find("<main"), text.rfind("</main>")
    reader.feed(text[begin:end] if begin >= 0 else text)
    return reader.blocks


def _sentences(old: Path, new: Path) -> Iterator[Change]:
    """Compare the text of pages, paragraph by paragraph."""
    first, second = (
        {path.name: path for path in sorted((folder / "html").glob("*.html"))}
        for folder in (old, new)
    )
    for name in sorted(first.keys() | second.keys()):
        if name not in first or name not in second:
            yield Change("table", f"page {name}", "present" if name in first else "",
                         "present" if name in second else "")  # fmt: skip
            continue
        one, other = _paragraphs(first[name]), _paragraphs(second[name])
        matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag != "equal":
                width = max(i2 - i1, j2 - j1)
                yield from (
                    Change(
                        "sentence",
                        name,
                        one[i1 + number] if i1 + number < i2 else "",
                        other[j1 + number] if j1 + number < j2 else "",
                    )
                    for number in range(width)
                )


def _manifests(old: Path, new: Path) -> Iterator[Change]:
    """Compare parameters, checks and versions."""
    first, second = (read_manifest(folder) or {} for folder in (old, new))
    parts: tuple[tuple[Kind, str], ...] = (
        ("parameter", "parameters"), ("environment", "libraries"), ("environment", "engine"),
    )  # fmt: skip
    for kind, part in parts:
        one, other = first.get(part, {}), second.get(part, {})
        for name in sorted(one.keys() | other.keys()):
            if one.get(name) != other.get(name):
                yield Change(kind, name, _plain(one.get(name)), _plain(other.get(name)))
    failed = [set(each.get("checks", {}).get("failed", ())) for each in (first, second)]
    yield from (Change("check", rule, "failed", "holds") for rule in sorted(failed[0] - failed[1]))
    yield from (Change("check", rule, "holds", "failed") for rule in sorted(failed[1] - failed[0]))


def _plain(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)
