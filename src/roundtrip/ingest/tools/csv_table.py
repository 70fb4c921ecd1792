"""A CSV file of observations, as a mapping says: one row is one operating point, or a run of one.

The mapping stands beside the file: ``results.mapping.yml`` beside ``results.csv``.
"""

from __future__ import annotations

import csv
import math
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Literal

from pydantic import Field, model_validator

from roundtrip.dictionary import Dictionary, Metric
from roundtrip.errors import DataError, nearest, unknown
from roundtrip.files import sha256_of
from roundtrip.ingest.context import Scalar
from roundtrip.ingest.patterns import plain_value, run_number
from roundtrip.ingest.printed import number
from roundtrip.ingest.reader import LineReader, under
from roundtrip.ingest.records import FACTOR, Quantity, Sink
from roundtrip.secrets import refuse_secrets
from roundtrip.yamlfile import Strict, hidden_character, line_of, load_model

SUFFIX = ".mapping.yml"
_LONGEST = 200
_FORMULA = ("=", "+", "-", "@")


class Column(Strict):
    """What one column holds: a factor, or the values of a metric.

    Attributes
    ----------
    factor : str or None
        A factor of the dictionary.
    metric, statistic, unit : str or None
        A metric of the dictionary, its statistic, and the unit that the values are printed in.
    words : dict
        What short words in the cells of a factor stand for.
    """

    factor: str | None = None
    metric: str | None = None
    statistic: str | None = None
    unit: str | None = None
    words: dict[str, Scalar] = Field(default={})

    @property
    def key(self) -> str:
        """What its values are called among the quantities."""
        return f"{self.metric} ({self.statistic})"

    @model_validator(mode="after")
    def _one_of_both(self) -> Column:
        given = [self.metric, self.statistic, self.unit]
        if self.factor is not None and any(given):
            raise ValueError(
                "is a factor, or has metric, statistic and unit; not both (a factor is in its own "
                'unit: words say what its cells stand for, such as words: {"2": 2048})'
            )
        if self.factor is None and not all(given):
            raise ValueError("needs a factor, or metric, statistic and unit")
        if self.words and self.factor is None:
            raise ValueError("words stand for values of a factor")
        return self


class Mapping(Strict):
    """The whole of a mapping.

    Attributes
    ----------
    separator : str
        What stands between cells.
    decimal : str
        The decimal mark; nothing sets thousands apart. It must be said where the separator is no
        comma, as in tables of countries with a decimal comma: ``71.000`` could be either.
    missing : tuple of str
        What stands in a cell that has no value, beside nothing.
    constants : dict
        Factors that are the same in all rows.
    columns : dict
        What columns hold.
    repetition : str or None
        The column that numbers the runs of a point, where each row is one run.
    ignore : tuple of str
        Columns that are left out: every column of the file is named in one place or the other.
    """

    separator: Literal[",", ";", "\t", "|"] = ","
    decimal: Literal[".", ","] = "."
    missing: tuple[str, ...] = ()
    constants: dict[str, Scalar] = Field(default={})
    columns: dict[str, Column] = Field(min_length=1)
    repetition: str | None = None
    ignore: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _without_doubt(self) -> Mapping:
        if self.separator != "," and "decimal" not in self.model_fields_set:
            raise ValueError(
                'decimal must be said where the separator is no comma: decimal: "." or decimal: ","'
            )
        if self.repetition in (*self.columns, *self.ignore):
            raise ValueError(
                f"repetition is the column '{self.repetition}', which columns or ignore names too"
            )
        return self


