"""What tests of campaigns share: a project that can measure, and its processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from roundtrip.project import Project
from roundtrip.setup.harness_build import JAR
from workshop import copy_project, environment, read_yaml, write_yaml

FAST = [
    "-p", "interval_seconds", "0.1", "-p", "measure_seconds", "0.5",
    "-p", "warm_up", "{least_seconds: 0.4, most_seconds: 0.6, window: 3, scatter: 1, drift: 1}",
    "-p", "message_bytes", "256", "-p", "least_free_mb", "1",
]  # fmt: skip
ONE = [*FAST, "-p", "delivery", "nonpersistent"]


def smoke_project(target: Path, jar: Path | None, *plans: str) -> Project:
    """Make a project with plans (base where none is named) and the harness of this checkout.

    Without a jar there is an empty one, for a program that only stands for Java.
    """
    names = [f"params/campaigns/{name}.yml" for name in plans or ("base",)]
    project = copy_project(target, ["_quarto.yml", "data/dictionary.yml", *names])
    # A path of its own makes the processes of a test findable.
    (target / "harness").mkdir()
    if jar is not None:
        (target / "harness" / "target").symlink_to(jar.parent)
    else:
        (target / JAR).parent.mkdir()
        (target / JAR).touch()
    return project


def add_factor(project: Project, name: str, kind: str = "integer") -> None:
    """Have a project's dictionary define a factor of its own."""
    content = read_yaml(project.dictionary) or {}
    factor = {"type": kind, "label": name.capitalize(), "description": "A factor of this project."}
    content["factors"] = {**content.get("factors", {}), name: factor}
    write_yaml(project.dictionary, content)


def recorded_java(folder: Path) -> Path:
    """Make a folder for PATH whose ``java`` plays a recorded run; see `recorded_harness`."""
    java = folder / "bin" / "java"
    java.parent.mkdir()
    player = Path(__file__).with_name("recorded_harness.py")
    java.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{player}" "$@"\n', encoding="utf-8")
    java.chmod(0o755)
    return java.parent


@contextmanager
def foreign_broker(folder: Path, jar: Path, **config: Any) -> Iterator[str]:
    """Start a broker that somebody else runs; give its address."""
    process = subprocess.Popen(
        ["java", "-jar", str(jar), "broker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, env={**os.environ, "BROKER_PASSWORD": "right-secret"},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    content = {"data": str(folder / "foreign"), "persistent": False, **config}
    process.stdin.write(json.dumps(content) + "\n")
    process.stdin.flush()
    ready = json.loads(process.stdout.readline())
    assert ready["event"] == "ready", ready
    yield str(ready["amqp_url" if config.get("amqp") else "url"])
    process.stdin.close()
    assert process.wait() in (0, -signal.SIGKILL), "ended by itself, or killed by a test"


def running(project: Project) -> list[psutil.Process]:
    """Give the processes of brokers, links and drivers of a project's campaigns."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if any(str(project.root / JAR) == word for word in words):
            found.append(process)
    return found


def start(project: Project, *arguments: str) -> subprocess.Popen[str]:
    """Start the base campaign without waiting for it."""
    return subprocess.Popen(
        [sys.executable, "-m", "roundtrip", "--project", str(project.root), "run", "base",
         "--profile", "smoke", *arguments],
        env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def process_of(project: Project, name: str) -> int | None:
    """Give the id of a driver by its name, or of ``broker``; None before it has started."""
    return next((one.pid for one in running(project) if name in one.info["cmdline"]), None)


def results(project: Project) -> Path:
    return project.cache / "smoke" / "base-smoke"
