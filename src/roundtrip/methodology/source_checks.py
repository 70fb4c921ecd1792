"""Checks of published reports: what they disclose and print, against one rule each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from roundtrip.claims import Judged, Verdict, load_ledger
from roundtrip.errors import DataError
from roundtrip.methodology.generic_checks import held, observed, stated
from roundtrip.methodology.subject import Finding, Lacking, Source, fails, not_applicable, passes
from roundtrip.sources.declared import section_named
from roundtrip.yamlfile import load_yaml

_SPREADS = ("standard_deviation", "low", "high")
_UNPRINTED = ("not available", "read off the drawing")
"""What `data` of a figure says where the source prints no numbers, or not those of its curves."""


def says(source: Source, *, of: str) -> Finding:
    """Check what the source says of how it measured."""
    where = f"{source.place}: method.{of}"
    method = source.report.method
    if of not in method:
        raise Lacking(
            "what the source says about this is not recorded: read it, then add it", where
        )
    said = method[of]
    if said is None:
        return fails("the source does not say", where)
    return (passes if said.holds else fails)(said.says, where, section_named(said.section))


def spread_printed(source: Source) -> Finding:
    """Check that values are printed with what they scatter."""
    printed = [name for name in _SPREADS if (source.values["statistic"] == name).any()]
    if printed:
        told = ", ".join(name.replace("_", " ") for name in printed)
        return passes(f"prints {told} of its values", source.place)
    return fails("prints single values, none with an interval or a spread", source.place)


def data_printed(source: Source) -> Finding:
    """Check that what figures show is printed as numbers too."""
    where = f"{source.place}: figures"
    figures = source.report.figures
    if not figures:
        return not_applicable("it has no figures", where)
    only = [one.number for one in figures if any(sign in one.data for sign in _UNPRINTED)]
    told = f"the numbers of {len(only)} of {len(figures)} figures are not printed, or not all"
    return held(only, told, f"the numbers of all {len(figures)} figures are printed", where)


def claims_checkable(source: Source) -> Finding:
    """Check that what its sentences state can be held to numbers that it prints."""
    claims, where = _claims(source)
    wrong = [row.claim.id for row in claims if row.verdict is Verdict.not_checkable]
    told = "{} of " + f"{len(claims)} statements cannot be checked against its printed numbers"
    return held(wrong, told.format(len(wrong)), told.format("none"), where)


def claims_hold(source: Source) -> Finding:
    """Check that none of its sentences that can be checked is contradicted by its own numbers."""
    claims, where = _claims(source)
    checked = [row for row in claims if row.verdict is not Verdict.not_checkable]
    if not checked:
        raise Lacking(
            f"none of its {len(claims)} statements can be checked against its printed numbers",
            where,
        )
    wrong = [row.claim.id for row in checked if row.verdict is Verdict.contradicted]
    in_part = sum(row.verdict is Verdict.in_part for row in checked)
    told = f"of the {len(checked)} statements that can be checked, "
    if in_part:
        told += f"{in_part} hold{'s' * (in_part == 1)} only in part, and "
    told += "its own numbers contradict {}"
    return held(wrong, told.format(len(wrong)), told.format("none"), where)


def _claims(source: Source) -> tuple[list[Judged], str]:
    """Give the judged statements of a source, and their file; lacking where there are none."""
    claims = [row for row in load_ledger(source.observations).claims if row.report == source.id]
    where = f"data/published/{source.id}/claims.yml"
    if not claims:
        raise Lacking("none of its statements is recorded: add them", where)
    return claims, where


def one_text(source: Source) -> Finding:
    """Check that no place contradicts another."""
    where = f"data/published/{source.id}/errata.yml"
    path = source.observations.project.root / where
    errata = load_ledger(source.observations).errata
    found = Counter(row.erratum.kind for row in errata if row.report == source.id)
    if not path.is_file() or load_yaml(path, DataError) is None:
        raise Lacking("it was not checked for contradictions: record them", where)
    if found:
        kinds = ", ".join(f"{count} {kind}" for kind, count in found.most_common())
        return fails(f"places contradict each other: {kinds}", where)
    return passes("no contradictions are known", where)


SOURCE_CHECKS: Mapping[str, Callable[..., Finding]] = {
    check.__name__: check
    for check in (
        claims_checkable, claims_hold, data_printed, observed, one_text, says, spread_printed,
        stated,
    )
}  # fmt: skip
"""By the name that rules give them."""
