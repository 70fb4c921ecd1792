"""What tests let happen on workers of Dask."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from distributed import WorkerPlugin


class AtTask(WorkerPlugin):
    """Does something on a worker as it begins a task of some function, once or each time."""

    def __init__(self, function: str, act: Callable[[], None], mark: Path | None = None) -> None:
        self.function, self.act, self.mark = function, act, mark

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        if finish != "executing" or not str(key).startswith(f"{self.function}-"):
            return
        if self.mark is not None:
            try:
                self.mark.touch(exist_ok=False)
            except FileExistsError:
                return
        self.act()


def kill_myself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
