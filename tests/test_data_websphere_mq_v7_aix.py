"""The WebSphere MQ V7 for AIX report: its transcription against a second parse of the source.

The source is not part of this repository. Where it is at hand (``ROUNDTRIP_SEEDS``, or
``../shared/seeds`` beside the repository), every numeric cell is compared; elsewhere the counts
and the checksum of the committed cells stand in for it.
"""

import hashlib
import re

import pandas as pd
import pytest

from conftest import Documents
from roundtrip.observations import Observations

pytestmark = pytest.mark.slow

REPORT = "websphere-mq-v7-aix"
CELLS = 830
CHECKSUM = "9a2a14f79664f2410bbf463f7911add7146c0d7d75663d95b9acdcd6798151cc"
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
MARKED = re.compile(r"(?P<open>\()?(?:<b>|\*\*)*(?P<number>\d[\d,.]*)")
# Cells whose brackets the source misplaces: it prints the peak's CPU bold and in brackets.
MISPLACED = {("Table 3", "CPU"), ("sec 2.2.2", "CPU"), ("Table 4", "CPU")}


@pytest.fixture(scope="module")
def cells(observations: Observations) -> pd.DataFrame:
    frame = observations.frame
    return frame[(frame["source"] == REPORT) & (frame["source_kind"] == "table")]


@pytest.fixture(scope="module")
def lines(documents: Documents) -> list[str]:
    return documents["003"].splitlines()


def printed_tables(lines: list[str]) -> dict[str, list[list[str]]]:
    """Collect the rows of every printed table, header first, under its number or section."""
    tables: dict[str, list[list[str]]] = {}
    pending: list[list[str]] = []
    section = ""
    for line in lines:
        heading = re.match(r"#+ \**(\d+(?:\.\d+)*)", line)
        caption = re.match(r"\W*(Table \d+)\W* – ", line)
        ends = heading or caption
        if line.count("\t") >= 3 and not line.startswith("<b>Test name</b>\t<p>"):
            pending.append(line.split("\t"))
        if ends and pending:
            tables[caption[1] if caption else f"sec {section}"] = pending
            pending = []
        section = heading[1] if heading else section
    return tables


def numbers_down(rows: list[list[str]], column: int) -> list[str]:
    """Read the numbers of a printed column from top to bottom."""
    return [n for row in rows[1:] if column < len(row) for n in NUMBER.findall(row[column])]


def brackets_down(rows: list[list[str]], column: int) -> list[bool]:
    return [bool(m["open"]) for row in rows[1:] for m in MARKED.finditer(row[column])]


def number_of(value_printed: str) -> str:
    found = NUMBER.match(value_printed)
    assert found is not None
    return found[0]


def test_it_has_every_cell(cells: pd.DataFrame) -> None:
    assert len(cells) == CELLS
    assert cells["table"].nunique() == 42
    assert cells["table"].str.startswith("Table ").groupby(cells["table"]).first().sum() == 37


def test_committed_cells_have_not_changed(cells: pd.DataFrame) -> None:
    columns = ["table", "row_label", "column_label", "statistic", "value_printed"]
    text = "\n".join("|".join(row) for row in cells[columns].itertuples(index=False))
    assert hashlib.sha256(text.encode()).hexdigest() == CHECKSUM


def test_every_cell_agrees_with_the_source(cells: pd.DataFrame, lines: list[str]) -> None:
    tables = printed_tables(lines)
    assert set(tables) == set(cells["table"])
    for number, rows in tables.items():
        table = cells[cells["table"] == number]
        columns = list(dict.fromkeys(table["column_label"]))
        compared = 0
        for index, header in enumerate(rows[0][1:], start=1):
            expected = numbers_down(rows, index)
            ours = table[table["column_label"] == header]["value_printed"].map(number_of)
            assert list(ours) == expected, f"{number}, {header}"
            assert header in columns or not expected
            compared += len(expected)
        assert compared == len(table), number


def test_points_in_brackets_are_the_comparisons(cells: pd.DataFrame, lines: list[str]) -> None:
    marks = 0
    for number, rows in printed_tables(lines).items():
        table = cells[cells["table"] == number]
        for index, header in enumerate(rows[0][1:], start=1):
            ours = table[table["column_label"] == header]
            if (number, header) in MISPLACED:
                continue
            expected = brackets_down(rows, index)
            assert list(ours["statistic"] == "comparison") == expected, f"{number}, {header}"
            marks += sum(expected)
    assert marks > 200


