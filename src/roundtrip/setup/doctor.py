"""What this machine has for the work, what it lacks, and the command that mends it."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from packaging.requirements import Requirement

from roundtrip.errors import SetupError
from roundtrip.project import PACKAGE, Project, find_project
from roundtrip.setup.browser import browser_remedy, find_browser
from roundtrip.setup.harness_build import (
    JAR,
    LEAST_JAVA,
    PACKAGED,
    REMEDY,
    find_tool,
    has_sources,
    is_current,
    said_of_version,
)
from roundtrip.versions import LOCK, read_pins

State = Literal["present", "missing", "differs"]
ROOM_NEEDED = 500_000_000
_FROM_SOURCES = (PACKAGE.parents[1] / "pyproject.toml").is_file()
"""Whether the package is used from its sources, whose Makefile sets everything up."""
_AGAIN = (
    "make distclean setup" if _FROM_SOURCES else "pip install --force-reinstall roundtrip-*.whl"
)


@dataclass(frozen=True)
class Finding:
    """One thing that the work needs, and whether it is here.

    Attributes
    ----------
    needed_for : str
        What does not work without it.
    state : {"present", "missing", "differs"}
        ``differs`` means usable, but not as the checkout says it should be.
    found : str
        The version, or what else was seen.
    required : bool
        Whether a report cannot be built without it.
    remedy : str
        The command that mends it; empty when nothing needs mending.
    """

    name: str
    needed_for: str
    state: State
    found: str
    required: bool
    remedy: str = ""

    @property
    def blocks(self) -> bool:
        """Whether no report can be built because of this."""
        return self.required and self.state == "missing"


def examine(find: Callable[[], Project] = find_project) -> list[Finding]:
    """Look at everything that building a report and measuring need.

    Required things come first, in the order in which a build needs them.

    Parameters
    ----------
    find : callable, optional
        How to find the report project; from the working directory by default.
    """
    findings = [
        Finding("Python", "everything", "present", ".".join(map(str, sys.version_info[:3])), True)
    ]
    try:
        project = find()
    except SetupError as error:
        project = Project(Path.cwd())
        # Where none was named, it is the machine that is asked about.
        found, required = str(error).splitlines()[0], error.where is not None
        findings.append(
            Finding("Report project", "a build", "missing", found, required, error.remedy or "")
        )
    library = find_spec("pypandoc")
    files = library and library.origin and Path(library.origin).with_name("files")
    pandoc = files / "pandoc" if files else None
    findings += [
        _package("Roundtrip", "everything", "roundtrip"),
        _libraries(project), _room(project),
        _program(
            "Chrome or Chromium", "static figures", find_browser(), browser_remedy(), required=True
        ),
        _program("Pandoc", "text of HTML and PDF", pandoc, _AGAIN, required=True),
        _package("Typst", "the PDF", "typst"),
        # What a build can do without.
        _jupyterlab(),
        _program("Quarto", "the engine quarto", "quarto", "conda env create -f environment.yml"),
    ]  # fmt: skip
    return [*findings, *needs_of_campaigns(project)]


def compare_with_pins(pins: dict[str, str]) -> list[str]:
    """Say which of the installed packages are not as pinned, and how."""
    return [
        f"{name} {installed or 'not installed'} (pinned {version})"
        for name, version in pins.items()
        if (installed := _version(name)) != version
    ]


def unmet_requirements() -> list[str]:
    """List the package's own requirements that are not installed, or are too old."""
    unmet = []
    for text in metadata.requires("roundtrip") or []:
        requirement = Requirement(text)
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue  # of an optional group
        installed = _version(requirement.name)
        if installed is None or installed not in requirement.specifier:
            unmet.append(f"{requirement.name}{requirement.specifier}")
    return unmet


def _found(
    name: str, needed_for: str, here: bool, found: str, remedy: str, *, required: bool = False
) -> Finding:
    """Make a finding of what is here or missing, and needs its remedy only then."""
    if here:
        return Finding(name, needed_for, "present", found, required)
    return Finding(name, needed_for, "missing", found, required, remedy)


