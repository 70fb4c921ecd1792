"""Measured variants against a baseline: shares with intervals, bars, lines, words."""

from __future__ import annotations

import math
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.errors import ChapterError
from roundtrip.present import (
    Chapter,
    Measured,
    measured_lines,
    variants_agreement,
    variants_figure,
    variants_table,
    variants_title,
)
from roundtrip.present.figure import Figure
from roundtrip.present.measured.agreement import (
    WIDEST,
    Margin,
    factor_words,
    margin_of,
    outcome_of,
    sides_of,
    verdict_of_range,
)
from roundtrip.present.measured.shares import Share, share_of
from roundtrip.present.measured.words import disclosure
from roundtrip.present.numbers import NumberFormat, Quantity
from roundtrip.project import Project
from roundtrip.stats.intervals import Interval, ratio_interval
from support.shared.cases import Case, Cases, forest
from workshop import ROOT, V94

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parent / "data" / "campaigns" / "base-quick"
SIZE = 2048


@pytest.fixture(scope="module")
def here(base_chapter: Chapter) -> Measured:
    return Measured(base_chapter, "base", scheduling_class="normal", requesters=4)


def test_a_share_is_the_ratio_of_runs_and_leads_to_both(here: Measured) -> None:
    at = {"message_bytes": SIZE}
    upper = here.mean(delivery="persistent", **at)
    lower = here.mean(delivery="nonpersistent", **at)
    share = share_of(here, {"delivery": "persistent", **at}, {"delivery": "nonpersistent", **at})
    assert upper is not None and lower is not None and share is not None  # noqa: PT018
    found = ratio_interval(upper.values, lower.values)
    assert share.quantity.value == pytest.approx(100 * found.estimate)
    assert share.quantity.kind == "measured"
    assert set(share.quantity.cells) == {*upper.quantity.cells, *lower.quantity.cells}
    assert share_of(here, {"delivery": "express", **at}, {"delivery": "persistent", **at}) is None


TENTH = Margin(1.1, 1.1, 20)


@pytest.mark.parametrize(
    ("published", "low", "high", "outcome", "words"),
    [
        (50, 0.48, 0.52, "agree", "The two agree within a factor of 1.10."),
        # A factor of 1.3 would let these agree.
        (59, 0.71, 0.73, "disagree", "The two disagree, though the direction agrees."),
        (47, 0.58, 0.60, "disagree", "The two disagree, though the direction agrees."),
        (50, 0.4, 0.6, "inconclusive", "Inconclusive; the direction agrees."),
        (120, 0.4, 0.6, "disagree", "The two disagree: the direction differs."),
        (101, 0.95, 0.99, "agree", "The two agree within a factor of 1.10."),
        (
            100,
            0.4,
            0.6,
            "disagree",
            "The two disagree: only the measurement shows a difference.",
        ),
        (50, 0.8, 1.1, "disagree", "The two disagree: no significant difference here."),
        (90, 0.8, 1.1, "inconclusive", "Inconclusive."),
        (0, 0.4, 0.6, "disagree", "The two disagree, though the direction agrees."),
        (50, math.nan, math.nan, "inconclusive", "Inconclusive: the share has no interval."),
    ],
)
def test_agreement_is_computed(
    published: float, low: float, high: float, outcome: str, words: str
) -> None:
    found = Interval((low * high) ** 0.5, low, high, "log t", 3, 0.95)
    said = verdict_of_range(published, published, found, TENTH)
    assert (said.outcome, said.words[-len(words) :]) == (outcome, words)


def test_a_share_of_one_run_each_is_inconclusive_for_that_reason() -> None:
    said = verdict_of_range(50, 50, ratio_interval([1.0], [2.0]), TENTH)
    assert (said.outcome, said.words) == ("inconclusive", "Inconclusive: one run each.")


def test_a_range_is_judged_by_both_its_ends() -> None:
    found = Interval(1.3, 1.25, 1.35, "log t", 3, 0.95)
    assert verdict_of_range(120, 150, found, TENTH).outcome == "agree"
    assert verdict_of_range(140, 300, found, TENTH).outcome == "inconclusive"
    assert verdict_of_range(200, 300, found, TENTH).outcome == "disagree"
    assert (
        verdict_of_range(50, 60, found, TENTH).words == "The two disagree: the direction differs."
    )


