"""The suites guard the observations: every run here is a real Great Expectations run.

How rules work is tried on the V9.4 report alone; `test_checks_of_reports.py` has the others.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from roundtrip.checks import CheckResults, Outcome, _run_in_own_process, checks_key, run_checks
from roundtrip.checks.run import SHOWN, run_suites
from roundtrip.checks.suites import EVERY_ROW, load_suites
from roundtrip.errors import CheckError, DataError
from roundtrip.observations import Observations, load_observations
from roundtrip.project import Project
from workshop import answer, refused

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
V94 = "ibm-mq-v9.4-linux"
DATA = f"data/published/{V94}"


def copy_project(target: Path) -> Project:
    """Copy what the checks of the V9.4 report read."""
    files = ["_quarto.yml", "data/dictionary.yml", f"checks/{V94}.json"]
    shutil.copytree(ROOT / DATA, target / DATA)
    for name in files:
        (target / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, target / name)
    return Project(target)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return copy_project(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def observations(project: Project) -> Observations:
    return load_observations(project)


@pytest.fixture(scope="module")
def results(project: Project, observations: Observations) -> CheckResults:
    return run_checks(project, observations)


def altered(table: pa.Table, changes: list[tuple[str, str, Any]]) -> pa.Table:
    """Give a copy of the table with (observation, column, new value) changed."""
    rows = table.to_pylist()
    by_id = {row["observation_id"]: row for row in rows}
    for observation, column, value in changes:
        by_id[observation][column] = value
    return pa.Table.from_pylist(rows, schema=table.schema)


def run(project: Project, table: pa.Table) -> CheckResults:
    return CheckResults("altered", tuple(run_suites(project, table)))


def outcome(results: CheckResults, expectation: str, rule: str = "") -> Outcome:
    [found] = [
        item
        for suite in results.suites
        for item in suite.outcomes
        if item.expectation == expectation and rule in item.rule
    ]
    return found


def problems(found: Outcome) -> dict[str, str]:
    return {failure.observation_id: failure.problem for failure in found.failures}


# --- the published data ------------------------------------------------------------------


@pytest.mark.thorough
def test_published_observations_keep_every_rule(results: CheckResults) -> None:
    assert results.success, [str(item.failures) for _, item in results.failed]
    assert [suite.dataset for suite in results.suites] == ["observations", V94]
    assert all(item.rows_checked > 0 for suite in results.suites for item in suite.outcomes)
    results.raise_if_failed()


def test_rules_carry_sentence_reason_and_counts(results: CheckResults) -> None:
    rules = results.outcomes
    assert all(rule.rule.endswith(".") and rule.why.endswith(".") for _, rule in rules)
    suite, repeat = next(one for one in rules if one[1].rule == "Table 6 repeats Table 3.")
    assert (suite.dataset, repeat.rows_checked, repeat.failure_count) == (V94, 12, 0)
    assert repeat.success


def test_results_survive_json_and_hold_no_time_or_run_id(results: CheckResults) -> None:
    text = results.to_json()
    assert CheckResults.from_json(text) == results
    assert "run_id" not in text
    assert str(ROOT) not in text


def test_second_run_gives_stored_results_without_great_expectations(
    project: Project, results: CheckResults
) -> None:
    program = (
        "import subprocess, sys\n"
        "from pathlib import Path\n"
        "from roundtrip.checks import run_checks\n"
        "from roundtrip.observations import load_observations\n"
        "from roundtrip.project import Project\n"
        "def refuse(*_, **__): raise SystemExit('started a process')\n"
        "subprocess.run = refuse\n"
        "project = Project(Path(sys.argv[1]))\n"
        "sys.stdout.write(run_checks(project, load_observations(project)).to_json())\n"
        "assert 'great_expectations' not in sys.modules\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program, str(project.root)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout == results.to_json()


def test_stored_results_depend_on_observations_and_suites(
    project: Project, observations: Observations, tmp_path: Path
) -> None:
    copy = copy_project(tmp_path)
    key = checks_key(project, observations)
    assert checks_key(copy, observations) == key
    other = Observations(project, "other", ())
    assert checks_key(project, other) != key
    edit(copy.checks / f"{V94}.json", "Table 6 repeats Table 3.", "Table 3 is repeated.")
    assert checks_key(copy, observations) != key


@pytest.mark.thorough
def test_no_code_of_the_current_folder_is_run(
    project: Project, observations: Observations, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pandas.py").write_text("raise SystemExit('of the folder')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert _run_in_own_process(project, observations.table)


@pytest.mark.thorough
def test_runs_write_nothing_outside_the_cache(
    project: Project, results: CheckResults, tmp_path: Path
) -> None:
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()
    before = {path for path in project.root.rglob("*") if ".cache" not in path.parts}
    for stored in (project.cache / "checks").iterdir():
        stored.write_text('{"fingerprint": "half a fi')  # not whole: the suites run again
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from roundtrip.checks import run_checks\n"
        "from roundtrip.observations import load_observations\n"
        "from roundtrip.project import Project\n"
        "project = Project(Path(sys.argv[1]))\n"
        "print(run_checks(project, load_observations(project)).success)\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program, str(project.root)],
        capture_output=True,
        text=True,
        cwd=work,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "HOME": str(home), "TMPDIR": str(work)},
    )
    assert (finished.stdout, finished.stderr) == ("True\n", "")
    assert list(home.rglob("*")) == []
    assert list(work.rglob("*")) == []
    assert {path for path in project.root.rglob("*") if ".cache" not in path.parts} == before


# --- corrupt values ----------------------------------------------------------------------

CHANGES = [
    (f"{V94}/table-03/r1c2", "value", 101.0),
    (f"{V94}/table-04/r1c1", "value", 0.0),
    (f"{V94}/table-04/r2c1", "value", float("nan")),
    (f"{V94}/table-05/r1c1", "delivery", "nonpersistant"),
    (f"{V94}/table-05/r2c1", "metric", "round_trip_rates"),
    (f"{V94}/table-05/r3c1", "statistic", "utmost"),
    (f"{V94}/table-05/r4c1", "unit", "messages/s"),
    (f"{V94}/table-07/r2c3", "requesters", 226),
    (f"{V94}/table-09/r1c1", "table_id", "table-90"),
    (f"{V94}/table-11/r1c1", "host_set", "set2"),
    (f"{V94}/table-13/r1c1", "file", None),
    (f"{V94}/table-14/r1c1", "message_bytes", -1),
    (f"{V94}/table-15/r1c1", "observation_id", f"{V94}/table-15/r1c2"),
]


@pytest.fixture(scope="module")
def corrupt(project: Project, observations: Observations) -> CheckResults:
    return run(project, altered(observations.table, CHANGES))


@pytest.mark.parametrize(
    ("expectation", "rule", "cell", "problem"),
    [
        ("expect_metric_values_to_be_in_range", "", "table-03/r1c2", "CPU must be at most 100 %"),
        ("expect_metric_values_to_be_in_range", "", "table-04/r1c1", "must be above 0"),
        ("expect_metric_values_to_be_in_range", "", "table-04/r2c1", "not a finite number"),
        ("expect_factor_values_to_be_in_dictionary", "", "table-05/r1c1", "mean 'nonpersistent'"),
        ("expect_factor_values_to_be_in_dictionary", "", "table-14/r1c1", "must be at least 0"),
        ("expect_column_values_to_be_in_dictionary", "metric", "table-05/r2c1", "round_trip_rate'"),
        ("expect_column_values_to_be_in_dictionary", "statistic", "table-05/r3c1", "utmost"),
        ("expect_units_to_match_metric", "", "table-05/r4c1", "is in round trips/s"),
        ("expect_clients_to_equal_requesters", "", "table-07/r2c3", "requesters is '226'"),
        ("expect_points_to_agree", "", "table-07/r2c3", "requesters is '226', elsewhere"),
        ("expect_tables_to_exist", "", "table-09/r1c1", "figure 'table-90' (did you mean"),
        ("expect_factors_to_be_disclosed", "", "table-11/r1c1", "did you mean 'set1'"),
        ("expect_columns_to_be_stated", "Every observation", "table-13/r1c1", "file is empty"),
        ("expect_column_values_to_be_unique", "", "table-15/r1c2", "more than once"),
    ],
)
def test_corrupt_value_is_named(
    corrupt: CheckResults, expectation: str, rule: str, cell: str, problem: str
) -> None:
    found = outcome(corrupt, expectation, rule)
    assert not found.success
    assert problem in problems(found)[f"{V94}/{cell}"]


def test_failures_are_only_the_changed_rows(corrupt: CheckResults) -> None:
    changed = {observation for observation, _, _ in CHANGES} | {f"{V94}/table-15/r1c2"}
    for expectation in (
        "expect_metric_values_to_be_in_range",
        "expect_factor_values_to_be_in_dictionary",
        "expect_units_to_match_metric",
        "expect_tables_to_exist",
    ):
        assert set(problems(outcome(corrupt, expectation))) <= changed


def test_error_names_file_line_table_row_column_and_value(corrupt: CheckResults) -> None:
    with pytest.raises(CheckError) as error:
        corrupt.raise_if_failed()
    text = str(error.value)
    assert f"{len(corrupt.failed)} of {len(corrupt.outcomes)} checks failed" in text
    assert (
        f"{DATA}/table-03.csv:2: Table 3, row 'RR-CC (2K Non-persistent)', "
        "column 'V9.4 / CPU%', value 97.69: CPU must be at most 100 %"
    ) in text
    assert "--allow-failed-checks" in text


def test_failing_rows_for_the_report_page(corrupt: CheckResults) -> None:
    rows = [row for _, outcome in corrupt.failed for row in outcome.failures]
    cpu = next(row for row in rows if row.observation_id == f"{V94}/table-03/r1c2")
    assert (f"{cpu.file}:{cpu.line}", cpu.table, cpu.value) == (
        f"{DATA}/table-03.csv:2",
        "Table 3",
        "97.69",
    )


def test_every_failure_is_counted_but_not_every_one_kept(
    project: Project, observations: Observations
) -> None:
    table = observations.table
    at = table.schema.get_field_index("unit")
    found = outcome(
        run(project, table.set_column(at, "unit", pa.array(["x"] * len(table)))),
        "expect_units_to_match_metric",
    )
    assert (found.failure_count, len(found.failures)) == (250, SHOWN)


def test_repeated_row_is_refused(project: Project, observations: Observations) -> None:
    table = observations.table
    twice = run(project, pa.concat_tables([table, table.slice(12, 1)]))
    place = outcome(twice, "expect_compound_columns_to_be_unique", "place of a source file")
    assert set(problems(place)) == {f"{V94}/table-03/r1c1"}
    assert place.failure_count == 2
    assert "251" in outcome(twice, "expect_table_row_count_to_equal").failures[0].problem
    cells = outcome(twice, "expect_tables_to_have_cells").failures
    assert [str(item) for item in cells] == ["table-03 has 13 cells, 12 are expected"]
    point = outcome(twice, "expect_points_to_be_complete", "Tables 3 to 15")
    assert "2 round_trip_rate" in point.failures[0].problem


def test_wrong_column_type_is_named(project: Project, observations: Observations) -> None:
    table = observations.table
    at = table.schema.get_field_index("value")
    text = run(project, table.set_column(at, "value", pa.array(["many"] * len(table))))
    found = outcome(text, "expect_columns_to_match_dictionary")
    assert "column 'value' is str, by the dictionary float64" in found.failures[0].problem
    assert (
        "could not be evaluated"
        in outcome(text, "expect_metric_values_to_be_in_range").failures[0].problem
    )


def test_rule_of_a_project_that_finds_nothing_to_check_fails(
    project: Project, observations: Observations, tmp_path: Path
) -> None:
    table = observations.table
    table = table.filter([row["metric"] != "clients" for row in table.to_pylist()])
    rule = "expect_clients_to_equal_requesters"
    assert outcome(run(project, table), rule).success
    own = copy_project(tmp_path)
    words = {"rule": "Clients are requesters.", "why": "They must be."}

    def only_this(suite: dict[str, Any]) -> None:
        suite["expectations"] = [{"type": rule, "meta": words}]

    with_suite(own, only_this)
    found = run(own, table).suites[1].outcomes[0]
    assert not found.success
    assert found.failures[0].problem == "the rule found nothing to check"


# --- corrupt files -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("97.69", "n/a", "is not a number"),
        ("97.69", "101", "must be at most 100 %"),
        ('"370,602"', '"370,60,2"', "is not a number"),
        ("message_bytes", "mesage_bytes", "unknown factor 'mesage_bytes' (did you mean"),
        (
            "RR-CC (20K Non-persistent),20480,",
            'RR-CC (2K Non-persistent),2048,"370,602",97.69,270\nRR-CC (20K Non-persistent),20480,',
            "repeats line 2",
        ),
    ],
)
def test_reader_refuses_what_never_reaches_the_checks(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    project = copy_project(tmp_path)
    edit(project.root / DATA / "table-03.csv", old, new)
    with pytest.raises(DataError) as error:
        load_observations(project)
    assert said in str(error.value)
    assert "table-03.csv:" in str(error.value)


@pytest.fixture(scope="module")
def misread(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Slips that the reader cannot see: each file is well formed."""
    project = copy_project(tmp_path_factory.mktemp("misread"))
    data = project.root / DATA
    edit(data / "table-06.csv", "370,602", "370,620")  # Table 3 prints 370,602
    edit(data / "sec-6.3-san.csv", "51,897", "15,897")  # the printed ratio is 1.14
    edit(data / "table-04.csv", "56,883", "65,883")  # 107.9 Gb/s on a link of 100
    edit(data / "table-05.csv", "2,653", "27,653")  # as fast as messages a tenth as long
    edit(data / "table-15.csv", "28,390", "82,390")  # faster than without the delay
    edit(data / "table-14.csv", "31.22,600", ",600")  # a lost CPU value, declared as such
    text = (data / "report.yml").read_text(encoding="utf-8").replace("cells: 250", "cells: 249")
    start = text.index("- id: table-14")
    text = text[:start] + text[start:].replace("cells: 18", "cells: 17", 1)
    (data / "report.yml").write_text(text, encoding="utf-8")
    return project


