"""Campaigns as the command line prepares them and carries them out.

Commands import this only when they run: it takes half a second.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from roundtrip.campaign.broker_choice import broker_of, refuse_arranged
from roundtrip.campaign.brokers import Broker
from roundtrip.campaign.estimate import Size, duration, refuse_beyond_budget, size_of
from roundtrip.campaign.feasible import runnable
from roundtrip.campaign.folder import open_again, open_folder, refuse_place
from roundtrip.campaign.harness import Harness, find_harness
from roundtrip.campaign.manifest import Manifest
from roundtrip.campaign.names import RunName
from roundtrip.campaign.plan import Plan, Profile
from roundtrip.campaign.points import Cell, cells_of
from roundtrip.campaign.resolve import resolve_plan
from roundtrip.campaign.runner import Campaign
from roundtrip.campaign.search import LATER_REPETITIONS
from roundtrip.cli import _context
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import ParameterError, RoundtripError, again
from roundtrip.files import temporary_files
from roundtrip.hosts.inventory import NAME, load_inventory
from roundtrip.hosts.placed_broker import PlacedBroker
from roundtrip.hosts.placement import candidates_of, hosts_of, refuse_unfit, runnable_there
from roundtrip.project import Project

_ASK_BEYOND_SECONDS = 900
_NAMED = 5
"""Runs that never succeeded, of which the end of a campaign names no more."""


class RunProgress:
    """Runs done and left, what the present one is doing, and the time that is left."""

    def __init__(self) -> None:
        self.console = Console(stderr=True, highlight=False)
        self._bar = Progress(
            TextColumn("{task.description:<34}"), BarColumn(bar_width=20), MofNCompleteColumn(),
            TimeElapsedColumn(), TextColumn("{task.fields[left]:<12} {task.fields[status]}"),
            console=self.console, transient=True, disable=not self.console.is_interactive,
        )  # fmt: skip
        self._task = self._bar.add_task("", total=None, left="", status="")
        self._done = 0

    def __enter__(self) -> RunProgress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def begin(self, done: int, left: int) -> None:
        """Start the display."""
        self._done = done
        self._bar.update(self._task, completed=done, total=done + left)

    def run(self, text: str, left: int, seconds: float) -> None:
        """Show the present run."""
        self._bar.update(
            self._task, description=escape(text), total=self._done + left,
            left=f"{duration(seconds)} left", status="",
        )  # fmt: skip

    def status(self, text: str) -> None:
        """Show what it is doing."""
        self._bar.update(self._task, status=escape(text))

    def say(self, text: str) -> None:
        """Print a line above the display."""
        self.console.print(escape(text), soft_wrap=True)

    def done(self, text: str) -> None:
        """Count a run and print its result."""
        self._done += 1
        self._bar.update(self._task, completed=self._done)
        self.say(text)


@dataclass(frozen=True)
class Prepared:
    """A plan that may be run: everything that can be refused has been looked at.

    Attributes
    ----------
    lacking : tuple of str
        What cannot be run of it, each with its reason.
    """

    plan: Plan
    cells: tuple[Cell, ...]
    target: Path
    broker: Broker
    lacking: tuple[str, ...]

    @property
    def size(self) -> Size:
        """How much there is to run, and how long it takes."""
        return size_of(self.plan, self.cells, self.broker.further_seconds)


def prepare(
    project: Project, name: str, profile: Profile, broker: str | None,
    parameters: Sequence[tuple[str, str]], output: Path | None, *, hosts: bool, start: bool,
) -> Prepared:  # fmt: skip
    """Prepare a plan to be run: whatever can be refused is refused before anything starts."""
    dictionary = load_dictionary(project.dictionary)
    plan = resolve_plan(project, name, profile, dictionary, parameters)
    try:
        cells = cells_of(plan)
    except ParameterError as problem:
        names = f" with -p {', '.join(name for name, _ in parameters)}" if parameters else ""
        raise again(ParameterError, problem, where=f"{problem.where}{names}") from problem
    refuse_beyond_budget(plan, size_of(plan, cells))
    target = target_of(project, plan, output=output)
    chosen, cells, lacking = (
        _on_hosts(project, plan, cells, start=start)
        if hosts
        else on_this_machine(project, plan, cells, broker, start=start)
    )
    return Prepared(plan, cells, target, chosen, lacking)


def target_of(project: Project, plan: Plan, prefix: str = "", output: Path | None = None) -> Path:
    """Give the folder for a plan's results, and refuse one that they cannot be written to."""
    # A smoke campaign shows that everything works: its numbers belong in no report.
    home = project.cache / "smoke" if plan.profile == "smoke" else project.campaigns
    target = (output or home / f"{prefix}{plan.own_campaign}").resolve()
    refuse_place(target, project.campaigns)
    return target


