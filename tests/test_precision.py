"""How exact values are: slack of printed and corrected numbers, quotients, equality."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from roundtrip.checks.precision import alike, near, quotient_bounds, settled_cells
from roundtrip.checks.reference import Reference
from roundtrip.dictionary import load_dictionary
from roundtrip.project import Project
from workshop import ROOT


@pytest.mark.parametrize(
    ("one", "other", "slack", "equal"),
    [
        (1.0, 1.05, 0.06, True),
        (1.05, 1.0, 0.04, False),
        (7.0, 3.5, 0.5, False),
        (-2.0, 2.0, 1.0, False),
        (3.0, 3.0, 0.0, True),
        (1e9, 1e9 + 0.5, 0.0, True),  # within what binary fractions add
        (1e9 + 2, 1e9, 0.0, False),
    ],
)
def test_values_are_equal_to_within_their_slack(
    one: float, other: float, slack: float, equal: bool
) -> None:
    assert near(one, other, slack) is equal


def test_a_quotient_lies_between_its_extremes() -> None:
    def bounds(*values: float) -> tuple[float, float]:
        over, over_slack, under, under_slack = values
        return quotient_bounds(
            {"settled": over, "slack": over_slack}, {"settled": under, "slack": under_slack}
        )

    assert bounds(10, 1, 4, 1) == (9 / 5, 11 / 3)
    assert bounds(10, 0, 4, 0) == (2.5, 2.5)
    assert bounds(10, 1, 1, 1) == (9 / 2, math.inf)
    assert bounds(10, 1, 1, 2) == (9 / 3, math.inf)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ((500, 0.5, None), (501, 0.5, None), False),  # to the same digit
        ((500, 50, None), (540, 0.5, None), True),  # rounded further
        ((500, 50, None), (551, 0.5, None), False),
        ((500, 3, 3), (506, 3, 3), True),  # two drawings
        ((500, 3, 3), (503.4, 0.5, None), True),
        ((500, 3, 3), (503.6, 0.5, None), False),
    ],
)
def test_readings_of_one_value_may_differ_by_rounding_or_drawing(
    one: tuple[float, ...], other: tuple[float, ...], same: bool
) -> None:
    cells = [
        dict(zip(("settled", "slack", "accuracy"), each, strict=True)) for each in (one, other)
    ]
    assert alike(*cells) is same
    assert alike(*reversed(cells)) is same


def test_slack_is_half_a_digit_of_what_settles_the_value() -> None:
    cells = pd.DataFrame(
        [
            ("round_trip_rate", "1,234", "round trips/s", None, None, 1234.0),
            ("cpu", "97.25", "%", None, None, 97.25),
            ("cpu", "97.25", "%", None, 9.5, 97.25),  # corrected with one decimal less …
            ("cpu", "97.2", "%", None, 9.25, 97.2),  # … and one more
            ("cpu", None, None, 1.5, None, 50.0),  # drawn
            ("cpu", "about 9", "%", None, None, 9.0),
            ("no such metric", "9", "%", None, None, 9.0),
        ],
        columns=["metric", "value_printed", "unit_printed", "accuracy", "value_corrected", "value"],
    )
    cells["accuracy"] = cells["accuracy"].astype(float)
    cells["value_corrected"] = cells["value_corrected"].astype(float)
    dictionary = load_dictionary(Project(ROOT).dictionary)
    found = settled_cells(cells.set_index(cells.index + 5), Reference(dictionary, {}))
    assert list(found["settled"]) == [1234, 97.25, 9.5, 9.25, 50, 9, 9]
    assert list(found["slack"]) == pytest.approx([0.5, 0.005, 0.005, 0.005, 1.5, 0, 0])
    assert list(found["position"]) == list(range(7))
