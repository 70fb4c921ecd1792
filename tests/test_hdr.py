"""Histograms of HdrHistogram: against its own library, byte by byte, and what is refused."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram

from roundtrip.stats.hdr import Histogram, Shape, decode

NAMES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}


def packed(plain: bytes, cookie: int = 0x1C849304, after: bytes = b"") -> str:
    inside = zlib.compress(plain)
    return base64.b64encode(struct.pack(">ii", cookie, len(inside)) + inside + after).decode()


def version2(
    payload: bytes, *, length: int | None = None, offset: int = 0, digits: int = 2,
    lowest: int = 1, ratio: float = 1.0,
) -> bytes:  # fmt: skip
    length = len(payload) if length is None else length
    head = struct.pack(">iiiiqqd", 0x1C849313, length, offset, digits, lowest, 1 << 40, ratio)
    return head + payload


@pytest.mark.parametrize(("lowest", "digits"), [(1, 3), (1, 2), (1000, 2), (1, 1), (64, 4)])
def test_statistics_are_those_of_its_library(lowest: int, digits: int) -> None:
    told = HdrHistogram(lowest, 3_600_000_000, digits)
    for value in np.random.default_rng(3).lognormal(11, 2, size=3000):
        told.record_value(lowest + int(value))
    text = told.encode()
    found = decode(text.decode() if isinstance(text, bytes) else text).statistics(NAMES)
    assert found.pop("count") == told.get_total_count()
    assert found.pop("mean") == pytest.approx(told.get_mean_value(), rel=10.0**-digits)
    assert found.pop("max") == told.get_max_value()
    assert found.pop("min") == told.get_min_value()
    # The library rounds the rank of a percentile; these are whole numbers.
    assert found == {n: told.get_value_at_percentile(100 * q) for n, q in NAMES.items()}


def test_bounds_of_each_place() -> None:
    # One digit: 32 places of one unit, then 16 of twice the width, and so on.
    low, high = Shape(1, 1).bounds(66)
    assert list(low[[0, 1, 31, 32, 47, 48, 63, 64]]) == [0, 1, 31, 32, 62, 64, 124, 128]
    assert list(high[[0, 1, 31, 32, 47, 48, 63, 64]]) == [0, 1, 31, 33, 63, 67, 127, 135]
    low, high = Shape(4, 1, ratio=0.5).bounds(2)
    assert (list(low), list(high)) == ([0, 2], [1.5, 3.5])


def test_quantiles_mean_and_ends_of_known_counts() -> None:
    counts = np.zeros(40, dtype=np.int64)
    counts[[2, 5, 33]] = [5, 4, 1]  # the last place holds 34 and 35
    found = Histogram(Shape(1, 1), counts).statistics({"p50": 0.5, "p51": 0.51, "p100": 1.0})
    assert found == {"count": 10, "mean": (10 + 20 + 35) / 10, "min": 2, "max": 35,
                     "p50": 2, "p51": 5, "p100": 35}  # fmt: skip
    assert Histogram(Shape(1, 1), np.zeros(3, dtype=np.int64)).statistics(NAMES) == {"count": 0}


def test_counts_are_read_in_each_encoding() -> None:
    # ZigZag: 3 is 6, two zeros are 3, 100 is 200 in two bytes.
    assert list(decode(packed(version2(b"\x06\x03\xc8\x01"))).counts) == [3, 0, 0, 100]
    for cookie, form in ((0x1C849301 | 0x20, ">3h"), (0x1C849301 | 0x40, ">3i")):
        payload = struct.pack(form, 1, 0, 300) + b"\0"  # a byte too many is not a count
        head = struct.pack(">iiiiqqd", cookie, len(payload), 0, 2, 1, 1 << 40, 1.0)
        assert list(decode(packed(head + payload, 0x1C849302)).counts) == [1, 0, 300]
    head = struct.pack(">iiqqq", 0x1C849308 | 0x20, 2, 1, 1 << 40, 4)
    early = decode(packed(head + struct.pack(">2h", 1, 3), 0x1C849309))
    assert (list(early.counts), early.shape) == ([1, 3], Shape(1, 2))


def test_what_follows_a_histogram_is_not_read() -> None:
    plain = version2(b"\x06") + b"\x06"
    assert list(decode(packed(plain, after=b"more")).counts) == [3]
    assert decode(packed(version2(b"\x06", lowest=1 << 50))).shape.lowest == 1 << 50
    assert decode(packed(version2(b"\x06", digits=0))).shape.digits == 0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("?", "not Base64"),
        (base64.b64encode(b"1234567").decode(), "too short"),
        (packed(version2(b"\x06"), cookie=0x1C849303), "not a compressed histogram"),
        (base64.b64encode(struct.pack(">ii", 0x1C849304, 1)).decode(), "without its end"),
        (packed(b"\0\0\0\0"), "no histogram inside"),
        (packed(version2(b"\x06", length=2)), "without its end"),
        (packed(version2(b"\x06\x06", length=-1)), "without its end"),
        (packed(version2(b"\x06", digits=6)), "out of range"),
        (packed(version2(b"\x06", digits=-1)), "out of range"),
        (packed(version2(b"\x06", lowest=0)), "out of range"),
        (packed(version2(b"\x06", lowest=(1 << 50) + 1)), "out of range"),
        (packed(version2(b"\x06", offset=1)), "shifted"),
        (packed(version2(b"\x06", ratio=0.0)), "shifted"),
        (packed(version2(b"\x06", ratio=float("inf"))), "shifted"),
        (packed(version2(b"\x80")), "a count without its end"),
        (packed(version2(b"\xff" * 9)), "more counts|above 63 bits"),
        # Millions of zeros: more than are kept, or than there are powers of two
        (packed(version2(b"\xff\xac\xe2\x04")), "more counts"),
        (packed(version2(b"\xff\x9f\x9c\x01", digits=0)), "above 63 bits"),
    ],
)
def test_what_is_no_histogram_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        decode(text)


@pytest.mark.parametrize("counts", range(1, 40))
def test_a_histogram_that_was_cut_is_refused(counts: int) -> None:
    whole = base64.b64decode(
        packed(version2(bytes(np.random.default_rng(1).integers(0, 99, counts))))
    )
    assert decode(base64.b64encode(whole).decode()).statistics({})["count"] > 0
    for length in range(8, len(whole)):
        with pytest.raises(ValueError, match="a histogram without its end"):
            decode(base64.b64encode(whole[:length]).decode())
