"""One look for every figure: type, colours that a variant keeps, and the shape beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from roundtrip.errors import SetupError
from roundtrip.present.arguments import checked
from roundtrip.project import Project, find_project
from roundtrip.theme import Theme, load_theme

WIDTH = 760


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
    try:
        theme = load_theme(project or find_project())
    except SetupError:  # no project here
        theme = Theme()
    place = theme.variants.get(variant, position % len(theme.series) + 1)
    if isinstance(place, int):
        return Style(theme.series[place - 1], *_SHAPES[place - 1])
    return Style(theme.baseline, *_BASELINE)


def base_layout(
    title: str, height: int, separators: str, margin_left: int, theme: Theme
) -> dict[str, Any]:
    """Give the layout that all figures share; lengths are pixels at the common width."""
    colors = theme.light
    axis = {
        "gridcolor": colors.rule, "gridwidth": 1, "linecolor": colors.ink, "zeroline": False,
        "ticks": "",
        "tickfont": {"size": 12, "color": colors.muted},
        "title": {"font": {"size": 12, "color": colors.muted}, "standoff": 12},
        "automargin": False,
    }  # fmt: skip
    return {
        "title": {
            "text": title, "x": 0, "xref": "container", "xanchor": "left", "pad": {"l": 4},
            "y": 1 - 10 / height, "yref": "container", "yanchor": "top",
            "font": {"size": 15, "color": colors.ink, "weight": 600}, "automargin": False,
        },
        "font": {"family": theme.families, "size": 12, "color": colors.ink},
        "width": WIDTH, "height": height,
        "margin": {"l": margin_left, "r": 24, "t": 64, "b": 52},
        "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)",
        "separators": separators,
        "xaxis": {**axis, "showgrid": False}, "yaxis": {**axis, "rangemode": "tozero"},
        "legend": {
            "orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom",
            "font": {"size": 12}, "title": {"text": ""}, "traceorder": "normal",
        },
        "hoverlabel": {"font": {"family": theme.families}},
        "bargap": 0.28, "bargroupgap": 0.06,
    }  # fmt: skip
