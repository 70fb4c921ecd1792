"""Links between clients and broker: what they are asked to do, and what a probe sees of them."""

from __future__ import annotations

import math
import queue
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.campaign.arrangements import _link, client_port
from roundtrip.campaign.bench import Bench
from roundtrip.campaign.broker_choice import ExternalBroker, refuse_arranged
from roundtrip.campaign.brokers import BrokerError, Endpoint
from roundtrip.campaign.derive import summarise
from roundtrip.campaign.drivers import Load, payload_file, round_trip_drivers
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.leftovers import CleanupNote
from roundtrip.campaign.links.probe import PING, connect, far_end, pings, probe
from roundtrip.campaign.manifest import load_manifest
from roundtrip.campaign.plan import DriverSettings, Level, Plan
from roundtrip.campaign.points import combinations_of
from roundtrip.campaign.processes import Away, Message
from roundtrip.campaign.raw import RawFile, RawLine, read_raw
from roundtrip.campaign.settable import DEFAULTS, impossible
from roundtrip.campaign.values.drivers import compression_values, link_values
from roundtrip.errors import ParameterError
from roundtrip.hosts.station import answer
from support.compression.link_bound import break_even_gbps, link_bound
from workshop import ROOT, copy_project, roundtrip

ANY = {**DEFAULTS, "requesters": 1}


def plan(driver: DriverSettings | None = None, **factors: tuple[Level, ...]) -> Plan:
    return Plan(
        name="compression", profile="smoke", title="T", question="Q",
        factors={"requesters": (1,), **factors}, driver=driver or DriverSettings(),
    )  # fmt: skip


@pytest.fixture
def bench(tmp_path: Path, harness: Harness) -> Iterator[Bench]:
    inbox: queue.Queue[Message] = queue.Queue()
    made = CleanupNote(tmp_path / "cleanup.json")
    raw = RawFile(tmp_path / "raw", "run")
    bench = Bench(harness, plan(), tmp_path / "bench", dict(DEFAULTS), raw, inbox, made)
    yield bench
    bench.take_down()
    raw.finish()


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ({"link": "direct", "link_limit_gbps": 0.1}, "link must be proxy"),
        ({"link_rtt_ms": 5}, "link must be proxy"),
    ],
)
def test_what_a_link_cannot_do_is_refused(point: dict[str, Level], words: str) -> None:
    assert words in str(impossible({**ANY, **point}))
    with pytest.raises(ParameterError, match=words):
        combinations_of(plan(**{name: (level,) for name, level in point.items()}))
    assert impossible({**ANY, "link": "direct", "link_limit_gbps": 0}) is None
    assert impossible({**ANY, "link": "proxy", "link_limit_gbps": 0.1, "link_rtt_ms": 5}) is None


def test_an_external_broker_takes_compression_but_no_link() -> None:
    broker = ExternalBroker(Endpoint("ibmmq", ()), "broker at ibmmq://mq.example")
    refuse_arranged(
        broker, combinations_of(plan(compression=("LZ4FAST",), payload=("random",))), {}
    )
    refuse_arranged(broker, combinations_of(plan(link=("direct",), link_limit_gbps=(0,))), {})
    with pytest.raises(ParameterError, match="link can be set for the embedded broker only"):
        refuse_arranged(broker, combinations_of(plan(link=("proxy",))), {})


def test_a_direct_link_is_probed_as_well(bench: Bench) -> None:
    assert client_port(bench, 4711) == 4711
    assert not bench.links
    event = next(line.record for line in read_raw(bench.raw.path))
    assert event is not None
    assert event["event"] == "link"
    assert min(event["round_trip_ms"]) > 0
    assert min(event["gbps"]) > 0


def test_a_far_end_serves_only_who_knows_its_word() -> None:
    with far_end(word=b"sesame") as port:
        with connect("127.0.0.1", port, PING, word=b"simsim") as stranger:
            assert stranger.recv(1) == b""
        with connect("127.0.0.1", port, PING, word=b"sesame") as known:
            assert all(took > 0 for took in pings(known))


