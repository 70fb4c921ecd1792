"""What a report says of a campaign whose runs took turns on brokers that were running already."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from made_campaign import NAME, NOISE, Row, make_campaign
from roundtrip.campaign.resolve import resolve_plan
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import ParameterError
from roundtrip.present import (
    Chapter,
    Measured,
    disclosure,
    measured_limits,
    measured_lines,
    variants_answer,
    variants_figure,
    variants_table,
)
from roundtrip.present.configuration import campaigns_table
from roundtrip.present.measured.words import times
from roundtrip.project import Project
from roundtrip.publish.chapters.notebooks import read_notebook
from roundtrip.publish.chapters.typed_numbers import refuse_typed_numbers
from roundtrip.skeletons import new_chapter, new_project
from workshop import answer, change_yaml, copy_project, roundtrip, waive, write_yaml

pytestmark = pytest.mark.slow

FASTER = {"3.1": 1.0, "3.2": 1.5}
SYSTEM = {"product": "Acme Broker", "what": "two containers on one machine"}


def measured(
    tmp_path: Path, speeds: Mapping[str, float] = FASTER, factor: str = "product_version", *,
    loads: Sequence[int] = (4,), system: Mapping[str, str] = SYSTEM, scheme: str = "amqp",
    repetitions: int = 2, doubt: str | None = None, conclude: bool = True,
    target_rate: float | None = None,
) -> Chapter:  # fmt: skip
    """Make a campaign over brokers, each of which is so many times as fast as the usual one.

    At a set rate all keep it, and a faster one takes less time.
    """
    faster, power = ("round_trip_time", -1) if target_rate else ("round_trip_rate", 1)
    project = copy_project(tmp_path, ("_quarto.yml",))

    def spoil(manifest: dict[str, Any], rows: list[Row]) -> None:
        runs = manifest["runs"]
        names = {
            (level, load, run["run"]): run["run"]
            .replace("b-c4", f"b-{place}-c{load}")
            for place, level in enumerate(speeds) for load in loads for run in runs
        }  # fmt: skip
        manifest["runs"] = [
            {**run, "run": names[level, load, run["run"]], "doubt": doubt}
            for level in speeds for load in loads for run in runs
        ]  # fmt: skip
        rows[:] = [
            {**row, "run": names[level, load, row["run"]], factor: level, "requesters": load,
             "target_rate": target_rate,
             "value": row["value"] * (speeds[level] ** power if row["metric"] == faster else 1)}
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
        manifest["plan"]["repetitions"] = repetitions
        if repetitions == len(NOISE):
            manifest["sessions"] = manifest["sessions"][:1]

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


def test_a_chapter_on_releases_shows_and_answers_for_every_size(tmp_path: Path) -> None:
    project = new_project(tmp_path / "p", "T", "A")
    path = releases(project, message_bytes=[256, 2048], requesters=[1, 8])
    notebook = read_notebook(path)
    refuse_typed_numbers(notebook, path.name)  # of the question, too
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    assert 'runs, "product_version", split="message_bytes",' in code
    said = "variants_answer(runs, \"product_version\", baseline='3.1')"
    assert said in code
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert "rates at {eval}`chapter.level_named('requesters', 1)`, " in text
    done = answer("new", "chapter", "51-again", "--plan", "first", project=project)
    assert done.returncode == 0
    assert "rerun" not in done.stdout  # it would be refused


@pytest.mark.parametrize(
    ("factors", "answer"),
    [
        ({"responders": [1, 4]}, 'variants_answer(runs, "responders", baseline=1)'),
        ({"message_bytes": [256, 2048], "requesters": [1, 4]}, "measured_limits(runs)"),
    ],
)
def test_a_chapter_compares_what_its_plan_varies_beside_load_and_size(
    tmp_path: Path, factors: dict[str, Any], answer: str
) -> None:
    project = new_project(tmp_path / "p", "T", "A")
    plan = {"delivery": ["nonpersistent"], "message_bytes": [2048], "requesters": [4], **factors}
    change_yaml(project.params / "campaigns" / "first.yml", {"control": None, "factors": plan})
    code = read_notebook(new_chapter(project, "50-it", plan="first")).cells[2].source
    assert f"answer = {answer} or (" in code


def test_a_chapter_on_releases_is_built_as_it_was_written(tmp_path: Path) -> None:
    project = measured(tmp_path, loads=(1, 8)).project
    path = new_chapter(project, "50-releases", campaigns=[NAME])
    book = {"project": {"type": "book"}, "book": {"chapters": [f"notebooks/{path.name}"]}}
    write_yaml(project.root / "_quarto.yml", book)
    done = roundtrip("build", project=project)
    assert done.returncode == 0, done.stderr
    (page,) = project.reports.glob("*/html/index.html")
    text = " ".join(re.sub("<[^>]+>", " ", page.read_text("utf-8")).split())
    assert text.count("version 3.2: faster, with 1") == 2


def test_the_answer_is_the_ratio_of_the_table_with_a_verdict(tmp_path: Path) -> None:
    chapter = measured(tmp_path, {"3.1": 1.0, "3.2": 1.5, "3.3": 1.0}, loads=(1, 8))
    here = Measured(chapter, "made")
    text = variants_answer(here, "product_version", baseline="3.1")
    assert text is not None
    *lines, last = text.markdown.replace("\n\n", "\n").splitlines()
    assert len(lines) == 2 * 2 * 2
    assert lines[0].startswith("- 256\u00a0B, 1 requester, version 3\\.2: faster, with [150")
    assert "of the rate of version 3\\.1 (95\u00a0% interval 1" in lines[0]
    assert lines[1].startswith(
        "- 256\u00a0B, 1 requester, version 3\\.3: no difference shown, with [100"
    )
    assert last == "Significance is adjusted for the number of comparisons (Holm 1979)."
    loads = variants_answer(here, "requesters", baseline=1)
    assert loads is not None
    assert (
        "version 3\\.1, 256\u00a0B, 8 requesters: no difference shown, with [100" in loads.markdown
    )
    table = variants_table(
        here, "product_version", baseline="3.1", caption="C", split="message_bytes", requesters=1
    )
    assert table is not None
    assert "150" in [row[3].text for row in table.rows if row[0].text == "3.2"]
    one = variants_answer(here, "product_version", baseline="3.2", message_bytes=256, requesters=1)
    assert one is not None
    assert "version 3\\.1: slower, with [67" in one.markdown


def test_an_answer_compares_no_two_loads(tmp_path: Path) -> None:
    chapter = measured(tmp_path, loads=(1, 8))
    path = chapter.project.campaigns / "made-full" / "points.csv"
    head, *rows = path.read_text("utf-8").splitlines()
    level, load = (head.split(",").index(name) for name in ("product_version", "requesters"))
    apart = {("3.1", "1"), ("3.2", "8")}  # as in a plan whose parts differ in both
    kept = [row for row in rows if (row.split(",")[level], row.split(",")[load]) in apart]
    path.write_text("\n".join([head, *kept, ""]), encoding="utf-8")
    here = Measured(Chapter(folder=chapter.project.root), "made")
    assert here.levels("product_version") == ["3.1", "3.2"]
    assert variants_answer(here, "product_version", baseline="3.1") is None


def test_an_answer_concludes_nothing_where_a_mandatory_rule_fails(tmp_path: Path) -> None:
    here = Measured(measured(tmp_path, conclude=False), "made")
    text = variants_answer(here, "product_version", baseline="3.1")
    assert text is not None
    assert "- 256\u00a0B, version 3\\.2: [150" in text.markdown
    assert "faster" not in text.markdown
    assert text.markdown.startswith("No conclusion here, because")
    limits = measured_limits(here)
    assert limits is not None
    assert limits.markdown.startswith("No conclusion here, because")
    assert "B the rate was [" in limits.markdown
    assert "highest" not in limits.markdown
    assert variants_answer(Measured(here.chapter, "gone"), "ha", baseline="none") is None


def test_an_answer_compares_times_where_the_rate_was_set(tmp_path: Path) -> None:
    here = Measured(measured(tmp_path, target_rate=1000.0), "made")
    text = variants_answer(here, "product_version", baseline="3.1")
    assert text is not None
    assert "version 3\\.2: faster, with [67" in text.markdown
    assert "of the mean round-trip time of version 3\\.1" in text.markdown
    assert "Where the plan set the rate, round-trip times are compared." in text.markdown
    assert "of the rate" not in text.markdown


def said(chapter: Chapter) -> str:
    """Give the disclosure of the campaign, without escapes."""
    return disclosure(Measured(chapter, "made")).markdown.replace("\\", "")


def test_each_release_has_a_broker_and_the_product_both_versions(tmp_path: Path) -> None:
    chapter = measured(tmp_path, {"3.10": 1.0, "3.8": 1.5})
    told = said(chapter)
    assert "with Acme Broker 3.10 and 3.8 through JMS" in told
    assert (
        "for the drivers. Runs took turns on brokers that differ in version (two containers on one "
        "machine). Each broker was running already and was reached over a network. On a small "
    ) in told
    assert "version (3.8, 3.10)" in told
    assert "client" not in told
    here = Measured(chapter, "made")
    assert here.levels("product_version") == ["3.8", "3.10"]
    table = campaigns_table(chapter)
    assert table is not None
    assert "Acme Broker 3.10 and 3.8, two containers on one machine" in [
        cell.text for cell in table.rows[0]
    ]


def test_two_products_are_named_by_their_levels_alone(tmp_path: Path) -> None:
    speeds = {"Acme Broker": 1.0, "Best Broker": 1.5}
    told = said(measured(tmp_path, speeds, "product", system={"host": "16 cores"}))
    assert "with Acme Broker and Best Broker through JMS" in told
    assert "Runs took turns on brokers that differ in product (on 16 cores). Each broker" in told


def test_any_other_factor_says_that_its_levels_have_brokers(tmp_path: Path) -> None:
    speeds = {"none": 1.0, "replicated pair": 0.5}
    chapter = measured(tmp_path, speeds, "ha", system={**SYSTEM, "version": "3.1"})
    assert "with Acme Broker 3.1 through JMS" in said(chapter)
    assert "brokers that differ in high availability (two containers" in said(chapter)
    limits = measured_limits(Measured(chapter, "made"))
    assert limits is not None
    assert "with 4 requesters, no high availability, at" in limits.markdown


def test_what_reached_the_brokers_is_told_where_it_differs(tmp_path: Path) -> None:
    chapter = measured(tmp_path, scheme="artemis")
    words = (
        "The client's protocol differs, too (amqp for version 3.1; tcp for version 3.2): a ratio "
        "is that of broker and client together."
    )
    assert words in said(chapter)
    here = Measured(chapter, "made")
    table = variants_table(here, "product_version", baseline="3.1", caption="C")
    figure = variants_figure(here, "product_version", title="T", caption="C.")
    assert table is not None
    assert figure is not None
    assert words in table.notes
    assert words in figure.caption
    sizes = measured_lines(here, "message_bytes", title="T", caption="C.", product_version="3.1")
    assert sizes is not None
    assert words not in sizes.caption


def test_how_often_points_were_run_follows_their_runs(tmp_path: Path) -> None:
    chapter = measured(tmp_path)
    manifest = chapter.observations.campaign(NAME)
    runs = [run for run in manifest.runs if run.run != "nonpersistent-256b-0-c4-r1"]
    blocks = "in 2 blocks at least 2\u00a0h apart"
    assert times(manifest) == f"Runs per point: 4, {blocks}."
    one_failed = manifest.model_copy(update={"runs": tuple(runs)})
    assert times(one_failed) == f"Runs per point: 3 to 4, {blocks}."
    runs = [run for run in manifest.runs if not run.run.endswith("256b-0-c4-r3")]
    stopped = manifest.model_copy(
        update={"runs": tuple(run for run in runs if not run.run.endswith("256b-0-c4-r4"))}
    )
    assert times(stopped) == f"Runs per point: 2 to 4, {blocks}."
    first = manifest.model_copy(update={"sessions": manifest.sessions[:1]})
    assert times(first) == "Runs per point: 4."


@pytest.mark.parametrize(
    ("factor", "system", "told"),
    [
        ("product_version", {"product": "Acme Broker", "version": "3.1"},
         "product_version varies, so no version is that of all brokers"),
        ("product", {"product": "Acme Broker"}, "product varies, so no product is that of all"),
        ("product", {"version": "3.1"}, "product varies, so no version is that of all"),
        ("product_version", {"what": "containers"}, "does not say of which product its broker is"),
    ],
)  # fmt: skip
def test_a_plan_says_once_which_products_it_is_about(
    tmp_path: Path, factor: str, system: dict[str, str], told: str
) -> None:
    project = new_project(tmp_path / "p", "T", "A")
    levels = ["3.1", "3.2"]
    urls = {level: f"amqp://acme{level}.example:5672" for level in levels}
    changes = {
        "factors": {"delivery": ["nonpersistent"], "message_bytes": [2048], "responders": [4],
                    "requesters": [4], factor: levels},
        "control": None, "set_by": {factor: {"broker_url": urls}},
    }  # fmt: skip
    path = project.params / "campaigns" / "first.yml"
    change_yaml(path, {**changes, "system": system})
    with pytest.raises(ParameterError, match=told) as caught:
        resolve_plan(project, "first", "quick", load_dictionary(project.dictionary))
    assert "first.yml" in str(caught.value)
    right = {} if factor == "product" else {"product": "Acme Broker"}
    change_yaml(path, {**changes, "system": {**right, "what": "containers"}})
    plan = resolve_plan(project, "first", "quick", load_dictionary(project.dictionary))
    assert plan.system is not None
    assert plan.system.product == right.get("product")
