"""Expectation suites: readable JSON in ``checks/``, one file for each dataset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from roundtrip.errors import CheckError, nearest
from roundtrip.project import Project
from roundtrip.sources.published import report_folders
from roundtrip.yamlfile import validate

EVERY_ROW = "observations"

_Sentence = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RuleMeta(_Strict):
    """What people read of a rule: the rule as a sentence, and why it exists."""

    rule: _Sentence
    why: _Sentence


class Rule(_Strict):
    """One expectation, in the form of Great Expectations."""

    type: _Sentence
    kwargs: dict[str, Any] = {}
    meta: RuleMeta


class SuiteMeta(_Strict):
    """Which dataset a suite guards, and what it is for."""

    dataset: _Sentence
    title: _Sentence
    notes: tuple[_Sentence, ...] = Field(min_length=1)


class Suite(_Strict):
    """One suite, in the form of Great Expectations."""

    name: _Sentence
    meta: SuiteMeta
    expectations: tuple[Rule, ...] = Field(min_length=1)


def load_suites(project: Project) -> dict[str, Suite]:
    """Read every suite and see that each dataset has exactly one.

    Parameters
    ----------
    project : Project
        Its ``checks`` folder holds the suites.

    Returns
    -------
    dict
        File, relative to the project, to suite: the suite of every row first.

    Raises
    ------
    CheckError
        If a file is not JSON or breaks the schema, guards a dataset that does not exist, or a
        published report has no suite.
    """
    datasets = [EVERY_ROW, *(folder.name for folder in report_folders(project.published))]
    suites = {path.stem: _load(path, datasets) for path in sorted(project.checks.glob("*.json"))}
    for dataset in datasets:
        if dataset not in suites:
            what = "all observations" if dataset == EVERY_ROW else f"published report '{dataset}'"
            raise CheckError(
                f"no suite guards {what}",
                where=project.checks,
                allowed="one suite for each dataset, named after it",
                remedy=f"write checks/{dataset}.json (docs/checks.md says how)",
            )
    return {f"{project.checks.name}/{name}.json": suites[name] for name in datasets}


def _load(path: Path, datasets: list[str]) -> Suite:
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as problem:
        raise CheckError(f"not valid JSON: {problem.msg}", where=f"{path}:{problem.lineno}") from (
            problem
        )
    except (OSError, ValueError) as problem:
        raise CheckError(f"cannot be read: {problem}", where=path) from problem
    suite = validate(content, Suite, str(path), CheckError)
    if suite.meta.dataset not in datasets:
        raise CheckError(
            f"dataset '{suite.meta.dataset}' does not exist{nearest(suite.meta.dataset, datasets)}",
            where=path,
            allowed=", ".join(datasets),
            remedy="correct meta.dataset, add the report under data/published, or delete the suite",
        )
    if not path.stem == suite.name == suite.meta.dataset:
        raise CheckError(
            f"the file is '{path.stem}', its name '{suite.name}', its dataset "
            f"'{suite.meta.dataset}'",
            where=path,
            remedy="name all three after the dataset",
        )
    return suite


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key given twice: JSON would silently keep the last."""
    content: dict[str, Any] = {}
    for key, value in pairs:
        if key in content:
            raise ValueError(f"key '{key}' is given twice")
        content[key] = value
    return content
