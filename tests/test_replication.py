"""Quantities of replication, log extents and single values, against arithmetic done by hand."""

from __future__ import annotations

import pytest

from roundtrip.errors import ChapterError
from roundtrip.present import Chapter, Quantity
from roundtrip.present.quantities import Row, quantity_table
from support.shared.arrangements import link_bandwidth
from support.shared.log_extents import log_growth, log_lines, log_rate
from support.shared.replication import (
    link_ceiling,
    link_round_trips,
    requester_ceiling,
    time_at,
)
from support.shared.statements import charts_table, fact, facts_table, stated_table
from support.shared.values import in_unit, sample_rows, value_of

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def v10() -> Chapter:
    return Chapter("ibm-mq-v10-ha")


def test_waits_are_what_a_delay_adds_over_the_delay() -> None:
    near, far = Quantity(0.6, "ms", ("a",), 1), Quantity(49.4, "ms", ("b",), 1)
    assert link_round_trips(near, far, 10) == Quantity(pytest.approx(4.88), "", ("b", "a"), 1)


@pytest.mark.parametrize(("unit", "factor"), [("round trips/s", 1), ("messages/s", 2)])
def test_ceilings_are_in_the_unit_of_the_edition(unit: str, factor: int) -> None:
    chapter = Chapter("ibm-mq-v10-ha", rate_unit=unit)
    clients, waits = Quantity(300, "requesters", ("c",)), Quantity(5, "", ("w",))
    ceiling = requester_ceiling(chapter, clients, waits, 10)
    assert (ceiling.value, ceiling.unit, ceiling.cells) == (6000 * factor, unit, ("c", "w"))
    full = link_ceiling(chapter, 10, 20480)
    assert full.value == pytest.approx(factor * 10e9 / (2 * 20480 * 8))


def test_only_data_is_divided_by_its_rate() -> None:
    assert time_at(Quantity(10, "B", ()), Quantity(5, "B/s", ())).value == 2000
    with pytest.raises(ValueError, match="is not divided"):
        time_at(Quantity(10, "MB", ()), Quantity(5, "B/s", ()))


def test_one_value_is_selected_or_none(v10: Chapter) -> None:
    latency = value_of(v10, "sec-4.1.2-live-host2", "acknowledgement_latency")
    assert (latency.value, latency.unit, latency.decimals) == (80, "µs", 0)
    with pytest.raises(ValueError, match="selects 2 values"):
        value_of(v10, "sec-5.1.2", "backlog")


def test_stated_rates_are_in_the_unit_of_the_edition() -> None:
    row = "Rate at which NHA and NHA-IRR diverge with 2 ms added"
    chapter = Chapter("ibm-mq-v10-ha", rate_unit="messages/s")
    rate = value_of(chapter, "text", "round_trip_rate", row=row)
    assert (rate.value, rate.unit) == (25000, "messages/s")


def test_a_disproved_value_gives_way_to_the_proved_one(v10: Chapter) -> None:
    assert value_of(v10, "text", "backlog").value == 729448


def test_other_units_keep_the_cell(v10: Chapter) -> None:
    rate = value_of(v10, "sec-5.1.2", "log_bytes_sent_rate")
    shown = in_unit(rate, "MB/s", 1e-6, 2)
    assert v10.write(shown) == "6.93\u00a0MB/s"
    assert shown.cells == rate.cells


def test_samples_stand_side_by_side_only_if_they_print_the_same_lines(v10: Chapter) -> None:
    rows = sample_rows(v10, "sec-4.1.2-live-host2", "sec-4.1.2-live-host3")
    assert len(rows) == 33
    with pytest.raises(ValueError, match="do not print the same lines"):
        sample_rows(v10, "sec-5.1.2", "sec-4.1.2-live-host2")


def test_log_rate_counts_extents_between_two_lines(v10: Chapter) -> None:
    lines = [line for line in log_lines(v10, "sec-3.2") if not line.is_media_image]
    first = next(line for line in lines if line.clock == "14:37:47")
    speed = log_rate(v10, first, lines[-1])
    assert speed.value == pytest.approx((3787 - 2008) * 32764 * 4096 / 179 / 1e9)


def test_the_log_grows_faster_than_a_link_to_another_region_carries(v10: Chapter) -> None:
    link = link_bandwidth(v10, "nha-crr", "cross-region replication")
    assert log_growth(v10, log_lines(v10, "sec-3.2")).bits.value > link.value


def test_statements_are_found_or_refused(v10: Chapter) -> None:
    assert "50" in fact(v10, "supported latency", "CRR")
    with pytest.raises(ChapterError, match="states 3 facts"):
        fact(v10, "supported latency")
    cases = facts_table(v10, "CRR backlog", caption="c", header=("when", "then"))
    assert [row[0].text for row in cases.rows] == ["1", "2", "3", "4"]


def test_every_chart_of_results_has_no_data(v10: Chapter) -> None:
    numbers = [f"Figure {number}" for number in range(2, 30)]
    data = {figure.number: figure.data for figure in v10.about.figures}
    assert all(data[number].startswith("not available") for number in numbers)
    table = charts_table(v10, range(2, 30), caption="c")
    assert [f"Figure {row[0].text}" for row in table.rows] == numbers


def test_doubted_numbers_are_marked_and_explained(v10: Chapter) -> None:
    table = stated_table(v10, ["5.1.2"], caption="c")
    assert table.rows[0][1].text == "69\u00a0MB\u00a0†"
    appliance = Chapter("mq-appliance-m2003")
    rate = value_of(
        appliance, "table-11-c", "round_trip_rate",
        row="10Q 10QM Request Responder 10ms Latency (20KB Persistent)",
    )  # fmt: skip
    grid = quantity_table(
        appliance, [Row("at", (rate, None))], caption="c", header=["", "rate", "none"]
    )
    assert [cell.text for cell in grid.rows[0]] == ["at", "3,673\u00a0†", "\u2013"]
    assert grid.notes[0].startswith("† 3,673")


def test_where_a_word_is_lacking_its_dash_stands_below_the_words(v10: Chapter) -> None:
    rows = [Row("a", ("JMS", "8")), Row("b", ("", ""))]
    grid = quantity_table(v10, rows, caption="c", header=["", "api", "count"])
    assert [cell.align for cell in grid.header[0]] == ["left", "left", "right"]
    assert [cell.align for cell in grid.rows[1]] == ["left", "left", "right"]
