"""Everything that is checked of a packet, at once or before it is opened to work in."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import nbformat

from roundtrip.errors import ParameterError
from roundtrip.files import folder_atomically, write_atomically
from roundtrip.observations import load_observations
from roundtrip.packet.archive import opened
from roundtrip.packet.contents import PROJECT, REPORT
from roundtrip.packet.findings import Finding, Outcome, caveats, page_of_findings
from roundtrip.packet.integrity import integrity
from roundtrip.packet.origins import SEED, origins
from roundtrip.packet.rebuild import rebuild
from roundtrip.packet.signature import signature
from roundtrip.project import Project
from roundtrip.publish.chapters.notebooks import read_notebook, with_parameters_once

SAMPLE = 200


def verify(
    source: Path,
    *,
    most: int | None = SAMPLE,
    seed: int = SEED,
    signers: Path | None = None,
    again: bool = False,
    here: bool = False,
) -> list[Finding]:
    """Check a packet.

    Parameters
    ----------
    most : int or None
        Numbers and observations that are looked at; None for all.
    seed : int
        Says which: another draws others.
    signers : Path or None
        Who may sign, as `signature` reads it.
    again : bool
        Build the report again, which executes its chapters.
    here : bool
        … with the Roundtrip and the libraries that are installed here.

    Raises
    ------
    DataError
        If it is no packet, or one that is not safe to open.
    SetupError
        If something that was asked for needs what is not installed.
    """
    with opened(source) as packet:
        findings = examined(packet, most, signers, seed)
        if again:
            findings += rebuild(packet, here=here)
    return findings


def examined(
    packet: Path, most: int | None, signers: Path | None, seed: int = SEED
) -> list[Finding]:
    """Check an opened packet; see `verify`. Nothing in it is executed."""
    findings = list(integrity(packet))
    # What was computed already would be believed, whoever put it there.
    shutil.rmtree(Project(packet / PROJECT).cache, ignore_errors=True)
    return [*findings, signature(packet, signers), *origins(packet, most, seed)]


def has_failed(findings: Sequence[Finding]) -> bool:
    """Say whether any check fails."""
    return any(one.outcome is Outcome.failed for one in findings)


PAGE, TABLE = "verification.html", "observations.csv"


def unpack(source: Path, target: Path, signers: Path | None = None) -> list[Finding]:
    """Open a packet for JupyterLab; none of its chapters is executed.

    Its chapters get the outputs and the parameters that they had in the build. Beside them are
    written what was found of the packet before (`PAGE`) and every observation (`TABLE`).

    Parameters
    ----------
    target : Path
        A new or an empty folder.
    signers : Path or None
        Who may sign.

    Raises
    ------
    ParameterError
        If the folder is not empty.
    RoundtripError
        As `verify` does, or if the packet's data cannot be read.
    """
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise ParameterError(
            "is not empty", where=target, allowed="a new or an empty folder",
            remedy="choose another folder, or continue in this one",
        )  # fmt: skip
    with opened(source) as packet:
        findings = examined(packet, SAMPLE, signers)
        project = Project(packet / PROJECT)
        for path in sorted((packet / REPORT / "html" / "notebooks").glob("*.ipynb")):
            if (project.notebooks / path.name).is_file():
                chapter = with_parameters_once(read_notebook(path))
                write_atomically(project.notebooks / path.name, nbformat.writes(chapter) + "\n")
        write_atomically(
            packet / PAGE, page_of_findings(findings, source, caveats(SEED, again=False))
        )
        write_atomically(packet / TABLE, load_observations(project).csv())
        shutil.rmtree(project.cache, ignore_errors=True)
        with folder_atomically(target) as work:
            shutil.copytree(packet, work, dirs_exist_ok=True)
    return findings
