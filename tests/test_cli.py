"""The command line: help, exit statuses, messages without tracebacks, new chapters."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import typer

from conftest import Report
from roundtrip.cli._context import confirm, printable, show_error
from roundtrip.cli.main import app
from roundtrip.errors import RoundtripError
from roundtrip.params import ReportParameters
from roundtrip.project import PACKAGE, Project
from roundtrip.publish.chapters.notebooks import heading_of, read_notebook
from workshop import (
    ROOT,
    V94,
    answer,
    change_yaml,
    commit_all,
    edit,
    environment,
    refused,
    roundtrip,
    small_project,
)


def commands() -> list[list[str]]:
    """List every command and group, from the application itself."""
    import typer.main

    found: list[list[str]] = [[]]

    def walk(command: object, path: list[str]) -> None:
        for name, inner in getattr(command, "commands", {}).items():
            found.append([*path, name])
            walk(inner, [*path, name])

    walk(typer.main.get_command(app), [])
    return found


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_explains_itself(command: list[str]) -> None:
    done = answer(*command, "--help", cwd="/")
    assert done.returncode == 0, done.stderr
    assert done.stdout.lstrip().startswith("Usage: ")
    words = done.stdout.split("Options:")[0].split("\n\n")
    assert len(words) > 1
    assert words[1].strip()
    assert "...]..." not in done.stdout + done.stderr  # a name that ends in dots gets further ones
    assert "...}..." not in done.stdout + done.stderr
    listed = done.stdout.partition("Commands:")[2].splitlines()
    assert [line for line in listed if line.endswith("...")] == [], "what it does is cut off"


def test_the_commands_are_those_of_the_documents() -> None:
    names = {" ".join(command) for command in commands()}
    assert {"build", "check", "doctor", "data cells", "data observations", "new chapter"} <= names


def test_every_guide_that_the_package_names_can_be_printed() -> None:
    texts = (path for path in PACKAGE.rglob("*") if path.suffix in {".py", ".yml", ".json", ".md"})
    named = {page for path in texts for page in re.findall(
        r"'roundtrip docs ([a-z-]+)'", path.read_text("utf-8"))}  # fmt: skip
    listed = answer("docs", cwd="/").stdout
    pages = {line.split()[0] for line in listed.splitlines() if line}
    assert {"campaigns", "theme"} <= named <= pages
    assert answer("docs", "theme.md", cwd="/").stdout == (ROOT / "docs" / "theme.md").read_text()
    refused(answer("docs", "campagns", cwd="/"), "did you mean 'campaigns'", "roundtrip docs")


def test_a_space_that_keeps_words_together_is_a_space_on_a_terminal() -> None:
    assert printable("2\u00a0KB, 0.1\u202fs \x1b[2J") == "2 KB, 0.1 s \\x1b[2J"


def test_version_and_parameters_are_listed() -> None:
    assert answer("--version", cwd="/").stdout.startswith("roundtrip 0.")
    listed = answer("build", "--help-parameters", cwd="/").stdout
    for name in ReportParameters.model_fields:
        assert f"{name}: " in listed
    assert 'paper: "a4" or "letter"; default "a4"' in listed
    assert "authors: a list, each text;" in listed
    assert "Annotated" not in listed


@pytest.mark.parametrize(
    ("arguments", "status", "part"),
    [
        ([], 2, "Usage: "),
        (["bild"], 2, "No such command 'bild'"),
        (["build", "--overwite"], 2, "No such option"),
        (["build", "--engine", "word"], 2, "Invalid value for '--engine': 'word' is not one of"),
        (["build", "--workers", "0"], 1, "--workers: 0 chapters cannot"),
        (["ingest", "x.log", "--workers", "0"], 1, "--workers: '0' is neither"),
        (["data", "cells", "--format", "xml"], 2, "value for '--format': 'xml' is not one of"),
        (["verify", "x.zip", "--seed", "a"], 2, "Invalid value for '--seed'"),
        (["build", "-p", "title"], 1, "parameter 'title' has no value"),
        (["new", "chapter"], 2, "Missing argument"),
    ],
)
def test_wrong_usage_has_its_own_status(arguments: list[str], status: int, part: str) -> None:
    done = answer(*arguments, cwd=ROOT)
    assert done.returncode == status
    assert part in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "command", [["build"], ["check"], ["data", "cells"], ["new", "chapter", "1"]]
)
def test_outside_a_project_the_remedy_is_said(tmp_path: Path, command: list[str]) -> None:
    done = answer(*command, cwd=tmp_path)
    refused(done, "no report project in", "--project DIR")
    assert answer("--debug", *command, cwd=tmp_path).stderr.count("Traceback") == 1


@pytest.mark.parametrize("command", [["check"], ["data", "cells"], ["data", "observations"]])
def test_every_command_obeys_the_chosen_project(small: Report, command: list[str]) -> None:
    inside = answer(*command, cwd=small.project.root / "notebooks")
    chosen = answer(*command, cwd="/", project=small.project)
    assert chosen.returncode == 0, chosen.stderr
    assert chosen.stdout == inside.stdout


def test_doctor_answers_outside_a_project(tmp_path: Path) -> None:
    done = answer("doctor", "--format", "json", cwd=tmp_path)
    content = json.loads(done.stdout)
    assert done.returncode == (0 if content["complete"] else 1)
    assert "Traceback" not in done.stderr


def test_what_nobody_foresaw_is_an_error_without_traceback(small: Report, tmp_path: Path) -> None:
    project = small_project(tmp_path / "project")
    # A folder where the code expects a file that it has just seen.
    path = project.published / V94 / "table-03.csv"
    path.unlink()
    path.mkdir()
    message = refused(answer("check", project=project))
    assert "table-03.csv" in message
    there = ["data", "observations", "-o", "/proc/x.csv"]  # where nobody can write
    assert "unexpected" not in refused(answer(*there, project=small.project), "/proc/.x.csv")


_LOGS = """
import atexit, logging, sys
from roundtrip.cli import main

