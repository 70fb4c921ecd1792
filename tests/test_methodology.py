"""Rules of method: each passes and fails on a small input, is waived, and takes words away."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from made_campaign import NAME, Row, Spoil, make_campaign
from roundtrip.errors import CheckError
from roundtrip.methodology.review import Grade, grade_of
from roundtrip.methodology.rules import Rules
from roundtrip.observations import load_observations
from roundtrip.project import Project
from workshop import answer, copy_project, refused

Manifest = dict[str, Any]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return copy_project(tmp_path, ("_quarto.yml",))


def graded(project: Project, name: str = NAME) -> Grade:
    return grade_of(load_observations(project), name)


def verdict(grade: Grade, rule: str) -> tuple[str, str]:
    (one,) = (one for one in grade.judged if one.rule == rule)
    assert one.finding.rests_on
    return one.finding.verdict.value, one.finding.reason


def in_plan(**changes: Any) -> Spoil:
    return lambda manifest, rows: manifest["plan"].update(changes)


def in_manifest(**changes: Any) -> Spoil:
    return lambda manifest, rows: manifest.update(changes)


def in_runs(count: int, **changes: Any) -> Spoil:
    def spoil(manifest: Manifest, rows: list[Row]) -> None:
        for run in manifest["runs"][:count]:
            run.update(changes)

    return spoil


def with_rows(changed: Callable[[list[Row]], list[Row]]) -> Spoil:
    def spoil(manifest: Manifest, rows: list[Row]) -> None:
        rows[:] = changed(rows)

    return spoil


def without(metric: str) -> Spoil:
    return with_rows(lambda rows: [row for row in rows if row["metric"] != metric])


def valued(metric: str, value: float) -> Spoil:
    return with_rows(
        lambda rows: [{**row, "value": value} if row["metric"] == metric else row for row in rows]
    )


def two_runs(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["repetition"] < 3 or row["message_bytes"] == 256]


def no_governor(manifest: Manifest, rows: list[Row]) -> None:
    manifest["host"]["frequency_governor"] = "not stated"


def ran_on(manifest: Manifest, rows: list[Row]) -> None:
    manifest["broker_restarted"] = False
    for row in rows:
        row["tls_cipher"] = "none" if row["message_bytes"] == 256 else "TLS_AES_128_GCM_SHA256"


SPOILED: dict[str, tuple[Spoil, str]] = {
    "repetitions": (with_rows(two_runs), "1 of 2 points"),
    "steady-state": (in_runs(3, steady=False), "only 5 of 8 runs"),
    "steady-points": (in_runs(8, steady=False), "2 of 2"),
    "restarts": (ran_on, "tls_cipher"),
    "account": (valued("lost_replies", 1.0), "8 of 8 runs"),
    "offered-rate": (valued("round_trip_rate", 700.0), "2 of 2 rated loads"),
    "resource-use": (without("disk_wait"), "disk_wait at 2"),
    "machine": (no_governor, "host.frequency_governor"),
}
"""Rule to what breaks it, and a part of the reason that is given then."""


@pytest.mark.parametrize("rule", SPOILED)
def test_a_rule_passes_what_keeps_it_and_fails_what_breaks_it(
    project: Project, tmp_path: Path, rule: str
) -> None:
    make_campaign(project)
    assert verdict(graded(project), rule)[0] == "pass"
    spoil, reason = SPOILED[rule]
    other = copy_project(tmp_path / "other", ("_quarto.yml",))
    make_campaign(other, spoil)
    found, why = verdict(graded(other), rule)
    assert found == "fail"
    assert reason in why


def with_control(project: Project, **changes: Any) -> Path:
    path = project.params / "campaigns" / "made.yml"
    content = yaml.safe_load(path.read_text("utf-8"))
    content["control"] |= changes
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path


def test_a_control_that_is_not_seen_is_why_nothing_could_be_answered(project: Project) -> None:
    make_campaign(project)
    assert graded(project).withheld == ""
    found, why = verdict(graded(project), "control")
    assert (found, "0.9 times expected, 0.9" in why) == ("pass", True)
    with_control(project, least_ratio=1.2)
    found, why = verdict(graded(project), "control")
    assert found == "fail"
    assert "1.2 times expected, 0.99 to 1.01 times seen" in why
    assert graded(project).withheld.startswith(
        "Could not be answered here, because it would have to be seen that a larger message takes"
    )


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"of": {"message_bytes": 512}}, "message_bytes 512 selects 0 points"),
        ({"of": {"requesters": 4}}, "requesters 4 selects 2 points"),
        ({"metric": "errors", "statistic": "total"}, "above zero"),
    ],
)
def test_a_control_that_cannot_be_held_to_the_points_is_not_assessable(
    project: Project, change: dict[str, Any], part: str
) -> None:
    make_campaign(project)
    with_control(project, **change)
    found, why = verdict(graded(project), "control")
    assert (found, part in why) == ("not assessable", True), why
    assert not graded(project).may_conclude


def test_a_control_that_was_run_once_or_a_plan_without_one_tells_nothing(project: Project) -> None:
    make_campaign(project, with_rows(lambda rows: [row for row in rows if row["repetition"] == 1]))
    assert verdict(graded(project), "control") == (
        "not assessable", "the control was run once only: repeat it"
    )  # fmt: skip
    path = project.params / "campaigns" / "made.yml"
    content = yaml.safe_load(path.read_text("utf-8"))
    del content["control"]
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    found, why = verdict(graded(project), "control")
    assert (found, "state a control" in why) == ("not assessable", True)
    path.unlink()
    found, why = verdict(graded(project), "control")
    assert (found, "put it back" in why) == ("not assessable", True)


@pytest.mark.parametrize(
    ("change", "key", "parts"),
    [
        ({"of": {"mesage_bytes": 1}}, "mesage_bytes", ("unknown factor 'mesage_bytes'",
                                                       "did you mean 'message_bytes'")),
        ({"metric": "round_trip_rates"}, "metric", ("did you mean 'round_trip_rate'",)),
        ({"statistic": "media"}, "statistic", ("did you mean 'mean'",)),
        ({"base": {"message_bytes": "big"}}, "message_bytes: big", ("message_bytes",)),
        ({"least": 2}, "least:", ("unknown key 'least'", "did you mean 'least_ratio'")),
    ],
)  # fmt: skip
def test_a_bad_control_is_refused_with_its_line(
    project: Project, change: dict[str, Any], key: str, parts: tuple[str, ...]
) -> None:
    make_campaign(project)
    path = with_control(project, **change)
    lines = path.read_text("utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, start=1) if key in text)
    refused(answer("review", "--campaign", NAME, project=project), f"{path}:{line}", *parts)


def test_a_changed_raw_file_is_named_and_no_rule_passes(project: Project) -> None:
    folder = make_campaign(project)
    assert verdict(graded(project), "raw-unchanged")[0] == "pass"
    raw = next((folder / "raw").iterdir())
    raw.write_bytes(b"other")
    grade = graded(project)
    found, why = verdict(grade, "raw-unchanged")
    assert (found, raw.name.partition(".")[0] in why) == ("fail", True)
    assert not grade.may_conclude
    for one in grade.judged:
        assert one.finding.verdict.value != "pass"
    assert "put back what was measured" in verdict(grade, "account")[1]
    raw.unlink()
    assert verdict(graded(project), "raw-unchanged")[0] == "not assessable"
    assert not graded(project).may_conclude


def test_a_folder_without_a_manifest_is_not_assessable(project: Project) -> None:
    (make_campaign(project) / "manifest.yml").unlink()
    grade = graded(project)
    assert {one.finding.verdict.value for one in grade.judged} == {"not assessable"}
    assert "put them back" in grade.judged[0].finding.reason
    assert f"data/campaigns/{NAME}/manifest.yml" in grade.judged[0].finding.rests_on
    assert not grade.may_conclude


def waive(project: Project, **waiver: str) -> Path:
    content = {"rule": "repetitions", "subject": NAME, "by": "A. Reviewer",
               "why": "the broker's licence ran out"} | waiver  # fmt: skip
    path = project.checks / "methodology" / "waivers.yml"
    path.parent.mkdir(parents=True)
    path.write_text(yaml.safe_dump({"waivers": [content]}, sort_keys=False), encoding="utf-8")
    return path


def test_a_waiver_says_by_whom_and_why_and_waives_no_pass(project: Project) -> None:
    make_campaign(project, with_rows(two_runs))
    assert not graded(project).may_conclude
    waive(project)
    grade = graded(project)
    found, why = verdict(grade, "repetitions")
    assert found == "waived"
    assert "licence ran out" in why
    assert "1 of 2 points" in why
    assert [one.by for one in grade.judged if one.rule == "repetitions"] == ["A. Reviewer"]
    assert grade.may_conclude
    assert "waived: repetitions" in grade.sentence


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"rule": "repetition"}, ("no rule 'repetition'", "did you mean 'repetitions'")),
        ({"subject": "made-ful"}, ("no subject 'made-ful'", f"did you mean '{NAME}'")),
        ({"why": ""}, ("why", "at least 10 characters")),
        ({"by": " "}, ("by", "at least 1 character")),
        ({"subject": "edition"}, ("does not speak of 'edition'",)),
        ({"reason": "unknown key"}, ("unknown key 'reason'",)),
    ],
)
def test_a_bad_waiver_is_refused_with_its_line(
    project: Project, change: dict[str, str], parts: tuple[str, ...]
) -> None:
    make_campaign(project)
    path = waive(project, **change)
    refused(answer("review", "--campaign", NAME, project=project), f"{path}:", *parts)


def test_a_project_adds_rules_and_a_bad_one_is_refused(project: Project) -> None:
    make_campaign(project)
    own = {"id": "long-runs", "title": "Long runs", "text": "Runs are long.", "source": "ours",
           "mandatory": "we say so", "applies_to": {
               "campaign": {"check": "long_enough", "limits": {"seconds": 3600}}}}  # fmt: skip
    path = project.checks / "methodology" / "own.yml"
    path.parent.mkdir(parents=True)
    path.write_text(yaml.safe_dump({"rules": [own]}), encoding="utf-8")
    assert verdict(graded(project), "long-runs")[0] == "fail"
    assert not graded(project).may_conclude
    for old, new, part in (
        ("long_enough", "long_enugh", "did you mean 'long_enough'"),
        ("seconds", "second", "did you mean 'seconds'"),
        ("3600", "an hour", "must be a number"),
    ):
        path.write_text(yaml.safe_dump({"rules": [own]}).replace(old, new), encoding="utf-8")
        with pytest.raises(CheckError, match=r"own\.yml") as caught:
            Rules(load_observations(project))
        assert part in str(caught.value)


def test_every_rule_says_what_it_rests_on_and_why_it_is_mandatory(project: Project) -> None:
    rules = Rules(load_observations(project)).rules
    for rule in rules:
        assert len(rule.source) > 3
        assert rule.text.endswith(".")
        assert not rule.mandatory or rule.mandatory.endswith(".")


def test_the_command_shows_one_subject_or_all(project: Project) -> None:
    make_campaign(project)
    (one,) = json.loads(
        answer("review", "--campaign", NAME, "--format", "json", project=project).stdout
    )
    assert one["subject"] == NAME
    assert {"rule", "verdict", "reason", "rests_on"} <= set(one["rules"][0])
    every = json.loads(answer("review", "--format", "json", project=project).stdout)
    assert [row["kind"] for row in every] == ["campaign", "edition"]
    shown = answer("review", project=project).stdout
    assert "Repetitions *" in shown
    assert "Grade: " in shown
    refused(answer("review", "--campaign", "made", project=project), f"did you mean '{NAME}'")
    refused(answer("review", "--report", "x", project=project), "there is no report yet")
    refused(
        answer("review", "--report", "x", "--campaign", NAME, project=project),
        "one subject is graded at a time",
    )


def test_a_page_escapes_what_comes_from_data(project: Project) -> None:
    make_campaign(project, with_rows(two_runs))
    waive(project, why="<script>alert(1)</script>", by="<b>bold</b>")
    page = answer("review", "--format", "html", project=project).stdout
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "http" not in page.replace("http-equiv", "")
