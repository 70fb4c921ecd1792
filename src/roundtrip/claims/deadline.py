"""One thread that stops queries which take too long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Deadline:
    """Calls a function when what it watches is not done in time.

    A timer for each query would cost as much as the query: this is one thread for all of them.

    Parameters
    ----------
    seconds : float
        How long each may take.
    stop : callable
        Called from another thread.
    """

    def __init__(self, seconds: float, stop: Callable[[], None]) -> None:
        self.seconds = seconds
        self.missed = False
        self._stop = stop
        self._until: float | None = None
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._watch, name="deadline", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch what happens inside; `missed` says afterwards whether it took too long."""
        with self._changed:
            self.missed = False
            self._until = time.monotonic() + self.seconds
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._until = None

    def _watch(self) -> None:
        with self._changed:
            while not self._closed:
                left = None if self._until is None else self._until - time.monotonic()
                if left is not None and left <= 0:
                    self.missed = True
                    self._until = None
                    self._stop()
                else:
                    self._changed.wait(left)
