"""Rewrite pandoc blocks so that pandoc's Typst writer calls the functions of the template.

Calls are put around pandoc elements as raw Typst, so that pandoc keeps escaping the text inside.
A closing ``];`` ends the call: without the semicolon Typst would read a following ``(`` or ``.``
of the text as part of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from roundtrip.errors import RenderError
from roundtrip.publish.book import CALLOUTS, stands_for
from roundtrip.publish.pandoc import Element, plain, rewrite

Place = Callable[[str, str], str]
"""Gives the Typst for one placeholder of what is printed, by its kind and name."""

_JOINED = "joined"
"""Attribute of a reference that "and" joins to another one: the label that the other leads to."""

_ALIGNMENTS = {"AlignRight": "right", "AlignCenter": "center"}


class BlockRewriter:
    """Rewrites the blocks of one chapter.

    `place` gives the Typst that a ``roundtrip`` placeholder stands for.
    """

    def __init__(self, chapter: str, place: Place) -> None:
        self._chapter = chapter
        self._place = place
        self._level = 1

    def blocks(self, blocks: list[Element]) -> list[Element]:
        """Rewrite a list of blocks."""
        printed = [block for block in blocks if stands_for(block)[0] != "code"]
        result: list[Element] = []
        for before, block, following in zip(
            [None, *printed[:-1]], printed, [*printed[1:], None], strict=True
        ):
            written = rewrite(_joined([block]), self._visit)
            if following and block["t"] == "Para" and _stays(before, block, following):
                written = [_raw("#announcing["), *written, _raw("];")]
            result.extend(written)
        return result

    def _visit(self, element: Element) -> list[Element] | None:
        """Give what is printed in place of an element; None for what Pandoc prints itself."""
        kind: str = element["t"]
        content: Any = element.get("c")
        if kind == "Header":
            return [self._heading(*content)]
        stands, name = stands_for(element)
        if stands:
            return [_raw(self._place(stands, name))]
        if kind == "Div":
            return self._div(content[0], content[1])
        if kind == "Table":
            return self._table(*content)
        if kind == "DefinitionList":
            # One list for each term: Typst keeps a list of terms on one page or breaks it anywhere.
            return [{"t": kind, "c": [rewrite(item, self._visit)]} for item in content]
        if kind == "Link" and content[2][0].startswith("#"):
            target = quoted(content[2][0][1:])
            joined = dict(content[0][2]).get(_JOINED)
            more = f", joined: {quoted(joined)}" if joined else ""
            volume = f"#volume-of({target}{more});" if "ref" in content[0][1] else ""
            opening = f"#link(destination({target}))["
            return _around(opening, rewrite(content[1], self._visit), f"];{volume}")
        if kind == "Link":
            link = {"t": kind, "c": rewrite(content, self._visit)}
            return _around("#text(accent)[", [link], "];")
        return None

    def _heading(self, level: int, attributes: list[Any], inlines: list[Element]) -> Element:
        if level > self._level + 1:
            raise RenderError(
                f"the heading “{plain(inlines)}” of level {level} below one of level {self._level} "
                "cannot be printed",
                where=f"chapter {self._chapter}",
                allowed="headings that go down one level at a time",
            )
        self._level = level
        label, _, pairs = attributes
        number = dict(pairs).get("number", "")
        # Behind a text of no length, "- " and "+ " are words, not the mark of a list.
        call = f'#section({level}, {quoted(number)}, {quoted(label)})[#"";'
        return {"t": "Para", "c": _around(call, rewrite(inlines, self._visit), "];")}

    def _div(self, attributes: list[Any], blocks: list[Element]) -> list[Element]:
        label, classes, pairs = attributes
        inside = self.blocks(blocks)
        anchor = [_raw(f"#anchor({quoted(label)});")] if label else []
        for name in CALLOUTS:
            if name in classes:
                title = dict(pairs).get("title", "")
                call = f"#callout({quoted(name.removeprefix('callout-'))}, {quoted(title)})["
                return [*anchor, _raw(call), *inside, _raw("];")]
        return [*anchor, *inside]

    def _table(
        self, attributes: list[Any], caption: Any, columns: Any, head: Any, bodies: Any, _foot: Any
    ) -> list[Element]:
        aligns = [_ALIGNMENTS.get(column[0]["t"], "left") for column in columns]
        header = head[1]
        rows = [row for body in bodies for row in (*body[2], *body[3])]
        listed = ", ".join(map(quoted, aligns))
        result: list[Element] = []
        if attributes[0]:
            result.append(_raw(f"#anchor({quoted(attributes[0])});"))
        if caption[1]:
            result += [_raw("#prose-caption["), *self.blocks(caption[1]), _raw("];")]
        opening = f"#prose-table(({listed},), {len(header)})["
        for row in (*header, *rows):
            for cell in row[1]:
                result += [_raw(opening), *self.blocks(cell[4])]
                opening = "]["
        return [*result, _raw("];")]


def _stays(before: Element | None, block: Element, following: Element) -> bool:
    """Say whether a paragraph must not part from what follows.

    One that ends with a colon stays with its list or table; all that a section says before its
    table stays with the table, as its heading would.
    """
    table = stands_for(following)[0] == "table"
    if (table or following["t"] in {"BulletList", "OrderedList"}) and plain(
        block["c"]
    ).rstrip().endswith(":"):
        return True
    opens = before is not None and before["t"] == "Header"
    return opens and table


def _joined(tree: Any) -> Any:
    """Note at each reference that "and" joins to another one which label the other leads to."""
    if isinstance(tree, dict):
        return {key: _joined(value) for key, value in tree.items()}
    if not isinstance(tree, list):
        return tree
    result = [_joined(item) for item in tree]
    for five in zip(result, result[1:], result[2:], result[3:], result[4:], strict=False):
        first, second = _reference(five[0]), _reference(five[4])
        if first and second and plain(list(five[1:4])).strip() == "and":
            first["c"][0][2].append([_JOINED, second["c"][2][0][1:]])
    return result


def _reference(element: Any) -> Element | None:
    """Give the link that an element is, or all that it holds, if it reads as its target does."""
    if not isinstance(element, dict):
        return None
    if element.get("t") == "Span" and len(element["c"][1]) == 1:
        return _reference(element["c"][1][0])
    found = element.get("t") == "Link" and "ref" in element["c"][0][1]
    return element if found else None


def _raw(text: str) -> Element:
    return {"t": "RawBlock", "c": ["typst", text]}


def _around(opening: str, inside: list[Element], closing: str) -> list[Element]:
    return [
        {"t": "RawInline", "c": ["typst", opening]},
        *inside,
        {"t": "RawInline", "c": ["typst", closing]},
    ]


_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def quoted(text: str) -> str:
    """Write text as a Typst string literal."""
    return f'"{text.translate(_ESCAPES)}"'


def data_literal(data: Any) -> str:
    """Write data as a Typst expression that gives the same data.

    All of it but the fixed call is one string literal.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"json(bytes({quoted(text)}))"