class Neighbour:
    """A host at an address of this machine that a stranger tries to use as well."""

    address, folder = "127.0.0.2", ""

    def __init__(self) -> None:
        self.far = 0

    def ask(self, question: str, **given: object) -> object:
        if question == "probe":
            with connect(self.address, self.far, PING) as stranger:
                stranger.sendall(b".")
                stranger.shutdown(socket.SHUT_WR)
                assert stranger.recv(1) == b"", "it serves nobody who does not know its word"
        told = answer({"ask": question, **given})["answer"]
        if question == "far end":
            self.far = int(told)
        return told

    def start(self, *_: object) -> Away:
        raise AssertionError("nothing is started there")


def test_the_far_end_on_another_host_serves_only_its_campaign(bench: Bench) -> None:
    host = Neighbour()
    with socket.create_server(("127.0.0.2", 0)) as broker:
        _link(bench, "link", broker.getsockname()[1], 0, to=host, user=host)
    with pytest.raises(OSError, match="refused"):
        connect(host.address, host.far, PING)


def test_the_probe_sees_delay_and_limit(bench: Bench) -> None:
    bench.point = {**DEFAULTS, "link": "proxy", "link_limit_gbps": 0.05, "link_rtt_ms": 30}
    with far_end() as end:
        port = client_port(bench, end)
        assert port != end
        direct, over = probe(end), probe(port, 0.05)
    event = next(
        line.record for line in read_raw(bench.raw.path) if line.event == "link" and line.record
    )
    for times, rates in ((over.round_trip_ms, over.gbps), (event["round_trip_ms"], event["gbps"])):
        assert min(times) >= 30
        # What is seen late at the far end seems fast; without a limit all would be far above it.
        assert 0 < min(rates) <= 0.055
    assert min(direct.round_trip_ms) < min(over.round_trip_ms)


@pytest.mark.parametrize(("delay_ms", "heap"), [(5, "-Xmx128m"), (50, "-Xmx500m")])
def test_a_link_has_memory_for_what_is_on_its_way(bench: Bench, delay_ms: float, heap: str) -> None:
    bench.start_link("link", 4711, delay_ms=delay_ms, rate_mbit=10_000, probe_port=4711)
    started = Path(f"/proc/{bench.links['link'].pid}/cmdline").read_text(encoding="utf-8")
    assert heap in started.split("\0")


def test_a_link_that_leads_nowhere_is_named() -> None:
    with far_end() as end:
        pass
    with pytest.raises(BrokerError, match="nothing comes back over the link"):
        probe(end)


def line(source: str, event: str, **content: object) -> RawLine:
    return RawLine(0, source, {"event": event, **content})


def test_what_crossed_the_link_is_that_of_the_measured_part() -> None:
    lines = [
        line("runner", "link", round_trip_ms=[3.0, 1.0, 2.0], gbps=[0.2, 0.1, 0.1]),
        line("link", "counters", t_ms=1000, bytes_to_host=0, bytes_from_host=0),
        line("link", "counters", t_ms=2000, bytes_to_host=1000, bytes_from_host=4000),
        line("link", "counters", t_ms=3000, bytes_to_host=9000, bytes_from_host=8000),
    ]
    values = link_values(lines, 1500, 2500, 10)
    assert values["link_round_trip_time", "p50"] == 2
    assert values["link_throughput", "p50"] == pytest.approx(0.1)
    assert values["link_bytes", "mean"] == pytest.approx(450)  # to the host: 500 and 4000
    assert ("link_bytes", "mean") not in link_values(lines, 1500, 2500, 0)
    assert link_values([], 0, 1, 1) == {}


def test_the_compression_rate_is_the_share_that_is_gone() -> None:
    counted = [{"bytes_before": 100, "bytes_after": 60}, {"bytes_before": 300, "bytes_after": 40}]
    assert compression_values(counted) == {("compression_rate", "mean"): 75}
    assert compression_values([{"bytes_before": 0, "bytes_after": 0}, {}]) == {}


sensible = st.floats(1e-3, 1e6)


@given(sensible, sensible, sensible)
def test_at_break_even_both_bounds_give_the_same_rate(
    size: float, plain: float, compressed: float
) -> None:
    found = break_even_gbps(size, plain, compressed)
    if compressed >= plain:
        assert found == math.inf
        return
    assert min(plain, link_bound(found, size)) == pytest.approx(compressed)
    assert min(plain, link_bound(2 * found, size)) > compressed
    assert min(plain, link_bound(found / 2, size)) < compressed


