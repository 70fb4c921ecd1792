"""Checks that a campaign's raw files are as they were written, and that all follows from them."""

from __future__ import annotations

from roundtrip.campaign.derive import Summary, summarise
from roundtrip.campaign.manifest import NAME as MANIFEST
from roundtrip.campaign.manifest import RunEntry
from roundtrip.campaign.names import RawName
from roundtrip.campaign.plan import Plan
from roundtrip.campaign.store import entry_of
from roundtrip.errors import DataError
from roundtrip.files import sha256_of
from roundtrip.methodology.generic_checks import few
from roundtrip.methodology.subject import Campaign, Finding, Lacking, fails, passes, unknown


def raw_unchanged(campaign: Campaign) -> Finding:
    """Check that every run has its raw file, with the hash noted when it was measured."""
    where = f"data/campaigns/{campaign.id}/raw"
    raw = campaign.folder / "raw"
    runs = campaign.manifest.runs
    if not runs:
        raise Lacking("no run is finished", where)
    if campaign.altered:
        names = [name.rpartition("/")[2] for name in campaign.altered]
        were = "was" if len(names) == 1 else "were"
        told = f"{len(names)} of {len(runs)} raw files {were} changed after the measurement"
        return fails(few(names, told), *campaign.altered)
    lacking = [run.run for run in runs if not (raw / str(RawName(run.run))).is_file()]
    if lacking:
        told = f"the raw files of {len(lacking)} of {len(runs)} runs are not here: put them back"
        return unknown(few(lacking, told), where)
    unhashed = [run.run for run in runs if run.raw_sha256 is None]
    if unhashed:
        return unknown(
            f"the manifest has no hash of {len(unhashed)} raw files: measure again", campaign.place
        )
    return passes(f"{len(runs)} raw files have the hash of the manifest", where, campaign.place)


def derived(campaign: Campaign, *, runs: float) -> Finding:
    """Check that points and marks of some runs follow from their raw files, value by value."""
    points = campaign.points
    manifest, values = campaign.manifest, campaign.values
    files = (campaign.folder / name for name in ("points.csv", MANIFEST))
    content = "".join(sha256_of(file.read_bytes()) for file in files)
    # Which runs are computed again changes with every change of the points or the manifest.
    every = sorted(manifest.runs, key=lambda run: sha256_of(content + run.run))
    chosen = [run.run for run in every[: int(runs)]]
    for entry in every[: int(runs)]:
        name = entry.run
        path = campaign.folder / "raw" / str(RawName(name))
        if not path.is_file():
            raise Lacking(f"the raw file of {name} is not here: put it back", points)
        try:
            summary = summarise(path)
        except DataError as problem:
            raise Lacking(f"a raw file cannot be read: {problem.what}", points) from problem
        rows = values[values["row_label"] == name]
        kept = dict(
            zip(zip(rows["metric"], rows["statistic"], strict=True), rows["value"], strict=True)
        )
        wrong = [
            f"{metric} {statistic}"
            for (metric, statistic), value in kept.items()
            if abs(summary.values.get((metric, statistic), float("inf")) - value)
            > 1e-5 * abs(value) + 1e-9
        ]
        wrong += [" ".join(one) for one in summary.values if one not in kept]
        wrong += [
            factor
            for factor, level in summary.run.get("factors", {}).items()
            if not (rows[factor] == level).to_numpy(dtype=bool, na_value=False).all()
        ]
        wrong += _told_otherwise(entry, summary, manifest.plan)
        if wrong or not kept:
            return fails(few(wrong, f"{name} does not follow from its raw file"), points)
    if not chosen:
        raise Lacking("no run is finished", campaign.place)
    return passes(
        f"{len(chosen)} of {len(every)} runs were recomputed, with the same values", points,
        *(f"data/campaigns/{campaign.id}/raw/{RawName(name)}" for name in chosen),
    )  # fmt: skip


def _told_otherwise(entry: RunEntry, summary: Summary, plan: Plan) -> list[str]:
    """Name what a manifest says of a run and its raw file does not, such as that it was steady."""
    try:
        again = entry_of(entry.run, summary, plan, entry.raw_sha256)
    except (LookupError, ValueError):  # anybody may have written the raw file
        return ["what the raw file says of its run"]
    return [name for name in RunEntry.model_fields if getattr(again, name) != getattr(entry, name)]
