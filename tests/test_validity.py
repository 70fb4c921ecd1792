"""The HTML of every page keeps the rules of the standard on nesting, names and references."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

import pytest

from conftest import Report


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


VOID = words("area base br col embed hr img input link meta source track wbr")
FOREIGN = frozenset({"svg", "math"})
"""Their contents have rules of their own."""
BLOCKS = words(
    "address article aside blockquote details dialog div dl fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table ul"
)
WORDS_ONLY = words(
    "p h1 h2 h3 h4 h5 h6 pre span em strong code b i sub sup small mark time label button dt "
    "legend option"
)
"""Elements that hold phrasing content alone."""
INTERACTIVE = words("a button details input label select summary textarea")
CHILDREN = {
    "ul": "li", "ol": "li", "dl": "dt dd div", "table": "caption col colgroup thead tbody tfoot tr",
    "colgroup": "col", "thead": "tr", "tbody": "tr", "tfoot": "tr", "tr": "th td",
    "select": "option optgroup", "head": "meta title link style base noscript",
}  # fmt: skip
ONLY_IN = {"li": "ul ol", "dt": "dl div", "dd": "dl div", "tr": "table thead tbody tfoot",
           "th": "tr", "td": "tr", "figcaption": "figure", "legend": "fieldset",
           "summary": "details", "col": "colgroup table"}  # fmt: skip
REFERENCES = ("aria-labelledby", "aria-describedby", "aria-controls", "for")
OBSOLETE = words("align bgcolor border cellpadding cellspacing valign nowrap")
NAMELESS = frozenset({"div", "span", "p"})
"""Elements that may carry no name of their own unless they have a role."""


class Page(HTMLParser):
    """Reads one page and collects what breaks a rule."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.problems: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.open: list[tuple[str, list[str]]] = [("document", [])]
        self.foreign = 0
        self.heads: list[bool | None] = []  # of each table that is open; None while it is empty
        self.feed(text)
        self.close()
        self.problems += [f"<{tag}> is not closed" for tag, _ in self.open[1:]]
        twice = [name for name, count in Counter(self.ids).items() if count > 1]
        self.problems += [f"id '{name}' twice" for name in twice]
        self.problems += [
            f"nothing has the id '{name}'" for name in sorted({*self.references} - {*self.ids})
        ]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes(tag, attrs)
        if not self.foreign:
            self.nesting(tag)
        self.open[-1][1].append(tag)
        if tag not in VOID:
            self.open.append((tag, []))
            self.foreign += tag in FOREIGN

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes(tag, attrs)
        if not self.foreign and tag not in VOID:
            self.problems.append(f"<{tag}/> closes itself")

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID or self.open[-1][0] != tag:
            self.problems.append(f"</{tag}> closes <{self.open[-1][0]}>")
            return
        _, children = self.open.pop()
        self.foreign -= tag in FOREIGN
        if tag == "table" and self.heads.pop() is False:
            self.problems.append("<table> has no head with a scope")
        if tag == "figure" and "figcaption" in children:
            if children.count("figcaption") > 1:
                self.problems.append("<figure> has two captions")
            if "figcaption" not in (children[0], children[-1]):
                self.problems.append("<figcaption> is neither first nor last in its figure")
        if tag == "fieldset" and "legend" in children[1:]:
            self.problems.append("<legend> is not first in its fieldset")
        if tag == "details" and children[:1] != ["summary"]:
            self.problems.append("<details> does not begin with its summary")

    def nesting(self, tag: str) -> None:
        if tag == "table":
            self.heads.append(None)
        if tag == "td" and self.heads and self.heads[-1] is None:
            self.heads[-1] = False
        around = [name for name, _ in self.open]
        parent = around[-1]
        if tag in BLOCKS and (inside := WORDS_ONLY & set(around)):
            self.problems.append(f"<{tag}> inside <{'>, <'.join(sorted(inside))}>")
        if tag in INTERACTIVE and {"a", "button"} & set(around):
            self.problems.append(f"<{tag}> inside a link or button")
        allowed = CHILDREN.get(parent)
        if allowed is not None and tag not in (*allowed.split(), "script", "template"):
            self.problems.append(f"<{tag}> directly in <{parent}>")
        if tag in ONLY_IN and parent not in ONLY_IN[tag].split():
            self.problems.append(f"<{tag}> directly in <{parent}>")

    def attributes(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        values = dict(attrs)
        where = f"<{tag}{' id=' + str(values['id']) if 'id' in values else ''}>"
        self.problems += [f"{where} has {name} twice" for name in names if names.count(name) > 1]
        if "id" in values:
            self.ids.append(str(values["id"]))
            if not values["id"] or re.search(r"\s", str(values["id"])):
                self.problems.append(f"{where}: the id is empty or has a space")
        if self.foreign or tag in FOREIGN:
            return
        if tag == "th" and "scope" in values and self.heads:
            self.heads[-1] = True
        for name in REFERENCES:
            self.references += str(values.get(name, "")).split()
        if obsolete := OBSOLETE & set(names):
            self.problems.append(f"{where} has obsolete {', '.join(sorted(obsolete))}")
        if tag == "img" and "alt" not in values:
            self.problems.append(f"{where} has no alternative text")
        named = {"aria-label", "aria-labelledby"} & set(names)
        if named and tag in NAMELESS and "role" not in values:
            self.problems.append(f"{where} has a name and no role")
        for name in ("href", "src"):
            if re.search(r"[\s<>\"\\^`{|}]", str(values.get(name, ""))):
                self.problems.append(f"{where} has an address with forbidden characters")


def problems_of(text: str) -> list[str]:
    """List what breaks a rule on a page."""
    found = Page(text).problems
    if not text.lower().startswith("<!doctype html>"):
        found.append("no <!doctype html>")
    if not re.search(r"<html lang=\"[a-z-]+\"", text):
        found.append("no language")
    if text.count("<title>") - len(re.findall(r"<svg[^>]*>\s*<title>", text)) < 1:
        found.append("no title")
    return sorted(set(found))


PLAIN = '<!doctype html><html lang="en"><head><title>T</title></head><body>{}</body></html>'


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("<p>a<div>b</div></p>", "<div> inside <p>"),
        ("<div><p>a</div>", "</div> closes <p>"),
        ("<div>", "is not closed|closes"),
        ('<p id="a"></p><p id="a"></p>', "id 'a' twice"),
        ('<p id="a" id="b"></p>', "has id twice"),
        ('<a href="#"><button>b</button></a>', "<button> inside a link"),
        ("<ul><p>a</p></ul>", "<p> directly in <ul>"),
        ("<table><div>a</div></table>", "<div> directly in <table>"),
        ("<td>a</td>", "<td> directly in <body>"),
        ('<label for="x">a</label>', "nothing has the id 'x'"),
        ('<div aria-label="a">b</div>', "has a name and no role"),
        ("<figure><p>a</p><figcaption>b</figcaption><p>c</p></figure>", "neither first nor last"),
        ("<details><p>a</p></details>", "does not begin with its summary"),
        ('<img src="a b.png" alt="">', "forbidden characters"),
        ('<img src="a.png">', "no alternative text"),
        ('<table align="left"></table>', "obsolete align"),
        ("<table><tr><td>1</td><th>a</th></tr></table>", "no head with a scope"),
    ],
)
def test_each_rule_is_noticed_where_it_is_broken(body: str, problem: str) -> None:
    assert re.search(problem, " | ".join(problems_of(PLAIN.format(body))))


def test_a_page_that_keeps_them_passes() -> None:
    body = (
        '<figure id="f"><figcaption>a</figcaption><svg><title>b</title><g/></svg></figure>'
        '<ul><li><a href="#f">c</a></li></ul><table><tbody><tr><th scope="row">1<br>2</th>'
        "<td>3</td></tr></tbody></table>"
    )
    assert problems_of(PLAIN.format(body)) == []


def _broken(report: Report) -> dict[str, list[str]]:
    pages = [*sorted(report.html.glob("*.html")), *sorted(report.html.glob("review/*.html"))]
    found = {path.name: problems_of(path.read_text("utf-8")) for path in pages}
    return {name: problems for name, problems in found.items() if problems}


def test_every_page_keeps_the_rules(small: Report) -> None:
    assert _broken(small) == {}


@pytest.mark.thorough
def test_every_page_of_the_edition_keeps_the_rules(report: Report) -> None:
    assert _broken(report) == {}
