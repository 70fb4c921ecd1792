"""Parts that readers share, and what is rare in logs: zones, documents, words, joined results."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import numpy as np
import pytest

from ingest_bench import Read, read
from roundtrip.ingest import documents
from roundtrip.ingest.clocks import LOCAL, in_utc
from roundtrip.ingest.inputs import inputs_of
from roundtrip.ingest.patterns import plain_value
from roundtrip.ingest.printed import peeled, seconds, unix_date
from roundtrip.ingest.tools.omb import OpenMessagingBenchmark

NOON = 1714564800.0  # 2024-05-01 12:00 UTC
RESULT = {"workload": "w", "driver": "d", "publishRate": [1.0]}


@pytest.mark.parametrize(
    ("zone", "hours"),
    [(None, 0), ("Z", 0), ("+05:30", -5.5), ("-0130", 1.5), ("+00:45", -0.75), ("-10:00", 10)],
)
def test_a_zone_is_taken_off(zone: str | None, hours: float) -> None:
    assert seconds("2024-05-01", "12:00:00", None, zone) == NOON + 3600 * hours
    line = f"[2024-05-01 12:00:00,250{zone or ''}] rate=1"
    assert peeled(line) == (NOON + 3600 * hours + 0.25, "rate=1")


def test_a_clock_of_a_zone_is_turned_to_utc_but_in_the_hour_that_it_shows_twice() -> None:
    shown = [f"2026-10-25 0{hour}:30:00" for hour in (1, 2, 3)] + ["2026-03-29 02:30:00"]
    times = np.array([*(seconds(*text.split()) for text in shown), np.nan, 1e300])
    found = in_utc(times, "Europe/Berlin") - times
    assert [None if np.isnan(shift) else shift for shift in found] == [
        -7200, None, -3600, None, None, None,
    ]  # fmt: skip
    assert in_utc(times, None) is times is in_utc(times, LOCAL)


def test_dates_of_the_date_command() -> None:
    assert unix_date("Wed May  1 12:00:00 UTC 2024") == NOON
    assert unix_date("Wed  1 May 12:00:00 UTC 2024") is None
    assert unix_date("Wed 1 May 2024 12:00:00 PM GMT") == NOON
    assert unix_date("Wed 1 May 2024 12:00:00 PM CEST") is None
    assert unix_date("Wed 1 May 2024 12:00:00 AM UTC") == NOON - 12 * 3600
    assert unix_date("Wed Mai  1 12:00:00 UTC 2024") is None
    assert unix_date("Wed Feb 30 12:00:00 UTC 2024") is None


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("integer", "2K", "2048"),
        ("integer", "3MiB", str(3 << 20)),
        ("integer", "1g", str(1 << 30)),
        ("integer", "200B", "200"),
        ("integer", "1 KB", "1024"),
        ("integer", "1\u00a0MB", str(1 << 20)),
        ("integer", "1  KB", "1  KB"),
        ("integer", "7", "7"),
        ("integer", "np", "nonpersistent"),
        ("boolean", "yes", "true"),
        ("boolean", "off", "false"),
        ("boolean", "maybe", "maybe"),
        ("word", "on", "on"),  # a word of its own, not a truth
        ("word", "2K", "2K"),
        ("category", "no", "no"),
    ],
)
def test_words_of_names_become_what_the_dictionary_understands(
    kind: str, text: str, value: str
) -> None:
    assert plain_value(kind, text, {"np": "nonpersistent"}) == value


def test_documents_that_share_a_line_are_all_read_and_what_is_left_is_rejected() -> None:
    one = json.dumps(RESULT)
    found = read(f"{one}{one}, {one};\n{json.dumps(RESULT | {'publishRate': [2.0, 3.0]})}\n")
    assert found.column("publish_rate") == [1, 1, 1, 2, 3]
    assert found.lines() == (2, 0, 0)
    found = read(f'{one}{{"cut": \n{one} rate=5\n{one}\n')
    assert found.column("publish_rate") == [1, 1, 1]
    assert found.lines() == (1, 0, 2)
    assert [item.line for item in found.rejects] == [1, 2]


def test_documents_are_as_many_as_there_are() -> None:
    found = read(f"{json.dumps(RESULT)}\n" * 250)
    assert found.lines() == (250, 0, 0)
    after = read(f"{json.dumps(RESULT)}\n" + "{\n" * 200 + f"{json.dumps(RESULT)}\n")
    assert after.lines() == (1, 0, 201)  # what cannot be read is tried so often


def test_a_document_too_large_is_rejected_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LARGEST", 2 << 20)
    content = json.dumps(RESULT | {"publishRate": [1.0] * 600_000}, indent=0).encode() + b"\n"
    found = Read(OpenMessagingBenchmark(), content)
    (reject,) = found.rejects
    assert reject.reason == "a document above 2 MiB, or with a line above 1 MiB"
    assert found.account.rejected == found.account.lines == len(content.splitlines())
    long = b'{"workload":\n"x":"' + b"a" * (3 << 19) + b'"}\n\n'
    assert Read(OpenMessagingBenchmark(), long).lines() == (0, 0, 3)


def test_results_of_openmessaging_benchmark() -> None:
    more = {
        "topics": 3, "publishErrorRate": [0.5], "endToEndLatency99pct": [4.5],
        "aggregatedEndToEndLatency999pct": 6.5, "publishDelayLatencyAvg": [500],
    }  # fmt: skip
    found = read(json.dumps(RESULT | more))
    assert found.sink.settings == {"workload": "w", "driver": "d", "topics": "3"}
    assert found.column("end_to_end_latency_p99") == [4.5]
    assert found.column("publish_delay") == [0.5]
    assert found.column("run_end_to_end_latency_p999", "summary") == [6.5]


def test_samples_of_artemis_have_their_time_in_seconds() -> None:
    sample = {"sampleType": "interval", "warmup": False, "time": 1714564800500, "sent": 3}
    total = {"sampleType": "total", "warmup": False, "time": 1714564801000, "sent": 9, "delayed": 2}
    found = read(json.dumps([sample, {"other": 1}, total]))
    assert (found.column("time"), found.column("sent")) == ([NOON + 0.5], [3])
    assert found.column("time", "summary") == [NOON + 1]
    assert found.column("blocked", "summary") == [2]


def test_an_archive_and_its_members_are_named(tmp_path: Path) -> None:
    path = tmp_path / "logs.tgz"
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo("a.log")
        member.size = 4
        archive.addfile(member, io.BytesIO(b"text"))
    found = [(item.name, item.stream.read(), item.problem) for item in inputs_of(path, path.name)]
    assert found == [("logs.tar!a.log", b"text", None)]
