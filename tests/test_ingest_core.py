"""What all readers share: bytes and archives, accounts of lines, meaning, steady parts, what is kept."""

# ruff: noqa: E501 - lines of logs are shown whole
from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import numpy as np
import pytest
import yaml
import zstandard

from ingest_bench import Read, read
from roundtrip.dictionary import is_percentile, load_dictionary
from roundtrip.ingest import inputs, records, result
from roundtrip.ingest.blocks import LONGEST_LINE, Block, blocks
from roundtrip.ingest.context import FileContext, Steady
from roundtrip.ingest.inputs import Input, inputs_of
from roundtrip.ingest.joins import joined
from roundtrip.ingest.meaning import meaning_of
from roundtrip.ingest.points import Point, Value, points_of
from roundtrip.ingest.reader import HEAD_BYTES, Head, Reader
from roundtrip.ingest.records import Account, Sink, possible
from roundtrip.ingest.registry import READERS
from roundtrip.ingest.result import FileResult, read_input
from roundtrip.ingest.rows import rows_of, with_peaks
from roundtrip.ingest.session import ingest_paths
from roundtrip.ingest.tools.mq_cph import MqCph
from roundtrip.stats.intervals import mean_interval
from test_ingest_readers import FILES, TOOLS, amqerr
from workshop import ROOT, copy_project

DICTIONARY = load_dictionary(ROOT / "data" / "dictionary.yml")


def result_by(reader: Reader) -> FileResult:
    """Give what an empty log gave."""
    result = FileResult("a.log", Path(), lambda item: None)
    result.reader = reader
    result.quantities |= reader.quantities
    return result


def result_of(content: bytes | str, folder: Path, name: str = "a.log") -> FileResult:
    raw = content.encode() if isinstance(content, str) else content
    return read_input(Input(name, io.BytesIO(raw)), folder, lambda item: None)


# --- bytes -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("size", [7, 64, 1 << 20])
def test_lines_are_the_same_in_each_encoding_and_in_pieces_of_any_size(encoding, size):
    lines = ["one", "", "zwölf µs", "三", "last"]
    content = "\n".join(lines).encode(encoding)
    if encoding == "utf-16-be":
        content = b"\xfe\xff" + content
    found, number = [], 1
    for block in blocks(io.BytesIO(content), size):
        assert block.first_line == number
        found += [block.line(index).decode() for index in range(len(block))]
        number += len(block)
    assert found == lines


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf", b"\xff\xfe"])
@pytest.mark.parametrize("size", [1000, 1 << 18])
def test_a_block_is_found_again_where_it_says_that_it_lies(mark, size):
    content = mark + b"one\n\r\n" * 900 + b"y" * (2 * LONGEST_LINE) + b"\nafter\n" * 900 + b"last"
    found = list(blocks(io.BytesIO(content), size))
    there = [block for block in found if block.offset is not None]
    for block in there:
        data = block.data.tobytes()
        assert content[block.offset :][: len(data)] == data
        assert Block.of(data).ends.tolist() == block.ends.tolist()
    # All but the overlong line, and the last one, which has no end.
    assert len(found) - len(there) == (len(found) if mark == b"\xff\xfe" else 2)


@pytest.mark.parametrize("before", [b"", b"a\n", b"x" * 400_000 + b"\n"])
@pytest.mark.parametrize("over", [0, 1, 500_000, 2 * LONGEST_LINE])
def test_a_line_beyond_the_limit_is_cut_there_and_marked(before, over):
    content = before + b"y" * (LONGEST_LINE + over) + b"\nafter\n"
    found = [
        (block.first_line + index, len(block.line(index)), index in block.overlong)
        for block in blocks(io.BytesIO(content), 1 << 18)
        for index in range(len(block))
    ]
    *first, long, after = found
    number = before.count(b"\n") + 1
    assert first == ([(1, len(before) - 1, False)] if before else [])
    assert long[::2] == (number, over > 0)
    assert LONGEST_LINE <= long[1] <= LONGEST_LINE + min(over, 1 << 18)
    assert after == (number + 1, 5, False)


