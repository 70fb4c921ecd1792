"""Logarithmic axes of charts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence


def decades(values: Sequence[float]) -> tuple[float, float]:
    """Give the exponents of the decades that hold all values, with a little room."""
    return math.log10(min(values)) - 0.12, math.log10(max(values)) + 0.12


def log_scale(bounds: tuple[float, float], height: float) -> Callable[[float], float]:
    """Give the function from a value to its height in pixels on a logarithmic axis."""
    low, high = bounds
    return lambda value: (math.log10(value) - low) / (high - low) * height


def ticks_of(bounds: tuple[float, float]) -> list[float]:
    """Give 1-2-5 ticks within the bounds, or decades only when there are many."""
    low, high = bounds
    steps = (1, 2, 5) if high - low < 3.2 else (1,)
    return [
        step * 10.0**exponent
        for exponent in range(math.floor(low), math.ceil(high) + 1)
        for step in steps
        if low <= math.log10(step * 10.0**exponent) <= high
    ]
