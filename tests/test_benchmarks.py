"""Benchmarks refuse what they cannot measure; what they measure is in docs/benchmarks.md."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import nbformat
import pytest

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


def test_the_benchmark_of_builds_finds_the_chart_whose_title_it_changes() -> None:
    spec = spec_from_file_location("build_benchmark", ROOT / "benchmarks/build.py")
    assert spec is not None
    assert spec.loader is not None
    benchmark = module_from_spec(spec)
    sys.modules[spec.name] = benchmark  # where its data classes look for their module
    spec.loader.exec_module(benchmark)
    chapter = nbformat.read(ROOT / benchmark.CHAPTER, as_version=4)
    sources = [cell.source for cell in chapter.cells]
    for times in (1, 2):
        benchmark.rename_chart(chapter)
        (changed,) = {cell.source for cell in chapter.cells} - set(sources)
        assert "#| label: fig-" in changed
        assert changed.count(' + " again"') == times
        compile(changed, "cell", "exec")
