"""What a report says of a campaign whose runs took turns on brokers that were running already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from made_campaign import Row, make_campaign
from roundtrip.present import Chapter, Measured, variants_answer, variants_table
from roundtrip.project import Project
from roundtrip.publish.chapters.notebooks import read_notebook
from roundtrip.publish.chapters.typed_numbers import refuse_typed_numbers
from roundtrip.skeletons import new_chapter, new_project
from workshop import change_yaml, copy_project, waive

pytestmark = pytest.mark.slow

FASTER = {"3.1": 1.0, "3.2": 1.5}
SYSTEM = {"product": "Acme Broker", "what": "two containers on one machine"}


def measured(
    tmp_path: Path, speeds: Mapping[str, float] = FASTER, factor: str = "product_version", *,
    loads: Sequence[int] = (4,), system: Mapping[str, str] = SYSTEM, scheme: str = "amqp",
    change: Mapping[str, Any] | None = None, conclude: bool = True,
) -> Chapter:  # fmt: skip
    """Make a campaign over brokers, each of which is so many times as fast as the usual one."""
    project = copy_project(tmp_path, ("_quarto.yml",))

    def spoil(manifest: dict[str, Any], rows: list[Row]) -> None:
        runs = manifest["runs"]
        names = {
            (level, load, run["run"]): run["run"]
            .replace("b-c4", f"b-{place}-c{load}")
            for place, level in enumerate(speeds) for load in loads for run in runs
        }  # fmt: skip
        manifest["runs"] = [
            {**run, "run": names[level, load, run["run"]]}
            for level in speeds for load in loads for run in runs
        ]  # fmt: skip
        rows[:] = [
            {**row, "run": names[level, load, row["run"]], factor: level, "requesters": load,
             "target_rate": None,
             "value": row["value"] * (speeds[level] if row["metric"] == "round_trip_rate" else 1)}
            for level in speeds for load in loads for row in rows
        ]  # fmt: skip
        urls = {
            level: f"{scheme if place else 'amqp'}://broker-{place}:61616"
            for place, level in enumerate(speeds)
        }
        manifest["broker_restarted"] = False
        manifest["product"] = system.get("product")
        manifest["product_version"] = system.get("version")
        manifest["plan"] |= {
            "set_by": {factor: {"broker_url": urls}}, "system": dict(system), "parts": [],
            "factors": {"message_bytes": [256, 2048], "requesters": list(loads),
                        factor: list(speeds)},
        }  # fmt: skip
        manifest["plan"] |= change or {}

    make_campaign(project, spoil)
    if conclude:
        waive(project)
    return Chapter(folder=project.root)


def releases(project: Project, **factors: list[Any]) -> Path:
    """Write a plan of two releases, and make a chapter on it."""
    change_yaml(project.params / "campaigns" / "first.yml", {
        "question": "Is release 3.2 faster than 3.1 for 2 kinds of 99 messages?", "control": None,
        "factors": {
            "delivery": ["nonpersistent"], "message_bytes": [2048], "responders": [4],
            "requesters": [4], "product_version": ["3.1", "3.2"], **factors,
        },
        "set_by": {"product_version": {"broker_url": {
            "3.1": "amqp://acme31.example:5672", "3.2": "amqp://acme32.example:5672",
        }}},
        "system": {"product": "Acme Broker"},
    })  # fmt: skip
    return new_chapter(project, "50-releases", plan="first")


def test_a_chapter_on_releases_shows_every_size_and_answers_for_every_load(tmp_path: Path) -> None:
    project = new_project(tmp_path / "p", "T", "A")
    path = releases(project, message_bytes=[256, 2048], requesters=[1, 8])
    notebook = read_notebook(path)
    refuse_typed_numbers(notebook, path.name)  # of the question, too
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    assert 'runs, "product_version", split="message_bytes",' in code
    answer = 'variants_answer(Measured(chapter, "first"), "product_version", baseline=\'3.1\')'
    assert answer in code
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert "rates at {eval}`chapter.level_named('requesters', 1)`, " in text


def test_the_answer_is_the_ratio_of_the_table_with_a_verdict(tmp_path: Path) -> None:
    chapter = measured(tmp_path, {"3.1": 1.0, "3.2": 1.5, "3.3": 1.0}, loads=(1, 8))
    here = Measured(chapter, "made")
    text = variants_answer(here, "product_version", baseline="3.1")
    assert text is not None
    *lines, last = text.markdown.replace("\n\n", "\n").splitlines()
    assert len(lines) == 2 * 2 * 2
    assert lines[0].startswith("- 256\u00a0B, 1 requester: version 3\\.2 is faster, with [150")
    assert "of the rate of version 3\\.1 (95\u00a0% interval 1" in lines[0]
    assert lines[1].startswith(
        "- 256\u00a0B, 1 requester: no difference shown: version 3\\.3 has [100"
    )
    assert last == "Significance is adjusted for the number of comparisons (Holm 1979)."
    table = variants_table(
        here, "product_version", baseline="3.1", caption="C", split="message_bytes", requesters=1
    )
    assert table is not None
    assert "150" in [row[3].text for row in table.rows if row[0].text == "3.2"]
    one = variants_answer(here, "product_version", baseline="3.2", message_bytes=256, requesters=1)
    assert one is not None
    assert "Version 3\\.1 is slower, with [67" in one.markdown


def test_an_answer_concludes_nothing_where_a_mandatory_rule_fails(tmp_path: Path) -> None:
    here = Measured(measured(tmp_path, conclude=False), "made")
    text = variants_answer(here, "product_version", baseline="3.1")
    assert text is not None
    assert "- 256\u00a0B: version 3\\.2 has [150" in text.markdown
    assert "faster" not in text.markdown
    assert "No conclusion here, because" in text.markdown
    assert variants_answer(Measured(here.chapter, "gone"), "ha", baseline="none") is None
