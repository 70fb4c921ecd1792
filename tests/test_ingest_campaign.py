"""From logs to a campaign: context, points, joins, what is kept, observations."""

# ruff: noqa: E501 - lines of logs are shown whole
from __future__ import annotations

import errno
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zstandard
from typer.testing import CliRunner

from ingest_bench import SAMPLES
from roundtrip.cli.main import app
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import DataError, ParameterError, RoundtripError
from roundtrip.files import sha256_of, sha256_of_tree
from roundtrip.ingest import inputs, tables
from roundtrip.ingest.again import read_again
from roundtrip.ingest.context import Context
from roundtrip.ingest.inputs import Input
from roundtrip.ingest.manifest import load_inputs
from roundtrip.ingest.patterns import Pattern
from roundtrip.ingest.result import read_input
from roundtrip.ingest.rows import read_rows
from roundtrip.ingest.session import (
    Files,
    Job,
    Outcome,
    Reading,
    Rejecting,
    ingest_paths,
    one_by_one,
)
from roundtrip.ingest.store import Store
from roundtrip.ingest.tools.mq_cph import MqCph
from roundtrip.observations import load_observations
from roundtrip.present import Chapter
from roundtrip.project import Project
from workshop import ROOT, copy_project, environment

EXAMPLE = ROOT / "docs" / "examples" / "ingest"
DICTIONARY = load_dictionary(ROOT / "data" / "dictionary.yml")
SETTLED = "rate=%d.00,total messages=%d,Snapshot period=10,threads=%d\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return copy_project(tmp_path / "project", ("_quarto.yml", "data/dictionary.yml"))


def ingest(project: Project, *paths: Path, campaign: str = "lab") -> Outcome:
    return ingest_paths(list(paths), dictionary=DICTIONARY, project=project, campaign=campaign)


def rows(project: Project, campaign: str = "lab", **wanted: object) -> list[dict]:
    found = read_rows(project.campaigns / campaign / "ingested.csv")
    return [row for row in found if all(row.get(name) == value for name, value in wanted.items())]


