"""Courses of events: what happens in a run once brokers and drivers are up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from roundtrip.campaign.brokers import Endpoints
from roundtrip.campaign.courses import background, connections, failover, mirrors, steady
from roundtrip.campaign.drivers import Load, round_trip_drivers
from roundtrip.campaign.live_run import LiveRun
from roundtrip.campaign.plan import CourseName
from roundtrip.campaign.processes import Launch


@dataclass(frozen=True)
class Course:
    """A course of events.

    Attributes
    ----------
    follow : callable
        Follows the run until what is to be measured has been. It writes the runner's records
        ``measure`` and ``finished``, between which rates and resources are taken. It raises
        `RefusedError` or `RunFailedError` if a process ends, nothing is reported, or what has to be
        there is not.
    drivers : callable
        Says how the drivers are started, in their order; they are stopped in reverse order.
    """

    follow: Callable[[LiveRun], None]
    drivers: Callable[[Load, Endpoints], dict[str, Launch]] = round_trip_drivers


COURSES: Mapping[CourseName, Course] = {
    "steady": Course(steady.follow),
    "connections": Course(connections.follow, connections.drivers),
    "failover": Course(failover.follow, failover.drivers),
    "background": Course(background.follow, background.drivers),
    "mirrored": Course(mirrors.follow_round_trips),
    "backlog": Course(mirrors.follow_backlog, mirrors.backlog_drivers),
}
"""The courses by the names that plans give them."""
