"""Printed peaks of the models, by message size, persistence, copy and number of queue managers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, Table, chart, results_table, style_of
from roundtrip.present.chapter import RATE
from roundtrip.present.derived import cores_of
from support.shared.arrangements import arranged_peaks
from support.shared.ends import Ends, ends

ONE, TEN = "1 queue manager", "10 queue managers"
PLAIN, LOGGED = "non-persistent", "persistent"
PEAKS = (
    "table-04", "table-05", "table-17", "table-19", "table-21",
    "table-06", "table-07", "table-18", "table-20", "table-22",
)  # fmt: skip
GENERATIONS = ("table-01", "table-02", "table-03")
PROTECTED = {name: style_of(name) for name in ("HA", "DR", "HA and DR")}
CASES = {
    PLAIN: style_of("nonpersistent"),
    LOGGED: style_of("persistent"),
    **{f"{LOGGED}, {name}": style for name, style in PROTECTED.items()},
}
"""Styles of what is sent and how it is protected."""

RatioRow = tuple[str, str, str, Quantity]
"""Panel, series, message size, ratio."""
_MODEL = {"platform", "delivery", "message_bytes", "queue_managers", "ha", "replication"}
_PROTECTION = (
    "platform", "host_set", "ha", "replication", "consistency", "ha_link_rtt_ms",
    "replication_link_rtt_ms",
)  # fmt: skip


@dataclass(frozen=True)
class Peaks:
    """Printed peaks.

    Attributes
    ----------
    managers : str
        The number of queue managers that is meant where none is named.
    """

    chapter: Chapter
    points: pd.DataFrame
    managers: str = ONE

    @property
    def sizes(self) -> list[str]:
        """The message sizes, ascending."""
        return list(dict.fromkeys(self.points.sort_values("message_bytes")["size_name"]))

    def of(
        self, metric: str, size: str, case: str = LOGGED, model: str = "M2003A",
        managers: str | None = None,
    ) -> Quantity:  # fmt: skip
        """Give one value of one peak."""
        return self.chapter.quantity(
            self.points, metric, size_name=size, case=case, model=model,
            managers=managers or self.managers,
        )  # fmt: skip

    def rate(self, size: str, case: str = LOGGED, **where: str) -> Quantity:
        """Give the rate of a peak."""
        return self.of(RATE, size, case, **where)

    def cpu(self, size: str, case: str = LOGGED, **where: str) -> Quantity:
        """Give the processor time of a peak."""
        return self.of("cpu", size, case, **where)

    def gain(self, size: str, case: str = LOGGED) -> Quantity:
        """Give the rate of M2003A over that of M2002A."""
        return self.rate(size, case).over(self.rate(size, case, model="M2002A"))

    def ten_over_one(self, size: str, case: str = LOGGED, **where: str) -> Quantity:
        """Give the rate of ten queue managers over that of one."""
        ten, one = (self.rate(size, case, managers=managers, **where) for managers in (TEN, ONE))
        return ten.over(one)

    def core_time_of_ten(self, size: str) -> Quantity:
        """Give the core time of a round trip with ten queue managers, in percent of that with one.

        With persistence.
        """
        cpu = self.cpu(size, managers=TEN).over(self.cpu(size, managers=ONE))
        return cpu.percent_of(self.ten_over_one(size))

    def kept(self, protection: str, size: str, **where: str) -> Quantity:
        """Give the share of its rate that is left with HA, DR or both."""
        copied = self.rate(size, f"{LOGGED}, {protection}", **where)
        return copied.percent_of(self.rate(size, **where))


def read_peaks(chapter: Chapter, *tables: str, managers: str = ONE) -> Peaks:
    """Give the peaks of some tables, with the latency that the same rows print."""
    return Peaks(chapter, arranged_peaks(chapter, *tables), managers)


def core_counts(chapter: Chapter) -> dict[str, Quantity]:
    """Give the cores of the two models of one generation."""
    return {
        name: Quantity(cores_of(chapter, name.lower()), "", ()) for name in ("M2003A", "M2003B")
    }


def ratio_rows(
    chapter: Chapter, points: pd.DataFrame, *, of: str, base: str, panel: str,
    series: str | None = None, percent: bool = False,
) -> list[RatioRow]:  # fmt: skip
    """Put every rate in relation to the rate of the point that differs from it in one factor.

    Parameters
    ----------
    points : pandas.DataFrame
        One point for each message size, value of `of`, panel and series.
    of : str
        Factor, or column that a chapter made, whose values are compared.
    base : str
        Its value that is the denominator; it gives no rows.
    panel, series : str
        Columns that name the panel and the series; without `series` it is the value of `of`.
    percent : bool
        Give percent instead of a plain ratio.

    Returns
    -------
    list of (panel, series, message size, Quantity)
        Sizes rise. Points without counterpart are left out. What else differs than the factor,
        the chart of the rows states or refuses.
    """
    same = ["message_bytes", panel, *([series] if series else [])]
    rates = pd.Series(chapter.quantities(points), points.index, dtype=object)
    rated = points.assign(rate=rates).sort_values("message_bytes", kind="stable")
    is_base = rated[of] == base
    pairs = rated[~is_base].merge(
        rated.loc[is_base, [*same, "rate"]], on=same, suffixes=("", "_base"), validate="m:1"
    )
    rows = pairs[[panel, series or of, "size_name", "rate", "rate_base"]]
    return [
        (place, name, size, one.percent_of(other) if percent else one.over(other))
        for place, name, size, one, other in rows.itertuples(index=False, name=None)
    ]


def ratios(peaks: Peaks, of: str, base: str) -> list[RatioRow]:
    """Give rates over that of one model, or of one number of queue managers."""
    panel = "managers" if of == "model" else "model"
    return ratio_rows(peaks.chapter, peaks.points, of=of, base=base, panel=panel, series="case")


def small_ratios(peaks: Peaks, over_b: Sequence[RatioRow]) -> tuple[Ends, Ends]:
    """Give the ends of ratios at the two smallest sizes: one queue manager with a log, the rest."""
    small = [row for row in over_b if row[2] in peaks.sizes[:2]]
    logged_one = [row for row in small if row[0] == ONE and row[1] != PLAIN]
    return ends(logged_one), ends(row for row in small if row not in logged_one)


def generations_figure(found: Peaks, *, caption: str) -> Figure:
    """Draw what M2003A gives over M2002A."""
    gains = [row[1:] for row in ratios(found, "model", "M2002A")]
    of, write = ends(gains), found.chapter.write
    return chart(
        found.chapter, gains, y_title="Rate of M2003A over rate of M2002A",
        x_title="Message size", reference=(1, "the same rate"), styles=CASES,
        title=f"M2003A reaches {write(of.low)} ({of.low_at}) to {write(of.high)} times "
        f"({of.high_at}) the rate of M2002A",
        varied={"platform", "delivery", "message_bytes", "ha"}, caption=caption,
    )  # fmt: skip


def models_figure(found: Peaks, *, caption: str) -> Figure:
    """Draw what M2003A gives over M2003B."""
    counts = core_counts(found.chapter)
    cores = counts["M2003A"].over(counts["M2003B"], 0)
    rows = ratios(found, "model", "M2003B")
    of, write = ends(rows), found.chapter.write
    return chart(
        found.chapter, rows, y_title="M2003A over M2003B", x_title="Message size",
        reference=(cores.value, "ratio of their cores"), mark="line", styles=CASES,
        title=f"With {write(cores)} times the cores, M2003A reaches {write(of.low)} to "
        f"{write(of.high)} times the rate of M2003B",
        varied=_MODEL, caption=caption,
    )  # fmt: skip


def managers_figure(found: Peaks, *, caption: str) -> Figure:
    """Draw what ten queue managers give over one."""
    rows = ratios(found, "managers", ONE)
    of, write = ends(rows), found.chapter.write
    return chart(
        found.chapter, rows, y_title="Ten queue managers over one", x_title="Message size",
        reference=(1, "the same rate"), mark="line", styles=CASES,
        title=f"Ten queue managers reach {write(of.low)} ({of.low_at}) to {write(of.high)} times "
        f"({of.high_at}) the rate of one",
        varied=_MODEL, caption=caption,
    )  # fmt: skip


def protection_figure(found: Peaks, *, caption: str) -> Figure:
    """Draw the share of the rate that HA, DR or both leave."""
    points = found.chapter.select(found.points, delivery="persistent")
    points = points.assign(place=points["model"] + ", " + points["managers"])
    rows = ratio_rows(
        found.chapter, points, of="protection", base="none", panel="place", percent=True
    )
    of, write = ends(rows), found.chapter.write
    return chart(
        found.chapter, rows, mark="line", y_title="Rate relative to neither (%)",
        x_title="Message size",
        reference=(100, "neither HA nor DR"), styles=PROTECTED,
        title=f"HA, DR or both leave {write(of.low)} to {write(of.high)} of the rate with neither",
        varied=_MODEL - {"delivery"}, caption=caption,
    )  # fmt: skip


def protection_table(found: Peaks, managers: str, *, caption: str) -> Table:
    """List the persistent peaks of one number of queue managers, by HA, DR or both."""
    return results_table(
        found.chapter,
        found.chapter.select(found.points, delivery="persistent", managers=managers),
        caption=caption, group="protection", row="message_bytes", columns="model",
        baseline="M2003B", names={"none": "neither HA nor DR"}, varied=_PROTECTION,
    )  # fmt: skip
