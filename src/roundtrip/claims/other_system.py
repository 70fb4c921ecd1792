"""Claims asked again of another system: their own SQL over what was measured there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import BaseModel, ConfigDict

from roundtrip.claims.cases import Case, CaseError, cases_of
from roundtrip.claims.declared import Claim, Expect
from roundtrip.claims.ledger import Judged
from roundtrip.claims.verdicts import bounds, word_of
from roundtrip.claims.words import VagueWords
from roundtrip.observations import Observations
from roundtrip.sandbox.process import QueryError, Sandbox
from roundtrip.stats.intervals import TESTED, t_quantile

_STEP = 0.001
_EXACT = 1e-6
_LIKE_A_RATIO = 1e-2


class Answer(StrEnum):
    """What a claim comes to on another system."""

    holds = "holds here"
    fails = "does not hold here"
    unknown = "cannot say"


@dataclass(frozen=True)
class Counterpart:
    """What was measured where a source printed a rate.

    Attributes
    ----------
    point : str
        The operating point; equal names are one and the same measurement.
    rate : float
        Mean over its runs.
    error : float
        Standard deviation of the logarithm of that mean.
    freedom : float
        Degrees of freedom that `error` rests on.
    margin : float
        Factor that two runs of the campaign may differ by.
    cells : tuple of str
        The observations.
    """

    point: str
    rate: float
    error: float
    freedom: float
    margin: float
    cells: tuple[str, ...]


class CaseThere(BaseModel):
    """One number of a claim, as published and as measured on the other system.

    Attributes
    ----------
    published, value, low, high : float
        As printed; as measured, with the ends of its interval (90 %).
    cells, runs : tuple of str
        Observations of the source; of the other system.
    """

    model_config = ConfigDict(frozen=True)

    item: str | None
    published: float
    value: float
    low: float
    high: float
    cells: tuple[str, ...]
    runs: tuple[str, ...]
    answer: Answer


class Asked(BaseModel):
    """A claim with what it comes to on another system.

    Attributes
    ----------
    judged : Judged
        The claim, with its verdict for the source's own system.
    reason : str
        Why nothing can be said, or which cases decide.
    cases : tuple of CaseThere
        What was measured, also where nothing is concluded from it.
    """

    model_config = ConfigDict(frozen=True)

    judged: Judged
    answer: Answer
    reason: str = ""
    cases: tuple[CaseThere, ...] = ()


@dataclass(frozen=True)
class _Number:
    """A case with how it moves with the logarithm of each point's rate."""

    case: Case
    moves: Mapping[str, float]


def ask_again(
    observations: Observations,
    questions: Sequence[tuple[Judged, Mapping[str, Counterpart]]],
    words: VagueWords,
) -> list[Asked]:
    """Ask claims of another system, each by its own SQL.

    A case is asked where every number that it was judged by has a counterpart; items that have none
    are left out, and the answer says so.

    Parameters
    ----------
    questions : sequence of (Judged, mapping)
        Claims that carry over, each with the counterparts of its cells.
    """
    known = frozenset(observations.table.column("observation_id").to_pylist())
    whole = [(row, _of_whole_cases(row, counterparts)) for row, counterparts in questions]
    with Sandbox(_mirrored(observations, whole)) as sandbox:
        return [
            _asked(number, row, counterparts, sandbox, words, known)
            for number, (row, counterparts) in enumerate(whole)
        ]


def _of_whole_cases(row: Judged, counterparts: Mapping[str, Counterpart]) -> dict[str, Counterpart]:
    """Leave out what only cases need that lack another number."""
    return {
        cell: counterparts[cell]
        for case in row.cases if counterparts.keys() >= set(case.cells)
        for cell in case.cells
    }  # fmt: skip


