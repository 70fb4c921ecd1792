"""How a campaign was measured, in words: its grade, what it ran on, how often, how to read it."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

from roundtrip.campaign.manifest import Manifest, where_they_ran
from roundtrip.campaign.names import RunName
from roundtrip.outputs import escape_markdown
from roundtrip.present.arguments import checked, levels_of
from roundtrip.present.chapter import RATE, Chapter, Text
from roundtrip.present.levels import ascending, inside
from roundtrip.present.measured.agreement import TEST, margin_of
from roundtrip.present.measured.brokers import running_words, tested
from roundtrip.present.measured.exceptions import exceptions_words
from roundtrip.present.measured.means import Measured
from roundtrip.present.measured.shown import shown_campaigns
from roundtrip.sections import CONFIGURATIONS, METHODOLOGY, named_sections

_FEW_LEVELS = 6
_LEVEL_FIRST = {"delivery", "reply_queue", "scheduling_class", "syncpoint"}
"""Factors whose level stands before their name: ``shared reply queue``, ``outside syncpoint``."""
INTERVALS = (
    "Intervals are 95\u00a0% confidence intervals; that of a mean holds for the hours that were "
    "measured."
)
COMPARISON = (
    f"{INTERVALS} A measured rate is never divided by a published one: the comparison is between "
    "shares, each computed within one side. Where one of several "
    "variants is singled out, significance is adjusted for their number (Holm 1979)."
)
"""How published and measured values are laid beside each other, in words."""
RATIOS = (
    "Ratios are geometric means over blocks of runs made close together. Small blocks weigh as "
    "much as large ones, so a ratio can differ considerably from that of the means shown."
)
"""What a column of ratios of measured points is, in words."""
RATIOS_OF_RUNS = (
    "Ratios are geometric means over runs, so they can differ from that of the means shown."
)
"""The same of a campaign whose runs were all made close together."""
TITLED = (
    "The share in the title is a geometric mean over blocks of runs; it can differ from the ratio "
    "of the means drawn."
)
"""What a title says beside means that are drawn."""
ACROSS = (
    "The campaigns ran at different times. What an hour changes is part of their ratios, so these "
    "have no interval and no difference between campaigns is called significant. They are ratios "
    "of geometric means over runs and can differ from the ratio of the means shown."
)
"""What a column of ratios across campaigns is, in words."""
WARM = ", to keep short runs warm: the full compiler, which needs longer runs, gives other rates"
"""What follows from Java's quick compiler, after the fact that it was used."""
QUICK_COMPILER = "-XX:TieredStopAtLevel=1"


@checked
def disclosure(here: Measured) -> Text:
    """Say what a campaign ran on and how, or that none has been run.

    Parameters
    ----------
    here : Measured
        Several campaigns side by side are told in sequence.

    Returns
    -------
    Text
        A paragraph on the grade, one on what was run on what, and one on how to read the results.
    """
    if len(here.campaigns) > 1:
        told = [disclosure(here.only(name)).markdown for name in here.campaigns]
        return Text("\n\n".join(told))
    manifest = here.manifest
    if manifest is None:
        return Text(
            f"This edition has no campaign of the plan `{here.plan}`. Run `roundtrip run "
            f"{here.plan}`, or name one with the parameter `campaigns`; the next build shows the "
            "results here."
        )
    if not here.exists:
        return Text(f"The campaign `{manifest.id}` has no runs at this edition's message sizes.")
    host, plan = manifest.host, manifest.plan
    sections = named_sections(here.chapter.project)
    general = METHODOLOGY not in sections  # else told there once, as what holds for all campaigns
    machine = f"@{CONFIGURATIONS}"
    if CONFIGURATIONS not in sections:
        virtual = ", a virtual machine" if host.get("virtual_machine") else ""
        machine = (
            f"{escape_markdown(str(host['processor']))}{virtual}, "
            f"{host['memory_mb'] / 1000:.0f}\u00a0GB of memory, "
            f"{escape_markdown(str(host['operating_system']))}"
        )
    small, quick = "", ""
    if manifest.demonstration and general:
        small = (
            "It is a small demonstration machine: the numbers show the method and the shape of "
            "the curves, not the product's capability. "
        )
    if QUICK_COMPILER in (*plan.broker.jvm, *plan.driver.jvm):
        quick = f"Java used its quick compiler only{WARM if general else ''}. "
    run_on = (
        f"Measured by the campaign `{manifest.id}`{_whose(here, manifest)} with "
        f"{escape_markdown(tested(manifest) or manifest.broker)} through JMS, on "
        f"{host['logical_processors']} processor{'s' * (host['logical_processors'] != 1)} "
        f"({machine}){_where(here, manifest)}{small}"
        f"Every point was run {times(manifest)}{_how(manifest, general)}; "
        f"{window_words(manifest)}. {conditions(here)}{scheduling_words(here)}{quick}"
    )
    reading = [exceptions_words(here.chapter, manifest).rstrip()]
    if here.chapter.observations.report_ids:
        reading.append(f"{COMPARISON} {TEST}" if general else "")
        reading.append(margin_words(here))
    elif general:
        reading.append(INTERVALS)
    paragraphs = (grade_words(here), run_on, " ".join(filter(None, reading)))
    return Text("\n\n".join(filter(None, (part.strip() for part in paragraphs))))


