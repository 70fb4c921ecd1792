"""Sizing: workload files, the models, their validation and the answers."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
import yaml

from roundtrip.errors import ChapterError, DataError, ParameterError
from roundtrip.observations import load_observations
from roundtrip.present import Chapter
from roundtrip.project import Project
from roundtrip.sizing.answer import (
    AT_LEAST,
    NOT_REACHED,
    OTHER_MACHINE,
    OTHER_MACHINE_NOTE,
    Answer,
    Sizing,
)
from roundtrip.sizing.export import answered, exported
from roundtrip.sizing.models import Demand, fit_demand, fit_response, fit_throughput
from roundtrip.sizing.needs import needs
from roundtrip.sizing.systems import Peak, System, find_systems, times_alone
from roundtrip.sizing.validation import Case, coverage, errors, quantile, width
from roundtrip.sizing.workload import (
    Link,
    Log,
    Messages,
    Workload,
    find_workload,
    highest_rate,
    load_workload,
)
from support.sizing import figures, tables
from support.sizing import sized as sized_module
from workshop import ROOT, answer, environment, read_yaml, refused, roundtrip, small_project

pytestmark = pytest.mark.slow

EXAMPLE = ROOT / "params" / "workloads" / "order-service.yml"
PLAIN = Workload(messages=(Messages(bytes=6000),), rate=800.0)


@cache
def sizing() -> Sizing:
    return Sizing(load_observations(Project(ROOT)))


def best(workload: Workload, label: str = "") -> Answer:
    """The first answer of a system whose label holds some words."""
    found = sizing().answers(workload).answers
    return next(one for one in found if label in one.model.system.label)


def written(folder: Path, **changes: object) -> Path:
    """The example with other values; None takes a key out."""
    content = read_yaml(EXAMPLE) | changes
    path = folder / "mine.yml"
    path.write_text(yaml.safe_dump({k: v for k, v in content.items() if v is not None}))
    return path


# --- workload files ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"mesages": []}, ["unknown key 'mesages'", "did you mean 'messages'?"]),
        ({"messages": [{"bytes": 2048, "share": 0.6}]}, ["add up to 0.6, not to 1"]),
        ({"messages": [{"bytes": 9, "share": 0.5}] * 2}, ["a size is given twice"]),
        ({"messages": []}, ["messages"]),
        ({"messages": [{"bytes": 0}]}, ["bytes", "must be greater than or equal to 1"]),
        ({"messages": [{"bytes": "2 KB"}]}, ["bytes", "2 KB"]),
        ({"rate": None}, ["rate: is missing"]),
        ({"rate": 9e6}, ["rate: 9,000,000 round trips/s", "above every rate that was measured"]),
        ({"rate_in_two_years": 9_000_000}, ["rate_in_two_years: 9,000,000"]),
        ({"rate_in_two_years": 799.5}, ["rate_in_two_years: 799.5", "leave it out"]),
        ({"workload": "RR-BB"}, ["client_gbps: is given, but in RR-BB"]),
        ({"target_utilisation": 0}, ["target_utilisation", "must be greater than 0"]),
        (
            {"messages": [{"bytes": 9, "share": 0.0}, {"bytes": 8}]},
            ["share", "must be greater than 0"],
        ),
        ({"log": {"write_ms": -0.1}}, ["log.write_ms", "must be greater than or equal to 0"]),
        ({"response_ms": 0}, ["response_ms", "must be greater than 0"]),
        ({"rate": float("nan")}, ["rate"]),
        ({"rate": True}, ["rate"]),
        ({"tls": "ECDHE_RSA_AES_256_GCM_SHA348"}, ["ECDHE_RSA_AES_256_GCM_SHA384'?"]),
        ({"ha": "RDQ"}, ["unknown ha 'RDQ'", "did you mean 'RDQM'?"]),
        ({"ha_link": {"rtt_ms": -1}}, ["ha_link.rtt_ms", "must be greater than or equal to 0"]),
        ({"ha": "none"}, ["ha_link: is given, but ha is 'none'"]),
        ({"delivery": "nonpersistent"}, ["log: is given, but nonpersistent"]),
        ({"delivery": "persistant"}, ["did you mean 'persistent'?"]),
        ({"workload": "RR-XX"}, ["unknown workload 'RR-XX'"]),
        ({"workload": "send"}, ["unknown workload 'send'", "RR-CC"]),
        ({"target_utilisation": 1.5}, ["target_utilisation"]),
        ({"cores": 0}, ["cores"]),
        ({"title": "password: hunter2hunter2"}, ["secret"]),
    ],
)
def test_a_wrong_workload_is_refused_with_its_place(
    tmp_path: Path, changes: dict[str, object], parts: list[str]
) -> None:
    path = written(tmp_path, **changes)
    with pytest.raises(ParameterError) as problem:
        load_workload(path, sizing().observations)
    for part in ["mine.yml:" if "messages" not in changes else "mine.yml", *parts]:
        assert part in str(problem.value)


def test_each_kind_of_file_is_refused_in_the_place_of_the_other(tmp_path: Path) -> None:
    edition = ROOT / "params" / "customer-2kb-tls.yml"
    said = refused(answer("size", str(edition), project=Project(ROOT)))
    assert "chapters: unknown key 'chapters'" in said
    said = refused(answer("build", "-f", str(EXAMPLE), project=Project(ROOT)))
    assert "unknown parameter 'messages'" in said


def test_a_name_that_does_not_exist_is_refused_with_the_nearest() -> None:
    said = refused(answer("size", "order-servce", project=Project(ROOT)))
    assert "did you mean 'order-service'?" in said
    assert "roundtrip new workload" in said
    for name in ("../no/such", "/no/such.yml", ""):
        assert "unknown workload" in refused(answer("size", name, project=Project(ROOT)))


@pytest.mark.thorough
def test_a_new_workload_can_be_answered_as_it_is(tmp_path: Path) -> None:
    project = small_project(tmp_path)
    done = answer("new", "workload", "my-orders", project=project)
    assert done.stdout.startswith("params/workloads/my-orders.yml\n")
    path = find_workload(project, "my-orders")
    observations = sizing().observations
    workload = load_workload(path, observations)
    assert workload.title == "My orders"
    assert sizing().answers(workload).answers
    # What stands there commented out are names and values that exist.
    lines = path.read_text("utf-8").splitlines()
    bare = [line.removeprefix("# ") for line in lines if line.startswith("# ") and ": " in line]
    keys = [line for line in bare if line.partition(":")[0] in Workload.model_fields]
    path.write_text("\n".join([*(line for line in lines if line[:1] != "#"), *keys]))
    assert load_workload(path, observations).assumed == {}
    assert "exists" in refused(answer("new", "workload", "my-orders", project=project))
    assert "does not name a workload" in refused(answer("new", "workload", "../x", project=project))


# --- models --------------------------------------------------------------------------------------


def peak(size: float, rate: float, cpu: float, delay: float = 0, requesters: float = 100) -> Peak:
    return Peak("p", "Table 1", size, delay, requesters, rate, cpu, "none", ("r", "c"))


def test_a_demand_is_found_again_and_never_below_zero() -> None:
    true = Demand(each=80e-6, per_byte=1.6e-9, per_ms=30e-6, per_byte_ms=2e-10)
    rows = [(z, d, true.at(z, d)) for z in (256, 2048, 204800) for d in (0, 1, 5)]
    found = fit_demand(rows)
    assert all(math.isclose(found.at(z, d), true.at(z, d), rel_tol=1e-6) for z, d, _ in rows)
    falling = fit_demand([(100, 0, 2e-3), (1000, 0, 1e-3)])
    assert falling.per_byte == 0
    assert falling.each > 0


def test_processors_bound_small_messages_and_bandwidth_large_ones() -> None:
    cpu, log = Demand(each=200e-6, per_byte=2e-9), Demand(each=2e-6, per_byte=1e-9)
    peaks = []
    for size in (256, 2048, 20480, 204800, 2097152):
        spacing = max(cpu.at(size) / 8, log.at(size))
        peaks.append(peak(size, 1 / spacing, cpu.at(size) / spacing / 8))
    model = fit_throughput(peaks, 8)
    for one in peaks:
        assert math.isclose(model.rate(one.size, 0), one.rate, rel_tol=0.01)
    limits = model.spacing(2048, 0)
    assert max(limits, key=limits.__getitem__) == "processors"
    limits = model.spacing(204800, 0)
    assert max(limits, key=limits.__getitem__) == "other"
    half = 1 / max(model.spacing(2048, 0, cores=4).values())
    assert math.isclose(half, model.rate(2048, 0) / 2, rel_tol=0.01)


@pytest.mark.parametrize("joined", ["added", "slowest"])
def test_a_delayed_link_is_a_window(joined: str) -> None:
    cpu, link = Demand(each=200e-6, per_byte=2e-9), Demand(per_ms=30e-6, per_byte_ms=1e-9)
    peaks = []
    for size in (256, 2048, 20480):
        for delay in (0, 1, 2, 10):
            base, wait = cpu.at(size) / 8, link.at(size, delay)
            spacing = base + wait if joined == "added" else max(base, wait)
            peaks.append(peak(size, 1 / spacing, cpu.at(size) / spacing / 8, delay))
    model = fit_throughput(peaks, 8)
    assert model.joined == joined
    assert math.isclose(
        model.rate(2048, 5), fit_throughput(peaks[:8], 8).rate(2048, 5), rel_tol=0.2
    )
    for one in peaks:
        assert math.isclose(model.rate(one.size, one.delay), one.rate, rel_tol=0.02)


def test_response_time_follows_the_scalability_law() -> None:
    alone, contention = 1e-3, 10e-6
    rate = 100 / (alone + 99 * contention)
    model = fit_response([peak(2048, rate, 0.9), peak(4096, rate, 0.9)],
                         [(2048, 0, alone), (4096, 0, alone)])  # fmt: skip
    for requesters in (1, 10, 100, 1000):
        seconds = model.of_requesters(2048, 0, requesters)
        assert math.isclose(seconds, alone + (requesters - 1) * contention, rel_tol=1e-6)
        back = model.of_rate(2048, 0, requesters / seconds)
        assert math.isclose(back, seconds, rel_tol=1e-6)
    assert math.isinf(model.of_rate(2048, 0, 1 / contention))
    # Nothing is known of one requester at other sizes: the peak stands.
    assert math.isclose(model.of_rate(100_000, 0, 10), 100 / rate, rel_tol=1e-6)


# --- validation ----------------------------------------------------------------------------------


def case(predicted: float, system: str = "a", source: str = "s") -> Case:
    return Case("rate", "within", source, system, "1 B", 1.0, predicted)


def test_an_interval_takes_in_nine_in_ten() -> None:
    cases = [case(math.exp(number / 100), str(number)) for number in range(1, 21)]
    assert math.isclose(quantile(cases), 0.19)
    assert math.isinf(quantile(cases[:8]))
    few = [*cases, case(5.0, "x", "other")]
    assert width(few, "other") == quantile(few)
    assert 0.8 <= coverage(cases, cases) <= 0.95


@pytest.mark.thorough
def test_the_models_reach_their_aims_and_the_guide_gives_their_errors() -> None:
    rows = errors(sizing().cases)
    (within,) = (
        row for row in rows if (row.what, row.kind, row.source) == ("rate", "within", "all")
    )
    assert within.cases > 100
    assert within.median <= 0.10
    guide = (ROOT / "docs" / "sizing.md").read_text("utf-8")
    for row in rows:
        if row.source == "all":
            assert 0.85 <= row.covered <= 0.95, row
            shares = (f"{100 * share:.1f} %" for share in (row.median, row.high, row.covered))
            assert f"| {row.cases} | {' | '.join(shares)} |" in guide
        elif (row.what, row.kind) == ("rate", "within"):
            assert f"{100 * row.median:.1f} %" in guide


def test_systems_are_told_apart_and_hold_no_value_twice() -> None:
    systems = [model.system for model in sizing().models]
    assert len(systems) > 30
    for system in systems:
        assert len(system.sizes) >= 3
        what = [(p.size, p.delay, p.rate, p.cpu) for p in system.peaks]
        assert len(what) == len(set(what))
    curves = {curve for system in systems for curve in system.curves}
    assert len(curves) >= 19


def systems_of(choose: Any) -> list[System]:
    """The systems of the edition's reports, its observations chosen in another way."""
    known = sizing().observations
    return find_systems(SimpleNamespace(
        choose=choose, report_ids=known.report_ids, report=known.report,
        dictionary=known.dictionary,
    ))[0]  # fmt: skip


