"""A campaign's broker, requesters and responders on the hosts that the inventory gives them."""

from __future__ import annotations

import queue
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from roundtrip.campaign.arrangements import arrange
from roundtrip.campaign.bench import Bench
from roundtrip.campaign.broker_choice import EmbeddedBrokers
from roundtrip.campaign.brokers import BrokerError, Endpoints
from roundtrip.campaign.live_run import RunFailedError
from roundtrip.campaign.machine.guard import Noise
from roundtrip.campaign.manifest import HostEntry
from roundtrip.campaign.plan import Level, Plan
from roundtrip.campaign.points import Cell
from roundtrip.campaign.processes import Message
from roundtrip.campaign.raw import RawFile
from roundtrip.campaign.settable import arranged
from roundtrip.errors import ParameterError, RoundtripError, SetupError
from roundtrip.hosts.check import check, clock_bounds
from roundtrip.hosts.contact import UnansweredError
from roundtrip.hosts.inventory import Inventory, Role
from roundtrip.hosts.stationed import StationedHost

PLACED: tuple[Role, ...] = ("broker", "requesters", "responders")
_WHERE = "params/hosts.yml"


def placed_of(inventory: Inventory) -> dict[Role, str]:
    """Give the host of each role of a run.

    Raises
    ------
    ParameterError
        If a role has no host, or several; or a host cannot be used so.
    """
    found: dict[Role, str] = {}
    for role in PLACED:
        names = [name for name, host in inventory.hosts.items() if role in host.roles]
        if len(names) != 1:
            raise ParameterError(
                f"{len(names) or 'no'} hosts have the role '{role}'", where=_WHERE,
                allowed="one host for each of broker, requesters and responders; one host may "
                "have several roles",
            )  # fmt: skip
        found[role] = names[0]
    for name in found.values():
        host = inventory.hosts[name]
        if host.reach == "scheduler":
            raise ParameterError(
                f"'{name}' is reached by a scheduler, which starts no processes of a campaign",
                where=_WHERE, allowed="reach: ssh or local",
            )  # fmt: skip
        if host.load is None:
            raise ParameterError(
                f"'{name}' has no address for the load", where=_WHERE,
                remedy="set load to the address that broker and drivers use there",
            )  # fmt: skip
    return found


def runnable_there(
    inventory: Inventory, plan: Plan, cells: tuple[Cell, ...]
) -> tuple[tuple[Cell, ...], tuple[str, ...]]:
    """Leave out what cannot be run on several hosts.

    Parameters
    ----------
    inventory : Inventory
    plan : Plan
    cells : tuple of Cell
        Of the plan.

    Returns
    -------
    cells : tuple of Cell
        What can be run of them.
    reasons : tuple of str
        What the rest lacks, each once.

    Raises
    ------
    SetupError
        If nothing is left.
    """
    slow = sorted(
        {name for name in placed_of(inventory).values()
         if "real-time" not in inventory.hosts[name].may}
    )  # fmt: skip

    def lacking(point: Mapping[str, Level]) -> str | None:
        if plan.course != "steady":
            return f"the course {plan.course}: on several hosts there is steady alone"
        if names := arranged(point):
            return f"{', '.join(names)}: arranged on one machine only"
        if point.get("payload", plan.driver.payload) == "file":
            return "payload file: the file is not brought to other hosts"
        if point["scheduling_class"] == "real-time" and slow:
            return f"scheduling_class real-time: the inventory does not permit it on {slow[0]}"
        return None

    kept, reasons = [], dict[str, None]()
    for cell in cells:
        why = {level: lacking(cell.point(level)) for level in cell.levels}
        reasons.update(dict.fromkeys(text for text in why.values() if text))
        if levels := tuple(level for level, text in why.items() if text is None):
            kept.append(replace(cell, levels=levels))
    if not kept:
        raise SetupError(f"nothing of the plan can be run on several hosts: {'; '.join(reasons)}")
    return tuple(kept), tuple(reasons)


def refuse_unfit(inventory: Inventory) -> None:
    """Look at the hosts of a run, as ``roundtrip hosts check`` does.

    Raises
    ------
    SetupError
        If one is not fit.
    """
    used = set(placed_of(inventory).values())
    hosts = {name: host for name, host in inventory.hosts.items() if name in used}
    unfit = [found for found in check(inventory.model_copy(update={"hosts": hosts}))
             if found.problem]  # fmt: skip
    if unfit:
        raise SetupError(
            "; ".join(f"{found.host}: {found.about}: {found.problem}" for found in unfit),
            where=_WHERE,
            remedy=f"{unfit[0].remedy}; roundtrip hosts check says more",
        )


