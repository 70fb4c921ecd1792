"""Gains and losses that a text states in per cent, held against the rates that tables print."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from roundtrip.checks.precision import quotient_bounds
from roundtrip.checks.reference import rows_alike
from roundtrip.detectors.proposal import Contradiction, Sure, signed
from roundtrip.detectors.subject import Cell, Subject, is_bound, place, printed, unstated
from roundtrip.dictionary import RATES

_GAIN, _LOSS = "rate_increase", "rate_reduction"
_OFF = "none"


def stated_changes(subject: Subject) -> Iterator[Contradiction]:
    """Propose gains and losses of rates that no two printed rates of their setting give.

    The setting is what the text states. It is compared with one that differs in a factor which
    the text states, and otherwise only in what is switched off or not stated there; peaks with
    peaks, or values with the same number of requesters. Which rates the text means it does not
    say, so that a proposal is never more than medium.
    """
    rates = subject.tables[subject.tables["metric"].isin(RATES)]
    stated = subject.cells[
        (subject.cells["source_kind"] == "text") & subject.cells["metric"].isin((_GAIN, _LOSS))
    ]
    if rates.empty or stated.empty:
        return
    settings = _Settings(subject, rates)
    for change in subject.rows(stated):
        if is_bound(change):
            continue
        named = [name for name in subject.stated if not unstated(change[name])]
        here = rates[rows_alike(rates, change, named)]
        pairs = [
            (cell, other)
            for _, alike in here.groupby(subject.settings[here.index], sort=False)
            for others in [subject.rows(settings.others(int(alike.index[0]), named))]
            for cell in subject.rows(alike)
            for other in others
            if _comparable(cell, other)
        ]
        if pairs:
            yield from _unexplained(change, pairs)


class _Settings:
    """The settings of rates, as whole numbers: a text may be compared with hundreds of them."""

    def __init__(self, subject: Subject, rates: pd.DataFrame) -> None:
        self.rates = rates
        self.names = subject.stated
        levels = [rates[name] for name in self.names]
        self.codes = np.stack([pd.factorize(level)[0] for level in levels], axis=1)
        self.off = np.stack(
            [(level.isna() | (level == _OFF)).fillna(True).to_numpy(bool) for level in levels],
            axis=1,
        )
        self.on_scale = np.array([pd.api.types.is_numeric_dtype(level) for level in levels])

    def others(self, cell: int, named: list[str]) -> pd.DataFrame:
        """Give the rates of settings that the rate at a position may have been compared with.

        One factor that the text names has another level, or, where none has, something it names
        is switched off. What it does not name may be switched off besides. A factor that is a
        number is not varied: along a scale a text tells of a course, not of two ends.
        """
        at = self.rates.index.get_loc(cell)
        not_stated = self.codes[at] < 0
        same = np.where(not_stated, self.off, self.codes == self.codes[at])
        varied = np.isin(self.names, named) & ~self.on_scale
        changed = (~same & ~self.off & varied).sum(axis=1)
        switched_off = (~same & self.off & varied).sum(axis=1)
        possible = (same | self.off | varied).all(axis=1)
        chosen = possible & ((changed == 1) | ((changed == 0) & (switched_off > 0)))
        return self.rates.iloc[np.flatnonzero(chosen)]


def _comparable(one: Cell, other: Cell) -> bool:
    """Say whether two rates are peaks, or of the same number of requesters."""
    if one["statistic"] == other["statistic"] == "peak":
        return True
    if unstated(one["requesters"]) or unstated(other["requesters"]):
        return bool(one["statistic"] == other["statistic"])
    return bool(one["requesters"] == other["requesters"])


def _unexplained(change: Cell, pairs: Sequence[tuple[Cell, Cell]]) -> Iterator[Contradiction]:
    """Propose a change that is nearer to none of the pairs than rounding allows."""
    sign = 1 if change["metric"] == _GAIN else -1
    found = []
    for cell, other in pairs:
        ends = quotient_bounds(cell["settled"], cell["slack"], other["settled"], other["slack"])
        low, high = sorted(100 * sign * (end - 1) for end in ends)
        middle, allowed = (low + high) / 2, (high - low) / 2 + change["slack"]
        off = abs(change["settled"] - middle)
        if off <= allowed:
            return
        found.append((off, allowed, middle, cell, other))
    off, allowed, middle, cell, other = min(
        found, key=lambda one: one[0] / one[1] if one[1] else math.inf
    )
    yield Contradiction(
        [change, cell, other], off, allowed, "percentage points",
        f"{place(change)} states {printed(change)} ({change['row_label']}); the nearest "
        f"change that printed rates give is {signed(middle)} %, from {printed(cell)} "
        f"({place(cell)}) and {printed(other)} ({place(other)}).",
        Sure.medium,
    )  # fmt: skip
