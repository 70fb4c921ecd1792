"""What points are made of: runs told apart, windows, zones of time, and statistics that are true."""

# ruff: noqa: E501 - lines of logs are shown whole
from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingest_bench import SAMPLES, read
from roundtrip.dictionary import load_dictionary
from roundtrip.ingest.context import FileContext
from roundtrip.ingest.inputs import Input
from roundtrip.ingest.joins import joined
from roundtrip.ingest.points import points_of
from roundtrip.ingest.registry import reader_named
from roundtrip.ingest.result import read_input
from roundtrip.ingest.rows import Row, rows_of
from workshop import ROOT

DICTIONARY = load_dictionary(ROOT / "data" / "dictionary.yml")
NOON = 1714564800.0  # 2024-05-01 12:00 UTC


def rows(content: str | bytes, folder: Path, tool: Any = None, **known: Any) -> list[Row]:
    """Give the rows of all points of a log."""
    raw = content.encode() if isinstance(content, str) else content
    result = read_input(Input("a.log", io.BytesIO(raw)), folder, lambda item: None, tool)
    context = FileContext(**known)
    return rows_of(result, context, points_of(result, context.steady), DICTIONARY)


def values(found: list[Row], quantity: str) -> list[tuple[int, str, float]]:
    """Give run, statistic and value of a quantity."""
    return [
        (row["run"], row["statistic"], row["value"]) for row in found if row["quantity"] == quantity
    ]


# --- runs ------------------------------------------------------------------------------------------
HEAD = ("procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----%s\n"
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st%s\n")  # fmt: skip
ROW = " 1  0      0   1000   1000   1000    0    0     9     9   57   96 %d  0 %d  0  0\n"


def vmstat(*busy: int) -> str:
    return HEAD % ("", "") + "".join(ROW % (us, 100 - us) for us in busy)


@pytest.mark.parametrize("page", [21, 33])
def test_vmstat_headings_of_one_call_begin_no_run(tmp_path, page):
    rest = [20] * (page - 1), [40] * page, [60] * 5
    found = rows(vmstat(1, *rest[0]) + vmstat(*rest[1]) + vmstat(*rest[2]), tmp_path)
    assert values(found, "cpu") == [(0, "steady", pytest.approx(np.mean(np.concatenate(rest))))]


def test_vmstat_a_command_begins_a_run():
    found = read(vmstat(1, 20, 20) + "$ vmstat 1 3\n" + vmstat(5, 80, 80))
    assert found.column("run") == [0, 0, 0, 1, 1, 1]
    assert found.faults() == ["since boot", "", ""] * 2


def test_vmstat_changed_headings_begin_a_run():
    other = vmstat(5, 80).replace("buff  cache", "inact active")
    found = read(vmstat(1, *[20] * 3) + other)
    assert found.column("run") == [0, 0, 0, 0, 1, 1]
    assert found.faults() == ["since boot", "", "", "", "since boot", ""]


def mpstat(busy: int, hour: int) -> str:
    columns = "".join(
        f"{name:>8}" for name in ("%usr", "%nice", "%sys", "%iowait", "%irq", "%soft", "%idle")
    )
    cells = "".join(f"{cell:8.2f}" for cell in (busy, 0, 0, 0, 0, 0, 100 - busy))
    text = f"Linux 6.1 (h) \t2024-05-01 \t_x86_64_\t(2 CPU)\n\n{hour}:00:00     CPU{columns}\n"
    return text + "".join(f"{hour}:00:0{second}     all{cells}\n" for second in range(1, 6)) + "\n"


def test_mpstat_calls_are_runs(tmp_path):
    found = rows(mpstat(20, 10) + mpstat(80, 11), tmp_path)
    assert values(found, "cpu") == [(0, "steady", 20), (1, "steady", 80)]


def amqsrua(second: int, length: str, *elements: str) -> str:
    time = f"12{second // 60:02d}{second % 60:02d}00"
    head = f"Publication received PutDate:20240501 PutTime:{time} Interval:{length} seconds\n"
    return head + "".join(f"{element}\n" for element in elements) + "\n"


def test_amqsrua_calls_are_runs_each_with_a_first_publication(tmp_path):
    text = ""
    for begin, latency in ((0, 500), (1800, 700)):
        text += "$ amqsrua -m QM1 -c DISK -t Log\n"
        text += amqsrua(begin, "29 minutes,10.000", "Log - write latency 9000uSec")
        for place in range(1, 5):
            text += amqsrua(begin + 10 * place, "10.000", f"Log - write latency {latency}uSec")
    found = rows(text, tmp_path)
    assert values(found, "Log - write latency") == [(0, "steady", 500), (1, "steady", 700)]


CPH = "totalIterations=6000,totalSeconds=6.00,avgRate=1000.00\n"
JMS = "totalIterations=6000,avgDuration=6.00,totalRate=1000.00\n"


@pytest.mark.parametrize(
    ("line", "totals"),
    [("rate={}.00,threads=4\n", CPH), ("rate={0}.00,total messages={0},Snapshot period=1,threads=4\n", JMS)],
)  # fmt: skip
@pytest.mark.parametrize("last", ["", "-----\n"])
def test_an_interval_after_totals_begins_a_run(tmp_path, line, totals, last):
    text = "".join(line.format(rate) * 6 + totals + last for rate in (1000, 3000))
    found = rows(text, tmp_path)
    assert values(found, "rate") == [(0, "steady", 1000), (1, "steady", 3000)]
    assert [run for run, _, _ in values(found, "run_rate")] == [0, 1]
    # A process that goes on while another has printed its totals belongs to the same run.
    named = "".join(f"id=P{place % 2}," + line.format(5) for place in range(8)) + totals
    assert set(read(named + "id=P1," + line.format(5)).column("run")) == {0}


# --- what rows cover -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "window"),
    [("", 3), ("java JMSPerfHarness -tc jms.r11.Requestor -ss 5 -sr 40\n", 8),
     ("java JMSPerfHarness -tc jms.r11.Requestor -ss 10 -sr 10\n", 1)],
)  # fmt: skip
def test_rolling_means_count_when_their_window_has_passed(tmp_path, options, window):
    ramp = [100, *np.linspace(200, 900, window - 1).astype(int).tolist()]
    rates = [*ramp, *[1000, 1010] * 20]
    found = rows(options + "".join(f"rateR={rate}.00,threads=5\n" for rate in rates), tmp_path)
    (row,) = (row for row in found if row["quantity"] == "rolling_rate")
    assert (row["value"], row["intervals"]) == (1005, 40)
    assert ("threads ran for a rolling window" in row["note"]) is (window > 1)


