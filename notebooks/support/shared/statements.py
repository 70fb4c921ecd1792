"""Tables of what a source states without a table of results: set-ups, findings, settings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from roundtrip.errors import ChapterError
from roundtrip.present import Chapter, Table, plain_table
from roundtrip.sources.disclosure import Fact

_FINDING = re.compile(r"^finding, Figures? (\d+)(?: to (\d+))?$")
_UNIT = re.compile(r"(?<=\d)\s*(?=[^\W\d]|%)")
_SAID_NOTHING = "\u2013"


def setups_table(chapter: Chapter, sections: Mapping[str, str], *, caption: str) -> Table:
    """List the set-ups that a report compares, under the names it prints.

    Parameters
    ----------
    sections : mapping
        Sections of the source to the heading over their set-ups, in order.
    """
    rows = [
        [f"{heading} (sec {section})", scenario.name, scenario.says]
        for section, heading in sections.items()
        for scenario in chapter.about.scenarios
        if scenario.section == section
    ]
    _refuse_empty(rows, chapter, f"scenarios of sections {', '.join(sections)}")
    return plain_table(caption, ["", "Name", "Set-up"], rows, group_by_first=True)


def charts_table(
    chapter: Chapter, numbers: Sequence[int], *, caption: str,
    said: Mapping[int, str] | None = None,
) -> Table:  # fmt: skip
    """List charts whose data the source does not print, with what it says of each.

    Parameters
    ----------
    numbers : sequence of int
        Numbers of the source's figures.
    said : mapping, optional
        What the source says of a figure elsewhere, by its number.
    """
    findings = {**_findings(chapter), **(said or {})}
    first_of: dict[str, int] = {}
    shows = {figure.number: figure.shows for figure in chapter.about.figures}
    rows = []
    for number in numbers:
        finding = findings.get(number, _SAID_NOTHING)
        first = first_of.setdefault(finding, number)
        if first != number and number in findings:
            finding = f"as for Figure {first}"
        rows.append([str(number), shows[f"Figure {number}"], finding])
    return plain_table(caption, ["Figure of the source", "Draws", "What the source says"], rows)


def fact(chapter: Chapter, topic: str, when: str | None = None) -> str:
    """Give the one statement of the source on a topic, in our words.

    Raises
    ------
    ChapterError
        If there is not exactly one.
    """
    found = [item for item in _facts(chapter, topic) if when is None or item.when == when]
    if len(found) != 1:
        raise ChapterError(
            f"{chapter.about.id} states {len(found)} facts on '{topic}'"
            + (f" when '{when}'" if when else ""),
            allowed=", ".join(dict.fromkeys(item.topic for item in chapter.about.facts)),
        )
    return found[0].says


def facts_table(chapter: Chapter, topic: str, *, caption: str, header: tuple[str, str]) -> Table:
    """List what the source states on a topic under several conditions, which are numbered.

    Parameters
    ----------
    topic : str
        Statements without a condition become notes.
    header : (str, str)
        Headers of condition and statement.
    """
    found = _facts(chapter, topic)
    conditional = (item for item in found if item.when)
    rows = [
        [str(number), _capital(item.when), _capital(item.says)]
        for number, item in enumerate(conditional, start=1)
    ]
    _refuse_empty(rows, chapter, f"facts on '{topic}'")
    notes = [_capital(item.says) for item in found if not item.when]
    return plain_table(caption, ["", *header], rows, notes=notes)


def fact_matrix(chapter: Chapter, topics: Mapping[str, str], *, caption: str, first: str) -> Table:
    """Lay out statements that several topics make under the same conditions.

    Parameters
    ----------
    topics : mapping
        Topic to the header of its column.
    first : str
        Header of the conditions.
    """
    said = {(item.when, topic): item.says for topic in topics for item in _facts(chapter, topic)}
    conditions = dict.fromkeys(when for when, _ in said if when)
    rows = [
        [when, *(said.get((when, topic), _SAID_NOTHING) for topic in topics)] for when in conditions
    ]
    _refuse_empty(rows, chapter, f"facts on {', '.join(topics)}")
    return plain_table(caption, [first, *topics.values()], rows)


def settings_table(chapter: Chapter, names: Sequence[str], *, caption: str) -> Table:
    """List some settings of the source's tests, each once, with what it says of them."""
    rows: dict[tuple[str, str], list[str]] = {}
    known = [item for item in reversed(chapter.about.tuning) if item.name in names]
    for item in sorted(known, key=lambda item: names.index(item.name)):
        of = f"For {item.applies_to}." if item.applies_to else ""
        remark = " ".join(filter(None, [of, item.note]))
        rows[item.name, item.value] = [item.name, item.value, item.place, remark]
    lines = list(rows.values())
    _refuse_empty(lines, chapter, f"settings {', '.join(names)}")
    header = ["Setting", "Value", "Place", "Remark"]
    return plain_table(caption, header, lines, code_columns=(0,), shares=(24, 12, 22, 42))


