"""The transcription of the MQSeries and MSMQ paper, against its text and against itself."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from conftest import Documents
from roundtrip.observations import Observations

pytestmark = pytest.mark.slow

REPORT = "mqseries-vs-msmq"
ROOT = Path(__file__).resolve().parents[1]
SHA256 = "e8d7bf62b491e1c66f5213b64dbf1ac490ec115a5c6069be7286ba150511d128"
CELLS = {1: 36, 2: 40, 3: 16, 4: 60, 5: 48, 6: 24}
CORRECTED = {"447": 44.7, "8.2": 8.0, "42.0": 43.0}


@pytest.fixture(scope="module")
def paper(observations: Observations) -> pd.DataFrame:
    frame = observations.frame
    frame = frame[frame["source"] == REPORT].copy()
    frame["shown"] = frame["value_corrected"].fillna(frame["value"])
    return frame


@pytest.fixture(scope="module")
def tables(paper: pd.DataFrame) -> pd.DataFrame:
    return paper[paper["source_kind"] == "table"]


@pytest.fixture(scope="module")
def said(paper: pd.DataFrame) -> pd.DataFrame:
    return paper[paper["source_kind"] == "text"]


@pytest.fixture(scope="module")
def seed(documents: Documents) -> str:
    return documents["001"]


def printed_table(seed: str, number: int) -> str:
    """Give what stands between the title of a table and its caption."""
    return re.search(rf"^ ?Table {number}\. .*?(?=^Table {number}\. )", seed, re.M | re.S)[0]


def printed_captions(seed: str) -> list[tuple[str, str, str]]:
    """Give product, kind and value of everything that the captions of the figures state."""
    found = re.findall(
        r"(MQSeries|MSMQ) (peak performance|performance|single client/single thread response time)"
        r" ?= ?([\d.]+) ?(?:mps|msec)",
        seed,
    )
    return [(product, kind.split()[-1], value) for product, kind, value in found]


def printed_prose(seed: str) -> str:
    """Give the running text: no tables with their captions, no captions of figures."""
    for number in CELLS:
        seed = seed.replace(printed_table(seed, number), "")
        seed = re.sub(rf"^Table {number}\. .*?(?=\n\n|\n ?\()", "", seed, flags=re.M | re.S)
    seed = re.sub(r"^.*(?:performance|response time) ?= ?[\d.]+ ?m.*$", "", seed, flags=re.M)
    return " ".join(seed.split())


def test_every_declared_cell_is_there(observations: Observations, tables: pd.DataFrame) -> None:
    assert len(observations.cells(REPORT)) == 224
    counted = tables.groupby("table").size().to_dict()
    assert counted == {f"Table {number}": count for number, count in CELLS.items()}


def test_printed_values_are_unchanged(paper: pd.DataFrame) -> None:
    columns = ["source_kind", "table", "row_label", "column_label", "value_printed"]
    text = "\n".join("|".join(row) for row in paper[columns].itertuples(index=False))
    assert hashlib.sha256(text.encode()).hexdigest() == SHA256


@pytest.mark.parametrize("number", CELLS)
def test_every_cell_agrees_with_the_source(number: int, tables: pd.DataFrame, seed: str) -> None:
    ours = tables[tables["table"] == f"Table {number}"]
    rows = [
        [label, *group["value_printed"]] for label, group in ours.groupby("row_label", sort=False)
    ]
    number_rows = re.findall(r"^[\d.,]+(?: [\d.,]+)+ *$", printed_table(seed, number), re.M)
    assert rows == [line.split() for line in number_rows]
    assert sum(len(row) - 1 for row in rows) == CELLS[number]


def test_captions_of_figures_agree_with_the_source(said: pd.DataFrame, seed: str) -> None:
    ours = said[said["table"].str.startswith("Figure ")]
    stated = Counter(
        (
            cell.product.removeprefix("IBM "),
            "time" if cell.metric == "round_trip_time" else "performance",
            cell.value_printed,
        )
        for cell in ours.itertuples()
    )
    assert stated == Counter(printed_captions(seed))


def test_running_text_agrees_with_the_source(said: pd.DataFrame, seed: str) -> None:
    prose = printed_prose(seed)
    units = {"mps": "mps", "messages per second": "mps", "msec": "msec"}
    found = Counter(
        (value, units[unit])
        for value, unit in re.findall(r"([\d.]+) (mps|messages per second|msec)\b", prose)
    )
    without_unit = Counter({("42.0", "mps"): 1, ("73.8", "mps"): 1})
    assert "42.0 (15 threads)" in prose
    assert "ranged between 73.8 and 75.4 mps" in prose
    assert prose.count("10 mps") == 2
    found[("10", "mps")] -= 1
    ours = said[~said["table"].str.startswith("Figure ") & (said["metric"] != "rate_reduction")]
    stated = Counter(
        (cell.value_printed, "msec" if cell.metric == "round_trip_time" else "mps")
        for cell in ours.itertuples()
    )
    assert stated == found + without_unit
    losses = said[said["metric"] == "rate_reduction"]["value_printed"]
    assert all(f"by {loss}" in prose or f"by as much as {loss}" in prose for loss in losses)


def test_factors_follow_the_labels(tables: pd.DataFrame) -> None:
    for cell in tables.itertuples():
        label = int(cell.row_label.replace(",", ""))
        number = int(cell.table.split()[1])
        factor = {1: "message_bytes", 4: "message_bytes", 2: "client_machines"}.get(
            number, "client_machines" if number == 5 else "preloaded_messages"
        )
        assert getattr(cell, factor) == label
        if cell.metric == "product_rate_ratio":
            assert pd.isna(cell.product)
        else:
            assert cell.product == ("IBM MQSeries" if "MQSeries" in cell.column_label else "MSMQ")
        for place in ("inside", "outside"):
            if f"{place} sp" in cell.column_label:
                assert cell.syncpoint == place
        assert (cell.statistic == "plateau") == ("Steady" in cell.column_label)


def test_a_quantity_stated_twice_is_the_same(
    observations: Observations, paper: pd.DataFrame
) -> None:
    # Text and captions name the threads and thereby the requesters of a peak, tables do not.
    set_up = [
        name
        for name in observations.dictionary.factors
        if name not in ("threads_per_client", "requesters")
    ]
    tables_only = paper[paper["source_kind"] == "table"]
    peaks = paper[paper["statistic"].isin(["peak", "plateau", "derived"])]
    preloading = paper[paper["section"].str.contains("Preloading|Summary")]
    repeated = 0
    for frame in (tables_only, peaks, preloading):
        by_statistic = frame.groupby([*set_up, "metric", "statistic"], dropna=False)
        for _, group in by_statistic:
            values = group["shown"]
            repeated += len(group) > 1
            assert values.nunique() == 1, group["observation_id"].tolist()
    assert repeated > 92


def test_throughput_is_rate_times_size(tables: pd.DataFrame) -> None:
    table = tables[tables["table_id"] == "table-04"]
    compared = 0
    for _, point in table.dropna(subset="product").groupby("point_id"):
        shown = point.set_index("metric")["shown"]
        per_message = point["message_bytes"].iloc[0] / 1000
        slack = 0.05 + 0.05 * per_message
        assert abs(shown["payload_rate"] - shown["message_rate"] * per_message) <= slack + 1e-9
        compared += 1
    assert compared == 24


@pytest.mark.parametrize("name", ["table-04", "table-06"])
def test_ratios_are_of_the_rates(name: str, tables: pd.DataFrame) -> None:
    table = tables[(tables["table_id"] == name) & (tables["metric"] != "payload_rate")]
    for _, row in table.groupby("row_label"):
        ibm, other, ratio = row["shown"]
        assert (ibm - 0.05) / (other + 0.05) - 0.05 <= ratio <= (ibm + 0.05) / (other - 0.05) + 0.05


def test_peak_and_flat_part_are_points_of_their_own(tables: pd.DataFrame) -> None:
    sweep = tables[tables["table_id"] == "table-05"]
    assert sweep.groupby("point_id")["statistic"].nunique().eq(1).all()
    assert sweep["point_id"].nunique() == 48
    by_series = sweep.pivot_table(
        index=["row_label", "product", "syncpoint"], columns="statistic", values="shown"
    )
    assert (by_series["plateau"] <= by_series["peak"]).all()


def test_round_trip_times_are_of_one_client_with_one_thread(said: pd.DataFrame) -> None:
    times = said[said["metric"] == "round_trip_time"]
    assert len(times) == 12
    assert times[["client_machines", "threads_per_client", "requesters"]].eq(1).all(axis=None)


def test_doubts_are_kept_beside_the_printed_value(paper: pd.DataFrame) -> None:
    corrected = paper[paper["status"] == "corrected"].set_index("value_printed")
    assert corrected["value_corrected"].to_dict() == CORRECTED
    suspect = paper[paper["status"] == "suspect"]
    assert suspect["value_printed"].tolist() == ["44.5", "101.9", "101.9"]
    assert paper.loc[paper["status"] != "as_printed", "note"].notna().all()
