"""Chapters on compression and TLS over campaigns whose values are known."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from conftest import Publish
from roundtrip.campaign.manifest import Manifest, RunEntry, load_manifest
from roundtrip.campaign.tls.cipher_specs import completed
from roundtrip.present import Chapter, Measured, Table, disclosure, variants_agreement
from roundtrip.present.measured.tables import campaign_tables
from roundtrip.project import Project
from support.compression.break_even import break_even_table, break_even_words
from support.compression.links import client_links_table
from support.compression.rates import (
    METHODS,
    compared_at,
    compression_rates_agreement,
    compression_rates_table,
    narrow_link_agreement,
    narrow_title,
    narrow_words,
)
from support.shared.points import at_common_load
from support.tls.measured import cipher_order, other_loads_table, tls_measured
from support.tls.published import cipher_family
from workshop import ROOT, V94, waive

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parent / "data" / "campaigns" / "base-quick"
NOISE = (0.99, 1.0, 1.01)
MISSING = "CipherSpec TLS_AES_128_CCM_SHA256: Java 17 does not offer it"
Point = Mapping[str, Any]


def campaign(
    project: Project, name: str, points: list[tuple[Point, dict[str, float]]], **changes: Any
) -> None:
    """Write a campaign of three runs for each point, a little apart."""
    sample = load_manifest(SAMPLE)
    factors = sorted({factor for point, _ in points for factor in point})
    folder = project.campaigns / f"{name}-quick"
    folder.mkdir(parents=True)
    runs = []
    with (folder / "points.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["run", "repetition", *factors, "metric", "statistic", "value"])
        for (number, (point, values)), (again, noise) in itertools.product(
            enumerate(points), enumerate(NOISE, start=1)
        ):
            key = f"p{number}-c{point['requesters']}-r{again}"
            runs.append(
                RunEntry(run=key, order=len(runs) + 1, attempt=1, steady=True, warm_up_s=1,
                         noise={})
            )  # fmt: skip
            for metric, value in values.items():
                statistic = (
                    "p50" if metric.startswith("link_") and "bytes" not in metric else "mean"
                )
                row = [point.get(factor, "") for factor in factors]
                writer.writerow([key, again, *row, metric, statistic, value * noise])
    manifest = sample.model_copy(
        update={
            "id": folder.name, "plan": sample.plan.model_copy(update={"name": name}),
            "runs": tuple(runs), "failed": (), **changes,
        }
    )  # fmt: skip
    Manifest.model_validate(manifest.model_dump()).write(folder)
    waive(project)


def compression_points() -> list[tuple[Point, dict[str, float]]]:
    at = {"delivery": "nonpersistent", "payload": "json", "message_bytes": 20480, "link": "proxy",
          "scheduling_class": "normal", "requesters": 4}  # fmt: skip
    found: list[tuple[Point, dict[str, float]]] = []
    for limit, method, rate, removed in (
        (0, "none", 4000, None), (0, "LZ4FAST", 2000, 40.0), (0, "LZ4HIGH", 3990, 45.0),
        (0, "ZLIBFAST", 1000, 35.0), (0, "ZLIBHIGH", 8000, 60.0), (0.1, "none", 300, None),
        (0.1, "LZ4FAST", 500, 40.0), (0.1, "ZLIBFAST", 200, 35.0),
    ):  # fmt: skip
        values: dict[str, float] = {"round_trip_rate": rate, "link_bytes": 40_000}
        values |= {"link_round_trip_time": 0.2, "link_throughput": limit or 5, "link_cpu": 9}
        if removed is not None:
            values["compression_rate"] = removed
        found.append(({**at, "link_limit_gbps": limit, "compression": method}, values))
    direct = {**at, "link": "direct", "link_limit_gbps": 0, "compression": "none"}
    found.append((direct, {"round_trip_rate": 5000, "link_round_trip_time": 0.1,
                           "link_throughput": 9}))  # fmt: skip
    return found


def tls_points() -> list[tuple[Point, dict[str, float]]]:
    at = {"message_bytes": 2048, "scheduling_class": "normal", "requesters": 4,
          "delivery": "nonpersistent"}  # fmt: skip
    found: list[tuple[Point, dict[str, float]]] = []
    for cipher, key, rate in (
        ("none", None, 1000), ("ECDHE_RSA_AES_256_GCM_SHA384", None, 610),
        ("TLS_AES_256_GCM_SHA384", "RSA", 900), ("TLS_AES_256_GCM_SHA384", "ECDSA", 800),
    ):  # fmt: skip
        point = {**at, "tls_cipher": cipher, **({"tls_key": key} if key else {})}
        found.append((completed(point), {"round_trip_rate": rate}))
    return found


@pytest.fixture(scope="module")
def without(publish: Publish, tmp_path_factory: pytest.TempPathFactory) -> Chapter:
    return Chapter(V94, folder=publish(tmp_path_factory.mktemp("without")).root)


@pytest.fixture(scope="module")
def chapter(publish: Publish, tmp_path_factory: pytest.TempPathFactory) -> Chapter:
    project = publish(tmp_path_factory.mktemp("with"))
    campaign(project, "compression", compression_points())
    campaign(project, "tls", tls_points(), left_out_parts=(MISSING,))
    return Chapter(V94, folder=project.root)


def texts(table: Table | None) -> list[list[str]]:
    assert table is not None
    return [[cell.text for cell in row] for row in table.rows]


def test_without_a_campaign_nothing_is_shown(without: Chapter) -> None:
    points = without.points("table-01", varied="compression")
    here = at_common_load(without, "compression")
    assert "This edition has no campaign of the plan `compression`" in disclosure(here).markdown
    assert compared_at(here) == {"payload": "json"}
    assert here.levels("link_limit_gbps") == []
    shown: list[Callable[[], object]] = [
        lambda: compression_rates_table(here, points, caption="C"),
        lambda: compression_rates_agreement(here, points),
        lambda: client_links_table(here, caption="C"),
        lambda: break_even_table(here, "json", caption="C"),
        lambda: break_even_words(here, "json"),
        lambda: narrow_link_agreement(here, {"LZ4FAST": ("faster", {2048})}, "json", 10),
    ]
    assert [show() for show in shown] == [None] * len(shown)
    assert cipher_order(tls_measured(without)) == []


def test_rates_of_compression_stand_beside_published_ones(chapter: Chapter) -> None:
    points = chapter.points("table-01", varied="compression")
    here = at_common_load(chapter, "compression")
    table = compression_rates_table(here, points, caption="C")
    assert texts(table)[1:] == [
        ["LZ4FAST", "43", "40"], ["LZ4HIGH", "47", "45"], ["ZLIBFAST", "56", "35"],
        ["ZLIBHIGH", "58", "60"],
    ]  # fmt: skip
    words = compression_rates_agreement(here, points)
    assert words is not None
    # Published: both of zlib before both of LZ4.
    assert "ZLIBHIGH, then LZ4HIGH, then LZ4FAST, then ZLIBFAST" in words.markdown
    assert "the order differs" in words.markdown


def test_break_even_follows_from_rates_and_bytes(chapter: Chapter) -> None:
    here = at_common_load(chapter, "compression")
    rows = {row[0]: row for row in texts(break_even_table(here, "json", caption="C"))}
    # 2000 round trips of 40,000 B are 0.64 Gb in a second.
    assert rows["LZ4FAST"][1:4] == ["40,000", "50", "0.64"]
    assert rows["ZLIBFAST"][3] == "0.32"
    assert rows["LZ4HIGH"][3] == "inconclusive"
    assert rows["ZLIBHIGH"][3] == "above the proxy's limit"
    low, high = (float(end) for end in rows["LZ4FAST"][4].split("\u2013"))
    assert low < 0.64 < high
    messages = Chapter(V94, rate_unit="messages/s", folder=chapter.project.root)
    table = break_even_table(at_common_load(messages, "compression"), "json", caption="C")
    assert [row[3:] for row in texts(table)] == [row[3:] for row in rows.values()]
    words = break_even_words(here, "json")
    assert words is not None
    first, second = words.markdown.split(". ")
    assert "was higher than that without, as computed: " in first
    assert ": at 20\u00a0KB, " in first
    assert first.endswith("with LZ4FAST")
    assert "was lower than that without, against what was computed: " in second


def test_the_narrow_link_is_held_to_what_the_source_says(chapter: Chapter) -> None:
    here = at_common_load(chapter, "compression")
    at = compared_at(here)
    assert at == {"payload": "json", "message_bytes": 20480}
    title = narrow_title(here, 0.1, **at)
    assert title.endswith("LZ4FAST is fastest, at 167\u00a0% of the uncompressed rate")
    assert narrow_title(here, 0.5, **at).endswith("rate by method")
    words = narrow_words(here, [0.1], **at)
    assert words is not None
    assert words.markdown.startswith("JSON of 20\u00a0KB, link of 0.1\u00a0Gb/s: the rate is [167")
    assert narrow_words(here, [], **at) is None
    says = {
        name: ("faster", {20480}) for name in ("LZ4FAST", "ZLIBFAST", "LZ4HIGH")
    }  # fmt: skip
    other = narrow_link_agreement(here, says, "json", 10)
    assert other is not None
    assert other.markdown.endswith("there is no comparison with the source.")
    words = narrow_link_agreement(here, says, "json", 0.1)
    assert words is not None
    lines = words.markdown.splitlines()[2:]
    assert [line.rpartition("published: ")[2] for line in lines] == [
        "faster. The direction agrees.", "faster. The direction differs.",
    ]  # fmt: skip


def test_links_are_listed_by_what_they_did(chapter: Chapter) -> None:
    here = at_common_load(chapter, "compression")
    table = client_links_table(here, caption="C", compression="none", **compared_at(here))
    assert [row[0] for row in texts(table)] == [
        "direct",
        "proxy, unlimited",
        "proxy, 0.1\u00a0Gb/s",
    ]
    assert texts(table)[0][-1] == "\u2013"  # no proxy
    assert texts(table)[2][2] == "0.100"


def test_one_key_stands_for_a_cipher(chapter: Chapter) -> None:
    here = tls_measured(chapter, delivery="nonpersistent")
    assert cipher_order(here) == [
        "none", "ECDHE_RSA_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384",
    ]  # fmt: skip
    mean = here.mean(tls_cipher="TLS_AES_256_GCM_SHA384")
    assert mean is not None
    assert mean.quantity.value == pytest.approx(900)
    assert set(here.frame["tls_key"]) == {"none", "RSA"}
    assert other_loads_table(chapter, {"nonpersistent": here}, caption="C") is None
    # What the figures leave out, because of its size or load, is listed.
    nothing = tls_measured(chapter, delivery="nonpersistent", message_bytes=1)
    rows = texts(other_loads_table(chapter, {"nonpersistent": nothing}, caption="C"))
    assert rows[0] == ["non-persistent, 2\u00a0KB, requesters 4"]
    assert [row[0] for row in rows[1:]] == ["no TLS", *cipher_order(here)[1:]]
    assert rows[1][3] == "\u2013"
    assert "Not run, although planned" in disclosure(here).markdown
    # Where a book lists every run, it stands there alone.
    assert "Not run" not in disclosure(Measured(Chapter(folder=ROOT), "tls")).markdown
    notes = [note for table in campaign_tables(chapter) for note in table.notes]
    assert any(note.startswith("Not run, although planned: CipherSpec") for note in notes)
    published = chapter.points("table-09", varied="tls_cipher", keep="none")
    base = chapter.quantity(published, tls_cipher="none")
    share = chapter.quantity(published, tls_cipher="ECDHE_RSA_AES_256_GCM_SHA384").percent_of(base)
    words = variants_agreement(
        here, "tls_cipher", baseline="none", head="Shares",
        published={"ECDHE_RSA_AES_256_GCM_SHA384": share},
    )  # fmt: skip
    assert words is not None
    assert "<!--verdict: " in words.markdown.partition("published")[2]
    assert "- Without a published counterpart: TLS_AES_256_GCM_SHA384, " in words.markdown


def test_variants_are_compared_at_one_load(chapter: Chapter) -> None:
    assert at_common_load(chapter, "tls").levels("requesters") == [4]
    assert not at_common_load(chapter, "base").exists
    assert isinstance(at_common_load(chapter, "compression"), Measured)
    assert METHODS[0] == "none"


@pytest.mark.parametrize(
    ("cipher", "family"),
    [
        ("none", "none"), ("TLS_AES_256_GCM_SHA384", "TLS 1.3"),
        ("TLS_RSA_WITH_AES_128_CBC_SHA256", "TLS 1.2 CBC"),
        ("ECDHE_RSA_AES_256_GCM_SHA384", "TLS 1.2 GCM"),
    ],
)  # fmt: skip
def test_the_family_of_a_cipher(cipher: str, family: str) -> None:
    assert cipher_family(cipher) == family
