"""The paper a topology is drawn on: shapes and texts that become SVG."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Literal

from roundtrip.present.diagrams.text import ASCENT, DESCENT, text_width

UNIT = 8.0
"""Pixels of one grid unit."""
COLUMNS = 95
"""Grid units that every drawing is wide."""
WIDTH = UNIT * COLUMNS
"""Width of every drawing in pixels."""

FAMILY = "IBM Plex Sans, sans-serif"
# The semibold file calls its family so, and Typst looks for that name; browsers go on to the next.
SEMIBOLD_FAMILY = f"IBM Plex Sans SmBld, {FAMILY}"

INK = "#161616"
MUTED = "#6f6f6f"
PAPER = "#ffffff"
FILL = "#f4f4f4"
HAIRLINE = "#c6c6c6"
FLOW = "#0f62fe"
REPLICATION = "#8a3ffc"

TITLE_SIZE = 16.0
NAME_SIZE = 13.5
TEXT_SIZE = 12.5
LEADING = 16.0

Anchor = Literal["start", "middle", "end"]
Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle in pixels."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y + self.height

    @property
    def centre(self) -> Point:
        """Its middle."""
        return self.x + self.width / 2, self.y + self.height / 2

    def overlaps(self, other: Box) -> bool:
        """Say whether two rectangles share more than an edge."""
        return (
            self.x < other.right and other.x < self.right
            and self.y < other.bottom and other.y < self.bottom
        )  # fmt: skip

    def holds(self, other: Box, margin: float = 0.0) -> bool:
        """Say whether another rectangle is inside, that far away from the edges."""
        return (
            other.x >= self.x + margin and other.right <= self.right - margin
            and other.y >= self.y + margin and other.bottom <= self.bottom - margin
        )  # fmt: skip

    def grown(self, by: float) -> Box:
        """Return the rectangle with its edges moved outwards."""
        return Box(self.x - by, self.y - by, self.width + 2 * by, self.height + 2 * by)


@dataclass(frozen=True)
class Text:
    """One line of text, with the part that has to hold it (empty: the paper)."""

    content: str
    x: float
    y: float
    size: float = TEXT_SIZE
    weight: int = 400
    anchor: Anchor = "start"
    muted: bool = False
    owner: str = ""
    covered: bool = False
    role: str = "text"

    @property
    def box(self) -> Box:
        """The rectangle that the text needs."""
        width = text_width(self.content, self.size, self.weight)
        left = {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        height = (ASCENT + DESCENT) * self.size
        return Box(self.x - left, self.y - ASCENT * self.size, width, height)

    def svg(self) -> str:
        """Write the text as SVG."""
        names, fill = {
            "text": ("dg-text", INK),
            "muted": ("dg-text dg-muted", MUTED),
            "step": ("dg-text dg-step-number", PAPER),
        }["muted" if self.muted else self.role]
        weight = f' font-weight="600" font-family="{SEMIBOLD_FAMILY}"' if self.weight == 600 else ""
        anchor = "" if self.anchor == "start" else f' text-anchor="{self.anchor}"'
        return (
            f'<text class="{names}" x="{num(self.x)}" y="{num(self.y)}" '
            f'font-size="{num(self.size)}"{weight}{anchor} fill="{fill}">'
            f"{escape(self.content, quote=False)}</text>"
        )


@dataclass
class Scene:
    """What has been drawn, in four layers from the back to the front.

    Attributes
    ----------
    ground, boxes, lines, marks : list of str
        SVG elements.
    texts : list of Text
        Texts, painted last.
    """

    ground: list[str] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)

    def svg(self, name: str, title: str, description: str, height: float) -> str:
        """Put the layers together as one SVG document.

        Parameters
        ----------
        name : str
            Prefix of every id.
        title, description : str
            For readers who do not see the picture.
        height : float
            Height of the picture in pixels.
        """
        layers = [
            f'<g id="{name}-{layer}">\n' + "\n".join(elements) + "\n</g>"
            for layer, elements in (
                ("ground", self.ground),
                ("parts", self.boxes),
                ("links", self.lines),
                ("marks", self.marks),
                ("texts", [text.svg() for text in self.texts]),
            )
            if elements
        ]
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" id="{name}" class="dg" '
            f'width="{num(WIDTH)}" height="{num(height)}" '
            f'viewBox="0 0 {num(WIDTH)} {num(height)}" role="img" '
            f'aria-labelledby="{name}-title {name}-desc" '
            f'font-family="{FAMILY}" font-weight="400">'
        )
        words = (
            f'<title id="{name}-title">{escape(title, quote=False)}</title>\n'
            f'<desc id="{name}-desc">{escape(description, quote=False)}</desc>'
        )
        return "\n".join([head, words, *layers, "</svg>"]) + "\n"


def num(value: float) -> str:
    """Write a coordinate with at most two decimals and no needless ones."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def attributes(fill: str, stroke: str, width: float = 1.0, dash: str = "") -> str:
    """Write the presentation attributes of a shape."""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'fill="{fill}" stroke="{stroke}" stroke-width="{num(width)}"{dashes}'


def rectangle(box: Box, names: str, look: str, radius: float = 2.0) -> str:
    """Write a rectangle as SVG."""
    return (
        f'<rect class="{names}" x="{num(box.x)}" y="{num(box.y)}" width="{num(box.width)}" '
        f'height="{num(box.height)}" rx="{num(radius)}" {look}/>'
    )


def path(data: str, names: str, look: str) -> str:
    """Write a path as SVG."""
    return f'<path class="{names}" d="{data}" {look}/>'
