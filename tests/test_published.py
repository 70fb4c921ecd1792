"""Published reports are read cell by cell, and refused with file and line when they are wrong."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.campaign.manifest import load_manifest
from roundtrip.dictionary import PROVENANCE, VALUE, Dictionary, load_dictionary
from roundtrip.errors import DataError
from roundtrip.observations import Observations, Partition, load_observations
from roundtrip.project import Project
from roundtrip.sources.cells import parse_printed
from roundtrip.sources.published import load_report, read_report
from workshop import ROOT, V94, edit, read_yaml, write_yaml

APPLIANCE = "mq-appliance-m2003"

# --- printed numbers -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("370,602", 370602, ""), ("97.69", 97.69, ""), ("34%", 34, "%"), ("34 %", 34, "%"),
        (" 991 ", 991, ""), ("-1.5", -1.5, ""), ("1,234,567.25", 1234567.25, ""),
        ("0", 0, ""), ("12345", 12345, ""), ("007", 7, ""), ("0.0012sec", 0.0012, "sec"),
        ("0.002 seconds", 0.002, "seconds"), ("158K per client", 158, "K per client"),
        ("8515839/sec", 8515839, "/sec"), ("80 uSec", 80, "uSec"), ("50\u00b5s", 50, "\u00b5s"),
        ("1766490500428657 uSec", 1766490500428657, "uSec"),
    ],
)  # fmt: skip
def test_printed_numbers_are_read(text: str, value: float, unit: str) -> None:
    assert parse_printed(text) == (value, unit)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "x", "n/a", "-", "1.234,5", "1 234", "1\u202f234", "1'234", "1,23", "12,34,567",
        "1,2345", ",123", "1,", "1.", ".5", "1.2.3", "1e5", "inf", "nan", "0x10", "1_000", "+5",
        "\u22125", "\u0663\u0664", "\uff11\uff12", "12%%", "%", "5%x", "K", "<5", "~5", "1,234.5,6",
        "(38)", "12-13", "n/a*",
        "12\n34", "\u00bd", "5\u00b2", "9" * 16, "9" * 400,
    ],
)  # fmt: skip
def test_what_is_no_printed_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a number|digits"):
        parse_printed(text)


@given(st.integers(-(10**9), 10**9), st.integers(0, 5), st.booleans(), st.booleans())
def test_what_is_printed_comes_back(
    digits: int, decimals: int, grouped: bool, percent: bool
) -> None:
    number = Decimal(digits).scaleb(-decimals)
    text = f"{number:{',' if grouped else ''}.{decimals}f}" + ("%" if percent else "")
    assert parse_printed(text) == (float(number), "%" if percent else "")


@given(st.text("0123456789,.%- \u00a0\u202f'eE+_\u0663", max_size=14))
def test_nothing_is_ever_misread(text: str) -> None:
    try:
        value, unit = parse_printed(text)
    except ValueError:
        return
    bare = text.strip()
    assert unit in ("", "%") or unit.isalpha()
    assert bare.endswith(unit)
    bare = bare.removesuffix(unit).strip()
    whole, _, fraction = bare.lstrip("-").partition(".")
    assert whole.replace(",", "").isascii()
    if "," in whole:
        assert f"{int(whole.replace(',', '')):,}".zfill(len(whole)) == whole or whole[0] == "0"
        first, *groups = whole.split(",")
        assert 1 <= len(first) <= 3
        assert all(len(group) == 3 for group in groups)
    assert "," not in fraction
    assert value == float(Decimal(bare.replace(",", "")))


# --- the dictionary ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dictionary() -> Dictionary:
    return load_dictionary(ROOT / "data" / "dictionary.yml")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("message_bytes", "2048", 2048), ("message_bytes", 2048, 2048), ("message_bytes", "", None),
        ("message_bytes", None, None), ("tls_protocol", "TLS 1.3", "TLS 1.3"),
        ("product", "IBM MQ", "IBM MQ"),
    ],
)  # fmt: skip
def test_factors_have_the_type_of_the_dictionary(
    dictionary: Dictionary, name: str, text: object, value: object
) -> None:
    found = dictionary.factor_value(name, text, "here")
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("message_byte", "1", "unknown factor 'message_byte' (did you mean 'message_bytes'?)"),
        ("message_bytes", "2K", "which is not a whole number"),
        ("message_bytes", "2048.0", "which is not a whole number"),
        ("message_bytes", True, "which is not a whole number"),
        ("message_bytes", "-1", "allowed: a whole number of at least "),
        ("tls_protocol", "TLS1.3", "did you mean 'TLS 1.3'?"),
        ("ha_link_rtt_ms", "nan", "which is not a number"),
        ("ha_link_rtt_ms", "inf", "which is not a number"),
        ("ha_link_rtt_ms", "-1", "of at least 0"),
        ("message_bytes", "2_048", "which is not a whole number"),
        ("message_bytes", " 2048", "which is not a whole number"),
        ("message_bytes", "\u0662", "which is not a whole number"),
    ],
)
def test_wrong_factors_are_refused(
    dictionary: Dictionary, name: str, text: object, part: str
) -> None:
    with pytest.raises(DataError) as caught:
        dictionary.factor_value(name, text, "here:3")
    assert str(caught.value).startswith("here:3: ")
    assert part in str(caught.value)


def test_metrics_have_ranges(dictionary: Dictionary) -> None:
    cpu, rate = dictionary.metric("cpu", "here"), dictionary.metric("round_trip_rate", "here")
    assert cpu.refusal(100) is None
    assert cpu.refusal(0) is None
    assert "at most 100" in str(cpu.refusal(100.1))
    assert "at least 0" in str(cpu.refusal(-0.1))
    assert "above 0" in str(rate.refusal(0))
    with pytest.raises(DataError, match="did you mean 'cpu'"):
        dictionary.metric("cpuu", "here")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("factors:\n  cpu: {type: string, label: a, description: b}", ":2: 'cpu' is defined both"),
        (
            "factors:\n  a: {type: string, label: A, description: b}\n"
            "  b: {type: string, label: A, description: b}",
            ":3: 'b' has the label of 'a'",
        ),
        ("factors:\n  a: {type: string, label: Requesters, description: b}", "of 'requesters'"),
        ("factors:\n  a: {type: string, label: [A], description: b}", "factors.a.label"),
        ("factors:\n  prefetch: {type: text, label: a, description: b}", "factors.prefetch.type"),
        ("factors:\n  a: {type: string, lable: a, description: b}", "did you mean 'label'?"),
        ("metrics: []", "metrics"),
        ("factors:\n  value: {type: string, label: a, description: b}", "cannot be the name"),
        ("factors:\n  A b: {type: string, label: a, description: b}", ":2: 'A b' cannot be the"),
        ("factors:\n  a: {type: string}\n  a: {type: string}", "key 'a' is given twice"),
        ("factors:\n  message_bytes:\n    unit: KB", ":3: factors.message_bytes.unit would change"),
        ("factors:\n  product: {allowed: [Acme]}", "factors.product.allowed would change"),
        ("metrics:\n  cpu: {maximum: 1600}", "metrics.cpu.maximum would change"),
        ("metrics:\n  cpu: {printed_units: {'%': 100}}", "would change what Roundtrip means by"),
        ("statistics: {p99: Mean}", "statistics.p99 would change"),
    ],
)
def test_a_wrong_dictionary_is_refused(tmp_path: Path, text: str, part: str) -> None:
    path = tmp_path / "dictionary.yml"
    path.write_text(text)
    with pytest.raises(DataError) as caught:
        load_dictionary(path)
    assert str(caught.value).startswith(f"{path}:")
    assert part in str(caught.value)


def test_every_name_of_the_package_can_be_a_column(tmp_path: Path) -> None:
    base = load_dictionary(tmp_path / "none.yml")
    names = [*base.factors, *base.metrics]
    assert len({*names, *PROVENANCE, *VALUE}) == len(names) + len(PROVENANCE) + len(VALUE)
    assert all(name.isidentifier() and name.islower() for name in names)


def test_a_project_adds_to_the_dictionary(tmp_path: Path) -> None:
    path = tmp_path / "dictionary.yml"
    path.write_text(
        "factors:\n"
        "  prefetch_size: {type: integer, minimum: 0, label: Prefetch, description: Of clients.}\n"
        "  ha: {allowed: [raft], description: Raft is what Acme has.}\n"
        "metrics:\n  cpu: {printed_units: {percent: 1}}\n"
    )
    base, extended = load_dictionary(tmp_path / "none.yml"), load_dictionary(path)
    assert extended.factor_value("prefetch_size", "100", "here") == 100
    assert extended.factor_value("ha", "raft", "here") == "raft"
    assert extended.factors["ha"].description.endswith("Raft is what Acme has.")
    assert extended.metrics["cpu"].spelled("percent") == "%"
    assert [*extended.factors] == [*base.factors, "prefetch_size"]
    with pytest.raises(DataError, match="unknown factor"):
        base.factor_value("prefetch_size", "100", "here")
    # A kernel outlives an edit of the file.
    path.write_text(path.read_text().replace("prefetch_size", "prefetch_bytes"))
    assert [*load_dictionary(path).factors] == [*base.factors, "prefetch_bytes"]


# --- files ---------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with the published data alone."""
    ours = shutil.ignore_patterns("campaigns", "payloads")
    shutil.copytree(ROOT / "data", tmp_path / "data", ignore=ours)
    shutil.copy(ROOT / "_quarto.yml", tmp_path)
    return Project(tmp_path)


