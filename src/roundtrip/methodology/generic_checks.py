"""Checks for subjects of any kind: what must be stated, and what must have been observed."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from roundtrip.methodology.subject import Finding, Lacking, Subject, fails, passes

UNSTATED: tuple[Any, ...] = (None, "", "not stated", [], {})
"""Values of a key that state nothing."""
_FEW = 3


def few(names: list[str], of: str) -> str:
    """Write some of many: ``3 of 84 runs: a, b, c``."""
    return f"{of}: {', '.join(names[:_FEW])}" + (" …" if len(names) > _FEW else "")


def held(wrong: Collection[str], told: str, otherwise: str, *where: str) -> Finding:
    """Fail, naming some of what is wrong behind what is told of it; pass where nothing is."""
    return fails(few([*wrong], told), *where) if wrong else passes(otherwise, *where)


def stated(subject: Subject, *, keys: tuple[str, ...]) -> Finding:
    """Check that its file states some keys, such as ``host.memory_mb``; ``*`` is any name."""
    lacking = [key for key in keys if not _states(subject.disclosed, key.split("."))]
    if lacking:
        places = (f"{subject.place}: {key}" for key in lacking)
        return fails(f"does not state {', '.join(map(_said, lacking))}", *places)
    return passes(
        f"states {', '.join(map(_said, keys))}", *(f"{subject.place}: {key}" for key in keys)
    )


def _said(key: str) -> str:
    """Name a key as a reader would: ``host_sets.*.hosts.*.memory_gb`` is ``memory``."""
    return re.sub(r"_(?:gb|mb|ms|s)$", "", key.rpartition(".")[2]).replace("_", " ")


def _states(content: Any, path: list[str]) -> bool:
    """Say whether a path leads to something, in every branch that ``*`` opens."""
    if not path:
        return content not in UNSTATED
    if path[0] == "*":
        inner = list(content.values()) if isinstance(content, dict) else list(content or ())
        return bool(inner) and all(_states(each, path[1:]) for each in inner)
    return isinstance(content, dict) and _states(content.get(path[0]), path[1:])


def observed(subject: Subject, *, metrics: tuple[str, ...], beside: tuple[str, ...]) -> Finding:
    """Check that some metrics were observed wherever others were.

    That is in every run of a campaign, and at every operating point of a source.
    """
    values = subject.values
    key, units = ("row_label", "runs") if subject.kind == "campaign" else ("point_id", "points")
    having = {name: set(values.loc[values["metric"] == name, key]) for name in metrics}
    wanted = set(values.loc[values["metric"].isin(beside), key])
    dictionary, where = subject.observations.dictionary, "checks/methodology: limits"
    named = {name: dictionary.metric(name, where).label for name in (*metrics, *beside)}
    if not wanted:
        raise Lacking(
            f"has no values of {' or '.join(named[one] for one in beside)}", subject.place
        )
    lacking = {name: len(wanted - having[name]) for name in metrics if wanted - having[name]}
    if lacking:
        told = ", ".join(f"{named[name]} ({count})" for name, count in lacking.items())
        return fails(f"{units} without a value, of {len(wanted)}: {told}", subject.place)
    told = ", ".join(named[one] for one in metrics)
    return passes(f"all {len(wanted)} {units} have values of {told}", subject.place)
