"""MIQM, RDQM and a queue manager on SAN: their peaks, without and with delay between the hosts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, Table, Text, chart, relative, size_label
from roundtrip.present.chapter import RATE
from roundtrip.present.quantities import Row, quantity_table
from support.shared.replication import kept_shares, written_ends

DELAY = "ha_link_rtt_ms"
VARIED = ("ha", DELAY)
"""What arrangements differ in; the links of a single queue manager have no delay."""


@dataclass(frozen=True)
class Arrangements:
    """Peaks of the arrangements, of which the column ``arrangement`` gives the name.

    Attributes
    ----------
    chapter : Chapter
    near, far : pandas.DataFrame
        Without added delay; those that have links, over all delays.
    baseline : str
        The arrangement that the others are compared with.
    """

    chapter: Chapter
    near: pd.DataFrame
    far: pd.DataFrame
    baseline: str

    @cached_property
    def sizes(self) -> list[float]:
        """The message sizes."""
        return sorted(set(self.near["message_bytes"]))

    @property
    def smallest(self) -> str:
        """The smallest message size."""
        return size_label(self.sizes[0])

    @cached_property
    def delays(self) -> list[float]:
        """The delays, from none on."""
        return sorted(set(self.far[DELAY]))

    @cached_property
    def names(self) -> Mapping[str, str]:
        """What readers call the arrangements."""
        kinds = dict.fromkeys(self.near["arrangement"])
        return {kind: "SAN, no HA" if kind == "SAN" else kind for kind in kinds}

    @property
    def base(self) -> str:
        """What readers call the baseline."""
        return self.names[self.baseline]

    @cached_property
    def shares(self) -> dict[tuple[str, float], Quantity]:
        """What each arrangement reaches of the rate of the baseline, by message size."""
        return {
            (kind, size): self.of(kind, size).percent_of(self.of(self.baseline, size))
            for kind in self.names
            for size in self.sizes
            if kind != self.baseline
        }

    @cached_property
    def kept(self) -> list[tuple[tuple[Any, ...], float, Quantity]]:
        """What each delay leaves of the rate without one, by arrangement and message size."""
        return kept_shares(self.chapter, self.far, DELAY, ["arrangement", "message_bytes"], 0)

    @property
    def losses(self) -> Text:
        """What each arrangement loses at each delay, with the smallest message."""
        losses = [
            self.chapter.text(
                "{kind} loses {loss} at {delay}",
                kind=kind,
                loss=self.chapter.complement(share),
                delay=f"{delay:g} ms",
            ).markdown
            for (kind, size), delay, share in self.kept
            if size == self.sizes[0] and delay > self.delays[0]
        ]
        return Text(", ".join(losses))

    @cached_property
    def busiest(self) -> tuple[str, float]:
        """The arrangement and size whose peak without delay uses most of the processors."""
        used = {key: self.of(*key, "cpu").value for key in self._points}
        return max(used, key=used.__getitem__)

    @property
    def most_cpu(self) -> Quantity:
        """How much that peak uses."""
        return self.of(*self.busiest, "cpu")

    @property
    def _points(self) -> list[tuple[str, float]]:
        return [(kind, size) for kind in self.names for size in self.sizes]

    def of(self, kind: str, size: float, metric: str = RATE) -> Quantity:
        """Give what an arrangement reaches without added delay."""
        return self.chapter.quantity(self.near, metric, arrangement=kind, message_bytes=size)

    def beside_single(self, kind: str, size: float) -> dict[str, Quantity]:
        """Give the share of a pair with a shared store; nothing where that is not shown."""
        shown = (kind, size) in self.shares
        return {"shared store": self.shares[kind, size]} if shown else {}

    def kept_by(self, kind: str, size: float) -> dict[float, Quantity]:
        """Give what each added delay leaves; nothing where that is not shown."""
        return {
            delay: share
            for key, delay, share in self.kept
            if key == (kind, size) and delay > self.delays[0]
        }


def arrangements(chapter: Chapter, baseline: str) -> Arrangements:
    """Give the arrangements that this edition shows, and the baseline.

    Parameters
    ----------
    chapter : Chapter
    baseline : str
    """

    def shown(*tables: str) -> pd.DataFrame:
        points = chapter.points(*tables)
        # A queue manager without HA is named by its storage.
        names = points["ha"].where(points["ha"] != "none", points["log_storage"])
        chosen = names.notna()
        if set(chapter.variants) & set(names):
            chosen = names.isin([*chapter.variants, baseline])
        return points.assign(arrangement=names)[chosen].reset_index(drop=True)

    near, far = shown("table-13"), shown("table-13", "table-14", "table-15")
    return Arrangements(chapter, near, far[far[DELAY].notna()].reset_index(drop=True), baseline)


def near_figure(found: Arrangements, *, caption: str) -> Figure:
    """Draw the rates relative to the baseline, by message size."""
    chapter, shares = found.chapter, found.shares
    low, top = (end(shares, key=lambda key: shares[key].value) for end in (min, max))
    return chart(
        chapter,
        relative(chapter, found.near, of="arrangement", baseline=found.baseline),
        x="message_bytes",
        y="share",
        y_title=f"Rate relative to {found.base} (%)",
        reference=(100, f"{found.base} = 100 %"),
        varied=VARIED,
        series="arrangement",
        names=found.names,
        title=(
            f"{top[0]} reaches {chapter.write(shares[top])} of the rate of {found.base} at "
            f"{size_label(top[1])}, {low[0]} {chapter.write(shares[low])} at {size_label(low[1])}"
        ),
        caption=caption,
    )


def delay_figure(found: Arrangements, *, caption: str) -> Figure:
    """Draw the rates over the delay of the links, by message size."""
    longest = found.delays[-1]
    low, high = written_ends(
        found.chapter, {key: share for key, delay, share in found.kept if delay == longest}
    )
    return chart(
        found.chapter,
        found.far,
        mark="line",
        x=DELAY,
        y=RATE,
        panels="message_bytes",
        columns=6,
        one_scale=False,
        varied=("ha",),
        series="arrangement",
        title=f"{longest:g} ms of link delay leave between {low} and {high} of the rate",
        caption=caption,
    )


def kept_table(found: Arrangements, *, caption: str) -> Table:
    """List which share of the rate without added delay each delay leaves."""
    rows = []
    for size in found.sizes:
        rows.append(Row(f"Message size {size_label(size)}"))
        for kind in dict.fromkeys(kind for (kind, _), *_ in found.kept):
            left = [share for key, _, share in found.kept if key == (kind, size)]
            rows.append(Row(kind, tuple(left)))
    level = found.chapter.level
    header = ["", *(f"{level(DELAY, delay)} (%)" for delay in found.delays)]
    return quantity_table(found.chapter, rows, caption=caption, header=header)


def cpu_figure(found: Arrangements, *, caption: str) -> Figure:
    """Draw the rate of each peak without added delay over the processor time that it uses."""
    kind, size = found.busiest
    return chart(
        found.chapter,
        found.near,
        mark="line",
        x="cpu",
        y=RATE,
        labels="message_bytes",
        log={RATE},
        varied=VARIED,
        series="arrangement",
        names=found.names,
        title=(
            f"No peak uses up the processors; the busiest is {kind} at {size_label(size)} with "
            f"{found.chapter.write(found.most_cpu)}"
        ),
        caption=caption,
    )
