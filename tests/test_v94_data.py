"""The printed cells of the V9.4 report: counted, fixed, and compared with the source's text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow.csv
import pyarrow.parquet
import pytest

from conftest import Documents
from roundtrip.files import sha256_of
from workshop import ROOT, V94, answer, read_csv, refused

pytestmark = pytest.mark.slow

COUNTS = {
    "Table 1": 12, "Table 3": 12, "Table 4": 12, "Table 5": 12, "Table 6": 12, "Table 7": 12,
    "Table 8": 36, "Table 9": 15, "Table 10": 18, "Table 11": 15, "Table 12": 18, "sec 6.3": 13,
    "Table 13": 27, "Table 14": 18, "Table 15": 18,
}  # fmt: skip
Printed = tuple[str, str, str, str]


@pytest.fixture(scope="module")
def cells() -> list[dict[str, str]]:
    done = answer("data", "cells", "--report", V94, "--format", "csv", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "report,table,row,column,value_printed,value,unit"
    return read_csv(done.stdout)


def test_there_are_250_cells(cells: list[dict[str, str]]) -> None:
    assert len(cells) == 250
    tables = [cell["table"] for cell in cells]
    assert {table: tables.count(table) for table in tables} == COUNTS
    assert {cell["report"] for cell in cells} == {V94}


def test_no_printed_cell_has_changed(cells: list[dict[str, str]]) -> None:
    printed = sorted((c["table"], c["row"], c["column"], c["value_printed"]) for c in cells)
    text = "\n".join("\t".join(cell) for cell in printed)
    assert sha256_of(text) == "3588e683a44a353b52170613c698c48d8715df3811ae7550d54dc524753320a1"


def test_values_are_the_printed_ones_with_their_unit(cells: list[dict[str, str]]) -> None:
    for cell in cells:
        digits = cell["value_printed"].replace(",", "").removesuffix("%")
        assert float(cell["value"]) == float(digits)
        assert cell["value_printed"].endswith("%") <= (cell["unit"] == "%")
    units = {cell["unit"] for cell in cells}
    assert units == {"round trips/s", "%", "ratio", "requesters"}


def columns_of(top: list[str], bottom: list[str]) -> list[str]:
    """Put a header of two rows into one: a group stands over the columns to its right."""
    names, over = [], ""
    for position, name in enumerate(bottom):
        over = (top[position] if position < len(top) else "") or over
        names.append(f"{over} / {name}" if over else name)
    return names


def tables_in(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield each block of lines with tabs, under the caption or section that it belongs to."""
    block: list[list[str]] = []
    section, waiting = "", None
    for line in [*text.splitlines(), ""]:
        if heading := re.match(r"#+ \**(\d+(?:\.\d+)*)", line):
            section = heading[1]
        caption = re.match(r"\*\*TABLE (\d+) [-–] ", line)
        if waiting is not None:
            if caption:
                yield f"Table {caption[1]}", waiting
                waiting = None
            elif ratio := re.match(r"(\w.* ratio .*\)) = \*\*([\d.]+)\*\*$", line):
                waiting.append([ratio[1], ratio[2]])
            elif line and "round trips" not in line.lower():
                yield f"sec {section}", waiting
                waiting = None
        if "\t" in line:
            block.append([part.strip() for part in line.split("\t")])
        elif block:
            waiting, block = block, []


def printed_cells(text: str) -> Iterator[Printed]:
    for table, lines in tables_in(text):
        numbers = [line for line in lines if re.match(r"(= )?(<b>)?[\d.,]+%?(</b>)?$", line[-1])]
        heads = lines[: lines.index(numbers[0])] if numbers else []
        if not heads:
            continue  # a table of words, or a list of contents
        names = heads[0][1:] if len(heads) == 1 else columns_of(heads[0][1:], heads[1][1:])
        for row, *values in numbers:
            for name, value in zip(names, values, strict=True):
                yield table, row, name, re.sub(r"= |</?b>", "", value)


def test_every_cell_of_the_source_is_there_and_no_other(
    cells: list[dict[str, str]], documents: Documents
) -> None:
    source = list(printed_cells(documents["000"]))
    ours = [(c["table"], c["row"], c["column"], c["value_printed"]) for c in cells]
    assert len(source) == 250
    assert sorted(source) == sorted(ours)


# --- the command line ----------------------------------------------------------------------


