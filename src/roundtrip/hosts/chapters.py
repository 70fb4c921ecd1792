"""Chapters run by workers, with the same outputs as in kernels of this machine."""

from __future__ import annotations

import socket
import uuid
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from roundtrip.errors import DataError, ParameterError
from roundtrip.files import sha256_of_json
from roundtrip.hosts.workers import facts, refuse_other_code, result_of
from roundtrip.project import Project
from roundtrip.publish.chapters.execute import Execution, Run, run_chapter
from roundtrip.publish.manifest import differing, input_hashes

if TYPE_CHECKING:
    from distributed import Client
    from nbformat import NotebookNode

_AHEAD = 2
"""Chapters that each worker is given, so that none waits for the next."""
_SAME_PATH = "put the project where all hosts see it by the same path, and look that it is whole"
_AGAIN = "run the command again; the chapters that were finished are kept"


@dataclass(frozen=True)
class _Expected:
    """What a worker must be and see.

    Attributes
    ----------
    facts : dict
        Of the process that asks.
    named : tuple of str
        Paths below the project that parameters name.
    inputs : str
        Hash of the hashes of all files that a report is built from.
    build : str
        Another one for each build: files may change between two.
    """

    facts: dict[str, str]
    root: Path
    named: tuple[str, ...]
    inputs: str
    build: str


@lru_cache(maxsize=4)
def _seen(root: Path, named: tuple[str, ...], build: str) -> dict[str, str]:
    """Hash what this worker sees of a project, once for each build."""
    del build
    import papermill  # noqa: F401 - before threads ask for it

    return input_hashes(Project(root), named)


def _run(execution: Execution, expected: _Expected) -> NotebookNode:
    """Run a chapter on a worker, which is checked: it may have joined after the others were."""
    refuse_other_code(expected.facts, execution.source)
    if sha256_of_json(_seen(expected.root, expected.named, expected.build)) != expected.inputs:
        raise DataError(
            f"the host {socket.gethostname()} does not see the project as it is here",
            where=execution.source, remedy=_SAME_PATH,
        )  # fmt: skip
    from roundtrip.publish.chapters.kernels import Kernels

    with closing(Kernels()) as kernels:
        return run_chapter(execution, kernels)


@dataclass(frozen=True)
class OverWorkers:
    """Has each chapter run by one of some workers, again by another where one is lost.

    Parameters
    ----------
    client : distributed.Client
        Its workers see the project by the same path.
    """

    client: Client

    @property
    def at_a_time(self) -> int:
        """How many chapters to have under way."""
        threads: dict[str, int] = self.client.nthreads()
        return _AHEAD * sum(threads.values())

    def __call__(self, project: Project, named: Sequence[str], inputs: Mapping[str, str]) -> Run:
        """Look at what each worker sees of a project, and give what runs a chapter of it.

        Parameters
        ----------
        named : sequence of str
            Paths below it that parameters name.
        inputs : mapping
            Hash of each file that a report is built from, as they are here.

        Raises
        ------
        ParameterError
            If a worker sees other files.
        """
        expected = _Expected(
            facts(), project.root.absolute(), tuple(named), sha256_of_json(dict(inputs)),
            uuid.uuid4().hex,
        )  # fmt: skip
        found = self.client.run(_seen, expected.root, expected.named, expected.build)
        for address, seen in sorted(found.items()):
            if other := differing(seen, inputs):
                more = f" and {len(other) - 1} other files" if len(other) > 1 else ""
                raise ParameterError(
                    f"the worker {address} does not see {other[0]}{more} as here",
                    where=expected.root, remedy=_SAME_PATH,
                )  # fmt: skip

        def run(execution: Execution) -> NotebookNode:
            task = self.client.submit(_run, execution, expected, pure=False)
            done: NotebookNode = result_of(
                self.client, task, execution.source, "ran this chapter", _AGAIN
            )
            return done

        return run