def _how(manifest: Manifest, general: bool) -> str:
    """Say what was started anew for each run, and in which order.

    What is usual is left out unless `general`: a chapter on method says it once for all.
    """
    grid = manifest.plan.search.method == "grid"
    if grid and manifest.broker_restarted and not general:
        return ""
    each = "" if times(manifest) == "once" else " each time"
    anew = "broker and drivers" if manifest.broker_restarted else "drivers"
    # The first run of each point is what a search follows.
    again = any(RunName.parse(entry.run).repetition > 1 for entry in manifest.runs)
    search = f"the order of the search{' the first time, then in random order' * again}"
    return f",{each} with freshly started {anew}, in {'random order' if grid else search}"


def margin_words(here: Measured) -> str:
    """Say within which margin shares agree; nothing where no run found its rate by itself.

    Where drivers keep a rate, runs agree on it whatever else they differ by.
    """
    rates = here.frame[here.frame["metric"] == RATE]
    free = rates[["target_rate", "requester_rate"]].isna().all(axis=1)
    return margin_of(here).rule if free.any() else ""


def _whose(here: Measured, manifest: Manifest) -> str:
    """Tell apart, in an edition with runs on the reader's own broker, those on another one."""
    own = any(not one.broker_restarted for one in shown_campaigns(here.chapter))
    return ", not on your broker," if own and manifest.broker_restarted else ""


def grade_words(here: Measured) -> str:
    """Say what the campaigns of a section come to by the rules of method.

    Returns
    -------
    str
        Markdown: for each campaign its grade, and whether conclusions are withheld. Rules that do
        not pass are named by the chapter on method, where the project has one, and else here.
    """
    # Which rules do not pass is told there.
    elsewhere = METHODOLOGY in named_sections(here.chapter.project)
    where = f" (@{METHODOLOGY})" if elsewhere else ""
    told = []
    for grade in here.grades:
        of = f" of `{grade.subject}`" if len(here.grades) > 1 else ""
        words = f"{grade.in_short}." if elsewhere else grade.sentence
        told.append(f"Grade{of}{where}: {escape_markdown(words)}")
        if grade.withheld:
            told.append(f"**{escape_markdown(grade.withheld)}**")
    return " ".join(told)


def scheduling_words(here: Measured) -> str:
    """Say in which scheduling classes a campaign ran what.

    It speaks of the whole campaign: sections show several parts of one, and a class that holds for
    one part must not seem to hold for all.

    Returns
    -------
    str
        A sentence with a space behind it; empty where all ran in the normal class.
    """
    frame = here.chapter.observations.choose(source=here.campaigns)
    classes = {
        str(mode): sorted(set(rows["scheduling_class"]))
        for mode, rows in frame.groupby("delivery", sort=True)
    }
    every = sorted({name for names in classes.values() for name in names})
    if every == ["normal"]:
        return ""
    if len(every) == 1:
        return f"Broker and drivers ran in the {every[0]} scheduling class. "
    parts = [
        f"in the {' and the '.join(names)} class{'es' * (len(names) > 1)} with "
        f"{here.chapter.level('delivery', mode)} messages"
        for mode, names in classes.items()
    ]
    return f"Broker and drivers ran {', '.join(parts)}. "


def window_words(manifest: Manifest) -> str:
    """Say how long runs warmed up, as they did, and how long they were measured."""
    seconds = sorted(entry.warm_up_s for entry in manifest.runs)
    ends = dict.fromkeys(f"{end:g}" for end in (*seconds[:1], *seconds[-1:]))
    warm = f"a warm-up of {' to '.join(ends)}\u00a0s" if ends else "the warm-up"
    return f"after {warm}, {manifest.plan.measure_seconds:g}\u00a0s were measured"


