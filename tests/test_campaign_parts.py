"""Parts of the runner by themselves: raw files, derived points, the guard, leftovers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtrip.campaign.derive import Summary, marked_words, summarise
from roundtrip.campaign.folder import Folder
from roundtrip.campaign.leftovers import REMOVERS, CleanupNote
from roundtrip.campaign.machine import readings
from roundtrip.campaign.machine.readings import (
    Noise,
    Sampler,
    machine_counters,
    read_noise,
    wait_for_quiet,
)
from roundtrip.campaign.manifest import Move, load_manifest
from roundtrip.campaign.method import Guard
from roundtrip.campaign.plan import Plan
from roundtrip.campaign.raw import RawFile, keep_interrupted, parse_line, read_raw
from roundtrip.campaign.results import write_results
from roundtrip.campaign.values.resources import resource_values
from roundtrip.errors import DataError, RoundtripError
from roundtrip.project import POINTS
from workshop import ROOT, read_csv, until

QUIET = Noise(0.1, 1.0, 0.0, 0.5)
BUSY = Noise(7.0, 88.0, 5.0, 60.0)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.one_of(
    st.text(max_size=60),
    st.dictionaries(st.text(max_size=8), st.one_of(st.integers(), st.text(max_size=8))).map(
        lambda record: json.dumps(record, ensure_ascii=False)),
), max_size=8))  # fmt: skip
def test_lines_come_back_as_they_were_written(lines: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        raw = RawFile(Path(folder), "run")
        for line in lines:
            raw.line("driver", line)
        found = list(read_raw(raw.finish()))
    assert len(found) == len(lines)
    for line, back in zip(lines, found, strict=True):
        assert back.source == "driver"
        is_object = parse_line("driver", line) is not None
        assert (back.record, back.text) == ((json.loads(line), "") if is_object else ({}, line))


def test_file_of_a_killed_runner_can_be_read_and_is_marked(tmp_path: Path) -> None:
    code = (
        "import sys, time, os\nfrom pathlib import Path\n"
        "from roundtrip.campaign.raw import RawFile\n"
        "raw = RawFile(Path(sys.argv[1]), 'run')\n"
        "raw.line('a', '{\"event\": \"one\"}')\ntime.sleep(1.1)\n"
        "raw.line('a', '{\"event\": \"two\"}')\n"
        "raw.line('a', '{\"event\": \"lost\"}')\nos.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert keep_interrupted(tmp_path) == ["run"]
    assert [line.event for line in read_raw(tmp_path / "run.interrupted-1.ndjson.zst")] == [
        "one", "two",
    ]  # fmt: skip
    assert RawFile(tmp_path, "run").finish("interrupted").name == "run.interrupted-2.ndjson.zst"
    (tmp_path / "run.interrupted-1.ndjson.zst").unlink()
    assert RawFile(tmp_path, "run").finish("interrupted").name == "run.interrupted-3.ndjson.zst"


def test_full_disk_is_reported_by_the_runner_not_by_a_reader(tmp_path: Path) -> None:
    (tmp_path / "run.ndjson.zst.part").symlink_to("/dev/full")
    raw = RawFile(tmp_path, "run")
    for number in range(20_000):
        raw.line("driver", f"{number} {os.urandom(24).hex()}")
    raw._flushed = 0
    raw.line("driver", "the end")
    with pytest.raises(RoundtripError, match="No space left") as caught:
        raw.check()
    assert "free disk space" in str(caught.value)


def test_paths_of_the_machine_are_hidden(tmp_path: Path) -> None:
    raw = RawFile(tmp_path, "run", {"/srv/somebody/report": "…"})
    raw.line("broker", '{"log": "/srv/somebody/report/.cache/broker.log"}')
    assert next(iter(read_raw(raw.finish()))).record == {"log": "…/.cache/broker.log"}


@pytest.mark.parametrize(
    "content",
    [b"not compressed", b"", b'{"at": 1}\n', b'{"at":"x","from":"a","record":{}}\n', b"\xff\n"],
)
def test_damaged_files_are_refused_with_their_name(tmp_path: Path, content: bytes) -> None:
    import zstandard

    path = tmp_path / "bad.ndjson.zst"
    framed = content if content.startswith(b"not") else zstandard.ZstdCompressor().compress(content)
    path.write_bytes(framed)
    with pytest.raises(DataError, match=r"bad\.ndjson"):
        summarise(path)


# --- what is derived ------------------------------------------------------------------------


def _interval(t_ms: int, trips: int, rate: float) -> dict[str, Any]:
    return {"event": "interval", "t_ms": t_ms, "length_s": 1.0, "round_trips": trips, "rate": rate,
            "errors": 1, "lost": 2}  # fmt: skip


def plan_with(other: float) -> Plan:
    return Plan(
        name="x", profile="quick", title="T", question="Q", factors={"requesters": (1,)},
        guard=Guard(other=other),
    )  # fmt: skip


def _sample(t: float, cpu: float, busy: float) -> dict[str, Any]:
    stolen = 0.22 * (t - 100)
    idle = 2 * (t - 100) - busy - stolen
    return {
        "event": "sample", "t": t, "took_s": 0.002,
        "machine": {"idle_s": idle, "steal_s": stolen, "io_wait_s": t - 100},
        "processes": {"broker": {"cpu_s": cpu, "rss": 5e8, "written": (t - 100) * 2e6},
                      "requester-1": {"cpu_s": cpu / 2, "rss": 1},
                      "runner": {"cpu_s": cpu / 20, "rss": 1}},
    }  # fmt: skip


def test_points_are_those_of_the_measured_part_alone(tmp_path: Path) -> None:
    raw = RawFile(tmp_path, "run")
    raw.record("runner", event="run", key="run", processors=2, factors={}, repetition=1)
    for name in ("requester-1", "requester-2"):
        raw.record(name, **_interval(101_000, 5, 5.0))
    raw.record("runner", event="measure", from_ms=101_000, steady=True, warm_up_s=1)
    for name in ("requester-1", "requester-2"):
        raw.record(name, **_interval(102_000, 100, 100.0))
        raw.record(name, **_interval(103_000, 120, 120.0))
    raw.record("responder-1", **_interval(103_000, 9999, 9999.0))
    for t in (100.0, 102.0, 104.0):
        raw.record("sampler", **_sample(t, cpu=(t - 100) * 0.8, busy=(t - 100) * 1.5))
        # The sampler was kept from running after it had read the time.
        late = _sample(t, cpu=(t - 98) * 0.8, busy=(t - 98) * 1.5)
        raw.record("sampler", **{**late, "t": t + 0.1, "took_s": 2.002})
    # An older file, in which the clock of a host was less exact than the runner knew it.
    raw.record("runner", event="finished", from_ms=101_000, to_ms=102_999.9995)
    for name in ("requester-1", "requester-2"):
        raw.record(name, **_interval(103_010, 7, 7.0))
    found = summarise(raw.finish())
    assert found.values["round_trip_rate", "mean"] == pytest.approx(220)
    assert found.values["errors", "total"] == 4
    assert found.values["lost_replies", "total"] == 8
    assert found.values["broker_cpu", "mean"] == pytest.approx(40)
    assert found.values["driver_cpu", "mean"] == pytest.approx(20)
    assert found.values["machine_cpu", "mean"] == pytest.approx(75)
    assert found.values["runner_cpu", "mean"] == pytest.approx(2)
    assert ("runner_cpu_time", "mean") not in found.values
    assert found.values["other_cpu", "mean"] == pytest.approx(13)
    assert found.values["cpu_steal", "mean"] == pytest.approx(11)
    assert found.values["broker_cpu_time", "mean"] == pytest.approx(0.8 / 220 * 1e6)
    assert found.values["disk_write_rate", "mean"] == pytest.approx(2)
    assert found.values["disk_wait", "mean"] == pytest.approx(100)
    assert found.rates == (10, 200, 240)  # the rest of an interval would look like a fall
    assert found.drift is None
    assert found.doubt(plan_with(20)) == "requests never answered: 8"
    marks = found.doubt(plan_with(10)) or ""
    assert "other processes took 13 %" in marks
    assert "the hypervisor took 11 %" in marks
    # A recovery log makes tasks wait for its disk; without one, something else does.
    for delivery, held_up in (("persistent", False), ("nonpersistent", True)):
        found.run["factors"] = {"delivery": delivery}
        marks = found.doubt(plan_with(20)) or ""
        assert ("tasks waited for a disk 100 % of the time" in marks) is held_up


def test_both_halves_of_the_measured_part_are_compared(tmp_path: Path) -> None:
    raw = RawFile(tmp_path, "run")
    raw.record("runner", event="run", key="run", processors=2)
    raw.record("runner", event="measure", from_ms=2000, steady=True, warm_up_s=2)
    for second, rate in enumerate([10.0, 50.0, 100.0, 100.0, 70.0, 104.0, 106.0, 9.0], start=1):
        raw.record("requester-1", **_interval(1000 * second, int(rate), rate))
    raw.record("runner", event="finished", from_ms=2000, to_ms=7000)
    assert summarise(raw.finish()).drift == pytest.approx(210 / 200 - 1)


def test_drivers_that_work_off_what_they_fell_behind_with_are_doubted(tmp_path: Path) -> None:
    def of(*behind: int) -> Summary:
        raw = RawFile(tmp_path, "run")
        raw.record("runner", event="run", key="run", processors=2)
        for second, due in enumerate(behind, start=1):
            raw.record("requester-1", **_interval(1000 * second, 100, 100.0), behind=due)
        raw.record("requester-1", event="end", whole_run={"sent": 0, "received": 0}, unended=2)
        raw.record("runner", event="finished", from_ms=2000, to_ms=4000)
        return summarise(raw.finish())

    doubt = str(of(90, 50, 30, 9).doubt(plan_with(10)))
    assert "its drivers were 500 ms behind when it was measured" in doubt
    assert "threads that never ended, their messages not counted: 2" in doubt
    assert of(1, 1, 1, 0).behind_ms == 0  # a round trip is always about to begin
    assert of(10, 50, 90, 130).behind_ms == 0  # overload, which the rate shows


def test_a_request_that_nobody_answered_is_lost_though_its_time_out_never_came(
    tmp_path: Path,
) -> None:
    def lost(*events: dict[str, Any]) -> float:
        raw = RawFile(tmp_path, "run")
        raw.record("runner", event="run", key="run", processors=2)
        raw.record("requester-1", **{**_interval(2000, 9, 9.0), "lost": 0})
        raw.record("runner", event="finished", from_ms=1000, to_ms=2000)
        for event in events:
            raw.record("requester-1", **event)
        found = summarise(raw.finish())
        count = found.values["lost_replies", "total"]
        assert (f"requests never answered: {count:g}" in str(found.doubt(plan_with(10)))) == (
            count > 0
        )
        return count

    end = {"event": "end", "whole_run": {"sent": 12, "received": 10, "lost": 0}}
    assert lost({**end, "whole_run": {"sent": 12, "received": 12}}) == 0
    assert lost(end) == 2
    doubled = {"sent": 12, "received": 12, "duplicates": 1, "lost": 1}  # one came twice, one never
    assert lost({**end, "whole_run": doubled}) == 1
    assert lost({"event": "killed", "at_ms": 1500}, end) == 0  # as it was meant to


@pytest.mark.parametrize("wrong", ["mismatches", "duplicates"])
def test_a_wrong_or_second_reply_is_an_error(tmp_path: Path, wrong: str) -> None:
    raw = RawFile(tmp_path, "run")
    raw.record("runner", event="run", key="run", processors=2)
    raw.record("requester-1", **{**_interval(2000, 9, 9.0), wrong: 3})
    raw.record("runner", event="finished", from_ms=1000, to_ms=2000)
    assert summarise(raw.finish()).values["errors", "total"] == 1 + 3


def test_a_run_that_settles_after_measuring_began_is_doubted(tmp_path: Path) -> None:
    raw = RawFile(tmp_path, "run")
    raw.record("runner", event="run", key="run", processors=2)
    rates = [float(10 * step) for step in range(1, 16)] + [200.0] * 30
    raw.record("runner", event="measure", from_ms=5000, steady=True, warm_up_s=5)
    for second, rate in enumerate(rates, start=1):
        raw.record("requester-1", **_interval(1000 * second, int(rate), rate))
    found = summarise(raw.finish())
    assert found.settled(1.0) == 15
    assert "settled only after 15 s" in (found.doubt(plan_with(10)) or "")


def test_every_mark_that_a_run_is_given_says_of_what_kind_it_is() -> None:
    found = Summary(
        run={"complaint": "a disk is busy"}, behind_ms=212, unended=2,
        values={("lost_replies", "total"): 8, ("other_cpu", "mean"): 30},
        warm_up_s=5, rates=(*(float(10 * step) for step in range(1, 16)), *[200.0] * 30),
        moved=[Move(role="requesters", lost="asking", host="answering")],
    )  # fmt: skip
    manifest = SimpleNamespace(runs=[SimpleNamespace(doubt=found.doubt(plan_with(20)))])
    assert marked_words(manifest) == (  # type: ignore[arg-type]
        "Marked runs: 1 of 1 (not steady: 1, settled late: 1, behind schedule: 1, "
        "replies missing: 1, threads not ended: 1, on another host: 1, disturbed: 1, "
        "more than one of these: 1)."
    )


def test_latencies_of_another_unit_are_refused(tmp_path: Path) -> None:
    raw = RawFile(tmp_path, "run")
    raw.record("runner", event="run", key="run", processors=2)
    raw.record("requester-1", **{**_interval(2000, 1, 1.0), "latency_unit": "us"})
    raw.record("runner", event="finished", from_ms=1000, to_ms=2000)
    with pytest.raises(DataError, match="latencies in us"):
        summarise(raw.finish())


@pytest.mark.parametrize(
    ("source", "record"),
    [
        ("runner", {"event": "measure"}),
        ("runner", {"event": "failed"}),
        ("runner", {"event": "moved", "role": "broker"}),
        ("runner", {"event": "finished", "from_ms": "soon", "to_ms": 1}),
        ("broker", {"event": "ready", "effective": [1]}),
    ],
)
def test_a_record_that_is_not_one_is_named(
    source: str, record: dict[str, Any], tmp_path: Path
) -> None:
    raw = RawFile(tmp_path, "run")
    raw.record("runner", event="run", key="run", processors=2)
    raw.record(source, **record)
    with pytest.raises(DataError, match="a record is not what the runner writes"):
        summarise(raw.finish())


def test_processors_that_are_offline_have_no_place_among_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stat = tmp_path / "stat"
    stat.write_text("cpu  9 9\ncpu0 1 1\ncpu2 1 1\ncpu4 1 1\nintr 5\n", encoding="ascii")
    monkeypatch.setattr(readings, "STAT", stat)
    idle = [SimpleNamespace(idle=seconds) for seconds in (1.0, 20.0, 300.0)]
    monkeypatch.setattr(readings.psutil, "cpu_times", lambda percpu: idle)
    assert machine_counters({0, 4})["idle_s"] == 301
    assert machine_counters()["idle_s"] == 321


CAMPAIGNS = sorted(path.parent for path in (ROOT / "data" / "campaigns").glob("*/raw"))


@pytest.mark.parametrize("folder", CAMPAIGNS, ids=lambda folder: folder.name)
def test_points_of_recorded_runs_are_derived_again_as_they_were(
    folder: Path, tmp_path: Path
) -> None:
    copy = Folder(tmp_path / folder.name, tmp_path / folder.name)
    copy.raw.mkdir(parents=True)
    key, recorded = next(iter(Folder(folder, folder).finished().items()))
    shutil.copy(recorded, copy.raw)
    before = load_manifest(folder)
    manifest = write_results(copy, before)
    own = next(entry for entry in before.runs if entry.run == key)
    assert manifest.runs == (own,)
    assert manifest.configurations[0].effective in [c.effective for c in before.configurations]
    lines = [line for line in read_csv((folder / POINTS).read_text()) if line["run"] == key]
    found = read_csv((copy.work / POINTS).read_text())
    names = found[0].keys()
    assert found == [{name: line[name] for name in names} for line in lines]


def test_what_was_used_after_the_last_sample_is_not_missing() -> None:
    samples = [_sample(t, cpu=(t - 100) * 0.8, busy=(t - 100) * 1.5) for t in range(100, 106)]
    whole, cut = (resource_values(some, 101, 104.5, 2, 1000) for some in (samples, samples[:-1]))
    assert cut == pytest.approx(whole)
    assert cut["broker_cpu", "mean"] == pytest.approx(40)
    assert resource_values(samples[:2], 101, 104.5, 2, 1000) == {}


def test_what_was_used_before_the_first_sample_is_not_missing() -> None:
    samples = [_sample(t, cpu=(t - 100) * 0.8, busy=(t - 100) * 1.5) for t in range(100, 108)]
    whole, cut = (resource_values(some, 101, 104.5, 2, 1000) for some in (samples, samples[2:]))
    assert cut == pytest.approx(whole)
    # What is sampled only later says nothing, least of all that no processor was idle.
    assert resource_values(samples[5:], 101, 104.5, 2, 1000) == {}


# --- the guard ------------------------------------------------------------------------------


def test_guard_waits_until_the_machine_is_quiet() -> None:
    readings = iter([BUSY, QUIET])
    said: list[str] = []
    found = wait_for_quiet(Guard(wait_seconds=10), lambda: next(readings), said.append)
    assert found == (QUIET, None)
    assert len(said) == 1
    assert "other work takes 88 %" in said[0]


def test_guard_marks_or_refuses_as_it_is_told() -> None:
    noise, complaint = wait_for_quiet(Guard(wait_seconds=0, otherwise="mark"), lambda: BUSY, print)
    assert noise is BUSY
    for part in ("88 %", "hypervisor takes 5 %", "tasks wait for a processor 60 %"):
        assert part in (complaint or "")
    with pytest.raises(RoundtripError, match="the machine is not quiet"):
        wait_for_quiet(Guard(wait_seconds=0, otherwise="refuse"), lambda: BUSY, print)


def test_readings_see_work() -> None:
    work = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        time.sleep(0.2)
        noise = read_noise()
    finally:
        work.kill()
        work.wait()
    assert noise.busy > 100 / (2 * (psutil.cpu_count() or 1))


def test_the_last_sample_is_taken_after_the_measured_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readings, "_PERIOD", 60)
    raw = RawFile(tmp_path, "run")
    with Sampler(raw, {"runner": os.getpid()}):
        time.sleep(0.1)
        end = time.time()
    times = [line.record["t"] for line in read_raw(raw.finish())]
    assert len(times) == 2
    assert times[-1] >= round(end, 4)


# --- leftovers ------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv")
def test_nothing_that_a_killed_runner_has_started_goes_on(tmp_path: Path) -> None:
    mark = str(tmp_path / "deaf")
    # It heeds neither the end of its input nor any signal that it can refuse.
    deaf = "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint('{}', flush=True)\n"
    deaf += "time.sleep(600)"
    code = (
        "import os, queue, sys\n"
        "from pathlib import Path\n"
        "from roundtrip.campaign.processes import Launch, Process\n"
        "from roundtrip.campaign.raw import RawFile\n"
        "said = queue.Queue()\n"
        f"launch = Launch([sys.executable, '-c', {deaf!r}, {mark!r}])\n"
        f"Process('deaf', launch, said.put, RawFile(Path({str(tmp_path)!r}), 'run'))\n"
        "print(said.get().source, flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (-9, "deaf\n"), done.stderr
    until(
        lambda: all(mark not in (p.info["cmdline"] or ()) for p in psutil.process_iter(["cmdline"]))
    )


def test_what_is_still_held_is_not_told_to_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = CleanupNote(tmp_path / "cleanup.json")
    note.add("home", str(tmp_path / "broker"))
    note.add("storage", "ext4-01234567")
    with monkeypatch.context() as patch:
        patch.setitem(REMOVERS, "storage", lambda own, name: False)
        assert note.remove_leftovers() == [f"home {tmp_path / 'broker'}"]
    assert note.remove_leftovers() == ["storage ext4-01234567"]
    assert note.remove_leftovers() == []


def test_keys_of_others_stay_whatever_a_note_says(tmp_path: Path) -> None:
    own, other = tmp_path / "campaigns", tmp_path / "mq"
    (other / "data").mkdir(parents=True)
    (other / "data" / "trust.p12").touch()
    note = CleanupNote(own / "cleanup.json")
    note.add("home", str(other))
    note.remove_leftovers()
    assert (other / "data" / "trust.p12").exists()
