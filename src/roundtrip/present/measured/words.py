"""What is said of a campaign, computed from it: what it ran on, what limits, what agrees."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from roundtrip.campaign.manifest import BROKER_ROLES, DRIVER_ROLES, Manifest, where_they_ran
from roundtrip.campaign.names import RunName
from roundtrip.outputs import escape_markdown
from roundtrip.present.chapter import RATE, Chapter, Text, inside
from roundtrip.present.measured.agreement import TEST, margin_of
from roundtrip.present.measured.means import Measured
from roundtrip.present.numbers import Quantity, size_label
from roundtrip.sections import METHODOLOGY, named_sections

_USED_UP, _NEARLY_USED_UP = 95.0, 85.0
"""How much of the processors is used, in percent, where they are the limit, and may be."""
_MOSTLY_WAITING, _WAITING = 40.0, 20.0
"""How much of the time tasks wait for the disk, in percent, where it is the limit, and may be."""
_FEW_LEVELS = 6
INTERVALS = "Intervals are 95\u00a0% confidence intervals."
COMPARISON = (
    f"{INTERVALS} A measured rate is never divided by a published one: the comparison is between "
    "shares, each computed within one side. Where one of several "
    "variants is singled out, significance is adjusted for their number (Holm 1979)."
)
"""How published and measured values are laid beside each other, in words."""
RATIOS = (
    "Ratios are geometric means over blocks of runs made close together, each with the same weight "
    "however many runs it has; they can differ from the ratio of the means shown."
)
"""What a column of ratios of measured points is, in words."""
WARM = ", to keep short runs warm: the full compiler, which needs longer runs, gives other rates"
"""What follows from Java's quick compiler, after the fact that it was used."""
_HOW_TO = re.compile(r" \(-p [^)]*\)")
"""What to type for a part that was left out: for who runs a plan, not for who reads its results."""
_UNSTEADY = ("not steady", "settled only")
"""Signs of a doubt about a run that was not in steady state; all others say what disturbed it."""
_QUICK_COMPILER = "-XX:TieredStopAtLevel=1"


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
            f"{here.plan}`; the next build shows the results here."
        )
    if not here.exists:
        return Text(f"The campaign `{manifest.id}` has no runs at this edition's message sizes.")
    host, plan = manifest.host, manifest.plan
    product = " ".join(filter(None, [manifest.product, manifest.product_version]))
    general = not _method_is_told(here)
    label = (
        "It is a small demonstration machine: the numbers show the method and the shape of "
        "the curves, not the product's capability. "
        if manifest.demonstration and general
        else ""
    )
    quick_compiler = _QUICK_COMPILER in (*plan.broker.jvm, *plan.driver.jvm)
    run_on = (
        f"Measured by the campaign `{manifest.id}`{_whose(here, manifest)} with "
        f"{escape_markdown(product or manifest.broker)} through JMS, on "
        f"{host['logical_processors']} processor{'s' * (host['logical_processors'] != 1)} "
        f"({escape_markdown(str(host['processor']))}"
        + (", a virtual machine" if host.get("virtual_machine") else "")
        + f", {host['memory_mb'] / 1000:.0f}\u00a0GB of memory, "
        f"{escape_markdown(str(host['operating_system']))})"
        + _where(manifest)
        + label
        + f"Every point was run {(often := times(manifest))}, "
        f"{'' if often == 'once' else 'each time '}with freshly "
        f"started {'broker and drivers' if manifest.broker_restarted else 'drivers'}, in "
        f"random order; {window_words(manifest)}. "
        f"{conditions(here)}"
        + scheduling_words(here)
        + (
            f"Java used its quick compiler only{WARM if general else ''}. "
            if quick_compiler
            else ""
        )
    )
    reading = [exceptions_words(here.chapter, manifest).rstrip()]
    if here.chapter.observations.report_ids:
        reading.append(f"{COMPARISON} {TEST}" if general else "")
        reading.append(margin_words(here))
    elif general:
        reading.append(INTERVALS)
    paragraphs = (grade_words(here), run_on, " ".join(filter(None, reading)))
    return Text("\n\n".join(filter(None, (part.strip() for part in paragraphs))))


