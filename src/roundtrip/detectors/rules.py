"""The rules, and the function that runs them over a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from roundtrip.detectors import derived, flow, order, outliers, repeated, saturation, stated, totals
from roundtrip.detectors.margins import MARGINS, Margins
from roundtrip.detectors.proposal import Proposal, in_order
from roundtrip.detectors.subject import Limit, Subject
from roundtrip.errors import DataError, nearest
from roundtrip.observations import Observations


@dataclass(frozen=True)
class Rule:
    """One rule: its title for a reader, and the functions that apply it."""

    title: str
    find: tuple[Callable[[Subject], Iterator[Proposal]], ...]


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        repeated.RULE: Rule(
            "The same quantity is printed alike everywhere", (repeated.repeated_quantities,)
        ),
        derived.RULE: Rule(
            "Derived values follow from what they were computed from",
            (derived.derived_columns, derived.defined_values),
        ),
        stated.RULE: Rule(
            "Gains and losses that the text states follow from printed rates",
            (stated.stated_changes,),
        ),
        totals.RULE: Rule("Totals are the sums of their columns", (totals.totals,)),
        flow.LITTLE: Rule(
            "Rate times response time is the number of requesters (Little's law)", (flow.little,)
        ),
        flow.TARGET: Rule("Rates are what requesters were told to keep", (flow.set_rates,)),
        flow.BANDWIDTH: Rule("Messages fit through their link", (flow.link_bandwidth,)),
        flow.ROUND_TRIP: Rule(
            "Commits wait for the round trip to the replica", (flow.replication_round_trip,)
        ),
        order.PEAK: Rule("No rate beside a peak is above it", (order.peaks_are_highest,)),
        order.SIZE: Rule("Larger messages are not faster", (order.slower_with_size,)),
        order.DELAY: Rule("Longer links are not faster", (order.slower_with_delay,)),
        order.HARDWARE: Rule("Smaller machines are not faster", (order.faster_with_hardware,)),
        outliers.RULE: Rule(
            "No value is an order of magnitude off its neighbours", (outliers.outliers,)
        ),
        saturation.RULE: Rule(
            "Where CPU is named as the limit it is busy", (saturation.cpu_limits,)
        ),
    }
)
"""All rules, by name."""


def propose(
    observations: Observations,
    report: str,
    rules: Iterable[str] | None = None,
    limits: Sequence[Limit] = (),
    margins: Margins = MARGINS,
) -> list[Proposal]:
    """Run the detectors over one report.

    Parameters
    ----------
    observations : Observations
        Holds the report.
    report : str
        Its id.
    rules : iterable of str, optional
        Names of `RULES`; all without it.
    limits : sequence of Limit
        Statements that name the processors as the limit.
    margins : Margins
        What is allowed.

    Returns
    -------
    list of Proposal
        The surest first, then the farthest out.

    Raises
    ------
    DataError
        If there is no such report or rule; the nearest name is given.
    """
    return detect(Subject.of(observations, report, limits, margins), rules)


def detect(subject: Subject, rules: Iterable[str] | None = None) -> list[Proposal]:
    """Run the detectors over cells that are at hand; see `propose`.

    Raises
    ------
    DataError
        If there is no such rule; the nearest name is given.
    """
    wanted = list(RULES if rules is None else rules)
    for name in wanted:
        if name not in RULES:
            raise DataError(
                f"unknown rule '{name}'{nearest(name, RULES)}", allowed=", ".join(RULES)
            )
    finders = [find for name in dict.fromkeys(wanted) for find in RULES[name].find]
    return in_order([found for find in finders for found in find(subject)])
