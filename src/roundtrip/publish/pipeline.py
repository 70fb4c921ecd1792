"""The whole build: parameters → checks → chapters → renderers → one versioned folder."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roundtrip.cache import Cache
from roundtrip.errors import DataError, ParameterError, RenderError, nearest
from roundtrip.files import (
    alone_in,
    folder_atomically,
    sha256_of_json,
    temporary_files,
    write_atomically,
)
from roundtrip.params import ReportParameters, load_declarations
from roundtrip.project import Project
from roundtrip.publish import manifest
from roundtrip.publish.book_definition import (
    ChapterPlan,
    left_out,
    load_book_definition,
    refuse_unknown_annex,
    select_chapters,
)
from roundtrip.publish.commit import Commit, find_commit
from roundtrip.publish.options import Options, Progress, choose_engine
from roundtrip.publish.watch import stamps_of
from roundtrip.theme import load_theme

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from roundtrip.checks import CheckResults
    from roundtrip.observations import Observations
    from roundtrip.publish.afterwords import Writer
    from roundtrip.publish.book import Book
    from roundtrip.publish.chapters.execute import Execution
    from roundtrip.publish.references import Target


@dataclass(frozen=True)
class Built:
    """Where the report is, and whether anything had to be done.

    `aliases` is the table of the names that it does not tell; None where it tells all.
    """

    folder: Path
    unchanged: bool
    aliases: Path | None = None


def build(
    project: Project,
    parameters: ReportParameters,
    options: Options,
    progress: Progress,
    afterwords: Sequence[Writer] = (),
    inspect: Callable[[Path], None] | None = None,
) -> Built:
    """Build the report of one edition.

    Parameters
    ----------
    afterwords : sequence of Writer, optional
        Write the chapters about the report itself.
    inspect : callable, optional
        Raises an error if the folder of the whole report must not be published.

    Raises
    ------
    RoundtripError
        If anything is wrong; what was built before stays whole.
    """
    from roundtrip.sources.measured import campaigns_named

    with alone_in(project.cache / "build", wait=False), temporary_files():
        definition = load_book_definition(project.book)
        project.refuse_misplaced_templates()
        theme = load_theme(project)
        place_of = parameters.place_of
        plans = select_chapters(project, definition, parameters.chapters, place_of("chapters"))
        refuse_unknown_annex(definition, parameters.annex, place_of("annex"))
        campaigns_named(project.campaigns, parameters.campaigns, place_of("campaigns"))
        engine = choose_engine(options.engine)
        commit = find_commit(project.root, parameters.date)
        named = manifest.named_places(parameters.model_dump())
        stamps = stamps_of(project)
        inputs = manifest.input_hashes(project, named)
        fingerprint = manifest.build_fingerprint(inputs, parameters, commit.name, engine)
        target = project.reports / parameters.version
        try:
            at_hand = _at_hand(target, fingerprint, options)
        except RenderError:
            # A value that occurs nowhere comes first: a version of its own would not help.
            from roundtrip.observations import load_observations

            _refuse_unknown_values(load_observations(project), parameters)
            raise
        if at_hand:
            if inspect is not None:
                inspect(target)
            return Built(target, unchanged=True)
        from roundtrip.publish.chapters.execute import plan_chapters

        values = parameters.values_for_chapters(commit.name)
        executions = plan_chapters(project, plans, values, manifest.chapter_fingerprint(inputs))
        run = options.elsewhere(project, named, inputs) if options.elsewhere else None
        with progress.step("Observations"):
            observations = _observe(project, parameters, inputs)
        from roundtrip.present.numbers import NumberFormat
        from roundtrip.publish.chapters.inline import with_values
        from roundtrip.publish.chapters.lacking import without_lacking
        from roundtrip.publish.chapters.make import make_chapters
        from roundtrip.publish.chapters.tally import with_tally

        def refuse_changed(execution: Execution) -> None:
            read = {path.relative_to(project.root).as_posix() for path in execution.modules}
            for name in manifest.differing(stamps, stamps_of(project)):
                if name in read or name.startswith(manifest.READ_BY_CHAPTERS):
                    raise DataError(
                        "was changed while chapters ran that read it", where=name,
                        remedy="run the command again; chapters that had finished are kept",
                    )  # fmt: skip

        notebooks, results = make_chapters(
            project, executions, run, observations, options, progress, refuse_changed
        )
        valued = {name: with_values(notebook) for name, notebook in notebooks.items()}
        numbers = NumberFormat(parameters.number_format)
        sources = {execution.source.stem: execution.notebook for execution in executions}
        texts, lacking = without_lacking(sources, with_tally(valued, theme, numbers))
        edition = _Edition(
            project, parameters, commit, engine, inputs, fingerprint, observations, results,
            left_out(project, definition, plans) | lacking, definition.echo,
            {path for execution in executions for path in execution.modules},
        )  # fmt: skip
        with folder_atomically(target) as work:
            book, targets = edition.book(plans, texts)
            if afterwords:
                from roundtrip.publish.afterwords import with_afterwords

                with tempfile.TemporaryDirectory() as name, progress.step("What changed, remarks"):
                    draft = Path(name)
                    edition.write_site(book, draft / "html")
                    edition.write_review(book, notebooks, draft / "html")
                    edition.write_manifest(draft, {})
                    written = [write(draft, targets) for write in afterwords]
                plans, texts = with_afterwords(plans, texts, written)
                notebooks = {**notebooks, **{one.name: one.notebook for one in written}}
                book, _ = edition.book(plans, texts)
            if edition.quarto_version:
                from roundtrip.publish.quarto.render import render_with_quarto

                with progress.step("Rendering with Quarto"):
                    render_with_quarto(project, book, texts, work, edition.left_out)
                    edition.write_review(book, notebooks, work / "html")
            else:
                with progress.step("Rendering HTML and PDF", total=3) as advance:
                    edition.render(book, notebooks, work, advance)
            edition.write_manifest(work, manifest.output_hashes(work))
            if inspect is not None:
                with progress.step("Names that must not be revealed"):
                    inspect(work)
        return Built(target, unchanged=False)


@dataclass(frozen=True)
class _Edition:
    """Writes an edition into folders, each text anew only where its content or the code changed.

    `engine` is from `choose_engine`, `left_out` as `References` has it, `modules` are those that
    chapters import.
    """

    project: Project
    parameters: ReportParameters
    commit: Commit
    engine: str
    inputs: Mapping[str, str]
    fingerprint: str
    observations: Observations
    checks: CheckResults
    left_out: Mapping[str, str]
    echo: bool
    modules: Collection[Path]

    @property
    def quarto_version(self) -> str:
        """The version of Quarto that renders it; empty where the embedded renderer does."""
        return self.engine.partition(" ")[2]

    def kept(self, kind: str, content: Any, make: Callable[[], str]) -> str:
        """Give a text that this content and the code decide: one at hand, or one made now."""
        key = sha256_of_json([manifest.code_fingerprint(self.inputs), content])
        return Cache(self.project.cache).text(kind, key, make)

    def book(
        self, plans: Sequence[ChapterPlan], texts: Mapping[str, NotebookNode]
    ) -> tuple[Book, dict[str, Target]]:
        """Put the book together; see `assemble`."""
        from roundtrip.publish.assembly import assemble

        count = len(self.checks.failed)
        rules = "1 check" if count == 1 else f"{count} checks"
        banner = (
            f"Built although {rules} failed: see the validation results before using any number."
            if count
            else None
        )
        return assemble(
            plans, texts, left_out=self.left_out, parameters=self.parameters, commit=self.commit,
            banner=banner, observations=self.observations, cache=Cache(self.project.cache),
            echo=self.echo,
        )  # fmt: skip

    def render(
        self,
        book: Book,
        notebooks: Mapping[str, NotebookNode],
        work: Path,
        advance: Callable[[], None],
    ) -> None:
        """Typeset the PDFs while the site is written."""
        from roundtrip.publish.pdf.render import render_pdfs

        site = work / "html"
        with ThreadPoolExecutor(1) as pool:
            pdfs = pool.submit(render_pdfs, book, self.project, self.kept)
            self.write_site(book, site)
            advance()
            self.write_review(book, notebooks, site)
            advance()
            for name, content in pdfs.result().items():
                write_atomically(work / name, content)

    def write_site(self, book: Book, folder: Path) -> None:
        """Write the pages of the site, with the points that readers may compare, if any."""
        from roundtrip.publish.html.site import render_site

        def compared() -> str:
            from roundtrip.present import Chapter
            from roundtrip.present.comparison import comparison

            return json.dumps(comparison(Chapter(folder=self.project.root, **units)))

        units = {name: getattr(self.parameters, name) for name in ("rate_unit", "number_format")}
        points = self.kept("comparison", [self.observations.fingerprint, *units.values()], compared)
        render_site(book, self.project, folder, self.kept, json.loads(points))

    def write_review(self, book: Book, notebooks: Mapping[str, NotebookNode], site: Path) -> None:
        """Write the pages for reviewers, and the notebooks with their modules, beside the site."""
        from roundtrip.publish.html.review import write_review

        top = self.project.notebooks
        modules = {path.relative_to(top).as_posix(): path for path in self.modules}
        write_review(book, notebooks, self.project, site, self.kept, modules)

    def write_manifest(self, folder: Path, outputs: Mapping[str, str]) -> None:
        """Write the manifest of a report of these files."""
        from importlib.metadata import version

        name, _, quarto = self.engine.partition(" ")
        renderers = {"pypandoc-binary": version("pypandoc_binary"), "typst": version("typst")}
        failed = [outcome.rule for _, outcome in self.checks.failed]
        text = manifest.manifest_text(
            parameters=self.parameters, commit=self.commit, fingerprint=self.fingerprint,
            engine={"name": name} | ({"quarto": quarto} if quarto else renderers),
            inputs=self.inputs, outputs=outputs,
            checks={"rules": sum(len(suite.outcomes) for suite in self.checks.suites),
                    "failed": failed},
        )  # fmt: skip
        write_atomically(folder / manifest.NAME, text)


def _at_hand(target: Path, fingerprint: str, options: Options) -> bool:
    """Say whether the very report is already there; refuse to replace another one unasked."""
    try:
        old = manifest.read_manifest(target)
    except RenderError:
        if options.overwrite:
            return False
        raise
    if old is not None and old["fingerprint"] == fingerprint:
        # What was built although checks failed is no answer to a build that does not allow it.
        allowed = options.allow_failed_checks or not old["checks"].get("failed")
        if allowed and manifest.output_hashes(target) == old["outputs"]:
            return True
    elif target.exists() and not options.overwrite:
        was = "" if old is None else f", built from {old['report']['commit'] or 'other files'}"
        raise RenderError(
            f"version {target.name} exists with different content{was}",
            where=target,
            remedy="give the new edition its own version in params/report.yml, or pass --overwrite",
        )
    return False


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
            observations.dictionary.factor_value(factor, None, f"{path}: {name}")
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
    from roundtrip.campaign.names import RawName

    for name in (*observations.campaign_ids, *observations.ingested_ids):
        if (file := f"data/campaigns/{name}/raw") in inputs:
            raise DataError(
                "is a file, and raw files are kept in a folder of that name", where=file,
                remedy="put the folder back",
            )  # fmt: skip
    for name in observations.campaign_ids:
        for run in observations.campaign(name).runs:
            file = f"data/campaigns/{name}/raw/{RawName(run.run)}"
            if run.raw_sha256 not in (None, inputs.get(file, run.raw_sha256)):
                raise DataError(
                    "the raw file was changed after it was measured",
                    where=file,
                    remedy="restore it, or measure its campaign again",
                )
