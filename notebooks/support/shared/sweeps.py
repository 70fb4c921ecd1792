"""Published and measured side by side: each in its own panel, on its own scale."""

from __future__ import annotations

from typing import Any

import pandas as pd

from roundtrip.present.chapter import RATE, TIME, Chapter
from roundtrip.present.comparability import refuse_mixed_kinds
from roundtrip.present.figure import Figure
from roundtrip.present.measured.means import PERCENTILES, Measured
from roundtrip.present.measured.variants import means_of
from roundtrip.present.numbers import size_label
from roundtrip.present.plot.chart import chart
from roundtrip.present.theme import style_of
from support.shared.quantities_at import quantities_at

_MEASURED = "Measured here"
_KEY = {"curve": "read off a chart", "dot": "printed peak"}


def sweeps_beside_published(
    here: Measured, peaks: pd.DataFrame, curves: pd.DataFrame | None, *, title: str, caption: str
) -> Figure | None:
    """Draw rate and CPU over requesters: a panel published, a panel measured here.

    Parameters
    ----------
    here : Measured
        One delivery mode of a campaign.
    peaks : pandas.DataFrame
        Published peaks by message size: ``clients``, a rate and ``cpu``. Drawn as marks.
    curves : pandas.DataFrame or None
        Published sweep of one message size, read from a drawing. Drawn as a line.
    title, caption : str
        The finding; what is drawn.

    Returns
    -------
    Figure or None
        None when nothing was measured. Means over repetitions carry their confidence interval.
    """
    if not here.exists:
        return None
    chapter = here.chapter
    panel = "Published"
    if curves is not None and not curves.empty:
        # Here, because the legend has room for the sizes only, which both share.
        line = curves["row_label"].iloc[0]
        panel += f" (marks: {chapter.about.short_title}, line: {line})"
    rows = _published(chapter, peaks, "clients", "dot", caption, panel)
    if curves is not None:
        curves = curves.sort_values("requesters", kind="stable")
        rows = _published(chapter, curves, "requesters", "curve", caption, panel) + rows
    rates = means_of(here, "message_bytes", "requesters")
    shares = means_of(here, "message_bytes", "requesters", metric="machine_cpu")
    found = rates.merge(shares, on=["message_bytes", "requesters"], how="left")
    rows += [
        {
            "panel": _MEASURED, "message_bytes": int(size), "mark": "line", "requesters": count,
            RATE: rate, "cpu": cpu,
        }
        for size, count, rate, cpu in zip(
            found["message_bytes"], found["requesters"], found[RATE], found["machine_cpu"],
            strict=True,
        )
    ]  # fmt: skip
    sizes = sorted({row["message_bytes"] for row in rows})
    styles = {size_label(size): style_of(str(size), at) for at, size in enumerate(sizes)}
    return chart(
        chapter, pd.DataFrame(rows), x="requesters", y=(RATE, "cpu"), mark="mark",
        series="message_bytes", panels="panel", one_scale=False, log={"requesters", RATE},
        styles=styles, key=_KEY, title=title, caption=caption, varied=None,
    )  # fmt: skip


def _published(
    chapter: Chapter, points: pd.DataFrame, across: str, mark: str, caption: str, panel: str
) -> list[dict[str, Any]]:
    refuse_mixed_kinds(points, caption)
    rows = []
    for at in points.index:
        point = points.loc[[at]]
        values = {
            metric: chapter.quantities(point, metric)[0]
            for metric in (RATE, "cpu")
            if metric in point and point[metric].notna().all()
        }
        size, count = point["message_bytes"].iloc[0], point[across].iloc[0]
        rows.append({"panel": panel, "message_bytes": int(size), "mark": mark,
                     "requesters": float(count), RATE: None, "cpu": None, **values})  # fmt: skip
    return rows


def latency_panels(here: Measured, *, title: str, caption: str) -> Figure | None:
    """Draw percentiles of the time of a round trip over requesters, a panel for each size.

    Parameters
    ----------
    title, caption : str
        The finding; what is drawn.

    Returns
    -------
    Figure or None
        None when nothing was measured.
    """
    if not here.exists:
        return None
    parts = []
    for statistic, label in PERCENTILES.items():
        part = means_of(here, "message_bytes", "requesters", metric=TIME, statistic=statistic)
        # As in tables, a mean of some of the runs is no mean of the point.
        whole = [
            quantities_at(here, [(TIME, statistic)], message_bytes=size, requesters=level) != [None]
            for size, level in zip(part["message_bytes"], part["requesters"], strict=True)
        ]
        parts.append(part.loc[whole].assign(percentile=label))
    rows = pd.concat([part for part in parts if not part.empty] or parts[:1])
    if rows.empty:
        return None
    return chart(
        here.chapter, rows, x="requesters", y=TIME, mark="line", series="percentile",
        panels="message_bytes", log={"requesters", TIME}, title=title, caption=caption,
    )  # fmt: skip
