"""The folder of a draft: what its files say as long as nobody has filled them in."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from roundtrip.errors import DataError
from roundtrip.yamlfile import scalars

READING = "reading"
"""Folder of a draft that says how it was read; it stays behind when the draft becomes a report."""
DRAFTED = f"{READING}/drafted.json"
UNCHOSEN = "choose"
"""Stands for a metric that nobody has named yet."""
PLACEHOLDERS = {
    "title": "TITLE AS PRINTED", "publisher": "PUBLISHER", "edition": "EDITION",
    "date": "MONTH AND YEAR", "product": "PRODUCT", "product_version": "VERSION",
    "notice": "WHAT THE PUBLISHER SAYS OF ITS WARRANTY",
    "basis": "WHERE THE REPORT SAYS HOW MANY BYTES ITS LABELS MEAN",
    "roles": "ROLE", "model": "AS PRINTED", "section": "SECTION",
    "caption": "WHAT IT SHOWS, IN OUR WORDS", "shows": "WHAT IT SHOWS, IN OUR WORDS",
    "metric": UNCHOSEN,
}  # fmt: skip
"""What ``report.yml`` says under a key as long as nobody has filled it in."""
TO_BE_TYPED = "TO BE TYPED"


@contextmanager
def as_imported(place: Path) -> Iterator[None]:
    """Refuse a draft when what the import said of its reading cannot be read.

    Parameters
    ----------
    place : Path
        The file or folder of that.
    """
    try:
        yield
    except (OSError, ValueError, csv.Error) as problem:
        raise DataError(
            "the draft does not say how it was read", where=place,
            remedy="import the document again under another id, or remove the draft first",
        ) from problem  # fmt: skip


def unsaid(folder: Path) -> list[tuple[int, str]]:
    """Give what ``report.yml`` of a draft leaves for a person to say: line and key, in order."""
    return [
        (line, key)
        for key, text, line in scalars(folder / "report.yml", DataError)
        if text == PLACEHOLDERS.get(key) or (key == "note" and text.startswith(TO_BE_TYPED))
    ]


def read_rows(path: Path) -> list[dict[str, str]]:
    """Read a CSV file; one that is not there has no rows."""
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
