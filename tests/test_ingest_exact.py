"""What a piece of a log gives, to the last digit: values, units, lines, series, runs and faults."""

# ruff: noqa: E501 - lines of logs are shown whole
from __future__ import annotations

import json

import numpy as np
import pytest

from ingest_bench import SAMPLES, Read, read, sample
from roundtrip.ingest.tools.jms_perf_harness import JmsPerfHarness
from roundtrip.ingest.tools.mq_cph import MqCph
from test_ingest_readers import FILES

MIDNIGHT = 1795219200.0  # 2026-11-21
SYSTEM = {"system": "Linux", "release": "6.1.0-13-amd64", "cpus": "2"}
LOCAL = {"time zone": "none printed"}


def lines_of(name: str) -> list[str]:
    return (SAMPLES / name).read_text().splitlines()


# --- JMSPerfHarness --------------------------------------------------------------------------------
def test_jms_intervals_and_the_summary_of_each_module():
    basic = sample("jmsperfharness/tutorial_requesters_sigint_summary.txt")
    assert basic.rows("summary") == [
        (13, "", 0, None, "", {"iterations": 1302393, "seconds": 77.61, "run_rate": 16782.39})
    ]
    assert list(basic.sink.dialects) == ["BasicStats"]
    rolling = sample("jmsperfharness/github_issue9_rollingavg.txt")
    assert rolling.rows() == [
        (line, "", 0, None, "", {"rolling_rate": rate, "threads": 5})
        for line, rate in ((1, 124.17), (2, 127.7), (3, 124.8))
    ]
    assert rolling.rows("summary") == [
        (6, "", 0, None, "", {"iterations": 14549, "seconds": 122.54, "max_rolling_rate": 127.73})
    ]
    assert list(rolling.sink.dialects) == ["RollingAvgStats"]
    response = sample("jmsperfharness/local_responsetimestats.txt")
    assert response.rows("summary")[0][5] == {
        "iterations": 5400, "seconds": 5.4, "run_rate": 999.63, "run_response": 0,
        "run_response_min": 0, "run_response_max": 0,
    }  # fmt: skip
    assert response.streams() == ["P1", "P1"]


def test_a_time_without_a_zone_counts_only_where_a_value_has_it():
    line = "%s rate=5.00,total messages=50,Snapshot period=10,threads=1\n"
    for other, told in (("nobody reads this", {}), (line[3:].strip(), LOCAL)):
        found = read(line % "2026-11-21T00:00:00Z" + f"2026-11-21T00:00:10 {other}\n")
        assert found.rows()[0][3] == MIDNIGHT
        assert found.sink.settings == told


def test_jms_an_empty_summary_has_no_rate_and_no_length():
    (row,) = read("tps=1.00,avgResponse(micros)=7,threads=2\n"
                  "totalIterations=0,avgDuration=NaN,totalRate=NaN\n").rows("summary")  # fmt: skip
    assert row == (2, "", 0, None, "no sample", {"iterations": 0})


INTERVAL = "rate=%s,total messages=%d,Snapshot period=%d,threads=4\n"


