"""What shall leave its place or move together so that no page of a chapter stays half empty.

Chapters begin on new pages and do not affect each other, so each is laid out by itself until it is
settled, several at a time; the book is then laid out once.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import typst

from roundtrip.build.typst_text import quoted

TOLERATED_GAP_MM = 48
"""How much of a page may stay empty because the next item does not fit."""

FEW_LINES_MM = 48
"""How much of a chapter's last page must be used for the page to be worth having."""

_LAYOUT_ROUNDS = 24

Place = tuple[int, float, float]
"""A page, counted from 1, and a point on it: from the left and from the top, in points."""


@dataclass(frozen=True)
class Arrangement:
    """How a chapter's items are placed.

    Attributes
    ----------
    floated : tuple of str
        Labels of figures and tables that go to the next page; the text after them fills the gap.
    tight : bool
        Whether lines, and rows of tables, stand closer together.
    """

    floated: tuple[str, ...] = ()
    tight: bool = False

    @classmethod
    def from_json(cls, text: str) -> Arrangement:
        """Read an arrangement back."""
        kept = json.loads(text)
        return cls(tuple(kept["floated"]), kept["tight"])


@dataclass(frozen=True)
class Placement:
    """Where an item came to stand.

    Attributes
    ----------
    label : str
        The item.
    follows_text : bool
        Whether it stands on the page on which the text before it ends.
    room_mm : float
        How much of that page is below the text.
    page, height_mm : float
        Page that the item begins on, and how far below its upper edge.
    """

    label: str
    follows_text: bool
    room_mm: float
    page: float = 0
    height_mm: float = 0

    @property
    def place(self) -> tuple[float, float]:
        """Of two items, the one with the lower place is met first."""
        return self.page, self.height_mm


@dataclass(frozen=True)
class Layout:
    """What is known of a chapter that was laid out.

    Attributes
    ----------
    placements : tuple of Placement
        All items that may leave their place, in the order of the text.
    last_page_mm : float or None
        How much of the last page is used; None for a chapter of one page.
    """

    placements: tuple[Placement, ...]
    last_page_mm: float | None


def to_float(layout: Layout, floated: Collection[str] = ()) -> str | None:
    """Choose the item that shall float to the next page, letting text fill the gap it leaves.

    Those that float stay in order among themselves; so an item that one of them has come to stand
    before floats as well. Moving one item moves all that follow, so only the first is chosen; the
    caller lays out again and asks again.

    Parameters
    ----------
    layout : Layout
        The chapter as it stands.
    floated : collection of str, optional
        Labels of the items that float already.

    Returns
    -------
    str or None
        Label of the item; None when there is no gap and all stand in order.
    """
    items = layout.placements
    for number, item in enumerate(items):
        leaves_gap = not item.follows_text and item.room_mm > TOLERATED_GAP_MM
        overtaken = any(later.place < item.place for later in items[number + 1 :])
        if item.label not in floated and (leaves_gap or overtaken):
            return item.label
    return None


def improved(arrangement: Arrangement, layout: Layout, in_order: bool = False) -> Arrangement:
    """Give the arrangement to try next, the same one when nothing is left to improve.

    Parameters
    ----------
    arrangement : Arrangement
        What the chapter was laid out with.
    layout : Layout
        What came of it.
    in_order : bool, optional
        Whether every item has to stay in its place, as in a row of tables without text that could
        fill a gap.
    """
    label = None if in_order else to_float(layout, arrangement.floated)
    if label is not None:
        return Arrangement((*arrangement.floated, label), arrangement.tight)
    # Items that leave their place change where the chapter ends, so this is asked last.
    few_lines = layout.last_page_mm is not None and layout.last_page_mm < FEW_LINES_MM
    return Arrangement(arrangement.floated, arrangement.tight or few_lines)


def write_chapter(folder: Path, name: str, body: str) -> None:
    """Write the Typst file of a chapter, which stays the same however its items are placed.

    Typst lays out again only what changed. A line more in this file would count as a change of all
    that stands below it; so the arrangement has a file of its own.
    """
    lines = [
        '#import "/report.typ": *',
        f"#let (floated, tight) = json({quoted(f'/chapters/{name}.json')})",
        "#show: body => if tight { tightly(body) } else { body }",
        f"#let target-of = targets({quoted(f'/chapters/{name}.places.json')})",
    ]
    (folder / "chapters" / f"{name}.typ").write_text("\n".join([*lines, "", body]), "utf-8")


def write_places(folder: Path, name: str, places: Mapping[str, Place]) -> None:
    """Write where the anchors stand that the tables and figures of a chapter link to."""
    (folder / "chapters" / f"{name}.places.json").write_text(json.dumps(places), "utf-8")


def write_arrangement(folder: Path, name: str, arrangement: Arrangement) -> None:
    """Write how the items of a chapter are placed."""
    (folder / "chapters" / f"{name}.json").write_text(json.dumps(asdict(arrangement)), "utf-8")


def lay_out(folder: Path, name: str, elsewhere: Sequence[str], fonts: typst.Fonts) -> Layout:
    """Lay out one chapter by itself.

    Parameters
    ----------
    folder : Path
        Templates, ``book.json``, chapters and figures.
    name : str
        The chapter.
    elsewhere : sequence of str
        Anchors of other chapters that it links to.
    fonts : typst.Fonts
        The fonts of the book.

    Raises
    ------
    RuntimeError
        If Typst cannot lay it out.
    """
    # A compiler does not notice files that change; what was laid out before is remembered beyond
    # its life.
    compiler = typst.Compiler(
        str(folder / "alone.typ"),
        root=str(folder),
        font_paths=fonts,
        # One input: of several, the order is another one each time, and nothing is remembered.
        sys_inputs={"alone": json.dumps({"chapter": name, "elsewhere": list(elsewhere)})},
    )
    found = json.loads(compiler.query("<placements>", field="value", one=True))
    return Layout(tuple(Placement(*item) for item in found["items"]), found["last-page"])


def settle(
    folder: Path,
    name: str,
    elsewhere: Sequence[str],
    fonts: typst.Fonts,
    in_order: bool = False,
) -> Arrangement:
    """Lay out a chapter until no item leaves a page half empty, at most a few times.

    The file of its arrangement in `folder` is written again and again.

    Parameters
    ----------
    folder, name, elsewhere, fonts
        As for `lay_out`.
    in_order : bool, optional
        As for `improved`.

    Returns
    -------
    Arrangement
        Also of a chapter that Typst cannot lay out: it tells more of that when it writes the PDF.
    """
    arrangement = Arrangement()
    for _ in range(_LAYOUT_ROUNDS):
        write_arrangement(folder, name, arrangement)
        try:
            layout = lay_out(folder, name, elsewhere, fonts)
        except RuntimeError:
            break
        better = improved(arrangement, layout, in_order)
        if better == arrangement:
            break
        arrangement = better
    return arrangement
