"""A copy of a project with aliases for names, which a redacted report is built from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from roundtrip.errors import DataError
from roundtrip.files import sha256_of, write_atomically
from roundtrip.project import INGESTED, MANIFEST, Project
from roundtrip.redaction.aliases import Aliases
from roundtrip.redaction.names import Redact, found_in
from roundtrip.redaction.scan import found_in_content, plain_text

_MARK = "# Names in this project are replaced by aliases.\n"
_LEFT_OUT = ".left-out.json"
_AS_IT_IS = ("requirements.lock",)
"""Names of packages in it are nobody's."""
_HOLDS = "holds a name that is to be replaced, and cannot be changed"
_CLOSED = "cannot be searched for names that are to be replaced"
_HASHED = (INGESTED, "campaign.yml")
"""Files of a campaign whose hash its manifest holds."""
_REJECTS = "holds hashes of lines, by which names in them could be tried out"


def folder_of_copy(project: Project, version: str) -> Path:
    """Say where the copy for an edition is, and beside it the table of aliases."""
    return project.cache / "redacted" / version / "project"


def aliases_for(sections: Sequence[Redact], files: Mapping[str, Path]) -> Aliases:
    """Give the aliases for what is named, and for what is found in manifests of campaigns.

    Parameters
    ----------
    files : mapping
        Path below the project to the file.
    """
    kinds = [kind for section in sections for kind in section.find]
    manifests = [
        plain_text(path.read_bytes()) or ""
        for name, path in files.items()
        if name.startswith("data/campaigns/") and path.name == MANIFEST
    ]
    texts = [text for path in files.values() if (text := plain_text(path.read_bytes())) is not None]
    found = [item for text in manifests for item in found_in(text, kinds)] if kinds else []
    return Aliases(sections, found, texts)


def write_copy(
    project: Project, files: Mapping[str, Path], made: Mapping[str, str], aliases: Aliases,
    target: Path,
) -> Project:  # fmt: skip
    """Write the copy, or bring it up to date; what is unchanged keeps its cache.

    Parameters
    ----------
    files : mapping
        Path below the project to the file, of all that the report is built from.
    made : mapping
        Path to text of what the copy has instead of the project's own.

    Returns
    -------
    Project
        Its reports are those of the project.

    Raises
    ------
    DataError
        If a name is in a file that can neither be changed nor left out, two files would get one
        name, or one is a link.
    """
    wanted: dict[str, bytes] = {}
    left_out: dict[str, str] = {}
    rehashed: dict[str, str] = {}
    for name, path in sorted(files.items()):
        called = aliases.replaced(name)
        if called in wanted or called in left_out:
            raise DataError(
                f"two files would be called '{called}'", where=name,
                remedy="rename one: names that differ in case alone get the same alias",
            )  # fmt: skip
        if path.is_symlink():  # a copy of it would pass for a file of the project
            raise DataError("is a link", where=called, remedy="put the file in its place")
        content = path.read_bytes()
        text = plain_text(content)
        # What an ingested campaign keeps of intervals no report is built from, either.
        parts = Path(name).parts
        raw = parts[:2] == ("data", "campaigns") and not {"raw", "series"}.isdisjoint(parts[3:4])
        if name in _AS_IT_IS:
            wanted[called] = content
        elif name.startswith("data/campaigns/") and path.name == "rejects.tsv":
            left_out[called] = _REJECTS
        elif raw or text is None:
            # Manifests hold hashes of raw files: they stay as they are, or away.
            found = found_in_content(content, aliases)
            rule = _CLOSED if found is None else _HOLDS if found else None
            if rule is None:
                wanted[called] = content
            elif raw:
                left_out[called] = rule
            else:
                raise DataError(
                    rule, where=called, remedy="take the file out, or put a text in its place"
                )
        else:
            text = aliases.replaced(text)
            if hidden := aliases.found_in(text):
                raise DataError(
                    f"holds the name of {', '.join(hidden)} in a form that cannot be replaced",
                    where=called, remedy="write it there as it is named under 'redact'",
                )  # fmt: skip
            wanted[called] = text.encode()
            if path.name in _HASHED:
                rehashed[sha256_of(content)] = sha256_of(text)
    for called in wanted:
        if rehashed and Path(called).name == MANIFEST:  # it holds hashes of what was replaced
            text = wanted[called].decode()
            for before, after in rehashed.items():
                text = text.replace(before, after)
            wanted[called] = text.encode()
    wanted |= {name: text.encode() for name, text in made.items()}
    wanted["_quarto.yml"] = _MARK.encode() + wanted["_quarto.yml"]
    wanted[_LEFT_OUT] = json.dumps(left_out).encode()
    for path in sorted(target.rglob("*"), reverse=True):  # what is in a folder before the folder
        name = path.relative_to(target).as_posix()
        if path.is_file() and name not in wanted and not name.startswith(".cache/"):
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    for name, content in wanted.items():
        place = target / name
        if not place.is_file() or place.read_bytes() != content:
            write_atomically(place, content)
    return Project(target, origin=project.root)


def left_out_of(project: Project) -> dict[str, str]:
    """Give the files that a copy leaves out, by path; none where the project is no copy."""
    path = project.root / _LEFT_OUT
    if project.origin is None or not path.is_file():
        return {}
    left_out: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return left_out
