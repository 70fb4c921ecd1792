"""Values of the same kind of work in reports of different years."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, chart
from roundtrip.present.theme import Style
from support.highlights.eras import Era


def timeline(
    chapter: Chapter,
    eras: Sequence[Era],
    read: Callable[[Era], Quantity | None],
    *,
    axis: str,
    styles: Mapping[str, Style],
    title: str,
    caption: str,
) -> Figure:
    """Draw a value of each era, the reports from the oldest to the newest.

    Parameters
    ----------
    eras : sequence of Era
        Those without a value are left out.
    read : callable
        Gives the value of an era; all have one unit.
    axis : str
        Label of their axis.
    styles : mapping
        Style of each kind of work.
    title, caption : str
        The finding; what is drawn.
    """
    rows = [
        (f"{item.year}: {item.name}", item.kind, read(item))
        for item in sorted(eras, key=lambda item: item.year)
    ]
    return chart(
        chapter,
        pd.DataFrame(rows, columns=["report", "kind", "value"]),
        x="report",
        y="value",
        mark="dot",
        series="kind",
        horizontal=True,
        log={"value"},
        y_title=axis,
        styles=styles,
        varied=None,
        title=title,
        caption=caption,
    )
