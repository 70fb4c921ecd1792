"""What texts may do to a project: act rather than be shown."""

from __future__ import annotations

import string
from pathlib import Path
from random import Random

from hostile import HIDDEN, TEXTS, Markup, plant
from torture.grounds import BUILD, Grounds, run
from workshop import refused


def hostile(grounds: Grounds, place: Path, chance: Random) -> str:
    """Put a text that tries to act wherever a project takes one."""
    project = grounds.project(place)
    pieces = [*chance.sample(TEXTS, 5), "".join(chance.choices(string.punctuation, k=6))]
    chance.shuffle(pieces)
    hidden = chance.random() < 0.2
    if hidden:
        pieces.insert(chance.randrange(6), chance.choice(HIDDEN))
    text = " ".join(pieces)
    plant(project, text)
    done = run(project, *BUILD)
    if hidden or done.returncode:
        refused(done)
        assert not set(done.stderr) & {word[0] for word in HIDDEN}
        return "hidden characters refused" if hidden else "refused"
    for page in (project.reports / "0.1.0").glob("html/**/*.html"):
        assert not Markup(page.read_text(encoding="utf-8")).foreign, (page.name, text)
    page = project.reports / "0.1.0" / "html" / "10-peaks.html"
    assert Markup(page.read_text(encoding="utf-8")).text.count(text) >= 4, text
    return "shown as words"
