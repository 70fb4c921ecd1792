"""The repository as git has it: fit to be cloned by anyone, on any machine."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BINARY = {".png", ".jpg", ".pdf", ".ttf", ".otf", ".woff", ".woff2", ".parquet", ".gz", ".zst"}
LARGEST = 2_000_000

# Put together here, so that this file does not hold what it forbids.
REGISTRIES = (
    ("pypi", "org"), ("pythonhosted", "org"), ("anaconda", "org"), ("npmjs", "org"),
    ("npmjs", "com"), ("jsdelivr", "net"), ("unpkg", "com"), ("cloudflare", "com"),
    ("maven", "org"), ("apache", "org/maven2"), ("golang", "org"), ("crates", "io"),
    ("pkg", "dev"), ("debian", "org"),
)  # fmt: skip
MACHINES = r"(?<![\w.~/*-])/(?:root|work|home/\w+|Users/\w+|opt/wheels)(?=/|\b)(?!\s*[|·])"


def tracked_files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def text_files() -> list[tuple[str, str]]:
    return [
        (path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
        for path in tracked_files()
        if path.suffix not in BINARY
    ]


def places(pattern: str) -> list[str]:
    """Where a pattern occurs, as ``file:line: match``."""
    return [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"
        for name, text in text_files()
        for match in re.finditer(pattern, text)
    ]


def test_no_package_registry_is_named() -> None:
    hosts = "|".join(re.escape(".".join(host)) for host in REGISTRIES)
    assert places(rf"(?i)\b(?:{hosts})\b") == []


def test_no_path_of_one_machine_is_named() -> None:
    assert places(MACHINES) == []


def test_locks_hold_no_download_addresses() -> None:
    locks = [(name, text) for name, text in text_files() if name.endswith((".lock", "lock.json"))]
    assert len(locks) >= 3
    assert [name for name, text in locks if re.search(r"\w+://|resolved\"|^-", text, re.M)] == []


def test_notebooks_hold_no_outputs() -> None:
    full = []
    for name, text in text_files():
        if name.endswith(".ipynb"):
            cells = json.loads(text)["cells"]
            full += [
                name
                for cell in cells
                if cell.get("outputs")
                or cell.get("execution_count")
                or "user_expressions" in cell["metadata"]
            ]
    assert sorted(set(full)) == [], "run 'make strip' before committing"


def test_nothing_built_is_committed() -> None:
    built = r"(^|/)(\.venv|\.venv-lab|\.cache|reports|__pycache__|\.ipynb_checkpoints)/|\.pyc$"
    names = [path.relative_to(ROOT).as_posix() for path in tracked_files()]
    assert [name for name in names if re.search(built, name)] == []


def test_no_file_is_large() -> None:
    assert [path.name for path in tracked_files() if path.stat().st_size > LARGEST] == []


def test_no_group_of_a_pattern_is_possessive() -> None:
    """Python before 3.11.5, such as Debian 12 has, matches them wrongly; atomic groups it does."""
    possessive = re.compile(r"\)(?:[*+?]|\{{1,2}\d*,?\d*\}{1,2})\+")
    assert possessive.search(r"(?:a|b){0,8}+")
    assert not possessive.search(r"(?>(?:a|b)*)\d++")
    for folder in ("src", "notebooks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            assert not possessive.search(path.read_text("utf-8")), path


def test_text_files_end_with_one_newline_and_have_no_merge_marks() -> None:
    for name, text in text_files():
        assert not re.search(r"^(<{7}|>{7}) ", text, re.MULTILINE), name
        as_written_by_a_tool = name.startswith("tests/data/") or name.endswith((".svg", ".ipynb"))
        if text and not as_written_by_a_tool:
            assert text.endswith("\n"), f"{name} does not end with a newline"


def test_links_between_documents_lead_somewhere() -> None:
    broken = []
    for name, text in text_files():
        if name.endswith(".md"):
            for target in re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", text):
                if not (ROOT / name).parent.joinpath(target).exists():
                    broken.append(f"{name}: {target}")
    assert broken == []


def test_mutants_that_are_excused_are_of_lines_that_are_there() -> None:
    excused = json.loads((ROOT / "tests" / "mutants.json").read_text(encoding="utf-8"))
    for key in excused:
        file, _, change = key.partition(": ")
        lines = {line.strip() for line in (ROOT / file).read_text(encoding="utf-8").splitlines()}
        ends = (found.start() for found in re.finditer(" -> ", change))
        assert any(change[:end] in lines for end in ends), key
