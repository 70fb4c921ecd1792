"""A campaign beside published reports: selection, intervals, figures, tables, words."""

from __future__ import annotations

import math
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from conftest import Publish
from made_campaign import make_campaign
from roundtrip.campaign.derive import marked_words
from roundtrip.campaign.names import RunName
from roundtrip.cli._campaigns import _print_end
from roundtrip.errors import ChapterError, DataError
from roundtrip.methodology.scatter import scatter_of
from roundtrip.observations import load_observations
from roundtrip.present import (
    Chapter,
    Figure,
    Measured,
    Table,
    disclosure,
    measured_limits,
    measured_lines,
    variants_table,
)
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.comparability import refuse_mixed_kinds, state_differences
from roundtrip.present.configuration import campaign_settings_table, campaigns_table
from roundtrip.present.measured.agreement import Margin, margin_of, verdict_of_range
from roundtrip.present.measured.exceptions import exceptions_words
from roundtrip.present.measured.limits import _limit_words
from roundtrip.present.measured.shares import share_of
from roundtrip.present.measured.tables import _in_order, campaign_tables
from roundtrip.present.measured.variants import variants_title
from roundtrip.present.measured.words import ACROSS, RATIOS, margin_words
from roundtrip.present.numbers import Quantity
from roundtrip.project import Project
from roundtrip.stats.intervals import ratio_interval
from support.shared.peaks_beside import delivery_agreement, peaks_beside_table, size_agreement
from support.shared.points_measured import points_measured_table
from support.shared.sweeps import latency_panels, sweeps_beside_published
from workshop import ROOT, V94, change_yaml, copy_project, edit, read_yaml, waive, write_yaml

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parent / "data" / "campaigns" / "base-quick"


@pytest.fixture(scope="module")
def without(publish: Publish, tmp_path_factory: pytest.TempPathFactory) -> Chapter:
    """Give a chapter of a project in which nothing was measured."""
    project = publish(tmp_path_factory.mktemp("without"))
    return Chapter(V94, folder=project.root)


@pytest.fixture(scope="module")
def measured(base_chapter: Chapter) -> Chapter:
    """Give a chapter of a project with a campaign that was run on a crowded two-core machine."""
    return base_chapter


def persistent(chapter: Chapter) -> Measured:
    return Measured(chapter, "base", delivery="persistent")


def test_without_a_campaign_the_section_says_so_in_words(without: Chapter) -> None:
    here = persistent(without)
    peaks = without.points("table-06")
    assert not here.exists
    assert "This edition has no campaign of the plan `base`" in disclosure(here).markdown
    assert "roundtrip run base" in disclosure(here).markdown
    shown = [
        sweeps_beside_published(here, peaks, None, title="T", caption="C"),
        latency_panels(here, title="T", caption="C"),
        peaks_beside_table(here, peaks, caption="C"),
        points_measured_table(here, caption="C"),
        measured_limits(here), size_agreement(here, peaks), delivery_agreement(here, peaks),
    ]  # fmt: skip
    assert shown == [None] * 7
    assert campaign_tables(without) == []


def test_the_list_of_runs_says_which_are_of_which_block(published: Project) -> None:
    make_campaign(published)
    [table] = campaign_tables(Chapter(V94, folder=published.root))
    assert (
        "Measured in 2 blocks (UTC): r1 to r2 from 2026\u201111\u201121 06:00; "
        "r3 to r4 from 2026\u201111\u201121 09:00."
    ) in table.notes


def test_hosts_of_a_campaign_are_told_in_words(published: Project) -> None:
    shutil.copytree(SAMPLE, published.campaigns / "base-quick")
    waive(published)
    about = read_yaml(SAMPLE / "manifest.yml")["host"]
    hosts = [
        {"name": "qm1", "roles": ["broker"], "machine": 1, "processors": [0], "about": about},
        {"name": "clients", "roles": ["requesters", "responders"], "machine": 2,
         "processors": [0], "about": {**about, "logical_processors": 48}},
        {"name": "more", "roles": [], "spare": ["broker"], "machine": 3, "processors": [0],
         "about": {**about, "logical_processors": 24}},
    ]  # fmt: skip
    change_yaml(published.campaigns / "base-quick" / "manifest.yml", {"hosts": hosts})
    chapter = Chapter(V94, folder=published.root)
    text = disclosure(Measured(chapter, "base")).markdown
    assert "for the broker, broker and drivers on different machines." in text
    table = campaigns_table(chapter)
    assert table is not None
    assert "requesters, responders: 48 processors (" in str(table)
    assert "in reserve for broker: 24 processors (" in str(table)


