"""Rated loads: between which of them the limit lies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roundtrip.present.chapter import RATE, TIME, Text
from roundtrip.present.measured.means import Measured, interval_text
from roundtrip.present.numbers import Quantity
from roundtrip.present.quantities import Row, quantity_table
from roundtrip.present.tables import Table
from support.aix_v7.overload import KEPT, OVERLOAD, RULE, load_state, offered_rate, worst_run


def last_load(here: Measured, limit_ms: float, **factors: Any) -> tuple[int, int | None] | None:
    """Give the last load that is kept and fast enough, and the first that is too much.

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
    last : int
        Number of requesters.
    beyond : int or None
        None where every load that was run is fast enough.
        Nothing at all, None, where the least load is too much already, or none was run.
    """
    last: int | None = None
    for level in here.levels("requesters", **factors):
        time = here.mean(TIME, "mean", requesters=level, **factors)
        if time is None:
            continue
        at = {"requesters": level, **factors}
        if time.quantity.value > limit_ms or load_state(here, **at) != KEPT:
            return None if last is None else (last, level)
        last = level
    return None if last is None else (last, None)


def first_overload(here: Measured, limit_ms: float, **factors: Any) -> int | None:
    """Give the first load beyond the limit: a run falls short of it, or round trips are slow.

    A load at which runs only catch up is not yet one: they still achieve what is offered.

    Parameters
    ----------
    limit_ms, **factors
        As for `last_load`.

    Returns
    -------
    int or None
        Number of requesters; None where no such load was run.
    """
    for level in here.levels("requesters", **factors):
        at = {"requesters": level, **factors}
        time = here.mean(TIME, "mean", **at)
        if time is None:
            continue
        if time.quantity.value > limit_ms or load_state(here, **at) == OVERLOAD:
            return int(level)
    return None


def rated_limits(
    here: Measured, groups: Mapping[str, Mapping[str, Any]], *, limit_ms: float = 1000
) -> Text | None:
    """Say for each group up to which load the offered rate is kept, and from which it is not.

    Parameters
    ----------
    groups : mapping
        Name for readers to the factors that select its loads.
    limit_ms : float
        As for `last_load`.
    """
    if not here.exists:
        return None
    shown = here.chapter.inline
    lines: list[str] = []
    for name, factors in groups.items():
        found = last_load(here, limit_ms, **factors)
        if found is None:
            continue
        last, beyond = found
        rate = here.mean(RATE, "mean", requesters=last, **factors)
        time = here.mean(TIME, "mean", requesters=last, **factors)
        if rate is None or time is None:
            continue
        line = (
            f"- {shown(name)}: the offered rate is met with up to {last} requesters, "
            f"{shown(rate.quantity)} with a mean time of {shown(time.quantity)}"
        )
        if beyond is None:
            lines.append(f"{line}; no higher load was run.")
            continue
        over = first_overload(here, limit_ms, **factors)
        if beyond != over:
            line += f"; with {beyond}, runs were still catching up after their warm-up"
        if over is not None:
            short = load_state(here, requesters=over, **factors) == OVERLOAD
            limit = shown(Quantity(limit_ms, "ms", ()))
            how = "a run falls short of it" if short else f"the mean time is above {limit}"
            line += f"; with {over}, {how}"
        most = max(
            (mean for level in here.levels("requesters", **factors)
             if (mean := here.mean(requesters=level, **factors)) is not None),
            key=lambda mean: mean.quantity.value,
        )  # fmt: skip
        lines.append(f"{line}. The highest rate achieved is {shown(most.quantity)}.")
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
    chapter = here.chapter
    rows: list[Row] = []
    for name, factors in groups.items() if here.exists else ():
        rows.append(Row(name))
        for level in here.levels("requesters", **factors):
            at = {"requesters": level, **factors}
            offered, mean, time = offered_rate(here, **at), here.mean(**at), here.mean(TIME, **at)
            if offered is None or mean is None or time is None:
                continue
            state = load_state(here, **at)
            rows.append(
                Row(
                    str(level),
                    (chapter.write(offered, unit=False), mean.quantity,
                     interval_text(chapter, mean),
                     None if state == KEPT else worst_run(here, state, **at), time.quantity, state),
                )
            )  # fmt: skip
    if not rows:
        return None
    return quantity_table(
        chapter, rows, caption=caption, by_row=True, notes=(RULE,),
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
    for factors in groups.values() if here.exists else ():
        means = [
            here.mean(TIME, "mean", requesters=level, **factors)
            for level in here.levels("requesters", **factors)
        ]
        values = [mean.quantity.value for mean in means if mean is not None]
        if len(values) > 1:
            series.append(values == sorted(values))
    return sum(series), len(series)


def limit_title(
    here: Measured, groups: Mapping[str, Mapping[str, Any]], *, otherwise: str,
    limit_ms: float = 1000,
) -> str:  # fmt: skip
    """Name the finding: up to which load the offered rate is kept, and from which it is not.

    Parameters
    ----------
    groups, limit_ms
        As for `rated_limits`.
    otherwise : str
        The title where no load was kept.
    """
    parts = []
    for name, factors in groups.items() if here.exists else ():
        found = last_load(here, limit_ms, **factors)
        if found is None:
            continue
        over = first_overload(here, limit_ms, **factors)
        then = f"above {found[0]}" if over is None else f"between {found[0]} and {over}"
        parts.append(f"{name.lower()}, {then} requesters")
    return f"Where the limit lies: {'; '.join(parts)}" if parts else otherwise
