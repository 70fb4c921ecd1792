"""Samples of processes and of the machine: counters as the system keeps them, with their time."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from roundtrip.campaign.machine.guard import pressure_totals
from roundtrip.campaign.raw import Keeping

STAT = Path("/proc/stat")
_PERIOD = 0.25
"""Seconds from one sample to the next."""


class Sampler:
    """Samples processes into a raw file, at a fixed period and at the end, in a thread of its own.

    Counters are kept as they are (processor seconds, bytes), so that whoever reads the file can
    take any part of the run.

    Parameters
    ----------
    processes : mapping of str to int
        Name in the raw file to process id: broker and drivers apart.
    processors : collection of int, optional
        Those of the machine that count, by number; all where it is not given.
    """

    def __init__(
        self, raw: Keeping, processes: Mapping[str, int], processors: Collection[int] | None = None
    ) -> None:
        self._raw, self._processors = raw, processors
        self._processes = {}
        for name, pid in processes.items():
            with suppress(psutil.Error):
                self._processes[name] = psutil.Process(pid)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def watch(self, name: str, pid: int) -> None:
        """Sample one more process, from now on."""
        with suppress(psutil.Error):
            # A new mapping: the thread may be reading the old one.
            self._processes = {**self._processes, name: psutil.Process(pid)}

    def __enter__(self) -> Sampler:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(5)

    def _sample(self) -> None:
        due = time.monotonic()
        while True:
            # Once more when told to stop: the last interval may have ended since the sample before,
            # and what was used since then would be missing.
            last = self._stop.is_set()
            self._raw.record("sampler", event="sample", **self._reading())
            if last:
                return
            due = max(due + _PERIOD, time.monotonic())
            self._stop.wait(due - time.monotonic())

    def _reading(self) -> dict[str, Any]:
        # The time is taken with the counters: the raw line's own is that of its writing.
        begun = time.monotonic()
        reading: dict[str, Any] = {
            "t": round(time.time(), 4),
            "machine": machine_counters(self._processors),
        }
        reading["processes"] = {
            name: counters
            for name, process in self._processes.items()
            if (counters := process_counters(process)) is not None
        }
        reading["took_s"] = round(time.monotonic() - begun, 4)
        return reading


def process_counters(process: psutil.Process) -> dict[str, float] | None:
    """Read a process: processor seconds, resident bytes, bytes to and from disk, threads.

    None when the process has ended or may not be read.
    """
    try:
        with process.oneshot():
            times, memory = process.cpu_times(), process.memory_info()
            counters = {
                "cpu_s": round(times.user + times.system, 3),
                "rss": memory.rss,
                "threads": process.num_threads(),
            }
    except psutil.Error:
        return None
    with suppress(psutil.Error, AttributeError, OSError):
        disk = process.io_counters()  # type: ignore[attr-defined, unused-ignore]
        counters["read"], counters["written"] = disk.read_bytes, disk.write_bytes
    return counters


def machine_counters(processors: Collection[int] | None = None) -> dict[str, float]:
    """Read the machine: idle and stolen processor seconds, bytes on its networks, waiting (PSI).

    The seconds are those of the chosen processors; all where none are.
    """
    chosen = psutil.cpu_times(percpu=True)
    if processors is not None:
        # psutil gives those that are online one after the other, whatever their numbers.
        numbers = map(int, re.findall(r"(?m)^cpu(\d+) ", STAT.read_text(encoding="ascii")))
        chosen = [
            times for number, times in zip(numbers, chosen, strict=False) if number in processors
        ]

    def total(*names: str) -> float:
        return sum(float(getattr(times, name, 0.0)) for times in chosen for name in names)

    # Busy seconds are what is left: Linux counts those by ticks, but idle ones by its clock.
    idle, steal = total("idle", "iowait"), total("steal")
    counters = {"idle_s": round(idle, 3), "steal_s": round(steal, 3)}
    with suppress(OSError, RuntimeError):
        network = psutil.net_io_counters()
        if network is not None:
            counters["sent"], counters["received"] = network.bytes_sent, network.bytes_recv
    return {**counters, **pressure_totals()}
