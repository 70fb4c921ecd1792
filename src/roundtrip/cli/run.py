"""``roundtrip run``: a campaign against a real broker."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from roundtrip.cli import _context
from roundtrip.cli.build import pairs_of
from roundtrip.errors import ParameterError, SetupError
from roundtrip.files import alone_in

if TYPE_CHECKING:
    from roundtrip.campaign.plan import Plan
    from roundtrip.project import Project

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
    from roundtrip.campaign.resolve import plan_names
    from roundtrip.cli._campaigns import (
        carry_out,
        next_block,
        prepare,
        print_left_out,
        print_plan,
        print_sizes,
    )

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
    if hosts and broker is not None:
        raise ParameterError(
            "--hosts starts its own broker, so it excludes --broker", where="--hosts",
            remedy="give one of the two",
        )  # fmt: skip
    if fresh and again:
        raise ParameterError(
            "--fresh measures anew and --again adds to what is there", where="--again",
            remedy="give one of the two",
        )  # fmt: skip
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
    with alone_in(project.cache / "campaigns", wait=False):
        carry_out(project, prepared, fresh=fresh, again=again, yes=yes)
    for one in prepared:
        if one.target.parent == project.campaigns:
            _print_shown(project, one.plan, one.target.name)


def _print_shown(project: Project, plan: Plan, measured: str) -> None:
    """Say which campaign of a plan chapters show, where it may not be the one just measured."""
    from roundtrip.campaign.manifest import load_manifest, representing
    from roundtrip.campaign.plan import PROFILES
    from roundtrip.params import resolve_parameters
    from roundtrip.sources.measured import campaign_folders, campaigns_named

    named = campaigns_named(project.campaigns, resolve_parameters(project).campaigns)
    if any(manifest.plan.name == plan.name for manifest in named):
        return
    ids = [f"{plan.name}-{profile}" for profile in PROFILES]
    folders = [one for one in campaign_folders(project.campaigns) if one.name in ids]
    own = [load_manifest(folder) for folder in folders]
    if measured != plan.own_campaign:
        told = f"an edition shows {measured} only if it names it: campaigns: [{measured}]"
    elif len(own) > 1 and (shown := representing(own)):
        other = next(manifest.id for manifest in own if manifest != shown[plan.name])
        told = (
            f"chapters on the plan {plan.name} show {shown[plan.name].id}; to show another: "
            f"campaigns: [{other}]"
        )
    else:
        return
    typer.echo(f"note: {told} in params/report.yml", err=True)
