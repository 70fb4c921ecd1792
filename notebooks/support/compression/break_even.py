"""Below which bandwidth compression raises the rate: computed from runs over an unlimited link."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from roundtrip.outputs import listed
from roundtrip.present import Measured, Quantity, Table, Text, size_label
from roundtrip.present.derived import round_trips
from roundtrip.present.measured.shares import Share
from roundtrip.present.measured.words import RATIOS
from roundtrip.present.quantities import Entry, Row, quantity_table
from support.compression.link_bound import break_even_gbps
from support.compression.links import LIMIT
from support.compression.rates import METHODS, share_with

if TYPE_CHECKING:
    from roundtrip.stats.intervals import Interval


@dataclass(frozen=True)
class BreakEven:
    """One method at one message size.

    Attributes
    ----------
    plain_bytes : Quantity
        On the link for a round trip without compression.
    share : Share
        Rate over the unlimited link, of that without compression.
    gbps : Quantity or None
        The break-even bandwidth; None where the two rates do not differ significantly, or the
        compressed messages are the faster ones.
    interval : Interval or None
        Of it, over the runs with compression.
    """

    size: int
    method: str
    plain_bytes: Quantity
    share: Share
    gbps: Quantity | None
    interval: Interval | None

    @property
    def words(self) -> str:
        """What stands in place of a bandwidth where there is none."""
        if not self.share.interval.is_difference:
            return "inconclusive"
        return "above the proxy's limit" if self.share.interval.estimate > 1 else ""


def break_evens(here: Measured, payload: str) -> list[BreakEven]:
    """Compute the break-even bandwidth of every method and size that was measured.

    Parameters
    ----------
    here : Measured
        With one number of requesters.
    payload : str
        Level of the factor.

    Returns
    -------
    list of BreakEven
        By size, then method; see `support.compression.link_bound` for the formula.
    """
    found = []
    wide = {"payload": payload, LIMIT: 0, "link": "proxy"}
    for size in here.levels("message_bytes", **wide):
        at = {**wide, "message_bytes": size}
        plain = {**at, "compression": "none"}
        sent, plain_rate = here.mean("link_bytes", **plain), here.mean(**plain)
        for method in METHODS[1:]:
            share = share_with(here, method, at)
            if sent is None or plain_rate is None or share is None:
                continue
            rate = share.mean
            gbps, interval = None, None
            if share.interval.is_difference and share.interval.estimate < 1:
                # Of runs one may lie above the plain mean although their mean lies below: the
                # bandwidth is computed from means, its interval from the spread of the runs.
                trips = [round_trips(here.chapter, one.quantity) for one in (plain_rate, rate)]
                value = break_even_gbps(sent.quantity.value, *trips)
                scale = value / rate.quantity.value
                low, high = (end * scale for end in (rate.interval.low, rate.interval.high))
                interval = replace(rate.interval, estimate=value, low=low, high=high)
                cells = tuple(dict.fromkeys(sent.quantity.cells + rate.quantity.cells))
                gbps = Quantity(value, "Gb/s", cells, 2, "measured")
            found.append(BreakEven(size, method, sent.quantity, share, gbps, interval))
    return found


def break_even_table(here: Measured, payload: str, *, caption: str) -> Table | None:
    """List the break-even bandwidths.

    Returns
    -------
    Table or None
        None where nothing was measured over an unlimited link.
    """
    found = break_evens(here, payload)
    if not found:
        return None
    write = here.chapter.numbers.write
    rows: list[Row] = []
    for size, ways in groupby(found, key=lambda one: one.size):
        rows.append(Row(f"Message size: {size_label(size)}"))
        for one in ways:
            ends: str | None = None
            if one.interval is not None and one.interval.known and one.gbps is not None:
                low, high = max(0.0, one.interval.low), one.interval.high
                ends = "\u2013".join(write(end, one.gbps.decimals) for end in (low, high))
            line: list[Entry] = [
                one.plain_bytes, one.share.quantity, one.gbps or here.concludes(one.words), ends,
            ]  # fmt: skip
            rows.append(Row(one.method, tuple(line)))
    return quantity_table(
        here.chapter,
        rows,
        header=["Method", "Uncompressed on the link (B)", "Relative to no compression (%)",
                "Break-even (Gb/s)", "95 % interval (Gb/s)"],
        caption=caption,
        notes=(
            "Runs over an unlimited link; a method without a row was not run with that size. "
            "Bytes: per round trip, in the busier direction, from readings of the proxy, between "
            "which they are interpolated; so a mean may lie a little below the payload. Above the "
            "proxy's limit: faster even over the link without a limit, so the break-even "
            "lies above what the proxy passes. "
            + RATIOS
            + here.concludes(
                " Inconclusive: the confidence interval of the ratio includes 100\u00a0%."
            ),
        ),
        by_row=True,
    )  # fmt: skip


def break_even_words(here: Measured, payload: str) -> Text | None:
    """Say whether the rates over limited links are as the bandwidths say.

    Returns
    -------
    Text or None
        None where no bandwidth could be checked, or nothing may be concluded.
    """
    found = [one for one in break_evens(here, payload) if one.gbps is not None]
    if not found or here.withheld:
        return None
    told: dict[str, dict[str, list[str]]] = {}
    for one in found:
        assert one.gbps is not None  # noqa: S101 - chosen so
        at = {"payload": payload, "message_bytes": one.size, "link": "proxy"}
        for limit in here.levels(LIMIT, **at):
            share = share_with(here, one.method, {**at, LIMIT: limit})
            if limit == 0 or share is None:
                continue
            words = _borne_out(share, raised=limit < one.gbps.value)
            rates = told.setdefault(f"At {here.chapter.level(LIMIT, limit)}, {words}", {})
            rates.setdefault(size_label(one.size), []).append(
                f"{here.chapter.inline(share.quantity)} with {one.method}"
            )
    lines = [
        f"{words}: {'; '.join(f'at {size}, {listed(rates)}' for size, rates in of_size.items())}."
        for words, of_size in told.items()
    ]
    return Text(" ".join(lines)) if lines else None


def _borne_out(share: Share, *, raised: bool) -> str:
    """Say whether the rate changed as the computed bandwidth says."""
    rate = f"{'below' if raised else 'above'} the break-even, the rate with compression"
    if not share.interval.is_difference:
        return f"{rate} did not differ significantly from that without"
    higher = share.interval.estimate > 1
    agrees = "as computed" if higher == raised else "against what was computed"
    return f"{rate} was {'higher' if higher else 'lower'} than that without, {agrees}"