def printed_by_java(messages: int, milliseconds: int) -> str:
    """Give the line for an interval as Java computes it: messages × 1000 in 32 bits."""
    wrapped = (messages * 1000 + 2**31) % 2**32 - 2**31
    return INTERVAL % (f"{wrapped / milliseconds:.2f}", messages, milliseconds // 1000)


@pytest.mark.parametrize("messages", [1, 2_147_483, 2_147_484, 3_000_001, 12_345_678, 130_525_474])
@pytest.mark.parametrize("milliseconds", [1000, 1999, 2000, 2998, 2999, 10_000, 10_989, 10_999])
def test_jms_a_rate_is_messages_over_milliseconds_however_large(messages, milliseconds):
    found = read(printed_by_java(messages, milliseconds))
    overflowed = messages * 1000 >= 2**31
    assert found.faults() == ["overflow" if overflowed else ""]
    expected = messages * 1000 / milliseconds
    assert found.column("rate") == [
        pytest.approx(expected, **({"rel": 1e-12} if overflowed else {"abs": 0.005}))
    ]
    assert found.column("messages") == [messages]
    assert (found.column("rate_printed") == [None]) == (not overflowed)


@pytest.mark.parametrize(
    ("rate", "messages", "period", "fault", "kept", "shown"),
    [
        # The printed rate is none that the wrapped messages give: whole seconds are what is left.
        ("123.45", 3_000_000, 2, "overflow", 1_500_000, 123.45),
        ("-123.45", 3_000_000, 2, "overflow", 1_500_000, -123.45),
        ("123.45", 3_000_000, 0, "overflow unseen", None, 123.45),
        ("-5.00", 1000, 2, "below zero", None, -5.0),
        ("500.00", -3_000_000, 2, "messages wrapped", None, 500.0),
        ("-5.00", -7, 2, "messages wrapped", None, -5.0),
        ("500.00", 1000, 2, "", 500.0, None),
    ],
)
def test_jms_rates_that_cannot_be_are_marked(rate, messages, period, fault, kept, shown):
    healthy = INTERVAL % ("7.00", 14, 2)
    found = read(healthy + INTERVAL % (rate, messages, period) + healthy)
    assert found.faults() == ["", fault, ""]
    assert found.column("rate") == [7, kept, 7]
    assert found.column("rate_printed") == [None, shown, None]
    assert found.column("messages") == [14, None if messages < 0 else messages, 14]
    assert found.sink.faults == ({fault: 1} if fault else {})


def test_jms_a_run_of_file_stats_has_its_rate_where_time_went_forward():
    line = ("2024/11/22,10:11:14,DEST,MsgSize,2K,Threads,5,MsgRate,%s,Iterations,%d,AvgDuration,%s,"
            "Tx,true,Persistent,false,UseCorrId,false\n")  # fmt: skip
    begin = "2024/11/22,10:11:12,Threads,5,MsgRate,120.00,IndThreads,60,60\n"
    found = {}
    for rate, iterations, duration in (
        ("0.00", 1200, "10.00"), ("0.00", 1200, "-10.00"), ("0.00", 0, "10.00"), ("7.00", 70, "10.00"),
    ):  # fmt: skip
        run = read(begin + line % (rate, iterations, duration))
        (row,) = run.rows("summary")
        assert row[:4] == (2, "", 0, 1732270274.0)
        found[rate, iterations, duration] = (row[5]["run_rate"], row[4])
    assert list(found.values()) == [(120, "short run"), (0, ""), (0, ""), (7, "")]
    assert run.column("time") == [1732270272.0]
    assert run.sink.settings == {
        "message size": "2K", "transacted": "true", "persistent": "false", "threads": "5", **LOCAL,
    }  # fmt: skip


def test_jms_a_rolling_mean_below_zero_is_no_sample():
    found = read("rateR=1.00,threads=5\nrateR=-1.00,threads=5\nrateR=NaN,threads=5\n")
    assert found.column("rolling_rate") == [1, None, None]
    assert found.faults() == ["", "no sample", "no sample"]


# --- plain intervals -------------------------------------------------------------------------------
class FastJms(JmsPerfHarness):
    """JMSPerfHarness without its slow way."""

    def line(self, number_, text, sink):
        raise AssertionError(text)


class FastCph(MqCph):
    """MQ-CPH without its slow way."""

    def line(self, number_, text, sink):
        raise AssertionError(text)


CPH = "rate=7.25,threads=3,avg_latency(uSec)=9,max_latency(uSec)=12,min_latency(uSec)=8"
PLAIN = [
    (FastCph, "rate=9007199254740.25,threads=3", {"rate": 9007199254740.25, "threads": 3}),
    (FastCph, "rate=12345678.00,threads=123456789012345", {"rate": 12345678, "threads": 123456789012345}),
    (FastJms, "rate=-5.50,total messages=-11,Snapshot period=2,threads=3",
     {"rate_printed": -5.5, "period": 2, "threads": 3}),
    (FastCph, "rate=7.25,threads=3", {"rate": 7.25, "threads": 3}),
    (FastCph, CPH, {"rate": 7.25, "threads": 3, "latency_avg": 9, "latency_max": 12, "latency_min": 8}),
    *(
        case
        for mark in ".,"
        for case in (
            (FastJms, f"rate=5{mark}50,total messages=11,Snapshot period=2,threads=3",
             {"rate": 5.5, "messages": 11, "period": 2, "threads": 3}),
            (FastJms, f"rateR=124{mark}17,threads=5", {"rolling_rate": 124.17, "threads": 5}),
            (FastJms, f"tps=900{mark}25,avgResponse(micros)=7,threads=2",
             {"rate": 900.25, "response": 7, "threads": 2}),
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize(("reader", "line", "values"), PLAIN)
def test_plain_intervals_are_read_without_the_slow_way(reader, line, values):
    found = Read(reader(), f"{line}\n{line}\n".encode())
    fault = "messages wrapped" if "rate_printed" in values else ""
    assert found.rows() == [(number, "", 0, None, fault, values) for number in (1, 2)]
    assert found.lines() == (2, 0, 0)


@pytest.mark.parametrize(("reader", "line", "values"), PLAIN)
def test_a_changed_letter_of_a_plain_interval_leaves_no_value(reader, line, values):
    for place, letter in enumerate(line):
        if not (letter.isdigit() or letter in ".,"):
            changed = f"{line[:place]}#{line[place + 1 :]}"
            found = Read(reader.__base__(), f"{changed}\n".encode())
            assert found.rows() == [], changed
            assert [item.line for item in found.rejects] == [1]


def test_cph_the_largest_long_of_either_width_is_no_latency():
    line = CPH.replace("(uSec)=8", "(uSec)=%d").replace("(uSec)=12", "(uSec)=0")
    for largest in (2**31 - 1, 2**63 - 1):
        found = read(f"{line % largest}\n{CPH}\n")
        assert found.faults() == ["idle latency", ""]
        assert found.column("latency_avg") == [None, 9]
    assert read(line % (2**31 - 2)).faults() == [""]


# --- monitors --------------------------------------------------------------------------------------
def test_iostat_extended_reports():
    found = sample("os-tools/iostat_xt_1_3.txt")
    rows = found.rows()
    assert [row[:5] for row in rows] == [
        (line, stream, 0, MIDNIGHT + 6 * 3600 + 29 * 60 + second, fault)
        for second, first, fault in ((0, 5, "since boot"), (1, 13, ""), (2, 21, ""))
        for line, stream in ((first, ""), (first + 3, "vda"))
    ]
    busy = [row[5]["cpu"] for row in rows[::2]]
    assert busy == pytest.approx([100 - 37.26 - 0.48, 100, 100])
    assert rows[1][5] == {
        "r/s": 335.2, "rkB/s": 5605.53, "rrqm/s": 16.12, "%rrqm": 4.59, "r_await": 0.98,
        "rareq-sz": 16.72, "w/s": 62.23, "wkB/s": 3461.32, "wrqm/s": 89.42, "%wrqm": 58.96,
        "w_await": 0.78, "wareq-sz": 55.62, "d/s": 64.67, "dkB/s": 2388.97, "drqm/s": 0.02,
        "%drqm": 0.02, "d_await": 0.1, "dareq-sz": 36.94, "f/s": 14.16, "f_await": 0.42,
        "aqu-sz": 0.39, "%util": 2.88,
    }  # fmt: skip
    assert found.units("cpu", "%util", "r/s", "f/s", "r_await", "rkB/s", "aqu-sz") == [
        "%", "%", "1/s", "1/s", "ms", "rkB/s", "aqu-sz",
    ]  # fmt: skip
    assert found.sink.settings == SYSTEM | LOCAL
    assert list(found.sink.dialects) == ["cpu", "extended"]
    assert found.lines() == (1 + 3 + 6, 6 + 10, 0)


IOSTAT = ("Linux 6.1.0-13-amd64 (h) \t11/21/26 \t_x86_64_\t(2 CPU)\n\n"
          "11/21/2026 %s\navg-cpu:  %%user   %%nice %%system %%iowait  %%steal   %%idle\n"
          "           1,50    0,00    0,50    3,00    0,00   95,00\n\n"
          "Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\n"
          "sda               2.00         1.5k         2.0M         10        20\n\n")  # fmt: skip


def test_iostat_short_reports_of_two_calls_with_a_clock_of_12_hours():
    found = read(IOSTAT % "12:05:07 AM" + IOSTAT % "01:05:07 PM")
    device = {"tps": 2, "kB_read/s": 1.5, "kB_wrtn/s": 2048, "kB_read": 10, "kB_wrtn": 20}
    processors = {
        "%user": 1.5, "%nice": 0, "%system": 0.5, "%iowait": 3, "%steal": 0, "%idle": 95, "cpu": 2,
    }  # fmt: skip
    assert found.rows() == [
        (line, stream, run, MIDNIGHT + hour * 3600 + 307, "since boot", values)
        for run, hour in ((0, 0), (1, 13))
        for line, stream, values in (
            (9 * run + 5, "", processors), (9 * run + 8, "sda", device),
        )
    ]  # fmt: skip
    assert found.units("tps", "kB_read/s", "kB_read") == ["1/s", "kB/s", "kB_read"]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("sda 1 2 3 4", "4 cells under 5 headings"),
        ("sda 1 2 3 4 5 6", "6 cells under 5 headings"),
        ("sda 1 2 x 4 5", "'x' is not a number"),
        (f"sda 1 2 {'x' * 50} 4 5", f"'{'x' * 40}' is not a number"),
        ("sda 1 2 1.2.3 4 5", "'1.2.3' is not a number"),
    ],
)
def test_iostat_a_row_that_does_not_fit_is_refused(row, why):
    found = read(
        IOSTAT % "12:05:07 AM" + f"Device tps kB_read/s kB_wrtn/s kB_read kB_wrtn\n{row}\n\nsda 1\n"
    )
    assert [(item.line, item.reason) for item in found.rejects] == [
        (11, why),
        (13, "outside of a table"),
    ]
    assert len(found.rows()) == 2


def test_iostat_of_older_versions_has_the_device_first_or_last():
    heading = "   tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn"
    for text in (f"Device:{heading}\nsda 1 2 3 4 5\n", f"{heading} Device\n1 2 3 4 5 sda\n"):
        ((line, stream, *_, values),) = read(text).rows()
        assert (line, stream, values["kB_wrtn"]) == (2, "sda", 5)


def test_sar_tables_give_a_series_for_each_device():
    found = sample("os-tools/sar_u_d_n_1_4.txt")
    time = MIDNIGHT + 6 * 3600 + 29 * 60
    assert found.rows()[:3] == [
        (4, "all", 0, time + 1, "", {"%user": 47.24, "%nice": 48.24, "%system": 4.52, "%iowait": 0,
                                      "%steal": 0, "%idle": 0, "cpu": 100}),
        (7, "vda", 0, time + 1, "", {"tps": 1887, "rkB/s": 10592, "wkB/s": 0, "dkB/s": 0,
                                      "areq-sz": 5.61, "aqu-sz": 0.81, "await": 0.43, "%util": 3.6}),
        (10, "lo", 0, time + 1, "", dict.fromkeys(
            ("rxpck/s", "txpck/s", "rxkB/s", "txkB/s", "rxcmp/s", "txcmp/s", "rxmcst/s", "%ifutil"), 0)),
    ]  # fmt: skip
    assert found.units("cpu", "%user", "rkB/s", "tps", "%ifutil") == ["%", "%", "1/s", "", "%"]
    assert found.sink.settings == SYSTEM | LOCAL


SAR = ("Linux 6.1 (h) \t%s \t_x86_64_\t(2 CPU)\n\n"
       "%s     CPU     %%user     %%nice   %%system   %%iowait    %%steal     %%idle\n")  # fmt: skip
IDLE = "%s     all      1.00      0.00      0.00      4.00      0.00     95.00\n"


@pytest.mark.parametrize(
    ("date", "day", "guessed"),
    [
        ("11/21/26", MIDNIGHT, False), ("11/21/2026", MIDNIGHT, False), ("21.11.2026", MIDNIGHT, False),
        ("21/11/2026", MIDNIGHT, False), ("2026-11-21", MIDNIGHT, False), ("11.12.2026", MIDNIGHT + 20 * 86400, False),
        ("21.11.26", MIDNIGHT, False),
        ("12/11/2026", MIDNIGHT + 20 * 86400, True), ("12/12/99", 4100716800.0, True),
        ("32.13.2026", 0.0, False), ("2026-11/21", 0.0, False),
    ],
)  # fmt: skip
def test_sysstat_dates_in_the_order_of_each_locale(date, day, guessed):
    found = read(SAR % (date, "00:00:00") + IDLE % "00:00:01")
    assert [row[3] for row in found.rows()] == [day + 1]
    assert ("date" in found.sink.settings) == guessed


def test_sysstat_tables_of_one_file_are_of_the_same_days():
    banner, table = (SAR % ("2026-11-21", "00:00:00")).split("\n\n")
    table += "".join(IDLE % time for time in ("12:00:01", "23:59:59", "00:00:01"))
    table += "Average:        all      1.00      0.00      0.00      4.00      0.00     95.00\n\n"
    restart = "02:00:00     LINUX RESTART\t(2 CPU)\n\n" + (SAR % ("", "03:00:00")).split("\n\n")[1]
    found = read(f"{banner}\n\n{table * 3}{restart}" + IDLE % "03:00:01")
    day = [MIDNIGHT + time for time in (43201, 86399, 86401)]
    assert found.column("time") == [*day * 3, MIDNIGHT + 86400 + 3 * 3600 + 1]
    assert found.column("run") == [0] * 9 + [1]


def test_sar_waiting_for_disks_is_not_busy_whatever_its_heading():
    rows = "10:00:00    %usr    %sys    %wio   %idle\n10:00:10      10       5      45      40\n"
    found = read(f"SunOS lab1 5.11 11.4.0.15.0 i86pc    11/20/2026\n\n{rows}")
    assert found.column("cpu") == [15]


def test_sysstat_a_day_begins_at_midnight_and_not_where_a_clock_was_set_back():
    times = ["22:59:59", "23:59:59", "00:00:00", "02:59:59", "02:00:00", "23:00:00", "10:00:01"]
    found = read(SAR % ("2026-11-21", "22:59:58") + "".join(IDLE % time for time in times))
    days = [0, 0, 1, 1, 1, 1, 2]
    assert [row[3] for row in found.rows()] == [
        MIDNIGHT + 86400 * day + int(time[:2]) * 3600 + int(time[3:5]) * 60 + int(time[6:])
        for time, day in zip(times, days, strict=True)
    ]
    assert found.column("cpu") == [1.0] * 7


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("00:00:02     all      1.00      0.00      0.00      4.00      0.00", "6 cells under 7 headings"),
        ("00:00:02     all      1.00      0.00      x.00      4.00      0.00   95.00", "'x.00' is not a number"),
        ("24:00:02     all      1.00      0.00      0.00      4.00      0.00   95.00", "a time that is not one"),
        ("13:00:02 PM  all      1.00      0.00      0.00      4.00      0.00   95.00", "a time that is not one"),
        ("00:60:02     all      1.00      0.00      0.00      4.00      0.00   95.00", "a time that is not one"),
        ("00:00:02", "not a line of sar that is known"),
    ],
)  # fmt: skip
def test_sysstat_a_row_that_does_not_fit_is_refused(row, why):
    found = read(
        SAR % ("2026-11-21", "00:00:00") + IDLE % "00:00:01" + f"{row}\n" + IDLE % "00:00:03"
    )
    assert [(item.line, item.reason) for item in found.rejects] == [(5, why)]
    assert [row[0] for row in found.rows()] == [4, 6]


