"""What chapters call: data in the edition's units, tables, charts, computed text."""

from roundtrip.present.appliance import (
    hardware_table,
    link_bandwidth,
    requesters_table,
    with_arrangement,
    with_single_thread,
)
from roundtrip.present.break_even import (
    break_even_table,
    break_even_words,
)
from roundtrip.present.capacity import (
    core_times,
    join_derived_memory,
    memory_from_pages,
)
from roundtrip.present.chapter import (
    Chapter,
    Text,
)
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
from roundtrip.present.charts.beside import (
    latency_panels,
    sweeps_beside_published,
)
from roundtrip.present.charts.log_writes import (
    log_writes_figure,
)
from roundtrip.present.charts.mirror import (
    backlog_over_time,
    delay_beside_published,
    mirror_lines,
)
from roundtrip.present.charts.place_rows import (
    place_rows,
)
from roundtrip.present.charts.ratio_dots import (
    Dot,
    ratio_dots,
)
from roundtrip.present.charts.response_lines import (
    response_lines,
)
from roundtrip.present.charts.size_panels import (
    size_panels,
)
from roundtrip.present.charts.variants import (
    measured_lines,
    variants_figure,
)
from roundtrip.present.claims import (
    claim_counts,
    claim_tables,
    claims_table,
)
from roundtrip.present.comparability import (
    state_differences,
)
from roundtrip.present.compared import (
    compared_table,
    points_table,
)
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
from roundtrip.present.doubts import (
    doubted_cells,
)
from roundtrip.present.drawn import (
    drawn_values,
)
from roundtrip.present.errata import (
    errata_tables,
    repetitions_text,
    words_table,
)
from roundtrip.present.figure import (
    Figure,
)
from roundtrip.present.flows import (
    payload,
    payload_in_transit,
    time_in_round_trip,
)
from roundtrip.present.ingested import (
    ingested_extents,
    ingested_points,
    ingested_replication,
    ingested_table,
)
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
from roundtrip.present.log_extents import (
    extent_bytes,
    log_lines,
    log_rate,
)
from roundtrip.present.measured import (
    Measured,
)
from roundtrip.present.measured_arrival import (
    arrival_table,
    arrival_words,
)
from roundtrip.present.measured_backlog import (
    backlog_cases,
    backlog_table,
    catch_up_words,
)
from roundtrip.present.measured_cases import (
    Case,
    cases_agreement,
    cases_table,
    cases_title,
)
from roundtrip.present.measured_compression import (
    METHODS,
    compared_at,
    compression_rates_agreement,
    compression_rates_table,
    narrow_link_agreement,
    narrow_title,
)
from roundtrip.present.measured_depth import (
    LOADS,
    depth_title,
    depth_words,
)
from roundtrip.present.measured_failover import (
    failover_table,
    failover_title,
    failover_words,
)
from roundtrip.present.measured_links import (
    client_links_table,
)
from roundtrip.present.measured_load import (
    at_common_load,
)
from roundtrip.present.measured_loads import (
    limit_title,
    rated_limits,
    rising_loads,
)
from roundtrip.present.measured_mirror import (
    live_side_words,
    mirror_cost_table,
    waits_words,
)
from roundtrip.present.measured_mirror_titles import (
    backlog_title,
    mirror_delay_title,
    mirror_title,
)
from roundtrip.present.measured_models import (
    connections_table,
    connections_title,
    connections_words,
    models_words,
)
from roundtrip.present.measured_notes import (
    broken_off,
    disclosure_beside,
    settings_in_effect,
)
from roundtrip.present.measured_pairs import (
    PAIRS,
    at_highest,
    at_peaks,
    delay_title,
    link_words,
    lowest_level,
    steady_agreement,
    without_link_effects,
)
from roundtrip.present.measured_payload import (
    payload_table,
)
from roundtrip.present.measured_points import (
    common_requesters,
    left_out_words,
    main_size_of,
)
from roundtrip.present.measured_storage import (
    file_systems,
    log_writes_title,
    log_writes_words,
    main_size,
    mounts_words,
    storage_agreement,
    sync_words,
)
from roundtrip.present.measured_tables import (
    campaign_tables,
    peaks_beside_table,
    points_measured_table,
)
from roundtrip.present.measured_titles import (
    latency_title,
    sweep_title,
)
from roundtrip.present.measured_tls import (
    cipher_order,
    tls_measured,
)
from roundtrip.present.measured_variants import (
    variants_agreement,
    variants_table,
    variants_title,
)
from roundtrip.present.measured_words import (
    delivery_agreement,
    disclosure,
    measured_limits,
    size_agreement,
)
from roundtrip.present.numbers import (
    Quantity,
    largest,
    size_label,
    smallest,
)
from roundtrip.present.printed import (
    printed_table,
    stated_values,
)
from roundtrip.present.proposals import (
    proposals_tables,
    proposals_text,
    rules_table,
)
from roundtrip.present.quantities import (
    Row,
    quantity_table,
)
from roundtrip.present.ratios import (
    ratio_rows,
)
from roundtrip.present.replication import (
    catch_up,
    kept_shares,
    link_ceiling,
    link_round_trips,
    peak_cells,
    requester_ceiling,
    time_at,
)
from roundtrip.present.ssl_ciphers import (
    bulk_cipher,
    implied_baseline,
)
from roundtrip.present.statements import (
    charts_table,
    fact,
    fact_matrix,
    facts_table,
    settings_table,
    setups_table,
    stated_table,
)
from roundtrip.present.tables import (
    Table,
    plain_table,
    results_table,
)
from roundtrip.present.text_statements import (
    stated_quantities,
    statements_table,
)
from roundtrip.present.theme import (
    style_of,
)
from roundtrip.present.values import (
    in_unit,
    sample_rows,
    value_of,
)

