"""Benchmarks refuse what they cannot measure; what they measure is in docs/benchmarks.md."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import nbformat
import pytest

from roundtrip.params import resolve_parameters
from roundtrip.project import Project
from roundtrip.publish.book_definition import load_book_definition, select_chapters

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("options", "status", "says"),
    [
        ("--chapters 0", 0, "load of the machine"),
        ("--chapters -1", 2, "--chapters: must be 0 or more"),
        ("--files 0", 2, "--files: must be 1 or more"),
        ("--chapters 0 --runs 1", 2, "--runs: must be 2 or more"),
        ("--chapters x", 2, "invalid int value: 'x'"),
    ],
)
def test_the_benchmark_of_scale_refuses_sizes_that_cannot_be_measured(
    options: str, status: int, says: str
) -> None:
    command = [sys.executable, "benchmarks/scale.py", "--gigabytes", "0", *options.split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert says in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def benchmark(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = spec_from_file_location(f"benchmark_{name}", ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)  # where data classes look for it
    spec.loader.exec_module(module)
    return module


def test_the_benchmark_of_builds_finds_the_chart_whose_title_it_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    build = benchmark("build", monkeypatch)
    chapter = nbformat.read(ROOT / build.CHAPTER, as_version=4)
    sources = [cell.source for cell in chapter.cells]
    for times in (1, 2):
        build.rename_chart(chapter)
        (changed,) = {cell.source for cell in chapter.cells} - set(sources)
        assert "#| label: fig-" in changed
        assert changed.count(' + " again"') == times
        compile(changed, "cell", "exec")


@pytest.mark.slow
def test_the_plain_route_runs_a_chapter_by_papermills_own_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plain = benchmark("plain_route", monkeypatch)
    project = Project(ROOT)
    first, *_ = select_chapters(project, load_book_definition(project.book), ())
    values = resolve_parameters(project).values_for_chapters("")
    made = nbformat.read(plain.run_papermill(first, values, tmp_path), as_version=4)
    assert all(cell.execution_count for cell in made.cells if cell.cell_type == "code")
