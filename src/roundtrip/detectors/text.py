"""What a report says in words: its sentences and captions, beside the cells that it prints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from roundtrip.claims import VagueWords
from roundtrip.drafting.sentences import Mark, Sentence, section_number

CAPTION = re.compile(
    r"^(?P<what>table|figure)\s+(?P<number>\d{1,4})(?!\d)\s*[:.–—-]?\s*(?P<text>.*?)"
    r"\s*(?:(?:\.\s?){4,}\s*\d+|\s\d+)?$", re.I
)  # fmt: skip
"""A numbered caption: what it is of, its number, and its words without the page in a list."""
_NAMED = re.compile(r"\b(tables?)\s+(\d+)((?:\s*(?:,|and|&|to|or)\s*(?:table\s+)?\d+)*)", re.I)
_QUOTED = 6  # words on either side


@dataclass(frozen=True)
class Printed:
    """A number of a table.

    Attributes
    ----------
    observation_id, table, section, row, column, text : str
        Its id; the table's number as printed, such as ``Table 12b``; the section by its number; the
        labels; the number as printed.
    """

    observation_id: str
    table: str
    section: str
    row: str
    column: str
    text: str

    @cached_property
    def value(self) -> float | None:
        """The number that the cell begins with."""
        found = re.match(r"[<>~±]?\s?(\d[\d,]*(?:\.\d+)?)", self.text.strip())
        return float(found[1].replace(",", "")) if found else None

    @cached_property
    def rounding(self) -> float:
        """Half a unit of its last decimal."""
        decimals = re.search(r"\.(\d+)", self.text)
        return 0.5 * 10.0 ** -(len(decimals[1]) if decimals else 0)


@dataclass(frozen=True)
class ReportText:
    """The words of one report.

    Attributes
    ----------
    report : str
        Its id.
    words : VagueWords
        What stands before a number that is not meant to the digit.
    """

    report: str
    sentences: tuple[Sentence, ...]
    marks: tuple[Mark, ...]
    cells: tuple[Printed, ...]
    words: VagueWords

    @cached_property
    def tables(self) -> Mapping[str, Sequence[Printed]]:
        """The cells by the number of their table, in lower case."""
        found: dict[str, list[Printed]] = {}
        for cell in self.cells:
            found.setdefault(cell.table.lower(), []).append(cell)
        return found

    def cells_meant(self, sentence: Sentence) -> Sequence[Printed]:
        """Give the cells of the tables that a sentence names, otherwise those of its section."""
        named = named_tables(sentence.text)
        about = [cell for name in named for cell in self.tables.get(name, ())]
        section = section_number(sentence.section)
        return about or [cell for cell in self.cells if section and cell.section == section]


def quoted(sentence: Sentence, around: str) -> str:
    """Give the few words around a part of a sentence, for a reader to find it by."""
    before, _, after = sentence.text.partition(around)
    left, right = before.split(), after.split()
    start = "… " if len(left) > _QUOTED else ""
    end = " …" if len(right) > _QUOTED else ""
    gap = " " if after[:1].isspace() else ""
    shown = f"{' '.join([*left[-_QUOTED:], around])}{gap}{' '.join(right[:_QUOTED])}"
    return f"{start}{shown}{end}".strip()


def marked(marks: Sequence[Mark], kind: str, what: str) -> Iterator[tuple[Mark, re.Match[str]]]:
    """Give the lines of a kind that are captions of tables, or of figures, taken apart."""
    for mark in marks:
        found = CAPTION.match(mark.text) if mark.kind == kind else None
        if found and found["what"].lower() == what:
            yield mark, found


def where(sentence: Sentence | Mark) -> str:
    """Name the place of a sentence."""
    number = section_number(sentence.section)
    section = f", section {number}" if number else ""
    return f"page {sentence.page}{section}"


def named_tables(text: str) -> list[str]:
    """Give the tables that a sentence names, in lower case: ``table 8``."""
    found = []
    for _, first, more in _NAMED.findall(text):
        found += [f"table {number}" for number in (first, *re.findall(r"\d+", more))]
    return found


def half_unit(text: str) -> float:
    """Give half a unit of the last digit that counts: 371,000 is rounded to thousands."""
    plain = text.replace(",", "")
    zeros = 0 if "." in plain else len(plain) - len(plain.rstrip("0"))
    exponent = int(Decimal(plain).as_tuple().exponent) + zeros
    return float(Decimal(1).scaleb(exponent)) / 2
