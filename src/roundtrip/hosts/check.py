"""Whether hosts are fit for what the inventory says of them, found by asking each."""

from __future__ import annotations

import base64
import secrets
import shlex
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from statistics import median

from roundtrip.campaign.machine.readings import Noise
from roundtrip.errors import RoundtripError
from roundtrip.hosts.contact import Station, UnansweredError, contact, ssh_command
from roundtrip.hosts.inventory import LOADED, Host, Inventory, Limits
from roundtrip.hosts.station import harness_hash, harness_parts
from roundtrip.hosts.workers import differences, facts
from roundtrip.setup.harness_build import LEAST_JAVA

_LOOKS_AT_CLOCK = 20
_AT_ONCE = 16
_PROBED_GBPS = 0.4
"""As if a link had this limit: so much is sent that a slow one takes seconds, and no more."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes
    ----------
    found : str
        What is there, in words.
    problem : str or None
        What makes the host unfit; None where nothing does.
    remedy : str or None
        What to do where it is.
    numbers : dict
        What was measured, by name with its unit.
    """

    host: str
    about: str
    found: str
    problem: str | None = None
    remedy: str | None = None
    numbers: dict[str, float] = field(default_factory=dict)


def check(inventory: Inventory) -> list[Finding]:
    """Look at all hosts, then at the links between those that take part in measurements."""
    findings: list[Finding] = []
    with ExitStack() as stack, ThreadPoolExecutor(_AT_ONCE) as pool:
        reached: dict[str, Station] = {}

        def reach(name: str) -> list[Finding]:
            host = inventory.hosts[name]
            try:
                there = stack.enter_context(contact(host))
                found = list(_looked_at(name, host, there, inventory.limits))
            except RoundtripError as problem:
                return [_unreached(name, host, problem)]
            reached[name] = there
            return found

        for found in pool.map(reach, inventory.hosts):
            findings += found
        names = [name for name in inventory.hosts if name in reached]

        findings += pool.map(lambda name: _quietness(name, reached[name], inventory.limits), names)
        order = list(inventory.hosts)
        findings.sort(key=lambda found: order.index(found.host))
        loaded = {
            name: reached[name]
            for name in names
            if inventory.hosts[name].load and LOADED & {*inventory.hosts[name].roles}
        }
        findings += _links(loaded, inventory)
    return findings


def _unreached(name: str, host: Host, problem: RoundtripError) -> Finding:
    remedy = problem.remedy
    if remedy is None and host.reach == "ssh":
        command = shlex.join([*ssh_command(host), f"{host.python} -m roundtrip --version"])
        remedy = f"make this succeed: {command}"
    remedy = remedy or f"make this run there: {host.python or 'python'} -m roundtrip --version"
    return Finding(name, "reach", f"not by {host.reach}", problem.what, remedy)


def _looked_at(name: str, host: Host, there: Station, limits: Limits) -> Iterator[Finding]:
    """Say what a host is and has."""
    load = None if host.load is None else str(host.load)
    told = there.ask("host", folder=host.folder, java=host.java, load=load)
    theirs = told["facts"]
    differs = differences(theirs, facts())
    yield Finding(
        name, "versions",
        f"Python {theirs['python']}, Roundtrip {theirs['roundtrip']}, code "
        f"{theirs['code of roundtrip']}",
        f"differs: {differs}" if differs else None,
        "make its environment from the same checkout and lock file",
    )  # fmt: skip
    low, high = clock_bounds(there)
    shown = low <= high and max(-low, high) <= limits.clock_ms
    yield Finding(
        name, "clock", f"{low:+,.2f} to {high:+,.2f} ms from the one here",
        None if shown else f"is not shown to be within {limits.clock_ms:g} ms of the one here",
        "synchronise both (chrony, timedatectl), look at the way to it, or raise limits.clock_ms",
        {"least_ms": round(low, 3), "most_ms": round(high, 3)},
    )  # fmt: skip
    free = told["free_gb"]
    yield Finding(
        name, "disk", f"{host.folder}: {free:,.1f} GB free",
        None if free >= limits.free_gb else f"its user cannot write {limits.free_gb:g} GB there",
        "free some, or name another folder", {"free_gb": round(free, 3)},
    )  # fmt: skip
    if LOADED & {*host.roles}:
        java = int(told["java"])
        lacks = None if java >= LEAST_JAVA else f"{host.java} is not Java {LEAST_JAVA} or newer"
        remedy = "install one there, or name it with 'java'"
        yield Finding(name, "Java", str(java or "none"), lacks, remedy)
        yield _harness(name, there, told["harness"], same_code=not differs)
    if host.load is not None:
        lacks = None if told["has_address"] else f"the host has no such address: {load}"
        remedy = "give one that 'ip -brief address' shows there"
        yield Finding(name, "address", str(host.load), lacks, remedy)
    if host.may:
        denied = [right for right in host.may if right not in told["may"]]
        lacks = f"its user has no right to: {', '.join(denied)}" if denied else None
        remedy = "give the user the capability, or take it from 'may'"
        yield Finding(name, "rights", ", ".join(host.may), lacks, remedy)


