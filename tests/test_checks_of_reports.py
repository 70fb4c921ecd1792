"""The suites of all published reports: what holds, what is left out, and what slips they find."""

from __future__ import annotations

from collections import Counter

import pytest

from roundtrip.checks import CheckResults, run_checks
from roundtrip.observations import load_observations
from roundtrip.project import Project
from workshop import ROOT, copy_project, edit

pytestmark = pytest.mark.edition
AIX = "websphere-mq-v7-aix"
APPLIANCE = "mq-appliance-m2003"
MSMQ = "mqseries-vs-msmq"
V10 = "ibm-mq-v10-ha"


@pytest.fixture(scope="module")
def results() -> CheckResults:
    project = Project(ROOT)
    return run_checks(project, load_observations(project))


def test_published_reports_keep_every_rule(results: CheckResults) -> None:
    results.raise_if_failed()
    rows = {suite.dataset: suite.rows for suite in results.suites}
    assert rows.pop("observations") >= sum(rows.values())  # those of campaigns besides
    assert rows == {
        "ibm-mq-v10-ha": 166,
        "ibm-mq-v9.4-linux": 250,
        "mq-appliance-m2003": 1881,
        "mqseries-vs-msmq": 293,
        "websphere-mq-v7-aix": 862,
    }
    assert all(item.rows_checked > 0 for suite in results.suites for item in suite.outcomes)


def test_rules_list_what_they_leave_out(results: CheckResults) -> None:
    rows = [row for _, outcome in results.excluded for row in outcome.excluded]
    by_suite: Counter[str] = Counter()
    for suite, outcome in results.excluded:
        by_suite[suite.title] += len(outcome.excluded)
    assert by_suite == {
        "IBM MQ Appliance M2003 performance report": 2,
        "WebSphere MQ V7 for AIX performance evaluations": 18,
    }
    printed_again = next(row for row in rows if row.table == "Table 29")
    assert printed_again.value == "0.0031"
    assert printed_again.problem == "Table 3 prints 0.0030 s for the same point."


def test_only_doubted_values_and_named_exceptions_are_left_out(results: CheckResults) -> None:
    frame = load_observations(Project(ROOT)).frame
    doubted = set(frame[frame["status"] == "suspect"]["point_id"])
    points = frame.set_index("observation_id")["point_id"]
    for suite, outcome in results.excluded:
        for row in outcome.excluded:
            if (suite.title, row.table) != ("IBM MQ Appliance M2003 performance report", "Table 2"):
                assert points[row.observation_id] in doubted


def test_rules_that_only_corrected_values_keep_say_so(results: CheckResults) -> None:
    corrected = [outcome.rule for suite, outcome in results.outcomes
                 if outcome.corrected and suite.dataset == MSMQ]  # fmt: skip
    assert corrected == [
        "Table 2 repeats Table 5.",
        "The ratios of Table 4 follow from its message rates, to the printed precision.",
        "The throughputs of Table 4 are its message rates times the message size, with 1 KB = "
        "1000 B.",
        "The rates with preloaded queues that text and captions state repeat Table 6.",
    ]


def test_every_topology_is_drawn() -> None:
    frame = load_observations(Project(ROOT)).frame
    drawn = {path.stem for path in (ROOT / "templates" / "diagrams").glob("*.svg")}
    assert {name.lower() for name in frame["topology"].dropna()} <= drawn


SLIPS = [
    # file, what it holds, the slip, the rule that finds it, the cell, what it says
    (f"{APPLIANCE}/table-22.csv", "137,960", "173,960", "Table 22 repeat", "Table 16 prints"),
    (f"{APPLIANCE}/table-14-b.csv", "92.8%", "98.2%", "prints for 20 ms", "computed 92.7"),
    (f"{APPLIANCE}/table-21.csv", "200,0.7", "200,0.8", "reciprocal of the", "Figure 19 gives"),
    (f"{APPLIANCE}/figures/figure-05.csv", "423235", "432235", "Each curve", "Table 4"),
    (f"{APPLIANCE}/figures/figure-07.csv", ",cpu,40,5", ",cpu,40,6", "Curves of one", "Figure 1"),
    (f"{MSMQ}/table-01.csv", "46.4", "64.4", "Table 1 repeats", "Table 4 prints 46.4"),
    (f"{MSMQ}/table-04.csv", "47.9", "49.7", "throughputs of Table 4", "computed 4.97"),
    (f"{MSMQ}/table-05.csv", "75.2,74.4", "73.2,74.4", "above the peak", "74.4 stands beside"),
    (f"{AIX}/table-02.csv", "0.014", "0.14", "Rate times response", "requests in flight"),
    (f"{AIX}/table-05.csv", "2992", "3992", "set rate of its", "3,000 requesters"),
    (f"{AIX}/table-37.csv", "690K", "960K", "memory per client", "computed"),
    (f"{V10}/sec-5.1.2.csv", "40611889", "46011889", "compressed log data", "computed 46"),
]


@pytest.fixture(scope="module")
def slipped(tmp_path_factory: pytest.TempPathFactory) -> CheckResults:
    """Slips that the reader cannot see: each file is well formed."""
    project = copy_project(tmp_path_factory.mktemp("slipped"), ("_quarto.yml", "checks", "data"))
    for file, old, new, *_ in SLIPS:
        edit(project.published / file, old, new)
    return run_checks(project, load_observations(project))


@pytest.mark.parametrize(
    ("file", "rule", "said"), [(file, rule, said) for file, _, _, rule, said in SLIPS]
)
def test_slip_is_found(slipped: CheckResults, file: str, rule: str, said: str) -> None:
    rows = [row for _, broken in slipped.failed if rule in broken.rule for row in broken.failures]
    assert any(file in row.file and said in row.problem for row in rows), list(map(str, rows))
