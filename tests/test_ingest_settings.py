"""What a log says of several runs in it: each has its own settings, and no run has another's."""

# ruff: noqa: E501 - lines of logs are shown whole
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest_bench import SAMPLES, read
from roundtrip.ingest.settings import Settings
from roundtrip.ingest.tools.mqldt import Mqldt
from test_ingest_points import rows

TWO = "./cph -tc %s -nt 2 %s -vo 3\n"
CPH = "[Requester1] START\n[Requester2] START\n" + "rate=100.00,threads=2\n" * 4
CPH_TOTALS = "totalIterations=1000,totalSeconds=10.00,avgRate=100.00\n"
JMS = "ControlThread1: START\nRequester1: START\n"
JMS += "rate=100.00,total messages=200,Snapshot period=2,threads=2\n" * 4
JMS_TOTALS = "totalIterations=1000,avgDuration=10.00,totalRate=100.00\n"
FIRST, SECOND = "-ms 2048 -pp true -jl A", "-ms 204800 -pp false -tx -jl B"
OF_FIRST = {"message_bytes": 2048, "delivery": "persistent", "tls_cipher": "A"}
OF_SECOND = {
    "message_bytes": 204800,
    "delivery": "nonpersistent",
    "tls_cipher": "B",
    "syncpoint": "inside",
}
NAMES = {*OF_FIRST, *OF_SECOND}


def stated(log: str, folder: Path) -> list[dict[str, Any]]:
    """Give what is said of each run that has values, in all of its rows alike."""
    runs: dict[int, list[dict[str, Any]]] = {}
    for row in rows(log, folder):
        told = {name: row[name] for name in sorted(NAMES) if row.get(name) is not None}
        if told not in runs.setdefault(row["run"], []):
            runs[row["run"]].append(told)
    assert all(len(told) == 1 for told in runs.values()), runs
    return [runs[run][0] for run in sorted(runs)]


@pytest.mark.parametrize("totals", [True, False], ids=["finished", "killed"])
@pytest.mark.parametrize(
    ("run", "end", "program"),
    [(CPH, CPH_TOTALS, "Requester"), (JMS, JMS_TOTALS, "jms.r11.Requestor")],
    ids=["mq-cph", "jmsperfharness"],
)
def test_each_run_has_the_options_of_its_command(tmp_path, run, end, program, totals):
    run += end * totals
    first, second = (TWO % (program, options) for options in (FIRST, SECOND))
    assert stated(first + run + second + run, tmp_path) == [OF_FIRST, OF_SECOND]
    assert stated(second + run + first + run, tmp_path) == [OF_SECOND, OF_FIRST]
    less = TWO % (program, "-ms 100")  # what a command leaves out is not that of another
    assert stated(first + run + less + run, tmp_path) == [OF_FIRST, {"message_bytes": 100}]
    # Of a run that no command is printed for, only what the file never says otherwise is known.
    assert stated(first + run + run, tmp_path) == [OF_FIRST, OF_FIRST]
    assert stated(first + run + second + run + run, tmp_path) == [OF_FIRST, OF_SECOND, {}]
    assert stated(first + run + less + run + run, tmp_path)[2] == {}
    assert stated(run + second + run, tmp_path) == [{}, OF_SECOND]


def test_of_two_commands_of_one_run_only_what_both_say_is_known(tmp_path):
    responder = TWO % ("Responder", "-pp true -jl A")
    log = TWO % ("Requester", FIRST) + responder + CPH + CPH_TOTALS
    assert stated(log, tmp_path) == [{"delivery": "persistent", "tls_cipher": "A"}]
    many = "".join(TWO % (f"Requester -id {place}", FIRST) for place in range(30))
    assert stated(many + CPH + CPH_TOTALS, tmp_path) == [OF_FIRST]
    many += TWO % ("Requester", "-ms 1 -pp true -jl A")
    known = {"delivery": "persistent", "tls_cipher": "A"}
    assert stated(many + CPH + CPH_TOTALS, tmp_path) == [known]
    again = TWO % ("Requester", FIRST) + "Command line: " + TWO % ("Requester", FIRST)
    assert stated(again + CPH + CPH_TOTALS, tmp_path) == [OF_FIRST]


def test_the_rest_of_a_wrapped_command_belongs_to_it(tmp_path):
    wrapped = "./cph -tc Requester -nt 2 -ms 2048\n-pp true -jl A\n"
    log = wrapped + CPH + CPH_TOTALS + TWO % ("Requester", SECOND) + CPH + CPH_TOTALS
    assert stated(log, tmp_path) == [OF_FIRST, OF_SECOND]
    # Where only the rest has options that are known, it begins the run.
    runs = [f"./cph \\\n-tc Requester -nt 2 {options}\n{CPH}" for options in (FIRST, SECOND)]
    for totals in ("", CPH_TOTALS):
        assert stated("".join(run + totals for run in runs), tmp_path) == [OF_FIRST, OF_SECOND]
    # Two rests of one run are of two commands.
    named = "".join(runs).replace("rate=", "id=1,rate=")
    assert stated(named, tmp_path) == [{}]


def test_what_programs_did_is_that_of_their_run(tmp_path):
    log = CPH + CPH_TOTALS + (CPH + CPH_TOTALS).replace("Requester", "Sender")
    found = {
        (row["run"], row["metric"]) for row in rows(log, tmp_path) if "rate" in row["quantity"]
    }
    assert found == {(0, "round_trip_rate"), (1, "message_rate")}


FILE = "2026/11/05,10:0%d:00,x,MsgSize,2048,Threads,1,MsgRate,%d.00,Iterations,50,AvgDuration,10.00,Tx,%s,Persistent,%s,UseCorrId,true\n"
INTERVAL = "2026/11/05,10:0%d:00,Threads,1,MsgRate,%d.00\n"


