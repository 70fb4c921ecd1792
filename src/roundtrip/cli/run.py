"""``roundtrip run``: a campaign against a real broker."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from roundtrip.campaign.manifest import load_manifest, representing
from roundtrip.campaign.plan import PROFILES
from roundtrip.campaign.resolve import plan_names
from roundtrip.cli import _context
from roundtrip.cli.build import pairs_of
from roundtrip.errors import ParameterError, RoundtripError, SetupError
from roundtrip.files import alone_in
from roundtrip.params import resolve_parameters
from roundtrip.project import MANIFEST, Project
from roundtrip.sources.measured import campaign_folders, campaigns_named

if TYPE_CHECKING:
    from roundtrip.hosts.prepared import Prepared

ProfileOption = Annotated[
    Literal["smoke", "quick", "full"],
    typer.Option(help="smoke: seconds, quick: minutes, full: hours."),
]


def run(
    campaigns: Annotated[
        list[str] | None,
        typer.Argument(metavar="PLAN", help="Plans in params/campaigns, by file stem."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All plans, one after the other.")] = False,
    profile: ProfileOption = "quick",
    broker: Annotated[
        str | None,
        typer.Option(
            metavar="artemis|URL",
            help="artemis (embedded) or the URL of a running broker; default: the plan's, "
            "otherwise artemis.",
        ),
    ] = None,
    hosts: Annotated[
        bool,
        typer.Option("--hosts", help="Run broker and drivers on the hosts of params/hosts.yml."),
    ] = False,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "-p",
            "--parameter",
            metavar="NAME VALUE",
            help="A factor and its levels, such as requesters '[1, 8]', or a setting and its "
            "value; repeatable.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Folder for the results; default: data/campaigns/PLAN-PROFILE.",
        ),
    ] = None,
    fresh: _context.FreshOption = False,
    again: Annotated[
        bool,
        typer.Option(
            "--again",
            help="Add runs to a complete campaign, an hour after it or later, so that its margin "
            "covers what another hour changes.",
        ),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan and its duration; run nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before a long campaign.")] = False,
) -> None:
    """Run measurement campaigns, or resume interrupted ones."""
    from roundtrip.cli._campaigns import carry_out, print_left_out, print_plan, print_sizes
    from roundtrip.hosts.prepared import next_block, prepare

    project = _context.project()
    known = plan_names(project)
    if every == bool(campaigns):
        raise ParameterError(
            "name one or more plans, or give --all, not both", allowed=", ".join(known),
            where="roundtrip run",
        )  # fmt: skip
    names = known if every else list(dict.fromkeys(campaigns or ()))
    if output is not None and len(names) > 1:
        raise ParameterError(
            "--output works with one plan only", where="--output",
            remedy="run the plans one by one, or leave --output out",
        )  # fmt: skip
    _context.exclusive("--broker", broker, "--hosts", hosts)
    _context.exclusive("--fresh", fresh, "--again", again)
    prepared = []
    for name in names:
        try:
            prepared.append(
                prepare(project, name, profile, broker, pairs_of(parameter or []), output,
                        hosts=hosts, start=not dry_run)
            )  # fmt: skip
        except SetupError as problem:
            if name == names[-1] and not prepared:
                raise
            typer.echo(f"{name} is left out: {problem.what}", err=True)
    if dry_run:
        told = [next_block(project, one) if again else (one, "") for one in prepared]
        prepared = [one for one, _ in told]
        for one, block in told:
            print_plan(one, block)
            print_left_out(one.lacking)
        if len(prepared) > 1:
            print_sizes(prepared)
        return
    with alone_in(project.campaign_work, wait=False):
        try:
            carry_out(project, prepared, fresh=fresh, again=again, yes=yes)
        finally:
            print_shown(project, prepared)


def print_shown(project: Project, prepared: Sequence[Prepared]) -> None:
    """Say which campaigns chapters show, where these may not be the ones just measured."""
    for one in prepared:
        # What is wrong with parameters or other campaigns is told by a build, not after a run.
        with suppress(RoundtripError):
            if one.target.parent != project.campaigns or not (one.target / MANIFEST).is_file():
                continue
            measured, plan = load_manifest(one.target), one.plan
            every = campaigns_named(project.campaigns, resolve_parameters(project).campaigns)
            named = [manifest.id for manifest in every if manifest.plan.name == plan.name]
            ids = [plan.model_copy(update={"profile": each}).own_campaign for each in PROFILES]
            folders = (each for each in campaign_folders(project.campaigns) if each.name in ids)
            shown = named or [
                each.id for each in representing(map(load_manifest, folders)).values()
            ]
            if measured.runs and measured.id not in shown:
                typer.echo(
                    f"note: chapters on the plan {plan.name} show {shown[0] if shown else 'none'}; "
                    f"to show {measured.id}, name it under campaigns in params/report.yml",
                    err=True,
                )
