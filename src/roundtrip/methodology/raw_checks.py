"""Checks that rest on a campaign's raw files.

They are unchanged, tell of no loss and of one configuration, and all values follow from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from roundtrip.campaign.derive import Summary, host_and_port, summarise
from roundtrip.campaign.manifest import Manifest, RunEntry
from roundtrip.campaign.names import RunName
from roundtrip.campaign.plan import written
from roundtrip.campaign.products import stated
from roundtrip.campaign.results import entry_of, lasting, rows_of_run
from roundtrip.csvfile import plain_records
from roundtrip.errors import DataError
from roundtrip.files import sha256_of
from roundtrip.ingest.again import read_again
from roundtrip.methodology.generic_checks import few
from roundtrip.methodology.subject import (
    Campaign,
    Finding,
    fails,
    not_applicable,
    not_assessable,
    passes,
)
from roundtrip.project import INGESTED, MANIFEST, POINTS

_BREAKS = ("failover",)
"""Courses that lose a broker on purpose."""
_COUNTED = ("errors", "lost_replies")
"""What the drivers of every run count; mirrors have more to account for."""
_COUNTERS = (*_COUNTED, "messages_missing", "messages_doubled")
_OF_A_RUN = ("announced", "announced_port", "host", "url")
"""What brokers tell beside their settings: addresses of the run, a backup's state just then."""


def raw_unchanged(campaign: Campaign) -> Finding:
    """Check that every run has its raw file, with the hash noted when it was measured.

    What was ingested has its logs instead.
    """
    if campaign.ingested:
        return _logs_unchanged(campaign)
    where, raw = campaign.raw, campaign.folder / "raw"
    runs = campaign.runs
    if campaign.altered:
        names = [name.rpartition("/")[2] for name in campaign.altered]
        told = f"changed after the measurement: {len(names)} of {len(runs)} raw files"
        return fails(few(names, told), *campaign.altered)
    lacking = [run.run for run in runs if not (raw / run.raw).is_file()]
    if lacking:
        told = f"the raw files of {len(lacking)} of {len(runs)} runs are not here: put them back"
        return not_assessable(few(lacking, told), where)
    unhashed = [run.run for run in runs if run.raw_sha256 is None]
    if unhashed:
        return not_assessable(
            f"the manifest has no hash of {len(unhashed)} raw files: measure again", campaign.place
        )
    return passes(f"{len(runs)} raw files have the hash of the manifest", where, campaign.place)


def _logs_unchanged(campaign: Campaign) -> Finding:
    where, every = campaign.raw, len(campaign.logs)
    for kept, judge, told in (
        (False, fails, "are not what was read"),
        (None, not_assessable, "are not kept"),
    ):
        if names := [name for name, same in campaign.logs.items() if same is kept]:
            return judge(few(names, f"{len(names)} of {every} logs {told}"), where)
    return passes(f"kept logs with the hash of the manifest: {every}", where, campaign.place)


def accounted(campaign: Campaign) -> Finding:
    """Check that no message was lost, wrong or duplicated and no error seen, in all of every run.

    What was measured of a run has counts of its measured part and of what crossed a mirror; its
    raw file has the account that every driver gave of the whole run, warm-up included.
    """
    course, where = campaign.manifest.plan.course, campaign.points
    if course in _BREAKS:
        return not_applicable(f"the course '{course}' breaks the broker on purpose", campaign.place)
    values = campaign.values
    counts = values[values["metric"].isin(_COUNTERS)]
    wrong = {*counts.loc[counts["value"] > 0, "row_label"]}
    runs = {*values["row_label"]}
    whole = campaign.whole_runs
    wrong |= {name for name, run in whole.items() if run.wrong}
    if wrong:
        told = f"{len(wrong)} of {len(runs)} runs lost or duplicated messages, or saw errors"
        return fails(few(sorted(wrong), told), where, campaign.raw)
    silent = [f"{name}, {run.silent[0]}" for name, run in whole.items() if run.silent]
    if silent:
        told = f"in {len(silent)} of {len(runs)} runs a driver gave no account of the whole run"
        return not_assessable(few(silent, told), campaign.raw)
    for metric in _COUNTED:
        silent = sorted(runs - {*counts.loc[counts["metric"] == metric, "row_label"]})
        if silent:
            told = f"{len(silent)} of {len(runs)} runs do not count {metric.replace('_', ' ')}"
            return not_assessable(few(silent, told), where)
    told = f"{len(runs)} runs without a lost message or an error, warm-up included"
    return passes(told, where, campaign.raw)


