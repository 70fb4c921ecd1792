"""Names and values in charts: where they stand, and that they stand clear."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtrip.present.plot.canvas import base_layout
from roundtrip.present.plot.labels import place_point_labels
from roundtrip.theme import Theme

SIZE = 11
PAGE = base_layout("T", 400, ".,", 84, Theme())
ACROSS = PAGE["width"] - PAGE["margin"]["l"] - PAGE["margin"]["r"]
DOWN = PAGE["height"] - PAGE["margin"]["t"] - PAGE["margin"]["b"]


def scatter(
    points: list[tuple[float, float]], mode: str = "markers+text", **more: Any
) -> go.Figure:
    """Draw points, given in pixels from the lower left corner, each with a name of 4 letters."""
    figure = go.Figure(layout={"template": "none"})
    figure.update_layout(PAGE)
    figure.add_trace(
        go.Scatter(
            x=[x for x, _ in points], y=[y for _, y in points], mode=mode,
            text=["name"] * len(points), textfont={"size": SIZE}, marker={"size": 10}, **more,
        )
    )  # fmt: skip
    figure.update_xaxes(range=[0, ACROSS])
    figure.update_yaxes(range=[0, DOWN])
    return figure


def placed(figure: go.Figure) -> list[str]:
    place_point_labels(figure)
    return list(figure.data[0].textposition)


def test_a_point_alone_has_its_name_above_it_to_the_right() -> None:
    assert placed(scatter([(200, 100)])) == ["top right"]


@pytest.mark.parametrize(
    ("point", "allowed"),
    [
        ((ACROSS - 3, 100), {"top left"}),
        ((200, DOWN - 3), {"bottom right"}),
        ((ACROSS - 3, DOWN - 3), {"bottom left"}),
        ((3, 3), {"top right"}),
    ],
)
def test_a_name_stays_inside_the_axes(point: tuple[float, float], allowed: set[str]) -> None:
    assert set(placed(scatter([point]))) <= allowed


def test_names_of_neighbours_stand_on_different_sides() -> None:
    first, second = placed(scatter([(200, 100), (203, 101)]))
    assert first != second


def test_a_name_stands_clear_of_lines_of_rules_and_of_intervals() -> None:
    rising = scatter([(200, 100), (260, 160)], "lines+markers+text")
    assert placed(rising)[0] in ("top left", "bottom right")
    steep = scatter([(200, 100), (214, 165)], "lines+markers+text")
    assert placed(steep)[0] != "top right"  # it would touch the line
    ruled = scatter([(200, 100)])
    ruled.add_hline(y=112)
    assert placed(ruled) == ["bottom right"]
    wide = scatter([(200, 100)], error_x={"array": [60], "arrayminus": [60], "type": "data"})
    assert "middle" not in placed(wide)[0]
    high = scatter([(200, 100)], error_y={"array": [60], "type": "data"})
    assert "center" not in placed(high)[0]


def test_a_name_stands_clear_of_marks_of_other_series() -> None:
    figure = scatter([(200, 100)])
    figure.add_trace(go.Scatter(x=[220], y=[110], mode="markers", marker={"size": 12}))
    assert placed(figure)[0] in ("top left", "bottom right")


def test_a_logarithmic_axis_and_an_interval_down_to_zero_are_understood() -> None:
    figure = scatter([(100, 10)], error_y={"array": [5], "arrayminus": [10], "type": "data"})
    figure.update_yaxes(type="log", range=[0, 2])
    assert placed(figure) == ["top right"]


def test_a_trace_that_only_stands_in_the_legend_is_no_obstacle() -> None:
    figure = scatter([(200, 100)])
    figure.add_trace(go.Scatter(x=[None], y=[None], mode="lines", name="limit"))
    assert placed(figure) == ["top right"]


POINTS = st.lists(
    st.tuples(st.integers(0, int(ACROSS)), st.integers(0, int(DOWN))), min_size=1, max_size=12
)


@pytest.mark.slow
@settings(max_examples=settings().max_examples // 4)  # each draws a chart twice
@given(POINTS)
def test_any_points_get_a_position_each_and_always_the_same(points: list[tuple[int, int]]) -> None:
    first = placed(scatter(points, "lines+markers+text"))
    assert len(first) == len(points)
    assert placed(scatter(points, "lines+markers+text")) == first


def test_names_find_room_for_all_whichever_moved_first() -> None:
    crowd = scatter([(245, 125), (235, 120), (250, 100), (230, 110)])
    # Moved only in the order of the points, two names would lie over each other.
    assert placed(crowd) == ["top right", "top left", "top right", "bottom left"]
