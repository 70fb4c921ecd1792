"""One call that sets published reports and campaigns side by side, point by point."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from roundtrip.errors import ChapterError, unknown
from roundtrip.outputs import escape_markdown
from roundtrip.present.arguments import checked, levels_told, names_of
from roundtrip.present.chapter import RATE, Chapter, Text
from roundtrip.present.comparability import MEASURED, state_differences
from roundtrip.present.figure import Figure
from roundtrip.present.ingested import WITHIN
from roundtrip.present.levels import inside
from roundtrip.present.measured.means import Mean, Measured, interval_text, mean_of_cells
from roundtrip.present.measured.words import ACROSS
from roundtrip.present.numbers import Quantity
from roundtrip.present.plot.chart import chart
from roundtrip.present.points import metric_of, metrics_of
from roundtrip.present.quantities import Entry, Row, quantity_table
from roundtrip.present.repeats import ratio_margins
from roundtrip.present.tables import Table

_KEY = ["message_bytes", "delivery"]
_KINDS = {"table": "Published", MEASURED: "Measured", "ingested": "Ingested"}


@dataclass(frozen=True)
class Comparison:
    """Sources side by side.

    Attributes
    ----------
    table : Table
        Every value with its interval, and its ratio to the baseline of its kind; a ratio of
        campaigns has no interval, because they ran at different times.
    figure : Figure
        The values by message size; published, measured and ingested ones in panels of their own.
    left_out : tuple of str
        What could not be compared, each with the reason; these are notes of the table too.
    answer : Text
        The values of the smallest and the largest message size in words, with their ratios; first
        why nothing may be concluded from a campaign, where that is so.
    """

    table: Table
    figure: Figure
    left_out: tuple[str, ...]
    answer: Text


@dataclass(frozen=True)
class _Point:
    source: str
    row: pd.Series[Any]
    value: Quantity | Mean
    note: str  # on points that no factor tells apart from it

    @property
    def quantity(self) -> Quantity:
        return self.value.quantity if isinstance(self.value, Mean) else self.value

    @property
    def kind(self) -> str:
        return _KINDS[str(self.row["source_kind"])]

    @property
    def key(self) -> tuple[float, str]:
        delivery = self.row["delivery"]
        return float(self.row["message_bytes"]), "" if pd.isna(delivery) else str(delivery)


@checked
def compare(
    chapter: Chapter,
    *sources: str,
    title: str,
    caption: str,
    baseline: str | None = None,
    metric: str = RATE,
    varied: str | Collection[str] = ("product", "product_version"),
    **factors: Any,
) -> Comparison:
    """Set published reports and campaigns side by side over the points that match.

    Points match in message size, delivery and syncpoint. Each is put in relation to the baseline's,
    where both are published, measured or ingested. The gate names what else differs, machines
    included.

    Parameters
    ----------
    chapter : Chapter
        Its message sizes and units hold here too.
    *sources : str
        Ids of two or more published reports and campaigns, measured or ingested.
    title, caption : str
        The finding; what is compared.
    baseline : str, optional
        The source that the others of its kind are put in relation to; the first of each kind when
        left out.
    varied : str or collection of str
        Factors that the comparison is about, beside message size and delivery.
    **factors
        Values that select one point of each source for a message size and delivery, or source to
        value where each has its own; a source that states the factor nowhere keeps all. Of points
        that differ in the number of requesters alone, the one with the highest rate stands.

    Returns
    -------
    Comparison
        ``table``, ``figure``, ``left_out`` and ``answer``.

    Raises
    ------
    ChapterError
        If a source or factor is unknown, a source has no point or several where one is wanted, or
        no two points match.
    """
    varied = names_of(varied)
    _check(chapter, sources, baseline, metric, varied, factors)
    points = [point for name in sources for point in _points(chapter, name, metric, factors)]
    firsts: dict[str, str] = {}
    for point in points:
        firsts.setdefault(point.kind, point.source)
    firsts |= {point.kind: point.source for point in points if point.source == baseline}
    groups, left_out = _matched(chapter, sources, points, firsts)
    if not groups:
        raise ChapterError(
            f"no two points of {', '.join(sources)} match", where="compare",
            allowed="; ".join(left_out) or None, remedy="select others with factor=value",
        )  # fmt: skip
    shown = [point for group in groups for point in group]
    about = {*varied, *_KEY}
    for kind in firsts:
        alike = [point.row for point in shown if point.kind == kind]
        said = state_differences(chapter, pd.DataFrame(alike), about, "") if alike else ""
        caption += f" {kind}:{said}" if said and len(firsts) > 1 else said
    table = _table(chapter, groups, firsts, metric, caption, left_out)
    figure = _figure(chapter, shown, metric, title, caption)
    return Comparison(table, figure, left_out, _answer(chapter, groups, firsts))


def _check(
    chapter: Chapter, sources: Sequence[str], baseline: str | None, metric: str,
    varied: Sequence[str], factors: Mapping[str, Any],
) -> None:  # fmt: skip
    known = chapter.observations
    sources_known = [*known.report_ids, *known.campaign_ids, *known.ingested_ids]
    own = [name for value in factors.values() if isinstance(value, Mapping) for name in value]
    for what, names, allowed in (
        ("source", sources, sources_known),
        ("source of a factor", own, sources),
        ("factor", [*factors, *varied], chapter.dictionary.factors),
        ("baseline", [baseline] if baseline is not None else [], sources),
    ):
        for name in names:
            if name not in allowed:
                raise unknown(ChapterError, what, name, allowed, where="compare")
    metric_of(metric, chapter.dictionary)
    if len(set(sources)) < 2:
        raise ChapterError("takes two sources or more", where="compare")


def _points(chapter: Chapter, source: str, metric: str, factors: dict[str, Any]) -> list[_Point]:
    """Give the point of a source for each message size and delivery."""
    points, value_of = _values(chapter, source, metric)
    has = metrics_of(points) or [one for one in chapter.dictionary.metrics if one in points]
    if metric in has:
        points = points[points[metric].notna() & points["message_bytes"].notna()]
    if metric not in has or points.empty:
        raise ChapterError(
            f"{source} has no {metric} with a message size", where="compare",
            allowed=", ".join(has) or None,
            remedy="give a metric=… that all sources have; state message_bytes in the campaign.yml "
            "of logs, in the tables of a report",
        )  # fmt: skip
    for name, value in factors.items():
        wanted = value.get(source) if isinstance(value, Mapping) else value
        # A source that states the factor nowhere keeps all.
        if wanted is not None and points[name].notna().any():
            found = chapter.select(points, **{name: wanted})
            if found.empty:
                raise ChapterError(
                    f"{source} has no such point with {name}={wanted!r}", where="compare",
                    allowed=levels_told(points, [name]),
                )  # fmt: skip
            points = found
    chosen = []
    for _, group in points.groupby(_KEY, dropna=False, sort=True):
        row, note = _only(chapter, source, group)
        value = value_of(row)
        if value is not None:
            chosen.append(_Point(source, row, value, note))
    return chosen


def _values(
    chapter: Chapter, source: str, metric: str
) -> tuple[pd.DataFrame, Callable[[pd.Series[Any]], Quantity | Mean | None]]:
    """Give the points of a source with a column for each metric, and what reads a point's value."""
    known = chapter.observations
    if source not in known.campaign_ids:
        if source in known.report_ids:
            tables = (table.id for table in known.report(source).tables)
            points = chapter.on(source).points(*tables)
        else:
            points = chapter.points(campaign=source)

        def value_of(row: pd.Series[Any]) -> Quantity | Mean:
            quantity = chapter.quantities(points.loc[[row.name]], metric)[0]
            return mean_of_cells(chapter, quantity) if f"{metric}_runs" in points else quantity

        return points, value_of
    measured = Measured(chapter, known.campaign(source).plan.name, campaigns=(source,))
    rows = measured.rows({"statistic": "mean", "interval": None})
    values = rows.pivot_table(index="point_id", columns="metric", values="value")
    found = rows.drop_duplicates("point_id").join(values, on="point_id")
    return found, lambda row: measured.mean(metric, point_id=row["point_id"])


