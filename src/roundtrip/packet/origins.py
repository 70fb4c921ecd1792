"""Whether what a packet shows follows from its data, and these from their files."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from roundtrip.campaign.derive import summarise
from roundtrip.claims import load_ledger
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import DataError, RoundtripError
from roundtrip.files import sha256_of_file
from roundtrip.ingest.again import read_again
from roundtrip.ingest.manifest import load_inputs
from roundtrip.methodology.raw_checks import not_from_raw, rows_by_run
from roundtrip.methodology.review import review
from roundtrip.observations import Observations, load_observations
from roundtrip.packet import pages
from roundtrip.packet.changes import data_files, number_of, rows_of
from roundtrip.packet.contents import PROJECT, REPORT
from roundtrip.packet.findings import Finding, found, unknown
from roundtrip.packet.pages import EXACT, Drawn
from roundtrip.project import Project
from roundtrip.publish.manifest import manifest_of

_FILES = 10
"""Of raw files and logs, which take longer, one is looked at where so many numbers are."""
SEED = 1
"""Of the usual sample."""


def origins(packet: Path, most: int | None, seed: int = SEED) -> Iterator[Finding]:
    """Check where numbers come from, of an opened packet: data are read, nothing is executed.

    Of each kind `most` are looked at, or all; `seed` says which are drawn.
    """

    def drawn(items: list[Any], one_in: int = 1) -> list[Any]:
        if most is None or len(items) <= (few := max(most // one_in, 1)):
            return items
        return random.Random(seed).sample(items, few)  # noqa: S311 - a sample, no secret

    project = Project(packet / PROJECT)
    checks: dict[str, Callable[[], Finding]] = {
        "numbers": lambda: pages.numbers(packet, rows, drawn),
        "cells": lambda: pages.cells(packet, observations, rows, drawn),
        "observations": lambda: _places(project, rows, drawn),
        "points": lambda: _points(observations, drawn),
        "ingested points": lambda: _ingested(observations, drawn),
        "claims": lambda: _claims(packet, observations),
        "methodology": lambda: _methodology(packet, observations),
    }
    try:
        observations = load_observations(project)
        rows = _rows(observations)
    except RoundtripError as problem:
        yield found("observations", "they cannot be read", [_told(problem, packet)])
        del checks["observations"]
        yield from (unknown(check, "the observations cannot be read") for check in checks)
        return
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
            number is not None and abs(number - row.value) <= EXACT * abs(row.value)
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
        told += f"; runs that do not: {failed:,}"
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
    told = f"{read:,} of {len(inputs):,} logs were read again"
    told += "" if wrong else ", with the same points"
    if unchecked:
        told += f"; not kept whole, and not checked: {', '.join(unchecked)}"
    if not wrong and not read:
        return unknown("ingested points", told)
    return found("ingested points", told, wrong)


def _claims(packet: Path, observations: Observations) -> Finding:
    """Judge all claims again, and hold the report's own list of verdicts to it."""
    # What vague words mean may have been given to the build, and not stand in the project.
    parameters = manifest_of(packet / REPORT)["parameters"]
    ledger = load_ledger(observations, parameters.get("word_limits"))
    if not ledger.claims:
        return unknown("claims", "no source has claims")
    judged = {(row.report, row.claim.id): row.verdict.value for row in ledger.claims}
    return _held("claims", packet, ("report", "id"), judged)


def _methodology(packet: Path, observations: Observations) -> Finding:
    """Grade everything again by the rules of method, and hold the report's matrix to it."""
    graded = {
        (grade.subject, judged.rule): judged.finding.verdict.value
        for grade in review(observations, manifest_of(packet / REPORT)["report"])
        for judged in grade.judged
    }
    return _held("methodology", packet, ("subject", "rule"), graded)


def _held(
    check: str, packet: Path, names: tuple[str, str], judged: Mapping[tuple[str, str], str]
) -> Finding:
    """Hold verdicts that tables of the report list, by two columns that name them, to the data."""
    listed, wrong = set(), []
    for path in data_files(packet / REPORT):
        rows = rows_of(path)
        for row in rows if rows and {*names, "verdict"} <= rows[0].keys() else ():
            key, verdict = (row[names[0]], row[names[1]]), row["verdict"]
            listed.add(key)
            if judged.get(key) != verdict:
                wrong.append(
                    f"data/{path.name}: {' '.join(key)} is '{judged.get(key, 'unknown')}' by the "
                    f"data, and '{verdict}' in the report"
                )
    if not listed:
        return unknown(check, f"{len(judged):,} verdicts can be judged, the report lists none")
    return found(check, f"{len(listed):,} of {len(judged):,} verdicts are in the report", wrong)