def harness_of(project: Project, *, start: bool) -> Harness:
    """Give the load driver; where nothing is to start, one that need not be there."""
    return find_harness(project) if start else Harness(Path(), Path(), project.root, "")


def on_this_machine(
    project: Project, plan: Plan, cells: tuple[Cell, ...], broker: str | None, *, start: bool
) -> tuple[Broker, tuple[Cell, ...], tuple[str, ...]]:
    """Give the broker that is named or the plan's own, what can be run on it, and what cannot."""
    harness, own = harness_of(project, start=start), project.cache / "campaigns"
    chosen = broker_of(broker, harness, plan, own)
    refuse_arranged(chosen, cells, plan.set_by)
    if not chosen.restarts:
        return chosen, cells, ()
    return chosen, *runnable(harness if start else None, plan, own, cells)


def _on_hosts(
    project: Project, plan: Plan, cells: tuple[Cell, ...], *, start: bool
) -> tuple[Broker, tuple[Cell, ...], tuple[str, ...]]:
    """Give the same for the hosts of the inventory, which are looked at first."""
    if plan.system is not None or plan.factor_of_brokers is not None:
        raise ParameterError(
            "the plan uses a broker that is already running", where=plan.name,
            remedy="run it without --hosts",
        )  # fmt: skip
    place = project.params / NAME
    if not place.is_file():
        raise ParameterError(
            "there is no inventory of hosts", where=project.relative(place),
            remedy="write one ('roundtrip docs hosts'), or run the plan without --hosts",
        )  # fmt: skip
    inventory = load_inventory(project, place)
    candidates_of(inventory)
    cells, lacking = runnable_there(inventory, plan, cells)
    roles = hosts_of(cells, inventory.spread)
    candidates_of(inventory, roles)
    if start:
        with temporary_files():
            refuse_unfit(inventory, roles)
    harness, own = harness_of(project, start=start), project.cache / "campaigns"
    broker = PlacedBroker(harness, plan, own, inventory=inventory, roles=roles)
    return broker, cells, lacking


def carry_out(
    project: Project, prepared: Sequence[Prepared], *, fresh: bool, yes: bool,
    again: bool | None = None,
) -> None:  # fmt: skip
    """Run prepared plans one after the other; one that stops does not cost the others.

    The caller keeps others out of the folder for campaigns. With `again` a block of runs is added
    to what is complete; it is None where the command cannot do that.
    """
    most = sum(one.size.most_seconds for one in prepared)
    harness = find_harness(project)
    failed: list[str] = []
    with ExitStack() as stack:
        opened = [
            (one, *open_folder(
                one.target, one.plan, one.broker.name, fresh=fresh, again=bool(again)
            ))
            for one in prepared
        ]  # fmt: skip
        begun = any(before is not None for _, _, before in opened)
        if len(prepared) > 1:
            print_sizes(prepared)
        if not yes and not begun and most > _ASK_BEYOND_SECONDS:
            first = prepared[0]
            what = f"{first.plan.title}: {first.size}." if len(prepared) == 1 else "All of them."
            _context.confirm(f"{what} Start?")
        stack.enter_context(_ended_in_order())
        for number, (one, folder, before) in enumerate(opened, start=1):
            where = project.shown(one.target)
            if before is not None and before.state == "complete" and not again:
                new = "goes on with the new one" if folder.has_successor else "measures it anew"
                more = "" if again is None else ", --again adds runs of another hour"
                typer.echo(f"nothing to do: {where} is complete; --fresh {new}{more}")
                continue
            place = f"[{number}/{len(opened)}] " if len(opened) > 1 else ""
            try:
                with RunProgress() as progress:
                    what = f"block {folder.block}" if again else str(one.size)
                    progress.say(
                        f"{place}{one.plan.title}, profile {one.plan.profile}, {one.broker.name}: "
                        f"{what}"
                    )
                    for reason in one.lacking:
                        progress.say(f"left out: {reason}")
                    manifest = Campaign(
                        project, one.plan, one.cells, folder, harness, one.broker, progress,
                        before, one.lacking,
                    ).carry_out()  # fmt: skip
            except RoundtripError as problem:
                if len(opened) == 1:
                    raise
                failed.append(one.plan.name)
                typer.echo(f"{one.plan.name} stopped: {problem}", err=True)
                continue
            finally:
                one.broker.close()
            _print_end(manifest, project.shown(folder.work))
    if failed:
        raise RoundtripError(
            f"{len(failed)} of {len(opened)} campaigns stopped: {', '.join(failed)}",
            remedy="run the same command again to resume them",
        )


