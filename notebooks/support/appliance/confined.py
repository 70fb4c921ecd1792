"""A broker confined to two models: B beside A, several queue managers beside one."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

from roundtrip.outputs import listed
from roundtrip.present import Figure, Measured, Quantity, Table, Text, size_label, variants_table
from roundtrip.present.measured.columns import Metric
from support.appliance.peaks import LOGGED, PLAIN, TEN, Peaks
from support.shared.cases import Case, Cases, forest
from support.shared.points import main_size_of

_KINDS = {"nonpersistent": PLAIN, "persistent": LOGGED}
_TIMES: tuple[Metric, ...] = (("round_trip_time", "p50"), ("round_trip_time", "p99"))
_COST: Metric = ("broker_cpu_time", "mean")
_MEMORY: Metric = ("broker_memory", "mean")
_WAIT: Metric = ("disk_wait", "mean")
_OF_MODELS: dict[str, tuple[Metric, ...]] = {
    "nonpersistent": (*_TIMES, _COST, _MEMORY),
    "persistent": (*_TIMES, _COST, ("disk_write_rate", "mean"), _WAIT),
}


def models_table(here: Measured, delivery: str) -> Table | None:
    """List one queue manager by message size and model."""
    return variants_table(
        here, "model", split="message_bytes", baseline="A", metrics=_OF_MODELS[delivery],
        caption=f"RR-CC, {_KINDS[delivery]}, one queue manager, by model",
        delivery=delivery, queue_managers=1,
    )  # fmt: skip


def managers_table(here: Measured, *, caption: str) -> Table | None:
    """List one queue manager and several on model A."""
    size = main_size_of(here, "queue_managers", model="A")
    return variants_table(
        here, "queue_managers", split="delivery", baseline=1, model="A",
        caption=caption if size is None else f"{caption}, {size_label(size)}",
        metrics=(*_TIMES, _COST, _MEMORY, _WAIT), message_bytes=size,
    )  # fmt: skip


def models_cases(here: Measured, peaks: Peaks) -> Cases:
    """Give what model B gives of model A, by delivery and message size."""
    cases = []
    for (kind, name), size in product(_KINDS.items(), here.levels("message_bytes")):
        at = {"delivery": kind, "message_bytes": size, "queue_managers": 1}
        printed = _published(peaks, size_label(size), name, model="M2003B")
        label = f"{name}, {size_label(size)}"
        cases.append(Case(label, {**at, "model": "B"}, {**at, "model": "A"}, printed))
    return Cases(here, cases)


def models_figure(cases: Cases, *, caption: str) -> Figure | None:
    """Draw what model B gives of model A; without verdicts, since the plan chose its limits."""
    found = cases.shares()
    if not found:
        return None
    return forest(
        cases.here, [(replace(case, published={}), share) for case, share in found],
        what="the limits of model B, which the plan set, show in its rate",
        of="the rate of model A", caption=caption,
    )  # fmt: skip


def limits_words(here: Measured) -> Text | None:
    """Say how much of what its plan lets it write to the log disk model B wrote."""
    configurations = here.manifest.configurations if here.manifest else ()
    groups = [one.effective.get("control_group") or {} for one in configurations]
    limits = {group["disk_write_limit"] for group in groups if "disk_write_limit" in group}
    at: dict[str, Any] = {"model": "B", "delivery": "persistent", "queue_managers": 1}
    written = {
        size: here.mean("disk_write_rate", message_bytes=size, **at)
        for size in here.levels("message_bytes", **at)
    }
    told = [
        f"{here.chapter.inline(mean.quantity)} at {size_label(size)}"
        for size, mean in written.items()
        if mean is not None
    ]
    if len(limits) != 1 or not told:
        return None
    return Text(
        f"With persistent messages, model B writes {listed(told)} to the log disk, of the "
        f"{limits.pop() / 1e6:g}\u00a0MB/s that it may."
    )  # fmt: skip


def managers_cases(here: Measured, peaks: Peaks) -> Cases:
    """Give what several queue managers give of one, by delivery and message size."""
    cases = []
    levels = (here.levels(factor) for factor in ("message_bytes", "queue_managers"))
    for (kind, name), size, count in product(_KINDS.items(), *levels):
        if count > 1:
            at = {"model": "A", "delivery": kind, "message_bytes": size}
            who, label = f"{count} queue managers", f"{name}, {size_label(size)}"
            printed = _published(peaks, size_label(size), name, managers=TEN) if who == TEN else {}
            of, base = ({**at, "queue_managers": number} for number in (count, 1))
            cases.append(Case(f"{who}, {label}", of, base, printed))
    return Cases(here, cases)


def _published(peaks: Peaks, size: str, case: str, **of: str) -> dict[str, Quantity]:
    """Give the share of a peak of the plain one; nothing for a size that is not shown."""
    if size not in peaks.sizes:
        return {}
    return {"published": peaks.rate(size, case, **of).percent_of(peaks.rate(size, case))}
