"""Notice when a file changes that a report is built from."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from roundtrip.project import Project
from roundtrip.publish.manifest import input_files

Stamps = dict[str, tuple[int, int]]
"""Name of a file, below the project or as given, to when it was changed last, and its size."""

_INTERVAL = 0.15


def stamps_of(project: Project, given: Sequence[Path] = ()) -> Stamps:
    """Give when each file was changed that a report or an edition is made from.

    Parameters
    ----------
    given : sequence of Path, optional
        Files with parameters, which may lie anywhere.
    """
    params = sorted(project.params.rglob("*.yml"))
    named = input_files(project) | {project.relative(path): path for path in params}
    found = {}
    for name, path in (named | {str(path): path for path in given}).items():
        try:
            status = path.stat()
        except FileNotFoundError:
            continue  # replaced at this moment: the next look finds it
        found[name] = status.st_mtime_ns, status.st_size
    return found


def next_change(
    project: Project,
    before: Stamps,
    given: Sequence[Path] = (),
    pause: Callable[[float], None] = time.sleep,
) -> set[str]:
    """Wait until files differ from what they were, and have come to rest.

    Parameters
    ----------
    before : dict
        From `stamps_of`, taken before the files were read.
    given : sequence of Path, optional
        As for `stamps_of`.
    pause : callable, optional
        Waits for some seconds.

    Returns
    -------
    set of str
        Names of the files that are new, gone or changed.
    """
    last = before
    while True:
        now = stamps_of(project, given)
        changed = {name for name, _ in now.items() ^ before.items()}
        if changed and now == last:
            return changed
        last = now
        pause(_INTERVAL)