def test_sysstat_shares_of_no_time_are_no_headings():
    found = read(
        SAR % ("2026-11-21", "00:00:00") + f"00:00:01 all{' nan' * 6}\n" + IDLE % "00:00:02"
    )
    assert [(row[0], row[5].get("cpu")) for row in found.rows()] == [(4, None), (5, 1.0)]
    assert found.rejects == []


def test_sysstat_json_reports():
    found = sample("os-tools/iostat_json.txt")
    assert [row[:5] for row in found.rows()] == [
        (1, stream, 0, None, fault) for fault in ("since boot", "") for stream in ("", "vda")
    ]
    assert found.column("cpu")[::2] == pytest.approx([100 - 37.25 - 0.48, 100])
    assert found.column("wkB/s")[1::2] == [3460.88, 124]
    assert found.sink.settings == {
        "sysname": "Linux", "release": "6.1.0-13-amd64", "number-of-cpus": "2",
    }  # fmt: skip
    mpstat = sample("os-tools/mpstat_json.txt")
    assert mpstat.rows()[0] == (
        1, "", 0, MIDNIGHT + 6 * 3600 + 29 * 60 + 1, "",
        {"usr": 47.24, "nice": 48.24, "sys": 4.52, "iowait": 0, "irq": 0, "soft": 0, "steal": 0,
         "guest": 0, "gnice": 0, "idle": 0, "cpu": 100},
    )  # fmt: skip


