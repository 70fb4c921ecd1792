"""Workers on the inventory's hosts: started over SSH in three namespaces, and gone afterwards."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import yaml

from ingest_bench import SAMPLES
from lab import Lab, laboratory
from roundtrip.project import Project
from workshop import answer, copy_project, environment, refused, roundtrip, until

NAMES = ("one", "two", "three")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with laboratory(tmp_path_factory.mktemp("lab")) as made:
        yield made


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return copy_project(tmp_path / "project", ("_quarto.yml", "data/dictionary.yml"))


def builders(lab: Lab, tmp_path: Path) -> dict[str, dict[str, object]]:
    for name in NAMES:
        (tmp_path / name).mkdir()
    return {
        name: lab.host(number, "build", folder=str(tmp_path / name))
        for number, name in enumerate(NAMES)
    }


def started(lab: Lab) -> list[psutil.Process]:
    """Give what Dask has started on the hosts."""
    return [
        process for process in psutil.process_iter(["cmdline"])
        if "distributed.cli.dask_spec" in (words := process.info["cmdline"] or [])
        and any(f'"{address}"' in words[-1] for address in lab.addresses)
    ]  # fmt: skip


def test_logs_are_read_on_the_hosts_for_building(
    lab: Lab, project: Project, tmp_path: Path
) -> None:
    lab.name(project, **builders(lab, tmp_path))
    plain = roundtrip("ingest", str(SAMPLES), project=project)
    over = subprocess.run(
        lab.command(project, "ingest", str(SAMPLES), "--workers", "hosts"),
        env=environment(), capture_output=True, text=True,
    )  # fmt: skip
    assert (over.stdout, over.stderr) == (plain.stdout, "")
    until(lambda: not started(lab))


def test_what_was_started_ends_with_a_killed_command(
    lab: Lab, project: Project, tmp_path: Path
) -> None:
    lab.name(project, **builders(lab, tmp_path))
    command = subprocess.Popen(
        lab.command(project, "ingest", str(SAMPLES), "--workers", "hosts"), env=environment(),
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    until(lambda: len(started(lab)) >= 2 * len(NAMES), command)  # each with what ends it
    command.kill()
    command.wait()
    until(lambda: not started(lab))


@pytest.mark.thorough
def test_a_host_that_cannot_be_reached_is_refused(
    lab: Lab, project: Project, tmp_path: Path
) -> None:
    hosts = builders(lab, tmp_path)
    lab.name(project, **hosts, bare=lab.host(2, "build", python="/nowhere/python", load=None))
    said = subprocess.run(
        lab.command(project, "ingest", str(SAMPLES), "--workers", "hosts"),
        env=environment(), capture_output=True, text=True,
    )  # fmt: skip
    refused(said, "the workers on the hosts do not start", "roundtrip hosts check")
    until(lambda: not started(lab))


@pytest.mark.parametrize(
    ("hosts", "words"),
    [
        ({"a": {"roles": ["broker", "requesters"]}}, "no host has the role 'build'"),
        (
            {"a": {"roles": ["build"]}, "b": {"roles": ["build"], "reach": "scheduler",
                                              "address": "10.0.0.1"}},
            "reached in different ways",
        ),
    ],
)  # fmt: skip
def test_an_inventory_without_hosts_for_building_is_refused(
    project: Project, hosts: dict[str, object], words: str
) -> None:
    project.params.mkdir()
    text = yaml.safe_dump({"scheduler": "tcp://10.0.0.1:8786", "hosts": hosts})
    (project.params / "hosts.yml").write_text(text, "utf-8")
    refused(answer("ingest", str(SAMPLES), "--workers", "hosts", project=project), words)
