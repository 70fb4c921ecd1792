"""Measured variants against a baseline: shares with intervals, bars, lines, words."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from roundtrip.present import (
    Chapter,
    Measured,
    measured_lines,
    variants_agreement,
    variants_figure,
    variants_table,
    variants_title,
)
from roundtrip.present.measured.shares import share_of, verdict
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
        (80, 0.4, 0.6, "The direction agrees, the size does not"),
        (120, 0.4, 0.6, "The direction differs"),
        (99.8, 0.4, 0.6, "The source shows no difference, the measurement shows one"),
        (99.8, 0.99, 0.999, "Direction and size agree"),
        (50, 0.8, 1.1, "does not decide"),
    ],
)
def test_agreement_is_computed(published: float, low: float, high: float, words: str) -> None:
    found = Interval((low * high) ** 0.5, low, high, "log t", 3, 0.95)
    assert words in verdict(published, found)


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
    assert len(lines.chart.data) == 2
    assert lines.csv.count("\n") > 4


def test_nothing_measured_shows_nothing(chapter: Chapter) -> None:
    here = Measured(chapter, "no-such-plan")
    assert variants_table(here, "delivery", baseline="persistent", caption="C") is None
    assert variants_figure(here, "delivery", title="T", caption="C") is None
    assert measured_lines(here, "message_bytes", title="T", caption="C") is None
    title = variants_title(here, "delivery", what="M", baseline="persistent", otherwise="none")
    assert title == "none"
