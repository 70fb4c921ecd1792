"""Checks of where a campaign ran: drivers and brokers apart from each other, or not."""

from __future__ import annotations

from collections.abc import Callable

from roundtrip.campaign.manifest import on_one_machine, share_processors, where_they_ran
from roundtrip.methodology.subject import Campaign, Finding, fails, passes


def hosts_apart(campaign: Campaign) -> Finding:
    """Check that drivers and broker ran on different machines."""
    return _by_network(campaign, on_one_machine) or fails(
        "broker and drivers shared one machine", f"{campaign.place}: broker_elsewhere"
    )


def processors_apart(campaign: Campaign) -> Finding:
    """Check that drivers and broker ran on processors of their own, be it of one machine."""
    if (found := _by_network(campaign, share_processors)) is not None:
        return found
    where = f"{campaign.place}: configurations"
    models = [one.effective.get("model") or {} for one in campaign.manifest.configurations]
    if models and all(model.get("drivers_have_others") for model in models):
        return passes("its models leave the drivers processors of their own", where)
    return fails("broker and drivers shared the processors of one machine", where)


def _by_network(campaign: Campaign, together: Callable[..., object]) -> Finding | None:
    """Judge a campaign over hosts or with a broker elsewhere; None where all was on one machine."""
    manifest = campaign.manifest
    if manifest.hosts:
        failing = [hosts for hosts in manifest.placements if together(hosts)]
        told = where_they_ran((failing or [manifest.hosts])[0])
        return (fails if failing else passes)(told, f"{campaign.place}: hosts")
    if manifest.broker_elsewhere:
        where = f"{campaign.place}: broker_elsewhere"
        return passes("the broker was reached over a network", where)
    return None
