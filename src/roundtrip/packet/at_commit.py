"""An edition as it was at a commit of the project: built again, in a folder of its own."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from roundtrip.errors import DataError
from roundtrip.files import disk_errors
from roundtrip.project import Project
from roundtrip.publish.commit import COMMIT_FILE, git

_SAID = 6  # lines of a failed build that are passed on


def commit_of(project: Project, name: str) -> str | None:
    """Give the full name of a commit; None if the project has no such commit.

    Parameters
    ----------
    project : Project
    name : str
        As git takes it: ``v1.1.0``, ``HEAD~3``, the beginning of a hash.
    """
    if name.startswith("-"):
        return None  # git would take it for an option
    found = git(project.root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    return None if found is None else found.decode().strip()


@contextmanager
def built_at(project: Project, commit: str) -> Iterator[Path]:
    """Build the edition of a commit, with the Roundtrip that is installed, and give its folder.

    Parameters
    ----------
    project : Project
    commit : str
        From `commit_of`.

    Raises
    ------
    DataError
        If the project of that commit cannot be built with what is installed.
    """
    files = git(project.root, "archive", "--format=tar", commit)
    stamp = git(project.root, "log", "-1", "--abbrev=10", "--format=%h %ct", commit)
    if files is None or stamp is None:
        raise DataError("cannot be read from git", where=f"commit {commit[:10]}")
    with tempfile.TemporaryDirectory(prefix="roundtrip-commit-") as name:
        folder = Path(name)
        with disk_errors(folder), tarfile.open(fileobj=io.BytesIO(files)) as archive:
            archive.extractall(folder, filter="data")
        (folder / COMMIT_FILE).write_bytes(stamp)
        done = subprocess.run(
            [sys.executable, "-P", "-m", "roundtrip", "--project", name, "build",
             "--engine", "embedded"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise DataError(
                "cannot be built with the Roundtrip that is installed: "
                + " ".join(done.stderr.split("\n")[-_SAID:]).strip(),
                where=f"commit {commit[:10]}",
                remedy="compare packets or reports, which need no build",
            )
        (manifest,) = folder.glob("reports/*/manifest.json")
        yield manifest.parent
