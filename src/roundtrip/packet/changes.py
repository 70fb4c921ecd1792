"""What changed from one edition of a report to another."""

from __future__ import annotations

import csv
import difflib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from roundtrip.errors import DataError
from roundtrip.outputs import SVG
from roundtrip.packet.archive import not_an_edition
from roundtrip.packet.contents import REPORT, json_in
from roundtrip.packet.sentences import paragraphs, with_plain_numbers
from roundtrip.project import PACKAGE, filled
from roundtrip.publish.manifest import EDITION_MANIFEST, differing, manifest_of

T = TypeVar("T")
Kind = Literal[
    "stale", "claim", "number", "cell", "sentence", "table", "picture", "check", "parameter",
    "environment", "file",
]  # fmt: skip
"""By importance: what a reader of the old edition must unlearn comes first."""
ORDER: tuple[Kind, ...] = get_args(Kind)
CHANGES_PAGE = "changes-since"
"""The page of an edition that says what has changed; it is not compared itself."""
_AS_PRINTED = "value_printed"
# What an ingested point's name says of the content of its file: it is the same point in another.
# A date is no such part.
_CONTENT = re.compile(
    r"-(?!(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])-)[0-9a-f]{8}(?=-\d{3,}$)"
)
_VERDICT = {"report", "id", "verdict"}
_LABEL = re.compile(r"^#\| label: \"?((?:fig|tbl)-[\w-]+)", re.MULTILINE)
_LONG = 5  # characters of a number that two places share because it is one
_BOUNDS = ("_low", "_high")
_OF_MANY = re.compile(r"(roundtrip|data/campaigns/[^/]+/(?:raw|series))/")
"""Folders of which the number of files that differ says enough."""
_WORDS = re.compile(r">\s*([^<>]*[^<>\s])\s*</(?:text|tspan)>")


@dataclass(frozen=True)
class Change:
    """One difference."""

    kind: Kind
    where: str  # table, figure, page, claim, parameter, library or file
    old: str  # empty where there is none
    new: str  # the same
    relative: float | None = None  # new by old, less one; of numbers only
    beyond: bool | None = None  # whether the intervals are apart; None where one has none
    also: tuple[str, ...] = ()  # further places of the same number

    @property
    def weight(self) -> tuple[int, int, float]:
        """Order by importance, the largest change first."""
        return (
            ORDER.index(self.kind),
            0 if self.beyond else 1,
            -abs(self.relative) if self.relative is not None else 0.0,
        )

    @property
    def size(self) -> str:
        """Say in words how large the change is; empty where that is no number."""
        return self.told("" if self.relative is None else f"{100 * self.relative:+.3g} %")

    def told(self, relative: str) -> str:
        """Say in words what of a change can be said beside its relative size, as it is written."""
        beyond = {None: "", True: "beyond both intervals", False: "within the intervals"}
        more = f"also in {len(self.also)} more place{'s' * (len(self.also) > 1)}"
        return ", ".join(filter(None, [relative, beyond[self.beyond], more * bool(self.also)]))


