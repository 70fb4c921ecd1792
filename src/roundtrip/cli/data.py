"""``roundtrip data``: the printed cells and the tidy table, for other tools."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from roundtrip.cli import _context
from roundtrip.csvfile import without_formula
from roundtrip.errors import ParameterError
from roundtrip.files import write_atomically
from roundtrip.observations import CELL_COLUMNS, load_observations

data = typer.Typer(help="Export the data.", no_args_is_help=True, rich_markup_mode=None)


@data.command()
def cells(
    report: _context.ReportOption = None,
    format: Annotated[
        Literal["csv", "json"], typer.Option(help="CSV, or JSON for programs.")
    ] = "csv",
) -> None:
    """Print one row per printed numeric cell, in the printed unit."""
    observations = load_observations(_context.project())
    ids = observations.report_ids if report is None else [report]
    frames = [observations.cells(name) for name in ids]
    if format == "json":
        _context.print_json([row for frame in frames for row in frame.to_dict("records")])
        return
    typer.echo(",".join(CELL_COLUMNS))
    for frame in frames:
        text = frame.map(without_formula).to_csv(index=False, header=False, lineterminator="\n")
        sys.stdout.write(text)


@data.command()
def observations(
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="File to write, .csv or .parquet; default: CSV to standard output.",
        ),
    ] = None,
) -> None:
    """Export the tidy table, one row per observed value."""
    import pyarrow.parquet

    if output is not None and output.suffix not in (".csv", ".parquet"):
        raise ParameterError(
            f"unknown ending '{output.suffix}'", where=output, allowed=".csv, .parquet"
        )
    found = load_observations(_context.project())
    if output is None:
        sys.stdout.write(found.csv().decode())
        return
    content = found.csv()
    if output.suffix == ".parquet":
        stream = io.BytesIO()
        pyarrow.parquet.write_table(found.table, stream, compression="zstd")
        content = stream.getvalue()
    write_atomically(output, content)
    typer.echo(f"{found.table.num_rows} observations in {output}", err=True)
