"""Compression measured by campaigns: what each method removes, and what agrees with the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, compress
from typing import Any

import pandas as pd

from roundtrip.outputs import listed
from roundtrip.present import Measured, Quantity, Table, Text, size_label
from roundtrip.present.measured.shares import Share, differing, share_of
from roundtrip.present.quantities import Row, quantity_table
from support.compression.links import LIMIT
from support.compression.published import RATE_OF
from support.shared.lists import listed_under

METHODS = ("none", "LZ4FAST", "LZ4HIGH", "ZLIBFAST", "ZLIBHIGH")
"""In the order of what they cost, as a reader looks for them."""
_PAYLOADS = {"json": "JSON", "file": "File", "random": "Random"}


def compression_rate_of(
    here: Measured, method: str, payload: str, message_bytes: int
) -> Quantity | None:
    """Give what a method removes of a payload, over all runs of any link.

    It depends on the content alone, so that runs over all links count alike.
    """
    factors = {"compression": method, "payload": payload, "message_bytes": message_bytes}
    rows = here.rows({"metric": RATE_OF, **factors}, ["observation_id", "value"])
    if rows.empty:
        return None
    cells = tuple(rows["observation_id"])
    return Quantity(float(rows["value"].mean()), "%", cells, 0, "measured")


def share_with(here: Measured, method: str, at: Mapping[str, Any]) -> Share | None:
    """Give the rate with a method as a share of that without compression."""
    return share_of(here, {**at, "compression": method}, {**at, "compression": "none"})


def compression_rates_table(
    here: Measured, published: pd.DataFrame, *, caption: str
) -> Table | None:
    """Lay published compression rates beside those measured here, by size, method and payload.

    Parameters
    ----------
    published : pandas.DataFrame
        Points with ``compression``, ``message_bytes`` and ``compression_rate``.

    Returns
    -------
    Table or None
        None where nothing was compressed.
    """
    chapter = here.chapter
    rows: list[Row] = []
    payloads = [name for name in _PAYLOADS if name in here.levels("payload")]
    for size in here.levels("message_bytes"):
        lines = []
        for method in METHODS[1:]:
            found = [compression_rate_of(here, method, payload, size) for payload in payloads]
            if any(found):
                printed = chapter.select(published, message_bytes=size, compression=method)
                beside = chapter.quantities(printed, RATE_OF)[0] if len(printed) == 1 else None
                lines.append(Row(method, (beside, *found)))
        if lines:
            rows += [Row(f"Message size: {size_label(size)}"), *lines]
    if not rows:
        return None
    return quantity_table(
        chapter,
        rows,
        header=["Method", "JSON (%)", *(f"{_PAYLOADS[name]} (%)" for name in payloads)],
        over=[("Published", 1), ("Measured here", len(payloads))],
        caption=caption,
        notes=(
            "Share of the message length that compression removes. The source and the load "
            "driver use different JSON texts.",
        ),
    )


def compression_rates_agreement(here: Measured, published: pd.DataFrame) -> Text | None:
    """Compare the order of the methods, and what HIGH removes beyond FAST, each on its own side.

    The rates themselves belong to different texts and are not compared.

    Parameters
    ----------
    published : pandas.DataFrame
        Points with ``compression``, ``message_bytes`` and ``compression_rate``.

    Returns
    -------
    Text or None
        None where no size has two methods on both sides.
    """
    lines = []
    for size in here.levels("message_bytes"):
        of_size = published[published["message_bytes"] == size]
        rates = here.chapter.quantities(of_size, RATE_OF)
        printed = dict(zip(of_size["compression"], rates, strict=True))
        found = {
            method: rate
            for method in METHODS
            if method in printed and (rate := compression_rate_of(here, method, "json", size))
        }
        if len(found) < 2:
            continue
        theirs = sorted(found, key=lambda name: -printed[name].value)
        # Alike as shown is no order: such methods stand together, and contradict none.
        shown = {name: round(found[name].value, found[name].decimals) for name in theirs}
        ranked = [
            [name for name in theirs if shown[name] == value]
            for value in sorted(set(shown.values()), reverse=True)
        ]
        same = f"published {', '.join(theirs)}, so the order differs"
        if [*chain(*ranked)] == theirs:
            same = "the same order as published"
            if len(ranked) < len(theirs):
                same += ", as far as they differ"
        said = here.concludes(f"; {same}")
        order = ", then ".join(" and ".join(names) for names in ranked)
        lines.append(f"- {size_label(size)}: {order}{said}.")
    return listed_under("Methods by how much of the JSON they remove, most first:", lines)


def compresses_better(
    here: Measured,
    published: pd.DataFrame,
    limits: list[float],
    message_bytes: int = 0,
    payload: str = "json",
) -> Text | None:
    """Say that the load driver's text compresses better than the source's, if it always does.

    Parameters
    ----------
    published : pandas.DataFrame
        Points with ``compression``, ``message_bytes`` and ``compression_rate``.
    limits : list of float
        Bandwidths of the limited links, which the sentence is about.
    message_bytes, payload
        The point at which methods are compared.

    Returns
    -------
    Text or None
        None where it does not, or nothing can be compared.
    """
    chapter = here.chapter
    printed = published[published["message_bytes"] == message_bytes]
    both = [
        (method, rate, theirs)
        for method, theirs in zip(
            printed["compression"], chapter.quantities(printed, RATE_OF), strict=True
        )
        if (rate := compression_rate_of(here, method, payload, message_bytes))
    ]
    if not limits or not both or any(rate.value <= theirs.value for _, rate, theirs in both):
        return None
    method, rate, theirs = max(both, key=lambda one: one[1].value - one[2].value)
    return chapter.text(
        "The driver's JSON compresses better than the source's: at {size}, they differ most with "
        "{method}, which removes {rate} here and {theirs} there (@tbl-compression-measured-rates). "
        "With the source's text, compression would gain less over this link.",
        method=method,
        size=size_label(message_bytes),
        rate=rate,
        theirs=theirs,
    )


def narrow_link_agreement(
    here: Measured, expected: dict[str, tuple[str, set[int]]], payload: str, published_gbps: float
) -> Text | None:
    """Hold the source's statements on rates over its narrow link to the narrow link here.

    Parameters
    ----------
    expected : dict
        Method to what the source says in words, and the sizes for which it says that the method
        was faster than no compression; at the other sizes it says that it was not.
    published_gbps : float
        Bandwidth of the source's narrow link. Whether compression pays off depends on it, so that
        nothing is compared over another.

    Returns
    -------
    Text or None
        A line with a computed verdict for each method that was measured over such a link, or that
        there was none. None where no link was limited.
    """
    limits = [limit for limit in here.levels(LIMIT, payload=payload) if limit]
    if not limits:
        return None
    link = here.chapter.level(LIMIT, published_gbps)
    if published_gbps not in limits:
        return Text(
            f"The source's narrow link passes {link}. No such link was measured, and a narrower "
            "one favours compression, so there is no comparison with the source."
        )
    head = (
        f"The source prints no rates over its narrow link of {link}, only which method was faster "
        "than no compression, so only the direction can be compared:"
    )
    lines: list[str] = []
    for size in here.levels("message_bytes", payload=payload, **{LIMIT: published_gbps}):
        at = {"payload": payload, "message_bytes": size, LIMIT: published_gbps, "link": "proxy"}
        for method, (says, faster) in expected.items():
            share = share_with(here, method, at)
            if share is None:
                continue
            if not share.interval.is_difference:
                verdict = "The confidence interval includes no difference: inconclusive"
            elif (share.interval.estimate > 1) == (size in faster):
                verdict = "The direction agrees"
            else:
                verdict = "The direction differs"
            lines.append(
                f"- {method}, {size_label(size)}, link of {link}: here "
                f"{here.chapter.inline(share.quantity)} of the rate without "
                f"compression{share.words(here.chapter)}; published: {says}."
                + here.concludes(f" {verdict}.")
            )
    return listed_under(head, lines)


def compared_at(here: Measured) -> dict[str, str | int]:
    """Give the point at which methods are compared: JSON, of the size with most limited points."""
    factors: dict[str, str | int] = {"payload": "json"}
    rows = here.frame[here.frame["payload"] == "json"]
    rows = rows[rows[LIMIT] > 0] if rows[LIMIT].gt(0).any() else rows
    points = Counter(int(size) for size in rows.drop_duplicates("point_id")["message_bytes"])
    if points:
        factors["message_bytes"] = max(sorted(points), key=points.__getitem__)
    return factors


def narrow_words(here: Measured, limits: Sequence[float], **at: str | int) -> Text | None:
    """Say what each method makes of the rate over the limited link, and HIGH of that of FAST.

    Returns
    -------
    Text or None
        None where no method was measured over such a link.
    """
    if not limits:
        return None
    narrow = {**at, LIMIT: limits[0], "link": "proxy"}
    shares = {method: share_with(here, method, narrow) for method in METHODS[1:]}
    told = [
        f"{here.chapter.inline(share.quantity)} with {method}"
        for method, share in shares.items()
        if share
    ]
    if not told:
        return None
    sentences = [
        f"{_over_link(here, limits[0], **at)}: the rate is {listed(told)} of that without "
        "compression."
    ]
    for library in ("LZ4", "ZLIB"):
        high, fast = ({**narrow, "compression": f"{library}{of}"} for of in ("HIGH", "FAST"))
        if share := share_of(here, high, fast):
            sentences.append(
                f"{library}HIGH reaches {here.chapter.inline(share.quantity)} of the rate of "
                f"{library}FAST{share.words(here.chapter)}."
            )
    return Text(" ".join(sentences))


def _over_link(here: Measured, limit: float, **at: str | int) -> str:
    size = f" of {size_label(int(at['message_bytes']))}" if "message_bytes" in at else ""
    return f"JSON{size}, link of {here.chapter.level(LIMIT, limit)}"


def narrow_title(here: Measured, limit: float, **at: str | int) -> str:
    """Name what the methods do over a limited link: which gives most, and how much that is.

    Parameters
    ----------
    limit : float
        In Gb/s.
    **at
        Values of the other factors.
    """
    link = f"Measured here, {_over_link(here, limit, **at)}"
    narrow = {**at, LIMIT: limit, "link": "proxy"}
    shares = {method: share_with(here, method, narrow) for method in METHODS[1:]}
    found = {method: share for method, share in shares.items() if share}
    if not found or here.withheld:
        return f"{link}: rate by method"
    told = dict(compress(found.items(), differing(list(found.values()))))
    if not told:
        return f"{link}: no method differs significantly from no compression"
    best = max(told, key=lambda method: told[method].quantity.value)
    if told[best].interval.estimate < 1:
        return f"{link}: no method is significantly faster than no compression"
    given = here.chapter.write(told[best].quantity)
    if not told[best].told_apart_from(found.values()):
        return f"{link}: compression reaches up to {given} of the uncompressed rate"
    return f"{link}: {best} is fastest, at {given} of the uncompressed rate"
