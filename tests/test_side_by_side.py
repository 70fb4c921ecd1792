"""Published reports and campaigns side by side: what is matched, related, named and left out."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from roundtrip.errors import ChapterError
from roundtrip.present import Chapter, Measured, compare
from roundtrip.present.measured.words import ACROSS
from roundtrip.present.side_by_side import Comparison
from roundtrip.project import Project
from roundtrip.skeletons import new_project
from workshop import ROOT, SECOND, V94, answer, change_host, change_yaml, edit, project_of_two

pytestmark = pytest.mark.slow

PLAIN = {"workload": "RR-CC", "api": "MQI", "tls_cipher": "none", "product_version": "V9.4"}
WORDS = {"title": "Two sources", "caption": "Peaks."}


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = project_of_two(tmp_path_factory.mktemp("two"))
    table = project.published / SECOND / "table-03.csv"
    first = re.search(r'"([\d,]+)"', table.read_text("utf-8"))
    assert first is not None
    edit(table, first[1], f"{2 * int(first[1].replace(',', '')):,}")
    change_host(project, SECOND, {"memory_gb": 128})
    return project


def lines(found: Comparison) -> list[list[str]]:
    return [[cell.text.replace("\u00a0", " ") for cell in row] for row in found.table.rows]


def test_reports_are_compared_point_by_point_with_the_gate_applied(two: Project) -> None:
    chapter = Chapter(V94, folder=two.root)
    found = compare(chapter, V94, SECOND, delivery="nonpersistent", **PLAIN, **WORDS)
    rows = lines(found)
    assert rows[0] == ["2 KB, non-persistent"]
    assert [row[0] for row in rows[1:3]] == ["MQ V9.4", "Acme MQ 2"]
    assert rows[1][2] == "\u2013"
    assert [row[2] for row in rows if row[0] == "Acme MQ 2"] == ["2.00", "1.00", "1.00", "1.00"]
    assert found.left_out == ()
    said = "Peaks. Not held constant: memory (256 GB, 128 GB)."
    assert found.table.caption == found.figure.caption == said
    turned = compare(
        chapter, V94, SECOND, baseline=SECOND, delivery="nonpersistent", **PLAIN, **WORDS
    )
    assert lines(turned)[1][2] == "0.50"


def test_published_and_measured_points_share_no_ratio_and_ratios_of_campaigns_have_no_interval(
    chapter: Chapter,
) -> None:
    of_report = {name: {V94: value} for name, value in PLAIN.items()}
    found = compare(
        chapter, V94, "base-quick", "base-apart-quick", delivery="nonpersistent", **of_report,
        **WORDS,
    )  # fmt: skip
    rows = lines(found)
    at = rows.index(["2 KB, non-persistent"])
    published, first, second = rows[at + 1 : at + 4]
    assert published[2:] == ["\u2013"] * 2
    assert first[3] == "\u2013" != first[2]
    point = {"delivery": "nonpersistent", "message_bytes": 2048}
    means = []
    for name in ("base-quick", "base-apart-quick"):
        here = Measured(chapter, "base", campaigns=[name])
        loads = [here.mean(requesters=count, **point) for count in here.levels("requesters")]
        means.append(max(filter(None, loads), key=lambda mean: mean.quantity.value))
    ratio = means[1].over(means[0]).estimate
    assert second[3].rstrip(" †") == f"{ratio:.2f}", "as tables of runs have it"
    assert ACROSS in found.table.notes, "no hour has runs of both campaigns"
    assert "times that of" in found.answer.markdown
    assert "interval" not in found.answer.markdown
    assert "no common ratio" in " ".join(found.table.notes)
    assert "20\u00a0KB, non-persistent: only MQ V9.4 has it." in found.left_out
    assert "Measured: Not held constant: cores (2 logical, 1 logical)" in found.figure.caption


def test_an_answer_begins_with_why_nothing_may_be_concluded(tmp_path: Path) -> None:
    project = new_project(tmp_path / "p", "T", "A")
    for name in ("acme-3.1", "acme-3.2"):
        folder = project.campaigns / name
        shutil.copytree(ROOT / "tests/data/campaigns/base-quick", folder)
        change_yaml(folder / "manifest.yml", {"id": name})
    chapter = Chapter(folder=project.root)
    found = compare(chapter, "acme-3.1", "acme-3.2", delivery="nonpersistent", **WORDS)
    told = found.answer.markdown.replace("\\", "")
    assert told.startswith("Campaign acme-3.1: No conclusion here, because ")
    assert " Campaign acme-3.2: No conclusion here, because " in told


@pytest.mark.parametrize(
    ("sources", "more", "said"),
    [
        ((V94, "base-quik"), {}, "did you mean 'base-quick'"),
        ((V94, "base-quick"), {"worklod": "RR-CC"}, "did you mean 'workload'"),
        ((V94, "base-quick"), {"baseline": "ha-quick"}, "unknown baseline 'ha-quick'"),
        ((V94, V94), {}, "two sources or more"),
        ((V94, "base-quick"), {}, "tls_protocol 'none', 'TLS 1.2'"),
        ((V94, "base-quick"), {"workload": "send"}, "has no such point"),
        (("base-quick", "backlog-quick"), {"delivery": "nonpersistent"}, "has no round_trip_rate"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_words(sources, more, said) -> None:
    with pytest.raises(ChapterError) as caught:
        compare(Chapter(folder=ROOT), *sources, **more, **WORDS)
    assert said in str(caught.value)


def test_points_without_rates_are_not_chosen_by_them(two: Project, tmp_path: Path) -> None:
    mapping = """columns:
  size: {factor: message_bytes}
  mode: {factor: delivery}
  clients: {factor: requesters}
  p99: {metric: round_trip_time, statistic: p99, unit: ms}
