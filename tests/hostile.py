"""Texts and places that try to do more than being shown, and what tells whether they did.

Shared by the tests and by longer attacks: `TEXTS` must come out as the words they are, in every
output; what holds a character of `HIDDEN` must be refused where it comes in.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import stat
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import yaml

from roundtrip.project import PACKAGE, Project
from roundtrip.publish.pandoc import parse_markdown, walk
from workshop import V94, edit, peaks_chapter, write_notebook

TEXTS = (
    "<script>alert(1)</script>", "](javascript:alert(1))", "![x](https://example.org/x.png)",
    '#import "x.typ"', '#read("/etc/passwd")', '#panic("no")', "$x$ `y` *z* _w_", "@sec-front",
    "{{< include x >}}", "{{ x*x }}", "{% raw %}", "\\textbf{x}", "\\input{x}",
    "<img src=x onerror=alert(1)>", "&lt;b&gt;", "--- ... 'q' \"r\"", "| a | b |", "```",
    "`#panic()`{=typst}", "`<b>`{=html}", "[x]{onclick=alert(1)}", "::: {.x}", "# x {#y}", "[^x]",
    "<!-- x -->", "=HYPERLINK(1)", "+x+cmd|' /C calc'!A0", "@SUM(A0)", "-x+y", "// comment", "// x",
    "]#panic()", "\\u{41}", "%s {name} {0}", "$(id) ${HOME}", "!!python/name:os.system",
    "../../etc/hosts", "*a0 &a0 <<: x",
)  # fmt: skip
"""One line each, in letters that the shipped fonts have."""

HIDDEN = ("\x1b[2J", "\x1b]0;x\x07", "\x9b31m", "\x08\x08", "\x00", "\u202eabc", "\u200f", "\u2066")
"""They steer a terminal, or turn round the direction that a text is read in."""

OWN_SCRIPTS = {path.read_text("utf-8") for path in PACKAGE.glob("templates/html/assets/*.js")}
"""What a page may run that stands within it."""


def plant(project: Project, text: str) -> None:
    """Put a text wherever a small project takes one, and show it by a chapter.

    Parameters
    ----------
    project : Project
        From `workshop.small_project`, unchanged.
    text : str
        One line.
    """
    quoted = '"' + text.replace('"', '""') + '"'
    for name in ("table-03.csv", "table-06.csv"):
        edit(project.published / V94 / name, "RR-CC (2K Non-persistent)", quoted)
    path = project.published / V94 / "report.yml"
    described = yaml.safe_load(path.read_text(encoding="utf-8"))
    described["title"] = text
    for host in described.get("hosts", []):
        host["name" if "name" in host else "model"] = text
    path.write_text(yaml.safe_dump(described, sort_keys=False), encoding="utf-8")
    edition = project.params / "report.yml"
    values = yaml.safe_load(edition.read_text(encoding="utf-8"))
    values |= {"title": text[:180], "subtitle": text[:180], "authors": [text[:90]]}
    values["notices"] = [{"title": text[:90], "text": text}]
    edition.write_text(yaml.safe_dump(values), encoding="utf-8")
    write_notebook(
        project,
        "10-peaks",
        *peaks_chapter(),
        ("code", 'chapter.text("The row is {row} of {title}.", '
                 f"row={text!r}, title=chapter.about.title)"),
        ("code", "#| label: tbl-words\n"
                 f"plain_table({text!r}, [{text!r}, 'b'], [[{text!r}, 'c']], "
                 f"group_by_first=True, notes=[{text!r}])"),
    )  # fmt: skip


class Markup(HTMLParser):
    """What a page shows, and what in it could act that is not the page's own."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.foreign: list[str] = []
        self._words: list[str] = []
        self._inside: list[str] = []
        self._script: list[str] = []
        self._runs = False
        self.feed(page)
        self.text = " ".join("".join(self._words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._inside.append(tag)
        if tag in ("img", "iframe", "object", "embed", "form", "base"):
            self.foreign.append(tag)
        if tag == "script":
            self._script.clear()
            self._runs = not values.get("type", "").endswith("json")
            source = values.get("src", "assets/inline.js")
            if self._runs and not re.fullmatch(r"(\.\./)?assets/[\w./-]+\.js", source):
                self.foreign.append(f"script {source}")
        for name, value in values.items():
            if name.startswith("on"):
                self.foreign.append(f"{tag} {name}")
            if name in ("href", "src", "action", "xlink:href") and re.match(
                r"\s*(javascript|data|vbscript):(?!,$)", value, re.IGNORECASE
            ):
                self.foreign.append(f"{tag} {name}={value[:60]}")

    def handle_endtag(self, tag: str) -> None:
        script = "".join(self._script)
        if tag == "script" and self._runs and script and script not in OWN_SCRIPTS:
            self.foreign.append(f"script {script[:60]}")
        while self._inside and self._inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._inside[-1:] == ["script"]:
            self._script.append(data)
        elif self._inside[-1:] != ["style"]:
            self._words.append(data)


def formulas(text: str) -> list[str]:
    """List the cells of a CSV file that a spreadsheet would compute."""
    return [
        cell
        for row in csv.reader(io.StringIO(text))
        for cell in row
        if re.match(r"[=+@\t\r-]", cell) and not re.fullmatch(r"-|[+-]?[\d.,]+(e[+-]?\d+)?%?", cell)
    ]


def quarto_that_keeps(folder: Path) -> Path:
    """Make a program in Quarto's place that keeps what it is given in a folder, and then gives up.

    Returns
    -------
    Path
        The folder for ``PATH``.
    """
    place = folder / "bin"
    place.mkdir(parents=True)
    program = place / "quarto"
    program.write_text(
        f"#!{sys.executable}\nimport shutil, sys\n"
        "if '--version' in sys.argv:\n    print('1.9.0')\nelse:\n"
        f"    shutil.copytree(sys.argv[2], {str(folder / 'stage')!r})\n    sys.exit('kept')\n",
        encoding="utf-8",
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return place


def path_with(place: Path) -> str:
    """Give a ``PATH`` on which a folder comes first."""
    return f"{place}{os.pathsep}{os.environ['PATH']}"


def shape_of_stage(folder: Path) -> dict[str, list[Any]]:
    """Give what every text of a staged book is made of, without its words.

    Two books that differ in their words alone have the same shape: no word of theirs has become a
    link, an attribute, raw HTML, code of Typst or anything else than words.
    """
    found: dict[str, list[Any]] = {}
    for path in sorted(folder.rglob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            texts = [cell.source] if cell.cell_type == "markdown" else captions(cell.source)
            texts += [
                "".join(output["data"].get("text/markdown", ""))
                for output in cell.get("outputs", [])
                if "data" in output
            ]
            found.setdefault(path.name, []).extend(_shape(text) for text in texts)
    return found


def captions(source: str) -> list[str]:
    """Give captions and alternative texts among a cell's options, as Quarto reads them."""
    lines = re.findall(r"^#\| ((?:fig|tbl)-(?:cap|alt)): (.*)$", source, re.MULTILINE)
    # A table's caption becomes an attribute, which takes one level of escapes away.
    return [
        re.sub(r"\\(.)", r"\1", json.loads(line)) if name == "tbl-cap" else str(json.loads(line))
        for name, line in lines
    ]


def _shape(text: str) -> list[Any]:
    nodes = []
    for node in walk(parse_markdown(text)["blocks"]):
        kind = node.get("t")
        if kind in ("RawBlock", "RawInline"):
            form, content = node["c"]
            nodes.append((kind, form, _tags(content) if form == "html" else _code(content)))
        elif kind in ("Link", "Image"):
            nodes.append((kind, node["c"][-1][0]))
        elif kind in ("Div", "Span", "Header"):
            nodes.append((kind, json.dumps(node["c"][1 if kind == "Header" else 0])))
        elif kind not in ("Str", "Space", "SoftBreak", None):
            nodes.append((kind,))
    return nodes


def _tags(html: str) -> list[str]:
    """List the elements of HTML with the names of their attributes."""
    found: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag != "wbr":  # where a long word may break is a matter of the word
                found.append(" ".join([tag, *(name for name, _ in attrs)]))

    Reader().feed(html)
    return found


def _code(typst: str) -> str:
    """Give Typst code without the texts in it."""
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', typst)
