"""Published and measured peaks beside each other: in a table, and whether they relate alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from roundtrip.comparison_marks import NO_VERDICT
from roundtrip.present import Measured, Quantity, Table, Text, size_label
from roundtrip.present.chapter import RATE
from roundtrip.present.measured.agreement import compared
from roundtrip.present.measured.columns import Metric
from roundtrip.present.measured.means import interval_text
from roundtrip.present.measured.shares import Share, share_of
from roundtrip.present.quantities import Entry, Row, quantity_table
from support.shared.cases import marked_words
from support.shared.flows import LIMITED_BY_LINK, is_limited_by_link
from support.shared.lists import listed_under
from support.shared.quantities_at import quantities_at

_SHARES = (
    "Shares of these rates in the text are geometric means, formed within each block of runs and "
    "averaged over the blocks; they can differ from the ratio of the means shown."
)
_PROCESSORS = (("machine_cpu", "mean"), ("broker_cpu", "mean"))


def peaks_beside_table(here: Measured, peaks: pd.DataFrame, *, caption: str) -> Table | None:
    """Lay published peaks beside the highest points measured here, by message size.

    There is no ratio between the two sides: product, machine and driver differ all at once.

    Parameters
    ----------
    peaks : pandas.DataFrame
        Published peaks: ``message_bytes``, a rate, ``cpu`` and ``clients``.

    Returns
    -------
    Table or None
        None when nothing was measured.
    """
    if not here.exists:
        return None
    chapter = here.chapter
    rows: list[Row] = []
    published = {int(size) for size in peaks["message_bytes"]}
    for size in sorted(published.union(here.levels("message_bytes"))):
        of_size = peaks[peaks["message_bytes"] == size]
        line: list[Entry] = [None, None, None]
        if len(of_size) == 1:
            line = [chapter.quantities(of_size, m)[0] for m in (RATE, "clients", "cpu")]
        line += highest(here, _PROCESSORS, message_bytes=size) or [None] * 5
        rows.append(Row(size_label(size), tuple(line)))
    rate = chapter.label(RATE)
    return quantity_table(
        chapter,
        rows,
        header=["Message size", rate, "Requesters", "CPU (%)", rate, "95 % interval", "Requesters",
                "CPU (%)", "of which broker (points)"],
        over=[("Published", 3), ("Measured here", 5)],
        caption=caption,
        notes=(
            f"Published CPU is that of the queue manager's host only; here {_cpu(here)}", _SHARES,
        ),
    )  # fmt: skip


def highest(here: Measured, metrics: Sequence[Metric] = (), **at: Any) -> list[Entry]:
    """Give the highest rate over requesters, its interval, their number, and further means there.

    Returns
    -------
    list of Entry
        Empty where nothing was measured.
    """
    peak = here.peak(**at)
    mean = None if peak is None else here.mean(**at, requesters=peak)
    if mean is None:
        return []
    further = quantities_at(here, metrics, **at, requesters=peak)
    return [mean.quantity, interval_text(here.chapter, mean), str(peak), *further]


def _cpu(here: Measured) -> str:
    manifest = here.manifest
    if manifest is not None and manifest.broker_elsewhere:
        return "it is that of the machine of requesters and responders, without the broker."
    share = "with what the broker takes of it"
    if manifest is not None and not manifest.broker_restarted:
        share = "without a broker that was running already"
    return f"broker, requesters and responders share one machine, whose CPU is given {share}."


def size_agreement(here: Measured, peaks: pd.DataFrame) -> Text | None:
    """Compare how the rate goes with message size, published and measured, each by itself.

    Parameters
    ----------
    peaks : pandas.DataFrame
        Published peaks, one for each message size.

    Returns
    -------
    Text or None
        None when fewer than two sizes are known on both sides.
    """
    chapter = here.chapter
    both = sorted({int(s) for s in peaks["message_bytes"]} & set(here.levels("message_bytes")))
    if len(both) < 2:
        return None
    small = both[0]
    base, *printed = (chapter.quantity(peaks, message_bytes=size) for size in both)
    lines = []
    for size, peak in zip(both[1:], printed, strict=True):
        share = _measured_share(here, {"message_bytes": size}, {"message_bytes": small})
        if share is not None:
            pair = peaks[peaks["message_bytes"].isin([small, size])]
            limited = is_limited_by_link(chapter, pair, peaks)
            lines.append(_line(here, size, share, peak.percent_of(base), limited))
    return listed_under(f"The highest rate as a share of that at {size_label(small)}:", lines)


def delivery_agreement(here: Measured, peaks: pd.DataFrame) -> Text | None:
    """Compare the price of persistence, published and measured, each by itself.

    Parameters
    ----------
    here : Measured
        Of both delivery modes, run in the same scheduling class.
    peaks : pandas.DataFrame
        Published peaks of both delivery modes, by message size.
    """
    lines = []
    for size in here.levels("message_bytes"):
        share = _measured_share(
            here, {"delivery": "persistent", "message_bytes": size},
            {"delivery": "nonpersistent", "message_bytes": size},
        )  # fmt: skip
        if share is None:
            continue
        rows = peaks[peaks["message_bytes"] == size].set_index("delivery", drop=False)
        printed, limited = None, False
        if {"persistent", "nonpersistent"} <= set(rows.index):
            logged, plain = here.chapter.quantities(rows.loc[["persistent", "nonpersistent"]])
            printed = logged.percent_of(plain)
            limited = is_limited_by_link(here.chapter, rows, peaks)
        lines.append(_line(here, size, share, printed, limited))
    head = (
        "Persistent messages as a share of the non-persistent rate, each at its highest, both in "
        f"the {' and '.join(here.levels('scheduling_class'))} scheduling class:"
    )
    return listed_under(head, lines, "Both rates are in @tbl-persistent-delivery.")


def delivery_table(here: Measured, *, caption: str) -> Table | None:
    """Lay the highest points of both delivery modes beside each other, by message size.

    Parameters
    ----------
    here : Measured
        Of both delivery modes, run in the same scheduling class.

    Returns
    -------
    Table or None
        None when no size was measured with both.
    """
    chapter = here.chapter
    rows = []
    for size in here.levels("message_bytes"):
        plain, logged = (
            highest(here, message_bytes=size, delivery=mode)
            for mode in ("nonpersistent", "persistent")
        )
        if plain and logged:
            rows.append(Row(size_label(size), (*plain, *logged)))
    if not rows:
        return None
    (level,) = here.levels("scheduling_class")
    heads = [chapter.label(RATE), "95 % interval", "Requesters"]
    return quantity_table(
        chapter,
        rows,
        header=["Message size", *heads, *heads],
        over=[("non-persistent", 3), ("persistent", 3)],
        caption=caption,
        notes=(f"All runs of this table in the {level} scheduling class.", _SHARES),
    )


def _line(here: Measured, size: int, share: Share, printed: Quantity | None, limited: bool) -> str:
    """Tell a measured share of a message size, and whether the published one agrees.

    Where a link limited a published rate, there is no verdict.
    """
    shown, name = here.chapter.inline, size_label(size)
    beside = "no published result for this size."
    if printed is not None and limited:
        marked = marked_words(here.chapter, share)
        beside = f"published {shown(printed)}{marked}. {LIMITED_BY_LINK}{NO_VERDICT}"
    elif printed is not None:
        beside = f"published {shown(printed)}. {compared(here, printed, share, name=name)}"
    return f"- {name}: here {shown(share.quantity)}{share.words(here.chapter)}; {beside}"


def _measured_share(here: Measured, of: dict[str, Any], base: dict[str, Any]) -> Share | None:
    """Give one highest rate as a share of another."""
    upper, lower = here.peak(**of), here.peak(**base)
    if upper is None or lower is None:
        return None
    return share_of(here, {**of, "requesters": upper}, {**base, "requesters": lower})
