"""Where things are: the folders of one report project."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from roundtrip.errors import DataError, ParameterError, RenderError, SetupError

if TYPE_CHECKING:
    from jinja2 import Environment

PACKAGE = Path(__file__).resolve().parent
"""The installed package, with the templates and fonts that every project starts from."""
MANIFEST = "manifest.yml"
"""In the folder of a campaign: how it was measured, or which logs were ingested."""
POINTS = "points.csv"
"""In the folder of a campaign that the runner measured: what its runs showed."""
INGESTED = "ingested.csv"
"""In the folder of a campaign whose logs another tool wrote: what they say."""


@dataclass(frozen=True)
class Project:
    """The folders of a report project, all derived from its root.

    Parameters
    ----------
    root : Path
        The folder that holds ``_quarto.yml``.
    origin : Path, optional
        Root of the project that this one is a copy of, with other names: its reports are there.
    """

    root: Path
    origin: Path | None = None

    @property
    def book(self) -> Path:
        """The book definition that both renderers read."""
        return self.root / "_quarto.yml"

    @property
    def notebooks(self) -> Path:
        """Chapters, one notebook each."""
        return self.root / "notebooks"

    @property
    def dictionary(self) -> Path:
        """What the project adds to the factors and metrics of the package."""
        return self.root / "data" / "dictionary.yml"

    @property
    def published(self) -> Path:
        """Transcribed reports, one folder each."""
        return self.root / "data" / "published"

    @property
    def drafts(self) -> Path:
        """Reports as they were read from a PDF, to be completed; one folder each."""
        return self.root / "data" / "drafts"

    def remedy_for_draft(self, name: str) -> str | None:
        """Say what to do where a report is asked for that is a draft; None where it is none."""
        if not (self.drafts / name / "report.yml").is_file():
            return None
        return (
            f"{name} is a draft: adopt it with 'roundtrip new report {name} --draft', or look at "
            f"it as it is with 'roundtrip audit REPORT.pdf --id {name}'"
        )

    @property
    def campaigns(self) -> Path:
        """Measured campaigns, one folder each."""
        return self.root / "data" / "campaigns"

    @property
    def params(self) -> Path:
        """Parameter files."""
        return self.root / "params"

    @property
    def checks(self) -> Path:
        """Expectation suites."""
        return self.root / "checks"

    @property
    def templates(self) -> Path:
        """What this project's reports look like, where it is not as the package has it."""
        return self.root / "templates"

    def template(self, name: str) -> Path:
        """Find a template: the project's own where there is one, otherwise the package's.

        Parameters
        ----------
        name : str
            Path below ``templates/``, of a file or of a folder that is taken as a whole.
        """
        own = self.templates / name
        return own if own.exists() else PACKAGE / "templates" / name

    def template_folders(self, name: str) -> list[Path]:
        """Give the folders that hold templates of a kind, those that take precedence first."""
        folders = [self.templates / name, PACKAGE / "templates" / name]
        return [folder for folder in folders if folder.is_dir()]

    def refuse_misplaced_templates(self) -> None:
        """Refuse a file named as a template of the package that stands where it replaces none.

        Raises
        ------
        DataError
            With the place where the template belongs.
        """
        package = PACKAGE / "templates"
        known = {
            path.name: path.relative_to(package)
            for kind in ("html", "typst", "quarto", "css")
            for path in sorted((package / kind).glob("*.*"))
        }
        for path in sorted([*self.templates.glob("*.*"), *self.templates.glob("*/*.*")]):
            place = path.relative_to(self.templates)
            if path.name in known and place != known[path.name] and not (package / place).exists():
                raise DataError(
                    "replaces nothing: templates stand in the folder that the package has them in",
                    where=path, remedy=f"move it to templates/{known[path.name]}",
                )  # fmt: skip

    @property
    def reports(self) -> Path:
        """Built reports, one folder for each version."""
        return (self.origin or self.root) / "reports"

    @property
    def cache(self) -> Path:
        """Everything that can be deleted and made again."""
        return self.root / ".cache"

    @property
    def campaign_work(self) -> Path:
        """Of a runner at work: its lock, data of its brokers, notes of what it must remove."""
        return self.cache / "campaigns"

    def relative(self, path: Path) -> str:
        """Name a file of the project, or of the package, without naming the machine."""
        path = path.resolve()
        # The package first: its environment may be a folder of the project.
        for root, prefix in ((PACKAGE, Path("roundtrip")), (self.root.resolve(), Path())):
            if path.is_relative_to(root):
                return (prefix / path.relative_to(root)).as_posix()
        return path.name

    def shown(self, path: Path) -> str:
        """Name a file for whoever runs a command: as `relative`, elsewhere by its whole path."""
        inside = path.resolve().is_relative_to(self.root.resolve())
        return self.relative(path) if inside else str(path)


def filled(folders: Sequence[Path], template: str, /, **values: object) -> str:
    """Fill a template of a page; every value in it is escaped.

    It may be a template of somebody else's project that is only read: it cannot run code.

    Parameters
    ----------
    folders : sequence of Path
        Where the template and those that it builds on are, the first that has one.

    Raises
    ------
    RenderError
        If the template is missing or broken, or reaches for what is not its own.
    """
    from jinja2 import TemplateError, TemplateSyntaxError

    try:
        return _environment(*folders).get_template(template).render(values)
    except TemplateError as error:
        place = template
        if isinstance(error, TemplateSyntaxError):  # it knows the line, also of one built on
            place = f"{error.name}:{error.lineno}"
        raise RenderError(
            f"this template cannot be filled: {error.message}",
            where=f"templates/{folders[0].name}/{place}",
        ) from error


@cache
def _environment(*folders: Path) -> Environment:
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(folders), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip


_ID = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,58}[a-z0-9])?")
_EXAMPLES = {"report": "acme-broker-3.1", "campaign": "lab-2026-11"}


def refuse_id(what: Literal["report", "campaign"], name: str, where: str) -> None:
    """Refuse an id that could not name a folder everywhere; `where` gives it.

    Raises
    ------
    ParameterError
        If it is malformed.
    """
    if not _ID.fullmatch(name) or ".." in name:
        raise ParameterError(
            f"'{name}' does not name a {what}", where=where,
            allowed=f"lower case letters, digits, points and hyphens: {_EXAMPLES[what]}",
        )  # fmt: skip


def find_project(start: Path | None = None) -> Project:
    """Find the project that a folder belongs to.

    Parameters
    ----------
    start : Path, optional
        Where to begin; the working directory by default. Its parents are searched too, so
        that a chapter opened in JupyterLab finds the data.

    Raises
    ------
    SetupError
        If no folder on the way up holds a book definition, or a folder of the project is a file or
        a link that leads nowhere: what it should hold would be passed over.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if Project(folder).book.is_file():
            return _with_folders(Project(folder))
    raise SetupError(
        "is in no report project" if start else f"no report project in {here} or above it",
        where=start,
        allowed="a folder with _quarto.yml",
        remedy="run the command inside a project, name one with 'roundtrip --project DIR …', or "
        "create one with 'roundtrip init DIR'",
    )


def _with_folders(project: Project) -> Project:
    places = (
        project.notebooks, project.published.parent, project.params, project.checks,
        project.templates,
    )  # fmt: skip
    for place in places:
        if not place.is_dir() and (place.exists() or place.is_symlink()):
            raise SetupError(
                "is no folder" if place.exists() else "is a link to nothing", where=place,
                allowed=f"a folder {place.name}, or none", remedy="put the folder back",
            )  # fmt: skip
    return project
