"""Queries for what sentences compare: multiples, extremes, trends and bounds.

A query is proposed only if every word of the sentence is accounted for: by the table that it names,
by rows and columns that it names, by what it compares, or as a word that restricts nothing. A word
that is left over may change what is meant, and then there is no query.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from roundtrip.claims.words import VagueWords, Word
from roundtrip.drafting.readings import DraftTable

_QUANTITIES: Mapping[str, re.Pattern[str]] = MappingProxyType({
    "rate": re.compile(r"\b(?:message )?rates?\b|throughput|(?:round[- ]?)?\btrips\b(?:/s\b|"
                       r"/sec\b| per second\b)?|\b(?:messages|msgs?)(?:/s(?:ec)?\b| per second\b)|"
                       r"\b[mt]ps\b", re.I),
    "time": re.compile(r"\blatenc(?:y|ies)\b|\bresponse times?\b", re.I),
    "processor": re.compile(r"\bcpu\b(?: utili[sz]ation| usage| load)?", re.I),
    "memory": re.compile(r"\bmemory\b(?: usage)?", re.I),
})  # fmt: skip
"""What columns hold and sentences compare."""
_TAKEN = "\x00"  # stands for what of a sentence is accounted for
_COUNTS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_TABLE = re.compile(r"\btable\s+[A-Z]?\d+(?:[.-]\d+)*\b", re.I)
_MULTIPLE = re.compile(
    rf"\b(?:(?P<times>{'|'.join(_COUNTS)}|\d+(?:\.\d+)?)[ -]times|(?P<twice>twice|double)|"
    r"(?P<half>half))(?=\s+(?:the|that|those|as|of)\b)", re.I
)  # fmt: skip
_EXTREME = re.compile(
    r"\b(?:(?P<largest>highest|largest|greatest)|(?P<smallest>lowest|smallest)|"
    r"(?P<fastest>fastest)|(?P<slowest>slowest))\b", re.I
)  # fmt: skip
_TREND = re.compile(
    r"\b(?:(?P<up>rises|rose|increases|increased|grows|grew)|"
    r"(?P<down>falls|fell|decreases|decreased|drops|dropped|declines|declined))\s+"
    r"(?:with|as)\s+(?P<over>.+?)(?:\s+(?:rises|increases|grows))?\s*\.?\s*$", re.I
)  # fmt: skip
_OF_SCALES = """
    a an the in of number numbers increasing growing more larger increases grows rises as show shows
    shown see
"""
_NEVER = re.compile(
    r"\b(?:never|not)\s+(?:(?P<low>(?:falls? |drops? |is )?(?:below|under|less than))|"
    rf"(?P<high>(?:rises? |is )?(?:above|over|more than)|exceeds?))\s+(?=[\d{_TAKEN}])", re.I
)  # fmt: skip
_ALL = re.compile(r"\b(?:always|(?:all|every|each)(?: of)?(?: the| its)? (?:tests?|cases?|rows?|"
                  r"sizes?|runs?|measurements?)|throughout)\b", re.I)  # fmt: skip
_BOUND = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w,]*\d)(?:\s?%)?")
_BOUNDS = MappingProxyType({
    "at least": "at_least", "at most": "at_most", "over": "above", "under": "below", "up to": "",
})  # fmt: skip
"""Vague words that are bounds, and the expectation that says the same."""
_WHY = re.compile(r",?\s+(?:because|since|due to|as a result of|owing to|thanks to)\b.*$", re.I)
_PLAIN = """
    a an the this these that those it is are was were be been being has have had having can could
    will does do did in on at for with by to from of as which s shows show shown showed see seen
    sees gives give given gave reaches reach reached achieves achieve achieved attains attained
    delivers delivered provides provided reports reported runs ran offers offered yields yielded
    also thus therefore here clearly high low much many fast value values result results
"""
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_SIZES = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


@dataclass(frozen=True)
class Query:
    """What a sentence could be held to.

    Attributes
    ----------
    kind, printed : str
        As `roundtrip.claims.declared.Claim` has them.
    sql : tuple of str
        The lines of the query.
    expect : str
        As YAML has it.
    each : str
        What the query ranges over; empty where it gives one row.
    """

    kind: str
    printed: str
    sql: tuple[str, ...]
    expect: str
    each: str = ""


def quoted_sql(text: str) -> str:
    """Write a text as SQL has it, on one line."""
    return "'" + one_line(text).replace("'", "''") + "'"


def one_line(text: str) -> str:
    """Give a text as one line that YAML takes in a comment."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def comparison(text: str, table: DraftTable, words: VagueWords) -> Query | None:
    """Propose the query of a sentence that compares cells of one table.

    Parameters
    ----------
    text : str
        The sentence.
    table : DraftTable
        The one that it names.
    words : VagueWords
        What stands before a number that is not meant to the digit.

    Returns
    -------
    Query or None
        None where a word of the sentence is not accounted for, or more than one query would do.
    """
    labels = [row.label.casefold() for row in table.rows]
    told = len(set(labels)) == len(labels) > 0 and all(labels)
    if table.trouble or not told or any(row.heading for row in table.rows):
        return None  # its rows cannot be told apart by their labels
    if len(_TABLE.findall(text)) != 1:
        return None
    said = _WHY.sub("", text)
    return next(filter(None, (read(_Sentence(said, table, words)) for read in _READERS)), None)


