"""Anchors of what the data holds."""

from __future__ import annotations

from roundtrip.present.runs import place_of


def cell_anchor(observation_id: str) -> str:
    """Give the permanent anchor of a printed cell: ``cell-<report>-<table>-r1c1``.

    A value of a run that has no anchor in the appendix leads to its run.
    """
    return anchor_of(place_of(observation_id))


def anchor_of(place: str) -> str:
    """Give the permanent anchor of a place: a printed cell, or ``<campaign>/runs/<run>``."""
    return "cell-" + place.replace("/", "-")
