"""A PDF becomes the draft of a published report: what two readings agree on, and nothing else."""

from __future__ import annotations

import csv
import json
import re
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pypdf
import pytest
import typst
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pypdf.generic import DictionaryObject, NameObject, TextStringObject

from roundtrip.claims.files import load_claims
from roundtrip.claims.words import load_words
from roundtrip.drafting import document
from roundtrip.drafting.contents import load_draft
from roundtrip.drafting.disclosed import said_of_itself
from roundtrip.drafting.folder import PLACEHOLDERS, unsaid
from roundtrip.drafting.pages import CAPTION, Page, Word, read_page
from roundtrip.drafting.readings import DraftTable, tables_of
from roundtrip.drafting.sentences import Sentence, numbers_in
from roundtrip.drafting.stubs import CellPlace, claim_stubs
from roundtrip.errors import DataError
from roundtrip.project import Project, find_project
from test_subsets import project_of
from workshop import ROOT, answer, edit, refused, roundtrip

pytestmark = pytest.mark.slow  # two programs read each page

REPORT = """
#set page(paper: "a5", margin: 15mm, header: [Acme Broker: performance], numbering: "1")
#set text(size: 9pt, hyphenate: false)
= Peak rates
#lorem(60)

Table 1: Peaks of requesters over TCP.
#table(columns: 4, align: (x, y) => if x == 0 { left } else { right }, stroke: STROKE,
  table.header(
    table.cell(rowspan: 2)[Test], table.cell(colspan: 2, align: center)[Acme 3.1],
    table.cell(rowspan: 2)[Clients],
    [Max Rate\\*], [CPU%],
  ),
  [RR-CC (2KB)], [41,200], [91.5], [200],
  [RR-CC (20KB) with a label of two lines], [18,050], [88], [120],
  [RR-CC (200KB)], [2,310], [54.25], [60],
)
#text(size: 7pt)[\\* Round trips per second.]

= Other rates
#lorem(40)

Table 2 - By delivery
#table(columns: 3, align: (x, y) => if x == 0 { left } else { right }, stroke: STROKE,
  [Size], [Rate], [Latency],
  table.cell(colspan: 3)[*Non-persistent*],
  [2KB], [40,100], [0.5],
  [20KB], [17,300], [0.9],
  table.cell(colspan: 3)[*Persistent*],
  [2KB], [9,020], [],
  [20KB], [4,410], [4.2],
)
"""


def made(folder: Path, text: str = REPORT, stroke: str = "0.5pt") -> Path:
    """Print a report."""
    path = folder / "acme.pdf"
    path.write_bytes(typst.compile(text.replace("STROKE", stroke).encode()))
    return path


