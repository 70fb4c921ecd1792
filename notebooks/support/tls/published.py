"""TLS as the source published it: shares of the rate by CipherSpec, and their cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd

from roundtrip.present import Chapter, Quantity, Text, cpu_cost, largest, smallest
from roundtrip.present.chapter import RATE
from support.shared.ends import ends


def peaks_by_cipher(chapter: Chapter, *tables: str, baseline: str) -> pd.DataFrame:
    """Give the peak of each CipherSpec once, although each table repeats the one without TLS.

    Parameters
    ----------
    *tables : str
        Table ids.
    baseline : str
        CipherSpec, or ``none``, that is shown whatever is selected.

    Returns
    -------
    pandas.DataFrame
        Points, with the column ``family``.
    """
    found = chapter.points(*tables, varied="tls_cipher", keep=baseline)
    found = found.drop_duplicates("tls_cipher").reset_index(drop=True)
    return found.assign(family=[cipher_family(cipher) for cipher in found["tls_cipher"]])


def shares_of(chapter: Chapter, points: pd.DataFrame, baseline: str) -> dict[str, Quantity]:
    """Give the percentage of the baseline's rate that each CipherSpec keeps."""
    base = chapter.quantity(points, tls_cipher=baseline)
    rates = zip(points["tls_cipher"], chapter.quantities(points), strict=True)
    return {cipher: rate.percent_of(base) for cipher, rate in rates if cipher != baseline}


def family_ranges(chapter: Chapter, points: pd.DataFrame, baseline: str) -> Text:
    """List what each family of CipherSpecs keeps: ``62 % to 65 % for TLS 1.2 GCM, …``."""
    shares = shares_of(chapter, points, baseline)
    ranges = []
    for family in ("TLS 1.2 GCM", "TLS 1.2 CBC", "TLS 1.3"):
        found = [share for cipher, share in shares.items() if cipher_family(cipher) == family]
        if not found:
            continue
        low, high = smallest(found), largest(found)
        said = "{low} to {high} for {family}"
        if chapter.write(low) == chapter.write(high):
            said = "{low} for {family}"
        ranges.append(chapter.text(said, low=low, high=high, family=family).markdown)
    return Text(", ".join(ranges))


def same_cipher_words(chapter: Chapter, shares: Mapping[str, Quantity]) -> Text:
    """Say what one cipher keeps of the rate with either protocol.

    A further sentence, after a space; empty where this edition does not show both.
    """
    found = [shares.get(f"{start}_AES_256_GCM_SHA384") for start in ("ECDHE_RSA", "TLS")]
    if None in found:
        return Text("")
    return chapter.text(
        " TLS 1.3 is slower even with the same cipher: AES-256 in GCM mode keeps {earlier} of the "
        "non-persistent rate with TLS 1.2 and {later} with TLS 1.3. The source calls TLS 1.3 more "
        "expensive, but gives no reason.",
        earlier=found[0], later=found[1],
    )  # fmt: skip


def over_slower_logs(chapter: Chapter, tables: Mapping[str, str]) -> SimpleNamespace:
    """Give the share of the rate that one CipherSpec of each protocol keeps, log by log.

    Parameters
    ----------
    tables : mapping
        Name of the log to its table, the fastest first.

    Returns
    -------
    namespace
        The shares as ``rows`` of a chart; ``ciphers``, family to its CipherSpec; the ``family``
        that was measured over the slowest log, with what it keeps and loses without a log, and
        over the slowest: ``first`` and ``last``, ``loses_first`` and ``loses_last``. There, the
        rates without TLS and with it, ``slowest_base`` and ``slowest``.
    """
    rows = []
    ciphers = {}
    for log, table in tables.items():
        found = chapter.points(table)
        found = found[found[RATE].notna()]
        for cipher, share in shares_of(chapter, found, "none").items():
            ciphers[cipher_family(cipher)] = cipher
            rows.append((cipher_family(cipher), log, share))
        base = chapter.quantity(found, tls_cipher="none")
    family, _, last = rows[-1]
    slowest = chapter.quantity(found, tls_cipher=ciphers[family])
    first = next(share for name, _, share in rows if name == family)
    return SimpleNamespace(
        rows=rows, ciphers=ciphers, family=family, first=first, last=last,
        loses_first=first.complement(), loses_last=last.complement(),
        slowest_base=base, slowest=slowest,
    )  # fmt: skip


def core_time(
    chapter: Chapter, fast: pd.DataFrame, logged: pd.DataFrame, baseline: str
) -> SimpleNamespace:
    """Compute what the CipherSpecs cost the processors, in core time per round trip at the peaks.

    Parameters
    ----------
    fast, logged : pandas.DataFrame
        From `peaks_by_cipher`: non-persistent, and persistent.

    Returns
    -------
    namespace
        The times as ``rows`` of a chart. With non-persistent messages, what a round trip without
        TLS takes, ``none``, the ``dearest`` CipherSpec and what it takes, ``most``. What that adds
        to a round trip without a recovery log and with one, ``added_fast`` and ``added_logged``.
        ``least_cpu``, the lowest share of the processors that a CipherSpec uses at its
        non-persistent peak; ``logged_cpu``, the ends of what persistent peaks use, no TLS included.
    """
    rows = [
        (delivery, str(place), cost)
        for delivery, points in (("non-persistent", fast), ("persistent", logged))
        for _, place, cost in cpu_cost(chapter, points, "set1", "family", {}, by="tls_cipher")
    ]
    times = {(delivery, place): cost for delivery, place, cost in rows}
    base = chapter.level("tls_cipher", baseline)
    most = largest(cost for delivery, _, cost in rows if delivery == "non-persistent")
    dearest = next(place for _, place, cost in rows if cost is most)
    none, logged_dearest = times["non-persistent", base], times["persistent", dearest]
    return SimpleNamespace(
        rows=rows, none=none, dearest=dearest, most=most,
        # From CPU that is printed in whole percent.
        added_fast=replace(most.minus(none), decimals=0),
        added_logged=replace(logged_dearest.minus(times["persistent", base]), decimals=0),
        least_cpu=smallest(chapter.quantities(fast[fast["tls_cipher"] != baseline], "cpu")),
        logged_cpu=ends(chapter.quantities(logged, "cpu")),
    )  # fmt: skip


def cipher_family(cipher: str) -> str:
    """Name the family of a CipherSpec: protocol, and for TLS 1.2 the mode of its cipher.

    Parameters
    ----------
    cipher : str
        IBM MQ's name. ``none`` for no TLS.
    """
    if cipher == "none":
        return "none"
    # Those of TLS 1.3 name no key exchange.
    if cipher.startswith("TLS_") and "_WITH_" not in cipher:
        return "TLS 1.3"
    return "TLS 1.2 CBC" if "_CBC_" in cipher else "TLS 1.2 GCM"


def ranked(chapter: Chapter, points: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Order points from the fastest to the slowest, each with a label for its bar.

    Parameters
    ----------
    points : pandas.DataFrame
        One for each CipherSpec.
    baseline : str
        The CipherSpec whose rate is 100 %.
    """
    ordered = points.sort_values(RATE, ascending=False, kind="stable")
    base = chapter.quantity(points, tls_cipher=baseline)
    labels = [
        chapter.write(rate, unit=False)
        + ("" if cipher == baseline else f"  ({chapter.write(rate.percent_of(base))})")
        for cipher, rate in zip(ordered["tls_cipher"], chapter.quantities(ordered), strict=True)
    ]
    return ordered.assign(label=labels)
