"""Standalone pages with code for reviewers, made by nbconvert."""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import jinja2
import nbformat

from roundtrip.cache import Cache
from roundtrip.errors import RenderError
from roundtrip.files import sha256_of_json, write_atomically
from roundtrip.outputs import MARKDOWN, escape_markdown
from roundtrip.project import Project
from roundtrip.publish.assembly import Assembled
from roundtrip.publish.chapters.inline import with_values
from roundtrip.publish.html.writer import page_of
from roundtrip.publish.pandoc import CODE
from roundtrip.theme import load_theme, logo_address

_TITLE = re.compile(r"^#\s+(.*?)[ \t]*\{#[^}]*\}[ \t]*$", re.MULTILINE)
_ATTRIBUTES = re.compile(r"^(#+ .*?)\s*\{#[^}]*\}\s*$", re.MULTILINE)
_CALLOUT = re.compile(
    r'(?ms)^::: \{\.callout-(?P<kind>\w+)(?: title="(?P<title>.*?)")?\}\n(?P<body>.*?)\n:::[ \t]*$'
)
_REFERENCE = re.compile(
    CODE + r"|(?<![\w@])@(?P<label>(?:sec|fig|tbl)-[a-z0-9-]*[a-z0-9])", re.MULTILINE
)
_MARK = re.compile(r'<i data-shown="\d+"></i>')
_HEADING = re.compile(r'<h(?P<level>\d) id="(?P<id>[^"]+)".*?</h(?P=level)>', re.DOTALL)
_OUTPUT = '<div class="output_area">'
_REACHED = 'tabindex="0" role="group" aria-label="Output"'  # what scrolls sideways, by keyboard too
_LOCAL = re.compile(CODE + r"|\]\(#(?P<label>[^\s)]+)", re.MULTILINE)


@dataclass(frozen=True)
class Place:
    """Where a label is on the site, and how a reference to it reads."""

    page: str
    text: str