def test_machines_are_named_where_nothing_else_differs() -> None:
    def also(**changes: str) -> list[System]:
        def choose(**wanted: Any) -> pd.DataFrame:
            frame = sizing().observations.choose(**wanted)
            more = frame[frame["host_set"] == "m2003a"]
            return pd.concat([frame, more.assign(point_id=more["point_id"] + "-", **changes)])

        return systems_of(choose)

    names = [one.label for one in also(host_set="m2003b")]
    common = "IBM MQ Appliance, V9.3.2, MQ Appliance M2003A, fastpath, nonpersistent, "
    assert {f"{common}1 queue manager, M2003{one} standalone" for one in "AB"} < {*names}
    assert len(names) == len({*names})
    with pytest.raises(DataError, match="2 systems have one name in sizing"):
        also(mirroring="none")


def test_no_model_rests_on_rows_that_are_compressed_protected_or_without_a_size() -> None:
    observations = sizing().observations

    def choose(**wanted: Any) -> pd.DataFrame:
        frame = observations.choose(**wanted)
        frame.loc[frame["metric"] == "memory_per_client", "value_corrected"] = 7.0
        rates = frame[frame["metric"] != "memory_per_client"]
        others = rates.assign(value=3 * rates["value"], point_id=rates["point_id"] + "-other")
        return pd.concat([
            frame, others.assign(compression="zlib"), others.assign(message_bytes=math.nan),
            others[others["source_kind"] == "figure"].assign(tls_cipher="TLS_ANY"),
        ])  # fmt: skip

    known = find_systems(observations)[0]
    found = systems_of(choose)
    assert [replace(one, client_kb=()) for one in found] == [
        replace(one, client_kb=()) for one in known
    ]
    assert {size for one in found for size in one.client_kb} == {7.0}


