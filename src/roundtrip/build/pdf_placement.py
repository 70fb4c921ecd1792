"""What shall leave its place or move together so that no page stays half empty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

TOLERATED_GAP_MM = 48
"""How much of a page may stay empty because the next item does not fit."""

FEW_LINES_MM = 24
"""How much of a chapter's last page must be used for the page to be worth having."""


@dataclass(frozen=True)
class Placement:
    """Where an item came to stand.

    Attributes
    ----------
    chapter, label : str
        The item, and the chapter it belongs to.
    follows_text : bool
        Whether it stands on the page on which the text before it ends.
    room_mm : float
        How much of that page is below the text.
    """

    chapter: str
    label: str
    follows_text: bool
    room_mm: float


@dataclass(frozen=True)
class Layout:
    """What is known of a laid-out book.

    Attributes
    ----------
    placements : list of Placement
        All items that stand in the text, in order.
    last_pages : dict of str to float
        Chapters of several pages, and how many millimetres of their last page are used.
    """

    placements: list[Placement]
    last_pages: dict[str, float]


def to_float(placements: Iterable[Placement]) -> dict[str, str]:
    """Choose the items that shall float to the next page, letting text fill the gap they leave.

    Moving one item moves all that follow in its chapter, so only the first of each chapter is
    chosen; the caller lays out again and asks again. Chapters start on new pages and do not affect
    each other.

    Parameters
    ----------
    placements : iterable of Placement
        All items that stand in the text, in order.

    Returns
    -------
    dict of str to str
        The chapters that have such an item, and its label.
    """
    chosen: dict[str, str] = {}
    for item in placements:
        if not item.follows_text and item.room_mm > TOLERATED_GAP_MM:
            chosen.setdefault(item.chapter, item.label)
    return chosen


def to_tighten(last_pages: Mapping[str, float]) -> set[str]:
    """Choose the chapters whose last page holds a few lines that could stand on the page before.

    Parameters
    ----------
    last_pages : mapping of str to float
        Chapters of several pages, and how many millimetres of their last page are used.

    Returns
    -------
    set of str
        Names of chapters.
    """
    return {name for name, used in last_pages.items() if used < FEW_LINES_MM}
