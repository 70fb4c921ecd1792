"""``roundtrip audit``: from a PDF to a short report on whether it agrees with itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from roundtrip.cli import _context
from roundtrip.cli.import_ import read_document
from roundtrip.errors import ParameterError
from roundtrip.files import sha256_of_file
from roundtrip.observations import load_observations
from roundtrip.params import resolve_parameters
from roundtrip.project import refuse_id
from roundtrip.publish.options import Options
from roundtrip.publish.pipeline import build


def audit(
    pdf: Annotated[Path, typer.Argument(metavar="REPORT.pdf", help="The report.")],
    name: Annotated[
        str | None,
        typer.Option("--id", metavar="ID", help="Id of its draft; default: from the file name."),
    ] = None,
    pages: _context.PagesOption = None,
) -> None:
    """Check a report's PDF against itself and write a short audit.

    The audit, HTML and PDF, goes to reports/audit-ID/.
    """
    from roundtrip.audit.gather import gather
    from roundtrip.audit.project import audit_project
    from roundtrip.drafting.contents import load_draft

    project = _context.project()
    stem = re.sub(r"[^a-z0-9.]+", "-", pdf.stem.lower()).strip("-.")[:60].rstrip("-.")
    name = stem or "report" if name is None else name
    refuse_id("report", name, "--id")
    if not (project.published / name).exists():
        read_document(project, pdf, name, pages)
    draft = load_draft(project.drafts / name)
    if draft is None or not pdf.is_file() or sha256_of_file(pdf) != draft.document:
        raise ParameterError(
            f"the report '{name}' was not read from {pdf.name}", where=project.published / name,
            allowed="the PDF that its draft was read from, with the draft in data/drafts",
            remedy="choose another id",
        )  # fmt: skip
    found = gather(load_observations(project), name, draft)
    shown = audit_project(project, found, resolve_parameters(project).date)
    options = Options("embedded", allow_failed_checks=True, overwrite=True)
    built = build(shown, resolve_parameters(shown), options, _context.RichProgress())
    folder = project.relative(built.folder)
    typer.echo(f"Contradictions proposed: {len(found.contradictions)}. Grade: {found.graded}")
    typer.echo(f"{folder}/html/index.html\n{folder}/report.pdf")
