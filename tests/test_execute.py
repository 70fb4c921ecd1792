"""Chapters run: in kernels that are forks, each fresh, none left behind; errors name the cell."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from roundtrip.build import fork_server as fork_server_module
from roundtrip.build.execute import (
    Execution,
    execute_all,
    kernels_for,
    plan_execution,
    with_text_of,
)
from roundtrip.build.fork_server import CAN_FORK, ForkServer, fork_server
from roundtrip.build.kernel_server import YIELDING
from roundtrip.errors import ChapterError
from roundtrip.project import Project
from workshop import write_notebook

VALUES = {"rate_unit": "messages/s", "commit": "abc"}
needs_fork = pytest.mark.skipif(not CAN_FORK, reason="kernels are not forked here")


def chapter(folder: Path, name: str, *code: str, text: str = "Text.") -> Path:
    """Write a chapter: a heading, a parameter, text, and code cells."""
    cells = [("code", source) for source in code]
    parameter = ("parameters", 'rate_unit = "round trips/s"')
    heading = f"# Title {{#sec-{name}}}"
    return write_notebook(Project(folder), name, heading, parameter, text, *cells)


def plan(folder: Path, source: Path) -> Execution:
    return plan_execution(Project(folder), source, VALUES, "fingerprint")


def run(folder: Path, *sources: Path) -> list[Execution]:
    executions = [plan(folder, source) for source in sources]
    with kernels_for(executions) as server:
        execute_all(executions, lambda _: None, server)
    return executions


def test_a_damaged_result_is_named(tmp_path: Path) -> None:
    execution = plan(tmp_path, chapter(tmp_path, "a", "1"))
    execution.target.parent.mkdir(parents=True)
    for content in ("{", "[]", '{"cells": 1}'):
        execution.target.write_text(content)
        with pytest.raises(ChapterError, match="the kept result of a chapter is damaged") as caught:
            execution.result()
        assert "delete it and build again" in str(caught.value)


def shown(execution: Execution) -> list[str]:
    """Give what the code cells show, as plain text."""
    return [
        output.data["text/plain"]
        for cell in execution.result().cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]


def children_of(pid: int) -> list[int]:
    listing = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(child) for child in listing.read_text().split()]


def eventually(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


def gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # it may end while its state is read
        return True
    return state == "Z"  # killed; who adopted it has not looked yet


def test_parameters_reach_the_chapter_and_its_own_folder_is_the_working_directory(tmp_path):
    source = chapter(tmp_path, "10-one", "rate_unit", "from pathlib import Path; Path.cwd().name")
    (execution,) = run(tmp_path, source)
    assert shown(execution) == ["'messages/s'", "'notebooks'"]


def test_every_chapter_begins_fresh(tmp_path):
    spoil = "import builtins, json, random; builtins.spoilt = json.spoilt = 1; random.random()"
    look = "import builtins, json; hasattr(builtins, 'spoilt') or hasattr(json, 'spoilt')"
    sources = [chapter(tmp_path, f"{n}-a", look, spoil, "'spoilt' in globals()") for n in range(3)]
    for execution in run(tmp_path, *sources):
        assert shown(execution)[0] == "False"
        assert shown(execution)[-1] == "False"


def test_unseeded_random_numbers_differ_between_chapters(tmp_path):
    code = "import random, numpy as np; (random.random(), float(np.random.random()))"
    one, other = run(tmp_path, chapter(tmp_path, "1-a", code), chapter(tmp_path, "2-b", code))
    assert shown(one) != shown(other)


def test_a_new_process_and_a_fork_give_the_same_notebook(tmp_path, monkeypatch):
    source = chapter(tmp_path, "10-one", "import pandas as pd; pd.DataFrame({'a': [1, 2]})")
    (execution,) = run(tmp_path, source)
    forked = execution.target.read_bytes()
    execution.target.unlink()
    monkeypatch.setattr(fork_server_module, "CAN_FORK", False)
    run(tmp_path, source)
    assert execution.target.read_bytes() == forked


def test_a_failing_cell_is_named_without_a_traceback(tmp_path):
    source = chapter(tmp_path, "10-one", "1", "#| label: fig-x\nraise ValueError('no such table')")
    with pytest.raises(ChapterError) as caught:
        run(tmp_path, source)
    assert caught.value.what == "ValueError: no such table"
    assert str(caught.value.where).endswith("10-one.ipynb: cell 5 (fig-x)")


def test_cells_are_counted_as_in_the_source_without_parameters_too(tmp_path):
    source = write_notebook(Project(tmp_path), "10-one", "# Title {#sec-a}", ("code", "1 / 0"))
    with pytest.raises(ChapterError) as caught:
        run(tmp_path, source)
    assert str(caught.value.where).endswith("10-one.ipynb: cell 2")


def test_a_kernel_that_dies_fails_its_chapter_alone(tmp_path):
    dying = chapter(tmp_path, "10-dying", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    good = chapter(tmp_path, "20-good", "1")
    with pytest.raises(ChapterError, match="DeadKernelError"):
        run(tmp_path, dying)
    assert shown(run(tmp_path, good)[0]) == ["1"]


def test_another_wording_is_not_executed_again(tmp_path):
    source = chapter(tmp_path, "10-one", "rate_unit")
    (before,) = run(tmp_path, source)
    chapter(tmp_path, "10-one", "rate_unit", text="Other text.")
    after = plan(tmp_path, source)
    assert after.done
    assert after.target == before.target
    assert [cell.source for cell in after.result().cells if cell.cell_type == "markdown"] == [
        "# Title {#sec-10-one}", "Other text.",
    ]  # fmt: skip
    assert shown(after) == shown(before)


@pytest.mark.parametrize("code", ["rate_unit + ' '", "#| label: fig-x\nrate_unit"])
def test_other_code_is_executed_again(tmp_path, code):
    run(tmp_path, chapter(tmp_path, "10-one", "rate_unit"))
    assert not plan(tmp_path, chapter(tmp_path, "10-one", code)).done


def test_text_cells_may_come_and_go_around_the_injected_parameters(tmp_path):
    source = chapter(tmp_path, "10-one", "rate_unit")
    (execution,) = run(tmp_path, source)
    notebook = nbformat.read(source, as_version=4)
    notebook.cells.insert(1, nbformat.v4.new_markdown_cell("New."))
    merged = with_text_of(notebook, nbformat.read(execution.target, as_version=4))
    kinds = [cell.cell_type[0] for cell in merged.cells]
    assert kinds == ["m", "m", "c", "c", "m", "c"]
    assert merged.cells[3].metadata["tags"] == ["injected-parameters"]


@needs_fork
def test_nothing_is_left_behind(tmp_path):
    before = set(children_of(os.getpid()))
    run(tmp_path, chapter(tmp_path, "10-one", "1"), chapter(tmp_path, "20-two", "2"))
    assert set(children_of(os.getpid())) <= before


@needs_fork
def test_kernels_yield_to_other_work(tmp_path):
    (execution,) = run(tmp_path, chapter(tmp_path, "10-one", "import os; os.nice(0)"))
    assert shown(execution) == [str(min(os.nice(0) + YIELDING, 19))]


def test_papermill_comes_without_what_it_would_read_from_hadoop_with(tmp_path):
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from roundtrip.build.execute import kernels_for\n"
        "from test_execute import chapter, plan\n"
        "folder = Path(sys.argv[1])\n"
        "with kernels_for([plan(folder, chapter(folder, 'one', '1'))]):\n"
        "    assert 'papermill' in sys.modules and 'pyarrow' not in sys.modules\n"
        "    import pyarrow.parquet\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@needs_fork
def test_a_kernel_ends_with_all_that_it_started(tmp_path):
    code = "import subprocess; subprocess.Popen(['sleep', '300']).pid"
    (execution,) = run(tmp_path, chapter(tmp_path, "10-one", code))
    assert eventually(lambda: gone(int(shown(execution)[0])))


@needs_fork
def test_kernels_are_started_as_new_processes_when_the_server_is_gone(tmp_path, monkeypatch):
    def broken() -> ForkServer:
        server = ForkServer()
        server._process.kill()
        server._process.wait()
        return server

    monkeypatch.setattr(fork_server_module, "ForkServer", broken)
    (execution,) = run(tmp_path, chapter(tmp_path, "10-one", "1 + 1"))
    assert shown(execution) == ["2"]


SLEEPER = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_execute import chapter, run
folder = Path({folder!r})
source = chapter(folder, "10-long", "from pathlib import Path; import os, time; "
    "Path('pid').write_text(str(os.getpid())); time.sleep(300)")
run(folder, source)
"""


@needs_fork
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_build_that_is_stopped_leaves_no_process(tmp_path, number):
    program = SLEEPER.format(tests=str(Path(__file__).parent), folder=str(tmp_path))
    build = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL)
    noted = tmp_path / "notebooks" / "pid"
    assert eventually(lambda: noted.is_file() and noted.read_text() != "", 60)
    kernel = int(noted.read_text())
    (server,) = children_of(build.pid)
    build.send_signal(number)
    build.wait(timeout=20)
    assert eventually(lambda: gone(kernel))
    assert eventually(lambda: gone(server))


@needs_fork
def test_kernels_end_by_themselves_when_the_server_is_killed(tmp_path):
    with fork_server() as server:
        assert server is not None
        process = server.fork(["-f", str(tmp_path / "k.json")], tmp_path, os.environ,
                              tmp_path / "log")  # fmt: skip
        server._process.kill()
        assert eventually(lambda: gone(process.pid))
        assert process.poll() == -signal.SIGKILL