def advised_settings(chapter: Chapter, sections: tuple[str, ...], *, caption: str) -> Table:
    """List the settings that some sections of the source advise."""
    rows = []
    for s in chapter.about.tuning:
        if s.section.startswith(sections):
            why = [s.applies_to, (s.note or "").removeprefix("Advice. ")]
            rows.append([s.place, s.name, s.value, ". ".join(filter(None, why)), s.section])
    header = ["Place", "Setting", "Value", "For", "Section"]
    return plain_table(caption, header, rows, group_by_first=True, code_columns=(1,))


def advice(chapter: Chapter, section: str, *, caption: str) -> Table:
    """List what a section of the source advises in words."""
    rows = []
    for fact in chapter.about.facts:
        if fact.section.startswith(section):
            topic = fact.topic[0].upper() + fact.topic[1:]
            when = f", when {fact.when}" if fact.when else ""
            rows.append([topic + when, fact.says, fact.section])
    return plain_table(caption, ["On", "Advice", "Section"], rows)


def stated_table(chapter: Chapter, sections: Sequence[str], *, caption: str) -> Table:
    """List the numbers that the text of some sections states, with the digits it prints."""
    parts = ["row_label", "value_printed", "unit", "section", "status", "note"]
    wanted = {"source": chapter.about.id, "table_id": "text", "section": sections}
    found = chapter.observations.choose(**wanted)[parts]
    notes = []
    rows = []
    for label, printed, unit, section, status, note in found.itertuples(index=False, name=None):
        mark = "" if status == "as_printed" else "\u00a0†"
        bare = str(printed)[-1:].isdigit() and unit not in ("", "requesters")
        shown = f"{printed}\u00a0{unit}" if bare else spaced(printed)
        rows.append([str(label), shown + mark, f"sec\u00a0{section}"])
        if mark:
            notes.append(f"† {shown}: {note}")
    _refuse_empty(rows, chapter, f"values in the text of {', '.join(sections)}")
    return plain_table(
        caption, ["What the text states", "Value", "Source"], rows, right_columns=(1,), notes=notes
    )


def spaced(printed: object) -> str:
    """Write a number that its source prints with a unit as this report does: 69MB as 69 MB."""
    return re.sub(r"\bsec(?:onds)?\b", "s", _UNIT.sub("\u00a0", str(printed)))


def _facts(chapter: Chapter, topic: str) -> list[Fact]:
    return [item for item in chapter.about.facts if item.topic == topic]


def _findings(chapter: Chapter) -> dict[int, str]:
    """Give what the source says of each figure, by the figure's number."""
    findings = {}
    for item in chapter.about.facts:
        if match := _FINDING.match(item.topic):
            first, last = int(match[1]), int(match[2] or match[1])
            findings.update(dict.fromkeys(range(first, last + 1), item.says))
    return findings


def _capital(text: str | None) -> str:
    return "" if not text else text[0].upper() + text[1:]


def _refuse_empty(rows: Sequence[object], chapter: Chapter, what: str) -> None:
    if not rows:
        raise ChapterError(f"{chapter.about.id} has no {what}", remedy="see its report.yml")
