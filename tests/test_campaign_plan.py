"""Plans: what is expanded, what is refused before anything starts, what comes next."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Collection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns import add_factor
from roundtrip.campaign.broker_choice import (
    ExternalBroker,
    broker_of,
    external_broker,
    refuse_arranged,
)
from roundtrip.campaign.brokers import Endpoint
from roundtrip.campaign.drivers import Load
from roundtrip.campaign.estimate import duration, refuse_beyond_budget, size_of
from roundtrip.campaign.folder import open_folder, refuse_place
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.java_options import NUMBERS, SWITCHES
from roundtrip.campaign.machine import network as machine
from roundtrip.campaign.machine.scheduling import real_time_permitted
from roundtrip.campaign.manifest import Manifest
from roundtrip.campaign.method import Search
from roundtrip.campaign.plan import Plan
from roundtrip.campaign.points import Run, combinations_of, side_without_points
from roundtrip.campaign.resolve import control_in, plan_names, plan_path, resolve_plan
from roundtrip.campaign.search import next_levels, next_runs, remaining
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import ParameterError
from roundtrip.project import Project
from roundtrip.stats.intervals import interval_of
from workshop import ROOT, answer, read_yaml, refused, roundtrip, tree_of, write_yaml

HERE = Project(ROOT)
MANIFEST = ROOT / "tests" / "data" / "campaigns" / "base-quick" / "manifest.yml"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Give a project with nothing but what a plan needs."""
    for name in ("_quarto.yml", "data/dictionary.yml", "params/campaigns/base.yml"):
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    return Project(tmp_path)


def write_plan(project: Project, **content: Any) -> None:
    base = {
        "title": "T", "question": "Q?", "factors": {"requesters": [1, 2]}, "profiles": {"quick": {}}
    }  # fmt: skip
    path = project.params / "campaigns" / "mine.yml"
    write_yaml(path, {**base, **content})


def resolved(project: Project, *pairs: tuple[str, str], name: str = "mine") -> Plan:
    return resolve_plan(project, name, "quick", load_dictionary(project.dictionary), pairs)


@pytest.mark.parametrize("profile", ["smoke", "quick", "full"])
def test_plans_of_the_project_are_sound_and_within_their_budget(profile: Any) -> None:
    for path in (HERE.params / "campaigns").glob("*.yml"):
        plan = resolve_plan(HERE, path.stem, profile, load_dictionary(HERE.dictionary))
        combinations = combinations_of(plan)
        refuse_beyond_budget(plan, size_of(plan, combinations))
        assert side_without_points(plan, combinations) is None
        keys = [run.key for run in next_runs(plan, combinations, {})]
        assert len(keys) == len(set(keys)) > 0


@pytest.mark.parametrize("name", plan_names(HERE))
def test_a_control_compares_two_points_that_its_plan_measures(name: str) -> None:
    dictionary = load_dictionary(HERE.dictionary)
    stated = control_in(plan_path(HERE, name), dictionary)
    assert stated is not None
    plan = resolve_plan(HERE, name, "quick", dictionary)
    points = [one.point(level) for one in combinations_of(plan) for level in one.levels]
    for side in (stated.of, stated.base):
        found = [point for point in points if point.items() >= side.items()]
        assert len(found) == 1 or (not found and not real_time_permitted()), (side, found)


CONTROL = {"says": "s", "of": {"requesters": 2}, "base": {"requesters": 1}, "least_ratio": 1.1}
WITHOUT = "left out: the positive control of mine: no operating point has requesters 2, and without"


def test_a_control_that_its_plan_does_not_run_is_told_of_before_the_run(project: Project) -> None:
    words = ("run", "mine", "--dry-run")
    write_plan(project, control=CONTROL, profiles={"quick": {}, "smoke": {}})
    assert WITHOUT not in roundtrip(*words, project=project).stdout
    assert WITHOUT in roundtrip(*words, "-p", "requesters", "1", project=project).stdout
    smoke = roundtrip(*words, "-p", "requesters", "1", "--profile", "smoke", project=project)
    assert (smoke.returncode, WITHOUT in smoke.stdout) == (0, False)
    running = roundtrip(
        *words, "-p", "requesters", "1", "--broker", "tcp://one.example:1", project=project
    )
    assert WITHOUT in running.stdout
    write_plan(project, control={**CONTROL, "base": {"requesters": 4}})
    text = refused(roundtrip(*words, project=project), "profile quick has requesters 4", "remedy")
    line = 1 + (project.params / "campaigns" / "mine.yml").read_text().splitlines().index("  base:")
    assert f"mine.yml:{line}: " in text
    # Of what no point sets, such as the product of a running broker, only its runs tell.
    known = {"requesters": 1, "product": "Acme Broker"}
    write_plan(project, control={**CONTROL, "base": known})
    assert roundtrip(*words, project=project).returncode == 0


def test_the_documents_list_every_plan_with_its_size() -> None:
    text = (ROOT / "docs" / "plans.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `([a-z-]+)` \|.*\| (\d+)(?: to (\d+))? \| [^|]+ \|$", text, re.MULTILINE
    )
    assert sorted(name for name, *_ in rows) == plan_names(HERE)
    dictionary = load_dictionary(HERE.dictionary)
    for name, *runs in rows:
        plan = resolve_plan(HERE, name, "quick", dictionary)
        size = size_of(plan, combinations_of(plan))
        least, most = int(runs[0]), int(runs[1] or runs[0])
        # Where real time is not permitted, some combinations are the same.
        assert (size.least_runs, size.most_runs) == (least, most) or (
            size.most_runs < most and not real_time_permitted()
        ), name
        assert f"`{name}`" in text.partition("## ")[2] or name == "base"


