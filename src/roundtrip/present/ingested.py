"""Ingested campaigns as chapters show them."""

from __future__ import annotations

from typing import Any

import pandas as pd

from roundtrip.errors import DataError, unknown
from roundtrip.files import csv_text
from roundtrip.outputs import BodyCell, HeaderCell, table_label
from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.markup import cell_anchor
from roundtrip.present.numbers import Quantity, size_label
from roundtrip.present.quantities import Entry, Row, quantity_table
from roundtrip.present.suspect_cells import DOUBTED
from roundtrip.present.tables import Table
from roundtrip.sources.ingested import TABLE

_RATES = (RATE, "message_rate", "iteration_rate")
_CPU = ("cpu", "machine_cpu")
_WITHIN = (
    "Means over the steady state of one run. They say nothing about what another run would give."
)


def observations_of(chapter: Chapter, campaign: str) -> pd.DataFrame:
    """Give the observations of an ingested campaign.

    Raises
    ------
    DataError
        If there is no such campaign; the nearest id is given.
    """
    known = chapter.observations.ingested_ids
    if campaign not in known:
        raise unknown(
            DataError, "ingested campaign", campaign, known,
            allowed=", ".join(known) or "none has been ingested yet",
            remedy="roundtrip ingest PATH --campaign ID",
        )  # fmt: skip
    frame = chapter.observations.choose(source=campaign)
    return frame[frame["source_kind"] == "ingested"]


def ingested_table(
    chapter: Chapter, campaign: str, *, caption: str, **factors: Any
) -> Table | None:
    """Lay out the rates of an ingested campaign, with what was seen beside them.

    Parameters
    ----------
    campaign : str
        Id; empty for none.
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
    frame = observations_of(chapter, campaign)
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
        notes=(_WITHIN, "* highest of its sweep.") if peaks else (_WITHIN,),
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


def ingested_points(chapter: Chapter, campaign: str) -> Table:
    """List every value of an ingested campaign under its permanent anchor.

    Raises
    ------
    DataError
        If there is no such campaign.
    """
    frame = observations_of(chapter, campaign)
    rows: list[tuple[BodyCell, ...]] = []
    for point, values in frame.groupby("row_label", sort=True):
        rows.append((BodyCell(str(point), "left", kind="group"),))
        for _, row in values.iterrows():
            quantity = _quantity(chapter, row)
            mark = "" if row["status"] == "as_printed" else DOUBTED
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
        HeaderCell("Origin", align="left"),
    )  # fmt: skip
    columns = ["row_label", "metric", "statistic", "value", "unit", "status", "note", "line"]
    return Table(
        f"Campaign {campaign}: every point", (header,), tuple(rows),
        ("† corrected or doubtful: the last column says why.",),
        csv=csv_text(columns, frame[columns].itertuples(index=False, name=None)),
        label=table_label(campaign, TABLE),
    )  # fmt: skip
