"""The theme: one file of colours; what cannot be read, or is no key, is refused by line."""

import re

import pytest

from roundtrip.errors import DataError
from roundtrip.present.theme import style_of
from roundtrip.project import Project
from roundtrip.theme import READABLE, Theme, contrast, load_theme, readable


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
    assert "--accent: #8a0f3c;" in theme.plain_css()
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("light: {inc: '#000000'}", "unknown key 'inc' (did you mean 'ink'?)"),
        ("colours: {}", "allowed are baseline, dark,"),
        ("ligth: {ink: '#000000'}", "unknown key 'ligth' (did you mean 'light'?)"),
        ("light: {ink: black}", "light.ink"),
        ("light: {ink: '#000000; } body { display: none'}", "light.ink"),
        ("footer: |\n  " + "x" * 300, "footer"),
        ("series: ['#101010']", "series"),
        ("variants: {a: 9}", "'a' has no colour 9"),
        (
            "light:\n  page: '#ffffff'\n  muted: '#999999'\n",
            "theme.yml:3: text in light.muted #999999 on light.page #ffffff has a contrast of "
            "2.85:1",
        ),
        ("dark:\n  accent: '#303030'\n", "theme.yml:2: text in dark.accent #303030 on dark.page"),
        ("drawings:\n  shade: '#808080'\n", "theme.yml:2: text in drawings.faint"),
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
