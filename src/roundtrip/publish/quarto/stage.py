"""The book as a Quarto project: a folder that Quarto renders without executing anything."""

from __future__ import annotations

import copy
import html
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import nbformat
import yaml

from roundtrip.errors import RenderError
from roundtrip.files import disk_errors
from roundtrip.outputs import CALCULATOR, MARKDOWN, escape_markdown
from roundtrip.params import Notice
from roundtrip.project import Project
from roundtrip.publish.book import Book, Chapter
from roundtrip.publish.chapters.notebooks import (
    name_cells,
    option_lines,
    read_options,
    with_code_gathered,
    without_options,
)
from roundtrip.publish.html.assets import chart_library, write_downloads
from roundtrip.publish.html.items import calculator_html
from roundtrip.publish.pdf.render import front_matter
from roundtrip.publish.pdf.svg import picture_for_typst
from roundtrip.publish.pdf.writer import calculator_typst, table_data
from roundtrip.publish.quarto.markdown import (
    Addresses,
    caption_markdown,
    figure_html,
    front_markdown,
    page_of,
    raw_blocks,
    staged_markdown,
    table_html,
)
from roundtrip.theme import brand_pictures, load_theme, typeface
from roundtrip.yamlfile import load_yaml

TEMPLATES = ("quarto", "typst", "fonts")
"""Folders below ``templates/`` that Quarto reads."""


def stage_book(
    project: Project,
    book: Book,
    notebooks: Mapping[str, nbformat.NotebookNode],
    folder: Path,
    left_out: Mapping[str, str],
) -> None:
    """Lay out a book in an empty folder so that ``quarto render`` turns it into the report.

    For `left_out` see `roundtrip.publish.references.References`.
    """
    addresses = Addresses.of(book, left_out)
    with disk_errors(folder):
        _copy_templates(project, book, folder)
        write_downloads(book, folder / "data")
        for name in ("figures", "tables"):
            (folder / name).mkdir()
        for chapter in book.chapters:
            _write_items(chapter, folder, project)
            staged = stage_notebook(
                chapter, notebooks[chapter.name], addresses, book.edition.notices
            )
            (folder / page_of(chapter)).write_text(nbformat.writes(staged) + "\n", "utf-8")
        (folder / "_quarto.yml").write_text(configuration(project, book), "utf-8")
        (folder / "book.json").write_text(json.dumps(print_data(book)), "utf-8")


def stage_notebook(
    chapter: Chapter,
    notebook: nbformat.NotebookNode,
    addresses: Addresses,
    notices: Sequence[Notice],
) -> nbformat.NotebookNode:
    """Give a chapter the form that Quarto understands, in HTML and in Typst alike.

    Figures and tables become Markdown that holds HTML for the site and Typst for print. Links
    to other chapters name their file. The notices are for the home page.
    """
    staged = copy.deepcopy(notebook)
    staged.cells = with_code_gathered(staged.cells)
    page = page_of(chapter)
    for position, cell in enumerate(staged.cells):
        if cell.cell_type == "markdown":
            if chapter.kind == "front":
                cell.source = front_markdown(cell.source, first=position == 0)
            cell.source = staged_markdown(cell.source, page, addresses)
        for output in cell.get("outputs", []):
            _stage_output(cell, output, chapter, page, addresses)
    if chapter.kind == "front" and notices:
        staged.cells.append(_site_cell(_notices(notices)))
    staged.cells.append(_site_cell(_for_reviewers(chapter)))
    name_cells(staged.cells)
    return staged


def _stage_output(cell: Any, output: Any, chapter: Chapter, page: str, at: Addresses) -> None:
    def href(anchor: str) -> str | None:
        return at.href(anchor, page) if anchor else None

    code, options = without_options(cell.source), {}
    label = read_options(cell.source).get("label", "")
    if label in chapter.figures:
        figure = chapter.figures[label]
        caption = caption_markdown(figure.caption, figure.sources, href)
        options = {"label": label, "fig-cap": caption}
        where = f"data/{label}.csv" if figure.csv else ""
        alt = json.dumps(figure.alt, ensure_ascii=False)
        picture = f'#picture("/figures/{label}.svg", {alt})'
        shown = raw_blocks(html=figure_html(figure, where), typst=picture)
    elif label in chapter.tables:
        table = chapter.tables[label]
        # Quarto hands this caption on as an attribute, which takes one level of escapes away.
        caption = escape_markdown(table.caption).replace("\\", "\\\\")
        options = {"label": label, "tbl-cap": caption}
        where = f"data/{label}.csv" if table.csv else ""
        printed = f'#report-table("{label}")'
        shown = raw_blocks(html=table_html(table, where, href), typst=printed)
    elif CALCULATOR in output["data"] and chapter.calculator is not None:
        form = calculator_html(chapter.calculator)
        shown = raw_blocks(html=form, typst=calculator_typst(chapter))
    else:
        shown = staged_markdown(output["data"][MARKDOWN], page, at)
    # Nothing but Markdown: for any other output with HTML in it, Quarto loads scripts from a CDN.
    output["data"] = {MARKDOWN: shown}
    cell.source = "\n".join(filter(None, [*option_lines(options), code]))


