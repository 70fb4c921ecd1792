"""How links run between parts, and how each kind of link is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import hypot

from roundtrip.errors import DataError, nearest
from roundtrip.present.diagrams.model import Link, LinkKind
from roundtrip.present.diagrams.parts import Placed, edge
from roundtrip.present.diagrams.scene import (
    FLOW,
    INK,
    LEADING,
    MUTED,
    PAPER,
    REPLICATION,
    TEXT_SIZE,
    UNIT,
    Box,
    Point,
    Scene,
    Text,
    attributes,
    num,
    path,
)

SIDES = ("left", "right", "top", "bottom")
CORNER = 6.0
HEAD = 8.0
STEP_RADIUS = 9.0


@dataclass(frozen=True)
class Look:
    """How one kind of link looks, and what the legend calls it."""

    name: str
    colour: str
    width: float
    dash: str
    arrow: bool
    legend: str


LOOKS: dict[LinkKind, Look] = {
    "flow": Look("dg-flow", FLOW, 1.75, "", True, "message flow, in the order of the numbers"),
    "replication": Look(
        "dg-replication", REPLICATION, 1.75, "6 3", True, "synchronous replication"
    ),
    "replication-async": Look(
        "dg-replication dg-async", REPLICATION, 1.75, "2 3", True, "asynchronous replication"
    ),
    "network": Look("dg-line", INK, 1.0, "", False, "network connection"),
    "storage": Look("dg-line dg-storage", INK, 3.5, "", False, "storage path"),
    "standby": Look("dg-line dg-standby", MUTED, 1.25, "2 3", False, "in place, not in use"),
}


@dataclass(frozen=True)
class Routed:
    """A link with its corners on the paper and the parts at its ends."""

    link: Link
    points: tuple[Point, ...]
    start: str
    end: str

    @property
    def segments(self) -> list[tuple[Point, Point]]:
        """Its straight pieces."""
        return list(pairwise(self.points))


def route(link: Link, placed: dict[str, Placed], origin: Point, where: str) -> Routed:
    """Find the corners of a link.

    Parameters
    ----------
    link : Link
        What the file says.
    placed : dict
        Parts by id.
    origin : tuple of float
        Where the grid begins on the paper.
    where : str
        Name of the file, for messages.

    Raises
    ------
    DataError
        If an end names no part or no side, or a piece runs neither across nor up and down.
    """
    first, start, first_free = _end(link.start, placed, where)
    last, end, last_free = _end(link.end, placed, where)
    corners = [(origin[0] + x * UNIT, origin[1] + y * UNIT) for x, y in link.via]
    first = _aligned(first, first_free, corners[0] if corners else last)
    last = _aligned(last, last_free, corners[-1] if corners else first)
    points = [first, *corners, last]
    for (x1, y1), (x2, y2) in pairwise(points):
        if abs(x1 - x2) > 0.01 and abs(y1 - y2) > 0.01:
            raise DataError(
                f"the link from {link.start} to {link.end} runs askew between "
                f"{_cell(x1, y1, origin)} and {_cell(x2, y2, origin)}",
                where=where,
                allowed="pieces that run straight across or straight up and down",
                remedy="add a corner to 'via' or an offset to the end, as in part.left@3",
            )
    return Routed(link, tuple(points), start, end)


def _cell(x: float, y: float, origin: Point) -> str:
    return f"[{num((x - origin[0]) / UNIT)}, {num((y - origin[1]) / UNIT)}]"


def _end(text: str, placed: dict[str, Placed], where: str) -> tuple[Point, str, str]:
    """Find the point that ``part.side@offset`` stands for, the part, and the free direction."""
    name, _, rest = text.partition(".")
    side, _, offset = rest.partition("@")
    if name not in placed:
        raise DataError(f"the link end '{text}' names no part{nearest(name, placed)}", where=where)
    if side not in SIDES:
        raise DataError(
            f"the link end '{text}' names no side{nearest(side, SIDES)}",
            where=where,
            allowed="part.left, part.right, part.top or part.bottom, with @offset where needed",
        )
    box = edge(placed[name])
    across = side in ("top", "bottom")
    length = box.width if across else box.height
    free = ("x" if across else "y") if offset == "align" else ""
    try:
        along = length / 2 if free or not offset else float(offset) * UNIT
    except ValueError as problem:
        raise DataError(
            f"the offset of '{text}' is not a number",
            where=where,
            allowed="grid units from the upper left corner, or 'align'",
        ) from problem
    if not 0 <= along <= length:
        raise DataError(
            f"the offset of '{text}' is outside the part",
            where=where,
            allowed=f"0 to {num(length / UNIT)}",
        )
    point = {
        "left": (box.x, box.y + along),
        "right": (box.right, box.y + along),
        "top": (box.x + along, box.y),
        "bottom": (box.x + along, box.bottom),
    }[side]
    return point, name, free


def _aligned(point: Point, free: str, neighbour: Point) -> Point:
    """Move an end along its side until the line to the next corner is straight."""
    return {
        "": point,
        "x": (neighbour[0], point[1]),
        "y": (point[0], neighbour[1]),
    }[free]


def draw_link(scene: Scene, routed: Routed, origin: Point) -> None:
    """Draw one link with its arrowheads, its number and its label."""
    link = routed.link
    line(scene, link.kind, routed.points, both=link.both)
    if link.step is not None:
        step(scene, _along(routed, link.step_at), link.step)
    if link.label:
        _label(scene, routed, origin)


def line(scene: Scene, kind: LinkKind, points: tuple[Point, ...], *, both: bool = False) -> None:
    """Draw the line of one kind of link through some points."""
    look = LOOKS[kind]
    shown = list(points)
    if look.arrow:
        scene.lines.append(_head(shown[-2], shown[-1], look))
        shown[-1] = _shortened(shown[-2], shown[-1])
        if both:
            scene.lines.append(_head(shown[1], shown[0], look))
            shown[0] = _shortened(shown[1], shown[0])
    data = _rounded(shown)
    ink = attributes("none", look.colour, look.width, look.dash)
    scene.lines.append(path(data, look.name, ink))
    if kind == "storage":
        core = attributes("none", PAPER, look.width - 2)
        scene.lines.append(path(data, "dg-core", core))


def step(scene: Scene, at: Point, number: int) -> None:
    """Draw the number of a step in the message flow."""
    scene.marks.append(
        f'<circle class="dg-step" cx="{num(at[0])}" cy="{num(at[1])}" r="{num(STEP_RADIUS)}" '
        f'fill="{FLOW}"/>'
    )
    scene.texts.append(
        Text(str(number), at[0], at[1] + 4.5, TEXT_SIZE, 600, "middle", covered=True, role="step")
    )


def _head(before: Point, tip: Point, look: Look) -> str:
    """Draw an arrowhead as a shape of its own, so that style sheets can colour it."""
    dx, dy = _direction(before, tip)
    base = (tip[0] - dx * HEAD, tip[1] - dy * HEAD)
    side = HEAD * 0.42
    corners = (tip, (base[0] - dy * side, base[1] + dx * side),
               (base[0] + dy * side, base[1] - dx * side))  # fmt: skip
    points = " ".join(f"{num(x)},{num(y)}" for x, y in corners)
    return f'<polygon class="{look.name.split()[0]}-head" points="{points}" fill="{look.colour}"/>'


def _shortened(before: Point, tip: Point) -> Point:
    """End a line inside its arrowhead rather than at the tip."""
    dx, dy = _direction(before, tip)
    return tip[0] - dx * (HEAD - 1), tip[1] - dy * (HEAD - 1)


def _direction(start: Point, end: Point) -> Point:
    length = hypot(end[0] - start[0], end[1] - start[1]) or 1.0
    return (end[0] - start[0]) / length, (end[1] - start[1]) / length


def _rounded(points: list[Point]) -> str:
    """Write the path through some points with its corners rounded."""
    data = f"M{num(points[0][0])} {num(points[0][1])}"
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        room = min(hypot(corner[0] - p[0], corner[1] - p[1]) for p in (before, after)) / 2
        radius = min(CORNER, room)
        ax, ay = _direction(corner, before)
        bx, by = _direction(corner, after)
        data += (
            f"L{num(corner[0] + ax * radius)} {num(corner[1] + ay * radius)}"
            f"Q{num(corner[0])} {num(corner[1])} "
            f"{num(corner[0] + bx * radius)} {num(corner[1] + by * radius)}"
        )
    return data + f"L{num(points[-1][0])} {num(points[-1][1])}"


def _along(routed: Routed, part: float) -> Point:
    """Find the point at some part of a link's length."""
    lengths = [hypot(b[0] - a[0], b[1] - a[1]) for a, b in routed.segments]
    rest = part * sum(lengths)
    for (a, b), length in zip(routed.segments, lengths, strict=True):
        if rest <= length and length:
            share = rest / length
            return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share
        rest -= length
    return routed.points[-1]


