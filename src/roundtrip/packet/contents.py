"""Which files a packet holds, and which it leaves out by rule."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtrip.errors import RenderError
from roundtrip.files import sha256_of_file
from roundtrip.project import Project
from roundtrip.publish.commit import git
from roundtrip.publish.manifest import (
    UNLISTED,
    differing,
    input_files,
    named_places,
    output_hashes,
    read_manifest,
)
from roundtrip.redaction.copy import left_out_of
from roundtrip.redaction.scan import UTF_16, plain_text
from roundtrip.secrets import masked_bytes

PROJECT, REPORT, TOOL = "project", "report", "tool"
"""Folders of a packet: what the report was built from, the report, the Roundtrip that built it."""
SUMS, ABOUT, CRATE = "SHA256SUMS", "packet.json", "ro-crate-metadata.json"
SIGNATURE = f"{SUMS}.sig"
FORMAT = 1
"""Of packets; one of a higher number is not understood."""
_NEVER = {".pem", ".key", ".ppk", ".p8", ".p12", ".pfx", ".jks", ".jceks", ".keystore", ".kdb",
          ".kdbx", ".sth", ".ovpn", ".env"}  # fmt: skip
_STORES = {".env", ".netrc", "_netrc", ".pgpass", ".htpasswd", ".git-credentials"}
"""Files that hold passwords and little else."""
_KEY_NAMES = re.compile(r"id_\w+|[\w-]*_key")
"""How ssh names private keys, which have no ending."""
_SPEAKING = {".md", ".rst", ".tex", ".typ", ".html", ".css", ".js", ".ts", ".py", ".ipynb", ".java",
             ".c", ".h", ".sh", ".sql", ".lua", ".lock"}  # fmt: skip
"""Endings of prose, code and lists of packages, which only speak of passwords; other text may hold
some."""
_LARGEST_SCANNED = 1_000_000
_OURS = "roundtrip/"
"""How a manifest names the files of Roundtrip itself."""


@dataclass(frozen=True)
class Contents:
    """What goes into a packet."""

    files: dict[str, Path]  # path within the packet to the file
    left_out: dict[str, str]  # path below the project to the rule that leaves it out
    manifest: dict[str, Any]  # of the report


def contents_of(project: Project, version: str) -> Contents:
    """Choose the files of a packet.

    Parameters
    ----------
    version : str
        Of a report that is built.

    Raises
    ------
    RenderError
        If there is no such report, it was changed since, or the project or Roundtrip is no longer
        what it was built from.
    """
    folder = project.reports / version
    manifest = read_manifest(folder)
    if manifest is None:
        built = sorted(path.parent.name for path in project.reports.glob("*/manifest.json"))
        raise RenderError(
            f"there is no report of version '{version}'",
            where=project.relative(folder),
            allowed=", ".join(built) or "none is built yet",
            remedy="run 'roundtrip build' first",
        )
    _refuse_difference(
        output_hashes(folder), manifest["outputs"], project.relative(folder),
        "the report was changed after it was built",
    )  # fmt: skip
    inputs = input_files(project, named_places(manifest["parameters"]))
    _refuse_difference(
        {name: sha256_of_file(path) for name, path in inputs.items()}, manifest["inputs"],
        "manifest.json", "the project, or Roundtrip, is no longer what the report was built from",
    )  # fmt: skip
    left_out = left_out_of(project)
    files = {
        f"{REPORT}/{path.relative_to(folder).as_posix()}": path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    files |= {path_in_packet(key): path for key, path in inputs.items() if key.startswith(_OURS)}
    named = {path for key, path in inputs.items() if not key.startswith(_OURS)}
    for path in sorted(named | set(_files_of(project))):
        name = path.relative_to(project.root).as_posix()
        if UNLISTED.search(name):
            left_out[ascii(name)[1:-1]] = "has a name that no list of files can hold"
            continue
        if path.is_relative_to(project.drafts):
            left_out[name] = "belongs to a draft, which shows pages of somebody's document"
            continue
        rule = _rule_against(path, quotes=_quotes(path, project))
        if rule is None:
            files[f"{PROJECT}/{name}"] = path
        elif name in inputs:
            raise RenderError(
                f"a file that the report is built from {rule}", where=name,
                remedy="take that out, or the file, and build again with "
                "'roundtrip build --overwrite'",
            )  # fmt: skip
        else:
            left_out[name] = rule
    return Contents(files, left_out, manifest)


def path_in_packet(name: str) -> str:
    """Say where in a packet a file is that a report was built from, by its name in the manifest."""
    return f"{TOOL if name.startswith(_OURS) else PROJECT}/{name}"


def _files_of(project: Project) -> Iterator[Path]:
    """Give the files of the project: those that git knows, or all that are not hidden or made."""
    known = git(project.root, "ls-files", "-z", "--full-name")
    if known is not None and (project.root / ".git").exists():
        for name in sorted(filter(None, os.fsdecode(known).split("\0"))):
            path = project.root / name
            if path.is_file() or path.is_symlink():  # neither deleted nor a repository of its own
                yield path
        return
    made = {"reports", "__pycache__", "node_modules", "target"}
    for path in sorted(project.root.rglob("*")):
        parts = path.relative_to(project.root).parts
        hidden = any(part.startswith(".") for part in parts)
        if (path.is_file() or path.is_symlink()) and not hidden and not made & set(parts):
            yield path


def _quotes(path: Path, project: Project) -> bool:
    """Say whether a file only repeats what is public: reports, their texts, or payloads."""
    if any(map(path.is_relative_to, (project.reports, project.root / "data" / "payloads"))):
        return True
    return path.is_relative_to(project.published) and path.suffix in {".csv", ".yml"}


def _rule_against(path: Path, *, quotes: bool) -> str | None:
    """Say which rule leaves a file out; None where none does."""
    if path.is_symlink():
        return "is a link"
    ending = path.suffix.lower()
    name = path.name.lower()
    if (
        ending in _NEVER
        or name in _STORES
        or name.startswith(".env.")
        or _KEY_NAMES.fullmatch(name)
    ):
        return "may be a key or a password store"
    if not quotes and ending not in _SPEAKING and path.stat().st_size <= _LARGEST_SCANNED:
        content = path.read_bytes()
        is_text = plain_text(content) is not None or content.startswith(UTF_16)
        if is_text and masked_bytes(content) != content:
            return "holds what looks like a secret"
    return None


def _refuse_difference(
    found: dict[str, str], wanted: dict[str, str], where: str, what: str
) -> None:
    different = differing(found, wanted)
    if different:
        raise RenderError(
            f"{what}: {', '.join(different[:3])}" + (" …" if len(different) > 3 else ""),
            where=where,
            remedy="build it again with 'roundtrip build --overwrite'",
        )


def json_in(path: Path) -> Any:
    """Read a JSON file of a packet; None where it is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None


def sums_text(hashes: dict[str, str]) -> str:
    """Write hashes as ``sha256sum`` does, sorted by name."""
    return "".join(f"{digest}  {name}\n" for name, digest in sorted(hashes.items()))
