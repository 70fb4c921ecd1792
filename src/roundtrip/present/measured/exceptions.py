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
    "not steady": "not steady when measurement began",
    "settled only": "not settled when measurement began",
    "ms behind": "behind schedule", "never answered": "short of replies",
    "never ended": "without a full account",
}  # fmt: skip
"""Words in the doubt about a run, to what the run was; any other doubt says what disturbed it."""
_DISTURBED = "disturbed"


def exceptions_words(chapter: Chapter, manifest: Manifest) -> str:
    """Say which runs are marked, replaced, broken off or missing; a blank ends each sentence."""
    parts = [marked_words(manifest)]
    if count := len(manifest.replaced):
        which = f"{count} of them are"
        if count == sum(1 for entry in manifest.runs if entry.doubt):
            which = {1: "It is", 2: "Both are"}.get(count, "All of them are")
        elif count == 1:
            which = "One of them is"
        rest = "its point has" if count == 1 else "their points have"
        parts.append(f"{which} excluded from the means: {rest} enough other runs. ")
    if manifest.failed:
        parts.append(f"{broke_off(manifest)} ")
    if manifest.state != "complete":
        why = escape_markdown(str(manifest.why_stopped))
        parts.append(f"The campaign was stopped early: {why}. ")
    if manifest.left_out_parts:
        told = []
        for part in manifest.left_out_parts:  # one may begin with the name of a factor
            name, blank, rest = part.replace(": ", ", because ", 1).partition(" ")
            if name in chapter.dictionary.factors:
                name = inside(chapter.factor_label(name))
            told.append(
                f"{name}{blank}{rest}".replace(f" {GIVEN},", " on a path of the user's own,")
            )
        reasons = escape_markdown(_HOW_TO.sub("", "; ".join(told)))
        parts.append(f"Not run, although planned: {reasons}. ")
    return "".join(parts)


def marked_words(manifest: Manifest) -> str:
    """Say how many runs are marked, and why; a blank ends the sentence, empty where none is."""
    # A run may be several of these.
    doubts = [
        {
            next((how for sign, how in _SIGNS.items() if sign in part), _DISTURBED)
            for part in entry.doubt.split("; ")
        }
        for entry in manifest.runs if entry.doubt
    ]  # fmt: skip
    if not doubts:
        return ""
    doubted = len(doubts)
    kinds = Counter(how for doubt in doubts for how in doubt)
    every = dict.fromkeys((*_SIGNS.values(), _DISTURBED))
    found = [(kinds[how], how) for how in every if kinds[how]]
    if len(found) == 1:
        why = f", because {'it was' if doubted == 1 else 'they were'} {found[0][1]}"
    else:
        why = ": " + ", ".join(f"{n} {'was' if n == 1 else 'were'} {how}" for n, how in found)
        if several := sum(len(doubt) > 1 for doubt in doubts):
            why += f"; {several} for {'both' if len(found) == 2 else 'several'} reasons"
    verb = "is" if doubted == 1 else "are"
    return f"{doubted} of {len(manifest.runs)} runs {verb} marked{why}. "


def broke_off(manifest: Manifest) -> str:
    """Say how many attempts failed, and how many were interrupted; empty where none broke off."""
    interrupted = sum(entry.interrupted for entry in manifest.failed)
    failed = len(manifest.failed) - interrupted
    told = []
    if failed == 1:
        told.append("One attempt failed; its reason is in the list of every run.")
    elif failed:
        told.append(f"{failed} attempts failed; their reasons are in the list of every run.")
    if interrupted:
        were = "One attempt was" if interrupted == 1 else f"{interrupted} attempts were"
        told.append(f"{were} interrupted with the runner, which is no failure.")
    return " ".join(told)
