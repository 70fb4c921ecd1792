"""A note of what a run makes: the next runner removes what a killed one has left."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from roundtrip.campaign.links import namespaces
from roundtrip.campaign.machine.control_groups import remove_group
from roundtrip.campaign.machine.own_mounts import BROKERS, remove_storage
from roundtrip.files import write_atomically

CLEANUP = "cleanup.json"


def _remove_home(own: Path, name: str) -> bool:
    """Remove data and log that were made in a folder for brokers, and it where it is empty.

    A folder that does not lie where brokers get theirs is left alone: a note can be changed by
    anybody.
    """
    folder = Path(name)
    place = folder.resolve()
    if place.is_relative_to(own.resolve()) or BROKERS in place.parts[:-1]:
        shutil.rmtree(folder / "data", ignore_errors=True)
        with suppress(OSError):
            (folder / "broker.log").unlink()
        for empty in (folder, folder.parent):
            with suppress(OSError):
                empty.rmdir()
    return True


REMOVERS: Mapping[str, Callable[[Path, str], bool]] = {
    "home": _remove_home,
    namespaces.KIND: lambda own, name: namespaces.remove(name),
    "control group": lambda own, name: remove_group(name),
    "storage": remove_storage,
}
"""Kind of a thing to what removes one by its name, given the project's own folder for campaigns.

It must do no harm where the thing is gone, and says whether nothing is left. What is left keeps its
note, so that it is tried again.
"""


class CleanupNote:
    """A file that names what has been made and not been removed yet; none where nothing is left."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, kind: str, name: str) -> None:
        """Note a thing that is about to be made; `kind` is a key of `REMOVERS`."""
        self._keep([*self._read(), (kind, name)])

    def remove(self, kind: str, name: str) -> None:
        """Remove a thing and its note."""
        if REMOVERS[kind](self.path.parent, name):
            self._keep([entry for entry in self._read() if entry != (kind, name)])

    def remove_leftovers(self) -> list[str]:
        """Remove what is noted, last made first, and give what is gone now.

        What a process still holds keeps its note.
        """
        entries = self._read()
        for kind, name in reversed(entries):
            self.remove(kind, name)
        left = self._read()
        return [f"{kind} {name}" for kind, name in entries if (kind, name) not in left]

    def _read(self) -> list[tuple[str, str]]:
        try:
            noted = json.loads(self.path.read_text(encoding="utf-8"))
            return [(str(kind), str(name)) for kind, name in noted if kind in REMOVERS]
        except (OSError, ValueError, TypeError):
            return []

    def _keep(self, entries: list[tuple[str, str]]) -> None:
        if entries:
            write_atomically(self.path, json.dumps(entries))
            return
        with suppress(OSError):
            self.path.unlink()
