"""Measured campaigns: the points of every finished run, as observations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roundtrip.campaign.manifest import Manifest, load_manifest
from roundtrip.campaign.names import RunName, ValueName
from roundtrip.csvfile import finite_number, plain_records
from roundtrip.dictionary import Dictionary, FactorValue
from roundtrip.errors import DataError, ParameterError, again, unknown
from roundtrip.project import INGESTED, MANIFEST, POINTS
from roundtrip.sources.folders import REMEDY, source_folders
from roundtrip.sources.ingested import ingested_folders
from roundtrip.yamlfile import load_yaml

RUNS = "runs"
"""Id of the table, in the appendix, that lists the runs of a campaign."""
_NEEDED = ("run", "repetition", "metric", "statistic", "value")
_INTERVAL = "interval"
"""Column of campaigns that show something over time."""
_EMBEDDED: dict[str, FactorValue] = {
    "compression": "none", "tls_protocol": "none", "tls_cipher": "none", "ha": "none",
    "replication": "none", "queue_managers": 1,
}  # fmt: skip
"""What the runner knows of the broker it starts."""


def campaign_folders(campaigns: Path) -> list[Path]:
    """List the folders of the campaigns that have results, by name.

    A campaign that is being run, or whose runner was killed, is none of them: it has no points.

    Raises
    ------
    DataError
        If a folder is no campaign, measured or ingested, or has lost its points.
    """
    return [
        folder for folder in source_folders(campaigns, MANIFEST)
        if not (folder / INGESTED).is_file() and _has_points(folder)
    ]  # fmt: skip


def campaigns_named(
    campaigns: Path, named: Sequence[str], where: str = "campaigns"
) -> list[Manifest]:
    """Read what the campaigns say of themselves that represent their plans in an edition.

    Of brokers that ran already there may be several of a plan: what their owner sets up is varied
    from campaign to campaign, and claims are checked against all. The first represents the plan.

    Raises
    ------
    ParameterError
        If there is no measured campaign of a name, or one of two of a plan ran on a broker that the
        runner started.
    """
    known = [folder.name for folder in campaign_folders(campaigns)]
    found: dict[str, list[Manifest]] = {}
    for name in dict.fromkeys(named):
        if name not in known:
            ingested = name in {folder.name for folder in ingested_folders(campaigns)}
            raise unknown(
                ParameterError, "measured campaign", name, known, where=where,
                allowed=", ".join(known) or "none yet: 'roundtrip run' measures one",
                remedy=f"{name} was ingested: name it with the parameter 'campaign'" if ingested
                else "correct 'campaigns' in params/report.yml or on the command line",
            )  # fmt: skip
        manifest = load_manifest(campaigns / name)
        found.setdefault(manifest.plan.name, []).append(manifest)
    for plan, several in found.items():
        if len(several) > 1 and any(manifest.broker_restarted for manifest in several):
            raise ParameterError(
                f"{' and '.join(manifest.id for manifest in several)} are of one plan, '{plan}'",
                where=where,
                allowed="one campaign of a plan; several only if all ran on brokers of your own",
                remedy=f"name one; a chapter lays them side by side with Measured(chapter, "
                f"'{plan}', campaigns=[...])",
            )
    return [manifest for several in found.values() for manifest in several]


def _has_points(folder: Path) -> bool:
    if (folder / POINTS).is_file():
        return True
    try:
        content = load_yaml(folder / MANIFEST, DataError)
    except DataError as problem:
        raise again(DataError, problem, remedy=REMEDY) from problem
    if not isinstance(content, dict):
        raise DataError("is no manifest", where=folder / MANIFEST, remedy=REMEDY)
    if content.get("state") == "running":
        return False
    raise DataError(
        f"has neither {POINTS} nor {INGESTED}, and is not being measured", where=folder,
        remedy=REMEDY,
    )  # fmt: skip


def campaign_files(folder: Path) -> tuple[Path, ...]:
    """List the files of a campaign that observations are read from."""
    return (folder / MANIFEST, folder / POINTS)


def read_campaign(folder: Path, dictionary: Dictionary, base: Path) -> list[dict[str, Any]]:
    """Read the points of a campaign.

    Parameters
    ----------
    base : Path
        Files are named relative to it.

    Returns
    -------
    list of dict
        Rows of the tidy table, of kind ``measured``. Values of runs that were not steady or were
        disturbed are suspect, with the reason.

    Raises
    ------
    DataError
        On the first thing that is wrong, with file and line.
    """
    manifest = load_manifest(folder)
    doubts = {entry.run: entry.doubt for entry in manifest.runs}
    common = _common(manifest)
    path = folder / POINTS
    rows = []
    for line, record in plain_records(path, _NEEDED):
        where = f"{path}:{line}"
        run = record["run"]
        if run not in doubts:
            raise DataError(f"run '{run}' is not in the manifest", where=where)
        try:
            point = RunName.parse(run).point
        except ValueError as problem:
            raise DataError(str(problem), where=where) from None
        if not re.fullmatch("[0-9]{1,9}", record["repetition"]):
            raise DataError("repetition is not a whole number", where=where)
        own = {name: text for name, text in record.items() if name not in (*_NEEDED, _INTERVAL)}
        interval = finite_number(text, where) if (text := record.get(_INTERVAL)) else None
        factors = dictionary.factor_values(own, where)
        metric_name, statistic = record["metric"], record["statistic"]
        metric = dictionary.metric(metric_name, where)
        value = finite_number(record["value"], where)
        refusal = metric.refusal(value)
        if refusal:
            raise DataError(f"{metric_name} is {value:g}: {refusal}", where=where)
        if statistic not in dictionary.statistics:
            raise DataError(f"unknown statistic '{statistic}'", where=where)
        part = None if interval is None else f"{interval:g}"
        # Brokers that the runner starts keep their recovery log on this machine.
        on_disk = "ha" in common and factors.get("delivery") == "persistent"
        rows.append(
            {
                "observation_id": str(ValueName(manifest.id, run, metric_name, statistic, part)),
                "point_id": f"{manifest.id}/{RUNS}/{point}",
                "source_kind": "measured",
                "source": manifest.id,
                "table_id": RUNS,
                "row_label": run,
                "column_label": f"{metric.label} ({statistic})",
                "file": path.relative_to(base).as_posix(),
                "line": line,
                **common,
                **factors,
                **({"log_storage": "local disk"} if on_disk else {}),
                "metric": metric_name,
                "statistic": statistic,
                "value": value,
                "unit": metric.unit,
                "repetition": int(record["repetition"]),
                "interval": interval,
                "status": "suspect" if doubts[run] else "as_printed",
                "note": doubts[run],
            }
        )
    return rows


def _common(manifest: Manifest) -> dict[str, FactorValue]:
    """Give the factors that are the same in every run, as far as they are known."""
    host = manifest.host
    known: dict[str, FactorValue] = {**_EMBEDDED} if manifest.broker_restarted else {}
    if not manifest.broker_elsewhere:
        known["platform"] = f"{host['operating_system']}, {host['architecture']}"
    if manifest.product:
        known["product"] = manifest.product
    if manifest.product_version:
        known["product_version"] = manifest.product_version
    return known
