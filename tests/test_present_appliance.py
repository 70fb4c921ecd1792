"""Flows, ratios, doubts and sweeps: what the chapter on appliance models computes."""

from __future__ import annotations

from pathlib import Path

import pytest

from roundtrip.present import Chapter, Quantity
from roundtrip.present.printed import drawn_values
from roundtrip.present.suspect_cells import doubted_cells
from support.appliance.distance import first_wait, further_wait, underestimated
from support.appliance.limits import limits
from support.appliance.peaks import GENERATIONS, PEAKS, TEN, ratio_rows, read_peaks
from support.appliance.sweeps import (
    every_sweep,
    reading_accuracy,
    requesters_for,
    sweep_ends,
    sweeps_of,
)
from support.replication.recovery_appliance import distance
from support.shared.arrangements import link_bandwidth, with_arrangement, with_single_thread
from support.shared.copies import copies_at_one_rate
from support.shared.ends import ends
from support.shared.flows import payload, payload_in_transit, time_in_round_trip
from support.shared.over_distance import over_distance

ROOT = Path(__file__).parents[1]
REPORT = "mq-appliance-m2003"


@pytest.fixture(scope="module")
def chapter() -> Chapter:
    return Chapter(REPORT, folder=ROOT)


def test_payload_counts_both_messages_of_a_round_trip(chapter: Chapter) -> None:
    rate = Quantity(1000, "round trips/s", ("cell",))
    found = payload(chapter, rate, 125_000)
    assert (found.value, found.unit, found.cells) == (2.0, "Gb/s", ("cell",))


@pytest.mark.parametrize("unit", ["round trips/s", "messages/s"])
def test_flows_do_not_depend_on_the_unit_of_the_edition(unit: str) -> None:
    edition = Chapter(REPORT, rate_unit=unit, folder=ROOT)
    points = edition.points("table-04")
    rate = edition.quantities(points)[0]
    requesters = edition.quantities(points, "clients")[0]
    assert payload(edition, rate, 256).value == pytest.approx(485405 * 2 * 256 * 8 / 1e9)
    assert time_in_round_trip(edition, rate, requesters).value == pytest.approx(220 / 485.405)
    transit = payload_in_transit(edition, rate, 1_000_000, 10)
    assert transit.value == pytest.approx(485405 * 2 * 0.01)


def test_single_thread_latency_joins_the_peak_of_its_row(chapter: Chapter) -> None:
    points = with_arrangement(with_single_thread(chapter.points("table-08")))
    assert len(points) == 8
    assert set(points["protection"]) == {"none", "HA"}
    ha = chapter.quantity(points, "round_trip_time", protection="HA", message_bytes=2048)
    assert (ha.value, ha.cells) == (0.6, (f"{REPORT}/table-08/r2c4",))


def test_ratio_leaves_out_what_has_no_counterpart(chapter: Chapter) -> None:
    points = with_arrangement(with_single_thread(chapter.points("table-04")))
    points = points.drop(index=points.index[-1])
    rows = ratio_rows(chapter, points, of="model", base="M2003B", panel="managers", series="case")
    assert [row[2] for row in rows] == ["256\u00a0B", "2\u00a0KB", "20\u00a0KB"]
    assert rows[0][-1].value == pytest.approx(485405 / 149209)


def test_suspect_cell_is_found_and_explained(chapter: Chapter) -> None:
    points = chapter.points("table-11-c")
    found = doubted_cells(chapter, list(points["round_trip_rate_cell"].dropna()))
    assert list(found) == [f"{REPORT}/table-11-c/r3c1"]
    assert found[f"{REPORT}/table-11-c/r3c1"].startswith("† 3,673: ")


def test_link_bandwidth_is_that_of_the_link_that_carries_it(chapter: Chapter) -> None:
    assert link_bandwidth(chapter, "m2003a-ha", "synchronous").value == 40
    with pytest.raises(ValueError, match="no link of m2003a"):
        link_bandwidth(chapter, "m2003a", "synchronous")


def test_curves_say_how_exact_they_are(chapter: Chapter) -> None:
    curves = chapter.points("figure-05", "figure-06")
    text = reading_accuracy(chapter, curves, cpu=True)
    assert "53 to 170\u00a0round trips/s" in text
    assert "0.04 percentage points" in text
    assert "CPU" not in reading_accuracy(chapter, curves, cpu=False)


def test_share_of_a_sweep_is_reached_at_its_first_such_point(chapter: Chapter) -> None:
    curves = with_arrangement(chapter.points("figure-05"))
    curve = curves[curves["model"] == "M2003A"]
    assert requesters_for(curve, 1).round_trip_rate == curve["round_trip_rate"].max()
    assert requesters_for(curve, 0).requesters == 1


