"""The process whose forks are kernels: ``python -m roundtrip.build.kernel_server SOCKET``.

It imports once what every chapter imports, then forks for each kernel that is asked for. It stays
single-threaded and runs no chapter's code itself, so each fork begins as fresh as a new process
that has just done its imports. When the build that started it ends, however it ends, the socket
closes; then the kernels are killed, and the server with them.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import traceback
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

PRELOADED = (
    "roundtrip.present", "roundtrip.stats", "roundtrip.checks", "ipykernel.kernelapp",
    "IPython.core.logger", "IPython.core.oinspect", "attr", "sqlite3", "pyarrow.pandas_compat",
    "pyarrow.parquet", "plotly.io",
)  # fmt: skip

_PR_SET_PDEATHSIG = 1
"""Of Linux, the only system on which kernels are forked; see ``linux/prctl.h``."""

YIELDING = 5
"""Kernels are many. They yield to the checks, which take longest and are one process."""


@dataclass(frozen=True)
class Child:
    """A kernel, and the connection over which the build hears of its end."""

    pid: int
    connection: socket.socket


class Server:
    """Forks kernels on request.

    Parameters
    ----------
    control : socket
        Brings requests, each with the socket that its kernel is reported on.
    """

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._children: dict[int, Child] = {}
        self._selector = selectors.DefaultSelector()
        self._ended, self._wakeup = socket.socketpair()
        for end in (self._ended, self._wakeup):
            end.setblocking(False)
        signal.set_wakeup_fd(self._wakeup.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(control, selectors.EVENT_READ)
        self._selector.register(self._ended, selectors.EVENT_READ)

    def run(self) -> None:
        """Serve until the build is gone."""
        try:
            while True:
                for key, _ in self._selector.select():
                    if key.fileobj is self._control:
                        if not self._accept():
                            return
                    elif key.fileobj is self._ended:
                        self._report_ended()
                    else:
                        self._drop(key.data)
        finally:
            for child in list(self._children.values()):
                self._drop(child)

    def _accept(self) -> bool:
        message, descriptors, _, _ = socket.recv_fds(self._control, 1 << 20, 1)
        if not message:
            return False
        connection = socket.socket(fileno=descriptors[0])
        server = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._become_kernel(server, json.loads(message), connection)
        child = Child(pid, connection)
        self._children[pid] = child
        self._selector.register(connection, selectors.EVENT_READ, child)
        with suppress(OSError):
            connection.sendall(f"{pid}\n".encode())
        return True

    def _report_ended(self) -> None:
        """Tell the build which kernels ended. They stay zombies, so that no pid is used twice."""
        with suppress(BlockingIOError):
            while self._ended.recv(4096):
                pass
        for child in self._children.values():
            ended = os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is not None:
                with suppress(OSError):
                    child.connection.sendall(f"{_status(ended)}\n".encode())
                    child.connection.shutdown(socket.SHUT_WR)

    def _drop(self, child: Child) -> None:
        """End a kernel that the build has let go of, with all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        with suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGKILL)
        os.waitpid(child.pid, 0)
        self._selector.unregister(child.connection)
        child.connection.close()
        del self._children[child.pid]

    def _become_kernel(self, server: int, request: dict[str, Any], own: socket.socket) -> NoReturn:
        status = 1
        try:
            _end_with(server)
            os.setsid()
            os.nice(YIELDING)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for child in self._children.values():
                child.connection.close()
            for end in (own, self._control, self._ended, self._wakeup, self._selector):
                end.close()
            _redirect(Path(request["log"]))
            os.chdir(request["folder"])
            os.environ.clear()
            os.environ.update(request["environment"])
            run_kernel(server, request["arguments"])
            status = 0
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 1
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)


def _status(ended: os.waitid_result) -> int:
    """Give the return code as `subprocess` writes it: negative for a signal."""
    return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status


def _redirect(log: Path) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    with Path(os.devnull).open("rb") as nothing, log.open("ab") as output:
        os.dup2(nothing.fileno(), 0)
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)


def _end_with(server: int) -> None:
    """Have the system kill this kernel when the server ends, however early that is.

    ipykernel watches its parent as well, but takes whoever adopted it for its parent where the
    server is killed before it begins to look.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != server:
        os._exit(1)


def run_kernel(server: int, arguments: list[str]) -> None:
    """Be a kernel, until it is told to stop."""
    import numpy as np
    from ipykernel.kernelapp import IPKernelApp

    np.random.seed()
    IPKernelApp.launch_instance(argv=[*arguments, f"--IPKernelApp.parent_handle={server}"])


def preload() -> None:
    """Import what every chapter needs; Plotly imports most of itself when a chart is made."""
    for name in PRELOADED:
        importlib.import_module(name)
    import plotly.graph_objects as go

    bars = go.Bar(marker={"line": {}, "pattern": {}}, error_x={}, textfont={})
    chart = go.Figure([bars, go.Scatter(line={}, marker={})])
    axis: dict[str, object] = {"title": {"font": {}}, "tickfont": {}}
    chart.update_layout(
        title={"font": {}, "pad": {}}, font={}, margin={}, xaxis=axis, yaxis=axis,
        legend={"font": {}, "title": {}}, hoverlabel={"font": {}},
        annotations=[{"font": {}}], shapes=[{}],
    )  # fmt: skip
    chart.to_json(validate=False)


def main() -> NoReturn:
    """Serve on the socket that the build has passed."""
    control = socket.socket(fileno=int(sys.argv[1]))
    gc.disable()
    with suppress(Exception):  # a kernel that meets the same problem tells of it
        preload()
    gc.freeze()  # no kernel looks for garbage among what all of them share
    gc.enable()
    Server(control).run()
    os._exit(0)  # there is nothing to tidy up, and freeing all modules takes long


if __name__ == "__main__":
    main()
