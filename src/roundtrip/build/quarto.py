"""temporary"""
import shutil
from pathlib import Path
def find_quarto() -> Path | None:
    p = shutil.which("quarto")
    return Path(p) if p else None