def margin_words(here: Measured) -> str:
    """Say within which margin shares agree; nothing where no run found its rate by itself.

    Where drivers keep a rate, runs agree on it whatever else they differ by.
    """
    rates = here.frame[here.frame["metric"] == RATE]
    free = rates[["target_rate", "requester_rate"]].isna().all(axis=1)
    return margin_of(here).rule if free.any() else ""


def _whose(here: Measured, manifest: Manifest) -> str:
    """Say where an edition with runs on somebody's own broker shows another one's."""
    known = here.chapter.observations
    own = any(not known.campaign(name).broker_restarted for name in known.campaign_ids)
    return ", not on your broker," if own and manifest.broker_restarted else ""


def exceptions_words(chapter: Chapter, manifest: Manifest) -> str:
    """Say which runs are marked, replaced, broken off or missing; a blank ends each sentence."""
    parts = []
    # A run may be both.
    doubts = [
        {any(sign in part for sign in _UNSTEADY) for part in entry.doubt.split("; ")}
        for entry in manifest.runs if entry.doubt
    ]  # fmt: skip
    doubted = len(doubts)
    if doubted:
        kinds = {
            "not in steady state": sum(True in doubt for doubt in doubts),
            "disturbed": sum(False in doubt for doubt in doubts),
        }
        found = [(n, how) for how, n in kinds.items() if n]
        if len(found) == 1:
            why = f", because {'it was' if doubted == 1 else 'they were'} {found[0][1]}"
        else:
            why = ": " + ", ".join(f"{n} {'was' if n == 1 else 'were'} {how}" for n, how in found)
        parts.append(f"{marked(doubted, len(manifest.runs))}{why}. ")
    if count := len(manifest.replaced):
        which = f"{count} of them are"
        if count == doubted:
            which = "It is" if count == 1 else "All of them are"
        elif count == 1:
            which = "One of them is"
        rest = "its point has" if count == 1 else "their points have"
        parts.append(f"{which} excluded from the means: {rest} enough other runs. ")
    if manifest.failed:
        parts.append(f"{broke_off(len(manifest.failed))} ")
    if manifest.state != "complete":
        why = escape_markdown(str(manifest.why_stopped))
        parts.append(f"The campaign was stopped early: {why}. ")
    if manifest.left_out_parts:
        told = "; ".join(_named(chapter, manifest.left_out_parts))
        reasons = escape_markdown(_HOW_TO.sub("", told))
        parts.append(f"Not run, although planned: {reasons}. ")
    return "".join(parts)


def _named(chapter: Chapter, parts: Sequence[str]) -> Iterator[str]:
    """Give parts of a plan with the label of a factor where they begin with its name."""
    for part in parts:
        name, blank, rest = part.replace(": ", ", because ", 1).partition(" ")
        label = inside(chapter.factor_label(name)) if name in chapter.dictionary.factors else name
        yield f"{label}{blank}{rest}"


def _method_is_told(here: Measured) -> bool:
    """Say whether the book has a chapter that tells once what holds for all campaigns."""
    return METHODOLOGY in named_sections(here.chapter.project)


def grade_words(here: Measured) -> str:
    """Say what the campaigns of a section come to by the rules of method.

    Returns
    -------
    str
        Markdown: for each campaign its grade, and whether conclusions are withheld. Rules that do
        not pass are named by the chapter on method, where the project has one, and else here.
    """
    elsewhere = _method_is_told(here)  # which rules do not pass is told there
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
        f"{here.chapter.level('delivery', mode)} messages in the {' and the '.join(names)} class"
        + ("es" if len(names) > 1 else "")
        for mode, names in classes.items()
    ]
    return f"Broker and drivers ran with {', with '.join(parts)}. "


