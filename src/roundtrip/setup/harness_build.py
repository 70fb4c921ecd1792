"""The Java harness: what it is built from and with, and its building in a checkout."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

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
# Which sources the jar beside it was made from.
_BUILT = Path("harness/target/built-from.sha256")
# Which sources were tried last: a machine without network does not try them at every command.
_TRIED = Path(".cache/harness-tried.sha256")
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


def recorded_digest(jar: Path) -> str:
    """Give the `sources_digest` of what a jar was made from, which is recorded beside it.

    Of a jar that came without its record the own hash is all that tells it from others.
    """
    record = jar.with_name(_BUILT.name)
    if record.is_file():
        return record.read_text("utf-8").strip()
    return hashlib.sha256(jar.read_bytes()).hexdigest()


def has_sources(root: Path) -> bool:
    """Whether a project has the sources of the load driver; others use the packaged jar."""
    return (root / "harness" / "pom.xml").is_file()


def is_current(root: Path) -> bool:
    """Whether the jar is there and was made from the sources as they are."""
    record = root / _BUILT
    return (
        (root / JAR).is_file()
        and record.is_file()
        and record.read_text("utf-8").strip() == sources_digest(root)
    )


def build_harness(root: Path, *, asked: bool) -> None:
    """Build the load driver with Maven, unless it is current.

    Where it is not `asked` for, a report can be built without it: then nothing is refused, and
    sources that could not be built are left alone until they change.
    """
    sources, tried = sources_digest(root), root / _TRIED
    if is_current(root):
        return
    if not asked and tried.is_file() and tried.read_text("utf-8") == sources:
        return
    if find_tool("javac").feature < LEAST_JAVA or not find_tool("mvn").version:
        if asked:
            sys.exit(f"no JDK {LEAST_JAVA} or newer, or no Maven; remedy: {REMEDY}")
        return
    tried.parent.mkdir(exist_ok=True)
    tried.write_text(sources, encoding="utf-8")
    print("building the load driver (the first time takes a minute)", flush=True)
    pom = str(root / "harness" / "pom.xml")
    done = subprocess.run(
        ["mvn", "--quiet", "--batch-mode", "--file", pom, "-Dmaven.test.skip=true", "package"],
        stdin=subprocess.DEVNULL,
    )
    if not done.returncode:
        (root / _BUILT).write_text(f"{sources}\n", encoding="utf-8")
        tried.unlink()
    elif asked:
        sys.exit("the load driver was not built")
    else:
        print("without the load driver, which campaigns need; to try again: make harness")


if __name__ == "__main__":
    build_harness(_SOURCES, asked="--if-possible" not in sys.argv)
