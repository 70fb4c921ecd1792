"""CipherSpecs of the SSL era: what encrypts, and the baseline that a stated loss implies."""

from __future__ import annotations

from roundtrip.present.numbers import Quantity

_BULK = {
    "null": "no encryption", "rc4": "RC4", "rc2": "RC2", "triple_des": "triple DES",
    "aes": "AES", "des": "DES",
}  # fmt: skip


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