VMSTAT = ("procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
          " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n")  # fmt: skip


def test_vmstat_rows():
    found = sample("os-tools/vmstat_t_1_6.txt")
    time = MIDNIGHT + 6 * 3600 + 29 * 60
    assert [row[:5] for row in found.rows()] == [
        (3 + second, "", 0, time + second, "" if second else "since boot") for second in range(6)
    ]
    assert found.column("cpu") == [63, 100, 100, 100, 100, 100]
    assert found.column("bo") == [1737, 0, 424, 124, 0, 492]
    assert found.units("cpu", "free", "us", "bi", "r") == ["%", "", "%", "1/s", "processes"]
    row = " 1  0      0   1000   1000   1000    0    0     0     0    0    0 %d %d %d %d %d\n"
    shares = [(20, 10, 70, 0, 0), (20, 10, 60, 10, 0), (20, 10, 50, 10, 7), (30, 10, 50, 10, 4)]
    busy = read(VMSTAT + "".join(row % share for share in shares))
    assert busy.column("cpu") == [30, 30, 40, 40]
    assert busy.faults() == ["since boot", "", "", ""]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (" 1 0 0 1 1 1 0 0 0 0 0 0 20 10 70 0", "16 cells under 17 headings"),
        (" 1 0 0 1 1 1 0 0 0 0 0 0 20 10 70 0 x", "'x' is not a number"),
        (
            " 1 0 0 1 1 1 0 0 0 0 0 0 20 10 70 0 0 2024-02-30 10:00:00",
            "a date or time that is not one",
        ),
    ],
)
def test_vmstat_a_row_that_does_not_fit_is_refused(row, why):
    found = read(f"{VMSTAT}{row}\n 1 0 0 1 1 1 0 0 0 0 0 0 20 10 70 0 0\n")
    assert [(item.line, item.reason) for item in found.rejects] == [(3, why)]
    assert [line[0] for line in found.rows()] == [4]


