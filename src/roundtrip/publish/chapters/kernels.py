"""Kernels and the client that papermill drives: both are local and end with their build.

The client also evaluates what text cells name, at their place among the code.
"""

from __future__ import annotations

import ast
import os
import re
import signal
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from jupyter_core.utils import run_sync
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import NBClientEngine, papermill_engines
from traitlets import default

from roundtrip.errors import ChapterError, RoundtripError
from roundtrip.files import place_of_sockets, temporary_folder
from roundtrip.outputs import MARKDOWN
from roundtrip.publish.chapters import slips
from roundtrip.publish.chapters.inline import RESULTS, expressions_of, markdown_of
from roundtrip.publish.chapters.notebooks import numbered, options_of

ENGINE = "roundtrip"
"""Its name among papermill's engines."""

_LOADED = "import plotly.graph_objs, roundtrip.methodology.review, roundtrip.present; "
_LOADED += "plotly.graph_objs.Figure(); "
_LOADED += "del plotly, roundtrip"
"""Loads what most chapters use, and leaves no name: a chapter still has to import it."""

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_TOLD = f"__import__('{slips.__name__}', fromlist=['told']).told()"


class InlineClient(PapermillNotebookClient):  # type: ignore[misc]
    """Runs one chapter, which messages name by its file."""

    def __init__(self, manager: Any, file: Path, **options: Any) -> None:
        super().__init__(manager, **options)
        self._file = file

    def execute_cell(self, cell: NotebookNode, cell_index: int, **options: Any) -> Any:
        """Run a code cell, or evaluate what a text cell names."""
        if cell.cell_type == "markdown":
            where = self._place(cell_index)
            expressions = expressions_of(cell.source, where)
            if expressions:
                results = self._evaluate(*expressions)
                cell.metadata[RESULTS] = []
                for expression, result in zip(expressions, results, strict=True):
                    self._refuse(expression, result, where)
                    entry = {"expression": expression, "result": result}
                    cell.metadata[RESULTS].append(entry)
        try:
            return super().execute_cell(cell, cell_index, **options)
        except CellExecutionError as problem:
            raise self._explained(cell, cell_index, problem) from problem

    def _explained(self, cell: NotebookNode, index: int, problem: CellExecutionError) -> Exception:
        """Say which line of a cell failed and how, without the traceback."""
        where = self._place(index)
        with suppress(ChapterError):
            label = options_of(cell.source, where).get("label")
            where += f" ({label})" if label else ""
        line, meant = self._told()
        what, *more = _ANSI.sub("", problem.evalue).strip().split("\n")
        if problem.ename not in {kind.__name__ for kind in RoundtripError.__subclasses__()}:
            what = f"{problem.ename}: {what}"
        remedy = None if any(text.startswith("  remedy: ") for text in more) else (
            "open it in JupyterLab and run it from top to bottom; "
            "'roundtrip --debug build' shows the traceback"
        )  # fmt: skip
        return ChapterError(
            "\n".join([f"{what}{meant}", *more]), where=", ".join(filter(None, (where, line))),
            remedy=remedy,
        )  # fmt: skip

    def _place(self, index: int) -> str:
        number, _ = list(numbered(self.nb))[index]
        return f"{self._file}: cell {number}"

    def _told(self, *failing: str) -> tuple[str, str]:
        """Have the kernel tell of its last error, or of the one that an expression makes."""
        *_, told = self._evaluate(*failing, _TOLD)
        return ast.literal_eval(told["data"]["text/plain"]) if "data" in told else ("", "")

    def _evaluate(self, *expressions: str) -> list[dict[str, Any]]:
        asked = {str(number): text.strip() for number, text in enumerate(expressions)}
        reply = self.wait_for_reply(self.kc.execute("", silent=True, user_expressions=asked))
        results = reply["content"]["user_expressions"]
        for result in results.values():
            data = result.get("data", {})
            if MARKDOWN in data:  # another text of it may hold its address, new in each build
                result["data"] = {MARKDOWN: data[MARKDOWN]}
        return [results[number] for number in asked]

    def _refuse(self, expression: str, result: dict[str, Any], where: str) -> None:
        """Refuse a value that a sentence cannot hold."""
        if result["status"] != "ok":
            _, meant = self._told(expression)
            raise ChapterError(
                f"{{eval}}`{expression}`: {result['ename']}: {result['evalue']}{meant}",
                where=where,
                remedy="correct the expression, or compute the value in a cell above",
            )
        try:
            markdown_of(result)
        except ValueError as problem:
            raise ChapterError(
                f"{{eval}}`{expression}` gives {problem}, which a sentence cannot hold",
                where=where,
                allowed="a quantity, text, a whole number",
                remedy="end a code cell with it: None shows nothing there"
                if problem.args == ("None",)
                else "make it a quantity, or write it with chapter.write(…)",
            ) from problem


