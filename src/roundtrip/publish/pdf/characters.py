"""Characters that no font of a report has: the PDF shows their code points in their place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress

from fontTools.ttLib import TTFont, TTLibError

from roundtrip.project import Project

_SEEN = re.compile(
    "[^\x00-\x7f\x85\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\uffa0\ufff0-\ufff8"
    "\ud800-\udfff\ufe00-\ufe0f\ufeff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Characters beyond ASCII, without bytes that are no text and what Typst shows nothing for."""
_TOLD = 8  # characters of one place


class Printable:
    """Knows what the fonts of a report can show.

    Parameters
    ----------
    project : Project
        Its fonts are those of the package and the ones in its ``templates/fonts``.
    """

    def __init__(self, project: Project) -> None:
        self._known: set[int] = set()
        for place in project.template_folders("fonts"):
            for file in (*place.glob("*.[to]t[fc]"), *place.glob("*.[TO]T[FC]")):
                # One that is none is no help, and Typst leaves it out as well.
                with suppress(TTLibError, OSError), TTFont(file, fontNumber=0, lazy=True) as font:
                    self._known |= (font.getBestCmap() or {}).keys()

    def lacking(self, text: str) -> list[str]:
        """Give the characters of a text that no font has, each once."""
        found = dict.fromkeys(_SEEN.findall(text))
        return [one for one in found if ord(one) not in self._known]

    def text(self, text: str) -> str:
        """Put ‹U+6E2C› for what no font has: to Typst, JSON and SVG, ‹ and › are text."""
        lacking = {ord(one): code_point(one) for one in self.lacking(text)}
        return text.translate(lacking) if lacking else text  # a whole book takes a quarter second


def code_point(character: str) -> str:
    """Write a character as its code point, such as ``‹U+6E2C›``."""
    return f"\u2039U+{ord(character):04X}\u203a"


def note_on(lacking: Iterable[str], where: str) -> str:
    """Say what of a place the PDF does not show, and what to do."""
    shown = [f"{one} ({code_point(one)})" for one in lacking]
    more = f" and {len(shown) - _TOLD} more" * (len(shown) > _TOLD)
    return (
        f"{where}: no font of the report has {', '.join(shown[:_TOLD])}{more}, and the PDF shows "
        "code points instead: put a font that has them into templates/fonts "
        "('roundtrip docs theme')"
    )
