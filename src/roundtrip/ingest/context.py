"""``campaign.yml`` beside the logs: who measured what and where, and what was set."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from roundtrip.dictionary import Dictionary, FactorValue
from roundtrip.errors import DataError, nearest
from roundtrip.files import sha256_of_file
from roundtrip.ingest.clocks import zones
from roundtrip.ingest.patterns import Pattern, plain_value, run_number
from roundtrip.ingest.records import REPETITION
from roundtrip.secrets import refuse_secrets
from roundtrip.yamlfile import Strict, line_of, load_model

CONTEXT = "campaign.yml"
Role = Literal["requesters", "responders", "senders", "receivers", "put-get", "resources"]
Scalar = str | int | float | bool | None
ASKED = (
    "product", "product_version", "platform", "workload", "delivery", "message_bytes",
    "log_storage", "ha", "tls_cipher",
)  # fmt: skip
"""Factors that a point without a value for is asked for by name."""


def _zone(name: str) -> str:
    """Refuse a time zone that the tz database does not have."""
    if name not in zones():
        raise ValueError(
            f"no time zone '{name}'{nearest(name, zones())}; allowed is a name of the tz database: "
            "UTC, Europe/Berlin"
        )
    return name


Zone = Annotated[str, AfterValidator(_zone)]


class Steady(Strict):
    """Which intervals count, beside the rule that follows from the number of threads.

    Attributes
    ----------
    skip_first, skip_last : int
        Intervals to leave out at the beginning and at the end of each run.
    """

    skip_first: int = Field(default=0, ge=0, le=100_000)
    skip_last: int = Field(default=0, ge=0, le=100_000)


class Files(Strict):
    """What is said of the files whose name fits a pattern.

    Attributes
    ----------
    pattern : str
        See `Pattern`.
    tool : str or None
        Reads them as this tool's output.
    role : str or None
        What the programs of the load driver did.
    host : str or None
        Whose resources a monitor shows.
    factors : dict
        What was set.
    words : dict
        For each factor, what short words in the name stand for.
    steady : Steady or None
        In place of the campaign's.
    zone : str or None
        In place of the campaign's.
    """

    pattern: str
    tool: str | None = None
    role: Role | None = None
    host: Literal["queue manager", "clients"] | None = None
    factors: dict[str, Scalar] = Field(default={})
    words: dict[str, dict[str, Scalar]] = Field(default={})
    steady: Steady | None = None
    zone: Zone | None = None


class CampaignFile(Strict):
    """The whole of ``campaign.yml``.

    Attributes
    ----------
    title, who, where, when, note : str
        In words.
    factors : dict
        What was the same in all files.
    files : tuple of Files
        What the names of files say; all that fit count, later ones over earlier.
    zone : str or None
        Time zone of times that are printed without one.
    histogram_unit : str or None
        Unit of HdrHistogram values.
    """

    title: str = ""
    who: str = ""
    where: str = ""
    when: str = ""
    note: str = ""
    factors: dict[str, Scalar] = Field(default={})
    files: tuple[Files, ...] = ()
    steady: Steady = Steady()
    zone: Zone | None = None
    histogram_unit: Literal["ns", "us", "ms", "s"] | None = None

    @field_validator("factors", "files", mode="before")
    @classmethod
    def _nothing_yet(cls, value: object, info: ValidationInfo) -> object:
        """Take a section that holds only comments for an empty one."""
        if value is None:
            return {} if info.field_name == "factors" else ()
        return value


@dataclass
class FileContext:
    """What is known of one file from outside of it.

    `factors` are of the dictionary's types; `repetition` is the number of the run that it holds.
    `path` and `sha256` are of the ``campaign.yml`` that says so, `called` is its name there.
    """

    called: str = ""
    path: Path | None = None
    sha256: str | None = None
    factors: dict[str, FactorValue] = field(default_factory=dict)
    role: str | None = None
    tool: str | None = None
    host: str | None = None
    steady: Steady = field(default_factory=Steady)
    zone: str | None = None
    histogram_unit: str | None = None
    repetition: int | None = None


class Context:
    """A ``campaign.yml``, or none, with its patterns made ready.

    Raises
    ------
    DataError
        If the file breaks a rule; it names file, line and key.
    ParameterError
        If it holds what looks like a secret: a campaign keeps it.
    """

    def __init__(self, path: Path | None, dictionary: Dictionary) -> None:
        self.path = path
        self.dictionary = dictionary
        self.campaign = (
            CampaignFile() if path is None else load_model(path, CampaignFile, DataError)
        )
        self._sha256 = None if path is None else sha256_of_file(path)
        where = str(path)
        self._text = "" if path is None else path.read_text(encoding="utf-8")
        refuse_secrets(self._text, where, "word it otherwise, or take it out")
        self._common = dictionary.factor_values(self.campaign.factors, where)
        self._files = [
            (
                Pattern(entry.pattern, dictionary, where),
                entry,
                dictionary.factor_values(entry.factors, where),
            )
            for entry in self.campaign.files
        ]
        for _, entry, _ in self._files:
            for name in entry.words:
                dictionary.factor(name, where)

    def of(self, name: str) -> FileContext:
        """Give what is known of a file, named relative to the folder of ``campaign.yml``.

        Raises
        ------
        DataError
            If a text in the name is no value of the factor that the pattern takes it for.
        """
        made = FileContext(
            name, self.path, self._sha256, dict(self._common), steady=self.campaign.steady,
            zone=self.campaign.zone, histogram_unit=self.campaign.histogram_unit,
        )  # fmt: skip
        for pattern, entry, factors in self._files:
            texts = pattern.match(name)
            if texts is None:
                continue
            made.factors |= factors
            if (run := texts.pop(REPETITION, None)) is not None:
                made.repetition = run_number(run)
            for factor, text in texts.items():
                kind, words = self.dictionary.factors[factor].type, entry.words.get(factor, {})
                plain = plain_value(kind, text, words)
                value = self.dictionary.factor_value(factor, plain, f"{self.path}: {name}")
                if value is not None:
                    made.factors[factor] = value
            made.role = entry.role or made.role
            made.tool = entry.tool or made.tool
            made.host = entry.host or made.host
            made.steady = entry.steady or made.steady
            made.zone = entry.zone or made.zone
        return made

    def unmatched(self, names: Iterable[str]) -> list[str]:
        """Give each pattern that fits none of some files, nor an archive that they are in."""
        names = list(names)
        names += {name[: mark.start()] for name in names for mark in re.finditer("!", name)}
        return [
            f"{self.path}:{line_of(self._text, ('files', number, 'pattern'))}: the pattern "
            f"'{entry.pattern}' fits none of these files"
            for number, (pattern, entry, _) in enumerate(self._files)
            if all(pattern.match(name) is None for name in names)
        ]  # fmt: skip


def context_above(folder: Path) -> Path | None:
    """Find the ``campaign.yml`` of the files in a folder: there or above, at most eight up."""
    for candidate in (folder, *list(folder.resolve().parents)[:8]):
        if (candidate / CONTEXT).is_file():
            return candidate / CONTEXT
    return None
