"""What the chapter on appliance models needs beside operating points."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from roundtrip.present.chapter import RATE, Chapter
from roundtrip.present.charts.requester_sweeps import requesters_for
from roundtrip.present.numbers import Quantity
from roundtrip.present.tables import Table, plain_table
from roundtrip.sources.disclosure import Model

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
        none, HA, DR, or HA and DR. ``managers`` writes out the number of queue managers, and
        ``case`` tells persistence and protection.
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
    return points.assign(model=model, protection=protection, managers=managers, case=case)


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


def link_bandwidth(chapter: Chapter, host_set: str, carries: str) -> Quantity:
    """Give the bandwidth of the link of a host set that carries something, in Gb/s.

    Parameters
    ----------
    chapter : Chapter
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


def requesters_table(
    chapter: Chapter,
    curves: pd.DataFrame,
    *,
    group: str,
    row: str,
    shares: Sequence[float],
    caption: str,
    notes: Sequence[str] = (),
) -> Table:
    """List how many requesters a sweep needs for shares of its highest rate.

    Parameters
    ----------
    chapter : Chapter
    curves : pandas.DataFrame
        Whole sweeps.
    group, row : str
        Columns that together name a sweep.
    shares : sequence of float
        Between 0 and 1.
    caption : str
    notes : sequence of str

    Returns
    -------
    Table
    """
    rows = []
    for place in dict.fromkeys(curves[group]):
        of_place = curves[curves[group] == place]
        for name in dict.fromkeys(of_place[row]):
            curve = of_place[of_place[row] == name]
            line = [str(place), chapter.level(row, name)]
            for share in shares:
                point = requesters_for(curve, share)
                line += [f"{point['requesters']:g}", chapter.numbers.write(point[RATE])]
            rows.append(line)
    heads = []
    for share in shares:
        percent = chapter.write(Quantity(100 * share, "%", ()))
        heads += [f"Requesters for {percent}", chapter.label(RATE)]
    return plain_table(
        caption, ["", "", *heads], rows, group_by_first=True, notes=notes,
        right_columns=tuple(range(2, 2 + len(heads))),
    )  # fmt: skip


def models_table(chapter: Chapter, *, caption: str) -> Table:
    """Compare the hardware of the models that a report describes, a column for each.

    Parameters
    ----------
    chapter : Chapter
    caption : str

    Returns
    -------
    Table
        What is said of single models stands in its notes.
    """
    models = chapter.about.models
    fields: tuple[tuple[str, Callable[[Model], str]], ...] = (
        ("Processor", lambda m: m.processor or ""),
        (
            "Sockets × cores",
            lambda m: f"{m.sockets} × {m.cores_per_socket}" if m.sockets else "",
        ),
        ("Clock", lambda m: f"{m.clock_ghz:g} GHz" if m.clock_ghz else ""),
        ("Memory", lambda m: f"{m.memory_gb:g} GB" if m.memory_gb else ""),
        ("Storage", lambda m: m.storage or ""),
        ("Arrangement of disks", lambda m: m.io_subsystem or ""),
        ("Disk interface", lambda m: m.raid or ""),
        ("Ethernet for messages and replication", lambda m: ", ".join(m.workload_network)),
        ("Ethernet for management", lambda m: ", ".join(m.management_network)),
    )
    rows = [[name, *[read(m) or "not stated" for m in models.values()]] for name, read in fields]
    notes = [f"{name}: {model.note}" for name, model in models.items() if model.note]
    return plain_table(caption, ["", *models], rows, notes=notes)
