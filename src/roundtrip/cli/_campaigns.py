"""Campaigns as the command line carries them out and tells of them.

Commands import this only when they run: it takes half a second.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from roundtrip.campaign.derive import marked_words
from roundtrip.campaign.estimate import duration
from roundtrip.campaign.folder import open_folder
from roundtrip.campaign.harness import find_harness
from roundtrip.campaign.manifest import Manifest
from roundtrip.campaign.runner import Runner
from roundtrip.cli import _context
from roundtrip.errors import RoundtripError
from roundtrip.hosts.prepared import Prepared
from roundtrip.project import MANIFEST, POINTS, Project

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
            if before is not None and before.state == "complete" and not again:
                new = "goes on with the new one" if folder.has_successor else "measures it anew"
                more = "" if again is None else ", --again adds runs of another hour"
                where = project.shown(one.target)
                typer.echo(f"nothing to do: {where} is complete; --fresh {new}{more}")
                continue
            place = f"[{number}/{len(opened)}] " if len(opened) > 1 else ""
            what = f"block {folder.block}" if again else str(one.size)
            try:
                with RunProgress() as progress:
                    progress.say(
                        f"{place}{one.plan.title}, profile {one.plan.profile}, {one.broker.name}: "
                        f"{what}"
                    )
                    for reason in one.lacking:
                        progress.say(f"left out: {reason}")
                    manifest = Runner(
                        project, one.plan, one.combinations, folder, harness, one.broker, progress,
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


def print_plan(one: Prepared, block: str = "") -> None:
    """Print what a plan runs, or a further `block` of it, and how long it takes."""
    plan = one.plan
    typer.echo(f"{plan.title}\n{' '.join(plan.question.split())}\n")
    for combination in one.combinations:
        factors = ", ".join(f"{name} {value}" for name, value in combination.factors)
        levels = ", ".join(map(str, combination.levels))
        typer.echo(f"{combination.key}\n  {factors}\n  requesters {levels}")
    # Each running broker once, with its level where there are several.
    places = dict.fromkeys(
        one.broker.where(combination.point(combination.levels[0]))
        for combination in one.combinations
    )
    for place in places:
        if place is not None:
            typer.echo(f"running broker: {place}")
    search = {
        "grid": "every number of requesters",
        "until_peak": f"more requesters until the rate rises by less than {plan.search.rise:.0%}",
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
    marked = marked_words(manifest)
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
        + (f"\n{marked} The manifest says why, under 'doubt'." if marked else "")
    )
    print_left_out(manifest.left_out_parts)
    typer.echo(f"{where}/{MANIFEST}\n{where}/{POINTS}")