def folder_of(project: Project) -> Path:
    return project.published / V94


def read(project: Project) -> list[Any]:
    return read_report(folder_of(project), load_dictionary(project.dictionary), project.root)


def refusal(project: Project) -> str:
    with pytest.raises(DataError) as caught:
        read(project)
    return str(caught.value).replace(str(project.root) + "/", "")


FIRST = 'RR-CC (2K Non-persistent),2048,"370,602",97.69,270'
TABLE_3 = f"data/published/{V94}/table-03.csv"


@pytest.mark.parametrize(
    ("line", "place", "part"),
    [
        (FIRST.replace('"370,602"', "many"), ":2: V9.4 / Max Rate*", "'many' is not a number"),
        (FIRST.replace('"370,602"', '"3,70602"'), ":2: V9.4 / Max Rate*", "'3,70602' is not a"),
        (FIRST.replace('"370,602"', '"370.602,0"'), ":2: V9.4 / Max Rate*", "is not a number"),
        (FIRST.replace('"370,602"', "370,602"), ":2", "6 values under 5 headers"),
        (FIRST.replace(",270", ""), ":2", "4 values under 5 headers"),
        (FIRST.replace('"370,602"', "0"), ":2: V9.4 / Max Rate*", "must be above 0"),
        (FIRST.replace("97.69", "197.69"), ":2: V9.4 / CPU%", "must be at most 100"),
        (FIRST.replace('"370,602"', "37%"), ":2: V9.4 / Max Rate*", "has a percent sign"),
        (FIRST.replace("2048", "2K"), ":2: V9.4 / Max Rate*", "not a whole number"),
        (f"{FIRST}\n{FIRST}", ":3", "row 'RR-CC (2K Non-persistent)' repeats line 2"),
        (FIRST.replace("RR-CC", "RR\0CC"), ":2", "hidden character U+0000"),
        (FIRST.replace("RR-CC", '"RR-CC'), ":", "is not CSV"),
        (FIRST.replace("270", ""), "", "has 11 values, report.yml declares 12"),
        ("", "", "has 9 values, report.yml declares 12"),
        (FIRST.replace(",270", ",270.5"), ":2: V9.4 / Clients", "whole number"),
    ],
)
def test_a_wrong_row_is_refused_with_its_line(
    project: Project, line: str, place: str, part: str
) -> None:
    edit(folder_of(project) / "table-03.csv", FIRST, line)
    message = refusal(project)
    assert message.startswith(TABLE_3 + place), message
    assert part in message


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("message_bytes", "message_byte", "unknown factor 'message_byte' (did you mean 'message_b"),
        ("V9.4 / CPU%", "V9.4 / CPU", "no column 'V9.4 / CPU%' (did you mean 'V9.4 / CPU'?)"),
        ("row,", "label,", "no column 'row'"),
        ("V9.4 / Clients", "V9.4 / Clients,remark", "unknown factor 'remark'"),
        ("message_bytes", "row", "header 'row' appears twice"),
        ("row,", "", "no column 'row'"),
    ],
)
def test_a_wrong_header_is_refused(project: Project, old: str, new: str, part: str) -> None:
    edit(folder_of(project) / "table-03.csv", old, new)
    message = refusal(project)
    assert message.startswith(f"{TABLE_3}:1: ")
    assert part in message


