"""Marks of comparisons in text: chapters write them, the build counts and draws what they mark.

A comparison is one of a published with a measured size. Its mark is a comment in Markdown, so that
it stands in the sentence that compares.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any, Literal, get_args

from roundtrip.outputs import listed

Outcome = Literal["agree", "disagree", "inconclusive", "withheld"]
"""``withheld``: the campaign fails a mandatory rule of method, see `roundtrip.methodology`."""
VERDICTS: tuple[Outcome, ...] = get_args(Outcome)
VERDICT = re.compile(rf"<!--verdict: ({'|'.join(VERDICTS)})(?: (\[[^<>]*\]))?-->")
"""Marks a comparison in Markdown, with its `Sides`: the build counts these, and takes them out."""
NO_VERDICT = "<!--no verdict-->"
"""Marks a published and a measured share that are listed without a verdict: likewise counted."""
TALLY = "<!--tally of verdicts-->"
"""Stands where the build writes how many verdicts of all chapters came to what."""
ALL_VERDICTS = "<!--drawing of verdicts-->"
"""Caption of the figure in whose place the build draws the comparisons of all chapters."""


@dataclass(frozen=True)
class Sides:
    """Both sides of a comparison, in percent of what the shares are of."""

    name: str  # what was compared, in words
    least: float  # what was published: one value or a range
    most: float  # the other end of the range
    reach: float  # factor beyond these within which a measured share agrees; 1: no margin
    here: float  # the measured share
    low: float  # end of its interval; NaN where it has none
    high: float  # the other end
    cells: tuple[str, ...]  # what both rest on
    beyond: float = math.nan  # factor outside which a whole interval disagrees; NaN: no margin
    tested: tuple[float, float] = (math.nan, math.nan)  # interval that must lie within the margin

    def __str__(self) -> str:
        """Write them so that a comment and a template of text can hold them."""
        text = json.dumps(astuple(self))
        return re.sub(r"--|[{}<>]", lambda found: f"\\u{ord(found[0][0]):04x}{found[0][1:]}", text)

    @classmethod
    def read(cls, text: str) -> Sides:
        """Read back what `str` wrote."""
        parts: list[Any] = [tuple(p) if isinstance(p, list) else p for p in json.loads(text)]
        return cls(*parts)


def mark(outcome: Outcome, sides: Sides | None = None) -> str:
    """Mark a sentence as one that compares a published size with a measured one."""
    return f"<!--verdict: {outcome}{f' {sides}' if sides else ''}-->"


def outcomes_words(counts: Mapping[str, int], which: str = "") -> str:
    """Say how comparisons came out: ``Of 5 comparisons, 4 disagree and 1 is inconclusive``.

    `which` comparisons stands behind the word.
    """
    total = sum(counts.values())
    told = []
    for name in filter(counts.get, VERDICTS):
        number = counts[name]
        verb = f"{name}{'s' * (number == 1)}"
        if name in ("inconclusive", "withheld"):
            verb = f"{'is' if number == 1 else 'are'} {name}"
        told.append(verb if total == number else f"{number} {verb}")
    if len(told) == 1:
        every = {1: "The only comparison", 2: "Both comparisons"}
        return f"{every.get(total, f'All {total} comparisons')}{which} {told[0]}"
    return f"Of {total} comparisons{which}, {listed(told)}"
