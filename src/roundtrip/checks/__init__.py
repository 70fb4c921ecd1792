"""Checks: expectation suites that every observation must satisfy before a report is built."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from roundtrip import errors
from roundtrip.cache import Cache
from roundtrip.checks.results import CheckResults, Failure, Outcome, SuiteResult
from roundtrip.checks.suites import load_suites
from roundtrip.errors import CheckError
from roundtrip.files import sha256_of, sha256_of_tree
from roundtrip.observations import Observations
from roundtrip.project import Project
from roundtrip.versions import computing

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CheckResults", "Failure", "Outcome", "SuiteResult", "checks_key", "run_checks"]


def run_checks(project: Project, observations: Observations) -> CheckResults:
    """Run every suite, or give the stored results when nothing they depend on changed.

    Returns
    -------
    CheckResults
        Failed rules are in it, not raised: see `CheckResults.raise_if_failed`.

    Raises
    ------
    CheckError
        If a suite is malformed or names what does not exist.
    SetupError
        If Great Expectations is not installed.
    """
    load_suites(project)

    def run() -> str:
        suites = _run_in_own_process(project, observations.table)
        return json.dumps({"fingerprint": observations.fingerprint, "suites": suites})

    # A chapter may ask while the build has them run.
    cache, key = Cache(project.cache), checks_key(project, observations)
    return CheckResults.from_json(cache.text_once("checks", key, run))


def checks_key(project: Project, observations: Observations) -> str:
    """Hash everything that the results depend on: observations, suites, code."""
    suites = sha256_of_tree(project.checks, pattern="*.json")
    return sha256_of(f"{observations.fingerprint}\n{suites}\n{computing()}")[:16]


def _run_in_own_process(project: Project, table: pa.Table) -> list[object]:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
        stream.write_table(table)
    finished = subprocess.run(
        # -P: a module that lies in the current folder, such as that of a packet, is not run.
        [sys.executable, "-P", "-m", "roundtrip.checks.run", str(project.root)],
        input=memoryview(sink.getvalue()),
        capture_output=True,
        check=False,
    )
    try:
        answer = json.loads(finished.stdout)
    except ValueError as problem:
        said = finished.stderr.decode(errors="replace").strip().splitlines()
        raise CheckError(
            f"the checks did not run to their end (status {finished.returncode})"
            + (f": {said[-1]}" if said else ""),
            where=project.checks,
            remedy="run 'roundtrip doctor'; with too little memory, close other programs",
        ) from problem
    if "error" in answer:
        kind = getattr(errors, answer.pop("error"))
        raise kind(answer.pop("what"), **answer)
    suites: list[object] = answer["suites"]
    return suites
