"""Chapters over workers of Dask: the same bytes, though one is killed; unfit ones are refused."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client

from conftest import Report
from dask_plugins import AtTask, kill_myself
from roundtrip.errors import ChapterError, DataError, ParameterError
from roundtrip.hosts import chapters as hosts_chapters
from roundtrip.hosts.chapters import OverWorkers
from roundtrip.hosts.workers import workers
from roundtrip.project import Project
from roundtrip.publish.chapters.execute import Execution, execute_all, plan_execution
from roundtrip.publish.manifest import input_hashes
from workshop import answer, refused, roundtrip, small_project, tree_of, write_notebook

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Client]:
    with workers("2") as client:
        yield client


def chapters(root: Path, *codes: str) -> tuple[Project, list[Execution]]:
    project = Project(root)
    sources = [
        write_notebook(project, f"{number}0-a", f"# A {{#sec-{number}}}", ("code", code))
        for number, code in enumerate(codes, start=1)
    ]
    return project, [plan_execution(project, source, {}, "fingerprint") for source in sources]


def run_over(client: Client, project: Project, executions: list[Execution]) -> None:
    over = OverWorkers(client)
    run = over(project, (), input_hashes(project))
    execute_all(executions, lambda _: None, run, over.at_a_time)


@pytest.mark.thorough
def test_chapters_run_elsewhere_give_the_same_bytes(tmp_path: Path, two_workers: Client) -> None:
    codes = ("import pandas as pd; pd.DataFrame({'a': [1, 2]})", "from pathlib import Path\n"
             "Path.cwd().name", "import roundtrip.present; 1 / 3")  # fmt: skip
    project, executions = chapters(tmp_path, *codes)
    execute_all(executions, lambda _: None)
    kept = tree_of(project.cache / "executed")
    for path in (project.cache / "executed").iterdir():
        path.unlink()
    project, executions = chapters(tmp_path, *codes)
    run_over(two_workers, project, executions)
    assert tree_of(project.cache / "executed") == kept
    assert len(kept) == 3


def test_chapters_run_on_workers_and_errors_name_the_cell(
    tmp_path: Path, two_workers: Client
) -> None:
    project, executions = chapters(tmp_path, "import os\nos.getppid()")
    run_over(two_workers, project, executions)
    (output,) = executions[0].result().cells[-1].outputs
    servers = two_workers.run(lambda: [os.getpid(), *_children()])
    assert int(output["data"]["text/plain"]) in {pid for pids in servers.values() for pid in pids}
    project, executions = chapters(tmp_path, "1", "1 / 0")
    with pytest.raises(ChapterError, match="ZeroDivisionError") as problem:
        run_over(two_workers, project, executions)
    assert str(problem.value.where).endswith("20-a.ipynb: cell 2, line 1")


def _children() -> list[int]:
    listing = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return [int(child) for path in listing for child in path.read_text().split()]


def test_a_worker_that_sees_other_files_is_refused_before_anything_runs(
    tmp_path: Path, two_workers: Client
) -> None:
    project, executions = chapters(tmp_path, "1")
    inputs = input_hashes(project)
    over = OverWorkers(two_workers)
    run = over(project, (), inputs)
    other = project.root / "data" / "dictionary.yml"
    other.parent.mkdir()
    other.write_text("factors: {}\n", "utf-8")
    with pytest.raises(ParameterError, match=r"does not see data/dictionary.yml as") as problem:
        over(project, (), inputs)
    assert "by the same path" in str(problem.value.remedy)
    two_workers.run(lambda: hosts_chapters._seen.cache_clear())  # as one that comes later
    with pytest.raises(DataError, match="does not see the project as it is here"):
        execute_all(executions, lambda _: None, run)
    assert not (project.cache / "executed").exists()


@pytest.mark.thorough
def test_a_report_built_over_workers_of_which_one_is_killed_is_the_same(
    small: Report, tmp_path: Path
) -> None:
    project, mark = small_project(tmp_path / "project"), tmp_path / "killed"
    with workers("2") as doomed:  # Dask does not always start a killed one again
        doomed.register_plugin(AtTask("_run", kill_myself, mark))
        address = doomed.scheduler.address
        done = roundtrip("build", "--engine", "embedded", "--workers", address, project=project)
    assert done.returncode == 0, done.stderr
    assert mark.exists()
    (folder,) = project.reports.iterdir()
    assert tree_of(folder) == tree_of(small.folder)


@pytest.mark.parametrize("place", ["many", "http://a:1", "-1"])
def test_what_names_no_workers_is_refused(small: Report, place: str) -> None:
    done = answer("build", f"--workers={place}", "--overwrite", project=small.project)
    refused(done, "neither a number of workers nor the address of a scheduler")
