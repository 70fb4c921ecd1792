"""The process whose forks are kernels: ``python -m roundtrip.publish.chapters.kernel_server``.

It imports once what chapters need. Each line of its input asks for a kernel, and is answered by the
process id. It runs no chapter itself, so that a fork begins as fresh as a new process that has just
done its imports. When its input ends, as it does with the build, so do the kernels.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

PRELOADED = (
    "roundtrip.present", "roundtrip.stats.intervals", "roundtrip.checks", "ipykernel.kernelapp",
    "plotly.graph_objects", "plotly.io", "pyarrow.pandas_compat", "pyarrow.parquet",
)  # fmt: skip

YIELDING = 5
"""Kernels are many. They yield to the checks, which take longest and are one process."""


def serve() -> None:
    """Fork a kernel for each request. Those that end stay zombies: no process id is used twice."""
    with suppress(Exception):  # a kernel that meets the same problem tells of it
        for name in PRELOADED:
            importlib.import_module(name)
    server, kernels = os.getpid(), []
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            try:
                become_kernel(server, **json.loads(line))
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(1)  # whatever happens, it must not go on as a second server
        kernels.append(pid)
        print(pid, flush=True)
    for pid in kernels:
        for kill in (os.kill, os.killpg):
            with suppress(ProcessLookupError):
                kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def become_kernel(
    server: int, connection: str, folder: str, environment: Mapping[str, str], log: str
) -> None:
    """Run a kernel, with all that it starts in a group of its own."""
    os.setsid()
    os.nice(YIELDING)
    with Path(os.devnull).open("rb") as nothing, Path(log).open("ab") as output:
        for stream, number in ((nothing, 0), (output, 1), (output, 2)):
            os.dup2(stream.fileno(), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    import numpy as np
    from ipykernel.kernelapp import IPKernelApp

    np.random.seed()
    # The server was started without a folder to import from. A kernel looks for the modules beside
    # its chapter where IPython would: behind the standard library.
    libraries = [path.endswith("site-packages") for path in sys.path]
    sys.path.insert(libraries.index(True) if True in libraries else 0, "")
    # Should the server be killed, the kernel sees that it has another parent.
    IPKernelApp.launch_instance(argv=["-f", connection, f"--IPKernelApp.parent_handle={server}"])


if __name__ == "__main__":
    serve()
