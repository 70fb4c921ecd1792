"""How wide text is in the fonts of the report."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fontTools.ttLib import TTFont

_UNKNOWN = 1.0


class Face:
    """The widths of one font's characters, without kerning and ligatures.

    Parameters
    ----------
    file : Path
        A TrueType font.
    """

    def __init__(self, file: Path) -> None:
        with TTFont(file, lazy=True) as font:
            em = font["head"].unitsPerEm
            advances = font["hmtx"].metrics
            self._widths: dict[str, float] = {
                chr(code): advances[name][0] / em for code, name in font.getBestCmap().items()
            }

    def width(self, text: str) -> float:
        """Give the width of a text as a multiple of the size of its font."""
        return sum(self._widths.get(character, _UNKNOWN) for character in text)


@cache
def face(file: Path) -> Face:
    """Read a font once."""
    return Face(file)
