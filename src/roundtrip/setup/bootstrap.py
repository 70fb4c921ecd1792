"""Set up a checkout: virtual environments, pinned packages, a browser, the load driver.

Runs before anything is installed, as ``python3 -m roundtrip.setup.bootstrap base`` (or ``hosts``,
``dev``, ``lab``, ``harness``) with ``src`` on the path, so it uses nothing but the standard
library. What is already as it should be is left alone: a second run takes a fraction of a second.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from roundtrip.errors import SetupError
from roundtrip.setup.browser import browser_remedy, find_browser
from roundtrip.setup.harness_build import (
    LEAST_JAVA,
    REMEDY,
    can_build,
    is_current,
    note_built,
    sources_digest,
)
from roundtrip.setup.installing import diagnose, own_variables

ROOT = Path(__file__).resolve().parents[3]
LOG = ROOT / ".cache" / "setup.log"
# Which sources of the load driver could not be built.
FAILED = Path(".cache/harness-not-built.sha256")


@dataclass(frozen=True)
class Environment:
    """A virtual environment, with a record of what was put into it."""

    folder: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    @property
    def record(self) -> Path:
        """What was installed: a digest for each lock file and for the package itself."""
        return self.folder / "roundtrip-setup.json"

    def installed(self) -> dict[str, str]:
        """Read the record; empty when the environment is missing, broken or half made."""
        try:
            record = json.loads(self.record.read_text(encoding="utf-8"))
            subprocess.run([self.python, "-c", "pass"], check=True, capture_output=True)
        except (OSError, ValueError, subprocess.CalledProcessError):
            return {}
        return {str(key): str(value) for key, value in record.items()}

    def note(self, record: dict[str, str]) -> None:
        """Write the record, whole or not at all."""
        draft = self.record.with_suffix(".new")
        draft.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
        draft.replace(self.record)


REPORT = Environment(ROOT / ".venv")
LAB = Environment(ROOT / ".venv-lab")


def say(text: str) -> None:
    """Tell the user what takes time."""
    print(f"setup: {text}", flush=True)


def run(*command: str | Path, task: str) -> None:
    """Run one step and turn a failure into an error with its remedy."""
    environment = {**own_variables(), "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace",
    )  # fmt: skip
    if done.returncode:
        with suppress(OSError):
            LOG.write_text(f"{task}\n\n{done.stdout}", encoding="utf-8")
        raise diagnose(task, done.stdout, LOG.relative_to(ROOT))


def digest(*files: Path, extra: str = "") -> str:
    """Hash what an installation depends on."""
    content = b"\0".join(file.read_bytes() for file in files)
    return hashlib.sha256(content + extra.encode()).hexdigest()


def apt_get() -> list[str]:
    """Give how apt-get is called without being asked for a password; nothing where it cannot be."""
    if not shutil.which("apt-get"):
        return []
    if os.geteuid() == 0:
        return ["apt-get"]
    if not shutil.which("sudo"):
        return []
    asked = subprocess.run(["sudo", "-n", "true"], stdin=subprocess.DEVNULL, capture_output=True)
    return [] if asked.returncode else ["sudo", "-n", "apt-get"]


def apt_install(package: str) -> None:
    """Install a Debian package where that can be done, with new package lists only when needed."""
    if not (command := apt_get()):
        return
    say(f"installing {package} with apt-get")
    task = f"installing the Debian package {package}"
    install = [*command, "install", "-y", "-qq", "--no-install-recommends", package]
    try:
        run(*install, task=task)
    except SetupError:
        run(*command, "update", "-qq", task="refreshing the list of Debian packages")
        run(*install, task=task)


def need_venv_module() -> None:
    """Make sure that this Python can make environments: Debian packages that part alone."""
    if importlib.util.find_spec("ensurepip"):
        return
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    apt_install(package)
    importlib.invalidate_caches()
    if not importlib.util.find_spec("ensurepip"):
        raise SetupError(
            "this Python cannot make virtual environments (its module ensurepip is missing)",
            remedy=f"sudo apt-get install {package}",
        )


def install(environment: Environment, *locks: Path) -> None:
    """Bring an environment to what lock files say, of which the last includes the others whole.

    It is made anew when one of them has changed, since pip removes nothing.
    """
    wanted = {lock.name: digest(lock) for lock in locks}
    if not environment.folder.resolve().is_relative_to(ROOT.resolve()):
        raise SetupError(
            f"{environment.folder.name} leads to {environment.folder.resolve()}, which another "
            "checkout may use",
            remedy=f"remove the link {environment.folder}, then run the command again",
        )
    have = environment.installed()
    if wanted.items() <= have.items():
        return
    need_venv_module()
    if not have or any(have.get(name, value) != value for name, value in wanted.items()):
        say(f"making {environment.folder.name} with Python {sys.version.split()[0]}")
        have = {}
        run(
            *(sys.executable, "-P", "-m", "venv", "--clear", "--prompt", "roundtrip"),
            environment.folder,
            task=f"making the virtual environment {environment.folder.name}",
        )
    lock = locks[-1]
    count = sum("==" in line for line in lock.read_text(encoding="utf-8").splitlines())
    say(f"installing the packages of {lock.name} (about {count}; the first time takes a minute)")
    run(
        *(environment.python, "-P", "-m", "pip", "install", "--quiet", "--no-input", "--no-deps"),
        *("--disable-pip-version-check", "--only-binary=:all:"),
        *("--require-hashes", "--requirement", lock),
        task=f"installing the packages of {lock.name}",
    )
    environment.note({**have, **wanted})


def install_package() -> None:
    """Install Roundtrip itself into the report's environment, so that edits take effect at once."""
    have = REPORT.installed()
    wanted = digest(ROOT / "pyproject.toml", extra=str(ROOT))
    if have.get("roundtrip") == wanted:
        return
    say("installing roundtrip")
    run(
        *(REPORT.python, "-P", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
        *("--no-input", "--no-index", "--no-deps", "--no-build-isolation", "--editable", ROOT),
        task="installing roundtrip itself",
    )
    # Where Python is not to write bytecode, every command would compile it anew.
    run(
        *(REPORT.python, "-P", "-m", "compileall", "-qq", ROOT / "src"),
        task="compiling roundtrip",
    )
    REPORT.note({**have, "roundtrip": wanted})


def need_browser() -> None:
    """Make sure that there is a browser of the Chrome family."""
    if find_browser():
        return
    if "BROWSER_PATH" not in os.environ:
        apt_install("chromium")
    if not find_browser():
        raise SetupError(
            "no Chrome, Chromium or Edge found, which draws the static figures",
            remedy=browser_remedy(),
        )


def install_lab() -> None:
    """Set up JupyterLab beside the report's environment, with that environment as its kernel."""
    kernel = REPORT.folder / "share" / "jupyter" / "kernels" / "python3" / "kernel.json"
    install(LAB, ROOT / "requirements-lab.lock")
    # As shipped, the kernel is "python", which JupyterLab takes to be its own.
    if str(REPORT.python) not in kernel.read_text(encoding="utf-8"):
        run(
            *(REPORT.python, "-m", "ipykernel", "install", "--sys-prefix"),
            task="registering the kernel for JupyterLab",
        )
    # It would offer news, and ask a server for them and for updates.
    if not (LAB.folder / "etc" / "jupyter" / "labconfig" / "page_config.json").exists():
        run(
            *(LAB.python, "-P", "-m", "jupyterlab.labextensions", "disable"),
            "@jupyterlab/apputils-extension:announcements",
            task="turning off news in JupyterLab",
        )


def build_harness(*, asked: bool) -> None:
    """Build the load driver where that is possible, unless it is current.

    Parameters
    ----------
    asked : bool
        Whether it is this that somebody wants: then it is refused where a JDK or Maven is missing
        or Maven fails. Otherwise a report can be built without it, and sources that could not be
        built are left alone until they change, so that a machine without network does not try at
        every command.
    """
    if is_current(ROOT):
        return
    sources, failed = sources_digest(ROOT), ROOT / FAILED
    if not asked and failed.is_file() and failed.read_text("utf-8") == sources:
        return
    if not can_build():
        if asked:
            raise SetupError(
                f"no JDK {LEAST_JAVA} or newer, or no Maven, which the load driver is built with",
                remedy=REMEDY,
            )
        return
    failed.write_text(sources, encoding="utf-8")
    task = "building the load driver"
    say(f"{task} (the first time takes a minute)")
    try:
        run(
            "mvn", "--quiet", "--batch-mode", "--file", ROOT / "harness" / "pom.xml",
            "-Dmaven.test.skip=true", "package", task=task,
        )  # fmt: skip
    except SetupError as error:
        if asked:
            raise
        say(f"without the load driver, which campaigns need: {error.what}; again: make harness")
    else:
        note_built(ROOT, sources)
        failed.unlink()


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Keep two runs from writing into one environment."""
    try:
        (ROOT / ".cache").mkdir(exist_ok=True)
        with (ROOT / ".cache" / "setup.lock").open("w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise SetupError(
            f"cannot use {error.filename or ROOT}: {error.strerror}",
            remedy="make the folder writable and free disk space, restore what is missing with "
            "git checkout, or use a clone elsewhere",
        ) from error


def set_up(group: str) -> None:
    """Set up all that a group of commands needs.

    Parameters
    ----------
    group : str
        ``base`` for building reports, ``hosts`` for work over several hosts as well, ``dev`` for
        the tests as well, ``lab`` for JupyterLab, ``harness`` for the load driver alone.
    """
    base, hosts, dev = (ROOT / f"requirements{name}.lock" for name in ("", "-hosts", "-dev"))
    locks = {"hosts": (base, hosts), "dev": (base, hosts, dev)}.get(group, (base,))
    with one_at_a_time():
        if group != "harness":
            install(REPORT, *locks)
            install_package()
            if group == "lab":
                install_lab()
            need_browser()
        build_harness(asked=group == "harness")


def main() -> int:
    """Set up the group named on the command line; one line says why when that is impossible."""
    try:
        set_up(sys.argv[1] if len(sys.argv) > 1 else "base")
    except SetupError as error:
        print(f"setup stopped: {error.what}; remedy: {error.remedy}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("setup stopped: interrupted; run the same command to go on", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