def print_sizes(prepared: Sequence[Prepared]) -> None:
    """Print how long several plans take, each and together."""
    for one in prepared:
        typer.echo(f"{one.plan.name:<16} {one.size}")
    least = sum(one.size.least_seconds for one in prepared)
    most = sum(one.size.most_seconds for one in prepared)
    typer.echo(f"{'together':<16} {duration(least)} to {duration(most)}")


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let SIGTERM and a closed terminal end a campaign as Ctrl-C does: in order, results kept.

    What is ignored stays so: a campaign that was started with ``nohup`` outlives its terminal.
    """
    before = {
        number: signal.signal(number, signal.default_int_handler)
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def next_block(project: Project, one: Prepared) -> tuple[Prepared, str]:
    """Give what `--again` adds to a complete campaign, and which block of which campaign it is."""
    folder, manifest = open_again(one.target, one.plan, one.broker.name)
    names = [RunName.parse(run.run) for run in manifest.runs]
    measured = {(name.cell, name.requesters) for name in names}
    shown = [
        replace(cell, levels=tuple(n for n in cell.levels if (cell.key, n) in measured))
        for cell in one.cells
    ]
    most = one.plan.most_repetitions
    runs = {"repetitions": min(LATER_REPETITIONS, most), "precision": None}
    block = replace(
        one,
        plan=one.plan.model_copy(update=runs),
        cells=tuple(cell for cell in shown if cell.levels),
    )
    done = sum(one.plan.block_of(name.repetition) == folder.block for name in names)
    told = f"block {folder.block} of {project.shown(one.target)}"
    return block, told + (f", of which {done} runs are done" if done else "")


def print_plan(one: Prepared, block: str = "") -> None:
    """Print what a plan runs, or a further `block` of it, and how long it takes."""
    plan = one.plan
    typer.echo(f"{plan.title}\n{' '.join(plan.question.split())}\n")
    for cell in one.cells:
        factors = ", ".join(f"{name} {value}" for name, value in cell.factors)
        typer.echo(f"{cell.key}\n  {factors}\n  requesters {', '.join(map(str, cell.levels))}")
    # Each running broker once, with its level where there are several.
    places = dict.fromkeys(one.broker.where(cell.point(cell.levels[0])) for cell in one.cells)
    for place in places:
        if place is not None:
            typer.echo(f"running broker: {place}")
    search = {
        "grid": "every number of requesters",
        "until_peak": f"more requesters until the rate rises by less than {plan.search.rise:.0%}",
        "adaptive": "the numbers of requesters that lead to the peak",
        "until_slow": f"more requesters until a round trip takes {plan.search.slow_ms:g} ms",
    }[plan.search.method]
    repetitions = str(plan.repetitions)
    if plan.precision:
        repetitions += (
            f", more until the interval is within ±{100 * plan.precision.within:g} % of the mean, "
            f"at most {plan.most_repetitions}"
        )
    how = f"adds: {block}" if block else f"search: {search}"
    typer.echo(
        f"\n{how}\nrepetitions: {repetitions}, order from seed {plan.seed}\n"
        f"each run: warm-up {plan.warm_up.least_seconds:g} to {plan.warm_up.most_seconds:g} s, "
        f"measured {plan.measure_seconds:g} s\nsize: {one.size}\n"
        f"budget: {plan.budget_minutes:g} min" + " for each block" * bool(block)
    )


def print_left_out(lacking: Sequence[str]) -> None:
    """Print what is not run, each with its reason."""
    for reason in lacking:
        typer.echo(f"left out: {reason}")


def _print_end(manifest: Manifest, where: str) -> None:
    # What words of reports need is imported only once there is something to tell.
    from roundtrip.present.measured.exceptions import marked_words

    marked = marked_words(manifest).rstrip(". ")
    runs, failed = len(manifest.runs), sum(not entry.interrupted for entry in manifest.failed)
    # Of a campaign that goes on, they are tried again.
    tried = manifest.failed if manifest.state == "complete" else ()
    never = list(dict.fromkeys(entry.run for entry in tried))
    never = [key for key in never if key not in {entry.run for entry in manifest.runs}]
    further = f" and {len(never) - _NAMED} more" if len(never) > _NAMED else ""
    typer.echo(
        f"{manifest.state}: {runs} run{'' if runs == 1 else 's'}"
        + (f", {failed} attempt{'' if failed == 1 else 's'} failed" if failed else "")
        + (f"; {manifest.why_stopped}" if manifest.why_stopped else "")
        + (f"\nnever succeeded: {', '.join(never[:_NAMED])}{further}" if never else "")
        + (f"\n{marked}; the manifest says more, under 'doubt'" if marked else "")
    )
    print_left_out(manifest.left_out_parts)
    typer.echo(f"{where}/manifest.yml\n{where}/points.csv")