@dataclass(kw_only=True)
class PlacedBroker(EmbeddedBrokers):
    """Apache Artemis on one host, drivers on others, started anew for every run.

    Attributes
    ----------
    inventory : Inventory
    """

    inventory: Inventory
    _reached: dict[str, StationedHost] = field(default_factory=dict)

    def _stations(self) -> dict[str, StationedHost]:
        """Give a station on each host, anew where one was lost."""
        for name in dict.fromkeys(placed_of(self.inventory).values()):
            if name in self._reached and self._reached[name].lost:
                self._reached.pop(name).end()
            if name not in self._reached:
                self._reached[name] = StationedHost(name, self.inventory.hosts[name], self.harness)
        return self._reached

    def hosts(self) -> tuple[HostEntry, ...]:
        """Give the hosts that broker and drivers run on."""
        placed, stations = placed_of(self.inventory), self._stations()
        machines: dict[str, int] = {}
        for station in stations.values():
            machines.setdefault(station.told["boot"], len(machines) + 1)
        return tuple(
            HostEntry(
                name=name,
                roles=tuple(role for role in PLACED if placed[role] == name),
                machine=machines[station.told["boot"]],
                processors=tuple(station.told["processors"]),
                about=station.told["about"],
            )
            for name, station in stations.items()
        )

    def noise(self) -> Noise:
        """Look at all hosts at the same time; of each reading, give the worst."""
        stations = self._stations()
        with ThreadPoolExecutor(len(stations)) as pool:
            seen = list(pool.map(lambda one: Noise(**one.ask("noise")), stations.values()))
        return Noise(
            load=max((noise.load for noise in seen if noise.load is not None), default=None),
            busy=max(noise.busy for noise in seen),
            steal=max(noise.steal for noise in seen),
            pressure=max(noise.pressure for noise in seen),
        )

    def start(
        self, point: Mapping[str, Level], raw: RawFile, inbox: queue.Queue[Message]
    ) -> Endpoints:
        """Start the broker on its host, and say where drivers run.

        Raises
        ------
        BrokerError
            If the broker does not start.
        RunFailedError
            If a host is lost, or its clock is set.
        """
        placed = placed_of(self.inventory)
        try:
            stations = self._stations()
            raw.hide({one.address: name for name, one in stations.items()})
            raw.hide({one.folder: "…" for one in stations.values()})
            for name, one in stations.items():
                self._record(name, one, raw, "host")
            self.bench = Bench(
                self.harness, self.settings, self.folder, point, raw, inbox, self.cleanup,
                set_by=self.set_by, station=stations[placed["broker"]],
            )  # fmt: skip
            whole = arrange(self.bench).requesters
        except RoundtripError as problem:
            lost = [f"{name} ({one.lost})" for name, one in self._reached.items() if one.lost]
            if isinstance(problem, BrokerError) and not lost:
                raise
            what = f"a host is lost: {', '.join(lost)}" if lost else problem.what
            raise RunFailedError(what) from problem
        return Endpoints(
            *(replace(whole, place=stations[placed[role]]) for role in PLACED if role != "broker")
        )

    def _record(self, name: str, station: StationedHost, raw: RawFile, event: str) -> None:
        """Note a host and its clock; every raw file can be read by itself."""
        least, most, _ = clock_bounds(station)
        limit = self.inventory.limits.clock_ms
        if max(-least, most) > limit:
            raise RunFailedError(
                f"the clock of {name} is not shown to be within {limit:g} ms of the one here: "
                f"{least:+.2f} to {most:+.2f} ms"
            )
        raw.record(
            "runner", event=event, host=name, least_ms=round(least, 3), most_ms=round(most, 3),
            roles=[role for role, where in placed_of(self.inventory).items() if where == name],
            processors=len(station.told["processors"]),
        )  # fmt: skip

    def confirm(self, raw: RawFile) -> None:
        """See that each host answers: what it had to say before has come home then."""
        try:
            for name, one in self._reached.items():
                self._record(name, one, raw, "host at the end")
        except UnansweredError as problem:
            raise RunFailedError(problem.what) from problem

    def stop(self) -> None:
        """Stop everything and have its data removed; the stations stay for the next run."""
        super().stop()
        for station in self._reached.values():
            station.rest()

    def close(self) -> None:
        """End all stations."""
        while self._reached:
            self._reached.popitem()[1].end()