def conditions(here: Measured) -> str:
    """Say which factors of a campaign were held and which varied, as its runs have them.

    Parameters
    ----------
    here : Measured
        What is selected of the campaign is said as well, where it is not all of it.

    Returns
    -------
    str
        Sentences with a space behind them.
    """
    chapter, manifest = here.chapter, here.manifest
    if manifest is None:
        return ""
    plan = manifest.plan
    named = dict.fromkeys(name for part in (plan.factors, *plan.parts) for name in part)
    frame = chapter.observations.choose(source=here.campaigns)
    held, varied, chosen = [], [], []
    for name in (name for name in named if name in frame):
        levels, shown = (levels_of(rows, name) for rows in (frame, here.frame))
        if name in ("product_version", plan.factor_of_brokers):
            levels = ascending(levels)
        label = inside(chapter.factor_label(name))
        if name == "requesters" and set(frame["workload"]) == {"send"}:
            label = "senders"
        if not levels:
            continue
        if len(levels) == 1:
            where = " (where it applies)" if frame[name].isna().any() else ""
            # Another class than the normal one is told by `scheduling_words`.
            if name != "scheduling_class" or levels == ["normal"]:
                held.append(said_with_level(chapter, name, levels[0]) + where)
            continue
        several = f"{len(levels)} values"
        if len(levels) <= _FEW_LEVELS:
            several = ", ".join(chapter.level(name, level) for level in levels)
        varied.append(f"{label} ({several})")
        if len(shown) == 1 and shown != levels:
            chosen.append(said_with_level(chapter, name, shown[0]))
    told = f"Constant in all runs: {escape_markdown(', '.join(held))}. " if held else ""
    told += f"Varied: {escape_markdown(', '.join(varied))}. " if varied else ""
    if chosen:
        told += f"Shown unless stated otherwise: {escape_markdown(', '.join(chosen))}. "
    return told


def said_with_level(chapter: Chapter, name: str, value: Any) -> str:
    """Name a factor with its level, no word twice: ``no mirror``, ``HA links not encrypted``."""
    label, level = inside(chapter.factor_label(name)), chapter.level(name, value)
    if label in level:
        return level
    if name in _LEVEL_FIRST:
        return f"{level} {label}"
    if not any(map(str.isalpha, level)):  # a count: 4 responders
        return chapter.level_named(name, value)
    return f"{label.removesuffix(level.rpartition(' ')[2]).rstrip()} {level}"


def _where(here: Measured, manifest: Manifest) -> str:
    """Say where the broker was and who started it, as far as that is known."""
    if manifest.hosts:
        several = len({host.machine for host in manifest.hosts}) > 1
        return f"{' for the broker' if several else ''}, {where_they_ran(manifest.hosts)}. "
    if manifest.broker_restarted:
        return ", broker and drivers on the same machine. "
    return running_words(here, manifest)


def ratios_note(here: Measured, by: str) -> str:
    """Say below a table what the ratios between levels of a factor are."""
    if by == "campaign":
        return ACROSS
    return RATIOS if _has_blocks(here) else RATIOS_OF_RUNS


def titled_note(here: Measured) -> str:
    """Say beside means that are drawn what a share in the title is."""
    return TITLED if _has_blocks(here) else TITLED.replace("blocks of runs", "runs")


def _has_blocks(here: Measured) -> bool:
    return any(here.chapter.observations.campaign(name).blocks > 1 for name in here.campaigns)


def means_note(here: Measured) -> str:
    """Say below a table what its means are taken over."""
    manifests = [here.chapter.observations.campaign(name) for name in here.campaigns]
    anew = "broker and drivers" if all(m.broker_restarted for m in manifests) else "drivers"
    return f"Means over runs, each with freshly started {anew}."


def times(manifest: Manifest) -> str:
    """Write how often each point was run: ``3 times, then 2 more times 1 hour later``.

    Runs that failed are none of them, so points can have had different numbers.
    """
    plan = manifest.plan
    blocks = Counter(manifest.places.values())
    points = {point for point, _ in blocks}
    words = "once" if plan.repetitions == 1 else f"{plan.repetitions} times"
    failed = [RunName.parse(entry.run) for entry in manifest.failed]
    tried = {(name.point, plan.block_of(name.repetition)) for name in failed}

    def counts(*among: int) -> list[int]:
        """Count the runs of points in blocks; one that a search did not come to is none of them."""
        every = plan.search.method == "grid"
        return sorted({
            blocks[place] for place in itertools.product(points, among)
            if every or blocks[place] or place in tried
        })  # fmt: skip

    first = counts(1)
    if plan.precision is None and len(first) > 1:
        words = f"{first[0]} to {first[-1]} times" if first[0] else f"up to {first[-1]} times"
    if plan.precision is not None:
        words = (
            f"at least {words}, and up to {plan.most_repetitions} times until the "
            f"95\u00a0% interval of its rate lay within "
            f"\u00b1{100 * plan.precision.within:g}\u00a0% of the mean"
        )
    if manifest.blocks == 1:
        return words
    hours = round(manifest.hours_apart)
    apart = f"{hours} hour{'s' * (hours != 1)}"
    later = counts(*range(2, manifest.blocks + 1)) or [0]
    more = " to ".join(str(count) for count in dict.fromkeys((later[0], later[-1])))
    more = more if later[0] or not later[-1] else f"up to {later[-1]}"
    more += f" more time{'s' * (later[-1] > 1)}"
    if manifest.blocks == 2:
        return f"{words}, then {more} {apart} later"
    blocks_later = f"each of {manifest.blocks - 1} later blocks, at least {apart} apart"
    return f"{words}, then {more} in {blocks_later}"
