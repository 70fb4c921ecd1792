"""The rules: data that say what must hold, why, on whose word, and which check finds out."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from roundtrip.errors import CheckError, nearest, unknown
from roundtrip.files import files_below
from roundtrip.methodology.campaign_checks import CAMPAIGN_CHECKS
from roundtrip.methodology.edition_checks import EDITION_CHECKS
from roundtrip.methodology.source_checks import SOURCE_CHECKS
from roundtrip.methodology.subject import Finding, Kind, Subject, subjects_of
from roundtrip.observations import Observations
from roundtrip.yamlfile import Strict, load_model, matching, place_in

OWN = "methodology"
"""Folder below the project's ``checks/`` with rules of its own, and its waivers."""
WAIVERS = "waivers.yml"
_REMEDY = "correct the waiver, or take it out"
_CHECKS: Mapping[Kind, Mapping[str, Callable[..., Finding]]] = {
    "source": SOURCE_CHECKS, "campaign": CAMPAIGN_CHECKS, "edition": EDITION_CHECKS,
}  # fmt: skip
Line = Annotated[str, StringConstraints(min_length=1, max_length=400, strip_whitespace=True)]
Limit = float | str | tuple[str, ...]


class Applied(Strict):
    """How a rule is checked on subjects of one kind."""

    check: str  # its name; see docs/methodology.md
    limits: dict[str, Limit] = Field(default_factory=dict)  # its numbers and names


class Rule(Strict):
    """One rule."""

    id: Annotated[
        str, matching("[a-z][a-z0-9-]{0,39}", "up to 40 lower case letters, digits and hyphens")
    ]
    # In few words, for the head of a column.
    title: Annotated[str, StringConstraints(min_length=1, max_length=40)]
    text: Line  # in a sentence
    source: Line  # the literature that it is from
    # Why nothing may be concluded where it fails; empty where it does not forbid that.
    mandatory: Annotated[str, StringConstraints(max_length=400, strip_whitespace=True)] = ""
    applies_to: dict[Kind, Applied] = Field(min_length=1)  # how it is checked there

    @model_validator(mode="after")
    def _checks_exist(self) -> Rule:
        for kind, applied in self.applies_to.items():
            known = _CHECKS[kind]
            if applied.check not in known:
                raise ValueError(
                    f"there is no check '{applied.check}' of a {kind}"
                    f"{nearest(applied.check, known)}; there are {', '.join(sorted(known))}"
                )
            _refuse_limits(applied, known[applied.check])
        return self

    def of(self, subject: Subject) -> Finding | None:
        """Give what a subject comes to; None where the rule does not speak of its kind."""
        applied = self.applies_to.get(subject.kind)
        if applied is None:
            return None
        return subject.judged(_CHECKS[subject.kind][applied.check], applied.limits)


def _refuse_limits(applied: Applied, check: Callable[..., Finding]) -> None:
    """Refuse limits that a check does not have, lacks, or has of another type."""
    _, *known = inspect.signature(check).parameters.values()
    names = [one.name for one in known]
    if {*names} != {*applied.limits}:
        told = (", ".join(some) or "none" for some in (names, applied.limits))
        raise ValueError("the limits of '{}' are {}, not {}".format(applied.check, *told))
    for limit in known:
        kind, word = _LIMITS[limit.annotation]
        if not isinstance(applied.limits[limit.name], kind):
            raise ValueError(f"the limit '{limit.name}' of '{applied.check}' must be a {word}")


_LIMITS: Mapping[str, tuple[type, str]] = {
    "float": (float, "number"), "str": (str, "text"), "tuple[str, ...]": (tuple, "list of texts"),
}  # fmt: skip
"""How a check annotates a limit, to the type of its value and the word for that."""


class RuleFile(Strict):
    """A file of rules."""

    rules: tuple[Rule, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _unique(self) -> RuleFile:
        ids = [rule.id for rule in self.rules]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise ValueError(f"two rules have the id {twice[0]}")
        return self


class Waiver(Strict):
    """Somebody's decision that a rule need not hold for a subject."""

    rule: str  # its id
    subject: str  # id of the report or campaign, or "edition"
    by: Line  # who decided
    why: Annotated[str, StringConstraints(min_length=10, max_length=400, strip_whitespace=True)]


class WaiverFile(Strict):
    """``checks/methodology/waivers.yml``."""

    waivers: tuple[Waiver, ...] = ()


class Rules:
    """All rules of a project, with its waivers.

    Parameters
    ----------
    observations : Observations
        Their project holds rules of its own, and waivers.

    Raises
    ------
    CheckError
        If a file of rules or waivers is malformed, or a waiver names a rule that does not exist.
    """

    def __init__(self, observations: Observations) -> None:
        self._observations = observations
        self.folder = observations.project.checks / OWN
        own = {rule.id: rule for rule in _rules_in(self.folder)}
        self.rules = tuple({**{rule.id: rule for rule in _default_rules()}, **own}.values())

    @cached_property
    def waivers(self) -> dict[tuple[str, str], Waiver]:
        """Rule and subject to the waiver."""
        path = self.folder / WAIVERS
        if not path.exists():
            return {}
        waivers = load_model(path, WaiverFile, CheckError).waivers
        rules = {rule.id: rule for rule in self.rules}
        kinds = {one.id: one.kind for one in subjects_of(self._observations).values()}
        found: dict[tuple[str, str], Waiver] = {}
        for number, waiver in enumerate(waivers):
            rule, subject = waiver.rule, waiver.subject
            for key, name, known in (("rule", rule, rules), ("subject", subject, kinds)):
                if name not in known:
                    where = place_in(path, "waivers", number, key)
                    raise unknown(CheckError, key, name, known, where=where, remedy=_REMEDY)
            where = place_in(path, "waivers", number, "rule")
            if kinds[subject] not in rules[rule].applies_to:
                told = f"the rule '{rule}' does not speak of '{subject}'"
                raise CheckError(told, where=where, remedy=_REMEDY)
            if (rule, subject) in found:
                told = f"'{rule}' is waived twice for '{subject}'"
                raise CheckError(told, where=where, remedy=_REMEDY)
            found[rule, subject] = waiver
        return found


def _rules_in(folder: Path) -> list[Rule]:
    return [
        rule
        for path in files_below(folder)
        if path.suffix == ".yml" and path.name != WAIVERS
        for rule in load_model(path, RuleFile, CheckError).rules
    ]


@lru_cache(maxsize=1)
def _default_rules() -> tuple[Rule, ...]:
    return tuple(_rules_in(Path(__file__).parent / "rules"))
