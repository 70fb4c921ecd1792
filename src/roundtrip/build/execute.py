"""Run chapters with papermill, side by side, each only when what it depends on changed."""

from __future__ import annotations

import copy
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from roundtrip.build.fork_server import ForkServer, fork_server
from roundtrip.build.notebooks import (
    declared_parameters,
    options_of,
    read_executed,
    read_notebook,
    tags_of,
    write_executed,
)
from roundtrip.build.selection import ChapterPlan
from roundtrip.build.typed_numbers import refuse_typed_numbers
from roundtrip.errors import ChapterError
from roundtrip.files import sha256_of_json
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
    notebook : notebook
        The source as it was read.
    """

    source: Path
    parameters: dict[str, Any]
    key: str
    target: Path
    notebook: nbformat.NotebookNode

    @property
    def done(self) -> bool:
        """Whether the executed notebook is at hand."""
        return self.target.is_file()

    def result(self) -> nbformat.NotebookNode:
        """Give the executed notebook, with the text cells that the source has now."""
        return with_text_of(self.notebook, read_executed(self.target))


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
    # Text cells are not executed: another wording needs no other outputs.
    code = [(cell.source, tags_of(cell)) for cell in notebook.cells if cell.cell_type == "code"]
    content = [fingerprint, notebook.metadata, code, list(parameters.items())]
    key = sha256_of_json(content)
    target = project.cache / "executed" / f"{source.stem}-{key[:16]}.json"
    return Execution(source, parameters, key, target, notebook)


def plan_chapters(
    project: Project, plans: Sequence[ChapterPlan], values: Mapping[str, Any], fingerprint: str
) -> list[Execution]:
    """Read the chapters, and decide what each is run with.

    Parameters
    ----------
    project : Project
    plans : sequence of ChapterPlan
    values : mapping
        All parameters.
    fingerprint : str
        Hash of what the outputs of any chapter depend on beside notebook and parameters.

    Raises
    ------
    ChapterError
        If a chapter is broken, or has a measured number typed into its text.
    """
    executions = [plan_execution(project, plan.source, values, fingerprint) for plan in plans]
    for execution in executions:
        refuse_typed_numbers(execution.notebook, project.relative(execution.source))
    return executions


def with_text_of(
    source: nbformat.NotebookNode, executed: nbformat.NotebookNode
) -> nbformat.NotebookNode:
    """Put executed code cells among the text cells of a source, which may have changed since.

    Parameters
    ----------
    source : notebook
        Has the same code cells as what was executed.
    executed : notebook
        As papermill left it, with a cell of parameters added.

    Returns
    -------
    notebook
    """
    code = [cell for cell in executed.cells if cell.cell_type == "code"]
    cells = []
    for cell in source.cells:
        if cell.cell_type != "code":
            cells.append(copy.deepcopy(cell))
            continue
        cells.append(code.pop(0))
        while code and "injected-parameters" in tags_of(code[0]):
            cells.append(code.pop(0))
    merged = copy.copy(executed)
    merged.cells = cells
    for number, cell in enumerate(cells, start=1):
        cell["id"] = f"cell-{number}"
    return merged


@contextmanager
def kernels_for(executions: Sequence[Execution]) -> Iterator[ForkServer | None]:
    """Make ready to run chapters, while the caller does something else.

    Yields
    ------
    ForkServer or None
        What `execute_all` needs; None where nothing is to be run, or processes cannot be forked.
    """
    if all(execution.done for execution in executions):
        yield None
        return
    with fork_server() as server:
        _import_papermill()
        yield server


def _import_papermill() -> None:
    """Import papermill before threads ask for it, and without PyArrow.

    It would load that for notebooks kept in Hadoop, which takes as long as all else it imports.
    """
    hide = "pyarrow.fs" not in sys.modules
    if hide:
        sys.modules["pyarrow.fs"] = None  # type: ignore[assignment]
    try:
        import papermill  # noqa: F401
    finally:
        if hide:
            del sys.modules["pyarrow.fs"]


def execute_all(
    executions: Sequence[Execution],
    on_done: Callable[[Execution], None],
    server: ForkServer | None,
    workers: int | None = None,
) -> None:
    """Run the chapters that are not at hand, several at a time.

    Parameters
    ----------
    executions : sequence of Execution
    on_done : callable
        Called after each chapter, in the order they end. If it raises, the rest is given up.
    server : ForkServer or None
        From `kernels_for`. Kernels that still run after a failure end with it.
    workers : int, optional
        Kernels at a time; by default two for each processor, because a kernel that starts or
        stops mostly waits.

    Raises
    ------
    ChapterError
        If a chapter fails. What other chapters have finished is kept.
    """
    at_hand = [execution for execution in executions if execution.done]
    waiting = [execution for execution in executions if not execution.done]
    # The longest first, so that none is left to the end.
    waiting.sort(key=lambda execution: -execution.source.stat().st_size)
    pool = ThreadPoolExecutor(workers or 2 * (os.cpu_count() or 1))
    futures: dict[Future[None], Execution] = {
        pool.submit(_execute, execution, server): execution for execution in waiting
    }
    try:
        for execution in at_hand:
            on_done(execution)
        for future in as_completed(futures):
            future.result()
            on_done(futures[future])
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _execute(execution: Execution, server: ForkServer | None) -> None:
    import papermill
    from papermill.exceptions import PapermillExecutionError

    from roundtrip.build.kernels import kernel_manager

    with tempfile.TemporaryDirectory(prefix="roundtrip-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        manager = kernel_manager(folder, execution.source.parent, server)
        try:
            notebook = papermill.execute_notebook(
                str(execution.source), None, parameters=execution.parameters,
                kernel_name="python3", progress_bar=False, log_output=False,
                request_save_on_cell_execute=False, kernel_manager_class=manager,
                shutdown_kernel="immediate",
            )  # fmt: skip
        except PapermillExecutionError as problem:
            raise _explain(problem, execution) from problem
        except Exception as problem:
            raise ChapterError(
                f"did not run: {type(problem).__name__}: {problem}",
                where=execution.source,
                remedy="open it with 'make lab' and run it from top to bottom",
            ) from problem
        strip_times(notebook)
        write_executed(notebook, execution.target)


def _explain(problem: Any, execution: Execution) -> ChapterError:
    """Say which cell failed and how, without the traceback."""
    source = execution.source
    options: dict[str, str] = {}
    with suppress(ChapterError):
        options = options_of(problem.source, str(source))
    label = f" ({options['label']})" if "label" in options else ""
    message = _ANSI.sub("", str(problem.evalue)).strip()
    return ChapterError(
        f"{problem.ename}: {message}",
        where=f"{source}: cell {_number_in_source(problem.cell_index, execution)}{label}",
        remedy="open it with 'make lab' and run it from top to bottom; "
        "'roundtrip --debug build' shows the traceback",
    )


def _number_in_source(position: int, execution: Execution) -> int:
    """Count a cell as the source does, which lacks the cell that papermill adds."""
    for place, cell in enumerate(execution.notebook.cells):
        if execution.parameters and "parameters" in tags_of(cell) and place < position:
            return position
    return position + 1


def strip_times(notebook: nbformat.NotebookNode) -> None:
    """Take out of an executed notebook what differs from run to run, or names the machine."""
    notebook.metadata.pop("papermill", None)
    notebook.metadata.get("language_info", {}).pop("version", None)
    for number, cell in enumerate(notebook.cells, start=1):
        cell["id"] = f"cell-{number}"
        for name in ("papermill", "execution", "collapsed"):
            cell.metadata.pop(name, None)
        if not tags_of(cell):
            cell.metadata.pop("tags", None)
