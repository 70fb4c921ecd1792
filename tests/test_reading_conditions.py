"""Pages in a narrow window, with large letters, without motion, and on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conftest import Report
from workshop import PATIENCE_MS

SCREENS = {"320 px": (320, 16), "200 % text": (1280, 32), "200 % text, 640 px": (640, 32)}
"""Width of a window and the size of letters that its reader set, in pixels, by name."""
WIDE_SCREENS = {"768 px": (768, 16), "1440 px": (1440, 16)}
PAPER = 717
"""Width of A4 between a browser's margins, in pixels."""

# What goes beyond the window's sides, except in a region that scrolls by itself; and text that is
# cut because its box hides what has no room.
CUT = """letters => {
  const wide = document.documentElement.clientWidth;
  const scrolls = each => /auto|scroll/.test(getComputedStyle(each).overflowX);
  const inRegion = each => {
    for (let at = each; at && at !== document.body; at = at.parentElement) {
      if (scrolls(at)) return true;
    }
    return false;
  };
  const said = each => `${each.tagName}.${each.className.baseVal ?? each.className}: `
    + each.textContent.trim().slice(0, 40);
  const found = [];
  if (document.documentElement.scrollWidth > wide) found.push(`the page scrolls to the side`);
  if (parseFloat(getComputedStyle(document.body).fontSize) < letters) found.push(`letters stay`);
  for (const each of document.body.querySelectorAll("*:not(svg *)")) {
    if (!each.checkVisibility({visibilityProperty: true}) || !each.textContent.trim()) continue;
    const box = each.getBoundingClientRect();
    if (box.width > 1 && box.right > wide + 1 && box.left < wide && !inRegion(each)) {
      found.push(`beyond ${said(each)}`);
    }
    const style = getComputedStyle(each);
    const hides = [style.overflowX, style.overflowY].map(value => /hidden|clip/.test(value));
    if (box.width > 1 && ((hides[0] && each.scrollWidth > each.clientWidth + 1)
        || (hides[1] && each.scrollHeight > each.clientHeight + 1))) {
      found.push(`cut ${said(each)}`);
    }
  }
  return found;
}"""

TYPESET = "() => document.fonts.ready.then(() => null)"  # not in the letters of the meantime

MOVES = """() => [...document.querySelectorAll("*")].flatMap(each => {
  const style = getComputedStyle(each);
  const times = `${style.transitionDuration}, ${style.animationDuration}`.split(", ");
  return times.some(time => parseFloat(time) > 0) || style.scrollBehavior !== "auto"
    ? [`${each.tagName}.${each.className.baseVal ?? each.className}`] : [];
})"""

# On paper: cells, and what they say, lie on the sheet and not on their neighbours.
CELLS = """() => {
  const wide = document.documentElement.clientWidth;
  const range = document.createRange();
  return [...document.querySelectorAll("table")].flatMap(table => {
    const cells = [...table.querySelectorAll("th, td")].filter(each => each.checkVisibility());
    const off = cells.filter(cell => {
      range.selectNodeContents(cell);
      const box = cell.getBoundingClientRect();
      const text = range.getBoundingClientRect();
      return box.left < -1 || box.right > wide + 1
        || (text.width && (text.right > box.right + 1 || text.left < box.left - 1));
    });
    const name = table.closest("figure, [id]")?.id;
    return off.length ? [`${name}: ${off.length}, ${off[0].textContent.trim().slice(0, 30)}`] : [];
  });
}"""
CONTROLS = """() => [...document.querySelectorAll(
  "button:not(.sort), input, select, textarea, nav, [role=search], dialog, summary")]
  .filter(each => each.checkVisibility({visibilityProperty: true})
    && !(each.tagName === "SUMMARY" && each.parentElement.open))
  .map(each => `${each.tagName}.${each.className}: ${each.textContent.trim().slice(0, 40)}`)"""
PALE_LINKS = """() => [...document.querySelectorAll("a[href]")]
  .filter(each => each.checkVisibility() && each.textContent.trim()).filter(each => {
    const light = getComputedStyle(each).color.match(/[\\d.]+/g).slice(0, 3).map(Number)
      .map(value => value / 255)
      .map(value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
      .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
    return 1.05 / (light + 0.05) < 4.5;
  }).map(each => `${each.className}: ${each.textContent.trim().slice(0, 40)}`)"""


