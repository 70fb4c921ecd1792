"""Whether a packet is what was packed: sums, crate, manifest, signature."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from roundtrip.errors import DataError, RenderError, SetupError
from roundtrip.packet.contents import (
    ABOUT,
    CRATE,
    FORMAT,
    REPORT,
    SIGNATURE,
    SUMS,
    differing,
    hashes_of,
    place_of,
    readable,
)
from roundtrip.publish.manifest import output_hashes, read_manifest

_SUM = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<name>[^\n]+)")


def integrity(packet: Path) -> Iterator[Finding]:
    """Check that nothing of an opened packet was altered, is missing or was added."""
    about = readable(packet / ABOUT)
    if not isinstance(about, dict) or not (packet / SUMS).is_file():
        raise DataError(
            f"this is no packet: {ABOUT} or {SUMS} is missing or unreadable",
            remedy="name what 'roundtrip pack' wrote",
        )  # fmt: skip
    if about.get("format") != FORMAT:
        raise DataError(
            f"is a packet of format {about.get('format')!r}", where=ABOUT, allowed=str(FORMAT),
            remedy="use the version of Roundtrip that wrote it, or a newer one",
        )  # fmt: skip
    hashes = {name: digest for name, digest in hashes_of(packet).items() if name != SIGNATURE}
    yield _sums(packet, hashes)
    yield _crate(packet, hashes)
    yield _manifest(packet, hashes)


def _sums(packet: Path, hashes: dict[str, str]) -> Finding:
    listed, wrong = {}, []
    for number, line in enumerate((packet / SUMS).read_text("utf-8", "replace").splitlines(), 1):
        match = _SUM.fullmatch(line)
        if match is None:
            wrong.append(f"{SUMS}:{number} is not a hash and a name")
        else:
            listed[match["name"]] = match["digest"]
    present = {name: digest for name, digest in hashes.items() if name != SUMS}
    wrong += [f"{name} is missing" for name in sorted(listed.keys() - present.keys())]
    wrong += [f"{name} was added" for name in sorted(present.keys() - listed.keys())]
    wrong += [
        f"{name} was changed"
        for name in sorted(listed.keys() & present.keys())
        if listed[name] != present[name]
    ]
    return found("sums", f"{len(listed):,} files listed", wrong)


def _crate(packet: Path, hashes: dict[str, str]) -> Finding:
    """Read the crate with the library that crates are made with, and hold it to the files."""
    from rocrate.rocrate import ROCrate

    check, content = "crate", readable(packet / CRATE)
    if not isinstance(content, dict):
        return found(check, "it is no JSON", [f"{CRATE} cannot be read"])
    try:
        crate = ROCrate(content)
        entities = {entity.id: entity.properties() for entity in crate.get_entities()}
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        return found(check, "it is no RO-Crate", [f"{CRATE}: {problem}"])
    wrong = [
        f"{CRATE}: the {what} has no {key}"
        for what, name, keys in (
            ("root", "./", ("name", "description", "datePublished", "license", "conformsTo")),
            ("build", "#build", ("instrument", "object", "result")),
        )
        for key in keys
        if not entities.get(name, {}).get(key)
    ]
    files = {name: entry for name, entry in entities.items() if "File" in _types(entry)}
    expected = {name: digest for name, digest in hashes.items() if name not in (CRATE, SUMS)}
    wrong += [f"{name} is not in the crate" for name in sorted(expected.keys() - files.keys())]
    wrong += [f"{name} of the crate is missing" for name in sorted(files.keys() - expected.keys())]
    wrong += [
        f"{name} has another hash in the crate"
        for name in sorted(files.keys() & expected.keys())
        if files[name].get("sha256") != expected[name]
    ]
    return found(check, f"{len(files):,} files, {len(entities):,} entities", wrong)


def _types(entry: dict[str, object]) -> list[object]:
    kinds = entry.get("@type")
    return kinds if isinstance(kinds, list) else [kinds]


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
        f"{place_of(name)} is not what the report was built from"
        for name, digest in sorted(inputs.items())
        if hashes.get(place_of(name)) != digest
    ]
    if not inputs:
        return unknown(check, "it names no file that the report was built from")
    return found(check, f"{len(outputs):,} files built from {len(inputs):,} files", wrong)


class Outcome(StrEnum):
    """What a check comes to."""

    passed = "pass"
    failed = "fail"
    unknown = "not assessable"


@dataclass(frozen=True)
class Finding:
    """One check of a packet."""

    check: str  # what was looked at, in few words
    outcome: Outcome
    told: str  # what was found, with how much was looked at
    details: tuple[str, ...] = ()  # files, cells and numbers that fail, one a line


def found(check: str, told: str, wrong: Sequence[str]) -> Finding:
    """Give a finding that fails where something is wrong."""
    return Finding(check, Outcome.failed if wrong else Outcome.passed, told, tuple(wrong))


def unknown(check: str, why: str) -> Finding:
    """Give a finding for what cannot be assessed."""
    return Finding(check, Outcome.unknown, why)


_NAMESPACE = "roundtrip"
"""What is signed for; a signature of a mail or of a commit by the same key does not fit."""


def refuse_key(key: Path) -> None:
    """Refuse what cannot sign, before anything is packed.

    A key is a private one as ``ssh-keygen`` makes them, or the public one of a key that the agent
    holds.
    """
    _need_openssh()
    done = _ssh_keygen("-l", "-f", str(key.absolute()))
    if done.returncode:
        raise DataError(
            "is no key of OpenSSH", where=key,
            remedy="make one with 'ssh-keygen -t ed25519 -f FILE'",
        )  # fmt: skip


def signature_of(sums: str, key: Path) -> bytes:
    """Sign the content of ``SHA256SUMS``; a passphrase is asked for in the terminal.

    The same list and the same Ed25519 or RSA key give the same bytes.
    """
    with tempfile.TemporaryDirectory(prefix="roundtrip-sign-") as folder:
        path = Path(folder) / SUMS
        path.write_text(sums, encoding="utf-8", newline="")
        done = _ssh_keygen("-Y", "sign", "-q", "-n", _NAMESPACE, "-f", str(key.absolute()),
                           str(path))  # fmt: skip
        if done.returncode:
            raise DataError(
                f"cannot sign: {_last(done.stderr)}", where=key,
                remedy="name the private key, or the public key of one that ssh-agent holds",
            )  # fmt: skip
        return (Path(folder) / SIGNATURE).read_bytes()


def signature(packet: Path, signers: Path | None) -> Finding:
    """Check who signed an opened packet.

    Who may sign is in `signers`: lines of a name and a public key, as ``ssh-keygen`` takes them.
    """
    check, path = "signature", packet / SIGNATURE
    if signers is not None:
        _need_openssh()
        if not signers.is_file():
            raise DataError(
                "there is no such file of signers", where=signers,
                allowed="lines of a name and a public key: alice@example.com ssh-ed25519 AAAA…",
            )  # fmt: skip
    if not path.is_file():
        told = "nobody signed it"
        return unknown(check, told) if signers is None else found(check, told, [f"no {SIGNATURE}"])
    if shutil.which("ssh-keygen") is None:
        return unknown(check, "it is signed, not checked: OpenSSH is not installed")
    sums = (packet / SUMS).read_bytes()
    fits = _ssh_keygen("-Y", "check-novalidate", "-n", _NAMESPACE, "-s", str(path), given=sums)
    if fits.returncode:
        return found(check, "it is of other sums", [f"{SIGNATURE}: {_last(fits.stderr)}"])
    key = fits.stdout.rpartition(" with ")[2].strip()
    if signers is None:
        return unknown(
            check, f"signed by {key}, not checked: name with --signers whose key that may be"
        )
    named = str(signers.absolute())
    who = _ssh_keygen("-Y", "find-principals", "-s", str(path), "-f", named).stdout.splitlines()
    for name in who:
        done = _ssh_keygen("-Y", "verify", "-f", named, "-I", name, "-n", _NAMESPACE,
                           "-s", str(path), given=sums)  # fmt: skip
        if done.returncode == 0:
            return Finding(check, Outcome.passed, f"signed by {name}, {key}")
    return found(
        check, f"signed by {key}", [f"{signers.name} does not let this key sign for {_NAMESPACE}"]
    )


def _need_openssh() -> None:
    if shutil.which("ssh-keygen") is None:
        raise SetupError(
            "ssh-keygen, which makes and checks signatures, is not installed",
            remedy="sudo apt-get install openssh-client, or leave out --sign and --signers",
        )


def _ssh_keygen(*arguments: str, given: bytes | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(["ssh-keygen", *arguments], input=given, capture_output=True, check=False)
    out, err = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


def _last(text: str) -> str:
    return (text.strip().splitlines() or ["ssh-keygen says nothing"])[-1]
