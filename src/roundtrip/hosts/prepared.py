"""A plan that is ready to be run, on this machine or on the hosts of the inventory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roundtrip.campaign.broker_choice import broker_of, refuse_arranged
from roundtrip.campaign.brokers import Broker
from roundtrip.campaign.drivers import payload_file
from roundtrip.campaign.estimate import Size, refuse_beyond_budget, size_of
from roundtrip.campaign.feasible import runnable
from roundtrip.campaign.folder import open_again, refuse_place
from roundtrip.campaign.harness import Harness, find_harness
from roundtrip.campaign.names import RunName
from roundtrip.campaign.plan import Plan, Profile
from roundtrip.campaign.points import (
    Combination,
    combinations_of,
    points_of,
    side_without_points,
    without_control,
    written_levels,
)
from roundtrip.campaign.resolve import plan_path, resolve_plan
from roundtrip.campaign.search import LATER_REPETITIONS
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import ParameterError, again
from roundtrip.files import temporary_files
from roundtrip.hosts.inventory import INVENTORY, load_inventory
from roundtrip.hosts.placed_broker import PlacedBroker
from roundtrip.hosts.placement import candidates_of, hosts_of, refuse_unfit, runnable_there
from roundtrip.project import Project
from roundtrip.yamlfile import place_in


@dataclass(frozen=True)
class Prepared:
    """A plan that may be run: everything that can be refused has been looked at.

    Attributes
    ----------
    lacking : tuple of str
        What cannot be run of it, each with its reason.
    """

    plan: Plan
    combinations: tuple[Combination, ...]
    target: Path
    broker: Broker
    lacking: tuple[str, ...]

    @property
    def size(self) -> Size:
        """How much there is to run, and how long it takes."""
        return size_of(self.plan, self.combinations, self.broker.further_seconds)


def prepare(
    project: Project, name: str, profile: Profile, broker: str | None,
    parameters: Sequence[tuple[str, str]], output: Path | None, *, hosts: bool, start: bool,
) -> Prepared:  # fmt: skip
    """Prepare a plan to be run: whatever can be refused is refused before anything starts."""
    dictionary = load_dictionary(project.dictionary)
    plan = resolve_plan(project, name, profile, dictionary, parameters)
    try:
        combinations = combinations_of(plan)
    except ParameterError as problem:
        names = f" with -p {', '.join(name for name, _ in parameters)}" if parameters else ""
        raise again(ParameterError, problem, where=f"{problem.where}{names}") from problem
    if not parameters:
        _refuse_without_control(plan, combinations, plan_path(project, name))
    refuse_without_payload(project, plan, combinations)
    refuse_beyond_budget(plan, size_of(plan, combinations))
    target = target_of(project, plan, output=output)
    chosen, combinations, lacking = (
        _on_hosts(project, plan, combinations, start=start)
        if hosts
        else on_this_machine(project, plan, combinations, broker, start=start)
    )
    return Prepared(plan, combinations, target, chosen, lacking)


def _refuse_without_control(plan: Plan, combinations: tuple[Combination, ...], path: Path) -> None:
    """Refuse a plan that does not run what its positive control compares, wherever it is run."""
    side = side_without_points(plan, combinations)
    if side is None:
        return
    levels = getattr(plan.control, side)
    if levels.get("scheduling_class") == "real-time":
        return  # permitted elsewhere, perhaps
    raise ParameterError(
        f"no operating point of the profile {plan.profile} has {written_levels(levels)}, so the "
        "control could show nothing",
        where=place_in(path, "control", side),
        remedy="name levels there that the profile runs, or have it run these",
    )


def refuse_without_payload(
    project: Project, plan: Plan, combinations: tuple[Combination, ...]
) -> None:
    """Refuse a plan whose messages are the content of a file that cannot be used."""
    payloads = {point.get("payload", plan.driver.payload) for point in points_of(combinations)}
    if "file" not in payloads:
        return
    try:
        payload_file(project.root, plan.driver.payload_file)
    except ParameterError as problem:
        where = f"params/campaigns/{plan.name}.yml: {problem.where}"
        raise again(ParameterError, problem, where=where) from problem


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
    project: Project, plan: Plan, combinations: tuple[Combination, ...], broker: str | None, *,
    start: bool,
) -> tuple[Broker, tuple[Combination, ...], tuple[str, ...]]:  # fmt: skip
    """Give the broker that is named or the plan's own, what can be run on it, and what cannot."""
    harness, own = harness_of(project, start=start), project.campaign_work
    chosen = broker_of(broker, harness, plan, own)
    refuse_arranged(chosen, combinations, plan.set_by)
    if not chosen.restarts:
        return chosen, combinations, without_control(plan, combinations)
    possible, lacking = runnable(harness if start else None, plan, own, combinations)
    return chosen, possible, (*lacking, *without_control(plan, possible))


def _on_hosts(
    project: Project, plan: Plan, combinations: tuple[Combination, ...], *, start: bool
) -> tuple[Broker, tuple[Combination, ...], tuple[str, ...]]:
    """Give the same for the hosts of the inventory, which are looked at first."""
    if plan.system is not None or plan.factor_of_brokers is not None:
        raise ParameterError(
            "the plan uses a broker that is already running", where=plan.name,
            remedy="run it without --hosts",
        )  # fmt: skip
    place = project.params / INVENTORY
    if not place.is_file():
        raise ParameterError(
            "there is no inventory of hosts", where=project.relative(place),
            remedy="write one ('roundtrip docs hosts'), or run the plan without --hosts",
        )  # fmt: skip
    inventory = load_inventory(project, place)
    combinations, lacking = runnable_there(inventory, plan, combinations)
    roles = hosts_of(combinations, inventory.spread)
    candidates_of(inventory, roles)
    if start:
        with temporary_files():
            refuse_unfit(inventory, roles)
    harness, own = harness_of(project, start=start), project.campaign_work
    broker = PlacedBroker(harness, plan, own, inventory=inventory, roles=roles)
    return broker, combinations, (*lacking, *without_control(plan, combinations))


def next_block(project: Project, one: Prepared) -> tuple[Prepared, str]:
    """Give what `--again` adds to a complete campaign, and which block of which campaign it is."""
    folder, manifest = open_again(one.target, one.plan, one.broker.name)
    names = [RunName.parse(run.run) for run in manifest.runs]
    measured = {(name.combination, name.requesters) for name in names}
    shown = [
        replace(each, levels=tuple(n for n in each.levels if (each.key, n) in measured))
        for each in one.combinations
    ]
    most = one.plan.most_repetitions
    runs = {"repetitions": min(LATER_REPETITIONS, most), "precision": None}
    block = replace(
        one,
        plan=one.plan.model_copy(update=runs),
        combinations=tuple(each for each in shown if each.levels),
    )
    done = sum(one.plan.block_of(name.repetition) == folder.block for name in names)
    told = f"block {folder.block} of {project.shown(one.target)}"
    return block, told + (f", of which {done} runs are done" if done else "")
