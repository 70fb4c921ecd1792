"""What ``report.yml`` declares of a report's values: tables, text, figures, doubts."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field

from roundtrip.dictionary import FactorValue
from roundtrip.yamlfile import Strict, Text, matching

TEXT_TABLE = "text"

Slug = Annotated[
    str, matching("[a-z0-9][a-z0-9.-]{0,59}", "up to 60 lower case letters, digits, . and -")
]


def section_named(section: str, word: str = "section") -> str:
    """Name a section: by its number, or by its title, which stands in quotation marks.

    Examples
    --------
    >>> section_named("B.2.1"), section_named("IV"), section_named("3rd party tools")
    ('section B.2.1', 'section IV', '“3rd party tools”')
    """
    numbered = re.fullmatch(r"[A-Z]|[IVX]+|[A-Z]?\.?\d[\w.]*(( and|,) \d[\w.]*)*", section)
    return f"{word} {section}" if numbered else f"“{section}”"


class Column(Strict):
    """One printed column that holds values.

    Attributes
    ----------
    header : str
        Header in the CSV file: the printed one, with the header it stands under before a slash.
    metric, statistic : str
        Names from the dictionary.
    unit : str or None
        Unit of the values that do not carry one themselves, where the header gives another than
        the metric's: one of the metric's `printed_units`.
    factors : dict
        Factors that this column alone sets. Columns of one row that set the same factors belong
        to the same point.
    point : str or None
        Keeps columns apart that set the same factors and yet were not seen together, as a
        sweep's peak and the mean of its flat part: only columns with the same one belong to the
        same point.
    """

    header: Text
    metric: Text
    statistic: Text = "peak"
    unit: Text | None = None
    factors: dict[str, FactorValue | None] = Field(default={})
    point: Text | None = None


class Table(Strict):
    """One printed table.

    Attributes
    ----------
    id : str
        Name of its CSV file, without the ending.
    number : str
        As printed, such as ``Table A``; without a caption its section, such as ``sec B``.
    section, caption : str
        Where it stands; what it shows, in our words.
    cells : int
        Number of numeric cells it prints: the transcription must yield as many.
    columns : tuple of Column
        The columns that hold values, in printed order.
    factors : dict
        Factors common to all of its cells.
    repeats : str or None
        Another table of the report whose values this one prints again.
    note : str or None
        What a reader of the table must know.
    """

    id: Slug
    number: Text
    section: Text
    caption: Text
    cells: int = Field(ge=1)
    columns: tuple[Column, ...] = Field(min_length=1)
    row_header: Text = "Test"
    page: int | None = None
    factors: dict[str, FactorValue | None] = Field(default={})
    repeats: Slug | None = None
    note: Text | None = None


class TextValues(Strict):
    """Values stated outside the tables, kept in ``text.csv``.

    Attributes
    ----------
    values : int
        How many there are: the file must hold as many.
    factors : dict
        Factors common to all of them.
    """

    values: int = Field(ge=1)
    factors: dict[str, FactorValue | None] = Field(default={})


class Axis(Strict):
    """One axis that a figure's curves are drawn against.

    Attributes
    ----------
    metric : str
        Name from the dictionary.
    step : float
        Smallest difference that the drawing can show, in the metric's unit: values read off it
        are good to about one step either way.
    """

    metric: Text
    step: float = Field(gt=0)


class Curve(Strict):
    """One series of a figure.

    Attributes
    ----------
    factors : dict
        What is set in it, beside what the figure's curves have in common.
    repeats : str or None
        The curve, as ``figure-a/one-host``, that draws the same measurement in another figure.
    """

    factors: dict[str, FactorValue | None] = Field(default={})
    repeats: Text | None = None


class Drawing(Strict):
    """What was read off a printed figure: one CSV file in ``figures/``.

    Attributes
    ----------
    file : str
        Name of the file, without the ending.
    values : int
        How many values it holds.
    axes : dict
        Axes by their name in the file.
    factors : dict
        Factors common to all curves.
    curves : dict
        Curves by their legend.
    """

    file: Slug
    values: int = Field(ge=1)
    axes: dict[Text, Axis] = Field(min_length=1)
    factors: dict[str, FactorValue | None] = Field(default={})
    curves: dict[Text, Curve] = Field(min_length=1)


class Figure(Strict):
    """One printed figure.

    Attributes
    ----------
    number, section, shows : str
        As printed; where it stands; what it shows, in our words.
    data : str
        Whether its data is at hand, and where.
    drawing : Drawing or None
        What was read off it.
    """

    number: Text
    section: Text
    shows: Text
    data: Text = "not available: drawn without numbers"
    drawing: Drawing | None = None


class SuspectCell(Strict):
    """A printed cell that cannot stand as it is.

    Attributes
    ----------
    table, row, column : str
        Which cell. For a value of ``text.csv`` the table is ``text`` and the column ``value``.
    printed : str or None
        The cell's value as printed, where one printed row holds several points.
    reason : str
        Why it is doubted.
    corrected : float or None
        The value that the document itself proves, if it does, in the unit of its metric.
    """

    table: Slug
    row: Text
    column: Text
    printed: Text | None = None
    reason: Text
    corrected: float | None = None
