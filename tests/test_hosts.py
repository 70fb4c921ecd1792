"""Ingest over workers of Dask: the same bytes as one process, also when a worker is killed."""

from __future__ import annotations

import ast
import gzip
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import dask
import psutil
import pytest
from distributed import Client, LocalCluster, Security

from dask_plugins import AtTask, kill_myself
from ingest_bench import SAMPLES
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import DataError, ParameterError, RoundtripError
from roundtrip.hosts import reading
from roundtrip.hosts import workers as hosts_workers
from roundtrip.hosts.reading import OverWorkers
from roundtrip.hosts.workers import workers
from roundtrip.ingest.session import Spread, ingest_paths, one_by_one
from roundtrip.project import Project
from workshop import ROOT, answer, copy_project, roundtrip

DICTIONARY = load_dictionary(ROOT / "data" / "dictionary.yml")
SECRET = "zOmBiE-9471-lanTern"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return copy_project(tmp_path / "project", ("_quarto.yml", "data/dictionary.yml"))


@pytest.fixture(scope="module")
def two_workers() -> Iterator[Client]:
    with workers("2") as client:
        yield client


def logs(folder: Path) -> Path:
    """Logs of all tools, archives, a table with a mapping, and what nobody understands."""
    shutil.copytree(SAMPLES, folder / "samples")
    shutil.copytree(ROOT / "docs" / "examples" / "ingest", folder / "example")
    shutil.make_archive(str(folder / "packed"), "gztar", SAMPLES / "mq-cph")
    (folder / "unknown.log").write_text(f"what is this\npassword={SECRET}\n", "utf-8")
    (folder / "cut.gz").write_bytes((folder / "packed.tar.gz").read_bytes()[:900])
    (folder / "t.csv").write_text("clients,rate\n8,3665.5\n16,5012\nx,1\n", "utf-8")
    (folder / "t.mapping.yml").write_text(
        "columns:\n  clients: {factor: requesters}\n"
        "  rate: {metric: round_trip_rate, statistic: mean, unit: round trips/s}\n",
        "utf-8",
    )
    return folder


def ingested(
    project: Project, source: Path, spread: Spread, rejects: Path
) -> tuple[list[str], dict[str, bytes]]:
    """What is said, and every file that is kept, of one ingest."""
    outcome = ingest_paths(
        [source], dictionary=DICTIONARY, project=project, campaign="lab", rejects=rejects,
        reject_text=True, spread=spread,
    )  # fmt: skip
    kept = {
        path.relative_to(project.campaigns).as_posix(): path.read_bytes()
        for path in sorted(project.campaigns.rglob("*"))
        if path.is_file()
    }
    shutil.rmtree(project.campaigns)
    return outcome.as_text(), kept | {"rejects": rejects.read_bytes()}


@pytest.mark.thorough
@pytest.mark.slow
def test_a_killed_worker_loses_and_doubles_nothing(
    project: Project, tmp_path: Path, two_workers: Client
) -> None:
    source, rejects, mark = logs(tmp_path / "logs"), tmp_path / "rejects.tsv", tmp_path / "killed"
    alone = ingested(project, source, one_by_one, rejects)
    assert ingested(project, source, OverWorkers(two_workers), rejects) == alone
    with workers("2") as doomed:  # Dask does not always start a killed one again
        doomed.register_plugin(AtTask("_read", kill_myself, mark))
        killed = ingested(project, source, OverWorkers(doomed), rejects)
    assert mark.exists(), "no worker was killed"
    assert killed == alone
    said, kept = killed
    assert len(kept) > 40
    assert any("unknown.log" in line for line in said)
    assert b"unknown.log:2\t" in kept["rejects"]
    assert not [name for name, content in kept.items() if SECRET.encode() in content]


