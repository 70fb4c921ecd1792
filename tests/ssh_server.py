"""A server for SSH that lets one key in and runs what it is told: ``ssh_server.py ADDRESS KEYS``.

It makes its own key, prints its port and that key, and runs until its input ends.
"""

from __future__ import annotations

import asyncio
import sys

import asyncssh


async def _run(process: asyncssh.SSHServerProcess) -> None:
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_shell(
        str(process.command), stdin=pipe, stdout=pipe, stderr=pipe
    )
    await process.redirect(stdin=child.stdin, stdout=child.stdout, stderr=child.stderr)
    process.exit(await child.wait())


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
