"""Any part of a project is enough: what is missing is said in words, and the report is built."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from roundtrip.project import PACKAGE, Project
from workshop import (
    ROOT,
    V94,
    answer,
    copy_project,
    edit,
    peaks_chapter,
    refused,
    roundtrip,
    write_notebook,
)

SKELETONS = PACKAGE / "templates" / "skeletons" / "notebooks"
APPENDICES = sorted(path.name for path in SKELETONS.glob("[89]*.ipynb"))


def project_of(
    target: Path, appendices: list[str], chapter: Sequence[str | tuple[str, str]] = ()
) -> Project:
    """Make a project of notebooks that any project begins with, and of one chapter."""
    notebooks = target / "notebooks"
    notebooks.mkdir(parents=True)
    for name in ("00-about.ipynb", *appendices):
        text = (SKELETONS / name).read_text("utf-8")
        (notebooks / name).write_text(text.replace("@@TITLE@@", "Acme"), "utf-8")
    names = ["00-about", *(["10-peaks"] if chapter else [])]
    if chapter:
        write_notebook(Project(target), "10-peaks", *chapter)
    book = {
        "chapters": [f"notebooks/{name}.ipynb" for name in names],
        **({"appendices": [f"notebooks/{name}" for name in appendices]} if appendices else {}),
    }
    definition = {"project": {"type": "book"}, "book": book}
    (target / "_quarto.yml").write_text(yaml.safe_dump(definition), "utf-8")
    return Project(target)


def built(project: Project) -> dict[str, str]:
    """Build a project and give its pages, without places where a line may break."""
    done = roundtrip("build", "--engine", "embedded", project=project)
    assert done.returncode == 0, done.stderr
    (folder,) = project.reports.iterdir()
    assert (folder / "report.pdf").stat().st_size > 10_000
    pages = (folder / "html").glob("*.html")
    return {path.stem: re.sub("<wbr[^>]*>", "", path.read_text("utf-8")) for path in pages}


@pytest.mark.thorough
def test_a_project_without_data_says_what_is_missing(tmp_path: Path) -> None:
    pages = built(project_of(tmp_path / "p", APPENDICES))
    for page, said in {
        "index": "This edition has no published report in its data",
        "90-configurations": "The data contain neither published reports nor campaigns",
        "89-glossary": "There is no glossary yet",
        "92-claims": "The ledger has no claims",
        "93-data-dictionary": "round_trip_rate",
        "94-validation": "None failed",
        "95-source-tables": "This edition has no published report in its data",
        "96-provenance": "The project has no data",
        "98-runs": "This edition has no measured campaign",
    }.items():
        assert said in pages[page], page


@pytest.mark.thorough
def test_numbers_stay_where_their_sources_are_left_out(tmp_path: Path) -> None:
    # Its first sentence refers to the appendix of source tables; numbers and items lead there.
    project = project_of(tmp_path / "p", [], peaks_chapter()[:-1])
    edit(project.notebooks / "10-peaks.ipynb", ", drawn in @fig-rr", "")
    for name in ("data/dictionary.yml", f"data/published/{V94}"):
        copy_project(project.root, [name])
    for name in ("claims.yml", "errata.yml"):
        (project.published / V94 / name).unlink()
    page = built(project)["10-peaks"]
    assert "370,602" in page
    assert "Source tables [not in this edition]" in page
    assert "MQ V9.4, Table\u00a03" in page
    assert "#cell-" not in page
    assert f"#tbl-{V94}".replace(".", "-") not in page


@pytest.mark.thorough
def test_a_campaign_is_enough(tmp_path: Path) -> None:
    cells = [
        "# Peaks {#sec-peaks}",
        (
            "code",
            "from roundtrip.present import *\n\nchapter = Chapter()\n"
            'here = Measured(chapter, "base", delivery="nonpersistent")',
        ),
        ("code", "disclosure(here)"),
        "@fig-rates draws the rates beside @tbl-claims.\n\n@tbl-claims lists the claims.",
        (
            "code",
            '#| label: fig-rates\nmeasured_lines(here, "requesters", split="message_bytes",'
            ' title="More requesters", caption="Rates.")',
        ),
        ("code", '#| label: tbl-claims\nclaims_table(chapter, "10-peaks")'),
    ]
    project = project_of(tmp_path / "p", APPENDICES, cells)
    shutil.copytree(ROOT / "tests/data/campaigns/base-quick", project.campaigns / "base-quick")
    pages = built(project)
    assert "1 campaign was measured for this report." in pages["index"]
    assert "Measured by the campaign" in pages["10-peaks"]
    assert "<em>Table [not in this edition]</em>" in pages["10-peaks"]
    assert "lists the claims" not in pages["10-peaks"]
    assert "tbl-campaigns" in pages["90-configurations"]
    assert "tbl-base-quick-runs" in pages["98-runs"]
    assert "This edition has no published report in its data" in pages["95-source-tables"]
    assert "data/campaigns/base-quick" in pages["96-provenance"]


@pytest.mark.thorough
@pytest.mark.slow
def test_ingested_logs_are_enough(tmp_path: Path) -> None:
    project = project_of(tmp_path / "p", ["90-configurations.ipynb", "98-runs.ipynb"])
    logs = ROOT / "tests/data/ingest/fio"
    done = answer("ingest", str(logs), "--campaign", "lab", project=project)
    assert done.returncode == 0, done.stderr
    pages = built(project)
    assert "1 campaign was ingested" in pages["index"]
    assert "tbl-ingested-inputs" in pages["90-configurations"]
    assert "tbl-lab-ingested" in pages["98-runs"]


@pytest.mark.slow
def test_commands_say_that_there_is_nothing(tmp_path: Path) -> None:
    project = project_of(tmp_path / "p", [])
    assert answer("claims", project=project).stdout == "0 claims\n"
    nothing = "There is no published report to look at.\n"
    assert answer("errata", project=project).stdout == nothing
    assert answer("errata", "--proposed", project=project).stdout == nothing
    header = "report,table,row,column,value_printed,value,unit\n"
    assert answer("data", "cells", project=project).stdout == header
    refused(answer("claims", "--report", "x", project=project), "none is among the data")
    (project.drafts / "acme").mkdir(parents=True)
    (project.drafts / "acme" / "report.yml").touch()
    adopt = "acme is a draft: adopt it with 'roundtrip new report acme --draft'"
    assert adopt in answer("errata", "--proposed", project=project).stdout
    refused(answer("claims", "--report", "acme", project=project), adopt)
    refused(answer("review", "--report", "acme", project=project), adopt)
    assert answer("check", project=project).returncode == 0


@pytest.mark.parametrize("name", APPENDICES)
def test_the_edition_has_the_appendices_that_every_project_has(name: str) -> None:
    text = (ROOT / "notebooks" / name).read_text("utf-8")
    # The parameter that names an ingested campaign is the edition's own.
    for own, general in (
        ('    "campaign = \\"\\"\\n",\n', ""),
        ("your_broker(chapter, campaign)", "your_broker(chapter)"),
    ):  # fmt: skip
        text = text.replace(own, general)
    assert text == (SKELETONS / name).read_text("utf-8")
