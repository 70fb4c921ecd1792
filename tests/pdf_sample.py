"""A small book with everything that a renderer must cope with."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from roundtrip.outputs import BodyCell, HeaderCell
from roundtrip.params import Notice, ReportParameters
from roundtrip.publish.book import Book, Chapter, FigureItem, Source, TableItem
from roundtrip.publish.pandoc import parse_markdown

FONT = 'font-family="IBM Plex Sans"'
COLOURS = ("#0f62fe", "#8a3800", "#198038", "#8a3ffc")
HA = (
    ("RR_CC (2KB Persistent)", "61,669 50.51 420 95,403 81.47 540 64,249 55.14 600"),
    ("RR_CC (20KB Persistent)", "14,768 16.36 300 32,128 31.92 300 17,111 16.7 300"),
    ("RR_CC (200KB Persistent)", "1,945 7.75 120 3,836 13.53 120 2,658 8.86 120"),
)
SOURCES = (
    Source("ibm-mq-v9.4-linux", "Table 13", "MQ V9.4, Table 13", "cell-ibm-mq-v9.4-linux-table-13"),
    Source("ibm-mq-v9.4-linux", "Table 14", "MQ V9.4, Table 14", "cell-ibm-mq-v9.4-linux-table-14"),
)


@cache
def blocks_of(markdown: str) -> list:
    return parse_markdown(markdown)["blocks"]


def bars(title: str, groups: dict[str, tuple[float, ...]], names: tuple[str, ...]) -> str:
    """Draw grouped bars with direct labels."""
    width, height, left, top, base = 640, 340, 64, 56, 296
    peak = max(max(values) for values in groups.values()) * 1.1
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="0" y="20" {FONT} font-size="16" font-weight="600" fill="#161616">{title}</text>',
    ]
    for step in range(5):
        y = base - (base - top) * step / 4
        parts.append(f'<line x1="{left}" x2="{width}" y1="{y}" y2="{y}" stroke="#e0e0e0"/>')
        parts.append(
            f'<text x="{left - 8}" y="{y + 4}" {FONT} font-size="12" fill="#525252" '
            f'text-anchor="end">{peak * step / 4:,.0f}</text>'
        )
    room = (width - left) / len(groups)
    for place, (group, values) in enumerate(groups.items()):
        bar = room * 0.8 / len(values)
        for index, value in enumerate(values):
            x = left + room * (place + 0.1) + bar * index
            h = (base - top) * value / peak
            parts.append(
                f'<rect x="{x:.1f}" y="{base - h:.1f}" width="{bar - 3:.1f}" height="{h:.1f}" '
                f'fill="{COLOURS[index]}"/>'
            )
            parts.append(
                f'<text x="{x + bar / 2:.1f}" y="{base - h - 5:.1f}" {FONT} font-size="11" '
                f'fill="#161616" text-anchor="middle">{names[index]}</text>'
            )
        parts.append(
            f'<text x="{left + room * (place + 0.5):.1f}" y="{base + 20}" {FONT} font-size="12" '
            f'fill="#161616" text-anchor="middle">{group}</text>'
        )
    parts.append(
        f'<text x="{left}" y="44" {FONT} font-size="12" fill="#525252">Round trips/s</text></svg>'
    )
    return "".join(parts)


def curves(title: str, series: dict[str, tuple[float, ...]]) -> str:
    """Draw lines over the number of requesters, labelled at their ends."""
    width, height, left, right, top, base = 640, 400, 64, 540, 56, 350
    peak = max(max(values) for values in series.values()) * 1.08
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="0" y="20" {FONT} font-size="16" font-weight="600" fill="#161616">{title}</text>',
        f'<text x="{left}" y="44" {FONT} font-size="12" fill="#525252">Round trips/s</text>',
        f'<text x="{(left + right) / 2}" y="{base + 40}" {FONT} font-size="12" fill="#525252" '
        'text-anchor="middle">Requesters</text>',
    ]
    for step in range(6):
        y = base - (base - top) * step / 5
        parts.append(f'<line x1="{left}" x2="{right}" y1="{y}" y2="{y}" stroke="#e0e0e0"/>')
        parts.append(
            f'<text x="{left - 8}" y="{y + 4}" {FONT} font-size="12" fill="#525252" '
            f'text-anchor="end">{peak * step / 5:,.0f}</text>'
        )
    for index, (name, values) in enumerate(series.items()):
        points = [
            (left + (right - left) * at / (len(values) - 1), base - (base - top) * value / peak)
            for at, value in enumerate(values)
        ]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        colour = COLOURS[index]
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
        )
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>' for x, y in points]
        x, y = points[-1]
        parts.append(
            f'<text x="{x + 10:.1f}" y="{y + 4:.1f}" {FONT} font-size="12" font-weight="600" '
            f'fill="{colour}">{name}</text>'
        )
    return "".join([*parts, "</svg>"])


def figure(label: str, number: str, svg: str, title: str, caption: str) -> FigureItem:
    alt = f"{title}. The values are those of the table beside it."
    return FigureItem(label, number, title, caption, alt, svg, None, "", SOURCES)


def row(label: str, values: list[str], *, strong: int = -1, link: str | None = None) -> tuple:
    cells = [BodyCell(label, "left", kind="label")]
    cells += [
        BodyCell(value, align="right", strong=index == strong, link=link)
        for index, value in enumerate(values)
    ]
    return tuple(cells)


def wide_table(number: str, label: str = "tbl-ha-peaks") -> TableItem:
    over = [HeaderCell("", 1, "left")] + [
        HeaderCell(n, 3, "center") for n in ("MIQM", "RDQM", "SAN")
    ]
    under = [HeaderCell("Test", 1, "left")] + [
        HeaderCell(n, 1, "right") for _ in range(3) for n in ("Max rate", "CPU %", "Clients")
    ]
    rows = tuple(row(name, values.split(), strong=3, link=SOURCES[0].anchor) for name, values in HA)
    notes = ("Max rate in round trips/s.", "The strongest technique of each row is set in bold.")
    caption = "Peak rates of RR-CC with three HA techniques"
    header = (tuple(over), tuple(under))
    return TableItem(label, number, caption, header, rows, "", SOURCES, notes)


def long_table(number: str) -> TableItem:
    header = tuple(
        HeaderCell(text, 1, "left" if text in ("Variant", "CipherSpec") else "right")
        for text in ("Variant", "CipherSpec", "Requesters", "Round trips/s", "CPU %", "Ratio")
    )
    rows: list[tuple[BodyCell, ...]] = []
    for size in ("2 KiB", "20 KiB", "200 KiB", "2 MiB"):
        rows.append((BodyCell(f"{size}, persistent", "left", kind="group"),))
        for index in range(15):
            rate = 95403 - index * 4211
            rows.append(
                (
                    BodyCell(("RDQM", "MIQM", "SAN")[index % 3], "left", kind="label"),
                    BodyCell(
                        "TLS_AES_256_GCM_SHA384" if index % 2 else "none", "left", kind="code"
                    ),
                    BodyCell(str(20 * (index + 1)), "right"),
                    BodyCell(f"{rate:,}", "right", strong=index == 0),
                    BodyCell(("81.47", "16.7", "8.86")[index % 3], "right"),
                    BodyCell(f"{rate / 95403:.2f}", "right"),
                )
            )
    return TableItem(
        "tbl-runs", number, "Every run, by message size", (header,), tuple(rows), "", SOURCES,
        ("A ratio of 1 is the fastest run of the table.",),
    )  # fmt: skip


def cells_table(number: str) -> TableItem:
    header = tuple(HeaderCell(text, 1, "left") for text in ("Report", "Table", "What it shows"))
    rows = tuple(
        (
            BodyCell(source.report, "left", kind="code", anchor=source.anchor),
            BodyCell(source.table, "left"),
            BodyCell("Peak rates of RR-CC with persistent messages of three sizes, for queue "
                     "managers that keep their recovery log on an NFS share, on three replicated "
                     "hosts and on a SAN", "left"),
        )
        for source in SOURCES
    )  # fmt: skip
    return TableItem("tbl-cells", number, "Printed tables", (header,), rows, "", ())


INDEX = """
This report answers one question: *how fast can a queue manager go, and what slows it down?*
Every number leads to the printed cell it comes from.

