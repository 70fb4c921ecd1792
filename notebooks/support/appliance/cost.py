"""Core time of a round trip on the two models of one generation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roundtrip.present import Figure, chart, cpu_cost, style_of
from support.appliance.peaks import LOGGED, ONE, PLAIN, TEN, Peaks
from support.shared.ends import Ends, ends

_MODELS = ("M2003A", "M2003B")
_MARKS = {PLAIN: ("solid", "circle"), LOGGED: ("dot", "square")}


def cost_figure(found: Peaks, *, caption: str) -> Figure:
    """Draw the core time of a round trip by message size, model and persistence."""
    chapter = found.chapter
    points = chapter.select(found.points, protection="none", managers=ONE)
    points = points.sort_values("message_bytes")
    points = points.assign(label=points["model"] + ", " + points["case"])
    rows = [
        row
        for model in _MODELS
        for row in cpu_cost(chapter, chapter.select(points, model=model), model.lower(), "label")
    ]
    cost = {(name, place): quantity for name, place, quantity in rows}
    shares: Sequence[tuple[object, ...]] = [
        (cost[f"M2003B, {case}", size].percent_of(cost[f"M2003A, {case}", size]),)
        for case in _MARKS
        for size in found.sizes
    ]
    of = ends(shares)
    return chart(
        chapter, rows, mark="line", log={"y"}, y_title="Core time per round trip (µs)",
        x_title="Message size",
        styles={
            f"{model}, {case}": replace(style_of(model), dash=dash, symbol=symbol)
            for model in _MODELS for case, (dash, symbol) in _MARKS.items()
        },
        title=f"On M2003B a round trip takes between {chapter.write(of.low)} and "
        f"{chapter.write(of.high)} of the core time it takes on M2003A",
        varied={"platform", "delivery", "message_bytes"}, caption=caption,
    )  # fmt: skip


def of_copied(found: Peaks) -> Ends:
    """Give the core time of ten queue managers with HA and DR, in percent of one with neither.

    At the smaller message sizes, with persistence.
    """
    rows = []
    for model in _MODELS:
        for size in found.sizes[:2]:
            cpu, rate = (
                of(size, f"{LOGGED}, HA and DR", model=model, managers=TEN).over(
                    of(size, model=model, managers=ONE)
                )
                for of in (found.cpu, found.rate)
            )
            rows.append((model, size, cpu.percent_of(rate)))
    return ends(rows)
