"""Replication to a second broker: rules, namespaces, what a raw file says, the real thing."""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roundtrip.campaign.courses import mirrors
from roundtrip.campaign.courses.mirrors import same
from roundtrip.campaign.derive import summarise
from roundtrip.campaign.leftovers import REMOVERS, CleanupNote
from roundtrip.campaign.links import namespaces
from roundtrip.campaign.links.probe import far_end, probe
from roundtrip.campaign.live_run import LiveRun, RunContext
from roundtrip.campaign.manifest import load_manifest
from roundtrip.campaign.plan import Plan
from roundtrip.campaign.processes import Message
from roundtrip.campaign.raw import RawFile, RawLine, read_raw
from roundtrip.campaign.settable import DEFAULTS, impossible, unsuitable
from roundtrip.campaign.values.mirror import mirror_values
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import SetupError
from roundtrip.project import Project
from roundtrip.sources.measured import read_campaign
from workshop import copy_project, environment, roundtrip, until

PARTS = ("_quarto.yml", "data/dictionary.yml", "params/campaigns")
MIRROR = {"replication": "mirror", "mirroring": "asynchronous", "replication_link": "proxy"}
POINT = {**DEFAULTS, "requesters": 2, "delivery": "persistent", **MIRROR}
permitted = pytest.mark.skipif(
    namespaces.refusal() is not None, reason=f"no namespaces here: {namespaces.refusal()}"
)
FAST = [
    "-p", "interval_seconds", "0.1", "-p", "measure_seconds", "0.5", "-p", "least_free_mb", "1",
    "-p", "warm_up", "{least_seconds: 0.4, most_seconds: 0.6, window: 3, scatter: 1, drift: 1}",
]  # fmt: skip


@pytest.fixture
def project(tmp_path: Path, jar: Path) -> Iterator[Project]:
    """Give a project that can measure."""
    project = copy_project(tmp_path, PARTS)
    (tmp_path / "harness").mkdir()
    (tmp_path / "harness" / "target").symlink_to(jar.parent)
    yield project
    assert not _spaces(project)


def _spaces(project: Project) -> list[str]:
    """List what is left of a project's namespaces."""
    name = namespaces.name_for(project.cache / "campaigns" / "cleanup.json")
    near = f"rt{name.removeprefix('roundtrip-')}n"
    shown = ""
    for words in (["ip", "netns", "list"], ["ip", "-br", "link"]):
        try:
            shown += subprocess.run(words, capture_output=True, text=True, check=False).stdout
        except FileNotFoundError:
            return []
    return [word for word in (name, near) if word in shown]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({}, None),
        ({"delivery": "nonpersistent"}, "not persistent"),
        ({"reply_queue": "own"}, "counted by queue"),
        ({"replication": "none"}, "mirroring without replication mirror"),
        ({"replication_link": "namespaces", "replication_link_rtt_ms": 10.0}, "cannot delay"),
        ({"replication_link": "namespaces", "replication_link_rtt_ms": 0.0}, None),
        ({"overload_rate": 100.0}, "need each other"),
        ({"workload": "send", "overload_rate": 100.0, "later_rate": 100.0}, "below"),
    ],
)
def test_impossible_combinations_are_named(changes: dict[str, Any], what: str | None) -> None:
    found = impossible({**POINT, **changes})
    assert found is None if what is None else what in str(found)


def test_a_mirror_says_how_it_mirrors() -> None:
    for name in ("mirroring", "replication_link"):
        point = {key: value for key, value in POINT.items() if key != name}
        assert f"without {name}" in str(impossible(point))


def test_a_backlog_needs_its_course_and_a_mirror() -> None:
    sends = {**POINT, "workload": "send", "overload_rate": 9.0}
    assert unsuitable("backlog", sends) is None
    assert "go together" in str(unsuitable("steady", sends))
    assert "go together" in str(unsuitable("backlog", POINT))
    assert "no backlog" in str(unsuitable("backlog", {**sends, "replication": "none"}))


