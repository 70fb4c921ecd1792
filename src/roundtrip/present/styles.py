"""The style that a variant keeps through a report: a colour, and shapes beside it."""

from __future__ import annotations

from dataclasses import dataclass

from roundtrip.present.arguments import checked
from roundtrip.project import Project, find_project
from roundtrip.theme import load_theme


@dataclass(frozen=True)
class Style:
    """Colour, marker, dash and fill pattern of one variant: never colour alone."""

    color: str
    symbol: str
    dash: str
    pattern: str


# Dark and light enough apart to be told by colour-blind readers and in grey (after Okabe & Ito).
_SHAPES = (
    ("square", "solid", ""), ("diamond", "dash", "/"), ("triangle-up", "dot", "x"),
    ("triangle-down", "dashdot", "."), ("star", "longdash", "\\"), ("cross", "longdashdot", "-"),
    ("x", "dash", "+"),
)  # fmt: skip
_BASELINE = ("circle", "solid", "")


@checked
def style_of(variant: str, position: int = 0, project: Project | None = None) -> Style:
    """Give the style that a variant keeps through the report.

    Parameters
    ----------
    variant : str
        Its name in the data.
    position : int
        Its place among others, from zero: one that the theme does not name takes the colours in
        order.
    project : Project, optional
        Whose theme counts; that of the working directory by default.
    """
    theme = load_theme(project or find_project())
    place = theme.variants.get(variant, position % len(theme.series) + 1)
    if isinstance(place, int):
        return Style(theme.series[place - 1], *_SHAPES[place - 1])
    return Style(theme.baseline, *_BASELINE)
