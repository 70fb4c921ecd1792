"""Which runs of a campaign are marked, replaced, failed, interrupted or missing."""

from __future__ import annotations

import re
from collections import Counter

from roundtrip.campaign.manifest import Manifest
from roundtrip.campaign.settable import GIVEN
from roundtrip.outputs import escape_markdown
from roundtrip.present.chapter import Chapter
from roundtrip.present.levels import inside

_HOW_TO = re.compile(r" \(-p [^)]*\)")
"""How to run a part that was left out: for those who run the plan, not for readers of results."""
_SIGNS = {
    "not steady": "not steady", "settled only": "settled late",
    "ms behind": "behind schedule", "never answered": "replies missing",
    "never ended": "threads not ended",
}  # fmt: skip
"""Words in the doubt about a run, to what the run was; any other doubt says what disturbed it."""
_DISTURBED = "disturbed"


def exceptions_words(chapter: Chapter, manifest: Manifest) -> str:
    """Say which runs are marked, replaced or broken off; empty where none is."""
    told = [marked_words(manifest)]
    interrupted = sum(entry.interrupted for entry in manifest.failed)
    for what, count in (
        ("Excluded from the means, as their points have enough other runs", len(manifest.replaced)),
        ("Failed attempts, with reasons in the list of every run",
         len(manifest.failed) - interrupted),
        ("Attempts interrupted with the runner", interrupted),
    ):  # fmt: skip
        told += [f"{what}: {count}."] if count else []
    if manifest.state != "complete":
        why = escape_markdown(str(manifest.why_stopped))
        told.append(f"The campaign was stopped early: {why}.")
    return " ".join(filter(None, told))


def not_run_words(chapter: Chapter, manifest: Manifest) -> str:
    """Say which planned parts were not run, and why, as a sentence; empty where all were."""
    parts = []
    for part in manifest.left_out_parts:  # one may begin with the name of a factor
        name, blank, rest = part.replace(": ", ", because ", 1).partition(" ")
        if name in chapter.dictionary.factors:
            name = inside(chapter.factor_label(name))
        parts.append(f"{name}{blank}{rest}".replace(f" {GIVEN},", " on a path of the user's own,"))
    return f"Not run, although planned: {_HOW_TO.sub('', '; '.join(parts))}." if parts else ""


def marked_words(manifest: Manifest) -> str:
    """Say how many runs are marked, and why, as a sentence; empty where none is."""
    doubts = [
        {
            next((how for sign, how in _SIGNS.items() if sign in part), _DISTURBED)
            for part in entry.doubt.split("; ")
        }
        for entry in manifest.runs if entry.doubt
    ]  # fmt: skip
    if not doubts:
        return ""
    kinds = Counter(kind for of in doubts for kind in of)
    told = [f"{kind}: {kinds[kind]}" for kind in (*_SIGNS.values(), _DISTURBED) if kinds[kind]]
    if several := sum(len(of) > 1 for of in doubts):
        told.append(f"{'both' if len(kinds) == 2 else 'more than one of these'}: {several}")
    return f"Marked runs: {len(doubts)} of {len(manifest.runs)} ({', '.join(told)})."
