"""Signatures of packets: OpenSSH makes and checks them, with keys that people have already."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from contextlib import nullcontext
from pathlib import Path

from roundtrip.errors import DataError, SetupError
from roundtrip.packet.contents import SIGNATURE, SUMS
from roundtrip.packet.findings import Finding, Outcome, found, unknown

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
    sums = packet / SUMS
    fits = _ssh_keygen("-Y", "check-novalidate", "-n", _NAMESPACE, "-s", str(path), signed=sums)
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
                           "-s", str(path), signed=sums)  # fmt: skip
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


def _ssh_keygen(*arguments: str, signed: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run ssh-keygen, which reads what was signed from its standard input."""
    with nullcontext() if signed is None else signed.open("rb") as stream:
        return subprocess.run(
            ["ssh-keygen", *arguments], stdin=stream, capture_output=True, text=True,
            encoding="utf-8", errors="replace", check=False,
        )  # fmt: skip


def _last(text: str) -> str:
    return (text.strip().splitlines() or ["ssh-keygen says nothing"])[-1]
