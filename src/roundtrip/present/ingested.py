"""Ingested campaigns as chapters show them: results, log extents over time, replication."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from roundtrip.errors import DataError, nearest
from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.figure import Figure, csv_text
from roundtrip.present.markup import cell_anchor
from roundtrip.present.numbers import Quantity, size_label
from roundtrip.present.plot.chart import chart
from roundtrip.present.quantities import Entry, Row, quantity_table
from roundtrip.present.tables import Table
from roundtrip.shown import BodyCell, HeaderCell, table_label
from roundtrip.sources.ingested import TABLE, read_series

_RATES = (RATE, "message_rate", "iteration_rate")
_CPU = ("cpu", "machine_cpu")
_EXTENTS = {
    "created": ("log_extents_created", "Created"), "reused": ("log_extents_reused", "Reused"),
    "deleted": ("log_extents_deleted", "Deleted"),
}  # fmt: skip
_REPLICATION = (
    ("Backlog bytes", "Backlog (MB)", 1e-6),
    ("Synchronous log bytes sent per second", "Log sent (MB/s)", 1e-6),
    ("Log bytes sent per second", "Log sent (MB/s)", 1e-6),
    ("Average network round trip time", "Round-trip time (ms)", 1e-3),
    ("Rebase count", "Rebases", 1.0),
)
_WITHIN = "Means over the steady part of one run. What another run would give they do not say."


def _points(chapter: Chapter, campaign: str) -> pd.DataFrame:
    """Give the observations of an ingested campaign.

    Raises
    ------
    DataError
        If there is no such campaign; the nearest id is given.
    """
    known = chapter.observations.ingested_ids
    if campaign not in known:
        raise DataError(
            f"unknown ingested campaign '{campaign}'{nearest(campaign, known)}",
            allowed=", ".join(known) or "none has been ingested yet",
            remedy="roundtrip ingest PATH --campaign ID",
        )
    frame = chapter.observations.frame
    return frame[(frame["source_kind"] == "ingested") & (frame["source"] == campaign)]


def ingested_table(
    chapter: Chapter, campaign: str, *, caption: str, **factors: Any
) -> Table | None:
    """Lay out the rates of an ingested campaign, with what was seen beside them.

    Parameters
    ----------
    chapter : Chapter
    campaign : str
        Id; empty for none.
    caption : str
    **factors
        Values that points must have; True for any that is stated and not ``none``. Points that do
        not say are not shown: nobody knows whether they belong here.

    Returns
    -------
    Table or None
        None when no campaign is shown, or none of its points belongs here.

    Raises
    ------
    DataError
        If there is no such campaign.
    """
    if not campaign:
        return None
    frame = _points(chapter, campaign)
    for name, wanted in factors.items():
        stated = frame[name].notna() & (frame[name] != "none")
        frame = frame[stated if wanted is True else frame[name] == wanted]
    if chapter.message_bytes is not None:
        sizes = frame["message_bytes"]
        frame = frame[sizes.isna() | sizes.isin(list(chapter.message_bytes))]
    rates = frame[frame["metric"].isin(_RATES) & (frame["statistic"] != "peak")]
    peaks = set(frame.loc[frame["statistic"] == "peak", "point_id"])
    rows = [_row(chapter, frame, rate, peaks) for _, rate in rates.iterrows()]
    if not rows:
        return None
    rows.sort(key=lambda row: (row.label, *(str(cell) for cell in row.cells[:2])))
    return quantity_table(
        chapter, rows, caption=caption, by_row=True,
        header=["Point", "Message size", "Requesters", "Rate", "Unit", "Round-trip time (ms)",
                "CPU (%)"],
        notes=(_WITHIN, "* is the highest of its sweep.") if peaks else (_WITHIN,),
    )  # fmt: skip


def _row(chapter: Chapter, frame: pd.DataFrame, rate: pd.Series, peaks: set[str]) -> Row:
    point = rate["point_id"]
    beside = frame[(frame["point_id"] == point) & (frame["statistic"] != "peak")]
    size, requesters = rate["message_bytes"], rate["requesters"]
    cells: tuple[Entry, ...] = (
        None if pd.isna(size) else size_label(float(size)),
        None if pd.isna(requesters) else f"{int(requesters)}",
        _quantity(chapter, rate),
        str(rate["unit"]),
        _first(chapter, beside, ("round_trip_time",)),
        _first(chapter, beside, _CPU),
    )
    return Row(f"{rate['row_label']}{' *' if point in peaks else ''}", cells)


def _first(chapter: Chapter, rows: pd.DataFrame, metrics: tuple[str, ...]) -> Quantity | None:
    found = rows[rows["metric"].isin(metrics) & rows["statistic"].isin(["steady", "mean"])]
    return None if found.empty else _quantity(chapter, found.iloc[0])


def _quantity(chapter: Chapter, row: pd.Series) -> Quantity:
    metric = chapter.dictionary.metrics[row["metric"]]
    value = float(row["value"])
    decimals = max(metric.decimals, 2) if abs(value) < 100 else metric.decimals
    return Quantity(value, metric.unit, (str(row["observation_id"]),), decimals, "measured")


def ingested_points(chapter: Chapter, campaign: str) -> list[Table]:
    """List every value of an ingested campaign under its permanent anchor.

    Parameters
    ----------
    chapter : Chapter
    campaign : str
        Id; empty for none.

    Returns
    -------
    list of Table
        One, or none.

    Raises
    ------
    DataError
        If there is no such campaign.
    """
    if not campaign:
        return []
    frame = _points(chapter, campaign)
    rows: list[tuple[BodyCell, ...]] = []
    for point, values in frame.groupby("row_label", sort=True):
        rows.append((BodyCell(str(point), "left", kind="group"),))
        for _, row in values.iterrows():
            quantity = _quantity(chapter, row)
            mark = "" if row["status"] == "as_printed" else "\u00a0†"
            rows.append(
                (
                    BodyCell(f"{row['column_label']}{mark}", "left", kind="label"),
                    BodyCell(
                        chapter.numbers.write(quantity.value, quantity.decimals),
                        anchor=cell_anchor(str(row["observation_id"])),
                    ),
                    BodyCell(str(row["unit"]), "left"),
                    BodyCell(str(row["note"] or ""), "left", kind="label"),
                )
            )
    header = (
        HeaderCell("Value", align="left"), HeaderCell(""), HeaderCell("Unit", align="left"),
        HeaderCell("How it came about", align="left"),
    )  # fmt: skip
    columns = ["row_label", "metric", "statistic", "value", "unit", "status", "note", "line"]
    return [
        Table(
            f"Campaign {campaign}: every point", (header,), tuple(rows),
            ("† corrected or doubtful: the last column says why.",),
            csv=csv_text(columns, frame[columns].itertuples(index=False, name=None)),
            label=table_label(campaign, TABLE),
        )
    ]  # fmt: skip


def ingested_extents(chapter: Chapter, campaign: str) -> Figure | None:
    """Draw log extents created, reused and deleted over time, with media images.

    Parameters
    ----------
    chapter : Chapter
    campaign : str
        Id; empty for none.

    Returns
    -------
    Figure or None
        None when no campaign is shown, or its error logs report fewer than two statistics of
        extents.
    """
    if not campaign:
        return None
    points = _points(chapter, campaign)
    folder = chapter.project.campaigns / campaign
    frame = read_series(folder, "amqerr", "interval")
    if len(frame) < 2 or not set(_EXTENTS) <= set(frame):
        return None
    frame, axis = _placed(frame)
    events = read_series(folder, "amqerr", "event")
    images = _media_images(events) if axis == "Time" and not events.empty else []
    cells = tuple(points.loc[points["metric"].isin([m for m, _ in _EXTENTS.values()]),
                             "observation_id"].astype(str))  # fmt: skip
    rows = [
        ("Extents", label, place, Quantity(float(value), "extents", cells, 0, "measured"))
        for name, (_, label) in _EXTENTS.items()
        for place, value in zip(frame["place"], frame[name], strict=True)
    ]
    total = {name: float(frame[name].sum()) for name in _EXTENTS}
    write = chapter.numbers.write
    title = (
        f"{write(total['created'])} log extents were created, {write(total['reused'])} reused and "
        f"{write(total['deleted'])} deleted"
    )
    return _over_time(
        chapter, rows, axis, title=title, moments=images,
        caption="Log extents that the queue manager's error log reports, by when it did (AMQ7490I)."
        + (" Vertical lines: a media image moved the oldest extent needed." if images else ""),
    )  # fmt: skip


def _media_images(events: pd.DataFrame) -> list[datetime]:
    """Give the times at which the oldest extent that media recovery needs moved forward."""
    if "media_extent" not in events:
        return []
    rows = events[events["media_extent"].notna() & events["time"].notna()].sort_values("time")
    moved = rows["media_extent"].diff() > 0
    return [datetime.fromtimestamp(time, UTC) for time in rows.loc[moved, "time"]]


def ingested_replication(chapter: Chapter, campaign: str) -> Figure | None:
    """Draw backlog, log sent, round-trip time and rebases of replicas over time.

    Parameters
    ----------
    chapter : Chapter
    campaign : str
        Id; empty for none.

    Returns
    -------
    Figure or None
        None when no campaign is shown, or it holds no publication of a replica.
    """
    if not campaign:
        return None
    points = _points(chapter, campaign)
    frame = read_series(chapter.project.campaigns / campaign, "amqsrua", "interval")
    if frame.empty or "Backlog bytes" not in frame:
        return None
    frame, axis = _placed(frame[frame["Backlog bytes"].notna()])
    if len(frame) < 2:
        return None
    cells = tuple(points.loc[points["metric"] == "backlog", "observation_id"].astype(str))
    found: list[tuple[str, str, Any, Quantity]] = []
    for column, label, factor in _REPLICATION:
        if column not in frame:
            continue
        for stream, rows in frame.groupby("stream", sort=True):
            rows = rows[rows[column].notna()]
            found += [
                (label, str(stream) or "replica", place,
                 Quantity(float(value) * factor, label, cells, 2, "measured"))
                for place, value in zip(rows["place"], rows[column], strict=True)
            ]  # fmt: skip
    most = float(frame["Backlog bytes"].max())
    return _over_time(
        chapter, found, axis,
        title=f"The backlog of a replica reached {chapter.numbers.write(most * 1e-6, 1)} MB",
        caption="What the queue manager published of each replica (NHAREPLICA), by interval.",
    )  # fmt: skip


def _over_time(
    chapter: Chapter, rows: list[tuple[str, str, Any, Quantity]], axis: str, *, title: str,
    caption: str, moments: Sequence[Any] = (),
) -> Figure:  # fmt: skip
    """Draw series over time, a panel for each unit."""
    return chart(
        chapter, rows, mark="line", x_title=axis, y_title=rows[0][0], columns=1, one_scale=False,
        moments=moments, title=title, caption=caption, varied=None,
    )  # fmt: skip


def _placed(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Give each row its place: its time, or its number where a row has none."""
    timed = frame["time"].notna()
    if timed.sum() >= 2:  # the few without a time have no place among the others
        frame = frame[timed].sort_values("time", kind="stable")
        place = [datetime.fromtimestamp(time, UTC) for time in frame["time"]]
        return frame.assign(place=place), "Time"
    return frame.assign(place=range(1, len(frame) + 1)), "Record (no time is known)"
