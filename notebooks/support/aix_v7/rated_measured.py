"""Rated loads, measured: which of them a broker kept, and between which the limit lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from types import SimpleNamespace
from typing import Any

from roundtrip.checks.laws import KEPT_WITHIN, is_kept, offered
from roundtrip.present import Figure, Measured, Quantity, Table, Text, means_of, measured_lines
from roundtrip.present.chapter import RATE, TIME
from roundtrip.present.derived import round_trips
from roundtrip.present.measured.means import interval_text
from roundtrip.present.quantities import Row, quantity_table
from support.aix_v7.comparisons import DELIVERIES
from support.shared.flows import rate_in_edition

KEPT, OVERLOAD, CATCHING_UP = "sustained", "overload", "catching up"
_SLOW = "slow"
_RULE = (
    "A load is sustained if every run achieves the offered rate to within "
    f"{100 * KEPT_WITHIN:g}\u00a0%, give or take a round trip at each end. If one run falls short, "
    "it is overload, even where the mean is higher: the queue grows. If none does but one exceeds "
    "it, that run still works off what its warm-up left, which is not steady state either. The "
    "worst run is the one furthest off."
)


def offered_rate(here: Measured, **factors: Any) -> Quantity | None:
    """Give the rate that the drivers of one operating point were told to keep.

    Parameters
    ----------
    **factors
        Values that select one operating point.

    Returns
    -------
    Quantity or None
        In the unit of rates, leading to the runs; None where the drivers ran unrated.
    """
    mean = here.mean(**factors)
    if mean is None:
        return None
    point = here.rows({"metric": RATE, "statistic": "mean", "interval": None, **factors}).iloc[0]
    rate = offered(point.to_dict())
    if rate is None:
        return None
    return replace(mean.quantity, value=rate_in_edition(here.chapter, rate).value)


def load_state(here: Measured, **factors: Any) -> str:
    """Say whether an operating point kept the rate that was offered, fell short or exceeded it.

    Parameters
    ----------
    **factors
        Values that select one operating point; one that ran unrated, or not at all, is kept.
    """
    mean, rate = here.mean(**factors), offered_rate(here, **factors)
    if mean is None or rate is None or here.manifest is None:
        return KEPT
    # What scatters are round trips, in whatever unit this edition shows their rate.
    trips = [round_trips(here.chapter, replace(rate, value=value)) for value in mean.values]
    seconds = here.manifest.plan.measure_seconds
    asked = round_trips(here.chapter, rate)
    if not is_kept([min(trip, asked) for trip in trips], asked, seconds):
        return OVERLOAD
    return KEPT if is_kept(trips, asked, seconds) else CATCHING_UP


@dataclass(frozen=True)
class Limit:
    """Between which loads the limit lies; each is a number of requesters.

    Attributes
    ----------
    last : int
        The last load that is kept and fast enough.
    beyond : int or None
        The first that is not; None where all that were run are.
    over : int or None
        The first of which a run falls short, or whose round trips are slow. A load at which runs
        only catch up is not yet one: they still achieve what is offered.
    falls_short : bool
        Whether a run falls short of that one.
    """

    last: int
    beyond: int | None
    over: int | None
    falls_short: bool


def limit_of(here: Measured, limit_ms: float = 1000, **factors: Any) -> Limit | None:
    """Find between which loads the limit lies.

    A load is too much as well where the offered rate is not kept: what waits then grows, and the
    time of a round trip says how long was measured, not what the broker can do.

    Parameters
    ----------
    limit_ms : float
        Most that the mean time of a round trip may be, averaged over the runs.
    **factors
        Values that leave the number of requesters open.

    Returns
    -------
    Limit or None
        None where the least load is too much already, or none was run.
    """
    loads = []
    times = means_of(here, "requesters", metric=TIME, **factors)
    for level, time in zip(times["requesters"], times[TIME], strict=True):
        state = load_state(here, requesters=level, **factors)
        is_slow = state != OVERLOAD and time.quantity.value > limit_ms
        loads.append((level, _SLOW if is_slow else state))
    kept = [level for level, _ in takewhile(lambda load: load[1] == KEPT, loads)]
    if not kept:
        return None
    beyond = next((level for level, _ in loads[len(kept) :]), None)
    over = next((load for load in loads if load[1] in (OVERLOAD, _SLOW)), (None, ""))
    return Limit(kept[-1], beyond, over[0], over[1] == OVERLOAD)


def rated_limits(
    here: Measured, groups: Mapping[str, Mapping[str, Any]], *, limit_ms: float = 1000
) -> Text | None:
    """Say for each group up to which load the offered rate is kept, and from which it is not.

    Parameters
    ----------
    groups : mapping
        Name for readers to the factors that select its loads.
    limit_ms : float
        As for `limit_of`.
    """
    shown = here.chapter.inline
    lines: list[str] = []
    for name, factors in groups.items():
        limit = limit_of(here, limit_ms, **factors)
        if limit is None:
            continue
        rate, time = (here.quantity(of, requesters=limit.last, **factors) for of in (RATE, TIME))
        line = (
            f"- {shown(name)}: the offered rate is met with up to {limit.last} requesters, "
            f"{shown(rate)} with a mean time of {shown(time)}"
        )
        if limit.beyond is None:
            lines.append(f"{line}; no higher load was run.")
            continue
        if limit.beyond != limit.over:
            line += f"; with {limit.beyond}, runs were still catching up after their warm-up"
        if limit.over is not None:
            how = f"the mean time is above {shown(Quantity(limit_ms, 'ms', ()))}"
            line += (
                f"; with {limit.over}, {'a run falls short of it' if limit.falls_short else how}"
            )
        most = here.quantity(requesters=here.peak(**factors), **factors)
        lines.append(f"{line}. The highest rate achieved is {shown(most)}.")
    return Text("\n".join(lines)) if lines else None


def offered_table(
    here: Measured, groups: Mapping[str, Mapping[str, Any]], *, caption: str
) -> Table | None:
    """Lay the offered rate of every load beside the achieved one.

    Parameters
    ----------
    groups : mapping
        As for `rated_limits`.

    Returns
    -------
    Table or None
        None where nothing was measured.
    """
    if not here.exists:
        return None
    chapter = here.chapter
    rows: list[Row] = []
    for name, factors in groups.items():
        rows.append(Row(name))
        for level in here.levels("requesters", **factors):
            at = {"requesters": level, **factors}
            offered, mean, time = offered_rate(here, **at), here.mean(**at), here.mean(TIME, **at)
            if offered is None or mean is None or time is None:
                continue
            state = load_state(here, **at)
            worst = None
            if state != KEPT:
                furthest = min if state == OVERLOAD else max
                worst = replace(mean.quantity, value=furthest(mean.values))
            written = (chapter.write(offered, unit=False), interval_text(chapter, mean))
            line = (written[0], mean.quantity, written[1], worst, time.quantity, state)
            rows.append(Row(str(level), line))
    return quantity_table(
        chapter, rows, caption=caption, by_row=True, notes=(_RULE,),
        header=["Requesters", "Offered (/s)", "Achieved (/s)", "95 % interval", "Worst run (/s)",
                "Mean time (ms)", "Load"],
    )  # fmt: skip


def rising_loads(here: Measured, groups: Mapping[str, Mapping[str, Any]]) -> tuple[int, int]:
    """Count the groups in which a round trip takes longer with every further load.

    Parameters
    ----------
    groups : mapping
        As for `rated_limits`.

    Returns
    -------
    rising, all : int
        Of the groups with at least two loads.
    """
    series = []
    for factors in groups.values():
        means = means_of(here, "requesters", metric=TIME, **factors)[TIME]
        values = [mean.quantity.value for mean in means]
        if len(values) > 1:
            series.append(values == sorted(values))
    return sum(series), len(series)


def limit_title(here: Measured, groups: Mapping[str, Mapping[str, Any]], *, otherwise: str) -> str:
    """Name the finding: up to which load the offered rate is kept, and from which it is not.

    Parameters
    ----------
    groups : mapping
        As for `rated_limits`.
    otherwise : str
        The title where no load was kept.
    """
    parts = []
    for name, factors in groups.items():
        limit = limit_of(here, **factors)
        if limit is not None:
            over = limit.over
            lies = f"above {limit.last}" if over is None else f"between {limit.last} and {over}"
            parts.append(f"{name.lower()}, {lies} requesters")
    return f"Where the limit lies: {'; '.join(parts)}" if parts else otherwise


def _highest_pace(here: Measured) -> float:
    return max(here.levels("requester_rate"), default=0)


def rated_loads(here: Measured) -> Mapping[str, Mapping[str, Any]]:
    """Give the factors of each series of loads at the highest pace, by its name."""
    return {
        name: {"delivery": delivery, "requester_rate": _highest_pace(here)}
        for delivery, name in DELIVERIES.items()
    }


def loads_figure(here: Measured, *, caption: str) -> Figure | None:
    """Draw the mean time of a round trip by number of requesters."""
    otherwise = "Time of a round trip under a rated load"
    return measured_lines(
        here,
        "requesters",
        split="delivery",
        metric=TIME,
        log={"requesters", TIME},
        title=limit_title(here, rated_loads(here), otherwise=otherwise),
        caption=caption,
        requester_rate=_highest_pace(here),
    )


def rated_agreement(here: Measured, published: SimpleNamespace) -> Text | None:
    """Say in how many series the time rises with every further load, published and measured.

    Parameters
    ----------
    published : namespace
        From `support.aix_v7.rated_published.rated_tests`.
    """
    rising, series = rising_loads(here, rated_loads(here))
    if not series:
        return None
    return here.chapter.text(
        "The published times rise with every further load in {published} of {tests} tests, those "
        "measured here in {here} of {series} series.",
        published=published.rising,
        tests=published.tests,
        here=rising,
        series=series,
    )