def test_the_highest_rate_is_the_corrected_one() -> None:
    frame = pd.DataFrame(
        {
            "status": ["as_printed", "corrected"],
            "value": [9.0, 90.0],
            "value_corrected": [None, 8.0],
        }
    )
    assert highest_rate(SimpleNamespace(choose=lambda **_: frame)) == 9.0


# --- answers -------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_the_example_is_answered_in_words() -> None:
    done = answer("size", "order-service", project=Project(ROOT))
    assert done.returncode == 0, done.stderr
    for part in ("Order service (an invented example): 800 round trips/s now, 1,500 in two years",
                 "RDQM", "* extrapolated",
                 "Defaults for what the file does not set:", "compression: none", "No answer from:",
                 "mqseries-vs-msmq", "MB/s to the recovery log"):  # fmt: skip
        assert part in done.stdout
    assert "None" not in done.stdout


@pytest.mark.thorough
def test_the_example_is_answered_with_intervals_limits_and_reasons() -> None:
    said = json.loads(
        answer("size", "order-service", "--format", "json", project=Project(ROOT)).stdout
    )
    for one in said["answers"]:
        for name in ("cores", "highest_rate", "headroom"):
            assert one[name]["low"] <= one[name]["value"] <= one[name]["high"]
        assert one["limits"][one["limited_by"]] == min(one["limits"].values())
        assert math.isclose(one["highest_rate"]["value"], min(one["limits"].values()))
        assert len(one["nearest"]) == 3
    assert said["coefficients"]["format"] == 1
    workload = load_workload(EXAMPLE, sizing().observations)
    again = answered(sizing(), workload, sizing().answers(workload))
    assert json.loads(json.dumps(again)) == said