def test_parts_are_crossed_with_the_common_factors(project: Project) -> None:
    write_plan(
        project,
        factors={"requesters": [4, 1], "message_bytes": [256, 2048]},
        parts=[
            {"delivery": ["nonpersistent"], "scheduling_class": ["normal", "real-time"]},
            {"delivery": ["persistent"]},
        ],
    )
    combinations = combinations_of(resolved(project))
    assert len(combinations) == 6
    assert all(one.levels == (1, 4) for one in combinations)
    assert {one.key for one in combinations} >= {
        "persistent-256b-normal",
        "nonpersistent-2048b-real-time",
    }
    assert combinations[0].point(4)["requesters"] == 4
    assert dict(combinations[0].factors)["responders"] == 4


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"factors": {"requesters": [1], "mesage_bytes": [2]}}, "did you mean 'message_bytes'"),
        ({"factors": {"requesters": [1], "sharecnv": ["0"]}}, "cannot set sharecnv"),
        ({"factors": {"requesters": [1], "workload": ["client/server"]}}, "cannot run workload"),
        ({"factors": {"requesters": [1], "delivery": ["express"]}}, "cannot run delivery"),
        ({"factors": {"requesters": ["many"]}}, "not a whole number"),
        (
            {"factors": {"requesters": [1], "queue_managers": [2], "product": ["Apache Artemis"]}},
            "several queue managers together with a product or version",
        ),
        (
            {"factors": {"requesters": [1], "workload": ["RR-BB"], "link": ["proxy"]}},
            "a link or TLS of the clients together with workload RR-BB",
        ),
        ({"factors": {"message_bytes": [2048]}}, "requesters is missing, or has no level"),
        ({"factors": {"requesters": [0]}}, "nobody would send"),
        ({"factors": {"requesters": [1], "queue_pairs": [2]}}, "impossible combination"),
        ({"factors": {"requesters": [4], "queue_pairs": [4], "responders": [2]}}, "impossible"),
        (
            {"factors": {"requesters": [1], "delivery": ["persistent"],
                         "scheduling_class": ["real-time"]}},
            "impossible combination",
        ),
        (
            {"factors": {"requesters": [1], "delivery": ["persistent"], "model": ["A"],
                         "ha": ["replicated pair"]},
             "broker": {"models": {"A": {"processor_share": 1, "memory_mb": 512}}}},
            "only RR-CC without ha and replication is confined",
        ),
        ({"factors": {"requesters": [1]}, "parts": [{"requesters": [2]}]}, "in factors and in a"),
        ({"factors": {}}, "factors"),
        ({"repetitons": 3}, "did you mean 'repetitions'"),
        ({"warm_up": {"most_secnds": 3}}, "did you mean 'most_seconds'"),
        ({"guard": {"otherwise": "ignore"}}, "guard.otherwise"),
        ({"profiles": {"quick": {"measure_secs": 1}}}, "measure_seconds"),
        ({"profiles": {"quik": {}}}, "quik"),
        ({"measure_seconds": -1}, "measure_seconds"),
        ({"warm_up": {"least_seconds": 60}}, "mine.yml:10: warm_up.least_seconds is 60, more than"),
        ({"profiles": {"quick": {"warm_up": {"window": 31}}}}, "31 intervals of 1 s takes 31 s"),
        ({"interval_seconds": 5, "measure_seconds": 4}, "interval_seconds is 5, more than measure"),
        ({"seed": "x"}, "seed"),
        ({"broker": {"jvm": ["-javaagent:/tmp/x.jar"]}}, "broker.jvm.0"),
        ({"driver": {"jvm": ["-XX:OnError=reboot"]}}, "driver.jvm"),
        ({"driver": {"jvm": ["-XX:+UseJVMCINativeLibrary"]}}, "driver.jvm"),
        ({"broker": {"jvm": ["-XX:SharedArchiveFile=own.jsa"]}}, "broker.jvm"),
        ({"broker": {"jvm": ["-XX:+UseSerialGCs"]}}, "'roundtrip docs campaigns' lists"),
        ({"broker": {"jvm": ["-XX:+UseEpsilonGC"]}}, "broker.jvm.0"),
        ({"factors": {"requesters": [1], "delivery": [""]}}, "a level of delivery is empty"),
    ],
)  # fmt: skip
def test_wrong_plans_are_refused(project: Project, content: dict[str, Any], message: str) -> None:
    write_plan(project, **content)
    with pytest.raises(ParameterError) as caught:
        combinations_of(resolved(project))
    assert message in str(caught.value)


def test_times_of_a_manifest_are_in_utc() -> None:
    content = read_yaml(MANIFEST)
    assert Manifest.model_validate(content).sessions[0].started.endswith("+00:00")
    for wrong in ("2026-11-21T10:00:00+02:00", "2026-11-21T10:00:00"):
        content["sessions"][0]["started"] = wrong
        with pytest.raises(ValueError, match="must be a time in UTC"):
            Manifest.model_validate(content)