# --- archives --------------------------------------------------------------------------------------
def opened(path: Path, content: bytes) -> tuple[bytes, list[str]]:
    path.write_bytes(content)
    ((found, damage),) = [(item.stream.read(), item.damage) for item in inputs_of(path, path.name)]
    return found, damage


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_what_is_packed_may_grow_up_to_the_bound_and_not_beyond(tmp_path, monkeypatch, pack):
    monkeypatch.setattr(inputs, "FREE_BYTES", 1 << 20)
    content = bytes(1 << 20)
    assert opened(tmp_path / "a.log.gz", pack(content)) == (content, [])
    read_, damage = opened(tmp_path / "b.log.gz", pack(content + b"1"))
    assert content.startswith(read_)
    assert "expands to more than 250 times its size" in damage[0]


@pytest.mark.parametrize("outer", [gzip.compress, zstandard.compress])
@pytest.mark.parametrize("inner", [gzip.compress, zstandard.compress])
def test_what_is_packed_twice_may_grow_twice(tmp_path, monkeypatch, outer, inner):
    """What is inside may have been four times as long as what is outside."""
    monkeypatch.setattr(inputs, "FREE_BYTES", 0)
    noise = np.random.default_rng(1).bytes(2000)
    for times, fits in ((400, True), (1200, False)):
        content = noise + bytes(len(noise) * times)
        packed = outer(inner(content))
        assert 250 * len(packed) < len(content) / (1 if fits else 4)
        read_, damage = opened(tmp_path / "a.log.gz", packed)
        assert (read_ == content, damage == []) == (fits, fits)


# --- inputs ----------------------------------------------------------------------------------------
def test_files_below_a_folder_are_those_of_people(tmp_path):
    names = "b.log a/c.log .git/d a/__pycache__/e a/node_modules/f/g .hidden git/h"
    for name in names.split():
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (tmp_path / "in" / "a" / "link.log").symlink_to(tmp_path / "in" / "b.log")
    found = list(inputs.files_below([tmp_path / "in", tmp_path / "in" / ".git" / "d"]))
    assert [name for _, name in found] == [".hidden", "a/c.log", "b.log", "git/h", "d"]
    assert [path.is_file() for path, _ in found] == [True] * 5


def test_a_file_of_no_tool_is_rejected_line_by_line_over_many_blocks(tmp_path):
    lines = [f"{number:04d} {'x' * 994}" for number in range(1, 2601)]
    rejects = []
    source = Input("a.txt", io.BytesIO("\n".join(lines).encode()))
    found = read_input(source, tmp_path, rejects.append)
    assert [item.line for item in rejects] == list(range(1, 201))
    assert found.account == Account(0, 0, 2600)
    assert (found.account.lines, found.intervals, found.tool) == (2600, 0, "")


def test_accounts_add_up():
    assert Account(2, 3, 5).lines == 10


def test_content_is_kept_up_to_its_bound(tmp_path, monkeypatch):
    content = b"rate=5.00,threads=1\n" * 50
    assert result_of(content, tmp_path).content == content
    for bound, kept in ((len(content), content), (len(content) - 1, None)):
        monkeypatch.setattr(result, "KEPT_BYTES", bound)
        found = result_of(content, tmp_path)
        assert (found.content, found.length) == (kept, len(content))


# --- rows ------------------------------------------------------------------------------------------
def test_a_row_without_what_is_infinite():
    found = Read(MqCph(), b"")
    found.sink.row("event", 1, {"a": float("inf"), "b": 2.0, "c": "inf", "d": None})
    found.sink.row("event", 2, {"a": float("-inf")}, fault="own")
    found.sink.row("event", 3, {"a": 1.0})
    found.sink.flush()
    assert found.rows("event") == [
        (1, "", 0, None, "not finite", {"b": 2, "c": "inf"}), (2, "", 0, None, "own", {"c": ""}),
        (3, "", 0, None, "", {"a": 1, "c": ""}),
    ]  # fmt: skip
    assert found.sink.faults == {"not finite": 1, "own": 1}


def test_a_value_named_as_a_column_of_ours_leaves_that_one_as_it_is():
    found = Read(MqCph(), b"")
    values = dict.fromkeys(("line", "stream", "run", "time", "trap"), 99.0)
    found.sink.row("event", 7, values | {"lines": 1.0}, stream="a", time=5.0)
    found.sink.flush()
    own = {f"{name} (value)": 99 for name in values}
    assert found.rows("event") == [(7, "a", 0, 5, "", own | {"lines": 1})]


