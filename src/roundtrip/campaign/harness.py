"""The Java harness: where its jar is, and the Java that runs it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from roundtrip.errors import SetupError
from roundtrip.harness_build import JAR, LEAST_JAVA, REMEDY, find_tool, sources_digest
from roundtrip.project import Project


@dataclass(frozen=True)
class Harness:
    """What starts a part of the harness.

    Attributes
    ----------
    java, jar : Path
    root : Path
        Folder of the project.
    sources : str
        Hash of the sources that stand beside the jar.
    """

    java: Path
    jar: Path
    root: Path
    sources: str

    def command(self, part: str, options: tuple[str, ...], jvm: tuple[str, ...]) -> list[str]:
        """Give the command line of one part, such as ``broker``, ``drive`` or ``proxy``."""
        return [str(self.java), *jvm, "-jar", str(self.jar), part, *options]


def find_harness(project: Project) -> Harness:
    """Find Java and the jar of the harness.

    Raises
    ------
    SetupError
        If either is missing or Java is too old; everything but campaigns works without them.
    """
    java = find_tool("java")
    if java.program is None:
        raise SetupError(
            "Java is not on PATH; campaigns need it, everything else works without",
            allowed=f"Java {LEAST_JAVA} or newer",
            remedy=f"{REMEDY}, then make setup",
        )
    if java.feature < LEAST_JAVA:
        raise SetupError(
            f"{java.program} is Java {java.version or 'of an unknown version'}",
            allowed=f"Java {LEAST_JAVA} or newer",
            remedy=f"{REMEDY}, or put a newer one first on PATH",
        )
    jar = project.root / JAR
    if not jar.is_file():
        raise SetupError(
            "the load driver is not built",
            where=project.relative(jar),
            remedy="make harness builds it where a JDK and Maven are installed, and so does make "
            "setup",
        )
    return Harness(Path(java.program), jar, project.root, sources_digest(project.root))
