"""Expectation suites: readable JSON, that of every project and those in its ``checks/``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import Field

from roundtrip.errors import CheckError, nearest
from roundtrip.project import Project
from roundtrip.sources.ingested import ingested_folders
from roundtrip.sources.measured import campaign_folders
from roundtrip.sources.published import report_folders
from roundtrip.yamlfile import Strict, Text, validate

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
        If a file is not JSON or breaks the schema, or guards a dataset that does not exist.
    """
    folders = [
        *report_folders(project.published), *campaign_folders(project.campaigns),
        *ingested_folders(project.campaigns),
    ]  # fmt: skip
    datasets = [EVERY_ROW, *(folder.name for folder in folders)]
    files = [BASE, *sorted(project.checks.glob("*.json"))]
    return {project.relative(path): _load(path, datasets) for path in files}


def _load(path: Path, datasets: list[str]) -> Suite:
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as problem:
        raise CheckError(f"not valid JSON: {problem.msg}", where=f"{path}:{problem.lineno}") from (
            problem
        )
    except (OSError, ValueError, RecursionError) as problem:
        raise CheckError(f"cannot be read: {problem}", where=path) from problem
    suite = validate(content, Suite, str(path), CheckError)
    if suite.meta.dataset not in datasets:
        raise CheckError(
            f"dataset '{suite.meta.dataset}' does not exist{nearest(suite.meta.dataset, datasets)}",
            where=path,
            allowed=", ".join(datasets),
            remedy="correct meta.dataset, add the report or campaign, or delete the suite",
        )
    if path.stem != suite.name:
        raise CheckError(
            f"the file is '{path.stem}', its name '{suite.name}'", where=path,
            remedy="give both the same name",
        )  # fmt: skip
    if suite.name == EVERY_ROW and path != BASE:
        raise CheckError(
            f"'{EVERY_ROW}' is the suite that comes with Roundtrip", where=path,
            remedy="give the suite another name; its dataset may be the same",
        )  # fmt: skip
    return suite


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key given twice: JSON would silently keep the last."""
    content: dict[str, Any] = {}
    for key, value in pairs:
        if key in content:
            raise ValueError(f"key '{key}' is given twice")
        content[key] = value
    return content
