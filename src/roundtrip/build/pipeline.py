"""The whole build: parameters → checks → chapters → renderers → one versioned folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from roundtrip.build import manifest
from roundtrip.build.book_definition import BookDefinition, load_book_definition
from roundtrip.build.commit import Commit, find_commit
from roundtrip.errors import ParameterError, RenderError, SetupError, nearest
from roundtrip.files import folder_atomically, write_atomically
from roundtrip.params import ReportParameters
from roundtrip.project import Project

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from roundtrip.build.book import Book
    from roundtrip.build.document import Target
    from roundtrip.checks import CheckResults
    from roundtrip.observations import Observations

Engine = Literal["auto", "embedded", "quarto"]


class Progress(Protocol):
    """How the build tells what it is doing."""

    def step(self, text: str, total: int = 1) -> AbstractContextManager[Any]:
        """Begin a step of `total` parts; the context's value advances it when called."""
        ...


@dataclass(frozen=True)
class Options:
    """How to build, apart from what.

    Attributes
    ----------
    engine : {"auto", "embedded", "quarto"}
        Renderer; ``auto`` takes Quarto where it is installed.
    allow_failed_checks : bool
        Build with a banner although checks fail.
    overwrite : bool
        Replace an existing report of the same version.
    workers : int or None
        Kernels at a time; None for the number of processors.
    """

    engine: Engine = "auto"
    allow_failed_checks: bool = False
    overwrite: bool = False
    workers: int | None = None


@dataclass(frozen=True)
class Built:
    """Where the report is, and whether anything had to be done."""

    folder: Path
    unchanged: bool


@dataclass(frozen=True)
class ChapterPlan:
    """One chapter of this edition: its notebook, its place in the book."""

    source: Path
    kind: Literal["front", "chapter", "appendix"]
    number: str


def build(
    project: Project, parameters: ReportParameters, options: Options, progress: Progress
) -> Built:
    """Build the report of one edition.

    Parameters
    ----------
    project : Project
    parameters : ReportParameters
    options : Options
    progress : Progress

    Returns
    -------
    Built

    Raises
    ------
    RoundtripError
        If anything is wrong; what was built before stays whole.
    """
    definition = load_book_definition(project.book)
    plans = select_chapters(project, definition, parameters.chapters)
    engine = choose_engine(options.engine)
    commit = find_commit(project.root, parameters.date)
    inputs = manifest.input_hashes(project)
    fingerprint = manifest.build_fingerprint(inputs, parameters, commit.name, engine)
    target = project.reports / parameters.version
    if _at_hand(target, fingerprint, options):
        return Built(target, unchanged=True)
    with progress.step("Observations"):
        from roundtrip.observations import load_observations

        observations = load_observations(project)
        _refuse_unknown_values(observations, parameters)
    from roundtrip.build.chapters import make_chapters

    values = {**parameters.model_dump(mode="json"), "commit": commit.name}
    notebooks, results = make_chapters(
        project, plans, values, manifest.chapter_fingerprint(inputs), observations, options,
        progress,
    )  # fmt: skip
    banner = _banner(results)
    edition_line = " · ".join(filter(None, [parameters.title, parameters.version, commit.name]))
    with folder_atomically(target) as work:
        book, targets = _book(project, plans, notebooks, parameters, commit, banner, observations)
        if engine.startswith("quarto"):
            from roundtrip.build.quarto import render_with_quarto

            with progress.step("Rendering with Quarto"):
                left_out = _left_out(project, plans)
                versions = render_with_quarto(project, book, notebooks, work, left_out)
                _add_notebooks(project, book, targets, notebooks, work, edition_line)
        else:
            with progress.step("Rendering HTML and PDF", total=3) as advance:
                add_notebooks = partial(
                    _add_notebooks, project, book, targets, notebooks, work, edition_line
                )
                code = manifest.code_fingerprint(inputs)
                versions = _render_embedded(project, book, work, code, add_notebooks, advance)
        text = manifest.manifest_text(
            parameters=parameters,
            commit=commit.name,
            engine={"name": engine.split()[0], **versions},
            fingerprint=fingerprint,
            inputs=inputs,
            outputs=manifest.output_hashes(work),
            checks=_summary(results),
        )
        write_atomically(work / manifest.NAME, text)
    return Built(target, unchanged=False)