def rows(path: Path) -> list[list[str]]:
    """Give the rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return project_of(tmp_path / "project", [])


@pytest.mark.parametrize("stroke", ["0.5pt", "none"])
def test_tables_are_drafted_in_the_printed_shape(
    project: Project, tmp_path: Path, stroke: str
) -> None:
    pdf = made(tmp_path, stroke=stroke)
    done = answer("import", str(pdf), "--id", "acme-3.1", project=project)
    assert done.returncode == 0, done.stderr
    draft = project.drafts / "acme-3.1"
    assert rows(draft / "table-01.csv") == [
        ["row", "Acme 3.1 / Max Rate*", "Acme 3.1 / CPU%", "Clients"],
        ["RR-CC (2KB)", "41,200", "91.5", "200"],
        ["RR-CC (20KB) with a label of two lines", "18,050", "88", "120"],
        ["RR-CC (200KB)", "2,310", "54.25", "60"],
    ]
    assert rows(draft / "table-02.csv") == [
        ["row", "heading", "Rate", "Latency"],
        ["2KB", "Non-persistent", "40,100", "0.5"],
        ["20KB", "Non-persistent", "17,300", "0.9"],
        ["2KB", "Persistent", "9,020", ""],
        ["20KB", "Persistent", "4,410", "4.2"],
    ]
    declared = yaml.safe_load((draft / "report.yml").read_text("utf-8"))
    assert [table["cells"] for table in declared["tables"]] == [9, 7]
    assert declared["cells"] == 16
    kept = load_draft(draft)
    assert kept
    places = [cell for table in kept.read.tables for cell in table.cells]
    assert len(places) == 16
    assert all(cell.box.left < cell.box.right for cell in places)
    assert (draft / "reading" / "page-001.png").read_bytes().startswith(b"\x89PNG")
    assert "41,200" in (draft / "reading" / "check.html").read_text("utf-8")


def test_a_row_goes_on_over_the_page_and_its_header_is_no_row(
    project: Project, tmp_path: Path
) -> None:
    cells = ", ".join(f"[Test {number} with a name], [{number * 137}]" for number in range(60))
    head = "table.header([Test], [Rate])"
    text = f'#set page(paper: "a5")\nTable 7: Long\n#table(columns: 2, {head}, {cells})'
    pdf = made(tmp_path, text)
    assert answer("import", str(pdf), "--id", "long", project=project).returncode == 0
    assert rows(project.drafts / "long" / "table-07.csv")[1:] == [
        [f"Test {number} with a name", f"{number * 137}"] for number in range(60)
    ]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Page]]:
    """What both programs read in the report."""
    pdf = made(tmp_path_factory.mktemp("pdf"))
    count = len(pypdf.PdfReader(pdf).pages)
    return {
        program: [read_page(pdf, number, program) for number in range(1, count + 1)]
        for program in document.PROGRAMS
    }


def spoilt(pages: list[Page], change: Callable[[Word], Word | None]) -> list[Page]:
    """Change the words that one program reads."""
    return [
        replace(page, words=tuple(new for word in page.words if (new := change(word))))
        for page in pages
    ]


@given(at=st.integers(0, 15), new=st.text("0123456789.,OlS ", min_size=1, max_size=6))
def test_a_cell_that_one_program_reads_otherwise_is_left_open(
    pages: dict[str, list[Page]], at: int, new: str
) -> None:
    cells = [cell for table in tables_of(pages) for cell in table.cells]
    wanted = cells[at]

    def change(word: Word) -> Word | None:
        there = word.text == wanted.text and word.box.meets(wanted.box)
        return (replace(word, text=new.strip()) if new.strip() else None) if there else word

    for program in document.PROGRAMS:
        for table in tables_of({**pages, program: spoilt(pages[program], change)}):
            for cell in table.cells:
                if cell.box.meets(wanted.box) and cell.page == wanted.page:
                    assert cell.text == (wanted.text if new.strip() == wanted.text else "")


def test_a_table_that_one_reading_counts_otherwise_is_to_be_typed(
    pages: dict[str, list[Page]],
) -> None:
    def change(word: Word) -> Word | None:
        return None if word.text in ("RR-CC", "(200KB)", "2,310", "54.25", "60") else word

    first, second = tables_of({**pages, "pdfium": spoilt(pages["pdfium"], change)})
    assert "count 3 × 3 and 2 × 3" in first.trouble or not any(c.text for c in first.cells)
    assert second.trouble == ""


def test_sentences_with_a_number_or_a_comparison_are_listed(
    project: Project, tmp_path: Path
) -> None:
    text = """
#set text(hyphenate: false)
= Results of TLS
The rate falls from 41,200 round trips/s to 18,050, as the table shows. Tests ran in March.
Larger messages are slower.

#lorem(12)

""" + REPORT.partition("#lorem(60)")[2]
    pdf = made(tmp_path, text)
    assert answer("import", str(pdf), "--id", "acme", project=project).returncode == 0
    draft = load_draft(project.drafts / "acme")
    assert draft
    assert draft.read.sentences == (
        Sentence(1, "Results of TLS",
                 "The rate falls from 41,200 round trips/s to 18,050, as the table shows."),
        Sentence(1, "Results of TLS", "Larger messages are slower."),
    )  # fmt: skip
    page = (project.drafts / "acme" / "reading" / "check.html").read_text("utf-8")
    assert (
        "<td>table-01: RR-CC (2KB), Acme 3.1 / Max Rate*; "
        "table-01: RR-CC (20KB) with a label of two lines, Acme 3.1 / Max Rate*</td>"
    ) in page


def uncommented(text: str) -> str:
    """Take the '#' off the stubs of ``claims.yml``."""
    head, _, stubs = text.partition("\nclaims:\n")
    return head + "\nclaims:\n" + re.sub(r"(?m)^#(?=  )(?!   \S)", "", stubs)


def test_each_sentence_has_a_stub_that_only_a_person_can_make_a_claim(
    project: Project, tmp_path: Path
) -> None:
    text = """