"""
    for name, rows in (
        ("lab-a", "2048,persistent,4,1.5\n2048,persistent,4,1.7\n"),
        ("lab-b", "2048,persistent,4,1.6\n"),
        ("lab-c", "2048,persistent,4,1.6\n2048,persistent,8,1.8\n"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.csv").write_text(f"size,mode,clients,p99\n{rows}")
        (tmp_path / name / "results.mapping.yml").write_text(mapping)
        done = answer("ingest", str(tmp_path / name), "--campaign", name, project=two)
        assert done.returncode == 0, done.stderr
    chapter = Chapter(folder=two.root)
    found = compare(chapter, "lab-a", "lab-b", metric="round_trip_time_p99", **WORDS)
    (note,) = [note for note in found.table.notes if "no factor tells apart" in note]
    assert note.endswith("has 2 points that no factor tells apart; the first is shown.")
    with pytest.raises(ChapterError, match="requesters 4, 8"):
        compare(chapter, "lab-b", "lab-c", metric="round_trip_time_p99", **WORDS)


def test_points_that_state_no_message_size_are_named_as_such(two: Project, tmp_path: Path) -> None:
    mapping = "columns: {p99: {metric: round_trip_time, statistic: p99, unit: ms}}\n"
    for name in ("unsized-a", "unsized-b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.csv").write_text("p99\n1.5\n")
        (tmp_path / name / "results.mapping.yml").write_text(mapping)
        done = answer("ingest", str(tmp_path / name), "--campaign", name, project=two)
        assert done.returncode == 0, done.stderr
    ids, chapter = ("unsized-a", "unsized-b"), Chapter(folder=two.root)
    with pytest.raises(
        ChapterError, match="unsized-a has no round_trip_time_p99 with a message size"
    ):
        compare(chapter, *ids, metric="round_trip_time_p99", **WORDS)
    with pytest.raises(ChapterError, match="has no round_trip_rate") as caught:
        compare(chapter, *ids, **WORDS)
    assert caught.value.remedy is not None
    assert caught.value.remedy.startswith("give a metric=… that all sources have")
