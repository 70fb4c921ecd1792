"""The page that sets points side by side: what it is given, what it shows, what it refuses."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from roundtrip.errors import ChapterError
from roundtrip.params import ReportParameters
from roundtrip.present import Chapter
from roundtrip.present.comparability import MUST_MATCH, differing, refuse_mixed_kinds
from roundtrip.present.comparison import comparison
from roundtrip.present.machines import TRAITS, differing_machines, told
from roundtrip.present.markup import cell_anchor
from roundtrip.project import Project
from roundtrip.publish.book import Book
from roundtrip.publish.book import Chapter as Page
from roundtrip.publish.html.site import render_site
from workshop import PATIENCE_MS, ROOT

Compared = dict[str, Any]


@pytest.fixture(scope="module")
def compared(chapter: Chapter) -> Compared:
    found = comparison(chapter)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def by_anchor(chapter: Chapter) -> dict[str, list[pd.Series]]:
    """The observations that a point's link may lead to: several where it is that of a run."""
    found: dict[str, list[pd.Series]] = {}
    for _, row in chapter.observations.frame.iterrows():
        found.setdefault(cell_anchor(row["observation_id"]), []).append(row)
    return found


@pytest.fixture(scope="module")
def site(compared: Compared, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("compare")
    tables = Page("95-tables", "Source tables", "sec-tables", "A", "appendix", [])
    anchors = {
        each["prefix"] + point[3]: tables.name
        for each in compared["series"] for points in each["values"].values() for point in points
    }  # fmt: skip
    edition = ReportParameters(version="1.0", title="Messaging performance")
    render_site(
        Book(edition, "", 0, (tables,), anchors), Project(ROOT), target, comparison=compared
    )
    return target


@pytest.fixture(scope="module")
def context(chromium: Any) -> Iterator[Any]:
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.new_page()  # Further pages take no process of their own beside this one.
    yield context
    context.close()


@pytest.fixture
def page(context: Any) -> Iterator[Any]:
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    yield page
    page.close()
    assert problems == []


def opened(page: Any, site: Path, **state: str) -> Any:
    page.goto("about:blank")
    address = "&".join(f"{name}={value}" for name, value in state.items())
    page.goto(f"{(site / 'compare.html').as_uri()}#{address}")
    return page


def of(compared: Compared, source: str, **levels: str) -> list[dict[str, Any]]:
    """Find the series of a source with these levels that have a rate."""
    labels = {factor["label"]: at for at, factor in enumerate(compared["factors"])}
    found = []
    for each in compared["series"]:
        at = {name: each["factors"].get(str(labels[name])) for name in levels}
        named = {
            name: None if place is None else compared["factors"][labels[name]]["levels"][place]
            for name, place in at.items()
        }
        if compared["sources"][each["source"]]["id"] == source and named == levels:
            found.append(each)
    return [each for each in found if "0" in each["values"]]


@pytest.mark.slow
def test_every_point_is_the_observation_that_it_leads_to(
    compared: Compared, by_anchor: dict[str, list[pd.Series]]
) -> None:
    assert compared["metrics"][0]["id"] == "round_trip_rate"
    assert len({each["id"] for each in compared["series"]}) == len(compared["series"])
    for each in compared["series"]:
        for metric, points in each["values"].items():
            sizes = [point[0] for point in points]
            assert sizes == sorted(set(sizes))
            for size, value, _, end, doubt, *ends in points:
                identity = compared["metrics"][int(metric)]["id"].partition("-")[0]
                seen = [row for row in by_anchor[each["prefix"] + end] if row["metric"] == identity]
                assert {row["message_bytes"] for row in seen} == {size}
                if ends:
                    assert ends[0] <= value <= ends[1]
                    assert any(ends[0] <= round(row["value"], 6) <= ends[1] for row in seen)
                else:
                    same = [row for row in seen if value == pytest.approx(_used(row))]
                    states = {
                        "" if row["status"] == "as_printed" else row["status"] for row in same
                    }
                    assert states == {doubt}


def _used(row: pd.Series) -> float:
    return float(row["value"] if pd.isna(row["value_corrected"]) else row["value_corrected"])


@pytest.mark.slow
def test_rates_follow_the_unit_of_the_edition(compared: Compared) -> None:
    doubled = comparison(Chapter(folder=ROOT, rate_unit="messages/s"))
    assert doubled is not None
    assert doubled["metrics"][0]["units"][0]["unit"] == "messages/s"
    one, other = (
        next(each for each in found["series"] if "0" in each["values"])["values"]["0"][0]
        for found in (compared, doubled)
    )
    assert other[1] == pytest.approx(2 * one[1])


def test_a_project_with_nothing_to_compare_has_no_such_page(
    chapter: Chapter, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nothing = chapter.observations.frame.iloc[:0]
    monkeypatch.setattr(type(chapter.observations), "frame", property(lambda self: nothing))
    assert comparison(chapter) is None
    tables = Page("95-tables", "Source tables", "sec-tables", "A", "appendix", [])
    render_site(Book(ReportParameters(), "", 0, (tables,), {}), Project(ROOT), tmp_path)
    assert not (tmp_path / "compare.html").exists()
    assert "compare" not in (tmp_path / "index.html").read_text("utf-8").lower()


def test_the_page_decides_as_the_gate_does(
    chapter: Chapter,
    compared: Compared,
    by_anchor: dict[str, list[pd.Series]],
    site: Path,
    page: Any,
) -> None:
    series = [each for each in compared["series"] if "0" in each["values"]][::29]
    opened(page, site)
    refused = 0
    for pair in itertools.pairwise(series + series[::3]):
        if pair[0] is pair[1]:
            continue
        cells = [
            row
            for one in pair
            for point in one["values"]["0"]
            for row in by_anchor[one["prefix"] + point[3]]
            if row["metric"] == "round_trip_rate"
        ]
        points = pd.DataFrame(cells)
        found = differing(points, ["message_bytes"], chapter.dictionary.factors)
        machines = differing_machines(chapter, points, ["message_bytes"])
        stated = {name: set(found.get(name, ())) - {None} for name in MUST_MATCH}
        reasons = [name for name, values in stated.items() if len(values) > 1]
        try:
            refuse_mixed_kinds(points, "")
        except ChapterError:
            reasons.append("kinds")
        page.evaluate("address => { location.hash = address; }",
                      f"series={pair[0]['id']},{pair[1]['id']}")  # fmt: skip
        page.wait_for_function(
            "ids => [...document.querySelectorAll('[data-part=list] :checked')]"
            ".map(box => box.value).sort().join() === ids",
            arg=",".join(sorted(one["id"] for one in pair)),
        )
        verdict = page.locator("[data-part=verdict]").inner_text()
        assert bool(verdict) == bool(reasons), verdict
        assert page.locator("[data-part=result]").is_hidden() == bool(reasons)
        if reasons:
            refused += 1
        else:
            notes = page.locator("[data-part=notes]").inner_text()
            for name in found:
                assert chapter.factor_label(name).lower() in notes.lower()
            for trait in TRAITS:
                said = told(trait, machines.get(trait, ()))
                assert (said in notes) == (trait in machines), notes
            assert bool(found or machines) == ("Not held constant" in notes)
    assert refused > 3


def test_a_comparison_is_chosen_shown_and_kept_in_the_address(
    compared: Compared, site: Path, page: Any
) -> None:
    base, other = of(compared, "ibm-mq-v9.4-linux", Delivery="non-persistent", Workload="RR-CC")[:2]
    opened(page, site)
    page.locator("[data-part=words]").fill("mq v9.4")
    for one in (base, other):
        page.locator(f"[data-part=list] [value='{one['id']}']").check()
    page.locator("#fig-compare .figure-live .main-svg").first.wait_for()
    shown = page.locator("[data-part=table] tbody td").first
    assert shown.inner_text() == f"{base['values']['0'][0][1]:,.0f}"
    assert shown.locator("a").get_attribute("href").startswith("95-tables.html#cell-ibm-mq-v9.4-")
    page.locator("[data-part=as]").select_option("ratio")
    assert page.locator("[data-part=table] tbody td").first.inner_text() == "1.000"
    page.locator("[data-part=base]").select_option(other["id"])
    sizes = {point[0]: point[1] for point in other["values"]["0"]}
    size, value = base["values"]["0"][0][:2]
    ratio = page.locator("[data-part=table] tbody td").first.inner_text()
    assert float(ratio) == pytest.approx(value / sizes[size], abs=6e-4)
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert page.locator("[data-part=base]").input_value() == other["id"]
    assert page.locator("[data-part=table] tbody td").first.inner_text() == ratio
    page.locator("[data-part=as]").select_option("core")
    cores = page.locator("[data-part=table] tbody td").first.inner_text()
    assert float(cores.replace(",", "")) == pytest.approx(value / base["cores"], rel=1e-3)


def test_a_baseline_that_is_no_longer_chosen_gives_way(
    compared: Compared, site: Path, page: Any
) -> None:
    one, base = of(compared, "ibm-mq-v9.4-linux", Delivery="non-persistent", Workload="RR-CC")[:2]
    state = {"as": "ratio", "base": base["id"], "series": f"{one['id']},{base['id']}"}
    opened(page, site, **state)
    assert page.locator("[data-part=base]").input_value() == base["id"]
    page.locator(f"[data-part=list] [value='{base['id']}']").uncheck()
    assert page.locator("[data-part=base]").input_value() == one["id"]
    assert page.locator("[data-part=table] tbody td").first.inner_text() == "1.000"
    assert "base=" not in page.url


def test_units_are_switched_and_kept_in_the_address(
    compared: Compared, site: Path, page: Any
) -> None:
    one = of(compared, "ibm-mq-v9.4-linux", Delivery="non-persistent", Workload="RR-CC")[0]
    opened(page, site, series=one["id"])
    first = page.locator("[data-part=table] tbody td").first
    rate = float(first.inner_text().replace(",", ""))
    page.locator("[data-part=unit]").select_option("messages/s")
    assert float(first.inner_text().replace(",", "")) == 2 * rate
    assert page.locator("[data-part=caption]").inner_text() == "Messages/s"
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert page.locator("[data-part=unit]").input_value() == "messages/s"
    assert float(first.inner_text().replace(",", "")) == 2 * rate
    page.locator("[data-part=as]").select_option("ratio")
    assert page.locator("[data-part=unit]").is_hidden()


@pytest.mark.parametrize(
    ("chosen", "state", "reason"),
    [
        ([("ibm-mq-v9.4-linux", "persistent"), ("ibm-mq-v9.4-linux", "non-persistent")], {},
         "different delivery are not compared"),
        ([("ibm-mq-v9.4-linux", "persistent"), ("base-quick", "persistent")], {},
         "Published and measured"),
        ([("base-quick", "persistent")], {"metric": "broker_cpu", "as": "core"}, "is no rate"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused_with_the_reason(
    compared: Compared, site: Path, page: Any, chosen: Any, state: Any, reason: str
) -> None:
    ids = [of(compared, source, Delivery=delivery)[0]["id"] for source, delivery in chosen]
    opened(page, site, **state, series=",".join(ids))
    assert reason in page.locator("[data-part=verdict]").inner_text()
    assert page.locator("[data-part=result]").is_hidden()


def test_an_address_of_another_edition_says_what_is_missing(site: Path, page: Any) -> None:
    opened(page, site, series="00000000,%3Cimg%20src%3Dx%3E", metric="none")
    assert (
        "2 of the series in the address are not" in page.locator("[data-part=verdict]").inner_text()
    )
    assert page.locator("#compare img").count() == 0


@pytest.mark.parametrize("width", [320, pytest.param(390, marks=pytest.mark.thorough), 1360])
def test_the_page_fits_and_is_accessible(
    compared: Compared, site: Path, chromium: Any, width: int
) -> None:
    from test_accessibility import AXE, FINDINGS, RULES

    context = chromium.new_context(
        viewport={"width": width, "height": 844}, color_scheme="dark" if width == 390 else "light",
        bypass_csp=True,
    )  # fmt: skip
    page = context.new_page()
    ids = [each["id"] for each in of(compared, "base-quick", Delivery="persistent")[:4]]
    opened(page, site, series=",".join(ids))
    page.locator("#fig-compare .figure-live .main-svg").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(AXE.read_text("utf-8"))
    assert page.evaluate(FINDINGS, RULES) == []
    context.close()
