"""The book put together from executed chapters, with every reference resolved."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache, partial
from typing import TypeVar

import pyarrow.compute as pc
from nbformat import NotebookNode

from roundtrip.cache import Cache
from roundtrip.errors import RenderError, nearest
from roundtrip.observations import Observations
from roundtrip.outputs import table_label
from roundtrip.publish.book import Chapter, FigureItem, Source, TableItem
from roundtrip.publish.book_definition import ChapterPlan
from roundtrip.publish.draft import draft_chapter
from roundtrip.publish.references import References, Target
from roundtrip.publish.unseen_runs import unseen_runs
from roundtrip.sources.ingested import TABLE
from roundtrip.sources.measured import RUNS
from roundtrip.typography import by_numbers, printed_text

Item = TypeVar("Item", FigureItem, TableItem)


def assemble(
    plans: Sequence[ChapterPlan],
    notebooks: Mapping[str, NotebookNode],
    left_out: Mapping[str, str],
    observations: Observations,
    cache: Cache,
) -> tuple[tuple[Chapter, ...], dict[str, Target]]:
    """Put the chapters of the book together, and give them with what every anchor stands for.

    A chapter that cannot be read, or a reference that leads nowhere, is a RoundtripError.

    For `left_out` see `roundtrip.publish.references.References`; `observations` name the reports
    and tables that items come from; the cache keeps what Pandoc read.
    """
    with ThreadPoolExecutor() as pool:  # Pandoc reads several at a time
        drafts = list(
            pool.map(lambda plan: draft_chapter(notebooks[plan.source.stem], plan, cache), plans)
        )
    for problem in unseen_runs(drafts, left_out):
        raise problem
    reports = [observations.report(name) for name in observations.report_ids]
    return chapters_of(
        drafts,
        left_out,
        {report.id: report.short_title for report in reports}
        | {
            name: f"campaign {name}"
            for name in (*observations.campaign_ids, *observations.ingested_ids)
        },
        {
            f"{report.id}/{table}": number
            for report in reports
            for table, number in report.numbers.items()
        }
        | {f"{name}/{RUNS}": "every run" for name in observations.campaign_ids}
        | {f"{name}/{TABLE}": "every point" for name in observations.ingested_ids},
        partial(_is_of_data, observations),
    )


def _is_of_data(observations: Observations, anchor: str) -> bool:
    """Say whether an anchor is that of an observation, of a run, a claim or an erratum."""
    kind, _, rest = anchor.partition("-")
    if kind in ("claim", "erratum"):
        return any(rest.startswith(f"{name}-") for name in observations.report_ids)
    return kind == "cell" and rest in _places(observations)


@lru_cache(maxsize=1)
def _places(observations: Observations) -> frozenset[str]:
    table = observations.table
    measured = table.filter(pc.equal(table["table_id"], RUNS))
    runs = measured.group_by(["source", "row_label"]).aggregate([]).to_pylist()
    names = [f"{run['source']}/{RUNS}/{run['row_label']}" for run in runs]
    names += table.column("observation_id").to_pylist()
    return frozenset(name.replace("/", "-") for name in names)


def chapters_of(
    drafts: Sequence[Chapter],
    left_out: Mapping[str, str],
    short_titles: Mapping[str, str],
    printed: Mapping[str, str],
    of_data: Callable[[str], bool] = lambda anchor: False,
) -> tuple[tuple[Chapter, ...], dict[str, Target]]:
    """Give the chapters numbers, references and items, and for every anchor what it stands for.

    The drafts are from `draft_chapter`, in book order. For `left_out` and `of_data` see
    `References`; `short_titles` has the short titles of reports by id; `printed` the numbers of
    tables as printed, by ``report/table-id``. A reference or a link to a cell that leads nowhere is
    refused.
    """
    references = References(drafts, left_out, of_data)
    targets = dict(references.targets)

    def completed(item: Item) -> Item:
        sources = _sources(item, references.targets, short_titles, printed)
        return replace(item, number=references.targets[item.label].number, sources=sources)

    chapters = []
    for draft in drafts:
        references.resolve(draft)
        figures = {label: completed(figure) for label, figure in draft.figures.items()}
        tables = {}
        for label, table in draft.tables.items():
            rows = tuple(tuple(map(references.linked, row)) for row in table.rows)
            tables[label] = completed(replace(table, rows=rows))
            for cell in itertools.chain.from_iterable(rows):
                if cell.anchor:
                    targets[cell.anchor] = Target(draft.name, cell.text, tables[label].number)
        chapters.append(replace(draft, figures=figures, tables=tables))
    for chapter in chapters:
        for link in chapter.links:
            if link and link not in targets:
                raise RenderError(
                    f"a link to '#{link}' leads nowhere{nearest(link, targets)}",
                    where=chapter.where,
                )
    return tuple(chapters), targets


def _sources(
    item: FigureItem | TableItem,
    targets: Mapping[str, Target],
    short_titles: Mapping[str, str],
    printed: Mapping[str, str],
) -> tuple[Source, ...]:
    """Name the printed tables that an item shows values of; mappings as in `chapters_of`."""
    keys: dict[tuple[str, str], str] = {}
    for key in dict.fromkeys(cell.rsplit("/", 1)[0] for cell in item.cells):
        if key not in printed:
            raise RenderError(
                f"{item.label} names cells of '{key}', a table that no source has"
                f"{nearest(key, printed)}",
                where=f"notebooks/{targets[item.label].chapter}.ipynb",
            )
        # The blocks of one printed table stand below each other: a link to the first will do.
        keys.setdefault((key.partition("/")[0], printed[key]), key)
    sources: list[Source] = []
    reports = list(dict.fromkeys(report for report, _ in keys))
    for report, number in sorted(
        keys, key=lambda each: (reports.index(each[0]), by_numbers(each[1]))
    ):
        # Tables of one report in a row name it once.
        again = bool(sources) and sources[-1].report == report
        text = printed_text(number if again else f"{short_titles[report]}, {number}")
        table = keys[report, number].partition("/")[2]
        label = table_label(report, table)
        sources.append(Source(report, table, text, label if label in targets else ""))
    return tuple(sources)
