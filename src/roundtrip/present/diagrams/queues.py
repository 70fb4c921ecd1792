"""How queues are drawn: local ones, remote ones and transmission queues."""

from __future__ import annotations

from roundtrip.present.diagrams.model import Part
from roundtrip.present.diagrams.scene import (
    INK,
    LEADING,
    PAPER,
    TEXT_SIZE,
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
DASH = "4 3"


def queues_height(part: Part) -> float:
    """Give the pixels that a set of queues needs."""
    rows = sum(ELLIPSIS_HEIGHT if name == "..." else QUEUE_PITCH for name in part.names)
    return queues_title_height(part) + rows - (QUEUE_PITCH - QUEUE_HEIGHT)


def queues_title_height(part: Part) -> float:
    """Give the pixels that the common name of a set of queues needs."""
    return 4 + LEADING * len(part.title.split("\n")) if part.title else 0


def draw_queues(scene: Scene, part: Part, box: Box) -> None:
    """Draw queues below each other under their common name, a set of them in brackets."""
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