def test_an_interval_inside_a_published_range_agrees_however_wide_it_is() -> None:
    found = Interval(1.3, 1.12, 1.48, "log t", 3, 0.95)
    assert verdict_of_range(110, 150, found, TENTH).outcome == "agree"
    assert verdict_of_range(125, 150, found, TENTH).outcome == "inconclusive"
    assert verdict_of_range(110, 132, found, TENTH).outcome == "inconclusive"


def test_the_margin_that_is_drawn_is_the_one_that_is_tested() -> None:
    spread = 0.02
    share = Share(Quantity(50, "%", ()), Interval(0.5, 0.48, 0.52, "log t", 3), None, None)  # type: ignore[arg-type]  # fmt: skip
    reach = sides_of("x", (50, 50), share, TENTH, spread).reach
    inside, beyond = (Interval(0.5, 0.49, 0.5 * reach * off, "log t", 3) for off in (0.999, 1.001))
    assert outcome_of(0.5, 0.5, inside, TENTH, spread) == "agree"
    assert outcome_of(0.5, 0.5, beyond, TENTH, spread) == "inconclusive"
    assert sides_of("x", (50, 50), share, Margin(1.01, 1.01, 9), spread).reach == 1


def test_the_examples_of_the_guide_come_out_as_it_says() -> None:
    guide = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"(?m)^\| (\d+) % \| (\d+) % \| (\d+) to (\d+) % \| ([\d.]+) \| (\w+) \|$", guide
    )
    assert {row[-1] for row in rows} == {"agree", "disagree", "inconclusive"}
    for published, estimate, low, high, margin, says in rows:
        shares = (int(text) / 100 for text in (estimate, low, high))
        found = Interval(*shares, "log t", 3, 0.9)
        factor = float(margin)
        size = int(published) / 100
        assert outcome_of(size, size, found, Margin(factor, factor, 9)) == says


def test_no_verdict_contradicts_the_interval_that_is_printed() -> None:
    wide = Interval(0.83, 0.25, 2.84, "log t", 3, 0.95, freedom=2)
    assert wide.at(0.9).low / 0.276 > TENTH.factor, "beyond the margin with 90 % alone"
    said = verdict_of_range(27.6, 27.6, wide, TENTH)
    assert said.outcome == "inconclusive"


def test_what_the_source_itself_repeats_within_widens_the_interval() -> None:
    found = Interval(0.5, 0.46, 0.54, "log t", 3)
    assert outcome_of(0.5, 0.5, found, TENTH) == "agree"
    assert outcome_of(0.5, 0.5, found, TENTH, spread=0.024) == "inconclusive"


def test_no_size_is_told_from_an_interval_that_reaches_zero_or_without_repetitions() -> None:
    assert outcome_of(5, 5, Interval(5, -1, 11, "t", 3), TENTH) == "inconclusive"
    assert outcome_of(5, 5, Interval(5, 4.9, 5.1, "t", 3), TENTH) == "agree"
    none = Margin(1.0, math.nan, 0)
    assert outcome_of(5, 5, Interval(5, 4.9, 5.1, "t", 3), none) == "inconclusive"


def test_the_margin_is_what_whole_runs_of_one_point_differ_by(here: Measured) -> None:
    margin = margin_of(here)
    rates = here.chapter.observations.frame.query(
        "source_kind == 'measured' and metric == 'round_trip_rate' and statistic == 'mean'"
    )
    logs = np.log(rates.set_index("point_id")["value"]).groupby(level=0)
    pooled = math.sqrt(((logs.count() - 1) * logs.var()).sum() / (logs.count() - 1).sum())
    assert margin.repeats_within == pytest.approx(math.exp(1.96 * math.sqrt(2) * pooled))
    assert 1 <= margin.factor == min(margin.repeats_within, WIDEST)
    assert f"{margin.factor:.2f}" in margin.rule
    assert "two runs of the same point differ" in margin.rule  # in the only block


log_ratios = st.floats(min_value=-2, max_value=2)


@pytest.mark.parametrize(
    ("factor", "words"), [(1.25, "1,25"), (1.004, "1,004"), (1.0004, "1,0004"), (1, "1")]
)
def test_a_factor_is_told_from_one_as_the_edition_writes_numbers(factor: float, words: str) -> None:
    numbers = NumberFormat("1.234,5")
    assert factor_words(factor, numbers) == words
    assert words in Margin(factor, factor, 9, numbers=numbers).rule


