"""Build the Java harness, where a JDK and Maven are. Standard library only, as set-up needs it."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from roundtrip.errors import SetupError

LEAST_JAVA = 17
JAR = Path("harness/target/roundtrip-harness.jar")
_SOURCES = Path(__file__).resolve().parents[3]
PACKAGED = (
    _SOURCES / JAR if (_SOURCES / "harness" / "pom.xml").is_file()
    else Path(__file__).parents[1] / "_harness" / JAR.name
)  # fmt: skip
"""The jar for projects that do not build it: that of the package, or of its sources where the
package is used from them. Its libraries lie beside it, in ``lib``."""
REMEDY = f"sudo apt-get install openjdk-{LEAST_JAVA}-jdk-headless maven"
# Which sources a jar was made from, and which could not be built: beside the jar and in the cache.
_BUILT = Path("harness/target/built-from.sha256")
_FAILED = Path(".cache/harness-not-built.sha256")
_VERSION = re.compile(r"\b(\d+)(?:\.\d+)*")


@dataclass(frozen=True)
class Tool:
    """A program that the harness needs, and what it says of its version; empty if nothing."""

    program: str | None
    version: str

    @property
    def feature(self) -> int:
        """The first number of the version; 0 when there is none."""
        found = _VERSION.match(self.version)
        return int(found[1]) if found else 0


def find_tool(name: str) -> Tool:
    """Look for ``java``, ``javac`` or ``mvn`` and ask for its version."""
    program = shutil.which(name)
    # Maven colours its name where it thinks that someone looks.
    text = re.sub(r"\x1b\[[0-9;]*m", "", (program and said_of_version(program)) or "")
    found = _VERSION.search(text)
    return Tool(program, found[0] if found else "")


def said_of_version(program: str | Path) -> str | None:
    """Give what a program says when it is asked for its version; None where it does not run."""
    try:
        return subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=60, check=True,
            stdin=subprocess.DEVNULL,
        ).stdout  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return None


def can_build() -> bool:
    """Whether there is a new enough JDK, and Maven."""
    return find_tool("javac").feature >= LEAST_JAVA and bool(find_tool("mvn").version)


def sources_digest(root: Path) -> str:
    """Hash all that the jar is made from, with the names."""
    harness = root / "harness"
    files = [harness / "pom.xml", *sorted((harness / "src" / "main").rglob("*"))]
    content = hashlib.sha256()
    for file in files:
        if file.is_file():
            name = file.relative_to(harness).as_posix().encode()
            data = file.read_bytes()
            content.update(b"%d %s %d\n" % (len(name), name, len(data)) + data)
    return content.hexdigest()


def has_sources(root: Path) -> bool:
    """Whether a project has the sources of the load driver; others use the packaged jar."""
    return (root / "harness" / "pom.xml").is_file()


def is_current(root: Path) -> bool:
    """Whether the jar is there and was made from the sources as they are."""
    return (root / JAR).is_file() and _read(root / _BUILT) == sources_digest(root)


def build_harness(
    root: Path, run: Callable[..., None], say: Callable[[str], None], *, again: bool = False
) -> bool:
    """Build the jar unless it is current; say whether it is current now.

    Parameters
    ----------
    run : callable
        Runs a command, given with ``task=``, and raises SetupError when it fails.
    say : callable
        Is told before something that takes long.
    again : bool
        Try also what failed before; without it, sources that could not be built are left alone
        until they change, so that a machine without network does not try at every command.
    """
    if not has_sources(root):
        return False
    if is_current(root):
        return True
    wanted = sources_digest(root)
    if not again and _read(root / _FAILED) == wanted:
        return False
    if not can_build():
        return False
    _note(root / _FAILED, wanted)
    task = "building the load driver"
    say(f"{task} (the first time takes a minute)")
    run(
        "mvn", "--quiet", "--batch-mode", "--file", root / "harness" / "pom.xml",
        "-Dmaven.test.skip=true", "package", task=task,
    )  # fmt: skip
    _note(root / _BUILT, wanted)
    (root / _FAILED).unlink(missing_ok=True)
    return True


def try_harness(root: Path, run: Callable[..., None], say: Callable[[str], None]) -> None:
    """Build the load driver where that is possible; a report can be built without it."""
    try:
        build_harness(root, run, say)
    except SetupError as error:
        say(f"without the load driver, which campaigns need: {error.what}; again: make harness")


def need_harness(root: Path, run: Callable[..., None], say: Callable[[str], None]) -> None:
    """Build the load driver, or refuse where a JDK or Maven is missing or Maven fails."""
    if not build_harness(root, run, say, again=True):
        raise SetupError(
            f"no JDK {LEAST_JAVA} or newer, or no Maven, which the load driver is built with",
            remedy=REMEDY,
        )


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def _note(file: Path, digest: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".new")
    draft.write_text(digest + "\n", encoding="ascii")
    draft.replace(file)
