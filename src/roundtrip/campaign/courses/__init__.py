"""Courses of events: what happens in a run once brokers and drivers are up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from roundtrip.campaign.brokers import Endpoints
from roundtrip.campaign.courses import background, backlog, connections, failover, mirrored, steady
from roundtrip.campaign.drivers import Load
from roundtrip.campaign.live_run import LiveRun
from roundtrip.campaign.plan import CourseName
from roundtrip.campaign.processes import Launch


class Course(Protocol):
    """What a course says: which drivers it needs, and what happens then."""

    def drivers(self, load: Load, endpoints: Endpoints) -> dict[str, Launch]:
        """Say how the drivers are started, in their order; they are stopped in reverse order."""

    def follow(self, live: LiveRun) -> None:
        """Follow the run until what is to be measured has been; note in the raw file when.

        It writes the runner's records ``measure`` and ``finished``, between which rates and
        resources are taken. It raises `RefusedError` or `RunFailedError` if a process ends, nothing
        is reported, or what has to be there is not.
        """


COURSES: Mapping[CourseName, Course] = {
    "steady": steady, "connections": connections, "failover": failover,
    "background": background, "mirrored": mirrored, "backlog": backlog,
}  # fmt: skip
"""The courses by the names that plans give them."""
