"""What runs on a host that is looked at or measured on: it answers, and starts what it is told.

Started as ``python -m roundtrip.hosts.station FOLDER``; orders come as lines of JSON, and so do
answers and the lines of processes. Nothing of it outlives the runner: it ends, with all that it
has started and all that it has made, when its input ends or nothing has come for a while.
"""

from __future__ import annotations

import base64
import json
import os
import re
import secrets
import select
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from roundtrip.campaign.links.probe import far_end, probe
from roundtrip.campaign.machine import scheduling
from roundtrip.campaign.machine.host import describe_host
from roundtrip.campaign.machine.network import free_ports
from roundtrip.campaign.machine.readings import Sampler, read_noise
from roundtrip.campaign.processes import Ended, Launch, Message, Process
from roundtrip.errors import RoundtripError
from roundtrip.files import sha256_of_file, sha256_of_tree, temporary_files, write_atomically
from roundtrip.hosts.workers import facts
from roundtrip.setup.harness_build import PACKAGED, find_tool

_MAY_SET_PRIORITIES = 23
"""Number of that right in Linux."""
_far_ends = ExitStack()


def _host(folder: str, java: str, load: str | None) -> dict[str, Any]:
    """Say what the host is and has."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    rights = int(status.partition("CapEff:")[2].split()[0], 16)
    return {
        "facts": facts(),
        "processors": len(os.sched_getaffinity(0)),
        "harness": harness_hash(),
        "java": find_tool(java).feature,
        "free_gb": shutil.disk_usage(folder).free / 1e9 if os.access(folder, os.W_OK) else 0.0,
        "has_address": load is None or _has(load),
        "may": ["real-time"] if rights >> _MAY_SET_PRIORITIES & 1 else [],
    }


def _has(address: str) -> bool:
    """Whether an address is one of this host."""
    with socket.socket() as trial:
        try:
            trial.bind((address, 0))
        except OSError:
            return False
    return True


def harness_hash() -> str | None:
    """Hash the load driver and its libraries, None where it is not installed."""
    if not PACKAGED.is_file():
        return None
    return sha256_of_tree(PACKAGED, PACKAGED.parent / "lib", pattern="*.jar")


def harness_parts() -> dict[str, Path]:
    """Name the files of the load driver; its own comes last, without which there is none."""
    libraries = sorted((PACKAGED.parent / "lib").glob("*.jar"))
    return {path.relative_to(PACKAGED.parent).as_posix(): path for path in (*libraries, PACKAGED)}


def _take(part: str, content: str) -> None:
    """Keep a file of the load driver, where there is none."""
    if PACKAGED.is_file() or not re.fullmatch(r"(?:lib/)?[\w.-]+\.jar", part):
        raise RoundtripError(f"{part} is no file that is missing here")
    write_atomically(PACKAGED.parent / part, base64.b64decode(content))


def _far_end(address: str, word: str) -> int:
    """Begin to serve probes of a link, and give the port."""
    listener = socket.create_server((address, 0))
    return _far_ends.enter_context(far_end(listener, word.encode()))


_QUESTIONS: dict[str, Callable[..., Any]] = {
    "host": _host, "harness": harness_hash, "take": _take, "clock": time.time,
    "noise": lambda: asdict(read_noise()),
    "far end": _far_end, "hush": _far_ends.close,
    "probe": lambda host, port, limit_gbps, word, source="": asdict(
        probe(port, limit_gbps, host, word.encode(), source)
    ),
    "ports": lambda address, count: free_ports(count, address),
}  # fmt: skip


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """Answer a question, which ``ask`` names, with ``answer`` or with a ``problem`` in words."""
    given = dict(question)
    try:
        return {"answer": _QUESTIONS[given.pop("ask")](**given)}
    except OSError as problem:
        return {"problem": problem.strerror or str(problem) or type(problem).__name__}
    except RoundtripError as problem:
        return {"problem": problem.what}


GREETING = "roundtrip station 1"
SILENCE_S = 15.0
"""After which the runner counts as lost: it says something every few seconds."""
SAMPLER = "sampler"
_BOOT = Path("/proc/sys/kernel/random/boot_id")


class _Wire:
    """Writes to the runner, each line whole; it is used where a raw file would be."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def tell(self, **content: Any) -> None:
        data = json.dumps(content).encode() + b"\n"
        with self._lock:
            while data:  # without a buffer, which could not be written when the runner has gone
                data = data[os.write(1, data) :]

    def line(self, source: str, text: str) -> None:
        self.tell(source=source, line=text)

    def record(self, source: str, **content: Any) -> None:
        self.line(source, json.dumps(content))


