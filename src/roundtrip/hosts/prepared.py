"""A plan that is ready to be run, on this machine or on the hosts of the inventory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roundtrip.campaign.broker_choice import broker_of, refuse_arranged
from roundtrip.campaign.brokers import Broker
from roundtrip.campaign.estimate import Size, refuse_beyond_budget, size_of
from roundtrip.campaign.feasible import runnable
from roundtrip.campaign.folder import open_again, refuse_place
from roundtrip.campaign.harness import Harness, find_harness
from roundtrip.campaign.names import RunName
from roundtrip.campaign.plan import Plan, Profile
from roundtrip.campaign.points import Cell, cells_of
from roundtrip.campaign.resolve import resolve_plan
from roundtrip.campaign.search import LATER_REPETITIONS
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import ParameterError, again
from roundtrip.files import temporary_files
from roundtrip.hosts.inventory import NAME, load_inventory
from roundtrip.hosts.placed_broker import PlacedBroker
from roundtrip.hosts.placement import candidates_of, hosts_of, refuse_unfit, runnable_there
from roundtrip.project import Project


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
    harness, own = harness_of(project, start=start), project.campaign_work
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
    harness, own = harness_of(project, start=start), project.campaign_work
    broker = PlacedBroker(harness, plan, own, inventory=inventory, roles=roles)
    return broker, cells, lacking


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