def test_the_aggregators_number_of_threads_tells_no_ramp_up(tmp_path):
    text = "".join(f"rate={rate}.00,threads=100,processes=4\n" for rate in (10, 20, 30, 30, 30))
    found = rows(text, tmp_path, role="requesters")
    (rate,) = (row for row in found if row["quantity"] == "rate")
    assert rate["note"].startswith("without the first interval")
    assert (rate["status"], rate["requesters"]) == ("suspect", 100)


def test_totals_of_one_process_are_not_held_against_the_rate_of_all():
    text = "rate=100000.00,threads=100,processes=4\n" * 600
    text += "totalIterations=900000000,totalSeconds=36000.00,avgRate=25000.00\n" * 4
    found = read(text)
    assert found.column("iterations", "summary") == [9e8] * 4
    assert set(found.faults("summary")) == {""}


def test_what_is_doubtful_of_latencies_alone_says_nothing_of_rates(tmp_path):
    line = "rate=100.00,threads=2,avg_latency(uSec)=%d,max_latency(uSec)=%d,min_latency(uSec)=%d\n"
    cph = rows(line % (1000, 2000, 500) * 4 + line % (9000, 0, 2**63 - 1) * 2, tmp_path)
    text = (SAMPLES / "jmsperfharness/local_responsetimestats.txt").read_text()
    done = (
        "OVERALL:                5400                5.40              999.63|                   0"
    )
    jms = rows(text.replace(f"{done}                   0", f"{done}           999999999"), tmp_path)
    doubted = [
        {row["quantity"] for row in found if row["status"] == "suspect"} for found in (cph, jms)
    ]
    assert doubted == [{"latency_avg", "latency_max", "latency_min"}, set()]
    assert [row["value"] for row in jms if row["quantity"] == "run_rate"] == [999.63]


