"""How ingest grows with workers: ``python benchmarks/scale.py [--megabytes 480] [--rounds 2]``.

Sixteen logs of JMSPerfHarness are grown from a real sample, so long that none is kept as it is.
They are ingested into a new campaign by one process without Dask, by one worker and by two, in
turn, each time by a process of its own; what is kept must have the same hash. Printed are the best
of the rounds: the rate from the first file to the written campaign, how long the workers took to
start before that, processor time of all processes, and peaks of memory. Times are those of a
clock: other work counts.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from ingest import FORMATS, SAMPLES, grown
from roundtrip.dictionary import load_dictionary
from roundtrip.files import sha256_of_tree, temporary_files
from roundtrip.hosts.reading import OverWorkers
from roundtrip.hosts.workers import workers
from roundtrip.ingest.session import Spread, ingest_paths, one_by_one
from roundtrip.project import Project

FILES, WORKERS = 16, (0, 1, 2)


def own_costs() -> tuple[float, float]:
    """Give processor time in seconds and the peak of memory in MB of the process that calls it."""
    return time.process_time(), 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def measure(logs: Path, count: int) -> dict[str, float | str]:
    """Ingest logs into a new campaign with a number of workers; 0: without Dask."""
    with temporary_files() as folder, ExitStack() as stack:
        project = Project(folder / "project")
        began = time.perf_counter()
        client = stack.enter_context(workers(str(count))) if count else None
        before = sum(cpu for cpu, _ in client.run(own_costs).values()) if client else 0.0
        spread: Spread = OverWorkers(client) if client else one_by_one
        started, cpu_started = time.perf_counter(), time.process_time()
        outcome = ingest_paths(
            [logs], dictionary=load_dictionary(project.dictionary), project=project,
            campaign="scale", spread=spread,
        )  # fmt: skip
        seconds, (cpu, peak) = time.perf_counter() - started, own_costs()
        theirs = list(client.run(own_costs).values()) if client else []
        return {
            "start": started - began, "seconds": seconds, "peak": peak,
            "cpu": cpu - cpu_started + sum(cpu for cpu, _ in theirs) - before,
            "worker": max((peak for _, peak in theirs), default=float("nan")),
            "lines": sum(entry.lines for entry in outcome.entries),
            "sha256": sha256_of_tree(project.campaigns),
        }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=480)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--one", nargs=2, metavar=("LOGS", "WORKERS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(Path(options.one[0]), int(options.one[1]))))
        return
    with tempfile.TemporaryDirectory() as folder:
        size = options.megabytes * 10**6 // FILES
        content = grown(SAMPLES / FORMATS["jmsperfharness"], size, seed=1)
        for number in range(FILES):  # no two alike: each a line shorter than the one before
            content = content[: content.rindex(b"\n", 0, -1) + 1]
            (Path(folder) / f"requesters{number:02}.log").write_bytes(content)
        total = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e6
        found: dict[int, list[dict[str, float]]] = {count: [] for count in WORKERS}
        for _ in range(options.rounds):
            for count in WORKERS:
                done = subprocess.run(
                    [sys.executable, __file__, "--one", folder, str(count)],
                    check=True, stdout=subprocess.PIPE,
                )  # fmt: skip
                found[count].append(json.loads(done.stdout))
    kept = {(one["sha256"], one["lines"]) for ones in found.values() for one in ones}
    assert len(kept) == 1, "what is kept differs"
    print(f"{total:,.0f} MB in {FILES} files, {found[0][0]['lines']:,} lines, the same bytes kept")
    print(f"{'':<22}{'MB/s':>8}{'ratio':>8}{'start s':>9}{'CPU s':>8}{'MB':>7}{'MB/worker':>11}")
    alone = min(one["seconds"] for one in found[0])
    for count, ones in found.items():
        best = min(ones, key=lambda one: one["seconds"])
        name = f"{count} worker{'s' * (count > 1)}" if count else "one process, no Dask"
        print(
            f"{name:<22}{total / best['seconds']:>8.1f}{alone / best['seconds']:>8.2f}"
            f"{best['start']:>9.1f}{best['cpu']:>8.1f}"
            f"{max(one['peak'] for one in ones):>7.0f}{max(one['worker'] for one in ones):>11.0f}"
        )


if __name__ == "__main__":
    main()
