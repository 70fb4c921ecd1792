"""What becomes of runs that break off and of campaigns that go on: with runs that only pretend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from roundtrip.campaign import runner
from roundtrip.campaign.brokers import Broker, BrokerError, Endpoints
from roundtrip.campaign.folder import open_folder
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.live_run import RefusedError, RunFailedError
from roundtrip.campaign.machine.host import describe_host
from roundtrip.campaign.machine.readings import Noise
from roundtrip.campaign.manifest import Manifest, load_manifest
from roundtrip.campaign.names import RunName
from roundtrip.campaign.plan import Plan, Point, Setter
from roundtrip.campaign.points import Run, combinations_of
from roundtrip.campaign.processes import ending, reasons_in
from roundtrip.campaign.raw import RawFile
from roundtrip.cli._campaigns import _print_end
from roundtrip.errors import ParameterError, RoundtripError
from roundtrip.project import Project

EMBEDDED, HERE, THERE = "embedded Apache Artemis", "broker at tcp://a:1", "broker at tcp://b:1"
GONE = "broker at tcp://gone:1"
PLAN = Plan(
    name="made", profile="full", title="T", question="Q", factors={"requesters": (1, 2)},
    repetitions=1, attempts=1, least_free_mb=0,
)  # fmt: skip
TWICE = PLAN.model_copy(update={"attempts": 2})
SLOW = PLAN.model_copy(update={"budget_minutes": 0.001})
FOLDER = Path("data/campaigns/made-full")


class Pretended(Broker):
    """A broker that nothing is asked of."""

    def __init__(self, name: str) -> None:
        self.name, self.restarts = name, name == EMBEDDED
        self.gone = "Connection refused" if name == GONE else None

    def noise(self) -> Noise:
        return Noise(0.1, 1.0, 0.0, 0.5)

    def where(self, point: Point) -> str | None:
        return None if self.restarts else f"level {point['requesters']}, tcp://a:1"

    def unreachable(self, point: Point) -> str | None:
        return self.gone

    def start(self, *asked: Any) -> Endpoints:
        raise AssertionError(f"a pretended broker was asked to start: {asked}")


class Quiet:
    """Progress that nobody sees."""

    def begin(self, *told: Any) -> None:
        """Say nothing."""

    run = status = say = done = begin


def finished(run: Run, context: Any, raw: RawFile, **about: Any) -> None:
    """Pretend a run: what the runner and a requester say."""
    del context
    raw.record(
        "runner", event="run", key=run.key, factors=run.factors, repetition=run.repetition,
        processors=2, scheduling_class="normal", **{**about, "noise": asdict(about["noise"])},
    )  # fmt: skip
    raw.record("runner", event="measure", from_ms=1000, steady=True, warm_up_s=1)
    raw.record("requester-1", event="interval", t_ms=2000, length_s=1, round_trips=9, rate=9)
    raw.record("runner", event="finished", from_ms=1000, to_ms=2000)


def broken(problem: BaseException) -> Callable[..., None]:
    """Pretend a run that breaks off."""

    def execute(run: Run, context: Any, raw: RawFile, **about: Any) -> None:
        finished(run, context, raw, **about)
        if isinstance(problem, RoundtripError):
            raw.record("runner", event="failed", reason=problem.what)
        raise problem

    return execute


Measure = Callable[..., Manifest]


@pytest.fixture
def measure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Measure:
    project = Project(tmp_path)

    def carry_out(
        execute: Callable[..., None], plan: Plan = PLAN, broker: str = EMBEDDED, *,
        fresh: bool = False, again: bool = False, driver: str = "made",
    ) -> Manifest:  # fmt: skip
        monkeypatch.setattr(runner, "execute", execute)
        folder, before = open_folder(
            project.campaigns / "made-full", plan, broker, fresh=fresh, again=again
        )
        harness = Harness(Path(), Path(), project.root, driver)
        return runner.Runner(
            project, plan, combinations_of(plan), folder, harness, Pretended(broker), Quiet(),
            before,
        ).carry_out()  # fmt: skip

    return carry_out


def kept(tmp_path: Path) -> Manifest:
    return load_manifest(Project(tmp_path).campaigns / "made-full")


def test_a_broker_that_does_not_start_is_a_failed_attempt(measure: Measure) -> None:
    with pytest.raises(BrokerError):
        measure(broken(BrokerError("no port is free")), TWICE)
    done = measure(finished, TWICE)
    assert (done.state, [entry.attempt for entry in done.runs]) == ("complete", [2, 1])
    assert [(one.interrupted, one.reason) for one in done.failed] == [(False, "no port is free")]


@pytest.mark.parametrize(
    ("problem", "broker", "words"),
    [
        (RefusedError("requester-1 ended with status 1"), HERE, "ended with status 1"),
        (BrokerError("0 were confirmed"), HERE, "level [12], tcp://a:1: 0 were confirmed"),
        (RunFailedError("it cannot go on"), GONE, "tcp://a:1: it cannot go on; .*refused"),
    ],
)
def test_a_running_broker_that_is_not_there_costs_no_attempt(
    measure: Measure, problem: RoundtripError, broker: str, words: str
) -> None:
    def once(run: Run, context: Any, raw: RawFile, **about: Any) -> None:
        (finished if about["order"] == 1 else broken(problem))(run, context, raw, **about)

    with pytest.raises(RefusedError, match=words):
        measure(once, broker=broker)
    for _ in range(2):
        with pytest.raises(RefusedError):
            measure(broken(problem), broker=broker)
    done = measure(finished, broker=broker)
    assert (done.state, len(done.runs)) == ("complete", 2)
    assert [one.interrupted for one in done.failed] == [True] * 3


def test_a_running_broker_that_is_still_there_costs_one(measure: Measure) -> None:
    def once(run: Run, context: Any, raw: RawFile, **about: Any) -> None:
        problem = RunFailedError("requester-1 cannot go on")
        (broken(problem) if about["order"] == 1 else finished)(run, context, raw, **about)

    done = measure(once, TWICE, HERE)
    assert (done.state, [entry.attempt for entry in done.runs]) == ("complete", [2, 1])
    assert [one.interrupted for one in done.failed] == [False]


def test_a_campaign_whose_running_brokers_have_moved_is_not_gone_on_with(
    measure: Measure,
) -> None:
    def at(port: int) -> Plan:
        urls = {"1": "tcp://a:1", "2": f"tcp://a:{port}"}
        setters = {"product_version": Setter(broker_url=urls)}
        return PLAN.model_copy(update={
            "set_by": setters, "factors": {**PLAN.factors, "product_version": ("1", "2")},
        })  # fmt: skip

    measure(finished, at(2), "brokers at tcp://a:1 and tcp://a:2")
    with pytest.raises(ParameterError, match="differ in set_by, the broker") as caught:
        measure(finished, at(3), "brokers at tcp://a:1 and tcp://a:3")
    moved = (
        "the broker (brokers at tcp://a:1 and tcp://a:2 then, brokers at tcp://a:1 and tcp://a:3"
    )
    assert moved in caught.value.what
    assert "--output" in str(caught.value.remedy)


def test_the_end_of_a_campaign_names_the_runs_that_never_succeeded(
    measure: Measure, capsys: pytest.CaptureFixture[str]
) -> None:
    def some(run: Run, context: Any, raw: RawFile, **about: Any) -> None:
        problem = RunFailedError("no round trip was completed")
        (broken(problem) if about["order"] % 3 else finished)(run, context, raw, **about)

    plan = PLAN.model_copy(update={"factors": {"requesters": tuple(range(1, 10))}})
    done = measure(some, plan)
    _print_end(done, "there")
    said = capsys.readouterr().out
    failed = [entry.run for entry in done.failed]
    assert len(failed) == 6
    assert f"never succeeded: {', '.join(failed[:5])} and 1 more\n" in said
    # Of a campaign that stopped, what failed may be tried again.
    _print_end(done.model_copy(update={"state": "stopped"}), "there")
    assert "never succeeded" not in capsys.readouterr().out


def test_an_interruption_costs_no_attempt(measure: Measure) -> None:
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            measure(broken(KeyboardInterrupt()))
    done = measure(finished)
    assert (done.state, len(done.runs)) == ("complete", 2)
    assert [entry.raw.rpartition(".interrupted-")[2] for entry in done.failed] == [
        "1.ndjson.zst", "2.ndjson.zst",
    ]  # fmt: skip
    assert {entry.attempt for entry in done.runs} == {1}
    assert all(entry.interrupted for entry in done.failed)
    # Each attempt has a place of its own, so that one that is taken out leaves a gap.
    assert sorted(entry.order or 0 for entry in (*done.runs, *done.failed)) == [1, 2, 3, 4]


def test_what_tells_a_reason_is_kept_of_a_log() -> None:
    told = [
        "2026-11-29T17:00:13.487 ERROR org.apache.activemq AMQ224000: Failure in initialisation",
        "java.io.IOException: No space left on device",
        "Caused by: java.io.IOException: x",
        "Unrecognized VM option 'NoSuch'",
        "OpenJDK DEBUG VM warning: no room",
    ]
    log = [
        "2026-11-29T17:00:13.487 INFO org.apache.activemq AMQ221000: broker is starting",
        told[0],
        told[1],
        "\tat java.base/sun.nio.ch.FileDispatcherImpl.write0(Native Method)",
        told[2],
        "\t... 12 more",
        told[3],
        "Error: Could not create the Java Virtual Machine.",
        "Error: A fatal exception has occurred. Program will exit.",
        told[4],
    ]
    assert reasons_in(log) == told


def test_how_a_process_ended_is_said_in_words() -> None:
    assert ending(1) == "ended with status 1"
    assert ending(-9) == "was killed by SIGKILL"
    assert ending(-200) == "was killed by signal 200"


def test_an_attempt_that_broke_off_never_takes_the_name_of_another(
    measure: Measure, tmp_path: Path
) -> None:
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            measure(broken(KeyboardInterrupt()))
    first, second = sorted((tmp_path / FOLDER / "raw").iterdir())
    first.unlink()
    before = second.read_bytes()
    with pytest.raises(KeyboardInterrupt):
        measure(broken(KeyboardInterrupt()))
    assert second.read_bytes() == before
    assert len(kept(tmp_path).failed) == 2


@pytest.mark.parametrize("broker", [HERE, EMBEDDED])
def test_a_broker_that_refused_from_the_first_is_no_campaign(
    measure: Measure, tmp_path: Path, broker: str
) -> None:
    problem = RefusedError("cannot connect")
    with pytest.raises(RefusedError):
        measure(broken(problem), broker=broker)
    # What the embedded one has logged is kept.
    folder = Project(tmp_path).campaigns / "made-full"
    assert folder.exists() == (broker == EMBEDDED)

    def once(run: Run, context: Any, raw: RawFile, **about: Any) -> None:
        (finished if about["order"] == 1 else broken(problem))(run, context, raw, **about)

    if broker == HERE:
        with pytest.raises(RefusedError):
            measure(once, TWICE, broker)
        assert len(kept(tmp_path).runs) == 1
        with pytest.raises(RefusedError):
            measure(broken(problem), TWICE, broker)
        assert len(kept(tmp_path).runs) == 1


def test_a_campaign_without_a_finished_run_never_counts_as_complete(
    measure: Measure, tmp_path: Path
) -> None:
    measure(finished)
    problem = broken(RunFailedError("no round trip was completed"))
    for _ in range(2):  # the second time there is no attempt left
        with pytest.raises(RunFailedError, match=r"no run was finished.*no round trip") as caught:
            measure(problem, fresh=True)
        assert ".made-full.new" in str(caught.value)
        assert (kept(tmp_path).state, len(kept(tmp_path).runs)) == ("complete", 2)


def test_what_the_budget_stops_does_not_replace_complete_results(
    measure: Measure, tmp_path: Path
) -> None:
    measure(finished)
    done = measure(finished, SLOW, fresh=True)
    assert (done.state, len(done.runs)) == ("stopped", 0)
    assert "budget" in str(done.why_stopped)
    assert (kept(tmp_path).state, len(kept(tmp_path).runs)) == ("complete", 2)


def test_a_campaign_goes_on_with_other_limits(measure: Measure, tmp_path: Path) -> None:
    done = measure(finished, SLOW)
    assert (done.state, len(done.runs)) == ("stopped", 0)
    assert "raise budget_minutes" in str(done.why_stopped)
    assert len(done.left_out) == 2
    meanwhile: list[tuple[str, ...]] = []

    def looked_at(*run: Any, **about: Any) -> None:
        meanwhile.append(kept(tmp_path).left_out)
        finished(*run, **about)

    done = measure(looked_at, PLAN.model_copy(update={"least_free_mb": 1}))
    assert meanwhile == [(), ()]
    assert (done.state, len(done.runs), len(done.sessions)) == ("complete", 2, 2)
    assert (done.plan.budget_minutes, done.plan.least_free_mb) == (PLAN.budget_minutes, 1)
    assert kept(tmp_path) == done


def test_a_run_that_was_finished_before_an_interrupt_is_not_left_out(
    measure: Measure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(path: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(runner, "summarise", interrupted)
    with pytest.raises(KeyboardInterrupt):
        measure(finished)
    stopped = kept(tmp_path)
    assert (len(stopped.runs), len(stopped.left_out)) == (1, 1)


def test_what_differs_from_the_plan_of_earlier_results_is_named(measure: Measure) -> None:
    measure(finished)
    changes = {"repetitions": 2, "factors": {"requesters": (1, 3)}}
    warm_up = PLAN.warm_up.model_copy(update={"window": 5})
    with pytest.raises(ParameterError) as caught:
        measure(finished, PLAN.model_copy(update={**changes, "warm_up": warm_up}))
    named = caught.value.what.partition("differ in ")[2]
    assert sorted(named.split(", ")) == ["factors", "repetitions", "warm_up"]


@pytest.mark.parametrize("options", [{}, {"fresh": True}, {"again": True}])
def test_a_campaign_of_another_plan_is_never_replaced(
    measure: Measure, tmp_path: Path, options: dict[str, bool]
) -> None:
    measure(finished)
    before = kept(tmp_path)
    other = PLAN.model_copy(update={"name": "other"})
    with pytest.raises(ParameterError, match="a campaign of the plan made, not of other"):
        measure(finished, other, **options)
    assert kept(tmp_path) == before


@pytest.mark.parametrize(("first", "second"), [(HERE, THERE), (HERE, EMBEDDED), (EMBEDDED, HERE)])
@pytest.mark.parametrize("whole", [False, True])
def test_a_campaign_is_gone_on_with_on_its_own_broker_only(
    measure: Measure, first: str, second: str, whole: bool
) -> None:
    if whole:
        measure(finished, broker=first)
    else:
        with pytest.raises(KeyboardInterrupt):
            measure(broken(KeyboardInterrupt()), broker=first)
    with pytest.raises(ParameterError) as caught:
        measure(finished, broker=second)
    assert f"differ in the broker ({first} then, {second} now)" in caught.value.what
    assert "made-full" in str(caught.value.where)
    assert "--fresh" in str(caught.value.remedy)
    done = measure(finished, broker=second, fresh=True)
    assert (done.state, done.broker, len(done.runs)) == ("complete", second, 2)
    assert not done.failed


def test_a_campaign_is_gone_on_with_on_its_own_machine_and_driver_only(
    measure: Measure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyboardInterrupt):
        measure(broken(KeyboardInterrupt()))
    with pytest.raises(ParameterError, match="started with: load driver"):
        measure(finished, driver="changed")
    other = {**kept(tmp_path).host, "kernel": "0.1"}
    with monkeypatch.context() as patch:
        patch.setattr(runner, "describe_host", lambda journal: other)
        with pytest.raises(ParameterError, match="started with: kernel"):
            measure(finished)
    with monkeypatch.context() as patch:
        manifest = kept(tmp_path)
        known = {**manifest.software, "java": "17.0.15+6", "jvm": "OpenJDK 64-Bit Server VM, X"}
        manifest.model_copy(update={"software": known}).write(tmp_path / FOLDER)
        java = {"java": "17.0.15+6", "jvm": "OpenJDK 64-Bit Server VM, Y"}
        patch.setattr(Harness, "about_java", lambda _: java)
        with pytest.raises(ParameterError, match="started with: Java's machine"):
            measure(finished)
    assert measure(finished).state == "complete"


@pytest.mark.parametrize("place", [1, 2])
def test_a_raw_file_that_was_removed_is_measured_again(
    measure: Measure, tmp_path: Path, place: int
) -> None:
    (run,) = (run for run in measure(finished).runs if run.order == place)
    (tmp_path / FOLDER / "raw" / run.raw).unlink()
    done = measure(finished)
    # In a place of its own, so that the one that was taken out leaves a gap.
    assert (done.state, {one.order for one in done.runs}) == ("complete", {3 - place, 3})


def hours_earlier(tmp_path: Path, hours: float) -> None:
    """Pretend that a campaign was measured before."""
    folder = Project(tmp_path).campaigns / "made-full"
    manifest = load_manifest(folder)
    sessions = tuple(
        session.model_copy(
            update={
                name: (datetime.fromisoformat(time) - timedelta(hours=hours)).isoformat()
                for name in ("started", "ended")
                if (time := getattr(session, name))
            }
        )
        for session in manifest.sessions
    )
    manifest.model_copy(update={"sessions": sessions}).write(folder)


def test_a_later_block_adds_to_a_complete_campaign(measure: Measure, tmp_path: Path) -> None:
    measure(finished)
    hours_earlier(tmp_path, 5)
    with pytest.raises(KeyboardInterrupt):
        measure(broken(KeyboardInterrupt()), again=True)
    assert (kept(tmp_path).blocks, len(kept(tmp_path).runs)) == (1, 2), "until it is complete"
    done = measure(finished, again=True)
    assert (done.state, done.blocks, len(done.runs)) == ("complete", 2, 4)
    assert done == kept(tmp_path)
    assert done.hours_apart == pytest.approx(5, abs=0.1)
    assert {RunName.parse(run.run).repetition for run in done.runs} == {1, 2}
    hours_earlier(tmp_path, 2)
    done = measure(finished, again=True)
    assert (done.blocks, len(done.runs)) == (3, 6)
    assert done.hours_apart == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("nothing", "no complete campaign"),
        ("a broken one", "no complete campaign"),
        ("a recent one", "minutes ago"),
        ("an unfinished fresh one", "no complete campaign"),
        ("one of another driver", "started with: load driver"),
        ("one of another broker", "differ in the broker"),
    ],
)
def test_a_block_that_adds_to_nothing_is_refused(
    measure: Measure, tmp_path: Path, before: str, said: str
) -> None:
    if before == "a broken one":
        with pytest.raises(KeyboardInterrupt):
            measure(broken(KeyboardInterrupt()))
    elif before != "nothing":
        measure(finished)
        hours_earlier(tmp_path, 0.5 if before == "a recent one" else 2)
    if before == "an unfinished fresh one":
        with pytest.raises(KeyboardInterrupt):
            measure(broken(KeyboardInterrupt()), fresh=True)
    with pytest.raises(ParameterError, match=said):
        measure(
            finished, again=True, driver="changed" if before == "one of another driver" else "made",
            broker=HERE if before == "one of another broker" else EMBEDDED,
        )  # fmt: skip
    if before.startswith("one"):
        assert [path.name for path in Project(tmp_path).campaigns.iterdir()] == ["made-full"]


def test_a_campaign_measured_anew_does_not_go_on_with_a_block(
    measure: Measure, tmp_path: Path
) -> None:
    measure(finished)
    hours_earlier(tmp_path, 2)
    with pytest.raises(KeyboardInterrupt):
        measure(broken(KeyboardInterrupt()), again=True)
    done = measure(finished, fresh=True)
    assert (done.blocks, len(done.runs), done.failed) == (1, 2, ())


def test_a_recovery_log_elsewhere_is_looked_at_there(
    measure: Measure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path | None] = []

    def describe(journal: Path | None) -> dict[str, Any]:
        asked.append(journal)
        return describe_host(journal)

    monkeypatch.setattr(runner, "describe_host", describe)
    place = tmp_path / "not" / "yet" / "there"
    settings = PLAN.broker.model_copy(update={"journal_path": str(place)})
    assert measure(finished, PLAN.model_copy(update={"broker": settings})).state == "complete"
    assert asked == [place]
