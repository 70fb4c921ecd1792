"""Data flow one way: no module imports from a later stage."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Collection
from graphlib import TopologicalSorter
from pathlib import Path

from workshop import environment

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "roundtrip"
APART = {"__init__", "__main__", "setup", "skeletons"}
"""Set-up and its diagnosis, and skeletons of new files: no stage of a report."""


def stages() -> list[str]:
    """The stages in order, as the documentation gives them."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    return re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)


def stage_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def modules() -> dict[str, Path]:
    """Every module of the package by its whole name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path, known: Collection[str]) -> set[str]:
    """The modules that a module imports, also within functions and for its type hints alone."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            # A package that only passes a name on is not what is imported.
            found |= (whole & {*known}) or {node.module}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & {*known}


def test_every_module_belongs_to_a_stage() -> None:
    parts = {stage_of(path) for path in PACKAGE.rglob("*.py")}
    assert parts - APART == set(stages())


def test_no_module_imports_from_a_later_stage() -> None:
    order = {name: place for place, name in enumerate(stages())}
    known = modules()
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in known.values()
        if (mine := order.get(stage_of(path))) is not None
        for name in sorted(imported(path, known) - {"roundtrip"})
        if order.get(name.split(".")[1], mine) > mine
    ]
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    known = modules()
    TopologicalSorter({name: imported(path, known) for name, path in known.items()}).prepare()


STARTING = ("arrangements", "bench", "drivers", "harness", "links", "machine", "processes")


def test_reading_a_raw_file_loads_nothing_that_starts_brokers() -> None:
    program = "import sys, roundtrip.campaign.derive; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    loaded = {*done.stdout.split()}
    assert "roundtrip.campaign.values.mirror" in loaded
    assert not loaded & {*(f"roundtrip.campaign.{name}" for name in STARTING), "roundtrip.setup"}