def window_words(manifest: Manifest) -> str:
    """Say how long runs warmed up, as they did, and how long they were measured."""
    seconds = sorted(entry.warm_up_s for entry in manifest.runs)
    ends = dict.fromkeys(f"{end:g}" for end in (seconds[0], seconds[-1])) if seconds else {}
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
        levels, shown = (_levels(rows[name]) for rows in (frame, here.frame))
        label = inside(chapter.factor_label(name))
        if not levels:
            continue
        if len(levels) == 1:
            where = " where it applies" if frame[name].isna().any() else ""
            held.append(_said(label, chapter.level(name, levels[0])) + where)
            continue
        several = (
            ", ".join(chapter.level(name, level) for level in levels)
            if len(levels) <= _FEW_LEVELS
            else f"{len(levels)} levels"
        )
        varied.append(f"{label} ({several})")
        if len(shown) == 1 and shown != levels:
            chosen.append(_said(label, chapter.level(name, shown[0])))
    told = f"Constant in all runs: {escape_markdown(', '.join(held))}. " if held else ""
    told += f"Varied: {escape_markdown(', '.join(varied))}. " if varied else ""
    if chosen:
        told += f"Shown unless stated otherwise: {escape_markdown(', '.join(chosen))}. "
    return told


def _said(label: str, level: str) -> str:
    """Name a factor with its level, no word twice: ``no mirror``, ``HA links not encrypted``."""
    if label in level:
        return level
    return f"{label.removesuffix(level.rpartition(' ')[2]).rstrip()} {level}"


def _levels(values: pd.Series) -> list[Any]:
    found = list(dict.fromkeys(values.dropna()))
    return sorted(found) if all(isinstance(one, int | float) for one in found) else found


def _where(manifest: Manifest) -> str:
    """Say where the broker was and who started it, as far as that is known."""
    if manifest.hosts:
        several = len({host.machine for host in manifest.hosts}) > 1
        return f"{' for the broker' if several else ''}, {where_they_ran(manifest.hosts)}. "
    if manifest.broker_restarted:
        return ", broker and drivers on the same machine. "
    place = "over a network" if manifest.broker_elsewhere else "on the same machine"
    system = manifest.plan.system
    if system is None:
        return f" for the drivers; the broker was reached {place}. "
    told = [system.what, system.host and f"on {system.host}"]
    about = ", ".join(escape_markdown(part) for part in told if part)
    return (
        f" for the drivers. The broker{f' ({about})' if about else ''} was reached {place}; it "
        f"{escape_markdown(system.started)}. "
    )


def means_note(here: Measured) -> str:
    """Say below a table what its means are taken over."""
    manifests = [here.chapter.observations.campaign(name) for name in here.campaigns]
    anew = "broker and drivers" if all(m.broker_restarted for m in manifests) else "drivers"
    return f"Means over runs, each with freshly started {anew}."


def times(manifest: Manifest) -> str:
    """Write how often each point was run: ``3 times, then 2 more times 1 hour later``."""
    plan = manifest.plan
    words = "once" if plan.repetitions == 1 else f"{plan.repetitions} times"
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
    names = [RunName.parse(entry.run) for entry in manifest.runs]
    blocks = Counter((name.point, plan.block_of(name.repetition)) for name in names)
    later = sorted({count for (_, block), count in blocks.items() if block > 1})
    more = " to ".join(str(count) for count in dict.fromkeys((later[0], later[-1])))
    more += f" more time{'s' * (later[-1] > 1)}"
    if manifest.blocks == 2:
        return f"{words}, then {more} {apart} later"
    blocks_later = f"each of {manifest.blocks - 1} later blocks, at least {apart} apart"
    return f"{words}, then {more} in {blocks_later}"


def marked(doubted: int, runs: int) -> str:
    """Write how many runs are marked: ``3 of 84 runs are marked``."""
    return f"{doubted} of {runs} runs {'is' if doubted == 1 else 'are'} marked"


def broke_off(count: int) -> str:
    """Write that attempts broke off, and where it says why."""
    if count == 1:
        return "One attempt failed; the appendix gives the reason."
    return f"{count} attempts failed; the appendix gives the reasons."


