"""Figures of the answer: headroom by limit, rate over requesters, response time over the rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from roundtrip.present import Figure, chart, plotly_figure, style_of
from roundtrip.sizing.answer import AT_LEAST, OTHER_MACHINE, Answer, Estimate
from roundtrip.theme import load_theme
from support.sizing.sized import LIMITS, RATE, Sized

_POINTS = 24


def headroom_figure(sized: Sized, *, caption: str) -> Figure:
    """Draw what each limit leaves, as a multiple of the rate in two years."""
    times = sized.workload.target_utilisation / sized.workload.later
    limits = {LIMITS[name]: rate * times for name, rate in sized.first.limits.items()}
    rows = [(name[:1].upper() + name[1:], sized.quantity(value)) for name, value in limits.items()]
    return chart(
        sized.chapter,
        pd.DataFrame(rows, columns=["limit", "headroom"]),
        x="limit",
        y="headroom",
        mark="dot",
        horizontal=True,
        log={"headroom"},
        reference=(1, "the rate in two years"),
        y_title="Headroom: rate over the rate in two years",
        varied=None,
        title=f"Headroom is {sized.written(sized.first.headroom)}, limited by {sized.limit}",
        caption=caption,
    )


def _line(sized: Sized) -> dict[str, Any]:
    """Give the look of a line that values are compared with."""
    return {"dash": "dot", "width": 1.4, "color": load_theme(sized.chapter.project).light.ink}


def _name_line(sized: Sized, drawn: go.Figure) -> None:
    """Name the line of the later rate in the legend."""
    name = "the rate in two years"
    drawn.add_scatter(x=[None], y=[None], mode="lines", line=_line(sized), name=name)


def rate_figure(sized: Sized, *, caption: str) -> Figure | None:
    """Draw the highest rate over the number of requesters, with its 90 % interval.

    Where requesters may do more by an unknown amount, the interval has an upper end that says
    nothing of them: it is drawn at the workload's number only.

    Returns
    -------
    Figure or None
        None for a machine other than the measured one: what its requesters reach is not known.
    """
    if sized.first.no_response == OTHER_MACHINE:
        return None
    most = 4 * sized.workload.connections
    numbers = sorted({max(1, round(most * step / _POINTS)) for step in range(1, _POINTS + 1)})
    found = [_with(sized, connections=number).highest for number in numbers]
    at_least = AT_LEAST in sized.first.limits
    drawn = _banded(
        sized, numbers, found, "highest rate",
        f"%{{x}} requesters: %{{text}} {sized.chapter.rate_unit}<extra></extra>",
        band=not at_least,
    )  # fmt: skip
    style, here = style_of("persistent"), sized.first.highest
    bar: dict[str, Any] = {
        "type": "data", "symmetric": False, "thickness": 1.3, "width": 4,
        "color": style.color, "array": [here.high - here.value],
        "arrayminus": [here.value - here.low], "visible": at_least and math.isfinite(here.high),
    }  # fmt: skip
    drawn.add_scatter(
        x=[sized.workload.connections], y=[here.value], mode="markers", hoverinfo="skip",
        marker={"color": style.color, "symbol": style.symbol, "size": 11}, error_y=bar,
        name="the workload, with its 90 % interval", showlegend=bar["visible"],
    )  # fmt: skip
    drawn.add_hline(y=sized.workload.later, line=_line(sized))
    _name_line(sized, drawn)
    drawn.update_xaxes(title_text="Requesters", range=[0, most])
    drawn.update_yaxes(title_text="Round trips/s", rangemode="tozero")
    write = sized.chapter.numbers.write
    highest = f"{sized.chapter.write(sized.highest)} ({sized.between(here)})"
    return plotly_figure(
        sized.chapter, drawn, [sized.quantity(one.value, RATE) for one in found],
        title=f"{write(sized.workload.connections)} requesters reach an estimated {highest}",
        caption=caption,
        alt=f"Line with {'an interval' if at_least else 'a band'}: "
        f"{sized.written(found[0])} with {numbers[0]} requesters, "
        f"{sized.written(found[-1])} with {numbers[-1]}.",
    )  # fmt: skip


def response_figure(sized: Sized, *, caption: str) -> Figure | None:
    """Draw the response time over the rate, with its 90 % interval.

    Returns
    -------
    Figure or None
        None where only the response time at the peak is known: the line would be flat. None for a
        machine other than the measured one.
    """
    if sized.first.at_peak or sized.first.no_response == OTHER_MACHINE:
        return None
    highest = sized.first.highest.value
    rates, found = [], []
    for rate in (highest * step / _POINTS for step in range(1, _POINTS)):
        answered = _with(sized, rate=rate, rate_in_two_years=None).response
        if answered is not None and math.isfinite(answered.value):
            rates.append(rate)
            found.append(answered.scaled(1000))
    drawn = _banded(
        sized, rates, found, "response time", "%{x:,.0f} round trips/s: %{text} ms<extra></extra>"
    )
    drawn.update_xaxes(title_text="Round trips/s", range=[0, highest])
    drawn.update_yaxes(title_text="Response time (ms)", rangemode="tozero")
    asked, title = sized.first.response, "The rate in two years is not reached"
    if asked is not None:
        drawn.add_vline(x=sized.workload.later, line=_line(sized))
        _name_line(sized, drawn)
        time = sized.chapter.write(sized.quantity(1000 * asked.value, "ms"))
        title = f"A round trip takes {time} at the rate in two years"
    return plotly_figure(
        sized.chapter, drawn, [sized.quantity(one.value, "ms") for one in found],
        title=title, caption=caption,
        alt="Line with a band: "
        + ", ".join(
            f"{sized.written(found[end])} ms at {sized.chapter.numbers.write(rates[end])} {RATE}"
            for end in (0, -1)
        ) + ".",
    )  # fmt: skip


def _banded(
    sized: Sized, x: Sequence[float], found: Sequence[Estimate], name: str, hover: str,
    *, band: bool = True,
) -> go.Figure:  # fmt: skip
    """Draw estimates as a line within the band of their intervals, where these have ends."""
    style = style_of("persistent")
    drawn = go.Figure()
    if band and all(math.isfinite(one.high) for one in found):
        drawn.add_scatter(
            x=[*x, *reversed(x)],
            y=[*(one.high for one in found), *reversed([one.low for one in found])],
            fill="toself", mode="lines", line={"width": 0, "color": style.color}, opacity=0.25,
            name="90 % interval", hoverinfo="skip",
        )  # fmt: skip
    drawn.add_scatter(
        x=list(x), y=[one.value for one in found], mode="lines",
        line={"color": style.color, "width": 2}, name=name,
        text=[sized.written(one) for one in found], hovertemplate=hover,
    )  # fmt: skip
    return drawn


def _with(sized: Sized, **changes: float | None) -> Answer:
    workload = sized.workload.model_copy(update=changes)
    return sized.sizing.answer(sized.first.model, workload)