def test_row_labels_are_those_of_the_source(cells: pd.DataFrame, lines: list[str]) -> None:
    for number, rows in printed_tables(lines).items():
        label = re.compile(r"</?b>|\*\*")
        expected = [label.sub("", row[0]).strip() for row in rows[1:] if row[0].strip()]
        ours = list(dict.fromkeys(cells[cells["table"] == number]["row_label"]))
        assert ours == expected, number


def test_a_peak_and_its_comparison(cells: pd.DataFrame) -> None:
    row = cells[(cells["table"] == "Table 1") & (cells["row_label"] == "WebSphere MQ V6")]
    rates = row[row["metric"] == "round_trip_rate"].set_index("statistic")
    assert rates.loc["peak", "value"] == 33840
    assert rates.loc["peak", "requesters"] == 20
    assert rates.loc["comparison", "value"] == 33689
    assert rates.loc["comparison", "requesters"] == 19


def test_units_are_those_of_the_dictionary(cells: pd.DataFrame) -> None:
    by_printed = cells[["table", "value_printed", "value", "unit"]].values.tolist()
    assert ["Table 1", "0.0007", 0.7, "ms"] in by_printed
    assert ["sec 6.3", "0.0012sec", 1.2, "ms"] in by_printed
    assert ["sec 2.3.5", "0.004 seconds", 4, "ms"] in by_printed
    assert ["Table 35", "158K per client", 158, "KB"] in by_printed
    assert ["Table 35", "983M", 983, "MB"] in by_printed


def test_listed_cells_keep_the_unit_of_the_page(observations: Observations) -> None:
    listed = observations.cells(REPORT)[["table", "value_printed", "value", "unit"]]
    assert ["Table 1", "0.0007", 0.0007, "s"] in listed.values.tolist()
    assert ["sec 6.3", "0.0012sec", 0.0012, "s"] in listed.values.tolist()
    assert ["Table 35", "158K per client", 158, "KB"] in listed.values.tolist()


def test_memory_per_client_follows_from_the_free_pages(cells: pd.DataFrame) -> None:
    """The derived cells of Tables 35 and 37 are recomputed; the one that differs is marked."""
    for number in ("Table 35", "Table 37"):
        table = cells[cells["table"] == number]
        for label, group in table.groupby("row_label"):
            pages = group[group["metric"] == "free_pages"].set_index("point_id")["value"]
            clients = group[group["metric"] == "clients"].set_index("point_id")["value"]
            cost = group[group["metric"] == "memory_per_client"].iloc[0]
            both = pd.concat([pages, clients], axis=1, keys=["pages", "clients"]).dropna()
            change = both.iloc[-1] - both.iloc[0]
            computed = -change["pages"] * 4 / change["clients"]
            fits = abs(computed - cost["value"]) < 1
            assert fits == (cost["status"] == "as_printed"), f"{number}, {label}: {computed:.1f}"


def test_responses_that_no_closed_loop_can_give_are_marked(cells: pd.DataFrame) -> None:
    """Requesters that never wait keep as many requests in flight as there are requesters."""
    tight = cells[cells["requester_rate"].isna() & cells["requesters"].notna()]
    points = tight.pivot_table(
        index=["table", "point_id"], columns="metric", values="value", aggfunc="first"
    )
    points = points[["clients", "round_trip_rate", "round_trip_time"]].dropna()
    flight = points["round_trip_rate"] * points["round_trip_time"] / 1000 / points["clients"]
    odd = {point for _, point in flight[(flight < 0.5) | (flight > 1.8)].index}
    marked = set(tight[tight["status"] == "suspect"]["point_id"])
    assert len(odd) == 11
    assert odd <= marked


def test_values_of_the_text_are_kept_apart(observations: Observations) -> None:
    frame = observations.frame
    text = frame[(frame["source"] == REPORT) & (frame["source_kind"] == "text")]
    assert len(text) == 32
    assert text["section"].notna().all()
    assert (text["table"] == "sec " + text["section"]).all()


def test_disclosure_is_complete(observations: Observations) -> None:
    report = observations.report(REPORT)
    assert len(report.figures) == 44 + 3
    assert set(observations.frame.query("source == @REPORT")["host_set"].dropna()) <= set(
        report.host_sets
    )
    assert len(report.scenarios) == 4
    assert {item.name for item in report.tuning} >= {"LogWriteIntegrity", "DefaultQBufferSize"}
