"""CSV files of observations: a mapping says what columns hold; every line is accounted for."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from roundtrip.cli.main import app
from roundtrip.dictionary import load_dictionary
from roundtrip.errors import DataError, RoundtripError
from roundtrip.files import sha256_of_tree
from roundtrip.ingest.manifest import load_inputs
from roundtrip.ingest.rows import read_rows
from roundtrip.ingest.session import Outcome, ingest_paths
from roundtrip.observations import load_observations
from roundtrip.project import Project
from workshop import ROOT, copy_project

EXAMPLE = ROOT / "docs" / "examples" / "csv"
DICTIONARY = load_dictionary(ROOT / "data" / "dictionary.yml")
MAPPING = """\
constants:
  product: Acme Broker
columns:
  clients: {factor: requesters}
  mode: {factor: delivery, words: {np: nonpersistent}}
  host: {factor: platform}
  rate: {metric: round_trip_rate, statistic: mean, unit: round trips/s}
  time: {metric: round_trip_time, statistic: p99, unit: s}
ignore: [remark]
"""
HEAD = "clients,mode,host,rate,time,remark\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return copy_project(tmp_path / "project", ("_quarto.yml", "data/dictionary.yml"))


def ingest(project: Project, text: str, mapping: str = MAPPING, **more: object) -> Outcome:
    logs = project.root.parent / "logs"
    logs.mkdir(exist_ok=True)
    (logs / "acme.csv").write_text(text, encoding="utf-8")
    (logs / "acme.mapping.yml").write_text(mapping, encoding="utf-8")
    return ingest_paths([logs], dictionary=DICTIONARY, project=project, campaign="lab", **more)  # type: ignore[arg-type]


def rows(project: Project) -> list[dict]:
    return read_rows(project.campaigns / "lab" / "ingested.csv")


def rejects(project: Project) -> list[str]:
    text = (project.campaigns / "lab" / "rejects.tsv").read_text(encoding="utf-8")
    return [line.split("\t")[1] for line in text.splitlines()[1:]]


def test_rows_become_points_with_units_converted_and_constants(project):
    outcome = ingest(project, HEAD + "4,np,Linux,3665.5,0.0021,first\n8,np,Linux,5000,,\n")
    reading = outcome.readings[0]
    assert reading.entry.tool == "csv"
    assert reading.counts == (0, 2, 2, 1, 0)
    found = {(row["requesters"], row["metric"], row["statistic"]): row for row in rows(project)}
    rate = found["4", "round_trip_rate", "mean"]
    assert (rate["value"], rate["unit"], rate["line"]) == (3665.5, "round trips/s", 2)
    assert (rate["product"], rate["delivery"]) == ("Acme Broker", "nonpersistent")
    time = found["4", "round_trip_time", "p99"]
    assert (time["value"], time["unit"]) == (2.1, "ms")
    assert ("8", "round_trip_time", "p99") not in found
    assert reading.entry.series == ()  # where texts of its cells would stand a second time
    frame = load_observations(project).sql("SELECT DISTINCT requesters FROM observations")
    assert sorted(frame["requesters"]) == [4, 8]
    before = sha256_of_tree(project.campaigns / "lab")
    assert not ingest(project, HEAD + "4,np,Linux,3665.5,0.0021,first\n8,np,Linux,5000,,\n").changed
    assert sha256_of_tree(project.campaigns / "lab") == before
    other = MAPPING.replace("unit: s}", "unit: ms}")
    assert ingest(project, HEAD + "4,np,Linux,3665.5,2.1,first\n", other).changed


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("x,np,Linux,1,1,", "clients: requesters is 'x', which is not a whole number"),
        ("4,nope,Linux,1,1,", "mode: delivery is 'nope'; allowed: nonpersistent, persistent, "),
        ("4,np,=cmd|'/C calc'!A0,1,1,", "host: begins like a formula of a spreadsheet"),
        ("4,np,@SUM(1),1,1,", "host: begins like a formula"),
        ("4,np,Linux\x1b[2J,1,1,", "host: a cell of hidden characters"),
        ("4,np," + "x" * 300 + ",1,1,", "host: a cell of hidden characters, or of more than 200"),
        ("4,np,Linux,fast,1,", "rate: 'fast' is not a number with the decimal mark '.'; allowed: "),
        ('4,np,Linux,"2,012.0",1,', "rate: '2,012.0' is not a number with the decimal mark '.'"),
        ('4,np,Linux,"410,2",1,', "the mapping's decimal names another mark"),
        ("4,np,Linux,1", "4 cells under 6 headings"),
        ("4,np,Linux,1,1,,9", "7 cells under 6 headings"),
        ('4,np,"Linux,1,1,', "a quoted cell does not end on its line"),
        ("4,np,Linux,,,nothing", "no value"),
        ("4,np,Linux,-5,1,", "rate is -5 and must be above 0 round trips/s"),
        ("4,np,Linux,5,-1,", "time is -1 and must be above 0 ms"),
    ],
)
def test_a_row_that_cannot_be_used_is_rejected_with_its_reason(project, line, reason):
    outcome = ingest(project, f"{HEAD}{line}\n# a remark\n\n4,np,Linux,10,,\n")
    assert outcome.readings[0].counts == (0, 1, 1, 3, 1)
    assert reason in rejects(project)[0]
    (first,) = (note for note in outcome.as_text() if note.startswith("the first is "))
    assert reason in first
    text = (project.campaigns / "lab" / "ingested.csv").read_text("utf-8")
    assert not any(cell.startswith(("=", "@", "+")) for cell in text.replace("\n", ",").split(","))


COMMAS = MAPPING.replace(
    "constants:", 'separator: ";"\ndecimal: ","\nmissing: [n/a, "–"]\nconstants:'
)


def test_the_mapping_says_what_commas_are_and_what_stands_for_no_value(project):
    text = HEAD.replace(",", ";") + (
        "1;np;Linux;3665,5;n/a;\n2;np;Linux;4200;–;\n3;np;Linux;1234,25;0,5;\n"
    )
    wrong = ["4.2", "1,2,3", "1,234.5", "3.665,5", "1 234", "4.200"]
    text += "".join(f"{place};np;Linux;{cell};;\n" for place, cell in enumerate(wrong, start=4))
    ingest(project, text, COMMAS)
    stated = [row["value"] for row in rows(project) if row["statistic"] != "peak"]
    assert stated == [3665.5, 4200, 1234.25, 500]
    says = "rate: '{}' is not a number with the decimal mark ','"
    assert len(rejects(project)) == len(wrong)
    assert all(
        says.format(cell) in reason for cell, reason in zip(wrong, rejects(project), strict=True)
    )


def test_the_decimal_mark_is_to_be_said_where_the_separator_is_no_comma(project):
    text = HEAD.replace(",", ";") + "1;np;Linux;71.000;0.125;\n"
    unsaid = MAPPING.replace("constants:", 'separator: ";"\nconstants:')
    with pytest.raises(DataError, match="decimal must be said"):
        ingest(project, text, unsaid)
    ingest(project, text, unsaid.replace("constants:", 'decimal: "."\nconstants:'))
    assert 71 in [row["value"] for row in rows(project)]


def test_a_line_that_only_excel_reads_is_passed_over(project):
    ingest(project, f"sep=,\n{HEAD}1,np,Linux,10.5,0.125,\n")
    assert [row["line"] for row in rows(project)] == [3, 3]


def test_times_may_be_printed_in_microseconds(project):
    ingest(project, HEAD + "4,np,Linux,1,410.2,\n", MAPPING.replace("unit: s}", "unit: µs}"))
    assert rows(project)[1]["value"] == 0.4102


def test_points_are_named_after_the_file_without_accents(project, tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "Größe & Läufe.csv").write_text(HEAD + "4,np,Linux,1,,\n", encoding="utf-8")
    (logs / "Größe & Läufe.mapping.yml").write_text(MAPPING, encoding="utf-8")
    ingest_paths([logs], dictionary=DICTIONARY, project=project, campaign="lab")
    assert rows(project)[0]["point"].startswith("grosse-laufe-csv-")


def test_infinite_values_are_counted_and_left_out(project):
    text = HEAD + "4,np,Linux,100,-1,\n9,np,Linux,5,inf,\n7,np,Linux,nan,,\n8,np,Linux,nan,1,\n"
    outcome = ingest(project, text)
    assert outcome.readings[0].as_dict()["faults"] == {"not finite": 2}
    (line,) = (line for line in outcome.as_text() if "× csv: not finite. " in line)
    assert line.endswith(".")
    (entry,) = load_inputs(project.campaigns / "lab")
    assert [(fault.fault, bool(fault.explained)) for fault in entry.faults] == [
        ("not finite", True)
    ]
    assert [(row["requesters"], row["metric"], row["value"]) for row in rows(project)] == [
        ("9", "round_trip_rate", 5.0), ("8", "round_trip_time", 1000.0),
    ]  # fmt: skip


def test_a_peak_that_a_table_prints_is_kept(project):
    mapping = MAPPING.replace("statistic: mean", "statistic: peak")
    for _ in range(2):
        ingest(project, HEAD + "4,np,Linux,3665.5,,\n", mapping)
        assert [(row["statistic"], row["value"]) for row in rows(project)] == [("peak", 3665.5)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("constants:", "constant:", "unknown key 'constant' (did you mean 'constants'?)"),
        ("factor: requesters", "facto: requesters", "unknown key 'facto' (did you mean 'factor'?)"),
        ("factor: requesters", "factor: requester", "acme.mapping.yml:4: unknown factor"),
        ("metric: round_trip_rate", "metric: round_trip_rates", "acme.mapping.yml:7"),
        ("statistic: p99", "statistic: p98", "unknown statistic 'p98' (did you mean 'p99'?)"),
        ("unit: s}", "unit: sek}", "unknown unit of round_trip_time 'sek'"),
        ("statistic: mean, ", "", "needs a factor, or metric, statistic and unit"),
        ("{factor: platform}", "{factor: requesters}", "requesters is given by the column"),
        ("np: nonpersistent", "np: quick", "acme.mapping.yml:5: delivery is 'quick'"),
        ("product: Acme", "products: Acme", "acme.mapping.yml:2: unknown factor 'products'"),
        (
            "ignore: [remark]",
            "",
            "line 1 of acme.csv and the mapping do not both name the column 'remark' once",
        ),
        ("[remark]", "[remarks]", "the column 'remark' once (did you mean 'remarks'?)"),
        ("[remark]", "[remark, more]", "name the column 'more' once"),
        ("constants:", "constants:\n  log_storage: off", "YAML reads a bare on, off, yes or no"),
        ("constants:", "separator: x\nconstants:", "separator"),
        ("constants:", "x: !!python/object/apply:os.system [id]\nconstants:", "not valid YAML"),
    ],
)
def test_a_mapping_that_breaks_a_rule_is_refused_before_anything_is_kept(
    project, old, new, message
):
    with pytest.raises(DataError) as caught:
        ingest(project, HEAD + "4,np,Linux,1,1,\n", MAPPING.replace(old, new))
    assert message in str(caught.value)
    assert not (project.campaigns / "lab").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (HEAD.replace(",", ";"), "separator says what stands between columns"),
        (HEAD.replace("mode", "clients"), "the column 'clients' once"),
    ],
)
def test_a_heading_that_the_mapping_cannot_be_for_says_why(project, text, says):
    with pytest.raises(DataError) as caught:
        ingest(project, text)
    assert says in str(caught.value)
    assert "acme.mapping.yml:" in str(caught.value.where)
    assert not (project.campaigns / "lab").exists()


def test_a_folder_without_files_is_refused_and_one_without_points_is_said(project, tmp_path):
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError, match="holds no file to read"):
        ingest_paths([tmp_path / "none"], dictionary=DICTIONARY, project=project, campaign="lab")
    assert not (project.campaigns / "lab").exists()
    (tmp_path / "none" / "a.log").write_text("nothing of a tool\n")
    outcome = ingest_paths([tmp_path / "none"], dictionary=DICTIONARY, project=project)
    assert "no points: there is nothing that a report could show" in outcome.as_text()


def test_a_list_of_rejects_that_cannot_be_put_in_its_place_leaves_nothing(project, tmp_path):
    (tmp_path / "there").mkdir()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(RoundtripError, match="could not write"):
        ingest_paths([EXAMPLE], dictionary=DICTIONARY, project=project, rejects=tmp_path / "there")
    assert sorted(tmp_path.iterdir()) == before


def test_other_separators_and_a_mapping_named_by_option(project, tmp_path):
    logs = tmp_path / "elsewhere"
    logs.mkdir()
    (logs / "a.csv").write_text("clients;rate\n4;3665,5\n", encoding="utf-8")
    mapping = tmp_path / "any.yml"
    mapping.write_text(
        'separator: ";"\ndecimal: ","\ncolumns:\n  clients: {factor: requesters}\n'
        "  rate: {metric: round_trip_rate, statistic: mean, unit: round trips/s}\n",
        encoding="utf-8",
    )
    arguments = ["--project", str(project.root), "ingest", str(logs), "--campaign", "lab"]
    done = CliRunner().invoke(app, [*arguments, "--mapping", str(mapping)])
    assert done.exit_code == 0, done.output
    assert [row["value"] for row in rows(project)] == [3665.5]
    done = CliRunner().invoke(app, [*arguments, "--tool", "csv"])
    assert done.exit_code != 0
    assert "write a.mapping.yml beside it" in str(done.exception)


def test_the_example_of_the_documentation_is_read_whole(project):
    outcome = ingest_paths([EXAMPLE], dictionary=DICTIONARY, project=project, campaign="lab")
    (reading,) = outcome.readings
    assert (reading.entry.tool, reading.points, reading.entry.rejected) == ("csv", 3, 0)
    text = (ROOT / "docs" / "ingest.md").read_text("utf-8")
    for name in ("results.csv", "results.mapping.yml"):
        assert (EXAMPLE / name).read_text("utf-8").strip() in text


def test_a_csv_file_without_a_mapping_is_told_of_and_a_name_may_have_points(project, tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "acme.3.1.csv").write_text(HEAD + "4,np,Linux,1,1,\n", encoding="utf-8")
    outcome = ingest_paths([logs], dictionary=DICTIONARY, project=project)
    assert any("acme.3.1.mapping.yml beside it, or --mapping" in line for line in outcome.as_text())
    (logs / "acme.3.1.mapping.yml").write_text(MAPPING, encoding="utf-8")
    (reading,) = ingest_paths([logs], dictionary=DICTIONARY, project=project).readings
    assert (reading.entry.tool, reading.points) == ("csv", 1)


def test_percent_signs_may_stand_where_the_unit_is_percent(project):
    mapping = MAPPING.replace(
        "  time: {metric: round_trip_time, statistic: p99, unit: s}",
        '  time: {metric: cpu, statistic: mean, unit: "%"}',
    )
    ingest(project, HEAD + "4,np,Linux,10,27.1%,\n8,np,Linux,10%,3,\n", mapping)
    assert [row["value"] for row in rows(project) if row["metric"] == "cpu"] == [27.1]
    assert "'10%' is not a number" in rejects(project)[0]


@pytest.mark.parametrize(
    ("text", "says"),
    [("", "nothing could be taken"), (HEAD, "nothing could be taken"),
     (HEAD + "4,np,Linux,fast,,\n", "acme.csv:2: rate: 'fast' is not a number")],
)  # fmt: skip
def test_a_file_of_which_nothing_is_taken_is_refused_with_the_first_reasons(project, text, says):
    with pytest.raises(DataError, match=says):
        ingest(project, text)
    assert not (project.campaigns / "lab").exists()
