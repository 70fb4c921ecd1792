"""A measured number is never typed into a chapter: the rule, its exceptions, and where it looks."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.errors import ChapterError
from roundtrip.project import PACKAGE
from roundtrip.publish.chapters.notebooks import read_notebook
from roundtrip.publish.chapters.typed_numbers import (
    RULES,
    refuse_typed_numbers,
    refuse_typed_numbers_in_module,
    typed_numbers,
)
from workshop import ROOT, notebook, refused, roundtrip, small_project, write_notebook


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb")))
def test_no_chapter_of_this_report_has_a_typed_number(name: str) -> None:
    path = ROOT / "notebooks" / f"{name}.ipynb"
    refuse_typed_numbers(read_notebook(path), path.name)


def test_the_skeleton_of_a_chapter_has_none() -> None:
    import nbformat

    text = (PACKAGE / "templates/skeletons/chapter.ipynb").read_text(encoding="utf-8")
    for mark in ("STEM", "NAME", "TITLE", "REPORT"):
        text = text.replace(f"@@{mark}@@", "native-ha")
    refuse_typed_numbers(nbformat.reads(text, as_version=4), "chapter.ipynb")


@pytest.mark.parametrize(
    ("prose", "found"),
    [
        ("It reaches 59,124 round trips/s.", ["59,124 round"]),
        ("about 12% less", ["12% less"]),
        ("12 % less", ["12 % less"]),
        ("a factor of 3.4.", ["3.4"]),
        ("−5.5 on average", ["−5.5 on"]),
        ("2.3 times as fast", ["2.3 times"]),
        ("in 2026 it was 2026 round trips/s", ["2026 round"]),
        ("2010 messages and 1999 requesters", ["2010 messages", "1999 requesters"]),
        ("takes 7 ms with 300 requesters", ["7 ms", "300 requesters"]),
        ("sends 27 MB/s", ["27 MB/s"]),
        ("carries 40 Gb/s", ["40 Gb/s"]),
        ("1 of 3 cases", ["1 of", "3 cases"]),
        ("**93**", ["93**"]),
        ("falls to 24", ["24"]),
        ("version 2 has 44 more", ["44 more"]),
        ("Acme Broker 3.1 and 2.5 times, release 3.1 against 3.0 ms", ["2.5 times", "3.0 ms"]),
        ("## From 3 {#sec-part-2}", ["3"]),
        ("At Berlin 3.1 ms, Acme Broker 3.1 times", ["3.1 ms", "3.1 times"]),
        ("it used 3.5 cores and kept 4 cores busy", ["3.5 cores", "4 cores"]),
        ("it took 30 s", ["30 s"]),
    ],
)
def test_measured_numbers_are_found(prose: str, found: list[str]) -> None:
    assert list(typed_numbers(prose)) == found


@pytest.mark.parametrize(
    "prose",
    [
        "MQ V9.4 beside V10, WebSphere MQ V7.0.1 and M2003A",
        "LZ4FAST, SHA-256, SHARECNV(0), POWER6 on a p570, AMQ3288I, C1 to C4, HA2",
        "TLS 1.2 and TLS 1.3, Java 17, AMQP 1.0, a 64-bit queue manager",
        "10Q tests, RR-DQ-BB",
        "Table 8, Tables 3 and 4, Figure 13, section 2.3.5, chapter 7",
        "messages of 2, 20 and 200 KB, of 2048 bytes, a log of 10 GB",
        "2 KB messages, 2-KB messages, 1 MB",
        "a link of 40 Gb, over 100 Gb links, the 10 Gbit Ethernet",
        "with 20 and 50 ms on the link, 2 ms added to the links, delays of 5 ms",
        "over 4 to 15 threads, 300 responder threads, 4 machines, in steps of 20",
        "one message in 100 seconds",
        "in 2000, from 2009 to 2026, on 2026-11-21",
        "`roundtrip data cells -n 12`, {value:n} of {most}, @tbl-peaks-2, [here](#cell-x-r1c12)",
        "```\n12 % of 44\n```",
        "# Title {#sec-part-2}",
        "1. First\n2. Second",
        "the source calls it “2M”",
        "two to three times, a tenth, none",
        "Acme Broker 3.1 and Acme Broker 3.2.1, JDK 17, 2.55.0",
        "Acme Broker 3.1 against 3.0, Acme Broker 3.1 and v3.0, release 3.1 versus 3.0",
        "on 16 cores, a host with 2 and 32 logical processors, a 16-core host",
        "over 10 GbE, 25GbE, p99, p99.9, the 99th percentile, the 99.9th percentile",
        "after 30 s of warm-up, a warm-up of 30 s, runs of 60 s, 95 % confidence",
    ],
)
def test_numbers_that_name_or_set_something_are_let_through(prose: str) -> None:
    assert list(typed_numbers(prose)) == []


def test_a_project_names_what_may_be_typed() -> None:
    names = ("Acme 3", "Model 7 (B)")
    assert list(typed_numbers("Acme 3 and Model 7 (B) on Acme 3.", names)) == []
    found = ["33 and", "3.5 and", "7"]
    assert list(typed_numbers("Acme 33 and Acme 3.5 and Model 7", names)) == found


def test_the_first_report_says_which_names_are_to_be_listed() -> None:
    guide = (ROOT / "docs" / "first-report.md").read_text("utf-8")
    (listed,) = re.findall(r"^names: \[(.*)\]$", guide, re.MULTILINE)
    assert "such as Acme Broker 3.1, and" in guide
    assert list(typed_numbers("Acme Broker 3.1 is fast")) == []
    assert list(typed_numbers(f"{listed} is fast")) == ["3 is"]
    assert list(typed_numbers(f"{listed} is fast", (listed,))) == []


def test_every_rule_is_needed() -> None:
    """Each rule lets something through that no other does, in the words of the chapters."""
    examples = {
        "part of a name": "V9.4",
        "a number that begins a name": "10Q",
        "a version": "TLS 1.2",
        "cores that a machine has": "on 16 cores",
        "a percentile": "99th percentile",
        "a time that was set": "30 s of warm-up",
        "a place in a document": "Table 8",
        "a message, file or memory size": "20 and 200 KB",
        "the bandwidth of a link": "100 Gb links",
        "a delay that was set": "2 ms added",
        "a load that was set": "300 responder threads",
        "a level of confidence": "95 % intervals",
        "what is quoted as printed": "“12 %”",
        "a year": "in 2009",
        "a date": "2026-11-21",
    }
    assert examples.keys() == RULES.keys()
    for name, example in examples.items():
        assert list(typed_numbers(example)) == [], name
        assert any(char.isdigit() for char in example)


SENTENCES = [
    ("# T {#sec-t}\n\nIt is 12 % faster.", "cell 1: ", "'12 % faster'"),
    (("code", 'chapter.text("At {size} it is 3.4 times as fast.", size=s)'), "cell 2", "3.4 times"),
    (("code", 'chapter.text(\n    "It takes "\n    "44 more."\n)'), "cell 2", "'44 more'"),
    (("code", 'chapter.text("a" if x else "It is 44.")'), "cell 2", "'44'"),
    (("code", 'chapter.text("It is {x} " + "or 44.", x=x)'), "cell 2", "'44'"),
    (("code", 'Text(f"It is {x} or 44.")'), "cell 2", "'44'"),
    (("code", 'chart(chapter, points, title=f"{a} is 44 faster")'), "cell 2", "'44 faster'"),
    (("code", 'plain_table("x", [], [], notes=["All 44 of them."])'), "cell 2", "'44 of'"),
    (("code", "#| label: fig-a\n#| fig-alt: Falls to 44\ndraw()"), "cell 2", "'44'"),
]


@pytest.mark.parametrize(("cell", "place", "number"), SENTENCES)
def test_it_looks_wherever_prose_is(cell: object, place: str, number: str) -> None:
    cells = [cell] if isinstance(cell, str) else ["# T {#sec-t}", cell]
    with pytest.raises(ChapterError) as caught:
        refuse_typed_numbers(notebook(*cells), "notebooks/10-x.ipynb")  # type: ignore[arg-type]
    assert str(caught.value).startswith(f"notebooks/10-x.ipynb: {place}")
    assert number in caught.value.what
    assert "roundtrip docs chapters" in str(caught.value)


def test_code_is_not_prose() -> None:
    cells = [
        "# T {#sec-t}",
        ("parameters", "message_bytes = [2048, 20480]"),
        ("code", "best = 44 * 12\nrows = points[points['clients'] == 300]"),
        ("code", 'chapter.text("It is {best}.", best=quantity(44))'),
        ("code", "this is not Python: 44"),
    ]
    refuse_typed_numbers(notebook(*cells), "x")  # type: ignore[arg-type]


def test_a_typed_number_fails_the_build(tmp_path: object) -> None:
    project = small_project(tmp_path)  # type: ignore[arg-type]
    write_notebook(project, "10-peaks", "# Peaks {#sec-peaks}\n\nIt is 12 % faster.")
    refused(
        roundtrip("build", "--engine", "embedded", project=project),
        "notebooks/10-peaks.ipynb: cell 1: a number is typed into the text: '12 % faster'",
    )


@given(st.text(alphabet="0123456789.,- kKMGbBms/s%{}[]()@#`and to\n", max_size=400))
def test_any_text_is_read_to_its_end(text: str) -> None:
    assert all(any(char.isdigit() for char in item) for item in typed_numbers(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [("1, 2 and 3 or 4 to " * 2000, True), ("1" * 20_000, True), ("a-" * 20_000, False)],
)
def test_a_long_list_is_read_to_its_end(text: str, *, found: bool) -> None:
    # Where alternatives multiplied, this would never end.
    assert bool(list(typed_numbers(text))) == found


def test_a_module_is_parsed_again_only_when_it_changed(tmp_path: Path, monkeypatch) -> None:
    asked: list[object] = []
    parse = ast.parse

    def recorded(source, *arguments, **options):
        asked.append(source)
        return parse(source, *arguments, **options)

    monkeypatch.setattr(ast, "parse", recorded)
    path = tmp_path / "peaks.py"
    path.write_text('text("Faster at every size of the table")\n', encoding="utf-8")
    for _ in range(3):  # as builds that follow each other while a chapter is written
        refuse_typed_numbers_in_module(path, "peaks.py")
    assert len(asked) == 1
    path.write_text('text("Faster at every size of the table")\ntext("12 % faster")\n', "utf-8")
    with pytest.raises(ChapterError, match=r"peaks\.py:2"):
        refuse_typed_numbers_in_module(path, "peaks.py")
