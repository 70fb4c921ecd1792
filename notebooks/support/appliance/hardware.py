"""What the appliance models are made of."""

from __future__ import annotations

from dataclasses import replace

from roundtrip.present.chapter import Chapter
from roundtrip.present.configuration import models_table
from roundtrip.present.tables import Table


def hardware_table(chapter: Chapter, *, caption: str) -> Table:
    """Compare the models that a report describes; what is said of single ones stands below.

    Raises
    ------
    ValueError
        If the report describes no models.
    """
    table = models_table(chapter)
    if table is None:
        raise ValueError(f"{chapter.about.id} describes no models")
    return replace(table, caption=caption, label=None)
