"""From a PDF to an audit in one command: what was read, what contradicts, what is needed."""

from __future__ import annotations

import json
from pathlib import Path

import pypdf
import pytest
import yaml

from roundtrip.audit.findings import Audit, load_audit
from roundtrip.audit.project import audit_version
from roundtrip.project import Project
from roundtrip.skeletons import new_project
from test_charts import made as charts
from test_drafting import REPORT, complete, made, uncommented
from test_subsets import project_of
from workshop import answer, edit, refused, roundtrip

TEXT = """
#set page(paper: "a5", margin: 15mm)
#set text(size: 9pt, hyphenate: false)
= 1 Peak rates
Table 1 peaks at 42,100 round trips/s, nearly 41,500 with TLS. Table 2 prints 17,300 of them.
Table 7 shows the machines. Larger messages are slower.

""" + REPORT.partition("#lorem(60)")[2]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return project_of(tmp_path / "project", [])


@pytest.mark.thorough
@pytest.mark.slow
def test_one_command_makes_an_audit_of_a_draft(project: Project, tmp_path: Path) -> None:
    look = charts.LOOKS["ticks"]
    drawn = charts.chart(look, charts.made_curves(look, 3))
    captions = "Figure 1: Rate over requesters\n\nFigure 2: A picture"
    more = f"\n#pagebreak()\n#lorem(30)\n\n{drawn}\n\n{captions}\n"
    pdf = made(tmp_path, TEXT.replace("a5", "a4") + more)
    done = roundtrip("audit", str(pdf), "--id", "acme-3.1", project=project)
    assert done.returncode == 0, done.stderr
    folder = project.reports / "audit-acme-3.1"
    page = (folder / "html" / "index.html").read_text("utf-8").replace("\u00a0", " ")
    paper = " ".join("".join(
        sheet.extract_text() for sheet in pypdf.PdfReader(folder / "report.pdf").pages
    ).split())  # fmt: skip
    for part in (
        "says 42,100", "refers to Table 7, which has no caption", "columns whose metric",
        "points read: 30, from 1 of them; to be read by hand: 1",
        "330 (0.25 % of the highest)", "no curve between two axes of numbers",
    ):  # fmt: skip
        assert part in page
        assert part in paper
    assert "says 41,500" not in page, "a hedge is no finding"
    assert "<details" not in page, "whoever reads an audit has not written its code"
    found = load_audit(project.cache / "audit" / "acme-3.1")
    assert [(one.number, one.cells, one.open) for one in found.tables] == [("1", 9, 0), ("2", 7, 0)]
    assert [(one.number, one.curves, one.points) for one in found.charts] == [
        ("Figure 1", 3, 30), ("Figure 2", 0, 0),
    ]  # fmt: skip
    assert {one.what: one.count for one in found.needed}["figures to be read by hand"] == 1
    assert {one.verdict for one in found.grade} == {"not assessable"}
    words = 'data-label="{}">The output of the tools is published with the report.'
    assert words.format("What must hold") in page
    assert words.format("Why") not in page, "a rule's own words are no reason for its verdict"
    assert (found.numbers, found.checkable) == (3, 2)
    assert not found.accepted

    # What a person has begun is kept, and looked at.
    edit(project.drafts / "acme-3.1" / "table-01.csv", "41,200", "42,100")
    again = roundtrip("audit", str(pdf), "--id", "acme-3.1", project=project)
    assert again.returncode == 0, again.stderr
    assert "says 42,100" not in (folder / "html" / "index.html").read_text("utf-8")
    refused(answer("audit", str(made(tmp_path)), "--id", "acme-3.1", project=project),
            "read from another document")  # fmt: skip


