"""The words of a page with their boxes, by two programs that know nothing of each other."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

Program = Literal["pdfminer", "pdfium"]
Item = TypeVar("Item")
_SAME_WORD = 0.2  # a gap between letters of one word, in letters' heights
_BOLD = re.compile(r"bold|black|heavy|semibold|demi", re.IGNORECASE)
_BOLD_WEIGHT = 600
_UPRIGHT = 0.5  # the sine of the angle by which letters that are read may be turned
_BACK = 1.2  # the letters of a ligature share its box: the second begins left of the first's end


@dataclass(frozen=True)
class Box:
    """A box on a page, in points from the upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, boxes: Sequence[Box]) -> Box:
        """Give the smallest box that holds others."""
        return cls(
            min(box.left for box in boxes), min(box.top for box in boxes),
            max(box.right for box in boxes), max(box.bottom for box in boxes),
        )  # fmt: skip

    @property
    def middle(self) -> float:
        """Height of the middle."""
        return (self.top + self.bottom) / 2

    def holds(self, other: Box) -> bool:
        """Say whether the middle of another box of the page lies in this one."""
        across = (other.left + other.right) / 2
        return self.left <= across <= self.right and self.top <= other.middle <= self.bottom

    def meets(self, other: Box) -> bool:
        """Say whether two boxes of a page have a place in common."""
        return (
            self.left < other.right and other.left < self.right
            and self.top < other.bottom and other.top < self.bottom
        )  # fmt: skip


@dataclass(frozen=True)
class Word:
    """Letters without a space between them."""

    text: str
    box: Box
    size: float  # height of the letters, in points
    bold: bool


@dataclass(frozen=True)
class Page:
    """What one program reads on a page."""

    number: int  # from 1
    width: float  # in points
    height: float  # in points
    words: tuple[Word, ...]
    rules: tuple[Box, ...] = ()  # upright lines, where the program tells of them
    pictures: tuple[Box, ...] = ()
    curved: bool = False  # whether something on it may be a curve, where the program tells of it


def parted(items: Iterable[Item], apart: Callable[[Item, Item], bool]) -> list[list[Item]]:
    """Part items into runs: another begins where two neighbours are apart."""
    runs: list[list[Item]] = []
    for item in items:
        if runs and not apart(runs[-1][-1], item):
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs


def read_page(path: Path, number: int, program: Program) -> Page:
    """Read one page of a PDF; the first is 1."""
    return _by_pdfminer(path, number) if program == "pdfminer" else _by_pdfium(path, number)


def _by_pdfminer(path: Path, number: int) -> Page:
    import pdfplumber

    with pdfplumber.open(path, pages=[number]) as document:
        page = document.pages[0]
        words = tuple(
            Word(
                found["text"],
                box_of(found),
                float(found["bottom"] - found["top"]),
                _BOLD.search(found["fontname"]) is not None,
            )
            for found in upright_words(page, x_tolerance_ratio=_SAME_WORD, extra_attrs=["fontname"])
        )
        rules = tuple(
            box_of(line) for line in (*page.lines, *page.rects)
            if line["x1"] - line["x0"] < 2 and line["bottom"] - line["top"] > 4
        )  # fmt: skip
        pictures = tuple(box_of(picture) for picture in page.images)
        size = float(page.width), float(page.height)
        return Page(number, *size, words, rules, pictures, curved=bool(page.curves))


def upright_words(page: Any, **settings: Any) -> list[dict[str, Any]]:
    """Give the words of a page without letters that are turned, such as the title of an axis."""
    upright = page.filter(
        lambda one: one["object_type"] != "char" or abs(one["matrix"][1]) < abs(one["matrix"][0])
    )
    return [word for word in upright.extract_words(y_tolerance=1, **settings) if word["upright"]]


def box_of(found: dict[str, Any]) -> Box:
    """Give the box of an object of a page, as pdfplumber describes it."""
    return Box(*(float(found[side]) for side in ("x0", "top", "x1", "bottom")))


def _by_pdfium(path: Path, number: int) -> Page:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        page = document[number - 1]
        width, height = page.get_size()
        text = page.get_textpage()
        letters = []
        turned = page.get_rotation() != 0
        for place in range(text.count_chars()):
            angle = pypdfium2.raw.FPDFText_GetCharAngle(text, place)
            if not turned and angle >= 0 and abs(math.sin(angle)) > _UPRIGHT:
                continue  # such as the title of an axis, which the other program leaves out too
            letter = text.get_text_range(place, 1)
            left, bottom, right, top = text.get_charbox(place, loose=True)
            letter = letter.replace("\ufffe", "-")  # a hyphen at the end of a line
            box = Box(left, height - top, right, height - bottom)
            bold = pypdfium2.raw.FPDFText_GetFontWeight(text, place) >= _BOLD_WEIGHT
            letters.append((letter, box, bold))
        return Page(number, width, height, tuple(_words(letters)))


def _words(letters: Sequence[tuple[str, Box, bool]]) -> Iterator[Word]:
    """Put letters together in the order of the file, up to a space, a step or another line."""
    held: list[tuple[str, Box, bool]] = []
    for letter, box, bold in (*letters, (" ", Box(0, 0, 0, 0), False)):
        if held:
            last = held[-1][1]
            tall = max(last.bottom - last.top, 1)
            apart = abs(box.bottom - last.bottom) > tall / 2 or not (
                -_BACK * tall < box.left - last.right < _SAME_WORD * tall
            )
            if not letter.strip() or apart:
                whole = Box.around([found for _, found, _ in held])
                text = "".join(found for found, _, _ in held)
                heavy = all(found for _, _, found in held)
                yield Word(text, whole, whole.bottom - whole.top, heavy)
                held = []
        if letter.strip():
            held.append((letter, box, bold))
