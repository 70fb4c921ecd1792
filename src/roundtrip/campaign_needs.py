"""What this machine has for campaigns, and what it lacks."""

from __future__ import annotations

from collections.abc import Callable

from roundtrip.errors import SetupError
from roundtrip.findings import Finding, State
from roundtrip.harness_build import LEAST_JAVA, PACKAGED, REMEDY, find_tool, has_sources, is_current
from roundtrip.project import Project


def needs_of_campaigns(find: Callable[[], Project]) -> list[Finding]:
    """Look for what measuring needs: Java, what builds the load driver, and the driver itself.

    Parameters
    ----------
    find : callable
        How to find the report project.

    Returns
    -------
    list of Finding
        None of them required: a report can be built without.
    """
    java, compiler, maven = (find_tool(name) for name in ("java", "javac", "mvn"))
    run, build = "campaigns (roundtrip run)", "building the load driver"
    runs = _from_tool(f"Java {LEAST_JAVA}", run, java.feature >= LEAST_JAVA, java.version)
    findings = [
        runs,
        _from_tool("JDK", build, compiler.feature >= LEAST_JAVA, compiler.version),
        _from_tool("Maven", build, bool(maven.version), maven.version),
    ]
    try:
        root = find().root
    except SetupError:
        return findings
    if not has_sources(root) and PACKAGED.is_file():
        return [runs, Finding("Load driver", run, "present", "part of the package", False, "")]
    current = is_current(root)
    state: State = "present" if current else "missing"
    found = "built from these sources" if current else "not built from these sources"
    remedy = "" if current else "make harness"
    return [*findings, Finding("Load driver", run, state, found, False, remedy)]


def _from_tool(name: str, needed_for: str, usable: bool, version: str) -> Finding:
    if usable:
        return Finding(name, needed_for, "present", version, False)
    return Finding(name, needed_for, "missing", version or "not found", False, REMEDY)
