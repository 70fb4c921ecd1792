"""What the source advises for tuning."""

from __future__ import annotations

from roundtrip.present import Chapter, Table, plain_table


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
