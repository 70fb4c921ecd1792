"""Which measured campaigns an edition shows: what it names, never what merely lies in the data."""

from __future__ import annotations

from roundtrip.campaign.manifest import Manifest, representing
from roundtrip.present.chapter import Chapter


def shown_campaigns(chapter: Chapter) -> list[Manifest]:
    """Give the campaigns that represent their plans in an edition.

    They are those that it names and, of each other plan, the one that `representing` chooses.

    Raises
    ------
    DataError
        If there is no campaign of a name.
    """
    known = chapter.observations
    named = [known.campaign(name) for name in chapter.campaigns]
    plans = {manifest.plan.name for manifest in named}
    own = representing(map(known.campaign, known.campaign_ids))
    return [*named, *(manifest for plan, manifest in own.items() if plan not in plans)]