@dataclass(frozen=True)
class _Part:
    """What a sentence names of a table: a row, columns under one heading, or a cell."""

    start: int
    end: int
    rows: frozenset[int]
    columns: frozenset[int]
    kind: str


class _Sentence:
    """A sentence, and what it names of its table.

    What is accounted for is overwritten, so that places stay what they are.
    """

    def __init__(self, text: str, table: DraftTable, words: VagueWords) -> None:
        self.text = text
        self.table = table
        self.words = words
        self.left = text
        self.taken(_TABLE)
        self.parts = list(self._named())

    def taken(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Find what stands once in what is left of the sentence, and account for it."""
        found = list(pattern.finditer(self.left))
        for one in found:
            self.take(one.start(), one.end())
        return found[0] if len(found) == 1 else None

    def take(self, start: int, end: int) -> None:
        self.left = self.left[:start] + _TAKEN * (end - start) + self.left[end:]

    def hedge(self, at: int) -> Word | None:
        """Give the vague word that ends at a place, and account for it."""
        found = self.words.found_before(self.text[:at])
        if found is not None:
            self.take(found[1], at)
        return found[0] if found else None

    def columns_of(self, quantity: str) -> frozenset[int]:
        """Give the columns that hold a quantity; if no header says what it is, the caption does."""
        held = [_quantity_of(header.rpartition(" / ")[2]) for header in self.table.columns]
        if not any(held):
            held = [_quantity_of(self.table.caption)] * len(held)
        return frozenset(at for at, one in enumerate(held) if one == quantity)

    def compared(self, *, pace: bool = False) -> frozenset[int]:
        """Give the columns of the one quantity that it speaks of; none if it names several.

        What is fast has a high rate, unless the table has times too.
        """
        found = {name for name, pattern in _QUANTITIES.items() if pattern.search(self.left)}
        for pattern in _QUANTITIES.values():
            self.taken(pattern)
        if pace and (found - {"rate"} or self.columns_of("time")):
            return frozenset()
        found |= {"rate"} if pace else set()
        return self.columns_of(found.pop()) if len(found) == 1 else frozenset()

    def understood(self, columns: frozenset[int]) -> bool:
        """Say whether every word that is left restricts nothing.

        Words of the caption and of the headers that are used say what all rows have in common,
        unless a row or another column bears them too.
        """
        table = self.table
        apart = [row.label for row in table.rows] + [name.rpartition(" / ")[0]
                                                     for name in table.columns]  # fmt: skip
        known = _words(table.caption) | _words(table.corner)
        known -= {word for name in apart for word in _words(name)}
        known |= {word for at in columns for word in _words(table.columns[at].rpartition(" / ")[2])}
        return _words(self.left) <= known | _words(_PLAIN)

    def _named(self) -> Iterator[_Part]:
        """Find the rows, headings of columns and cells that it names, the longest names first."""
        everywhere = frozenset(range(len(self.table.rows)))
        across = frozenset(range(len(self.table.columns)))
        names: dict[str, list[tuple[frozenset[int], frozenset[int], str]]] = {}
        for at, row in enumerate(self.table.rows):
            names.setdefault(row.label.casefold(), []).append((frozenset({at}), across, "row"))
        unsaid = not any(map(_quantity_of, self.table.columns))
        heads = [name.rpartition(" / ")[0] or (name if unsaid else "")
                 for name in self.table.columns]  # fmt: skip
        for head in dict.fromkeys(filter(None, heads)):
            under = frozenset(at for at, one in enumerate(heads) if one == head)
            names.setdefault(head.casefold(), []).append((everywhere, under, "column"))
        cells: dict[str, list[tuple[frozenset[int], frozenset[int], str]]] = {}
        for at, row in enumerate(self.table.rows):
            for column, cell in enumerate(row.cells):
                if cell is not None and len(cell.text) > 2 and cell.text[0].isdigit():
                    cells.setdefault(cell.text.casefold(), []).append(
                        (frozenset({at}), frozenset({column}), "cell")
                    )
        found = {name: places for name, places in names.items() if re.search(r"[^\W\d]", name)}
        found |= {text: places for text, places in cells.items() if text not in names}
        for name in sorted(found, key=len, reverse=True):
            pattern = re.compile(rf"(?<![\w.,]){re.escape(name)}(?![\w]|[.,]\d)", re.I)
            spots = list(pattern.finditer(self.left))
            if len(spots) == len(found[name]) == 1:
                (one,) = spots
                self.take(one.start(), one.end())
                yield _Part(one.start(), one.end(), *found[name][0])


def _multiple(said: _Sentence) -> Query | None:
    """Read that one thing is so many times another: the first before the multiple, one after."""
    found = said.taken(_MULTIPLE)
    if found is None:
        return None
    word = said.hedge(found.start())
    pace = re.match(r"\s+as fast\b", said.text[found.end() :], re.I) is not None
    columns = said.compared(pace=pace)
    kinds = {kind: [part for part in said.parts if part.kind == kind]
             for kind in ("row", "column", "cell")}  # fmt: skip
    pairs = [kind for kind, parts in kinds.items() if len(parts) == 2]
    if len(pairs) != 1 or any(len(kinds[kind]) > 1 for kind in kinds if kind not in pairs):
        return None
    one, other = kinds[pairs[0]]
    one, other = (one, other) if one.start < other.start else (other, one)
    if not one.end <= found.start() < other.start:
        return None
    used = columns
    rows = frozenset(range(len(said.table.rows)))
    for part in said.parts:
        if part.kind != pairs[0]:
            used, rows = used & part.columns, rows & part.rows
    ends = [(part.rows & rows, part.columns & used) for part in (one, other)]
    (rows_a, columns_a), (rows_b, columns_b) = ends
    alike = len(rows_a) == len(rows_b) == 1 or rows_a == rows_b
    if len(columns_a) != 1 or len(columns_b) != 1 or not alike or not rows_a:
        return None
    if not said.understood(columns_a | columns_b):
        return None
    number = "2" if found["twice"] else "0.5" if found["half"] else found["times"].lower()
    number = str(_COUNTS.index(number) + 2) if number in _COUNTS else number
    if not float(number):
        return None
    table, names = quoted_sql(said.table.id), said.table.columns
    tests = [
        f"{alias}.table_id = {table} AND {alias}.column_label = {quoted_sql(names[column])}"
        + (f" AND {alias}.row_label = {quoted_sql(said.table.rows[min(held)].label)}"
           if len(held) == 1 else "")
        for alias, held, (column,) in (("a", rows_a, columns_a), ("b", rows_b, columns_b))
    ]  # fmt: skip
    single = len(rows_a) == 1
    sql = (
        f"SELECT {'' if single else 'a.row_label AS item, '}a.value / b.value AS value, "
        "[a.observation_id, b.observation_id] AS cells",
        f"FROM o a JOIN o b ON {'true' if single else 'a.row_label = b.row_label'}",
        f"WHERE {tests[0]}",
        f"  AND {tests[1]}",
    )
    expect = _expected(word, number) if word else f"{{is: {number}}}"
    return Query("ratio", one_line(found[0]), sql, expect, "" if single else "row")


def _extreme(said: _Sentence) -> Query | None:
    """Read that one row, column or cell has the highest or lowest of a quantity."""
    found = said.taken(_EXTREME)
    if found is None or len(said.parts) != 1:
        return None
    (part,) = said.parts
    if re.search(r"(?<!that )(?<!those )\bof\s+(?:the\s+)?$", said.text[: part.start], re.I):
        return None  # "the highest rate of A" compares what A has, not A with others
    columns = said.compared(pace=bool(found["fastest"] or found["slowest"]))
    if not said.understood(columns):
        return None
    table, names = quoted_sql(said.table.id), said.table.columns
    if part.kind == "column":
        here = columns & part.columns
        if len(here) != 1 or len(columns) < 2 or len(said.table.rows) != 1:
            return None
        labels = ", ".join(quoted_sql(names[at]) for at in sorted(columns))
        item, name = "column_label", names[min(here)]
        test = f"column_label IN ({labels})"
    else:
        if len(columns) != 1 or len(said.table.rows) < 2 or not columns <= part.columns:
            return None
        item, name = "row_label", said.table.rows[min(part.rows)].label
        test = f"column_label = {quoted_sql(names[min(columns)])}"
    sql = (
        f"SELECT {item} AS item, value, [observation_id] AS cells",
        f"FROM o WHERE table_id = {table} AND {test}",
    )
    sense = "largest" if found["largest"] or found["fastest"] else "smallest"
    return Query("extreme", one_line(found[0]), sql, f"{{{sense}: {yaml_text(name)}}}")


def _trend(said: _Sentence) -> Query | None:
    """Read that a quantity rises or falls with what heads the rows, or another column."""
    found = _TREND.search(said.left)
    if found is None or any(part.kind != "column" for part in said.parts):
        return None
    over = _words(found["over"]) - _words(_OF_SCALES)
    said.take(found.start(), found.end())
    columns = said.compared()
    for part in said.parts:
        columns &= part.columns
    scales = [at for at, name in enumerate([said.table.corner, *said.table.columns])
              if over and over <= _words(name)]  # fmt: skip
    if len(columns) != 1 or len(scales) != 1 or not said.understood(columns):
        return None
    rows = said.table.rows
    shown = [row.cells[scales[0] - 1] if scales[0] else row.label for row in rows]
    places = [_size(one if isinstance(one, str) else one.text if one else "") for one in shown]
    if len(rows) < 2 or not all(
        one is not None and two is not None and one < two for one, two in pairwise(places)
    ):
        return None
    (column,) = columns
    sql = (
        "SELECT row_label AS item, value - before AS value, [earlier, observation_id] AS cells",
        "FROM (SELECT row_label, value, observation_id, lag(value) OVER w AS before,",
        "             lag(observation_id) OVER w AS earlier FROM o",
        f"      WHERE table_id = {quoted_sql(said.table.id)}"
        f" AND column_label = {quoted_sql(said.table.columns[column])}",
        "      WINDOW w AS (ORDER BY line))",
        "WHERE before IS NOT NULL",
    )
    expect = "{above: 0}" if found["up"] else "{below: 0}"
    printed = one_line(found["up"] or found["down"])
    return Query("trend", printed, sql, expect, "row, against the row before")


def _bound(said: _Sentence) -> Query | None:
    """Read that all values of a column are at least or at most a number, or up to one."""
    never = said.taken(_NEVER)
    numbers = list(_BOUND.finditer(said.left))
    cells = [part for part in said.parts if part.kind == "cell"]
    spots = [(one.start(), one.end()) for one in numbers] + [(p.start, p.end) for p in cells]
    if len(spots) != 1:
        return None
    start, end = spots[0]
    if never is not None and never.end() == start:
        word = said.words.names.get("at least" if never["low"] else "at most")
    else:
        word = said.hedge(start)
    if word is None or word.word not in _BOUNDS:
        return None
    said.take(start, end)
    everywhere = said.taken(_ALL) is not None
    if not (everywhere or word.largest or never):
        return None
    columns = said.compared()
    others = [part for part in said.parts if part.kind != "cell"]
    for part in others:
        columns &= part.columns
    if any(part.kind == "row" for part in others) or len(columns) != 1:
        return None
    if not said.understood(columns):
        return None
    number = said.text[start:end].replace(",", "").rstrip("% ")
    if not float(number):
        return None
    (column,) = columns
    sql = (
        "SELECT row_label AS item, value, [observation_id] AS cells",
        f"FROM o WHERE table_id = {quoted_sql(said.table.id)}"
        f" AND column_label = {quoted_sql(said.table.columns[column])} AND unit = unit_printed",
    )
    return Query("limit", said.text[start:end], sql, _expected(word, number), "row")


_READERS = (_multiple, _extreme, _trend, _bound)


def yaml_text(text: str) -> str:
    """Write a text as YAML has it, on one line."""
    return json.dumps(one_line(text), ensure_ascii=False)


def _expected(word: Word, number: str) -> str:
    bound = _BOUNDS.get(word.word)
    return f"{{{bound}: {number}}}" if bound else f"{{word: {word.word}, number: {number}}}"


def _quantity_of(text: str) -> str:
    found = [name for name, pattern in _QUANTITIES.items() if pattern.search(text)]
    return found[0] if len(found) == 1 else ""


def _words(text: str) -> set[str]:
    """Give the words of a text, in lower case and without the ending of a plural."""
    return {_singular(word) for word in _WORD.findall(text.casefold())}


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _size(text: str) -> float | None:
    """Read a number or a size such as 2KB."""
    found = re.match(r"(\d[\d,]*(?:\.\d+)?)\s?(?:([kmg])i?b?|b(?:ytes)?)?$", text.strip(), re.I)
    if found is None:
        return None
    return float(found[1].replace(",", "")) * _SIZES[(found[2] or "").lower()]