CPH = "[Requester1] START\n[Requester2] START\n" + "rate=%d.00,threads=2\n" * 5
JMS = "ControlThread1: START\nRequester1: START\n"
JMS += "rate=%d.00,total messages=9,Snapshot period=10,threads=1\n" * 5
PERF = "".join(
    f"time: {second}.000s, sent: 1 msg/s, received: %d msg/s\n" for second in range(1, 6)
)
ARTEMIS = (
    "--- warmup true\n--- received: 1 msg/sec\n"
    + "--- warmup false\n--- received: %d msg/sec\n" * 5
)
SAMPLE = '{"sampleType": "interval", "warmup": %s, "received": %%d}'
DOCUMENT = f"[{SAMPLE % 'true'}" + f", {SAMPLE % 'false'}" * 5 + "]\n"


@pytest.mark.parametrize(
    ("log", "quantity"),
    [
        (CPH, "rate"),
        (JMS, "rate"),
        (PERF, "received"),
        (ARTEMIS, "received"),
        (DOCUMENT, "received"),
    ],
)
def test_a_run_that_was_killed_and_the_next_one_are_two(tmp_path, log, quantity):
    text = "".join(log % tuple([rate] * log.count("%d")) for rate in (100, 900, 300))
    wanted = [(run, "steady", rate) for run, rate in enumerate((100, 900, 300))]
    assert values(rows(text, tmp_path), quantity) == wanted


def test_histograms_of_two_logs_in_one_file_are_two_runs(tmp_path):
    content = (SAMPLES / "hdrhistogram/jHiccup-2.0.7S.logV2.hlog").read_bytes()
    once, twice = rows(content, tmp_path), rows(content * 2, tmp_path)
    ((_, _, count),) = values(once, "run_count")
    assert values(twice, "run_count") == [(0, "mean", count), (1, "mean", count)]


def test_each_of_several_programs_of_perftest_ends_its_own_run(tmp_path):
    line = "id: {0}, time: {1}.000s, sent: {2} msg/s, received: {2} msg/s\n"
    total = "id: {0}, receiving rate avg: {1} msg/s\n"
    text = "".join(line.format(name, second, rate) for second in (1, 2, 3)
                   for name, rate in (("a", 100), ("b", 200)))  # fmt: skip
    text += total.format("a", 100) + line.format("b", 4, 200) + total.format("b", 200)
    found = rows(text, tmp_path)
    assert values(found, "received") == [(0, "steady", 100), (0, "steady", 200)]
    assert values(found, "run_received") == [(0, "mean", 100), (0, "mean", 200)]


def test_rates_that_two_programs_print_into_one_file_are_doubtful(tmp_path):
    started, rates = CPH.split("rate")[0], "rate=100.00,threads=2\nrate=300.00,threads=2\n" * 5
    ended = started.replace("START", "STOP")
    for text, status in (
        (started + rates, "as_printed"), (started * 2 + rates, "suspect"),
        (started + ended + started + rates, "as_printed"),
    ):  # fmt: skip
        assert {row["status"] for row in rows(text, tmp_path)} == {status}


@pytest.mark.parametrize(
    ("tool", "before", "piece"),
    [
        ("omb", '{"workload": "w", "driver": "d", "publishRate": [1.0]}\n', " "),
        ("amqerr", "AMQ7490I: ", "1"),
        ("rabbitmq-perftest", "time: 1.000s, sent: 1 msg/s, ", "/"),
        ("rabbitmq-perftest", "time   sent   received\n1.000s  ", "1/"),
    ],
)
def test_a_long_line_is_read_once(tmp_path, tool, before, piece):
    content = f"{before}{piece * 200_000}x\n".encode()  # takes hours if each place is a beginning
    source = Input("a.log", io.BytesIO(content))
    found = read_input(source, tmp_path, lambda item: None, reader_named(tool)())
    assert found.account.lines == content.count(b"\n")


