"""How tables of the PDF get their columns: what these need, and what does not fit on one page."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest
import typst
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtrip.outputs import BodyCell, HeaderCell
from roundtrip.project import PACKAGE, Project
from roundtrip.publish.book import Chapter, TableItem
from roundtrip.publish.pdf import columns as typst_columns
from roundtrip.publish.pdf.blocks import data_literal, quoted
from roundtrip.publish.pdf.columns import (
    CODE_SCALE,
    ColumnNeeds,
    face,
    parts_of,
    parts_of_name,
    without_empty_groups,
)
from roundtrip.publish.pdf.writer import table_data
from roundtrip.table_html import table_rows
from roundtrip.theme import Theme, typeface
from roundtrip.typography import parts_of_long_words

PROJECT = Project(Path(__file__).parent.parent)
FONTS = typeface(PROJECT)
BOLD = face(FONTS.bold)
NEEDS = ColumnNeeds(FONTS)


def cell(text: str, align: str = "left", kind: str = "value", **more: object) -> dict[str, object]:
    return {"text": text, "align": align, "kind": kind, **more}


def fonts_of(project: Project) -> typst.Fonts:
    return typst.Fonts(
        include_system_fonts=False,
        include_embedded_fonts=False,
        font_paths=[str(folder) for folder in project.template_folders("fonts")],
    )


HEADER = [
    [{"text": "", "span": 1}, {"text": "Round trips", "span": 2}],
    [{"text": "File system", "span": 1}, {"text": "1 kB", "span": 1}, {"text": "2 kB", "span": 1}],
]
ROWS = [
    [cell("Persistent", kind="group")],
    [cell("a b"), cell("1,000.5", "right", pad="0"), cell("7", "right")],
    [cell("örtlich", links=[{"text": "Table 3", "anchor": "x"}]), cell("9", "right"), cell("–")],
]


def look_and_tables() -> str:
    """Give the templates of tables as one file."""
    look = PACKAGE / "templates" / "typst"
    source = "".join((look / name).read_text("utf-8") for name in ("look.typ", "table.typ"))
    source = re.sub(r'#import "(?:look|theme)\.typ": \*', "", source)
    return Theme().typst() + source.replace('json("/book.json")', "(elsewhere: (:))")


def bold(text: str) -> pytest.approx:
    return pytest.approx(BOLD.width(text), abs=0.0011)


def test_columns_need_their_longest_words_and_cells():
    first, second, third = NEEDS.of(HEADER, ROWS, 3, shared=False)
    assert not first["number"]
    assert first["cell"] == bold("örtlich Table 3")
    assert first["word"] == first["piece"] == bold("örtlich")
    assert (first["head"], first["head-word"]) == (bold("File system"), bold("system"))
    assert second["number"]
    assert second["cell"] == bold("1,000.50")
    assert second["head"] == bold("1 kB")
    assert not third["number"]


def test_code_is_measured_in_its_own_font():
    mono = face(FONTS.code)
    (need,) = NEEDS.of([], [[cell("iii", kind="code")]], 1, shared=False)
    assert need["cell"] == pytest.approx(mono.width("iii") * CODE_SCALE, abs=0.0011)
    assert need["cell"] > BOLD.width("iii")


def test_a_table_that_shares_its_width_needs_room_for_pieces_of_words():
    rows = [[cell("non-transactionality x"), cell("y", "right")], [cell("c9-minutely"), cell("")]]
    header = [[{"text": "In one", "span": 1}, {"text": "B", "span": 1}]]
    first, second = NEEDS.of(header, rows, 2, shared=True)
    # Eighteen letters are hyphenated, eight are not.
    whole = BOLD.width("transactionality")
    assert first["least"] == pytest.approx(whole * 0.65, abs=0.0011)
    assert first["piece"] == bold("transactionality")
    assert second == {"least": bold("B"), "piece": bold("y")}
    assert NEEDS.of([], rows, 2, shared=True)[1] == {"least": bold("y"), "piece": bold("y")}


@pytest.mark.parametrize(
    ("text", "longest"),
    [("persistent-2048b-proxy-c16", "persistent-2048b-"), ("a-1-2-3", "a-1-2-3"), ("", "")],
)
def test_no_line_is_broken_between_a_hyphen_and_a_digit(text, longest):
    (need,) = NEEDS.of([], [[cell(text)]], 1, shared=False)
    assert need["piece"] == bold(longest)
    assert need["word"] == bold(text)


def test_a_long_name_in_code_may_be_broken_after_an_underscore():
    name = "queue_manager_file_system_allocated"
    (whole,) = NEEDS.of([], [[cell(name, kind="code")]], 1, shared=False)
    (parted,) = NEEDS.of([], [[cell(name, kind="code", parts=parts_of_name(name))]], 1, False)
    assert parts_of_name(name) == ["queue_", "manager_", "file_", "system_", "allocated"]
    assert parts_of_name("round_trip_rate") == ["round_trip_rate"]
    assert parted["word"] < whole["word"] == parted["cell"] == whole["cell"]


@pytest.mark.parametrize(
    "name", ["APP.SETTLEMENT.EUROPE.REQUEST/QUEUE_FOR:ALL.MESSAGES", "x" * 95, f"of {'ab-' * 20} 1"]
)
def test_a_word_that_no_column_has_room_for_is_divided(name):
    parts = parts_of_long_words(name)
    assert "".join(parts) == name
    assert max(map(len, parts)) <= 24
    (need,) = NEEDS.of([], [[cell(name, parts=parts)]], 1, shared=False)
    assert need["word"] < need["cell"] / 2
    assert parts_of_long_words("x" * 40 + " y") == ["x" * 40 + " y"]


@given(st.text("0123456789abcfilxyzABCTVWo ,.-–%µ/()", max_size=40))
def test_no_text_of_a_table_is_wider_than_is_said(text):
    source = look_and_tables()
    source += f"#let shown = text(100pt, ..heavy, ..plain, {quoted(text)})\n"
    source += "#context [#metadata(measure(shown).width.pt())<width>]"
    compiler = typst.Compiler(source.encode(), font_paths=fonts_of(PROJECT))
    width = float(compiler.query("<width>", field="value", one=True))
    assert width <= NEEDS.width(cell(text)) * 100 + 1e-6


@settings(deadline=None, max_examples=60)
def number(run: int, column: int) -> str:
    return f"{1000 * run + column},000"


def wide_table(columns: int) -> TableItem:
    heads = ["Run", *(f"Messages {column}" for column in range(1, columns))]
    rows = []
    for run in (1, 2, 3):
        cells = [BodyCell(f"persistent-2048b-proxy-c{run}", anchor=f"run-{run}")]
        for column in range(1, columns):
            name = f"cell-{run}-{column}"
            cells.append(BodyCell(number(run, column), kind="value", align="right", anchor=name))
        rows.append(tuple(cells))
    return TableItem(
        label="tbl-wide", number="1.1", caption="Every run",
        header=(tuple(map(HeaderCell, heads)),), rows=tuple(rows), sources=(), csv="",
    )  # fmt: skip


def lines_of(data: dict[str, object], folder: Path) -> list[list[str]]:
    """Print a table on one page, and give the words of each line."""
    (page,) = pages_of(data, folder)
    return page


def pages_of(data: dict[str, object], folder: Path) -> list[list[list[str]]]:
    """Print a table, and give the words of each line of each page."""
    source = (
        '#import "/look.typ": *\n#import "/table.typ": table-body\n'
        "#set page(margin: (x: 22mm))\n#set text(font: sans)\n#metadata(none)<tbl-wide>\n"
        f"#table-body({data_literal(data)}, none)\n"
    )
    (folder / "book.json").write_text('{"elsewhere": {}}')
    for name in ("look.typ", "table.typ"):
        (folder / name).write_bytes((PACKAGE / "templates" / "typst" / name).read_bytes())
    (folder / "theme.typ").write_text(Theme().typst(), "utf-8")
    (folder / "main.typ").write_text(source, "utf-8")
    file = folder / "wide.pdf"
    typst.compile(str(folder / "main.typ"), output=str(file), font_paths=fonts_of(PROJECT))
    texts = (page.extract_text(extraction_mode="layout") for page in pypdf.PdfReader(file).pages)
    return [[line.split() for line in text.splitlines()] for text in texts]


def chapter_with(table: TableItem) -> Chapter:
    return Chapter(
        name="10-x", title="X", label="sec-x", number="1", kind="chapter", blocks=[], figures={},
        tables={table.label: table}, codes={},
    )  # fmt: skip


def test_a_table_that_fits_is_one_part():
    table = wide_table(5)
    data = table_data(table, chapter_with(table), FONTS)
    assert [part["columns"] for part in data["parts"]] == [5]


def test_a_table_that_is_too_wide_comes_in_parts_with_the_first_column_in_each():
    table = wide_table(22)
    parts = table_data(table, chapter_with(table), FONTS)["parts"]
    assert len(parts) > 1
    texts = [[head["text"] for head in part["header"][0]] for part in parts]
    assert {heads[0] for heads in texts} == {"Run"}
    assert [head for heads in texts for head in heads[1:]] == [
        f"Messages {column}" for column in range(1, 22)
    ]
    anchors = [cell.get("anchor") for part in parts for row in part["rows"] for cell in row]
    named = [anchor for anchor in anchors if anchor]
    assert len(named) == len(set(named)) == 3 * 22


def test_what_divides_a_table_knows_the_page_that_the_template_sets():
    source = look_and_tables()
    source += "#let wide = 210mm - margins.left - margins.right + hang\n"
    source += "#let values = (room.pt(), wide.pt(), ..sizes.map(size => size.pt()))\n"
    source += "#metadata(values)<values>"
    compiler = typst.Compiler(source.encode(), font_paths=fonts_of(PROJECT))
    room, wide, *sizes = json.loads(compiler.query("<values>", field="value", one=True))
    assert room <= typst_columns._ROOM < room + 0.1
    assert wide - 1 < typst_columns._PAGE <= wide
    assert {typst_columns._LEAST_SIZE, typst_columns._SIZE} <= set(sizes)


def test_columns_below_one_head_stay_together():
    header = [
        [{"text": "", "span": 1}, *({"text": f"group {n}", "span": 3} for n in range(6))],
        [{"text": "Run", "span": 1}, *({"text": f"m{n}", "span": 1} for n in range(18))],
    ]
    rows = [[cell("run"), *(cell("1,000,000,000", "right") for _ in range(18))]]
    parts = parts_of(header, NEEDS.of(header, rows, 19, shared=False))
    assert len(parts) > 1
    for part in parts:
        assert part[0] == 0
        assert [column % 3 for column in part[1:]] == [1, 2, 0] * (len(part) // 3)


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_a_table_that_no_division_makes_fit_stays_whole(columns):
    rows = [[cell("x" * 200), *(cell("1", "right") for _ in range(columns - 1))]]
    needs = NEEDS.of([], rows, columns, shared=False)
    assert parts_of([], needs) == [tuple(range(columns))]


def test_groups_without_any_value_are_left_out():
    def group(text):
        return [{"text": text, "kind": "group"}]

    full, dash = [cell("a"), cell("1"), cell("\u2013")], [cell("b"), cell("\u2013"), cell("\u2013")]
    rows = [dash, group("one"), full, dash, group("two"), dash, dash, group("three"), full]
    assert without_empty_groups(rows) == [*rows[:4], *rows[7:]]


def test_a_cell_of_several_lines_keeps_its_height(tmp_path):
    table = wide_table(3)
    rows = [(BodyCell("first\nsecond\nthird"), *row[1:]) for row in table.rows]
    table = replace(table, rows=tuple(rows))
    lines = lines_of(table_data(table, chapter_with(table), FONTS), tmp_path)
    assert [line for line in lines if line[:1] in (["first"], ["second"], ["third"])] == [
        line
        for run in (1, 2, 3)
        for line in (["first", number(run, 1), number(run, 2)], ["second"], ["third"])
    ]


def test_a_long_name_leaves_long_texts_room_and_overlaps_nothing(tmp_path):
    table = wide_table(3)
    name = BodyCell("queue_manager_file_system_allocated_here", "left", kind="code")
    text = BodyCell("Some of the words that say at length what is meant. " * 4, "left")
    table = replace(table, rows=((name, text, text), (name, text, text)))
    lines = lines_of(table_data(table, chapter_with(table), FONTS), tmp_path)
    parts = [line[0] for line in lines if line and "_" in line[0]]
    assert len(parts) > 2
    assert "".join(parts) == name.text * 2


def test_a_word_is_broken_only_where_it_is_too_long_for_its_column(tmp_path):
    table = wide_table(3)
    cells = (BodyCell("did not increase", "left"), BodyCell("word " * 60, "left"))
    long = (BodyCell("internationalisation", "left"), BodyCell("word", "left"))
    row = BodyCell("x", "left")
    table = replace(table, rows=((*cells, row), (*long, row)), shares=(10, 80, 10))
    lines = lines_of(table_data(table, chapter_with(table), FONTS), tmp_path)
    first = [line[0] for line in lines if line]
    assert "increase" in first
    assert "sation" in first


def test_every_cell_of_a_wide_table_is_printed_once_and_apart_from_the_others(tmp_path):
    table = wide_table(22)
    data = table_data(table, chapter_with(table), FONTS)
    lines = lines_of(data, tmp_path)
    for run in (1, 2, 3):
        name = f"persistent-2048b-proxy-c{run}"
        printed = [word for line in lines if line[:1] == [name] for word in line[1:]]
        assert printed == [number(run, column) for column in range(1, 22)]
    announced = sum("(further columns)" in " ".join(line) for line in lines)
    assert announced == len(data["parts"]) - 1 > 0


@pytest.mark.parametrize("count", range(46, 51))
def test_no_page_has_only_the_last_row_of_a_table_or_its_notes(tmp_path, count):
    table = wide_table(3)
    rows = tuple((BodyCell(f"run-{run}"), *table.rows[0][1:]) for run in range(count))
    table = replace(table, rows=rows, notes=("A note.",))
    data = {**table_data(table, chapter_with(table), FONTS), "long": True}
    pages = pages_of(data, tmp_path)
    runs = [[line[0] for line in page if line and line[0].startswith("run-")] for page in pages]
    assert [run for page in runs for run in page] == [f"run-{run}" for run in range(count)]
    assert len(runs[-1]) >= 2
    assert ["A", "note."] in pages[-1]


def test_a_shaded_cell_stands_on_its_colour_on_paper_and_on_the_site(tmp_path):
    table = wide_table(3)
    rows = [(*row[:2], replace(row[2], shade=8)) for row in table.rows]
    shaded = replace(table, rows=tuple(rows))
    lines_of(table_data(shaded, chapter_with(shaded), FONTS), tmp_path)
    (page,) = pypdf.PdfReader(tmp_path / "wide.pdf").pages
    assert page.get_contents().get_data().count(b" 0.69803923 0.8039216 1 scn") == len(rows)
    cells = str(table_rows(shaded.header, shaded.rows, lambda anchor: None))
    assert len(re.findall(r'class="right shaded" id="\S+" style="--shade: 8"', cells)) == len(rows)
    assert "shade" not in str(table_rows(table.header, table.rows, lambda anchor: None))
