"""The options of Java with which a campaign starts brokers and drivers."""

from __future__ import annotations

from typing import Annotated

from roundtrip.yamlfile import matching

# By name: others of the Java machine load code or start commands, and every release has new ones.
SWITCHES = (
    "UseSerialGC", "UseParallelGC", "UseG1GC", "UseZGC", "ZGenerational", "UseShenandoahGC",
    "AlwaysPreTouch", "DisableExplicitGC", "ExitOnOutOfMemoryError", "TieredCompilation",
    "UseCompactObjectHeaders", "UseCompressedOops", "UseLargePages", "UseNUMA",
    "UseStringDeduplication", "UseTransparentHugePages",
)  # fmt: skip
NUMBERS = (
    "ActiveProcessorCount", "CICompilerCount", "ConcGCThreads", "G1HeapRegionSize",
    "InitialRAMPercentage", "InitiatingHeapOccupancyPercent", "MaxDirectMemorySize",
    "MaxGCPauseMillis", "MaxMetaspaceSize", "MaxRAMPercentage", "MaxTenuringThreshold",
    "MetaspaceSize", "NewRatio", "NewSize", "ParallelGCThreads", "ReservedCodeCacheSize",
    "SurvivorRatio", "TieredStopAtLevel",
)  # fmt: skip
JvmOption = Annotated[
    str,
    matching(
        rf"-X(ms|mx|mn|ss)\d{{1,6}}[kmgKMG]|-XX:[+-]({'|'.join(SWITCHES)})"
        rf"|-XX:({'|'.join(NUMBERS)})=\d{{1,12}}([kmgKMG]|\.\d{{1,4}})?",
        "a size such as -Xmx512m, or a switch or number that 'roundtrip docs campaigns' lists",
    ),
]
"""An option with which a broker or a driver may be started."""
