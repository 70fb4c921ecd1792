"""Load drivers: the options of a run's requesters and responders, in the harness's terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlencode

from roundtrip.campaign.brokers import Endpoint, Endpoints
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.machine import scheduling
from roundtrip.campaign.names import REPLY_QUEUE, REQUEST_QUEUE
from roundtrip.campaign.plan import Plan, Point, written
from roundtrip.campaign.processes import Launch
from roundtrip.campaign.settable import REQUESTERS
from roundtrip.errors import ParameterError


@dataclass(frozen=True)
class Load:
    """What the drivers of a run at an operating point have in common.

    Attributes
    ----------
    further : tuple of str
        Options that the course of the run gives to all of them.
    """

    harness: Harness
    plan: Plan
    point: Point
    further: tuple[str, ...] = ()

    def drive(
        self, endpoint: Endpoint, name: str, options: Sequence[str], number: int = 0
    ) -> Launch:
        """Say how one driver process is started.

        Parameters
        ----------
        options : sequence of str
            What it does, beside what all drivers share.
        number : int
            Which of its side's processes it is, from 0: hosts are dealt out in turn.
        """
        plan, point = self.plan, self.point
        ways = {one: way for one, way in plan.set_by.items() if one in point}
        # The plan's own factors, as options of the URL that the driver connects to.
        query = urlencode({
            way.url_option: written(point[one]) for one, way in ways.items() if way.url_option
        })  # fmt: skip
        connecting = list(endpoint.options)
        if query:
            at = connecting.index("-url") + 1
            url, mark, further = connecting[at].partition("#")  # behind it are other addresses
            connecting[at] = f"{url}{'&' if '?' in url else '?'}{query}{mark}{further}"
        words = [
            "-id", name, "-pc", endpoint.provider, *connecting, *options,
            # Until stopped, without a warm-up of its own: the runner decides what is measured.
            "-rl", "0", "-wt", "0", "-ss", f"{plan.interval_seconds:g}",
        ]  # fmt: skip
        if point["syncpoint"] == "inside":
            words += ["-tx"]
        # Both ends: what one compresses the other decompresses.
        if "compression" in point:
            words += ["-cm", str(point["compression"]).lower()]
        words += self.further
        properties = [
            f"-D{way.client_property}={written(point[one])}"
            for one, way in ways.items()
            if way.client_property
        ]
        return Launch(
            self.harness.command("drive", tuple(words), (*plan.driver.jvm, *properties)),
            prefix=[*scheduling.prefix(str(point["scheduling_class"])), *endpoint.prefix],
            environment=endpoint.environment,
            host=endpoint.host,
            words=words,
            place=endpoint.places[number % len(endpoint.places)] if endpoint.places else None,
        )

    def within(self, syncpoint: str) -> Load:
        """Give the same load with its messages inside or outside of transactions."""
        return replace(self, point={**self.point, "syncpoint": syncpoint})

    def message_options(self) -> list[str]:
        """Give the options that say what messages are like: size, content and delivery mode."""
        driver = self.plan.driver
        options = [
            "-ms", str(self.point["message_bytes"]), "-to", f"{driver.reply_timeout_seconds:g}",
        ]  # fmt: skip
        payload = str(self.point.get("payload", driver.payload))
        if payload == "file":
            options += ["-mt", str(payload_file(self.harness.root, driver.payload_file))]
        else:
            options += ["-mt", payload]
            if driver.compressibility is not None:
                options += ["-mc", f"{driver.compressibility:g}"]
        return [*options, "-pp"] if self.point["delivery"] == "persistent" else options


def round_trip_drivers(load: Load, endpoints: Endpoints) -> dict[str, Launch]:
    """Say how every driver of a run of requesters and responders is started, responders first.

    Requesters are spread over as many processes as the plan says, and both sides over at least one
    on each of their hosts, but never over more than there are requesters, or responders.
    """
    plan, point = load.plan, load.point
    launches: dict[str, Launch] = {}
    # On hosts of their own they begin together, which the broker's `begin_load` sees to.
    held = ["--await-start"] if endpoints.requesters.places else []
    hosts = len(endpoints.responders.places)
    for number, (begun, threads) in enumerate(_shares(int(point["responders"]), max(1, hosts))):
        options = ["-tc", "responder", "-nt", str(threads), *held]
        options += _queues(point, endpoints.responders, begun)
        name = f"responder-{number + 1}"
        launches[name] = load.drive(endpoints.responders, name, options, number)
    requesters, hosts = int(point[REQUESTERS]), len(endpoints.requesters.places)
    processes = max(plan.driver.processes, hosts)
    if "threads_per_client" in point:
        processes = requesters // int(point["threads_per_client"])
    # Each process deals its connections out to the queue managers in turn.
    managers = int(point.get("queue_managers", 1))
    for number, (begun, threads) in enumerate(_shares(requesters, processes, managers)):
        options = ["-tc", "requester", "-nt", str(threads), *held]
        options += _queues(point, endpoints.requesters, begun)
        options += load.message_options()
        if point["reply_queue"] == "shared":
            options += ["-co"]
        elif begun:  # each requester of each process has a reply queue of its own
            options += ["-db", str(begun + 1)]
        rate = rate_of_each(point)
        if rate:
            options += ["-rt", f"{rate * threads:g}"]
        if point.get("reply_consumer") == "for each reply":
            options += ["-cr"]
        if "round_trips_per_session" in point:
            options += ["-rs", str(point["round_trips_per_session"])]
        name = f"requester-{number + 1}"
        launches[name] = load.drive(endpoints.requesters, name, options, number)
    return launches


def _shares(whole: int, parts: int, unit: int = 1) -> list[tuple[int, int]]:
    """Share out units as evenly as it goes, over at most so many parts, none of them empty.

    Gives how much comes before each part, and how much it is.
    """
    parts = min(parts, whole // unit)
    least, more = divmod(whole // unit, parts)
    ends = [unit * (number * least + min(number, more)) for number in range(parts + 1)]
    return [(begin, end - begin) for begin, end in pairwise(ends)]


def rate_of_each(point: Point) -> float:
    """Give the rate that each requester is to keep, in round trips/s; 0 where it is not rated."""
    if "target_rate" in point:
        return float(point["target_rate"]) / int(point[REQUESTERS])
    return float(point.get("requester_rate", 0)) / 3600


def queue_names(point: Point, name: str) -> list[str]:
    """Give the names of all request queues, or all shared reply queues, of a point."""
    pairs = int(point["queue_pairs"])
    return [name] if pairs == 1 else [f"{name}{number}" for number in range(1, pairs + 1)]


def _queues(point: Point, endpoint: Endpoint, begun: int) -> list[str]:
    """Give the options that name queues, for a process whose side has begun so many threads."""
    requests, replies = endpoint.queues or (REQUEST_QUEUE, REPLY_QUEUE)
    options = ["-iq", requests, "-oq", replies]
    pairs = int(point["queue_pairs"])
    if pairs > 1:
        options += ["-db", "1", "-dx", str(pairs), "-dn", str(1 + begun % pairs)]
    if point["reply_queue"] == "own":
        options += ["-dq"]
    return options


def payload_file(root: Path, name: str) -> Path:
    """Give the path of a payload file, which is named from the project's folder.

    It is refused if it leads out of the project, also by a link, is no file or is empty.
    """
    path = (root / name).resolve()
    if not path.is_relative_to(root.resolve()) or not path.is_file() or not path.stat().st_size:
        raise ParameterError(
            f"the payload file {name} is no file of the project, or is empty",
            where="driver.payload_file",
            remedy="copy the content into a file of the project and name it from the project's "
            "folder",
        )
    return path
