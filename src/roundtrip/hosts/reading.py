"""Files read by workers, with the same results as in one process."""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roundtrip.errors import DataError
from roundtrip.hosts.workers import facts, refuse_other_code, result_of
from roundtrip.ingest.records import Reject
from roundtrip.ingest.session import Files, Job, Reading, Rejecting

if TYPE_CHECKING:
    from distributed import Client

_AHEAD = 4
"""Files that wait for each worker: enough that none is idle, few enough to hold their results."""
_AGAIN = "run the command again; nothing was kept yet"


def _state_of(path: Path) -> tuple[int, int] | None:
    """Give length and time of a file, by which another host shows that it sees the same."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_size, int(state.st_mtime)


def _read(
    job: Job, path: Path, shown: str, state: tuple[int, int] | None, ours: dict[str, str]
) -> list[tuple[Reading, list[Reject]]]:
    """Read a file, on a worker."""
    refuse_other_code(ours, path)
    if _state_of(path) != state:
        raise DataError(
            f"the host {socket.gethostname()} does not see this file as it is here", where=path,
            remedy="put the files where all hosts see them by the same path",
        )  # fmt: skip
    done: list[tuple[Reading, list[Reject]]] = []
    rejects: list[Reject] = []

    def reject(name: str, item: Reject) -> None:
        del name
        if len(rejects) < job.most_rejects:
            rejects.append(item)

    for reading in job.read(path, shown, reject):
        done.append((reading, rejects.copy()))
        rejects.clear()
    return done


@dataclass(frozen=True)
class OverWorkers:
    """Has each file read by one of some workers, again by another where one is lost.

    Results are taken in the order of the files, each once, so that what is kept of them does not
    depend on how many workers there are.

    Parameters
    ----------
    client : distributed.Client
        Its workers see the files by the same paths.
    """

    client: Client

    def __call__(self, job: Job, files: Files, reject: Rejecting) -> Iterator[Reading]:
        """Have the files read.

        Raises
        ------
        RoundtripError
            What reading a file raised; or that workers or scheduler are lost for good.
        """
        ours = facts()
        if job.mapping is not None:
            job = replace(job, mapping=job.mapping.absolute())
        most = _AHEAD * sum(self.client.nthreads().values())
        waiting: deque[tuple[Path, Any]] = deque()
        for path, shown in files:
            whole = path.absolute()
            task = self.client.submit(_read, job, whole, shown, _state_of(whole), ours, pure=False)
            waiting.append((path, task))
            if len(waiting) >= most:
                yield from self._taken(*waiting.popleft(), reject)
        while waiting:
            yield from self._taken(*waiting.popleft(), reject)

    def _taken(self, path: Path, future: Any, reject: Rejecting) -> Iterator[Reading]:
        """Wait for what came of a file, and hand on its rejected lines and its results."""
        for reading, rejects in result_of(self.client, future, path, "read this file", _AGAIN):
            for item in rejects:
                reject(reading.entry.file, item)
            yield reading
