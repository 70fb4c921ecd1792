"""What a report was built from and what was built: ``manifest.json``."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Strict

from roundtrip.errors import RenderError
from roundtrip.files import files_below, hashes_below, sha256_of_file, sha256_of_json
from roundtrip.params.edition import Limit, NumberFormat, VersionName
from roundtrip.project import INGESTED, PACKAGE, POINTS, Project
from roundtrip.versions import computing, library_versions
from roundtrip.yamlfile import validate

EDITION_MANIFEST = "manifest.json"
UNLISTED = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
"""What no name in a list of files may hold: control characters, bytes that are not UTF-8."""
_INPUTS = (
    "_quarto.yml", "checks", "data", "notebooks", "params/campaigns", "params/names.yml",
    "params/parameters.yml", "params/workloads", "requirements.lock", "templates",
)  # fmt: skip

READ_BY_CHAPTERS = (
    "data/", "checks/", "params/campaigns/", "params/workloads/", "templates/diagrams/",
    "templates/theme.yml", "requirements",
)  # fmt: skip
"""How the names of files begin that chapters read, beside their modules."""


class _Part(BaseModel):
    """What is read of manifests, whoever wrote them; more may stand there."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class _Report(_Part):
    version: VersionName
    date: str
    title: str
    commit: str
    timestamp: int


class _Engine(_Part):
    name: Literal["embedded", "quarto"]


class _Parameters(_Part):
    number_format: NumberFormat = "1,234.5"
    word_limits: dict[str, Annotated[tuple[Limit, Limit], Strict(False)]] = {}


class _Checks(_Part):
    failed: list[str] = []


class _Manifest(_Part):
    report: _Report
    fingerprint: str
    engine: _Engine
    libraries: dict[str, str]
    parameters: _Parameters
    checks: _Checks
    inputs: dict[str, str]
    outputs: dict[str, str]


def named_places(parameters: Mapping[str, Any]) -> list[str]:
    """Give the paths below the project that parameters name: an older edition, remarks."""
    return [parameters[name] for name in ("changes_since", "remarks") if parameters.get(name)]


def input_files(project: Project, named: Sequence[str] = ()) -> dict[str, Path]:
    """List every file that a report is built from, parameters apart.

    Of a campaign that is being measured for the first time, or anew, nothing is read yet.

    Parameters
    ----------
    named : sequence of str, optional
        From `named_places`.

    Returns
    -------
    dict
        Path below the project, or below the installed package from ``roundtrip/`` on, to the file.

    Raises
    ------
    RenderError
        If a file has a name that no list of files can hold.
    DataError
        If a folder cannot be read, or a link leads to a folder or nowhere.
    """
    found: dict[str, Path] = {}
    unread = [project.drafts, *(
        folder for folder in project.campaigns.glob("*/")
        if folder.name.startswith(".")
        or not any((folder / name).is_file() for name in (POINTS, INGESTED))
    )]  # fmt: skip
    below_unread = tuple(f"{folder}{os.sep}" for folder in unread)
    places = [(project.root / name, project.root) for name in (*_INPUTS, *named)]
    for place, root in [*places, (PACKAGE, PACKAGE.parent)]:
        for path in files_below(place):
            driver = root == PACKAGE.parent and path.suffix == ".jar"  # it makes no page
            if not driver and not str(path).startswith(below_unread):
                name = path.relative_to(root).as_posix()
                if UNLISTED.search(name):
                    raise RenderError(
                        "the name of this file is not UTF-8, or holds control characters",
                        where=ascii(name), remedy="give it another name",
                    )  # fmt: skip
                found[name] = path
    return found


def input_hashes(project: Project, named: Sequence[str] = ()) -> dict[str, str]:
    """Hash every file that a report is built from, by the name that `input_files` gives it."""
    return {
        name: sha256_of_file(path) for name, path in sorted(input_files(project, named).items())
    }


def chapter_fingerprint(inputs: Mapping[str, str]) -> str:
    """Hash what the outputs of any chapter depend on beside its notebook and parameters.

    These are the data, the checks, the plans, the workloads, the drawings, the locked dependencies
    and the code that computes.
    """
    part = {path: digest for path, digest in inputs.items() if path.startswith(READ_BY_CHAPTERS)}
    return sha256_of_json([part, computing()])


def code_fingerprint(inputs: Mapping[str, str]) -> str:
    """Hash the code and templates that write chapters, from the hashes of all inputs."""
    writers = ("roundtrip/", "templates/", "requirements")
    part = {path: digest for path, digest in inputs.items() if path.startswith(writers)}
    return sha256_of_json([part, library_versions()])


def output_hashes(folder: Path) -> dict[str, str]:
    """Hash every file of a built report but the manifest itself."""
    return {
        name: digest for name, digest in hashes_below(folder).items() if name != EDITION_MANIFEST
    }


def differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Name what two lists of a manifest, such as hashes of files, do not have alike, sorted."""
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


def manifest_text(content: dict[str, Any]) -> str:
    """Write the manifest of a report: JSON that ends with a hash of itself."""
    sealed = {**content, "manifest": sha256_of_json(content)}
    return json.dumps(sealed, indent=2, ensure_ascii=False) + "\n"


def manifest_of(report: Path) -> dict[str, Any]:
    """Read the manifest of a built report; without one, or damaged, it is a RenderError."""
    content = read_manifest(report)
    if content is None:
        raise RenderError("is no built report", where=report, remedy="run 'roundtrip build' first")
    return content


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Read the manifest of a built report, None when there is none.

    Raises
    ------
    RenderError
        If it is not a manifest, or not as it was written.
    """
    path = folder / EDITION_MANIFEST
    if not path.is_file():
        return None
    try:
        text = path.read_text(encoding="utf-8")
        content: dict[str, Any] = json.loads(text)
        validate(content, _Manifest, "", RenderError)
        if text != manifest_text({k: v for k, v in content.items() if k != "manifest"}):
            raise ValueError("it was changed after it was written")
    except (ValueError, RecursionError, RenderError) as problem:
        raise RenderError(
            f"is not a manifest: {problem}",
            where=path,
            remedy="build your own report again with --overwrite; ask for somebody else's again",
        ) from problem
    return content
