"""Queries that an import proposes for sentences that compare: right, or absent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typst
import yaml
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.claims.words import load_words
from roundtrip.drafting.comparisons import Query, comparison
from roundtrip.drafting.readings import DraftCell, DraftRow, DraftTable
from roundtrip.project import find_project
from test_drafting import uncommented
from test_subsets import project_of
from workshop import ROOT, answer, refused


def table(number: str, caption: str, corner: str, headers: str, *rows: str) -> DraftTable:
    """Make a table of texts, parted by bars."""
    made = []
    for row in rows:
        label, *texts = row.split("|")
        cells = tuple(DraftCell(text, 1, (0, 0, 1, 1)) if text else None for text in texts)
        made.append(DraftRow(label, "", cells))
    return DraftTable(number, caption, 1, corner, tuple(headers.split("|")), tuple(made))


PEAKS = table("1", "Peaks of persistent messages", "Storage", "Clients|Max Rate*|Latency (ms)",
              "RDQM|20|41,200|2.1", "SAN|40|18,050|4.0", "NFS share|30|12,000|5.2")  # fmt: skip
CURVES = table("2", "Rates by clients", "Clients", "Acme / Rate|Acme / CPU%|Zenith / Rate",
               "10|1,000|20|950", "20|2,000|40|1,100", "40|1,900|80|890")  # fmt: skip
SIZES = table("3", "Peak rates", "Message size", "Acme|Zenith", "2KB|9,000|4,500",
              "20KB|7,000|3,600")  # fmt: skip
ONE = table("4", "All together", "Test", "Acme / Rate|Zenith / Rate", "RR-CC|900|800")
TABLES = {one.number: one for one in (PEAKS, CURVES, SIZES, ONE)}
WORDS = load_words(find_project(ROOT))


def proposed(text: str) -> Query | None:
    """Give the query for a sentence that names one of the tables."""
    (number,) = (number for number in TABLES if f"Table {number}" in text)
    return comparison(text, TABLES[number], WORDS)


@pytest.mark.parametrize(
    ("text", "kind", "printed", "expect", "each", "parts"),
    [
        ("In Table 1, RDQM has more than twice the rate of the SAN.", "ratio", "twice",
         {"above": 2}, "", ["a.row_label = 'RDQM'", "b.row_label = 'SAN'",
                                             "a.column_label = 'Max Rate*'"]),
        ("With 2KB, Acme is nearly 2.5 times as fast as Zenith (Table 3).", "ratio", "2.5 times",
         {"word": "nearly", "number": 2.5}, "", ["a.row_label = '2KB'"]),
        ("As Table 2 shows, Acme reaches up to three times the throughput of Zenith.", "ratio",
         "three times", {"word": "up to", "number": 3}, "row",
         ["a.column_label = 'Acme / Rate'", "b.column_label = 'Zenith / Rate'",
          "a.row_label = b.row_label"]),
        ("With 20KB, Acme has double the rate of Zenith (Table 3).", "ratio", "double", {"is": 2},
         "", ["a.column_label = 'Acme' AND a.row_label = '20KB'", "b.column_label = 'Zenith'"]),
        ("In Table 1, 41,200 is more than twice the 18,050 round trips/s.", "ratio", "twice",
         {"above": 2}, "", ["a.row_label = 'RDQM'", "b.row_label = 'SAN'"]),
        ("Table 1 shows the highest rate for RDQM with persistent messages.", "extreme", "highest",
         {"largest": "RDQM"}, "", ["column_label = 'Max Rate*'"]),
        ("In Table 1, the NFS share has the lowest latency.", "extreme", "lowest",
         {"smallest": "NFS share"}, "", ["column_label = 'Latency (ms)'"]),
        ("The highest rate of Table 1 is 41,200.", "extreme", "highest", {"largest": "RDQM"}, "",
         ["row_label AS item"]),
        ("In Table 4, Acme has the highest rate, since it does not log.", "extreme", "highest",
         {"largest": "Acme / Rate"}, "", ["column_label AS item"]),
        ("Table 2 shows that the rate of Acme rises with the number of clients.", "trend", "rises",
         {"above": 0}, "row, against the row before", ["column_label = 'Acme / Rate'"]),
        ("The rate of Zenith falls as the message size increases, as Table 3 shows.", "trend",
         "falls", {"below": 0}, "row, against the row before", ["column_label = 'Zenith'"]),
        ("The rate of Zenith in Table 2 never falls below 900.", "limit", "900",
         {"at_least": 900}, "row", ["column_label = 'Zenith / Rate'"]),
        ("In all tests of Table 1, the latency is at most 5.2 ms.", "limit", "5.2",
         {"at_most": 5.2}, "row", ["column_label = 'Latency (ms)'"]),
        ("Table 1 shows rates of up to 41,000 round trips/s.", "limit", "41,000",
         {"word": "up to", "number": 41000}, "row", ["column_label = 'Max Rate*'"]),
    ],
)  # fmt: skip
def test_a_sentence_that_says_what_it_compares_has_a_query(
    text: str, kind: str, printed: str, expect: object, each: str, parts: list[str]
) -> None:
    query = proposed(text)
    assert query is not None
    assert (query.kind, query.printed, query.each) == (kind, printed, each)
    assert yaml.safe_load(query.expect) == expect
    assert all(part in "\n".join(query.sql) for part in parts)


@pytest.mark.parametrize(
    "text",
    [
        "In Table 1, RDQM with compression has the highest rate.",
        "Table 1 does not show the highest rate for RDQM.",
        "In Table 1, RDQM has the second highest rate.",
        "In Table 1, RDQM has the highest rate and the SAN the lowest.",
        "Table 1 shows the highest rate.",
        "Table 1 shows the highest rate of RDQM.",
        "In Table 1, RDQM is the fastest.",  # or has the lowest latency
        "In Table 1, RDQM has the highest rate and latency.",
        "In Table 2, Acme has the highest rate.",  # of which row?
        "RDQM is three times faster than the SAN in Table 1.",  # 3 or 4 times as fast
        "Compared with RDQM, the SAN has half the rate in Table 1.",
        "In Table 1, RDQM has twice the rate of the SAN and the NFS share.",
        "In Table 1, RDQM has twice the rate of last year.",
        "Acme has twice the rate of Zenith with TLS, as Table 2 shows.",
        "Table 2 shows that the rate rises with the number of clients.",  # of Acme or Zenith?
        "Table 2 shows that the rate of Acme rises with the number of queues.",
        "Table 2 shows that the rate of Acme rises with the number of clients up to 20.",
        "Table 1 shows that the rate rises with the number of clients.",  # rows in another order
        "The rate in Table 2 never falls below 900.",
        "The rate of Zenith in Table 2 is at least 900.",  # at its peak, or always?
        "In all tests of Table 1, the latency is at most 5,200 us.",
        "In all tests of Table 1 with TLS, the rate is at least 12,000.",
        "Table 1 and Table 1 again show the highest rate for RDQM.",
    ],
)
def test_a_sentence_that_leaves_a_doubt_has_none(text: str) -> None:
    assert proposed(text) is None


def test_rows_that_their_labels_do_not_tell_apart_have_no_query() -> None:
    text = "Table 1 shows the highest rate for RDQM."
    assert comparison(text, PEAKS, WORDS)
    twice = (*PEAKS.rows, PEAKS.rows[0])
    under = tuple(DraftRow(row.label, "Persistent", row.cells) for row in PEAKS.rows)
    for rows in (twice, under):
        other = DraftTable("1", PEAKS.caption, 1, PEAKS.corner, PEAKS.headers, rows)
        assert comparison(text, other, WORDS) is None
    assert comparison(text, DraftTable("1", "Peaks", 1, trouble="a picture"), WORDS) is None


@given(st.text(max_size=50), st.sampled_from(["twice the", "the highest", "rises with", "never"]))
def test_any_sentence_has_a_query_that_yaml_and_sql_can_hold(text: str, phrase: str) -> None:
    text = text.replace("|", "")
    odd = table("1", text, text, f"{text}|Rate", f"{text}|1|2", "B|3|4")
    query = comparison(f"Table 1: {text} {phrase} rate of B {text}", odd, WORDS)
    if query is not None:
        assert all(line.isprintable() for line in query.sql)
        assert yaml.safe_load(query.expect)


SAID = """
= 1 Results
In Table 1, RDQM has more than twice the rate of the SAN.
Table 1 shows the highest rate for RDQM. In Table 1, the SAN has the lowest latency.
Table 2 shows that the rate of Acme rises with the number of clients.
The rate of Zenith in Table 2 never falls below 900.
As Table 2 shows, Acme reaches up to twice the throughput of Zenith.
"""
VERDICTS = ["holds", "holds", "contradicted", "holds in part", "holds in part",
            "holds by rounding"]  # fmt: skip


def printed(one: DraftTable) -> str:
    """Set a table, with headings over several columns as they are printed."""
    heads = [name.replace(" / ", " ") for name in (one.corner, *one.headers)]
    texts = [
        text for row in one.rows
        for text in (row.label, *(cell.text if cell else "" for cell in row.cells))
    ]  # fmt: skip
    cells = ", ".join(f"[#{json.dumps(text)}]" for text in (*heads, *texts))
    return (f"Table {one.number}: {one.caption}\n#table(columns: {len(heads)}, align: right, "
            f"stroke: 0.5pt, {cells})\n\n#lorem(20)\n\n")  # fmt: skip


def test_proposed_queries_give_verdicts_once_a_person_has_judged_them(tmp_path: Path) -> None:
    project = project_of(tmp_path / "project", ["92-claims.ipynb"])
    flat = table("2", CURVES.caption, "Clients", "Acme|Zenith", "10|1,000|950", "20|2,000|1,100",
                 "40|1,900|890")  # fmt: skip
    text = f"#set text(size: 9pt, hyphenate: false)\n{SAID}\n\n{printed(PEAKS)}{printed(flat)}"
    (tmp_path / "acme.pdf").write_bytes(typst.compile(text.encode()))
    done = answer("import", str(tmp_path / "acme.pdf"), "--id", "acme", project=project)
    assert done.returncode == 0, done.stderr
    draft = project.drafts / "acme"
    declared = yaml.safe_load((draft / "report.yml").read_text("utf-8"))
    declared |= {"title": "Acme", "publisher": "Acme", "edition": "1", "date": "May 2020",
                 "product": "Acme Broker", "product_version": "3", "notice": "None.",
                 "message_sizes": {"basis": "page 1", "bytes": {}}}  # fmt: skip
    host = {"roles": ["Server"], "count": 1, "model": "Acme X1"}
    declared["host_sets"] = {"set1": {"section": "1", "title": "All", "hosts": [host]}}
    metrics = [["clients", "round_trip_rate", "round_trip_time"], ["round_trip_rate"] * 2]
    for one, named in zip(declared["tables"], metrics, strict=True):
        one |= {"section": "1", "caption": "Rates"}
        for column, metric in zip(one["columns"], named, strict=True):
            column["metric"] = metric
    (draft / "report.yml").write_text(yaml.safe_dump(declared, sort_keys=False), "utf-8")
    taken = answer("new", "report", "acme", "--draft", project=project)
    assert taken.returncode == 0, taken.stderr
    path = project.published / "acme" / "claims.yml"
    stubs = uncommented(path.read_text("utf-8"))
    worded = stubs.replace("says: choose", "says: Worded.").replace(
        "chapter: choose", "chapter: 92-claims"
    )
    path.write_text(worded, "utf-8")
    refused(answer("claims", "--report", "acme", project=project),
            "claims.yml:", "proposed by a program", "delete the line '-- proposed")  # fmt: skip
    judged = [line for line in worded.splitlines() if "-- proposed" not in line]
    path.write_text("\n".join(judged) + "\n", "utf-8")
    shown = answer("claims", "--report", "acme", "--format", "json", project=project)
    assert shown.returncode == 0, shown.stderr
    assert [one["verdict"] for one in json.loads(shown.stdout)] == VERDICTS
