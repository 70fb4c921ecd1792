"""New files made from the skeletons among the templates."""

from __future__ import annotations

import re
from pathlib import Path

from roundtrip.errors import DataError, ParameterError, RenderError, nearest
from roundtrip.files import folder_atomically, write_atomically
from roundtrip.project import Project
from roundtrip.sources.published import report_folders

_REPORT = re.compile(r"^[a-z0-9](?:[a-z0-9.-]{0,58}[a-z0-9])?$")
_NAME = re.compile(r"^\d{2}-[a-z0-9]+(?:-[a-z0-9]+)*$")


def new_chapter(project: Project, name: str, report: str | None = None) -> Path:
    """Make a chapter that runs from top to bottom and is ready to be written on.

    Parameters
    ----------
    project : Project
    name : str
        File stem: two digits for its place, then words, such as ``65-native-ha``.
    report : str, optional
        Id of the published report that it is about; may be left out where there is only one.

    Returns
    -------
    Path
        The new notebook.

    Raises
    ------
    ParameterError
        If the name is malformed or taken.
    DataError
        If there is no such report, or it is left out and there is not just one.
    RenderError
        If the skeleton is missing.
    """
    if not _NAME.match(name):
        raise ParameterError(
            f"'{name}' does not name a chapter",
            where="NAME",
            allowed="two digits, then words in lower case, joined by hyphens: 65-native-ha",
        )
    target = project.notebooks / f"{name}.ipynb"
    if target.exists():
        raise ParameterError(f"{target.name} exists", where=target, remedy="choose another name")
    reports = [folder.name for folder in report_folders(project.published)]
    if report is None:
        if len(reports) != 1:
            raise DataError(
                f"the project has {len(reports)} published reports: which is the chapter about?",
                where=project.relative(project.published),
                remedy="name it with --report ID, or begin one with 'roundtrip new report ID'",
            )
        (report,) = reports
    if report not in reports:
        raise DataError(
            f"unknown report '{report}'{nearest(report, reports)}", allowed=", ".join(reports)
        )
    words = name[3:]
    # The words are letters, digits and hyphens: they can go into JSON text as they are.
    title = words.replace("-", " ").capitalize()
    marks = {"STEM": name, "NAME": words, "TITLE": title, "REPORT": report}
    write_atomically(target, _filled(project, "chapter.ipynb", marks))
    return target


def new_report(project: Project, name: str) -> list[Path]:
    """Make the folder of a further published report, with its suite of checks.

    Parameters
    ----------
    project : Project
    name : str
        Id of the report: words in lower case, digits, points and hyphens.

    Returns
    -------
    list of Path
        The new files. They pass the checks as they are, with three made-up cells to replace.

    Raises
    ------
    ParameterError
        If the id is malformed or taken.
    RenderError
        If a skeleton is missing.
    """
    if not _REPORT.match(name):
        raise ParameterError(
            f"'{name}' does not name a report",
            where="ID",
            allowed="lower case letters, digits, points and hyphens: acme-broker-3.1",
        )
    folder = project.published / name
    suite = project.checks / f"{name}.json"
    for path in (folder, suite):
        if path.exists():
            raise ParameterError(f"{path.name} exists", where=path, remedy="choose another id")
    marks = {"ID": name, "TITLE": name.replace("-", " ")}
    texts = {
        file: _filled(project, f"report/{file}", marks)
        for file in ("report.yml", "table-01.csv", "claims.yml", "errata.yml", "checks.json")
    }
    write_atomically(suite, texts.pop("checks.json"))
    with folder_atomically(folder) as work:
        for file, text in texts.items():
            write_atomically(work / file, text)
    return [*(folder / file for file in texts), suite]


def new_campaign(project: Project, folder: Path) -> Path:
    """Make a ``campaign.yml`` beside the logs of a folder, to be filled in.

    Parameters
    ----------
    project : Project
    folder : Path
        Where the logs are.

    Returns
    -------
    Path
        The new file. It says nothing yet, and is valid as it is.

    Raises
    ------
    ParameterError
        If there is no such folder, or it has such a file.
    RenderError
        If the skeleton is missing.
    """
    if not folder.is_dir():
        raise ParameterError(
            "there is no such folder", where=folder, remedy="name the folder of the logs"
        )
    target = folder / "campaign.yml"
    if target.exists():
        raise ParameterError("the file exists", where=target, remedy="edit it")
    write_atomically(target, _filled(project, "campaign.yml", {}))
    return target


def _filled(project: Project, name: str, marks: dict[str, str]) -> str:
    """Read a skeleton and put the marked words in."""
    skeleton = project.template(f"skeletons/{name}")
    if not skeleton.is_file():
        raise RenderError(
            "the skeleton is missing",
            where=project.relative(skeleton),
            remedy="install Roundtrip again",
        )
    text = skeleton.read_text(encoding="utf-8")
    for mark, value in marks.items():
        text = text.replace(f"@@{mark}@@", value)
    return text
