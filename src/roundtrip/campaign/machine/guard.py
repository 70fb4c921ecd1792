"""The quiet-machine guard: readings of noise before a run, and the wait until there is none."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from roundtrip.campaign.method import Guard
from roundtrip.errors import RoundtripError

_PRESSURE = Path("/proc/pressure")
_LOOK_SECONDS = 0.5


class NotQuietError(RoundtripError):
    """Other work keeps the machine busy."""


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

    def complaint(self, guard: Guard) -> str | None:
        """Say what is too much, or None when the machine is quiet."""
        limits = (
            ("other work takes", self.busy, guard.busy, "% of the processors"),
            ("the hypervisor takes", self.steal, guard.steal, "% of the processors"),
            ("tasks wait for a processor", self.pressure, guard.pressure, "% of the time"),
        )
        found = [
            f"{what} {value:.0f} {unit} (limit {limit:g})"
            for what, value, limit, unit in limits
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
    NotQuietError
        If the machine does not become quiet and the guard refuses.
    """
    end = time.monotonic() + guard.wait_seconds
    told = False
    while True:
        noise = look()
        complaint = noise.complaint(guard)
        if complaint is None:
            return noise, None
        if time.monotonic() >= end:
            break
        if not told:
            say(f"waiting for a quiet machine: {complaint}")
            told = True
        time.sleep(min(2.0, max(0.0, end - time.monotonic())))
    if guard.otherwise == "refuse":
        raise NotQuietError(
            f"the machine is not quiet: {complaint}",
            remedy="stop the other work and run the command again to resume, or set "
            "guard.otherwise to mark",
        )
    return noise, complaint
