"""Histograms as HdrHistogram encodes them: V0, V1 and V2, compressed.

Layout: ``AbstractHistogram.java`` of HdrHistogram/HdrHistogram, methods ``decodeFromByteBuffer``
and ``fillCountsArrayFromSourceBuffer``. Numbers are big-endian. The library ``hdrhistogram`` will
not do: it reads V2 alone, inflates without a limit, rounds the rank of a percentile to the nearest
value, and walks through every count in Python.
"""

from __future__ import annotations

import base64
import math
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_COMPRESSED = (0x1C849309, 0x1C849302, 0x1C849304)
_PLAIN = {0x1C849308: 0, 0x1C849301: 1, 0x1C849303: 2}
_LARGEST = 32 << 20
_MOST_COUNTS = 4_000_000
_WORDS = {2: ">i2", 4: ">i4", 8: ">i8"}

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Shape:
    """How the values of a histogram are laid out.

    Attributes
    ----------
    lowest : int
        Smallest value told from 0.
    digits : int
        Significant decimal digits.
    ratio : float
        What turns its whole numbers into the values that were recorded.
    """

    lowest: int
    digits: int
    ratio: float = 1.0

    def bounds(self, length: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Give the smallest and the largest value of each of the first places of the counts."""
        unit = int(math.log2(self.lowest))
        magnitude = math.ceil(math.log2(2 * 10**self.digits))
        half = 1 << (magnitude - 1)
        index = np.arange(length)
        bucket = (index >> (magnitude - 1)) - 1
        sub = (index & (half - 1)) + half
        sub = np.where(bucket < 0, sub - half, sub)
        bucket = np.maximum(bucket, 0)
        width = np.exp2(bucket + unit)
        low = sub * width
        return low * self.ratio, (low + width - 1) * self.ratio


@dataclass
class Histogram:
    """How often each value was recorded."""

    shape: Shape
    counts: Counts

    def add(self, other: Histogram) -> None:
        """Add the counts of a histogram of the same shape."""
        longer = max(len(self.counts), len(other.counts))
        total = np.zeros(longer, dtype=np.int64)
        total[: len(self.counts)] += self.counts
        total[: len(other.counts)] += other.counts
        self.counts = total

    def statistics(self, quantiles: Mapping[str, float]) -> dict[str, float]:
        """Give count, mean, smallest, largest and quantiles.

        Parameters
        ----------
        quantiles : mapping
            Name and quantile, from 0 to 1.

        Returns
        -------
        dict
            A quantile is the largest value that counts as equal to it, as Java's
            ``getValueAtPercentile`` has it.
        """
        total = int(self.counts.sum())
        if total <= 0:
            return {"count": 0.0}
        low, high = self.shape.bounds(len(self.counts))
        seen = np.flatnonzero(self.counts)
        running = np.cumsum(self.counts)
        middle = (low + high + self.shape.ratio) / 2
        middle = np.where(high == low, low, middle)
        found = {
            "count": float(total),
            "mean": float((middle * self.counts).sum() / total),
            "min": float(low[seen[0]]),
            "max": float(high[seen[-1]]),
        }
        for name, quantile in quantiles.items():
            wanted = max(1, math.ceil(round(quantile * total, 6)))
            found[name] = float(high[int(np.searchsorted(running, wanted))])
        return found


def decode(text: str) -> Histogram:
    """Decode a histogram of a log.

    Parameters
    ----------
    text : str
        Base64 of a compressed histogram.

    Raises
    ------
    ValueError
        If it is not one, is damaged, or would take more than 32 MiB.
    """
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError as problem:
        raise ValueError("not Base64") from problem
    if len(data) < 8:
        raise ValueError("too short for a histogram")
    cookie, length = struct.unpack(">ii", data[:8])
    if (cookie & ~0xF0) not in _COMPRESSED:
        raise ValueError("not a compressed histogram")
    if len(data) < 8 + max(0, length):
        raise ValueError("a histogram without its end")
    inflater = zlib.decompressobj()
    try:
        plain = inflater.decompress(data[8 : 8 + max(0, length)], _LARGEST)
    except zlib.error as problem:
        raise ValueError("damaged compression") from problem
    if inflater.unconsumed_tail:
        raise ValueError("a histogram above 32 MiB")
    if not inflater.eof:
        raise ValueError("damaged compression")
    try:
        return _plain(plain)
    except (struct.error, OverflowError) as problem:
        raise ValueError("too short for a histogram") from problem


def _plain(data: bytes) -> Histogram:
    (cookie,) = struct.unpack(">i", data[:4])
    version = _PLAIN.get(cookie & ~0xF0)
    if version is None:
        raise ValueError("no histogram inside")
    ratio, offset = 1.0, 0
    if version == 0:
        digits, lowest, _, _ = struct.unpack(">iqqq", data[4:32])
        payload = data[32:]
    else:
        length, offset, digits, lowest, _, ratio = struct.unpack(">iiiqqd", data[4:40])
        payload = data[40 : 40 + length]
        if len(payload) != length:
            raise ValueError("a histogram without its end")
    if not 0 <= digits <= 5 or not 1 <= lowest <= 1 << 50:
        raise ValueError("precision or smallest value out of range")
    if offset or not (math.isfinite(ratio) and ratio > 0):
        raise ValueError("a shifted histogram, which is not supported")
    width = (cookie & 0xF0) >> 4 & 0xE
    counts = _varied(payload) if version == 2 else _fixed(payload, width)
    if len(counts) and counts.min() < 0:
        raise ValueError("a count below zero")
    shape = Shape(lowest, digits, ratio)
    magnitude = math.ceil(math.log2(2 * 10**digits))
    if (len(counts) >> (magnitude - 1)) + int(math.log2(lowest)) > 62:
        raise ValueError("values above 63 bits")
    return Histogram(shape, counts)


def _fixed(payload: bytes, width: int) -> Counts:
    if width not in _WORDS:
        raise ValueError("counts of unknown width")
    whole = len(payload) - len(payload) % width
    counts: Counts = np.frombuffer(payload[:whole], dtype=_WORDS[width]).astype(np.int64)
    return counts


def _varied(payload: bytes) -> Counts:
    """Read ZigZag LEB128: a number below zero stands for so many counts of zero."""
    seen: list[tuple[int, int]] = []  # places with their counts
    position, length, end = 0, 0, len(payload)
    while position < end:
        value = shift = 0
        for at in range(9):
            if position >= end:
                raise ValueError("a count without its end")
            byte = payload[position]
            position += 1
            value |= byte << shift if at == 8 else (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
        count = (value >> 1) ^ -(value & 1)
        if not -(1 << 63) <= count < 1 << 63:
            raise ValueError("a count above 63 bits")
        if count >= 0:
            seen.append((length, count))
        length += -count if count < 0 else 1
        if length > _MOST_COUNTS:
            raise ValueError("more counts than a histogram has")
    counts = np.zeros(length, dtype=np.int64)
    for place, count in seen:
        counts[place] = count
    return counts