def test_unknown_metric_and_statistic_of_a_row_are_refused(project: Project) -> None:
    path = folder_of(project) / "sec-6.3-san.csv"
    edit(path, "rate_ratio", "rate_ration")
    assert "sec-6.3-san.csv:4: Rate: unknown metric 'rate_ration' (did you mean" in refusal(project)
    edit(path, "rate_ration,derived", "rate_ratio,dervied")
    assert "unknown statistic 'dervied' (did you mean 'derived'?)" in refusal(project)


def test_files_that_are_no_text_are_refused(project: Project) -> None:
    path = folder_of(project) / "table-03.csv"
    original = path.read_bytes()
    path.write_bytes(original.replace(b"20K", b"20\xff"))
    assert refusal(project).startswith(f"{TABLE_3}:3: is not UTF-8")
    path.write_bytes(original.decode().encode("utf-16"))
    assert "is not UTF-8" in refusal(project)
    path.write_bytes(b"")
    assert refusal(project).startswith(f"{TABLE_3}: the file is empty")
    path.write_bytes(b"\n\n")
    assert "the file is empty" in refusal(project)


def test_line_ends_byte_order_mark_and_empty_lines_do_not_matter(project: Project) -> None:
    columns = ("observation_id", "value_printed", "row_label")
    before = [[row[name] for name in columns] for row in read(project)]
    path = folder_of(project) / "table-03.csv"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n")
    assert [[row[name] for name in columns] for row in read(project)] == before


