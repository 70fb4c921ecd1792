"""Versions of the package and of the libraries it stands on."""

from __future__ import annotations

import platform
import re
from functools import cache
from importlib.metadata import distribution, version

from packaging.markers import Marker
from packaging.utils import canonicalize_name

from roundtrip.files import files_below, sha256_of_file, sha256_of_json
from roundtrip.project import PACKAGE

LOCK = "requirements.lock"
"""What pins the libraries of a project: names, versions and hashes."""
_CODE = {".jinja", ".json", ".py", ".yml"}
_COMPUTING_NOTHING = {"cli", "hosts", "packet", "publish", "remarks", "setup", "templates"}
_PIN = re.compile(r"(?P<name>[\w.-]+)==(?P<version>[^\s;]+)\s*(?:;(?P<marker>[^\\]*))?")


@cache
def library_versions() -> dict[str, str]:
    """Give the versions of Python, of the package and of the libraries it names, by name."""
    python = ".".join(platform.python_version_tuple()[:2])
    names = {"python": python, "roundtrip": version("roundtrip")}
    for requirement in distribution("roundtrip").requires or []:
        match = re.match(r"[A-Za-z0-9._-]+", requirement)
        if match and "extra ==" not in requirement:
            names[match[0]] = version(match[0])
    return dict(sorted(names.items()))


@cache
def computing() -> str:
    """Hash the code that computes, with what it reads of the package, and its libraries' versions.

    It is part of the key of whatever is computed and kept. Code that renders, commands, packs or
    connects changes no value, nor do templates.
    """
    code = {
        path.relative_to(PACKAGE).as_posix(): sha256_of_file(path)
        for path in files_below(PACKAGE)
        if path.suffix in _CODE and path.relative_to(PACKAGE).parts[0] not in _COMPUTING_NOTHING
    }
    return sha256_of_json([code, library_versions()])


def pinned_libraries() -> str | None:
    """Give the lock file that the package was made with; None where it came without."""
    carried = distribution("roundtrip").read_text(f"extra_metadata/{LOCK}")
    checkout = PACKAGE.parents[1] / LOCK
    return carried or (checkout.read_text("utf-8") if checkout.is_file() else None)


def read_pins(lock: str) -> dict[str, str]:
    """Read the versions that a lock file pins for this Python and platform."""
    pins: dict[str, str] = {}
    for line in lock.splitlines():
        pin = _PIN.match(line)
        if pin and (not pin["marker"] or Marker(pin["marker"].strip()).evaluate()):
            pins[canonicalize_name(pin["name"])] = pin["version"]
    return pins
