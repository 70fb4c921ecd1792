"""The page "Changes since" of a report, and the cells that have changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtrip.csvfile import csv_text
from roundtrip.errors import ParameterError
from roundtrip.outputs import FIGURE, NOTHING, TABLE, BodyCell
from roundtrip.packet.changes import CHANGES_PAGE, Change, Kind, changes, shown_in, style_of
from roundtrip.packet.sentences import with_plain_numbers
from roundtrip.params import ReportParameters
from roundtrip.present.numbers import NumberFormat
from roundtrip.present.tables import Table, left_heads
from roundtrip.publish.afterwords import Afterword, Writer, afterword_notebook
from roundtrip.publish.manifest import manifest_of, named_places
from roundtrip.publish.references import Target

_MOST = 60
"""Changes of a kind that are printed; the table's download has them all."""
_GROUPS: Mapping[str, tuple[str, set[Kind]]] = {
    "within": ("Numbers within the intervals of both", {"number"}),
    "text": ("Sentences and cells", {"cell", "sentence"}),
    "items": ("Tables, figures and pages", {"table", "picture"}),
    "build": ("What the report was built from", {"check", "parameter", "environment", "file"}),
}
_OF_EDITIONS = {"version", "changes_since", "remarks"}


def changes_writer(older: Path, parameters: ReportParameters) -> Writer:
    """Prepare the page that says what changed since an older edition.

    Parameters
    ----------
    older : Path
        Folder of the older report.
    parameters : ReportParameters
        Of the report that is built.

    Raises
    ------
    ParameterError
        If it is of another report, which is known by its title; if it has the same version, or
        Quarto rendered it: its pages hold another text for the same report.
    """
    manifest = manifest_of(older)
    title, version = (str(manifest["report"][key]) for key in ("title", "version"))
    where = parameters.place_of("changes_since")
    if title != parameters.title:
        raise ParameterError(
            f"is no edition of '{parameters.title}' but of another report, '{title}'",
            where=where, remedy="name an older edition of this report, or compare the two with "
            "'roundtrip diff OLD NEW' if only the title has changed",
        )  # fmt: skip
    if version == parameters.version:
        raise ParameterError(
            f"the older edition has the version of this one, {version}", where=where,
            remedy="name an older edition, or give this one another version",
        )  # fmt: skip
    if manifest["engine"]["name"] != "embedded":
        raise ParameterError(
            f"version {version} was rendered by {manifest['engine']['name']}, whose pages hold "
            "another text", where=where,
            remedy="name an edition that was built with --engine embedded",
        )  # fmt: skip

    def write(report: Path, targets: Mapping[str, Target]) -> Afterword:
        own = tuple(named_places(parameters.model_dump()))
        found = [one for one in changes(older, report) if not _of_afterword(one, own)]
        captions = {
            label: caption for kind in (TABLE, FIGURE)
            for label, caption in shown_in(older, kind, _name_of).items()
        }  # fmt: skip
        page = _Page(found, version, targets, captions, NumberFormat(parameters.number_format))
        return Afterword(
            CHANGES_PAGE,
            afterword_notebook(page.parts(), CHANGES_PAGE),
            changed_cells(older, report, version),
        )

    return write


def _name_of(shown: Mapping[str, Any]) -> str:
    """Give the title of a figure, or the caption of a table."""
    return str(shown.get("title") or shown["caption"])


def _of_afterword(change: Change, own: tuple[str, ...]) -> bool:
    """Say whether a change is one of the pages about a report, or of what they are written from."""
    if change.kind == "parameter" and change.where in _OF_EDITIONS:
        return True
    if change.kind == "file" and any(f"{change.where}/".startswith(f"{name}/") for name in own):
        return True
    return change.where.removeprefix("page ") == "remarks-and-answers.html"


