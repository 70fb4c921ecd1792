"""Three hosts on this machine: servers for SSH, in network namespaces where permitted.

Without the right to make namespaces the three servers listen on three addresses of this machine;
limits of bandwidth and cut links are then not tested, and the report of the tests says so.

``PYTHONPATH=tests python -m lab run base --profile quick --output $PWD/data/campaigns/NAME`` gives
a command of Roundtrip two of these hosts, the broker on one and the drivers on the other, each with
a processor of its own and links that nothing limits.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncssh
import yaml

from roundtrip.campaign.links.namespaces import refusal
from roundtrip.project import Project, find_project
from workshop import ROOT

SERVER = ROOT / "tests" / "ssh_server.py"
CALM = {"busy": 100, "steal": 100, "pressure": 100, "clock_ms": 30_000,
        "free_gb": 0.001}  # fmt: skip
NAMESPACES = """
mount -t tmpfs none /run && mkdir /run/netns
ip link set lo up
ip link add between type bridge && ip addr add 198.18.0.1/24 dev between && ip link set between up
for n in 1 2 3; do
    ip netns add host$n
    ip link add near$n type veth peer name far netns host$n
    ip link set near$n master between up
    ip -n host$n addr add 198.18.0.1$n/24 dev far
    ip -n host$n link set far up && ip -n host$n link set lo up
done
"""
LIMITED = "tc -n host1 qdisc add dev far root tbf rate 50mbit burst 32kb latency 400ms\n"
ALIVE = "echo ready\nexec cat\n"
ROLES = {"qm1": "broker", "asking": "requesters", "answering": "responders"}


@dataclass
class Lab:
    """Three servers for SSH, and what reaches them."""

    apart: bool
    prefix: list[str]
    key: Path
    known_hosts: Path
    addresses: list[str] = field(default_factory=list)
    ports: list[int] = field(default_factory=list)

    def host(self, number: int, *roles: str, **more: Any) -> dict[str, Any]:
        return {
            "roles": list(roles), "reach": "ssh", "address": self.addresses[number],
            "port": self.ports[number], "user": "perf", "key": str(self.key),
            "known_hosts": str(self.known_hosts), "python": sys.executable,
            "load": self.addresses[number], **more,
        }  # fmt: skip

    def name(
        self, project: Project, *, spread: dict[str, int] | None = None, **hosts: dict[str, Any]
    ) -> None:
        """Write the inventory of a project."""
        project.params.mkdir(exist_ok=True)
        content = {"limits": CALM, "spread": spread or {}, "hosts": hosts}
        text = yaml.safe_dump(content, sort_keys=False)
        (project.params / "hosts.yml").write_text(text, "utf-8")

    def command(self, project: Project, *words: str) -> list[str]:
        """Give a command of Roundtrip, as it is run where all hosts can be reached."""
        return [*self.prefix, sys.executable, "-m", "roundtrip", "--project", str(project.root),
                *words]  # fmt: skip

    def check(self, project: Project, **hosts: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Exit status and findings, by host and what they are about."""
        self.name(project, **hosts)
        done = subprocess.run(
            self.command(project, "hosts", "check", "--format", "json"),
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.stderr == ""
        assert str(self.key) not in done.stdout.replace(f'IdentityFile=\\"{self.key}\\"', "")
        found = json.loads(done.stdout)["findings"]
        return done.returncode, {f"{one['host']}: {one['about']}": one for one in found}


def started(stack: ExitStack, command: list[str]) -> tuple[subprocess.Popen[str], str]:
    """Start what says a line and then lives until its input ends."""
    process = stack.enter_context(
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    )
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    assert line, f"{command} has ended"
    return process, line


@contextmanager
def laboratory(folder: Path, limit: str = LIMITED) -> Iterator[Lab]:
    """Start the three servers; everything of them ends with the context."""
    for name in ("key", "other"):
        key = asyncssh.generate_private_key("ssh-ed25519")
        key.write_private_key(folder / name)
        (folder / name).chmod(0o600)
        key.write_public_key(folder / f"{name}.pub")
    made = Lab(refusal() is None, [], folder / "key", folder / "known_hosts")
    with ExitStack() as stack:
        if made.apart:
            command = ["unshare", "--net", "--mount", "sh", "-e", "-c", NAMESPACES + limit + ALIVE]
            inside, _ = started(stack, command)
            made.prefix = ["nsenter", "--target", str(inside.pid), "--net", "--mount", "--"]
        else:
            print("no namespaces here: three addresses of this machine", file=sys.stderr)
        for number in (1, 2, 3):
            address = f"198.18.0.1{number}" if made.apart else f"127.0.0.1{number}"
            within = [*made.prefix, "ip", "netns", "exec", f"host{number}"] if made.apart else []
            # The first host has a processor of its own, where there are two.
            processors = sorted(os.sched_getaffinity(0))[:2]
            within += [
                "taskset",
                "--cpu-list",
                str(processors[0] if number == 1 else processors[-1]),
            ]
            command = [*within, sys.executable, str(SERVER), address, str(folder / "key.pub")]
            _, line = started(stack, command)
            port, own = line.split(" ", 1)
            made.addresses.append(address)
            made.ports.append(int(port))
            with made.known_hosts.open("a", encoding="utf-8") as file:
                file.write(f"[{address}]:{port} {own}\n")
        yield made


def main() -> int:
    """Run a command of Roundtrip on two of the hosts; their inventory is there meanwhile."""
    project = find_project(ROOT)
    inventory = project.params / "hosts.yml"
    assert not inventory.exists(), f"{inventory} is there already"
    with tempfile.TemporaryDirectory() as name, laboratory(Path(name), limit="") as lab:
        assert lab.apart, "no namespaces here"
        roles = {"qm1": ["broker"], "drivers": ["requesters", "responders"]}
        for host in roles:
            (Path(name) / host).mkdir()
        hosts = {
            host: lab.host(number, *own, folder=str(Path(name) / host), may=["real-time"])
            for number, (host, own) in enumerate(roles.items())
        }
        try:
            inventory.write_text(yaml.safe_dump({"hosts": hosts}), "utf-8")
            return subprocess.run(lab.command(project, *sys.argv[1:], "--hosts")).returncode
        finally:
            inventory.unlink()


if __name__ == "__main__":
    sys.exit(main())
