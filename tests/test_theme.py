"""The theme: one file of colours; what cannot be read, or is no key, is refused by line."""

import io
import re
import struct
import zlib
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from pypdf import PdfReader

from pdf_sample import sample_book
from roundtrip.errors import DataError
from roundtrip.present.plot.canvas import base_layout
from roundtrip.present.styles import style_of
from roundtrip.project import Project
from roundtrip.publish.html.site import render_site
from roundtrip.publish.pdf.render import render_pdfs
from roundtrip.theme import (
    READABLE,
    Theme,
    brand_pictures,
    contrast,
    load_theme,
    logo_address,
    readable,
    typeface,
)
from workshop import ROOT


def themed(tmp_path, text):
    (tmp_path / "templates").mkdir(exist_ok=True)
    path = tmp_path / "templates" / "theme.yml"
    path.write_text(text, encoding="utf-8")
    return Project(tmp_path), path


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)
    assert contrast("#ffffff", "#777777") == contrast("#777777", "#ffffff")


def test_what_a_theme_leaves_out_stays_and_its_colours_reach_every_output(tmp_path):
    project, _ = themed(tmp_path, "light:\n  accent: '#8A0F3C'\nfooter: 'Acme \"Labs\" \\ 2025'\n")
    theme = load_theme(project)
    assert theme.light.ink == Theme().light.ink
    assert "--accent: light-dark(#8a0f3c, #78a9ff);" in theme.css()
    assert theme.light.accent_soft == "#f6ecef"  # what stands behind an accent follows it
    assert theme.dark.accent_soft == Theme().dark.accent_soft
    assert '#let accent = rgb("#8a0f3c")' in theme.typst()
    assert r'#let footer-text = "Acme \"Labs\" \\ 2025"' in theme.typst()
    assert "$link-color: #8a0f3c;" in theme.scss("light")
    assert "$link-color: #78a9ff;" in theme.scss("dark")
    assert load_theme(Project(tmp_path / "none")) == Theme()


def test_a_variant_keeps_its_colour_and_others_take_the_colours_in_order(tmp_path):
    project, _ = themed(
        tmp_path, "series: ['#101010', '#202020', '#303030']\nbaseline: '#404040'\n"
        "variants: {plain: baseline, Acme 3.1: 3}\n",
    )  # fmt: skip
    assert style_of("plain", 2, project).color == "#404040"
    assert style_of("Acme 3.1", 0, project).color == "#303030"
    assert [style_of(name, at, project).color for at, name in enumerate("abcd")] == [
        "#101010", "#202020", "#303030", "#101010",
    ]  # fmt: skip


def test_what_stands_beside_chapters_names_no_colour_of_its_own():
    modules = list((ROOT / "notebooks" / "support").rglob("*.py"))
    assert modules
    for path in modules:
        assert not re.search(r"#[0-9a-fA-F]{6}\b", path.read_text("utf-8")), path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("light: {inc: '#000000'}", "unknown key 'inc' (did you mean 'ink'?)"),
        ("palette: {}", "allowed are baseline, cover, dark,"),
        ("ligth: {ink: '#000000'}", "unknown key 'ligth' (did you mean 'light'?)"),
        ("light: {ink: black}", "light.ink"),
        ("light: {ink: '#000000; } body { display: none'}", "light.ink"),
        ("footer: |\n  " + "x" * 300, "footer"),
        ("series: ['#101010']", "series"),
        ("variants: {a: 9}", "'a' has no colour 9"),
        (
            "series: ['#101010', '#202020', '#303030']\nvariants: {a: 4}\n",
            "'a' has no colour 4: 1 to 3, or baseline",
        ),
        (
            "light:\n  page: '#ffffff'\n  muted: '#999999'\n",
            "theme.yml:3: text in light.muted #999999 on light.page #ffffff has a contrast of "
            "2.85:1",
        ),
        ("dark:\n  accent: '#303030'\n", "theme.yml:2: text in dark.accent #303030 on dark.page"),
        ("drawings:\n  shade: '#808080'\n", "theme.yml:1: text in drawings.faint"),
        (  # a link in an answer box
            "light:\n  accent: '#2f6fe4'\n  accent_soft: '#ffffff'\n",
            "theme.yml:2: text in light.accent #2f6fe4 on light.surface #f4f4f4 has a contrast of "
            "4.23:1",
        ),
        (
            "light: {accent: '#0043ce', good: '#198038', surface: '#e8e8e8'}",
            "text in light.good #198038 on light.surface",
        ),
        (
            "light: {accent: '#2f6fe4', surface: '#ffffff'}",
            "light.accent #2f6fe4 on light.accent_s",
        ),
        ("light: {muted: '#6f6f6f', accent_soft: '#d0e2ff'}", "light.muted #6f6f6f on light.acc"),
        (
            "light: {ink: '#595959', muted: '#595959', warning_soft: '#ffb784'}",
            "text in light.ink #595959 on light.warning_soft",
        ),
        ("light: {ink: '#606060', accent: '#0a0a5a'}", "text in light.ink #606060 on light.shaded"),
        ("light: [1", "theme.yml"),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(tmp_path, text, message):
    project, path = themed(tmp_path, text)
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        load_theme(project)
    assert str(path) in str(caught.value)


