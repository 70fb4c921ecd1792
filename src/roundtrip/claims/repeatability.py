"""How far the sources' own repeated measurements differ: no smaller difference means anything."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from roundtrip.dictionary import RATES
from roundtrip.observations import Observations


@dataclass(frozen=True)
class Repetition:
    """One set-up that a report measures more than once, with different results.

    Attributes
    ----------
    spread : float
        Largest result over the smallest, less one, in per cent.
    cells : tuple of str
        The observations.
    """

    report: str
    spread: float
    cells: tuple[str, ...]


@lru_cache(maxsize=1)
def repetitions(observations: Observations) -> tuple[Repetition, ...]:
    """Find rates that one report prints in several tables for one set-up, and that differ.

    A set-up is all factors. Only the number of requesters may be missing on one side: a peak has it
    instead of being given it, and another table may print it. Equal rates are left out: they are
    one measurement, printed twice.

    Returns
    -------
    tuple of Repetition
        From the smallest spread to the largest.
    """
    frame = observations.choose(source_kind="table", metric=RATES)
    frame = frame.assign(best=frame["value_corrected"].fillna(frame["value"]))
    factors = [name for name in observations.dictionary.factors if name != "requesters"]
    set_up = ["source", "metric", "statistic", *factors]
    # Grouping takes its time by the column: those that say nothing are left out.
    told = [name for name in set_up if frame[name].notna().any()]
    set_ups = frame.groupby(told, dropna=False, sort=False).ngroup()
    tables = frame["table_id"].groupby(set_ups).transform("nunique")
    found = []
    for _, group in frame[tables > 1].groupby(set_ups):
        stated = group["requesters"]
        loads = [stated.eq(load) for load in stated.dropna().unique()] or [stated.isna()]
        for load in loads:
            same = group[load | stated.isna()]
            distinct = same.drop_duplicates("best")
            if len(distinct) > 1 and same["table_id"].nunique() > 1:
                spread = 100 * (distinct["best"].max() / distinct["best"].min() - 1)
                cells = tuple(map(str, distinct["observation_id"]))
                found.append(Repetition(str(distinct["source"].iloc[0]), float(spread), cells))
    return tuple(sorted(found, key=lambda item: (item.spread, item.cells)))


@lru_cache(maxsize=1)
def source_spreads(observations: Observations) -> dict[str, float]:
    """Give how far each source's own repeated measurements differ: 0.02 is two per cent.

    Returns
    -------
    dict
        Report to its largest spread; under the empty name the largest of all, for a report that
        repeats none of its measurements.
    """
    found: dict[str, float] = {"": 0.0}
    for repetition in repetitions(observations):
        for name in (repetition.report, ""):
            found[name] = max(found.get(name, 0.0), repetition.spread / 100)
    return found
