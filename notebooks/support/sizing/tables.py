"""Tables of the answer: systems, what if, nearest points, assumptions, errors of the models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from roundtrip.outputs import listed
from roundtrip.present import Quantity, Table, plain_table, size_label
from roundtrip.present.quantities import Row, quantity_table
from roundtrip.sizing.answer import OTHER_MACHINE, OTHER_MACHINE_NOTE, Answer
from roundtrip.sizing.needs import needs
from roundtrip.sizing.validation import errors
from roundtrip.sizing.workload import OFF, WITHOUT, Messages, Workload
from support.sizing.sized import LIMITS, RATE, Sized, told_apart

_ASKED = {"rate": "Highest rate", "cores": "CPU time", "response": "Response time"}
_ASKED_FOR = ("Cores", "Highest rate (round trips/s)", "Headroom", "Response time (ms)")
_OUT = {
    "within": "size or delay between others", "beyond": "size or delay beyond the others",
    "protected": "CipherSpec", "other machine": "machine", "curve": "curve over requesters",
}  # fmt: skip


def answers_table(sized: Sized, *, caption: str) -> Table:
    """List what every system with an answer needs, the most headroom first."""
    common, names = _names(sized)
    rows = [
        (f"{name}: {_limited(one)}", *line)
        for name, one in zip(names, sized.answers.answers, strict=True)
        for line in zip(_ASKED_FOR, *_answered(sized, one), strict=True)
    ]
    notes = [
        *common,
        "At peak: only the response time at the peak is known. Below the peak it is shorter, and "
        "requesters reach at least the rate given.",
    ]
    if any(one.no_response == OTHER_MACHINE for one in sized.answers.answers):
        notes.append(OTHER_MACHINE_NOTE)
    table = plain_table(
        caption, ["System", "Quantity", "Estimate", "90 % interval"], rows, group_by_first=True,
        right_columns=(2, 3), notes=notes,
    )  # fmt: skip
    cells = [cell for one in sized.answers.answers for cell in sized.cells_of(one)]
    return replace(table, cells=tuple(dict.fromkeys(cells)))


def _names(sized: Sized) -> tuple[list[str], list[str]]:
    """Give a note on what all systems with an answer share, and what tells each from the others."""
    common, names = told_apart([one.model.system.label for one in sized.answers.answers])
    return [f"All systems: {common}."] if common else [], names


def _limited(answer: Answer) -> str:
    return f"limited by {LIMITS[answer.limited_by]}"


def _answered(sized: Sized, answer: Answer) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Write the estimates, and their intervals."""
    kinds = (answer.cores, answer.highest, answer.headroom)
    response, between = answer.no_response, "–"
    if (milliseconds := sized.milliseconds(answer)) is not None:
        response = sized.chapter.write(sized.quantity(milliseconds.value))
        response += " at peak" * answer.at_peak
        between = sized.between(milliseconds)
    values = (sized.chapter.write(sized.quantity(kind.value)) for kind in kinds)
    return (*values, response), (*map(sized.between, kinds), between)


def changes(workload: Workload) -> Iterator[tuple[str, Workload]]:
    """Give the workload, and what becomes of it when one thing is changed."""
    yield "As asked", workload
    if workload.tls != OFF:
        yield "No TLS", workload.model_copy(update={"tls": OFF})
    log = workload.log
    if log.write_ms > 0 or log.mb_per_second is not None:
        bandwidth = None if log.mb_per_second is None else 2 * log.mb_per_second
        faster = log.model_copy(update={"write_ms": 0.0, "mb_per_second": bandwidth})
        yield (
            "Log writes as fast as the source's, twice the bandwidth",
            workload.model_copy(update={"log": faster}),
        )
    for kind in ("ha", "replication"):
        if getattr(workload, kind) != OFF:
            link = getattr(workload, f"{kind}_link")
            more = link.model_copy(update={"rtt_ms": link.rtt_ms + 2})
            name = f"2 ms added to the {'HA' if kind == 'ha' else kind} link"
            yield name, workload.model_copy(update={f"{kind}_link": more})
    twice = tuple(
        Messages(bytes=2 * message.bytes, share=message.share) for message in workload.messages
    )
    yield "Messages of twice the size", workload.model_copy(update={"messages": twice})


def changes_table(sized: Sized, *, caption: str) -> Table:
    """Show what changes with one thing, on the system with the most headroom."""
    system = sized.first.model.system.label
    rows: list[tuple[str, ...]] = []
    found: dict[str, Answer] = {}
    for name, workload in changes(sized.workload):
        answers = sized.sizing.answers(workload)
        one = next((one for one in answers.answers if one.model.system.label == system), None)
        if one is None:
            reasons = (why for of, why in answers.unanswered.items() if of.endswith(system))
            head = f"{name}: no answer, because {next(reasons, '')}"
            rows.append((head, "Estimate", "–", "–", "–", "–"))
            continue
        found[name] = one
        head = name if one.limited_by == sized.first.limited_by else f"{name}: {_limited(one)}"
        estimates, intervals = _answered(sized, one)
        rows += [(head, "Estimate", *estimates), (head, "90 % interval", *intervals)]
    table = plain_table(
        caption, ["What if", "Value", *_ASKED_FOR], rows, group_by_first=True,
        right_columns=(2, 3, 4, 5), notes=list(_notes_on_changes(sized, found)),
    )  # fmt: skip
    return replace(table, cells=sized.cells)


