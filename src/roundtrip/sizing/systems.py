"""Systems that a workload can be compared with: their peaks, read from the observations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from roundtrip.checks.laws import MEANS
from roundtrip.dictionary import RATE, TIME
from roundtrip.errors import DataError
from roundtrip.observations import Observations

_VARIED = {
    "message_bytes", "requesters", "responders", "threads_per_client", "client_machines",
    "compression", "tls_protocol", "tls_cipher", "tls_key", "ha_link_rtt_ms",
    "replication_link_rtt_ms", "link_gbps", "topology",
}  # fmt: skip
"""Factors that differ within a system: a model spans them, or they follow from the others."""
_METRICS = (RATE, "cpu", TIME)
_MEMORY = "memory_per_client"
LEAST_SIZES = 3
"""Message sizes that a system must have been measured at: a line through two cannot be tested."""


@dataclass(frozen=True)
class Peak:
    """The highest rate of one sweep over requesters."""

    point_id: str  # the operating point
    place: str  # where its source prints it
    size: float  # bytes of each message
    delay: float  # milliseconds of round-trip delay that were added to the links of replicas
    requesters: float  # at the peak
    rate: float  # round trips/s
    cpu: float  # share of all processors that was used, up to 1
    cipher: str  # what protected the channels; "none" where the source states none
    cells: tuple[str, str]  # observations of its rate and its processor time


@dataclass(frozen=True)
class Curve:
    """Rate over requesters of one sweep, all else held."""

    place: str  # where its source draws it
    size: float  # as of a peak
    delay: float  # as of a peak
    points: tuple[tuple[float, float], ...]  # requesters and round trips/s, ascending


@dataclass(frozen=True)
class Protection:
    """What a CipherSpec adds, measured against the same set-up without it."""

    source: str  # id of the report
    cipher: str  # name of the CipherSpec
    factors: Mapping[str, Any]  # what was set in both points
    plain: Peak  # the peak without it
    protected: Peak  # the peak with it, at the same message size
    cores: int  # of the processors of the host under test

    @property
    def extra(self) -> float:
        """Seconds of one core that it adds to a round trip."""
        seconds = [peak.cpu * self.cores / peak.rate for peak in (self.protected, self.plain)]
        return seconds[0] - seconds[1]


@dataclass(frozen=True)
class System:
    """One configuration of one product on one platform, measured at several message sizes."""

    source: str  # id of the published report
    label: str  # what tells it from the others, in words
    factors: Mapping[str, Any]  # what was set in all of its points
    cores: int  # of the processors of the host under test
    peaks: tuple[Peak, ...]  # without protection of the channels
    # Size, delay and seconds of a round trip of one requester.
    alone: tuple[tuple[float, float, float], ...]
    curves: tuple[Curve, ...]  # sweeps that the source draws
    client_kb: tuple[float, ...]  # kilobytes of memory that its source gives for one client, if any

    @property
    def sizes(self) -> list[float]:
        """Message sizes of its peaks, ascending."""
        return sorted({peak.size for peak in self.peaks})


def find_systems(observations: Observations) -> tuple[list[System], list[Protection]]:
    """Give every system whose peaks can carry a model, and what protection adds, as sources print.

    A system is what remains when message size, load, delays and protection vary; it has peaks at
    three message sizes at least, and a known number of cores. Of measured campaigns none is taken:
    their load drivers share the processors of the broker.
    """
    frame = observations.choose(source=observations.report_ids, metric=(*_METRICS, _MEMORY))
    frame = frame[frame["status"] != "suspect"]
    # The delay of the links to replicas; one that is not stated is none.
    delay = frame[["ha_link_rtt_ms", "replication_link_rtt_ms"]].astype(float).sum(axis=1)
    cipher = frame["tls_cipher"].fillna("none")
    value = frame["value_corrected"].fillna(frame["value"])
    frame = frame.assign(value=value, delay=delay, cipher=cipher)
    held_by_clients = frame["metric"] == _MEMORY
    memory = frame[held_by_clients].groupby("source")["value"].agg(list)
    frame = frame[~held_by_clients]
    held = [name for name in observations.dictionary.factors if name not in _VARIED]
    systems, protections = [], []
    for key, group in frame.groupby(["source", *held], dropna=False, sort=False, observed=True):
        source, *values = key
        pairs: Iterator[tuple[str, Any]] = zip(held, values, strict=True)
        factors = {name: value for name, value in pairs if not pd.isna(value)}
        host_set = observations.report(str(source)).host_sets.get(str(factors.get("host_set")))
        if host_set is None or (cores := host_set.cores) is None:
            continue
        plain = group["compression"].fillna("none") == "none"
        group = group[group["message_bytes"].notna() & plain]
        peaks = list(_peaks(group))
        bare = [peak for peak in peaks if peak.cipher == "none"]
        protections += [
            Protection(str(source), peak.cipher, factors, without, peak, cores)
            for peak in peaks
            for without in bare
            if peak.cipher != "none" and (peak.size, peak.delay) == (without.size, without.delay)
        ]
        if len({peak.size for peak in bare}) >= LEAST_SIZES:
            alone, curves = tuple(times_alone(group)), tuple(_curves(group))
            kilobytes = tuple(memory.get(str(source), []))
            systems.append(
                System(str(source), "", factors, cores, tuple(bare), alone, curves, kilobytes)
            )
    return _labelled(systems, observations), protections


def _peaks(group: pd.DataFrame) -> Iterator[Peak]:
    """Give the peaks that a group prints with processor time and requesters, each once."""
    printed = group[(group["statistic"] == "peak") & (group["source_kind"] != "figure")]
    seen = set()
    for point_id, rows in printed.groupby("point_id", sort=False):
        values = dict(zip(rows["metric"], rows["value"], strict=True))
        names = dict(zip(rows["metric"], rows["observation_id"], strict=True))
        first = rows.iloc[0]
        if not values.keys() >= {RATE, "cpu"} or pd.isna(first["requesters"]):
            continue
        peak = Peak(
            point_id=str(point_id),
            place=str(first["table"]),
            size=float(first["message_bytes"]),
            delay=float(first["delay"]),
            requesters=float(first["requesters"]),
            rate=values[RATE],
            cpu=values["cpu"] / 100,
            cipher=str(first["cipher"]),
            cells=(str(names[RATE]), str(names["cpu"])),
        )
        # A peak that several tables repeat was measured once.
        what = (peak.size, peak.delay, peak.rate, peak.cpu, peak.cipher)
        if what not in seen and peak.cpu > 0:
            seen.add(what)
            yield peak


def times_alone(group: pd.DataFrame) -> list[tuple[float, float, float]]:
    """Give how long a round trip of one requester took, printed or from its drawn rate."""
    usable = group["statistic"].isin(MEANS) & (group["cipher"] == "none")
    rows = group[(group["requesters"] == 1) & usable & (group["metric"] != "cpu")]
    seconds = (rows["value"] / 1000).where(rows["metric"] == TIME, 1 / rows["value"])
    columns = (column.astype(float) for column in (rows["message_bytes"], rows["delay"], seconds))
    return sorted(set(zip(*columns, strict=True)))


def _curves(group: pd.DataFrame) -> Iterator[Curve]:
    """Give the drawn sweeps; one that is drawn in several figures was measured once."""
    figures = (group["source_kind"] == "figure") & (group["metric"] == RATE)
    drawn = group[figures & (group["cipher"] == "none")]
    keys = ["message_bytes", "ha_link_rtt_ms", "replication_link_rtt_ms"]
    for _, sweeps in drawn.groupby(keys, dropna=False, sort=False):
        place, sweep = next(iter(sweeps.groupby("table", sort=False)))
        first = sweep.iloc[0]
        points = sorted(zip(sweep["requesters"], sweep["value"], strict=True))
        yield Curve(
            place=str(place),
            size=float(first["message_bytes"]),
            delay=float(first["delay"]),
            points=tuple((float(number), float(rate)) for number, rate in points),
        )


def _labelled(systems: list[System], observations: Observations) -> list[System]:
    """Name each system by product, platform and what differs between those of its source.

    Its machines are named where nothing else differs: most that differ have other factors too.
    """
    named = []
    for system in systems:
        others = [other for other in systems if other.source == system.source]
        parts = []
        for name, factor in observations.dictionary.factors.items():
            values = {other.factors.get(name) for other in others}
            value = system.factors.get(name)
            always = name in ("product", "product_version", "platform")
            if value is None or value == "none" or name == "host_set":
                continue
            if always or len(values) > 1:
                number = isinstance(value, (int, float)) and not isinstance(value, bool)
                counted = factor.label.lower().removesuffix("s" * (value == 1))
                parts.append(f"{value:g} {counted}" if number else str(value))
        named.append(replace(system, label=", ".join(parts)))
    names = Counter((system.source, system.label) for system in named)
    for index, system in enumerate(named):
        if names[system.source, system.label] > 1:
            machines = observations.report(system.source).host_sets[system.factors["host_set"]]
            named[index] = replace(system, label=f"{system.label}, {machines.title}")
    names = Counter((system.source, system.label) for system in named)
    for (source, label), count in names.items():
        if count > 1:
            raise DataError(
                f"{count} systems have one name in sizing, '{label}'", where=source,
                allowed="systems that differ in a factor that is set in each, or in their machines",
                remedy="state the factor that differs in each table, or give each host set a title "
                "of its own",
            )  # fmt: skip
    return named
