"""Kernels as papermill drives them: local, over sockets in a folder, forked where possible.

A fork begins as fresh as a new process that has just done its imports, in a third of the time.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any

import psutil
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from traitlets import default

CAN_FORK = sys.platform == "linux"
"""On macOS, system libraries do not survive a fork."""

_SERVER = "roundtrip.publish.chapters.kernel_server"


class Fork:
    """A forked kernel, with those parts of `subprocess.Popen` that Jupyter uses."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Say whether the kernel has ended: None while it runs."""
        if self.returncode is None:
            try:
                ended = psutil.Process(self.pid).status() == psutil.STATUS_ZOMBIE
            except psutil.NoSuchProcess:
                ended = True
            self.returncode = 1 if ended else None
        return self.returncode

    def wait(self) -> int:
        """Wait for the end, which takes a moment once the kernel is killed."""
        while (status := self.poll()) is None:
            time.sleep(0.01)
        return status

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


class Kernels:
    """The kernels of one build, and the process that they are forked from."""

    def __init__(self) -> None:
        self._asking = Lock()
        self._server: subprocess.Popen[str] | None = None
        if CAN_FORK:
            # It starts its imports at once, beside whatever else the build does.
            self._server = subprocess.Popen(
                [sys.executable, "-P", "-m", _SERVER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,  # Ctrl-C is for the build alone, which then ends the server
                # Threads that a library starts on import do not survive a fork.
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            )

    def fork(self, **request: Any) -> Fork:
        """Start a kernel; see `roundtrip.publish.chapters.kernel_server.become_kernel`.

        Raises
        ------
        OSError
            If processes cannot be forked here, or the server is gone.
        """
        if self._server is None:
            raise OSError
        assert self._server.stdin is not None  # noqa: S101
        assert self._server.stdout is not None  # noqa: S101
        with self._asking:
            self._server.stdin.write(json.dumps(request) + "\n")
            self._server.stdin.flush()
            answer = self._server.stdout.readline()
        if not answer:
            raise OSError
        return Fork(int(answer))

    def end(self) -> None:
        """End the server, and with it the kernels that still run, as after a failure."""
        if self._server is not None:
            for pipe in (self._server.stdin, self._server.stdout):
                assert pipe is not None  # noqa: S101
                with suppress(OSError):
                    pipe.close()
                self._server.wait()

    def manager(self, sockets: Path, folder: Path) -> type:
        """Give the class of kernel managers that papermill shall use for one chapter.

        Parameters
        ----------
        sockets : Path
            An empty folder for the kernel's sockets, instead of open ports, and for what it prints.
        folder : Path
            Working directory of the kernel.

        Returns
        -------
        type
            A subclass of Jupyter's ``AsyncKernelManager``.
        """
        # What a kernel says while it stops is no concern of the reader of a build.
        log = sockets / "kernel.log"
        fork = self.fork

        class Provisioner(LocalProvisioner):
            parent: Any
            process: Any
            pid: Any
            pgid: Any

            async def launch_kernel(self, cmd: list[str], **options: Any) -> KernelConnectionInfo:
                file = os.path.realpath(self.parent.connection_file)
                with suppress(OSError):
                    self.process = fork(
                        connection=file, folder=str(folder), environment=options["env"],
                        log=str(log),
                    )  # fmt: skip
                    self.pid = self.pgid = self.process.pid
                    return self.connection_info
                return await super().launch_kernel(cmd, **options)

        class Manager(AsyncKernelManager):
            async def start_kernel(self, **options: Any) -> None:  # type: ignore[override]
                self.kernel_id = str(uuid.uuid4())
                self.provisioner = Provisioner(
                    kernel_id=self.kernel_id, kernel_spec=self.kernel_spec, parent=self
                )
                options["cwd"] = str(folder)
                with log.open("wb") as output:
                    await super().start_kernel(**{**options, "stdout": output, "stderr": output})

            @default("transport")
            def _transport(self) -> str:
                return "ipc"

            @default("ip")
            def _address(self) -> str:
                return str(sockets / "kernel")

        return Manager


@contextmanager
def kernels() -> Iterator[Kernels]:
    """Make ready to start kernels, while the caller does something else; end them with it."""
    ready = Kernels()
    try:
        yield ready
    finally:
        ready.end()
