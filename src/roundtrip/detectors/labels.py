"""Sentences and captions beside what they speak of: sizes, counts, and the shape of names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from roundtrip.detectors.proposal import Contradiction, Sure
from roundtrip.detectors.text import ReportText, marked, named_tables, quoted, where
from roundtrip.drafting.sentences import Mark, Sentence

_SIZE = re.compile(
    r"(?<![\w.])(?<!\d,)(\d+(?:,\d{3})*(?:\.\d+)?)\s?"
    r"((?i:bytes?|b)|[KM]i?[Bb]?|Gi?B?|[km]i?[Bb]|gi?B)\b(?!/s)"
)
_SCALES = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_RANGE = re.compile(
    rf"((?i:between)\s+)?{_SIZE.pattern}\s*(?:-|–|(?i:(?:up )?to)|(?(1)and|(?!)))\s*{_SIZE.pattern}"
)
_NUMBERED = re.compile(r"\b(table|figure)\s+(\d+)\b", re.I)
_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_IN_ROWS = (
    r"cases|ciphers\w*|columns|combinations|configurations|levels|modes|points|results|rows|runs|"
    r"scenarios|set-?ups|sizes|tests|topologies|types|values|variants|versions|workloads"
)
_ALL = re.compile(
    rf"\ball (?:of the )?(\d{{1,4}}|{'|'.join(_WORDS)})\s+(?:[\w.-]+\s+){{0,2}}(?:{_IN_ROWS})\b",
    re.I,
)
_SHORT_NAME = re.compile(r"\b[A-Z][A-Z0-9]{2,}\b")
_HEXADECIMAL = re.compile(r"\b0x[0-9a-f]{8,}\b", re.I)
_OFTEN = 10


def sizes(text: ReportText) -> Iterator[Contradiction]:
    """Propose captions that name one size of messages, of tables with rows for several."""
    for mark, found in marked(text.marks, "caption", "table"):
        table, said = f"table {found['number']}", _sizes(mark.text)
        printed = _sizes("; ".join(cell.row for cell in text.tables.get(table, ())))
        if len(said) == 1 and said.keys() < printed.keys():
            others = ", ".join(size for count, size in printed.items() if count not in said)
            (size,) = said.values()
            yield _told([mark], f"The caption of {table.capitalize()} says {size}; it also has "
                        f"rows for {others}.")  # fmt: skip


def ranges(text: ReportText) -> Iterator[Contradiction]:
    """Propose sentences that give a table or figure another range of sizes than its caption."""
    captions = {
        f"{what} {found['number']}": mark
        for what in ("table", "figure")
        for mark, found in marked(text.marks, "caption", what)
    }
    for sentence in text.sentences:
        names = {f"{what.lower()} {number}" for what, number in _NUMBERED.findall(sentence.text)}
        said = _range(sentence.text)
        for mark in (captions[name] for name in sorted(names & captions.keys())):
            given = _range(mark.text)
            if len(names) == 1 and said and given and len(said.keys() & given.keys()) == 1:
                one, other = (" to ".join(ends.values()) for ends in (said, given))
                told = f"{one}, and the caption from {other}"
                yield _told(
                    [sentence, mark], f"The sentence on {where(sentence)} gives sizes from {told}."
                )


def counts(text: ReportText) -> Iterator[Contradiction]:
    """Propose sentences on all so many of something in a table without so many rows or columns."""
    for sentence in text.sentences:
        found, named = _ALL.search(sentence.text), named_tables(sentence.text)
        if not found or len(named) != 1 or named[0] not in text.tables:
            continue
        table = text.tables[named[0]]
        most = max(len({cell.row for cell in table}), len({cell.column for cell in table}))
        count = found[1].lower()
        if most < (int(count) if count.isdigit() else _WORDS.index(count) + 2):
            said = quoted(sentence, found[0])
            yield _told([sentence], f"The sentence on {where(sentence)} says “{said}”; "
                        f"{named[0].capitalize()} has no more than {most}.")  # fmt: skip


def short_names(text: ReportText) -> Iterator[Contradiction]:
    """Propose a short name that occurs once, one letter from another that occurs often."""
    names = Counter(name for one in text.sentences for name in _SHORT_NAME.findall(one.text))
    often = [name for name, count in names.items() if count >= _OFTEN]
    for sentence in text.sentences:
        for name in _SHORT_NAME.findall(sentence.text):
            if names[name] == 1 and (near := [one for one in often if _one_letter(name, one)]):
                yield _told([sentence], f"The sentence on {where(sentence)} names {name}, which "
                            f"occurs nowhere else; {near[0]} occurs often.")  # fmt: skip


def hexadecimals(text: ReportText) -> Iterator[Contradiction]:
    """Propose the one hexadecimal number that has not as many digits as all others."""
    numbers = [(number, one) for one in text.sentences for number in _HEXADECIMAL.findall(one.text)]
    if len(numbers) < 3:
        return
    [(usual, _)] = Counter(len(number) for number, _ in numbers).most_common(1)
    odd = [(number, one) for number, one in numbers if len(number) != usual]
    if len(odd) == 1:
        [(number, sentence)] = odd
        yield _told([sentence], f"The sentence on {where(sentence)} has {number}, of "
                    f"{len(number) - 2} digits; the others have {usual - 2}.")  # fmt: skip


def _sizes(text: str) -> dict[float, str]:
    """Give the sizes in a text by their bytes, each once, however written: ``2 KB`` for 2K."""
    found: dict[float, str] = {}
    for digits, unit in _SIZE.findall(text):
        number, prefix = float(digits.replace(",", "")), unit[0].upper()
        found.setdefault(number * _SCALES[prefix], f"{digits} {prefix.removesuffix('B')}B")
    return found


def _range(text: str) -> dict[float, str]:
    found = _RANGE.search(text)
    return _sizes(found[0]) if found else {}


def _one_letter(one: str, other: str) -> bool:
    """Say whether two names differ by one letter in the same place."""
    apart = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
    return len(one) == len(other) and len(apart) == 1 and "".join(apart[0]).isalpha()


def _told(rests_on: Sequence[Sentence | Mark], says: str) -> Contradiction:
    return Contradiction.of_words(says, rests_on, Sure.medium)
