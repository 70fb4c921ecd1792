"""``roundtrip size``: what a workload needs, by models of the published systems."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from roundtrip.cli import _context
from roundtrip.observations import load_observations
from roundtrip.sizing.needs import needs
from roundtrip.sizing.workload import WITHOUT, Workload, find_workload, load_workload

if TYPE_CHECKING:
    from roundtrip.sizing.answer import Answer, Answers, Estimate

_NEEDS = {
    "log_mb_per_second": "MB/s to the recovery log",
    "log_writes_per_second": "log writes/s before any are combined",
    "client_gbps": "Gb/s in each direction between applications and queue manager",
    "replica_gbps": "Gb/s to each replica",
}


def size(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME|FILE", help="Workload in params/workloads, or a file path."),
    ],
    format_: _context.FormatOption = "table",
) -> None:
    """Size a workload on each system that the sources measured."""
    from roundtrip.sizing.answer import Sizing
    from roundtrip.sizing.export import answered

    project = _context.project()
    path = find_workload(project, name)
    observations = load_observations(project)
    workload = load_workload(path, observations)
    sizing = Sizing(observations)
    answers = sizing.answers(workload)
    if format_ == "json":
        typer.echo(json.dumps(answered(sizing, workload, answers), indent=2, allow_nan=False))
    else:
        _show(workload, answers, Console(emoji=False))


def _show(workload: Workload, answers: Answers, console: Console) -> None:
    """Print the answers as people read them: the most headroom first."""
    from roundtrip.sizing.answer import OTHER_MACHINE, OTHER_MACHINE_NOTE

    plain = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
    plain.print(
        f"{_context.printable(workload.title)}: {workload.rate:,g} round trips/s now, "
        f"{workload.later:,g} in two years, {workload.size:,.0f} B on average"
    )
    asked = f"\nasked {workload.response_ms:g}" if workload.response_ms else ""
    heads = ("", "Cores", "Highest rate", "Headroom", "Limited by", f"Response, ms{asked}")
    rows = [
        (
            f"{number}{'*' if answer.beyond else ''}",
            *map(_shown, (answer.cores, answer.highest, answer.headroom)),
            answer.limited_by.replace(", ", ",\n"), _response(answer),
        )
        for number, answer in enumerate(answers.answers, 1)
    ]  # fmt: skip
    if not answers.answers:
        plain.print("No source supports an answer.")
    else:
        _context.show_table(console, heads, rows, {"Limited by"})
        plain.print(
            "In brackets: 90 % intervals. Cores are those for the later rate at the target "
            "utilisation; headroom is the highest rate at that utilisation over the later "
            "rate. At peak: the only known response time; below the peak it is shorter, so "
            "requesters reach at least the stated rate. Other: what limited the source "
            "other than its processors."
        )
    if any(answer.no_response == OTHER_MACHINE for answer in answers.answers):
        plain.print(OTHER_MACHINE_NOTE)
    for number, answer in enumerate(answers.answers, 1):
        plain.print(f"{number}  {answer.model.system.label} ({answer.model.system.source})")
        if answer.beyond:
            plain.print(
                f"   * extrapolated beyond what was measured, which is {'; '.join(answer.beyond)}"
            )
        if answer.memory:
            least, most = map(_figure, answer.memory)
            plain.print(f"   memory for {workload.connections:,} connections: {least}–{most} MB")
    later = needs(workload, workload.later)
    plain.print("Payload only, at the later rate, for any system:")
    for key, unit in _NEEDS.items():
        if later[key]:
            plain.print(f"  {_figure(later[key])} {unit}")
    if workload.assumed:
        plain.print("Defaults for what the file does not set:")
        for name, value in workload.assumed.items():
            plain.print(f"  {name}: {_said(name, value)}")
    plain.print("No answer from:")
    for reason in dict.fromkeys(answers.unanswered.values()):
        plain.print(f"  {reason}:")
        for name in (name for name, why in answers.unanswered.items() if why == reason):
            plain.print(f"    {name}")


def _said(name: str, value: Any) -> str:
    if value is None:
        return WITHOUT[name]
    if isinstance(value, dict):
        return ", ".join(f"{key} {_said(key, item)}" for key, item in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)


def _response(answer: Answer) -> str:
    if answer.response is None:
        return answer.no_response
    milliseconds = answer.response.scaled(1000)
    return f"{_figure(milliseconds.value)} at peak" if answer.at_peak else _shown(milliseconds)


def _shown(estimate: Estimate) -> str:
    low, high = _figure(estimate.low), _figure(estimate.high)
    return f"{_figure(estimate.value)}\n({low}–{high})"


def _figure(value: float) -> str:
    """Write a number with three digits that count."""
    from roundtrip.sizing.answer import rounded

    if not math.isfinite(value):
        return "?"
    three = rounded(value)
    digits = max(0, 2 - math.floor(math.log10(abs(three)))) if three else 0
    return f"{three:,.{min(digits, 4)}f}"
