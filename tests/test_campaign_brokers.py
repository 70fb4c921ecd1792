"""Six short runs against real brokers, all with one command that is killed and goes on.

Every socket that listens meanwhile is looked at. ``make test-all`` has more of it: brokers
that somebody else runs, and what they refuse.
"""

from __future__ import annotations

import ipaddress
import json
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml

from campaigns import (
    FAST,
    ONE,
    add_factor,
    foreign_broker,
    process_of,
    results,
    running,
    smoke_project,
    start,
)
from conftest import made_once
from roundtrip.campaign.derive import summarise
from roundtrip.campaign.manifest import Manifest, load_manifest
from roundtrip.campaign.raw import read_raw
from roundtrip.dictionary import load_dictionary
from roundtrip.methodology.raw_checks import not_from_raw, rows_by_run
from roundtrip.project import Project
from roundtrip.sources.measured import read_campaign
from workshop import environment, read_yaml, refused, roundtrip, until, write_yaml

SUITE = "ECDHE_ECDSA_AES_256_GCM_SHA384"
CLASSIC = "Apache ActiveMQ Classic"
VARIANTS = {
    "TLS": {"tls_cipher": [SUITE]},
    "delayed": {
        "link": ["proxy"],
        "link_rtt_ms": [4],
        "prefetch_size": [65536],
        "queue_limit": [1048576],
        "event_loops": [1],
    },
    "Classic": {"product": [CLASSIC]},
}
SET_BY = {
    "prefetch_size": {"url_option": "consumerWindowSize"},
    "queue_limit": {"broker_setting": "address.max_size_bytes"},
    "event_loops": {"client_property": "io.netty.eventLoopThreads"},
}
"""What parts of one plan ask for, beside the two deliveries of another and a failover."""


