"""Text as it is printed: apostrophes are typographic, what belongs together stays on one line."""

from __future__ import annotations

import re

_UNIT = r"(?:[KMGTP]?i?B|[kKMGT]?b(?:it)?|[nmµμ]?s|min|h|%|k?m|[kMG]?Hz)(?:/s)?(?![\w/])"
_NUMBERED = r"Table|Figure|Section|Chapter|Appendix|RAID|TLS|sec"
_BOUND = re.compile(
    rf"(?<=\d) (?={_UNIT})|(?<=\d) (?=×)|(?<=×) (?=\d)|\b({_NUMBERED}) (?=\d|[A-Z]\.\d)"
)
_APOSTROPHE = re.compile(r"(?<=\w)'(?=[^\W\d_])")
_OF_SEVERAL = re.compile(r"^([^']*s)'(?= \w[^']*$)")


def with_apostrophes(text: str) -> str:
    """Make the straight apostrophes within words of a text typographic, and one after a plural.

    Examples
    --------
    >>> with_apostrophes("the host's storage")
    'the host’s storage'
    >>> with_apostrophes("the clients' rates")
    'the clients’ rates'
    """
    return _OF_SEVERAL.sub("\\1’", _APOSTROPHE.sub("’", text))


def printed_text(text: str) -> str:
    r"""Give plain text, such as a caption, as it is printed.

    Examples
    --------
    >>> printed_text("The broker's peak at 2 KB")
    'The broker’s peak at 2\xa0KB'
    >>> printed_text("2 × 100 Gb, Table 99")
    '2\xa0×\xa0100\xa0Gb, Table\xa099'
    """
    return _BOUND.sub("\\1\u00a0", with_apostrophes(text))


def belong_together(before: str, after: str) -> bool:
    """Say whether no line may be broken at the space between two texts: 2 KB, 2 × 100, Table 99."""
    end = f"{before[-12:]} "
    return any(found.end() == len(end) for found in _BOUND.finditer(end + after[:12]))
