"""The charts of the report: each takes operating points and returns a finished figure."""

from roundtrip.present.charts.bars import (
    bound_bars,
    relative_bars,
    share_bars,
    variant_bars,
)
from roundtrip.present.charts.lines import delay_lines, rate_against_cpu, size_lines

__all__ = [
    "bound_bars",
    "delay_lines",
    "rate_against_cpu",
    "relative_bars",
    "share_bars",
    "size_lines",
    "variant_bars",
]
