"""What was set for which product."""

from __future__ import annotations

from roundtrip.present import Chapter, Table, plain_table


def settings_table(chapter: Chapter, *, caption: str) -> Table:
    """List the settings that the source names, by product, those of both last."""
    tuning = sorted(chapter.about.tuning, key=lambda s: (s.applies_to is None, s.applies_to or ""))
    return plain_table(
        caption,
        ["Product", "Place", "Setting", "Value"],
        [[s.applies_to or "Both", s.place, s.name, s.value] for s in tuning],
        group_by_first=True,
    )
