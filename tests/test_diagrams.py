"""Every topology can be read, drawn, and read again by whoever looks at it."""

import re
import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from roundtrip.errors import DataError
from roundtrip.present.diagrams.drawing import diagram_names, load_diagram
from roundtrip.present.diagrams.scene import TEXT_SIZE, WIDTH
from roundtrip.present.diagrams.text import text_width
from roundtrip.project import Project

ROOT = Path(__file__).resolve().parents[1]
PROJECT = Project(ROOT)
FOLDER = ROOT / "templates" / "diagrams"
NAMES = diagram_names(PROJECT)
SVG = "{http://www.w3.org/2000/svg}"

SMALL = """\
title: Two boxes
caption: A caption.
alt: Box one is connected to box two.
parts:
  - {id: one, kind: box, at: [1, 0], size: [20, 6], title: One}
  - {id: two, kind: box, at: [50, 0], size: [20, 6], title: Two}
links:
  - {kind: flow, from: one.right, to: two.left, step: 1, label: put}
"""


def small(tmp_path, text=SMALL):
    path = tmp_path / "small.yml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_topologies_of_the_linux_report_are_there():
    assert {"rr-cc", "rr-dq-bb", "san", "miqm", "rdqm"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_is_well_formed_and_stands_alone(name):
    svg = load_diagram(FOLDER / f"{name}.yml").svg(f"fig-{name}")
    root = ET.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert float(root.get("width")) == WIDTH
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert root.get("font-family").startswith("IBM Plex Sans")
    assert not {e.tag for e in root.iter()} & {f"{SVG}{tag}" for tag in ("script", "image", "use")}
    assert "href" not in svg
    assert "url(" not in svg


@pytest.mark.parametrize("name", NAMES)
def test_ids_are_unique_and_carry_the_name(name):
    root = ET.fromstring(load_diagram(FOLDER / f"{name}.yml").svg("fig-x"))
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    assert all(one == "fig-x" or one.startswith("fig-x-") for one in ids)
    assert set(root.get("aria-labelledby").split()) <= set(ids)


@pytest.mark.parametrize("name", NAMES)
def test_every_shape_has_a_class_for_style_sheets(name):
    root = ET.fromstring(load_diagram(FOLDER / f"{name}.yml").svg("x"))
    drawn = ("rect", "path", "circle", "polygon", "text")
    shapes = [e for e in root.iter() if e.tag.removeprefix(SVG) in drawn]
    assert shapes
    assert all(e.get("class", "").startswith("dg-") for e in shapes)


@pytest.mark.parametrize("name", NAMES)
def test_a_drawing_is_the_same_every_time(name):
    path = FOLDER / f"{name}.yml"
    assert load_diagram(path).svg("a") == load_diagram(path).svg("a")


@pytest.mark.parametrize("name", NAMES)
def test_nothing_collides_or_is_cut_off(name):
    assert load_diagram(FOLDER / f"{name}.yml").problems() == []


@pytest.mark.parametrize("name", NAMES)
def test_text_is_large_enough_at_680_pixels(name):
    texts = load_diagram(FOLDER / f"{name}.yml").texts()
    assert min(text.size for text in texts) * 680 / WIDTH >= 11


@pytest.mark.parametrize("name", NAMES)
def test_the_description_is_more_than_the_caption(name):
    diagram = load_diagram(FOLDER / f"{name}.yml")
    assert len(diagram.alt) > 200
    assert diagram.alt != diagram.caption
    assert "\n" not in diagram.alt + diagram.caption
    assert len(diagram.title) < 90


def test_the_drawing_of_a_small_topology(tmp_path):
    root = ET.fromstring(load_diagram(small(tmp_path)).svg("s"))
    assert [t.text for t in root.iter(f"{SVG}text")] == [
        "Two boxes", "One", "Two", "1", "put", "1", "message flow, in the order of the numbers",
    ]  # fmt: skip
    heads = [e for e in root.iter(f"{SVG}polygon") if e.get("class") == "dg-flow-head"]
    assert heads[0].get("points").startswith("400,64 ")


def test_markup_in_names_is_text(tmp_path):
    path = small(tmp_path, SMALL.replace("title: One", "title: 'A<b>&c'"))
    texts = [t.text for t in ET.fromstring(load_diagram(path).svg("s")).iter(f"{SVG}text")]
    assert "A<b>&c" in texts


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title: One", "titel: One", "unknown key 'titel' (did you mean 'title'?)"),
        ("caption: A", "captoin: A", "unknown key 'captoin' (did you mean 'caption'?)"),
        ("kind: flow", "kind: flaw", "'flow'"),
        ("from: one.right", "from: oen.right", "'oen.right' names no part (did you mean 'one'?)"),
        ("from: one.right", "from: one.rigth", "names no side (did you mean 'right'?)"),
        ("from: one.right", "from: one.right@9", "allowed: 0 to 6"),
        ("from: one.right", "from: one.right@up", "is not a number"),
        ("from: one.right", "from: one.right@1", "runs askew between [21, 1] and [50, 3]"),
        ("id: two", "id: one", "two parts are called 'one'"),
        ("title: One}", "names: [Q1]}", "'names' has no meaning for a box"),
        ("kind: box, at: [1", "kind: queues, at: [1", "queues need 'names'"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, old, new, message):
    path = small(tmp_path, SMALL.replace(old, new))
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        load_diagram(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title: One", "title: A name far too long for its box", "does not fit into one"),
        ("at: [50, 0]", "at: [80, 0]", "two is outside the picture"),
        ("label: put", "label: put, label_at: [11, 3.5]", "'One' and 'put' overlap"),
        ("label: put", "label: put, label_at: [30, 3.5]", "strikes through 'put'"),
        ("links:", "  - {id: three, kind: box, at: [30, 2], size: [2, 2]}\nlinks:", "runs through"),
    ],
)
def test_what_cannot_be_read_is_found(tmp_path, old, new, message):
    problems = load_diagram(small(tmp_path, SMALL.replace(old, new))).problems()
    assert any(message in problem for problem in problems), problems


