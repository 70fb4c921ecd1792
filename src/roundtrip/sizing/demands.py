"""Demands: what one round trip takes of a resource, as a sum of parts that are never negative."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls


@dataclass(frozen=True)
class Demand:
    """What a round trip takes: a part for itself, one for each byte, and both for each ms of delay.

    Attributes
    ----------
    each : float
        Seconds of a round trip, whatever its size.
    per_byte : float
        Seconds for each byte of the message's size.
    per_ms, per_byte_ms : float
        The same for each millisecond of delay that was added to a link.
    """

    each: float = 0.0
    per_byte: float = 0.0
    per_ms: float = 0.0
    per_byte_ms: float = 0.0

    def at(self, size: float, delay: float = 0.0) -> float:
        """Give the seconds of a round trip of messages of `size` bytes with `delay` ms."""
        fixed = self.each + self.per_byte * size
        return fixed + delay * (self.per_ms + self.per_byte_ms * size)


def fit(rows: Sequence[tuple[float, float, float]]) -> Demand:
    """Fit a demand by least squares of the relative errors, no part below zero.

    The service demand law: Denning and Buzen, *The Operational Analysis of Queueing Network
    Models*, ACM Computing Surveys 10, 1978. Non-negative least squares: Lawson and Hanson, *Solving
    Least Squares Problems*, 1974.

    Parameters
    ----------
    rows : sequence of (float, float, float)
        Size in bytes, delay in milliseconds, and seconds of a round trip, above zero. A part whose
        size or delay never differs is left out.
    """
    size, delay, seconds = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    sized, delayed = len(set(size)) > 1, len(set(delay)) > 1
    parts = [np.ones_like(size), size * sized, delay * delayed, size * delay * sized * delayed]
    # Columns of one scale: bytes and seconds differ by ten orders of magnitude.
    design = np.column_stack(parts) / seconds[:, None]
    scale = np.where(design.any(axis=0), np.abs(design).max(axis=0), 1.0)
    found, _ = nnls(design / scale, np.ones_like(seconds))
    return Demand(*(float(value) for value in found / scale))
