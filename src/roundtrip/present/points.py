"""Operating points: a row for each, with a column for each metric; and which of them fit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from roundtrip.dictionary import Dictionary, Metric, is_percentile
from roundtrip.errors import ChapterError, DataError, unknown
from roundtrip.observations import Observations
from roundtrip.present.arguments import in_short, refuse_impossible, refuse_unknown_factor
from roundtrip.present.numbers import decimals_of
from roundtrip.stats.intervals import interval_of

_OWN_COLUMNS = ("p50", "p75", "p90", "p95", "p99", "p999", "p9999", "maximum")
"""Statistics that have a column of points beside that of their metric."""
_ENDINGS = {
    "shown": "", "observation_id": "_cell", "decimals": "_decimals", "low": "_low",
    "high": "_high", "runs": "_runs",
}  # fmt: skip
"""What is said of a metric, and how the names of these columns end."""
HELPERS = tuple(ending for ending in _ENDINGS.values() if ending)
"""Endings of columns that belong to that of a metric."""
_FIRST = ("steady", "mean", "peak")
"""Statistics of which a point's first counts: of a run its steady state, where that was found."""
_NAMED = 5  # cells named in a refusal


def ingested(observations: Observations, campaign: str) -> pd.DataFrame:
    """Give the observations of an ingested campaign.

    Raises
    ------
    DataError
        If there is no such campaign; the nearest id is given.
    """
    known = observations.ingested_ids
    if campaign not in known:
        raise unknown(
            DataError, "ingested campaign", campaign, known,
            allowed=", ".join(known) or "none has been ingested yet",
            remedy="roundtrip ingest PATH --campaign ID, or Measured(chapter, PLAN)",
        )  # fmt: skip
    frame = observations.choose(source=campaign)
    return frame[frame["source_kind"] == "ingested"]


def published(observations: Observations, report: str, tables: Sequence[str]) -> pd.DataFrame:
    """Give the operating points of some tables of a report, table by table, as `points_of` does.

    Raises
    ------
    ChapterError
        If no table is named, or there is no such table; the nearest one is given.
    """
    frame = observations.choose(source=report)
    known = sorted(set(frame["table_id"]))
    if not tables:
        raise ChapterError(
            "names no table and no campaign", where="Chapter.points", allowed=", ".join(known),
            remedy="points('a-table'), or points(campaign='an-id')",
        )  # fmt: skip
    for table in tables:
        if table not in known:
            raise unknown(ChapterError, f"table of {report}", table, known)
    points = points_of(frame[frame["table_id"].isin(tables)], observations.dictionary)
    order = {table: position for position, table in enumerate(tables)}
    return points.sort_values("table_id", key=lambda ids: ids.map(order), kind="stable")


def points_of(frame: pd.DataFrame, dictionary: Dictionary) -> pd.DataFrame:
    """Put observations into one row for each operating point, with means over its runs.

    Returns
    -------
    pandas.DataFrame
        Columns as `Chapter.points` names them.

    Raises
    ------
    ChapterError
        If a point, or one of its runs, has several values for one column.
    """
    own = frame["statistic"].isin(_OWN_COLUMNS)
    frame = frame.assign(
        shown=frame["value_corrected"].fillna(frame["value"]),
        decimals=decimals_of(frame, dictionary),
        named=frame["metric"].where(~own, frame["metric"] + "_" + frame["statistic"]),
    )
    frame = of_one_statistic(frame, "named", _FIRST)
    frame = _beside_means(frame)
    keys = ["point_id", "source_kind", "table_id", "table", "row_label"]
    points = frame.drop_duplicates("point_id")[[*keys, *dictionary.factors]]
    runs = frame.groupby("point_id")["repetition"].nunique()
    for name, seen in frame.groupby("named", sort=False):
        if (twice := seen.duplicated(["point_id", "repetition"], keep=False)).any():
            cells = list(seen.loc[twice, "observation_id"])
            values = ", ".join(cells[:_NAMED]) + " …" * (len(cells) > _NAMED)
            raise ChapterError(
                f"a point has several values for one column '{name}': {values}",
                remedy="give the values statistics or factors that tell them apart",
            )
        by_point = _means_of(seen, runs) if runs.any() else seen.set_index("point_id")
        for column, ending in _ENDINGS.items():
            if column in by_point:
                points[f"{name}{ending}"] = points["point_id"].map(by_point[column])
    return points


