"""Logs in folders: which belong together by their names, and how much work many of them are."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ingest_bench import SAMPLES
from roundtrip.dictionary import load_dictionary
from roundtrip.ingest.joins import joined
from roundtrip.ingest.rows import Row, with_peaks
from roundtrip.ingest.session import Outcome, ingest_paths
from workshop import ROOT

DICTIONARY = load_dictionary(ROOT / "data" / "dictionary.yml")
LOAD = "[Requester1] START\n" + "rate=100.00,threads=2\n" * 4
VMSTAT = SAMPLES / "os-tools" / "vmstat_1_long_ubuntu18.txt"


def ingest(folder: Path) -> Outcome:
    return ingest_paths([folder], dictionary=DICTIONARY)


def joins(outcome: Outcome) -> set[tuple[str, str]]:
    """Give each file whose values were joined, with the file of the load."""
    rows = [row for reading in outcome.readings for row in reading.rows]
    loads = {row["point"]: row["file"] for row in rows if row["tool"] == "mq-cph"}
    added = joined(rows, lambda monitor: (np.empty(0), np.empty(0)))[len(rows) :]
    return {(row["file"], loads[row["point"]]) for row in added}


def test_a_mark_in_the_name_of_a_folder_is_not_that_of_an_archive(tmp_path):
    for name in ("a!b", "a!c"):
        (tmp_path / name).mkdir()
    (tmp_path / "a!b" / "load.log").write_text(LOAD)
    shutil.copy(VMSTAT, tmp_path / "a!c" / "vmstat.txt")
    assert joins(ingest(tmp_path)) == set()
    shutil.copy(VMSTAT, tmp_path / "a!b" / "vmstat.txt")
    assert joins(ingest(tmp_path)) == {("a!b/vmstat.txt", "a!b/load.log")}


def test_what_is_in_an_archive_lies_beside_it(tmp_path):
    (tmp_path / "a!b").mkdir()
    (tmp_path / "a!b" / "load.log").write_text(LOAD)
    with zipfile.ZipFile(tmp_path / "a!b" / "monitors.zip", "w") as archive:
        archive.write(VMSTAT, "host/vmstat.txt")
    assert joins(ingest(tmp_path)) == {("a!b/monitors.zip!host/vmstat.txt", "a!b/load.log")}


def test_patterns_match_names_with_the_mark_of_an_archive(tmp_path):
    (tmp_path / "a!b").mkdir()
    (tmp_path / "a!b" / "32.log").write_text(LOAD)
    with zipfile.ZipFile(tmp_path / "a!b" / "more.zip", "w") as archive:
        archive.writestr("64.log", LOAD)
    (tmp_path / "campaign.yml").write_text(
        "files:\n"
        '  - {pattern: "a!b/{requesters}.log"}\n'
        '  - {pattern: "a!b/more.zip!{requesters}.log"}\n'
    )
    found = {
        reading.entry.name: {row.get("requesters") for row in reading.rows}
        for reading in ingest(tmp_path).readings
    }
    assert found == {"a!b/32.log": {32}, "a!b/more.zip!64.log": {64}}


class Counted(dict[str, Any]):
    """A row that counts how often anything of it is looked at."""

    looks = 0

    def __getitem__(self, name: str) -> Any:
        Counted.looks += 1
        return super().__getitem__(name)


def looks(work: Callable[[list[Row]], list[Row]], rows: list[Row]) -> int:
    Counted.looks = 0
    work([Counted(row) for row in rows])
    return Counted.looks


def row(place: int, clients: int, **more: Any) -> Row:
    """Give a row of the rate of a load in a folder of its own."""
    known = {"file": f"{place}/a.log", "note": "", "statistic": "steady", "tool": "mq-cph",
             "metric": "round_trip_rate", "point": f"{place}-{clients}", "run": 0, "line": 1,
             "stream": "", "value": float(clients), "requesters": clients,
             "message_bytes": place}  # fmt: skip
    return known | more


def test_many_folders_and_sweeps_are_no_more_work_each_than_few():
    few, many = (
        [row(place, clients) for place in range(count) for clients in (1, 2, 4)]
        for count in (20, 200)
    )

    def peaks(rows: list[Row]) -> list[Row]:
        return with_peaks(rows, ["message_bytes", "requesters"])

    def joined_rows(rows: list[Row]) -> list[Row]:
        return joined(rows, lambda monitor: (np.empty(0), np.empty(0)))

    for work in (peaks, joined_rows):
        assert looks(work, many) < 11 * looks(work, few)
