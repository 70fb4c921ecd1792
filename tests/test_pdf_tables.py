"""How tables of the PDF get their columns: what these need, and what does not fit on one page."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest
import typst
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from roundtrip.build import typst_columns, typst_parts
from roundtrip.build.book import BodyCell, Chapter, HeaderCell, TableItem, TableModel
from roundtrip.build.pdf_settling import fonts_of
from roundtrip.build.text_widths import face
from roundtrip.build.typst_columns import CODE_SCALE, ColumnNeeds
from roundtrip.build.typst_parts import parts_of
from roundtrip.build.typst_text import decoded, quoted
from roundtrip.build.typst_writer import chapter_to_typst, table_data
from roundtrip.project import Project

PROJECT = Project(Path(__file__).parent.parent)
FONTS = PROJECT.fonts
BOLD = face(FONTS / "IBMPlexSans-SemiBold.ttf")
NEEDS = ColumnNeeds(FONTS)


def cell(text: str, align: str = "left", kind: str = "value", **more: object) -> dict[str, object]:
    return {"text": text, "align": align, "kind": kind, **more}


HEADER = [
    [{"text": "", "span": 1}, {"text": "Round trips", "span": 2}],
    [{"text": "File system", "span": 1}, {"text": "1 kB", "span": 1}, {"text": "2 kB", "span": 1}],
]
ROWS = [
    [cell("Persistent", kind="group")],
    [cell("a b"), cell("1,000.5", "right", pad=1), cell("7", "right")],
    [cell("örtlich", links=[{"text": "Table 3", "anchor": "x"}]), cell("9", "right"), cell("–")],
]


def look_and_tables() -> str:
    """Give the templates of tables as one file."""
    look = PROJECT.templates / "typst"
    source = "".join((look / name).read_text("utf-8") for name in ("look.typ", "table.typ"))
    return source.replace('#import "look.typ": *', "")


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
    mono = face(FONTS / "IBMPlexMono-Regular.ttf")
    (need,) = NEEDS.of([], [[cell("iii", kind="code")]], 1, shared=False)
    assert need["cell"] == pytest.approx(mono.width("iii") * CODE_SCALE, abs=0.0011)
    assert need["cell"] > BOLD.width("iii")


def test_a_table_that_shares_its_width_needs_room_for_pieces_of_words():
    rows = [[cell("non-persistent x"), cell("y", "right")]]
    header = [[{"text": "In one", "span": 1}, {"text": "B", "span": 1}]]
    first, second = NEEDS.of(header, rows, 2, shared=True)
    assert first == {"least": bold("persistent")}
    assert second == {"least": bold("B")}
    assert NEEDS.of([], rows, 2, shared=True)[1] == {"least": bold("y")}


@pytest.mark.parametrize(
    ("text", "longest"),
    [("persistent-2048b-proxy-c16", "persistent-2048b-"), ("a-1-2-3", "a-1-2-3"), ("", "")],
)
def test_no_line_is_broken_between_a_hyphen_and_a_digit(text, longest):
    (need,) = NEEDS.of([], [[cell(text)]], 1, shared=False)
    assert need["piece"] == bold(longest)
    assert need["word"] == bold(text)


@given(st.text("0123456789abcfilxyzABCTVWo ,.-–%µ/()", max_size=40))
def test_no_text_of_a_table_is_wider_than_is_said(text):
    """So a row whose height is given shows all of its cells."""
    source = look_and_tables()
    source += f"#let shown = text(100pt, ..heavy, ..plain, {quoted(text)})\n"
    source += "#context [#metadata(measure(shown).width.pt())<width>]"
    compiler = typst.Compiler(source.encode(), font_paths=fonts_of(FONTS))
    width = float(compiler.query("<width>", field="value", one=True))
    assert width <= NEEDS.width(cell(text)) * 100 + 1e-6


@given(st.lists(st.floats(0.1, 9), min_size=1, max_size=12), st.floats(0.1, 1))
def test_wraps_say_how_many_lines_a_column_takes(words, gap):
    found = typst_columns._narrowest(words, gap)
    assert found == sorted(found, reverse=True)
    for wanted, width in enumerate(found, 1):
        lines, line = 1, words[0]
        for word in words[1:]:
            fits = line + gap + word <= width + 1e-9
            lines, line = (lines, line + gap + word) if fits else (lines + 1, word)
        assert lines <= wanted
    assert max(words) - 1e-9 <= found[-1]
    assert len(found) <= typst_columns.MOST_LINES


WORDS = st.text("0123456789abcfilxyzABCTVWo,.-–%µ/()", min_size=1, max_size=9)


@settings(deadline=None, max_examples=60)
@given(st.lists(WORDS, min_size=1, max_size=14), st.booleans(), st.floats(20, 300))
def test_a_row_is_as_high_as_its_cells(words, strong, width):
    """Typst, which is asked for the height of the row here, never needs more lines than is said."""
    body = cell(" ".join(words), **({"strong": True} if strong else {}))
    wraps = NEEDS.wraps(body)
    free = (width - 11.1) / 8
    lines = next((number for number, it in enumerate(wraps, 1) if it <= free), None)
    assume(lines is not None)
    text = quoted(body["text"])
    shown = f"strong({text})" if strong else text
    source = look_and_tables() + (
        "#show strong: set text(..heavy)\n#set text(font: sans)\n"
        "#let set-in(body) = { set text(8pt, hyphenate: false, ..plain)\n"
        'set par(leading: leading * 1em, justify: false, linebreaks: "simple")\n body }\n'
        f"#context [#metadata((measure(set-in[a]).height.pt(), measure(width: {width - 10.8}pt, "
        f"set-in({shown})).height.pt()))<height>]"
    )
    compiler = typst.Compiler(source.encode(), font_paths=fonts_of(FONTS))
    line, height = json.loads(compiler.query("<height>", field="value", one=True))
    assert height <= lines * line + (lines - 1) * 0.5 * 8 + 1e-6


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
        model=TableModel((tuple(map(HeaderCell, heads)),), tuple(rows)), sources=(), csv="",
    )  # fmt: skip


def lines_of(data: dict[str, object], folder: Path) -> list[list[str]]:
    """Print a table, and give the words of each line."""
    source = (
        '#import "/look.typ": *\n#import "/table.typ": table-body\n'
        "#set page(margin: (x: 22mm))\n#set text(font: sans)\n"
        f"#table-body({decoded(data)}, none, _ => none)\n"
    )
    for name in ("look.typ", "table.typ"):
        (folder / name).write_bytes((PROJECT.templates / "typst" / name).read_bytes())
    (folder / "main.typ").write_text(source, "utf-8")
    file = folder / "wide.pdf"
    typst.compile(str(folder / "main.typ"), output=str(file), font_paths=fonts_of(FONTS))
    (page,) = pypdf.PdfReader(file).pages
    return [line.split() for line in page.extract_text(extraction_mode="layout").splitlines()]


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
    compiler = typst.Compiler(source.encode(), font_paths=fonts_of(FONTS))
    room, wide, *sizes = json.loads(compiler.query("<values>", field="value", one=True))
    assert room <= typst_parts._ROOM < room + 0.1
    assert wide - 1 < typst_parts._PAGE <= wide
    assert {typst_parts._LEAST_SIZE, typst_parts._SIZE} <= set(sizes)


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


def test_a_cell_of_several_lines_keeps_its_height(tmp_path):
    table = wide_table(3)
    rows = [(BodyCell("first\nsecond\nthird"), *row[1:]) for row in table.model.rows]
    table = replace(table, model=replace(table.model, rows=tuple(rows)))
    lines = lines_of(table_data(table, chapter_with(table), FONTS), tmp_path)
    assert [line for line in lines if line[:1] in (["first"], ["second"], ["third"])] == [
        line
        for run in (1, 2, 3)
        for line in (["first", number(run, 1), number(run, 2)], ["second"], ["third"])
    ]


def test_every_cell_of_a_wide_table_is_printed_once_and_apart_from_the_others(tmp_path):
    table = wide_table(22)
    data = table_data(table, chapter_with(table), FONTS)
    lines = lines_of(data, tmp_path)
    for run in (1, 2, 3):
        name = f"persistent-2048b-proxy-c{run}"
        printed = [word for line in lines if line[:1] == [name] for word in line[1:]]
        assert printed == [number(run, column) for column in range(1, 22)]


def chapter_of(kind: str, *names: str) -> Chapter:
    """Give a chapter of items in this order: long tables, a short one, code, and text."""
    tables = {}
    for name in names:
        if name.startswith("table:"):
            rows = 2 if "short" in name else 40
            table = wide_table(3)
            model = replace(table.model, rows=table.model.rows[:2] * rows)
            label = name.removeprefix("table:")
            tables[label] = replace(table, label=label, model=model)
    blocks = [
        {"t": "RawBlock", "c": ["roundtrip", name]} if ":" in name
        else {"t": "Para", "c": [{"t": "Str", "c": name}]}
        for name in names
    ]  # fmt: skip
    return replace(chapter_with(wide_table(3)), kind=kind, blocks=blocks, tables=tables)


def test_only_tables_of_numbers_that_fill_pages_begin_one():
    chapter = chapter_of("appendix", "table:a", "table:b")
    assert "#pagebreak" in chapter_to_typst(chapter, FONTS)
    for change in (
        lambda rows: rows[:79],
        lambda rows: tuple(tuple(replace(cell, align="left") for cell in row) for row in rows),
    ):
        tables = {
            label: replace(table, model=replace(table.model, rows=change(table.model.rows)))
            for label, table in chapter.tables.items()
        }
        assert "#pagebreak" not in chapter_to_typst(replace(chapter, tables=tables), FONTS)


def test_a_table_of_pages_that_follows_upon_another_begins_a_page():
    names = ("table:a", "code:0", "table:b", "table:short", "Text", "table:c", "table:d")
    written = chapter_to_typst(chapter_of("appendix", *names), FONTS)
    broken = [part.split("label")[1][5:10] for part in written.split("#pagebreak(weak: true)")[1:]]
    assert [name.strip('\\":,')[0] for name in broken] == ["b", "d"]
    assert "#pagebreak" not in chapter_to_typst(chapter_of("chapter", *names), FONTS)