@dataclass(frozen=True)
class ReviewPages:
    """Makes the reviewers' pages.

    Parameters
    ----------
    template : Path
        ``templates/html/review.html``.
    places : mapping
        Anchor to its place.
    cache : Cache
        Keeps what was converted.
    code : str
        Hash of the code that converts.
    colors : str
        Custom properties of CSS.
    logo : str
        Address of the logo, which holds the picture itself.
    """

    template: Path
    places: Mapping[str, Place]
    cache: Cache
    code: str = ""
    colors: str = ""
    logo: str = ""

    def text(self, notebook: nbformat.NotebookNode) -> str:
        """Write a finalised chapter as a notebook file holds it."""
        return self._keep("ipynb", notebook, lambda: nbformat.writes(notebook) + "\n")

    def page(self, notebook: nbformat.NotebookNode, title: str, edition: str, back: str) -> str:
        """Convert a finalised chapter to one HTML file that holds its code and needs nothing else.

        Parameters
        ----------
        title, edition, back : str
            Title of the page; the line that names report, version and commit; address of the
            chapter's page.

        Returns
        -------
        str
            HTML that asks no other host for anything.

        Raises
        ------
        RenderError
            If the template is missing.
        """
        try:
            template = self.template.read_text(encoding="utf-8")
        except FileNotFoundError as problem:
            raise RenderError("the template is missing", where=self.template) from problem
        environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
        page = environment.from_string(template)
        return page.render(
            title=title,
            edition=edition,
            back=back,
            colors=self.colors,
            body=self._body(notebook),
            logo=self.logo,
        )

    def _body(self, notebook: nbformat.NotebookNode) -> str:
        def convert() -> str:
            resolved = self._resolved(with_values(notebook))
            shown = _taken_out(resolved)
            body, _ = self._exporter.from_notebook_node(resolved)
            body = _each_id_once(body).replace(_OUTPUT, f"{_OUTPUT[:-1]} {_REACHED}>")
            return _MARK.sub(lambda mark: shown.get(mark[0], mark[0]), body)

        return self._keep("html", [self._places, notebook], convert)

    def _keep(self, ending: str, content: Any, make: Callable[[], str]) -> str:
        key = sha256_of_json([self.code, content])[:24]
        return self.cache.text("review", f"{key}.{ending}", make)

    @cached_property
    def _places(self) -> str:
        """Hash of what every page depends on beside its notebook and the code."""
        places = {label: [place.page, place.text] for label, place in self.places.items()}
        return sha256_of_json(places)

    @cached_property
    def _exporter(self) -> Any:
        """The converter, which compiles its templates once."""
        from nbconvert import HTMLExporter

        return HTMLExporter(template_name="basic")

    def _resolved(self, notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
        """Resolve in Markdown what only the book can: heading labels, references, cell links."""
        resolved = copy.copy(notebook)
        resolved.cells = [copy.copy(cell) for cell in notebook.cells]
        for cell in resolved.cells:
            if cell.cell_type == "markdown":
                cell.source = self._text(cell.source)
            else:
                cell.outputs = [self._readable(output) for output in cell.outputs]
        return resolved

    def _readable(self, output: nbformat.NotebookNode) -> nbformat.NotebookNode:
        ours = "application/"  # what only our renderers read
        data = {kind: shown for kind, shown in output.data.items() if not kind.startswith(ours)}
        if MARKDOWN in data:
            data[MARKDOWN] = self._text(data[MARKDOWN])
        return nbformat.NotebookNode({**output, "data": nbformat.NotebookNode(data)})

    def _text(self, text: str) -> str:
        text = _TITLE.sub(lambda match: f"# {escape_markdown(match[1])}", text)  # plain words
        text = _ATTRIBUTES.sub(r"\1", text)
        text = _CALLOUT.sub(_quoted, text)
        text = _REFERENCE.sub(self._reference, text)
        return _LOCAL.sub(self._local, text)

    def _reference(self, match: re.Match[str]) -> str:
        place = self.places.get(match["label"])
        if place is None:
            return match[0]
        return f"[{escape_markdown(place.text)}](../{place.page}#{match['label']})"

    def _local(self, match: re.Match[str]) -> str:
        place = self.places.get(match["label"])
        return f"](../{place.page}#{match['label']}" if place else match[0]


def _quoted(callout: re.Match[str]) -> str:
    """Show a callout, which nbconvert does not know, as a quotation under its title."""
    title = callout["title"] or callout["kind"].capitalize()
    return "\n".join(f"> {line}" for line in [f"**{title}**", "", *callout["body"].splitlines()])


def _each_id_once(body: str) -> str:
    """Give further headings of one text a number, as nbconvert gives all of them the same id."""
    seen: Counter[str] = Counter()

    def numbered(match: re.Match[str]) -> str:
        seen[match["id"]] += 1
        number = f"-{seen[match['id']]}" if seen[match["id"]] > 1 else ""
        return match[0].replace(f'{match["id"]}"', f'{match["id"]}{number}"')

    return _HEADING.sub(numbered, body)


def _taken_out(notebook: nbformat.NotebookNode) -> dict[str, str]:
    """Put marks where charts and tables are shown, and give what was there.

    They are HTML already, and far longer than all else that nbconvert reads through.
    """
    shown: dict[str, str] = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "text/html" in output.data:
                mark = f'<i data-shown="{len(shown)}"></i>'
                shown[mark] = output.data["text/html"]
                output.data["text/html"] = mark
    return shown


def write_review(
    assembled: Assembled,
    notebooks: Mapping[str, nbformat.NotebookNode],
    project: Project,
    site: Path,
    cache: Cache,
    code: str = "",
    modules: Mapping[str, Path] | None = None,
) -> None:
    """Put the executed notebooks and the reviewers' pages beside the site's pages.

    Parameters
    ----------
    notebooks : mapping
        Chapter name to its finalised notebook.
    project : Project
        Whose template and theme are used.
    site : Path
        Folder of the site; ``notebooks/`` and ``review/`` are written in it.
    code : str, optional
        Hash of the code that converts them.
    modules : mapping, optional
        Modules beside the chapters that these import, by their names there.

    Raises
    ------
    RenderError
        If the template is missing.
    """
    book = assembled.book
    page = {chapter.name: page_of(chapter) for chapter in book.chapters}
    places = {
        label: Place(page[target.chapter], target.text)
        for label, target in assembled.targets.items()
    }
    edition = " · ".join(filter(None, [book.edition.title, book.edition.version, book.commit]))
    template, theme = project.template("html/review.html"), load_theme(project)
    review = ReviewPages(template, places, cache, code, theme.plain_css(), logo_address(project))
    for chapter in book.chapters:
        notebook = notebooks[chapter.name]
        text = review.text(notebook)
        write_atomically(site / "notebooks" / f"{chapter.name}.ipynb", text)
        html = review.page(notebook, chapter.title, edition, f"../{page[chapter.name]}")
        write_atomically(site / "review" / f"{chapter.name}.html", html)
    for name, path in (modules or {}).items():
        write_atomically(site / "notebooks" / name, path.read_bytes())
