"""Numbers as a reader sees them, each still knowing the cells it comes from."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal

import pandas as pd

from roundtrip.dictionary import SPANS, Dictionary
from roundtrip.errors import ChapterError, unknown
from roundtrip.present.arguments import in_short
from roundtrip.sources.cells import printed_step

_SEPARATORS = {
    "1,234.5": (",", "."),
    "1.234,5": (".", ","),
    "1 234.5": ("\u202f", "."),
    "1 234,5": ("\u202f", ","),
    "1234.5": ("", "."),
}
_SPANNING = frozenset({*SPANS, "connection_time", "connection_latency", "log_write_latency"})


@dataclass(frozen=True)
class NumberFormat:
    """How numbers are written.

    Parameters
    ----------
    pattern : str
        One thousand two hundred and thirty-four and a half, as the reader writes it.
    """

    pattern: str = "1,234.5"

    def __post_init__(self) -> None:
        """Refuse another pattern (ChapterError)."""
        if self.pattern not in _SEPARATORS:
            raise unknown(
                ChapterError, "format of numbers", self.pattern, _SEPARATORS,
                allowed="; ".join(_SEPARATORS),
            )  # fmt: skip

    def write(self, value: float, decimals: int = 0) -> str:
        """Write a number, rounded half to even, with a true minus sign.

        Parameters
        ----------
        value : float
            A finite number.

        Raises
        ------
        ChapterError
            If the value is not finite: a report never shows ``nan``.
        """
        if not math.isfinite(value):
            raise ChapterError(f"{value} cannot be shown in a report", allowed="finite numbers")
        text = self.rewrite(f"{abs(value):,.{decimals}f}")
        negative = value < 0 and any(digit in text for digit in "123456789")
        return f"\u2212{text}" if negative else text

    def exact(self, value: float) -> str:
        """Write a number that was set with all its decimals, up to ten figures; as `write`."""
        return self.write(value, len(f"{Decimal(f'{value:.10g}'):f}".partition(".")[2]))

    def rewrite(self, printed: str) -> str:
        """Write a printed number (``370,602``, ``97.69``, ``34%``) in this format."""
        thousands, point = _SEPARATORS[self.pattern]
        return printed.replace(",", "\0").replace(".", point).replace("\0", thousands)

    @property
    def plotly_separators(self) -> str:
        """Decimal sign and thousands separator as Plotly's layout wants them."""
        thousands, point = _SEPARATORS[self.pattern]
        return point + thousands


def decimals_of_step(step: float) -> int:
    """Give the digits after the point that values have which differ by such steps."""
    return max(0, math.ceil(-math.log10(step)))


def shown_decimals(dictionary: Dictionary, metric: str, value: float) -> int:
    """Give three figures to times, which span decades, and the dictionary's decimals to others."""
    if metric not in _SPANNING:
        return dictionary.metrics[metric].decimals
    return 2 if value < 10 else 1 if value < 100 else 0


def decimals_of(frame: pd.DataFrame, dictionary: Dictionary) -> list[int]:
    """Give the digits after the point that the source of each value gives, in its metric's unit."""
    found = []
    names = ("metric", "value", "value_printed", "unit_printed", "accuracy")
    for name, value, printed, unit, accuracy in zip(*(frame[n] for n in names), strict=True):
        metric = dictionary.metrics[name]
        if pd.notna(printed):
            found.append(decimals_of_step(printed_step(printed, unit, metric)))
        elif pd.notna(accuracy):
            found.append(decimals_of_step(accuracy))
        else:
            found.append(shown_decimals(dictionary, name, value))
    return found


def size_label(message_bytes: float) -> str:
    """Name a message size: 2048 is ``2 KB``; KB is 1024 bytes, as the reports use it."""
    for unit, factor in (("MB", 1 << 20), ("KB", 1 << 10)):
        if message_bytes >= factor and message_bytes % factor == 0:
            return f"{message_bytes / factor:g}\u00a0{unit}"
    return f"{message_bytes:.10g}\u00a0B"


def clash_of_spans(metrics: Iterable[str]) -> str:
    """Name times of a message among some metrics that span different ways; empty if there are none.

    A round-trip time is two messages and what answers, an end-to-end latency is one message, and a
    publish latency ends at the broker: none says anything of another.
    """
    found = dict.fromkeys(metric for metric in metrics if metric in SPANS)
    if len(found) < 2:
        return ""
    return " and ".join(f"{metric} ({SPANS[metric]})" for metric in found)


