"""PDF/UA-1: what veraPDF, a program of others, finds in the volumes that Typst says keep it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import typst

from conftest import Report, made_once
from workshop import ROOT

SOURCES = ROOT / "tests" / "pdfua"
BUILT = ROOT / ".cache" / "pdfua"


@pytest.fixture(scope="session")
def verapdf(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where the validator is, as Java wants it; made by Maven once for this checkout."""

    def make(_: Path) -> None:
        program = BUILT / "classes" / "PdfUa.class"
        newest = max(path.stat().st_mtime for path in SOURCES.rglob("*") if path.is_file())
        if not program.is_file() or program.stat().st_mtime < newest:
            command = ["mvn", "-q", "-B", "-f", str(SOURCES / "pom.xml"), "compile"]
            subprocess.run(command, check=True)

    made_once(tmp_path_factory, "pdfua", make)
    return os.pathsep.join([str(BUILT / "classes"), str(BUILT / "lib" / "*")])


def found(verapdf: str, *files: Path) -> list[str]:
    """Give what the validator says of some files, one line for each or for each failure."""
    command = ["java", "-cp", verapdf, "PdfUa", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def assert_passed(verapdf: str, report: Report) -> None:
    volumes = sorted(report.folder.glob("*.pdf"))
    said = found(verapdf, *volumes)
    assert [line for line in said if not re.search(r": passed \d{4,}$", line)] == []
    assert len(said) == len(volumes) > 0


def test_each_rule_that_a_file_breaks_is_named(verapdf: str, tmp_path: Path) -> None:
    (tmp_path / "plain.typ").write_text("= A heading", "utf-8")
    plain = tmp_path / "plain.pdf"
    typst.compile(str(tmp_path / "plain.typ"), output=str(plain))
    said = found(verapdf, plain)
    assert {line[:23] for line in said} >= {"plain.pdf: failed 5: Th", "plain.pdf: failed 7.1: "}
    assert not any("passed" in line for line in said)


@pytest.mark.thorough
def test_a_small_report_passes(verapdf: str, small: Report) -> None:
    assert_passed(verapdf, small)


@pytest.mark.thorough
def test_both_volumes_of_the_edition_pass(verapdf: str, report: Report) -> None:
    assert_passed(verapdf, report)
