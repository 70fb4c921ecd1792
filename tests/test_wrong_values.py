"""A value of a wrong type in a file of a project is refused with its place, whatever it is."""

from __future__ import annotations

import importlib
import pkgutil
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

import roundtrip
from roundtrip.campaign.manifest import load_manifest
from roundtrip.campaign.plan import PlanFile
from roundtrip.checks.suites import load_suites
from roundtrip.dictionary import load_dictionary
from roundtrip.drafting.contents import load_draft
from roundtrip.errors import CheckError, DataError, ParameterError, RenderError
from roundtrip.params import load_declarations
from roundtrip.present import Chapter
from roundtrip.present.appendices import glossary
from roundtrip.project import MANIFEST, Project
from roundtrip.publish.book_definition import load_book_definition
from roundtrip.sources.measured import read_campaign
from roundtrip.yamlfile import Strict, load_model, parse_yaml, validate
from workshop import ROOT, edit

CAMPAIGN = ROOT / "tests" / "data" / "campaigns" / "base-quick"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("!!int x", "int"), ("!!float x", "float"), ("!!bool maybe", "bool"), ("0x_", "int"),
        ("!!timestamp x", "timestamp"), ("9" * 5000, "int"),
    ],
)  # fmt: skip
def test_a_text_that_does_not_fit_its_tag_is_refused(text: str, kind: str) -> None:
    with pytest.raises(DataError, match=f"cannot be read as {kind}") as caught:
        parse_yaml(f"a: 1\nb: {text}\n", "x.yml", DataError)
    assert caught.value.where == "x.yml:2"


def test_a_list_that_is_called_a_mapping_is_refused() -> None:
    with pytest.raises(DataError, match="expected a mapping") as caught:
        parse_yaml("a: 1\nb: !!map [c]\n", "x.yml", DataError)
    assert caught.value.where == "x.yml:2"


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    return Path(shutil.copytree(CAMPAIGN, tmp_path / "base-quick"))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda all_: all_["sessions"][0].update(started="today"), "sessions.0.started: must be"),
        (lambda all_: all_["sessions"][0].update(ended="2026-01-01T10:00:00"), "a time in UTC"),
        (lambda all_: all_["sessions"][-1].pop("ended"), "complete, and its last session has no"),
        (lambda all_: all_.update(sessions=[]), "sessions: must have at least 1 item"),
        (lambda all_: all_["runs"][0].update(run="first"), "'first' is not the name of a run"),
        (lambda all_: all_["host"].pop("memory_mb"), "host: memory_mb is missing, or no number"),
        (lambda all_: all_["host"].update(processor=3), "host: processor is missing, or no text"),
        (lambda all_: all_.update(host="this one"), "host: must be a mapping"),
        (
            lambda all_: all_.update(seconds=float("inf")),
            "seconds: must be a finite number (it is inf)",
        ),
        (lambda all_: all_["plan"].update(measure_seconds=float("nan")), "plan.measure_seconds"),
    ],
)
def test_a_manifest_of_a_campaign_is_held_to_its_types(
    campaign: Path, change: Callable[[Any], object], says: str
) -> None:
    content = yaml.safe_load((campaign / MANIFEST).read_text("utf-8"))
    change(content)
    (campaign / MANIFEST).write_text(yaml.safe_dump(content), "utf-8")
    with pytest.raises(DataError) as caught:
        load_manifest(campaign)
    assert says in caught.value.what
    assert str(caught.value.where).startswith(f"{campaign / MANIFEST}:")


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("title:\nquestion: Q\nfactors: {}\n", 1, "title: must be text (it is empty)"),
        ("title: T\nquestion: Q\nfactors: {a: 8}\n", 3,
         "factors.a: must be a list, such as [one, two] (it is 8)"),
        ("title: T\nquestion: Q\nfactors: {a: [[8]]}\n", 3, "factors.a.0: must be text or a whole"),
        ("title: T\nquestion: Q\nfactors: {}\nprofiles:\n  quick: {search: {method: gird}}\n", 5,
          "profiles.quick.search.method: must be 'grid', 'until_peak' or 'until_slow' "
          "(it is 'gird')"),
    ],
)  # fmt: skip
def test_a_wrong_type_is_told_in_our_words_with_line_key_and_remedy(
    tmp_path: Path, text: str, line: int, says: str
) -> None:
    path = tmp_path / "plan.yml"
    path.write_text(text)
    with pytest.raises(ParameterError) as caught:
        load_model(path, PlanFile, ParameterError)
    assert caught.value.what.startswith(says)
    assert caught.value.where == f"{path}:{line}"
    assert caught.value.remedy


