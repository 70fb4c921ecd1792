"""From an executed notebook to the one both renderers read: captions, pictures, labels."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nbformat import NotebookNode

from roundtrip.errors import ChapterError
from roundtrip.outputs import CALCULATOR, FIGURE, MARKDOWN, PLOTLY, SVG, TABLE, escape_markdown
from roundtrip.publish.chapters.inline import RESULTS, with_values
from roundtrip.publish.chapters.notebooks import (
    LABEL,
    name_cells,
    numbered,
    option_lines,
    options_of,
    read_options,
    tags_of,
    with_cells,
    without_options,
)

_KINDS = {"calculator": CALCULATOR, "figure": FIGURE, "table": TABLE}
"""What a cell may show beside text."""


@dataclass(frozen=True)
class Shown:
    """One output of a chapter: its bundle, with the options of its cell.

    The label is empty for calculators and text.
    """

    kind: str
    label: str
    data: dict[str, Any]
    options: dict[str, str]

    @property
    def margins(self) -> list[str]:
        """How far ratios that it shows may be off, a sentence for each source."""
        return list((self.data.get(FIGURE) or self.data.get(TABLE) or {}).get("margins", ()))


def outputs_of(cell: Any, where: str) -> list[Shown]:
    """Give what a code cell shows, refusing what a report cannot hold.

    That is what is printed, warnings, and all but figures, tables, calculators and text; a
    figure or table without a label, a figure without alt text.
    """
    options = options_of(cell.source, where)
    shown = []
    for output in cell.outputs:
        if output.output_type == "stream":
            raise ChapterError(
                f"prints to {output.name}: {output.text.strip()[:200]}",
                where=where,
                remedy="show text with chapter.text(…); fix the cause of warnings",
            )
        data = output.get("data", {})
        kind = next((kind for kind, mime in _KINDS.items() if mime in data), "text")
        if kind in ("calculator", "text"):
            if MARKDOWN not in data:
                raise ChapterError(
                    f"shows {', '.join(sorted(data)) or 'nothing'}, which a report cannot hold",
                    where=where,
                    allowed="figures, tables and text of roundtrip.present; plotly_figure(…) takes "
                    "a Plotly figure, with title, caption, alt text and data",
                )
            shown.append(Shown(kind, "", dict(data), options))
            continue
        label = str(data.get(TABLE, {}).get("label") or options.get("label", ""))
        short = "fig" if kind == "figure" else "tbl"
        if not label.startswith(f"{short}-") or not LABEL.fullmatch(label):
            raise ChapterError(
                f"shows a {kind} with the label '{label}'",
                where=where,
                allowed=f"{short}-name, of lower-case letters, digits and hyphens",
                remedy=f"start the cell with '#| label: {short}-name'",
            )
        alt = options.get("fig-alt") or data.get(FIGURE, {}).get("alt", "")
        if kind == "figure" and not alt.strip():
            raise ChapterError(
                f"figure {label} has no alt text",
                where=where,
                remedy="say in `#| fig-alt:` what the figure shows",
            )
        shown.append(Shown(kind, label, dict(data), options))
    return shown


def charts_of(notebook: NotebookNode, where: str) -> dict[str, dict[str, Any]]:
    """Give the interactive charts of an executed chapter, by label."""
    charts = {}
    for number, cell in numbered(notebook):
        if cell.cell_type == "code":
            for shown in outputs_of(cell, f"{where}: cell {number}"):
                if PLOTLY in shown.data:
                    charts[shown.label] = shown.data[PLOTLY]
    return charts


def finalise(executed: NotebookNode, pictures: Mapping[str, str], where: str) -> NotebookNode:
    """Make the notebook that renderers read and that is offered beside the report.

    Every figure and table gets a cell of its own whose options hold label, caption and alt text;
    a figure's output becomes static SVG with the chart's specification beside it. A margin is
    stated by the first of them that has it, unless the chapter's text states it.

    Parameters
    ----------
    pictures : mapping
        Figure label to SVG.

    Raises
    ------
    ChapterError
        If the chapter has code and no output at all, or shows what a report cannot hold.
    """
    cells: list[NotebookNode] = []
    outputs = 0
    text = _text_of(executed)
    for number, cell in numbered(executed):
        if cell.cell_type != "code":
            cells.append(copy.deepcopy(cell))
            outputs += RESULTS in cell.metadata
            continue
        place = f"{where}: cell {number}"
        shown = outputs_of(cell, place)
        outputs += len(shown)
        code = without_options(cell.source)
        if not shown:
            cells.append(_cell(cell, code, None, {}))
        for position, item in enumerate(shown):
            source = code if position == 0 else ""
            if item.kind == "text" and str(item.data[MARKDOWN]).startswith("#"):
                # Renderers look for headings in text, not in what code shows.
                if source:
                    cells.append(_cell(cell, source, None, {}))
                cells.append(NotebookNode(
                    cell_type="markdown", id="", metadata=NotebookNode(),
                    source=str(item.data[MARKDOWN]),
                ))  # fmt: skip
            else:
                # A text may say more in that sentence.
                told = {one: escape_markdown(one.removesuffix(".")) for one in item.margins}
                margins = [one for one, words in told.items() if words not in text]
                text += "".join(told[one] for one in margins)
                cells.append(_cell(cell, source, item, pictures, margins))
    if not outputs and any(cell.cell_type == "code" for cell in cells):
        raise ChapterError(
            "has code and no output", where=where, remedy="let a cell end with what it shows"
        )
    name_cells(cells)
    final = with_cells(executed, cells)
    final.metadata = copy.deepcopy(executed.metadata)
    final.metadata.pop("widgets", None)
    return final


def figure_cell(stands_for: NotebookNode, bundle: Mapping[str, Any]) -> NotebookNode:
    """Give a finalised cell another figure, under the same label; a bundle with its drawing."""
    label = read_options(stands_for.source)["label"]
    item = Shown("figure", label, dict(bundle), {})
    made = _cell(stands_for, without_options(stands_for.source), item, {})
    made["id"] = stands_for["id"]
    return made


def _text_of(executed: NotebookNode) -> str:
    """Give what a chapter says in Markdown: its texts with their values, and what code shows."""
    texts = []
    for cell in with_values(executed).cells:
        if cell.cell_type == "markdown":
            texts.append(cell.source)
        texts += [output.get("data", {}).get(MARKDOWN, "") for output in cell.get("outputs", ())]
    return "\n".join(map(str, texts))


def _cell(
    origin: Any, code: str, item: Shown | None, pictures: Mapping[str, str],
    margins: Sequence[str] = (),
) -> NotebookNode:  # fmt: skip
    # nbformat's own functions validate every cell; the whole notebook is when it is written.
    cell = NotebookNode(
        cell_type="code", id="", metadata=NotebookNode(), execution_count=None, source=code,
        outputs=[],
    )  # fmt: skip
    if tags_of(origin):
        cell.metadata["tags"] = tags_of(origin)
    if item is None:
        return cell
    options: dict[str, str] = {}
    data = dict(item.data)
    if item.kind == "figure":
        figure = data[FIGURE]
        caption = item.options.get("fig-cap") or figure["caption"]
        if margins:
            caption = " ".join([f"{caption.removesuffix('.')}.", *margins])
        options = {
            "label": item.label,
            "fig-cap": caption,
            "fig-alt": item.options.get("fig-alt") or figure["alt"],
        }
        data = {kind: data[kind] for kind in (FIGURE, SVG, PLOTLY) if kind in data}
        data |= {SVG: pictures[item.label]} if item.label in pictures else {}
    elif item.kind == "table":
        options = {
            "label": item.label,
            "tbl-cap": item.options.get("tbl-cap") or data[TABLE]["caption"],
        }
        data[TABLE] = {**data[TABLE], "notes": [*data[TABLE]["notes"], *margins]}
    else:
        data = {kind: data[kind] for kind in (CALCULATOR, MARKDOWN) if kind in data}
    cell.source = "\n".join([*option_lines(options), code]).rstrip("\n")
    output = {"output_type": "display_data", "metadata": NotebookNode(), "data": NotebookNode(data)}
    cell.outputs = [NotebookNode(output)]
    return cell
