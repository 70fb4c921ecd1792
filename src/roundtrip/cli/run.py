"""``roundtrip run``: a campaign against a real broker."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from roundtrip.cli import _context
from roundtrip.cli.build import pairs_of

if TYPE_CHECKING:
    from roundtrip.campaign.estimate import Size
    from roundtrip.campaign.manifest import Manifest
    from roundtrip.campaign.plan import Plan
    from roundtrip.campaign.points import Cell

_ASK_BEYOND_SECONDS = 900


class ProfileName(StrEnum):
    """How much of a plan is run."""

    smoke = "smoke"
    quick = "quick"
    full = "full"


class RunProgress:
    """Runs done and left, what the present one is doing, and the time that is left."""

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)
        self._bar = Progress(
            TextColumn("{task.description:<34}"), BarColumn(bar_width=20), MofNCompleteColumn(),
            TimeElapsedColumn(), TextColumn("{task.fields[left]:<12} {task.fields[status]}"),
            console=self.console, transient=True,
        )  # fmt: skip
        self._task = self._bar.add_task("", total=None, left="", status="")
        self._done = 0

    def __enter__(self) -> RunProgress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def begin(self, done: int, left: int, seconds: float) -> None:
        """Start the display."""
        del seconds
        self._done = done
        self._bar.update(self._task, completed=done, total=done + left)

    def run(self, text: str, left: int, seconds: float) -> None:
        """Show the present run."""
        from roundtrip.campaign.estimate import duration

        self._bar.update(
            self._task, description=_context.escape(text), total=self._done + left,
            left=f"{duration(seconds)} left", status="",
        )  # fmt: skip

    def status(self, text: str) -> None:
        """Show what it is doing."""
        self._bar.update(self._task, status=_context.escape(text))

    def say(self, text: str) -> None:
        """Print a line above the display."""
        self.console.print(_context.escape(text), soft_wrap=True)

    def done(self, text: str) -> None:
        """Count a run and print its result."""
        self._done += 1
        self._bar.update(self._task, completed=self._done)
        self.say(text)


def run(
    campaign: Annotated[str, typer.Argument(help="Name of a plan in params/campaigns.")],
    profile: Annotated[
        ProfileName, typer.Option(help="smoke: seconds, quick: minutes, full: hours.")
    ] = ProfileName.quick,
    broker: Annotated[
        str, typer.Option(metavar="artemis|URL", help="Embedded broker, or the URL of another.")
    ] = "artemis",
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "-p", "--parameter", metavar="NAME VALUE", help="A factor's levels, or a setting."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Where results go instead of data/campaigns/NAME-PROFILE."
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure again; old results stay until then.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan and how long it takes; run nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before a long campaign.")] = False,
) -> None:
    """Measure: run a campaign against a real broker, or go on with one that was interrupted."""
    from roundtrip.campaign.addresses import broker_of, refuse_arranged
    from roundtrip.campaign.estimate import refuse_beyond_budget, size_of
    from roundtrip.campaign.harness import find_harness
    from roundtrip.campaign.here import runnable
    from roundtrip.campaign.points import cells_of
    from roundtrip.campaign.resolve import resolve_plan
    from roundtrip.campaign.runner import Campaign
    from roundtrip.campaign.store import open_folder
    from roundtrip.dictionary import load_dictionary
    from roundtrip.files import alone_in

    project = _context.project()
    dictionary = load_dictionary(project.dictionary)
    plan = resolve_plan(project, campaign, profile.value, dictionary, pairs_of(parameter or []))
    cells = cells_of(plan)
    size = size_of(plan, cells)
    refuse_beyond_budget(plan, size)
    if dry_run:
        _print_plan(plan, cells, size)
        return
    # A smoke campaign shows that everything works: its numbers belong into no report.
    home = project.cache / "smoke" if plan.profile == "smoke" else project.campaigns
    target = (output or home / f"{plan.name}-{plan.profile}").resolve()
    harness = find_harness(project)
    journal = Path(plan.broker.journal_path) if plan.broker.journal_path else None
    made = (journal or project.cache / "campaigns") / "roundtrip-broker"
    chosen = broker_of(
        broker, harness, plan.broker, made, Campaign.made_note(project),
        os.environ.get("ROUNDTRIP_USER"), os.environ.get("ROUNDTRIP_PASSWORD_FILE"),
    )  # fmt: skip
    refuse_arranged(chosen, cells)
    cells, lacking = runnable(harness, cells) if chosen.restarts else (cells, ())
    size = size_of(plan, cells)
    with ExitStack() as stack:
        stack.enter_context(alone_in(project.cache / "campaigns", wait=False))
        folder, before = open_folder(target, plan, fresh=fresh)
        if before is not None and before.state == "complete":
            typer.echo(f"nothing to do: {project.relative(target)} is complete; --fresh repeats it")
            return
        if not yes and before is None and size.most_seconds > _ASK_BEYOND_SECONDS:
            typer.confirm(f"{plan.title}: {size}. Start?", abort=True, err=True)
        stack.enter_context(_ended_in_order())
        progress = stack.enter_context(RunProgress())
        progress.say(f"{plan.title}, profile {plan.profile}, {chosen.name}: {size}")
        for reason in lacking:
            progress.say(f"left out: {reason}")
        manifest = Campaign(
            project, plan, cells, folder, harness, chosen, progress, before, lacking
        ).carry_out()
    _print_end(manifest, project.relative(target))


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let SIGTERM and a closed terminal end a campaign as Ctrl-C does: in order, results kept."""
    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.signal(number, signal.default_int_handler) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _print_plan(plan: Plan, cells: tuple[Cell, ...], size: Size) -> None:
    typer.echo(f"{plan.title}\n{' '.join(plan.question.split())}\n")
    for cell in cells:
        factors = ", ".join(f"{name} {value}" for name, value in cell.factors)
        typer.echo(f"{cell.key}\n  {factors}\n  requesters {', '.join(map(str, cell.levels))}")
    search = {
        "grid": "every number of requesters",
        "until_peak": f"more requesters until the rate rises by less than {plan.search.rise:.0%}",
        "adaptive": "the numbers of requesters that lead to the peak",
    }[plan.search.method]
    typer.echo(
        f"\nsearch: {search}\nrepetitions: {plan.repetitions}, order from seed {plan.seed}\n"
        f"each run: warm-up {plan.warm_up.least_seconds:g} to {plan.warm_up.most_seconds:g} s, "
        f"measured {plan.measure_seconds:g} s\nsize: {size}\nbudget: {plan.budget_minutes:g} min"
    )


def _print_end(manifest: Manifest, where: str) -> None:
    doubted = sum(1 for entry in manifest.runs if entry.doubt)
    typer.echo(
        f"{manifest.state}: {len(manifest.runs)} runs"
        + (f", {doubted} of them doubtful" if doubted else "")
        + (f", {len(manifest.failed)} attempts broke off" if manifest.failed else "")
        + (f"; {manifest.why_stopped}" if manifest.why_stopped else "")
    )
    for reason in manifest.left_out_parts:
        typer.echo(f"left out: {reason}")
    typer.echo(f"{where}/manifest.yml\n{where}/points.csv")
