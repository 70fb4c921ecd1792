"""``roundtrip diff``: what changed from one edition to another."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from roundtrip.cli import _context
from roundtrip.errors import DataError, SetupError
from roundtrip.observations import load_observations
from roundtrip.packet.archive import opened
from roundtrip.packet.at_commit import built_at, commit_of
from roundtrip.packet.changes import Change, changes, page_of_changes, report_in
from roundtrip.params import resolve_parameters
from roundtrip.project import Project
from roundtrip.sources.published import report_folders

_EDITION = (
    "Archive, report folder, or commit of the project (which is built first); "
    "or both the ids of published reports in data/published."
)


def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD", help=_EDITION)],
    new: Annotated[Path, typer.Argument(metavar="NEW", help=_EDITION)],
    format_: _context.PageFormatOption = "table",
) -> None:
    """Compare two editions of a report, or two published reports.

    Of editions: verdicts, numbers, sentences, parameters, versions. Of published reports: cells,
    rows and tables, and sentences that stayed although the numbers they rest on changed.
    """
    found = _of_published(old, new)
    if found is None:
        with _edition(old) as first, _edition(new) as second:
            found = changes(first, second)
    if format_ == "json":
        _context.print_json([asdict(change) for change in found])
    elif format_ == "html":
        sys.stdout.write(page_of_changes(found, old.name, new.name))
    else:
        _show(found, Console(emoji=False))


def _of_published(old: Path, new: Path) -> list[Change] | None:
    """Compare two published reports; None where neither name is the id of one."""
    if old.exists() or new.exists():
        return None
    project = _project(old)
    if not {str(old), str(new)} & {*_report_ids(project)}:
        return None
    from roundtrip.claims import load_ledger
    from roundtrip.packet.published_editions import published_changes

    observations = load_observations(project)
    for name in (old, new):
        observations.report(str(name))  # names the nearest id, before claims are computed
    ledger = load_ledger(observations, resolve_parameters(project).word_limits)
    return published_changes(observations, ledger, str(old), str(new))


def _project(place: Path) -> Project:
    """Give the project of which a name that is no path may be a commit or a published report."""
    try:
        return _context.project()
    except SetupError as problem:
        if problem.where is not None:  # one that was named, or that is not whole
            raise
        raise SetupError(
            "is neither an archive nor a folder, and there is no report project of which it could "
            "be a commit or a published report",
            where=place, remedy=f"correct the path, or {problem.remedy}",
        ) from problem  # fmt: skip


def _report_ids(project: Project) -> list[str]:
    return [folder.name for folder in report_folders(project.published)]


@contextmanager
def _edition(place: Path) -> Iterator[Path]:
    """Give the folder of a built report; what is no path may name a commit."""
    if not place.exists():
        project = _project(place)
        commit = commit_of(project, str(place))
        if commit is None:
            ids = ", ".join(_report_ids(project)) or "none yet"
            raise DataError(
                "is neither an archive nor a folder nor a commit of the project",
                where=place, allowed=f"two editions, or two published reports: {ids}",
            )  # fmt: skip
        typer.echo(f"building the edition of commit {commit[:10]}", err=True)
        with built_at(project, commit) as folder:
            yield folder
        return
    with opened(place) as folder:
        yield report_in(folder)


def _show(found: Sequence[Change], console: Console) -> None:
    if not found:
        console.print("nothing changed")
        return
    rows = [(one.kind, one.where, one.old, one.new, one.size) for one in found]
    heads = ("Kind", "Where", "Old", "New", "Change")
    _context.show_table(console, heads, rows, heads)
