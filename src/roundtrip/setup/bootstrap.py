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
from roundtrip.setup.harness_build import need_harness, try_harness
from roundtrip.setup.installing import diagnose, own_variables

ROOT = Path(__file__).resolve().parents[3]
LOG = ROOT / ".cache" / "setup.log"
# Bytes for a new environment, and for more packages in one that is there.
ROOM_FOR_ALL, ROOM_FOR_MORE = 1_500_000_000, 500_000_000
# Tests of libraries are a third of all modules, and no kernel imports them.
NOT_COMPILED = r"[/\\]tests?[/\\]"


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


def can_use_apt() -> bool:
    """Whether packages can be installed with apt without asking for a password."""
    if not shutil.which("apt-get"):
        return False
    if os.geteuid() == 0:
        return True
    if not shutil.which("sudo"):
        return False
    asked = subprocess.run(["sudo", "-n", "true"], stdin=subprocess.DEVNULL, capture_output=True)
    return asked.returncode == 0


def apt_install(package: str) -> None:
    """Install a Debian package, refreshing the package lists only when that is needed."""
    say(f"installing {package} with apt-get")
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    task = f"installing the Debian package {package}"
    install = [*prefix, "apt-get", "install", "-y", "-qq", "--no-install-recommends", package]
    try:
        run(*install, task=task)
    except SetupError:
        run(*prefix, "apt-get", "update", "-qq", task="refreshing the list of Debian packages")
        run(*install, task=task)


def need_venv_module() -> None:
    """Make sure that this Python can make environments: Debian packages that part alone."""
    if importlib.util.find_spec("ensurepip"):
        return
    package = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    if can_use_apt():
        apt_install(package)
        importlib.invalidate_caches()
    if not importlib.util.find_spec("ensurepip"):
        raise SetupError(
            "this Python cannot make virtual environments (its module ensurepip is missing)",
            remedy=f"sudo apt-get install {package}",
        )


def need_room(needed: int) -> None:
    """Refuse to start what a nearly full disk would stop halfway."""
    free = shutil.disk_usage(ROOT).free
    if free < needed:
        raise SetupError(
            f"only {free / 1e6:,.0f} MB are free on the disk of this folder",
            remedy=f"free at least {needed / 1e6:,.0f} MB, then run the command again",
        )


def install(environment: Environment, lock: Path, includes: tuple[Path, ...] = ()) -> None:
    """Bring an environment to what a lock file says, and other locks that this one includes whole.

    It is made anew when a lock has changed, since pip removes nothing.
    """
    wanted = {file.name: digest(file) for file in (*includes, lock)}
    if not environment.folder.resolve().is_relative_to(ROOT.resolve()):
        raise SetupError(
            f"{environment.folder.name} leads to {environment.folder.resolve()}, which another "
            "checkout may use",
            remedy=f"remove the link {environment.folder}, then run the command again",
        )
    have = environment.installed()
    if all(have.get(name) == value for name, value in wanted.items()):
        return
    need_venv_module()
    need_room(ROOM_FOR_MORE if have else ROOM_FOR_ALL)
    locks = {name: value for name, value in have.items() if name.endswith(".lock")}
    if not locks or any(wanted.get(name) != value for name, value in locks.items()):
        say(f"making {environment.folder.name} with Python {sys.version.split()[0]}")
        have = {}
        run(
            *(sys.executable, "-P", "-m", "venv", "--clear", "--prompt", "roundtrip"),
            environment.folder,
            task=f"making the virtual environment {environment.folder.name}",
        )
    count = sum("==" in line for line in lock.read_text(encoding="utf-8").splitlines())
    say(f"installing the packages of {lock.name} (about {count}; the first time takes a minute)")
    run(
        *(environment.python, "-P", "-m", "pip", "install", "--quiet", "--no-input", "--no-deps"),
        *("--disable-pip-version-check", "--no-compile", "--only-binary=:all:"),
        *("--require-hashes", "--requirement", lock),
        task=f"installing the packages of {lock.name}",
    )
    say("compiling them")
    compile_bytecode(environment, environment.folder / "lib")
    environment.note({**have, **wanted})


def compile_bytecode(environment: Environment, folder: Path) -> None:
    """Compile to bytecode, on all cores where the system lets processes share memory."""
    for workers in ("0", "1"):
        # A file that does not compile fails the command, but is never imported either.
        with suppress(SetupError):
            run(
                *(environment.python, "-P", "-m", "compileall", "-qq", "-j", workers),
                *("-x", NOT_COMPILED, folder),
                task="compiling the packages",
            )
            return


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
    compile_bytecode(REPORT, ROOT / "src")
    REPORT.note({**have, "roundtrip": wanted})


def need_browser() -> None:
    """Make sure that there is a browser of the Chrome family."""
    if find_browser():
        return
    if can_use_apt() and "BROWSER_PATH" not in os.environ:
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
    base, hosts = ROOT / "requirements.lock", ROOT / "requirements-hosts.lock"
    with one_at_a_time():
        if group == "harness":
            need_harness(ROOT, run, say)
            return
        if group == "dev":
            install(REPORT, ROOT / "requirements-dev.lock", includes=(base, hosts))
        elif group == "hosts":
            install(REPORT, hosts, includes=(base,))
        else:
            install(REPORT, base)
        install_package()
        if group == "lab":
            install_lab()
        need_browser()
        try_harness(ROOT, run, say)


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
