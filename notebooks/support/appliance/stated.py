"""What the text of the source states beside its tables: M2001A, and connecting many clients."""

from __future__ import annotations

from types import SimpleNamespace

from roundtrip.present import Chapter, Quantity, size_label


def stated(chapter: Chapter) -> SimpleNamespace:
    """Give the values that the text states.

    Returns
    -------
    namespace
        The rate of M2003A over that of M2001A: ``plain`` for non-persistent messages of
        ``plain_size``, ``logged`` for persistent ones of ``logged_size``, ``with_ha`` with HA as
        well. ``requesters`` that connect at once, the ``seconds`` it takes, and how many make
        ``each`` of them.
    """
    points = chapter.points("text")
    ratios = points[points["product_rate_ratio"].notna()]
    plain, logged, with_ha = chapter.quantities(ratios, "product_rate_ratio")
    plain_size, *_, logged_size = map(size_label, ratios["message_bytes"])
    connecting = points[points["connection_time"].notna()]
    seconds = chapter.quantities(connecting, "connection_time")[0]
    requesters = Quantity(float(connecting["requesters"].iloc[0]), "", seconds.cells)
    return SimpleNamespace(
        plain=plain, logged=logged, with_ha=with_ha, plain_size=plain_size, logged_size=logged_size,
        requesters=requesters, seconds=seconds, each=requesters.times(1 / seconds.value),
    )  # fmt: skip
