"""Titles of the figures of a measured mirror: the findings, computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roundtrip.outputs import listed
from roundtrip.present.measured.means import Measured, share_of
from roundtrip.present.numbers import Quantity
from support.replication.backlog import never_gone
from support.replication.mirror import DELAY, arranged

_KNOWN = 2.0
"""A share is known if its interval reaches no further than this factor below and above it."""


def mirror_title(here: Measured) -> str:
    """Name the finding: what each mode leaves of the rate without a mirror at a long delay."""
    delay, shares = _longest(here, _common_delays(here), {"replication": "none"})
    if not shares or here.withheld:
        return "Rate with a mirror by link delay"
    longest = here.chapter.level(DELAY, delay)
    told = [f"the {mode} mirror {share}" for mode, share in shares.items()]
    told[0] = told[0].replace(" mirror ", " mirror leaves ")
    return f"With {longest} on the link, {listed(told)} of the rate without a mirror"


def mirror_delay_title(here: Measured, published: Mapping[float, Quantity]) -> str:
    """Name the finding: what the longest delay leaves, published and measured."""
    delay, shares = _longest(here, [one for one in _common_delays(here) if one in published])
    if not shares or here.withheld:
        return "Share of the rate left, by link delay"
    told = " and ".join(f"{share} with the {mode} mirror" for mode, share in shares.items())
    longest = here.chapter.level(DELAY, delay)
    printed = here.chapter.write(published[delay])
    return f"{longest} of delay leaves {printed} of the rate in the source; here {told}"


def _common_delays(here: Measured) -> list[float]:
    """Give the delays at which every mode was measured and sustained its rate, ascending."""
    each = [
        {float(delay) for delay in here.levels(DELAY, mirroring=mode, replication_link="proxy")}
        for mode in here.levels("mirroring")
    ]
    return sorted(set.intersection(*each)) if each else []


def _longest(
    here: Measured, delays: Sequence[float], base: Mapping[str, object] | None = None
) -> tuple[float, dict[str, str]]:
    """Give the longest delay at which each mode's share is known, and those shares in words.

    A title says no number of which its interval leaves the size open. Shares are of a base, or of
    each mode without delay.
    """
    for delay in reversed(delays):
        shares = {}
        for mode in here.levels("mirroring"):
            at = {"mirroring": mode, "replication_link": "proxy"}
            shares[str(mode)] = share_of(here, {**at, DELAY: delay}, base or {**at, DELAY: 0.0})
        known = {
            mode: here.chapter.write(share.quantity)
            for mode, share in shares.items()
            if share is not None
            and share.interval.low >= share.interval.estimate / _KNOWN
            and share.interval.high <= share.interval.estimate * _KNOWN
        }
        if known and len(known) == len(shares):
            return delay, known
    return 0.0, {}


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
        left = here.chapter.write(high.quantity)
        return f"{seconds} leave a backlog of {left}, {end} ({way.label})"
    return "The backlog of the mirror over time"
