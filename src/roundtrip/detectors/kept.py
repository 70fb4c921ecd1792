"""Proposals of all reports, computed anew only when something they depend on changed."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from pydantic import TypeAdapter

from roundtrip.cache import Cache
from roundtrip.claims import Erratum, Ledger, claims_key
from roundtrip.detectors.proposal import Proposal
from roundtrip.detectors.rules import propose
from roundtrip.detectors.saturation import named_limits
from roundtrip.files import sha256_of, sha256_of_tree
from roundtrip.observations import Observations

_STORED = TypeAdapter(list[Proposal])


def load_proposals(observations: Observations, ledger: Ledger) -> list[Proposal]:
    """Give the proposals for all published reports, report by report.

    Parameters
    ----------
    observations : Observations
        Its project's cache keeps the proposals.
    ledger : Ledger
        Its claims name what is said to be limited by processors.

    Returns
    -------
    list of Proposal
        Within each report the surest first, then the farthest out.
    """

    def proposed() -> str:
        proposals = [
            asdict(found)
            for report in observations.report_ids
            for found in propose(observations, report, limits=named_limits(ledger, report))
        ]
        return json.dumps(proposals, ensure_ascii=False)

    # Several chapters may ask at once.
    cache, key = Cache(observations.project.cache), _key(observations)
    return _STORED.validate_json(cache.text_once("detectors", key, proposed))


def finds(proposal: Proposal, erratum: Erratum) -> bool:
    """Say whether a proposal and an erratum speak of the same contradiction.

    They do if they share two cells, or all cells of the one that has fewer, or if each has the
    cell that the other names first. Any single cell in common may be chance.
    """
    shared = set(proposal.cells) & set(erratum.cells)
    if not shared:
        return False
    both = proposal.cells[0] in shared and erratum.cells[0] in shared
    return both or len(shared) >= min(2, len(proposal.cells), len(erratum.cells))


def errata_found(proposal: Proposal, ledger: Ledger) -> list[str]:
    """Give the ids of the errata of the same report that a proposal finds."""
    return [
        one.erratum.id
        for one in ledger.errata
        if one.report == proposal.report and finds(proposal, one.erratum)
    ]


def _key(observations: Observations) -> str:
    """Hash everything that the proposals depend on: observations, claims, rules."""
    package = Path(__file__).parents[1]
    code = sha256_of_tree(package / "detectors", package / "checks", pattern="*.py")
    return sha256_of(f"{claims_key(observations)}\n{code}")[:16]
