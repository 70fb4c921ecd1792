"""``roundtrip hosts check``: hosts reached over SSH, in network namespaces where permitted."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from lab import CALM, Lab, laboratory
from roundtrip.errors import ParameterError
from roundtrip.hosts.contact import ssh_command
from roundtrip.hosts.inventory import Host, load_inventory
from roundtrip.project import Project
from roundtrip.publish.manifest import input_files
from workshop import ROOT, answer, copy_project

SECRET = "zOmBiE-9471-lanTern"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, jar: Path) -> Iterator[Lab]:
    with laboratory(tmp_path_factory.mktemp("lab")) as made:
        yield made


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return copy_project(tmp_path / "project", ("_quarto.yml", "data/dictionary.yml"))


@pytest.mark.thorough
def test_hosts_and_the_links_between_them_are_measured(lab: Lab, project: Project) -> None:
    status, found = lab.check(
        project,
        one=lab.host(0, "requesters"), two=lab.host(1, "broker"),
        three=lab.host(2, "responders", "build"),
    )  # fmt: skip
    assert {name: one["problem"] for name, one in found.items() if one["problem"]} == {}
    assert status == 0
    for name in ("one", "two", "three"):
        clock = found[f"{name}: clock"]["numbers"]
        assert clock["least_ms"] <= 0 <= clock["most_ms"], "it is the clock of this machine"
        about = ("versions", "disk", "Java", "load driver", "address", "quiet")
        assert {f"{name}: {what}" for what in about} <= found.keys()
    links = {name: one["numbers"] for name, one in found.items() if "link to" in name}
    assert len(links) == 6
    for numbers in links.values():
        assert 0 < numbers["least_ms"] <= numbers["round_trip_ms"] <= numbers["most_ms"]
        assert numbers["gbit_per_s"] > 0
    if lab.apart:
        limited = [one["gbit_per_s"] for name, one in links.items() if name.startswith("one: ")]
        assert len(limited) == 2
        assert max(limited) < 0.06, "the way out of the first host is limited to 50 Mbit/s"


OTHER_START = """#!{python}
import runpy, sys, time
sys.path.insert(0, {folder!r})
now = time.time
time.time = lambda: now() + {ahead}
sys.argv[1:] = sys.argv[-1:]
runpy.run_module("roundtrip.hosts.station", run_name="__main__")
"""


def other_start(folder: Path, name: str, ahead: float = 0) -> Path:
    """Make a Python that has another copy of the package, which has no load driver."""
    copy = folder / f"{name}-copy" / "roundtrip"
    shutil.copytree(ROOT / "src" / "roundtrip", copy, ignore=shutil.ignore_patterns("__pycache__"))
    start = folder / name
    text = OTHER_START.format(python=sys.executable, folder=str(copy.parent), ahead=ahead)
    start.write_text(text, "utf-8")
    start.chmod(0o755)
    return copy


@pytest.mark.thorough
def test_the_load_driver_is_sent_to_a_host_that_has_none(
    project: Project, tmp_path: Path, jar: Path
) -> None:
    copy = other_start(tmp_path, "bare")
    (other_start(tmp_path, "full") / "_harness").touch()
    project.params.mkdir()
    hosts = {
        name: {"roles": ["broker", "requesters", "responders"], "python": str(tmp_path / name)}
        for name in ("bare", "full")
    }
    text = yaml.safe_dump({"limits": CALM, "hosts": hosts})
    (project.params / "hosts.yml").write_text(text, "utf-8")
    for sent in (True, False):
        said = json.loads(answer("hosts", "check", "--format", "json", project=project).stdout)
        found = {one["host"]: one for one in said["findings"] if one["about"] == "load driver"}
        assert found["bare"]["problem"] is None
        assert ("sent from here" in found["bare"]["found"]) == sent
        assert "it cannot be sent: " in found["full"]["problem"]
    libraries = {path.name for path in (copy / "_harness" / "lib").iterdir()}
    assert libraries == {path.name for path in (jar.parent / "lib").glob("*.jar")}
    assert (copy / "_harness" / jar.name).read_bytes() == jar.read_bytes()


@pytest.mark.thorough
def test_what_makes_a_host_unfit_is_said_with_a_remedy(
    lab: Lab, project: Project, tmp_path: Path
) -> None:
    late, empty = tmp_path / "late", tmp_path / "none"
    other = other_start(tmp_path, "late", ahead=3600)
    with (other / "ingest" / "times.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    empty.touch()
    status, found = lab.check(
        project,
        broker=lab.host(0, "broker"),
        late=lab.host(1, "requesters", "responders", python=str(late), load="198.51.100.7"),
        intruder=lab.host(2, "build", key=str(lab.key.with_name("other"))),
        stranger=lab.host(2, "build", known_hosts=str(empty), load=None),
        keyless=lab.host(2, "build", key=str(tmp_path / "gone"), load=None),
        bare=lab.host(2, "build", python="/nowhere/python", load=None),
        full={"roles": ["build"], "folder": "/nowhere"},
    )  # fmt: skip
    assert status == 1
    said = {name: one["problem"] for name, one in found.items() if one["problem"]}
    expected = {
        "late: versions": "code of roundtrip",
        "late: clock": "not shown to be within 30000 ms of the one here",
        "late: load driver": "is not that of this machine",
        "late: address": "no such address: 198.51.100.7",
        "late: link": "cannot listen on 198.51.100.7",
        "late: link to broker": "is not reached from 198.51.100.7",
        "intruder: reach": "Permission denied",
        "stranger: reach": "Host key verification failed",
        "keyless: reach": "the file of its key is missing",
        "bare: reach": "/nowhere/python",
        "full: disk": "its user cannot write",
    }
    assert {
        name: words for name, words in expected.items() if words not in said.get(name, "")
    } == {}
    assert said.keys() == expected.keys()
    assert all(found[name]["remedy"] for name in said)
    assert 3_599_000 < found["late: clock"]["numbers"]["least_ms"] < 3_601_000


def test_limits_that_this_machine_cannot_keep_make_it_unfit(project: Project) -> None:
    project.params.mkdir()
    (project.params / "hosts.yml").write_text(
        "limits: {clock_ms: 0.000001, free_gb: 1.0e+9}\n"
        "hosts: {here: {roles: [build]}}\n", "utf-8",
    )  # fmt: skip
    said = answer("hosts", "check", project=project)
    assert said.returncode == 1
    for words in ("is not shown to be within 1e-06 ms", "cannot write 1e+09 GB there"):
        assert words in said.stdout, said.stdout


def test_this_machine_has_all_roles_where_there_is_no_inventory(project: Project) -> None:
    found = json.loads(answer("hosts", "check", "--format", "json", project=project).stdout)
    assert {one["host"] for one in found["findings"]} == {"local"}
    assert {"versions", "Java", "load driver"} <= {one["about"] for one in found["findings"]}


def test_places_of_a_login_are_read_by_ssh_as_they_are(tmp_path: Path) -> None:
    place = tmp_path / 'a "place", 100%d'
    host = Host(
        roles=("build",), reach="ssh", address="lab1", python="/usr/bin/python3",
        key=place / "key", known_hosts=place / "known",
    )  # fmt: skip
    name, *words = ssh_command(host)
    told = subprocess.run([name, "-G", *words], capture_output=True, text=True, check=True).stdout
    files = [one.partition(" ")[2] for one in told.splitlines() if str(tmp_path) in one]
    key, known = (one.strip('"') for one in files)
    assert key == str(place / "key").replace("%", "%%")  # before it is expanded
    assert known.replace("%%", "%") == str(place / "known")


SSH = "reach: ssh, address: lab1, python: /usr/bin/python3"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hosts: {}", "at least 1"),
        ("host: {a: {roles: [build]}}", "did you mean 'hosts'"),
        ("hosts: {a: {role: [build]}}", "did you mean 'roles'"),
        ("hosts: {a: {roles: [builder]}}", "'build'"),
        ("hosts: {a: {roles: []}}", "at least 1"),
        ("hosts: {a: {roles: [build], may: [everything]}}", "must be 'real-time'"),
        ("hosts: {a: {roles: [build], reach: ssh, address: lab1}}", "needs 'python'"),
        ("hosts: {a: {roles: [build], reach: ssh}}", "needs an address"),
        ("hosts: {a: {roles: [build], reach: scheduler, address: b}}", "'local' or 'ssh'"),
        ("hosts: {a: {roles: [build], reach: ssh, address: -oProxyCommand=x}}", "of a host"),
        ("hosts: {a: {roles: [build], load: everywhere}}", "not a valid IPv4 address"),
        ("hosts: {a: {roles: [build], load: '::1'}}", "not a valid IPv4 address"),
        ("hosts: {a: {roles: [requesters]}}", "no host has the role 'broker'"),
        ("hosts: {a: {roles: [broker]}}", "no host has the role 'requesters'"),
        ("hosts: {a: {roles: [broker, requesters]}}", "no host has the role 'responders'"),
        (
            "{spread: {requesters: 2}, hosts: {a: {roles: [broker, requesters, responders]}}}",
            "spread.requesters is 2, and fewer hosts have this role",
        ),
        ("{spread: {requester: 2}, hosts: {a: {roles: [build]}}}", "did you mean 'requesters'"),
        (
            "hosts: {a: {roles: [broker, requesters, responders], load: 10.0.0.1}, "
            "b: {roles: [build], load: 10.0.0.1}}", "two hosts have the address 10.0.0.1",
        ),
        ("limits: {clock_ms: 0}\nhosts: {a: {roles: [build]}}", "must be greater than 0"),
        (f"hosts: {{a: {{roles: [build], {SSH}, password: {SECRET}}}}}", "passwords are not read"),
        (f"hosts: {{a: {{roles: [build], {SSH}, user: 'x', Token: {SECRET}}}}}", "not read"),
        (f"hosts: {{a: {{roles: [build], reach: ssh, address: 'x:{SECRET}@b'}}}}", "not read"),
        (f"hosts: {{a: {{roles: [build], {SSH}, key: 'PRIVATE KEY {SECRET}'}}}}", "not read"),
        (f"scheduler: tcp://x:{SECRET}@b:1\nhosts: {{a: {{roles: [build]}}}}", "unknown key"),
    ],
)  # fmt: skip
def test_an_inventory_that_breaks_a_rule_is_refused(
    project: Project, tmp_path: Path, text: str, words: str
) -> None:
    place = tmp_path / "hosts.yml"
    place.write_text(text, "utf-8")
    with pytest.raises(ParameterError) as problem:
        load_inventory(project, place)
    assert words in str(problem.value)
    assert str(place) in str(problem.value)
    assert SECRET not in str(problem.value)


def test_an_inventory_that_is_named_must_be_there(project: Project, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="the file is missing"):
        load_inventory(project, tmp_path / "hosts.yml")


def test_the_inventory_is_no_part_of_a_report(project: Project) -> None:
    project.params.mkdir()
    (project.params / "hosts.yml").write_text("hosts: {a: {roles: [build]}}\n", "utf-8")
    assert "params/hosts.yml" not in input_files(project)
