"""Ingested campaigns as chapters show them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from roundtrip.files import csv_text
from roundtrip.ingest.meaning import RATES
from roundtrip.outputs import BodyCell, HeaderCell, table_label
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.chapter import RATE, TIME, Chapter, Text
from roundtrip.present.numbers import Quantity, size_label
from roundtrip.present.points import ingested
from roundtrip.present.quantities import Entry, Row, quantity_table
from roundtrip.present.suspect_cells import DOUBTED
from roundtrip.present.tables import Table, left_heads
from roundtrip.sources.ingested import TABLE

_CPU = ("cpu", "machine_cpu")
_MEANS = ["steady", "mean"]
_BESIDE = (
    ("Round-trip time (ms)", (TIME,), _MEANS),
    ("Round-trip time p50 (ms)", (TIME,), ["p50"]),
    ("Round-trip time p99 (ms)", (TIME,), ["p99"]),
    ("CPU (%)", _CPU, _MEANS),
)
"""Columns beside a rate where a point has such a value: head, metrics, statistics."""
_SHOWN = ("message_bytes", "requesters")
"""Factors that have their columns always."""
WITHIN = "Without intervals over runs: they do not show what another run would give."
"""What a reader must know of ingested values."""


def _of_edition(chapter: Chapter, frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out other message sizes than those of the edition."""
    if chapter.message_bytes is None:
        return frame
    sizes = frame["message_bytes"]
    return frame[sizes.isna() | sizes.isin(list(chapter.message_bytes))]


def quantity_of(chapter: Chapter, row: pd.Series) -> Quantity:
    """Give an ingested value in the units of the edition."""
    quantity = _as_kept(chapter, row)
    if row["metric"] != RATE:
        return quantity
    return replace(quantity.times(chapter.rate_scale), unit=chapter.unit(RATE))


