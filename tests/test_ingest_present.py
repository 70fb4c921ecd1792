"""What chapters show of an ingested campaign."""

# ruff: noqa: E501 - lines of logs are shown whole
from __future__ import annotations

import pandas as pd
import pytest

from roundtrip.dictionary import load_dictionary
from roundtrip.errors import ChapterError, DataError
from roundtrip.ingest.session import ingest_paths
from roundtrip.present import (
    Chapter,
    chart,
    compare,
    ingested_peaks,
    ingested_table,
    results_table,
)
from roundtrip.present.ingested import ingested_points
from roundtrip.present.points import ingested, points_of
from roundtrip.skeletons import new_project
from support.shared.ingested_logs import ingested_extents, ingested_replication
from test_ingest_campaign import DICTIONARY, EXAMPLE, jms_run
from test_ingest_readers import amqerr
from workshop import ROOT, V94, copy_project


@pytest.fixture(scope="module")
def chapter(tmp_path_factory):
    """A chapter of a project that holds an ingested campaign with high availability."""
    home = tmp_path_factory.mktemp("ingested")
    project = copy_project(
        home / "project", ("_quarto.yml", "data/dictionary.yml", "data/published")
    )
    logs = home / "logs"
    logs.mkdir()
    for threads, rate in ((1, 100), (2, 190), (4, 180)):
        (logs / f"{threads}.log").write_text(jms_run(threads, [rate] * 5))
    (logs / "AMQERR01.LOG").write_text(
        "".join(
            amqerr(second=second, extent=7 + second // 2, created=second, reused=1)
            for second in range(1, 8)
        )
    )
    replica = "site-b-1".ljust(48)
    (logs / "nha.txt").write_text(
        "".join(
            f"Publication received PutDate:20240101 PutTime:10{minute:02d}0000 Interval:10.000 seconds\n"
            f"{replica}Backlog bytes {minute * 1000000}\n{replica}Rebase count 0\n"
            f"{replica}Average network round trip time 500 uSec\n"
            for minute in range(5)
        )
    )  # fmt: skip
    (logs / "campaign.yml").write_text(
        "factors: {ha: NHA, replication: CRR, delivery: persistent, message_bytes: 2048, "
        "link_compressed: false}\n"
    )
    for path, name in ((logs, "lab"), (EXAMPLE, "example")):
        ingest_paths([path], dictionary=DICTIONARY, project=project, campaign=name)
    return Chapter(V94, folder=project.root)


def test_a_table_shows_what_belongs_to_its_chapter(chapter):
    table = ingested_table(chapter, "lab", caption="HA", ha=True)
    assert table is not None
    assert [[cell.text for cell in row][1:4] for row in table.rows] == [
        ["2\u00a0KB", "1", "100"], ["2\u00a0KB", "2", "190"], ["2\u00a0KB", "4", "180"],
    ]  # fmt: skip
    assert [row[0].text.endswith("*") for row in table.rows] == [False, True, False]
    assert ingested_table(chapter, "lab", caption="", delivery="nonpersistent") is None
    assert ingested_table(chapter, "example", caption="", ha=True) is None
    assert ingested_table(chapter, "lab", caption="", link_compressed=True) is None
    uncompressed = ingested_table(chapter, "lab", caption="C", link_compressed=False)
    assert uncompressed is not None
    assert len(uncompressed.rows) == 3
    assert ingested_table(chapter, "lab", caption="", link_compressed=None) is None
    with pytest.raises(ChapterError, match="did you mean 'persistent'"):
        ingested_table(chapter, "lab", caption="", delivery="persistant")


def test_points_that_a_factor_tells_apart_show_it(tmp_path):
    project = copy_project(tmp_path / "project", ("_quarto.yml", "data/dictionary.yml"))
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.csv").write_text("n,mode,pairs,rate\n1,persistent,1,10\n1,persistent,1000,20\n")
    (logs / "a.mapping.yml").write_text(
        "columns:\n  n: {factor: requesters}\n  mode: {factor: delivery}\n"
        "  pairs: {factor: queue_pairs}\n"
        "  rate: {metric: round_trip_rate, statistic: mean, unit: round trips/s}\n"
    )
    ingest_paths([logs], dictionary=DICTIONARY, project=project, campaign="lab")
    table = ingested_table(Chapter(folder=project.root), "lab", caption="Pairs")
    assert table is not None
    assert [cell.text for cell in table.header[0]][2:5] == ["Requesters", "Queue pairs", "Rate"]
    assert [row[3].text for row in table.rows] == ["1", "1,000"]


def logs_of(tmp_path, rates):
    """A project with one campaign for each list of rates, each run with a median and a p99."""
    project = copy_project(tmp_path / "project", ("_quarto.yml", "data/dictionary.yml"))
    for name, rows in rates.items():
        logs = tmp_path / name
        logs.mkdir()
        lines = [f"{size},{rate},{rate / 1000},{rate / 500}" for size, rate in rows]
        (logs / "a.csv").write_text("\n".join(["size,rate,half,slow", *lines]) + "\n")
        (logs / "a.mapping.yml").write_text(
            "columns:\n  size: {factor: message_bytes}\n"
            "  rate: {metric: round_trip_rate, statistic: mean, unit: round trips/s}\n"
            "  half: {metric: round_trip_time, statistic: p50, unit: ms}\n"
            "  slow: {metric: round_trip_time, statistic: p99, unit: ms}\n"
        )
        ingest_paths([logs], dictionary=DICTIONARY, project=project, campaign=name)
    return Chapter(folder=project.root)


def test_an_ingested_campaign_has_points_like_a_published_table(tmp_path):
    chapter = logs_of(tmp_path, {"lab": [(1024, 3000), (2048, 2000)]})
    points = chapter.points(campaign="lab")
    assert list(points["round_trip_time_p99"]) == [6.0, 4.0]
    slow = chapter.quantity(points, "round_trip_time_p99", message_bytes=2048)
    assert (slow.value, slow.unit, slow.kind) == (4.0, "ms", "measured")
    assert chapter.label("round_trip_time_p99") == "Round-trip time p99"
    shown = results_table(
        chapter, points, caption="C", row="message_bytes",
        metrics=("round_trip_rate", "round_trip_time_p50", "round_trip_time_p99"),
    )  # fmt: skip
    assert [cell.text for cell in shown.header[0]][-1] == "Round-trip time p99 (ms)"
    figure = chart(
        chapter, points, x="message_bytes", y="round_trip_time_p99", title="t", caption="c"
    )
    assert "lab/ingested" in " ".join(figure.cells)
    with pytest.raises(ChapterError, match="did you mean 'round_trip_time_p"):
        chapter.quantities(points, "round_trip_time")
    with pytest.raises(DataError, match="did you mean 'lab'"):
        chapter.points(campaign="lav")


def test_requesters_are_written_as_all_numbers_of_the_edition(tmp_path):
    project = copy_project(tmp_path / "project", ("_quarto.yml", "data/dictionary.yml"))
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "a.csv").write_text("n,rate\n2000,10\n1,5\n")
    (logs / "a.mapping.yml").write_text(
        "columns:\n  n: {factor: requesters}\n"
        "  rate: {metric: round_trip_rate, statistic: mean, unit: round trips/s}\n"
    )
    ingest_paths([logs], dictionary=DICTIONARY, project=project, campaign="lab")
    chapter = Chapter(folder=project.root, number_format="1.234,5")
    table = ingested_table(chapter, "lab", caption="Rates")
    assert {row[2].text for row in table.rows} == {"1", "2.000"}
    assert "with 2.000 requesters." in ingested_peaks(chapter, "lab").markdown


