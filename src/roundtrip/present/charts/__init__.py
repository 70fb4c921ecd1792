"""The charts of the report: each takes operating points and returns a finished figure."""

from roundtrip.present.charts.bars import (
    relative_bars,
    share_bars,
    variant_bars,
)
from roundtrip.present.charts.computed import computed_bars, computed_lines, computed_rows
from roundtrip.present.charts.lines import (
    delay_lines,
    rate_against_cpu,
    size_lines,
)
from roundtrip.present.charts.panels import panel_bars, panel_lines
from roundtrip.present.charts.requester_sweeps import (
    reading_accuracy,
    requesters_for,
    response_curves,
    sweep_panels,
)

__all__ = [
    "computed_bars",
    "computed_lines",
    "computed_rows",
    "delay_lines",
    "panel_bars",
    "panel_lines",
    "rate_against_cpu",
    "reading_accuracy",
    "relative_bars",
    "requesters_for",
    "response_curves",
    "share_bars",
    "size_lines",
    "sweep_panels",
    "variant_bars",
]