def test_the_documents_list_every_option_of_java() -> None:
    text = (ROOT / "docs" / "campaigns.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in (*SWITCHES, *NUMBERS))


WINDOW = {"prefetch_size": {"url_option": "consumerWindowSize"}}
URLS = {"1": "tcp://one.example:1", "2": "ibmmq://two.example/QM2?channel=C"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({}, "a campaign cannot set prefetch_size, and the plan does not say how"),
        ({"factors": {"requesters": [1], "prefech_size": [10]}}, "or define the new one there"),
        ({"set_by": {"prefetch_size": {}}}, "must have one of url_option"),
        ({"set_by": {"prefetch_size": {"url_option": "a", "client_property": "b"}}}, "one of"),
        ({"set_by": {"prefetch_size": {"url_option": "a&b=c"}}}, "url_option"),
        ({"set_by": {"prefetch_size": {"client_property": "java.home"}}}, "Java's own"),
        (
            {"set_by": {"prefetch_size": {"client_property": "com.sun.management.jmxremote.port"}}},
            "Java's own",
        ),
        *(
            ({"set_by": {"prefetch_size": {"client_property": name}}}, "must not be one of")
            for name in ("io.netty.native.workdir", "jna.library.path", "user.home",
                         "http.proxyHost", "https.proxyHost", "socksProxyHost")
        ),
        ({"set_by": {"prefetch_size": {"url_option": "sslPassword"}}}, "password"),
        ({"set_by": {"prefetch_size": {"broker_setting": "journal.tpye"}}}, "one of address"),
        ({"set_by": {"prefetch_size": {"broker_setting": "journal.sync"}}}, "true or false"),
        ({"set_by": {**WINDOW, "delivery": {"url_option": "x"}}}, "sets delivery by itself"),
        ({"set_by": {**WINDOW, "prefech": {"url_option": "x"}}}, "unknown factor 'prefech'"),
        ({"set_by": {"prefetch_size": {"broker_url": {"10": "tcp://h:1"}}}}, "at least 2 items"),
        ({"set_by": {"prefetch_size": {"broker_url": URLS}}}, "prefetch_size 10 has no URL"),
        ({"set_by": {**WINDOW, "delivery": {"broker_url": URLS}}}, "sets delivery by itself"),
        (
            {"set_by": {"prefetch_size": {"broker_url": URLS}, "product": {"broker_url": URLS}}},
            "both choose the broker of a run",
        ),
        (
            {"set_by": {**WINDOW, "product_version": {"broker_url": URLS}}},
            "which broker runs take that have no level of product_version",
        ),
    ],
)  # fmt: skip
def test_factors_that_nobody_can_set_are_refused(
    project: Project, content: dict[str, Any], message: str
) -> None:
    add_factor(project, "prefetch_size")
    write_plan(project, **{"factors": {"requesters": [1], "prefetch_size": [10]}, **content})
    with pytest.raises(ParameterError) as caught:
        combinations_of(resolved(project))
    assert message in str(caught.value)
    assert re.search(r"mine\.yml(:\d+|: factors)", str(caught.value))


def test_a_factor_of_the_project_reaches_driver_and_names(project: Project) -> None:
    add_factor(project, "prefetch_size")
    factors = {"requesters": [1], "prefetch_size": [10, 1000]}
    write_plan(project, factors=factors, set_by=WINDOW)
    plan = resolved(project)
    combinations = combinations_of(plan)
    assert [one.key.rpartition("-")[2] for one in combinations] == ["10", "1000"]
    load = Load(
        Harness(Path("java"), Path("jar"), project.root, ""), plan, combinations[1].point(1)
    )
    endpoint = Endpoint("artemis", ("-url", "tcp://localhost:1?ha=false"))
    launch = load.drive(endpoint, "requester-1", [])
    assert "tcp://localhost:1?ha=false&consumerWindowSize=1000" in launch.command
    several = Endpoint("artemis", ("-url", "tcp://one:1#tcp://two:2?ha=false"))
    launch = load.drive(several, "requester-1", [])
    assert "tcp://one:1?consumerWindowSize=1000#tcp://two:2?ha=false" in launch.command
    mq = ExternalBroker(Endpoint("ibmmq", ("-jh", "mq.example")), "broker at ibmmq://mq.example")
    with pytest.raises(ParameterError, match="prefetch_size can be set for the embedded"):
        refuse_arranged(mq, combinations, plan.set_by)


@pytest.mark.parametrize("workload", ["RR-CB", "RR-BB", "RR-DQ-BB"])
def test_drivers_in_a_broker_cannot_have_properties_of_their_own(
    project: Project, workload: str
) -> None:
    add_factor(project, "prefetch_size")
    factors = {"requesters": [1], "prefetch_size": [10], "workload": [workload]}
    write_plan(project, factors=factors, set_by={"prefetch_size": {"client_property": "a.b"}})
    with pytest.raises(ParameterError, match=f"prefetch_size is a client_property, and workload "
                       f"{workload} has drivers in the broker's process"):  # fmt: skip
        combinations_of(resolved(project))
    assert combinations_of(resolved(project, ("workload", "RR-CC")))


