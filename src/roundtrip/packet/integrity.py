"""Whether a packet is what was packed: sums, the crate, the report's manifest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from roundtrip.errors import DataError, RenderError
from roundtrip.files import hashes_below
from roundtrip.packet.contents import (
    ABOUT,
    CRATE,
    FORMAT,
    REPORT,
    SIGNATURE,
    SUMS,
    json_in,
    path_in_packet,
)
from roundtrip.packet.findings import Finding, found, unknown
from roundtrip.publish.manifest import differing, output_hashes, read_manifest

_SUM = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<name>[^\n]+)")
_REQUIRED = {
    "./": ("name", "description", "datePublished", "license", "conformsTo"),
    "#build": ("instrument", "object", "result"),
}
"""What a crate tells of itself, and of the build of its report."""


def integrity(packet: Path) -> Iterator[Finding]:
    """Check that nothing of an opened packet was altered, is missing or was added."""
    about = json_in(packet / ABOUT)
    if not isinstance(about, dict) or not (packet / SUMS).is_file():
        raise DataError(
            f"this is no packet: {ABOUT} or {SUMS} cannot be read",
            remedy="name what 'roundtrip pack' wrote; if this is that, it is damaged: get it again",
        )  # fmt: skip
    if about.get("format") != FORMAT:
        raise DataError(
            f"is a packet of format {about.get('format')!r}", where=ABOUT, allowed=str(FORMAT),
            remedy="use the version of Roundtrip that wrote it, or a newer one",
        )  # fmt: skip
    hashes = {
        name: digest for name, digest in hashes_below(packet).items()
        if name != SIGNATURE and not (packet / name).is_symlink()
    }  # fmt: skip
    yield _sums(packet, hashes)
    yield _crate(packet, hashes)
    yield _manifest(packet, hashes)


def _sums(packet: Path, hashes: dict[str, str]) -> Finding:
    listed, wrong = {}, []
    # Names may hold what ends a line elsewhere.
    text = (packet / SUMS).read_bytes().decode("utf-8", "replace").removesuffix("\n")
    for number, line in enumerate(text.split("\n"), 1):
        match = _SUM.fullmatch(line)
        if match is None:
            wrong.append(f"{SUMS}:{number} is not a hash and a name")
        else:
            listed[match["name"]] = match["digest"]
    present = {name: digest for name, digest in hashes.items() if name != SUMS}
    for name in differing(listed, present):
        both = name in listed and name in present
        what = "was changed" if both else "is missing" if name in listed else "was added"
        wrong.append(f"{name} {what}")
    return found("sums", f"{len(listed):,} files listed", wrong)


def _crate(packet: Path, hashes: dict[str, str]) -> Finding:
    """Read the crate with the library that crates are made with, and hold it to the files."""
    from rocrate.rocrate import ROCrate

    check, content = "crate", json_in(packet / CRATE)
    if not isinstance(content, dict):
        return found(check, "it is no JSON", [f"{CRATE} cannot be read"])
    try:
        crate = ROCrate(content)
        files = {unquote(one.id): one.get("sha256") for one in crate.get_by_type("File")}
        told = {one.id: one.properties() for one in crate.get_entities()}
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        return found(check, "it is no RO-Crate", [f"{CRATE}: {problem}"])
    expected = {name: digest for name, digest in hashes.items() if name not in (CRATE, SUMS)}
    wrong = [
        f"{CRATE}: {name} has no {key}"
        for name, keys in _REQUIRED.items() for key in keys if not told.get(name, {}).get(key)
    ]  # fmt: skip
    wrong += [f"{name} is not as the crate has it" for name in differing(files, expected)]
    return found(check, f"{len(files):,} files", wrong)


def _manifest(packet: Path, hashes: dict[str, str]) -> Finding:
    """Hold the report to its manifest, and what it was built from."""
    check = "manifest"
    try:
        manifest = read_manifest(packet / REPORT)
    except RenderError as problem:
        return found(check, "it is damaged", [f"{REPORT}/manifest.json {problem.what}"])
    if manifest is None:
        return found(check, "there is none", [f"{REPORT}/manifest.json is missing"])
    outputs = output_hashes(packet / REPORT)
    wrong = [
        f"{REPORT}/{name} is not what was built" for name in differing(outputs, manifest["outputs"])
    ]
    inputs = manifest["inputs"]
    wrong += [
        f"{path_in_packet(name)} is not what the report was built from"
        for name, digest in sorted(inputs.items())
        if hashes.get(path_in_packet(name)) != digest
    ]
    if not inputs:
        return unknown(check, "it names no file that the report was built from")
    of = manifest["report"]
    which = f"{of['title']}, version {of['version']}"
    if of["commit"]:
        which += f", commit {of['commit']}"
    told = f"{which}: {len(outputs):,} files built from {len(inputs):,} files"
    return found(check, told, wrong)
