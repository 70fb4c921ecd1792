"""Drawings of topologies: those of the edition are legible; more than a picture is refused."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from roundtrip.errors import DataError
from roundtrip.present.drawings import drawing
from roundtrip.present.figure import WIDTH
from roundtrip.theme import Theme

FILES = sorted((Path(__file__).resolve().parents[1] / "templates" / "diagrams").glob("*.svg"))
SVG = "{http://www.w3.org/2000/svg}"
SMALL = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 380 100">
<title>Two  boxes</title><desc>One is connected to two.</desc><metadata>A caption.</metadata>
<defs><marker id="head"><path d="M0 0L4 2"/></marker></defs>
<rect class="fill-shade stroke-ink" fill="#123456" width="20" height="6"/>
<path d="M0 0H9" marker-end="url(#head)"/>
<text x="4" y="9">A&lt;b&gt;&amp;c</text>
</svg>
"""


def small(tmp_path, old="", new=""):
    path = tmp_path / "small.svg"
    path.write_text(SMALL.replace(old, new, 1) if old else SMALL, encoding="utf-8")
    return path


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_drawing_of_the_edition_says_what_it_shows_in_text_that_can_be_read(path):
    figure = drawing(path, Theme())
    assert len(figure.alt) > 200
    assert figure.alt != figure.caption
    assert len(figure.title) < 90
    assert figure.svg == drawing(path, Theme()).svg
    root = ET.fromstring(figure.svg)
    texts = list(root.iter(f"{SVG}text"))
    scale = 680 / float(root.get("viewBox").split()[2])
    assert min(float(text.get("font-size")) for text in texts) * scale >= 11
    shapes = [e for e in root.iter() if e.get("fill") or e.get("stroke")]
    used = {e.get(side) for e in shapes for side in ("fill", "stroke")} - {None, "none"}
    assert used <= set(Theme().drawing_colors().values())


def test_a_drawing_takes_the_colours_of_the_theme_and_ids_of_its_own(tmp_path):
    figure = drawing(small(tmp_path), Theme(drawings={"shade": "#eeeeee", "ink": "#111111"}))
    assert (figure.title, figure.caption) == ("Two boxes", "A caption.")
    root = ET.fromstring(figure.svg)
    box = root.find(f"{SVG}rect")
    assert (box.get("fill"), box.get("stroke")) == ("#eeeeee", "#111111")
    assert root.find(f"{SVG}text").text == "A<b>&c"
    assert (float(root.get("width")), float(root.get("height"))) == (WIDTH, WIDTH * 100 / 380)
    assert root.find(f".//{SVG}marker").get("id") == "small-head"
    assert root.find(f"{SVG}path").get("marker-end") == "url(#small-head)"


def test_a_drawing_for_phones_is_the_one_beside_it(tmp_path):
    path = small(tmp_path)
    assert drawing(path, Theme()).narrow is None
    (tmp_path / "small-narrow.svg").write_text(SMALL.replace(">A&lt;", ">B&lt;"), encoding="utf-8")
    wide = drawing(path, Theme())
    assert [">B&lt;" in svg for svg in (wide.svg, wide.narrow)] == [False, True]
    assert 'id="small-narrow-head"' in wide.narrow


def test_notes_of_drawing_programs_are_left_out(tmp_path):
    path = small(
        tmp_path, "<defs>", '<n:view xmlns:n="https://example.org/n" n:zoom="2"/><defs n:a="1" '
        'xmlns:n="https://example.org/n">',
    )  # fmt: skip
    assert "example.org" not in drawing(path, Theme()).svg


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<defs>", "<script>alert(1)</script><defs>", "holds <script>"),
        ("<defs>", "<style>@import 'x'</style><defs>", "holds <style>"),
        ("<defs>", "<foreignObject/><defs>", "holds <foreignObject>"),
        ("<defs>", '<image href="https://example.org/a.png"/><defs>', "holds <image>"),
        ("<defs>", '<a href="javascript:x"><text/></a><defs>', "holds <a>"),
        ("<defs>", "<animate/><defs>", "holds <animate>"),
        ("<defs>", '<g xmlns:h="http://www.w3.org/1999/xhtml"><set/></g><defs>', "holds <set>"),
        ('x="4"', 'onload="x()"', "more than a picture"),
        ('x="4"', 'OnClick="x()"', "more than a picture"),
        ('x="4"', 'style="fill: url(https://example.org/x)"', "more than a picture"),
        ('x="4"', 'fill="url( //example.org/x#head)"', "more than a picture"),
        ('x="4"', 'style="fill:u\\72l(x)"', "more than a picture"),
        ("<defs>", '<linearGradient href="other.svg#x"/><defs>', "refers to 'other.svg#x'"),
        ("<svg", '<!DOCTYPE svg [<!ENTITY a "b">]><svg', "document type"),
        ("<title>Two  boxes</title>", "", "no a name"),
        ("One is connected to two.", " ", "no a description"),
        ("A caption.", "", "no a caption"),
        ("fill-shade", "fill-shad", "'fill-shad' names no colour of the theme (did you mean"),
        ('viewBox="0 0 380 100"', "", "how large"),
        ("380 100", "inf 100", "how large"),
        ("380 100", "0 100", "how large"),
        ("<defs>", "<g>" * 99 + "</g>" * 99 + "<defs>", "nested too deeply"),
        ("</svg>", "", "is no SVG"),
        ("2000/svg", "2000/sgv", "is no SVG"),
        ("<title>", "<title>" + "x" * 1_000_000, "too large"),
    ],
)
def test_what_is_more_than_a_picture_is_refused(tmp_path, old, new, message):
    path = small(tmp_path, old, new)
    message = message.replace("no a ", "has no a ")
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        drawing(path, Theme())
    assert str(path) in str(caught.value)


def test_a_drawing_that_does_not_exist_is_named_with_the_nearest(tmp_path):
    small(tmp_path)
    with pytest.raises(DataError, match=re.escape("did you mean 'small'?")):
        drawing(tmp_path / "smal.svg", Theme())