@dataclass(frozen=True)
class _Page:
    """What the page says."""

    found: Sequence[Change]
    version: str
    targets: Mapping[str, Target]
    captions: Mapping[str, str]  # of the older edition's tables and figures, by label
    numbers: NumberFormat

    def parts(self) -> list[str | tuple[str, Table]]:
        wrong = [
            one for one in self.found
            if one.kind == "claim" or (one.kind == "number" and one.beyond is not False)
        ]  # fmt: skip
        rest = [one for one in self.found if one not in wrong]
        parts: list[str | tuple[str, Table]] = [
            f"# Changes since {self.version} {{#sec-{CHANGES_PAGE}}}\n\n"
            '::: {.callout-important title="What to unlearn"}\n'
            f"{self.sentence(wrong, rest)}\n:::"
        ]
        if wrong:
            caption = f"What no longer holds of version {self.version}"
            parts.append((f"tbl-{CHANGES_PAGE}-unlearn", self.table(caption, wrong)))
        for group, (title, kinds) in _GROUPS.items():
            chosen = [one for one in rest if one.kind in kinds]
            if chosen:
                parts.append(f"## {title} {{#sec-{CHANGES_PAGE}-{group}}}")
                parts.append((f"tbl-{CHANGES_PAGE}-{group}", self.table(title, chosen)))
        return parts

    def sentence(self, wrong: Sequence[Change], rest: Sequence[Change]) -> str:
        """Count what a reader of the older edition must unlearn, and the other changes."""
        if not self.found:
            return f"Nothing has changed since version {self.version}."
        verdicts = sum(one.kind == "claim" for one in wrong)
        beyond = sum(one.beyond is True for one in wrong)
        return (
            f"Verdicts on claims that differ from version {self.version}: {verdicts}. "
            f"Changed numbers beyond the intervals of both editions: {beyond}; without an "
            f"interval: {len(wrong) - verdicts - beyond}. Other changes: {len(rest)}."
        )

    def table(self, caption: str, found: Sequence[Change]) -> Table:
        header = (left_heads("Where", f"Version {self.version}", "Now", "Change"),)
        rows = tuple(tuple(self.row(one)) for one in found[:_MOST])
        hidden = len(found) - len(rows)
        notes = (f"Further changes in the table's CSV: {hidden}.",) if hidden > 0 else ()
        csv = csv_text(
            ["kind", "where", "old", "new", "relative", "beyond"],
            [[one.kind, "; ".join((one.where, *one.also)), one.old, one.new,
              "" if one.relative is None else f"{one.relative:.6g}",
              "" if one.beyond is None else str(one.beyond).lower()] for one in found],
        )  # fmt: skip
        return Table(caption, header, rows, notes, (), csv, shares=(28, 28, 28, 16))

    def row(self, one: Change) -> Iterator[BodyCell]:
        text, anchor = self.place(one)
        yield BodyCell(text, "left", kind="label", link=anchor)
        for value in (one.old, one.new):
            shown = self.number(value) if one.kind == "number" else value
            yield BodyCell(shown or NOTHING, "left")
        yield BodyCell(self.change(one), "left")

    def place(self, one: Change) -> tuple[str, str | None]:
        """Name the place of a change as the report does, and give its anchor."""
        label, colon, rest = one.where.partition(":")
        page = one.where.removeprefix("page ").removesuffix(".html")
        names = iter(self.targets)  # the front chapter comes first, and is the index page
        home = next((name for name in names if page in ("index", self.targets[name].chapter)), None)
        claim = f"claim-{one.where.replace('/', '-')}"
        if label in self.targets:
            return f"{self.targets[label].text}{colon}{rest}", label
        if home is not None:
            return self.targets[home].text, home
        if label in self.captions:
            return f"“{self.captions[label]}”{colon}{rest}", None
        return one.where, claim if claim in self.targets else None

    def number(self, text: str) -> str:
        if "e" in text.lower():
            return text  # no plain decimal: as the data have it
        try:
            return self.numbers.write(float(text), len(text.partition(".")[2].rstrip("0")))
        except ValueError:
            return text

    def change(self, one: Change) -> str:
        size = ""
        if one.relative is not None:
            sign = "+" if one.relative > 0 else ""
            size = f"{sign}{self.numbers.write(100 * one.relative, 1)}\u00a0%"
        return one.told(size) or (
            "added" if not one.old else "removed" if not one.new else "changed"
        )


# ---- changed cells ----


_Key = tuple[str, str, int]
"""What a row is found again by: its group, its first cell, and how often these occurred."""


def _shown(content: Any) -> tuple[list[tuple[str, int]], list[tuple[_Key, int, list[str]]]]:
    """Read a table as its executed chapter holds it.

    Gives what each column is found again by, its headers and how often they occurred; and each row
    with its key and its position, groups counted.
    """
    spread = [[_words_of(one) for one in row for _ in range(one["span"])]
              for row in content["header"]]  # fmt: skip
    seen: Counter[tuple[str, ...]] = Counter()
    columns = []
    for texts in zip(*spread, strict=False):
        seen[texts] += 1
        columns.append((" / ".join(texts), seen[texts]))
    group, rows = "", []
    seen.clear()
    for position, row in enumerate(content["rows"]):
        words = [_words_of(cell) for cell in row]
        if row and row[0]["kind"] == "group":
            group = words[0]
        elif row:
            seen[group, words[0]] += 1
            rows.append(((group, words[0], seen[group, words[0]]), position, words))
    return columns, rows


def _words_of(cell: Mapping[str, Any]) -> str:
    links = ", ".join(text for text, _ in cell.get("links", ()))
    return " ".join(f"{cell['text']} {links}".split())


def changed_cells(old: Path, new: Path, version: str) -> dict[str, dict[tuple[int, int], str]]:
    """Find the cells of shown tables that differ from those of an older report, of `version`.

    Rows are found again by their group and first cell, columns by their headers. By label of the
    table, row and column it is told what a cell was.
    """
    before, after = (shown_in(report, TABLE, _shown) for report in (old, new))
    old_style, style = style_of(old), style_of(new)
    found: dict[str, dict[tuple[int, int], str]] = {}
    for label in before.keys() & after.keys():
        names, old_rows = before[label]
        rows = {key: dict(zip(names, texts, strict=False)) for key, _, texts in old_rows}
        columns, new_rows = after[label]
        for key, position, texts in new_rows:
            cells = found.setdefault(label, {})
            if key not in rows:
                cells[position, 0] = f"Not in version {version}"
                continue
            for column, (name, text) in enumerate(zip(columns, texts, strict=False)):
                was = rows[key].get(name, text)
                if with_plain_numbers(was, old_style) != with_plain_numbers(text, style):
                    cells[position, column] = f"Was {was or 'empty'} in version {version}"
    return found
