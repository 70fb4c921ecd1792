"""Options of the load drivers' command lines, as far as they say what was set."""

from __future__ import annotations

import re
import shlex

from roundtrip.secrets import without_secrets

# What MQ-CPH and JMSPerfHarness call their options, in words. Names of hosts, users, passwords
# and key stores are left out on purpose: they say nothing about performance.
_OPTIONS = {
    "tc": "test class", "nt": "threads", "ms": "message bytes", "rl": "run length",
    "ss": "interval", "sc": "statistics class", "sr": "rolling window",
    "sw": "discarded seconds", "id": "process",
    "pp": "persistent", "tx": "transacted", "rt": "target rate", "jb": "queue manager",
    "jt": "binding", "jc": "channel", "jl": "cipher", "wi": "start interval", "dx": "last queue",
    "dn": "first queue", "db": "queue base", "mg": "messages", "cc": "commit count",
    "sp": "per thread", "ls": "latency", "su": "summary", "co": "correlation id", "to": "timeout",
    "mf": "message file", "pc": "provider", "gz": "batch",
}  # fmt: skip
_OPTION = re.compile(r"^-([a-z]{2})$")
_COMMAND = re.compile(
    r"^(?:[$#>%] ?|\[[^\]]{1,80}\][$#] ?)?(?:(?:\S*/)?(?:cph|runcph_agg\.py|python3?|java|taskset|"
    r"numactl|nohup|start_\w+\.sh|JMSPerfHarness)\b.*|\./\S+.*)$"
)


def is_command(text: str) -> bool:
    """Whether a line is the command that was typed, or an echo of one."""
    return bool(_COMMAND.match(text.strip()))


def options_of(text: str) -> dict[str, str]:
    """Take the options of a load driver's command line that say what was set, in words.

    A switch without a value has ``true``, an option that the line leaves out is empty. A line
    without any gives nothing.
    """
    try:
        words = shlex.split(without_secrets(text), comments=False)
    except ValueError:  # an unfinished quotation
        words = without_secrets(text).split()
    found: dict[str, str] = {}
    name = None
    for word in words:
        match = _OPTION.match(word)
        if match:
            name = match.group(1)
            if name in _OPTIONS:
                found.setdefault(_OPTIONS[name], "true")
            continue
        if name in _OPTIONS:
            found[_OPTIONS[name]] = word
        name = None
    return dict.fromkeys(_OPTIONS.values(), "") | found if found else {}
