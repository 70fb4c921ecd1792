"""The runner: campaigns are killed, interrupted, resumed and refused; nothing is left running.

Brokers and drivers say what they said in a recorded run. ``make test-all`` has what ends them
once more with real ones.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from campaigns import (
    FAST,
    ONE,
    add_factor,
    foreign_broker,
    process_of,
    recorded_java,
    results,
    running,
    smoke_project,
    start,
)
from roundtrip.campaign.derive import summarise
from roundtrip.campaign.manifest import load_manifest
from roundtrip.dictionary import load_dictionary
from roundtrip.project import Project
from roundtrip.sources.measured import read_campaign
from workshop import ROOT, answer, change_yaml, environment, refused, roundtrip, until

pytestmark = pytest.mark.slow


REAL = pytest.param("real", marks=pytest.mark.thorough)
ALSO_REAL = pytest.mark.parametrize("project", ["recorded", REAL], indirect=True)
ONLY_REAL = pytest.mark.parametrize("project", [REAL], indirect=True)


@pytest.fixture
def project(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Project]:
    """Give a project that can measure, and see that nothing runs when the test is over."""
    jar = None
    if getattr(request, "param", "recorded") == "real":
        jar = request.getfixturevalue("jar")
    else:
        monkeypatch.setenv("PATH", f"{recorded_java(tmp_path)}{os.pathsep}{os.environ['PATH']}")
    project = smoke_project(tmp_path / "project", jar)
    yield project
    left = running(project)
    for process in left:
        process.kill()
    assert not left


@ALSO_REAL
def test_killed_runner_leaves_nothing_running_and_goes_on(project: Project) -> None:
    arguments = [*FAST, "-p", "requesters", "[1, 2]"]
    first = start(project, *arguments)
    raw = results(project) / "raw"
    finished = until(
        lambda: [p for p in raw.glob("*.zst") if "." not in p.stem.split(".ndj")[0]], first
    )
    until(lambda: list(raw.glob("*.part")) and process_of(project, "requester-1"), first)
    first.send_signal(signal.SIGKILL)
    first.wait()
    until(lambda: not running(project))
    before = {path: path.read_bytes() for path in finished}
    in_hand = next(raw.glob("*.part")).name.split(".ndjson")[0]
    done = roundtrip("run", "base", "--profile", "smoke", *arguments, project=project)
    assert done.returncode == 0, done.stderr
    assert f"{in_hand} was running when the runner stopped" in done.stderr
    manifest = load_manifest(results(project))
    assert manifest.state == "complete"
    assert len(manifest.runs) == 4
    # An attempt in which a busy machine answered nothing is tried again, and is none of these.
    killed = [entry.raw for entry in manifest.failed if ".interrupted-" in entry.raw]
    assert killed == [f"{in_hand}.interrupted-1.ndjson.zst"]
    assert summarise(raw / f"{in_hand}.interrupted-1.ndjson.zst").run["key"] == in_hand
    assert {path: path.read_bytes() for path in before} == before
    assert len(manifest.sessions) == 2
    assert manifest.sessions[0].ended is None


@pytest.mark.parametrize(
    ("project", "victim"),
    [
        ("recorded", "requester-1"),
        pytest.param("real", "requester-1", marks=pytest.mark.thorough),
        pytest.param("real", "broker", marks=pytest.mark.thorough),
    ],
    indirect=["project"],
)
def test_killed_driver_or_broker_costs_one_attempt(project: Project, victim: str) -> None:
    # Long enough to be killed in it, also on a busy machine.
    campaign = start(project, *ONE, "-p", "measure_seconds", "3")
    raw = results(project) / "raw"
    until(lambda: process_of(project, "requester-1"), campaign)
    os.kill(until(lambda: process_of(project, victim), campaign), signal.SIGKILL)
    out, err = campaign.communicate()
    assert campaign.returncode == 0, out + err
    assert "1 attempt failed" in out
    manifest = load_manifest(results(project))
    assert [entry.attempt for entry in manifest.runs] == [2]
    assert manifest.failed[0].raw == "nonpersistent-256b-c2-r1.failed-1.ndjson.zst"
    assert f"{victim} was killed by SIGKILL" in manifest.failed[0].reason
    assert summarise(raw / manifest.failed[0].raw).reason


@ALSO_REAL
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_keeps_what_was_measured(project: Project, number: signal.Signals) -> None:
    campaign = start(project, *FAST, "-p", "requesters", "[1, 2, 3]")
    raw = results(project) / "raw"
    until(lambda: list(raw.glob("*-r1.ndjson.zst")), campaign)
    campaign.send_signal(number)
    _, err = campaign.communicate()
    assert campaign.returncode == 130, err
    manifest = load_manifest(results(project))
    assert manifest.state == "stopped"
    assert manifest.why_stopped == "interrupted"
    assert len(manifest.runs) >= 1
    assert len(manifest.left_out) + len(manifest.runs) == 6
    assert (results(project) / "points.csv").stat().st_size > 500


def test_a_campaign_that_was_started_with_nohup_outlives_its_terminal() -> None:
    code = (
        "import os, signal\nfrom roundtrip.cli._campaigns import _ended_in_order\n"
        "with _ended_in_order():\n    os.kill(os.getpid(), signal.SIGHUP)\n    print('alive')\n"
    )
    done = subprocess.run(
        ["nohup", sys.executable, "-c", code], env=environment(), capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr


@ONLY_REAL
def test_fresh_campaign_replaces_the_old_one_only_when_complete(project: Project) -> None:
    folder = results(project)
    assert roundtrip("run", "base", "--profile", "smoke", *ONE, project=project).returncode == 0
    old = (folder / "points.csv").read_bytes()
    second = start(project, *ONE, "--fresh")
    until(lambda: process_of(project, "broker"), second)
    second.kill()
    second.wait()
    assert (folder / "points.csv").read_bytes() == old
    again = roundtrip("run", "base", "--profile", "smoke", *ONE, project=project)
    assert "is complete; --fresh goes on with the new one" in again.stdout
    done = roundtrip("run", "base", "--profile", "smoke", *ONE, "--fresh", project=project)
    assert done.returncode == 0, done.stderr
    assert (folder / "points.csv").read_bytes() != old
    assert [path.name for path in folder.parent.iterdir()] == ["base-smoke"]


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
    refused(done, "the disk is nearly full", "run the command again to resume")


def test_of_several_campaigns_one_that_stops_does_not_cost_the_others(project: Project) -> None:
    plans = project.params / "campaigns"
    blocked = project.root / "blocked"
    blocked.write_text("a file where the folder should be")
    plan = (plans / "base.yml").read_text()
    wrong = plan.replace(
        "broker: &quick_compiler {", f"broker: &quick_compiler {{journal_path: {blocked}, "
    )
    assert wrong != plan
    (plans / "another.yml").write_text(wrong)
    done = roundtrip("run", "--all", "--profile", "smoke", *ONE, project=project)
    text = refused(done, "1 of 2 campaigns stopped: another", "resume them")
    assert "another stopped: " in text
    assert "blocked" in text
    assert "together" in done.stdout
    assert load_manifest(results(project)).state == "complete"


def test_campaigns_are_named_or_all_of_them_run(project: Project) -> None:
    refused(answer("run", project=project), "name one or more plans", "--all", "base")
    refused(answer("run", "base", "--all", project=project), "not both")


OTHER = {
    "product": "Acme Broker", "version": "3.1", "what": "a container", "host": "16 cores",
    "started": "was started once, by its own service",
}  # fmt: skip


@ONLY_REAL
def test_two_releases_of_any_broker_stand_side_by_side(project: Project, jar: Path) -> None:
    add_factor(project, "prefetch_size")
    path = project.params / "campaigns" / "base.yml"
    set_by = {"prefetch_size": {"url_option": "jms.prefetchPolicy.all"}}
    with foreign_broker(project.root, jar, amqp=True) as address:
        change_yaml(path, {"system": {**OTHER, "url": address}, "set_by": set_by})
        for version in ("3.1", "3.2"):
            done = roundtrip(
                "run", "base", "--profile", "smoke", *ONE, "-p", "prefetch_size", "[10, 1000]",
                "-p", "system.version", f'"{version}"',
                "--output", str(project.campaigns / f"acme-{version}"), project=project,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
    dictionary = load_dictionary(project.dictionary)
    rows = [
        row
        for folder in sorted(project.campaigns.iterdir())
        for row in read_campaign(folder, dictionary, project.root)
    ]
    found = {(row["source"], row["product_version"], row["prefetch_size"]) for row in rows}
    assert found == {
        (f"acme-{version}", version, size) for version in ("3.1", "3.2") for size in (10, 1000)
    }
    assert {row["product"] for row in rows} == {"Acme Broker"}
    manifest = load_manifest(project.campaigns / "acme-3.1")
    assert not manifest.broker_restarted
    assert manifest.plan.system is not None
    assert manifest.plan.system.started == OTHER["started"]
    # Nothing is said of a recovery log that nobody has seen.
    assert "journal_file_system" not in manifest.host


def test_second_runner_is_refused(project: Project) -> None:
    first = start(project, *ONE, "-p", "measure_seconds", "60")
    until(lambda: process_of(project, "broker"), first)
    done = roundtrip("run", "base", "--profile", "smoke", *ONE, project=project)
    refused(done, f"process {first.pid} is at work here")
    first.send_signal(signal.SIGINT)
    first.communicate()
    assert first.returncode == 130


def test_missing_java_and_missing_jar_are_named(project: Project) -> None:
    done = roundtrip(
        "run", "base", "--profile", "smoke", project=project, env=environment(PATH="/nowhere")
    )
    refused(done, "Java is not on PATH", "everything else works without")
    # The package of a wheel without the load driver, and a project without one of its own.
    installed = project.root.parent / "installed"
    shutil.copytree(
        ROOT / "src" / "roundtrip", installed / "roundtrip",
        ignore=shutil.ignore_patterns("__pycache__", "_harness"),
    )  # fmt: skip
    (project.root / "harness" / "target").rename(project.root / "elsewhere")
    done = roundtrip(
        "run", "base", "--profile", "smoke", project=project,
        env=environment(PYTHONPATH=str(installed)),
    )  # fmt: skip
    refused(done, "the load driver is not built", "install a wheel")
