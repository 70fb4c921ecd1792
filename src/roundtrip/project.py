"""Where things are: the folders of one report project."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from roundtrip.errors import SetupError


@dataclass(frozen=True)
class Project:
    """The folders of a report project, all derived from its root.

    Parameters
    ----------
    root : Path
        The folder that holds ``_quarto.yml`` and ``data/dictionary.yml``.
    """

    root: Path

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
        """Definitions of every factor and metric."""
        return self.root / "data" / "dictionary.yml"

    @property
    def published(self) -> Path:
        """Transcribed reports, one folder each."""
        return self.root / "data" / "published"

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
        """HTML, Typst, CSS, fonts and skeletons."""
        return self.root / "templates"

    @property
    def fonts(self) -> Path:
        """The fonts of pages, PDF and charts."""
        return self.templates / "fonts"

    @property
    def reports(self) -> Path:
        """Built reports, one folder for each version."""
        return self.root / "reports"

    @property
    def cache(self) -> Path:
        """Everything that can be deleted and made again."""
        return self.root / ".cache"

    def relative(self, path: Path) -> str:
        """Name a file of the project without naming the machine."""
        try:
            return path.resolve().relative_to(self.root.resolve()).as_posix()
        except ValueError:
            return path.name


def find_project(start: Path | None = None) -> Project:
    """Find the project that a folder belongs to.

    Parameters
    ----------
    start : Path, optional
        Where to begin; the working directory by default. Its parents are searched too, so
        that a chapter opened in JupyterLab finds the data.

    Returns
    -------
    Project

    Raises
    ------
    SetupError
        If no folder on the way up holds a book definition and a dictionary.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        project = Project(folder)
        if project.book.is_file() and project.dictionary.is_file():
            return project
    raise SetupError(
        f"no report project in {here} or above it",
        allowed="a folder with _quarto.yml and data/dictionary.yml",
        remedy="run the command inside a checkout of the report, or pass --project DIR",
    )
