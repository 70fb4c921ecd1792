"""How a report arranged its queue managers: models, protection, the links between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from roundtrip.present import Chapter, Quantity, size_label
from roundtrip.present.chapter import RATE

ALONE = "round_trip_time"
_OF_ALONE = (ALONE, f"{ALONE}_cell", f"{ALONE}_decimals")
_SAME_ROW = ("table_id", "row_label", "host_set", "platform", "ha", "replication")


def with_arrangement(points: pd.DataFrame) -> pd.DataFrame:
    """Name each point's model and how its queue managers are protected.

    Parameters
    ----------
    points : pandas.DataFrame
        From `Chapter.points`.

    Returns
    -------
    pandas.DataFrame
        With more columns. ``model`` is the platform without the product's name, ``protection``
        none, HA, DR, or HA and DR. ``managers`` writes out the number of queue managers,
        ``case`` tells persistence and protection, and ``size_name`` names the message size.
    """
    ha = points["ha"] != "none"
    dr = points["replication"] != "none"
    protection = pd.Series("none", index=points.index)
    protection = protection.mask(ha, "HA").mask(dr, "DR").mask(ha & dr, "HA and DR")
    model = points["platform"].str.removeprefix("MQ Appliance ")
    managers = points["queue_managers"].map(
        lambda n: f"{n:g} queue manager" + ("" if n == 1 else "s"), na_action="ignore"
    )
    kept = points["delivery"].map({"nonpersistent": "non-persistent"}).fillna(points["delivery"])
    case = kept.mask(protection != "none", kept + ", " + protection)
    size = points["message_bytes"].map(size_label, na_action="ignore")
    return points.assign(
        model=model, protection=protection, managers=managers, case=case, size_name=size
    )


def with_single_thread(points: pd.DataFrame) -> pd.DataFrame:
    """Put the latency that one requester alone saw beside the peak printed in the same row.

    A source that prints both in one row of a table gives two operating points: the peak, and the
    run of a single requester.

    Parameters
    ----------
    points : pandas.DataFrame
        From `Chapter.points`.

    Returns
    -------
    pandas.DataFrame
        The peaks only; where the source prints a latency, it is in ``round_trip_time``.
    """
    peaks = points[points[RATE].notna()]
    if ALONE not in points:
        return peaks.reset_index(drop=True)
    alone = points.loc[points[ALONE].notna(), [*_SAME_ROW, *_OF_ALONE]]
    joined = peaks.drop(columns=list(_OF_ALONE)).merge(
        alone, on=list(_SAME_ROW), how="left", validate="one_to_one"
    )
    return joined.reset_index(drop=True)


def arranged_peaks(chapter: Chapter, *tables: str, **factors: Any) -> pd.DataFrame:
    """Give the peaks of some tables, with what `with_arrangement` and `with_single_thread` add."""
    return with_arrangement(with_single_thread(chapter.points(*tables, **factors)))


@dataclass(frozen=True)
class Peaks:
    """Peaks with the round-trip time that a single requester saw.

    Attributes
    ----------
    points : pandas.DataFrame
        With the columns of `with_arrangement`.
    """

    chapter: Chapter
    points: pd.DataFrame

    @cached_property
    def sizes(self) -> list[float]:
        """The message sizes."""
        return sorted(set(self.points["message_bytes"]))

    @cached_property
    def managers(self) -> list[str]:
        """The numbers of queue managers in words, the smallest first."""
        return list(dict.fromkeys(self.points.sort_values("queue_managers")["managers"]))

    def of(self, protection: str, managers: str, size: float, metric: str = RATE) -> Quantity:
        """Give a value of a peak without delay."""
        factors = {"protection": protection, "managers": managers, "message_bytes": size}
        return self.chapter.quantity(self.points, metric, **factors)


def peaks(chapter: Chapter, *tables: str, **factors: Any) -> Peaks:
    """Give the peaks of some tables of the chapter's report."""
    return Peaks(chapter, arranged_peaks(chapter, *tables, **factors))


def link_bandwidth(chapter: Chapter, host_set: str, carries: str) -> Quantity:
    """Give the bandwidth of the link of a host set that carries something, in Gb/s.

    Parameters
    ----------
    host_set : str
        Key of the disclosure's host sets.
    carries : str
        First word of what the link carries, such as ``synchronous``.

    Raises
    ------
    ValueError
        If no such link is disclosed, or not its bandwidth.
    """
    for link in chapter.about.host_sets[host_set].links:
        if (link.carries or "").startswith(carries) and link.bandwidth_gbps:
            return Quantity(link.bandwidth_gbps, "Gb/s", ())
    raise ValueError(f"no link of {host_set} with a bandwidth carries {carries}")
