"""Test the tests: change the code in one place at random, and see whether a test notices.

``mutants.py draw`` (in an environment with cosmic-ray) writes mutants as JSON, ``mutants.py run``
(in that of the tests) runs the tests that cover each changed module, and prints who survived.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "src/roundtrip"
COVERED = {
    "stats": ("test_stats.py",),
    "claims": ("test_claims.py", "test_claims_of_v94_and_appliance.py"),
    "checks": ("test_checks.py", "test_checks_of_reports.py"),
    "sources": (
        "test_printed_values.py",
        "test_published.py",
        "test_figures.py",
        "test_v94_data.py",
    ),
    "ingest": ("test_ingest_readers.py", "test_ingest_robust.py"),
}
"""Parts of the package, and the quick tests that cover them, the quickest first."""

CPU_SECONDS = 300
"""A mutant that takes so much processor time has been noticed: it does not come to an end."""


def draw(count: int, seed: int, parts: list[str]) -> list[dict[str, str]]:
    """Draw mutants at random, each place of the code as likely as another."""
    from cosmic_ray.ast import get_ast
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    places = []
    for part in parts:
        for path in sorted((ROOT / PACKAGE / part).rglob("*.py")):
            code = path.read_text(encoding="utf-8")
            tree = get_ast(code)
            for name in sorted(operator_names()):
                if "ariable" in name or name == "core/NoOp":
                    continue  # they need to be told which variable
                found = sum(len(list(get_operator(name)().mutation_positions(node)))
                            for node in _nodes(tree))  # fmt: skip
                places += [(path, code, name, occurrence) for occurrence in range(found)]
    drawn: list[dict[str, str]] = []
    random.Random(seed).shuffle(places)
    for path, code, name, occurrence in places:
        if len(drawn) == count:
            break
        mutated = mutate_code(code, get_operator(name)(), occurrence)
        if mutated is not None and not _does_the_same(code, mutated):
            file = path.relative_to(ROOT).as_posix()
            drawn.append({"file": file, "operator": name, "code": mutated})
    return drawn


def _nodes(tree: Any) -> Any:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(getattr(node, "children", ()))


def _does_the_same(code: str, mutated: str) -> bool:
    """Say whether nothing differs but types of signatures, which nothing looks at."""
    try:
        trees = [ast.parse(text) for text in (code, mutated)]
    except SyntaxError:
        return True  # it would not even be imported
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.arg):
                node.annotation = None
            elif isinstance(node, ast.FunctionDef):
                node.returns = None
    return ast.dump(trees[0]) == ast.dump(trees[1])


def run(mutants: list[dict[str, str]]) -> int:
    """Run the tests on every mutant, in a copy of the checkout; give how many survived."""
    import duckdb  # noqa: F401 - what every run would import once more
    import hypothesis  # noqa: F401
    import pandas  # noqa: F401
    import pyarrow.csv  # noqa: F401
    import pydantic  # noqa: F401
    import pytest
    import scipy.stats  # noqa: F401

    accepted = json.loads((ROOT / "tests" / "mutants.json").read_text(encoding="utf-8"))
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        copy = Path(name)
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True
        )
        for file in listed.stdout.decode().split("\0"):
            if file and (ROOT / file).is_file():
                (copy / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / file, copy / file)
        os.chdir(copy)
        os.environ |= {"PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
        sys.dont_write_bytecode = True
        sys.path[:] = [
            str(copy / "src"),
            *(p for p in sys.path if not p.startswith(str(ROOT / "src"))),
        ]

        def passes(part: str) -> bool:
            """Run the tests of a part in a fork; what they print stays in a file."""
            child = os.fork()
            if not child:
                resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
                log = os.open("mutant.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(log, 1)
                os.dup2(log, 2)
                options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
                quick = ["-m", "not (edition or broker or slow or thorough)"]
                status = pytest.main([*options, *quick, *(f"tests/{t}" for t in COVERED[part])])
                os._exit(int(status))
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

        for part in dict.fromkeys(Path(mutant["file"]).parts[2] for mutant in mutants):
            if not passes(part):
                print(Path("mutant.log").read_text(encoding="utf-8", errors="replace")[-3000:])
                sys.exit(f"the tests of {part} fail on the code as it is")
        for number, mutant in enumerate(mutants, start=1):
            part = Path(mutant["file"]).parts[2]
            path = copy / mutant["file"]
            code = path.read_text(encoding="utf-8")
            path.write_text(mutant["code"], encoding="utf-8")
            survived = passes(part)
            path.write_text(code, encoding="utf-8")
            old, new, line = _difference(code, mutant["code"])
            key = f"{mutant['file']}: {old} -> {new}"
            fate = "killed" if not survived else "reasoned" if key in accepted else "survived"
            counts[part, fate] += 1
            if fate == "survived":
                print(f"[{number}] line {line} of {key}", flush=True)
    print(f"\n{'':10} killed  survived  survived with a reason")
    for part in sorted({part for part, _ in counts}):
        killed, lives, reasoned = (counts[part, f] for f in ("killed", "survived", "reasoned"))
        print(f"{part:10} {killed:6} {lives:9} {reasoned:7}")
    killed = sum(number for (_, fate), number in counts.items() if fate == "killed")
    print(f"{killed} of {len(mutants)} killed: {100 * killed / len(mutants):.1f} %")
    return sum(number for (_, fate), number in counts.items() if fate == "survived")


def _difference(code: str, mutated: str) -> tuple[str, str, int]:
    """Give the first changed line, what it became, and its number."""
    pairs = zip(code.splitlines(), mutated.splitlines(), strict=False)
    for number, (old, new) in enumerate(pairs, start=1):
        if old != new:
            return old.strip(), new.strip(), number
    return "", "", 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("step", choices=("draw", "run"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--parts", nargs="+", choices=list(COVERED), default=list(COVERED))
    given = parser.parse_args()
    if given.step == "draw":
        drawn = draw(given.count, given.seed, given.parts)
        given.file.write_text(json.dumps(drawn), encoding="utf-8")
    else:
        run(json.loads(given.file.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
