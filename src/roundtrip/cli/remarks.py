"""``roundtrip remarks``: what a reviewer wrote, where it belongs now, and answers to it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from roundtrip.cli import _context
from roundtrip.errors import RenderError
from roundtrip.packet.archive import opened
from roundtrip.packet.changes import report_in
from roundtrip.params import resolve_parameters
from roundtrip.publish.manifest import manifest_of
from roundtrip.remarks.file import Remark, answer_remark, read_remarks, refuse_other_report
from roundtrip.remarks.places import Edition, Found


def remarks(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File exported from the site.")],
    edition: Annotated[
        Path | None,
        typer.Option(
            metavar="ARCHIVE|DIR", help="Edition to find them in; default: this project's report."
        ),
    ] = None,
    answer: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="ID TEXT", help="Answer the remark whose id starts with ID."),
    ] = None,
    format_: _context.FormatOption = "table",
) -> None:
    """List a reviewer's remarks and their places, or answer one.

    The places are those in an edition: a remark may have moved, or what it is about have changed.
    """
    if answer is not None:
        answered = answer_remark(file, *answer)
        typer.echo(f"answered {answered.short_id}: {file}")
        return
    collection = read_remarks(file)
    if edition is None:
        project = _context.project()
        edition = project.reports / resolve_parameters(project).version
        if not edition.is_dir():
            raise RenderError(
                "the report of this project is not built", where=project.relative(edition),
                remedy="run 'roundtrip build', or name an archive or a folder with --edition",
            )  # fmt: skip
    with opened(edition) as folder:
        report = report_in(folder)
        about, pages = manifest_of(report)["report"], Edition(report)
        refuse_other_report(collection.remarks, about["title"], file)
        found = [(remark, pages.find(remark)) for remark in collection.remarks]
    if format_ == "json":
        _context.print_json([_row(remark, place) for remark, place in found])
    else:
        _show(found, about["version"], Console())


def _row(remark: Remark, place: Found) -> dict[str, Any]:
    source = remark.target.source
    return {
        "id": remark.id, "by": remark.creator.name if remark.creator else "",
        "created": remark.created, "version": source.version, "page": source.id,
        "anchor": remark.anchor, "quote": remark.quote, "remark": remark.said,
        "answers": list(remark.answers), "status": place.status, "page_now": place.page,
        "anchor_now": place.anchor, "now": place.now,
    }  # fmt: skip


def _show(found: Sequence[tuple[Remark, Found]], version: str, console: Console) -> None:
    if not found:
        console.print("no remarks")
        return
    now = f"In version {version}"
    rows = []
    for remark, place in found:
        source = remark.target.source
        by = f"{remark.creator.name}: " if remark.creator else ""
        about = f"“{remark.quote}”\n{source.id}#{remark.anchor} in {source.version}"
        said = "\n".join([by + remark.said, *(f"Answer: {text}" for text in remark.answers)])
        where = {
            "same": "", "gone": "", "moved": f"{place.page}#{place.anchor}",
            "changed": f"“{place.now}”",
        }[place.status]  # fmt: skip
        rows.append((remark.short_id, about, said, place.status, where))
    heads = ("Id", "About", "Remark and answers", "Now", now)
    _context.show_table(console, heads, rows, {"About", "Remark and answers", now})
