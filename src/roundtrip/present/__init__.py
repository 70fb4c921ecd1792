"""What every chapter calls: data in the edition's units, tables, charts, computed text.

What few chapters need they import from its own module here.
"""

from roundtrip.present.appliance import link_bandwidth, with_arrangement, with_single_thread
from roundtrip.present.chapter import Chapter, Text
from roundtrip.present.charts import (
    computed_bars,
    computed_lines,
    computed_rows,
    panel_lines,
    rate_against_cpu,
    relative_bars,
)
from roundtrip.present.charts.variants import measured_lines, variants_figure
from roundtrip.present.claims import claims_table
from roundtrip.present.derived import cpu_cost
from roundtrip.present.figure import Figure
from roundtrip.present.flows import payload, time_in_round_trip
from roundtrip.present.ingested import ingested_table
from roundtrip.present.measured.cases import Case, cases_agreement
from roundtrip.present.measured.means import Measured
from roundtrip.present.measured.notes import disclosure_beside
from roundtrip.present.measured.variants import variants_agreement, variants_table, variants_title
from roundtrip.present.measured.words import disclosure, measured_limits
from roundtrip.present.numbers import Quantity, largest, size_label, smallest
from roundtrip.present.tables import Table, plain_table, results_table
from roundtrip.present.theme import style_of

__all__ = [
    "Case",
    "Chapter",
    "Figure",
    "Measured",
    "Quantity",
    "Table",
    "Text",
    "cases_agreement",
    "claims_table",
    "computed_bars",
    "computed_lines",
    "computed_rows",
    "cpu_cost",
    "disclosure",
    "disclosure_beside",
    "ingested_table",
    "largest",
    "link_bandwidth",
    "measured_limits",
    "measured_lines",
    "panel_lines",
    "payload",
    "plain_table",
    "rate_against_cpu",
    "relative_bars",
    "results_table",
    "size_label",
    "smallest",
    "style_of",
    "time_in_round_trip",
    "variants_agreement",
    "variants_figure",
    "variants_table",
    "variants_title",
    "with_arrangement",
    "with_single_thread",
]
