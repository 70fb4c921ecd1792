"""The MQ V10 HA report: its transcription against a second parse of the source.

The source is not part of this repository. Where it is at hand (``ROUNDTRIP_SEEDS``, or
``../shared/seeds`` beside the repository), every number of its samples is compared; elsewhere the
counts and the checksum of the committed cells stand in for it.
"""

import hashlib
import re

import pandas as pd
import pytest

from conftest import Documents
from roundtrip.dictionary import load_dictionary
from roundtrip.observations import Observations
from roundtrip.sources.disclosure import PublishedReport

pytestmark = pytest.mark.slow

REPORT = "ibm-mq-v10-ha"
CELLS = {
    "sec-3.2": 62,
    "sec-4.1.2-live-host2": 33,
    "sec-4.1.2-live-host3": 33,
    "sec-5.1.2": 17,
    "sec-5.3": 5,
}
CHECKSUM = "6ae5403f9ba86ef46e945113fc7aaac6985f07bbba73afff0cae2eea7434ade7"
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
# Where each sample begins in the source, and how its lines begin.
AMQSRUA = {
    "sec-4.1.2-live-host2": "live_host2QM1",
    "sec-4.1.2-live-host3": "live_host3QM1",
    "sec-5.1.2": "beta",
}


@pytest.fixture(scope="module")
def report(observations: Observations) -> PublishedReport:
    return observations.report(REPORT)


@pytest.fixture(scope="module")
def cells(observations: Observations) -> pd.DataFrame:
    frame = observations.frame
    return frame[(frame["source"] == REPORT) & (frame["source_kind"] == "table")]


@pytest.fixture(scope="module")
def source(documents: Documents) -> str:
    return documents["002"]


def blocks(source: str) -> list[str]:
    """Split off the parts that are set as output of programs or as files."""
    return source.split("```")[1::2]


