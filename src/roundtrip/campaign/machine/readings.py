"""Readings of the machine: how quiet it is before a run, and what is used during one.

Samples of processes and of the machine are counters as the system keeps them, with their time.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from roundtrip.campaign.method import Guard, Quiet
from roundtrip.campaign.raw import Keeping
from roundtrip.errors import RoundtripError

_PRESSURE = Path("/proc/pressure")
_LOOK_SECONDS = 0.5


@dataclass(frozen=True)
class Noise:
    """Readings of the machine while nothing of ours runs.

    Attributes
    ----------
    load : float or None
        Load average over one minute: recorded, not judged, because it remembers the last run.
    busy, steal, pressure : float
        In percent of all processors, of all processors, of the time; over half a second.
    """

    load: float | None
    busy: float
    steal: float
    pressure: float

    def complaint(self, limits: Quiet) -> str | None:
        """Say what is too much, or None when the machine is quiet."""
        readings = (
            ("other work takes", self.busy, limits.busy, "% of the processors"),
            ("the hypervisor takes", self.steal, limits.steal, "% of the processors"),
            ("tasks wait for a processor", self.pressure, limits.pressure, "% of the time"),
        )
        found = [
            f"{what} {value:.0f} {unit} (limit {limit:g})"
            for what, value, limit, unit in readings
            if value > limit
        ]
        return "; ".join(found) or None


def pressure_totals() -> dict[str, float]:
    """Read how long tasks have waited for processors and for disks (PSI), in seconds since boot.

    The keys are ``cpu_wait_s`` and ``io_wait_s``; none where the kernel does not keep them.
    """
    totals = {}
    for name in ("cpu", "io"):
        try:
            first = (_PRESSURE / name).read_text(encoding="ascii").splitlines()[0]
        except (OSError, IndexError, UnicodeDecodeError):
            continue
        words = dict(word.split("=") for word in first.split() if "=" in word)
        totals[f"{name}_wait_s"] = int(words["total"]) / 1e6
    return totals


def read_noise() -> Noise:
    """Look at the machine for a moment."""
    waited, began = pressure_totals().get("cpu_wait_s", 0.0), time.monotonic()
    share = psutil.cpu_times_percent(interval=_LOOK_SECONDS)
    length = time.monotonic() - began
    waited = pressure_totals().get("cpu_wait_s", 0.0) - waited
    idle = share.idle + getattr(share, "iowait", 0.0)
    steal = float(getattr(share, "steal", 0.0))
    return Noise(
        load=round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        busy=round(max(0.0, 100 - idle - steal), 2),
        steal=round(steal, 2),
        pressure=round(min(100.0, 100 * waited / length), 2),
    )


def wait_for_quiet(
    guard: Guard, look: Callable[[], Noise], say: Callable[[str], None]
) -> tuple[Noise, str | None]:
    """Wait until the machine is quiet; `say` is told once why the run has to wait.

    Returns
    -------
    noise : Noise
        The last reading.
    complaint : str or None
        What was too much, when the run goes on all the same.

    Raises
    ------
    RoundtripError
        If the machine does not become quiet and the guard refuses.
    """
    end = time.monotonic() + guard.wait_seconds
    noise = look()
    if (complaint := noise.complaint(guard)) and guard.wait_seconds:
        say(f"waiting for a quiet machine: {complaint}")
    while complaint and (left := end - time.monotonic()) > 0:
        time.sleep(min(2.0, left))
        noise = look()
        complaint = noise.complaint(guard)
    if complaint and guard.otherwise == "refuse":
        raise RoundtripError(
            f"the machine is not quiet: {complaint}",
            remedy="stop the other work and run the command again to resume, or set "
            "guard.otherwise to mark",
        )
    return noise, complaint


STAT = Path("/proc/stat")
_PERIOD = 0.25
"""Seconds from one sample to the next."""


def repeated(count: Callable[[], object]) -> Callable[[], None]:
    """Count something again and again in a thread of its own, until what is given is called.

    It is counted once more then: the last interval may have ended since, and what was used since
    would be missing.
    """
    stop = threading.Event()

    def repeat() -> None:
        due = time.monotonic()
        while not stop.is_set():
            count()
            due = max(due + _PERIOD, time.monotonic())
            stop.wait(due - time.monotonic())
        count()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()

    def end() -> None:
        stop.set()
        thread.join(5)

    return end


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
        self._processes: dict[str, psutil.Process] = {}
        for name, pid in processes.items():
            self.watch(name, pid)

    def watch(self, name: str, pid: int) -> None:
        """Sample one more process, from now on."""
        with suppress(psutil.Error):
            # A new mapping: the thread may be reading the old one.
            self._processes = {**self._processes, name: psutil.Process(pid)}

    def __enter__(self) -> Sampler:
        self._end = repeated(self._sample)
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _sample(self) -> None:
        # The time is taken with the counters: the raw line's own is that of its writing.
        begun, now = time.monotonic(), round(time.time(), 4)
        machine = machine_counters(self._processors)
        processes = {
            name: counters
            for name, process in self._processes.items()
            if (counters := process_counters(process)) is not None
        }
        took = round(time.monotonic() - begun, 4)
        self._raw.record(
            "sampler", event="sample", t=now, machine=machine, processes=processes, took_s=took
        )


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