#set text(hyphenate: false)
= 2 Results
The rate falls from about 41,000 round trips/s to 18,050, as section 3 shows.
Table 1 shows the highest rate. Table 2 is set in March 2024. Larger messages are slower.

""" + REPORT.partition("#lorem(60)")[2]
    pdf = made(tmp_path, text)
    assert answer("import", str(pdf), "--id", "acme", project=project).returncode == 0
    path = project.drafts / "acme" / "claims.yml"
    assert load_claims(path, []) == (), "stubs are no claims"
    path.write_text(uncommented(path.read_text("utf-8")), "utf-8")
    stubs = yaml.safe_load(path.read_text("utf-8"))["claims"]
    assert [stub["id"] for stub in stubs] == [
        "sentence-1", "sentence-2", "sentence-4",
    ], "a year is none"  # fmt: skip
    assert {stub["section"] for stub in stubs} == {"2"}
    assert all(stub["says"] == "choose" for stub in stubs)
    first, second, third = stubs
    assert first["printed"] == "18,050"
    assert "row_label = 'RR-CC (20KB) with a label of two lines'" in first["sql"]
    assert first["expect"] == {"is": 18050}
    assert first["sql"].startswith("-- proposed; delete this line once")
    assert "-- proposed" not in second["sql"], "what says 'choose' is not proposed"
    assert (second["kind"], second["expect"]) == ("extreme", {"word": "choose"})
    assert "table_id = 'table-01' AND row_label = 'choose'" in second["sql"]
    assert third["not_checkable"] == "choose"
    with pytest.raises(DataError, match=r"claims\.yml:\d+") as problem:
        load_claims(path, ["choose"])
    assert "says 'choose': it is a stub" in str(problem.value)
    worded = first | {"says": "The rate falls to 18,050.", "chapter": "20-acme"}
    path.write_text(yaml.safe_dump({"claims": [worded]}), "utf-8")
    with pytest.raises(DataError, match="proposed by a program") as problem:
        load_claims(path, ["20-acme"])
    assert "delete the line '-- proposed" in str(problem.value)
    judged = worded | {"sql": worded["sql"].partition("\n")[2]}
    path.write_text(yaml.safe_dump({"claims": [judged]}), "utf-8")
    assert load_claims(path, ["20-acme"])[0].id == "sentence-1"


@given(st.lists(st.text(max_size=40), max_size=4), st.text(max_size=20))
def test_stubs_of_any_text_are_comments_and_then_claims_to_be_filled_in(
    texts: list[str], label: str
) -> None:
    words_enough = "more of them " * 20  # with fewer words than numbers it would be a row
    sentences = [Sentence(1, label, f"{text} 417.5 {words_enough}{label}") for text in texts]
    cells = {"417.5": [CellPlace("table-01", label, label)]}
    words = load_words(find_project(ROOT))
    stubs = claim_stubs(sentences, cells, {"1": DraftTable("1", label, 1)}, words)
    assert yaml.safe_load(stubs) == {"claims": None}
    claims = yaml.safe_load(uncommented(stubs))["claims"] or []
    assert [claim["says"] for claim in claims] == ["choose"] * len(texts)


def test_a_number_with_a_unit_is_that_of_a_column_with_the_unit() -> None:
    words = load_words(find_project(ROOT))
    place = CellPlace("table-01", "RR-CC", "Rate (MB/s)")
    for unit, queries in (("bytes", 0), ("MB", 1), ("ms", 0), ("%", 0), ("", 1), ("more", 1)):
        said = Sentence(1, "1", f"It sends 5125 {unit} in all.")
        stubs = claim_stubs([said], {"5125": [place]}, {}, words)
        assert stubs.count("column_label = 'Rate (MB/s)'") == queries, unit


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("It reaches 4,125 of them.", 1),
        ("At 4,125 it ends.", 1),
        ("About 4,125 are made.", 1),
        ("Table 2 has 4,125 of them.", 0),
        ("Table 1 has 4,125 of them.", 1),
        ("TLS 4125 is slower.", 0),
        ("It keeps 432 of them.", 0),
        ("Table 1 keeps 432 of them.", 1),
        ("It is slower with Acme 4125.", 0),
        ("It takes 1.2 of them.", 0),
        ("Table 1 has 1.2 of them.", 1),
        ("Row A of 4,125 and 1.92 300 17 41.2 2.1", 0),
    ],
)
def test_a_number_that_may_be_another_has_no_query(text: str, queries: int) -> None:
    cells = {"4125": [CellPlace("table-01", "A", "Rate")], "1.2": [CellPlace("table-01", "B", "T")],
             "432": [CellPlace("table-01", "C", "Rate")]}  # fmt: skip
    tables = {number: DraftTable(number, "Peaks", 1) for number in ("1", "2")}
    stubs = claim_stubs([Sentence(1, "1", text)], cells, tables, load_words(find_project(ROOT)))
    assert stubs.count("#      -- proposed") == queries


@given(st.text(max_size=60))
def test_numbers_of_any_text_are_parts_of_it(text: str) -> None:
    assert all(number in text and number[0].isdecimal() for number in numbers_in(text))


def test_a_picture_of_a_table_is_listed(project: Project, tmp_path: Path) -> None:
    pixel = '(encoding: "rgb8", width: 1, height: 1)'
    picture = f"#image(bytes((9, 9, 9)), format: {pixel}, width: 4cm)"
    pdf = made(tmp_path, f"Table 3: Drawn\n\n{picture}\n#lorem(50)")
    done = answer("import", str(pdf), "--id", "drawn", project=project)
    assert "no row of numbers was found near the caption" in done.stdout
    assert "TO BE TYPED" in (project.drafts / "drawn" / "report.yml").read_text("utf-8")


def test_what_the_import_leaves_to_say_is_named_with_its_lines(
    project: Project, tmp_path: Path
) -> None:
    pdf = made(tmp_path, REPORT + "\n\nTable 3: Drawn\n\n#lorem(50)\n\nFigure 1: Drawn")
    answer("import", str(pdf), "--id", "acme", project=project)
    path = project.drafts / "acme" / "report.yml"
    lines = path.read_text("utf-8").splitlines()
    left = [
        number for number, line in enumerate(lines, 1)
        if re.search(r"[A-Z]{4}|choose$", line) and not line.startswith(("#", "short_title"))
    ]  # fmt: skip
    assert [line for line, _ in unsaid(path.parent)] == left
    keys = {key for _, key in unsaid(path.parent)}
    assert keys == {*PLACEHOLDERS, "note"}
    refused(answer("new", "report", "acme", "--draft", project=project),
            f"report.yml:{left[0]}", "still to be filled in", "line 4 (title)")  # fmt: skip
    assert not (project.published / "acme").exists()


def test_sections_units_and_figures_are_drafted_as_printed(
    project: Project, tmp_path: Path
) -> None:
    text = """
