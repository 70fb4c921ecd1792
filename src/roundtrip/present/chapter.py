"""What a chapter opens first: the data, and the way its parameters want it shown."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import Any

import pandas as pd

from roundtrip.dictionary import RATE as RATE  # with an alias: chapters import it from here
from roundtrip.dictionary import TIME as TIME
from roundtrip.dictionary import Dictionary
from roundtrip.errors import ChapterError, unknown
from roundtrip.observations import load_observations
from roundtrip.outputs import escape_markdown
from roundtrip.present.anchors import cell_anchor
from roundtrip.present.arguments import (
    checked,
    difference_told,
    in_short,
    levels_told,
    refuse_impossible,
    refuse_unknown_factor,
)
from roundtrip.present.drawings import drawing
from roundtrip.present.figure import Figure
from roundtrip.present.levels import NOT_STATED, inside, level_text
from roundtrip.present.notebook import show_refusals_in_short, show_values
from roundtrip.present.numbers import NumberFormat, Quantity
from roundtrip.present.points import (
    fitting,
    ingested,
    metric_of,
    metrics_of,
    of_sizes,
    points_of,
    published,
)
from roundtrip.project import find_project
from roundtrip.sections import named_sections
from roundtrip.sources.disclosure import PublishedReport
from roundtrip.theme import load_theme

MESSAGES_PER_ROUND_TRIP = 2
RATE_UNITS = {"round trips/s": 1, "messages/s": MESSAGES_PER_ROUND_TRIP}
"""Units of rates, each with what a rate in round trips/s is multiplied by."""
_GAP = re.compile(r"{{|}}|{(\w+)(:n)?}|[{}]")
_TOLD = ["observation_id", "source", "source_kind", "table", "row_label", "column_label",
         "value_printed", "value"]  # fmt: skip


def with_unit(label: str, unit: str) -> str:
    """Add a unit in brackets to a label, unless one of its words is that unit."""
    words = rf"(?<![\w'\u2019]){re.escape(unit)}(?!\w)"
    return label if not unit or re.search(words, label, re.IGNORECASE) else f"{label} ({unit})"


class Text:
    """Computed text: Markdown for the renderers and for JupyterLab."""

    def __init__(self, markdown: str) -> None:
        self.markdown = markdown

    def _repr_markdown_(self) -> str:
        return self.markdown


class Chapter:
    """Access to the data for one chapter.

    Parameters
    ----------
    report : str, optional
        Id of the published report that the chapter is about, where it is about one.
    message_bytes : collection of int, optional
        Message sizes to show; all when None. Points that state no size are always shown.
    variants : sequence of str
        Variants to show; all when empty.
    campaigns : sequence of str
        Ids of the measured campaigns that represent their plans in this edition.
    rate_unit : {"round trips/s", "messages/s"}
        Unit of rates.
    number_format : str
        How numbers are written.
    word_limits : mapping, optional
        What vague words of claims mean where it is not what the table of words says.
    folder : Path, optional
        Where to look for the project; the working directory by default.

    Raises
    ------
    ChapterError
        If there is no such unit of rates or format of numbers, or another chapter of the notebook
        has a different format.
    DataError
        If there is no such report.
    """

    @checked
    def __init__(
        self,
        report: str | None = None,
        *,
        message_bytes: Collection[int] | None = None,
        variants: Sequence[str] = (),
        campaigns: Sequence[str] = (),
        rate_unit: str = "round trips/s",
        number_format: str = "1,234.5",
        word_limits: Mapping[str, tuple[float | None, float | None]] | None = None,
        folder: Path | None = None,
    ) -> None:
        show_refusals_in_short()
        self.project = find_project(folder)
        self.observations = load_observations(self.project)
        self._records: dict[str, Mapping[Any, Any]] = {}
        self._about = None if report is None else self.observations.report(report)
        self.message_bytes = message_bytes
        self.variants = tuple(variants)
        self.campaigns = tuple(dict.fromkeys(campaigns))
        if rate_unit not in RATE_UNITS:
            raise unknown(ChapterError, "unit of rates", rate_unit, RATE_UNITS, where="Chapter")
        self.rate_unit = rate_unit
        self.numbers = NumberFormat(number_format)
        self.word_limits = word_limits
        show_values(self.write, self.inline, self.cell_names, number_format)

    @property
    def about(self) -> PublishedReport:
        """What the chapter's published report says of itself.

        Raises
        ------
        ChapterError
            If the chapter is about no published report.
        """
        if self._about is None:
            raise ChapterError(
                "the chapter is about no published report",
                allowed=", ".join(self.observations.report_ids) or None,
                remedy="name it: Chapter('its-id')",
            )
        return self._about

    def is_about(self, report: str) -> bool:
        """Say whether a published report is the one that the chapter is about."""
        return self._about is not None and self._about.id == report

    @checked
    def on(self, report: str) -> Chapter:
        """Give the same access, about another published report."""
        other = copy.copy(self)
        other._about = self.observations.report(report)
        return other

    @property
    def dictionary(self) -> Dictionary:
        """The data dictionary."""
        return self.observations.dictionary

    @cached_property
    def sections(self) -> dict[str, str]:
        """Sections of the book that chapters refer to by themselves; see `named_sections`."""
        return named_sections(self.project)

    # --- data ------------------------------------------------------------------------------

    @checked
    def points(
        self, *tables: str, campaign: str | None = None, varied: str | None = None,
        keep: str | None = None, **factors: Any,
    ) -> pd.DataFrame:  # fmt: skip
        """Give the operating points of some tables, in the rate unit of this edition.

        Parameters
        ----------
        *tables : str
            Table ids of the chapter's report.
        campaign : str, optional
            Id of an ingested campaign, whose points are given instead.
        varied : str, optional
            The factor whose values are this chapter's variants: the `variants` parameter
            selects among them.
        keep : str, optional
            The baseline, shown whatever is selected.
        **factors
            Values that factors must have.

        Returns
        -------
        pandas.DataFrame
            One row for each point, table by table: the factors, ``point_id, source_kind,
            table_id, table, row_label``, one column for each metric that occurs and, named
            ``<metric>_cell`` and ``<metric>_decimals``, the observation it was read from and the
            digits after its point that its source gives. Percentiles, maxima and what stands beside
            a mean, such as its standard error, have columns of their own, such as
            ``round_trip_time_p99``. Corrected values take the place of the
            printed ones that their source disproves. Where a campaign has several runs of a
            point, values are means over them, ``<metric>_cell`` names the observations of all, and
            ``<metric>_runs``, ``<metric>_low`` and ``<metric>_high`` give their number and the ends
            of the 95 % interval, which one run does not have.

        Raises
        ------
        ChapterError
            If there is no such factor, value of one or table; the nearest one is given. If a
            table has two values for one column of a point, or nothing is left to show.
        DataError
            If there is no such campaign.
        """
        if campaign is None:
            points = published(self.observations, self.about.id, tables)
        elif tables:
            raise ChapterError("takes tables or a campaign, not both", where="Chapter.points")
        else:
            points = points_of(ingested(self.observations, campaign), self.dictionary)
        if keep is not None and varied is None:
            raise ChapterError(
                f"keep={keep!r} has no effect without varied", where="Chapter.points",
                remedy="name the factor whose value it is: varied='…'",
            )  # fmt: skip
        if varied is not None:
            refuse_unknown_factor(points, varied, self.dictionary, "Chapter.points: varied")
            if keep is not None:
                where = "Chapter.points: keep"
                refuse_impossible(points, varied, [keep], self.observations, where)
        found = self.select(points, **factors)
        asked = campaign or ", ".join(tables)
        if found.empty:
            told = levels_told(points, factors)
            raise ChapterError(f"{factors} selects no points of {asked}", allowed=told)
        points = of_sizes(found, self.message_bytes)
        if varied is not None and set(self.variants) & set(points[varied]):
            points = points[points[varied].isin([*self.variants, keep])]
        if points.empty:
            names = ["message_bytes", *filter(None, [varied])]
            raise ChapterError(
                f"nothing left to show of {asked}", allowed=levels_told(found, names),
                remedy="widen message_bytes or variants",
            )  # fmt: skip
        rates = [name for name in (RATE, f"{RATE}_low", f"{RATE}_high") if name in points]
        points = points.assign(**{name: points[name] * self.rate_scale for name in rates})
        return points.reset_index(drop=True)

    @property
    def rate_scale(self) -> int:
        """What a rate in round trips/s is multiplied by to be in the rate unit of this edition."""
        return RATE_UNITS[self.rate_unit]

    def unit(self, metric: str) -> str:
        """Give the unit in which this edition shows a metric."""
        return self.rate_unit if metric == RATE else metric_of(metric, self.dictionary)[0].unit

    def label(self, metric: str) -> str:
        """Give the label of a metric: rates are named by their unit, percentages end with it."""
        if metric == RATE:
            return self.rate_unit[:1].upper() + self.rate_unit[1:]
        entry, statistic = metric_of(metric, self.dictionary)
        unit = "(%)" if entry.unit == "%" else ""
        return " ".join(filter(None, [entry.label, statistic, unit]))

    def factor_label(self, factor: str) -> str:
        """Name a factor, or a column that a chapter made, for the head of a table."""
        entry = self.dictionary.factors.get(factor)
        return factor.capitalize() if entry is None else entry.label

    def level(self, factor: str, value: Any) -> str:
        """Name a factor's value for a reader: 2048 bytes is ``2 KB``, no TLS is ``no TLS``."""
        return level_text(factor, value, self.dictionary, self.numbers)

    def level_named(self, factor: str, value: Any) -> str:
        """Name a factor's value where nothing beside it says which factor it is: 1 requester."""
        level = self.level(factor, value)
        entry = self.dictionary.factors.get(factor)
        if entry is None:
            return level
        label = inside(entry.label)
        if entry.type == "boolean" or level == NOT_STATED:
            return f"{label}: {level}"
        if any(letter.isalpha() for letter in level):
            return level
        counted = re.fullmatch("(.*)s( per .*)?", label)  # threads per client are counted, too
        if entry.type != "integer" or counted is None:
            return f"{label} {level}"
        return f"{level} {counted[1]}{counted[2] or ''}" if value == 1 else f"{level} {label}"

    @checked
    def quantity(self, points: pd.DataFrame, metric: str = RATE, **factors: Any) -> Quantity:
        """Give the one value of a metric that the factors select.

        Parameters
        ----------
        points : pandas.DataFrame
            From `points`.
        **factors
            Values that factors (or ``table_id``) must have.

        Raises
        ------
        ChapterError
            If not exactly one point is selected: a sentence must know what it speaks of.
        """
        rows = self.select(points, **factors)
        if len(rows) != 1:
            there = f"there are {levels_told(points, factors)}"
            raise ChapterError(
                f"{factors} selects {len(rows)} points, not one",
                allowed=there if rows.empty else difference_told(rows, self.dictionary),
            )
        return self.quantities(rows, metric)[0]

    @checked
    def quantities(self, points: pd.DataFrame, metric: str = RATE) -> list[Quantity]:
        """Give a metric of every point, in order, with the decimals that were printed.

        Raises
        ------
        ChapterError
            If the points have no such metric (the nearest one is given), or one lacks it.
        """
        if f"{metric}_cell" not in points:
            raise unknown(ChapterError, "metric of these points", metric, metrics_of(points))
        if (without := points[points[metric].isna()]).size:
            raise ChapterError(
                f"no {metric} of {', '.join(without['row_label'].astype(str))}",
                remedy=f"choose the points that have it: points[points['{metric}'].notna()]",
            )
        columns = (points[metric], points[f"{metric}_cell"], points[f"{metric}_decimals"])
        measured = points["source_kind"] == "ingested"
        _, statistic = metric_of(metric, self.dictionary)
        name = metric.removesuffix(f"_{statistic}")
        return [
            Quantity(float(value), self.unit(metric), tuple(str(cell).split()), int(decimals),
                     "measured" if here else "published", name)
            for value, cell, decimals, here in zip(*columns, measured, strict=True)
        ]  # fmt: skip

    @checked
    def select(self, points: pd.DataFrame, **factors: Any) -> pd.DataFrame:
        """Give the points where every factor has the value asked for; None: where it is not set."""
        return points[fitting(points, factors, self.observations)]

    # --- text ------------------------------------------------------------------------------

    @checked
    def write(self, quantity: Quantity, *, unit: bool = True) -> str:
        """Write a quantity as plain text."""
        text = self.numbers.write(quantity.value, quantity.decimals)
        shown = unit and quantity.unit and not quantity.bare
        return f"{text}\u00a0{quantity.unit}" if shown else text

    @checked
    def text(self, template: str, **values: Any) -> Text:
        """Fill computed values into a sentence; each number links to the cell it comes from.

        Parameters
        ----------
        template : str
            Markdown with ``{name}`` for a value with its unit, ``{name:n}`` for the number
            alone.
        **values
            Quantities; text and whole numbers are written as they are, escaped.

        Raises
        ------
        ChapterError
            If the template names no value that is given (the nearest one is named), or in another
            way.
        """

        def fill(found: re.Match[str]) -> str:
            if found[0] in ("{{", "}}"):
                return found[0][0]
            if found[1] is None:
                raise ChapterError(
                    f"'{template}' has a brace that is no gap for a value", where="Chapter.text",
                    allowed="{name}, {name:n}, and {{ or }} for a brace",
                )  # fmt: skip
            if found[1] not in values:
                raise unknown(ChapterError, "value", found[1], values, where="Chapter.text")
            return self.inline(values[found[1]], unit=not found[2])

        return Text(_GAP.sub(fill, template))

    def inline(self, value: Quantity | str | int, *, unit: bool = True) -> str:
        """Write a value for a sentence in Markdown.

        Parameters
        ----------
        value : Quantity, str or int
            A quantity links to its first cell and names them all; text is escaped.
        unit : bool
            Whether a quantity's unit follows it.
        """
        given: object = value  # NumPy's whole numbers are such, too
        whole = isinstance(given, Integral) and not isinstance(given, bool)
        if isinstance(value, str) or whole:
            return escape_markdown(str(value))
        if not isinstance(value, Quantity):
            raise ChapterError(
                f"{in_short(value)} is neither a quantity nor text",
                allowed="a quantity, text, a whole number",
            )
        shown = escape_markdown(self.write(value, unit=unit))
        if not value.cells:
            return shown
        where = escape_markdown("; ".join(self.cell_names(value.cells)))
        return f'[{shown}](#{cell_anchor(value.cells[0])} "{where}")'

    def records_of(self, cells: Sequence[str]) -> list[Mapping[Any, Any]]:
        """Give what tells a reader of cells which they are; each is looked up once."""
        if unread := {*cells} - self._records.keys():
            rows = self.observations.rows_of(unread)[_TOLD].to_dict("records")
            self._records |= {row["observation_id"]: row for row in rows}
        for cell in cells:
            if cell not in self._records:
                raise ChapterError(f"there is no observation '{cell}'")
        return [self._records[cell] for cell in cells]

    def cell_names(self, cells: Sequence[str]) -> list[str]:
        """Name cells for a reader: ``Acme Broker 3, Table A, 2 KB, Max Rate``."""
        names = []
        for row in self.records_of(cells):
            source = str(row["source"])
            if row["source_kind"] in ("measured", "ingested"):
                what = "run" if row["source_kind"] == "measured" else "point"
                place = f"campaign {source}, {what}"
            else:
                place = f"{self.observations.report(source).short_title}, {row['table']},"
            names.append(f"{place} {row['row_label']}, {row['column_label']}")
        return names

    # --- drawings --------------------------------------------------------------------------

    @checked
    def topology(self, name: str) -> Figure:
        """Give the drawing of a topology, from ``templates/diagrams/<name>.svg``."""
        path = self.project.templates / "diagrams" / f"{name}.svg"
        return drawing(path, load_theme(self.project))
