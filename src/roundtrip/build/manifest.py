"""What a report was built from and what was built: ``manifest.json``."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roundtrip.errors import RenderError
from roundtrip.files import sha256_of_file, sha256_of_json
from roundtrip.params import ReportParameters
from roundtrip.project import Project
from roundtrip.versions import library_versions

NAME = "manifest.json"
_INPUTS = (
    "_quarto.yml", "checks", "data", "notebooks", "templates", "src/roundtrip",
    "requirements.lock",
)  # fmt: skip
_CODE_BEFORE_BUILD = ("build", "cli")


def _files(root: Path, names: tuple[str, ...]) -> list[Path]:
    found: list[Path] = []
    for name in names:
        path = root / name
        found += [path] if path.is_file() else sorted(path.rglob("*"))
    return [
        path
        for path in found
        if path.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & set(path.parts)
    ]


def input_files(project: Project) -> list[Path]:
    """List every file that a report is built from, parameters apart."""
    return _files(project.root, _INPUTS)


def input_hashes(project: Project) -> dict[str, str]:
    """Hash every file that a report is built from.

    Returns
    -------
    dict
        Path below the project to SHA-256, sorted.
    """
    return {
        path.relative_to(project.root).as_posix(): sha256_of_file(path)
        for path in input_files(project)
    }


def build_fingerprint(
    inputs: Mapping[str, str], parameters: ReportParameters, commit: str, engine: str
) -> str:
    """Hash everything that decides what a report holds."""
    content = [dict(inputs), parameters.model_dump(mode="json"), commit, engine]
    return sha256_of_json(content)


def chapter_fingerprint(inputs: Mapping[str, str]) -> str:
    """Hash what the outputs of any chapter depend on beside its notebook and parameters.

    These are the data, the checks, the drawings, the locked dependencies and the package without
    the parts that only build and command.
    """
    build = tuple(f"src/roundtrip/{name}/" for name in _CODE_BEFORE_BUILD)
    part = {
        path: digest
        for path, digest in inputs.items()
        if path.startswith(("data/", "checks/", "templates/diagrams/", "src/", "requirements"))
        and not path.startswith(build)
    }
    return sha256_of_json(part)


def code_fingerprint(inputs: Mapping[str, str]) -> str:
    """Hash the code and templates that write chapters, from the hashes of all inputs."""
    writers = ("src/", "templates/", "requirements")
    part = {path: digest for path, digest in inputs.items() if path.startswith(writers)}
    return sha256_of_json(part)


def output_hashes(folder: Path) -> dict[str, str]:
    """Hash every file of a built report but the manifest itself."""
    return {
        path.relative_to(folder).as_posix(): sha256_of_file(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).as_posix() != NAME
    }


def manifest_text(
    *,
    parameters: ReportParameters,
    commit: str,
    engine: Mapping[str, str],
    fingerprint: str,
    inputs: Mapping[str, str],
    outputs: Mapping[str, str],
    checks: Mapping[str, Any],
) -> str:
    """Write the manifest of a report.

    Parameters
    ----------
    parameters : ReportParameters
    commit : str
    engine : mapping
        Name and versions of what rendered it.
    fingerprint : str
        From `build_fingerprint`.
    inputs, outputs : mapping
        Path to SHA-256.
    checks : mapping
        How many rules were checked, and which failed.

    Returns
    -------
    str
        JSON without dates of the run or names of the machine.
    """
    content = {
        "report": {
            "version": parameters.version,
            "date": parameters.date,
            "title": parameters.title,
            "commit": commit,
        },
        "fingerprint": fingerprint,
        "engine": dict(engine),
        "python": ".".join(platform.python_version_tuple()[:2]),
        "libraries": library_versions(),
        "parameters": parameters.model_dump(mode="json"),
        "checks": dict(checks),
        "inputs": dict(inputs),
        "outputs": dict(outputs),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Read the manifest of a built report, None when there is none.

    Raises
    ------
    RenderError
        If it is not a manifest.
    """
    path = folder / NAME
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict) or not {"fingerprint", "outputs"} <= content.keys():
            raise ValueError("keys are missing")
    except ValueError as problem:
        raise RenderError(
            f"is not a manifest: {problem}",
            where=path,
            remedy="remove the folder, or pass --overwrite",
        ) from problem
    return content
