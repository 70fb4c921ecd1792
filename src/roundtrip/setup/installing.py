"""Say why an installation failed and what mends it. Standard library only."""

from __future__ import annotations

import os
import re
from pathlib import Path

from roundtrip.errors import SetupError

_AGAIN = "then run the same command again"
_LEAKING = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONHOME", "PIP_USER")

# What pip and apt print, what it means, and what to do about it; the first that fits counts.
_CAUSES = (
    (
        r"No space left on device|Errno 28|Disk quota exceeded|not have enough free space",
        "the disk is full",
        f"free 1.5 GB here and in the folder for temporary files, {_AGAIN}",
    ),
    (
        r"DO NOT MATCH THE HASHES|Hash Sum mismatch",
        "a downloaded package is not the one that was pinned",
        "if packages come through a mirror or proxy, have it serve the original files, or pin "
        "what it serves with 'make lock'",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|certificate verify failed",
        "the certificate of the package server is not trusted",
        "name the certificate file of your network with PIP_CERT=FILE",
    ),
    (
        r"name resolution|Name or service not known|NewConnectionError|Network is unreachable"
        r"|No route to host|Connection refused|ProxyError|[Tt]imed out|Could not resolve"
        r"|Failed to establish|Failed to fetch|Could not connect",
        "the package server cannot be reached",
        f"check the network; behind a proxy set HTTPS_PROXY; {_AGAIN}",
    ),
    (
        r"No matching distribution|Unable to locate package|no installation candidate",
        "a package does not exist for this system",
        "use Python 3.11 to 3.14 on Linux (x86-64 or ARM64), or the conda route: "
        "conda env create -f environment.yml",
    ),
    (
        r"Permission denied|Errno 13|are you root|Read-only file system",
        "a file cannot be written",
        f"make the folder and what is in it your own, {_AGAIN}",
    ),
    (
        r"Could not get lock|Unable to acquire",
        "another program is installing Debian packages",
        f"wait until it has finished, {_AGAIN}",
    ),
)


def own_variables() -> dict[str, str]:
    """Give the environment variables that an environment of its own may be made and used with.

    Bytecode must be written; an install for the user would bypass the environment.
    """
    return {name: value for name, value in os.environ.items() if name not in _LEAKING}


def diagnose(
    task: str, output: str, log: Path | None = None, *, otherwise: str | None = None
) -> SetupError:
    """Explain the output of a failed installation step.

    Parameters
    ----------
    task : str
        What was being done.
    log : Path or None
        Where all of the output can be read.
    otherwise : str, optional
        What to do about a failure of an unknown kind; where it is not given, read the log.

    Returns
    -------
    SetupError
        The cause and the command that mends it.
    """
    for pattern, what, remedy in _CAUSES:
        if re.search(pattern, output):
            return SetupError(f"{what} ({task})", where=log, remedy=remedy)
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(ERROR|E|error|Error)\b", line)]
    # The line that says most: the first error, else the last line.
    last = (errors or lines[-1:] or ["it printed nothing"])[0]
    last = re.sub(r"\b[a-z]+://\S+", "…", last)  # an address may hold a password
    remedy = otherwise or f"read {log}; to begin anew: make distclean, {_AGAIN}"
    return SetupError(f"{task} failed: {last}", where=log, remedy=remedy)
