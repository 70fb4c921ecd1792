"""Expectation suites: readable JSON, that of every project and those in its ``checks/``.

They are read as YAML, of which JSON is a part: what is wrong in them has a line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from roundtrip.errors import CheckError, unknown
from roundtrip.project import Project
from roundtrip.sources.ingested import ingested_folders
from roundtrip.sources.measured import campaign_folders
from roundtrip.sources.published import report_folders
from roundtrip.yamlfile import Strict, Text, load_model, place_in

EVERY_ROW = "observations"
BASE = Path(__file__).with_name("observations.json")
"""The rules that the observations of every project must satisfy."""


class RuleMeta(Strict):
    """What people read of a rule: the rule as a sentence, and why it exists."""

    rule: Text
    why: Text


class Rule(Strict):
    """One expectation, in the form of Great Expectations."""

    type: Text
    kwargs: dict[str, Any] = Field(default={})
    meta: RuleMeta


class SuiteMeta(Strict):
    """Which dataset a suite guards, and what it is for."""

    dataset: Text
    title: Text
    notes: tuple[Text, ...] = Field(min_length=1)


class Suite(Strict):
    """One suite, in the form of Great Expectations."""

    name: Text
    meta: SuiteMeta
    expectations: tuple[Rule, ...] = Field(min_length=1)


def load_suites(project: Project) -> dict[str, Suite]:
    """Read the suite that every project has, then those of the project's ``checks`` folder, if any.

    Their files are relative to the project or the package.

    Raises
    ------
    CheckError
        If a file breaks the schema, or guards a dataset that does not exist.
    """
    folders = [
        *report_folders(project.published), *campaign_folders(project.campaigns),
        *ingested_folders(project.campaigns),
    ]  # fmt: skip
    datasets = [EVERY_ROW, *(folder.name for folder in folders)]
    suites = {}
    for path in [BASE, *sorted(project.checks.glob("*.json"))]:
        suite = load_model(path, Suite, CheckError)
        dataset = suite.meta.dataset
        if dataset not in datasets:
            raise unknown(
                CheckError, "dataset", dataset, datasets, where=place_in(path, "meta", "dataset"),
                remedy="correct meta.dataset, add the report or campaign, or delete the suite",
            )  # fmt: skip
        if path.stem != suite.name:
            raise CheckError(
                f"the file is '{path.stem}', its name '{suite.name}'",
                where=place_in(path, "name"),
                remedy="give both the same name",
            )
        if suite.name == EVERY_ROW and path != BASE:
            raise CheckError(
                f"'{EVERY_ROW}' is the suite that comes with Roundtrip", where=path,
                remedy="give the suite another name; its dataset may be the same",
            )  # fmt: skip
        suites[project.relative(path)] = suite
    return suites