def _only(chapter: Chapter, source: str, group: pd.DataFrame) -> tuple[pd.Series[Any], str]:
    """Give the one point of a group: that of the highest rate, where only the requesters differ.

    Beside it stands a note on points that no factor tells apart from it; empty where none is.
    """
    rated = RATE in group and bool(group[RATE].notna().any())
    differing = [
        name
        for name in chapter.dictionary.factors
        if not (rated and name == "requesters") and group[name].nunique(dropna=False) > 1
    ]
    if differing:
        raise ChapterError(
            f"{source} has {len(group)} points of {_named(chapter, group.iloc[0])}",
            where="compare", allowed=levels_told(group, differing),
            remedy="select one with factor=value",
        )  # fmt: skip
    row = group.iloc[int(group[RATE].fillna(0).to_numpy().argmax()) if rated else 0]
    alike = group["requesters"].fillna(0).eq(0 if pd.isna(row["requesters"]) else row["requesters"])
    if alike.sum() == 1:
        return row, ""
    which = "one with the highest rate" if rated else "first"
    return row, (
        f"{_named(chapter, row)}: {_title(chapter, source)} has {alike.sum()} points that no "
        f"factor tells apart; the {which} is shown."
    )


def _matched(
    chapter: Chapter, sources: Sequence[str], points: Sequence[_Point], firsts: dict[str, str]
) -> tuple[list[list[_Point]], tuple[str, ...]]:
    """Put points of one size and delivery together; say which have no counterpart."""
    groups, left_out = [], []
    for key in sorted({point.key for point in points}):
        group = [point for point in points if point.key == key]
        named = _named(chapter, group[0].row)
        bases = {point.kind: point for point in group if point.source == firsts[point.kind]}
        for point in list(group):
            base = bases.get(point.kind, point)
            ways = pd.Series([one.row["syncpoint"] for one in (base, point)]).dropna()
            if ways.nunique() > 1:
                group.remove(point)
                label = inside(chapter.factor_label("syncpoint"))
                left_out.append(f"{named}: {_title(chapter, point.source)} has another {label}.")
        missing = [name for name in sources if name not in {point.source for point in group}]
        if len(group) < 2:
            left_out.append(f"{named}: only {_title(chapter, group[0].source)} has it.")
            continue
        left_out += [f"{named}: {_title(chapter, name)} has none." for name in missing]
        groups.append(group)
    return groups, tuple(dict.fromkeys(left_out))


