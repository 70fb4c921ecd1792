"""What copies on other appliances add to the core time of a round trip, at one rate."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from roundtrip.present import Chapter, Quantity
from roundtrip.present.chapter import RATE
from support.shared.flows import rate_in_edition

_SWEEPS = {
    "one": {
        "none": ("figure-06", "M2003A"), "ha": ("figure-15", "M2003A HA"),
        "dr": ("figure-17", "M2003A DR"), "both": ("figure-19", "M2003A HA and DR"),
    },
    "ten": {
        "none": ("figure-08", "M2003A"), "ha": ("figure-16", "M2003A HA"),
        "dr": ("figure-18", "M2003A DR"), "both": ("figure-20", "M2003A HA and DR"),
    },
}  # fmt: skip
_OF_TOP = 0.9
"""Nearer their tops, sweeps are flat: CPU rises there at one rate, within the reading's error."""
_DIGITS = 3  # of a rate that is read off a chart


def copies_at_one_rate(appliance: Chapter) -> SimpleNamespace:
    """Say what copies add to the core time of a round trip on M2003A, persistent messages.

    At one rate, CPU differs as core time does. It is read off the source's sweeps, straight between
    the two points where each first reaches the rate.

    Returns
    -------
    namespace
        The ``rate``, nine tenths of the lowest top of all these sweeps; for ``one`` queue manager
        and for ``ten``, what ``ha``, ``dr`` and ``both`` add there, in percent.
    """
    sweeps = {
        managers: {
            name: appliance.points(figure, row_label=label).sort_values("requesters")
            for name, (figure, label) in copies.items()
        }
        for managers, copies in _SWEEPS.items()
    }
    tops = [sweep[RATE].max() for copies in sweeps.values() for sweep in copies.values()]
    lowest = min(tops) / appliance.rate_scale
    rate = rate_in_edition(appliance, float(f"{_OF_TOP * lowest:.{_DIGITS}g}"))
    found = {}
    for managers, copies in sweeps.items():
        cpu = {}
        for name, sweep in copies.items():
            reached = int(sweep[RATE].ge(rate.value).argmax())
            around = sweep.iloc[reached - 1 : reached + 1]
            cells = (*around[f"{RATE}_cell"], *around["cpu_cell"])
            read = float(np.interp(rate.value, around[RATE], around["cpu"]))
            cpu[name] = Quantity(read, "%", cells)
        none = cpu.pop("none")
        more = {name: one.percent_above(none) for name, one in cpu.items()}
        found[managers] = SimpleNamespace(**more)
    return SimpleNamespace(rate=rate, **found)