def test_values_of_further_names_are_left_out_and_marked(monkeypatch):
    monkeypatch.setattr(records, "_QUANTITIES", 3)
    found = Read(MqCph(), b"")
    for line, names in enumerate(("ab", "bc", "cd", "de", "abc"), start=1):
        found.sink.row("event", line, dict.fromkeys(names, 1.0))
    found.sink.flush()
    kept = ("ab", "bc", "c", "", "abc")
    assert [row[5] for row in found.rows("event")] == [dict.fromkeys(names, 1) for names in kept]
    assert found.faults("event") == ["", "", "too many quantities", "too many quantities", ""]
    result = result_by(MqCph())
    assert "left out" in result.explained["too many quantities"].says


def test_values_of_a_setting_are_named_up_to_twenty_and_each_once():
    sink = Sink(lambda kind, columns: None, lambda item: None)
    for number in (*range(15), *range(30)):
        sink.setting("programs", f"P{number}")
    assert sink.settings == {"programs": ", ".join(f"P{number}" for number in range(20))}


def test_a_century_is_the_longest_time_in_each_unit():
    century = 3.2e9
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        values = np.array([-1e-9, 0, century * scale, np.nextafter(century * scale, np.inf)])
        assert possible(values, unit).tolist() == [False, True, True, False]
    assert possible(np.array([-1.0, 1e300]), "of no bounds").all()


@pytest.mark.parametrize(
    ("largest", "units"),
    [
        (1e6, ("%", "Gibit/s")), (1e8, ("MiB/s",)), (1e14, ("B/s",)), (1e18, ("B",)),
        (1e12, ("1/s", "messages/s", "round trips/s")), (1e9, ("threads", "requesters", "processes")),
        (1e15, ("iterations", "messages", "operations", "writes")),
    ],
)  # fmt: skip
def test_no_machine_does_more(largest, units):
    for unit in units:
        values = np.array([-1.0, 0, largest, np.nextafter(largest, np.inf)])
        assert possible(values, unit).tolist() == [False, True, True, False]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_one_reader_is_surer_than_all_others(path):
    head = Head.of(path.read_bytes()[: 64 << 10], path.name)
    sure = {reader.name: reader().confidence(head) for reader in READERS}
    *others, first = sorted(sure.values())
    assert 0 <= others[0] <= others[-1] < first <= 1
    assert max(sure, key=sure.__getitem__) in TOOLS[path.parent.name]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_what_holds_nothing_is_no_tools(reader):
    for text in ("", "\n\n", "  \n\t\n", "hello\nworld\n"):
        assert reader().confidence(Head.of(text.encode(), "a.txt")) <= 0.3


# --- AMQERR ----------------------------------------------------------------------------------------
def test_amqerr_lines_of_kept_records_are_used_and_those_of_others_ignored():
    record = amqerr()
    other = record.replace("AMQ7490I", "AMQ9999I").replace("AMQ7468I", "AMQ9998I")
    for text, used, ignored in ((record, 21, 0), (other, 0, 21), (record + other, 21, 21)):
        found = read(text)
        assert len(text.splitlines()) == used + ignored
        assert found.lines() == (used, ignored, 0)
    assert [row[:3] for row in read(record).rows()] == [(13, "PERF0", 0)]
    assert read(record).column("line", "event") == [1]
    assert found.sink.settings == {
        "messages AMQ7468": "1", "messages AMQ7490": "1", "messages AMQ9998": "1", "messages AMQ9999": "1",
    }  # fmt: skip


def test_amqerr_a_message_in_json():
    record = {
        "ibm_messageId": "AMQ6729W", "ibm_datetime": "2024-05-01T12:00:07.250Z",
        "ibm_serverName": "QM1", "message": "AMQ6729W: 12 writes took 900 ms.",
        "ibm_arithInsert1": 1700, "ibm_arithInsert2": "17x", "ibm_commentInsert1": "9999",
    }  # fmt: skip
    found = read((json.dumps(record) + "\n") * 3)
    event = {"event": "slow log I/O", "value": 1700}
    assert found.rows("event") == [(n, "QM1", 0, 1714564807.25, "", event) for n in (1, 2, 3)]
    for text, reason in (
        ("{", "JSON that is not complete"), ("[1]", None), ("{}", "JSON without ibm_messageId"),
    ):  # fmt: skip
        other = read((json.dumps(record) + "\n") * 3 + text + "\n")
        assert [item.reason for item in other.rejects] == [reason or "outside of a record"]