def test_each_summary_of_file_stats_tells_its_own(tmp_path):
    first, second = FILE % (1, 5, "false", "true"), FILE % (2, 9, "true", "false")
    told = [{"delivery": "persistent"}, {"delivery": "nonpersistent", "syncpoint": "inside"}]
    log = INTERVAL % (0, 5) * 3 + first + INTERVAL % (1, 9) * 3 + second
    assert stated(log, tmp_path) == told
    # Whose intervals they are that a process of some name printed before both, nobody knows.
    for interval in ("", f"id=1,{INTERVAL % (0, 5)}"):
        found = rows(interval + first + second, tmp_path)
        of_runs = [row for row in found if row["quantity"] == "run_rate"]
        assert [(row["value"], row.get("delivery"), row.get("syncpoint")) for row in of_runs] == [
            (5, "persistent", None), (9, "nonpersistent", "inside"),
        ]  # fmt: skip
        assert len({row["point"] for row in of_runs}) == 2
        assert {row.get("delivery") for row in found if row["quantity"] == "rate"} <= {None}


def test_rolling_means_have_the_window_of_their_run(tmp_path):
    rates = [*[100] * 8, *[1000] * 20]
    run = "ControlThread1: START\n" + "".join(f"rateR={rate}.00,threads=5\n" for rate in rates)
    log = "".join(
        f"java JMSPerfHarness -tc jms.r11.Requestor -ss 5 -sr {window}\n{run}"
        for window in (10, 40)
    )
    values = [row["value"] for row in rows(log, tmp_path) if row["quantity"] == "rolling_rate"]
    assert values == [pytest.approx((6 * 100 + 20 * 1000) / 26), 1000]


RESULTS = "{0} Test Results\n{1}K\nthreads=1\navgRate={2}.00\n\n"
CALL = "Running {0} Messaging Tests\nTLS Cipher: {1}\nUsing {2} responder threads\n"
CSV = "# TLS Cipher: {0}\n# Persistence, Msg Size, Threads, Rate (RT/s)\n{1},2048,1,{2}.00,0,0,0,0,0,0\n"


def cphtestp(log: str, folder: Path) -> list[tuple[Any, ...]]:
    names = ("value", "delivery", "tls_cipher", "responders", "api")
    found = [row for row in rows(log, folder) if row["quantity"] == "rate"]
    return [tuple(row.get(name) for name in names) for row in found]


def test_each_call_of_cphtestp_has_its_own_settings(tmp_path):
    first = CALL.format("Persistent", "A", 4) + RESULTS.format("CPH", 2, 5) + CSV.format("A", 1, 5)
    second = (
        CALL.format("Non Persistent", "B", 8) + RESULTS.format("JMS", 2, 9) + CSV.format("B", 0, 9)
    )
    of_first = (5, "persistent", "A", 4, "MQI")
    of_second = (9, "nonpersistent", "B", 8, "JMS")
    assert cphtestp(first + second, tmp_path) == [of_first, of_second]
    assert cphtestp(second + first, tmp_path) == [of_second, of_first]
    bare = RESULTS.format("CPH", 2, 7)
    assert cphtestp(first + bare, tmp_path) == [of_first, (7, None, None, None, "MQI")]
    table = CSV.format("B", 0, 7) + CSV.format("A", 1, 8) + CSV.format("A", 1, 9).partition("\n")[2]
    assert cphtestp(table, tmp_path) == [
        (7, "nonpersistent", "B", None, None), (8, "persistent", "A", None, None),
        (9, "persistent", None, None, None),
    ]  # fmt: skip


def test_a_refused_document_says_nothing_of_the_next(tmp_path):
    refused = {"publishRate": [], "workload": "w", "messageSize": 100}
    result = {"publishRate": [1.0, 2.0], "workload": "w", "driver": "d", "messageSize": 1024}
    log = f"{json.dumps(refused)}\n{json.dumps(result)}\n{json.dumps(result | {'messageSize': 2048})}\n"
    assert stated(log, tmp_path) == [{"message_bytes": 1024}, {"message_bytes": 2048}]


def test_iostat_a_call_without_times_has_none_of_the_call_before_it():
    timed = (SAMPLES / "os-tools/iostat_xt_1_3.txt").read_text()
    bare = "\n".join(line for line in timed.splitlines() if not line.startswith("11/21")) + "\n"
    found = read(timed + bare)
    assert set(found.column("time")[6:]) == {None}
    assert None not in found.column("time")[:6]


def test_mqldt_queue_managers_and_length_are_those_of_the_run():
    table = (SAMPLES / "mqldt/local_single_qm.csv").read_text()
    options = (SAMPLES / "mqldt/local_single_qm.stdout").read_text().partition("Creating")[0]
    several = "Running MQLDT over 3 Queue Managers\n"
    # Between the longest mean of one queue manager and of three.
    slow = table.replace("3374430", "4374430")
    found = read(several + table + slow)
    assert found.column("queue_managers", "summary") == [3, 3, 1, 1]
    assert found.faults("summary") == ["", "", "latency impossible", ""]
    long = options.replace("(--duration)           : 3", "(--duration)           : 300")
    found = read(long + table + slow)
    assert isinstance(found.reader, Mqldt)
    assert found.faults("summary") == ["", "", "latency impossible", ""]


def test_settings_of_more_runs_than_are_told_apart_are_known_where_all_agree():
    settings = Settings()
    for run in range(5000):
        settings.say(run, "same", "1")
        settings.say(run, "each", str(run))
    assert [settings.one(run, "same") for run in (0, 4999)] == ["1", "1"]
    assert [settings.one(run, "each") for run in (4095, 4096)] == ["4095", ""]
    assert settings["each"].count(", ") == 19
