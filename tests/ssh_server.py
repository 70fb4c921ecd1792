"""A server for SSH that lets one key in and runs what it is told: ``ssh_server.py ADDRESS KEYS``.

It makes its own key, prints its port and that key, and runs until its input ends.
"""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from typing import Any

import asyncssh


async def _run(process: asyncssh.SSHServerProcess) -> None:
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_shell(
        str(process.command), stdin=pipe, stdout=pipe, stderr=pipe
    )

    async def pump(source: Any, target: Any, *, end: bool = False) -> None:
        with suppress(ConnectionError, asyncssh.Error, asyncssh.SignalReceived):
            while data := await source.read(1 << 16):
                target.write(data)
                await target.drain()
        if end:
            target.close()

    inwards = asyncio.create_task(pump(process.stdin, child.stdin, end=True))
    # All that was said is handed on before the end is.
    await asyncio.gather(pump(child.stdout, process.stdout), pump(child.stderr, process.stderr))
    process.exit(await child.wait())
    inwards.cancel()


async def _serve(address: str, keys: str) -> None:
    own = asyncssh.generate_private_key("ssh-ed25519")
    server = await asyncssh.listen(
        address, 0, server_host_keys=[own], authorized_client_keys=keys, encoding=None,
        process_factory=_run,
    )  # fmt: skip
    print(server.get_port(), own.export_public_key().decode().strip(), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(_serve(*sys.argv[1:]))