def test_align_makes_a_link_straight(tmp_path):
    path = small(tmp_path, SMALL.replace("from: one.right", "from: one.right@1").replace(
        "to: two.left", "to: two.left@align"))  # fmt: skip
    assert load_diagram(path).problems() == []


@pytest.mark.parametrize(("weight", "file"), [(400, "Regular"), (600, "SemiBold")])
def test_widths_agree_with_the_shipped_fonts(weight, file):
    real = font_widths(ROOT / "templates" / "fonts" / f"IBMPlexSans-{file}.ttf")
    for code in range(32, 127):
        estimate = text_width(chr(code), 1000, weight)
        assert real(code) <= estimate + 0.5
        assert estimate - real(code) < 1
    for character in "…×–→µ·’":
        assert real(ord(character)) <= text_width(character, 1000, weight)
    assert text_width("Queue", TEXT_SIZE) < text_width("Queue", TEXT_SIZE, 600)


def font_widths(path):
    """Read the advance widths of a TrueType font, scaled to 1,000 units."""
    data = path.read_bytes()

    def numbers(offset, count, code="H"):
        return struct.unpack_from(f">{count}{code}", data, offset)

    tables = {
        data[at : at + 4].decode(): numbers(at + 8, 1, "I")[0]
        for at in range(12, 12 + 16 * numbers(4, 1)[0], 16)
    }
    scale = numbers(tables["head"] + 18, 1)[0] / 1000
    metrics = numbers(tables["hhea"] + 34, 1)[0]
    cmap = tables["cmap"]
    subtable = next(
        cmap + offset
        for at in range(numbers(cmap + 2, 1)[0])
        for offset in numbers(cmap + 8 + 8 * at, 1, "I")
        if numbers(cmap + offset, 1)[0] == 4
    )
    count = numbers(subtable + 6, 1)[0] // 2
    ends, starts, deltas, offsets = (
        numbers(subtable + 14 + (2 if row else 0) + 2 * count * row, count) for row in range(4)
    )

    def width(code):
        at = next(i for i in range(count) if code <= ends[i])
        assert starts[at] <= code
        if offsets[at]:
            place = subtable + 16 + 6 * count + 2 * at + offsets[at] + 2 * (code - starts[at])
            glyph = numbers(place, 1)[0]
        else:
            glyph = (code + deltas[at]) & 0xFFFF
        return numbers(tables["hmtx"] + 4 * min(glyph, metrics - 1), 1)[0] / scale

    return width
