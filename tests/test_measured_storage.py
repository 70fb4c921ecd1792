"""Measured file systems, models and connections: figures, tables and words, computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from conftest import Publish
from roundtrip.campaign.manifest import Configuration, Manifest, RunEntry, Session
from roundtrip.campaign.resolve import resolve_plan
from roundtrip.dictionary import load_dictionary
from roundtrip.files import write_atomically
from roundtrip.present import Chapter, Measured, disclosure
from roundtrip.present.numbers import Quantity
from roundtrip.project import Project
from support.appliance.models import (
    connections_table,
    connections_title,
    connections_words,
    models_words,
)
from support.legacy.measured import left_cases, left_figure, left_words
from support.legacy.rates import rates_over
from support.persistent.storage import (
    file_systems,
    log_writes_figure,
    log_writes_title,
    log_writes_words,
    main_size,
    mounts_words,
    storage_agreement,
    sync_words,
)
from support.shared.cases import Case, Cases
from support.shared.points import common_requesters
from workshop import ROOT, V94, waive

pytestmark = pytest.mark.slow

COMMON = {"workload": "RR-CC", "api": "JMS", "scheduling_class": "normal"}
SIZE = 2048
Point = tuple[Mapping[str, Any], Mapping[tuple[str, str], Sequence[float]]]


def campaign(
    project: Project, name: str, points: Sequence[Point],
    effective: Sequence[Mapping[str, Any]] = (), left_out: Sequence[str] = (),
) -> None:  # fmt: skip
    """Write a campaign with these points, each metric with its values over repetitions."""
    plan = resolve_plan(Project(ROOT), name, "quick", load_dictionary(ROOT / "data/dictionary.yml"))
    factors = list(dict.fromkeys(factor for given, _ in points for factor in (*COMMON, *given)))
    lines = [",".join(["run", "repetition", *factors, "metric", "statistic", "value"])]
    runs: dict[str, RunEntry] = {}
    for number, (given, values) in enumerate(points):
        for (metric, statistic), series in values.items():
            for repetition, value in enumerate(series, start=1):
                key = f"point{number}-c1-r{repetition}"
                runs[key] = RunEntry(
                    run=key, order=len(runs), attempt=1, steady=True, warm_up_s=1, noise={}
                )
                of_run = {**COMMON, **given}
                cells = [str(of_run.get(factor, "")).lower() if isinstance(of_run.get(factor), bool)
                         else str(of_run.get(factor, "")) for factor in factors]  # fmt: skip
                lines.append(
                    ",".join([key, str(repetition), *cells, metric, statistic, f"{value}"])
                )
    folder = project.campaigns / f"{name}-quick"
    host = {
        "processor": "P", "logical_processors": 2, "memory_mb": 4000, "operating_system": "L",
        "architecture": "x", "virtual_machine": True,
    }  # fmt: skip
    measured = Session(started="2026-01-01T00:00:00+00:00", ended="2026-01-01T01:00:00+00:00")
    Manifest(
        id=folder.name, state="complete", plan=plan, broker="embedded", broker_restarted=True,
        host=host, software={}, scheduling_class={}, demonstration=True,
        sessions=(measured,), runs=tuple(runs.values()),
        configurations=tuple(
            Configuration(cells=(f"c{n}",), effective=dict(e)) for n, e in enumerate(effective)
        ),
        left_out_parts=tuple(left_out),
    ).write(folder)  # fmt: skip
    write_atomically(folder / "points.csv", "\n".join(lines) + "\n")
    waive(project)


def around(value: float) -> tuple[float, ...]:
    return (value * 0.99, value, value * 1.01)


def stored(name: str, sync: bool, rate: float, write: float) -> Point:
    at = {"delivery": "persistent", "message_bytes": SIZE, "requesters": 16,
          "log_file_system": name, "log_sync": sync}  # fmt: skip
    return at, {
        ("round_trip_rate", "mean"): around(rate), ("log_write_latency", "mean"): around(write),
    }  # fmt: skip


@pytest.fixture(scope="module")
def chapter(publish: Publish, tmp_path_factory: pytest.TempPathFactory) -> Chapter:
    project = publish(tmp_path_factory.mktemp("measured"))
    mount = {"asked": "ext4", "type": "ext4", "options": "rw,`x`", "device": "loop"}
    campaign(
        project, "file-systems",
        [
            stored("as found", True, 1000, 300), stored("as found", False, 2000, 300),
            stored("ext4", True, 500, 900), stored("tmpfs", True, 1900, 4),
            stored("tmpfs", False, 1990, 4),
        ],
        [{"storage": mount}],
        ["log_file_system xfs: mkfs.xfs is not installed"],
    )  # fmt: skip
    model = {"name": "B", "broker_processors": [0], "driver_processors": [0, 1],
             "drivers_have_others": False}  # fmt: skip
    campaign(
        project, "appliance",
        [
            ({"delivery": "persistent", "message_bytes": SIZE, "requesters": 20, "model": name,
              "queue_managers": 1}, {("round_trip_rate", "mean"): around(rate)})
            for name, rate in (("A", 900), ("B", 300))
        ],
        [{"model": model, "control_group": {"disk_write_limit": 10_000_000}}],
    )  # fmt: skip
    campaign(
        project, "connections",
        [
            ({"delivery": "nonpersistent", "message_bytes": SIZE, "requesters": count},
             {("connection_time", "single"): around(seconds),
              ("connection_rate", "mean"): around(count / seconds),
              ("round_trip_rate", "mean"): around(count / 100),
              ("memory_per_client", "mean"): around(80)})
            for count, seconds in ((250, 1.0), (2000, 3.0))
        ],
    )  # fmt: skip
    return Chapter(V94, folder=project.root)


def test_file_systems_are_related_to_their_log_writes(chapter: Chapter) -> None:
    here = Measured(chapter, "file-systems", requesters=16)
    assert common_requesters(here) == 16
    assert main_size(here) == SIZE
    assert file_systems(here) == ["as found", "ext4", "tmpfs"]
    figure = log_writes_figure(here, title=log_writes_title(here, "?"), caption="C")
    assert figure is not None
    assert figure.title.startswith("At 2\u00a0KB, tmpfs writes its log in 4")
    assert "ext4 at 900" in figure.alt
    words = log_writes_words(here)
    assert words is not None
    assert "the slower write has the lower rate" in words.markdown
    sync = sync_words(here)
    assert sync is not None
    assert "as found: [50" in sync.markdown.replace("\\", "")
    assert "ext4:" not in sync.markdown
    mounts = mounts_words(here)
    assert mounts is not None
    assert "`rw`, `'x'`" in mounts.markdown
    assert "mkfs" in disclosure(here).markdown


def test_only_the_direction_is_compared_with_other_storage(chapter: Chapter) -> None:
    here = Measured(chapter, "file-systems", requesters=16)
    printed = [
        ("SAN", "2\u00a0KB", Quantity(40, "%", (), 0)),
        ("NFS", "2\u00a0KB", Quantity(30, "%", (), 0)),
    ]
    agreed = storage_agreement(here, printed)
    assert agreed is not None
    assert "The direction agrees." in agreed.markdown
    # Memory is no disk: it is not among the pairs that stand for a direction.
    assert "the only pair of file systems on disk" in agreed.markdown
    other = storage_agreement(here, [("SAN", "2\u00a0KB", Quantity(140, "%", (), 0))])
    assert other is not None
    assert "The direction differs." in other.markdown
    half = storage_agreement(here, [printed[0], ("NFS", "2\u00a0KB", Quantity(140, "%", (), 0))])
    assert half is not None
    assert half.markdown.endswith("So the comparison is inconclusive.")


def test_left_over_messages_are_told_by_product(published: Project) -> None:
    at = {"message_bytes": 1024, "delivery": "nonpersistent", "syncpoint": "outside",
          "requesters": 5, "reply_consumer": "for each reply", "page_messages": 20000}  # fmt: skip
    campaign(
        published, "two-products",
        [
            ({**at, "product": product, "preloaded_messages": depth},
             {("round_trip_rate", "mean"): around(rate)})
            for product, depth, rate in (
                ("Apache Artemis", 0, 1000), ("Apache Artemis", 1000, 1001),
                ("Apache ActiveMQ Classic", 0, 900), ("Apache ActiveMQ Classic", 1000, 90),
            )
        ],
    )  # fmt: skip
    here = Measured(Chapter("mqseries-vs-msmq", folder=published.root), "two-products")
    cases = left_cases(here, rates_over(here.chapter, "table-06", "preloaded_messages"))
    words = left_words(cases)
    assert words is not None
    assert "the rate of 1 of 2 products" in words.markdown
    figure = left_figure(cases, caption="C")
    assert figure is not None
    assert figure.title.startswith(
        "Only “Apache ActiveMQ Classic, consumer per reply, 1,000 left” "
    )
    assert ": 10\u00a0% (" in figure.title


def test_models_are_compared_each_side_by_itself(chapter: Chapter) -> None:
    here = Measured(chapter, "appliance")
    at = {"delivery": "persistent", "message_bytes": SIZE, "queue_managers": 1}
    printed = {"published": Quantity(33.4, "%", (), 0)}
    case = Case("2 KB", {**at, "model": "B"}, {**at, "model": "A"}, printed)
    never = Case("none", {"model": "A"}, {"model": "A", "queue_managers": 99})
    words = Cases(here, [case, never]).agreement(head="H")
    assert words is not None
    assert "The two agree within a factor" in words.markdown
    assert "none" not in words.markdown
    told = models_words(here)
    assert told is not None
    assert "Model B: 1 of the 2 processors" in told.markdown
    assert "10\u00a0MB/s" in told.markdown
    assert "left no processors free" in told.markdown


def test_connections_are_told_by_number_of_requesters(chapter: Chapter) -> None:
    here = Measured(chapter, "connections")
    table = connections_table(here, caption="C")
    assert table is not None
    assert [row[0].text for row in table.rows] == ["250", "2,000"]
    assert connections_title(here, "?") == "2,000 requesters connect in 3.00\u00a0s"
    published = Quantity(60_000, "", ()), Quantity(30, "s", ())
    words = connections_words(here, *published)
    assert words is not None
    assert "grows more slowly than the number of requesters" in words.markdown
    assert "per additional requester" in words.markdown
    assert "2,000 connections/s" in words.markdown.replace("\u00a0", " ")


def test_nothing_measured_says_nothing(chapter: Chapter) -> None:

    here = Measured(chapter, "appliance", requesters=999)
    one = Quantity(1, "", ())
    assert common_requesters(here) is None
    assert main_size(here) is None
    assert log_writes_title(here, "?") == connections_title(here, "?") == "?"
    assert log_writes_figure(here, title="T", caption="C") is None
    for words in (
        log_writes_words(here), sync_words(here), mounts_words(here),
        models_words(here), storage_agreement(here, []), connections_words(here, one, one),
        Cases(here, []).agreement(head="H"), connections_table(here, caption="C"),
    ):  # fmt: skip
        assert words is None