@pytest.mark.thorough
@pytest.mark.slow
def test_an_accepted_report_is_audited_as_the_guide_says(tmp_path: Path) -> None:
    """From an empty folder: every command that the guides name, on real files."""
    project = new_project(tmp_path / "project", "Ours", "A. Reader")
    pdf = made(tmp_path, TEXT)
    name = ("--report", "acme-3.1")

    def said(*command: str) -> str:
        done = answer(*command, project=project)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def audited() -> tuple[Audit, str]:
        done = roundtrip("audit", str(pdf), "--id", "acme-3.1", project=project)
        assert done.returncode == 0, done.stderr
        folder = project.reports / "audit-acme-3.1"
        pypdf.PdfReader(folder / "report.pdf")
        page = (folder / "html" / "index.html").read_text("utf-8")
        return load_audit(project.cache / "audit" / "acme-3.1"), page

    said("import", str(pdf), "--id", "acme-3.1")
    complete(project.drafts / "acme-3.1")
    said("new", "report", "acme-3.1", "--draft")
    assert "all 19 checks passed" in said("check", *name)
    assert "0 claims" in said("claims", *name)
    assert "0 errata" in said("errata", *name)

    found, page = audited()
    assert found.accepted
    assert found.title == "Acme Broker 3.1"
    assert [(one.number, one.cells, one.open) for one in found.tables] == [("1", 9, 0), ("2", 7, 0)]
    assert [(one.verdict, one.title) for one in found.checks] == [
        ("pass", "The report's tables print 16 numeric cells.")
    ]
    assert [one.rule for one in found.contradictions] == [
        "Numbers of sentences are those of the cells that they speak of",
        "Tables, figures and sections that are referred to exist",
    ]
    verdicts = {one.title: one.verdict for one in found.grade}
    assert verdicts["Machine disclosed"] == "fail"
    assert 'data-label="Why">does not state' in page
    assert verdicts["No contradictions"] == verdicts["Statements hold"] == "not assessable", (
        "nobody has looked yet"
    )
    assert (found.numbers, found.checkable) == (3, 2)
    assert "columns whose metric" not in page

    # A table that a person adds, a stub made a claim, and an erratum.
    report = project.published / "acme-3.1"
    (report / "table-07.csv").write_text("row,Rate\nA,42100\nB,900\n", "utf-8")
    declared = yaml.safe_load((report / "report.yml").read_text("utf-8"))
    declared["cells"] += 2
    declared["tables"].append({
        "id": "table-07", "number": "Table 7", "section": "1", "caption": "More", "cells": 2,
        "columns": [{"header": "Rate", "metric": "round_trip_rate"}],
    })  # fmt: skip
    (report / "report.yml").write_text(yaml.safe_dump(declared), "utf-8")
    failed = answer("check", *name, project=project)
    assert (failed.returncode, "1 of 19 checks failed" in failed.stdout) == (1, True)
    edit(project.checks / "acme-3.1.json", '"value": 16', '"value": 18')
    made_claims = yaml.safe_load(uncommented((report / "claims.yml").read_text("utf-8")))["claims"]
    claim = made_claims[0] | {"says": "Table 1 peaks at 42,100.", "chapter": "92-claims"}
    claim["sql"] = claim["sql"].replace(
        "row_label = 'choose' AND column_label = 'choose'",
        "row_label = 'RR-CC (2KB)' AND metric = 'round_trip_rate'",
    )
    (report / "claims.yml").write_text(yaml.safe_dump({"claims": [claim]}), "utf-8")
    (report / "errata.yml").write_text("errata: []\n", "utf-8")
    assert "1 claim:" in said("claims", *name)
    assert claim["id"] in said("errata", *name), "a claim that the tables contradict"

    found, page = audited()
    assert [(one.number, one.cells) for one in found.tables] == [("1", 9), ("2", 7), ("7", 2)]
    assert [one.verdict for one in found.claims] == ["contradicted"]
    assert found.contradictions[0].sure == "claim"
    assert {one.title: one.verdict for one in found.grade}["No contradictions"] == "pass"
    assert (found.numbers, found.checkable) == (3, 3), "the added table prints 42,100"
    assert ("rows that no factor tells apart from another row of their table", 2) in [
        (one.what, one.count) for one in found.needed
    ]
    assert "Table\xa01 peaks at 42,100." in page


def test_what_cannot_be_read_is_refused_before_anything_is_written(
    project: Project, tmp_path: Path
) -> None:
    path = tmp_path / "acme.pdf"
    for content, part in ((b"text", "no PDF"), (b"%PDF-1.4 broken", "broken")):
        path.write_bytes(content)
        refused(answer("audit", str(path), project=project), part)
    refused(answer("audit", str(tmp_path / "none.pdf"), project=project), "no such file")
    refused(
        answer("audit", str(path), "--id", "No Id", project=project),
        "--id: 'No Id' does not name a report",
    )
    assert not project.drafts.exists()
    assert not project.reports.exists()
    (project.published / "acme").mkdir(parents=True)
    refused(answer("audit", str(path), project=project), "was not read from acme.pdf")


def test_the_folder_of_an_audit_is_a_version() -> None:
    assert audit_version("acme-3.1") == "audit-acme-3.1"
    long = [audit_version(f"{'a' * 50}-{number}") for number in range(2)]
    assert [len(one) for one in long] == [40, 40]
    assert long[0] != long[1]


def test_the_chapter_of_an_audit_has_no_output() -> None:
    from roundtrip.project import PACKAGE

    chapter = PACKAGE / "templates" / "skeletons" / "audit" / "00-audit.ipynb"
    cells = json.loads(chapter.read_text("utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells)
