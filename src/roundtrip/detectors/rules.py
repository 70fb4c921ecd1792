"""The rules, and the function that runs them over a report."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from types import MappingProxyType

from pydantic import TypeAdapter

from roundtrip.cache import Cache
from roundtrip.claims import Ledger, claims_key
from roundtrip.detectors import (
    derived,
    flow,
    labels,
    order,
    outliers,
    quoted_numbers,
    rate_changes,
    references,
    repeated,
)
from roundtrip.detectors.proposal import Contradiction, Proposal, Sure, how_sure, in_order
from roundtrip.detectors.subject import Subject
from roundtrip.detectors.text import ReportText
from roundtrip.drafting.folder import DRAFTED
from roundtrip.drafting.sentences import section_number
from roundtrip.files import sha256_of, sha256_of_tree
from roundtrip.observations import Observations


@dataclass(frozen=True)
class Rule:
    """One rule: its title for a reader, and the functions that apply it.

    Functions of `find` look at numbers, those of `read` at sentences.
    """

    title: str
    find: tuple[Callable[[Subject], Iterator[Contradiction]], ...] = ()
    read: tuple[Callable[[ReportText], Iterator[Contradiction]], ...] = ()


RULES: Mapping[str, Rule] = MappingProxyType({
    "repeated-quantity": Rule(
        "The same quantity has the same value everywhere", (repeated.repeated_quantities,)
    ),
    "derived-value": Rule(
        "Derived values follow from what they were computed from",
        (derived.derived_columns, derived.defined_values),
    ),
    "stated-change": Rule(
        "Gains and losses that the text states follow from printed rates",
        (rate_changes.stated_changes,),
    ),
    "total": Rule(
        "A total of bytes is the number of parts times the size of each",
        read=(quoted_numbers.stated_totals,),
    ),
    "requests-in-flight": Rule(
        "Rate times response time is the number of requesters (Little's law)", (flow.little,)
    ),
    "set-rate": Rule("Rates match the target rates of the requesters", (flow.set_rates,)),
    "link-bandwidth": Rule("Messages fit through their link", (flow.link_bandwidth,)),
    "replication-round-trip": Rule(
        "Commits wait for the round trip to the replica", (flow.replication_round_trip,)
    ),
    "peak-is-highest": Rule("No rate in a sweep is above its peak", (order.peaks_are_highest,)),
    "slower-with-size": Rule(
        "Larger messages are not faster", (partial(order.slower_with, factor="message_bytes"),)
    ),
    "slower-with-delay": Rule(
        "Longer links are not faster",
        (partial(order.slower_with, factor="ha_link_rtt_ms"),
         partial(order.slower_with, factor="replication_link_rtt_ms")),
    ),
    "faster-with-hardware": Rule(
        "Smaller machines are not faster", (order.faster_with_hardware,)
    ),
    "outlier": Rule(
        "No value is an order of magnitude off the line of its column", (outliers.outliers,)
    ),
    "cpu-limit": Rule(
        "Where CPU is named as the limit it is busy", (flow.cpu_limits,)
    ),
    "stated-number": Rule(
        "Numbers of sentences are those of the cells that they speak of",
        read=(quoted_numbers.stated_numbers,),
    ),
    "quoted-change": Rule(
        "Gains, losses and shares that sentences state are those of two printed rates",
        read=(rate_changes.quoted_changes,),
    ),
    "reference": Rule(
        "Tables, figures and sections that are referred to exist", read=(references.references,)
    ),
    "caption": Rule(
        "Captions, headings and margins of pages agree with each other",
        read=(
            references.captions, references.headings, references.running_heads, labels.sizes,
            labels.ranges,
        ),
    ),
    "subject": Rule(
        "Sentences speak of what their section is about, and tests bear one name",
        read=(
            references.subjects, references.names, labels.counts, labels.short_names,
            labels.hexadecimals,
        ),
    ),
})  # fmt: skip
"""All rules, by name."""


def detect(subject: Subject) -> list[Proposal]:
    """Run the rules over one report; the surest proposals first, then the farthest out."""
    found = [
        _proposal(subject.report, name, one)
        for name, rule in RULES.items()
        for find in rule.find
        for one in find(subject)
    ]
    return in_order(found + (detect_in(subject.text) if subject.text else []))


def detect_in(text: ReportText) -> list[Proposal]:
    """Run the rules that look at sentences over the words of a report; ordered as by `detect`."""
    return in_order([
        _proposal(text.report, name, one)
        for name, rule in RULES.items()
        for read in rule.read
        for one in read(text)
    ])  # fmt: skip


def _proposal(report: str, rule: str, found: Contradiction) -> Proposal:
    """Make a proposal, as sure as the deviation makes it and no more than the rule says."""
    ids = tuple(dict.fromkeys(str(cell["observation_id"]) for cell in found.cells))
    says = found.says[:1].upper() + found.says[1:]
    return Proposal(
        rule, report, ids, found.deviation, found.allowed, found.unit,
        min(how_sure(found.deviation / found.allowed), found.most, key=list(Sure).index), says,
        tuple((section_number(one.section) or one.section, one.text) for one in found.quotes),
    )  # fmt: skip


_STORED = TypeAdapter(list[Proposal])


def load_proposals(
    observations: Observations, ledger: Ledger, *, sentences: bool
) -> list[Proposal]:
    """Give the proposals for all published reports, computed anew only when something changed.

    Parameters
    ----------
    observations : Observations
        Its project's cache keeps the proposals.
    ledger : Ledger
        Its claims name what is said to be limited by processors.
    sentences : bool
        Whether to read the sentences of drafts, too. A report does not: a draft is no part of it.

    Returns
    -------
    list of Proposal
        Report by report; within each the surest first, then the farthest out.
    """

    def proposed() -> str:
        found: list[dict[str, object]] = []
        for report in observations.report_ids:
            limits = flow.named_limits(ledger, report)
            subject = Subject.of(observations, report, limits, sentences=sentences)
            found += map(asdict, detect(subject))
        return json.dumps(found, ensure_ascii=False)

    drafts = [observations.project.drafts / report / DRAFTED for report in observations.report_ids]
    told = sha256_of_tree(*(path for path in drafts if path.is_file())) if sentences else "numbers"
    key = sha256_of(f"{claims_key(observations)}\n{told}")[:16]
    # Several chapters may ask at once.
    cache = Cache(observations.project.cache)
    return _STORED.validate_json(cache.text_once("detectors", key, proposed))
