"""Every sample is read, every line of it accounted for, and every known fault of a tool handled."""

# ruff: noqa: E501 - lines of logs are shown whole
from __future__ import annotations

import math

import pytest

from ingest_bench import SAMPLES, Read, read, sample
from roundtrip.ingest.registry import READERS
from roundtrip.ingest.tools.mq_cph import MqCph
from roundtrip.secrets import without_secrets

TOOLS = {
    "amqerr": {"amqerr"}, "amqsrua": {"amqsrua"}, "artemis-perf": {"artemis-perf"},
    "cphtestp": {"cphtestp"}, "fio": {"fio"}, "hdrhistogram": {"hdrhistogram"},
    "jmsperfharness": {"jmsperfharness"}, "mq-cph": {"mq-cph"}, "mqldt": {"mqldt"}, "omb": {"omb"},
    "os-tools": {"vmstat", "mpstat", "sar", "iostat", "sysstat-json"},
    "rabbitmq-perftest": {"rabbitmq-perftest"},
}  # fmt: skip
FILES = sorted(path for path in SAMPLES.rglob("*") if path.is_file() and path.suffix != ".md")
EDITORS_MARKS = 4
"""Most lines of a sample that people added: ellipses and notes."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_line_of_every_sample_is_accounted_for(path):
    content = path.read_bytes()
    found = read(content, path.name)
    assert found.reader.name in TOOLS[path.parent.name]
    assert found.account.lines == len(content.splitlines())
    assert found.account.rejected == len(found.rejects) <= EDITORS_MARKS
    assert len(found.rejects) == len({item.line for item in found.rejects})


def test_each_reader_explains_its_faults_and_columns():
    for reader in READERS:
        assert len({fault.key for fault in reader.faults}) == len(reader.faults)
        assert all(len(fault.says) > 40 for fault in reader.faults)


# --- MQ-CPH ----------------------------------------------------------------------------------------
def test_cph_an_interval_below_a_second_has_no_rate():
    found = read("rate=inf,threads=3\nrate=-nan,threads=3\nrate=1.50,threads=3\n")
    assert found.column("rate") == [None, None, 1.5]
    assert found.faults() == ["short interval", "short interval", ""]


def test_cph_an_idle_interval_of_thread_0_has_no_latency():
    line = "rate=%s,threads=2,avg_latency(uSec)=%d,max_latency(uSec)=%d,min_latency(uSec)=%d\n"
    text = line % ("10.00", 90, 120, 80) + line % ("0.00", 90, 0, 2**63 - 1)
    found = read(text)
    assert found.column("latency_min") == [80, None]
    assert found.column("latency_avg") == [90, None]
    assert found.faults() == ["", "idle latency"]
    assert found.column("rate") == [10.0, 0.0]


def test_cph_a_wrapped_counter_of_iterations_is_mended():
    text = "rate=60000000.00,threads=3\n" * 10
    true = 60_000_000 * 100
    text += f"totalIterations={true % 2**32},totalSeconds=100.00,avgRate=17050327.04\n"
    found = read(text)
    assert found.column("iterations", "summary") == [true]
    assert found.column("run_rate", "summary") == [pytest.approx(6e7)]
    assert found.faults("summary") == ["iterations wrapped"]


def test_cph_a_wrapped_counter_is_mended_in_runs_of_different_processes():
    true = 60_000_000 * 100
    line = "id=%s,rate=60000000.00,threads=3\n"
    text = "".join(
        "[Requester0] START\n"
        + line % process * 10
        + f"totalIterations={true % 2**32},totalSeconds=100.00,avgRate=17050327.04\n"
        for process in "ab"
    )
    found = read(text)
    assert found.column("iterations", "summary") == [true, true]
    assert found.column("run", "summary") == [0, 1]


def test_cph_processes_side_by_side_are_told_apart():
    found = read("id=1,rate=5.00,threads=1\nid=2,rate=7.00,threads=1\n" * 50)
    assert found.streams()[:4] == ["1", "2", "1", "2"]
    assert found.column("rate")[:4] == [5, 7, 5, 7]


def test_cph_the_password_of_the_echoed_command_is_nowhere():
    text = (
        "Command line: ./cph -tc Requester -nt 5 -us fred smith -pw pa ss word -ms 2048 -jb QM1 \n"
        "rate=5.00,threads=1\n-pw\nhunter2\nunknown -pw=hunter3 -x\n"
    )
    found = read(text)
    everything = repr(found.sink.settings) + repr(found.rejects)
    for secret in ("pa ss", "word", "fred", "smith", "hunter2", "hunter3"):
        assert secret not in everything.replace("password", "")
    assert found.sink.settings["message bytes"] == "2048"


def test_cph_what_threads_say_of_reconnecting_is_known_and_not_kept():
    found = sample("mq-cph/cph_pdf_reconnecttimer.txt")
    assert [item.line for item in found.rejects] == [15, 34]  # the author's remarks
    assert found.tables.keys() == {"interval"}
    assert not any(one.metric == "connection_time" for one in found.sink.quantities.values())


def test_cph_runs_in_one_file_are_told_apart():
    run = "[Requester0] START\nrate=5.00,threads=1\ntotalIterations=5,totalSeconds=1.00,avgRate=5.00\n"
    found = read(run * 3)
    assert found.column("run") == [0, 1, 2] == found.column("run", "summary")


def test_cph_the_aggregator_is_read():
    text = "pid:12 id=0,rate=5.00,threads=1\nrate=9.00,threads=4,processes=2\n" + (
        "---------------\n--- Summary for all processes\n"
        "totalJobIterations=100,maxSeconds=10.10,avgJobRate=9.90,avgRatePerProcess=4.95\n"
    )
    found = read(text)
    assert found.streams() == ["0", "all processes"]
    assert found.account.rejected == 0
    assert found.column("run_rate", "summary") == [9.9]


# --- JMSPerfHarness --------------------------------------------------------------------------------
def test_jms_an_overflowed_rate_is_computed_from_messages_and_period():
    found = sample("jmsperfharness/local_basicstats_int_overflow.txt")
    assert found.faults() == ["overflow", "overflow"]
    # The wrapped numerator over the printed rate gives 2029 and 2000 ms.
    assert found.column("rate") == pytest.approx([130525474 / 2.029, 141160267 / 2.0], rel=1e-12)
    assert found.column("rate_printed") == [826246.98, -286826.88]


@pytest.mark.parametrize(("each", "fault"), [(1_000_000, ""), (2_000_000, "overflow unseen")])
def test_jms_a_rate_of_counts_that_overflow_is_left_out(each, fault):
    line = "2024/11/22,10:11:12,Threads,2,MsgRate,5.00,IndThreads,%d,%d\n"
    found = read(line % (60, 60) + line % (each, each))
    assert found.faults() == ["", fault]
    assert found.column("rate") == [5.0, None if fault else 5.0]
    assert found.column("rate_printed") == [None, 5.0 if fault else None]


def test_jms_an_overflow_without_messages_is_left_out():
    found = read("tps=-5.00,avgResponse(micros)=7,threads=2\nControlThread1: STOP\n")
    assert found.column("rate") == [None]
    assert found.faults() == ["overflow unseen"]


@pytest.mark.parametrize(
    ("line", "column", "value"),
    [
        ("rate=585,50,total messages=1171,Snapshot period=2,threads=3", "rate", 585.5),
        ("rateR=124,17,threads=5", "rolling_rate", 124.17),
        ("tps=900,25,avgResponse(micros)=7,threads=2", "rate", 900.25),
        ("id=P1,memory=8163256,00,rate=1,50,total messages=3,Snapshot period=2,threads=1", "rate", 1.5),
    ],
)  # fmt: skip
def test_jms_a_decimal_comma_is_no_separator(line, column, value):
    found = read(f"{line}\n")
    assert found.column(column) == [value]
    assert found.account.rejected == 0


def test_jms_times_of_each_thread_do_not_hide_the_interval():
    found = read(" (10,45(micros)\t7,50(micros)\t0\t) tps=8.50,avgResponse(micros)=47,threads=3\n")
    assert found.column("rate") == [8.5]
    assert found.column("response") == [47]


def test_jms_a_largest_rolling_mean_is_a_maximum():
    found = sample("jmsperfharness/github_issue9_rollingavg.txt")
    assert found.column("max_rolling_rate", "summary") == [127.73]
    assert found.sink.quantities["max_rolling_rate"].statistic == "peak"
    nothing = read(
        "rateR=1.00,threads=5\ntotalIterations=0,avgDuration=0.00,maxrateR=-2147483648.00\n"
    )
    assert nothing.column("max_rolling_rate", "summary") == [None]


def test_jms_response_times_without_a_response_are_left_out():
    text = (SAMPLES / "jmsperfharness/local_responsetimestats.txt").read_text()
    overall = "OVERALL:                5400                5.40              999.63|"
    row = f"            {overall}                   0           999999999                   0"
    found = read(text.replace(f"{overall}                   0                   0", row.strip()[:0]
                              + f"{overall}                   0           999999999"))  # fmt: skip
    assert found.faults("summary") == ["no response"]
    assert found.column("run_response_min", "summary") == [None]


# --- cphtestp --------------------------------------------------------------------------------------
def test_cphtestp_minus_one_is_no_data():
    head = "# Persistence, Msg Size, Threads, Rate (RT/s), Client CPU, IO Read (MB/s), IO Write\n"
    found = read(f"{head}1,2048,4,100.50,-1.00,0.00,0.00,0.06,0.05,-1.00\n0,20480,8,,1,0,0,0,0,2\n")
    assert found.column("cpu", "summary")[0] is None
    assert found.column("rate", "summary") == [100.5, None]
    assert found.faults("summary") == ["no data", "no rate"]
    assert found.column("message_bytes", "summary") == [2048, 20480]


def test_cphtestp_results_printed_twice_count_once():
    found = sample("cphtestp/mq_perf_harness_container_log.txt")
    assert found.column("requesters", "summary") == [1, 2, 4, 8, 16, 32, 64, 100]


# --- MQLDT -----------------------------------------------------------------------------------------
def test_mqldt_block_sizes_come_from_the_options_in_their_order():
    found = sample("mqldt/local_single_qm.stdout")
    assert found.column("block_bytes", "summary") == [16384, 131072]
    assert found.column("writes", "summary") == [889, 1242]
    assert found.column("latency", "summary") == [3374.43, 2415.185]


def test_mqldt_an_impossible_latency_is_bounded():
    found = sample("mqldt/readme_sample_output.txt")
    assert found.faults("summary") == ["latency impossible"]
    assert found.column("latency", "summary") == [pytest.approx(20e6 / 46178)]
    assert found.column("latency_printed", "summary") == [4935.648]
    assert found.column("block_bytes", "summary") == [131072]


def test_mqldt_appended_csv_repeats_its_header():
    text = (SAMPLES / "mqldt/local_single_qm.csv").read_text()
    several = "Running MQLDT over 3 Queue Managers\n" + text.replace(
        "Max bytes/sec written to files (over",
        "Max bytes/sec written to files by a single qm (over",
    )
    found = read(text + several)
    assert found.account.rejected == 0
    assert found.column("queue_managers", "summary") == [1, 1, 3, 3]
    assert found.column("block_bytes", "summary") == [16384, 131072] * 2


def test_mqldt_the_first_version_and_missing_options():
    found = read(
        "Total writes to files          :          46,790\n"
        "Total bytes written to files   :   6,132,858,880\n"
        "Max bytes/sec written to files :     311,689,216\n"
        "Min bytes/sec written to files :     299,630,592\n"
        "Avg bytes/sec written to files :     306,754,931\n\n"
        "Max latency of write (ns)      :       4,669,311\n"
        "Min latency of write (ns)      :         375,204\n"
        "Avg latency of write (ns)      :         415,704\n"
    )
    assert list(found.sink.dialects) == ["first version"]
    assert found.faults("summary") == ["no block size"]
    assert found.column("block_bytes", "summary") == [6132858880 / 46790]


# --- amqsrua ---------------------------------------------------------------------------------------
def test_amqsrua_a_missing_rate_is_zero_and_a_long_first_interval_is_marked():
    text = (
        "Publication received PutDate:20240101 PutTime:10000000 Interval:1 hours,2 minutes,3.000 seconds\n"
        "Queue Manager file system - bytes in use 120MB\nMQPUT byte count 100 1/sec\n\n"
        "Publication received PutDate:20240101 PutTime:10001000 Interval:10.000 seconds\n"
        "Queue Manager file system - bytes in use 121MB\nMQPUT byte count 0\n"
        "User CPU time percentage 1.50%\nload - one minute average 0.15\n"
    )
    found = read(
        text.replace("1 hours,2 minutes,3", "1hours,2minutes,3".replace("h", " h").strip())
    )
    assert found.faults() == ["long first interval", ""]
    assert found.column("MQPUT byte count per second") == [1, 0]
    assert found.column("Queue Manager file system - bytes in use")[1] == 121 * 1024**2
    assert found.column("User CPU time percentage") == [None, 1.5]


def test_amqsrua_objects_and_replicas_are_streams():
    name = "site-a-1".ljust(48)
    text = "Publication received PutDate:20240101 PutTime:10001000 Interval:10.000 seconds\n"
    text += f"{name}Synchronous log bytes sent 5368709120 536870912/sec\n{name}Backlog bytes 4096\n"
    text += f"{name}Average network round trip time 512 uSec\n"
    text += f"{'site-b-22'.ljust(48)}Backlog bytes 0\n"
    found = read(text)
    assert found.streams() == ["site-a-1", "site-b-22"]
    assert found.column("Backlog bytes") == [4096, 0]
    assert found.sink.quantities["Average network round trip time"].metric == (
        "network_round_trip_time"
    )


# --- AMQERR ----------------------------------------------------------------------------------------
AMQ7490 = """{date} - Process(12.1) User(mqm) Program(amqzmuc0)
                    Host(h) Installation(Installation1)
                    VRMF(9.4.0.0) QMgr(PERF0)
                    Time(2025-11-{day:02d}T10:00:0{second}.500Z)
                    ArithInsert1(1) ArithInsert2(8)

