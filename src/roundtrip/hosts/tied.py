"""Runs this Python for as long as its own input lasts: ``python -m roundtrip.hosts.tied -m …``.

What Dask starts over SSH would outlive the login.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

_PATIENCE_S = 10


def main() -> None:
    """Start what is asked for; end it, with all that it has started, when the login has gone."""
    os.setpgid(0, 0)
    child = subprocess.Popen([sys.executable, *sys.argv[1:]], stdin=subprocess.DEVNULL)

    def end_with_login() -> None:
        while os.read(0, 1 << 16):
            pass
        child.terminate()
        try:
            child.wait(_PATIENCE_S)
        finally:
            os.killpg(0, signal.SIGKILL)

    threading.Thread(target=end_with_login, daemon=True).start()
    os._exit(child.wait())  # the thread may wait for its input


if __name__ == "__main__":
    main()
