"""The look of a report: one file of colours that pages, PDF, charts, drawings and Quarto share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from roundtrip.errors import DataError
from roundtrip.project import Project
from roundtrip.yamlfile import line_of, load_model

FILE = "theme.yml"
READABLE = 4.5
"""Least contrast of text and what it stands on (WCAG 2.2, level AA)."""

Color = Annotated[str, StringConstraints(pattern=r"^#[0-9a-fA-F]{6}$", to_lower=True)]


class Colors(BaseModel):
    """Colours of pages on white: text, what it stands on, lines, links, notes and verdicts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ink: Color = "#161616"
    muted: Color = "#525252"
    page: Color = "#ffffff"
    surface: Color = "#f4f4f4"
    rule: Color = "#e0e0e0"
    rule_strong: Color = "#161616"
    accent: Color = "#0f62fe"
    accent_soft: Color = "#edf5ff"
    warning: Color = "#8a3800"
    warning_soft: Color = "#fff2e8"
    good: Color = "#0e6027"
    bad: Color = "#a2191f"


class DarkColors(Colors):
    """The same in dark mode."""

    ink: Color = "#f4f4f4"
    muted: Color = "#b8b8b8"
    page: Color = "#161616"
    surface: Color = "#222222"
    rule: Color = "#393939"
    rule_strong: Color = "#a8a8a8"
    accent: Color = "#78a9ff"
    accent_soft: Color = "#172a4a"
    warning: Color = "#ffb784"
    warning_soft: Color = "#3a1d0a"
    good: Color = "#6fdc8c"
    bad: Color = "#ff8389"


class DrawingColors(BaseModel):
    """Colours that drawings name: outlines and text, inside of parts, messages, copies of data."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ink: Color = "#161616"
    faint: Color = "#6f6f6f"
    paper: Color = "#ffffff"
    shade: Color = "#f4f4f4"
    rule: Color = "#c6c6c6"
    flow: Color = "#0f62fe"
    copies: Color = Field(default="#8a3ffc", alias="copy")


class Theme(BaseModel):
    """What ``templates/theme.yml`` may say; what it leaves out stays as the package has it.

    Attributes
    ----------
    light, dark : Colors
    drawings : DrawingColors
        Charts and drawings are drawn on light paper; dark mode inverts them.
    series : tuple of str
        Colours of the series of charts, in order; shapes, dashes and patterns go with the place.
    baseline : str
        Colour of what comparisons start from.
    variants : dict
        Variant to the place of its colour in `series`, from 1, or ``baseline``: it keeps that
        through the whole report. Others take the colours in order.
    footer : str
        Text at the foot of every page; the title of the report when empty.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    light: Colors = Colors()
    dark: DarkColors = DarkColors()
    drawings: DrawingColors = DrawingColors()
    series: tuple[Color, ...] = Field(
        default=(
            "#0062b1", "#d9650b", "#00856f", "#8a4fae", "#4ba3d9", "#c99700", "#a5243d",
        ),
        min_length=3,
        max_length=7,
    )  # fmt: skip
    baseline: Color = "#6f6f6f"
    variants: dict[str, int | Literal["baseline"]] = {}
    footer: str = Field(default="", max_length=200)

    @field_validator("variants")
    @classmethod
    def _places_exist(
        cls, variants: dict[str, int | Literal["baseline"]]
    ) -> dict[str, int | Literal["baseline"]]:
        for name, place in variants.items():
            if place != "baseline" and not 1 <= place <= 7:
                raise ValueError(f"'{name}' has no colour {place}: 1 to 7, or baseline")
        return variants

    def css(self) -> str:
        """Give the colours of pages as custom properties of CSS."""
        dark = self.dark.model_dump()
        lines = [
            f"  --{name.replace('_', '-')}: light-dark({color}, {dark[name]});"
            for name, color in self.light.model_dump().items()
        ]
        return "\n/* ---- templates/theme.yml ---- */\n\n:root {\n" + "\n".join(lines) + "\n}\n"

    def plain_css(self) -> str:
        """Give the light colours alone, for a page that is read on paper white."""
        light = self.light.model_dump().items()
        return " ".join(f"--{name.replace('_', '-')}: {color};" for name, color in light)

    def typst(self) -> str:
        """Give the colours of paper as variables of Typst."""
        light = self.light
        names = {
            "ink": light.ink, "muted": light.muted, "hairline": light.rule, "tint": light.surface,
            "accent": light.accent, "alarm": light.bad, "good": light.good,
            "warning": light.warning,
        }  # fmt: skip
        lines = [f'#let {name} = rgb("{color}")' for name, color in names.items()]
        footer = self.footer.replace("\\", "\\\\").replace('"', '\\"')
        return "\n".join([*lines, f'#let footer-text = "{" ".join(footer.split())}"']) + "\n"

    def scss(self, mode: Literal["light", "dark"]) -> str:
        """Give the colours of one mode as variables of Quarto's themes."""
        colors: Colors = self.light if mode == "light" else self.dark
        names = {
            "body-bg": colors.page, "body-color": colors.ink, "text-muted": colors.muted,
            "border-color": colors.rule, "primary": colors.accent, "link-color": colors.accent,
            "code-bg": colors.surface, "code-color": colors.ink,
        }  # fmt: skip
        return "".join(f"${name}: {color};\n" for name, color in names.items())

    def drawing_colors(self) -> Mapping[str, str]:
        """Give the colours of drawings by the names that drawings call them."""
        return self.drawings.model_dump(by_alias=True)


