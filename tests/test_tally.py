"""Verdicts of all chapters are counted and drawn in one place; their marks leave no trace."""

from __future__ import annotations

import csv
import io
import math
import xml.etree.ElementTree as ET
from dataclasses import replace

import nbformat
import pytest

from roundtrip.comparison_marks import (
    ALL_VERDICTS,
    NO_VERDICT,
    VERDICT,
    VERDICTS,
    Outcome,
    Sides,
    mark,
)
from roundtrip.outputs import FIGURE, SVG
from roundtrip.present.measured.agreement import ShareVerdict, all_verdicts, tally
from roundtrip.present.numbers import NumberFormat
from roundtrip.publish.chapters.finalise import finalise
from roundtrip.publish.chapters.lacking import without_lacking
from roundtrip.publish.chapters.notebooks import read_options
from roundtrip.publish.chapters.tally import _counted, with_tally
from roundtrip.theme import Theme
from workshop import notebook


def said(outcome: Outcome, words: str) -> str:
    return f"- A: here 20 %; published 30 %. {ShareVerdict(outcome, words)}"


def shows(*texts: str) -> nbformat.NotebookNode:
    """Make a chapter whose one code cell shows texts."""
    made = notebook("# Chapter {#sec-chapter}", "## Part {#sec-part}", ("code", "show()"))
    made.cells[-1].outputs = [
        nbformat.v4.new_output("display_data", {"text/markdown": text}) for text in texts
    ]
    return made


def texts_of(made: nbformat.NotebookNode) -> str:
    return "\n".join(
        [cell.source for cell in made.cells]
        + [
            output["data"]["text/markdown"]
            for cell in made.cells
            for output in cell.get("outputs", ())
        ]
    )


def test_verdicts_are_counted_over_the_book_and_disagreements_located() -> None:
    both = said("disagree", "The direction differs.").replace("published", "one") + str(
        ShareVerdict("agree", " Agree.")
    )
    chapters = {
        "10-first": shows(
            "Shares:\n\n" + said("agree", "Agree.") + "\n" + said("withheld", ""), both
        ),
        "20-inline": notebook(
            "# Inline {#sec-inline}", "### Deep {#sec-deep}", said("inconclusive", "Inconclusive.")
        ),
        "88-method": shows(tally().markdown),
        "90-plain": notebook("# Plain {#sec-plain}", "<!-- a comment stays -->"),
    }
    found = with_tally(chapters, Theme(), NumberFormat())
    text = texts_of(found["88-method"])
    assert "Of 5 comparisons, 2 agree, 1 disagrees, 1 is inconclusive and 1 is withheld." in text
    assert "The disagreements: @sec-part (1)." in text
    assert "published 30 %. Agree." in texts_of(found["10-first"])
    for name in ("10-first", "20-inline", "88-method"):
        assert "<!--" not in texts_of(found[name])
    plain = zip(found["90-plain"].cells, chapters["90-plain"].cells, strict=True)
    assert all(cell is before for cell, before in plain)
    assert "<!--verdict" in texts_of(chapters["10-first"])  # what was executed is not changed


@pytest.mark.parametrize("outcome", VERDICTS)
def test_every_verdict_bears_its_mark(outcome: Outcome) -> None:
    found = with_tally(
        {"a": shows(str(ShareVerdict(outcome, "Words."))), "b": shows(tally().markdown)},
        Theme(),
        NumberFormat(),
    )
    assert "Words." in texts_of(found["a"])
    assert outcome in texts_of(found["b"])


def test_pairs_without_a_verdict_are_counted_and_their_marks_taken_out() -> None:
    pairs = shows(f"Shares:\n\n- One: published 3 %{NO_VERDICT}, 4 %{NO_VERDICT}.")
    book = {"10-first": pairs, "88-method": shows(tally().markdown)}
    found = with_tally(book, Theme(), NumberFormat())
    told = "measured with what was published. Pairs listed without a verdict: 2."
    assert told in texts_of(found["88-method"])
    assert "published 3 %, 4 %." in texts_of(found["10-first"])
    book["20-second"] = shows(said("agree", "Agree."))
    text = texts_of(with_tally(book, Theme(), NumberFormat())["88-method"])
    assert "The only comparison agrees. Pairs listed without a verdict: 2." in text


def test_an_edition_that_compares_nothing_says_so() -> None:
    found = with_tally({"a": shows(tally().markdown)}, Theme(), NumberFormat())
    assert "compares nothing" in texts_of(found["a"])


