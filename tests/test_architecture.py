"""Data flow one way: no module imports from a later stage."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
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


def imported(path: Path) -> set[str]:
    """The parts of the package that a module imports, also within functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            whole = node.module == "roundtrip"
            names = [f"roundtrip.{alias.name}" for alias in node.names] if whole else [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("roundtrip.")}
    return found


def test_every_module_belongs_to_a_stage() -> None:
    parts = {stage_of(path) for path in PACKAGE.rglob("*.py")}
    assert parts - APART == set(stages())


def test_no_module_imports_from_a_later_stage() -> None:
    order = {name: place for place, name in enumerate(stages())}
    wrong = [
        f"{path.relative_to(ROOT)} imports roundtrip.{name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if (mine := order.get(stage_of(path))) is not None
        for name in sorted(imported(path))
        if order.get(name, mine) > mine
    ]
    assert wrong == []


STARTING = ("arrangements", "bench", "drivers", "harness", "links", "machine", "processes")


def test_reading_a_raw_file_loads_nothing_that_starts_brokers() -> None:
    program = "import sys, roundtrip.campaign.derive; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True)
    loaded = {*done.stdout.split()}
    assert "roundtrip.campaign.values.mirror" in loaded
    assert not loaded & {*(f"roundtrip.campaign.{name}" for name in STARTING), "roundtrip.setup"}