def sections(source: str) -> dict[str, str]:
    """Give the text of each numbered section, without its subsections."""
    parts = re.split(r"^#+ \**((?:\d|A\.)[\d.]*) .*$", source, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def printed(cells: pd.DataFrame, table: str) -> list[str]:
    """Give the numbers of a table in the order of its file, without their units."""
    values = cells[cells["table_id"] == table]["value_printed"]
    return [re.sub(r"[^\d.,].*$", "", value) for value in values]


def test_it_has_every_number_of_the_samples(cells: pd.DataFrame) -> None:
    assert cells["table_id"].value_counts().to_dict() == CELLS
    assert len(cells) == 150


def test_committed_cells_have_not_changed(cells: pd.DataFrame) -> None:
    columns = ["table_id", "row_label", "metric", "statistic", "value_printed"]
    text = "\n".join("|".join(row) for row in cells[columns].itertuples(index=False))
    assert hashlib.sha256(text.encode()).hexdigest() == CHECKSUM


@pytest.mark.parametrize("table", AMQSRUA)
def test_amqsrua_sample_agrees_with_the_source(
    cells: pd.DataFrame, source: str, table: str
) -> None:
    prefix = AMQSRUA[table]
    block = next(part for part in blocks(source) if f"\n{prefix} " in part)
    expected: list[str] = []
    for line in block.strip().splitlines():
        if line.startswith("Publication"):
            expected += re.findall(r"Interval:([\d.]+)", line)
        elif not line.startswith("0x"):  # a line of its own, where the output wraps
            said = line.removeprefix(prefix).split(" 0x")[0].replace("<", " ").replace(":", " ")
            expected += NUMBER.findall(said)
    assert printed(cells, table) == expected
    labels = cells[cells["table_id"] == table]["row_label"].str.split(", word").str[0]
    for label in labels.unique():
        assert re.search(rf"{re.escape(prefix)} +{re.escape(label)} |{label}:", block), label


def test_log_extents_agree_with_the_source(cells: pd.DataFrame, source: str) -> None:
    block = next(part for part in blocks(source) if "created:" in part)
    lines = [line for line in block.splitlines() if "created:" in line or "==>" in line]
    table = cells[cells["table_id"] == "sec-3.2"]
    by_row = table.groupby("row_label", sort=False)["value_printed"].agg(list)
    assert len(by_row) == len(lines) == 18
    for (label, ours), line in zip(by_row.items(), lines, strict=True):
        assert label[:6] == line[:6]
        assert ours == re.findall(r"(?<=[:S])\d{1,7}(?=\s|\.LOG|$)", line[17:]), label


def test_rdqmstatus_agrees_with_the_source(cells: pd.DataFrame, source: str) -> None:
    block = next(part for part in blocks(source) if "rdqmstatus -m" in part)
    lines = re.findall(r"^(?:CPU|Memory|Queue manager file system): .*$", block, re.MULTILINE)
    assert printed(cells, "sec-5.3") == NUMBER.findall(" ".join(lines))


def test_words_of_a_sequence_number_make_its_hexadecimal_form(
    cells: pd.DataFrame, source: str
) -> None:
    found = [int(text, 16) for text in re.findall(r">\s+0x([0-9a-f]+)$", source, re.MULTILINE)]
    words = cells[cells["metric"] == "log_sequence_word"].groupby("table_id", sort=False)["value"]
    made = [sum(int(w) << 16 * (3 - n) for n, w in enumerate(four)) for _, four in words]
    assert made == found


def test_rates_follow_from_bytes_and_interval(cells: pd.DataFrame) -> None:
    """The interval is printed as 10.000 s and was 0.2 ms longer, in every sample alike."""
    pairs = 0
    for _, sample in cells[cells["table_id"].isin(AMQSRUA)].groupby("table_id"):
        for label, group in sample.groupby("row_label"):
            rate = group[group["metric"].str.endswith("_rate")]["value"]
            if len(rate):
                amount = group[~group["metric"].str.endswith("_rate")]["value"]
                assert amount.iloc[0] / rate.iloc[0] == pytest.approx(10.0002, abs=1e-4), label
                pairs += 1
    assert pairs == 7


def test_space_in_use_is_the_same_in_bytes_and_megabytes(cells: pd.DataFrame) -> None:
    one = cells[cells["table_id"] == "sec-4.1.2-live-host2"].set_index("metric")["value"]
    assert one["log_file_system_used"] // 2**20 == one["queue_manager_file_system_used"]
    status = cells[cells["table_id"] == "sec-5.3"].set_index("metric")["value"]
    allocated = status["queue_manager_file_system_allocated"] * 1024
    share = 100 * status["queue_manager_file_system_used"] / allocated
    assert round(share) == status["file_system_used_share"]


def test_values_of_the_text_stand_in_their_sections(
    observations: Observations, source: str
) -> None:
    frame = observations.frame
    text = frame[(frame["source"] == REPORT) & (frame["source_kind"] == "text")]
    assert len(text) == 16
    parts = sections(source)
    for row in text.itertuples():
        number = re.sub(r"[^\d.,].*$", "", row.value_printed)
        assert re.search(rf"(?<![\d.]){re.escape(number)}(?![\d])", parts[row.section]), row


def test_misread_backlog_is_corrected_from_the_sample(observations: Observations) -> None:
    frame = observations.frame[observations.frame["source"] == REPORT]
    stated = frame[(frame["source_kind"] == "text") & (frame["metric"] == "backlog")].iloc[0]
    sample = frame[(frame["table_id"] == "sec-5.1.2") & (frame["metric"] == "backlog")]
    assert stated["status"] == "corrected"
    assert stated["value_corrected"] == sample.set_index("statistic")["value"]["single"]


def test_every_figure_has_an_entry(report: PublishedReport, source: str) -> None:
    captions = re.findall(r"^\W*FIGURE (\d+)\b", source, re.MULTILINE)
    assert len(captions) == 31
    assert {f"Figure {n}" for n in captions} <= {figure.number for figure in report.figures}


def test_figures_without_data_say_so(report: PublishedReport) -> None:
    assert len(report.figures) == 31 + 4
    assert all(figure.data.startswith(("not available", "none")) for figure in report.figures)


def test_every_scenario_is_listed(report: PublishedReport, source: str) -> None:
    ours = {(scenario.section, scenario.name) for scenario in report.scenarios}
    found = 0
    for section, text in sections(source).items():
        table = text.partition("Scenario")[2]
        for name in re.findall(r"^(?:<b>)?([^\t\n<]+)(?:</b>)?\t(?:Three|Single|2 x)", table, re.M):
            assert (section, name) in ours, (section, name)
            found += 1
    assert found == 29


def test_settings_agree_with_the_source(report: PublishedReport, source: str) -> None:
    ours = {(item.name, item.value) for item in report.tuning}
    stated = set()
    for block in blocks(sections(source)["A.8.1"]) + blocks(sections(source)["A.8.2"]):
        stated |= set(re.findall(r"^([\w.-]+) ?= ?([\w ]*\w)", block, re.MULTILINE))
        stated |= {
            (" ".join(words[:3]), words[3])
            for line in block.splitlines()
            if len(words := line.split()) == 4 and words[0] == "@mqm"
        }
    assert len(stated) == 18 + 4 + 3 + 5 + 3
    assert stated <= ours


def test_scenarios_use_known_factors_and_host_sets(
    observations: Observations, report: PublishedReport
) -> None:
    dictionary = load_dictionary(observations.project.dictionary)
    for scenario in report.scenarios:
        for name, value in scenario.factors.items():
            dictionary.factor_value(name, value, scenario.name)
        assert scenario.factors["host_set"] in report.host_sets
        assert scenario.factors["workload"] in report.workloads