def test_without_a_report_all_are_printed_and_json_says_the_same(
    cells: list[dict[str, str]],
) -> None:
    every = read_csv(answer("data", "cells", cwd=ROOT).stdout)
    assert [cell for cell in every if cell["report"] == V94] == cells
    as_json = answer("data", "cells", "--report", V94, "--format", "json", cwd=ROOT)
    rows = json.loads(as_json.stdout)
    assert [row["value_printed"] for row in rows] == [cell["value_printed"] for cell in cells]
    assert [row["value"] for row in rows] == [float(cell["value"]) for cell in cells]


def test_an_unknown_report_is_refused() -> None:
    done = answer("data", "cells", "--report", "ibm-mq-v9.3-linux", cwd=ROOT)
    refused(done, "unknown report 'ibm-mq-v9.3-linux' (did you mean 'ibm-mq-v9.4-linux'?)")
    assert done.stdout == ""


def test_the_tidy_table_is_exported_as_parquet_and_csv(tmp_path: Path) -> None:
    for name in ("deep/o.parquet", "o.csv"):
        done = answer("data", "observations", "-o", str(tmp_path / name), cwd=ROOT)
        assert done.returncode == 0, done.stderr
    table = pyarrow.parquet.read_table(tmp_path / "deep" / "o.parquet")
    assert f"{table.num_rows} observations" in done.stderr
    assert table.column("source").to_pylist().count("ibm-mq-v9.4-linux") == 250
    text = pyarrow.csv.read_csv(tmp_path / "o.csv")
    assert table.column_names == text.column_names
    assert text.column("observation_id").to_pylist() == table.column("observation_id").to_pylist()
    assert text.column("value").to_pylist() == table.column("value").to_pylist()
    standard_output = answer("data", "observations", cwd=ROOT).stdout
    assert standard_output == (tmp_path / "o.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["-o", "x.xlsx"], "allowed: .csv, .parquet"),
        (["-o", "/dev/full/x.csv"], "could not write"),
    ],
)
def test_an_export_that_cannot_be_is_refused(arguments: list[str], part: str) -> None:
    refused(answer("data", "observations", *arguments, cwd=ROOT), part)


# --- the tidy table ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    from roundtrip.observations import load_observations
    from roundtrip.project import Project

    frame = load_observations(Project(ROOT)).frame
    return frame[frame["source"] == V94]


def test_every_observation_leads_to_its_line(frame: pd.DataFrame) -> None:
    assert frame["observation_id"].is_unique
    for row in frame.itertuples():
        line = (ROOT / row.file).read_text(encoding="utf-8").splitlines()[row.line - 1]
        assert row.row_label in line
        assert row.value_printed in line


def test_what_was_set_is_stated(frame: pd.DataFrame) -> None:
    every = ["product", "product_version", "platform", "workload", "api", "host_set"]
    assert frame[every].notna().all(axis=None)
    local = frame[(frame["table"] == "Table 4")]
    assert set(local["workload"]) == {"RR-DQ-BB"}
    delays = frame[frame["table"].isin(["Table 14", "Table 15"])]
    assert delays.groupby("table")["ha_link_rtt_ms"].unique().map(list).to_dict() == {
        "Table 14": [1.0],
        "Table 15": [2.0],
    }
    tls = frame[frame["table"].isin([f"Table {number}" for number in range(9, 13)])]
    assert tls[["tls_protocol", "tls_cipher", "message_bytes"]].notna().all(axis=None)
    assert set(frame[frame["table"] == "Table 7"]["delivery"]) == {"persistent"}


def test_a_point_is_one_rate_one_cpu_and_its_clients(frame: pd.DataFrame) -> None:
    peaks = frame[frame["metric"].isin(["round_trip_rate", "cpu", "clients"])]
    peaks = peaks[~peaks["table_id"].str.startswith("sec")]
    for _, point in peaks.groupby("point_id"):
        assert sorted(point["metric"]) == ["clients", "cpu", "round_trip_rate"]
        clients = point[point["metric"] == "clients"]["value"].iloc[0]
        assert set(point["requesters"]) == {clients}


def test_a_repeated_table_repeats_every_cell(frame: pd.DataFrame) -> None:
    third, sixth = (frame[frame["table"] == f"Table {number}"] for number in (3, 6))
    assert third["value_printed"].tolist() == sixth["value_printed"].tolist()
    assert not set(third["point_id"]) & set(sixth["point_id"])