@pytest.mark.thorough
def test_no_number_is_cut_on_a_narrow_terminal() -> None:
    done = roundtrip("size", "order-service", cwd=ROOT, env=environment(COLUMNS="80"))
    assert "(3,360–32,600)" in done.stdout
    assert "…" not in done.stdout


def test_a_measured_point_is_answered_by_what_was_measured() -> None:
    """The bounds are typed: a width that the models give widens with what they do wrong."""
    farthest: dict[str, float] = {}
    for model in sizing().models:
        system = model.system
        for one in system.peaks:
            if one.delay == 0 and system.factors.get("delivery") == "nonpersistent":
                far = abs(math.log(model.throughput.rate(one.size, 0) / one.rate))
                farthest[system.source] = max(far, farthest.get(system.source, 0))
    bounds = {"ibm-mq-v9.4-linux": 0.15, "mq-appliance-m2003": 0.1, "websphere-mq-v7-aix": 0.4}
    assert farthest.keys() == bounds.keys()
    assert [name for name, far in farthest.items() if far > bounds[name]] == []


def test_more_work_leaves_less_headroom_and_takes_more_cores() -> None:
    label = "M2003A, fastpath, persistent, 10 queue managers, appliance RAID, circular"
    plain = best(PLAIN, label)
    larger = best(PLAIN.model_copy(update={"messages": (Messages(bytes=60000),)}), label)
    faster = best(PLAIN.model_copy(update={"rate_in_two_years": 8000.0}), label)
    for other in (larger, faster):
        assert other.cores.value > plain.cores.value
        assert other.headroom.value < plain.headroom.value
    assert plain.response is not None
    assert faster.response is not None
    assert faster.response.value > plain.response.value
    assert plain.beyond == ()
    assert not plain.at_peak