def test_each_level_of_a_factor_has_a_broker_of_its_own(project: Project) -> None:
    own = {"factors": {"requesters": [1], "product_version": ["1", "2"]},
           "set_by": {"product_version": {"broker_url": URLS}}}  # fmt: skip
    write_plan(project, **own)
    plan = resolved(project)
    harness = Harness(Path(), Path(), project.root, "")
    broker = broker_of(None, harness, plan, project.root)
    assert broker.name == "brokers at tcp://one.example:1 and ibmmq://two.example"
    assert not broker.restarts
    combinations = combinations_of(plan)
    assert [one.key[:1] for one in combinations] == ["1", "2"]
    nothing: Any = None
    started = [broker.start(one.point(1), nothing, nothing).requesters for one in combinations]
    assert [endpoint.provider for endpoint in started] == ["artemis", "ibmmq"]
    refuse_arranged(broker, combinations, plan.set_by)
    with pytest.raises(ParameterError, match="names a broker for each level of product_version"):
        broker_of("tcp://other.example:1", harness, plan, project.root)
    left = broker_of(None, harness, resolved(project, ("product_version", '["2"]')), project.root)
    assert left.name == "broker at ibmmq://two.example"
    assert [broker.where(one.point(1)) for one in combinations] == [
        "product_version 1, tcp://one.example:1", "product_version 2, ibmmq://two.example",
    ]  # fmt: skip
    wrong = {"product_version": {"broker_url": {**URLS, "1": "foo://one.example:1"}}}
    write_plan(project, **{**own, "set_by": wrong})
    with pytest.raises(ParameterError, match=r"foo://one\.example:1' is not the URL") as caught:
        broker_of(None, harness, resolved(project), project.root)
    assert "set_by.product_version.broker_url.1" in str(caught.value.where)
    assert broker.elsewhere
    urls = {"1": "tcp://localhost:1", "2": URLS["2"]}
    write_plan(project, **{**own, "set_by": {"product_version": {"broker_url": urls}}})
    with pytest.raises(ParameterError, match="some brokers are on this machine") as caught:
        broker_of(None, harness, resolved(project), project.root)
    assert "have all of them on this machine, or none" in str(caught.value.remedy)
    # The same broker twice would be compared with itself.
    for same in ("tcp://one.example:1", "artemis://one.example:1"):
        twice = {"product_version": {"broker_url": {"1": URLS["1"], "2": same}}}
        write_plan(project, **{**own, "set_by": twice})
        with pytest.raises(ParameterError, match="1 and 2 have the same URL") as caught:
            broker_of(None, harness, resolved(project), project.root)
        assert "set_by.product_version.broker_url.2" in str(caught.value.where)
    # Another factor would ask of both what only an embedded broker can be given.
    write_plan(project, **{**own, "factors": {**own["factors"], "product": ["Apache Artemis"]}})
    plan = resolved(project)
    with pytest.raises(ParameterError, match="product can be set for the embedded") as caught:
        refuse_arranged(
            broker_of(None, harness, plan, project.root), combinations_of(plan), plan.set_by
        )
    assert str(caught.value).startswith("brokers at ")
    # An option of URLs cannot be set where one of the brokers is reached without any.
    add_factor(project, "prefetch_size")
    both = {**own["factors"], "prefetch_size": [10]}
    write_plan(project, factors=both, set_by={**own["set_by"], **WINDOW})
    plan = resolved(project)
    with pytest.raises(ParameterError, match="prefetch_size can be set for the embedded"):
        refuse_arranged(
            broker_of(None, harness, plan, project.root), combinations_of(plan), plan.set_by
        )


def test_a_plan_of_running_brokers_says_what_it_cannot_be_used_for(project: Project) -> None:
    write_plan(project, factors={"requesters": [1], "product_version": ["1", "2"]},
               set_by={"product_version": {"broker_url": URLS}})  # fmt: skip
    words = ("run", "mine", "--dry-run")
    shown = roundtrip(*words, project=project).stdout
    for broker in ("1, tcp://one.example:1", "2, ibmmq://two.example"):
        assert f"running broker: product_version {broker}\n" in shown
    one = roundtrip(*words, "-p", "product_version", '["2"]', "-p", "repetitions", "1",
                    project=project).stdout  # fmt: skip
    assert "tcp://one.example" not in one
    assert "operating points: 1, runs: 1," in one
    third = roundtrip(*words, "-p", "product_version", '["1", "3"]', project=project)
    text = refused(third, "product_version 3 has no URL", "allowed: 1, 2")
    assert "-p set_by.product_version.broker_url.3 URL" in text
    mine = ("-p", "product_version", '["1", "3.2"]',
            "-p", "set_by.product_version.broker_url.3.2", "amqp://mine.example:5672")  # fmt: skip
    shown = roundtrip(*words, *mine, project=project).stdout
    assert "running broker: product_version 3.2, amqp://mine.example:5672\n" in shown
    refused(
        roundtrip(*words, "--hosts", project=project),
        "the plan uses a broker that is already running", "without --hosts",
    )  # fmt: skip


def test_a_broker_that_is_nowhere_is_refused(project: Project) -> None:
    write_plan(project, system={"product": "Acme Broker"})
    refused(
        roundtrip("run", "mine", "--dry-run", project=project),
        "nothing says where Acme Broker is",
        "url",
    )


def test_a_payload_file_that_is_not_there_is_refused_before_the_run(project: Project) -> None:
    write_plan(project, driver={"payload_file": "mine.txt"})
    words = ("run", "mine", "--dry-run")
    assert roundtrip(*words, project=project).returncode == 0, "nothing sends it"
    words = (*words, "-p", "payload", "file")
    refused(
        roundtrip(*words, project=project),
        "mine.yml: driver.payload_file: the payload file mine.txt is no file of", "remedy",
    )  # fmt: skip
    (project.root / "mine.txt").write_text("content")
    assert roundtrip(*words, project=project).returncode == 0


