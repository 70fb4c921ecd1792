"""Texts are spelt as British English is, and use the words of the field."""

from __future__ import annotations

import ast
import html
import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from conftest import Report

ROOT = Path(__file__).parent.parent
SOURCES_SAY = "requestor,requestors"
"""What is no word of ours: printed in the sources, and the name of a role of JMSPerfHarness."""
ALSO_BRITISH = {"artifacts", "program"}  # the badges of the ACM are for artifacts
REFUSED = {
    r"is seen to be (?:slower|faster)": "no significant slowdown",
    r"the size is left open": "inconclusive",
    r"believe a rate": "never quote a rate without its configuration",
    r"pays? from the same account": "compete for the same CPU",
    r"cannot mend it": "will not help",
    r"the dearer of": "the more expensive of",
    r"[Oo]f no (?:high availability|mirror)": "of a single broker; relative to no …",
    r"[Dd]oubted (?:cell|value|point)s?": "doubtful",
    r"[Rr]equestors? (?:per|and|of|to)\b": "requesters",
    r"\b(?:made|started|computed|built) anew\b": "rebuilt, restarted, recomputed",
    r"(?:is|are|be) held to (?:the |its |their )?(?:numbers|same|printed|rules)": "checked against",
    r"stands? in no mean": "is excluded from the means",
    r"\bnothing is concluded\b": "supports no conclusion",
    r"the most that (?:is|are) kept": "the highest sustained",
    r"came twice": "was duplicated",
    r"[Cc]ould not be answered here": "inconclusive here",
    r"\bsays of it\b": "says about it",
    r"one (?:after|wait after) the other": "in sequence",
    r"\bmend(?:s|ed)?\b": "fix",
}
"""Phrases that nobody in the field uses, and what it says instead."""
_CODE = re.compile(r"```.*?```|`[^`]*`|^ {4}.*$", re.DOTALL | re.MULTILINE)
_NO_PROSE = re.compile(r"<(script|style|code|pre)\b.*?</\1>|<[^>]+>", re.DOTALL)
_HEARD = re.compile(r'<[^>]*\b(?:alt|aria-label|title)="([^"]*)"[^>]*>')


def markdown() -> dict[str, str]:
    """What authors wrote: documents, and the text cells of notebooks and of what `init` makes."""
    texts = {
        path: path.read_text("utf-8") for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"))
    }
    for path in (
        *ROOT.glob("notebooks/*.ipynb"),
        *ROOT.glob("src/roundtrip/templates/skeletons/**/*.ipynb"),
    ):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        texts[path] = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] != "code")
    for path in ROOT.glob("notebooks/support/**/*.py"):
        found = [n.value for n in ast.walk(ast.parse(path.read_text("utf-8")))
                 if isinstance(n, ast.Constant) and isinstance(n.value, str)]  # fmt: skip
        texts[path] = "\n".join(text for text in found if " " in text)
    return {str(path.relative_to(ROOT)): _CODE.sub(" ", text) for path, text in texts.items()}


def rendered(report: Report) -> dict[str, str]:
    """What readers see or hear: computed sentences, captions and alternative texts, too."""
    pages = {
        path.relative_to(report.html).as_posix(): _HEARD.sub(r"\1\n", path.read_text("utf-8"))
        for path in report.html.rglob("*.html")
    }
    return {name: html.unescape(_NO_PROSE.sub(" ", page)) for name, page in pages.items()}


def american() -> dict[str, str]:
    """American spellings, each with the British one."""
    table = files("codespell_lib") / "data" / "dictionary_en-GB_to_en-US.txt"
    pairs = [line.split("->") for line in table.read_text("utf-8").splitlines()]
    return {
        word.strip(): british
        for british, words in pairs
        for word in words.split(",")
        if word.strip() and word.strip() not in ALSO_BRITISH
    }


def mistakes(texts: dict[str, str], folder: Path) -> list[str]:
    """Name misspelt words, American ones and phrases that are refused, with their place."""
    for name, text in texts.items():
        (folder / name.replace("/", "--")).write_text(text, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "codespell_lib", "--builtin", "clear,rare",
         "--ignore-words-list", SOURCES_SAY, str(folder)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    found = [line.removeprefix(f"{folder}/") for line in done.stdout.splitlines()]
    table = american()
    for name, text in texts.items():
        found += [
            f"{name}: {word} ==> {table[word]}"
            for word in sorted(set(re.findall(r"\b[a-z]+\b", text)) & table.keys())
        ]
        found += [
            f"{name}: {match[0]} ==> {better}"
            for phrase, better in REFUSED.items()
            for match in re.finditer(phrase, text)
        ]
    return found


def test_what_authors_wrote(tmp_path: Path) -> None:
    assert mistakes(markdown(), tmp_path) == []


def test_what_readers_see(small: Report, tmp_path: Path) -> None:
    assert mistakes(rendered(small), tmp_path) == []


def test_what_readers_of_the_edition_see(report: Report, tmp_path: Path) -> None:
    assert mistakes(rendered(report), tmp_path) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The mesage was lost.", "x:1: mesage ==> message"),
        ("The color of a line.", "x: color ==> colour"),
        ("No variant is seen to be slower.", "x: is seen to be slower ==> no significant slowdown"),
    ],
)
def test_a_mistake_is_found(tmp_path: Path, text: str, found: str) -> None:
    assert mistakes({"x": text}, tmp_path) == [found]
    assert mistakes({"x": "The colour of a line."}, tmp_path) == []
