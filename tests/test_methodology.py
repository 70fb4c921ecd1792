"""Rules of method: each passes and fails on a small input, is waived, and takes words away."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
import zstandard

from made_campaign import NAME, Row, Spoil, believe_made_files, make_campaign
from roundtrip.campaign.resolve import control_in
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import CheckError, DataError, ParameterError
from roundtrip.files import sha256_of
from roundtrip.methodology import review
from roundtrip.methodology.review import Grade, grade_of
from roundtrip.methodology.rules import Rules
from roundtrip.observations import load_observations
from roundtrip.present import Chapter
from roundtrip.project import Project
from support.methodology import grades
from support.methodology.matrix import matrix
from support.methodology.references import WORKS
from workshop import ROOT, answer, change_yaml, copy_project, read_yaml, refused, write_yaml

Manifest = dict[str, Any]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    # The made campaign's raw files are no driver's; those of a real one are read further below.
    believe_made_files(monkeypatch)
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


def two_runs(manifest: Manifest, rows: list[Row]) -> None:
    gone = {row["run"] for row in rows if row["repetition"] > 2 and row["message_bytes"] == 2048}
    rows[:] = [row for row in rows if row["run"] not in gone]
    manifest["runs"] = [run for run in manifest["runs"] if run["run"] not in gone]


def no_governor(manifest: Manifest, rows: list[Row]) -> None:
    manifest["host"]["frequency_governor"] = "not stated"


def ran_on(manifest: Manifest, rows: list[Row]) -> None:
    manifest["broker_restarted"] = False
    for row in rows:
        row["tls_cipher"] = "none" if row["message_bytes"] == 256 else "TLS_AES_128_GCM_SHA256"


def in_order(manifest: Manifest, rows: list[Row]) -> None:
    for order, run in enumerate(sorted(manifest["runs"], key=lambda run: str(run["run"])), start=1):
        run["order"] = order


def scattered(rows: list[Row]) -> list[Row]:
    return [
        {**row, "value": row["value"] * (1 + row["repetition"] / 10)}
        if row["metric"] == "round_trip_rate" else row
        for row in rows
    ]  # fmt: skip


def unrated(rows: list[Row]) -> list[Row]:
    return [{**row, "target_rate": ""} for row in rows]


def no_p99(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["statistic"] != "p99"]


def one_run_without_p99(rows: list[Row]) -> list[Row]:
    without = "nonpersistent-256b-c4-r3"
    return [row for row in rows if (row["run"], row["statistic"]) != (without, "p99")]


def two_ways(manifest: Manifest, rows: list[Row]) -> None:
    (first,) = manifest["configurations"]
    manifest["configurations"].append({**first, "effective": {"persistent": True}})


def two_ports(manifest: Manifest, rows: list[Row]) -> None:
    (first,) = manifest["configurations"]
    pair = [{**first, "effective": {"pair": {"announced_port": port}}} for port in (1, 2)]
    manifest["configurations"] = pair


def not_read_back(manifest: Manifest, rows: list[Row]) -> None:
    manifest["configurations"][0]["cells"].pop()


def no_harness(manifest: Manifest, rows: list[Row]) -> None:
    del manifest["software"]["harness_sources"]


def swept(more: float) -> Spoil:
    """Make the larger message a second, higher load of the smaller: what it gives of the first."""

    def spoil(manifest: Manifest, rows: list[Row]) -> None:
        for run in manifest["runs"]:
            run["run"] = run["run"].replace("2048b-c4", "256b-c8")
        rows[:] = unrated(rows)
        for row in rows:
            row["run"] = row["run"].replace("2048b-c4", "256b-c8")
            if row["message_bytes"] == 2048:
                row |= {"message_bytes": 256, "requesters": 8, "value": row["value"] * more}

    return spoil


ONE_BLOCK = [{"started": "2026-11-21T06:00:00+00:00", "ended": "2026-11-21T06:10:00+00:00"}]
SPOILED: dict[str, tuple[Spoil, str]] = {
    "repetitions": (two_runs, "1 of 2 points"),
    "steady-state": (
        in_runs(3, steady=False),
        "5 of 8 runs met the rule of steady state when measurement began",
    ),
    "steady-points": (in_runs(8, steady=False), "2 of 2"),
    "restarts": (ran_on, "tls_cipher"),
    "another-hour": (in_manifest(sessions=ONE_BLOCK), "in one block"),
    "account": (valued("lost_replies", 1.0), "8 of 8 runs"),
    "offered-rate": (valued("round_trip_rate", 700.0), "2 of 2 rated loads"),
    "resource-use": (without("disk_wait"), "of 8: Time waiting for a disk (8)"),
    "machine": (no_governor, "does not state frequency governor"),
    "points-derived": (valued("machine_cpu", 51.0), "does not follow from its raw file"),
    "configuration": (not_read_back, "1 of 2"),
    "driver": (no_harness, "does not state harness sources"),
    "open-load": (with_rows(unrated), "2 of 2 points requesters wait"),
    "percentiles": (with_rows(no_p99), "p99"),
    "warm-up": (in_runs(2, settled_s=7.0), "2 of 8 runs settled only after"),
    "run-length": (in_plan(measure_seconds=59.0), "59 s"),
    "order": (in_order, "6 of 6 repetitions follow"),
    "undisturbed": (in_runs(1, doubt="other processes took 20 % of the processors"), "1 of 8"),
    "complete": (in_manifest(left_out=["nonpersistent-256b-c4-r5"]), "runs left out: 1"),
    "hosts-apart": (in_manifest(broker_elsewhere=False), "shared one machine"),
    "processors-apart": (in_manifest(broker_elsewhere=False), "shared the processors"),
}
"""Rule to what breaks it, and a part of the reason that is given then."""


def test_what_keeps_the_rules_passes(project: Project) -> None:
    make_campaign(project)
    grade = graded(project)
    assert {rule: verdict(grade, rule)[0] for rule in SPOILED} == dict.fromkeys(SPOILED, "pass")


@pytest.mark.parametrize("rule", SPOILED)
def test_what_breaks_a_rule_fails(project: Project, rule: str) -> None:
    spoil, reason = SPOILED[rule]
    make_campaign(project, spoil)
    found, why = verdict(graded(project), rule)
    assert found == "fail"
    assert reason in why


def test_few_round_trips_do_not_tell_whether_a_rate_was_kept(project: Project) -> None:
    make_campaign(project, in_plan(measure_seconds=0.01))
    found, why = verdict(graded(project), "offered-rate")
    assert found == "not assessable"
    assert "fewer than 100 round trips in a run" in why


def test_every_point_has_runs_of_another_hour_but_loads_that_a_search_found_too_much(
    project: Project,
) -> None:
    folder = make_campaign(project, two_runs)
    point = "nonpersistent-2048b-c4"
    assert verdict(graded(project), "another-hour") == (
        "fail", f"1 of 2 points have runs of fewer than 2 blocks: {point}",
    )  # fmt: skip
    plan = read_yaml(folder / "manifest.yml")["plan"]
    for slow_ms, found in ((3.0, "pass"), (5.0, "fail")):
        search = {**plan["search"], "method": "until_slow", "slow_ms": slow_ms}
        change_yaml(folder / "manifest.yml", {"plan": {**plan, "search": search}})
        assert verdict(graded(project), "another-hour")[0] == found


def broken(run: str, how: str, number: int, order: int | None = None) -> Manifest:
    raw = f"{run}.{how}-{number}.ndjson.zst"
    return {"run": run, "raw": raw, "reason": "it broke off", "order": order}


def test_a_run_that_was_taken_out_leaves_a_gap_unless_an_attempt_broke_off(
    project: Project,
) -> None:
    folder = make_campaign(project, two_runs)
    listed = {run["order"] for run in read_yaml(folder / "manifest.yml")["runs"]}
    one, other = sorted({*range(1, 9)} - listed)

    def completed(*attempts: Manifest) -> tuple[str, str]:
        change_yaml(folder / "manifest.yml", {"failed": list(attempts)})
        return verdict(graded(project), "complete")

    run = "nonpersistent-2048b-c4-r1"
    assert completed() == ("fail", "2 of 8 attempts that were made are not listed")
    # An attempt whose place is known stands for no other one.
    attempts = [broken(run, "failed", 1, one), broken(run, "interrupted", 1, one)]
    assert completed(*attempts) == ("fail", "1 of 8 attempts that were made are not listed")
    attempts[1]["order"] = other
    assert completed(*attempts) == (
        "pass",
        "6 runs, as planned; attempts that broke off and were repeated: 2",
    )
    attempts = [broken(run, "failed", 1), broken(run, "failed", 2)]  # as older runners noted them
    assert completed(*attempts)[0] == "pass"
    gone = "nonpersistent-2048b-c4-r3"
    attempts = [broken(gone, "failed", 1, one), broken(gone, "failed", 2, other)]
    assert completed(*attempts) == ("fail", f"1 of 7 runs failed at every attempt: {gone}")


@pytest.mark.parametrize(
    ("rule", "spoil", "wanted", "told"),
    [
        (
            "percentiles",
            with_rows(one_run_without_p99),
            "fail",
            "1 of 2 points lack p99 in some run",
        ),
        ("configuration", two_ways, "fail", "2 of 2 combinations ran with different"),
        ("configuration", two_ports, "pass", "8 runs of 2 combinations"),
    ],
)
def test_every_run_counts(
    project: Project, rule: str, spoil: Spoil, wanted: str, told: str
) -> None:
    make_campaign(project, spoil)
    found, why = verdict(graded(project), rule)
    assert (found, told in why) == (wanted, True), why


def test_an_order_without_a_repetition_says_nothing(project: Project) -> None:
    def once(manifest: Manifest, rows: list[Row]) -> None:
        rows[:] = [row for row in rows if row["repetition"] == 1]
        manifest["runs"] = [run for run in manifest["runs"] if run["run"].endswith("-r1")]

    make_campaign(project, once)
    assert verdict(graded(project), "order") == ("not applicable", "no point was measured twice")


def test_every_rule_of_a_campaign_is_spoiled_by_some_test(project: Project) -> None:
    elsewhere = {"raw-unchanged", "control", "peak-inside", "same-speed", "intervals"}
    rules = {rule.id for rule in Rules(load_observations(project)).rules
             if "campaign" in rule.applies_to}  # fmt: skip
    assert rules == set(SPOILED) | elsewhere


def short_runs(*drifts: float | None) -> Spoil:
    """Make runs too short for MSER-5, with what their halves differ by."""

    def spoil(manifest: Manifest, rows: list[Row]) -> None:
        for number, run in enumerate(manifest["runs"]):
            run |= {"settled_s": None, "drift": drifts[number % len(drifts)]}

    return spoil


@pytest.mark.parametrize(
    ("drifts", "wanted", "told"),
    [
        ((0.01, 0.03), "pass", "differs from the first by +2.0 % (90 % interval +1.3 to +2.7 %)"),
        ((-0.01, 0.01), "pass", "over 8 runs"),
        ((0.09, 0.11), "fail", "+10.0 %"),
        ((-0.09, -0.11), "fail", "-10.0 %"),
        ((-0.2, 0.2), "not assessable", "not surely within 5 %: measure longer"),
        ((None,), "not assessable", "MSER-5 cannot tell of 8 of 8 runs"),
    ],
)
def test_runs_too_short_to_be_judged_one_by_one_are_judged_together(
    project: Project, drifts: tuple[float | None, ...], wanted: str, told: str
) -> None:
    make_campaign(project, short_runs(*drifts))
    found, why = verdict(graded(project), "warm-up")
    assert (found, told in why) == (wanted, True), why


@pytest.mark.parametrize(
    ("late", "wanted"),
    [
        ({"settled_s": 7.0, "drift": 0.2}, "fail"),
        ({"settled_s": 7.0, "drift": 0.01}, "pass"),  # MSER-5 finds cuts in level series, too
        # It could not find one in the measured part: all runs together are judged.
        ({"settled_s": 1007.0, "drift": 0.2, "warm_up_s": 1000.0}, "not assessable"),
    ],
)
def test_a_run_settled_late_if_its_halves_differ_and_mser5_could_tell(
    project: Project, late: dict[str, float], wanted: str
) -> None:
    def spoil(manifest: Manifest, rows: list[Row]) -> None:
        short_runs(0.0, 0.001)(manifest, rows)
        manifest["runs"][0] |= late

    make_campaign(project, spoil)
    assert verdict(graded(project), "warm-up")[0] == wanted


def test_a_campaign_that_measures_a_change_has_no_level_to_settle_at(project: Project) -> None:
    make_campaign(project, in_plan(course="backlog"))
    assert verdict(graded(project), "warm-up")[0] == "not applicable"


def unstated(metric: str, run: str = "") -> Spoil:
    return with_rows(
        lambda rows: [row for row in rows if not (row["metric"] == metric and run in row["run"])]
    )


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (unstated("other_cpu"), "8 of 8 runs do not state what other processes took (other_cpu)"),
        (unstated("other_cpu", "-r3"), "2 of 8 runs do not state what other processes took"),
        (unstated("cpu_steal"), "8 of 8 runs do not state what the hypervisor took (cpu_steal)"),
    ],
)  # fmt: skip
def test_who_used_the_machine_must_be_stated_to_say_that_nobody_did(
    project: Project, spoil: Spoil, reason: str
) -> None:
    make_campaign(project, spoil)
    found, why = verdict(graded(project), "undisturbed")
    assert found == "not assessable"
    assert reason in why


def test_the_use_of_resources_is_known_of_every_run(project: Project) -> None:
    make_campaign(project, unstated("broker_memory", "256b-c4-r3"))
    told = "runs without a value, of 8: Memory of the broker (1)"
    assert verdict(graded(project), "resource-use") == ("fail", told)


def test_blocks_a_minute_apart_show_no_other_hour(project: Project) -> None:
    def spoil(manifest: Manifest, rows: list[Row]) -> None:
        first, second = manifest["sessions"]
        second["started"] = first["ended"].replace("06:10:00", "06:11:12")

    make_campaign(project, spoil)
    told = "two blocks are 1.2 minutes apart, less than 1 h"
    assert verdict(graded(project), "another-hour") == ("fail", told)


def test_a_setting_that_only_some_points_have_varies(project: Project) -> None:
    def spoil(manifest: Manifest, rows: list[Row]) -> None:
        manifest["broker_restarted"] = False
        for row in rows:
            row["tls_cipher"] = "" if row["message_bytes"] == 256 else "TLS_AES_128_GCM_SHA256"

    make_campaign(project, spoil)
    found, why = verdict(graded(project), "restarts")
    assert (found, "tls_cipher" in why) == ("fail", True), why


def test_what_tells_running_brokers_apart_is_no_setting_of_one(project: Project) -> None:
    def spoil(manifest: Manifest, rows: list[Row]) -> None:
        manifest["broker_restarted"] = False
        levels = {256: "3.1", 2048: "3.2"}
        urls = {level: f"tcp://broker-{level}:61616" for level in levels.values()}
        manifest["plan"]["set_by"] = {"product_version": {"broker_url": urls}}
        for row in rows:
            row["product_version"] = levels.get(row["message_bytes"], "3.1")

    make_campaign(project, spoil)
    told = "each product_version has its own broker, and only its load varied"
    assert verdict(graded(project), "restarts") == ("pass", told)


def test_an_overload_is_a_rate_that_was_set(project: Project) -> None:
    def spoil(manifest: Manifest, rows: list[Row]) -> None:
        manifest["plan"]["course"] = "backlog"
        rows[:] = [{**row, "overload_rate": 1000.0} for row in unrated(rows)]

    make_campaign(project, spoil)
    found = graded(project)
    for rule in ("same-speed", "intervals"):
        assert verdict(found, rule)[0] == "not applicable"
        assert verdict(found, rule)[1].startswith("the rates were set")
    told = "it offers more than its link can carry on purpose"
    assert verdict(found, "offered-rate") == ("not applicable", told)


@pytest.mark.parametrize(
    ("changed", "wanted", "told"),
    [
        (unrated, "pass", "the intervals of 2 points are within ±5 %"),
        (lambda rows: unrated(scattered(rows)), "fail", "2 of 2 points is wider than ±5 %"),
        (scattered, "not applicable", "the rates were set"),
    ],
)
def test_only_a_rate_that_was_not_set_has_to_be_known_well(
    project: Project, changed: Callable[[list[Row]], list[Row]], wanted: str, told: str
) -> None:
    make_campaign(project, with_rows(changed))
    found, why = verdict(graded(project), "intervals")
    assert (found, told in why) == (wanted, True), why


@pytest.mark.parametrize("metric", ["errors", "lost_replies"])
def test_runs_that_count_no_losses_are_none_without_losses(project: Project, metric: str) -> None:
    make_campaign(project, unstated(metric, "-r3"))
    found, why = verdict(graded(project), "account")
    assert (found, "2 of 8 runs do not count" in why) == ("not assessable", True)


def slowed(is_slow: Callable[[int], bool], in_a_block: int) -> Spoil:
    """Give each point twelve unrated runs, slower at some places of the campaign."""

    def spoil(manifest: Manifest, rows: list[Row]) -> None:
        manifest["plan"]["repetitions"] = in_a_block
        first = [run for run in manifest["runs"] if run["run"].endswith("-r1")]
        own = [row for row in unrated(rows) if row["repetition"] == 1]
        manifest["runs"], rows[:] = [], []
        for order in range(1, 25):
            run = first[order % 2]
            # Of a load without raw files: those of the usual one hold other values.
            name = run["run"].replace("-c4-r1", f"-c5-r{(order + 1) // 2}")
            manifest["runs"].append({**run, "run": name, "order": order})
            rows += [
                {**row, "run": name, "requesters": 5, "repetition": (order + 1) // 2,
                 "value": row["value"] * (0.7 if is_slow(order) else 1)}
                for row in own if row["run"] == run["run"]
            ]  # fmt: skip

    return spoil


@pytest.mark.parametrize(
    ("is_slow", "in_a_block", "wanted"),
    [
        (lambda order: order > 12, 12, "fail"),
        (lambda order: order % 3 == 0, 12, "pass"),
        # The last run of a block and the first of the next, hours later, are no neighbours.
        (lambda order: (order - 1) % 6 > 3, 3, "fail"),
    ],
    ids=["second half", "each third run", "last third of each block"],
)
def test_a_machine_that_slows_down_for_a_while_is_seen(
    project: Project, is_slow: Callable[[int], bool], in_a_block: int, wanted: str
) -> None:
    make_campaign(project, slowed(is_slow, in_a_block))
    found, why = verdict(graded(project), "same-speed")
    assert found == wanted
    assert "of 24 runs" in why


def test_of_set_rates_the_speed_of_the_machine_is_not_seen(project: Project) -> None:
    make_campaign(project)
    assert verdict(graded(project), "same-speed")[0] == "not applicable"


@pytest.mark.parametrize(("more", "wanted"), [(0.9, "pass"), (1.1, "fail")])
def test_a_peak_is_one_where_the_rate_falls_beyond_it(
    project: Project, more: float, wanted: str
) -> None:
    make_campaign(project, swept(more))
    assert verdict(graded(project), "peak-inside")[0] == wanted


def test_points_of_a_committed_campaign_follow_from_its_raw_files(tmp_path: Path) -> None:
    name = "data/campaigns/steady-state-quick"
    project = copy_project(tmp_path, ("_quarto.yml", "data/dictionary.yml", name))
    assert verdict(graded(project, "steady-state-quick"), "points-derived")[0] == "pass"
    points = project.root / name / "points.csv"
    changed = re.sub(r"machine_cpu,mean,[\d.]+", "machine_cpu,mean,9.0", points.read_text("utf-8"))
    points.write_text(changed, encoding="utf-8")
    found, why = verdict(graded(project, "steady-state-quick"), "points-derived")
    assert (found, "machine_cpu mean" in why) == ("fail", True)


@pytest.mark.parametrize("change", [{"steady": False}, {"doubt": "none"}, {"warm_up_s": 99.0}])
def test_marks_of_a_committed_campaign_follow_from_its_raw_files(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    name = "data/campaigns/steady-state-quick"
    project = copy_project(tmp_path, ("_quarto.yml", "data/dictionary.yml", name))
    path = project.root / name / "manifest.yml"
    content = read_yaml(path)
    for run in content["runs"]:
        run |= change
    write_yaml(path, content)
    found, why = verdict(graded(project, "steady-state-quick"), "points-derived")
    assert (found, next(iter(change)) in why) == ("fail", True)


def with_raw_files(tmp_path: Path, changed: Callable[[str], str]) -> Project:
    """Copy a committed campaign with other raw files, as if they had been measured like that."""
    name = "data/campaigns/steady-state-quick"
    project = copy_project(tmp_path, ("_quarto.yml", "data/dictionary.yml", name))
    folder = project.root / name
    content = read_yaml(folder / "manifest.yml")
    for run in content["runs"]:
        path = folder / "raw" / f"{run['run']}.ndjson.zst"
        with zstandard.open(path, "rt", encoding="utf-8") as stream:
            text = changed(stream.read())
        path.write_bytes(zstandard.compress(text.encode()))
        run["raw_sha256"] = sha256_of(path.read_bytes())
    write_yaml(folder / "manifest.yml", content)
    return project


def test_a_raw_file_that_does_not_place_its_run_supports_no_point(tmp_path: Path) -> None:
    project = with_raw_files(tmp_path, lambda text: text.replace('"order":', '"place":'))
    found, why = verdict(graded(project, "steady-state-quick"), "points-derived")
    assert (found, "says of its run" in why) == ("fail", True)


def in_account(driver: str, key: str, count: int) -> Callable[[str], str]:
    """Have a driver count otherwise in the account of its whole run, and nowhere else."""
    account = re.compile(rf'("from":"{driver}".*"whole_run":.*?"{key}":)\d+')
    return lambda text: account.sub(rf"\g<1>{count}", text)


@pytest.mark.parametrize(
    ("rule", "changed", "wanted", "told"),
    [
        ("account", in_account("responder-1", "errors", 1), "fail", "saw errors"),
        ("account", in_account("requester-1", "mismatches", 1), "fail", "saw errors"),
        ("account", in_account("requester-1", "lost", 1), "fail", "lost or duplicated"),
        ("account", lambda text: text.replace('"whole_run"', '"run"'), "not assessable",
         "gave no account of the whole run"),
        ("configuration", lambda text: text.replace('"effective":', '"other":'), "fail",
         "not read back for"),
        ("account", lambda text: text, "pass", "warm-up included"),
        ("configuration", lambda text: text, "pass", "read back for all"),
    ],
)  # fmt: skip
def test_what_raw_files_say_of_whole_runs_is_judged(
    tmp_path: Path, rule: str, changed: Callable[[str], str], wanted: str, told: str
) -> None:
    grade = graded(with_raw_files(tmp_path, changed), "steady-state-quick")
    found, why = verdict(grade, rule)
    assert (found, told in why) == (wanted, True), why


SOURCE = "mqseries-vs-msmq"


@pytest.fixture
def source(tmp_path: Path) -> Project:
    parts = ("_quarto.yml", "notebooks", "data/dictionary.yml", f"data/published/{SOURCE}")
    return copy_project(tmp_path, parts)


def graded_source(project: Project) -> Grade:
    return grade_of(load_observations(project), SOURCE, "source")


@pytest.mark.thorough
def test_what_a_source_says_of_its_method_is_read_and_never_guessed(source: Project) -> None:
    path = source.published / SOURCE / "report.yml"
    said = {"section": "4", "says": "Five runs of each point."}
    for method, wanted, reason in (
        ({"repetitions": said}, "pass", "Five runs"),
        ({"repetitions": {**said, "holds": False}}, "fail", "Five runs"),
        ({"repetitions": None}, "fail", "the source does not say"),
        ({}, "not assessable", "read it, then add"),
    ):
        change_yaml(path, {"method": method})
        found, why = verdict(graded_source(source), "repetitions")
        assert (found, reason in why) == (wanted, True)
    assert not graded_source(source).forbidding  # rules forbid conclusions from campaigns only
    change_yaml(path, {"method": {"repetition": None}})
    refused(answer("review", project=source), "repetition")


def test_rules_of_sources_pass_and_fail(source: Project) -> None:
    path = source.published / SOURCE / "report.yml"
    grade = graded_source(source)
    # Captions state peaks, the curves are drawn only.
    assert verdict(grade, "figures-in-numbers")[0] == "fail"
    assert verdict(grade, "open-load")[0] == "fail"
    assert verdict(grade, "intervals")[0] == "fail"
    assert verdict(grade, "hosts-apart")[0] == "fail"  # its responder is on the server
    assert verdict(grade, "configuration")[0] == "pass"
    assert verdict(grade, "claims-hold")[0] == "fail"
    assert re.match(
        r"of the \d+ statements that can be checked, (\d+ holds? only in part, and )?"
        r"its own numbers contradict [1-9]\d*: ", verdict(grade, "claims-hold")[1]
    )  # fmt: skip
    assert "cannot be checked against" in verdict(grade, "claims-checkable")[1]
    assert verdict(grade, "one-text")[0] == "fail"
    content = read_yaml(path)
    figures = [{**content["figures"][0], "data": "printed in Table 4"}]
    change_yaml(path, {"figures": figures, "tuning": []})
    (source.published / SOURCE / "claims.yml").unlink()
    skeleton = source.template("skeletons/report/errata.yml").read_text("utf-8")
    (source.published / SOURCE / "errata.yml").write_text(skeleton, "utf-8")
    grade = graded_source(source)
    assert verdict(grade, "figures-in-numbers")[0] == "pass"
    assert verdict(grade, "configuration")[0] == "fail"
    for data in ("not available: drawn only", "read off the drawing"):
        change_yaml(path, {"figures": [{**figures[0], "data": data}]})
        assert verdict(graded_source(source), "figures-in-numbers")[0] == "fail"
    for rule in ("claims-hold", "claims-checkable", "one-text"):
        assert verdict(grade, rule)[0] == "not assessable"


def test_rules_of_the_edition_pass_and_fail(source: Project) -> None:
    make_campaign(source)
    report = source.params / "report.yml"
    report.write_text("version: 1.0.0\ndate: 2026-11-23\n", encoding="utf-8")
    lock = source.root / "requirements.lock"
    lock.write_text("numpy==2.4.6 --hash=sha256:00\n", encoding="utf-8")
    source.checks.mkdir()
    (source.checks / f"{SOURCE}.json").write_text("{}", encoding="utf-8")

    def verdicts() -> set[str]:
        grade = grade_of(load_observations(source), "edition", "edition")
        rules = ("released", "locked", "raw-data", "claims-judged", "data-checked")
        assert {one.rule for one in grade.judged} == set(rules)
        return {verdict(grade, rule)[0] for rule in rules}

    assert verdicts() == {"pass"}
    report.write_text("version: 1.0.0\ndate: 2026-11-20\n", encoding="utf-8")
    grade = grade_of(load_observations(source), "edition", "edition")
    assert verdict(grade, "released") == (
        "fail", f"it is dated 2026-11-20, and {NAME} was measured on 2026-11-21 (UTC)"
    )  # fmt: skip
    report.write_text("version: draft\n", encoding="utf-8")
    lock.write_text("numpy==2.4.6\n", encoding="utf-8")
    for raw in (source.campaigns / NAME / "raw").iterdir():
        raw.unlink()
    (source.published / SOURCE / "claims.yml").unlink()
    (source.published / SOURCE / "errata.yml").unlink()
    (source.checks / f"{SOURCE}.json").unlink()
    assert verdicts() == {"fail"}


def test_an_edition_is_graded_by_the_version_and_date_that_it_is_built_with(
    project: Project,
) -> None:
    make_campaign(project)
    (project.params / "report.yml").write_text("version: draft\n", encoding="utf-8")

    def released(**edition: str) -> str:
        (found,) = (
            one
            for one in review.review(load_observations(project), edition)
            if one.kind == "edition"
        )
        return verdict(found, "released")[0]

    assert released(version="1.0.0", date="2026-11-23") == "pass"
    assert released(version="1.0.0", date="2026-11-20") == "fail"
    assert released(version="draft", date="2026-11-23") == "fail"


def test_a_grade_of_the_edition_is_of_what_is_there_now(project: Project) -> None:
    raw = make_campaign(project) / "raw"
    (project.params / "report.yml").write_text("version: 1.0.0\n", encoding="utf-8")
    change_yaml(project.book, {"book": {"title": "T", "date": "2026-11-23"}})

    def found() -> tuple[str, str]:
        grade = grade_of(load_observations(project), "edition", "edition")
        return verdict(grade, "raw-data")[0], verdict(grade, "released")[0]

    assert found() == ("pass", "pass")
    raw.rename(project.root / "raw")
    assert found() == ("fail", "pass")
    (project.root / "raw").rename(raw)
    assert found() == ("pass", "pass")
    change_yaml(project.book, {"book": {"title": "T", "date": "2026-11-20"}})
    assert found() == ("pass", "fail")


def with_control(project: Project, **changes: Any) -> None:
    """Change the control that the campaign was measured with."""
    path = project.campaigns / NAME / "manifest.yml"
    content = read_yaml(path)
    content["plan"]["control"] |= changes
    write_yaml(path, content)


def with_control_in_plan(project: Project, **changes: Any) -> Path:
    """Change the control that the plan states today."""
    path = project.params / "campaigns" / "made.yml"
    content = read_yaml(path)
    content["control"] |= changes
    write_yaml(path, content)
    return path


def test_a_plan_that_is_edited_changes_no_grade_of_what_was_measured_before(
    project: Project,
) -> None:
    make_campaign(project)
    found, why = verdict(graded(project), "control")
    assert found == "pass"
    path = with_control_in_plan(project, least_ratio=1.2)
    assert verdict(graded(project), "control") == (found, why)
    path.unlink()
    assert verdict(graded(project), "control") == (found, why)


def test_a_control_that_is_not_seen_is_why_nothing_could_be_answered(project: Project) -> None:
    make_campaign(project)
    assert graded(project).withheld == ""
    found, why = verdict(graded(project), "control")
    assert (found, "at least 0.9; the measured 90 % interval is 1.00 to 1.00" in why) == (
        "pass",
        True,
    )
    with_control(project, least_ratio=1.2)
    found, why = verdict(graded(project), "control")
    assert found == "fail"
    assert "1.2; the measured 90 % interval is 1.00 to 1.00" in why
    with_control(project, least_ratio=1.004)
    found, why = verdict(graded(project), "control")
    low = re.search(r"interval is (\S+) to", why)
    assert found == "fail"
    assert low is not None
    assert 0 < float(low[1]) < 1.004
    assert len(low[1]) > len("1.00"), "more digits than would hide why"
    with_control(project, least_ratio=1.2)
    assert graded(project).withheld.startswith(
        "No conclusion here, because the control was not confirmed: “a larger message takes"
    )


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"of": {"message_bytes": 512}}, "message_bytes 512 selects 0 points"),
        ({"of": {"requesters": 4}}, "requesters 4 selects 2 points"),
        ({"of": {"requesters": 4, "message_bytes": 512}}, "message_bytes 512 selects 0 points"),
        ({"metric": "errors", "statistic": "total"}, "above zero"),
        ({"of": {"size": 512}}, "names size, which is no factor"),
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


@pytest.mark.parametrize(("more", "wanted"), [(0.5, "pass"), (0.95, "fail")])
def test_a_control_of_several_loads_is_seen_at_one_of_them(
    project: Project, more: float, wanted: str
) -> None:
    def spoil(manifest: Manifest, rows: list[Row]) -> None:
        for row in [row for row in rows if row["metric"] == "round_trip_rate"]:
            row["value"] *= 0.95 if row["message_bytes"] == 2048 else 1
            again = {**row, "requesters": 8, "run": row["run"].replace("-c4-", "-c8-")}
            again["value"] *= more if row["message_bytes"] == 2048 else 1
            rows.append(again)
        manifest["runs"] += [
            {**run, "run": run["run"].replace("-c4-", "-c8-"), "order": run["order"] + 8}
            for run in manifest["runs"]
        ]

    raw = make_campaign(project, spoil) / "raw"
    for path in list(raw.iterdir()):
        (raw / path.name.replace("-c4-", "-c8-")).write_bytes(path.read_bytes())
    with_control(
        project, metric="round_trip_rate", statistic="mean", least_ratio=1.5,
        of={"message_bytes": 256}, base={"message_bytes": 2048},
    )  # fmt: skip
    found, why = verdict(graded(project), "control")
    assert (found, "at the clearest of 2 pairs" in why) == (wanted, True), why
    assert "the measured 95 % interval" in why  # 90 % over both pairs


def test_a_control_that_was_run_once_or_never_recorded_tells_nothing(project: Project) -> None:
    make_campaign(project, with_rows(lambda rows: [row for row in rows if row["repetition"] == 1]))
    assert verdict(graded(project), "control") == (
        "not assessable", "no block holds two runs of the control: run it twice in a block"
    )  # fmt: skip
    path = project.campaigns / NAME / "manifest.yml"
    content = read_yaml(path)
    del content["plan"]["control"]
    write_yaml(path, content)
    found, why = verdict(graded(project), "control")
    assert (found, "no positive control was recorded" in why) == ("not assessable", True)
    assert not graded(project).may_conclude  # whatever the plan states by now


@pytest.mark.parametrize(
    ("change", "key", "parts"),
    [
        ({"of": {"mesage_bytes": 1}}, "mesage_bytes", ("unknown factor 'mesage_bytes'",
                                                       "did you mean 'message_bytes'")),
        ({"metric": "round_trip_rates"}, "metric", ("did you mean 'round_trip_rate'",)),
        ({"statistic": "media"}, "statistic", ("did you mean 'mean'",)),
        ({"base": {"message_bytes": "big"}}, "message_bytes: big", ("message_bytes",)),
        ({"least_ratio": 0.5}, "least_ratio:", ("least_ratio is 0.5", "allowed: more than 1")),
        ({"base": {"message_bytes": 2048}}, "base:", ("compares a point with itself",)),
        ({"least": 2}, "least:", ("unknown key 'least'", "did you mean 'least_ratio'")),
    ],
)  # fmt: skip
def test_a_bad_control_is_refused_with_its_line(
    project: Project, change: dict[str, Any], key: str, parts: tuple[str, ...]
) -> None:
    make_campaign(project)
    path = with_control_in_plan(project, **change)
    lines = path.read_text("utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, start=1) if key in text)
    with pytest.raises(ParameterError) as caught:
        control_in(path, load_dictionary(project.dictionary))
    assert all(part in str(caught.value) for part in (f"{path}:{line}", *parts))


def test_a_grade_begins_with_what_decides(project: Project, tmp_path: Path) -> None:
    make_campaign(project)
    with_control(project)
    said = graded(project).sentence
    assert said.startswith("all mandatory rules pass; ")
    assert "; 8 of 8 runs without a mark." in said
    other = copy_project(tmp_path / "other", ("_quarto.yml",))
    make_campaign(other, in_runs(3, steady=False, doubt="not steady when it was measured"))
    with_control(other)
    said = graded(other).sentence
    assert said.startswith("mandatory rules not passed: steady state; ")
    assert "; 5 of 8 runs without a mark." in said
    assert said.count("steady state") == 1


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


def test_an_unfinished_campaign_is_not_assessable(project: Project) -> None:
    folder = make_campaign(project)
    change_yaml(folder / "manifest.yml", {"state": "running"})
    (folder / "points.csv").unlink()
    grade = graded(project)
    assert {one.rule: one.finding.reason for one in grade.judged
            if one.finding.verdict.value != "not assessable"} == {}  # fmt: skip
    assert "resume it" in grade.judged[0].finding.reason
    assert grade.withheld.count("resume it") == 1
    assert f"data/campaigns/{NAME}/manifest.yml" in grade.judged[0].finding.rests_on
    assert not grade.may_conclude


def test_a_campaign_without_a_finished_run_says_to_run_it(project: Project) -> None:
    folder = make_campaign(project)
    change_yaml(folder / "manifest.yml", {"state": "stopped", "runs": []})
    points = (folder / "points.csv").read_text().splitlines(keepends=True)
    (folder / "points.csv").write_text(points[0])
    found, why = verdict(graded(project), "account")
    assert (found, "no run of it was finished, run it again" in why) == ("not assessable", True)


def waive(project: Project, **waiver: str) -> Path:
    content = {"rule": "repetitions", "subject": NAME, "by": "A. Reviewer",
               "why": "the broker's licence ran out"} | waiver  # fmt: skip
    path = project.checks / "methodology" / "waivers.yml"
    path.parent.mkdir(parents=True)
    write_yaml(path, {"waivers": [content]})
    return path


def test_a_waiver_says_by_whom_and_why_and_waives_no_pass(project: Project) -> None:
    make_campaign(project, two_runs)
    assert not graded(project).may_conclude
    waive(project)
    grade = graded(project)
    found, why = verdict(grade, "repetitions")
    assert found == "waived"
    assert "licence ran out" in why
    assert "1 of 2 points" in why
    assert [one.by for one in grade.judged if one.rule == "repetitions"] == ["A. Reviewer"]
    assert grade.may_conclude
    assert grade.in_short.startswith("mandatory rules waived: repetitions; ")
    assert grade.sentence.count("repetitions") == 1


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"rule": "repetition"}, ("unknown rule 'repetition'", "did you mean 'repetitions'")),
        ({"subject": "made-ful"}, ("unknown subject 'made-ful'", f"did you mean '{NAME}'")),
        ({"why": ""}, ("why", "at least 10 characters")),
        ({"by": " "}, ("by", "must have at least 1 character")),
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
    write_yaml(path, {"rules": [own]})
    assert verdict(graded(project), "long-runs")[0] == "fail"
    assert not graded(project).may_conclude
    for old, new, part in (
        ("long_enough", "long_enugh", "did you mean 'long_enough'"),
        ("seconds", "second", "the limits of 'long_enough' are seconds, not second"),
        ("seconds: 3600", "{}", "the limits of 'long_enough' are seconds, not none"),
        ("3600", "an hour", "must be a number"),
    ):
        path.write_text(yaml.safe_dump({"rules": [own]}).replace(old, new), encoding="utf-8")
        with pytest.raises(CheckError, match=r"own\.yml") as caught:
            Rules(load_observations(project))
        assert part in str(caught.value)


def test_a_rule_of_a_metric_that_does_not_exist_is_refused(project: Project) -> None:
    make_campaign(project)
    own = {"id": "own", "title": "Own", "text": "It is so.", "source": "ours", "applies_to": {
        "campaign": {"check": "observed", "limits": {"metrics": ["machine_cpus"],
                                                     "beside": ["round_trip_rate"]}}}}  # fmt: skip
    path = project.checks / "methodology" / "own.yml"
    path.parent.mkdir(parents=True)
    write_yaml(path, {"rules": [own]})
    with pytest.raises(DataError, match=r"checks/methodology: limits: .*'machine_cpu'"):
        graded(project)


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
    assert {"rule", "title", "mandatory", "finding", "by"} == set(one["judged"][0])
    assert {"verdict", "reason", "rests_on"} == set(one["judged"][0]["finding"])
    assert one["may_conclude"]
    assert one["grade"].endswith(".")
    every = json.loads(answer("review", "--format", "json", project=project).stdout)
    assert [row["kind"] for row in every] == ["campaign", "edition"]
    shown = answer("review", project=project).stdout
    assert "Repetitions *" in shown
    assert "Grade: " in shown
    assert shown.count(f"data/campaigns/{NAME}/") == 1  # its folder stands in the title
    assert "configuration" in shown  # a word of a rule's title is not broken
    assert "Kind" in shown.rpartition("All grades")[2]
    alone = answer("review", "--campaign", NAME, project=project).stdout
    assert "All grades" not in alone
    refused(answer("review", "--campaign", "made", project=project), f"did you mean '{NAME}'")
    refused(answer("review", "--report", "x", project=project), "there is no report yet")
    refused(
        answer("review", "--report", "x", "--campaign", NAME, project=project),
        "--report and --campaign exclude each other",
    )


def test_a_template_of_the_project_runs_no_code(project: Project) -> None:
    make_campaign(project, two_runs)
    template = project.templates / "html" / "methodology.html"
    template.parent.mkdir(parents=True, exist_ok=True)
    for text in ("{{ cycler.__init__.__globals__.os.getpid() }}", "{% for %}", "{{ nothing }}"):
        template.write_text(text, encoding="utf-8")
        result = answer("review", "--format", "html", project=project)
        refused(result, "this template cannot be filled")
        refused(result, "templates/html/methodology.html")


def test_a_page_escapes_what_comes_from_data(project: Project) -> None:
    make_campaign(project, two_runs)
    waive(project, why="<script>alert(1)</script>", by="<b>bold</b>")
    page = answer("review", "--format", "html", project=project).stdout
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "http" not in page.replace("http-equiv", "")


def test_the_chapter_shows_every_subject_every_rule_and_why_nothing_is_concluded(
    source: Project,
) -> None:
    make_campaign(source)
    with_control(source, least_ratio=1.2)
    found = grades.reviewed(Chapter(SOURCE, folder=source.root), version="draft", date="")
    assert (found.campaigns, found.concluding) == (1, 0)
    assert "0 of 1 campaigns" in grades.title_of(found, "campaign")
    # What every campaign fails is said in the title, and what does not apply is not counted.
    for rule in grades.failed_by_all(found):
        assert rule in grades.title_of(found, "campaign")
    assert "\u201cPeak inside the sweep\u201d" not in grades.failed_by_all(found)
    figure = matrix(found, "campaign", title="T", caption="C")
    drawn = {trace.name: len(trace.x) for trace in figure.chart.data}
    judged = found.of_kind("campaign")[0].judged
    assert sum(drawn.values()) == len(judged)
    assert len({trace.marker.symbol for trace in figure.chart.data}) == len(drawn)  # not by colour
    assert f"{NAME} fails" in figure.alt
    assert f"{NAME},control,fail," in figure.csv
    both = matrix(found, "source", "edition", title="T", caption="C")
    assert not any("*" in name for name in both.chart.layout.yaxis.ticktext)
    assert "control was not confirmed" in grades.withheld_list(found).markdown
    assert "a precondition for an answer\\. The only campaign fails." in (
        grades.failing_list(found).markdown
    )
    told = grades.steady_words(found.chapter)
    assert "drifted by at most 15\u00a0% and scattered by at most 10\u00a0%" in told
    rows = [[cell.text for cell in row] for row in grades.rules_table(found, caption="C").rows]
    assert len(rows) == len(found.rules)
    said = [cell.text for row in grades.said_table(found, caption="C").rows for cell in row]
    assert "A sample takes five minutes." in said
    assert "Mixed order, raw data available" in said
    with_control(source, least_ratio=0.9)
    found = grades.reviewed(Chapter(SOURCE, folder=source.root), version="draft", date="")
    assert "cannot be read" in grades.withheld_list(found).markdown  # its raw files are made up


def test_every_work_that_a_rule_rests_on_is_among_the_references() -> None:
    listed = {re.split(r"[:,(]| [\d]", work)[0].strip() for work in WORKS}
    rules = Rules(load_observations(Project(ROOT))).rules
    cited = [part for rule in rules for part in rule.source.split("; ")]
    for work in (one for one in cited if not one.startswith("the ")):
        author = re.split(r"[:,(]| et al| [\d]", work)[0].strip()
        assert any(one.startswith(author) for one in listed), work
