"""Pages about packets that need no other file: what was found of one, what changed between two."""

from __future__ import annotations

from collections.abc import Sequence

import jinja2

from roundtrip.packet.changes import Change
from roundtrip.packet.findings import Finding
from roundtrip.project import PACKAGE


def page_of_findings(findings: Sequence[Finding], name: str) -> str:
    """Write what was found of a packet as one HTML page."""
    return _filled("verification.html", findings=findings, name=name)


def page_of_changes(changes: Sequence[Change], old: str, new: str) -> str:
    """Write what changed from one edition to another as one HTML page."""
    return _filled("changes.html", changes=changes, old=old, new=new)


def _filled(template: str, **values: object) -> str:
    """Fill a template; everything in it is escaped."""
    folder = PACKAGE / "templates" / "html"
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(folder), autoescape=True)
    return environment.get_template(template).render(**values) + "\n"
