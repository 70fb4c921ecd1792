"""TLS as the source published it: shares of the rate by CipherSpec, their cost, printed ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from roundtrip.files import csv_text
from roundtrip.outputs import BodyCell, HeaderCell
from roundtrip.present import Chapter, Quantity, Table, Text, cpu_cost, largest, smallest
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.chapter import RATE
from roundtrip.present.repeats import ratio_margin

CostRow = tuple[str, str, Quantity]
"""Delivery, CipherSpec, core time per round trip."""


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
    found = chapter.points(*tables, vary="tls_cipher", keep=baseline)
    found = found.drop_duplicates("tls_cipher").reset_index(drop=True)
    return found.assign(family=[cipher_family(cipher) for cipher in found["tls_cipher"]])


@dataclass(frozen=True)
class Shares:
    """Rates relative to the one of a baseline.

    Attributes
    ----------
    by_cipher : mapping
        CipherSpec to the percentage of the baseline's rate that it keeps.
    """

    by_cipher: Mapping[str, Quantity]

    @property
    def best(self) -> Quantity:
        """The share that the fastest CipherSpec keeps."""
        return largest(self.by_cipher.values())

    @property
    def worst(self) -> Quantity:
        """The share that the slowest CipherSpec keeps."""
        return smallest(self.by_cipher.values())


def shares_of(chapter: Chapter, points: pd.DataFrame, baseline: str) -> Shares:
    """Give the share of the baseline's rate that each CipherSpec keeps."""
    base = chapter.quantity(points, tls_cipher=baseline)
    return Shares(
        {
            cipher: chapter.quantity(points, tls_cipher=cipher).percent_of(base)
            for cipher in points["tls_cipher"]
            if cipher != baseline
        }
    )


def family_ranges(chapter: Chapter, points: pd.DataFrame, baseline: str) -> Text:
    """List what each family of CipherSpecs keeps: ``62 % to 65 % for TLS 1.2 GCM, …``."""
    base = chapter.quantity(points, tls_cipher=baseline)
    ranges = []
    for family in ("TLS 1.2 GCM", "TLS 1.2 CBC", "TLS 1.3"):
        part = points[points["family"] == family]
        if part.empty:
            continue
        rates = chapter.quantities(part)
        low, high = (end(rates).percent_of(base) for end in (smallest, largest))
        said = "{low} to {high} for {family}"
        if chapter.write(low) == chapter.write(high):
            said = "{low} for {family}"
        ranges.append(chapter.text(said, low=low, high=high, family=family).markdown)
    return Text(", ".join(ranges))


@dataclass(frozen=True)
class SlowerLogs:
    """One CipherSpec of each protocol over ever slower recovery logs.

    Attributes
    ----------
    ciphers : mapping
        Family to its CipherSpec.
    family : str
        The family that was measured over the slowest log.
    first, last, loses_first, loses_last : Quantity
        What it keeps and loses without a log, and over the slowest.
    """

    rows: Sequence[tuple[str, str, Quantity]]
    ciphers: Mapping[str, str]
    family: str
    first: Quantity
    last: Quantity
    loses_first: Quantity
    loses_last: Quantity


def over_slower_logs(chapter: Chapter, tables: Mapping[str, str]) -> SlowerLogs:
    """Give the share of the rate that TLS keeps, log by log.

    Parameters
    ----------
    tables : mapping
        Name of the log to its table, the fastest first.
    """
    rows = []
    ciphers = {}
    for log, table in tables.items():
        found = chapter.points(table)
        found = found[found[RATE].notna()]
        start = chapter.quantity(found, tls_cipher="none")
        for cipher in found.loc[found["tls_cipher"] != "none", "tls_cipher"]:
            share = chapter.quantity(found, tls_cipher=cipher).percent_of(start)
            ciphers[cipher_family(cipher)] = cipher
            rows.append((cipher_family(cipher), log, share))
    family, _, last = rows[-1]
    first = next(share for name, _, share in rows if name == family)
    return SlowerLogs(rows, ciphers, family, first, last, first.complement(), last.complement())


@dataclass(frozen=True)
class Costs:
    """Core time per round trip at the peaks.

    Attributes
    ----------
    none : Quantity
        Non-persistent, without TLS.
    dearest : str
        The CipherSpec that takes most with non-persistent messages.
    most : Quantity
        What it takes.
    added_fast, added_logged : Quantity
        What it adds to a round trip without a recovery log, and with one.
    least_cpu : Quantity
        Lowest share of the processors that a CipherSpec uses at its non-persistent peak.
    """

    rows: Sequence[CostRow]
    none: Quantity
    dearest: str
    most: Quantity
    added_fast: Quantity
    added_logged: Quantity
    least_cpu: Quantity


def core_time(chapter: Chapter, fast: pd.DataFrame, logged: pd.DataFrame, baseline: str) -> Costs:
    """Compute what the CipherSpecs cost the processors.

    Parameters
    ----------
    fast, logged : pandas.DataFrame
        From `peaks_by_cipher`: non-persistent, and persistent.
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
    return Costs(
        rows,
        times["non-persistent", base],
        dearest,
        most,
        # From CPU that is printed in whole percent.
        replace(most.minus(times["non-persistent", base]), decimals=0),
        replace(times["persistent", dearest].minus(times["persistent", base]), decimals=0),
        smallest(chapter.quantities(fast[fast["tls_cipher"] != baseline], "cpu")),
    )


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


def ratio_check_table(chapter: Chapter, tables: list[str], *, caption: str) -> Table:
    """Put printed ratios of rates beside the ratios of the printed rates."""
    rows: list[tuple[BodyCell, ...]] = []
    csv_rows: list[list[Any]] = []
    used: list[str] = []
    for table in tables:
        points = chapter.points(table)
        rates = points[points[RATE].notna()]
        base = chapter.quantity(rates, tls_cipher="none")
        title = next(item.caption for item in chapter.about.tables if item.id == table)
        rows.append((BodyCell(title, "left", kind="group"),))
        ratios = points[points["rate_ratio"].notna()]
        for cipher, printed in zip(
            ratios["tls_cipher"], chapter.quantities(ratios, "rate_ratio"), strict=True
        ):
            rate = chapter.quantity(rates, tls_cipher=cipher)
            computed = base.over(rate)
            used += [*printed.cells, *base.cells, *rate.cells]
            rows.append(
                (
                    BodyCell(str(cipher), "left", kind="label"),
                    *[
                        BodyCell(chapter.write(q, unit=False), link=cell_anchor(q.cells[0]))
                        for q in (base, rate, printed)
                    ],
                    BodyCell(chapter.write(computed)),
                )
            )
            csv_rows.append(
                [table, cipher, f"{base.value:.0f}", f"{rate.value:.0f}", printed.value,
                 f"{computed.value:.6g}"]
            )  # fmt: skip
    unit = chapter.label(RATE)
    header = (
        HeaderCell("CipherSpec", align="left"),
        HeaderCell(f"{unit}, no TLS"),
        HeaderCell(f"{unit}, TLS"),
        HeaderCell("Ratio printed"),
        HeaderCell("Ratio computed"),
    )
    names = ["table", "tls_cipher", "rate_no_tls", "rate", "ratio_printed", "ratio_computed"]
    return Table(
        caption, (header,), tuple(rows), (ratio_margin(chapter, used),),
        tuple(dict.fromkeys(used)), csv_text(names, csv_rows),
    )  # fmt: skip