def select_chapters(
    project: Project, definition: BookDefinition, names: Sequence[str]
) -> list[ChapterPlan]:
    """Give the chapters of this edition with their numbers.

    Parameters
    ----------
    project : Project
    definition : BookDefinition
        The book as ``_quarto.yml`` defines it.
    names : sequence of str
        Chapters to include, by file stem; empty for all. The front chapter and the appendices
        always belong to the report.

    Raises
    ------
    ParameterError
        If a name is no chapter; the nearest one is given.
    """
    front, *rest = definition.chapters
    known = [Path(path).stem for path in rest]
    for name in names:
        if name not in known:
            raise ParameterError(
                f"unknown chapter '{name}'{nearest(name, known)}",
                where="chapters",
                allowed=", ".join(known),
            )
    plans = [ChapterPlan(project.root / front, "front", "")]
    chosen = [path for path in rest if not names or Path(path).stem in names]
    plans += [
        ChapterPlan(project.root / path, "chapter", str(number))
        for number, path in enumerate(chosen, start=1)
    ]
    plans += [
        ChapterPlan(project.root / path, "appendix", chr(ord("A") + position))
        for position, path in enumerate(definition.appendices)
    ]
    return plans


def choose_engine(wanted: Engine) -> str:
    """Choose the renderer.

    Parameters
    ----------
    wanted : {"auto", "embedded", "quarto"}
        ``auto`` takes Quarto where it is installed and new enough.

    Returns
    -------
    str
        ``embedded``, or ``quarto`` with its version: another version may render otherwise.

    Raises
    ------
    SetupError
        If Quarto is asked for and not installed, or too old.
    """
    program = None if wanted == "embedded" else shutil.which("quarto")
    if program is not None:
        from roundtrip.build.quarto import quarto_version

        try:
            return f"quarto {quarto_version(Path(program))}"
        except SetupError:
            if wanted == "quarto":
                raise
    if wanted == "quarto":
        raise SetupError(
            "Quarto is not on PATH",
            remedy="install Quarto, use the conda route of environment.yml, or build with "
            "--engine embedded",
        )
    return "embedded"


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
        if manifest.output_hashes(target) == old["outputs"]:
            return True
    elif target.exists() and not options.overwrite:
        was = "" if old is None else f", built from {old['report']['commit'] or 'other files'}"
        raise RenderError(
            f"version {target.name} exists with different content{was}",
            where=target,
            remedy="give the new edition its own version in params/report.yml, or pass --overwrite",
        )
    return False


def _refuse_unknown_values(observations: Observations, parameters: ReportParameters) -> None:
    """Refuse variants, message sizes and a baseline that occur nowhere in the data."""
    factors = ("compression", "tls_protocol", "tls_cipher", "log_storage", "ha")
    frame = observations.frame
    known = sorted({str(value) for name in factors for value in frame[name].dropna()})
    for name in parameters.variants:
        if name not in known:
            raise ParameterError(
                f"unknown variant '{name}'{nearest(name, known)}",
                where="variants",
                allowed=", ".join(known),
            )
    sizes = sorted({int(size) for size in frame["message_bytes"].dropna()})
    for size in parameters.message_bytes:
        if size not in sizes:
            raise ParameterError(
                f"no observation has messages of {size} bytes",
                where="message_bytes",
                allowed=", ".join(map(str, sizes)),
            )
    ciphers = sorted(set(frame["tls_cipher"].dropna()))
    if parameters.tls_baseline not in ciphers:
        raise ParameterError(
            f"unknown CipherSpec '{parameters.tls_baseline}'"
            f"{nearest(parameters.tls_baseline, ciphers)}",
            where="tls_baseline",
            allowed=", ".join(ciphers),
        )


def _banner(results: CheckResults) -> str | None:
    count = len(results.failed)
    if not count:
        return None
    rules = "1 check" if count == 1 else f"{count} checks"
    return f"Built although {rules} failed: see the validation results before using any number."


