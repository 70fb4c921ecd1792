"""The Java harness: where its jar is, and the Java that runs it."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from roundtrip.errors import SetupError
from roundtrip.project import Project

LEAST_JAVA = 17
JAR = Path("harness") / "target" / "roundtrip-harness.jar"
_VERSION = re.compile(r'version "(\d+)(?:\.(\d+))?')


@dataclass(frozen=True)
class Harness:
    """What starts a part of the harness.

    Attributes
    ----------
    java, jar : Path
    """

    java: Path
    jar: Path

    def command(self, part: str, options: tuple[str, ...], jvm: tuple[str, ...]) -> list[str]:
        """Give the command line of one part: ``broker``, ``drive``, ``proxy`` or ``loopback``."""
        return [str(self.java), *jvm, "-jar", str(self.jar), part, *options]


def find_harness(project: Project) -> Harness:
    """Find Java and the jar of the harness.

    Raises
    ------
    SetupError
        If either is missing or Java is too old; everything but campaigns works without them.
    """
    program = shutil.which("java")
    if program is None:
        raise SetupError(
            "Java is not on PATH; campaigns need it, everything else works without",
            allowed=f"Java {LEAST_JAVA} or newer",
            remedy=f"sudo apt-get install openjdk-{LEAST_JAVA}-jdk-headless maven, then make setup",
        )
    version = java_version(Path(program))
    if version < LEAST_JAVA:
        raise SetupError(
            f"{program} is Java {version}",
            allowed=f"Java {LEAST_JAVA} or newer",
            remedy=f"sudo apt-get install openjdk-{LEAST_JAVA}-jdk-headless, or put it first on "
            "PATH",
        )
    jar = project.root / JAR
    if not jar.is_file():
        raise SetupError(
            "the load driver is not built",
            where=project.relative(jar),
            remedy="make setup builds it where a JDK and Maven are installed (mvn -f harness "
            "package)",
        )
    return Harness(Path(program), jar)


def java_version(program: Path) -> int:
    """Ask a Java for its feature version; 0 when it does not say."""
    try:
        answer = subprocess.run(
            [program, "-version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise SetupError(f"{program} does not start: {problem}") from problem
    found = _VERSION.search(answer.stderr + answer.stdout)
    if found is None:
        return 0
    major = int(found[1])
    return int(found[2] or 0) if major == 1 else major
