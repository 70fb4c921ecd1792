"""The book put together from executed chapters, with every reference resolved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial

import pyarrow.compute as pc
from nbformat import NotebookNode

from roundtrip.cache import Cache
from roundtrip.observations import Observations
from roundtrip.params import ReportParameters
from roundtrip.publish.book import Book
from roundtrip.publish.commit import Commit
from roundtrip.publish.document import chapters_of
from roundtrip.publish.draft import Draft, draft_chapter
from roundtrip.publish.references import Target
from roundtrip.publish.selection import ChapterPlan
from roundtrip.publish.unseen_runs import unseen_runs
from roundtrip.sources.ingested import TABLE
from roundtrip.sources.measured import RUNS


def assemble(
    plans: Sequence[ChapterPlan],
    notebooks: Mapping[str, NotebookNode],
    left_out: Mapping[str, str],
    parameters: ReportParameters,
    commit: Commit,
    banner: str | None,
    observations: Observations,
    cache: Cache,
    *,
    echo: bool = True,
) -> tuple[Book, dict[str, Target]]:
    """Put the book together, and give it with what every anchor in it stands for.

    A chapter that cannot be read, or a reference that leads nowhere, is a RoundtripError.

    For `left_out` see `roundtrip.publish.references.References`; `banner` is what every page has
    to say first; `observations` name the reports and tables that items come from; the cache keeps
    what Pandoc read; `echo` says whether the site's pages show code.
    """

    def draft(plan: ChapterPlan) -> Draft:
        name = plan.source.stem
        return draft_chapter(notebooks[name], name, plan.kind, plan.number, cache)

    with ThreadPoolExecutor() as pool:  # Pandoc reads several at a time
        drafts = list(pool.map(draft, plans))
    for problem in unseen_runs(drafts, left_out):
        raise problem
    reports = [observations.report(name) for name in observations.report_ids]
    chapters, targets = chapters_of(
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
    anchors = {label: target.chapter for label, target in targets.items()}
    book = Book(parameters, commit.name, commit.timestamp, chapters, anchors, banner, echo)
    return book, targets


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
