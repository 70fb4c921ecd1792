"""A report that is added to a project is in every list, and turns no sentence false."""

from __future__ import annotations

import json
import re
import shutil

import pytest
import yaml

from roundtrip.claims import load_ledger
from roundtrip.present import Chapter, Table, appendices
from roundtrip.present.comparison import comparison
from roundtrip.project import Project
from workshop import ROOT, SECOND, V94, project_of_two

pytestmark = pytest.mark.slow

TITLE = "Acme MQ 2"
_COUNTS = re.compile(
    r"\b(two|three|four|five|six)( of)?( the)?( published)? (reports|sources)\b"
    r"|\bnone of the( published)? (reports|sources)\b|\bno (report|source) (here|measures|gives)\b"
    r"|\bthe only (report|source)\b|\b(reports|sources) (we hold|held here)\b",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = project_of_two(tmp_path_factory.mktemp("added"))
    for name in (V94, SECOND):
        source = ROOT / "data" / "published" / V94 / "claims.yml"
        claims = yaml.safe_load(source.read_text("utf-8"))
        for claim in claims["claims"]:
            claim["chapter"] = "10-peaks"
        text = yaml.safe_dump(claims, allow_unicode=True)
        (project.published / name / "claims.yml").write_text(text, encoding="utf-8")
    return project


def labels(parts: object) -> set[str]:
    return {part.label for part in parts if isinstance(part, Table) and part.label}  # type: ignore[attr-defined]


def test_what_lists_sources_takes_another_report_without_a_list(project: Project) -> None:
    chapter = Chapter(folder=project.root)
    listed = appendices.sources(chapter)[0]
    assert [row[2].text for row in listed.rows] == [SECOND, V94]
    assert appendices.sources(chapter)[1].markdown.startswith("All ")
    for parts in (appendices.published_tables(chapter), appendices.configurations(chapter)):
        headings = [part.markdown for part in parts if not isinstance(part, Table)]
        assert sum(TITLE in text for text in headings) == 1
    of_second = [label for label in labels(appendices.configurations(chapter)) if SECOND in label]
    for kind in ("hosts", "workloads", "tuning", "links"):
        assert any(kind in label for label in of_second), kind
    printed = labels(appendices.published_tables(chapter))
    first = V94.replace(".", "-")
    assert {label.replace(SECOND, "") for label in printed if SECOND in label} == {
        label.replace(first, "") for label in printed if first in label
    }


def test_claims_and_comparisons_take_it(project: Project) -> None:
    chapter = Chapter(folder=project.root)
    claims = load_ledger(chapter.observations).claims
    verdicts = {
        name: [one.verdict for one in claims if one.report == name] for name in (V94, SECOND)
    }
    assert verdicts[V94]
    assert verdicts[V94] == verdicts[SECOND]
    compared = comparison(chapter)
    assert compared is not None
    assert {source["label"] for source in compared["sources"]} == {"MQ V9.4", TITLE}
    counts = [sum(one["source"] == at for one in compared["series"]) for at in (0, 1)]
    assert counts[0] == counts[1] > 10


def test_a_report_that_goes_is_in_no_list(project: Project) -> None:
    shutil.rmtree(project.published / SECOND)
    chapter = Chapter(folder=project.root)
    listed, summed, _ = appendices.sources(chapter)
    assert [row[2].text for row in listed.rows] == [V94]
    # These sources are transcribed without what their text states: nothing is said of it.
    whole = r"All [\d,]+ numeric cells in tables are in this report's data."
    assert re.fullmatch(whole, summed.markdown)


def test_no_sentence_counts_the_reports() -> None:
    found = [
        f"{path.stem}: {hit[0]}"
        for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
        for cell in json.loads(path.read_text("utf-8"))["cells"]
        if cell["cell_type"] == "markdown"
        for hit in _COUNTS.finditer("".join(cell["source"]))
    ]
    assert found == []
    text = (ROOT / "params" / "report.yml").read_text("utf-8")
    assert not _COUNTS.search(text)
    for path in sorted((ROOT / "data" / "published").glob("*/*.yml")):
        assert "held here" not in path.read_text("utf-8"), path
