"""What each option costs at small and at large messages, as one table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from roundtrip.claims import Verdict
from roundtrip.claims.repeatability import source_spreads
from roundtrip.outputs import BodyCell, HeaderCell
from roundtrip.present import Chapter, Quantity, Table, size_label
from roundtrip.present.claims import ledger_of
from roundtrip.present.figure import csv_text
from roundtrip.present.markup import cell_anchor
from support.compression.published import PLAIN, link_ceilings
from support.highlights.history import SIZE, Reports

LARGE = 204800
"""The largest message that all the sources with prices of options print (bytes)."""


@dataclass(frozen=True)
class Option:
    """One option.

    Attributes
    ----------
    name, base, when : str
        What it is, beside what, and when that price applies.
    chapter : Chapter
        Its source.
    small, large : Quantity or None
        Rate in percent of the base, by message size; None where the source prints none.
    """

    name: str
    base: str
    when: str
    chapter: Chapter
    small: Quantity | None
    large: Quantity | None


def options(reports: Reports) -> list[Option]:
    """Give the options whose price a source prints as rates with and without it."""
    return [*_of_linux(reports.linux), *_of_appliance(reports.appliance)]


def _of_linux(linux: Chapter) -> Iterator[Option]:
    def shares(points: pd.DataFrame, of: dict[str, str], base: dict[str, str]) -> list[Quantity]:
        found = []
        for size in (SIZE, LARGE):
            at = linux.select(points, message_bytes=size)
            found.append(linux.quantity(at, **of).percent_of(linux.quantity(at, **base)))
        return found

    logged = linux.points("table-06", "table-07")
    yield Option(
        "Persistent messages, log on SSD", "non-persistent",
        "messages must survive a queue manager restart", linux,
        *shares(logged, {"delivery": "persistent"}, {"delivery": "nonpersistent"}),
    )  # fmt: skip
    stores = linux.points("table-08")
    for name in ("NFS", "SAN"):
        yield Option(
            f"Recovery log on {name}", "log on SSD",
            "the log must survive the loss of the host's disks", linux,
            *shares(stores, {"log_storage": name}, {"log_storage": "SSD"}),
        )  # fmt: skip
    ciphers = linux.points("table-09", "table-10").drop_duplicates("tls_cipher")
    none = linux.quantity(ciphers, tls_cipher="none")
    with_tls = ciphers[ciphers["tls_cipher"] != "none"]
    kept = sorted(
        (q.percent_of(none) for q in linux.quantities(with_tls)), key=lambda share: share.value
    )
    for word, share in (("fastest", kept[-1]), ("slowest", kept[0])):
        yield Option(
            f"TLS, {word} CipherSpec, non-persistent", "no TLS",
            "clients connect over an untrusted network", linux,
            share, None,
        )  # fmt: skip
    packed = linux.points("table-01")
    link = linux.about.host_sets["set1"].links[1].bandwidth_gbps
    if link is not None:
        ceilings = {(name, at): q for name, at, q in link_ceilings(linux, packed, link)}
        factors = [
            ceilings["LZ4FAST", size_label(size)].percent_of(ceilings[PLAIN, size_label(size)])
            for size in (SIZE, LARGE)
        ]
        yield Option(
            "LZ4FAST on a saturated link (ceiling)", "no compression",
            "the link is the bottleneck and messages compress", linux, *factors,
        )  # fmt: skip
    pairs = linux.points("table-13")
    for name in ("MIQM", "RDQM"):
        yield Option(
            f"{name}, no added delay", "one queue manager on SAN",
            "another host must take over", linux, *shares(pairs, {"ha": name}, {"ha": "none"}),
        )  # fmt: skip


def _of_appliance(appliance: Chapter) -> Iterator[Option]:
    for name, table, hosts, when in (
        ("HA pair of appliances", "table-08", "m2003a-ha", "another appliance must take over"),
        ("Recovery appliance (DR)", "table-12", "m2003a-dr", "a copy at another site may lag"),
    ):
        kept = []
        for size in (SIZE, LARGE):
            points = appliance.points(table, message_bytes=size)
            points = points[points["round_trip_rate"].notna()]
            alone = appliance.quantity(points, host_set="m2003a")
            kept.append(appliance.quantity(points, host_set=hosts).percent_of(alone))
        yield Option(name, "one appliance", when, appliance, *kept)


def options_table(found: list[Option], *, caption: str) -> Table:
    """Lay out what is left of the rate with each option."""
    rows, lines = [], []
    cells: list[str] = []
    for option in found:
        shares = []
        for size, share in ((SIZE, option.small), (LARGE, option.large)):
            if share is None:
                shares.append(BodyCell("\u2013"))
                continue
            text = option.chapter.write(share, unit=False)
            shares.append(BodyCell(text, link=cell_anchor(share.cells[0])))
            cells += share.cells
            value = f"{share.value:.10g}"
            lines.append([option.name, size, value, "% of the rate", " ".join(share.cells)])
        rows.append(
            (
                BodyCell(option.name, "left", kind="label"),
                BodyCell(option.base, "left"),
                *shares,
                BodyCell(option.when, "left"),
                BodyCell(_sure(option.chapter), "left"),
            )
        )
    heads = [
        HeaderCell("Option", align="left"), HeaderCell("Beside", align="left"),
        HeaderCell(f"{size_label(SIZE)} (%)"), HeaderCell(f"{size_label(LARGE)} (%)"),
        HeaderCell("Applies when", align="left"), HeaderCell("How sure", align="left"),
    ]  # fmt: skip
    return Table(
        caption, (tuple(heads),), tuple(rows), cells=tuple(dict.fromkeys(cells)),
        csv=csv_text(["option", "message_bytes", "value", "unit", "cells"], lines),
        shares=(23, 15, 9, 10, 24, 19),
    )  # fmt: skip


def _sure(chapter: Chapter) -> str:
    """Say what the source tells of the spread of its values."""
    spread = source_spreads(chapter.observations).get(chapter.about.id)
    if spread is None:
        return "single values, no repetitions"
    return f"single values; repetitions within {chapter.numbers.write(100 * spread, 1)}\u00a0%"


@dataclass(frozen=True)
class Wrong:
    """What is wrong in the sources.

    Attributes
    ----------
    statements, checkable, contradicted, errata : int
    """

    statements: int
    checkable: int
    contradicted: int
    errata: int


def wrong_in_sources(chapter: Chapter, word_limits: dict[str, tuple[float, float]]) -> Wrong:
    """Count what the sources' own numbers contradict."""
    ledger = ledger_of(chapter, word_limits)
    verdicts = [row.verdict for row in ledger.claims]
    return Wrong(
        len(verdicts), sum(one is not Verdict.not_checkable for one in verdicts),
        verdicts.count(Verdict.contradicted), len(ledger.errata),
    )  # fmt: skip