def test_amqerr_whole_records_are_surer_than_messages_and_never_more_than_sure():
    reader = next(reader for reader in READERS if reader.name == "amqerr")()
    assert 0.7 < reader.confidence(Head.of(amqerr().encode(), "AMQERR01.LOG")) <= 1


@pytest.mark.parametrize(("others", "sure"), [(0, 0.7), (3, 0.7), (4, 0.7), (5, 0.0), (50, 0.0)])
def test_amqerr_messages_are_a_fifth_of_a_log_of_theirs(others, sure):
    reader = next(reader for reader in READERS if reader.name == "amqerr")()
    text = "AMQ9999I: x\n" + "\n \n" + "word\n" * others
    assert reader.confidence(Head.of(text.encode(), "a.log")) == sure


# --- meaning ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("tool", "quantity", "stream", "context", "settings", "expected"),
    [
        ("mq-cph", "rate", "", {"role": "requesters"}, {}, ("round_trip_rate", 8, "round trips/s")),
        ("mq-cph", "rate", "", {"role": "senders"}, {}, ("message_rate", 8, "messages/s")),
        ("mq-cph", "rate", "", {"role": "put-get"}, {}, ("iteration_rate", 8, "iterations/s")),
        ("mq-cph", "rate", "", {}, {}, ("iteration_rate", 8, "iterations/s")),
        ("mq-cph", "rate", "", {}, {"programs": "Requester"}, ("round_trip_rate", 8, "round trips/s")),
        ("mq-cph", "rate", "", {}, {"programs": "Requester, Foo"}, ("iteration_rate", 8, "iterations/s")),
        ("mq-cph", "rate", "", {"role": "responders"}, {}, (None, 8, "round trips/s")),
        ("mq-cph", "latency_avg", "", {"role": "requesters"}, {}, ("round_trip_time", 0.008, "ms")),
        *(("mq-cph", "latency_avg", "", {"role": role}, {}, (None, 8, "µs"))
          for role in ("responders", "senders", "receivers", "put-get")),
        ("mq-cph", "latency_avg", "", {}, {}, (None, 8, "µs")),
        ("vmstat", "cpu", "", {}, {}, ("machine_cpu", 8, "%")),
        ("vmstat", "cpu", "", {"host": "queue manager"}, {}, ("cpu", 8, "%")),
        ("vmstat", "cpu", "", {"host": "clients"}, {}, (None, 8, "%")),
        ("mpstat", "cpu", "all", {}, {}, ("machine_cpu", 8, "%")),
        ("mpstat", "cpu", "3", {}, {}, (None, 8, "%")),
        ("hdrhistogram", "p50", "", {}, {}, (None, 8, "as recorded")),
        ("hdrhistogram", "p50", "", {"role": "requesters"}, {}, (None, 8, "as recorded")),
        ("hdrhistogram", "p50", "", {"histogram_unit": "us"}, {}, (None, 0.008, "ms")),
        ("hdrhistogram", "p50", "", {"histogram_unit": "ns", "role": "requesters"}, {},
         ("round_trip_time", 8e-6, "ms")),
        ("hdrhistogram", "p50", "", {"histogram_unit": "s", "role": "requesters"}, {},
         ("round_trip_time", 8000, "ms")),
        ("hdrhistogram", "count", "", {"histogram_unit": "us", "role": "requesters"}, {},
         (None, 8, "values")),
        ("cphtestp", "rate", "", {}, {}, ("round_trip_rate", 8, "round trips/s")),
        ("mqldt", "latency", "", {}, {}, ("log_write_latency", 8, "µs")),
        ("mqldt", "unheard of", "", {}, {}, (None, 8, "")),
    ],
)  # fmt: skip
def test_what_a_value_is(tool, quantity, stream, context, settings, expected):
    reader = next(reader for reader in READERS if reader.name == tool)()
    result = result_by(reader)
    for name, told in settings.items():
        for one in told.split(", "):
            result.settings.say(0, name, one)
    value = Value(quantity, "steady", 8.0, 4.0, 12.0, 5)
    point = Point(stream, 0, 1, None, None, [value])
    made = FileContext(**context)
    assert meaning_of(result, made, point, value, DICTIONARY) == (
        expected[0],
        pytest.approx(expected[1] / 8),
        expected[2],
    )
    (row,) = rows_of(result, made, [point], DICTIONARY)
    assert (row["metric"], row["unit"]) == (expected[0], expected[2])
    assert [row[name] for name in ("value", "low", "high")] == pytest.approx(
        [expected[1], expected[1] / 2, expected[1] * 1.5]
    )
    zero = Point(stream, 0, 1, None, None, [Value(quantity, "steady", 0.0, None, 8.0)])
    (row,) = rows_of(result, made, [zero], DICTIONARY)
    assert (row["value"], row["low"], row["high"]) == (0, None, pytest.approx(expected[1]))