def _table(
    chapter: Chapter, groups: Sequence[Sequence[_Point]], firsts: dict[str, str], metric: str,
    caption: str, left_out: Sequence[str],
) -> Table:  # fmt: skip
    rows = []
    for group in groups:
        rows.append(Row(_named(chapter, group[0].row)))
        for kind, first in firsts.items():
            alike = [point for point in group if point.kind == kind]
            base = next((point for point in alike if point.source == first), None)
            rows += [
                Row(_title(chapter, one.source), (one.quantity, *_beside(chapter, one, base)))
                for one in alike
            ]
    shown = [point for group in groups for point in group]
    cells = [cell for point in shown for cell in point.quantity.cells]
    notes = [*left_out, *(one.note for one in shown if one.note)]
    if len(firsts) > 1:
        kinds = " and ".join(kind.lower() for kind in firsts).capitalize()
        notes.append(f"{kinds} values are put in no common ratio.")
    alone = (one for one in shown if not (isinstance(one.value, Mean) and one.value.interval.known))
    if any(point.kind == _KINDS["ingested"] for point in alone):
        notes.append(WITHIN)
    if len({point.source for point in shown if point.kind == _KINDS[MEASURED]}) > 1:
        notes.append(ACROSS)
    names = " or ".join(_title(chapter, name) for name in dict.fromkeys(firsts.values()))
    header = ["Source", chapter.label(metric), "95 % interval", f"Ratio to {names}"]
    # What no row has makes no column: a single source of its kind has no ratio.
    filled = [
        at for at in range(len(header) - 1) if any(row.cells and row.cells[at] for row in rows)
    ]
    rows = [Row(row.label, tuple(row.cells[at] for at in filled if row.cells)) for row in rows]
    table = quantity_table(
        chapter, rows, caption=caption, by_row=True,
        header=[header[0], *(header[at + 1] for at in filled)], notes=notes,
    )  # fmt: skip
    return replace(table, margins=ratio_margins(chapter, cells))


