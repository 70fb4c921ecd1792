"""How Roundtrip grows with workers and hosts, side by side in one run.

``benchmarks/scale.py [--gigabytes 0.25 ...] [--files 16 ...] [--chapters 20 ...] [--runs 0]
[--rows 0]``.

- So many logs of JMSPerfHarness of so many gigabytes together, grown from a real sample, are
  ingested into a new campaign by one process without Dask, by one worker and by two. What is kept
  must have the same hash. A single log is read in parts.
- So many small chapters, each with a table and a drawing, are run in kernels of this machine, one
  and two at a time, and by one and two workers. What is kept must have the same hash. Then a report
  of them is built whole, two at a time.
- So many million observations, each of those of a measured campaign as often as needed, are
  written as 64 sources. Then some points of one source are chosen, all of it is read, and a query
  counts in all of them.
- So many runs of the campaign ``base``, with the shortest times that it takes, are made on one
  host with all roles and on three, which are network namespaces of this machine.

Each figure comes from a process of its own, and of several rounds the best is printed: processor
time of all processes, peaks of memory, and times of a clock, in which other work counts. A table is
printed as soon as it is there, so that what is interrupted can be gone on with at the next size;
what it had written is removed, at the next call where it was killed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import yaml

from ingest import FORMATS, SAMPLES, grown
from roundtrip.cache import Cache
from roundtrip.campaign.manifest import load_manifest
from roundtrip.dictionary import load_dictionary
from roundtrip.files import sha256_of_json, sha256_of_tree, temporary_files
from roundtrip.hosts import chapters, reading
from roundtrip.hosts.workers import workers
from roundtrip.ingest.session import Spread, ingest_paths, one_by_one
from roundtrip.observations import Observations, load_observations
from roundtrip.partitions import Partition
from roundtrip.project import Project
from roundtrip.publish.chapters.execute import execute_all, plan_execution
from roundtrip.publish.manifest import input_hashes

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

HEAD = 64  # digits of the hash that what is kept begins with
SET = {"rate_unit": "round trips/s", "number_format": "1,234.5"}
Measured = dict[str, Any]


def own_costs() -> tuple[float, float]:
    """Give processor time in s, with ended children, and the peak of memory in MB of a process."""
    times = os.times()
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return times.user + times.system + times.children_user + times.children_system, peak


# --- ingest ---------------------------------------------------------------------------------------


def logs(folder: Path, gigabytes: float, count: int) -> None:
    """Write logs of which no two are alike: each is a line shorter than the one before."""
    content = grown(SAMPLES / FORMATS["jmsperfharness"], int(gigabytes * 1e9 / count), seed=1)
    for number in range(count):
        content = content[: content.rindex(b"\n", 0, -1) + 1]
        (folder / f"requesters{number:02}.log").write_bytes(content)


def ingested(source: Path, count: int) -> Measured:
    """Ingest logs into a new campaign with a number of workers; 0: without Dask."""
    with temporary_files() as folder, ExitStack() as stack:
        project = Project(folder / "project")
        began = time.perf_counter()
        client = stack.enter_context(workers(str(count))) if count else None
        before = sum(cpu for cpu, _ in client.run(own_costs).values()) if client else 0.0
        spread: Spread = reading.OverWorkers(client) if client else one_by_one
        started, cpu_started = time.perf_counter(), time.process_time()
        ingest_paths(
            [source], dictionary=load_dictionary(project.dictionary), project=project,
            campaign="scale", spread=spread,
        )  # fmt: skip
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu_started
        theirs = list(client.run(own_costs).values()) if client else []
        return {
            "start": started - began, "seconds": seconds, "peak": own_costs()[1],
            "cpu": cpu + sum(cpu for cpu, _ in theirs) - before, "home": cpu,
            "worker": max((peak for _, peak in theirs), default=float("nan")),
            "sha256": sha256_of_tree(project.campaigns),
        }  # fmt: skip


# --- chapters -------------------------------------------------------------------------------------


def book(folder: Path, count: int) -> None:
    """Make a project of so many chapters."""
    from workshop import peaks_chapter, small_project, write_notebook

    project = small_project(folder)
    names = [f"{number:03}-peaks" for number in range(1, count + 1)]
    for name in names:
        write_notebook(project, name, *(
            cell.replace("peaks}", f"{name}}}").replace("fig-rr", f"fig-{name}")
            if isinstance(cell, str) else
            (cell[0], cell[1].replace("tbl-peaks", f"tbl-{name}").replace("fig-rr", f"fig-{name}"))
            for cell in peaks_chapter()
        ))  # fmt: skip
    definition = yaml.safe_load(project.book.read_text("utf-8"))
    definition["book"]["chapters"] += [f"notebooks/{name}.ipynb" for name in names]
    project.book.write_text(yaml.safe_dump(definition), "utf-8")


def executed(source: Path, at_a_time: int, over: bool) -> Measured:
    """Run the chapters of a project that has run none, in kernels of this machine or by workers."""
    with temporary_files() as folder, ExitStack() as stack:
        project = Project(folder / "project")
        shutil.copytree(source, project.root)
        load_observations(project)  # which a build does at home
        sources = sorted(project.notebooks.glob("???-peaks.ipynb"))
        executions = [plan_execution(project, path, SET, "scale") for path in sources]
        began = time.perf_counter()
        client = stack.enter_context(workers(str(at_a_time))) if over else None
        started = time.perf_counter()
        if client is not None:
            run = chapters.OverWorkers(client)(project, (), input_hashes(project))
            at_once = chapters.OverWorkers(client).at_a_time
        else:
            run, at_once = None, at_a_time
        execute_all(executions, lambda _: None, run, at_once)
        seconds = time.perf_counter() - started
        # Python shows an object without a form of its own by its address.
        kept = [
            re.sub(" at 0x[0-9a-f]+", "", path.read_text("utf-8")[HEAD:])
            for path in sorted((project.cache / "executed").iterdir())
        ]
        return {"start": started - began, "seconds": seconds, "sha256": sha256_of_json(kept)}


def built(source: Path) -> Measured:
    """Build the whole report of a project, two chapters at a time."""
    with temporary_files() as folder:
        shutil.copytree(source, folder / "project")
        started = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "roundtrip", "--project", str(folder / "project"), "build",
             "--engine", "embedded", "--workers", "2"],
            check=True, capture_output=True,
        )  # fmt: skip
        return {"start": 0.0, "seconds": time.perf_counter() - started}


# --- observations ---------------------------------------------------------------------------------

SOURCES, AT_A_TIME = 64, 50_000
SOURCE = "campaign-07"


def observations_in(folder: Path, rows: int) -> None:
    """Write so many observations, each source in a Parquet file as a project has it."""
    every = load_observations(Project(ROOT)).table
    sample = every.filter(pc.field("source") == "base-quick")
    values = sample["value"].to_numpy()
    random = np.random.default_rng(1)
    for number in range(SOURCES):
        source, sink = f"campaign-{number:02}", pa.BufferOutputStream()
        with pq.ParquetWriter(sink, sample.schema, compression="zstd") as file:
            for first in range(0, rows // SOURCES, AT_A_TIME):
                at = np.arange(first, min(first + AT_A_TIME, rows // SOURCES))
                these = at * len(sample) // (rows // SOURCES)  # what belongs together stays so
                names = pc.binary_join_element_wise(
                    f"{source}/runs/", pa.array(at).cast("string"), ""
                )
                changed = {
                    "observation_id": names, "point_id": names,
                    "source": pa.array([source]).take(np.zeros(len(at), int)),
                    "value": values[these] * random.uniform(0.9, 1.1, len(at)),
                }  # fmt: skip
                part = sample.take(these)
                for name, column in changed.items():
                    place = part.schema.get_field_index(name)
                    part = part.set_column(place, part.schema.field(name), pa.array(column))
                file.write_table(part)
        Cache(folder).put("observations", source, sink.getvalue().to_pybytes())


def observed(folder: Path, way: str) -> Measured:
    """Read observations in one of three ways."""
    cache = Cache(folder)
    sources = sorted(path.name for path in (folder / "observations").iterdir())

    def content(source: str) -> memoryview:
        found = cache.mapped("observations", source)
        assert found is not None, f"{source} was not made"
        return found

    partitions = [Partition(source, partial(content, source)) for source in sources]
    observations = Observations(Project(ROOT), "scale", partitions)
    point = {"metric": "round_trip_rate", "statistic": "mean", "requesters": 16}
    count = "SELECT count(*) AS n FROM observations WHERE metric = 'round_trip_rate'"
    ways: dict[str, Callable[[], int]] = {
        "points of one source": lambda: len(observations.choose(source=SOURCE, **point)),
        "all of one source": lambda: len(observations.choose(source=SOURCE)),
        "a count in all": lambda: int(observations.sql(count)["n"][0]),
    }
    started, before = time.perf_counter(), own_costs()[0]
    rows = ways[way]()
    seconds, (cpu, peak) = time.perf_counter() - started, own_costs()
    return {"rows": rows, "seconds": seconds, "cpu": cpu - before, "peak": peak}


# --- campaigns ------------------------------------------------------------------------------------


def campaigned(folder: Path, runs: int, hosts: int) -> Measured:
    """Make runs of a campaign over one host or three; the first is not counted."""
    from campaigns import FAST, results, smoke_project
    from lab import ROLES, laboratory
    from roundtrip.setup.harness_build import JAR

    project = smoke_project(folder / "project", ROOT / JAR)
    keys = folder / "keys"
    keys.mkdir()
    with laboratory(keys, limit="") as lab:
        assert lab.apart, "no namespaces here"
        placed = {"qm1": list(ROLES.values())} if hosts == 1 else {k: [v] for k, v in ROLES.items()}
        for name in placed:
            (folder / name).mkdir()
        lab.name(project, **{
            name: lab.host(number, *roles, folder=str(folder / name))
            for number, (name, roles) in enumerate(placed.items())
        })  # fmt: skip
        words = ["-p", "scheduling_class", "normal", "-p", "delivery", "nonpersistent",
                 "-p", "requesters", json.dumps(list(range(1, runs + 1)))]  # fmt: skip
        started = time.perf_counter()
        subprocess.run(
            lab.command(project, "run", "base", "--hosts", "--profile", "smoke", *FAST, *words),
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        seconds = time.perf_counter() - started
    raw, manifest = results(project) / "raw", load_manifest(results(project))
    ends = sorted((raw / f"{one.run}.ndjson.zst").stat().st_mtime for one in manifest.runs)
    assert len(ends) == runs
    between = (ends[-1] - ends[0]) / (runs - 1)
    lost = len(manifest.failed)
    return {"start": seconds - between * runs, "seconds": between * runs, "lost": lost}


# --- side by side ---------------------------------------------------------------------------------

PARTS: dict[str, Callable[..., Measured]] = {
    "ingest": lambda folder, count: ingested(Path(folder), int(count)),
    "chapters": lambda folder, count, over: executed(Path(folder), int(count), over == "over"),
    "build": lambda folder: built(Path(folder)),
    "observations": lambda folder, way: observed(Path(folder), way),
    "campaign": lambda folder, runs, hosts: campaigned(Path(folder), int(runs), int(hosts)),
}


def best(rounds: int, part: str, *words: object) -> Measured:
    """Measure in processes of their own, and give the quickest round."""
    found = []
    for _ in range(rounds):
        command = [sys.executable, __file__, "--one", part, *map(str, words)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
        found.append(json.loads(done.stdout))
    return min(found, key=lambda one: float(one["seconds"]))


def show_ingest(gigabytes: float, files: int, rounds: int) -> None:
    with temporary_files() as whole:
        needed, free = 1.2 * gigabytes, shutil.disk_usage(whole).free / 1e9
        if needed > free:
            print(f"\n{gigabytes:g} GB of logs are left out: {whole} has {free:.0f} GB free")
            return
        (folder := whole / "logs").mkdir()
        logs(folder, gigabytes, files)
        size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
        found = {count: best(rounds, "ingest", folder, count) for count in (0, 1, 2)}
    assert len({one["sha256"] for one in found.values()}) == 1, "what is kept differs"
    print(f"\n{size:,.0f} MB of logs in {files} file{'s' * (files > 1)}, the same bytes kept")
    heads = ("MB/s", "ratio", "start s", "CPU s", "at home", "MB", "MB/worker")
    print(f"{'':<26}" + "".join(f"{head:>10}" for head in heads))
    for count, one in found.items():
        name = f"{count} worker{'s' * (count > 1)}" if count else "one process, no Dask"
        print(
            f"{name:<26}{size / one['seconds']:>10.1f}{found[0]['seconds'] / one['seconds']:>10.2f}"
            f"{one['start']:>10.1f}{one['cpu']:>10.1f}{one['home']:>10.1f}{one['peak']:>10.0f}"
            f"{one['worker']:>10.0f}"
        )


def show_chapters(count: int, rounds: int) -> None:
    with temporary_files() as folder:
        project = folder / "project"
        book(project, count)
        ways = [("here", 1), ("here", 2), ("over", 1), ("over", 2)]
        found = {way: best(rounds, "chapters", project, way[1], way[0]) for way in ways}
        whole = best(rounds, "build", project)
    assert len({one["sha256"] for one in found.values()}) == 1, "what is kept differs"
    print(f"\n{count} chapters, the same bytes kept")
    print(f"{'':<26}{'s':>8}{'chapters/s':>12}{'start s':>9}")
    for (where, number), one in found.items():
        name = (f"{number} worker{'s' * (number > 1)}" if where == "over" else
                f"{number} at a time, no Dask")  # fmt: skip
        rate = count / one["seconds"]
        print(f"{name:<26}{one['seconds']:>8.1f}{rate:>12.2f}{one['start']:>9.1f}")
    print(f"{'whole build, 2 at a time':<26}{whole['seconds']:>8.1f}")


def show_observations(millions: float, rounds: int) -> None:
    with temporary_files() as folder:
        started = time.perf_counter()
        observations_in(folder, int(millions * 1e6))
        seconds = time.perf_counter() - started
        size = sum(path.stat().st_size for path in (folder / "observations").iterdir()) / 1e6
        print(
            f"\n{millions:g} million observations in {SOURCES} sources, {size:,.0f} MB, written in "
            f"{seconds:.0f} s\n{'':<26}{'rows':>12}{'s':>8}{'CPU s':>8}{'MB':>8}"
        )
        for way in ("points of one source", "all of one source", "a count in all"):
            one = best(rounds, "observations", folder, way)
            print(
                f"{way:<26}{one['rows']:>12,}{one['seconds']:>8.2f}{one['cpu']:>8.2f}"
                f"{one['peak']:>8.0f}"
            )


def show_campaign(runs: int, rounds: int) -> None:
    print(f"\n{runs} runs of a campaign")
    heads = f"{'runs/hour':>10}{'s/run':>8}{'before and after s':>20}{'attempts lost':>15}"
    print(f"{'':<26}{heads}")
    for hosts in (1, 3):
        with temporary_files() as folder:
            one = best(rounds, "campaign", folder, runs, hosts)
        each = one["seconds"] / runs
        name = f"{hosts} namespace{'s' * (hosts > 1)}"
        print(
            f"{name:<26}{3600 / each:>10.0f}{each:>8.1f}{one['start']:>20.1f}{one['lost']:>15.0f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gigabytes", type=float, nargs="*", default=[0.25], help="0: no ingest")
    parser.add_argument("--files", type=int, nargs="*", default=[16])
    parser.add_argument("--chapters", type=int, nargs="*", default=[20], help="0: none")
    parser.add_argument("--runs", type=int, default=0, help="of a campaign; needs root and Java")
    parser.add_argument("--rows", type=float, default=0, help="millions of observations")
    parser.add_argument("--rounds", type=int, default=1, help="of which the best is printed")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    if options.one:
        part, *words = options.one
        print(json.dumps(PARTS[part](*words)))
        return
    for name in ("gigabytes", "files", "chapters", "runs", "rows", "rounds"):
        given, least = getattr(options, name), int(name in ("files", "rounds"))
        if any(one < least for one in (given if isinstance(given, list) else [given])):
            parser.error(f"argument --{name}: must be {least} or more")
    if options.runs == 1:
        parser.error("argument --runs: must be 2 or more, as the first is not counted, or 0")
    for gigabytes in filter(None, options.gigabytes):
        for files in options.files:
            show_ingest(gigabytes, files, options.rounds)
    for count in filter(None, options.chapters):
        show_chapters(count, options.rounds)
    if options.rows:
        show_observations(options.rows, options.rounds)
    if options.runs:
        show_campaign(options.runs, options.rounds)
    print(
        f"\nload of the machine at the end: {os.getloadavg()[1]:.1f} on {os.cpu_count()} processors"
    )


if __name__ == "__main__":
    main()
