"""Whether peaks fall alike where they were published and where they were measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from roundtrip.present.chapter import RATE, Chapter, Text
from roundtrip.present.measured.agreement import compared
from roundtrip.present.measured.means import Measured, interval_text
from roundtrip.present.measured.shares import share_of
from roundtrip.present.numbers import Quantity, size_label
from roundtrip.present.quantities import Entry, Row, quantity_table
from roundtrip.present.tables import Table

if TYPE_CHECKING:
    from roundtrip.stats.intervals import Interval


def size_agreement(here: Measured, peaks: pd.DataFrame) -> Text | None:
    """Compare how the rate falls with message size, published and measured, each by itself.

    Parameters
    ----------
    peaks : pandas.DataFrame
        Published peaks by message size.

    Returns
    -------
    Text or None
        None when fewer than two sizes are known on both sides.
    """
    if not here.exists:
        return None
    chapter = here.chapter
    both = sorted({int(s) for s in peaks["message_bytes"]} & set(here.levels("message_bytes")))
    if len(both) < 2:
        return None
    small, large = both[0], both[-1]
    printed = _published_share(chapter, peaks, small, large)
    share = _measured_share(here, {"message_bytes": large}, {"message_bytes": small})
    if printed is None or share is None:
        return None
    quantity, words, found = share
    agreed = compared(here, printed, found)
    return chapter.text(
        f"From {{small}} to {{large}} the published peak falls to {{printed}} of its value; here "
        f"the highest rate falls to {{here}}{words}. {agreed}",
        small=size_label(small), large=size_label(large), printed=printed, here=quantity,
    )  # fmt: skip


def delivery_agreement(here: Measured, peaks: pd.DataFrame) -> Text | None:
    """Compare the price of persistence, published and measured, each by itself.

    Parameters
    ----------
    here : Measured
        Of both delivery modes, run in the same scheduling class.
    peaks : pandas.DataFrame
        Published peaks of both delivery modes, by message size.
    """
    if not here.exists:
        return None
    chapter = here.chapter
    lines = []
    values: dict[str, Quantity | str | int] = {}
    for size in here.levels("message_bytes"):
        share = _measured_share(
            here, {"delivery": "persistent", "message_bytes": size},
            {"delivery": "nonpersistent", "message_bytes": size},
        )  # fmt: skip
        if share is None:
            continue
        quantity, words, found = share
        values |= {f"size{size}": size_label(size), f"here{size}": quantity}
        rows = peaks[peaks["message_bytes"] == size].set_index("delivery", drop=False)
        if {"persistent", "nonpersistent"} <= set(rows.index):
            printed = chapter.quantities(rows.loc[["persistent"]])[0].percent_of(
                chapter.quantities(rows.loc[["nonpersistent"]])[0]
            )
            values[f"printed{size}"] = printed
            agreed = compared(here, printed, found)
            beside = f"published {{printed{size}}}. {agreed}"
        else:
            beside = "no published result for this size."
        lines.append(f"- {{size{size}}}: here {{here{size}}}{words}; {beside}")
    if not lines:
        return None
    head = "Persistent messages as a share of the non-persistent rate, each at its peak:\n\n"
    return chapter.text(head + "\n".join(lines), **values)


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
    for size in here.levels("message_bytes") if here.exists else ():
        line: list[Entry] = []
        for mode in ("nonpersistent", "persistent"):
            at = {"message_bytes": size, "delivery": mode}
            peak = here.peak(**at)
            mean = None if peak is None else here.mean(**at, requesters=peak)
            if mean is not None:
                line += [mean.quantity, interval_text(chapter, mean), str(peak)]
        if len(line) == 6:
            rows.append(Row(size_label(size), tuple(line)))
    if not rows:
        return None
    (level,) = here.levels("scheduling_class")
    heads = [chapter.label(RATE), "95 % interval", "Requesters"]
    return quantity_table(
        chapter,
        rows,
        header=["Message size", *heads, *heads],
        over=[("Non-persistent", 3), ("Persistent", 3)],
        caption=caption,
        notes=(f"All runs of this table in the {level} scheduling class.",),
    )


def _published_share(
    chapter: Chapter, peaks: pd.DataFrame, small: int, large: int
) -> Quantity | None:
    found = {}
    for size in (small, large):
        rows = peaks[peaks["message_bytes"] == size]
        if len(rows) != 1:
            return None
        found[size] = chapter.quantities(rows, RATE)[0]
    return found[large].percent_of(found[small])


def _measured_share(
    here: Measured, of: dict[str, Any], base: dict[str, Any]
) -> tuple[Quantity, str, Interval] | None:
    """Give one highest rate as a share of another, with the words of its interval."""
    upper, lower = here.peak(**of), here.peak(**base)
    if upper is None or lower is None:
        return None
    share = share_of(here, {**of, "requesters": upper}, {**base, "requesters": lower})
    return None if share is None else (share.quantity, share.words(here.chapter), share.interval)
