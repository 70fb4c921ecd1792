"""What vague words mean: the package's table or the project's, and what the edition sets."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from roundtrip.errors import CheckError, ParameterError, unknown
from roundtrip.project import Project
from roundtrip.yamlfile import Strict, Text, load_model, validate

WORDS_FILE = "vague-words.yml"
_BETWEEN = r"(?:\s+(?:a|an|the|only|just|of|rate of))?\s+$"
_SIGNS = {"~": "about", "≈": "about", "<": "under", "≤": "at most", ">": "over", "≥": "at least"}
_BASE = Path(__file__).with_name(WORDS_FILE)
Bound = Annotated[float, Field(allow_inf_nan=False)]
Ends = tuple[float | None, float | None]


class Word(Strict):
    """One vague word and the range of per cents that it is taken to mean.

    Attributes
    ----------
    of : {"number", "difference"}
        Whether the range is of the deviation from a stated number, in per cent of it, or of a
        difference in per cent itself.
    from_, to : float or None
        The ends of the range; None where it has none. They belong to it.
    zero : bool
        False when 0 does not belong to the range: what is equal is not over.
    largest : bool
        Whether the word speaks of the largest of several cases, as "up to" does.
    forms : tuple of str
        Other words with the same meaning.
    reason : str
        Why these limits.
    """

    word: Text
    of: Literal["number", "difference"]
    from_: Bound | None = Field(alias="from")
    to: Bound | None
    zero: bool = True
    largest: bool = False
    forms: tuple[Text, ...] = ()
    reason: Text

    @model_validator(mode="after")
    def _in_order(self) -> Word:
        if self.from_ is None and self.to is None:
            raise ValueError("needs from, to or both: without ends, every number would do")
        if self.from_ is not None and self.to is not None and self.from_ > self.to:
            raise ValueError("'from' is above 'to'")
        return self

    def covers(self, per_cent: float) -> bool:
        """Say whether a per cent is in the range, forgiving what floating point adds."""
        slack = 1e-9 * max(1.0, abs(per_cent))
        if not self.zero and abs(per_cent) <= slack:
            return False
        above = self.from_ is None or per_cent >= self.from_ - slack
        return above and (self.to is None or per_cent <= self.to + slack)


class _File(Strict):
    words: tuple[Word, ...] = Field(min_length=1)


@dataclass(frozen=True)
class VagueWords:
    """The table of vague words.

    Attributes
    ----------
    words : tuple of Word
        In the order of the file, with the limits of the edition.
    changed : frozenset of str
        Words whose limits the edition sets.
    """

    words: tuple[Word, ...]
    changed: frozenset[str] = frozenset()

    @property
    def names(self) -> dict[str, Word]:
        """Every word and form."""
        return {name: word for word in self.words for name in (word.word, *word.forms)}

    def before_number(self, text: str) -> Word | None:
        """Give the vague word that a text ends in, before a number; None where there is none."""
        names = {name: word for name, word in self.names.items() if word.of == "number"}
        sign = text.rstrip()[-1:]
        if sign in _SIGNS:
            return names.get(_SIGNS[sign])
        for name in sorted(names, key=len, reverse=True):
            if re.search(rf"\b{re.escape(name)}{_BETWEEN}", text, re.IGNORECASE):
                return names[name]
        return None


def words_file(project: Project) -> Path:
    """Give the table of vague words: that of ``checks/`` where there is one, else the package's."""
    own = project.checks / WORDS_FILE
    return own if own.exists() else _BASE


def load_words(project: Project, limits: Mapping[str, Ends] | None = None) -> VagueWords:
    """Read the table of vague words.

    Parameters
    ----------
    limits : mapping of str to (float or None, float or None), optional
        What the edition sets: a word to its ends, None for no end.

    Raises
    ------
    CheckError
        If the table breaks its schema or defines a word twice.
    ParameterError
        If the edition sets limits of a word that is not in the table, or limits without sense.
    """
    path = words_file(project)
    table = VagueWords(load_model(path, _File, CheckError).words)
    names = Counter(name for word in table.words for name in (word.word, *word.forms))
    if twice := [name for name, count in names.items() if count > 1]:
        raise CheckError(f"'{twice[0]}' is there twice", where=path)
    known = {word.word: word for word in table.words}
    for name, (low, high) in (limits or {}).items():
        if name not in known:
            raise unknown(ParameterError, "vague word", name, known, where="word_limits")
        changed = {**known[name].model_dump(by_alias=True), "from": low, "to": high}
        known[name] = validate(changed, Word, f"word_limits: {name}", ParameterError)
    return VagueWords(tuple(known.values()), frozenset(limits or {}))
