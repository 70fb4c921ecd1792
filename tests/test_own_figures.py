"""A Plotly figure made in a chapter: accepted with what makes it a figure, otherwise refused."""

from __future__ import annotations

import csv
import io
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pytest

from roundtrip.errors import ChapterError
from roundtrip.present import (
    Chapter,
    Measured,
    Quantity,
    chart,
    means_of,
    plotly_figure,
    results_table,
)
from roundtrip.project import Project
from roundtrip.theme import READABLE, DarkColors, contrast, load_theme
from workshop import V94, peaks_chapter, roundtrip, write_notebook

SAID = {"title": "Half", "caption": "Two peaks.", "alt": "Two dots."}


def test_it_has_the_report_s_look_and_leads_to_its_data(chapter: Chapter) -> None:
    points = chapter.points("table-03")
    drawn = go.Figure(go.Box(y=points["round_trip_rate"], name="RR-CC"))
    drawn.update_yaxes(title_text="Round trips/s")
    figure = plotly_figure(chapter, drawn, points, **SAID)
    assert figure.chart is not None
    assert figure.chart.layout.font.family == "IBM Plex Sans"
    assert figure.chart.layout.title.text == "Half"
    assert figure.chart.layout.yaxis.title.text == "Round trips/s"
    assert drawn.layout.title.text is None
    assert f"{V94}/table-03/r1c1" in figure.cells
    rows = list(csv.DictReader(io.StringIO(figure.csv)))
    assert len(rows) == len(points)
    assert rows[0]["round_trip_rate"] == "370602.0"
    assert f"{V94}/table-03/r1c1" in rows[0]["cells"]
    assert not any(name.endswith(("_cell", "_decimals")) for name in rows[0])


def test_every_text_of_a_chart_can_be_read_on_white_and_inverted(chapter: Chapter) -> None:
    theme = load_theme(chapter.project)
    points = chapter.points("table-03")
    for color in (*theme.series, theme.baseline):
        chart = go.Figure(go.Scatter(x=[1], y=[2], text=["a"], textfont={"color": [color]}))
        chart.add_annotation(text="named", font={"color": color})
        chart.add_annotation(text="on a bar", font={"color": "#ffffff"})
        bundle = plotly_figure(chapter, chart, points, **SAID)._repr_mimebundle_()
        layout = bundle["application/vnd.plotly.v1+json"]["layout"]
        named, on_bar = (each["font"]["color"] for each in layout["annotations"])
        (beside,) = bundle["application/vnd.plotly.v1+json"]["data"][0]["textfont"]["color"]
        for text in (named, beside, layout["xaxis"]["tickfont"]["color"]):
            assert contrast(text, "#ffffff") >= READABLE
            assert contrast(inverted(text), DarkColors().page) >= READABLE
        assert on_bar == "#ffffff"


def inverted(color: str) -> str:
    """Give what dark mode's filter makes of a colour, as figures.js computes it."""
    red, green, blue = (0.9137 - int(color[at : at + 2], 16) / 255 * 0.8274 for at in (1, 3, 5))
    turned = (
        -0.574 * red + 1.43 * green + 0.144 * blue,
        0.426 * red + 0.43 * green + 0.144 * blue,
        0.426 * red + 1.43 * green - 0.856 * blue,
    )
    shown = (min(1.0, 1.15 * min(1.0, max(0.0, part))) for part in turned)
    return "#" + "".join(f"{round(255 * part):02x}" for part in shown)


def test_quantities_means_and_observations_say_where_they_come_from(chapter: Chapter) -> None:
    quantity = chapter.quantities(chapter.points("table-03"))[0]
    here = Measured(chapter, "compression", link_limit_gbps=0.1)
    means = means_of(here, "compression", message_bytes=20480)
    for data, origin in (
        ([quantity], quantity.cells[0]),
        (means, "compression-quick/runs/"),
        (here.frame.head(3), here.frame["observation_id"].iloc[0]),
    ):
        figure = plotly_figure(chapter, go.Figure(go.Scatter(x=[1], y=[2])), data, **SAID)
        assert figure.cells[0].startswith(origin)
        assert figure.cells[0] in figure.csv
    points = chapter.points("table-03").assign(exit_status="killed")
    figure = plotly_figure(chapter, go.Figure(go.Scatter(x=[1], y=[2])), points, **SAID)
    head = figure.csv.partition("\n")[0].split(",")
    assert {"exit_status", "cpu"} <= {*head}
    assert not {"cpu_cell", "cpu_decimals"} & {*head}


@pytest.mark.parametrize(
    ("data", "trace", "changed", "said"),
    [
        (pd.DataFrame({"a": [1, 2]}), go.Scatter(), {}, "nothing says where the values"),
        ([], go.Scatter(), {}, "nothing says where the values"),
        ([Quantity(1, "", ("a/b/c",))], go.Scatter(), {"alt": " "}, "plotly_figure: alt is empty"),
        ([Quantity(1, "", ("a/b/c",))], go.Scattergeo(), {}, "asks no other host"),
    ],
)
def test_what_lacks_something_or_loads_something_is_refused(
    chapter: Chapter, data: Any, trace: Any, changed: dict[str, str], said: str
) -> None:
    with pytest.raises(ChapterError, match=said):
        plotly_figure(chapter, go.Figure(trace), data, **{**SAID, **changed})


def test_charts_and_tables_have_captions(chapter: Chapter) -> None:
    points, label = chapter.points("table-03"), {"x": "message_bytes", "y": "round_trip_rate"}
    with pytest.raises(ChapterError, match="chart: title is empty"):
        chart(chapter, points, title=" ", caption="C", **label)
    with pytest.raises(ChapterError, match="table: caption is empty"):
        results_table(chapter, points, caption="", row="message_bytes")


@pytest.mark.thorough
def test_it_is_built_into_pages(small_copy: Project) -> None:
    opened = (
        "import plotly.graph_objects as go\n\n"
        'drawn = go.Figure(go.Box(y=points["round_trip_rate"], name="RR-CC"))'
    )
    shown = (
        "#| label: fig-own\nplotly_figure(chapter, drawn, points, "
        'title="Boxes", caption="Peaks.", alt="One box.")'
    )
    write_notebook(small_copy, "10-peaks", *peaks_chapter(), ("code", opened), ("code", shown))
    done = roundtrip("build", "--engine", "embedded", project=small_copy)
    assert done.returncode == 0, done.stderr
    (page,) = small_copy.reports.glob("*/html/10-peaks.html")
    text = page.read_text("utf-8")
    assert 'aria-label="One box."' in text
    assert "IBM Plex Sans" in text
    assert next(small_copy.reports.glob("*/report.pdf")).stat().st_size > 10_000
