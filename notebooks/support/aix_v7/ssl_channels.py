"""SSL on message channels: CipherSpecs beside each other, and the baseline that is not printed."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, Table, Text, chart, style_of
from roundtrip.present.chapter import RATE
from support.aix_v7.compared import points_table
from support.aix_v7.comparisons import repeats
from support.aix_v7.printed import Printed
from support.shared.ends import ends

_PLAIN = "none"
_UNENCRYPTED = "no encryption"
_BULK = {
    "null": _UNENCRYPTED, "rc4": "RC4", "rc2": "RC2", "triple_des": "triple DES",
    "aes": "AES", "des": "DES",
}  # fmt: skip
_STATED = ("triple_des_sha_us", "null_sha", "null_md5")
"""CipherSpecs of which the text states the loss against no SSL."""


def bulk_cipher(cipher: str) -> str:
    """Name the cipher that encrypts the data of a CipherSpec, from its name.

    Parameters
    ----------
    cipher : str
        Name such as ``rc4_md5_us``, as IBM MQ spelled it before TLS 1.2.

    Raises
    ------
    ValueError
        If the name holds no cipher that is known.
    """
    for part, name in _BULK.items():
        if part in cipher.lower():
            return name
    raise ValueError(f"the cipher of '{cipher}' is not known")


def implied_baseline(rate: Quantity, loss: Quantity) -> tuple[Quantity, Quantity]:
    """Give the rates from which a stated loss, rounded to whole percent, leads to a rate.

    Parameters
    ----------
    rate : Quantity
        What was left.
    loss : Quantity
        Stated loss in percent.

    Returns
    -------
    tuple of Quantity
        Lowest and highest baseline, rounded to whole units.
    """
    half = 0.5 * 10.0**-loss.decimals
    cells = (*rate.cells, *loss.cells)
    low, high = (
        Quantity(rate.value / (1 - (loss.value + step) / 100), rate.unit, cells)
        for step in (-half, half)
    )
    return low, high


def ciphers(printed: Printed) -> SimpleNamespace:
    """Give the CipherSpecs, and what the text says of them.

    Returns
    -------
    namespace
        The ``ranked`` CipherSpecs, the ``fastest`` first, with what encrypts, ``bulk``, and their
        ``share`` of its rate. The ``plain`` rate printed without SSL; requesters without it,
        ``few``, and with any CipherSpec, ``many``; how many CipherSpecs are ``higher`` than
        the plain rate, and ``above`` it by more than repeats differ. What the source says that
        CipherSpecs take of the rate, ``least`` and ``most``; between which its statements on single
        CipherSpecs place the plain rate, ``implied``, and the ends of all of these,
        ``implied_ends``. The ends of
        processors in use, ``cpu``; what the ``longer_key`` of AES takes of the rate;
        ``by_algorithm``, what each keeps of the fastest rate.
    """
    chapter = printed.chapter
    points = chapter.points("sec-2.3.5")
    is_plain = points["tls_cipher"] == _PLAIN
    ranked = points[~is_plain].sort_values(RATE, ascending=False, ignore_index=True)
    rates = dict(zip(points["tls_cipher"], chapter.quantities(points), strict=True))
    fastest, plain = str(ranked["tls_cipher"].iloc[0]), rates[_PLAIN]
    ranked["bulk"] = ranked["tls_cipher"].map(bulk_cipher)
    ranked["share"] = [rates[cipher].percent_of(rates[fastest]) for cipher in ranked["tls_cipher"]]
    implied = {
        cipher: implied_baseline(rates[cipher], printed.said(f"{cipher} against no SSL, loss"))
        for cipher in _STATED
    }
    beyond = plain.value * (1 + repeats(chapter).value / 100)
    aes_256, aes_128 = (rates[f"tls_rsa_with_aes_{bits}_cbc_sha"] for bits in (256, 128))
    return SimpleNamespace(
        points=points,
        ranked=ranked,
        fastest=fastest,
        plain=plain,
        few=f"{points.loc[is_plain, 'requesters'].iloc[0]:g}",
        many=f"{ranked['requesters'].iloc[0]:g}",
        higher=int((ranked[RATE] > plain.value).sum()),
        above=int((ranked[RATE] > beyond).sum()),
        least=printed.said("CipherSpecs against no SSL, loss, least"),
        most=printed.said("CipherSpecs against no SSL, loss, most"),
        implied=implied,
        implied_ends=ends(rate for between in implied.values() for rate in between),
        cpu=ends(chapter.quantities(ranked, "cpu")),
        longer_key=aes_256.percent_below(aes_128, 1),
        by_algorithm=_by_algorithm(chapter, ranked),
    )


def _by_algorithm(chapter: Chapter, ranked: pd.DataFrame) -> Text:
    """Say what each algorithm keeps of the rate of the fastest CipherSpec, the fastest first."""
    parts = []
    for bulk, rows in ranked[ranked["bulk"] != _UNENCRYPTED].groupby("bulk", sort=False):
        most, least = (chapter.inline(rows["share"].iloc[at]) for at in (0, -1))
        parts.append(f"{bulk} {least}" + (f" to {most}" if len(rows) > 1 else ""))
    return Text(", ".join(parts))


def ciphers_table(chapter: Chapter, found: SimpleNamespace, *, caption: str) -> Table:
    """List the CipherSpecs as printed, with their share of the fastest."""
    points, (best,) = found.points, chapter.quantities(found.ranked.iloc[[0]])
    bulk = [_PLAIN if name == _PLAIN else bulk_cipher(name) for name in points["tls_cipher"]]
    shares = [
        None if name == _PLAIN else rate.percent_of(best, 1)
        for name, rate in zip(points["tls_cipher"], chapter.quantities(points), strict=True)
    ]
    return points_table(
        chapter,
        points.assign(bulk=bulk, connections=points["requesters"].map("{:g}".format)),
        caption=caption,
        row=("CipherSpec", "row_label"),
        texts={"Encrypts with": "bulk", "Connections": "connections"},
        metrics=[RATE, "round_trip_time", "cpu"],
        computed={f"Relative to {found.fastest} (%)": shares},
        notes=["The row without SSL has fewer connections than the others and is not a "
               "baseline for them."],
    )  # fmt: skip


def ciphers_figure(chapter: Chapter, found: SimpleNamespace, *, caption: str) -> Figure:
    """Draw the share of each CipherSpec, coloured by what encrypts."""
    ranked = found.ranked
    quickest = ranked[ranked["bulk"] != _UNENCRYPTED].iloc[0]
    slowest = ranked.iloc[-1]
    return chart(
        chapter,
        list(zip(ranked["bulk"], ranked["tls_cipher"], ranked["share"], strict=True)),
        horizontal=True,
        y_title=f"Rate relative to {found.fastest} (%)",
        styles={bulk: style_of(bulk) for bulk in ranked["bulk"]},
        title=(
            f"{quickest['tls_cipher']} keeps {chapter.write(quickest['share'])} of the rate of "
            f"{found.fastest}, {slowest['tls_cipher']} {chapter.write(slowest['share'])}"
        ),
        varied={"tls_cipher"},
        caption=caption,
    )
