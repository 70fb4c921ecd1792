"""Detectors: rules that look for contradictions in any report's observations.

A rule knows the data dictionary and physics, and nothing of a particular report. What it finds
is a proposal for ``errata.yml``, to be read against the document by a person.
"""

from __future__ import annotations

from roundtrip.detectors.proposal import Proposal, Sure, errata_found, finds
from roundtrip.detectors.rules import RULES, detect, detect_in, load_proposals
from roundtrip.detectors.subject import Subject
from roundtrip.detectors.text import ReportText

__all__ = [
    "RULES", "Proposal", "ReportText", "Subject", "Sure", "detect", "detect_in",
    "errata_found", "finds", "load_proposals",
]  # fmt: skip
