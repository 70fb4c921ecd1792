"""The runner: carries a plan out, run by run, and goes on where an earlier call stopped."""

from __future__ import annotations

import shutil
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from roundtrip.campaign.brokers import Broker
from roundtrip.campaign.derive import Summary, summarise
from roundtrip.campaign.estimate import duration, run_seconds
from roundtrip.campaign.folder import Folder
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.leftovers import CLEANUP, CleanupNote
from roundtrip.campaign.live_run import RefusedError, RunContext, RunFailedError, refused_by
from roundtrip.campaign.machine import scheduling
from roundtrip.campaign.machine.host import describe_host, software
from roundtrip.campaign.machine.mounts import folder_above
from roundtrip.campaign.machine.readings import wait_for_quiet
from roundtrip.campaign.manifest import Manifest, Session, where_they_ran
from roundtrip.campaign.names import Break
from roundtrip.campaign.plan import Plan
from roundtrip.campaign.points import Combination, Run
from roundtrip.campaign.processes import BrokerError
from roundtrip.campaign.raw import RawFile, keep_interrupted
from roundtrip.campaign.results import attempt_of, without_hashes_of_missing, write_results
from roundtrip.campaign.run import execute
from roundtrip.campaign.search import next_runs, rate_that_counts, remaining
from roundtrip.campaign.settable import DEFAULTS
from roundtrip.errors import ParameterError, RoundtripError
from roundtrip.project import Project

_FAILURES_IN_A_ROW = 3
_SMALL_MACHINE = 16
_OF_MACHINE = ("processor", "logical_processors", "operating_system", "kernel")
"""What of the machine must stay while a campaign goes on."""
_OF_SOFTWARE = {"harness_sources": "load driver", "java": "Java", "jvm": "Java's machine"}
"""The same of software, with what people call it."""


class Progress(Protocol):
    """How the runner tells what it is doing."""

    def begin(self, done: int, left: int) -> None:
        """Start: runs that are there already, runs that are left."""

    def run(self, text: str, left: int, seconds: float) -> None:
        """Begin a run; `left` counts it, `seconds` is how long the runs left will take."""

    def status(self, text: str) -> None:
        """Tell what the run is doing."""

    def say(self, text: str) -> None:
        """Tell something that stays on the screen."""

    def done(self, text: str) -> None:
        """End a run with its result."""