def _answer(chapter: Chapter, groups: Sequence[Sequence[_Point]], firsts: dict[str, str]) -> Text:
    """Say what the first and the last group hold, with the ratios; first what is withheld."""
    shown, sentences = chapter.inline, []
    for name in dict.fromkeys(one.source for group in groups for one in group):
        if name in chapter.observations.campaign_ids:
            plan = chapter.observations.campaign(name).plan.name
            if withheld := Measured(chapter, plan, campaigns=(name,)).withheld:
                sentences.append(shown(f"Campaign {name}: {withheld}"))
    for group in (groups[0], groups[-1])[: len(groups)]:
        bases = {one.kind: one for one in group if one.source == firsts[one.kind]}
        told = []
        for one in group:
            _, ratio = _beside(chapter, one, bases.get(one.kind))
            words = f"{shown(_title(chapter, one.source))} {shown(one.quantity)}"
            if isinstance(ratio, Quantity):
                base = shown(_title(chapter, firsts[one.kind]))
                words += f", {shown(ratio)} times that of {base}"
            told.append(words)
        where = escape_markdown(_named(chapter, group[0].row))
        sentences.append(f"{where}: {'; '.join(told)}.")
    return Text(" ".join(sentences))


def _beside(chapter: Chapter, one: _Point, base: _Point | None) -> tuple[Entry, ...]:
    """Give the interval of a value, and its ratio to the baseline."""
    interval = interval_text(chapter, one.value) if isinstance(one.value, Mean) else None
    if base is None or base is one or base.quantity.value == 0:
        return interval, None
    ratio = one.quantity.over(base.quantity)
    of, to = one.value, base.value
    if isinstance(of, Mean) and isinstance(to, Mean) and min(*of.values, *to.values) > 0:
        ratio = replace(ratio, value=of.over(to).estimate)  # as all tables of runs have it
    return interval, ratio


def _figure(
    chapter: Chapter, shown: Sequence[_Point], metric: str, title: str, caption: str
) -> Figure:
    several = len({point.key[1] for point in shown}) > 1
    rows = pd.DataFrame(
        {
            "panel": ", ".join([point.kind, *[_delivery(chapter, point.row)] * several]),
            "source": _title(chapter, point.source),
            "message_bytes": point.row["message_bytes"],
            metric: point.value,
        }
        for point in shown
    )
    return chart(
        chapter, rows, x="message_bytes", y=metric, series="source", panels="panel", mark="line",
        log={"message_bytes"}, one_scale=False, title=title, caption=caption, varied=None,
    )  # fmt: skip


def _named(chapter: Chapter, row: pd.Series[Any]) -> str:
    size = chapter.level("message_bytes", row["message_bytes"])
    return ", ".join(filter(None, [size, _delivery(chapter, row)]))


def _delivery(chapter: Chapter, row: pd.Series[Any]) -> str:
    value = row["delivery"]
    return "" if pd.isna(value) else chapter.level("delivery", value)


def _title(chapter: Chapter, source: str) -> str:
    known = chapter.observations
    return known.report(source).short_title if source in known.report_ids else f"campaign {source}"
