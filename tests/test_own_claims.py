"""Published claims, asked of another system: each verdict, and every reason for having none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from IPython.core.interactiveshell import InteractiveShell

from claim_project import claim, judged, one_report, write_claims
from made_campaign import Row, believe_made_files, make_campaign
from roundtrip.claims import load_words
from roundtrip.claims.other_system import Answer, Asked, Counterpart, ask_again, carry_over
from roundtrip.methodology.review import grade_of
from roundtrip.observations import load_observations
from roundtrip.present import Chapter
from roundtrip.present.own_broker import asked_again
from roundtrip.present.own_claims import own_claims, own_claims_table
from roundtrip.project import Project
from workshop import V94

pytestmark = pytest.mark.slow  # each test makes a campaign

SIZES = (2048, 20480, 204800)
CELLS = {size: f"{V94}/table-03/r{row}c1" for row, size in enumerate(SIZES, start=1)}
RATES = "table_id = 'table-03' AND metric = 'round_trip_rate'"
ALL = (
    "SELECT (message_bytes // 1024) || ' KB' AS item, value, [observation_id] AS cells FROM o "
    f"WHERE {RATES}"
)


def ratio(large: int, small: int) -> str:
    return (
        "SELECT pct(l.value, s.value) AS value, [l.observation_id, s.observation_id] AS cells "
        f"FROM o l JOIN o s USING (table_id, metric) WHERE {RATES} "
        f"AND l.message_bytes = {large} AND s.message_bytes = {small}"
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return one_report(tmp_path_factory.mktemp("own"))


def measured(rates: Mapping[int, float], error: float = 0.005) -> dict[str, Counterpart]:
    """What was measured at some sizes, in the place of Table 3."""
    return {
        CELLS[size]: Counterpart(f"p{size}", rate, error, 8, 1.02, (f"own/runs/p{size}",))
        for size, rate in rates.items()
    }


def asked(project: Project, points: Mapping[str, Counterpart], **entry: Any) -> Asked:
    (row,) = judged(project, claim(**entry))
    observations = load_observations(project)
    (answer,) = ask_again(observations, [(row, points)], load_words(project))
    return answer


LOWER = {"sql": ratio(20480, 2048), "expect": {"word": "lower"}, "kind": "difference"}
HALF = {"sql": ratio(20480, 2048), "expect": {"word": "about", "number": -50}, "kind": "difference"}
SLIGHTLY = {"sql": ratio(20480, 2048), "expect": {"word": "slightly lower"}, "kind": "difference"}
BEYOND = ratio(20480, 2048).replace("pct(l.value, s.value)", "l.value - s.value")
STATED = {"sql": ratio(20480, 2048), "expect": {"is": -50}, "kind": "difference"}
CASES = [
    (LOWER, 90, 0.005, Answer.holds),
    (LOWER, 110, 0.005, Answer.fails),
    (LOWER, 99.5, 0.005, Answer.unknown),
    (LOWER, 90, 0.2, Answer.unknown),
    # About 50 is 47.5 to 52.5 %, and the margin of the runs.
    (HALF, 50, 0.002, Answer.holds),
    (HALF, 53.2, 0.001, Answer.holds),
    (HALF, 60, 0.005, Answer.fails),
    # The margin never turns slightly lower into higher.
    (SLIGHTLY, 101, 0.0005, Answer.fails),
    (SLIGHTLY, 95, 0.005, Answer.holds),
    # A number is one that rounds to it, and the margin of the runs.
    (STATED, 50, 0.001, Answer.holds),
    (STATED, 47, 0.001, Answer.fails),
    (STATED, 53, 0.001, Answer.fails),
]


def test_a_claim_is_asked_of_what_was_measured(project: Project) -> None:
    entries = [claim(id=f"c{at}", **entry) for at, (entry, *_) in enumerate(CASES)]
    rows = judged(project, *entries)
    points = [measured({2048: 100, 20480: large}, error) for _, large, error, _ in CASES]
    questions = list(zip(rows, points, strict=True))
    found = ask_again(load_observations(project), questions, load_words(project))
    assert [one.answer for one in found] == [answer for *_, answer in CASES]
    for one, (_, large, _, _) in zip(found, CASES, strict=True):
        (case,) = one.cases
        assert case.value == pytest.approx(large - 100)
        assert case.low < case.value < case.high
        assert case.runs == ("own/runs/p20480", "own/runs/p2048")
        assert case.published == one.judged.cases[0].value


def test_the_interval_is_that_of_the_ratio(project: Project) -> None:
    found = asked(project, measured({2048: 100, 20480: 50}, 0.01), **LOWER)
    room = 1.859548 * math.hypot(0.01, 0.01) * 50  # Student's t of 90 % and 8 degrees of freedom
    assert found.cases[0].low == pytest.approx(-50 - room, rel=1e-3)
    assert found.cases[0].high == pytest.approx(-50 + room, rel=1e-3)


def test_the_interval_of_a_plain_difference_is_symmetric(project: Project) -> None:
    entry = {"sql": BEYOND, "expect": {"above": 0}, "kind": "value"}
    (case,) = asked(project, measured({2048: 200, 20480: 260}, 0.01), **entry).cases
    room = 1.859548 * math.hypot(2.0, 2.6)
    assert (case.low, case.high) == pytest.approx((60 - room, 60 + room), rel=1e-3)


@pytest.mark.parametrize(
    "sql",
    [
        # Below a bound that one rate crosses as it moves.
        f"{ALL} AND value NOT BETWEEN 100.05 AND 2000",
        # Resting on other cells at one of the rates.
        ALL.replace(
            "[observation_id]",
            "CASE WHEN value BETWEEN 100.05 AND 2000 "
            f"THEN ['{CELLS[20480]}'] ELSE [observation_id] END",
        ),
    ],
    ids=["bound", "cells"],
)
def test_a_claim_whose_cases_come_and_go_with_the_rates_tells_nothing(
    project: Project, sql: str
) -> None:
    entry = {"sql": sql, "each": "size", "expect": {"above": 0}}
    found = asked(project, measured({2048: 100, 20480: 80, 204800: 20}), **entry)
    assert (found.answer, found.reason) == (Answer.unknown, "it lacks points to compare")


def test_cases_that_fail_are_named(project: Project) -> None:
    sql = (
        "SELECT (l.message_bytes // 1024) || ' KB' AS item, pct(l.value, s.value) AS value, "
        "[l.observation_id, s.observation_id] AS cells FROM o l JOIN o s USING (table_id, metric) "
        f"WHERE {RATES} AND s.message_bytes = 2048 AND l.message_bytes > 2048"
    )
    entry = {"sql": sql, "each": "size", "expect": {"word": "lower"}, "kind": "difference"}
    found = asked(project, measured({2048: 100, 20480: 120, 204800: 50}), **entry)
    assert found.answer is Answer.fails
    assert found.reason == "in 1 of 2 cases: 20 KB; measured in 2 of 3 cases"
    up_to = {**entry, "expect": {"word": "up to", "number": 20}}
    found = asked(project, measured({2048: 100, 20480: 120, 204800: 50}), **up_to)
    assert found.answer is not Answer.fails


def test_two_numbers_of_one_point_are_not_compared(project: Project) -> None:
    points = measured({2048: 100, 20480: 100})
    points = dict.fromkeys(points, points[CELLS[2048]])
    found = asked(project, points, **LOWER)
    assert found.answer is Answer.unknown
    assert "one and the same point" in found.reason


ABSOLUTE = "an absolute rate belongs to its machine"
REASONS: list[tuple[dict[str, Any], str]] = [
    (LOWER, ""),
    ({}, ABSOLUTE),
    ({"sql": ALL, "each": "size", "expect": {"above": 1000}, "kind": "limit"}, ABSOLUTE),
    ({"sql": BEYOND, "expect": {"below": 0}, "kind": "difference", "unit": "round trips/s"},
     ABSOLUTE),
    ({"sql": BEYOND.replace(" - ", " / "), "expect": {"below": 1}, "kind": "ratio"}, ""),
    ({"sql": ALL, "expect": {"largest": "2 KB"}, "kind": "extreme"},
     "it ranks items, and a rank has no interval"),
    ({"sql": ALL.replace("round_trip_rate", "cpu"), "each": "size", "expect": {"below": 101}},
     "it rests on more than rates of round trips"),
    ({"kind": "count"}, "it counts what its source tested"),
    ({"not_checkable": "It is drawn only.", "sql": None, "expect": None},
     "its source prints no numbers for it"),
]  # fmt: skip


def test_what_belongs_to_its_machine_is_not_carried_over(project: Project) -> None:
    entries = [claim(id=f"c{at}", **entry) for at, (entry, _) in enumerate(REASONS)]
    found = carry_over(load_observations(project), judged(project, *entries))
    assert list(found.values()) == [reason for _, reason in REASONS]


WORK = {"workload": "RR-CC", "tls_protocol": "none", "tls_cipher": "none", "target_rate": None}
"""The work of Table 3, as fast as it goes."""


def of_a_customer(manifest: dict[str, Any], rows: list[Row]) -> None:
    """Turn the made campaign into a rerun on a broker that ran already."""
    manifest["broker_restarted"] = False


def without_repetitions(manifest: dict[str, Any], rows: list[Row]) -> None:
    of_a_customer(manifest, rows)
    rows[:] = [row for row in rows if row["repetition"] == 1]
    manifest["runs"] = [run for run in manifest["runs"] if run["run"].endswith("-r1")]


@pytest.fixture
def customer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    believe_made_files(monkeypatch)
    monkeypatch.chdir(tmp_path)
    project = one_report(tmp_path)
    write_claims(
        project,
        claim(id="lower", **LOWER),
        claim(id="half", **HALF),
        claim(id="peak"),
        claim(id="larger", kind="difference", sql=ratio(204800, 2048), expect={"word": "lower"}),
    )
    return project


def told(project: Project) -> dict[str, tuple[Answer, str]]:
    rows = asked_again(Chapter(folder=project.root))
    return {row.judged.claim.id: (row.answer, row.reason) for row in rows}


def test_the_edition_of_a_customer_says_what_holds_on_his_broker(customer: Project) -> None:
    make_campaign(customer, of_a_customer, {2048: 1000.0, 20480: 900.0}, WORK)
    assert told(customer) == {
        "lower": (Answer.holds, ""),
        "half": (Answer.fails, ""),
        "peak": (Answer.unknown, "an absolute rate belongs to its machine"),
        "larger": (
            Answer.unknown,
            "your runs have no point with the same message size: 200\u00a0KB",
        ),
    }
    chapter = Chapter(folder=customer.root)
    table = own_claims_table(chapter, "30-nonpersistent")
    assert table is not None
    assert table.caption.endswith(": holds here 1, does not hold here 1, cannot say 2")
    texts = [[cell.text for cell in row] for row in table.rows]
    assert [row[3] for row in texts[:2]] == [
        "✓\u00a0holds\u00a0here", "×\u00a0does\u00a0not hold here",
    ]  # fmt: skip
    assert texts[0][2].startswith("\u221210\u00a0% (\u2212")
    (heading, _, counts, whole) = own_claims(chapter)
    assert "{#sec-your-broker}" in heading.markdown  # type: ignore[union-attr]
    assert [cell.text for cell in counts.rows[-1]] == ["All", "4", "1", "1", "2"]  # type: ignore[union-attr]
    assert whole.rows == table.rows  # type: ignore[union-attr]
    assert own_claims_table(chapter, "40-persistent") is None


def test_a_chapter_asks_again_in_its_own_number_format(
    customer: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_campaign(customer, of_a_customer, {2048: 1000.0, 20480: 900.0}, WORK)
    shell = InteractiveShell()
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    chapter = Chapter(folder=customer.root, number_format="1.234,5")
    assert own_claims_table(chapter, "30-nonpersistent") is not None


def test_what_breaks_a_mandatory_rule_concludes_nothing(customer: Project) -> None:
    make_campaign(customer, without_repetitions, {2048: 1000.0, 20480: 900.0}, WORK)
    found = told(customer)
    assert found["lower"][0] is Answer.unknown
    assert "epetition" in found["lower"][1]
    (row,) = (r for r in asked_again(Chapter(folder=customer.root)) if r.judged.claim.id == "lower")
    assert row.cases[0].value == pytest.approx(-10)


def test_runs_without_repetitions_conclude_nothing_though_the_rule_is_waived(
    customer: Project,
) -> None:
    make_campaign(customer, without_repetitions, {2048: 1000.0, 20480: 900.0}, WORK)
    (name,) = (path.name for path in customer.campaigns.iterdir())
    rules = [one.rule for one in grade_of(load_observations(customer), name).forbidding]
    assert rules
    waivers = [
        {"rule": rule, "subject": name, "by": "A. Reviewer", "why": "there was no time for more"}
        for rule in rules
    ]
    path = customer.checks / "methodology" / "waivers.yml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump({"waivers": waivers}), encoding="utf-8")
    assert told(customer)["lower"] == (
        Answer.unknown, "no point was repeated, so its error is not known"
    )  # fmt: skip


def test_of_several_cases_one_just_outside_is_chance(project: Project) -> None:
    five = " UNION ALL ".join(
        f"SELECT '{number}' AS item, value, cells FROM ({ratio(20480, 2048)})"
        for number in range(5)
    )
    for rate, one, several in (
        (1016.0, Answer.fails, Answer.unknown), (1100.0, Answer.fails, Answer.fails),
    ):  # fmt: skip
        points = measured({2048: 1000.0, 20480: rate})
        assert asked(project, points, **LOWER).answer is one
        assert asked(project, points, **{**LOWER, "sql": five, "each": "copy"}).answer is several


def test_rates_of_different_hours_decide_nothing(project: Project) -> None:
    same = measured({2048: 1000.0, 20480: 900.0})
    assert asked(project, same, **LOWER).answer is Answer.holds
    apart = {
        cell: replace(one, hours=frozenset({(name, 1)}))
        for (cell, one), name in zip(same.items(), ("monday", "tuesday"), strict=True)
    }
    found = asked(project, apart, **LOWER)
    assert (found.answer, found.reason) == (
        Answer.unknown, "rates of different hours have no interval"
    )  # fmt: skip
    assert found.cases[0].low == found.cases[0].high == found.cases[0].value


def test_a_plain_edition_is_not_asked(customer: Project) -> None:
    make_campaign(customer, None, {2048: 1000.0, 20480: 900.0})
    chapter = Chapter(folder=customer.root)
    assert asked_again(chapter) == []
    assert own_claims(chapter) == []
    assert own_claims_table(chapter, "30-nonpersistent") is None