# --- times -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(("zone", "known"), [("UTC", True), ("GMT", True), ("CEST", False)])
def test_vmstat_times_of_a_zone_that_is_not_certain_are_not_used(tmp_path, zone, known):
    text = HEAD % (" -----timestamp-----", f"                {zone}")
    for second in range(5):
        text += ROW.rstrip("\n") % (20, 80) + f" 2024-05-01 12:00:0{second}\n"
    assert read(text).column("time") == [NOON + second if known else None for second in range(5)]
    (row,) = (row for row in rows(text, tmp_path) if row["quantity"] == "cpu")
    assert row["status"] == "as_printed"
    assert ("nothing can be joined by time" in row["note"]) is not known


@pytest.mark.parametrize(
    ("stamp", "time"),
    [
        ({}, NOON),
        ({"utc": 1}, NOON),
        ({"tz": "UTC"}, NOON),
        ({"tz": "CEST"}, None),
        ({"utc": 0}, None),
    ],
)
def test_sadf_has_a_date_in_each_timestamp(stamp, time):
    report = {
        "timestamp": {"date": "2024-05-01", "time": "12:00:00", "interval": 60, **stamp},
        "cpu-load": [{"cpu": "all", "user": 20.0, "iowait": 0.0, "idle": 80.0}],
    }
    hosts = [{"nodename": "h", "file-date": "2024-05-01", "statistics": [report]}]
    found = read(json.dumps({"sysstat": {"hosts": hosts}}))
    assert set(found.column("time")) == {time}
    assert set(found.faults()) == {"" if time else "other time zone"}


@pytest.mark.parametrize("tool", ["iostat", "sar"])
def test_a_date_whose_day_and_month_could_be_exchanged_is_named(tool):
    iostat = (SAMPLES / "os-tools/iostat_xt_1_3.txt").read_text()
    sar = (SAMPLES / "os-tools/sar_u_d_n_1_4.txt").read_text()
    found = read((iostat if tool == "iostat" else sar).replace("11/21/26", "05/11/26"))
    assert "month first" in found.sink.settings["date"]


def test_iostat_times_with_an_offset():
    text = (SAMPLES / "os-tools/iostat_c_1_3.txt").read_text()
    banner, _, table = text.partition("avg-cpu")
    found = read(f"{banner}2024-05-01T14:00:00+0200\navg-cpu{table}")
    assert found.column("time")[0] == NOON


# --- statistics ------------------------------------------------------------------------------------
def test_percentiles_of_intervals_have_no_mean(tmp_path):
    content = (SAMPLES / "hdrhistogram/jHiccup-2.0.7S.logV2.hlog").read_bytes()
    found = rows(content, tmp_path, histogram_unit="ns", role="requesters")
    times = {row["quantity"]: row["statistic"] for row in found if row["metric"]}
    assert times == {
        "run_mean": "mean", "run_max": "maximum", "run_p50": "p50", "run_p90": "p90",
        "run_p99": "p99", "run_p999": "p999", "run_p9999": "p9999",
    }  # fmt: skip
    assert values(found, "run_p9999") == [(0, "p9999", pytest.approx(1803.55, rel=1e-4))]
    assert {row["unit"] for row in found if row["quantity"].startswith("run_p")} == {"ms"}


def test_each_percentile_that_a_tool_sums_up_is_called_what_it_is(tmp_path):
    ends = {"75pct": "p75", "95pct": "p95", "9999pct": "p9999", "Max": "maximum", "Avg": "mean"}
    told = {f"aggregatedPublishLatency{end}": 2.5 for end in ends}
    document = {"workload": "w", "driver": "d", "publishRate": [1.0], **told}
    found = rows(json.dumps(document), tmp_path)
    run = [row["statistic"] for row in found if row["quantity"].startswith("run_publish")]
    assert sorted(run) == sorted(ends.values())