def _mirrored(
    observations: Observations, questions: Sequence[tuple[Judged, Mapping[str, Counterpart]]]
) -> pa.Table:
    """Give the sources' rows with measured rates: as they are, and with one point moved a little.

    Each of these stands for a source of its own, so that `o` holds one of them.
    """
    places = {
        name: at for at, name in enumerate(observations.table.column("observation_id").to_pylist())
    }
    taken: list[int] = []
    names: list[str] = []
    values: list[float] = []
    for number, (_, counterparts) in enumerate(questions):
        for moved in (None, *_points(counterparts)):
            for cell, other in counterparts.items():
                taken.append(places[cell])
                names.append(_variant(number, moved))
                values.append(other.rate * math.exp(_STEP if other.point == moved else 0.0))
    table = observations.table.take(pa.array(taken, pa.int64()))
    replaced: dict[str, Any] = {
        "source": names, "value": values, "value_corrected": [None] * len(values)
    }  # fmt: skip
    for name, column in replaced.items():
        at = table.schema.get_field_index(name)
        table = table.set_column(at, name, pa.array(column, table.schema.field(at).type))
    return table


def _points(counterparts: Mapping[str, Counterpart]) -> list[str]:
    return sorted({other.point for other in counterparts.values()})


def _variant(number: int, moved: str | None) -> str:
    return f"{number}/{moved or ''}"


def _asked(
    number: int, row: Judged, counterparts: Mapping[str, Counterpart], sandbox: Sandbox,
    words: VagueWords, known: frozenset[str],
) -> Asked:  # fmt: skip
    published = {case.item: case for case in row.cases if counterparts.keys() >= set(case.cells)}
    claim = _about(row.claim, list(published))
    lacking = Asked(judged=row, answer=Answer.unknown, reason="it lacks points to compare")
    if claim is None or claim.expect is None:
        return lacking
    sql = str(claim.sql)

    def cases(moved: str | None) -> dict[str | None, Case]:
        found = cases_of(claim, *sandbox.rows(sql, _variant(number, moved)), known)
        return {
            case.item: case for case in found
            if case.item in published and set(case.cells) == set(published[case.item].cells)
        }  # fmt: skip

    try:
        here = cases(None)
        moved = {point: cases(point) for point in _points(counterparts)}
    except (CaseError, QueryError):
        return lacking
    # A case that comes or goes with the rates has no interval, and an order needs all its items.
    comes_and_goes = any(here.keys() - found.keys() for found in moved.values())
    incomplete = claim.expect.of_items and here.keys() != published.keys()
    if not here or comes_and_goes or incomplete:
        return lacking
    numbers = [
        _Number(case, {point: (others[item].value - case.value) / _STEP
                       for point, others in moved.items()})
        for item, case in here.items()
    ]  # fmt: skip
    if any(_is_one_point(one, counterparts) for one in numbers):
        reason = "it compares what is one and the same point of the run"
        return Asked(judged=row, answer=Answer.unknown, reason=reason)
    told = _answers(claim.kind, claim.expect, numbers, counterparts, words)
    shown = tuple(
        _shown(one, published[one.case.item].value, answer, counterparts)
        for one, answer in zip(numbers, told, strict=True)
    )
    answer = _together(told)
    return Asked(judged=row, answer=answer, reason=_why(row, answer, shown), cases=shown)


def _about(claim: Claim, items: Sequence[str | None]) -> Claim | None:
    """Give the claim as far as it speaks of some items; None where nothing is left to compare."""
    expect = claim.expect
    if expect is None or not items:
        return None
    if expect.order is not None:
        left = tuple(item for item in expect.order if item in items)
        expect = expect.model_copy(update={"order": left})
        return claim.model_copy(update={"expect": expect}) if len(left) > 1 else None
    if expect.of_items and (expect.largest or expect.smallest) not in items:
        return None
    return claim


def _is_one_point(number: _Number, counterparts: Mapping[str, Counterpart]) -> bool:
    """Say whether several numbers of the source have one point for a counterpart."""
    points = [counterparts[cell].point for cell in number.case.cells]
    return len(set(points)) < len(points)


def _answers(
    kind: str, expect: Expect, numbers: Sequence[_Number], counterparts: Mapping[str, Counterpart],
    words: VagueWords,
) -> list[Answer]:  # fmt: skip
    if expect.of_items:
        return [_in_order(expect, numbers, counterparts)] * len(numbers)
    word = word_of(expect, words)
    low, high = bounds(expect, words)
    difference = kind == "difference" or (word is not None and word.of == "difference")
    largest = max(numbers, key=lambda one: one.case.value) if word and word.largest else None
    told = []
    for one in numbers:
        least = low if largest in (None, one) else -math.inf
        ends = _widened(least, high, _reach(one.moves, counterparts), difference)
        told.append(_of(*_interval(one.case.value, one.moves, counterparts), *ends))
    return told


