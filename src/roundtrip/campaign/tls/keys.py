"""Keys for one run: made by Java's keytool in the bench's folder, and removed with it."""

from __future__ import annotations

import secrets
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from roundtrip.campaign.brokers import BrokerError
from roundtrip.errors import SetupError
from roundtrip.files import disk_errors

BROKER_VARIABLE = "ROUNDTRIP_BROKER_KEYS_PASSWORD"
TRUST_VARIABLE = "ROUNDTRIP_TRUST_STORE_PASSWORD"
_KEYS, _CERTIFICATE, _TRUST = "broker.p12", "broker.cer", "trust.p12"
_ALGORITHM = {"RSA": ("RSA", "-keysize", "2048"), "ECDSA": ("EC", "-groupname", "secp256r1")}
_QUICK = "-J-XX:TieredStopAtLevel=1"
_SECONDS = 60


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
    def broker_environment(self) -> Mapping[str, str]:
        """Variables of the broker's process."""
        return {BROKER_VARIABLE: self.password}

    @property
    def client_environment(self) -> Mapping[str, str]:
        """Variables of a client's process."""
        return {TRUST_VARIABLE: self.password}


def remove_keys(name: str) -> None:
    """Remove the stores from a folder, and the folder where nothing else is in it."""
    folder = Path(name)
    for file in (_KEYS, _CERTIFICATE, _TRUST):
        with suppress(OSError):
            (folder / file).unlink()
    for place in (folder, folder.parent):
        with suppress(OSError):
            place.rmdir()


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

    Raises
    ------
    SetupError
        If there is no keytool.
    BrokerError
        If it fails.
    """
    tool = _keytool(java)
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
    keys = Keys(folder / _KEYS, folder / _TRUST, secrets.token_urlsafe(24))
    certificate = folder / _CERTIFICATE
    of_broker = ("-alias", "broker", "-keystore", str(keys.broker))
    _run(tool, keys, "-genkeypair", *of_broker, "-storetype", "PKCS12",
         "-keyalg", *_ALGORITHM[key], "-dname", "CN=localhost",
         "-ext", "san=ip:127.0.0.1,dns:localhost", "-validity", "2")  # fmt: skip
    _run(tool, keys, "-exportcert", *of_broker, "-file", str(certificate))
    _run(tool, keys, "-importcert", "-noprompt", "-alias", "broker", "-file", str(certificate),
         "-keystore", str(keys.trust), "-storetype", "PKCS12")  # fmt: skip
    return keys


def _keytool(java: Path) -> str:
    beside = java.resolve().with_name("keytool")
    found = str(beside) if beside.is_file() else shutil.which("keytool")
    if found is None:
        raise SetupError(
            "keytool, which comes with Java, is neither beside it nor on PATH",
            where=java, remedy="install a complete Java runtime, or leave out tls_cipher",
        )  # fmt: skip
    return found


def _run(tool: str, keys: Keys, *options: str) -> None:
    words = [tool, _QUICK, *options, "-storepass:env", BROKER_VARIABLE]
    try:
        done = subprocess.run(
            words, env={**keys.broker_environment, "PATH": "/usr/bin:/bin", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as problem:
        raise BrokerError(f"keytool does not run: {type(problem).__name__}") from problem
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()
        raise BrokerError(f"keytool {options[0]} failed: {said[0] if said else 'no reason given'}")
