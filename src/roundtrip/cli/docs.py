"""``roundtrip docs``: the guides that messages and files name, also where there is no checkout."""

from __future__ import annotations

from typing import Annotated

import typer

from roundtrip.errors import DataError, unknown
from roundtrip.project import PACKAGE

_CHECKOUT = PACKAGE.parents[1] / "docs"
_FOLDER = _CHECKOUT if (_CHECKOUT / "first-report.md").is_file() else PACKAGE / "_docs"


def docs(
    page: Annotated[
        str | None, typer.Argument(metavar="PAGE", help="Guide to print, such as campaigns.")
    ] = None,
) -> None:
    """List the guides, or print one as Markdown."""
    pages = {path.stem: path for path in sorted(_FOLDER.glob("*.md"))}
    if page is None:
        for name, path in pages.items():
            title = path.read_text("utf-8").partition("\n")[0].removeprefix("# ")
            typer.echo(f"{name:<14} {title}")
        typer.echo("\n'roundtrip docs PAGE' prints one.")
        return
    name = page.removesuffix(".md")
    if name not in pages:
        raise unknown(DataError, "page", page, pages, remedy="'roundtrip docs' lists them all")
    typer.echo(pages[name].read_text("utf-8"), nl=False)
