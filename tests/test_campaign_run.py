"""Campaigns against a real broker: measured, killed, resumed, refused; nothing is left running."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from roundtrip.campaign.derive import summarise
from roundtrip.campaign.manifest import load_manifest
from roundtrip.campaign.raw import read_raw
from roundtrip.harness_build import JAR
from roundtrip.observations import load_observations
from roundtrip.project import Project
from workshop import ROOT, environment, refused, roundtrip

FAST = [
    "-p", "interval_seconds", "0.1", "-p", "measure_seconds", "0.5",
    "-p", "warm_up", "{least_seconds: 0.4, most_seconds: 0.6, window: 3, scatter: 1, drift: 1}",
    "-p", "message_bytes", "256", "-p", "least_free_mb", "1",
]  # fmt: skip
ONE = [*FAST, "-p", "delivery", "nonpersistent"]


@pytest.fixture
def project(tmp_path: Path, jar: Path) -> Iterator[Project]:
    """Give a project that can measure, and see that nothing runs when the test is over."""
    for name in ("_quarto.yml", "data/dictionary.yml", "params/campaigns/base.yml"):
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    # A path of its own makes the processes of this test findable.
    (tmp_path / "harness").mkdir()
    (tmp_path / "harness" / "target").symlink_to(jar.parent)
    project = Project(tmp_path)
    yield project
    left = running(project)
    for process in left:
        process.kill()
    assert not left


def running(project: Project) -> list[psutil.Process]:
    """Give the Java processes of a project's campaigns."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if any(str(project.root / JAR) == word for word in words):
            found.append(process)
    return found


