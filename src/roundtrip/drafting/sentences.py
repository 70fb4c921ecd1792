"""What a document says outside its tables: sentences, headings, captions, running heads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from roundtrip.drafting.blocks import IN_LIST, find_blocks
from roundtrip.drafting.pages import (
    CAPTION,
    FIGURE,
    Line,
    Page,
    joined_lines,
    lines_of,
    parted,
    without_running_heads,
)

Kind = Literal["heading", "caption", "listed", "head"]

_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
_VALUE = re.compile(
    r"(?<![\w.,-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\s?(?:%|"
    r"(?:round[- ]?trips?|messages?|msgs?)(?:\s?(?:/|per )\s?s(?:ec(?:ond)?)?)?|[mt]ps|"
    r"[kmgt]i?b(?:ytes?)?(?:/s(?:ec)?|ps)?|bytes?|[nµμum]?s(?:ecs?)?|seconds?|minutes?)(?!\w)", re.I
)  # fmt: skip
_COMPARES = re.compile(
    r"\b(?:than|compared|relative|versus|faster|slower|higher|lower|greater|smaller|larger|fewer|"
    r"more|less|better|worse|best|worst|most|least|highest|lowest|fastest|slowest|largest|smallest|"
    r"maximum|minimum|peak(?:s|ed)?|same|similar|equal|double[sd]?|twice|times|half|halve[sd]?|increase[sd]?|"
    r"rises?|rose|grows?|grew|falls?|fell|drops?|dropped|declines?d?|"
    r"decrease[sd]?|reduce[sd]?|improve[sd]?|outperform(?:s|ed)?)\b",
    re.IGNORECASE,
)
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9“(])")
_NUMBERED = re.compile(r"^\d+(?:\.\d+)+\.?\s")
_SECTION = re.compile(r"(?:[Ss]ection\s+)?((?:[A-Z]\.)?\d{1,2}(?:\.\d+)*)\.?(?=\s|$)")
_SMALLER = 0.98  # letters of a heading below another, against those of that one
_LARGER = 1.12  # letters of a heading against those of the text
_STEP = 1.9  # a step to the next line that begins a paragraph, in letters' heights
_WRAPPED = 1.45  # a step to the next line of one heading
_HEADING_WORDS = 12
_MARGIN = 0.1  # of a page's height, in which running heads stand


@dataclass(frozen=True)
class Sentence:
    """A sentence that holds a number or compares."""

    page: int
    # The heading above it, with the number of the section if only a larger heading has one, or "".
    section: str
    text: str

    @property
    def numbers(self) -> tuple[str, ...]:
        """Its numbers as printed."""
        return numbers_in(self.text)

    @property
    def place(self) -> str:
        """The number of its section, or the heading where that has none."""
        return section_number(self.section) or self.section


@dataclass(frozen=True)
class Mark:
    """A line that tells what the text around it is."""

    page: int
    kind: Kind  # a caption may be listed with a page; a head is a line of the margins
    section: str  # the heading above it; empty before the first
    text: str

    @property
    def numbered(self) -> str:
        """What a caption is of, in lower case: ``table 8``."""
        return " ".join(self.text.lower().split()[:2]).rstrip(":.-–—")


def find_sentences(pages: Sequence[Page]) -> tuple[list[Sentence], list[Mark]]:
    """Find the sentences of a document that state a number or compare, and what is around them.

    Both are in the order of the document, running heads at the end. What stands in tables and
    captions is left out; a sentence that goes on over a page comes in two parts.
    """
    read = without_running_heads(pages)
    tables = {id(line) for block in find_blocks(read) for part in block.parts for line in part}
    usual = usual_height(read)
    sentences: list[Sentence] = []
    marks: list[Mark] = []
    section = ""
    numbered: tuple[str, float] | None = None
    for lines in read:
        held: list[Line] = []
        for line, kind in lines_with_kinds(lines, usual, tables):
            outside = kind is not None or id(line) in tables
            far = held and line.box.top - held[-1].box.top > _STEP * line.tall
            if outside or far:
                sentences += _said(held, section)
                held = []
            if kind is not None:
                marks.append(Mark(line.page, kind, section, line.text))
            if kind == "heading":
                number = section_number(line.text)
                if number:
                    numbered = (number, line.tall)
                elif numbered and line.tall >= _SMALLER * numbered[1]:
                    numbered = None
                above = f"{numbered[0]} " if numbered and not number else ""
                section = above + line.text
            if not outside:
                held.append(line)
        sentences += _said(held, section)
    return sentences, [*marks, *_heads(pages)]


def section_number(heading: str) -> str:
    """Give the number that a heading begins with; empty where it has none."""
    found = _SECTION.match(heading.strip())
    return found[1] if found else ""


def numbers_in(text: str) -> tuple[str, ...]:
    """Give the numbers of a text as they are printed, without units."""
    return tuple(found.rstrip(",") for found in _NUMBER.findall(text))


def values_in(text: str) -> list[str]:
    """Give the numbers of a text that a unit of a rate, share, size or time follows, with it."""
    return [found.strip() for found in _VALUE.findall(text)]


def compares(text: str) -> bool:
    """Say whether a text has a word that compares."""
    return _COMPARES.search(text) is not None


def usual_height(read: Iterable[Iterable[Line]]) -> float:
    """Give the height of the letters that most of a document is set in; 0 where it has none."""
    letters = Counter[float]()
    for lines in read:
        for line in lines:
            letters[round(line.tall, 1)] += len(line.text)
    return letters.most_common(1)[0][0] if letters else 0.0


def lines_with_kinds(
    lines: Sequence[Line], usual: float, tables: Collection[int] = ()
) -> Iterator[tuple[Line, Kind | None]]:
    """Say what each line is; the lines of one heading are one.

    Lines in `tables`, by identity, are of no kind. For `usual` see `usual_height`.
    """
    kinds = {id(line): None if id(line) in tables else _kind_of(line, usual) for line in lines}

    def apart(one: Line, two: Line) -> bool:
        headings = kinds[id(one)] == kinds[id(two)] == "heading"
        return not (headings and _heading_goes_on(one, two))

    for run in parted(lines, apart):
        pieces = tuple(piece for line in run for piece in line.pieces)
        yield replace(run[0], pieces=pieces) if run[1:] else run[0], kinds[id(run[0])]


def _kind_of(line: Line, usual: float) -> Kind | None:
    """Say whether a line is a heading, a caption or an entry of a list."""
    if CAPTION.match(line.text) or FIGURE.match(line.text):
        return "listed" if IN_LIST.search(line.text) else "caption"
    ends = line.text.endswith(".") and not _NUMBERED.match(line.text)
    if ends or len(line.words) > _HEADING_WORDS:
        return None
    return "heading" if line.tall > _LARGER * usual or line.bold else None


def _heading_goes_on(heading: Line, line: Line) -> bool:
    """Say whether the next line, a heading too, is the rest of a heading of several lines."""
    near = line.box.top - heading.box.top < _WRAPPED * line.tall
    alike = abs(line.tall - heading.tall) < 0.02 * line.tall and line.bold == heading.bold
    return near and alike and not _NUMBERED.match(line.text)


def _heads(pages: Sequence[Page]) -> Iterator[Mark]:
    """Give the first and the last line of each page, where they stand in its margins."""
    for page in pages:
        lines = lines_of(page)
        for line in {id(end): end for end in (*lines[:1], *lines[-1:])}.values():
            if not _MARGIN * page.height < line.box.middle < (1 - _MARGIN) * page.height:
                yield Mark(page.number, "head", "", line.text)


def _said(lines: Sequence[Line], section: str) -> Iterator[Sentence]:
    for text in _END.split(joined_lines([line.text for line in lines])):
        if numbers_in(text) or compares(text):
            yield Sentence(lines[0].page, section, text)
