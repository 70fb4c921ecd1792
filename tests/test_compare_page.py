"""The page that sets points side by side: what it is given, what it shows, what it refuses."""

from __future__ import annotations

import csv
import itertools
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from roundtrip.errors import ChapterError
from roundtrip.params import ReportParameters
from roundtrip.present import Chapter
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.comparability import MUST_MATCH, differing, refuse_mixed_kinds
from roundtrip.present.comparison import comparison
from roundtrip.present.machines import TRAITS, differing_machines, told
from roundtrip.present.repeats import ratio_margins
from roundtrip.project import Project
from roundtrip.publish.book import Book
from roundtrip.publish.book import Chapter as Page
from roundtrip.publish.html.site import render_site
from roundtrip.theme import load_theme
from workshop import ROOT

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
    return written(compared, tmp_path_factory.mktemp("compare"))


def written(compared: Compared, target: Path) -> Path:
    """Write a site of one chapter with the page that compares these series."""
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


def only(compared: Compared, series: list[dict[str, Any]], target: Path) -> Path:
    """Write the site of a project that has no more series than these."""
    return written({**compared, "series": series}, target)


def opened(page: Any, site: Path, **state: str) -> Any:
    page.goto("about:blank")
    address = "&".join(f"{name}={value}" for name, value in state.items())
    page.goto(f"{(site / 'compare.html').as_uri()}#{address}")
    return page


def choosing(page: Any, site: Path, **state: str) -> Any:
    """Open the page with nothing chosen but this, and its list of series."""
    opened(page, site, **{"metric": "round_trip_rate", **state})
    if not page.locator("[data-part=choice]").evaluate("node => node.open"):
        page.locator("[data-part=count]").click()
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


@pytest.mark.slow
def test_measured_points_are_of_the_runs_that_the_tables_show(
    compared: Compared, chapter: Chapter
) -> None:
    shown = {
        compared["metrics"][int(metric)]["id"]: {
            each["prefix"] + point[3] for each in compared["series"]
            for point in each["values"].get(metric, ())
        }
        for metric in map(str, range(len(compared["metrics"])))
    }  # fmt: skip
    frame, partial = chapter.observations.frame, 0
    for name in chapter.observations.campaign_ids:
        rows = frame[(frame["source"] == name) & frame["interval"].isna()]
        left_out = rows["row_label"].isin(chapter.observations.campaign(name).replaced)
        rates = rows[(rows["metric"] == "round_trip_rate") & (rows["statistic"] == "mean")]
        anchors = rates.loc[left_out.reindex(rates.index), "observation_id"].map(cell_anchor)
        assert shown["round_trip_rate"].isdisjoint(anchors)
        p99 = rows[(rows["metric"] == "round_trip_time") & (rows["statistic"] == "p99") & ~left_out]
        runs = rates[~left_out.reindex(rates.index)].groupby("point_id").size()
        for point, of_point in p99.groupby("point_id"):
            if len(of_point) < runs.get(point, 0):
                partial += 1
                assert shown["round_trip_time-99th"].isdisjoint(
                    of_point["observation_id"].map(cell_anchor)
                )
    assert partial > 0


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


