"""Puts load driver and guides into the wheel: an installed package measures and explains."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Carried(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the jar and its libraries as ``roundtrip/_harness``, ``docs`` as ``roundtrip/_docs``.

    Beside the jar is the hash of the sources that it was made from.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the files for the wheel; an environment of the checkout finds them where they are.

        Raises
        ------
        SystemExit
            If the load driver is not built.
        """
        if version == "editable":
            return
        target = Path(self.root) / "harness" / "target"
        jar, sources = target / "roundtrip-harness.jar", target / "built-from.sha256"
        libraries = sorted((target / "lib").glob("*.jar"))
        if not jar.is_file() or not sources.is_file() or not libraries:
            raise SystemExit(
                f"no wheel is made: there is no load driver in {target}\n"
                "  remedy: make wheel, or make harness before (with a JDK and Maven)"
            )
        build_data["force_include"] |= {
            str(file): f"roundtrip/_harness/{file.relative_to(target).as_posix()}"
            for file in (jar, sources, *libraries)
        } | {
            str(page): f"roundtrip/_docs/{page.name}"
            for page in sorted((Path(self.root) / "docs").glob("*.md"))
        }