def test_a_profile_that_the_plan_lacks_is_refused_with_what_to_add(project: Project) -> None:
    write_plan(project, profiles={})
    with pytest.raises(ParameterError, match="the plan has no profile 'quick'") as caught:
        resolved(project)
    assert "profiles: {quick: {}}" in str(caught.value.remedy)


def test_a_folder_in_which_no_run_was_finished_takes_other_settings(tmp_path: Path) -> None:
    content = read_yaml(MANIFEST)
    content |= {"state": "stopped", "runs": [], "failed": []}
    old = Manifest.model_validate(content)
    folder, broker = tmp_path / old.id, old.broker
    raw = folder / "raw" / "nonpersistent-256b-c2-r1.failed-1.ndjson.zst"
    raw.parent.mkdir(parents=True)
    raw.touch()
    old.write(folder)
    other = old.plan.model_copy(update={"seed": 7})
    assert open_folder(folder, old.plan, broker, fresh=False, again=False)[1] == old
    finished = raw.rename(raw.with_name("nonpersistent-256b-c2-r1.ndjson.zst"))
    with pytest.raises(ParameterError, match="results of other settings; they differ in seed"):
        open_folder(folder, other, broker, fresh=False, again=False)
    finished.rename(raw)
    begun, known = open_folder(folder, other, broker, fresh=False, again=False)
    assert (begun.target, known) == (folder, None)
    assert begun.work != folder
    assert raw.exists(), "it stays until the new one is complete"


def test_secrets_in_plans_are_refused(project: Project) -> None:
    path = project.params / "campaigns" / "base.yml"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines, "# sasl.jaas.config: password=Kuckuck7uhr", ""]))
    with pytest.raises(ParameterError, match="looks like a secret") as refusal:
        resolve_plan(project, "base", "smoke", load_dictionary(project.dictionary))
    assert f"{path}:{len(lines) + 1}" in str(refusal.value)
    assert "Kuckuck7uhr" not in str(refusal.value)


@pytest.mark.parametrize("name", ["bsae", "../report", "/etc/passwd", ""])
def test_unknown_plans_are_refused_by_name(project: Project, name: str) -> None:
    with pytest.raises(ParameterError, match="unknown plan") as caught:
        resolved(project, name=name)
    assert "base" in str(caught.value)


def test_parameters_of_the_command_line_win(project: Project) -> None:
    plan = resolved(
        project, ("delivery", "persistent"), ("requesters", "[8]"), ("repetitions", "7"),
        ("warm_up.most_seconds", "99"), name="base",
    )  # fmt: skip
    assert plan.repetitions == 7
    assert plan.warm_up.most_seconds == 99
    assert all(part["requesters"] == (8,) for part in plan.parts)
    assert {dict(one.factors)["delivery"] for one in combinations_of(plan)} == {"persistent"}
    assert len(plan.parts) == 1


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (("repetitons", "3"), "did you mean 'repetitions'"),
        (("link_rtt_ms", "-1"), "at least 0"),
        (("message_bytes", "big"), "not a whole number"),
        (("repetitions", "many"), "-p repetitions: repetitions: must be a whole number"),
        (("delivery", "[sometimes]"), "delivery is 'sometimes'"),
        (("warm_up.scatter", "7"), "scatter"),
        (("name", "other"), "unknown parameter"),
        (("seed", "[1"), "not valid YAML"),
        (("message_bytes", "99999999999"), "load drivers take 2,147,483,631 at most"),
        (("message_bytes", "90000000"), "has room up to 89,478,485 B each"),
    ],
)
def test_wrong_parameters_are_refused(
    project: Project, pair: tuple[str, str], message: str
) -> None:
    with pytest.raises(ParameterError) as caught:
        combinations_of(resolved(project, pair, name="base"))
    assert message in str(caught.value)


def test_plan_beyond_its_budget_is_refused_with_its_size(project: Project) -> None:
    done = roundtrip("run", "base", "-p", "repetitions", "500", project=project)
    text = refused(done, "budget of 20 min", "combinations: 10, operating points: 28, runs: 14000")
    assert "raise budget_minutes" in " ".join(text.split())
    assert not project.campaigns.exists()
    assert not project.cache.exists()


def test_dry_run_prints_the_plan_and_starts_nothing(project: Project) -> None:
    done = roundtrip("run", "base", "--dry-run", project=project)
    assert done.returncode == 0, done.stderr
    for part in ("persistent-256b", "requesters 1, 4, 16", "runs: ", "seed 20261121", "budget"):
        assert part in done.stdout
    assert not project.campaigns.exists()


