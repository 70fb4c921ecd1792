"""The look of a report: colours, fonts and pictures that all of its outputs share."""

from __future__ import annotations

import re
import struct
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, ValidationInfo, field_validator, model_validator

from roundtrip.errors import DataError, nearest
from roundtrip.pictures import picture
from roundtrip.project import Project
from roundtrip.yamlfile import Strict, line_of, load_model, matching

FILE = "theme.yml"
READABLE = 4.5
"""Least contrast of text and what it stands on (WCAG 2.2, level AA)."""

FAMILY, HEAVY = "IBM Plex Sans", "IBM Plex Sans SmBld"
"""Families of the package's text; the semi-bold faces are one of their own."""
_SHADED = 0.4  # of the accent, in the darkest cell of a table
_SOFT = 0.08  # of the accent, where something stands on a light one
_ANY = ("ink", "muted", "accent", "warning", "good", "bad")
_ON_PAGES = (
    ("page", _ANY), ("surface", _ANY), ("accent_soft", ("ink", "muted", "accent")),
    ("warning_soft", ("ink", "warning")), ("shaded", ("ink",)),
)  # fmt: skip
_TEXTS = (
    *((place, back, fores) for place in ("light", "dark") for back, fores in _ON_PAGES),
    *(("drawings", back, ("ink", "faint")) for back in ("paper", "shade")),
)
"""What text stands on, by place: on which colour, and in which ones."""

Color = Annotated[
    str, StringConstraints(to_lower=True), matching("#[0-9a-f]{6}", "a colour such as #0f62fe")
]


class Colors(Strict):
    """Colours of pages on white: text, what it stands on, lines, links, notes and verdicts."""

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

    @model_validator(mode="after")
    def _soft_as_accent(self) -> Self:
        """Let what is behind an accent follow it, where the theme names only the accent."""
        if "accent" not in self.model_fields_set or "accent_soft" in self.model_fields_set:
            return self
        return self.model_copy(update={"accent_soft": mixed(self.accent, self.page, _SOFT)})

    @property
    def shaded(self) -> str:
        """What the number in the darkest cell of a shaded table stands on."""
        return mixed(self.accent, self.page, _SHADED)


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


class DrawingColors(Strict):
    """Colours that drawings name: outlines and text, inside of parts, messages, copies of data."""

    ink: Color = "#161616"
    faint: Color = "#6f6f6f"
    paper: Color = "#ffffff"
    shade: Color = "#f4f4f4"
    rule: Color = "#c6c6c6"
    flow: Color = "#0f62fe"
    copies: Color = Field(default="#8a3ffc", alias="copy")


# A name of a file, and no way to another folder.
PictureFile = Annotated[
    str, matching(r"[A-Za-z0-9][\w .-]{0,95}\.(?i:svg|png)", "a file's name such as logo.svg")
]
FontFile = Annotated[
    str, matching(r"[A-Za-z0-9][\w .-]{0,95}\.(?i:ttf|otf)", "a file's name such as Text.ttf")
]


class Fonts(Strict):
    """A typeface of the project: its family, and the files of its faces in ``templates/fonts``.

    Attributes
    ----------
    family : str
        As the files themselves name it.
    italic, bold_italic : str or None
        Text is slanted or made bold by the renderer where there is none.
    """

    family: Annotated[str, matching("[A-Za-z0-9][A-Za-z0-9 -]{0,60}", "letters, digits, blanks")]
    regular: FontFile
    bold: FontFile
    italic: FontFile | None = None
    bold_italic: FontFile | None = None

    @property
    def faces(self) -> dict[str, str]:
        """The files that are there, by face."""
        faces = self.model_dump(exclude={"family"})
        return {face: name for face, name in faces.items() if name is not None}


