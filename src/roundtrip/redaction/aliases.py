"""Names and their aliases: replaced in texts, and found again however a text writes them."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import yaml

from roundtrip.files import stream_atomically
from roundtrip.redaction.names import PREFIXES, Redact, nameable

_BEFORE = r"(?:(?<![^\W_])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4}))"
"""Where a name begins: after what is no letter, or after an escape, which ends in one."""
_AFTER = r"(?![^\W_])"
_OF_POINT = r"(?=[a-z0-9-]{0,2000}-[0-9a-f]{8}-\d{3})"
"""What follows in the name of an ingested point, which the name of its file begins."""
_BLANK = r'(?:\s|\\[nrt]|",\s*"|%20|\+|&nbsp;)+'
"""A blank within a name: also a line's end in text, or in the lines of a notebook's cell."""
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2}))")
_RUN = re.compile(r"[a-z0-9]+")
"""Letters that every writing of a name leaves together, that in identifiers too."""
_TAG = re.compile(r"<[^<>]*>")
_UNSEEN = dict.fromkeys(map(ord, "\xad\u200b\u200c\u200d\u2060\ufeff"), None) | {
    ord("\u2010"): "-", ord("\u2011"): "-"
}  # fmt: skip
_LONG = 6
"""Letters of a name that no mere chance brings about in bytes that are no text."""


class Aliases:
    """Aliases of names: a kind and a count, which tell nothing of the name.

    Parameters
    ----------
    sections : sequence of Redact
        What files of parameters name.
    found : iterable of (str, str)
        Kind and name of what was found beside them.
    texts : sequence of str
        What the project holds: an alias that stands there already is not given.
    """

    def __init__(
        self,
        sections: Sequence[Redact],
        found: Iterable[tuple[str, str]] = (),
        texts: Sequence[str] = (),
    ) -> None:
        named = [
            (kind, name)
            for section in sections
            for kind in PREFIXES
            for name in getattr(section, kind)
        ]
        counts = dict.fromkeys(PREFIXES, 0)
        self.names: dict[str, str] = {}
        known: dict[str, str] = {}
        for kind, name in [*named, *sorted(set(found))]:
            if _same(name) not in known:
                alias = ""
                while not alias or any(alias in text for text in texts):
                    counts[kind] += 1
                    alias = f"{PREFIXES[kind]}-{counts[kind]}"
                known[_same(name)] = alias
                self.names[name] = alias
        self._written = dict(self.names)
        self._forms = {name: _of(name) for name in self.names}
        for name in self.names:
            with suppress(ValueError):
                slug = nameable(slug_of(name))
                if slug not in known:
                    known[slug] = self._written[slug] = self.names[name]
                    own = "-" in slug and _letters(slug) == _letters(_plain(name))
                    self._forms[slug] = _of(slug) + ("" if own else _OF_POINT)  # else any word
        ordered = sorted(self._written, key=lambda name: (-len(name), name))
        self._runs = {name: max(_RUN.findall(name.lower()), key=len, default="")
                      for name in ordered}  # fmt: skip

    def replaced(self, text: str) -> str:
        """Give a text with aliases in place of names, in whatever case and escape they stand.

        Identifiers hold them as `slug_of` writes them.
        """
        names = self._possible(text)
        if not names:
            return text
        return self._pattern(names).sub(
            lambda match: self._written[names[(match.lastindex or 1) - 1]], text
        )

    def replaced_in(self, value: Any) -> Any:
        """Give plain data with aliases in all its texts; keys of mappings stay."""
        if isinstance(value, str):
            return self.replaced(value)
        if isinstance(value, dict):
            return {key: self.replaced_in(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.replaced_in(item) for item in value]
        return value

    def found_in(self, text: str) -> list[str]:
        """Give the aliases of the names that a text shows or hides, sorted.

        Tags, escapes of JSON and HTML, percent signs, hyphens at line ends and characters without
        width are looked through.
        """
        return sorted({alias for reading in _readings(text) for alias in self._in(reading)})

    def found_in_bytes(self, content: bytes) -> list[str]:
        """Give the aliases of names in bytes that are no text; short ones are there by chance."""
        readings = [
            content.decode("latin-1"),
            content.decode("utf-8", "ignore"),
            content.decode("utf-16-le", "ignore"),
            content.decode("utf-16-be", "ignore"),
        ]
        return sorted({alias for reading in readings for alias in self._in(reading, _LONG)})

    def _in(self, text: str, least: int = 0) -> set[str]:
        names = self._possible(text, least)
        found = self._pattern(names).finditer(text) if names else ()
        return {self._written[names[(match.lastindex or 1) - 1]] for match in found}

    def _possible(self, text: str, least: int = 0) -> tuple[str, ...]:
        """Give the names, the longest first, of which a part is in a text: few are, as a rule."""
        folded = text.casefold()
        return tuple(
            name for name, run in self._runs.items() if len(name) >= least and run in folded
        )

    def _pattern(self, names: tuple[str, ...]) -> re.Pattern[str]:
        return _pattern(tuple(self._forms[name] for name in names))

    def write(self, target: Path) -> None:
        """Write the table of names and aliases, for its owner's eyes only."""
        table = {alias: name for name, alias in self.names.items()}
        with stream_atomically(target, 0o600) as stream:
            yaml.safe_dump(table, stream, encoding="utf-8", allow_unicode=True, sort_keys=False)


def slug_of(text: str) -> str:
    """Give a text as identifiers hold it: plain letters and digits, joined by hyphens.

    Accents are dropped: Größe becomes grosse.
    """
    return "-".join(_RUN.findall(_plain(text)))


def _plain(text: str) -> str:
    return re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFKD", text.casefold()))


def _letters(text: str) -> int:
    return sum(sign.isalnum() for sign in text)


def _same(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


@cache
def _pattern(forms: tuple[str, ...]) -> re.Pattern[str]:
    """Give a pattern with one group for each name."""
    return re.compile("|".join(f"({form})" for form in forms), re.IGNORECASE)


def _of(name: str) -> str:
    forms = {
        form
        for written in (unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name))
        for form in (
            written, json.dumps(written)[1:-1], json.dumps(written).replace("/", r"\/")[1:-1],
            quote(written, safe=""), quote(written), html.escape(written),
            html.escape(written, False), written.encode("unicode_escape").decode(),
        )
    }  # fmt: skip
    ways = sorted(forms, key=lambda form: (-len(form), form))
    each = "|".join(re.escape(way).replace(r"\\", r"\\+").replace(r"\ ", _BLANK) for way in ways)
    before = _BEFORE if name[0].isalnum() else ""
    return f"{before}(?:{each}){_AFTER if name[-1].isalnum() else ''}"


def _readings(text: str) -> set[str]:
    """Give what a text may be read as by people and programs."""
    plain = text
    for _ in range(3):  # an address in a page in the lines of a notebook
        before = plain
        plain = _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), plain)
        plain = html.unescape(unquote(plain)).replace(r"\/", "/")
        if plain == before:
            break
    plain = unicodedata.normalize("NFKC", plain.translate(_UNSEEN))
    bare = _TAG.sub("", plain)
    readings = {text, plain, bare, re.sub(r"\\(?=[^\w\s])", "", plain)}
    for one in (plain, bare):
        readings |= {re.sub(r"[ \t]*\r?\n[ \t]*", "", one), re.sub(r"-[ \t]*\r?\n[ \t]*", "", one)}
    return readings
