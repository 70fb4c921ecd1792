"""Kernels as papermill drives them: local, over sockets in a folder, forked where possible."""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from traitlets import default

from roundtrip.build.fork_server import ForkServer


def kernel_manager(sockets: Path, folder: Path, server: ForkServer | None) -> type:
    """Give the class of kernel managers that papermill shall use for one chapter.

    Parameters
    ----------
    sockets : Path
        An empty folder for the kernel's sockets, instead of open ports, and for what it prints.
    folder : Path
        Working directory of the kernel.
    server : ForkServer or None
        Forks the kernel. Without it, or when it is gone, the kernel is a new process.

    Returns
    -------
    type
        A subclass of Jupyter's ``AsyncKernelManager``.
    """
    # What a kernel says while it stops is no concern of the reader of a build.
    log = sockets / "kernel.log"

    class Provisioner(LocalProvisioner):
        parent: Any
        process: Any
        pid: Any
        pgid: Any

        async def launch_kernel(self, cmd: list[str], **options: Any) -> KernelConnectionInfo:
            if server is not None:
                with suppress(OSError):
                    arguments = ["-f", os.path.realpath(self.parent.connection_file)]
                    self.process = server.fork(arguments, folder, options["env"], log)
                    self.pid = self.pgid = self.process.pid
                    return self.connection_info
            return await super().launch_kernel(cmd, **options)

        async def kill(self, restart: bool = False) -> None:
            await super().kill(restart)
            if self.process is not None:
                self.process.wait()  # a moment; Jupyter would look again after 0.1 s

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
