"""Run chapters with papermill, side by side, each only when what it depends on changed."""

from __future__ import annotations

import copy
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat

from roundtrip.cache import Cache
from roundtrip.errors import ChapterError, RoundtripError
from roundtrip.files import (
    disk_errors,
    place_of_sockets,
    sha256_of_file,
    sha256_of_json,
    temporary_folder,
)
from roundtrip.project import Project
from roundtrip.publish.book_definition import ChapterPlan
from roundtrip.publish.chapters.inline import RESULTS, expressions_of
from roundtrip.publish.chapters.notebooks import (
    declared_parameters,
    executed_as_bytes,
    executed_from,
    modules_of,
    name_cells,
    read_notebook,
    static_labels,
    tags_of,
    used_twice,
    with_cells,
)
from roundtrip.publish.chapters.typed_numbers import (
    names_of,
    refuse_typed_numbers,
    refuse_typed_numbers_in_module,
)
from roundtrip.sections import named_sections

if TYPE_CHECKING:
    from roundtrip.publish.chapters.kernels import Kernels

_PATIENCE = 3600
"""Seconds that what a cell shows may take to arrive on a machine with other work."""


@dataclass
class Execution:
    """One chapter to run.

    Attributes
    ----------
    source : Path
        The notebook.
    parameters : dict
        Values for the parameters it declares.
    key : str
        Its name and a hash of everything that its outputs depend on.
    notebook : notebook
        The source as it was read.
    modules : tuple of Path
        Modules beside the chapter that it imports.
    cache : Cache
        Keeps the executed notebook.
    executed : notebook or None
        As papermill left it, once it has run.
    """

    source: Path
    parameters: dict[str, Any]
    key: str
    notebook: nbformat.NotebookNode
    cache: Cache
    modules: tuple[Path, ...] = ()
    executed: nbformat.NotebookNode | None = None

    def __post_init__(self) -> None:
        content = self.cache.get("executed", self.key)
        if content is not None:
            self.executed = executed_from(content)

    def keep(self, executed: nbformat.NotebookNode) -> None:
        """Keep the executed notebook."""
        content = executed_as_bytes(executed)
        self.cache.put("executed", self.key, content)
        self.executed = executed_from(content)

    def result(self) -> nbformat.NotebookNode:
        """Give the executed notebook, with the text cells that the source has now."""
        assert self.executed is not None  # noqa: S101 - it has run
        return with_text_of(self.notebook, self.executed)


Run = Callable[[Execution], nbformat.NotebookNode]
"""Runs a chapter, here or elsewhere, and gives it as it is kept."""


def plan_execution(
    project: Project, source: Path, values: Mapping[str, Any], fingerprint: str
) -> Execution:
    """Decide what a chapter is run with and under which key its result is kept.

    Of the parameters in `values` it gets those it declares; `fingerprint` is the hash of the
    data, library code and locked dependencies.
    """
    notebook = read_notebook(source)
    parameters = {name: values[name] for name in declared_parameters(notebook, source, values)}
    code = [(cell.source, tags_of(cell)) for cell in notebook.cells if cell.cell_type == "code"]
    modules = tuple(modules_of(source.parent, [text for text, _ in code]))
    beside = [
        (path.relative_to(source.parent).as_posix(), sha256_of_file(path)) for path in modules
    ]
    named = _named_values(notebook, project.relative(source))
    # JupyterLab notes which Python ran the chapter; a build has its own.
    about = {name: said for name, said in notebook.metadata.items() if name != "language_info"}
    content = [fingerprint, about, code, beside, named, list(parameters.items())]
    key = f"{source.stem}-{sha256_of_json(content)[:24]}"
    return Execution(source, parameters, key, notebook, Cache(project.cache), modules)


def _named_values(notebook: nbformat.NotebookNode, where: str | Path) -> list[tuple[int, str]]:
    """Give what text cells name, with the number of code cells above: no other word changes it."""
    named: set[tuple[int, str]] = set()
    for number, (above, cell) in enumerate(_with_code_above(notebook), start=1):
        if cell.cell_type == "markdown":
            expressions = expressions_of(cell.source, f"{where}: cell {number}")
            named |= {(above, expression) for expression in expressions}
    return sorted(named)


def _with_code_above(notebook: nbformat.NotebookNode) -> Iterator[tuple[int, Any]]:
    """Yield each cell with the number of code cells of its source down to it."""
    above = 0
    for cell in notebook.cells:
        above += cell.cell_type == "code" and "injected-parameters" not in tags_of(cell)
        yield above, cell


def plan_chapters(
    project: Project, plans: Sequence[ChapterPlan], values: Mapping[str, Any], fingerprint: str
) -> list[Execution]:
    """Read the chapters, and decide what each is run with.

    Parameters
    ----------
    fingerprint : str
        Hash of what the outputs of any chapter depend on beside notebook and parameters.

    Raises
    ------
    ChapterError
        If a chapter is broken, has a measured number typed into its text, or a label of another
        chapter.
    """
    # Where one of these sections comes or goes, other chapters say something else.
    fingerprint = sha256_of_json([fingerprint, named_sections(project)])
    executions = [plan_execution(project, plan.source, values, fingerprint) for plan in plans]
    names = names_of(project)
    holders: dict[str, str] = {}
    for execution in executions:
        for label in sorted(static_labels(execution.notebook)):
            holder = holders.setdefault(label, execution.source.stem)
            if holder != execution.source.stem:
                raise used_twice(label, holder, execution.source.stem)
        refuse_typed_numbers(execution.notebook, project.relative(execution.source), names)
    for path in sorted({path for execution in executions for path in execution.modules}):
        refuse_typed_numbers_in_module(path, project.relative(path), names)
    return executions