def test_colours_of_series_are_darkened_where_they_are_text():
    for theme_color in Theme().series:
        assert contrast(readable(theme_color, "#ffffff"), "#ffffff") >= READABLE
    assert readable("#0062b1", "#ffffff") == "#0062b1"


def in_dark_mode(color: str) -> str:
    """Give a colour of a chart as the style sheet's filter shows it on dark pages."""
    css = Project(Path("/nowhere")).template("css/report.css").read_text("utf-8")
    found = re.search(r"invert\((.+?)\) hue-rotate\(180deg\) brightness\((.+?)\)", css)
    inverted, brighter = map(float, found.groups())
    parts = [int(part, 16) / 255 for part in re.findall("..", color[1:])]
    parts = [part * (1 - 2 * inverted) + inverted for part in parts]
    # Half a turn keeps the luminance (Filter Effects Module Level 1, hue-rotate).
    grey = 0.213 * parts[0] + 0.715 * parts[1] + 0.072 * parts[2]
    shown = [min(max(2 * grey - part, 0), 1) * brighter for part in parts]
    return "#" + "".join(f"{round(255 * min(part, 1)):02x}" for part in shown)


def test_texts_of_charts_can_be_read_in_dark_mode():
    theme = Theme()
    texts = [theme.light.ink, theme.light.muted, theme.baseline, *theme.series]
    for color in texts:
        shown = in_dark_mode(readable(color, theme.light.page))
        assert contrast(shown, theme.dark.page) >= READABLE, color


LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><title>Acme</title>'
    '<rect width="40" height="20" fill="#8a0f3c"/>'
    "</svg>"
)
PLEX = Project(Path("/nowhere")).template("fonts/IBMPlexSans-Regular.ttf")


def png(width=4, height=2, body=None):
    def chunk(kind, content):
        whole = kind + content
        return struct.pack(">I", len(content)) + whole + struct.pack(">I", zlib.crc32(whole))

    pixels = zlib.compress((b"\0" + b"\x8a\x0f\x3c" * 4) * 2) if body is None else body
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    )


def acme_font(path, family="Acme Sans"):
    with TTFont(PLEX) as font:
        for record in font["name"].names:
            if record.nameID in (1, 6, 16):
                font["name"].setName(
                    family, record.nameID, record.platformID, record.platEncID, record.langID
                )
        path.parent.mkdir(parents=True, exist_ok=True)
        font.save(path)


BRAND = """\
logo: acme.svg
cover: cover.png
fonts:
  family: Acme Sans
  regular: acme.ttf
  bold: acme bold.ttf
"""


@pytest.fixture
def branded(tmp_path):
    project, path = themed(tmp_path, BRAND)
    (project.templates / "acme.svg").write_text(LOGO, "utf-8")
    (project.templates / "cover.png").write_bytes(png())
    for name in ("acme.ttf", "acme bold.ttf"):
        acme_font(project.templates / "fonts" / name)
    return project, path