def load_theme(project: Project) -> Theme:
    """Read the theme of a project; the package's where it has none.

    Parameters
    ----------
    project : Project

    Raises
    ------
    DataError
        If a key is unknown, a colour is none, or text would be hard to read: with file, line and
        what is allowed.
    """
    path = project.templates / FILE
    if not path.is_file():
        return Theme()
    stat = path.stat()
    return _loaded(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=8)
def _loaded(path: Path, _time: int, _size: int) -> Theme:
    theme = load_model(path, Theme, DataError)
    text = path.read_text("utf-8")
    for place, fore, back in _texts(theme):
        found = contrast(_color(theme, place, fore), _color(theme, place, back))
        if found >= READABLE:
            continue
        raise DataError(
            f"text in {place}.{fore} {_color(theme, place, fore)} on {place}.{back} "
            f"{_color(theme, place, back)} has a contrast of {found:.2f}:1",
            where=f"{path}:{_line(text, place, fore, back)}",
            allowed=f"{READABLE}:1 or more (WCAG AA)",
            remedy="choose two colours that are further apart",
        )
    return theme


def _texts(theme: Theme) -> Iterator[tuple[str, str, str]]:
    """Give what text stands on, by place: which colour on which."""
    for place in ("light", "dark"):
        for fore in ("ink", "muted", "accent"):
            yield place, fore, "page"
        yield place, "ink", "surface"
        yield place, "muted", "surface"
        yield place, "ink", "accent_soft"
        yield place, "warning", "warning_soft"
        for fore in ("warning", "good", "bad"):
            yield place, fore, "page"
    for back in ("paper", "shade"):
        yield "drawings", "ink", back
        yield "drawings", "faint", back


def _color(theme: Theme, place: str, name: str) -> str:
    return str(getattr(getattr(theme, place), name))


def _line(text: str, place: str, *names: str) -> int:
    """Give the line of the first of some keys that the file has, or of their section."""
    whole = line_of(text, [place]) or 1
    lines = [line_of(text, [place, name]) or whole for name in names]
    return next((line for line in lines if line != whole), whole)


def contrast(one: str, other: str) -> float:
    """Give the contrast of two colours as WCAG 2.2 defines it, from 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def readable(color: str, page: str) -> str:
    """Darken a colour until text in it can be read on a light page."""
    for step in range(40):
        shade = "#" + "".join(
            f"{round(int(part, 16) * (1 - step * 0.025)):02x}"
            for part in re.findall("..", color[1:])
        )
        if contrast(shade, page) >= READABLE:
            return shade
    return color


def _luminance(color: str) -> float:
    parts = [int(part, 16) / 255 for part in re.findall("..", color[1:])]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