@pytest.mark.parametrize(
    ("faults", "quantity", "status", "notes"),
    [
        ([], "rate", "as_printed", 0), (["overflow"], "rate", "corrected", 1),
        (["overflow unseen"], "rate", "suspect", 1), (["overflow", "below zero"], "rate", "suspect", 2),
        (["below zero", "overflow"], "rate", "suspect", 2), (["overflow"], "response", "as_printed", 0),
        (["no response"], "response", "suspect", 1), (["not finite"], "response", "suspect", 1),
        (["never heard of"], "response", "as_printed", 0),
    ],
)  # fmt: skip
def test_how_far_a_value_is_trusted(faults, quantity, status, notes):
    reader = next(reader for reader in READERS if reader.name == "jmsperfharness")()
    result = result_by(reader)
    point = Point("", 0, 1, None, None, [Value(quantity, "steady", 8.0)], faults, "cut.")
    (row,) = rows_of(result, FileContext(role="requesters"), [point], DICTIONARY)
    says = {fault.key: fault.says.rstrip(".") for fault in reader.faults}
    assert row["status"] == status
    assert row["note"].startswith("cut")
    assert (
        sum(row["note"].count(text) for text in says.values()) + ("no finite number" in row["note"])
        == notes
    )


@pytest.mark.parametrize("statistic", ["p50", "p9999", "mean", "peak", "p", "p99\n", "xp99"])
def test_which_statistics_are_percentiles(statistic):
    assert is_percentile(statistic) == (statistic in ("p50", "p9999"))


# --- points ----------------------------------------------------------------------------------------
def steady_log(rates: np.ndarray, stream: str = "", threads: int = 8) -> str:
    who = f"id={stream}," if stream else ""
    return "".join(f"{who}rate={rate:.2f},threads={threads}\n" for rate in rates)


@pytest.mark.parametrize("count", [3, 5, 18, 19, 25, 32, 48, 64, 65, 100, 128, 130, 1000, 5000])
def test_the_mean_of_the_steady_part_and_its_interval_by_batches(tmp_path, count):
    rates = np.round(1000 + 50 * np.sin(np.arange(count) ** 1.5) + np.arange(count) / count, 2)
    ramp = "rate=1.00,threads=3\nrate=2.00,threads=7\nrate=3.00,threads=8\n"
    log = ramp + steady_log(rates) + "rate=4.00,threads=5\n"
    (point,) = points_of(result_of(log, tmp_path), Steady())
    value = {value.quantity: value for value in point.values}["rate"]
    assert (point.line, value.intervals, value.statistic) == (4, count, "steady")
    assert value.value == pytest.approx(rates.mean(), rel=1e-12)
    places = np.arange(count) if count <= 32 else np.arange(count) * 64 // max(count, 64)
    if count > 32:  # bins of successive intervals, four to a batch
        places = places * 16 // min(count, 64)
    batches = [float(rates[places == place].mean()) for place in range(places[-1] + 1)]
    if count <= 16:
        batches = rates.tolist()
    interval = mean_interval(batches)
    assert (value.low, value.high) == pytest.approx((interval.low, interval.high), rel=1e-9)
    assert point.note == "steady part: after all 8 threads ran"


