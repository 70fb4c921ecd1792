"""What any edition can be told in ``params/report.yml``, whatever its project declares."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, Self, get_args

from packaging.version import Version
from pydantic import AfterValidator, Field, PrivateAttr, StringConstraints, field_validator

from roundtrip import __version__
from roundtrip.yamlfile import Strict, Text, matching

Line = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
Limit = Annotated[float, Field(allow_inf_nan=False)] | None
NumberFormat = Literal["1,234.5", "1.234,5", "1 234.5", "1 234,5", "1234.5"]
NUMBER_FORMATS: tuple[str, ...] = get_args(NumberFormat)
VersionName = Annotated[
    str,
    matching(
        r"[0-9A-Za-z](?:[0-9A-Za-z._-]{0,38}[0-9A-Za-z])?",
        "up to 40 letters, digits, full stops, hyphens and underscores, of which the first and "
        "the last are letters or digits, such as 1.2.0",
    ),
]


def _within(path: str) -> str:
    """Refuse a path that leaves the project: what a report rests on goes with it into a packet."""
    if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts or "\\" in path:
        raise ValueError("must be a path within the project, without '..'")
    return path


Place = Annotated[str, StringConstraints(max_length=300), AfterValidator(_within)]


class Notice(Strict):
    """One notice at the front of the report."""

    title: Line
    text: Text


class ReportParameters(Strict):
    """Parameters of one edition; each says what it is for."""

    _places: dict[str, str] = PrivateAttr(default_factory=dict)
    made_with: Annotated[
        str, matching(r"(?:[0-9]{1,4}(?:\.[0-9]{1,4}){1,3})?", "a version such as 0.1.0")
    ] = Field("", description="Version of Roundtrip that the project needs at least.")
    version: VersionName = Field(
        "draft", description="Version of the edition, and the name of its folder below reports/."
    )
    date: str = Field(
        "", description="Date of the edition, such as 2026-11-21; empty for an undated draft."
    )
    title: Line = Field("Untitled report", description="Title on the cover.")
    subtitle: Annotated[str, StringConstraints(max_length=200, strip_whitespace=True)] = Field(
        "", description="Subtitle on the cover."
    )
    authors: tuple[Line, ...] = Field(
        default=("Author not stated",), min_length=1, description="Authors on the cover."
    )
    notices: tuple[Notice, ...] = Field(
        (), description="Printed after the cover, each with title and text."
    )
    paper: Literal["a4", "letter"] = Field("a4", description="Page size of the PDF.")
    chapters: tuple[Line, ...] = Field(
        (),
        description="Chapters to include, by file stem; empty for all. Appendices always belong to "
        "the report.",
    )
    annex: tuple[Line, ...] = Field(
        (),
        description="Appendices that make up a second PDF, annex.pdf, by file stem; empty for one "
        "PDF.",
    )
    campaigns: tuple[Line, ...] = Field(
        (),
        description="Measured campaigns that represent their plans, by id; a plan of which none is "
        "named is represented by what was measured into its own folder, PLAN-PROFILE.",
    )
    rate_unit: Literal["round trips/s", "messages/s"] = Field(
        "round trips/s", description="Unit of rates; a round trip is two messages."
    )
    word_limits: dict[Line, tuple[Limit, Limit]] = Field(
        default={},
        description="What vague words mean where it is not what the table of words says: a word to "
        "the ends of its range, in per cent, null for an open end.",
    )
    number_format: NumberFormat = Field("1,234.5", description="How 1,234.5 is written.")
    changes_since: Place = Field(
        "",
        description="Archive, or folder of the report, of an older edition: a page says what "
        "changed since.",
    )
    remarks: Place = Field(
        "", description="File of a reviewer's remarks: a page shows them with the answers."
    )

    @property
    def lang(self) -> str:
        """Language of the text, for readers that speak it aloud."""
        return "en"

    def place_of(self, name: str) -> str:
        """Name a parameter with the file and line that set it, where a file does."""
        return f"{self._places[name]}: {name}" if name in self._places else name

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Give a copy with other values, which no file set."""
        copied = super().model_copy(update=update, deep=deep)
        copied._places = {k: place for k, place in self._places.items() if k not in (update or {})}
        return copied

    def __eq__(self, other: object) -> bool:
        """Compare what an edition is, not where it was written."""
        return type(other) is type(self) and other.__dict__ == self.__dict__

    def values_for_chapters(self, commit: str) -> dict[str, Any]:
        """Give what chapters can ask for: each parameter, all of them, the commit."""
        values = self.model_dump(mode="json")
        return {**values, "commit": commit, "parameters": values}

    @field_validator("made_with")
    @classmethod
    def _not_newer(cls, value: str) -> str:
        if value and Version(value) > Version(__version__):
            raise ValueError(
                f"the project needs Roundtrip {value} or newer; this is {__version__}: upgrade"
            )
        return value

    @field_validator("date")
    @classmethod
    def _iso_date(cls, value: str) -> str:
        if not value:
            return ""
        try:
            return datetime.date.fromisoformat(value).isoformat()
        except ValueError:
            raise ValueError("must be a date such as 2026-11-21") from None

    @field_validator("version", mode="before")
    @classmethod
    def _version_is_text(cls, value: object) -> object:
        if isinstance(value, float):
            # YAML has already turned 1.10 into 1.1: what was meant is lost.
            raise ValueError("must be in quotes: YAML takes it for a decimal number")
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value
