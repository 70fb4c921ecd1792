"""What a killed runner may leave: its processes are found and ended at the next start."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import psutil

from roundtrip.files import write_atomically
from roundtrip.harness_build import JAR

_TOLERANCE = 1.0


class ProcessNote:
    """A file that names the processes in hand, so that another runner can find them.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, processes: Mapping[str, int]) -> None:
        """Note processes; none removes the note."""
        if not processes:
            with suppress(OSError):
                self.path.unlink()
            return
        noted = {}
        for name, pid in processes.items():
            with suppress(psutil.Error):
                noted[name] = {"pid": pid, "created": psutil.Process(pid).create_time()}
        write_atomically(self.path, json.dumps(noted))

    def end_leftovers(self) -> list[str]:
        """End the noted processes that still run, if they are still the same ones.

        Returns
        -------
        list of str
            Their names. A process that has another start time, or is none of the harness, is
            left alone: its number was given to somebody else.
        """
        try:
            noted = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        ended, processes = [], []
        for name, entry in noted.items() if isinstance(noted, dict) else ():
            with suppress(psutil.Error, KeyError, TypeError, ValueError):
                process = psutil.Process(int(entry["pid"]))
                same = abs(process.create_time() - float(entry["created"])) < _TOLERANCE
                if same and any(JAR.name in word for word in process.cmdline()):
                    process.terminate()
                    processes.append(process)
                    ended.append(str(name))
        for process in psutil.wait_procs(processes, timeout=5)[1]:
            with suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(processes, timeout=5)
        with suppress(OSError):
            self.path.unlink()
        return ended
