"""What the rules of method come to in this edition: counts, tables, and what follows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from roundtrip.campaign.manifest import Manifest
from roundtrip.methodology.campaign_checks import OWN_STATE
from roundtrip.methodology.review import Grade, review
from roundtrip.methodology.rules import Rule, Rules
from roundtrip.methodology.scatter import scatter_of
from roundtrip.methodology.subject import RuleVerdict
from roundtrip.outputs import escape_markdown, listed
from roundtrip.present import Chapter, Measured, Table, Text, plain_table, size_label
from roundtrip.present.machines import processors_text
from roundtrip.present.measured.agreement import TEST, WIDEST, Margin, factor_words, margin_of
from roundtrip.present.measured.means import Mean
from roundtrip.present.measured.words import FAMILY, INTERVALS, RATIOS, SHARES
from roundtrip.present.repeats import repeat_spreads
from roundtrip.sources.declared import section_named
from support.shared.lists import of_all

_VERSION = re.compile(r" [\d.]+$")
_PLAIN: dict[str, Any] = {
    "ha": "none", "replication": "none", "background_load": "none", "preloaded_messages": 0,
    "log_file_system": "as found", "log_sync": True,
}  # fmt: skip
_MAY_DIFFER: dict[str, Callable[[Manifest], object]] = {
    "broker and version": lambda of: (of.product, of.product_version),
    "options of Java": lambda of: (of.plan.broker.jvm, of.plan.driver.jvm),
    "day": lambda of: of.sessions[0].started[:10],
    "kernel of the virtual machine": lambda of: (of.host or {}).get("kernel"),
    "warm-up": lambda of: of.plan.warm_up,
    "length of runs": lambda of: of.plan.measure_seconds,
    "time before the log is flushed": lambda of: of.plan.broker.journal,
}
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

    def verdicts(self, rule: Rule, kind: str) -> list[RuleVerdict]:
        """Give what a rule says of the subjects of a kind, of those that it applies to."""
        judged = (one for grade in self.of_kind(kind) for one in grade.judged)
        found = (one.finding.verdict for one in judged if one.rule == rule.id)
        return [verdict for verdict in found if verdict is not RuleVerdict.not_applicable]

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
        title = f"{found.concluding} of {found.campaigns} campaigns fail no mandatory rule"
        failed = failed_by_all(found)
        return f"{title}; all {found.campaigns} fail {listed(failed)}" if failed else title
    grades = found.of_kind("source")
    passed = sum(len(grade.of(RuleVerdict.passes)) for grade in grades)
    counted = sum(len(grade.counted) for grade in grades)
    return (
        "By what they state, sources meet the rules that apply to them in "
        f"{passed} of {counted} cases"
    )


def failed_by_all(found: Reviewed) -> list[str]:
    """Name the rules that every campaign fails."""
    return [
        f"\u201c{rule.title}\u201d"
        for rule in found.rules
        if found.verdicts(rule, "campaign").count(RuleVerdict.fails) == found.campaigns > 0
    ]


def rules_table(found: Reviewed, *, caption: str) -> Table:
    """List the rules: what each asks, on whose word, how many subjects keep it."""
    rows = []
    for rule in found.rules:
        applied = [found.verdicts(rule, kind) for kind in KINDS]
        counts = [
            f"{one.count(RuleVerdict.passes)} of {len(one)}" if one else "\u2013" for one in applied
        ]
        title, text = rule.title, rule.text
        if rule.mandatory:
            title, text = f"{title}\u00a0*", f"{text} Mandatory: {rule.mandatory}"
        rows.append([title, text, rule.source, *counts])
    table = plain_table(
        caption,
        ["Rule", "What must hold", "Authority", *KINDS.values()],
        rows,
        notes=[
            "* Mandatory: if it fails or cannot be assessed, the campaign supports no conclusion.",
            "Counted are the subjects that a rule applies to; what cannot be assessed counts as "
            "not met. \u2013: the rule applies to none.",
        ],
    )
    return replace(table, shares=(15, 32, 23, 9, 12, 9))


def withheld_list(found: Reviewed) -> Text:
    """List the campaigns that support no conclusion, each with the reasons."""
    lines = []
    for grade in found.of_kind("campaign"):
        if not grade.may_conclude:
            reasons = [escape_markdown(one.finding.reason) for one in grade.forbidding]
            lines.append(f"- `{grade.subject}`: {'; '.join(reasons)}.")
    return Text("\n".join(lines) or "No mandatory rule fails: every campaign supports conclusions.")


def failing_list(found: Reviewed) -> Text:
    """List the rules that campaigns fail, those that most fail first, with how many do."""
    counts = []
    for rule in found.rules:
        judged = found.verdicts(rule, "campaign")
        failed, unknown = (
            judged.count(of) for of in (RuleVerdict.fails, RuleVerdict.not_assessable)
        )
        if failed or unknown:
            counts.append((failed, unknown, rule, len(judged)))
    counts.sort(key=lambda entry: (-entry[0], -entry[1]))
    lines = []
    for failed, unknown, rule, total in counts:
        where = " to which it applies" if total < found.campaigns else ""
        verb = f"fail{'s' * (failed == 1)}"
        said = [f"{of_all(failed, total, 'campaign')}{where} {verb}"] if failed else []
        said += [f"{unknown} of {total} cannot be assessed"] if unknown else []
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
    topics = {rule.id.replace("-", "_"): rule.title for rule in found.rules}
    for grade in found.of_kind("source"):
        method = found.chapter.observations.report(grade.subject).method
        silent = []
        for topic, said in method.items():
            name = topics.get(topic, topic)
            if said is None:
                silent.append(name.lower())
            else:
                told = [section_named(said.section), said.says, "yes" if said.holds else "no"]
                rows.append([found.named(grade), name, *told])
        if silent:
            told = ["Not mentioned", "\u2013", ", ".join(silent).capitalize(), "no"]
            rows.append([found.named(grade), *told])
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


def comparison_list(chapter: Chapter) -> Text:
    """List how published and measured values are compared."""
    lines = (
        f"**Shares.** {SHARES} {RATIOS}",
        f"**Intervals.** {INTERVALS} {FAMILY}",
        f"**Verdict.** {TEST} Agreement is decided by two one-sided tests (Schuirmann 1987).",
        "**Margin.** It is the factor by which a campaign's own runs of the same point differ in "
        "19 of 20 pairs, apart from what an hour changes in all points alike, but at most "
        f"{WIDEST:g}. {_capped(chapter)}",
        f"**Scatter of the source.** {spread_words(chapter)}",
        "**No verdict** is given where the set-up determines the very effect that is compared, as "
        "the section then says (saturated processors hide a delay, an idle standby costs nothing, "
        "a copy at full load takes processor time from its original, many brokers share one "
        "processor, the network limits the published rate and not the one here, or the plan chose "
        "the limits of processors or link), or where no share could agree with all that are "
        "published. Where processors that broker and drivers share here only shift a share, as of "
        "encryption, a verdict is given.",
    )
    return Text("\n".join(f"- {line.strip()}" for line in lines if not line.endswith("** ")))


def shared_processors(found: Reviewed) -> str:
    """Say in how many campaigns drivers and broker do not have processors of their own."""
    rule = next(rule for rule in found.rules if rule.id == "processors-apart")
    failed = found.verdicts(rule, "campaign").count(RuleVerdict.fails)
    return of_all(failed, found.campaigns, "campaign")


def _capped(chapter: Chapter) -> str:
    """Say in how many campaigns runs differ by more than the margin may be, and what follows."""
    margins = [margin for _, _, margin in _repeats(chapter) if not margin.withheld]
    wide = [margin.repeats_within for margin in margins if margin.repeats_within > WIDEST]
    if not wide:
        return ""
    least, most = (factor_words(end, chapter.numbers) for end in (min(wide), max(wide)))
    ends = " to ".join(dict.fromkeys([least, most]))
    told = of_all(len(wide), len(margins), "campaign")
    return (
        f"{told[0].upper()}{told[1:]} at free rates that support{'s' * (len(margins) == 1)} "
        f"conclusions exceed{'s' * (len(wide) == 1)} this cap, with factors of {ends}. There, only "
        "means over several runs can agree, and more comparisons are inconclusive than under a "
        "margin as wide as the scatter."
    )


def spread_words(chapter: Chapter) -> str:
    """Say how far a source's own repeated rates move the limits of both verdicts."""
    told = [
        f"{chapter.write(spread)} for {chapter.observations.report(name).short_title}"
        for name, spread in repeat_spreads(chapter).items()
    ]
    if not told:
        return ""
    return (
        "For agreement the margin is narrowed, for disagreement widened, by the scatter of the "
        f"source\u2019s own repeated rates: {listed(told)}; for other sources, by the largest "
        "of these."
    )


