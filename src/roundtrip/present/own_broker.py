"""What published claims come to on the broker of whoever builds the edition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from pydantic import TypeAdapter

from roundtrip.cache import Cache
from roundtrip.claims import Judged, claims_key, load_ledger, load_words
from roundtrip.claims.other_system import Answer, Asked, Counterpart, ask_again, carry_over
from roundtrip.files import sha256_of_json
from roundtrip.methodology.review import grade_of
from roundtrip.methodology.scatter import Scatter, scatter_of
from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.comparability import examined
from roundtrip.present.levels import inside
from roundtrip.present.measured.agreement import margin_of
from roundtrip.present.measured.means import Measured
from roundtrip.present.measured.shown import shown_campaigns

_NOTHING: Mapping[str, Any] = {
    "compression": "none", "tls_protocol": "none", "tls_cipher": "none", "ha": "none",
    "replication": "none", "ha_link_rtt_ms": 0.0, "replication_link_rtt_ms": 0.0,
    "preloaded_messages": 0.0,
}  # fmt: skip
"""Levels of factors in sources and runs that do not state them."""
_LOAD = ("target_rate", "requester_rate", "round_trips_per_session")
_SAME = ("workload", "message_bytes", "delivery", "syncpoint", *_LOAD, *_NOTHING)
"""What must be the same of a published number and a measured one, whatever the claim is about."""


@dataclass(frozen=True)
class _Point:
    """An operating point of the broker, with the levels of all factors.

    `setting` are the levels that no claim speaks of; `begun` says when and as what its campaign
    was.
    """

    levels: Mapping[str, Any]
    setting: tuple[Any, ...]
    begun: tuple[str, str]
    counterpart: Counterpart


def own_campaigns(chapter: Chapter, campaign: str = "") -> list[str]:
    """Give the shown campaigns that were run on a broker that ran already, and an ingested one.

    `campaign` is the ingested one that the edition shows; empty for none.
    """
    known = chapter.observations
    found = [one.id for one in shown_campaigns(chapter) if not one.broker_restarted]
    return [*found, *([campaign] if campaign in known.ingested_ids else [])]


def asked_again(chapter: Chapter, campaign: str = "") -> list[Asked]:
    """Ask every published claim of the broker of whoever builds the edition.

    In the order of the ledger; empty where the edition has no campaign of `own_campaigns`.
    """
    campaigns = own_campaigns(chapter, campaign)
    if not campaigns:
        return []
    known = chapter.observations
    kept = TypeAdapter(list[Asked])

    def compute() -> str:
        asked = list(_all_asked(chapter, campaigns))
        return kept.dump_json(asked, by_alias=True).decode()

    grades = [grade_of(known, name).model_dump_json() for name in campaigns]
    key = sha256_of_json([claims_key(known, chapter.word_limits), campaigns, grades])[:24]
    text = Cache(known.project.cache).text_once("claims-again", key, compute)
    return kept.validate_json(text)


def _all_asked(chapter: Chapter, campaigns: Sequence[str]) -> Iterable[Asked]:
    known, limits = chapter.observations, chapter.word_limits
    claims = load_ledger(known, limits).claims
    why = carry_over(known, claims)
    points, withheld = _measured_points(chapter, campaigns)
    factors = list(chapter.dictionary.factors)
    frame = known.rows_of({cell for row in claims for cell in row.cells})
    printed = {
        str(one["observation_id"]): {**_levels(one, factors), "statistic": one["statistic"]}
        for _, one in frame.iterrows()
    }
    questions: dict[tuple[str, str], tuple[Judged, Mapping[str, Counterpart]]] = {}
    for row in claims:
        name = (row.report, row.claim.id)
        if not why[name]:
            matched, why[name] = _counterparts(chapter, row, printed, points)
            if matched:
                questions[name] = (row, matched)
    answers = ask_again(known, list(questions.values()), load_words(known.project, limits))
    told = dict(zip(questions, answers, strict=True))
    for row in claims:
        name = (row.report, row.claim.id)
        if name not in told:
            yield Asked(judged=row, answer=Answer.unknown, reason=why[name])
            continue
        asked = told[name]
        if not asked.cases and why[name]:
            asked = asked.model_copy(update={"reason": why[name]})
        # The method may forbid an answer by any campaign that it rests on.
        used = sorted({run.partition("/")[0] for case in asked.cases for run in case.runs})
        forbidden = next(filter(None, (withheld[one] for one in used)), "")
        if forbidden:
            none = {"answer": Answer.unknown}
            cases = tuple(case.model_copy(update=none) for case in asked.cases)
            asked = asked.model_copy(update={**none, "reason": forbidden, "cases": cases})
        yield asked


def _measured_points(
    chapter: Chapter, campaigns: Sequence[str]
) -> tuple[list[_Point], dict[str, str]]:
    """Give what was measured on the broker, and of each campaign why it concludes nothing.

    That is empty where something may be concluded.
    """
    plain = Chapter(folder=chapter.project.root, number_format=chapter.numbers.pattern)
    frames, withheld = [], {}
    # How far runs of a campaign differ; an ingested one has no scatter that is known.
    scatters: dict[str, Scatter] = {}
    margins: dict[str, float] = {}
    for name in campaigns:
        grade = grade_of(plain.observations, name)
        withheld[name] = "; ".join(f"{one.title}: {one.finding.reason}" for one in grade.forbidding)
        if name in plain.observations.ingested_ids:
            means = ("mean", "steady")
            frame, begun = plain.observations.choose(source=name, metric=RATE, statistic=means), ""
            frame = frame.assign(block=1)
        else:
            manifest = plain.observations.campaign(name)
            here = Measured(plain, manifest.plan.name, campaigns=(name,))
            frame = here.frame
            frame = frame[(frame["metric"] == RATE) & (frame["statistic"] == "mean")]
            begun = str(manifest.sessions[0].started)
            found = scatter_of(plain.observations, (name,))
            if found.known:
                scatters[name], margins[name] = found, margin_of(here).factor
        if name not in scatters:
            withheld[name] = withheld[name] or "no point was repeated, so its error is not known"
        frames.append(frame[frame["interval"].isna()].assign(campaign=name, begun=begun))
    factors = list(plain.dictionary.factors)
    settings = [name for name in examined(_SAME, factors) if name not in (*_SAME, "tls_key")]
    points = []
    for point, runs in pd.concat(frames).groupby("point_id", sort=True):
        first = runs.iloc[0]
        levels, campaign = _levels(first, factors), first["campaign"]
        scatter = scatters.get(campaign)
        error, freedom = scatter.error_of_mean(runs["block"]) if scatter else (0.0, 0.0)
        counterpart = Counterpart(
            point=str(point), rate=float(runs.groupby("block")["value"].mean().mean()),
            error=error, freedom=freedom, margin=margins.get(campaign, 1.0),
            cells=tuple(runs["observation_id"]),
            hours=frozenset((str(campaign), int(block)) for block in runs["block"].unique()),
        )  # fmt: skip
        setting = tuple(levels[factor] for factor in settings)
        points.append(_Point(levels, setting, (first["begun"], campaign), counterpart))
    return points, withheld


def _levels(row: pd.Series, factors: Sequence[str]) -> dict[str, Any]:
    return {name: _NOTHING.get(name) if pd.isna(row[name]) else row[name] for name in factors}


# --- which measured point stands for a printed number --------------------------------------------


def _counterparts(
    chapter: Chapter,
    row: Judged,
    printed: Mapping[str, Mapping[str, Any]],
    points: Sequence[_Point],
) -> tuple[dict[str, Counterpart], str]:
    """Give the measured counterparts of a claim's cells, and why some have none."""
    candidates: dict[str, list[_Point]] = {}
    lacking: list[tuple[str, Any]] = []
    for case in row.cases:
        numbers = [printed[cell] for cell in case.cells]
        differing = [
            name for name in chapter.dictionary.factors if len({one[name] for one in numbers}) > 1
        ]
        about = [name for name in differing if name in _SAME]
        compared = [name for name in examined(about, differing) if name not in _SAME]
        for cell, levels in zip(case.cells, numbers, strict=True):
            asked = [*_SAME, *compared]
            asked += [] if levels["statistic"] == "peak" else ["requesters"]
            fitting, unmet = _fitting(levels, asked, points)
            if unmet:
                lacking.append((unmet, levels[unmet]))
            else:
                candidates[cell] = fitting
    return _of_one_setting(candidates), _lacking_text(chapter, lacking)


