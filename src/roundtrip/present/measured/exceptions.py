"""Which runs of a campaign are marked, replaced, failed, interrupted or missing."""

from __future__ import annotations

import re

from roundtrip.campaign.derive import marked_words
from roundtrip.campaign.manifest import Manifest
from roundtrip.campaign.settable import GIVEN
from roundtrip.outputs import escape_markdown
from roundtrip.present.chapter import Chapter
from roundtrip.present.levels import inside
from roundtrip.sections import RUNS

_HOW_TO = re.compile(r" \(-p [^)]*\)")
"""How to run a part that was left out: for those who run the plan, not for readers of results."""
_REASONS = ", with reasons in the list of every run"


def exceptions_words(chapter: Chapter, manifest: Manifest) -> str:
    """Say which runs are marked, replaced or broken off; empty where none is."""
    told = [marked_words(manifest)]
    listed = bool(manifest.failed) and RUNS in chapter.sections
    interrupted = sum(entry.interrupted for entry in manifest.failed)
    for what, count in (
        ("Excluded from the means, as their points have enough other runs", len(manifest.replaced)),
        (f"Failed attempts{_REASONS * listed}", len(manifest.failed) - interrupted),
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
