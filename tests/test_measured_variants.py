"""Measured variants against a baseline: shares with intervals, bars, lines, words."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.present import (
    Chapter,
    Measured,
    measured_lines,
    variants_agreement,
    variants_figure,
    variants_table,
    variants_title,
)
from roundtrip.present.measured.agreement import (
    REPEATS_WITHIN,
    size_agrees,
    verdict,
    verdict_of_range,
)
from roundtrip.present.measured.shares import share_of
from roundtrip.present.numbers import Quantity
from roundtrip.stats.intervals import Interval, ratio_interval
from workshop import V94, copy_project

SAMPLE = Path(__file__).parent / "data" / "campaigns" / "base-quick"
PARTS = ("_quarto.yml", "data/dictionary.yml", "data/published")
SIZE = 2048


@pytest.fixture(scope="module")
def chapter(tmp_path_factory: pytest.TempPathFactory) -> Chapter:
    project = copy_project(tmp_path_factory.mktemp("with"), PARTS)
    shutil.copytree(SAMPLE, project.campaigns / "base-quick")
    return Chapter(V94, folder=project.root)


@pytest.fixture(scope="module")
def here(chapter: Chapter) -> Measured:
    return Measured(chapter, "base", scheduling_class="normal", requesters=4)


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


@pytest.mark.parametrize(
    ("published", "low", "high", "words"),
    [
        (50, 0.4, 0.6, "Direction and size agree"),
        (61, 0.4, 0.6, "Direction and size agree"),
        (80, 0.4, 0.6, "The direction agrees, the size is left open"),
        (90, 0.4, 0.6, "The direction agrees, the size does not"),
        (60, 0.49, 0.51, "Direction and size agree"),
        (75, 0.49, 0.51, "the size is left open"),
        (90, 0.49, 0.51, "the size does not"),
        (120, 0.4, 0.6, "The direction differs."),
        (105, 0.9, 0.99, "The direction differs, but by no more than a repetition may."),
        (99.8, 0.4, 0.6, "The source shows no difference, the measurement shows one."),
        (99.8, 0.9, 0.99, "the measurement shows one, but by no more than a repetition may."),
        (50, 0.8, 1.1, "does not decide on the direction. The sizes do not agree."),
        (80, 0.8, 1.1, "does not decide."),
        (0, 0.4, 0.6, "the size does not"),
        (50, math.nan, math.nan, "One run each does not decide."),
    ],
)
def test_agreement_is_computed(published: float, low: float, high: float, words: str) -> None:
    found = Interval((low * high) ** 0.5, low, high, "log t", 3, 0.95)
    assert verdict(published, found).endswith(words if words.endswith(".") else f"{words}.")


def test_a_range_agrees_where_its_nearest_end_does() -> None:
    found = Interval(1.3, 1.25, 1.35, "log t", 3, 0.95)
    assert verdict_of_range(120, 150, found) == "Direction and size agree."
    assert verdict_of_range(150, 300, found) == "Direction and size agree."
    assert verdict_of_range(200, 300, found) == "The direction agrees, the size is left open."
    assert verdict_of_range(250, 300, found) == "The direction agrees, the size does not."
    assert verdict_of_range(50, 60, found) == "The direction differs."


def test_no_size_is_told_from_an_interval_that_reaches_zero() -> None:
    assert size_agrees(5, Interval(5, -1, 11, "t", 3)) is None
    assert size_agrees(5, Interval(5, 4, 6, "t", 3)) is True


log_ratios = st.floats(min_value=-2, max_value=2)


@given(log_ratios, log_ratios, st.floats(min_value=0.001, max_value=1), log_ratios)
def test_a_repetition_within_reach_never_turns_an_agreement_round(
    published: float, estimate: float, half: float, shift: float
) -> None:
    """What a size agrees with at first it does not contradict when the measurement is repeated."""

    def said(of: float) -> str:
        low, high = math.exp(of - half), math.exp(of + half)
        return verdict(100 * math.exp(published), Interval(math.exp(of), low, high, "log t", 3))

    reach = max(half, math.log(REPEATS_WITHIN))
    again = said(estimate + reach * shift / 2.01)
    if said(estimate) == "Direction and size agree.":
        assert "the size does not" not in again
        assert "sizes do not agree" not in again


def test_variants_are_laid_out_against_their_baseline(chapter: Chapter, here: Measured) -> None:
    table = variants_table(
        here, "delivery", baseline="nonpersistent", split="message_bytes", caption="C"
    )
    assert table is not None
    shown = [[cell.text for cell in row] for row in table.rows]
    labels = [row[0] for row in shown]
    assert "non-persistent" in labels
    assert "Message size 2\u00a0KB" in labels
    of_base = next(row for row in shown if row[0] == "non-persistent")
    assert of_base[3] == "\u2013"  # a share of itself says nothing
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


def test_bars_and_lines_carry_every_value_and_interval(here: Measured) -> None:
    bars = variants_figure(here, "delivery", split="message_bytes", title="T", caption="C")
    assert bars is not None
    assert "persistent" in bars.alt
    assert all(trace.error_x.array is not None for trace in bars.chart.data)
    lines = measured_lines(
        here, "message_bytes", split="delivery", title="T", caption="C", logarithmic=True
    )
    assert lines is not None
    assert len([trace for trace in lines.chart.data if trace.x[0] is not None]) == 2
    assert lines.csv.count("\n") > 4


def test_nothing_measured_shows_nothing(chapter: Chapter) -> None:
    here = Measured(chapter, "no-such-plan")
    assert variants_table(here, "delivery", baseline="persistent", caption="C") is None
    assert variants_figure(here, "delivery", title="T", caption="C") is None
    assert measured_lines(here, "message_bytes", title="T", caption="C") is None
    title = variants_title(here, "delivery", what="M", baseline="persistent", otherwise="none")
    assert title == "none"
