"""Plays what the harness said in a real run: the program that tests of the runner start as Java.

The runner cannot tell it from the harness: it starts the same processes with the same options, and
each says what a broker or a driver said in ``tests/data/recorded``, at the pace that it is asked
for and with the times of now. A broker that listens nowhere is all that is missing.
"""

from __future__ import annotations

import json
import os
import queue
import select
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import zstandard

RECORDED = Path(__file__).parent / "data" / "recorded"
Record = dict[str, Any]


class _Ending:
    """An event that a signal may set while it is waited for; one of `threading` would hang."""

    def __init__(self) -> None:
        self._told: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._set = False

    def set(self) -> None:
        self._told.put(None)

    def wait(self, seconds: float | None = None) -> bool:
        if not self._set:
            try:
                self._told.get(timeout=seconds)
                self._set = True
            except queue.Empty:
                pass
        return self._set


_ended = _Ending()


def recorded(delivery: str, source: str) -> list[Record]:
    """Give what a process said in the recorded run."""
    path = RECORDED / f"{delivery}.ndjson.zst"
    text = zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes())
    lines = [json.loads(line) for line in text.decode().splitlines()]
    return [line["record"] for line in lines if line["from"] == source and "record" in line]


def of(records: list[Record], event: str) -> list[Record]:
    return [record for record in records if record["event"] == event]


def say(record: Record, **changes: Any) -> None:
    """Say a recorded line with the time of now."""
    moved = {**record, "t_ms": round(time.time() * 1000), **changes}
    print(json.dumps(moved), flush=True)


def broker() -> None:
    config = json.loads(sys.stdin.readline())
    log = Path(config["data"]).with_name("broker.log")
    log.parent.mkdir(exist_ok=True)
    log.write_text("recorded\n")
    said = recorded("persistent" if config["persistent"] else "nonpersistent", "broker")
    say(of(said, "ready")[0], pid=os.getpid(), log=str(log))
    threading.Thread(target=lambda: (sys.stdin.read(), _ended.set()), daemon=True).start()
    _ended.wait()
    say(of(said, "stopped")[0])


def drive(options: list[str]) -> None:
    name = options[options.index("-id") + 1]
    pace = float(options[options.index("-ss") + 1])
    role = name.partition("-")[0]
    said = recorded("persistent" if "-pp" in options else "nonpersistent", f"{role}-1")
    for event in ("start", "connected"):
        say(of(said, event)[0], id=name)
    if "--await-start" in options:
        while not select.select([sys.stdin], [], [], 0.05)[0] and not _ended.wait(0):
            pass
        moment = 0 if _ended.wait(0) else int(sys.stdin.readline())
        _ended.wait(max(0, moment / 1000 - time.time()))
        say({"event": "begun", "late_ms": round(1000 * time.time() - moment)})
    # The first ones are of a run that is not warm yet.
    intervals = of(said, "interval")[4:]
    number = 0
    while not _ended.wait(pace):
        say(intervals[number % len(intervals)], id=name)
        number += 1
    say(of(said, "end")[0], id=name)


def main(words: list[str]) -> None:
    if words == ["--version"]:
        print("openjdk 17.0.15 2025-04-15")
        return
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: _ended.set())
    part, *options = words[words.index("-jar") + 2 :]
    if part == "broker":
        broker()
    else:
        drive(options)


if __name__ == "__main__":
    main(sys.argv[1:])
