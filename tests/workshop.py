"""What several test files share: projects to spoil, and the real command line."""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import time
import traceback
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml

from roundtrip.params import ReportParameters
from roundtrip.project import Project
from roundtrip.publish.manifest import manifest_text
from roundtrip.versions import library_versions

ROOT = Path(__file__).resolve().parents[1]
V94 = "ibm-mq-v9.4-linux"
PARTS = (
    "_quarto.yml", "checks", "data", "notebooks", "params", "templates",
    "requirements.lock", ".gitignore",
)  # fmt: skip
SMALL = (
    "_quarto.yml", f"checks/{V94}.json",
    "data/dictionary.yml", "data/glossary.yml", f"data/published/{V94}",
    "notebooks/95-source-tables.ipynb", "params", "templates",
    "requirements.lock", ".gitignore",
)  # fmt: skip
"""What a report of one published report is built from."""
PATIENCE_MS = 600_000
"""How long a browser is waited for: so long that only a fault can use it up."""
_UNWANTED = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")


def copy_project(target: Path, parts: Sequence[str] = PARTS) -> Project:
    """Copy what a report is built from."""
    for name in parts:
        source = ROOT / name
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target / name, ignore=_UNWANTED)
        else:
            shutil.copy(source, target / name)
    return Project(target)


def share_cache(origin: Project, target: Project) -> None:
    """Give a project what another one has finished; files there are replaced, never changed."""
    shutil.copytree(origin.cache, target.cache, copy_function=os.link, dirs_exist_ok=True)


def git(folder: Path, *arguments: str) -> str:
    """Run git with a fixed author and time, so that the same files give the same commit."""
    who = {"NAME": "Test", "EMAIL": "test@example.com", "DATE": "2026-01-02T03:04:05Z"}
    identity = {
        f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()
    }
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        env={**os.environ, **identity, **settings},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def commit_all(project: Project) -> None:
    """Make a project the root of a git checkout of its own."""
    git(project.root, "init", "--quiet", "--initial-branch=main")
    git(project.root, "add", "--all")
    git(project.root, "commit", "--quiet", "--no-gpg-sign", "--message=All of it")


def environment(**changes: str) -> dict[str, str]:
    """Give the environment of a command that uses the sources of this checkout."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "200", **changes}


def roundtrip(
    *arguments: str, project: Project | None = None, **settings: Any
) -> subprocess.CompletedProcess[str]:
    """Run the command line as a user does."""
    chosen = [] if project is None else ["--project", str(project.root)]
    return subprocess.run(
        [sys.executable, "-m", "roundtrip", *chosen, *arguments],
        capture_output=True,
        text=True,
        **{"env": environment(), **settings},
    )


def answer(
    *arguments: str, project: Project | None = None, cwd: Path | str = "."
) -> subprocess.CompletedProcess[str]:
    """Run the command line in this process: for what is refused, listed or shown.

    A second quicker than a process of its own. Builds and campaigns, which start processes and
    catch signals, get one from `roundtrip`.
    """
    from roundtrip.cli import main

    chosen = [] if project is None else ["--project", str(project.root)]
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    status = 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["roundtrip", *chosen, *arguments])
        patch.setenv("COLUMNS", "200")
        patch.chdir(cwd)
        try:
            main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        except Exception:  # with --debug
            status = 1
            traceback.print_exc()
    said = []
    for stream in (out, err):
        stream.seek(0)
        said.append(stream.read())
    return subprocess.CompletedProcess(sys.argv, status, *said)


def until(true: Callable[[], Any], process: subprocess.Popen[Any] | None = None) -> Any:
    """Wait for something, as long as the process goes on that is to bring it about."""
    while not (found := true()):
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.01)
    return found


def children_of(pid: int) -> list[int]:
    """Give the processes that a process has started and not ended."""
    children = []
    for listing in Path(f"/proc/{pid}/task").glob("*/children"):  # each thread has its own
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread may end meanwhile
            children += [int(child) for child in listing.read_text().split()]
    return children


def gone(pid: int) -> bool:
    """Say whether a process has ended."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # it may end while its state is read
        return True
    return state == "Z"  # killed; who adopted it has not looked yet


