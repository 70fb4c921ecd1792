"""What authors get wrong is refused with what is meant and what is allowed, and shows nothing."""

import inspect
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

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
    variants_agreement,
)

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
    assert bare == ["size_label"]


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
        ({"varied": ["aip"]}, "varied: unknown factor 'aip' (did you mean 'api'?)"),
        ({"column": "log_storage"}, "unexpected keyword argument 'column' (did you mean 'columns"),
        ({"notes": "one"}, "notes cannot be 'one'\n  allowed: Sequence[str]\n  remedy: notes=['on"),
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
        ({"same": ["size"]}, "unknown factor 'size'"),
        ({"same": []}, "several points of 'SSD' are alike in nothing asked for\n  allowed: they "
         "differ in message_bytes 2048"),
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
        ({"workload": "RR-CX"}, "unknown workload 'RR-CX' (did you mean 'RR-CC'?)"),
        ({"message_bytes": 1}, "selects no points of table-08\n  allowed: message_bytes 2048"),
        ({"message_bytes": "2048"}, "message_bytes is a number, not '2048'"),
        ({"message_bytes": [2048]}, "message_bytes takes one value, not [2048]"),
        ({"campaign": "x"}, "tables or a campaign, not both"),
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
        ({"columns": 0}, "columns: cannot be 0"),
        ({"columns": "two"}, "columns cannot be 'two'\n  allowed: int"),
        ({"y_title": ["a", "b"]}, "2 titles for 1 metrics"),
        ({"reference": 5}, "reference cannot be 5\n  allowed: tuple[int | float, str] |"),
        ({"y": "workload"}, "'RR-CC' has no origin"),
        ({"x": "size"}, "unknown column 'size'\n  allowed: point_id"),
    ],
)
def test_charts_refuse(
    chapter: Chapter, points: pd.DataFrame, more: dict[str, Any], said: str
) -> None:
    assert said in refusal(lambda: chart(chapter, points, **{**DRAWN, **more}))


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
        ({"delivery": "persistnt"}, "unknown delivery 'persistnt' (did you mean 'persistent'?)"),
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
    assert "no ratio with 5" in refusal(lambda: RATE.over(5))  # type: ignore[arg-type]
    assert "% and round trips/s have no difference" in refusal(RATE.complement)
    lost = Quantity(5, "%", ("no/such/cell",))
    assert "no observation 'no/such/cell'" in refusal(lambda: chapter.text("{a}", a=lost))
    assert "unknown host set of" in refusal(lambda: cpu_cost(chapter, points, "set9", "ha"))
    assert "2 texts under 1 headers" in refusal(lambda: plain_table("C", ["a"], [["1", "2"]]))
    assert "rows[0][0] cannot be 1" in refusal(lambda: plain_table("C", ["a"], [[1]]))  # type: ignore[list-item]