class Theme(Strict):
    """What ``templates/theme.yml`` may say; what it leaves out stays as the package has it.

    Attributes
    ----------
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
        Text at the foot of every page. When empty: the title of the report on the site, of the
        chapter in the PDF; the version where Quarto renders the site.
    logo, cover : str or None
        SVG or PNG files in ``templates``: at the head of pages and on the cover; the picture of
        the cover.
    fonts : Fonts or None
        In place of the package's, which stand in for characters that they lack.
    """

    light: Colors = Colors()
    dark: DarkColors = DarkColors()
    drawings: DrawingColors = DrawingColors()
    series: tuple[Color, ...] = Field(
        default=("#0062b1", "#d9650b", "#00856f", "#8a4fae", "#4ba3d9", "#c99700", "#a5243d"),
        min_length=3,
        max_length=7,
    )
    baseline: Color = "#6f6f6f"
    variants: dict[str, int | Literal["baseline"]] = Field(default={})
    footer: str = Field(default="", max_length=200)
    logo: PictureFile | None = None
    cover: PictureFile | None = None
    fonts: Fonts | None = None

    @field_validator("variants")
    @classmethod
    def _places_exist(
        cls, variants: dict[str, int | Literal["baseline"]], info: ValidationInfo
    ) -> dict[str, int | Literal["baseline"]]:
        last = len(info.data.get("series", ()))  # none where they are refused themselves
        for name, place in variants.items():
            if last and place != "baseline" and not 1 <= place <= last:
                raise ValueError(f"'{name}' has no colour {place}: 1 to {last}, or baseline")
        return variants

    @property
    def families(self) -> str:
        """Families of text, the first of which has a character first, as CSS lists them."""
        return f"'{self.fonts.family}', {FAMILY}" if self.fonts else FAMILY

    @property
    def heavy_families(self) -> str:
        """The same of semi-bold text, by the names that Typst knows."""
        return f"'{self.fonts.family}', {HEAVY}" if self.fonts else HEAVY

    def font_faces(self) -> str:
        """Give the project's font files as rules of CSS, from a folder beside the style sheets."""
        if self.fonts is None:
            return ""
        return "".join(
            f'@font-face {{ font-family: "{self.fonts.family}"; '
            f'src: url("../fonts/{name.replace(" ", "%20")}"); '
            f"font-weight: {600 if 'bold' in face else 400}; "
            f"font-style: {'italic' if 'italic' in face else 'normal'}; font-display: swap; }}\n"
            for face, name in self.fonts.faces.items()
        )

    def css(self) -> str:
        """Give fonts and colours of pages as rules and custom properties of CSS."""
        dark = self.dark.model_dump()
        lines = [
            f"  --{name.replace('_', '-')}: light-dark({color}, {dark[name]});"
            for name, color in self.light.model_dump().items()
        ]
        lines.append(f"  --shaded: light-dark({self.light.shaded}, {self.dark.shaded});")
        if self.fonts is not None:
            lines.append(f'  --sans: "{self.fonts.family}", "{FAMILY}", system-ui, sans-serif;')
        head = f"\n/* ---- templates/theme.yml ---- */\n\n{self.font_faces()}"
        return head + ":root {\n" + "\n".join(lines) + "\n}\n"

    def typst(self) -> str:
        """Give colours, fonts and pictures of paper as variables of Typst.

        The pictures are read beside the file that this is written to.
        """
        light = self.light
        names = {
            "ink": light.ink, "muted": light.muted, "hairline": light.rule, "tint": light.surface,
            "accent": light.accent, "alarm": light.bad, "good": light.good,
            "warning": light.warning, "shaded": light.shaded,
        }  # fmt: skip
        lines = [f'#let {name} = rgb("{color}")' for name, color in names.items()]
        footer = self.footer.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'#let footer-text = "{" ".join(footer.split())}"')
        for name, families in (("sans", self.families), ("heavy-family", self.heavy_families)):
            listed = "".join(f'"{family}", ' for family in _names(families))
            lines.append(f"#let {name} = ({listed})")
        for name, file in (("logo", self.logo), ("cover-picture", self.cover)):
            shown = f'image.with("{file}")' if file else "none"
            lines.append(f"#let {name} = {shown}")
        return "\n".join(lines) + "\n"

    def scss(self, mode: Literal["light", "dark"]) -> str:
        """Give fonts and the colours of one mode as variables of Quarto's themes."""
        colors: Colors = self.light if mode == "light" else self.dark
        names = {
            "body-bg": colors.page, "body-color": colors.ink, "text-muted": colors.muted,
            "border-color": colors.rule, "primary": colors.accent, "link-color": colors.accent,
            "code-bg": colors.surface, "code-color": colors.ink,
        }  # fmt: skip
        listed = ", ".join(f'"{family}"' for family in _names(self.families))
        names["font-family-sans-serif"] = f"{listed}, system-ui, sans-serif"
        return "".join(f"${name}: {value};\n" for name, value in names.items())

    def drawing_colors(self) -> Mapping[str, str]:
        """Give the colours of drawings by the names that drawings call them."""
        return self.drawings.model_dump(by_alias=True)


def load_theme(project: Project) -> Theme:
    """Read the theme of a project; the package's where it has none.

    Raises
    ------
    DataError
        If a key is unknown, a colour is none, or text would be hard to read: with file, line and
        what is allowed.
    """
    path = project.templates / FILE
    if not path.exists():
        return Theme()
    # Pictures and fonts are part of what was checked.
    beside = [*project.templates.glob("*.*"), *project.templates.glob("fonts/*")]
    stamps = ((file.name, file.stat()) for file in sorted(beside) if file.is_file())
    return _loaded(path, tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in stamps))


