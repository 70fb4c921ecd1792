"""TLS between clients and broker: keys, what a point asks for, what was agreed on."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from roundtrip.campaign.harness import Harness
from roundtrip.campaign.machine.commands import run
from roundtrip.campaign.plan import Point
from roundtrip.campaign.processes import BrokerError
from roundtrip.campaign.tls.cipher_specs import JAVA_KEYS, NONE, SPECS, CipherSpec
from roundtrip.errors import SetupError
from roundtrip.files import disk_errors

STORE_VARIABLE = "ROUNDTRIP_TRUST_STORE_PASSWORD"
"""Where drivers look for it; brokers are told the name."""
_KEYS, _CERTIFICATE, _TRUST = "broker.p12", "broker.cer", "trust.p12"
_ALGORITHM = {"RSA": ("RSA", "-keysize", "2048"), "ECDSA": ("EC", "-groupname", "secp256r1")}
_QUICK = "-J-XX:TieredStopAtLevel=1"


@dataclass(frozen=True)
class Keys:
    """A key pair with its certificate, and whom clients trust.

    Attributes
    ----------
    broker, trust : Path
        Stores (PKCS #12) for the broker and for its clients.
    password : str
        Of both; it is in the environment of the processes that need it and nowhere else.
    """

    broker: Path
    trust: Path
    password: str = field(repr=False)

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables of the processes that use a store."""
        return {STORE_VARIABLE: self.password}

    @property
    def of_broker(self) -> dict[str, str]:
        """What the configuration of a broker says of its store."""
        return {"keystore": str(self.broker), "keystore_password_env": STORE_VARIABLE}


def make_keys(java: Path, folder: Path, key: str) -> Keys:
    """Make a key pair with a certificate for this machine, and a store that trusts it.

    Parameters
    ----------
    java : Path
        Java, beside which keytool lies; otherwise keytool is looked for on PATH.
    folder : Path
        Is made; only this user can read it.
    key : {"RSA", "ECDSA"}
        RSA of 2048 bits, or ECDSA on the curve P-256.
    """
    beside = java.resolve().with_name("keytool")
    tool = str(beside) if beside.is_file() else shutil.which("keytool")
    if tool is None:
        raise SetupError(
            "keytool, which comes with Java, is neither in its folder nor on PATH",
            where=java, remedy="install a complete Java runtime, or leave out tls_cipher",
        )  # fmt: skip
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
    keys = Keys(folder / _KEYS, folder / _TRUST, secrets.token_urlsafe(24))
    keytool = partial(
        run, tool, _QUICK, "-storepass:env", STORE_VARIABLE, error=BrokerError,
        environment={**keys.environment, "PATH": "/usr/bin:/bin", "LC_ALL": "C"},
    )  # fmt: skip
    certificate = str(folder / _CERTIFICATE)
    of_broker = ("-alias", "broker", "-keystore", str(keys.broker))
    keytool("-genkeypair", *of_broker, "-storetype", "PKCS12", "-keyalg", *_ALGORITHM[key],
        "-dname", "CN=localhost", "-ext", "san=ip:127.0.0.1,dns:localhost",
        "-validity", "2")  # fmt: skip
    keytool("-exportcert", *of_broker, "-file", certificate)
    keytool("-importcert", "-noprompt", "-alias", "broker", "-file", certificate,
        "-keystore", str(keys.trust), "-storetype", "PKCS12")  # fmt: skip
    return keys


def spec_of(point: Point) -> CipherSpec | None:
    """Give the CipherSpec that a point asks for, None where it asks for no encryption."""
    cipher = str(point.get("tls_cipher", NONE))
    return None if cipher == NONE else SPECS[cipher]


def disagreement(point: Point, connected: Mapping[str, Any]) -> str | None:
    """Say how the encryption that a driver reports differs from what its point asks for, or None.

    The driver's event has ``encryption`` as it was negotiated. Without ``tls_cipher`` nothing is
    asked: an external broker may encrypt or not.
    """
    if "tls_cipher" not in point:
        return None
    found = connected.get("encryption") or {}
    spec = spec_of(point)
    asked = (spec.java_protocol, spec.suite, str(point["tls_key"])) if spec else ()
    # TLS 1.3 names no key in its suites: the certificate alone shows which it was.
    protocol, suite, key = map(found.get, ("protocol", "cipher_suite", "server_key"))
    negotiated = (protocol, suite, JAVA_KEYS.get(str(key), key)) if found else ()
    if negotiated == asked:
        return None
    return (
        f"{', '.join(asked) or 'no encryption'} was asked for, and "
        f"{', '.join(map(str, negotiated)) or 'nothing'} was negotiated"
    )


@cache
def offer_of(harness: Harness) -> Mapping[str, Any]:
    """Ask the Java that runs both ends for its version, and the protocols and suites it offers."""
    try:
        command = harness.command("suites", (), ("-XX:TieredStopAtLevel=1",))
        said: dict[str, Any] = json.loads(run(*command, error=SetupError))
    except (SetupError, ValueError) as problem:
        raise SetupError(
            f"the harness does not say which cipher suites Java offers: {problem}",
            remedy="rebuild it with 'make harness'",
        ) from problem
    return said


def lacking(harness: Harness, cipher: str) -> str | None:
    """Say what a level of ``tls_cipher`` needs that Java does not offer, or None.

    Java is not asked where nothing is encrypted.
    """
    if cipher == NONE:
        return None
    offer, spec = offer_of(harness), SPECS[cipher]
    for what, needed, offered in (
        ("cipher suite", spec.suite, "cipher_suites"), ("protocol", spec.java_protocol, "protocols")
    ):  # fmt: skip
        if needed not in offer[offered]:
            return f"CipherSpec {cipher}: Java {offer['java']} does not offer the {what} {needed}"
    return None
