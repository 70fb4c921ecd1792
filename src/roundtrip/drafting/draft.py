"""The draft of a published report: what was read, what is open, and what a person has changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from roundtrip.claims.words import load_words
from roundtrip.csvfile import csv_text
from roundtrip.dictionary import Dictionary, load_dictionary
from roundtrip.drafting.blocks import is_value
from roundtrip.drafting.check_page import check_page
from roundtrip.drafting.contents import Contents, Draft, load_draft, read_contents
from roundtrip.drafting.disclosed import disclosure
from roundtrip.drafting.document import open_document
from roundtrip.drafting.figures import POINT_COLUMNS, point_texts
from roundtrip.drafting.folder import DRAFTED, PLACEHOLDERS, READING, TO_BE_TYPED, UNCHOSEN
from roundtrip.drafting.readings import DraftTable
from roundtrip.drafting.sentences import section_number, values_in
from roundtrip.drafting.stubs import claim_stubs
from roundtrip.errors import ParameterError
from roundtrip.files import folder_atomically, sha256_of, sha256_of_file, write_atomically
from roundtrip.project import Project

_UNIT = re.compile(r"[(\[]\s*([nµμu]?s|[mµμu]?sec|ms|seconds|[kKMGT]?i?B|bytes)\s*[)\]]")
_HEAD = """\
# Drafted from a PDF. What stands in capitals or says 'choose' is for a person to say:
# the guide to adding a report leads through it, and 'reading/check.html' shows the pages.
"""


@dataclass(frozen=True)
class Drafted:
    """What became of an import."""

    folder: Path
    read: Contents
    scripts: bool  # whether scripts were seen in the document; none is run
    kept: tuple[str, ...]  # files that a person has changed since: as that person left them


def draft_report(
    project: Project, path: Path, name: str, pages: str | None, progress: Callable[[int, int], None]
) -> Drafted:
    """Read a PDF twice and draft the folder of a published report from what both readings see.

    Parameters
    ----------
    path : Path
        The PDF.
    name : str
        Id of the report.
    pages : str or None
        Pages to read, such as ``7-30,42``; all by default.
    progress : callable
        Called with the number of pages read so far, and of all.

    Raises
    ------
    ParameterError
        If the report is among the published ones already, or the draft is of another document.
    DataError
        If the document cannot be read.
    """
    folder = project.drafts / name
    if (project.published / name).exists():
        raise ParameterError(
            f"the report '{name}' is among the published ones already",
            where=project.published / name, remedy="choose another id",
        )  # fmt: skip
    with open_document(path) as document:
        document_hash = sha256_of_file(path)
        before = _before(folder, document_hash, path)
        numbers = document.numbers(pages)
        read = read_contents(document, numbers, progress)
        files = dict([*_to_copy(read), *_texts(project, name, read)])
        check = project.template("drafts/check.html")
        files[f"{READING}/check.html"] = check_page(check, name, read)
        shown = sorted({
            *(page for table in read.tables for page in table.pages),
            *(figure.page for figure in read.figures), *(one.page for one in read.said),
        })  # fmt: skip
        pictures = {f"{READING}/page-{number:03}.png": document.picture(number) for number in shown}
    contents = {file: text.encode() for file, text in files.items()} | pictures
    kept = _write(folder, contents, before, Draft(path.name, document_hash, read, {}))
    return Drafted(folder, read, document.scripts, kept)


def _write(
    folder: Path, contents: Mapping[str, bytes], before: Mapping[str, str], draft: Draft
) -> tuple[str, ...]:
    """Write a draft in the place of an earlier one, but for what a person has changed or added.

    Gives the files that were changed.
    """
    kept = {}
    for path in sorted(folder.rglob("*")):
        file = path.relative_to(folder).as_posix()
        if path.is_file() and not file.startswith(f"{READING}/"):
            content = path.read_bytes()
            if sha256_of(content) != before.get(file):
                kept[file] = content
    changed = tuple(file for file in kept if file in before)
    hashes = {file: sha256_of(content) for file, content in contents.items()
              if not file.startswith(f"{READING}/")}  # fmt: skip
    hashes |= {file: before[file] for file in changed}
    told = replace(draft, files=hashes).to_json()
    with folder_atomically(folder) as work:
        for file, content in {**contents, DRAFTED: told.encode(), **kept}.items():
            write_atomically(work / file, content)
    return changed


def _before(folder: Path, document: str, path: Path) -> Mapping[str, str]:
    """Give the hashes of what an earlier import of the same document drafted."""
    if not folder.exists():
        return {}
    draft = load_draft(folder)
    if draft is None or draft.document != document:
        raise ParameterError(
            f"the draft was read from another document than {path.name}", where=folder,
            remedy="choose another id, or remove the folder",
        )  # fmt: skip
    return draft.files


def _texts(project: Project, name: str, read: Contents) -> Iterator[tuple[str, str]]:
    """Write the files of the report: its tables, ``report.yml``, claims and errata."""
    for table in read.tables:
        headed = any(row.heading for row in table.rows)
        rows = [
            (row.label, *([row.heading] if headed else []),
             *(cell.text if cell else "" for cell in row.cells))
            for row in table.rows
        ]  # fmt: skip
        columns = ["row", *(["heading"] if headed else []), *table.columns]
        yield table.file, csv_text(columns, rows)
    yield "report.yml", _HEAD + _declared(name, read, load_dictionary(project.dictionary))
    claims = project.template("skeletons/report/claims.yml").read_text("utf-8")
    numbered = {table.number: table for table in read.tables}
    stubs = claim_stubs(read.sentences, read.cells, numbered, load_words(project))
    yield "claims.yml", claims.removesuffix("claims: []\n") + stubs
    yield "errata.yml", project.template("skeletons/report/errata.yml").read_text("utf-8")


def _to_copy(read: Contents) -> Iterator[tuple[str, str]]:
    """Write what a person may copy to the report: values of sentences, points of charts."""
    yield f"{READING}/text.csv", csv_text(
        ["page", "sentence", "row", "section", "metric", "statistic", "value"],
        ((one.page, number, UNCHOSEN, one.place, UNCHOSEN, UNCHOSEN, value)
         for number, one in enumerate(read.sentences, 1) for value in values_in(one.text)),
    )  # fmt: skip
    yield f"{READING}/points.csv", csv_text(
        ("figure", "page", "left", "top", *POINT_COLUMNS),
        ((one.number, one.page, f"{point.left:.1f}", f"{point.top:.1f}", *point_texts(point))
         for one in read.figures for point in one.points),
    )  # fmt: skip


def _declared(name: str, read: Contents, dictionary: Dictionary) -> str:
    sections = {
        mark.numbered: number
        for mark in reversed(read.marks)
        if mark.kind == "caption" and (number := section_number(mark.section))
    }

    def section(of: str) -> dict[str, str]:
        found = sections.get(of.lower())
        return {"section": found} if found else _open("section")

    declared: dict[str, Any] = {
        "id": name, **_open("title"), "short_title": name, **_open("publisher"), "authors": [],
        **_open("edition", "date", "product", "product_version", "notice"),
        "message_sizes": {**_open("basis"), "bytes": {}},
        "factors": {},
        "host_sets": {},
        "cells": sum(_numeric(table) for table in read.tables),
        "tables": [
            {
                "id": table.id, "number": f"Table {table.number}",
                **section(f"Table {table.number}"), "page": table.page, **_open("caption"),
                "cells": _numeric(table),
                **({"row_header": table.corner} if table.corner else {}),
                **({"note": f"{TO_BE_TYPED}: {table.trouble}"} if table.trouble else {}),
                "columns": [
                    {"header": header, **_metric(header, dictionary)}
                    for at, header in enumerate(table.columns)
                    if any(_is_number(row.cells[at]) for row in table.rows)
                ],
            }
            for table in read.tables
        ],
        "figures": [
            {"number": number, **section(number), **_open("shows")}
            for number in dict.fromkeys(one.number for one in read.figures if one.number)
        ],
    }  # fmt: skip
    return yaml.safe_dump(
        declared | disclosure(read.said), sort_keys=False, allow_unicode=True, width=100
    )


def _open(*keys: str) -> dict[str, str]:
    return {key: PLACEHOLDERS[key] for key in keys}


def _is_number(cell: Any) -> bool:
    return cell is not None and any(is_value(text) for text in (cell.text, *cell.readings))


def _numeric(table: DraftTable) -> int:
    return sum(map(_is_number, table.cells))


def _metric(header: str, dictionary: Dictionary) -> dict[str, str]:
    """Name the one metric whose name or label a header gives, and a unit that is not its own."""
    words = {_plain(header), _plain(header.rpartition(" / ")[2])}
    found = [name for name, metric in dictionary.metrics.items()
             if {_plain(name), _plain(metric.label)} & words]  # fmt: skip
    metric = found[0] if len(found) == 1 else UNCHOSEN
    own = dictionary.metrics[metric].unit if metric in dictionary.metrics else ""
    unit = _UNIT.search(header)
    return {"metric": metric, **({"unit": unit[1]} if unit and unit[1] != own else {})}


def _plain(text: str) -> str:
    return re.sub(r"\(.*?\)|[^a-z]", "", text.lower().replace("%", ""))
