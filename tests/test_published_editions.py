"""Two published reports compared: tables found again, cells changed, sentences that stayed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from roundtrip.drafting.contents import Contents, Draft
from roundtrip.drafting.sentences import Sentence
from roundtrip.project import Project
from workshop import ROOT, SECOND, V94, answer, change_yaml, edit, project_of_two, refused

CLAIM = {
    "section": "3", "kind": "value", "chapter": "10-peaks",
    "sql": "SELECT value, [observation_id] AS cells FROM o WHERE table_id = 'table-03' "
           "AND message_bytes = 2048 AND metric = 'round_trip_rate'",
}  # fmt: skip
TEXT = """row,section,metric,statistic,value,message_bytes
"The peak, in the summary",1,round_trip_rate,peak,"370,602",2048
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Two editions: the second has another peak, one row less, a table under another number."""
    project = project_of_two(tmp_path_factory.mktemp("editions"))
    for name in (V94, SECOND):
        folder = project.published / name
        claims = [
            {**CLAIM, "id": "peak", "says": "The peak is 370,602.", "expect": {"is": 370602}},
            {**CLAIM, "id": "many", "says": "It does more than 300,000.",
             "expect": {"at_least": 300000}},
        ]  # fmt: skip
        (folder / "claims.yml").write_text(yaml.safe_dump({"claims": claims}), "utf-8")
        (folder / "text.csv").write_text(TEXT, "utf-8")
        change_yaml(folder / "report.yml", {"text": {"values": 1}})
    second = project.published / SECOND
    for table in ("table-03", "table-06"):
        edit(second / f"{table}.csv", "370,602", "379,602")
    edit(second / "table-03.csv", 'RR-CC (2MB Non-persistent),2097152,"2,613",32.61,40\n', "")
    report: dict[str, Any] = yaml.safe_load((second / "report.yml").read_text("utf-8"))
    report["cells"] -= 3
    for table in report["tables"]:
        if table["id"] == "table-03":
            table |= {"number": "Table 33", "cells": table["cells"] - 3}
    report["scenarios"] = []
    (second / "report.yml").write_text(yaml.safe_dump(report), "utf-8")
    return project


def test_cells_rows_and_sentences_of_two_editions(project: Project) -> None:
    done = answer("diff", V94, SECOND, "--format", "json", project=project)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    stale = {one["where"]: (one["old"], one["new"]) for one in found if one["kind"] == "stale"}
    assert stale["claim peak, sec 3"][0] == "The peak is 370,602. (holds)"
    assert "the same words (contradicted)" in stale["claim peak, sec 3"][1]
    (text,) = (words for where, words in stale.items() if "The peak, in the summary" in where)
    assert text[0].startswith("370,602")
    assert "379,602" in text[1]
    assert len(stale) == 2
    (kept,) = (one for one in found if one["kind"] == "sentence")
    assert (kept["where"], "(holds)" in kept["new"]) == ("claim many, sec 3", True)
    numbers = [one for one in found if one["kind"] == "number"]
    assert {one["where"].split(":")[0] for one in numbers} == {"Table 3 / Table 33", "Table 6"}
    for one in numbers:
        assert (one["old"].split()[0], one["new"].split()[0]) == ("370,602", "379,602")
        assert one["relative"] == pytest.approx(9000 / 370602)
    rows = [(one["where"], one["old"]) for one in found if one["kind"] == "table"]
    assert rows == [("Table 3 / Table 33: row RR-CC (2MB Non-persistent)", "present")]
    assert len(found) == len(numbers) + 4


def test_a_version_is_taken_out_of_labels_as_a_word_only(tmp_path: Path) -> None:
    """Of version 3 or 2, 32 KB are still 32 KB, and V3 and V2 name the same row."""
    project = project_of_two(tmp_path)
    for name, version in ((V94, "3"), (SECOND, "2")):
        folder = project.published / name
        change_yaml(folder / "report.yml", {"product_version": version})
        text = (folder / "table-03.csv").read_text("utf-8")
        for size, label in (("2K", "32KB"), ("20K", f"V{version} 3.2KB")):
            before = f"RR-CC ({size} Non-persistent)"
            assert before in text, text
            text = text.replace(before, f"RR-CC ({label})")
        (folder / "table-03.csv").write_text(text, "utf-8")
    done = answer("diff", V94, SECOND, "--format", "json", project=project)
    assert done.returncode == 0, done.stderr
    assert [one["where"] for one in json.loads(done.stdout) if one["kind"] == "table"] == []


def test_sentences_of_two_documents_without_claims_are_laid_beside_each_other(
    project: Project,
) -> None:
    said = "The test peaks at 370,602 round trips/s."
    texts = {V94: [said, "It takes 370,602 of them."], SECOND: [said, "It takes 379,602 of them."]}
    for name, sentences in texts.items():
        reading = project.drafts / name / "reading"
        reading.mkdir(parents=True)
        read = Contents(
            {}, (), (), tuple(Sentence(7, "3.1 Peaks", one) for one in sentences), (), ()
        )
        (reading / "drafted.json").write_text(Draft("acme.pdf", "", read, {}).to_json(), "utf-8")
    found = json.loads(answer("diff", V94, SECOND, "--format", "json", project=project).stdout)
    shutil.rmtree(project.drafts)
    (stale,) = (one for one in found if one["where"].startswith("page 7"))
    assert (stale["kind"], stale["where"]) == ("stale", "page 7, sec 3.1: 370,602")
    assert "370,602 round trips/s." in stale["old"]
    assert "is now 379,602" in stale["new"]


def test_every_format_shows_them_and_nothing_changed_is_said(project: Project) -> None:
    page = answer("diff", V94, SECOND, "--format", "html", project=project).stdout
    assert "<td>stale</td>" in page
    assert "stale" in answer("diff", V94, SECOND, project=project).stdout
    assert "nothing changed" in answer("diff", V94, V94, project=project).stdout


def test_what_is_no_pair_of_reports_is_refused(project: Project) -> None:
    refused(answer("diff", V94, "acme-mq", project=project), f"did you mean '{SECOND}'")
    refused(answer("diff", "acme-mq", "x", project=project), "two published reports", SECOND)
    one = answer("diff", V94, str(ROOT / "docs"), project=project)
    refused(one, "nor a commit of the project", "two editions, or two published reports")
