"""What chapters show: points, quantities, tables and charts with the digits of the source."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from roundtrip.errors import ChapterError
from roundtrip.outputs import FIGURE, TABLE, BodyCell, HeaderCell
from roundtrip.present import (
    Chapter,
    Figure,
    Quantity,
    Table,
    appendices,
    chart,
    cpu_cost,
    plain_table,
    relative,
    results_table,
)
from roundtrip.present.chapter import RATE, with_unit
from roundtrip.present.configuration import models_table, tuning_table
from roundtrip.present.derived import cores_of
from roundtrip.present.errata import repetitions_text
from roundtrip.present.numbers import NumberFormat
from roundtrip.present.plot.canvas import Canvas
from roundtrip.present.plot.rows import marks_of
from roundtrip.present.printed import printed_table
from roundtrip.present.repeats import margins_of_ratios, repeat_margin
from roundtrip.present.suspect_cells import doubt_of
from support.compression.published import ceilings_table, link_ceilings
from support.high_availability.arrangements import (
    arrangements,
    kept_table,
    near_figure,
    near_table,
)
from support.persistent.stores import peaks_table, same_payload
from support.shared.by_size import BySize
from support.shared.flows import payload_per_host
from support.shared.sweep_end import end_notes
from support.tls.published import cipher_family, peaks_by_cipher, same_cipher_words, shares_of
from workshop import ROOT, V94, copy_project, read_yaml, write_yaml

NBSP = "\u00a0"


def open_chapter(**settings: Any) -> Chapter:
    return Chapter(V94, folder=ROOT, **settings)


def texts(table: Table) -> list[list[str]]:
    return [[cell.text.replace(NBSP, " ") for cell in row] for row in table.rows]


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


# --- points and quantities -----------------------------------------------------------------


def test_points_put_together_what_was_seen_together(chapter: Chapter) -> None:
    points = chapter.points("table-03")
    assert points["message_bytes"].tolist() == [2048, 20480, 204800, 2097152]
    first = points.iloc[0]
    assert (first["round_trip_rate"], first["cpu"], first["clients"]) == (370602, 97.69, 270)
    assert first["round_trip_rate_cell"] == f"{V94}/table-03/r1c1"
    assert (first["cpu_decimals"], first["round_trip_rate_decimals"]) == (2, 0)


def test_tables_keep_the_order_asked_for(chapter: Chapter) -> None:
    points = chapter.points("table-07", "table-03")
    assert list(dict.fromkeys(points["table_id"])) == ["table-07", "table-03"]
    assert len(chapter.points("table-07", "table-03", message_bytes=2048)) == 2


def test_side_by_side_columns_are_points_of_their_own(chapter: Chapter) -> None:
    points = chapter.points("table-13")
    assert len(points) == 9
    peak = chapter.quantity(points, ha="RDQM", message_bytes=2048)
    assert (peak.value, peak.cells) == (95403, (f"{V94}/table-13/r1c4",))


def test_quantities_have_the_digits_that_were_printed(chapter: Chapter) -> None:
    points = chapter.points("table-08", message_bytes=20480)
    shown = [chapter.write(quantity) for quantity in chapter.quantities(points, "cpu")]
    assert shown == [f"82.81{NBSP}%", f"22.31{NBSP}%", f"24.9{NBSP}%"]


def test_what_is_not_one_point_or_no_table_is_refused(chapter: Chapter) -> None:
    points = chapter.points("table-03")
    with pytest.raises(ChapterError, match="selects 4 points, not one") as several:
        chapter.quantity(points)
    assert "they differ in message_bytes 2048, 20480" in str(several.value)
    with pytest.raises(ChapterError, match="selects 0 points") as none:
        chapter.quantity(points, message_bytes=1)
    assert "there are message_bytes 2048, 20480" in str(none.value)
    with pytest.raises(ChapterError, match=r"unknown table of .*did you mean 'table-03'"):
        chapter.points("table-033")
    with pytest.raises(ChapterError, match="did you mean 'message_bytes'"):
        chapter.points("table-03", message_byte=2048)
    with pytest.raises(ChapterError, match="keep='SAN' has no effect without varied"):
        chapter.points("table-08", keep="SAN")
    narrow = points[["message_bytes", "round_trip_rate"]]
    with pytest.raises(ChapterError, match="selects 4 points, not one"):
        chapter.quantity(narrow)


def test_the_edition_selects_sizes_and_variants() -> None:
    chapter = open_chapter(message_bytes=[2048], variants=["NFS"])
    points = chapter.points("table-08", varied="log_storage", keep="SSD")
    assert points["log_storage"].tolist() == ["SSD", "NFS"]
    assert set(points["message_bytes"]) == {2048}
    # Variants of another kind leave a chapter as it is.
    assert len(chapter.points("table-13", varied="ha", keep="none")) == 3
    with pytest.raises(ChapterError, match="nothing left to show of table-03"):
        open_chapter(message_bytes=[1]).points("table-03")


def test_messages_are_two_for_each_round_trip() -> None:
    chapter = open_chapter(rate_unit="messages/s")
    points = chapter.points("table-03")
    rate = chapter.quantity(points, message_bytes=2048)
    assert (rate.value, rate.unit) == (741204, "messages/s")
    assert chapter.label("round_trip_rate") == "Messages/s"
    cpu = chapter.quantity(points, "cpu", message_bytes=2048)
    assert (cpu.value, cpu.unit) == (97.69, "%")


def test_none_selects_the_points_where_a_factor_is_not_set(chapter: Chapter) -> None:
    points = pd.DataFrame({"requesters": [1.0, None, 16.0], "delivery": ["persistent"] * 3})
    found = [list(chapter.select(points, requesters=value).index) for value in (None, 16, 2)]
    assert found == [[1], [2], []]
    assert list(chapter.select(points, requesters=None, delivery="persistent").index) == [1]


def test_names_are_those_of_a_reader(chapter: Chapter) -> None:
    named = [
        chapter.level("message_bytes", 2048), chapter.level("tls_cipher", "none"),
        chapter.level("delivery", "nonpersistent"), chapter.level("ha_link_rtt_ms", 1.0),
        chapter.level("family", "TLS 1.3"), chapter.level("log_storage", "SSD"),
        chapter.level("target_rate", 1500000.0), chapter.level("preloaded_messages", 2e6),
        chapter.level("target_rate", np.int64(1500)),  # as in a column of whole numbers
        chapter.level("link_encrypted", np.False_), chapter.level("link_limit_gbps", np.float64(0)),
    ]  # fmt: skip
    shown = [name.replace(NBSP, " ") for name in named]
    assert shown == ["2 KB", "no TLS", "non-persistent", "1 ms", "TLS 1.3", "SSD",
                     "1,500,000 round trips/s", "2,000,000", "1,500 round trips/s",
                     "not encrypted", "unlimited"]  # fmt: skip


@pytest.mark.parametrize(
    ("factor", "value", "named"),
    [
        ("requesters", 1, "1 requester"), ("requesters", 16, "16 requesters"),
        ("threads_per_client", 1, "1 thread per client"), ("queue_managers", 2, "2 queue managers"),
        ("message_bytes", 2048, "2 KB"), ("tls_cipher", "none", "no TLS"),
        ("log_sync", False, "log writes: not waited for"),
        ("product_version", "3.1", "version 3.1"),
        ("family", "TLS 1.3", "TLS 1.3"),
        ("requesters", None, "requesters: not stated"),
        ("log_sync", None, "log writes: not stated"),
    ],
)  # fmt: skip
def test_a_bare_number_is_named_with_its_factor_in_text_and_charts(
    chapter: Chapter, factor: str, value: object, named: str
) -> None:
    assert chapter.level_named(factor, value).replace(NBSP, " ") == named
    if isinstance(value, int) and not isinstance(value, bool):
        rows = pd.DataFrame({factor: [value], "y": [Quantity(1.0, "%", (), 0)]})
        _, (title,) = marks_of(
            chapter, rows, x=factor, y=["y"], mark="dot", series=None, panels=factor, columns=1,
            labels=None, ends=None, names={},
        )  # fmt: skip
        assert title.replace(NBSP, " ") == named


def test_what_is_not_stated_is_a_level_of_its_own_in_tables_and_charts(chapter: Chapter) -> None:
    points = chapter.points("table-03").head(3)
    none = float("nan")
    for factor, values, kept, named in (
        ("log_sync", [True, None, False], "True,,False", "waited for,not stated,not waited for"),
        ("ha_link_rtt_ms", [1.0, none, 2.5], "1,,2.5", "1 ms,not stated,2.5 ms"),
        ("log_storage", ["SAN", none, "NFS"], "SAN,,NFS", "SAN,not stated,NFS"),
    ):
        rows = points.assign(**{factor: pd.Series(values, points.index)})
        for place in ("row", "columns", "group"):
            at = {"row": "message_bytes", place: factor}
            table = results_table(chapter, rows, caption="C", metrics="cpu", **at)
            assert ",".join(row[factor] for row in rows_of(table.csv)) == kept
        table = results_table(chapter, rows, caption="C", metrics="cpu", row=factor)
        assert ",".join(row[0] for row in texts(table)) == named
        figure = chart(
            chapter, rows, x="message_bytes", y="cpu", series=factor, panels=factor, title="T",
            caption="C", varied=None,
        )  # fmt: skip
        drawing: Any = figure.chart
        assert ",".join(trace.name for trace in drawing.data).replace(NBSP, " ") == named


# --- text ----------------------------------------------------------------------------------


def test_numbers_in_text_link_to_their_cell_and_name_all(chapter: Chapter) -> None:
    points = chapter.points("table-03")
    small, large = (chapter.quantity(points, message_bytes=size) for size in (2048, 2097152))
    text = chapter.text("{a} is {b:n} of {c}.", a=small, b=large.percent_of(small), c=large)
    assert text.markdown.count(f"](#cell-{V94}-table-03-r1c1 ") == 1
    assert f"[370,602{NBSP}round trips/s](#" in text.markdown
    percent = re.search(r'\[1\]\(#cell-\S+-r4c1 "([^"]*)"\)', text.markdown)
    assert percent is not None
    assert "MQ V9\\.4, Table 3, RR\\-CC \\(2MB Non\\-persistent\\)" in percent[1]
    assert "RR\\-CC \\(2K Non\\-persistent\\)" in percent[1]


def test_text_takes_no_markup_and_no_other_values(chapter: Chapter) -> None:
    text = chapter.text("{who} has {n}.", who="<b>*x*</b> [y](z)", n=5).markdown
    assert text == r"\<b\>\*x\*\</b\> \[y\]\(z\) has 5."
    with pytest.raises(ChapterError, match="neither a quantity nor text"):
        chapter.text("{n}", n=1.5)
    with pytest.raises(ChapterError, match="a brace that is no gap"):
        chapter.text("{a.__class__}", a="x")
    with pytest.raises(ChapterError, match=r"'{n:\.2f}' has a brace that is no gap"):
        chapter.text("{n:.2f}", n=Quantity(1, "%", ()))
    with pytest.raises(ChapterError, match=r"'{n!r}' has a brace that is no gap"):
        chapter.text("{n!r}", n=Quantity(1, "%", ()))
    with pytest.raises(ChapterError, match=r"unknown value 'lst' \(did you mean 'last'\?\)"):
        chapter.text("{lst}", last=1)
    with pytest.raises(ChapterError, match="a brace that is no gap"):
        chapter.text("{last", last=1)


@pytest.mark.parametrize(
    ("pattern", "shown"),
    [("1,234.5", "370,602"), ("1.234,5", r"370\.602"), ("1 234,5", "370\u202f602")],
)
def test_the_number_format_holds_in_text(pattern: str, shown: str) -> None:
    chapter = open_chapter(number_format=pattern)
    rate = chapter.quantity(chapter.points("table-03"), message_bytes=2048)
    assert f"[{shown}{NBSP}round trips/s]" in chapter.text("{rate}", rate=rate).markdown
    cpu = chapter.quantity(chapter.points("table-03"), "cpu", message_bytes=2048)
    comma = "," if pattern.endswith(",5") else r"\."
    assert f"[97{comma}69]" in chapter.text("{cpu:n}", cpu=cpu).markdown


def test_computed_text_without_cells_has_no_link(chapter: Chapter) -> None:
    assert chapter.text("{x}", x=Quantity(10, "Gb/s", ())).markdown == f"10{NBSP}Gb/s"


def test_a_difference_is_of_one_unit_and_keeps_its_cells() -> None:
    rest = Quantity(40, "%", ("a",)).complement()
    assert (rest.value, rest.cells) == (60, ("a",))
    with pytest.raises(ChapterError, match="no difference of % and a ratio"):
        Quantity(1, "%", ()).minus(Quantity(1, "", ()))


def test_published_and_measured_values_have_no_difference() -> None:
    measured = Quantity(40, "%", ("a",), kind="measured")
    assert measured.complement().kind == "measured"
    with pytest.raises(ChapterError, match="published and measured values have no difference"):
        measured.minus(Quantity(1, "%", ()))


# --- tables --------------------------------------------------------------------------------


def test_the_highest_rate_of_each_group_is_emphasised(chapter: Chapter) -> None:
    table = results_table(
        chapter, chapter.points("table-08"), caption="Storage", row="log_storage",
        group="message_bytes", baseline="SSD",
    )  # fmt: skip
    assert [cell.text for cell in table.header[-1]] == [
        chapter.factor_label("log_storage"), "Round trips/s", "CPU (%)", "Requesters",
        "Ratio to SSD",
    ]  # fmt: skip
    assert texts(table)[:3] == [
        ["Message size: 2 KB"], ["SSD", "119,846", "88.2", "210", "1.00"],
        ["SAN", "59,124", "48.17", "300", "0.49"],
    ]  # fmt: skip
    assert table.rows[0][0].kind == "group"
    assert len(table.cells) == 36
    assert table.rows[1][1].link == f"cell-{V94}-table-08-r1c1"


def test_columns_stand_side_by_side_with_ratios(chapter: Chapter) -> None:
    table = results_table(
        chapter, chapter.points("table-13"), caption="HA", row="message_bytes", columns="ha",
        baseline="none", names={"none": "SAN"},
    )  # fmt: skip
    top, bottom = table.header
    assert [(cell.text, cell.span) for cell in top] == [
        ("", 1),
        ("MIQM", 4),
        ("RDQM", 4),
        ("SAN", 3),  # its own ratio would be 1
    ]
    assert len(bottom) == 12
    assert {sum(cell.span for cell in row) for row in table.header} == {12}
    first = [cell.text for cell in table.rows[0]]
    assert first[5:9] == ["95,403", "81.47", "540", "1.48"]


def test_ratios_state_how_far_their_source_repeats_itself() -> None:
    chapter = Chapter(V94)
    points = chapter.points("table-03")
    table = results_table(
        chapter, points, caption="C", row="workload", columns=None, group="message_bytes",
        baseline="RR-CC",
    )  # fmt: skip
    margin = (
        "Rates of MQ V9.4 printed twice on the same hosts differ by up to 2.4\u00a0% (3 pairs)."
    )
    assert table.margins == (margin,)
    plain = results_table(chapter, points, caption="C", row="workload", group="message_bytes")
    assert not plain.margins
    other = Chapter("mq-appliance-m2003")
    cells = other.points("table-01")["round_trip_rate_cell"]
    assert repeat_margin(other, cells).startswith(
        "No repeated measurement of MQ Appliance M2003 is printed"
    )
    assert repeat_margin(other, ["base-quick/runs/x.round_trip_rate-mean"]) == ""


def test_ratios_of_rates_are_given_with_their_margin_and_nothing_else_is() -> None:
    chapter = Chapter(V94)
    points = chapter.points("table-10")
    rates, cpu = chapter.quantities(points), chapter.quantities(points, "cpu")
    margins = margins_of_ratios(chapter, [rates[1].percent_of(rates[0])])
    assert "printed twice on the same hosts differ by up to 2.4\u00a0% (" in "".join(margins)
    assert margins_of_ratios(chapter, [rates[1].over(rates[0]), None]) == margins
    for other in ([*rates, *cpu], [cpu[1].percent_of(cpu[0])], []):
        assert margins_of_ratios(chapter, other) == ()
    drawn = [("a", "b", rates[1].percent_of(rates[0])), ("a", "c", rates[2].percent_of(rates[0]))]
    figure = chart(chapter, drawn, title="T", caption="C.", varied={"tls_cipher"})
    assert figure.margins == margins


def test_a_number_in_a_head_says_what_it_is(chapter: Chapter) -> None:
    points = chapter.points("table-03").head(2).assign(queue_pairs=[1, 10])
    table = results_table(
        chapter, points, caption="C", row="workload", columns="queue_pairs", baseline=1,
        metrics="cpu",
    )  # fmt: skip
    top, bottom = ([cell.text for cell in row] for row in table.header)
    assert top == ["", "1 queue pair", "10 queue pairs"]
    assert bottom[-1] == "Ratio to 1 queue pair"


def test_missing_points_are_dashes_and_double_ones_refused(chapter: Chapter) -> None:
    points = chapter.points("table-13")
    points = points[~((points["ha"] == "none") & (points["message_bytes"] == 2048))]
    table = results_table(
        chapter, points, caption="HA", row="message_bytes", columns="ha", baseline="none"
    )
    assert [cell.text for cell in table.rows[0]][-3:] == ["\u2013"] * 3
    assert [cell.text for cell in table.rows[0]][4] == "\u2013"  # no ratio without a baseline
    with pytest.raises(ChapterError, match="2 points for one place"):
        results_table(chapter, chapter.points("table-03", "table-07"), caption="x",
                      row="message_bytes")  # fmt: skip


def test_a_table_needs_no_rates_and_gaps_have_no_ratio(chapter: Chapter) -> None:
    points = chapter.points("table-03").drop(columns=["round_trip_rate", "round_trip_rate_cell"])
    table = results_table(
        chapter, points.assign(clients=1234567.25), caption="Clients", row="message_bytes",
        columns="workload", metrics=("cpu", "clients"),
    )  # fmt: skip
    assert rows_of(table.csv)[1]["value"] == "1234567.25"
    points = chapter.points("table-13")
    gap = (points["ha"] == "none") & (points["message_bytes"] == 2048)
    points.loc[gap, "round_trip_rate"] = float("nan")
    table = results_table(
        chapter, points, caption="HA", row="message_bytes", columns="ha", baseline="none"
    )
    assert texts(table)[0][4] == texts(table)[0][8] == texts(table)[0][9] == "\u2013"


def test_the_download_of_a_table_has_values_units_and_cells() -> None:
    chapter = open_chapter(rate_unit="messages/s", number_format="1.234,5")
    table = results_table(chapter, chapter.points("table-03"), caption="Peaks", row="message_bytes")
    assert texts(table)[0] == ["2 KB", "741.204", "97,69", "270"]
    assert table.header[0][1].text == "Messages/s"
    rows = rows_of(table.csv)
    assert len(rows) == 12
    assert rows[0] == {
        "message_bytes": "2048", "metric": "round_trip_rate", "value": "741204",
        "unit": "messages/s", "cells": f"{V94}/table-03/r1c1",
    }  # fmt: skip


def test_tables_of_words_keep_groups_code_and_alignment() -> None:
    table = plain_table(
        "Words", ["Group", "Name", "n"], [["a", "x", "1"], ["a", "", "2"], ["b", "z", "3"]],
        group_by_first=True, code_columns=(1,), right_columns=(2,),
    )  # fmt: skip
    assert [[cell.kind for cell in row] for row in table.rows] == [
        ["group"], ["code", "value"], ["label", "value"], ["group"], ["code", "value"],
    ]  # fmt: skip
    assert [cell.align for cell in table.header[0]] == ["left", "right"]
    assert rows_of(table.csv)[2] == {"Group": "b", "Name": "z", "n": "3"}
    assert plain_table("Words", ["Name", "n"], []).notes == ("There are no rows.",)


def test_a_table_is_escaped_html_with_scopes() -> None:
    table = Table(
        "<i>caption</i>",
        ((HeaderCell("", align="left"), HeaderCell("a & b", 2, "center")),),
        (
            (BodyCell("<script>", "left", kind="group"),),
            (BodyCell('"x"', "left", kind="label"), BodyCell("1", strong=True, anchor="cell-<"),
             BodyCell("c<d", kind="code")),
        ),
    )  # fmt: skip
    bundle = table._repr_mimebundle_()
    text = bundle["text/html"]
    assert '<th scope="colgroup" class="spanner" colspan="2"><span>a &amp; b</span></th>' in text
    assert '<th scope="rowgroup" colspan="3"><span>&lt;script&gt;</span></th>' in text
    assert '<td id="cell-&lt;"><strong>1</strong></td>' in text
    assert "<code>c&lt;d</code>" in text
    assert "<caption>&lt;i&gt;caption&lt;/i&gt;</caption>" in text
    assert bundle[TABLE]["caption"] == "<i>caption</i>"


def test_printed_tables_are_as_printed(chapter: Chapter) -> None:
    shown = 0
    for printed in chapter.about.tables:
        table = printed_table(chapter, printed)
        anchors = [cell.anchor for row in table.rows for cell in row if cell.anchor]
        assert len(anchors) == len(set(anchors)) == printed.cells
        assert {sum(cell.span for cell in row) for row in table.header} == {
            len(printed.columns) + 1
        }
        assert all(len(row) == len(printed.columns) + 1 for row in table.rows)
        assert len(rows_of(table.csv)) == printed.cells
        assert table.caption.startswith(f"MQ V9.4, {printed.number}: ")
        shown += len(anchors)
    assert shown == 250


def test_suspect_cells_are_marked_and_explained(tmp_path: Path) -> None:
    copy_project(tmp_path, ("_quarto.yml", "data/dictionary.yml", f"data/published/{V94}"))
    path = tmp_path / "data" / "published" / V94 / "report.yml"
    content = read_yaml(path)
    row = "RR-CC (2K Non-persistent)"
    content["suspect"] = [
        {"table": "table-03", "row": row, "column": "V9.4 / CPU%", "reason": "the text says 96.5",
         "corrected": 96.5},
        {"table": "table-03", "row": row, "column": "V9.4 / Clients", "reason": "no such step"},
    ]  # fmt: skip
    write_yaml(path, content)
    chapter = Chapter(V94, folder=tmp_path)
    third = next(table for table in chapter.about.tables if table.id == "table-03")
    table = printed_table(chapter, third)
    assert texts(table)[0] == [row, "370,602", "97.69 †", "270 †"]
    assert table.notes[-2:] == (
        "† Printed as 97.69: the text says 96.5 Cross-checks within the source give 96.5\u00a0%.",
        "† 270: no such step",
    )
    # What the source itself disproves is replaced where it is used, not where it is shown.
    assert chapter.points("table-03").iloc[0]["cpu"] == 96.5
    assert chapter.points("table-03").iloc[0]["clients"] == 270
    large = {
        "source_kind": "table",
        "value_printed": "1",
        "value_corrected": 1234567.5,
        "unit": "ms",
    }
    assert (
        doubt_of({**large, "note": "?"}, NumberFormat("1.234,5"))
        == "† Printed as 1: ? Cross-checks within the source give 1.234.567,5\u00a0ms."
    )


def test_one_rate_that_is_repeated_has_no_range(
    chapter: Chapter, monkeypatch: pytest.MonkeyPatch
) -> None:
    repeated = SimpleNamespace(spread=2.4, cells=())
    monkeypatch.setattr("roundtrip.present.errata.repetitions", lambda observations: [repeated])
    words = repetitions_text(chapter).markdown.replace("\\", "")
    assert f"they differ by 2.4{NBSP}% (one such set-up)." in words


def test_shares_of_points_that_were_put_together_are_those_of_each(chapter: Chapter) -> None:
    storage = chapter.points("table-08")
    parts = [part.reset_index(drop=True) for _, part in storage.groupby("log_storage")]
    together = pd.concat(parts)
    assert not together.index.is_unique
    one, other = (
        relative(chapter, points, of="log_storage", baseline="SSD")["share"].tolist()
        for points in (together, together.reset_index(drop=True))
    )
    assert one == other
    assert len(one) > 1


def test_kept_shares_start_without_delay(chapter: Chapter) -> None:
    table = kept_table(arrangements(chapter, "SAN"), caption="Kept")
    assert texts(table)[1] == ["MIQM", "100", "53", "32"]


# --- derived -------------------------------------------------------------------------------


def test_payload_is_rate_times_size(chapter: Chapter) -> None:
    points = chapter.points("table-03", "table-04", message_bytes=2097152)
    rows = {series: quantity for series, _, quantity in payload_per_host(chapter, points)}
    assert rows["RR-CC, MQI"].value == pytest.approx(2613 * 2 * 2097152 * 8 / 1e9)
    assert rows["RR-DQ-BB, MQI"].value == pytest.approx(4609 * 2097152 * 8 / 1e9)
    doubled = open_chapter(rate_unit="messages/s")
    again = payload_per_host(doubled, doubled.points("table-03", message_bytes=2097152))
    assert again[0][2].value == pytest.approx(rows["RR-CC, MQI"].value)


def test_core_time_does_not_depend_on_the_unit_of_rates(chapter: Chapter) -> None:
    points = chapter.points("table-03", message_bytes=2048)
    ((_, _, cost),) = cpu_cost(chapter, points, "set1", "workload")
    assert cores_of(chapter, "set1") == 32
    assert cost.value == pytest.approx(0.9769 * 32 / 370602 * 1e6)
    assert cost.unit == "µs"
    other = open_chapter(rate_unit="messages/s")
    ((_, _, same),) = cpu_cost(
        other, other.points("table-03", message_bytes=2048), "set1", "workload"
    )
    assert same.value == pytest.approx(cost.value)


def test_ceilings_follow_from_the_bytes_left(chapter: Chapter) -> None:
    rows = {
        (name, place.replace(NBSP, " ")): quantity
        for name, place, quantity in link_ceilings(chapter, chapter.points("table-01"), 10)
    }
    bare = rows["no compression", "200 KB"]
    packed = rows["LZ4FAST", "200 KB"]
    assert bare.value == pytest.approx(10e9 / (2 * 204800 * 8))
    assert packed.value == pytest.approx(bare.value / (1 - 0.45))
    assert (bare.cells, packed.cells) == ((), (f"{V94}/table-01/r3c2",))
    table = ceilings_table(
        chapter, link_ceilings(chapter, chapter.points("table-01"), 10), caption="Ceilings"
    )
    shown = {row[0].text: [cell.text for cell in row[1:]] for row in table.rows}
    assert shown["no compression"][2] == "3,052"
    assert shown["LZ4FAST"] == ["1.2", "1.8", "1.8"]
    assert shown["ZLIBHIGH"] == ["1.6", "2.4", "2.6"]


@pytest.mark.parametrize(
    ("cipher", "family"),
    [
        ("none", "none"), ("TLS_AES_128_CCM_SHA256", "TLS 1.3"),
        ("ECDHE_RSA_AES_256_CBC_SHA384", "TLS 1.2 CBC"),
        ("ECDHE_RSA_AES_256_GCM_SHA384", "TLS 1.2 GCM"),
    ],
)  # fmt: skip
def test_ciphers_have_families(cipher: str, family: str) -> None:
    assert cipher_family(cipher) == family


def test_one_cipher_is_told_with_both_protocols_or_not_at_all(chapter: Chapter) -> None:
    points = peaks_by_cipher(chapter, "table-09", "table-10", baseline="none")
    shares = shares_of(chapter, points, "none")
    words = same_cipher_words(chapter, shares).markdown
    assert f"61{NBSP}%" in words
    assert f"38{NBSP}%" in words
    del shares["TLS_AES_256_GCM_SHA384"]
    assert same_cipher_words(chapter, shares).markdown == ""


# --- charts --------------------------------------------------------------------------------


def charts(chapter: Chapter) -> list[Figure]:
    sizes = chapter.points("table-03", "table-04").assign(
        path=lambda frame: frame["workload"] + ", " + frame["api"]
    )
    storage = chapter.points("table-08")
    tls = chapter.points("table-09").assign(
        family=lambda frame: frame["tls_cipher"].map(cipher_family)
    )
    delays = chapter.points("table-14", "table-15")
    words = {"title": "A < B & C", "caption": "What is drawn."}
    rate = "round_trip_rate"
    return [
        chart(
            chapter, sizes, x="message_bytes", y=rate, mark="line", series="path",
            log={"message_bytes", rate}, **words,
        ),
        chart(
            chapter, relative(chapter, storage, of="log_storage", baseline="SSD"),
            x="message_bytes", y="share", series="log_storage", reference=(100, "SSD = 100 %"),
            **words,
        ),
        chart(
            chapter, chapter.points("table-01"), x="message_bytes", y="compression_rate",
            series="compression", **words,
        ),
        chart(
            chapter, tls, x="tls_cipher", y=rate, series="family", horizontal=True, **words
        ),
        chart(
            chapter, delays, x="ha_link_rtt_ms", y=rate, mark="line", series="ha",
            panels="message_bytes", one_scale=False, columns=6, **words,
        ),
        chart(
            chapter, sizes, x="cpu", y=rate, mark="line", series="path", labels="message_bytes",
            log={rate}, **words,
        ),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def drawn(chapter: Chapter) -> list[Figure]:
    return charts(chapter)


def numbers_of(figure: Figure) -> list[float]:
    drawing: Any = figure.chart
    values: list[float] = []
    for trace in drawing.data:
        drawn_by = trace.x if getattr(trace, "orientation", None) == "h" else trace.y
        values += [value for value in drawn_by if value is not None]
    return values


def test_a_reference_is_drawn_over_the_grid_and_behind_bars(drawn: list[Figure]) -> None:
    drawing: Any = drawn[1].chart
    (rule,) = drawing.layout.shapes
    assert (rule.layer, rule.y0, rule.y1) == ("between", 100, 100)
    assert (rule.x0, rule.x1) == (-0.5, 3.5)  # of four places


def test_alt_text_states_finding_and_every_value(drawn: list[Figure], chapter: Chapter) -> None:
    for figure in drawn:
        assert "A < B & C" in figure.alt
        for row in rows_of(figure.csv):
            value = float(row["value"])
            shown = [chapter.numbers.write(value, decimals) for decimals in range(3)]
            assert any(text in figure.alt for text in shown), row
            assert row["unit"] in figure.alt
        assert NBSP not in figure.alt
    assert "119,846" not in drawn[1].alt  # a share is drawn, and said
    assert "SAN: 2 KB 49 %" in drawn[1].alt


def test_the_download_of_a_chart_has_every_drawn_value(drawn: list[Figure]) -> None:
    for figure in drawn:
        rows = rows_of(figure.csv)
        assert sorted(float(row["value"]) for row in rows) == pytest.approx(
            sorted(numbers_of(figure))
        )
        assert all(row["cells"].startswith(V94) for row in rows)
        assert {cell for row in rows for cell in row["cells"].split()} == set(figure.cells)


def test_charts_carry_no_markup_from_their_texts(drawn: list[Figure]) -> None:
    for figure in drawn:
        drawing: Any = figure.chart
        assert drawing.layout.title.text == "A &lt; B &amp; C"
        bundle = figure._repr_mimebundle_()
        assert bundle[FIGURE]["title"] == "A < B & C"
        assert bundle["application/vnd.plotly.v1+json"]["layout"]["width"] == 760


def test_bars_start_at_zero_and_axes_name_their_units(drawn: list[Figure]) -> None:
    for figure in drawn:
        drawing: Any = figure.chart
        for trace in drawing.data:
            if trace.type == "bar":
                axis = drawing.layout.xaxis if trace.orientation == "h" else drawing.layout.yaxis
                assert axis.range[0] == 0
                assert axis.range[1] > max(trace.x if trace.orientation == "h" else trace.y)
        titles = f"{drawing.layout.xaxis.title.text} {drawing.layout.yaxis.title.text}"
        assert re.search(r"round trips/s|%|Round trips/s|Message size", titles)
        for axis in (drawing.layout.xaxis, drawing.layout.yaxis):
            if axis.type == "log":
                assert "logarithmic" in axis.title.text


def test_an_interval_to_below_zero_ends_where_a_logarithmic_axis_does(chapter: Chapter) -> None:
    rates = [Quantity(value, "round trips/s", ()) for value in (100.0, 400.0)]
    rows = pd.DataFrame(
        {"requesters": [1, 16], RATE: rates, "low": [-5.0, 300.0], "high": [205.0, 500.0]}
    )
    figure = chart(
        chapter, rows, x="requesters", y=RATE, mark="line", ends=("low", "high"), log={RATE},
        varied={"requesters"}, title="Rates", caption="Two.",
    )  # fmt: skip
    drawing: Any = figure.chart
    (trace,) = (one for one in drawing.data if one.error_y.array is not None)
    ends = [y - minus for y, minus in zip(trace.y, trace.error_y.arrayminus, strict=True)]
    assert ends == pytest.approx([10 ** drawing.layout.yaxis.range[0], 300])
    assert ",-5,205," in figure.csv
    assert "100 round trips/s (\u22125 to 205), " in figure.alt
    assert figure.caption == "Two. An interval that reaches 0 ends at the axis."


def test_a_value_without_ends_is_drawn_without_an_interval(chapter: Chapter) -> None:
    rates = [Quantity(value, "round trips/s", ()) for value in (100.0, 400.0)]
    none = float("nan")
    ends = {"low": [none, 300], "high": [none, 500]}
    rows = pd.DataFrame({"requesters": [1, 16], RATE: rates, **ends})
    draw = partial(
        chart, chapter, rows, x="requesters", y=RATE, mark="line", title="Rates",
        varied={"requesters"}, caption="Two.",
    )  # fmt: skip
    figure = draw(ends=("low", "high"))
    drawing: Any = figure.chart
    assert drawing.layout.yaxis.range[1] > 500
    assert "1 100 round trips/s, 16 400 round trips/s (300 to 500)." in figure.alt
    with pytest.raises(ChapterError, match="from 500 to 300 does not hold 400"):
        draw(ends=("high", "low"))


@pytest.mark.parametrize(
    ("x", "places", "mark", "shown"),
    [
        ("link_limit_gbps", [0.05, 0.25, 0.5, 0.75], "line", "0,05 0,25 0,5 0,75"),
        ("number", [1000001, 1000002.5], "bar", "1.000.001 1.000.002,5"),
    ],
)
def test_places_have_all_their_decimals_as_the_edition_writes_numbers(
    x: str, places: list[float], mark: str, shown: str
) -> None:
    chapter = open_chapter(number_format="1.234,5")
    rows = pd.DataFrame({x: places, "y": [Quantity(40.0, "%", (), 0) for _ in places]})
    figure = chart(
        chapter, rows, x=x, y="y", mark=mark, title="T", caption="C", reference=(12.5, "limit"),
        y_title="Y", varied=None,
    )  # fmt: skip
    drawing: Any = figure.chart
    drawn = drawing.layout.xaxis.ticktext if mark == "line" else drawing.data[0].x
    assert " ".join(drawn) == shown
    assert "a line at 12,5 (limit)" in figure.alt


def test_an_empty_selection_draws_nothing_and_says_so(chapter: Chapter) -> None:
    with pytest.raises(ChapterError, match="Rates: there is nothing to draw"):
        chart(chapter, [], title="Rates", caption="None.")


def test_bars_below_zero_are_inside_their_axis(chapter: Chapter) -> None:
    points = chapter.points("table-03")
    small, large = (chapter.quantity(points, message_bytes=size) for size in (2048, 2097152))
    rows = [("Change", "2 MB", large.minus(small)), ("Change", "2 KB", small)]
    drawing: Any = chart(chapter, rows, title="Rates", caption="Changes.", varied=None).chart
    assert drawing.layout.yaxis.range[0] < large.value - small.value


def test_a_line_that_is_named_as_a_series_has_one_place_in_the_legend(chapter: Chapter) -> None:
    names = [letter * 46 for letter in "AB"]  # two have room in a row, three have not
    rows = [(name, "2 KB", Quantity(4.0, "%", (), 0)) for name in names]
    words: Any = {"title": "T", "caption": "C", "varied": None}
    drawings: list[Any] = [
        chart(chapter, rows, reference=reference, **words).chart
        for reference in (None, (4.0, names[0]))
    ]
    assert len({drawing.layout.margin.t for drawing in drawings}) == 1


def test_the_baseline_is_a_line_and_not_a_bar(drawn: list[Figure]) -> None:
    drawing: Any = drawn[1].chart
    assert [trace.name for trace in drawing.data if trace.type == "bar"] == ["SAN", "NFS"]
    assert "SSD = 100 %" in [str(t.name).replace(NBSP, " ") for t in drawing.data]
    assert drawing.layout.shapes[0].y0 == 100


def test_a_variant_keeps_its_look_and_never_colour_alone(drawn: list[Figure]) -> None:
    for figure in drawn:
        drawing: Any = figure.chart
        looks = {}
        for trace in drawing.data:
            if trace.type == "bar":
                looks[trace.name] = (trace.marker.color, trace.marker.pattern.shape)
            elif trace.x[0] is not None:
                looks[trace.name] = (trace.marker.color, trace.marker.symbol)
        assert len({color for color, _ in looks.values()}) == len(looks)
        assert len({mark for _, mark in looks.values()}) >= min(len(looks), 2)


def test_charts_follow_unit_and_number_format() -> None:
    chapter = open_chapter(rate_unit="messages/s", number_format="1.234,5")
    figures = charts(chapter)
    assert "741.204 messages/s" in figures[0].alt
    lines: Any = figures[0].chart
    assert max(lines.data[0].y) == 741204
    assert "Messages/s" in lines.layout.yaxis.title.text
    assert lines.layout.separators == ",."
    assert "97,69 %" in figures[5].alt
    assert "SAN: 2 KB 49 %" in figures[1].alt  # a share does not change with the unit
    assert "round trips/s" not in "".join(figure.alt for figure in figures)


def test_a_chart_of_one_size_or_one_series_is_drawn() -> None:
    chapter = open_chapter(message_bytes=[2048])
    for figure in charts(chapter):
        assert isinstance(figure.chart, go.Figure)
        assert numbers_of(figure)
        figure.chart.to_json(validate=True)


@pytest.mark.parametrize(
    ("title", "lines"),
    [
        ("", [""]),
        ("Short", ["Short"]),
        ("word " * 20, [" ".join(["word"] * 10)] * 2),
        ("x" * 90 + " and more", ["x" * 90, "and more"]),
    ],
)
def test_lines_of_a_title_are_about_equally_long(
    chapter: Chapter, title: str, lines: list[str]
) -> None:
    figure: Any = Canvas(chapter, title.strip()).figure
    assert figure.layout.title.text == "<br>".join(lines)


def test_thousands_are_set_apart_on_every_axis(drawn: list[Figure]) -> None:
    for figure in drawn:
        layout: Any = figure.chart.layout.to_plotly_json()
        axes = [axis for name, axis in layout.items() if re.fullmatch(r"[xy]axis\d*", name)]
        assert len(axes) >= 2
        assert all(axis["separatethousands"] for axis in axes)
        assert all(axis["exponentformat"] == "none" for axis in axes)


def test_names_from_data_are_no_markup_in_charts(chapter: Chapter) -> None:
    hostile = "<a href='javascript:alert(1)'>x</a> & <b>y"
    points = chapter.points("table-03").assign(path=hostile)
    text = "&lt;a href='javascript:alert(1)'&gt;x&lt;/a&gt; &amp; &lt;b&gt;y"
    rate, words = "round_trip_rate", {"title": "t", "caption": "c"}
    storage = chapter.points("table-08")
    figures = [
        chart(chapter, points, x="message_bytes", y=rate, series="path", mark="dot", **words),
        chart(
            chapter, points, x="message_bytes", y="cpu", series="path", labels="path", **words
        ),
        chart(
            chapter, relative(chapter, storage, of="log_storage", baseline="SSD"),
            x="message_bytes", y="share", series="log_storage", names={"SAN": hostile}, **words,
        ),
    ]  # fmt: skip
    for figure in figures:
        drawing: Any = figure.chart
        assert "<a href" not in drawing.to_json().replace("\\u003c", "<")
        assert text in [trace.name for trace in drawing.data]
        assert hostile in figure.alt


def test_a_drawing_has_svg_and_no_chart(chapter: Chapter) -> None:
    figure = chapter.topology("rr-cc")
    bundle = figure._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith("<svg")
    assert "application/vnd.plotly.v1+json" not in bundle
    assert replace(figure, svg=None)._repr_mimebundle_().keys() == {FIGURE, "text/plain"}


def test_the_dictionary_lists_what_a_project_uses_or_declares(tmp_path: Path) -> None:
    copy_project(tmp_path, ("_quarto.yml", f"data/published/{V94}"))
    (tmp_path / "data" / "dictionary.yml").write_text(
        "factors:\n  consumer_window: {type: integer, label: Window, description: Ahead.}\n"
        + (ROOT / "data" / "dictionary.yml").read_text("utf-8").partition("factors:\n")[2],
        "utf-8",
    )
    small = Chapter(folder=tmp_path)

    def names(table: Table, column: int = 0) -> set[str]:
        return {row[column].text for row in table.rows}

    used = names(appendices.factors(small))
    assert {"requesters", "message_bytes", "consumer_window"} <= used
    known = small.dictionary
    assert used < set(known.factors)
    metrics = appendices.metrics(small)
    assert {"round_trip_rate", "cpu"} <= names(metrics) < set(known.metrics)


def test_the_parameters_of_an_edition_are_stated_as_they_are() -> None:
    given = {
        "chapters": (), "annex": (), "message_bytes": [2048, 20480], "campaign": "",
        "word_limits": {}, "depth": 0, "rate": 0.0, "flag": False, "limit": None,
    }  # fmt: skip
    table = appendices.parameters_of_edition(given, "abc")
    assert isinstance(table, Table)
    assert dict(texts(table)) == {
        "chapters": "all", "annex": "not set", "message_bytes": "2 KB, 20 KB",
        "campaign": "not set", "word_limits": "not set", "depth": "0", "rate": "0.0",
        "flag": "False", "limit": "not set", "commit": "abc",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("label", "unit", "written"),
    [
        ("Time without service", "s", "Time without service (s)"),
        ("Backup's time", "s", "Backup's time (s)"),
        ("Bytes on the link", "B", "Bytes on the link (B)"),
        ("Round trips/s", "round trips/s", "Round trips/s"),
        ("Log extents created", "extents", "Log extents created"),
        ("Backlog (MB)", "MB", "Backlog (MB)"),
        ("Grade", "", "Grade"),
    ],
)
def test_a_label_says_its_unit_once(label: str, unit: str, written: str) -> None:
    assert with_unit(label, unit) == written


def test_where_a_setting_applies_and_what_is_said_of_it_are_told_apart() -> None:
    table = tuning_table(Chapter("websphere-mq-v7-aix", folder=ROOT))
    assert table is not None
    told = [row[-1].text for row in table.rows]
    assert "non-trusted measurements. Section 2.2.2 calls the same setting NORMAL." in told


def test_what_is_said_of_a_model_stands_below_the_table() -> None:
    table = models_table(Chapter("mq-appliance-m2003", folder=ROOT))
    assert table is not None
    assert [note.partition(":")[0] for note in table.notes] == ["M2001A", "M2003A", "M2003B"]
    assert "M2001A" not in [cell.text for cell in table.header[0]]  # nothing else is said of it
    assert "Note" not in {row[0].text for row in table.rows}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "a line has two values at 2\u00a0KB of message_bytes"),
        ({"mark": "bar"}, "panel; they differ in"),
        ({"labels": "api"}, "a line has two values"),
        ({"series": "workload", "y": "round_trip_rte"}, "did you mean 'round_trip_rate'"),
        ({"series": "worklod"}, "unknown column 'worklod' (did you mean 'workload'?)"),
        ({"series": "workload", "mark": "lien"}, "unknown mark 'lien' (did you mean 'line'?)"),
        ({"series": "workload", "log": {"message_byte"}}, "did you mean 'message_bytes'"),
        ({"series": "workload", "names": dict.fromkeys(["RR-CC", "RR-DQ-BB"], "RR")},
         "a line has two values"),
        ({"series": "workload", "log": {"round_trip_rate"}, "reference": (0, "none")},
         "the reference of round_trip_rate is 0, which has no logarithm"),
    ],
)  # fmt: skip
def test_a_chart_refuses_names_that_do_not_exist_and_a_line_that_goes_to_and_fro(
    chapter: Chapter, more: dict[str, Any], said: str
) -> None:
    look = {"x": "message_bytes", "y": "round_trip_rate", "mark": "line", **more}
    words = {"title": "T", "caption": "C", "varied": {"api", "workload"}}
    with pytest.raises(ChapterError) as caught:
        chart(chapter, chapter.points("table-03", "table-04"), **look, **words)
    assert said in str(caught.value)


def test_an_arrangement_stands_beside_a_log_on_the_same_storage(chapter: Chapter) -> None:
    found = arrangements(chapter, "SAN")
    same = [found.beside_alone(*kinds) for kinds in (("MIQM", "NFS"), ("RDQM", "SSD"))]
    assert [(round(one.low.value), round(one.high.value)) for one in same] == [(56, 78), (26, 80)]
    # One set-up on two sets of hosts: 17,111 and 19,161 round trips/s on SAN at 20 KB.
    assert round(found.hosts_differ.value) == 11
    assert "at 2 KB, " in found.san_clients.markdown.replace("\u00a0", " ")
    assert "at 20 KB" not in found.san_clients.markdown.replace("\u00a0", " ")


def test_the_payload_logged_shows_where_bandwidth_is_the_limit() -> None:
    chapter = Chapter(V94)
    logs = BySize(chapter, chapter.points("table-08"), "log_storage")
    table = peaks_table(logs, "SSD", caption="Stores", notes=end_notes(chapter, logs.points))
    rows = [[cell.text for cell in row] for row in table.rows if len(row) > 1]
    logged = {(at // 3, row[0]): (row[4], row[5]) for at, row in enumerate(rows)}
    assert logged[2, "SAN"] == ("9.3", "0.19")
    assert logged[3, "SAN"] == ("9.2", "0.17")
    assert logged[3, "SSD"] == ("55.1", "1.00")
    assert "SAN up to" in same_payload(logs, "SSD").markdown
    small = BySize(chapter, logs.points[logs.points["message_bytes"] < 204800], "log_storage")
    assert same_payload(small, "SSD").markdown == ""


def test_peaks_with_the_most_requesters_are_noted() -> None:
    chapter = Chapter(V94)
    tables = [f"table-{number:02}" for number in range(6, 13)]
    ends = {name: end_notes(chapter, chapter.points(name)) for name in tables}
    # That of Table 10 with 300 requesters has no processors left.
    assert [name for name, notes in ends.items() if notes] == ["table-08", "table-11", "table-12"]
    assert ends["table-08"][0].startswith(
        "No peak of these tests is printed with more than 300 requesters"
    )
    # They are those of the report, whatever an edition shows of it.
    large = Chapter(V94, message_bytes=[204800])
    assert end_notes(large, large.points("table-08")) == ()


def test_arrangements_are_listed_beside_the_same_storage(chapter: Chapter) -> None:
    found = arrangements(chapter, "SAN")
    table = near_table(found, caption="Near")
    assert table.header[0][-1].text == "Ratio to one queue manager, log on the same kind of storage"
    ratios = {row[0].text: [] for row in table.rows if len(row) > 1}
    for row in table.rows:
        if len(row) > 1:
            ratios[row[0].text].append((row[-2].text, row[-1].text))
    assert ratios["MIQM"][0] == ("0.96", "0.78")
    assert ratios["RDQM"][1] == ("1.88", "0.35")
    assert ratios["SAN without HA"][1][1] == "0.89"
    # What is gained by storage says so.
    assert near_figure(found, caption="Near").title.startswith("On faster storage, RDQM reaches")
    beside_rdqm = near_figure(arrangements(chapter, "RDQM"), caption="Near")
    assert "faster" not in beside_rdqm.title