def _libraries(project: Project) -> Finding:
    """Look at the libraries: those that must be here, and whether all are the pinned ones."""
    name, lock = "Python libraries", project.root / LOCK
    if _version("roundtrip") and (unmet := unmet_requirements()):
        return Finding(name, "everything", "missing", f"no {_some(unmet)}", True, _AGAIN)
    if not lock.is_file():
        return Finding(name, "everything", "present", "as the package requires", True)
    pins = read_pins(lock.read_text(encoding="utf-8"))
    if different := compare_with_pins(pins):
        # A project of one's own pins libraries of the version that it was begun with.
        remedy = (
            f"pip install --requirement {LOCK}; after an upgrade, renew it first: "
            "'roundtrip docs install'"
        )
        if _FROM_SOURCES and project.root.resolve() == PACKAGE.parents[1]:
            remedy = "make distclean setup, then use .venv/bin/roundtrip"
        needed_for = "the same bytes for all"
        return Finding(name, needed_for, "differs", _some(different, most=1), True, remedy)
    return Finding(name, "everything", "present", f"{len(pins)}, as pinned", True)


def _room(project: Project) -> Finding:
    free = shutil.disk_usage(project.root).free
    return _found(
        "Disk space", "a build", free >= ROOM_NEEDED, f"{free / 1e9:,.1f} GB free",
        f"free {ROOM_NEEDED / 1e6:,.0f} MB (make clean helps)", required=True,
    )  # fmt: skip


def _jupyterlab() -> Finding:
    """Look for JupyterLab beside this environment and in it; starting it to ask takes seconds."""
    beside = Path(sys.prefix).with_name(".venv-lab").glob("lib/python*/site-packages")
    places = [*map(str, beside), *sys.path]
    found = next(iter(metadata.distributions(name="jupyterlab", path=places)), None)
    remedy = "make setup-lab" if _FROM_SOURCES else "pip install jupyterlab jupyterlab-myst"
    version = found.version if found else "not found"
    return _found("JupyterLab", "editing chapters", bool(found), version, remedy)


def _program(
    name: str, needed_for: str, command: str | Path | None, remedy: str, *, required: bool = False
) -> Finding:
    """Look at a program, by its path or its name, by asking for its version."""
    program = command and shutil.which(command)
    if not program:
        return Finding(name, needed_for, "missing", "not found", required, remedy)
    said = said_of_version(program)
    if said is None:
        return Finding(name, needed_for, "missing", f"{program} does not run", required, remedy)
    version = re.search(r"\d+(\.\d+)+", said)
    return Finding(name, needed_for, "present", version[0] if version else "present", required)


def _package(name: str, needed_for: str, package: str) -> Finding:
    """Look at a package without which there is no report."""
    version = _version(package)
    found = version or "not installed"
    return _found(name, needed_for, bool(version), found, _AGAIN, required=True)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _some(names: Iterable[str], most: int = 3) -> str:
    """Name the first few, and say how many more there are."""
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def needs_of_campaigns(project: Project) -> list[Finding]:
    """Look for what measuring needs: Java, what builds the load driver, and the driver itself.

    None is required: a report can be built without.
    """
    java, compiler, maven = (find_tool(name) for name in ("java", "javac", "mvn"))
    run, build = "campaigns (roundtrip run)", "building the load driver"
    findings = [
        _found(name, needed_for, usable, tool.version or "not found", REMEDY)
        for name, needed_for, usable, tool in (
            (f"Java {LEAST_JAVA}", run, java.feature >= LEAST_JAVA, java),
            ("JDK", build, compiler.feature >= LEAST_JAVA, compiler),
            ("Maven", build, bool(maven.version), maven),
        )
    ]
    if not (project.root / JAR).is_file() and PACKAGED.is_file():
        own = has_sources(project.root)
        found = "part of the package" + "; make harness builds this project's" * own
        driver = Finding("Load driver", run, "present", found, False)
        return [*(findings if own else findings[:1]), driver]
    current = is_current(project.root)
    found = "built from these sources" if current else "not built from these sources"
    return [*findings, _found("Load driver", run, current, found, "make harness")]
