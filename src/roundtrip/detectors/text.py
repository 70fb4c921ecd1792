"""What a report says in words: its sentences and captions, beside the cells that it prints."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from roundtrip.claims import VagueWords
from roundtrip.claims.words import Word
from roundtrip.drafting.draft import MARKS, SENTENCES
from roundtrip.drafting.sentences import Mark, Sentence

_SECTION = re.compile(r"^(?:section\s+)?([A-Z]|[A-Z]?\.?\d+(?:\.\d+)*)\b\.?(?=\s|$)", re.IGNORECASE)
_FILLER = r"(?:\s+(?:a|an|the|only|just|of|rate of))?\s+$"
_SIGNS = {"~": "about", "≈": "about", "<": "under", "≤": "at most", ">": "over", "≥": "at least"}


@dataclass(frozen=True)
class Printed:
    """A number of a table.

    Attributes
    ----------
    observation_id, table, section, row, column, text : str
        Its id; the table's number as printed, such as ``Table 8``; the section by its number; the
        labels; the number as printed.
    """

    observation_id: str
    table: str
    section: str
    row: str
    column: str
    text: str


@dataclass(frozen=True)
class ReportText:
    """The words of one report.

    Attributes
    ----------
    report : str
        Its id.
    sentences : tuple of Sentence
    marks : tuple of Mark
    cells : tuple of Printed
    words : VagueWords
        What stands before a number that is not meant to the digit.
    """

    report: str
    sentences: tuple[Sentence, ...]
    marks: tuple[Mark, ...]
    cells: tuple[Printed, ...]
    words: VagueWords

    def hedge(self, before: str) -> Word | None:
        """Give the vague word that a text ends in, before a number; None where there is none.

        Parameters
        ----------
        before : str
            What stands before the number.
        """
        names = {name: word for name, word in self.words.names.items() if word.of == "number"}
        sign = before.rstrip()[-1:]
        if sign in _SIGNS:
            return names.get(_SIGNS[sign])
        for name in sorted(names, key=len, reverse=True):
            if re.search(rf"\b{re.escape(name)}{_FILLER}", before, re.IGNORECASE):
                return names[name]
        return None


def read_marks(folder: Path) -> tuple[tuple[Sentence, ...], tuple[Mark, ...]]:
    """Read what an import has found outside the tables.

    Parameters
    ----------
    folder : Path
        Of a draft.

    Returns
    -------
    sentences : tuple of Sentence
    marks : tuple of Mark
        Both are empty where the draft was made otherwise, or is on another machine.
    """
    return (
        tuple(
            Sentence(int(row["page"]), row["section"], row["sentence"])
            for row in _rows(folder / SENTENCES)
        ),
        tuple(
            Mark(int(row["page"]), row["kind"], row["section"], row["text"])  # type: ignore[arg-type]
            for row in _rows(folder / MARKS)
        ),
    )


def section_number(heading: str) -> str:
    """Give the number that a heading begins with; empty where it has none."""
    found = _SECTION.match(heading.strip())
    return found[1] if found else ""


def quoted(sentence: Sentence, around: str, words: int = 6) -> str:
    """Give the few words around a part of a sentence, for a reader to find it by."""
    before, _, after = sentence.text.partition(around)
    left, right = before.split(), after.split()
    start = "… " if len(left) > words else ""
    end = " …" if len(right) > words else ""
    return f"{start}{' '.join([*left[-words:], around])} {' '.join(right[:words])}{end}".strip()


def where(sentence: Sentence | Mark) -> str:
    """Name the place of a sentence."""
    number = section_number(sentence.section)
    section = f", section {number}" if number else ""
    return f"page {sentence.page}{section}"


def _rows(path: Path) -> Sequence[dict[str, str]]:
    if not path.is_file():
        return ()
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def by_table(cells: Iterable[Printed]) -> dict[str, list[Printed]]:
    """Group cells by the number of their table, in lower case."""
    found: dict[str, list[Printed]] = {}
    for cell in cells:
        found.setdefault(cell.table.lower(), []).append(cell)
    return found