def effective(campaign: Campaign) -> Finding:
    """Check that the configuration in effect was read back for every run, one per combination."""
    where = f"{campaign.place}: configurations"
    manifest = campaign.manifest
    known: dict[str, list[dict[str, Any]]] = {}
    for each in manifest.configurations:
        found = _settings(each.effective)
        for combination in each.cells:
            if found and found not in known.setdefault(combination, []):
                known[combination].append(found)
    ran = {RunName.parse(run.run).combination for run in manifest.runs}
    lacking = sorted(ran - {*known})
    if lacking:
        return fails(few(lacking, f"not read back for {len(lacking)} of {len(ran)}"), where)
    silent = [name for name, run in campaign.whole_runs.items() if not run.read_back]
    if silent:
        told = f"not read back for {len(silent)} of {len(manifest.runs)} runs"
        return fails(few(silent, told), campaign.raw)
    several = sorted(combination for combination, ways in known.items() if len(ways) > 1)
    if several:
        told = f"{len(several)} of {len(ran)} combinations ran with different configurations"
        return fails(few(several, told), where)
    told = f"read back for all {len(manifest.runs)} runs of {len(ran)} combinations"
    return passes(told, where, campaign.raw)


def _settings(told: Any) -> Any:
    """Leave out of what a broker told what is of a single run."""
    if isinstance(told, Mapping):
        return {name: _settings(one) for name, one in told.items() if name not in _OF_A_RUN}
    return [_settings(one) for one in told] if isinstance(told, list) else told


def derived(campaign: Campaign, *, runs: float) -> Finding:
    """Check that points and marks of some runs follow from their raw files, value by value."""
    points = campaign.points
    if campaign.ingested:
        return _derived_from_logs(campaign, int(runs))
    manifest = campaign.manifest
    campaign.observed()  # lacking where it has no points
    files = (campaign.folder / name for name in (POINTS, MANIFEST))
    content = "".join(sha256_of(file.read_bytes()) for file in files)
    # Which runs are computed again changes with every change of the points or the manifest.
    every = sorted(campaign.runs, key=lambda run: sha256_of(content + run.run))
    chosen = every[: int(runs)]
    kept = rows_by_run(campaign.folder)
    for entry in chosen:
        summary = campaign.from_raw(entry, summarise, points)
        wrong = not_from_raw(entry, kept.get(entry.run, []), summary, manifest)
        if wrong:
            return fails(few(wrong, f"{entry.run} does not follow from its raw file"), points)
    return passes(
        f"{len(chosen)} of {len(every)} runs were recomputed, with the same values", points,
        *(f"{campaign.raw}/{entry.raw}" for entry in chosen),
    )  # fmt: skip


def _derived_from_logs(campaign: Campaign, count: int) -> Finding:
    content = sha256_of((campaign.folder / INGESTED).read_bytes())
    chosen = sorted(campaign.logs, key=lambda name: sha256_of(content + name))[:count]
    try:
        again = read_again(campaign.folder, campaign.observations.dictionary, chosen)
    except DataError as problem:  # readers and the dictionary may have changed since
        said = f"its logs cannot be read as they were ({problem.what}): ingest them again"
        return not_assessable(said, campaign.raw)
    if again.wrong:
        told = f"differences from its logs: {len(again.wrong)}"
        return fails(few(again.wrong, told), campaign.points)
    if again.unchecked:
        return not_assessable(few(again.unchecked, "logs that are not kept whole"), campaign.raw)
    told = f"{again.read} of {len(campaign.logs)} logs were read again, with the same points"
    return passes(told, campaign.points, campaign.raw)


