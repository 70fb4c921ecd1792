"""Sections on pairs, failovers and deep queues: with a campaign, with parts of one, without."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from conftest import Publish
from roundtrip.comparison_marks import NO_VERDICT, VERDICT
from roundtrip.present import (
    Chapter,
    Measured,
    variants_figure,
    variants_table,
    variants_title,
)
from roundtrip.present.measured.agreement import compared
from roundtrip.present.measured.shares import share_of
from roundtrip.present.numbers import Quantity
from roundtrip.project import Project
from support.aix_v7.measured import releases
from support.aix_v7.rated_measured import (
    CATCHING_UP,
    KEPT,
    OVERLOAD,
    Limit,
    limit_of,
    limit_title,
    load_state,
    offered_rate,
    offered_table,
    rated_limits,
)
from support.high_availability.depth import depth_title, depth_words
from support.high_availability.failover import failover_table, failover_title, failover_words
from support.high_availability.pairs import (
    PAIRS,
    SHARED_STORE,
    at_highest,
    at_peaks,
    cost_words,
    delay_title,
    link_words,
    lowest_level,
    measured_pairs,
    steady_agreement,
    without_link_effects,
)
from workshop import V94, waive

pytestmark = pytest.mark.slow  # each test makes a campaign

SAMPLE = Path(__file__).parent / "data" / "campaigns" / "base-quick" / "manifest.yml"
COLUMNS = (
    "delivery", "message_bytes", "requesters", "target_rate", "preloaded_messages",
    "background_load", "requester_rate", "ha", "ha_link_rtt_ms", "link_encrypted",
    "scheduling_class", "product_version",
)  # fmt: skip
Point = tuple[dict[str, Any], dict[tuple[str, str], float]]


def write(project: Project, plan: str, points: Iterable[Point], runs: int = 3) -> None:
    """Write a campaign whose runs scatter by one percent around what is given."""
    manifest = yaml.safe_load(SAMPLE.read_text())
    entry = manifest["runs"][0]
    rows, entries = [], []
    for factors, values in points:
        known = {"delivery": "persistent", "message_bytes": 2048, "requesters": 16,
                 "scheduling_class": "normal", **factors}  # fmt: skip
        others = [str(level) for name, level in known.items() if name != "requesters"]
        cell = "-".join(others).lower().replace(" ", "-")
        for repetition in range(1, runs + 1):
            run = f"{cell}-c{known['requesters']}-r{repetition}"
            entries.append({**entry, "run": run, "order": len(entries) + 1, "doubt": None})
            head = [run, str(repetition), *(str(known.get(name, "")).lower()
                                            for name in COLUMNS)]  # fmt: skip
            for (metric, statistic), value in values.items():
                scattered = value * (1 + 0.01 * (repetition - 2))
                rows.append(",".join([*head, metric, statistic, f"{scattered:g}"]))
    manifest |= {"id": f"{plan}-quick", "runs": entries, "failed": [], "left_out": []}
    manifest["plan"] |= {"name": plan}
    folder = project.campaigns / f"{plan}-quick"
    folder.mkdir(parents=True)
    (folder / "manifest.yml").write_text(yaml.safe_dump(manifest))
    names = ",".join(["run", "repetition", *COLUMNS, "metric", "statistic", "value"])
    (folder / "points.csv").write_text("\n".join([names, *rows]) + "\n")
    waive(project)


def rate(value: float, **more: float) -> dict[tuple[str, str], float]:
    found = {("round_trip_rate", "mean"): value, ("round_trip_time", "p50"): 1e3 / value}
    return found | {(name, "mean"): number for name, number in more.items()}


Make = Callable[[str, Iterable[Point]], Chapter]


@pytest.fixture
def make(publish: Publish, tmp_path: Path) -> Make:
    project = publish(tmp_path)

    def chapter(plan: str, points: Iterable[Point]) -> Chapter:
        write(project, plan, points)
        return Chapter(V94, folder=project.root)

    return chapter


def pair(delay: float = 0, *, encrypted: bool = False, **more: Any) -> dict[str, Any]:
    return {"ha": "replicated pair", "ha_link_rtt_ms": delay, "link_encrypted": encrypted, **more}


def test_a_pair_is_shown_beside_none_without_what_its_link_adds(make: Make) -> None:
    chapter = make("ha", [
        ({"ha": "none"}, rate(1000)), ({"ha": "shared store"}, rate(990)), (pair(), rate(500)),
        (pair(requesters=4), rate(300)), (pair(5), rate(100)), (pair(encrypted=True), rate(400)),
    ])  # fmt: skip
    beside = at_peaks(without_link_effects(Measured(chapter, "ha")))
    assert beside.levels("ha") == ["none", "replicated pair", "shared store"]
    mean = beside.mean(ha="replicated pair")
    assert mean is not None
    assert mean.quantity.value == pytest.approx(500)
    table = variants_table(beside, by="ha", baseline="none", levels=PAIRS, caption="Pairs")
    assert table is not None
    assert [row[0].text for row in table.rows] == ["no high availability", *PAIRS[1:]]


@pytest.mark.parametrize(
    ("replicated", "shared", "title"),
    [
        (500, 800, "What: replicated pair reaches 50 % (none = 100 %)"),
        (500, 505, "What: rate by high availability"),
        (1003, 998, "What: no variant differs significantly from none"),
        (1500, 998, "What: replicated pair reaches 150 % (none = 100 %)"),
    ],
)
def test_a_variant_is_named_where_it_is_told_apart_from_all(
    make: Make, replicated: float, shared: float, title: str
) -> None:
    chapter = make("ha", [
        ({"ha": "none"}, rate(1000)), ({"ha": "shared store"}, rate(shared)),
        (pair(), rate(replicated)),
    ])  # fmt: skip
    here = Measured(chapter, "ha")
    found = variants_title(here, "ha", what="What", baseline="none", otherwise="?")
    written = found.replace("\u00a0", " ").replace(chapter.level("ha", "none"), "none")
    assert written == title


def test_delay_is_named_by_what_it_leaves(make: Make) -> None:
    points = [(pair(delay), rate(value) | {("link_round_trip_time", "p50"): delay + 0.1})
              for delay, value in ((0, 1000), (1, 500), (5, 100))]  # fmt: skip
    here = Measured(make("ha", points), "ha", ha="replicated pair", link_encrypted=False)
    assert delay_title(here, "?").replace("\u00a0", " ") == (
        "5 ms of link delay leaves 10 % of the rate at 2 KB"
    )
    words = link_words(here)
    assert words is not None
    assert r"5\.100" in words.markdown
    assert lowest_level(here, "message_bytes") == 2048


@pytest.mark.parametrize(
    ("cpu", "words"),
    [
        (130, "The two agree within a factor"),
        (250, "The two disagree, though the direction agrees"),
        (60, "The two disagree: the direction differs"),
        (117, "Inconclusive"),
    ],
)
def test_steady_cost_is_held_to_the_published_range(make: Make, cpu: float, words: str) -> None:
    # The backup's part, as large as what a pair costs, is not on the primary's host.
    both = rate(200, broker_cpu_time=cpu + 80, backup_cpu_time=80)
    chapter = make("steady-state", [
        ({"ha": "none", "target_rate": 200}, rate(200, broker_cpu_time=100)),
        (pair(target_rate=200), both),
        ({"ha": "none", "target_rate": 100}, rate(100, broker_cpu_time=100)),
    ])  # fmt: skip
    here = at_highest(without_link_effects(Measured(chapter, "steady-state")), "target_rate")
    published = {"replicated pair": (Quantity(20, "%", ()), Quantity(40, "%", ()))}
    found = steady_agreement(here, published, under="with messages of 20 KB")
    assert found is not None
    assert words in found.markdown
    # What the published test had otherwise stands with its numbers, and where verdicts are drawn.
    assert ". Published, with messages of 20 KB: between" in found.markdown
    assert "CPU time of the active broker (published with messages of 20 KB)" in found.markdown
    assert "percentage points" in found.markdown
    assert "at the same rate, 200" in found.markdown
    assert "In CPU time of the active broker, in 95\u00a0% of cases, two runs" in found.markdown
    assert f"the active broker uses [{cpu} %]" in found.markdown.replace("\u00a0", " ")


def failover(gap: float | None, lost: float, doubled: float) -> Mapping[tuple[str, str], float]:
    values = {("messages_sent", "total"): 1000, ("messages_lost", "total"): lost,
              ("messages_doubled", "total"): doubled, ("messages_in_doubt", "total"): 2,
              ("unanswered_requests", "total"): 0}  # fmt: skip
    return {**values, **({} if gap is None else {("service_gap", "single"): gap})}


def test_every_lost_message_is_shown(make: Make) -> None:
    chapter = make("failover", [
        (pair(target_rate=200), dict(failover(0.5, 0, 0))),
        ({"ha": "shared store", "target_rate": 200}, dict(failover(None, 1, 2))),
    ])  # fmt: skip
    here = Measured(chapter, "failover")
    table = failover_table(here, caption="Failovers")
    assert table is not None
    cells = {row[0].text: [cell.text for cell in row[1:]] for row in table.rows}
    # Sums over three runs; where nobody was served again there is no time, but a count.
    assert cells["replicated pair"][:3] == ["3", "3", "0.50"]
    assert cells["shared store"][:3] == ["3", "0", "\u2013"]
    assert cells["shared store"][8:10] == ["3", "6"]
    words = failover_words(here)
    assert words is not None
    assert "none was lost or duplicated" in words.markdown
    assert "persistent messages must not" in words.markdown
    assert failover_title(here, "?").startswith("No service for 0.50")


def test_deep_queues_are_compared_with_empty_ones(make: Make) -> None:
    points = [
        ({"preloaded_messages": depth, "background_load": load}, rate(value))
        for depth, load, value in (
            (0, "none", 1000), (5000, "none", 1000), (0, "same queue", 900),
            (5000, "same queue", 450), (5000, "other queue", 900),
        )
    ]  # fmt: skip
    here = Measured(make("deep-queues", points), "deep-queues")
    assert "that is itself in use, 50" in depth_title(here, "?")
    words = depth_words(here)
    assert words is not None
    assert "not significantly different" in words.markdown
    assert "with work on another queue" not in words.markdown  # nothing to compare it with


def test_a_delay_under_another_load_stands_beside_the_published_one_without_a_verdict(
    make: Make,
) -> None:
    points = [(pair(delay), rate(value, machine_cpu=92)) for delay, value in ((0, 1000), (2, 670))]
    found = measured_pairs(make("ha", points))
    published = {"appliances": {2.0: Quantity(11, "%", ()), 5.0: Quantity(4, "%", ())}}
    many = [Quantity(count, "requesters", ()) for count in (540, 300, 600)]
    words = found.delay_beside(published, many)
    assert words is not None
    text = words.markdown.replace("\u00a0", " ")
    assert "16 requesters, not 300 to 600, wait" in text
    assert "; appliances 11 %" in text
    assert not VERDICT.search(text)
    assert text.count(NO_VERDICT) == 1
    assert "4 %" not in text  # not measured here


def test_what_a_pair_costs_on_one_host_has_no_verdict(make: Make) -> None:
    points = [
        ({"ha": "none"}, rate(1000)), ({"ha": SHARED_STORE}, rate(900)), (pair(), rate(600)),
    ]  # fmt: skip
    found = measured_pairs(make("ha", points))
    shares = [{found.small: Quantity(value, "%", ())} for value in (78, 82)]
    words = cost_words(found, shared=shares[0], replicated=shares[1], heads=("Shared", "Copied"))
    assert words is not None
    for part, here, there in zip(
        words.markdown.replace("\u00a0", " ").split("Copied:"), (90, 60), (78, 82), strict=True
    ):
        assert f"{here} %" in part
        assert f"published: {there} %" in part
        assert part.count(NO_VERDICT) == 1
        assert "<!--verdict" not in part


def test_without_a_campaign_there_is_nothing_to_show(publish: Publish, tmp_path: Path) -> None:
    chapter = Chapter(V94, folder=publish(tmp_path).root)
    here = at_highest(at_peaks(without_link_effects(Measured(chapter, "ha"))), "target_rate")
    assert not here.exists
    assert delay_title(here, "?") == depth_title(here, "?") == failover_title(here, "?") == "?"
    assert link_words(here) is None
    beside = measured_pairs(chapter).delay_beside({}, [Quantity(300, "requesters", ())])
    assert beside is None
    assert depth_words(here) is None
    assert failover_words(here) is None
    assert steady_agreement(here, {}, under="") is None
    assert failover_table(here, caption="none") is None


def paced(requesters: int, achieved: float) -> Point:
    factors = {"requesters": requesters, "requester_rate": 360000}
    return factors, rate(achieved, round_trip_time=2 if achieved > 95 * requesters else 840)


def test_a_load_that_is_not_kept_is_overload_and_no_capacity(make: Make) -> None:
    # With 64 the backlog grows while a round trip still takes less than a second; with 32 what is
    # owed is being repaid.
    points = [paced(16, 1600), paced(32, 3500), paced(64, 5460)]
    here = Measured(make("rated", points), "rated")
    loads = {"Persistent": {"message_bytes": 2048}}
    assert [load_state(here, requesters=n) for n in (16, 32, 64)] == [KEPT, CATCHING_UP, OVERLOAD]
    assert limit_of(here, message_bytes=2048) == Limit(16, beyond=32, over=64, falls_short=True)
    said = rated_limits(here, loads)
    assert said is not None
    assert "the offered rate is met with up to 16 requesters" in said.markdown
    assert "with 32, runs were still catching up" in said.markdown
    assert "with 64, a run falls short of it. The highest rate achieved is [5,460" in said.markdown
    assert limit_title(here, loads, otherwise="o").endswith(
        "persistent, between 16 and 64 requesters"
    )
    table = offered_table(here, loads, caption="C")
    assert table is not None
    assert [[row[n].text for n in (1, 2, 4, -1)] for row in table.rows[1:]] == [
        ["1,600", "1,600", "\u2013", "sustained"],
        ["3,200", "3,500", "3,535", "catching up"],
        ["6,400", "5,460", "5,405", "overload"],
    ]


@pytest.mark.parametrize("unit", ["round trips/s", "messages/s"])
def test_a_load_is_kept_in_whatever_unit_it_is_shown(make: Make, unit: str) -> None:
    # Of thirty round trips in all, a run may miss one at either end beside 5 %, in either unit.
    points = [({"requesters": count, "requester_rate": 72000 / count}, rate(value))
              for count, value in ((20, 18), (10, 17))]  # fmt: skip
    folder = make("rated", points).project.root
    here = Measured(Chapter(V94, rate_unit=unit, folder=folder), "rated")
    assert [load_state(here, requesters=count) for count in (20, 10)] == [KEPT, OVERLOAD]


def test_who_is_not_paced_is_never_overloaded(make: Make) -> None:
    here = Measured(make("rated", [({}, rate(100))]), "rated")
    assert offered_rate(here) is None
    assert load_state(here) == KEPT


def test_versions_of_a_product_are_held_to_no_published_change(make: Make) -> None:
    points = [({"product_version": version, "delivery": "persistent"}, rate(value))
              for version, value in (("1.0", 1000), ("2.0", 900))]  # fmt: skip
    found = releases(make("versions", points), "persistent")
    assert [round(share.quantity.value) for _, share in found.shares()] == [90]
    said = found.agreement(head="The newer version as a share of the older")
    assert said is not None
    assert "verdict" not in said.markdown


@pytest.mark.parametrize(
    ("published", "calm", "marked"),
    [
        (51.4, "Inconclusive; the direction agrees.", "Inconclusive; {}"),
        (90.0, "The two disagree, though the direction agrees.",
         "The two disagree, though the direction agrees; {}"),
    ],
)  # fmt: skip
def test_a_verdict_says_that_it_rests_on_marked_runs_and_then_no_direction_is_found(
    make: Make, published: float, calm: str, marked: str
) -> None:
    chapter = make("ha", [({"ha": "none"}, rate(1000)), (pair(), rate(500))])
    path = chapter.project.campaigns / "ha-quick" / "manifest.yml"
    for doubt, words in (
        (None, calm),
        ("not steady", marked.format("this rests on marked runs")),
    ):
        manifest = yaml.safe_load(path.read_text())
        manifest["runs"] = [{**entry, "doubt": doubt} for entry in manifest["runs"]]
        path.write_text(yaml.safe_dump(manifest))
        here = Measured(Chapter(V94, folder=chapter.project.root), "ha")
        share = share_of(here, {"ha": "replicated pair"}, {"ha": "none"})
        assert share is not None
        said = compared(here, Quantity(published, "%", ()), share, name="n").words
        assert said.replace(" alone.", ".").rstrip(".") == words.rstrip(".")


@pytest.mark.parametrize(
    ("marked", "outcome", "words"),
    [
        (("r3",), "disagree", "this rests on marked runs. Without them, [50"),
        (("r2", "r3"), "inconclusive", "Inconclusive: without marked runs, the share is [50"),
    ],
)
def test_a_verdict_that_does_not_hold_without_marked_runs_is_inconclusive(
    make: Make, marked: tuple[str, ...], outcome: str, words: str
) -> None:
    chapter = make("ha", [({"ha": "none"}, rate(1000)), (pair(), rate(500))])
    path = chapter.project.campaigns / "ha-quick" / "manifest.yml"
    manifest = yaml.safe_load(path.read_text())
    for entry in manifest["runs"]:
        if "pair" in entry["run"] and entry["run"].endswith(marked):
            entry["doubt"] = "not steady"
    path.write_text(yaml.safe_dump(manifest))
    here = Measured(Chapter(V94, folder=chapter.project.root), "ha")
    share = share_of(here, {"ha": "replicated pair"}, {"ha": "none"})
    assert share is not None
    said = compared(here, Quantity(90, "%", ()), share, name="n")
    assert said.outcome == outcome
    assert words in said.words


@pytest.mark.parametrize(("values", "told"), [((900, 910), "faster"), ((500, 900), "")])
def test_that_all_runs_left_out_were_faster_or_slower_than_those_kept_is_said(
    publish: Publish, tmp_path: Path, values: tuple[float, float], told: str
) -> None:
    project = publish(tmp_path)
    write(project, "ha", [({"ha": "none"}, rate(1000)), (pair(), rate(500))], runs=5)
    folder = project.campaigns / "ha-quick"
    manifest = yaml.safe_load((folder / "manifest.yml").read_text())
    manifest["plan"]["precision"] = {"within": 0.1, "most_repetitions": 5}
    points = (folder / "points.csv").read_text()
    for entry in manifest["runs"]:
        number = int(entry["run"][-1])
        if "pair" in entry["run"] and number > 3:
            entry["doubt"] = "not steady"
            was = f"round_trip_rate,mean,{500 * (1 + 0.01 * (number - 2)):g}"
            head = next(line for line in points.splitlines() if line.startswith(entry["run"])
                        and line.endswith(was))  # fmt: skip
            now = f"round_trip_rate,mean,{values[number - 4]}"
            points = points.replace(head, head.replace(was, now))
    (folder / "points.csv").write_text(points)
    (folder / "manifest.yml").write_text(yaml.safe_dump(manifest))
    here = Measured(Chapter(V94, folder=project.root), "ha")
    table = variants_table(here, by="ha", baseline="none", levels=PAIRS, caption="Pairs")
    figure = variants_figure(here, by="ha", title="T", caption="C.")
    assert table is not None
    assert figure is not None
    mean_of_all = f"{(495 + 500 + 505 + sum(values)) / 5:.0f}"
    for said in (" ".join(table.notes), figure.caption):
        assert ("Left out as marked: 2 of 5 runs of replicated pair" in said) == bool(told)
        assert (f"each {told} than any run that counts; the mean of all is {mean_of_all}"
                in said) == bool(told)  # fmt: skip


def test_a_caption_says_that_bars_rest_on_marked_runs(make: Make) -> None:
    chapter = make("ha", [({"ha": "none"}, rate(1000)), ({"ha": "shared store"}, rate(900)),
                          (pair(), rate(500))])  # fmt: skip
    path = chapter.project.campaigns / "ha-quick" / "manifest.yml"
    manifest = yaml.safe_load(path.read_text())
    for entry in manifest["runs"]:
        entry["doubt"] = "not steady" if "shared" in entry["run"] else None
    path.write_text(yaml.safe_dump(manifest))
    here = Measured(Chapter(V94, folder=chapter.project.root), "ha")
    figure = variants_figure(here, "ha", title="T", caption="C.")
    assert figure is not None
    assert figure.caption.endswith("C. From marked runs: shared store.")
