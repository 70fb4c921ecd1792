"""Points of charts that are drawn in lines: read within the stated accuracy, or left open."""

from __future__ import annotations

import csv
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from roundtrip.drafting.charts import charts_on
from test_subsets import project_of
from workshop import ROOT, answer


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
    with (folder / "charts.csv").open(encoding="utf-8") as file:
        figures = list(csv.DictReader(file))
    assert [(one["figure"], one["page"], one["points"]) for one in figures] == [
        ("Figure 1", "1", "30"), ("Figure 2", "2", "0"), ("Figure 3", "3", "0"),
    ]  # fmt: skip
    assert [one["by_hand_because"].partition(":")[0] for one in figures] == [
        "", "it has two axes of values", "no curve between two axes of numbers",
    ]  # fmt: skip
    assert figures[0]["caption"] == "Rate over requesters"
    with (folder / "points.csv").open(encoding="utf-8") as file:
        points = list(csv.DictReader(file))
    box = {side: float(figures[0][side]) for side in ("left", "top", "right", "bottom")}
    assert len(points) == 30
    for point in points:
        assert box["left"] - 1 < float(point["left"]) < box["right"] + 1
        assert box["top"] - 1 < float(point["top"]) < box["bottom"] + 1
        near = [y for x, y in curves[point["series"]]
                if abs(x - float(point["x"])) <= float(point["x_accuracy"])]  # fmt: skip
        assert abs(near[0] - float(point["value"])) <= float(point["value_accuracy"])
