"""Units of a column stand below each other."""

from __future__ import annotations

import pytest

from roundtrip.outputs import BodyCell
from roundtrip.typography import pads


@pytest.mark.parametrize(
    ("column", "lacking"),
    [
        (["1", "2.5", "3.25", "–", "1,000"], [".00", "0", "", "", ".00"]),
        (["1,5", "1.000"], ["", ",0"]),
        (["(7,973)", "7,960"], ["", ")"]),
        (["7,960", "12\u00a0†", "–"], ["\u00a0†", "", "\u00a0†"]),
        (["49%", "(8.5%)"], [".0)", ""]),
        (["8.1", "(7.25)"], ["0)", ""]),
        (["0.489", "12.100"], ["", ""]),
        (["1.5", "1,5"], ["", ""]),  # which of them is the sign?
        (["1.5", "2 runs"], ["", ""]),
    ],
)
def test_a_number_is_told_what_it_lacks_behind_its_unit(
    column: list[str], lacking: list[str]
) -> None:
    assert [pad for (pad,) in pads([(BodyCell(text),) for text in column])] == lacking
