"""Measured pairs of brokers: what they cost, what their link's delay costs, at which rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from roundtrip.campaign.names import combination_of
from roundtrip.comparison_marks import NO_VERDICT
from roundtrip.methodology.scatter import scatter_in
from roundtrip.present import (
    Chapter,
    Figure,
    Measured,
    Quantity,
    Table,
    Text,
    largest,
    measured_lines,
    size_label,
    smallest,
    variants_agreement,
    variants_table,
)
from roundtrip.present.chapter import RATE
from roundtrip.present.measured.agreement import (
    judged,
    margin_of,
    sides_of,
    source_spread,
)
from roundtrip.present.measured.shares import Share, share_of
from support.shared.cases import Case, Cases, beside, known_words
from support.shared.lists import listed_under
from support.shared.points import with_rows

NO_PAIR, REPLICATED, SHARED_STORE = "none", "replicated pair", "shared store"
PAIRS = (NO_PAIR, SHARED_STORE, REPLICATED)
"""Levels of the factor ``ha`` that a campaign runs, in the order to show."""
LINK_TIME = ("link_round_trip_time", "p50")
_DELAY = "ha_link_rtt_ms"
_MEDIAN, _P99 = ("round_trip_time", "p50"), ("round_trip_time", "p99")
_CPU, _BACKUP_CPU = ("broker_cpu_time", "mean"), ("backup_cpu_time", "mean")
_LINK_BYTES, _MACHINE_CPU = ("link_bytes", "mean"), ("machine_cpu", "mean")
_BASELINES = {"ha": NO_PAIR, _DELAY: 0, "link_encrypted": False}
_METRICS = {
    "ha": (_MEDIAN, _P99, _CPU, _BACKUP_CPU, _LINK_BYTES, ("disk_wait", "mean")),
    _DELAY: (_MEDIAN, _P99, LINK_TIME, _CPU, _MACHINE_CPU),
    "link_encrypted": (_MEDIAN, _CPU, _BACKUP_CPU, _LINK_BYTES),
}


@dataclass(frozen=True)
class Pairs:
    """What a campaign measured of pairs with persistent messages, each at its highest rate.

    Attributes
    ----------
    all : Measured
        Everything.
    points : dict of str to Measured
        By the factor that varies: ``ha``, single brokers and pairs, without delay or encryption of
        the link; ``ha_link_rtt_ms``, replicated pairs over a link without encryption;
        ``link_encrypted``, replicated pairs without delay.
    small : int or None
        The smallest message size.
    """

    all: Measured
    points: dict[str, Measured]
    small: Any

    @property
    def at_size(self) -> str:
        """Name that size in a sentence: `` at 2 KB``; empty where nothing was measured."""
        return f" at {size_label(self.small)}" if self.small else ""

    def table(self, by: str, *, caption: str, notes: Sequence[str] = ()) -> Table | None:
        """List what a factor does, by message size."""
        return variants_table(
            self.points[by], by, split="message_bytes", baseline=_BASELINES[by],
            levels=PAIRS if by == "ha" else None, metrics=_METRICS[by], caption=caption,
            notes=notes,
        )  # fmt: skip

    def agreement(
        self, by: str, *, head: str, published: Mapping[Any, Quantity] | None = None
    ) -> Text | None:
        """Compare what it does to the rate with what was published, for the smallest message."""
        return variants_agreement(
            self.points[by], by, head=head, baseline=_BASELINES[by], published=published or {},
            message_bytes=self.small,
        )  # fmt: skip

    def delay_beside(
        self, published: Mapping[str, Mapping[Any, Quantity]], requesters: Sequence[Quantity]
    ) -> Text | None:
        """List what delays leave of the rate beside what was published, without a verdict.

        Near saturation, and with few requesters, part of what a delay costs does not show.

        Parameters
        ----------
        published : mapping
            What has a published counterpart, to each delay and what it leaves, in percent.
        requesters : sequence of Quantity
            Of the published peaks.
        """
        here, at = self.points[_DELAY], {"message_bytes": self.small}
        shown, lines = here.chapter.inline, []
        near, busy = {**at, _DELAY: 0}, here.mean(*_MACHINE_CPU, **at, ha_link_rtt_ms=0)
        for delay in here.levels(_DELAY, **at)[1:]:
            share = share_of(here, {**at, _DELAY: delay}, near)
            if share is not None:
                line = f"- {here.chapter.level(_DELAY, delay)}: here {shown(share.quantity)}"
                line += share.words(here.chapter)
                told = [
                    f"; {name} {shown(of[delay])}{NO_VERDICT}"
                    for name, of in published.items()
                    if delay in of
                ]
                for size in here.levels("message_bytes", ha_link_rtt_ms=delay):
                    of_size = {**at, "message_bytes": size}
                    other = share_of(here, {**of_size, _DELAY: delay}, {**of_size, _DELAY: 0})
                    if size != self.small and other is not None:
                        told.append(f"; at {size_label(size)} here {shown(other.quantity)}")
                        told.append(other.words(here.chapter))
                lines.append(f"{line}{''.join(told)}.")
        if busy is None or not requesters:
            return None
        few = here.levels("requesters", **near)[0]
        least, most = (shown(end(requesters).number) for end in (smallest, largest))
        many = least if least == most else f"{least} to {most}"
        head = (
            f"Rate{self.at_size} as a share of that without added delay, beside published shares. "
            f"There is no verdict: here, {few} requesters, not {many}, wait "
            f"for the link, and without delay they and both brokers use {shown(busy.quantity)} of "
            "the processors, which hides part of what a delay costs:"
        )
        return listed_under(head, lines)


def measured_pairs(chapter: Chapter) -> Pairs:
    """Give what the campaign of the plan ``ha`` has measured."""
    here = Measured(chapter, "ha", delivery="persistent")
    encrypted = at_peaks(Measured(chapter, "ha", ha=REPLICATED, ha_link_rtt_ms=0))
    sizes = encrypted.levels("message_bytes", link_encrypted=True)
    points = {
        "ha": at_peaks(without_link_effects(here)),
        _DELAY: at_peaks(Measured(chapter, "ha", ha=REPLICATED, link_encrypted=False)),
        "link_encrypted": with_rows(
            encrypted, encrypted.frame[encrypted.frame["message_bytes"].isin(sizes)]
        ),
    }
    return Pairs(here, points, lowest_level(here, "message_bytes"))


def cost_words(
    found: Pairs, *, shared: Mapping[float, Quantity], replicated: Mapping[float, Quantity],
    heads: tuple[str, str],
) -> Text | None:  # fmt: skip
    """Put what a pair leaves of the rate of a single broker beside what was published.

    Without a verdict: here, a standby of a shared store only waits on the same disk, and the backup
    of a replicated pair takes processor time from its primary.

    Parameters
    ----------
    shared, replicated : mapping
        Message size to the published share, in percent.
    heads : (str, str)
        What the shares of a shared store, and of a replicated pair, are of.

    Returns
    -------
    Text or None
        None when nothing was measured.
    """
    here, size = found.points["ha"], {"message_bytes": found.small}
    told = []
    for level, published, head in zip(
        (SHARED_STORE, REPLICATED), (shared, replicated), heads, strict=True
    ):
        printed = {"published": published[found.small]} if found.small in published else {}
        cases = Cases(here, [Case(level, {"ha": level, **size}, {"ha": NO_PAIR, **size}, printed)])
        told.append(beside(cases, head=head))
    return Text("\n\n".join(text.markdown for text in told if text)) if any(told) else None


def delay_figure(found: Pairs, *, caption: str) -> Figure | None:
    """Draw the rate of a replicated pair over the delay of its link."""
    here = found.points[_DELAY]
    title = delay_title(here, "Rate of a replicated pair by link delay")
    return measured_lines(here, _DELAY, split="message_bytes", title=title, caption=caption)


def steady_table(here: Measured, *, caption: str) -> Table | None:
    """List pairs and a single broker at one rate."""
    return variants_table(
        here, "ha", baseline=NO_PAIR, levels=PAIRS,
        metrics=(_MEDIAN, _P99, _CPU, _BACKUP_CPU, ("driver_cpu_time", "mean"), _MACHINE_CPU),
        caption=caption,
        notes=["The rate was set, so that its ratio says only that it was kept."],
    )  # fmt: skip


def without_link_effects(here: Measured) -> Measured:
    """Leave out the points whose link was delayed or encrypted: what is left differs by `ha`.

    Returns
    -------
    Measured
        Of the same campaign; `here` stays as it is.
    """
    frame = here.frame
    return with_rows(here, frame[frame[_DELAY].fillna(0).eq(0) & frame["link_encrypted"].ne(True)])


def at_highest(here: Measured, *factors: str) -> Measured:
    """Leave out all points but those at the highest level of each factor named.

    Parameters
    ----------
    *factors : str
        Numbers, such as ``target_rate``; one that was not set leaves everything.
    """
    for factor in factors:
        if levels := here.levels(factor):
            here = with_rows(here, here.rows({factor: levels[-1]}))
    return here


def at_one_rate(here: Measured) -> Measured:
    """Leave out all but the highest rate asked for, without delay or encryption of the link."""
    return at_highest(without_link_effects(here), "target_rate")


def measured_steady(chapter: Chapter) -> Measured:
    """Give what was measured at one rate."""
    return at_one_rate(Measured(chapter, "steady-state"))


def at_peaks(here: Measured) -> Measured:
    """Leave out all points but, of each combination, that with the highest mean rate."""
    frame = here.frame
    rates = frame[(frame["metric"] == RATE) & (frame["statistic"] == "mean")]
    means = rates.groupby("point_id", observed=True)["value"].mean()
    peaks = means.groupby(lambda point: combination_of(str(point))).idxmax()
    return with_rows(here, frame[frame["point_id"].isin(list(peaks))])


def lowest_level(here: Measured, factor: str) -> Any:
    """Give the lowest level of a factor that was measured, or None."""
    return next(iter(here.levels(factor)), None)


def delay_title(here: Measured, otherwise: str) -> str:
    """Name what the largest delay leaves of the rate without delay, at the smallest size.

    Parameters
    ----------
    here : Measured
        Of a replicated pair whose link is not encrypted.
    otherwise : str
        The title where that was not measured, or nothing may be concluded.
    """
    size = lowest_level(here, "message_bytes")
    delays = here.levels(_DELAY, message_bytes=size)
    if len(delays) < 2 or delays[0] != 0 or here.withheld:
        return otherwise
    of, base = ({"message_bytes": size, _DELAY: delay} for delay in (delays[-1], delays[0]))
    share = share_of(here, of, base)
    if share is None:
        return otherwise
    left = here.chapter.write(share.quantity)
    what = f"{delays[-1]:g} ms of link delay"
    if not share.interval.is_difference:
        return (
            f"{what} makes no significant difference at {size_label(size)}: the mean is {left} "
            "of the rate without delay"
        )
    return f"{what} leaves {left} of the rate at {size_label(size)}"


def link_words(here: Measured) -> Text | None:
    """Say what the link itself did: the round-trip time of the probe before each load.

    Parameters
    ----------
    here : Measured
        Of a replicated pair whose link is not encrypted.
    """
    at = {"message_bytes": lowest_level(here, "message_bytes")}
    parts = [
        f"{here.chapter.inline(mean.quantity)} with {delay:g}\u00a0ms added"
        for delay in here.levels(_DELAY, **at)
        if (mean := here.mean(*LINK_TIME, **at, ha_link_rtt_ms=delay))
    ]
    if not parts:
        return None
    return Text(f"The probe took {', '.join(parts)} (medians, averaged over the runs).")


def steady_agreement(
    here: Measured, published: Mapping[str, tuple[Quantity, Quantity]], *, under: str
) -> Text | None:
    """Compare what a pair adds at a fixed rate with the published range of the processor time.

    The source's is that of the primary's host: the backup's process is told apart.

    Parameters
    ----------
    here : Measured
        At one rate, without delay or encryption of the link.
    published : mapping
        Level of ``ha`` to the least and the most additional processor time, in percent.
    under : str
        What differs in the published test, as words after "Published, ".

    Returns
    -------
    Text or None
        None when nothing was measured.
    """
    if not here.exists:
        return None
    chapter, shown = here.chapter, here.chapter.inline
    lines: list[str] = []
    active = _without_backup(here)
    used = active.frame[(active.frame["metric"] == _CPU[0]) & (active.frame["statistic"] == "mean")]
    margin = margin_of(here, scatter=scatter_in(used, chapter.observations, here.campaigns))
    for level in here.levels("ha"):
        if level == NO_PAIR:
            continue
        cpu, backup = _beside_none(active, level, *_CPU), here.mean(*_BACKUP_CPU, ha=level)
        if cpu is None or backup is None:
            continue
        cells = cpu.quantity.cells + backup.quantity.cells
        cpu = replace(cpu, quantity=replace(cpu.quantity, cells=cells))
        line = (
            f"- {level}: per round trip, the active broker uses "
            f"{shown(cpu.quantity)}{cpu.words(chapter)} of the CPU time of a single one, and the "
            f"backup another {shown(backup.quantity)}"
        )
        for statistic, name in (("p50", "median"), ("p99", "99th percentile")):
            time = _beside_none(here, level, "round_trip_time", statistic)
            if time is not None:
                line += f"; the {name} round-trip time is {known_words(time, chapter)}"
        if level in published:
            least, most = published[level]
            ends = 100 + least.value, 100 + most.value
            spread = source_spread(here, least)
            sides = sides_of(
                f"{level}, CPU time of the active broker (published {under})", ends, cpu, margin,
                spread, least.cells + most.cells,
            )  # fmt: skip
            agreed = replace(judged(here, ends, cpu, margin, spread), sides=sides)
            line += f". Published, {under}: between {shown(least)} and {shown(most)} more CPU "
            line += "time on the primary's host, read as relative (the source does not say whether "
            line += f"it means percentage points). {agreed}"
        else:
            line += ". No counterpart was published."
        lines.append(line)
    rule = margin.rule
    if rule:
        rule = f"In CPU time of the active broker, {rule[0].lower()}{rule[1:]}"
    rate = " and ".join(chapter.level("target_rate", each) for each in here.levels("target_rate"))
    head = f"Relative to a single broker at the same rate{rate and f', {shown(rate)}'}:"
    return listed_under(head, lines, rule)


def _without_backup(here: Measured) -> Measured:
    """Leave the backup's process out of the brokers' CPU time, run by run."""
    frame = here.frame
    per_run = frame[frame["metric"] == _BACKUP_CPU[0]].set_index("row_label")["value"]
    brokers = frame["metric"] == _CPU[0]
    # A single broker has no backup.
    used = frame["row_label"].map(per_run).fillna(0).where(brokers, 0)
    return with_rows(here, frame.assign(value=frame["value"] - used))


def _beside_none(here: Measured, level: str, metric: str, statistic: str) -> Share | None:
    return share_of(here, {"ha": level}, {"ha": NO_PAIR}, metric, statistic)
