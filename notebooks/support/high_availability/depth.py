"""Measured deep queues: what messages that stay on a queue cost the work on others."""

from __future__ import annotations

from itertools import compress

from roundtrip.present import (
    Chapter,
    Figure,
    Measured,
    Table,
    Text,
    variants_figure,
    variants_table,
)
from roundtrip.present.measured.shares import Share, differing, share_of
from support.high_availability.pairs import at_highest

LOADS = ("none", "other queue", "same queue")
"""Levels of the factor ``background_load`` that a campaign runs, in the order to show."""
_WHERE = {
    "none": "that nobody uses", "other queue": "with work on another queue",
    "same queue": "that is itself in use",
}  # fmt: skip


def _shares(here: Measured) -> list[tuple[str, int, Share]]:
    """Give the rate beside the deepest queue as a share of that beside an empty one, by load."""
    found = []
    for load in LOADS:
        depths = here.levels("preloaded_messages", background_load=load)
        if len(depths) < 2 or depths[0] != 0:
            continue
        of, base = (
            {"background_load": load, "preloaded_messages": depth} for depth in (depths[-1], 0)
        )
        share = share_of(here, of, base)
        if share is not None:
            found.append((load, int(depths[-1]), share))
    return found


def depth_title(here: Measured, otherwise: str) -> str:
    """Name the finding: where the deep queue costs most, or that no cost is seen.

    Parameters
    ----------
    here : Measured
        At one number of requesters and one variant.
    otherwise : str
        The title where nothing was measured, or nothing may be concluded.
    """
    found = _shares(here)
    if not found or here.withheld:
        return otherwise
    told = compress(found, differing([share for *_, share in found]))
    slowed = [entry for entry in told if entry[-1].interval.estimate < 1]
    if not slowed:
        messages = here.chapter.numbers.write(max(depth for _, depth, _ in found))
        return f"A queue of {messages} messages does not measurably slow other work"
    load, depth, share = min(slowed, key=lambda entry: entry[-1].quantity.value)
    messages = here.chapter.numbers.write(depth)
    left = here.chapter.write(share.quantity)
    return f"With {messages} messages on a queue {_WHERE[load]}, {left} of the rate is left"


def depth_words(here: Measured) -> Text | None:
    """Say for each load what the deepest queue leaves of the rate beside an empty one.

    Returns
    -------
    Text or None
        None when nothing was measured, or nothing may be concluded.
    """
    if here.withheld:
        return None
    chapter, found = here.chapter, _shares(here)
    differ = differing([share for *_, share in found])
    lines = [
        f"- {chapter.inline(chapter.numbers.write(depth))} messages on a queue {_WHERE[load]}: "
        f"{chapter.inline(share.quantity)}{share.words(chapter)} of the rate with an empty "
        f"queue; {'a difference' if differs else 'not significantly different'}."
        for (load, depth, share), differs in zip(found, differ, strict=True)
    ]
    return Text("\n".join(lines)) if lines else None


def measured_depth(chapter: Chapter) -> Measured:
    """Give what was measured beside deep queues, with the most requesters."""
    here = Measured(chapter, "deep-queues", delivery="persistent", ha="none")
    return at_highest(here, "requesters")


def depth_figure(here: Measured, *, caption: str) -> Figure | None:
    """Draw the rate by the work beside it, with an empty and with deep queues."""
    title = depth_title(here, "Rate with deep queues")
    return variants_figure(
        here, "background_load", split="preloaded_messages", levels=LOADS, title=title,
        caption=caption,
    )  # fmt: skip


def depth_table(here: Measured, *, caption: str) -> Table | None:
    """List the same with times, processors, memory and what was left on the queue."""
    return variants_table(
        here, "background_load", split="preloaded_messages", baseline="none", levels=LOADS,
        metrics=(
            ("round_trip_time", "p50"), ("round_trip_time", "p99"), ("broker_cpu_time", "mean"),
            ("broker_memory", "mean"), ("queue_depth", "single"),
        ),
        caption=caption,
    )  # fmt: skip