## How to read it {#sec-reading}

- **Rates** are round trips per second.
- Links lead on: [Chapter 1](#sec-ha), [Table 1.1](#tbl-ha-peaks).
"""

HA_TEXT = """
High availability means that data is written somewhere else before a commit returns. How much
does that cost? The load is `RR-CC`, described on the publisher's
[page](https://example.org/mq?a=1&b="2"); see [Section 1.2](#sec-delay) for the influence of the
link, [Figure 1.1](#fig-ha-peaks)(the peaks) and [Table 1.1](#tbl-ha-peaks).here.

## Peaks {#sec-peaks number=1.1}

RDQM replicates the recovery log over its own links and reaches 95,403 round trips/s with 2 KiB
messages, 55% more than MIQM on an NFS share. Special characters stay text: #let, \\$x\\$ costs, *,
_under_score, \\`tick\\`, [bracket], \\<angle>, \\@mention, // comment, = heading, a~b
and C:\\\\temp.

```{=roundtrip}
figure:fig-ha-peaks
```

```{=roundtrip}
code:0
```

```{=roundtrip}
table:tbl-ha-peaks
```

> The MQ logger will aggregate log writes more as the network latency increases.

### Reading the effective configuration {#sec-settings number=1.1.1}

The settings are read back from the queue manager:

```shell
amqsrua -m QM1 -c DISK -t Log   # log write sizes
```

1. Start the queue manager.
2. Warm up until the rate is steady:
    - at least 60 seconds,
    - at most ten minutes.
3. Measure.

::: {.callout-important title="What this does not show"}
Failover time was not measured. A rate says nothing about how long clients wait after a failure.
:::

## Link delay {#sec-delay number=1.2}

A delay on the HA links lowers the peak, yet the queue manager still scales in an orderly fashion
as requesters are added, because the logger writes more with each operation.[^log]

[^log]: Log writes are aggregated by the queue manager itself.

```{=roundtrip}
figure:fig-ha-delay
```

Term
:   What it means.

CipherSpec
:   Protocol and suite that a channel uses.

| Technique | Hosts | Where the log is |
|:----------|------:|:-----------------|
| MIQM      |     2 | NFS share        |
| RDQM      |     3 | each host        |

Text after the table goes on and says what follows from it for someone who must size a system: the
link, not the processor, decides. Text after the table goes on and says what follows from it.

```{=roundtrip}
table:tbl-runs
```

Every run is listed in [Table 1.2](#tbl-runs).
"""

APPENDIX = """
The cells that this report uses, as they were printed.

```{=roundtrip}
table:tbl-cells
```

## A section of an appendix {#sec-appendix-part number=A.1}

Back to [Chapter 1](#sec-ha).
"""

PEAKS = {
    "2 KiB": (61669, 95403, 64249),
    "20 KiB": (14768, 32128, 17111),
    "200 KiB": (1945, 3836, 2658),
}
DELAYS = {
    "no delay": (9e3, 31e3, 52e3, 74e3, 88e3, 95403),
    "1 ms": (3e3, 9e3, 17e3, 26e3, 33e3, 37330),
}


def sample_book(*, banner: str | None = None, paper: str = "a4") -> Book:
    techniques = ("MIQM", "RDQM", "SAN")
    finding = "RDQM is the fastest HA technique at every size"
    figures = [
        figure("fig-ha-peaks", "1.1", bars(finding, PEAKS, techniques), finding,
               "Peak rates of RR-CC with persistent messages, three HA techniques"),
        figure("fig-ha-delay", "1.2", curves("1 ms of link delay costs 61% of the peak", DELAYS),
               "1 ms of link delay costs 61% of the peak",
               "Rate against requesters for RDQM, with and without delay on the HA links"),
    ]  # fmt: skip
    tables = [wide_table("1.1"), long_table("1.2")]
    chapters = (
        Chapter("index", "About this report", "sec-index", "", "front", blocks_of(INDEX)),
        Chapter(
            "60-ha", "High availability", "sec-ha", "1", "chapter", blocks_of(HA_TEXT),
            {f.label: f for f in figures}, {t.label: t for t in tables}, ("x = 1",),
        ),
        Chapter(
            "90-provenance", "Printed cells", "sec-cells", "A", "appendix", blocks_of(APPENDIX),
            {}, {"tbl-cells": cells_table("A.1")},
        ),
    )  # fmt: skip
    anchors = dict.fromkeys(("sec-index", "sec-reading"), "index")
    anchors |= dict.fromkeys(("sec-ha", "sec-peaks", "sec-delay"), "60-ha")
    anchors |= dict.fromkeys([*chapters[1].figures, *chapters[1].tables], "60-ha")
    anchors |= dict.fromkeys(("sec-cells", "tbl-cells", "sec-appendix-part"), "90-provenance")
    anchors |= {source.anchor: "90-provenance" for source in SOURCES}
    edition = ReportParameters(
        version="0.1.0",
        date="2026-11-21",
        title="Messaging performance, traceable to the cell",
        subtitle="IBM MQ V9.4 on Linux x86-64, as published, re-examined",
        authors=("The Roundtrip authors",),
        notices=(
            Notice(title="What the numbers are", text="Its publisher printed every number. " * 4),
            Notice(title="No warranty", text="Test your own workload before sizing. " * 6),
            Notice(title="Trademarks", text="IBM and IBM MQ are trademarks of their owner. " * 3),
        ),
        paper=paper,
    )
    return Book(edition, "a1b2c3d", 1_795_000_000, chapters, anchors, banner)


def with_chapter(book: Book, markdown: str, **changes: object) -> Book:
    """Give the book one chapter more, made of Markdown."""
    chapter = Chapter("99-extra", "Extra", "sec-extra", "9", "chapter", blocks_of(markdown))
    return replace(book, chapters=(*book.chapters, replace(chapter, **changes)))
