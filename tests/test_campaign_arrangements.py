"""Products, versions, bindings, rates and messages left over: what a point is turned into."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from roundtrip.campaign import arrangements
from roundtrip.campaign.brokers import BrokerError, Endpoint, Endpoints
from roundtrip.campaign.courses import connections
from roundtrip.campaign.derive import Summary
from roundtrip.campaign.drivers import Load, queue_names, rate_of_each, round_trip_drivers
from roundtrip.campaign.feasible import runnable
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.method import Search
from roundtrip.campaign.plan import DriverSettings, Journal, Plan
from roundtrip.campaign.points import Combination
from roundtrip.campaign.processes import Launch
from roundtrip.campaign.products import configuration_of, product_of, stated
from roundtrip.campaign.results import points_text
from roundtrip.campaign.search import next_levels, rate_that_counts
from roundtrip.campaign.settable import DEFAULTS, arranged, impossible
from roundtrip.errors import SetupError

CLASSIC = "Apache ActiveMQ Classic"


MIRRORED = {
    "delivery": "persistent", "replication": "mirror", "mirroring": "synchronous",
    "replication_link": "proxy",
}  # fmt: skip


def point(**factors: Any) -> dict[str, Any]:
    return {**DEFAULTS, "requesters": 4, **factors}


def harness(folder: Path) -> Harness:
    jar = folder / "target" / "roundtrip-harness.jar"
    (jar.parent / "lib").mkdir(parents=True, exist_ok=True)
    jar.write_bytes(b"jar")
    (jar.parent / "lib" / "artemis-server-2.55.0.jar").touch()
    return Harness(java=Path("java"), jar=jar, root=jar.parent, sources="")


@pytest.mark.parametrize(
    ("factors", "words"),
    [
        ({"threads_per_client": 3}, "no multiple of threads_per_client"),
        ({"target_rate": 5, "requester_rate": 5}, "both say how often"),
        ({"requester_rate": 0}, "leave it out"),
        ({"workload": "RR-DQ-BB", "reply_queue": "own"}, "one shared queue"),
        ({"workload": "RR-DQ-BB", "product": CLASSIC}, "bridges are those"),
        ({"channel_pairs": 2}, "only RR-DQ-BB"),
        ({"product": CLASSIC, "product_version": "6.0.0"}, "versions are those"),
        ({"workload": "RR-BB", "preloaded_messages": 5}, "must be RR-CC"),
        ({"queue_pairs": 2, "preloaded_messages": 5}, "queue_pairs must be 1"),
        ({"queue_managers": 2, "queue_pairs": 2}, "must find its queue on its own"),
        ({"queue_managers": 2, "threads_per_client": 1}, "no multiple of queue_managers"),
        ({**MIRRORED, "queue_pairs": 2}, "counted on one pair"),
        ({**MIRRORED, "preloaded_messages": 5}, "would count as doubled"),
    ],
)
def test_what_cannot_be_arranged_is_said(factors: dict[str, Any], words: str) -> None:
    assert words in str(impossible(point(**factors)))


def test_what_can_be_arranged_is_not_refused() -> None:
    for workload in ("RR-CC", "RR-CB", "RR-BB", "RR-DQ-BB"):
        assert impossible(point(workload=workload)) is None
    assert impossible(point(product=CLASSIC, preloaded_messages=10, page_messages=5)) is None
    assert arranged(point(workload="RR-BB", preloaded_messages=9)) == [
        "workload", "preloaded_messages",
    ]  # fmt: skip
    assert arranged(point(round_trips_per_session=5, requester_rate=3600)) == []
    assert arranged(point(preloaded_messages=0)) == []


def test_each_product_is_told_what_it_understands() -> None:
    journal = Journal(sync=False)
    assert configuration_of(point(), journal) == {"journal": journal.model_dump()}
    assert configuration_of(point(product=CLASSIC, page_messages=7), journal) == {
        "product": "classic", "journal": {"sync": False}, "address": {"page_messages": 7},
    }  # fmt: skip
    assert product_of(point()).key == "artemis"
    assert stated({"broker-a": {"classic": "6.3.1"}}) == (CLASSIC, "6.3.1")
    assert stated({"name": "x", "address": {"a": 1}}) is None


def test_drivers_are_clients_of_threads_at_a_rate(tmp_path: Path) -> None:
    plan = Plan(name="p", profile="quick", title="t", question="q", factors={"requesters": (6,)})
    at = point(
        requesters=6, threads_per_client=3, requester_rate=7200, round_trips_per_session=5,
        reply_consumer="for each reply",
    )  # fmt: skip
    endpoints = Endpoints.same(Endpoint("classic", ("-url", "tcp://x:1")))
    java = harness(tmp_path)
    launches = round_trip_drivers(Load(java, plan, at), endpoints)
    assert list(launches) == ["responder-1", "requester-1", "requester-2"]
    words = list(launches["requester-2"].command)
    for option, value in (("-nt", "3"), ("-rt", "6"), ("-rs", "5"), ("-pc", "classic")):
        assert words[words.index(option) + 1] == value
    assert "-cr" in words
    assert "-cr" not in launches["responder-1"].command
    own = round_trip_drivers(Load(java, plan, {**at, "reply_queue": "own"}), endpoints)
    first, second = (own[f"requester-{number}"].command for number in (1, 2))
    assert "-db" not in first
    assert list(second)[second.index("-db") + 1] == "4"  # after the three of the first process
    assert rate_of_each(point(target_rate=10)) == 2.5
    assert queue_names(point(queue_pairs=2), "REPLY") == ["REPLY1", "REPLY2"]


def option(launch: Launch, name: str) -> str:
    words = list(launch.command)
    return words[words.index(name) + 1]


def test_all_processes_of_a_side_share_queues_and_queue_managers(tmp_path: Path) -> None:
    plan = Plan(
        name="p", profile="quick", title="t", question="q", factors={"requesters": (6,)},
        driver=DriverSettings(processes=4),
    )  # fmt: skip
    client = Endpoint("artemis", ("-url", "tcp://x:1"))
    hosts = tuple(SimpleNamespace(address=name, folder="") for name in "ab")

    def launches(answering: Endpoint = client, **factors: Any) -> dict[str, Launch]:
        load = Load(harness(tmp_path), plan, point(requesters=6, **factors))
        return round_trip_drivers(load, Endpoints(client, answering))

    spread = launches(replace(client, places=hosts), queue_pairs=4)
    served: dict[str, list[int]] = {}
    for name, launch in spread.items():
        first, threads = int(option(launch, "-dn")), int(option(launch, "-nt"))
        assert (option(launch, "-db"), option(launch, "-dx")) == ("1", "4")
        served.setdefault(name.partition("-")[0], []).extend(
            1 + (first - 1 + thread) % 4 for thread in range(threads)
        )
    assert served == {"responder": [1, 2, 3, 4], "requester": [1, 2, 3, 4, 1, 2]}
    shared = launches(queue_managers=2)
    assert [option(launch, "-nt") for launch in shared.values()] == ["4", "2", "2", "2"]


def test_further_options_reach_drivers_inside_a_broker(tmp_path: Path) -> None:
    plan = Plan(name="p", profile="quick", title="t", question="q", factors={"requesters": (4,)})
    endpoints = Endpoints.same(Endpoint("artemis", ("-url", "vm://0")))
    launches = connections.drivers(Load(harness(tmp_path), plan, point()), endpoints)
    for launch in launches.values():
        assert "--connect-timeout" in launch.command
        assert "--connect-timeout" in launch.words


def test_rated_loads_rise_until_one_is_too_slow() -> None:
    search = Search(method="until_slow", slow_ms=1000)
    assert rate_that_counts(search, 80.0, 999.0) == 80.0
    assert rate_that_counts(search, 80.0, 1001.0) == 0.0
    assert rate_that_counts(Search(), 80.0, 1001.0) == 80.0
    assert rate_that_counts(search, None, None) is None
    assert next_levels(search, (2, 4, 8), {}) == (2,)
    assert next_levels(search, (2, 4, 8), {2: 20.0}) == (4,)
    assert next_levels(search, (2, 4, 8), {2: 20.0, 4: 0.0}) == ()
    assert next_levels(search, (2, 4, 8), {2: 20.0, 4: None}) == ()
    assert next_levels(search, (2,), {2: 20.0}) == ()


def test_a_version_that_is_not_there_is_left_out(tmp_path: Path) -> None:
    found = harness(tmp_path)
    assert found.of_version(None) is found
    assert found.of_version("2.55.0") is found
    combinations = tuple(
        Combination(version, (("product_version", version), ("responders", 4)), (1,))
        for version in ("2.44.0", "2.55.0")
    )
    plan = Plan(name="p", profile="quick", title="T", question="Q?", factors={"requesters": (1,)})
    kept, reasons = runnable(found, plan, tmp_path, combinations)
    assert [one.key for one in kept] == ["2.55.0"]
    assert "make harness-versions VERSIONS=2.44.0" in reasons[0]
    with pytest.raises(SetupError, match="nothing of the plan"):
        runnable(found, plan, tmp_path, combinations[:1])
    other = found.jar.parent / "versions" / "2.44.0"
    (other / "lib").mkdir(parents=True)
    shutil.copy(found.jar, other)
    command = found.of_version("2.44.0").command("broker", (), ())
    assert str(other / "lib") in command[2]
    # A jar of other sources beside that version would measure two harnesses.
    (other / found.jar.name).write_bytes(b"old")
    with pytest.raises(SetupError, match="is not installed with the current build"):
        found.of_version("2.44.0")
    with pytest.raises(SetupError):
        found.of_version("../../etc")


def test_each_run_says_its_own_product_and_version() -> None:
    def summary(product: str, key: str, version: str) -> Summary:
        run = {
            "factors": {"product": product, "requesters": 1}, "repetition": 1,
            "scheduling_class": "normal",
        }  # fmt: skip
        return Summary(run=run, effective={key: version}, values={("round_trip_rate", "mean"): 7.0})

    text = points_text({
        "a": summary(CLASSIC, "classic", "6.3.1"),
        "b": summary("Apache Artemis", "artemis", "2.55.0"),
    })  # fmt: skip
    head, one, two = text.splitlines()
    assert head.startswith("run,repetition,product,product_version,requesters")
    assert one.startswith(f"a,1,{CLASSIC},6.3.1,1")
    assert two.startswith("b,1,Apache Artemis,2.55.0,1")


def test_a_broker_that_does_not_start_waits_for_those_that_still_do() -> None:
    up: list[str] = []

    def start(name: str) -> None:
        if name == "broker-1":
            raise BrokerError("no port is free")
        time.sleep(0.2)
        up.append(name)

    bench: Any = SimpleNamespace(
        point={"queue_managers": 3}, start_broker=start, later=lambda undo: None
    )
    with pytest.raises(BrokerError, match="no port is free"):
        arrangements._sharing(bench)
    assert sorted(up) == ["broker-2", "broker-3"]


def test_drivers_inside_a_broker_speak_through_its_process(
    tmp_path: Path, broker_of_shell: Callable[[str], Any]
) -> None:
    """A shell stands for the broker: it answers what a driver inside would."""
    said = [
        {"event": "interval", "id": "requester-1"},
        {"event": "note", "id": "somebody"},
        {"event": "ended", "id": "requester-1", "status": 0},
    ]
    first, second, last = (f"echo '{json.dumps(line)}'" for line in said)
    host, inbox, raw = broker_of_shell(f"read a; {first}; {second}; read b; {last}; read c")
    from roundtrip.campaign.processes import Ended, Launch, start_driver

    driver = start_driver("requester-1", Launch((), host=host, words=["-tc", "x"]), inbox.put, raw)
    heard = [inbox.get() for _ in range(2)]
    assert [(line.source, line.event) for line in heard] == [
        ("requester-1", "interval"), ("broker", "note"),
    ]  # fmt: skip
    assert driver.running
    driver.stop()
    assert inbox.get().event == "ended"
    assert inbox.get() == Ended("requester-1", 0)
    assert not driver.running
    host.stop()
    text = json.dumps([line.source for line in _lines(raw.finish())])
    assert text.count("requester-1") == 2


def _lines(path: Path) -> list[Any]:
    from roundtrip.campaign.raw import read_raw

    return list(read_raw(path))


@pytest.fixture
def broker_of_shell(tmp_path: Path) -> Callable[[str], Any]:
    """Give what starts a shell as a broker's process."""
    import queue

    from roundtrip.campaign.processes import Launch, Message, Process
    from roundtrip.campaign.raw import RawFile

    def start(script: str) -> Any:
        raw = RawFile(tmp_path, "run", {})
        inbox: queue.Queue[Message] = queue.Queue()
        return Process("broker", Launch(["sh", "-c", script]), inbox.put, raw), inbox, raw

    return start
