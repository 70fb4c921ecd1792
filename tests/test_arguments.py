"""What authors get wrong is refused with what is meant and what is allowed, and shows nothing."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pydantic import TypeAdapter, ValidationError

import roundtrip.present as present
from roundtrip.errors import ChapterError, RoundtripError
from roundtrip.present import (
    Chapter,
    Measured,
    Quantity,
    chart,
    claims_table,
    compare,
    cpu_cost,
    largest,
    means_of,
    plain_table,
    relative,
    results_table,
    smallest,
    style_of,
    variants_agreement,
    variants_table,
    variants_title,
)
from roundtrip.present.arguments import checked

CAPTION = {"caption": "C."}
DRAWN = {**CAPTION, "title": "T", "x": "message_bytes", "y": "cpu", "series": "log_storage"}
TABLE: dict[str, Any] = {**CAPTION, "row": "message_bytes", "columns": "log_storage"}
RATE, CPU = Quantity(5, "round trips/s", ()), Quantity(5, "%", ())


@pytest.fixture(scope="module")
def chapter() -> Chapter:
    return Chapter("ibm-mq-v9.4-linux")


@pytest.fixture(scope="module")
def points(chapter: Chapter) -> pd.DataFrame:
    return chapter.points("table-08")


@pytest.fixture(scope="module")
def here(chapter: Chapter) -> Measured:
    return Measured(chapter, "compression", link_limit_gbps=0.1)


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises(RoundtripError) as problem:
        call()
    assert isinstance(problem.value, ChapterError)
    return str(problem.value)


def test_every_function_of_the_vocabulary_checks_its_arguments() -> None:
    functions = [
        name for name in present.__all__ if inspect.isfunction(getattr(present, name))
    ]  # fmt: skip
    bare = [name for name in functions if not hasattr(getattr(present, name), "__wrapped__")]
    assert sorted(bare) == ["largest", "size_label", "smallest"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"baseline": "SDS"}, "baseline: no point has log_storage='SDS' (did you mean 'SSD'?)\n"
         "  allowed: 'SSD', 'SAN', 'NFS'"),
        ({"columns": None, "baseline": 99999}, "no point has message_bytes=99999\n"
         "  allowed: 2048, 20480"),
        ({"metrics": ["cup"]}, "metric of these points 'cup' (did you mean 'cpu'?)"),
        ({"metrics": ["cpu", "round_trip_time"]}, "unknown metric of these points"),
        ({"row": "message_byte"}, "unknown factor 'message_byte' (did you mean 'message_bytes'?)"),
        ({"columns": "storage"}, "unknown factor 'storage'"),
        ({"group": "storage"}, "unknown factor 'storage'"),
        ({"varied": [3]}, "unknown factor '3'"),
        ({"varied": ["aip"]}, "varied: unknown factor 'aip' (did you mean 'api'?)"),
        ({"column": "log_storage"}, "unknown argument 'column' (did you mean 'columns'?)"),
        ({"names": {"SDS": "disk"}}, "names: no row has 'SDS' (did you mean 'SSD'?)"),
        ({"notes": "one"}, "notes cannot be 'one'\n  allowed: 'str' instances are not allowed"),
    ],
)  # fmt: skip
def test_a_table_of_results_refuses(
    chapter: Chapter, points: pd.DataFrame, more: dict[str, Any], said: str
) -> None:
    assert said in refusal(lambda: results_table(chapter, points, **{**TABLE, **more}))


def test_a_table_of_results_needs_points(chapter: Chapter, points: pd.DataFrame) -> None:
    assert "no points" in refusal(lambda: results_table(chapter, points.iloc[:0], **TABLE))
    twice = pd.concat([points, points.assign(requesters=1)])
    assert "they differ in requesters 1" in refusal(lambda: results_table(chapter, twice, **TABLE))


def test_ratios_are_of_the_first_metric_shown(chapter: Chapter, points: pd.DataFrame) -> None:
    rates = [name for name in points if name.startswith("round_trip_rate")]
    table = results_table(chapter, points.drop(columns=rates), baseline="SSD", **TABLE)
    other = results_table(chapter, points, baseline="SSD", metrics="cpu", **TABLE)
    ratio = chapter.quantity(points, "cpu", log_storage="SAN", message_bytes=2048).over(
        chapter.quantity(points, "cpu", log_storage="SSD", message_bytes=2048)
    )
    assert chapter.write(ratio) in [cell.text for cell in table.rows[0]]
    assert chapter.write(ratio) in [cell.text for cell in other.rows[0]]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"of": "storage"}, "unknown factor 'storage' (did you mean 'log_storage'?)"),
        ({"baseline": "SDS"}, "no point has log_storage='SDS' (did you mean 'SSD'?)"),
    ],
)  # fmt: skip
def test_shares_of_a_baseline_refuse(
    chapter: Chapter, points: pd.DataFrame, more: dict[str, Any], said: str
) -> None:
    asked: dict[str, Any] = {"of": "log_storage", "baseline": "SSD", **more}
    assert said in refusal(lambda: relative(chapter, points, **asked))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"varied": "storage"}, "varied: unknown factor 'storage' (did you mean 'log_storage'?)"),
        ({"varied": "log_storage", "keep": "SDS"}, "keep: no point has log_storage='SDS'"),
        ({"workload": "RR-CX"}, "no point has workload='RR-CX' (did you mean 'RR-CC'?)"),
        ({"message_bytes": 1}, "selects no points of table-08\n  allowed: message_bytes 2048"),
        ({"message_bytes": "2048"}, "no point has message_bytes='2048'\n  allowed: 2048, 20480"),
        ({"message_bytes": [2048]}, "message_bytes takes one value, not [2048]"),
        ({"campaign": "x"}, "tables or a campaign, not both"),
        ({"vary": "log_storage"}, "unknown factor 'vary'"),
    ],
)
def test_points_refuse(chapter: Chapter, asked: dict[str, Any], said: str) -> None:
    assert said in refusal(lambda: chapter.points("table-08", **asked))


def test_points_of_nothing_say_what_there_is(chapter: Chapter, points: pd.DataFrame) -> None:
    assert "names no table and no campaign\n  allowed: sec-" in refusal(chapter.points)
    assert "remedy: name it: Chapter('its-id')" in refusal(lambda: Chapter().points("table-08"))
    gap = points.assign(cpu=float("nan"))
    assert refusal(lambda: chapter.quantities(gap, "cpu")).startswith("no cpu of ")
    assert "did you mean 'messages/s'" in refusal(lambda: Chapter(rate_unit="message/s"))
    assert "unknown format of numbers" in refusal(lambda: Chapter(number_format="1'234.5"))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"varied": {"aip"}}, "varied: unknown factor 'aip' (did you mean 'api'?)"),
        ({"varied": [3]}, "unknown factor '3'"),
        ({"log": {3}}, "unknown axis '3'"),
        ({"columns": 0}, "columns: cannot be 0"),
        ({"columns": "two"}, "columns cannot be 'two'\n  allowed: a valid integer"),
        ({"y_title": ["a", "b"]}, "2 titles for 1 metrics"),
        ({"reference": 5}, "reference cannot be 5\n  allowed: a valid"),
        ({"y": "workload"}, "'RR-CC' has no origin"),
        ({"x": "size"}, "unknown column 'size'\n  allowed: point_id"),
        ({"names": {"SDS": "disk"}}, "names: no row has 'SDS' (did you mean 'SSD'?)"),
        (
            {"styles": {"SDS": style_of("SSD")}},
            "styles: no row has 'SDS' (did you mean 'SSD'?)\n  allowed: 'SSD', 'SAN', 'NFS'",
        ),
        ({"key": {"lines": "published"}}, "unknown mark 'lines' (did you mean 'line'?)"),
    ],
)
def test_charts_refuse(
    chapter: Chapter, points: pd.DataFrame, more: dict[str, Any], said: str
) -> None:
    assert said in refusal(lambda: chart(chapter, points, **{**DRAWN, **more}))


def test_a_name_may_be_of_rows_that_this_edition_leaves_out(
    chapter: Chapter, points: pd.DataFrame
) -> None:
    some = points[points["log_storage"] != "SSD"]
    names = {"SSD": "disk", "SAN": "network", "elsewhere": "gone"}
    drawn = chart(chapter, some, **DRAWN, names=names)
    assert "network" in drawn.alt


def test_charts_refuse_rows_that_have_no_place(chapter: Chapter, points: pd.DataFrame) -> None:
    nowhere = points.assign(message_bytes=float("nan"))
    assert "a row has no message_bytes" in refusal(lambda: chart(chapter, nowhere, **DRAWN))
    idle = points.assign(cpu=0.0)
    said = refusal(lambda: chart(chapter, idle, log="cpu", **DRAWN))
    assert "cpu is 0 in a row" in said
    assert chart(chapter, points, log="cpu", **DRAWN).alt == (
        chart(chapter, points, log={"cpu"}, **DRAWN).alt
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"delivery": "persistnt"},
            "delivery='persistnt' (did you mean 'persistent'?)",
        ),
        ({"delivery": {"base-quik": "persistent"}}, "source of a factor 'base-quik' (did you mean"),
        (
            {"message_bytes": 3},
            "point with message_bytes=3\n  allowed: message_bytes 256, 2048",
        ),
        ({"varied": "prodct"}, "unknown factor 'prodct' (did you mean 'product'?)"),
        ({"metric": "cpu"}, "has no cpu"),
    ],
)
def test_sources_side_by_side_refuse(chapter: Chapter, more: dict[str, Any], said: str) -> None:
    asked = {"title": "T", **CAPTION, **more}
    assert said in refusal(lambda: compare(chapter, "base-quick", "base-apart-quick", **asked))


def test_campaigns_refuse(chapter: Chapter, here: Measured) -> None:
    said = refusal(lambda: Measured(chapter, "compresion"))
    assert "unknown plan 'compresion' (did you mean 'compression'?)" in said
    assert "did you mean 'compression'" in refusal(lambda: here.levels("compresion"))
    assert "unknown factor 'value'" in refusal(lambda: here.levels("value"))
    assert "is there twice" in refusal(lambda: means_of(here, "compression", "compression"))
    published = {"LZ4FAST": RATE}
    said = refusal(
        lambda: variants_agreement(
            here, "compression", head="H", baseline="none", published=published
        )
    )
    assert "'LZ4FAST' is published in round trips/s, not in %" in said
    said = refusal(lambda: claims_table(chapter, "50-tsl"))
    assert "unknown chapter '50-tsl' (did you mean '50-tls'?)" in said


def test_quantities_and_texts_refuse(chapter: Chapter, points: pd.DataFrame) -> None:
    assert "no order of no quantities" in refusal(lambda: smallest([]))
    assert "no order of round trips/s and %" in refusal(lambda: largest([RATE, CPU]))
    here = replace(RATE, kind="measured")
    assert "published and measured values have no" in refusal(lambda: smallest([RATE, here]))
    said = refusal(lambda: smallest(one for one in (RATE, 3)))  # type: ignore[misc]
    assert "3 is not a quantity" in said
    assert largest(one for one in [RATE]) is largest({1: RATE}.values()) is RATE
    assert "5 is not a quantity, so there is no ratio" in refusal(lambda: RATE.over(5))  # type: ignore[arg-type]
    assert "no difference of % and round trips/s" in refusal(RATE.complement)
    lost = Quantity(5, "%", ("no/such/cell",))
    assert "no observation 'no/such/cell'" in refusal(lambda: chapter.text("{a}", a=lost))
    assert "unknown host set of" in refusal(lambda: cpu_cost(chapter, points, "set9", "ha"))
    assert "2 texts under 1 headers" in refusal(lambda: plain_table("C", ["a"], [["1", "2"]]))
    said = refusal(lambda: plain_table("C", ["a"], [[1]]))  # type: ignore[list-item]
    assert "rows[0][0] cannot be 1\n  allowed: a valid string" in said


@pytest.mark.parametrize("value", [True, np.True_, 3.0, np.float64(64), b"x", None, [3]])
def test_a_text_takes_no_number_without_origin(chapter: Chapter, value: Any) -> None:
    assert "neither a quantity nor text" in refusal(lambda: chapter.text("{a}", a=value))
    assert chapter.text("{a} {b} {c}", a=np.int64(64), b=3, c="x").markdown == "64 3 x"


def test_lists_of_any_kind_stand_for_sequences(chapter: Chapter, points: pd.DataFrame) -> None:
    for sizes in (points["message_bytes"].unique(), {2048, 20480}, [np.int64(2048)], (2048,)):
        shown = Chapter("ibm-mq-v9.4-linux", message_bytes=sizes).points("table-08")
        assert set(shown["message_bytes"]) == set(sizes)
    table = plain_table("C", ("a", "b"), (["1", "2"],), shares=[50, 50])  # type: ignore[arg-type]
    assert table.shares == (50, 50)
    line = chart(chapter, points, reference=[np.int64(50), "L"], **DRAWN)  # type: ignore[arg-type]
    assert "a line at 50 (L)" in line.alt


def test_what_a_function_finds_wrong_itself_is_not_told_of_its_arguments() -> None:
    @checked
    def read(text: str) -> int:
        return TypeAdapter(int).validate_python(text)

    with pytest.raises(ValidationError):
        read("x")


def test_a_column_of_texts_may_lack_one(chapter: Chapter, points: pd.DataFrame) -> None:
    told = points.assign(message_bytes=[f"{size:g} B" for size in points["message_bytes"]])
    assert chapter.select(told, message_bytes="4 KB").empty
    assert "message_bytes='4 KB'" in refusal(lambda: chapter.select(points, message_bytes="4 KB"))


def test_an_edition_may_leave_a_baseline_out() -> None:
    chapter = Chapter("ibm-mq-v9.4-linux", message_bytes=[20480])
    points = chapter.points("table-08")
    asked: dict[str, Any] = {**CAPTION, "row": "log_storage", "columns": "message_bytes"}
    table = results_table(chapter, points, baseline=2048, **asked)
    assert {row[-1].text for row in table.rows} == {"–"}
    said = refusal(lambda: results_table(chapter, points, baseline=2049, **asked))
    assert "baseline: no point has message_bytes=2049" in said
    made = points.assign(family="B")
    assert relative(chapter, made, of="family", baseline="A").empty
    some = Chapter("ibm-mq-v9.4-linux", variants=["SAN", "NFS"])
    points = some.points("table-08", varied="log_storage")
    assert relative(some, points, of="log_storage", baseline="SSD").empty


def test_shares_need_not_state_all_that_is_the_same(chapter: Chapter, points: pd.DataFrame) -> None:
    asked: dict[str, Any] = {"of": "log_storage", "baseline": "SSD"}
    of_one_size = points[points["message_bytes"] == 2048].assign(message_bytes=float("nan"))
    assert len(relative(chapter, of_one_size, **asked)) == len(of_one_size) - 1 > 0


def test_a_baseline_may_be_there_twice_where_nothing_needs_it(
    chapter: Chapter, points: pd.DataFrame
) -> None:
    base = points[points["log_storage"] == "SSD"][:1]
    apart = base.assign(message_bytes=1)
    asked: dict[str, Any] = {"of": "log_storage", "baseline": "SSD"}
    shares = relative(chapter, pd.concat([points, apart, apart]), **asked)["share"]
    assert list(shares) == list(relative(chapter, points, **asked)["share"])
    assert "have one message size" in refusal(
        lambda: relative(chapter, pd.concat([points, base]), **asked)
    )


def test_levels_that_were_never_measured_are_refused(chapter: Chapter, here: Measured) -> None:
    asked: dict[str, Any] = {"head": "H", "baseline": "none"}
    share = Quantity(50, "%", ())
    said = refusal(
        lambda: variants_agreement(here, "compression", published={"LZ5FAST": share}, **asked)
    )
    assert "no point has compression='LZ5FAST' (did you mean 'LZ4FAST'?)" in said
    base = Measured(chapter, "base", message_bytes=2048, delivery="nonpersistent")
    told: dict[str, Any] = {"what": "W", "otherwise": "O"}
    for call in (
        lambda: variants_table(base, "requesters", baseline=99, **CAPTION),
        lambda: variants_table(base, "requesters", baseline=1, levels=[99], **CAPTION),
        lambda: variants_title(base, "requesters", baseline=99, **told),
        lambda: means_of(base, "requesters", levels=[99]),
    ):
        assert "no point has requesters=99\n  allowed: 1, 4, 16" in refusal(call)
    one = variants_table(here, "compression", baseline="none", levels="none", **CAPTION)
    assert one == variants_table(here, "compression", baseline="none", levels=["none"], **CAPTION)
    narrow = Measured(Chapter(message_bytes=[20480]), "base", delivery="nonpersistent")
    table = variants_table(narrow, "message_bytes", baseline=2048, requesters=1, **CAPTION)
    assert table is not None
    assert "No ratio where 2\u00a0KB was not measured." in table.notes
