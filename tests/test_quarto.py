"""The book as Quarto gets it, and what is believed of what Quarto says."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import nbformat
import pypdf
import pytest
import typst
import yaml

import quarto_sample as sample
from roundtrip.errors import RenderError, SetupError
from roundtrip.project import Project
from roundtrip.publish.quarto import render as quarto
from roundtrip.publish.quarto.markdown import front_markdown
from roundtrip.publish.quarto.stage import stage_book

PROJECT = Project(Path(__file__).parent.parent)


@pytest.fixture(scope="module")
def chapters():
    return sample.notebooks()


@pytest.fixture(scope="module")
def book(chapters, tmp_path_factory):
    return sample.book(chapters, tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def staged(book, chapters, tmp_path_factory):
    folder = tmp_path_factory.mktemp("staged")
    stage_book(PROJECT, book, chapters, folder, sample.LEFT_OUT)
    return folder


def cells(folder: Path, name: str) -> list:
    notebook = nbformat.read(folder / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    return notebook.cells


def sources(folder: Path, name: str) -> str:
    return "\n\n".join(cell.source for cell in cells(folder, name))


def output(folder: Path, name: str, label: str) -> str:
    for cell in cells(folder, name):
        if f'label: "{label}"' in cell.source:
            return cell.outputs[0].data["text/markdown"]
    raise AssertionError(label)


# ---- The staged book ------------------------------------------------------------------------


def test_home_page_lies_in_the_root_and_pages_keep_their_names(staged):
    settings = yaml.safe_load((staged / "_quarto.yml").read_text("utf-8"))
    assert settings["book"]["chapters"] == ["index.ipynb", "20-compression.ipynb"]
    assert settings["book"]["appendices"] == ["90-configurations.ipynb", "95-source-tables.ipynb"]
    for name in [*settings["book"]["chapters"], *settings["book"]["appendices"]]:
        assert (staged / name).is_file()


def test_definition_is_completed_and_otherwise_unchanged(staged):
    settings = yaml.safe_load((staged / "_quarto.yml").read_text("utf-8"))
    own = yaml.safe_load(PROJECT.template("quarto/defaults.yml").read_text("utf-8"))
    assert settings["book"]["author"] == ["A. Author"]
    assert settings["book"]["page-footer"]["left"] == "Version 0.1.0 · commit 28fae05c1"
    assert settings["execute"] == {"enabled": False}
    assert settings["format"]["typst"] == own["format"]["typst"]
    assert own["format"]["html"].items() <= settings["format"]["html"].items()
    assert "include-before-body" not in settings["format"]["html"]


def test_banner_is_on_every_page_and_in_the_pdf(chapters, tmp_path):
    folder = tmp_path / "staged"
    folder.mkdir()
    warned = sample.book(chapters, tmp_path / "cache", banner="1 check <failed>")
    stage_book(PROJECT, warned, chapters, folder, sample.LEFT_OUT)
    html = yaml.safe_load((folder / "_quarto.yml").read_text("utf-8"))["format"]["html"]
    assert "1 check &lt;failed&gt;" in html["include-before-body"][0]["text"]
    assert json.loads((folder / "book.json").read_text("utf-8"))["banner"] == "1 check <failed>"


def test_outputs_are_markdown_only(staged):
    # For any output with HTML in it Quarto would load scripts from another host.
    for path in staged.glob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            for item in cell.get("outputs", []):
                assert list(item.data) == ["text/markdown"]


def test_staging_twice_gives_the_same_bytes(book, chapters, staged, tmp_path):
    stage_book(PROJECT, book, chapters, tmp_path, sample.LEFT_OUT)
    for path in staged.rglob("*"):
        if path.is_file():
            assert path.read_bytes() == (tmp_path / path.relative_to(staged)).read_bytes()


def test_front_chapter_has_no_numbers(staged):
    first = cells(staged, "index")[0].source
    # Quarto overlooks the class in the very first line of a notebook.
    assert first.startswith("\n# About this report {#sec-about .unnumbered}\n")
    assert "## Reading order {#sec-order .unnumbered}" in first
    assert "# not a heading @sec-tls" in first


def test_references_that_quarto_cannot_number_become_links(staged):
    text = cells(staged, "20-compression")[0].source
    assert "[About this report](index.ipynb#sec-about)" in text
    assert "[Reading order](index.ipynb#sec-order)" in text
    assert text.count("*TLS \\[not in this edition\\]*") == 2
    assert "@sec-tls" not in text
    assert f"[@fig-peaks], @tbl-sizes, @fig-hosts, @{sample.PRINTED}" in text


def test_code_in_text_stays(staged):
    assert "`@sec-about` and `[x](#sec-about)`" in cells(staged, "index")[0].source


def test_links_to_other_chapters_name_their_file(staged):
    said = [c.outputs[0].data["text/markdown"] for c in cells(staged, "20-compression") if
            c.source == "say()"]  # fmt: skip
    assert f"[79,442](95-source-tables.ipynb#{sample.CELL})" in said[0]
    html = output(staged, "20-compression", "tbl-sizes")
    assert f'<a href="95-source-tables.ipynb#{sample.CELL}">' in html
    own = output(staged, "95-source-tables", sample.PRINTED)
    assert f' id="{sample.CELL}"' in own
    assert f'<a href="#{sample.PRINTED}">MQ V9.4, Table\u00a03</a>' in own


def test_figure_has_picture_chart_and_data(staged):
    shown = output(staged, "20-compression", "fig-peaks")
    html, print_ = shown.split("```{=typst}")
    assert 'aria-label="Bars: &quot;LZ4FAST&quot; isn&#x27;t slower."' in html
    assert '<a href="data/fig-peaks.csv" download>' in html
    assert "\n\n" not in html.strip()
    spec = re.search(r'class="figure-spec">(.*)</script>', html)
    assert spec is not None
    assert json.loads(spec[1])["data"][0]["x"] == ["</script>"]
    assert '#picture("/figures/fig-peaks.svg", "Bars: \\"LZ4FAST\\" isn\'t slower.")' in print_
    assert (staged / "data" / "fig-peaks.csv").read_text("utf-8") == "a,b\n1,2\n"
    assert "IBM Plex Sans SmBld" in (staged / "figures" / "fig-peaks.svg").read_text("utf-8")


def test_drawing_has_neither_chart_nor_data(staged):
    html = output(staged, "90-configurations", "fig-hosts").split("```{=typst}")[0]
    assert "figure-spec" not in html
    assert "csv" not in html


def test_captions_are_text_whatever_they_hold(staged):
    text = sources(staged, "20-compression")
    option = re.search(r"^#\| fig-cap: (.*)$", text, re.MULTILINE)
    assert option is not None
    caption = json.loads(option[1])
    assert r"Peaks of \<both\> \"variants\" \@home\." in caption
    assert f"](95-source-tables.ipynb#{sample.PRINTED})." in caption
    option = re.search(r"^#\| tbl-cap: (.*)$", text, re.MULTILINE)
    assert option is not None
    # One level of escapes is lost on the way, as Quarto makes an attribute of it.
    assert json.loads(option[1]) == r"Rates by \\<size\\> \\& \\*variant\\*"


def test_code_that_shows_nothing_stands_with_the_next_that_does(staged):
    shown = [c for c in cells(staged, "20-compression") if c.cell_type == "code"]
    first = "\n".join(line for line in shown[0].source.splitlines() if not line.startswith("#|"))
    assert first.startswith("sizes = [2048]\n\nchapter = open_chapter()\n\n")
    assert all(cell.outputs for cell in shown)


def test_site_only_parts_are_kept_out_of_print(staged):
    home = cells(staged, "index")
    assert home[-2].source.startswith('::: {.content-visible when-format="html"}\n## Notices')
    assert r"**No \*warranty\***" in home[-2].source
    assert 'href="notebooks/00-about.ipynb" data-noresolveinput' in home[-1].source
    assert 'href="review/00-about.html"' in home[-1].source
    assert "Notices" not in sources(staged, "20-compression")


def test_print_data_numbers_every_item(staged):
    items = json.loads((staged / "book.json").read_text("utf-8"))["items"]
    assert {label: item["number"] for label, item in items.items()} == {
        "fig-peaks": "1.1", "tbl-sizes": "1.1", "fig-hosts": "A.1", sample.PRINTED: "B.1",
    }  # fmt: skip
    assert items["fig-peaks"]["title"] == "LZ4FAST wins"


def test_style_sheet_names_fonts_that_exist():
    css = PROJECT.template("quarto/report.css")
    names = re.findall(r'url\("([^"]+)"\)', css.read_text("utf-8"))
    assert names
    for name in names:
        assert (css.parent / name).is_file(), name


def test_heading_attributes_are_kept():
    assert front_markdown("## A `{x}` {#a .b}\ntext", first=False) == (
        "## A `{x}` {#a .b .unnumbered}\ntext"
    )


# ---- Print ----------------------------------------------------------------------------------


def as_quarto_writes(staged: Path) -> str:
    """Put the template parts and chapters into the form of the file that Quarto has typeset."""
    quarto_templates = staged / "templates" / "quarto"
    figure = (
        "#figure([\n{body}\n], caption: figure.caption(\nposition: {side}, \n[\n{caption}\n]), \n"
        'kind: "quarto-float-{kind}", \nsupplement: "{name}", \n)\n<{label}>\n\n'
    )
    peaks = figure.format(
        body='#picture("/figures/fig-peaks.svg", "Bars.")', side="bottom", kind="fig",
        caption=f"Peaks. Source: #link(<{sample.PRINTED}>)[MQ V9.4, Table\u00a03].", name="Figure",
        label="fig-peaks",
    )  # fmt: skip
    sizes = figure.format(
        body='#report-table("tbl-sizes")', side="top", kind="tbl", caption="Rates.", name="Table",
        label="tbl-sizes",
    )  # fmt: skip
    hosts = figure.format(
        body='#picture("/figures/fig-hosts.svg", "Hosts.")', side="bottom", kind="fig",
        caption="The hosts.", name="Figure", label="fig-hosts",
    )  # fmt: skip
    printed = figure.format(
        body=f'#report-table("{sample.PRINTED}")', side="top", kind="tbl", caption="Table 3",
        name="Table", label=sample.PRINTED,
    )  # fmt: skip
    return "\n".join(
        [
            (quarto_templates / "page.typ").read_text("utf-8"),
            (quarto_templates / "typst-show.typ").read_text("utf-8"),
            "#heading(level: 1, numbering: none)[About this report]\n<sec-about>\nText.\n",
            "= Compression\n<sec-compression>",
            "See #ref(<fig-hosts>, supplement: [Figure]), #ref(<sec-peaks>, supplement: [Section])",
            f"and #ref(<{sample.PRINTED}>, supplement: [Table]).\n\n== Peaks\n<sec-peaks>",
            f"#block[\n{peaks}]\n{sizes}",
            '#show: appendices.with("Appendices", hide-parent: true)',
            "#heading(level: 1, numbering: none)[Appendices]",
            f"= Configurations\n<sec-configurations>\n\n{hosts}",
            f"= Source tables\n<sec-source-tables>\n\n{printed}",
        ]
    )


def test_template_parts_typeset_what_quarto_writes(staged, tmp_path):
    source = staged / "typeset.typ"
    source.write_text(as_quarto_writes(staged), "utf-8")
    fonts = typst.Fonts(
        include_system_fonts=False, font_paths=[str(staged / "templates" / "fonts")]
    )
    compiler = typst.Compiler(str(source), root=str(staged), font_paths=fonts)
    content, warnings = compiler.compile_with_warnings(format="pdf", timestamp=1795219200)
    assert not warnings
    (tmp_path / "report.pdf").write_bytes(content)
    pages = [page.extract_text() for page in pypdf.PdfReader(tmp_path / "report.pdf").pages]
    text = "\n".join(pages)
    assert re.search(r"See\s+Figure\s+A\.1,\s+Section\s+1\.1\s+and\s+Table\s+B\.1", text)
    assert re.search(r"Table\s+1\.1\s+Rates", text)
    assert re.search(r"1\.1\s+LZ4FAST wins", text)
    assert "Appendices" not in text
    assert "Version 0.1.0 · commit 28fae05c1" in pages[-1]


def test_template_parts_hold_no_pandoc_variable():
    for path in PROJECT.template("quarto").glob("*.typ"):
        assert "$" not in path.read_text("utf-8")


# ---- What Quarto says -----------------------------------------------------------------------

CLEAN = """\
\x1b[1m\x1b[34m\r[1/2] index.ipynb\x1b[39m\x1b[22m
\x1b[1m\x1b[34m\r[2/2] 20-compression.ipynb\x1b[39m\x1b[22m

\x1b[1mpandoc \x1b[22m
  to: typst
  default-image-extension: svg

\x1b[1mmetadata\x1b[22m
  title: No warnings and no error
  subtitle: 'WARNING signs'

[typst]: Compiling index.typ to index.pdf...DONE

Output created: _pdf/No-warnings-and-no-error.pdf
"""


def test_a_clean_log_has_no_complaints():
    assert quarto.complaints(CLEAN) == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "\x1b[33mWARN: Unable to resolve link target: 77-missing.ipynb\x1b[39m",
            "Unable to resolve link target: 77-missing.ipynb",
        ),
        (
            "WARN: 20-compression.html: Unable to resolve crossref @fig-missing",
            "20-compression.html: Unable to resolve crossref @fig-missing",
        ),
        (
            "\x1b[33mWARNING (/opt/quarto/share/filters/main.lua:12128) "
            "Unable to resolve crossref @fig-missing",
            "Unable to resolve crossref @fig-missing",
        ),
        (
            "[typst]: Compiling index.typ to index.pdf..."
            "error: label `<y>` does not exist in the document",
            "label `<y>` does not exist in the document",
        ),
        ("\x1b[91mERROR: Typst compilation failed\x1b[39m", "Typst compilation failed"),
        ("warning: unknown font family: ibm plex sans", "unknown font family: ibm plex sans"),
        ("(W) PDF standard", "PDF standard"),
        ("(E) Running juice failed: no such file", "Running juice failed: no such file"),
        ("[WARNING] Div at line 3 unclosed", "Div at line 3 unclosed"),
        (
            "ERROR (/opt/quarto/share/filters/modules/jog.lua:173) Don't know how to traverse Row",
            "Don't know how to traverse Row",
        ),
        ("FATAL (main.lua:1) gone", "gone"),
    ],
)
def test_every_kind_of_complaint_is_found(line, said):
    assert quarto.complaints(f"{CLEAN}{line}\n\x1b[39m") == [said]


def test_complaints_name_the_chapter_or_the_place():
    log = (
        "\r[1/2] index.ipynb\n\r[2/2] 20-compression.ipynb\nWARN: odd\nWARN: odd\n\n"
        "WARN: on the whole\nerror: label `<y>` does not exist\n    ┌─ index.typ:524:395\n"
    )
    assert quarto.complaints(log) == [
        "20-compression.ipynb: odd", "on the whole",
        "label `<y>` does not exist (index.typ:524:395)",
    ]  # fmt: skip


def test_environment_is_fixed(monkeypatch):
    monkeypatch.setenv("QUARTO_PROFILE", "draft")
    monkeypatch.setenv("TYPST_FONT_PATHS", "/fonts")
    settings = quarto.environment(1795219200)
    assert settings["SOURCE_DATE_EPOCH"] == "1795219200"
    assert settings["TYPST_IGNORE_SYSTEM_FONTS"] == "true"
    assert "QUARTO_PROFILE" not in settings
    assert "TYPST_FONT_PATHS" not in settings
    assert settings["PATH"] == os.environ["PATH"]


# ---- What Quarto leaves behind --------------------------------------------------------------


@pytest.fixture
def site(book, tmp_path):
    for name in ("index", "20-compression", "90-configurations", "95-source-tables"):
        page = '<main id="c"><div class="cell-output">Text</div></main>'
        (tmp_path / f"{name}.html").write_text(page, "utf-8")
    return tmp_path


def test_whole_site_passes(site, book):
    quarto.check_pages(site, book)


def test_a_chapter_of_text_alone_passes(site, book):
    text = replace(book.chapters[1], figures={}, tables={})
    (site / "20-compression.html").write_text("<main><p>Text</p></main>", "utf-8")
    quarto.check_pages(site, replace(book, chapters=(text,)))


@pytest.mark.parametrize(
    ("page", "said"),
    [
        (None, "made no page 20-compression.html"),
        ("<main></main>", "an empty chapter"),
        ("<p>cell-output</p>", "an empty chapter"),
        (
            '<main class="cell-output"><span class="quarto-unresolved-ref">?fig-x</span></main>',
            "unresolved reference @fig-x",
        ),
        ('<main class="cell-output"><strong>?@fig-y</strong></main>', "reference @fig-y"),
    ],
)
def test_broken_pages_are_refused(site, book, page, said):
    path = site / "20-compression.html"
    if page is None:
        path.unlink()
    else:
        path.write_text(page, "utf-8")
    with pytest.raises(RenderError, match=said) as caught:
        quarto.check_pages(site, book)
    assert caught.value.where == "notebooks/20-compression.ipynb"


# ---- The program ----------------------------------------------------------------------------


def program(folder: Path, version: str, render: str) -> None:
    """Put a program named quarto on the path that acts in the given way."""
    path = folder / "quarto"
    path.write_text(
        f'#!/bin/sh\nif [ "$1" = --version ]; then echo {version}; exit; fi\ncd "$2"\n{render}\n',
        "utf-8",
    )
    path.chmod(0o755)


@pytest.fixture
def path_only(monkeypatch, tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.mark.parametrize("version", ["1.8.27", "0.9", "none"])
def test_old_quarto_is_refused(path_only, version):
    program(path_only, version, "")
    with pytest.raises(SetupError, match="cannot print books"):
        quarto.quarto_version(path_only / "quarto")


def test_quarto_that_does_not_run_is_named(path_only):
    (path_only / "quarto").write_text("#!/nowhere\n", "utf-8")
    (path_only / "quarto").chmod(0o755)
    with pytest.raises(SetupError, match="does not run"):
        quarto.quarto_version(path_only / "quarto")


@pytest.mark.parametrize(
    ("render", "said"),
    [
        ("echo 'WARN: Unable to resolve link target: a.ipynb' >&2", "resolve link target"),
        ("echo something broke >&2; exit 7", "exit status 7: something broke"),
        ("true", "made no page index.html"),
    ],
)
def test_failure_leaves_nothing_behind(path_only, book, chapters, tmp_path, render, said):
    program(path_only, "1.9.38", render)
    target = tmp_path / "edition"
    target.mkdir()
    with pytest.raises(RenderError, match=said):
        quarto.render_with_quarto(PROJECT, book, chapters, target, sample.LEFT_OUT)
    assert list(target.iterdir()) == []


@pytest.mark.thorough
@pytest.mark.quarto
def test_quarto_renders_the_book_twice_alike(book, chapters, tmp_path):
    texts = []
    for name in ("first", "second"):
        target = tmp_path / name
        target.mkdir()
        quarto.render_with_quarto(PROJECT, book, chapters, target, sample.LEFT_OUT)
        files = sorted(path for path in target.rglob("*") if path.is_file())
        texts.append({path.relative_to(target): path.read_bytes() for path in files})
    assert texts[0] == texts[1]
    page = texts[0][Path("html/20-compression.html")].decode()
    assert f'href="./95-source-tables.html#{sample.CELL}"' in page
    assert not re.search(r'(?:src|href)="https?://', page)
    pages = pypdf.PdfReader(tmp_path / "first" / "report.pdf").pages
    assert re.search(r"Figure\s+1\.1", "\n".join(page.extract_text() for page in pages))
