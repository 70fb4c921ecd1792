"""The highlights' numbers: eras, their growth, counted messages, marked doubts."""

import math

import pytest

from roundtrip.errors import ChapterError
from roundtrip.present import Chapter
from roundtrip.present.quantities import Row, quantity_table
from roundtrip.present.suspect_cells import doubted_cells
from support.highlights import decisions, history
from support.highlights.core_time import core_times_table
from support.highlights.eras import Growth, era, eras_table, growth_table, set_up_table
from support.shared.counted import counted_once, with_statistic

pytestmark = pytest.mark.slow

UNITS = ("round trips/s", "messages/s")


def two_eras(unit):
    aix = Chapter("websphere-mq-v7-aix", rate_unit=unit)
    linux = Chapter("ibm-mq-v9.4-linux", rate_unit=unit)
    return (
        era(aix, "table-03", name="V7", kind="fast", product_version="V7", message_bytes=2048),
        era(linux, "table-03", name="V9.4", kind="fast", message_bytes=2048),
    )


def test_an_era_is_the_highest_printed_rate_with_its_year_and_cores():
    old, new = two_eras("round trips/s")
    assert (old.year, old.rate.value, old.cores.value) == (2009, 14948, 4)
    assert (new.year, new.rate.value, new.cores.value) == (2024, 370602, 32)


def test_core_time_does_not_depend_on_the_rate_unit():
    times = [[item.core_time.value for item in two_eras(unit)] for unit in UNITS]
    assert times[0] == pytest.approx(times[1])
    assert times[0][0] == pytest.approx(0.61 * 4 / 14948 * 1e6)


def test_growth_is_the_product_of_its_factors():
    growth = Growth(*two_eras("round trips/s"))
    product = growth.cores.value * growth.busy.value * growth.thrift.value
    assert math.isclose(growth.rate.value, product)


def test_a_large_factor_has_three_digits():
    past = history.collect(history.open_reports("round trips/s", "1,234.5"))
    table = growth_table(past.reports.linux, past.growths, caption="Growth")
    assert [row[1].text for row in table.rows] == ["28.3", "24.8", "9.6", "3,250", "2,940"]


def test_growth_without_cpu_names_no_factor_it_cannot_know():
    legacy = Chapter("mqseries-vs-msmq")
    old = era(
        legacy, "table-04", name="V5.1", kind="log", product="IBM MQSeries", message_bytes=2048
    )
    growth = Growth(old, two_eras("round trips/s")[1])
    assert growth.busy is None
    assert growth.thrift is None
    table = growth_table(legacy, [growth], caption="Growth")
    assert [cell.text for cell in table.rows[0][-2:]] == ["\u2013", "\u2013"]


def test_an_era_that_is_not_printed_is_refused():
    with pytest.raises(ChapterError, match="selects no points of table-03"):
        era(Chapter("ibm-mq-v9.4-linux"), "table-03", name="V9.4", kind="fast", message_bytes=3)


def test_eras_stand_in_the_order_of_their_years():
    old, new = two_eras("round trips/s")
    table = eras_table(new.chapter, [new, old], caption="Eras")
    assert [cell.text for cell in table.header[0]] == ["", "2009: V7", "2024: V9.4"]


@pytest.mark.parametrize(("unit", "factor"), [("round trips/s", 1), ("messages/s", 2)])
def test_a_message_counted_once_is_a_round_trip(unit, factor):
    chapter = Chapter("mqseries-vs-msmq", rate_unit=unit)
    points = counted_once(chapter, chapter.points("table-06", product="MSMQ"))
    assert points["round_trip_rate"].iloc[0] == 43 * factor


def test_peaks_and_plateaus_of_a_sweep_are_told_apart():
    chapter = Chapter("mqseries-vs-msmq")
    points = with_statistic(chapter, counted_once(chapter, chapter.points("table-05")))
    assert points["statistic"].value_counts().to_dict() == {"peak": 24, "plateau": 24}


