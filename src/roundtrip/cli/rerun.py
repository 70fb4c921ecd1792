"""``roundtrip rerun``: chapters' campaigns with somebody's parameters, and the report with them."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from roundtrip.campaign.estimate import duration, refuse_beyond_budget, size_of
from roundtrip.campaign.points import points_of
from roundtrip.campaign.resolve import chapters_by_plan, plans_of_chapters, resolve_plan
from roundtrip.cli import _context
from roundtrip.cli.build import make_edition
from roundtrip.cli.run import ProfileOption, print_shown
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import ParameterError, RenderError
from roundtrip.files import alone_in
from roundtrip.params import ReportParameters, load_declarations, resolve_parameters
from roundtrip.params.rerun import Rerun, load_rerun, place
from roundtrip.project import MANIFEST, Project
from roundtrip.publish.book_definition import load_book_definition, select_chapters
from roundtrip.publish.manifest import read_manifest
from roundtrip.publish.options import Options
from roundtrip.redaction.names import load_names
from roundtrip.sources.measured import campaigns_named

if TYPE_CHECKING:
    from roundtrip.campaign.rerun import Adapted
    from roundtrip.campaign.shared_queues import SharedBroker
    from roundtrip.hosts.prepared import Prepared

_LONGEST_VERSION = 40
_STORES = {"-ts": "ROUNDTRIP_TRUST_STORE", "-kr": "ROUNDTRIP_KEY_STORE"}
"""Options of the load driver, and where the files are named; it finds the passwords itself."""


def rerun(
    chapters: Annotated[
        list[str], typer.Argument(metavar="CHAPTER", help="Chapters, by file stem.")
    ],
    file: Annotated[
        Path,
        typer.Option(
            "-f",
            "--file",
            metavar="FILE",
            help="Parameter file with a section 'rerun' (factors, queues, …).",
        ),
    ],
    broker: Annotated[
        str | None,
        typer.Option(metavar="URL", help="URL of a running broker; default: the embedded one."),
    ] = None,
    profile: ProfileOption = "quick",
    fresh: _context.FreshOption = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what it would do to the broker; touch nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Never ask before starting.")] = False,
    report: Annotated[
        bool, typer.Option("--report/--no-report", help="Build the edition afterwards.")
    ] = True,
) -> None:
    """Rerun chapters' campaigns with your parameters or broker.

    Then build the report with the results.
    """
    from roundtrip.campaign.broker_choice import EMBEDDED
    from roundtrip.campaign.rerun import adapt, refuse_levels, refuse_lost
    from roundtrip.cli._campaigns import carry_out, print_left_out, print_plan
    from roundtrip.hosts.prepared import (
        Prepared,
        on_this_machine,
        refuse_without_payload,
        target_of,
    )

    project = _context.project()
    if report and profile == "smoke":
        report = False
        typer.echo(
            "note: no edition shows results of the profile smoke, so none is built; they are put "
            f"into {project.relative(project.cache / 'smoke')}. --profile quick measures what an "
            "edition shows.",
            err=True,
        )
    dictionary = load_dictionary(project.dictionary)
    wanted = load_rerun(file)
    stem = re.sub("[^a-z0-9]+", "-", file.stem.lower()).strip("-") or "rerun"
    select_chapters(project, load_book_definition(project.book), chapters, "CHAPTER")
    usual, stated = resolve_parameters(project), resolve_parameters(project, [file])
    own = _own_broker(project, broker, wanted, file, dry_run)
    plans = plans_of_chapters(project, chapters)
    set_by = {
        factor: way
        for name in plans
        for factor, way in resolve_plan(project, name, profile, dictionary).set_by.items()
    }
    refuse_levels(wanted, file, dictionary, own=own is not None, set_by=set_by)
    adapted: list[Adapted] = []
    refused: list[ParameterError] = []
    for name in plans:
        try:
            adapted.append(adapt(project, name, profile, dictionary, wanted, file, own))
        except ParameterError as problem:
            refused.append(problem)
    if not adapted:
        raise refused[0]
    prepared = []
    for one in adapted:
        chosen, combinations, left_out = (
            (own, one.combinations, ())
            if own
            else on_this_machine(project, one.plan, one.combinations, EMBEDDED, start=not dry_run)
        )
        refuse_without_payload(project, one.plan, combinations)
        refuse_beyond_budget(one.plan, size_of(one.plan, combinations, chosen.further_seconds))
        left_out = (*one.lacking, *left_out)
        if own is None:
            refuse_lost(wanted, file, one.combinations, combinations, left_out)
        target = target_of(project, one.plan, f"{stem}-")
        prepared.append(Prepared(one.plan, combinations, target, chosen, left_out))
    lacking = [problem.what for problem in refused]
    lacking += [reason for ready in prepared for reason in ready.lacking]
    if report:
        changes = _changes(project, usual, stated, stem, chapters, wanted.factors, prepared)
        edition = stated.model_copy(update=changes)
        _refuse_other_edition(project, edition, prepared, file)
    if own is None:
        for ready in prepared if dry_run else ():
            print_plan(ready)
        print_left_out(lacking)
    else:
        limited = not wanted.factors.keys().isdisjoint(("target_rate", "requester_rate"))
        _print_intent(own, prepared, lacking, limited=limited)
    if dry_run:
        return
    if own is not None and not yes:
        _context.confirm("Start?")
    with ExitStack() as stack:
        # First of all: the messages of a rerun that is at work here are not left behind.
        stack.enter_context(alone_in(project.campaign_work, wait=False))
        if own is not None:
            own.begin()
            stack.callback(own.end)
        carry_out(project, prepared, fresh=fresh, yes=yes or own is not None)
    if not report:
        print_shown(project, prepared)
        return
    names = load_names([project.params / "report.yml", file])
    make_edition(project, edition, names, Options(overwrite=True))
    _print_how_to_rebuild(stated, edition, file)


def _changes(
    project: Project, usual: ReportParameters, stated: ReportParameters, stem: str,
    chapters: Sequence[str], factors: Collection[str], prepared: Sequence[Prepared],
) -> dict[str, Any]:  # fmt: skip
    """Give what the edition of a rerun has that its file does not state.

    That is a version of its own, the chapters that are rerun, and the levels that are run. First of
    all it names the campaigns that are run: those represent their plans. Others of these plans that
    it names stay where one's own broker was run by several reruns.
    """
    from roundtrip.publish.chapters.notebooks import declared_parameters, read_notebook

    changes: dict[str, Any] = {}
    if stated.version == usual.version:
        changes["version"] = f"{usual.version}-{stem}"[:_LONGEST_VERSION].rstrip("._-")
    if stated.chapters == usual.chapters:
        changes["chapters"] = tuple(dict.fromkeys(chapters))
    run = {one.target.name: one for one in prepared}
    points = points_of(combination for one in run.values() for combination in one.combinations)
    for name, declared in load_declarations(project.params / "parameters.yml").items():
        shown = getattr(stated, name)
        if declared.list and shown and shown == getattr(usual, name):
            levels = {
                point[factor] for point in points for factor in declared.values_of
                if factor in factors and factor in point
            }  # fmt: skip
            changes[name] = tuple(sorted({*shown, *levels}))
    known, shown_by = stated.values_for_chapters(""), chapters_by_plan(project)
    showing = {*chapters, *(name for one in prepared for name in shown_by[one.plan.name])}
    for plan in select_chapters(
        project, load_book_definition(project.book), changes.get("chapters", stated.chapters),
        stated.place_of("chapters"),
    ):  # fmt: skip
        taken = declared_parameters(read_notebook(plan.source), plan.source, known)
        if plan.source.stem in showing and "campaigns" not in taken:
            raise ParameterError(
                "the chapter cannot be told which campaigns to show",
                where=project.relative(plan.source),
                remedy="assign campaigns = [] in its cell tagged parameters, and pass it on: "
                "Chapter(campaigns=campaigns)",
            )
    restarts = {one.plan.name: one.broker.restarts for one in run.values()}
    named = [name for name in stated.campaigns if name not in run]
    others = [
        manifest.id
        for manifest in campaigns_named(project.campaigns, named, stated.place_of("campaigns"))
        if not (manifest.broker_restarted or restarts.get(manifest.plan.name))
        or manifest.plan.name not in restarts
    ]
    return {**changes, "campaigns": (*run, *others)}


def _print_how_to_rebuild(stated: ReportParameters, edition: ReportParameters, file: Path) -> None:
    """Print the command that builds the edition of a rerun again, without running anything."""
    before = stated.model_dump(mode="json")
    more = {
        name: value
        for name, value in edition.model_dump(mode="json").items()
        if value != before[name]
    }
    given = _context.place_given()
    command = ["roundtrip", *(["--project", str(given)] if given else []), "build"]
    command += ["-f", str(file), *(["-y", json.dumps(more)] if more else [])]
    typer.echo(
        f"to build it again: {shlex.join(command)}"
        + "; what follows -y can also be written into the file" * bool(more),
        err=True,
    )


def _own_broker(
    project: Project, url: str | None, wanted: Rerun, file: Path, dry_run: bool
) -> SharedBroker | None:
    """Give the broker that runs already; None where the embedded one is used."""
    from roundtrip.campaign.broker_choice import external_broker, refuse_unreadable
    from roundtrip.campaign.shared_queues import SharedBroker
    from roundtrip.hosts.prepared import harness_of

    if url is None:
        for name in ("queues", "system"):
            if getattr(wanted, name) is not None:
                raise ParameterError(
                    f"{name} of a broker of your own, and nothing says where it is",
                    where=place(file, name),
                    remedy="give its URL with --broker, or leave queues and system out to run on "
                    "the embedded broker",
                )
        return None
    if wanted.queues is None:
        raise ParameterError(
            "names no queues of the broker", where=place(file),
            remedy="add queues: {request: NAME, reply: NAME} there; or leave --broker out to run "
            "on the embedded broker ('roundtrip docs rerun')",
        )  # fmt: skip
    queues = (wanted.queues.request, wanted.queues.reply)
    harness = harness_of(project, start=not dry_run)
    chosen = external_broker(url)
    stores: list[str] = []
    for flag, name in _STORES.items():
        if name in os.environ:
            refuse_unreadable(name, os.environ[name])
            stores += [flag, os.environ[name]]
    endpoint = replace(chosen.endpoint, options=(*chosen.endpoint.options, *stores))
    return SharedBroker(
        endpoint, chosen.name, chosen.elsewhere, harness=harness, queues=queues,
        note=project.campaign_work / "put.json",
        say=lambda text: typer.echo(text, err=True),
    )  # fmt: skip


def _refuse_other_edition(
    project: Project, edition: ReportParameters, prepared: Sequence[Prepared], file: Path
) -> None:
    """Refuse to replace an edition that this rerun did not build, before anything is run.

    It did where the parameters are the same and its results were among what was built from.
    """
    folder = project.reports / edition.version
    if not folder.exists():
        return
    try:
        built = read_manifest(folder)
    except RenderError:
        built = None
    results = {project.relative(one.target / MANIFEST) for one in prepared}
    if (
        built is None
        or built["parameters"] != edition.model_dump(mode="json")
        or not results <= built["inputs"].keys()
    ):
        raise ParameterError(
            f"version {edition.version} is an edition already, and not one that this rerun built",
            where=f"{file}: version",
            remedy=f"state another version in the file, or remove {project.relative(folder)}; "
            "--no-report measures without building",
        )


def _print_intent(
    broker: SharedBroker, prepared: Sequence[Prepared], lacking: Sequence[str], *, limited: bool
) -> None:
    """Say what will be done to the broker, how long it takes, and what it needs.

    Parameters
    ----------
    limited : bool
        Whether the file sets a rate: all points keep to it but those that the control adds.
    """
    from roundtrip.campaign.drivers import rate_of_each
    from roundtrip.cli._campaigns import print_left_out

    requests, replies = broker.queues
    points = points_of(combination for one in prepared for combination in one.combinations)
    connections = max(int(point["requesters"]) + int(point["responders"]) for point in points)
    rates = [rate_of_each(p) * int(p["requesters"]) for p in points if rate_of_each(p)]
    unlimited = [int(p["requesters"]) for p in points if not rate_of_each(p)]
    load = (
        "as fast as the broker answers" if not rates or (unlimited and not limited)
        else f"up to {max(rates):g} round trips/s"
    )  # fmt: skip
    if rates and unlimited and limited:
        load += f";\n{' ' * 10}the control: {max(unlimited)} requesters, no limit of rate"
    sizes = sorted({int(point["message_bytes"]) for point in points})
    deliveries = " and ".join(sorted({str(point["delivery"]) for point in points}))
    least, most = (
        duration(sum(getattr(one.size, f"{end}_seconds") for one in prepared))
        for end in ("least", "most")
    )
    fewest, runs = (
        sum(getattr(one.size, f"{end}_runs") for one in prepared) for end in ("least", "most")
    )
    most_requesters = max(int(point["requesters"]) for point in points)
    titles = ", ".join(one.plan.title for one in prepared)
    typer.echo(f"""\
{titles} on the {broker.name}

touches   the queues {requests} (requests) and {replies} (replies), no other
before    every run browses both; if one holds a message of others, nothing is put
puts      {deliveries} messages of {_range(sizes)} bytes, {load};
          each bears the property roundtrip_run, and only those are taken;
          up to {most_requesters} are in flight at a time
connects  up to {connections} clients at a time, and one that browses and drains
after     every run, even an interrupted one, removes what was put
lasts     {fewest if fewest == runs else f"{fewest} to {runs}"} runs, {least} to {most}
needs     Java 17; a user who may browse both queues, put messages on them and take them
          (ROUNDTRIP_USER, and ROUNDTRIP_PASSWORD or ROUNDTRIP_PASSWORD_FILE, if the broker asks)
""")
    for one in prepared:
        typer.echo(f"{one.plan.name:<16} {one.size}")
    print_left_out(lacking)


def _range(sizes: Sequence[int]) -> str:
    return f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
