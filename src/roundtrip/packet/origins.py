"""Whether numbers are what they say: pages against observations, those against files."""

from __future__ import annotations

import csv
import html
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import nan
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from roundtrip.campaign.derive import summarise
from roundtrip.campaign.names import ValueName
from roundtrip.checks.laws import offered
from roundtrip.claims import load_ledger
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import DataError, RoundtripError
from roundtrip.files import sha256_of_file
from roundtrip.ingest.again import read_again
from roundtrip.ingest.manifest import load_inputs
from roundtrip.methodology.raw_checks import not_from_raw, rows_by_run
from roundtrip.methodology.review import review
from roundtrip.observations import Observations, load_observations
from roundtrip.outputs import NOTHING
from roundtrip.packet.changes import data_files, number_of, rows_of, style_of
from roundtrip.packet.contents import PROJECT, REPORT
from roundtrip.packet.findings import Finding, found, unknown
from roundtrip.present.anchors import anchor_of, cell_anchor
from roundtrip.project import Project
from roundtrip.publish.manifest import read_manifest

_LINK = re.compile(
    r'<a href="(?P<page>[^"#]*)#(?P<anchor>cell-[^"]+)"(?: class="cell" title="(?P<title>[^"]*)")?>'
    r"(?P<text>[^<]*)</a>"
)
_ID = re.compile(r'\bid="(cell-[^"]+)"')
_CELL_BEGINS = re.compile(r"<(?=t[dh][\s>])")
_CELL = re.compile(r'(?P<kind>t[dh])(?P<attributes>(?:[^>"]|"[^"]*")*)>')
_TAG = re.compile(r"<[^<>]*>")
_MARKS = "()\u00a0†"
"""What stands around numbers in the appendices."""
_NUMBER = re.compile(r"(?P<number>[\u2212-]?[\d.,\u202f\u00a0 ]*\d)\s*(?P<unit>.*)", re.DOTALL)
_QUOTED = re.compile("“[^”]*”")
_COUNT = re.compile(r" \(\d+\)$")
_EXACT = 1e-8
_FILES = 10
"""Of raw files and logs, which take longer, one is looked at where so many numbers are."""
SEED = 1
"""Of the usual sample."""
Drawn = Callable[..., list[Any]]
Printed = tuple[str, tuple[str, str], str]
"""A verdict that a table lists, as others may, too: file of its data, what is judged, verdict."""


@dataclass(frozen=True)
class Shown:
    """A number on a page, with the cell that it leads to, or the first of several."""

    page: str  # that shows it
    target: str  # page that it leads to
    anchor: str
    text: str
    quotes: bool | None  # whether it leads to one cell only; None in tables, whose links do not say


