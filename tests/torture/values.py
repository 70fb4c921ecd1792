"""A wrong value, key or type in a file of the project: it is refused in words, or built."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import yaml

from roundtrip.publish.manifest import input_files
from torture.grounds import BUILD, Grounds, run
from workshop import refused

VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1.5, 10**30, 10**400, float("nan"), float("inf"), "", " ", "x", "x" * 5000,
    "../../etc/passwd", "=1+1", "2026-13-45", [], [[]], [None], {}, {"a": {}}, {1: 2},
)  # fmt: skip
TAGGED = (
    "&a [*a]", "&a {b: *a}", "!!int x", "!!float x", "!!bool maybe", "!!timestamp x", "!!binary a",
    "!!python/object:os.system x", "0x_", "9" * 5000, "{? [1]: 2}", "{<<: [1]}", "'unclosed", "*b",
    "[" * 3000,
)  # fmt: skip
"""YAML that no dump writes."""
CELLS = (
    "", "x", "-1", "nan", "inf", "1e999", "9" * 5000, "²", "1,5", "x" * 200_000, "\0", "\x1b[2J",
    'a"b', "a\nb", "true",
)  # fmt: skip


def values(grounds: Grounds, place: Path, chance: Random) -> str:
    """Spoil one value of a file that a report is built from; no try ends in a fault of ours."""
    project = grounds.project(place)
    files = [
        path
        for path in input_files(project).values()
        if path.suffix in (".yml", ".json", ".csv") and path.is_relative_to(project.root)
    ]
    files += [project.params / "report.yml", project.params / "parameters.yml"]
    path = chance.choice(sorted(files))
    path.write_bytes(spoilt(path, chance))
    done = run(project, *BUILD)
    if done.returncode == 0:
        return "built"
    assert "error: unexpected " not in refused(done), done.stderr
    return "refused"


def spoilt(path: Path, chance: Random) -> bytes:
    """Give the content of a file with one wrong value, key or type, or one byte too many."""
    content = path.read_bytes()
    if chance.random() < 0.05:
        at = chance.randrange(len(content) + 1)
        return content[:at] + chance.choice((b"\xff", b"\0", b"\r", b'"')) + content[at:]
    if path.suffix == ".csv":
        return _spoilt_rows(content.decode(), chance).encode()
    if path.suffix == ".json":
        return json.dumps(_spoilt_tree(json.loads(content), chance)).encode()
    lines = content.decode().split("\n")
    keyed = [number for number, line in enumerate(lines) if ": " in line]
    if keyed and chance.random() < 0.2:
        number = chance.choice(keyed)
        lines[number] = f"{lines[number].partition(': ')[0]}: {chance.choice(TAGGED)}"
        return "\n".join(lines).encode()
    tree = _spoilt_tree(yaml.safe_load(content), chance)
    return yaml.safe_dump(tree, allow_unicode=True, sort_keys=False).encode()


def _spoilt_tree(tree: Any, chance: Random) -> Any:
    holders = list(_holders(tree))
    if not holders or chance.random() < 0.02:
        return chance.choice(VALUES)
    holder, key = chance.choice(holders)
    match chance.choice(("set", "set", "set", "remove", "name", "add")):
        case "remove":
            del holder[key]
        case "name" if isinstance(holder, dict):
            holder[chance.choice((f"{key}x", 1, None, True))] = holder.pop(key)
        case "add" if isinstance(holder, list):
            holder.append(holder[key])
        case _:
            holder[key] = chance.choice(VALUES)
    return tree


def _holders(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Give each mapping and list with each of its keys and places."""
    if isinstance(tree, (dict, list)):
        for key in tree if isinstance(tree, dict) else range(len(tree)):
            yield tree, key
            yield from _holders(tree[key])


def _spoilt_rows(text: str, chance: Random) -> str:
    rows = list(csv.reader(io.StringIO(text, newline="")))
    row = chance.choice((rows[0], chance.choice(rows)))
    at = chance.randrange(len(row))
    match chance.choice(("set", "set", "remove", "add", "row")):
        case "remove":
            del row[at]
        case "add":
            row.insert(at, "x")
        case "row":
            rows.append(list(row))
        case _:
            row[at] = chance.choice(CELLS)
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()
