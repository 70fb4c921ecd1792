"""docs/first-report.md from end to end, with the wheel in an environment outside the checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import yaml

from workshop import ROOT, edit, wheel

OPTION = "consumerWindowSize"
FACTOR = {
    "type": "integer", "unit": "B", "label": "Consumer window",
    "description": "Messages that a client takes before they are asked for, in bytes.",
}  # fmt: skip


@pytest.fixture
def installed(tmp_path: Path, jar: Path) -> Path:
    """The command of the wheel, in an environment that only borrows this one's libraries."""
    run = [sys.executable, "-m"]
    done = subprocess.run(
        [*run, "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    environment = tmp_path / "environment"
    subprocess.run([*run, "venv", "--without-pip", str(environment)], check=True)
    (packages,) = environment.glob("lib/python*/site-packages")
    (packages / "zz-borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = str(environment / "bin" / "python")
    subprocess.run(
        [*run, "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel],
        check=True,
    )
    return environment / "bin" / "roundtrip"


@pytest.mark.thorough
@pytest.mark.broker
def test_a_first_report_is_made_with_the_wheel_alone(installed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "my-report"
    # Libraries that are borrowed have their shared files where they are.
    shared = {**os.environ, "JUPYTER_PATH": f"{sys.prefix}/share/jupyter"}
    shared.pop("PYTHONPATH", None)
    # … and one package stands for all that a packet pins.
    index = tmp_path / "index"
    index.mkdir()
    libraries = wheel(index, "libraries", "1.0", {"libraries.pth": sysconfig.get_path("purelib")})
    shared |= {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(index)}

    def command(*arguments: str, cwd: Path = folder) -> str:
        done = subprocess.run(
            [installed, *arguments], cwd=cwd, env=shared, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    command("init", str(folder), "--title", "Acme Broker 3.1", "--author", "Ann", cwd=tmp_path)
    lock = folder / "requirements.lock"
    assert lock.read_text("utf-8") == (ROOT / "requirements.lock").read_text("utf-8")
    lock.write_text(libraries, "utf-8")
    found = command("doctor")
    assert "part of the package" in found
    assert "make harness" not in found
    assert command("docs", "theme") == (ROOT / "docs" / "theme.md").read_text("utf-8")

    command("ingest", str(ROOT / "docs" / "examples" / "ingest" / "jms"), "--campaign", "lab")
    command("new", "chapter", "30-lab", "--campaign", "lab")

    declared = {"factors": {"consumer_window": FACTOR}}
    (folder / "data" / "dictionary.yml").write_text(yaml.safe_dump(declared))
    plan = yaml.safe_load((folder / "params" / "campaigns" / "first.yml").read_text("utf-8"))
    plan["title"] = "Consumer window"
    plan["factors"] |= {"requesters": [4], "consumer_window": [0, 1048576]}
    plan["set_by"] = {"consumer_window": {"url_option": OPTION}}
    (folder / "params" / "campaigns" / "window.yml").write_text(yaml.safe_dump(plan))
    command("run", "window", "-p", "repetitions", "1")
    command("new", "chapter", "40-window", "--plan", "window")

    last = "    - notebooks/20-first-measurement.ipynb\n"
    more = "    - notebooks/30-lab.ipynb\n    - notebooks/40-window.ipynb\n"
    edit(folder / "_quarto.yml", last, last + more)
    command("check")
    command("build", "--engine", "embedded")
    pages = folder / "reports" / "0.1.0" / "html"
    assert "Acme Broker 3.1" in (pages / "index.html").read_text("utf-8")
    assert "round trips/s" in (pages / "20-first-measurement.html").read_text("utf-8")
    assert "tbl-lab-rate" in (pages / "30-lab.html").read_text("utf-8")
    assert "Consumer window" in (pages / "40-window.html").read_text("utf-8")
    assert (pages.parent / "report.pdf").read_bytes().startswith(b"%PDF")
    # Nothing of the checkout was used, or is named.
    assert str(ROOT) not in (pages.parent / "manifest.json").read_text("utf-8")
    # The reviewer has the packet alone: what it pins and its own Roundtrip give the same bytes.
    command("pack")
    (packed,) = pages.parents[1].glob("*-0.1.0.zip")
    archive = packed.rename(tmp_path / "packet.zip")
    shutil.rmtree(folder)
    found = command("verify", str(archive), "--rebuild", "--yes", "--format", "json", cwd=tmp_path)
    checks = {row["check"]: row for row in json.loads(found)}
    assert checks["rebuild"]["outcome"] == "pass"
    assert checks["rebuild"]["told"].endswith("built with what the packet pins")
    assert "causes" not in checks
