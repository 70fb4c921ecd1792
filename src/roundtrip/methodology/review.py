"""What every subject comes to by every rule."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict

from roundtrip.cache import Cache
from roundtrip.claims import claims_key
from roundtrip.files import sha256_of_json, sha256_of_tree
from roundtrip.methodology.rules import Rules
from roundtrip.methodology.subject import (
    Campaign,
    Edition,
    Finding,
    Kind,
    Lacking,
    RuleVerdict,
    Subject,
    subject_of,
    subjects_of,
)
from roundtrip.observations import Observations
from roundtrip.project import Project, filled
from roundtrip.versions import LOCK


class Judged(BaseModel):
    """What a subject comes to by one rule."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rule: str  # its id
    title: str  # in few words
    mandatory: bool
    finding: Finding
    by: str = ""  # who waived the rule; empty where nobody did


class Grade(BaseModel):
    """What a subject comes to by all rules that speak of its kind."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    subject: str
    kind: Kind
    judged: tuple[Judged, ...]  # in the order of the rules
    runs: tuple[int, int] | None = None  # of a campaign measured here: without a mark, and all

    def of(self, *verdicts: RuleVerdict) -> tuple[Judged, ...]:
        """Give what came to one of some verdicts."""
        return tuple(one for one in self.judged if one.finding.verdict in verdicts)

    @property
    def counted(self) -> tuple[Judged, ...]:
        """What the rules that are applicable came to."""
        return tuple(
            one for one in self.judged if one.finding.verdict is not RuleVerdict.not_applicable
        )

    @property
    def forbidding(self) -> tuple[Judged, ...]:
        """Mandatory rules that fail or cannot be assessed."""
        found = self.of(RuleVerdict.fails, RuleVerdict.not_assessable)
        return tuple(one for one in found if one.mandatory)

    @property
    def dispensed(self) -> tuple[Judged, ...]:
        """Mandatory rules that were waived."""
        return tuple(one for one in self.of(RuleVerdict.waived) if one.mandatory)

    @property
    def may_conclude(self) -> bool:
        """Whether anything may be concluded from it: no mandatory rule fails or is not assessed."""
        return bool(self.judged) and not self.forbidding

    @property
    def in_short(self) -> str:
        """What decides, and how much passes, for a section that rests on the subject.

        ``mandatory rules not passed: steady state; 21 of 26 rules pass``
        """
        told = []
        for found, word in ((self.forbidding, "not passed"), (self.dispensed, "waived")):
            told += [f"mandatory rules {word}: {_titles(found)}"] if found else []
        if not told and any(one.mandatory for one in self.judged):
            told = ["all mandatory rules pass"]
        told.append(f"{len(self.of(RuleVerdict.passes))} of {len(self.counted)} rules pass")
        return "; ".join(told)

    @property
    def sentence(self) -> str:
        """The grade in words, with the runs that bear no mark and the rules that do not pass."""
        told = [self.in_short]
        if self.runs is not None:
            told.append(f"{self.runs[0]} of {self.runs[1]} runs without a mark")
        for verdict, word in (
            (RuleVerdict.fails, "failed"), (RuleVerdict.not_assessable, "not assessable"),
            (RuleVerdict.waived, "waived"),
        ):  # fmt: skip
            named = (*self.forbidding, *self.dispensed)
            found = [one for one in self.of(verdict) if one not in named]
            told += [f"{word}: {_titles(found)}"] if found else []
        return f"{'; '.join(told)}."

    @property
    def withheld(self) -> str:
        """Why nothing is concluded, as sentences; empty where something may be."""
        if self.may_conclude:
            return ""
        reasons = "; ".join(dict.fromkeys(one.finding.reason for one in self.forbidding))
        return f"No conclusion here, because {reasons}. The numbers are shown as measured."


def grade(subject: Subject, rules: Rules) -> Grade:
    """Apply all rules to a subject."""
    judged = []
    for rule in rules.rules:
        finding = rule.of(subject)
        if finding is None:
            continue
        waiver = rules.waivers.get((rule.id, subject.id))
        if waiver is None or finding.verdict not in (RuleVerdict.fails, RuleVerdict.not_assessable):
            by = ""
        else:
            by, without = waiver.by, f"{finding.verdict.value}, {finding.reason}"
            finding = Finding(
                verdict=RuleVerdict.waived,
                reason=f"{waiver.why} (without the waiver: {without})",
                rests_on=(*finding.rests_on, f"checks/methodology/waivers.yml: {by}"),
            )
        mandatory = bool(rule.mandatory) and subject.kind == "campaign"
        judged.append(
            Judged(rule=rule.id, title=rule.title, finding=finding, mandatory=mandatory, by=by)
        )
    unmarked = None
    if isinstance(subject, Campaign):
        with suppress(Lacking):  # measured by another tool, or not finished
            runs = subject.manifest.runs
            unmarked = (sum(not run.doubt for run in runs), len(runs))
    return Grade(subject=subject.id, kind=subject.kind, judged=tuple(judged), runs=unmarked)


def grade_of(observations: Observations, name: str, kind: Kind = "campaign") -> Grade:
    """Give what a source, a campaign or the edition comes to, computed anew when anything changed.

    Parameters
    ----------
    name : str
        Id of the report or the campaign; ``edition``.

    Raises
    ------
    DataError
        If there is no such subject.
    CheckError
        If rules or waivers are malformed.
    """
    return _graded(subject_of(observations, kind, name), Rules(observations))


def review(observations: Observations, edition: Mapping[str, Any]) -> tuple[Grade, ...]:
    """Grade everything: sources, campaigns, the edition.

    Parameters
    ----------
    edition : mapping
        The version and the date of the edition, which its parameters may set.
    """
    rules, stated = Rules(observations), {name: edition[name] for name in ("version", "date")}
    return tuple(
        _graded(replace(one, parameters=stated) if isinstance(one, Edition) else one, rules)
        for one in subjects_of(observations).values()
    )


def _graded(subject: Subject, rules: Rules) -> Grade:
    def made() -> str:
        return grade(subject, rules).model_dump_json()

    cache = Cache(subject.observations.project.cache)
    return Grade.model_validate_json(cache.text_once("methodology", _key(subject), made))


def _key(subject: Subject) -> str:
    """Hash everything that a grade depends on; the package's own rules are part of its code."""
    project = subject.observations.project
    files = {
        "source": [project.published / subject.id],
        "campaign": [project.campaigns / subject.id],
        "edition": [project.root / LOCK, project.published],
    }[subject.kind]
    content: list[Any] = [
        subject.kind,
        subject.id,
        claims_key(subject.observations),
        sha256_of_tree(project.checks, *files),
    ]
    if subject.kind == "edition":
        raw = [folder for folder in project.campaigns.glob("*/raw") if any(folder.glob("*"))]
        content += [subject.disclosed, sorted(folder.parent.name for folder in raw)]
    return sha256_of_json(content)[:24]


def _titles(rules: Iterable[Judged]) -> str:
    """Write titles of rules one after the other, as they stand within a sentence."""
    return ", ".join(one.title[:1].lower() + one.title[1:] for one in rules)


def as_json(grades: Sequence[Grade]) -> str:
    """Write grades as JSON."""
    rows = [
        {**one.model_dump(mode="json"), "may_conclude": one.may_conclude, "grade": one.sentence}
        for one in grades
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


def as_page(grades: Sequence[Grade], project: Project) -> str:
    """Write grades as one HTML page that needs no other file."""
    return filled(project.template_folders("html"), "methodology.html", grades=grades)
