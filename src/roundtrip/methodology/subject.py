"""What rules are about: a published report, a campaign, the edition; and what is found of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from roundtrip.campaign.derive import WholeRun, whole_run
from roundtrip.campaign.manifest import Manifest, RunEntry
from roundtrip.errors import DataError, unknown
from roundtrip.files import sha256_of_file
from roundtrip.ingest.again import kept_logs
from roundtrip.observations import Observations
from roundtrip.params import resolve_parameters
from roundtrip.project import INGESTED, MANIFEST, POINTS
from roundtrip.sources.disclosure import PublishedReport

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

Read = TypeVar("Read")
Kind = Literal["source", "campaign", "edition"]
EDITION = "edition"
"""Id of the edition as a subject."""


class RuleVerdict(StrEnum):
    """What a rule comes to for a subject."""

    passes = "pass"
    fails = "fail"
    waived = "waived"
    not_assessable = "not assessable"
    not_applicable = "not applicable"


class Finding(BaseModel):
    """A verdict with its ground."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    verdict: RuleVerdict
    reason: str  # one short sentence
    rests_on: tuple[str, ...] = ()  # files with the key, or runs, or observations


def passes(reason: str, *rests_on: str) -> Finding:
    """Say that a rule holds."""
    return Finding(verdict=RuleVerdict.passes, reason=reason, rests_on=rests_on)


def fails(reason: str, *rests_on: str) -> Finding:
    """Say that a rule is broken."""
    return Finding(verdict=RuleVerdict.fails, reason=reason, rests_on=rests_on)


def not_assessable(reason: str, *rests_on: str) -> Finding:
    """Say what is missing to tell whether a rule holds."""
    return Finding(verdict=RuleVerdict.not_assessable, reason=reason, rests_on=rests_on)


def not_applicable(reason: str, *rests_on: str) -> Finding:
    """Say why a rule has nothing to say of a subject."""
    return Finding(verdict=RuleVerdict.not_applicable, reason=reason, rests_on=rests_on)


class Lacking(Exception):
    """What a check needs and a subject does not have: the rule cannot be assessed."""

    def __init__(self, reason: str, *rests_on: str) -> None:
        super().__init__(reason)
        self.finding = not_assessable(reason, *rests_on)


@dataclass(frozen=True)
class Subject(ABC):
    """What a rule is applied to."""

    id: str  # of the report or the campaign; "edition"
    observations: Observations
    kind: ClassVar[Kind]

    @property
    @abstractmethod
    def place(self) -> str:
        """The file that says what it is, from the project's folder."""

    def judged(self, check: Callable[..., Finding], limits: Mapping[str, Any]) -> Finding:
        """Apply a check; what it lacks makes the rule not assessable."""
        try:
            return check(self, **limits)
        except Lacking as lacking:
            return lacking.finding

    @cached_property
    def values(self) -> pd.DataFrame:
        """What was observed of it, without what runs show over time."""
        return self.observed()

    def observed(self) -> pd.DataFrame:
        """Find `values`."""
        frame = self.observations.choose(source=self.id)
        return frame[frame["interval"].isna()]

    @property
    @abstractmethod
    def disclosed(self) -> dict[str, Any]:
        """What its file says, as plain data."""


@dataclass(frozen=True)
class Edition(Subject):
    """The report that is built here."""

    kind = "edition"
    # Its version and date, where it is not built with those of ``params/report.yml``.
    parameters: Mapping[str, Any] | None = None

    @property
    def place(self) -> str:
        """Its parameters."""
        return "params/report.yml"

    @property
    def disclosed(self) -> dict[str, Any]:
        """Its version and date."""
        if self.parameters is not None:
            return dict(self.parameters)
        return resolve_parameters(self.observations.project).model_dump(include={"version", "date"})


@dataclass(frozen=True)
class Source(Subject):
    """A published report."""

    kind = "source"

    @property
    def place(self) -> str:
        """Its ``report.yml``."""
        return f"data/published/{self.id}/report.yml"

    @property
    def report(self) -> PublishedReport:
        """What it says of itself."""
        return self.observations.report(self.id)

    @property
    def disclosed(self) -> dict[str, Any]:
        """Its ``report.yml``."""
        return self.report.model_dump(mode="json")