# --- amqsrua ---------------------------------------------------------------------------------------
PUBLICATION = "Publication received PutDate:20171023 PutTime:%s Interval:%s seconds\n"


def test_amqsrua_publications():
    found = sample("amqsrua/mqio_disk_log_3_publications.txt")
    begin = 1508761823.92  # 2017-10-23 12:30:23.92 UTC
    names = ("interval", "Log - bytes in use", "Log - bytes max", "Log file system - bytes in use",
             "Log file system - bytes max", "Log - physical bytes written",
             "Log - physical bytes written per second", "Log - logical bytes written",
             "Log - logical bytes written per second", "Log - write latency", "Log - write size",
             "Log - current primary space in use", "Log - workload primary space utilization")  # fmt: skip
    cells = (10, 1610612736, 1744830464, 1675640832, 234127560704, 1159884800, 115987019, 290741505,
             29073784, 25, 5122, 4.61, 9.35)  # fmt: skip
    rows = found.rows()
    assert [(row[0], row[4]) for row in rows] == [(1, ""), (13, ""), (25, "")]
    assert [row[3] for row in rows] == pytest.approx([begin, begin + 180.01, begin + 300.01])
    assert rows[0][5] == dict(zip(names, cells, strict=True))
    assert found.column("Log - write latency") == [25, 181, 23]
    assert found.units(*names[:1], *names[8:12]) == ["s", "1/s", "µs", "", "%"]
    metrics = {name: found.sink.quantities[name].metric for name in names}
    assert {name: metric for name, metric in metrics.items() if metric} == {
        "Log file system - bytes in use": "log_file_system_used",
        "Log - write latency": "log_write_latency",
        "Log - write size": "log_write_size",
    }
    assert {quantity.factor for quantity in found.sink.quantities.values()} == {1.0}
    assert found.lines() == (33, 2, 0)


