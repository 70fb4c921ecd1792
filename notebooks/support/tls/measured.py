"""TLS as campaigns measured it: one key and one place for each CipherSpec."""

from __future__ import annotations

from typing import Any

from roundtrip.campaign.tls.cipher_specs import NONE, SPECS
from roundtrip.present.chapter import Chapter
from roundtrip.present.measured.means import Measured
from support.shared.points import at_common_load


def tls_measured(chapter: Chapter, **factors: Any) -> Measured:
    """Give what the campaign of the plan ``tls`` has measured, one key for each CipherSpec.

    A CipherSpec of TLS 1.3 leaves the server's key open: where it was measured with several, the
    one that `cipher_specs` names first stands for it.

    Parameters
    ----------
    **factors
        Values that factors must have.
    """
    here = at_common_load(chapter, "tls", **factors)
    if not here.exists or "tls_key" not in here.frame:
        return here
    frame = here.frame
    for cipher in here.levels("tls_cipher"):
        rows = frame["tls_cipher"] == cipher
        keys = set(frame.loc[rows, "tls_key"].dropna())
        if cipher in SPECS and len(keys) > 1:
            first = next(key for key in SPECS[cipher].keys if key in keys)
            frame = frame[~rows | (frame["tls_key"] == first)]
    here.frame = frame
    return here


def cipher_order(here: Measured) -> list[str]:
    """Give the CipherSpecs that were measured: none first, then by protocol and key exchange."""
    if not here.exists:
        return []
    measured = set(here.levels("tls_cipher"))
    return [name for name in (NONE, *SPECS) if name in measured]