def test_runs_and_series_of_one_file_are_points_of_their_own(tmp_path):
    log = "".join(
        "[Requester0] START\n"
        + "".join(
            steady_log(np.array([base + step]), stream, 2)
            for step in range(6)
            for stream, base in (("a", 100 * turn), ("b", 1000 * turn), ("c", 0))
        )
        + "totalIterations=9,totalSeconds=6.00,avgRate=1.50\n"
        for turn in (1, 2, 3)
    )
    result = result_of(log, tmp_path)
    points = points_of(result, Steady())
    means = {
        (point.run, point.stream): value.value
        for point in points for value in point.values if value.quantity == "rate"
    }  # fmt: skip
    # The first interval of all is that in which the last thread started: it does not count.
    assert means == {
        (turn - 1, stream): base + 3
        for turn in (1, 2, 3)
        for stream, base in (("a", 100 * turn), ("b", 1000 * turn), ("c", 0))
    }
    summed = [point for point in points if point.note == "summed up by the tool"]
    assert [(point.run, point.line) for point in summed] == [(0, 20), (1, 40), (2, 60)]
    assert [{v.quantity: v.value for v in point.values} for point in summed] == [
        {"iterations": 9, "seconds": 6, "run_rate": 1.5}
    ] * 3


@pytest.mark.parametrize(("count", "first"), [(1, 1), (2, 1), (3, 2), (9, 2)])
def test_the_first_interval_does_not_count_where_no_threads_are_told(tmp_path, count, first):
    line = "id: t, time: {0}.000s, sent: {0} msg/s, received: {0} msg/s\n"
    log = "".join(line.format(number) for number in range(1, count + 1))
    (point,) = points_of(result_of(log, tmp_path), Steady())
    means = {value.quantity: (value.value, value.intervals) for value in point.values}
    wanted = range(first, count + 1)
    assert means == dict.fromkeys(("sent", "received"), (np.mean(wanted), len(wanted)))
    assert (point.line, point.begin, point.end) == (first, first, count)
    assert point.note == ("all intervals" if first == 1 else "without the first interval")
    assert point.faults == (["broken off"] if len(wanted) < 3 else [])
    totals = "id: t, sending rate avg: 5 msg/s\n"
    assert not points_of(result_of(log + totals, tmp_path), Steady())[0].faults


def test_intervals_that_a_campaign_leaves_out(tmp_path):
    log = steady_log(np.arange(1.0, 11.0))
    for steady, values in (
        (Steady(), range(2, 11)), (Steady(skip_first=2), range(4, 11)),
        (Steady(skip_last=3), range(2, 8)), (Steady(skip_first=1, skip_last=1), range(3, 10)),
        (Steady(skip_first=9), range(1, 11)),
    ):  # fmt: skip
        (point,) = points_of(result_of(log, tmp_path), steady)
        (rate,) = (value for value in point.values if value.quantity == "rate")
        assert (rate.value, rate.intervals) == (np.mean(values), len(values))


# --- joins -----------------------------------------------------------------------------------------
def row(file: str, tool: str, metric: str, value: float, **others: object) -> dict:
    return {
        "point": f"{file}-{others.get('run', 0)}", "file": file, "tool": tool, "stream": "", "run": 0,
        "line": 1, "quantity": metric, "metric": metric, "statistic": "steady", "value": value,
        "low": 1.0, "high": 2.0, "intervals": 5, "unit": "", "status": "as_printed", "note": "cut",
        "begin": None, "end": None, "input": file,
    } | others  # fmt: skip


def test_runs_of_a_monitor_are_joined_in_turn_where_their_number_is_that_of_the_loads():
    loads = [row("a.log", "mq-cph", "round_trip_rate", 10.0 * run, run=run) for run in range(2)]
    rows = [
        *loads,
        *(row("b.txt", "vmstat", "machine_cpu", 20.0 + run, run=run) for run in range(3)),
        *(row("c.txt", "vmstat", "machine_cpu", 30.0 + run, run=run) for run in range(2)),
        *(row("d/e.txt", "vmstat", "machine_cpu", 40.0 + run, run=run) for run in range(2)),
    ]
    found = joined(rows, lambda monitor: (np.empty(0), np.empty(0)))
    assert found[: len(rows)] == rows
    added = found[len(rows) :]
    assert [(item["point"], item["file"], item["run"], item["value"]) for item in added] == [
        ("a.log-0", "c.txt", 0, 30.0), ("a.log-1", "c.txt", 1, 31.0),
    ]  # fmt: skip
    assert added[1]["note"] == (
        "joined by order, as one of them has no clock: load 2 of 2 and run in turn. cut"
    )
    assert (added[1]["low"], added[1]["high"], added[1]["intervals"]) == (None, None, 5)
    assert joined(found, lambda monitor: (np.empty(0), np.empty(0))) == found