def _fitting(
    levels: Mapping[str, Any], asked: Sequence[str], points: Sequence[_Point]
) -> tuple[list[_Point], str]:
    """Give the points that a printed number can be held against, or the factor that none has."""
    left = list(points)
    for name in asked:
        wanted = levels[name]
        # A source that says nothing of syncpoint, or a run that does not, takes part as well.
        silent = name == "syncpoint"
        left = [
            one for one in left
            if one.levels[name] == wanted or (silent and None in (wanted, one.levels[name]))
        ]  # fmt: skip
        if not left:
            return [], name
    return left, ""


def _lacking_text(chapter: Chapter, lacking: Sequence[tuple[str, Any]]) -> str:
    """Say what no point of the runs has: the first such factor, and its levels."""
    if not lacking:
        return ""
    name = lacking[0][0]
    levels = dict.fromkeys(level for factor, level in lacking if factor == name)
    told = [chapter.level(name, level) for level in levels if level is not None]
    listed = f": {', '.join(told)}" if told else ""
    return f"your runs have no point with the same {inside(chapter.factor_label(name))}{listed}"


def _of_one_setting(candidates: Mapping[str, Sequence[_Point]]) -> dict[str, Counterpart]:
    """Choose among settings that no claim speaks of the one that has most of what is needed.

    Of its campaigns, that stands which has most of it, of several the one begun last; a cell that
    it lacks is taken from the last of the others. Of its points for a cell, the fastest stands.
    """
    found: dict[tuple[Any, ...], dict[str, list[_Point]]] = {}
    for cell, points in candidates.items():
        for point in points:
            found.setdefault(point.setting, {}).setdefault(cell, []).append(point)
    best = max(found.values(), key=len, default={})
    cells = Counter(begun for points in best.values() for begun in {one.begun for one in points})
    return {
        cell: max(
            points, key=lambda one: (cells[one.begun], one.begun, one.counterpart.rate)
        ).counterpart
        for cell, points in best.items()
    }  # fmt: skip
