"""The transcription of the MQ Appliance M2003 report, against its text and against itself."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pandas as pd
import pytest

from conftest import Documents
from roundtrip.observations import Observations

pytestmark = pytest.mark.slow

REPORT = "mq-appliance-m2003"
ROOT = Path(__file__).resolve().parents[1]
SHA256 = "bb7060eeebcf7e8407cd8600f4fb395a05d8b19b0f0b774d269da16d05515701"


@pytest.fixture(scope="module")
def tables(observations: Observations) -> pd.DataFrame:
    frame = observations.frame
    return frame[(frame["source"] == REPORT) & (frame["source_kind"] == "table")]


@pytest.fixture(scope="module")
def seed(documents: Documents) -> str:
    return documents["004"]


def printed_blocks(seed: str) -> Iterator[tuple[list[str], list[str], list[list[str]]]]:
    """Yield group headers, column headers and rows of each printed block."""
    pattern = re.compile(r"^Test(?P<top>.*)\n(?P<sub>.*)\n(?P<rows>(?:10Q .*\n)+)", re.MULTILINE)
    for match in pattern.finditer(seed):
        rows = []
        for line in match["rows"].splitlines():
            label, values = re.fullmatch(r"(10Q .*?\))\s+(.*)", line).groups()
            rows.append([label, *re.findall(r"[\d,.]+%?", values)])
        yield re.split(r"\t+", match["top"].strip()), match["sub"].split(), rows


def test_every_declared_cell_is_there(observations: Observations, tables: pd.DataFrame) -> None:
    assert len(observations.cells(REPORT)) == 720
    assert tables["table_id"].nunique() == 27
    assert set(tables["table"]) == {f"Table {number}" for number in range(1, 23)}
    assert tables.groupby("metric").size().to_dict() == {
        "clients": 184,
        "cpu": 184,
        "relative_rate": 32,
        "round_trip_rate": 184,
        "round_trip_time": 136,
    }


def test_printed_values_are_unchanged(observations: Observations) -> None:
    cells = observations.cells(REPORT)[["table", "row", "column", "value_printed"]]
    text = "\n".join("|".join(cell) for cell in cells.itertuples(index=False))
    assert hashlib.sha256(text.encode()).hexdigest() == SHA256


def test_every_cell_agrees_with_the_source(tables: pd.DataFrame, seed: str) -> None:
    blocks = list(printed_blocks(seed))
    ours = [list(group) for _, group in groupby(tables.itertuples(), lambda cell: cell.table_id)]
    assert len(blocks) == len(ours) == 27
    compared = 0
    for (groups, headers, rows), cells in zip(blocks, ours, strict=True):
        printed = [(row[0], value) for row in rows for value in row[1:]]
        assert [(cell.row_label, cell.value_printed) for cell in cells] == printed
        columns = list(dict.fromkeys(cell.column_label for cell in cells))
        assert list(dict.fromkeys(label.split(" / ")[0] for label in columns)) == groups
        stacked = [label.split(" / ")[1] for label in columns if " / " in label]
        assert " ".join(stacked).split() == headers
        compared += len(printed)
    assert compared == 720


def test_captions_stand_after_their_blocks(tables: pd.DataFrame, seed: str) -> None:
    events = re.findall(r"^(Test\t|TABLE \d+)", seed, re.MULTILINE)
    numbers: list[str] = []
    waiting = 0
    for event in events:
        if event.startswith("Test"):
            waiting += 1
        else:
            numbers += [event.title()] * waiting
            waiting = 0
    assert waiting == 0
    assert tables.drop_duplicates("table_id")["table"].tolist() == numbers


def test_factors_follow_the_labels(tables: pd.DataFrame) -> None:
    sizes = {"256b": 256, "2KB": 2048, "20KB": 20480, "200KB": 204800}
    for cell in tables.itertuples():
        size, delivery = re.search(r"\((\w+) ([\w-]+)\)", cell.row_label).groups()
        assert cell.message_bytes == sizes[size]
        assert cell.delivery == delivery.lower().replace("-", "")
        assert cell.queue_managers == (10 if "10QM" in cell.row_label else 1)
        delay = re.search(r"(\d+)ms Latency", cell.row_label)
        stated = [cell.ha_link_rtt_ms, cell.replication_link_rtt_ms]
        assert max([0.0, *(value for value in stated if value == value)]) == (
            float(delay[1]) if delay else 0.0
        )
        if " / " in cell.column_label:
            model, *features = cell.column_label.split(" / ")[0].replace(" and ", " ").split()
            assert cell.platform == f"MQ Appliance {model}"
            assert (cell.ha == "appliance HA") == ("HA" in features)
            assert (cell.replication == "appliance DR") == ("DR" in features)


def test_a_quantity_printed_twice_is_the_same(
    observations: Observations, tables: pd.DataFrame
) -> None:
    set_up = [name for name in observations.dictionary.factors if name != "requesters"]
    repeated = 0
    for _, group in tables.groupby([*set_up, "metric", "statistic"], dropna=False):
        repeated += len(group) > 1
        assert group["value_printed"].nunique() == 1, group["observation_id"].tolist()
    assert repeated == 140


def test_shares_of_the_direct_rate_are_arithmetic(tables: pd.DataFrame) -> None:
    rates = tables[tables["metric"] == "round_trip_rate"].set_index("point_id")["value"]
    direct = {"appliance HA": "table-09", "none": "table-13"}
    shares = tables[tables["metric"] == "relative_rate"]
    for share in shares.itertuples():
        row = share.point_id.rsplit("/", 1)[1]
        base = rates[f"{REPORT}/{direct[share.ha]}/{row}"]
        assert abs(100 * rates[share.point_id] / base - share.value) < 0.051
    assert len(shares) == 32


def test_latency_is_of_one_requester_and_a_point_of_its_own(tables: pd.DataFrame) -> None:
    latency = tables[tables["metric"] == "round_trip_time"]
    assert set(latency["requesters"]) == {1}
    others = tables[tables["metric"] != "round_trip_time"]
    assert not set(latency["point_id"]) & set(others["point_id"])


def test_what_the_text_alone_states(observations: Observations) -> None:
    frame = observations.frame
    said = frame[(frame["source"] == REPORT) & (frame["source_kind"] == "text")]
    assert said["value_printed"].tolist() == ["3", "9", "8", "30"]
    assert said["requesters"].dropna().tolist() == [60000]


def test_text_values_agree_with_the_source(seed: str) -> None:
    ratios = re.findall(r"(\d)x .* M2001A in", seed)
    seconds = re.search(r"60,000 clients .* in approximately (\d+) seconds", seed)
    assert [*ratios, seconds[1]] == ["3", "9", "8", "30"]


def test_doubts_are_kept_beside_the_printed_value(tables: pd.DataFrame) -> None:
    doubted = tables[tables["status"] != "as_printed"]
    assert doubted[["table_id", "value_printed", "status"]].to_numpy().tolist() == [
        ["table-11-c", "3,673", "suspect"]
    ]
