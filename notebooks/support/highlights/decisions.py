"""What each option leaves of the rate, by message size: one table, shaded as a heat map."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from types import SimpleNamespace
from typing import Any

import pandas as pd

from roundtrip.claims import Verdict, load_ledger
from roundtrip.csvfile import csv_text
from roundtrip.outputs import BodyCell, HeaderCell, listed
from roundtrip.present import Chapter, Quantity, Table, size_label
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.repeats import repeat_spreads
from support.compression.published import PLAIN, link_ceilings
from support.high_availability.arrangements import arrangements
from support.highlights.history import LINUX, SIZE, Reports
from support.shared.ends import Ends, ends

LARGE = 204800
"""The largest message that all the sources with prices of options print (bytes)."""
SIZES = (SIZE, 20480, LARGE, 2097152)

LOG = "Recovery log: messages must survive a restart of the queue manager"
TLS = "TLS: clients connect over a network that is not trusted"
COMPRESSION = "Compression: the link is the limit and the messages compress"
HA = "High availability: another host must take over"
REPLICATION = "Replication: another site must hold a copy, which may lag"

Kept = Mapping[int, Quantity]
"""Rate in percent of the rate named beside it, by message size as far as printed."""


@dataclass(frozen=True)
class Option:
    """One option.

    Attributes
    ----------
    when : str
        What kind of option it is, and when one needs it.
    name, base : str
        What it is, and beside what.
    chapter : Chapter
        Its source.
    cipher : str
        The CipherSpec, if it is one.
    """

    when: str
    name: str
    base: str
    chapter: Chapter
    kept: Kept
    cipher: str = ""

    @property
    def small(self) -> Quantity:
        """What it leaves of the rate of small messages."""
        return self.kept[SIZE]

    @property
    def large(self) -> Quantity:
        """What it leaves of the rate of large messages."""
        return self.kept[LARGE]


def options(reports: Reports) -> list[Option]:
    """Give the options whose price a source prints, as rates with and without it or in words."""
    linux = reports.linux
    return [
        *_logs(linux), *_tls(linux), *_compression(linux), *_high_availability(linux),
        *_appliances(reports.appliance), _second_site(reports.ha),
    ]  # fmt: skip


def _kept(chapter: Chapter, points: pd.DataFrame, of: dict[str, Any], base: dict[str, Any]) -> Kept:
    """Give the shares at the sizes for which both rates are printed."""
    points = points[points["round_trip_rate"].notna()]
    return {
        size: chapter.quantity(at, **of).percent_of(chapter.quantity(at, **base))
        for size in SIZES
        if not (at := chapter.select(points, message_bytes=size)).empty
    }


def _logs(linux: Chapter) -> Iterator[Option]:
    logged = linux.points("table-06", "table-07")
    kept = _kept(linux, logged, {"delivery": "persistent"}, {"delivery": "nonpersistent"})
    yield Option(LOG, "Persistent, log on SSD", "non-persistent", linux, kept)
    for name in ("NFS", "SAN"):
        of, base = {"log_storage": name}, {"log_storage": "SSD"}
        kept = _kept(linux, linux.points("table-08"), of, base)
        yield Option(LOG, f"Recovery log on {name}", "log on SSD", linux, kept)


def _tls(linux: Chapter) -> Iterator[Option]:
    """Take the one CipherSpec of each protocol that the source compares in all three cases."""
    for table, storage in (
        ("sec-6.3-nonpersistent", "non-persistent"), ("sec-6.3-persistent", "log on SSD"),
        ("sec-6.3-san", "log on SAN"),
    ):  # fmt: skip
        points = linux.points(table)
        points = points[points["round_trip_rate"].notna()]
        for cipher in points.loc[points["tls_cipher"] != "none", "tls_cipher"]:
            kept = _kept(linux, points, {"tls_cipher": cipher}, {"tls_cipher": "none"})
            protocol = points.loc[points["tls_cipher"] == cipher, "tls_protocol"].iloc[0]
            yield Option(TLS, f"{protocol}, {storage}", "no TLS", linux, kept, str(cipher))


def tls_kept(linux: Chapter) -> Ends:
    """Give what the slowest and the fastest CipherSpec keep with non-persistent messages."""
    ciphers = linux.points("table-09", "table-10").drop_duplicates("tls_cipher")
    none = linux.quantity(ciphers, tls_cipher="none")
    kept = linux.quantities(ciphers[ciphers["tls_cipher"] != "none"])
    return ends([rate.percent_of(none) for rate in kept])


def _compression(linux: Chapter) -> Iterator[Option]:
    link = linux.about.host_sets["set1"].links[1].bandwidth_gbps  # the narrow one
    if link is None:
        raise ValueError("the report does not disclose the bandwidth of its narrow link")
    found = link_ceilings(linux, linux.points("table-01"), link)
    ceilings = {(name, size): rate for name, size, rate in found}
    kept = {
        size: ceilings["LZ4FAST", at].percent_of(ceilings[PLAIN, at])
        for size, at in zip(SIZES, map(size_label, SIZES), strict=True)
        if ("LZ4FAST", at) in ceilings
    }
    yield Option(COMPRESSION, "LZ4FAST, ceiling of a link", "no compression", linux, kept)


def _high_availability(linux: Chapter) -> Iterator[Option]:
    """Compare with one queue manager on the same kind of storage, from another test.

    The source itself compares with a log on SAN, which would count the storage as a gain.
    """
    pairs, alone = linux.points("table-13", "table-15"), linux.points("table-08")
    alone = alone[alone["message_bytes"].isin(pairs["message_bytes"])]
    points = pd.concat([pairs, alone], ignore_index=True)
    delay = pairs["ha_link_rtt_ms"].max()
    for name, storage in (("MIQM", "NFS"), ("RDQM", "SSD")):
        near = {"ha": name, "ha_link_rtt_ms": 0}
        single = {"host_set": "set1", "log_storage": storage}
        kept = _kept(linux, points, near, single)
        base = f"one queue manager, log on {storage}"
        yield Option(HA, f"{name}, no added delay", base, linux, kept)
        kept = _kept(linux, points, {"ha": name, "ha_link_rtt_ms": delay}, near)
        yield Option(
            HA, f"{name}, {delay:g}\u00a0ms of delay", f"{name}, no added delay", linux, kept
        )


def _appliances(appliance: Chapter) -> Iterator[Option]:
    for when, name, table, hosts in (
        (HA, "HA pair, one queue manager", "table-08", "m2003a-ha"),
        (HA, "HA pair, ten queue managers", "table-09", "m2003a-ha"),
        (REPLICATION, "DR, one queue manager", "table-12", "m2003a-dr"),
        (REPLICATION, "DR, ten queue managers", "table-13", "m2003a-dr"),
    ):
        kept = _kept(
            appliance, appliance.points(table), {"host_set": hosts}, {"host_set": "m2003a"}
        )
        yield Option(when, name, "one appliance", appliance, kept)


def _second_site(ha: Chapter) -> Option:
    """Turn what the source says a second site takes, at most, into what it leaves."""
    said = ha.points("text")
    said = said[said["rate_reduction"].notna()]
    lost = zip(said["message_bytes"], ha.quantities(said, "rate_reduction"), strict=True)
    kept = {int(size): replace(q, value=100 - q.value) for size, q in lost}
    return Option(REPLICATION, "RDQM with a second site, stated", "RDQM", ha, kept)


def options_table(found: list[Option], wanted: Collection[int], *, caption: str) -> Table:
    """Lay out what is left of the rate with each option, the darker the less.

    Columns are those of `SIZES` that are `wanted`; all where none is.
    """
    sizes = [size for size in SIZES if size in wanted] or SIZES
    rows: list[tuple[BodyCell, ...]] = []
    lines = []
    for when, part in groupby(found, key=lambda option: option.when):
        rows.append((BodyCell(when, "left", kind="group"),))
        for option in part:
            shares = [_share_cell(option, size) for size in sizes]
            name = BodyCell(option.name, "left", kind="label")
            rows.append((name, BodyCell(option.base, "left"), *shares))
            lines += [
                [option.name, option.base, size, f"{share.value:.10g}", "% of the rate",
                 " ".join(share.cells)]
                for size, share in option.kept.items()
                if size in sizes
            ]  # fmt: skip
    heads = [HeaderCell("Option", align="left"), HeaderCell("In percent of", align="left")]
    named = [cell for option in found for share in option.kept.values() for cell in share.cells]
    return Table(
        caption, ((*heads, *(HeaderCell(size_label(size)) for size in sizes)),), tuple(rows),
        notes=tuple(_notes(found)), cells=tuple(dict.fromkeys(named)),
        csv=csv_text(["option", "beside", "message_bytes", "value", "unit", "cells"], lines),
    )  # fmt: skip


def _share_cell(option: Option, size: int) -> BodyCell:
    share = option.kept.get(size)
    if share is None:
        return BodyCell("not printed", tone="open")
    lost = int((100 - share.value) // 10)
    text = option.chapter.write(share, unit=False)
    return BodyCell(text, link=cell_anchor(share.cells[0]), shade=max(0, lost))


def _notes(found: list[Option]) -> Iterator[str]:
    ciphers = " and ".join(dict.fromkeys(filter(None, (option.cipher for option in found))))
    yield (
        "Stronger shading: less of the rate is left. From printed peaks, except the ceiling "
        "(compression rates) and the share with a second site (largest loss stated). TLS: "
        f"{ciphers}. MIQM: multi-instance, RDQM: replicated data queue manager, each beside one of "
        "another test. HA pair, DR: persistent messages, with a second or a recovery appliance."
    )
    told: dict[str, dict[str, None]] = {}
    for chapter in (option.chapter for option in found):
        told.setdefault(_sure(chapter), {})[chapter.about.short_title] = None
    sure = [f"{listed([*titles])}: {words}" for words, titles in told.items()]
    yield f"Uncertainty: single values. {'; '.join(sure)}."


def _sure(chapter: Chapter) -> str:
    """Say how far rates that the source prints twice differ; none states repetitions.

    MIQM and RDQM alone are compared with a queue manager of another test, on other hosts.
    """
    spread = repeat_spreads(chapter).get(chapter.about.id)
    if spread is None:
        return "no repeated measurement is printed"
    told = f"rates printed twice differ by up to {chapter.write(spread)}"
    if chapter.about.id != LINUX:
        return told
    between = chapter.write(arrangements(chapter, "SAN").hosts_differ)
    return (
        f"{told} on the same hosts, up to {between} where hosts, logging and requesters differ "
        "(MIQM and RDQM without delay)"
    )


def wrong_in_sources(chapter: Chapter) -> SimpleNamespace:
    """Count what the sources' own numbers contradict.

    Returns
    -------
    namespace
        All ``statements``, those that are ``checkable`` and those that are ``contradicted``, of
        which ``charted`` may be about points of a chart; the ``errata``.
    """
    ledger = load_ledger(chapter.observations, chapter.word_limits)
    verdicts = [row.verdict for row in ledger.claims]
    return SimpleNamespace(
        statements=len(verdicts),
        checkable=len(verdicts) - verdicts.count(Verdict.not_checkable),
        contradicted=verdicts.count(Verdict.contradicted),
        charted=len(ledger.charted),
        errata=len(ledger.errata),
    )
