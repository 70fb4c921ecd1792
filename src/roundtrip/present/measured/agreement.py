"""Whether what was published agrees with what was measured, as far as campaigns repeat."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roundtrip.stats.intervals import Interval

REPEATS_WITHIN = 1.3
"""Factor that the same share of two campaigns on one machine may differ by.

An interval is that of runs within an hour and knows nothing of what differs between hours. The
factor is a rule, like the confidence of the intervals; ``benchmarks/repetition.py`` shows what it
rests on, and docs/campaigns.md says what that was.
"""
RULE = (
    "A published share agrees in size with a measured one where it lies no further from it than a "
    "repetition of the campaign may: half the width of the interval, and at least a factor of "
    f"{REPEATS_WITHIN:g}. Twice as far it does not agree; between the two the size is left open."
)

_SIZE_AGREES, _SIZE_OPEN = 1.0, 2.0
"""Distances, in what a repetition may differ by, up to which a size agrees and is left open."""
_FAR = "The sizes do not agree."
NO_LARGER = ", but by no more than a repetition may"


def verdict(published: float, found: Interval) -> str:
    """Say whether a published share agrees with a measured one.

    Two shares are compared, each of which was formed on its own side; no value of one side is
    divided by one of the other but to say how far apart the shares are.

    Parameters
    ----------
    published : float
        In percent.
    found : Interval
        Of the measured ratio: 1 is no difference.
    """
    return verdict_of_range(published, published, found)


def verdict_of_range(least: float, most: float, found: Interval) -> str:
    """Say whether a published range of shares agrees with a measured share.

    Parameters
    ----------
    least, most : float
        Ends of the range in percent.
    found : Interval
        Of the measured ratio: 1 is no difference.
    """
    if not found.known:
        return "One run each does not decide."
    nearest = min(max(100 * found.estimate, least), most)
    size = size_agrees(nearest / 100, found)
    if not found.is_difference:
        words = "The interval includes no difference: the measurement does not decide"
        return f"{words} on the direction. {_FAR}" if size is False else f"{words}."
    if round(nearest) == 100:
        words = "The source shows no difference, the measurement shows one"
        return f"{words}{NO_LARGER}." if size else f"{words}."
    if (nearest < 100) != (found.estimate < 1):
        words = "The direction differs"
        return f"{words}{NO_LARGER}." if size else f"{words}."
    if size:
        return "Direction and size agree."
    if size is None:
        return "The direction agrees, the size is left open."
    return "The direction agrees, the size does not."


def size_agrees(expected: float, found: Interval) -> bool | None:
    """Say whether what was measured has the size that was expected.

    Parameters
    ----------
    expected : float
        In the unit of the interval.
    found : Interval
        Of a positive mean or ratio.

    Returns
    -------
    bool or None
        True where the two lie no further apart than a repetition may, False where they lie more
        than twice as far apart; None between the two, and where there is no interval.
    """
    if not found.known or found.low <= 0:
        return None
    if expected <= 0:
        return False
    reach = max(math.log(found.high / found.low) / 2, math.log(REPEATS_WITHIN))
    apart = abs(math.log(expected / found.estimate)) / reach
    return None if _SIZE_AGREES < apart <= _SIZE_OPEN else apart <= _SIZE_AGREES
