"""The bandwidth of a link below which compression raises the rate."""

from __future__ import annotations

import math


def link_bound(gbps: float, bytes_per_round_trip: float) -> float:
    """Give the rate that a link allows when nothing else limits.

    This is the utilisation law for one resource: the busiest can be used no more than all the
    time, so that the rate is at most the reciprocal of the time that it needs for one round trip.

    Parameters
    ----------
    gbps : float
        Bandwidth of each direction in 10^9 bit/s.
    bytes_per_round_trip : float
        What crosses the link for a round trip in the busier direction, in bytes; above 0.

    Returns
    -------
    float
        Round trips per second.
    """
    return gbps * 1e9 / (8 * bytes_per_round_trip)


def break_even_gbps(bytes_plain: float, rate_plain: float, rate_compressed: float) -> float:
    """Give the bandwidth below which a compressed message goes through faster than a plain one.

    The rate of either is the lower of two bounds: what the link allows (`link_bound`), and what
    everything else allows, which a run over an unlimited link shows. On a wide link the plain
    message is faster where compressing takes processor time that the rate needs. As the link gets
    narrower, plain messages meet its bound first; compressed ones, being shorter, keep their rate
    until later. Both are equally fast where the bound of the plain messages has come down to the
    rate of the compressed ones: ``8 bytes_plain rate_compressed`` bit/s.

    The bounds meet in a corner, real curves bend before it: near the break-even bandwidth both are
    a little slower than the bounds say.

    Parameters
    ----------
    bytes_plain : float
        What crosses the link for a round trip without compression, in the busier direction, in
        bytes; above 0.
    rate_plain, rate_compressed : float
        Round trips per second over an unlimited link; above 0.

    Returns
    -------
    float
        In 10^9 bit/s. Infinite where the compressed message is as fast on an unlimited link: then
        compression costs nothing at any bandwidth.

    Raises
    ------
    ValueError
        If an argument is not above 0.

    References
    ----------
    Bounds as in `link_bound`; that the lower of two bounds decides is the roofline argument of
    S. Williams, A. Waterman and D. Patterson, Communications of the ACM 52 (2009), no. 4, 65-76.
    """
    if min(bytes_plain, rate_plain, rate_compressed) <= 0:
        raise ValueError("bytes and rates must be above 0")
    if rate_compressed >= rate_plain:
        return math.inf
    return 8e-9 * bytes_plain * rate_compressed