def jms_run(threads: int, rates: list[int], kind: str = "Requestor") -> str:
    text = "ControlThread1: START\n" + SETTLED % (rates[0] // 3, rates[0] * 3, max(1, threads // 2))
    text += "".join(f"{kind}{number}: START\n" for number in range(threads))
    return text + "".join(SETTLED % (rate, rate * 10, threads) for rate in rates)


# --- points ----------------------------------------------------------------------------------------
def test_ramp_up_and_shutdown_do_not_count(project, tmp_path):
    log = tmp_path / "logs" / "r.log"
    log.parent.mkdir()
    log.write_text(jms_run(4, [500, 1000, 1010, 990, 1000]) + SETTLED % (100, 1000, 1))
    ingest(project, log.parent)
    (row,) = rows(project, metric="round_trip_rate")
    # 500 is the interval in which the last thread started, 100 one in which they stop.
    assert row["value"] == 1000
    assert row["intervals"] == 4
    assert row["low"] < 1000 < row["high"]
    assert "after all 4 threads ran" in row["note"]
    assert row["requesters"] == "4"


def test_a_sweep_that_is_ingested_in_parts_has_the_same_points(project, tmp_path):
    logs = []
    for threads, rate in ((1, 100), (2, 190), (4, 180), (8, 170)):
        logs.append(tmp_path / f"{threads}.log")
        logs[-1].write_text(jms_run(threads, [rate] * 5))
    ingest(project, *logs, campaign="whole")
    for log in logs:
        ingest(project, log, campaign="parts")
    whole, parts = (project.campaigns / name / "ingested.csv" for name in ("whole", "parts"))
    assert "peak" in whole.read_text("utf-8")
    assert parts.read_text("utf-8") == whole.read_text("utf-8")


def test_the_peak_of_a_sweep_brings_its_clients(project, tmp_path):
    for threads, rate in ((1, 100), (2, 190), (4, 180)):
        (tmp_path / f"{threads}.log").write_text(jms_run(threads, [rate] * 5))
    ingest(project, *(tmp_path / f"{threads}.log" for threads in (1, 2, 4)))
    peak = {row["metric"]: row["value"] for row in rows(project, statistic="peak")}
    assert peak == {"round_trip_rate": 190, "clients": 2}


def test_responders_and_unknown_programs_are_no_round_trips(project, tmp_path):
    (tmp_path / "a.log").write_text(jms_run(4, [100] * 5, "Responder"))
    (tmp_path / "b.log").write_text(jms_run(4, [100] * 5, "Requestor").replace("Requestor", "Foo"))
    ingest(project, tmp_path / "a.log", tmp_path / "b.log")
    assert not rows(project, metric="round_trip_rate")
    (unknown,) = rows(project, metric="iteration_rate")
    assert ". What its programs did, request, send or receive, is not stated" in unknown["note"]
    (responders,) = rows(project, quantity="rate", file="a.log")
    assert responders["metric"] is None
    assert responders["responders"] == "4"


def test_latencies_are_round_trips_of_requesters_alone(project, tmp_path):
    line = "rate=10.00,threads=2,avg_latency(uSec)=90,max_latency(uSec)=120,min_latency(uSec)=80\n"
    histograms = (SAMPLES / "hdrhistogram" / "jHiccup-2.0.7S.logV2.hlog").read_bytes()
    found = {}
    for role in ("requesters", "responders", "senders"):
        folder = tmp_path / role
        folder.mkdir()
        text = f'histogram_unit: us\nfiles:\n  - pattern: "*"\n    role: {role}\n'
        (folder / "campaign.yml").write_text(text)
        (folder / "a.log").write_text(line * 6)
        (folder / "b.hlog").write_bytes(histograms)
        ingest(project, folder, campaign=role)
        (latency,) = rows(project, role, quantity="latency_avg")
        (median,) = rows(project, role, quantity="run_p50")
        found[role] = (latency["metric"], median["metric"])
        assert median["unit"] == "ms"
        assert median["status"] == "as_printed"  # its unit is known
    assert found == {
        "requesters": ("round_trip_time", "round_trip_time"),
        "responders": (None, None),
        "senders": (None, "publish_latency"),
    }


def test_lines_of_no_tool_are_rejected_and_counted(project, tmp_path):
    (tmp_path / "notes.txt").write_text("Monday\nTuesday\nWednesday\n")
    (reading,) = ingest_paths([tmp_path / "notes.txt"], dictionary=DICTIONARY).readings
    assert reading.counts == (0, 0, 0, 0, 3)
    with pytest.raises(DataError, match=r"nothing could be taken(?s:.)*notes.txt:1: no tool"):
        ingest(project, tmp_path / "notes.txt")
    (tmp_path / "own.csv").write_text("clients,rate\n1,2\n")
    with pytest.raises(DataError, match=r"read when own\.mapping\.yml beside it"):
        ingest(project, tmp_path / "own.csv")
    assert not (project.campaigns / "lab").exists()
    (tmp_path / "load.log").write_text(jms_run(2, [300]) + "total messages=many\nnonsense\n")
    (reading,) = ingest(project, tmp_path / "load.log").readings
    kept = (project.campaigns / "lab" / "rejects.tsv").read_text().splitlines()[1:]
    of_load = [line.split("\t")[0].rpartition(":")[2] for line in kept if "load.log" in line]
    assert of_load == [str(reading.entry.lines - 1), str(reading.entry.lines)]


def test_a_mean_of_corrected_intervals_is_marked(project):
    ingest(project, SAMPLES / "jmsperfharness" / "local_basicstats_int_overflow.txt")
    (row,) = rows(project, quantity="rate")
    assert row["status"] == "corrected"
    assert "32 bits" in row["note"]


def test_the_largest_rolling_mean_is_kept_and_is_no_peak_of_a_sweep(project):
    for _ in range(2):
        ingest(project, SAMPLES / "jmsperfharness" / "github_issue9_rollingavg.txt")
        (row,) = rows(project, quantity="max_rolling_rate")
        assert (row["value"], row["metric"]) == (127.73, None)
    frame = load_observations(project).sql("SELECT statistic FROM observations")
    assert "peak" not in set(frame["statistic"])


# --- joins -----------------------------------------------------------------------------------------
VMSTAT = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----\n"
VMSTAT += " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC\n"
VM_ROW = " 1  0      0   1000   1000   1000    0    0     0     0    0    0 %2d  0 %2d  0  0 2024-05-01 10:00:%02d\n"


def test_resources_are_joined_by_time_where_both_have_a_clock(project, tmp_path):
    lines = jms_run(2, [100] * 12).splitlines()
    stamped = [f"2024-05-01T10:00:{10 + place:02d}Z {line}" for place, line in enumerate(lines)]
    (tmp_path / "r.log").write_text("\n".join(stamped) + "\n")
    text = VMSTAT + "".join(
        VM_ROW % (40 if 15 <= second <= 25 else 1, 60 if 15 <= second <= 25 else 99, second)
        for second in range(60)
    )
    (tmp_path / "vmstat.txt").write_text(text)
    (tmp_path / "campaign.yml").write_text(
        "files:\n- {pattern: 'vmstat*', role: resources, host: queue manager}\n"
    )
    ingest(project, tmp_path)
    load = rows(project, tool="jmsperfharness")[0]["point"]
    (joined,) = rows(project, point=load, metric="cpu")
    assert joined["note"].startswith("joined by time")
    assert joined["value"] == 40


def test_resources_are_joined_by_order_where_one_has_no_clock(project, tmp_path):
    (tmp_path / "r.log").write_text(jms_run(2, [100] * 5))
    (tmp_path / "vmstat.txt").write_text(
        (SAMPLES / "os-tools/vmstat_1_long_ubuntu18.txt").read_text()
    )
    ingest(project, tmp_path)
    load = rows(project, tool="jmsperfharness")[0]["point"]
    (joined,) = rows(project, point=load, metric="machine_cpu")
    assert joined["note"].startswith("joined by order, as one of them has no clock")


def test_of_two_monitors_that_tell_the_same_of_a_load_one_is_shown(project, tmp_path):
    (tmp_path / "r.log").write_text(jms_run(2, [100] * 5))
    for name in ("vmstat_1_long_ubuntu18.txt", "sar_u_d_n_1_4.txt"):
        shutil.copy(SAMPLES / "os-tools" / name, tmp_path)
    outcome = ingest(project, tmp_path)
    load = rows(project, tool="jmsperfharness")[0]["point"]
    shown, other = rows(project, point=load, quantity="cpu")
    assert (shown["file"], shown["metric"]) == ("sar_u_d_n_1_4.txt", "machine_cpu")
    assert other["metric"] is None
    assert other["note"].endswith("instead is that of sar_u_d_n_1_4.txt")
    assert any("vmstat_1_long_ubuntu18.txt: another monitor" in one for one in outcome.as_text())
    points = Chapter(folder=project.root).points(campaign="lab").set_index("row_label")
    assert points["machine_cpu"][load] == shown["value"]


def test_a_join_by_time_is_the_same_whichever_log_came_first(project, tmp_path):
    stamped = [
        f"2024-05-01T10:00:{10 + place:02d}.500Z {line}"
        for place, line in enumerate(jms_run(2, [100] * 12).splitlines())
    ]
    load, monitor = tmp_path / "r.log", tmp_path / "vmstat.txt"
    load.write_text("\n".join(stamped) + "\n")
    monitor.write_text(VMSTAT + "".join(VM_ROW % (n, 99 - n, n) for n in range(60)))
    ingest(project, load, monitor, campaign="whole")
    for first, second in ((load, monitor), (monitor, load)):
        ingest(project, first, campaign=first.stem)
        ingest(project, second, campaign=first.stem)
    found = {(project.campaigns / name / "ingested.csv").read_text("utf-8")
             for name in ("whole", "r", "vmstat")}  # fmt: skip
    assert len(found) == 1


# --- context ---------------------------------------------------------------------------------------
def test_names_of_files_give_factors(tmp_path):
    path = tmp_path / "campaign.yml"
    path.write_text(
        "factors: {product: IBM MQ, ha: none}\n"
        "files:\n"
        "- pattern: '**/{delivery}_{message_bytes}_{requesters}c*.log'\n"
        "  role: requesters\n"
        "  words: {delivery: {np: nonpersistent}}\n"
        "- {pattern: '**/*_rdqm.log', factors: {ha: RDQM}}\n"
    )
    context = Context(path, DICTIONARY)
    found = context.of("day1/np_2K_32c_rdqm.log")
    assert found.factors == {
        "product": "IBM MQ", "ha": "RDQM", "delivery": "nonpersistent", "message_bytes": 2048,
        "requesters": 32,
    }  # fmt: skip
    assert found.role == "requesters"
    assert context.of("other.log").factors == {"product": "IBM MQ", "ha": "none"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("factors: {produkt: x}", "did you mean 'product'"),
        ("factors: {delivery: maybe}", "delivery is 'maybe'"),
        ("factors: {ha: off}", "YAML reads a bare on, off, yes or no as true or false"),
        ("file: []", "did you mean 'files'"),
        ("role: requesters", "unknown key 'role'; allowed are"),
        ("files: [{pattern: '{request}.log'}]", "unknown factor 'request'"),
        ("files: [{pattern: '{requesters.log'}]", "closes or opens nothing"),
        ("zone: Europe/Berln", "no time zone 'Europe/Berln' (did you mean 'Europe/Berlin'?)"),
        ("files: [{pattern: x, role: boss}]", "role"),
    ],
)
def test_a_wrong_context_is_explained(tmp_path, text, words):
    path = tmp_path / "campaign.yml"
    path.write_text(text)
    with pytest.raises(DataError) as problem:
        Context(path, DICTIONARY)
    assert words in str(problem.value)
    assert "campaign.yml" in str(problem.value)