def _best_point(here: Measured, size: int) -> dict[str, Any] | None:
    """Give the factors of the point with the highest mean rate of a size, whatever varies."""
    plan = here.manifest.plan if here.manifest else None
    named = {name for each in (plan.factors, *plan.parts) for name in each} if plan else set()
    rows = here.rows({"message_bytes": size})
    others = [
        name
        for name in (*sorted(named - {"message_bytes", "requesters"}), "campaign")
        if name in rows and rows[name].nunique(dropna=False) > 1
    ]
    found = []
    for levels in rows[others].drop_duplicates().to_numpy(dtype=object) if others else [()]:
        stated = [None if pd.isna(level) else level for level in levels]
        at: dict[str, Any] = {"message_bytes": size, **dict(zip(others, stated, strict=True))}
        peak = here.peak(**at)
        rate = None if peak is None else here.mean(**at, requesters=peak)
        if rate is not None:
            found.append((rate.quantity.value, {**at, "requesters": peak}))
    return max(found, key=lambda each: each[0])[1] if found else None


def _beside(here: Measured, at: Mapping[str, Any]) -> str:
    """Name the levels of what varies beside size and requesters: ``, consumer window 0 B``."""
    chapter = here.chapter
    named = [
        f"{inside(chapter.factor_label(name))} "
        f"{'not set' if level is None else chapter.level(name, level)}"
        for name, level in at.items()
        if name not in ("message_bytes", "requesters")
    ]
    return "".join(f", {each}" for each in named)


def measured_limits(here: Measured) -> Text | None:
    """Say what stops the rate at the peak of the smallest and the largest size, or None."""
    if not here.exists:
        return None
    sentences = []
    values: dict[str, Quantity | str | int] = {}
    sizes = here.levels("message_bytes")
    for number, size in enumerate(dict.fromkeys((sizes[0], sizes[-1]))):
        at = _best_point(here, size)
        if at is None:
            continue
        peak = at["requesters"]
        rate, machine = here.mean(**at), here.mean("machine_cpu", **at)
        broker, wait = here.mean("broker_cpu", **at), here.mean("disk_wait", **at)
        if rate is None or machine is None or broker is None:
            continue
        values |= {
            f"size{number}": size_label(size),
            f"peak{number}": f"{peak} requester{'' if peak == 1 else 's'}" + _beside(here, at),
            f"rate{number}": rate.quantity, f"machine{number}": machine.quantity,
            f"broker{number}": broker.quantity,
        }  # fmt: skip
        text = (
            f"At {{size{number}}} the highest rate was {{rate{number}}} with "
            f"{{peak{number}}}, at {{machine{number}}} CPU on the machine; {{broker{number}:n}} "
            "points of that are the broker's."
        )
        busy = machine.quantity.value
        waited = 0.0 if wait is None else wait.quantity.value
        if wait is not None and waited >= _WAITING:
            values[f"wait{number}"] = wait.quantity
            text += f" Tasks waited for the disk {{wait{number}}} of the time."
        sentences.append(text + ("" if here.withheld else _limit_words(here, busy, waited)))
    return here.chapter.text(" ".join(sentences), **values) if sentences else None


def _limit_words(here: Measured, busy: float, waited: float) -> str:
    """Say what limits a rate, by how much processors are used and the disk is waited for."""
    hosts = here.manifest.hosts if here.manifest else ()

    def processors(roles: frozenset[str]) -> set[tuple[int, int]]:
        placed = (one for one in hosts if roles & {*one.roles})
        return {(one.machine, processor) for one in placed for processor in one.processors}

    used = "The broker's processors"
    if not hosts or processors(BROKER_ROLES) & processors(DRIVER_ROLES):
        used = "The processors, which broker and drivers share,"
    if busy >= _USED_UP:
        return f" {used} are the limit."
    if busy >= _NEARLY_USED_UP:
        return f" {used} are nearly saturated: they may be the limit."
    if waited >= _MOSTLY_WAITING:
        return " The processors are not saturated: the disk is the limit."
    if waited >= _WAITING:
        return " The processors are not saturated: the disk may be the limit."
    return (
        " Neither processors nor disk are saturated: the processes wait for each other, or more "
        "requesters are needed."
    )