@pytest.mark.parametrize("arguments", [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_break_even_needs_a_rate(arguments: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="above 0"):
        break_even_gbps(*arguments)


def test_twice_the_rate_needs_twice_the_link() -> None:
    # 1000 round trips of 12,500 bytes are 0.1 Gb in a second.
    assert link_bound(0.1, 12_500) == pytest.approx(1000)
    assert link_bound(1, 125) == pytest.approx(1_000_000)
    assert break_even_gbps(12_500, 4000, 1000) == pytest.approx(0.1)
    assert break_even_gbps(12_500, 4000, 2000) == pytest.approx(0.2)


@pytest.mark.parametrize("name", ["/etc/passwd", "../outside.txt", "data/../../x", "data\\x"])
def test_a_payload_file_cannot_be_named_outside_the_project(name: str) -> None:
    with pytest.raises(ValueError, match="payload_file"):
        DriverSettings(payload_file=name)


def test_a_payload_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "secret.txt").write_text("s")
    (tmp_path / "project" / "link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "project" / "empty.txt").touch()
    for name in ("link.txt", "gone.txt", "empty.txt"):
        with pytest.raises(ParameterError, match=f"{name} is no file of the project, or is empty"):
            payload_file(tmp_path / "project", name)


def test_both_drivers_get_the_method_and_one_the_payload(harness: Harness) -> None:
    todo = plan(DriverSettings(compressibility=None))
    point = {**DEFAULTS, "requesters": 1, "compression": "LZ4HIGH", "payload": "file"}
    endpoint = Endpoint("artemis", ("-url", "tcp://127.0.0.1:1"))
    launches = round_trip_drivers(Load(harness, todo, point), _same(endpoint))
    for launch in launches.values():
        words = list(launch.command)
        assert words[words.index("-cm") + 1] == "lz4high"
    words = list(launches["requester-1"].command)
    assert words[words.index("-mt") + 1] == str(ROOT / "data" / "payloads" / "mixed.txt")
    assert "-mc" not in words
    json = Load(harness, plan(), {**point, "payload": "json"}).message_options()
    assert json[-4:] == ["-mt", "json", "-mc", "0.5"]
    random = Load(harness, todo, {**point, "payload": "random"}).message_options()
    assert random[-2:] == ["-mt", "random"]


def _same(endpoint: Endpoint):
    from roundtrip.campaign.brokers import Endpoints

    return Endpoints.same(endpoint)


def test_the_payload_file_is_as_long_as_the_largest_message() -> None:
    assert payload_file(ROOT, DriverSettings().payload_file).stat().st_size >= 204_800


@pytest.mark.thorough
def test_compression_over_a_limited_link_is_measured(tmp_path: Path, harness: Harness) -> None:
    project = copy_project(
        tmp_path, ("_quarto.yml", "data/dictionary.yml", "data/payloads", "params/campaigns")
    )
    (project.root / "harness").mkdir()
    (project.root / "harness" / "target").symlink_to(harness.jar.parent)
    done = roundtrip(
        "run", "compression", "--profile", "smoke", "-p", "payload", "file",
        "-p", "link_limit_gbps", "[0.02]", "-p", "link_rtt_ms", "2",
        "-p", "measure_seconds", "0.75", "-p", "interval_seconds", "0.25", project=project,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    folder = project.cache / "smoke" / "compression-smoke"
    manifest = load_manifest(folder)
    assert len(manifest.runs) == 1
    assert not manifest.failed
    values = summarise(next(folder.glob("raw/*.zst"))).values
    assert 20 < values["compression_rate", "mean"] < 80
    assert values["link_round_trip_time", "p50"] >= 2
    assert values["link_throughput", "p50"] > 0
    # Two compressed messages of 20 KB and their headers, and no more than fits through.
    packed = 2 * 20480 * (1 - values["compression_rate", "mean"] / 100)
    # Few round trips are counted, and those at the ends of the measured part only in part.
    assert 0.85 * packed < values["link_bytes", "mean"] < 1.15 * packed + 2000
    assert values["round_trip_rate", "mean"] < 1.1 * link_bound(0.02, packed)
