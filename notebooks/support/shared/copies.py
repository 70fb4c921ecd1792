"""What copies on other appliances add to the core time of one queue manager, at one rate."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from roundtrip.present import Chapter, Quantity
from roundtrip.present.chapter import RATE
from support.shared.flows import rate_in_edition

_SWEEPS = {
    "none": ("figure-06", "M2003A"), "ha": ("figure-15", "M2003A HA"),
    "dr": ("figure-17", "M2003A DR"), "both": ("figure-19", "M2003A HA and DR"),
}  # fmt: skip
_OF_TOP = 0.9
"""Nearer their tops, sweeps are flat: CPU rises there at one rate, within the reading's error."""
_DIGITS = 3  # of a rate that is read off a chart


def copies_at_one_rate(appliance: Chapter) -> SimpleNamespace:
    """Say what copies add to the core time of one queue manager on M2003A, persistent messages.

    At one rate, CPU differs as core time does. It is read off the source's sweeps, straight between
    the two points where each first reaches the rate.

    Returns
    -------
    namespace
        The ``rate``, nine tenths of the lowest top of these sweeps; what ``ha``, ``dr`` and
        ``both`` add there, in percent.
    """
    sweeps = {
        name: appliance.points(figure, row_label=label).sort_values("requesters")
        for name, (figure, label) in _SWEEPS.items()
    }
    lowest = min(sweep[RATE].max() for sweep in sweeps.values()) / appliance.rate_scale
    rate = rate_in_edition(appliance, float(f"{_OF_TOP * lowest:.{_DIGITS}g}"))
    cpu = {}
    for name, sweep in sweeps.items():
        reached = int(sweep[RATE].ge(rate.value).argmax())
        around = sweep.iloc[reached - 1 : reached + 1]
        cells = (*around[f"{RATE}_cell"], *around["cpu_cell"])
        cpu[name] = Quantity(float(np.interp(rate.value, around[RATE], around["cpu"])), "%", cells)
    none = cpu.pop("none")
    more = {name: one.percent_above(none) for name, one in cpu.items()}
    return SimpleNamespace(rate=rate, **more)
