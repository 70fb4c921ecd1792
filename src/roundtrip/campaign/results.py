"""What a campaign's raw files come to: its points, and the manifest's account of the runs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from roundtrip.campaign.derive import Summary, summarise
from roundtrip.campaign.folder import Folder
from roundtrip.campaign.manifest import Configuration, FailedEntry, Manifest, RunEntry
from roundtrip.campaign.names import RunName
from roundtrip.campaign.plan import Plan, written
from roundtrip.campaign.products import stated
from roundtrip.campaign.settable import ALLOWED
from roundtrip.errors import DataError
from roundtrip.files import sha256_of_file, write_atomically
from roundtrip.project import POINTS

_VOLATILE = ("pid", "port", "url", "data", "log", "node_id", "directory")
_OF_BROKER = ("product", "product_version")


def points_text(summaries: Mapping[str, Summary]) -> str:
    """Write what the runs showed as CSV, one row for each value.

    Columns are ``run``, ``repetition``, the factors that were set, ``metric``, ``statistic`` and
    ``value``; rows are in the order of the runs' keys and of the metrics. Where a run shows
    something over time there is a column ``interval`` before them: seconds from the beginning of
    the measured part, empty for values of the whole run.
    """
    set_by = {name for summary in summaries.values() for name in summary.run["factors"]}
    if set_by & {*_OF_BROKER} and any(stated(summary.effective) for summary in summaries.values()):
        set_by |= {*_OF_BROKER}
    # The plan's own factors come after those that every campaign knows.
    names = [name for name in (*ALLOWED, *sorted(set_by - {*ALLOWED})) if name in set_by]
    # Only campaigns that show something over time have the column for it.
    timed = ["interval"] if any(summary.series for summary in summaries.values()) else []
    columns = ["run", "repetition", *names, *timed, "metric", "statistic", "value"]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns, lineterminator="\n")
    writer.writeheader()
    for key in sorted(summaries):
        writer.writerows(rows_of_run(key, summaries[key], columns))
    return stream.getvalue()


def rows_of_run(key: str, summary: Summary, columns: Sequence[str]) -> Iterator[dict[str, str]]:
    """Give the rows of one run, as `points_text` writes them: text by column."""
    run = summary.run
    # Of several products or versions, each run says what its own broker stated.
    own = dict(zip(_OF_BROKER, stated(summary.effective) or (), strict=False))
    point = {
        "run": key, "repetition": run["repetition"], **run["factors"], **own,
        "scheduling_class": run["scheduling_class"],
    }  # fmt: skip
    whole = [("", *names, value) for names, value in sorted(summary.values.items())]
    parts = [(f"{interval:g}", *rest) for interval, *rest in summary.series]
    for interval, metric, statistic, value in [*whole, *parts]:
        row = {
            **point, "interval": interval, "metric": metric, "statistic": statistic,
            "value": f"{value:.6g}",
        }  # fmt: skip
        yield {column: written(row.get(column, "")) for column in columns}


def write_results(folder: Folder, manifest: Manifest) -> Manifest:
    """Derive points and the manifest's account of the runs from the raw files, and write both.

    The manifest says what raw files do not. One that is no longer what it knows of it is refused.
    """
    hashes = _hashes(folder, manifest)
    summaries = {key: summarise(path) for key, path in folder.finished().items()}
    runs = [
        entry_of(key, summary, manifest.plan, hashes[key]) for key, summary in summaries.items()
    ]
    failed = [
        attempt_of(key, path) for key, paths in sorted(folder.failures().items()) for path in paths
    ]
    versions: dict[str, Any] = {}
    for summary in summaries.values():
        versions.update(summary.versions)
    done = manifest.model_copy(
        update={
            "runs": tuple(sorted(runs, key=lambda run: run.order)),
            "failed": tuple(failed),
            "configurations": _configurations(summaries),
            "software": {**manifest.software, **versions},
            **_product(summaries, manifest),
        }
    )
    # In this order: a manifest may know more runs than the points, never fewer; and it says that
    # the campaign is complete only when its points are there.
    done.model_copy(update={"state": "running"}).write(folder.work)
    write_atomically(folder.work / POINTS, points_text(summaries))
    done.write(folder.work)
    return done


def entry_of(key: str, summary: Summary, plan: Plan, digest: str | None) -> RunEntry:
    """Give a manifest's account of a finished run, by its raw file and the hash of that."""
    return RunEntry(
        run=key, order=summary.run["order"], attempt=summary.run["attempt"],
        steady=summary.steady, warm_up_s=summary.warm_up_s, noise=summary.run["noise"],
        settled_s=summary.settled(plan.interval_seconds), drift=summary.drift,
        doubt=summary.doubt(plan), raw_sha256=digest, moved=tuple(summary.moved),
    )  # fmt: skip


def _hashes(folder: Folder, manifest: Manifest) -> dict[str, str]:
    """Hash the raw files of finished runs, and refuse one that was changed since it was written."""
    known = {entry.run: entry.raw_sha256 for entry in manifest.runs}
    hashes = {key: sha256_of_file(path) for key, path in folder.finished().items()}
    for key, digest in hashes.items():
        if known.get(key) not in (None, digest):
            raise DataError(
                "the raw file was changed after it was measured",
                where=folder.finished()[key],
                remedy="restore it, or remove it so that its run is measured again",
            )
    return hashes


def without_hashes_of_missing(folder: Folder, manifest: Manifest) -> Manifest:
    """Forget the hashes of raw files that were removed: their runs are measured again."""
    there = folder.finished()
    runs = tuple(
        run if run.run in there else run.model_copy(update={"raw_sha256": None})
        for run in manifest.runs
    )
    return manifest.model_copy(update={"runs": runs})


def attempt_of(key: str, path: Path) -> FailedEntry:
    """Give a manifest's account of an attempt that broke off.

    A file that a killed runner left may be damaged, or not say its place among all attempts.
    """
    order = None
    try:
        summary = summarise(path)
        reason = summary.reason or "the runner ended"
        with suppress(KeyError, TypeError, ValueError):
            order = int(summary.run["order"])
    except DataError as problem:
        reason = f"the runner ended; {problem.what}"
    return FailedEntry(run=key, raw=path.name, reason=reason, order=order)


def _configurations(summaries: Mapping[str, Summary]) -> tuple[Configuration, ...]:
    found: list[tuple[dict[str, Any], dict[str, None]]] = []
    for key, summary in summaries.items():
        if effective := lasting(summary.effective):
            cells = next((cells for known, cells in found if known == effective), None)
            if cells is None:
                found.append((effective, cells := {}))
            cells[RunName.parse(key).combination] = None
    return tuple(Configuration(cells=tuple(cells), effective=known) for known, cells in found)


def _product(summaries: Mapping[str, Summary], manifest: Manifest) -> dict[str, str | None]:
    """Name products and versions: as the embedded brokers said, or as the plan says of another."""
    system = manifest.plan.system
    if system is not None and not manifest.broker_restarted:
        return {"product": system.product, "product_version": system.version}
    found = sorted({
        said for summary in summaries.values() if (said := stated(summary.effective))
    })  # fmt: skip
    if len({product for product, _ in found}) > 1:
        return {"product": " and ".join(" ".join(said) for said in found)}
    if not found:
        return {}
    versions = " and ".join(version for _, version in found)
    return {"product": found[0][0], "product_version": versions}


def lasting(effective: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what differs from run to run or names the machine."""
    return {
        name: lasting(value) if isinstance(value, Mapping) else value
        for name, value in effective.items()
        if name not in _VOLATILE
    }
