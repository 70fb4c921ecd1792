"""Points read off printed figures: what is read, and what is refused with file and line."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from roundtrip.dictionary import load_dictionary
from roundtrip.errors import DataError
from roundtrip.observations import load_observations
from roundtrip.project import Project
from roundtrip.sources.published import read_report
from workshop import ROOT, copy_project, edit

REPORT = "mq-appliance-m2003"


@pytest.fixture(scope="module")
def drawn() -> pd.DataFrame:
    frame = load_observations(Project(ROOT)).frame
    return frame[frame["source_kind"] == "figure"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    parts = ("_quarto.yml", "data/dictionary.yml", f"data/published/{REPORT}")
    return copy_project(tmp_path, parts)


def refusal(project: Project) -> str:
    folder = project.published / REPORT
    with pytest.raises(DataError) as caught:
        read_report(folder, load_dictionary(project.dictionary), project.root)
    return str(caught.value).replace(f"{folder}/", "")


def test_every_point_is_there(drawn: pd.DataFrame) -> None:
    assert len(drawn) == 1157
    assert set(drawn["source"]) == {REPORT}
    assert drawn["table_id"].nunique() == 19
    assert drawn.drop_duplicates(["table_id", "row_label"]).shape[0] == 37


def test_a_point_is_rate_and_cpu_at_one_number_of_requesters(drawn: pd.DataFrame) -> None:
    points = drawn[drawn["table"] != "Figure 9"].groupby("point_id")
    assert (points["metric"].agg(set) == {"round_trip_rate", "cpu"}).all()
    assert (points["requesters"].nunique() == 1).all()
    assert (points["accuracy"].max() > 1).all()


def test_a_drawn_value_is_not_printed_and_says_how_exact_it_is(drawn: pd.DataFrame) -> None:
    assert drawn["value_printed"].isna().all()
    assert drawn["accuracy"].gt(0).all()
    point = drawn.set_index("observation_id").loc[f"{REPORT}/figure-12/r17c1"]
    assert (point["row_label"], point["requesters"], point["value"]) == ("M2003A HA 1ms", 1, 151)
    assert (point["accuracy"], point["ha_link_rtt_ms"], point["statistic"]) == (60, 1, "single")
    assert point["file"] == f"data/published/{REPORT}/figures/figure-12.csv"


def test_printed_cells_are_those_of_tables_alone() -> None:
    cells = load_observations(Project(ROOT)).cells(REPORT)
    assert len(cells) == 720
    assert cells["table"].str.startswith("Table ").all()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("1,M2003A,rate,20,193072", "1,M2003A,rate,20,many", "figure-01.csv:3: 'many' is not a n"),
        ("1,M2003A,rate,20,", "1,M2003,rate,20,", "figure-01.csv:3: unknown series 'M2003'"),
        ("1,M2003A,rate,20,", "1,M2003A,rat,20,", "did you mean 'rate'?"),
        ("1,M2003A,rate,20,", "2,M2003A,rate,20,", "figure '2' in the file of Figure 1"),
        ("1,M2003A,rate,20,", "1,M2003A,rate,1,", "repeats line 2"),
        ("1,M2003A,rate,20,", "1,M2003A,rate,twenty,", "which is not a whole number"),
        ("193072,round trips/s", "193072,messages/s", "has the unit 'messages/s'"),
        ("1,M2003A,rate,20,193072,round trips/s\n", "", "57 values, report.yml declares 58"),
        ("series", "curve", "figure-01.csv:1: no column 'series'"),
    ],
)
def test_a_wrong_file_is_refused(project: Project, old: str, new: str, said: str) -> None:
    edit(project.published / REPORT / "figures" / "figure-01.csv", old, new)
    assert said in refusal(project)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("repeats: figure-01/M2003A", "repeats: figure-01/M2003", "which is no curve"),
        ("file: figure-07", "file: figure-08", "two figures name the same file"),
        ("file: figure-07", "file: figure-70", "figures/figure-70.csv is named in report.yml but"),
        ("step: 189", "step: 0", "must be greater than 0"),
        ("metric: connection_time", "metric: conection_time", "did you mean 'connection_time'?"),
    ],
)
def test_a_wrong_declaration_is_refused(project: Project, old: str, new: str, said: str) -> None:
    edit(project.published / REPORT / "report.yml", old, new)
    assert said in refusal(project)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("delivery: nonpersistent, ha: none", "delivery: nonpersistant, ha: none", "did you mean"),
        ("factors: {queue_managers: 1, delivery", "factors: {workload: RR-CB, delivery",
         "unknown workload 'RR-CB'"),
        ("tables: [table-04]", "tables: [table-44]", "scenario C1 names 'table-44', no table"),
    ],
)  # fmt: skip
def test_a_wrong_scenario_is_refused(project: Project, old: str, new: str, said: str) -> None:
    edit(project.published / REPORT / "report.yml", old, new)
    assert said in refusal(project)
