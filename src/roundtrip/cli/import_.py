"""``roundtrip import``: a draft of a published report from its PDF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from roundtrip.cli import _context
from roundtrip.project import Project, refuse_id

if TYPE_CHECKING:
    from roundtrip.drafting.draft import Drafted


def import_(
    pdf: Annotated[Path, typer.Argument(metavar="REPORT.pdf", help="The report.")],
    name: Annotated[
        str, typer.Option("--id", metavar="ID", help="Id of the new report, such as acme-mq-v1.")
    ],
    pages: _context.PagesOption = None,
) -> None:
    """Draft a published report from its PDF, reading every table twice."""
    project = _context.project()
    refuse_id("report", name, "--id")
    drafted = read_document(project, pdf, name, pages)
    read = drafted.read
    rows = []
    for found in read.tables:
        cells = list(found.cells)
        counts = (len(found.rows), len(cells), sum(bool(cell.readings) for cell in cells))
        told = ["" if found.trouble else count for count in counts]
        rows.append((found.number, found.page, *told, found.trouble))
    if rows:
        heads = ("Table", "Page", "Rows", "Cells", "Open", "To be typed, because")
        _context.show_table(Console(), heads, rows, heads[-1:])
    else:
        typer.echo(
            "No captions of tables found. A caption is a line with 'Table', a number, and a colon, "
            "full stop or dash."
        )
    if read.figures:
        charts = [one for one in read.figures if not one.trouble]
        points = sum(len(one.points) for one in charts)
        typer.echo(
            f"Figures: {len(read.figures)}; points read: {points}, from {len(charts)} of them. "
            "reading/check.html says which are to be read by hand, and why."
        )
    machines = len({(one.section, one.machine) for one in read.said if one.machine})
    front = [one.key for one in read.said if not one.machine and one.key != "tuning"]
    settings = sum(one.key == "tuning" for one in read.said)
    typer.echo(
        f"In report.yml, as the document says: {', '.join(front) or 'no title, edition, date'}; "
        f"machines: {machines}; settings: {settings}."
    )
    if drafted.scripts:
        typer.echo("There are scripts in the document. They were not run.")
    folder = project.relative(drafted.folder)
    if drafted.kept:
        typer.echo(f"Kept as you left them: {', '.join(drafted.kept)}")
    typer.echo(
        f"{folder}\nOpen {folder}/reading/check.html, complete the files, then run "
        f"'roundtrip new report {name} --draft'."
    )


def read_document(project: Project, pdf: Path, name: str, pages: str | None) -> Drafted:
    """Draft a report with a bar that shows the pages read so far."""
    from roundtrip.drafting.draft import draft_report

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    # Where nobody watches, a bar would leave an empty line.
    unseen = not console.is_interactive
    with Progress(*columns, console=console, transient=True, disable=unseen) as progress:
        task = progress.add_task("pages", total=None)
        return draft_report(
            project, pdf, name, pages,
            lambda done, total: progress.update(task, completed=done, total=total),
        )  # fmt: skip