def with_text_of(
    source: nbformat.NotebookNode, executed: nbformat.NotebookNode
) -> nbformat.NotebookNode:
    """Put executed code cells among the text cells of a source, which may have changed since.

    The source has the same code cells; what was executed has a cell of parameters added.
    """
    code = [cell for cell in executed.cells if cell.cell_type == "code"]
    results = {
        (above, entry["expression"]): entry
        for above, cell in _with_code_above(executed)
        for entry in cell.metadata.get(RESULTS, ())
    }
    cells = []
    for above, cell in _with_code_above(source):
        if cell.cell_type != "code":
            text = copy.deepcopy(cell)
            text.metadata.pop(RESULTS, None)
            expressions = expressions_of(text.source, "")
            if expressions:
                text.metadata[RESULTS] = [results[above, name] for name in expressions]
            cells.append(text)
            continue
        cells.append(code.pop(0))
        while code and "injected-parameters" in tags_of(code[0]):
            cells.append(code.pop(0))
    name_cells(cells)
    return with_cells(executed, cells)


def execute_all(
    executions: Sequence[Execution],
    on_done: Callable[[Execution], None],
    run: Run | None = None,
    at_a_time: int | None = None,
    refuse_changed: Callable[[Execution], None] = lambda _: None,
    kernels: Kernels | None = None,
) -> None:
    """Run the chapters that are not at hand, several at a time.

    `on_done` is called after each chapter, in the order they end; if it raises, the rest is
    given up. `run` runs a chapter elsewhere; None for kernels of this machine. By default two
    chapters are run for each processor, because a kernel that starts or stops mostly waits. If
    one fails, what others have finished is kept. `refuse_changed` is called after a chapter ran,
    and raises if it may have read other files than its key says. `kernels` are those that have
    started before, if any.
    """
    # The longest first, so that none is left to the end.
    waiting = sorted(
        (execution for execution in executions if not execution.executed),
        key=lambda execution: -execution.source.stat().st_size,
    )
    at_hand = [execution for execution in executions if execution.executed]
    with ExitStack() as stack:
        if waiting and run is None:
            from roundtrip.publish.chapters.kernels import Kernels

            opened = stack.enter_context(closing(kernels or Kernels()))
            run = partial(run_chapter, kernels=opened)
        pool = ThreadPoolExecutor(at_a_time or 2 * (os.cpu_count() or 1))
        stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        futures = [
            pool.submit(_run_and_keep, execution, run, refuse_changed) for execution in waiting
        ]
        for execution in at_hand:
            on_done(execution)
        for future in as_completed(futures):
            on_done(future.result())


def _run_and_keep(
    execution: Execution, run: Run | None, refuse_changed: Callable[[Execution], None]
) -> Execution:
    assert run is not None  # noqa: S101 - there is something to run
    executed = run(execution)
    refuse_changed(execution)
    execution.keep(executed)
    return execution


def run_chapter(execution: Execution, kernels: Kernels) -> nbformat.NotebookNode:
    """Run a chapter in a kernel of this machine.

    Returns
    -------
    notebook
        Without what differs from run to run.

    Raises
    ------
    ChapterError
        If a cell fails, or the kernel does.
    """
    import papermill

    from roundtrip.publish.chapters.kernels import ENGINE

    with temporary_folder(place_of_sockets(Path(tempfile.gettempdir()))) as folder:
        beside = execution.source.parent
        try:
            with disk_errors(folder):
                notebook: nbformat.NotebookNode = papermill.execute_notebook(
                    copy.deepcopy(execution.notebook), None, parameters=execution.parameters,
                    kernel_name="python3", progress_bar=False, log_output=False,
                    request_save_on_cell_execute=False, km=kernels.started_ahead(beside),
                    kernel_manager_class=kernels.manager(folder, beside),
                    shutdown_kernel="immediate", engine_name=ENGINE, file=execution.source,
                    iopub_timeout=_PATIENCE,
                )  # fmt: skip
        except RoundtripError:
            raise
        except Exception as problem:
            raise ChapterError(
                f"did not run: {type(problem).__name__}: {problem}",
                where=execution.source,
                remedy="open it in JupyterLab and run it from top to bottom",
            ) from problem
        strip_times(notebook)
        return notebook


def strip_times(notebook: nbformat.NotebookNode) -> None:
    """Take out of an executed notebook what differs from run to run, or names the machine."""
    notebook.metadata.pop("papermill", None)
    notebook.metadata.get("language_info", {}).pop("version", None)
    name_cells(notebook.cells)
    for cell in notebook.cells:
        for name in ("papermill", "execution", "collapsed"):
            cell.metadata.pop(name, None)
        if not tags_of(cell):
            cell.metadata.pop("tags", None)
