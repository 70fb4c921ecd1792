"""The whole build: parameters → checks → chapters → renderers → one versioned folder."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from roundtrip.build import manifest
from roundtrip.build.book_definition import load_book_definition
from roundtrip.build.commit import find_commit
from roundtrip.build.engine import Engine, choose_engine
from roundtrip.build.pdf_memory import LastPdf
from roundtrip.build.selection import left_out, select_chapters
from roundtrip.errors import ParameterError, RenderError, nearest
from roundtrip.files import folder_atomically, sha256_of_file, write_atomically
from roundtrip.params import ReportParameters
from roundtrip.project import Project

if TYPE_CHECKING:
    from roundtrip.build.book import Book
    from roundtrip.checks import CheckResults
    from roundtrip.observations import Observations


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
    last = LastPdf(project.cache / "typeset" / parameters.version, project.fonts)
    if not engine.startswith("quarto"):
        last.recall()  # in vain where nothing has changed; but the processor has nothing else to do
    commit = find_commit(project.root, parameters.date)
    inputs = manifest.input_hashes(project)
    fingerprint = manifest.build_fingerprint(inputs, parameters, commit.name, engine)
    target = project.reports / parameters.version
    if _at_hand(target, fingerprint, options):
        return Built(target, unchanged=True)
    from roundtrip.build.execute import kernels_for, plan_chapters

    values = {**parameters.model_dump(mode="json"), "commit": commit.name}
    executions = plan_chapters(project, plans, values, manifest.chapter_fingerprint(inputs))
    with kernels_for(executions) as server:
        # Kernels get ready while this process imports what takes longer.
        from roundtrip.build.chapters import make_chapters

        with progress.step("Observations"):
            observations = _observe(project, parameters)
        notebooks, results = make_chapters(
            project, executions, server, observations, options, progress
        )
    from roundtrip.build.assembly import assemble
    from roundtrip.build.review import write_review

    code = manifest.code_fingerprint(inputs)
    excluded = left_out(project, definition, plans)
    with folder_atomically(target) as work:
        assembled = assemble(
            plans, notebooks, excluded, parameters, commit, _banner(results), observations,
            project.cache / "blocks",
        )  # fmt: skip
        review = partial(
            write_review, assembled, notebooks, project.templates / "html" / "review.html",
            work / "html", project.cache / "review", code,
        )  # fmt: skip
        if engine.startswith("quarto"):
            from roundtrip.build.quarto import render_with_quarto

            with progress.step("Rendering with Quarto"):
                versions = render_with_quarto(project, assembled.book, notebooks, work, excluded)
                review()
                outputs = manifest.output_hashes(work)
        else:
            with progress.step("Rendering HTML and PDF", total=3) as advance:
                versions, outputs = _render_embedded(
                    project, assembled.book, work, code, review, last, advance
                )
        text = manifest.manifest_text(
            parameters=parameters,
            commit=commit.name,
            engine={"name": engine.split()[0], **versions},
            fingerprint=fingerprint,
            inputs=inputs,
            outputs=outputs,
            checks=_summary(results),
        )
        write_atomically(work / manifest.NAME, text)
    return Built(target, unchanged=False)


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


def _observe(project: Project, parameters: ReportParameters) -> Observations:
    """Load the observations, and judge the claims, which several chapters ask for."""
    from roundtrip.claims import judge_claims
    from roundtrip.observations import load_observations

    observations = load_observations(project)
    _refuse_unknown_values(observations, parameters)
    judge_claims(observations, parameters.word_limits)
    return observations


def _refuse_unknown_values(observations: Observations, parameters: ReportParameters) -> None:
    """Refuse variants, message sizes and a baseline that occur nowhere in the data."""
    factors = ("compression", "tls_protocol", "tls_cipher", "log_storage", "ha")
    levels = observations.levels
    known = sorted({str(value) for name in factors for value in levels[name]})
    for name in parameters.variants:
        if name not in known:
            raise ParameterError(
                f"unknown variant '{name}'{nearest(name, known)}",
                where="variants",
                allowed=", ".join(known),
            )
    sizes = [int(size) for size in levels["message_bytes"]]
    for size in parameters.message_bytes:
        if size not in sizes:
            raise ParameterError(
                f"no observation has messages of {size} bytes",
                where="message_bytes",
                allowed=", ".join(map(str, sizes)),
            )
    ciphers = levels["tls_cipher"]
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


def _render_embedded(
    project: Project,
    book: Book,
    work: Path,
    code: str,
    review: Callable[[], None],
    last: LastPdf,
    advance: Callable[[], None],
) -> tuple[dict[str, str], dict[str, str]]:
    """Typeset the PDF while the site is written; give versions of renderers and hashes of files.

    Its sources go first, and the site waits for the last PDF to be laid out: from then on Typst has
    but one processor at work.
    """
    from importlib.metadata import version

    from roundtrip.build.kept import KeptChapters
    from roundtrip.build.pdf import render_pdf, typst_sources
    from roundtrip.build.site import render_site

    kept = KeptChapters(project.cache / "chapters", code, project.fonts)
    site = work / "html"
    site.mkdir()
    sources = typst_sources(book, project, kept.typst)
    with ThreadPoolExecutor(1) as pool:
        pdf = pool.submit(render_pdf, book, project, sources, kept.arrangement, last)
        last.wait()
        render_site(book, project, site, kept.html)
        advance()
        review()
        advance()
        outputs = manifest.output_hashes(work)  # the PDF is still being written
        write_atomically(work / "report.pdf", pdf.result())
    outputs["report.pdf"] = sha256_of_file(work / "report.pdf")
    return {"pandoc": version("pypandoc_binary"), "typst": version("typst")}, outputs


def _summary(results: CheckResults) -> dict[str, Any]:
    """Say for the manifest how many rules were checked, and which failed."""
    return {
        "rules": sum(len(suite.outcomes) for suite in results.suites),
        "failed": [outcome.rule for _, outcome in results.failed],
    }
