"""What the text of the source states beside its tables: M2001A, and connecting many clients."""

from __future__ import annotations

from dataclasses import dataclass

from roundtrip.present import Chapter, Quantity, size_label


@dataclass(frozen=True)
class Stated:
    """Values from the text.

    Attributes
    ----------
    plain, logged, with_ha : Quantity
        Rate of M2003A over that of M2001A: non-persistent, persistent, and with HA as well.
    plain_size, logged_size : str
        Message sizes of these ratios.
    requesters, seconds, each : Quantity
        Requesters that connect at once, the time it takes, and connections in a second.
    """

    plain: Quantity
    logged: Quantity
    with_ha: Quantity
    plain_size: str
    logged_size: str
    requesters: Quantity
    seconds: Quantity
    each: Quantity


def stated(chapter: Chapter) -> Stated:
    """Give the values that the text states."""
    points = chapter.points("text")
    ratios = points[points["product_rate_ratio"].notna()]
    sizes = [size_label(size) for size in ratios["message_bytes"]]
    connecting = points[points["connection_time"].notna()]
    seconds = chapter.quantities(connecting, "connection_time")[0]
    requesters = Quantity(float(connecting["requesters"].iloc[0]), "", seconds.cells)
    each = Quantity(requesters.value / seconds.value, "", seconds.cells)
    plain, logged, with_ha = chapter.quantities(ratios, "product_rate_ratio")
    return Stated(plain, logged, with_ha, sizes[0], sizes[-1], requesters, seconds, each)
