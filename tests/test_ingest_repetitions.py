"""Runs of one point: numbered by a column or a file name, averaged, traceable, never mixed."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
import zstandard

from roundtrip.checks import run_checks
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import ChapterError, DataError
from roundtrip.files import sha256_of, sha256_of_tree
from roundtrip.ingest.again import read_again
from roundtrip.ingest.manifest import load_inputs
from roundtrip.ingest.rows import read_rows
from roundtrip.ingest.session import Outcome, ingest_paths
from roundtrip.methodology.review import grade_of
from roundtrip.observations import load_observations
from roundtrip.present import (
    Chapter,
    chart,
    compare,
    ingested_peaks,
    ingested_table,
    plotly_figure,
    results_table,
)
from roundtrip.present.appendices import configurations
from roundtrip.present.comparison import comparison
from roundtrip.present.ingested import ALONE, OVER_RUNS, ingested_points
from roundtrip.present.measured.means import mean_of_cells
from roundtrip.present.points import ingested, of_one_statistic, points_of
from roundtrip.project import Project
from roundtrip.stats.intervals import mean_interval
from test_hdr import packed, version2
from test_ingest_campaign import jms_run
from workshop import ROOT, copy_project

DICTIONARY = load_dictionary(ROOT / "data" / "dictionary.yml")
MAPPING = """\
repetition: run
columns:
  n: {factor: requesters}
  size: {factor: message_bytes}
  rate: {metric: round_trip_rate, statistic: mean, unit: round trips/s}
  p99: {metric: round_trip_time, statistic: p99, unit: ms}
