"""The folder that a campaign is written to: found, gone on with, or begun beside an older one."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from roundtrip.campaign.manifest import Manifest, load_manifest
from roundtrip.campaign.names import ENDING, RawName
from roundtrip.campaign.plan import Plan
from roundtrip.errors import ParameterError
from roundtrip.project import INGESTED, MANIFEST

_HOUR = timedelta(hours=1)
_LIMITS = {"budget_minutes", "least_free_mb"}  # may change: no run is made otherwise


@dataclass
class Folder:
    """Where a campaign is being written.

    Attributes
    ----------
    work : Path
        Where files go now: `target`, or a folder beside it while `target` holds an older
        campaign that stays until this one is complete.
    block : int
        Which block of runs is measured: a later one adds to what `target` holds.
    """

    work: Path
    target: Path
    block: int = 1

    @property
    def raw(self) -> Path:
        """Raw files, one for each attempt at a run."""
        return self.work / "raw"

    def _named(self) -> list[tuple[RawName, Path]]:
        return [(RawName.parse(path.name), path) for path in sorted(self.raw.glob(f"*{ENDING}"))]

    def finished(self) -> dict[str, Path]:
        """Give the raw files of finished runs by their key."""
        return {name.run: path for name, path in self._named() if name.broke_off is None}

    def failures(self) -> dict[str, list[Path]]:
        """Give the raw files of attempts that broke off, by the key of their run."""
        found: dict[str, list[Path]] = {}
        for name, path in self._named():
            if name.broke_off is not None:
                found.setdefault(name.run, []).append(path)
        return found

    def failed(self, key: str) -> int:
        """Count the attempts at a run that failed; those that were interrupted are none."""
        return sum(name.run == key and name.broke_off == "failed" for name, _ in self._named())

    @property
    def has_successor(self) -> bool:
        """Whether a campaign was begun, and not ended, that is to take its place."""
        return (_beside(self.target) / MANIFEST).is_file()

    def take_over(self) -> None:
        """Copy the campaign that a later block adds to, where that has not been done."""
        if self.block == 1 or self.work.exists():
            return
        copy = self.target.with_name(f".{self.target.name}.copy")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.target, copy)
        copy.replace(self.work)

    def publish(self) -> None:
        """Put a campaign that was written beside an older one in its place."""
        if self.work == self.target:
            return
        old = self.target.with_name(f".{self.target.name}.old")
        shutil.rmtree(old, ignore_errors=True)
        if self.target.exists():
            self.target.replace(old)
        self.work.replace(self.target)
        shutil.rmtree(old, ignore_errors=True)
        self.work = self.target


def refuse_place(target: Path, campaigns: Path) -> None:
    """Refuse a folder that no campaign can be written to, before anything is measured.

    Parameters
    ----------
    target : Path
        The folder, resolved; it may hold a campaign.
    campaigns : Path
        The project's ``data/campaigns``.

    Raises
    ------
    ParameterError
        If something else is there, or what is written there would not be found.
    """
    campaigns = campaigns.resolve()
    if campaigns.is_relative_to(target):
        problem = "holds all campaigns, and a campaign needs a folder of its own"
    elif campaigns in target.parents and campaigns != target.parent:
        problem = f"is too deep: campaigns are read from the folders of {campaigns} only"
    elif target.name.startswith(".") or target.name.endswith(".new"):
        problem = "has a name that the runner gives to unfinished campaigns"
    elif target.exists() and not target.is_dir():
        problem = "is a file"
    elif (target / INGESTED).is_file():
        problem = "holds what was ingested"
    elif (target / MANIFEST).is_file() or not target.exists():
        return
    elif there := sorted(path.name for path in target.iterdir() if path.name[0] != "."):
        problem = f"holds {there[0]}, and no campaign"
    else:
        return
    raise ParameterError(
        problem, where=target, allowed="a new or empty folder, or the campaign to go on with",
        remedy="name another folder, such as data/campaigns/NAME, or move away what is there",
    )  # fmt: skip


def open_folder(
    target: Path, plan: Plan, broker: str, *, fresh: bool, again: bool
) -> tuple[Folder, Manifest | None]:
    """Find where to write: go on with an unfinished campaign or block, or begin one.

    A campaign of which no run was finished holds nobody to its settings, its broker aside: with
    others, one begins as with `fresh`.

    Parameters
    ----------
    target : Path
        ``data/campaigns/<id>``.
    broker : str
        Name of the broker that is to be measured.
    fresh : bool
        Measure anew although there are results.
    again : bool
        Add a block of runs to a complete campaign.

    Returns
    -------
    manifest : Manifest or None
        Of the campaign that goes on.

    Raises
    ------
    ParameterError
        If there are results of another plan or of another broker, and `fresh` was not asked for;
        if a block cannot be added, or not yet.
    """
    beside = _beside(target)
    _finish_publishing(target, beside)
    known = load_manifest(target) if (target / MANIFEST).is_file() else None
    if known is not None and known.plan.name != plan.name:
        raise ParameterError(
            f"holds a campaign of the plan {known.plan.name}, not of {plan.name}", where=target,
            remedy="name another folder with --output, or move the campaign away",
        )  # fmt: skip
    if again:
        return open_again(target, plan, broker)

    def goes_on(manifest: Manifest) -> bool:
        return manifest.broker == broker and not _differing(manifest.plan, plan)

    folder = Folder(target, target)
    if known is not None and known.broker == broker and not (known.runs or folder.finished()):
        fresh = True
    if not fresh:
        if known is not None:
            _refuse_other(known, target, plan, broker)
        return folder, known
    if (beside / MANIFEST).is_file():
        manifest = load_manifest(beside)
        if goes_on(manifest) and manifest.blocks == 1:
            return Folder(beside, target), manifest
        shutil.rmtree(beside)
    if known is None or (known.state != "complete" and goes_on(known)):
        return folder, known
    return Folder(beside, target), None


def open_again(target: Path, plan: Plan, broker: str) -> tuple[Folder, Manifest]:
    """Go on with a further block of a campaign, or begin one; see `open_folder`."""
    beside = _beside(target)
    if (beside / MANIFEST).is_file():
        manifest = load_manifest(beside)
        if manifest.blocks > 1:
            _refuse_other(manifest, target, plan, broker)
            return Folder(beside, target, manifest.blocks), manifest
    begun = not (target / MANIFEST).is_file() or (beside / MANIFEST).is_file()
    if begun or (manifest := load_manifest(target)).state != "complete":
        raise ParameterError(
            "there is no complete campaign to measure again", where=target.name,
            remedy="run it without --again first, and with --fresh if that has begun anew",
        )  # fmt: skip
    _refuse_other(manifest, target, plan, broker)
    hours = (datetime.now(UTC) - datetime.fromisoformat(str(manifest.sessions[-1].ended))) / _HOUR
    if hours < 1:
        raise ParameterError(
            f"the campaign ended {60 * hours:.0f} minutes ago, and a further block shows what "
            "another hour changes",
            where=target.name,
            remedy=f"wait {60 - 60 * hours:.0f} minutes",
        )
    return Folder(beside, target, manifest.blocks + 1), manifest


def _refuse_other(manifest: Manifest, target: Path, plan: Plan, broker: str) -> None:
    """Refuse to go on with a campaign of another plan or broker."""
    differing = _differing(manifest.plan, plan)
    if manifest.broker != broker:
        differing.append(f"the broker ({manifest.broker} then, {broker} now)")
    if differing:
        raise ParameterError(
            f"there are results of other settings; they differ in {', '.join(differing)}",
            where=target.name,
            remedy="go on as they were begun, pass --fresh to replace them when the new ones are "
            "complete, or give an --output of its own",
        )  # fmt: skip


def _differing(one: Plan, other: Plan) -> list[str]:
    """Name the settings in which two plans differ, without limits that make no run another."""
    names = [name for name in Plan.model_fields if name not in _LIMITS]
    return [name for name in names if getattr(one, name) != getattr(other, name)]


def _beside(target: Path) -> Path:
    """Give the folder of a campaign that is to replace one, until it is complete."""
    return target.with_name(f".{target.name}.new")


def _finish_publishing(target: Path, beside: Path) -> None:
    """Complete what a runner was doing when it was killed between the last two renamings."""
    old = target.with_name(f".{target.name}.old")
    if (beside / MANIFEST).is_file() and load_manifest(beside).state == "complete":
        Folder(beside, target).publish()
    elif old.exists() and not target.exists():
        old.replace(target)
