"""What messages hold: made by the load driver, or taken from a file of the project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from roundtrip.campaign.plan import Level, Plan
from roundtrip.errors import ParameterError

FILE = "file"


def payload_options(root: Path, plan: Plan, point: Mapping[str, Level]) -> list[str]:
    """Give the driver's options for the payload of a point.

    Parameters
    ----------
    root : Path
        Folder of the project.
    plan : Plan
    point : mapping
        Its factor ``payload`` comes before the plan's setting.

    Raises
    ------
    ParameterError
        If the payload is a file that cannot be used.
    """
    kind = str(point.get("payload", plan.driver.payload))
    if kind == FILE:
        return ["-mt", str(payload_file(root, plan.driver.payload_file))]
    asked = plan.driver.compressibility
    return ["-mt", kind] if asked is None else ["-mt", kind, "-mc", f"{asked:g}"]


def payload_file(root: Path, name: str) -> Path:
    """Give the path of a payload file.

    Parameters
    ----------
    root : Path
        Folder of the project.
    name : str
        From there.

    Raises
    ------
    ParameterError
        If it leads out of the project, also by a link, is no file or is empty.
    """
    path = (root / name).resolve()
    why = (
        "leads out of the project" if not path.is_relative_to(root.resolve())
        else "is not a file" if not path.is_file()
        else "is empty" if path.stat().st_size == 0
        else None
    )  # fmt: skip
    if why:
        raise ParameterError(
            f"the payload file {name} {why}", where="driver.payload_file",
            remedy="copy the content into a file of the project and name it from the project's "
            "folder",
        )  # fmt: skip
    return path