@permitted
def test_a_namespace_carries_what_its_limit_lets_through(tmp_path: Path) -> None:
    made = CleanupNote(tmp_path / "cleanup.json")
    name = namespaces.name_for(made.path)
    try:
        space = namespaces.make(name, 0.05, lambda: made.add(namespaces.KIND, name))
        with pytest.raises(SetupError, match="exists already"):
            namespaces.make(name, 0, lambda: None)
        raw = RawFile(tmp_path, "run")
        stop = namespaces.counted(space.near, raw, "link-replication")
        with far_end(namespaces.listener(space)) as end:
            seen = probe(end, 0.05, space.far_address)
        time.sleep(0.3)
        stop()
        # What is seen late at the far end seems fast; without a limit all would be far above it.
        assert 0 < min(seen.gbps) < 0.06
        inside = subprocess.run(
            [*space.prefix, "ip", "-br", "link"], capture_output=True, text=True, check=True
        ).stdout
        assert space.far in inside
        assert space.near not in inside
        counted = [line.record for line in read_raw(raw.finish())]
        grown = counted[-1]["bytes_to_host"] - counted[0]["bytes_to_host"]
        assert grown > 2 * 0.05e9 / 8 * 0.3
    finally:
        left = made.remove_leftovers()
    assert left == [f"namespace {name}"]
    assert not made.path.exists()
    REMOVERS[namespaces.KIND](Path(), name)  # once more does no harm


def test_only_our_own_namespaces_are_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*words: Any, **_: Any) -> None:
        raise AssertionError(words)

    monkeypatch.setattr("subprocess.run", never)
    for name in ("production", "roundtrip-", "roundtrip-XYZ", "roundtrip-0f161fa9 x", "../etc"):
        REMOVERS[namespaces.KIND](Path(), name)


def test_without_the_tools_the_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roundtrip.campaign.links.namespaces.shutil.which", lambda tool: None)
    assert "apt-get install iproute2" in str(namespaces.refusal())
    assert namespaces.lacking("proxy") is None
    told = namespaces.lacking("namespaces")
    assert "replication_link namespaces: ip is not installed" in str(told)


def _depths(at: float, source: str, behind: int, **queues: tuple[int, int]) -> RawLine:
    record: dict[str, Any] = {
        "event": "depths", "t_ms": 1000 * at,
        "queues": {name: {"messages": m, "added": a} for name, (m, a) in queues.items()},
    }  # fmt: skip
    if source == "broker":
        record["mirror"] = {"messages": behind, "bytes": 1000 * behind}
    return RawLine(at, source, record)


@pytest.mark.parametrize(("depths", "gone"), [((900, 500, 500, 500), False), ((900, 3, 0), True)])
def test_a_backlog_that_no_longer_falls_is_given_up(
    depths: tuple[int, ...], gone: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirrors, "STUCK_SECONDS", 0.2)
    monkeypatch.setattr(mirrors, "LONGEST_SECONDS", 86_400)  # which nothing here waits for
    raw = RawFile(tmp_path, "run")
    inbox: queue.Queue[Message] = queue.Queue()
    for number, depth in enumerate(depths):
        inbox.put(_depths(number, "broker", depth))
    plan = Plan(
        name="backlog", profile="smoke", title="T", question="Q", course="backlog",
        factors={"requesters": (1,)},
    )  # fmt: skip
    nothing: Any = None
    context = RunContext(nothing, plan, nothing, lambda _: None)
    mirrors._catch_up(LiveRun(context, POINT, raw, inbox, [], nothing, nothing))
    found = [line.record for line in read_raw(raw.finish()) if line.event == "caught-up"]
    assert [record and record["gone"] for record in found] == [gone]