def test_dry_run_of_a_further_block_prints_what_it_adds(project: Project) -> None:
    precision = {"within": 0.05, "most_repetitions": 9}
    write_plan(
        project, factors={"requesters": [1, 2, 4]}, repetitions=5, precision=precision,
        search={"method": "until_peak"},
    )  # fmt: skip
    words = ["run", "mine", "--again", "--dry-run"]
    refused(answer(*words, project=project), "no complete campaign to measure again")
    plan = resolved(project)
    (combination,) = combinations_of(plan)
    begun = read_yaml(MANIFEST)
    runs = [  # the search went no further than two requesters
        {**begun["runs"][0], "run": Run(combination, level, 1).key, "order": level}
        for level in (1, 2)
    ]
    folder = project.campaigns / "mine-quick"
    folder.mkdir(parents=True)
    Manifest.model_validate(
        {**begun, "id": folder.name, "plan": plan.model_dump(), "runs": runs}
    ).write(folder)
    before = tree_of(project.root)
    done = answer(*words, project=project)
    assert done.returncode == 0, done.stderr
    for part in (
        "requesters 1, 2\n", "adds: block 2 of data/campaigns/mine-quick\nrepetitions: 2, order",
        "operating points: 2, runs: 4", "min for each block\n",
    ):  # fmt: skip
        assert part in done.stdout
    assert tree_of(project.root) == before


def test_an_impossible_level_of_an_option_is_not_put_down_to_the_plan_alone(
    project: Project,
) -> None:
    refused(
        answer("run", "base", "-p", "requesters", "0", "--dry-run", project=project),
        "params/campaigns/base.yml with -p requesters: impossible combination: requesters is 0",
    )


@pytest.mark.parametrize(
    ("place", "problem"),
    [
        (".", "holds all campaigns"),
        ("data", "holds all campaigns"),
        ("data/campaigns", "holds all campaigns"),
        ("data/campaigns/group/mine", "is too deep"),
        ("data/campaigns/mine.new", "a name that the runner gives to unfinished campaigns"),
        ("params", "holds campaigns, and no campaign"),
        ("_quarto.yml", "is a file"),
        ("data/campaigns/lab", "holds what was ingested"),
    ],
)
@pytest.mark.parametrize("options", [["--dry-run"], ["--yes"], ["--yes", "--fresh"]])
def test_a_folder_that_cannot_be_a_campaign_is_refused_before_anything_starts(
    project: Project, place: str, problem: str, options: list[str]
) -> None:
    (project.campaigns / "lab").mkdir(parents=True)
    (project.campaigns / "lab" / "ingested.csv").touch()
    before = tree_of(project.root)
    words = ["run", "base", "--output", str(project.root / place), *options]
    refused(answer(*words, project=project), problem, "name another folder")
    assert tree_of(project.root) == before


def test_an_empty_folder_or_one_of_hidden_files_is_free(project: Project) -> None:
    folder = project.campaigns / "mine"
    folder.mkdir(parents=True)
    (folder / ".gitkeep").touch()
    words = ["run", "base", "--dry-run", "--output", str(folder)]
    assert answer(*words, project=project).returncode == 0


# --- order and search -----------------------------------------------------------------------


def plan_of(project: Project, **changes: Any) -> Plan:
    write_plan(
        project, factors={"requesters": [1, 2, 4, 8], "message_bytes": [256, 2048]}, **changes
    )
    return resolved(project)


def test_order_is_random_by_the_seed_interleaved_and_complete(project: Project) -> None:
    plan = plan_of(project, repetitions=3, seed=5)
    combinations = combinations_of(plan)
    rates: dict[str, float | None] = {}
    order: list[str] = []
    while runs := next_runs(plan, combinations, rates):
        order += [run.key for run in runs]
        rates |= {run.key: 100.0 for run in runs}
    assert len(order) == len(set(order)) == 24
    assert [key[-2:] for key in order] == ["r1"] * 8 + ["r2"] * 8 + ["r3"] * 8
    assert [key[:-3] for key in order[:8]] != [key[:-3] for key in order[8:16]]
    assert order[:8] != sorted(order[:8])
    other = plan_of(project, repetitions=3, seed=6)
    assert [run.key for run in next_runs(other, combinations_of(other), {})] != order[:8]


@given(st.integers(0, 24))
def test_interrupted_campaign_goes_on_in_the_same_order(done: int) -> None:
    plan = resolve_plan(
        HERE, "base", "quick", load_dictionary(HERE.dictionary), [("repetitions", "1")]
    )
    combinations = combinations_of(plan)
    whole = [run.key for run in next_runs(plan, combinations, {})]
    rest = [run.key for run in next_runs(plan, combinations, dict.fromkeys(whole[:done], 1.0))]
    assert rest == whole[done:]
    left = remaining(plan, combinations, dict.fromkeys(whole[:done], 1.0))
    assert sorted(run.key for run in left) == sorted(rest)


def test_later_repetitions_visit_what_the_search_has_seen(project: Project) -> None:
    plan = plan_of(project, repetitions=2, search={"method": "until_peak", "rise": 0.02})
    combinations = combinations_of(plan)
    top = {"nonpersistent-256b": 2, "nonpersistent-2048b": 8}
    rates: dict[str, float | None] = {}
    while runs := next_runs(plan, combinations, rates):
        for run in runs:
            limit = top[run.combination.key]
            rates[run.key] = 100.0 * min(run.requesters, limit)
    seen = {key for key in rates if "-256b" in key}
    assert seen == {f"nonpersistent-256b-c{level}-r{r}" for level in (1, 2, 4) for r in (1, 2)}
    assert len([key for key in rates if "-2048b" in key]) == 8


