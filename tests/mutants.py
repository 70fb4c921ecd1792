"""Test the tests: change the code in one place at random, and see whether a test notices.

The mutants are those that ``draw_mutants.py`` wrote; each is tried with tests that reach its place.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import pytest

from draw_mutants import PACKAGE, PARTS, ROOT
from reached import Chosen, Reached, statement

OWN_PROCESS = ("checks", "src/roundtrip/checks/__init__.py", "finished = subprocess.run(")
"""A part that tests run in another process, too, where they reach this line."""

QUICK = "not (edition or broker or slow or thorough)"
SLOW = (
    "test_another_report.py", "test_checks.py", "test_checks_of_reports.py", "test_claims.py",
    "test_comparability.py", "test_data_ibm_mq_v10_ha.py", "test_data_mq_appliance_m2003.py",
    "test_data_mqseries_vs_msmq.py", "test_data_websphere_mq_v7_aix.py",
    "test_ingest_campaign.py", "test_ledgers.py", "test_published.py", "test_v94_data.py",
)  # fmt: skip
"""Files of tests that are tried although some are slow: they are the ones of their part."""

KEPT = ROOT / ".cache" / "mutants"

CPU_SECONDS = 300
"""A mutant that takes so much processor time has been noticed: it does not come to an end."""

ENDLESS = "endless"

MEMORY = 6 * 2**30
"""The same holds for one that takes so much memory (bytes)."""

TEST_SECONDS = 60
"""What the tests of one mutant may take together on the code as it is, its lines looked at.

One test of `checks` takes up to ten: with less, many a mutant of them is tried with a single one.
"""


def run(mutants: list[dict[str, str]]) -> None:
    """Run the tests on every mutant, in a copy of the checkout.

    What was found is kept: a mutant of a file that has not changed since is tried again only with
    tests that are new or have changed.
    """
    import duckdb  # noqa: F401 - what every run would import once more
    import hypothesis  # noqa: F401
    import pandas  # noqa: F401
    import pyarrow.csv  # noqa: F401
    import pydantic  # noqa: F401
    import scipy.stats  # noqa: F401

    accepted = json.loads((ROOT / "tests" / "mutants.json").read_text(encoding="utf-8"))
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        copy = Path(name)
        _copy_checkout(copy)
        tests = _reached_lines(copy)
        hashes = {file: _sha256(copy / file) for file in {t.partition("::")[0] for t in tests}}
        killers: set[str] = set()
        kept = KEPT / "fates.json"
        fates: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
        for number, mutant in enumerate(mutants, start=1):
            path = copy / mutant["file"]
            code = path.read_text(encoding="utf-8")
            old, new, line = _difference(code, mutant["code"])
            fate = fates.setdefault(
                hashlib.sha256(f"{code}\0{mutant['code']}".encode()).hexdigest(),
                {"passed": {}, "failed": ["", ""]},
            )
            by, of = fate["failed"]
            if by != ENDLESS and (not by or hashes.get(by.partition("::")[0]) != of):
                chosen = _tests_of(mutant["file"], code, line, tests)
                left = [t for t in chosen if fate["passed"].get(t) != hashes[t.partition("::")[0]]]
                _put(path, mutant["code"])
                passed, by = _outcome(left) if left else ([], "")
                _put(path, code)
                fate["passed"] |= {test: hashes[test.partition("::")[0]] for test in passed}
                fate["failed"] = [by, hashes.get(by.partition("::")[0], "")]
                _keep(kept, fates)
            key = f"{mutant['file']}: {old} -> {new}"
            end = "killed" if by else "reasoned" if key in accepted else "survived"
            counts[Path(mutant["file"]).parts[2], end] += 1
            if by:
                killers.add(by)
            else:
                tried = f"{len(fate['passed'])} tests"
                print(f"[{number}] {end} ({tried}) line {line} of {key}", flush=True)
        _, failed = _outcome(sorted(k for k in killers if k in tests))
        if failed:
            sys.exit(f"{failed} also fails on the code as it is:\n{_log()}")
    print(f"\n{'':10} killed  survived  survived with a reason")
    for part in sorted({part for part, _ in counts}):
        killed, lives, reasoned = (counts[part, f] for f in ("killed", "survived", "reasoned"))
        print(f"{part:10} {killed:6} {lives:9} {reasoned:7}")
    killed = sum(number for (_, fate), number in counts.items() if fate == "killed")
    print(f"{killed} of {len(mutants)} killed: {100 * killed / len(mutants):.1f} %")


def _copy_checkout(copy: Path) -> None:
    """Copy what git knows, and make it what is imported and run from now on."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for file in listed.stdout.decode().split("\0"):
        if file and (ROOT / file).is_file():
            (copy / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, copy / file)
    os.chdir(copy)
    os.environ["PYTHONPATH"] = str(copy / "src")
    others = (path for path in sys.path if not path.startswith(str(ROOT / "src")))
    sys.path[:] = [str(copy / "src"), *others]


