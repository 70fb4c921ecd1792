"""Folders of sources: each holds the file that says what it is, or is refused by name."""

from __future__ import annotations

from pathlib import Path

from roundtrip.errors import DataError

REMEDY = "put the file back, or move the folder away"


def source_folders(place: Path, name: str) -> list[Path]:
    """List the folders of a place, by name; hidden ones are none.

    Parameters
    ----------
    place : Path
        ``data/campaigns`` or ``data/published``, which need not exist.
    name : str
        Of the file that says what a folder is.

    Raises
    ------
    DataError
        If a folder lacks the file or cannot be read: what it holds would be missing from every
        table without a word.
    """
    try:
        folders = [
            path
            for path in (sorted(place.iterdir()) if place.exists() else ())
            if not path.name.startswith(".") and (path.is_dir() or not path.exists())
        ]
        lacking = [folder for folder in folders if not (folder / name).is_file()]
    except OSError as problem:
        raise DataError(
            f"cannot be read: {problem.strerror}", where=problem.filename,
            remedy="correct its permissions, or move it away",
        ) from problem  # fmt: skip
    if lacking:
        raise DataError(f"has no {name}", where=lacking[0], remedy=REMEDY)
    return folders
