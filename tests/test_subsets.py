"""Any part of a project is enough: what is missing is said in words, and the report is built."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from roundtrip.project import PACKAGE, Project
from workshop import ROOT, roundtrip

SKELETONS = PACKAGE / "templates" / "skeletons" / "notebooks"
APPENDICES = sorted(path.name for path in SKELETONS.glob("9*.ipynb"))


def project_of(target: Path, appendices: list[str], **parts: str) -> Project:
    """Make a project of the notebooks that any project begins with, and of nothing else."""
    notebooks = target / "notebooks"
    notebooks.mkdir(parents=True)
    for name in ("00-about.ipynb", *appendices):
        text = (SKELETONS / name).read_text("utf-8")
        (notebooks / name).write_text(text.replace("@@TITLE@@", "Acme"), "utf-8")
    book = {
        "chapters": ["notebooks/00-about.ipynb"],
        **({"appendices": [f"notebooks/{name}" for name in appendices]} if appendices else {}),
    }
    definition = {"project": {"type": "book"}, "book": book}
    (target / "_quarto.yml").write_text(yaml.safe_dump(definition), "utf-8")
    for name, origin in parts.items():
        shutil.copytree(ROOT / origin, target / name.replace("__", "/"))
    return Project(target)


def built(project: Project) -> dict[str, str]:
    """Build a project and give its pages."""
    done = roundtrip("build", "--engine", "embedded", project=project)
    assert done.returncode == 0, done.stderr
    (folder,) = project.reports.iterdir()
    assert (folder / "report.pdf").stat().st_size > 10_000
    return {path.stem: path.read_text("utf-8") for path in (folder / "html").glob("*.html")}


@pytest.mark.slow
def test_a_project_without_data_says_what_is_missing(tmp_path: Path) -> None:
    pages = built(project_of(tmp_path / "p", APPENDICES))
    for page, said in {
        "index": "No published report is among the data",
        "90-configurations": "Neither published reports nor campaigns are among the data",
        "91-glossary": "No word is explained yet",
        "92-claims": "No claim is in the ledger",
        "93-data-dictionary": "round_trip_rate",
        "94-validation": "None failed",
        "95-source-tables": "No campaign is among the data",
        "96-provenance": "The project holds no data",
    }.items():
        assert said in pages[page], page


@pytest.mark.parametrize("name", APPENDICES)
def test_the_edition_has_the_appendices_that_every_project_has(name: str) -> None:
    assert (ROOT / "notebooks" / name).read_bytes() == (SKELETONS / name).read_bytes()