def _notes_on_changes(sized: Sized, found: dict[str, Answer]) -> Iterator[str]:
    """Say what sets changes apart; `found` are their answers, by the name of the change."""
    first, asked = sized.first, sized.workload.response_ms
    if any(one.limited_by != first.limited_by for one in found.values()):
        yield "The limit is that of the system as asked, unless another is named."
    alike: dict[str, list[str]] = {}
    for name, one in found.items():
        told = [
            f"extrapolated, as its source measured {measured}"
            for measured in one.beyond
            if measured not in first.beyond
        ]
        if one.headroom.low < 1:
            told.append("the headroom can be below one")
        if asked is not None and one.response and 1000 * one.response.value > asked:
            limit = f"above the {sized.chapter.write(Quantity(asked, 'ms', ()))} asked for"
            told.append(
                f"at the peak, the response time is {limit}; below the peak it is shorter and not "
                "known"
                if one.at_peak
                else f"the response time is {limit}"
            )
        if told:
            alike.setdefault("; ".join(told), []).append(f"\u201c{name}\u201d")
    for words, names in alike.items():
        yield f"{listed(names)}: {words}."


def nearest_table(sized: Sized, *, caption: str) -> Table:
    """Show the printed peaks that are nearest to the workload."""
    rows = []
    common, names = _names(sized)
    for name, answer in zip(names, sized.answers.answers, strict=True):
        rows.append(Row(name))
        for peak in answer.nearest:
            rate, cpu = peak.cells
            rows.append(
                Row(
                    f"{peak.place}, {size_label(peak.size)}",
                    (
                        Quantity(peak.delay, "ms", ()),
                        Quantity(peak.requesters, "requesters", ()),
                        Quantity(peak.rate, RATE, (rate,)),
                        Quantity(100 * peak.cpu, "%", (cpu,), 2),
                    ),
                )
            )
    header = ["Peak", "Added delay (ms)", "Requesters", "Round trips/s", "CPU (%)"]
    return quantity_table(sized.chapter, rows, caption=caption, header=header, notes=common)


def needs_table(sized: Sized, *, caption: str) -> Table:
    """Show what the payload alone needs of log and links, whatever the system."""
    names = {
        "log_mb_per_second": "To the recovery log (MB/s)",
        "log_writes_per_second": "Writes to the recovery log, before any are combined (per second)",
        "client_gbps": "Between applications and queue manager, each direction (Gb/s)",
        "replica_gbps": "To each replica (Gb/s)",
    }
    rates = (sized.workload.rate, sized.workload.later)
    now, later = (needs(sized.workload, rate) for rate in rates)
    rows = [
        Row(label, tuple(sized.rounded(rate[key]) for rate in (now, later)))
        for key, label in names.items()
        if later[key]
    ]
    header = ["Payload", "Now", "In two years"]
    return quantity_table(sized.chapter, rows, caption=caption, header=header, by_row=True)


def assumptions_table(sized: Sized, *, caption: str) -> Table:
    """List what the workload file says and what was taken from defaults."""
    assumed = sized.workload.assumed
    given = sized.workload.model_dump(exclude={"title"})
    rows = [
        (name, _said(sized, name, value), "default" if name in assumed else "workload file")
        for name, value in given.items()
        if name in assumed or name in sized.workload.model_fields_set
    ]
    return plain_table(
        caption, ["Key", "Value", "From"], rows, code_columns=(0,),
        notes=[
            "Rates are round trips/s; for the rest, units are part of the keys: ms, Gb/s (gbps), "
            "MB/s (mb_per_second). Shares and the target utilisation are parts of one."
        ],
    )  # fmt: skip


def _said(sized: Sized, name: str, value: Any) -> str:
    if value is None:
        return WITHOUT[name]
    if isinstance(value, (list, tuple)):
        return "; ".join(_said(sized, name, item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {_said(sized, key, item)}" for key, item in value.items())
    if isinstance(value, (int, float)):
        return sized.chapter.numbers.write(value, len(f"{value:g}".partition(".")[2]))
    return str(value)


def unanswered_table(sized: Sized, *, caption: str) -> Table:
    """List the systems and sources without an answer, under the reason."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, reason in sized.answers.unanswered.items():
        source, _, system = name.partition(": ")
        alike = found.setdefault((reason[0].upper() + reason[1:], _source(sized, source)), [])
        alike += [system] if system else []
    pairs = []
    for (reason, source), systems in sorted(found.items(), key=lambda one: one[0][1]):
        common, names = told_apart(sorted(systems))
        title = ", ".join(filter(None, [source, common]))
        pairs.append((reason, ": ".join(filter(None, [title, "; ".join(names)]))))
    order = list(dict.fromkeys(reason for reason, _ in found))
    pairs.sort(key=lambda pair: order.index(pair[0]))
    return plain_table(caption, ["Reason", "System or source"], pairs, group_by_first=True)


def errors_table(sized: Sized, *, caption: str) -> Table:
    """Show how far the models err on what was left out."""
    write = sized.chapter.numbers.write
    found = sorted(errors(sized.sizing.cases), key=lambda row: list(_ASKED).index(row.what))
    alike = Counter((row.what, row.kind) for row in found)  # with the row of all sources
    rows = [
        (
            _ASKED[row.what], _OUT[row.kind], _source(sized, row.source), write(row.cases),
            *(write(100 * share, 1) for share in (row.median, row.high, row.covered)),
        )
        for row in found
        if row.source != "all" or alike[row.what, row.kind] > 2
    ]  # fmt: skip
    header = ["Asked", "Left out", "Source", "Values", "Median error (%)",
              "90th percentile of errors (%)", "Covered (%)"]  # fmt: skip
    return plain_table(
        caption, header, rows, group_by_first=True, right_columns=(3, 4, 5, 6),
        notes=["Covered: share of the values inside 90 % intervals from all other systems."],
    )  # fmt: skip


def _source(sized: Sized, name: str) -> str:
    """Give the short title of a source; what is none, such as ``all``, is named as it is."""
    known = sized.chapter.observations
    return known.report(name).short_title if name in known.report_ids else name
