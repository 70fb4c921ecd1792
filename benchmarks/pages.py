"""What the pages of a built report weigh: ``python benchmarks/pages.py [reports/0.1.0]``.

For each page: its HTML without what only charts need, the same compressed as a server would send
it, the specifications of its charts, and the page with all that it loads before anybody does
anything, fonts of plain text included.
"""

from __future__ import annotations

import argparse
import gzip
import re
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
SPECIFICATION = re.compile(
    r'<script type="application/json" class="figure-spec">.*?</script>', re.S
)
LOADED = re.compile(r'<(?:script|link)\b[^>]*\s(?:src|href)="(assets/[^"]+)"')
FONTS = ("IBMPlexSans-Regular-Latin1.woff2", "IBMPlexSans-SemiBold-Latin1.woff2")
COLUMNS = ("HTML without charts (kB)", "… compressed (kB)", "charts (kB)", "at first (kB)")


def weights(page: Path) -> list[float]:
    """Weigh one page, in kilobytes of a thousand."""
    text = page.read_text("utf-8")
    plain = SPECIFICATION.sub("", text).encode()
    names = [*LOADED.findall(text), *(f"assets/fonts/{name}" for name in FONTS)]
    loaded = sum((page.parent / name).stat().st_size for name in names)
    whole = len(text.encode())
    sizes = (len(plain), len(gzip.compress(plain, 6)), whole - len(plain), whole + loaded)
    return [size / 1000 for size in sizes]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "report", nargs="?", type=Path, help="folder of a report; the newest if none"
    )
    given = parser.parse_args().report
    found = (
        [given] if given else sorted((ROOT / "reports").glob("*/"), key=lambda p: p.stat().st_mtime)
    )
    if not found or not (found[-1] / "html").is_dir():
        parser.error("there is no built report: run `make report`")
    table = Table()
    table.add_column("Page", no_wrap=True)
    for name in COLUMNS:
        table.add_column(name, justify="right")
    rows = {page.name: weights(page) for page in (found[-1] / "html").glob("*.html")}
    for name, row in sorted(rows.items(), key=lambda each: -each[1][0]):
        table.add_row(name, *(f"{value:,.0f}" for value in row))
    Console().print(table)
    heaviest, first = max(row[0] for row in rows.values()), rows["index.html"][3]
    print(f"heaviest page before charts: {heaviest:,.0f} kB (aim: below 1,000)")
    print(f"first page with all that it loads: {first:,.0f} kB (aim: below 200)")


if __name__ == "__main__":
    main()