def further(plan: Plan, rate: Callable[[Run], float | None], marked: Collection[str]) -> list[str]:
    """Carry a plan out with made rates; give the runs beyond the planned repetitions."""
    combinations = combinations_of(plan)
    rates: dict[str, float | None] = {}
    left = {*remaining(plan, combinations, rates, marked)}
    while runs := next_runs(plan, combinations, rates, marked):
        rates |= {run.key: rate(run) for run in runs}
        after = {*remaining(plan, combinations, rates, marked)}
        assert left >= {*runs} | after, "no more can be left later"
        left = after
    assert not remaining(plan, combinations, rates, marked)
    return sorted(key for key in rates if int(key.rpartition("-r")[2]) > plan.repetitions)


def test_a_point_is_repeated_until_its_interval_is_narrow_but_not_for_ever(
    project: Project,
) -> None:
    plan = plan_of(
        project, repetitions=3, precision={"within": 0.05, "most_repetitions": 6}, seed=5
    )
    settling = {1: 96.0, 2: 104.0}

    def rate(run: Run) -> float | None:
        if run.key.startswith("nonpersistent-256b-c1-"):
            return 100.0 * run.repetition  # never narrow
        if run.key.startswith("nonpersistent-256b-c2-"):
            return settling.get(run.repetition, 100.0)
        if run.key.startswith("nonpersistent-256b-c4-"):
            return None  # fails for good
        return 100.0 + run.repetition

    found = further(plan, rate, ())
    assert found == [
        *(f"nonpersistent-256b-c1-r{n}" for n in (4, 5, 6)),
        *(f"nonpersistent-256b-c2-r{n}" for n in (4, 5)),
    ]
    assert not interval_of([96.0, 104.0, 100.0, 100.0]).within(0.05)
    assert interval_of([96.0, 104.0, 100.0, 100.0, 100.0]).within(0.05)


def test_a_marked_run_is_replaced_by_a_further_one(project: Project) -> None:
    plan = plan_of(project, repetitions=3, precision={"within": 0.05, "most_repetitions": 6})
    marked = {"nonpersistent-256b-c1-r2", "nonpersistent-256b-c1-r4"}
    assert further(plan, lambda run: 100.0 + run.repetition, marked) == [
        "nonpersistent-256b-c1-r4", "nonpersistent-256b-c1-r5",
    ]  # fmt: skip


def test_a_later_block_runs_each_finished_point_twice_more(project: Project) -> None:
    plan = plan_of(project, repetitions=3, precision={"within": 0.05, "most_repetitions": 6})
    combinations = combinations_of(plan)
    rates: dict[str, float | None] = {}
    for blocks in (1, 2, 3):
        before = set(rates)
        while runs := next_runs(plan, combinations, rates, (), blocks):
            for run in runs:
                assert plan.block_of(run.repetition) == blocks
                fails = run.key.startswith("nonpersistent-256b-c4-")
                rates[run.key] = None if fails else 100.0 + run.repetition / 10
        assert not remaining(plan, combinations, rates, (), blocks)
        found = [key for key in rates if key not in before]
        if blocks > 1:
            first = 6 * (blocks - 1) + 1
            assert [key.rpartition("-r")[2] for key in found] == [str(first)] * 7 + [
                str(first + 1)
            ] * 7
            assert not any(key.startswith("nonpersistent-256b-c4-") for key in found)


def test_precision_that_permits_no_further_run_is_refused(project: Project) -> None:
    with pytest.raises(ParameterError, match="must be more than repetitions, 3"):
        plan_of(project, repetitions=3, precision={"within": 0.05, "most_repetitions": 3})


def test_search_upwards_ends_when_the_rate_stops_rising() -> None:
    search = Search(method="until_peak", rise=0.02, patience=1)
    levels = (1, 2, 4, 8, 16)
    seen: dict[int, float | None] = {}
    truth = {1: 100.0, 2: 190.0, 4: 300.0, 8: 303.0, 16: 320.0}
    while wanted := next_levels(search, levels, seen):
        seen |= {level: truth[level] for level in wanted}
    assert sorted(seen) == [1, 2, 4, 8]
    patient = search.model_copy(update={"patience": 2})
    assert next_levels(patient, levels, seen) == (16,)


def test_failed_points_do_not_end_or_win_a_search() -> None:
    search = Search(method="until_peak", patience=1)
    assert next_levels(search, (1, 2), {1: None}) == (2,)
    assert next_levels(search, (1, 2), {1: None, 2: 5.0}) == ()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(5, "5 s"), (60, "1 min"), (450, "7 min 30 s"), (3600, "1 h 00 min"), (26280, "7 h 18 min")],
)
def test_durations_are_written_as_people_say_them(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("artemi", "allowed: artemis, tcp://HOST:PORT"),
        ("http://host:1", "'http://host:1' is not the URL of a broker\n"),
        ("ampq://host:1", "amqp://HOST:PORT"),
        ("embedded", "allowed: artemis, tcp://HOST:PORT"),
        ("tcp://bob:pw@host:61616", "holds a user or a password"),
        ("tcp://host:1?password=pw", "holds a user or a password"),
        ("tcp://host:1#x?password=pw", "holds a user or a password"),
        ("tcp://host:1#password=pw", "holds a user or a password"),
        ("tcp://host:1#tcp://bob:pw@other:1", "holds a user or a password"),
        ("tcp://host:1?ha=false#bob:pw@other:1", "holds a user or a password"),
        ("amqp://host:1/a;password=pw", "holds a user or a password"),
        ("amqp://host:1/password=pw", "holds a user or a password"),
        ("tcp://host:1?a=1;p%61ssword=pw", "holds a user or a password"),
        ("ibmmq://host/QM1;password=pw?channel=C", "holds a user or a password"),
        ("ibmmq://host;password=pw/QM1?channel=C", "is not the URL of a broker"),
        ("ibmmq://host:1414", "names queue manager and channel"),
        ("ibmmq://host:1414/QM1?chanel=X", "names queue manager and channel"),
        ("ibmmq://host:1414/QM1?channel=X&alias=Y", "at most a cipher beside them"),
    ],
)
def test_wrong_addresses_are_refused_without_repeating_secrets(
    tmp_path: Path, address: str, message: str
) -> None:
    harness = Harness(Path(), Path(), tmp_path, "")
    plan = Plan(name="p", profile="quick", title="T", question="Q", factors={"requesters": (1,)})
    with pytest.raises(ParameterError) as refused:
        broker_of(address, harness, plan, tmp_path)
    assert message in str(refused.value)
    assert "pw" not in str(refused.value)


