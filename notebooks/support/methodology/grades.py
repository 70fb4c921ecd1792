"""What the rules of method come to in this edition: counts, tables, and what follows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from roundtrip.methodology.review import Grade, Judged, review
from roundtrip.methodology.rules import Rule, Rules
from roundtrip.methodology.subject import Verdict
from roundtrip.outputs import escape_markdown, of_all
from roundtrip.present import Chapter, Table, Text
from roundtrip.present.measured.agreement import TEST, WIDEST, Margin, factor_words, margin_of
from roundtrip.present.measured.means import Measured
from roundtrip.present.measured.words import COMPARISON, RATIOS
from roundtrip.present.tables import plain_table

comparison = (
    f"{COMPARISON} {TEST} {RATIOS} The margin is specific to the campaign: the factor by which its "
    f"own whole runs of one point differ, at most {WIDEST:g}."
)
"""How published and measured values are compared, in words."""
_VERSION = re.compile(r" [\d.]+$")
KINDS = {"source": "Sources", "campaign": "Campaigns", "edition": "Edition"}


@dataclass(frozen=True)
class Reviewed:
    """Every subject of the edition with its grade."""

    chapter: Chapter
    rules: tuple[Rule, ...]
    grades: tuple[Grade, ...]

    def of_kind(self, *kinds: str) -> tuple[Grade, ...]:
        """Give the grades of some kinds of subjects."""
        return tuple(grade for grade in self.grades if grade.kind in kinds)

    def named(self, grade: Grade) -> str:
        """Name a subject as the chapters do."""
        if grade.kind == "source":
            return self.chapter.observations.report(grade.subject).short_title
        return "this edition" if grade.kind == "edition" else grade.subject

    @property
    def mandatory(self) -> int:
        """How many rules are mandatory."""
        return sum(1 for rule in self.rules if rule.mandatory)

    @property
    def campaigns(self) -> int:
        """How many campaigns there are."""
        return len(self.of_kind("campaign"))

    @property
    def concluding(self) -> int:
        """From how many campaigns something may be concluded."""
        return sum(grade.may_conclude for grade in self.of_kind("campaign"))


def reviewed(chapter: Chapter, *, version: str, date: str) -> Reviewed:
    """Apply all rules to all subjects, to the edition with its version and date."""
    observations, edition = chapter.observations, {"version": version, "date": date}
    return Reviewed(chapter, Rules(observations).rules, review(observations, edition))


def title_of(found: Reviewed, kind: str) -> str:
    """Name the finding of a matrix: how much of what could be judged passes."""
    if kind == "campaign":
        return (
            f"{found.concluding} of {found.campaigns} campaigns support conclusions: they "
            "fail no mandatory rule"
        )
    grades = found.of_kind("source")
    passed = sum(len(grade.of(Verdict.passes)) for grade in grades)
    counted = sum(len(grade.counted) for grade in grades)
    return f"Where a rule applies to a source, the source meets it in {passed} of {counted} cases"


def rules_table(found: Reviewed, *, caption: str) -> Table:
    """List the rules: what each asks, on whose word, how many subjects keep it."""
    rows = []
    for rule in found.rules:
        counts = []
        for kind in KINDS:
            judged = list(_judged(found.of_kind(kind), rule))
            passed = sum(one.finding.verdict is Verdict.passes for one in judged)
            applicable = sum(one.finding.verdict is not Verdict.apart for one in judged)
            counts.append(f"{passed} of {applicable}" if applicable else "\u2013")
        text = f"{rule.text} {f'Mandatory: {rule.mandatory} ' if rule.mandatory else ''}"
        rows.append(
            [rule.title + (" *" if rule.mandatory else ""), text.strip(), rule.source, *counts]
        )
    table = plain_table(
        caption,
        ["Rule", "What must hold", "Authority", *KINDS.values()],
        rows,
        notes=[
            ("* Mandatory: if it fails or cannot be assessed, the campaign supports no conclusion.")
        ],
    )
    return replace(table, shares=(15, 32, 23, 9, 12, 9))


def _judged(grades: Sequence[Grade], rule: Rule) -> Iterator[Judged]:
    return (one for grade in grades for one in grade.judged if one.rule == rule.id)


def withheld_list(found: Reviewed) -> Text:
    """List the campaigns that support no conclusion, each with the reasons."""
    lines = [
        f"- `{grade.subject}`: "
        + "; ".join(
            f"{escape_markdown(one.finding.reason)} ({escape_markdown(one.title.lower())})"
            for one in grade.forbidding
        )
        + "."
        for grade in found.of_kind("campaign")
        if not grade.may_conclude
    ]
    if not lines:
        return Text("No mandatory rule fails: every campaign supports conclusions.")
    return Text("\n".join(lines))


def failing_list(found: Reviewed) -> Text:
    """List the rules that campaigns fail, those that most fail first, with how many do."""
    counts = []
    for rule in found.rules:
        judged = list(_judged(found.of_kind("campaign"), rule))
        failed = [one for one in judged if one.finding.verdict is Verdict.fails]
        open_ = [one for one in judged if one.finding.verdict is Verdict.unknown]
        if failed or open_:
            counts.append((len(failed), len(open_), rule, len(judged)))
    counts.sort(key=lambda entry: (-entry[0], -entry[1]))
    lines = []
    for failed_count, open_count, rule, total in counts:
        verb = f"fail{'s' * (failed_count == 1)}"
        said = [f"{of_all(failed_count, total, 'campaign')} {verb}"] if failed_count else []
        said += [f"{open_count} of {total} cannot be assessed"] if open_count else []
        mark = " (mandatory)" if rule.mandatory else ""
        counted = ", ".join(said)
        lines.append(
            f"- **{escape_markdown(rule.title)}**{mark}: {escape_markdown(rule.text)} "
            f"{counted[:1].upper()}{counted[1:]}."
        )
    return Text("\n".join(lines) or "No rule fails for any campaign.")


def said_table(found: Reviewed, *, caption: str) -> Table:
    """List what each source says of its method, and of what it says nothing."""
    rows = []
    for grade in found.of_kind("source"):
        method = found.chapter.observations.report(grade.subject).method
        for topic, said in method.items():
            if said is not None:
                where = said.section if not said.section[:1].isdigit() else f"sec {said.section}"
                rows.append([found.named(grade), topic.replace("_", " "), where, said.says,
                             "yes" if said.holds else "no"])  # fmt: skip
        silent = [topic.replace("_", " ") for topic, said in method.items() if said is None]
        if silent:
            rows.append([found.named(grade), "does not mention", "\u2013",
                         f"{', '.join(silent)}".capitalize(), "no"])  # fmt: skip
    return plain_table(
        caption, ["Source", "Topic", "Where", "What it says", "Enough"], rows, group_by_first=True
    )


def _repeats(chapter: Chapter) -> list[tuple[str, int, Margin]]:
    """Give campaign, blocks and margin of each campaign, the one that repeats best first."""
    known = chapter.observations
    found = []
    for name in known.campaign_ids:
        campaign = known.campaign(name)
        here = Measured(chapter, campaign.plan.name, campaigns=(name,))
        if here.frame[["target_rate", "requester_rate"]].notna().any(axis=None):
            continue
        margin = margin_of(here)
        if margin.points:
            found.append((name, campaign.blocks, margin))
    return sorted(found, key=lambda one: (one[2].repeats_within, one[0]))


def capped_words(chapter: Chapter) -> str:
    """Say in how many campaigns runs differ by more than the margin may be."""
    margins = [margin for _, _, margin in _repeats(chapter) if not margin.withheld]
    found = [margin.repeats_within > WIDEST for margin in margins]
    if not any(found):
        return ""
    return (
        f"In {of_all(sum(found), len(found), 'campaign')} at free rates, runs differ by more than "
        f"{WIDEST:g}: the margin is tighter than the machine repeats."
    )


def repeatability_table(chapter: Chapter, *, caption: str) -> Table | None:
    """List how far the runs of each campaign differ, the one that repeats best first."""
    rows = [
        (name, str(margin.points), str(blocks), factor_words(margin.repeats_within),
         "none" if margin.withheld else factor_words(margin.factor))
        for name, blocks, margin in _repeats(chapter)
    ]  # fmt: skip
    if not rows:
        return None
    return plain_table(
        caption,
        ["Campaign", "Points", "Blocks", "Two runs differ by less than a factor of", "Margin"],
        rows, code_columns=(0,), right_columns=(1, 2, 3, 4),
        notes=[
            "Points that were run several times, in blocks hours apart; campaigns at set rates are "
            "left out. The round-trip rates of all but one in twenty pairs of runs differ by less "
            "than the factor. No margin: the campaign fails a mandatory rule."
        ],
    )  # fmt: skip


def machine(chapter: Chapter) -> str:
    """Name the machines of campaigns on a single one, each once."""
    hosts: dict[str, None] = {}
    for name in chapter.observations.campaign_ids:
        manifest = chapter.observations.campaign(name)
        if not manifest.host or manifest.hosts:
            continue
        number = manifest.host["logical_processors"]
        virtual = ", a virtual machine" if manifest.host.get("virtual_machine") else ""
        hosts[
            f"{number} processor{'s' if number > 1 else ''} ({manifest.host['processor']}{virtual})"
        ] = None
    return " or ".join(hosts) or "no machine"


def brokers(chapter: Chapter) -> str:
    """Name the products that were measured, without their versions."""
    observations = chapter.observations
    told = [observations.campaign(name).product or "" for name in observations.campaign_ids]
    names = {_VERSION.sub("", name) for product in told for name in product.split(" and ")}
    return " and ".join(sorted(filter(None, names))) or "nothing"
