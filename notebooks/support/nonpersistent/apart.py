"""The base campaign twice: all on one host, and the broker away from its drivers."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from roundtrip.campaign.manifest import Manifest, where_they_ran
from roundtrip.methodology.subject import RuleVerdict
from roundtrip.outputs import escape_markdown
from roundtrip.present import Chapter, Measured, Text

TOGETHER, APART = "base-quick", "base-apart-quick"


def measured_twice(chapter: Chapter, **factors: object) -> Measured | None:
    """Lay both campaigns side by side; None where the project does not hold both.

    Parameters
    ----------
    **factors
        Values that factors must have.
    """
    if not {TOGETHER, APART} <= {*chapter.observations.campaign_ids}:
        return None
    return Measured(chapter, "base", campaigns=(TOGETHER, APART), **factors)


def apart_words(here: Measured | None) -> Text:
    """Say how the second campaign was placed, and what else differed."""
    if here is None:
        return Text(
            "No campaign in this edition ran the broker on a different host from its drivers."
        )
    together, apart = (here.chapter.observations.campaign(name) for name in (TOGETHER, APART))
    begun = [datetime.fromisoformat(one.sessions[0].started) for one in (together, apart)]
    hours = math.ceil(abs(begun[1] - begun[0]) / timedelta(hours=1))
    grades = [{one.title: one.finding.verdict for one in grade.counted} for grade in here.grades]
    better = [name for name, verdict in grades[1].items() if _better(verdict, grades[0].get(name))]
    worse = [name for name, verdict in grades[0].items() if _better(verdict, grades[1].get(name))]
    if better or worse:
        sides = ((worse, TOGETHER), (better, APART))
        told = [f"Only `{which}` passes {_named(rules)}." for rules, which in sides if rules]
        graded = " ".join(told)
    else:
        graded = "Both pass the same rules of method."
    return Text(
        f"Two campaigns ran the same plan on the {together.broker} within {hours} h of each other: "
        f"`{TOGETHER}` with broker and drivers sharing the processors and the loopback, `{APART}` "
        f"with {where_they_ran(apart.hosts)}. {_also_different(together, apart)} When "
        f"measurement began, {_steady(together)} runs were steady in `{TOGETHER}` and "
        f"{_steady(apart)} in `{APART}`. {graded} "
        "@tbl-nonpersistent-apart sets their rates in the "
        f"{' and '.join(here.levels('scheduling_class'))} scheduling class side by side; because "
        "the campaigns ran at different times, it calls no difference significant."
    )


def _also_different(one: Manifest, other: Manifest) -> str:
    """Name what two campaigns disclose differently of machine, Java and plan."""
    first, second = (
        {
            "processor": of.host["processor"], "kernel": of.host["kernel"],
            "Java": of.software["java"], "garbage collector": of.software["collector"],
            "longest warm-up": f"{of.plan.warm_up.most_seconds:g} s",
        }
        for of in (one, other)
    )  # fmt: skip
    found = [
        f"{name} ({escape_markdown(str(first[name]))}; then {escape_markdown(str(second[name]))})"
        for name in first
        if first[name] != second[name]
    ]
    if not found:
        return "Machine, kernel, Java, garbage collector and warm-up rule were the same."
    return (
        f"They also differ in {', '.join(found)}, so placement does not explain all of a "
        "difference."
    )


def _steady(campaign: Manifest) -> str:
    steady = sum(run.steady for run in campaign.runs)
    return f"{steady} of {len(campaign.runs)}"


def _better(one: RuleVerdict, other: RuleVerdict | None) -> bool:
    return one is RuleVerdict.passes and other is not RuleVerdict.passes


def _named(rules: list[str]) -> str:
    return ", ".join(f"“{escape_markdown(name)}”" for name in rules)
