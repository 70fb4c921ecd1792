"""Run chapters with papermill, side by side, each only when what it depends on changed."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from roundtrip.build.notebooks import declared_parameters, options_of, read_notebook
from roundtrip.errors import ChapterError
from roundtrip.files import sha256_of, sha256_of_file, write_atomically
from roundtrip.project import Project

_ANSI = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Execution:
    """One chapter to run.

    Attributes
    ----------
    source : Path
        The notebook.
    parameters : dict
        Values for the parameters it declares.
    key : str
        Hash of everything that its outputs depend on.
    target : Path
        Where the executed notebook is, or will be.
    """

    source: Path
    parameters: dict[str, Any]
    key: str
    target: Path

    @property
    def done(self) -> bool:
        """Whether the executed notebook is at hand."""
        return self.target.is_file()


def plan_execution(
    project: Project, source: Path, values: Mapping[str, Any], fingerprint: str
) -> Execution:
    """Decide what a chapter is run with and under which key its result is kept.

    Parameters
    ----------
    project : Project
    source : Path
        The notebook.
    values : mapping
        All parameters; the chapter gets those it declares.
    fingerprint : str
        Hash of the data, library code and locked dependencies.

    Raises
    ------
    ChapterError
        If the notebook or its parameters cell is broken.
    """
    notebook = read_notebook(source)
    parameters = {name: values[name] for name in declared_parameters(notebook, source)}
    key = sha256_of(
        "\n".join([fingerprint, sha256_of_file(source), json.dumps(parameters, sort_keys=True)])
    )
    target = project.cache / "executed" / f"{source.stem}-{key[:16]}.ipynb"
    return Execution(source, parameters, key, target)


def execute_all(
    executions: Sequence[Execution],
    on_done: Callable[[Execution], None],
    workers: int | None = None,
) -> None:
    """Run the chapters that are not at hand, as many at a time as there are processors.

    Parameters
    ----------
    executions : sequence of Execution
    on_done : callable
        Called after each chapter, in the order they end.
    workers : int, optional
        Kernels at a time; the number of processors by default.

    Raises
    ------
    ChapterError
        If a chapter fails. What other chapters have finished is kept.
    """
    waiting = [execution for execution in executions if not execution.done]
    for execution in executions:
        if execution.done:
            on_done(execution)
    if not waiting:
        return
    import papermill  # noqa: F401 - takes half a second: only when something is to be run

    with ThreadPoolExecutor(workers or os.cpu_count() or 2) as pool:
        futures: dict[Future[None], Execution] = {
            pool.submit(_execute, execution): execution for execution in waiting
        }
        try:
            for future in as_completed(futures):
                future.result()
                on_done(futures[future])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _execute(execution: Execution) -> None:
    import papermill
    from papermill.exceptions import PapermillExecutionError

    with tempfile.TemporaryDirectory(prefix="roundtrip-") as folder:
        output = Path(folder) / execution.source.name
        try:
            papermill.execute_notebook(
                str(execution.source), str(output), parameters=execution.parameters,
                kernel_name="python3", progress_bar=False, cwd=str(execution.source.parent),
                log_output=False, kernel_manager_class=_kernel_manager(Path(folder)),
            )  # fmt: skip
        except PapermillExecutionError as problem:
            raise _explain(problem, execution.source) from problem
        except Exception as problem:
            raise ChapterError(
                f"did not run: {type(problem).__name__}: {problem}",
                where=execution.source,
                remedy="open it with 'make lab' and run it from top to bottom",
            ) from problem
        notebook = nbformat.read(output, as_version=4)
        strip_times(notebook)
        write_atomically(execution.target, nbformat.writes(notebook) + "\n")


def _kernel_manager(folder: Path) -> type:
    """Give a kernel manager that talks over sockets in a folder of its own, not over open ports."""
    from jupyter_client.manager import AsyncKernelManager
    from traitlets import default

    class LocalKernelManager(AsyncKernelManager):
        async def start_kernel(self, **options: Any) -> None:  # type: ignore[override]
            # What a kernel says while it stops is no concern of the reader of a build.
            with (folder / "kernel.log").open("wb") as log:
                await super().start_kernel(**{**options, "stdout": log, "stderr": log})

        @default("transport")
        def _transport(self) -> str:
            return "ipc"

        @default("ip")
        def _address(self) -> str:
            return str(folder / "kernel")

    return LocalKernelManager


def _explain(problem: Any, source: Path) -> ChapterError:
    """Say which cell failed and how, without the traceback."""
    options: dict[str, str] = {}
    with suppress(ChapterError):
        options = options_of(problem.source, str(source))
    label = f" ({options['label']})" if "label" in options else ""
    message = _ANSI.sub("", str(problem.evalue)).strip()
    return ChapterError(
        f"{problem.ename}: {message}",
        where=f"{source}: cell {problem.cell_index}{label}",
        remedy="open it with 'make lab' and run it from top to bottom; "
        "'roundtrip --debug build' shows the traceback",
    )


def strip_times(notebook: nbformat.NotebookNode) -> None:
    """Take out what differs from run to run: times, durations, random cell ids, the machine."""
    notebook.metadata.pop("papermill", None)
    notebook.metadata.get("language_info", {}).pop("version", None)
    for number, cell in enumerate(notebook.cells, start=1):
        cell["id"] = f"cell-{number}"
        for name in ("papermill", "execution", "collapsed"):
            cell.metadata.pop(name, None)
