"""``roundtrip build``: the report, from parameters to HTML and PDF."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from roundtrip.cli import _context
from roundtrip.errors import ParameterError, RoundtripError, SetupError
from roundtrip.packet.archive import opened
from roundtrip.packet.changes import report_in
from roundtrip.params import ReportParameters, parameter_model, resolve_parameters
from roundtrip.project import Project
from roundtrip.publish.manifest import named_places
from roundtrip.publish.options import Engine, Options
from roundtrip.publish.redacted import build_edition
from roundtrip.publish.watch import next_change, stamps_of
from roundtrip.redaction.names import Redact, load_names

if TYPE_CHECKING:
    from roundtrip.publish.afterwords import Writer


_MOST_AT_A_TIME = 64
_KINDS = {
    "string": "text", "integer": "a whole number", "number": "a number",
    "boolean": "true or false", "object": "a mapping",
}  # fmt: skip


def _list_parameters(wanted: bool) -> None:
    """Print every parameter: what it may be, its default, what it is for."""
    if not wanted:
        return
    try:
        model = parameter_model(_context.project().params / "parameters.yml")
    except SetupError:  # outside a project there are those of every report
        model = ReportParameters
    for name, schema in model.model_json_schema()["properties"].items():
        default = json.dumps(schema["default"], ensure_ascii=False)
        typer.echo(f"{name}: {_kind(schema)}; default {default}\n    {schema['description']}")
    raise typer.Exit


def _kind(schema: Mapping[str, Any]) -> str:
    """Say what a value must be, from its part of a JSON schema."""
    allowed = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if allowed:
        return " or ".join(json.dumps(value, ensure_ascii=False) for value in allowed)
    kind = schema.get("type", "object")
    if kind == "array":
        return f"a list, each {_kind(schema['items'])}"
    ends = {"at least": schema.get("minimum"), "at most": schema.get("maximum")}
    limits = [f"{words} {end:g}" for words, end in ends.items() if end is not None]
    return ", ".join([_KINDS[kind], *limits])


def join_pairs(arguments: list[str]) -> list[str]:
    """Join ``-p NAME VALUE``, as papermill writes it, to what an option takes: ``NAME=VALUE``."""
    joined: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        joined.append(argument)
        if argument in ("-p", "--parameter"):
            name = next(rest, None)
            if name is None:
                break
            if "=" not in name:
                value = next(rest, None)
                name = name if value is None else f"{name}={value}"
            joined.append(name)
    return joined


def pairs_of(parameters: list[str]) -> list[tuple[str, str]]:
    """Split ``NAME=VALUE`` into names and values."""
    pairs = []
    for item in parameters:
        name, separator, value = item.partition("=")
        if not separator:
            raise ParameterError(
                f"parameter '{name}' has no value", where="-p", allowed="-p NAME VALUE"
            )
        pairs.append((name, value))
    return pairs


def build(
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "-p", "--parameter", metavar="NAME VALUE", help="A parameter and its value; repeatable."
        ),
    ] = None,
    file: Annotated[
        list[Path] | None,
        typer.Option("-f", "--file", metavar="FILE", help="YAML file with parameters; repeatable."),
    ] = None,
    yaml: Annotated[
        list[str] | None,
        typer.Option(
            "-y", "--yaml", metavar="YAML", help="Parameters as a YAML mapping; repeatable."
        ),
    ] = None,
    engine: Annotated[
        Engine,
        typer.Option(
            help="Renderer; auto: Quarto 1.9 or newer if it is on PATH, otherwise embedded."
        ),
    ] = "auto",
    allow_failed_checks: Annotated[
        bool,
        typer.Option(
            "--allow-failed-checks", help="Build even if checks fail, with a banner on every page."
        ),
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an existing report of this version.")
    ] = False,
    workers: Annotated[
        str | None,
        typer.Option(
            metavar="N|ADDRESS|hosts",
            help="Number of chapters to run in parallel, or who runs them: the workers of a Dask "
            "scheduler (tcp://HOST:PORT), or the hosts of params/hosts.yml.",
        ),
    ] = None,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch", help="Rebuild, with --overwrite, whenever a file is saved, until Ctrl-C."
        ),
    ] = False,
    redact: Annotated[
        bool | None,
        typer.Option(
            "--redact/--no-redact",
            help="Replace the names under 'redact' in the parameter files with aliases, or not; "
            "by default if there are any.",
        ),
    ] = None,
    help_parameters: Annotated[
        bool,
        typer.Option(
            "--help-parameters",
            callback=_list_parameters,
            is_eager=True,
            help="List every parameter of the report.",
        ),
    ] = False,
) -> None:
    """Build the report into reports/<version>/."""
    del help_parameters
    project = _context.project()
    options = Options(engine, allow_failed_checks, overwrite or watch)

    def read() -> ReportParameters:
        return resolve_parameters(project, file or [], yaml or [], pairs_of(parameter or []))

    def make(options: Options) -> None:
        make_edition(project, read(), _names(project, file or [], redact), options, workers)

    if watch:
        _watch(project, file or [], read, make, options)
    else:
        make(options)


def make_edition(
    project: Project, parameters: ReportParameters, names: Sequence[Redact], options: Options,
    workers: str | None = None,
) -> None:  # fmt: skip
    """Build an edition with the chapters about itself, and print where its parts are."""
    with ExitStack() as stack:
        built = build_edition(
            project, parameters, names, _with_workers(project, options, workers, stack),
            _context.RichProgress(),
            lambda source, edition: _afterwords(source, edition, stack),
        )  # fmt: skip
    if built.aliases is not None:
        typer.echo(
            f"aliases: {project.relative(built.aliases)}; do not pass this file on", err=True
        )
    for note in built.notes:
        typer.echo(f"note: {note}", err=True)
    folder = project.relative(built.folder)
    if built.unchanged:
        typer.echo(f"nothing changed: {folder} is up to date")
    pdfs = sorted((path.name for path in built.folder.glob("*.pdf")), reverse=True)
    typer.echo("\n".join(f"{folder}/{name}" for name in ("html/index.html", *pdfs)))


def _with_workers(
    project: Project, options: Options, place: str | None, stack: ExitStack
) -> Options:
    """Say how many chapters run at a time, and where."""
    if place is None:
        return options
    if place.isdecimal():
        if not 1 <= int(place) <= _MOST_AT_A_TIME:
            raise ParameterError(
                f"{place} chapters cannot be run at a time", where="--workers",
                allowed=f"1 to {_MOST_AT_A_TIME}",
            )  # fmt: skip
        return replace(options, at_a_time=int(place))
    from roundtrip.hosts.cluster import workers_at

    client = stack.enter_context(workers_at(place, project))
    from roundtrip.hosts.chapters import OverWorkers

    over = OverWorkers(client)
    return replace(options, at_a_time=over.at_a_time, elsewhere=over)


def _names(project: Project, files: Sequence[Path], redact: bool | None) -> list[Redact]:
    """Read which names are to be replaced; none where that is not wanted."""
    names = [] if redact is False else load_names([project.params / "report.yml", *files])
    if redact and not names:
        raise ParameterError(
            "there are no names to replace",
            where="--redact",
            remedy="list them under 'redact' in params/report.yml or in a file given with -f "
            "('roundtrip docs redaction')",
        )
    return names


def _afterwords(project: Project, parameters: ReportParameters, stack: ExitStack) -> list[Writer]:
    """Prepare the chapters about the report itself, refusing what they cannot be written from."""
    writers = []
    for name in ("changes_since", "remarks"):
        place = project.root / getattr(parameters, name)
        if getattr(parameters, name) and not place.resolve().is_relative_to(project.root.resolve()):
            raise ParameterError("leads out of the project", where=parameters.place_of(name))
    if parameters.changes_since:
        from roundtrip.packet.since import changes_writer

        older = stack.enter_context(opened(project.root / parameters.changes_since))
        writers.append(changes_writer(report_in(older), parameters))
    if parameters.remarks:
        from roundtrip.remarks.chapter import remarks_writer

        path = project.root / parameters.remarks
        writers.append(remarks_writer(path, parameters.title, parameters.version))
    return writers


def _watch(
    project: Project,
    given: Sequence[Path],
    read: Callable[[], ReportParameters],
    make: Callable[[Options], None],
    options: Options,
) -> None:
    """Build again whenever a file is saved, with a kernel and a browser that wait for it.

    Of a book that the same process has laid out before, Typst lays out again only what changed.
    That holds for chapters; with other data, templates or code this process would be an old one.
    Garbage is collected while it waits: within a build that takes half a second.
    """
    from roundtrip.publish.chapters.standby import on_standby

    prepared = options
    gc.disable()
    with ExitStack() as standby:
        while True:
            watched = [*given]
            with suppress(RoundtripError):  # which the build will tell
                watched += [project.root / place for place in named_places(read().model_dump())]
            before = stamps_of(project, watched)
            try:
                make(prepared)
            except RoundtripError as problem:
                if _context.debug():
                    raise
                _context.show_error(problem)
            standby.close()
            prepared = replace(options, standby=standby.enter_context(on_standby(project)))
            gc.collect()  # before anybody is asked for Ctrl-C, which could be lost in it
            try:
                typer.echo("waiting for changes; press Ctrl-C to stop")
                changed = next_change(project, before, watched)
            except KeyboardInterrupt:
                return
            typer.echo(f"changed: {', '.join(sorted(changed))}")
            if not all(name.startswith("notebooks/") for name in changed):
                break
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - this very command