def test_points_that_state_no_size_are_in_every_edition(tmp_path):
    folder = logs_of(tmp_path, {"lab": [(2048, 2000)], "none": [("", 3000)]}).project.root
    chapter = Chapter(folder=folder, message_bytes=[1024])
    assert list(chapter.points(campaign="none")["round_trip_rate"]) == [3000]
    assert len(ingested_table(chapter, "none", caption="C").rows) == 1
    with pytest.raises(ChapterError, match="nothing left to show of lab"):
        chapter.points(campaign="lab")


def test_a_point_with_two_values_for_one_column_is_refused(tmp_path):
    chapter = logs_of(tmp_path, {"lab": [(1024, 3000)]})
    frame = ingested(chapter.observations, "lab")
    twice = pd.concat([frame, frame.assign(statistic="single"), frame.assign(statistic="total")])
    with pytest.raises(ChapterError, match="several values for one column 'round_trip_rate'"):
        points_of(twice[twice["statistic"] != "mean"], chapter.dictionary)


ERRORS = """statistics: {stderr: Standard error of the mean.}
metrics: {gc_pause: {unit: ms, label: GC pause, description: Time per second.}}
"""
WITH_ERRORS = """constants: {message_bytes: 2048}
columns:
  version: {factor: product_version}
  mode: {factor: delivery, words: {np: nonpersistent, p: persistent}}
  n: {factor: requesters}
  rate: {metric: round_trip_rate, statistic: mean, unit: round trips/s}
  error: {metric: round_trip_rate, statistic: stderr, unit: round trips/s}
  gc: {metric: gc_pause, statistic: mean, unit: ms}
"""


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    """A chapter of a project with an error beside each rate, and a metric of its own."""
    project = new_project(tmp_path_factory.mktemp("errors") / "p", "T", "A")
    (project.dictionary).write_text(ERRORS)
    table = project.root / "table.csv"
    table.write_text(
        "version,mode,n,rate,error,gc\n3.1,np,8,3665,73.3,1.5\n3.1,p,8,2000,10,1.5\n"
        "3.2,np,8,4105,42,1.9\n"
    )
    table.with_name("table.mapping.yml").write_text(WITH_ERRORS)
    dictionary = load_dictionary(project.dictionary)
    ingest_paths([table], dictionary=dictionary, project=project, campaign="lab")
    return Chapter(folder=project.root)