"""
HEAD = "run,n,size,rate,p99\n"
THREE = "1,{n},{size},{0},4\n2,{n},{size},{1},5\n3,{n},{size},{2},6\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return copy_project(tmp_path / "project", ("_quarto.yml", "data/dictionary.yml"))


def ingest(
    project: Project, text: str, mapping: str = MAPPING, campaign: str | None = "lab"
) -> Outcome:
    logs = project.root.parent / f"logs-{campaign}"
    logs.mkdir(exist_ok=True)
    (logs / "a.csv").write_text(text)
    (logs / "a.mapping.yml").write_text(mapping)
    return ingest_paths([logs], dictionary=DICTIONARY, project=project, campaign=campaign)


def runs_of(project: Project) -> tuple[int, int]:
    """Count runs that were numbered, and the points that they are of."""
    kept = read_rows(project.campaigns / "lab" / "ingested.csv")
    runs = {row["point"]: row["run_of"] for row in kept if row.get("run_of")}
    return len(runs), len(set(runs.values()))


def three(n: int, *rates: float, size: int = 1024) -> str:
    return THREE.format(*rates, n=n, size=size)


def test_rows_that_are_runs_of_one_point_are_their_mean_with_an_interval(project):
    text = HEAD + three(1, 100, 110, 120) + three(4, 390, 400, 410) + "1,8,1024,800,7\n"
    ingest(project, text)
    assert runs_of(project) == (7, 3)
    chapter = Chapter(folder=project.root, rate_unit="messages/s")
    points = chapter.points(campaign="lab").set_index("requesters")
    assert list(points["round_trip_rate"]) == [220, 800, 1600]
    assert list(points["round_trip_rate_runs"]) == [3, 3, 1]
    expected = mean_interval([100, 110, 120])
    first = points.loc[1]
    ends = first[["round_trip_rate_low", "round_trip_rate_high"]]
    assert list(ends) == pytest.approx([2 * expected.low, 2 * expected.high])
    assert points.loc[8, ["round_trip_rate_low", "round_trip_rate_high"]].isna().all()
    assert list(points["round_trip_time_p99"]) == [5, 5, 7]
    # Every run of the mean can be found again, in its line.
    rate = chapter.quantity(points.reset_index(), requesters=1)
    runs = chapter.observations.rows_of(rate.cells)
    assert list(runs["value"]) == [100, 110, 120]
    assert list(runs["repetition"]) == [1, 2, 3]
    assert runs["point_id"].nunique() == 1
    kept = (project.campaigns / "lab" / "ingested.csv").read_text().splitlines()
    assert all(f",{row.value:g}," in kept[int(row.line) - 1] for row in runs.itertuples())
    assert not run_checks(project, chapter.observations).failed


def test_a_mean_beside_a_rate_is_over_all_of_its_runs_or_not_shown(project):
    mapping = MAPPING + "  busy: {metric: machine_cpu, statistic: mean, unit: '%'}\n"
    head = HEAD.replace("p99", "p99,busy")
    ingest(project, head + "1,4,1024,390,4,50\n2,4,1024,400,5,\n1,8,1024,800,7,90\n", mapping)
    table = ingested_table(Chapter(folder=project.root), "lab", caption="c")
    assert [head.text for head in table.header[0]][-2:] == ["Round-trip time p99 (ms)", "CPU (%)"]
    shown = [[cell.text for cell in row][-3:] for row in table.rows]
    assert shown == [["2", "4.50", "\u2013"], ["1", "7.00", "90.00"]]
    assert any("a run of the point has no value" in note for note in table.notes)


def test_tables_charts_and_sentences_show_the_intervals(project):
    ingest(project, HEAD + three(1, 100, 110, 120) + three(4, 390, 400, 410) + "1,8,1024,800,7\n")
    chapter = Chapter(folder=project.root)
    points = chapter.points(campaign="lab")
    table = results_table(
        chapter, points, caption="c", row="requesters", metrics=("round_trip_rate",)
    )
    assert [head.text for head in table.header[0]][1:] == ["Round trips/s", "95\u00a0% interval"]
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["1", "110", "85\u2013135"], ["4", "400", "375\u2013425"], ["8", "800", "\u2013"],
    ]  # fmt: skip
    assert any(note.startswith("Means over 1 to 3 runs") for note in table.notes)
    assert table.csv.splitlines()[0] == "requesters,metric,value,unit,cells"
    figure = chart(chapter, points, x="requesters", y="round_trip_rate", title="t", caption="c")
    assert figure.alt.startswith("Bar chart with intervals. t. 1 110")
    assert "(85 to 135)" in figure.alt
    assert len(figure.cells) == 7
    bars = figure.chart.data[0]
    assert [up is None for up in bars.error_y.array] == [False, False, True]  # of one run
    own = plotly_figure(chapter, figure.chart, points, title="t", caption="c", alt="a")
    assert set(figure.cells) < set(own.cells)
    listed = ingested_table(chapter, "lab", caption="c")
    assert [cell.text for cell in listed.header[0]][3:7] == [
        "Rate", "Unit", "95\u00a0% interval", "Runs",
    ]  # fmt: skip
    assert [[cell.text for cell in row][3:] for row in listed.rows] == [
        ["110", "round trips/s", "85\u2013135", "3", "5.00"],
        ["400", "round trips/s", "375\u2013425", "3", "5.00"],
        ["800", "round trips/s", "\u2013", "1", "7.00"],
    ]  # fmt: skip
    assert {OVER_RUNS, ALONE, "* highest of its sweep."} == set(listed.notes)
    assert "with 8 requesters." in ingested_peaks(chapter, "lab").markdown
    groups = [row[0].text for row in ingested_points(chapter, "lab").rows if len(row) == 1]
    assert [group.rpartition(", ")[2] for group in groups] == [
        *["run 1", "run 2", "run 3"] * 2, "run 1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ((390, 400, 410), ""),
        (
            (112, 122, 132),
            "1 of the other points: the 95\u00a0% intervals overlap, or one run gives none.",
        ),
    ],
)
def test_the_highest_rate_is_not_told_apart_where_intervals_overlap(project, second, said):
    ingest(project, HEAD + three(1, 100, 110, 120) + three(4, *second))
    chapter = Chapter(folder=project.root)
    told = ingested_peaks(chapter, "lab").markdown
    assert told.endswith(said)
    assert bool(said) == ("cannot be told apart" in told)
    points = chapter.points(campaign="lab")
    table = results_table(chapter, points, caption="c", row="requesters", baseline=1)
    assert any("Ratios of ingested runs" in note for note in table.notes)


def test_a_percentile_that_one_run_lacks_has_no_mean(project):
    text = HEAD + three(1, 100, 110, 120).replace("120,6", "120,") + three(4, 390, 400, 410)
    ingest(project, text)
    chapter = Chapter(folder=project.root)
    points = chapter.points(campaign="lab")
    assert list(points["round_trip_time_p99"].isna()) == [True, False]
    listed = ingested_table(chapter, "lab", caption="c")
    assert [row[-1].text for row in listed.rows] == ["\u2013", "5.00"]


def test_a_peak_is_the_point_of_the_highest_mean_not_of_the_highest_run(project):
    text = HEAD + three(1, 100, 100, 100) + three(2, 300, 300, 300) + three(4, 200, 200, 390)
    ingest(project, text)
    peaks = [row for row in read_rows(project.campaigns / "lab" / "ingested.csv")
             if row["statistic"] == "peak" and row["metric"] == "round_trip_rate"]  # fmt: skip
    assert [(row["requesters"], row["value"]) for row in peaks] == [("2", 300)] * 3
    assert all(row["note"].startswith("highest of a sweep over 3 points") for row in peaks)


@pytest.mark.parametrize("campaign", ["lab", None])
def test_two_runs_of_one_number_are_refused_with_the_place_of_both(project, campaign):
    with pytest.raises(DataError, match="two rows are run 1 of one point") as caught:
        ingest(project, HEAD + "1,1,1024,100,4\n2,1,1024,100,4\n1,1,1024,900,4\n",
               campaign=campaign)  # fmt: skip
    assert caught.value.where == "a.csv:2 and a.csv:4"
    assert not (project.campaigns / "lab").exists()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("repetition: run", "repetition: n", "repetition is the column 'n', which columns or"),
        ("repetition: run", "repetition: runs", "name the column 'run' once (did you mean"),
        ("repetition: run", "repetitions: run", "unknown key 'repetitions' (did you mean"),
    ],
)
def test_a_mapping_whose_repetition_is_no_column_of_its_own_is_refused(project, old, new, says):
    with pytest.raises(DataError) as caught:
        ingest(project, HEAD + three(1, 1, 2, 3), MAPPING.replace(old, new))
    assert says in str(caught.value)


def test_a_row_without_the_number_of_its_run_is_rejected(project):
    outcome = ingest(project, HEAD + three(1, 100, 110, 120) + ",4,1024,5,6\nfirst,4,1024,5,6\n")
    assert outcome.readings[0].entry.rejected == 2
    assert "run: 'first' does not number a run; allowed: a whole number" in outcome.reasons[1]


def test_runs_ingested_one_after_the_other_are_those_of_one_ingest_and_read_again(project):
    text = HEAD + three(1, 100, 110, 120)
    ingest(project, text, campaign="whole")
    for place, line in enumerate(text.splitlines()[1:]):
        folder = project.root.parent / "parts"
        folder.mkdir(exist_ok=True)
        (folder / f"{place}.csv").write_text(f"{HEAD}{line}\n")
        (folder / f"{place}.mapping.yml").write_text(MAPPING)
        ingest_paths([folder / f"{place}.csv"], dictionary=DICTIONARY, project=project,
                     campaign="parts")  # fmt: skip
    chapter = Chapter(folder=project.root)
    for name in ("whole", "parts"):
        points = chapter.points(campaign=name)
        assert points[["round_trip_rate", "round_trip_rate_runs"]].to_numpy().tolist() == [[110, 3]]
    before = sha256_of_tree(project.campaigns / "whole")
    assert not ingest(project, text, campaign="whole").changed
    assert sha256_of_tree(project.campaigns / "whole") == before
    again = read_again(project.campaigns / "whole", DICTIONARY, {"a.csv"})
    assert (again.read, again.unchecked, again.wrong) == (1, [], [])


def test_compare_and_the_page_of_points_have_means_over_runs(project):
    lacking = three(1, 100, 110, 120).replace("120,6", "120,")  # a percentile that one run lacks
    ingest(project, HEAD + lacking, campaign="old")
    ingest(project, HEAD + three(1, 200, 220, 240), campaign="new")
    ingest(project, HEAD + "1,1,1024,50,4\n", campaign="alone")
    chapter = Chapter(folder=project.root)
    found = compare(chapter, "old", "new", "alone", title="t", caption="c.")
    rows = [[cell.text for cell in row] for row in found.table.rows][1:]
    assert [row[:3] for row in rows] == [
        ["campaign old", "110", "85\u2013135"], ["campaign new", "220", "170\u2013270"],
        ["campaign alone", "50", "\u2013"],
    ]  # fmt: skip
    assert rows[1][3] == "2.00"
    assert any("Without intervals over runs" in note for note in found.table.notes)
    drawn = comparison(chapter)
    values = {
        drawn["sources"][one["source"]]["id"]: one["values"]["0"][0] for one in drawn["series"]
    }
    assert values["old"][1] == 110
    assert values["old"][-2:] == [100, 120]
    assert sorted(len(one["values"]) for one in drawn["series"]) == [1, 2, 2]
    assert all(points for one in drawn["series"] for points in one["values"].values())


def test_who_measured_what_and_where_is_shown(project):
    logs = logs_of(project, {"r_1K_1.log": 100}, "r_{message_bytes}_{repetition}.log")
    with (logs / "campaign.yml").open("a") as file:
        file.write("title: A broker\nwho: The *lab*\nwhere: Cologne\nnote: |\n  one\n  two\n")
    ingest_paths([logs], dictionary=DICTIONARY, project=project, campaign="lab")
    tables = {part.label: part for part in configurations(Chapter(folder=project.root))[1:]}
    rows = [[cell.text for cell in row] for row in tables["tbl-ingested-context"].rows]
    assert rows[-4:] == [
        ["Title", "A broker"], ["Measured by", "The *lab*"], ["Where", "Cologne"],
        ["Note", "one two"],
    ]  # fmt: skip


def test_a_review_says_of_what_was_ingested_what_can_be_told(project):
    ingest(project, HEAD + three(1, 100, 101, 100.5))
    folder = project.campaigns / "lab"

    def reasons() -> dict[str, tuple[str, str]]:
        judged = grade_of(load_observations(project), "lab").judged
        return {one.rule: (one.finding.verdict.value, one.finding.reason) for one in judged}

    found = reasons()
    assert found["raw-unchanged"] == ("pass", "kept logs with the hash of the manifest: 1")
    assert found["points-derived"] == ("pass", "1 of 1 logs were read again, with the same points")
    assert found["repetitions"] == ("pass", "each of 1 points has at least 3 runs")
    assert found["intervals"][0] == "pass"
    assert found["steady-state"][0] == "not assessable"
    assert "the plan and the record of the runs" in found["steady-state"][1]
    (entry,) = load_inputs(folder)
    mapping = folder / str(entry.mapping)
    mapping.write_text("repetition: 4\n")
    told, said = reasons()["points-derived"]
    assert (told, said.partition(" (")[0]) == (
        "not assessable", "its logs cannot be read as they were"
    )  # fmt: skip
    mapping.write_text(MAPPING)
    raw, whole = folder / str(entry.raw), (folder / str(entry.raw)).read_bytes()
    for content in (zstandard.ZstdCompressor().compress(b"another"), whole[:-9]):
        raw.write_bytes(content)
        found = reasons()
        assert found["raw-unchanged"][1] == "1 of 1 logs are not what was read: a.csv"
        assert {found[rule][0] for rule in ("raw-unchanged", "points-derived")} == {"fail"}
        assert "pass" not in {verdict for verdict, _ in found.values()}
    raw.unlink()
    assert reasons()["raw-unchanged"][1] == "1 of 1 logs are not kept: a.csv"


# --- logs -----------------------------------------------------------------------------------------
def logs_of(project: Project, names: dict[str, int], pattern: str) -> Path:
    logs = project.root.parent / "logs"
    logs.mkdir()
    for name, rate in names.items():
        (logs / name).write_text(jms_run(2, [rate] * 5))
    (logs / "campaign.yml").write_text(f'files:\n- pattern: "{pattern}"\n')
    return logs


@pytest.mark.parametrize(
    ("names", "pattern"),
    [
        ({"r_1K_1.log": 100, "r_1K_2.log": 120, "r_2K_1.log": 90},
         "r_{message_bytes}_{repetition}.log"),
        ({"r-1K-2026-11-21-10-00-00.log": 100, "r-1K-2026-11-21-11-00-00.log": 120,
          "r-2K-2026-11-21T12:00:00.log": 90}, "r-{message_bytes}-{repetition}.log"),
    ],
)  # fmt: skip
def test_logs_are_runs_of_one_point_where_their_names_number_them(project, names, pattern):
    logs = logs_of(project, names, pattern)
    ingest_paths([logs], dictionary=DICTIONARY, project=project, campaign="lab")
    chapter = Chapter(folder=project.root)
    points = chapter.points(campaign="lab").set_index("message_bytes")
    assert points["round_trip_rate"].to_dict() == {1024: 110, 2048: 90}
    assert points["round_trip_rate_runs"].to_dict() == {1024: 2, 2048: 1}
    again = read_again(project.campaigns / "lab", DICTIONARY, set(names))
    assert (again.read, again.unchecked, again.wrong) == (3, [], [])


def test_a_value_that_is_rounded_where_it_is_kept_is_that_of_the_logs(project):
    twice = 100.1234349998  # to eight digits, another than to ten and then to eight
    assert f"{twice:.8g}" != f"{float(f'{twice:.10g}'):.8g}"
    ingest(project, f"{HEAD}1,1,1024,{twice!r},4\n")
    assert not read_again(project.campaigns / "lab", DICTIONARY, {"a.csv"}).wrong


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("repetition", "4", "repetition is 4, by the logs 3"),
        ("run_of", "another", "run_of is another, by the logs a-"),
        ("value", "7", "value is 7, by the logs 6"),
        ("line", "9", "is not in the logs"),
    ],
)
def test_what_was_changed_of_a_run_does_not_follow_from_the_logs(project, column, value, says):
    ingest(project, HEAD + three(1, 100, 110, 120))
    folder = project.campaigns / "lab"
    points, manifest = folder / "ingested.csv", folder / "manifest.yml"
    told = points.read_text()
    number = told.splitlines()[0].split(",").index(column)
    lines = [line.split(",") for line in told.splitlines()]
    lines[-1][number] = value
    points.write_text("".join(",".join(cells) + "\n" for cells in lines))
    text = manifest.read_text().replace(sha256_of(told), sha256_of(points.read_text()))
    manifest.write_text(text)
    wrong = read_again(folder, DICTIONARY, {"a.csv"}).wrong
    assert any(says in line for line in wrong)


CPH = "[Requester0] START\n[Requester1] START\n" + (
    "rate={0}.00,threads=2,avg_latency(uSec)=90,max_latency(uSec)=120,min_latency(uSec)=80\n"
    * 6
    + "avg_latency(uSec)=90,max_latency(uSec)=120,min_latency(uSec)=80\n"
    "totalIterations=600,totalSeconds=6.50,avgRate={1}.00\n"
)
JMS = "ControlThread1: START\nRequestor0: START\nRequestor1: START\n" + (
    "tps={0}.00,avgResponse(micros)=90,threads=2\n"
    * 6
    + "totalIterations=600,avgDuration=6.50,totalRate={1}.00\n"
    "            OVERALL:                 600                6.40               93.75|"
    "                  91                  80                 120                 ---\n"
)


@pytest.mark.parametrize(("log", "metrics"), [
    (CPH, {"rate": "round_trip_rate", "latency_avg": "round_trip_time",
           "run_rate": "round_trip_rate"}),
    (JMS, {"rate": "round_trip_rate", "response": "round_trip_time", "run_rate": "round_trip_rate",
           "run_response": "round_trip_time"}),
])  # fmt: skip
def test_logs_that_sum_their_run_up_in_two_lines_are_runs_of_one_point(project, log, metrics):
    logs = logs_of(project, {"r_1.log": 1, "r_2.log": 2}, "r_{repetition}.log")
    for name, rate in (("r_1.log", 100), ("r_2.log", 120)):
        (logs / name).write_text(log.format(rate, rate - 10))
    outcome = ingest_paths([logs], dictionary=DICTIONARY, project=project, campaign="lab")
    assert [reading.points for reading in outcome.readings] == [1, 1]
    assert runs_of(project) == (2, 1)
    kept = read_rows(project.campaigns / "lab" / "ingested.csv")
    assert {row["quantity"]: row["metric"] for row in kept if row["metric"]} == metrics
    summed = [row["value"] for row in kept if row["quantity"] == "run_rate" and row["metric"]]
    assert summed == [90, 110]  # of two lines the first counts
    points = Chapter(folder=project.root).points(campaign="lab")
    assert points[["round_trip_rate", "round_trip_rate_runs"]].to_numpy().tolist() == [[110, 2]]


@pytest.mark.parametrize("pattern", ["*_{repetition}.log", "*.log"])
def test_senders_and_receivers_of_a_run_are_points_of_their_own(project, pattern):
    names = {f"{kind}_{run}.log": kind for kind in ("Sender", "Receiver") for run in (1, 2)}
    logs = logs_of(project, {}, pattern)
    for place, (name, kind) in enumerate(names.items()):
        (logs / name).write_text(jms_run(2, [100 * (place + 1)] * 5, kind))
    for name in names:  # in parts, so that kept rows are read again
        outcome = ingest_paths([logs / name], dictionary=DICTIONARY, project=project,
                               campaign="lab")  # fmt: skip
    points = Chapter(folder=project.root).points(campaign="lab")
    numbered = "repetition" in pattern
    assert sorted(points["message_rate"]) == ([150, 350] if numbered else [100, 200, 300, 400])
    outcome = ingest_paths([logs], dictionary=DICTIONARY, project=project, campaign="lab")
    assert not outcome.changed
    again = read_again(project.campaigns / "lab", DICTIONARY, set(names))
    assert (again.read, again.unchecked, again.wrong) == (4, [], [])


def test_histograms_of_two_shapes_under_one_tag_are_of_one_run(project):
    logs = logs_of(project, {}, "*_{repetition}.hlog")
    with (logs / "campaign.yml").open("a") as stream:
        stream.write("  role: requesters\nhistogram_unit: us\n")
    histograms = [packed(version2(b"\x09\x02", digits=digits)) for digits in (2, 3)]
    text = "#[Histogram log format version 1.3]\n" + "".join(
        f"{place}.000,1.000,1.000,{histogram}\n" for place, histogram in enumerate(histograms)
    )
    for run in (1, 2):
        (logs / f"r_{run}.hlog").write_text(text)
    ingest_paths([logs], dictionary=DICTIONARY, project=project, campaign="lab")
    assert runs_of(project) == (2, 1)
    (point,) = Chapter(folder=project.root).points(campaign="lab").itertuples()
    assert point.round_trip_time_p99_runs == 2


def test_values_without_a_metric_are_no_runs(project):
    logs = logs_of(project, {}, "*_{repetition}.log")
    (logs / "r_1.log").write_text(
        "[Responder0] START\n" + "totalIterations=9,totalSeconds=3.00,avgRate=3.00\n" * 2
    )
    ingest_paths([logs], dictionary=DICTIONARY, project=project, campaign="lab")
    assert runs_of(project) == (0, 0)


def test_logs_that_nobody_numbered_stay_points(project):
    logs = logs_of(project, {"a.log": 100, "b.log": 120, "c.log": 90}, "*.log")
    ingest_paths([logs], dictionary=DICTIONARY, project=project, campaign="lab")
    points = Chapter(folder=project.root).points(campaign="lab")
    assert sorted(points["round_trip_rate"]) == [90, 100, 120]
    assert "round_trip_rate_runs" not in points


def test_two_logs_of_one_number_are_refused(project):
    logs = logs_of(project, {"a_1.log": 100, "b_1.log": 120}, "*_{repetition}.log")
    with pytest.raises(DataError, match="run 1 of one point") as caught:
        ingest_paths([logs], dictionary=DICTIONARY, project=project, campaign="lab")
    assert str(caught.value.where).startswith("a_1.log:")


def test_a_run_with_two_values_for_one_column_is_refused(project):
    ingest(project, HEAD + three(1, 100, 110, 120))
    chapter = Chapter(folder=project.root)
    frame = ingested(chapter.observations, "lab").assign(repetition=1.0)
    with pytest.raises(ChapterError, match="several values for one column"):
        points_of(frame, chapter.dictionary)


def test_an_interval_is_in_the_unit_of_its_mean(project):
    last = "{metric: round_trip_rate, statistic: maximum, unit: round trips/s}"
    sent = "{metric: message_rate, statistic: mean, unit: messages/s}"
    mapping = "\n".join([*MAPPING.splitlines()[:-1], f"  top: {last}", f"  sent: {sent}"])
    text = "run,n,size,rate,top,sent\n1,8,1024,100,109,209\n2,8,1024,102,111,211\n"
    ingest(project, text, mapping)
    chapter = Chapter(folder=project.root, rate_unit="messages/s")
    points = chapter.points(campaign="lab")
    for name, mean in (
        ("round_trip_rate", 202), ("round_trip_rate_maximum", 110), ("message_rate", 210),
    ):  # fmt: skip
        found = mean_of_cells(chapter, chapter.quantities(points, name)[0])
        assert found.quantity.value == mean
        assert found.ends[0] < mean < found.ends[1]


def test_a_mean_over_runs_takes_the_statistic_that_each_run_has():
    rows = [("1", "steady", 10.0), ("1", "mean", 8.0), ("2", "mean", 6.0)]
    frame = pd.DataFrame(rows, columns=["repetition", "statistic", "value"])
    frame = frame.assign(point_id="p", metric="round_trip_rate")
    assert list(of_one_statistic(frame, "metric", ["steady", "mean"])["value"]) == [8.0, 6.0]
    alone = of_one_statistic(frame[:2].assign(repetition=None), "metric", ["steady", "mean"])
    assert list(alone["value"]) == [10.0]