#set text(hyphenate: false)
= 2.1 Rates and times
Table 1: Peaks
#table(columns: 4, [Test], [Rate], [CPU (%)], [Round-trip time (s)],
  [RR-CC], [41,200], [91.5], [0.002], [RR-BB], [18,050], [88], [0.004])
Figure 3: Rate over requesters
#lorem(30)
= Other results
Table 2: More
#table(columns: 2, [Test], [Elapsed (ms)], [RR-CC], [12], [RR-BB], [13])
Figure 4: Time over requesters
"""
    pdf = made(tmp_path, text)
    assert answer("import", str(pdf), "--id", "acme", project=project).returncode == 0
    declared = yaml.safe_load((project.drafts / "acme" / "report.yml").read_text("utf-8"))
    first, second = declared["tables"]
    assert (first["section"], second["section"]) == ("2.1", "SECTION")
    assert [column.get("unit") for column in first["columns"]] == [None, None, "s"]
    assert second["columns"] == [{"header": "Elapsed (ms)", "metric": "choose", "unit": "ms"}]
    assert [(one["number"], one["section"]) for one in declared["figures"]] == [
        ("Figure 3", "2.1"), ("Figure 4", "SECTION"),
    ]  # fmt: skip


DISCLOSED = """
#set text(size: 9pt, hyphenate: false)
#text(size: 20pt)[Acme Broker 3.1: Performance]

Version 1.2 of this report #linebreak() May 2020, second edition

= 1 Machines
Ada Lovelace measured it on these in May 2020.

