"""How a campaign was measured, in words: its grade, what it ran on, how often, how to read it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from roundtrip.campaign.manifest import Manifest, where_they_ran
from roundtrip.outputs import escape_markdown
from roundtrip.present.arguments import checked, levels_of
from roundtrip.present.chapter import RATE, Chapter, Text
from roundtrip.present.levels import ascending, inside
from roundtrip.present.measured.agreement import TEST, margin_of
from roundtrip.present.measured.brokers import running_words, tested
from roundtrip.present.measured.exceptions import exceptions_words, not_run_words
from roundtrip.present.measured.means import Measured
from roundtrip.sections import CONFIGURATIONS, METHODOLOGY, RUNS

_FEW_LEVELS = 6
INTERVALS = (
    "Intervals are 95\u00a0% confidence intervals; that of a mean holds for the hours that were "
    "measured."
)
SHARES = (
    "A measured rate is never divided by a published one: the comparison is between "
    "shares, each computed within one side."
)
"""What is compared, in words."""
FAMILY = (
    "Where one of several variants is singled out, significance is adjusted for their number "
    "(Holm 1979)."
)
"""What holds for several variants, in words."""
RATIOS = (
    "Ratios are geometric means, formed within each block of runs and averaged over the blocks "
    "with equal weight; they can differ considerably from the ratio of the means shown."
)
"""What a column of ratios of measured points is, in words."""
ADJUSTED = "Significance is adjusted for the number of comparisons (Holm 1979)."
"""What is called significant, where several comparisons are made."""
TITLED = (
    "The percentage in the title is a geometric mean, formed within each block of runs and "
    "averaged over the blocks; it can differ from the ratio of the means drawn. "
    f"{ADJUSTED}"
)
"""What a title says beside means that are drawn."""
MEANS = "Means over runs."
"""What the values of a table are, in words."""
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
    sections = here.chapter.sections
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
            "On a small demonstration machine, the numbers show the method and the shape of the "
            "curves, not the product's capability. "
        )
    if QUICK_COMPILER in (*plan.broker.jvm, *plan.driver.jvm):
        quick = f"Java used its quick compiler only{WARM if general else ''}. "
    run_on = (
        f"Measured by the campaign `{manifest.id}` with "
        f"{escape_markdown(tested(manifest) or manifest.broker)} through JMS, on "
        f"{host['logical_processors']} processor{'s' * (host['logical_processors'] != 1)} "
        f"({machine}){_where(here, manifest)} {small}{times(manifest)} "
        f"{_started(manifest, general)}{window_words(manifest)} {conditions(here)}{quick}"
    )
    reading = [exceptions_words(here.chapter, manifest)]
    if RUNS not in sections:
        reading.append(escape_markdown(not_run_words(here.chapter, manifest)))
    if here.chapter.observations.report_ids:
        reading.append(f"{INTERVALS} {SHARES} {FAMILY} {TEST}" if general else "")
        reading.append(margin_words(here, general))
    elif general:
        reading.append(INTERVALS)
    paragraphs = (grade_words(here), run_on, " ".join(filter(None, reading)))
    return Text("\n\n".join(filter(None, (part.strip() for part in paragraphs))))


def _started(manifest: Manifest, general: bool) -> str:
    """Say what was restarted for each run, and in which order runs were.

    What is usual is left out unless `general`: a chapter on method says it once for all.
    """
    grid = manifest.plan.search.method == "grid"
    if grid and manifest.broker_restarted and not general:
        return ""
    anew = "Broker and drivers" if manifest.broker_restarted else "Drivers"
    first = "" if grid else ", the first in the order of the search"
    return (
        f"{anew} were restarted for each run. Each repetition ran the points in random "
        f"order{first}. "
    )


def margin_words(here: Measured, general: bool) -> str:
    """Say within which margin shares agree; nothing where no run found its rate by itself.

    Where drivers keep a rate, runs agree on it whatever else they differ by. Unless `general`, a
    chapter on method has the margins of all campaigns, and only the lack of one is told.
    """
    rates = here.frame[here.frame["metric"] == RATE]
    free = rates[["target_rate", "requester_rate"]].isna().all(axis=1)
    margin = margin_of(here)
    return margin.rule if free.any() and (general or not margin.points) else ""


def grade_words(here: Measured) -> str:
    """Say what the campaigns of a section come to by the rules of method.

    Returns
    -------
    str
        Markdown: for each campaign its grade, and whether conclusions are withheld. Rules that do
        not pass are named by the chapter on method, where the project has one, and else here.
    """
    # Which rules do not pass is told there.
    elsewhere = METHODOLOGY in here.chapter.sections
    where = f" (@{METHODOLOGY})" if elsewhere else ""
    told = []
    for grade in here.grades:
        of = f" of `{grade.subject}`" if len(here.grades) > 1 else ""
        words = f"{grade.in_short}." if elsewhere else grade.sentence
        told.append(f"Grade{of}{where}: {escape_markdown(words)}")
        if grade.withheld:
            told.append(f"**{escape_markdown(grade.withheld)}**")
    return " ".join(told)


def window_words(manifest: Manifest) -> str:
    """Say how long runs warmed up, as they did, and how long they were measured."""
    warm_up = _from_to([entry.warm_up_s for entry in manifest.runs])
    return (
        f"Each run was measured for {manifest.plan.measure_seconds:g}\u00a0s after a warm-up of "
        f"{warm_up}\u00a0s."
    )


def _from_to(values: Iterable[float]) -> str:
    """Write the range of some numbers: ``3 to 5``, or ``3``."""
    among = sorted(values)
    return " to ".join(dict.fromkeys(f"{end:g}" for end in (among[0], among[-1])))


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
    # Runs that wait for a disk are never in a real-time class: sections show both deliveries.
    deliveries = frame.groupby("delivery", sort=True)["scheduling_class"]
    by_delivery = frame["scheduling_class"].nunique() > 1 and deliveries.ngroups > 1
    follows = by_delivery and deliveries.nunique().max() == 1
    held, varied, chosen = [], [], []
    combinations = 1
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
            held.append(said_with_level(chapter, name, levels[0]) + where)
            continue
        several = f"{len(levels)} values"
        if len(levels) <= _FEW_LEVELS:
            several = ", ".join(chapter.level(name, level) for level in levels)
        varied.append(f"{label} ({several})")
        if name != "scheduling_class" or not follows:
            combinations *= len(levels)
        if len(shown) == 1 and shown != levels and not (name == "scheduling_class" and follows):
            chosen.append(said_with_level(chapter, name, shown[0]))
    told = f"Constant in all runs: {escape_markdown(', '.join(held))}. " if held else ""
    points = frame["point_id"].nunique()
    every = ", not every combination" if points < combinations else ""
    if varied:
        told += f"Varied, in {points} points{every}: {escape_markdown(', '.join(varied))}. "
    if chosen:
        told += f"Shown unless stated otherwise: {escape_markdown(', '.join(chosen))}. "
    if by_delivery:
        classes = [
            f"{' and '.join(sorted(set(names)))} with {chapter.level('delivery', mode)}"
            for mode, names in deliveries
        ]
        told += f"Scheduling class: {escape_markdown(', '.join(classes))} messages. "
    return told


def said_with_level(chapter: Chapter, name: str, value: Any) -> str:
    """Name a factor and its level, no word twice: ``no mirror``, ``HA links not encrypted``."""
    label, level = inside(chapter.factor_label(name)), chapter.level(name, value)
    if label in level:
        return level
    if not any(map(str.isalpha, level)):  # a count: 4 responders
        return chapter.level_named(name, value)
    return f"{label.removesuffix(level.rpartition(' ')[2]).rstrip()} {level}"


def _where(here: Measured, manifest: Manifest) -> str:
    """Say where the broker was and who started it, as far as that is known."""
    if manifest.hosts:
        several = len({host.machine for host in manifest.hosts}) > 1
        return f"{' for the broker' if several else ''}, {where_they_ran(manifest.hosts)}."
    if manifest.broker_restarted:
        return ", broker and drivers on the same machine."
    return f" for the drivers. {running_words(here, manifest)}"


def times(manifest: Manifest) -> str:
    """Say how often each point was run: the fewest and the most runs that a point has."""
    runs = _from_to(Counter(point for point, _ in manifest.places.values()).values())
    told = f"Runs per point: {runs}"
    if manifest.blocks > 1:
        hours = math.floor(manifest.hours_apart)
        told += f", in {manifest.blocks} blocks at least {hours}\u00a0h apart"
    if (precision := manifest.plan.precision) is not None:
        told += (
            f"; in the first block up to {manifest.plan.most_repetitions}, until the 95\u00a0% "
            f"interval of the rate lay within \u00b1{100 * precision.within:g}\u00a0% of the mean"
        )
    return f"{told}."
