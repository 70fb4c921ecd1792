"""Builds: what stops them, what they leave, and what parameters and hostile data make of them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pypdf
import pytest

from conftest import Report, made_once
from hostile import Markup
from roundtrip.project import PACKAGE, Project
from roundtrip.yamlfile import line_of
from workshop import (
    ROOT,
    V94,
    answer,
    change_yaml,
    commit_all,
    edit,
    environment,
    manifest_of,
    peaks_chapter,
    read_yaml,
    refused,
    roundtrip,
    share_cache,
    tree_of,
    until,
    write_notebook,
    write_yaml,
)

BUILD = ("build", "--engine", "embedded")


@pytest.fixture
def project(small: Report, small_copy: Project) -> Project:
    """A project with its report."""
    shutil.copytree(small.project.reports, small_copy.reports)
    return small_copy


def report_of(project: Project) -> dict[str, bytes]:
    return tree_of(project.reports)


def pdf_text(path: Path) -> str:
    pages = pypdf.PdfReader(path).pages
    return " ".join(" ".join(page.extract_text() for page in pages).split())


# --- the same, another, an interrupted one -------------------------------------------------


def test_what_is_at_hand_is_not_built_again(project: Project) -> None:
    before = report_of(project)
    done = roundtrip(*BUILD, project=project)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "nothing changed: reports/0.1.0 is up to date"
    assert report_of(project) == before


def test_another_report_of_the_same_version_needs_overwrite(project: Project) -> None:
    before = report_of(project)
    refused(
        roundtrip(*BUILD, "-p", "paper", "letter", project=project),
        "version 0.1.0 exists with different content",
        "give the new edition its own version in params/report.yml, or pass --overwrite",
    )
    assert report_of(project) == before
    done = roundtrip(*BUILD, "--overwrite", "-p", "paper", "letter", project=project)
    assert done.returncode == 0, done.stderr
    after = report_of(project)
    assert after["0.1.0/report.pdf"] != before["0.1.0/report.pdf"]
    assert [path.name for path in project.reports.iterdir()] == ["0.1.0"]


def test_a_changed_file_in_the_report_is_noticed(project: Project) -> None:
    page = project.reports / "0.1.0" / "html" / "index.html"
    original = page.read_bytes()
    page.write_bytes(original + b"<!-- changed -->")
    done = roundtrip(*BUILD, project=project)
    assert done.returncode == 0, done.stderr
    assert "nothing changed" not in done.stdout
    assert page.read_bytes() == original


@pytest.mark.parametrize("content", ["", "[]", '{"fingerprint": 1}'])
def test_a_broken_manifest_is_named(project: Project, content: str) -> None:
    (project.reports / "0.1.0" / "manifest.json").write_text(content)
    refused(roundtrip(*BUILD, project=project), "manifest.json: is not a manifest", "--overwrite")


def test_a_changed_manifest_is_named(project: Project) -> None:
    edit(project.reports / "0.1.0" / "manifest.json", '"title": "', '"title": "Not ')
    refused(roundtrip(*BUILD, project=project), "it was changed after it was written")


def test_another_version_stands_beside_the_first(project: Project) -> None:
    before = tree_of(project.reports / "0.1.0")
    done = roundtrip(*BUILD, "-p", "version", "0.2.0-rc.1", project=project)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in project.reports.iterdir()) == ["0.1.0", "0.2.0-rc.1"]
    assert tree_of(project.reports / "0.1.0") == before
    assert manifest_of(project.reports / "0.2.0-rc.1")["report"]["version"] == "0.2.0-rc.1"


def descendants(process: int) -> list[int]:
    """List the children of a process, whichever of its threads made them, and their children."""
    children = []
    for listed in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended
            children += [int(child) for child in listed.read_text().split()]
    return [one for child in children for one in (child, *descendants(child))]


def start(project: Project, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "roundtrip", "--project", str(project.root), *BUILD, *arguments],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def half_written(project: Project) -> bool:
    return any(project.reports.glob(".0.1.0.new-*/html/index.html"))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux")
def test_a_killed_build_leaves_the_old_report_whole(project: Project) -> None:
    before = tree_of(project.reports / "0.1.0")
    process = start(project, "--overwrite", "-p", "paper", "letter")
    until(lambda: half_written(project), process)
    process.kill()
    process.communicate()
    assert tree_of(project.reports / "0.1.0") == before
    done = roundtrip(*BUILD, "--overwrite", "-p", "paper", "letter", project=project)
    assert done.returncode == 0, done.stderr
    assert manifest_of(project.reports / "0.1.0")["parameters"]["paper"] == "letter"
    assert [path.name for path in project.reports.iterdir()] == ["0.1.0"]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux")
def test_ctrl_c_stops_chapters_and_kernels_and_says_so(project: Project) -> None:
    before = report_of(project)
    begin = ("code", 'from pathlib import Path\n\nPath("../begun").touch()')
    write_notebook(
        project, "10-peaks", *peaks_chapter(), begin, ("code", "import time\n\ntime.sleep(10_000)")
    )
    process = start(project, "--overwrite")
    until((project.root / "begun").exists, process)
    kernels = descendants(process.pid)
    assert kernels
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert "interrupted: finished work is kept" in errors
    assert "Traceback" not in errors
    until(lambda: not any(Path(f"/proc/{kernel}").exists() for kernel in kernels))
    assert report_of(project) == before


def test_a_full_disk_leaves_the_old_report_whole(project: Project) -> None:
    import resource

    before = report_of(project)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    done = roundtrip(*BUILD, "--overwrite", "-p", "paper", "letter", project=project,
                     preexec_fn=limit)  # fmt: skip
    refused(done, "could not write: File too large", "remedy: free disk space")
    assert report_of(project) == before


def test_a_report_folder_that_is_a_file_is_named(project: Project) -> None:
    shutil.rmtree(project.reports)
    project.reports.write_text("not a folder")
    refused(roundtrip(*BUILD, project=project), "reports", "could not write")


# --- what stops a build --------------------------------------------------------------------


def with_chapter(project: Project, *cells: Any) -> None:
    write_notebook(project, "10-peaks", *peaks_chapter(), *cells)


@pytest.mark.parametrize(
    ("cell", "part"),
    [
        (
            ("code", '#| label: fig-x\nraise ValueError("no such peak")'),
            "10-peaks.ipynb: cell 7 (fig-x), line 2: ValueError: no such peak\n  remedy: open it",
        ),
        (("code", 'import warnings\n\nwarnings.warn("old")'), "cell 7: prints to stderr"),
        ("See @fig-rrr.", "unresolved reference @fig-rrr (did you mean 'fig-rr'?)"),
    ],
    ids=["that fails", "with an output that no report holds", "with a wrong reference"],
)
def test_a_broken_chapter_stops_the_build(project: Project, cell: Any, part: str) -> None:
    before = report_of(project)
    with_chapter(project, cell)
    message = refused(roundtrip(*BUILD, "--overwrite", project=project), part)
    assert "notebooks/10-peaks.ipynb" in message
    assert "\x1b" not in message
    assert report_of(project) == before


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["notebooks/mine.py", f"data/published/{V94}/table-03.csv"])
def test_what_is_saved_while_chapters_run_is_not_taken_for_what_was_there_before(
    project: Project, name: str
) -> None:
    (project.notebooks / "mine.py").write_text("one = 1\n")
    path = project.root / name
    save = f"import mine, pathlib\npathlib.Path('../{name}').write_bytes({path.read_bytes()!r})"
    write_notebook(project, "10-peaks", *peaks_chapter(), ("code", save))
    before = {*project.cache.glob("executed/10-peaks-*")}
    refused(roundtrip(*BUILD, "--overwrite", project=project), f"{name}: was changed while")
    assert {*project.cache.glob("executed/10-peaks-*")} == before


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["-p", "chapters", "[10-peak]"], "unknown chapter '10-peak' (did you mean '10-peaks'?)"),
        (["-p", "annex", "[95-tables]"], "unknown appendix '95-tables' (did you mean '95-source"),
        (["-p", "variants", "[LZ4]"], "no observation has 'LZ4' as compression or tls_protocol"),
        (
            ["-p", "tls_baseline", "nono"],
            "no observation has 'nono' as tls_cipher",
        ),
        (["-p", "message_bytes", "[4095]"], "no observation has '4095' as message_bytes"),
        (["-p", "versoin", "2"], "unknown parameter 'versoin' (did you mean 'version'?)"),
        (["-f", "nowhere.yml"], "nowhere.yml: the file is missing"),
        (["-y", "paper: a5"], "'a4' or 'letter'"),
        (["--engine", "quarto"], "Quarto is not on PATH"),
    ],
)
def test_wrong_parameters_are_refused_before_anything_runs(
    project: Project, arguments: list[str], part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = report_of(project)
    path = os.pathsep.join(
        folder
        for folder in os.environ["PATH"].split(os.pathsep)
        if not (Path(folder) / "quarto").exists()
    )
    monkeypatch.setenv("PATH", path)
    done = answer("build", *arguments, "--overwrite", project=project)
    refused(done, part)
    assert "Chapters" not in done.stderr
    assert report_of(project) == before


def test_a_value_that_occurs_nowhere_is_told_before_the_version_that_exists(
    project: Project,
) -> None:
    message = refused(
        answer("build", "-p", "message_bytes", "[4095]", project=project),
        "error: message_bytes: no observation has '4095' as message_bytes",
    )
    assert "exists" not in message
    refused(answer("build", "-p", "message_bytes", "[2048]", project=project), "exists with diff")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("campaigns", "unknown measured campaign 'none-quick'"),
        ("chapters", "unknown chapter 'none-quick'"),
        ("annex", "unknown appendix 'none-quick'"),
    ],
)
def test_what_a_file_names_and_is_not_there_is_told_with_the_line(
    project: Project, tmp_path: Path, name: str, said: str
) -> None:
    own = tmp_path / "own.yml"
    own.write_text(f"paper: a4\n{name}: [none-quick]\n", "utf-8")
    refused(answer("build", "-f", str(own), project=project), f"error: {own}:2: {name}: {said}")
    given = answer("build", "-p", name, "[none-quick]", project=project)
    refused(given, f"error: {name}: {said}")


def test_a_value_that_occurs_nowhere_any_more_is_told_with_the_file_that_sets_it(
    project: Project,
) -> None:
    edition = project.params / "report.yml"
    change_yaml(edition, {"message_bytes": [2048, 4095]})
    said = ": message_bytes: no observation has '4095' as message_bytes"
    line = line_of(edition.read_text("utf-8"), ["message_bytes"])
    refused(answer("build", project=project), f"params/report.yml:{line}{said}")
    content = read_yaml(edition)
    del content["message_bytes"]
    write_yaml(edition, content)
    own = project.params / "parameters.yml"
    line = line_of(own.read_text("utf-8"), ["parameters", "message_bytes", "default"])
    refused(
        answer("build", project=project),
        f"params/parameters.yml:{line}: message_bytes: no observation has '256' as",
    )


# --- data ----------------------------------------------------------------------------------


def test_a_wrong_cell_is_named_with_its_line(project: Project) -> None:
    before = report_of(project)
    edit(project.published / V94 / "table-03.csv", '"261,852"', '"many"')
    refused(
        roundtrip(*BUILD, "--overwrite", project=project),
        "table-03.csv:3: V9.4 / Max Rate*: 'many' is not a number", "remedy: correct the cell",
    )  # fmt: skip
    assert report_of(project) == before


def misread(project: Project) -> None:
    """Misread a digit: Table 6 repeats Table 3, so that one contradicts the other."""
    edit(project.published / V94 / "table-06.csv", "97.69", "96.79")


def test_failing_checks_stop_the_build(project: Project) -> None:
    before = report_of(project)
    misread(project)
    message = refused(roundtrip(*BUILD, "--overwrite", project=project), "table-06.csv:2", "96.79")
    assert "--allow-failed-checks" in message
    assert report_of(project) == before


@pytest.mark.thorough
def test_failed_checks_that_are_allowed_stand_on_every_page(project: Project) -> None:
    misread(project)
    done = roundtrip(*BUILD, "--overwrite", "--allow-failed-checks", project=project)
    assert done.returncode == 0, done.stderr
    folder = project.reports / "0.1.0"
    checks = manifest_of(folder)["checks"]
    # What is at hand is no answer to a build that does not allow it.
    refused(roundtrip(*BUILD, project=project), "table-06.csv:2", "96.79")
    assert manifest_of(folder)["checks"] == checks
    count = len(checks["failed"])
    banner = f"Built although checks failed ({count})"
    assert count >= 1
    for page in folder.glob("html/*.html"):
        assert banner in page.read_text(encoding="utf-8"), page
    for page in pypdf.PdfReader(folder / "report.pdf").pages:
        assert banner in " ".join(page.extract_text().split())


# --- parameters ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def customer(report: Report, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The whole report with nearly every parameter changed, as a customer would."""
    from workshop import copy_project

    def make(folder: Path) -> None:
        project = copy_project(folder)
        share_cache(report.project, project)
        commit_all(project)
        (project.root / "customer.yml").write_text(
            "version: acme-1\npaper: letter\nnumber_format: 1.234,5\nmessage_bytes: [2048, 20480]\n"
            "authors: [ACME]\nnotices:\n  - {title: For ACME only, text: Not for others.}\n"
        )
        done = roundtrip(
            *BUILD, "-f", str(project.root / "customer.yml"), "-y", "rate_unit: messages/s",
            "-p", "storage_baseline", "NFS", "-p", "ha_baseline", "RDQM",
            "-p", "variants", "[SAN, MIQM, TLS 1.3, LZ4FAST]", "-p", "title", "Sizing for ACME",
            project=project,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    project = Project(made_once(tmp_path_factory, "customer", make))
    return Report(project, project.reports / "acme-1")


def text_of(report: Report, name: str) -> str:
    return Markup((report.html / f"{name}.html").read_text(encoding="utf-8")).text


@pytest.mark.thorough
def test_units_sizes_and_number_format_change_the_report(customer: Report) -> None:
    page = text_of(customer, "30-nonpersistent").replace("\u00a0", " ")
    assert "741.204" in page
    assert "Messages/s" in page
    assert "370,602" not in page
    # Statements of the sources name the sizes that they are about, and what a campaign varied is
    # disclosed whole.
    chapter = page.rpartition("What the sources claim")[0]
    assert "200 KB" not in re.sub(r"Varied, .*?\. ", "", chapter)
    # What was printed stays what was printed.
    printed = text_of(customer, "95-source-tables")
    assert "370,602" in printed
    assert "RR-CC (2MB Non-persistent)" in printed
    figures = json.loads(
        (customer.html / "notebooks" / "30-nonpersistent.ipynb").read_text(encoding="utf-8")
    )
    alts = [
        line
        for cell in figures["cells"]
        for line in cell["source"]
        if line.startswith("#| fig-alt")
    ]
    assert any("741.204 messages/s" in alt for alt in alts)
    assert not any("round trips/s" in alt for alt in alts)
    # A number leads to the list of runs, which has the same unit and format.
    runs = text_of(customer, "98-runs")
    assert "Messages/s" in runs
    assert "Round trips/s" not in runs


@pytest.mark.thorough
def test_variants_and_baselines_change_the_report(customer: Report) -> None:
    storage = text_of(customer, "40-persistent")
    assert "Ratio to NFS" in storage
    assert "Ratio to SSD" not in storage
    availability = text_of(customer, "60-high-availability")
    assert "Ratio to RDQM" in availability
    compression = text_of(customer, "20-compression")
    assert "LZ4FAST removes up to" in compression
    assert "ZLIBHIGH removes" not in compression


@pytest.mark.thorough
def test_cover_paper_and_notices_follow_the_parameters(customer: Report) -> None:
    pdf = pypdf.PdfReader(customer.pdf)
    assert {(float(p.mediabox.width), float(p.mediabox.height)) for p in pdf.pages} == {(612, 792)}
    text = pdf_text(customer.pdf)
    for part in ("Sizing for ACME", "acme-1", "For ACME only", "Not for others."):
        assert part in text
    assert "No warranty" not in text
    assert pdf.metadata is not None
    assert pdf.metadata.title == "Sizing for ACME"
    assert pdf.metadata.author == "ACME"
    assert manifest_of(customer.folder)["parameters"]["rate_unit"] == "messages/s"


def test_chapters_can_be_chosen(project: Project) -> None:
    definition = read_yaml(project.book)
    definition["book"]["chapters"].append("notebooks/20-more.ipynb")
    write_yaml(project.book, definition)
    write_notebook(project, "20-more", "# More on peaks {#sec-more}\n\nText.")
    done = roundtrip(*BUILD, "--overwrite", "-p", "chapters", "[20-more]", project=project)
    assert done.returncode == 0, done.stderr
    folder = project.reports / "0.1.0"
    names = {path.stem for path in folder.glob("html/*.html")}
    assert names == {"index", "20-more", "95-source-tables", "compare"}
    front = Markup((folder / "html" / "index.html").read_text(encoding="utf-8")).text
    assert "See Peaks [not in this edition]" in front
    assert "1 More on peaks" in front  # chapters are numbered anew
    assert "More on peaks" in pdf_text(folder / "report.pdf")
    assert manifest_of(folder)["report"]["commit"] == ""  # not a git checkout


# --- the manifest --------------------------------------------------------------------------


def test_the_manifest_accounts_for_every_file(report: Report) -> None:
    from roundtrip.files import sha256_of_file

    manifest = manifest_of(report.folder)
    files = {
        path.relative_to(report.folder).as_posix(): sha256_of_file(path)
        for path in report.folder.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }
    assert manifest["outputs"] == files
    for name, digest in manifest["inputs"].items():
        root = PACKAGE.parent if name.startswith("roundtrip/") else report.project.root
        assert sha256_of_file(root / name) == digest
    inputs = set(manifest["inputs"])
    assert {"_quarto.yml", "data/dictionary.yml", f"data/published/{V94}/table-03.csv",
            "notebooks/00-about.ipynb", "requirements.lock", "roundtrip/__init__.py",
            "roundtrip/templates/typst/report.typ"} <= inputs  # fmt: skip
    assert manifest["report"]["version"] == "0.1.0"
    assert re.fullmatch(r"[0-9a-f]{10}", manifest["report"]["commit"])
    assert manifest["engine"]["name"] == "embedded"
    assert {"pypandoc-binary", "typst"} <= manifest["engine"].keys()
    assert {"plotly", "papermill", "pandas"} <= manifest["libraries"].keys()
    assert manifest["checks"]["failed"] == []
    assert manifest["checks"]["rules"] > 20


def test_parameters_of_the_manifest_build_the_same_again(project: Project) -> None:
    path = project.root / "again.json"
    path.write_text(json.dumps(manifest_of(project.reports / "0.1.0")["parameters"]))
    done = roundtrip(*BUILD, "-f", str(path), project=project)
    assert "nothing changed" in done.stdout, done.stderr


def test_a_modified_checkout_says_so(project: Project) -> None:
    commit_all(project)
    change_yaml(project.params / "report.yml", {"version": "0.3.0"})
    done = roundtrip(*BUILD, project=project)
    assert done.returncode == 0, done.stderr
    assert manifest_of(project.reports / "0.3.0")["report"]["commit"].endswith("-modified")
    assert "-modified" in pdf_text(project.reports / "0.3.0" / "report.pdf")
    assert project.root != ROOT