def large_log(path: Path) -> None:
    """Write some MB of JMSPerfHarness: two processes, two runs, and lines of no form."""
    sample = (SAMPLES / "jmsperfharness" / "tutorial_requesters.txt").read_bytes().splitlines(True)
    rates = [line for line in sample if line.startswith(b"rate=")]
    run = [
        b"ControlThread1: START\r\n", *sample,
        *(b"id=%d,%s" % (number % 3 // 2, line)
          for number in range(14_000) for line in rates),
        b"what is this\n", f"password={SECRET}\n".encode(), b"rate=-1.5e3,threads=1\n",
        b"totalIterations=9,avgDuration=2.00,totalRate=4.50\n",
    ]  # fmt: skip
    path.write_bytes(b"\xef\xbb\xbf" + b"".join(run * 2) + rates[-1].rstrip())


@pytest.mark.thorough
@pytest.mark.slow
def test_a_large_log_is_read_in_parts(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (source := tmp_path / "logs").mkdir()
    (seen := tmp_path / "seen").mkdir()
    rejects, mark = tmp_path / "rejects.tsv", tmp_path / "killed"
    large_log(source / "large.log")
    (source / "small.gz").write_bytes(gzip.compress(b"rate=5.00,threads=1\n"))
    monkeypatch.setattr(reading, "_LARGE", 1 << 20)
    alone = ingested(project, source, one_by_one, rejects)
    with workers("2") as doomed:
        doomed.register_plugin(AtTask("_match", lambda: (seen / str(time.time_ns())).touch()))
        assert ingested(project, source, OverWorkers(doomed), rejects) == alone
        assert len(list(seen.iterdir())) > 2  # which worker takes which is the scheduler's affair
        doomed.register_plugin(AtTask("_match", kill_myself, mark), name="kill")
        assert ingested(project, source, OverWorkers(doomed), rejects) == alone
    assert mark.exists(), "no worker was killed"
    _, kept = alone
    assert b"large.log:" in kept["rejects"]
    assert SECRET.encode() not in b"".join(kept.values())


@pytest.mark.slow
def test_workers_of_this_machine_listen_on_it_alone(two_workers: Client) -> None:
    mine = psutil.Process()
    pids = [mine.pid, *(child.pid for child in mine.children(recursive=True))]
    places = {
        found.laddr.ip
        for pid in pids
        for found in psutil.Process(pid).net_connections("inet")
        if found.status == psutil.CONN_LISTEN
    }
    # A JVM lists a listener of IPv4 as an address of IPv6.
    assert {place.removeprefix("::ffff:") for place in places} == {"127.0.0.1"}
    assert len(two_workers.nthreads()) == 2


@pytest.mark.thorough
@pytest.mark.slow
def test_with_tls_nobody_without_a_certificate_is_heard(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, cert = str(tmp_path / "key.pem"), str(tmp_path / "cert.pem")
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=lab",
            "-keyout", key, "-out", cert]  # fmt: skip
    subprocess.run(made, check=True, capture_output=True)
    parts = ("scheduler", "worker", "client")
    tls = {"ca-file": cert} | {f"{part}.cert": cert for part in parts}
    tls |= {f"{part}.key": key for part in parts}
    source, rejects = SAMPLES / "jmsperfharness", tmp_path / "rejects.tsv"
    with (
        dask.config.set({f"distributed.comm.tls.{name}": path for name, path in tls.items()}),
        LocalCluster(
            n_workers=1, threads_per_worker=1, host="127.0.0.1", protocol="tls://",
            security=Security(), dashboard_address="127.0.0.1:0",
        ) as cluster,
    ):  # fmt: skip
        address = cluster.scheduler_address
        assert address.startswith("tls://127.0.0.1:")
        with workers(address) as client:
            places = [address, *client.nthreads()]
            alone = ingested(project, source, one_by_one, rejects)
            assert ingested(project, source, OverWorkers(client), rejects) == alone
        assert len(places) == 2
        stranger = ssl.create_default_context(cafile=cert)
        stranger.check_hostname = False
        for place in places:
            host, port = place.removeprefix("tls://").split(":")
            with (
                socket.create_connection((host, int(port))) as plain,
                stranger.wrap_socket(plain) as channel,
                pytest.raises(ssl.SSLError, match="certificate required"),
            ):
                channel.recv(1)
        monkeypatch.setattr(hosts_workers, "PATIENCE_S", 1)
        with (
            pytest.raises(ParameterError, match="no scheduler of Dask answers"),
            workers(address.replace("tls://", "tcp://")),
        ):
            pass


@pytest.mark.slow
def test_a_file_that_ends_every_worker_is_named(project: Project, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("x\n", "utf-8")
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        workers("1") as client,
    ):
        client.register_plugin(AtTask("_read", kill_myself))
        with pytest.raises(RoundtripError, match="several workers were lost") as problem:
            ingested(project, tmp_path / "a.log", OverWorkers(client), tmp_path / "r.tsv")
    assert str(problem.value.where).endswith("a.log")
    assert "without --workers" in str(problem.value.remedy)
    assert not project.campaigns.exists()


@pytest.mark.slow
def test_a_file_that_a_worker_sees_otherwise_is_refused(
    project: Project, tmp_path: Path, two_workers: Client
) -> None:
    log = tmp_path / "a.log"
    log.write_text("one\ntwo\n", "utf-8")
    two_workers.register_plugin(AtTask("_read", lambda: os.truncate(log, 4)), name="cut")
    with pytest.raises(DataError, match="does not see this file as it is here") as problem:
        ingested(project, log, OverWorkers(two_workers), tmp_path / "r.tsv")
    two_workers.unregister_worker_plugin("cut")
    assert "by the same path" in str(problem.value.remedy)
    assert not project.campaigns.exists()


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(
    ("lost", "words"), [("worker", "no worker is left"), ("scheduler", "the scheduler is lost")]
)
def test_what_is_lost_for_good_ends_the_ingest(
    project: Project, tmp_path: Path, lost: str, words: str
) -> None:
    (tmp_path / "a.log").write_text("x\n", "utf-8")
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parent)}  # of `AtTask`
    with ExitStack() as stack:

        def started(part: str, *options: str) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.dask_{part}", *options, "--host",
                 "127.0.0.1", "--no-dashboard"],
                env=environment, cwd=tmp_path, stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
            stack.callback(process.communicate)
            stack.callback(process.kill)
            return process

        scheduler = started("scheduler", "--port", "0")
        lines = iter(scheduler.stderr or [])
        found = next(match for line in lines if (match := re.search(r"Scheduler at: +(\S+)", line)))
        started("worker", found[1], "--no-nanny")
        with Client(found[1]) as client:
            client.wait_for_workers(1)
        with workers(found[1]) as client:
            end = scheduler.pid if lost == "scheduler" else 0
            client.register_plugin(
                AtTask("_read", lambda: os.kill(end or os.getpid(), signal.SIGKILL))
            )
            with pytest.raises(RoundtripError, match=words) as problem:
                ingested(project, tmp_path / "a.log", OverWorkers(client), tmp_path / "r.tsv")
    assert "run the command again" in str(problem.value.remedy)
    assert not project.campaigns.exists()


