"""``roundtrip run --hosts``: broker, requesters and responders on three hosts, some of them lost.

Brokers and drivers say what they said in a recorded run; ``make test-all`` has real ones, and a
link that is cut. Where namespaces are not permitted the hosts are addresses of this machine.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from campaigns import FAST, recorded_java, results, running, smoke_project
from lab import ROLES, Lab, laboratory
from made_campaign import NAME, SAMPLE, make_campaign
from roundtrip.campaign.derive import summarise
from roundtrip.campaign.harness import find_harness
from roundtrip.campaign.manifest import HostEntry, Manifest, Move, load_manifest, where_they_ran
from roundtrip.campaign.raw import SAMPLER_OF, RawFile, RawLine, on_one_clock, read_raw
from roundtrip.campaign.values import rate_of
from roundtrip.campaign.values.resources import values_of_hosts
from roundtrip.hosts.inventory import Inventory, load_inventory
from roundtrip.hosts.placed_broker import PlacedBroker
from roundtrip.hosts.placement import candidates_of
from roundtrip.hosts.station import SILENCE_S
from roundtrip.methodology.review import grade_of
from roundtrip.observations import load_observations
from roundtrip.project import Project
from workshop import answer, change_yaml, copy_project, environment, refused, until

MOVED = Move(role="requesters", lost="asking", host="answering")
NORMAL = ["-p", "scheduling_class", "normal", "-p", "delivery", "nonpersistent"]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, jar: Path) -> Iterator[Lab]:
    with laboratory(tmp_path_factory.mktemp("lab")) as made:
        yield made


@pytest.fixture
def java(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Give the Java of all hosts; a recorded one if the test asks for it."""
    if getattr(request, "param", "real") == "real":
        return "java"
    folder = recorded_java(tmp_path)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return str(folder / "java")


@pytest.fixture
def project(lab: Lab, java: str, tmp_path: Path, jar: Path) -> Iterator[Project]:
    """Give a project with three hosts; see that nothing runs there when the test is over."""
    project = smoke_project(tmp_path / "project", jar)
    for name in ROLES:
        (tmp_path / name).mkdir()
    lab.name(project, **{
        name: lab.host(number, role, folder=str(tmp_path / name), java=java)
        for number, (name, role) in enumerate(ROLES.items())
    })  # fmt: skip
    yield project
    left = [*running(project), *(one for name in ROLES for one in stations(tmp_path / name))]
    for process in left:
        process.kill()
    assert not left
    assert [path for name in ROLES for path in (tmp_path / name).iterdir()] == []


def stations(folder: Path) -> list[psutil.Process]:
    """Give the processes of stations, and of what they have started, for a host's folder."""
    found = [
        process for process in psutil.process_iter(["cmdline", "exe"])
        if "roundtrip.hosts.station" in (words := process.info["cmdline"] or [])
        and str(folder) in words
    ]  # fmt: skip
    children = []
    for one in found:
        with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
            children += one.children(recursive=True)
    return found + children