def test_intervals_of_a_monitor_within_the_time_of_a_load_are_joined():
    begin = 1.7e9
    load = row("a.log", "mq-cph", "round_trip_rate", 10.0, begin=begin, end=begin + 9)
    monitor = row("b.txt", "mpstat", "machine_cpu", 1.0, quantity="cpu", stream="all",
                  begin=begin - 3, end=begin + 12)  # fmt: skip
    seconds = np.arange(-3.0, 13.0)
    series = (begin + seconds, np.where(seconds == 0, np.nan, seconds))
    found = joined([load, monitor], lambda monitor: series)
    (added,) = found[2:]
    assert (added["point"], added["value"], added["intervals"]) == ("a.log-0", 5.0, 9)
    assert added["note"] == "joined by time: mean of 9 intervals within those of the load. cut"
    # The monitor's own point leaves out what came before, such as a mean since boot.
    late = monitor | {"begin": begin + 4, "end": begin + 8}
    found = joined([load, late], lambda monitor: series)
    (added,) = found[2:]
    assert (added["value"], added["intervals"]) == (6.0, 5)
    for shift, enough in ((-11, False), (-10, True), (10, True), (11, False), (13, False)):
        apart = load | {"begin": begin + shift, "end": begin + shift + 9}
        found = joined([apart, monitor], lambda monitor: series)
        assert len(found) == (3 if enough else 2)


def test_a_load_with_a_clock_is_not_joined_in_turn_and_the_next_one_is():
    clock = {"begin": 1.7e9, "end": 1.7e9 + 9}
    rows = [
        row("a.log", "mq-cph", "round_trip_rate", 10.0, **clock),
        row("b.log", "mq-cph", "round_trip_rate", 11.0),
        *(row("c.txt", "vmstat", "machine_cpu", 30.0 + run, run=run, **clock) for run in range(2)),
    ]
    added = joined(rows, lambda monitor: (np.empty(0), np.empty(0)))[len(rows) :]
    assert [(item["point"], item["run"], item["value"]) for item in added] == [("b.log-0", 1, 31.0)]


def test_the_only_run_of_a_monitor_is_joined_to_the_only_load():
    rows = [
        row("a.log", "mq-cph", "message_rate", 10.0),
        row("b.txt", "vmstat", "machine_cpu", 20.0),
    ]
    *_, added = joined(rows, lambda monitor: (np.empty(0), np.empty(0)))
    assert "the only load of the folder and its only run" in added["note"]
    timed = [item | {"begin": 1.7e9, "end": 1.7e9 + 9} for item in rows]
    # Each has a clock, and none the other's.
    assert joined(timed, lambda monitor: (np.empty(0), np.empty(0))) == timed


def test_points_of_an_unknown_number_of_requesters_are_no_part_of_a_sweep():
    rates = ((1, 100.0), (2, 300.0), (3, 200.0), (None, 900.0))
    rows = [
        row(f"{number}.log", "mq-cph", "round_trip_rate", rate, requesters=number)
        for number, rate in rates
    ] + [row("none.log", "mq-cph", "round_trip_rate", 900.0)]
    rate, clients = with_peaks(rows, ["requesters"])[len(rows) :]
    assert (rate["value"], clients["value"]) == (300.0, 2.0)
    assert rate["note"] == "highest of a sweep over 3 points. cut"


def test_senders_and_receivers_make_no_sweep_of_each_other():
    rates = (("senders", 1, 900.0), ("senders", 2, 900.0), ("receivers", 3, 100.0))
    rows = [
        row(f"{number}.log", "mq-cph", "message_rate", rate, requesters=number, programs_role=role)
        for role, number, rate in rates
    ]
    assert with_peaks(rows, ["requesters"]) == rows
    alike = [{**one, "programs_role": "senders"} for one in rows]
    assert len(with_peaks(alike, ["requesters"])) > len(rows)


