"""What chapters call: data in the edition's units, tables, charts, computed text."""

from roundtrip.present.appliance import models_table, with_arrangement, with_single_thread
from roundtrip.present.chapter import Chapter, Text
from roundtrip.present.charts import (
    computed_bars,
    computed_lines,
    computed_rows,
    delay_lines,
    panel_bars,
    panel_lines,
    rate_against_cpu,
    relative_bars,
    requesters_for,
    response_curves,
    share_bars,
    size_lines,
    sweep_panels,
    variant_bars,
)
from roundtrip.present.comparability import state_differences
from roundtrip.present.derived import (
    cipher_family,
    cores_of,
    cpu_cost,
    link_ceilings,
    payload_per_host,
)
from roundtrip.present.figure import Figure
from roundtrip.present.flows import payload, payload_in_transit, time_in_round_trip
from roundtrip.present.grids import Row, quantity_table
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
from roundtrip.present.log_extents import extent_bytes, log_lines, log_rate
from roundtrip.present.numbers import Quantity, largest, size_label, smallest
from roundtrip.present.replication import (
    catch_up,
    kept_shares,
    link_ceiling,
    link_gbps,
    link_round_trips,
    peak_cells,
    requester_ceiling,
    time_at,
)
from roundtrip.present.statements import (
    charts_table,
    fact,
    fact_matrix,
    facts_table,
    scenario_table,
    settings_table,
    stated_table,
)
from roundtrip.present.tables import Table, plain_table, printed_table, results_table
from roundtrip.present.theme import style_of
from roundtrip.present.values import in_unit, sample_rows, value_of

__all__ = [
    "Chapter", "Figure", "Quantity", "Table", "Text", "cipher_family", "compression_table",
    "computed_bars", "computed_lines", "computed_rows", "cores_of", "cpu_cost", "delay_lines",
    "glossary_table", "hosts_table", "kept_table", "largest", "libraries_table",
    "link_ceilings", "links_table", "models_table", "panel_bars", "panel_lines",
    "parameters_table", "payload", "payload_in_transit", "payload_per_host", "plain_table",
    "printed_table", "rate_against_cpu", "ratio_check_table", "relative_bars",
    "requesters_for", "response_curves", "results_table", "share_bars", "size_label",
    "size_lines", "smallest", "state_differences", "style_of", "sweep_panels",
    "time_in_round_trip", "validation_summary", "validation_tables", "variant_bars",
    "with_arrangement", "with_single_thread",
]  # fmt: skip
__all__ += [
    "Row", "catch_up", "charts_table", "extent_bytes", "fact", "fact_matrix", "facts_table",
    "in_unit",
    "kept_shares", "link_ceiling", "link_gbps", "link_round_trips", "log_lines", "log_rate",
    "peak_cells", "quantity_table", "requester_ceiling", "sample_rows", "scenario_table",
    "settings_table", "stated_table", "time_at", "value_of",
]  # fmt: skip
