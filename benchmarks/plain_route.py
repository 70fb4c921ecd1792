"""The report without Roundtrip's build: ``python benchmarks/plain_route.py PROJECT TARGET``.

What someone does who knows the tools well and has no build system: a loop over the chapters that
calls ``python -m papermill`` with a file of parameters, one chapter after the other, and then one
script that does the rest in a single process: all static figures in one ``write_images`` call, the
site, the PDF, and the reviewers' pages. Drawing and rendering are the very functions that
Roundtrip uses, told to keep nothing; so the difference to a cold build is what the build adds.
The checks run once, inside the chapter that shows their results.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import yaml

from roundtrip.cache import Cache
from roundtrip.observations import load_observations
from roundtrip.params import resolve_parameters
from roundtrip.present import Chapter
from roundtrip.present.comparison import comparison
from roundtrip.present.numbers import NumberFormat
from roundtrip.project import Project
from roundtrip.publish.assembly import assemble
from roundtrip.publish.book import Book
from roundtrip.publish.book_definition import (
    ChapterPlan,
    left_out,
    load_book_definition,
    select_chapters,
)
from roundtrip.publish.chapters.execute import strip_times
from roundtrip.publish.chapters.finalise import charts_of, finalise
from roundtrip.publish.chapters.inline import with_values
from roundtrip.publish.chapters.kernels import ENGINE
from roundtrip.publish.chapters.lacking import without_lacking
from roundtrip.publish.chapters.notebooks import declared_parameters, read_notebook
from roundtrip.publish.chapters.pictures import PictureMaker
from roundtrip.publish.chapters.tally import with_tally
from roundtrip.publish.commit import find_commit
from roundtrip.publish.html.review import write_review
from roundtrip.publish.html.site import render_site
from roundtrip.publish.pdf.render import render_pdfs
from roundtrip.theme import load_theme

PAPERMILL = """
from papermill.cli import papermill
import roundtrip.publish.chapters.kernels
papermill()
"""
"""Papermill's own command, which has been told of values in text cells."""


def run_papermill(plan: ChapterPlan, values: dict[str, object], folder: Path) -> Path:
    """Execute one chapter with papermill's own command."""
    names = declared_parameters(read_notebook(plan.source), plan.source, values)
    parameters = folder / f"{plan.source.stem}.yml"
    parameters.write_text(
        yaml.safe_dump({name: values[name] for name in names}, sort_keys=False), "utf-8"
    )
    output = folder / plan.source.name
    command = [sys.executable, "-c", PAPERMILL, str(plan.source), str(output), "--engine", ENGINE]
    options = ["-f", str(parameters), "-k", "python3", "--cwd", str(plan.source.parent)]
    subprocess.run(
        [*command, *options, "--no-progress-bar"],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return output


def main(root: Path, target: Path) -> None:
    """Make the report of a project in a folder of its own."""
    project = Project(root)
    parameters = resolve_parameters(project)
    commit = find_commit(root, parameters.date)
    values = parameters.values_for_chapters(commit.name)
    definition = load_book_definition(project.book)
    plans = select_chapters(project, definition, parameters.chapters)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        executed = {}
        for plan in plans:
            notebook = nbformat.read(run_papermill(plan, values, folder), as_version=4)
            strip_times(notebook)
            executed[plan.source.stem] = notebook
        charts = {}
        for plan in plans:
            charts.update(charts_of(executed[plan.source.stem], plan.source.name))
        with PictureMaker(project) as maker:
            maker.add(charts)
            pictures = maker.pictures()
        notebooks = {
            stem: finalise(notebook, pictures, stem) for stem, notebook in executed.items()
        }
        valued = {stem: with_values(notebook) for stem, notebook in notebooks.items()}
        numbers = NumberFormat(parameters.number_format)
        counted = with_tally(valued, load_theme(project), numbers)
        texts, lacking = without_lacking(executed, counted)
        excluded = left_out(project, definition, plans) | lacking
        observations, cache = load_observations(project), Cache(folder)
        chapters, targets = assemble(plans, texts, excluded, observations, cache)
        anchors = {label: target.chapter for label, target in targets.items()}
        book = Book(parameters, commit.name, commit.timestamp, chapters, anchors)
        site = target / "html"
        site.mkdir(parents=True)
        shown = Chapter(
            folder=project.root,
            rate_unit=parameters.rate_unit,
            number_format=parameters.number_format,
        )
        render_site(book, project, site, comparison=comparison(shown))
        for name, content in render_pdfs(book, project).items():
            (target / name).write_bytes(content)
        beside = {
            path.relative_to(project.notebooks).as_posix(): path
            for path in project.notebooks.glob("support/**/*.py")
        }
        write_review(book, notebooks, project, site, modules=beside)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
