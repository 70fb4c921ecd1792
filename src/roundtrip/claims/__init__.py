"""Claims: every quantitative sentence of a published report, held against its own data."""

from __future__ import annotations

from collections.abc import Mapping

from roundtrip.cache import Cache
from roundtrip.claims.declared import Erratum
from roundtrip.claims.files import chapter_names, ledger_files
from roundtrip.claims.ledger import FoundErratum, Judged, Ledger, evaluate
from roundtrip.claims.verdicts import Verdict
from roundtrip.claims.words import Ends, VagueWords, load_words, words_file
from roundtrip.files import sha256_of_json, sha256_of_tree
from roundtrip.observations import Observations
from roundtrip.versions import computing

__all__ = [
    "Ends", "Erratum", "FoundErratum", "Judged", "Ledger", "VagueWords", "Verdict", "claims_key",
    "load_ledger", "load_words",
]  # fmt: skip


def load_ledger(observations: Observations, limits: Mapping[str, Ends] | None = None) -> Ledger:
    """Give every claim with its verdict, computed anew only when something it depends on changed.

    Raises
    ------
    DataError
        If a claim or an erratum is malformed; file, line and id are named.
    CheckError
        If the table of vague words is malformed.
    ParameterError
        If `limits` names a word that the table does not have.
    """
    words = load_words(observations.project, limits)

    def judged() -> str:
        return evaluate(observations, words).model_dump_json(by_alias=True)

    # Several chapters may ask at once.
    cache, key = Cache(observations.project.cache), claims_key(observations, limits)
    return Ledger.model_validate_json(cache.text_once("claims", key, judged))


def claims_key(observations: Observations, limits: Mapping[str, Ends] | None = None) -> str:
    """Hash everything that the verdicts depend on: observations, claims, words, code."""
    project = observations.project
    content = [
        observations.fingerprint,
        [(path.parent.name, path.name, sha256_of_tree(path)) for path in ledger_files(project)],
        sha256_of_tree(words_file(project)),
        sorted((name, list(ends)) for name, ends in (limits or {}).items()),
        chapter_names(project),
        computing(),
    ]
    return sha256_of_json(content)[:16]
