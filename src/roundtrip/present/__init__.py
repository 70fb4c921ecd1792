"""What every chapter calls: data in the edition's units, tables, charts, computed text.

What few chapters need they import from its own module here.
"""

from roundtrip.present.chapter import Chapter, Text
from roundtrip.present.claims import claims_table
from roundtrip.present.derived import cpu_cost, relative
from roundtrip.present.figure import Figure
from roundtrip.present.ingested import ingested_peaks, ingested_table
from roundtrip.present.measured.limits import measured_limits
from roundtrip.present.measured.means import Measured
from roundtrip.present.measured.variants import (
    means_of,
    measured_lines,
    variants_agreement,
    variants_figure,
    variants_table,
    variants_title,
)
from roundtrip.present.measured.words import disclosure
from roundtrip.present.numbers import Quantity, largest, size_label, smallest
from roundtrip.present.plot.chart import chart
from roundtrip.present.plot.own import plotly_figure
from roundtrip.present.results import results_table
from roundtrip.present.side_by_side import compare
from roundtrip.present.tables import Table, plain_table
from roundtrip.present.theme import style_of

__all__ = [
    "Chapter",
    "Figure",
    "Measured",
    "Quantity",
    "Table",
    "Text",
    "chart",
    "claims_table",
    "compare",
    "cpu_cost",
    "disclosure",
    "ingested_peaks",
    "ingested_table",
    "largest",
    "means_of",
    "measured_limits",
    "measured_lines",
    "plain_table",
    "plotly_figure",
    "relative",
    "results_table",
    "size_label",
    "smallest",
    "style_of",
    "variants_agreement",
    "variants_figure",
    "variants_table",
    "variants_title",
]