@given(log_ratios, log_ratios, st.floats(min_value=0.001, max_value=1))
def test_whichever_side_is_divided_by_the_other_the_outcome_is_the_same(
    published: float, estimate: float, half: float
) -> None:
    def outcome(of: float, at: float) -> str:
        low, high = math.exp(of - half), math.exp(of + half)
        found = Interval(math.exp(of), low, high, "log t", 3)
        return outcome_of(math.exp(at), math.exp(at), found, TENTH)

    assert outcome(estimate, published) == outcome(-estimate, -published)


def test_variants_are_laid_out_against_their_baseline(
    base_chapter: Chapter, here: Measured
) -> None:
    table = variants_table(
        here, "delivery", baseline="nonpersistent", split="message_bytes", caption="C"
    )
    assert table is not None
    assert "Measured with 4 requesters." in table.notes
    top, bottom = table.header
    assert [(cell.text, cell.span) for cell in top[2:6]] == [
        ("Ratio to non-persistent", 2), ("", 1), ("Round-trip time", 2), ("", 1),
    ]  # fmt: skip
    assert [cell.text for cell in bottom[6:8]] == ["p50 (ms)", "p99 (ms)"]
    assert "Round-trip time p50 (ms)" in table.csv
    shown = [[cell.text for cell in row] for row in table.rows]
    labels = [row[0] for row in shown]
    assert "non-persistent" in labels
    assert "Message size: 2\u00a0KB" in labels
    of_base = next(row for row in shown if row[0] == "non-persistent")
    assert of_base[3:5] == ["\u2013", "\u2013"]  # a share of itself says nothing
    persistent = next(row for row in shown if row[0] == "persistent")
    ends = [*persistent[4].split("\u2013"), persistent[3].rstrip(" †")]
    low, high, ratio = (float(end.replace(",", "")) for end in ends)
    assert low < ratio < high
    assert not any("was not measured" in note for note in table.notes)
    other = variants_table(here, "delivery", baseline="express", caption="C", message_bytes=SIZE)
    assert other is not None
    assert "No ratio where express was not measured." in other.notes
    printed = {"persistent": Quantity(40, "%", (), 0)}
    text = variants_agreement(
        here, "delivery", head="Shares", baseline="nonpersistent", published=printed,
        message_bytes=SIZE,
    )  # fmt: skip
    assert text is not None
    assert "persistent: here" in text.markdown
    assert "published 40" in text.markdown
    title = variants_title(
        here, "delivery", what="Messages", baseline="nonpersistent", otherwise="?",
        message_bytes=SIZE,
    )  # fmt: skip
    assert title.startswith("Messages: ")
    assert title != "?"


def test_a_mean_beside_a_rate_is_over_all_of_its_runs_or_not_shown(published: Project) -> None:
    points = published.campaigns / "base-quick" / "points.csv"
    shutil.copytree(SAMPLE, points.parent)
    lines = points.read_text().splitlines(keepends=True)
    run = f"persistent-{SIZE}b-normal-c4-r2,"
    kept = [line for line in lines if not (line.startswith(run) and ",machine_cpu,mean," in line)]
    assert len(kept) == len(lines) - 1
    points.write_text("".join(kept))
    here = Measured(Chapter(V94, folder=published.root), "base", scheduling_class="normal")
    look = {"baseline": "nonpersistent", "caption": "C", "message_bytes": SIZE}
    metrics = [("broker_cpu", "mean"), ("machine_cpu", "mean")]
    note = (
        "\u2013 among the means: a run of the point has no value, such as a percentile of too few "
        "round trips, or the set-up has nothing of the kind."
    )
    table = variants_table(here, "delivery", requesters=4, metrics=metrics, **look)
    assert table is not None
    shown = {row[0].text: [cell.text for cell in row[-3:]] for row in table.rows}
    runs, broker, machine = shown["persistent"]
    assert int(runs) > 1
    assert broker != machine == "\u2013"
    assert "\u2013" not in shown["non-persistent"]
    assert note in table.notes
    for whole in ({"metrics": metrics[:1]}, {"metrics": ()}):
        other = variants_table(here, "delivery", requesters=4, **whole, **look)
        assert other is not None
        assert note not in other.notes