def _in_order(
    expect: Expect, numbers: Sequence[_Number], counterparts: Mapping[str, Counterpart]
) -> Answer:
    """Compare items in pairs; an order is as sure as the least sure of them."""
    by_item = {str(one.case.item): one for one in numbers}
    if expect.order is not None:
        pairs = list(pairwise(expect.order))
    else:
        first = str(expect.largest or expect.smallest)
        pairs = [(first, item) for item in by_item if item != first]
        pairs = pairs if expect.largest else [(after, before) for before, after in pairs]
    told = []
    for more, less in pairs:
        above, below = by_item[more], by_item[less]
        moves = {name: move - below.moves[name] for name, move in above.moves.items()}
        gap = above.case.value - below.case.value
        told.append(_of(*_interval(gap, moves, counterparts), 0.0, math.inf))
    return _together(told)


def _interval(
    value: float, moves: Mapping[str, float], counterparts: Mapping[str, Counterpart]
) -> tuple[float, float]:
    """Give the interval of a value from the errors of the points that move it."""
    points = {other.point: other for other in counterparts.values()}
    involved = [points[name] for name, move in moves.items() if abs(move) > _EXACT]
    error = math.sqrt(sum((moves[one.point] * one.error) ** 2 for one in involved))
    freedom = min((one.freedom for one in involved), default=math.inf)
    room = t_quantile(TESTED, freedom) * error if error else 0.0
    up = sum(max(move, 0.0) for move in moves.values())
    for none in (0.0, 100.0):  # a ratio, or a difference in per cent: symmetric in its logarithm
        ratio = value + none
        if ratio > 0 and math.isclose(up, ratio, rel_tol=_LIKE_A_RATIO):
            return ratio * math.exp(-room / ratio) - none, ratio * math.exp(room / ratio) - none
    return value - room, value + room


def _reach(moves: Mapping[str, float], counterparts: Mapping[str, Counterpart]) -> float:
    """Give how far the value moves when what it compares moves by the margin of the campaign."""
    margin = max(other.margin for other in counterparts.values())
    up, down = (float(np.sum([max(sign * move, 0) for move in moves.values()])) for sign in (1, -1))
    return math.log(margin) * max(up, down)


def _widened(low: float, high: float, reach: float, difference: bool) -> tuple[float, float]:
    """Widen a range that has two ends by the margin, a difference never beyond none."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return low, high
    least, most = low - reach, high + reach
    if difference and low >= 0:
        least = max(least, 0.0)
    if difference and high <= 0:
        most = min(most, 0.0)
    return least, most


def _of(low: float, high: float, least: float, most: float) -> Answer:
    if least <= low and high <= most:
        return Answer.holds
    return Answer.fails if high < least or low > most else Answer.unknown


def _together(told: Sequence[Answer]) -> Answer:
    for answer in (Answer.fails, Answer.unknown):
        if answer in told:
            return answer
    return Answer.holds


def _shown(
    one: _Number, published: float, answer: Answer, counterparts: Mapping[str, Counterpart]
) -> CaseThere:
    low, high = _interval(one.case.value, one.moves, counterparts)
    runs = dict.fromkeys(name for cell in one.case.cells for name in counterparts[cell].cells)
    return CaseThere(
        item=one.case.item, published=published, value=one.case.value, low=low, high=high,
        cells=one.case.cells, runs=tuple(runs), answer=answer,
    )  # fmt: skip


def _why(row: Judged, answer: Answer, cases: Sequence[CaseThere]) -> str:
    """Say which cases decide, where not all of them do, and how many were asked."""
    deciding = [case.item for case in cases if case.answer is answer and case.item]
    parts = []
    if answer is not Answer.holds and 0 < len(deciding) < len(cases):
        parts.append(f"in {len(deciding)} of {len(cases)} cases: {'; '.join(deciding)}")
    elif answer is Answer.unknown:
        parts.append("the runs scatter too much")
    if len(cases) < len(row.cases):
        parts.append(f"measured in {len(cases)} of {len(row.cases)} cases")
    return "; ".join(parts)
