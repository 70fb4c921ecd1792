"""How each kind of part is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from roundtrip.present.diagram_model import CONTAINERS, Part
from roundtrip.present.diagram_scene import (
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

QUEUE_HEIGHT = 20.0
QUEUE_PITCH = 24.0
ELLIPSIS_HEIGHT = 16.0
STACK_SHIFT = 4.0
DASH = "4 3"


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
        rail = Box(front.x, front.y, 6, front.height)
        scene.boxes.append(rectangle(rail, "dg-rail", attributes(INK, INK, 1.25)))
        left = UNIT + 6
    _heading(scene, placed, front, left)


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


def queues_height(part: Part) -> float:
    """Give the pixels that a set of queues needs."""
    rows = sum(ELLIPSIS_HEIGHT if name == "..." else QUEUE_PITCH for name in part.names)
    return _queues_title(part) + rows - (QUEUE_PITCH - QUEUE_HEIGHT)


def _queues_title(part: Part) -> float:
    return 4 + LEADING * len(part.title.split("\n")) if part.title else 0


def edge(placed: Placed) -> Box:
    """Give the rectangle that links end at: of queues, without their common name."""
    box = placed.box
    if placed.part.kind != "queues":
        return box
    title = _queues_title(placed.part)
    return Box(box.x, box.y + title, box.width, box.height - title)


def _queues(scene: Scene, placed: Placed) -> None:
    """Draw queues below each other under their common name, a set of them in brackets."""
    part, box = placed.part, placed.box
    y = box.y
    for text in part.title.split("\n") if part.title else []:
        scene.texts.append(Text(text, box.x, y + 12, TEXT_SIZE, 600, owner=part.id))
        y += LEADING
    y += 4 if part.title else 0
    inset = 8.0 if len(part.names) > 1 else 0.0
    if inset:
        drop = num(box.bottom - y)
        for x, turn in ((box.x, 4), (box.right, -4)):
            scene.boxes.append(
                path(
                    f"M{num(x + turn)} {num(y)}h{-turn}v{drop}h{turn}",
                    "dg-line",
                    attributes("none", INK),
                )
            )
    for name in part.names:
        if name == "...":
            for at in (2.0, 6.0, 10.0):
                scene.boxes.append(
                    f'<circle class="dg-ink" cx="{num(box.centre[0])}" cy="{num(y + at)}" '
                    f'r="1.25" fill="{INK}"/>'
                )
            y += ELLIPSIS_HEIGHT
            continue
        _queue(scene, part, name, Box(box.x + inset, y, box.width - 2 * inset, QUEUE_HEIGHT))
        y += QUEUE_PITCH


def _queue(scene: Scene, part: Part, name: str, box: Box) -> None:
    """Draw one queue: messages waiting in a row, or the mark of one that only points elsewhere."""
    remote = part.role == "remote"
    look = attributes(PAPER, INK, 1.0, DASH if remote else "")
    scene.boxes.append(rectangle(box, "dg-box dg-queue", look, 1))
    scene.texts.append(Text(name, box.x + 6, box.y + 14.5, TEXT_SIZE, owner=part.id))
    if remote:
        x = box.right - 18
        scene.boxes.append(path(f"M{num(x)} {num(box.y)}v{num(box.height)}", "dg-line",
                                attributes("none", INK, 1.0)))  # fmt: skip
        scene.texts.append(
            Text("R", box.right - 9, box.y + 14.5, TEXT_SIZE, 600, "middle", owner=part.id)
        )
        return
    for at in range(4):
        x = box.right - 5 - at * 5
        shape = (
            f"M{num(x - 3)} {num(box.y + 5)}l3 5l-3 5"
            if part.role == "transmission"
            else f"M{num(x)} {num(box.y + 4)}v12"
        )
        scene.boxes.append(path(shape, "dg-line", attributes("none", INK, 1.0)))


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
