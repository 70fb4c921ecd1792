"""A figure with everything that belongs to it: finding, caption, alt text, data, sources."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from roundtrip.outputs import FIGURE, PLOTLY, SVG
from roundtrip.theme import readable

WIDTH = 760
"""Pixels that every figure is wide."""
_PAPER = "#ffffff"  # figures are drawn on white; the dark mode of the site inverts them


@dataclass(frozen=True)
class Figure:
    """A figure as a chapter shows it.

    Attributes
    ----------
    title : str
        The finding.
    caption : str
        What is drawn, in plain text.
    alt : str
        What a reader who cannot see it must know, in plain text.
    cells : tuple of str
        Observation ids of the cells it draws.
    chart : plotly Figure or None
        An interactive chart, or None for a drawing.
    svg : str or None
        The drawing, or None for a chart.
    csv : str
        The values behind it, empty for a drawing.
    margins : tuple of str
        How far ratios that it draws may be off, a sentence for each source: the report adds to the
        caption what the chapter has not stated yet.
    narrow : str or None
        A drawing that stands for it on phones, or None.
    """

    title: str
    caption: str
    alt: str
    cells: tuple[str, ...] = ()
    chart: go.Figure | None = None
    svg: str | None = None
    csv: str = ""
    margins: tuple[str, ...] = ()
    narrow: str | None = None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Mapping[str, Any]:
        names = ("title", "caption", "alt", "cells", "csv", "margins")
        told = {name: getattr(self, name) for name in names}
        if self.narrow is not None:
            told["narrow"] = self.narrow
        bundle: dict[str, Any] = {FIGURE: told, "text/plain": f"{self.title}\n{self.alt}"}
        if self.chart is not None:
            bundle[PLOTLY] = _legible(json.loads(self.chart.to_json(validate=False)))
        if self.svg is not None:
            bundle[SVG] = self.svg
            # For JupyterLab, whose dark theme would show through.
            bundle["text/html"] = f'<div style="background: {_PAPER}">{self.svg}</div>'
        return bundle


def _legible(part: Any, text: bool = False) -> Any:
    """Darken the colours of a chart's texts, which stand on white, until they can be read.

    White ones stand on something dark, such as a bar, and stay.
    """
    if isinstance(part, list):
        return [_legible(each, text) for each in part]
    if isinstance(part, dict):
        return {
            name: _legible(value, name.endswith("font") or (text and name == "color"))
            for name, value in part.items()
        }
    named = text and isinstance(part, str) and re.fullmatch("#[0-9a-f]{6}", part.lower())
    return readable(part, _PAPER) if named and part.lower() != _PAPER else part
