"""Named places of a PDF, and links that lead to those of another.

Typst names headings alone, and takes a place in another file for an address on the web. What is
missing is written into its output, whose objects are plain text: a library would read all of them
first, which takes longer than to typeset the pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import quote

from roundtrip.errors import RenderError

_NAMES = b"/Names<</Dests<</Names["
_NAME = re.compile(rb"\(([\w.~%@:+,-]+)\)(\d+ 0 R)")
_PAGES = re.compile(rb"/Type/Pages/Count \d+/Kids\[([\d R]+)\]")
_END = re.compile(rb"(startxref\n)(\d+)(\n%%EOF)$")


class Place(NamedTuple):
    """A point of a page: its number, and points from the left and from the bottom."""

    page: int
    x: float
    y: float


def address(label: str) -> str:
    """Give the name of a label's place as PDFs and addresses can have it."""
    return quote(label, safe="@:+,")


def linked(pdf: bytes, places: Mapping[str, Place], files: Iterable[str]) -> bytes:
    """Name places of a PDF that Typst wrote, and let links to other files lead to their places.

    `places` have names from `address`. `files` stand beside this one: an address such as
    ``annex.pdf#name`` is a place in one of them. A PDF of another form is refused.
    """
    for file in map(str.encode, files):
        pdf = re.sub(rb"/A<</Type/Action/S/URI/URI\((%s)#([^()\\]*)\)>>" % re.escape(file),
                     _remote, pdf)  # fmt: skip
        if b"/URI(%s" % file in pdf:
            raise _unknown_form()
    if not places:
        return pdf
    begin = pdf.rfind(_NAMES) + len(_NAMES)
    end = pdf.find(b"]", begin)
    pages, last = _PAGES.search(pdf), _END.search(pdf)
    known = dict(_NAME.findall(pdf, begin, end))
    # The catalog is the last object, so that only the table behind it moves.
    if not (pages and last and len(known) == pdf.count(b" 0 R", begin, end)) or (
        pdf.find(b"endobj\n", end) + len(b"endobj\n") != int(last[2])
    ):
        raise _unknown_form()
    kids = re.findall(rb"\d+ 0 R", pages[1])
    given = {
        name.encode(): b"[%s/XYZ %.3f %.3f null]" % (kids[place.page - 1], place.x, place.y)
        for name, place in places.items()
    }
    names = b"".join(b"(%s)%s" % item for item in sorted((given | known).items()))
    moved = int(last[2]) + len(names) - (end - begin)
    return b"%s%s%s%d%s" % (pdf[:begin], names, pdf[end : last.end(1)], moved, last[3])


def _remote(link: re.Match[bytes]) -> bytes:
    """Write a link to a place in another file, as long as it was: all else stays where it is."""
    return (b"/A<</S/GoToR/F(%s)/D(%s)>>" % link.groups()).ljust(len(link[0]))


def _unknown_form() -> RenderError:
    return RenderError(
        "this Typst writes PDFs in a form in which places cannot be named",
        allowed="the version of Typst in requirements.lock",
    )
