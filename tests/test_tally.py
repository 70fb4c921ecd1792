"""Verdicts of all chapters are counted in one place, and their marks leave no trace."""

from __future__ import annotations

import nbformat
import pytest

from roundtrip.outputs import VERDICTS
from roundtrip.present.measured.agreement import Outcome, Verdict, tally
from roundtrip.publish.chapters.tally import with_tally
from workshop import notebook


def said(outcome: Outcome, words: str) -> str:
    return f"- A: here 20 %; published 30 %. {Verdict(outcome, words)}"


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


def test_verdicts_are_counted_over_the_book_and_disagreements_named() -> None:
    both = said("disagree", "The direction differs.").replace("published", "one") + str(
        Verdict("agree", " Agree.")
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
    found = with_tally(chapters)
    text = texts_of(found["88-method"])
    assert "measured ones: 5." in text
    assert "2 agree, 1 disagree, 1 is inconclusive; of 1 the verdict is withheld" in text
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert lines == ["- @sec-part: A: here 20 %; one 30 %. The direction differs. Agree."]
    assert "published 30 %. Agree." in texts_of(found["10-first"])
    for name in ("10-first", "20-inline", "88-method"):
        assert "<!--" not in texts_of(found[name])
    assert found["90-plain"] is chapters["90-plain"]
    assert "<!--verdict" in texts_of(chapters["10-first"])  # what was executed is not changed


@pytest.mark.parametrize("outcome", VERDICTS)
def test_every_verdict_bears_its_mark(outcome: Outcome) -> None:
    found = with_tally({"a": shows(str(Verdict(outcome, "Words."))), "b": shows(tally().markdown)})
    assert "Words." in texts_of(found["a"])
    assert "measured ones: 1." in texts_of(found["b"])


def test_an_edition_that_compares_nothing_says_so() -> None:
    assert "compares nothing" in texts_of(with_tally({"a": shows(tally().markdown)})["a"])
