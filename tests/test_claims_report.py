"""The ledger in a built report: its rows, where they lead, and how a reader filters them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from claim_project import CELL, claim, constant, listed, one_report, write_claims
from claim_project import CHAPTER as CLAIMED
from conftest import Report, build, made_once
from roundtrip.claims import load_ledger, load_words
from roundtrip.claims.expected import case_text
from roundtrip.claims.verdicts import Verdict, judge
from roundtrip.observations import load_observations
from roundtrip.present import Chapter, Text, claims_table
from roundtrip.present.claims import claim_counts, claim_tables
from roundtrip.present.errata import errata_tables
from roundtrip.present.tables import Table
from roundtrip.project import Project
from workshop import (
    PATIENCE_MS,
    ROOT,
    V94,
    edit,
    peaks_chapter,
    refused,
    roundtrip,
    share_cache,
    small_project,
    write_notebook,
)

pytestmark = [pytest.mark.slow, pytest.mark.thorough]
CHAPTER = "10-peaks"
LEDGER = "92-claims"


def project_with_claims(target: Path) -> Project:
    """Make a small report whose one chapter shows claims, with the ledger as an appendix."""
    project = small_project(target)
    shutil.copy(ROOT / "notebooks" / f"{LEDGER}.ipynb", project.notebooks)
    definition = yaml.safe_load(project.book.read_text(encoding="utf-8"))
    definition["book"]["appendices"].insert(0, f"notebooks/{LEDGER}.ipynb")
    project.book.write_text(yaml.safe_dump(definition), encoding="utf-8")
    cells = peaks_chapter()
    cells[1] = (
        "parameters",
        'rate_unit = "round trips/s"\nword_limits = {}\nnumber_format = "1,234.5"',
    )
    kind, opening = cells[2]
    cells[2] = kind, opening.replace("=number_format)", "=number_format, word_limits=word_limits)")
    cells += [
        f"## What the sources claim {{#sec-claims-{CHAPTER}}}",
        ("code", f'#| label: tbl-claims-in-peaks\nclaims_table(chapter, "{CHAPTER}")'),
    ]
    write_notebook(project, CHAPTER, *cells)
    many = f"SELECT 5 AS value, list(observation_id) AS cells FROM o WHERE source = '{V94}'"
    write_claims(
        project,
        constant(4, id="far", chapter=CHAPTER, printed="similar", expect={"word": "similar"}),
        constant(
            7, id="plain", section="4", chapter=CHAPTER, says="<b>& it is</b>", expect={"is": 7}
        ),
        listed({"x": 1, "y": -1}, id="partly", chapter=CHAPTER, expect={"above": 0}),
        claim(id="elsewhere", chapter="00-front", expect={"is": 5}, sql=many),
    )
    erratum = {
        "id": "twice", "kind": "caption", "says": "This and that.", "evidence": "The title.",
        "places": [{"section": "5.2"}], "cells": [CELL], "in_numbers": False, "claims": ["far"],
    }  # fmt: skip
    (project.published / V94 / "errata.yml").write_text(
        yaml.safe_dump({"errata": [erratum]}), encoding="utf-8"
    )
    return project


@pytest.fixture(scope="module")
def built(small: Report, tmp_path_factory: pytest.TempPathFactory) -> Report:
    def make(folder: Path) -> None:
        project = project_with_claims(folder)
        share_cache(small.project, project)
        build(project)

    project = Project(made_once(tmp_path_factory, "claims", make))
    return Report(project, next(project.reports.iterdir()))


def page_of(report: Report, name: str) -> str:
    return (report.html / f"{name}.html").read_text(encoding="utf-8")


def test_every_claim_has_a_row_that_leads_to_cells_chapter_and_erratum(built: Report) -> None:
    ledger = page_of(built, LEDGER)
    for name in ("far", "plain", "partly", "elsewhere"):
        assert ledger.count(f'id="claim-{V94}-{name}"') == 1
    row = ledger[ledger.index(f'id="claim-{V94}-far"') :].partition("</tr>")[0]
    assert f'href="95-source-tables.html#cell-{CELL.replace("/", "-")}"' in row
    above = ledger[: ledger.index(f'id="claim-{V94}-far"')].rpartition("<figure")[0]
    assert f'href="{CHAPTER}.html#sec-claims-{CHAPTER}"' in above
    assert "→" not in row
    assert f'href="#erratum-{V94}-twice"' in row
    assert "×\u00a0contradicted" in row
    assert 'class="left tone-bad"' in row
    erratum = ledger[ledger.index(f'id="erratum-{V94}-twice"') :].partition("</tr>")[0]
    assert f'href="#claim-{V94}-far">Statement in section 3.1</a>' in erratum
    # Many cells are named by their tables.
    many = ledger[ledger.index(f'id="claim-{V94}-elsewhere"') :].partition("</tr>")[0]
    assert re.search(r">Table 3 \(\d+\)</a>", many)
    assert CHAPTER not in many
    assert "&lt;b&gt;&amp; it is&lt;/b&gt;" in ledger


def test_a_chapter_shows_the_claims_that_do_not_simply_hold_the_contradicted_ones_first(
    built: Report,
) -> None:
    chapter = page_of(built, CHAPTER)
    table = chapter[chapter.index('id="tbl-claims-in-peaks"') :]
    links = re.findall(r'href="92-claims\.html#claim-[^"]+-(\w+)">', table)
    assert links == ["far", "partly"]
    assert "1 is contradicted and 1 holds in part" in table
    assert "In addition, 1 holds." in table


def test_every_link_within_the_report_leads_somewhere(built: Report) -> None:
    pages = {path.name: path.read_text(encoding="utf-8") for path in built.pages}
    ids = {name: set(re.findall(r'\bid="([^"]+)"', text)) for name, text in pages.items()}
    for name in (f"{LEDGER}.html", f"{CHAPTER}.html"):
        for link in re.findall(r'href="([^"]*#[^"]+)"', pages[name]):
            page, _, anchor = link.partition("#")
            if page.endswith(".pdf"):
                assert (built.html / page).is_file()
            else:
                assert anchor in ids[page or name], link


def test_the_ledger_leads_to_chapters_of_the_book_alone(tmp_path: Path) -> None:
    project = project_with_claims(tmp_path)

    def above() -> list[str]:
        return [
            part.markdown
            for part in claim_tables(Chapter(V94, folder=project.root))
            if isinstance(part, Text)
        ]

    (told,) = above()
    assert told.startswith("Most statements are taken up without an arrow, those of ")
    assert told.endswith(f" in @sec-claims-{CHAPTER}.")
    edit(project.book, f"  - notebooks/{CHAPTER}.ipynb\n", "")
    assert above() == []


def test_the_edition_decides_what_words_mean(built: Report, tmp_path: Path) -> None:
    chapter = Chapter(V94, folder=built.project.root)
    usual = claims_table(chapter, CHAPTER)
    limits = {"similar": (-5, 5)}
    other = claims_table(Chapter(V94, folder=chapter.project.root, word_limits=limits), CHAPTER)
    assert not isinstance(usual, Text)
    assert not isinstance(other, Text)
    assert "1 is contradicted" in usual.caption
    assert "contradicted" not in other.caption
    refused(
        roundtrip(
            "build", "--overwrite", "-p", "word_limits", "{similr: [-5, 5]}", project=built.project
        ),
        "word_limits: unknown vague word 'similr' (did you mean 'similar'?)",
    )


def test_a_malformed_claim_stops_the_build(built: Report, tmp_path: Path) -> None:
    project = Project(shutil.copytree(built.project.root, tmp_path / "project"))
    write_claims(project, claim(sql="SELECT 1", chapter=CHAPTER))
    refused(roundtrip("build", "--overwrite", project=project), "claims.yml:7: claim 'a-claim': ")


def test_without_claims_a_chapter_says_so(tmp_path: Path) -> None:
    project = small_project(tmp_path)
    chapter = Chapter(V94, folder=project.root)
    assert isinstance(claims_table(chapter, CHAPTER), Text)
    assert claim_tables(chapter) == errata_tables(chapter) == []
    assert all(cell.text == "0" for cell in claim_counts(chapter).rows[-1][1:])


def test_the_site_filters_by_verdict_and_words_and_reveals_links(
    built: Report, chromium: Any
) -> None:
    page = chromium.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto((built.html / f"{LEDGER}.html").as_uri())
    bar = page.get_by_role("search", name="Filter the statements")
    rows = page.locator("#tbl-claims-ibm-mq-v9-4-linux tbody tr:not(.group):visible")
    assert rows.count() == 4
    groups = page.locator("#tbl-claims-ibm-mq-v9-4-linux tr.group:visible")
    every = groups.count()
    bar.get_by_label("Verdict").select_option("× contradicted")
    assert rows.count() == groups.count() == 1 < every
    assert bar.get_by_role("status").inner_text() == "1 of 4 statements"
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert bar.get_by_label("Verdict").input_value() == "×\u00a0contradicted"
    assert rows.count() == 1
    page.goto(address.replace("contradicted", "unheard-of"))
    assert rows.count() == 4
    page.goto(address)
    bar.get_by_label("Words").fill("no such word")
    assert rows.count() == 0
    assert not page.locator("#tbl-claims-ibm-mq-v9-4-linux").is_visible()
    page.evaluate(f"location.hash = 'claim-{V94}-plain'")
    page.wait_for_function(
        "() => document.querySelector('[role=search][aria-label*=statements] input').value === ''"
    )
    assert rows.count() == 4
    page.close()


def test_without_scripts_every_row_is_in_sight(built: Report, chromium: Any) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((built.html / f"{LEDGER}.html").as_uri())
    assert page.locator("#tbl-claims-ibm-mq-v9-4-linux tbody tr:not(.group):visible").count() == 4
    assert page.locator(".table-filter").count() == 0
    context.close()


def test_the_claims_of_this_report_are_all_well_formed() -> None:
    """The real ledger: every claim has a verdict, and every verdict its cells or its reason."""
    ledger = load_ledger(load_observations(Project(ROOT)))
    for row in ledger.claims:
        assert bool(row.cells) == (row.verdict.value != "not checkable"), row.claim.id
        assert row.cells or row.note, row.claim.id


def test_the_size_of_messages_alone_is_no_evidence() -> None:
    """What is computed from a setting of a cell shows that cell, whose value says other things."""
    told = re.compile(
        r"\b(value|best|count|requesters|responders|queue_pairs|threads_per_client)\b"
    )
    for row in load_ledger(load_observations(Project(ROOT))).claims:
        query = re.sub(r"\bAS\s+value\b", "", row.claim.sql or "value")
        assert told.search(query), row.claim.id


def test_verdicts_are_those_of_the_numbers_as_shown() -> None:
    words = load_words(Project(ROOT))
    for row in load_ledger(load_observations(Project(ROOT))).claims:
        shown = [
            case.model_copy(update={"value": read_back(case_text(case.value))})
            for case in row.cases
        ]
        if row.claim.expect is not None:
            again = judge(row.claim.expect, shown, words).verdict
            rounded = {Verdict.by_rounding: Verdict.holds}.get(row.verdict)  # as its source rounds
            assert again in (row.verdict, rounded), row.claim.id


def read_back(text: str) -> float:
    return float(text.replace(",", "").replace("\u2212", "-"))


def test_only_before_a_number_is_an_upper_bound() -> None:
    """Sentences are read as favourably as their words allow."""
    words = {
        row.claim.id: row.claim.expect.word
        for row in load_ledger(load_observations(Project(ROOT))).claims
        if row.claim.expect is not None and re.match(r"only [\d.]+\s*%", row.claim.printed or "")
    }
    assert words
    assert set(words.values()) == {"at most"}, words


def test_what_holds_by_rounding_says_to_what_and_is_no_fault(tmp_path: Path) -> None:
    project = one_report(tmp_path)
    write_claims(project, constant(2.8, expect={"is": 3, "step": 0.5}))
    chapter = Chapter(V94, folder=project.root)
    (*_, table) = claim_tables(chapter)
    assert isinstance(table, Table)
    row = [cell.text for cell in table.rows[-1]]
    assert "≈\u00a0holds\u00a0by rounding" in row
    assert row[-1] == "Criterion: 3, once rounded to the nearest 0.5."
    assert isinstance(claims_table(chapter, CLAIMED), Text)
