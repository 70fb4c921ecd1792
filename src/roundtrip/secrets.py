"""Secrets in logs, plans and names, taken out of everything that is written or shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

from roundtrip.errors import ParameterError

MASK = "********"
_Put = str | Callable[[re.Match[str]], str]

# Dashes and blanks of word processors and chats, where a command was copied from.
_PLAIN = {
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-"),
    **dict.fromkeys(map(ord, "\xa0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"), " "),
    **dict.fromkeys(map(ord, "\u2009\u200a\u202f\u205f\u3000"), " "),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f"), '"'),
    **dict.fromkeys(map(ord, "\0\xad\u200b\u200c\u200d\u2060\ufeff"), None),
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if code != 0xFF0D},
}  # fmt: skip
_TERMINAL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_ESCAPED = re.compile(r"\\+u00([2-7][0-9A-Fa-f])")

# Words that say that what follows is secret, anywhere in a longer name …
_ANYWHERE = (
    r"passw(?:or)?d|passwort|passphrase|passcode|pwd|pswd|secret|token|credential|"
    r"storepass|keypass|api[_.-]?key|access[_.-]?key|account[_.-]?key|private[_.-]?key|"
    r"secret[_.-]?key|shared[_.-]?key|encryption[_.-]?key|requirepass|masterauth"
)
# … and those that are one only if they stand alone in it.
_ALONE = r"(?<![A-Za-z])(?:pass|pw|passin|passout|sig|sas|psk)(?![A-Za-z])"
# A name is looked through once and taken as a whole: without that, and without bounds on what may
# stand around it, a line of nothing but names would take hours.
_NAMED = rf"(?=[\w.$-]*?(?:{_ANYWHERE}|{_ALONE}))(?>(?:[\w.$]|-(?!>))+)"
_NAME = rf"(?<![\w.$-]){_NAMED}"
_TAG = rf"(?:[\w-]{{1,80}}:)?(?=[\w.-]*?(?:{_ANYWHERE}|{_ALONE}))[\w.-]++"
_NAME_IN_TAG = rf"(?=[^<]*?(?:{_ANYWHERE}|{_ALONE}))[^<]*+"
_ESCAPES = r"\\{0,32}"
_QUOTED = (
    r"(?>(?P<q{0}>\\+[\"'])(?:(?!(?<!\\)(?P=q{0})).)*(?:(?P=q{0}))?"
    r"|\"(?:[^\"\\]|\\.|\"\")*\"?|'(?:[^'\\]|\\.|'')*'?)"
)
_WORD = r"[^\s\"'<]+(?:[\"'<](?=\w)[^\s\"'<]*)*"
# A secret without quotation marks may hold blanks: it ends where the next option or setting begins.
_WORDS = (
    rf"{_WORD}(?:[ \t]+(?!--?[A-Za-z][\w-]*(?:[ \t=]|$)|[\w.$-]+[ \t]*[=:(]|[|><;&])[^\s\"'<]+)*"
)
_SIGN = (
    r"(?:[ \t]*(?::=|=>|->|==?|:|%3[Dd]|&#61;|\|)[ \t]*"
    rf"|{_ESCAPES}[\"'][ \t]*,[ \t]*(?={_ESCAPES}[\"']))"
)
_OPTION = (
    rf"(?:(?:pw|us|pass|passin|passout|userid|user|username)(?![\w.-])|(?=[\w.-]*?(?:{_ANYWHERE}))"
    r"[\w.-]++|[\w.-]++(?:(?<=[_-]pw)|(?<=[_-]pass)|(?<=[_-]user)))"
)
# Commands that take a secret in an option of one letter.
_LETTERS = (
    (r"curl|http|httpie|xh", "uU"),
    (r"mysql\w*|mariadb[\w-]{0,40}+|sshpass|docker|podman|oc|mongo\w*|rabbitmqadmin|sqlcmd|bcp",
     "pP"),
    (r"redis-cli|valkey-cli", "a"), (r"ldap\w+", "wy"), (r"openssl", "kK"),
    (r"smbclient|rpcclient|mount\.cifs", "U"), (r"qmmonitor2", "uv"), (r"ipmitool", "P"),
    (r"zip|unzip|7z|rar", "Pp"),
)  # fmt: skip


def _value(tag: str, plain: str = _WORDS) -> str:
    return rf"(?:{_QUOTED.format(tag)}(?:(?<=[\"'])[^\s\"'<,;:)\]}}]+)?|{plain})"


def _taken(match: re.Match[str]) -> str:
    """Put asterisks behind what announced a secret; one in quotation marks keeps them."""
    begin, secret = match[1], match[0][len(match[1]) :]
    mark = found[0] if (found := re.match(r"\\*[\"']", secret)) else ""
    if len(secret) < 2 * len(mark) or not secret.endswith(mark):
        mark = ""
    return f"{begin}{mark}{MASK}{mark}"


def _rules() -> tuple[tuple[re.Pattern[str], _Put], ...]:
    """Give patterns with what stands in their place, the widest first."""
    value, taken = _value("a"), _taken
    called = rf"(?:name|key|property|id|k|n){_ESCAPES}[\"']?[ \t]*[=:][ \t]*{_ESCAPES}[\"']?"
    near = (r"[\"']?(?:(?!\}[ \t]*,|(?<![\w.-])(?:value|val|v)[\\\"']{0,32}[ \t]*[=:])"
            r"[^<\r\n]){1,2000}?")  # fmt: skip
    key = r"-----BEGIN[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    rules: list[tuple[str, _Put]] = [
        (rf"({key}).*?(?:-----END[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)", taken),
        # Authorization: Basic …, Cookie: …
        (rf"(\b(?:proxy-)?(?:authorization|cookie|set-cookie)\b{_ESCAPES}[\"']?[ \t]*[:=,][ \t]*"
         rf"(?:{_ESCAPES}[\"'](?!\s|$))?)[^\r\n]+?"
         rf"(?={_ESCAPES}[\"'][ \t]*(?:$|[ \t,}}\]])|[\r\n]|$)", taken),
        # scheme://user:secret@host, user/secret@host of Oracle
        (r"\b([a-z][a-z0-9+.-]{1,20}:(?:\\?/){2})(?:[^\s/?#@\"'<>]{1,512}@|"
         r"[^\s:/@,\"'<>]{0,256}:[^\s\"'<>]{0,512}@)", rf"\g<1>{MASK}@"),
        (r"(\b(?:thin|oci):|\bsqlplus[ \t]+(?:-\w+[ \t]+)*)[^\s/@]{1,256}/[^\s@]+(?=@|\s|$)",
         taken),
        # PASSWORD('…'), LDAPPWD(…), setPassword("…"), createConnection("user", "…")
        (rf"({_NAME}[ \t]*\([ \t]*)(?:'(?:[^']|'')*'?|\"(?:[^\"\\]|\\.)*\"?|[^)]*)", taken),
        (r"(\bcreate\w*Con(?:nection|text)[ \t]*\([ \t]*)[^)]+", taken),
        # <property name="password" value="…"/>, {"name": "password", "value": "…"}
        (rf"((?<![\w.-]){called}{_NAMED}{_ESCAPES}[\"']?[ \t,;]*{_ESCAPES}[\"']?(?:value|val|v)"
         rf"{_ESCAPES}[\"']?[ \t]*[=:][ \t]*){_value('b')}", taken),
        (rf"((?<![\w.-])(?:value|val|v){_ESCAPES}[\"']?[ \t]*[=:][ \t]*)"
         rf"{_value('c', near)}(?=[ \t,;]{{0,80}}{_ESCAPES}[\"']?{called}{_NAMED})", taken),
        (rf"(<(name|key)>{_NAME_IN_TAG}</(?:name|key)>\s*<(\w+)>)[^<]*", taken),
        # <keyStorePassword>…</keyStorePassword>, also escaped
        (rf"((?:<|&lt;)/?{_TAG}"
         r"(?:[ \t](?>(?:[^<>&\"']|&(?![lg]t;)|\"[^\"]*\"|'[^']*')*))?"
         r"(?:>|&gt;)[ \t]*(?:<!\[CDATA\[)?)"
         r"(?!</|&lt;/)[^<\r\n]+?(?=\]\]>|</|&lt;/|<|$)", taken),
        # -pw …, --password=…, -storepass …, -Djavax.net.ssl.keyStorePassword=…
        (rf"((?<![\w-])--?{_OPTION}{_ESCAPES}[\"']?(?:[ \t]*[=:,][ \t]*|[ \t]+))"
         rf"{_value('d')}", taken),
        # curl -u user:secret, mysql -psecret, sshpass -p secret
        *((rf"(\b(?:{commands})\b[^|;&\n]{{0,500}}?[ \t]-(?-i:{letter})[ =]?[ \t]*)"
           rf"{_value('e', _WORD)}",
           taken) for commands, letters in _LETTERS for letter in letters),
        (r"(\brabbitmqctl\b.{0,500}?\b(?:add_user|change_password)[ \t]+\S+[ \t]+)\S+", taken),
        (r"(\bnet[ \t]+use\b.{0,500}?[ \t]/user:\S+[ \t]+)\S+", taken),
        (r"(\bhtpasswd\b.{0,500}?[ \t]-\w*b\w*[ \t]+\S+[ \t]+\S+[ \t]+)\S+", taken),
        # "password": 1234 of JSON, which stays JSON
        (rf"({_NAME}(\\*\")[ \t]*:[ \t]*)(?:-?\d[\d.eE+-]*|true|false|null)(?=[ \t]*(?:[,}}\]]|$))",
         rf"\g<1>\g<2>{MASK}\g<2>"),
        # password = …, "password": "…", mq.pwd=…, SharedAccessKey=…
        (rf"({_NAME}{_ESCAPES}[\"'\]]{{0,8}}{_SIGN}){value}", taken),
        # password … in .netrc and redis.conf, IDENTIFIED BY '…', the password is …
        (rf"(\b(?:password|passwd|pwd|passphrase|requirepass|masterauth)[ \t]+(?:is[ \t:]+)?)"
         rf"{_value('f', _WORD)}", taken),
        (rf"(\bidentified[ \t]+by[ \t]+(?:password[ \t]+)?){_value('g')}", taken),
        (r"((?<!\w)(?:using userid:?[ \t]*|(?:MQ_)?USER(?:ID|NAME)?=))"
         rf"{_value('h', _WORD)}", taken),
        # what is a secret by its own form
        (r"(\b(?:basic|bearer|apikey|negotiate)[ \t]+)[A-Za-z0-9+/=._~-]{8,}", taken),
        (r"()\b(?-i:AKIA|ASIA)[0-9A-Z]{12,}|()\bgh[pousr]_\w{16,}|()\bgithub_pat_\w{16,}|"
         r"()\bglpat-[\w-]{16,}|()\bxox[abprs]-[\w-]{10,}|()\bsk_live_\w{16,}|()\bnpm_\w{30,}|"
         r"()\beyJ[\w-]{5,500}\.[\w-]+(?:\.[\w-]+)?", MASK),
    ]  # fmt: skip
    return tuple((re.compile(f"(?i){rule}"), put) for rule, put in rules)


_RULES = _rules()
# A line without any of these holds nothing that a rule would find.
_HINTS = (
    "pass", "pw", "pswd", "secret", "token", "cred", "key", "sig", "sas", "psk", "auth", "cookie",
    "user", "-us", "@", "basic", "bearer", "negotiate", "identified by", "create",
    "curl", "http", "xh", "mysql", "mariadb", "docker", "podman", "oc ", "mongo",
    "rabbitmq", "sqlcmd", "bcp", "redis-cli", "valkey", "ldap", "openssl", "smbclient", "rpcclient",
    "cifs", "qmmonitor2", "ipmitool", "zip", "7z", "rar", "sqlplus", "net use", "akia", "asia",
    "gh", "glpat", "xox", "sk_live", "npm_", "eyj",
)  # fmt: skip
_HINT = re.compile("|".join(re.escape(word) for word in _HINTS))
_HINT_IN_ANY_CASE = re.compile(_HINT.pattern, re.IGNORECASE)
_ODD = re.compile(r"[^\t\x20-\x7e]|\\u00")

_AT_END = re.compile(
    rf"(?i)(?:(?<![\w-])--?{_OPTION}[\"']?[ \t]*[=,:]?"
    rf"|{_NAME}\\*[\"'\]]*[ \t]*(?:[=:(]|:=|=>|%3D)[ \t]*\\*[\"'|>]?[-+]?"
    rf"|<{_TAG}(?:[ \t][^<>]*)?>"
    rf"|(?<![\w.-])(?:name|key|property|id)\\*[\"']?[ \t]*[=:][ \t]*\\*[\"']?{_NAMED}\\*[\"']?,?"
    rf"|<(?:name|key)>{_NAME_IN_TAG}</(?:name|key)>"
    rf")[ \t]*[\\+^`]?[ \t\r]*$"
)
_KEY_BEGINS = re.compile(r"-----BEGIN[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?!.*-----END)")
_KEY_ENDS = re.compile(r"-----END[A-Z0-9 ]*PRIVATE KEY")
_MEASURED = re.compile(
    r"^(?:id=[^,]{1,80},)?(?:rateR?|tps)=-?\d{1,13}[.,]\d\d,"
    r"(?:threads|total messages|avgResponse\(micros\))=-?\d"
)
"""An interval: what follows a prompt whose answer is not shown, and no secret."""
_OF_KEY = re.compile(r"[A-Za-z0-9+/=]{16,}[\"',\\nr+ ]*$|^\W*\S{1,76}\s*$|^\s*[A-Z][\w-]+: \S+$")


def _hinted(text: str) -> bool:
    """Say whether a text holds a hint, in whatever case.

    A pattern that heeds case is many times as fast. In ASCII both find the same; beyond it, letters
    such as the sign of the kelvin are some in another case, too.
    """
    if text.isascii():
        return _HINT.search(text.lower()) is not None
    return _HINT_IN_ANY_CASE.search(text) is not None


def _plain(text: str) -> str:
    """Give a text as it was before a word processor, a terminal or JSON changed it."""
    if not _ODD.search(text):
        return text
    text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), _TERMINAL.sub("", text))
    return text.translate(_PLAIN)


def without_secrets(text: str) -> str:
    """Replace passwords, user ids and tokens of a line by asterisks.

    Parameters
    ----------
    text : str
        Any line of a log, any value of a setting.

    Returns
    -------
    str
        The line, its secrets replaced by `MASK`. Where something is replaced, odd blanks and
        dashes are plain ones.
    """
    plain = _plain(text)
    if not _hinted(plain) and "PRIVATE KEY" not in plain:
        return text
    masked = plain
    for pattern, replacement in _RULES:
        masked = pattern.sub(replacement, masked)
    return text if masked == plain else masked


def holds_secret(text: str) -> bool:
    """Say whether a text holds something that looks like a secret."""
    return without_secrets(text) != text


def refuse_secrets(
    text: str, where: str, remedy: str = "take it out; a broker's user and password are given by "
    "ROUNDTRIP_USER and ROUNDTRIP_PASSWORD or ROUNDTRIP_PASSWORD_FILE",
) -> None:  # fmt: skip
    """Refuse a text that becomes part of a report and holds what looks like a secret.

    Parameters
    ----------
    text : str
        A plan, parameters, or what was given on the command line.

    Raises
    ------
    ParameterError
        With the number of the line; the secret is not repeated.
    """
    masking, before = Masking(), 0
    for number, line in enumerate(text.splitlines(), start=1):
        if masking(line) != line:
            said = "" if holds_secret(line) else f" after what line {before} says"
            raise ParameterError(
                f"what stands here looks like a secret{said}, and reports disclose it",
                where=f"{where}:{number}",
                remedy=remedy,
            )
        before = number if line.strip() else before


class Masking:
    """Takes secrets out of lines that come one after the other.

    A secret may stand on the line after its name, and a private key takes many lines. The rate of
    an interval is neither, so that a log without its secrets has the same intervals.
    """

    def __init__(self) -> None:
        self._expected = self._in_key = False

    def hides(self, text: str) -> bool:
        """Say whether a line is secret because of those before it, and remember what it says."""
        if (self._expected or self._in_key) and _MEASURED.match(text):
            self._expected = self._in_key = False
            return False
        if self._in_key:
            self._in_key = not _KEY_ENDS.search(text) and bool(
                not text.strip() or _OF_KEY.search(text)
            )
            if self._in_key or _KEY_ENDS.search(text):
                return True
        hidden, blank = self._expected, not text.strip()
        if not blank or not hidden:
            end = _plain(text[-200:]) if _hinted(text[-200:]) or _ODD.search(text) else ""
            self._expected = bool(end) and bool(_AT_END.search(end))
            self._in_key = "-----BEGIN" in text and bool(_KEY_BEGINS.search(text))
        return hidden and not blank

    def __call__(self, text: str) -> str:
        """Give a line without its secrets."""
        return MASK if self.hides(text) else without_secrets(text)


def masked_bytes(content: bytes) -> bytes:
    """Take the secrets out of a file; every line without one stays as it was, byte by byte."""
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if content.startswith(mark):
            text = content[2:].decode(encoding, "replace")
            return mark + _masked_text(text).encode(encoding)
    text = content.decode("utf-8", "surrogateescape")
    return _masked_text(text).encode("utf-8", "surrogateescape")


def _masked_text(text: str) -> str:
    masking = Masking()
    lines = []
    for line in text.split("\n"):
        body = line.rstrip("\r")
        lines.append(masking(body) + line[len(body) :])
    return "\n".join(lines)


_NAME_ENDS = re.compile(
    r"(?i)(?:\.(?:log|txt|csv|json|out|err|hlog|hgrm|ya?ml|tsv|gz|zst|tar|zip|tgz)){1,8}$"
)
_IN_NAMES = re.compile(
    r"(?i)(?<![A-Za-z])((?:\w{0,80}(?:password|passwd|passphrase|secret|token|pwd))[-_. ])[^/!]+"
)
_USER_IN_NAMES = re.compile(r"[^\s/:@!]{1,256}:[^\s/@!]{1,256}@")


def name_without_secrets(name: str) -> str:
    """Take secrets out of the name of a file or of a member of an archive, part by part."""
    return "".join(
        part if part in "/!" else _part_without_secrets(part) for part in re.split(r"([/!])", name)
    )


def _part_without_secrets(part: str) -> str:
    ending = found[0] if (found := _NAME_ENDS.search(part)) else ""
    stem = part.removesuffix(ending)
    masked = _USER_IN_NAMES.sub(f"{MASK}@", _IN_NAMES.sub(rf"\1{MASK}", without_secrets(stem)))
    return part if masked == stem else masked + ending


@cache
def _scanner() -> Any:
    """Give the detectors of detect-secrets, loaded when a text is asked for and not before.

    Its detectors of mere entropy are left out: unquoted, they take every number for a secret.
    """
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.core.scan import scan_line
    from detect_secrets.settings import transient_settings

    left_out = {"Base64HighEntropyString", "HexHighEntropyString", "IPPublicDetector"}
    classes: dict[str, Any] = get_mapping_from_secret_type_to_class()
    plugins = [
        {"name": plugin.__name__} for plugin in classes.values() if plugin.__name__ not in left_out
    ]

    def values(text: str) -> set[str]:
        with transient_settings({"plugins_used": plugins}):
            return {found.secret_value for found in scan_line(text) if found.secret_value}

    return values


def scanned(text: str) -> str:
    """Take out what detect-secrets still finds in a line that our own rules went over."""
    for secret in sorted(_scanner()(text) - {MASK}, key=lambda value: (-len(value), value)):
        text = text.replace(secret, MASK)
    return text
