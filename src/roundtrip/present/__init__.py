"""What chapters call: data in the edition's units, tables, charts, computed text."""

from roundtrip.present.appliance import (
    hardware_table,
    link_bandwidth,
    requesters_table,
    with_arrangement,
    with_single_thread,
)
from roundtrip.present.chapter import Chapter, Text
from roundtrip.present.charts import (
    computed_bars,
    computed_lines,
    computed_rows,
    delay_lines,
    panel_bars,
    panel_lines,
    rate_against_cpu,
    reading_accuracy,
    relative_bars,
    requesters_for,
    response_curves,
    share_bars,
    size_lines,
    sweep_panels,
    variant_bars,
)
from roundtrip.present.comparability import state_differences
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
from roundtrip.present.doubts import doubted_cells
from roundtrip.present.drawn import drawn_values
from roundtrip.present.figure import Figure
from roundtrip.present.flows import payload, payload_in_transit, time_in_round_trip
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
from roundtrip.present.ratios import ratio_rows
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
    "doubted_cells",
    "drawn_values",
    "glossary_table",
    "hardware_table",
    "hosts_table",
    "kept_table",
    "largest",
    "libraries_table",
    "link_bandwidth",
    "link_ceilings",
    "links_table",
    "models_table",
    "panel_bars",
    "panel_lines",
    "parameters_table",
    "payload",
    "payload_in_transit",
    "payload_per_host",
    "plain_table",
    "printed_table",
    "rate_against_cpu",
    "ratio_check_table",
    "ratio_rows",
    "reading_accuracy",
    "relative_bars",
    "requesters_for",
    "requesters_table",
    "response_curves",
    "results_table",
    "scenarios_table",
    "share_bars",
    "size_label",
    "size_lines",
    "smallest",
    "source_charts_table",
    "sources_table",
    "state_differences",
    "stated_values",
    "style_of",
    "sweep_panels",
    "time_in_round_trip",
    "tuning_table",
    "validation_summary",
    "validation_tables",
    "variant_bars",
    "with_arrangement",
    "with_single_thread",
    "workloads_table",
]