def _pytest(
    arguments: list[str],
    plugin: Any,
    answer: Callable[[], Any],
    memory: int = resource.RLIM_INFINITY,
) -> Any:
    """Run tests in a fork, what they print kept in a file; None if they did not come to an end."""
    said = Path("mutant.json").absolute()
    said.unlink(missing_ok=True)
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        log = os.open("mutant.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
        status = pytest.main([*options, *arguments], plugins=[plugin])
        said.write_text(json.dumps([int(status), answer()]), encoding="utf-8")
        os._exit(0)
    try:
        os.waitpid(child, 0)
    except BaseException:  # nothing runs on when this is interrupted
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    return json.loads(said.read_text(encoding="utf-8")) if said.exists() else None


def _reached_lines(copy: Path) -> dict[str, dict[str, Any]]:
    """Give what each quick test reaches; kept for each file of tests until it or the code changes.

    Seconds are those of a run that looks at each line, which is slower.
    """
    kept = KEPT / "reached.json"
    known: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
    folders = [copy / PACKAGE / part for part in PARTS]
    code = "".join(_sha256(path) for folder in folders for path in sorted(folder.rglob("*.py")))
    tests: dict[str, dict[str, Any]] = {}
    for path in sorted((copy / "tests").glob("test_*.py")):
        key = hashlib.sha256(f"{code}{_sha256(path)}".encode()).hexdigest()
        if known.get(path.name, [""])[0] != key:
            reached = Reached(copy, folders)
            shutil.rmtree(copy / ".cache", ignore_errors=True)  # what is kept is not made
            marks = QUICK if path.name not in SLOW else QUICK.replace("slow or ", "")
            answer = _pytest(["-m", marks, f"tests/{path.name}"], reached, reached.found)
            print(f"what {path.name} reaches: {len(answer[1]) if answer else 0} tests", flush=True)
            known[path.name] = [key, answer[1] if answer else {}]
            _keep(kept, known)
        tests |= known[path.name][1]
    return tests


def _tests_of(file: str, code: str, line: int, tests: dict[str, dict[str, Any]]) -> list[str]:
    """Give tests that reach a place and little else, those of the quickest file first."""
    part, starts, start = OWN_PROCESS
    starts_at = 1 + Path(starts).read_text(encoding="utf-8").split(start)[0].count("\n")
    place = statement(code, line)

    files = {file}
    if place is None and not any(file in what["lines"] for what in tests.values()):
        name = f".{Path(file).stem} import"  # constants: whoever imports them
        others = Path(PACKAGE).rglob("*.py")
        files = {str(path) for path in others if name in path.read_text(encoding="utf-8")}

    def reaches(lines: dict[str, list[int]]) -> bool:
        if Path(file).parts[2] == part and starts_at in lines.get(starts, ()):
            return True
        if place is None:
            return not files.isdisjoint(lines)
        return any(number in place for number in lines.get(file, ()))

    def closeness(test: str) -> float:
        lines = tests[test]["lines"]
        return sum(len(lines.get(name, ())) for name in files) / sum(map(len, lines.values()))

    found = [test for test, what in tests.items() if reaches(what["lines"])]
    total = 0.0
    chosen: list[str] = []
    for test in sorted(found, key=closeness, reverse=True):
        if not chosen or total + tests[test]["seconds"] < TEST_SECONDS:
            total += tests[test]["seconds"]
            chosen.append(test)
    of_files: Counter[str] = Counter()
    for test in chosen:
        of_files[test.partition("::")[0]] += tests[test]["seconds"]
    return sorted(
        chosen, key=lambda test: (of_files[test.partition("::")[0]], test.partition("::")[0])
    )


def _put(path: Path, code: str) -> None:
    """Write code, and drop what it was compiled to, which may be as old and as long."""
    path.write_text(code, encoding="utf-8")
    Path(cache_from_source(path)).unlink(missing_ok=True)


def _outcome(tests: list[str]) -> tuple[list[str], str]:
    """Run tests until one fails; give those that passed, and the one that failed."""
    chosen = Chosen(tests)
    files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
    answer = _pytest(["-x", *files], chosen, lambda: [chosen.passed, chosen.failed], MEMORY)
    if answer is None:
        return [], ENDLESS
    status, (passed, failed) = answer
    return passed, failed or (f"{files[0]}::not even collected" if status else "")


def _keep(path: Path, found: dict[str, Any]) -> None:
    """Write what was found, whole or not at all."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(found), encoding="utf-8")
    new.replace(path)


def _log() -> str:
    return Path("mutant.log").read_text(encoding="utf-8", errors="replace")[-3000:]


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _difference(code: str, mutated: str) -> tuple[str, str, int]:
    """Give the first changed line, what it became, and its number."""
    pairs = zip(code.splitlines(), mutated.splitlines(), strict=False)
    for number, (old, new) in enumerate(pairs, start=1):
        if old != new:
            return old.strip(), new.strip(), number
    return "", "", 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as Ctrl-C: what is temporary goes
    run(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
