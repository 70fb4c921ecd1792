"""Points of charts that are drawn in lines: read within the stated accuracy, or left open."""

from __future__ import annotations

import csv
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
import typst
from PIL import Image

from roundtrip.drafting.charts import charts_on
from roundtrip.drafting.contents import load_draft
from test_subsets import project_of
from workshop import ROOT, answer

pytestmark = pytest.mark.slow  # two programs read each page


def _made() -> ModuleType:
    """Load the benchmark, which draws charts whose points are known."""
    spec = importlib.util.spec_from_file_location("made_charts", ROOT / "benchmarks" / "charts.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


made = _made()


@pytest.mark.parametrize("name", made.LOOKS)
def test_each_point_is_read_within_its_accuracy_or_its_chart_is_left_open(
    name: str, tmp_path: Path
) -> None:
    look = made.LOOKS[name]
    path = tmp_path / "charts.pdf"
    curves = [made.made_curves(look, seed) for seed in (2, 3)]
    path.write_bytes(made.printed([made.chart(look, one) for one in curves]))
    for number, one in enumerate(curves, 1):
        total = sum(map(len, one.values()))
        found = charts_on(path, number)
        wanted = (0, 0, total) if look.open else (total, 0, 0)
        assert made.counted(look, one, found) == wanted
        if look.open:
            assert all(chart.trouble for chart in found)
        else:
            (read,) = found
            least = min(point.value_off for point in read.points)
            assert 0 < least < look.top / 100, "an accuracy that says nothing would fit anything"


def test_an_import_lists_every_figure_with_its_points_or_why_it_has_none(tmp_path: Path) -> None:
    project = project_of(tmp_path / "project", [])
    read, left = (made.LOOKS[name] for name in ("ticks", "two axes"))
    curves = made.made_curves(read, 3)
    pages = [made.chart(read, curves), made.chart(left, made.made_curves(left, 3)), "#lorem(9)"]
    (tmp_path / "acme.pdf").write_bytes(made.printed(pages))
    done = answer("import", str(tmp_path / "acme.pdf"), "--id", "acme", project=project)
    assert done.returncode == 0, done.stderr
    assert "Figures: 3; points read: 30, from 1 of them." in done.stdout
    folder = project.drafts / "acme" / "reading"
    draft = load_draft(folder.parent)
    assert draft
    figures = draft.read.figures
    assert [(one.number, one.page, len(one.points)) for one in figures] == [
        ("Figure 1", 1, 30), ("Figure 2", 2, 0), ("Figure 3", 3, 0),
    ]  # fmt: skip
    assert [one.trouble.partition(":")[0] for one in figures] == [
        "", "it has two axes of values", "no curve between two axes of numbers",
    ]  # fmt: skip
    assert figures[0].caption == "Rate over requesters"
    with (folder / "points.csv").open(encoding="utf-8") as file:
        points = list(csv.DictReader(file))
    assert figures[0].chart
    box = figures[0].chart.box
    assert len(points) == 30
    for point in points:
        assert box.left - 1 < float(point["left"]) < box.right + 1
        assert box.top - 1 < float(point["top"]) < box.bottom + 1
        near = [y for x, y in curves[point["series"]]
                if abs(x - float(point["x"])) <= float(point["x_accuracy"])]  # fmt: skip
        assert abs(near[0] - float(point["value"])) <= float(point["value_accuracy"])
    # A person compares the points with the page: each has its numbers and a ring in its place.
    page = (folder / "check.html").read_text("utf-8")
    assert (folder / "page-001.png").read_bytes().startswith(b"\x89PNG")
    first, second, third = page.partition("<h2>Figures</h2>")[2].split("<h3>")[1:]
    assert "Figure 1: Rate over requesters" in first
    assert 'src="page-001.png"' in first
    assert first.count('class="spot"') == 30
    for point in points:
        numbers = (point[name] for name in ("x", "x_accuracy", "value", "value_accuracy"))
        cells = "".join(f"<td>{text}</td>" for text in (point["series"], *numbers))
        assert cells in first
    assert "To be read by hand: it has two axes of values" in second
    assert 'src="page-002.png"' in second
    assert "To be read by hand: no curve between two axes" in third
    assert 'href="page-003.png"' in third
    assert (folder / "page-003.png").exists()


def test_the_rings_of_points_lie_on_the_curve_in_the_picture(tmp_path: Path) -> None:
    look = made.LOOKS["ticks"]
    curves = made.made_curves(look, 3)
    path = tmp_path / "acme.pdf"
    path.write_bytes(made.printed([made.chart(look, curves)]))
    project = project_of(tmp_path / "project", [])
    assert answer("import", str(path), "--id", "acme", project=project).returncode == 0
    folder = project.drafts / "acme" / "reading"
    page = (folder / "check.html").read_text("utf-8").partition("<h2>Figures</h2>")[2]
    shape, down = (float(re.search(rf"{name}: -?([\d.]+)", page)[1])  # type: ignore[index]
                   for name in ("aspect-ratio", "margin-top"))  # fmt: skip
    picture = Image.open(folder / "page-001.png").convert("L")
    wide = picture.width
    for left, top in re.findall(r'class="spot" style="left: ([\d.]+)%; top: ([\d.]+)%"', page):
        x = wide * float(left) / 100
        y = wide * (down / 100 + float(top) / 100 / shape)
        around = picture.crop((int(x) - 3, int(y) - 3, int(x) + 4, int(y) + 4))
        assert around.getextrema()[0] < 200, "nothing is drawn under the ring"


ROWS = [["RR-CC (2KB)", "41,200", "91.5"], ["RR-CC (20KB)", "18,050", "88"],
        ["RR-CC (200KB)", "2,310", "54.25"], ["Local", "60,400", "99"],
        ["Legacy", "1,240", "47.5"], ["Batched", "70,010", "98"]]  # fmt: skip
PLACES = {
    "right": "#grid(columns: (auto, auto), column-gutter: 16pt, [TABLE], [CHART])",
    "left": "#grid(columns: (auto, auto), column-gutter: 40pt, [CHART], [TABLE])",
    "under": "TABLE CHART",
    "over": "CHART TABLE",
}


def test_labels_of_one_width_above_a_shorter_one_are_one_axis(tmp_path: Path) -> None:
    look = made.Look(top=80_000)
    curves = made.made_curves(look, 3)
    (tmp_path / "charts.pdf").write_bytes(made.printed([made.chart(look, curves)]))
    (read,) = charts_on(tmp_path / "charts.pdf", 1)
    assert (read.trouble, len(read.points)) == ("", sum(map(len, curves.values())))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "name",
    [
        "two axes",
        *(pytest.param(name, marks=pytest.mark.thorough) for name in ("ticks", "grid, markers")),
    ],
)
def test_a_chart_beside_a_table_is_no_part_of_it(place: str, name: str, tmp_path: Path) -> None:
    look = made.LOOKS[name]
    curves = made.made_curves(look, 3)
    cells = ", ".join(f"[{cell}]" for row in ROWS for cell in row)
    table = (f"Table 1: Peaks\n#table(columns: 3, align: (left, right, right), stroke: none, "
             f"[Test], [Rate], [CPU%], {cells})\n\n")  # fmt: skip
    title = "#place(dx: 160pt, dy: -16pt, box(width: 60pt, align(center)[#text(size: 8pt)[Rates]]))"
    axis = "#place(dx: -4pt, dy: 60pt, rotate(-90deg, reflow: true)[#text(size: 8pt)[Round trips]])"
    drawn = (f"#box(width: 440pt)[#v(16pt) {title} {axis} {made.chart(look, curves)}\n\n"
             "FIGURE 1 - Rate over requesters, with a caption \\ of two lines]\n\n")  # fmt: skip
    text = PLACES[place].replace("TABLE", table).replace("CHART", drawn)
    (tmp_path / "acme.pdf").write_bytes(typst.compile((
        f'#set page(paper: "a4", flipped: true)\n#lorem(40)\n\n{text}\n\n#lorem(60)'
    ).encode()))  # fmt: skip
    project = project_of(tmp_path / "project", [])
    done = answer("import", str(tmp_path / "acme.pdf"), "--id", "acme", project=project)
    assert done.returncode == 0, done.stderr
    draft = project.drafts / "acme"
    with (draft / "table-01.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["row", "Rate", "CPU%"], *ROWS]
    kept = load_draft(draft)
    assert kept
    (figure,) = kept.read.figures
    assert (figure.number, figure.caption) == ("FIGURE 1", "Rate over requesters, with a caption")
    assert len(figure.points) == (0 if look.open else sum(map(len, curves.values())))
