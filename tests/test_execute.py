"""Chapters run: in kernels that are forks, each fresh, none left behind; errors name the cell."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from roundtrip.errors import ChapterError
from roundtrip.project import Project
from roundtrip.publish.chapters.execute import (
    Execution,
    execute_all,
    plan_execution,
    with_text_of,
)
from roundtrip.publish.chapters.kernels import Kernels
from workshop import children_of, gone, until, write_notebook

VALUES = {"rate_unit": "messages/s", "commit": "abc"}
pytestmark = pytest.mark.slow


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
    execute_all(executions, lambda _: None)
    return executions


def shown(execution: Execution) -> list[str]:
    """Give what the code cells show, as plain text."""
    return [
        output.data["text/plain"]
        for cell in execution.result().cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]


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


def test_settings_of_the_user_do_not_reach_a_chapter(tmp_path, monkeypatch):
    startup = tmp_path / "mine" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00-mine.py").write_text("mine = True\n")
    (tmp_path / "python.py").write_text("also_mine = True\n")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "mine"))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "python.py"))
    kernel = tmp_path / "jupyter" / "kernels" / "python3" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    kernel.write_text('{"argv": ["false"], "display_name": "Mine", "language": "python"}')
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    code = "{'mine', 'also_mine'} & globals().keys()"
    (execution,) = run(tmp_path, chapter(tmp_path, "10-one", code))
    assert shown(execution) == ["set()"]


def test_a_kernel_started_ahead_is_as_fresh_as_another(tmp_path):
    state = "import os; (sorted(globals()), os.getcwd(), get_ipython().config['HistoryManager'])"
    source = chapter(tmp_path, "10-one", state, "import sys; 'plotly' in sys.modules")
    execution = plan(tmp_path, source)
    (other,) = run(tmp_path, source)
    with closing(Kernels()) as kernels:
        kernels.start_ahead(source.parent)
        execute_all([execution], lambda _: None, kernels=kernels)
    assert shown(execution) == [shown(other)[0], "True"]  # it has loaded what takes long
    assert shown(other)[1] == "False"


def test_a_kernel_that_died_while_it_waited_is_replaced(tmp_path):
    execution = plan(tmp_path, chapter(tmp_path, "10-one", "1 + 1"))
    known = set(children_of(os.getpid()))
    with closing(Kernels()) as kernels:
        kernels.start_ahead(execution.source.parent)
        (kernel,) = set(children_of(os.getpid())) - known
        os.kill(kernel, signal.SIGKILL)
        until(lambda: gone(kernel))
        execute_all([execution], lambda _: None, kernels=kernels)
    assert shown(execution) == ["2"]


def test_unseeded_random_numbers_differ_between_chapters(tmp_path):
    code = "import random, numpy as np; (random.random(), float(np.random.random()))"
    one, other = run(tmp_path, chapter(tmp_path, "1-a", code), chapter(tmp_path, "2-b", code))
    assert shown(one) != shown(other)


def test_a_failing_cell_is_named_without_a_traceback(tmp_path):
    source = chapter(tmp_path, "10-one", "1", "#| label: fig-x\nraise ValueError('no such table')")
    with pytest.raises(ChapterError) as caught:
        run(tmp_path, source)
    assert caught.value.what == "ValueError: no such table"
    assert str(caught.value.where).endswith("10-one.ipynb: cell 5 (fig-x), line 2")


MADE = """\
import pandas as pd
from support.rates import rate_of
frame = pd.DataFrame({"round_trip_time": [1.0]})"""
COLUMN = " (did you mean 'round_trip_time'?)"


@pytest.mark.parametrize(
    ("code", "line", "said"),
    [
        ("1\nframe['rond_trip_time']", "line 2", "KeyError: 'rond_trip_time'"),
        ("frame.rond_trip_time", "line 1", COLUMN),
        ("farme", "line 1", "name 'farme' is not defined (did you mean 'frame'?)"),
        ("from roundtrip.present import chrat", "line 1", "(did you mean 'chart'?)"),
        ("rate_of(frame)", "line 1, in support/rates.py, line 2", COLUMN),
        ("1\n2 +", "line 2", "SyntaxError"),
        ("1\nmax(kye=len)", "line 2", "TypeError"),
    ],
)  # fmt: skip
def test_a_wrong_name_is_told_with_its_line_and_the_nearest_one(tmp_path, code, line, said):
    source = chapter(tmp_path, "10-one", MADE, code)
    module = source.parent / "support" / "rates.py"
    module.parent.mkdir()
    module.write_text("def rate_of(frame):\n    return frame.rond_trip_time\n")
    with pytest.raises(ChapterError) as caught:
        run(tmp_path, source)
    assert str(caught.value.where).endswith(f"10-one.ipynb: cell 5, {line}")
    assert said in caught.value.what


def test_cells_are_counted_as_in_the_source_without_parameters_too(tmp_path):
    source = write_notebook(Project(tmp_path), "10-one", "# Title {#sec-a}", ("code", "1 / 0"))
    with pytest.raises(ChapterError) as caught:
        run(tmp_path, source)
    assert str(caught.value.where).endswith("10-one.ipynb: cell 2, line 1")


def test_a_kernel_that_dies_fails_its_chapter_alone(tmp_path):
    dying = chapter(tmp_path, "10-dying", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    good = chapter(tmp_path, "20-good", "1")
    with pytest.raises(ChapterError, match="DeadKernelError"):
        run(tmp_path, dying)
    assert shown(run(tmp_path, good)[0]) == ["1"]


def test_what_was_planned_is_run_although_the_chapter_is_saved_meanwhile(tmp_path):
    execution = plan(tmp_path, chapter(tmp_path, "10-one", "1", "2"))
    chapter(tmp_path, "10-one", "3")
    execute_all([execution], lambda _: None)
    assert shown(execution) == ["1", "2"]


def test_another_wording_is_not_executed_again(tmp_path):
    source = chapter(tmp_path, "10-one", "rate_unit")
    (before,) = run(tmp_path, source)
    chapter(tmp_path, "10-one", "rate_unit", text="Other text.")
    after = plan(tmp_path, source)
    assert after.executed
    assert [cell.source for cell in after.result().cells if cell.cell_type == "markdown"] == [
        "# Title {#sec-10-one}", "Other text.",
    ]  # fmt: skip
    assert shown(after) == shown(before)


@pytest.mark.parametrize("code", ["rate_unit + ' '", "#| label: fig-x\nrate_unit"])
def test_other_code_is_executed_again(tmp_path, code):
    run(tmp_path, chapter(tmp_path, "10-one", "rate_unit"))
    assert not plan(tmp_path, chapter(tmp_path, "10-one", code)).executed


def test_text_cells_may_come_and_go_around_the_injected_parameters(tmp_path):
    source = chapter(tmp_path, "10-one", "rate_unit")
    (execution,) = run(tmp_path, source)
    notebook = nbformat.read(source, as_version=4)
    notebook.cells.insert(1, nbformat.v4.new_markdown_cell("New."))
    merged = with_text_of(notebook, execution.executed)
    kinds = [cell.cell_type[0] for cell in merged.cells]
    assert kinds == ["m", "m", "c", "c", "m", "c"]
    assert merged.cells[3].metadata["tags"] == ["injected-parameters"]


def test_no_kernel_is_left_behind(tmp_path):
    pid = "import os; os.getpid()"
    ended = run(tmp_path, chapter(tmp_path, "10-one", pid), chapter(tmp_path, "20-two", pid))
    for execution in ended:
        until(lambda execution=execution: gone(int(shown(execution)[0])))


def test_kernels_of_a_build_that_fails_are_ended(tmp_path):
    note = "from pathlib import Path; import os; Path('pid').write_text(str(os.getpid()))"
    endless = chapter(tmp_path, "10-long", f"{note}; import time; time.sleep(10_000)")
    wait = "import time\nwhile not Path('pid').is_file(): time.sleep(0.05)"
    failing = chapter(tmp_path, "20-bad", f"from pathlib import Path; {wait}\n1 / 0")
    with pytest.raises(ChapterError, match="ZeroDivisionError"):
        run(tmp_path, endless, failing)
    until(lambda: gone(int((tmp_path / "notebooks" / "pid").read_text())))


def test_a_kernel_that_was_starting_when_the_build_failed_is_ended(tmp_path, monkeypatch):
    kernels = Kernels()

    async def start(self, **options):
        self.provisioner = LocalProvisioner()
        self.provisioner.process = subprocess.Popen(["sleep", "300"], start_new_session=True)
        kernels.close()

    monkeypatch.setattr(AsyncKernelManager, "start_kernel", start)
    manager = kernels.manager(tmp_path, tmp_path)()
    # In a thread of its own: a browser leaves a running loop in the one of the tests.
    with ThreadPoolExecutor() as thread:
        thread.submit(lambda: asyncio.run(manager.start_kernel())).result()
    assert manager.provisioner.process.wait(60) == -signal.SIGKILL


def test_a_kernel_ends_with_all_that_it_started(tmp_path):
    code = "import subprocess; subprocess.Popen(['sleep', '300']).pid"
    (execution,) = run(tmp_path, chapter(tmp_path, "10-one", code))
    until(lambda: gone(int(shown(execution)[0])))


SLEEPER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_execute import chapter, run
folder = Path({folder!r})
source = chapter(folder, "10-long", "from pathlib import Path; import os, time; "
    "Path('pid').write_text(str(os.getpid())); time.sleep(10_000)")
run(folder, source)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_build_that_is_stopped_leaves_no_process(tmp_path, number):
    program = SLEEPER.format(tests=str(Path(__file__).parent), folder=str(tmp_path))
    build = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL)
    noted = tmp_path / "notebooks" / "pid"
    until(lambda: noted.is_file() and noted.read_text() != "", build)
    kernel = int(noted.read_text())
    helpers = children_of(build.pid)
    build.send_signal(number)
    build.wait()
    for process in (kernel, *helpers):
        until(lambda process=process: gone(process))