def of_sizes(points: pd.DataFrame, sizes: Collection[int] | None) -> pd.DataFrame:
    """Leave out other message sizes than some, where they are given; no size is none of others."""
    if sizes is None:
        return points
    return points[points["message_bytes"].isna() | points["message_bytes"].isin(list(sizes))]


def of_one_statistic(frame: pd.DataFrame, value: str, order: Sequence[str]) -> pd.DataFrame:
    """Of several means of one value of a point keep the first that each of its runs has.

    Parameters
    ----------
    value : str
        Column that names the value, such as ``metric``.
    order : sequence of str
        Statistics of which one counts, the best first; others stay.
    """
    rank = frame["statistic"].map({name: place for place, name in enumerate(order)})
    of_run = rank.groupby([frame["point_id"], frame[value], frame["repetition"]], dropna=False)
    first = of_run.transform("min").groupby([frame["point_id"], frame[value]]).transform("max")
    return frame[rank.isna() | (rank == first)]


def _beside_means(frame: pd.DataFrame) -> pd.DataFrame:
    """Name after their statistic what points have beside a mean, such as its standard error."""
    runs = [frame["point_id"], frame["named"], frame["repetition"]]
    mean = frame["statistic"].isin(_FIRST)
    beside = ~mean & mean.groupby(runs, dropna=False).transform("any")
    pairs = frame["named"] + "_" + frame["statistic"]
    named = pairs.isin(set(pairs[beside])) & ~mean
    return frame.assign(named=frame["named"].mask(named, pairs))


def _means_of(seen: pd.DataFrame, runs: pd.Series[int]) -> pd.DataFrame:
    """Give the mean over the runs of each point with its interval, by what each run showed.

    A percentile that one of the runs of a point lacks has no mean: it needs many messages, and
    the runs that have it are the faster ones.
    """
    found = {}
    for point, values in seen.groupby("point_id"):
        if not is_percentile(values["statistic"].iloc[0]) or len(values) >= runs[point]:
            mean = interval_of(list(values["shown"]))
            found[point] = {
                "shown": mean.estimate, "observation_id": " ".join(values["observation_id"]),
                "decimals": values["decimals"].max(), "low": max(mean.low, 0.0),
                "high": mean.high, "runs": mean.runs,
            }  # fmt: skip
    return pd.DataFrame.from_dict(found, orient="index", columns=[*_ENDINGS])


def fitting(
    points: pd.DataFrame, factors: Mapping[str, Any], observations: Observations
) -> npt.NDArray[np.bool_]:
    """Say which points have all values asked for; None asks for those where a factor is not set.

    Raises
    ------
    ChapterError
        If there is no such factor, or a text that one with known values, or numbers, cannot have;
        the nearest is given. If several values are given for one.
    """
    chosen = np.ones(len(points), dtype=bool)
    for name, value in factors.items():
        refuse_unknown_factor(points, name, observations.dictionary)
        if not (value is None or pd.api.types.is_scalar(value)):
            raise ChapterError(
                f"{name} takes one value, not {in_short(value)}",
                remedy=f"choose points of several with points[points['{name}'].isin([…])]",
            )  # fmt: skip
        fits = points[name].isna() if value is None else points[name] == value
        entry = observations.dictionary.factors.get(name)
        closed = entry is not None and (entry.allowed or entry.type in ("integer", "number"))
        if closed and isinstance(value, str) and not fits.any():  # of others, data may lack one
            refuse_impossible(points, name, [value], observations)
        chosen &= fits.to_numpy(dtype=bool, na_value=False)
    return chosen


def metrics_of(points: pd.DataFrame) -> list[str]:
    """List the metrics that points have values of."""
    return [name.removesuffix("_cell") for name in map(str, points) if name.endswith("_cell")]


def metric_of(column: str, dictionary: Dictionary) -> tuple[Metric, str]:
    """Give the metric of a column of points, and the statistic if the column is for one.

    Raises
    ------
    ChapterError
        If there is no such metric; the nearest one is given.
    """
    if column in dictionary.metrics:
        return dictionary.metrics[column], ""
    for statistic in dictionary.statistics:
        metric = column.removesuffix(f"_{statistic}")
        if metric != column and metric in dictionary.metrics:
            return dictionary.metrics[metric], statistic
    raise unknown(ChapterError, "metric", column, sorted(dictionary.metrics))