def until(true: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait for something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = true()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not come")


def start(project: Project, *arguments: str) -> subprocess.Popen[str]:
    """Start a campaign without waiting for it."""
    return subprocess.Popen(
        [sys.executable, "-m", "roundtrip", "--project", str(project.root), "run", "base",
         "--profile", "smoke", *arguments],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def noted(project: Project, name: str) -> int | None:
    """Give the id of a process that the runner has noted."""
    try:
        note = json.loads((project.cache / "campaigns" / "processes.json").read_text())
    except (OSError, ValueError):
        return None
    return note[name]["pid"] if name in note else None


def results(project: Project) -> Path:
    return project.cache / "smoke" / "base-smoke"


def test_campaign_measures_and_its_points_become_observations(project: Project) -> None:
    folder = project.campaigns / "base-smoke"
    done = roundtrip(
        "run", "base", "--profile", "smoke", "--output", str(folder), *FAST, project=project
    )
    assert done.returncode == 0, done.stderr
    manifest = load_manifest(folder)
    assert manifest.state == "complete"
    # Where real time is permitted, the class is part of the names.
    assert sorted(entry.run.partition("-")[0] for entry in manifest.runs) == [
        "nonpersistent", "persistent",
    ]  # fmt: skip
    assert manifest.product == "Apache Artemis"
    assert [c.effective["persistent"] for c in manifest.configurations] in (
        [False, True],
        [True, False],
    )
    journal = next(c for c in manifest.configurations if c.effective["persistent"])
    assert journal.effective["journal"]["type"] == "NIO"
    # Neither the machine's name nor where the project lies is disclosed.
    written = [folder / "manifest.yml", folder / "points.csv"]
    text = "".join(path.read_text() for path in written)
    for path in folder.glob("raw/*"):
        text += "".join(line.text + json.dumps(line.record) for line in read_raw(path))
    assert str(project.root) not in text
    assert (
        socket.gethostname() not in text.replace(socket.gethostname() + "-", "")
        or len(socket.gethostname()) < 4
    )
    (project.published / "none").mkdir(parents=True)
    observations = _observations_of(project)
    rate = observations[(observations["metric"] == "round_trip_rate")].set_index("delivery")
    for delivery in ("persistent", "nonpersistent"):
        raw = next((folder / "raw").glob(f"{delivery}-*.ndjson.zst"))
        assert rate.loc[delivery, "value"] == pytest.approx(summarise(raw).rate, rel=1e-5)
        # Requesters end before their responder does: each of their requests has its reply.
        ends = [line.record or {} for line in read_raw(raw) if line.event == "end"]
        assert [end["id"] for end in ends] == ["requester-1", "responder-1"]
        counts = ends[0]["whole_run"]
        assert counts["sent"] == counts["received"] > 0
        assert rate.loc[delivery, "source_kind"] == "measured"
        assert rate.loc[delivery, "message_bytes"] == 256
    times = observations[observations["metric"] == "round_trip_time"]
    by = times.pivot_table(index="delivery", columns="statistic", values="value")
    assert (by["mean"] <= by["maximum"]).all()
    # Two requesters in a closed loop: rate times mean time is close to two.
    for delivery in by.index:
        busy = rate.loc[delivery, "value"] * by.loc[delivery, "mean"] / 1000
        assert 1.5 < busy < 2.3
    cpu = observations[observations["metric"] == "broker_cpu"]["value"]
    assert (cpu > 0).all()
    again = roundtrip(
        "run", "base", "--profile", "smoke", "--output", str(folder), *FAST, project=project
    )
    assert "nothing to do" in again.stdout
    other = roundtrip(
        "run", "base", "--profile", "smoke", "--output", str(folder), *ONE, project=project
    )
    refused(other, "results of another plan", "--fresh")


def _observations_of(project: Project) -> Any:
    """Read the campaign into the tidy table, with one published report beside it."""
    import shutil

    shutil.rmtree(project.published)
    name = "mqseries-vs-msmq"
    shutil.copytree(ROOT / "data" / "published" / name, project.published / name)
    frame = load_observations(project).frame
    return frame[frame["source_kind"] == "measured"]


def test_killed_runner_leaves_nothing_running_and_goes_on(project: Project) -> None:
    arguments = [*FAST, "-p", "requesters", "[1, 2]"]
    first = start(project, *arguments)
    raw = results(project) / "raw"
    finished = until(lambda: [p for p in raw.glob("*.zst") if "." not in p.stem.split(".ndj")[0]])
    until(lambda: list(raw.glob("*.part")) and noted(project, "requester-1"))
    first.send_signal(signal.SIGKILL)
    first.wait()
    until(lambda: not running(project), 20)
    before = {path: path.read_bytes() for path in finished}
    in_hand = next(raw.glob("*.part")).name.split(".ndjson")[0]
    done = roundtrip("run", "base", "--profile", "smoke", *arguments, project=project)
    assert done.returncode == 0, done.stderr
    assert f"{in_hand} was in hand" in done.stderr
    manifest = load_manifest(results(project))
    assert manifest.state == "complete"
    assert len(manifest.runs) == 4
    assert [entry.raw for entry in manifest.failed] == [f"{in_hand}.interrupted-1.ndjson.zst"]
    assert summarise(raw / f"{in_hand}.interrupted-1.ndjson.zst").run["key"] == in_hand
    assert {path: path.read_bytes() for path in before} == before
    assert len(manifest.sessions) == 2
    assert manifest.sessions[0].ended is None


@pytest.mark.parametrize("victim", ["requester-1", "broker"])
def test_killed_driver_or_broker_costs_one_attempt(project: Project, victim: str) -> None:
    # Long enough to be killed in it, also on a busy machine.
    campaign = start(project, *ONE, "-p", "measure_seconds", "3")
    raw = results(project) / "raw"
    until(lambda: noted(project, "requester-1"))
    time.sleep(0.5)
    pid = noted(project, victim)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    out, err = campaign.communicate(timeout=90)
    assert campaign.returncode == 0, out + err
    assert "1 attempt broke off" in out
    manifest = load_manifest(results(project))
    assert [entry.attempt for entry in manifest.runs] == [2]
    assert manifest.failed[0].raw == "nonpersistent-256b-c2-r1.failed-1.ndjson.zst"
    assert f"{victim} ended with status -9" in manifest.failed[0].reason
    assert summarise(raw / manifest.failed[0].raw).reason


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_keeps_what_was_measured(project: Project, number: signal.Signals) -> None:
    campaign = start(project, *FAST, "-p", "requesters", "[1, 2, 3]")
    raw = results(project) / "raw"
    until(lambda: list(raw.glob("*-r1.ndjson.zst")))
    campaign.send_signal(number)
    _, err = campaign.communicate(timeout=60)
    assert campaign.returncode == 130, err
    manifest = load_manifest(results(project))
    assert manifest.state == "stopped"
    assert manifest.why_stopped == "interrupted"
    assert len(manifest.runs) >= 1
    assert manifest.left_out
    assert (results(project) / "points.csv").stat().st_size > 500


def test_fresh_campaign_replaces_the_old_one_only_when_complete(project: Project) -> None:
    folder = results(project)
    assert roundtrip("run", "base", "--profile", "smoke", *ONE, project=project).returncode == 0
    old = (folder / "points.csv").read_bytes()
    second = start(project, *ONE, "--fresh")
    until(lambda: noted(project, "broker"))
    second.kill()
    second.wait()
    assert (folder / "points.csv").read_bytes() == old
    done = roundtrip("run", "base", "--profile", "smoke", *ONE, "--fresh", project=project)
    assert done.returncode == 0, done.stderr
    assert (folder / "points.csv").read_bytes() != old
    assert [path.name for path in folder.parent.iterdir()] == ["base-smoke"]


def test_port_in_use_is_refused_with_the_reason(project: Project) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = roundtrip(
            "run", "base", "--profile", "smoke", *ONE, "-p", "broker.port", port, project=project
        )
    refused(done, "did not start", port)
    assert load_manifest(results(project)).state == "stopped"


def test_journal_that_cannot_be_written_is_refused(project: Project) -> None:
    blocked = project.root / "blocked"
    blocked.write_text("a file where the folder should be")
    done = roundtrip(
        "run", "base", "--profile", "smoke", *FAST, "-p", "delivery", "persistent",
        "-p", "broker.journal_path", str(blocked), project=project,
    )  # fmt: skip
    refused(done, "could not write", "blocked")


def test_nearly_full_disk_is_refused_before_a_run(project: Project) -> None:
    done = roundtrip(
        "run", "base", "--profile", "smoke", *ONE, "-p", "least_free_mb", "999999999",
        project=project,
    )  # fmt: skip
    refused(done, "the disk is nearly full", "run the command again to go on")


def test_of_several_campaigns_one_that_stops_does_not_cost_the_others(project: Project) -> None:
    plans = project.params / "campaigns"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        plan = (plans / "base.yml").read_text()
        wrong = plan.replace(
            "broker: &quick_compiler {", f"broker: &quick_compiler {{port: {port}, "
        )
        assert wrong != plan
        (plans / "another.yml").write_text(wrong)
        done = roundtrip("run", "--all", "--profile", "smoke", *ONE, project=project)
    text = refused(done, "1 of 2 campaigns stopped: another", "go on with them")
    assert "another stopped: " in text
    assert f"port {port}" in text
    assert "together" in done.stdout
    assert load_manifest(results(project)).state == "complete"


def test_campaigns_are_named_or_all_of_them_run(project: Project) -> None:
    refused(roundtrip("run", project=project), "name the campaigns", "--all", "base")
    refused(roundtrip("run", "base", "--all", project=project), "name the campaigns")


def test_second_runner_is_refused(project: Project) -> None:
    first = start(project, *ONE, "-p", "measure_seconds", "60")
    until(lambda: noted(project, "broker"))
    done = roundtrip("run", "base", "--profile", "smoke", *ONE, project=project)
    refused(done, "another process is at work here")
    first.send_signal(signal.SIGINT)
    first.communicate(timeout=60)
    assert first.returncode == 130


def test_missing_java_and_missing_jar_are_named(project: Project) -> None:
    done = roundtrip(
        "run", "base", "--profile", "smoke", project=project, env=environment(PATH="/nowhere")
    )
    refused(done, "Java is not on PATH", "everything else works without")
    (project.root / "harness" / "target").unlink()
    refused(
        roundtrip("run", "base", "--profile", "smoke", project=project),
        "the load driver is not built", "make harness",
    )  # fmt: skip


@contextmanager
def foreign_broker(folder: Path, jar: Path, **config: Any) -> Iterator[str]:
    """Start a broker that somebody else runs; give its address."""
    process = subprocess.Popen(
        ["java", "-jar", str(jar), "broker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, env={**os.environ, "BROKER_PASSWORD": "right-secret"},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    content = {"data": str(folder / "foreign"), "persistent": False, **config}
    process.stdin.write(json.dumps(content) + "\n")
    process.stdin.flush()
    ready = json.loads(process.stdout.readline())
    assert ready["event"] == "ready", ready
    yield str(ready["amqp_url" if config.get("amqp") else "url"])
    process.stdin.close()
    assert process.wait(30) == 0


def test_external_broker_is_measured_and_a_wrong_password_refused(
    project: Project, jar: Path
) -> None:
    security = {"user": "alice", "password_env": "BROKER_PASSWORD"}
    with foreign_broker(project.root, jar, security=security) as address:
        _wrong_and_right_password(project, address)


def _wrong_and_right_password(project: Project, secured: str) -> None:
    command = ["run", "base", "--profile", "smoke", *ONE, "--broker", secured]
    wrong = roundtrip(
        *command, project=project,
        env=environment(ROUNDTRIP_USER="alice", ROUNDTRIP_PASSWORD="wrong-secret"),
    )  # fmt: skip
    text = refused(wrong, "ended with status 1", "alice")
    assert "wrong-secret" not in text
    kept = b"".join(path.read_bytes() for path in results(project).rglob("*") if path.is_file())
    assert b"wrong-secret" not in kept
    secret = project.root / "password"
    secret.write_text("right-secret\n")
    done = roundtrip(
        *command, project=project,
        env=environment(ROUNDTRIP_USER="alice", ROUNDTRIP_PASSWORD_FILE=str(secret)),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    manifest = load_manifest(results(project))
    assert not manifest.broker_restarted
    assert manifest.broker.startswith("broker at tcp://")
    assert summarise(results(project) / "raw" / "nonpersistent-256b-c2-r1.ndjson.zst").rate


def test_target_rate_is_kept_over_amqp(project: Project, jar: Path) -> None:
    with foreign_broker(project.root, jar, amqp=True) as address:
        done = roundtrip(
            "run", "base", "--profile", "smoke", *ONE, "-p", "target_rate", "100",
            "-p", "measure_seconds", "2", "--broker", address, project=project,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert address.startswith("amqp://")
    (raw,) = (results(project) / "raw").iterdir()
    values = summarise(raw).values
    assert values["round_trip_rate", "mean"] == pytest.approx(100, rel=0.1)
    # From the intended start: waiting for its turn belongs to the time of a round trip.
    assert 0 < values["round_trip_time", "p50"] <= values["round_trip_time", "p90"]
    assert summarise(raw).run["factors"]["target_rate"] == 100


def test_queue_manager_that_is_not_there_is_refused_with_its_reason_code(project: Project) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        done = roundtrip(
            "run", "base", "--profile", "smoke", *ONE,
            "--broker", f"ibmmq://127.0.0.1:{port}/QM1?channel=DEV.APP.SVRCONN", project=project,
        )  # fmt: skip
    refused(done, "ended with status 1", "reason code 2538", "ROUNDTRIP_PASSWORD")


def test_refused_tls_handshake_is_explained(project: Project, jar: Path) -> None:
    store = project.root / "keys.p12"
    subprocess.run(
        ["keytool", "-genkeypair", "-alias", "broker", "-keyalg", "EC", "-dname", "CN=localhost",
         "-keystore", str(store), "-storetype", "PKCS12", "-storepass", "right-secret"],
        check=True, capture_output=True,
    )  # fmt: skip
    tls = {"keystore": str(store), "keystore_password_env": "BROKER_PASSWORD"}
    with foreign_broker(project.root, jar, tls=tls) as address:
        done = roundtrip(
            "run", "base", "--profile", "smoke", *ONE, "--broker", address, project=project
        )
    refused(done, "ended with status 1", "Cannot connect", "TLS settings")
    assert load_manifest(results(project)).state == "stopped"


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("artemi", "did you mean 'artemis'"),
        ("http://host:1", "unknown scheme 'http'"),
        ("tcp://bob:pw@host:61616", "holds a user or a password"),
        ("tcp://host:1?password=pw", "holds a user or a password"),
        ("ibmmq://host:1414", "names queue manager and channel"),
        ("ibmmq://host:1414/QM1?chanel=X", "did you mean 'channel'"),
    ],
)
def test_wrong_addresses_are_refused_without_repeating_secrets(
    project: Project, address: str, message: str
) -> None:
    done = roundtrip("run", "base", "--profile", "smoke", "--broker", address, project=project)
    text = refused(done, message)
    assert "pw" not in text
