"""The answer to a workload: what each measured system needs for it, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context
from functools import cached_property

from roundtrip.observations import Observations
from roundtrip.sizing.models import Model, fit_model
from roundtrip.sizing.needs import allowed, link_waits, waits
from roundtrip.sizing.systems import Peak, Protection, System, find_systems
from roundtrip.sizing.validation import Case, Kind, What, held_out, width
from roundtrip.sizing.workload import ANY, OFF, Workload

SIZE_STEP = 10
"""How far beyond the measured sizes an answer goes: leaving out an end tests one such step."""
DELAY_STEP = 2
"""The same for delays."""
MACHINE_STEP = 4
"""The same for the number of cores."""
_NEAREST = 3
_THREE_DIGITS = Context(prec=3, rounding=ROUND_HALF_UP)
_NOT_MEANT = "no set-up with this placement, delivery, high availability and replication"
_NO_PEAKS = (
    "prints no peaks with requesters and CPU time at three message sizes "
    "on a machine whose cores it states"
)
_NOT_ALONE = "none gives the CPU time of a broker that has its machine to itself"
AT_LEAST = "requesters, with the response time at the peak"
"""Limit by requesters whose round trip is known at the peak only: they may do more."""
NOT_REACHED = "not reached"
OTHER_MACHINE = "other machine"
OTHER_MACHINE_NOTE = (
    "For a machine other than the measured one, neither the response time nor the limit by "
    "requesters is known; the highest rate assumes enough requesters."
)
"""Cores scale what the processors allow; how waits change with them is in none of the models."""


def rounded(value: float) -> float:
    """Round an estimate to three digits, halves upwards, as browsers do.

    Examples
    --------
    >>> rounded(8025), rounded(0.12345)
    (8030.0, 0.123)
    """
    return float(_THREE_DIGITS.create_decimal(value))


@dataclass(frozen=True)
class Estimate:
    """A computed value between the ends of its 90 % interval, in one unit."""

    value: float
    low: float
    high: float

    def scaled(self, factor: float) -> Estimate:
        """Give all three times a factor."""
        return Estimate(self.value * factor, self.low * factor, self.high * factor)


@dataclass(frozen=True)
class Answer:
    """What one system needs for a workload.

    Attributes
    ----------
    model : Model
        The system and what is fitted to it.
    cores : Estimate
        Cores for the later rate at the target utilisation, if no larger share of them can be used
        than at the busiest peak.
    highest : Estimate
        Highest rate in round trips/s; for a machine other than the measured one, with enough
        requesters.
    headroom : Estimate
        Highest rate at the target utilisation, over the later rate: below 1 it is not enough.
    limits : dict of str to float
        Rate that each limit allows, lowest first.
    response : Estimate or None
        Seconds of a round trip at the later rate; None where that is not reached, and for a machine
        other than the measured one.
    no_response : str
        Why it is None: `NOT_REACHED` or `OTHER_MACHINE`; empty where it is not.
    at_peak : bool
        Whether that is the response time at the peak, the only one known: at a lower rate a round
        trip is shorter, and nothing tells by how much.
    memory : tuple of float or None
        Megabytes for the connections, least and most; None where the source has none.
    beyond : tuple of str
        What was measured, in words, where the answer reaches beyond it; empty where it does not.
    nearest : tuple of Peak
        The measured points that are nearest.
    """

    model: Model
    cores: Estimate
    highest: Estimate
    headroom: Estimate
    limits: Mapping[str, float]
    response: Estimate | None
    no_response: str
    at_peak: bool
    memory: tuple[float, float] | None
    beyond: tuple[str, ...]
    nearest: tuple[Peak, ...]

    @property
    def limited_by(self) -> str:
        """What limits the rate first."""
        return next(iter(self.limits))


@dataclass(frozen=True)
class Answers:
    """All answers to a workload."""

    answers: tuple[Answer, ...]  # the most headroom first
    unanswered: Mapping[str, str]  # systems and sources that tell nothing, each with the reason


@dataclass(frozen=True)
class Extra:
    """What protection adds to a round trip: measured at one size, it may stand or grow with it."""

    seconds: float
    size: float
    carried: bool
    words: str

    def at(self, size: float) -> Estimate:
        """Give seconds of one core, from all for the message to all for its bytes."""
        ends = sorted((self.seconds, self.seconds * size / self.size))
        return Estimate((ends[0] + ends[1]) / 2, ends[0], ends[1])


class Sizing:
    """All models of a project's sources, fitted and tested when they are asked for."""

    def __init__(self, observations: Observations) -> None:
        self.observations = observations
        self._systems, self.protections = find_systems(observations)
        self.models = [fit_model(system) for system in self._systems]

    @cached_property
    def cases(self) -> list[Case]:
        """What the models were tested on."""
        return held_out(self._systems, self.protections)

    @cached_property
    def widths(self) -> dict[tuple[What, Kind, str], float]:
        """Half the width of a 90 % interval, as a logarithm: what is asked, kind and source."""
        groups: dict[tuple[What, Kind], list[Case]] = {}
        for case in self.cases:
            groups.setdefault((case.what, case.kind), []).append(case)
        sources = sorted({system.source for system in self._systems})
        return {
            (*group, source): width(alike, source)
            for group, alike in groups.items()
            for source in sources
        }

    def answers(self, workload: Workload) -> Answers:
        """Answer a workload for each system whose data allow it."""
        found, unanswered = [], {}
        for model in self.models:
            if not _is_arranged_for(model, workload):
                continue
            refused = self._refusal(model, workload)
            if refused:
                unanswered[f"{model.system.source}: {model.system.label}"] = refused
            else:
                found.append(self.answer(model, workload))
        answered = {answer.model.system.source for answer in found}
        told = {name.partition(": ")[0] for name in unanswered} | answered
        unanswered |= {name: why for name, why in self.silent.items() if name not in told}
        found.sort(key=lambda answer: -answer.headroom.value)
        return Answers(tuple(found), unanswered)

    @cached_property
    def silent(self) -> dict[str, str]:
        """Why a source tells nothing about a workload that none of its systems is arranged for."""
        measured = {model.system.source for model in self.models}
        reasons = {
            source: _NOT_MEANT if source in measured else _NO_PEAKS
            for source in self.observations.report_ids
        }
        if self.observations.campaign_ids:
            reasons["measured campaigns"] = _NOT_ALONE
        return reasons

    def _refusal(self, model: Model, workload: Workload) -> str | None:
        """Say why nothing supports an answer, or None."""
        system = model.system
        sizes = [message.bytes for message in workload.messages]
        if min(sizes) < system.sizes[0] / SIZE_STEP or max(sizes) > system.sizes[-1] * SIZE_STEP:
            return (
                f"measured from {ranges(system)['size']}; no test of the models reaches further "
                f"than {SIZE_STEP} times beyond"
            )
        if workload.compression != OFF:
            return f"no highest rate with {workload.compression} is printed with CPU time"
        if workload.tls != OFF:
            extra = self.protection(model, workload.tls)
            if extra is None:
                return f"its source measured no {workload.tls}"
            if min(sizes) < extra.size / SIZE_STEP or max(sizes) > extra.size * SIZE_STEP:
                return (
                    f"its source measured {workload.tls} at {extra.size:,g} B only; no answer "
                    f"reaches further than {SIZE_STEP} times beyond"
                )
        delays = sorted({peak.delay for peak in system.peaks})
        if workload.delay > delays[-1] * DELAY_STEP:
            return (
                f"measured with {ranges(system)['delay']}; no test of the models reaches further "
                f"than {DELAY_STEP} times beyond"
            )
        return None

    def protection(self, model: Model, cipher: str) -> Extra | None:
        """Find what a CipherSpec adds, in the set-up that is most like a system."""
        own = [
            one
            for one in self.protections
            if one.source == model.system.source and one.cipher == cipher
        ]
        if not own:
            return None

        def differing(one: Protection) -> list[str]:
            ours = {**model.system.factors}
            names = sorted({*ours, *one.factors} - {"host_set", "product_version"})
            return [name for name in names if ours.get(name) != one.factors.get(name)]

        best = min(own, key=lambda one: len(differing(one)))
        differs = differing(best)
        words = f"{cipher} at {best.plain.size:,g} B only"
        if differs:
            factors = self.observations.dictionary.factors
            *before, last = (factors[name].label.lower() for name in differs)
            labels = " and ".join(filter(None, [", ".join(before), last]))
            words += f", on a system with other settings for {labels}"
        return Extra(best.extra, best.plain.size, bool(differs), words)

    def answer(self, model: Model, workload: Workload) -> Answer:
        """Answer a workload for one system, whose data must allow it (see `answers`)."""
        system, throughput = model.system, model.throughput
        size, delay, later = workload.size, workload.delay, workload.later
        extra = self.protection(model, workload.tls)
        added = extra.at(size) if extra else Estimate(0.0, 0.0, 0.0)
        kinds, beyond = self._kinds(model, workload, extra)

        def spread(what: What, kinds: Iterable[Kind] = kinds) -> float:
            found = (self.widths.get((what, kind, system.source), math.inf) for kind in kinds)
            return math.exp(max(found))

        machine = (workload.cores or system.cores) * workload.core_speed
        used = throughput.cpu.at(size)
        needed = Estimate(
            used + added.value,
            (used + added.low) / spread("cores"),
            (used + added.high) * spread("cores"),
        ).scaled(later / (workload.core_speed * throughput.busy * workload.target_utilisation))

        def spacing(seconds: float) -> dict[str, float]:
            return throughput.spacing(size, delay, extra=seconds, cores=machine)

        slots = spacing(added.value)
        own = {name: 1 / seconds for name, seconds in slots.items() if seconds}
        given = dict(allowed(workload))
        most = min(given.values(), default=math.inf)
        elsewhere = OTHER_MACHINE in kinds
        slower = max(spread("response", ["curve"]), spread("rate"))
        together = Estimate(math.inf, math.inf, math.inf)
        limits = {**own, **given}
        if not elsewhere:
            together = _together(model, workload, added, slower)
            by_number = "requesters" if model.response.knows(size) else AT_LEAST
            limits[by_number] = together.value
        highest = Estimate(
            min(most, together.value, *own.values()),
            min(most, together.low, 1 / max(spacing(added.high).values()) / spread("rate")),
            min(most, together.high, 1 / max(spacing(added.low).values()) * spread("rate")),
        )
        reached = "" if later <= highest.value else NOT_REACHED
        no_response = OTHER_MACHINE if elsewhere else reached
        response = None
        if not no_response:
            known = model.response.knows(size)
            seconds = model.response.of_rate(size, delay, later)
            more = waits(workload)
            response = Estimate(
                seconds + added.value + more,
                seconds / slower + added.low + more if known else 0.0,
                seconds * slower + added.high + more,
            )

        def distance(peak: Peak) -> float:
            ratios = (peak.size / size, (peak.delay + 1) / (delay + 1))
            return sum(abs(math.log(ratio)) for ratio in ratios)

        megabytes = [kb * workload.connections * 1024 / 1e6 for kb in system.client_kb]
        return Answer(
            model=model,
            cores=needed,
            highest=highest,
            headroom=highest.scaled(workload.target_utilisation / later),
            limits=dict(sorted(limits.items(), key=lambda pair: pair[1])),
            response=response,
            no_response=no_response,
            at_peak=response is not None and not model.response.knows(size),
            memory=(min(megabytes), max(megabytes)) if megabytes else None,
            beyond=beyond,
            nearest=tuple(sorted(system.peaks, key=distance)[:_NEAREST]),
        )

    def _kinds(
        self, model: Model, workload: Workload, extra: Extra | None
    ) -> tuple[set[Kind], tuple[str, ...]]:
        """Give the kinds of errors that an answer must allow for, and the ranges it goes beyond."""
        system = model.system
        kinds: set[Kind] = {"within"}
        beyond = []
        sizes = [message.bytes for message in workload.messages]
        if min(sizes) < system.sizes[0] or max(sizes) > system.sizes[-1]:
            beyond.append(ranges(system)["size"])
            kinds.add("beyond")
        longest = max(peak.delay for peak in system.peaks)
        if workload.delay > longest:
            beyond.append(ranges(system)["delay"])
            kinds.add("beyond")
        cores = workload.cores or system.cores
        if cores != system.cores or workload.core_speed != 1:
            beyond.append(ranges(system)["cores"])
            kinds.add("other machine")
        if not 1 / MACHINE_STEP <= cores / system.cores <= MACHINE_STEP:
            beyond.append(ranges(system)["machine"])
        if extra and (extra.carried or {*sizes} != {extra.size}):
            beyond.append(extra.words)
            kinds.add("protected")
        return kinds, tuple(beyond)


