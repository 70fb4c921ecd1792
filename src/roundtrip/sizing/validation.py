"""How far the models err on what they were not fitted to, and how wide that makes an answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from roundtrip.sizing.models import Model, fit_model, fit_throughput
from roundtrip.sizing.systems import Protection, System

What = Literal["rate", "cores", "response"]
Kind = Literal["within", "beyond", "protected", "other machine", "curve"]
COVERED = 0.9
"""Share of held-out cases that an interval is made to contain."""


@dataclass(frozen=True)
class Case:
    """One value that was held out, and what the rest predicts for it.

    Left out was, by kind: a size or delay between others, one at the end, a CipherSpec, a model of
    the machine, a sweep over requesters.
    """

    what: What  # highest rate, processor time of a round trip, or response time
    kind: Kind
    source: str
    system: str
    left_out: str  # in words
    observed: float  # in the same unit as what is predicted
    predicted: float

    @property
    def error(self) -> float:
        """Logarithm of the prediction over the value."""
        return math.log(self.predicted / self.observed)


def held_out(systems: Sequence[System], protections: Sequence[Protection]) -> list[Case]:
    """Leave out each size, delay, CipherSpec, machine and curve in turn, and predict it."""
    cases = [case for system in systems for case in _sizes_and_delays(system)]
    cases += [case for system in systems for case in _curves(system)]
    cases += _ciphers(protections)
    cases += _machines([fit_model(system) for system in systems])
    return cases


def quantile(cases: Iterable[Case]) -> float:
    """Give the error that nine in ten further cases stay below, if they are like these.

    Split conformal prediction: Vovk, Gammerman and Shafer, *Algorithmic Learning in a Random
    World*, 2005. Infinite where there are too few cases to tell.
    """
    errors = sorted(abs(case.error) for case in cases)
    rank = math.ceil((len(errors) + 1) * COVERED)
    return errors[rank - 1] if rank <= len(errors) else math.inf


def width(cases: Sequence[Case], source: str) -> float:
    """Give half the width of a 90 % interval for a source, as a logarithm.

    Sources differ in how far the models err: its own cases give the width where they are enough,
    otherwise those of all, of what is asked and of its kind.
    """
    own = quantile(case for case in cases if case.source == source)
    return own if math.isfinite(own) else quantile(cases)


def coverage(cases: Sequence[Case], alike: Sequence[Case]) -> float:
    """Give the share of cases within an interval made from the cases of all other systems.

    Those are `alike`: cases of what is asked and of their kind.
    """
    inside = 0
    for name in {(case.source, case.system) for case in cases}:
        own = [case for case in cases if (case.source, case.system) == name]
        others = [case for case in alike if (case.source, case.system) != name]
        widest = width(others, name[0])
        inside += sum(abs(case.error) <= widest for case in own)
    return inside / len(cases)


@dataclass(frozen=True)
class Errors:
    """How far the models err in cases of one kind."""

    what: What
    kind: Kind
    source: str  # its id, or "all"
    cases: int
    median: float  # of the relative errors: 0.1 for 1.1 times, or 1/1.1 of, what was measured
    high: float  # their 90th percentile
    covered: float  # share of them within intervals that the other systems give


def errors(cases: Sequence[Case]) -> list[Errors]:
    """Sum up how far the models err, by what is asked, kind and source."""
    found = []
    for what, kind in dict.fromkeys((case.what, case.kind) for case in cases):
        alike = [case for case in cases if (case.what, case.kind) == (what, kind)]
        sources = sorted({case.source for case in alike})
        for source in ("all", *sources):
            own = [case for case in alike if source in ("all", case.source)]
            sizes = [math.expm1(abs(case.error)) for case in own]
            median, high = (float(value) for value in np.quantile(sizes, (0.5, 0.9)))
            found.append(Errors(what, kind, source, len(own), median, high, coverage(own, alike)))
    return found


def _sizes_and_delays(system: System) -> Iterator[Case]:
    for field in ("size", "delay"):
        levels = sorted({getattr(peak, field) for peak in system.peaks})
        # Of two that remain a line can be drawn; of one none.
        for level in levels if len(levels) > 2 else ():
            rest = [peak for peak in system.peaks if getattr(peak, field) != level]
            out = [peak for peak in system.peaks if getattr(peak, field) == level]
            model = fit_throughput(rest, system.cores)
            kind: Kind = "within" if levels[0] < level < levels[-1] else "beyond"
            unit = "B" if field == "size" else "ms"
            for peak in out:
                left = f"{level:g} {unit}"
                name = (system.source, system.label, left)
                yield Case("rate", kind, *name, peak.rate, model.rate(peak.size, peak.delay))
                if field == "size" and peak.delay == min(other.delay for other in system.peaks):
                    used = peak.cpu * system.cores / peak.rate
                    yield Case("cores", kind, *name, used, model.cpu.at(peak.size))


def _curves(system: System) -> Iterator[Case]:
    """Predict each sweep from sweeps and peaks at other sizes or delays."""
    for curve in system.curves:
        here = (curve.size, curve.delay)
        peaks = tuple(peak for peak in system.peaks if (peak.size, peak.delay) != here)
        alone = tuple(row for row in system.alone if row[:2] != here)
        if not alone or len({peak.size for peak in peaks}) < 2:
            continue
        model = fit_model(replace(system, peaks=peaks, alone=alone)).response
        if model.alone is None:
            continue
        name = (system.source, system.label, curve.place)
        for requesters, rate in curve.points:
            predicted = model.of_requesters(*here, requesters)
            yield Case("response", "curve", *name, requesters / rate, predicted)


def _ciphers(protections: Sequence[Protection]) -> Iterator[Case]:
    """Predict a rate with a CipherSpec from what it adds in another set-up of the same source."""
    for one in protections:
        for other in protections:
            alike = (one.source, one.cipher, one.plain.size) == (
                other.source, other.cipher, other.plain.size
            )  # fmt: skip
            if one is other or not alike or one.factors == other.factors:
                continue
            plain = one.plain.cpu * one.cores / one.plain.rate
            rate = one.plain.rate * plain / (plain + other.extra)
            name = (one.source, one.cipher, str(one.factors.get("delivery")))
            yield Case("rate", "protected", *name, one.protected.rate, rate)
            used = one.protected.cpu * one.cores / one.protected.rate
            yield Case("cores", "protected", *name, used, plain + other.extra)


def _machines(models: Sequence[Model]) -> Iterator[Case]:
    """Predict processor time and processor-bound rates from a machine with other cores."""
    for one in models:
        for other in models:
            if one.system.cores == other.system.cores or not _same_but_machine(one, other):
                continue
            for peak in one.system.peaks:
                if peak.size not in other.system.sizes or peak.delay > 0:
                    continue
                name = (one.system.source, one.system.label, f"{peak.size:g} B")
                used = peak.cpu * one.system.cores / peak.rate
                predicted = other.throughput.cpu.at(peak.size)
                yield Case("cores", "other machine", *name, used, predicted)
                slots = other.throughput.spacing(peak.size, 0.0, cores=one.system.cores)
                rate = 1 / max(slots.values())
                yield Case("rate", "other machine", *name, peak.rate, rate)


def _same_but_machine(one: Model, other: Model) -> bool:
    machine = {"platform", "host_set", "product_version", "channel_binding"}
    return one.system.source == other.system.source and (
        {name: value for name, value in one.system.factors.items() if name not in machine}
        == {name: value for name, value in other.system.factors.items() if name not in machine}
    )