def report_in(folder: Path) -> Path:
    """Give the report's folder within a packet, or the folder itself where it is a report.

    Raises
    ------
    DataError
        If it is neither.
    """
    for place in (folder / REPORT, folder):
        if (place / EDITION_MANIFEST).is_file():
            return place
    raise not_an_edition(folder.name)


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
    DataError
        If a table or an executed chapter is.
    """
    found = [
        *_tables(old, new), *_sentences(old, new), *_pictures(old, new),
        *manifest_changes(old, new),
    ]  # fmt: skip
    names = {*zip(_names(old), _names(new), strict=True)}
    own = (f"{CHANGES_PAGE}.html", f"page {CHANGES_PAGE}.html", f"tbl-{CHANGES_PAGE}")
    told = [
        one for one in found
        if (one.kind != "cell" or (one.old, one.new) not in names) and not one.where.startswith(own)
    ]  # fmt: skip
    return sorted(_told_once(told), key=lambda change: (change.weight, change.where))


def _told_once(found: Iterable[Change]) -> Iterator[Change]:
    """Tell a number that changed alike in several places once: where its interval is, or a table.

    Few digits may agree by chance. Where intervals judge it differently, it is beyond them.
    """
    numbers: dict[tuple[str, str], list[Change]] = {}
    for one in found:
        if one.kind == "number" and min(len(one.old), len(one.new)) >= _LONG:
            numbers.setdefault((one.old, one.new), []).append(one)
        else:
            yield one
    judged = {True: 0, False: 1, None: 2}
    for each in numbers.values():
        first, *others = sorted(
            each, key=lambda one: (judged[one.beyond], not one.where.startswith("tbl-"))
        )
        yield replace(first, also=tuple(one.where for one in others))


def _names(report: Path) -> list[str]:
    """Give what says which edition it is: where that stands alone, nothing has changed."""
    from roundtrip.publish.html.site import long_date

    of = manifest_of(report)["report"]
    version, commit, date = of["version"], of["commit"], of["date"]
    return [version, commit, date, long_date(date)]


def page_of_changes(found: Sequence[Change], old: str, new: str) -> str:
    """Write what changed from one edition to another as one HTML page that needs no other file."""
    folder = PACKAGE / "templates" / "html"
    return filled([folder], "changes.html", changes=found, old=old, new=new)


def _tables(old: Path, new: Path) -> Iterator[Change]:
    """Compare the data of tables and figures, each by its name."""
    first, second = ({path.stem: path for path in data_files(folder)} for folder in (old, new))
    verdicts: tuple[dict[str, str], dict[str, str]] = ({}, {})
    styles = (style_of(old), style_of(new))
    for name in sorted(first.keys() | second.keys()):
        rows = [rows_of(each[name]) if name in each else None for each in (first, second)]
        if any(group and set(group[0]) >= _VERDICT for group in rows):
            for group, kept in zip(rows, verdicts, strict=True):
                kept.update({f"{row['report']}/{row['id']}": row["verdict"] for row in group or ()})
        elif rows[0] is None or rows[1] is None:
            yield Change("table", name, _presence(rows[0]), _presence(rows[1]))
        else:
            yield from _cells(name, rows[0], rows[1], styles)
    for claim in sorted(verdicts[0].keys() | verdicts[1].keys()):
        one, other = (kept.get(claim, "") for kept in verdicts)
        if one != other:
            yield Change("claim", claim, one, other)


def _presence(found: object) -> str:
    return "" if found is None else "present"


def data_files(report: Path) -> list[Path]:
    """Give the files with the data of a report's tables and figures."""
    return sorted((report / "html" / "data").glob("*.csv"))


def rows_of(path: Path) -> list[dict[str, str]]:
    """Read the data of a table or figure; a row that is longer than the head loses the rest."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream, restval=""))
        return [{key: value for key, value in row.items() if key is not None} for row in rows]
    except (csv.Error, ValueError) as problem:
        raise DataError(f"is no table: {problem}", where=path.name) from problem


def _cells(
    name: str, old: Sequence[Mapping[str, str]], new: Sequence[Mapping[str, str]],
    styles: tuple[str, str],
) -> Iterator[Change]:  # fmt: skip
    """Compare the rows of a table, which are found again by what names them."""
    first, second = _named(old), _named(new)
    for key in [*first, *(key for key in second if key not in first)]:
        one, other = first.get(key), second.get(key)
        where = f"{name}: {', '.join(part for part in key[:-1] if part)}"
        if one is None or other is None:
            yield Change("cell", where, _told(one), _told(other))
            continue
        for column in [*one, *(column for column in other if column not in one)]:
            before, after = (_CONTENT.sub("", row.get(column, "")) for row in (one, other))
            if column in ("low", "high", "cells") or before == after:
                continue
            if column.endswith(_BOUNDS) and column.rpartition("_")[0] in one:
                continue  # an end of that column's interval
            if column == _AS_PRINTED and one.get("value") != other.get("value"):
                continue  # told as a number
            was, now = number_of(before), number_of(after)
            label = where if column == "value" else f"{where}, {column}"
            if was is None or now is None:
                if with_plain_numbers(before, styles[0]) != with_plain_numbers(after, styles[1]):
                    yield Change("cell", label, before, after)
            elif was != now:
                relative = now / was - 1 if was else None
                beyond = _beyond(one, other, "" if "low" in one else f"{column}_")
                yield Change("number", label, *_apart(was, now), relative, beyond)


def _named(rows: Sequence[Mapping[str, str]]) -> dict[tuple[str, ...], Mapping[str, str]]:
    """Give rows by what names them: columns before the value, or the first one; and how often."""
    seen: Counter[tuple[str, ...]] = Counter()
    found = {}
    for row in rows:
        columns = list(row)
        until = columns.index("value") if "value" in row else 1
        names = (row[column] for column in columns[:until] if column != _AS_PRINTED)
        key = tuple(_CONTENT.sub("", name) for name in names)
        seen[key] += 1
        found[*key, str(seen[key])] = row
    return found


def _told(row: Mapping[str, str] | None) -> str:
    if row is None:
        return ""
    return row.get("value", "present")


def number_of(text: str) -> float | None:
    """Read a finite number; None where a text is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _apart(was: float, now: float) -> tuple[str, str]:
    """Write two numbers with the fewest digits, at least six, that tell them apart."""
    for digits in range(6, 18):
        one, other = (format(Decimal(f"{value:.{digits}g}"), "f") for value in (was, now))
        if one != other:
            break
    return one, other