def test_what_campaigns_ran_with_is_told_once_and_where_it_differs(published: Project) -> None:
    shutil.copytree(SAMPLE, published.campaigns / "base-quick")
    shutil.copytree(SAMPLE, published.campaigns / "other")
    host = {**read_yaml(SAMPLE / "manifest.yml")["host"], "kernel": "6.9"}
    change_yaml(published.campaigns / "other" / "manifest.yml", {"id": "other", "host": host})
    table = campaign_settings_table(Chapter(V94, folder=published.root))
    assert table is not None
    rows = [[cell.text for cell in row] for row in table.rows]
    assert [row[2] for row in rows if row[0] == "Kernel"] == ["other", "base-quick"]
    assert [row[2] for row in rows if row[0] == "Recovery log"] == ["all"]
    assert ["Kernel", "6.9", "other"] in rows


def test_every_measured_value_leads_to_its_line(measured: Chapter) -> None:
    frame = measured.observations.frame
    rows = frame[frame["source_kind"] == "measured"]
    lines = (SAMPLE / "points.csv").read_text().splitlines()
    assert len(rows) == len(lines) - 1
    for _, row in rows.sample(40, random_state=1).iterrows():
        run, *_, metric, statistic, value = lines[int(row["line"]) - 1].split(",")
        assert (run, metric, statistic) == (row["row_label"], row["metric"], row["statistic"])
        assert float(value) == row["value"]
    assert set(rows["product"]) == {"Apache Artemis"}
    assert set(rows["status"]) <= {"as_printed", "suspect"}
    assert rows[rows["status"] == "suspect"]["note"].notna().all()


def test_a_misspelt_factor_is_named_with_the_nearest(measured: Chapter) -> None:
    with pytest.raises(
        ChapterError, match=r"unknown factor 'requester' \(did you mean 'requesters'"
    ):
        Measured(measured, "base").mean(requester=4)
    with pytest.raises(ChapterError, match="did you mean 'delivery'"):
        Measured(measured, "base", delivry="persistent")


def test_mean_is_over_runs_with_an_interval(measured: Chapter) -> None:
    here = persistent(measured)
    found = here.mean(message_bytes=2048, requesters=16)
    assert found is not None
    assert len(found.values) == here.manifest.plan.repetitions  # type: ignore[union-attr]
    assert found.quantity.value == pytest.approx(sum(found.values) / len(found.values))
    assert found.interval.low <= found.quantity.value <= found.interval.high
    assert found.quantity.kind == "measured"
    assert len(found.quantity.cells) == len(found.values)
    with pytest.raises(ChapterError, match=r"not one\n.*they differ in .*\n.*split="):
        here.mean(message_bytes=2048)
    assert here.mean("round_trip_rate", "p50", message_bytes=2048, requesters=16) is None


def test_a_value_that_was_not_measured_is_refused_with_what_was(
    measured: Chapter, without: Chapter
) -> None:
    here = persistent(measured)
    mean = here.mean(message_bytes=2048, requesters=16)
    assert mean is not None
    assert here.quantity(message_bytes=2048, requesters=16) == mean.quantity
    with pytest.raises(ChapterError) as problem:
        here.quantity(message_bytes=2048, requesters=5)
    assert str(problem.value) == (
        "the plan 'base' has no round_trip_rate (mean) in every run with "
        "{'message_bytes': 2048, 'requesters': 5}\n"
        f"  allowed: message_bytes {listed(here, 'message_bytes')}; "
        f"requesters {listed(here, 'requesters')}; statistic 'mean'\n"
        "  remedy: measure it with `roundtrip run base`, or name a campaign with the parameter "
        "campaigns"
    )
    with pytest.raises(ChapterError, match=r"requesters 4, 16; link_limit_gbps not set; stat"):
        here.quantity(requesters=16, link_limit_gbps=0.1)
    with pytest.raises(ChapterError, match=r"round_trip_rate \(p50\)(.|\n)*statistic 'mean'"):
        here.quantity("round_trip_rate", "p50", message_bytes=2048, requesters=16)
    with pytest.raises(ChapterError, match=r"unknown metric 'machine_cp' \(did you mean 'machine"):
        here.quantity("machine_cp", message_bytes=2048, requesters=16)
    with pytest.raises(ChapterError, match=r"`roundtrip run base`, or"):
        persistent(without).quantity(message_bytes=2048, requesters=16)


def listed(here: Measured, factor: str) -> str:
    return ", ".join(str(level) for level in here.levels(factor))


