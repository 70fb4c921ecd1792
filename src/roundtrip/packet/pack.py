"""Write one archive that holds a report and all that it rests on."""

from __future__ import annotations

import datetime
import json
from importlib.metadata import distribution
from pathlib import Path

from roundtrip import __version__
from roundtrip.files import sha256_of, sha256_of_file, write_atomically
from roundtrip.packet.archive import zip_bytes
from roundtrip.packet.contents import ABOUT, PROJECT, SUMS, TOOL, Contents, sums_text
from roundtrip.packet.metadata import (
    CRATE,
    FORMAT,
    citation_text,
    crate_text,
    datacite_text,
    readme_text,
)
from roundtrip.packet.signature import SIGNATURE, refuse_key
from roundtrip.packet.signature import sign as signature_of
from roundtrip.project import Project
from roundtrip.publish.manifest import COMMIT_FILE


def pack(project: Project, contents: Contents, sign: Path | None = None) -> Path:
    """Pack a built report: ``reports/roundtrip-<version>.zip`` beside its folder.

    Parameters
    ----------
    contents : Contents
        From `contents_of`.
    sign : Path, optional
        Key to sign with, as `roundtrip.packet.signature.refuse_key` lets pass.

    Returns
    -------
    Path
        The archive; of the same report it has the same bytes.

    Raises
    ------
    DataError, SetupError
        If it cannot be signed; nothing is written then.
    """
    if sign is not None:
        refuse_key(sign)
    report = contents.manifest["report"]
    version = report["version"]
    timestamp = datetime.datetime.fromtimestamp(report["timestamp"], datetime.UTC).isoformat()
    made = {
        "README.md": readme_text(contents),
        ABOUT: json.dumps({"format": FORMAT, "report": report, "left_out": contents.left_out},
                          indent=2, ensure_ascii=False) + "\n",
        "CITATION.cff": citation_text(contents.manifest, timestamp),
        "datacite.json": datacite_text(contents.manifest, timestamp),
        # By it, libraries know a package's version and what it needs.
        f"{TOOL}/roundtrip-{__version__}.dist-info/METADATA":
            distribution("roundtrip").read_text("METADATA") or "",
        # A rebuilt report names the commit too, and there is no git in a packet.
        f"{PROJECT}/{COMMIT_FILE}": f"{report['commit'] or '-'} {report['timestamp']}\n",
    }  # fmt: skip
    hashes = {name: sha256_of_file(path) for name, path in contents.files.items()}
    hashes |= {name: sha256_of(text) for name, text in made.items()}
    made[CRATE] = crate_text(contents, hashes, timestamp)
    hashes[CRATE] = sha256_of(made[CRATE])
    made[SUMS] = sums_text(hashes)
    target = project.reports / f"roundtrip-{version}.zip"
    everything: dict[str, Path | bytes] = {name: text.encode() for name, text in made.items()}
    if sign is not None:
        everything[SIGNATURE] = signature_of(made[SUMS], sign)
    write_atomically(target, zip_bytes(f"roundtrip-{version}", contents.files | everything))
    return target