def log():
    try:
        raise ValueError("torn message")
    except ValueError:
        logging.getLogger("some.library").exception("ignored")

atexit.register(log)
main()
"""


def test_what_a_library_logs_is_for_those_who_debug(small: Report) -> None:
    for options, seen in (([], False), (["--debug"], True)):
        done = subprocess.run(
            [sys.executable, "-c", _LOGS, "--project", str(small.project.root), *options, "errata"],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0
        assert ("torn message" in done.stderr) is seen, done.stderr
        assert "No handlers" not in done.stderr


def test_output_into_a_closed_pipe_is_no_error(small: Report) -> None:
    line = (
        f"{sys.executable} -m roundtrip --project '{small.project.root}' data observations"
        " | head -n 1; exit ${PIPESTATUS[0]}"
    )
    done = subprocess.run(["bash", "-c", line], env=environment(), capture_output=True, text=True)
    assert done.stdout.startswith("observation_id,") or done.stdout.startswith('"observation_id"')
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_output_is_utf_8_whatever_the_locale(small: Report) -> None:
    command = [sys.executable, "-m", "roundtrip", "--project", str(small.project.root), "check"]
    locale = environment(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    done = subprocess.run(command, env=locale, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert "─" in done.stdout.decode("utf-8")


def test_text_without_colours_where_it_is_not_a_terminal(small: Report) -> None:
    done = roundtrip("check", project=small.project, env=environment(TERM="xterm-256color"))
    assert "\x1b" not in done.stdout + done.stderr


# --- new chapter ---------------------------------------------------------------------------


@pytest.mark.thorough
def test_a_new_chapter_is_part_of_the_next_build(small_copy: Project) -> None:
    commit_all(small_copy)
    done = answer("new", "chapter", "20-native-ha", "--report", V94, project=small_copy)
    assert done.returncode == 0, done.stderr
    assert "add 'notebooks/20-native-ha.ipynb' to the chapters in _quarto.yml" in done.stdout
    path = small_copy.notebooks / "20-native-ha.ipynb"
    assert heading_of(read_notebook(path), path) == ("Native ha", "sec-native-ha")
    edit(
        small_copy.book,
        "notebooks/10-peaks.ipynb",
        "notebooks/10-peaks.ipynb\n  - notebooks/20-native-ha.ipynb",
    )
    built = roundtrip("build", "--engine", "embedded", project=small_copy)
    assert built.returncode == 0, built.stderr
    page = (small_copy.reports / "0.1.0" / "html" / "20-native-ha.html").read_text(encoding="utf-8")
    assert "prints 250 numeric cells" in page.replace("\u00a0", " ")
    # The small report lacks appendices that the skeleton refers to.
    assert "Test configurations [not in this edition]" in page


@pytest.mark.parametrize(
    "name",
    ["native-ha", "6-native", "65-Native", "65_native", "65-", "65-a/b", "../65-a", "65-a.ipynb",
     "65--a", "", "65-\u00e9"],
)  # fmt: skip
def test_a_malformed_name_is_refused(small: Report, name: str) -> None:
    message = refused(answer("new", "chapter", name, project=small.project))
    assert "two digits, then words in lower case" in message


def test_a_chapter_is_about_one_thing(small: Report) -> None:
    for options in ((), ("--report", V94, "--plan", "base")):
        message = refused(answer("new", "chapter", "11-x", *options, project=small.project))
        assert "--plan NAME" in message
    message = refused(answer("new", "chapter", "11-x", "--campaign", "x", project=small.project))
    assert "there is no campaign yet" in message


def test_a_taken_name_and_an_unknown_report(small: Report) -> None:
    refused(answer("new", "chapter", "10-peaks", project=small.project), "10-peaks.ipynb exists")
    refused(
        answer("new", "chapter", "11-x", "--report", "ibm-mq-v9.4", project=small.project),
        f"unknown report 'ibm-mq-v9.4' (did you mean '{V94}'?)",
    )


@pytest.mark.thorough
def test_every_chapter_runs_alone_from_its_own_folder() -> None:
    """As JupyterLab runs it: from top to bottom, with the defaults of its parameters cell."""
    script = (
        "import json, sys; from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "for name in sys.argv[1:]:\n"
        "    shell.reset(new_session=False)\n"
        "    for cell in json.load(open(name, encoding='utf-8'))['cells']:\n"
        "        if cell['cell_type'] == 'code':\n"
        "            shell.run_cell(''.join(cell['source'])).raise_error()\n"
        "    print('finished', name)\n"
    )

    def run(names: list[str]) -> None:
        done = subprocess.run(
            [sys.executable, "-c", script, *names],
            cwd=ROOT / "notebooks",
            env=environment(IPYTHONDIR=os.devnull),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert [name for name in names if f"finished {name}" not in done.stdout] == []

    names = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
    with ThreadPoolExecutor() as pool:
        list(pool.map(run, (names[::2], names[1::2])))


def test_a_wrong_edition_file_is_named_with_its_line(small: Report, tmp_path: Path) -> None:
    project = small_project(tmp_path / "project")
    edit(project.params / "report.yml", "paper: a4", "papr: a4")
    refused(answer("build", project=project), "params/report.yml:", "did you mean 'paper'?")
    change_yaml(project.params / "report.yml", {})


def test_an_option_is_called_and_explained_alike_in_every_command() -> None:
    import typer.main

    names: dict[str, set[tuple[str, ...]]] = {}
    for path in commands():
        command: Any = typer.main.get_command(app)
        for name in path:
            command = command.commands[name]
        for option in command.params:
            if option.param_type_name != "option" or option.name == "help":
                continue
            assert option.help.endswith("."), (path, option.name)
            names.setdefault(option.opts[-1], set()).add(tuple(option.opts))
    assert {name: forms for name, forms in names.items() if len(forms) > 1} == {}


def test_a_line_number_is_no_emoji(capsys: pytest.CaptureFixture[str]) -> None:
    show_error("params/report.yml:100: unknown parameter")
    assert ":100:" in capsys.readouterr().err


def test_an_interrupted_question_is_not_told_as_unanswered(monkeypatch):
    class Interrupted(io.StringIO):
        def readline(self, *_: int) -> str:
            raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", Interrupted())
    with pytest.raises(typer.Abort):
        confirm("Start?")
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    with pytest.raises(typer.Abort):
        confirm("Start?")
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    confirm("Start?")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(RoundtripError, match="nobody answered"):
        confirm("Start?")
