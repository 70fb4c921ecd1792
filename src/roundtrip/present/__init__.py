"""What every chapter calls: data in the edition's units, tables, charts, computed text.

What few chapters need they import from its own module here. Each builds on those before it:

- Errors: `arguments` refuses what cannot be meant, and says what can: always a ChapterError.
- Values: `numbers` (a quantity and its cells), `points` (a row for each operating point), `levels`
  (names of what factors were set to), `anchors` (where a cell is found in the report), `notebook`
  (how JupyterLab shows them, and what is refused), `chapter` (access to all of it).
- What must be said beside values: `machines` and `comparability` (what compared points do not have
  in common), `repeats` (how far ratios may be off), `suspect_cells` (which values are doubted),
  `left_out` (that marked runs left out of a mean were all faster, or all slower, than the rest).
- What a cell of a notebook shows: `figure`, `tables`, `quantities` (a table of numbers, each of
  which leads to its cell), `drawings`, `calculator`; `styles` is what variants look like.
- Results: `derived` computes from them, `results` and `plot.chart` show them, `measured` shows
  campaigns and holds them against what was published, `ingested` shows other tools' output,
  `side_by_side` sets sources beside each other.
- Claims: `claims`, `errata` and, on a broker of one's own, `own_broker` and `own_claims`, with what
  they share in `claim_parts`.
- Whole pages: `appendices`, of which `configuration` and `printed` are large parts; `audit`; and
  `comparison`, from which a reader chooses points to compare.
"""

from roundtrip.present.chapter import Chapter, Text
from roundtrip.present.claims import claims_table
from roundtrip.present.derived import cpu_cost, relative
from roundtrip.present.figure import Figure
from roundtrip.present.ingested import ingested_peaks, ingested_table
from roundtrip.present.measured.answer import variants_answer
from roundtrip.present.measured.limits import measured_limits
from roundtrip.present.measured.means import Mean, Measured
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
from roundtrip.present.styles import style_of
from roundtrip.present.tables import Table, plain_table

__all__ = [
    "Chapter",
    "Figure",
    "Mean",
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
    "variants_answer",
    "variants_figure",
    "variants_table",
    "variants_title",
]
