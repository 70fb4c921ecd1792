"""Which measured campaigns an edition shows: what it names, never what merely lies in the data."""

from __future__ import annotations

from roundtrip.campaign.manifest import Manifest
from roundtrip.campaign.plan import PROFILES
from roundtrip.present.chapter import Chapter


def shown_campaigns(chapter: Chapter) -> list[Manifest]:
    """Give the campaigns that represent their plans in an edition.

    They are those that it names and, of each other plan, the one in the plan's own folder, into
    which neither a rerun nor ``roundtrip run --output`` measures. Of several profiles one on a
    single host counts before one over hosts, which a chapter about its own machine would misread;
    then the larger one.

    Raises
    ------
    DataError
        If there is no campaign of a name.
    """
    known = chapter.observations
    named = [known.campaign(name) for name in chapter.campaigns]
    plans = {manifest.plan.name for manifest in named}
    own = [
        manifest
        for manifest in map(known.campaign, known.measured_ids)
        if manifest.id == manifest.plan.own_campaign and manifest.plan.name not in plans
    ]
    own.sort(key=lambda manifest: (not manifest.hosts, PROFILES.index(manifest.plan.profile)))
    return [*named, *{manifest.plan.name: manifest for manifest in own}.values()]
