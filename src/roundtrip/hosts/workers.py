"""Dask workers: some of this machine, or those of a scheduler that runs already.

Nothing is sent to a worker before it has shown that it would give the same bytes as this process:
the same code, on the same versions of everything that it stands on.
"""

from __future__ import annotations

import re
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roundtrip.errors import DataError, ParameterError, RoundtripError, SetupError
from roundtrip.files import sha256_of_tree
from roundtrip.ingest.registry import GROUP
from roundtrip.project import PACKAGE
from roundtrip.versions import library_versions

if TYPE_CHECKING:
    from distributed import Client

_WHERE = "--workers"
_ADDRESS = re.compile(r"(?:tcp|tls)://(\[[0-9a-fA-F:]+\]|[\w.-]+):([0-9]{1,5})")
_MOST = 1000
PATIENCE_S = 30
_SAME = ("python", "dask", "distributed")
_LOOK_AGAIN_S = 2
_GONE_S = 10
"""How long there may be no worker: Dask starts those of this machine again when they are lost."""
_LOCK_FILE = "start the workers from an environment made of the same lock file"


@cache
def facts() -> dict[str, str]:
    """Give all that the bytes depend on which a process makes of a file.

    That is the versions of Python, the package, its libraries, Dask and further readers; and the
    hash of the package's code.
    """
    found = dict(library_versions())
    for name in _SAME[1:]:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    for entry in entry_points(group=GROUP):
        made = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        found[f"reader {entry.name}"] = made
    return found | {"code of roundtrip": sha256_of_tree(PACKAGE, pattern="*.py")[:12]}


def differences(theirs: dict[str, str], ours: dict[str, str]) -> str:
    """Say what differs between the facts of two processes, empty where nothing does."""
    return ", ".join(
        f"{name} {theirs.get(name, 'missing')} instead of {ours.get(name, 'none')}"
        for name in sorted(theirs.keys() | ours.keys())
        if theirs.get(name) != ours.get(name)
    )


@contextmanager
def workers(place: str) -> Iterator[Client]:
    """Give workers that were found fit.

    Parameters
    ----------
    place : str
        How many processes of this machine, which listen on 127.0.0.1 alone and end with the
        context; or the address of a scheduler, which goes on.

    Raises
    ------
    ParameterError
        If it is neither, the scheduler does not answer, has no workers, or a worker differs from
        this process.
    SetupError
        If Dask is not installed.
    """
    local = place.isdecimal() and 1 <= int(place) <= _MOST
    address = _ADDRESS.fullmatch(place)
    if not local and address is None:
        raise ParameterError(
            f"'{place}' is neither a number of workers nor the address of a scheduler",
            where=_WHERE, allowed=f"1 to {_MOST}, tcp://HOST:PORT, tls://HOST:PORT, hosts",
        )  # fmt: skip
    try:
        import distributed
    except ModuleNotFoundError as problem:
        raise not_installed(problem) from problem
    # A default client would have to be closed by the thread that opened it; hosts are looked at by
    # several.
    if address is None:
        with (
            distributed.LocalCluster(
                n_workers=int(place), threads_per_worker=1, host="127.0.0.1",
                dashboard_address="127.0.0.1:0", worker_dashboard_address="127.0.0.1:0",
                memory_limit=0, local_directory=tempfile.gettempdir(), silence_logs="CRITICAL",
            ) as cluster,
            distributed.Client(cluster, set_as_default=False) as client,
        ):  # fmt: skip
            yield client
        return
    try:
        # Where nothing listens, a client would try again for as long as it is patient.
        way = address[1].strip("[]"), int(address[2])
        socket.create_connection(way, PATIENCE_S).close()
        client = distributed.Client(place, timeout=PATIENCE_S, set_as_default=False)
    except (OSError, OverflowError, ValueError) as problem:
        raise ParameterError(
            f"no scheduler of Dask answers at {place} ({type(problem).__name__})", where=_WHERE,
            remedy="start one there with 'dask scheduler', or correct the address",
        ) from problem  # fmt: skip
    with client:
        check_workers(client, place)
        yield client


def not_installed(problem: ModuleNotFoundError) -> SetupError:
    """Say how to install what spreads work over processes and hosts."""
    return SetupError(
        f"the library {problem.name} is not installed, which spreads work over processes",
        where=_WHERE,
        remedy="pip install 'roundtrip[hosts]' (in a checkout: make setup-hosts)",
    )


def check_workers(client: Client, place: str) -> None:
    """Refuse the scheduler at an address, or workers, that are not as this process is."""
    ours = facts()
    packages = client.get_versions()["scheduler"]["packages"]
    python = ".".join(str(packages["python"]).split(".")[:2])
    theirs = {name: str(packages.get(name)) for name in _SAME[1:]} | {"python": python}
    if told := differences(theirs, {name: ours[name] for name in _SAME}):
        raise ParameterError(
            f"the scheduler at {place} differs: {told}", where=_WHERE,
            remedy="start it from an environment made of the same lock file",
        )  # fmt: skip
    found = client.run(facts, on_error="return")
    if not found:
        raise ParameterError(
            f"the scheduler at {place} has no workers", where=_WHERE,
            remedy=f"start one on each host with 'dask worker {place}'",
        )  # fmt: skip
    wrong = []
    for address, told in sorted(found.items()):
        if isinstance(told, Exception):
            wrong.append(f"{address} cannot run this version ({type(told).__name__}: {told})")
        elif differs := differences(told, ours):
            wrong.append(f"{address}: {differs}")
    if wrong:
        raise ParameterError(f"workers differ: {'; '.join(wrong)}", where=_WHERE, remedy=_LOCK_FILE)


def refuse_other_code(ours: dict[str, str], where: Path) -> None:
    """Refuse work on a worker that joined after the others were checked, and differs from them.

    `ours` is what `facts` gives where the command runs.
    """
    if told := differences(facts(), ours):
        raise DataError(
            f"a worker on {socket.gethostname()} differs: {told}", where=where, remedy=_LOCK_FILE
        )


def result_of(client: Client, future: Any, where: Path, doing: str, again: str) -> Any:
    """Wait for what a worker makes of a file; where one is lost, Dask gives it to another.

    Messages say what workers were doing with the file, and what to do after everything was lost.
    What the work raised is raised here.
    """
    from distributed import KilledWorker
    from distributed.comm import CommClosedError

    done = threading.Event()
    future.add_done_callback(lambda _: done.set())
    try:
        # Not a result with a time limit, which would break off one that is on its way.
        seen = time.monotonic()
        while not done.wait(_LOOK_AGAIN_S) and not future.done():
            if client.nthreads():
                seen = time.monotonic()
            elif time.monotonic() - seen > _GONE_S:
                raise RoundtripError(
                    "no worker is left", where=where, remedy=f"start workers and {again}"
                )
        return future.result()
    except KilledWorker as problem:
        raise RoundtripError(
            f"several workers were lost, one after the other, while they {doing}", where=where,
            remedy="look for what ended them (memory, in most cases), or run the command without "
            "--workers",
        ) from problem  # fmt: skip
    except (CancelledError, CommClosedError) as problem:
        raise RoundtripError("the scheduler is lost", where=where, remedy=again) from problem