class InlineEngine(NBClientEngine):  # type: ignore[misc]
    """Has papermill run chapters with `InlineClient`."""

    @classmethod
    def execute_managed_notebook(
        cls, nb_man: Any, kernel_name: str, *, start_timeout: int = 60, **options: Any
    ) -> None:
        """Run a notebook; see `papermill.engines.Engine`."""
        options.setdefault("file", options.pop("input_path", None))
        options.pop("execution_timeout", None)
        InlineClient(
            nb_man, startup_timeout=start_timeout, kernel_name=kernel_name, **options
        ).execute(cleanup_kc=True)


papermill_engines.register(ENGINE, InlineEngine)


class Kernels:
    """The kernels of one build; `contextlib.closing` ends those that still run.

    Attributes
    ----------
    ended : bool
        Whether they were ended: one that is still starting then is ended once it has started.
    """

    def __init__(self) -> None:
        self._started: list[LocalProvisioner] = []
        self._ahead: dict[Path, AsyncKernelManager] = {}
        self._folders = ExitStack()
        self.ended = False

    def start_ahead(self, folder: Path) -> None:
        """Start a kernel for a chapter in a folder before one is to run, and load what it needs."""
        place = place_of_sockets(Path(tempfile.gettempdir()))
        sockets = self._folders.enter_context(temporary_folder(place))
        manager = self.manager(sockets, folder)(kernel_name="python3")
        arguments = ["--HistoryManager.hist_file=:memory:", f"--IPKernelApp.exec_lines={_LOADED}"]
        run_sync(manager.start_kernel)(extra_arguments=arguments)
        self._ahead[folder] = manager

    def started_ahead(self, folder: Path) -> AsyncKernelManager | None:
        """Give the kernel that waits for a chapter in a folder to the first who asks, if any."""
        manager = self._ahead.pop(folder, None)
        kernel = None if manager is None else manager.provisioner
        process = kernel.process if isinstance(kernel, LocalProvisioner) else None
        return manager if process is not None and process.poll() is None else None

    def close(self) -> None:
        """End the kernels that still run, as after a failure, with all that they started."""
        self.ended = True
        for kernel in self._started:
            process = kernel.process
            if process is not None and process.poll() is None:  # else its number may be another's
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        self._folders.close()

    def manager(self, sockets: Path, folder: Path) -> type:
        """Give the class of kernel managers that papermill shall use for one chapter.

        Parameters
        ----------
        sockets : Path
            An empty folder for the kernel's sockets, instead of open ports, for what it prints, and
            for IPython: a user's own settings and start-up files are no input of a report.
        folder : Path
            Working directory of the kernel.

        Returns
        -------
        type
            A subclass of Jupyter's ``AsyncKernelManager``.
        """
        # What a kernel says while it stops is no concern of the reader of a build.
        log = sockets / "kernel.log"
        started, build = self._started, self

        class Manager(AsyncKernelManager):
            async def start_kernel(self, **options: Any) -> None:  # type: ignore[override]
                options["cwd"] = str(folder)
                environment = {**os.environ, "IPYTHONDIR": str(sockets / "ipython")}
                environment.pop("PYTHONSTARTUP", None)
                options["env"] = environment
                with log.open("wb") as output:
                    await super().start_kernel(**{**options, "stdout": output, "stderr": output})
                assert isinstance(self.provisioner, LocalProvisioner)  # noqa: S101
                started.append(self.provisioner)
                if build.ended:  # while it started, as another chapter failed
                    build.close()

            @default("kernel_spec_manager")
            def _this_python(self) -> KernelSpecManager:
                # Without folders of a user's or a system's kernels there is the one of this Python.
                return KernelSpecManager(kernel_dirs=[])

            @default("transport")
            def _transport(self) -> str:
                return "ipc"

            @default("ip")
            def _address(self) -> str:
                return str(sockets / "kernel")

        return Manager
