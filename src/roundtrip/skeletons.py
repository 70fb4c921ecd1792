"""New files made from the skeletons in ``templates/skeletons``."""

from __future__ import annotations

import json
import re
from pathlib import Path

from roundtrip.errors import DataError, ParameterError, RenderError, nearest
from roundtrip.files import write_atomically
from roundtrip.project import Project
from roundtrip.sources.published import report_folders

_NAME = re.compile(r"^\d{2}-[a-z0-9]+(?:-[a-z0-9]+)*$")


def new_chapter(project: Project, name: str, report: str) -> Path:
    """Make a chapter that runs from top to bottom and is ready to be written on.

    Parameters
    ----------
    project : Project
    name : str
        File stem: two digits for its place, then words, such as ``65-native-ha``.
    report : str
        Id of the published report that it is about.

    Returns
    -------
    Path
        The new notebook.

    Raises
    ------
    ParameterError
        If the name is malformed or taken.
    DataError
        If there is no such report.
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
    if report not in reports:
        raise DataError(
            f"unknown report '{report}'{nearest(report, reports)}", allowed=", ".join(reports)
        )
    skeleton = project.templates / "skeletons" / "chapter.ipynb"
    if not skeleton.is_file():
        raise RenderError("the skeleton is missing", where=skeleton, remedy="restore it from git")
    words = name[3:]
    title = words.replace("-", " ").capitalize()
    # The words are letters, digits and hyphens: they can go into JSON text as they are.
    text = skeleton.read_text(encoding="utf-8")
    for mark, value in (("NAME", words), ("TITLE", title), ("REPORT", report)):
        text = text.replace(f"@@{mark}@@", json.dumps(value)[1:-1])
    write_atomically(target, text)
    return target
