"""Stubs of claims: what the sentences of a document might be held to, for a person to word."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from roundtrip.claims.declared import PROPOSED, UNWORDED
from roundtrip.claims.words import VagueWords
from roundtrip.drafting.readings import DraftTable
from roundtrip.drafting.sentences import Sentence, compares

_EXTREME = re.compile(r"\b(?:best|worst|most|(?:high|low|fast|slow|large|small|great)est)\b", re.I)
_REFERENCE = re.compile(
    r"\b(?:tables?|figures?|sections?|chapters?|pages?|appendix|version)\s+[A-Z]?[\d.]+"
    r"(?:\s*(?:,|and|&|to|-)\s*[\d.]+)*", re.I
)  # fmt: skip
_YEAR = re.compile(r"(?:19|20)\d\d")
_TABLE = re.compile(r"\btable\s+(\d+)\b", re.I)
_UNIT = r"\s?(%|bytes?\b|[kmgt]i?b\b|[mµu]?s\b|seconds?\b|minutes?\b|[gm]hz\b|cores?\b)"
_BEFORE = frozenset({
    "a", "all", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to",
    "with",
})  # fmt: skip
"""Words that may begin a sentence before a number that is no part of a name."""
_WORD = re.compile(r"\b[a-z]{2,}\b", re.I)
_DIGITS = 4  # that a number must have for one cell to be told by it among all
_JUDGE = f"{PROPOSED}; delete this line once the query is what the sentence says"
_HEAD = """\
#
# Below is a stub for each sentence of the document that states a number or compares, with what
# it could be held to. It is no claim as long as '#' stands before its lines. To make it one, take
# the '#' away, say in your own words what the sentence says, name the chapter, and compare the
# query with the sentence: if it is right, delete its line '-- proposed'. Until then that line and
# 'choose' are refused. The sentence itself stands in reading/check.html, under its number. Delete
# the stubs that you do not want.
claims:
"""


@dataclass(frozen=True)
class CellPlace:
    """A cell of a draft that prints a number."""

    table: str  # its id
    row: str
    column: str

    def __str__(self) -> str:
        """Name it for a reader."""
        return f"{self.table}: {self.row}, {self.column}"


def places_of(number: str, cells: Mapping[str, Sequence[CellPlace]]) -> Sequence[CellPlace]:
    """Give the cells that print a number of a sentence, of those by number without commas.

    Numbers of one digit or two without a point are left out: they are everywhere.
    """
    plain = number.replace(",", "")
    return cells.get(plain, ()) if len(plain) > 2 else ()


def places_in(said: Sentence, cells: Mapping[str, Sequence[CellPlace]]) -> list[CellPlace]:
    """Give the cells that print any number of a sentence; see `places_of`."""
    return [place for number in said.numbers for place in places_of(number, cells)]


def claim_stubs(
    sentences: Sequence[Sentence],
    cells: Mapping[str, Sequence[CellPlace]],
    tables: Mapping[str, DraftTable],
    words: VagueWords,
) -> str:
    """Write the stubs of ``claims.yml``, as comments, for the sentences of a document.

    Tables are by number; `words` stand before a number that is not meant to the digit; for `cells`
    see `places_of`.
    """
    stubs = []
    for place, said in enumerate(sentences, 1):
        without = _REFERENCE.sub("", said.text)
        numbers = [
            number
            for number in said.numbers
            if re.search(rf"\b{re.escape(number)}\b", without) and not _YEAR.fullmatch(number)
        ]
        if not numbers and not compares(said.text):
            continue
        if len(said.numbers) > len(_WORD.findall(said.text)):
            continue  # a row of a table that was not found
        stub = _stub(f"sentence-{place}", said, numbers, cells, tables, words)
        stubs.append("\n".join([f"\n# page {said.page}", *stub]))
    return _HEAD + "\n".join(stubs) + ("\n" if stubs else "")


def _stub(
    name: str,
    said: Sentence,
    numbers: Sequence[str],
    cells: Mapping[str, Sequence[CellPlace]],
    tables: Mapping[str, DraftTable],
    words: VagueWords,
) -> Iterator[str]:
    """Give the lines of one stub: a number that one cell prints makes its query."""
    named = {number: tables[number] for number in _TABLE.findall(said.text) if number in tables}
    table = next(iter(named.values())) if len(named) == 1 else None
    found = {number: _meant(said.text, number, cells, table, words) for number in numbers}
    number = next((one for one in numbers if len(found[one]) == 1), (*numbers, "")[0])
    yield f"#  - id: {name}"
    yield f"#    section: {_yaml_text(said.place or UNWORDED)}"
    yield f"#    says: {UNWORDED}"
    if number:
        yield f"#    printed: {_yaml_text(number)}"
    kind = "value" if number else "extreme" if _EXTREME.search(said.text) else UNWORDED
    yield f"#    kind: {kind}"
    yield f"#    chapter: {UNWORDED}"
    places = found.get(number, ())
    proposed = len(places) == 1
    if not proposed and table is None:
        yield f"#    not_checkable: {UNWORDED}"
        return
    where = places[0] if proposed else CellPlace(table.id if table else "", UNWORDED, UNWORDED)
    yield "#    sql: |"
    if proposed:
        yield f"#      {_JUDGE}"
    yield "#      SELECT value, [observation_id] AS cells FROM o"
    yield (f"#      WHERE table_id = {_quoted_sql(where.table)} AND row_label = "
           f"{_quoted_sql(where.row)} AND column_label = {_quoted_sql(where.column)}"
           + (" AND unit = unit_printed" if proposed else ""))  # fmt: skip
    value = number.replace(",", "")
    word = words.before_number(said.text.partition(number)[0]) if number else None
    if not number:
        yield f"#    expect: {{word: {UNWORDED}}}"
    elif word is not None:
        yield f"#    expect: {{word: {word.word}, number: {value}}}"
    else:
        yield f"#    expect: {{is: {value}}}"


def _meant(
    text: str, number: str, cells: Mapping[str, Sequence[CellPlace]], table: DraftTable | None,
    words: VagueWords,
) -> Sequence[CellPlace]:  # fmt: skip
    """Give the cells that may print a number of a sentence.

    They are in the table that it names, and a unit after the number is the column's. Digits of a
    name (TLS 1.2) are no number. Three digits are in many places: without a table or a unit they
    may be those of another cell.
    """
    before, _, after = text.partition(number)
    name = re.search(r"([A-Z][\w.-]*)\s$", before)
    if name and not (words.before_number(before) or name[1].lower() in _BEFORE):
        return ()
    unit = re.match(_UNIT, after, re.I)
    if table is None and unit is None and len(re.sub(r"\D|0+$", "", number.lstrip("0."))) < _DIGITS:
        return ()
    return [
        one for one in places_of(number, cells)
        if (table is None or one.table == table.id)
        and (unit is None or _units(unit[1]) <= _units(one.column))
    ]  # fmt: skip


def _units(text: str) -> set[str]:
    return {re.sub(r"(?<=\w{3})s$", "", word) for word in re.findall(r"%|[a-zµ]+", text.lower())}


def _yaml_text(text: str) -> str:
    return json.dumps(_one_line(text), ensure_ascii=False)


def _quoted_sql(text: str) -> str:
    return "'" + _one_line(text).replace("'", "''") + "'"


def _one_line(text: str) -> str:
    """Give a text as one line that YAML takes in a comment."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