def test_a_marked_run_counts_no_more_where_a_further_one_took_its_place(published: Project) -> None:
    folder = published.campaigns / "base-quick"
    shutil.copytree(SAMPLE, folder)
    manifest = read_yaml(folder / "manifest.yml")
    point, doubt = "persistent-2048b-normal-c16", "not steady when it was measured"
    runs = [
        {**run, "doubt": doubt if run["run"] == f"{point}-r1" else None} for run in manifest["runs"]
    ]
    for precision, replaced in ((None, False), ({"within": 0.05, "most_repetitions": 2}, True)):
        plan = {**manifest["plan"], "repetitions": 1, "precision": precision}
        change_yaml(folder / "manifest.yml", {"plan": plan, "runs": runs})
        here = persistent(Chapter(V94, folder=published.root))
        found = here.mean(message_bytes=2048, requesters=16)
        assert found is not None
        assert [cell.rpartition("-r")[2][0] for cell in found.quantity.cells] == (
            ["2"] if replaced else ["1", "2"]
        )
        told = disclosure(here).markdown
        instead = "Excluded from the means, as their points have enough other runs: 1."
        assert (instead in told) is replaced
        [table] = campaign_tables(here.chapter)
        assert (
            f"† Not steady when it was measured: {point}-r1. Excluded from the means."
            in table.notes
        ) is replaced


