"""Claims asked again of another system: which can be, and their own SQL over what it measured."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import BaseModel, ConfigDict

from roundtrip.claims.cases import Case, CaseError, cases_of
from roundtrip.claims.declared import Expect
from roundtrip.claims.ledger import Judged
from roundtrip.claims.verdicts import bounds, word_of
from roundtrip.claims.words import VagueWords
from roundtrip.dictionary import RATE
from roundtrip.observations import Observations
from roundtrip.sandbox.process import QueryError, Sandbox
from roundtrip.stats.intervals import TESTED, t_quantile

_ABSOLUTE = ("value", "limit")
_UNSURE = ("the runs scatter too much", "rates of different hours have no interval")
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
        Mean over its runs; of several blocks, over their means.
    error : float
        Standard deviation of the logarithm of that mean.
    freedom : float
        Degrees of freedom that `error` rests on.
    margin : float
        Factor that two runs of the campaign may differ by.
    cells : tuple of str
        The observations.
    hours : frozenset of (str, int)
        Campaigns and blocks of its runs. Only between points of the same ones does what an hour
        changes in all rates cancel.
    """

    point: str
    rate: float
    error: float
    freedom: float
    margin: float
    cells: tuple[str, ...]
    hours: frozenset[tuple[str, int]] = frozenset()


class CaseThere(BaseModel):
    """One number of a claim, as published and as measured on the other system.

    Attributes
    ----------
    published, value, low, high : float
        As printed; as measured, with the ends of its interval (90 %): the value itself where it has
        none.
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
    """A number, and how it moves with the logarithm of each point's rate."""

    value: float
    moves: Mapping[str, float]
    points: Mapping[str, Counterpart]

    def interval(self, family: int = 1) -> tuple[float, float]:
        """Give the interval of the number from the errors of the points that move it.

        Parameters
        ----------
        family : int
            Of so many numbers, all are within theirs as often as one is (Bonferroni).
        """
        involved = [self.points[name] for name, move in self.moves.items() if abs(move) > _EXACT]
        error = math.sqrt(sum((self.moves[one.point] * one.error) ** 2 for one in involved))
        freedom = min((one.freedom for one in involved), default=math.inf)
        room = t_quantile(1 - (1 - TESTED) / family, freedom) * error if error else 0.0
        up = sum(max(move, 0.0) for move in self.moves.values())
        # A ratio, or a difference in per cent: symmetric in its logarithm.
        for none in (0.0, 100.0):
            ratio = self.value + none
            if ratio > 0 and math.isclose(up, ratio, rel_tol=_LIKE_A_RATIO):
                return ratio * math.exp(-room / ratio) - none, ratio * math.exp(room / ratio) - none
        return self.value - room, self.value + room

    @property
    def reach(self) -> float:
        """How far the number moves when what it compares moves by the margin of the campaign."""
        margin = max(one.margin for one in self.points.values())
        up, down = (
            float(np.sum([max(sign * move, 0) for move in self.moves.values()])) for sign in (1, -1)
        )
        return math.log(margin) * max(up, down)


def carry_over(observations: Observations, claims: Sequence[Judged]) -> dict[tuple[str, str], str]:
    """Say of each claim why it cannot be asked of another system; empty where it can.

    Only what does not depend on the speed of a machine carries over.

    Returns
    -------
    dict
        Report and id to the reason.
    """
    columns = (observations.table.column(name) for name in ("observation_id", "metric"))
    metrics = dict(zip(*(column.to_pylist() for column in columns), strict=True))
    return {
        (row.report, row.claim.id): _why_not(row, {metrics[cell] for cell in row.cells})
        for row in claims
    }


