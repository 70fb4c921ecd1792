"""Models, several brokers and connections: how a machine is divided, and what is read from runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from roundtrip.campaign.drivers import rate_of_each
from roundtrip.campaign.feasible import runnable
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.machine.confinement import lacking, share_of_processors, unlimited_disks
from roundtrip.campaign.machine.control_groups import (
    Limit,
    disk_limit,
    find_groups,
    processor_limit,
    remove_group,
)
from roundtrip.campaign.machine.mounts import disk_of
from roundtrip.campaign.plan import Model
from roundtrip.campaign.points import Combination, combinations_of
from roundtrip.campaign.raw import RawLine
from roundtrip.campaign.resolve import resolve_plan
from roundtrip.campaign.settable import DEFAULTS, impossible
from roundtrip.campaign.values.drivers import connection_values
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import ParameterError, SetupError
from roundtrip.project import Project
from roundtrip.stats.histograms import DIGITS, HIGHEST_NS
from workshop import ROOT, copy_project

MODELS = {"A": Model(processor_share=0.5), "B": Model(processor_share=0.25)}


def test_drivers_have_the_same_processors_whichever_the_model() -> None:
    eight = range(8)
    of_a, of_b = (share_of_processors(eight, MODELS, name) for name in "AB")
    assert (of_a.brokers, of_b.brokers) == ((0, 1, 2, 3), (0, 1))
    assert of_a.drivers == of_b.drivers == (4, 5, 6, 7)


def test_where_a_model_uses_all_processors_drivers_share_them() -> None:
    models = {"A": Model(processor_share=1), "B": Model(processor_share=0.5)}
    assert share_of_processors([0, 1], models, "A").brokers == (0, 1)
    of_b = share_of_processors([0, 1], models, "B")
    assert (of_b.brokers, of_b.drivers) == ((0,), (0, 1))


def test_a_model_may_have_part_of_a_processor() -> None:
    of_a, of_b = (share_of_processors([0, 1], MODELS, name) for name in "AB")
    assert (of_a.brokers, of_a.drivers, of_a.limit) == ((0,), (1,), None)
    assert (of_b.brokers, of_b.drivers, of_b.limit) == ((0,), (1,), 0.5)
    three = share_of_processors([0, 1, 2], MODELS, "A")
    assert (three.brokers, three.drivers, three.limit) == ((0, 1), (2,), 1.5)


@pytest.mark.parametrize("limit", [disk_limit((8, 0), 5000), processor_limit(0.25)])
@pytest.mark.parametrize("version", [1, 2])
def test_limits_are_read_as_they_were_written(tmp_path: Path, limit: Limit, version: int) -> None:
    for name, text in limit.files[version].items():
        (tmp_path / name).write_text(f"{text}\n")
    assert limit.holds(tmp_path, version)


def test_limits_are_read_as_the_kernel_shows_them(tmp_path: Path) -> None:
    (tmp_path / "blkio.throttle.write_bps_device").write_text("8:16 7\n8:0 5000\n")
    assert disk_limit((8, 0), 5000).holds(tmp_path, 1)
    assert not disk_limit((8, 0), 7).holds(tmp_path, 1)
    assert not disk_limit((9, 0), 5000).holds(tmp_path, 1)
    (tmp_path / "io.max").write_text("8:0 rbps=77 wbps=5000 riops=max wiops=max\n")
    assert disk_limit((8, 0), 5000).holds(tmp_path, 2)
    assert not disk_limit((8, 0), 77).holds(tmp_path, 2)
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert not processor_limit(1).holds(tmp_path, 2)
    (tmp_path / "cpu.cfs_period_us").write_text("100000\n")
    (tmp_path / "cpu.cfs_quota_us").write_text("-1\n")
    assert not processor_limit(1).holds(tmp_path, 1)


def test_folders_that_are_no_control_groups_stay(tmp_path: Path) -> None:
    folder = tmp_path / "roundtrip-01234567"
    folder.mkdir()
    assert remove_group(str(folder))
    assert remove_group(str(tmp_path / "roundtrip-89abcdef"))
    assert remove_group("/sys/fs/cgroup")
    assert folder.is_dir()


@pytest.mark.parametrize("controller", ["io", "cpu"])
def test_a_control_group_is_made_and_removed(tmp_path: Path, controller: str) -> None:
    groups, disk = find_groups(controller), disk_of(tmp_path)
    if isinstance(groups, str) or disk is None:
        pytest.skip("no control groups here")
    limit = disk_limit(disk, 12_000_000) if controller == "io" else processor_limit(0.5)
    path = groups.new_path()
    path.mkdir()
    try:
        for name, text in limit.files[groups.version].items():
            (path / name).write_text(text)
        assert limit.holds(path, groups.version)
    finally:
        assert remove_group(str(path))
    assert not path.exists()


def test_a_disk_rate_that_cannot_be_limited_is_remarked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "roundtrip.campaign.machine.confinement.find_groups", lambda _: "there are none"
    )
    models = {"A": Model(), "B": Model(disk_mb_per_s=5)}
    assert lacking(models, "B") is None
    assert unlimited_disks(models, tmp_path) == ["disk rate of model B: there are none"]


def test_a_model_whose_processors_cannot_be_given_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "roundtrip.campaign.machine.confinement.find_groups", lambda _: "there are none"
    )
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    assert lacking(MODELS, "A") is None
    assert lacking(MODELS, "B") == "model B: part of a processor cannot be given: there are none"


def test_more_connections_than_open_files_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roundtrip.campaign.feasible.raise_limit", lambda: 3000)
    factors = (("responders", 4), ("workload", "RR-CC"))
    dictionary = load_dictionary(ROOT / "data" / "dictionary.yml")
    plan = resolve_plan(Project(ROOT), "connections", "quick", dictionary)
    (one,), told = runnable(None, plan, Path(), (Combination("a", factors, (1000, 10_000)),))
    assert one.levels == (1000,)
    assert "10000 requesters need 11028 open files" in told[0]
    assert "ulimit -n" in told[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"queue_managers": 10, "requesters": 15, "responders": 10}, "no multiple"),
        ({"queue_managers": 10, "requesters": 20, "responders": 4}, "no multiple"),
        ({"log_file_system": "ext4"}, "no recovery log"),
        ({"requester_rate": 0}, "requester_rate is 0"),
        ({"requester_rate": 1, "target_rate": 1}, "both say"),
    ],
)
def test_impossible_points_are_refused(change: dict[str, Any], words: str) -> None:
    assert words in str(impossible({**DEFAULTS, "requesters": 4, **change}))


def test_each_requester_keeps_its_rate() -> None:
    assert rate_of_each({"requester_rate": 36, "requesters": 100}) == pytest.approx(0.01)
    assert rate_of_each({"target_rate": 50, "requesters": 100}) == pytest.approx(0.5)
    assert rate_of_each({"requesters": 100}) == 0


def test_connections_are_read_from_the_raw_file() -> None:
    from hdrh.histogram import HdrHistogram

    histogram = HdrHistogram(1, HIGHEST_NS, DIGITS)
    for _ in range(50):
        histogram.record_value(2_000_000)
    encoded = histogram.encode().decode()

    def connected(source: str, t_ms: float, seconds: float) -> RawLine:
        record = {
            "event": "connected", "t_ms": t_ms, "threads": 50, "seconds": seconds,
            "histogram": encoded,
        }  # fmt: skip
        return RawLine(0, source, record)

    lines = [
        connected("requester-1", 11_000, 1.0), connected("requester-2", 12_000, 1.5),
        connected("responder-1", 99_000, 9.0),
    ]  # fmt: skip
    samples = [
        {"t": t, "processes": {"broker": {"rss": rss}, "requester-1": {"rss": 1}}}
        for t, rss in ((9.0, 10_000_000), (11.0, 12_000_000), (13.0, 20_240_000))
    ]
    values = connection_values(lines, samples, 12_500, 14_000)
    assert values["connection_time", "single"] == pytest.approx(2.0)
    assert values["connection_rate", "mean"] == pytest.approx(50)
    assert values["connection_latency", "p50"] == pytest.approx(2, rel=0.01)
    assert values["memory_per_client", "mean"] == pytest.approx(100)
    assert connection_values(lines[2:], samples, 12_500, 14_000) == {}


def test_parts_that_this_machine_lacks_are_left_out_and_the_rest_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dictionary = load_dictionary(ROOT / "data" / "dictionary.yml")
    project = Project(ROOT)
    plan = resolve_plan(project, "file-systems", "quick", dictionary)
    combinations = combinations_of(plan)
    monkeypatch.setenv("PATH", str(tmp_path))
    harness = Harness(Path(), Path(), tmp_path, "")
    kept, reasons = runnable(harness, plan, tmp_path, combinations)
    assert {dict(one.factors)["log_file_system"] for one in kept} == {"as found"}
    assert any("mkfs.btrfs is not installed" in reason for reason in reasons)
    only = [one for one in combinations if dict(one.factors)["log_file_system"] == "xfs"]
    with pytest.raises(SetupError, match=r"nothing of the plan .* mkfs.xfs"):
        runnable(harness, plan, tmp_path, tuple(only))


def test_a_model_that_the_plan_does_not_describe_is_refused(tmp_path: Path) -> None:
    project = copy_project(tmp_path, ("_quarto.yml", "data/dictionary.yml", "params/campaigns"))
    path = project.params / "campaigns" / "appliance.yml"
    text = path.read_text()
    path.write_text("\n".join(line for line in text.splitlines() if " B: {proc" not in line))
    with pytest.raises(ParameterError, match="what model B is"):
        resolve_plan(project, "appliance", "quick", load_dictionary(project.dictionary))
