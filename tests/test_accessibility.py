"""What axe-core finds on the pages of a report, reviewers' pages included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conftest import Report

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
FINDINGS = """rules => axe.run(document, {resultTypes: ["violations"], runOnly: rules}).then(
  found => found.violations.flatMap(each => each.nodes.map(
    node => `${each.id}: ${node.html.slice(0, 120)}`)))"""


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "mode"), [(1360, "light"), (390, "dark")])
def test_axe_finds_nothing_on_any_page_of_the_edition(
    report: Report, chromium: Any, width: int, mode: str
) -> None:
    assert _findings(report, chromium, width, mode) == {}


def _findings(report: Report, chromium: Any, width: int, mode: str) -> dict[str, list[str]]:
    viewport = {"width": width, "height": 900}
    context = chromium.new_context(viewport=viewport, color_scheme=mode, bypass_csp=True)
    page = context.new_page()
    found = {}
    for path in [*report.pages, report.comparison, *sorted(report.html.glob("review/*.html"))]:
        page.goto(path.as_uri())
        page.evaluate(AXE.read_text("utf-8"))
        findings = page.evaluate(FINDINGS, RULES)
        if findings:
            found[path.name] = findings[:3]
    context.close()
    return found