def clock_bounds(there: Station) -> tuple[float, float]:
    """Bound the offset of a clock from both sides: it was read after asking, before the answer.

    Gives how far it is ahead of the clock here, at least and at most, in ms.
    """
    low, high = float("-inf"), float("inf")
    for _ in range(_LOOKS_AT_CLOCK):
        asked = time.time()
        read = float(there.ask("clock"))
        answered = time.time()
        low, high = max(low, 1e3 * (read - answered)), min(high, 1e3 * (read - asked))
    return low, high


def _harness(name: str, there: Station, theirs: str | None, *, same_code: bool) -> Finding:
    """Compare the load driver; a host of the same code that has none is sent it."""
    ours, refused = harness_hash(), ""
    sent = theirs is None and ours is not None and same_code
    if sent:
        try:
            for part, path in harness_parts().items():
                there.ask("take", part=part, content=base64.b64encode(path.read_bytes()).decode())
            theirs = there.ask("harness")
        except UnansweredError as refusal:
            refused = f"; it cannot be sent: {refusal.what}"
    found, here = ((one or "none")[:12] for one in (theirs, ours))
    if theirs is None or theirs != ours:
        what = f"is not that of this machine ({here}){refused}"
        return Finding(name, "load driver", found, what, "make harness, there and here")
    return Finding(name, "load driver", f"{found}, sent from here" if sent else found)


def _quietness(name: str, there: Station, limits: Limits) -> Finding:
    try:
        noise = Noise(**there.ask("noise"))
    except UnansweredError as problem:
        return Finding(name, "quiet", "unknown", problem.what, "look at the host")
    return Finding(
        name, "quiet", f"{noise.busy:.0f} % busy, {noise.steal:.0f} % stolen",
        noise.complaint(limits), "end the other work there, or raise the limit",
        {f"{kind}_percent": getattr(noise, kind) for kind in ("busy", "steal", "pressure")},
    )  # fmt: skip


def _links(reached: Mapping[str, Station], inventory: Inventory) -> Iterator[Finding]:
    """Measure from each host to each other, one at a time, so that none disturbs another."""
    for there in reached:
        word, place = secrets.token_hex(16), str(inventory.hosts[there].load)
        others = [name for name in reached if name != there]
        try:
            port = reached[there].ask("far end", address=place, word=word)
        except UnansweredError as problem:
            what = f"cannot listen on {place}: {problem.what}"
            yield Finding(there, "link", "unknown", what, "give an address of the host")
            continue
        for here in others:
            yield _link(here, there, reached[here], inventory, port, word)
        with suppress(UnansweredError):  # it listens no more then, either
            reached[there].ask("hush")


def _link(
    here: str, there: str, asked: Station, inventory: Inventory, port: int, word: str
) -> Finding:
    ends = str(inventory.hosts[here].load), str(inventory.hosts[there].load)
    about = f"link to {there}"
    try:
        told = asked.ask(
            "probe", host=ends[1], port=port, limit_gbps=_PROBED_GBPS, word=word, source=ends[0]
        )
    except UnansweredError as problem:
        what = f"{ends[1]} is not reached from {ends[0]}: {problem.what}"
        remedy = "look at routes and firewalls between the two; any TCP port may be used"
        return Finding(here, about, "none", what, remedy)
    times, rates = told["round_trip_ms"], told["gbps"]
    numbers = {
        "round_trip_ms": median(times), "least_ms": min(times), "most_ms": max(times),
        "gbit_per_s": median(rates or [0]),
    }  # fmt: skip
    return Finding(
        here, about,
        f"round trip {numbers['round_trip_ms']:,.3f} ms ({numbers['least_ms']:,.3f} to "
        f"{numbers['most_ms']:,.3f}), {numbers['gbit_per_s']:,.2f} Gbit/s",
        numbers={name: round(value, 4) for name, value in numbers.items()},
    )  # fmt: skip
