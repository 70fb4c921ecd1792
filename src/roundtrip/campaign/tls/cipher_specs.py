"""IBM MQ's CipherSpecs as cipher suites of Java, and which key and protocol each needs.

Source: IBM MQ 9.4 documentation, "TLS CipherSpecs and CipherSuites in IBM MQ classes for JMS",
column of equivalent CipherSuites (Oracle JRE, whose names every OpenJDK shares). The names of the
suites are those of RFC 5289 (ECDHE with GCM and CBC), RFC 5246 and 5288 (RSA), RFC 8446 (TLS 1.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from roundtrip.campaign.plan import Level, Point

NONE = "none"
TLS_12, TLS_13 = "TLS 1.2", "TLS 1.3"
KEYS = ("RSA", "ECDSA")
JAVA_KEYS = {"RSA": "RSA", "EC": "ECDSA"}
"""Kinds of keys, by what Java calls them."""
_JAVA_PROTOCOLS = {TLS_12: "TLSv1.2", TLS_13: "TLSv1.3"}


@dataclass(frozen=True)
class CipherSpec:
    """One CipherSpec.

    Attributes
    ----------
    name : str
        As IBM MQ calls it.
    protocol : str
        As `data/dictionary.yml` calls it.
    suite : str
        As Java calls it.
    keys : tuple of str
        Kinds of the server's key that it works with, the usual one first.
    """

    name: str
    protocol: str
    suite: str
    keys: tuple[str, ...]

    @property
    def java_protocol(self) -> str:
        """The protocol as Java calls it."""
        return _JAVA_PROTOCOLS[self.protocol]


def _specs() -> Mapping[str, CipherSpec]:
    found = []
    for key in KEYS:
        for cipher in ("AES_128_CBC_SHA256", "AES_128_GCM_SHA256", "AES_256_CBC_SHA384",
                       "AES_256_GCM_SHA384"):  # fmt: skip
            suite = f"TLS_ECDHE_{key}_WITH_{cipher}"
            found.append(CipherSpec(f"ECDHE_{key}_{cipher}", TLS_12, suite, (key,)))
    for cipher in ("AES_128_CBC_SHA256", "AES_128_GCM_SHA256", "AES_256_CBC_SHA256",
                   "AES_256_GCM_SHA384"):  # fmt: skip
        name = f"TLS_RSA_WITH_{cipher}"
        found.append(CipherSpec(name, TLS_12, name, ("RSA",)))
    for cipher in ("AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256",
                   "AES_128_CCM_SHA256", "AES_128_CCM_8_SHA256"):  # fmt: skip
        found.append(CipherSpec(f"TLS_{cipher}", TLS_13, f"TLS_{cipher}", KEYS))
    return {spec.name: spec for spec in found}


SPECS: Mapping[str, CipherSpec] = _specs()
"""Name to CipherSpec: those of TLS 1.2 and 1.3 that IBM MQ 9.4 enables or can enable."""


def completed(point: Point) -> dict[str, Level]:
    """Add to a point what its CipherSpec decides: the protocol, and the key where none is named.

    A point without ``tls_cipher`` stays as it is.
    """
    cipher = str(point.get("tls_cipher", ""))
    if cipher == NONE:
        return {"tls_protocol": NONE, "tls_key": NONE, **point}
    if cipher not in SPECS:
        return dict(point)
    spec = SPECS[cipher]
    return {"tls_protocol": spec.protocol, "tls_key": spec.keys[0], **point}


def impossible(point: Point) -> str | None:
    """Say why the factors of a completed point's encryption do not go together, or None."""
    cipher = point.get("tls_cipher")
    if cipher is None:
        alone = [name for name in ("tls_protocol", "tls_key") if name in point]
        return f"{alone[0]} without tls_cipher: name the CipherSpec" if alone else None
    spec = SPECS.get(str(cipher))
    protocol = NONE if spec is None else spec.protocol
    keys: tuple[str, ...] = (NONE,) if spec is None else spec.keys
    if point["tls_protocol"] != protocol:
        return f"tls_cipher {cipher} with {point['tls_protocol']}: it belongs to {protocol}"
    if point["tls_key"] not in keys:
        return f"tls_cipher {cipher} with tls_key {point['tls_key']}: it needs {' or '.join(keys)}"
    return None


def negotiated(encryption: Mapping[str, str]) -> dict[str, str]:
    """Give the factors that a driver's report of its connection's encryption comes to.

    The report has ``protocol``, ``cipher_suite`` and ``server_key`` as Java calls them. A suite
    that is no CipherSpec keeps its name.
    """
    suite, key = encryption["cipher_suite"], encryption["server_key"]
    protocols = {java: name for name, java in _JAVA_PROTOCOLS.items()}
    found = {
        "tls_protocol": protocols.get(encryption["protocol"]),
        "tls_cipher": next((spec.name for spec in SPECS.values() if spec.suite == suite), suite),
        "tls_key": JAVA_KEYS.get(key),
    }
    return {name: level for name, level in found.items() if level}
