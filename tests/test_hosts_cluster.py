"""Workers that a command starts by SSH on the hosts of the inventory: ``--workers hosts``."""

from __future__ import annotations

import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
import yaml

from conftest import Report
from ingest_bench import SAMPLES
from lab import Lab, laboratory
from roundtrip.project import Project
from workshop import answer, copy_project, environment, small_project, tree_of, until


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with laboratory(tmp_path_factory.mktemp("lab"), limit="") as made:
        yield made


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return copy_project(tmp_path / "project", ("_quarto.yml", "data/dictionary.yml"))


def on_hosts() -> dict[int, set[str]]:
    """Processes that Dask started on hosts, and the addresses that each listens on."""
    found: dict[int, set[str]] = {}
    for started in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if "distributed.cli.dask_spec" in started.cmdline():
                for process in (started, *started.children(recursive=True)):
                    found[process.pid] = set(listening(Path("/proc") / str(process.pid)))
    return found


def listening(process: Path) -> Iterator[str]:
    """Give the addresses that a process listens on, in whichever namespace it is."""
    own = {str(entry.readlink()) for entry in (process / "fd").iterdir()}
    for line in (process / "net" / "tcp").read_text("ascii").splitlines()[1:]:
        address, _, state, *_, inode = line.split()[1:10]
        if state == "0A" and f"socket:[{inode}]" in own:
            yield socket.inet_ntoa(bytes.fromhex(address.partition(":")[0])[::-1])


@pytest.fixture(params=["plain", pytest.param("tls", marks=pytest.mark.thorough)])
def dask_settings(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Variables by which Dask refuses whatever is not encrypted, or by which it does not."""
    if request.param == "plain":
        return {}
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=lab",
            "-keyout", str(key), "-out", str(cert)]  # fmt: skip
    subprocess.run(made, check=True, capture_output=True)
    one = {"cert": str(cert), "key": str(key)}
    tls = {"ca-file": str(cert), "scheduler": one, "worker": one, "client": one}
    (tmp_path / "dask.yaml").write_text(
        yaml.safe_dump({"distributed": {"comm": {"require-encryption": True, "tls": tls}}}), "utf-8"
    )
    return {"DASK_CONFIG": str(tmp_path / "dask.yaml")}


@pytest.mark.thorough
@pytest.mark.slow
def test_files_are_read_by_workers_on_the_hosts(
    lab: Lab, project: Project, dask_settings: dict[str, str]
) -> None:
    lab.name(project, **{name: lab.host(at, "build") for at, name in enumerate(("a", "b", "c"))})
    plain = answer("ingest", str(SAMPLES), "--campaign", "here", project=project)
    words = ("ingest", str(SAMPLES), "--campaign", "there", "--workers", "hosts")
    over = subprocess.run(
        lab.command(project, *words), capture_output=True, text=True,
        env=environment(**dask_settings),
    )  # fmt: skip
    assert (over.stdout.replace("there", "here"), over.stderr) == (plain.stdout, "")
    kept = [
        {path.name: path.read_bytes() for path in (project.campaigns / name).rglob("*.parquet")}
        for name in ("here", "there")
    ]
    assert kept[0]
    assert kept[0] == kept[1]
    until(lambda: not on_hosts())


@pytest.mark.thorough
@pytest.mark.slow
def test_workers_listen_on_their_hosts_and_end_with_a_command_that_is_killed(
    lab: Lab, project: Project, tmp_path: Path
) -> None:
    lab.name(project, a=lab.host(0, "build"), b=lab.host(1, "build"))
    for number in range(10):
        shutil.copytree(SAMPLES, tmp_path / "logs" / str(number))
    command = lab.command(project, "ingest", str(tmp_path / "logs"), "--workers", "hosts")
    heard: set[str] = set()

    def seen() -> bool:
        heard.update(*on_hosts().values())
        return heard.issuperset(lab.addresses[:2])

    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        until(seen, process)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert heard - {"127.0.0.1"} == set(lab.addresses[:2])
    until(lambda: not on_hosts())


@pytest.mark.thorough
def test_chapters_run_on_the_hosts_give_the_same_bytes(
    small: Report, lab: Lab, tmp_path: Path
) -> None:
    project = small_project(tmp_path / "project")
    lab.name(project, a=lab.host(0, "build"), b=lab.host(1, "build"))
    command = lab.command(project, "build", "--engine", "embedded", "--workers", "hosts")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (folder,) = project.reports.iterdir()
    assert tree_of(folder) == tree_of(small.folder)


@pytest.mark.thorough
def test_a_host_on_which_no_worker_starts_is_refused_in_words(
    lab: Lab, project: Project, tmp_path: Path
) -> None:
    start = tmp_path / "python"
    start.write_text(
        f'#!/bin/sh\ncase "$*" in *dask_spec*) exit 3;; esac\nexec "{sys.executable}" "$@"\n',
        "utf-8",
    )
    start.chmod(0o755)
    lab.name(project, a=lab.host(0, "build"), b=lab.host(1, "build", python=str(start)))
    command = lab.command(project, "ingest", str(SAMPLES), "--workers", "hosts")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "the workers did not start" in done.stderr
    assert "remedy: see that each host can listen on its 'address'" in done.stderr
    assert not project.campaigns.exists()
    until(lambda: not on_hosts())


def test_hosts_that_cannot_work_are_refused(lab: Lab, project: Project) -> None:
    def refused(**host: object) -> str:
        lab.name(project, a={**lab.host(0, "build"), **host})
        said = answer("ingest", str(SAMPLES), "--workers", "hosts", project=project)
        assert said.returncode == 1
        assert not project.campaigns.exists()
        return said.stderr

    assert "no host of params/hosts.yml has the role 'build'" in refused(reach="local")
    assert "'a' of params/hosts.yml cannot be used: the file of its key" in refused(key="/no/key")
    assert "see 'roundtrip hosts check'" in refused(python="/no/python")
    (project.params / "hosts.yml").unlink()
    said = answer("ingest", str(SAMPLES), "--workers", "hosts", project=project)
    assert "no host of params/hosts.yml has the role 'build'" in said.stderr