def same_point_words(chapter: Chapter) -> str:
    """Say how far the rates of one operating point lie apart between campaigns on one machine.

    The point is the plain one that most campaigns share: no replica, mirror, background work or
    messages in the queue, and a log that is written through to the disk as found.
    """
    known = chapter.observations
    point = {
        "delivery": "persistent", "message_bytes": 2048, "requesters": 16, "responders": 4,
        "scheduling_class": "normal",
    }  # fmt: skip
    means: dict[str, Mean] = {}
    repeats: list[float] = []
    for name in known.campaign_ids:
        manifest = known.campaign(name)
        here = Measured(chapter, manifest.plan.name, campaigns=(name,), **point)
        set_rates = here.frame[["target_rate", "requester_rate"]].notna().any(axis=None)
        if manifest.hosts or not here.exists or set_rates:
            continue
        plain = {factor: level for factor, level in _PLAIN.items() if here.levels(factor)}
        if (mean := here.mean(**plain)) is not None:
            means[name] = mean
            repeats.append(scatter_of(known, (name,), common=True).factor)
    if len(means) < 2:
        return ""
    least, most = (end(means, key=lambda name: means[name].quantity.value) for end in (min, max))
    factor = means[most].quantity.value / means[least].quantity.value
    beyond = (
        "; within each of them, 19 in 20 pairs of runs of a point differ by less, even hours apart"
        if factor > max(repeats)
        else ", no more than pairs of runs of a point differ by within one of them"
    )
    manifests = [known.campaign(name) for name in means]
    differ = [
        words
        for words, of in _MAY_DIFFER.items()
        if len({str(of(manifest)) for manifest in manifests}) > 1
    ]
    differing = f" These campaigns differ in {listed(differ)}." if differ else ""
    return (
        f"The same operating point, persistent messages of {size_label(2048)} from "
        f"{point['requesters']} requesters to {point['responders']} responders in the normal "
        f"class, is part of {len(means)} campaigns at free rates on one host. Its rate is "
        f"{chapter.write(means[least].quantity)} in {least} and "
        f"{chapter.write(means[most].quantity)} in {most}: a factor of "
        f"{factor_words(factor, chapter.numbers)}{beyond}.{differing} "
        "Which of these matters is unknown."
    )