def refused(done: subprocess.CompletedProcess[str], *parts: str) -> str:
    """Check that a command ended with a message for people, and give it."""
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    assert "error: " in done.stderr
    for part in parts:
        assert part in done.stderr
    return done.stderr


@contextmanager
def unprivileged() -> Iterator[None]:
    """Do without the rights of root, who may read and write everywhere."""
    user = os.geteuid()
    codecs.lookup("utf-8-sig")  # others may not read the Python of root, which loads it when asked
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def edit(path: Path, old: str, new: str) -> None:
    """Change one place of a text file, which must be there."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def read_yaml(path: Path) -> Any:
    """Read a YAML file, by libyaml: PyYAML's own reader takes ten times as long."""
    return yaml.load(path.read_bytes(), yaml.CSafeLoader)


def write_yaml(path: Path, content: Any) -> None:
    """Write a YAML file, keys in their order."""
    text = yaml.dump(content, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True)
    path.write_text(text, encoding="utf-8")


def change_yaml(path: Path, change: Mapping[str, Any]) -> None:
    """Set keys at the top level of a YAML file."""
    write_yaml(path, {**read_yaml(path), **change})


def notebook(*cells: str | tuple[str, str]) -> nbformat.NotebookNode:
    """Make a chapter: Markdown as text, code as ``("code", source)`` or ``("parameters", …)``."""
    made = []
    for number, cell in enumerate(cells, start=1):
        if isinstance(cell, str):
            new = nbformat.v4.new_markdown_cell(cell)
        else:
            new = nbformat.v4.new_code_cell(cell[1])
            if cell[0] != "code":
                new.metadata["tags"] = [cell[0]]
        new["id"] = f"cell-{number}"
        made.append(new)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook: nbformat.NotebookNode = nbformat.v4.new_notebook(
        cells=made, metadata={"kernelspec": kernel}
    )
    return notebook


def write_notebook(project: Project, name: str, *cells: str | tuple[str, str]) -> Path:
    """Write a chapter into a project."""
    path = project.notebooks / f"{name}.ipynb"
    path.parent.mkdir(exist_ok=True)
    path.write_text(nbformat.writes(notebook(*cells)) + "\n", encoding="utf-8")
    return path


OPEN = ("code", f'from roundtrip.present import *\n\nchapter = Chapter("{V94}")')


def made_manifest(
    edition: ReportParameters, inputs: Sequence[str] = (), failed: Sequence[str] = ()
) -> str:
    """Write the manifest of a report that nobody built."""
    report = {name: getattr(edition, name) for name in ("version", "date", "title")}
    return manifest_text({
        "report": {**report, "commit": "", "timestamp": 0}, "fingerprint": "",
        "engine": {"name": "embedded"}, "libraries": library_versions(),
        "parameters": edition.model_dump(mode="json"), "checks": {"failed": list(failed)},
        "inputs": dict.fromkeys(inputs, ""), "outputs": {},
    })  # fmt: skip


def small_project(target: Path) -> Project:
    """Make a project of one source, in three chapters: front, one chapter, printed tables."""
    project = copy_project(target, SMALL)
    # They belong to chapters that are not there.
    for name in ("claims.yml", "errata.yml"):
        (project.published / V94 / name).unlink(missing_ok=True)
    # The source has no messages of 256 B, and the book no appendices but one.
    changes = {"message_bytes": [2048, 20480, 204800, 2097152], "annex": []}
    change_yaml(project.params / "report.yml", changes)
    definition = read_yaml(project.book)
    definition["book"] = {
        "chapters": ["notebooks/00-front.ipynb", "notebooks/10-peaks.ipynb"],
        "appendices": ["notebooks/95-source-tables.ipynb"],
    }
    write_yaml(project.book, definition)
    write_notebook(
        project, "00-front", "# A small report {#sec-front}\n\nSee @sec-peaks, @tbl-peaks.", OPEN,
        ("code", 'chapter.text("The source prints {n} cells.", n=chapter.about.cells)'),
    )  # fmt: skip
    write_notebook(project, "10-peaks", *peaks_chapter())
    return project