class _Station:
    """Processes on this host."""

    def __init__(self) -> None:
        self.wire = _Wire()
        self._processes: dict[str, Process] = {}
        self._own, self._sampling = ExitStack(), ExitStack()
        self._sampler: Sampler | None = None

    @cached_property
    def folder(self) -> Path:
        """Its own folder, made for a campaign; who only asks needs none."""
        return self._own.enter_context(temporary_files())

    def about(self) -> dict[str, Any]:
        """Say what this host is."""
        own = sorted(os.sched_getaffinity(0))
        told = describe_host(self.folder)
        del told["network"]
        if len(own) < told["logical_processors"]:
            # How many cores they are is not known.
            told |= {"logical_processors": len(own), "physical_cores": None}
        boot = _BOOT.read_text(encoding="ascii").strip() if _BOOT.is_file() else secrets.token_hex()
        return {
            "about": told, "processors": own, "boot": boot, "folder": str(self.folder),
            "jar": str(PACKAGED),
            "jar_sha256": sha256_of_file(PACKAGED) if PACKAGED.is_file() else None,
        }  # fmt: skip

    def heed(self, order: dict[str, Any]) -> None:
        """Do what is asked for."""
        if "start" in order:
            self._start(order["start"], order)
        elif process := self._processes.get(order.get("to", "")):
            if "say" in order:
                process.say(order["say"])
            elif order["signal"] is None:
                process.stop(0)
            else:
                process.send(signal.Signals(order["signal"]))
        elif "sample" in order:
            self._sample()
        elif "rest" in order:
            self.rest()
        elif "ask" in order:
            self.wire.tell(reply={"answer": self.about()} if order["ask"] == "about" else
                           answer(order))  # fmt: skip

    def _start(self, name: str, order: dict[str, Any]) -> None:
        launch = Launch(
            order["command"], prefix=order["prefix"], environment=order["environment"],
            first_line=order["first_line"],
        )  # fmt: skip
        try:
            process = Process(name, launch, self._pass_on_end, self.wire)
        except RoundtripError as problem:
            self.wire.line(f"{name} stderr", problem.what)
            self.wire.tell(ended=name, status=1)
            return
        self._processes[name] = process
        self._sample().watch(name, process.pid)

    def _sample(self) -> Sampler:
        """Sample this host from now on until it rests, and give its sampler."""
        if self._sampler is None:
            # Measuring takes time of processors, too, and so does what passes on what is said.
            own = {"runner": os.getpid(), "runner-login": os.getppid()}
            self._sampler = self._sampling.enter_context(
                Sampler(self.wire, own, os.sched_getaffinity(0))
            )
        return self._sampler

    def _pass_on_end(self, message: Message) -> None:
        if isinstance(message, Ended):  # lines of it went through the wire already
            self.wire.tell(ended=message.source, status=message.status)

    def rest(self) -> None:
        """End everything and remove what it has written."""
        self._end_processes()
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)

    def _end_processes(self) -> None:
        self._sampling.close()
        self._sampler = None
        for process in reversed(self._processes.values()):
            process.stop()
        self._processes.clear()

    def end(self) -> None:
        """End everything for good."""
        self._end_processes()
        self._own.close()


def _orders() -> Iterator[dict[str, Any]]:
    """Give what the runner says until it has gone."""
    begun: list[bytes] = []
    while select.select([0], [], [], SILENCE_S)[0]:
        data = os.read(0, 1 << 16)
        if not data:
            return
        *lines, last = data.split(b"\n")
        for line in lines:
            yield json.loads(b"".join([*begun, line]))
            begun = []
        begun.append(last)


def main() -> None:
    """Serve a runner until it has gone."""
    tempfile.tempdir = sys.argv[1]
    # A login that is cut ends it by a signal: that is an end like others.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        with scheduling.runner_in_front("real-time"):
            station = _Station()
            station.wire.tell(greeting=GREETING)
            try:
                for order in _orders():
                    station.heed(order)
            finally:
                for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                    signal.signal(number, signal.SIG_IGN)
                station.end()
    except (KeyboardInterrupt, OSError):
        pass
    os._exit(0)  # threads may wait for a runner that reads no more


if __name__ == "__main__":
    main()