@pytest.mark.parametrize(
    ("address", "handed_on"),
    [
        ("ARTEMIS://h:1", "tcp://h:1"),
        ("classic://h:1?a=b:c", "tcp://h:1?a=b:c"),
        ("Amqp://h:1", "amqp://h:1"),
    ],
)
def test_clients_are_given_the_scheme_that_they_know(address: str, handed_on: str) -> None:
    assert external_broker(address).endpoint.options == ("-url", handed_on)


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("localhost", True),
        ("127.0.0.9", True),
        ("0.0.0.0", True),
        ("198.51.100.7", True),  # an address of its own
        ("198.51.100.8", False),  # its neighbour on the LAN
        ("172.17.0.5", True),  # a container on its bridge
        ("203.0.113.5", False),  # a machine on the LAN that its other bridge leads to
        ("fe80::5", True),
        ("2001:db8::7", False),
    ],
)
def test_which_host_is_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, ours: bool
) -> None:
    def entry(family: int, address: str, netmask: str) -> SimpleNamespace:
        return SimpleNamespace(family=family, address=address, netmask=netmask)

    monkeypatch.setattr(machine.psutil, "net_if_addrs", lambda: {
        "lan": [entry(socket.AF_INET, "198.51.100.7", "255.255.255.0")],
        "inner": [entry(socket.AF_INET, "172.17.0.1", "255.255.0.0"),
                  entry(socket.AF_INET6, "fe80::1%inner", "ffff:ffff:ffff:ffff::")],
        "outer": [entry(socket.AF_INET, "203.0.113.1", "255.255.255.0")],
    })  # fmt: skip
    monkeypatch.setattr(machine, "_INTERFACES", tmp_path)
    for folder in ("lan/device", "inner/bridge", "outer/bridge", "vlan", "veth"):
        (tmp_path / folder).mkdir(parents=True)
    for upper, lower in (("inner", "veth"), ("outer", "vlan"), ("vlan", "lan")):
        (tmp_path / upper / f"lower_{lower}").symlink_to(tmp_path / lower)
    broker = external_broker(f"tcp://{f'[{host}]' if ':' in host else host}:61616")
    assert broker.elsewhere is not ours


def test_a_wrong_level_is_refused_with_its_line(project: Project) -> None:
    write_plan(project, factors={"requesters": [1], "delivery": ["non-persistent"]})
    path = project.params / "campaigns" / "mine.yml"
    line = next(
        n for n, text in enumerate(path.read_text("utf-8").splitlines(), 1) if "delivery" in text
    )
    with pytest.raises(ParameterError) as caught:
        resolved(project)
    assert str(caught.value).startswith(f"{path}:{line}: delivery is 'non-persistent' (did you")
    write_plan(project)
    with pytest.raises(ParameterError, match=r"^-p delivery: delivery is 'x'"):
        resolved(project, ("delivery", "x"))


def test_what_was_ingested_is_no_place_for_a_campaign(project: Project) -> None:
    folder = project.campaigns / "acme-3.0"
    done = answer("ingest", str(ROOT / "docs/examples/csv"), "--campaign", folder.name,
                  project=project)  # fmt: skip
    assert done.returncode == 0, done.stderr
    with pytest.raises(ParameterError, match="holds what was ingested"):
        refuse_place(folder.resolve(), project.campaigns)


@pytest.mark.parametrize(
    ("pair", "says"),
    [
        (("requesters", "1,2,4"), "requesters is '1,2,4', which is not a whole number"),
        (("delivery", "persistant"), "did you mean 'persistent'?"),
        (("log_type", "linear"), "a campaign cannot set log_type"),
    ],
)
def test_a_level_given_on_the_command_line_is_refused_there(
    project: Project, pair: tuple[str, str], says: str
) -> None:
    with pytest.raises(ParameterError, match=re.escape(says)) as caught:
        resolved(project, pair, name="base")
    assert caught.value.where == f"-p {pair[0]}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  responders: [4]", "  responders: [many]"),
        ("        requesters: [1, 4", "        requesters: [many, 4"),
    ],
    ids=["factors", "profile"],
)
def test_a_level_of_a_plan_is_refused_in_its_line(project: Project, old: str, new: str) -> None:
    path = project.params / "campaigns" / "base.yml"
    text = path.read_text("utf-8")
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ParameterError, match="is 'many'") as caught:
        resolved(project, name="base")
    assert caught.value.where == f"{path}:{text[: text.index(old)].count(chr(10)) + 1}"
    assert "several are a list" in str(caught.value.remedy)
