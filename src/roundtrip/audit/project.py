"""The small project that shows an audit: one chapter, the findings, and the look of the project."""

from __future__ import annotations

import shutil

import yaml

from roundtrip.audit.findings import AUDIT_FILE, Audit
from roundtrip.files import folder_atomically, sha256_of, write_atomically
from roundtrip.project import Project

_LONGEST = 40
_CHAPTER = "00-audit.ipynb"


def audit_version(name: str) -> str:
    """Give the folder of an audit below ``reports/``: that of its report's id."""
    version = f"audit-{name}"
    return version if len(version) <= _LONGEST else f"{version[:31]}-{sha256_of(name)[:8]}"


def audit_project(project: Project, audit: Audit, date: str) -> Project:
    """Make the project that shows an audit.

    Parameters
    ----------
    project : Project
        Its templates are taken, and its reports get the audit.
    date : str
        Of the edition.

    Returns
    -------
    Project
        In the cache of the other one.
    """
    target = project.cache / "audit" / audit.report
    edition = {
        "version": audit_version(audit.report), "date": date,
        "title": f"Audit of {audit.title}"[:200], "authors": ["Roundtrip"],
    }  # fmt: skip
    book = {
        "project": {"type": "book"}, "book": {"chapters": [f"notebooks/{_CHAPTER}"]},
        "execute": {"enabled": False, "echo": False},
    }  # fmt: skip
    chapter = project.template(f"skeletons/audit/{_CHAPTER}").read_text("utf-8")
    text = audit.model_dump_json(indent=1, by_alias=True) + "\n"
    with folder_atomically(target) as work:
        write_atomically(work / "_quarto.yml", yaml.safe_dump(book))
        write_atomically(work / "params" / "report.yml", yaml.safe_dump(edition))
        write_atomically(work / "notebooks" / _CHAPTER, chapter)
        write_atomically(work / "data" / AUDIT_FILE, text)
        if project.templates.is_dir():
            shutil.copytree(project.templates, work / "templates")
    return Project(target, project.root)