def test_beyond_what_was_measured_is_said_and_wider() -> None:
    label = "M2003A, fastpath, nonpersistent, 10 queue managers"
    plain = PLAIN.model_copy(update={"delivery": "nonpersistent"})
    inside = best(plain, label)
    for update in ({"messages": (Messages(bytes=1_000_000),)}, {"cores": 8}, {"core_speed": 2.0}):
        outside = best(plain.model_copy(update=update), label)
        assert outside.beyond
        assert outside.cores.high / outside.cores.low > inside.cores.high / inside.cores.low
    assert inside.beyond == ()


@pytest.mark.parametrize(
    ("update", "reason"),
    [
        ({"messages": (Messages(bytes=50_000_000),)}, "reaches further than 10 times"),
        ({"messages": (Messages(bytes=5),)}, "reaches further than 10 times"),
        ({"compression": "LZ4FAST"}, "LZ4FAST"),
        ({"ha": "any", "ha_link": Link(rtt_ms=500.0)}, "of added delay"),
        ({"replication": "CRR"}, "no set-up with this placement"),
        (
            {"tls": "TLS_AES_256_GCM_SHA384", "messages": (Messages(bytes=204_800),)},
            "measured TLS_AES_256_GCM_SHA384 at 2,048 B only",
        ),
    ],
)
def test_nothing_is_answered_that_no_data_support(update: dict[str, object], reason: str) -> None:
    answers = sizing().answers(PLAIN.model_copy(update=update))
    assert answers.answers == ()
    assert any(reason in why for why in answers.unanswered.values())


def test_a_percentile_is_no_round_trip_of_one_requester() -> None:
    stated = {"requesters": 1, "cipher": "none", "message_bytes": 2048, "delay": 0.0}
    values = (("round_trip_time", "mean", 1.0), ("round_trip_time", "p99", 7.0),
              ("round_trip_rate", "single", 500.0))  # fmt: skip
    names = ("metric", "statistic", "value")
    group = pd.DataFrame([{**stated, **dict(zip(names, row, strict=True))} for row in values])
    assert times_alone(group) == [(2048.0, 0.0, 0.001), (2048.0, 0.0, 0.002)]


def test_tls_is_answered_by_the_source_that_measured_it_alone() -> None:
    cipher = "TLS_AES_256_GCM_SHA384"
    secure = PLAIN.model_copy(update={"tls": cipher})
    answers = sizing().answers(secure)
    assert {one.model.system.source for one in answers.answers} == {"ibm-mq-v9.4-linux"}
    assert any(cipher in why for why in answers.unanswered.values())
    plain, protected = best(PLAIN, "SSD, circular"), best(secure, "SSD, circular")
    assert protected.cores.value > plain.cores.value
    assert any(cipher in words for words in protected.beyond)
    # At the very size and set-up of the measurement nothing is carried over.
    same = secure.model_copy(update={"messages": (Messages(bytes=2048),)})
    assert best(same, "SSD, circular").beyond == ()