@pytest.mark.parametrize("log", [
    "id: a, sending rate avg: 90 msg/s\nid: a, receiving rate avg: 80 msg/s\n"
    "id: a, consumer latency min/median/75th/95th/99th 1/2/3/4/5 ?s\n",
    "id: a, time: 1.000s, sent: 90 msg/s, received: 80 msg/s, "
    "min/median/75th/95th/99th consumer latency: 1/2/3/4/5 ?s\n" * 4,
])  # fmt: skip
def test_a_damaged_unit_of_latencies_leaves_rates_as_printed(tmp_path, log):
    found = rows(log, tmp_path)
    doubted = {row["quantity"] for row in found if "unit was damaged" in row["note"]}
    assert doubted == {row["quantity"] for row in found if "latency" in row["quantity"]}
    assert len(doubted) == 5
    (rate,) = (row for row in found if row["metric"] == "message_rate")
    assert (rate["value"], rate["status"]) == (80, "as_printed")
    assert {row["status"] for row in found if row["quantity"] in doubted} == {"suspect"}


def fio(direction: str, job: dict[str, Any], **options: str) -> str:
    part = {"total_ios": 10, "iops": 1.0, "clat_ns": {"mean": 4000.0}}
    jobs = [{"jobname": "j", "error": 0, direction: part, **job}]
    return json.dumps({"fio version": "fio-3.28", "global options": options, "jobs": jobs})


SYNC = {"sync": {"total_ios": 10, "lat_ns": {"mean": 1_200_000.0}}}


@pytest.mark.parametrize(
    ("direction", "job", "options", "latency"),
    [
        ("read", {}, {"sync": "1"}, None), ("write", {}, {}, None),
        ("write", {}, {"sync": "dsync"}, 4), ("write", {}, {"sync": "0"}, None),
        ("write", SYNC, {"fdatasync": "1"}, 1204), ("write", SYNC, {"fsync": "1"}, 1204),
        ("write", SYNC, {"fsync": "8"}, None), ("write", {}, {"fsync": "1"}, None),
    ],
)  # fmt: skip
def test_fio_only_a_synchronous_write_is_one_of_the_log(tmp_path, direction, job, options, latency):
    found = rows(fio(direction, job, **options), tmp_path)
    logged = [row["value"] for row in found if row["metric"] == "log_write_latency"]
    assert logged == ([] if latency is None else [latency])
    assert values(found, "latency") == [(0, "mean", 4)]


def status(name: str, seconds: int, printed: int) -> str:
    """Give what fio prints of a job that ran for some time, at some time."""
    part = {"total_ios": 1, "iops": 1.0, "runtime": 1000 * seconds,
            "clat_ns": {"mean": 1e6 * seconds}}  # fmt: skip
    jobs = [{"jobname": name, "error": 0, "write": part, "job options": {"sync": "1"}}]
    return json.dumps({"fio version": "fio-3.28", "timestamp": printed, "jobs": jobs}) + "\n"


def test_fio_the_last_of_the_documents_of_a_run_counts(tmp_path):
    text = "".join(status("a", seconds, 100 + seconds) for seconds in (10, 20, 30))
    text += status("b", 40, 180)
    found = [row for row in rows(text, tmp_path) if row["metric"] == "log_write_latency"]
    assert [(row["line"], row["value"]) for row in found] == [(3, 30000), (4, 40000)]
    assert read(text).sink.faults == {"printed again": 2}


def test_a_maximum_since_restart_and_a_count_have_no_mean(tmp_path):
    text = "".join(
        amqsrua(10 * place, "10.000", f"Log - slowest write since restart {slowest}uSec",
                f"Rebase count {place % 2}")
        for place, slowest in enumerate((1000, 1000, 50000, 50000))
    )  # fmt: skip
    found = rows(text, tmp_path)
    assert values(found, "Log - slowest write since restart") == [(0, "maximum", 50000)]
    assert values(found, "Rebase count") == [(0, "total", 2)]
    (slowest,) = (row for row in found if row["metric"] == "log_slowest_write")
    load = {**slowest, "tool": "mq-cph", "metric": "round_trip_rate", "statistic": "steady",
            "file": "b.log", "point": "b", "end": slowest["begin"] + 20}  # fmt: skip
    times = slowest["begin"] + 10.0 * np.arange(4)
    (*_, added) = joined([load, slowest], lambda row: (times, np.array([1, 1, 5, 9]) * 1e4))
    assert (added["statistic"], added["value"]) == ("maximum", 50000)
    assert added["note"].startswith("joined by time: largest of 3 intervals")
