"""Whether numbers on pages, and the cells that they lead to, are what the observations say."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from roundtrip.campaign.names import ValueName
from roundtrip.checks.laws import offered
from roundtrip.observations import Observations
from roundtrip.outputs import NOTHING
from roundtrip.packet.changes import number_of, rows_of, style_of
from roundtrip.packet.contents import REPORT
from roundtrip.packet.findings import Finding, found, unknown
from roundtrip.present.anchors import anchor_of, cell_anchor

_LINK = re.compile(
    r'<a href="(?P<page>[^"#]*)#(?P<anchor>cell-[^"]+)"(?: class="cell" title="(?P<title>[^"]*)")?>'
    r"(?P<text>[^<]*)</a>"
)
_ID = re.compile(r'\bid="(cell-[^"]+)"')
_CELL_BEGINS = re.compile(r"<(?=t[dh][\s>])")
_CELL = re.compile(r'(?P<kind>t[dh])(?P<attributes>(?:[^>"]|"[^"]*")*)>')
_TAG = re.compile(r"<[^<>]*>")
_MARKS = "()\u00a0†"
"""What stands around numbers in the appendices."""
_NUMBER = re.compile(r"(?P<number>[\u2212-]?[\d.,\u202f\u00a0 ]*\d)\s*(?P<unit>.*)", re.DOTALL)
_QUOTED = re.compile("“[^”]*”")
_COUNT = re.compile(r" \(\d+\)$")
EXACT = 1e-8
"""Of a value, within which another is the same."""
Drawn = Callable[..., list[Any]]
"""Draws the sample of some items, or gives all."""


@dataclass(frozen=True)
class Shown:
    """A number on a page, with the cell that it leads to, or the first of several."""

    page: str  # that shows it
    target: str  # page that it leads to
    anchor: str
    text: str
    quotes: bool | None  # whether it leads to one cell only; None in tables, whose links do not say


def numbers(packet: Path, rows: list[Any], drawn: Drawn) -> Finding:
    """Hold numbers of pages to the observations that their links name.

    A number that quotes a cell is the value of that cell. One that is computed from cells is what
    the data of a table or figure give for the same cells, or has a unit of its own. The anchor of
    a run stands for several of its values.
    """
    behind, site = _behind(rows), packet / REPORT / "html"
    shown, ids = _shown(site)
    if not shown:
        return unknown("numbers", "no page has a number that leads to a cell")
    style = style_of(packet / REPORT)
    computed, wrong_data = _data(site, {row.observation_id: row for row in rows})
    wrong, quoted, chosen = [], 0, drawn(shown)
    for one in chosen:
        known = behind.get(one.anchor, [])
        if one.anchor not in ids.get(one.target, ()):
            wrong.append(f"{one.page}: '{one.text}' leads to {one.target}, which lacks the cell")
        elif not known:
            wrong.append(f"{one.page}: '{one.text}' names no observation ({one.anchor})")
        elif any(_says(row, one.text, style) for row in known):
            quoted += 1
        elif one.quotes is None and not _agrees(one.text, computed.get(one.anchor, ()), style):
            wrong.append(
                f"{one.page}: '{one.text}' is neither the value of {one.anchor}, "
                f"{known[0].value:g}, nor what the data of tables and figures compute from it"
            )
        elif one.quotes and len(known) == 1 and _same_unit(one.text, known[0]):
            (row,) = known
            wrong.append(f"{one.page}: '{one.text}' is {row.value:g} {row.unit} in its cell")
    good = len(chosen) - len(wrong)
    told = (
        f"{good:,} of {len(shown):,} numbers lead to their cells; {quoted:,} are what their "
        f"cell says, {good - quoted:,} are computed from cells, which only --rebuild checks"
    )
    return found("numbers", told, [*wrong_data, *wrong])


def _behind(rows: list[Any]) -> dict[str, list[Any]]:
    behind: dict[str, list[Any]] = {}
    for row in rows:
        behind.setdefault(cell_anchor(row.observation_id), []).append(row)
    return behind


def cells(packet: Path, observations: Observations, rows: list[Any], drawn: Drawn) -> Finding:
    """Hold the cells that numbers lead to, in the tables of sources and runs, to the observations.

    Cells of later runs of a point have no anchors: each is a value of the run that its row names,
    or the rate that the run was to keep.
    """
    behind, site = _behind(rows), packet / REPORT / "html"
    frame = observations.frame
    rates: dict[str, float] = {}
    for point in frame[frame["source_kind"] == "measured"].to_dict("records"):
        name = ValueName.parse(point["observation_id"])
        if name is not None and (anchor := anchor_of(name.of_run)) not in rates:
            rates[anchor] = offered(point) or nan
    cells = [
        (path.name, *cell)
        for path in sorted(site.glob("*.html"))
        if 'id="cell-' in (text := path.read_text("utf-8", "replace"))
        for row in text.split("<tr")[1:]
        for cell in _anchored(row.partition("</tr>")[0])
    ]
    if not cells:
        return unknown("cells", "no page has a cell that numbers lead to")
    style, wrong, chosen = style_of(packet / REPORT), [], drawn(cells)
    for page, anchor, text in chosen:
        known = behind.get(anchor, [])
        offers = _agrees(text, [rates.get(anchor, nan)], style)
        if not offers and not any(_says(row, text, style) for row in known):
            wrong.append(f"{page}: '{text}' is not what the data give for {anchor}")
    told = f"{len(chosen) - len(wrong):,} of {len(chosen):,} cells are what the data say"
    return found("cells", f"{told} (numbers lead to {len(cells):,})", wrong)


def _anchored(row: str) -> Iterator[tuple[str, str]]:
    """Give the cells of a row that have an anchor, or whose row has one, and their texts."""
    of_row = ""
    for piece in _CELL_BEGINS.split(row)[1:]:
        cell = _CELL.match(piece)
        if cell is None:
            continue
        own = html.unescape(its[1]) if (its := _ID.search(cell["attributes"])) else ""
        content = piece[cell.end() :].partition(f"</{cell['kind']}>")[0]
        text = html.unescape(_TAG.sub("", content)).strip().strip(_MARKS).strip()
        if cell["kind"] == "th":
            of_row = own
        elif own or (of_row and text and text != NOTHING):
            yield own or of_row, text


def _shown(site: Path) -> tuple[list[Shown], dict[str, set[str]]]:
    """Collect the numbers of all pages that lead to cells, and the cells of each page."""
    shown, ids = [], {}
    for path in sorted(site.glob("*.html")):
        text = path.read_text("utf-8", "replace")
        ids[path.name] = set(map(html.unescape, _ID.findall(text)))
        for match in _LINK.finditer(text):
            title = match["title"]
            quotes = None if title is None else ";" not in html.unescape(title)
            # The ledger of claims puts the table before the number, or the section in quotation
            # marks, and names several by a count.
            anchor, words = html.unescape(match["anchor"]), html.unescape(match["text"])
            words = _QUOTED.sub("", words).rpartition(": ")[2]
            if _NUMBER.fullmatch(words.strip()) and not (quotes is None and _COUNT.search(words)):
                target = unquote(match["page"]) or path.name
                shown.append(Shown(path.name, target, anchor, words, quotes))
    return shown, ids


def _data(site: Path, rows: dict[str, Any]) -> tuple[dict[str, list[float]], list[str]]:
    """Read the data of tables and figures: values by their first cell, and those that are wrong."""
    computed: dict[str, list[float]] = {}
    wrong = []
    for path in sorted((site / "data").glob("*.csv")):
        for line, entry in enumerate(rows_of(path), start=2):
            cells, value = entry.get("cells", "").split(), number_of(entry.get("value", ""))
            if not cells or value is None:
                continue
            row = rows.get(cells[0])
            computed.setdefault(cell_anchor(cells[0]), []).append(value)
            if row is None:
                wrong.append(f"data/{path.name}:{line} names no observation ({cells[0]})")
            elif len(cells) == 1 and entry.get("unit") == row.unit:
                known = (row.value, row.value_corrected)
                if not any(abs(value - one) <= EXACT * abs(one) for one in known):
                    wrong.append(
                        f"data/{path.name}:{line} is {value:g}, its cell {row.value:g} {row.unit}"
                    )
    return computed, wrong


def _says(row: Any, text: str, style: str) -> bool:
    """Say whether a text is the value of an observation, as printed or to the digits it shows."""
    return text == row.value_printed or _agrees(text, (row.value, row.value_corrected), style)


def _same_unit(text: str, row: Any) -> bool:
    """Say whether a text states the unit of its cell: without one, its table does."""
    match = _NUMBER.fullmatch(text.strip())
    return match is not None and match["unit"].strip() == str(row.unit).strip() != ""


def _agrees(text: str, values: Sequence[float], style: str) -> bool:
    """Say whether a written number is one of some values, to the digits that it shows."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return False
    mark = style[-2]
    digits = re.sub(rf"[^\d{re.escape(mark)}]", "", match["number"]).replace(mark, ".")
    number = number_of(digits)
    if number is None:
        return False
    number = -number if match["number"][0] in "\u2212-" else number
    unit = 10.0 ** -len(digits.partition(".")[2])
    return any(abs(number - value) <= 0.5 * unit + EXACT * abs(value) for value in values)