SIDES = Sides(
    "TLS {1.2} <b> --> x", 80, 90, 1.1, 64.2, 60.1, 68.4, ("acme/t/a", "ours/r/b"), 1.25,
    (61.0, 67.4),
)  # fmt: skip


def test_both_sides_survive_a_comment_and_a_template() -> None:
    text = mark("disagree", SIDES)
    assert not set("{}") & set(text)
    found = VERDICT.fullmatch(text)
    assert found is not None
    assert Sides.read(found[2]) == SIDES
    alone = replace(SIDES, low=math.nan, high=math.nan)
    assert math.isnan(Sides.read(str(alone)).low)


def test_a_section_without_a_label_is_told_by_its_chapter() -> None:
    (found,) = _counted(shows("## Loose {.annex}\n\n- One. " + mark("disagree", SIDES)))
    assert (found.section, found.titles) == ("sec-chapter", ("Chapter", "Loose"))


def test_the_head_of_a_list_says_what_its_shares_are_of_without_its_markup() -> None:
    head = r'Share of [the rate](#y "row \(2 KB\), rate") \*plain\* (@tbl-rates)'
    (found,) = _counted(shows(f"{head}:\n\n- One. " + mark("disagree", SIDES)))
    assert found.titles == ("Chapter", "Share of the rate *plain*")


def drawn(*verdicts: ShareVerdict, pattern: str = "1,234.5") -> nbformat.NotebookNode | None:
    """Give the cell in which the comparisons of one chapter are drawn by the next; None if none."""
    executed = notebook("# Method {#sec-method}", ("code", "#| label: fig-all\nall_verdicts()"))
    executed.cells[-1].outputs = [
        nbformat.v4.new_output("display_data", all_verdicts()._repr_mimebundle_())
    ]
    method = finalise(executed, {}, "88-method")
    book = {"10-first": shows(*(f"- {one}" for one in verdicts)), "88-method": method}
    found = with_tally(book, Theme(), NumberFormat(pattern))["88-method"]
    assert ALL_VERDICTS in str(method.cells[-1].outputs)  # what was executed is not changed
    return found.cells[-1] if len(found.cells) == len(method.cells) else None


def test_the_figure_draws_every_comparison_once_by_chapter() -> None:
    cell = drawn(
        ShareVerdict("disagree", "No.", SIDES),
        ShareVerdict("agree", "Yes.", replace(SIDES, name="B", low=math.nan, high=math.nan)),
        ShareVerdict("inconclusive", "Open."),
    )
    assert cell is not None
    assert read_options(cell.source)["label"] == "fig-all"
    figure, svg = cell.outputs[0].data[FIGURE], ET.fromstring(cell.outputs[0].data[SVG])
    texts = [element.text for element in svg.iter() if element.text]
    assert [texts.count(text) for text in ("Chapter", "Part")] == [1, 1]
    assert [text for text in texts if text in ("disagree", "agree")] == ["disagree", "agree"]
    assert SIDES.name in texts
    assert figure["title"] == "Of 2 comparisons, 1 agrees and 1 disagrees"
    caption = read_options(cell.source)["fig-cap"]
    assert "without a correction for their number." in caption
    assert "Of 2 comparisons in “Chapter”, 1 agrees and 1 disagrees" in figure["alt"]
    assert figure["cells"] == []
    first, second = list(csv.DictReader(io.StringIO(figure["csv"])))
    assert (first["agrees from (%)"], first["agrees to (%)"]) == ("72.73", "99")
    # What a reader needs to judge it again: the limits of both verdicts, and the 90 % interval.
    assert (first["disagrees below (%)"], first["disagrees above (%)"]) == ("64", "112.5")
    assert first["90 % interval from (%)"] == "61"
    assert first["90 % interval to (%)"] == "67.4"
    assert first["rests on"] == "acme/t/a ours/r/b"
    assert (first["measured (%)"], second["interval from (%)"]) == ("64.2", "")
    # A range has a dot at each end; one measured dot each; one of each kind in the key.
    dots = [element for element in svg.iter() if element.tag.endswith("circle")]
    assert len(dots) == 2 * 3 + 2


def test_the_scale_is_written_as_the_edition_writes_numbers() -> None:
    small = ShareVerdict("disagree", "No.", replace(SIDES, least=0.4, most=0.6))
    cell = drawn(small, pattern="1.234,5")
    assert cell is not None
    assert ">0,5\u00a0%<" in cell.outputs[0].data[SVG]


