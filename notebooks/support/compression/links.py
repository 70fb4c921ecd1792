"""The links of a campaign by their own measures: what was asked of them, and what they did."""

from __future__ import annotations

import math
from dataclasses import replace

from roundtrip.present import Measured, Table
from roundtrip.present.quantities import Row, quantity_table
from support.shared.quantities_at import quantities_at

LIMIT = "link_limit_gbps"
_COLUMNS = (
    ("link_round_trip_time", "p50"), ("link_throughput", "p50"), ("round_trip_rate", "mean"),
    ("link_cpu", "mean"),
)  # fmt: skip


def client_links_table(here: Measured, *, caption: str, **factors: object) -> Table | None:
    """List the links that clients used: measured delay and throughput, and the rate over each.

    Parameters
    ----------
    **factors
        Values of the factors other than the link's, so that each link is one operating point.

    Returns
    -------
    Table or None
        None where no link was measured.
    """
    chapter = here.chapter
    rows: list[Row] = []
    for link in here.levels("link", **factors):
        for limit in here.levels(LIMIT, **factors, link=link):
            at = {**factors, "link": link, LIMIT: limit}
            found = quantities_at(here, _COLUMNS, **at)
            if found[0] is not None:
                probes = here.mean("link_throughput", "p50", **at)
                ends = "\u2013"
                if probes is not None and (speed := found[1]) is not None:
                    decimals = max(0, 2 - math.floor(math.log10(speed.value)))
                    found[1] = replace(speed, decimals=decimals)
                    ends = "\u2013".join(
                        chapter.numbers.write(end(probes.values), decimals) for end in (min, max)
                    )
                name = link if link == "direct" else f"{link}, {chapter.level(LIMIT, limit)}"
                rows.append(Row(name, (*found[:2], ends, *found[2:])))
    if not rows:
        return None
    return quantity_table(
        chapter,
        rows,
        header=["Link", "Round trip of one byte (ms)", "Throughput (Gb/s)",
                "Lowest\u2013highest (Gb/s)", chapter.label("round_trip_rate"),
                "CPU of the proxy (%)"],
        caption=caption,
        by_row=True,
        notes=(
            "Round trip and throughput: medians of a probe over the link before each run, "
            "averaged over the runs. Limited and unlimited links are compared through the same "
            "proxy; the direct link shows the cost of the proxy itself.",
        ),
    )  # fmt: skip