AMQ7468I: The oldest log file required to perform media recovery of queue
manager PERF0 is S0000{extent:03d}.LOG.

EXPLANATION:
None.
----- amqzmuc0.c : 1 -----------------------------------------------------------
{date} - Process(12.1) User(mqm) Program(amqzmuc0)
                    Time(2025-11-{day:02d}T10:00:0{second}.700Z) QMgr(PERF0)

AMQ7490I: Log extent statistics: {created} created. {reused} reused. {deleted}
deleted.

EXPLANATION:
None.
----- amqzmuc0.c : 2 -----------------------------------------------------------
"""


def amqerr(date: str = "01/11/2025 10:00:01", **changes: int) -> str:
    known = {"day": 1, "second": 1, "extent": 7, "created": 1, "reused": 8, "deleted": 0}
    return AMQ7490.format(date=date, **(known | changes))


def test_amqerr_extents_with_wrapped_texts_and_dates_in_two_orders():
    second = {"day": 2, "second": 2, "extent": 12, "created": 2, "reused": 0, "deleted": 5}
    found = read(amqerr() + amqerr("11.02.25 10:00:02 AM", **second))
    assert found.column("created") == [1, 2]
    assert found.column("deleted") == [0, 5]
    assert found.column("media_extent", "event") == [7, 12]
    times = found.column("time")
    assert times[1] - times[0] == 86401
    assert found.streams() == ["PERF0", "PERF0"]
    assert found.account.rejected == 0


def test_amqerr_other_languages_containers_and_json():
    german = "2024-05-01T10:00:00.123Z AMQ7490I: Protokollspeicherbereichsstatistik: 3 erstellt. 4 wiederverwendet. 5 geloescht.\n"
    found = read(german * 2)
    assert found.column("reused") == [4, 4]
    assert found.faults() == ["not English", "not English"]
    container = "2024-05-01T10:00:00.123Z AMQ7490I: Log extent statistics: 3 created. 4 reused. 5 deleted.\n"
    json = ('{"ibm_messageId":"AMQ7490I","ibm_datetime":"2024-05-01T10:00:00.123Z",'
            '"ibm_serverName":"QM1","message":"AMQ7490I: Log extent statistics: 3 created. 4 reused. '
            '5 deleted."}\n')  # fmt: skip
    for text in (container, json):
        other = read(text * 3)
        assert other.column("deleted") == [5, 5, 5]
        assert other.column("time")[0] == pytest.approx(1714557600.123)


def test_amqerr_a_record_without_its_end_is_marked():
    text = amqerr()
    found = read(text[: text.rindex("EXPLANATION")])
    assert found.faults() == ["unfinished record"]


# --- monitors --------------------------------------------------------------------------------------
def test_vmstat_rows_since_boot_are_marked_in_each_call():
    head, names, *rows = (SAMPLES / "os-tools/vmstat_1_long_ubuntu18.txt").read_text().splitlines()
    call = "\n".join([head, names, *rows[:20], head, names, *rows[:20], head, names, *rows[:3]])
    found = read(f"{call}\n{call}\n")
    marked = [index for index, fault in enumerate(found.faults()) if fault == "since boot"]
    assert marked[0] == 0
    assert 43 in marked  # the fourth heading comes after 3 rows instead of 20


def test_mpstat_clocks_of_12_and_24_hours_give_the_same_time():
    row = "03:16:17 PM  all    0.00    0.00    0.50    0.00    0.00    0.00    0.00    0.00    0.00   99.50"
    text = (SAMPLES / "os-tools/mpstat_-A_2_5_centos7.txt").read_text()
    assert row in text
    half, whole = read(text), read(text.replace(" PM", "").replace("03:16:", "15:16:"))
    assert half.column("time") == whole.column("time")
    assert half.column("cpu") == whole.column("cpu")
    assert half.account.rejected == 0


def test_sysstat_times_rise_over_midnight():
    found = read(
        "Linux 6.1 (h) \t2024-01-31 \t_x86_64_\t(2 CPU)\n\n"
        "23:59:58     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
        "23:59:59     all    1.00    0.00    0.00    2.00    0.00    0.00    0.00    0.00    0.00   97.00\n"
        "00:00:01     all    1,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00   99,00\n"
        "Moyenne :    all    1,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00    0,00   99,00\n"
    )
    first, second = found.column("time")
    assert second - first == 2
    assert found.column("cpu") == [1.0, 1.0]
    assert found.account.rejected == 0


# --- benchmarks ------------------------------------------------------------------------------------
def test_fio_text_around_it_versions_and_options():
    text = (SAMPLES / "fio/fio-3.1_randwrite-8-4.json").read_text()
    found = read(f"fio: this is a warning\n{text}\nlaying out files\n")
    assert len(found.rejects) == 2
    assert found.sink.settings["rw"] == "randwrite"
    assert found.streams("summary") == ["random-read write"]
    three = found.column("latency", "summary")[0]
    two = read(text.replace('"clat_ns"', '"clat"')).column("latency", "summary")[0]
    assert two == pytest.approx(three * 1000)


def test_omb_delays_are_brought_to_milliseconds():
    found = read('{"workload": "w", "driver": "d", "publishRate": [1.0, 2.0],'
                 '"publishDelayLatency50pct": [1500], "publishLatencyAvg": [2.5, NaN],'
                 '"aggregatedPublishDelayLatencyAvg": 2000.0}')  # fmt: skip
    assert found.column("publish_delay_p50") == [1.5, None]
    assert found.column("run_publish_delay", "summary") == [2.0]
    assert found.faults() == ["uneven series"] * 2
    assert found.faults("summary") == ["mixed units"]


def test_rabbit_dialects_agree():
    text = "id: t, time %s, sent: 5 msg/s, received: 7 msg/s, %s\n"
    lines = [
        text % ("1.000 s", "min/median/75th/95th/99th consumer latency: 1/2/3/4/5 ms"),
        text % ("1.000 s", "min/median/75th/95th/99th/max consumer latency: 1/2/3/4/5/6 ms"),
        text % ("1.000s", "min/median/75th/95th/99th message latency: 1000/2000/3000/4000/5000 µs"),
        "time: 1.000s, sent: 5 msg/s, received: 7 msg/s, min/avg/max latency: 1000/2000/3000 µs \n",
        "id: t, time: 1.000s, sent: 5 msg/s, received: 7 msg/s, "
        "min/median/75th/95th/99th consumer latency: 1000/2000/3000/4000/5000 ?s\n",
    ]
    found = read("".join(lines))
    assert found.column("consumer_latency_min") == [1.0] * 5
    assert found.column("received") == [7.0] * 5
    assert found.faults()[-1] == "unit damaged"
    head = "id,time (s),published (msg/s),returned (msg/s),confirmed (msg/s),nacked (msg/s),received (msg/s)"
    head += "".join(f",{p} {of} latency (µs)" for of in ("consumer", "confirm")
                    for p in ("min", "median", "75th p.", "95th p.", "99th p."))  # fmt: skip
    csv = read(f"{head}\nt,1.000,5,,5,0,7,1000,2000,3000,4000,5000,1,2,3,4,5\n")
    assert csv.column("consumer_latency_p99") == [5.0]
    assert csv.column("confirm_latency_p50") == [0.002]
    compact = read(
        "time                        sent     received           consumer latency\n"
        "2025/04/08 16:54:19      5 msg/s      7 msg/s             1/2/3/4/5/6 ms\n"
    )
    assert compact.column("consumer_latency_max") == [6.0]
    assert compact.column("time") == [1744131259.0]


def test_artemis_warm_up_and_rates_per_millisecond():
    found = read(
        "--- warmup true \n--- sent:            8 msg/ms\n--- received:        8 msg/ms\n"
        "--- warmup false\n--- sent:            9 msg/ms\n"
    )
    assert found.column("sent") == [8000, 9000]
    assert found.column("warmup") == [1, 0]


def test_hdr_versions_and_tags():
    found = sample("hdrhistogram/jHiccup-2.0.7S.logV2.hlog")
    text = (SAMPLES / "hdrhistogram/jHiccup-2.0.7S.logV2.hlog").read_text().splitlines()
    printed = [float(line.split(",")[2]) for line in text if line[:1].isdigit()]
    # The column is the maximum in units of a million, cut to three decimals.
    assert [round(value / 1e6, 3) for value in found.column("max")] == pytest.approx(
        printed, abs=2e-3
    )
    assert set(found.faults()) == {"unit unknown"}
    tagged = read("\n".join(f"Tag=A,{line}" if line[:1].isdigit() else line for line in text))
    assert set(tagged.streams()) == {"A"}
    assert tagged.column("p99") == found.column("p99")
    early = (
        "0.116,1.005,3.031,"
        "HISTiQAAAG542pNpmdzBwMDAxAAGfgoMDMxuBjsWQLgMTI+gDFYozQmlOaA0M5Rmg9LsUJoFjc+GZg4rmjkw"
        "dUxofG4obQeldaG0LJTmR1PvCKXVIRQjzL2BUFoYTT0jwyjABkbDZTSeR8FofI+CEQ4AUBEGxA=="
    )
    version0 = read(f'"StartTimestamp","EndTimestamp","Interval_Max","H"\n{early}\n')
    assert version0.column("max") == [pytest.approx(3.031e6, rel=1e-2)]
    assert version0.faults() == ["unit unknown"]


def test_hdr_a_distribution_has_the_percentiles_it_prints():
    found = sample("hdrhistogram/example1.hgrm")
    assert found.column("run_p50", "summary") == [11.167]
    assert found.column("run_mean", "summary") == [25.048]
    assert found.column("run_count", "summary") == [475109]


# --- all -------------------------------------------------------------------------------------------
def test_windows_line_ends_and_utf16_change_nothing():
    for path in FILES:
        if path.suffix in (".json", ".hgrm") or "json" in path.name:
            continue
        content = path.read_bytes()
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            continue
        plain = read(content, path.name)
        for changed in (text.replace("\n", "\r\n").encode(), text.encode("utf-16")):
            other = read(changed, path.name)
            assert other.reader.name == plain.reader.name, path
            assert other.account == plain.account, path
            assert repr(other.tables) == repr(plain.tables), path


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_what_windows_puts_before_a_text_does_not_hide_that_it_is_json(encoding):
    artemis = '[{"sampleType": "interval", "warmup": false, "time": 1000, "received": 5}]'
    name = "perftestmulti_publish-consume-result.json"
    for text in (artemis, (SAMPLES / "rabbitmq-perftest" / name).read_text("utf-8")):
        plain, other = read(text.encode(), name), read(text.encode(encoding), name)
        assert plain.account.used > 0
        assert (other.account, repr(other.tables)) == (plain.account, repr(plain.tables))


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("./cph -tc Requester -us fred -pw s3cret -ms 10", "s3cret"),
        ('java -Djavax.net.ssl.keyStorePassword=s3cret -jar x.jar', "s3cret"),
        ('args: ["-pw", "s3cret", "-ms", "10"]', "s3cret"),
        ("MQ_PASSWORD=s3cret", "s3cret"),
        ("url amqp://fred:s3cret@host:5672/", "s3cret"),
        ("Authorization: Basic czNjcmV0OnMzY3JldA==", "czNjcmV0"),
        ("./qmmonitor2 -m QM -u fred -v s3cret -l CIPHER", "s3cret"),
        ("Using userid: s3cret", "s3cret"),
        ('{"password" : "s3 cret"}', "s3 cret"),
        ("--password 's3 cret' --host h", "s3 cret"),
    ],
)  # fmt: skip
def test_secrets_are_replaced(line, secret):
    assert secret not in without_secrets(line)


def test_one_by_one_and_by_blocks_give_the_same():
    class OneByOne(MqCph):
        forms = ()

    text = "".join(
        f"id=A,rate={rate / 100:.2f},threads={rate % 7}\nrate={rate}.25,threads=12345678901\n"
        for rate in range(1, 200_000, 777)
    ).encode()
    fast, slow = Read(MqCph(), text), Read(OneByOne(), text)
    assert fast.account == slow.account
    for name in ("line", "rate", "threads", "run"):
        assert fast.column(name) == slow.column(name)
    assert all(math.isfinite(value) for value in fast.column("rate"))
