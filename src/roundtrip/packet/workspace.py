"""A packet opened to be worked in: chapters as they ran, what was checked, all observations."""

from __future__ import annotations

import shutil
from pathlib import Path

from roundtrip.errors import ParameterError
from roundtrip.files import folder_atomically, write_atomically
from roundtrip.observations import load_observations
from roundtrip.packet.contents import PROJECT, REPORT
from roundtrip.packet.findings import Finding
from roundtrip.packet.verify import SAMPLE, as_page, examined, opened
from roundtrip.project import Project

PAGE, TABLE = "verification.html", "observations.csv"


def unpack(source: Path, target: Path, signers: Path | None = None) -> list[Finding]:
    """Open a packet for JupyterLab; none of its chapters is executed.

    Its chapters get the outputs that they had in the build. Beside them are written what was found
    of the packet before (`PAGE`) and every observation (`TABLE`).

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
                shutil.copyfile(path, project.notebooks / path.name)
        write_atomically(packet / PAGE, as_page(findings, source.name))
        write_atomically(packet / TABLE, load_observations(project).csv())
        shutil.rmtree(project.cache, ignore_errors=True)
        with folder_atomically(target) as work:
            shutil.copytree(packet, work, dirs_exist_ok=True)
    return findings
