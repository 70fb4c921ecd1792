"""Words put together as lines, and lines as pieces that white space parts."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from roundtrip.drafting.words import Box, Page, Word, parted

_PIECE_GAP = 0.55  # white space that parts two cells, in letters' heights
_PIECE_SPACE = 1.5  # … or in spaces of the font, which are wide where every letter is
_SPACES = 20  # gaps between words from which the space of a page's font is known
_RUNNING = 0.6  # a line at one height of so many pages is a running head; the outermost of three
CAPTION = re.compile(
    r"^(?:Table|TABLE)\s+(?P<number>[A-Z]?\d{1,4}(?:[.-]\d{1,4})*)\s*(?:[:.–—-]\s*(?P<text>.*)|)$"
)
FIGURE = re.compile(r"^(?:Figure\s+\d+\s*[:.–—-]|FIGURE\s+\d+\b)")
_NEXT = 1.9  # a step to the next line of a caption at most, in letters' heights
_LISTED = re.compile(r"\D*\d{1,4}")
_BESIDE = 1.5  # white space that parts a caption from what stands beside it, in letters' heights
_HYPHENS = "\u2010\u00ad-"
_NUMBER = re.compile(r"\b\d{1,4}\b")


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
    figure: bool = False  # whether it is a caption of a figure, or may go on with one
    beside: bool = False  # whether such a caption was parted from what stands beside it

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
    return _captions_apart([_line(page.number, words, space) for words in lines])


def _line(page: int, words: Sequence[Word], space: float) -> Line:
    gap = max(_PIECE_GAP, _PIECE_SPACE * space)
    held = parted(
        words, lambda one, two: two.box.left - one.box.right > gap * min(two.size, one.size)
    )
    pieces = tuple(joined(words) for words in held)
    return Line(page, pieces, tuple(words), Box.around([word.box for word in words]), space)


def _captions_apart(lines: Sequence[Line]) -> list[Line]:
    """Part captions of figures from what stands beside them, such as rows of a table."""
    found: list[Line] = []
    caption: Line | None = None
    for line in lines:
        starts = [
            at for at, piece in enumerate(line.pieces)
            if not at or piece.box.left - line.pieces[at - 1].box.right > _BESIDE * line.tall
        ]  # fmt: skip
        at = next((at for at in starts if FIGURE.match(line.pieces[at].text)), None)
        if at is None and caption and (caption.beside or len(line.pieces) == 1):
            at = next((at for at in starts if _goes_on(caption, line.pieces[at])), None)
        if at is None or _is_listed(line, at):
            found.append(line)
            continue
        lefts = [word.box.left for word in line.words]
        first = lefts.index(line.pieces[at].box.left)
        last = next((place for place in range(first + 1, len(lefts))
                     if lefts[place] - line.words[place - 1].box.right > _BESIDE * line.tall),
                    len(lefts))  # fmt: skip
        others = [_line(line.page, words, line.space)
                  for words in (line.words[:first], line.words[last:]) if words]  # fmt: skip
        caption = replace(_line(line.page, line.words[first:last], line.space), figure=True,
                          beside=bool(others))  # fmt: skip
        found += [*others, caption]
    return found


def _goes_on(caption: Line, piece: Piece) -> bool:
    step = piece.box.top - caption.box.top
    return abs(piece.box.left - caption.box.left) < 1 and step < _NEXT * caption.tall


def _is_listed(line: Line, at: int) -> bool:
    """Say whether what stands beside a caption is the number of its page, as in a list of them."""
    rest = " ".join(piece.text for piece in line.pieces[at + 1 :])
    return _LISTED.fullmatch(rest) is not None or "...." in line.text.replace(" ", "")


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
