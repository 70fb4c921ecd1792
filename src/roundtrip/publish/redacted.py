"""Build an edition that tells no names: from a copy of the project with aliases in their place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import yaml

from roundtrip.errors import ParameterError
from roundtrip.files import alone_in, sha256_of_file
from roundtrip.params import ReportParameters
from roundtrip.params.edition import Notice
from roundtrip.project import Project
from roundtrip.publish import pipeline
from roundtrip.publish.commit import COMMIT_FILE, find_commit
from roundtrip.publish.manifest import input_files, named_places, read_manifest
from roundtrip.publish.options import Options, Progress
from roundtrip.redaction.names import Redact

if TYPE_CHECKING:
    from roundtrip.publish.afterwords import Writer

_NOTICE = Notice(
    title="Names",
    text="In this edition, aliases replace the names of hosts, people, queue managers and "
    "places. The same name always has the same alias. Raw files of campaigns that contain "
    "such a name are left out.",
)
_TABLE = "aliases.yml"


def build_edition(
    project: Project,
    parameters: ReportParameters,
    names: Sequence[Redact],
    options: Options,
    progress: Progress,
    afterwords: Callable[[Project, ReportParameters], Sequence[Writer]],
) -> pipeline.Built:
    """Build a report, with aliases for names if any are given.

    Parameters
    ----------
    names : sequence of Redact
        From `roundtrip.redaction.names.load_names`.
    afterwords : callable
        Gives the writers of chapters about the report itself, for what it is built from.

    Raises
    ------
    RoundtripError
        As `roundtrip.publish.pipeline.build` does, and if a name would be published.
    """
    if not names:
        writers = afterwords(project, parameters)
        return pipeline.build(project, parameters, options, progress, writers)
    if parameters.changes_since:
        raise ParameterError(
            "an older edition may tell names that this one replaces", where="changes_since",
            remedy="leave it empty in an edition with 'redact'",
        )  # fmt: skip
    from roundtrip.redaction.copy import aliases_for, folder_of_copy, write_copy

    with alone_in(project.cache / "redacted", wait=False):
        inputs = input_files(project, named_places(parameters.model_dump()))
        files = {name: path for name, path in inputs.items() if path.is_relative_to(project.root)
                 and project.root / name == path}  # fmt: skip
        aliases = aliases_for(names, files)
        said = aliases.replaced_in(parameters.model_dump(mode="json"))
        edition = type(parameters).model_validate(said)
        edition = edition.model_copy(update={"notices": (*edition.notices, _NOTICE)})
        place = folder_of_copy(project, edition.version)
        table = place.with_name(_TABLE)
        aliases.write(table)
        commit = find_commit(project.root, edition.date)
        made = {
            "params/report.yml": yaml.safe_dump(edition.model_dump(mode="json")),
            COMMIT_FILE: f"{commit.name or '-'} {commit.timestamp}\n",
        }
        copy = write_copy(project, files, made, aliases, place)
        writers = afterwords(copy, edition)
        built = pipeline.build(copy, edition, options, progress, writers, aliases)
    return replace(built, aliases=table)


def source_of(project: Project, version: str) -> Project:
    """Give the project that a report was built from: for one with aliases, the copy."""
    from roundtrip.redaction.copy import folder_of_copy

    manifest = read_manifest(project.reports / version)
    copy = Project(folder_of_copy(project, version), origin=project.root)
    if manifest is None or not copy.book.is_file():
        return project
    return copy if sha256_of_file(copy.book) == manifest["inputs"].get("_quarto.yml") else project