def origins(packet: Path, most: int | None, seed: int = SEED) -> Iterator[Finding]:
    """Check where numbers come from, of an opened packet: data are read, nothing is executed.

    Of each kind `most` are looked at, or all; `seed` says which are drawn.
    """

    def drawn(items: list[Any], one_in: int = 1) -> list[Any]:
        if most is None or len(items) <= (few := max(most // one_in, 1)):
            return items
        return random.Random(seed).sample(items, few)  # noqa: S311 - a sample, no secret

    project = Project(packet / PROJECT)
    try:
        observations = load_observations(project)
        rows = _rows(observations)
    except RoundtripError as problem:
        yield found("observations", "they cannot be read", [_told(problem, packet)])
        for check in ("numbers", "cells", "points", "ingested points", "claims", "methodology"):
            yield unknown(check, "the observations cannot be read")
        return
    checks: dict[str, Callable[[], Finding]] = {
        "numbers": lambda: _numbers(packet, rows, drawn),
        "cells": lambda: _cells(packet, observations, rows, drawn),
        "observations": lambda: _places(project, rows, drawn),
        "points": lambda: _points(observations, drawn),
        "ingested points": lambda: _ingested(observations, drawn),
        "claims": lambda: _claims(packet, observations),
        "methodology": lambda: _methodology(packet, observations),
    }
    for check, finding in checks.items():
        try:
            yield finding()
        except RoundtripError as problem:
            yield found(check, "they cannot be checked", [_told(problem, packet)])


def _told(problem: RoundtripError, packet: Path) -> str:
    """Say what is wrong where; a remedy would be for whoever builds the report."""
    where = str(problem.where or "").removeprefix(f"{packet}/")
    return ": ".join(filter(None, (where, problem.what)))


def _rows(observations: Observations) -> list[Any]:
    columns = ["observation_id", "value_printed", "value", "value_corrected", "unit", "file",
               "line", "source_kind"]  # fmt: skip
    return list(observations.frame[columns].itertuples(index=False))


def _numbers(packet: Path, rows: list[Any], drawn: Drawn) -> Finding:
    """Hold numbers of pages to the observations that their links name.

    A number that quotes a cell is the value of that cell. One that is computed from cells is what
    the data of a table or figure give for the same cells, or has a unit of its own. The anchor of
    a run stands for several of its values.
    """
    behind, site = _behind(rows), packet / REPORT / "html"
    shown, ids = _shown(site)
    if not shown:
        return unknown("numbers", "no page has a number that leads to a cell")
    style = style_of(packet / REPORT)
    computed, wrong = _data(site, {row.observation_id: row for row in rows})
    in_data, quoted, chosen = len(wrong), 0, drawn(shown)
    for one in chosen:
        known = behind.get(one.anchor, [])
        if one.anchor not in ids.get(one.target, ()):
            wrong.append(f"{one.page}: '{one.text}' leads to {one.target}, which lacks the cell")
        elif not known:
            wrong.append(f"{one.page}: '{one.text}' names no observation ({one.anchor})")
        elif any(
            one.text == row.value_printed
            or _agrees(one.text, (row.value, row.value_corrected), style)
            for row in known
        ):
            quoted += 1
        elif one.quotes is None and not _agrees(one.text, computed.get(one.anchor, ()), style):
            cell = f"its cell, {known[0].value:g}," if len(known) == 1 else "a value of its run"
            given = " or ".join(f"{value:g}" for value in sorted({*computed.get(one.anchor, ())}))
            given = given and f" ({given} by the data of tables and figures)"
            wrong.append(f"{one.page}: '{one.text}' is neither {cell} nor computed from it{given}")
        elif one.quotes and len(known) == 1 and _same_unit(one.text, known[0]):
            (row,) = known
            wrong.append(f"{one.page}: '{one.text}' is {row.value:g} {row.unit} in its cell")
    good = len(chosen) - (bad := len(wrong) - in_data)
    told = (
        f"{good:,} of {len(shown):,} numbers lead to their cells; {quoted:,} are what their "
        f"cell says, {good - quoted:,} are computed from cells, which only --rebuild checks"
    )
    if wrong:
        told += f"; wrong: {bad:,} on pages, {in_data:,} in the data of tables and figures"
    return found("numbers", told, wrong)


def _behind(rows: list[Any]) -> dict[str, list[Any]]:
    behind: dict[str, list[Any]] = {}
    for row in rows:
        behind.setdefault(cell_anchor(row.observation_id), []).append(row)
    return behind


def _cells(packet: Path, observations: Observations, rows: list[Any], drawn: Drawn) -> Finding:
    """Hold the cells that numbers lead to, in the tables of sources and runs, to the observations.

    Cells of later runs of a point have no anchors: each is a value of the run that its row names,
    or the rate that the run was to keep.
    """
    behind, site = _behind(rows), packet / REPORT / "html"
    frame = observations.frame
    rates: dict[str, float] = {}
    for point in frame[frame["source_kind"] == "measured"].to_dict("records"):
        name = ValueName.parse(point["observation_id"])
        if name is not None and (anchor := anchor_of(name.of_run)) not in rates:
            rates[anchor] = offered(point) or nan
    cells = [
        (path.name, *cell)
        for path in sorted(site.glob("*.html"))
        if 'id="cell-' in (text := path.read_text("utf-8", "replace"))
        for row in text.split("<tr")[1:]
        for cell in _anchored(row.partition("</tr>")[0])
    ]
    if not cells:
        return unknown("cells", "no page has a cell that numbers lead to")
    style, wrong, chosen = style_of(packet / REPORT), [], drawn(cells)
    for page, anchor, text in chosen:
        known = behind.get(anchor, [])
        values = [one for row in known for one in (row.value, row.value_corrected)]
        if not (
            any(text == row.value_printed for row in known)
            or _agrees(text, [*values, rates.get(anchor, nan)], style)
        ):
            told = f"{known[0].value:g}, the value" if len(known) == 1 else "a value"
            wrong.append(f"{page}: '{text}' is not {told} of {anchor}")
    told = f"{len(chosen) - len(wrong):,} of {len(chosen):,} cells"
    if len(chosen) < len(cells):
        told += f", of {len(cells):,},"
    return found("cells", f"{told} that numbers lead to are what the data say", wrong)


def _anchored(row: str) -> Iterator[tuple[str, str]]:
    """Give the cells of a row that have an anchor, or whose row has one, and their texts."""
    of_row = ""
    for piece in _CELL_BEGINS.split(row)[1:]:
        cell = _CELL.match(piece)
        if cell is None:
            continue
        own = html.unescape(its[1]) if (its := _ID.search(cell["attributes"])) else ""
        content = piece[cell.end() :].partition(f"</{cell['kind']}>")[0]
        text = html.unescape(_TAG.sub("", content)).strip().strip(_MARKS).strip()
        if cell["kind"] == "th":
            of_row = own
        elif own or (of_row and text and text != NOTHING):
            yield own or of_row, text


def _shown(site: Path) -> tuple[list[Shown], dict[str, set[str]]]:
    """Collect the numbers of all pages that lead to cells, and the cells of each page."""
    shown, ids = [], {}
    for path in sorted(site.glob("*.html")):
        text = path.read_text("utf-8", "replace")
        ids[path.name] = set(map(html.unescape, _ID.findall(text)))
        for match in _LINK.finditer(text):
            title = match["title"]
            quotes = None if title is None else ";" not in html.unescape(title)
            # The ledger of claims puts the table before the number, or the section in quotation
            # marks, and names several by a count.
            anchor, words = html.unescape(match["anchor"]), html.unescape(match["text"])
            words = _QUOTED.sub("", words).rpartition(": ")[2]
            if _NUMBER.fullmatch(words.strip()) and not (quotes is None and _COUNT.search(words)):
                target = unquote(match["page"]) or path.name
                shown.append(Shown(path.name, target, anchor, words, quotes))
    return shown, ids


def _data(site: Path, rows: dict[str, Any]) -> tuple[dict[str, list[float]], list[str]]:
    """Read the data of tables and figures: values by their first cell, and those that are wrong."""
    computed: dict[str, list[float]] = {}
    wrong = []
    for path in sorted((site / "data").glob("*.csv")):
        for line, entry in enumerate(rows_of(path), start=2):
            cells, value = entry.get("cells", "").split(), number_of(entry.get("value", ""))
            if not cells or value is None:
                continue
            row = rows.get(cells[0])
            computed.setdefault(cell_anchor(cells[0]), []).append(value)
            if row is None:
                wrong.append(f"data/{path.name}:{line} names no observation ({cells[0]})")
            elif (
                len(cells) == 1
                and entry.get("unit") == row.unit
                and not any(
                    abs(value - known) <= _EXACT * abs(known)
                    for known in (row.value, row.value_corrected)
                )
            ):
                wrong.append(
                    f"data/{path.name}:{line} is {value:g}, its cell {row.value:g} {row.unit}"
                )
    return computed, wrong


def _same_unit(text: str, row: Any) -> bool:
    """Say whether a text states the unit of its cell: without one, its table does."""
    match = _NUMBER.fullmatch(text.strip())
    return match is not None and match["unit"].strip() == str(row.unit).strip() != ""


def _agrees(text: str, values: Sequence[float], style: str) -> bool:
    """Say whether a written number is one of some values, to the digits that it shows."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return False
    mark = style[-2]
    digits = re.sub(rf"[^\d{re.escape(mark)}]", "", match["number"]).replace(mark, ".")
    number = number_of(digits)
    if number is None:
        return False
    number = -number if match["number"][0] in "\u2212-" else number
    unit = 10.0 ** -len(digits.partition(".")[2])
    return any(abs(number - value) <= 0.5 * unit + _EXACT * abs(value) for value in values)


def _places(project: Project, rows: list[Any], drawn: Drawn) -> Finding:
    """Check that the value of an observation stands in the line that it names."""
    wrong = []
    chosen = drawn([row for row in rows if row.file and row.line == row.line])

    @lru_cache(maxsize=64)
    def lines(name: str) -> list[str]:
        return (project.root / name).read_text("utf-8", "replace").splitlines()

    for row in chosen:
        try:
            line = lines(row.file)[int(row.line) - 1]
            cells = next(csv.reader([line]), [])
        except (OSError, IndexError, csv.Error):
            wrong.append(f"{row.observation_id}: {row.file}:{row.line} does not exist")
            continue
        printed = "" if row.value_printed is None else str(row.value_printed)
        stands = bool(printed) and (printed in line or printed in cells)
        stands = stands or any(
            number is not None and abs(number - row.value) <= _EXACT * abs(row.value)
            for number in map(number_of, cells)
        )
        if not stands:
            wrong.append(f"{row.observation_id}: not in {row.file}:{row.line}")
    if not chosen:
        return unknown("observations", "the project has none")
    told = f"{len(chosen):,} of {len(rows):,} stand in the line that they name"
    return found("observations", told, wrong)


def _points(observations: Observations, drawn: Drawn) -> Finding:
    """Compute points again from the raw files of their runs."""
    runs = [
        (name, run)
        for name in observations.campaign_ids
        for run in observations.campaign(name).runs
    ]
    if not runs:
        return unknown("points", "the project has no campaign")
    wrong, lacking, computed, failed = [], [], 0, 0
    points: dict[str, dict[str, list[dict[str, str]]]] = {}
    chosen = drawn(runs, _FILES)
    for name, run in chosen:
        folder, where = observations.project.campaigns / name, f"{name}/{run.run}"
        path = folder / "raw" / run.raw
        if not path.is_file():
            lacking.append(where)
            continue
        if name not in points:
            points[name] = rows_by_run(folder)
        rows = points[name].get(run.run, [])
        try:
            otherwise = not_from_raw(run, rows, summarise(path), observations.campaign(name))
        except DataError as problem:
            otherwise = [problem.what]
        if run.raw_sha256 and sha256_of_file(path) != run.raw_sha256:
            otherwise.append("its raw file has another hash in the manifest")
        wrong += [f"{where}: {one}" for one in otherwise]
        failed += bool(otherwise)
        computed += 0 if otherwise else len(rows)
    for name in observations.campaign_ids:
        manifest = observations.campaign(name)
        named = {run.raw for run in manifest.runs}
        named |= {one.raw for one in manifest.failed}
        there = {path.name for path in (observations.project.campaigns / name / "raw").glob("*")}
        if manifest.state != "running":
            wrong += [f"{name}/raw/{one} is in no list of its manifest"
                      for one in sorted(there - named)]  # fmt: skip
    if lacking and not wrong:
        told = f"the raw files of {len(lacking):,} of {len(chosen):,} runs are not in the packet"
        return unknown("points", told)
    good = len(chosen) - len(lacking) - failed
    told = f"{computed:,} values of {good:,} of {len(runs):,} runs follow from their raw files"
    if failed:
        told += f"; {failed:,} {'runs do' if failed > 1 else 'run does'} not"
    return found("points", told, wrong)


def _ingested(observations: Observations, drawn: Drawn) -> Finding:
    """Read the kept logs of ingested campaigns again, and compare their points."""
    project = observations.project
    inputs = [
        (name, entry.name)
        for name in observations.ingested_ids
        for entry in load_inputs(project.campaigns / name)
        if entry.tool
    ]
    if not inputs:
        return unknown("ingested points", "the project has no ingested campaign")
    chosen = drawn(inputs, _FILES)
    dictionary = load_dictionary(project.dictionary)
    wrong, unchecked, read = [], [], 0
    for name in sorted({name for name, _ in chosen}):
        again = read_again(
            project.campaigns / name, dictionary, {one for key, one in chosen if key == name}
        )
        read += again.read
        wrong += again.wrong
        unchecked += [f"{name}: {one}" for one in again.unchecked]
    told = f"{read:,} of {len(inputs):,} logs were read again, with the same points"
    if unchecked:
        told += f"; not kept whole, and not checked: {', '.join(unchecked)}"
    if not wrong and not read:
        return unknown("ingested points", told)
    return found("ingested points", told, wrong)


def _claims(packet: Path, observations: Observations) -> Finding:
    """Judge all claims again, and hold the report's own list of verdicts to it."""
    # What vague words mean may have been given to the build, and not stand in the project.
    manifest = read_manifest(packet / REPORT) or {"parameters": {}}
    ledger = load_ledger(observations, manifest["parameters"].get("word_limits"))
    if not ledger.claims:
        return unknown("claims", "no source has claims")
    printed = _printed(packet, ("report", "id"))
    judged = {(row.report, row.claim.id): row.verdict.value for row in ledger.claims}
    if not printed:
        return unknown("claims", f"{len(judged):,} are judged, the report lists none")
    told = f"{len({key for _, key, _ in printed}):,} of {len(judged):,} verdicts of the report"
    return found("claims", told, _otherwise(printed, judged, "{}/{}"))


def _methodology(packet: Path, observations: Observations) -> Finding:
    """Grade everything again by the rules of method, and hold the report's matrix to it."""
    manifest = read_manifest(packet / REPORT)
    if manifest is None:
        return unknown("methodology", "the report has no manifest")
    grades = review(observations, manifest["report"])
    graded = {
        (grade.subject, judged.rule): judged.finding.verdict.value
        for grade in grades
        for judged in grade.judged
    }
    printed = _printed(packet, ("subject", "rule"))
    if not printed:
        return unknown(
            "methodology", f"{len(grades):,} subjects can be graded, the report shows no grades"
        )
    told = f"{len({key for _, key, _ in printed}):,} verdicts of {len(grades):,} subjects"
    return found("methodology", told, _otherwise(printed, graded, "{}: '{}'"))


def _otherwise(
    printed: Sequence[Printed], judged: Mapping[tuple[str, str], str], name: str
) -> list[str]:
    """Say which verdicts of the report are others by the data."""
    return [
        f"data/{file}: {name.format(*key)} is '{judged.get(key, 'unknown')}' by the data, and "
        f"'{verdict}' in the report"
        for file, key, verdict in printed
        if judged.get(key) != verdict
    ]


def _printed(packet: Path, keys: tuple[str, str]) -> list[Printed]:
    """Collect the verdicts that tables of the report list, by two columns that name them."""
    verdicts = []
    for path in data_files(packet / REPORT):
        rows = rows_of(path)
        if rows and {*keys, "verdict"} <= rows[0].keys():
            verdicts += [(path.name, (row[keys[0]], row[keys[1]]), row["verdict"]) for row in rows]
    return verdicts
