"""Titles of the figures of a measured mirror: the findings, computed."""

from __future__ import annotations

from collections.abc import Mapping

from roundtrip.outputs import listed
from roundtrip.present.measured.means import Measured
from roundtrip.present.measured.shares import share_of
from roundtrip.present.numbers import Quantity
from support.replication.backlog import never_gone
from support.replication.mirror import DELAY, arranged


def mirror_title(here: Measured) -> str:
    """Name the finding: what each mode leaves of the rate without a mirror at a long delay."""
    delays = _common_delays(here)
    if not delays or here.withheld:
        return "Rate with a mirror by link delay"
    shares = _left(here, delays[-1], {"replication": "none"})
    longest = here.chapter.level(DELAY, delays[-1])
    told = [f"the {mode} mirror {share}" for mode, share in shares.items()]
    told[0] = told[0].replace(" mirror ", " mirror leaves ")
    return f"With {longest} on the link, {listed(told)} of the rate without a mirror"


def mirror_delay_title(here: Measured, published: Mapping[float, Quantity]) -> str:
    """Name the finding: what the longest delay leaves, published and measured."""
    common = [delay for delay in _common_delays(here) if delay in published]
    if not common or here.withheld:
        return "Share of the rate left, by link delay"
    shares = _left(here, common[-1])
    told = " and ".join(f"{share} {mode}" for mode, share in shares.items())
    longest = here.chapter.level(DELAY, common[-1])
    printed = here.chapter.write(published[common[-1]])
    return f"{longest} leaves {printed} of the rate without delay as published; here {told}"


def _common_delays(here: Measured) -> list[float]:
    """Give the delays at which every mode was measured and sustained its rate, ascending."""
    each = [
        {float(delay) for delay in here.levels(DELAY, mirroring=mode, replication_link="proxy")}
        for mode in here.levels("mirroring")
    ]
    return sorted(set.intersection(*each)) if each else []


def _left(here: Measured, delay: float, base: Mapping[str, object] | None = None) -> dict[str, str]:
    """Give what each mode has at a delay, of a base or of itself without delay."""
    found = {}
    for mode in here.levels("mirroring"):
        at = {"mirroring": mode, "replication_link": "proxy"}
        share = share_of(here, {**at, DELAY: delay}, base or {**at, DELAY: 0.0})
        if share is not None:
            found[str(mode)] = here.chapter.write(share.quantity)
    return found


def backlog_title(here: Measured) -> str:
    """Name the finding: how high the backlog of the first arrangement that has one became."""
    for way in arranged(here):
        if way.factors["mirroring"] != "asynchronous":
            continue
        high = here.mean("backlog_messages", "maximum", **way.factors)
        gone = here.mean("catch_up_time", "single", **way.factors)
        if high is None or here.manifest is None:
            continue
        seconds = f"{here.manifest.plan.measure_seconds:g}\u00a0s of overload"
        runs, stuck = len(high.values), len(never_gone(here, way))
        end = f"which clears in {runs - stuck} of {runs} runs"
        if gone is not None and not stuck:
            end = f"which takes {here.chapter.write(gone.quantity)} to clear"
        name, left = way.label[:1].upper() + way.label[1:], here.chapter.write(high.quantity)
        return f"{name}: {seconds} leave a backlog of {left}, {end}"
    return "The backlog of the mirror over time"
