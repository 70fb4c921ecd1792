"""What is said of a campaign, computed from it: what it ran on, what limits, what agrees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from roundtrip.present.chapter import RATE, Chapter, Text
from roundtrip.present.measured.agreement import RULE, verdict
from roundtrip.present.measured.means import Measured
from roundtrip.present.measured.shares import share_of
from roundtrip.present.numbers import Quantity, size_label
from roundtrip.shown import escape_markdown

if TYPE_CHECKING:
    from roundtrip.stats.intervals import Interval

_USED_UP, _NEARLY_USED_UP = 95.0, 85.0
"""How much of the processors is used, in percent, where they are the limit, and may be."""
_MOSTLY_WAITING, _WAITING = 40.0, 20.0
"""How much of the time tasks wait for the disk, in percent, where it is the limit, and may be."""
_QUICK_COMPILER = "-XX:TieredStopAtLevel=1"


def disclosure(here: Measured) -> Text:
    """Say what a campaign ran on and how, or that none has been run.

    Parameters
    ----------
    here : Measured
    """
    manifest = here.manifest
    if manifest is None:
        return Text(
            f"No campaign of the plan `{here.plan}` is among the data of this edition: nothing was "
            f"measured for it. `roundtrip run {here.plan}` measures, and the next build shows the "
            "results here."
        )
    if not here.exists:
        return Text(
            f"The campaign `{manifest.id}` has no runs with the message sizes of this edition."
        )
    host, plan = manifest.host, manifest.plan
    product = " ".join(filter(None, [manifest.product, manifest.product_version]))
    label = (
        "It is a small demonstration machine: the numbers show the method and the shape of the "
        "curves, not what the product can do. "
        if manifest.demonstration
        else ""
    )
    real_time = set(here.frame["scheduling_class"]) == {"real-time"}
    quick_compiler = _QUICK_COMPILER in (*plan.broker.jvm, *plan.driver.jvm)
    parts = [
        f"Measured by the campaign `{manifest.id}` with "
        f"{escape_markdown(product or manifest.broker)} through JMS, on "
        f"{host['logical_processors']} processors "
        f"({escape_markdown(str(host['processor']))}"
        + (", a virtual machine" if host.get("virtual_machine") else "")
        + f", {host['memory_mb'] / 1000:.0f}\u00a0GB of memory, "
        f"{escape_markdown(str(host['operating_system']))}), "
        + ("broker and drivers on the same machine. " if manifest.broker_restarted else ". ")
        + label,
        f"Every point was run {times(plan.repetitions)}, each time with broker and drivers started "
        f"anew, in random order; after the warm-up {plan.measure_seconds:g}\u00a0s were measured. "
        + ("Broker and drivers ran in the real-time scheduling class. " if real_time else "")
        + (
            "Java used its quick compiler only, so that short runs are warm: the full compiler, "
            "which a long run leaves time for, gives other rates. "
            if quick_compiler
            else ""
        ),
    ]
    doubted = sum(1 for entry in manifest.runs if entry.doubt)
    if doubted:
        why = (
            "it was not steady or other work disturbed it"
            if doubted == 1
            else "they were not steady or other work disturbed them"
        )
        parts.append(f"{marked(doubted, len(manifest.runs))}, because {why}. ")
    if manifest.failed:
        parts.append(f"{broke_off(len(manifest.failed))} ")
    if manifest.state != "complete":
        parts.append(f"The campaign was stopped before its end: {manifest.why_stopped}. ")
    if manifest.left_out_parts:
        reasons = escape_markdown("; ".join(manifest.left_out_parts))
        parts.append(f"This machine cannot run all of the plan. Left out: {reasons}. ")
    parts.append(
        "Intervals are for 95\u00a0% confidence. Published and measured values are never put into "
        f"one ratio: shares are compared, each formed of the values of one side. {RULE}"
    )
    return Text("".join(parts))


def times(count: int) -> str:
    """Write how often: ``once``, ``3 times``."""
    return "once" if count == 1 else f"{count} times"


def marked(doubted: int, runs: int) -> str:
    """Write how many runs are marked: ``3 of 84 runs are marked``."""
    return f"{doubted} of {runs} runs {'is' if doubted == 1 else 'are'} marked"


def broke_off(count: int) -> str:
    """Write that attempts broke off, and where it says why."""
    if count == 1:
        return "One attempt broke off; the appendix gives the reason."
    return f"{count} attempts broke off; the appendix gives the reasons."


def measured_limits(here: Measured) -> Text | None:
    """Say what stops the rate at the peak of the smallest and the largest size, or None."""
    if not here.exists:
        return None
    sentences = []
    values: dict[str, Quantity | str | int] = {}
    sizes = here.levels("message_bytes")
    for number, size in enumerate(dict.fromkeys((sizes[0], sizes[-1]))):
        peak = here.peak(message_bytes=size)
        if peak is None:
            continue
        at = {"message_bytes": size, "requesters": peak}
        rate, machine = here.mean(**at), here.mean("machine_cpu", **at)
        broker, wait = here.mean("broker_cpu", **at), here.mean("disk_wait", **at)
        if rate is None or machine is None or broker is None:
            continue
        values |= {
            f"size{number}": size_label(size), f"peak{number}": peak,
            f"rate{number}": rate.quantity, f"machine{number}": machine.quantity,
            f"broker{number}": broker.quantity,
        }  # fmt: skip
        text = (
            f"At {{size{number}}} the highest rate, {{rate{number}}}, was seen with "
            f"{{peak{number}}} requesters; the machine's processors were then used to "
            f"{{machine{number}}}, {{broker{number}}} by the broker."
        )
        busy = machine.quantity.value
        waited = 0.0 if wait is None else wait.quantity.value
        if wait is not None and waited >= _WAITING:
            values[f"wait{number}"] = wait.quantity
            text += f" Tasks waited for the disk {{wait{number}}} of the time."
        if busy >= _USED_UP:
            text += " The processors, which broker and drivers share, are the limit."
        elif busy >= _NEARLY_USED_UP:
            text += (
                " The processors, which broker and drivers share, are nearly used up: they may be "
                "the limit."
            )
        elif waited >= _MOSTLY_WAITING:
            text += " The processors are not used up: the disk holds the rate back."
        elif waited >= _WAITING:
            text += " The processors are not used up: the disk may hold the rate back."
        else:
            text += (
                " Neither processors nor disk are used up: what limits lies in the waiting between "
                "the processes, or more requesters would be needed."
            )
        sentences.append(text)
    return here.chapter.text(" ".join(sentences), **values) if sentences else None


def size_agreement(here: Measured, peaks: pd.DataFrame) -> Text | None:
    """Compare how the rate falls with message size, published and measured, each by itself.

    Parameters
    ----------
    here : Measured
    peaks : pandas.DataFrame
        Published peaks by message size.

    Returns
    -------
    Text or None
        None when fewer than two sizes are known on both sides.
    """
    if not here.exists:
        return None
    chapter = here.chapter
    both = sorted({int(s) for s in peaks["message_bytes"]} & set(here.levels("message_bytes")))
    if len(both) < 2:
        return None
    small, large = both[0], both[-1]
    printed = _published_share(chapter, peaks, small, large)
    share = _measured_share(here, {"message_bytes": large}, {"message_bytes": small})
    if printed is None or share is None:
        return None
    quantity, words, found = share
    agreed = verdict(printed.value, found)
    return chapter.text(
        f"From {{small}} to {{large}} the published peak falls to {{printed}} of its value; here "
        f"the highest rate falls to {{here}}{words}. {agreed}",
        small=size_label(small), large=size_label(large), printed=printed, here=quantity,
    )  # fmt: skip


def delivery_agreement(here: Measured, peaks: pd.DataFrame) -> Text | None:
    """Compare the price of persistence, published and measured, each by itself.

    Parameters
    ----------
    here : Measured
        Of both delivery modes, run in the same scheduling class.
    peaks : pandas.DataFrame
        Published peaks of both delivery modes, by message size.
    """
    if not here.exists:
        return None
    chapter = here.chapter
    lines = []
    values: dict[str, Quantity | str | int] = {}
    for size in here.levels("message_bytes"):
        share = _measured_share(
            here, {"delivery": "persistent", "message_bytes": size},
            {"delivery": "nonpersistent", "message_bytes": size},
        )  # fmt: skip
        if share is None:
            continue
        quantity, words, found = share
        values |= {f"size{size}": size_label(size), f"here{size}": quantity}
        rows = peaks[peaks["message_bytes"] == size].set_index("delivery", drop=False)
        if {"persistent", "nonpersistent"} <= set(rows.index):
            printed = chapter.quantities(rows.loc[["persistent"]])[0].percent_of(
                chapter.quantities(rows.loc[["nonpersistent"]])[0]
            )
            values[f"printed{size}"] = printed
            agreed = verdict(printed.value, found)
            beside = f"published {{printed{size}}}. {agreed}"
        else:
            beside = "nothing was published for this size."
        lines.append(f"- {{size{size}}}: here {{here{size}}}{words}; {beside}")
    if not lines:
        return None
    head = "Persistent messages as a share of the non-persistent rate, each at its highest:\n\n"
    return chapter.text(head + "\n".join(lines), **values)


def _published_share(
    chapter: Chapter, peaks: pd.DataFrame, small: int, large: int
) -> Quantity | None:
    found = {}
    for size in (small, large):
        rows = peaks[peaks["message_bytes"] == size]
        if len(rows) != 1:
            return None
        found[size] = chapter.quantities(rows, RATE)[0]
    return found[large].percent_of(found[small])


def _measured_share(
    here: Measured, of: dict[str, Any], base: dict[str, Any]
) -> tuple[Quantity, str, Interval] | None:
    """Give one highest rate as a share of another, with the words of its interval."""
    upper, lower = here.peak(**of), here.peak(**base)
    if upper is None or lower is None:
        return None
    share = share_of(here, {**of, "requesters": upper}, {**base, "requesters": lower})
    return None if share is None else (share.quantity, share.words(here.chapter), share.interval)