def _label(scene: Scene, routed: Routed, origin: Point) -> None:
    """Write a link's label: where the file says, or beside the middle of the longest piece."""
    link = routed.link
    lines = link.label.split("\n")
    anchor = link.label_align
    if link.label_at is not None:
        x, y = origin[0] + link.label_at[0] * UNIT, origin[1] + link.label_at[1] * UNIT
    else:
        a, b = max(routed.segments, key=lambda ab: hypot(ab[1][0] - ab[0][0], ab[1][1] - ab[0][1]))
        x, y = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
        clear = STEP_RADIUS + 3 if link.step is not None else 6
        if abs(a[1] - b[1]) < 0.01:
            y -= clear + (len(lines) - 1) * LEADING
        else:
            x, anchor = x + clear, "start"
            y += 4.5 - (len(lines) - 1) * LEADING / 2
    for content in lines:
        scene.texts.append(Text(content, x, y, anchor=anchor))
        y += LEADING


def touches(routed: Routed, box: Box) -> bool:
    """Say whether any piece of a link runs through a rectangle."""
    for (x1, y1), (x2, y2) in routed.segments:
        piece = Box(min(x1, x2), min(y1, y2), abs(x1 - x2), abs(y1 - y2))
        if piece.grown(0.5).overlaps(box):
            return True
    return False
