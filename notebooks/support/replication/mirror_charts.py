"""Charts of a measured mirror: its rate over the delay of its link, its backlog over time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from roundtrip.present import Figure, Measured, Quantity, chart, means_of, style_of
from roundtrip.present.chapter import RATE
from roundtrip.present.measured.shares import share_of
from roundtrip.present.plot.canvas import Canvas, Value, plot_text
from roundtrip.present.plot.rows import Number
from support.replication.backlog import never_gone
from support.replication.mirror import DELAY, Arranged, arranged
from support.shared.cases import is_known, measured_share

_NONE = "no replication"
_BEYOND = 1.25
"""Of the time in which the slowest backlog goes: how far the axis of a backlog reaches."""


def delay_beside_published(
    here: Measured, published: Mapping[float, Quantity], *, name: str, title: str, caption: str
) -> Figure | None:
    """Draw the share of the rate without delay: a panel published, a panel measured.

    Parameters
    ----------
    published : mapping
        Added delay in ms to the share of the rate without delay, in percent.
    name : str
        What the published side is.
    title, caption : str
        The finding; what is drawn.

    Returns
    -------
    Figure or None
        None when nothing was measured.
    """
    if not here.exists:
        return None
    rows: list[tuple[str, str, float, Quantity | Number]]
    rows = [("Published", name, delay, share) for delay, share in sorted(published.items())]
    styles = {name: style_of("DR")}
    for position, mode in enumerate(here.levels("mirroring")):
        styles[mode] = style_of(mode, position)
        at = {"mirroring": mode, "replication_link": "proxy"}
        for delay in here.levels(DELAY, **at):
            share = share_of(here, {**at, DELAY: delay}, {**at, DELAY: 0.0})
            if share is not None and is_known(share):
                rows.append(("Measured here: mirror", mode, delay, measured_share(here, share)))
    return chart(
        here.chapter, pd.DataFrame(rows, columns=["panel", "mode", DELAY, "share"]), mark="line",
        x=DELAY, y="share", series="mode", panels="panel", styles=styles, varied=None,
        x_title="Added delay of the link (ms)",
        y_title="Share of the rate without delay (%)", title=title, caption=caption,
    )  # fmt: skip


def mirror_lines(here: Measured, *, title: str, caption: str) -> Figure | None:
    """Draw the rate over the delay of the link, a line for each mode, and that without a mirror.

    Parameters
    ----------
    title, caption : str
        The finding; what is drawn.

    Returns
    -------
    Figure or None
        None when no mirror was measured.
    """
    if not here.levels("mirroring"):
        return None
    rows = means_of(here, "mirroring", DELAY, replication_link="proxy").assign(mark="line")
    if (none := here.mean(replication="none")) is not None:
        ends = {"mirroring": _NONE, DELAY: [rows[DELAY].min(), rows[DELAY].max()]}
        rows = pd.concat([rows, pd.DataFrame({**ends, RATE: [none] * 2, "mark": "curve"})])
    return chart(
        here.chapter, rows, x=DELAY, y=RATE, series="mirroring", mark="mark",
        styles={_NONE: style_of("none")}, title=title, caption=caption,
        x_title="Added delay of the replication link, there and back (ms)",
    )  # fmt: skip


def backlog_over_time(here: Measured, *, title: str, caption: str) -> Figure | None:
    """Draw how the backlog grows and goes, each way of arranging it as a line.

    Parameters
    ----------
    here : Measured
        A campaign of the course ``backlog``.
    title, caption : str
        The finding; what is drawn.

    Returns
    -------
    Figure or None
        None when nothing was measured. Means over runs, with the lowest and highest run as a band;
        a run whose backlog has gone counts as empty from then on. A run whose backlog is never gone
        has a line of its own.
    """
    ways = arranged(here)
    if not ways or here.manifest is None:
        return None
    chapter = here.chapter
    canvas = Canvas(chapter, title, height=350)
    in_legend = []
    longest = 0.0
    for position, way in enumerate(ways):
        times, repetitions, runs = _series(here, way)
        highest = here.mean("backlog_messages", "maximum", **way.factors)
        if not times.size or highest is None:
            continue
        style = style_of(way.label, position)
        left = np.isin(repetitions, never_gone(here, way))
        for run in runs[left]:
            in_legend.append(f"{way.label}: a run that sustains it")
            canvas.figure.add_trace(
                go.Scatter(
                    x=times, y=run, mode="lines", line={"color": style.color, "width": 1},
                    name=plot_text(in_legend[-1]),
                    hovertemplate="%{x:.2f} s: %{y:,.0f} messages<extra>%{fullData.name}</extra>",
                )
            )  # fmt: skip
        if left.all():
            continue
        in_legend.append(way.label)
        runs = runs[~left]
        longest = max(longest, *times[(runs > 0).any(axis=0)])
        mean = runs.mean(axis=0)
        _band(canvas.figure, times, runs, style.color)
        canvas.figure.add_trace(
            go.Scatter(
                x=times, y=mean, mode="lines+markers", name=plot_text(way.label),
                line={"color": style.color, "dash": style.dash, "width": 2},
                marker={"color": style.color, "symbol": f"{style.symbol}-open", "size": 5},
                hovertemplate="%{x:.2f} s: %{y:,.0f} messages<extra>%{fullData.name}</extra>",
            )
        )  # fmt: skip
        top = int(mean.argmax())
        cells = highest.quantity.cells
        for at in sorted({0, top, len(times) - 1}):
            place, count = f"at {chapter.numbers.write(times[at], 2)} s", float(mean[at])
            shown = chapter.numbers.write(count, 0)
            number = Number(Quantity(count, "messages", cells), shown, count, count)
            canvas.values.append(Value(way.label, place, number, cells))
    if not in_legend:
        return None
    canvas.figure.add_vrect(
        x0=0, x1=here.manifest.plan.measure_seconds, fillcolor=canvas.colors.rule,
        opacity=0.5, line_width=0, layer="below",
        annotation_text="overload", annotation_position="top left",
        annotation_font={"size": 12, "color": canvas.colors.ink},
    )  # fmt: skip
    canvas.figure.update_xaxes(title_text="Time since the start of the overload (s)")
    if longest:  # what never goes would push the rest together
        canvas.figure.update_xaxes(range=[0, _BEYOND * longest])
    canvas.figure.update_yaxes(title_text="Backlog (messages)", rangemode="tozero")
    canvas.figure.update_layout(showlegend=True)
    canvas.fit_legend(in_legend)
    return canvas.finish("Lines over time", caption)


def _series(here: Measured, way: Arranged) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Give the times, the repetitions, and the backlog of each of these at each of those."""
    rows = here.rows(way.factors)
    rows = rows[(rows["metric"] == "backlog_messages") & rows["interval"].notna()]
    table = rows.pivot_table(index="repetition", columns="interval", values="value")
    runs = table.fillna(0.0).to_numpy(dtype=float)
    return np.array(table.columns, dtype=float), np.array(table.index), runs


def _band(figure: go.Figure, times: np.ndarray, runs: np.ndarray, color: str) -> None:
    if len(runs) < 2:
        return
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    figure.add_trace(
        go.Scatter(
            x=[*times, *times[::-1]], y=[*runs.max(axis=0), *runs.min(axis=0)[::-1]],
            fill="toself", fillcolor=f"rgba({red},{green},{blue},0.15)", line={"width": 0},
            hoverinfo="skip", showlegend=False, mode="lines",
        )
    )  # fmt: skip