def _end(source: str, at: float = 99, **counts: int) -> RawLine:
    zero = dict.fromkeys(("sent", "in_doubt", "received", "duplicates", "errors", "mismatches"), 0)
    return RawLine(at, source, {"event": "end", "whole_run": {**zero, **counts}})


def _account(at: float) -> RawLine:
    return RawLine(at, "runner", {"event": "account", "agreed": True, "seconds": 1.0})


def test_brokers_agree_only_when_nothing_is_under_way() -> None:
    first = _depths(0, "broker", 0, REQUEST=(2, 9), UNUSED=(0, 0)).record
    second = _depths(0, "broker-mirror", 0, REQUEST=(2, 9)).record
    assert same(first, second)
    assert not same(_depths(0, "broker", 1, REQUEST=(2, 9)).record, second)
    assert not same(first, _depths(0, "broker-mirror", 0, REQUEST=(2, 8)).record)
    assert not same(first, _depths(0, "broker-mirror", 0, REQUEST=(1, 9)).record)
    assert not same(first, _depths(0, "broker-mirror", 0).record)
    assert not same(None, second)


def test_missing_and_doubled_messages_of_round_trips_are_counted_by_queue() -> None:
    lines = [
        _depths(1, "broker", 7, REQUEST=(3, 50), REPLY=(0, 40)),
        _account(5),
        _depths(6, "broker", 0, REQUEST=(0, 100), REPLY=(0, 100)),
        _depths(6, "broker-mirror", 0, REQUEST=(2, 97), REPLY=(0, 101)),
        _end("requester-1", sent=60), _end("requester-2", sent=40), _end("responder-1", sent=100),
    ]  # fmt: skip
    values, series = mirror_values({"course": "mirrored", "factors": {}}, lines, 0, 2000)
    counted = {name: value for (name, stat), value in values.items() if stat == "total"}
    assert counted == {
        "messages_sent": 200, "messages_arrived": 198, "messages_missing": 3,
        "messages_doubled": 1, "messages_apart": 2,
    }  # fmt: skip
    assert values["backlog_messages", "maximum"] == 7
    assert values["backlog", "maximum"] == 7000
    assert not series


def test_a_backlog_is_followed_until_it_is_gone() -> None:
    depth = [0, 10, 20, 30, 40, 25, 10, 0, 0, 500]  # at last the receiver empties a queue
    lines = [_depths(10 + 0.25 * n, "broker", d) for n, d in enumerate(depth)]
    lines += [
        RawLine(10.0, "link-replication", {"event": "counters", "bytes_to_host": 0}),
        RawLine(11.75, "link-replication", {"event": "counters", "bytes_to_host": 3_500_000}),
        _account(12.1), _end("sender-overload", sent=100), _end("sender-first", sent=20),
        _end("receiver-copy", received=119, duplicates=2),
    ]  # fmt: skip
    run = {"course": "backlog", "factors": {"later_rate": 0.0}}
    values, series = mirror_values(run, lines, 10_000, 11_000)
    assert values["catch_up_time", "single"] == pytest.approx(0.75)
    assert values["backlog_messages", "maximum"] == 40
    assert values["replication_link_rate", "mean"] == pytest.approx(2.0)
    assert values["messages_sent", "total"] == 120
    assert values["messages_arrived", "total"] == 117
    assert values["messages_missing", "total"] == 3
    assert values["messages_doubled", "total"] == 2
    told = [(at, value) for at, metric, _, value in series if metric == "backlog_messages"]
    assert told == [(0.25 * n, d) for n, d in enumerate(depth[:8])]


def test_a_backlog_that_does_not_go_has_no_time_to_catch_up() -> None:
    lines = [_depths(10 + 0.25 * n, "broker", 10 * n) for n in range(8)]
    run = {"course": "backlog", "factors": {"later_rate": 0.0}}
    values, series = mirror_values(run, lines, 10_000, 11_000)
    assert ("catch_up_time", "single") not in values
    assert series[-1][3] == 70_000


