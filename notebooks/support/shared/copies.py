"""What copies on other appliances add to the core time of a round trip, at one rate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import SimpleNamespace

import numpy as np
import pandas as pd

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
        and for ``ten``, what ``ha``, ``dr`` and ``both`` add there, in percent. Likewise of those
        of ten alone, the ``high_rate`` and ``ten_high``.
    """
    sweeps = {
        managers: {
            name: appliance.points(figure, row_label=label).sort_values("requesters")
            for name, (figure, label) in copies.items()
        }
        for managers, copies in _SWEEPS.items()
    }
    rate, high_rate = (
        _near_top(appliance, [sweep for name in names for sweep in sweeps[name].values()])
        for names in (("one", "ten"), ("ten",))
    )
    return SimpleNamespace(
        rate=rate, one=_added(sweeps["one"], rate), ten=_added(sweeps["ten"], rate),
        high_rate=high_rate, ten_high=_added(sweeps["ten"], high_rate),
    )  # fmt: skip


def _near_top(appliance: Chapter, sweeps: Iterable[pd.DataFrame]) -> Quantity:
    lowest = min(sweep[RATE].max() for sweep in sweeps) / appliance.rate_scale
    return rate_in_edition(appliance, float(f"{_OF_TOP * lowest:.{_DIGITS}g}"))


def _added(sweeps: Mapping[str, pd.DataFrame], rate: Quantity) -> SimpleNamespace:
    """Give what each copy adds to the CPU of no copy at one rate, in percent."""
    cpu = {}
    for name, sweep in sweeps.items():
        reached = int(sweep[RATE].ge(rate.value).argmax())
        around = sweep.iloc[reached - 1 : reached + 1]
        cells = (*around[f"{RATE}_cell"], *around["cpu_cell"])
        cpu[name] = Quantity(float(np.interp(rate.value, around[RATE], around["cpu"])), "%", cells)
    none = cpu.pop("none")
    return SimpleNamespace(**{name: one.percent_above(none) for name, one in cpu.items()})