@dataclass
class Runner:
    """Carries out a campaign, run after run.

    Parameters
    ----------
    left_out_parts : tuple of str
        What this machine cannot run of the plan, each with its reason.
    before : Manifest or None
        Of the earlier calls that this one continues.
    """

    project: Project
    plan: Plan
    combinations: tuple[Combination, ...]
    folder: Folder
    harness: Harness
    broker: Broker
    progress: Progress
    before: Manifest | None = None
    left_out_parts: tuple[str, ...] = ()
    _rates: dict[str, float | None] = field(default_factory=dict)
    _marked: set[str] = field(default_factory=set)
    _spent: float = 0.0
    _order: int = 0

    def carry_out(self) -> Manifest:
        """Run what is left of the plan; the manifest is then complete, or stopped by the budget.

        Whatever is raised (the broker does not start or refuses, the disk is full, the machine does
        not become quiet, run after run breaks off, Ctrl-C), what was measured is kept and can be
        used, and nothing is left running.
        """
        removed = CleanupNote(self.project.campaign_work / CLEANUP).remove_leftovers()
        if removed:
            self.progress.say(f"removed what a killed runner had left: {', '.join(removed)}")
        for key in keep_interrupted(self.folder.raw):
            self.progress.say(f"{key} was running when the runner stopped: it is repeated")
        manifest = self._open()
        self.folder.take_over()
        manifest = without_hashes_of_missing(self.folder, manifest)
        manifest.write(self.folder.work)
        self._remember()
        try:
            why = self._run_all(manifest)
        except BaseException as problem:
            what = problem.what if isinstance(problem, RoundtripError) else "interrupted"
            if isinstance(problem, RefusedError) and problem.where:
                what = f"{problem.where}: {what}"
            self._close(manifest, what.splitlines()[0])
            # Where somebody else's broker refused before any run was finished, nothing is kept.
            kept = self.broker.restarts or self.before or self.folder.finished()
            if isinstance(problem, RefusedError) and not kept:
                shutil.rmtree(self.folder.work)
            raise
        done = self._close(manifest, why)
        if why is None:
            self.folder.publish()
        return done

    def _open(self) -> Manifest:
        """Give the manifest to go on with, where this is the machine that it was begun on."""
        hosts = self.broker.hosts()
        if hosts:
            about = next(one.about for one in hosts if "broker" in one.roles)
            host = {**about, "network": where_they_ran(hosts)}
        else:
            host = describe_host(self._log_place if self.broker.restarts else None)
        if self.broker.elsewhere:
            del host["network"]
        asked = {str(DEFAULTS["scheduling_class"])}
        for factors in (self.plan.factors, *self.plan.parts):
            asked |= {str(level) for level in factors.get("scheduling_class", ())}
        begun = Manifest(
            id=self.folder.target.name,
            state="running",
            plan=self.plan,
            broker=self.broker.name,
            broker_restarted=self.broker.restarts,
            broker_elsewhere=self.broker.elsewhere,
            host=host,
            hosts=hosts,
            software={
                **software(),
                "harness_sources": self.harness.sources[:16],
                **({} if hosts else self.harness.about_java()),  # hosts have their own
            },
            left_out_parts=self.left_out_parts,
            scheduling_class={name: scheduling.effective(name) for name in sorted(asked)},
            demonstration=host["logical_processors"] < _SMALL_MACHINE,
            sessions=(Session(started=_now(), block=self.folder.block),),
        )
        before = self.before
        if before is None:
            return begun
        changed = _changed(before, begun)
        if changed:
            raise ParameterError(
                f"these are no longer what the campaign was started with: {', '.join(changed)}",
                where=self.project.shown(self.folder.work),
                remedy="resume it as it was started, give this one an --output of its own, or "
                "remove the folder to begin anew",
            )
        self._spent = before.seconds
        # What it says of finished runs must stay: points of them may be there already.
        return before.model_copy(
            update={
                "state": "running",
                "plan": self.plan,  # its limits may be others now
                "why_stopped": None,
                "left_out": (),
                "left_out_parts": self.left_out_parts,
                "sessions": (*before.sessions, *begun.sessions),
            }
        )

    @property
    def _log_place(self) -> Path:
        """Where brokers keep their recovery logs; it may not be there yet."""
        return Path(self.plan.broker.journal_path or self.project.cache)

    def _remember(self) -> None:
        """Take over what earlier calls have measured."""
        # No place is given twice: what is taken out of a campaign leaves a gap.
        if self.before is not None:
            known = [run.order for run in self.before.runs]
            known += [attempt.order or 0 for attempt in self.before.failed]
            self._order = max(known, default=0)
        for key, path in self.folder.finished().items():
            summary = summarise(path)
            self._count(key, summary)
            self._order = max(self._order, int(summary.run["order"]))
        for key, paths in self.folder.failures().items():
            self._order = max(self._order, *(attempt_of(key, path).order or 0 for path in paths))
            if key not in self._rates and self.folder.failed(key) >= self.plan.attempts:
                self._rates[key] = None

    def _run_all(self, manifest: Manifest) -> str | None:
        """Run until nothing is left; give the reason for ending sooner, if there is one."""
        context = RunContext(self.harness, self.plan, self.broker, self.progress.status)
        each = run_seconds(self.plan)
        began, measured, in_a_row = self._spent, 0, 0
        self.progress.begin(len(self._rates), len(self._left()))
        budget = self.plan.budget_minutes * 60 * self.folder.block
        while runs := self._next():
            for run in runs:
                if measured:
                    each = (self._spent - began) / measured
                if self._spent + each > budget:
                    return (
                        f"the budget of {duration(budget)} is used up; raise budget_minutes and "
                        "run the command again to resume"
                    )
                left = len(self._left())
                self.progress.run(run.key, left, each * left)
                in_a_row = 0 if self._run(run, context) else in_a_row + 1
                measured += 1
                manifest.model_copy(update={"seconds": self._spent}).write(self.folder.work)
                if in_a_row >= _FAILURES_IN_A_ROW:
                    raise RunFailedError(
                        f"{in_a_row} runs in a row failed, the last one: {self._why(run.key)}",
                        remedy="the raw files of the failed runs have the details; run the command "
                        "again to resume",
                    )
        if not self.folder.finished():
            raise RunFailedError(
                f"no run was finished; the last one: {self._why(list(self._rates)[-1])}",
                where=self.project.shown(self.folder.work),
                remedy="mend what failed, and remove this folder to begin anew",
            )
        return None

    def _count(self, key: str, summary: Summary) -> None:
        time_ms = summary.values.get(("round_trip_time", "mean"))
        self._rates[key] = rate_that_counts(self.plan.search, summary.rate, time_ms)
        if summary.doubt(self.plan):
            self._marked.add(key)

    def _next(self) -> list[Run]:
        return next_runs(self.plan, self.combinations, self._rates, self._marked, self.folder.block)

    def _left(self) -> list[Run]:
        return remaining(self.plan, self.combinations, self._rates, self._marked, self.folder.block)

    def _run(self, run: Run, context: RunContext) -> bool:
        """Carry out one run, again where it breaks off; say whether it was finished."""
        began = time.monotonic()
        already = self.folder.failed(run.key)
        try:
            for attempt in range(already + 1, self.plan.attempts + 1):
                self._refuse_full_disk()
                noise, complaint = wait_for_quiet(
                    self.plan.guard, self.broker.noise, self.progress.say
                )
                self._order += 1
                raw = RawFile(self.folder.raw, run.key, {str(self.project.root): "…"})
                broke_off: Break | None = "interrupted"
                try:
                    execute(
                        run, context, raw, attempt=attempt, order=self._order, noise=noise,
                        complaint=complaint,
                    )  # fmt: skip
                    broke_off = None
                except RunFailedError as problem:
                    if gone := self.broker.unreachable(run.factors):
                        what = f"{problem.what}; the broker cannot be reached: {gone}"
                        raise refused_by(self.broker, run.factors, what) from problem
                    broke_off = "failed"
                    self.progress.say(f"{run.key}, attempt {attempt}: {problem.what}")
                    continue
                except RoundtripError as problem:
                    # What keeps a broker from starting would keep it at once again. That somebody
                    # else's is not there, or refuses, is no attempt: no run would be left for it.
                    if self.broker.restarts:
                        broke_off = "failed"
                    elif isinstance(problem, BrokerError) and problem.remedy is None:
                        raise refused_by(self.broker, run.factors, problem.what) from problem
                    raise
                finally:
                    path = raw.finish(broke_off)
                summary = summarise(path)
                self._count(run.key, summary)
                self.progress.done(f"{run.key}: {summary.rate or 0:,.0f} {summary.rate_unit}")
                return True
            self._rates[run.key] = None
            self.progress.done(f"{run.key}: failed")
            return False
        finally:
            self._spent += time.monotonic() - began

    def _why(self, key: str) -> str:
        paths = self.folder.failures().get(key, [])
        last = max(paths, key=lambda path: path.stat().st_mtime_ns, default=None)
        return "no reason known" if last is None else attempt_of(key, last).reason

    def _refuse_full_disk(self) -> None:
        for place in (self.folder.work, self._log_place):
            free = shutil.disk_usage(folder_above(place)).free
            if free >= self.plan.least_free_mb * 1_000_000:
                continue
            raise RoundtripError(
                f"the disk is nearly full: {free / 1e6:,.0f} MB are free",
                where=self.project.shown(place),
                allowed=f"at least {self.plan.least_free_mb} MB (least_free_mb)",
                remedy="free disk space, then run the command again to resume",
            )

    def _close(self, manifest: Manifest, why: str | None) -> Manifest:
        *earlier, last = manifest.sessions
        finished = self.folder.finished()  # the last may not have been counted before an interrupt
        done = manifest.model_copy(
            update={
                "state": "stopped" if why else "complete",
                "why_stopped": why,
                "seconds": round(self._spent, 1),
                "sessions": (*earlier, last.model_copy(update={"ended": _now()})),
                "left_out": tuple(run.key for run in self._left() if run.key not in finished),
            }
        )
        return write_results(self.folder, done)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _changed(before: Manifest, now: Manifest) -> list[str]:
    """Name what sets runs of now apart from those of before, so that no point may hold both."""
    changed = ["hosts"] if before.hosts != now.hosts else []
    changed += [name for name in _OF_MACHINE if before.host.get(name) != now.host.get(name)]
    old, new = before.software, now.software
    return changed + [
        what for name, what in _OF_SOFTWARE.items()
        # Campaigns of before may not say which Java they had, and hosts have their own.
        if name in old and name in new and old[name] != new[name]
    ]  # fmt: skip
