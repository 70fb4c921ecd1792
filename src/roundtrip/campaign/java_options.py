"""The options of Java with which a campaign starts brokers and drivers."""

from __future__ import annotations

import re

# By name: others of the Java machine load code or start commands, and every release has new ones.
_SWITCHES = (
    "UseSerialGC", "UseParallelGC", "UseG1GC", "UseZGC", "ZGenerational", "UseShenandoahGC",
    "AlwaysPreTouch", "DisableExplicitGC", "ExitOnOutOfMemoryError", "TieredCompilation",
    "UseCompactObjectHeaders", "UseCompressedOops", "UseLargePages", "UseNUMA",
    "UseStringDeduplication", "UseTransparentHugePages",
)  # fmt: skip
_NUMBERS = (
    "ActiveProcessorCount", "CICompilerCount", "ConcGCThreads", "G1HeapRegionSize",
    "InitialRAMPercentage", "InitiatingHeapOccupancyPercent", "MaxDirectMemorySize",
    "MaxGCPauseMillis", "MaxMetaspaceSize", "MaxRAMPercentage", "MaxTenuringThreshold",
    "MetaspaceSize", "NewRatio", "NewSize", "ParallelGCThreads", "ReservedCodeCacheSize",
    "SurvivorRatio", "TieredStopAtLevel",
)  # fmt: skip
_ALLOWED = re.compile(
    rf"-X(ms|mx|mn|ss)\d{{1,6}}[kmgKMG]|-XX:[+-]({'|'.join(_SWITCHES)})"
    rf"|-XX:({'|'.join(_NUMBERS)})=\d{{1,12}}([kmgKMG]|\.\d{{1,4}})?"
)
EXAMPLES = tuple(f"-XX:+{name}" for name in _SWITCHES) + tuple(f"-XX:{name}=" for name in _NUMBERS)
"""How the named ones begin."""


def allowed(option: str) -> bool:
    """Say whether something may be started with an option of Java."""
    return _ALLOWED.fullmatch(option) is not None