def begin(lab: Lab, project: Project, *words: str) -> subprocess.Popen[str]:
    command = lab.command(project, "run", "base", "--hosts", "--profile", "smoke", *FAST, *NORMAL)
    return subprocess.Popen(
        [*command, *words], env=environment(), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


RUNNER = {"runner", "runner-login"}
"""Processes that every host samples: what measures there."""


def heard(project: Project, host: str) -> bool:
    """Whether the run in hand has samples of what runs on a host."""
    return any(
        line.source == SAMPLER_OF + host and {*line.record["processes"]} > RUNNER
        for path in (results(project) / "raw").glob("*.part")
        for line in read_raw(path)
    )


def processes_beside(raw: Path) -> dict[str, set[str]]:
    """Give the processes of the load that each host sampled, beside what measures there."""
    found: dict[str, set[str]] = {}
    for line in read_raw(raw):
        if line.source.startswith(SAMPLER_OF):
            names = {*line.record["processes"]}
            assert names >= RUNNER
            found.setdefault(line.source.removeprefix(SAMPLER_OF), set()).update(names - RUNNER)
    return found


@pytest.mark.thorough
@pytest.mark.slow
def test_a_lost_host_costs_one_attempt(lab: Lab, project: Project, tmp_path: Path) -> None:
    # On a busy machine a driver may begin too late, which costs further ones.
    campaign = begin(lab, project, "-p", "measure_seconds", "2", "-p", "attempts", "10")
    until(lambda: heard(project, "asking"), campaign)
    stations(tmp_path / "asking")[0].kill()
    out, err = campaign.communicate()
    assert campaign.returncode == 0, out + err
    assert "failed" in out
    manifest = load_manifest(results(project))
    lost = [one for one in manifest.failed if "the host asking is lost" in one.reason]
    assert len(lost) == 1
    assert [entry.attempt for entry in manifest.runs] == [len(manifest.failed) + 1]

    assert [(one.name, *one.roles) for one in manifest.hosts] == [*ROLES.items()]
    assert {one.machine for one in manifest.hosts} == {1}, "namespaces are one machine"
    assert "separate addresses" in manifest.host["network"]
    raw = results(project) / "raw" / f"{manifest.runs[0].run}.ndjson.zst"
    summary = summarise(raw)
    for host in summary.hosts:
        assert host["least_ms"] <= 0 <= host["most_ms"], "it is the clock of this machine"
    assert {host["host"] for host in summary.hosts} == {*ROLES}
    assert summary.rate
    for metric in ("broker_cpu", "driver_cpu", "machine_cpu", "other_cpu", "broker_memory"):
        assert (metric, "mean") in summary.values
    texts = " ".join(f"{line.record}{line.text}" for line in read_raw(raw))
    for hidden in (*lab.addresses, str(tmp_path)):
        assert hidden not in texts + (results(project) / "manifest.yml").read_text("utf-8")


def ran_on_hosts(
    lab: Lab, project: Project, plan: str, roles: dict[str, list[str]], places: Path, *words: str
) -> tuple[Manifest, Path]:
    """Run a plan on hosts with some roles; give the manifest and the raw file of its first run.

    Raw file and manifest name no place of the hosts, and nothing is left on any of them.
    """
    for name in roles:
        (places / name).mkdir()
    lab.name(project, **{
        name: lab.host(number, *own, folder=str(places / name))
        for number, (name, own) in enumerate(roles.items())
    })  # fmt: skip
    done = subprocess.run(
        lab.command(project, "run", plan, "--hosts", "--profile", "smoke", *FAST, *words),
        env=environment(), text=True, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    folder = project.cache / "smoke" / f"{plan}-smoke"
    manifest = load_manifest(folder)
    assert {one.name: [*one.roles] for one in manifest.hosts} == roles
    raw = folder / "raw" / f"{manifest.runs[0].run}.ndjson.zst"
    texts = " ".join(f"{line.record}{line.text}" for line in read_raw(raw))
    for hidden in (*lab.addresses, str(places)):
        assert hidden not in texts + (folder / "manifest.yml").read_text("utf-8")
    assert not any(stations(places / name) for name in roles)
    assert [path for name in roles for path in (places / name).iterdir()] == []
    return manifest, raw


@pytest.mark.thorough
def test_a_pair_of_brokers_runs_on_two_hosts(lab: Lab, tmp_path: Path, jar: Path) -> None:
    project = smoke_project(tmp_path / "project", jar, "ha")
    roles = {"qm1": ["broker"], "qm2": ["standby"], "clients": ["requesters", "responders"]}
    manifest, raw = ran_on_hosts(
        lab, project, "ha", roles, tmp_path, "-p", "link_encrypted", "false"
    )
    [found] = manifest.configurations
    backup = found.effective["broker-backup"]["pair"]
    assert (backup["role"], backup["in_sync"], backup["active"]) == ("backup", True, False)
    assert found.effective["broker-primary"]["pair"]["active"]
    beside = processes_beside(raw)
    assert beside["qm1"] >= {"broker-primary", "link"}
    assert beside["qm2"] == {"broker-backup"}
    summary = summarise(raw)
    assert summary.values["link_round_trip_time", "p50"] > 1, "of the link, which delays by so much"
    assert summary.values["link_bytes", "mean"] > 256, "each message crosses it"
    assert {"broker_cpu", "backup_cpu", "link_cpu"} <= {name for name, _ in summary.values}


@pytest.mark.thorough
def test_drivers_are_spread_over_hosts(
    lab: Lab, java: str, project: Project, tmp_path: Path
) -> None:
    roles = {"qm1": ["broker"], "asking": ["requesters", "responders"],
             "answering": ["requesters", "responders"]}  # fmt: skip
    lab.name(project, spread={"requesters": 2, "responders": 2}, **{
        name: lab.host(number, *own, folder=str(tmp_path / name), java=java)
        for number, (name, own) in enumerate(roles.items())
    })  # fmt: skip
    campaign = begin(lab, project, "-p", "requesters", "[1, 3]", "-p", "attempts", "10")
    out, err = campaign.communicate()
    assert campaign.returncode == 0, out + err
    manifest = load_manifest(results(project))
    assert {one.name: [*one.roles] for one in manifest.hosts} == roles
    assert all(one.spare == () for one in manifest.hosts)
    drivers = {
        "c1": {"asking": {"responder-1", "requester-1"}, "answering": {"responder-2"}},
        "c3": {"asking": {"responder-1", "requester-1"},
               "answering": {"responder-2", "requester-2"}},
    }  # fmt: skip
    for run in manifest.runs:
        raw = results(project) / "raw" / f"{run.run}.ndjson.zst"
        expected = drivers[run.run.split("-")[-2]]
        assert processes_beside(raw) == {"qm1": {"broker"}, **expected}
        summary = summarise(raw)
        assert {one["host"]: set(one["roles"]) for one in summary.hosts} == {
            "qm1": {"broker"},
            **{host: {name.split("-")[0] + "s" for name in names}
               for host, names in expected.items()},
        }  # fmt: skip
        assert ("driver_cpu", "mean") in summary.values, "of all hosts that drivers ran on"
        assert summary.rate


@pytest.mark.thorough
@pytest.mark.parametrize("plan", ["replication", "backlog"])
def test_a_mirror_is_on_the_host_of_the_recovery_site(
    lab: Lab, tmp_path: Path, jar: Path, plan: str
) -> None:
    project = smoke_project(tmp_path / "project", jar, plan)
    roles = {"qm1": ["broker"], "dr": ["recovery"], "clients": ["requesters", "responders"]}
    _, raw = ran_on_hosts(lab, project, plan, roles, tmp_path)
    beside = processes_beside(raw)
    assert beside["qm1"] >= {"broker", "link-replication"}
    assert beside["dr"] == {"broker-mirror"}
    values = summarise(raw).values
    assert values["messages_sent", "total"] == values["messages_arrived", "total"] > 0
    assert values["messages_missing", "total"] == values["messages_doubled", "total"] == 0
    assert values["replication_link_rate", "mean"] > 0
    assert {"broker_cpu", "link_cpu"} <= {name for name, _ in values}
    if plan == "replication":
        assert values["link_round_trip_time", "p50"] >= 10
        assert values["round_trip_time", "mean"] > 10, "each waits for the recovery site"


@pytest.mark.thorough
def test_a_killed_runner_leaves_nothing_on_any_host(
    lab: Lab, project: Project, tmp_path: Path
) -> None:
    campaign = begin(lab, project, "-p", "measure_seconds", "30")
    until(lambda: heard(project, "asking"), campaign)
    assert all(len(stations(tmp_path / name)) > 1 for name in ROLES)
    campaign.kill()
    campaign.communicate()
    until(lambda: not any(stations(tmp_path / name) for name in ROLES))
    until(lambda: not any(any((tmp_path / name).iterdir()) for name in ROLES))


@pytest.mark.thorough
def test_a_cut_link_breaks_the_run_off_and_it_is_gone_on_with(
    lab: Lab, project: Project, tmp_path: Path
) -> None:
    if not lab.apart:
        print("no namespaces here: no link can be cut", file=sys.stderr)
        return
    words = ["-p", "measure_seconds", "3", "-p", "requesters", "[1, 2]"]
    campaign = begin(lab, project, *words)
    raw = results(project) / "raw"
    until(lambda: list(raw.glob("*.zst")), campaign)
    finished = {path: path.read_bytes() for path in raw.glob("*.zst")}
    until(lambda: heard(project, "asking"), campaign)
    link = [*lab.prefix, "ip", "link", "set", "near2"]
    subprocess.run([*link, "down"], check=True)
    _, err = campaign.communicate()
    assert campaign.returncode == 1, err
    until(lambda: not any(stations(tmp_path / name) for name in ROLES))
    manifest = load_manifest(results(project))
    assert (manifest.state, len(manifest.runs)) == ("stopped", 1)
    assert "the host asking is lost" in manifest.failed[0].reason
    text = (results(project) / "manifest.yml").read_text("utf-8")
    assert not [place for place in (*lab.addresses, str(tmp_path)) if place in text], text
    subprocess.run([*link, "up"], check=True)
    campaign = begin(lab, project, *words)
    _, err = campaign.communicate()
    assert campaign.returncode == 0, err
    manifest = load_manifest(results(project))
    assert (manifest.state, len(manifest.runs), len(manifest.failed)) == ("complete", 2, 1)
    assert {path: path.read_bytes() for path in finished} == finished


@pytest.mark.thorough
@pytest.mark.parametrize("java", ["recorded"], indirect=True)
def test_a_host_that_is_cut_off_is_replaced(
    lab: Lab, java: str, project: Project, tmp_path: Path
) -> None:
    if not lab.apart:
        print("no namespaces here: no link can be cut", file=sys.stderr)
        return
    roles = {"qm1": ["broker"], "asking": ["requesters"], "answering": ["responders", "requesters"]}
    lab.name(project, **{
        name: lab.host(number, *own, folder=str(tmp_path / name), java=java)
        for number, (name, own) in enumerate(roles.items())
    })  # fmt: skip
    campaign = begin(lab, project, "-p", "measure_seconds", "2", "-p", "broker.port", "28765")
    until(lambda: heard(project, "asking"), campaign)
    link = [*lab.prefix, "ip", "link", "set", "near2"]
    subprocess.run([*link, "down"], check=True)
    try:
        out, err = campaign.communicate()
        until(lambda: not stations(tmp_path / "asking"))
    finally:
        subprocess.run([*link, "up"], check=True)
    assert campaign.returncode == 0, out + err
    [run] = load_manifest(results(project)).runs
    assert (run.attempt, run.moved) == (2, (MOVED,))
    raw = {path.name: list(read_raw(path)) for path in (results(project) / "raw").iterdir()}
    [failed] = [lines for name, lines in raw.items() if "failed" in name]
    again = raw[f"{run.run}.ndjson.zst"]
    assert again[0].at - failed[-1].at > SILENCE_S, "drivers there may find a broker at its port"


SHIFTED = """#!{python}
import runpy, sys, time
now = time.time
time.time = lambda: now() + {ahead}
if sys.argv[1] == "-I":
    sys.argv = sys.argv[3:]
    runpy.run_module(sys.argv[0], run_name="__main__")
else:
    runpy.run_path({player!r}, run_name="__main__")
"""
"""Stands for the Python and the Java of a host whose clock is ahead."""


@pytest.fixture
def near(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jar: Path) -> Project:
    """Give a project whose hosts are addresses of this machine, reached without SSH."""
    monkeypatch.setenv("PATH", f"{recorded_java(tmp_path)}{os.pathsep}{os.environ['PATH']}")
    for name in ROLES:
        (tmp_path / name).mkdir()
    return smoke_project(tmp_path / "project", jar)


HERE = Lab(apart=False, prefix=[], key=Path(), known_hosts=Path())


def place_near(
    project: Project, *, spread: dict[str, int] | None = None, **more: dict[str, Any]
) -> None:
    """Write the inventory; what is given differs from a host with the role of its name."""
    hosts = {
        name: {"roles": [role], "load": f"127.0.0.1{number}",
               "folder": str(project.root.parent / name)}
        for number, (name, role) in enumerate(ROLES.items(), start=1)
    }  # fmt: skip
    HERE.name(
        project,
        spread=spread,
        **{
            name: hosts.get(name, {}) | more.get(name, {})
            for name in dict.fromkeys([*list(hosts)[:2], *more, *hosts])
        },
    )


def shifted(folder: Path, ahead: float) -> str:
    place = folder / "shifted"
    player = str(Path(__file__).with_name("recorded_harness.py"))
    place.write_text(SHIFTED.format(python=sys.executable, ahead=ahead, player=player), "utf-8")
    place.chmod(0o755)
    return str(place)


@pytest.mark.thorough
@pytest.mark.slow
def test_drivers_begin_at_one_time_whatever_the_clocks_of_their_hosts_say(
    near: Project, tmp_path: Path
) -> None:
    program = shifted(tmp_path, ahead=3)
    place_near(near, asking={"python": program, "java": program})
    out, err = (campaign := begin(HERE, near)).communicate()
    assert campaign.returncode == 0, out + err
    [run] = load_manifest(results(near)).runs
    lines = list(read_raw(results(near) / "raw" / f"{run.run}.ndjson.zst"))
    [start] = [line.record for line in lines if line.source == "runner" and line.event == "start"]
    assert start is not None
    assert start["hosts"].keys() == ROLES.keys()
    begun = {line.source: line for line in lines if line.event == "begun"}
    assert begun.keys() == {line.source for line in lines if line.event == "connected"}
    assert {"responder-1", "requester-1"} <= begun.keys()
    for name, ahead, drivers in (("asking", 3000, "requester"), ("answering", 0, "responder")):
        clock = start["hosts"][name]
        assert clock["offset_ms"] == pytest.approx(ahead, abs=100)
        assert clock["at_ms"] == pytest.approx(start["at_ms"] + ahead, abs=100)
        for line in (line for source, line in begun.items() if source.startswith(drivers)):
            assert line.record["t_ms"] - line.record["late_ms"] == pytest.approx(
                clock["at_ms"], abs=2
            )
            assert -0.1 < line.at - start["at_ms"] / 1000 < 1, "by the clock of this machine"


@pytest.mark.thorough
@pytest.mark.slow
def test_spread_requesters_are_counted_by_one_clock(near: Project, tmp_path: Path) -> None:
    program = shifted(tmp_path, ahead=3)
    place_near(near, spread={"requesters": 2}, asking={"python": program, "java": program},
               answering={"roles": ["responders", "requesters"]})  # fmt: skip
    out, err = (campaign := begin(HERE, near, "-p", "attempts", "10")).communicate()
    assert campaign.returncode == 0, out + err
    [run] = load_manifest(results(near)).runs
    raw = results(near) / "raw" / f"{run.run}.ndjson.zst"
    lines = list(read_raw(raw))
    # Lines are read later than they are written, on a busy machine some of them much later.
    told = {
        name: max(float(line.record["t_ms"]) / 1000 - line.at for line in lines
                  if line.event == "interval" and line.source == name)
        for name in ("requester-1", "requester-2")
    }  # fmt: skip
    assert told["requester-1"] == pytest.approx(3, abs=1)
    assert told["requester-2"] == pytest.approx(0, abs=1)
    summary = summarise(raw)
    assert summary.measured is not None
    ends = [summary.measured[key] / 1000 for key in ("from_ms", "to_ms")]
    assert lines[0].at < ends[0] < ends[1] < lines[-1].at, "by the clock of this machine"
    of_each = [
        rate_of([line.record for line in on_one_clock(lines)
                 if line.source == name and line.event == "interval"
                 and ends[0] + 0.06 < line.record["t_ms"] / 1000 <= ends[1]],
                "round_trips")
        for name in told
    ]  # fmt: skip
    assert min(of_each) > 0
    assert summary.rate == pytest.approx(sum(of_each))
    assert summary.measured["to_ms"] in {line.record.get("t_ms") for line in on_one_clock(lines)}
    assert ("driver_cpu", "mean") in summary.values, "samples of both hosts are in that time"


@pytest.mark.thorough
@pytest.mark.slow
def test_a_host_in_reserve_takes_the_place_of_one_of_two(near: Project, tmp_path: Path) -> None:
    (second := tmp_path / "second").mkdir()
    also = {"roles": ["requesters"], "load": "127.0.0.14", "folder": str(second)}
    place_near(near, spread={"requesters": 2}, second=also,
               answering={"roles": ["responders", "requesters"]})  # fmt: skip
    campaign = begin(HERE, near, "-p", "measure_seconds", "2", "-p", "attempts", "10")
    until(lambda: heard(near, "asking") and heard(near, "second"), campaign)
    stations(tmp_path / "asking")[0].kill()
    out, err = campaign.communicate()
    assert campaign.returncode == 0, out + err
    manifest = load_manifest(results(near))
    roles = {one.name: (one.roles, one.spare) for one in manifest.hosts}
    assert roles["asking"] == roles["second"] == (("requesters",), ())
    assert roles["answering"] == (("responders",), ("requesters",))
    [run] = manifest.runs
    assert run.moved == (MOVED,)
    later = manifest.placements[1]
    assert {one.name: one.roles for one in later} == {
        "qm1": ("broker",), "asking": (), "second": ("requesters",),
        "answering": ("responders", "requesters"),
    }  # fmt: skip


@pytest.mark.thorough
@pytest.mark.slow
def test_a_driver_that_begins_too_late_breaks_the_run_off(near: Project, tmp_path: Path) -> None:
    place_near(near, asking={"java": shifted(tmp_path, ahead=3)})  # and its Python has the time
    out, err = (campaign := begin(HERE, near)).communicate()
    assert campaign.returncode == 1, out + err
    assert "ms after the agreed time" in err
    manifest = load_manifest(results(near))
    assert (manifest.runs, len(manifest.failed)) == ((), 2)


@pytest.mark.thorough
@pytest.mark.slow
def test_another_host_takes_over_the_role_of_one_that_is_lost(
    near: Project, tmp_path: Path
) -> None:
    place_near(near, answering={"roles": ["responders", "requesters"]})
    campaign = begin(HERE, near, "-p", "measure_seconds", "2")
    until(lambda: heard(near, "asking"), campaign)
    stations(tmp_path / "asking")[0].kill()
    out, err = campaign.communicate()
    assert campaign.returncode == 0, out + err
    manifest = load_manifest(results(near))
    assert [(one.name, one.roles, one.spare) for one in manifest.hosts] == [
        ("qm1", ("broker",), ()), ("asking", ("requesters",), ()),
        ("answering", ("responders",), ("requesters",)),
    ]  # fmt: skip
    [failed], [run] = manifest.failed, manifest.runs
    assert "the host asking is lost" in failed.reason
    assert (run.attempt, run.moved) == (2, (MOVED,))
    assert "requesters moved from asking to answering" in str(run.doubt)
    summary = summarise(results(near) / "raw" / f"{run.run}.ndjson.zst")
    assert {one["host"]: one["roles"] for one in summary.hosts} == {
        "qm1": ["broker"], "answering": ["requesters", "responders"],
    }  # fmt: skip
    assert summary.rate
    assert not running(near)
    assert not any(stations(tmp_path / name) for name in ROLES)


@pytest.mark.slow
def test_a_raw_file_gives_the_clock_of_a_host_exactly_as_the_runner_knew_it(
    near: Project, tmp_path: Path
) -> None:
    place_near(near)
    broker = PlacedBroker(
        find_harness(near), load_manifest(SAMPLE.parent).plan, tmp_path,
        inventory=load_inventory(near),
    )  # fmt: skip
    raw = RawFile(tmp_path, "run")
    try:
        known = broker._record("qm1", broker._reach("qm1"), raw, "host")
    finally:
        broker.close()
    noted = [*read_raw(raw.finish()), RawLine(0, f"{SAMPLER_OF}qm1", {"t_ms": 1.79e12})]
    *_, line = on_one_clock(noted)
    assert line.record["t_ms"] == 1.79e12 - known


@pytest.mark.slow
def test_a_host_that_is_lost_between_runs_stops_nothing_while_one_is_in_reserve(
    near: Project, tmp_path: Path
) -> None:
    (second := tmp_path / "second").mkdir()
    program = Path(shifted(tmp_path, ahead=0))
    also = {"roles": ["requesters"], "load": "127.0.0.14", "folder": str(second),
            "python": str(program)}  # fmt: skip
    place_near(near, second=also, answering={"roles": ["responders", "requesters"]})
    broker = PlacedBroker(
        find_harness(near), load_manifest(SAMPLE.parent).plan, tmp_path,
        inventory=load_inventory(near),
    )  # fmt: skip
    try:
        assert [one.name for one in broker.hosts()] == ["qm1", "asking", "answering", "second"]
        program.unlink()  # it is lost, too, and nobody has noticed
        [station] = stations(tmp_path / "asking")
        station.send_signal(signal.SIGSTOP)
        threading.Timer(1, station.kill).start()
        assert broker.noise().busy >= 0
        assert not stations(tmp_path / "asking")
    finally:
        broker.close()
    assert not any(stations(tmp_path / name) for name in ROLES)


INVENTORY = {
    "hosts": {
        "qm1": {"roles": ["broker"], "load": "127.0.0.1"},
        "clients": {"roles": ["requesters", "responders"], "load": "127.0.0.2"},
    }
}


@pytest.fixture
def placed(tmp_path: Path) -> Project:
    parts = ["_quarto.yml", "data/dictionary.yml", "params/campaigns"]
    project = copy_project(tmp_path / "project", parts)
    (project.params / "hosts.yml").write_text("{}\n", encoding="utf-8")
    change_yaml(project.params / "hosts.yml", INVENTORY)
    return project


def planned(project: Project, plan: str, *words: str) -> subprocess.CompletedProcess[str]:
    return answer("run", plan, "--hosts", "--dry-run", *words, project=project)


def test_what_hosts_cannot_run_is_left_out_with_the_reason(placed: Project) -> None:
    done = planned(placed, "base")
    assert done.returncode == 0, done.stderr
    assert "does not permit it on clients" in done.stdout
    assert "scheduling_class normal" in done.stdout
    assert "queue_managers: arranged on one machine only" in (
        planned(placed, "base", "-p", "queue_managers", "[1, 2]", "-p", "requesters", "[4]").stdout
    )
    refused(planned(placed, "failover"), "the course failover")
    refused(planned(placed, "base", "-p", "driver.payload", "file"), "payload file")
    refused(planned(placed, "base", "--broker", "artemis"), "--hosts")
    direct = planned(placed, "base", *NORMAL, "-p", "link", "direct")
    refused(direct, "link: arranged on one machine only")


def test_a_pair_of_brokers_needs_a_host_for_the_second(placed: Project) -> None:
    hosts = {**INVENTORY["hosts"], "qm1": {"roles": ["broker", "standby"], "load": "127.0.0.1"}}
    change_yaml(placed.params / "hosts.yml", {"hosts": hosts})
    alone = planned(placed, "ha").stdout
    assert "ha replicated pair: no host beside the broker's has the role 'standby'" in alone
    assert "ha shared store: it needs a file system that both hosts share" in alone
    hosts["qm2"] = {"roles": ["standby"], "load": "127.0.0.3"}
    change_yaml(placed.params / "hosts.yml", {"hosts": hosts})
    apart = planned(placed, "ha").stdout
    assert "role 'standby'" not in apart
    assert "ha replicated pair, ha_link_rtt_ms 5" in apart
    assert "link_encrypted: its keys are not brought to other hosts" in apart
    del hosts["qm2"]["load"]
    change_yaml(placed.params / "hosts.yml", {"hosts": hosts})
    refused(planned(placed, "ha"), "'qm2' has no address for the load", "params/hosts.yml")


def test_a_second_broker_never_shares_the_host_of_the_first() -> None:
    either = {"roles": ["broker", "standby"], "reach": "local"}
    hosts = {"qm1": {**either, "load": "127.0.0.1"}, "qm2": {**either, "load": "127.0.0.3"}}
    inventory = Inventory.model_validate(
        {"hosts": {**hosts, "clients": INVENTORY["hosts"]["clients"]}}
    )
    assert candidates_of(inventory)["broker"] == ("qm1", "qm2")
    pair = candidates_of(inventory, (*candidates_of(inventory), "standby"))
    assert (pair["broker"], pair["standby"]) == (("qm1",), ("qm2",))


def test_a_mirror_needs_a_host_of_the_recovery_site(placed: Project) -> None:
    alone = planned(placed, "replication").stdout
    assert "replication mirror: no host beside the broker's has the role 'recovery'" in alone
    assert "replication_link namespaces: they are on one machine; use proxy" in alone
    site = {"dr": {"roles": ["recovery"], "load": "127.0.0.3"}}
    change_yaml(placed.params / "hosts.yml", {"hosts": {**INVENTORY["hosts"], **site}})
    apart = planned(placed, "replication").stdout
    assert "role 'recovery'" not in apart
    assert "replication mirror, mirroring synchronous, replication_link proxy" in apart


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"roles": ["requesters"]}, "no host has the role 'responders'"),
        ({"load": None}, "'clients' has no address for the load"),
    ],
)
def test_an_inventory_that_cannot_place_a_run_is_refused(
    placed: Project, change: dict[str, Any], words: str
) -> None:
    hosts = {**INVENTORY["hosts"], "clients": {**INVENTORY["hosts"]["clients"], **change}}
    change_yaml(placed.params / "hosts.yml", {"hosts": hosts})
    refused(planned(placed, "base"), words, "params/hosts.yml")