SECOND = "acme-mq-2"


def project_of_two(target: Path) -> Project:
    """Make a project of two published reports, the second made from the first."""
    project = small_project(target)
    first, second = project.published / V94, project.published / SECOND
    shutil.copytree(first, second)
    named = {"id": SECOND, "title": "Acme MQ 2", "short_title": "Acme MQ 2", "product": "Acme MQ"}
    change_yaml(second / "report.yml", named)
    return project


def change_host(project: Project, report: str, change: Mapping[str, Any]) -> None:
    """Let the host of a report's set1 have other values than it had at first."""
    path = project.published / report / "report.yml"
    content = read_yaml(path)
    sets = read_yaml(ROOT / "data" / "published" / V94 / "report.yml")
    content["host_sets"]["set1"] = sets["host_sets"]["set1"]
    content["host_sets"]["set1"]["hosts"][0] |= change
    write_yaml(path, content)


def peaks_chapter() -> list[str | tuple[str, str]]:
    """Give the cells of a chapter with computed text, a table and a drawing."""
    return [
        "# Peaks {#sec-peaks}\n\nThe printed cells are in @sec-source-tables, drawn in @fig-rr.",
        ("parameters", 'rate_unit = "round trips/s"\nnumber_format = "1,234.5"'),
        (
            "code",
            "from roundtrip.present import *\n\n"
            f'chapter = Chapter("{V94}", rate_unit=rate_unit, number_format=number_format)\n'
            'points = chapter.points("table-03")\n'
            "best = largest(chapter.quantities(points))",
        ),
        ("code", 'chapter.text("The highest rate is {best}.", best=best)'),
        (
            "code",
            "#| label: tbl-peaks\n"
            'results_table(chapter, points, caption="Peaks", row="message_bytes")',
        ),
        ("code", '#| label: fig-rr\nchapter.topology("rr-cc")'),
    ]


def read_csv(text: str) -> list[dict[str, str]]:
    """Read CSV text with a header."""
    return list(csv.DictReader(text.splitlines()))


def manifest_of(folder: Path) -> dict[str, Any]:
    """Read the manifest of a built report."""
    content: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return content


def tree_of(folder: Path) -> dict[str, bytes]:
    """Read every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def waive(project: Project) -> None:
    """Waive the mandatory rules of method for all campaigns, so that words conclude."""
    from roundtrip.methodology.rules import WAIVERS, Rules
    from roundtrip.methodology.subject import subjects_of
    from roundtrip.observations import load_observations

    observations = load_observations(project)
    rules = Rules(observations)
    waivers = [
        {"rule": rule.id, "subject": one.id, "by": "a test", "why": "its words are looked at"}
        for one in subjects_of(observations).values()
        for rule in rules.rules
        if rule.mandatory and one.kind == "campaign" and one.kind in rule.applies_to
    ]
    rules.folder.mkdir(parents=True, exist_ok=True)
    write_yaml(rules.folder / WAIVERS, {"waivers": waivers})


def wheel(folder: Path, name: str, version: str, files: dict[str, str]) -> str:
    """Make a package, and give the line that pins it in a lock file."""
    described = f"{name}-{version}.dist-info"
    content = {
        **files,
        f"{described}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{described}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
    }
    record = f"{described}/RECORD"
    content[record] = "".join(f"{path},,\n" for path in [*content, record])
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for place, text in content.items():
            archive.writestr(place, text)
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"
