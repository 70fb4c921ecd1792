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
