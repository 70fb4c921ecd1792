"""The gate that points pass before they share a figure, a table or a ratio."""

from __future__ import annotations

import pytest

from roundtrip.errors import ChapterError
from roundtrip.present import Chapter, chart
from roundtrip.present.comparability import differing

V94 = "ibm-mq-v9.4-linux"


@pytest.fixture(scope="module")
def chapter() -> Chapter:
    return Chapter(V94)


def drawn(chapter: Chapter, tables: tuple[str, ...], varied: set[str]):
    """Draw the 2 KB rate of some tables."""
    rows = [
        (table, "2 KB", chapter.quantity(chapter.points(table), message_bytes=2048))
        for table in tables
    ]
    return chart(
        chapter,
        rows,
        y_title="Rate",
        title="Rates",
        caption="Rates of some tables.",
        varied=varied,
    )


def test_computed_quantities_pass_the_gate_with_the_points_they_come_from(chapter):
    both = ("table-03", "table-07")  # non-persistent, persistent
    with pytest.raises(ChapterError, match="different delivery are compared") as caught:
        drawn(chapter, both, set())
    assert "make delivery what the figure or table varies" in str(caught.value)
    assert drawn(chapter, both, {"delivery"}).caption == "Rates of some tables."


def test_what_else_differs_is_said_in_the_caption(chapter):
    caption = drawn(chapter, ("table-03", "table-04"), set()).caption
    assert "Not held constant: " in caption
    assert "RR-CC, RR-DQ-BB" in caption


def test_a_factor_that_means_nothing_in_the_baseline_does_not_differ(chapter):
    appliance = Chapter("mq-appliance-m2003")
    points = appliance.points("table-02", "table-06")
    found = differing(points, {"ha", "delivery"}, appliance.dictionary.factors)
    assert "ha_link_rtt_ms" not in found
    assert "message_bytes" in found
