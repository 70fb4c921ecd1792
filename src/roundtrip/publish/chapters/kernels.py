"""Kernels as papermill drives them: local, over sockets in a folder, ended with their build."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from traitlets import default


class Kernels:
    """The kernels of one build; `contextlib.closing` ends those that still run.

    Attributes
    ----------
    ended : bool
        Whether they were ended: one that is still starting then is ended once it has started.
    """

    def __init__(self) -> None:
        self._started: list[LocalProvisioner] = []
        self.ended = False

    def close(self) -> None:
        """End the kernels that still run, as after a failure, with all that they started."""
        self.ended = True
        for kernel in self._started:
            process = kernel.process
            if process is not None and process.poll() is None:  # else its number may be another's
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)

    def manager(self, sockets: Path, folder: Path) -> type:
        """Give the class of kernel managers that papermill shall use for one chapter.

        Parameters
        ----------
        sockets : Path
            An empty folder for the kernel's sockets, instead of open ports, for what it prints, and
            for IPython: a user's own settings and start-up files are no input of a report.
        folder : Path
            Working directory of the kernel.

        Returns
        -------
        type
            A subclass of Jupyter's ``AsyncKernelManager``.
        """
        # What a kernel says while it stops is no concern of the reader of a build.
        log = sockets / "kernel.log"
        started, build = self._started, self

        class Manager(AsyncKernelManager):
            async def start_kernel(self, **options: Any) -> None:  # type: ignore[override]
                options["cwd"] = str(folder)
                environment = {**os.environ, "IPYTHONDIR": str(sockets / "ipython")}
                environment.pop("PYTHONSTARTUP", None)
                options["env"] = environment
                with log.open("wb") as output:
                    await super().start_kernel(**{**options, "stdout": output, "stderr": output})
                assert isinstance(self.provisioner, LocalProvisioner)  # noqa: S101
                started.append(self.provisioner)
                if build.ended:  # while it started, as another chapter failed
                    build.close()

            @default("transport")
            def _transport(self) -> str:
                return "ipc"

            @default("ip")
            def _address(self) -> str:
                return str(sockets / "kernel")

        return Manager
