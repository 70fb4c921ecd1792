"""Rules of the checks on a few rows each: what they find, of which row, and what they let pass."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pandas as pd
import pyarrow as pa
import pytest

from roundtrip.checks import curves, laws, points, tables
from roundtrip.checks.precision import settled_cells
from roundtrip.checks.reference import Finding, Reference
from roundtrip.checks.selection import to_frame
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import CheckError
from roundtrip.partitions import schema
from roundtrip.project import Project
from workshop import ROOT

DICTIONARY = load_dictionary(Project(ROOT).dictionary)
REFERENCE = Reference(DICTIONARY, {})
RATE, TIME = "round_trip_rate", "round_trip_time"
COLUMNS = ("metric", "value", "requesters", "statistic")


def cell(*values: Any, **others: Any) -> dict[str, Any]:
    """Give a printed cell: metric, value, requesters, statistic, and what else is stated."""
    row: dict[str, Any] = {
        "source": "report", "source_kind": "table", "table_id": "t1", "status": "as_printed",
        **dict(zip(COLUMNS, values, strict=False)), **others,
    }  # fmt: skip
    known = DICTIONARY.metrics.get(row["metric"])
    row.setdefault("table", row["table_id"].replace("t", "Table "))
    row.setdefault("unit", known.unit if known else None)
    row.setdefault("unit_printed", row["unit"])
    row.setdefault("value_printed", f"{row['value']:g}")
    return row


def drawn(*values: Any, **others: Any) -> dict[str, Any]:
    """Give a point that was read off a figure, to within 3."""
    place = {"table_id": "f1", "row_label": "a"} | others
    return cell(*values, source_kind="figure", accuracy=3.0, value_printed=None, **place)


def frame(*rows: dict[str, Any]) -> pd.DataFrame:
    numbered = [{"point_id": f"p{n}", **row} for n, row in enumerate(rows)]
    return to_frame(pa.Table.from_pylist(numbered, schema=schema(DICTIONARY)))


def settled(rows: pd.DataFrame) -> pd.DataFrame:
    """Give rows as rules about values take them."""
    return settled_cells(rows, REFERENCE)


def found(finding: Finding) -> tuple[int, dict[int, str]]:
    assert not finding.general
    return finding.checked, finding.rows


# --- laws ----------------------------------------------------------------------------------


def test_a_link_carries_no_more_than_its_bandwidth() -> None:
    stated = {"workload": "pairs", "message_bytes": 1000, "link_gbps": 10.0, "compression": "none"}
    rows = frame(
        cell(RATE, 1_000_000, **stated),  # 2 messages of 8,000 bits each: 16 Gb/s
        cell(RATE, 625_000, **stated),  # 10 Gb/s, what the link has
        cell(RATE, 1_000_000, **stated, value_corrected=600_000),  # misprinted
        cell(RATE, 1_000_000, **stated | {"compression": "lz4"}),
        cell(RATE, 1_000_000, **stated | {"link_gbps": None}),
        cell(RATE, 1_000_000, **stated | {"message_bytes": None}),
        cell(RATE, 1_000_000, **stated | {"workload": "unknown"}),
        cell("message_rate", 9_000_000, **stated),
    )
    problem = "the messages alone need 16.0 Gb/s, the link has 10"
    assert found(laws.rates_fit_link(settled(rows), {"pairs": 2})) == (3, {0: problem})


def test_peaks_fall_as_messages_grow() -> None:
    rows = frame(
        cell(RATE, 1000, 8, "peak", message_bytes=100),
        cell(RATE, 900, 4, "peak", message_bytes=1000),
        cell(RATE, 950, 2, "peak", message_bytes=2000),
        cell(RATE, 900, 2, "peak", message_bytes=4000),
        cell(RATE, 9999, 2, "mean", message_bytes=8000),  # no peak
        cell("cpu", 99, 2, "peak", message_bytes=8000),
        cell("send_time", 5000, 2, "peak", message_bytes=8000),
        cell(RATE, 9999, 2, "peak"),  # of no size
        cell(RATE, 9999, 2, "peak", message_bytes=8000, workload="another"),  # compared with none
    )
    above = "Not below 900 at a lower message_bytes"
    assert found(laws.rates_fall_with(settled(rows), REFERENCE, "message_bytes")) == (
        4,
        {2: above, 3: above},
    )


def test_no_value_stands_above_the_peak_of_its_series() -> None:
    rows = frame(
        cell(RATE, 500, 8, "peak"),
        cell(RATE, 499, 4, "mean"),
        cell(RATE, 500, 16, "mean"),
        cell(RATE, 501, 32, "mean"),
        cell(RATE, 600, 32, "mean", table_id="t2"),
        cell("cpu", 600, 32, "mean"),
        cell(RATE, 600, 32, "mean", source_kind="figure"),
    )
    finding = laws.peaks_are_highest(settled(rows), RATE, ["source"])
    assert found(finding) == (3, {0: "Called the peak, but 501 stands beside it"})


@pytest.mark.parametrize(
    ("printed", "requesters", "fits"),
    [
        ("2", 2, True),
        ("2", 1, True),  # 2 ms may be 1.5, and 1.6 are allowed
        ("2.0", 1, False),
        ("2", 3, False),  # … or 2.5, and 1 is asked of each of three
        ("3", 3, True),
        ("20", 20, True),
        ("20", 21, False),
        ("20", 12, False),
    ],
)
def test_requesters_keep_one_request_in_flight(printed: str, requesters: int, fits: bool) -> None:
    rows = frame(
        cell(RATE, 1000, requesters, point_id="p"),
        cell(TIME, 99, requesters, "p99", point_id="p"),
        cell(TIME, float(printed), requesters, "single", value_printed=printed, point_id="p"),
        cell(RATE, 1000, requesters),  # without a time
        cell(TIME, 99, requesters, "single"),
    )
    problem = f"{float(printed):.1f} requests in flight for {requesters} requesters"
    finding = laws.requests_in_flight_fit(settled(rows), 1.0, 1.6, None)
    assert found(finding) == (1, {} if fits else {2: problem})


def test_requesters_keep_to_the_rate_they_were_told() -> None:
    told = {"requester_rate": 3600.0}
    rows = frame(
        cell(RATE, 10, 10, **told),
        cell(RATE, 10.5, 10, **told),
        cell(RATE, 11.1, 10, **told),
        cell("cpu", 99, 10, **told),
        cell(RATE, 99, 10),
        cell(RATE, 99, None, **told),
    )
    finding = laws.rates_keep_target(settled(rows), 1.1)
    assert found(finding) == (3, {2: "10 requesters were told to keep 10"})


def test_the_time_of_one_requester_is_the_reciprocal_of_its_rate() -> None:
    rows = frame(
        cell(RATE, 200, 1),
        cell(TIME, 5.1, 1, "mean"),  # 1/199.5 s is 5.01 ms, and 5.1 may be 5.05: too far
        cell(RATE, 30, 1, workload="slow"),
        cell(TIME, 33.8, 1, "mean", workload="slow"),  # 1/29.5 s is 33.9 ms
        cell(TIME, 99, 2, "mean"),
        cell(TIME, 99, 1, "maximum"),
    )
    finding = laws.times_are_reciprocal(settled(rows), REFERENCE, RATE)
    assert found(finding) == (2, {1: "Table 1 gives 5 ms"})


# --- what else is printed -------------------------------------------------------------------


def test_what_contradicts_a_doubted_cell_is_excluded_with_its_note() -> None:
    doubted = {"status": "suspect", "note": "The table is upside down."}
    rows = frame(cell(RATE, 500, 8, "peak", **doubted), cell(RATE, 501, 4, "mean"))
    finding = laws.peaks_are_highest(settled(rows), RATE, ["source"])
    assert (finding.rows, finding.excluded) == ({}, {0: "The table is upside down."})


def test_a_ratio_is_computed_from_its_operands() -> None:
    rows = frame(
        cell("rate_ratio", 1.5, 1, value_printed="1.50"),
        cell("rate_ratio", 1.6, 2, value_printed="1.60"),
        cell("rate_ratio", 1.5, 3, value_printed="1.50"),
        cell(RATE, 300, 1),
        cell(RATE, 300, 2),
        cell(RATE, 200, 9, table_id="t2"),
        cell("rate_ratio", 7, 1, table_id="t2"),
    )
    over, under = {"metric": RATE, "by": ["requesters"]}, {"metric": RATE, "table": "t2"}
    finding = tables.ratios_recomputed(settled(rows), "t1", "rate_ratio", over, under)
    missing = "there is no dividend to compute it from"
    assert found(finding) == (3, {1: "computed 1.5000", 2: missing})
    with pytest.raises(CheckError, match="2 cells are the dividend, one is needed"):
        tables.ratios_recomputed(settled(rows), "t1", "rate_ratio", {"metric": RATE}, under)


def test_throughput_is_rate_times_size() -> None:
    rows = frame(
        cell("message_rate", 1000, point_id="a", message_bytes=512),
        cell("payload_rate", 512, point_id="a", message_bytes=512),
        cell("message_rate", 1000, point_id="b", message_bytes=512),
        cell("payload_rate", 513, point_id="b", message_bytes=512),  # to within 0.5 + 0.5 · 0.512
        cell("payload_rate", 512, point_id="c", message_bytes=512),
        cell("message_rate", 2000, point_id="d", message_bytes=1500),
        cell("payload_rate", 3001.2, point_id="d", message_bytes=1500),  # 0.05 + 0.5 · 1.5
    )
    missing = "its point has no message rate"
    assert found(tables.payloads_recomputed(settled(rows), "t1")) == (
        4, {3: "computed 512", 4: missing, 6: "computed 3000"},
    )  # fmt: skip


def test_memory_per_client_is_pages_gone_by_clients_come() -> None:
    values = {"a": ("free_pages", 1000, "clients", 10), "b": ("free_pages", 500, "clients", 20)}
    rows = [
        cell(metric, value, point_id=point, row_label="r")
        for point, (pages, left, clients, come) in values.items()
        for metric, value in ((pages, left), (clients, come), ("backlog", 7))
    ]
    rows += [
        cell("memory_per_client", value, point_id="z", row_label=row)
        for value, row in ((200, "r"), (210, "r"), (200, "alone"))
    ]  # 500 pages of 4 KB for 10 clients
    finding = tables.memory_recomputed(settled(frame(*rows)), ["t1"])
    short = "its row does not have two numbers of clients"
    assert found(finding) == (3, {7: "computed 200.0 KB", 8: short})


def test_a_point_has_each_metric_once() -> None:
    rows = frame(
        cell(RATE, 1, 1, point_id="a"),
        cell("cpu", 1, 1, point_id="a"),
        cell("clients", 1, 1, point_id="a"),
        cell(RATE, 1, 1, point_id="b"),  # clients are known from the factor
        cell("cpu", 1, 1, point_id="b"),
        cell(RATE, 1, None, point_id="c"),
        cell("cpu", 1, None, point_id="c"),
        cell(RATE, 1, 1, point_id="d"),
        cell(RATE, 1, 1, point_id="e", table_id="t2"),  # prints no processor time at all
        cell(RATE, 1, 1, "derived", point_id="f"),
        cell("clients", 1, 1, point_id="g"),
        cell("clients", 1, 1, point_id="g"),
        cell(RATE, 1, 1, point_id="g"),
        cell("cpu", 1, 1, point_id="g"),
        cell("backlog", 1, 1, point_id="h"),
    )
    metrics = [RATE, "cpu", "clients"]
    missing = {5: "no clients", 7: "no cpu", 10: "2 clients"}
    said = {at: f"its point has {what}, there must be one" for at, what in missing.items()}
    assert found(points.points_complete(rows, REFERENCE, metrics, None)) == (13, said)
    said[14] = "; ".join(f"its point has no {name}, there must be one" for name in metrics[:2])
    assert found(points.points_complete(rows, REFERENCE, metrics, ["t1"])) == (12, said)


def test_values_of_a_point_were_seen_under_one_setting() -> None:
    one = cell(RATE, 1, 8, point_id="a")
    assert found(points.points_agree(frame(one), REFERENCE)) == (1, {})
    assert found(points.points_agree(frame(), REFERENCE)) == (0, {})
    rows = frame(
        one,
        cell(RATE, 1, 8, point_id="b", workload="x", row_label="first", repetition=1),
        cell(RATE, 1, 8, point_id="b", workload="x", row_label="second", repetition=2),
        cell("cpu", 1, 8, point_id="b", row_label="other", repetition=2),
    )
    said = "row_label is 'other', elsewhere at its point 'second'; "
    said += "workload is not stated, elsewhere at its point 'x'"
    assert found(points.points_agree(rows, REFERENCE)) == (4, {3: said})


# --- curves ---------------------------------------------------------------------------------


def test_curves_meet_the_peaks_of_tables() -> None:
    stated = {"workload": "pairs"}
    table = [
        cell(RATE, 200, 2, "peak", **stated),
        cell("cpu", 50, 2, "peak", **stated),
        cell("cpu", 70, 1, "mean", **stated),
        cell("send_time", 5, 9, "peak", **stated),
        cell(RATE, 900, 2, "peak", workload="another"),
    ]
    curve = [
        drawn(RATE, 100, 1, **stated),
        drawn(RATE, 203, 2, **stated),
        drawn(RATE, 150, 3, **stated),
        drawn("cpu", 48, 2, **stated),
        drawn("cpu", 60, 3, **stated),  # a rate alone falls behind its peak
    ]
    metrics = [RATE, "cpu"]

    def held(*rows: dict[str, Any], **exceptions: str) -> Finding:
        named = {name.replace("_", "/"): reason for name, reason in exceptions.items()}
        return curves.curves_meet_peaks(settled(frame(*rows)), REFERENCE, metrics, named)

    assert found(held(*table, *curve)) == (5, {})
    far = drawn(RATE, 190, 2, **stated)
    assert found(held(*table, curve[0], far)) == (2, {
        6: "Table 1 has its peak, 200, here",
        1: "f1 has no point of this curve at the peak's 2 requesters",
    })  # fmt: skip
    high = drawn(RATE, 204, 3, **stated)
    lower = "Table 1 has its peak, 200, at 2 requesters, which is lower"
    assert found(held(*table, *curve, high)) == (6, {10: lower})
    excused = held(*table, *curve, high, f1_a="Another machine.")
    assert (excused.rows, excused.excluded) == ({}, {10: f"{lower}. Another machine."})
    needless = "is named as an exception, and meets its table"
    assert found(held(*table, *curve, f1_a="Needless.")) == (5, {5: needless})
    assert found(held(curve[0])) == (1, {0: "no table prints a peak of this curve"})
    with pytest.raises(CheckError, match=r"unknown curve 'f1/b' .did you mean 'f1/a'"):
        held(*table, *curve, f1_b="Unknown.")


def test_curves_of_one_set_up_agree_and_are_declared_to() -> None:
    def repeating(origin: str | None) -> Reference:
        def drawing(repeats: str | None) -> SimpleNamespace:
            return SimpleNamespace(curves={"a": SimpleNamespace(repeats=repeats)})

        report = SimpleNamespace(drawings={"f1": drawing(None), "f2": drawing(origin)})
        return Reference(DICTIONARY, cast(Any, {"report": report}))

    first, second = drawn(RATE, 100, 1), drawn(RATE, 106, 1, table_id="f2", table="Figure 2")
    assert found(curves.curves_agree(settled(frame(first, second)), repeating("f1/a"))) == (2, {})
    undeclared = "is set up as f1/a, but not declared to repeat it"
    assert found(curves.curves_agree(settled(frame(first, second)), repeating(None)))[1] == {
        1: undeclared
    }
    far = second | {"value": 106.5}
    assert found(curves.curves_agree(settled(frame(first, far)), repeating("f1/a")))[1] == {
        1: "f1 draws 100 for it"
    }
    other = second | {"workload": "another"}
    assert found(curves.curves_agree(settled(frame(first, other)), repeating("f1/a")))[1] == {
        1: "repeats f1/a, whose set-up is another"
    }
    assert found(curves.curves_agree(settled(frame(first, other)), repeating(None)))[1] == {}
