"""Which names an edition replaces: ``redact`` in files of parameters."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, StringConstraints

from roundtrip.errors import ParameterError, again
from roundtrip.yamlfile import Strict, load_yaml, place_in, validate

REDACT = "redact"
PREFIXES = {
    "hosts": "host", "addresses": "address", "users": "user", "queue_managers": "qm",
    "paths": "path", "sites": "site", "names": "name",
}  # fmt: skip
"""Kind of names to what their aliases begin with."""
Found = Literal["ipv4", "ipv6", "email", "path"]
KIND_OF: Mapping[Found, str] = {
    "ipv4": "addresses", "ipv6": "addresses", "email": "users", "path": "paths",
}  # fmt: skip
"""What is found in manifests to the kind of names that it becomes."""
FEWEST = 3
_ALIAS = re.compile(rf"(?:{'|'.join(PREFIXES.values())})(?:-\d+)?", re.IGNORECASE)


def nameable(name: str) -> str:
    """Give a name, or a ValueError if it is like the words, numbers and aliases of a report."""
    if sum(sign.isalnum() for sign in name) < FEWEST:
        raise ValueError(f"must have {FEWEST} letters or digits: a shorter name is part of words")
    if _ALIAS.fullmatch(name):
        raise ValueError("is itself an alias, or what aliases begin with: take it out")
    if not any(sign.isalpha() for sign in name) and not _is_address(name):
        raise ValueError("must have a letter, or be an address: numbers are what a report is about")
    return name


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


Name = Annotated[
    str, StringConstraints(max_length=300, strip_whitespace=True), AfterValidator(nameable)
]


class Redact(Strict):
    """Names to replace, by kind.

    Attributes
    ----------
    hosts, addresses, users, queue_managers, paths, sites, names : tuple of str
        As they stand in the data, in any case; `names` are those of no other kind.
    find : tuple of {"ipv4", "ipv6", "email", "path"}
        What is looked for in the manifests of campaigns, and replaced too.
    """

    hosts: tuple[Name, ...] = ()
    addresses: tuple[Name, ...] = ()
    users: tuple[Name, ...] = ()
    queue_managers: tuple[Name, ...] = ()
    paths: tuple[Name, ...] = ()
    sites: tuple[Name, ...] = ()
    names: tuple[Name, ...] = ()
    find: tuple[Found, ...] = ()


def load_names(paths: Sequence[Path]) -> list[Redact]:
    """Read the sections of files of parameters; files without one name nothing.

    Parameters
    ----------
    paths : sequence of Path
        Those that do not exist are passed over.

    Returns
    -------
    list of Redact
        In the order of the files: what one names, no other one takes back.

    Raises
    ------
    ParameterError
        If a kind is unknown, or a name empty, too short or an alias; file, line and key are named.
    """

    class File(BaseModel):
        redact: Redact

    sections = []
    for path in paths:
        content: Any = load_yaml(path, ParameterError) if path.exists() else None
        if not isinstance(content, dict) or REDACT not in content:
            continue
        text = path.read_text(encoding="utf-8")
        try:
            given = {REDACT: content[REDACT]}
            section = validate(given, File, str(path), ParameterError, text).redact
        except ParameterError as problem:
            kinds, found = ", ".join(PREFIXES), ", ".join(get_args(Found))
            raise again(
                ParameterError, problem, allowed=f"{kinds}: lists of names; find: {found}",
                remedy="name each as it stands in the data ('roundtrip docs redaction')",
            ) from problem  # fmt: skip
        if section == Redact():
            raise ParameterError(
                "names nothing", where=f"{place_in(path, REDACT)}: {REDACT}",
                remedy="take the section out, or name what is to be replaced "
                "('roundtrip docs redaction')",
            )  # fmt: skip
        sections.append(section)
    return sections


_CANDIDATES: Mapping[Found, re.Pattern[str]] = {
    "ipv4": re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\w)"),
    "ipv6": re.compile(r"(?<![\w:.])[0-9A-Fa-f:]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*(?<![.])(?![\w:])"),
    "email": re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "path": re.compile(r"(?<![\w:/.~@-])(?:/[\w.@+-]+){2,}|(?<!\w)[A-Za-z]:(?:\\+[\w.@+-]+)+"),
}


def found_in(text: str, kinds: Sequence[Found]) -> list[tuple[str, str]]:
    """Find addresses and paths in a text, such as a manifest: kind of names, and the name.

    Addresses of no one machine, such as 127.0.0.1, are none.
    """
    found = []
    for kind in kinds:
        for name in _CANDIDATES[kind].findall(text):
            if kind in ("ipv4", "ipv6"):
                if not _is_address(name):
                    continue
                address = ipaddress.ip_address(name)
                if address.is_loopback or address.is_unspecified:
                    continue
            found.append((KIND_OF[kind], name))
    return found
