"""Dask workers on the hosts of the inventory, started there by SSH for one command."""

from __future__ import annotations

import shlex
import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from roundtrip.errors import ParameterError
from roundtrip.hosts.contact import UnansweredError, contact
from roundtrip.hosts.inventory import INVENTORY, Host, Inventory, load_inventory
from roundtrip.hosts.workers import (
    PATIENCE_S,
    check_workers,
    differences,
    facts,
    not_installed,
    workers,
)
from roundtrip.ingest.records import printable
from roundtrip.project import Project

if TYPE_CHECKING:
    from distributed import Client

HOSTS = "hosts"
"""What asks for the hosts of the inventory, instead of an address."""
_WHERE = f"--workers {HOSTS}"
_LIVES_S = 20
"""How long a worker goes on without its scheduler."""


def workers_at(place: str, project: Project) -> AbstractContextManager[Client]:
    """Give workers that were found fit.

    Parameters
    ----------
    place : str
        As for `workers`, or ``hosts``: one process for each processor of the inventory's hosts with
        the role ``build`` that are reached by SSH. They end with the context.

    Raises
    ------
    ParameterError, SetupError
        As `workers`; also, if no host has that role, or one cannot be reached or differs from this
        process.
    """
    return _on_hosts(load_inventory(project)) if place == HOSTS else workers(place)


@contextmanager
def _on_hosts(inventory: Inventory) -> Iterator[Client]:
    """Start the workers, and a scheduler here that ends with this process, as they then do."""
    hosts = {
        name: host
        for name, host in inventory.hosts.items()
        if "build" in host.roles and host.reach == "ssh"
    }
    if not hosts:
        raise ParameterError(
            f"no host of params/{INVENTORY} has the role 'build' and is reached by SSH",
            where=_WHERE,
            remedy="name one there ('roundtrip docs hosts'), or give a number of processes",
        )  # fmt: skip
    try:
        import asyncssh  # noqa: F401 - which Dask imports only when it logs in
        import dask
        from distributed import Client, Scheduler, SpecCluster
        from distributed.deploy.ssh import Worker
    except ModuleNotFoundError as problem:
        raise not_installed(problem) from problem
    processors = {name: _processors(name, host) for name, host in hosts.items()}
    secure = dask.config.get("distributed.comm.require-encryption")
    protocol = "tls://" if secure else "tcp://"
    # Not Dask's SSHCluster: it gives all workers one address to listen on, and its scheduler would
    # go on when this process is killed.
    started = {
        name: {
            "cls": Worker,
            "options": {
                "address": str(host.address),
                "connect_options": _login(host),
                "remote_python": f"{shlex.quote(str(host.python))} -P",
                "kwargs": {
                    "n_workers": processors[name], "nthreads": 1, "host": str(host.address),
                    "protocol": protocol, "memory_limit": 0, "death_timeout": _LIVES_S,
                    "dashboard_address": "127.0.0.1:0",
                },
            },
        }
        for name, host in hosts.items()
    }  # fmt: skip
    with ExitStack() as stack:
        try:
            own = {"host": _own_address(next(iter(hosts.values()))), "port": 0,
                   "protocol": protocol, "dashboard_address": "127.0.0.1:0"}  # fmt: skip
            cluster = stack.enter_context(SpecCluster(
                workers=started, scheduler={"cls": Scheduler, "options": own},
                silence_logs="CRITICAL",
            ))  # fmt: skip
            client = stack.enter_context(Client(cluster, timeout=PATIENCE_S, set_as_default=False))
            client.wait_for_workers(sum(processors.values()), timeout=PATIENCE_S)
        except Exception as problem:  # Dask raises no narrower one for a worker that ends
            raise ParameterError(
                f"the workers did not start: {printable(str(problem))}", where=_WHERE,
                remedy="see that each host can listen on its 'address' and reach this machine, and "
                "that 'dask worker' starts there",
            ) from problem  # fmt: skip
        check_workers(client, cluster.scheduler_address)
        yield client


def _processors(name: str, host: Host) -> int:
    """Ask a host for the number of its processors, and refuse it if its code is not that here."""
    try:
        with contact(host) as there:
            found = there.ask("host", folder=host.folder, java=host.java, load=None)
        if told := differences(found["facts"], facts()):
            raise UnansweredError(f"it differs: {told}")
    except UnansweredError as problem:
        raise ParameterError(
            f"'{name}' of params/{INVENTORY} cannot be used: {problem}", where=_WHERE,
            remedy="see 'roundtrip hosts check'",
        ) from problem  # fmt: skip
    return int(found["processors"])


def _login(host: Host) -> dict[str, Any]:
    """Give the options of asyncssh; hosts must be known, as for `contact`."""
    login: dict[str, Any] = {"port": host.port, "connect_timeout": PATIENCE_S}
    if host.user is not None:
        login["username"] = host.user
    if host.key is not None:
        login["client_keys"] = [str(host.key.expanduser())]
    if host.known_hosts is not None:
        login["known_hosts"] = str(host.known_hosts.expanduser())
    return login


def _own_address(host: Host) -> str:
    """Give the address of this machine that a host is reached from."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        way.connect((str(host.address), host.port))  # sends nothing
        return str(way.getsockname()[0])
