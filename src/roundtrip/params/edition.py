"""The schema of ``params/report.yml``: what an edition of the report can be told."""

from __future__ import annotations

import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

Line = Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]
Limit = Annotated[float, Field(allow_inf_nan=False)] | None
NumberFormat = Literal["1,234.5", "1.234,5", "1 234.5", "1 234,5", "1234.5"]
NUMBER_FORMATS: tuple[str, ...] = ("1,234.5", "1.234,5", "1 234.5", "1 234,5", "1234.5")


class Notice(BaseModel):
    """One notice at the front of the report."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: Line
    text: Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class ReportParameters(BaseModel):
    """Parameters of one edition.

    Attributes
    ----------
    version : str
        Version of the edition, and the name of its folder below ``reports/``.
    date : str
        Date of the edition, ISO 8601.
    title, subtitle : str
        As on the cover.
    authors : tuple of str
        As on the cover.
    notices : tuple of Notice
        Printed after the cover.
    paper : {"a4", "letter"}
        Page size of the PDF.
    chapters : tuple of str
        Chapters to include, by file stem; empty for all. Appendices always belong to the report.
    message_bytes : tuple of int
        Message sizes that tables and figures of the chapters show. The appendix of source tables
        stays whole.
    variants : tuple of str
        Variants to show (storage, CipherSpec, HA technique, compression), as the dictionary
        spells them; empty for all. Baselines are always shown.
    storage_baseline, tls_baseline, ha_baseline : str
        What ratios refer to in the chapters on file systems, TLS and high availability.
    rate_unit : {"round trips/s", "messages/s"}
        Unit of rates; a round trip is two messages.
    campaign : str
        Id of the ingested campaign whose results chapters show; empty for none.
    word_limits : dict of str to (float or None, float or None)
        What vague words mean where it is not what ``checks/vague-words.yml`` says: a word to the
        ends of its range, in per cent, None for an open end.
    number_format : str
        How one thousand two hundred and thirty-four and a half is written.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)

    version: Annotated[
        str, StringConstraints(pattern=r"^[0-9A-Za-z](?:[0-9A-Za-z._-]{0,38}[0-9A-Za-z])?$")
    ]
    date: str
    title: Line
    subtitle: Line
    authors: tuple[Line, ...] = Field(min_length=1)
    notices: tuple[Notice, ...] = ()
    paper: Literal["a4", "letter"] = "a4"
    chapters: tuple[Line, ...] = ()
    message_bytes: tuple[Annotated[int, Field(gt=0, strict=True)], ...] = Field(
        default=(256, 2048, 20480, 204800, 2097152), min_length=1
    )
    variants: tuple[Line, ...] = ()
    storage_baseline: Literal["SSD", "SAN", "NFS"] = "SSD"
    tls_baseline: Line = "none"
    ha_baseline: Literal["SAN", "MIQM", "RDQM"] = "SAN"
    rate_unit: Literal["round trips/s", "messages/s"] = "round trips/s"
    campaign: Annotated[str, StringConstraints(pattern=r"^(?:[a-z0-9][a-z0-9.-]{0,59})?$")] = ""
    word_limits: dict[Line, tuple[Limit, Limit]] = {}
    number_format: NumberFormat = "1,234.5"

    @property
    def lang(self) -> str:
        """Language of the text, for readers that speak it aloud."""
        return "en"

    @field_validator("date")
    @classmethod
    def _iso_date(cls, value: str) -> str:
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