def ingested_table(
    chapter: Chapter, campaign: str, *, caption: str, **factors: Any
) -> Table | None:
    """Lay out the rates of an ingested campaign: what tells them apart, what was seen beside them.

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
    frame = ingested(chapter.observations, campaign)
    for name, wanted in factors.items():
        stated = frame[name].notna() & (frame[name] != "none")
        frame = frame[stated if wanted is True else frame[name] == wanted]
    frame = _of_edition(chapter, frame)
    rates = frame[frame["metric"].isin(RATES) & (frame["statistic"] != "peak")]
    peaks = set(frame.loc[frame["statistic"] == "peak", "point_id"])
    beside = frame[(frame["statistic"] != "peak") & frame["point_id"].isin(rates["point_id"])]
    columns = {
        head: beside[beside["metric"].isin(metrics) & beside["statistic"].isin(statistics)]
        for head, metrics, statistics in _BESIDE
    }
    columns = {head: found for head, found in columns.items() if not found.empty}
    apart = [name for name in chapter.dictionary.factors
             if name not in _SHOWN and rates[name].nunique(dropna=False) > 1]  # fmt: skip
    rows = []
    for _, rate in rates.iterrows():
        point, shown = rate["point_id"], quantity_of(chapter, rate)
        size, requesters = rate["message_bytes"], rate["requesters"]
        of_point = [found[found["point_id"] == point] for found in columns.values()]
        cells: tuple[Entry, ...] = (
            None if pd.isna(size) else size_label(float(size)),
            None if pd.isna(requesters) else f"{int(requesters)}",
            *(None if pd.isna(rate[name]) else chapter.level(name, rate[name]) for name in apart),
            shown,
            shown.unit,
            *(None if found.empty else _as_kept(chapter, found.iloc[0]) for found in of_point),
        )
        rows.append(Row(f"{rate['row_label']}{' *' if point in peaks else ''}", cells))
    if not rows:
        return None
    rows.sort(key=lambda row: (row.label, *(str(cell) for cell in row.cells[:2])))
    return quantity_table(
        chapter, rows, caption=caption, by_row=True,
        header=["Point", "Message size", "Requesters",
                *map(chapter.factor_label, apart), "Rate", "Unit", *columns],
        notes=(WITHIN, "* highest of its sweep.") if peaks else (WITHIN,),
    )  # fmt: skip


def ingested_peaks(chapter: Chapter, campaign: str) -> Text | None:
    """Say the highest rate of the smallest and the largest message size of an ingested campaign.

    Parameters
    ----------
    campaign : str
        Id; empty for none.

    Returns
    -------
    Text or None
        None when no campaign is shown.

    Raises
    ------
    DataError
        If there is no such campaign.
    """
    if not campaign:
        return None
    frame = _of_edition(chapter, ingested(chapter.observations, campaign))
    means = frame[frame["statistic"].isin(_MEANS)]
    # Of a metric that has both, the mean of steady state.
    order = means["statistic"].map(_MEANS.index).sort_values(kind="stable")
    means = means.loc[order.index].drop_duplicates(["point_id", "metric"])
    kinds = (means[means["metric"] == metric] for metric in RATES)
    rates = next((rows for rows in kinds if not rows.empty), None)
    if rates is None:
        return Text(f"The campaign `{campaign}` holds no rates.")
    sizes = sorted(rates["message_bytes"].dropna().unique())
    groups: list[float | None] = [*dict.fromkeys((*sizes[:1], *sizes[-1:]))]
    groups += [None] * bool(rates["message_bytes"].isna().any())
    sentences = []
    for size in groups:
        of_size = rates["message_bytes"]
        rows = rates[of_size.isna() if size is None else of_size == size]
        best = rows.iloc[int(rows["value"].to_numpy().argmax())]
        among = f"At {size_label(size)} the" if size is not None else "The"
        if size is None and sizes:
            among = "Where no message size is stated, the"
        text = f"{among} highest rate is {{rate}}."
        if pd.notna(best["requesters"]):
            count = int(best["requesters"])
            text = f"{text[:-1]}, with {count} requester{'s' * (count != 1)}."
        sentences.append(chapter.text(text, rate=quantity_of(chapter, best)).markdown)
    return Text(" ".join(sentences))


def _as_kept(chapter: Chapter, row: pd.Series) -> Quantity:
    metric = chapter.dictionary.metrics[row["metric"]]
    value = float(row["value"])
    decimals = max(metric.decimals, 2) if abs(value) < 100 else metric.decimals
    return Quantity(value, metric.unit, (str(row["observation_id"]),), decimals, "measured")


def ingested_points(chapter: Chapter, campaign: str) -> Table:
    """List every value of an ingested campaign under its permanent anchor."""
    frame = ingested(chapter.observations, campaign)
    apart = [name for name in chapter.dictionary.factors
             if frame[name].nunique(dropna=False) > 1]  # fmt: skip
    rows: list[tuple[BodyCell, ...]] = []
    for point, values in frame.groupby("row_label", sort=True):
        first = values.iloc[0]
        levels = [chapter.level_named(name, first[name]) for name in apart if pd.notna(first[name])]
        head = ": ".join(filter(None, [str(point), ", ".join(levels)]))
        rows.append((BodyCell(head, "left", kind="group"),))
        for _, row in values.iterrows():
            mark = "" if row["status"] == "as_printed" else DOUBTED
            shown = chapter.write(_as_kept(chapter, row), unit=False)
            rows.append(
                (
                    BodyCell(f"{row['column_label']}{mark}", "left", kind="label"),
                    BodyCell(shown, anchor=cell_anchor(str(row["observation_id"]))),
                    BodyCell(str(row["unit"]), "left"),
                    BodyCell(str(row["note"] or ""), "left", kind="label"),
                )
            )
    header = (*left_heads("Value"), HeaderCell(""), *left_heads("Unit", "Origin"))
    columns = ["row_label", "metric", "statistic", "value", "unit", "status", "note", "line"]
    return Table(
        f"Campaign {campaign}: every point", (header,), tuple(rows),
        ("† corrected or doubtful: the last column says why.",),
        csv=csv_text(columns, frame[columns].itertuples(index=False, name=None)),
        label=table_label(campaign, TABLE),
    )  # fmt: skip
