"""Secrets that logs carry on command lines and in settings, taken out of everything we write."""

from __future__ import annotations

import re

MASK = "********"

# Options of the load drivers whose argument is a secret or a user's name: MQ-CPH and
# JMSPerfHarness -pw/-us, qmmonitor2 and amqsrua -u/-v/-p, curl -u, Java system properties.
_OPTIONS = (
    r"pw|us|pass|passwd|password|userid|user|username|secret|token|passphrase|apikey|api-key|"
    r"access-key|keystorepassword|truststorepassword|key-store-password|trust-store-password"
)
_VALUE = r"(?:\"(?:[^\"\\]|\\.)*\"?|'[^']*'?|[^\s,;&\"']+)"
# MQ-CPH echoes its arguments without quotation marks: a secret with blanks ends where the next
# option begins. To hide too much does no harm.
_REST = r"(?:(?![ \t]+--?[A-Za-z][\w-]*(?:[ \t=]|$)).)+"
_WORDS = (
    r"[A-Za-z0-9_.-]*(?:password|passwd|passphrase|secret|token|api[_-]?key|credential)"
    r"[A-Za-z0-9_.-]*"
)

_PATTERNS = (
    # -pw value, -pw=value, --password value, --password=value
    (
        re.compile(rf"(?i)(?<![\w-])(--?(?:{_OPTIONS})[\"']?[ \t]*[=:, \t][ \t]*){_REST}"),
        rf"\1{MASK}",
    ),
    # qmmonitor2 … -u user -v password: the letters alone say nothing elsewhere
    (re.compile(rf"(?<=qmmonitor2)(.*?[ \t]-[uv][ \t]+){_VALUE}"), rf"\1{MASK}"),
    (re.compile(rf"(?<=qmmonitor2)(.*?[ \t]-v[ \t]+){_VALUE}"), rf"\1{MASK}"),
    # NAME_PASSWORD=value, password: value, "password" : "value", -Djavax.net.ssl.keyStorePassword=…
    (
        re.compile(rf"(?i)(?<![A-Za-z0-9_.])([\"']?(?:-D)?{_WORDS}[\"']?[ \t]*[=:][ \t]*){_VALUE}"),
        rf"\1{MASK}",
    ),
    (
        re.compile(rf"(?i)(?<!\w)(Using userid:?[ \t]*|(?:MQ_)?USER(?:ID|NAME)?=){_VALUE}"),
        rf"\1{MASK}",
    ),
    # scheme://user:password@host
    (
        re.compile(r"(?i)\b([a-z][a-z0-9+.-]{1,20}://)[^\s/@:]{1,256}(?::[^\s/@]{0,256})?@"),
        rf"\1{MASK}@",
    ),
    # Authorization: Basic …, Bearer …
    (re.compile(r"(?i)\b((?:basic|bearer)[ \t]+)[A-Za-z0-9+/=._-]{8,}"), rf"\1{MASK}"),
)  # fmt: skip

_HINT = re.compile(
    rf"(?i)-(?:{_OPTIONS})\b|qmmonitor2|password|passwd|passphrase|secret|token|api[_-]?key|"
    r"credential|user(?:id|name)?[=: ]|://[^\s/]*@|basic |bearer "
)


_AT_END = re.compile(rf"(?i)(?<![\w-])--?(?:{_OPTIONS})[\"']?[ \t]*[=,]?[ \t]*\\?[ \t]*$")


def ends_before_secret(text: str) -> bool:
    """Whether a line ends with an option whose secret argument stands on the next line."""
    return bool(_AT_END.search(text))


def without_secrets(text: str) -> str:
    """Replace passwords, user ids and tokens of a line by asterisks.

    Parameters
    ----------
    text : str
        Any line of a log.

    Returns
    -------
    str
        The line, its secrets replaced by `MASK`.
    """
    if not _HINT.search(text):
        return text
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text
