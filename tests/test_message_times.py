"""Times of a message: what each tool's latency spans, and that no two kinds are compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest_bench import SAMPLES
from roundtrip.checks import run_checks
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import ChapterError
from roundtrip.ingest.rows import read_rows
from roundtrip.ingest.session import ingest_paths
from roundtrip.present import Chapter, Quantity, chart, compare, ingested_table
from roundtrip.present.quantities import Row, quantity_table
from roundtrip.project import Project
from workshop import ROOT, copy_project

DICTIONARY = load_dictionary(ROOT / "data" / "dictionary.yml")
PERFTEST = "id: t, time {0}.000 s, sent: 900 msg/s, received: {1} msg/s, min/median/75th/95th/99th consumer latency: 1/2/3/4/{2} ms\n"  # noqa: E501
TOTALS = (
    "id: t, sending rate avg: 890 msg/s\nid: t, receiving rate avg: 880 msg/s\n"
    "id: t, consumer latency min/median/75th/95th/99th 1/20/30/40/50 ms\n"
    "id: t, confirm latency min/median/75th/95th/99th 1/2/3/4/5 ms\n"
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return copy_project(tmp_path / "project", ("_quarto.yml", "data/dictionary.yml"))


def ingest(project: Project, path: Path, campaign: str = "lab") -> dict[tuple[str, str], dict]:
    ingest_paths([path], dictionary=DICTIONARY, project=project, campaign=campaign)
    rows = read_rows(project.campaigns / campaign / "ingested.csv")
    assert len({row["point"] for row in rows if row["metric"]}) == 1
    return {(row["metric"], row["statistic"]): row for row in rows if row["metric"]}


def test_the_openmessaging_benchmark_gives_both_latencies_at_the_point_of_its_rate(project):
    found = ingest(project, SAMPLES / "omb" / "kafka_latency_sync-200k.json")
    values = {key: round(row["value"], 3) for key, row in found.items()}
    assert values["message_rate", "steady"] == 200065.171
    assert values["end_to_end_latency", "mean"] == 4.707
    assert values["end_to_end_latency", "p99"] == 20
    assert values["end_to_end_latency", "p9999"] == 210
    assert values["publish_latency", "p95"] == 10.009
    assert values["publish_latency", "maximum"] == 330.533
    chapter = Chapter(folder=project.root)
    assert not run_checks(project, chapter.observations).failed
    points = chapter.points(campaign="lab")
    assert len(points) == 1
    assert chapter.label("end_to_end_latency_p99") == "End-to-end latency p99"
    table = ingested_table(chapter, "lab", caption="c")
    heads = [cell.text for cell in table.header[0]]
    assert heads[4:] == [
        f"{name} latency{end} (ms)"
        for name in ("End-to-end", "Publish") for end in ("", " p50", " p99")
    ]  # fmt: skip
    figure = chart(
        chapter, points.assign(name="OMB"), x="name", y="end_to_end_latency_p99", title="t",
        caption="c",
    )  # fmt: skip
    assert figure.chart.layout.yaxis.title.text == "End-to-end latency p99 (ms)"


def test_artemis_perf_gives_both_in_milliseconds(project):
    found = ingest(project, SAMPLES / "artemis-perf" / "docs_case1_show_latency_summary.txt")
    assert found["end_to_end_latency", "p99"]["value"] == pytest.approx(0.449)
    assert found["publish_latency", "mean"]["value"] == pytest.approx(0.10153)
    assert found["publish_latency", "mean"]["unit"] == "ms"


def test_perftest_gives_the_percentiles_of_the_run_where_it_prints_them(project, tmp_path):
    log = tmp_path / "a.log"
    log.write_text("".join(PERFTEST.format(n, 800 + n, 10 * n) for n in range(1, 5)) + TOTALS)
    found = ingest(project, log)
    assert found["end_to_end_latency", "p99"]["value"] == 50
    assert found["end_to_end_latency", "p99"]["status"] == "as_printed"
    assert found["publish_latency", "p50"]["value"] == 2
    assert found["message_rate", "steady"]["value"] == 803
    assert found["message_rate", "mean"]["value"] == 880
    assert not run_checks(project, Chapter(folder=project.root).observations).failed


def test_perftest_without_totals_has_percentiles_that_are_marked(project, tmp_path):
    log = tmp_path / "a.log"
    log.write_text("".join(PERFTEST.format(n, 800 + n, 10 * n) for n in range(1, 5)))
    row = ingest(project, log)["end_to_end_latency", "p99"]
    assert (row["value"], row["status"]) == (30, "suspect")  # without the first interval
    assert "which is not that of the run" in row["note"]


def test_each_run_of_a_perftest_log_has_totals_of_its_own(project, tmp_path):
    log = tmp_path / "a.log"
    run = "".join(PERFTEST.format(n, 800 + n, 10 * n) for n in range(1, 5)) + TOTALS
    log.write_text(run + run.replace("/50 ms", "/70 ms"))
    ingest_paths([log], dictionary=DICTIONARY, project=project, campaign="lab")
    points = Chapter(folder=project.root).points(campaign="lab")
    assert list(points["end_to_end_latency_p99"]) == [50, 70]
    assert list(points["message_rate"]) == [803, 803]


@pytest.mark.parametrize(
    ("role", "metric"),
    [("requesters", "round_trip_time"), ("receivers", "end_to_end_latency"),
     ("senders", "publish_latency")],
)  # fmt: skip
def test_a_histogram_is_what_its_programs_timed(project, tmp_path, role, metric):
    (tmp_path / "logs").mkdir()
    text = f'histogram_unit: us\nfiles:\n- {{pattern: "*.hlog", role: {role}}}\n'
    (tmp_path / "logs" / "campaign.yml").write_text(text)
    sample = SAMPLES / "hdrhistogram" / "jHiccup-2.0.7S.logV2.hlog"
    (tmp_path / "logs" / "a.hlog").write_bytes(sample.read_bytes())
    found = ingest(project, tmp_path / "logs")
    assert {key for key, _ in found} == {metric}


@pytest.fixture
def chapter(project: Project, tmp_path: Path) -> Chapter:
    """A project with the times of a request and of a message, in two campaigns."""
    for name, metric in (("requests", "round_trip_time"), ("messages", "end_to_end_latency")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.csv").write_text("size,time,slow\n1024,4,9\n2048,5,10\n")
        (tmp_path / name / "a.mapping.yml").write_text(
            "columns:\n  size: {factor: message_bytes}\n"
            f"  time: {{metric: {metric}, statistic: mean, unit: ms}}\n"
            f"  slow: {{metric: {metric}, statistic: p99, unit: ms}}\n"
        )
        ingest_paths([tmp_path / name], dictionary=DICTIONARY, project=project, campaign=name)
    return Chapter(folder=project.root)


@pytest.mark.parametrize("end", ["", "_p99"])
def test_a_round_trip_and_a_one_way_time_are_never_compared(chapter, end):
    request, message = (
        chapter.quantities(chapter.points(campaign=name), f"{metric}{end}")[0]
        for name, metric in (("requests", "round_trip_time"), ("messages", "end_to_end_latency"))
    )
    for refused in (message.over, message.minus, message.percent_of, message.percent_above):
        with pytest.raises(ChapterError, match=r"from producer to consumer.*from a request to its"):
            refused(request)
    assert request.over(request).value == 1
    rows = [("Requests", "1 KB", request), ("Messages", "1 KB", message)]
    with pytest.raises(ChapterError, match="span different ways") as caught:
        chart(chapter, rows, title="One is faster", caption="c", varied=None)
    assert "a panel or a column of its own" in str(caught.value)
    apart = [("Requests", *rows[0]), ("Messages", *rows[1])]
    assert chart(chapter, apart, title="t", caption="c", varied=None).cells
    lines = [Row("Requests", (request,)), Row("Messages", (message,))]
    with pytest.raises(ChapterError, match="span different ways"):
        quantity_table(chapter, lines, caption="c", header=["", "Time (ms)"])
    lines[1] = Row("CPU", (Quantity(40, "%", (), kind="measured"),))
    with pytest.raises(ChapterError, match="several units share an axis or a column: ms, %"):
        quantity_table(chapter, lines, caption="c", header=["", "Value"])
    assert quantity_table(chapter, lines, caption="c", header=["", "Value"], units=True).rows
    rows[1] = ("CPU", "1 KB", lines[1].cells[0])
    with pytest.raises(ChapterError, match="several units share an axis or a column: ms, %"):
        chart(chapter, rows, title="One is more", caption="c", varied=None)
    beside = [Row("1 KB", (request, message))]
    assert quantity_table(chapter, beside, caption="c", header=["", "RTT", "One way"]).rows
    with pytest.raises(ChapterError, match="messages has no round_trip_time"):
        compare(chapter, "requests", "messages", title="t", caption="c",
                metric=f"round_trip_time{end}")  # fmt: skip
