"""The whole build: parameters → checks → chapters → renderers → one versioned folder."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from roundtrip.errors import DataError, ParameterError, RenderError, nearest
from roundtrip.files import alone_in, folder_atomically, temporary_files
from roundtrip.params import ReportParameters, load_declarations
from roundtrip.project import Project
from roundtrip.publish import manifest
from roundtrip.publish.book_definition import left_out
from roundtrip.publish.edition import Edition, Planned, plan_edition
from roundtrip.publish.options import Options, Progress
from roundtrip.publish.watch import stamps_of
from roundtrip.theme import load_theme

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from roundtrip.observations import Observations
    from roundtrip.publish.afterwords import Writer
    from roundtrip.publish.book import Book
    from roundtrip.publish.chapters.execute import Execution
    from roundtrip.publish.references import Target
    from roundtrip.redaction.aliases import Aliases

    Notebooks = dict[str, NotebookNode]


@dataclass(frozen=True)
class Built:
    """Where the report is, and whether anything had to be done.

    `aliases` is the table of the names that it does not tell; None where it tells all. `notes`
    say what a reader will not find as it was written.
    """

    folder: Path
    unchanged: bool
    aliases: Path | None = None
    notes: tuple[str, ...] = ()


def build(
    project: Project,
    parameters: ReportParameters,
    options: Options,
    progress: Progress,
    afterwords: Sequence[Writer] = (),
    aliases: Aliases | None = None,
) -> Built:
    """Build the report of one edition.

    Parameters
    ----------
    afterwords : sequence of Writer, optional
        Write the chapters about the report itself.
    aliases : Aliases, optional
        Stand for names that no file of the report may hold.

    Raises
    ------
    RoundtripError
        If anything is wrong; what was built before stays whole.
    """
    with alone_in(project.cache / "build", wait=False), temporary_files():
        planned = plan_edition(project, parameters, options.engine)
        if _at_hand(planned, options):
            _refuse_leaks(planned.target, aliases, progress)
            return Built(planned.target, unchanged=True)
        notes: list[str] = []
        edition, notebooks, texts = _run(planned, options, progress)
        with folder_atomically(planned.target) as work:
            book, targets = edition.book(planned.chapters, texts)
            if afterwords:
                with progress.step("What changed, remarks"):
                    book, notebooks, texts = _with_afterwords(
                        edition, book, targets, notebooks, texts, afterwords
                    )
            if planned.quarto_version:
                from roundtrip.publish.quarto.render import render_with_quarto

                with progress.step("Rendering with Quarto"):
                    render_with_quarto(project, book, texts, work, edition.left_out)
                    edition.write_review(book, notebooks, work / "html")
            else:
                with progress.step("Rendering HTML and PDF", total=3) as advance:
                    notes = edition.render(book, notebooks, work, advance)
            edition.write_manifest(work, manifest.output_hashes(work))
            _refuse_leaks(work, aliases, progress)
        return Built(planned.target, unchanged=False, notes=tuple(notes))


def _run(
    planned: Planned, options: Options, progress: Progress
) -> tuple[Edition, Notebooks, Notebooks]:
    """Run the chapters; give the edition with its notebooks, as they ran and as renderers read."""
    from roundtrip.publish.chapters.execute import plan_chapters

    project, parameters, inputs = planned.project, planned.parameters, planned.inputs
    values = parameters.values_for_chapters(planned.commit.name)
    fingerprint = manifest.chapter_fingerprint(inputs)
    executions = plan_chapters(project, planned.chapters, values, fingerprint)
    run = options.elsewhere(project, planned.named, inputs) if options.elsewhere else None
    with progress.step("Observations"):
        observations = _observe(project, parameters, inputs)
    # What loads libraries is imported when nothing is refused any more.
    from roundtrip.present.numbers import NumberFormat
    from roundtrip.publish.chapters.inline import with_values
    from roundtrip.publish.chapters.lacking import without_lacking
    from roundtrip.publish.chapters.make import make_chapters
    from roundtrip.publish.chapters.tally import with_tally

    notebooks, results = make_chapters(
        project, executions, run, observations, options, progress, partial(_refuse_changed, planned)
    )
    valued = {name: with_values(notebook) for name, notebook in notebooks.items()}
    tallied = with_tally(valued, load_theme(project), NumberFormat(parameters.number_format))
    sources = {execution.source.stem: execution.notebook for execution in executions}
    texts, lacking = without_lacking(sources, tallied)
    edition = Edition(
        planned, observations, results,
        left_out(project, planned.definition, planned.chapters) | lacking,
        {path for execution in executions for path in execution.modules},
    )  # fmt: skip
    return edition, notebooks, texts


def _refuse_changed(planned: Planned, execution: Execution) -> None:
    """Refuse what a chapter made while files were saved that it may have read."""
    root = planned.project.root
    read = {path.relative_to(root).as_posix() for path in execution.modules}
    for name in manifest.differing(planned.stamps, stamps_of(planned.project)):
        if name in read or name.startswith(manifest.READ_BY_CHAPTERS):
            raise DataError(
                "was changed while chapters ran that read it", where=name,
                remedy="run the command again; chapters that had finished are kept",
            )  # fmt: skip


def _with_afterwords(
    edition: Edition, book: Book, targets: Mapping[str, Target], notebooks: Notebooks,
    texts: Notebooks, afterwords: Sequence[Writer],
) -> tuple[Book, Notebooks, Notebooks]:  # fmt: skip
    """Write the chapters about the report from the report without them, and add them to it."""
    from roundtrip.publish.afterwords import with_afterwords

    with tempfile.TemporaryDirectory() as name:
        draft = Path(name)
        edition.write_site(book, draft / "html")
        edition.write_review(book, notebooks, draft / "html")
        edition.write_manifest(draft, {})
        written = [write(draft, targets) for write in afterwords]
    plans, texts = with_afterwords(edition.planned.chapters, texts, written)
    book, _ = edition.book(plans, texts)
    return book, {**notebooks, **{one.name: one.notebook for one in written}}, texts


def _refuse_leaks(folder: Path, aliases: Aliases | None, progress: Progress) -> None:
    """Refuse a report that holds a name which aliases stand for, if any do."""
    if aliases is not None:
        from roundtrip.redaction.scan import refuse_leaks

        with progress.step("Names that must not be revealed"):
            refuse_leaks(folder, aliases)


def _at_hand(planned: Planned, options: Options) -> bool:
    """Say whether the very report is already there; refuse to replace another one unasked."""
    target = planned.target
    try:
        old = manifest.read_manifest(target)
    except RenderError:
        if options.overwrite:
            return False
        _refuse_unknown_values_first(planned)
        raise
    if old is not None and old["fingerprint"] == planned.fingerprint:
        # What was built although checks failed is no answer to a build that does not allow it.
        allowed = options.allow_failed_checks or not old["checks"].get("failed")
        if allowed and manifest.output_hashes(target) == old["outputs"]:
            return True
    elif target.exists() and not options.overwrite:
        _refuse_unknown_values_first(planned)
        was = "" if old is None else f", built from {old['report']['commit'] or 'other files'}"
        raise RenderError(
            f"version {target.name} exists with different content{was}",
            where=target,
            remedy="give the new edition its own version in params/report.yml, or pass --overwrite",
        )
    return False


def _refuse_unknown_values_first(planned: Planned) -> None:
    """Refuse a value that occurs nowhere: a version of its own would not help."""
    from roundtrip.observations import load_observations

    _refuse_unknown_values(load_observations(planned.project), planned.parameters)


def _observe(
    project: Project, parameters: ReportParameters, inputs: Mapping[str, str]
) -> Observations:
    """Load the observations, and judge the claims, which several chapters ask for."""
    from roundtrip.claims import load_ledger
    from roundtrip.observations import load_observations

    observations = load_observations(project)
    _refuse_unknown_values(observations, parameters)
    _refuse_changed_raw_files(observations, inputs)
    load_ledger(observations, parameters.word_limits)
    return observations


def _refuse_unknown_values(observations: Observations, parameters: ReportParameters) -> None:
    """Refuse values of parameters that are those of factors, and occur nowhere in the data."""
    path = observations.project.params / "parameters.yml"
    for name, declared in load_declarations(path).items():
        for factor in declared.values_of:
            observations.dictionary.factor(factor, f"{path}: {name}")
        levels = [level for factor in declared.values_of for level in observations.levels[factor]]
        known = [str(int(one) if isinstance(one, float) and one.is_integer() else one)
                 for one in levels]  # fmt: skip
        value = getattr(parameters, name)
        for one in value if declared.list else [value]:
            if declared.values_of and str(one) not in known:
                raise ParameterError(
                    f"no observation has '{one}' as {' or '.join(declared.values_of)}"
                    f"{nearest(str(one), known)}",
                    where=parameters.place_of(name),
                    allowed=", ".join(known) or "nothing yet: there are no observations",
                )


def _refuse_changed_raw_files(observations: Observations, inputs: Mapping[str, str]) -> None:
    """Refuse raw files of campaigns that are no longer what their manifests know of them."""
    for name in (*observations.campaign_ids, *observations.ingested_ids):
        if (file := f"data/campaigns/{name}/raw") in inputs:
            raise DataError(
                "is a file, and raw files are kept in a folder of that name", where=file,
                remedy="put the folder back",
            )  # fmt: skip
    for name in observations.campaign_ids:
        for run in observations.campaign(name).runs:
            file = f"data/campaigns/{name}/raw/{run.raw}"
            if run.raw_sha256 not in (None, inputs.get(file, run.raw_sha256)):
                raise DataError(
                    "the raw file was changed after it was measured",
                    where=file,
                    remedy="restore it, or measure its campaign again",
                )
