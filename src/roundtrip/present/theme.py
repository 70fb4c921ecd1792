"""One look for every figure: type, colours that a variant keeps, and the shape beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

FONT = "IBM Plex Sans"
INK = "#161616"
MUTED = "#525252"
RULE = "#e0e0e0"
WIDTH = 760
HEIGHT = 400


@dataclass(frozen=True)
class Style:
    """Colour, marker, dash and fill pattern of one variant: never colour alone."""

    color: str
    symbol: str
    dash: str
    pattern: str


# Dark and light enough apart to be told by colour-blind readers and in grey (after Okabe & Ito).
_GREY = Style("#6f6f6f", "circle", "solid", "")
_BLUE = Style("#0062b1", "square", "solid", "")
_ORANGE = Style("#d9650b", "diamond", "dash", "/")
_GREEN = Style("#00856f", "triangle-up", "dot", "x")
_PURPLE = Style("#8a4fae", "triangle-down", "dashdot", ".")
_SKY = Style("#4ba3d9", "star", "longdash", "\\")
_YELLOW = Style("#c99700", "cross", "longdashdot", "-")
_RED = Style("#a5243d", "x", "dash", "+")
_CYCLE = (_BLUE, _ORANGE, _GREEN, _PURPLE, _SKY, _YELLOW, _RED)

# A variant keeps its style through the whole report; what comparisons start from is grey.
_VARIANTS: dict[str, Style] = {
    "none": _GREY,
    "nonpersistent": _BLUE,
    "persistent": _ORANGE,
    "IBM MQSeries": _BLUE,
    "MSMQ": _ORANGE,
    "RR-CC, MQI": _BLUE,
    "RR-DQ-BB, MQI": _GREEN,
    "RR-CC, JMS": _PURPLE,
    "SSD": _BLUE,
    "SAN": _GREY,
    "NFS": _YELLOW,
    "MIQM": _PURPLE,
    "RDQM": _GREEN,
    "NHA": _SKY,
    "appliance HA": _YELLOW,
    "ZLIBFAST": _ORANGE,
    "ZLIBHIGH": _RED,
    "LZ4FAST": _GREEN,
    "LZ4HIGH": _SKY,
    "TLS 1.2 GCM": _GREEN,
    "TLS 1.2 CBC": _PURPLE,
    "TLS 1.3": _ORANGE,
    "M2002A": _GREY,
    "M2003A": _BLUE,
    "M2003B": _ORANGE,
    "HA": _GREEN,
    "DR": _PURPLE,
    "HA and DR": _RED,
    "V6": _GREY,
    "V7": _BLUE,
    "RR-BB": _RED,
    "RR-CB": _BLUE,
    "RR-DQ-BB": _GREEN,
    "no encryption": _GREY,
    "RC4": _BLUE,
    "RC2": _SKY,
    "AES": _GREEN,
    "DES": _ORANGE,
    "triple DES": _RED,
}


def style_of(variant: str, position: int = 0) -> Style:
    """Give the style of a variant; one that has none of its own takes the next of the cycle."""
    return _VARIANTS.get(variant, _CYCLE[position % len(_CYCLE)])


def base_layout(title: str, height: int, separators: str, margin_left: int = 84) -> dict[str, Any]:
    """Give the layout that all figures share.

    Parameters
    ----------
    title : str
        The finding.
    height : int
        Pixels at the common width.
    separators : str
        Decimal sign and thousands separator.
    margin_left : int
        Room for the labels of the vertical axis, in pixels.
    """
    axis = {
        "gridcolor": RULE, "gridwidth": 1, "linecolor": INK, "zeroline": False, "ticks": "",
        "tickfont": {"size": 12, "color": MUTED},
        "title": {"font": {"size": 12, "color": MUTED}, "standoff": 12},
        "automargin": False,
    }  # fmt: skip
    return {
        "title": {
            "text": title, "x": 0, "xref": "container", "xanchor": "left", "pad": {"l": 4},
            "y": 1 - 10 / height, "yref": "container", "yanchor": "top",
            "font": {"size": 15, "color": INK, "weight": 600}, "automargin": False,
        },
        "font": {"family": FONT, "size": 12, "color": INK},
        "width": WIDTH, "height": height,
        "margin": {"l": margin_left, "r": 24, "t": 64, "b": 52},
        "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)",
        "separators": separators,
        "xaxis": {**axis, "showgrid": False}, "yaxis": {**axis, "rangemode": "tozero"},
        "legend": {
            "orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom",
            "font": {"size": 12}, "title": {"text": ""}, "traceorder": "normal",
        },
        "hoverlabel": {"font": {"family": FONT}},
        "bargap": 0.28, "bargroupgap": 0.06,
    }  # fmt: skip


def blank_figure() -> go.Figure:
    """Make a figure without Plotly's default template, so that it looks the same everywhere."""
    return go.Figure(layout={"template": "none"})
