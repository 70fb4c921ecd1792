"""Pages as two programs read them that know nothing of each other: words, put together as lines."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypeVar

Program = Literal["pdfminer", "pdfium"]
Item = TypeVar("Item")
_SAME_WORD = 0.2  # a gap between letters of one word, in letters' heights
_BOLD = re.compile(r"bold|black|heavy|semibold|demi", re.IGNORECASE)
_BOLD_WEIGHT = 600
_UPRIGHT = 0.5  # the sine of the angle by which letters that are read may be turned
_BACK = 1.2  # the letters of a ligature share its box: the second begins left of the first's end
_PIECE_GAP = 0.55  # white space that parts two cells, in letters' heights
_PIECE_SPACE = 1.5  # … or in spaces of the font, which are wide where every letter is
_SPACES = 20  # gaps between words from which the space of a page's font is known
_RUNNING = 0.6  # a line at one height of so many pages is a running head; the outermost of three
CAPTION = re.compile(
    r"^(?:Table|TABLE)\s+(?P<number>[A-Z]?\d{1,4}(?:[.-]\d{1,4})*)\s*(?:[:.–—-]\s*(?P<text>.*)|)$"
)
FIGURE = re.compile(r"^(?:Figure\s+\d+\s*[:.–—-]|FIGURE\s+\d+\b)")
_HYPHENS = "\u2010\u00ad-"
_NUMBER = re.compile(r"\b\d{1,4}\b")


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

    @property
    def across(self) -> float:
        """The middle from left to right."""
        return (self.left + self.right) / 2

    @property
    def width(self) -> float:
        """From left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From top to bottom."""
        return self.bottom - self.top

    def holds(self, other: Box) -> bool:
        """Say whether the middle of another box of the page lies in this one."""
        return self.left <= other.across <= self.right and self.top <= other.middle <= self.bottom

    def over(self, other: Box) -> bool:
        """Say whether one box stands over the other, wholly or in part."""
        return self.left < other.right and other.left < self.right

    def meets(self, other: Box) -> bool:
        """Say whether two boxes of a page have a place in common."""
        return self.over(other) and self.top < other.bottom and other.top < self.bottom


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
        words = upright_words(page, x_tolerance_ratio=_SAME_WORD, extra_attrs=["fontname"])
        pictures = tuple(map(box_of, page.images))
        size = float(page.width), float(page.height)
        return Page(number, *size, tuple(words), pictures, curved=bool(page.curves))


def upright_words(page: Any, **settings: Any) -> list[Word]:
    """Give the words of a page without letters that are turned, such as the title of an axis."""
    upright = page.filter(
        lambda one: one["object_type"] != "char" or abs(one["matrix"][1]) < abs(one["matrix"][0])
    )
    return [
        Word(
            word["text"], box_of(word), float(word["bottom"] - word["top"]),
            _BOLD.search(word.get("fontname", "")) is not None,
        )
        for word in upright.extract_words(y_tolerance=1, **settings) if word["upright"]
    ]  # fmt: skip


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
            tall = max(last.height, 1)
            apart = abs(box.bottom - last.bottom) > tall / 2 or not (
                -_BACK * tall < box.left - last.right < _SAME_WORD * tall
            )
            if not letter.strip() or apart:
                whole = Box.around([found for _, found, _ in held])
                text = "".join(found for found, _, _ in held)
                heavy = all(found for _, _, found in held)
                yield Word(text, whole, whole.height, heavy)
                held = []
        if letter.strip():
            held.append((letter, box, bold))


@dataclass(frozen=True)
class Piece:
    """Words of a line that belong together, such as a cell."""

    text: str
    box: Box


@dataclass(frozen=True)
class Line:
    """A line of a page."""

    page: int
    pieces: tuple[Piece, ...]  # from left to right
    words: tuple[Word, ...]
    box: Box
    space: float  # the usual gap between words of its page, in letters' heights

    @property
    def text(self) -> str:
        """The whole line."""
        return " ".join(piece.text for piece in self.pieces)

    @property
    def tall(self) -> float:
        """Height of its letters, in points."""
        return max(word.size for word in self.words)

    @property
    def bold(self) -> bool:
        """Whether all of it is in bold letters."""
        return all(word.bold for word in self.words)


def lines_of(page: Page) -> list[Line]:
    """Put the words of a page together as lines, from top to bottom."""
    rows = parted(
        sorted(page.words, key=lambda word: word.box.middle),
        lambda one, two: two.box.middle - one.box.middle >= two.size * 0.35,
    )
    lines = [sorted(row, key=lambda word: word.box.left) for row in rows]
    gaps = [
        gap for words in lines for one, two in pairwise(words)
        if 0 < (gap := (two.box.left - one.box.right) / one.size) < 1
    ]  # fmt: skip
    space = statistics.median(gaps) if len(gaps) >= _SPACES else 0.25
    return [_line(page.number, words, space) for words in lines]


def _line(page: int, words: Sequence[Word], space: float) -> Line:
    gap = max(_PIECE_GAP, _PIECE_SPACE * space)
    held = parted(
        words, lambda one, two: two.box.left - one.box.right > gap * min(two.size, one.size)
    )
    pieces = tuple(joined(words) for words in held)
    return Line(page, pieces, tuple(words), Box.around([word.box for word in words]), space)


def joined_lines(texts: Sequence[str]) -> str:
    """Put the lines of a cell together; a word parted at its hyphen is one word again."""
    whole = ""
    for text in texts:
        parted = re.search(rf"\w[{_HYPHENS}]$", whole) is not None
        whole = f"{whole}{'' if parted or not whole else ' '}{text}"
    return whole


def joined(words: Sequence[Word]) -> Piece:
    """Put words of one line together."""
    return Piece(" ".join(word.text for word in words), Box.around([word.box for word in words]))


def without_running_heads(pages: Sequence[Page]) -> list[list[Line]]:
    """Give the lines of pages without those that several pages bear at one height.

    Only the upper and lower tenth of a page can hold such lines; a page's number may be in them.
    """
    read = [(page, lines_of(page)) for page in pages]
    counts = Counter(key for page, lines in read
                     for line in lines for key in _places(page, line))  # fmt: skip
    often = max(4, _RUNNING * len(read))
    kept = []
    for page, lines in read:
        outermost = (lines[0], lines[-1]) if lines else ()
        kept.append([
            line for line in lines
            if all(counts[key] < (3 if line in outermost else often) for key in _places(page, line))
        ])  # fmt: skip
    return kept


def _places(page: Page, line: Line) -> set[tuple[int, str]]:
    """Give what a running head has in common with those of other pages: height and text."""
    inside = 0.1 * page.height < line.box.middle < 0.9 * page.height
    if inside or len(line.pieces) > 3 or CAPTION.match(line.text):
        return set()
    height = round(line.box.middle / 3)
    numbered = _NUMBER.sub(lambda found: f"page {int(found[0]) - page.number:+}", line.text)
    return {(height, line.text), (height, numbered)}
