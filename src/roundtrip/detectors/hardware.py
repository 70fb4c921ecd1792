"""How large the machines are that a report tested, as it discloses them."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from roundtrip.sources.disclosure import Host, Model, PublishedReport

_DRIVES = re.compile(r"client|driver", re.IGNORECASE)
"""Roles that make the load."""


def capacity_of_rows(cells: pd.DataFrame, disclosure: PublishedReport | None) -> pd.DataFrame:
    """Add to each cell the processor cores of the machine under test, and their clock.

    A platform that ends in the name of a model is that model; otherwise the hosts of the cell's
    host set that have another role than to make the load are taken, if they are of one kind.

    Parameters
    ----------
    cells : pandas.DataFrame
        With ``platform`` and ``host_set``.
    disclosure : PublishedReport or None
        Names models and hosts.

    Returns
    -------
    pandas.DataFrame
        The cells with ``cores`` and ``clock_ghz``, not a number where they are not disclosed.
    """
    known: dict[tuple[str, str], tuple[float, float]] = {}
    said = list(zip(cells["platform"].astype(str), cells["host_set"].astype(str), strict=True))
    for platform, host_set in dict.fromkeys(said):
        known[platform, host_set] = _capacity(disclosure, platform, host_set)
    return cells.assign(
        cores=np.array([known[one][0] for one in said], dtype=float),
        clock_ghz=np.array([known[one][1] for one in said], dtype=float),
    )


def _capacity(
    disclosure: PublishedReport | None, platform: str, host_set: str
) -> tuple[float, float]:
    if disclosure is None:
        return np.nan, np.nan
    words = platform.split()
    if words and words[-1] in disclosure.models:
        return _of(disclosure.models[words[-1]])
    if host_set not in disclosure.host_sets:
        return np.nan, np.nan
    servers = {
        _of(host)
        for host in disclosure.host_sets[host_set].hosts
        if not all(_DRIVES.search(role) for role in host.roles)
    }
    return servers.pop() if len(servers) == 1 else (np.nan, np.nan)


def _of(machine: Model | Host) -> tuple[float, float]:
    if machine.sockets is None or machine.cores_per_socket is None:
        return np.nan, np.nan
    clock = np.nan if machine.clock_ghz is None else machine.clock_ghz
    return float(machine.sockets * machine.cores_per_socket), clock
