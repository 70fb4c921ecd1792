"""Numbers that may be typed into a sentence, because they name or set something.

Every other number in prose was measured, counted or computed, and has to come from the data.
Each rule says what it lets through; a number that no rule covers fails the build.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Nothing is tried twice and lists are bounded, so that no text takes long.
_NUMBER = r"(?<![\d.,])\d++(?:[.,\u202f]\d++)*+"
_LIST = rf"{_NUMBER}(?:(?:, and|,| and| or| to) {_NUMBER}){{0,8}}+(?:–\d++)?+"
_GAP = r"[ \u00a0-]"

# What is no prose: code, formulas of references, labels, addresses, placeholders.
_NO_PROSE = re.compile(
    r"```.*?```|`[^`]*`|\{[^}]*\}|@[A-Za-z][\w-]*|\]\([^)]*\)|<?https?://\S+|^\s*\d+\.\s",
    re.DOTALL | re.MULTILINE,
)

RULES: dict[str, re.Pattern[str]] = {
    "a date": re.compile(r"\b\d{4}-\d{2}-\d{2}\b"),
    # V3.1, LZ4, X200, SHA-256, SHARECNV(0), p570, HA2, AMQ3288I, RR-CC-2
    "part of a name": re.compile(
        r"(?<!\w)(?=[A-Za-z][\w/.(-]{0,60}\d)[\w/]{1,60}+(?:[-.(]\w{1,60}+){0,6}+\)?"
    ),
    # 10Q, 64-bit, 2Q-pair; but not 12ms, 5s, 3x, 7k, 8pp
    "a number that begins a name": re.compile(r"\b\d+(?:Q\b|-bit\b|-way\b)"),
    "a version": re.compile(
        rf"\b(?:TLS|SSL|HTTP|AMQP|JMS|Java|Linux|RHEL|AIX|Windows|NFS|[Vv]ersion|release)"
        rf"{_GAP}v?{_NUMBER}(?: (?:and|or) {_NUMBER})?"
    ),
    "a place in a document": re.compile(
        rf"\b(?:[Tt]ables?|[Ff]igures?|[Ss]ections?|[Ss]ec\.?|[Cc]hapters?|[Pp]ages?|[Ss]teps?)"
        rf"{_GAP}{_LIST}"
    ),
    "a message, file or memory size": re.compile(
        rf"{_LIST}{_GAP}(?:bytes?|B|[KMGT]i?B)\b(?!/|\s*per\b)"
    ),
    "the bandwidth of a link": re.compile(
        rf"\blinks? of {_LIST}{_GAP}[KMG]b(?:/s)?(?!\w)"
        rf"|{_LIST}{_GAP}[KMG]b(?:/s|it)?{_GAP}(?:links?|ports?|Ethernet|networks?)\b"
    ),
    "a delay that was set": re.compile(
        rf"\b[Dd]elays? of {_LIST}{_GAP}ms\b"
        rf"|{_LIST}{_GAP}ms (?:(?:of|more|less) (?:link )?delay|added|between|on the links?)\b"
    ),
    "a load that was set": re.compile(
        rf"{_LIST} (?:\w+ )?(?:threads?|machines?)\b|\bsteps of {_NUMBER}\b"
        rf"|\bone message (?:in|every) {_NUMBER} seconds\b"
    ),
    "a level of confidence": re.compile(rf"{_NUMBER}{_GAP}%{_GAP}(?:confidence )?intervals?\b"),
    "what is quoted as printed": re.compile(r"\u201c[^\u201d]{1,40}\u201d"),
    "a year": re.compile(
        r"(?<![\d.,\u2212+-])(?:19|20)\d\d(?![\d.,]*\d)"
        r"(?!\s*(?:%|[a-z ]+/s|round trips|messages|requesters|clients|ms\b|s\b|MB|KB))"
    ),
}  # fmt: skip
_DIGIT = re.compile(r"\d")
_LEFT = re.compile(rf"[+\u2212-]?\d++(?:[.,\u202f]\d++)*+(?:{_GAP}?[%\u2030])?")


def typed_numbers(prose: str) -> Iterator[str]:
    """Find numbers in prose that no rule lets through.

    Parameters
    ----------
    prose : str
        Markdown, or a template of `Chapter.text`.

    Yields
    ------
    str
        Each number with the word after it.
    """
    if not _DIGIT.search(prose):
        return
    text = _NO_PROSE.sub(_blank, prose)
    for rule in RULES.values():
        text = rule.sub(_blank, text)
    for match in _LEFT.finditer(text):
        after = re.match(r"\s*[^\s\d]\S*", text[match.end() :])
        yield (match[0] + (after[0] if after else "")).rstrip(".,;:")


def _blank(match: re.Match[str]) -> str:
    """Leave the place of what is let through, so that nothing new is joined across it."""
    return "\n" * match[0].count("\n") + "\u00b7"