def _beyond(old: Mapping[str, str], new: Mapping[str, str], of: str) -> bool | None:
    """Say whether two intervals are apart; None where one is unknown."""
    ends = [number_of(row.get(f"{of}{end}", "")) for row in (old, new) for end in ("low", "high")]
    low, high, other_low, other_high = ends
    if low is None or high is None or other_low is None or other_high is None:
        return None
    return high < other_low or other_high < low


def _sentences(old: Path, new: Path) -> Iterator[Change]:
    """Compare the text of pages, paragraph by paragraph.

    Another number format is no change, nor is another number of a chapter, table or figure.
    """
    styles = [style_of(folder) for folder in (old, new)]
    names = [_names(folder) for folder in (old, new)]
    first, second = (
        {path.name: path for path in sorted((folder / "html").glob("*.html"))}
        for folder in (old, new)
    )
    for name in sorted(first.keys() | second.keys()):
        if name not in first or name not in second:
            present = (_presence(first.get(name)), _presence(second.get(name)))
            yield Change("table", f"page {name}", *present)
            continue
        one, other = paragraphs(first[name], names[0]), paragraphs(second[name], names[1])
        compared, with_which = (
            [with_plain_numbers(text, style) for _, text in blocks]
            for blocks, style in zip((one, other), styles, strict=True)
        )
        matcher = difflib.SequenceMatcher(None, compared, with_which, autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag != "equal":
                for was, now in zip_longest(one[i1:i2], other[j1:j2], fillvalue=("", "")):
                    yield Change("sentence", name, was[0], now[0])


def style_of(report: Path) -> str:
    """Give how a report writes numbers."""
    return str(manifest_of(report)["parameters"].get("number_format", "1,234.5"))


def _pictures(old: Path, new: Path) -> Iterator[Change]:
    """Compare the drawings of figures whose data are the same; others are told by their data."""
    first, second = (shown_in(report, SVG, "".join) for report in (old, new))
    for label in sorted(first.keys() & second.keys()):
        data = [folder / "html" / "data" / f"{label}.csv" for folder in (old, new)]
        content = [path.read_bytes() if path.is_file() else b"" for path in data]
        if first[label] != second[label] and content[0] == content[1]:
            words = [Counter(_WORDS.findall(each[label])) for each in (first, second)]
            gone, come = (", ".join(a - b) for a, b in (words, reversed(words)))
            yield Change("picture", label, gone, come or "the same words, drawn otherwise")


def shown_in(report: Path, kind: str, read: Callable[[Any], T]) -> dict[str, T]:
    """Read what figures or tables show, by label, from the executed chapters of a report.

    Of the outputs, `read` gets the content that has the MIME type `kind`.
    """
    found = {}
    for path in sorted((report / "html" / "notebooks").glob("*.ipynb")):
        try:
            for cell in json_in(path)["cells"]:
                label = _LABEL.search("".join(cell["source"]))
                for output in cell.get("outputs", ()) if label else ():
                    if label and kind in output.get("data", {}):
                        found[label[1]] = read(output["data"][kind])
        except (AttributeError, KeyError, TypeError) as problem:
            raise DataError("is no executed chapter", where=path.name) from problem
    return found


def manifest_changes(old: Path, new: Path) -> Iterator[Change]:
    """Compare parameters, checks, versions and the files that were built from."""
    first, second = manifest_of(old), manifest_of(new)
    parts: tuple[tuple[Kind, str], ...] = (
        ("parameter", "parameters"), ("environment", "libraries"), ("environment", "engine"),
    )  # fmt: skip
    for kind, part in parts:
        one, other = first[part], second[part]
        for name in differing(one, other):
            yield Change(kind, name, _plain(one.get(name)), _plain(other.get(name)))
    failed = [set(each["checks"].get("failed", ())) for each in (first, second)]
    yield from (Change("check", rule, "failed", "holds") for rule in sorted(failed[0] - failed[1]))
    yield from (Change("check", rule, "holds", "failed") for rule in sorted(failed[1] - failed[0]))

    one, other = first["inputs"], second["inputs"]
    # The older edition that a page of changes compares with is no change; its parameter is told.
    editions = tuple(
        f"{named}/" for each in (first, second)
        if (named := each["parameters"].get("changes_since"))
    )  # fmt: skip
    of_many: Counter[str] = Counter()
    for name in differing(one, other):
        folder = _OF_MANY.match(name)
        if folder:
            of_many[folder[1]] += 1
        elif not name.startswith(editions):
            now = "changed" if name in one and name in other else _presence(other.get(name))
            yield Change("file", name, _presence(one.get(name)), now)
    for name, count in of_many.items():
        of: Kind = "environment" if name == "roundtrip" else "file"
        yield Change(of, f"files of {name}", "", f"{count} differ")


def _plain(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)
