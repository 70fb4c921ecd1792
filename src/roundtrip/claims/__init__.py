"""Claims: every quantitative sentence of a published report, held against its own data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from pydantic import ValidationError

from roundtrip.claims.errata import Erratum
from roundtrip.claims.files import chapter_names, ledger_files
from roundtrip.claims.ledger import FoundErratum, Judged, Ledger, evaluate
from roundtrip.claims.verdicts import Verdict
from roundtrip.claims.words import WORDS_FILE, Ends, VagueWords, load_words
from roundtrip.files import alone_in, sha256_of, sha256_of_tree, write_atomically
from roundtrip.observations import Observations

__all__ = [
    "Ends", "Erratum", "FoundErratum", "Judged", "Ledger", "VagueWords", "Verdict", "claims_key",
    "judge_claims", "load_ledger", "load_words",
]  # fmt: skip


def load_ledger(observations: Observations, limits: Mapping[str, Ends] | None = None) -> Ledger:
    """Give every claim with its verdict, computed anew only when something it depends on changed.

    Parameters
    ----------
    observations : Observations
        Its project holds the claims; results are kept in the project's cache.
    limits : mapping, optional
        Limits of vague words that the edition sets.

    Returns
    -------
    Ledger

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
    stored = _stored(observations, limits)
    ledger = _read(stored)
    if ledger is None:
        with alone_in(stored.parent):  # several chapters may ask at once
            ledger = _read(stored)
            if ledger is None:
                ledger = evaluate(observations, words)
                write_atomically(stored, ledger.model_dump_json(by_alias=True) + "\n")
    return ledger


def judge_claims(observations: Observations, limits: Mapping[str, Ends] | None = None) -> None:
    """Have the claims judged, before several chapters ask for the ledger; see `load_ledger`."""
    load_words(observations.project, limits)
    if not _stored(observations, limits).is_file():
        load_ledger(observations, limits)


def _stored(observations: Observations, limits: Mapping[str, Ends] | None) -> Path:
    """Give the file that the ledger is kept in."""
    return observations.project.cache / "claims" / f"{claims_key(observations, limits)}.json"


def _read(stored: Path) -> Ledger | None:
    """Give a stored ledger, None when it is not there or not whole."""
    try:
        return Ledger.model_validate_json(stored.read_bytes())
    except (OSError, ValidationError):
        return None


def claims_key(observations: Observations, limits: Mapping[str, Ends] | None = None) -> str:
    """Hash everything that the verdicts depend on: observations, claims, words, code, library.

    Parameters
    ----------
    observations : Observations
    limits : mapping, optional
        Limits of vague words that the edition sets.

    Returns
    -------
    str
        Sixteen hexadecimal digits.
    """
    project = observations.project
    content = [
        observations.fingerprint,
        [(path.parent.name, path.name, sha256_of_tree(path)) for path in ledger_files(project)],
        sha256_of_tree(project.checks / WORDS_FILE),
        sorted((name, list(ends)) for name, ends in (limits or {}).items()),
        chapter_names(project),
        sha256_of_tree(Path(__file__).parent, pattern="*.py"),
        version("duckdb"),
    ]
    return sha256_of(json.dumps(content))[:16]
