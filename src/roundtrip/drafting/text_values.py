"""Values that sentences state, in the form of ``text.csv``, for a person to choose from."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roundtrip.drafting.folder import UNCHOSEN
from roundtrip.drafting.sentences import Sentence
from roundtrip.files import csv_text

_VALUE = re.compile(
    r"(?<![\w.,-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\s?(?:%|"
    r"(?:round[- ]?trips?|messages?|msgs?)(?:\s?(?:/|per )\s?s(?:ec(?:ond)?)?)?|[mt]ps|"
    r"[kmgt]i?b(?:ytes?)?(?:/s(?:ec)?|ps)?|bytes?|[nµμum]?s(?:ecs?)?|seconds?|minutes?)(?!\w)", re.I
)  # fmt: skip
_COLUMNS = ("page", "sentence", "row", "section", "metric", "statistic", "value")


def values_in(text: str) -> list[str]:
    """Give the numbers of a text that a unit of a rate, share, size or time follows, with it."""
    return [found.strip() for found in _VALUE.findall(text)]


def text_values(sentences: Sequence[Sentence]) -> str:
    """List the values of sentences as CSV; what they are is left to be chosen.

    The columns are the page, the line in ``sentences.csv``, and those that every ``text.csv`` has.
    """
    rows = (
        (said.page, line, UNCHOSEN, said.place, UNCHOSEN, UNCHOSEN, value)
        for line, said in enumerate(sentences, 2)
        for value in values_in(said.text)
    )
    return csv_text(_COLUMNS, rows)
