"""All readers, and which of them a file is for."""

from __future__ import annotations

from importlib.metadata import entry_points

from roundtrip.errors import ParameterError, unknown
from roundtrip.ingest.reader import Head, Reader
from roundtrip.ingest.tools.amqerr import AmqErr
from roundtrip.ingest.tools.amqsrua import Amqsrua
from roundtrip.ingest.tools.artemis_perf import ArtemisPerf
from roundtrip.ingest.tools.cphtestp import CphTestp
from roundtrip.ingest.tools.csv_table import CsvTable
from roundtrip.ingest.tools.fio import Fio
from roundtrip.ingest.tools.hdrhistogram import HdrHistogram
from roundtrip.ingest.tools.iostat import Iostat
from roundtrip.ingest.tools.jms_perf_harness import JmsPerfHarness
from roundtrip.ingest.tools.mq_cph import MqCph
from roundtrip.ingest.tools.mqldt import Mqldt
from roundtrip.ingest.tools.omb import OpenMessagingBenchmark
from roundtrip.ingest.tools.rabbitmq_perftest import RabbitPerfTest
from roundtrip.ingest.tools.sysstat_cpu import Mpstat, Sar
from roundtrip.ingest.tools.sysstat_json import SysstatJson
from roundtrip.ingest.tools.vmstat import Vmstat

READERS: tuple[type[Reader], ...] = (
    MqCph, JmsPerfHarness, CphTestp, Mqldt, Amqsrua, AmqErr, Vmstat, Mpstat, Sar, Iostat,
    SysstatJson, Fio, OpenMessagingBenchmark, RabbitPerfTest, ArtemisPerf, HdrHistogram,
)  # fmt: skip
"""Those that tell their tool's output by its content."""
LEAST_CONFIDENCE = 0.3
GROUP = "roundtrip.readers"
"""Entry points of installed packages that hold further readers."""


def readers() -> tuple[type[Reader], ...]:
    """Give the package's readers, then those that other packages register, by name.

    Raises
    ------
    ParameterError
        If a registered one is no reader, or has a name that is taken.
    """
    found = list(READERS)
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        made = entry.load()
        if not (isinstance(made, type) and issubclass(made, Reader)):
            raise ParameterError(f"{entry.value} is no reader", where=f"entry point {entry.name}")
        if made.name in {CsvTable.name, *(reader.name for reader in found)}:
            raise ParameterError(
                f"a reader is named '{made.name}' already", where=f"entry point {entry.name}"
            )
        found.append(made)
    return tuple(found)


def reader_named(name: str, where: str = "--tool") -> type[Reader]:
    """Give the class of a tool's reader; that of CSV files takes a mapping.

    Raises
    ------
    ParameterError
        If there is none of that name; the nearest is given, and `where` it is named.
    """
    known = {reader.name: reader for reader in readers()} | {CsvTable.name: CsvTable}
    if name not in known:
        raise unknown(ParameterError, "tool", name, known, where=where)
    return known[name]


def reader_for(head: Head) -> Reader | None:
    """Give the reader that is surest that a file is its tool's output, None if none is."""
    made = [reader() for reader in readers()]
    reader = max(made, key=lambda one: one.confidence(head))
    return reader if reader.confidence(head) > LEAST_CONFIDENCE else None