@pytest.fixture(scope="module")
def misread_results(misread: Project) -> CheckResults:
    return run_checks(misread, load_observations(misread))


def check_command(project: Project, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = "import typer; from roundtrip.cli.check import check; typer.run(check)"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        cwd=project.root,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "120"},
    )


@pytest.mark.parametrize(
    ("expectation", "rule", "cell", "problem"),
    [
        ("expect_table_to_repeat", "Table 6 repeats", "table-06/r1c1", "Table 3 prints 370,602"),
        ("expect_ratios_to_be_recomputed", "SAN", "sec-6.3-san/r3c1", "computed 3.7141"),
        ("expect_rates_to_fit_link", "", "table-04/r3c1", "need 107.9 Gb/s, the link has 100"),
        ("expect_rates_to_fall_with", "messages grow", "table-05/r4c1", "Not below 27,567"),
        ("expect_rates_to_fall_with", "delay", "table-15/r1c4", "Not below 37,330"),
        ("expect_points_to_be_complete", "Where a table", "table-14/r1c1", "no cpu"),
        ("expect_points_to_be_complete", "Tables 3 to 15", "table-14/r1c1", "no cpu"),
    ],
)
def test_misread_cell_is_found_by_what_else_is_printed(
    misread_results: CheckResults, expectation: str, rule: str, cell: str, problem: str
) -> None:
    found = outcome(misread_results, expectation, rule)
    assert not found.success
    assert problem in problems(found)[f"{V94}/{cell}"]