def _site_cell(markdown: str) -> nbformat.NotebookNode:
    """Make a cell that the PDF leaves out."""
    source = f'::: {{.content-visible when-format="html"}}\n{markdown}\n:::'
    cell: nbformat.NotebookNode = nbformat.v4.new_markdown_cell(source)
    return cell


def _notices(notices: Sequence[Notice]) -> str:
    """Write the notices, which have a page of their own in the PDF."""
    parts = ["## Notices {.unnumbered}"]
    for notice in notices:
        parts.append(f"**{escape_markdown(notice.title)}**")
        parts += [escape_markdown(paragraph) for paragraph in notice.text.split("\n\n")]
    return "\n\n".join(parts)


def _for_reviewers(chapter: Chapter) -> str:
    """Offer the executed notebook and the page for reviewers."""
    name = html.escape(chapter.name)
    return raw_blocks(
        html='<p class="rt-tools">'
        f'<a href="notebooks/{name}.ipynb" data-noresolveinput download>Executed notebook</a> · '
        f'<a href="review/{name}.html">Page with code, for reviewers</a></p>'
    )


def _write_items(chapter: Chapter, folder: Path, project: Project) -> None:
    for label, figure in chapter.figures.items():
        picture = picture_for_typst(figure.svg, project)
        (folder / "figures" / f"{label}.svg").write_text(picture, "utf-8")
    for label, table in chapter.tables.items():
        data = table_data(table, chapter, typeface(project))
        (folder / "tables" / f"{label}.json").write_text(json.dumps(data), "utf-8")


def _copy_templates(project: Project, book: Book, folder: Path) -> None:
    for name in TEMPLATES:
        for source in reversed(project.template_folders(name)):
            shutil.copytree(source, folder / "templates" / name, dirs_exist_ok=True)
    theme = load_theme(project)
    templates = folder / "templates"
    (templates / "typst" / "theme.typ").write_text(theme.typst(), "utf-8")
    modes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for mode in modes:
        sheet = templates / "quarto" / f"{mode}.scss"
        sheet.write_text(sheet.read_text("utf-8") + theme.scss(mode), "utf-8")
    sheet = templates / "quarto" / "report.css"
    sheet.write_text(sheet.read_text("utf-8") + theme.font_faces(), "utf-8")
    assets = folder / "assets"
    assets.mkdir()
    for name, content in brand_pictures(project).items():
        (templates / "typst" / name).write_bytes(content)
        (assets / name).write_bytes(content)
    library = chart_library(book, project)
    if library is not None:
        shutil.copyfile(library, assets / "plotly.min.js")
        shutil.copyfile(project.template("html/assets/figures.js"), assets / "figures.js")
    if any(chapter.calculator for chapter in book.chapters):
        (assets / "css").mkdir()
        shutil.copyfile(project.template("html/assets/calculator.js"), assets / "calculator.js")
        sheet = project.template("css/calculator.css")
        shutil.copyfile(sheet, assets / "css" / sheet.name)


def configuration(project: Project, book: Book) -> str:
    """Write ``_quarto.yml`` of the staged book: the definition, and what edition and commit add."""
    defaults = load_yaml(project.template("quarto/defaults.yml"), RenderError)
    settings: dict[str, Any] = {**defaults, **load_yaml(project.book, RenderError)}
    edition, theme = book.edition, load_theme(project)
    appendices = [page_of(chapter) for chapter in book.chapters if chapter.kind == "appendix"]
    settings["lang"] = edition.lang
    settings["project"]["resources"] = ["assets/**", "data/**"]
    settings["book"] |= {
        "title": edition.title,
        "subtitle": edition.subtitle,
        "author": list(edition.authors),
        "date": edition.date,
        "date-format": "D MMMM YYYY",
        "chapters": [page_of(item) for item in book.chapters if item.kind != "appendix"],
        "appendices": appendices,
        "page-footer": {
            "left": theme.footer or front_matter(book)["edition"],
            "right": "[PDF](../report.pdf) · [Manifest](../manifest.json)",
        },
    }
    if theme.logo:
        settings["book"]["sidebar"] = {"logo": f"assets/{theme.logo}"}
    if theme.cover:
        settings["book"]["cover-image"] = f"assets/{theme.cover}"
        settings["book"]["cover-image-alt"] = edition.title
    if not appendices:
        del settings["book"]["appendices"]
    # Without an icon of its own, every page would ask for one that does not exist.
    settings["format"]["html"]["include-in-header"] = [{"text": '<link rel="icon" href="data:,">'}]
    if book.banner:
        banner = f'<p class="rt-banner" role="note">{html.escape(book.banner)}</p>'
        settings["format"]["html"]["include-before-body"] = [{"text": banner}]
    return yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)


def print_data(book: Book) -> dict[str, Any]:
    """Give what ``templates/quarto/typst-show.typ`` reads from ``book.json``.

    What the embedded renderer prints, and number and title of every figure and table.
    """
    items = {}
    for chapter in book.chapters:
        for label, figure in chapter.figures.items():
            items[label] = _item("fig", figure.number, figure.title)
        for label, table in chapter.tables.items():
            items[label] = _item("tbl", table.number, table.caption)
    return {**front_matter(book), "items": items}


def _item(kind: str, number: str, title: str) -> dict[str, str]:
    return {"kind": f"quarto-float-{kind}", "number": number, "title": title}
