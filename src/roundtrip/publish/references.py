"""What every label of the book stands for: numbers first, then the links."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from roundtrip.errors import ChapterError, RenderError, nearest
from roundtrip.outputs import BodyCell
from roundtrip.publish.book import Chapter, stands_for
from roundtrip.publish.chapters.notebooks import used_twice
from roundtrip.publish.pandoc import plain, walk


@dataclass(frozen=True)
class Target:
    """What a label stands for: where it is, and how a reference to it reads."""

    chapter: str
    text: str
    number: str


class References:
    """All labels of the book, and what is said where a chapter was left out.

    The drafts are in book order; `left_out` has the labels of what this edition leaves out, to the
    chapter's title, or to "Figure" or "Table"; `of_data` says whether an anchor is that of a value
    or a claim among the data, which a book need not show.
    """

    def __init__(
        self, drafts: Sequence[Chapter], left_out: Mapping[str, str], of_data: Callable[[str], bool]
    ) -> None:
        self.of_data = of_data
        self.targets: dict[str, Target] = {}
        for draft in drafts:
            self._number(draft)
        self.left_out = {
            label: title for label, title in left_out.items() if label not in self.targets
        }
        self._anchors = {
            cell.anchor
            for draft in drafts
            for table in draft.tables.values()
            for row in table.rows
            for cell in row
        }

    def reachable(self, anchor: str) -> bool:
        """Say whether a link may stay: what the book leaves out is named, but not linked."""
        if anchor in self.targets or anchor in self._anchors:
            return True
        return anchor not in self.left_out and not self.of_data(anchor)

    def linked(self, cell: BodyCell) -> BodyCell:
        """Give a cell of a table; what leads to a place that the book leaves out is text."""
        if not (cell.link or cell.links):
            return cell
        link = cell.link if cell.link and self.reachable(cell.link) else None
        links = tuple(
            (text, anchor if self.reachable(anchor) else "") for text, anchor in cell.links
        )
        return replace(cell, link=link, links=links)

    def _add(self, label: str, target: Target) -> None:
        if label in self.targets:
            raise used_twice(label, self.targets[label].chapter, target.chapter)
        self.targets[label] = target

    def _number(self, draft: Chapter) -> None:
        word = {"chapter": "Chapter", "appendix": "Appendix"}.get(draft.kind, "")
        text = f"{word} {draft.number}".strip() if draft.number else draft.title
        self._add(draft.label, Target(draft.name, text, draft.number))
        sections = [0, 0, 0, 0, 0]
        counts = {"figure": 0, "table": 0}
        for element in walk(draft.blocks):
            kind, name = stands_for(element)
            if element["t"] == "Header":
                level, attributes, inlines = element["c"]
                if level < 2:
                    raise ChapterError(
                        f"a second first-level heading: '{plain(inlines)}'",
                        where=draft.where,
                        remedy="use ## and deeper",
                    )
                sections[level - 2] += 1
                sections[level - 1 :] = [0] * (5 - level + 1)
                number = ""
                if draft.number:
                    number = ".".join([draft.number, *map(str, sections[: level - 1])])
                    attributes[2].append(["number", number])
                text = f"Section {number}" if number else plain(inlines)
                self._add(attributes[0], Target(draft.name, text, number))
            elif kind in counts:
                counts[kind] += 1
                number = ".".join(filter(None, [draft.number, str(counts[kind])]))
                self._add(name, Target(draft.name, f"{kind.capitalize()} {number}", number))

    def resolve(self, draft: Chapter) -> None:
        """Replace every ``@label`` by a link that reads as its target does, or refuse it."""
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

    def _link(self, citation: Mapping[str, Any], draft: Chapter) -> dict[str, Any]:
        label = citation["citationId"]
        target = self.targets.get(label)
        if target is None:
            if label in self.left_out:
                title = self.left_out[label]
                return {"t": "Emph", "c": [{"t": "Str", "c": f"{title} [not in this edition]"}]}
            raise RenderError(
                f"unresolved reference @{label}{nearest(label, self.targets)}",
                where=draft.where,
                remedy="correct the label, or give it to a figure, table or heading",
            )
        text = [{"t": "Str", "c": target.text.replace(" ", "\u00a0", 1)}]
        return {"t": "Link", "c": [["", ["ref"], []], text, [f"#{label}", ""]]}