def _book(
    project: Project,
    plans: Sequence[ChapterPlan],
    notebooks: Mapping[str, NotebookNode],
    parameters: ReportParameters,
    commit: Commit,
    banner: str | None,
    observations: Observations,
) -> tuple[Book, dict[str, Target]]:
    from roundtrip.build.book import Book
    from roundtrip.build.document import chapters_of, draft_chapter
    from roundtrip.sources.ingested import TABLE
    from roundtrip.sources.measured import RUNS

    cache = project.cache / "blocks"
    drafts = [
        draft_chapter(notebooks[plan.source.stem], plan.source.stem, plan.kind, plan.number, cache)
        for plan in plans
    ]
    reports = [observations.report(name) for name in observations.report_ids]
    chapters, targets = chapters_of(
        drafts,
        _left_out(project, plans),
        {report.id: report.short_title for report in reports}
        | {
            name: f"campaign {name}"
            for name in (*observations.campaign_ids, *observations.ingested_ids)
        },
        {
            f"{report.id}/{table}": number
            for report in reports
            for table, number in report.numbers.items()
        }
        | {f"{name}/{RUNS}": "every run" for name in observations.campaign_ids}
        | {f"{name}/{TABLE}": "every point" for name in observations.ingested_ids},
    )
    anchors = {label: target.chapter for label, target in targets.items()}
    return Book(parameters, commit.name, commit.timestamp, chapters, anchors, banner), targets


def _left_out(project: Project, plans: Sequence[ChapterPlan]) -> dict[str, str]:
    """Give the labels of chapters that this edition leaves out, with the chapters' titles."""
    from roundtrip.build.notebooks import heading_of, read_notebook, static_labels

    definition = load_book_definition(project.book)
    included = {plan.source for plan in plans}
    labels = {}
    for path in definition.chapters:
        source = project.root / path
        if source not in included:
            notebook = read_notebook(source)
            title, _ = heading_of(notebook, source)
            labels.update(dict.fromkeys(static_labels(notebook), title))
    return labels


def _render_embedded(
    project: Project,
    book: Book,
    work: Path,
    code: str,
    add_notebooks: Callable[[], None],
    advance: Callable[[], None],
) -> dict[str, str]:
    """Typeset the PDF while the site is written."""
    from importlib.metadata import version

    from roundtrip.build.kept import KeptChapters
    from roundtrip.build.pdf import render_pdf
    from roundtrip.build.site import render_site

    kept = KeptChapters(project.cache / "chapters", code)
    site = work / "html"
    site.mkdir()
    with ThreadPoolExecutor(1) as pool:
        pdf = pool.submit(render_pdf, book, project, kept.typst)
        render_site(book, project, site, kept.html)
        advance()
        add_notebooks()
        advance()
        write_atomically(work / "report.pdf", pdf.result())
    return {"pandoc": version("pypandoc_binary"), "typst": version("typst")}


def _add_notebooks(
    project: Project,
    book: Book,
    targets: Mapping[str, Target],
    notebooks: Mapping[str, NotebookNode],
    work: Path,
    edition: str,
) -> None:
    """Put the executed notebooks and the reviewers' pages beside the site's pages."""
    import nbformat

    from roundtrip.build.review import Place, ReviewPages

    page = {
        chapter.name: "index.html" if chapter.kind == "front" else f"{chapter.name}.html"
        for chapter in book.chapters
    }
    places = {label: Place(page[item.chapter], item.text) for label, item in targets.items()}
    review = ReviewPages(
        project.templates / "html" / "review.html", places, project.cache / "review"
    )
    for chapter in book.chapters:
        notebook = notebooks[chapter.name]
        write_atomically(
            work / "html" / "notebooks" / f"{chapter.name}.ipynb", nbformat.writes(notebook) + "\n"
        )
        write_atomically(
            work / "html" / "review" / f"{chapter.name}.html",
            review.page(notebook, chapter.title, edition),
        )


def _summary(results: CheckResults) -> dict[str, Any]:
    """Say for the manifest how many rules were checked, and which failed."""
    return {
        "rules": sum(len(suite.outcomes) for suite in results.suites),
        "failed": [outcome.rule for _, outcome in results.failed],
    }