def pages(report: Report) -> list[Path]:
    """All pages of a site."""
    return [*report.pages, report.comparison, *sorted(report.html.glob("review/*.html"))]


def on_screen(report: Report, chromium: Any, screen: str) -> dict[str, list[str]]:
    """What is cut or scrolls to the side, by page."""
    width, letters = (SCREENS | WIDE_SCREENS)[screen]
    context = chromium.new_context(viewport={"width": width, "height": 800}, bypass_csp=True)
    page = context.new_page()
    sizes = {"standard": letters, "fixed": letters * 13 // 16}
    context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": sizes})
    found = {}
    for path in pages(report):
        page.goto(path.as_uri())
        page.evaluate(TYPESET)
        found[path.relative_to(report.html).as_posix()] = page.evaluate(CUT, letters)[:4]
    context.close()
    return {name: faults for name, faults in found.items() if faults}


def on_paper(report: Report, chromium: Any) -> dict[str, list[str]]:
    """What is lost, or should not be there, on sheets of A4, by page; for who reads in the dark."""
    context = chromium.new_context(
        viewport={"width": PAPER, "height": 1000}, color_scheme="dark", bypass_csp=True
    )
    page = context.new_page()
    page.emulate_media(media="print")
    found = {}
    for path in pages(report):
        page.goto(path.as_uri())
        page.evaluate(TYPESET)
        found[path.relative_to(report.html).as_posix()] = [
            f"{kind}: {fault}"
            for kind, script in (("table", CELLS), ("control", CONTROLS), ("pale", PALE_LINKS))
            for fault in page.evaluate(script)[:3]
        ]
    context.close()
    return {name: faults for name, faults in found.items() if faults}


@pytest.mark.parametrize(
    ("script", "body", "said"),
    [
        (CUT, '<p style="width: 900px">wide</p>', "the page scrolls to the side"),
        (CUT, '<p style="overflow: hidden; width: 3em"><b>Unbreakable</b></p>', "cut P"),
        (CUT, '<body style="font-size: 10px">small', "letters stay"),
        (MOVES, '<p style="transition: color 1s">red</p>', "P"),
        (CELLS, '<table><td style="max-width: 2em">Unbreakable</td></table>', "Unbreakable"),
        (CONTROLS, "<button>Press</button>", "Press"),
        (PALE_LINKS, '<a href="#" style="color: #999">pale</a>', "pale"),
    ],
)
def test_each_fault_is_noticed(chromium: Any, script: str, body: str, said: str) -> None:
    page = chromium.new_page(viewport={"width": 320, "height": 800})
    page.set_content(f"<!doctype html>{body}")
    found = page.evaluate(script, 16)
    page.close()
    assert said in " ".join(found)


@pytest.mark.parametrize("screen", SCREENS)
def test_nothing_is_cut_and_no_page_scrolls_to_the_side(
    small: Report, chromium: Any, screen: str
) -> None:
    assert on_screen(small, chromium, screen) == {}


@pytest.mark.parametrize("screen", SCREENS | WIDE_SCREENS)
def test_nothing_of_the_edition_is_cut(report: Report, chromium: Any, screen: str) -> None:
    assert on_screen(report, chromium, screen) == {}


def test_nothing_moves_for_who_wants_no_motion(small: Report, chromium: Any) -> None:
    context = chromium.new_context(reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    for path in pages(small):
        page.goto(path.as_uri())
        for figure in page.locator("figure[data-interactive]").all()[:1]:
            figure.scroll_into_view_if_needed()
            figure.locator(".figure-live .main-svg").first.wait_for()
        assert page.evaluate(MOVES) == [], path.name
    context.close()


def test_paper_has_every_column_and_no_control(small: Report, chromium: Any) -> None:
    assert on_paper(small, chromium) == {}


def test_paper_of_the_edition_has_every_column_and_no_control(
    report: Report, chromium: Any
) -> None:
    assert on_paper(report, chromium) == {}