def test_hosts_must_be_named_to_be_used(placed: Project) -> None:
    (placed.params / "hosts.yml").unlink()
    refused(planned(placed, "base"), "params/hosts.yml", "roundtrip docs hosts")


def entry(name: str, role: str, machine: int, *processors: int) -> HostEntry:
    return HostEntry(
        name=name, roles=(role,), machine=machine, processors=processors,
        about={"processor": "x", "architecture": "x86_64", "logical_processors": 4,
               "memory_mb": 1000, "operating_system": "Linux"},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("machine", "processor", "words", "verdicts"),
    [
        (2, 0, "on different machines", ("pass", "pass")),
        (1, 1, "separate addresses and processors", ("fail", "pass")),
        (1, 0, "one machine, with separate addresses", ("fail", "fail")),
    ],
)
def test_addresses_of_one_machine_are_not_taken_for_machines(
    tmp_path: Path, machine: int, processor: int, words: str, verdicts: tuple[str, str]
) -> None:
    hosts = [entry("qm1", "broker", 1, 0), entry("clients", "requesters", machine, processor)]
    assert where_they_ran(hosts).endswith(words)
    project = copy_project(tmp_path / "project", ("_quarto.yml",))

    def place(manifest: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        del rows
        manifest["hosts"] = [one.model_dump(mode="json") for one in hosts]

    make_campaign(project, place)
    judged = grade_of(load_observations(project), NAME).judged
    for rule, verdict in zip(("hosts-apart", "processors-apart"), verdicts, strict=True):
        [found] = [one.finding for one in judged if one.rule == rule]
        assert (found.verdict.value, found.reason) == (verdict, where_they_ran(hosts))


def test_a_broker_that_stands_by_beside_the_drivers_is_not_apart_from_them() -> None:
    hosts = [entry("qm1", "broker", 1, 0), entry("qm2", "standby", 2, 0)]
    assert where_they_ran([*hosts, entry("clients", "requesters", 3, 0)]).endswith("machines")
    beside = [*hosts, entry("clients", "requesters", 2, 1)]
    assert where_they_ran(beside).endswith("separate addresses and processors")


def test_a_run_that_moved_to_the_machine_of_the_drivers_was_not_apart(tmp_path: Path) -> None:
    hosts = [entry("qm1", "broker", 1, 0), entry("clients", "requesters", 2, 0)]
    hosts[1] = hosts[1].model_copy(update={"spare": ("broker",)})
    project = copy_project(tmp_path / "project", ("_quarto.yml",))

    def place(manifest: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        del rows
        manifest["hosts"] = [one.model_dump(mode="json") for one in hosts]
        move = {"role": "broker", "lost": "qm1", "host": "clients"}
        manifest["runs"][-1]["moved"] = [move]

    make_campaign(project, place)
    [found] = [
        one.finding for one in grade_of(load_observations(project), NAME).judged
        if one.rule == "hosts-apart"
    ]  # fmt: skip
    assert (found.verdict.value, found.reason) == ("fail", "broker and drivers on one host")


def test_each_host_is_measured_by_its_own_clock_and_processors() -> None:
    def samples(name: str, idle: float, used: float, ahead: float) -> list[dict[str, Any]]:
        return [
            {"t": 100 + second + ahead,
             "machine": {"idle_s": idle * second, "steal_s": 0, "sent": 0},
             "processes": {name: {"cpu_s": used * second, "rss": 5_000_000},
                           "runner": {"cpu_s": 0.01 * second, "rss": 1_000_000}}}
            for second in range(11)
        ]  # fmt: skip

    def host(name: str, role: str, processors: int, ahead: float) -> dict[str, Any]:
        return {"host": name, "roles": [role], "processors": processors,
                "least_ms": 1000 * ahead - 1, "most_ms": 1000 * ahead + 1}  # fmt: skip

    hosts = [
        host("qm1", "broker", 4, 3), host("asking", "requesters", 2, -2),
        host("answering", "responders", 1, 0),
    ]  # fmt: skip
    told = {
        "qm1": samples("broker", 2, 2, 3),
        "asking": samples("requester-1", 1.5, 0.3, -2),
        "answering": samples("responder-1", 0.1, 0.3, 0),
    }

    def seen() -> dict[str, list[dict[str, Any]]]:
        lines = [RawLine(0, "runner", {"event": "host", **one}) for one in hosts]
        lines += [RawLine(0, SAMPLER_OF + name, row) for name, rows in told.items() for row in rows]
        shifted: dict[str, list[dict[str, Any]]] = {SAMPLER_OF + name: [] for name in told}
        for line in on_one_clock(lines):
            if line.source.startswith(SAMPLER_OF):
                shifted[line.source].append(line.record)
        return shifted

    values = values_of_hosts(hosts, seen(), 100, 110, round_trips=1000)
    assert values["broker_cpu", "mean"] == pytest.approx(50)
    assert values["machine_cpu", "mean"] == pytest.approx(50)
    assert values["driver_cpu", "mean"] == pytest.approx(100 * 0.6 / 3)
    assert values["driver_cpu_time", "mean"] == pytest.approx(1e6 * 6 / 1000)
    assert values["other_cpu", "mean"] == pytest.approx(59), "of the host with most of it"
    assert values["runner_cpu", "mean"] == pytest.approx(100 * 0.03 / 7), "of all hosts"
    assert values["broker_memory", "mean"] == pytest.approx(5)

    hosts.append(host("qm2", "standby", 2, 1))
    told["qm2"] = samples("broker-backup", 1.5, 0.5, 1)
    values = values_of_hosts(hosts, seen(), 100, 110, round_trips=1000)
    assert values["broker_cpu", "mean"] == pytest.approx(100 * 2.5 / 6)
    assert values["backup_cpu", "mean"] == pytest.approx(25)
    assert values["broker_cpu_time", "mean"] == pytest.approx(1e6 * 25 / 1000)
    assert values["broker_memory", "mean"] == pytest.approx(10)
    assert values["machine_cpu", "mean"] == pytest.approx(50), "of the host of the broker"