@pytest.mark.parametrize(
    ("interval", "length"),
    [
        ("10.000", 10), ("1 minutes,2.500", 62.5), ("3 hours,0 minutes,0.001", 10800.001),
        ("2 days,3 hours,4 minutes,5.678", 183845.678), ("1 days,0.000", 86400), ("2days,1.000", 172801),
    ],
)  # fmt: skip
def test_amqsrua_lengths_of_intervals(interval, length):
    found = read(PUBLICATION % ("12302392", interval) + "MQPUT count 5\n")
    assert found.column("interval") == [pytest.approx(length, abs=1e-9)]


def test_amqsrua_units_of_bytes():
    found = read(
        PUBLICATION % ("12302392", "10.000") + "RAM total 3KB\nRAM used 5MB\nRAM free 7GB\n"
    )
    assert found.rows()[0][5] == {
        "interval": 10, "RAM total": 3072, "RAM used": 5242880, "RAM free": 7516192768,
    }  # fmt: skip
    assert found.units("RAM total", "RAM used", "RAM free") == ["B"] * 3


@pytest.mark.parametrize("owners", [("site-a", "site-b"), ("site-b", "site-a"), ("b", "a", "b")])
def test_amqsrua_a_change_of_object_is_a_row_of_its_own(owners):
    text = PUBLICATION % ("12302392", "10.000")
    text += "".join(
        f"{owner.ljust(48)}Backlog bytes {place}\n" for place, owner in enumerate(owners)
    )
    assert [(row[0], row[1], row[5]["Backlog bytes"]) for row in read(text).rows()] == [
        (1 if place == 0 else place + 2, owner, place) for place, owner in enumerate(owners)
    ]


def test_amqsrua_what_was_selected_is_kept():
    text = "CPU : Platform central processing units\nEnter Class selection\n==> CPU\n"
    text += PUBLICATION % ("12302392", "10.000") + "RAM total 3KB\n"
    found = read(text)
    assert found.sink.settings == {"selection": "CPU"}
    assert found.lines() == (2, 3, 0)


def test_amqsrua_an_element_named_as_a_column_of_ours_has_another_name():
    found = read(PUBLICATION % ("12302392", "10.000") + "line 2\nstream 99\nrun 7\n")
    (row,) = found.rows()
    names = {"interval": 10, "line (value)": 2, "stream (value)": 99, "run (value)": 7}
    assert (*row[:3], row[5]) == (1, "", 0, names)


# --- cphtestp, MQLDT, fio, PerfTest, HdrHistogram --------------------------------------------------
def test_cphtestp_no_data_of_one_cell_leaves_the_others():
    for name, column in (("CPU", "cpu"), ("Read", "read"), ("QM_CPU", "qm_cpu")):
        cells = {"avgRate": "5.00", "CPU": "1.00", "Read": "2.00", "QM_CPU": "3.00"} | {
            name: "-1.00"
        }
        pairs = "".join(f"{key}={value}\n" for key, value in cells.items())
        found = read(f"CPH Test Results\n2K\nthreads=4\n{pairs}")
        left = {"rate": 5, "cpu": 1, "read": 2, "qm_cpu": 3, "requesters": 4, "message_bytes": 2048}
        del left[column]
        assert found.rejects == []
        assert found.rows("summary") == [(3, "", 0, None, "no data", left)]
    found = read("CPH Test Results\n2K\nthreads=4\navgRate=-1.00\n")
    assert [item.reason for item in found.rejects] == ["a rate below zero"]


def test_mqldt_a_whole_result():
    found = sample("mqldt/local_single_qm.stdout")
    result = {
        "writes": 889, "iops": 296, "bytes": 14565376, "interval_max": 5390336,
        "interval_min": 4456448, "bytes_per_second": 4861279, "latency_max": 27409.987,
        "slowest": 597738, "latency_min": 73.157, "fastest": 223956688, "latency": 3374.43,
        "block_bytes": 16384, "queue_managers": 1,
    }  # fmt: skip
    assert found.rows("summary")[0] == (15, "", 0, None, "", result)
    assert list(found.sink.dialects) == ["one queue manager"]
    del result["iops"]
    csv = sample("mqldt/local_single_qm.csv")
    assert csv.rows("summary")[0] == (2, "", 0, None, "", result)
    assert list(csv.sink.dialects) == ["CSV"]
    assert csv.units("latency", "block_bytes", "bytes_per_second") == ["µs", "B", "B/s"]


@pytest.mark.parametrize(
    ("printed", "sizes"),
    [("16K,128K", [16384, 131072]), ("1m,2M", [1 << 20, 2 << 20]), ("512,4k", [512, 4096])],
)
def test_mqldt_sizes_with_their_letters(printed, sizes):
    text = (SAMPLES / "mqldt/local_single_qm.stdout").read_text().replace("16K,128K", printed)
    found = read(text)
    assert found.column("block_bytes", "summary") == sizes
    right = printed == "16K,128K"
    assert found.faults("summary") == ["" if right else "bytes inconsistent"] * 2


