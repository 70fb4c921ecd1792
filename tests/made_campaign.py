"""A small campaign that keeps every rule of method, for tests to spoil in one place."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from roundtrip.campaign.derive import Summary, WholeRun
from roundtrip.errors import DataError
from roundtrip.files import sha256_of
from roundtrip.methodology import raw_checks, subject
from roundtrip.project import Project
from workshop import read_yaml, write_yaml

SAMPLE = Path(__file__).parent / "data" / "campaigns" / "base-quick" / "manifest.yml"
NAME = "made-full"
VALUES = {
    ("round_trip_rate", "mean"): 1000.0, ("round_trip_time", "mean"): 4.0,
    ("round_trip_time", "p50"): 3.0, ("round_trip_time", "p99"): 9.0,
    ("round_trip_time", "maximum"): 20.0, ("machine_cpu", "mean"): 50.0,
    ("broker_cpu", "mean"): 30.0, ("driver_cpu", "mean"): 15.0, ("broker_memory", "mean"): 300.0,
    ("disk_wait", "mean"): 1.0, ("disk_write_rate", "mean"): 0.0, ("network_rate", "mean"): 10.0,
    ("cpu_wait", "mean"): 1.0, ("cpu_steal", "mean"): 0.0, ("other_cpu", "mean"): 2.0,
    ("errors", "total"): 0.0, ("lost_replies", "total"): 0.0,
}  # fmt: skip
PLAN: dict[str, Any] = {
    "title": "Made", "question": "?", "factors": {"message_bytes": [256, 2048]},
    "control": {
        "says": "a larger message takes as long", "metric": "round_trip_time", "statistic": "p50",
        "of": {"message_bytes": 2048}, "base": {"message_bytes": 256}, "least_ratio": 0.9,
    },
}  # fmt: skip
"""Its plan, with a control that holds."""
NOISY = (("round_trip_rate", "mean"), ("round_trip_time", "p50"))
NOISE = (0.995, 1.0, 1.005, 1.001)
Row = dict[str, Any]
Spoil = Callable[[dict[str, Any], list[Row]], None]


def make_campaign(
    project: Project, spoil: Spoil | None = None, rates: Mapping[int, float] | None = None,
    factors: Mapping[str, Any] | None = None,
) -> Path:  # fmt: skip
    """Write the campaign: two sizes at a set rate, two runs each in two blocks.

    Parameters
    ----------
    project : Project
    spoil : callable, optional
        Changes manifest and rows of points before they are written.
    rates : mapping of int to float, optional
        Two message sizes with the rate of each in place of the usual ones.
    factors : mapping, optional
        Further factors of all runs, in their raw files too.
    """
    plan = project.params / "campaigns" / "made.yml"
    plan.parent.mkdir(parents=True, exist_ok=True)
    small, large = sorted(rates or PLAN["factors"]["message_bytes"])
    control = {**PLAN["control"], "of": {"message_bytes": large}, "base": {"message_bytes": small}}
    wanted = {**PLAN, "factors": {"message_bytes": [small, large]}, "control": control}
    write_yaml(plan, wanted)
    folder = project.campaigns / NAME
    (folder / "raw").mkdir(parents=True)
    manifest = read_yaml(SAMPLE)
    runs: list[Row] = []
    rows: list[Row] = []
    for repetition, noise in enumerate(NOISE, start=1):
        for size in (small, large) if repetition % 2 else (large, small):
            values = dict(VALUES)
            values["round_trip_rate", "mean"] = (rates or {}).get(size, 1000.0)
            run = f"nonpersistent-{size}b-c4-r{repetition}"
            measured = {
                " ".join(name): value * noise if name in NOISY else value
                for name, value in values.items()
            }
            of_run = {
                "delivery": "nonpersistent", "message_bytes": size, "requesters": 4,
                "target_rate": 1000.0, **(factors or {}),
            }  # fmt: skip
            about = {
                "repetition": repetition, "scheduling_class": "normal",
                "factors": {name: level for name, level in of_run.items() if level is not None},
            }  # fmt: skip
            raw = json.dumps([about, measured]).encode()
            (folder / "raw" / f"{run}.ndjson.zst").write_bytes(raw)
            runs.append({
                "run": run, "order": len(runs) + 1, "attempt": 1, "steady": True,
                "warm_up_s": 6.0, "settled_s": 2.0, "doubt": None,
                "noise": {"load": 0.1, "busy": 0.0, "steal": 0.0, "pressure": 0.0},
                "raw_sha256": sha256_of(raw),
            })  # fmt: skip
            for (metric, statistic), value in values.items():
                rows.append({
                    "run": run, "repetition": repetition, **of_run,
                    "scheduling_class": "normal", "metric": metric, "statistic": statistic,
                    "value": value * noise if (metric, statistic) in NOISY else value,
                })  # fmt: skip
    manifest |= {"broker_elsewhere": True, "id": NAME, "runs": runs, "failed": [], "left_out": []}
    manifest["plan"] |= {
        "name": "made", "profile": "full", "measure_seconds": 60.0, "control": control,
    }  # fmt: skip
    manifest["sessions"] = [
        {"started": f"2026-11-21T{hour}:00:00+00:00", "ended": f"2026-11-21T{hour}:10:00+00:00",
         "block": block}
        for block, hour in ((1, "06"), (2, "09"))
    ]  # fmt: skip
    manifest["host"]["frequency_governor"] = "performance"
    cells = sorted({run["run"].rpartition("-c")[0] for run in runs})
    manifest["configurations"] = [{"cells": cells, "effective": {"persistent": False}}]
    if spoil is not None:
        spoil(manifest, rows)
    write_yaml(folder / "manifest.yml", manifest)
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({**row, "value": f"{row['value']:.6g}"} for row in rows)
    (folder / "points.csv").write_text(stream.getvalue(), encoding="utf-8")
    return folder


def believe_made_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the review read the made raw files, which hold no account of their run."""
    monkeypatch.setattr(raw_checks, "summarise", _summarised)
    monkeypatch.setattr(raw_checks, "_noted_otherwise", lambda *_: [])
    monkeypatch.setattr(
        subject, "whole_run", lambda _: WholeRun(wrong=False, silent=(), read_back=True)
    )


def _summarised(path: Path) -> Summary:
    """Stand for `roundtrip.campaign.derive.summarise`."""
    try:
        run, found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise DataError("is damaged", where=path) from problem
    return Summary(run=run, values={tuple(name.split()): value for name, value in found.items()})
