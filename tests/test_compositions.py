"""Charts as compositions: what stands in which panel, and where rows and texts stand."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from roundtrip.errors import ChapterError
from roundtrip.present import Chapter, Quantity, chart
from roundtrip.present.plot.axes import level_axis
from workshop import ROOT

WORDS = {"title": "Rates", "caption": "What is drawn."}


@pytest.fixture(scope="module")
def chapter() -> Chapter:
    return Chapter("ibm-mq-v9.4-linux", folder=ROOT)


def rate(value: float) -> Quantity:
    return Quantity(value, "round trips/s", ())


def lying(chapter: Chapter, rows: list[tuple[str, str, Quantity]], **more: Any) -> Any:
    frame = pd.DataFrame(rows, columns=["who", "case", "rate"])
    return chart(
        chapter, frame, x="case", y="rate", series="who", mark="dot", horizontal=True,
        varied=None, **WORDS, **more,
    ).chart  # fmt: skip


def above_each_other(chapter: Chapter, **more: Any) -> Any:
    points = chapter.points("table-03").assign(
        ratio=[Quantity(value, "", ()) for value in (3.0, 2.0, 1.5, 1.2)]
    )
    return chart(
        chapter, points, x="message_bytes", y=("round_trip_rate", "ratio"), mark="line",
        one_scale=False, **WORDS, **more,
    ).chart  # fmt: skip


def test_a_reference_of_one_of_several_values_is_in_its_panel_alone(chapter: Chapter) -> None:
    drawing = above_each_other(chapter, reference={"ratio": (1, "equal")})
    (rule,) = drawing.layout.shapes
    assert (rule.y0, rule.yref) == (1, "y2")
    assert [trace.name for trace in drawing.data if trace.showlegend is not False] == ["equal"]
    with_one_of_each = above_each_other(chapter, reference=(1, "equal"))
    assert [rule.yref for rule in with_one_of_each.layout.shapes] == ["y", "y2"]


def test_a_reference_of_what_is_not_drawn_is_refused(chapter: Chapter) -> None:
    with pytest.raises(ChapterError, match="'ration'") as raised:
        above_each_other(chapter, reference={"ration": (1, "equal")})
    assert "ratio" in str(raised.value)


def test_dots_that_lie_stand_around_the_middle_of_their_place(chapter: Chapter) -> None:
    drawing = lying(
        chapter,
        [("A", "both", rate(1)), ("B", "both", rate(2)), ("B", "one", rate(3))],
    )
    first, second = drawing.data
    assert first.y[0] == -second.y[0] < 0  # the first is the upper one
    assert second.y[1] == 1
    assert drawing.layout.yaxis.range == (1.5, -0.5)
    assert drawing.layout.yaxis.ticktext == ("both", "one")


def test_values_stand_beside_dots_that_lie_where_no_interval_is_in_the_way(
    chapter: Chapter,
) -> None:
    rows = [("A", "one", rate(1234)), ("A", "other", rate(400))]
    for log in ((), {"rate"}):
        drawing = lying(chapter, rows, log=log)
        (trace,) = drawing.data
        assert trace.text == ("1,234", "400")
        assert trace.textposition == "middle right"
    low, high = lying(chapter, rows).layout.xaxis.range
    assert high - 1234 > 400 - low  # room for the texts
    frame = pd.DataFrame(rows, columns=["who", "case", "rate"]).assign(low=[9, 9], high=[1999, 999])
    with_ends: Any = chart(
        chapter, frame, x="case", y="rate", mark="dot", horizontal=True, ends=("low", "high"),
        varied=None, **WORDS,
    ).chart  # fmt: skip
    assert with_ends.data[0].text is None


def test_a_long_name_of_a_row_is_broken_and_stays_inside_the_picture(chapter: Chapter) -> None:
    name = "the number of requesters, with the time & of a round trip at the <b>peak"
    drawing = lying(chapter, [("A", name, rate(1)), ("A", "short", rate(2))])
    text = drawing.layout.yaxis.ticktext[0]
    assert text.count("<br>") == 1
    assert "&amp;" in text
    assert "<b>" not in text
    assert max(map(len, text.split("<br>"))) * 6 < drawing.layout.margin.l


def test_both_ends_of_an_axis_of_levels_bear_a_tick() -> None:
    levels = [1.0, 2.0, 4.0, 10.0, 20.0, 40.0, 64.0]
    axis = level_axis(
        levels, lambda level: f"{level:g} KB", logarithmic=True, right=0.1, width=400
    )  # fmt: skip
    assert axis.layout["tickvals"] == [1, 2, 4, 10, 20, 64]


def test_many_levels_within_few_powers_of_ten_have_round_ticks() -> None:
    levels = [float(level) for level in range(20, 310, 10)]
    axis = level_axis(levels, lambda level: f"{level:g}", logarithmic=True, right=0.1, width=160)
    assert axis.layout["ticktext"] == ["20", "50", "100", "200"]
    far = level_axis([*levels, 9e4], str, logarithmic=True, right=0.1, width=160)
    assert far.layout["dtick"] == 1


def test_published_marks_stay_solid_beside_measured_ones_of_their_series(chapter: Chapter) -> None:
    here = Quantity(30, "round trips/s", (), kind="measured")
    rows = [("A", "one", rate(3)), ("A", "two", here)]
    symbols = [trace.marker.symbol for trace in lying(chapter, rows).data if trace.x[0] is not None]
    solid, hollow = symbols
    assert hollow == f"{solid}-open"


def test_texts_beside_marks_never_turn_their_axis_round(chapter: Chapter) -> None:
    rows = pd.DataFrame(
        [(panel, "case", rate(1 + number), "words " * 12) for number, panel in enumerate("abc")],
        columns=["panel", "case", "rate", "label"],
    )
    drawing = chart(
        chapter, rows, x="case", y="rate", panels="panel", columns=3, mark="dot", horizontal=True,
        labels="label", varied=None, **WORDS,
    ).chart  # fmt: skip
    low, high = drawing.layout.xaxis.range
    assert low < high


def test_lines_that_lie_are_named_in_the_legend(chapter: Chapter) -> None:
    rows = [(who, case, rate(value)) for who, value in (("A", 2), ("B", 5)) for case in ("x", "y")]
    frame = pd.DataFrame(rows, columns=["who", "case", "rate"])
    drawing = chart(
        chapter, frame, x="case", y="rate", series="who", mark="line", horizontal=True,
        varied=None, **WORDS,
    ).chart  # fmt: skip
    assert not drawing.layout.annotations
    assert [trace.name for trace in drawing.data if trace.showlegend] == ["A", "B"]


def test_a_reference_is_told_to_those_who_do_not_see_it(chapter: Chapter) -> None:
    frame = pd.DataFrame({"case": ["x"], "rate": [rate(2)]})
    figure = chart(
        chapter, frame, x="case", y="rate", reference=(1.5, "limit"), varied=None, **WORDS
    )
    assert figure.alt.startswith("Bar chart, a line at 1.5 (limit). Rates.")
