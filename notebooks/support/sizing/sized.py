"""The answer to the edition's workload, as values that the text names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from roundtrip.errors import ChapterError, ParameterError
from roundtrip.present import Chapter, Quantity, size_label
from roundtrip.sizing.answer import (
    AT_LEAST,
    OTHER_MACHINE,
    OTHER_MACHINE_NOTE,
    Answer,
    Answers,
    Estimate,
    Sizing,
    rounded,
)
from roundtrip.sizing.systems import Peak
from roundtrip.sizing.workload import WORKLOAD_NAME, Workload, find_workload, load_workload

RATE = "round trips/s"
_COARSE = 10
"""Times its lower end from which the upper end of an interval tells no more than a magnitude."""
LIMITS = {
    "processors": "the processors",
    "other": "the source's own limit, not its processors",
    "delay": "the delay of the links",
    "log bandwidth": "the bandwidth of the recovery log",
    "client link": "the link to the applications",
    "HA link": "the HA link",
    "replication link": "the replication link",
    "requesters": "the number of requesters",
    AT_LEAST: "the number of requesters and the response time at the peak",
}


def digits(value: float) -> int:
    """Give the decimals that leave three digits of a value, once it is rounded."""
    return max(0, min(4, 2 - math.floor(math.log10(abs(rounded(value)))))) if value else 0


def told_apart(labels: Sequence[str]) -> tuple[str, list[str]]:
    """Split labels into what all say and what else each says; nothing is split off a single one.

    Examples
    --------
    >>> told_apart(["IBM MQ, SSD, RDQM", "IBM MQ, NFS, MIQM"])
    ('IBM MQ', ['SSD, RDQM', 'NFS, MIQM'])
    """
    if len(labels) < 2:
        return "", [*labels]
    parts = [label.split(", ") for label in labels]
    common = [part for part in parts[0] if all(part in one for one in parts)]
    return ", ".join(common), [
        ", ".join(part for part in one if part not in common) for one in parts
    ]


@dataclass(frozen=True)
class Sized:
    """A workload with its answers.

    Attributes
    ----------
    sizing : Sizing
        All models.
    answers : Answers
        At least one.
    """

    chapter: Chapter
    sizing: Sizing
    workload: Workload
    answers: Answers

    @property
    def first(self) -> Answer:
        """The answer that the text is about: the most headroom."""
        return self.answers.answers[0]

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Every observation that its model is fitted to."""
        return self.cells_of(self.first)

    def cells_of(self, answer: Answer) -> tuple[str, ...]:
        """Give the observations that the model of an answer is fitted to."""
        found = (cell for peak in answer.model.system.peaks for cell in peak.cells)
        return tuple(dict.fromkeys(found))

    def quantity(self, value: float, unit: str = "") -> Quantity:
        """Give a computed value with three digits, and all that it was computed from."""
        return Quantity(rounded(value), unit, self.cells, digits(value))

    def rounded(self, value: float, unit: str = "") -> Quantity:
        """Give what is asked for, or follows from it alone, with at least three digits."""
        return Quantity(value, unit, (), digits(value))

    def between(self, estimate: Estimate) -> str:
        """Write the ends of an interval."""
        high = self.number(estimate.high) if math.isfinite(estimate.high) else "?"
        return f"{self.number(estimate.low)}–{high}"

    def written(self, estimate: Estimate) -> str:
        """Write a value with the ends of its interval."""
        return f"{self.number(estimate.value)} ({self.between(estimate)})"

    def milliseconds(self, answer: Answer) -> Estimate | None:
        """Give the milliseconds of a round trip; None where the answer has none.

        Where only those at the peak are known, by Little's law: requesters over the highest rate.
        """
        if answer.response is None:
            return None
        found = answer.response.scaled(1000)
        if answer.limited_by != AT_LEAST:
            return found
        waiting, rate = 1000 * self.workload.connections, answer.highest
        return Estimate(found.value, waiting / rate.high, waiting / rate.low)

    def number(self, value: float) -> str:
        """Write a computed number with three digits."""
        return self.chapter.numbers.write(rounded(value), digits(value))

    # --- what the text names ---------------------------------------------------------------

    @property
    def size(self) -> str:
        """Mean message size."""
        return size_label(round(self.workload.size))

    @property
    def utilisation(self) -> Quantity:
        """Share of the highest rate that is to be used at most."""
        return Quantity(100 * self.workload.target_utilisation, "%", ())

    @property
    def cores(self) -> Quantity:
        """Cores that it takes."""
        return self.quantity(self.first.cores.value, "cores")

    @property
    def highest(self) -> Quantity:
        """Highest rate."""
        return self.quantity(self.first.highest.value, RATE)

    @property
    def headroom(self) -> Quantity:
        """Highest rate at the target utilisation over the later rate."""
        return self.quantity(self.first.headroom.value)

    @property
    def limit(self) -> str:
        """What limits first."""
        return LIMITS[self.first.limited_by]

    @property
    def verdict(self) -> str:
        """Whether it is enough, as far as the interval tells."""
        headroom = self.first.headroom
        if headroom.low >= 1:
            return "Capacity is sufficient over the whole prediction interval."
        if headroom.value >= 1:
            return "Capacity is sufficient at the estimate, but not at the interval's lower end."
        if headroom.high >= 1:
            return "Capacity is insufficient at the estimate, but not at the interval's upper end."
        return "Capacity is insufficient over the whole prediction interval."

    @property
    def certainty(self) -> str:
        """What lies beyond what was measured."""
        beyond = "; ".join(self.first.beyond)
        text = "The answer interpolates between measurements."
        if beyond:
            text = f"The answer extrapolates: its source measured {beyond}."
        if self.first.no_response == OTHER_MACHINE:
            text += f" {OTHER_MACHINE_NOTE}"
        highest = self.first.highest
        if highest.high in self.first.limits.values():
            text = (
                "The upper ends of the highest rate and the headroom are instead what "
                f"{self.upper_limit} allows. {text}"
            )
        if not math.isfinite(highest.high) or highest.high > _COARSE * highest.low:
            text += " The interval of the highest rate is too wide to tell more than its magnitude."
        return text

    @property
    def busy(self) -> Quantity:
        """Highest share of processor time at a peak that its model is fitted to."""
        return Quantity(100 * self._busiest.cpu, "%", self._busiest.cells[1:], 0)

    @property
    def busiest(self) -> str:
        """Where the source prints that peak."""
        return f"{self._busiest.place}, {size_label(self._busiest.size)}"

    @property
    def _busiest(self) -> Peak:
        return max(self.first.model.system.peaks, key=lambda peak: peak.cpu)

    @property
    def label(self) -> str:
        """What tells its system from the others with an answer."""
        return told_apart([one.model.system.label for one in self.answers.answers])[1][0]

    @property
    def upper_limit(self) -> str:
        """What sets the upper end of the highest rate, if no error of the model does."""
        first = self.first
        named = (LIMITS[name] for name, rate in first.limits.items() if rate == first.highest.high)
        return next(named, "the other limits and the waits for the links together")

    @property
    def response_verdict(self) -> str:
        """Whether the response time that is asked for is met, as far as the interval tells."""
        asked, answer = self.workload.response_ms, self.first
        if asked is None:
            return ""
        limit = self.chapter.write(Quantity(asked, "ms", ()))
        wanted = f"The response time asked for, {limit}, is"
        if answer.no_response == OTHER_MACHINE:
            return f"{wanted} not judged: that of a machine other than the measured one is unknown."
        if (found := self.milliseconds(answer)) is None:
            return f"{wanted} not judged: the rate in two years is not reached."
        written = self.chapter.write(self.quantity(found.value, "ms"))
        if answer.at_peak:
            met = "met by the estimate, but not over the whole interval"
            if found.high <= asked:
                met = "met over the whole interval"
            elif found.value > asked:
                met = "not known to be met"
            return (
                f"{wanted} {met}: at the source's peak a round trip takes {written} "
                f"({self.between(found)}); below the peak it takes less."
            )
        if found.high <= asked:
            return f"{wanted} met over the whole interval."
        if found.low > asked:
            return f"{wanted} not met over the whole interval."
        met = "met" if found.value <= asked else "not met"
        return f"{wanted} {met} by the estimate of {written}, but not over the whole interval."


def size_up(chapter: Chapter, name: str) -> Sized:
    """Answer the edition's workload.

    Parameters
    ----------
    name : str
        A workload of ``params/workloads``.

    Raises
    ------
    ParameterError
        If there is no such workload, or it is wrong.
    ChapterError
        If no source supports an answer.
    """
    if not WORKLOAD_NAME.match(name):
        raise ParameterError(
            f"workload: '{name}' is not the name of a workload",
            allowed="a name without folder and extension: order-service",
        )
    workload = load_workload(find_workload(chapter.project, name), chapter.observations)
    sizing = Sizing(chapter.observations)
    answers = sizing.answers(workload)
    if not answers.answers:
        raise ChapterError(
            f"no source supports an answer to the workload '{name}'",
            where="87-your-workload",
            remedy=f"'roundtrip size {name}' gives the reason; choose another with -p workload "
            "NAME, or leave the chapter out",
        )
    return Sized(chapter, sizing, workload, answers)
