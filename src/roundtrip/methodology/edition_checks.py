"""Checks of the edition: what the report that is built here must have, against one rule each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from roundtrip.claims import load_ledger
from roundtrip.methodology.generic_checks import held, stated
from roundtrip.methodology.subject import Finding, Subject, fails, not_applicable, passes
from roundtrip.project import MANIFEST
from roundtrip.versions import LOCK


def claims_judged(edition: Subject) -> Finding:
    """Check that the sentences of every source are held to its numbers."""
    sources = edition.observations.report_ids
    if not sources:
        return not_applicable("it has no sources", "data/published")
    judged = {row.report for row in load_ledger(edition.observations).claims}
    lacking = [name for name in sources if name not in judged]
    told = f"no claim is recorded for {len(lacking)} of {len(sources)} sources"
    every = f"the claims of all {len(sources)} sources are judged"
    return held(lacking, told, every, "data/published")


def data_checked(edition: Subject) -> Finding:
    """Check that every source has a suite of expectations of its own."""
    sources, folder = edition.observations.report_ids, edition.observations.project.checks
    if not sources:
        return not_applicable("it has no sources", "data/published")
    lacking = [name for name in sources if not (folder / f"{name}.json").is_file()]
    told = f"{len(lacking)} of {len(sources)} sources have no suite"
    return held(lacking, told, f"all {len(sources)} sources have a suite", "checks")


def locked(edition: Subject) -> Finding:
    """Check that the libraries it is built with are fixed with their hashes."""
    path = edition.observations.project.root / LOCK
    if not path.is_file():
        return fails(f"there is no {LOCK}", path.name)
    if "--hash=sha256:" not in path.read_text(encoding="utf-8"):
        return fails("its libraries have no hashes", path.name)
    return passes("its libraries are pinned with their hashes", path.name)


def raw_kept(edition: Subject) -> Finding:
    """Check that raw files of every campaign are part of it."""
    observations = edition.observations
    names = [*observations.campaign_ids, *observations.ingested_ids]
    if not names:
        return not_applicable("nothing was measured for it", "data/campaigns")
    campaigns = observations.project.campaigns
    lacking = [name for name in names if not any((campaigns / name / "raw").glob("*"))]
    told = f"{len(lacking)} of {len(names)} campaigns have no raw files here"
    every = f"all {len(names)} campaigns have their raw files here"
    return held(lacking, told, every, "data/campaigns")


def released(edition: Subject) -> Finding:
    """Check that it has a version and a date, no earlier than what was measured for it."""
    known, where = edition.disclosed, f"{edition.place}: version, date"
    if known["version"] == "draft" or not known["date"]:
        return fails("it is a draft, or without a date", where)
    measured = {
        session.started[:10]: name
        for name in edition.observations.campaign_ids
        for session in edition.observations.campaign(name).sessions
    }
    last = max(measured, default="")
    if str(known["date"]) < last:
        told = f"it is dated {known['date']}, and {measured[last]} was measured on {last} (UTC)"
        return fails(told, where, f"data/campaigns/{measured[last]}/{MANIFEST}: sessions")
    return passes(f"version {known['version']} of {known['date']}", where)


EDITION_CHECKS: Mapping[str, Callable[..., Finding]] = {
    check.__name__: check
    for check in (claims_judged, data_checked, locked, raw_kept, released, stated)
}  # fmt: skip
"""By the name that rules give them."""
