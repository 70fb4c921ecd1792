"""TLS as campaigns measured it: one key and one place for each CipherSpec."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from roundtrip.campaign.tls.cipher_specs import NONE, SPECS
from roundtrip.present import Chapter, Measured, Quantity, Table, Text, size_label
from roundtrip.present.chapter import RATE
from roundtrip.present.measured.words import QUICK_COMPILER, RATIOS
from roundtrip.present.quantities import Row, quantity_table
from roundtrip.stats.intervals import family_differences
from support.shared.cases import Case, Cases
from support.shared.points import at_common_load
from support.shared.quantities_at import row_at


def tls_measured(chapter: Chapter, **factors: Any) -> Measured:
    """Give what the campaign of the plan ``tls`` has measured, one key for each CipherSpec.

    A CipherSpec of TLS 1.3 leaves the server's key open: where it was measured with several, the
    one that `cipher_specs` names first stands for it.

    Parameters
    ----------
    **factors
        Values that factors must have.
    """
    return _one_key(at_common_load(chapter, "tls", **factors))


def _one_key(here: Measured) -> Measured:
    frame = here.frame
    for cipher in here.levels("tls_cipher"):
        rows = frame["tls_cipher"] == cipher
        keys = set(frame.loc[rows, "tls_key"].dropna())
        if cipher in SPECS and len(keys) > 1:
            first = next(key for key in SPECS[cipher].keys if key in keys)
            frame = frame[~rows | (frame["tls_key"] == first)]
    here.frame = frame
    return here


def other_loads_table(
    chapter: Chapter, shown: Mapping[str, Measured], *, caption: str
) -> Table | None:
    """List what was measured at other sizes or numbers of requesters than what is shown.

    Parameters
    ----------
    shown : mapping
        Delivery to what is shown of it, from `tls_measured`.

    Returns
    -------
    Table or None
        None where nothing else was measured.
    """
    rows: list[Row] = []
    for delivery, here in shown.items():
        every = _one_key(Measured(chapter, "tls", delivery=delivery))
        sizes, loads = (here.levels(name) for name in ("message_bytes", "requesters"))
        for size in every.levels("message_bytes"):
            for requesters in every.levels("requesters", message_bytes=size):
                if size in sizes and requesters in loads:
                    continue
                at = {"message_bytes": size, "requesters": requesters}
                head = f"{chapter.level('delivery', delivery)}, {size_label(size)}"
                rows.append(Row(f"{head}, requesters {requesters}"))
                for cipher in cipher_order(every):
                    base = None if cipher == NONE else {**at, "tls_cipher": NONE}
                    label = chapter.level("tls_cipher", cipher)
                    row = row_at(every, label, {**at, "tls_cipher": cipher}, base)
                    rows += [row] if row else []
    return quantity_table(
        chapter, rows,
        header=[chapter.factor_label("tls_cipher"), chapter.label(RATE), "95 % interval",
                f"Relative to {chapter.level('tls_cipher', NONE)} (%)", "Runs"],
        caption=caption, notes=(RATIOS,), by_row=True,
    ) if rows else None  # fmt: skip


def cipher_cases(here: Measured, published: Mapping[str, Quantity]) -> Cases:
    """Give each CipherSpec that was measured, as a share of no TLS, beside what was published.

    Parameters
    ----------
    published : mapping
        CipherSpec to its published share of the published rate without TLS, in percent.
    """
    cases = []
    for cipher in cipher_order(here):
        if cipher != NONE:
            name = here.chapter.level("tls_cipher", cipher)
            printed = {"published": published[cipher]} if cipher in published else {}
            cases.append(Case(name, {"tls_cipher": cipher}, {"tls_cipher": NONE}, printed))
    return Cases(here, cases)


def compiler_words(here: Measured) -> Text:
    """Say which of Java's compilers a campaign used, as the end of a sentence on the full one."""
    if here.manifest is None:
        return Text("")
    plan = here.manifest.plan
    if QUICK_COMPILER in (*plan.broker.jvm, *plan.driver.jvm):
        return Text("; this campaign used the quick one, which makes AES look too slow")
    return Text(", which this campaign used; with the quick one, AES would look too slow")


def told_apart(here: Measured) -> Text:
    """Count the pairs of CipherSpecs of which the rates differ significantly, as one family.

    A further sentence, after a space; empty where there is no pair.
    """
    means = [here.mean(tls_cipher=name) for name in cipher_order(here) if name != NONE]
    ratios = [one.over(other) for one, other in combinations(filter(None, means), 2)]
    if not ratios:
        return Text("")
    differ = sum(family_differences(ratios))
    told = f"{differ or 'none'} differ{'s' * (differ < 2)} significantly in rate"
    modes = [here.chapter.level("delivery", mode) for mode in here.levels("delivery")]
    pairs = f"{len(ratios)} pairs of CipherSpecs"
    return Text(f" Of {pairs}, {told} with {' and '.join(modes)} messages.")


def cipher_order(here: Measured) -> list[str]:
    """Give the CipherSpecs that were measured: none first, then by protocol and key exchange."""
    measured = set(here.levels("tls_cipher"))
    return [name for name in (NONE, *SPECS) if name in measured]