__all__ = [
    "LOADS",
    "METHODS",
    "PAIRS",
    "Case",
    "Chapter",
    "Comparison",
    "Dot",
    "Figure",
    "Measured",
    "Quantity",
    "Row",
    "Table",
    "Text",
    "arrival_table",
    "arrival_words",
    "at_common_load",
    "at_highest",
    "at_peaks",
    "backlog_cases",
    "backlog_over_time",
    "backlog_table",
    "backlog_title",
    "break_even_table",
    "break_even_words",
    "broken_off",
    "bulk_cipher",
    "campaign_tables",
    "cases_agreement",
    "cases_table",
    "cases_title",
    "catch_up",
    "catch_up_words",
    "charts_table",
    "cipher_family",
    "cipher_order",
    "claim_counts",
    "claim_tables",
    "claims_table",
    "client_links_table",
    "common_requesters",
    "compared_at",
    "compared_table",
    "compression_rates_agreement",
    "compression_rates_table",
    "compression_table",
    "computed_bars",
    "computed_lines",
    "computed_rows",
    "configuration_tables",
    "connections_table",
    "connections_title",
    "connections_words",
    "core_times",
    "cores_of",
    "cpu_cost",
    "data_table",
    "delay_beside_published",
    "delay_lines",
    "delay_title",
    "delivery_agreement",
    "delivery_name",
    "depth_title",
    "depth_words",
    "disclosure",
    "disclosure_beside",
    "doubted_cells",
    "drawn_values",
    "errata_tables",
    "extent_bytes",
    "fact",
    "fact_matrix",
    "facts_table",
    "failover_table",
    "failover_title",
    "failover_words",
    "file_systems",
    "glossary_table",
    "hardware_table",
    "hosts_table",
    "implied_baseline",
    "in_unit",
    "ingested_extents",
    "ingested_points",
    "ingested_replication",
    "ingested_table",
    "join_derived_memory",
    "kept_shares",
    "kept_table",
    "largest",
    "latency_panels",
    "latency_title",
    "left_out_words",
    "libraries_table",
    "limit_title",
    "link_bandwidth",
    "link_ceiling",
    "link_ceilings",
    "link_round_trips",
    "link_words",
    "links_table",
    "live_side_words",
    "log_lines",
    "log_rate",
    "log_writes_figure",
    "log_writes_title",
    "log_writes_words",
    "lowest_level",
    "main_size",
    "main_size_of",
    "matching",
    "mean_share",
    "measured_limits",
    "measured_lines",
    "memory_from_pages",
    "mirror_cost_table",
    "mirror_delay_title",
    "mirror_lines",
    "mirror_title",
    "models_table",
    "models_words",
    "mounts_words",
    "narrow_link_agreement",
    "narrow_title",
    "panel_bars",
    "panel_lines",
    "parameters_table",
    "payload",
    "payload_in_transit",
    "payload_per_host",
    "payload_table",
    "peak_cells",
    "peak_of",
    "peak_row",
    "peaks_beside_table",
    "peaks_by",
    "place_rows",
    "plain_table",
    "points_measured_table",
    "points_table",
    "printed_table",
    "proposals_tables",
    "proposals_text",
    "quantity_table",
    "rate_against_cpu",
    "rated_limits",
    "ratio_check_table",
    "ratio_dots",
    "ratio_rows",
    "reading_accuracy",
    "relative_bars",
    "repetitions_text",
    "requester_ceiling",
    "requesters_for",
    "requesters_table",
    "response_curves",
    "response_lines",
    "results_table",
    "rising_loads",
    "rules_table",
    "sample_rows",
    "scenarios_table",
    "settings_in_effect",
    "settings_table",
    "setups_table",
    "share_bars",
    "sharing_name",
    "size_agreement",
    "size_label",
    "size_lines",
    "size_panels",
    "smallest",
    "source_charts_table",
    "sources_table",
    "state_differences",
    "stated_quantities",
    "stated_table",
    "stated_values",
    "statements_table",
    "steady_agreement",
    "storage_agreement",
    "style_of",
    "sweep_panels",
    "sweep_title",
    "sweeps_beside_published",
    "sync_words",
    "test_name",
    "time_at",
    "time_in_round_trip",
    "tls_measured",
    "tuning_table",
    "validation_summary",
    "validation_tables",
    "value_of",
    "variant_bars",
    "variants_agreement",
    "variants_figure",
    "variants_table",
    "variants_title",
    "version_comparisons",
    "waits_words",
    "with_arrangement",
    "with_single_thread",
    "without_link_effects",
    "words_table",
    "workloads_table",
]
