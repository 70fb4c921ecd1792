"""``manifest.yml`` of an ingested campaign: what was read of each input."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from roundtrip.errors import DataError, again
from roundtrip.files import sha256_of_file
from roundtrip.project import INGESTED, MANIFEST
from roundtrip.yamlfile import Strict, load_model, matching

KIND = "ingested"
Count = Annotated[int, Field(ge=0)]
KeptFile = Annotated[
    str,
    # Names within the campaign: none leads out of it.
    matching("(series|raw)/[0-9a-f]{16}[-.][a-z.]+", "a file such as raw/0123456789abcdef.zst"),
]


class MetFault(Strict):
    """A known fault of a tool that an input shows, and how often."""

    fault: str
    times: Count
    explained: str


class InputEntry(Strict):
    """What was read of one input.

    Attributes
    ----------
    name : str
        Relative to the path that was given.
    sha256 : str
        Of its content, decompressed; of one that is kept, without its secrets.
    tool : str or None
        None where none was recognised.
    lines, used, ignored, rejected : int
        Where its lines went.
    problem : str or None
        Why it could not be read to its end.
    series : tuple of str
        Files with its intervals and events.
    streams : tuple of str
        Names behind the numbers of the column ``stream`` in these files.
    raw : str or None
        The file that holds the input itself, where it is short.
    mapping : str or None
        The file that says what its columns hold, of a CSV file.
    called : str or None
        Its name as ``campaign.yml`` knows it, where that is another one.
    context_sha256 : str or None
        Of the ``campaign.yml`` that it was read with.
    """

    name: str
    sha256: str
    bytes: Count
    tool: str | None
    dialects: tuple[str, ...] = ()
    lines: Count
    used: Count
    ignored: Count
    rejected: Count
    intervals: Count
    problem: str | None = None
    faults: tuple[MetFault, ...] = ()
    settings: dict[str, str] = Field(default={})
    series: tuple[KeptFile, ...] = ()
    streams: tuple[str, ...] = ()
    raw: KeptFile | None = None
    mapping: KeptFile | None = None
    called: str | None = None
    context_sha256: str | None = None
    clock: str | None = Field(default=None, exclude=True)  # of older manifests, for nothing


class Manifest(Strict):
    """All inputs of a campaign, and the hash of what was read of them.

    Attributes
    ----------
    points_sha256 : str
        Of ``ingested.csv``.
    """

    kind: Literal["ingested"]
    id: str
    points_sha256: str
    inputs: tuple[InputEntry, ...]

    @model_validator(mode="after")
    def _names_differ(self) -> Manifest:
        names = Counter(entry.name for entry in self.inputs)
        if twice := [name for name, count in names.items() if count > 1]:
            raise ValueError(f"two inputs have the name '{twice[0]}'")
        return self


def load_inputs(folder: Path) -> tuple[InputEntry, ...]:
    """Read what the manifest of an ingested campaign says of each input; see `load_manifest`."""
    return load_manifest(folder).inputs


def load_manifest(folder: Path) -> Manifest:
    """Read the manifest of an ingested campaign, ``data/campaigns/<id>``.

    Raises
    ------
    DataError
        If it is missing or not as ingest writes it: with file, line and key.
    """
    try:
        return load_model(folder / MANIFEST, Manifest, DataError)
    except DataError as problem:
        remedy = "put the file back, or move the folder away and ingest the logs again"
        raise again(DataError, problem, remedy=remedy) from problem


def check_points(folder: Path) -> None:
    """Refuse values that are not those that ingest wrote.

    Raises
    ------
    DataError
        If they were changed, or the manifest is not as ingest writes it.
    """
    if load_manifest(folder).points_sha256 != sha256_of_file(folder / INGESTED):
        raise DataError(
            "was changed after it was ingested", where=folder / INGESTED,
            remedy="put the file back, or ingest the logs again",
        )  # fmt: skip
