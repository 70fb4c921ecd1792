"""Find the Chrome-family browser that draws the static figures, or install one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

# The order is the one in which kaleido looks, so that both name the same browser.
NAMES = (
    "chrome", "google-chrome", "google-chrome-stable", "chromium", "chromium-browser",
    "msedge", "microsoft-edge", "microsoft-edge-beta", "microsoft-edge-dev",
    "brave", "brave-browser",
)  # fmt: skip
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)


def find_browser() -> Path | None:
    """Find a browser of the Chrome family.

    It is what ``BROWSER_PATH`` names, else the first on ``PATH``, else one in its usual place.
    """
    chosen = os.environ.get("BROWSER_PATH")
    if chosen:
        return Path(chosen) if os.access(chosen, os.X_OK) else None
    for name in NAMES:
        if found := shutil.which(name):
            return Path(found)
    return next((Path(place) for place in PLACES if os.access(place, os.X_OK)), None)


def browser_remedy() -> str:
    """Say what to do when no browser was found."""
    if chosen := os.environ.get("BROWSER_PATH"):
        return f"BROWSER_PATH names no program ({chosen}): correct it, or unset it"
    return "sudo apt-get install chromium, or set BROWSER_PATH to a Chrome-family browser"


def need_browser() -> None:
    """Install Chromium where there is no browser, and apt-get can do so without a password."""
    if find_browser():
        return
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if "BROWSER_PATH" not in os.environ and all(map(shutil.which, ["apt-get", *as_root[:1]])):
        command = "apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium"
        print("installing chromium with apt-get", flush=True)
        subprocess.run(
            [*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "sh", "-c", command],
            stdin=subprocess.DEVNULL,
        )
    if not find_browser():
        sys.exit(
            "setup stopped: no Chrome, Chromium or Edge found, which draws the static figures; "
            f"remedy: {browser_remedy()}"
        )


if __name__ == "__main__":
    need_browser()
