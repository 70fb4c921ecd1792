"""How each kind of part is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from roundtrip.present.diagrams.model import CONTAINERS, Part
from roundtrip.present.diagrams.queues import DASH, draw_queues, queues_title_height
from roundtrip.present.diagrams.scene import (
    FILL,
    HAIRLINE,
    INK,
    LEADING,
    MUTED,
    NAME_SIZE,
    PAPER,
    TEXT_SIZE,
    UNIT,
    Box,
    Scene,
    Text,
    attributes,
    num,
    path,
    rectangle,
)

STACK_SHIFT = 4.0
EAR = 8.0


@dataclass(frozen=True)
class Placed:
    """A part with the rectangle it covers on the paper and the part it is in."""

    part: Part
    box: Box
    inside: str = ""


def place(
    parts: tuple[Part, ...], origin: tuple[float, float], inside: str = ""
) -> Iterator[Placed]:
    """Turn positions on the grid into rectangles on the paper, outer parts first."""
    for part in parts:
        x = origin[0] + part.at[0] * UNIT
        y = origin[1] + part.at[1] * UNIT
        yield Placed(part, Box(x, y, part.size[0] * UNIT, part.size[1] * UNIT), inside)
        yield from place(part.parts, (x, y), part.id)


def draw_part(scene: Scene, placed: Placed) -> None:
    """Draw one part, without the parts in it."""
    _DRAW[placed.part.kind](scene, placed)


def is_container(part: Part) -> bool:
    """Say whether lines may pass over a part."""
    return part.kind in (*CONTAINERS, "network", "channel", "note", "delay")


def _stacked(part: Part, box: Box) -> list[Box]:
    """Give the rectangles of a stack, the hindmost first; together they fill the box."""
    depth = (part.stack - 1) * STACK_SHIFT
    return [
        Box(
            box.x + at * STACK_SHIFT,
            box.y + depth - at * STACK_SHIFT,
            box.width - depth,
            box.height - depth,
        )
        for at in reversed(range(part.stack))
    ]


def _outline(part: Part, fill: str, width: float = 1.0) -> str:
    return attributes(fill, MUTED if part.standby else INK, width, DASH if part.standby else "")


def _names(part: Part, *names: str) -> str:
    return " ".join([*names, *(["dg-standby"] if part.standby else [])])


def _lines(part: Part) -> list[tuple[str, float, int, bool]]:
    """Give the lines of a part as content, size, weight and whether muted."""
    title = part.title.split("\n") if part.title else []
    return [(line, NAME_SIZE, 600, False) for line in title] + [
        (line, TEXT_SIZE, 400, True) for line in part.text
    ]


def _heading(scene: Scene, placed: Placed, box: Box, left: float = UNIT) -> None:
    """Write name and details at the top left of a container."""
    y = box.y + 18
    for content, size, weight, muted in _lines(placed.part):
        scene.texts.append(
            Text(content, box.x + left, y, size, weight, muted=muted, owner=placed.part.id)
        )
        y += LEADING


def _centred(scene: Scene, placed: Placed, box: Box) -> None:
    """Write name and details in the middle of a box."""
    lines = _lines(placed.part)
    x, middle = box.centre
    y = middle - (len(lines) - 1) * LEADING / 2 + 4.5
    for content, size, weight, muted in lines:
        scene.texts.append(
            Text(content, x, y, size, weight, "middle", muted=muted, owner=placed.part.id)
        )
        y += LEADING


def _group(scene: Scene, placed: Placed) -> None:
    scene.ground.append(rectangle(placed.box, "dg-group", attributes("none", MUTED, 1.0, "2 3"), 6))
    _heading(scene, placed, placed.box)


def _host(scene: Scene, placed: Placed) -> None:
    part = placed.part
    boxes = _stacked(part, placed.box)
    for box in boxes:
        scene.boxes.append(rectangle(box, _names(part, "dg-box"), _outline(part, PAPER, 1.25)))
    front = boxes[-1]
    left = UNIT
    if part.rack:
        _rack_ears(scene, front)
        left = UNIT + EAR
    _heading(scene, placed, front, left)


def _rack_ears(scene: Scene, box: Box) -> None:
    """Draw the screwed-on ears by which an appliance hangs in its rack."""
    for x in (box.x, box.right - EAR):
        ear = Box(x, box.y, EAR, box.height)
        scene.boxes.append(rectangle(ear, "dg-fill", attributes(FILL, INK, 1.0)))
        for y in (box.y + 7, box.bottom - 7):
            scene.boxes.append(
                f'<circle class="dg-ink" cx="{num(x + EAR / 2)}" cy="{num(y)}" r="1.5" '
                f'fill="{INK}"/>'
            )


def _queue_manager(scene: Scene, placed: Placed) -> None:
    boxes = _stacked(placed.part, placed.box)
    for box in boxes:
        look = _outline(placed.part, FILL)
        scene.boxes.append(rectangle(box, _names(placed.part, "dg-fill"), look, 6))
    _heading(scene, placed, boxes[-1])


def _applications(scene: Scene, placed: Placed) -> None:
    boxes = _stacked(placed.part, placed.box)
    for box in boxes:
        look = _outline(placed.part, PAPER)
        scene.boxes.append(rectangle(box, _names(placed.part, "dg-box"), look, 3))
    _centred(scene, placed, boxes[-1])


def _box(scene: Scene, placed: Placed) -> None:
    scene.boxes.append(rectangle(placed.box, "dg-box", attributes(PAPER, INK)))
    _centred(scene, placed, placed.box)


def edge(placed: Placed) -> Box:
    """Give the rectangle that links end at: of queues, without their common name."""
    box = placed.box
    if placed.part.kind != "queues":
        return box
    title = queues_title_height(placed.part)
    return Box(box.x, box.y + title, box.width, box.height - title)


def _queues(scene: Scene, placed: Placed) -> None:
    draw_queues(scene, placed.part, placed.box)


def _storage(scene: Scene, placed: Placed) -> None:
    """Draw a cylinder."""
    part = placed.part
    boxes = _stacked(part, placed.box)
    rise = min(7.0, placed.box.height / 5)
    for box in boxes:
        rx, drop = num(box.width / 2), num(box.height - 2 * rise)
        top, back = num(box.y + rise), f"-{drop}"
        body = (
            f"M{num(box.x)} {top}a{rx} {num(rise)} 0 0 1 {num(box.width)} 0v{drop}"
            f"a{rx} {num(rise)} 0 0 1 -{num(box.width)} 0v{back}"
        )
        lid = f"M{num(box.x)} {top}a{rx} {num(rise)} 0 0 0 {num(box.width)} 0"
        scene.boxes.append(path(body, _names(part, "dg-box"), _outline(part, PAPER)))
        scene.boxes.append(path(lid, _names(part, "dg-line"), _outline(part, "none")))
    front = boxes[-1]
    _centred(scene, placed, Box(front.x, front.y + 2 * rise, front.width, front.height - 2 * rise))


def _switch(scene: Scene, placed: Placed) -> None:
    """Draw a box with a row of ports at its foot."""
    box = placed.box
    scene.boxes.append(rectangle(box, "dg-box", attributes(PAPER, INK)))
    ports = int((box.width - 2 * UNIT) // 12)
    x = box.centre[0] - (ports * 12 - 5) / 2
    for at in range(ports):
        port = Box(x + at * 12, box.bottom - 12, 7, 6)
        scene.boxes.append(rectangle(port, "dg-line", attributes("none", INK, 0.75), 0.5))
    _centred(scene, placed, Box(box.x, box.y, box.width, box.height - 12))


def _channel(scene: Scene, placed: Placed) -> None:
    """Draw a tube that messages run through, with its name beside it."""
    part = placed.part
    boxes = _stacked(part, placed.box)
    for box in boxes:
        scene.boxes.append(
            rectangle(box, _names(part, "dg-fill dg-channel"), _outline(part, FILL), 9)
        )
    if part.label == "inside":
        _centred(scene, placed, boxes[-1])
        return
    lines = _lines(part)
    x = placed.box.centre[0]
    above = part.label == "above"
    y = placed.box.y - 6 - (len(lines) - 1) * LEADING if above else placed.box.bottom + 16
    for content, size, weight, muted in lines:
        scene.texts.append(Text(content, x, y, size, weight, "middle", muted=muted))
        y += LEADING


def _network(scene: Scene, placed: Placed) -> None:
    """Draw a network segment as a band that links run over."""
    box = placed.box
    scene.ground.append(rectangle(box, "dg-fill dg-network", attributes(FILL, HAIRLINE), 0))
    _heading(scene, placed, Box(box.x, box.y - 1, box.width, box.height))


def _delay(scene: Scene, placed: Placed) -> None:
    """Draw a marker with a clock, which lies on a link."""
    box = placed.box
    scene.marks.append(
        rectangle(box, "dg-box dg-delay", attributes(PAPER, INK, 1.0), box.height / 2)
    )
    x, y = box.x + 13, box.centre[1]
    scene.marks.append(
        f'<circle class="dg-line" cx="{num(x)}" cy="{num(y)}" r="6" '
        f"{attributes('none', INK, 1.0)}/>"
    )
    scene.marks.append(path(f"M{num(x)} {num(y - 4)}v4h3", "dg-line", attributes("none", INK, 1.0)))
    lines = placed.part.title.split("\n")
    baseline = y - (len(lines) - 1) * LEADING / 2 + 4.5
    for line in lines:
        scene.texts.append(Text(line, box.x + 24, baseline, owner=placed.part.id, covered=True))
        baseline += LEADING


def _note(scene: Scene, placed: Placed) -> None:
    _heading(scene, placed, Box(placed.box.x - UNIT, placed.box.y, placed.box.width, 0))


_DRAW: dict[str, Callable[[Scene, Placed], None]] = {
    "group": _group,
    "host": _host,
    "queue-manager": _queue_manager,
    "applications": _applications,
    "box": _box,
    "queues": _queues,
    "storage": _storage,
    "switch": _switch,
    "channel": _channel,
    "network": _network,
    "delay": _delay,
    "note": _note,
}
