"""Pairs of brokers and failovers: what can be planned, and what a raw file says of a failure."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.campaign.machine.network import free_ports
from roundtrip.campaign.raw import RawLine
from roundtrip.campaign.settable import DEFAULTS, impossible, unsuitable
from roundtrip.campaign.values.drivers import queue_values
from roundtrip.campaign.values.failover import failover_values, full_from

PAIR = {
    **DEFAULTS, "requesters": 4,
    "ha": "replicated pair", "ha_link_rtt_ms": 0, "delivery": "persistent", "workload": "RR-CC",
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"delivery": "nonpersistent"}, "only a recovery log is protected"),
        ({"workload": "RR-BB"}, "a pair of brokers together with workload RR-BB"),
        ({"ha": "shared store"}, "only a replicated pair sends data over a link"),
        ({"background_load": "none"}, "say 0 for an empty queue"),
    ],
)
def test_impossible_pairs_are_explained(change: dict[str, Any], words: str) -> None:
    assert impossible(PAIR) is None
    assert words in str(impossible({**PAIR, **change}))


def test_a_replicated_pair_says_its_delay() -> None:
    silent = {name: level for name, level in PAIR.items() if name != "ha_link_rtt_ms"}
    assert "0 for the control" in str(impossible(silent))


def test_a_course_needs_what_it_is_about() -> None:
    assert unsuitable("failover", PAIR) is None
    assert "nothing would take over" in str(unsuitable("failover", {"ha": "none"}))
    assert "background_load" in str(unsuitable("background", PAIR))
    assert "only background follows it" in str(unsuitable("steady", {"background_load": "none"}))
    assert unsuitable("steady", {}) is None


def test_free_ports_differ() -> None:
    ports = free_ports(6)
    assert len(set(ports)) == 6
    assert all(1024 < port < 32_768 for port in ports)


def test_full_rate_is_that_of_a_window_after_the_failure() -> None:
    ends = [100.0 * n for n in range(1, 9)]
    intervals = list(zip(ends, [100.0, 100.0, 0, 0, 95, 0, 95, 95], strict=True))
    # A single burst is no full rate, and what was before the failure does not count.
    assert full_from(200, intervals, 100, 2) == 700
    assert full_from(200, intervals, 200, 2) is None
    assert full_from(200, intervals[:4], 100, 2) is None
    making_up = [*intervals[:3], (400.0, 300.0)]
    assert full_from(200, making_up, 100, 2) is None


@given(
    st.lists(st.floats(0, 1000), max_size=40), st.integers(1, 6), st.floats(0.1, 1000),
    st.floats(0, 3000),
)  # fmt: skip
def test_full_rate_is_never_before_the_failure(
    rates: list[float], window: int, before: float, killed: float
) -> None:
    intervals = [(100.0 * n, rate) for n, rate in enumerate(rates, 1)]
    found = full_from(killed, intervals, before, window)
    assert found is None or found >= killed


def line(source: str, **record: Any) -> RawLine:
    return RawLine(0.0, source, record)


def failure() -> list[RawLine]:
    """Give the lines of a failover at 1000 ms: two processes without service to 1600 and 1700."""
    lines = [line("runner", event="killed", at_ms=1000, share=0.9, window=2)]
    for name, gap_from, gap_to in (("requester-1", 990, 1700), ("requester-2", 980, 1600)):
        lines += [
            line(
                name, event="interval", t_ms=end, rate=rate,
                **({"longest_gap_ms": gap_to - gap_from, "gap_from_ms": gap_from,
                    "gap_to_ms": gap_to} if end == 1800 else {}),
            )
            for end, rate in ((900, 50), (1200, 0), (1500, 0), (1800, 50), (2100, 50), (2400, 50))
        ]  # fmt: skip
    return [
        *lines,
        line("broker-backup", event="active", t_ms=1500),
        line("sender-1", event="end", whole_run={"sent": 100, "in_doubt": 1}),
        line("receiver-1", event="end",
             whole_run={"distinct": 98, "duplicates": 3, "in_doubt": 2}),
        line("requester-1", event="end", whole_run={"lost": 1}),
    ]  # fmt: skip


def test_a_failover_is_told_from_its_raw_lines() -> None:
    values = failover_values(failure(), 100)
    # Service ends when the last process loses it, and begins when the first has it again.
    assert values["service_gap", "single"] == pytest.approx(0.61)
    assert values["takeover_time", "single"] == pytest.approx(0.5)
    assert values["recovery_time", "single"] == pytest.approx(0.8)
    assert values["messages_sent", "total"] == 100
    assert values["messages_lost", "total"] == 2
    assert values["messages_doubled", "total"] == 3
    assert values["messages_in_doubt", "total"] == 3
    assert values["unanswered_requests", "total"] == 1


def test_an_interval_that_began_before_the_failure_shows_no_recovery() -> None:
    lines = [
        line(one.source, **{**one.record, "rate": 50}) if one.event == "interval" else one
        for one in failure()
    ]
    assert failover_values(lines, 100)["recovery_time", "single"] == pytest.approx(0.5)


def test_what_did_not_come_back_has_no_time() -> None:
    lines = [
        entry
        for entry in failure()
        if entry.event != "active"
        and not (entry.event == "interval" and entry.record["t_ms"] > 1500)
    ]
    values = failover_values(lines, 100)
    assert not {"service_gap", "takeover_time", "recovery_time"} & {name for name, _ in values}
    assert values["messages_lost", "total"] == 2


def test_a_run_without_a_failure_has_none_of_this() -> None:
    assert failover_values([line("requester-1", event="end", whole_run={"lost": 1})], 10) == {}
    assert queue_values([]) == {}
    depth = line("runner", event="depth", queue="DEEP", messages=7)
    assert queue_values([depth]) == {("queue_depth", "single"): 7}
