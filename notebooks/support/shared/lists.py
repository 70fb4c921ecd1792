"""Lists in the text of a chapter: lines under what they are about."""

from __future__ import annotations

from collections.abc import Sequence

from roundtrip.present import Text


def listed_under(head: str, lines: Sequence[str], then: str = "") -> Text | None:
    """Put the lines of a list under a sentence; None where there are none.

    Parameters
    ----------
    then : str
        A paragraph that follows the list.
    """
    if not lines:
        return None
    parts = [head, "\n".join(lines), then]
    return Text("\n\n".join(filter(None, parts)))


def of_all(count: int, total: int, noun: str) -> str:
    """Write a part of a whole: ``2 of 5 pairs``, ``both pairs``, ``the only pair``."""
    if count < total or total < 1:
        return f"{count or 'none'} of {total} {noun}{'s' * (total != 1)}"
    return {1: f"the only {noun}", 2: f"both {noun}s"}.get(total, f"all {total} {noun}s")