@pytest.mark.parametrize("metric", ["round_trip_time", "end_to_end_latency", "publish_latency"])
def test_a_peak_brings_the_times_that_were_seen_there(metric):
    rows = []
    for number, rate in ((1, 100.0), (2, 300.0), (3, 200.0)):
        file = f"{number}.log"
        rows += [
            row(file, "omb", "message_rate", rate, requesters=number),
            row(file, "omb", metric, number + 0.5, requesters=number, quantity="latency"),
            row(file, "omb", metric, 9.0, requesters=number, quantity="run", statistic="mean"),
        ]
    added = with_peaks(rows, ["requesters"])[len(rows) :]
    # Of the steady state and the whole run, the steady state counts.
    assert {item["metric"]: item["value"] for item in added} == {
        "message_rate": 300.0, metric: 2.5, "clients": 2.0,
    }  # fmt: skip
    assert {item["statistic"] for item in added} == {"peak"}
    assert len(added) == 3


# --- what is kept ----------------------------------------------------------------------------------
def test_a_second_file_leaves_what_the_first_gave_as_it_was(tmp_path):
    project = copy_project(tmp_path / "project", ("_quarto.yml", "data/dictionary.yml"))
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "campaign.yml").write_text("factors: {product: IBM MQ}\n")
    (logs / "größe.log").write_text(
        "[Requester0] START\n" + "rate=5.00,threads=1\n" * 9 + "what\nhow\nwhy\n"
    )
    (logs / "b.log").write_text("[Requester0] START\n" + "rate=7.00,threads=1\n" * 4 + "who\n")
    folder = project.campaigns / "lab"
    for path in (logs / "größe.log", logs / "b.log"):
        ingest_paths([path], dictionary=DICTIONARY, project=project, campaign="lab")
        assert (folder / "campaign.yml").read_text() == "factors: {product: IBM MQ}\n"
    where = [line.split("\t")[:2] for line in (folder / "rejects.tsv").read_text().splitlines()]
    reason = "not a line of MQ-CPH that is known"
    assert where == [
        ["where", "reason"],
        ["b.log:6", reason],
        *(["größe.log:" + n, reason] for n in ("11", "12", "13")),
    ]
    text = (folder / "manifest.yml").read_text(encoding="utf-8")
    assert "name: größe.log" in text
    second, first = yaml.safe_load(text)["inputs"]
    counts = ("lines", "used", "ignored", "rejected", "intervals")
    assert [first[name] for name in counts] == [13, 9, 1, 3, 9]
    assert [second[name] for name in counts] == [6, 4, 1, 1, 4]
    kept = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*/*"))
    assert kept == sorted([*first["series"], first["raw"], *second["series"], second["raw"]])
    assert (
        zstandard.decompress((folder / first["raw"]).read_bytes())
        == (logs / "größe.log").read_bytes()
    )


def test_rejected_lines_are_written_where_it_is_asked_for(tmp_path):
    (tmp_path / "a.log").write_text("rate=5.00,threads=1\nwhat\n")
    for texts, head in ((False, "where\treason\tsha256"), (True, "where\treason\tsha256\ttext")):
        path = tmp_path / "out" / f"{texts}.tsv"
        outcome = ingest_paths(
            [tmp_path / "a.log"], dictionary=DICTIONARY, rejects=path, reject_text=texts
        )
        first, second = path.read_text().splitlines()
        assert first == head
        assert second.split("\t")[0] == "a.log:2"
        assert second.split("\t")[3:] == (["what"] if texts else [])
        assert (outcome.rejected, outcome.rejects) == (1, path)
    assert sorted(item.name for item in (tmp_path / "out").iterdir()) == ["False.tsv", "True.tsv"]


@pytest.mark.parametrize("line", ["", "\n"])
@pytest.mark.parametrize("before", range(4))
def test_a_head_that_ends_within_a_letter_is_still_utf_8(line, before):
    text = "a" * before + line + "é漢" * (HEAD_BYTES // 2)
    head = Head.of(text.encode()[:HEAD_BYTES], "a.log")
    assert text.startswith(head.text)
    assert len(head.text) >= before
