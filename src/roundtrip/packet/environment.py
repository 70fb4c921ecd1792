"""The environment that a packet's report was built in, made again from its lock file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from roundtrip.errors import DataError
from roundtrip.files import write_atomically
from roundtrip.packet.contents import PROJECT, TOOL, Contents
from roundtrip.setup.installing import diagnose, own_variables
from roundtrip.versions import LOCK, read_pins

_ELSEWHERE = re.compile(r"^\s*-(?!-hash=sha256:)|://|\s@\s", re.MULTILINE)
"""Options and addresses: where packages come from is the reviewer's to say."""


@dataclass(frozen=True)
class Runner:
    """What runs Roundtrip: the interpreter, and its environment variables."""

    python: str
    variables: Mapping[str, str]


HERE = Runner(sys.executable, os.environ)
"""The Roundtrip and the libraries that are installed here."""


def make_environment(packet: Path, folder: Path, version: str) -> Runner:
    """Install what a packet pins, from whatever index pip is told to use here.

    The environment will run the Roundtrip in the opened packet. The `version` of Python, which the
    report's manifest names, is taken where it is installed.
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
    variables = own_variables()
    _run([named or sys.executable, "-P", "-m", "venv", str(folder)], variables,
         "making a virtual environment")  # fmt: skip
    python = str(folder / "bin" / "python")
    _run([python, "-P", "-m", "pip", "install", "--quiet", "--no-input", "--no-deps",
          "--no-compile", "--disable-pip-version-check", "--only-binary=:all:",
          "--require-hashes", "--requirement", str(lock)],
         variables, f"installing what {LOCK} pins")  # fmt: skip
    return Runner(python, {**variables, "PYTHONPATH": str(packet / TOOL)})


def pinned_otherwise(contents: Contents) -> list[str]:
    """Say what a rebuild will lack of what the report was built with, by the project's lock."""
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
        log = Path(tempfile.mkdtemp(prefix="rebuild-")) / "setup.log"
        write_atomically(log, f"{task}\n\n{done.stdout}")
        raise diagnose(task, done.stdout, log, afresh="")
