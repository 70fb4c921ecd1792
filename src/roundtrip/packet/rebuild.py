"""Build a packet's report again and say what differs, and why."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from roundtrip.files import write_atomically
from roundtrip.packet.changes import changes
from roundtrip.packet.contents import PROJECT, REPORT, differing
from roundtrip.packet.environment import HERE, make_environment
from roundtrip.packet.findings import Finding, Outcome, found
from roundtrip.publish.manifest import output_hashes, read_manifest

_MOST = 20
_CAUSES = ("parameter", "environment", "file")
"""Kinds of changes that are told as causes."""
_KINDS = {"data/": "data", "notebooks/": "chapter", "checks/": "check", "roundtrip/": "tool"}
_UNKNOWN = (
    "files, libraries and parameters are the same: what remains is the browser that draws charts, "
    "and this machine"
)


def rebuild(packet: Path, *, here: bool) -> Iterator[Finding]:
    """Build the report again from the packet's sources; its chapters and modules are executed.

    The report is built within the opened packet, and an environment beside it, with the Roundtrip
    of the packet and the libraries that its lock file pins; or with what is installed `here`.
    """
    old = read_manifest(packet / REPORT)
    if old is None:
        yield found("rebuild", "there is nothing to compare with", ["the report has no manifest"])
        return
    version = str(old["libraries"].get("python"))
    runner = HERE if here else make_environment(packet, packet.parent / "environment", version)
    project = packet / PROJECT
    parameters = packet / "parameters.yml"
    given = {name: value for name, value in old["parameters"].items() if name != "made_with"}
    write_atomically(parameters, yaml.safe_dump(given, allow_unicode=True))
    folder = project / "reports" / old["report"]["version"]
    shutil.rmtree(folder, ignore_errors=True)
    # As then: a report that was built although checks failed says so on every page.
    allowed = ["--allow-failed-checks"] if old["checks"].get("failed") else []
    done = subprocess.run(
        [runner.python, "-P", "-m", "roundtrip", "--project", str(project), "build",
         "-f", str(parameters), "--engine", old["engine"]["name"], *allowed],
        env=runner.variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        yield found("rebuild", "the build failed", done.stderr.strip().splitlines()[-12:])
        return
    before, after = old["outputs"], output_hashes(folder)
    different = differing(before, after)
    new = read_manifest(folder)
    assert new is not None  # noqa: S101 - the build has just written it
    causes = tuple(_causes(old, new))
    told = (
        f"{len(before) - sum(k in before for k in different)} of {len(before)} files are equal; "
        f"built with what {'is installed here' if here else 'the packet pins'}"
    )
    if not different:
        yield found("rebuild", told, [])
        if causes:
            yield Finding("causes", Outcome.passed, "what differs changes no byte", causes)
        return
    details = [
        f"{one.kind}: {one.where}: {one.old or 'nothing'} became {one.new or 'nothing'}"
        for one in changes(packet / REPORT, folder)
        if one.kind not in _CAUSES
    ]
    few = ", ".join(different[:_MOST]) + (" …" if len(different) > _MOST else "")
    yield found("rebuild", told, [*details, f"other bytes: {few}"])
    yield found("causes", "what went into the two builds differs", causes or [_UNKNOWN])


def _causes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Name libraries, renderers, parameters and files that differ."""
    for kind in ("libraries", "engine", "parameters"):
        for name in differing(old[kind], new[kind]):
            if name != "made_with":
                yield f"{kind}: {name} was {old[kind].get(name)}, is {new[kind].get(name)}"
    changed = differing(old["inputs"], new["inputs"])
    for name in changed[:_MOST]:
        font = name.endswith((".woff2", ".ttf", ".otf"))
        kind = next((kind for start, kind in _KINDS.items() if name.startswith(start)), "file")
        yield f"{'font' if font else kind}: {name}"
    if len(changed) > _MOST:
        yield f"and {len(changed) - _MOST} more files"
