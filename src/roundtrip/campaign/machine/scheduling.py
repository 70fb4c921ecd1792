"""The scheduling class of a run: real-time where asked and permitted, and what was in effect."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache

_PRIORITY = 1


@lru_cache(maxsize=1)
def real_time_permitted() -> bool:
    """Say whether this user may start processes in the real-time class SCHED_RR."""
    if shutil.which("chrt") is None or not hasattr(os, "sched_setscheduler"):
        return False
    before, parameter = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(_PRIORITY))
    except (PermissionError, OSError):
        return False
    os.sched_setscheduler(0, before, parameter)
    return True


def prefix(scheduling_class: str) -> list[str]:
    """Give the words that start a command in a scheduling class; none for the normal one."""
    if scheduling_class == "real-time" and real_time_permitted():
        return ["chrt", "--rr", str(_PRIORITY)]
    return []


def effective(scheduling_class: str) -> str:
    """Name the class that a process gets that asks for one."""
    return "real-time" if prefix(scheduling_class) else "normal"


@contextmanager
def runner_in_front(scheduling_class: str) -> Iterator[None]:
    """Let the runner be heard while real-time processes hold all processors.

    It needs little; without this its readings would come late. Children do not inherit it.
    """
    if effective(scheduling_class) != "real-time":
        yield
        return
    before, parameter = os.sched_getscheduler(0), os.sched_getparam(0)
    flags = os.SCHED_RR | getattr(os, "SCHED_RESET_ON_FORK", 0)
    with suppress(OSError):
        os.sched_setscheduler(0, flags, os.sched_param(_PRIORITY + 1))
    try:
        yield
    finally:
        with suppress(OSError):
            os.sched_setscheduler(0, before, parameter)