def test_on_phones_the_same_is_drawn_with_names_above_their_marks() -> None:
    name = "a comparison whose name would leave no room for its marks " * 2
    cell = drawn(
        ShareVerdict("disagree", "No.", replace(SIDES, name=name)), ShareVerdict("agree", "", SIDES)
    )
    assert cell is not None
    wide, phone = (
        ET.fromstring(svg)
        for svg in (cell.outputs[0].data[SVG], cell.outputs[0].data[FIGURE]["narrow"])
    )
    words = [sorted(" ".join(filter(None, svg.itertext())).split()) for svg in (wide, phone)]
    assert [each for each in words[1] if "%" not in each] == [
        each for each in words[0] if "%" not in each
    ]
    assert float(phone.get("width", "")) <= 360
    dots = [[one for one in svg.iter() if one.tag.endswith("circle")] for svg in (wide, phone)]
    assert len(dots[0]) == len(dots[1])
    lines = {one.text: float(one.get("y", "")) for one in phone.iter() if one.get("y")}
    assert lines[SIDES.name] < float(dots[1][-1].get("cy", ""))


def test_several_figures_share_the_comparisons_by_chapter() -> None:
    cells = (("code", f"#| label: fig-{name}\nall_verdicts()") for name in "abc")
    executed = notebook("# Method {#sec-method}", *cells)
    for cell in executed.cells[1:]:
        bundle = all_verdicts()._repr_mimebundle_()
        cell.outputs = [nbformat.v4.new_output("display_data", bundle)]
    method = finalise(executed, {}, "88-method")
    book = {"10-first": shows(f"- {ShareVerdict('disagree', 'No.', SIDES)}")}
    book["20-second"] = notebook(
        f"# Second {{#sec-second}}\n\n- {ShareVerdict('agree', 'Y.', SIDES)}"
    )
    found = with_tally({**book, "88-method": method}, Theme(), NumberFormat())["88-method"]
    figures = [cell.outputs[0].data[FIGURE] for cell in found.cells[1:]]
    assert [figure["title"] for figure in figures] == [
        "The only comparison in “Chapter” disagrees",
        "The only comparison in “Second” agrees",
    ]


def test_a_paragraph_on_figures_left_over_goes_with_them() -> None:
    text = "# Method {#sec-method}\n\nDrawn in @fig-all.\n\nCompared (@sec-first)."
    executed = notebook(text, ("code", "#| label: fig-all\nall_verdicts()"))
    bundle = all_verdicts()._repr_mimebundle_()
    executed.cells[-1].outputs = [nbformat.v4.new_output("display_data", bundle)]
    method = finalise(executed, {}, "88-method")
    for verdict, shown in (("- One.", False), (f"- {ShareVerdict('agree', 'Y.', SIDES)}", True)):
        book = {"10-first": shows(verdict), "88-method": method}
        drawn = with_tally(book, Theme(), NumberFormat())
        found = without_lacking({"88-method": executed}, drawn)[0]["88-method"]
        assert ("@fig-all" in found.cells[0].source) is shown
        assert found.cells[0].source.endswith("Compared (@sec-first).")
    assert method.cells[0].source == text


def test_a_long_name_is_drawn_whole_in_several_lines() -> None:
    names = [f"{'a long name of a comparison, ' * 5}beside {other}" for other in ("A", "B")]
    cell = drawn(*(ShareVerdict("agree", "", replace(SIDES, name=name)) for name in names))
    assert cell is not None
    svg = ET.fromstring(cell.outputs[0].data[SVG])
    drawn_text = " ".join(element.text for element in svg.iter() if element.text)
    words = drawn_text.split()
    assert words.count("comparison,") == 10
    assert "\u2026" not in drawn_text


def test_what_is_larger_stands_further_right() -> None:
    low, high = (replace(SIDES, least=v, most=v, here=v, low=v, high=v) for v in (5.0, 400.0))
    cell = drawn(ShareVerdict("agree", "", low), ShareVerdict("agree", "", high))
    assert cell is not None
    svg = ET.fromstring(cell.outputs[0].data[SVG])
    circles = [one for one in svg.iter() if one.tag.endswith("circle")][2:]  # behind the key's
    places = [float(one.get("cx", "")) for one in circles]
    assert places == sorted(places)
    assert places[0] < places[-1]


def test_no_figure_stands_where_nothing_can_be_drawn() -> None:
    assert drawn(ShareVerdict("inconclusive", "Open.")) is None
