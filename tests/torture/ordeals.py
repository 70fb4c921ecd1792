"""What the machine and its user may do to a project: kill, change bytes, fill the disk.

Each attack says in a word what came of it, or fails where that must not be.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import string
import subprocess
import time
from pathlib import Path
from random import Random

import psutil

from torture.grounds import (
    BUILD,
    CAMPAIGN,
    INGEST,
    PAPERS,
    Grounds,
    await_end,
    differences,
    run,
    start,
)
from workshop import refused, tree_of


def kill(grounds: Grounds, place: Path, chance: Random) -> str:
    """Kill a build or an ingest; the next one gives what an undisturbed one does."""
    project = grounds.project(place)
    building = chance.random() < 0.75
    paper = chance.choice(PAPERS)
    command = (*BUILD, "-p", "paper", paper) if building else INGEST
    for kept in sorted(project.cache.iterdir()):
        if chance.random() < 0.3:
            shutil.rmtree(kept) if kept.is_dir() else kept.unlink()
    process = start(project, *command)
    time.sleep(chance.uniform(0.2, 0.7 * grounds.seconds[command[0]]))
    try:
        children = psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        children = []
    late = process.poll() is not None
    whole_group = chance.random() < 0.5
    if not late:
        os.killpg(process.pid, signal.SIGKILL) if whole_group else process.kill()
    await_end(process, children)
    done = run(project, *command)
    assert done.returncode == 0, done.stderr
    if building:
        assert differences(tree_of(project.reports), grounds.reports[paper]) == []
    else:
        assert differences(tree_of(project.campaigns / "lab"), grounds.ingested) == []
    left = [str(path.relative_to(place)) for path in (place / "tmp").rglob("*")]
    assert left == [], "temporary files are left"
    return "killed too late" if late else f"same bytes after a killed {command[0]}"


def change(grounds: Grounds, place: Path, chance: Random) -> str:
    """Change a byte of what is kept, built or measured; nobody ever sees other content."""
    project = grounds.project(place)
    where = chance.choice((project.cache, project.reports, project.campaigns / CAMPAIGN / "raw"))
    files = [path for path in sorted(where.rglob("*")) if path.is_file() and path.stat().st_size]
    path = chance.choice(files)
    content = bytearray(path.read_bytes())
    # A digit or a letter where there is one: the file then still reads well.
    letters = [m.start() for m in re.finditer(rb"[0-9A-Za-z]", content)] or range(len(content))
    at = chance.choice(letters)
    others = (string.digits if chr(content[at]).isdigit() else string.ascii_letters).encode()
    content[at] = chance.choice([byte for byte in others if byte != content[at]])
    path.write_bytes(content)
    name = path.relative_to(project.root)
    what = "raw files" if where.name == "raw" else where.name
    done = run(project, *BUILD, "-p", "paper", chance.choice(PAPERS))
    if where.name == "raw":
        refused(done, path.name)
        return f"refused ({what})"
    assert done.returncode == 0, done.stderr
    said = str(run(project, "data", "observations").stdout)
    assert said == grounds.observations, f"{name} at {at}: other observations"
    found = tree_of(project.reports)
    wanted = min(grounds.reports.values(), key=lambda report: len(differences(found, report)))
    assert differences(found, wanted) == [], f"{name} at {at}"
    return f"same bytes ({what})"


def disk(grounds: Grounds, place: Path, chance: Random) -> str:
    """Let the disk get full; what was there stays whole, and with room all is as it should be."""
    command = (*BUILD, "-p", "paper", "letter")
    if os.geteuid() == 0 and chance.random() < 0.7:
        mount = ["mount", "-t", "tmpfs", "-o", "size=500m", "tmpfs", str(place)]
        subprocess.run(mount, check=True)
        project = grounds.project(place)
        left = int(10 ** chance.uniform(3, 7))
        status = os.statvfs(place)
        (place / "filler").write_bytes(bytes(max(0, status.f_bavail * status.f_frsize - left)))
        done = run(project, *command)
        (place / "filler").unlink()
    else:
        most = int(10 ** chance.uniform(2, 6.5))

        def limit() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        project = grounds.project(place)
        done = run(project, *command, preexec_fn=limit)
    enough = done.returncode == 0
    if not enough:
        refused(done)
        assert differences(tree_of(project.reports), grounds.reports["a4"]) == []
        again = run(project, *command)
        assert again.returncode == 0, again.stderr
    assert differences(tree_of(project.reports), grounds.reports["letter"]) == []
    return "room enough" if enough else "refused, old report whole, built with room"
