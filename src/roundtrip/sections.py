"""Sections of the book that other chapters refer to by themselves, if there are such."""

from __future__ import annotations

import json

from roundtrip.errors import RenderError
from roundtrip.headings import headings_of
from roundtrip.project import Project
from roundtrip.yamlfile import load_yaml

METHODOLOGY = "sec-methodology"
"""Label of the chapter, or of the section, that shows the rules and what they come to."""
CONFIGURATIONS = "sec-configurations"
"""Label of the chapter, or of the section, that shows what the campaigns ran on."""
RUNS = "sec-runs"
"""Label of the chapter, or of the section, that lists every run."""
CLAIMS = "sec-claims-"
"""Label of a chapter's section on its claims; the file stem of the chapter follows."""
_NAMED = (METHODOLOGY, CONFIGURATIONS, RUNS)


def named_sections(project: Project) -> dict[str, str]:
    """Give the sections of the book that chapters refer to by themselves.

    Returns
    -------
    dict
        `METHODOLOGY`, `CONFIGURATIONS`, `RUNS` and labels that begin with `CLAIMS`, each to the
        title of its chapter. What is wrong with the book or a notebook is for the build to say.
    """
    content = load_yaml(project.book, RenderError) if project.book.is_file() else None
    book = content.get("book") if isinstance(content, dict) else None
    parts = map(book.get, ("chapters", "appendices")) if isinstance(book, dict) else ()
    found: dict[str, str] = {}
    for name in (name for part in parts for name in part or ()):
        try:
            cells = json.loads((project.root / name).read_bytes())["cells"]
            texts = ["".join(one["source"]) for one in cells if one["cell_type"] == "markdown"]
        except (OSError, ValueError, LookupError, TypeError):
            continue
        headings = [one for text in texts for one in headings_of(text)]
        found |= {
            one.label: headings[0].title
            for one in headings
            if one.label in _NAMED or one.label.startswith(CLAIMS)
        }
    return found
