"""The commit of git that a report is built from, and its time."""

from __future__ import annotations

import datetime
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

COMMIT_FILE = "COMMIT"
"""What stands for git in the sources of a packet: the commit's name and its timestamp."""
_PACKED = re.compile(r"(?P<name>-|[0-9a-f]{7,40}(?:-modified)?) (?P<timestamp>\d{1,10})\n")


@dataclass(frozen=True)
class Commit:
    """The commit of a checkout.

    The name is its short hash, with ``-modified`` when files differ from it; empty outside git.
    The timestamp is in seconds since 1970; outside git, it is that of the edition's date.
    """

    name: str
    timestamp: int


def git(root: Path, *arguments: str) -> bytes | None:
    """Give what git prints in a folder; None if it fails or is not installed."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, check=False
        )
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None


def find_commit(root: Path, date: str) -> Commit:
    """Find the commit of a checkout.

    The project's root must be the root of the checkout too, so that a report inside another
    repository is not taken for a part of it. The edition's date, ISO 8601, is used where there
    is no commit; without both, time begins.
    """
    top = git(root, "rev-parse", "--show-toplevel")
    head = git(root, "log", "-1", "--abbrev=10", "--format=%h %ct")
    if not top or not head or Path(os.fsdecode(top).rstrip("\n")).resolve() != root.resolve():
        packed = root / COMMIT_FILE
        found = (
            _PACKED.fullmatch(packed.read_text("utf-8", "replace")) if packed.is_file() else None
        )
        if found:
            return Commit(found["name"].removeprefix("-"), int(found["timestamp"]))
        day = datetime.datetime.fromisoformat(date or "1970-01-01").replace(tzinfo=datetime.UTC)
        return Commit("", int(day.timestamp()))
    name, timestamp = head.decode().split()
    modified = "-modified" if git(root, "status", "--porcelain") else ""
    return Commit(name + modified, int(timestamp))
