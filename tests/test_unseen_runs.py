"""A sentence rests on runs that its section shows, or refers to the section that does."""

from __future__ import annotations

import pytest

from roundtrip.campaign.names import ValueName
from roundtrip.publish.book import PLACEHOLDER, Chapter, TableItem
from roundtrip.publish.pandoc import parse_markdown
from roundtrip.publish.unseen_runs import unseen_runs

CELL = "base-quick/runs/p0-normal-c4-r{}.round_trip_rate-mean"
SENTENCE = (
    '[32 %](#cell-x "campaign base\\-quick, run p0\\-normal\\-c4\\-r1, Round trips/s; campaign '
    'base\\-quick, run p0\\-normal\\-c4\\-r2, Round trips/s") of the rate.'
)


def found(text: str, cells: list[str], left_out: tuple[str, ...] = ()) -> list[str]:
    text = text.replace("TABLE", f"``` {{={PLACEHOLDER}}}\ntable:tbl-runs\n```")
    table = TableItem("tbl-runs", "", "", (), (), "", (), cells=tuple(cells))
    blocks = parse_markdown(text)["blocks"]
    draft = Chapter("one", "One", "sec-one", "1", "chapter", blocks, tables={"tbl-runs": table})
    return [problem.what for problem in unseen_runs([draft], left_out)]


BOTH = [CELL.format(1), CELL.format(2)]


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        (f"## A\n\n{SENTENCE}\n\nTABLE", BOTH),
        (f"## A\n\n- {SENTENCE}\n\n### Deeper\n\nTABLE", BOTH),
        (f"{SENTENCE}\n\n## A\n\nTABLE", BOTH),  # what opens a chapter speaks of all of it
        (f"## A\n\n{SENTENCE} See @tbl-runs.\n\n## B\n\nTABLE", BOTH),
        (f"## A\n\n{SENTENCE} See @sec-b.\n\n## B {{#sec-b}}\n\nTABLE", BOTH),
    ],
)
def test_runs_that_are_shown_or_referred_to_are_no_hidden_arm(text: str, cells: list[str]) -> None:
    assert found(text, cells) == []


@pytest.mark.parametrize(
    ("text", "cells", "runs"),
    [
        (f"## A\n\n{SENTENCE}\n\nTABLE", [], 2),
        (f"## A\n\n{SENTENCE}\n\nTABLE", BOTH[:1], 1),
        # The same point in another scheduling class is another run.
        (f"## A\n\n{SENTENCE}\n\nTABLE", [cell.replace("normal", "real") for cell in BOTH], 2),
        (f"## A\n\n{SENTENCE}\n\n## B\n\nTABLE", BOTH, 2),
        (f"{SENTENCE}\n\n## A\n\nTABLE", [], 2),
        (f"## A\n\n{SENTENCE} See @sec-c.\n\n## B\n\nTABLE\n\n## C {{#sec-c}}", BOTH, 2),
    ],
)
def test_a_hidden_arm_is_named(text: str, cells: list[str], runs: int) -> None:
    (said,) = found(text, cells)
    assert said.startswith(f"a sentence rests on {runs} runs")
    assert "base-quick/p0-normal-c4-r" in said


def test_what_the_edition_leaves_out_is_not_asked_for() -> None:
    text = f"## A\n\n{SENTENCE} See @sec-other."
    assert found(text, [], ("sec-other",)) == []


@pytest.mark.parametrize(
    ("observation", "name"),
    [
        ("base/runs/a-2kb.x-c4-r1.round_trip_time-p50",
         ValueName("base", "a-2kb.x-c4-r1", "round_trip_time", "p50")),
        ("base/runs/a-c4-r1.catch_up_time-single@2.5",
         ValueName("base", "a-c4-r1", "catch_up_time", "single", "2.5")),
        ("base/runs/a-c4-r1", None),
        ("v9/table-8/r1c2", None),
    ],
)  # fmt: skip
def test_a_value_of_a_run_is_known_by_its_name(observation, name):
    assert ValueName.parse(observation) == name
    assert name is None or str(name) == observation
