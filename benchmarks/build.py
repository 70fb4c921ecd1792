"""How long builds take, beside the plain route: ``python benchmarks/build.py``.

In a temporary clone of the working tree, each repetition measures

- the plain route: papermill's command for one chapter after the other, then the same rendering
  (see ``plain_route.py``);
- a cold build: nothing kept from before;
- the unchanged build that follows;
- a build after the first edit since the commit, a sentence added to one chapter: the report then
  names another commit on every page, and the chapter on provenance is executed again;
- a build after a second sentence was added;
- what follows another sentence while ``roundtrip build --watch`` runs, from the moment the chapter
  is saved until the report is there. The sentence before it was the first that this process built:
  the next of an author's day is measured, not the first;
- what follows while it still runs and the title inside one chart is changed;
- a build after that title was changed once more.

The plain route and the cold build come first in turn. Each command is a process of its own, as a
user starts it. Seconds vary with the machine and what else it does, ratios within one repetition
much less; the table shows medians of both. Both reports are compared byte by byte.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat
import psutil
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
CHAPTER = "notebooks/20-compression.ipynb"
SENTENCE = "\n\nA sentence that was not here before."
TITLE = re.compile(r"\btitle=(.+),$", re.MULTILINE)
BUILD = ("-m", "roundtrip", "build", "--engine", "embedded", "--overwrite")


PLAIN, COLD, UNCHANGED = "plain route", "cold build", "unchanged"
FIRST, TEXT, FIGURE = "first edit of a text", "next edit of a text", "edit of a figure"
WATCHED, WATCHED_FIGURE = "edit of a text, watching", "edit of a figure, watching"
THERE, WAITING = "reports/", "waiting for changes"
"""How lines begin that say where the report is, and that the next change is waited for."""
PAUSE_S = 5.0
"""Time between two edits, in which a kernel and a browser start for the next."""
AIMS = {PLAIN: "", COLD: "half of plain", UNCHANGED: "< 1 s", FIRST: "< 15 s", TEXT: "< 15 s",
        WATCHED: "< 5 s", WATCHED_FIGURE: "< 5 s", FIGURE: "< 15 s"}  # fmt: skip


@dataclass(frozen=True)
class Cost:
    """What one command took: seconds on the clock, and of processor with all its children."""

    wall: float
    processor: float


class Bench:
    """A clone of the project to measure in.

    Parameters
    ----------
    folder : Path
        An empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.plain = folder / "plain"
        self.log = folder / "log"
        names = _git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        for name in filter(None, names.split("\0")):
            if (ROOT / name).is_file():
                (self.project / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.project / name)
        _git(self.project, "init", "--quiet")
        _git(self.project, "add", "--all")
        who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
        _git(self.project, *who, "commit", "--quiet", "--message", "As measured")
        self.environment = {**os.environ, "PYTHONPATH": str(self.project / "src")}
        # An installed package has its bytecode; without it the first command would pay for all.
        self._run(["-m", "compileall", "-q", "src", "benchmarks"])

    def forget(self) -> None:
        """Go back to a fresh clone."""
        _git(self.project, "checkout", "--quiet", "--", CHAPTER)
        for name in (".cache", "reports"):
            shutil.rmtree(self.project / name, ignore_errors=True)

    def plain_route(self) -> Cost:
        """Make the report the plain way."""
        self.forget()
        shutil.rmtree(self.plain, ignore_errors=True)
        return self._run(["benchmarks/plain_route.py", str(self.project), str(self.plain)])

    def build(self) -> Cost:
        """Run ``roundtrip build``."""
        return self._run(list(BUILD))

    def edit(self, change: Callable[[nbformat.NotebookNode], None]) -> None:
        """Change the chapter."""
        path = self.project / CHAPTER
        notebook = nbformat.read(path, as_version=4)
        change(notebook)
        nbformat.write(notebook, path)

    def watched_edits(self) -> dict[str, Cost]:
        """Save a chapter three times while a build watches; give what the last two took."""
        command = [sys.executable, *BUILD, "--watch"]
        with self.log.open("wb") as log, subprocess.Popen(
            command, cwd=self.project, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=log, text=True,
        ) as process:  # fmt: skip
            try:
                self._until(WAITING, process)
                self._watched(process, add_sentence)
                return {
                    WATCHED: self._watched(process, add_sentence),
                    WATCHED_FIGURE: self._watched(process, rename_chart),
                }
            finally:
                process.terminate()  # Ctrl-C is ignored by what runs in the background

    def _watched(
        self, process: subprocess.Popen[str], change: Callable[[nbformat.NotebookNode], None]
    ) -> Cost:
        time.sleep(PAUSE_S)
        used = _processor_time(process)
        begin = time.perf_counter()
        self.edit(change)
        self._until(THERE, process)
        wall = time.perf_counter() - begin
        self._until(WAITING, process)
        return Cost(wall, _processor_time(process) - used)

    def _until(self, beginning: str, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(beginning):
                return
        sys.exit(f"--watch ended:\n{self.log.read_text('utf-8', 'replace')}")

    def comparison(self) -> str:
        """Compare the files of both routes, the manifest apart, which only the build writes."""
        (built,) = (self.project / "reports").iterdir()
        files = [
            {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*")
             if p.is_file() and p.name != "manifest.json"}
            for folder in (self.plain, built)
        ]  # fmt: skip
        plain, ours = files
        same = sum(plain.get(name) == content for name, content in ours.items())
        pages = sum(name.endswith(".html") and "/" not in name[5:] for name in ours)
        figures = sum(content.count(b"<figure") for name, content in ours.items()
                      if name.startswith("html/") and name.count("/") == 1)  # fmt: skip
        return (
            f"Plain route: {len(plain)} files; cold build: {len(ours)} files, {same} of them with "
            f"the same bytes ({pages} pages with {figures} figures, one PDF)."
        )

    def _run(self, arguments: list[str]) -> Cost:
        with self.log.open("wb") as log:
            begin = time.perf_counter()
            process = subprocess.Popen(
                [sys.executable, *arguments], cwd=self.project, env=self.environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
            _, status, used = os.wait4(process.pid, 0)
            wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{' '.join(arguments)} failed:\n{self.log.read_text('utf-8', 'replace')}")
        return Cost(wall, used.ru_utime + used.ru_stime)


def add_sentence(notebook: nbformat.NotebookNode) -> None:
    """Add a sentence to the last text of the chapter."""
    [cell for cell in notebook.cells if cell.cell_type == "markdown"][-1].source += SENTENCE


def rename_chart(notebook: nbformat.NotebookNode) -> None:
    """Change the words inside one chart, each time to others."""
    for cell in notebook.cells:
        if cell.cell_type == "code" and "chart(\n" in cell.source and TITLE.search(cell.source):
            cell.source = TITLE.sub(r'title=\1 + " again",', cell.source, count=1)
            return
    sys.exit(f"{CHAPTER} has no chart with a title on a line of its own: mend benchmarks/build.py")


def repetition(bench: Bench, plain_first: bool, costs: dict[str, list[Cost]]) -> str:
    """Measure everything once and compare the reports."""
    if plain_first:
        costs[PLAIN].append(bench.plain_route())
    bench.forget()
    costs[COLD].append(bench.build())
    kept = bench.project.with_name("cold")
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(bench.project / "reports", kept)
    costs[UNCHANGED].append(bench.build())
    for name in (FIRST, TEXT):
        bench.edit(add_sentence)
        costs[name].append(bench.build())
    for name, cost in bench.watched_edits().items():
        costs[name].append(cost)
    bench.edit(rename_chart)
    costs[FIGURE].append(bench.build())
    if not plain_first:
        costs[PLAIN].append(bench.plain_route())
    shutil.rmtree(bench.project / "reports", ignore_errors=True)
    shutil.copytree(kept, bench.project / "reports")
    return bench.comparison()


def result_table(costs: dict[str, list[Cost]]) -> Table:
    """Lay medians and ratios side by side."""
    table = Table(title=f"Medians of {len(costs[PLAIN])} repetitions", title_justify="left")
    table.add_column("Build", no_wrap=True)
    for name in ("Seconds", "Range", "CPU seconds", "To plain", "To cold", "Aim"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, aim in AIMS.items():
        walls = [cost.wall for cost in costs[name]]
        processor = statistics.median(cost.processor for cost in costs[name])
        table.add_row(
            name, f"{statistics.median(walls):.2f}", f"{min(walls):.2f}–{max(walls):.2f}",
            f"{processor:.2f}", _ratio(walls, costs[PLAIN]), _ratio(walls, costs[COLD]), aim,
        )  # fmt: skip
    return table


def _ratio(walls: list[float], bases: list[Cost]) -> str:
    ratios = [wall / base.wall for wall, base in zip(walls, bases, strict=True)]
    return f"{statistics.median(ratios):.3f}"


def _processor_time(process: subprocess.Popen[str]) -> float:
    """Give the seconds of processor that a process and its ended children have used."""
    used = psutil.Process(process.pid).cpu_times()
    return used.user + used.system + used.children_user + used.children_system


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-n", "--repetitions", type=int, default=3)
    count = parser.parse_args().repetitions
    console = Console()
    if not console.is_terminal:
        console.width = 112
    load = " ".join(f"{value:.2f}" for value in os.getloadavg())
    console.print(f"{os.cpu_count()} processors; load before: {load}; Python {sys.version[:6]}")
    costs: dict[str, list[Cost]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="roundtrip-bench-") as folder:
        bench = Bench(Path(folder))
        for number in range(count):
            with console.status(f"Repetition {number + 1} of {count}"):
                comparison = repetition(bench, number % 2 == 0, costs)
        console.print(result_table(costs))
        console.print(comparison)


if __name__ == "__main__":
    main()