@pytest.mark.slow
def test_an_error_on_a_worker_is_that_of_one_process(
    project: Project, tmp_path: Path, two_workers: Client
) -> None:
    (tmp_path / "a.log").write_text("one\n", "utf-8")
    (tmp_path / "campaign.yml").write_text("factors: {produkt: IBM MQ}\n", "utf-8")
    told = []
    for spread in (one_by_one, OverWorkers(two_workers)):
        with pytest.raises(RoundtripError, match="did you mean 'product'") as problem:
            ingested(project, tmp_path / "a.log", spread, tmp_path / "r.tsv")
        told.append(str(problem.value))
    assert told[0] == told[1]


@pytest.mark.thorough
@pytest.mark.slow
def test_the_command_reads_with_workers_of_its_own_and_of_a_scheduler(
    project: Project, two_workers: Client
) -> None:
    plain = answer("ingest", str(SAMPLES), project=project)
    for place in ("1", two_workers.scheduler.address):
        over = roundtrip("ingest", str(SAMPLES), "--workers", place, project=project)
        assert (over.stdout, over.stderr) == (plain.stdout, ""), place


@pytest.mark.slow
def test_a_worker_with_other_code_is_refused_before_any_work(
    project: Project, tmp_path: Path
) -> None:
    other = tmp_path / "other" / "roundtrip"
    shutil.copytree(ROOT / "src" / "roundtrip", other, ignore=shutil.ignore_patterns("__pycache__"))
    with (other / "ingest" / "times.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    with (
        LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        address = cluster.scheduler_address
        empty = answer("ingest", str(SAMPLES), "--workers", address, project=project)
        assert "has no workers" in empty.stderr
        assert f"dask worker {address}" in empty.stderr
        worker = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny",
             "--no-dashboard", "--host", "127.0.0.1", "--local-directory", str(tmp_path)],
            env=os.environ | {"PYTHONPATH": str(other.parent)}, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            client.wait_for_workers(1)
            refused = answer("ingest", str(SAMPLES), "--workers", address, project=project)
        finally:
            worker.kill()
            worker.wait()
    assert refused.returncode == 1
    assert "workers differ: tcp://127.0.0.1:" in refused.stderr
    assert "code of roundtrip" in refused.stderr
    assert "remedy: start the workers from an environment" in refused.stderr


