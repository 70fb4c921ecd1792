"""All readers, and which of them a file is for."""

from __future__ import annotations

from roundtrip.errors import ParameterError, nearest
from roundtrip.ingest.reader import Head, Reader
from roundtrip.ingest.tools.amqerr import AmqErr
from roundtrip.ingest.tools.amqsrua import Amqsrua
from roundtrip.ingest.tools.artemis_perf import ArtemisPerf
from roundtrip.ingest.tools.cphtestp import CphTestp
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
LEAST_CONFIDENCE = 0.3


def reader_named(name: str) -> Reader:
    """Give the reader of a tool.

    Raises
    ------
    ParameterError
        If there is none of that name; the nearest is given.
    """
    for reader in READERS:
        if reader.name == name:
            return reader()
    names = [reader.name for reader in READERS]
    raise ParameterError(
        f"unknown tool '{name}'{nearest(name, names)}", where="--tool", allowed=", ".join(names)
    )


def reader_for(head: Head) -> Reader | None:
    """Give the reader that is surest that a file is its tool's output, None if none is."""
    best, reader = LEAST_CONFIDENCE, None
    for candidate in READERS:
        made = candidate()
        confidence = made.confidence(head)
        if confidence > best:
            best, reader = confidence, made
    return reader