def test_an_error_of_a_rate_is_no_rate(errors):
    table = ingested_table(errors, "lab", caption="Rates")
    assert [row[5].text for row in table.rows] == ["3,665", "2,000", "4,105"]
    points = errors.points(campaign="lab")
    assert list(points["round_trip_rate"]) == [3665, 2000, 4105]
    first, *_ = errors.quantities(points, "round_trip_rate_stderr")
    assert (first.value, first.unit) == (73.3, "round trips/s")


def test_what_has_no_column_is_named_below_the_table(errors):
    notes = ingested_table(errors, "lab", caption="Rates").notes
    assert "The files also state, without a column here: GC pause, Round trips/s stderr." in notes


def test_the_highest_rate_is_told_with_all_that_varies(errors):
    said = ingested_peaks(errors, "lab").markdown.replace("\\", "")
    assert said.endswith(
        ", with 8 requesters, version 3.2, delivery non-persistent. It cannot be told apart from 2 "
        "of the other points: the 95\u00a0% intervals overlap, or one run gives none."
    )


def test_a_comparison_says_that_no_factor_tells_points_apart(tmp_path):
    chapter = logs_of(tmp_path, {"old": [(1024, 10), (1024, 30), (1024, 20)], "new": [(1024, 40)]})
    found = compare(chapter, "old", "new", title="t", caption="c.", metric="round_trip_time_p99")
    assert [row[1].text for row in found.table.rows if len(row) > 1] == ["0.06", "0.08"]
    assert (
        "1\u00a0KB: campaign old has 3 points that no factor tells apart; the one with the highest "
        "rate is shown." in found.table.notes
    )  # fmt: skip


def test_each_number_leads_to_its_point(chapter):
    points = ingested_points(chapter, "lab")
    anchors = {cell.anchor for row in points.rows for cell in row if cell.anchor}
    table = ingested_table(chapter, "lab", caption="HA", ha=True)
    links = {cell.link for row in table.rows for cell in row if cell.link}
    assert links
    assert links <= anchors