def test_a_row_label_may_hold_any_text(project: Project) -> None:
    path = folder_of(project) / "table-03.csv"
    label = "=cmd()|\u2028 <b>\u00e9</b>\nsecond line"
    edit(path, "RR-CC (2K Non-persistent)", '"' + label + '"')
    rows = [row for row in read(project) if row["table_id"] == "table-03"]
    assert rows[0]["row_label"] == label
    assert rows[0]["observation_id"] == f"{V94}/table-03/r1c1"
    assert rows[3]["line"] == 4  # the label takes two lines


def test_csv_files_and_tables_belong_together(project: Project) -> None:
    folder = folder_of(project)
    shutil.copy(folder / "table-03.csv", folder / "table-99.csv")
    assert "table-99.csv is not named in report.yml" in refusal(project)
    (folder / "table-03.csv").unlink()
    message = refusal(project)
    assert "table-03.csv is named in report.yml but missing" in message
    assert "remedy: " in message


def test_a_folder_has_the_name_of_its_report(project: Project) -> None:
    folder_of(project).rename(project.published / "other")
    with pytest.raises(DataError, match=r"id is 'ibm-mq-v9\.4-linux', but the folder is 'other'"):
        load_report(project.published / "other")


def with_report(project: Project, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder_of(project) / "report.yml"
    content = read_yaml(path)
    change(content)
    write_yaml(path, content)


def table_3(content: dict[str, Any]) -> dict[str, Any]:
    return next(table for table in content["tables"] if table["id"] == "table-03")


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (lambda c: c.update(titel=c.pop("title")), "did you mean 'title'?"),
        (lambda c: c.update(cells=251), "declare 250 cells together, the report 251"),
        (lambda c: table_3(c).update(id="../x"), "tables.1.id"),
        (lambda c: table_3(c).update(id="table-04"), "tables with the same id: table-04"),
        (lambda c: table_3(c).update(repeats="table-77"), "repeats 'table-77', which is no table"),
        (lambda c: table_3(c).update(cells=0), "must be greater than or equal to 1"),
        (lambda c: table_3(c).update(colums=[]), "did you mean 'columns'?"),
        (lambda c: table_3(c)["columns"][0].update(metric="rate"),
         "table-03: V9.4 / Max Rate*: unknown metric 'rate'"),
        (lambda c: table_3(c)["columns"][0].update(factors={"cipherspec": "x"}),
         ": unknown factor 'cipherspec'"),
        (lambda c: table_3(c).update(factors={"topolgy": "x"}), "did you mean 'topology'?"),
        (lambda c: table_3(c).update(factors={"link_gbps": "fast"}), "which is not a number"),
        (lambda c: c.pop("host_sets"), "host_sets: is missing"),
        (lambda c: c["message_sizes"]["bytes"].update({"2K": "two"}), "whole number"),
        (
            lambda c: c.update(suspect=[{"table": "table-03", "row": "no", "column": "V9.4 / CPU%",
                                         "reason": "why"}]),
            "suspect cell table-03 / no / V9.4 / CPU% does not exist",
        ),
    ],
)  # fmt: skip
def test_a_wrong_disclosure_is_refused(
    project: Project, change: Callable[[dict[str, Any]], object], part: str
) -> None:
    with_report(project, change)
    message = refusal(project)
    assert part in message
    assert message.startswith("data/published/")


