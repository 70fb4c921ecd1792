"""A measured mirror in a chapter: its figures, tables and words, and none of them without data."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest

from mirror_sample import CARRIED, FAST_MS, OVERLOAD_S, WAITS, write_campaigns
from roundtrip.campaign.manifest import load_manifest
from roundtrip.comparison_marks import VERDICT
from roundtrip.present import Chapter, Measured, Text
from roundtrip.present.numbers import Quantity
from support.replication.arrival import arrival_table, arrival_words
from support.replication.backlog import (
    backlog_cases,
    backlog_table,
    backlog_title,
    catch_up_words,
    rule_under_load,
)
from support.replication.mirror import (
    DELAY,
    arranged,
    delay_words,
    divided,
    live_side_words,
    mirror_cost_table,
    mirror_delay_title,
    mirror_title,
    overload_words,
    waits_words,
)
from support.replication.mirror_charts import (
    backlog_over_time,
    delay_beside_published,
    mirror_lines,
)
from workshop import copy_project

pytestmark = pytest.mark.slow

REPORT = "mq-appliance-m2003"
PARTS = ("_quarto.yml", "data/dictionary.yml", "data/published", "params/campaigns")
SHARES = {
    delay: Quantity(value, "%", (), 1)
    for delay, value in ((0.0, 100), (10.0, 95), (20.0, 93), (50.0, 28), (100.0, 17))
}
WORDS = {"title": "A finding", "caption": "What is drawn."}


@pytest.fixture(scope="module")
def chapter(tmp_path_factory: pytest.TempPathFactory) -> Chapter:
    project = copy_project(tmp_path_factory.mktemp("with"), PARTS)
    shutil.rmtree(project.campaigns, ignore_errors=True)
    write_campaigns(project, "replication", "backlog")
    return Chapter(REPORT, folder=project.root)


@pytest.fixture(scope="module")
def mirror(chapter: Chapter) -> Measured:
    return Measured(chapter, "replication")


@pytest.fixture(scope="module")
def behind(chapter: Chapter) -> Measured:
    return Measured(chapter, "backlog")


def _plain(text: Text | str | None) -> str:
    """Take links and fixed spaces out of a text."""
    words = text.markdown if isinstance(text, Text) else str(text)
    words = re.sub(r"\[([^\]]*)\]\(#\S+ \"[^\"]*\"\)", r"\1", words)
    return words.replace("\\", "").replace("\u00a0", " ")


def test_ways_are_told_by_what_differs(mirror: Measured, behind: Measured) -> None:
    names = [way.label.replace("\u00a0", " ") for way in arranged(mirror)]
    assert names[0] == "no replication"
    assert "asynchronous, proxy, 100 ms" in names
    assert names[-1] == "synchronous, proxy, 100 ms"
    assert len(names) == len(set(names)) == 10
    names = [way.label.replace("\u00a0", " ") for way in arranged(behind)]
    assert len(names) == len(set(names)) == 4
    assert "asynchronous, proxy, then 200 messages/s" in names


def test_costs_are_shares_of_the_rate_without_a_mirror(mirror: Measured) -> None:
    table = mirror_cost_table(mirror, {}, caption="Costs")
    assert table is not None
    rows = {row[0].text.replace("\u00a0", " "): [cell.text for cell in row] for row in table.rows}
    share = FAST_MS / (FAST_MS + WAITS * 100)
    assert rows["synchronous, proxy, 100 ms"][3] == f"{100 * share:.0f}"
    assert rows["asynchronous, proxy, 50 ms"][3] == "100"
    assert rows["no replication"][3] == "\u2013"
    assert rows["synchronous, proxy, 50 ms"][7] == "50.100"


def test_a_second_broker_that_falls_behind_is_overload(chapter: Chapter, mirror: Measured) -> None:
    kept_up, behind = divided(mirror)
    assert not behind
    assert overload_words(mirror, behind) is None
    assert len(kept_up.frame) == len(mirror.frame)
    falling = Measured(chapter, "replication")
    grows = (
        (falling.frame["metric"] == "backlog_growth")
        & (falling.frame["mirroring"] == "asynchronous")
        & (falling.frame[DELAY] == 100)
    )
    falling.frame = falling.frame.assign(value=falling.frame["value"].mask(grows, 1500.0))
    kept_up, behind = divided(falling)
    assert list(behind) == [100.0]
    assert kept_up.levels(DELAY, mirroring="asynchronous") == [0, 10, 50]
    assert kept_up.levels(DELAY, mirroring="synchronous") == [0, 10, 50, 100]
    assert "grew by 1,500 messages/s" in _plain(overload_words(falling, behind))
    table = mirror_cost_table(falling, behind, caption="Costs")
    assert table is not None
    assert any("With 100 ms on the link" in _plain(Text(note)) for note in table.notes)
    # Neither title pairs the share of one mode at one delay with that of the other at another.
    assert _plain(mirror_title(kept_up)).startswith("With 50 ms on the link")
    assert _plain(mirror_delay_title(kept_up, SHARES)).startswith("Here, 50 ms of delay leaves")


def test_a_title_states_no_share_whose_interval_leaves_its_size_open(chapter: Chapter) -> None:
    scattered = Measured(chapter, "replication")
    frame = scattered.frame
    one = (frame[DELAY] == 100) & (frame["metric"] == "round_trip_rate")
    some = one & (frame["repetition"] == frame["repetition"].min())
    scattered.frame = frame.assign(value=frame["value"].mask(some, frame["value"] * 20))
    assert _plain(mirror_title(scattered)).startswith("With 50 ms on the link")
    assert _plain(mirror_delay_title(scattered, SHARES)).startswith("Here, 50 ms of delay leaves")
    only = {100.0: SHARES[100.0]}
    assert mirror_delay_title(scattered, only) == "Share of the rate left, by link delay"


def test_titles_state_what_is_left(mirror: Measured, behind: Measured) -> None:
    assert "the synchronous mirror 3 %" in _plain(mirror_title(mirror))
    assert "Here, 100 ms of delay leaves" in _plain(mirror_delay_title(mirror, SHARES))
    # Both sides are told at one delay, also where the longest was not published.
    shorter = {delay: share for delay, share in SHARES.items() if delay <= 50}
    left = 100 * FAST_MS / (FAST_MS + WAITS * 50)
    title = _plain(mirror_delay_title(mirror, shorter))
    assert title.startswith("Here, 50 ms of delay leaves")
    assert f"{left:.0f} % (synchronous mirror)" in title
    # What a delay costs an asynchronous mirror here is nothing, and the title says so.
    assert "100 % (asynchronous mirror, no significant difference)" in title
    highest = (1000 - CARRIED) * OVERLOAD_S
    assert f"{highest:,.0f} messages" in _plain(backlog_title(behind))


def test_figures_hold_every_series(mirror: Measured, behind: Measured) -> None:
    lines = mirror_lines(mirror, **WORDS)
    beside = delay_beside_published(mirror, SHARES, name="DR", **WORDS)
    over_time = backlog_over_time(behind, **WORDS)
    assert lines is not None
    assert beside is not None
    assert over_time is not None
    for word in ("asynchronous", "synchronous", "no replication"):
        assert word in lines.alt
    assert "DR: 0 ms 100.0 %" in beside.alt
    assert {trace.name for trace in over_time.chart.data if trace.name} == {
        way.label for way in arranged(behind)
    }
    for trace in over_time.chart.data:
        if trace.name:
            assert trace.y[-1] == pytest.approx(0, abs=40)


def test_the_rule_is_told_of_every_arrangement_with_later_load(chapter: Chapter) -> None:
    behind = Measured(chapter, "backlog")
    one = _plain(rule_under_load(behind))
    assert one.startswith("In a test of this rule")
    later = behind.frame["later_rate"] > 0
    more = behind.frame[later].assign(later_rate=behind.frame.loc[later, "later_rate"] / 2)
    for name in ("point_id", "row_label"):
        more[name] = more[name].str.replace("-200-", "-100-")
    behind.frame = pd.concat([behind.frame, more], ignore_index=True)
    both = _plain(rule_under_load(behind))
    assert both.startswith("In tests of this rule")
    assert both.count("were computed and") == 2
    assert "then 100 messages/s)" in both
    assert "then 200 messages/s)" in both
    behind.frame = behind.frame[~(behind.frame["later_rate"] > 0)]
    assert "not tested here" in _plain(rule_under_load(behind))


def test_waits_are_counted_in_link_round_trips(mirror: Measured) -> None:
    words = _plain(waits_words(mirror, {1: Quantity(6, "", (), 1), 2: Quantity(9, "", (), 1)}))
    assert f"{WAITS} link round trips" in words
    assert "takes 6.0 times a delay of 1 ms and 9.0 times a delay of 2 ms" in words
    assert "at least" not in words


def test_waits_are_at_least_as_many_where_processors_are_saturated(chapter: Chapter) -> None:
    busy = Measured(chapter, "replication")
    rates = busy.frame[busy.frame["metric"] == "round_trip_rate"]
    cpu = rates.assign(metric="machine_cpu", value=90.0)
    busy.frame = pd.concat([busy.frame, cpu], ignore_index=True)
    words = _plain(waits_words(busy, {1: Quantity(6, "", (), 1)}))
    assert "in link round trips, at least:" in words
    assert "the processors are at 90" in words


def test_what_the_set_up_decides_gets_no_verdict(mirror: Measured) -> None:
    # Both brokers share processors here, which neither source's hosts do.
    far, live = delay_words(mirror, SHARES, head="Far"), live_side_words(mirror, head="Live")
    assert _plain(far).startswith("Far:")
    assert "published: 95.0 %" in _plain(far)
    assert _plain(live).count("\n- ") == len(mirror.levels(DELAY, mirroring="asynchronous"))
    for text in (far, live):
        assert text is not None
        assert not VERDICT.search(text.markdown)


def test_the_rule_for_catching_up_is_held_to_the_measurement(behind: Measured) -> None:
    words = _plain(catch_up_words(behind))
    highest = (1000 - CARRIED) * OVERLOAD_S
    assert f"computed {highest / CARRIED:.2f} s" in words
    assert f"computed {highest / (CARRIED - 200):.2f} s" in words
    assert words.count("the rule holds within a factor of 1.") == 2
    # It divides by a small difference of what was measured, and its own error counts.
    assert words.count(": inconclusive, the interval reaches past the margin") == 1
    assert words.count(f"{CARRIED:.1f} messages/s crossed the link during the overload") == 3
    assert words.count(f"{CARRIED:.1f} messages/s while the backlog drained") == 3
    assert "synchronous, proxy: computed" not in words.replace("asynchronous", "")


def test_each_arrangement_falls_into_a_published_case(behind: Measured) -> None:
    words = _plain(backlog_cases(behind))
    assert words.count("as in the second case") == 3
    assert words.count("senders reached only 400") == 1
    table = backlog_table(behind, caption="Backlog")
    assert table is not None
    assert len(table.rows) == 4


def test_a_run_whose_backlog_never_goes_is_hidden_by_no_mean(tmp_path: Path) -> None:
    project = copy_project(tmp_path, PARTS)
    write_campaigns(project, "backlog")
    path = project.campaigns / "backlog-quick" / "points.csv"
    lines = path.read_text().splitlines()
    key = next(line for line in lines if "asynchronous,namespaces" in line).split(",")[0]
    assert key.endswith("-r1")
    kept = [line for line in lines if not (line.startswith(f"{key},") and "catch_up_time" in line)]
    stuck = [
        line.replace("messages_missing,total,0", "messages_missing,total,700")
        if line.startswith(f"{key},") else line
        for line in kept
    ]  # fmt: skip
    assert len(lines) - len(stuck) == 1
    path.write_text("\n".join([*stuck, ""]))
    behind = Measured(Chapter(REPORT, folder=project.root), "backlog")
    assert _plain(backlog_cases(behind)).count("in 1 of 3 runs it never clears") == 1
    assert _plain(catch_up_words(behind)).count("In 1 of 3 runs the backlog never cleared") == 1
    assert "which clears in 2 of 3 runs" in _plain(backlog_title(behind))
    table = backlog_table(behind, caption="Backlog")
    assert table is not None
    assert sorted(row[-1].text for row in table.rows) == ["2 of 3", "3 of 3", "3 of 3", "3 of 3"]
    words = _plain(arrival_words(behind, "with overload"))
    assert "Missing: 700; duplicates or surplus: 0." in words
    assert "Of the missing, 700 are still on the first broker: in 1 of" in words
    figure = backlog_over_time(behind, **WORDS)
    assert figure is not None
    assert figure.chart is not None
    names = [str(trace.name) for trace in figure.chart.data]
    assert sum("a run that sustains it" in name for name in names) == 1


def test_what_arrived_is_added_up(mirror: Measured, behind: Measured) -> None:
    words = _plain(arrival_words(mirror, "with a mirror"))
    assert "In 27 runs with a mirror, 135,000 messages were sent" in words
    assert "None is missing or duplicated. Failed attempts: 0." in words
    table = arrival_table(behind, caption="Arrived", how="By a receiver.")
    assert table is not None
    assert {row[4].text for row in table.rows} == {"0"}


def test_a_loss_in_a_run_that_no_mean_takes_is_counted(tmp_path: Path) -> None:
    project = copy_project(tmp_path, PARTS)
    write_campaigns(project, "replication")
    folder = project.campaigns / "replication-quick"
    lines = (folder / "points.csv").read_text().splitlines()
    run = next(line for line in lines if "asynchronous,proxy" in line).split(",")[0]
    lines = [
        line.replace("messages_missing,total,0", "messages_missing,total,1")
        if line.startswith(f"{run},") else line
        for line in lines
    ]  # fmt: skip
    (folder / "points.csv").write_text("\n".join([*lines, ""]))
    manifest = load_manifest(folder)
    disturbed = [
        entry.model_copy(update={"doubt": "disturbed"}) if entry.run == run else entry
        for entry in manifest.runs
    ]
    plan = manifest.plan.model_copy(update={"repetitions": 2})
    manifest.model_copy(update={"runs": tuple(disturbed), "plan": plan}).write(folder)
    here = Measured(Chapter(REPORT, folder=project.root), "replication")
    assert run not in set(here.frame["row_label"])
    words = _plain(arrival_words(here, "with a mirror"))
    assert "In 27 runs with a mirror" in words
    assert "Missing: 1; duplicates or surplus: 0." in words


def test_without_campaigns_nothing_is_shown(tmp_path_factory: pytest.TempPathFactory) -> None:
    project = copy_project(tmp_path_factory.mktemp("without"), PARTS)
    shutil.rmtree(project.campaigns, ignore_errors=True)
    chapter = Chapter(REPORT, folder=project.root)
    mirror, behind = Measured(chapter, "replication"), Measured(chapter, "backlog")
    shown = [
        mirror_lines(mirror, **WORDS), delay_beside_published(mirror, SHARES, name="DR", **WORDS),
        mirror_cost_table(mirror, {}, caption=""), live_side_words(mirror, head=""),
        delay_words(mirror, SHARES, head=""),
        waits_words(mirror, {1: Quantity(1, "", (), 1)}), arrival_words(mirror, "with a mirror"),
        arrival_table(mirror, caption="", how=""), backlog_over_time(behind, **WORDS),
        backlog_table(behind, caption=""), catch_up_words(behind), backlog_cases(behind),
    ]  # fmt: skip
    assert shown == [None] * len(shown)
    for title in (mirror_title(mirror), mirror_delay_title(mirror, SHARES), backlog_title(behind)):
        assert title
