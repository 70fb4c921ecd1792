"""Find which tests reach which lines of the package."""

from __future__ import annotations

import ast
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest


class Reached:
    """Plugin of pytest: the lines of some folders that each test that passes has run.

    What a fixture of wider scope runs counts for every test that asks for it.
    """

    def __init__(self, root: Path, folders: list[Path]) -> None:
        self.root, self.folders = root, tuple(f"{folder}/" for folder in folders)
        self.lines: set[tuple[str, int]] = set()
        self.of_fixtures: dict[str, set[tuple[str, int]]] = {}
        self.seconds: dict[str, float] = {}
        self.tests: dict[str, dict[str, list[int]]] = {}
        self.failed: set[str] = set()

    def _frame(self, frame: FrameType, event: str, value: Any) -> Any:
        return self._line if frame.f_code.co_filename.startswith(self.folders) else None

    def _line(self, frame: FrameType, event: str, value: Any) -> Any:
        self.lines.add((frame.f_code.co_filename, frame.f_lineno))
        return self._line

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, Any]:
        if fixturedef.scope == "function":
            return (yield)
        outer, self.lines = self.lines, self.of_fixtures.setdefault(fixturedef.argname, set())
        try:
            return (yield)
        finally:
            self.lines = outer

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Generator[None, Any, Any]:
        self.lines = set()
        threading.settrace(self._frame)
        sys.settrace(self._frame)
        try:
            result = yield
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
        files: dict[str, list[int]] = {}
        for lines in (self.lines, *(self.of_fixtures.get(f, ()) for f in item.fixturenames)):
            for file, line in lines:
                files.setdefault(str(Path(file).relative_to(self.root)), []).append(line)
        self.tests[item.nodeid] = files
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0) + report.duration
        if not report.passed:
            self.failed.add(report.nodeid)

    def found(self) -> dict[str, dict[str, Any]]:
        """Give seconds and lines by file, for each test that passed."""
        return {
            test: {
                "seconds": self.seconds[test],
                "lines": {file: sorted(set(lines)) for file, lines in files.items()},
            }
            for test, files in self.tests.items()
            if files and test not in self.failed
        }


class Chosen:
    """Plugin of pytest: nothing but some tests, file by file, in the order given."""

    def __init__(self, tests: list[str]) -> None:
        self.order = {test: number for number, test in enumerate(tests)}
        self.passed: list[str] = []
        self.failed = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self.order),
            key=lambda item: self.order[item.nodeid],
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = report.nodeid
        elif report.when == "teardown":
            self.passed.append(report.nodeid)


def statement(code: str, line: int) -> range | None:
    """Give the lines of the statement around a line; None where it runs at import."""
    inside, around = False, range(line, line + 1)
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.stmt):
            continue
        body = getattr(node, "body", None)
        first = body[0].lineno if body else (node.end_lineno or node.lineno) + 1
        if isinstance(node, ast.FunctionDef) and first <= line <= (node.end_lineno or first):
            inside = True
        if node.lineno <= line < first:
            around = range(node.lineno, first)
    return around if inside else None