def rows_by_run(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Read the points of a campaign, as they are written, by run."""
    rows: dict[str, list[dict[str, str]]] = {}
    for _, row in plain_records(folder / POINTS, ("run", "metric", "statistic", "value")):
        rows.setdefault(row["run"], []).append(row)
    return rows


def not_from_raw(
    entry: RunEntry, rows: Sequence[Mapping[str, str]], summary: Summary, manifest: Manifest
) -> list[str]:
    """Name what points and manifest say of a run, and its raw file does not.

    Parameters
    ----------
    rows : sequence of mapping
        The run's points, from `rows_by_run`.
    """
    if not rows:
        return ["it has no points"]
    try:
        expected = {_name(row): row for row in rows_of_run(entry.run, summary, list(rows[0]))}
        noted = _noted_otherwise(entry, summary, manifest)
    except (LookupError, TypeError, ValueError):  # anybody may have written the raw file
        return ["what the raw file says of its run"]
    kept = {_name(row): row for row in rows}
    wrong = [f"{name} is {row['value']}, not left out"
             for name, row in expected.items() if name not in kept]  # fmt: skip
    times = Counter(map(_name, rows))
    wrong += [f"{name} stands there {count} times" for name, count in times.items() if count > 1]
    for name, row in kept.items():
        if name not in expected:
            wrong.append(f"{name} is not in it")
            continue
        wrong += [f"{name if column == 'value' else column} is {again}, not {row[column]}"
                  for column, again in expected[name].items() if row[column] != again]  # fmt: skip
    return [*dict.fromkeys(wrong), *noted]


def _noted_otherwise(entry: RunEntry, summary: Summary, manifest: Manifest) -> list[str]:
    """Name what the manifest says of a run: its marks, when it ran, on which broker, set how."""
    plan, run = manifest.plan, summary.run
    again = entry_of(entry.run, summary, plan, entry.raw_sha256)
    said = {name: (getattr(again, name), getattr(entry, name)) for name in RunEntry.model_fields}
    said |= {
        name: (run.get(name, noted), noted)
        for name, noted in (("broker", manifest.broker), ("course", plan.course),
                            ("restarted", manifest.broker_restarted))
    }  # fmt: skip
    if factor := plan.factor_of_brokers:
        level = written(run["factors"][factor])
        place = host_and_port((plan.set_by[factor].broker_url or {}).get(level, ""))
        said[f"the broker of {factor} {level}"] = (", ".join(sorted(summary.reached)), place)
    wrong = [f"{name} is {told}, not {noted}" for name, (told, noted) in said.items()
             if told != noted]  # fmt: skip
    block = manifest.places[entry.run][1]
    if not any(one.block == block and one.holds(summary.began, summary.ended)
               for one in manifest.sessions):  # fmt: skip
        began = datetime.fromtimestamp(summary.began, UTC).isoformat(timespec="seconds")
        wrong.append(f"it began at {began}, in no session of block {block}")
    combination, effective = RunName.parse(entry.run).combination, lasting(summary.effective)
    known = [one.effective for one in manifest.configurations if combination in one.cells]
    if effective and effective not in known:
        wrong.append("what its broker said was in effect is not among the configurations")
    tested = f"{manifest.product} {manifest.product_version}"
    wrong += [f"its broker was {one}, not {tested}" for one in stated(summary.effective) or ()
              if f" {one} " not in f" {tested} "]  # fmt: skip
    return wrong


def _name(row: Mapping[str, str]) -> str:
    return " ".join(filter(None, (row["metric"], row["statistic"], row.get("interval"))))
