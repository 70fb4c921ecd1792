"""Build a packet's report again and say what differs, and why."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from roundtrip.files import write_atomically
from roundtrip.packet.contents import PROJECT, REPORT
from roundtrip.packet.findings import Finding, found
from roundtrip.publish.manifest import output_hashes, read_manifest

_MOST_CELLS = 20


def rebuild(packet: Path) -> Iterator[Finding]:
    """Build the report again from the packet's sources, with the Roundtrip that is installed here.

    The chapters and modules of the packet are executed.

    Parameters
    ----------
    packet : Path
        Folder of an opened packet; the report is built within it.
    """
    old = read_manifest(packet / REPORT)
    if old is None:
        yield found("rebuild", "there is nothing to compare with", ["the report has no manifest"])
        return
    project, version = packet / PROJECT, old["report"]["version"]
    parameters = packet / "parameters.yml"
    given = {name: value for name, value in old["parameters"].items() if name != "made_with"}
    write_atomically(parameters, yaml.safe_dump(given, allow_unicode=True))
    done = subprocess.run(
        [sys.executable, "-m", "roundtrip", "--project", str(project), "build",
         "-f", str(parameters), "--engine", old["engine"]["name"]],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        yield found("rebuild", "the build failed", done.stderr.strip().splitlines()[-12:])
        return
    folder = project / "reports" / version
    new = read_manifest(folder)
    assert new is not None  # noqa: S101 - the build has just written it
    before, after = old["outputs"], output_hashes(folder)
    differing = sorted(k for k in before.keys() | after.keys() if before.get(k) != after.get(k))
    details = [line for name in differing for line in _difference(packet / REPORT, folder, name)]
    told = f"{len(before) - sum(k in before for k in differing)} of {len(before)} files are equal"
    yield found("rebuild", told, details)
    if differing:
        yield found("causes", "what went into the two builds differs", list(_causes(old, new)))


def _difference(old: Path, new: Path, name: str) -> Iterator[str]:
    """Say what differs in a file: the cells of a table, or that its bytes do."""
    first, second = old / name, new / name
    if not first.is_file() or not second.is_file():
        yield f"{name}: only in the {'packet' if first.is_file() else 'rebuilt report'}"
    elif first.suffix == ".csv":
        rows = [list(csv.reader(path.read_text("utf-8").splitlines())) for path in (first, second)]
        cells = [
            f"{name}: line {number}, {column}: {one!r} became {other!r}"
            for number, pair in enumerate(zip(*rows, strict=False), start=1)
            for column, one, other in zip(rows[0][0], *pair, strict=False)
            if one != other
        ]
        yield from cells[:_MOST_CELLS]
        if len(rows[0]) != len(rows[1]):
            yield f"{name}: {len(rows[0])} lines became {len(rows[1])}"
    else:
        yield f"{name}: other bytes"


def _causes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Name libraries, renderers, parameters and files that differ."""
    for kind in ("libraries", "engine", "parameters"):
        for name in sorted(old[kind].keys() | new[kind].keys()):
            one, other = old[kind].get(name), new[kind].get(name)
            if one != other and name != "made_with":
                yield f"{kind}: {name} was {one}, is {other}"
    changed = [
        name
        for name in sorted(old["inputs"].keys() | new["inputs"].keys())
        if old["inputs"].get(name) != new["inputs"].get(name)
    ]
    yield from (f"file: {name}" for name in changed[:_MOST_CELLS])
    if len(changed) > _MOST_CELLS:
        yield f"and {len(changed) - _MOST_CELLS} more files"