def test_where_nothing_may_be_concluded_numbers_stay_and_verdicts_go(
    published: Project, base_chapter: Chapter
) -> None:
    shutil.copytree(SAMPLE, published.campaigns / "base-quick")
    mute = Chapter(V94, folder=published.root)  # the sample has no raw files, and no waiver here
    said = {}
    for one in (base_chapter, mute):
        here = Measured(one, "base", scheduling_class="normal", requesters=4)
        text = variants_agreement(
            here, "delivery", head="Shares", baseline="nonpersistent",
            published={"persistent": Quantity(40, "%", (), 0)}, message_bytes=SIZE,
        )  # fmt: skip
        assert text is not None
        title = variants_title(
            here, "delivery", what="Messages", baseline="nonpersistent", otherwise="?",
            message_bytes=SIZE,
        )  # fmt: skip
        said[one] = (text.markdown, title, disclosure(here).markdown)
    words, title, told = said[base_chapter]
    assert "magnitude" in words or "Agree" in words or "Inconclusive" in words
    number = words[words.index("here ") : words.index(" published 40")]
    assert "= 100" in title or "differs" in title or "slower" in title
    assert "No conclusion here" not in told
    words, title, told = said[mute]
    assert number in words
    bare = re.sub(r"(?<=withheld) .*(?=-->)", "", words)
    assert bare.endswith("published 40\u00a0%. <!--verdict: withheld-->")
    assert title == "Messages: rate by delivery"
    of_tls = variants_title(here, "tls_cipher", what="TLS", baseline="none", otherwise="?")
    assert of_tls == "TLS: rate by CipherSpec"
    assert told.count("**No conclusion here, because ") == 1
    assert "the raw files of" in told


def test_bars_and_lines_carry_every_value_and_interval(here: Measured) -> None:
    bars = variants_figure(here, "delivery", split="message_bytes", title="T", caption="C.")
    assert bars is not None
    assert bars.caption.startswith("C. Measured with 4 requesters.")
    said = variants_figure(
        here, "delivery", split="message_bytes", title="T", caption="4 requesters"
    )
    assert said is not None
    assert said.caption.count("equester") == 1
    assert "persistent" in bars.alt
    assert all(trace.error_x.array is not None for trace in bars.chart.data)
    lines = measured_lines(
        here, "message_bytes", split="delivery", title="T", caption="C", log={"message_bytes"}
    )
    assert lines is not None
    named = [one for one in lines.chart.data if one.x[0] is not None and one.hoverinfo != "skip"]
    assert len(named) == 2
    assert lines.csv.count("\n") > 4


def test_the_only_further_factor_that_varies_splits_by_itself(here: Measured) -> None:
    words = {"title": "T", "caption": "C"}
    for draw, by, split in (
        (variants_figure, "delivery", "message_bytes"),
        (measured_lines, "message_bytes", "delivery"),
    ):
        alone, named = draw(here, by, **words), draw(here, by, split=split, **words)
        assert alone is not None
        assert named is not None
        assert alone.csv == named.csv
    table, named = (
        variants_table(here, "delivery", baseline="persistent", caption="C", **more)
        for more in ({}, {"split": "message_bytes"})
    )
    assert table is not None
    assert named is not None
    assert table.rows == named.rows
    whole = Measured(here.chapter, "base", scheduling_class="normal")
    with pytest.raises(ChapterError, match="points, not one"):  # two further ones
        variants_figure(whole, "delivery", **words)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"metric": "round_trip_tme"}, "unknown metric 'round_trip_tme' (did you mean"),
        ({"statistic": "p9"}, "unknown statistic 'p9' (did you mean"),
        ({"by": "delivry"}, "unknown factor 'delivry' (did you mean 'delivery'?)"),
    ],
)
def test_what_does_not_exist_is_refused_and_not_left_out(
    here: Measured, more: dict[str, str], said: str
) -> None:
    asked = {"by": "delivery", "title": "T", "caption": "C", **more}
    with pytest.raises(ChapterError) as caught:
        variants_figure(here, **asked)  # type: ignore[arg-type]
    assert said in str(caught.value)


def drawn(one: Chapter, printed: float | None) -> tuple[Figure, Measured]:
    here = Measured(one, "base", scheduling_class="normal", requesters=4)
    of, base = (
        {"delivery": mode, "message_bytes": SIZE} for mode in ("persistent", "nonpersistent")
    )
    published = {} if printed is None else {"published": Quantity(printed, "%", (), 0)}
    cases = Cases(here, [Case("persistent", of, base, published)])
    figure = cases.forest(what="Log", of="the rate without", caption="C.")
    assert figure is not None
    return figure, here


