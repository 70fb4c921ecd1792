"""Models of a system: what a round trip takes, what limits its rate, how long it lasts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares, nnls

from roundtrip.sizing.systems import Peak, System

_IDLE = 0.85
"""Share of the highest processor use of a system below which a peak is not limited by it."""
_EQUAL = 1e-9
"""Difference of cost that rounding may make: of fits this close the first is kept."""

Joined = Literal["added", "slowest"]


@dataclass(frozen=True)
class Demand:
    """What a round trip takes: a part for itself, one for each byte, both for each ms of delay."""

    each: float = 0.0  # seconds of a round trip, whatever its size
    per_byte: float = 0.0  # seconds for each byte of the message's size
    per_ms: float = 0.0  # the same for each millisecond of delay that was added to a link
    per_byte_ms: float = 0.0  # the same

    def at(self, size: float, delay: float = 0.0) -> float:
        """Give the seconds of a round trip of messages of `size` bytes with `delay` ms."""
        fixed = self.each + self.per_byte * size
        return fixed + delay * (self.per_ms + self.per_byte_ms * size)


def fit_demand(rows: Sequence[tuple[float, float, float]]) -> Demand:
    """Fit a demand by least squares of the relative errors, no part below zero.

    The service demand law: Denning and Buzen, *The Operational Analysis of Queueing Network
    Models*, ACM Computing Surveys 10, 1978. Non-negative least squares: Lawson and Hanson, *Solving
    Least Squares Problems*, 1974.

    Rows are size in bytes, delay in milliseconds, and seconds of a round trip, above zero. A part
    whose size or delay never differs is left out.
    """
    size, delay, seconds = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    sized, delayed = len(set(size)) > 1, len(set(delay)) > 1
    parts = [np.ones_like(size), size * sized, delay * delayed, size * delay * sized * delayed]
    # Columns of one scale: bytes and seconds differ by ten orders of magnitude.
    design = np.column_stack(parts) / seconds[:, None]
    scale = np.where(design.any(axis=0), np.abs(design).max(axis=0), 1.0)
    found, _ = nnls(design / scale, np.ones_like(seconds))
    return Demand(*(float(value) for value in found / scale))


@dataclass(frozen=True)
class Throughput:
    """Highest rate: the slowest of processors and of what else there is, and the wait for a link.

    The bottleneck law of operational analysis (Denning and Buzen, 1978). The link to a replica is a
    window over a round-trip time: what it adds grows with the delay. Where a commit waits for the
    replica it comes on top; where it does not, it limits only when it is the slowest.
    """

    cpu: Demand  # seconds of one core for a round trip
    cores: int  # of the machine that was measured
    busy: float  # highest share of its processors that was seen in use
    # Seconds between round trips that something else allows at most: log, storage, network.
    other: Demand
    window: Demand  # seconds between round trips that the delay of a link costs
    joined: Joined  # how the wait for the link meets the rest

    def spacing(
        self, size: float, delay: float, *, extra: float = 0.0, cores: float | None = None
    ) -> dict[str, float]:
        """Give the seconds between round trips that each limit leaves, by the limit's name.

        Delay is in milliseconds. Protection adds `extra` seconds of one core to a round trip;
        another machine has `cores`, in cores of the measured one.
        """
        processors = (self.cpu.at(size) + extra) / ((cores or self.cores) * self.busy)
        other = self.other.at(size)
        wait = self.window.at(size, delay)
        if self.joined == "slowest":
            return {"processors": processors, "other": other, "delay": wait}
        slowest = max(processors, other)
        return {"processors": processors, "other": other, "delay": slowest + wait if wait else 0.0}

    def rate(self, size: float, delay: float) -> float:
        """Give the highest rate on the measured machine, in round trips/s."""
        return 1 / max(self.spacing(size, delay).values())


def fit_throughput(peaks: Sequence[Peak], cores: int) -> Throughput:
    """Fit the highest rates of a system, by the least squares of their logarithms.

    Its peaks are at two message sizes at least.
    """
    least = min(peak.delay for peak in peaks)
    cpu = fit_demand([(p.size, 0.0, p.cpu * cores / p.rate) for p in peaks if p.delay == least])
    busy = max(peak.cpu for peak in peaks)
    size, delay, observed = (
        np.array(column)
        for column in zip(*((p.size, p.delay, 1 / p.rate) for p in peaks), strict=True)
    )
    processors = (cpu.each + cpu.per_byte * size) / (cores * busy)
    at_least = [peak for peak in peaks if peak.delay == least]
    free = [peak for peak in at_least if peak.cpu < _IDLE * busy]
    far = [peak for peak in peaks if peak.delay > least]
    begun = fit_demand([(p.size, 0.0, 1 / p.rate / p.delay) for p in far]) if far else Demand()
    largest = max(at_least, key=lambda peak: peak.size)
    # What limits large messages is likely to be a bandwidth: that is tried first.
    bandwidth = 1 / largest.rate / largest.size
    others = [Demand(per_byte=bandwidth), Demand(each=observed.min(), per_byte=bandwidth)]
    others += [fit_demand([(p.size, 0.0, 1 / p.rate) for p in free])] if len(free) > 1 else []
    parts = np.column_stack([np.ones_like(size), size, delay, size * delay])
    unit = np.array([1.0, 1 / size.max(), 1.0, 1 / size.max()]) * observed.min()
    fixed = np.array([not free, not free, not far, not far])

    def errors(values: NDArray[np.float64], joined: str) -> NDArray[np.float64]:
        found = np.where(fixed, 0.0, values) * unit
        wait = parts[:, 2:] @ found[2:]
        base = np.maximum(processors, parts[:, :2] @ found[:2])
        spacing = base + wait if joined == "added" else np.maximum(base, wait)
        return np.asarray(np.log(spacing / observed))

    forms: tuple[Joined, ...] = ("added", "slowest") if far else ("slowest",)
    best, joined, found = math.inf, forms[0], np.zeros(4)
    for form, other in itertools.product(forms, others):
        start = np.array([other.each, other.per_byte, begun.each, begun.per_byte]) / unit
        done = least_squares(errors, start, bounds=(0, np.inf), args=(form,))
        if done.cost < best - _EQUAL:
            best, joined, found = done.cost, form, np.where(fixed, 0.0, done.x) * unit
    return Throughput(
        cpu=cpu,
        cores=cores,
        busy=busy,
        other=Demand(each=float(found[0]), per_byte=float(found[1])),
        window=Demand(per_ms=float(found[2]), per_byte_ms=float(found[3])),
        joined=joined,
    )


@dataclass(frozen=True)
class Response:
    """Response time over requesters: Gunther's Universal Scalability Law without coherency.

    ``R(N) = alone + (N - 1) × contention``, so that the rate ``N / R(N)`` rises towards the inverse
    of the contention: Gunther, *A General Theory of Computational Scalability*, 2008. A rate that
    falls again beyond its peak is not in it.
    """

    alone: Demand | None  # seconds of a round trip of one requester, if the source has any
    contention: Demand | None  # seconds that each further requester adds, if it has
    loaded: Demand  # seconds of a round trip at the peak, by Little's law: requesters by rate
    sizes: tuple[float, ...]  # smallest and largest message with a known round trip alone; or empty

    def knows(self, size: float) -> bool:
        """Whether a round trip alone is known at sizes on both sides."""
        return bool(self.sizes) and self.sizes[0] <= size <= self.sizes[1]

    def _parts(self, size: float, delay: float) -> tuple[float, float] | None:
        """Give the seconds alone, and for each further requester; None where they are not known."""
        if self.alone is None or self.contention is None or not self.knows(size):
            return None
        return self.alone.at(size, delay), self.contention.at(size, delay)

    def of_requesters(self, size: float, delay: float, requesters: float) -> float:
        """Give the seconds of a round trip among so many requesters that never pause.

        Where no round trip alone is known, those of the peak.
        """
        if (parts := self._parts(size, delay)) is None:
            return self.loaded.at(size, delay)
        alone, contention = parts
        return alone + (requesters - 1) * contention

    def of_rate(self, size: float, delay: float, rate: float) -> float:
        """Give the seconds of a round trip at a rate; infinite where no requesters reach it.

        Where no round trip alone is known, those of the peak.
        """
        if (parts := self._parts(size, delay)) is None:
            return self.loaded.at(size, delay)
        alone, contention = parts
        if rate * contention >= 1:
            return math.inf
        # N = rate × R(N), solved for R.
        return max(alone, (alone - contention) / (1 - rate * contention))


def fit_response(peaks: Sequence[Peak], alone: Sequence[tuple[float, float, float]]) -> Response:
    """Fit response times to the peaks, and to what one requester saw.

    That is size, delay and seconds of a round trip, `alone`.
    """
    loaded = fit_demand([(p.size, p.delay, p.requesters / p.rate) for p in peaks])
    if not alone:
        return Response(None, None, loaded, ())
    one = fit_demand(alone)
    added = [
        (p.size, p.delay, (p.requesters / p.rate - one.at(p.size, p.delay)) / (p.requesters - 1))
        for p in peaks
        if p.requesters > 1
    ]
    slower = [row for row in added if row[2] > 0]
    if not slower:
        return Response(None, None, loaded, ())
    sizes = [size for size, _, _ in alone]
    return Response(one, fit_demand(slower), loaded, (min(sizes), max(sizes)))


@dataclass(frozen=True)
class Model:
    """All that is fitted to one system, and where it is from."""

    system: System
    throughput: Throughput
    response: Response


def fit_model(system: System) -> Model:
    """Fit all models of a system."""
    throughput = fit_throughput(system.peaks, system.cores)
    return Model(system, throughput, fit_response(system.peaks, system.alone))
