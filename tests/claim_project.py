"""A project with one report, whose claims a test writes."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from roundtrip.claims import Judged, load_ledger
from roundtrip.observations import load_observations
from roundtrip.project import Project
from workshop import ROOT, V94

CHAPTER = "30-nonpersistent"
CELL = f"{V94}/table-03/r1c1"
FILE = f"data/published/{V94}/claims.yml"
ERRATA = f"data/published/{V94}/errata.yml"
RATES = "metric = 'round_trip_rate' AND table_id = 'table-03'"


def one_report(target: Path) -> Project:
    """Copy what claims of the V9.4 report need, without its claims."""
    for name in ("_quarto.yml", "data/dictionary.yml"):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target / name)
    folder = f"data/published/{V94}"
    unwanted = shutil.ignore_patterns("claims.yml", "errata.yml")
    shutil.copytree(ROOT / folder, target / folder, ignore=unwanted)
    (target / "notebooks").mkdir()
    (target / "notebooks" / f"{CHAPTER}.ipynb").touch()
    return Project(target)


def claim(**changes: Any) -> dict[str, Any]:
    """Give an entry of ``claims.yml``; None takes a key away."""
    entry = {
        "id": "a-claim",
        "section": "3.1",
        "says": "It is so.",
        "kind": "value",
        "chapter": CHAPTER,
        "sql": f"SELECT value, [observation_id] AS cells FROM o WHERE {RATES} "
        "AND message_bytes = 2048",
        "expect": {"is": 370602},
        **changes,
    }
    return {key: value for key, value in entry.items() if value is not None}


def constant(value: float | str, **changes: Any) -> dict[str, Any]:
    """Give a claim whose SQL gives one number."""
    return claim(sql=f"SELECT {value} AS value, ['{CELL}'] AS cells", **changes)


def listed(values: dict[str, float], **changes: Any) -> dict[str, Any]:
    """Give a claim over several cases."""
    rows = ", ".join(f"('{item}', {value}::DOUBLE)" for item, value in values.items())
    sql = f"SELECT item, value, ['{CELL}'] AS cells FROM (VALUES {rows}) AS t(item, value)"
    return claim(**{"sql": sql, "each": "case", **changes})


def write_claims(project: Project, *entries: dict[str, Any]) -> None:
    (project.root / FILE).write_text(
        yaml.safe_dump({"claims": list(entries)}, sort_keys=False, width=10_000),
        encoding="utf-8",
    )


def judged(project: Project, *entries: dict[str, Any], **limits: Any) -> Sequence[Judged]:
    """Write claims and give them with their verdicts."""
    write_claims(project, *entries)
    return load_ledger(load_observations(project), limits or None).claims