def test_the_growth_of_a_backlog_is_that_of_the_measured_part() -> None:
    depth = [900, 10, 20, 40, 50, 900]
    lines = [_depths(0.5 * n, "broker", d) for n, d in enumerate(depth)]
    values, _ = mirror_values({"course": "mirrored", "factors": {}}, lines, 500, 2000)
    assert values["backlog_growth", "mean"] == pytest.approx(28)
    even = [_depths(1.79e9 + 0.25 * n + 0.003 * (n % 3), "broker", 7) for n in range(40)]
    values, _ = mirror_values({"course": "mirrored", "factors": {}}, even, 1.79e12, 1.8e12)
    assert values["backlog_growth", "mean"] == 0  # at times as clocks give them, too
    alone, _ = mirror_values({"course": "mirrored", "factors": {}}, lines[:2], 500, 2000)
    assert ("backlog_growth", "mean") not in alone


def test_a_run_without_a_mirror_has_none_of_it() -> None:
    assert mirror_values({"course": "steady"}, [_account(1)], 0, 1000) == ({}, [])


def _run(project: Project, name: str, *more: str) -> Path:
    folder = project.campaigns / f"{name}-smoke"
    done = roundtrip(
        "run", name, "--profile", "smoke", "--output", str(folder), *FAST, *more, project=project
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.thorough
def test_everything_arrives_through_a_synchronous_mirror(project: Project) -> None:
    folder = _run(project, "replication")
    manifest = load_manifest(folder)
    assert manifest.state == "complete"
    effective = manifest.configurations[0].effective
    assert effective["broker"]["mirrors"][0]["sync"] is True
    assert "mirrors" not in effective["broker-mirror"]
    run = manifest.runs[0].run
    values = summarise(folder / "raw" / f"{run}.ndjson.zst").values
    assert values["messages_sent", "total"] == values["messages_arrived", "total"] > 0
    for metric in ("messages_missing", "messages_doubled", "messages_apart"):
        assert values[metric, "total"] == 0
    # Half of the 10 ms in each direction; a busy machine adds to it and takes nothing away.
    assert values["link_round_trip_time", "p50"] >= 10
    assert values["round_trip_time", "mean"] > 10
    assert "interval" not in (folder / "points.csv").read_text().splitlines()[0].split(",")


@pytest.mark.thorough
def test_a_backlog_becomes_a_series_of_observations(project: Project) -> None:
    folder = _run(project, "backlog", "-p", "overload_rate", "400")
    rows = read_campaign(folder, load_dictionary(project.dictionary), project.root)
    series = [row for row in rows if row["interval"] is not None]
    assert {row["metric"] for row in series} == {"backlog", "backlog_messages"}
    assert len({row["observation_id"] for row in rows}) == len(rows)
    whole = {row["metric"]: row["value"] for row in rows if row["interval"] is None}
    assert whole["messages_arrived"] == whole["messages_sent"] > 0
    assert whole["messages_missing"] == whole["messages_doubled"] == 0


@pytest.mark.thorough
@permitted
def test_namespaces_of_a_killed_runner_are_removed_at_the_next_start(project: Project) -> None:
    arguments = ["run", "replication", "--profile", "smoke", *FAST]
    arguments += ["-p", "replication_link", "namespaces", "-p", "replication_link_rtt_ms", "0"]
    runner = subprocess.Popen(
        [sys.executable, "-m", "roundtrip", "--project", str(project.root), *arguments],
        env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until(lambda: _spaces(project), runner)
        time.sleep(1)
    finally:
        runner.send_signal(signal.SIGKILL)
        runner.wait()
    assert _spaces(project)
    done = roundtrip(*arguments, project=project)
    assert done.returncode == 0, done.stderr
    assert "removed what a killed runner had left" in done.stderr
    assert "namespace roundtrip-" in done.stderr
    assert not (project.cache / "campaigns" / "cleanup.json").exists()
