"""What chapters call: data in the edition's units, tables, charts, computed text."""

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
from roundtrip.present.configuration import (
    configuration_tables,
    hosts_table,
    links_table,
    models_table,
    scenarios_table,
    source_charts_table,
    tuning_table,
    workloads_table,
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
    data_table,
    glossary_table,
    kept_table,
    libraries_table,
    parameters_table,
    ratio_check_table,
    sources_table,
    validation_summary,
    validation_tables,
)
from roundtrip.present.numbers import Quantity, largest, size_label, smallest
from roundtrip.present.printed import printed_table, stated_values
from roundtrip.present.tables import Table, plain_table, results_table
from roundtrip.present.theme import style_of

__all__ = [
    "Chapter",
    "Figure",
    "Quantity",
    "Table",
    "Text",
    "cipher_family",
    "compression_table",
    "computed_bars",
    "computed_lines",
    "computed_rows",
    "configuration_tables",
    "cores_of",
    "cpu_cost",
    "data_table",
    "delay_lines",
    "glossary_table",
    "hosts_table",
    "kept_table",
    "largest",
    "libraries_table",
    "link_ceilings",
    "links_table",
    "models_table",
    "parameters_table",
    "payload_per_host",
    "plain_table",
    "printed_table",
    "rate_against_cpu",
    "ratio_check_table",
    "relative_bars",
    "results_table",
    "scenarios_table",
    "share_bars",
    "size_label",
    "size_lines",
    "smallest",
    "source_charts_table",
    "sources_table",
    "stated_values",
    "style_of",
    "tuning_table",
    "validation_summary",
    "validation_tables",
    "variant_bars",
    "workloads_table",
]
