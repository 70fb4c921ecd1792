"""Which figures and tables shall leave their place so that no page stays half empty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_BOTTOM_MARGIN_MM = 26
_PAGE_HEIGHT_MM = {"a4": 297.0, "letter": 279.4}
_TOLERATED_GAP_MM = 45


@dataclass(frozen=True)
class Placement:
    """Where an item came to stand.

    Attributes
    ----------
    label : str
        The item.
    end_page, end_mm : int, float
        Where the text before it ends: page, and distance from the top of that page.
    start_page : int
        The page that the item stands on.
    """

    label: str
    end_page: int
    end_mm: float
    start_page: int


def to_float(
    placements: Iterable[Placement], chapter_of: Mapping[str, str], paper: str
) -> frozenset[str]:
    """Choose the items that shall float to the top of the next page, letting text fill the gap.

    Moving one item moves all that follow in its chapter, so only the first of each chapter is
    chosen; the caller typesets again and asks again.

    Parameters
    ----------
    placements : iterable of Placement
        All items that stand in the text, in order.
    chapter_of : mapping
        The chapter of each item; chapters start on new pages and do not affect each other.
    paper : str
        ``a4`` or ``letter``.

    Returns
    -------
    frozenset of str
        Labels, at most one for each chapter.
    """
    bottom = _PAGE_HEIGHT_MM[paper] - _BOTTOM_MARGIN_MM
    chosen: dict[str, str] = {}
    for item in placements:
        gap = bottom - item.end_mm
        if item.start_page > item.end_page and gap > _TOLERATED_GAP_MM:
            chosen.setdefault(chapter_of[item.label], item.label)
    return frozenset(chosen.values())