def test_extents_with_media_images_and_replication(chapter):
    extents = ingested_extents(chapter, "lab")
    assert extents.title == "28 log extents were created, 7 reused and 0 deleted"
    assert len(extents.chart.layout.shapes) == 3  # the oldest extent moves at 2, 4 and 6 s
    assert "2025-11-01 10:00:07 7" in extents.alt
    replication = ingested_replication(chapter, "lab")
    assert replication.title == "The backlog of a replica reached 4.0\u00a0MB"
    assert ingested_replication(chapter, "example") is None


def test_nothing_is_shown_without_a_campaign_and_an_unknown_one_is_refused(chapter):
    assert ingested_table(chapter, "", caption="", ha=True) is None
    with pytest.raises(DataError, match="did you mean 'lab'"):
        ingested_table(chapter, "lap", caption="", ha=True)


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    """A project with a measured campaign, and two releases that came as tables of somebody's."""
    home = tmp_path_factory.mktemp("releases")
    project = copy_project(
        home / "project", ("_quarto.yml", "data/dictionary.yml", "data/campaigns/base-quick")
    )
    mapping = ROOT / "docs" / "examples" / "csv" / "results.mapping.yml"
    for release, scale in (("3.0", 1000), ("3.1", 1250)):
        table = home / f"acme-{release}.csv"
        rows = "".join(f"{n},{n},2K,np,{n * scale},0.004,\n" for n in (1, 4))
        table.write_text(f"run,clients,size,mode,rate,p99 (s),remark\n{rows}")
        ingest_paths(
            [table], dictionary=DICTIONARY, project=project, campaign=f"acme-{release}",
            mapping=mapping,
        )  # fmt: skip
    return project


def test_ingested_campaigns_are_compared_beside_measured_ones(releases):
    chapter = Chapter(folder=releases.root, rate_unit="messages/s")
    found = compare(
        chapter, "base-quick", "acme-3.0", "acme-3.1", delivery="nonpersistent",
        title="Three campaigns", caption="Peaks.",
    )  # fmt: skip
    rows = [[cell.text for cell in row] for row in found.table.rows]
    assert rows[0] == ["2\u00a0KB, non-persistent"]
    assert [row[:2] for row in rows[2:]] == [
        ["campaign acme-3.0", "8,000"], ["campaign acme-3.1", "10,000"],
    ]  # fmt: skip
    assert [row[3] for row in rows[1:]] == ["\u2013", "\u2013", "1.25"]
    assert "Measured and ingested values are put in no common ratio." in found.table.notes
    said = found.answer.markdown
    assert said.startswith("2\u00a0KB, non\\-persistent: campaign base\\-quick [")
    assert said.count(" times that of campaign acme\\-3\\.0") == 1
    assert any("another run" in note for note in found.table.notes)


def test_sources_without_a_ratio_have_no_column_for_one(releases):
    found = compare(
        Chapter(folder=releases.root), "base-quick", "acme-3.1", delivery="nonpersistent",
        title="Two campaigns", caption="Peaks.",
    )  # fmt: skip
    assert [head.text for head in found.table.header[0]] == [
        "Source", "Round trips/s", "95 % interval",
    ]  # fmt: skip


def test_the_answer_of_an_ingested_campaign_is_in_the_units_of_the_edition(releases):
    chapter = Chapter(folder=releases.root, rate_unit="messages/s")
    said = ingested_peaks(chapter, "acme-3.1").markdown
    assert said.startswith("At 2\u00a0KB the highest rate is [10,000\u00a0messages/s](#cell-")
    assert ", with 4 requesters. It cannot be told apart from 1 of the other points" in said
    table = ingested_table(chapter, "acme-3.1", caption="Rates")
    assert [row[3].text for row in table.rows] == ["2,500", "10,000"]
    assert {row[4].text for row in table.rows} == {"messages/s"}
    # What was given is shown, and what no point has makes no column.
    assert [head.text for head in table.header[0]][5:] == ["Round-trip time p99 (ms)"]
    assert [row[5].text for row in table.rows] == ["4.00", "4.00"]