#table(columns: 3, stroke: none, [Category], [Server], [Clients], [Machine], [Acme X1], [Acme X2],
  [CPU], [2 x 16 cores, 3.1 GHz], [8 cores], [RAM], [256GB], [512MB],
  [Storage], [2 NVMe SSD], [none], [RAID], [0], [1])

= 2 Settings
== 2.1 Files
#strong[/etc/sysctl.conf]

kernel.shmmni = 8192 #linebreak() vm.overcommit_memory=0

The ratio is (a + b) = 4. Two lines more, so that most of the letters are set in this size.

*Broker*

#table(columns: 2, stroke: none, [Parameter], [Value], [log buffers], [4096 pages])
"""


def test_values_of_sentences_are_listed_for_the_text_of_the_report(
    project: Project, tmp_path: Path
) -> None:
    text = """#set text(hyphenate: false)
= 2.1 Results
It peaks at 41,200 round trips/s with messages of 2 KB and 15% less CPU. A gain of 3.5 ms is small.
MQ 9 has 12 of them, and V1.2 more.
"""
    pdf = made(tmp_path, text)
    assert answer("import", str(pdf), "--id", "acme", project=project).returncode == 0
    head, *found = rows(project.drafts / "acme" / "reading" / "text.csv")
    assert head == ["page", "sentence", "row", "section", "metric", "statistic", "value"]
    assert [(row[1], row[3], row[6]) for row in found] == [
        ("1", "2.1", "41,200 round trips/s"), ("1", "2.1", "2 KB"), ("1", "2.1", "15%"),
        ("2", "2.1", "3.5 ms"),
    ]  # fmt: skip
    assert all(row[2] == row[5] == "choose" for row in found)


def test_what_the_document_says_of_itself_is_drafted(project: Project, tmp_path: Path) -> None:
    pdf = made(tmp_path, DISCLOSED + REPORT.partition("#lorem(60)")[2])
    done = answer("import", str(pdf), "--id", "acme", project=project)
    assert "title, edition, date; machines: 2; settings: 3" in done.stdout
    draft = project.drafts / "acme"
    declared = yaml.safe_load((draft / "report.yml").read_text("utf-8"))
    assert declared["title"] == "Acme Broker 3.1: Performance"
    assert (declared["edition"], declared["date"]) == ("Version 1.2", "May 2020")
    assert declared["publisher"] == PLACEHOLDERS["publisher"], "what is not found stays to be said"
    (machines,) = declared["host_sets"].values()
    assert (machines["section"], machines["title"]) == ("1", "Machines")
    first, second = machines["hosts"]
    assert first == {
        "roles": ["ROLE"], "count": 1, "model": "Acme X1", "processor": "2 x 16 cores, 3.1 GHz",
        "memory_gb": 256.0, "storage": "2 NVMe SSD", "settings": ["RAID: 0"],
    }  # fmt: skip
    assert second["settings"] == ["RAM: 512MB", "RAID: 1"], "no number of gigabytes"
    assert declared["tuning"] == [
        {"section": "2.1", "place": place, "name": name, "value": value}
        for place, name, value in (
            ("/etc/sysctl.conf", "kernel.shmmni", "8192"),
            ("/etc/sysctl.conf", "vm.overcommit_memory", "0"),
            ("Broker", "log buffers", "4096 pages"),
        )
    ]  # fmt: skip
    page = (draft / "reading" / "check.html").read_text("utf-8")
    assert "<td>processor of machine 1</td><td>CPU</td><td>2 x 16 cores, 3.1 GHz</td>" in page


def test_what_one_reading_alone_sees_or_what_is_said_twice_is_not(tmp_path: Path) -> None:
    def said(text: str, change: Callable[[Word], Word | None] = lambda word: word) -> list[str]:
        pdf = made(tmp_path, text)
        first, second = ([read_page(pdf, 1, program)] for program in document.PROGRAMS)
        return [one.key for one in said_of_itself((first, spoilt(second, change)))]

    whole = said(DISCLOSED)
    assert whole[:3] == ["title", "edition", "date"]
    other = said(DISCLOSED, lambda word: replace(word, text=word.text.replace("8192", "8I92")))
    assert len(other) == len(whole) - 1
    assert said(f"{DISCLOSED}\n\n#text(size: 20pt)[Part one]\n\nApril 2020")[0] == "edition"


def test_a_number_that_no_table_has_is_no_caption() -> None:
    assert CAPTION.match("Table 1204: Rates")
    assert CAPTION.match("Table A1.12 - Rates")
    assert not CAPTION.match(f"Table {'1' * 5000}: Rates")


def test_what_a_person_typed_is_kept(project: Project, tmp_path: Path) -> None:
    pdf = made(tmp_path)
    answer("import", str(pdf), "--id", "acme", project=project)
    draft = project.drafts / "acme"
    edit(draft / "table-01.csv", "41,200", "41,201")
    (draft / "text.csv").write_text("row,metric\n", "utf-8")
    (draft / "reading-notes.md").write_text("Mine.\n", "utf-8")
    (draft / "table-02.csv").unlink()
    done = answer("import", str(pdf), "--id", "acme", project=project)
    assert "Kept as you left them: table-01.csv" in done.stdout
    assert rows(draft / "table-01.csv")[1][1] == "41,201"
    assert (draft / "text.csv").exists()
    assert (draft / "reading-notes.md").exists()
    assert len(rows(draft / "table-02.csv")) == 5
    again = answer("import", str(pdf), "--id", "acme", project=project)
    assert "Kept as you left them: table-01.csv" in again.stdout

    other = made(tmp_path, REPORT.replace("40,100", "40,101"))
    refused(
        answer("import", str(other), "--id", "acme", project=project),
        "read from another document", "choose another id",
    )  # fmt: skip


def pdf_of(stream: bytes, *, packed: bool = False) -> bytes:
    """Write a PDF of one page by hand."""
    stream = stream if packed else zlib.compress(stream, 9)
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(stream), stream),
    ]  # fmt: skip
    text, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(text))
        text += b"%d 0 obj%s endobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return text + (
        b"xref\n0 5\n0000000000 65535 f \n%strailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
        % (table, len(text))
    )


def test_what_cannot_be_read_is_refused_in_words(project: Project, tmp_path: Path) -> None:
    def said(content: bytes, *options: str) -> str:
        path = tmp_path / "report.pdf"
        path.write_bytes(content)
        done = answer("import", str(path), "--id", "acme", *options, project=project)
        assert not project.drafts.exists()
        assert done.stderr.startswith("error: "), "no empty line of a bar that nobody watches"
        return refused(done)

    good = made(tmp_path).read_bytes()
    assert "is no PDF" in said(b"Table 1: peaks")
    assert "is broken" in said(b"%PDF-1.7\nnothing")
    assert "they are pictures of pages" in said(pdf_of(b"0 0 m"))
    assert "names no pages of the document" in said(good, "--from", "40")
    for backwards in ("3-1", "3-1,1"):
        assert "names no pages of the document" in said(good, "--from", backwards)
    assert "does not name a report" in refused(
        answer("import", str(tmp_path / "acme.pdf"), "--id", "../acme", project=project)
    )
    refused(answer("import", "absent.pdf", "--id", "acme", project=project), "no such file")
    writer = pypdf.PdfWriter(clone_from=tmp_path / "acme.pdf")
    writer.encrypt("secret", algorithm="AES-256")
    writer.write(tmp_path / "locked.pdf")
    assert "is encrypted" in said((tmp_path / "locked.pdf").read_bytes())


def test_a_page_that_takes_too_long_is_given_up(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document, "_SECONDS", 1)
    path = tmp_path / "bomb.pdf"
    path.write_bytes(pdf_of(b"0 0 m 1 1 l S " * 4_000_000))
    message = refused(answer("import", str(path), "--id", "bomb", project=project))
    assert "page 1 takes more than 1 s of processor time" in message
    assert not project.drafts.exists()


def test_a_document_that_cannot_be_opened_is_not_refused_for_one_of_its_pages(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document, "_MEGABYTES", 1)
    path = made(tmp_path)
    message = refused(answer("import", str(path), "--id", "acme", project=project))
    assert "acme.pdf: the document " in message
    assert "--from" not in message


@pytest.mark.thorough
def test_a_page_that_unpacks_to_too_much_is_given_up(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(document, "_MEGABYTES", 1024)
    pack = zlib.compressobj(9)
    begin = pack.compress(b"") + pack.flush(zlib.Z_FULL_FLUSH)
    part = pack.compress(bytes(1 << 24)) + pack.flush(zlib.Z_FULL_FLUSH)
    size = 100 << 24
    end = b"\x03\x00" + (size % 65521 << 16 | 1).to_bytes(4)
    path = tmp_path / "bomb.pdf"
    path.write_bytes(pdf_of(begin + part * 100 + end, packed=True))
    assert path.stat().st_size < 1 << 22
    message = refused(answer("import", str(path), "--id", "bomb", project=project))
    assert "page 1 takes more than 30 s of processor time or 1024 MB of memory" in message
    assert not project.drafts.exists()


@pytest.mark.parametrize(
    "stream",
    [
        b"BT /F1 99999999 Tf (Table 1: Rates) Tj ET",
        b"BT /F1 0 Tf (Table 1: Rates) Tj ET",
        b"BT /F1 -9 Tf 1e38 0 0 1e38 0 0 Tm (Table 1: Rates) Tj ET",
        b"BT /None 9 Tf (Table 1: Rates) Tj ET",
    ],
)
def test_letters_of_any_size_or_font_end_in_a_draft_or_in_words(
    project: Project, tmp_path: Path, stream: bytes
) -> None:
    path = tmp_path / "odd.pdf"
    path.write_bytes(pdf_of(stream))
    done = answer("import", str(path), "--id", "odd", project=project)
    if done.returncode:
        assert "they are pictures of pages" in refused(done)
    else:
        assert (project.drafts / "odd" / "report.yml").is_file()


def test_of_many_pages_some_are_read_and_scripts_are_not_run(
    project: Project, tmp_path: Path
) -> None:
    pdf = made(tmp_path, "Table 1: Rates\n#table(columns: 2, [A], [12])")
    (page,) = pypdf.PdfReader(pdf).pages
    writer = pypdf.PdfWriter()
    for _ in range(1000):
        writer.add_page(page)
    action = {NameObject("/S"): NameObject("/JavaScript"), NameObject("/JS"): TextStringObject("x")}
    writer.root_object[NameObject("/OpenAction")] = DictionaryObject(action)
    path = tmp_path / "long.pdf"
    writer.write(path)
    refused(answer("import", str(path), "--id", "long", project=project),
            "1000 pages are more than can be read", "400 pages", "--from 7-30")  # fmt: skip
    done = answer("import", str(path), "--id", "long", "--from", "1000", project=project)
    assert done.returncode == 0, done.stderr
    assert "There are scripts in the document. They were not run." in done.stdout


def test_modules_beside_a_document_are_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pdf = made(tmp_path)
    (tmp_path / "pickle.py").write_text("open('run', 'w')")
    monkeypatch.chdir(tmp_path)
    with document.open_document(pdf) as opened:
        assert opened.pages == len(pypdf.PdfReader(pdf).pages)
    assert not (tmp_path / "run").exists()


HOSTILE = """
Table 1: #"<script>alert(1)</script>"
#table(columns: 2, [#"=cmd|' /C calc'!A0"], [Rate],
  [#"@SUM(1)"], [12], [#"<img src=x onerror=alert(1)>"], [13])
"""


def test_texts_of_a_document_stay_texts(project: Project, tmp_path: Path) -> None:
    done = answer("import", str(made(tmp_path, HOSTILE)), "--id", "evil", project=project)
    assert done.returncode == 0, done.stderr
    draft = project.drafts / "evil"
    page = (draft / "reading" / "check.html").read_text("utf-8")
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert "<img src=x" not in page
    assert rows(draft / "table-01.csv")[1][0] == "'@SUM(1)"
    assert yaml.safe_load((draft / "report.yml").read_text("utf-8"))["id"] == "evil"


def complete(draft: Path) -> None:
    """Enter what only a person can say about the report."""
    declared = yaml.safe_load((draft / "report.yml").read_text("utf-8"))
    sizes = {"2KB": 2048, "20KB": 20480, "200KB": 204800}
    declared |= {
        "title": "Acme Broker 3.1", "publisher": "Acme", "edition": "1", "date": "May 2020",
        "product": "Acme Broker", "product_version": "3.1", "notice": "Without warranty.",
        "message_sizes": {"basis": "page 1", "bytes": sizes},
        "factors": {"product": "Acme Broker", "product_version": "3.1"},
    }  # fmt: skip
    host = {"roles": ["Server"], "count": 1, "model": "Acme X1"}
    declared["host_sets"] = {"set1": {"section": "1", "title": "All", "hosts": [host]}}
    metrics = [["round_trip_rate", "cpu", "clients"], ["round_trip_rate", "round_trip_time"]]
    for table, named in zip(declared["tables"], metrics, strict=True):
        table |= {"section": "1", "caption": "Rates"}
        for column, metric in zip(table["columns"], named, strict=True):
            column["metric"] = metric
    (draft / "report.yml").write_text(yaml.safe_dump(declared, sort_keys=False), "utf-8")
    edit(draft / "table-02.csv", "row,heading", "row,delivery")
    table = (draft / "table-02.csv").read_text("utf-8")
    lowered = table.replace("Non-persistent", "nonpersistent").replace("Persistent", "persistent")
    (draft / "table-02.csv").write_text(lowered, "utf-8")
    for name in ("table-01.csv", "table-02.csv"):
        head, *others = rows(draft / name)
        size = [next(text for text in sizes if f"({text})" in row[0] or row[0] == text)
                for row in others]  # fmt: skip
        lines = [
            [row[0], str(sizes[text]), *row[1:]] for row, text in zip(others, size, strict=True)
        ]
        with (draft / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["row", "message_bytes", *head[1:]], *lines])


def test_columns_that_no_factor_tells_apart_are_refused_before_a_draft_is_adopted(
    tmp_path: Path,
) -> None:
    project = project_of(tmp_path / "project", ["95-source-tables.ipynb"])
    assert answer(
        "import", str(made(tmp_path)), "--id", "acme-3.1", project=project
    ).returncode == 0  # fmt: skip
    draft = project.drafts / "acme-3.1"
    complete(draft)
    declared = yaml.safe_load((draft / "report.yml").read_text("utf-8"))
    first, _, second = declared["tables"][0]["columns"]
    second |= {key: first[key] for key in ("metric", "statistic", "factors") if key in first}
    for key in {"statistic", "factors", "unit"} - first.keys():
        second.pop(key, None)
    (draft / "report.yml").write_text(yaml.safe_dump(declared), "utf-8")
    message = refused(answer("new", "report", "acme-3.1", "--draft", project=project))
    assert f"the columns '{first['header']}' and '{second['header']}' set the same" in message
    assert not (project.published / "acme-3.1").exists()


@pytest.mark.thorough
@pytest.mark.slow
def test_the_guide_leads_from_a_pdf_to_a_built_report(tmp_path: Path) -> None:
    project = project_of(tmp_path / "project", ["95-source-tables.ipynb", "92-claims.ipynb"])
    pdf = made(tmp_path)
    assert answer("import", str(pdf), "--id", "acme-3.1", project=project).returncode == 0
    draft = project.drafts / "acme-3.1"
    take = ("new", "report", "acme-3.1", "--draft")
    refused(answer(*take, project=project), "report.yml:4: still to be filled in: line 4 (title)")
    complete(draft)
    done = answer(*take, project=project)
    assert done.returncode == 0, done.stderr
    assert not (project.published / "acme-3.1" / "reading").exists()
    assert json.loads((project.checks / "acme-3.1.json").read_text("utf-8"))["name"] == "acme-3.1"
    refused(answer(*take, project=project), "exists")
    assert answer("check", project=project).returncode == 0
    cells = answer("data", "cells", "--report", "acme-3.1", project=project)
    assert "41,200" in cells.stdout
    made_chapter = answer("new", "chapter", "20-acme", "--report", "acme-3.1", project=project)
    assert made_chapter.returncode == 0, made_chapter.stderr
    edit(
        project.book,
        "notebooks/00-about.ipynb",
        "notebooks/00-about.ipynb\n  - notebooks/20-acme.ipynb",
    )
    built = roundtrip("build", "--engine", "embedded", project=project)
    assert built.returncode == 0, built.stderr
    (folder,) = project.reports.iterdir()
    # Pictures of somebody's pages are part of no report and of no packet.
    assert draft.exists()
    assert "data/drafts" not in (folder / "manifest.json").read_text("utf-8")
    assert roundtrip("pack", project=project).returncode == 0
    with ZipFile(next(project.reports.rglob("*.zip"))) as packet:
        assert not [name for name in packet.namelist() if "data/drafts" in name]
    tables = (folder / "html" / "95-source-tables.html").read_text("utf-8")
    assert "41,200" in tables
    assert "54.25" in tables