@pytest.mark.slow
def test_logo_cover_and_fonts_reach_every_output(branded, tmp_path):
    project, _ = branded
    theme = load_theme(project)
    assert '--sans: "Acme Sans", "IBM Plex Sans"' in theme.css()
    assert 'url("../fonts/acme%20bold.ttf"); font-weight: 600;' in theme.css()
    assert '$font-family-sans-serif: "Acme Sans", "IBM Plex Sans",' in theme.scss("dark")
    family = base_layout("x", 400, ".,", 84, theme)["font"]["family"]
    assert family == "'Acme Sans', IBM Plex Sans"
    assert '#let sans = ("Acme Sans", "IBM Plex Sans", )' in theme.typst()
    assert typeface(project).bold[0] == project.templates / "fonts" / "acme bold.ttf"
    assert b"<rect" in brand_pictures(project)["acme.svg"]
    assert logo_address(project).startswith("data:image/svg+xml;base64,")

    site = tmp_path / "site"
    render_site(sample_book(), project, site)
    page = (site / "index.html").read_text("utf-8")
    assert page.count('src="assets/acme.svg"') == 2
    assert 'src="assets/cover.png"' in page
    assert (site / "assets" / "fonts" / "acme bold.ttf").is_file()
    assert (site / "assets" / "cover.png").read_bytes() == png()

    reader = PdfReader(io.BytesIO(render_pdfs(sample_book(), project)["report.pdf"]))
    assert "/XObject" in reader.pages[0]["/Resources"]
    names = {
        str(font.get_object()["/BaseFont"])
        for page in reader.pages
        for font in page["/Resources"].get("/Font", {}).values()
    }
    assert any("Acme" in name for name in names)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("logo: ../acme.svg", "theme.yml:1: logo: must be a file's name such as logo.svg"),
        ("logo: /etc/passwd.svg", "theme.yml:1: logo"),
        ("logo: acme.gif", "theme.yml:1: logo"),
        ("logo: acmee.svg", "theme.yml:1: there is no file acmee.svg (did you mean 'acme.svg'?)"),
        ("loga: acme.svg", "unknown key 'loga' (did you mean 'logo'?)"),
        ("logo: script.svg", "script.svg: the drawing holds <script>"),
        ("logo: refers.svg", "refers.svg: the drawing holds <image>"),
        ("logo: style.svg", "is more than a picture"),
        ("logo: entity.svg", "declares a document type"),
        ("cover: text.png", "text.png: is no picture"),
        ("cover: cut.png", "cut.png: the picture is damaged"),
        ("cover: empty.png", "empty.png: the picture is damaged"),
        ("cover: spoilt.png", "spoilt.png: the picture is damaged"),
        ("cover: wide.png", "wide.png: the picture has 9000 by 2 pixels"),
        ("cover: long.png", "long.png: the picture is too large"),
        ("cover: elsewhere.png", "there is no file elsewhere.png"),
        (BRAND.replace("acme.ttf", "../acme.ttf"), "theme.yml:5: fonts.regular"),
        (BRAND.replace("acme.ttf", "none.ttf"), "theme.yml:5: there is no file none.ttf"),
        (BRAND.replace("Acme Sans", "Acme Serif"), "is a font of the family 'Acme Sans', not"),
        (BRAND.replace("acme.ttf", "text.ttf"), "theme.yml:5: text.ttf is no font of text"),
        (
            BRAND.replace("acme.ttf", "symbols.ttf"),
            "symbols.ttf is no font of text: it has",
        ),
        (BRAND.replace("family: Acme Sans", "family: 'x\"; }'"), "theme.yml:4: fonts.family"),
        (BRAND.replace("bold:", "bolt:"), "unknown key 'bolt' (did you mean 'bold'?)"),
    ],
)
def test_a_brand_that_cannot_be_is_refused(branded, text, message):
    project, path = branded
    folder = project.templates
    opening = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">'
    for name, body in {
        "script": "<script>alert(1)</script>",
        "refers": '<image href="https://example.org/x.png"/>',
        "style": '<rect style="fill: url(https://example.org/x)"/>',
    }.items():
        (folder / f"{name}.svg").write_text(f"{opening}{body}</svg>", "utf-8")
    (folder / "entity.svg").write_text(f"<!DOCTYPE svg []>{opening}</svg>", "utf-8")
    (folder / "text.png").write_text("no picture", "utf-8")
    (folder / "cut.png").write_bytes(png()[:-20])
    (folder / "empty.png").write_bytes(png()[:33] + png()[-12:])  # head and end, no pixels
    (folder / "spoilt.png").write_bytes(png().replace(b"IDATx", b"IDATy"))  # not what its sum says
    (folder / "wide.png").write_bytes(png(width=9000))
    (folder / "long.png").write_bytes(png(body=b"\0" * 1_000_001))
    (folder / "elsewhere.png").symlink_to("/etc/hostname")
    (folder / "fonts" / "text.ttf").write_text("no font", "utf-8")
    with TTFont(folder / "fonts" / "acme.ttf") as font:
        (table, *_) = font["cmap"].tables
        table.platformID, table.platEncID = 3, 0
        font["cmap"].tables = [table]
        font.save(folder / "fonts" / "symbols.ttf")
    path.write_text(text, "utf-8")
    with pytest.raises(DataError, match=re.escape(message)):
        load_theme(project)


def test_a_file_of_the_project_takes_the_place_of_the_default_of_the_same_name(tmp_path):
    project = Project(tmp_path)
    own = {
        "css/site.css": "p { color: red }", "html/chapter.html": "our page of {{ chapter.title }}",
        "typst/cover.typ": "#let cover(book) = page[our cover]\n#let notices-page(book) = []",
    }  # fmt: skip
    for name, text in own.items():
        (project.templates / name).parent.mkdir(parents=True, exist_ok=True)
        (project.templates / name).write_text(text, "utf-8")
    site, book = tmp_path / "site", sample_book()
    render_site(book, project, site)
    assert (site / "assets" / "css" / "site.css").read_text("utf-8") == "p { color: red }"
    assert "our page of" in (site / f"{book.chapters[1].name}.html").read_text("utf-8")
    assert (site / "assets" / "css" / "report.css").stat().st_size > 1000  # the package's
    reader = PdfReader(io.BytesIO(render_pdfs(book, project)["report.pdf"]))
    assert "our cover" in reader.pages[0].extract_text()


def test_the_darkest_cell_of_a_table_stands_between_page_and_accent():
    light = Theme().light
    assert light.shaded == "#9fc0ff"
    assert contrast(light.ink, light.shaded) >= READABLE


def test_a_template_in_the_wrong_folder_is_refused(tmp_path):
    project, _ = themed(tmp_path, "light: {}\n")
    (project.templates / "cover.typ").write_text("")
    with pytest.raises(DataError, match=r"move it to templates/typst/cover\.typ"):
        project.refuse_misplaced_templates()
    (project.templates / "typst").mkdir()
    (project.templates / "cover.typ").rename(project.templates / "typst" / "cover.typ")
    project.refuse_misplaced_templates()