OTHER_SCHEDULER = """
import importlib.metadata as metadata
own = metadata.version
metadata.version = lambda name: "2020.1.0" if name == "distributed" else own(name)
from distributed.cli.dask_scheduler import main
main()
"""


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Mismatched versions")
def test_a_scheduler_of_another_version_is_refused(project: Project, tmp_path: Path) -> None:
    command = [sys.executable, "-c", OTHER_SCHEDULER, "--host", "127.0.0.1", "--port", "0",
               "--no-dashboard"]  # fmt: skip
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as scheduler:
        try:
            lines = iter(scheduler.stderr or [])
            found = next(
                match for line in lines if (match := re.search(r"Scheduler at: +(\S+)", line))
            )
            said = answer("ingest", str(SAMPLES), "--workers", found[1], project=project)
        finally:
            scheduler.kill()
    assert said.returncode == 1
    words = f"the scheduler at {found[1]} differs: distributed 2020.1.0 instead of"
    assert words in said.stderr
    assert "remedy: start it from an environment made of the same lock file" in said.stderr


@pytest.mark.parametrize("place", ["0", "-1", "1001", "many", "http://a:1", "tcp://a"])
def test_what_names_no_workers_is_refused(place: str, project: Project) -> None:
    refused = answer("ingest", str(SAMPLES), f"--workers={place}", project=project)
    assert refused.returncode == 1
    assert "neither a number of workers nor the address of a scheduler" in refused.stderr
    assert "allowed: 1 to 1000, tcp://HOST:PORT" in refused.stderr


def test_a_scheduler_that_does_not_answer_is_refused() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        place = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ParameterError, match="no scheduler of Dask answers"), workers(place):
            pass


def test_without_dask_the_command_says_how_to_install_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = answer("ingest", str(SAMPLES), "--workers", "2", project=project)
    assert said.returncode == 1
    assert "pip install 'roundtrip[hosts]'" in said.stderr


@pytest.mark.slow
def test_dask_is_imported_only_when_it_is_asked_for(project: Project) -> None:
    code = (
        "import sys; from roundtrip.cli import main; import roundtrip.publish.pipeline\n"
        "try: main()\nexcept SystemExit as end: assert not end.code\n"
        "parts = {name.split('.')[0] for name in sys.modules}\n"
        "sys.exit(str(parts & {'dask', 'distributed', 'roundtrip'}))"
    )
    logs = str(SAMPLES / "mq-cph")
    command = [sys.executable, "-c", code, "--project", str(project.root), "ingest", logs]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stderr.strip() == "{'roundtrip'}"
    package = ROOT / "src" / "roundtrip"
    for path in package.rglob("*.py"):
        names = {
            name.split(".")[0]
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in [getattr(node, "module", "") or "", *(found.name for found in node.names)]
        }
        if names & {"dask", "distributed"}:
            assert path.is_relative_to(package / "hosts"), path
