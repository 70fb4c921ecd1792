"""TLS between drivers and broker: keys of the run, what was agreed on, and what is refused."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from roundtrip.campaign.arrangements import arrange
from roundtrip.campaign.bench import Bench
from roundtrip.campaign.broker_choice import EmbeddedBrokers
from roundtrip.campaign.brokers import Endpoint, Endpoints
from roundtrip.campaign.drivers import Load
from roundtrip.campaign.feasible import runnable
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.leftovers import CleanupNote
from roundtrip.campaign.live_run import LiveRun, RefusedError, RunContext, RunFailedError
from roundtrip.campaign.plan import BrokerSettings, Level, Plan
from roundtrip.campaign.points import Combination, combinations_of
from roundtrip.campaign.processes import Message, Process
from roundtrip.campaign.raw import RawFile, read_raw
from roundtrip.campaign.settable import DEFAULTS
from roundtrip.campaign.tls import cipher_specs
from roundtrip.campaign.tls.cipher_specs import SPECS, completed, impossible
from roundtrip.campaign.tls.encryption import (
    disagreement,
    lacking,
    make_keys,
    offer_of,
)
from roundtrip.errors import ParameterError, SetupError

STRONG = "TLS_AES_256_GCM_SHA384"
OLDER = "ECDHE_RSA_AES_256_GCM_SHA384"
JVM = ("-Xmx128m", "-XX:TieredStopAtLevel=1")


def plan(**factors: tuple[Level, ...]) -> Plan:
    return Plan(
        name="tls", profile="smoke", title="T", question="Q",
        factors={"requesters": (1,), **factors}, driver={"jvm": JVM},
    )  # fmt: skip


Rig = tuple[Bench, EmbeddedBrokers, Path]


@pytest.fixture
def rig(tmp_path: Path, harness: Harness) -> Iterator[Callable[..., Rig]]:
    """Make benches whose broker stands for the one of a run, and see that nothing is left."""
    made = CleanupNote(tmp_path / "cleanup.json")
    folder, raw = tmp_path / "bench", RawFile(tmp_path / "raw", "run")
    todo = plan().model_copy(update={"broker": BrokerSettings(jvm=JVM)})
    brokers = EmbeddedBrokers(harness, todo, tmp_path)

    def make(**point: Level) -> Rig:
        whole = completed({**DEFAULTS, "requesters": 1, **point})
        inbox: queue.Queue[Message] = queue.Queue()
        brokers.bench = Bench(harness, todo, folder, whole, raw, inbox, made)
        return brokers.bench, brokers, tmp_path

    yield make
    brokers.stop()
    raw.finish()
    assert not folder.exists()
    assert not made.remove_leftovers()


def hand(rig: Rig, endpoint: Endpoint) -> tuple[LiveRun, Process]:
    bench, brokers, _ = rig
    todo = plan()
    load = Load(bench.harness, todo, bench.point)
    launch = load.drive(endpoint, "requester-1", ["-tc", "requester", "-ms", "256"])
    process = Process("requester-1", launch, bench.inbox.put, bench.raw)
    context = RunContext(bench.harness, todo, brokers, lambda _: None)
    nobody: Any = None
    live = LiveRun(
        context, bench.point, bench.raw, bench.inbox, [process], Endpoints.same(endpoint), nobody
    )
    return live, process


def follow(rig: Rig, endpoint: Endpoint) -> Any:
    """Follow a driver until it has reported an interval, or is given up."""
    run, process = hand(rig, endpoint)
    try:
        end = time.monotonic() + 86_400
        while (message := run.next(end)) is not None:
            if message.event == "interval":
                return message
    finally:
        process.stop()
    raise AssertionError("the driver said nothing")


def test_ciphers_are_mapped_to_suites_of_java(harness: Harness) -> None:
    published = {"ECDHE_ECDSA_AES_256_CBC_SHA384", "ECDHE_RSA_AES_256_GCM_SHA384",
                 "TLS_AES_128_CCM_8_SHA256", "TLS_CHACHA20_POLY1305_SHA256"}  # fmt: skip
    assert published <= set(SPECS)
    for spec in SPECS.values():
        missing = lacking(harness, spec.name)
        # Java has no CCM; everything else it must know by the name that we give it.
        assert (missing is None) == ("CCM" not in spec.name), missing
    assert "does not offer the cipher suite TLS_AES_128_CCM_SHA256" in str(
        lacking(harness, "TLS_AES_128_CCM_SHA256")
    )


def test_a_cipher_names_its_protocol_and_key() -> None:
    assert completed({"tls_cipher": "ECDHE_ECDSA_AES_128_GCM_SHA256"}) == {
        "tls_cipher": "ECDHE_ECDSA_AES_128_GCM_SHA256", "tls_protocol": "TLS 1.2",
        "tls_key": "ECDSA",
    }  # fmt: skip
    assert completed({"tls_cipher": STRONG, "tls_key": "ECDSA"})["tls_key"] == "ECDSA"
    assert completed({"tls_cipher": "none"})["tls_protocol"] == cipher_specs.NONE
    assert completed({"requesters": 1}) == {"requesters": 1}


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ({"tls_cipher": OLDER, "tls_key": "ECDSA"}, "it needs RSA"),
        ({"tls_cipher": STRONG, "tls_protocol": "TLS 1.2"}, "belongs to TLS 1.3"),
        ({"tls_cipher": "none", "tls_key": "RSA"}, "it needs none"),
        ({"tls_key": "RSA"}, "name the CipherSpec"),
    ],
)
def test_what_does_not_go_together_is_refused(point: dict[str, Level], words: str) -> None:
    assert words in str(impossible(completed(point)))
    with pytest.raises(ParameterError, match=words):
        combinations_of(plan(**{name: (level,) for name, level in point.items()}))


def test_suites_that_java_lacks_are_left_out_and_named(harness: Harness, tmp_path: Path) -> None:
    combinations = combinations_of(plan(tls_cipher=("none", STRONG, "TLS_AES_128_CCM_SHA256")))
    kept, reasons = runnable(harness, plan(), tmp_path, combinations)
    assert [dict(one.factors)["tls_cipher"] for one in kept] == ["none", STRONG]
    assert len(reasons) == 1
    assert "TLS_AES_128_CCM_SHA256" in reasons[0]
    combinations = combinations_of(plan(tls_cipher=("TLS_AES_128_CCM_8_SHA256",)))
    with pytest.raises(SetupError, match="nothing of the plan"):
        runnable(harness, plan(), tmp_path, combinations)


def test_java_is_not_asked_where_nothing_is_encrypted(tmp_path: Path) -> None:
    nowhere = Harness(Path("/nowhere/java"), Path("/nowhere/jar"), Path("/nowhere"), "")
    assert lacking(nowhere, "none") is None
    combination = Combination("a", (("tls_cipher", "none"), ("responders", 4)), (1,))
    assert runnable(nowhere, plan(), tmp_path, (combination,)) == ((combination,), ())
    with pytest.raises(SetupError, match="does not say which cipher suites"):
        offer_of(nowhere)


def test_what_was_negotiated_must_be_what_was_asked_for() -> None:
    point = completed({"tls_cipher": STRONG})
    agreed = {"protocol": "TLSv1.3", "cipher_suite": STRONG, "server_key": "RSA"}
    assert disagreement(point, {"encryption": agreed}) is None
    for change in ({"protocol": "TLSv1.2"}, {"cipher_suite": "TLS_AES_128_GCM_SHA256"},
                   {"server_key": "EC"}):  # fmt: skip
        words = str(disagreement(point, {"encryption": {**agreed, **change}}))
        assert "was asked for" in words
        assert "was negotiated" in words
    assert "nothing was negotiated" in str(disagreement(point, {}))
    plain = completed({"tls_cipher": "none"})
    assert disagreement(plain, {}) is None
    assert "no encryption" in str(disagreement(plain, {"encryption": agreed}))
    assert disagreement({"requesters": 1}, {"encryption": agreed}) is None


@pytest.mark.thorough
@pytest.mark.parametrize("cipher", [STRONG, "ECDHE_ECDSA_AES_256_CBC_SHA384"])
def test_a_run_is_encrypted_as_its_point_says(rig: Callable[..., Rig], cipher: str) -> None:
    found = rig(tls_cipher=cipher)
    bench, _, folder = found
    endpoints = arrange(bench)
    assert (bench.folder / "keys" / "data").stat().st_mode & 0o077 == 0
    responder, process = hand(found, endpoints.requesters)
    end = time.monotonic() + 86_400
    while (message := responder.next(end)) is not None and message.event != "connected":
        pass
    process.stop()
    assert message is not None
    password = endpoints.requesters.environment["ROUNDTRIP_TRUST_STORE_PASSWORD"]
    assert len(password) > 20
    said = [str(line.record) + line.text for line in read_raw(bench.raw.path)]
    assert not any(password in line for line in said)
    assert password not in "".join(endpoints.requesters.options)
    for path in folder.rglob("*.json"):
        assert password not in path.read_text()


@pytest.mark.thorough
def test_another_suite_than_asked_for_fails_the_run(rig: Callable[..., Rig]) -> None:
    found = rig(tls_cipher=STRONG)
    bench, _, _ = found
    endpoint = arrange(bench).requesters
    bench.point = completed({**bench.point, "tls_cipher": "TLS_CHACHA20_POLY1305_SHA256"})
    with pytest.raises(RunFailedError, match=f"CHACHA20.* was asked for.*{STRONG}"):
        follow(found, endpoint)


def without(options: tuple[str, ...], **changed: str) -> tuple[str, ...]:
    words = list(options)
    for flag, value in changed.items():
        words[words.index(f"-{flag}") + 1] = value
    return tuple(words)


@pytest.mark.thorough
def test_refused_protocol_is_explained_by_both_ends(rig: Callable[..., Rig]) -> None:
    found = rig(tls_cipher=OLDER)
    endpoint = arrange(found[0]).requesters
    other = without(endpoint.options, tp="TLSv1.3", cs=STRONG)
    with pytest.raises(RefusedError) as refused:
        follow(found, Endpoint("artemis", other, endpoint.environment))
    text = refused.value.what
    assert "protocol_version" in text, text  # the client's cause
    assert "last lines of its log" in text
    assert "SSLHandshakeException" in text.partition("last lines of its log")[2], text


@pytest.mark.thorough
def test_refused_suite_is_explained_by_both_ends(rig: Callable[..., Rig]) -> None:
    found = rig(tls_cipher=OLDER)
    endpoint = arrange(found[0]).requesters
    other = without(endpoint.options, cs=SPECS["ECDHE_RSA_AES_128_GCM_SHA256"].suite)
    with pytest.raises(RefusedError) as refused:
        follow(found, Endpoint("artemis", other, endpoint.environment))
    client, _, log = refused.value.what.partition("last lines of its log")
    assert "handshake_failure" in client
    assert "no cipher suites in common" in log


@pytest.mark.thorough
def test_unknown_certificate_is_explained(rig: Callable[..., Rig]) -> None:
    found = rig(tls_cipher=STRONG)
    bench, _, folder = found
    endpoint = arrange(bench).requesters
    strangers = make_keys(bench.harness.java, folder / "strangers" / "data", "RSA")
    other = without(endpoint.options, ts=str(strangers.trust))
    with pytest.raises(RefusedError) as refused:
        follow(found, Endpoint("artemis", other, strangers.environment))
    client, _, log = refused.value.what.partition("last lines of its log")
    assert "PKIX path" in client, client
    assert "certificate_unknown" in log
    bench.cleanup.remove("home", str(folder / "strangers"))
    assert not (folder / "strangers").exists()


def test_removing_keys_spares_what_others_put_there(tmp_path: Path) -> None:
    note = CleanupNote(tmp_path / "cleanup.json")
    (tmp_path / "keys" / "data").mkdir(parents=True)
    (tmp_path / "keys" / "data" / "trust.p12").touch()
    (tmp_path / "keys" / "mine.txt").touch()
    note.remove("home", str(tmp_path / "keys"))
    assert [path.name for path in (tmp_path / "keys").iterdir()] == ["mine.txt"]
    note.remove("home", str(tmp_path / "gone"))
