"""The whole build: parameters → checks → chapters → renderers → one versioned folder."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
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
    left_out,
    load_book_definition,
    refuse_unknown_annex,
    select_chapters,
)
from roundtrip.publish.commit import COMMIT_FILE, find_commit
from roundtrip.publish.options import Options, Progress, choose_engine
from roundtrip.theme import Typeface, load_theme
from roundtrip.yamlfile import line_of, load_yaml

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from roundtrip.checks import CheckResults
    from roundtrip.observations import Observations
    from roundtrip.publish.afterwords import Writer
    from roundtrip.publish.book import Book, Chapter


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
    with alone_in(project.cache / "build", wait=False), temporary_files():
        return _build(project, parameters, options, progress, afterwords, inspect)


def _build(
    project: Project,
    parameters: ReportParameters,
    options: Options,
    progress: Progress,
    afterwords: Sequence[Writer],
    inspect: Callable[[Path], None] | None,
) -> Built:
    definition = load_book_definition(project.book)
    project.refuse_misplaced_templates()
    theme = load_theme(project)
    plans = select_chapters(project, definition, parameters.chapters)
    refuse_unknown_annex(definition, parameters.annex)
    engine = choose_engine(options.engine)
    commit = find_commit(project.root, parameters.date)
    named = manifest.named_places(parameters.model_dump())
    inputs = manifest.input_hashes(project, named)
    fingerprint = manifest.build_fingerprint(inputs, parameters, commit.name, engine)
    target = project.reports / parameters.version
    try:
        at_hand = _at_hand(target, fingerprint, options)
    except RenderError:
        # A value that occurs nowhere comes first: a version of its own would not help.
        _refuse_unknown_values(_loaded(project), parameters)
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
    from roundtrip.publish.assembly import assemble
    from roundtrip.publish.chapters.inline import with_values
    from roundtrip.publish.chapters.lacking import without_lacking
    from roundtrip.publish.chapters.make import make_chapters
    from roundtrip.publish.chapters.tally import with_tally

    notebooks, results = make_chapters(project, executions, run, observations, options, progress)
    valued = {name: with_values(notebook) for name, notebook in notebooks.items()}
    sources = {execution.source.stem: execution.notebook for execution in executions}
    texts, lacking = without_lacking(sources, with_tally(valued, theme))
    excluded = left_out(project, definition, plans) | lacking
    modules = {path for execution in executions for path in execution.modules}
    cache, code = Cache(project.cache), manifest.code_fingerprint(inputs)
    rendering = _Rendering(project, parameters, observations, modules, cache, code)
    assembled = partial(
        assemble, left_out=excluded, parameters=parameters, commit=commit,
        banner=_banner(results), observations=observations, cache=cache, echo=definition.echo,
    )  # fmt: skip
    manifest_of = partial(
        manifest.manifest_text, parameters=parameters, commit=commit,
        fingerprint=fingerprint, inputs=inputs, checks=_summary(results),
    )  # fmt: skip
    quarto = engine.startswith("quarto")
    with folder_atomically(target) as work:
        book, targets = assembled(plans, texts)
        if afterwords:
            from roundtrip.publish.afterwords import with_afterwords

            with tempfile.TemporaryDirectory() as name, progress.step("What changed, remarks"):
                draft = Path(name)
                (draft / "html").mkdir()
                rendering.site(book, draft / "html")
                rendering.review(book, notebooks, draft / "html")
                used = {} if quarto else _renderer_versions()
                text = manifest_of(engine={"name": engine.split()[0], **used}, outputs={})
                write_atomically(draft / manifest.NAME, text)
                written = [write(draft, targets) for write in afterwords]
            plans, texts = with_afterwords(plans, texts, written)
            notebooks = {**notebooks, **{one.name: one.notebook for one in written}}
            book, _ = assembled(plans, texts)
        if quarto:
            from roundtrip.publish.quarto.render import render_with_quarto

            with progress.step("Rendering with Quarto"):
                render_with_quarto(project, book, texts, work, excluded)
                versions = {"quarto": engine.split()[1]}
                rendering.review(book, notebooks, work / "html")
        else:
            with progress.step("Rendering HTML and PDF", total=3) as advance:
                rendering.report(book, notebooks, work, advance)
                versions = _renderer_versions()
        outputs = manifest.output_hashes(work)
        text = manifest_of(engine={"name": engine.split()[0], **versions}, outputs=outputs)
        write_atomically(work / manifest.NAME, text)
        if inspect is not None:
            with progress.step("Names that must not be revealed"):
                inspect(work)
    return Built(target, unchanged=False)


@dataclass(frozen=True)
class _Rendering:
    """Writes a book into folders, each text anew only where its content or the code changed.

    `modules` are those that chapters import; `code` is the hash of what writes.
    """

    project: Project
    parameters: ReportParameters
    observations: Observations
    modules: Collection[Path]
    cache: Cache
    code: str

    def kept(self, kind: str, content: Any, make: Callable[[], str]) -> str:
        """Give a text that this content and the code decide: one at hand, or one made now."""
        return self.cache.text(kind, sha256_of_json([self.code, content]), make)

    def report(
        self,
        book: Book,
        notebooks: Mapping[str, NotebookNode],
        work: Path,
        advance: Callable[[], None],
    ) -> None:
        """Typeset the PDFs while the site is written."""
        from roundtrip.publish.pdf.render import render_pdfs

        site = work / "html"
        site.mkdir()
        with ThreadPoolExecutor(1) as pool:
            pdfs = pool.submit(render_pdfs, book, self.project, self._typst)
            self.site(book, site)
            advance()
            self.review(book, notebooks, site)
            advance()
            for name, content in pdfs.result().items():
                write_atomically(work / name, content)

    def site(self, book: Book, folder: Path) -> None:
        """Write the pages of the site."""
        from roundtrip.publish.html.site import render_site

        render_site(book, self.project, folder, self._html, self._comparison())

    def review(self, book: Book, notebooks: Mapping[str, NotebookNode], site: Path) -> None:
        """Write the pages for reviewers, and the notebooks with their modules, beside the site."""
        from roundtrip.publish.html.review import write_review

        top = self.project.notebooks
        modules = {path.relative_to(top).as_posix(): path for path in self.modules}
        write_review(book, notebooks, self.project, site, self.kept, modules)

    def _html(self, chapter: Chapter, book: Book) -> str:
        from roundtrip.publish.html.writer import chapter_inputs, chapter_to_html

        content = chapter_inputs(chapter, book)
        return self.kept("html", content, partial(chapter_to_html, chapter, book))

    def _typst(self, chapter: Chapter, fonts: Typeface) -> str:
        from roundtrip.publish.pdf.writer import chapter_to_typst

        return self.kept("typst", chapter, partial(chapter_to_typst, chapter, fonts))

    def _comparison(self) -> Any:
        """Give the points that readers may compare, as the edition shows them; None without any."""
        rate_unit, number_format = self.parameters.rate_unit, self.parameters.number_format

        def made() -> str:
            from roundtrip.present import Chapter
            from roundtrip.present.comparison import comparison

            folder = self.project.root
            chapter = Chapter(folder=folder, rate_unit=rate_unit, number_format=number_format)
            return json.dumps(comparison(chapter))

        content = [self.observations.fingerprint, rate_unit, number_format]
        return json.loads(self.kept("comparison", content, made))


def _at_hand(target: Path, fingerprint: str, options: Options) -> bool:
    """Say whether the very report is already there; refuse to replace another one unasked."""
    if options.overwrite and not target.is_dir():
        return False
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

    observations = _loaded(project)
    _refuse_unknown_values(observations, parameters)
    _refuse_changed_raw_files(observations, inputs)
    load_ledger(observations, parameters.word_limits)
    return observations


def _loaded(project: Project) -> Observations:
    """Load the observations, with what that takes to import."""
    from roundtrip.observations import load_observations

    return load_observations(project)


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
                    where=_given_in(observations.project, name, one),
                    allowed=", ".join(known) or "nothing yet: there are no observations",
                )


def _given_in(project: Project, name: str, value: Any) -> str:
    """Name a parameter with the place where its value is set, if that is a file of the project."""
    path, keys = project.params / "report.yml", [name]
    stated = load_yaml(path, ParameterError) if path.is_file() else {}
    if name not in stated:
        path, keys = project.params / "parameters.yml", ["parameters", name, "default"]
        stated = {name: load_declarations(path)[name].default}
    given = stated[name] if isinstance(stated[name], list) else [stated[name]]
    # A copy of a project, such as that of an edition without names, has files of its own.
    if value not in given or (project.root / COMMIT_FILE).is_file():
        return name
    return f"{project.relative(path)}:{line_of(path.read_text(encoding='utf-8'), keys)}: {name}"


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


def _banner(results: CheckResults) -> str | None:
    count = len(results.failed)
    if not count:
        return None
    rules = "1 check" if count == 1 else f"{count} checks"
    return f"Built although {rules} failed: see the validation results before using any number."


def _renderer_versions() -> dict[str, str]:
    """Give the versions of what the embedded renderer stands on."""
    from importlib.metadata import version

    return {"pandoc": version("pypandoc_binary"), "typst": version("typst")}


def _summary(results: CheckResults) -> dict[str, Any]:
    """Say for the manifest how many rules were checked, and which failed."""
    return {
        "rules": sum(len(suite.outcomes) for suite in results.suites),
        "failed": [outcome.rule for _, outcome in results.failed],
    }
