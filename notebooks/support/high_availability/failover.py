"""Measured failovers: how long nobody was served, and the account of every message."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from roundtrip.present import Chapter, Figure, Measured, Table, Text, variants_figure
from roundtrip.present.measured.means import interval_text
from roundtrip.present.quantities import Entry, Row, quantity_table
from support.high_availability.pairs import at_one_rate
from support.shared.quantities_at import quantities_at, total_at

GAP = ("service_gap", "single")
_TIMES = (("takeover_time", "single"), ("recovery_time", "single"))
_COUNTS = ("messages_sent", "messages_lost", "messages_doubled", "messages_in_doubt",
           "unanswered_requests")  # fmt: skip


@dataclass(frozen=True)
class Failovers:
    """All failovers of one operating point.

    Attributes
    ----------
    factors : dict
        That select the point.
    runs, served : int
        Failovers; those after which somebody was served again.
    """

    name: str
    factors: dict[str, Any]
    runs: int
    served: int


def failovers_of(here: Measured) -> list[Failovers]:
    """List the points at which a primary was killed, by variant, delay and rate."""
    found = []
    here = here.with_every_run()
    for variant in here.levels("ha"):
        delays = here.levels("ha_link_rtt_ms", ha=variant) or [None]
        for delay in delays:
            at = {"ha": variant} | ({} if delay is None else {"ha_link_rtt_ms": delay})
            rates = here.levels("target_rate", **at) or [None]
            for rate in rates:
                chosen = at | ({} if rate is None else {"target_rate": rate})
                counted = here.mean("messages_sent", "total", **chosen)
                if counted is None:
                    continue
                words = [here.chapter.level(name, value) for name, value in chosen.items()
                         if name == "ha" or (name == "ha_link_rtt_ms" and len(delays) > 1)
                         or (name == "target_rate" and len(rates) > 1)]  # fmt: skip
                gap = here.mean(*GAP, **chosen)
                served = 0 if gap is None else len(gap.values)
                found.append(Failovers(", ".join(words), chosen, len(counted.values), served))
    return found


def failover_table(here: Measured, *, caption: str) -> Table | None:
    """List the variants: times of the failovers, and every message that was not delivered once.

    Counts are sums over the runs, never means: one lost message is one.

    Returns
    -------
    Table or None
        None when nothing was measured.
    """
    rows = []
    chapter, every = here.chapter, here.with_every_run()
    for point in failovers_of(here):
        gap = here.mean(*GAP, **point.factors)
        line: list[Entry] = [str(point.runs), str(point.served), None, None, None]
        if gap is not None:
            longest = replace(gap.quantity, value=max(gap.values))
            line[2:] = [gap.quantity, interval_text(chapter, gap), longest]
        line += quantities_at(here, _TIMES, **point.factors)
        line += [total_at(every, name, **point.factors) for name in _COUNTS]
        rows.append(Row(point.name, tuple(line)))
    if not rows:
        return None
    return quantity_table(
        chapter,
        rows,
        header=["Variant", "Runs", "Resumed", "Mean", "95 % interval", "Max.",
                "Takeover", "Full rate", "Confirmed", "Lost", "Duplicated", "In doubt", "No reply"],
        over=[("Failovers", 2), ("No service (s)", 3), ("Time after the kill (s)", 2),
              ("Numbered messages", 4), ("Requests", 1)],
        caption=caption,
        notes=(
            "No service: longest gap between completed round trips after the primary's process "
            "was killed. Takeover and full rate count from the kill. Times are means over runs; "
            "messages and requests are of all runs. Resumed: runs in which round trips went on. In "
            "doubt: sending or receiving was interrupted; the sender resent the message, "
            "marked as the same, and the receiver found it already taken or took it again. "
            "No reply: requests without one, which may include those that were interrupted while "
            "they were sent or their reply was taken.",
        ),
        by_row=True,
    )  # fmt: skip


def failover_title(here: Measured, otherwise: str) -> str:
    """Name the finding: the mean time without service of each variant, and who was left without.

    Parameters
    ----------
    otherwise : str
        The title where nothing was measured.
    """
    parts = []
    for point in failovers_of(here):
        gap = here.mean(*GAP, **point.factors)
        if gap is None:
            continue
        part = f"{here.chapter.write(gap.quantity)} with a {point.name}"
        if point.served < point.runs:
            part += f" (where it resumed: {point.served} of {point.runs} runs)"
        parts.append(part)
    return "No service for " + ", ".join(parts) if parts else otherwise


def failover_words(here: Measured) -> Text | None:
    """Say what became of service and messages, over all failovers of each variant."""
    lines: list[str] = []
    every = here.with_every_run()
    for point in failovers_of(here):
        counts = {name: total_at(every, name, **point.factors) for name in _COUNTS}
        totals = {name: count for name, count in counts.items() if count is not None}
        told = {name: here.chapter.inline(count) for name, count in totals.items()}
        failovers = "failover" if point.runs == 1 else "failovers"
        line = f"- {point.name}: in {point.runs} {failovers} the broker confirmed "
        line += f"{told['messages_sent']} to their sender; "
        if totals["messages_lost"].value == totals["messages_doubled"].value == 0:
            line += "none was lost or duplicated"
        else:
            line += f"{told['messages_lost']} of them were lost and {told['messages_doubled']} "
            line += "were duplicated: persistent messages must not be"
        line += f". {told['messages_in_doubt']} were in doubt at first."
        if point.served < point.runs:
            line += f" Service resumed in only {point.served} of them."
        lines.append(line)
    return Text("\n".join(lines)) if lines else None


def measured_failovers(chapter: Chapter) -> Measured:
    """Give what was measured of failovers."""
    return Measured(chapter, "failover")


def failover_figure(here: Measured, *, caption: str) -> Figure | None:
    """Draw the time without service at the highest rate, without delay of the link."""
    drawn = at_one_rate(here)
    return variants_figure(
        drawn, "ha", metric=GAP[0], statistic=GAP[1], caption=caption,
        title=failover_title(drawn, "Time without service after a failover"),
    )  # fmt: skip