def test_log_and_links_of_ones_own_limit_the_rate() -> None:
    log = PLAIN.model_copy(update={"log": Log(mb_per_second=24.0)})
    assert best(log, "M2003A").limited_by == "log bandwidth"
    assert math.isclose(best(log, "M2003A").highest.value, 2000)
    link = PLAIN.model_copy(update={"client_gbps": 0.192})
    assert best(link, "M2003A").limited_by == "client link"
    assert math.isclose(best(link, "M2003A").highest.value, 2000)
    one = PLAIN.model_copy(update={"connections": 1, "log": Log(write_ms=10.0)})
    slow = best(one, "M2003A, fastpath, persistent, 10 queue managers")
    assert slow.limited_by == "requesters"
    assert slow.highest.value < 25
    assert AT_LEAST in best(PLAIN, "SSD, circular").limits


def test_requesters_are_no_faster_than_two_waits_for_the_ha_link() -> None:
    update = {"ha": "any", "ha_link": Link(rtt_ms=3.0), "connections": 100}
    found = sizing().answers(PLAIN.model_copy(update=update)).answers
    assert found
    for one in found:
        assert one.highest.high <= 100 / 0.006 + 1e-6, one.model.system.label


@pytest.mark.parametrize("update", [{"cores": 4096}, {"cores": 1}, {"core_speed": 2.0}])
def test_another_machine_has_no_response_time_and_no_limit_by_requesters(
    update: dict[str, object],
) -> None:
    found = sizing().answers(PLAIN.model_copy(update={"connections": 1_000_000, **update})).answers
    assert found
    for one in found:
        assert one.response is None
        assert one.no_response == OTHER_MACHINE
        assert not any("requesters" in name for name in one.limits)
        assert math.isclose(one.highest.value, min(one.limits.values()))
        assert one.highest.low <= one.highest.value <= one.highest.high


def test_the_measured_machine_has_them_whether_it_is_named_or_not() -> None:
    plain = best(PLAIN, "M2003A")
    named = best(PLAIN.model_copy(update={"cores": plain.model.system.cores}), "M2003A")
    assert named == plain
    assert plain.response is not None
    assert plain.no_response == ""
    assert "requesters" in plain.limits
    fast = best(PLAIN.model_copy(update={"rate": 300_000.0}), "M2003A")
    assert (fast.response, fast.no_response) == (None, NOT_REACHED)


def test_the_cores_that_it_needs_are_those_at_which_processors_allow_just_that() -> None:
    for one in sizing().answers(PLAIN).answers:
        headroom = one.limits["processors"] * PLAIN.target_utilisation / PLAIN.later
        assert math.isclose(headroom * one.cores.value, one.model.system.cores)


def test_what_the_payload_takes_follows_from_where_the_programs_are() -> None:
    local = PLAIN.model_copy(update={"workload": "RR-BB", "delivery": "nonpersistent"})
    assert set(needs(local, 1000.0).values()) == {0}
    half = PLAIN.model_copy(update={"workload": "RR-CB"})
    assert needs(half, 1000.0)["client_gbps"] == 0.048
    asked = PLAIN.model_copy(update={"ha": "any"})
    assert needs(asked, 1000.0) == {
        "log_mb_per_second": 12.0,
        "log_writes_per_second": 4000.0,
        "client_gbps": 0.096,
        "replica_gbps": 0.096,
    }


def test_the_coefficients_are_plain_data_that_give_the_same_demand() -> None:
    said = json.loads(json.dumps(exported(sizing()), allow_nan=False))
    assert len(said["systems"]) == len(sizing().models)
    for system, model in zip(said["systems"], sizing().models, strict=True):
        cpu = system["throughput"]["cpu"]
        assert cpu["each"] + cpu["per_byte"] * 5000 == model.throughput.cpu.at(5000)
    assert said["defaults"]["workload"] == "RR-CC"
    assert {row["what"] for row in said["widths"]} == {"rate", "cores", "response"}