def test_a_forest_shows_each_share_with_what_decides_on_agreement(base_chapter: Chapter) -> None:
    figure, here = drawn(base_chapter, 40)
    marks = {
        trace.name: trace for trace in figure.chart.data if trace.name and trace.x[0] is not None
    }
    assert list(marks) == ["published", "measured here"]
    at = {"message_bytes": SIZE}
    share = share_of(here, {"delivery": "persistent", **at}, {"delivery": "nonpersistent", **at})
    assert share is not None
    measured, published = marks["measured here"], marks["published"]
    assert measured.x[0] == pytest.approx(share.quantity.value)
    assert measured.x[0] + measured.error_x.array[0] == pytest.approx(100 * share.interval.high)
    factor = margin_of(here).factor
    assert published.x[0] + published.error_x.array[0] == pytest.approx(40 * factor)
    assert published.x[0] - published.error_x.arrayminus[0] == pytest.approx(40 / factor)
    assert measured.marker.symbol != published.marker.symbol
    assert "margin of agreement" in figure.caption
    assert "40" in figure.alt


def test_the_title_of_a_forest_counts_how_the_comparisons_came_out(here: Measured) -> None:
    half = ratio_interval([50, 50.1, 49.9], [100, 100.1, 99.9])
    at = here.mean(delivery="persistent", message_bytes=SIZE)
    assert at is not None
    share = Share(Quantity(50, "%", (), 0, "measured"), half, at, at)
    printed = {who: Quantity(value, "%", (), 0) for who, value in
               (("one", 50), ("two", 51), ("three", 90))}  # fmt: skip
    cases = [(Case("near", {}, published=printed), share), (Case("alone", {}), share)]
    figure = forest(here, cases, what="halves", of="all", caption="C.")
    assert figure is not None
    assert figure.title == "Of 3 comparisons of halves, 2 agree and 1 disagrees"


def test_a_forest_without_a_published_share_or_a_verdict_says_neither(
    published: Project, base_chapter: Chapter
) -> None:
    figure, _ = drawn(base_chapter, None)
    assert figure.title == "Measured here: Log"
    assert "published" not in figure.caption
    shutil.copytree(SAMPLE, published.campaigns / "base-quick")
    figure, _ = drawn(Chapter(V94, folder=published.root), 40)
    assert figure.title == "Log: measured beside published"
    assert "agrees" not in figure.caption
    published = next(trace for trace in figure.chart.data if trace.name == "published")
    assert published.error_x.array is None


def test_nothing_measured_shows_nothing(base_chapter: Chapter) -> None:
    here = Measured(base_chapter, "base", requesters=999)
    assert variants_table(here, "delivery", baseline="persistent", caption="C") is None
    assert variants_figure(here, "delivery", title="T", caption="C") is None
    cases = Cases(here, [Case("persistent", {"delivery": "persistent"}, {})])
    assert cases.forest(what="M", of="B", caption="C") is None
    assert measured_lines(here, "message_bytes", title="T", caption="C") is None
    title = variants_title(here, "delivery", what="M", baseline="persistent", otherwise="none")
    assert title == "none"


def test_another_factor_that_varies_splits_agreement_and_leaves_no_title(
    base_chapter: Chapter,
) -> None:
    here = Measured(base_chapter, "base", scheduling_class="normal", message_bytes=SIZE)
    assert {*here.levels("requesters")} == {4, 16}
    look = {"baseline": "nonpersistent"}
    title = variants_title(here, "delivery", what="2 KB", otherwise="nothing", **look)
    assert title == "2 KB: rate by delivery"
    published = {"persistent": Quantity(32, "%", ())}
    text = variants_agreement(here, "delivery", head="Rate", published=published, **look)
    assert text is not None
    heads = [line for line in text.markdown.splitlines() if line.startswith("Rate, ")]
    assert heads == ["Rate, 4 requesters:", "Rate, 16 requesters:"]
    # What is not shown splits nothing.
    table = variants_table(
        here, "requesters", caption="C", levels=[4], delivery="persistent", baseline=16
    )
    assert table is not None
    assert [row[0].kind for row in table.rows] == ["label"]
