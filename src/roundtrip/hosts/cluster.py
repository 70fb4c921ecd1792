"""Workers on the inventory's hosts for building, however these are reached."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from roundtrip.errors import ParameterError, SetupError
from roundtrip.hosts.inventory import NAME, Host, load_inventory
from roundtrip.hosts.workers import imported, refuse_unfit_workers, workers
from roundtrip.ingest.records import printable
from roundtrip.project import Project
from roundtrip.secrets import without_secrets

if TYPE_CHECKING:
    from distributed import Client

HOSTS = "hosts"
"""As a place: the hosts of the inventory with the role ``build``."""


@contextmanager
def workers_at(place: str, project: Project) -> Iterator[Client]:
    """Give workers that were found fit.

    Parameters
    ----------
    place : str
        `HOSTS`, or as for `workers`.
    project : Project
        With the inventory.

    Yields
    ------
    distributed.Client

    Raises
    ------
    ParameterError
        As of `workers`; or if there are no such hosts, or they are reached in different ways.
    SetupError
        If Dask is not installed, or a worker does not start.
    """
    if place != HOSTS:
        with workers(place) as client:
            yield client
        return
    inventory = load_inventory(project, project.params / NAME)
    hosts = [host for host in inventory.hosts.values() if "build" in host.roles]
    ways = {host.reach for host in hosts}
    if len(ways) != 1:
        raise ParameterError(
            "hosts with the role 'build' are reached in different ways" if ways
            else "no host has the role 'build'", where=f"params/{NAME}",
            allowed="hosts with the role 'build' that are all reached by ssh, all by the "
            "scheduler, or all local",
        )  # fmt: skip
    if ways == {"ssh"}:
        with _over_ssh(hosts) as client:
            yield client
        return
    number = str(sum(host.workers for host in hosts))
    with workers(str(inventory.scheduler) if ways == {"scheduler"} else number) as client:
        yield client


@contextmanager
def _over_ssh(hosts: Sequence[Host]) -> Iterator[Client]:
    """Start a scheduler on the first host, and workers on all; they end with the context."""
    distributed, ssh = imported("distributed"), imported("distributed.deploy.ssh")
    imported("asyncssh")
    scheduler = {
        "cls": ssh.Scheduler,
        "options": {**_login(hosts[0]), "kwargs": {**_place(hosts[0]), "port": 0}},
    }
    every = {
        number: {
            "cls": ssh.Worker,
            "options": {
                **_login(host),
                "kwargs": {
                    **_place(host), "n_workers": host.workers, "nthreads": 1, "memory_limit": 0,
                    "local_directory": host.folder,
                },
            },
        }
        for number, host in enumerate(hosts)
    }  # fmt: skip
    try:
        cluster = distributed.SpecCluster(every, scheduler, silence_logs="CRITICAL")
    except Exception as problem:  # Dask raises it as such
        raise SetupError(
            "the workers on the hosts do not start: "
            f"{without_secrets(printable(str(problem) or type(problem).__name__))}",
            where=f"params/{NAME}", remedy="roundtrip hosts check says more",
        ) from problem  # fmt: skip
    with cluster, distributed.Client(cluster, set_as_default=False) as client:
        refuse_unfit_workers(client, f"params/{NAME}")
        yield client


def _place(host: Host) -> dict[str, Any]:
    """Say where a process listens."""
    return {"host": str(host.load or host.address), "dashboard": False}


def _login(host: Host) -> dict[str, Any]:
    """Say how a host is reached, in Dask's terms, and what Python there runs Dask."""
    options: dict[str, Any] = {
        "port": host.port, "connect_timeout": 15, "keepalive_interval": 2, "keepalive_count_max": 3,
    }  # fmt: skip
    if host.user is not None:
        options["username"] = host.user
    if host.key is not None:
        options["client_keys"] = [str(host.key.expanduser())]
    if host.known_hosts is not None:
        options["known_hosts"] = str(host.known_hosts.expanduser())
    python = f"{shlex.quote(str(host.python))} -m roundtrip.hosts.tied"
    return {"address": host.address, "connect_options": options, "remote_python": python}
