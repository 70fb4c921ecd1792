"""What the chapter on appliance models needs beside operating points."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from roundtrip.present.chapter import RATE, Chapter
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
        With two more columns: ``model``, the platform without the product's name, and
        ``protection``: none, HA, DR, or HA and DR.
    """
    ha = points["ha"] != "none"
    dr = points["replication"] != "none"
    protection = pd.Series("none", index=points.index)
    protection = protection.mask(ha, "HA").mask(dr, "DR").mask(ha & dr, "HA and DR")
    model = points["platform"].str.removeprefix("MQ Appliance ")
    return points.assign(model=model, protection=protection)


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