def test_a_wrong_name_in_a_disclosure_is_told_of_its_line(project: Project) -> None:
    path = folder_of(project) / "report.yml"
    edit(path, "metric: round_trip_rate", "metric: relative_loss")
    line = path.read_text("utf-8").split("relative_loss")[0].count("\n") + 1
    assert f"report.yml:{line}: table-" in refusal(project)


def test_a_wrong_key_is_named_with_its_line(project: Project) -> None:
    path = folder_of(project) / "report.yml"
    edit(path, "publisher:", "publishers:")
    line = path.read_text().split("publishers:")[0].count("\n") + 1
    assert f"report.yml:{line}: " in refusal(project) or f"line {line}: " in refusal(project)
    assert "did you mean 'publisher'?" in refusal(project)


def test_a_suspect_cell_keeps_what_was_printed(project: Project) -> None:
    doubts = [
        {"table": "table-03", "row": "RR-CC (2K Non-persistent)", "column": "V9.4 / CPU%",
         "reason": "too high", "corrected": 96.5},
        {"table": "table-03", "row": "RR-CC (2K Non-persistent)", "column": "V9.4 / Clients",
         "reason": "unlikely"},
    ]  # fmt: skip
    with_report(project, lambda content: content.update(suspect=doubts))
    frame = load_observations(project).frame.set_index("observation_id")
    corrected = frame.loc[f"{V94}/table-03/r1c2"]
    assert (corrected["status"], corrected["value_printed"]) == ("corrected", "97.69")
    assert (corrected["value"], corrected["value_corrected"]) == (97.69, 96.5)
    assert corrected["note"] == "too high"
    doubted = frame.loc[f"{V94}/table-03/r1c3"]
    assert doubted["status"] == "suspect"
    assert doubted["value_corrected"] != doubted["value_corrected"]  # not a number: none given
    assert set(frame["status"]) == {"as_printed", "corrected", "suspect"}


def test_observations_are_built_anew_when_a_source_changes(project: Project) -> None:
    first = load_observations(project)
    assert load_observations(project) is first
    stored = {*(project.cache / "observations").iterdir()}
    edit(folder_of(project) / "table-03.csv", "97.69", "97.68")
    second = load_observations(project)
    assert second.fingerprint != first.fingerprint
    values = second.frame.set_index("observation_id")["value"]
    assert values[f"{V94}/table-03/r1c2"] == 97.68
    [made] = {*(project.cache / "observations").iterdir()} - stored
    assert made.name.endswith("-rows"), "of the other reports nothing is read again"


