"""Where the attacks take place: a small project, and what it gives when nobody disturbs it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from roundtrip.project import Project
from workshop import ROOT, environment, roundtrip, small_project, tree_of

CAMPAIGN = "connections-quick"
LOGS = ROOT / "docs" / "examples" / "ingest"
BUILD = ("build", "--engine", "embedded", "--overwrite")
PAPERS = ("a4", "letter")
INGEST = ("ingest", str(LOGS), "--campaign", "lab")


@dataclass(frozen=True)
class Grounds:
    """A project that was built undisturbed.

    Parameters
    ----------
    folder : Path
        Where each try gets its own folder.
    origin : Project
        Never changed again.
    reports : dict
        The files of its report, by paper.
    observations : str
        Its tidy table as CSV.
    ingested : dict
        The files of a campaign from `LOGS`.
    seconds : dict
        How long a build with a half-empty cache took, and an ingest.
    """

    folder: Path
    origin: Project
    reports: dict[str, dict[str, bytes]]
    observations: str
    ingested: dict[str, bytes]
    seconds: dict[str, float]

    @classmethod
    def made(cls, folder: Path) -> Grounds:
        """Build once for each paper and ingest once, and keep what came of it."""
        project = small_project(folder / "origin")
        shutil.copytree(ROOT / "data" / "campaigns" / CAMPAIGN, project.campaigns / CAMPAIGN)
        reports = {}
        for paper in reversed(PAPERS):  # the last one is what the project then holds
            started = time.monotonic()
            done = roundtrip(*BUILD, "-p", "paper", paper, project=project)
            assert done.returncode == 0, done.stderr
            reports[paper] = tree_of(project.reports)
        seconds = {"build": time.monotonic() - started}
        observations = roundtrip("data", "observations", project=project).stdout
        assert CAMPAIGN in observations
        other = Project(folder / "ingested")
        shutil.copytree(project.root, other.root)
        started = time.monotonic()
        done = roundtrip(*INGEST, project=other)
        assert done.returncode == 0, done.stderr
        seconds["ingest"] = time.monotonic() - started
        return cls(
            folder, project, reports, observations, tree_of(other.campaigns / "lab"), seconds
        )

    def project(self, place: Path) -> Project:
        """Give a copy of the project to spoil, with its report and all that it has kept."""
        shutil.copytree(self.origin.root, place / "project", symlinks=True)
        (place / "tmp").mkdir()
        return Project(place / "project")

    def clear(self, place: Path) -> None:
        """Remove a try, and the file system that it had of its own."""
        if place.is_mount():
            subprocess.run(["umount", "--lazy", str(place)], check=True)
        shutil.rmtree(place, ignore_errors=True)


def run(project: Project, *arguments: str, **settings: object) -> subprocess.CompletedProcess[str]:
    """Run a command whose temporary files lie beside the project."""
    env = environment(TMPDIR=str(project.root.parent / "tmp"))
    return roundtrip(*arguments, project=project, env=env, **settings)


def start(project: Project, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a command as the head of a group of processes."""
    return subprocess.Popen(
        [sys.executable, "-m", "roundtrip", "--project", str(project.root), *arguments],
        env=environment(TMPDIR=str(project.root.parent / "tmp")),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def await_end(process: subprocess.Popen[bytes], children: list[psutil.Process]) -> None:
    """Wait until a killed process and all that it had started have ended."""
    process.wait()
    psutil.wait_procs(children)


def differences(found: dict[str, bytes], wanted: dict[str, bytes]) -> list[str]:
    """Name the files that differ, are missing or are too many."""
    return sorted(
        name for name in found.keys() | wanted.keys() if found.get(name) != wanted.get(name)
    )
