"""Sentences that may be claims: what a document says in numbers and comparisons, and where."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from roundtrip.drafting.blocks import find_blocks
from roundtrip.drafting.lines import CAPTION, Line, joined_lines, without_running_heads
from roundtrip.drafting.words import Page

_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
_COMPARES = re.compile(
    r"\b(?:than|compared|relative|versus|faster|slower|higher|lower|greater|smaller|larger|fewer|"
    r"more|less|better|worse|best|worst|most|least|highest|lowest|fastest|slowest|largest|smallest|"
    r"maximum|minimum|peak|same|similar|equal|double[sd]?|twice|half|halve[sd]?|increase[sd]?|"
    r"decrease[sd]?|reduce[sd]?|improve[sd]?|outperform(?:s|ed)?)\b",
    re.IGNORECASE,
)
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9“(])")
_LARGER = 1.12  # letters of a heading against those of the text
_STEP = 1.9  # a step to the next line that begins a paragraph, in letters' heights
_HEADING_WORDS = 12


@dataclass(frozen=True)
class Sentence:
    """A sentence that holds a number or compares.

    Attributes
    ----------
    page : int
    section : str
        The heading above it; empty before the first.
    text : str
    numbers : tuple of str
        As printed.
    """

    page: int
    section: str
    text: str
    numbers: tuple[str, ...]


def find_sentences(pages: Sequence[Page]) -> Iterator[Sentence]:
    """Find the sentences of a document that state a number or compare.

    Parameters
    ----------
    pages : sequence of Page
        As one program reads them.

    Yields
    ------
    Sentence
        In the order of the document. What stands in tables and captions is left out; a sentence
        that goes on over a page comes in two parts.
    """
    read = without_running_heads(pages)
    tables = {id(line) for block in find_blocks(read) for part in block.parts for line in part}
    letters = Counter[float]()
    for lines in read:
        for line in lines:
            letters[round(line.tall, 1)] += len(line.text)
    usual = letters.most_common(1)[0][0] if letters else 0.0
    section = ""
    for lines in read:
        held: list[Line] = []
        for line in lines:
            heading = _is_heading(line, usual)
            outside = heading or id(line) in tables or CAPTION.match(line.text)
            far = held and line.box.top - held[-1].box.top > _STEP * line.tall
            if outside or far:
                yield from _said(held, section)
                held = []
            if heading:
                section = line.text
            elif not outside:
                held.append(line)
        yield from _said(held, section)


def places_of(sentence: Sentence, cells: Mapping[str, Sequence[str]]) -> list[str]:
    """Name the cells that hold a number of a sentence.

    Parameters
    ----------
    sentence : Sentence
    cells : mapping
        Number, without its commas, to the places that print it.

    Returns
    -------
    list of str
        Numbers of one digit or two without a point are left out: they are everywhere.
    """
    return [
        place for number in sentence.numbers if len(plain := number.replace(",", "")) > 2
        for place in cells.get(plain, ())
    ]  # fmt: skip


def numbers_in(text: str) -> tuple[str, ...]:
    """Give the numbers of a text as they are printed, without units."""
    return tuple(found.rstrip(",") for found in _NUMBER.findall(text))


def _is_heading(line: Line, usual: float) -> bool:
    if line.text.endswith(".") or len(line.words) > _HEADING_WORDS:
        return False
    return line.tall > _LARGER * usual or line.bold


def _said(lines: Sequence[Line], section: str) -> Iterator[Sentence]:
    if not lines:
        return
    for text in _END.split(joined_lines([line.text for line in lines])):
        numbers = numbers_in(text)
        if numbers or _COMPARES.search(text):
            yield Sentence(lines[0].page, section, text, numbers)
