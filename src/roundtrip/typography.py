"""Text as it is printed: apostrophes are typographic, a number keeps its unit on its line."""

from __future__ import annotations

import re

_UNIT = r"(?:[KMGTP]?i?B|[kKMGT]?b(?:it)?|[nmµμ]?s|min|h|%|k?m|[kMG]?Hz)(?:/s)?(?![\w/])"
STARTS_WITH_UNIT = re.compile(_UNIT)
_BEFORE_UNIT = re.compile(rf"(?<=\d) (?={_UNIT})")
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
    """
    return _BEFORE_UNIT.sub("\u00a0", with_apostrophes(text))