# --- the chapter ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"tls": "none", "ha": "none", "ha_link": None, "log": None},
        {"tls": "none", "ha": "none", "ha_link": None, "log": None, "delivery": "nonpersistent"},
        {"tls": "none", "replication": "any", "ha": "none", "ha_link": None,
         "replication_link": {"rtt_ms": 12}},
        {"tls": "none", "rate": 600_000, "rate_in_two_years": None, "ha": "none", "ha_link": None},
        {"tls": "none", "workload": "RR-CB", "ha": "none", "ha_link": None, "connections": 3},
        {"cores": 8},
    ],
)  # fmt: skip
def test_the_chapter_says_of_any_workload_what_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object]
) -> None:
    written(tmp_path, **changes)
    monkeypatch.setattr(sized_module, "find_workload", lambda *_: tmp_path / "mine.yml")
    monkeypatch.setattr(sized_module, "Sizing", lambda _: sizing())
    chapter = Chapter(folder=ROOT)
    sized = sized_module.size_up(chapter, "mine")
    asked = (sized.workload.rate, sized.workload.later)
    now, later = (sized.rounded(rate, sized_module.RATE) for rate in asked)
    for value in (now, later, sized.cores, sized.highest, sized.headroom):
        assert chapter.write(value)
    assert sized.limit in sized_module.LIMITS.values()
    enough = {True: "Capacity is sufficient", False: "Capacity is insufficient"}[
        sized.headroom.value >= 1
    ]
    assert sized.verdict.startswith(enough)
    assert ("extrapolates" in sized.certainty) == bool(sized.first.beyond)
    assert ("too wide" in sized.certainty) == (
        sized.first.highest.high > 10 * sized.first.highest.low
    )
    assert bool(sized.response_verdict) == (sized.workload.response_ms is not None)
    if sized.first.limited_by == AT_LEAST and sized.first.response is not None:
        # By Little's law, an interval of the rate is one of the time.
        found, rate = sized.milliseconds(sized.first), sized.first.highest
        ends = [1000 * sized.workload.connections / end for end in (rate.high, rate.low)]
        assert [found.low, found.high] == ends
        assert sized.between(found) in sized.response_verdict
    for table in (tables.answers_table, tables.changes_table, tables.nearest_table,
                  tables.needs_table, tables.assumptions_table, tables.unanswered_table,
                  tables.errors_table):  # fmt: skip
        assert table(sized, caption="What").rows
    rows = tables.changes_table(sized, caption="What").rows
    changed = [row[0].text.partition(":")[0] for row in rows if row[0].kind == "group"]
    assert "Messages of twice the size" in changed
    assert ("No TLS" in changed) == (sized.workload.tls != "none")
    elsewhere = "cores" in changes
    assert (sized.first.no_response == OTHER_MACHINE) == elsewhere
    notes = tables.answers_table(sized, caption="What").notes
    assert (OTHER_MACHINE_NOTE in notes) == elsewhere
    assert (OTHER_MACHINE_NOTE in sized.certainty) == elsewhere
    assert ("other than the measured" in sized.response_verdict) == elsewhere
    drawings = [figures.headroom_figure]
    for figure, missing in (
        (figures.rate_figure, elsewhere),
        (figures.response_figure, elsewhere or sized.first.at_peak),
    ):
        if missing:
            assert figure(sized, caption="What") is None
        else:
            drawings.append(figure)
    for figure in drawings:
        drawn = figure(sized, caption="What")
        assert drawn.cells
        assert drawn.alt
    if not elsewhere:
        banded = [trace.fill for trace in figures.rate_figure(sized, caption="What").chart.data]
        assert ("toself" in banded) == (AT_LEAST not in sized.first.limits)


def test_the_chapter_refuses_a_workload_that_no_source_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, compression="LZ4FAST")
    monkeypatch.setattr(sized_module, "find_workload", lambda *_: path)
    with pytest.raises(ChapterError, match="no source supports an answer to the workload 'mine'"):
        sized_module.size_up(Chapter(folder=ROOT), "mine")
    with pytest.raises(ParameterError, match="is not the name of a workload"):
        sized_module.size_up(Chapter(folder=ROOT), "../report.yml")


def test_a_source_without_curves_is_answered(tmp_path: Path) -> None:
    alone = Sizing(load_observations(small_project(tmp_path)))
    found = alone.answers(PLAIN.model_copy(update={"delivery": "nonpersistent"})).answers
    assert found
    for one in found:
        assert 0 <= one.highest.low <= one.highest.value <= one.highest.high


def test_a_project_without_reports_has_no_answer(tmp_path: Path) -> None:
    project = small_project(tmp_path)
    answer("new", "workload", "mine", project=project)
    for folder in project.published.iterdir():
        if folder.is_dir():
            for file in sorted(folder.rglob("*"), reverse=True):
                file.unlink() if file.is_file() else file.rmdir()
            folder.rmdir()
    done = answer("size", "mine", project=project)
    assert done.returncode == 0, done.stderr
    assert "No source supports an answer." in done.stdout