def test_mqldt_several_queue_managers():
    text = (SAMPLES / "mqldt/local_single_qm.stdout").read_text()
    text = "Running MQLDT over 3 Queue Managers\n" + text.replace("(over", "by a single qm (over")
    assert list(read(text).sink.dialects) == ["several queue managers"]


def test_mqldt_a_latency_is_bounded_by_bytes_and_rate_where_no_duration_is_told():
    text = (SAMPLES / "mqldt/local_single_qm.csv").read_text()
    found = read(text.replace("3374430", "3700000"))
    assert found.faults("summary") == ["latency impossible", ""]
    seconds = 14565376 / 4861279
    assert found.column("latency", "summary")[0] == pytest.approx(seconds * 1e6 / 889)
    assert found.column("latency_printed", "summary") == [3700, None]


def test_fio_a_whole_job():
    text = (SAMPLES / "fio/fio-3.1_randwrite-8-4.json").read_text()
    found = read(text)
    expected = {
        "iops": 6722.992567, "operations": 403393, "bandwidth": 26891 * 1024, "runtime": 60.002,
        "latency": 4735.146534236, "latency_max": 73172.023, "latency_p50": 5799.936,
        "latency_p90": 9371.648, "latency_p99": 10813.44, "latency_p999": 15007.744,
    }  # fmt: skip
    ((line, stream, run, time, fault, values),) = found.rows("summary")
    assert (line, stream, run, time, fault) == (1, "random-read write", 0, 1564912341, "")
    assert values == pytest.approx(expected, rel=1e-12)
    assert found.units("latency", "bandwidth", "iops", "runtime") == ["µs", "B/s", "1/s", "s"]
    exact = read(text.replace('"bw" : 26891', '"bw_bytes" : 27536795, "bw" : 26891'))
    assert exact.column("bandwidth", "summary") == [27536795]
    assert read(text.replace('"error" : 0', '"error" : 5')).faults("summary") == ["job failed"]


def test_perftest_multi_scenarios():
    found = sample("rabbitmq-perftest/perftestmulti_publish-consume-result.json")
    document = json.loads(
        (SAMPLES / "rabbitmq-perftest/perftestmulti_publish-consume-result.json").read_text()
    )
    assert found.rows()[0] == (1, "consume", 0, 1.0, "", {
        "elapsed": 1, "sent": 41555, "received": 25525, "consumer_latency_min": 10.831,
        "consumer_latency_avg": 344.109, "consumer_latency_max": 481.147,
    })  # fmt: skip
    assert found.column("time") == [
        sample["elapsed"] / 1000 for run in document.values() for sample in run["samples"]
    ]
    (whole,) = found.rows("summary")
    assert whole[1] == "consume"
    assert whole[5]["run_consumer_latency_avg"] == pytest.approx(673.031)
    half = json.dumps(
        {"x": {"samples": [{"elapsed": 1500, "send-msg-rate": 3, "recv-msg-rate": 4}]}}
    )
    assert [row[3] for row in read(half).rows()] == [1.5]


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ({"x": 1, "send-msg-rate": 0, "recv-msg-rate": 0}, "no scenario with results"),
        ({"x": {"y": {"send-msg-rate": 1, "recv-msg-rate": 1}, "z": 3}}, None),
        ({"x": {"data": [1]}, "send-msg-rate": 0, "recv-msg-rate": 0}, "no scenario with results"),
    ],
)
def test_perftest_multi_without_a_result_is_refused(document, why):
    found = read(json.dumps(document))
    assert [item.reason for item in found.rejects] == ([why] if why else [])
    assert found.streams("summary") == ([] if why else ["x y"])


HLOG = lines_of("hdrhistogram/jHiccup-2.0.7S.logV2.hlog")


def test_hdr_at_most_a_thousand_series_are_summed_up():
    first = next(line for line in HLOG if line[:1].isdigit())
    found = read("".join(f"Tag=t{number},{first}\n" for number in range(1002)))
    assert len(found.rows()) == 1002
    assert found.streams("summary") == [f"t{number}" for number in range(1000)]
    assert found.column("run_max", "summary") == found.column("max")[:1000]


def test_hdr_a_distribution_begins_at_any_value_and_has_rows():
    heading = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
    rows = "       0.000 0.000000000000         10           1.00\n       5.000 1.000000000000         20            inf\n"
    assert read(heading + rows).rows("summary") == [
        (1, "", 0, None, "unit unknown", {
            "run_min": 0, "run_p50": 5, "run_p90": 5, "run_p99": 5, "run_p999": 5, "run_p9999": 5,
        })
    ]  # fmt: skip
    assert read(heading).rows("summary") == []
    fallen = read(heading + rows + rows)
    assert [(item.line, item.reason) for item in fallen.rejects] == [
        (5, "a distribution whose values fall")
    ]


