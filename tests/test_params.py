"""Parameters: typed, merged in a fixed order, refused before anything runs."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.cli.build import join_pairs
from roundtrip.errors import DataError, ParameterError, RoundtripError
from roundtrip.params import (
    NUMBER_FORMATS,
    ReportParameters,
    load_declarations,
    parameter_model,
    resolve_parameters,
)
from roundtrip.present.numbers import NumberFormat
from roundtrip.project import Project
from roundtrip.yamlfile import line_of, load_yaml, parse_yaml
from workshop import ROOT

HERE = Project(ROOT)
BASE = HERE.params / "report.yml"


def test_the_edition_in_the_repository_is_valid() -> None:
    parameters = resolve_parameters(HERE)
    assert parameters.message_bytes == (256, 2048, 20480, 204800, 2097152)
    assert {notice.title for notice in parameters.notices} >= {"No warranty", "Trademarks"}


def test_the_later_source_wins(tmp_path: Path) -> None:
    first, second = tmp_path / "a.yml", tmp_path / "b.yml"
    first.write_text("version: a\ntitle: a\nsubtitle: a\npaper: letter\n")
    second.write_text("version: b\ntitle: b\nsubtitle: b\n")
    parameters = resolve_parameters(
        HERE, [first, second], ["{version: y, title: y}"], [("version", "p"), ("version", "q")]
    )
    assert (parameters.version, parameters.title, parameters.subtitle) == ("q", "y", "b")
    assert parameters.paper == "letter"
    assert parameters.authors == resolve_parameters(HERE).authors


def test_a_value_that_no_file_set_has_no_place_and_equal_editions_are_equal(tmp_path: Path) -> None:
    path = tmp_path / "mine.yml"
    path.write_text("campaigns: [base-quick]\nchapters: [50-tls]\n")
    edition = resolve_parameters(HERE, [path])
    told = {"campaigns": f"{path}:1: campaigns", "chapters": f"{path}:2: chapters"}
    assert {name: edition.place_of(name) for name in told} == told
    other = edition.model_copy(update={"campaigns": ("tls-quick",)})
    assert other.place_of("campaigns") == "campaigns"
    assert other.place_of("chapters") == told["chapters"]
    assert edition.place_of("campaigns") == told["campaigns"]
    assert other != edition
    again = other.model_copy(update={"campaigns": edition.campaigns})
    assert again == edition == type(edition).model_validate(edition.model_dump())
    assert edition != edition.model_dump()


def test_secrets_are_refused_and_not_repeated(tmp_path: Path) -> None:
    path = tmp_path / "mine.yml"
    path.write_text("version: a\nsubtitle: started with --password=Kuckuck7uhr\n")
    for settings, where in (
        ({"files": [path]}, f"{path}:2"),
        ({"yaml_texts": ["title: 'password: Kuckuck7uhr'"]}, "command line"),
        ({"pairs": [("title", "amqp://me:Kuckuck7uhr@host")]}, "command line"),
    ):
        with pytest.raises(ParameterError, match="looks like a secret") as refusal:
            resolve_parameters(HERE, **settings)
        assert where in str(refusal.value)
        assert "Kuckuck7uhr" not in str(refusal.value)


def test_text_given_with_p_is_taken_as_it_is_and_lists_as_yaml() -> None:
    pairs = [("title", "TLS: yes & [no] #1"), ("version", "1.10"), ("message_bytes", "[2048]")]
    parameters = resolve_parameters(HERE, pairs=pairs)
    assert (parameters.title, parameters.version) == ("TLS: yes & [no] #1", "1.10")
    assert parameters.message_bytes == (2048,)


@pytest.mark.parametrize(
    ("name", "value", "parts"),
    [
        ("versoin", "1", ["unknown parameter 'versoin'", "did you mean 'version'?"]),
        ("qqqq", "1", ["unknown parameter 'qqqq'", "allowed: made_with, version, date"]),
        ("redact", "{hosts: [a]}", ["'redact' is a section", "remedy: write it into a file", "-f"]),
        ("rerun", "{}", ["'rerun' is a section of a parameter file, no parameter"]),
        ("made_with", "99.0", ["needs Roundtrip 99.0 or newer"]),
        ("paper", "a5", ["'a4' or 'letter'", "it is 'a5'"]),
        ("message_bytes", "2048", ["must be a list"]),
        ("message_bytes", "[]", ["must have at least 1 item"]),
        ("message_bytes", "[0]", ["must be greater than or equal to 1 (it is 0)"]),
        ("message_bytes", "['2048']", ["message_bytes.0", "a whole number"]),
        ("message_bytes", "[true]", ["a whole number"]),
        ("message_bytes", "[2048.5]", ["a whole number"]),
        ("message_bytes", "[2048", ["not valid YAML"]),
        ("chapters", "20-compression", ["must be a list"]),
        ("date", "2026-13-01", ["must be a date such as 2026-11-21"]),
        ("date", "tomorrow", ["must be a date"]),
        ("version", "../../etc", ["such as 1.2.0"]),
        ("version", ".hidden", ["such as 1.2.0"]),
        ("version", "1.0\n", ["such as 1.2.0"]),
        ("version", "", ["such as 1.2.0"]),
        ("number_format", "1.234,50", ["1.234,5"]),
        ("rate_unit", "msgs", ["'round trips/s' or 'messages/s'"]),
        ("title", "", ["must have at least 1 character"]),
        ("authors", "[]", ["must have at least 1 item"]),
        ("storage_baseline", "ssd", ["'SSD', 'SAN' or 'NFS'"]),
    ],
)
def test_what_is_wrong_is_refused(name: str, value: str, parts: list[str]) -> None:
    with pytest.raises(ParameterError) as caught:
        resolve_parameters(HERE, pairs=[(name, value)])
    message = str(caught.value)
    assert message.startswith(f"-p {name}:")
    assert [part for part in parts if part not in message] == []


def test_a_list_with_a_wrong_entry_is_not_called_empty_too() -> None:
    with pytest.raises(ParameterError) as caught:
        resolve_parameters(HERE, pairs=[("message_bytes", "[0]")])
    assert "entry" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("title: A\nversion: 1.10\n", 2, "must be in quotes"),
        ("title: A\nversion: yes\n", 2, "version"),
        ("# note\ntitle: A\n\nversoin: x\n", 4, "did you mean 'version'?"),
        ("title: A\ntitle: B\n", 2, "key 'title' is given twice"),
        ("title: A\n  b: c\n", 2, "not valid YAML"),
        ("notices:\n  - title: a\n    text: b\n  - titel: c\n    text: d\n", 4, "'titel'"),
        ("message_bytes:\n  - 2048\n  - x\n", 3, "a whole number"),
        ("paper: &p a5\nsubtitle: *q\n", 2, "undefined alias"),
        ("title: !!python/object/apply:os.system [id]\n", 1, "not valid YAML"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(
    tmp_path: Path, text: str, line: int, part: str
) -> None:
    path = tmp_path / "customer.yml"
    path.write_text(text)
    with pytest.raises(ParameterError) as caught:
        resolve_parameters(HERE, [path])
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert part in str(caught.value)


def test_files_that_are_missing_binary_or_no_mapping_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.yml"
    with pytest.raises(ParameterError, match="is missing"):
        resolve_parameters(HERE, [path])
    path.write_bytes(b"title: A\nsubtitle: \xff\n")
    with pytest.raises(ParameterError, match=r"a\.yml:2: is not UTF-8"):
        resolve_parameters(HERE, [path])
    for text in ("", "- a\n", "just text\n", "12\n"):
        path.write_text(text)
        with pytest.raises(ParameterError, match="must be a mapping"):
            resolve_parameters(HERE, [path])
    with pytest.raises(ParameterError, match="cannot be read: Is a directory"):
        resolve_parameters(HERE, [tmp_path])


def test_every_error_of_a_file_is_named_at_once(tmp_path: Path) -> None:
    shutil.copytree(HERE.params, tmp_path / "params")
    path = tmp_path / "params" / "report.yml"
    path.write_text(BASE.read_text().replace("paper: a4", "paper: a5\nrate_unit: x", 1)
                    .replace("rate_unit: round trips/s\n", ""))  # fmt: skip
    with pytest.raises(ParameterError) as caught:
        resolve_parameters(Project(tmp_path))
    assert "paper: " in str(caught.value)
    assert "rate_unit: " in str(caught.value)


def test_pairs_are_joined_as_papermill_writes_them() -> None:
    line = ["build", "-p", "title", "a=b", "--overwrite", "-p", "paper=a4", "-p", "x"]
    joined = ["build", "-p", "title=a=b", "--overwrite", "-p", "paper=a4", "-p", "x"]
    assert join_pairs(line) == joined
    assert join_pairs(["-p"]) == ["-p"]


def test_every_number_format_of_the_schema_can_be_written() -> None:
    for pattern in NUMBER_FORMATS:
        text = NumberFormat(pattern).write(1234.5, 1)
        assert text.replace("\u202f", " ") == pattern


def test_the_schema_refuses_changes_and_keys_of_its_own() -> None:
    parameters = resolve_parameters(HERE)
    with pytest.raises(ValueError, match="frozen"):
        parameters.version = "2"  # type: ignore[misc]
    declared = load_declarations(HERE.params / "parameters.yml")
    assert set(parameters.model_dump()) == {*ReportParameters.model_fields, *declared}


def test_a_project_needs_no_parameters(tmp_path: Path) -> None:
    parameters = resolve_parameters(Project(tmp_path))
    assert (parameters.version, parameters.date) == ("draft", "")
    book = {"title": "Acme", "author": "A. Author", "date": "2026-11-21", "chapters": ["a.ipynb"]}
    (tmp_path / "_quarto.yml").write_text(yaml.safe_dump({"book": book}))
    parameters = resolve_parameters(Project(tmp_path), pairs=[("title", "Acme Broker")])
    assert (parameters.title, parameters.authors) == ("Acme Broker", ("A. Author",))
    assert parameters.date == "2026-11-21"


def test_a_project_declares_parameters(tmp_path: Path) -> None:
    (tmp_path / "params").mkdir()
    (tmp_path / "params" / "parameters.yml").write_text(
        "parameters:\n"
        "  prefetch: {type: integer, minimum: 0, default: 100, description: Of each client.}\n"
        "  brokers: {type: string, list: true, allowed: [a, b], default: [a], description: X.}\n"
        "  loud: {type: boolean, default: false, description: Or not.}\n"
    )
    project = Project(tmp_path)
    values = resolve_parameters(project, pairs=[("prefetch", "200"), ("loud", "true")])
    assert values.model_dump()["prefetch"] == 200
    assert values.model_dump()["brokers"] == ("a",)
    assert values.model_dump()["loud"] is True
    for name, value, part in [
        ("prefetch", "-1", "must be greater than or equal to 0 (it is -1)"),
        ("prefetch", "x", "a whole number"),
        ("brokers", "[c]", "'a' or 'b'"), ("brokers", "[]", "at least 1"),
        ("loud", "1", "true or false"),
        ("prefech", "1", "did you mean 'prefetch'?"),
    ]:  # fmt: skip
        with pytest.raises(ParameterError) as caught:
            resolve_parameters(project, pairs=[(name, value)])
        assert part in str(caught.value)


def test_a_parameter_that_names_a_file_is_refused_without_it(tmp_path: Path) -> None:
    (tmp_path / "params" / "loads").mkdir(parents=True)
    (tmp_path / "params" / "loads" / "orders.yml").write_text("")
    (tmp_path / "params" / "parameters.yml").write_text(
        "parameters:\n"
        "  load: {type: string, file: params/loads/*.yml, default: orders, description: X.}\n"
        '  log: {type: string, file: data/*/points.csv, default: "", description: X.}\n'
    )
    project = Project(tmp_path)
    assert resolve_parameters(project, pairs=[("log", "")]).model_dump()["load"] == "orders"
    for name, value, part in (
        ("load", "order", "unknown load 'order' (did you mean 'orders'?)"),
        ("load", "", "unknown load ''"),
        ("log", "lab", "there is no data/*/points.csv yet"),
    ):
        with pytest.raises(ParameterError) as caught:
            resolve_parameters(project, pairs=[(name, value)])
        assert part in str(caught.value)
        assert caught.value.where == f"-p {name}"


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        (
            "a: {type: string, file: ../*.yml, default: x, description: A.}",
            2,
            "a path in the project with one *",
        ),
        (
            "a: {type: integer, default: x, description: A.}",
            2,
            "default is not allowed: a: must be a whole",
        ),
        ("title: {type: string, default: x, description: A.}", 2, "cannot be the name"),
        ("class: {type: string, default: x, description: A.}", 2, "cannot be the name"),
        ("a: {type: text, default: x, description: A.}", 2, "parameters.a.type"),
        ("a: {type: string, default: x, description: A., min: 1}", 2, "unknown key 'min'"),
        ("a: {type: string, default: x}", 2, "description: is missing"),
        (
            "a: {type: integer, allowed: [x], default: x, description: A.}",
            2,
            "allowed has 'x', which is no integer",
        ),
        (
            "a: {type: string, minimum: 3, default: x, description: A.}",
            2,
            "minimum and maximum are of numbers",
        ),
        (
            "a: {type: integer, maximum: 2, allowed: [1, 2], default: 1, description: A.}",
            2,
            "minimum and maximum are of numbers",
        ),
        ("a: {type: number, default: true, description: A.}", 2, "must be a number (it is true)"),
    ],
)
def test_a_wrong_declaration_is_refused(tmp_path: Path, text: str, line: int, part: str) -> None:
    path = tmp_path / "parameters.yml"
    path.write_text(f"parameters:\n  {text}\n")
    with pytest.raises(ParameterError) as caught:
        parameter_model(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert part in str(caught.value)


# --- YAML ----------------------------------------------------------------------------------

keys = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1)
scalars = st.none() | st.booleans() | st.integers() | keys
documents = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4)
)


@given(documents)
def test_plain_data_comes_back_from_yaml(content: object) -> None:
    text = yaml.safe_dump(content, allow_unicode=True)
    assert parse_yaml(text, "here", DataError) == content


@given(st.text(max_size=60))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    with suppress(RoundtripError):  # and with nothing else
        parse_yaml(text, "here", DataError)


@given(st.dictionaries(keys, scalars, min_size=1, max_size=5))
def test_the_line_of_a_key_is_found(content: dict[str, object]) -> None:
    def dumps(value: object) -> str:
        return json.dumps(value, ensure_ascii=False)

    text = "".join(f"{dumps(key)}: {dumps(value)}\n" for key, value in content.items())
    for number, key in enumerate(content, start=1):
        assert line_of(text, [key]) == number


@pytest.mark.parametrize("text", ["[" * 50_000 + "]" * 50_000, "- " * 50_000 + "a"])
def test_what_is_nested_deeper_than_can_be_read_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.yml"
    path.write_text("[" * 100 + "]" * 100)
    load_yaml(path, DataError)
    path.write_text("# ]]]]\n" + text)
    with pytest.raises(DataError, match=r"a\.yml:2: .*nested more than 100 deep"):
        load_yaml(path, DataError)


def test_dates_and_duplicate_keys_are_not_reinterpreted(tmp_path: Path) -> None:
    path = tmp_path / "a.yml"
    path.write_text("date: 2026-11-21\nnested: {on: 1}\n")
    assert load_yaml(path, DataError) == {"date": "2026-11-21", "nested": {True: 1}}
    path.write_text("a:\n  b: 1\n  b: 2\n")
    with pytest.raises(DataError, match=r"a\.yml:3: .*key 'b' is given twice"):
        load_yaml(path, DataError)
    path.write_text("base: &b {x: 1, y: 2}\na:\n  <<: *b\n  x: 3\n")
    assert load_yaml(path, DataError)["a"] == {"x": 3, "y": 2}
    assert line_of("", ["a"]) is None
    assert line_of("a: [1, {b: 2}]\nc:\n- d\n", ["c", 0, "x"]) == 3
