"""One edition on its way into folders: planned first, written when its chapters have run."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roundtrip.cache import Cache
from roundtrip.files import sha256_of_json, write_atomically
from roundtrip.params import ReportParameters
from roundtrip.project import Project
from roundtrip.publish import manifest
from roundtrip.publish.book_definition import (
    BookDefinition,
    ChapterPlan,
    load_book_definition,
    refuse_unknown_annex,
    select_chapters,
)
from roundtrip.publish.commit import Commit, find_commit
from roundtrip.publish.options import Engine, choose_engine
from roundtrip.publish.watch import Stamps, stamps_of
from roundtrip.theme import load_theme
from roundtrip.versions import library_versions

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from roundtrip.checks import CheckResults
    from roundtrip.observations import Observations
    from roundtrip.publish.book import Book
    from roundtrip.publish.references import Target


@dataclass(frozen=True)
class Planned:
    """An edition before anything is computed for it.

    `engine` is from `choose_engine`; `named` are paths that parameters name; `inputs` has the hash
    of each file that it is built from, and `stamps` were taken before they were hashed.
    """

    project: Project
    parameters: ReportParameters
    definition: BookDefinition
    chapters: Sequence[ChapterPlan]
    engine: str
    commit: Commit
    named: Sequence[str]
    stamps: Stamps
    inputs: Mapping[str, str]

    @cached_property
    def fingerprint(self) -> str:
        """Hash of everything that decides what the report holds."""
        edition = self.parameters.model_dump(mode="json")
        content = [self.inputs, library_versions(), edition, self.commit.name, self.engine]
        return sha256_of_json(content)

    @property
    def target(self) -> Path:
        """Where the report goes."""
        return self.project.reports / self.parameters.version

    @property
    def quarto_version(self) -> str:
        """The version of Quarto that renders it; empty where the embedded renderer does."""
        return self.engine.partition(" ")[2]


def plan_edition(project: Project, parameters: ReportParameters, engine: Engine) -> Planned:
    """Read what an edition is made of; what is wrong with it is refused before anything runs."""
    from roundtrip.sources.measured import campaigns_named

    definition = load_book_definition(project.book)
    project.refuse_misplaced_templates()
    load_theme(project)
    place_of = parameters.place_of
    chapters = select_chapters(project, definition, parameters.chapters, place_of("chapters"))
    refuse_unknown_annex(definition, parameters.annex, place_of("annex"))
    campaigns_named(project.campaigns, parameters.campaigns, place_of("campaigns"))
    chosen = choose_engine(engine)
    commit = find_commit(project.root, parameters.date)
    named = manifest.named_places(parameters.model_dump())
    stamps = stamps_of(project)
    inputs = manifest.input_hashes(project, named)
    return Planned(project, parameters, definition, chapters, chosen, commit, named, stamps, inputs)


@dataclass(frozen=True)
class Edition:
    """Writes an edition into folders, each text anew only where its content or the code changed.

    `left_out` is as `References` has it, `modules` are those that chapters import.
    """

    planned: Planned
    observations: Observations
    checks: CheckResults
    left_out: Mapping[str, str]
    modules: Collection[Path]

    def kept(self, kind: str, content: Any, make: Callable[[], str]) -> str:
        """Give a text that this content and the code decide: one at hand, or one made now."""
        key = sha256_of_json([manifest.code_fingerprint(self.planned.inputs), content])
        return Cache(self.planned.project.cache).text(kind, key, make)

    def book(
        self, plans: Sequence[ChapterPlan], texts: Mapping[str, NotebookNode]
    ) -> tuple[Book, dict[str, Target]]:
        """Put the book together, and give it with what every anchor in it stands for."""
        from roundtrip.publish.assembly import assemble
        from roundtrip.publish.book import Book

        planned, banner = self.planned, None
        if count := len(self.checks.failed):
            banner = (
                f"Built although checks failed ({count}): see the validation results before using "
                "any number."
            )
        cache = Cache(planned.project.cache)
        chapters, targets = assemble(plans, texts, self.left_out, self.observations, cache)
        anchors = {label: target.chapter for label, target in targets.items()}
        book = Book(
            planned.parameters, planned.commit.name, planned.commit.timestamp, chapters, anchors,
            banner, planned.definition.echo,
        )  # fmt: skip
        return book, targets

    def render(
        self,
        book: Book,
        notebooks: Mapping[str, NotebookNode],
        work: Path,
        advance: Callable[[], None],
    ) -> list[str]:
        """Typeset the PDFs while the site is written; give what a reader will miss in them."""
        from roundtrip.publish.pdf.render import render_pdfs

        site, notes = work / "html", list[str]()
        with ThreadPoolExecutor(1) as pool:
            pdfs = pool.submit(render_pdfs, book, self.planned.project, self.kept, notes.append)
            self.write_site(book, site)
            advance()
            self.write_review(book, notebooks, site)
            advance()
            for name, content in pdfs.result().items():
                write_atomically(work / name, content)
        return notes

    def write_site(self, book: Book, folder: Path) -> None:
        """Write the pages of the site, with the points that readers may compare, if any."""
        from roundtrip.publish.html.site import render_site

        project, edition = self.planned.project, self.planned.parameters

        def compared() -> str:
            from roundtrip.present import Chapter
            from roundtrip.present.comparison import comparison

            return json.dumps(comparison(Chapter(folder=project.root, **units)))

        units = {name: getattr(edition, name) for name in ("rate_unit", "number_format")}
        points = self.kept("comparison", [self.observations.fingerprint, *units.values()], compared)
        render_site(book, project, folder, self.kept, json.loads(points))

    def write_review(self, book: Book, notebooks: Mapping[str, NotebookNode], site: Path) -> None:
        """Write the pages for reviewers, and the notebooks with their modules, beside the site."""
        from roundtrip.publish.html.review import write_review

        project = self.planned.project
        modules = {path.relative_to(project.notebooks).as_posix(): path for path in self.modules}
        write_review(book, notebooks, project, site, self.kept, modules)

    def write_manifest(self, folder: Path, outputs: Mapping[str, str]) -> None:
        """Write the manifest of a report of these files, whose hashes are given.

        It holds no date of the run and no name of the machine.
        """
        planned, edition, commit = self.planned, self.planned.parameters, self.planned.commit
        name, _, quarto = planned.engine.partition(" ")
        renderers = {"pypandoc-binary": version("pypandoc_binary"), "typst": version("typst")}
        content = {
            "report": {
                "version": edition.version, "date": edition.date, "title": edition.title,
                "commit": commit.name, "timestamp": commit.timestamp,
            },
            "fingerprint": planned.fingerprint,
            "engine": {"name": name} | ({"quarto": quarto} if quarto else renderers),
            "libraries": library_versions(),
            "parameters": edition.model_dump(mode="json"),
            "checks": {
                "rules": sum(len(suite.outcomes) for suite in self.checks.suites),
                "failed": [outcome.rule for _, outcome in self.checks.failed],
            },
            "inputs": dict(planned.inputs), "outputs": dict(outputs),
        }  # fmt: skip
        write_atomically(folder / manifest.EDITION_MANIFEST, manifest.manifest_text(content))