def test_command_fails_and_names_the_rows(misread: Project) -> None:
    finished = check_command(misread)
    assert finished.returncode == 1
    assert (
        f"{DATA}/table-06.csv:2: Table 6, row 'RR-CC (2K Non-persistent)', "
        "column 'V9.4 / Max Rate*', value 370,620: Table 3 prints 370,602"
    ) in finished.stdout
    assert "FAILED" in finished.stdout
    assert "checks failed" in finished.stdout


def test_command_passes_and_speaks_json(project: Project, results: CheckResults) -> None:
    finished = check_command(project, "--format", "json")
    assert finished.returncode == 0, finished.stderr
    assert CheckResults.from_json(finished.stdout) == results
    assert f"all {len(results.outcomes)} checks passed" in check_command(project).stdout


# --- malformed suites --------------------------------------------------------------------


def with_suite(project: Project, change: Callable[[dict[str, Any]], object]) -> None:
    path = project.checks / f"{V94}.json"
    suite = json.loads(path.read_text(encoding="utf-8"))
    change(suite)
    path.write_text(json.dumps(suite), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda s: s.update(expectation=[]), "unknown key 'expectation' (did you mean"),
        (lambda s: s["expectations"][0].update(kwarg={}), "unknown key 'kwarg' (did you mean"),
        (lambda s: s["expectations"][0]["meta"].pop("why"), "why: is missing"),
        (lambda s: s["meta"].update(dataset="ibm-mq-v9.5-linux"), f"did you mean '{V94}'"),
        (lambda s: s.update(expectations=[]), "expectations"),
        (lambda s: s.update(name="v94"), "give both the same name"),
    ],
)
def test_malformed_suite_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], said: str
) -> None:
    project = copy_project(tmp_path)
    with_suite(project, change)
    with pytest.raises(CheckError) as error:
        load_suites(project)
    assert said in str(error.value)
    assert f"checks/{V94}.json" in str(error.value)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"type": "expect_table_to_repeats"}, "did you mean 'expect_table_to_repeat'"),
        ({"kwargs": {"tabel": "table-06"}}, "unknown argument 'tabel' (did you mean 'table'?)"),
        ({"kwargs": {"table": "table-06"}}, "field required"),
        # pandas would evaluate it.
        (
            {
                "type": "expect_column_values_to_not_be_null",
                "kwargs": {"column": "row", "row_condition": "@pd.io.common.os.getpid() == 0"},
            },
            "unknown argument 'row_condition'",
        ),
        ({"kwargs.table": "table-66"}, "unknown table 'table-66' (did you mean 'table-06'?)"),
        ({"kwargs.by": ["mesage_bytes"]}, "did you mean 'message_bytes'"),
    ],
)
def test_rule_that_names_what_does_not_exist_is_refused(
    tmp_path: Path, observations: Observations, change: dict[str, Any], said: str
) -> None:
    project = copy_project(tmp_path)

    def apply(suite: dict[str, Any]) -> None:
        rule = suite["expectations"][3]
        for key, value in change.items():
            outer, _, inner = key.partition(".")
            if inner:
                rule[outer][inner] = value
            else:
                rule[outer] = value

    with_suite(project, apply)
    with pytest.raises(CheckError) as error:
        run_suites(project, observations.table)
    assert said in str(error.value)
    assert f"checks/{V94}.json" in str(error.value)


