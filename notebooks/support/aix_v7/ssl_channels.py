"""SSL on server channels: CipherSpecs beside each other, and the baseline that is not printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from roundtrip.present import (
    Chapter,
    Figure,
    Quantity,
    Table,
    Text,
    chart,
    largest,
    smallest,
    style_of,
)
from support.aix_v7.compared import points_table
from support.aix_v7.comparisons import repeats
from support.aix_v7.printed import Printed
from support.aix_v7.ssl_ciphers import bulk_cipher, implied_baseline

_PLAIN = "none"
_UNENCRYPTED = "no encryption"
_STATED = ("triple_des_sha_us", "null_sha", "null_md5")
"""CipherSpecs of which the text states the loss against no SSL."""


@dataclass(frozen=True)
class Ciphers:
    """The CipherSpecs, and the row without SSL.

    Attributes
    ----------
    points : pandas.DataFrame
        In printed order, the row without SSL among them.
    fastest : str
        The CipherSpec with the highest rate.
    plain : Quantity
        The rate printed without SSL.
    few, many : str
        Requesters without SSL, and with any CipherSpec.
    above : int
        CipherSpecs that exceed the rate without SSL, by more than the source's repeats differ.
    least, most : Quantity
        What the source says that CipherSpecs take of the rate.
    implied : mapping of str to tuple of Quantity
        Between which its statements on single CipherSpecs place the rate without SSL.
    implied_low, implied_high : Quantity
        The ends of all of these.
    cpu_low, cpu_high : Quantity
        Processors in use with any CipherSpec.
    longer_key : Quantity
        What the longer key of AES takes of the rate.
    """

    chapter: Chapter
    points: pd.DataFrame
    fastest: str
    plain: Quantity
    few: str
    many: str
    above: int
    least: Quantity
    most: Quantity
    implied: Mapping[str, tuple[Quantity, Quantity]]
    implied_low: Quantity
    implied_high: Quantity
    cpu_low: Quantity
    cpu_high: Quantity
    longer_key: Quantity

    def rate(self, cipher: str) -> Quantity:
        """Give the rate of one CipherSpec."""
        return self.chapter.quantity(self.points, tls_cipher=cipher)

    def relative(self, cipher: str, decimals: int = 0) -> Quantity:
        """Give the rate of one CipherSpec in percent of that of the fastest."""
        return self.rate(cipher).percent_of(self.rate(self.fastest), decimals)

    @property
    def ranked(self) -> pd.DataFrame:
        """The CipherSpecs, the fastest first."""
        equal = self.points[self.points["tls_cipher"] != _PLAIN]
        return equal.sort_values("round_trip_rate", ascending=False)

    @property
    def by_algorithm(self) -> Text:
        """What each algorithm keeps of the rate of the fastest CipherSpec, the fastest first."""
        shown = self.chapter.inline
        parts = []
        ranked = self.ranked[self.ranked["bulk"] != _UNENCRYPTED]
        for bulk, rows in ranked.groupby("bulk", sort=False):
            shares = [self.relative(str(cipher)) for cipher in rows["tls_cipher"]]
            up_to = f" to {shown(largest(shares))}" if len(shares) > 1 else ""
            parts.append(f"{bulk} {shown(smallest(shares))}{up_to}")
        return Text(", ".join(parts))


def ciphers(printed: Printed) -> Ciphers:
    """Give the CipherSpecs, and what the text says of them."""
    chapter = printed.chapter
    points = chapter.points("sec-2.3.5")
    points["connections"] = [f"{count:g}" for count in points["requesters"]]
    points["bulk"] = [
        "none" if cipher == _PLAIN else bulk_cipher(cipher) for cipher in points["tls_cipher"]
    ]
    plain = points[points["tls_cipher"] == _PLAIN]
    equal = points[points["tls_cipher"] != _PLAIN].reset_index(drop=True)

    def rate(cipher: str) -> Quantity:
        return chapter.quantity(points, tls_cipher=cipher)

    implied = {
        cipher: implied_baseline(rate(cipher), printed.said(f"{cipher} against no SSL, loss"))
        for cipher in _STATED
    }
    cpu = chapter.quantities(equal, "cpu")
    beyond = rate(_PLAIN).value * (1 + repeats(chapter).value / 100)
    return Ciphers(
        chapter,
        points,
        fastest=str(equal.sort_values("round_trip_rate")["tls_cipher"].iloc[-1]),
        plain=rate(_PLAIN),
        few=str(plain["connections"].iloc[0]),
        many=str(equal["connections"].iloc[0]),
        above=sum(rate(cipher).value > beyond for cipher in equal["tls_cipher"]),
        least=printed.said("CipherSpecs against no SSL, loss, least"),
        most=printed.said("CipherSpecs against no SSL, loss, most"),
        implied=implied,
        implied_low=smallest(low for low, _ in implied.values()),
        implied_high=largest(high for _, high in implied.values()),
        cpu_low=smallest(cpu),
        cpu_high=largest(cpu),
        longer_key=rate("tls_rsa_with_aes_256_cbc_sha").percent_below(
            rate("tls_rsa_with_aes_128_cbc_sha"), 1
        ),
    )


def ciphers_table(found: Ciphers, *, caption: str) -> Table:
    """List the CipherSpecs as printed, with their share of the fastest."""
    names = found.points["tls_cipher"]
    relative = [None if name == _PLAIN else found.relative(name, 1) for name in names]
    return points_table(
        found.chapter,
        found.points,
        caption=caption,
        row=("CipherSpec", "row_label"),
        texts={"Encrypts with": "bulk", "Connections": "connections"},
        metrics=["round_trip_rate", "round_trip_time", "cpu"],
        computed={f"Relative to {found.fastest} (%)": relative},
        notes=[
            (
                "The row without SSL has fewer connections than the others and is not a "
                "baseline for them."
            )
        ],
    )


def ciphers_figure(found: Ciphers, *, caption: str) -> Figure:
    """Draw the share of each CipherSpec, coloured by what encrypts."""
    chapter, ranked = found.chapter, found.ranked
    encrypting = ranked[ranked["bulk"] != _UNENCRYPTED]["tls_cipher"]
    quickest, slowest = str(encrypting.iloc[0]), str(ranked["tls_cipher"].iloc[-1])
    return chart(
        chapter,
        [
            (bulk, cipher, found.relative(cipher))
            for cipher, bulk in zip(ranked["tls_cipher"], ranked["bulk"], strict=True)
        ],
        horizontal=True,
        y_title=f"Rate relative to {found.fastest} (%)",
        styles={bulk: style_of(bulk) for bulk in ranked["bulk"]},
        title=(
            f"{quickest} keeps {chapter.write(found.relative(quickest))} of the rate of "
            f"{found.fastest}, {slowest} {chapter.write(found.relative(slowest))}"
        ),
        varied={"tls_cipher"},
        caption=caption,
    )
