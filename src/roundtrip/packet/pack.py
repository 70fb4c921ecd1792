"""Write one archive that holds a report and all that it rests on."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

from roundtrip.files import sha256_of, sha256_of_file, write_atomically
from roundtrip.packet.archive import zip_bytes
from roundtrip.packet.contents import PROJECT, contents_of, sums_text
from roundtrip.packet.metadata import (
    CRATE,
    FORMAT,
    citation_text,
    crate_text,
    datacite_text,
    readme_text,
)
from roundtrip.project import Project
from roundtrip.publish.commit import COMMIT_FILE, find_commit

SUMS = "SHA256SUMS"
ABOUT = "packet.json"


def pack(project: Project, version: str) -> Path:
    """Pack a built report: ``reports/<version>/roundtrip-<version>.zip`` beside its folder.

    Parameters
    ----------
    project : Project
    version : str
        Of a report that is built.

    Returns
    -------
    Path
        The archive; of the same report it has the same bytes.

    Raises
    ------
    RenderError
        As `contents_of` does.
    """
    contents = contents_of(project, version)
    report = contents.manifest["report"]
    commit = find_commit(project.root, report["date"])
    timestamp = datetime.datetime.fromtimestamp(commit.timestamp, datetime.UTC).isoformat()
    made = {
        "README.md": readme_text(contents),
        ABOUT: json.dumps({"format": FORMAT, "report": report, "left_out": contents.left_out},
                          indent=2, ensure_ascii=False) + "\n",
        "CITATION.cff": citation_text(contents.manifest, timestamp),
        "datacite.json": datacite_text(contents.manifest, timestamp),
        # A rebuilt report names the commit too, and there is no git in a packet.
        f"{PROJECT}/{COMMIT_FILE}": f"{report['commit'] or '-'} {commit.timestamp}\n",
    }  # fmt: skip
    hashes = {name: sha256_of_file(path) for name, path in contents.files.items()}
    hashes |= {name: sha256_of(text) for name, text in made.items()}
    made[CRATE] = crate_text(contents, hashes, timestamp)
    hashes[CRATE] = sha256_of(made[CRATE])
    made[SUMS] = sums_text(hashes)
    target = project.reports / f"roundtrip-{version}.zip"
    everything: dict[str, Path | bytes] = {name: text.encode() for name, text in made.items()}
    write_atomically(target, zip_bytes(f"roundtrip-{version}", contents.files | everything))
    return target
