"""Detectors: an error of each kind, planted into copies of printed tables, is found."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.checks.reference import Reference
from roundtrip.checks.selection import to_frame
from roundtrip.claims import Erratum, Judged, Verdict, load_ledger
from roundtrip.claims.declared import Claim, Expect, Place
from roundtrip.claims.ledger import JudgedCase
from roundtrip.detectors import Proposal, Subject, Sure, detect, finds, load_proposals
from roundtrip.detectors.outliers import off_line, scatter
from roundtrip.detectors.subject import printed_cells
from roundtrip.errors import DataError
from roundtrip.observations import Observations, load_observations
from roundtrip.present import Chapter
from roundtrip.present.errata import errata_tables, proposed
from roundtrip.project import find_project
from workshop import ROOT, answer

V94 = "ibm-mq-v9.4-linux"
V10 = "ibm-mq-v10-ha"
APPLIANCE = "mq-appliance-m2003"
MSMQ = "mqseries-vs-msmq"
AIX = "websphere-mq-v7-aix"


@cache
def observations() -> Observations:
    return load_observations(find_project(ROOT))


@cache
def frame() -> pd.DataFrame:
    return to_frame(observations().table)


def copied(report: str, *tables: str) -> pd.DataFrame:
    """Copy some printed tables of a report."""
    cells = frame()
    return cells[(cells["source"] == report) & cells["table_id"].isin(tables)].copy()


def the_one(cells: pd.DataFrame, **where: object) -> str:
    """Find the one cell that agrees with what is said of it."""
    for name, value in where.items():
        cells = cells[cells[name] == value]
    assert len(cells) == 1, cells[["table_id", "row_label", "column_label", "value"]]
    return str(cells["observation_id"].iloc[0])


def planted(cells: pd.DataFrame, cell: str, value: float, printed: str) -> pd.DataFrame:
    """Give a copy in which one cell prints something else."""
    copy = cells.copy()
    here = copy["observation_id"] == cell
    copy.loc[here, "value"] = value
    copy.loc[here, "value_printed"] = printed
    return copy


def found(
    cells: pd.DataFrame, rules: list[str] | None = None, limits: tuple[Judged, ...] = ()
) -> list[Proposal]:
    report = str(cells["source"].iloc[0])
    disclosure = observations().report(report)
    reference = Reference(observations().dictionary, {report: disclosure})
    subject = Subject(
        report, printed_cells(cells, reference), observations().dictionary, disclosure, limits
    )
    return [one for one in detect(subject) if rules is None or one.rule in rules]


def propose(report: str) -> list[Proposal]:
    return detect(Subject.of(observations(), report))


def assert_found(cells: pd.DataFrame, rule: str, cell: str, value: float, printed: str) -> Proposal:
    """See that a planted error is found by a rule that found nothing there without it."""
    before = found(cells, [rule])
    assert not [one for one in before if cell in one.cells]
    after = found(planted(cells, cell, value, printed), [rule])
    hits = [one for one in after if cell in one.cells]
    assert len(hits) >= 1, after
    hit = hits[0]
    assert hit.rule == rule
    assert hit.deviation > hit.allowed > 0
    assert hit.unit
    assert hit.says.endswith((".", "same"))
    return hit


@pytest.mark.parametrize(
    ("report", "tables"),
    [
        (V94, ("table-03",)),
        (V94, ("table-03", "table-04", "table-05", "table-06")),
        (V94, ("table-13", "table-14", "table-15")),
        (APPLIANCE, ("table-05", "table-06", "table-07", "table-08", "table-09")),
        (APPLIANCE, ("table-09", "table-10", "table-11-a", "table-11-b")),
        (MSMQ, ("table-03", "table-06")),
        (AIX, ("table-01", "sec-2.1.2", "table-03")),
    ],
)
def test_clean_tables_give_nothing(report: str, tables: tuple[str, ...]) -> None:
    assert found(copied(report, *tables)) == []


def test_a_repeated_quantity_that_differs() -> None:
    cells = copied(V94, "table-03", "table-06")
    cell = the_one(cells, table_id="table-06", message_bytes=20480, metric="round_trip_rate")
    hit = assert_found(cells, "repeated-quantity", cell, 131_313, "131,313")
    original = the_one(cells, table_id="table-03", message_bytes=20480, metric="round_trip_rate")
    assert hit.cells == (cell, original) or hit.cells == (original, cell)
    assert hit.sure is Sure.high
    assert hit.unit == "round trips/s"


def test_a_rate_of_another_section_may_be_that_of_another_run() -> None:
    cells = copied(V94, "table-03", "table-06")
    cell = the_one(cells, table_id="table-06", message_bytes=20480, metric="round_trip_rate")
    rate = float(cells.loc[cells["observation_id"] == cell, "value"].iloc[0])
    near, far = round(rate * 1.02), round(rate * 1.04)
    hit = assert_found(cells, "repeated-quantity", cell, near, f"{near:,}")
    assert hit.sure is Sure.low
    assert hit.says.endswith("; two runs may differ by as much.")
    assert assert_found(cells, "repeated-quantity", cell, far, f"{far:,}").sure is Sure.high


def test_a_point_printed_twice_with_factors_left_out_is_one_point() -> None:
    cells = copied(AIX, "table-04", "table-30")
    rates = cells[cells["metric"] == "round_trip_rate"]
    twice = rates[rates["value"].isin(rates.loc[rates["table_id"] == "table-30", "value"])]
    here = twice[
        (twice["table_id"] == "table-30")
        & twice["value"].isin(rates.loc[rates["table_id"] == "table-04", "value"])
    ].iloc[0]
    time = the_one(cells, point_id=here["point_id"], metric="round_trip_time")
    assert_found(cells, "repeated-quantity", time, 99.9, "0.0999")


def test_a_share_that_does_not_follow_from_its_table() -> None:
    cells = copied(APPLIANCE, "table-09", "table-10")
    cell = the_one(cells, table_id="table-10", message_bytes=2048, metric="relative_rate")
    value = float(cells.loc[cells["observation_id"] == cell, "value"].iloc[0])
    hit = assert_found(cells, "derived-value", cell, value + 2, f"{value + 2:.1f}%")
    assert hit.sure is Sure.high
    assert "the share in per cent" in hit.says


def test_a_loss_of_rate_is_computed_from_others_whether_its_table_says_so_or_not() -> None:
    cells = copied(APPLIANCE, "table-09", "table-10")
    computed = (cells["table_id"] == "table-10") & (cells["metric"] == "relative_rate")
    cells.loc[computed, ["metric", "statistic"]] = ["rate_reduction", "peak"]
    cell = the_one(cells, table_id="table-10", message_bytes=2048, metric="rate_reduction")
    value = float(cells.loc[cells["observation_id"] == cell, "value"].iloc[0])
    hit = assert_found(cells, "derived-value", cell, value + 2, f"{value + 2:.1f}%")
    assert hit.sure is Sure.high


def test_a_rate_behind_a_throughput() -> None:
    cells = copied(MSMQ, "table-04")
    cell = the_one(cells, message_bytes=10240, metric="message_rate", product="MSMQ")
    assert_found(cells, "derived-value", cell, 8.9, "8.9")


def test_a_ratio_that_does_not_follow_from_its_rates() -> None:
    cells = copied(V94, "sec-6.3-nonpersistent")
    cell = the_one(cells, metric="rate_ratio", tls_protocol="TLS 1.3")
    assert_found(cells, "derived-value", cell, 2.21, "2.21")


def test_an_amount_per_second_that_does_not_follow_from_its_interval() -> None:
    cells = copied(V10, "sec-4.1.2-live-host2")
    cell = the_one(cells, metric="log_bytes_sent_rate", replication_phase="synchronous")
    assert_found(cells, "derived-value", cell, 8_815_839, "8815839")


def test_memory_per_client_that_does_not_follow_from_free_pages() -> None:
    cells = copied(AIX, "table-35")
    label = cells.loc[cells["metric"] == "memory_per_client", "row_label"].iloc[0]
    cell = the_one(cells, row_label=label, metric="memory_per_client")
    assert_found(cells, "derived-value", cell, 999, "999K per client")


def test_requests_in_flight_that_are_not_the_requesters() -> None:
    cells = copied(AIX, "table-01", "table-03")
    cell = the_one(
        cells[cells["product_version"] == "V6"],
        table_id="table-01", metric="round_trip_time", statistic="peak",
    )  # fmt: skip
    assert_found(cells, "requests-in-flight", cell, 7.9, "0.0079")


def test_a_percentile_of_the_time_is_no_part_of_requests_in_flight() -> None:
    cells = copied(AIX, "table-01", "table-03")
    times = cells[(cells["metric"] == "round_trip_time") & (cells["statistic"] == "peak")].copy()
    times["statistic"], times["value"] = "p99", times["value"] * 20
    times["observation_id"] += "-p99"
    both = pd.concat([cells, times], ignore_index=True)
    assert len(times)
    assert len(found(both, ["requests-in-flight"])) == len(found(cells, ["requests-in-flight"]))


def test_a_round_trip_time_of_one_client_is_held_against_its_rate_elsewhere() -> None:
    cells = copied(MSMQ, "table-05", "text")
    times = cells[(cells["metric"] == "round_trip_time") & (cells["delivery"] == "persistent")]
    cell = str(times[times["product"] == "IBM MQSeries"]["observation_id"].iloc[0])
    assert_found(cells, "requests-in-flight", cell, 22, "22 ms")


def test_a_rate_above_what_was_set() -> None:
    cells = copied(AIX, "table-05")
    cell = the_one(
        cells[cells["product_version"] == "V6"],
        metric="round_trip_rate", delivery="nonpersistent",
    )  # fmt: skip
    assert_found(cells, "set-rate", cell, 14_995, "14995")


def test_a_rate_that_its_link_cannot_carry() -> None:
    cells = copied(V94, "table-03")
    cell = the_one(cells, message_bytes=2097152, metric="round_trip_rate")
    hit = assert_found(cells, "link-bandwidth", cell, 5_000, "5,000")
    assert hit.unit == "Gb/s"


def test_a_rate_that_waits_too_little_for_its_replica() -> None:
    cells = copied(APPLIANCE, "table-11-c")
    cell = the_one(cells, message_bytes=256, metric="round_trip_rate")
    hit = assert_found(cells, "replication-round-trip", cell, 61_000, "61,000")
    assert hit.sure is Sure.high


def test_a_peak_that_is_not_the_highest() -> None:
    cells = copied(AIX, "table-03")
    row = cells[(cells["statistic"] == "comparison") & (cells["metric"] == "round_trip_rate")]
    cell = str(row["observation_id"].iloc[0])
    assert_found(cells, "peak-is-highest", cell, 99_999, "99999")


def test_peaks_of_rows_that_no_factor_tells_apart_are_not_compared() -> None:
    cells = copied(V94, "table-03")
    assert cells[cells["statistic"] == "peak"]["message_bytes"].nunique() > 1
    cells["message_bytes"] = cells["message_bytes"].mask(cells["message_bytes"].notna())
    assert not found(cells, ["peak-is-highest"])


def test_a_rate_that_rises_with_the_size_of_messages() -> None:
    cells = copied(V94, "table-03")
    cell = the_one(cells, message_bytes=204800, metric="round_trip_rate")
    hit = assert_found(cells, "slower-with-size", cell, 400_000, "400,000")
    assert hit.sure is Sure.medium, "a tendency is never sure"


def test_a_rate_that_rises_with_delay() -> None:
    cells = copied(APPLIANCE, "table-10", "table-11-a", "table-11-b", "table-11-c")
    cell = the_one(cells, table_id="table-11-b", message_bytes=2048, metric="round_trip_rate")
    hit = assert_found(cells, "slower-with-delay", cell, 555_555, "555,555")
    assert hit.sure is Sure.medium, "a tendency is never sure"


def test_a_smaller_machine_that_is_faster() -> None:
    cells = copied(APPLIANCE, "table-18")
    cell = the_one(
        cells[cells["platform"] == "MQ Appliance M2003B"],
        message_bytes=2048, metric="round_trip_rate",
    )  # fmt: skip
    hit = assert_found(cells, "faster-with-hardware", cell, 640_000, "640,000")
    assert hit.sure is Sure.medium, "a tendency is never sure"


@pytest.mark.parametrize("factor", [10.0, 0.1])
def test_a_lost_or_added_digit(factor: float) -> None:
    cells = copied(MSMQ, "table-04")
    cell = the_one(cells, message_bytes=5120, metric="message_rate", product="IBM MQSeries")
    value = factor * float(cells.loc[cells["observation_id"] == cell, "value"].iloc[0])
    assert_found(cells, "outlier", cell, value, f"{value:.2f}")


def test_a_loss_that_no_printed_rates_give() -> None:
    cells = copied(AIX, "table-04", "text")
    # 1.8 % follows from Table 4; 2.6 % with the default sharing is a known contradiction.
    cell = the_one(
        cells,
        metric="rate_reduction",
        delivery="persistent",
        sharecnv="0",
        application_binding="normal",
    )
    hit = assert_found(cells, "stated-change", cell, 18, "18%")
    assert hit.sure is Sure.medium, "which rates a text means it does not say"


def test_a_text_that_misquotes_the_table_of_its_section() -> None:
    cells = copied(V10, "sec-5.1.2", "text")
    cell = the_one(cells, table_id="text", metric="log_bytes_sent_rate")
    assert_found(cells, "repeated-quantity", cell, 96e6, "96MB/sec")


def test_an_idle_processor_that_is_called_the_limit() -> None:
    cells = copied(V94, "table-03")
    rate = the_one(cells, message_bytes=2048, metric="round_trip_rate")
    claim = Claim(
        id="limit", section="3", says="the processors are the limit of 2 KB messages",
        kind="limit", chapter="30-peaks", sql="SELECT 1", expect=Expect(above=0),
    )  # fmt: skip
    case = JudgedCase(item=None, value=1, cells=(rate,), verdict=Verdict.holds)
    limit = Judged(
        report=V94, claim=claim, verdict=Verdict.holds, expected="", cases=(case,), note=""
    )
    cpu = the_one(cells, message_bytes=2048, metric="cpu")
    assert found(cells, ["cpu-limit"], (limit,)) == []
    hits = found(planted(cells, cpu, 37.69, "37.69"), ["cpu-limit"], (limit,))
    assert [one.cells for one in hits] == [(cpu,)]
    assert hits[0].deviation == pytest.approx(62.31)
    assert hits[0].sure is Sure.medium, "a tendency is never sure"


@pytest.mark.edition
def test_doubts_and_corrections_of_earlier_readers_are_not_used() -> None:
    cells = frame()[frame()["source"] == AIX]
    bare = cells.assign(
        status="as_printed", note=None, value_corrected=pd.Series(np.nan, index=cells.index)
    )
    assert found(bare) == found(cells)


@pytest.mark.edition
def test_proposals_are_in_order_and_name_real_cells() -> None:
    known = set(frame()["observation_id"])
    for report in observations().report_ids:
        proposals = propose(report)
        levels = [list(Sure).index(one.sure) for one in proposals]
        assert levels == sorted(levels, reverse=True)
        for one in proposals:
            assert set(one.cells) <= known
            assert one.report == report
            assert one.excess > 1
    assert propose(V94) == propose(V94), "the same again"


def test_a_report_reads_no_drafts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roundtrip.detectors.subject.load_draft", None)
    assert Subject.of(observations(), MSMQ, sentences=False).text is None


@pytest.mark.thorough
def test_proposals_are_kept_with_what_they_depend_on(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = load_ledger(observations())
    first = load_proposals(observations(), ledger, sentences=False)
    monkeypatch.setattr("roundtrip.detectors.rules.detect", None)
    assert load_proposals(observations(), ledger, sentences=False) == first, "read, not computed"


def test_a_proposal_finds_an_erratum_by_more_than_chance() -> None:
    def proposal(*cells: str) -> Proposal:
        return Proposal("outlier", AIX, cells, 2.0, 1.0, "decades", Sure.low, "It does not fit.")

    def erratum(*cells: str) -> Erratum:
        return Erratum(
            id="one", kind="pattern", says="It does not fit.", places=(Place(section="1"),),
            cells=cells, evidence="The neighbours.", in_numbers=True,
        )  # fmt: skip

    assert finds(proposal("a", "b"), erratum("a", "b", "c"))
    assert finds(proposal("a"), erratum("b", "a"))
    assert finds(proposal("a", "b"), erratum("a", "c"))
    assert not finds(proposal("b", "a"), erratum("a", "c"))
    assert not finds(proposal("a", "b"), erratum("c", "d"))
    assert not finds(proposal("a", "b"), erratum())


@pytest.mark.thorough
def test_the_command_line_shows_proposals() -> None:
    done = answer(
        "errata", "--proposed", "--report", MSMQ, "--rule", "outlier", "--format", "json",
        project=find_project(ROOT),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert {row["rule"] for row in rows} == {"outlier"}
    slip = [row for row in rows if "table-2-decimal-point" in row["errata"]]
    assert len(slip) == 1
    assert slip[0]["sure"] == "high"
    assert slip[0]["excess"] == pytest.approx(slip[0]["deviation"] / slip[0]["allowed"])
    refused = answer("errata", "--proposed", "--rule", "outliers", project=find_project(ROOT))
    assert refused.returncode == 1
    assert "did you mean 'outlier'" in refused.stderr


@pytest.mark.thorough
def test_the_appendix_lists_every_proposal_with_links() -> None:
    chapter = Chapter(V94, folder=ROOT)
    _, _, *tables = proposed(chapter)
    proposals = load_proposals(
        chapter.observations, load_ledger(chapter.observations), sentences=False
    )
    assert sum(len(table.rows) for table in tables) == len(proposals)
    anchors = {anchor for table in errata_tables(chapter) for row in table.rows
               for anchor in [row[0].anchor]}  # fmt: skip
    linked = {link for table in tables for row in table.rows for _, link in row[3].links}
    assert linked
    assert linked <= anchors


def test_an_unknown_report_is_refused() -> None:
    with pytest.raises(DataError, match="unknown report"):
        propose("websphere-mq-v7")


@given(st.integers(5, 30), st.floats(-3, 3), st.floats(-10, 10), st.data())
def test_one_wrong_value_does_not_bend_a_line(
    length: int, slope: float, level: float, data: st.DataObject
) -> None:
    wrong = data.draw(st.integers(0, length - 1))
    places = np.arange(length, dtype=float)
    values = slope * places + level
    values[wrong] += 1
    off = off_line(places, values)
    assert off[wrong] == pytest.approx(1, abs=1e-6)
    assert np.delete(off, wrong) == pytest.approx(0, abs=1e-6)
    assert scatter(off) == pytest.approx(0, abs=1e-6)
