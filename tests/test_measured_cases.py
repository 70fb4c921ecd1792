"""Measured cases beside published ones, settings in effect, attempts that broke off, loads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roundtrip.campaign.manifest import FailedEntry
from roundtrip.comparison_marks import NO_VERDICT, VERDICT
from roundtrip.present import Chapter, Measured, Quantity, disclosure
from support.aix_v7.measured import large_table
from support.aix_v7.rated_measured import Limit, limit_of, limit_title, rated_limits, rising_loads
from support.legacy.notes import broken_off, settings_in_effect
from support.shared.cases import Case, Cases, known_words
from support.shared.flows import is_limited_by_link
from support.shared.points import common_requesters
from workshop import ROOT

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parent / "data" / "campaigns" / "base-quick"
LOGGED = {"delivery": "persistent", "message_bytes": 2048, "requesters": 4}
NOT_LOGGED = {**LOGGED, "delivery": "nonpersistent"}


@pytest.fixture(scope="module")
def here(base_chapter: Chapter) -> Measured:
    return Measured(base_chapter, "base", scheduling_class="normal")


@pytest.fixture(scope="module")
def nothing(base_chapter: Chapter) -> Measured:
    return Measured(base_chapter, "two-products")


def cases() -> list[Case]:
    printed = {"Elsewhere": Quantity(50, "%", ())}
    return [
        Case("not logged", NOT_LOGGED, group="2 KB"),
        Case("logged", LOGGED, NOT_LOGGED, printed, "2 KB"),
        Case("never run", {**LOGGED, "requesters": 999}, NOT_LOGGED, printed, "2 KB"),
    ]


def test_cases_stand_beside_their_base_and_what_was_published(here: Measured) -> None:
    table = Cases(here, cases()).table(head="Case", share="Relative to its base (%)", caption="c")
    assert table is not None
    text = repr(table.rows)
    assert "not logged" in text
    assert "never run" not in text
    said = Cases(here, cases()).agreement(head="Shares")
    assert said is not None
    markdown = said._repr_markdown_()
    assert markdown.count("\n- ") == 1
    assert "Elsewhere: 50" in markdown
    assert any(word in markdown for word in ("agree", "Agree", "differs", "nconclusive"))
    title = Cases(here, cases()).title(what="logs", of="the rate without a log", otherwise="o")
    assert title == "No case differs significantly from the rate without a log"


@pytest.mark.parametrize(
    ("low", "high", "known"), [(0.6, 1.8, True), (0.2, 1.8, False), (0.6, 2.4, False)]
)
def test_a_share_with_a_wide_interval_is_said_not_to_be_known(
    here: Measured, low: float, high: float, known: bool
) -> None:
    _, share = Cases(here, cases()).shares()[0]
    changed = replace(share.interval, estimate=1.0, low=low, high=high)
    words = known_words(replace(share, interval=changed), here.chapter)
    assert (words == "not known to within a factor of two") == (not known)


def test_published_shares_that_exclude_each_other_get_no_verdict(here: Measured) -> None:
    # Whatever was measured, one of them would have to disagree.
    for printed, verdicts in (((23, 94), 0), ((85, 90), 2)):
        published = {f"P{value}": Quantity(value, "%", ()) for value in printed}
        said = Cases(here, [Case("logged", LOGGED, NOT_LOGGED, published)]).agreement(head="H")
        assert said is not None
        assert len(VERDICT.findall(said.markdown)) == verdicts
        assert ("no verdict is given" in said.markdown) == (not verdicts)
        assert all(f"P{value}: {value}" in said.markdown for value in printed)


def test_a_case_with_a_reason_gets_no_verdict(here: Measured) -> None:
    *_, logged, _ = cases()
    said = Cases(here, [replace(logged, no_verdict="Because.")]).agreement(head="H")
    assert said is not None
    assert not VERDICT.findall(said.markdown)
    assert f"Because.{NO_VERDICT}" in said.markdown


def test_a_rate_that_fills_its_link_is_limited_by_it_unless_processors_are_busy(
    here: Measured,
) -> None:
    peaks = here.chapter.points("table-03", "table-07")
    plain = peaks["delivery"] == "nonpersistent"
    limited = {
        size: is_limited_by_link(
            here.chapter, peaks[plain & (peaks["message_bytes"] == size)], peaks
        )
        for size in (2048, 20480, 204800)
    }
    assert limited == {2048: False, 20480: False, 204800: True}
    assert not is_limited_by_link(here.chapter, peaks[~plain], peaks)  # its log limits it


def test_without_a_campaign_nothing_is_shown(here: Measured, nothing: Measured) -> None:
    unmeasured = Cases(nothing, cases())
    assert unmeasured.table(head="h", share="s", caption="c") is None
    assert unmeasured.agreement(head="h") is None
    assert unmeasured.forest(what="w", of="o", caption="c") is None
    assert unmeasured.title(what="y", of="x", otherwise="o") == "o"
    assert broken_off(unmeasured) is None
    assert settings_in_effect(nothing, {"Log": "journal.type"}, caption="c") is None
    assert rated_limits(nothing, {"All": {}}) is None
    assert limit_title(nothing, {"All": {}}, otherwise="o") == "o"
    assert large_table(nothing, caption="c") is None
    assert "roundtrip run two-products" in disclosure(nothing)._repr_markdown_()


def test_payload_is_rate_times_size(here: Measured) -> None:
    table = large_table(here, caption="c")
    assert table is not None
    mean = here.mean(**{**LOGGED, "requesters": common_requesters(here)})
    assert mean is not None
    shown = here.chapter.numbers.write(mean.quantity.value * 2048 / 1e6, 1)
    assert any(shown in str(row) for row in table.rows)


def test_settings_are_those_that_the_brokers_stated(here: Measured) -> None:
    table = settings_in_effect(
        here, {"Log": "journal.type", "Missing": "journal.nowhere"}, caption="c"
    )
    assert table is not None
    assert "NIO" in repr(table.rows)
    assert "Missing" not in repr(table.rows)


def test_what_no_other_chapter_tells_stands_with_the_campaign(here: Measured) -> None:
    alone = disclosure(here).markdown
    assert (
        "Broker and drivers were restarted for each run. Each repetition ran the points in "
        "random order. Each run was measured for"
    ) in alone
    assert "GB of memory" in alone
    beside = disclosure(Measured(Chapter(folder=ROOT), "base")).markdown
    assert "(@sec-configurations)" in beside
    assert "GB of memory" not in beside


def test_broken_attempts_are_counted_with_their_reasons(here: Measured) -> None:
    assert here.manifest is not None
    entries = tuple(
        FailedEntry(
            run=f"a-200page-c5-r{n}", raw=f"a-200page-c5-r{n}.{how}-1.ndjson.zst",
            reason="nothing was *found*\nmore",
        )
        for n, how in ((1, "failed"), (2, "failed"), (3, "interrupted"))
    )  # fmt: skip
    other = _with(here, here.manifest.model_copy(update={"failed": entries}))
    text = broken_off(Cases(other, cases()))
    assert text is not None
    assert "2 attempts failed (nothing was" in text._repr_markdown_()
    assert "never run" in text._repr_markdown_()
    assert "200page" not in text._repr_markdown_()
    assert "more" not in text._repr_markdown_()


def test_the_last_load_is_the_one_before_the_first_slow_one(here: Measured) -> None:
    at: dict[str, Any] = {"delivery": "persistent", "message_bytes": 2048}
    levels = here.levels("requesters", **at)
    times = [here.mean("round_trip_time", "mean", requesters=n, **at) for n in levels]
    values = [time.quantity.value for time in times if time is not None]
    assert values == sorted(values)
    between = (values[0] + values[1]) / 2
    slow = Limit(levels[0], beyond=levels[1], over=levels[1], falls_short=False)
    assert limit_of(here, between, **at) == slow
    assert limit_of(here, 1e9, **at) == Limit(levels[-1], None, None, falls_short=False)
    assert limit_of(here, 1e-9, **at) is None
    said = rated_limits(here, {"Logged": at}, limit_ms=between)
    assert said is not None
    assert f"{levels[0]} requesters" in said._repr_markdown_()
    assert rising_loads(here, {"Logged": at, "None": {"delivery": "express"}}) == (1, 1)
    assert "logged" in limit_title(here, {"Logged": at}, otherwise="o")


def _with(here: Measured, manifest: Any) -> Measured:
    other = Measured(here.chapter, here.plan, **here.factors)
    other.manifest = manifest
    return other
