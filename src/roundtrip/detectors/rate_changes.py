"""Gains and losses that words state in per cent, held against the rates that are printed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import pandas as pd

from roundtrip.checks.precision import Cell, off, quotient_bounds
from roundtrip.checks.selection import rows_alike
from roundtrip.claims import VagueWords
from roundtrip.detectors.proposal import Contradiction, Sure, signed
from roundtrip.detectors.subject import OFF, Subject, is_bound, place, printed, unstated
from roundtrip.detectors.text import Printed, ReportText, half_unit, named_tables, quoted, where
from roundtrip.dictionary import RATES

_GAIN, _LOSS = "rate_increase", "rate_reduction"
_PER_CENT = re.compile(r"(?<![\w.,$€£=-])(?P<digits>\d+(?:\.\d+)?)\s?(?:%|per ?cent\b)")
_CHANGE = re.compile(
    r"\b(?:(?P<loss>(?:reduc|decreas|degrad|declin|drop|slow|lost|loss|fall|fell|lower|less|worse)"
    r"\w*)|(?:increas|improv|gain|rise|rising|rose|fast|higher|better|greater|more)\w*)\b"
    r"(?!\s+than\s+(?:\w+\s+)?[~\d])", re.I
)  # fmt: skip
_SIMILAR = re.compile(
    r"\b(?:throughput|rates?)\b[^.;(]*?\b(similar)\b(?!\s+or\b)|"
    r"\b(similar)\s+(?:\w+\s+)?(?:throughput|rates?)\b", re.I
)  # fmt: skip
_OF_RATES = re.compile(r"\b(?:throughput|rates?|performance|round[- ]trips?|mps)\b", re.I)
_OF_MORE = re.compile(
    r"\b(?:cpu|processors?|latenc\w+|response times?|memory|utili[sz]\w*)\b", re.I
)
_NOT_OF_TWO = re.compile(r"\b(?:average|mean|further|within)\W+(?:\w+\W+)?$", re.I)
_RATE_COLUMN = re.compile(r"\brates?\b|throughput|trips|\b[mt]ps\b|/\s?s(?:ec)?\b|per sec", re.I)
_COSTS = re.compile(r"\b(?:cost|lose|lost|losing)\w*\s+(?:\w+\s+){0,3}$", re.I)
_BESIDE = 60  # letters from a number to the word that says whether it is lost or gained
_APART = 2.0  # times: cells that differ so much more or less are not those that are meant
_FORMS: dict[str, Callable[[float], float]] = {
    "loss": lambda quotient: 100 * (1 - quotient),
    "gain": lambda quotient: 100 * (1 / quotient - 1),
    "share": lambda quotient: 100 * quotient,
}
"""What a sentence states in per cent, from the quotient of the smaller rate and the larger."""


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
    on_scale = [name for name in rates if pd.api.types.is_numeric_dtype(rates[name])]
    every = subject.rows(rates)
    for change in subject.rows(stated):
        if is_bound(change):
            continue
        named = [name for name in subject.stated if not unstated(change[name])]
        here = rates[rows_alike(rates, change, named)]
        varied = {*named} - {*on_scale}
        pairs = [
            (cell, other)
            for cell in subject.rows(here)
            for other in every
            if _comparable(cell, other) and _beside(subject, cell, other, varied)
        ]
        if pairs:
            yield from _unexplained(change, pairs)


def _beside(subject: Subject, cell: Cell, other: Cell, varied: Collection[str]) -> bool:
    """Say whether a text may compare the settings of two rates.

    One factor that it names has another level, or, where none has, something it names is switched
    off. What it does not name may be switched off besides. A factor that is a number is not varied:
    along a scale a text tells of a course, not of two ends.
    """
    changed: list[bool] = []
    for name in subject.stated:
        here, there = cell[name], other[name]
        is_off = unstated(there) or there == OFF
        same = is_off if unstated(here) else not unstated(there) and here == there
        if name in varied and not same:
            changed.append(not is_off)
        elif not same and not is_off:
            return False
    return sum(changed) == 1 or (bool(changed) and not any(changed))


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
        low, high = sorted(100 * sign * (end - 1) for end in quotient_bounds(cell, other))
        if (far := off(change, low, high)) is None:
            return
        found.append((*far, (low + high) / 2, cell, other))
    deviation, allowed, middle, cell, other = min(
        found, key=lambda one: one[0] / one[1] if one[1] else math.inf
    )
    yield Contradiction(
        [change, cell, other], deviation, allowed, "percentage points",
        f"{place(change)} states {printed(change)} ({change['row_label']}); the nearest "
        f"change that printed rates give is {signed(middle)} %, from {printed(cell)} "
        f"({place(cell)}) and {printed(other)} ({place(other)}).",
        Sure.medium,
    )  # fmt: skip


@dataclass(frozen=True)
class _Stated:
    """What a sentence states in per cent, from `start` on: one of `_FORMS`, from `low` to `high`.

    `slack` is how far it is rounded. `number` is None where words alone say it.
    """

    text: str
    start: int
    form: str
    number: float | None
    low: float
    high: float
    slack: float


def quoted_changes(text: ReportText) -> Iterator[Contradiction]:
    """Propose changes of rates that no two printed rates give.

    A sentence speaks of the tables that it names, otherwise of those of its section. Which two
    rates it compares it says in words; any two of one row or one column will do, so that a change
    is proposed only if none of them gives it, as far as both are rounded and the vague word before
    it allows. The nearest two are then named.
    """
    for sentence in text.sentences:
        stated = list(_stated(sentence.text, text.words))
        rates = [cell for cell in text.cells_meant(sentence)
                 if _RATE_COLUMN.search(cell.column) and cell.value]  # fmt: skip
        for one in stated:
            far, number = _far(one, rates), one.number or 0
            if not far:
                continue
            nearest = min(far, key=lambda found: (_named_alike(found[3]), abs(found[2] - number)))
            away, half, middle, pair = nearest
            if number and not 1 / _APART < middle / number < _APART:
                continue
            yield Contradiction(
                [{"observation_id": cell.observation_id} for cell in pair],
                away + one.slack, half + one.slack, "percentage points",
                f"The sentence on {where(sentence)} says “{quoted(sentence, one.text)}”; the "
                f"nearest change that printed rates give is {signed(middle)} %, from "
                f"{' and '.join(_named(cell) for cell in pair)}.",
                Sure.medium if named_tables(sentence.text) else Sure.low, (sentence,),
            )  # fmt: skip


def _stated(text: str, words: VagueWords) -> Iterator[_Stated]:
    """Give the changes of rates that a text states; none where it speaks of more than rates."""
    if not _OF_RATES.search(text) or _OF_MORE.search(text):
        return
    changes = list(_CHANGE.finditer(text))
    for found in _PER_CENT.finditer(text):
        before, after = text[: found.start()], text[found.end() :]
        near = min(changes, key=lambda one: _between(one, found), default=None)
        if _NOT_OF_TWO.search(before):
            continue
        if _COSTS.search(before):
            form = "loss"
        elif re.match(r"\s+of\b", after):
            form = "share"
        elif near is not None and _between(near, found) < _BESIDE:
            form = "loss" if near["loss"] else "gain"
        else:
            continue
        number, slack = float(found["digits"]), half_unit(found["digits"])
        word = words.before_number(before)
        low, high = (0.0, 0.0) if word is None else (word.from_, word.to)
        yield _Stated(
            found[0], found.start(), form, number,
            -math.inf if low is None else number * (1 + low / 100) - slack,
            math.inf if high is None else number * (1 + high / 100) + slack, slack,
        )  # fmt: skip
    similar = words.names.get("similar")
    far = similar.to if similar else None
    if far is not None:
        for found in _SIMILAR.finditer(text):
            text_of = found[1] or found[2]
            yield _Stated(text_of, found.start(), "loss", None, -math.inf, far, far)


def _between(one: re.Match[str], other: re.Match[str]) -> int:
    return max(one.start() - other.end(), other.start() - one.end())


def _far(
    stated: _Stated, cells: Sequence[Printed]
) -> list[tuple[float, float, float, tuple[Printed, Printed]]]:
    """Give how far each pair is from what is stated, its rounding, its change and its cells.

    Nothing is given where one pair is near enough.
    """
    found = []
    for pair in _pairs(cells, stated):
        middle, half = _change(stated.form, pair)
        away = max(stated.low - middle, middle - stated.high)
        if away <= half:
            return []
        found.append((away, half, middle, pair))
    return found


def _pairs(cells: Sequence[Printed], stated: _Stated) -> Iterator[tuple[Printed, Printed]]:
    """Give the smaller and the larger of any two cells that a sentence may compare."""
    alike: dict[tuple[str, str], list[Printed]] = {}
    for cell in cells:
        for name in ("row", "column"):
            alike.setdefault((name, getattr(cell, name)), []).append(cell)
    for (name, _), those in alike.items():
        for pair in combinations(those, 2):
            same = _named_alike(pair)
            if not same or (stated.number is not None and name == "row"):
                yield min(pair, key=_value), max(pair, key=_value)


def _named_alike(pair: tuple[Printed, Printed]) -> bool:
    """Say whether two cells are of one thing, which a sentence that compares rarely means."""
    one, other = pair
    return (one.row, one.column) == (other.row, other.column)


def _change(form: str, pair: tuple[Printed, Printed]) -> tuple[float, float]:
    """Give the change between two cells, and how far it may be off by their rounding."""
    smaller, larger = ({"settled": _value(cell), "slack": cell.rounding} for cell in pair)
    low, high = sorted(map(_FORMS[form], quotient_bounds(smaller, larger)))
    return (low + high) / 2, (high - low) / 2


def _value(cell: Printed) -> float:
    return cell.value or 0.0


def _named(cell: Printed) -> str:
    return f"{cell.text} ({cell.table}, {cell.row}, {cell.column})"