def parquet_of(observations: Observations, source: str) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(observations.table.filter(pc.field("source") == source), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def test_a_choice_opens_no_source_that_it_does_not_ask_for(project: Project) -> None:
    whole = load_observations(project)
    content, opened = {name: parquet_of(whole, name) for name in (APPLIANCE, V94)}, []

    def give(name: str) -> Callable[[], bytes]:
        return lambda: opened.append(name) or content.get(name, b"no Parquet")  # type: ignore[func-returns-value]

    parts = [Partition(name, give(name)) for name in (APPLIANCE, "unreadable", V94)]
    some = Observations(project, "some", parts)
    chosen = some.choose(source=V94, source_kind="table", message_bytes=[2048, 20480])
    frame = whole.frame
    expected = frame[
        (frame["source"] == V94) & (frame["source_kind"] == "table")
        & frame["message_bytes"].isin([2048, 20480])
    ]  # fmt: skip
    assert len(expected) > 5
    pd.testing.assert_frame_equal(chosen, expected.reset_index(drop=True))
    cells = [expected["observation_id"].iloc[1], expected["observation_id"].iloc[0], f"{V94}/none"]
    assert some.rows_of(cells)["observation_id"].tolist() == cells[1::-1]
    assert opened == [V94]
    assert some.choose(source=V94, message_bytes=()).empty
    with pytest.raises(KeyError, match="sauce"):
        some.choose(sauce=V94)
    # A query opens all of them; what its conditions exclude is not read even then.
    query = "SELECT count(*) AS n FROM observations WHERE source = '{}'"
    assert some.sql(query.format(APPLIANCE))["n"][0] == (frame["source"] == APPLIANCE).sum()
    with pytest.raises(DataError, match="the query failed"):
        some.sql(query.format("unreadable"))


def test_queries_reach_the_table_and_nothing_else(project: Project) -> None:
    observations = load_observations(project)
    found = observations.sql("SELECT count(*) AS n FROM observations WHERE unit = '%'")
    assert found["n"][0] > 0
    outside = project.root / "secret.csv"
    outside.write_text("a\n1\n")
    for query in (
        f"SELECT * FROM '{outside}'",
        f"SELECT * FROM read_csv('{outside}')",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SELEC 1",
        f"COPY observations TO '{project.root}/out.csv'",
    ):
        with pytest.raises(DataError, match="the query failed"):
            observations.sql(query)
    assert not (project.root / "out.csv").exists()


def test_a_project_needs_no_published_report(project: Project) -> None:
    shutil.rmtree(project.root / "data")
    observations = load_observations(project)
    assert observations.report_ids == []
    assert observations.table.num_rows == 0
    assert observations.levels["product"] == []
    with pytest.raises(DataError, match="unknown report 'x'"):
        load_observations(Project(ROOT)).report("x")


@pytest.mark.slow
def test_what_a_source_says_of_itself_is_kept_as_it_is_written() -> None:
    """Observations keep it as JSON, which must give the very models that the YAML gives."""
    project = Project(ROOT)
    for _ in range(2):  # written, then read back
        observations = load_observations(project)
        observations._descriptions.clear()
        for name in observations.report_ids:
            assert repr(observations.report(name)) == repr(load_report(project.published / name))
        for name in observations.campaign_ids:
            manifest = load_manifest(project.campaigns / name)
            assert repr(observations.campaign(name)) == repr(manifest)


def test_levels_are_what_occurs_in_the_table() -> None:
    observations = load_observations(Project(ROOT))
    sizes = observations.frame["message_bytes"].dropna()
    assert observations.levels["message_bytes"] == sorted(set(sizes))
    assert set(observations.levels) == set(observations.dictionary.factors)
    assert observations.levels["tls_cipher"] == sorted(set(observations.levels["tls_cipher"]))