@dataclass(frozen=True)
class Campaign(Subject):
    """A campaign: measured here, or ingested."""

    kind = "campaign"

    @property
    def ingested(self) -> bool:
        """Whether it was ingested."""
        return self.id in self.observations.ingested_ids

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return self.observations.project.campaigns / self.id

    @property
    def place(self) -> str:
        """Its manifest."""
        return f"data/campaigns/{self.id}/{MANIFEST}"

    @property
    def points(self) -> str:
        """The file of its points, from the project's folder."""
        return f"data/campaigns/{self.id}/{INGESTED if self.ingested else POINTS}"

    @property
    def raw(self) -> str:
        """The folder of its raw files, from the project's folder."""
        return f"data/campaigns/{self.id}/raw"

    @cached_property
    def manifest(self) -> Manifest:
        """What its runner noted; lacking if there is none, or another tool measured it."""
        if self.id in self.observations.campaign_ids:
            return self.observations.campaign(self.id)
        if self.ingested:
            raise Lacking(
                "its logs come without the plan and the record of the runs that the rules are "
                "checked by",
                self.place,
            )
        raise Lacking(
            "it is not finished: resume it with the command that began it, or remove the folder",
            self.place,
        )

    @property
    def runs(self) -> tuple[RunEntry, ...]:
        """Its finished runs; lacking where there is none."""
        if not self.manifest.runs:
            raise Lacking("no run is finished", f"{self.place}: runs")
        return self.manifest.runs

    def observed(self) -> pd.DataFrame:
        """Give what was observed of it."""
        found = super().observed()
        if found.empty:
            why = (
                "put them back" if self.manifest.runs else "no run of it was finished, run it again"
            )
            raise Lacking(f"it has no points: {why}, or remove the folder", self.place)
        return found

    @property
    def disclosed(self) -> dict[str, Any]:
        """Its manifest."""
        return self.manifest.model_dump(mode="json")

    @cached_property
    def logs(self) -> Mapping[str, bool | None]:
        """Of what was ingested, whether each log that is kept is the one that was read."""
        return kept_logs(self.folder)

    @cached_property
    def altered(self) -> tuple[str, ...]:
        """Raw files that are not what they were when they were measured or ingested."""
        if self.ingested:
            return tuple(f"{self.raw}: {name}" for name, same in self.logs.items() if same is False)
        raw = self.folder / "raw"
        names = {run.raw: run.raw_sha256 for run in self.manifest.runs}
        return tuple(
            f"{self.raw}/{name}"
            for name, known in names.items()
            if known and (raw / name).is_file() and sha256_of_file(raw / name) != known
        )

    @cached_property
    def whole_runs(self) -> Mapping[str, WholeRun]:
        """What the raw file of each run says of all of it; lacking where one cannot be read."""
        return {
            run.run: self.from_raw(run, whole_run, f"{self.raw}/{run.raw}")
            for run in self.manifest.runs
        }

    def from_raw(self, run: RunEntry, read: Callable[[Path], Read], where: str) -> Read:
        """Read the raw file of a run; lacking where it cannot be read."""
        path = self.folder / "raw" / run.raw
        if not path.is_file():
            raise Lacking(f"the raw file of {run.run} is not here: put it back", where)
        try:
            return read(path)
        except DataError as problem:
            raise Lacking(f"a raw file cannot be read: {problem.what}", where) from problem

    def judged(self, check: Callable[..., Finding], limits: Mapping[str, Any]) -> Finding:
        """Apply a check; no pass rests on raw files that were changed."""
        found = super().judged(check, limits)
        if found.verdict is RuleVerdict.passes and self.altered:
            return not_assessable(
                "a kept log was changed: put it back, or ingest it again"
                if self.ingested
                else "a raw file was changed after it was measured: put back what was measured, or "
                "measure again",
                *self.altered,
            )
        return found


def subjects_of(observations: Observations) -> dict[str, Subject]:
    """Give everything that rules can be applied to: sources, campaigns, the edition.

    A campaign's folder is one whatever it holds, so that none escapes for what it lacks.
    """
    folders = observations.project.campaigns.glob("[!.]*/")
    found: list[Subject] = [Source(name, observations) for name in observations.report_ids]
    found += [Campaign(folder.name, observations) for folder in sorted(folders)]
    return {subject.id: subject for subject in (*found, Edition(EDITION, observations))}


def subject_of(observations: Observations, kind: Kind, name: str) -> Subject:
    """Give one subject; where there is none of that kind, the error names the nearest id."""
    known = {one.id: one for one in subjects_of(observations).values() if one.kind == kind}
    if name not in known:
        word = "report" if kind == "source" else kind
        raise unknown(
            DataError, word, name, known, allowed=", ".join(known) or f"there is no {word} yet",
            remedy=observations.project.remedy_for_draft(name) if kind == "source" else None,
        )  # fmt: skip
    return known[name]
