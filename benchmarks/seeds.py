"""The five documents as PDF, printed from their texts where these are at hand.

The documents are not ours to give away. Where ``ROUNDTRIP_SEEDS`` names the folder of their texts,
each is set by Typst with its headings, captions, sentences and tables, so that it can be read as
``roundtrip import`` reads a PDF:

    ROUNDTRIP_SEEDS=folder python benchmarks/seeds.py FOLDER
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import typst

TITLES = {
    "IBM MQ V9.4 for Linux": "ibm-mq-v9.4-linux",
    "MSMQ": "mqseries-vs-msmq",
    "IBM MQ V10.0 HA": "ibm-mq-v10-ha",
    "WebSphere MQ for AIX V7": "websphere-mq-v7-aix",
    "IBM MQ Appliance Performance Report": "mq-appliance-m2003",
}
"""Words at the head of a document to the id of its report."""

_SET = """\
#set page(paper: "a4", margin: 20mm, numbering: "1")
#set text(size: 9.5pt, hyphenate: false)
#set par(leading: 0.55em, spacing: 1.3em)
#show table: set text(size: 7.5pt)
"""
_HEADING = re.compile(r"^(#+)\s+(.*)$")


def seed_texts() -> dict[str, str]:
    """Give the texts that are at hand, by the id of their report; none without the folder."""
    folder = os.environ.get("ROUNDTRIP_SEEDS")
    found: dict[str, str] = {}
    for path in sorted(Path(folder).glob("*.txt")) if folder else ():
        text = path.read_text("utf-8")
        found |= {report: text for words, report in TITLES.items() if words in text[:1500]}
    return found


def printed_seed(text: str) -> bytes:
    """Set a text as a PDF."""
    return typst.compile((_SET + "\n".join(_blocks(text))).encode())


def _blocks(text: str) -> Iterator[str]:
    rows: list[list[str]] = []
    held: list[str] = []
    code = False
    for line in [*text.splitlines(), ""]:
        if line.startswith("```"):
            code = not code
            yield from _paragraph(held)
            continue
        plain = re.sub(r"\*\*|__|\\(?=\W|_)|(?<!\w)\*|\*(?!\w)", "", line).strip()
        cells = line.rstrip("\n").split("\t")
        heading = _HEADING.match(line.strip())
        if len(cells) > 1:
            yield from _paragraph(held)
            rows.append([re.sub(r"\*", "", cell).strip() for cell in cells])
            continue
        yield from _table(rows)
        if heading or re.match(r"^(?:\d+(?:\.\d+)+)\s+[A-Z]\D{3,60}$", plain):
            yield from _paragraph(held)
            title = re.sub(r"^#+\s*", "", plain)
            size = {1: 20, 2: 15}.get(len(heading[1]), 12) if heading else 12
            yield f"#heading(level: 1)[#text(size: {size}pt){_quoted(title)}]"
        elif re.match(r"^(?:table|figure) \d+", plain, re.IGNORECASE) and _is_caption(plain):
            yield from _paragraph(held)
            yield f"#block(sticky: true){_quoted(plain)}"
        elif not plain:
            yield from _paragraph(held)
        else:
            held.append(plain + "\n" * (code or line.endswith("  ")))


def _is_caption(line: str) -> bool:
    return line.isupper() or re.match(r"^\w+ \d+\s*[:.–—-]", line) is not None


def _paragraph(held: list[str]) -> Iterator[str]:
    if held:
        lines = filter(None, map(str.strip, " ".join(held).split("\n")))
        yield f"#par[#{'#linebreak()#'.join(map(_quoted, lines))}]"
        held.clear()


def _table(rows: list[list[str]]) -> Iterator[str]:
    if rows:
        wide = max(map(len, rows))
        cells = (cell for row in rows for cell in (*row, *[""] * (wide - len(row))))
        yield (f"#table(columns: {wide}, stroke: none, align: (x, y) => if x == 0 {{ left }} else "
               f"{{ right }}, {', '.join(map(_quoted, cells))})")  # fmt: skip
        rows.clear()


def _quoted(text: str) -> str:
    return f"[#{json.dumps(text, ensure_ascii=False)}]"


if __name__ == "__main__":
    for report, text in seed_texts().items():
        (Path(sys.argv[1]) / f"{report}.pdf").write_bytes(printed_seed(text))
        print(report)
