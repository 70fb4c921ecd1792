"""Versions of the package and of the libraries it stands on."""

from __future__ import annotations

import platform
import re
from functools import cache
from importlib.metadata import distribution, version


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
