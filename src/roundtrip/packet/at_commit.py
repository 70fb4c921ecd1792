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
from roundtrip.params import resolve_parameters
from roundtrip.project import Project
from roundtrip.publish.commit import COMMIT_FILE, git

_SUBMODULE = b"160000 "  # its mode
_SAID = 6  # lines of a failed build that are passed on


def commit_of(project: Project, name: str) -> str | None:
    """Give the full name of a commit; None if the project has no such commit.

    Parameters
    ----------
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
    commit : str
        From `commit_of`.

    Raises
    ------
    DataError
        If the project of that commit cannot be built with what is installed.
    """
    files = git(project.root, "archive", "--format=tar", commit)
    stamp = git(project.root, "log", "-1", "--abbrev=10", "--format=%h %ct", commit)
    listed = git(project.root, "ls-tree", "-r", commit)
    if files is None or stamp is None or listed is None:
        raise _not_built(commit, "cannot be read from git")
    if any(line.startswith(_SUBMODULE) for line in listed.splitlines()):
        raise _not_built(commit, "holds submodules, of which git gives the names alone")
    with tempfile.TemporaryDirectory(prefix="roundtrip-commit-") as name:
        folder = Path(name)
        try:
            with disk_errors(folder), tarfile.open(fileobj=io.BytesIO(files)) as archive:
                archive.extractall(folder, filter="data")
        except tarfile.TarError as problem:
            raise _not_built(commit, f"holds what no project may: {problem}") from problem
        (folder / COMMIT_FILE).write_bytes(stamp)
        done = subprocess.run(
            [sys.executable, "-P", "-m", "roundtrip", "--project", name, "build",
             # Reports may be in the repository too, and checks may have failed then.
             "--engine", "embedded", "--overwrite", "--allow-failed-checks"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            said = " ".join(done.stderr.split("\n")[-_SAID:]).strip()
            raise _not_built(
                commit, f"cannot be built with the Roundtrip that is installed: {said}"
            )
        built = Project(folder)
        yield built.reports / resolve_parameters(built).version


def _not_built(commit: str, what: str) -> DataError:
    return DataError(
        what, where=f"commit {commit[:10]}",
        remedy="compare packets or reports, which need no build",
    )  # fmt: skip