def ranges(system: System) -> dict[str, str]:
    """Say in words what was measured of a system; the keys name what a workload may exceed.

    The ``machine`` is what answers from it still reach.
    """
    longest = max(peak.delay for peak in system.peaks)
    return {
        "size": f"{system.sizes[0]:,g} to {system.sizes[-1]:,g} B",
        "delay": f"up to {longest:g} ms of added delay",
        "cores": f"{system.cores} cores of the source's speed",
        "machine": f"machines that differ in cores by a factor of {MACHINE_STEP} at most",
    }


def _is_arranged_for(model: Model, workload: Workload) -> bool:
    """Whether a system has the placement, delivery and replicas that the workload asks for."""
    factors = model.system.factors
    for key in ("ha", "replication"):
        has, asked = factors.get(key, OFF), getattr(workload, key)
        if has != asked and not (asked == ANY and has != OFF):
            return False
    stated = factors.get("syncpoint")
    if workload.syncpoint is not None and stated not in (None, workload.syncpoint):
        return False
    return (factors.get("workload"), factors.get("delivery")) == (
        workload.workload, workload.delivery
    )  # fmt: skip


def _together(model: Model, workload: Workload, added: Estimate, spread: float) -> Estimate:
    """Give the rate of all requesters at work without a pause.

    Where a round trip is known at the peak only, fewer requesters have a shorter one: then the
    rate is at least this, and of the shortest only the waits for link and log are known.
    """
    size, delay, number = workload.size, workload.delay, workload.connections
    link = link_waits(workload)
    seconds = max(model.response.of_requesters(size, delay, number), link)
    known = seconds / spread if model.response.knows(size) else 0.0
    shortest = max(known, link) + added.low + waits(workload)
    return Estimate(
        number / (seconds + added.value + waits(workload)),
        number / (seconds * spread + added.high + waits(workload)),
        number / shortest if shortest else math.inf,
    )
