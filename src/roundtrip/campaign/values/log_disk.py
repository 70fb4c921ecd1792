"""What the log-disk test showed: times of synchronous writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roundtrip.campaign.values import Values
from roundtrip.stats.histograms import merged, summary_of

_US_IN_MS = 1000.0


def log_disk_values(record: Mapping[str, Any]) -> Values:
    """Give times of a write in µs and its size, from what the runner recorded of the test.

    There is a percentile only where enough writes lie beyond it.
    """
    found = summary_of(merged([str(record["histogram"])]))
    if found is None:
        return {}
    values: Values = {
        ("log_write_size", "mean"): float(record["block_bytes"]),
        ("log_write_latency", "mean"): found.mean_ms * _US_IN_MS,
        ("log_write_latency", "maximum"): found.max_ms * _US_IN_MS,
    }
    for name in ("p50", "p99"):
        if name in found.percentiles_ms:
            values["log_write_latency", name] = found.percentiles_ms[name] * _US_IN_MS
    return values