def _why_not(row: Judged, metrics: set[str]) -> str:
    """Say why a claim carries over to no system; empty where its SQL can be asked again."""
    if not row.cases:
        return "its source prints no numbers for it"
    if row.claim.kind == "count":
        return "it counts what its source tested"
    if row.claim.expect is not None and row.claim.expect.of_items:
        return "it ranks items, and a rank has no interval"
    if metrics != {RATE}:
        return "it rests on more than rates of round trips"
    absolute = row.claim.kind in _ABSOLUTE or "/" in row.unit
    return "an absolute rate belongs to its machine" if absolute else ""


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
    # What only cases need that lack another number is left out.
    whole = [
        (row, {
            cell: counterparts[cell]
            for case in row.cases if counterparts.keys() >= set(case.cells)
            for cell in case.cells
        })
        for row, counterparts in questions
    ]  # fmt: skip
    with Sandbox(_mirrored(observations, whole)) as sandbox:
        return [
            _asked(number, row, counterparts, sandbox, words, known)
            for number, (row, counterparts) in enumerate(whole)
        ]


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
    claim, expect = row.claim, row.claim.expect
    lacking = Asked(judged=row, answer=Answer.unknown, reason="it lacks points to compare")
    if expect is None:
        return lacking

    def cases(moved: str | None) -> dict[str | None, Case]:
        found = cases_of(claim, *sandbox.rows(str(claim.sql), _variant(number, moved)), known)
        return {
            case.item: case for case in found
            if case.item in published and set(case.cells) == set(published[case.item].cells)
        }  # fmt: skip

    try:
        here = cases(None)
        moved = {point: cases(point) for point in _points(counterparts)}
    except (CaseError, QueryError):
        return lacking
    # A case that comes or goes with the rates has no interval.
    if not here or any(here.keys() - found.keys() for found in moved.values()):
        return lacking
    if any(
        len({counterparts[cell].point for cell in case.cells}) < len(case.cells)
        for case in here.values()
    ):
        reason = "it compares what is one and the same point of the run"
        return Asked(judged=row, answer=Answer.unknown, reason=reason)
    points = {other.point: other for other in counterparts.values()}
    numbers = {
        item: _Number(case.value, {point: (others[item].value - case.value) / _STEP
                                   for point, others in moved.items()}, points)
        for item, case in here.items()
    }  # fmt: skip
    used = {item: {counterparts[cell] for cell in case.cells} for item, case in here.items()}
    apart = {item for item, group in used.items() if len({one.hours for one in group}) > 1}
    told = dict.fromkeys(here, Answer.unknown)
    if judged := {item: number for item, number in numbers.items() if item not in apart}:
        answers = _answers(claim.kind, expect, judged, words)
        told |= dict(zip(judged, answers, strict=True))
    shown = []
    for item, case in here.items():
        low, high = (case.value, case.value) if item in apart else numbers[item].interval()
        runs = dict.fromkeys(name for cell in case.cells for name in counterparts[cell].cells)
        shown.append(CaseThere(
            item=item, published=published[item].value, value=case.value, low=low, high=high,
            cells=case.cells, runs=tuple(runs), answer=told[item],
        ))  # fmt: skip
    decisive = (one for one in (Answer.fails, Answer.unknown) if one in told.values())
    answer = next(decisive, Answer.holds)
    reason = _why(row, answer, shown, apart)
    return Asked(judged=row, answer=answer, reason=reason, cases=tuple(shown))


def _answers(
    kind: str, expect: Expect, numbers: Mapping[str | None, _Number], words: VagueWords
) -> list[Answer]:
    word = word_of(expect, words)
    low, high = bounds(expect, words)
    difference = kind == "difference" or (word is not None and word.of == "difference")
    largest = max(numbers.values(), key=lambda one: one.value) if word and word.largest else None
    told = []
    for one in numbers.values():
        least = low if largest is None or one is largest else -math.inf
        allowed = _widened(least, high, one.reach, difference)
        told.append(_answer_of(one, allowed, len(numbers)))
    return told


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


def _answer_of(number: _Number, allowed: tuple[float, float], family: int) -> Answer:
    """Say whether a number lies within what is allowed, outside, or cannot be told.

    All numbers of a claim must lie within for it to hold, but one outside makes it fail: of many,
    one would be outside by chance.
    """
    (low, high), (least, most) = number.interval(), allowed
    if least <= low and high <= most:
        return Answer.holds
    low, high = number.interval(family)
    return Answer.fails if high < least or low > most else Answer.unknown


def _why(
    row: Judged, answer: Answer, cases: Sequence[CaseThere], apart: Collection[str | None]
) -> str:
    """Say which cases decide, where not all of them do, and how many were asked."""
    deciding = [case for case in cases if case.answer is answer]
    parts = []
    if answer is not Answer.holds and len(deciding) < len(cases):
        named = "; ".join(str(case.item) for case in deciding)
        parts.append(f"in {len(deciding)} of {len(cases)} cases: {named}")
    if answer is Answer.unknown:
        parts += dict.fromkeys(_UNSURE[case.item in apart] for case in deciding)
    if len(cases) < len(row.cases):
        parts.append(f"measured in {len(cases)} of {len(row.cases)} cases")
    return "; ".join(parts)
