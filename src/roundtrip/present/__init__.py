"""What chapters call: data in the edition's units, tables, charts, computed text."""

from roundtrip.present.capacity import core_times, join_derived_memory, memory_from_pages
from roundtrip.present.chapter import Chapter, Text
from roundtrip.present.charts import (
    computed_bars,
    computed_lines,
    computed_rows,
    delay_lines,
    rate_against_cpu,
    relative_bars,
    share_bars,
    size_lines,
    variant_bars,
)
from roundtrip.present.charts.place_rows import place_rows
from roundtrip.present.charts.ratio_dots import Dot, ratio_dots
from roundtrip.present.charts.response_lines import response_lines
from roundtrip.present.charts.size_panels import size_panels
from roundtrip.present.compared import compared_table, points_table
from roundtrip.present.comparisons import (
    Comparison,
    delivery_name,
    matching,
    mean_share,
    peak_of,
    peak_row,
    peaks_by,
    sharing_name,
    test_name,
    version_comparisons,
)
from roundtrip.present.derived import (
    cipher_family,
    cores_of,
    cpu_cost,
    link_ceilings,
    payload_per_host,
)
from roundtrip.present.figure import Figure
from roundtrip.present.listings import (
    compression_table,
    glossary_table,
    hosts_table,
    kept_table,
    libraries_table,
    links_table,
    parameters_table,
    ratio_check_table,
    validation_summary,
    validation_tables,
)
from roundtrip.present.numbers import Quantity, largest, size_label, smallest
from roundtrip.present.ssl_ciphers import bulk_cipher, implied_baseline
from roundtrip.present.tables import Table, plain_table, printed_table, results_table
from roundtrip.present.text_statements import stated_quantities, statements_table
from roundtrip.present.theme import style_of

__all__ = [
    "Chapter", "Figure", "Quantity", "Table", "Text", "cipher_family", "compression_table",
    "computed_bars", "computed_lines", "computed_rows", "cores_of", "cpu_cost", "delay_lines",
    "glossary_table", "hosts_table", "kept_table", "largest", "libraries_table",
    "link_ceilings", "links_table", "parameters_table", "payload_per_host", "plain_table",
    "printed_table", "rate_against_cpu", "ratio_check_table", "relative_bars",
    "results_table", "share_bars", "size_label", "size_lines", "smallest", "style_of",
    "validation_summary", "validation_tables", "variant_bars",
]  # fmt: skip
__all__ += [
    "Comparison", "Dot", "bulk_cipher", "compared_table", "core_times", "delivery_name",
    "implied_baseline", "join_derived_memory", "matching", "mean_share", "memory_from_pages",
    "peak_of", "peak_row", "peaks_by", "place_rows", "points_table", "ratio_dots",
    "response_lines", "sharing_name", "size_panels", "stated_quantities", "statements_table",
    "test_name", "version_comparisons",
]  # fmt: skip
