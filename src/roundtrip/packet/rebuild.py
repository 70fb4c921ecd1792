"""Build a packet's report again and say what differs, and why."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml
from packaging.utils import canonicalize_name

from roundtrip.errors import DataError, SetupError
from roundtrip.files import write_atomically
from roundtrip.packet.changes import Change, changes, manifest_changes
from roundtrip.packet.contents import PROJECT, REPORT, TOOL, Contents
from roundtrip.packet.findings import Finding, Outcome, found
from roundtrip.publish.manifest import differing, output_hashes, read_manifest
from roundtrip.versions import LOCK, read_pins

_MOST = 20
_CAUSES = ("parameter", "environment", "file")
"""Kinds of changes that are told as causes."""
_LEAKING = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONHOME", "PIP_USER")
"""Variables that would reach into an environment of its own, or past it."""
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
    python, variables = sys.executable, dict(os.environ)
    if not here:
        python, variables = make_environment(packet, packet.parent / "environment", version)
    project = packet / PROJECT
    parameters = packet / "parameters.yml"
    given = {name: value for name, value in old["parameters"].items() if name != "made_with"}
    write_atomically(parameters, yaml.safe_dump(given, allow_unicode=True))
    folder = project / "reports" / old["report"]["version"]
    shutil.rmtree(folder, ignore_errors=True)
    # As then: a report that was built although checks failed says so on every page.
    allowed = ["--allow-failed-checks"] if old["checks"].get("failed") else []
    done = subprocess.run(
        [python, "-P", "-m", "roundtrip", "--project", str(project), "build",
         "-f", str(parameters), "--engine", old["engine"]["name"], *allowed],
        env=variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        yield found("rebuild", "the build failed", done.stderr.strip().splitlines()[-12:])
        return
    before, after = old["outputs"], output_hashes(folder)
    different = differing(before, after)
    causes = [
        _line(one) for one in manifest_changes(packet / REPORT, folder)
        if one.kind in _CAUSES and one.where != "made_with"
    ]  # fmt: skip
    equal = len(before) - sum(name in before for name in different)
    told = (
        f"{equal:,} of {len(before):,} files are equal; "
        f"built with what {'is installed here' if here else 'the packet pins'}"
    )
    if not different:
        yield found("rebuild", told, [])
        if causes:
            yield Finding("causes", Outcome.passed, "what differs changes no byte", tuple(causes))
        return
    found_changes = changes(packet / REPORT, folder)
    details = [_line(one) for one in found_changes if one.kind not in _CAUSES]
    few = ", ".join(different[:_MOST]) + (" …" if len(different) > _MOST else "")
    yield found("rebuild", told, [*details, f"other bytes: {few}"])
    yield found("causes", "what went into the two builds differs", causes or [_UNKNOWN])


def _line(one: Change) -> str:
    where = "; ".join((one.where, *one.also))
    return f"{one.kind}: {where}: {one.old or 'nothing'} became {one.new or 'nothing'}"


_ELSEWHERE = re.compile(r"^\s*-(?!-hash=sha256:)|://|\s@\s", re.MULTILINE)
"""Options and addresses: where packages come from is the reviewer's to say."""


def make_environment(packet: Path, folder: Path, version: str) -> tuple[str, dict[str, str]]:
    """Install what a packet pins, from whatever index pip is told to use here.

    The environment will run the Roundtrip in the opened packet. The `version` of Python, which the
    report's manifest names, is taken where it is installed. Gives the interpreter, and the
    environment variables that it needs.
    """
    lock = packet / PROJECT / LOCK
    if not lock.is_file():
        raise DataError(
            "the packet pins no libraries: this file is missing", where=f"{PROJECT}/{LOCK}",
            remedy="build it with what is installed here: --rebuild --here",
        )  # fmt: skip
    elsewhere = _ELSEWHERE.search(lock.read_text("utf-8", "replace"))
    if elsewhere:
        raise DataError(
            f"the lock says where packages come from ('{elsewhere[0].strip()}')",
            where=f"{PROJECT}/{LOCK}", allowed="names, versions and hashes",
        )  # fmt: skip
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    other = version != here and re.fullmatch(r"3\.\d+", version)
    named = shutil.which(f"python{version}") if other else None
    variables = {name: text for name, text in os.environ.items() if name not in _LEAKING}
    _run([named or sys.executable, "-P", "-m", "venv", str(folder)], variables,
         "making a virtual environment")  # fmt: skip
    python = str(folder / "bin" / "python")
    _run([python, "-P", "-m", "pip", "install", "--quiet", "--no-input", "--no-deps",
          "--no-compile", "--disable-pip-version-check", "--only-binary=:all:",
          "--require-hashes", "--requirement", str(lock)],
         variables, f"installing what {LOCK} pins")  # fmt: skip
    return python, {**variables, "PYTHONPATH": str(packet / TOOL)}


def pinned_otherwise(contents: Contents) -> list[str]:
    """Name the libraries that the project pins in other versions than the report was built with."""
    lock = contents.files.get(f"{PROJECT}/{LOCK}")
    if lock is None:
        return [f"the project has no {LOCK}: it can be built again with --here alone"]
    pins = read_pins(lock.read_text("utf-8"))
    return [
        f"built with {name} {version}, and {LOCK} pins {pins.get(canonicalize_name(name), 'none')}"
        for name, version in contents.manifest["libraries"].items()
        if name not in ("python", "roundtrip") and pins.get(canonicalize_name(name)) != version
    ]


def _run(command: list[str], variables: Mapping[str, str], task: str) -> None:
    done = subprocess.run(
        command, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.returncode:
        errors = [line for line in done.stdout.splitlines() if re.match(r"error\b", line, re.I)]
        said = re.sub(r"\b[a-z]+://\S+", "…", (errors or ["no reason given"])[0])  # a password
        raise SetupError(
            f"{task} failed: {said}",
            remedy="correct what pip names (network, disk, mirror), or build with what is "
            "installed here: --rebuild --here",
        )
