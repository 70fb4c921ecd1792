"""Checks of where the broker and the drivers of a campaign ran."""

from __future__ import annotations

from roundtrip.campaign.manifest import on_one_machine, share_processors, where_they_ran
from roundtrip.methodology.subject import Campaign, Finding, fails, passes


def hosts_apart(campaign: Campaign) -> Finding:
    """Check that drivers and broker ran on different machines."""
    where = f"{campaign.place}: broker_elsewhere"
    if campaign.manifest.hosts:
        where = f"{campaign.place}: hosts"
        for hosts in campaign.manifest.placements:
            if on_one_machine(hosts):
                return fails(where_they_ran(hosts), where)
        return passes(where_they_ran(campaign.manifest.hosts), where)
    if campaign.manifest.broker_elsewhere:
        return passes("the broker was reached over a network", where)
    return fails("broker and drivers shared one machine", where)


def processors_apart(campaign: Campaign) -> Finding:
    """Check that drivers and broker ran on processors of their own, be it of one machine."""
    manifest = campaign.manifest
    if manifest.hosts:
        where = f"{campaign.place}: hosts"
        for hosts in manifest.placements:
            if share_processors(hosts):
                return fails(where_they_ran(hosts), where)
        return passes(where_they_ran(manifest.hosts), where)
    if manifest.broker_elsewhere:
        place = f"{campaign.place}: broker_elsewhere"
        return passes("the broker was reached over a network", place)
    where = f"{campaign.place}: configurations"
    models = [one.effective.get("model") or {} for one in manifest.configurations]
    if models and all(model.get("drivers_have_others") for model in models):
        return passes("its models leave the drivers processors of their own", where)
    return fails("broker and drivers shared the processors of one machine", where)
