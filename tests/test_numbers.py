"""Numbers, names and positions: whatever goes in, nothing is changed on its way to the page."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_EVEN, Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtrip.errors import ChapterError
from roundtrip.outputs import escape_markdown, table_label
from roundtrip.params import NUMBER_FORMATS
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.numbers import (
    NumberFormat,
    Quantity,
    decimals_of_step,
    largest,
    size_label,
    smallest,
)
from roundtrip.present.plot.labels import spread
from roundtrip.publish.pandoc import parse_markdown, plain, walk

SIGNS = {
    "1,234.5": (",", "."), "1.234,5": (".", ","), "1 234.5": ("\u202f", "."),
    "1 234,5": ("\u202f", ","), "1234.5": ("", "."),
}  # fmt: skip
patterns = st.sampled_from(NUMBER_FORMATS)


def read_back(text: str, pattern: str) -> Decimal:
    thousands, point = SIGNS[pattern]
    text = text.replace("\u2212", "-")
    if thousands:
        text = text.replace(thousands, "")
    return Decimal(text.replace(point, "."))


@given(st.integers(-(10**12), 10**12), st.integers(0, 4), patterns)
def test_a_written_number_says_what_it_is(digits: int, decimals: int, pattern: str) -> None:
    number = Decimal(digits).scaleb(-decimals)
    text = NumberFormat(pattern).write(float(number), decimals)
    assert read_back(text, pattern) == number
    assert "-" not in text
    whole = text.lstrip("\u2212").split(SIGNS[pattern][1])[0]
    thousands = SIGNS[pattern][0]
    if thousands:
        assert re.fullmatch(rf"\d{{1,3}}(?:{re.escape(thousands)}\d{{3}})*", whole)
    else:
        assert whole.isdigit()


@given(st.floats(-1e9, 1e9, allow_subnormal=False), st.integers(0, 3))
def test_rounding_is_to_the_nearest(value: float, decimals: int) -> None:
    text = NumberFormat().write(value, decimals)
    exact = Decimal(value).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_EVEN)
    assert read_back(text, "1,234.5") == exact
    assert not (text.startswith("\u2212") and exact == 0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_never_shown(value: float) -> None:
    with pytest.raises(ChapterError, match="cannot be shown"):
        NumberFormat().write(value)


@pytest.mark.parametrize(
    ("pattern", "shown"),
    [
        ("1,234.5", ["370,602", "97.69", "34%"]), ("1.234,5", ["370.602", "97,69", "34%"]),
        ("1 234,5", ["370\u202f602", "97,69", "34%"]), ("1234.5", ["370602", "97.69", "34%"]),
    ],
)  # fmt: skip
def test_printed_numbers_are_rewritten(pattern: str, shown: list[str]) -> None:
    numbers = NumberFormat(pattern)
    assert [numbers.rewrite(text) for text in ("370,602", "97.69", "34%")] == shown
    thousands, point = SIGNS[pattern]
    assert numbers.plotly_separators == point + thousands


def test_sizes_have_the_names_of_the_reports() -> None:
    sizes = [100, 256, 2048, 20480, 204800, 2097152, 3000, 1000000]
    names = [size_label(size).replace("\u00a0", " ") for size in sizes]
    assert names == ["100 B", "256 B", "2 KB", "20 KB", "200 KB", "2 MB", "3000 B", "1000000 B"]


def test_digits_follow_from_the_steps_of_a_drawing() -> None:
    assert [decimals_of_step(step) for step in (189, 1, 0.5, 0.038, 0.001)] == [0, 0, 1, 2, 3]


# --- quantities ----------------------------------------------------------------------------

RATE = Quantity(200.0, "round trips/s", ("a",))
OTHER = Quantity(50.0, "round trips/s", ("b", "a"))


def test_what_is_computed_knows_its_cells() -> None:
    ratio = RATE.over(OTHER)
    assert ratio == RATE / OTHER
    assert (ratio.value, ratio.unit, ratio.cells, ratio.decimals) == (4.0, "", ("a", "b"), 2)
    assert RATE.percent_of(OTHER) == Quantity(400.0, "%", ("a", "b"), 0)
    assert OTHER.percent_below(RATE) == Quantity(75.0, "%", ("b", "a"), 0)
    assert RATE.percent_above(OTHER, 1) == Quantity(300.0, "%", ("a", "b"), 1)
    assert RATE.times(2).value == 400
    assert (smallest([RATE, OTHER]), largest([OTHER, RATE])) == (OTHER, RATE)
    times = [Quantity(1, "ms", (), metric=name) for name in ("round_trip_time", "publish_latency")]
    for chosen in (smallest, largest):
        with pytest.raises(ChapterError, match="no order of round_trip_time"):
            chosen(times)


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(ChapterError, match="no ratio of round trips/s and %"):
        RATE.over(Quantity(1, "%", ()))
    with pytest.raises(ChapterError, match="no ratio to zero"):
        RATE.over(Quantity(0, "round trips/s", ()))
    with pytest.raises(ChapterError, match=r"200 is not below 50\n.*percent_above"):
        RATE.percent_below(OTHER)
    with pytest.raises(ChapterError, match=r"50 is not above 200\n.*percent_below"):
        OTHER.percent_above(RATE)


def test_percentages_differ_by_percentage_points() -> None:
    low, high = (Quantity(value, "%", (), 1) for value in (20, 85.3))
    assert (high.minus(low).unit, high.complement().unit) == ("percentage points", "%")


# --- markup --------------------------------------------------------------------------------

hostile = st.text(
    st.one_of(
        st.sampled_from("\\`*_{}[]()#+-.!|<>~^$@\"'&:=/%;,?0123456789aA \t\n"),
        st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn", "Zs", "Zl", "Zp"]),
    ),
    max_size=30,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(hostile, min_size=20, max_size=20))
def test_escaped_text_is_text(texts: list[str]) -> None:
    # Twenty at a time, each a paragraph between two that are known: a process for each is slow.
    source = "\n\n".join(f"before\n\n{escape_markdown(text)}\n\nafter" for text in texts)
    blocks = parse_markdown(source)["blocks"]
    shown = [plain(block["c"]) for block in blocks]
    expected = []
    for text in texts:
        words = " ".join(text.split())
        expected += ["before", words, "after"] if words else ["before", "after"]
    assert {block["t"] for block in blocks} == {"Para"}
    assert shown == expected
    assert {element["t"] for element in walk([block["c"] for block in blocks])} <= {"Str", "Space"}


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>", "[a](javascript:alert(1))", "](javascript:x)", "#import \"x\"",
        "# heading", "1. item", "- item", "+ a", "a) b", "(@) x", "@sec-tls", "[@fig-x]", "$x$",
        "\\textbf{x}", "{{< include x >}}", "```{=html}", "| a |", "---", "&lt;", "&#60;", "a  \nb",
        "~~x~~", "^x^", "*a*", "_a_", "`x`", "![](x.png)", "<http://x.y>", "http://x.y/z", "::: {}",
        "a\\", "...", "--", "'q'", '"q"', "[^1]", "% t", "=== ", "line\n===", "> q", "!", "é\u0301",
        "term\n: definition", "\ttab", "    code",
    ],
)  # fmt: skip
def test_markup_in_data_is_text(text: str) -> None:
    tree = parse_markdown(f"x {escape_markdown(text)} y\n\n{escape_markdown(text)}")["blocks"]
    words = " ".join(text.split())
    assert [plain(block["c"]) for block in tree] == [f"x {words} y", words]
    assert {element["t"] for element in walk(tree)} <= {"Para", "Str", "Space"}


def test_spaces_that_do_not_break_stay() -> None:
    text = "370\u202f602\u00a0round trips/s"
    (paragraph,) = parse_markdown(escape_markdown(f" {text}\n\u2028x "))["blocks"]
    assert plain(paragraph["c"]) == f"{text} x"


names = st.text("abcdefghijklmnopqrstuvwxyz0123456789.-", min_size=1, max_size=12)


@given(names, names, st.integers(1, 99), st.integers(1, 99))
def test_anchors_are_fit_for_addresses_and_tell_cells_apart(
    report: str, table: str, row: int, column: int
) -> None:
    anchor = cell_anchor(f"{report}/{table}/r{row}c{column}")
    assert re.fullmatch(r"cell-[a-z0-9.-]+-r\d+c\d+", anchor)
    assert anchor != cell_anchor(f"{report}/{table}/r{row}c{column + 1}")
    assert re.fullmatch(r"tbl-[a-z0-9-]+", table_label(report, table))


# --- labels in charts ----------------------------------------------------------------------

LABEL_GAP = 16
pixels = st.lists(st.floats(0, 400), max_size=12)


@given(pixels, st.floats(0, 100))
def test_labels_keep_their_order_and_distance(wanted: list[float], lowest: float) -> None:
    placed = spread(wanted, LABEL_GAP, lowest)
    assert all(place >= lowest - 1e-6 for place in placed)
    assert len(placed) == len(wanted)
    by_wish = [place for _, place in sorted(zip(wanted, placed, strict=True))]
    assert all(high - low >= LABEL_GAP - 1e-6 for low, high in pairwise(sorted(placed)))
    assert by_wish == sorted(by_wish)


@given(pixels)
def test_labels_with_room_stay_where_they_are(wanted: list[float]) -> None:
    ordered = sorted(wanted)
    roomy = [value + position * LABEL_GAP for position, value in enumerate(ordered)]
    assert spread(roomy, LABEL_GAP) == pytest.approx(roomy)
    if wanted:
        placed = spread(wanted, LABEL_GAP)
        assert sum(placed) == pytest.approx(sum(wanted), abs=1e-6)