def test_hdr_intervals_add_up_to_the_whole_run():
    found = sample("hdrhistogram/jHiccup-2.0.7S.logV2.hlog")
    (total,) = found.rows("summary")
    counts = np.array(found.column("count"))
    assert total[5]["run_count"] == counts.sum()
    assert total[5]["run_max"] == max(found.column("max"))
    assert total[5]["run_min"] == min(found.column("min"))
    assert total[5]["run_mean"] == pytest.approx(
        (np.array(found.column("mean")) * counts).sum() / counts.sum()
    )
    first = found.rows()[0]
    assert first[3] == pytest.approx(1441812279.474 + 0.127)
    assert first[5]["length"] == 1.007
    assert first[5]["rate"] == first[5]["count"] / 1.007


# --- damaged numbers -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("lines", "damaged"),
    [
        (["--- warmup false", "--- sent: 5 msg/sec"], "--- blocked: 1.2.3 msg/sec"),
        (
            ["--- warmup false", "--- send ack time: mean: 5.00 us"],
            "--- transfer time: mean: 1.2.3 us",
        ),
        (
            ["rate=5.00,threads=1", "---"],
            "totalJobIterations=5,maxSeconds=1.2.3,avgJobRate=9.90,avgRatePerProcess=4.95",
        ),
        (["rate=5.00,threads=1", "---"], "rate=1.2.3,threads=1"),
        (["rate=5.00,threads=1", "---"], "totalIterations=5,totalSeconds=1.2.3,avgRate=5.00"),
        (
            ["tps=1.00,avgResponse(micros)=7,threads=2", ""],
            "totalIterations=5,avgDuration=1.2.3,totalRate=5.00",
        ),
        (["tps=1.00,avgResponse(micros)=7,threads=2", ""], "memory=1.2.3,rateR=5.00,threads=2"),
        (
            ["tps=1.00,avgResponse(micros)=7,threads=2", ""],
            "2024/02/30,10:11:12,Threads,5,MsgRate,120.00",
        ),
        (
            ["     Value Percentile TotalCount 1/(1-Percentile)", "1.0 0.5 1 2.00"],
            "#[Mean    =       1.2.3, StdDeviation   =      1.0]",
        ),
        (["CPH Test Results", "threads=1", "avgRate=5.00"], "CPU=x"),
        (["CPH Test Results", "threads=1", "avgRate=5.00"], "1,2048,4,5.00,-1.2.3,0,0,0,0,0"),
    ],
)
def test_a_number_that_is_none_costs_its_line_alone(lines, damaged):
    whole = read("\n".join([*lines, *lines]) + "\n")
    found = read("\n".join([*lines, damaged, *lines]) + "\n")
    assert [item.line for item in found.rejects] == [len(lines) + 1]
    assert found.reader.name == whole.reader.name
    assert found.lines() == (whole.account.used, whole.account.ignored, 1)
    for kind in ("interval", "summary"):
        assert [row[1:] for row in found.rows(kind)] == [row[1:] for row in whole.rows(kind)]


# --- all -------------------------------------------------------------------------------------------
TOLD_APART = {
    "docs_case1_show_latency_summary.txt", "local_basicstats_int_overflow.txt",
    "local_basicstats_sp_mu.txt", "local_responsetimestats.txt", "kafka_latency_sync-200k.json",
    "iostat_c_1_3.txt", "iostat_xt_1_3.txt", "vmstat_1_long_ubuntu18.txt",
    "mqio_statq_put_session.txt", "github_issue9_rollingavg.txt",
    "tutorial_requesters_sigint_summary.txt", "mpstat_-A_2_5_centos7.txt", "mpstat_P_ALL_1_4.txt",
    "mpstat_centos7_ampm.txt", "sar_u_d_n_1_4.txt",
    "jHiccup-2.0.7S.logV2.hlog", "tutorial_requesters.txt",
    "tutorial_responders.txt", "cph_pdf_reconnecttimer.txt", "docs_compact_format.txt",
    "docs_default_format.txt", "ibm_readme_results.csv", "ibm_readme_results_snippet.txt",
    "mq_perf_harness_container_log.txt", "github_mqcph_issue3_summaries.txt",
}  # fmt: skip
"""Samples whose second copy in one file can be told to be another run."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_log_twice_in_one_file_gives_everything_twice(path):
    content = path.read_bytes().rstrip(b"\n") + b"\n"
    length = content.count(b"\n")
    once, twice = read(content, path.name), read(content * 2, path.name)
    assert twice.lines() == tuple(2 * number for number in once.lines())
    for kind in ("interval", "summary", "event"):
        first, second = once.rows(kind), twice.rows(kind)
        again = int(path.name in TOLD_APART)
        down = 0 if path.suffix == ".hlog" and kind == "summary" else length  # it is of no line
        expected = first + [(row[0] + down, row[1], row[2] + again, *row[3:]) for row in first]
        if once.reader.name == "fio":  # the last of the same jobs counts
            expected = expected[len(first) :]
        if once.reader.name == "vmstat":  # its first row is told by the distance of headings
            expected = [(*row[:4], row[5]) for row in expected]
            second = [(*row[:4], row[5]) for row in second]
        assert second == expected
