"""From finalised notebooks to the book: parse, number, resolve references."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import nbformat

from roundtrip.cache import Cache
from roundtrip.errors import ChapterError, RenderError, nearest
from roundtrip.files import sha256_of
from roundtrip.outputs import CALCULATOR, FIGURE, PLOTLY, SVG, TABLE, table_label
from roundtrip.publish.book import (
    APART,
    CALLOUTS,
    PLACEHOLDER,
    Block,
    BodyCell,
    Chapter,
    CodeItem,
    FigureItem,
    HeaderCell,
    Source,
    TableItem,
    TableModel,
)
from roundtrip.publish.chapters.finalise import MARKDOWN, read_options
from roundtrip.publish.chapters.notebooks import heading_of, without_options
from roundtrip.publish.pandoc import parse_markdown, plain, walk

_REFUSED = {
    "Math": "formulas", "Image": "images from files", "LineBlock": "line blocks",
    "Figure": "images from files",
}  # fmt: skip
_SHORTCODE = re.compile(r"(?<!\\)\{\{<")
_SCHEMES = ("http://", "https://", "mailto:", "#")


@dataclass
class Draft:
    """A chapter before its references are resolved."""

    name: str
    kind: Literal["front", "chapter", "appendix"]
    number: str
    title: str
    label: str
    blocks: list[Block]
    figures: dict[str, dict[str, Any]] = field(default_factory=dict)
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    codes: list[CodeItem] = field(default_factory=list)
    calculator: dict[str, Any] | None = None


@dataclass(frozen=True)
class Target:
    """What a label stands for: where it is, and how a reference to it reads."""

    chapter: str
    text: str
    number: str


def draft_chapter(
    notebook: nbformat.NotebookNode,
    name: str,
    kind: Literal["front", "chapter", "appendix"],
    number: str,
    cache: Cache,
) -> Draft:
    """Turn one finalised notebook into Pandoc blocks with placeholders.

    Parameters
    ----------
    notebook : notebook
        From `roundtrip.publish.chapters.finalise.finalise`.
    name : str
        File stem.
    kind, number : str
        Part of the book and the chapter's number.
    cache : Cache
        Keeps parsed text.

    Raises
    ------
    ChapterError, RenderError
        If the chapter uses what the embedded renderer does not understand; it is named.
    """
    title, label = heading_of(notebook, Path(name))
    draft = Draft(name, kind, number, title, label, [])
    parts: list[str] = []
    for position, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            source = cell.source
            if position == 0:
                source = "\n".join(source.splitlines()[1:])
            parts.append(source)
        elif cell.cell_type == "code":
            _add_code(draft, cell, parts)
    text = "\n\n".join(parts)
    if _SHORTCODE.search(text):
        raise _unsupported("shortcodes", name)
    draft.blocks = _parse(text, cache, name)
    _refuse_unknown(draft)
    return draft


def _add_code(draft: Draft, cell: Any, parts: list[str]) -> None:
    code = without_options(cell.source).strip()
    if code:
        parts.append(_placeholder(f"code:{len(draft.codes)}"))
        draft.codes.append(CodeItem(code))
    for output in cell.outputs:
        data = output.data
        if FIGURE in data:
            options = read_options(cell.source)
            draft.figures[options["label"]] = {**data, "options": options}
            parts.append(_placeholder(f"figure:{options['label']}"))
        elif TABLE in data:
            options = read_options(cell.source)
            draft.tables[options["label"]] = {**data[TABLE], "options": options}
            parts.append(_placeholder(f"table:{options['label']}"))
        elif CALCULATOR in data:
            if draft.calculator is not None:
                raise ChapterError(
                    "shows a second calculator: the address of a page keeps the state of one",
                    where=f"notebooks/{draft.name}.ipynb",
                )
            draft.calculator = data[CALCULATOR]
            parts.append(_placeholder("calculator:form"))
        else:
            parts.append(data[MARKDOWN])


def _placeholder(text: str) -> str:
    return f"``` {{={PLACEHOLDER}}}\n{text}\n```"


def _parse(text: str, cache: Cache, name: str) -> list[Block]:
    def parsed() -> str:
        try:
            return json.dumps(parse_markdown(text)["blocks"], ensure_ascii=False)
        except RenderError as problem:
            raise RenderError(problem.what, where=f"notebooks/{name}.ipynb") from problem

    blocks: list[Block] = json.loads(cache.text("blocks", sha256_of(text)[:24], parsed))
    return blocks


def _refuse_unknown(draft: Draft) -> None:
    where = f"notebooks/{draft.name}.ipynb"
    for element in walk(draft.blocks):
        kind = element["t"]
        refused = _REFUSED.get(kind)
        if kind == "RawBlock" and not _is_placeholder(draft, element):
            refused = f"raw {element['c'][0]} blocks"
        if kind == "RawInline":
            refused = f"raw {element['c'][0]} text: {element['c'][1]}"
        unknown = [] if kind != "Div" else [n for n in element["c"][0][1] if n not in CALLOUTS]
        if unknown:
            refused = f"blocks of class '{unknown[0]}'"
        unknown = [] if kind != "Header" else [n for n in element["c"][1][1] if n != APART]
        if unknown:
            refused = f"headings of class '{unknown[0]}' (allowed: {APART})"
        if refused:
            raise _unsupported(refused, draft.name)
        if kind == "Link" and not element["c"][2][0].startswith(_SCHEMES):
            raise RenderError(
                f"link to '{element['c'][2][0]}'", where=where, allowed=", ".join(_SCHEMES)
            )


def _unsupported(what: str, name: str) -> RenderError:
    return RenderError(
        f"the embedded renderer does not support {what}",
        where=f"notebooks/{name}.ipynb",
        remedy="use Markdown text, and figures and tables of roundtrip.present",
    )


def _is_placeholder(draft: Draft, element: Block) -> bool:
    name, _, rest = element["c"][1].strip().partition(":")
    known: Mapping[str, Sequence[str] | Mapping[str, Any]] = {
        "figure": draft.figures,
        "table": draft.tables,
        "code": [str(number) for number in range(len(draft.codes))],
        "calculator": [] if draft.calculator is None else ["form"],
    }
    return element["c"][0] == PLACEHOLDER and name in known and rest in known[name]


class References:
    """All labels of the book, and what is said where a chapter was left out.

    Parameters
    ----------
    drafts : sequence of Draft
        In book order.
    left_out : mapping
        Labels of chapters that this edition leaves out, to the chapter's title.
    of_data : callable
        Whether an anchor is that of a value or a claim among the data, which a book need not show.
    """

    def __init__(
        self,
        drafts: Sequence[Draft],
        left_out: Mapping[str, str],
        of_data: Callable[[str], bool],
    ) -> None:
        self.of_data = of_data
        self.targets: dict[str, Target] = {}
        for draft in drafts:
            self._number(draft)
        self.left_out = {
            label: title for label, title in left_out.items() if label not in self.targets
        }
        self._anchors = {
            cell.get("anchor")
            for draft in drafts
            for table in draft.tables.values()
            for row in table["rows"]
            for cell in row
        }

    def reachable(self, anchor: str) -> bool:
        """Say whether a link may stay: what the book leaves out is named, but not linked."""
        if anchor in self.targets or anchor in self._anchors:
            return True
        return anchor not in self.left_out and not self.of_data(anchor)

    def _add(self, label: str, target: Target) -> None:
        if label in self.targets:
            raise ChapterError(
                f"label '{label}' is used twice, in {self.targets[label].chapter} and "
                f"{target.chapter}",
                where=f"notebooks/{target.chapter}.ipynb",
            )
        self.targets[label] = target

    def _number(self, draft: Draft) -> None:
        word = {"chapter": "Chapter", "appendix": "Appendix"}.get(draft.kind, "")
        text = f"{word} {draft.number}".strip() if draft.number else draft.title
        self._add(draft.label, Target(draft.name, text, draft.number))
        sections = [0, 0, 0, 0, 0]
        counts = {"figure": 0, "table": 0}
        for element in walk(draft.blocks):
            if element["t"] == "Header":
                level, attributes, inlines = element["c"]
                if level < 2:
                    raise ChapterError(
                        f"a second first-level heading: '{plain(inlines)}'",
                        where=f"notebooks/{draft.name}.ipynb",
                        remedy="use ## and deeper",
                    )
                sections[level - 2] += 1
                sections[level - 1 :] = [0] * (5 - level + 1)
                number = ""
                if draft.number:
                    number = ".".join([draft.number, *map(str, sections[: level - 1])])
                    attributes[2].append(["number", number])
                attributes[0] = attributes[0] or f"sec-{draft.name}-{len(self.targets)}"
                text = f"Section {number}" if number else plain(inlines)
                self._add(attributes[0], Target(draft.name, text, number))
            elif element["t"] == "RawBlock":
                kind, _, label = element["c"][1].strip().partition(":")
                if kind in counts:
                    counts[kind] += 1
                    number = ".".join(filter(None, [draft.number, str(counts[kind])]))
                    self._add(label, Target(draft.name, f"{kind.capitalize()} {number}", number))

    def resolve(self, draft: Draft) -> None:
        """Replace every ``@label`` by a link that reads as its target does.

        Raises
        ------
        RenderError
            If a label does not exist; the nearest one is named.
        """
        for element in walk(draft.blocks):
            if element["t"] == "Link" and element["c"][2][0].startswith("#"):
                if element["c"][2][0].startswith("#cell-"):
                    element["c"][0][1].append("cell")
                if not self.reachable(element["c"][2][0][1:]):
                    element.update(t="Span", c=element["c"][:2])
            if element["t"] != "Cite":
                continue
            inlines: list[Any] = []
            for citation in element["c"][0]:
                if inlines:
                    inlines += [{"t": "Str", "c": ","}, {"t": "Space"}]
                inlines += [*citation["citationPrefix"], self._link(citation, draft)]
                inlines += citation["citationSuffix"]
            element["t"] = "Span"
            element["c"] = [["", [], []], inlines]

    def _link(self, citation: Mapping[str, Any], draft: Draft) -> dict[str, Any]:
        label = citation["citationId"]
        target = self.targets.get(label)
        if target is None:
            if label in self.left_out:
                title = self.left_out[label]
                return {"t": "Emph", "c": [{"t": "Str", "c": f"{title} (not in this edition)"}]}
            raise RenderError(
                f"unresolved reference @{label}{nearest(label, self.targets)}",
                where=f"notebooks/{draft.name}.ipynb",
                remedy="correct the label, or give it to a figure, table or heading",
            )
        text = [{"t": "Str", "c": target.text.replace(" ", "\u00a0", 1)}]
        return {"t": "Link", "c": [["", ["ref"], []], text, [f"#{label}", ""]]}


def chapters_of(
    drafts: Sequence[Draft],
    left_out: Mapping[str, str],
    short_titles: Mapping[str, str],
    printed: Mapping[str, str],
    of_data: Callable[[str], bool] = lambda anchor: False,
) -> tuple[tuple[Chapter, ...], dict[str, Target]]:
    """Give the chapters their numbers, references and items.

    Parameters
    ----------
    drafts : sequence of Draft
        In book order.
    left_out : mapping
        Labels of the chapters that this edition leaves out, to their titles.
    short_titles : mapping
        Report id to its short title.
    printed : mapping
        ``report/table-id`` to the table's number as printed.
    of_data : callable, optional
        See `References`.

    Returns
    -------
    targets : dict
        Every anchor to what it stands for.

    Raises
    ------
    RenderError
        If a reference or a link to a cell leads nowhere.
    """
    references = References(drafts, left_out, of_data)
    targets = dict(references.targets)
    chapters = []
    for draft in drafts:
        references.resolve(draft)
        figures = {
            label: _figure(label, data, references, short_titles, printed)
            for label, data in draft.figures.items()
        }
        tables = {
            label: _table(label, data, references, short_titles, printed)
            for label, data in draft.tables.items()
        }
        for table in tables.values():
            for row in table.model.rows:
                for cell in row:
                    if cell.anchor:
                        targets[cell.anchor] = Target(draft.name, cell.text, table.number)
        chapters.append(
            Chapter(
                draft.name, draft.title, draft.label, draft.number, draft.kind, draft.blocks,
                figures, tables, tuple(draft.codes), draft.calculator,
            )
        )  # fmt: skip
    for chapter in chapters:
        _refuse_dead_links(chapter, targets)
    return tuple(chapters), targets


def _sources(
    cells: Sequence[str],
    references: References,
    short_titles: Mapping[str, str],
    printed: Mapping[str, str],
) -> tuple[Source, ...]:
    keys: dict[tuple[str, str], str] = {}
    for key in dict.fromkeys(cell.rsplit("/", 1)[0] for cell in cells):
        # The blocks of one printed table stand below each other: a link to the first will do.
        keys.setdefault((key.partition("/")[0], printed[key]), key)
    sources: list[Source] = []
    for (report, number), key in keys.items():
        # Tables of one report in a row name it once.
        again = bool(sources) and sources[-1].report == report
        text = number if again else f"{short_titles[report]}, {number}"
        table = key.partition("/")[2]
        label = table_label(report, table)
        anchor = label if label in references.targets else ""
        sources.append(Source(report, table, text, anchor))
    return tuple(sources)


def _figure(
    label: str,
    data: Mapping[str, Any],
    references: References,
    short_titles: Mapping[str, str],
    printed: Mapping[str, str],
) -> FigureItem:
    content = data[FIGURE]
    return FigureItem(
        label=label, number=references.targets[label].number, title=content["title"],
        caption=data["options"]["fig-cap"], alt=data["options"]["fig-alt"], svg=data[SVG],
        spec=data.get(PLOTLY), csv=content["csv"],
        sources=_sources(content["cells"], references, short_titles, printed),
    )  # fmt: skip


def _table(
    label: str,
    data: Mapping[str, Any],
    references: References,
    short_titles: Mapping[str, str],
    printed: Mapping[str, str],
) -> TableItem:
    model = TableModel(
        header=tuple(tuple(HeaderCell(**cell) for cell in row) for row in data["header"]),
        rows=tuple(tuple(_body_cell(cell, references) for cell in row) for row in data["rows"]),
        notes=tuple(data["notes"]),
        filter=None if data.get("filter") is None else tuple(data["filter"]),
        shares=tuple(data.get("shares", ())),
    )
    return TableItem(
        label=label, number=references.targets[label].number, caption=data["options"]["tbl-cap"],
        model=model, csv=data["csv"],
        sources=_sources(data["cells"], references, short_titles, printed),
    )  # fmt: skip


def _body_cell(data: Mapping[str, Any], references: References) -> BodyCell:
    """Read a cell back; what leads to a place that the book leaves out is text."""
    links = tuple(
        (str(text), str(anchor) if references.reachable(anchor) else "")
        for text, anchor in data.get("links", ())
    )
    link = data.get("link")
    link = link if link and references.reachable(link) else None
    return BodyCell(**{**data, "link": link, "links": links})


def _refuse_dead_links(chapter: Chapter, anchors: Mapping[str, Target]) -> None:
    for link in chapter.links:
        if link and link not in anchors:
            raise RenderError(
                f"a link to '#{link}' leads nowhere{nearest(link, anchors)}",
                where=f"notebooks/{chapter.name}.ipynb",
            )