def test_doubted_cells_are_marked_and_explained():
    chapter = Chapter("mqseries-vs-msmq")
    points = counted_once(chapter, chapter.points("table-04", product="MSMQ", message_bytes=2048))
    rate = chapter.quantities(points)[0]
    assert rate.value == 8.0
    note = doubted_cells(chapter, rate.cells)[rate.cells[0]]
    assert note.startswith("† Printed as 8.2: ")
    assert note.endswith(" Cross-checks within the source give 8\u00a0messages/s.")
    table = quantity_table(chapter, [Row("2 KB", (rate,))], header=["", "Rate"], caption="One")
    assert table.rows[0][1].text == "8.0\u00a0†"
    assert table.notes == (note,)


def test_a_row_that_does_not_fit_its_header_is_refused():
    rows = [Row("a", ("b", "c"))]
    with pytest.raises(ChapterError, match="3 entries under 2 headers"):
        quantity_table(Chapter("mqseries-vs-msmq"), rows, header=["", "Rate"], caption="No")


def test_what_options_leave_is_what_is_printed_with_and_without_them():
    reports = history.open_reports("round trips/s", "1,234.5")
    found = decisions.options(reports)
    table = decisions.options_table(found, (), caption="Shares")
    # Between host sets, which MIQM and RDQM are compared over, rates printed twice differ by more.
    assert "2.4\u00a0% on the same hosts, up to 11\u00a0% where hosts, " in table.notes[-1]
    shown = {row[0].text: row[2:] for row in table.rows if len(row) > 1}
    assert len(shown) == len(found)
    assert [cell.text for cell in shown["Persistent, log on SSD"]] == ["32", "35", "54", "63"]
    assert [cell.shade for cell in shown["Persistent, log on SSD"]] == [6, 6, 4, 3]
    tls = shown["TLS 1.3, log on SAN"]
    assert [cell.text for cell in tls] == ["88", *["not printed"] * 3]
    assert tls[0].link == "cell-ibm-mq-v9.4-linux-sec-6.3-san-r2c1"
    assert not any(cell.link or cell.shade for cell in tls[1:])
    # The CipherSpec that the source also prints with the log on SAN, not the fastest of each case.
    assert shown["TLS 1.3, non-persistent"][0].text == "37"
    assert {option.cipher for option in found if option.name.startswith("TLS 1.3")} == {
        "TLS_AES_128_CCM_8_SHA256"
    }
    gain = shown["LZ4FAST, ceiling of a link"][0]
    assert (gain.text, gain.shade) == ("119", 0)
    # Beside a log on the same kind of storage: a faster disk is no gain of replication.
    assert [cell.text for cell in shown["RDQM, no added delay"][:3]] == ["80", "35", "26"]
    assert [cell.text for cell in shown["MIQM, no added delay"][:3]] == ["78", "65", "56"]
    assert [cell.text for cell in shown["RDQM with a second site, stated"][:2]] == ["85", "62"]


@pytest.mark.parametrize("unit", UNITS)
def test_core_times_are_of_a_round_trip_and_lead_to_their_cells(unit):
    table = core_times_table(history.open_reports(unit, "1,234.5"), caption="Core time")
    rows = {row[0].text: row for row in reversed(table.rows)}  # the first of each name
    # 97.69 % of 32 cores at 370,602 round trips/s.
    assert rows["Non-persistent"][1].text == "84.4"
    assert rows["Non-persistent"][1].link.startswith("cell-ibm-mq-v9.4-linux-table-06-")
    assert rows["TLS 1.3, non-persistent"][2].text == "\u2013"


def test_the_set_up_says_how_the_log_was_written():
    old, new = two_eras("round trips/s")
    counts = {item.chapter.about.id: "a request with its reply" for item in (old, new)}
    table = set_up_table(new.chapter, [old, new], caption="Eras", counts=counts)
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in table.rows}
    assert rows["LogWriteIntegrity"] == ["SingleWrite", "TripleWrite"]
