"""A small report as the build hands it to Quarto: finalised notebooks and the book made of them."""

from __future__ import annotations

import json
from pathlib import Path

import plotly.graph_objects as go
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from roundtrip.cache import Cache
from roundtrip.outputs import BodyCell, HeaderCell
from roundtrip.params import ReportParameters
from roundtrip.present.figure import Figure
from roundtrip.present.tables import Table
from roundtrip.publish.assembly import chapters_of
from roundtrip.publish.book import Book
from roundtrip.publish.book_definition import ChapterPlan
from roundtrip.publish.chapters.finalise import finalise
from roundtrip.publish.draft import draft_chapter

REPORT = "ibm-mq-v9.4-linux"
PRINTED = f"tbl-{REPORT}-table-03".replace(".", "-")
CELL = f"cell-{REPORT}-table-03-r1c1"
LEFT_OUT = {"sec-tls": "TLS"}
ORDER = (
    ("00-about", "front", ""),
    ("20-compression", "chapter", "1"),
    ("90-configurations", "appendix", "A"),
    ("95-source-tables", "appendix", "B"),
)

ABOUT = """# About this report {#sec-about}

Read @sec-compression first. In code, `@sec-about` and `[x](#sec-about)` stay.

## Reading order {#sec-order}

```
# not a heading @sec-tls
```"""
COMPRESSION = (
    "# Compression {#sec-compression}\n\nAfter @sec-about and @sec-order; see [@fig-peaks], "
    f"@tbl-sizes, @fig-hosts, @{PRINTED} and @sec-tls ([@sec-tls])."
)
VALUE = f"The rate was [79,442](#{CELL}), see @sec-peaks.\n\n| a | b |\n|---|--:|\n| x | 1 |"


def picture(text: str) -> str:
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="120" viewBox="0 0 400 120">'
        '<defs><clipPath id="c"><path d="M0 0H400V120H0Z"/></clipPath></defs>\n\n'
        f'<text x="9" y="40" font-family="IBM Plex Sans" font-weight="600">{text}</text></svg>'
    )


def chart() -> Figure:
    return Figure(
        "LZ4FAST wins", 'Peaks of <both> "variants" @home.', 'Bars: "LZ4FAST" isn\'t slower.',
        (f"{REPORT}/table-03/r1c1",), go.Figure(go.Bar(x=["</script>"], y=[1])), None, "a,b\n1,2\n",
    )  # fmt: skip


def table(caption: str, rows: int, anchored: bool) -> Table:
    heads = (HeaderCell("Size", align="left"), HeaderCell("Rate & CPU"), HeaderCell("Setting"))
    body = [(BodyCell("Non-persistent", kind="group"),)]
    for number in range(1, rows + 1):
        anchor = f"cell-{REPORT}-table-03-r{number}c1" if anchored else None
        link = None if anchored else CELL
        body.append(
            (
                BodyCell(f"{number} KB", "left", kind="label"),
                BodyCell("79,442", strong=True, anchor=anchor, link=link),
                BodyCell("MQ_<X>", "left", kind="code"),
            )
        )
    label = PRINTED if anchored else None
    return Table(
        caption, (heads,), tuple(body), ("A note.",), (f"{REPORT}/table-03/r1c1",), "a\n1\n", label
    )


def shown(item: Figure | Table) -> NotebookNode:
    bundle = json.loads(json.dumps(dict(item._repr_mimebundle_())))
    return new_output("display_data", data=bundle)


def text(markdown: str) -> NotebookNode:
    return new_output("display_data", data={"text/markdown": markdown, "text/plain": "Text"})


def notebooks() -> dict[str, NotebookNode]:
    """Give the chapters, finalised."""
    drawn = Figure("Hosts", "The hosts.", "Three hosts.", (), None, picture("Hosts"), "")
    chapters = {
        "00-about": [new_markdown_cell(ABOUT), new_code_cell("intro()", outputs=[text("Hello.")])],
        "20-compression": [
            new_markdown_cell(COMPRESSION),
            new_code_cell("sizes = [2048]", metadata={"tags": ["parameters"]}),
            new_code_cell("chapter = open_chapter()"),
            new_markdown_cell("## Peaks {#sec-peaks}"),
            new_code_cell("#| label: fig-peaks\npeaks()", outputs=[shown(chart())]),
            new_code_cell("say()", outputs=[text(VALUE)]),
            new_code_cell(
                "#| label: tbl-sizes\nsizes()",
                outputs=[shown(table("Rates by <size> & *variant*", 3, anchored=False))],
            ),
        ],
        "90-configurations": [
            new_markdown_cell("# Configurations {#sec-configurations}\n\nSee @sec-order."),
            new_code_cell("#| label: fig-hosts\nhosts()", outputs=[shown(drawn)]),
        ],
        "95-source-tables": [
            new_markdown_cell("# Source tables {#sec-source-tables}"),
            new_code_cell("show()", outputs=[shown(table("Table 3", 20, anchored=True))]),
        ],
    }
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {
        name: finalise(
            new_notebook(cells=cells, metadata=metadata), {"fig-peaks": picture("Peaks")}, name
        )
        for name, cells in chapters.items()
    }


def parameters(**changes) -> ReportParameters:
    return ReportParameters(
        **{
            "version": "0.1.0", "date": "2026-11-21", "title": "Messaging performance",
            "subtitle": "IBM MQ V9.4", "authors": ["A. Author"],
            "notices": [{"title": "No *warranty*", "text": "None.\n\nAt all."}], **changes,
        }
    )  # fmt: skip


def book(chapters: dict[str, NotebookNode], cache: Path, banner: str | None = None) -> Book:
    """Make the book of finalised chapters."""
    plans = [ChapterPlan(Path(f"{name}.ipynb"), kind, number) for name, kind, number in ORDER]
    drafts = [draft_chapter(chapters[plan.source.stem], plan, Cache(cache)) for plan in plans]
    parts, targets = chapters_of(
        drafts, LEFT_OUT, {REPORT: "MQ V9.4"}, {f"{REPORT}/table-03": "Table 3"}
    )
    anchors = {label: target.chapter for label, target in targets.items()}
    return Book(parameters(), "28fae05c1", 1795219200, parts, anchors, banner)
