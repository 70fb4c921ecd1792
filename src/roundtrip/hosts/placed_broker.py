"""A campaign's brokers, requesters and responders on the hosts that the inventory gives them."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import chain

from roundtrip.campaign.broker_choice import EmbeddedBrokers
from roundtrip.campaign.brokers import Endpoints
from roundtrip.campaign.live_run import RunFailedError
from roundtrip.campaign.machine.readings import Noise
from roundtrip.campaign.manifest import HostEntry
from roundtrip.campaign.plan import Level
from roundtrip.campaign.processes import BrokerError, Driver, Message, broker_error
from roundtrip.campaign.raw import RawFile, RawLine
from roundtrip.errors import RoundtripError
from roundtrip.hosts.check import clock_bounds
from roundtrip.hosts.contact import StationedHost, UnansweredError
from roundtrip.hosts.inventory import Inventory, Role
from roundtrip.hosts.placement import DRIVERS, PLACED, SECOND, candidates_of, hosts_at, names_of
from roundtrip.hosts.station import SILENCE_S

_CONNECT_S = 60.0
"""For the next driver to connect."""
_AHEAD_S = 1.0
"""From the signal to begin to the time to begin at: longer than a host may take to hear it."""


@dataclass(kw_only=True)
class PlacedBroker(EmbeddedBrokers):
    """Apache Artemis on one host or two, drivers on others, started anew for every run.

    Attributes
    ----------
    roles : mapping of str to int
        Those that any run needs hosts for, and how many share each at most.
    """

    inventory: Inventory
    roles: Mapping[Role, int] = field(default_factory=lambda: dict.fromkeys(PLACED, 1))
    _of_run: Mapping[Role, int] = field(default_factory=dict)
    _reached: dict[str, StationedHost] = field(default_factory=dict)
    _lost: set[str] = field(default_factory=set)

    @property
    def _needed(self) -> Mapping[Role, int]:
        """The roles of the run in hand, between runs those of all."""
        return self._of_run or self.roles

    def _candidates(self) -> dict[Role, tuple[str, ...]]:
        of_all = candidates_of(self.inventory, self.roles)
        return {role: of_all[role] for role in self._needed}

    def _placed(self) -> dict[Role, tuple[str, ...]]:
        """Give the hosts of each role: the first that were not lost, or the first of all."""
        return {
            role: tuple(sorted(names, key=self._lost.__contains__)[: self._needed[role]])
            for role, names in self._candidates().items()
        }

    def _in_use(self) -> dict[str, StationedHost]:
        """Give the stations of the run in hand, as far as there are any."""
        names = dict.fromkeys(chain.from_iterable(self._placed().values()))
        return {name: self._reached[name] for name in names if name in self._reached}

    def _stations(self) -> dict[str, StationedHost]:
        """Give a station on each host: on the next of its role, or anew, where one was lost."""
        while True:
            for name in dict.fromkeys(chain.from_iterable(self._placed().values())):
                if name in self._reached and self._reached[name].lost:
                    self._reached.pop(name).close()
                    self._lost.add(name)
                    if self.plan.broker.port:
                        # What it has started ends by then, and finds no broker.
                        time.sleep(SILENCE_S)
                    break  # roles may have moved
                try:
                    self._reach(name)
                except UnansweredError:
                    if not self._may_move_from(name):
                        raise
                    self._lost.add(name)
                    break
            else:
                return self._in_use()

    def _reach(self, name: str) -> StationedHost:
        if name not in self._reached:
            self._reached[name] = StationedHost(name, self.inventory.hosts[name], self.harness)
        return self._reached[name]

    def _may_move_from(self, host: str) -> bool:
        """Whether each role of a host has enough others that were not lost."""
        placed = self._placed()
        return all(
            len({*names} - self._lost - {host}) >= self._needed[role]
            for role, names in self._candidates().items()
            if host in placed[role]
        )

    def hosts(self) -> tuple[HostEntry, ...]:
        """Give the hosts that broker and drivers run on, and those that may take their place."""
        candidates = candidates_of(self.inventory, self.roles)
        machines: dict[str, int] = {}
        found = []
        for name in names_of(candidates):
            told = self._reach(name).told
            found.append(
                HostEntry(
                    name=name,
                    roles=tuple(
                        role for role, names in candidates.items()
                        if name in names[: self.roles[role]]
                    ),
                    machine=machines.setdefault(told["boot"], len(machines) + 1),
                    processors=tuple(told["processors"]),
                    about=told["about"],
                    spare=tuple(
                        role for role, names in candidates.items()
                        if name in names[self.roles[role] :]
                    ),
                )
            )  # fmt: skip
        for name in self._reached.keys() - self._in_use().keys():
            self._reached.pop(name).close()
        return tuple(found)

    def noise(self) -> Noise:
        """Look at all hosts at the same time; of each reading, give the worst."""
        while True:
            stations = self._stations()
            try:
                with ThreadPoolExecutor(len(stations)) as pool:
                    seen = list(pool.map(lambda one: Noise(**one.ask("noise")), stations.values()))
                break
            except UnansweredError:
                lost = [name for name, one in stations.items() if one.lost]
                if not lost or not all(self._may_move_from(name) for name in lost):
                    raise
        return Noise(
            load=max((noise.load for noise in seen if noise.load is not None), default=None),
            busy=max(noise.busy for noise in seen),
            steal=max(noise.steal for noise in seen),
            pressure=max(noise.pressure for noise in seen),
        )

    def start(
        self, point: Mapping[str, Level], raw: RawFile, inbox: queue.Queue[Message]
    ) -> Endpoints:
        """Start brokers on their hosts, and say where drivers run.

        A run fails if a host is lost, or its clock is set.
        """
        self._of_run = hosts_at(point, self.inventory.spread)
        try:
            stations = self._stations()
            placed = self._placed()
            raw.hide({one.address: name for name, one in stations.items()})
            raw.hide({one.folder: "…" for one in stations.values()})
            for name, one in stations.items():
                one.ahead_ms = self._record(name, one, raw, "host")
                one.begin(raw)
            for role, names in self._candidates().items():
                first = names[: self._needed[role]]
                lost = [name for name in first if name not in placed[role]]
                instead = [name for name in placed[role] if name not in first]
                for name, other in zip(lost, instead, strict=True):
                    raw.record("runner", event="moved", role=role, lost=name, host=other)
            second = [stations[placed[role][0]] for role in SECOND if role in placed]
            ends = self.set_up(
                point, raw, inbox, station=stations[placed["broker"][0]],
                second=second[0] if second else None,
            )  # fmt: skip
        except RoundtripError as problem:
            lost = [f"{name} ({one.lost})" for name, one in self._in_use().items() if one.lost]
            if isinstance(problem, BrokerError) and not lost:
                raise
            what = f"a host is lost: {', '.join(lost)}" if lost else problem.what
            raise RunFailedError(what) from problem
        asking, answering = (tuple(stations[name] for name in placed[role]) for role in DRIVERS)
        return Endpoints(
            replace(ends.requesters, places=asking), replace(ends.responders, places=answering),
            ends.copy and replace(ends.copy, places=answering),
        )  # fmt: skip

    def begin_load(
        self, drivers: Sequence[Driver], hear: Callable[[float], RawLine | None], raw: RawFile
    ) -> None:
        """Once all drivers are connected, have them begin at one time, each by its host's clock."""
        waiting = {driver.source for driver in drivers}
        deadline = time.monotonic() + _CONNECT_S
        while waiting:
            line = hear(deadline)
            if line is None:
                late = ", ".join(sorted(waiting))
                what = f"not connected in {_CONNECT_S:g} s: {late}"
                raise RunFailedError(broker_error(what, self.log_tail()).what)
            if line.event == "connected":
                waiting.discard(line.source)
                deadline = time.monotonic() + _CONNECT_S
        at_ms = round(1000 * (time.time() + _AHEAD_S))
        clocks = {}
        for name, station in self._in_use().items():
            there_ms = round(at_ms + station.ahead_ms)
            clocks[name] = {"at_ms": there_ms, "offset_ms": round(station.ahead_ms, 3)}
            for driver in drivers:
                if driver.source in station.started:
                    station.pass_on(driver.source, str(there_ms))
        raw.record("runner", event="start", at_ms=at_ms, hosts=clocks)

    def _record(self, name: str, station: StationedHost, raw: RawFile, event: str) -> float:
        """Note a host and its clock, and give its offset; every raw file can be read by itself."""
        # Rounded as they are noted, so that a raw file gives times exactly as they were here.
        least, most = (round(bound, 3) for bound in clock_bounds(station))
        limit = self.inventory.limits.clock_ms
        if least > most or max(-least, most) > limit:  # or it was set while it was read
            raise RunFailedError(
                f"the clock of {name} is not shown to be within {limit:g} ms of the one here: "
                f"{least:+.2f} to {most:+.2f} ms"
            )
        raw.record(
            "runner", event=event, host=name, least_ms=least, most_ms=most,
            roles=[role for role, names in self._placed().items() if name in names],
            processors=len(station.told["processors"]),
        )  # fmt: skip
        return (least + most) / 2

    def confirm(self, raw: RawFile) -> None:
        """See that each host answers: what it had to say before has come home then."""
        try:
            for name, one in self._in_use().items():
                self._record(name, one, raw, "host at the end")
        except UnansweredError as problem:
            raise RunFailedError(problem.what) from problem

    def stop(self) -> None:
        """Stop everything and have its data removed; the stations stay for the next run."""
        super().stop()
        self._of_run = {}
        for station in self._reached.values():
            station.rest()

    def close(self) -> None:
        """End all stations."""
        while self._reached:
            self._reached.popitem()[1].close()