@dataclass(frozen=True)
class Quantity:
    """A value with its unit and the cells it was read or computed from.

    Attributes
    ----------
    unit : str
        Empty for ratios.
    cells : tuple of str
        Observation ids, without repeats.
    decimals : int
        Digits shown after the decimal sign.
    kind : {"published", "measured"}
        Whether it was read from a report or measured by a campaign.
    metric : str
        Metric that it is a value of; empty for what is computed from several.
    bare : bool
        Whether it is shown without its unit, which it keeps: see `number`.
    """

    value: float
    unit: str
    cells: tuple[str, ...]
    decimals: int = 0
    kind: Literal["published", "measured"] = "published"
    metric: str = field(default="", compare=False, repr=False)
    bare: bool = field(default=False, repr=False)

    @property
    def number(self) -> Quantity:
        """The same, shown without its unit, for sentences that name the unit once."""
        return replace(self, bare=True)

    def over(self, other: Quantity, decimals: int = 2) -> Quantity:
        """Divide by another quantity of the same unit: a ratio without unit.

        Raises
        ------
        ChapterError
            If the units differ, the other quantity is zero, or one was published and the other
            measured: they were seen on different machines, products and drivers. If both are times
            of a message that span different ways.
        """
        alike((self, other), "ratio")
        if other.value == 0:
            raise ChapterError("there is no ratio to zero")
        cells = tuple(dict.fromkeys(self.cells + other.cells))
        return Quantity(self.value / other.value, "", cells, decimals, self.kind)

    def __truediv__(self, other: Quantity) -> Quantity:
        """Divide, as `over` does."""
        return self.over(other)

    def percent_of(self, other: Quantity, decimals: int = 0) -> Quantity:
        """Express as a percentage of another quantity of the same unit."""
        return replace(self.over(other).times(100), unit="%", decimals=decimals)

    def percent_below(self, other: Quantity, decimals: int = 0) -> Quantity:
        """Say how many percent this is below another quantity of the same unit.

        Raises
        ------
        ChapterError
            If it is above the other, or as for `over`.
        """
        return self._percent_apart(other, decimals, "below", "above")

    def percent_above(self, other: Quantity, decimals: int = 0) -> Quantity:
        """Say how many percent this is above another quantity of the same unit.

        Raises
        ------
        ChapterError
            If it is below the other, or as for `over`.
        """
        return self._percent_apart(other, decimals, "above", "below")

    def _percent_apart(self, other: Quantity, decimals: int, side: str, opposite: str) -> Quantity:
        """Refuse the wrong side: a sentence would read “−100 % below”."""
        ratio = self.over(other)
        percent = 100 * (ratio.value - 1) * (1 if side == "above" else -1)
        if round(percent, decimals) < 0:
            raise ChapterError(
                f"{self.value:.6g} is not {side} {other.value:.6g}", where=f"percent_{side}",
                remedy=f"percent_{opposite}, or percent_of where either may be the larger",
            )  # fmt: skip
        return Quantity(max(percent, 0.0), "%", ratio.cells, decimals, self.kind)

    def minus(self, other: Quantity) -> Quantity:
        """Subtract another quantity of the same unit; percentages differ by percentage points.

        Raises
        ------
        ChapterError
            If the units differ, one was published and the other measured, or both are times of a
            message that span different ways.
        """
        alike((self, other), "difference")
        cells = tuple(dict.fromkeys(self.cells + other.cells))
        decimals = max(self.decimals, other.decimals)
        unit = "percentage points" if self.unit == "%" else self.unit
        return Quantity(self.value - other.value, unit, cells, decimals, self.kind, self.metric)

    def complement(self) -> Quantity:
        """Give what a percentage leaves of the whole."""
        return replace(Quantity(100, "%", (), kind=self.kind).minus(self), unit="%")

    def times(self, factor: float) -> Quantity:
        """Multiply by a plain number."""
        return replace(self, value=self.value * factor)


def smallest(quantities: Iterable[Quantity]) -> Quantity:
    """Give the smallest of some quantities of one unit (ChapterError if they are not alike)."""
    return min(alike(quantities, "order"), key=lambda quantity: quantity.value)


def largest(quantities: Iterable[Quantity]) -> Quantity:
    """Give the largest of some quantities of one unit (ChapterError if they are not alike)."""
    return max(alike(quantities, "order"), key=lambda quantity: quantity.value)


def alike(quantities: Iterable[Quantity], what: str) -> list[Quantity]:
    """Refuse values that have no ratio, difference or order: of several units, kinds or spans."""
    quantities = list(quantities)
    if wrong := [one for one in quantities if not isinstance(one, Quantity)]:
        raise ChapterError(f"{in_short(wrong[0])} is not a quantity, so there is no {what}")
    if clash := clash_of_spans(quantity.metric for quantity in quantities):
        raise ChapterError(f"there is no {what} of {clash}")
    if len({quantity.kind for quantity in quantities}) > 1:
        raise ChapterError(f"published and measured values have no {what}")
    units = dict.fromkeys(quantity.unit for quantity in quantities)
    if len(units) != 1:
        told = " and ".join(one or "a ratio" for one in units) or "no quantities"
        raise ChapterError(f"there is no {what} of {told}", allowed="quantities of one unit")
    return quantities