def test_a_project_with_nothing_to_compare_says_so(
    chapter: Chapter, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nothing = chapter.observations.frame.iloc[:0]
    monkeypatch.setattr(type(chapter.observations), "frame", property(lambda self: nothing))
    assert comparison(chapter) is None
    tables = Page("95-tables", "Source tables", "sec-tables", "A", "appendix", [])
    render_site(Book(ReportParameters(), "", 0, (tables,), {}), Project(ROOT), tmp_path)
    said = (tmp_path / "compare.html").read_text("utf-8")
    assert "This report has nothing to compare here" in said
    assert "compare.html" not in (tmp_path / "index.html").read_text("utf-8"), "no link to it"
    assert "comparison.js" not in said


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
            notes = page.locator("[data-part=about]").inner_text()
            for name in found:
                assert chapter.factor_label(name).lower() in notes.lower()
            for trait in TRAITS:
                said = told(trait, machines.get(trait, ()))
                assert (said in notes) == (trait in machines), notes
            assert bool(found or machines) == ("Not held constant" in notes)
    assert refused > 3


def test_the_page_opens_with_an_example_that_the_gate_allows(
    compared: Compared, site: Path, page: Any
) -> None:
    opened(page, site)
    page.locator("#fig-compare .figure-live .main-svg").first.wait_for()
    page.emulate_media(media="print")
    assert page.locator("#fig-compare .ytitle").is_visible()
    page.emulate_media(media="screen")
    assert page.locator("[data-part=verdict]").inner_text().startswith("An example to begin with")
    chosen = page.url.partition("series=")[2].split(",")
    one, other = (each for id_ in chosen for each in compared["series"] if each["id"] == id_)
    most = max(len(each["values"].get("0", ())) for each in compared["series"])
    sizes = [{point[0] for point in each["values"]["0"]} for each in (one, other)]
    assert len(sizes[0]) == most
    assert sizes[0] & sizes[1]
    assert page.locator("[data-part=table] tbody tr").count() == 2
    page.reload()
    assert page.locator("[data-part=table] tbody tr").count() == 2
    assert page.locator("[data-part=verdict]").inner_text() == ""
    page.locator("[data-part=count]").click()
    page.get_by_role("button", name="Choose none").click()
    page.reload()
    assert page.locator("[data-part=verdict]").inner_text() == "Choose series to compare."
    assert page.locator("[data-part=choice]").evaluate("node => node.open")


def test_one_campaign_is_enough_for_an_example(
    compared: Compared, page: Any, tmp_path: Path
) -> None:
    opened(page, only(compared, of(compared, "base-quick"), tmp_path))
    assert page.locator("[data-part=table] tbody tr").count() == 2
    assert page.locator("[data-part=sources]").inner_text() == "Source: Campaign base-quick"


def test_a_report_of_which_no_two_series_may_be_compared_says_so(
    compared: Compared, page: Any, tmp_path: Path
) -> None:
    deliveries = ("persistent", "non-persistent")
    series = [of(compared, "ibm-mq-v9.4-linux", Delivery=each)[0] for each in deliveries]
    opened(page, only(compared, series, tmp_path))
    assert page.locator("[data-part=verdict]").inner_text().startswith("No two series")
    for each in series:
        page.locator(f"[data-part=list] [value='{each['id']}']").check()
    assert "different delivery" in page.locator("[data-part=verdict]").inner_text()


def test_what_is_chosen_can_be_taken_out_by_keyboard_where_it_was_refused(
    compared: Compared, site: Path, page: Any
) -> None:
    deliveries = ("persistent", "non-persistent")
    ids = [of(compared, "ibm-mq-v9.4-linux", Delivery=each)[0]["id"] for each in deliveries]
    opened(page, site, series=",".join(ids))
    assert page.locator("[data-part=result]").is_hidden()
    page.locator("[data-part=chosen] button").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("[data-part=result]").is_visible()
    assert page.url.endswith(f"series={ids[1]}")
    page.keyboard.press("Enter")
    assert page.locator("[data-part=chosen] li").count() == 0
    assert page.evaluate("document.activeElement.dataset.part") == "count"


def test_series_without_the_metric_are_named_and_left_out(
    compared: Compared, site: Path, page: Any
) -> None:
    one = of(compared, "ibm-mq-v9.4-linux", Delivery="non-persistent", Workload="RR-CC")[0]
    lacking = next(
        each
        for each in compared["series"]
        if each["source"] == one["source"] and "0" not in each["values"]
    )
    opened(page, site, **{"as": "ratio", "series": f"{lacking['id']},{one['id']}"})
    assert page.locator("[data-part=base] option").count() == 1
    assert page.locator("[data-part=table] tbody td").first.inner_text() == "1.000"
    assert "Not held constant" not in page.locator("[data-part=about]").inner_text()
    notes = page.locator("[data-part=notes]").inner_text()
    assert f"Without this metric: MQ V9.4, {lacking['place']}: " in notes


def test_series_of_another_edition_are_told_beside_a_refusal(
    compared: Compared, site: Path, page: Any
) -> None:
    deliveries = ("persistent", "non-persistent")
    ids = [of(compared, "ibm-mq-v9.4-linux", Delivery=each)[0]["id"] for each in deliveries]
    opened(page, site, series=",".join(["none", *ids]))
    verdict = page.locator("[data-part=verdict]").inner_text()
    assert "different delivery" in verdict
    assert verdict.endswith("1 of the series in the address is not in this edition.")


def test_a_comparison_is_downloaded_and_cited_with_its_state(
    compared: Compared, site: Path, page: Any
) -> None:
    ones = of(compared, "base-quick", Delivery="persistent")[:2]
    opened(page, site, series=",".join(one["id"] for one in ones))
    page.locator("#fig-compare .figure-live .main-svg").first.wait_for()
    with page.expect_download() as download:
        page.get_by_label("CSV: Comparison").click()
    rows = list(csv.DictReader(download.value.path().open(encoding="utf-8")))
    points = [point for one in ones for point in one["values"]["0"]]
    assert [float(row["value"]) for row in rows] == [point[1] for point in points]
    assert [float(row["highest"]) for row in rows] == [point[6] for point in points]
    assert {row["unit"] for row in rows} == {"round trips/s"}
    with page.expect_download() as download:
        page.get_by_label("SVG: Comparison").click()
    picture = download.value.path().read_text("utf-8")
    assert picture.count("Campaign base-quick") == 1  # the source, below the drawing
    assert "256\xa0B" in picture
    page.get_by_label("Cite: Comparison").click()
    assert page.get_by_label("Address").input_value() == page.url


def test_a_download_has_no_formula_and_few_colours_serve_many_series(
    compared: Compared, page: Any, tmp_path: Path
) -> None:
    ones = of(compared, "ibm-mq-v9.4-linux", Delivery="persistent")[:4]
    sources = [{**each, "label": f"={each['label']}"} for each in compared["sources"]]
    written({**compared, "sources": sources, "series": ones}, tmp_path)
    script = tmp_path / "assets" / "comparison.js"
    colors = '"colors":["#111111","#222222","#333333"]'
    text, count = re.subn(r'"colors":\[[^\]]*\]', colors, script.read_text("utf-8"))
    assert count == 1
    script.write_text(text, "utf-8")
    opened(page, tmp_path, series=",".join(one["id"] for one in ones))
    page.locator("#fig-compare .figure-live .main-svg").first.wait_for()
    drawn = "node => node.data.map(({ line, marker }) => [line.color, marker.color])"
    found = page.locator("#fig-compare .figure-live").evaluate(drawn)
    assert found[3] == found[0] == ["#111111"] * 2
    with page.expect_download() as download:
        page.get_by_label("CSV: Comparison").click()
    rows = list(csv.DictReader(download.value.path().open(encoding="utf-8")))
    assert all(row["source"].startswith("'=MQ V9.4, ") for row in rows)


def test_a_range_of_ingested_runs_is_not_left_to_pass_for_an_interval(
    compared: Compared, page: Any, tmp_path: Path
) -> None:
    ranged = [
        one
        for one in compared["series"]
        if any(len(point) > 5 for point in one["values"].get("0", ()))
    ]
    only(compared, [{**one, "kind": "ingested"} for one in ranged[:1]], tmp_path)
    choosing(page, tmp_path, series=ranged[0]["id"])
    assert "no intervals" in page.locator("[data-part=notes]").inner_text()


def test_a_variant_that_the_theme_names_keeps_its_colour(
    compared: Compared, site: Path, page: Any
) -> None:
    """MSMQ is the second of the series' colours in every chart, also where it is chosen alone."""
    factors = compared["factors"]
    at, named = next(
        (str(at), factor) for at, factor in enumerate(factors) if "MSMQ" in factor["variants"]
    )
    level = named["variants"].index("MSMQ")
    one = next(one for one in compared["series"] if one["factors"].get(at) == level)
    metric = compared["metrics"][int(next(iter(one["values"])))]["id"]
    opened(page, site, metric=metric, series=one["id"])
    page.locator("#fig-compare .figure-live .main-svg").first.wait_for()
    drawn = page.locator("#fig-compare .figure-live").evaluate("node => node.data[0].line.color")
    assert drawn == load_theme(Project(ROOT)).series[1]


def test_a_table_that_becomes_narrow_is_no_region_that_scrolls(
    compared: Compared, site: Path, page: Any
) -> None:
    page.set_viewport_size({"width": 360, "height": 900})
    opened(page, site)
    region = page.locator("[data-part=result] .table-scroll")
    seen = set()
    for each in [one for one in compared["series"] if "0" in one["values"]][:40]:
        scrolls, stops = region.evaluate(
            """async (region, id) => {
              location.hash = `series=${id}`;
              for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
              return [region.scrollWidth > region.clientWidth + 1, region.hasAttribute("tabindex")];
            }""",
            each["id"],
        )
        assert scrolls == stops, each["id"]
        seen.add(scrolls)
    assert seen == {True, False}


def test_axes_and_values_name_metric_and_unit(compared: Compared, site: Path, page: Any) -> None:
    one = of(compared, "base-quick", Delivery="persistent")[0]
    opened(page, site, metric="broker_cpu", axis="log", series=one["id"])
    chart = page.locator("#fig-compare .figure-live")
    chart.locator(".main-svg").first.wait_for()
    assert chart.locator(".ytitle").text_content() == "CPU of the broker (%, logarithmic)"
    assert "<br>CPU of the broker (%" in chart.evaluate("node => node.data[0].hovertemplate")
    opened(page, site, metric="broker_cpu", series=one["id"])
    chart.locator(".main-svg").first.wait_for()
    assert chart.locator(".ytitle").text_content() == "CPU of the broker (%)"
    names = page.locator("[data-part=metric] option").all_inner_texts()
    units = [metric["units"][0]["unit"] for metric in compared["metrics"]]
    seconds = [name for name, unit in zip(names, units, strict=True) if unit == "s"]
    assert "Time without service (s)" in seconds
    assert all(name.endswith("(s)") for name in seconds)
    assert not [name for name in names if "'" in name]


def test_a_comparison_is_chosen_shown_and_kept_in_the_address(
    compared: Compared, site: Path, page: Any
) -> None:
    base, other = of(compared, "ibm-mq-v9.4-linux", Delivery="non-persistent", Workload="RR-CC")[:2]
    choosing(page, site)
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
    choosing(page, site, **state)
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


def test_what_an_address_asks_in_vain_is_said_and_taken_out_of_it(
    compared: Compared, site: Path, page: Any
) -> None:
    ids = [each["id"] for each in of(compared, "ibm-mq-v9.4-linux", Delivery="persistent")[:9]]
    assert len(ids) == 9
    opened(page, site, metric="nonsense", unit="bananas", foo="1", series=",".join(ids))
    assert page.locator("[data-part=verdict]").inner_text() == (
        "Of the series in the address, 2 are left out: at most 7 can be told apart. "
        "Not understood in the address: ‘foo’, ‘metric=nonsense’, ‘unit=bananas’."
    )
    assert page.url.endswith(f"#metric=round_trip_rate&series={','.join(ids[:7])}")
    address = page.url
    page.locator(".skip-link").focus()
    page.keyboard.press("Enter")  # leads to a place on the page, which is no state
    page.wait_for_url(address)
    assert page.evaluate("document.activeElement.id") == "content"
    assert page.locator("[data-part=table] tbody tr").count() == 7
    page.locator("[data-part=log]").check()
    assert page.locator("[data-part=verdict]").inner_text() == ""


def test_a_comparison_says_how_many_requesters_and_the_margin_of_its_ratios(
    chapter: Chapter, compared: Compared, site: Path, page: Any
) -> None:
    ones = of(compared, "ibm-mq-v9.4-linux", Delivery="non-persistent", Workload="RR-CC")
    ones = [one for one in ones if one["how"] == "peak" and one["requesters"]]
    ones = sorted(ones, key=lambda one: one["requesters"])
    pair = [ones[0], ones[-1]]
    ends = [one["requesters"] for one in pair]
    assert ends[0] < ends[1]
    opened(page, site, **{"as": "ratio", "series": ",".join(one["id"] for one in pair)})
    about = page.locator("[data-part=about]").inner_text()
    assert f" Requesters: each at its peak, {ends[0]} to {ends[1]}." in about
    assert about.endswith(*ratio_margins(chapter, ["ibm-mq-v9.4-linux/"]))
    page.locator("[data-part=as]").select_option("absolute")
    assert "printed twice" not in page.locator("[data-part=about]").inner_text()
    runs = of(compared, "base-quick", Delivery="persistent")[:2]
    opened(page, site, series=",".join(one["id"] for one in runs))
    assert " Measured with " in page.locator("[data-part=about]").inner_text()


def test_without_scripts_there_is_nothing_to_choose_from(site: Path, chromium: Any) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / "compare.html").as_uri())
    assert page.locator("#compare :is(select, input, summary, button):visible").count() == 0
    context.close()


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
    opened(page, site, foo="1" * 80, series=",".join(ids))
    page.locator("#fig-compare .figure-live .main-svg").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(AXE.read_text("utf-8"))
    assert page.evaluate(FINDINGS, RULES) == []
    context.close()
