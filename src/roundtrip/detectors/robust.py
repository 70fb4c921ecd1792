"""Robust statistics of a few values: fits and scatter that one wrong value cannot bend."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

_TO_SIGMA = 1.4826
"""Makes the median absolute deviation of normal values their standard deviation
(Rousseeuw and Croux, J. Am. Stat. Assoc. 88, 1993, p. 1273)."""


def scatter(values: Values) -> float:
    """Give the median absolute deviation of values from their median, as a standard deviation."""
    return float(_TO_SIGMA * np.median(np.abs(values - np.median(values))))


def residuals_of_line(places: Values, values: Values) -> Values:
    """Give how far each of a series lies from the line through it.

    The line is that of Theil and Sen: its slope is the median of the slopes of all pairs
    (P. K. Sen, J. Am. Stat. Assoc. 63, 1968, p. 1379). Up to 29 % of the values may be wrong. There
    are two at least, and all their places differ.
    """
    one, other = np.triu_indices(len(values), k=1)
    slope = np.median((values[other] - values[one]) / (places[other] - places[one]))
    level = np.median(values - slope * places)
    return np.asarray(values - slope * places - level, dtype=np.float64)