class CsvTable(LineReader):
    """Reads a CSV file of observations, as a mapping says.

    It is for no file unasked: any table could be one, and only a mapping says what it means.

    Parameters
    ----------
    file : str, optional
        What the file is called in refusals.

    Raises
    ------
    DataError
        If the mapping breaks a rule; it names file, line and key.
    ParameterError
        If it holds what looks like a secret: a campaign keeps it.
    """

    name = "csv"
    title = "CSV"
    summary_note = "as the row says"

    def __init__(self, mapping: Path, dictionary: Dictionary, file: str = "the file") -> None:
        self._file = file
        self._path, self._dictionary = mapping, dictionary
        self._headings: list[str] = []
        self._mapping = load_model(mapping, Mapping, DataError)
        self._text = mapping.read_text(encoding="utf-8")
        refuse_secrets(self._text, str(mapping), "word it otherwise, or take it out")
        self._constants: dict[str, str] = {}
        for factor, value in self._mapping.constants.items():
            typed = dictionary.factor_value(factor, value, self._where("constants", factor))
            if typed is not None:
                self._constants[factor] = str(value)
        self._metrics: dict[str, Metric] = {}
        taken = dict.fromkeys(self._constants, "the constants")
        for heading, column in self._mapping.columns.items():
            where = self._where("columns", heading)
            if column.factor is not None:
                dictionary.factor(column.factor, where)
                for word in column.words.values():
                    dictionary.factor_value(column.factor, word, where)
                said = column.factor
            else:
                self._metrics[heading] = self._metric(column, where)
                said = column.key
            if said in taken:
                raise DataError(f"{said} is given by {taken[said]} too", where=where)
            taken[said] = f"the column '{heading}'"
        if not self._metrics:
            raise DataError("no column holds values", where=self._where("columns"),
                            remedy="give one a metric, a statistic and a unit")  # fmt: skip

    def _where(self, *keys: str) -> str:
        return f"{self._path}:{line_of(self._text, keys)}"

    def _metric(self, column: Column, where: str) -> Metric:
        metric = self._dictionary.metric(str(column.metric), where)
        units = [metric.unit, *metric.printed_units]
        for what, found, known in (
            ("statistic", str(column.statistic), list(self._dictionary.statistics)),
            (f"unit of {column.metric}", str(column.unit), units),
        ):
            if found not in known:
                remedy = "use one of these, or add it to data/dictionary.yml"
                raise unknown(DataError, what, found, known, where=where, remedy=remedy)
        return metric

    @property
    def mapping(self) -> str:
        """The text of the mapping."""
        return self._text

    def read(self, stream: BinaryIO, sink: Sink) -> None:
        """Tell what the columns hold, and read each row."""
        for heading, metric in self._metrics.items():
            column = self._mapping.columns[heading]
            sink.quantities[column.key] = Quantity(
                metric.unit, column.metric, statistic=str(column.statistic)
            )
        sink.setting("mapping", f"SHA-256 {sha256_of(self._text)}")
        super().read(stream, sink)

    def line(self, number: int, text: str, sink: Sink) -> str | None:
        """Read the headings, then one point a line."""
        if not text.strip() or text.startswith(("#", "sep=")):  # a line that only Excel reads
            return sink.count_ignored()
        try:
            rows = csv.reader([text], delimiter=self._mapping.separator, strict=True)
            cells = [cell.strip() for cell in next(rows)]
        except csv.Error:
            return "a quoted cell does not end on its line, or is too long"
        if not self._headings:
            self._take_headings([cell.removeprefix("\ufeff") for cell in cells], number)
            return sink.count_ignored()
        found: dict[str, float | str | None] = {
            FACTOR + factor: text for factor, text in self._constants.items()
        }
        for heading, cell in under(self._headings, cells):
            column = self._mapping.columns.get(heading)
            numbers_runs = heading == self._mapping.repetition
            if not numbers_runs and (column is None or not cell or cell in self._mapping.missing):
                continue
            if len(cell) > _LONGEST or hidden_character(cell):
                return f"{heading}: a cell of hidden characters, or of more than {_LONGEST}"
            try:
                if column is None:
                    sink.repetition = run_number(cell)
                    continue
                if column.factor is not None:
                    found[FACTOR + column.factor] = self._factor(column, cell)
                    continue
                metric = self._metrics[heading]
                printed = _number(cell, str(column.unit), self._mapping.decimal)
                amount = metric.converted(printed, str(column.unit))
            except (ValueError, DataError) as problem:
                if isinstance(problem, DataError):
                    return f"{heading}: {problem.what}; allowed: {problem.allowed}"
                return f"{heading}: {problem}"
            if math.isfinite(amount) and (reason := metric.refusal(amount)):
                return f"{heading} is {cell[:40]} and {reason}"
            found[column.key] = amount
        if not any(isinstance(value, float) and math.isfinite(value) for value in found.values()):
            return "no value"
        sink.row("summary", number, found)
        return sink.count_used()

    def _take_headings(self, headings: list[str], number: int) -> None:
        known = [*self._mapping.columns, *self._mapping.ignore]
        known += filter(None, [self._mapping.repetition])
        for heading in (*headings, *known):
            if headings.count(heading) != 1 or heading not in known:
                others = {*headings, *known} - {heading}
                raise DataError(
                    f"line {number} of {self._file} and the mapping do not both name the column "
                    f"'{heading[:60]}' once{nearest(heading, others)}",
                    where=self._where("columns"),
                    allowed=", ".join(each[:60] for each in headings),
                    remedy="name each column under columns, under ignore or as repetition; "
                    "separator says what stands between columns",
                )
        self._headings = headings

    def _factor(self, column: Column, cell: str) -> str:
        factor = self._dictionary.factors[str(column.factor)]
        text = plain_value(factor.type, cell, column.words)
        if factor.type == "string" and factor.allowed is None and text.startswith(_FORMULA):
            raise ValueError("begins like a formula of a spreadsheet")
        self._dictionary.factor_value(str(column.factor), text, "")
        return text


def _number(cell: str, unit: str, decimal: str) -> float:
    bare = cell.removesuffix("%").rstrip() if unit == "%" else cell
    if ({",", "."} - {decimal}).isdisjoint(bare):
        with suppress(ValueError):
            value = number(bare)
            # 0/0 is no more a value than 1/0: like an infinite one it is counted, and left out.
            return math.inf if math.isnan(value) else value
    raise ValueError(
        f"'{cell[:40]}' is not a number with the decimal mark '{decimal}'; allowed: digits without "
        "marks between thousands and without a unit; the mapping's decimal names another mark, its "
        "missing what stands for no value"
    )
