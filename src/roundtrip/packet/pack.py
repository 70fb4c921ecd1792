"""Write one archive that holds a report, all that it rests on, and what describes it."""

from __future__ import annotations

import datetime
import json
import mimetypes
import re
import textwrap
import unicodedata
from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import yaml

from roundtrip import __version__
from roundtrip.files import sha256_of, sha256_of_file, stream_atomically
from roundtrip.packet.archive import write_zip
from roundtrip.packet.contents import (
    ABOUT,
    CRATE,
    FORMAT,
    PROJECT,
    REPORT,
    SIGNATURE,
    SUMS,
    TOOL,
    Contents,
    path_in_packet,
    sums_text,
)
from roundtrip.packet.signature import refuse_key, signature_of
from roundtrip.project import Project
from roundtrip.publish.commit import COMMIT_FILE

_LONGEST_NAME = 48
"""Letters of a title in the name of a packet."""


def pack(project: Project, contents: Contents, sign: Path | None = None) -> Path:
    """Pack a built report: ``reports/<title>-<version>.zip`` beside its folder.

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
    name = name_of(report)
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
    target = project.reports / f"{name}.zip"
    everything: dict[str, Path | bytes] = {name: text.encode() for name, text in made.items()}
    if sign is not None:
        everything[SIGNATURE] = signature_of(made[SUMS], sign)
    with stream_atomically(target) as stream:
        write_zip(stream, name, contents.files | everything)
    return target


def name_of(report: Mapping[str, Any]) -> str:
    """Name a packet by the title of its report, in plain letters, and the version.

    Examples
    --------
    >>> name_of({"title": "Acme Broker 3.1: performance", "version": "1.2.0"})
    'acme-broker-3.1-performance-1.2.0'
    """
    letters = unicodedata.normalize("NFKD", report["title"].casefold())
    plain = letters.encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+(?:\.[a-z0-9]+)*", plain)
    title = textwrap.shorten(" ".join(words), _LONGEST_NAME, placeholder="").replace(" ", "-")
    return f"{title or 'report'}-{report['version']}"


# Python's own table: the system's may hold more, and a packet's bytes would depend on it.
_TYPES = mimetypes.MimeTypes()
_PROFILE = "https://w3id.org/ro/wfrun/process/0.5"


def crate_text(contents: Contents, hashes: Mapping[str, str], timestamp: str) -> str:
    """Describe a packet as a Process Run Crate: the build, what went in, what came out.

    Hashes are SHA-256 by path within the packet, `timestamp` is the date of the edition, or of its
    commit, ISO 8601. The JSON-LD is the same for the same packet.
    """
    from rocrate.model.contextentity import ContextEntity
    from rocrate.model.person import Person
    from rocrate.rocrate import ROCrate

    manifest = contents.manifest
    report, parameters = manifest["report"], manifest["parameters"]
    crate = ROCrate(version="1.1")  # the one that the profile is made for
    crate.name = report["title"] or "Performance report"
    crate.description = parameters["subtitle"] or f"{crate.name}, version {report['version']}"
    crate.datePublished = timestamp
    crate.root_dataset["version"] = report["version"]

    def add(identifier: str, kind: str, **properties: str) -> ContextEntity:
        entity = ContextEntity(crate, identifier, properties={"@type": kind, **properties})
        return crate.add(entity)

    crate.root_dataset["conformsTo"] = add(
        _PROFILE, "CreativeWork", name="Process Run Crate", version="0.5"
    )
    authors = [
        crate.add(Person(crate, f"#author-{number}", properties={"name": name}))
        for number, name in enumerate(parameters["authors"], start=1)
    ]
    if authors:
        crate.root_dataset["author"] = authors if len(authors) > 1 else authors[0]
    crate.license = add("#license", "CreativeWork", name=_license(contents))
    files = {}
    for name, digest in sorted(hashes.items()):
        path = contents.files.get(name)
        properties = {
            "sha256": digest,
            "encodingFormat": _TYPES.guess_type(name)[0] or "application/octet-stream",
        }
        if path is not None:
            properties["contentSize"] = str(path.stat().st_size)
        files[name] = crate.add_file(dest_path=name, properties=properties)
    engine = {name: str(value) for name, value in manifest["engine"].items() if name != "name"}
    tools = [
        add(f"#{name}", "SoftwareApplication", name=name, version=version)
        for name, version in {**manifest["libraries"], **engine}.items()
    ]
    roundtrip = next(tool for tool in tools if tool.id == "#roundtrip")
    roundtrip["softwareRequirements"] = [tool for tool in tools if tool is not roundtrip]
    build = crate.add_action(
        roundtrip, "#build",
        object=[files[path_in_packet(name)] for name in manifest["inputs"]
                if path_in_packet(name) in files],
        result=[entry for name, entry in files.items() if name.startswith(f"{REPORT}/")],
        properties={
            "name": f"Build of version {report['version']}", "endTime": timestamp,
            "description": "Chapters are executed with these parameters and data, and rendered as "
            "HTML and PDF.",
        },
    )  # fmt: skip
    if authors:
        build["agent"] = authors[0]
    crate.root_dataset["mentions"] = build
    return json.dumps(crate.metadata.generate(), indent=1, ensure_ascii=False) + "\n"


def _license(contents: Contents) -> str:
    """Give what the project says of its licence: its file, or that there is none."""
    named = next(
        (name for name in contents.files if name.upper().startswith(f"{PROJECT}/LICEN".upper())),
        None,
    )
    return f"see {named}" if named else "no licence is stated; ask the authors"


def citation_text(manifest: Mapping[str, Any], timestamp: str) -> str:
    """Write ``CITATION.cff`` for the report."""
    report, authors = manifest["report"], manifest["parameters"]["authors"]
    content = {
        "cff-version": "1.2.0",
        "message": "If you use this report, please cite it as below.",
        "type": "dataset",
        "title": report["title"] or "Performance report",
        "version": report["version"],
        "date-released": timestamp[:10],
        "authors": [{"name": name} for name in authors] or [{"name": "Authors not stated"}],
    }
    return str(yaml.safe_dump(content, sort_keys=False, allow_unicode=True))


def datacite_text(manifest: Mapping[str, Any], timestamp: str) -> str:
    """Write the record that DOI services take (DataCite 4.6), without the DOI and publisher."""
    report, parameters = manifest["report"], manifest["parameters"]
    content = {
        "creators": [{"name": name} for name in parameters["authors"]],
        "titles": [{"title": report["title"] or "Performance report"}],
        "publicationYear": timestamp[:4],
        "version": report["version"],
        "types": {"resourceTypeGeneral": "Report", "resourceType": "Performance report"},
        "schemaVersion": "http://datacite.org/schema/kernel-4",
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def readme_text(contents: Contents) -> str:
    """Write the page that a reviewer reads first."""
    report = contents.manifest["report"]
    title, archive = report["title"] or "Performance report", f"{name_of(report)}.zip"
    left_out = "".join(f"- `{name}`: {rule}\n" for name, rule in sorted(contents.left_out.items()))
    annex = (
        f", `{REPORT}/annex.pdf` its annex" if "annex.pdf" in contents.manifest["outputs"] else ""
    )
    return f"""# {title}, version {report["version"]}

Everything that this report rests on, for whoever checks it.

| | |
|---|---|
| `{REPORT}/html/index.html` | the report; `{REPORT}/report.pdf` the same to print{annex} |
| `{PROJECT}/` | chapters, data with the raw files of campaigns, parameters, checks |
| `{TOOL}/` | the Roundtrip that built it |
| `{CRATE}` | inputs, tools with versions, outputs and authors (RO-Crate) |
| `SHA256SUMS` | the hash of every file |

With the archive and Roundtrip {contents.manifest["libraries"]["roundtrip"]} or newer:

    roundtrip verify {archive}                  # nothing was altered; numbers lead to their cells
    roundtrip verify {archive} --rebuild        # build it again, and say what differs
    roundtrip diff OLDER-PACKET {archive}       # what changed since an edition you know
    roundtrip unpack {archive} FOLDER           # chapters as they ran, to be opened in JupyterLab

In `FOLDER/{PROJECT}`, `roundtrip claims`, `errata` and `review` list what the report rests on.

In a checkout of Roundtrip, `make review PACKET={archive}` does the last and starts JupyterLab.

Left out by rule: {"nothing." if not left_out else ""}
{left_out}"""
