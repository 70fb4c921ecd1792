"""Where observations are read from, and what becomes of the points of an ingested campaign."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from conftest import Report
from roundtrip.dictionary import Dictionary, load_dictionary
from roundtrip.errors import DataError
from roundtrip.files import sha256_of_file
from roundtrip.ingest.manifest import load_inputs
from roundtrip.ingest.store import Store
from roundtrip.project import Project
from roundtrip.sources.ingested import ingested_folders, read_ingested, read_series
from roundtrip.sources.measured import campaign_folders
from workshop import ROOT, answer, refused, small_project, unprivileged

HEADER = "point,file,line,quantity,metric,statistic,value,low,high,status,note,requesters"
ROWS = """\
p1,a.log,1,rate,round_trip_rate,mean,1234.5,1200.44,1300,as_printed,,8
p1,a.log,2,cpu,cpu,mean,50,,,as_printed,of 4 processors,8
p1,a.log,3,cpu,cpu,mean,60,,,suspect,of another monitor,8
p1,a.log,4,cpu,cpu,mean,70,60,80,corrected,of a third,8
p2,a.log,5,cpu,cpu,mean,40,,9,as_printed,,
p2,a.log,6,unknown,,mean,3,,,as_printed,,
p2,a.log,7,rate,round_trip_rate,mean,-5,,,as_printed,,
"""


@pytest.fixture(scope="module")
def dictionary() -> Dictionary:
    return load_dictionary(Project(ROOT).dictionary)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "acme"
    folder.mkdir()
    (folder / "ingested.csv").write_text(f"{HEADER}\n{ROWS}", encoding="utf-8")
    write_manifest(folder)
    return folder


def write_manifest(folder: Path, *entries: Any) -> None:
    points = sha256_of_file(folder / "ingested.csv")
    written = {"kind": "ingested", "id": "acme", "inputs": [*entries], "points_sha256": points}
    (folder / "manifest.yml").write_text(yaml.safe_dump(written, sort_keys=False), encoding="utf-8")


def test_points_become_observations(folder: Path, dictionary: Dictionary) -> None:
    rows = list(read_ingested(folder, dictionary, folder.parent))
    read = [
        (row["observation_id"], row["value"], row["line"], row.get("requesters"), row["note"])
        for row in rows
    ]
    within = " 95 % interval within the run: {}."
    assert read == [  # an unknown quantity and an impossible rate are none
        ("acme/ingested/p1.round_trip_rate-mean", 1234.5, 2, 8, within.format("1,200 to 1,300")),
        ("acme/ingested/p1.cpu-mean", 50, 3, 8, "of 4 processors."),
        ("acme/ingested/p1.cpu-mean-2", 60, 4, 8, "of another monitor."),
        ("acme/ingested/p1.cpu-mean-3", 70, 5, 8, f"of a third.{within.format('60 to 80')}"),
        ("acme/ingested/p2.cpu-mean", 40, 6, None, None),
    ]
    assert [row["value_corrected"] for row in rows] == [None, None, None, 70, None]
    assert {row["file"] for row in rows} == {"acme/ingested.csv"}


@pytest.mark.parametrize(
    ("old", "new", "where", "problem"),
    [
        ("quantity,", "", "", "lacks the column quantity"),
        ("statistic,value", "statistics,values", "", "lacks the column statistic"),
        ("mean,1234.5", "means,1234.5", ":2", "unknown statistic 'means'"),
        ("as_printed,,8", "printed,,8", ":2", "unknown status 'printed'"),
        ("1234.5", "12x", ":2", "'12x' is not a number"),
        ("1300", "inf", ":2", "'inf' is not a finite number"),
        ("of a third", "x" * 140_000, ":5", "field larger than field limit"),
        ("of a third,8", "of a third", ":5", "11 values under 12 headers"),
        ("of a third", "of a \0 third", ":5", "hidden character U+0000"),
    ],
)
def test_what_cannot_be_read_is_named(
    folder: Path, dictionary: Dictionary, old: str, new: str, where: str, problem: str
) -> None:
    path = folder / "ingested.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    write_manifest(folder)
    with pytest.raises(DataError) as caught:
        list(read_ingested(folder, dictionary, folder.parent))
    assert str(caught.value.where) == f"{path}{where}"
    assert problem in caught.value.what


ENTRY = {
    "name": "a.log", "sha256": "0" * 64, "bytes": 9, "tool": "vmstat", "dialects": [], "lines": 3,
    "used": 2, "ignored": 1, "rejected": 0, "intervals": 2,
    "series": [f"series/{'0' * 16}-interval.parquet"], "streams": ["machine"],
    "raw": f"raw/{'0' * 16}.zst",
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "line", "problem"),
    [
        ({"lines": "many"}, 9, "inputs.0.lines: must be a whole number"),
        ({"lines": None}, 9, "inputs.0.lines: must be a whole number"),
        ({"lines": -1}, 9, "inputs.0.lines: must be greater than or equal to 0 (it is -1)"),
        ({"tool": ["vmstat"]}, 7, "inputs.0.tool: must be text"),
        ({"streams": "machine"}, 16, "inputs.0.streams: must be a list"),
        ({"series": 3}, 14, "inputs.0.series: must be a list"),
        ({"series": ["../../../etc/passwd"]}, 15, "inputs.0.series.0: must be a file such as"),
        ({"raw": "raw/../../x.zst"}, 18, "inputs.0.raw: must be a file such as"),
        ({"line": 3}, 19, "inputs.0.line: unknown key 'line' (did you mean 'lines'?)"),
        ("a.log", 4, "inputs.0: must be a mapping"),
        (None, 4, "inputs.0: must be a mapping"),
    ],
)
def test_an_entry_of_an_input_that_is_damaged_is_named(
    folder: Path, dictionary: Dictionary, change: Any, line: int, problem: str
) -> None:
    write_manifest(folder, ENTRY | change if isinstance(change, dict) else change)
    for read in (
        lambda: list(read_ingested(folder, dictionary, folder.parent)),
        lambda: read_series(folder, "vmstat", "interval"),
        lambda: Store.opened(folder, dictionary),
    ):
        with pytest.raises(DataError) as caught:
            read()
        assert (caught.value.where, "ingest the logs again" in str(caught.value)) == (
            f"{folder / 'manifest.yml'}:{line}", True,
        )  # fmt: skip
        assert problem in caught.value.what


def test_a_manifest_of_before_is_read_without_its_clocks_and_refused_without_a_hash(
    folder: Path, dictionary: Dictionary
) -> None:
    write_manifest(folder, ENTRY | {"clock": "wall"})
    (entry,) = load_inputs(folder)
    assert "clock" not in entry.model_dump(exclude_unset=True)
    assert list(read_ingested(folder, dictionary, folder.parent))
    (folder / "manifest.yml").write_text("kind: ingested\nid: acme\ninputs: []\n")
    with pytest.raises(DataError, match="points_sha256: is missing") as caught:
        list(read_ingested(folder, dictionary, folder.parent))
    assert "ingest the logs again" in str(caught.value.remedy)


@pytest.mark.parametrize("lacking", ["name", "tool", "lines", "sha256"])
def test_an_entry_that_lacks_a_key_is_refused(
    folder: Path, dictionary: Dictionary, lacking: str
) -> None:
    write_manifest(folder, {key: value for key, value in ENTRY.items() if key != lacking})
    with pytest.raises(DataError, match=rf"inputs\.0\.{lacking}: is missing"):
        list(read_ingested(folder, dictionary, folder.parent))


def test_intervals_that_are_damaged_are_refused_by_file(folder: Path) -> None:
    write_manifest(folder, ENTRY)
    path = folder / ENTRY["series"][0]
    path.parent.mkdir()

    def refusal() -> str:
        with pytest.raises(DataError, match="cannot be read") as caught:
            read_series(folder, "vmstat", "interval")
        assert caught.value.where == str(path)
        return str(caught.value)

    refusal()  # it is not there
    path.write_bytes(b"no Parquet")
    refusal()
    pq.write_table(pa.table({"stream": [0, 1], "us": [1.0, 2.0]}), path)
    assert "streams that the manifest does not name" in refusal()
    pq.write_table(pa.table({"stream": [0, 0], "us": [1.0, 2.0]}), path)
    assert list(read_series(folder, "vmstat", "interval")["stream"]) == ["machine", "machine"]


def test_unfinished_and_hidden_campaigns_are_none(tmp_path: Path) -> None:
    assert ingested_folders(tmp_path / "none") == campaign_folders(tmp_path / "none") == []
    files = {"a/manifest.yml": "", "a/ingested.csv": "", ".b/ingested.csv": "", ".gitkeep": "",
             "c/manifest.yml": "state: running", "d/manifest.yml": "", "d/points.csv": "",
             ".e/manifest.yml": "", ".e/points.csv": "", "notes.txt": ""}  # fmt: skip
    for file, text in files.items():
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert ingested_folders(tmp_path) == [tmp_path / "a"]
    assert campaign_folders(tmp_path) == [tmp_path / "d"]


@pytest.mark.parametrize(
    ("files", "problem", "remedy"),
    [
        ({}, "has no manifest.yml", "move the folder away"),
        ({"points.csv": "run"}, "has no manifest.yml", "put the file back"),
        ({"ingested.csv": HEADER}, "has no manifest.yml", "put the file back"),
        ({"manifest.yml/x": ""}, "has no manifest.yml", "put the file back"),
        ({"manifest.yml": "state: complete"}, "neither points.csv nor", "put the file back"),
        ({"manifest.yml": "kind: ingested"}, "neither points.csv nor", "put the file back"),
        ({"manifest.yml": "a: [1"}, "not valid YAML", "put the file back"),
        ({"manifest.yml": ""}, "is no manifest", "put the file back"),
        ({"manifest.yml": "a: [1", "points.csv": "run"}, "not valid YAML", "correct it there"),
        ({"manifest.yml": "a: [1", "ingested.csv": HEADER}, "not valid YAML", "put the file back"),
        (
            {"manifest.yml": "id: x", "ingested.csv": HEADER},
            "inputs: is missing",
            "ingest the logs",
        ),
    ],
)
def test_a_folder_that_is_no_campaign_is_named_with_the_remedy(
    small_copy: Project, files: dict[str, str], problem: str, remedy: str
) -> None:
    folder = small_copy.campaigns / "lab"
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    for command in (["check"], ["review"]):
        refused(answer(*command, project=small_copy), "data/campaigns/lab", problem, remedy)


def test_a_project_that_may_only_be_read_is_read_and_a_closed_folder_is_named(
    small: Report,
) -> None:
    shown = answer("data", "cells", project=small.project)
    with tempfile.TemporaryDirectory(dir="/tmp") as place:  # where another user may look
        Path(place).chmod(0o755)
        project = small_project(Path(place) / "project")
        project.root.chmod(0o555)
        with unprivileged():
            done = answer("data", "cells", project=project)
        assert (done.returncode, done.stdout) == (0, shown.stdout), done.stderr
        assert not project.cache.exists()
        project.root.chmod(0o755)
        folder = project.campaigns / "lab"
        folder.mkdir(parents=True)
        for mode in (0o000, 0o444):
            folder.chmod(mode)
            with unprivileged():
                done = answer("data", "cells", project=project)
            refused(done, "data/campaigns/lab", "cannot be read: Permission denied", "permissions")


def test_a_folder_that_is_no_report_is_named_with_the_remedy(
    small_copy: Project, tmp_path: Path
) -> None:
    (small_copy.published / "acme").mkdir()
    said = refused(answer("check", project=small_copy), "data/published/acme: has no report.yml")
    assert "move the folder away" in said
    (small_copy.published / "acme").rmdir()
    (small_copy.published / "acme").symlink_to(tmp_path / "gone")
    refused(answer("check", project=small_copy), "data/published/acme: is a link to nothing")
