"""The usual course, then an account: whether everything is at the second broker, and once."""

from __future__ import annotations

from roundtrip.campaign.courses import steady
from roundtrip.campaign.courses.arrival import account
from roundtrip.campaign.drivers import round_trip_drivers
from roundtrip.campaign.in_hand import RunInHand

drivers = round_trip_drivers


def follow(hand: RunInHand) -> None:
    """Measure as usual; then end the drivers and wait until both brokers hold the same.

    Raises
    ------
    RefusedError, RunFailedError
        As in the usual course.
    """
    steady.follow(hand)
    # Requesters first: a responder that goes before them would cost them replies.
    hand.end("requester")
    hand.end("responder")
    if hand.point.get("replication", "none") != "none":
        account(hand)
