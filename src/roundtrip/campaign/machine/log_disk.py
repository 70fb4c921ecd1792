"""The log-disk test: what a synchronous write takes where the recovery log will lie.

It works in the manner of MQLDT (the MQ Log Disk Tester): one thread writes block after block in
order into preallocated files and begins again at the first, each write on stable storage before
the next. The loop itself takes about a microsecond of what it states.
"""

from __future__ import annotations

import mmap
import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram

from roundtrip.stats.histograms import DIGITS, HIGHEST_NS

_FILES = 4
_FILE_BYTES = 4 << 20
_SMALLEST = 4096
_MOST_WRITES = 50_000


def block_for(message_bytes: int) -> int:
    """Give the smallest power of two that holds one message, from 4096 B to 4 MiB."""
    return min(_FILE_BYTES, max(_SMALLEST, 1 << max(0, message_bytes - 1).bit_length()))


def write_test(folder: Path, block: int, seconds: float) -> dict[str, Any]:
    """Write blocks in order for a while, each on stable storage before the next.

    Parameters
    ----------
    folder : Path
        On the file system to test; files are made in it and removed again.
    block : int
        Bytes of a write, as `block_for` gives them.
    seconds : float
        How long, at the most 50,000 writes.

    Returns
    -------
    dict
        ``block_bytes``, ``mode`` (how writes were made stable), ``writes``, ``seconds`` and
        ``histogram`` of their times in nanoseconds.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        paths = [folder / f".log-test-{number}" for number in range(_FILES)]
        for path in paths:
            stack.callback(path.unlink, missing_ok=True)
            _preallocate(path)
        # It begins at a page, as O_DIRECT wants it, and does not compress.
        buffer = stack.enter_context(mmap.mmap(-1, block))
        buffer.write(os.urandom(block))
        handles, mode = _opened(paths, buffer, stack)
        times = _written(handles, buffer, seconds)
    histogram = HdrHistogram(1, HIGHEST_NS, DIGITS)
    for took in times:
        histogram.record_value(max(1, took))
    return {
        "block_bytes": block, "mode": mode, "writes": len(times),
        "seconds": round(sum(times) / 1e9, 6), "histogram": histogram.encode().decode("ascii"),
        "latency_unit": "ns",
    }  # fmt: skip


def _preallocate(path: Path) -> None:
    """Write a file in full: blocks that are only reserved would be converted by the first write."""
    path.unlink(missing_ok=True)
    with path.open("xb") as stream:
        stream.write(bytes(_FILE_BYTES))
        stream.flush()
        os.fsync(stream.fileno())


def _opened(paths: list[Path], buffer: mmap.mmap, stack: ExitStack) -> tuple[list[int], str]:
    """Open the files past the cache of the system, or with it where that is refused."""
    modes = {"O_DSYNC": os.O_DSYNC}
    if hasattr(os, "O_DIRECT"):  # not on every system
        modes = {"O_DIRECT|O_DSYNC": os.O_DIRECT | os.O_DSYNC, **modes}
    for name, flags in modes.items():
        try:
            handles = []
            for path in paths:
                handles.append(os.open(path, os.O_WRONLY | flags))
                stack.callback(os.close, handles[-1])
            os.write(handles[0], buffer)
            break
        except OSError:
            if name == "O_DSYNC":
                raise
    return handles, name


def _written(handles: list[int], buffer: mmap.mmap, seconds: float) -> list[int]:
    clock, write = time.perf_counter_ns, os.write
    end = clock() + int(seconds * 1e9)
    times: list[int] = []
    while True:
        for handle in handles:
            os.lseek(handle, 0, os.SEEK_SET)
            for _ in range(_FILE_BYTES // len(buffer)):
                began = clock()
                write(handle, buffer)
                now = clock()
                times.append(now - began)
                if now >= end or len(times) >= _MOST_WRITES:
                    return times