@dataclass(frozen=True)
class Typeface:
    """The fonts that the widths of columns are measured with, as files."""

    bold: tuple[Path, ...]  # semi-bold text; the later stand in for characters that the first lacks
    code: tuple[Path, ...]  # the same


def typeface(project: Project) -> Typeface:
    """Give the fonts that a project's columns are measured with."""
    fonts = load_theme(project).fonts
    own = () if fonts is None else (project.templates / "fonts" / fonts.bold,)
    bold = (*own, project.template("fonts/IBMPlexSans-SemiBold.ttf"))
    return Typeface(bold, (project.template("fonts/IBMPlexMono-Regular.ttf"),))


def brand_pictures(project: Project) -> dict[str, bytes]:
    """Give the logo and the picture of the cover that a project has, by their file names.

    Raises
    ------
    DataError
        If the theme breaks a rule, or a picture is none.
    """
    theme = load_theme(project)
    return {name: picture(project.templates / name) for name in (theme.logo, theme.cover) if name}


def logo_address(project: Project) -> str:
    """Give the address of the logo for a page that stands alone: it holds the picture itself."""
    logo = load_theme(project).logo
    if logo is None:
        return ""
    kind = "image/svg+xml" if logo.lower().endswith(".svg") else "image/png"
    return f"data:{kind};base64,{b64encode(picture(project.templates / logo)).decode()}"


def _names(families: str) -> list[str]:
    """Give the names of families that CSS lists."""
    return families.replace("'", "").split(", ")


def _refuse_files(theme: Theme, path: Path, text: str) -> None:
    """Refuse pictures and fonts that are not there, or are none."""
    for key, name in (("logo", theme.logo), ("cover", theme.cover)):
        if name:
            _refuse_missing(path.parent / name, f"{path}:{line_of(text, [key])}")
            picture(path.parent / name)
    if theme.fonts is None:
        return
    from fontTools.ttLib import TTFont, TTLibError  # chapters load faster without

    for face, name in theme.fonts.faces.items():
        file, where = path.parent / "fonts" / name, f"{path}:{line_of(text, ['fonts', face])}"
        _refuse_missing(file, where)
        try:
            with TTFont(file, lazy=True) as font:
                family = font["name"].getDebugName(1)
                font["hmtx"]
                if not font.getBestCmap():
                    raise ValueError("it has symbols, and no letters")
        except (TTLibError, OSError, KeyError, ValueError, AssertionError, struct.error) as problem:
            raise DataError(
                f"{name} is no font of text: {problem}", where=where,
                allowed="TrueType and OpenType files",
            ) from problem  # fmt: skip
        if family != theme.fonts.family:
            raise DataError(
                f"{name} is a font of the family '{family}', not '{theme.fonts.family}'",
                where=where,
                remedy="name the family as the files do, and take files of one family",
            )


def _refuse_missing(file: Path, where: str) -> None:
    if file.is_symlink() or not file.is_file():
        names = [each.name for each in file.parent.glob("*") if each.is_file()]
        raise DataError(
            f"there is no file {file.name}{nearest(file.name, names)}",
            where=where,
            remedy=f"put it into the folder {file.parent.name}",
        )


@lru_cache(maxsize=8)
def _loaded(path: Path, _stamps: tuple[tuple[str, int, int], ...]) -> Theme:
    theme = load_model(path, Theme, DataError)
    text = path.read_text("utf-8")
    _refuse_files(theme, path, text)
    for place, back, fores in _TEXTS:
        ground = getattr(getattr(theme, place), back)
        for fore in fores:
            color = getattr(getattr(theme, place), fore)
            if (found := contrast(color, ground)) < READABLE:
                raise DataError(
                    f"text in {place}.{fore} {color} on {place}.{back} {ground} has a contrast of "
                    f"{found:.2f}:1",
                    where=f"{path}:{line_of(text, [place, fore]) or 1}",
                    allowed=f"{READABLE}:1 or more (WCAG AA)",
                    remedy="choose two colours that are further apart",
                )
    return theme


def mixed(color: str, other: str, share: float) -> str:
    """Mix two colours: a share of the one, the rest of the other."""
    pairs = zip(re.findall("..", color[1:]), re.findall("..", other[1:]), strict=True)
    return "#" + "".join(
        f"{round(share * int(one, 16) + (1 - share) * int(two, 16)):02x}" for one, two in pairs
    )


def contrast(one: str, other: str) -> float:
    """Give the contrast of two colours as WCAG 2.2 defines it, from 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def readable(color: str, page: str) -> str:
    """Darken a colour until text in it can be read on a light page."""
    for step in range(40):
        shade = mixed(color, "#000000", 1 - step * 0.025)
        if contrast(shade, page) >= READABLE:
            return shade
    return color


def _luminance(color: str) -> float:
    parts = [int(part, 16) / 255 for part in re.findall("..", color[1:])]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
