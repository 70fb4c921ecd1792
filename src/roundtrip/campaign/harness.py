"""The Java harness: where its jar is, and the Java that runs it."""

from __future__ import annotations

import filecmp
import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from roundtrip.errors import SetupError
from roundtrip.project import Project
from roundtrip.setup.harness_build import (
    JAR,
    LEAST_JAVA,
    PACKAGED,
    REMEDY,
    find_tool,
    recorded_digest,
    sources_digest,
)

VERSIONS = "versions"
"""Folder beside the jar, with a folder for each further version of the broker."""
_MAIN = "roundtrip.harness.Main"
_VERSION = re.compile(r"\d+(\.\d+){1,3}")
_PROPERTY = re.compile(r"^ +(\S+) = (.*)$", re.MULTILINE)
OF_JAVA: Mapping[str, tuple[str, ...]] = {
    "java": ("java.runtime.version",), "jvm": ("java.vm.name", "java.vendor"),
}  # fmt: skip
"""What brokers and drivers tell of their Java, and the properties that they read it from."""


@dataclass(frozen=True)
class Harness:
    """What starts a part of the harness.

    Attributes
    ----------
    root : Path
        Folder of the project.
    sources : str
        Hash of the sources that stand beside the jar, or that the packaged jar was made from.
    libraries : Path or None
        Folder of libraries to use instead of those that the jar names.
    """

    java: Path
    jar: Path
    root: Path
    sources: str
    libraries: Path | None = None

    def of_version(self, version: object) -> Harness:
        """Give the harness with another version of Apache Artemis beside its jar.

        None, or the version that it is built with, gives this one; `SetupError` says that another
        has not been fetched.
        """
        if version is None or (self.jar.parent / "lib" / f"artemis-server-{version}.jar").is_file():
            return self
        jar = self.jar.parent / VERSIONS / str(version) / self.jar.name
        known = _VERSION.fullmatch(str(version)) and jar.is_file()
        if not known or not filecmp.cmp(self.jar, jar, shallow=False):
            raise SetupError(
                f"Apache Artemis {version} is not installed with the current build of the "
                "load driver",
                remedy=f"make harness-versions VERSIONS={version}",
            )
        return replace(self, jar=jar, libraries=jar.parent / "lib")

    def lacks_version(self, version: object) -> str | None:
        """Say why there is no such version of Apache Artemis, or None."""
        try:
            self.of_version(version)
        except SetupError as problem:
            return f"{problem.what} ({problem.remedy})"
        return None

    def command(self, part: str, options: tuple[str, ...], jvm: tuple[str, ...]) -> list[str]:
        """Give the command line of one part: ``broker``, ``drive``, ``proxy`` or ``loopback``."""
        start = ["-jar", str(self.jar)]
        if self.libraries is not None:
            # The jar names the libraries that it was built with; here others stand beside it.
            start = ["-cp", f"{self.jar}{os.pathsep}{self.libraries}{os.sep}*", _MAIN]
        return [str(self.java), *jvm, *start, part, *options]

    def about_java(self) -> dict[str, str]:
        """Give version and virtual machine of Java as its parts tell them, where Java tells."""
        try:
            asked = subprocess.run(
                [str(self.java), "-XshowSettings:properties", "-version"], capture_output=True,
                text=True, timeout=60, check=True, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError):
            return {}
        told = dict(_PROPERTY.findall(asked.stderr))
        return {
            name: ", ".join(told[key] for key in keys)
            for name, keys in OF_JAVA.items() if told.keys() >= {*keys}
        }  # fmt: skip


def find_harness(project: Project) -> Harness:
    """Find Java and the jar of the harness.

    Raises
    ------
    SetupError
        If either is missing or Java is too old; everything but campaigns works without them.
    """
    java = find_tool("java")
    if java.program is None or java.feature < LEAST_JAVA:
        found = f"{java.program} is Java {java.version or 'of an unknown version'}"
        raise SetupError(
            f"{found if java.program else 'Java is not on PATH'}; campaigns need it, everything "
            "else works without",
            allowed=f"Java {LEAST_JAVA} or newer",
            remedy=f"{REMEDY}, put it first on PATH, then make setup",
        )
    jar = project.root / JAR
    if jar.is_file():
        return Harness(Path(java.program), jar, project.root, sources_digest(project.root))
    if not PACKAGED.is_file():
        raise SetupError(
            "the load driver is not built",
            where=project.relative(jar),
            remedy="make harness builds it in a checkout where a JDK and Maven are installed; "
            "elsewhere install a wheel of roundtrip that carries it ('roundtrip docs install')",
        )  # fmt: skip
    return Harness(Path(java.program), PACKAGED, project.root, recorded_digest(PACKAGED))