def steady_words(chapter: Chapter) -> str:
    """Say when a run counts as steady in the campaigns that are held to it, by their plans."""
    known = chapter.observations
    named: dict[tuple[float, float], dict[str, float]] = {}
    beyond: list[bool] = []
    for name in known.campaign_ids:
        plan, runs = known.campaign(name).plan, known.campaign(name).runs
        if plan.course not in OWN_STATE:
            rule = plan.warm_up
            limits = named.setdefault((rule.drift, rule.scatter), {})
            limits[name] = rule.window * plan.interval_seconds
            beyond += [abs(r.drift) > rule.drift for r in runs if r.steady and r.drift is not None]
    if not named:
        return ""
    (drift, scatter), *others = sorted(named, key=lambda limits: -len(named[limits]))
    apart = "".join(
        f"; {listed(list(named[limits]))}: {100 * limits[0]:g}\u00a0% and "
        f"{100 * limits[1]:g}\u00a0%"
        for limits in others
    )
    seconds = [last for lasts in named.values() for last in lasts.values()]
    span = " to ".join(dict.fromkeys(f"{end:g}" for end in (min(seconds), max(seconds))))
    return (
        f"A run counts as steady if its rate drifted by at most {100 * drift:g}\u00a0% and "
        f"scattered by at most {100 * scatter:g}\u00a0% over the last {span}\u00a0s before its "
        f"measurement{f' ({apart[2:]})' if apart else ''}. The measured part of a single run is "
        f"not held to this: in {sum(beyond)} of {chapter.numbers.write(len(beyond), 0)} steady "
        "runs, the halves differ by more than that drift."
    )


def repeatability_table(chapter: Chapter, *, caption: str) -> Table | None:
    """List how far the runs of each campaign differ, the one that repeats best first."""
    found = _repeats(chapter)
    if not found:
        return None
    rows = [
        (name, str(margin.points), str(blocks), factor_words(margin.repeats_within, margin.numbers),
         "none" if margin.withheld else factor_words(margin.factor, margin.numbers))
        for name, blocks, margin in found
    ]  # fmt: skip
    header = ["Campaign", "Points", "Blocks", "Factor between two runs", "Margin"]
    return plain_table(
        caption,
        header,
        rows,
        code_columns=(0,), right_columns=tuple(range(1, len(header))),
        notes=[
            "Points that were run several times, in blocks hours apart; campaigns at set rates are "
            "left out: their sections give the margin of a verdict. Apart from what an hour "
            "changes in all points alike, the round-trip rates of all but one in twenty pairs of "
            f"runs differ by less than the factor. The margin is at most {WIDEST:g}; none: the "
            "campaign fails a mandatory rule."
        ],
    )  # fmt: skip


def machine(chapter: Chapter) -> str:
    """Name the machines of campaigns on a single one, each once."""
    hosts: dict[str, None] = {}
    for name in chapter.observations.campaign_ids:
        manifest = chapter.observations.campaign(name)
        if manifest.host and not manifest.hosts:
            hosts[processors_text(manifest.host)] = None
    return " or ".join(hosts) or "no machine"


def brokers(chapter: Chapter) -> str:
    """Name the products of the brokers that campaigns started, without their versions."""
    manifests = map(chapter.observations.campaign, chapter.observations.campaign_ids)
    told = [one.product or "" for one in manifests if one.broker_restarted]
    names = {_VERSION.sub("", name) for product in told for name in product.split(" and ")}
    return " and ".join(sorted(filter(None, names))) or "nothing"
