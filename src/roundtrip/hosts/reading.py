"""Files read by workers, with the same results as in one process.

A file that is large beside the others is read in parts: one worker reads it as always, but has all
of them find the intervals in its blocks. They get places in the file, and open it themselves.
"""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roundtrip.errors import DataError
from roundtrip.hosts.workers import facts, refuse_other_code, result_of
from roundtrip.ingest.blocks import Block
from roundtrip.ingest.fast import FastReader, Matched, Matching
from roundtrip.ingest.records import Reject
from roundtrip.ingest.session import Files, Job, Reading, Rejecting

if TYPE_CHECKING:
    from distributed import Client

_AHEAD = 4
"""Files that wait for each worker: enough that none is idle, few enough to hold their results."""
_LARGE = 64 << 20
"""Bytes of a file below which reading it in parts takes longer."""
_BLOCKS, _PARTS_AHEAD = 4, 16
"""Blocks of a part, and parts that are under way: as many as one worker puts together."""
_DOING, _AGAIN = "read this file", "run the command again; nothing was kept yet"


@dataclass(frozen=True)
class _Expected:
    """What a worker must be, and see of a file: its length and time, None where it has none."""

    path: Path
    state: tuple[int, int] | None
    facts: dict[str, str]

    @property
    def length(self) -> int:
        """Bytes of the file."""
        return self.state[0] if self.state else 0

    @staticmethod
    def state_of(path: Path) -> tuple[int, int] | None:
        """Look at a file."""
        try:
            state = path.stat()
        except OSError:
            return None
        return state.st_size, int(state.st_mtime)

    def refuse_other(self) -> None:
        """Refuse work on a worker that is another, or sees another file."""
        refuse_other_code(self.facts, self.path)
        if self.state_of(self.path) != self.state:
            raise DataError(
                f"the host {socket.gethostname()} does not see this file as it is here",
                where=self.path, remedy="put the files where all hosts see them by the same path",
            )  # fmt: skip


def _match(
    reader: type[FastReader], expected: _Expected, places: list[tuple[int, int]]
) -> list[Matched]:
    """Match blocks of a file that lie at some places and have some lengths, on a worker."""
    expected.refuse_other()
    with expected.path.open("rb") as file:
        found = []
        for offset, length in places:
            file.seek(offset)
            found.append(reader.match(Block.of(file.read(length))))
    return found


def _matched_by(client: Client, expected: _Expected) -> Matching:
    """Give what has the blocks of a file matched by all workers."""

    def matching(
        reader: type[FastReader], blocks: Iterable[Block]
    ) -> Iterator[tuple[Block, Matched]]:
        def taken(part: list[Block], task: Any) -> Iterator[tuple[Block, Matched]]:
            found = iter(result_of(client, task, expected.path, _DOING, _AGAIN))
            for block in part:
                yield block, reader.match(block) if block.offset is None else next(found)

        left, waiting = iter(blocks), deque[tuple[list[Block], Any]]()
        while part := list(islice(left, _BLOCKS)):
            places = [(one.offset, len(one.data)) for one in part if one.offset is not None]
            # Before whole files, which nothing waits for.
            task = client.submit(_match, reader, expected, places, pure=False, priority=1)
            waiting.append((part, task))
            if len(waiting) > _PARTS_AHEAD:
                yield from taken(*waiting.popleft())
        while waiting:
            yield from taken(*waiting.popleft())

    return matching


def _read(
    job: Job, shown: str, expected: _Expected, in_parts: bool
) -> list[tuple[Reading, list[Reject]]]:
    """Read a file, on a worker."""
    expected.refuse_other()
    done: list[tuple[Reading, list[Reject]]] = []
    rejects: list[Reject] = []

    def reject(name: str, item: Reject) -> None:
        del name
        if len(rejects) < job.most_rejects:
            rejects.append(item)

    with ExitStack() as stack:
        matching = None
        if in_parts:
            from distributed import worker_client

            matching = _matched_by(stack.enter_context(worker_client()), expected)
        for reading in job.read(expected.path, shown, reject, matching):
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
        """Have the files read."""
        ours = facts()
        if job.mapping is not None:
            job = replace(job, mapping=job.mapping.absolute())
        threads = sum(self.client.nthreads().values())
        every = [
            (path, shown, _Expected(path.absolute(), _Expected.state_of(path), ours))
            for path, shown in files
        ]
        share = sum(one.length for _, _, one in every) / threads if threads else 0
        waiting: deque[tuple[Path, Any]] = deque()
        for path, shown, one in every:
            # A larger one would still be read when the other workers have nothing left to do.
            in_parts = one.length > max(share, _LARGE)
            waiting.append((path, self.client.submit(_read, job, shown, one, in_parts, pure=False)))
            if len(waiting) >= _AHEAD * threads:
                yield from self._taken(*waiting.popleft(), reject)
        while waiting:
            yield from self._taken(*waiting.popleft(), reject)

    def _taken(self, path: Path, future: Any, reject: Rejecting) -> Iterator[Reading]:
        """Wait for what came of a file, and hand on its rejected lines and its results."""
        for reading, rejects in result_of(self.client, future, path, _DOING, _AGAIN):
            for item in rejects:
                reject(reading.entry.name, item)
            yield reading
