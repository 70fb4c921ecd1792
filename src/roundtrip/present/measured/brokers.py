"""What a campaign says of its brokers: which they were, and where those were that ran already."""

from __future__ import annotations

from roundtrip.campaign.manifest import Manifest
from roundtrip.outputs import escape_markdown, listed
from roundtrip.present.levels import inside
from roundtrip.present.measured.means import Measured


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
    """Say which brokers ran already, who started them and where they were, in sentences."""
    system, factor = manifest.plan.system, manifest.plan.factor_of_brokers
    what = [system.what, system.host and f"on {system.host}"] if system else []
    about = ", ".join(filter(None, what))
    about = f" ({about})" if about else ""
    facts = [system.started] if system else []
    there = "was reached over a network"
    facts.append(there if manifest.broker_elsewhere else "was on the drivers' machine")
    told, subject = [], f"The broker{about}"
    if factor is not None:
        label, subject = inside(here.chapter.factor_label(factor)), "Each broker"
        told.append(f"Runs took turns on brokers that differ in {label}{about}.")
    told.append(f"{subject} {' and '.join(facts)}.")
    return escape_markdown(" ".join([*told, *differing_ways(here, factor)]))


def differing_ways(here: Measured, *shown: str | None) -> list[str]:
    """Say that brokers were reached by different clients.

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
    urls = manifest.plan.set_by[factor].broker_url or {}
    reached: dict[str, list[str]] = {}
    for level in manifest.plan.levels_of_brokers:
        scheme = urls.get(level, "").partition("://")[0].lower().replace("artemis", "tcp")
        reached.setdefault(scheme, []).append(here.chapter.level_named(factor, level))
    if len(reached) < 2:
        return []
    by = "; ".join(f"{scheme} for {listed(levels)}" for scheme, levels in reached.items())
    return [
        f"The client's protocol differs, too ({by}): a ratio is that of broker and client together."
    ]