def test_an_empty_file_is_told_what_it_lacks_and_a_folder_in_its_place_is_named(
    tmp_path: Path,
) -> None:
    path = tmp_path / "plan.yml"
    for make, says in ((path.touch, "title: is missing"), (path.mkdir, "cannot be read: Is a dir")):
        make()
        with pytest.raises(ParameterError) as caught:
            load_model(path, PlanFile, ParameterError)
        assert caught.value.what.startswith(says)
        assert caught.value.where == str(path)
        assert caught.value.remedy
        path.unlink(missing_ok=True) if path.is_file() else path.rmdir()
    with pytest.raises(ParameterError) as caught:
        load_model(path, PlanFile, ParameterError)
    assert caught.value.remedy


def test_a_value_of_several_types_is_named_once_without_the_types_that_were_tried(
    tmp_path: Path,
) -> None:
    path = tmp_path / "_quarto.yml"
    path.write_text("project: {type: book}\nbook:\n  author: 3\n  chapters: [a.ipynb, 4]\n")
    with pytest.raises(RenderError) as caught:
        load_book_definition(path)
    assert caught.value.what == (
        "book.author: must be text or a list, such as [one, two] (it is 3); "
        "line 4: book.chapters.1: must be text (it is 4)"
    )


def test_many_wrong_entries_are_counted(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        validate({"words": [None] * 100}, _Words, "x.yml", DataError)
    assert caught.value.what.count("must be text") == 5
    assert caught.value.what.endswith("; and 95 more")


class _Words(Strict):
    words: list[str]


WRONG = (
    None, 3, -1, 1.5, "x", "", True, [], {}, [1], {"a": 1}, {1: 2}, float("inf"), "y" * 20_000,
    10**400,
)  # fmt: skip


def all_models(model: type[Strict] = Strict) -> set[type[Strict]]:
    return {model}.union(*(all_models(one) for one in model.__subclasses__()))


def test_no_key_of_any_file_is_refused_in_the_words_of_a_library() -> None:
    for module in pkgutil.walk_packages(roundtrip.__path__, "roundtrip."):
        if "__main__" not in module.name:
            importlib.import_module(module.name)
    told: list[str] = []
    for model in all_models():
        for name, field in model.model_fields.items():
            for value in WRONG:
                try:
                    validate({field.alias or name: value}, model, "x.yml", DataError)
                except DataError as problem:
                    told.append(problem.what)
    assert len(told) > 1_000
    foreign = re.compile(r"Input should|[Ss]hould be|Value error")
    assert [text for text in told if foreign.search(text) or len(text) > 7_000] == []


def test_a_repetition_in_other_digits_is_refused(campaign: Path) -> None:
    path = campaign / "points.csv"
    edit(path, "-r1,1,", "-r1,²,")
    with pytest.raises(DataError, match="repetition is not a whole number") as caught:
        read_campaign(campaign, load_dictionary(Project(ROOT).dictionary), campaign.parent)
    assert str(caught.value.where).startswith(f"{path}:")


@pytest.mark.parametrize(
    ("key", "value"),
    [("decimals", -1), ("decimals", 99), ("printed_units", {"x": 0}), ("minimum", float("nan"))],
)
def test_a_metric_has_numbers_that_can_be_used(tmp_path: Path, key: str, value: object) -> None:
    metric = {"unit": "u", "label": "L", "description": "D", key: value}
    path = tmp_path / "dictionary.yml"
    path.write_text(yaml.safe_dump({"metrics": {"mine": metric}}), "utf-8")
    with pytest.raises(DataError, match=f"metrics.mine.{key}") as caught:
        load_dictionary(path)
    assert str(caught.value.where).startswith(f"{path}:")


def test_a_parameter_has_finite_ends(tmp_path: Path) -> None:
    declared = {"type": "integer", "description": "D", "default": 2, "minimum": float("inf")}
    path = tmp_path / "parameters.yml"
    path.write_text(yaml.safe_dump({"parameters": {"mine": declared}}), "utf-8")
    with pytest.raises(ParameterError, match="minimum") as caught:
        load_declarations(path)
    assert str(caught.value.where).startswith(f"{path}:")


def test_a_glossary_explains_words_by_texts(tmp_path: Path) -> None:
    (tmp_path / "_quarto.yml").write_text("book: {}\n")
    path = tmp_path / "data" / "glossary.yml"
    path.parent.mkdir()
    path.write_text("one: a number\ntwo: [a, b]\n")
    with pytest.raises(DataError, match="two: must be text") as caught:
        glossary(Chapter(folder=tmp_path))
    assert caught.value.where == f"{path}:2"


def test_a_suite_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checks" / "mine.json"
    path.parent.mkdir()
    path.write_text("[" * 100_000)
    with pytest.raises(CheckError) as caught:
        load_suites(Project(tmp_path))
    assert str(caught.value.where).startswith(str(path))


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"title": "T"}', "\xff"], ids=["deep", "key", "bytes"]
)
def test_what_an_import_wrote_of_its_reading_is_refused_where_it_is_damaged(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "reading").mkdir()
    (tmp_path / "reading" / "drafted.json").write_text(text, "latin-1")
    with pytest.raises(DataError, match="does not say how it was read") as caught:
        load_draft(tmp_path)
    assert str(caught.value.where).startswith(str(tmp_path / "reading"))