@pytest.mark.thorough
def test_refusal_crosses_the_process(tmp_path: Path, observations: Observations) -> None:
    project = copy_project(tmp_path)
    edit(project.checks / f"{V94}.json", "expect_table_to_repeat", "expect_table_to_repea")
    with pytest.raises(CheckError, match=r"unknown expectation type .*did you mean") as error:
        run_checks(project, observations)
    assert error.value.where == f"checks/{V94}.json: expectations.3"


def test_process_that_dies_is_reported(
    tmp_path: Path, observations: Observations, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = copy_project(tmp_path)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(CheckError, match=r"did not run to their end \(status 1\)"):
        run_checks(project, observations)
    assert not any(path.is_file() for path in (project.cache / "checks").rglob("*"))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"meta": {\n', '"meta": [\n', r"linux\.json:\d+: not valid YAML"),
        ('"name"', '"name": "x", "name"', r"linux\.json:2: .*'name' is given twice"),
        ('"kwargs"', '"kwarg"', r"linux\.json:\d+: .*unknown key 'kwarg'"),
        (f'"dataset": "{V94}"', '"dataset": "v9"', r"linux\.json:4: unknown dataset 'v9'"),
    ],
)
def test_a_broken_suite_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    project = copy_project(tmp_path)
    edit(project.checks / f"{V94}.json", old, new)
    with pytest.raises(CheckError, match=said):
        load_suites(project)


def test_a_project_needs_no_suites(tmp_path: Path) -> None:
    project = copy_project(tmp_path)
    shutil.rmtree(project.checks)
    assert list(load_suites(project)) == ["roundtrip/checks/observations.json"]


@pytest.mark.thorough
def test_nothing_observed_breaks_no_rule(tmp_path: Path) -> None:
    (tmp_path / "_quarto.yml").touch()
    project = Project(tmp_path)
    results = run_checks(project, load_observations(project))
    assert results.failed == ()
    assert {rule.rows_checked for _, rule in results.outcomes} <= {0, 1}


def test_rules_for_every_row_may_be_added(tmp_path: Path) -> None:
    project = copy_project(tmp_path)
    suite = json.loads((project.checks / f"{V94}.json").read_text())
    suite |= {"name": "ours", "meta": {**suite["meta"], "dataset": "observations"}}
    (project.checks / "ours.json").write_text(json.dumps(suite))
    assert load_suites(project)["checks/ours.json"].meta.dataset == "observations"
    suite["name"] = "observations"
    (project.checks / "observations.json").write_text(json.dumps(suite))
    with pytest.raises(CheckError, match="give the suite another name"):
        load_suites(project)


def test_what_no_suite_is_about_is_refused_before_anything_is_checked(tmp_path: Path) -> None:
    project = copy_project(tmp_path)
    (project.checks / f"{V94}.json").unlink()
    done = answer("check", "--report", V94, project=project)
    refused(done, "--report: no suite is about", "there is no suite in checks/ yet", "docs checks")
    # What a check has found is kept under this name.
    assert not list(project.cache.rglob("checks*"))


def test_one_report_is_checked_alone(project: Project) -> None:
    done = answer("check", "--report", V94, "--format", "json", project=project)
    # The rules of every row are run too: a build stops at them.
    suites = {suite["dataset"] for suite in json.loads(done.stdout)["suites"]}
    assert suites == {EVERY_ROW, V94}
    refused(
        answer("check", "--report", "ibm-mq-v9.4-linu", project=project),
        "no suite is about 'ibm-mq-v9.4-linu' (did you mean 'ibm-mq-v9.4-linux'?)",
    )