def test_curves_stand_beside_the_peaks_of_their_own_tests_only(chapter: Chapter) -> None:
    found = sweeps_of(chapter, ["figure-05", "figure-06"], PEAKS)
    tests = ["non-persistent, 1 queue manager", "persistent, 1 queue manager"]
    assert list(dict.fromkeys(found.peaks["test"])) == tests
    assert set(found.peaks["size_name"]) == {found.size}


def test_ends_name_what_is_lowest_and_highest() -> None:
    found = ends([("", "HA", Quantity(value, "%", ())) for value in (3, 1, 5)][:2])
    assert (found.low.value, found.high.value, found.high_at) == (1, 3, "HA")


def test_under_load_the_first_millisecond_adds_less_than_each_further_one(
    chapter: Chapter,
) -> None:
    ha = over_distance(chapter, "HA")
    first, further = first_wait(ha), further_wait(ha)
    assert first.low.value == pytest.approx(120 / 7.557 - 120 / 10.679)
    assert first.high.value < further.low.value
    # Without the doubtful 20 KB at 10 ms, from which this step would be the smallest.
    assert further.low.value == pytest.approx(120 / 4.853 - 120 / 7.557)
    share = underestimated(ha).high.value
    assert share == pytest.approx(100 * (1 - 120 / 7.557 / (12 / 10.679 * 9 + 12 / 1.143)))


def test_limits_of_one_queue_manager_leave_out_what_has_no_copy(chapter: Chapter) -> None:
    found = limits(read_peaks(chapter, *PEAKS))
    payloads, cpu = found.of_one(found.copied), found.of_one(found.busy)
    assert (payloads.low.value, payloads.high.value) == pytest.approx((9.91, 11.21), abs=0.01)
    assert (cpu.low.value, cpu.high.value) == (5.63, 23.59)


@pytest.mark.parametrize("unit", ["round trips/s", "messages/s"])
def test_core_time_of_copies_is_compared_at_one_rate(unit: str) -> None:
    # At their peaks, which differ in CPU, copies would seem to cost less than none. On the flat
    # tops of the sweeps, CPU rises without the rate: there, both copies would seem to add 43 %.
    found = copies_at_one_rate(Chapter(REPORT, rate_unit=unit, folder=ROOT))
    assert found.rate.value == 87400 * (2 if unit == "messages/s" else 1)
    for managers, figure, expected in (
        (found.one, "figure-06", [14, 18, 25]), (found.ten, "figure-08", [33, 48, 57]),
    ):  # fmt: skip
        more = (managers.ha, managers.dr, managers.both)
        assert [round(one.value) for one in more] == expected
        assert all(f"/{figure}/" in " ".join(one.cells) for one in more)


def test_peaks_at_the_end_of_a_sweep_are_counted(chapter: Chapter) -> None:
    printed = read_peaks(chapter, *PEAKS)
    generations = read_peaks(chapter, *GENERATIONS, managers=TEN)
    found = sweep_ends(every_sweep(chapter), printed, generations)
    assert (found.requesters, found.all) == ("300", len(printed.points))
    assert found.count == sum(printed.points["clients"] == 300)
    # The others use nearly all of the processors and can hardly reach more.
    assert (found.count, found.open, found.busy.value) == (24, 12, 97)
    assert "256\u00a0B and 2\u00a0KB: M2003A with 300" in found.remark
    assert "M2002A with 400." in found.remark


def test_ten_queue_managers_take_less_core_time_at_small_sizes(chapter: Chapter) -> None:
    share = read_peaks(chapter, *PEAKS).core_time_of_ten("256\u00a0B")
    assert share.value == pytest.approx(100 * (95.99 / 180207) / (91.71 / 140625))


def test_one_queue_manager_has_more_in_flight_than_its_share_of_ten(chapter: Chapter) -> None:
    found = distance(chapter)
    assert (found.together.low.value, found.together.high.value) == pytest.approx(
        (13.3, 20.6), abs=0.1
    )
    assert found.single.high.value == pytest.approx(2 * 204800 / 14.5e-3 * 0.1 / 1e6)
    assert found.single.high.value > found.together.high.value / 10


def test_every_value_read_off_a_figure_has_its_anchor(chapter: Chapter) -> None:
    frame = chapter.observations.frame
    drawn = frame[(frame["source"] == REPORT) & (frame["source_kind"] == "figure")]
    anchors = [
        cell.anchor for table in drawn_values(chapter) for row in table.rows for cell in row
        if cell.anchor
    ]  # fmt: skip
    assert len(anchors) == len(set(anchors)) == len(drawn)