class Sockets(threading.Thread):
    """Looks at every socket of this process and all that it has started, until it is stopped."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.listening: dict[str, set[str]] = {}
        self._stop_asked = threading.Event()

    def run(self) -> None:
        while not self._stop_asked.wait(0.5):
            for process in psutil.Process().children(recursive=True):
                try:
                    words, found = process.cmdline(), process.net_connections(kind="inet")
                except psutil.Error:
                    continue
                part = next((word for word in words if word in ("broker", "proxy", "drive")), "")
                for one in found:
                    # A datagram socket with a peer, such as a look-up of a name, hears only that.
                    waits = one.status in (psutil.CONN_LISTEN, psutil.CONN_NONE) and not one.raddr
                    if waits and one.laddr:
                        self.listening.setdefault(one.laddr.ip, set()).add(part)

    def stop(self) -> dict[str, set[str]]:
        """Give the addresses that were listened at, each with the parts of the harness."""
        self._stop_asked.set()
        self.join()
        return self.listening


def is_loopback(address: str) -> bool:
    found = ipaddress.ip_address(address)
    mapped = getattr(found, "ipv4_mapped", None)
    return (mapped or found).is_loopback


def measure(folder: Path, jar: Path) -> None:
    """Run the plans; the runner is killed in the second run and called again."""
    sockets = Sockets()
    sockets.start()
    project = smoke_project(folder / "project", jar, "base", "failover")
    plans = project.params / "campaigns"
    base = yaml.safe_load((plans / "base.yml").read_text())
    base["profiles"]["smoke"]["parts"] = [
        {"delivery": ["nonpersistent"], "requesters": [2], **part} for part in VARIANTS.values()
    ]
    (plans / "variants.yml").write_text(yaml.safe_dump({**base, "set_by": SET_BY}))
    for name in SET_BY:
        add_factor(project, name)
    first = start(project, *FAST)
    raw = results(project) / "raw"
    until(lambda: list(raw.glob("*.zst")), first)
    until(lambda: list(raw.glob("*.part")), first)
    first.send_signal(signal.SIGKILL)
    first.wait()
    until(lambda: not running(project))
    for plan, options in (("base", FAST), ("variants", FAST), ("failover", ())):
        done = roundtrip("run", plan, "--profile", "smoke", *options, project=project)
        assert done.returncode == 0, done.stderr
    assert not running(project)
    found = {address: sorted(parts) for address, parts in sockets.stop().items()}
    (folder / "sockets.json").write_text(json.dumps(found))


@pytest.fixture(scope="session")
def measured(jar: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = made_once(tmp_path_factory, "campaigns", lambda folder: measure(folder, jar))
    return Project(folder / "project")


def of_plan(project: Project, plan: str) -> tuple[Path, Manifest]:
    folder = project.cache / "smoke" / f"{plan}-smoke"
    return folder, load_manifest(folder)


def test_campaign_that_was_killed_goes_on(measured: Project) -> None:
    _, manifest = of_plan(measured, "base")
    assert manifest.state == "complete"
    assert len(manifest.sessions) == 2
    # An attempt in which a busy machine answered nothing is tried again, and is none of these.
    killed = [entry for entry in manifest.failed if ".interrupted-" in entry.raw]
    assert [entry.raw for entry in killed] == [f"{killed[0].run}.interrupted-1.ndjson.zst"]


def test_both_deliveries_are_measured_and_configured(measured: Project) -> None:
    folder, manifest = of_plan(measured, "base")
    assert manifest.product == "Apache Artemis"
    assert sorted(c.effective["persistent"] for c in manifest.configurations) == [False, True]
    journal = next(c for c in manifest.configurations if c.effective["persistent"])
    assert journal.effective["journal"]["type"] == "NIO"
    rows = read_campaign(folder, load_dictionary(measured.dictionary), measured.root)
    for delivery in ("persistent", "nonpersistent"):
        (raw,) = (
            path
            for path in (folder / "raw").glob(f"{delivery}-*.ndjson.zst")
            if path.name.count(".") == 2  # neither interrupted nor failed
        )
        own = {
            (row["metric"], row["statistic"]): row for row in rows if row["delivery"] == delivery
        }
        rate, mean = (own[m, "mean"] for m in ("round_trip_rate", "round_trip_time"))
        assert rate["value"] == pytest.approx(summarise(raw).rate, rel=1e-5)
        assert rate["source_kind"] == "measured"
        assert rate["message_bytes"] == 256
        assert mean["value"] <= own["round_trip_time", "maximum"]["value"]
        # On a busy machine a part as short as this may hold no two samples, hence no share.
        samples = [line.record for line in read_raw(raw) if line.event == "sample"]
        assert samples[-1]["processes"]["broker"]["cpu_s"] > 0
        # Requesters end before their responder does: each of their requests has its reply.
        ends = [line.record for line in read_raw(raw) if line.event == "end"]
        assert [end["id"] for end in ends] == ["requester-1", "responder-1"]
        counts = ends[0]["whole_run"]
        assert counts["sent"] == counts["received"] > 0


def test_neither_machine_nor_folder_is_disclosed(measured: Project) -> None:
    folder, _ = of_plan(measured, "base")
    text = "".join((folder / name).read_text() for name in ("manifest.yml", "points.csv"))
    for path in folder.glob("raw/*"):
        text += "".join(line.text + json.dumps(line.record) for line in read_raw(path))
    assert str(measured.root) not in text
    host = socket.gethostname()
    assert len(host) < 4 or host not in text.replace(f"{host}-", "")


def test_variants_are_what_they_were_asked_to_be(measured: Project) -> None:
    folder, manifest = of_plan(measured, "variants")
    assert manifest.state == "complete"
    assert len(manifest.runs) == 3
    runs = {entry.run: folder / "raw" / f"{entry.run}.ndjson.zst" for entry in manifest.runs}
    of = {name: summarise(path) for name, path in runs.items()}
    tls = next(path for name, path in runs.items() if of[name].run["factors"].get("tls_cipher"))
    negotiated = {
        line.record["encryption"]["cipher_suite"]
        for line in read_raw(tls)
        if line.event == "connected"
    }
    assert negotiated == {f"TLS_{SUITE.replace('ECDSA_', 'ECDSA_WITH_')}"}
    (delayed,) = (s for s in of.values() if s.run["factors"].get("link_rtt_ms") == 4)
    assert delayed.values["link_round_trip_time", "p50"] >= 4
    # On a busy machine too few round trips are made for a percentile.
    assert delayed.values["round_trip_time", "mean"] >= 4
    # Factors of the project's own are in effect, and columns of the points like any other.
    assert delayed.effective["address"]["maxSizeBytes"] == 1048576
    starts = [
        json.dumps(line.record)
        for line in read_raw(runs[delayed.run["key"]])
        if line.event == "start"
    ]
    assert len(starts) == 2
    assert all("consumerWindowSize=65536" in text for text in starts)
    rows = read_campaign(folder, load_dictionary(measured.dictionary), measured.root)
    assert {row.get("prefetch_size") for row in rows} == {None, 65536}
    (classic,) = (s for s in of.values() if s.run["factors"].get("product") == CLASSIC)
    assert classic.effective["classic"]
    assert classic.rate


def test_backup_takes_over_and_nothing_is_lost(measured: Project) -> None:
    folder, manifest = of_plan(measured, "failover")
    assert manifest.state == "complete"
    values = summarise(folder / "raw" / f"{manifest.runs[0].run}.ndjson.zst").values
    assert values["takeover_time", "single"] > 0
    assert values["messages_sent", "total"] > 0
    assert values["messages_lost", "total"] == 0


def test_everything_listens_on_the_loopback_interface_only(
    measured: Project,
) -> None:
    found = json.loads((measured.root.parent / "sockets.json").read_text())
    assert {"broker", "proxy"} <= set().union(*found.values())
    assert {address: parts for address, parts in found.items() if not is_loopback(address)} == {}


@pytest.fixture
def project(tmp_path: Path, jar: Path) -> Iterator[Project]:
    project = smoke_project(tmp_path, jar)
    yield project
    assert not running(project)


@pytest.mark.thorough
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
    text = refused(wrong, "ended with status 1", "Unable to validate user")
    assert "wrong-secret" not in text
    assert "alice" not in text
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


@pytest.mark.thorough
def test_runs_take_turns_on_brokers_that_are_running(project: Project, jar: Path) -> None:
    path = project.params / "campaigns" / "base.yml"
    content = read_yaml(path)
    content["factors"]["product_version"] = ["3.1", "3.2"]
    content["system"] = {"product": "Acme Broker"}
    content["control"] = None
    folders = [project.root / name for name in ("one", "two")]
    with (
        foreign_broker(folders[0], jar) as first, foreign_broker(folders[1], jar, amqp=True) as two
    ):  # fmt: skip
        urls = {"3.1": first, "3.2": two}
        content["set_by"] = {"product_version": {"broker_url": urls}}
        write_yaml(path, content)
        done = roundtrip("run", "base", "--profile", "smoke", *ONE, project=project)
    assert done.returncode == 0, done.stderr
    manifest = load_manifest(results(project))
    assert (manifest.product, manifest.broker_restarted) == ("Acme Broker", False)
    for raw in (results(project) / "raw").iterdir():
        level = str(summarise(raw).run["factors"]["product_version"])
        used = {line.record["options"]["url"] for line in read_raw(raw) if line.event == "start"}
        assert used == {urls[level]}
    rows = read_campaign(results(project), load_dictionary(project.dictionary), project.root)
    assert {row["product_version"] for row in rows} == {*urls}
    assert {row["product"] for row in rows} == {"Acme Broker"}
    edited = manifest.model_dump()
    edited["plan"]["set_by"]["product_version"]["broker_url"] = {"3.1": two, "3.2": first}
    kept, entry = rows_by_run(results(project)), manifest.runs[0]
    summary = summarise(results(project) / "raw" / entry.raw)
    held = (entry, kept[entry.run], summary)
    assert not_from_raw(*held, manifest) == []
    (wrong,) = not_from_raw(*held, Manifest(**edited))
    assert wrong.startswith("the broker of product_version 3.")


def free_port() -> int:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        return int(closed.getsockname()[1])


@pytest.mark.thorough
def test_a_campaign_waits_for_a_running_broker_that_is_not_there(
    project: Project, jar: Path
) -> None:
    path = project.params / "campaigns" / "base.yml"
    content = read_yaml(path)
    port = free_port()
    content["factors"]["product_version"] = ["3.1", "3.2"]
    content["system"], content["control"] = {"product": "Acme Broker"}, None
    command = ["run", "base", "--profile", "smoke", *ONE, "-p", "attempts", "1"]
    command += ["-p", "measure_seconds", "5"]  # on a busy machine, none may be complete after one
    with foreign_broker(project.root / "one", jar) as first:
        urls = {"3.1": first, "3.2": f"tcp://127.0.0.1:{port}"}
        content["set_by"] = {"product_version": {"broker_url": urls}}
        write_yaml(path, content)
        for _ in range(3):
            refused(
                roundtrip(*command, project=project),
                f"product_version 3.2, tcp://127.0.0.1:{port}: ", "see that the broker listens",
            )  # fmt: skip
        with foreign_broker(project.root / "two", jar, port=port):
            done = roundtrip(*command, project=project)
    assert done.returncode == 0, done.stderr
    manifest = load_manifest(results(project))
    assert manifest.state == "complete"
    assert len(manifest.runs) == 2
    assert all(entry.interrupted for entry in manifest.failed)
    assert "never succeeded" not in done.stdout


@pytest.mark.thorough
@pytest.mark.parametrize("amqp", [False, True])
def test_a_run_whose_running_broker_is_killed_is_repeated(
    project: Project, jar: Path, amqp: bool
) -> None:
    port = free_port()
    at: dict[str, Any] = {"amqp": amqp, "port": port}
    options = [*ONE, "-p", "requesters", "[1, 2]", "-p", "measure_seconds", "4",
               "-p", "attempts", "1"]  # fmt: skip
    known = {process.pid for process in psutil.Process().children()}
    with foreign_broker(project.root / "one", jar, **at) as url:
        (broker,) = (one for one in psutil.Process().children() if one.pid not in known)
        process = start(project, *options, "--broker", url)
        raw = results(project) / "raw"
        first = until(lambda: process_of(project, "requester-1"), process)
        until(lambda: list(raw.glob("*.zst")), process)

        def second_is_connected() -> bool:
            pid = process_of(project, "requester-1")
            if pid in (None, first):
                return False
            ports = [one.raddr.port for one in psutil.Process(pid).net_connections() if one.raddr]
            return port in ports

        until(second_is_connected, process)
        time.sleep(2)
        broker.kill()
        _, said = process.communicate()
    assert process.returncode == 1
    assert f"{url}: requester-1 cannot go on: " in said or f"{url}: responder-1" in said
    assert len(load_manifest(results(project)).runs) == 1
    with foreign_broker(project.root / "two", jar, **at) as again:
        assert again == url
        done = roundtrip("run", "base", "--profile", "smoke", *options, "--broker", url,
                         project=project)  # fmt: skip
    assert done.returncode == 0, done.stderr
    manifest = load_manifest(results(project))
    assert (manifest.state, len(manifest.runs)) == ("complete", 2)
    assert [entry.interrupted for entry in manifest.failed] == [True]


@pytest.mark.thorough
def test_target_rate_is_not_exceeded_over_amqp(project: Project, jar: Path) -> None:
    with foreign_broker(project.root, jar, amqp=True) as address:
        done = roundtrip(
            "run", "base", "--profile", "smoke", *ONE, "-p", "target_rate", "100",
            "-p", "measure_seconds", "2", "--broker", address, project=project,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert address.startswith("amqp://")
    (raw,) = (results(project) / "raw").iterdir()
    # A busy machine may give less than was asked for, but never more is sent than was due by then.
    (end,) = (line.record for line in read_raw(raw) if line.event == "end"
              and line.source == "requester-1")  # fmt: skip
    assert 0 < end["whole_run"]["sent"] <= 100 * end["elapsed_s"] + 2
    values = summarise(raw).values
    assert values["round_trip_rate", "mean"] > 0
    # From the intended start: waiting for its turn belongs to the time of a round trip.
    # Percentiles need more round trips than a busy machine may give.
    assert 0 < values["round_trip_time", "mean"] <= values["round_trip_time", "maximum"]
    assert summarise(raw).run["factors"]["target_rate"] == 100


@pytest.mark.thorough
def test_queue_manager_that_is_not_there_is_refused_with_its_reason_code(project: Project) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        done = roundtrip(
            "run", "base", "--profile", "smoke", *ONE,
            "--broker", f"ibmmq://127.0.0.1:{port}/QM1?channel=DEV.APP.SVRCONN", project=project,
        )  # fmt: skip
    refused(done, "ended with status 1", "reason code 2538", "ROUNDTRIP_PASSWORD")


@pytest.mark.thorough
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
    assert not results(project).exists()


@pytest.mark.thorough
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