def test_patterns_match_from_end_to_end():
    pattern = Pattern("a*b{requesters}.log", DICTIONARY, "")
    assert pattern.match("axxb12.log") == {"requesters": "12"}
    assert pattern.match("axx/b12.log") is None
    assert pattern.match("axxb12.log2") is None
    assert Pattern("**.log", DICTIONARY, "").match("a/b/c.log") == {}


def test_new_campaign_makes_a_valid_context(tmp_path):
    done = CliRunner().invoke(app, ["--project", str(ROOT), "new", "campaign", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert Context(tmp_path / "campaign.yml", DICTIONARY).of("x.log").factors == {}


def test_a_link_that_is_given_has_the_context_beside_it(project, tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "campaign.yml").write_text("files: [{pattern: 'latest*', role: senders}]\n")
    (tmp_path / "of-today.log").write_text("rate=5.00,threads=1\n" * 9)
    (logs / "latest.log").symlink_to(tmp_path / "of-today.log")
    ingest(project, logs / "latest.log")
    (row,) = rows(project, quantity="rate")
    assert row["metric"] == "message_rate"


def test_a_pattern_that_fits_no_file_is_named(project, tmp_path):
    logs = tmp_path / "logs"
    (logs / "part").mkdir(parents=True)
    (logs / "campaign.yml").write_text(
        "files:\n- {pattern: 'part/{requesters}.log'}\n- {pattern: '{requesters}.log'}\n"
        "- {pattern: 'part/*.zip'}\n"
    )
    (logs / "part" / "4.log").write_text(jms_run(4, [100] * 5))
    with zipfile.ZipFile(logs / "part" / "more.zip", "w") as archive:
        archive.write(logs / "part" / "4.log", "8.log")
    (note,) = (
        line for line in ingest(project, logs).as_text() if "fits none of these files" in line
    )
    assert note.startswith(f"{logs / 'campaign.yml'}:3: the pattern '{{requesters}}.log' fits no")
    # A campaign may be ingested in parts.
    (logs / "8.log").write_text(jms_run(8, [100] * 5))
    assert not ingest(project, logs / "8.log").unmatched


def test_an_unknown_tool_of_a_pattern_is_refused_before_anything_is_read(project, tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "campaign.yml").write_text("files: [{pattern: 'z*', tool: mq-cpg}]\n")
    (logs / "a.log").write_text("rate=5.00,threads=1\n" * 9)
    with pytest.raises(ParameterError, match="mq-cpg") as caught:
        ingest(project, logs)
    assert "did you mean 'mq-cph'" in str(caught.value)
    assert caught.value.where == f"{logs / 'campaign.yml'}: files: tool"


# --- what is kept ----------------------------------------------------------------------------------
def test_twice_changes_nothing_and_more_adds(project, tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a.log").write_text(jms_run(2, [100] * 5))
    assert ingest(project, folder).changed
    kept = project.campaigns / "lab"
    before = sha256_of_tree(kept)
    assert not ingest(project, folder).changed
    assert sha256_of_tree(kept) == before
    (folder / "b.log").write_text(jms_run(4, [150] * 5))
    assert ingest(project, folder / "b.log").changed
    assert {row["file"] for row in rows(project)} == {"a.log", "b.log"}
    committed = {path.name for path in (ROOT / "data" / "campaigns").iterdir()}
    assert {path.name for path in kept.parent.iterdir()} - committed == {"lab"}


def test_campaign_files_that_differ_never_replace_each_other(project, tmp_path):
    folders = [tmp_path / "logs" / name for name in ("first", "second")]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "req.log").write_text(jms_run(2, [100] * 5))
        (folder / "campaign.yml").write_text("title: One\n")
    ingest(project, tmp_path / "logs")
    before = sha256_of_tree(kept := project.campaigns / "lab")
    (folders[1] / "campaign.yml").write_text("title: Two\n")
    with pytest.raises(DataError, match="a campaign keeps one") as caught:
        ingest(project, tmp_path / "logs")
    assert all(str(folder / "campaign.yml") in caught.value.where for folder in folders)
    assert sha256_of_tree(kept) == before


def test_inputs_of_one_name_never_replace_each_other(project, tmp_path):
    logs = [tmp_path / "logs" / f"run{turn}" / "req.log" for turn in (1, 2)]
    for turn, log in enumerate(logs, start=1):
        log.parent.mkdir(parents=True)
        log.write_text(jms_run(2, [100 * turn] * 5))
    with pytest.raises(DataError, match=r"two inputs have the name 'req\.log'"):
        ingest(project, *logs)
    assert not (project.campaigns / "lab").exists()
    (logs[0].parent / "req.log.gz").write_bytes(gzip.compress(logs[0].read_bytes()))  # a copy
    ingest(project, tmp_path / "logs")
    assert {row["file"] for row in rows(project)} == {"run1/req.log", "run2/req.log"}
    (logs[0].parent / "req.log.gz").write_bytes(gzip.compress(logs[1].read_bytes()))
    with pytest.raises(DataError, match=r"two inputs have the name 'run1/req\.log'"):
        ingest(project, tmp_path / "logs")


def test_two_processes_that_ingest_at_a_time_lose_nothing(project, tmp_path):
    for name, rate in (("a", 100), ("b", 200)):
        (tmp_path / f"{name}.log").write_text(jms_run(2, [rate] * 5) + "strange\n")
    other = None

    def meanwhile(job: Job, files: Files, reject: Rejecting) -> Iterator[Reading]:
        nonlocal other
        other = subprocess.Popen(
            [sys.executable, "-m", "roundtrip", "--project", str(project.root), "ingest",
             str(tmp_path / "b.log"), "--campaign", "lab"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment(),
        )  # fmt: skip
        told = other.stderr.readline()  # what it waits for, or nothing where it has ended
        assert told in (f"waiting for process {os.getpid()}, which ingests into lab too\n", "")
        yield from one_by_one(job, files, reject)

    ingest_paths([tmp_path / "a.log"], dictionary=DICTIONARY, project=project, campaign="lab",
                 spread=meanwhile)  # fmt: skip
    said = other.communicate()[1]
    assert other.returncode == 0, said
    assert {row["file"] for row in rows(project)} == {"a.log", "b.log"}
    assert [entry.name for entry in load_inputs(project.campaigns / "lab")] == ["a.log", "b.log"]
    rejects = (project.campaigns / "lab" / "rejects.tsv").read_text().splitlines()
    assert [line.partition("\t")[0] for line in rejects] == ["where", "a.log:10", "b.log:10"]


def test_a_campaign_keeps_its_bytes_whatever_was_ingested_in_between(project, tmp_path):
    logs = shutil.copytree(EXAMPLE, tmp_path / "logs")
    (logs / "machine" / "vmstat_1.txt").rename(logs / "jms" / "vmstat_1.txt")
    (logs / "jms" / "20_responders.log").unlink()
    ingest(project, logs)
    folder = project.campaigns / "lab"
    before = sha256_of_tree(folder)
    assert any(row["note"].startswith("joined by ") for row in rows(project))
    store = Store.opened(folder, DICTIONARY)
    assert not store.write(store.whole())
    for log in sorted((logs / "jms").glob("*")):  # in turn the last that was read
        content = log.read_bytes()
        log.write_bytes(content + b"strange\n")
        assert ingest(project, logs).changed
        log.write_bytes(content)
        ingest(project, logs)
        assert sha256_of_tree(folder) == before


def test_what_an_input_gave_before_is_replaced_whatever_other_inputs_are_named(project, tmp_path):
    logs = [tmp_path / "logs" / name for name in ("a.log", "a.log:3", "a.log:3.log", "a\tb.log")]
    logs[0].parent.mkdir()
    for log in logs:
        log.write_text("strange\n" + jms_run(2, [100] * 5) + "strange\n" * 10)
    ingest(project, tmp_path / "logs")
    before = sha256_of_tree(project.campaigns / "lab")
    for log in logs:
        assert not ingest(project, log).changed
    assert sha256_of_tree(project.campaigns / "lab") == before
    logs[0].write_text(jms_run(2, [100] * 5))
    ingest(project, logs[0])
    rejects = (project.campaigns / "lab" / "rejects.tsv").read_text().splitlines()
    assert [sum(line.startswith(f"{log.name}:") for line in rejects) for log in logs] == (
        [22, 11, 11, 11]
    )
    assert not any(line.startswith("a.log:1\t") for line in rejects)


def test_hidden_characters_of_names_are_kept_as_escapes(project, tmp_path):
    log = tmp_path / "logs" / "a\x1b[2J\u202eb.log"
    log.parent.mkdir()
    log.write_text("id=\x07p,rate=5.00,threads=1\n" * 9)
    ingest(project, log.parent)
    assert not ingest(project, log.parent).changed  # what was kept can be read
    (row,) = rows(project, quantity="rate")
    assert (row["file"], row["stream"]) == (r"a\x1b[2J\u202eb.log", r"\x07p")
    (entry,) = load_inputs(project.campaigns / "lab")
    assert (entry.name, entry.streams) == (row["file"], (row["stream"],))
    frame = load_observations(project).sql("SELECT value FROM observations")
    assert set(frame["value"]) >= {5.0}


def test_secrets_are_in_nothing_that_is_kept(project, tmp_path):
    text = "./cph -tc Requester -us fred -pw hunter2 -ms 10 -nt 1\nrate=5.00,threads=1\n"
    text += "strange line -pw hunter2\n-pw\nhunter2\n"
    (tmp_path / "a.log").write_text(text)
    done = CliRunner().invoke(
        app,
        ["--project", str(project.root), "ingest", str(tmp_path / "a.log"), "--campaign", "lab",
         "--rejects", str(tmp_path / "out" / "rejects.tsv"), "--format", "ndjson"],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    entry = json.loads(done.output.splitlines()[0])
    assert (entry["tool"], entry["lines"], entry["rejected"]) == ("mq-cph", 5, 3)
    everything = done.output.encode() + (tmp_path / "out" / "rejects.tsv").read_bytes()
    for path in (project.campaigns / "lab").rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            everything += zstandard.decompress(content) if path.suffix == ".zst" else content
    assert b"hunter2" not in everything
    assert b"fred" not in everything
    assert b"rate=5.00,threads=1" in everything


@pytest.mark.parametrize(("text", "status"), [("rate=5.00,threads=1\n", 0), ("prose\n", 1)])
def test_a_script_is_told_that_files_gave_no_point(project, tmp_path, text, status):
    (tmp_path / "a.log").write_text(text)
    done = CliRunner().invoke(app, ["--project", str(project.root), "ingest", str(tmp_path)])
    assert done.exit_code == status, done.output
    assert ("no points: " in done.output) == bool(status)


def test_a_measured_campaign_is_not_touched(project):
    folder = project.campaigns / "lab"
    folder.mkdir(parents=True)
    (folder / "manifest.yml").write_text("id: lab\nstate: complete\n")
    with pytest.raises(DataError, match="measured, not ingested"):
        ingest(project, EXAMPLE)
    with pytest.raises(ParameterError):
        ingest(project, EXAMPLE, campaign="../lab")


@pytest.mark.parametrize("before", [False, True])
def test_files_of_others_in_the_folder_are_never_removed(project, before):
    folder = project.campaigns / "lab"
    if before:
        ingest(project, EXAMPLE)
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "own.log"
    log.write_text(jms_run(1, [500] * 5))
    content = log.read_bytes()
    with pytest.raises(DataError, match=r"holds own\.log, which ingest did not write"):
        ingest(project, log)
    assert log.read_bytes() == content


def test_ingested_points_are_observations(project):
    outcome = ingest(project, EXAMPLE, campaign="example")
    # Only what was met is told.
    assert all(met.times for reading in outcome.readings for met in reading.entry.faults)
    observations = load_observations(project)
    assert observations.ingested_ids == ["example"]
    frame = observations.sql(
        "SELECT metric, statistic, requesters, message_bytes, tls_cipher, value FROM observations "
        "WHERE source_kind = 'ingested' AND statistic = 'peak' ORDER BY metric"
    )
    assert frame["metric"].tolist() == ["clients", "cpu", "round_trip_rate"]
    assert frame["value"].tolist() == [100, 10.32, 352.16]
    assert set(frame["requesters"]) == {100}
    assert set(frame["tls_cipher"]) == {"ECDHE_RSA_AES_128_CBC_SHA256"}


# --- inputs ----------------------------------------------------------------------------------------
def archive(kind: str, members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
            for name, content in members.items():
                made.writestr(name, content)
    else:
        with tarfile.open(fileobj=stream, mode="w:gz" if kind == "tar.gz" else "w") as made:
            for name, content in members.items():
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                made.addfile(entry, io.BytesIO(content))
    return stream.getvalue()


LOG = b"rate=5.00,threads=1\n" * 10


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_archives_are_read_and_never_unpacked(tmp_path, kind):
    members = {"logs/a.log": LOG, "../../evil.log": LOG, "/etc/evil.log": gzip.compress(LOG),
               "inner.zip": archive("zip", {"b.log": zstandard.compress(LOG)})}  # fmt: skip
    path = tmp_path / "in" / f"logs.{kind}"
    path.parent.mkdir()
    path.write_bytes(archive(kind, members))
    outcome = ingest_paths([path.parent], dictionary=DICTIONARY)
    assert [reading.entry.intervals for reading in outcome.readings] == [10] * 4
    assert [reading.entry.problem for reading in outcome.readings] == [None] * 4
    assert sorted(item.name for item in tmp_path.rglob("*")) == ["in", path.name]


@pytest.mark.slow
def test_bombs_and_damage_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(inputs, "FREE_BYTES", 1 << 20)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(bytes(600 << 20), 9))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(LOG * 1000)[:-40])
    (tmp_path / "cut.zip").write_bytes(archive("zip", {"a.log": LOG})[:60])
    (tmp_path / "deep.gz").write_bytes(_nested(9))
    outcome = ingest_paths([tmp_path], dictionary=DICTIONARY)
    problems = {one.entry.name: one.entry.problem for one in outcome.readings}
    assert "expands to more than" in problems["bomb"]
    assert "damaged" in problems["cut"]
    assert "damaged" in problems["cut.zip"]
    assert "nested" in next(text for name, text in problems.items() if name.startswith("deep"))


def _nested(depth: int) -> bytes:
    content = LOG
    for _ in range(depth):
        content = gzip.compress(content)
    return content


def test_links_out_of_the_folder_are_not_followed(tmp_path):
    (tmp_path / "secret.log").write_bytes(LOG)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link.log").symlink_to(tmp_path / "secret.log")
    with pytest.raises(DataError, match="holds no file to read"):
        ingest_paths([tmp_path / "in"], dictionary=DICTIONARY)


def test_a_log_larger_than_what_stays_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "_IN_MEMORY", 1000)
    drawn = np.random.default_rng(1)
    rates = drawn.integers(900, 1100, 20_000)
    text = "".join(f"rate={rate}.00,threads=8\n" for rate in rates)
    (tmp_path / "a.log").write_text("[Requester0] START\n" + text)
    project = copy_project(tmp_path / "project", ("_quarto.yml", "data/dictionary.yml"))
    ingest(project, tmp_path / "a.log")
    (row,) = rows(project, metric="round_trip_rate")
    assert row["value"] == pytest.approx(rates[1:].mean())
    assert row["low"] < rates.mean() < row["high"]


def test_a_full_disk_is_no_damage_of_the_log(project, tmp_path, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tables, "_IN_MEMORY", 10)
    monkeypatch.setattr(tables.pq, "write_table", full)
    (tmp_path / "a.log").write_text("rate=5.00,threads=1\n" * 9)
    with pytest.raises(RoundtripError, match="could not write: No space left"):
        ingest(project, tmp_path / "a.log")
    assert not (project.campaigns / "lab").exists()


def test_impossible_values_are_kept_as_printed_and_left_out_of_points(project, tmp_path):
    log = tmp_path / "logs" / "r.log"
    log.parent.mkdir()
    line = "rate=%s,total messages=1000,Snapshot period=10,threads=4\n"
    log.write_text("ControlThread1: START\n" + (line % "100.00") * 6
                   + line % "9200000000000000000.00" + (line % "100.00") * 4)  # fmt: skip
    outcome = ingest(project, log.parent)
    (reading,) = outcome.readings
    assert reading.as_dict()["faults"] == {"impossible": 1}
    (row,) = rows(project, quantity="rate", statistic="steady")
    assert row["value"] == 100
    assert row["status"] == "suspect"
    assert "cannot be" in row["note"]


@pytest.mark.parametrize("text", ["{}" + "x" * 140_000, "x" * 140_000 + "\n{}"])
def test_a_stored_field_that_is_too_long_is_refused(project, text):
    ingest(project, EXAMPLE)
    path = project.campaigns / "lab" / "ingested.csv"
    path.write_text(text.format(path.read_text()) + "\n")
    with pytest.raises(DataError, match="field larger than field limit"):
        ingest(project, EXAMPLE)


def test_readers_of_another_package_are_used_and_joined(project, tmp_path, monkeypatch):
    code = (ROOT / "docs" / "ingest.md").read_text("utf-8").split("```python\n")[1].split("```")[0]
    site = tmp_path / "site"
    (site / "acme_reader-1.dist-info").mkdir(parents=True)
    (site / "acme_reader.py").write_text(code)
    for driver, monitor in (
        ('"acme", "Acme Bench"', '"acme-top", "Acme Top"'), ("acme rate", "acme cpu"),
        ('"messages/s", "message_rate"', '"%", "cpu"'),
        ('drives = "as named"', 'ramps_up, watches = False, "machine"'),
    ):  # fmt: skip
        assert driver in code
        code = code.replace(driver, monitor)
    (site / "acme_top.py").write_text(code)
    about = site / "acme_reader-1.dist-info"
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-reader\nVersion: 1\n")
    (about / "entry_points.txt").write_text(
        "[roundtrip.readers]\nacme = acme_reader:Acme\ntop = acme_top:Acme\n"
    )
    monkeypatch.syspath_prepend(str(site))
    log = tmp_path / "logs" / "r.log"
    log.parent.mkdir()
    log.write_text("acme rate 1\n" + "acme rate 50\n" * 5 + "what\n")
    (log.parent / "top.txt").write_text("acme cpu 20\nacme cpu 40\n")
    entries = [reading.entry for reading in ingest(project, log.parent).readings]
    assert [(entry.tool, entry.intervals, entry.rejected) for entry in entries] == [
        ("acme", 6, 1), ("acme-top", 2, 0),
    ]  # fmt: skip
    (rate,) = rows(project, metric="message_rate")
    assert rate["value"] == 50
    cpu = {row["point"]: row["value"] for row in rows(project, metric="machine_cpu")}
    assert len(cpu) == 2  # the monitor's own point, and the load's
    assert cpu[rate["point"]] == 30


def test_a_fault_of_a_reader_is_not_told_as_damage_of_the_log(project, tmp_path, monkeypatch):
    def faulty(*_: object) -> None:
        raise ValueError("no such\x1b column")

    monkeypatch.setattr(MqCph, "read", faulty)
    (tmp_path / "a.log").write_bytes(LOG)
    with pytest.raises(RoundtripError) as caught:
        ingest(project, tmp_path / "a.log")
    assert str(caught.value).splitlines()[0] == (
        r"a.log: the reader mq-cph failed: ValueError: no such\x1b column"
    )
    assert "--debug" in caught.value.remedy
    assert not (project.campaigns / "lab").exists()


def test_a_disk_that_fails_is_told_of_the_log(tmp_path):
    class Failing(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer) -> int:
            raise OSError(errno.EIO, "Input/output error")

    found = read_input(Input("a.log", io.BufferedReader(Failing())), tmp_path, lambda _: None)
    assert found.problem == "damaged: Input/output error"


# --- values that were changed after they were read -------------------------------------------------
def test_values_that_were_changed_are_refused_and_do_not_follow_from_the_logs(project, tmp_path):
    logs = tmp_path / "logs"
    (logs / "part").mkdir(parents=True)
    (logs / "campaign.yml").write_text(
        'factors: {product: Acme}\nfiles:\n  - pattern: "part/{delivery}.log"\n'
    )
    (logs / "part" / "persistent.log").write_text(jms_run(4, [500, 1000, 1010, 990, 1000]))
    shutil.copytree(ROOT / "docs" / "examples" / "csv", tmp_path / "csv")
    ingest(project, logs / "part", tmp_path / "csv")
    folder = project.campaigns / "lab"
    names = {entry.name for entry in load_inputs(folder)}
    again = read_again(folder, DICTIONARY, names)
    assert (again.read, again.wrong, again.unchecked) == (2, [], [])
    points, manifest = folder / "ingested.csv", folder / "manifest.yml"
    told = points.read_text()
    points.write_text(
        told.replace(",persistent", ",nonpersistent", 1).replace(",1000,", ",9000,", 1)
    )
    with pytest.raises(DataError, match="was changed after it was ingested"):
        load_observations(project)
    # Who changes the hash too is found by reading the logs again.
    for before, after in ((sha256_of(told), sha256_of(points.read_text())),):
        manifest.write_text(manifest.read_text().replace(before, after))
    load_observations(project)
    wrong = read_again(folder, DICTIONARY, names).wrong
    assert any("value is 9000, by the logs 1000" in line for line in wrong)
    (raw,) = {entry.raw for entry in load_inputs(folder) if "log" in entry.name}
    (folder / raw).unlink()
    (left,) = read_again(folder, DICTIONARY, names).unchecked
    assert left == "persistent.log"
    (mapping,) = {entry.mapping for entry in load_inputs(folder) if entry.mapping}
    (folder / mapping).unlink()
    assert read_again(folder, DICTIONARY, names).unchecked == ["persistent.log", "results.csv"]


def test_a_kept_log_without_its_secrets_is_held_to_a_hash_too(project, tmp_path):
    log = tmp_path / "persistent.log"
    log.write_text("password=hunter2hunter2\n" + jms_run(4, [500, 1000, 1010, 990, 1000]))
    ingest(project, log)
    folder = project.campaigns / "lab"
    (entry,) = load_inputs(folder)
    raw = folder / entry.raw
    kept = zstandard.decompress(raw.read_bytes())
    assert b"hunter2" not in kept
    assert entry.sha256 == sha256_of(kept)
    assert read_again(folder, DICTIONARY, {entry.name}).wrong == []
    raw.write_bytes(zstandard.compress(kept.replace(b"password", b"Password", 1)))
    (wrong,) = read_again(folder, DICTIONARY, {entry.name}).wrong
    assert "is not what was read of" in wrong
    raw.write_bytes(zstandard.compress(archive("zip", {})))
    (wrong,) = read_again(folder, DICTIONARY, {entry.name}).wrong
    assert "is not what was read of" in wrong


# --- clocks without a zone -------------------------------------------------------------------------
SAR = "Linux 5.14.0 (lab) \t11/20/2026 \t_x86_64_\t(8 CPU)\n\n"
SAR += "09:00:00        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
FILE_STATS = "2026/11/20,%s:%02d:10,Threads,4,MsgRate,100.00\n"
STAMPED = "2026-11-20T%s:%02d:10Z rate=100.00,total messages=9,Snapshot period=10,threads=4\n"
LOCAL = "files: [{pattern: sar.txt, zone: Europe/Berlin}, {pattern: load.log, zone: UTC}]\n"


@pytest.mark.parametrize(
    ("load", "told", "cpu"),
    [
        (STAMPED, "", None), (STAMPED, "zone: Europe/Berlin\n", 80.0), (STAMPED, "zone: UTC\n", 20.0),
        (FILE_STATS, "", 20.0), (FILE_STATS, LOCAL, 80.0), (FILE_STATS, "zone: Asia/Tokyo\n", 20.0),
    ],
)  # fmt: skip
def test_clocks_without_a_zone_are_joined_with_their_like_or_by_the_zone_given(
    project, tmp_path, load, told, cpu
):
    row = "%s:%02d:40        all     %d.00      0.00      0.00      0.00      0.00     %d.00\n"
    sar = [
        row % (hour, minute, busy, 100 - busy)
        for hour, busy in (("09", 20), ("10", 80)) for minute in range(60)
    ]  # fmt: skip
    (tmp_path / "sar.txt").write_text(SAR + "".join(sar))
    (tmp_path / "load.log").write_text("".join(load % ("09", minute) for minute in range(60)))
    (tmp_path / "campaign.yml").write_text(told)
    said = ingest(project, tmp_path).as_text()
    assert any("times without a zone" in line for line in said) == (cpu is None)
    point = rows(project, tool="jmsperfharness")[0]["point"]
    joined = rows(project, point=point, metric="machine_cpu")
    assert [found["value"] for found in joined] == [cpu] * (cpu is not None)
    assert all(("without a zone" in found["note"]) == (not told) for found in joined)


def test_a_joined_value_that_was_moved_to_another_point_is_not_in_the_logs(project, tmp_path):
    for name, hour in (("a", "09"), ("b", "10")):
        text = "".join(STAMPED % (hour, minute) for minute in range(10))
        (tmp_path / f"{name}.log").write_text(text)
    monitor = VMSTAT + "".join(
        VM_ROW.replace("2024-05-01 10:00:%02d", "2026-11-20 %s:%02d:30") % (busy, 100 - busy, hour, m)
        for hour, busy in (("09", 20), ("10", 80)) for m in range(10)
    )  # fmt: skip
    (tmp_path / "vmstat.txt").write_text(monitor)
    ingest(project, tmp_path)
    folder = project.campaigns / "lab"
    points, manifest = folder / "ingested.csv", folder / "manifest.yml"
    names, told = {entry.name for entry in load_inputs(folder)}, points.read_text()
    assert read_again(folder, DICTIONARY, names).wrong == []
    lines = [line.split(",") for line in told.splitlines()]
    moved = [line for line in lines if line[1] == "vmstat.txt" and not line[0].startswith("vmstat")]
    assert len(moved) == 2
    moved[0][0], moved[1][0] = moved[1][0], moved[0][0]
    points.write_text("\n".join(",".join(line) for line in lines) + "\n")
    swapped = manifest.read_text().replace(sha256_of(told), sha256_of(points.read_text()))
    manifest.write_text(swapped)
    wrong = read_again(folder, DICTIONARY, names).wrong
    assert len(wrong) == 2
