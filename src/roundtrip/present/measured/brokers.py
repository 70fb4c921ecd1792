"""What a campaign says of its brokers: which they were, and where those were that ran already."""

from __future__ import annotations

from roundtrip.campaign.manifest import Manifest
from roundtrip.outputs import escape_markdown, listed
from roundtrip.present.levels import inside
from roundtrip.present.measured.means import Measured

_COUNTED = ("product", "product_version", "model")
"""Factors whose label is what a level is called: a version."""


def tested(manifest: Manifest) -> str:
    """Name products and versions that were measured; nothing where neither is known.

    Where each is a broker of its own, the plan's levels name them.
    """
    plan, product, version = manifest.plan, manifest.product, manifest.product_version
    if plan.factor_of_brokers == "product":
        product, version = listed(plan.levels_of_brokers), None
    elif plan.factor_of_brokers == "product_version":
        version = listed(plan.levels_of_brokers)
    return " ".join(filter(None, [product, version]))


def running_words(here: Measured, manifest: Manifest) -> str:
    """Say where the brokers were and who started them, as the end of a sentence and what follows.

    Returns
    -------
    str
        With a space behind it.
    """
    there = "over a network" if manifest.broker_elsewhere else "on the same machine"
    place = f"was reached {there}"
    system, factor = manifest.plan.system, manifest.plan.factor_of_brokers
    told = [system.what, system.host and f"on {system.host}"] if system else []
    about = ", ".join(escape_markdown(part) for part in told if part)
    started = f"; it {escape_markdown(system.started)}" if system else ""
    if factor is None:
        what = "The broker" if system else "the broker"
        what = f"{what} ({about})" if about else what
        joined = "." if system else ";"
        return f" for the drivers{joined} {what} {place}{started}. "
    clients = _differing_clients(here, factor, manifest)
    where = f"Each broker {place}{started}"
    if manifest.levels_here:
        where = escape_markdown(_over_a_network(here, factor, manifest))
        where += started.replace("; it", "; each", 1)
    label = inside(here.chapter.factor_label(factor))
    each = label if factor in _COUNTED else f"level of {label}"
    return (
        f" for the drivers. Each {escape_markdown(each)} has a broker of its own"
        f"{f' ({about})' if about else ''}; runs took turns on them. "
        f"{where}. {''.join(f'{escape_markdown(one)} ' for one in clients)}"
    )


def differing_ways(here: Measured, *shown: str | None) -> list[str]:
    """Say that brokers were reached by different clients, or some of them over a network.

    Parameters
    ----------
    *shown : str or None
        The factors that a table or chart is about; one that does not tell brokers apart, and one
        way to all of them, need no words.
    """
    manifest = here.manifest
    factor = manifest.plan.factor_of_brokers if manifest else None
    if manifest is None or factor is None or factor not in shown:
        return []
    told = _differing_clients(here, factor, manifest)
    if manifest.levels_here:
        there = _over_a_network(here, factor, manifest)
        told.append(f"{there}: a ratio is that of broker and network together.")
    return told


def _over_a_network(here: Measured, factor: str, manifest: Manifest) -> str:
    """Say which brokers were on the drivers' machine, where others were not."""
    levels = [here.chapter.level_named(factor, level) for level in manifest.levels_here]
    brokers, were = ("broker", "was") if len(levels) == 1 else ("brokers", "were")
    return (
        f"The {brokers} of {listed(levels)} {were} on the drivers' machine, the others were "
        "reached over a network"
    )


def _differing_clients(here: Measured, factor: str, manifest: Manifest) -> list[str]:
    """Say that brokers were reached by different clients, as the URLs of the plan have it."""
    urls = manifest.plan.set_by[factor].broker_url or {}
    reached: dict[str, list[str]] = {}
    for level in manifest.plan.levels_of_brokers:
        scheme = urls.get(level, "").partition("://")[0].lower().replace("artemis", "tcp")
        reached.setdefault(scheme, []).append(here.chapter.level_named(factor, level))
    if len(reached) == 1:
        return []
    told = "; ".join(f"{scheme} for {listed(levels)}" for scheme, levels in reached.items())
    return [
        f"The client's protocol differs, too ({told}): a ratio is that of broker and client "
        "together."
    ]