@pytest.mark.parametrize(
    ("marked", "replaced", "told"),
    [
        ((3,), {3}, "r3. Excluded from the means."),
        ((3, 4), set(), "r4. Counted: its point has no unmarked run in its block."),
        ((1, 3, 4), {1}, "r1. Excluded from the means."),
        ((1, 2, 3, 4), set(), "r4. Counted: its point has no unmarked run in its block."),
    ],
)
def test_a_point_loses_no_hour_to_marks(
    published: Project, marked: tuple[int, ...], replaced: set[int], told: str
) -> None:
    point = "nonpersistent-256b-c4"

    def spoil(manifest: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        precision = {"within": 0.05, "most_repetitions": 2}
        manifest["plan"] |= {"repetitions": 1, "precision": precision}
        for run in manifest["runs"]:
            if run["run"] in {f"{point}-r{repetition}" for repetition in marked}:
                run["doubt"] = "not steady"

    make_campaign(published, spoil)
    campaign = load_observations(published).campaign("made-full")
    assert campaign.replaced == {f"{point}-r{repetition}" for repetition in replaced}
    [table] = campaign_tables(Chapter(V94, folder=published.root))
    [note] = [note for note in table.notes if f"{point}-{told}" in note]
    assert note.startswith(f"† Not steady: {point}-r{min(marked)}")


def test_a_percentile_that_only_the_faster_runs_have_is_no_mean(published: Project) -> None:
    def spoil(manifest: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        rows.remove(next(row for row in rows if row["statistic"] == "p99"))

    make_campaign(published, spoil)
    here = Measured(Chapter(V94, folder=published.root), "made")
    assert here.mean("round_trip_time", "p99", message_bytes=256) is None
    for statistic, size in (("p50", 256), ("p99", 2048)):
        mean = here.mean("round_trip_time", statistic, message_bytes=size)
        assert mean is not None
        assert len(mean.values) == 4


@pytest.mark.parametrize(
    ("factors", "widened"),
    [({256: 1.0, 2048: 1.0}, 0.0), ({256: 1.2, 2048: 1.2}, 0.0), ({256: 1.2, 2048: 1.0}, 0.18232)],
)
def test_the_margin_covers_what_another_hour_changes_in_a_share(
    published: Project, factors: dict[int, float], widened: float
) -> None:
    def spoil(manifest: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        for row in rows:
            if row["metric"] == "round_trip_rate":
                again = factors[row["message_bytes"]] if row["repetition"] > 2 else 1.0
                row["value"] = 1000.0 * again * (1.01 if row["repetition"] % 2 else 0.99)

    make_campaign(published, spoil)
    here = Measured(Chapter(V94, folder=published.root), "made")
    within = np.log([1.01, 0.99]).std(ddof=1) ** 2
    # Of two points the change of the share is split evenly; its variance holds half of the runs'.
    between = max(0.0, widened**2 / 4 - within / 2)
    known = here.chapter.observations
    scatter = scatter_of(known, here.campaigns)
    assert (scatter.points, scatter.within_freedom) == (2, 4)
    assert scatter.between_freedom == 1
    assert scatter.of_means == pytest.approx(widened**2 / 4, rel=1e-4)
    error, freedom = scatter.error_of_mean([1, 1, 2])
    if between:
        assert (error, freedom) == (pytest.approx(math.sqrt(scatter.of_means / 2)), 1)
    else:
        assert (error, freedom) == (pytest.approx(math.sqrt(within * (1 / 2 + 1) / 4)), 4)
    assert scatter.deviation == pytest.approx(math.sqrt(within + between), rel=1e-4)
    assert scatter_of(known, here.campaigns, "connections").points == 0, "what no run has"
    both = np.log([*factors.values()]) ** 2 / 2  # of either point, with what both have in common
    common = max(0.0, float(both.mean()) - within / 2)
    whole = scatter_of(known, here.campaigns, common=True)
    assert whole.factor == pytest.approx(
        math.exp(1.96 * math.sqrt(2 * (within + common))), rel=1e-4
    )
    time = here.mean("round_trip_time", message_bytes=256)
    assert time is not None
    with pytest.raises(ChapterError, match="no ratio of round trips/s and ms"):
        here.mean(message_bytes=256).over(time)
    with pytest.raises(ChapterError, match="no ratio of runs with zero"):
        time.over(replace(time, values=(0.0, 1.0)))
    # A ratio is formed within blocks, also where how the runs differ was computed twice.
    one, other = here.mean(message_bytes=256), here.mean(message_bytes=2048)
    assert one is not None and other is not None  # noqa: PT018
    found = one.over(other)
    assert found.estimate == pytest.approx(math.sqrt(factors[256] / factors[2048]))
    assert found != ratio_interval(one.values, other.values)
    scatter_of.cache_clear()
    assert here.mean(message_bytes=256).over(other) == found
    assert replace(margin_of(here), withheld="").rule.startswith(
        "In 95\u00a0% of cases, two runs of the same point, at least 2\u00a0h apart, differ by a "
        "factor of at most "
    )
    assert "Runs per point: 4, in 2 blocks at least 2\u00a0h apart." in disclosure(here).markdown


def test_messages_are_two_for_a_round_trip(measured: Chapter) -> None:
    doubled = Chapter(V94, rate_unit="messages/s", folder=measured.project.root)
    at = {"message_bytes": 2048, "requesters": 16}
    one, two = persistent(measured).mean(**at), persistent(doubled).mean(**at)
    assert one is not None
    assert two is not None
    assert two.quantity.value == pytest.approx(2 * one.quantity.value)
    assert two.quantity.unit == "messages/s"


def test_only_one_scheduling_class_is_shown_at_a_time(measured: Chapter) -> None:
    here = Measured(measured, "base", delivery="nonpersistent")
    assert set(here.frame["scheduling_class"]) == {"real-time"}
    other = Measured(measured, "base", delivery="nonpersistent", scheduling_class="normal")
    assert other.levels("message_bytes") == [2048, 204800]


def test_the_class_with_the_most_points_is_shown_not_that_with_the_most_runs(
    published: Project,
) -> None:
    def spoil(manifest: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        rows[:] = [
            {**row, "scheduling_class": "real-time" if row["repetition"] == 1 else "normal"}
            for row in rows
            if row["repetition"] == 1 or row["message_bytes"] == 256
        ]

    make_campaign(published, spoil)
    here = Measured(Chapter(V94, folder=published.root), "made")
    assert here.levels("scheduling_class") == ["real-time"]
    assert here.levels("message_bytes") == [256, 2048]


def test_message_sizes_of_the_edition_hold_here_too(measured: Chapter) -> None:
    chapter = Chapter(V94, message_bytes=[2048], folder=measured.project.root)
    assert persistent(chapter).levels("message_bytes") == [2048]
    nothing = Chapter(V94, message_bytes=[2097152], folder=measured.project.root)
    assert "has no runs at this edition" in disclosure(persistent(nothing)).markdown


def test_figures_draw_both_sides_with_intervals(measured: Chapter) -> None:
    here = persistent(measured)
    peaks = measured.points("table-06", "table-07").query("delivery == 'persistent'")
    curves = Chapter("mq-appliance-m2003", folder=measured.project.root).points(
        "figure-02", row_label="M2003A"
    )
    figure = sweeps_beside_published(here, peaks, curves, title="Side by side", caption="C")
    assert isinstance(figure, Figure)
    for part in ("printed peak", "read off a chart", "Measured here", "2 KB"):
        assert part in figure.alt
    assert {cell.split("/")[0] for cell in figure.cells} == {
        V94, "mq-appliance-m2003", "base-quick",
    }  # fmt: skip
    traces = figure.chart.data  # type: ignore[union-attr]
    assert any(trace.error_y.array for trace in traces if trace.error_y)
    times = latency_panels(here, title="Times", caption="C")
    assert isinstance(times, Figure)
    assert "p99" in times.alt


def test_tables_show_both_sides_and_mark_doubts(measured: Chapter) -> None:
    here = persistent(measured)
    peaks = measured.points("table-06", "table-07").query("delivery == 'persistent'")
    table = peaks_beside_table(here, peaks, caption="C")
    assert isinstance(table, Table)
    texts = [[cell.text for cell in row] for row in table.rows]
    assert len({len(row) for row in texts}) == 1
    assert any("†" in text for row in texts for text in row)
    assert sum("† Includes marked runs" in note for note in table.notes) == 1
    assert not any("list of every run" in note for note in table.notes), "there is no book"
    every = points_measured_table(here, caption="C")
    assert isinstance(every, Table)
    groups = [row for row in every.rows if len(row) == 1]
    assert len(groups) == 2
    runs = campaign_tables(measured)
    assert len(runs) == 1
    assert runs[0].notes[0] == (
        "Runs are named after delivery, message size, scheduling class, requesters (c) and "
        "repetition (r)."
    )
    assert [len(row) == 1 for row in runs[0].rows[:2]] == [True, False]
    assert runs[0].notes[-1].startswith("Rules of method: ")
    assert "run length" in runs[0].notes[-1].partition("failed: ")[2]
    assert any("other processes took" in note for note in runs[0].notes)
    anchors = {cell.anchor for row in runs[0].rows for cell in row if cell.anchor}
    links = {cell.link for t in (table, every) for row in t.rows for cell in row if cell.link}
    assert {link for link in links if "base-quick" in link} <= anchors


def test_only_the_first_run_of_a_point_has_anchors_at_its_values(measured: Chapter) -> None:
    [table] = campaign_tables(measured)
    listed = [cell.anchor for row in table.rows for cell in row if cell.anchor]
    frame = measured.observations.frame
    mine = frame[frame["source"] == "base-quick"]
    assert {cell_anchor(str(name)) for name in mine["observation_id"]} == set(listed)
    assert len(listed) == len(set(listed))
    assert any(row[0].anchor and not row[1].anchor for row in table.rows)


def test_words_say_what_it_ran_on_what_limits_and_what_agrees(measured: Chapter) -> None:
    here = persistent(measured)
    text = disclosure(here).markdown
    for part in ("base-quick", "Apache Artemis", "2 processors", "small demonstration machine",
                 "quick compiler", "never divided by a published"):  # fmt: skip
        assert part in text
    assert "Constant in all runs: " in text
    assert "Shown unless stated otherwise: " in text
    assert "scheduling class \\(normal, real\\-time\\)" in text
    told = text.replace("\\", "").partition("Scheduling class: ")[2].partition(".")[0]
    assert told == "normal and real-time with non-persistent, normal with persistent messages"
    shown = disclosure(Measured(measured, "base", delivery="nonpersistent")).markdown
    assert (
        "Shown unless stated otherwise: delivery non\\-persistent, scheduling class real" in shown
    )
    limits = measured_limits(here)
    assert limits is not None
    assert "the highest rate" in limits.markdown
    both = measured.points("table-06", "table-07")
    agree = delivery_agreement(Measured(measured, "base", scheduling_class="normal"), both)
    assert agree is not None
    assert any(part in agree.markdown for part in ("irection", "size", "Agree", "Inconclusive"))
    sizes = size_agreement(here, both[both["delivery"] == "persistent"])
    assert sizes is not None
    assert "interval" in sizes.markdown
    plain = size_agreement(Measured(measured, "base", delivery="nonpersistent"), both.iloc[:4])
    assert plain is not None
    assert "network" in plain.markdown
    for line in plain.markdown.split("\n- ")[1:]:
        assert ("network" in line) == (line.startswith("200\u00a0KB"))


def test_published_and_measured_never_share_a_ratio(measured: Chapter) -> None:
    peaks = measured.points("table-03")
    mean = persistent(measured).mean(message_bytes=2048, requesters=16)
    assert mean is not None
    printed = measured.quantities(peaks)[0]
    with pytest.raises(ChapterError, match="have no ratio"):
        printed.over(mean.quantity)
    with pytest.raises(ChapterError, match="have no ratio"):
        mean.quantity.percent_of(printed)
    assert mean.quantity.over(mean.quantity).kind == "measured"
    assert Quantity(1, "", ()).kind == "published"
    mixed = peaks.copy()
    mixed.loc[mixed.index[0], "source_kind"] = "measured"
    for refuse in (
        lambda: refuse_mixed_kinds(mixed, "Figure"),
        lambda: state_differences(measured, mixed, {"message_bytes"}, "Figure"),
    ):
        with pytest.raises(ChapterError, match="published and measured"):
            refuse()
    refuse_mixed_kinds(peaks, "Figure")


@pytest.fixture
def spoiled(tmp_path: Path) -> Project:
    """Give a project with a campaign to spoil."""
    project = copy_project(tmp_path, ("_quarto.yml", "data/dictionary.yml"))
    name = "mqseries-vs-msmq"
    copy_project(tmp_path, (f"data/published/{name}",))
    shutil.copytree(SAMPLE, project.campaigns / "base-quick")
    return project


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("points.csv", "broker_cpu,mean", "broker_cqu,mean", "unknown metric 'broker_cqu'"),
        ("points.csv", "broker_cpu,mean", "broker_cpu,meen", "unknown statistic 'meen'"),
        ("points.csv", "-c4-r1,1,", "-c4-r9,1,", "is not in the manifest"),
        ("points.csv", "-c4-r1,1,", "-c4-r1,one,", "repetition is not a whole number"),
        ("points.csv", "run,repetition", "rum,repetition", "lacks the column run"),
        ("points.csv", "nonpersistent,outside", "sometimes,outside", "delivery is 'sometimes'"),
        ("manifest.yml", "id: base-quick", "id: other", "the folder is 'base-quick'"),
        ("manifest.yml", "state: complete", "state: done", "state"),
        ("manifest.yml", "broker_restarted", "broker_restartet", "unknown key"),
    ],
)
def test_spoiled_campaigns_are_refused(
    spoiled: Project, file: str, old: str, new: str, message: str
) -> None:
    edit(spoiled.campaigns / "base-quick" / file, old, new)
    with pytest.raises(DataError) as caught:
        load_observations(spoiled)
    assert message in str(caught.value)
    assert file in str(caught.value)


@pytest.mark.parametrize("value", ["nan", "inf", "-5", "1e999", "0x10", ""])
def test_values_that_are_no_measurement_are_refused(spoiled: Project, value: str) -> None:
    path = spoiled.campaigns / "base-quick" / "points.csv"
    head, first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([head, f"{first.rpartition(',')[0]},{value}", *rest]) + "\n")
    with pytest.raises(DataError, match=r"points\.csv:2"):
        load_observations(spoiled)


def test_a_campaign_that_is_being_run_is_not_read(spoiled: Project) -> None:
    folder = spoiled.campaigns / "base-quick"
    shutil.copytree(folder, spoiled.campaigns / ".base-full.new")
    edit(folder / "manifest.yml", "state: complete", "state: running")
    (folder / "points.csv").unlink()
    observations: Any = load_observations(spoiled)
    assert observations.campaign_ids == []
    assert "measured" not in set(observations.frame["source_kind"])


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Chapter:
    """Give a chapter of a project with two campaigns of one plan, the second quicker by half."""
    project = copy_project(tmp_path_factory.mktemp("releases"), ("_quarto.yml",))
    for name, version, factor in (("acme-3.1", "3.1", 1.0), ("acme-3.2", "3.2", 1.5)):
        folder = project.campaigns / name
        shutil.copytree(SAMPLE, folder)
        manifest = read_yaml(folder / "manifest.yml")
        manifest |= {"id": name, "product": "Acme Broker", "product_version": version}
        write_yaml(folder / "manifest.yml", manifest)
        points = pd.read_csv(folder / "points.csv")
        rates = points["metric"] == "round_trip_rate"
        points.loc[rates, "value"] *= factor
        points.to_csv(folder / "points.csv", index=False)
    return Chapter(folder=project.root)


def test_two_campaigns_of_one_plan_stand_side_by_side(releases: Chapter) -> None:
    names = ("acme-3.1", "acme-3.2")
    here = Measured(releases, "base", campaigns=names, delivery="persistent")
    assert here.levels("campaign") == list(names)
    at = {"message_bytes": 2048, "requesters": 16}
    table = variants_table(here, "campaign", baseline="acme-3.1", caption="C", **at)
    assert table is not None
    assert [[cell.text for cell in row][:1] for row in table.rows] == [["acme-3.1"], ["acme-3.2"]]
    assert table.rows[1][3].text.startswith("150")
    notes = " ".join(table.notes)
    assert ACROSS in notes
    assert RATIOS not in notes, "no block holds runs of both"
    assert (
        variants_title(
            here, "campaign", what="2 KB", baseline="acme-3.1", otherwise="nothing", **at
        )
        == "2 KB: rate by campaign"
    )
    share = share_of(here, {**at, "campaign": "acme-3.2"}, {**at, "campaign": "acme-3.1"})
    assert share is not None
    assert share.words(releases) == " (without an interval)"
    judged = verdict_of_range(150, 150, share.interval, Margin(1.1, 1.1, 9))
    assert judged.words == "Inconclusive: the share has no interval."
    lines = measured_lines(
        here, "requesters", split="campaign", title="T", caption="C", message_bytes=2048
    )
    assert lines is not None
    assert {trace.name for trace in lines.chart.data} >= set(names)  # type: ignore[union-attr]
    told = "C. Not held constant: version (3.1, 3.2)."
    assert (table.caption, lines.caption) == (told, told)
    said = disclosure(here).markdown
    assert said.index("`acme-3.1` with Acme Broker 3\\.1") < said.index("`acme-3.2`")
    # Without their names neither stands for the plan: it was not measured into its own folder.
    assert Measured(releases, "base").campaigns == ()


def test_campaigns_side_by_side_are_of_the_plan(releases: Chapter) -> None:
    with pytest.raises(DataError, match=r"unknown campaign 'acme-3\.3' \(did you mean"):
        Measured(releases, "base", campaigns=("acme-3.1", "acme-3.3"))
    with pytest.raises(DataError, match="is of the plan 'base'"):
        Measured(releases, "tls", campaigns=("acme-3.1",))


def test_what_limits_is_said_whatever_a_plan_varies() -> None:
    here = Measured(Chapter(folder=ROOT), "compression", payload="json", link_limit_gbps=0)
    text = measured_limits(here)
    assert text is not None
    size = here.levels("message_bytes")[0]
    rates = {}
    for level in here.levels("compression"):
        peak = here.peak(message_bytes=size, compression=level)
        mean = here.mean(message_bytes=size, compression=level, requesters=peak)
        if mean is not None:
            rates[level] = mean.quantity.value
    best = here.chapter.level("compression", max(rates, key=rates.get))
    assert best in text.markdown
    ciphers = measured_limits(Measured(Chapter(folder=ROOT), "tls"))
    assert ciphers is not None
    assert "cipherSpec" not in ciphers.markdown
    assert "tLS" not in ciphers.markdown


@pytest.mark.parametrize(
    ("factors", "busy", "said"),
    [
        ({}, 50, " Neither processors nor disk are saturated"),
        ({"link_limit_gbps": 0, "model": None}, 50, " Neither processors nor disk are saturated"),
        ({"target_rate": 200.0}, 50, " The rate was set by the plan, so it shows no limit."),
        ({"requester_rate": 180000.0, "requesters": 4}, 96, " The rate was set by the plan"),
        ({"target_rate": 300.0}, 50, ""),
        ({"target_rate": 300.0}, 96, " The processors, which broker and drivers share,"),
        ({"model": "A"}, 50, ""),
        ({"link_limit_gbps": 1.0}, 50, ""),
        ({"replication_link_gbps": 0.1}, 96, " The processors, which broker and drivers share,"),
    ],
)
def test_what_a_plan_limits_itself_is_no_finding(
    factors: dict[str, Any], busy: float, said: str
) -> None:
    plan = SimpleNamespace(measure_seconds=10)
    manifest = SimpleNamespace(hosts=(), plan=plan, broker_elsewhere=False)
    here: Any = SimpleNamespace(manifest=manifest)
    words = _limit_words(here, pd.Series(factors, dtype=object), [199.0, 201.0], busy, 0.0)
    assert words.startswith(said)
    assert bool(words) == bool(said)


def test_processors_are_not_named_alone_where_the_disk_is_waited_for() -> None:
    manifest = SimpleNamespace(hosts=(), plan=None, broker_elsewhere=False)
    here: Any = SimpleNamespace(manifest=manifest)
    words = _limit_words(here, pd.Series(dtype=object), [200.0], 96, 20.0)
    assert words.endswith(" share, or the disk may be the limit.")
    for busy, delivery, said in (
        (87, "persistent", "or the log may be the limit."),
        (87, "nonpersistent", "are likely to be the limit."),
        (96, "persistent", "are likely to be the limit."),
    ):
        point = pd.Series({"delivery": delivery}, dtype=object)
        assert _limit_words(here, point, [200.0], busy, 0.0).endswith(said)


@pytest.mark.parametrize(
    ("busy", "said"),
    [
        (50, " What limits the broker was not measured."),
        (96, " The drivers' processors may be the limit."),
    ],
)
def test_of_a_broker_elsewhere_only_the_drivers_machine_is_known(busy: float, said: str) -> None:
    plan = SimpleNamespace(measure_seconds=10)
    manifest = SimpleNamespace(hosts=(), plan=plan, broker_elsewhere=True)
    here: Any = SimpleNamespace(manifest=manifest)
    assert _limit_words(here, pd.Series(dtype=object), [199.0, 201.0], busy, 90.0) == said


def test_limits_have_the_numbers_of_the_edition_and_only_factors_that_the_point_has() -> None:
    chapter = Chapter(number_format="1.234,5", folder=ROOT)
    many = measured_limits(Measured(chapter, "connections"))
    assert many is not None
    assert "with 2\\.000 requesters, at" in many.markdown
    alone = measured_limits(Measured(chapter, "replication"))
    assert alone is not None
    assert "with 16 requesters, no replication, at" in alone.markdown


def test_a_running_broker_has_a_rate_and_no_processor_time(published: Project) -> None:
    def spoil(manifest: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        manifest.update(broker_restarted=False, broker_elsewhere=True)
        rows[:] = [row for row in rows if not row["metric"].startswith("broker_")]

    make_campaign(published, spoil)
    text = measured_limits(Measured(Chapter(folder=published.root), "made"))
    assert text is not None
    assert text.markdown.count("CPU on the drivers' machine.") == 2
    assert "percentage points" not in text.markdown


def test_the_first_runs_of_a_search_are_in_no_random_order() -> None:
    chapter = Chapter(folder=ROOT)
    searched = disclosure(Measured(chapter, "rated")).markdown
    assert "points in random order, the first in the order of the search. Each run" in searched
    assert "order" not in disclosure(Measured(chapter, "ha")).markdown


def test_broker_and_drivers_share_processors_only_where_they_do() -> None:
    apart = Measured(Chapter(folder=ROOT), "base", campaigns=("base-apart-quick",))
    text = measured_limits(apart)
    assert text is not None
    assert "which broker and drivers share" not in text.markdown


def test_how_far_runs_differ_is_told_of_rates_that_were_not_set() -> None:
    chapter = Chapter(V94, folder=ROOT)
    free, kept = Measured(chapter, "ha"), Measured(chapter, "steady-state")
    assert "two runs of the same point" in margin_words(free, general=True)
    assert not margin_words(kept, general=True)
    # The chapter on method has the margins of all campaigns.
    assert "runs of the same point" not in disclosure(free).markdown


def test_what_varied_tells_its_points_and_whether_they_are_all_combinations() -> None:
    chapter = Chapter(V94, folder=ROOT)
    for plan, says in (("compression", "Varied, in 19 points, not every combination: "),
                       ("tls", "Varied, in 11 points, not every combination: ")):  # fmt: skip
        assert says in disclosure(Measured(chapter, plan)).markdown


def test_runs_stand_in_the_order_of_their_numbers() -> None:
    runs = map(RunName.parse, ["a-c1000-r1", "a-c250-r10", "a16-c9-r1", "a8-c9-r1", "a-c250-r2"])
    assert [str(run) for run in sorted(runs, key=_in_order)] == [
        "a-c250-r2", "a-c250-r10", "a-c1000-r1", "a8-c9-r1", "a16-c9-r1",
    ]  # fmt: skip


def test_a_campaign_ends_with_why_runs_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    runs = [SimpleNamespace(doubt=doubt) for doubt in ("not steady when it was measured", None)]
    manifest = SimpleNamespace(
        runs=runs, failed=(), state="complete", why_stopped=None, left_out_parts=()
    )
    _print_end(manifest, "data/campaigns/a")  # type: ignore[arg-type]
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == "complete: 2 runs"
    assert second == ("Marked runs: 1 of 2 (not steady: 1). The manifest says why, under 'doubt'.")


def test_a_run_may_be_unsteady_and_disturbed() -> None:
    doubts = ["not steady when it was measured; other processes took 50 % of the processors",
              "not steady when it was measured", None]  # fmt: skip
    manifest = SimpleNamespace(
        runs=[SimpleNamespace(doubt=doubt) for doubt in doubts], replaced=(), failed=(),
        state="complete", left_out_parts=(),
    )  # fmt: skip
    said = marked_words(manifest)  # type: ignore[arg-type]
    assert said == "Marked runs: 2 of 3 (not steady: 2, disturbed: 1, both: 1)."
    manifest.runs = manifest.runs[1:]
    said = marked_words(manifest)  # type: ignore[arg-type]
    assert said == "Marked runs: 1 of 2 (not steady: 1)."
    manifest.runs[0].doubt += "; settled only after 9 s (MSER-5); requests never answered: 2"
    said = marked_words(manifest)  # type: ignore[arg-type]
    assert said == (
        "Marked runs: 1 of 2 (not steady: 1, settled late: 1, replies missing: 1, "
        "more than one of these: 1)."
    )
    manifest.runs[0].doubt = "its drivers were 212 ms behind when it was measured"
    said = marked_words(manifest)  # type: ignore[arg-type]
    assert said == "Marked runs: 1 of 2 (behind schedule: 1)."


@pytest.mark.parametrize(
    ("failed", "interrupted", "said"),
    [
        (0, 0, ""),
        (1, 0, "Failed attempts, with reasons in the list of every run: 1."),
        (2, 1, "Failed attempts, with reasons in the list of every run: 2. Attempts interrupted "
               "with the runner: 1."),
        (0, 2, "Attempts interrupted with the runner: 2."),
    ],
)  # fmt: skip
def test_an_interrupted_attempt_is_no_failure(failed: int, interrupted: int, said: str) -> None:
    attempts = [SimpleNamespace(interrupted=False)] * failed
    attempts += [SimpleNamespace(interrupted=True)] * interrupted
    manifest = SimpleNamespace(
        runs=(), replaced=(), failed=attempts, state="complete", left_out_parts=()
    )
    chapter = Chapter(folder=ROOT)
    assert exceptions_words(chapter, manifest) == said  # type: ignore[arg-type]
