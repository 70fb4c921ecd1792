"""The build's side of the fork server: start it, ask it for kernels, and end it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

CAN_FORK = sys.platform == "linux"
"""On macOS, system libraries do not survive a fork."""

_PATIENCE = 60.0


class ForkedProcess:
    """A forked kernel, with those parts of `subprocess.Popen` that Jupyter uses.

    Parameters
    ----------
    connection : socket
        On which the server tells the kernel's process id and, later, its return code. Closing it
        ends the kernel.
    """

    stdin = stdout = stderr = None

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.returncode: int | None = None
        connection.settimeout(_PATIENCE)
        self.pid = int(self._line())

    def _line(self) -> bytes:
        answer = self._connection.recv(64)
        if not answer:
            raise ConnectionError("the fork server is gone")
        return answer

    def poll(self) -> int | None:
        """Give the return code, None while the kernel runs."""
        if self.returncode is None:
            with suppress(BlockingIOError, TimeoutError):
                self._connection.setblocking(False)
                self._take()
        return self.returncode

    def wait(self) -> int:
        """Wait for the end, and give the return code."""
        if self.returncode is None:
            self._connection.setblocking(True)
            self._take()
            self._connection.close()  # the server may now forget the kernel
        return self.returncode or 0

    def _take(self) -> None:
        try:
            self.returncode = int(self._line())
        except ConnectionError:
            self.returncode = -signal.SIGKILL  # the server takes its kernels with it

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the kernel has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the kernel."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask the kernel to end."""
        self.send_signal(signal.SIGTERM)


class ForkServer:
    """The process whose forks are kernels; see `roundtrip.build.kernel_server`.

    It starts its imports at once, beside whatever else the build does.
    """

    def __init__(self) -> None:
        self._asked = False
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "roundtrip.build.kernel_server", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the build alone, which then ends the server
                # Threads that a library starts on import do not survive a fork.
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            )

    def fork(
        self, arguments: list[str], folder: Path, environment: Mapping[str, str], log: Path
    ) -> ForkedProcess:
        """Start a kernel.

        Parameters
        ----------
        arguments : list of str
            Command line of ipykernel.
        folder : Path
            Working directory.
        environment : mapping
            Environment variables.
        log : Path
            File that takes what the kernel prints.

        Raises
        ------
        OSError
            If the server is gone.
        """
        request = {
            "arguments": arguments, "folder": str(folder), "environment": dict(environment),
            "log": str(log),
        }  # fmt: skip
        self._asked = True
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self._control, [json.dumps(request).encode()], [theirs.fileno()])
            return ForkedProcess(ours)
        except BaseException:
            ours.close()
            raise

    def close(self) -> None:
        """End the server and all its kernels."""
        self._control.close()
        if not self._asked:
            self._process.kill()  # it need not end its imports first
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextmanager
def fork_server() -> Iterator[ForkServer | None]:
    """Run a fork server for a while, if the platform allows.

    Yields
    ------
    ForkServer or None
    """
    if not CAN_FORK:
        yield None
        return
    server = ForkServer()
    try:
        yield server
    finally:
        server.close()
