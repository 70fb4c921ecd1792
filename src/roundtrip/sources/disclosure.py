"""What a published report says of itself: the schema of ``report.yml``."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from roundtrip.dictionary import FactorValue

TEXT_TABLE = "text"

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.-]*$", max_length=60)]
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Column(_Strict):
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
    factors: dict[str, FactorValue | None] = {}
    point: Text | None = None


class Table(_Strict):
    """One printed table.

    Attributes
    ----------
    id : str
        Name of its CSV file, without the ending.
    number : str
        As printed (``Table 8``); without a caption its section (``sec 6.3``).
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
    factors: dict[str, FactorValue | None] = {}
    repeats: Slug | None = None
    note: Text | None = None


class TextValues(_Strict):
    """Values stated outside the tables, kept in ``text.csv``.

    Attributes
    ----------
    values : int
        How many there are: the file must hold as many.
    factors : dict
        Factors common to all of them.
    """

    values: int = Field(ge=1)
    factors: dict[str, FactorValue | None] = {}


class Axis(_Strict):
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


class Curve(_Strict):
    """One series of a figure.

    Attributes
    ----------
    factors : dict
        What is set in it, beside what the figure's curves have in common.
    repeats : str or None
        The curve, as ``figure-01/M2003A``, that draws the same measurement in another figure.
    """

    factors: dict[str, FactorValue | None] = {}
    repeats: Text | None = None


class Drawing(_Strict):
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
    factors: dict[str, FactorValue | None] = {}
    curves: dict[Text, Curve] = Field(min_length=1)


class Figure(_Strict):
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
    data: Text = "not available: the source prints the curve only"
    drawing: Drawing | None = None


class SuspectCell(_Strict):
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


class Host(_Strict):
    """Machines of one kind in a host set."""

    roles: tuple[Text, ...] = Field(min_length=1)
    count: int = Field(ge=1)
    model: Text
    processor: Text | None = None
    sockets: int | None = None
    cores_per_socket: int | None = None
    clock_ghz: float | None = None
    memory_gb: float | None = None
    storage: Text | None = None
    network: Text | None = None
    operating_system: Text | None = None
    settings: tuple[Text, ...] = ()


class Link(_Strict):
    """A network link between hosts of a set."""

    between: Text
    bandwidth_gbps: float | None = None
    carries: Text | None = None


class HostSet(_Strict):
    """The machines, links and software of one test bed."""

    section: Text
    title: Text
    hosts: tuple[Host, ...] = Field(min_length=1)
    links: tuple[Link, ...] = ()
    storage: tuple[Text, ...] = ()
    software: tuple[Text, ...] = ()
    note: Text | None = None


class Model(_Strict):
    """One model of a product that is sold as hardware, as its publisher describes it."""

    section: Text
    processor: Text | None = None
    sockets: int | None = None
    cores_per_socket: int | None = None
    clock_ghz: float | None = None
    memory_gb: float | None = None
    storage: Text | None = None
    io_subsystem: Text | None = None
    raid: Text | None = None
    workload_network: tuple[Text, ...] = ()
    management_network: tuple[Text, ...] = ()
    note: Text | None = None


class Setting(_Strict):
    """One tuning setting, as the source gives it."""

    section: Text
    place: Text
    name: Text
    value: Text
    applies_to: Text | None = None
    note: Text | None = None


class Workload(_Strict):
    """One workload, described in our words."""

    section: Text
    title: Text
    requesters: Text
    responders: Text
    queues: Text
    flows: Text
    driver: Text | None = None
    note: Text | None = None


class Scenario(_Strict):
    """One set-up that the report tests, under the name it prints.

    Attributes
    ----------
    section, name : str
        Where it stands, and its printed name. One name may stand for several set-ups.
    says : str
        What it is, in our words.
    factors : dict
        What is set in it, beside the factors common to the report.
    tables : tuple of str
        Ids of the tables that hold its results.
    note : str or None
        What a reader must know.
    """

    section: Text
    name: Text
    says: Text
    factors: dict[str, FactorValue | None] = {}
    tables: tuple[Slug, ...] = ()
    note: Text | None = None


class Fact(_Strict):
    """Something the report states that is neither a setting nor an observed value.

    Attributes
    ----------
    section, topic : str
        Where it stands; what it is about.
    when : str or None
        The condition under which it holds.
    says : str
        The statement, in our words.
    """

    section: Text
    topic: Text
    when: Text | None = None
    says: Text


class MessageSizes(_Strict):
    """How the report's size labels translate to bytes, and on what ground."""

    basis: Text
    bytes: dict[str, int]


class PublishedReport(_Strict):
    """The whole of ``report.yml``."""

    id: Slug
    title: Text
    short_title: Text
    publisher: Text
    authors: tuple[Text, ...]
    edition: Text
    date: Text
    product: Text
    product_version: Text
    notice: Text
    cells: int = Field(ge=1)
    factors: dict[str, FactorValue | None] = {}
    message_sizes: MessageSizes
    host_sets: dict[str, HostSet] = Field(min_length=1)
    models: dict[str, Model] = {}
    workloads: dict[str, Workload] = {}
    scenarios: tuple[Scenario, ...] = ()
    tuning: tuple[Setting, ...] = ()
    facts: tuple[Fact, ...] = ()
    tables: tuple[Table, ...] = Field(min_length=1)
    text: TextValues | None = None
    figures: tuple[Figure, ...] = ()
    suspect: tuple[SuspectCell, ...] = ()

    @property
    def numbers(self) -> dict[str, str]:
        """Id of each table, of each figure read, and of the text, to its name for a reader."""
        numbers = {table.id: table.number for table in self.tables}
        for figure in self.figures:
            if figure.drawing is not None:
                numbers[figure.drawing.file] = figure.number
        if self.text is not None:
            numbers[TEXT_TABLE] = "stated in the text"
        return numbers

    @model_validator(mode="after")
    def _tables_agree(self) -> PublishedReport:
        ids = [table.id for table in self.tables]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise ValueError(f"tables with the same id: {', '.join(twice)}")
        if TEXT_TABLE in ids:
            raise ValueError(
                f"no table may have the id '{TEXT_TABLE}': its file is {TEXT_TABLE}.csv"
            )
        for table in self.tables:
            if table.repeats is not None and table.repeats not in ids:
                raise ValueError(f"{table.id} repeats '{table.repeats}', which is no table")
        for scenario in self.scenarios:
            unknown = [table for table in scenario.tables if table not in ids]
            if unknown:
                raise ValueError(f"scenario {scenario.name} names '{unknown[0]}', no table")
        self._check_curves()
        total = sum(table.cells for table in self.tables)
        if total != self.cells:
            raise ValueError(f"the tables declare {total} cells together, the report {self.cells}")
        return self

    @property
    def drawings(self) -> dict[str, Drawing]:
        """What was read off figures, by the name of its file."""
        found = [figure.drawing for figure in self.figures]
        return {drawing.file: drawing for drawing in found if drawing is not None}

    def _check_curves(self) -> None:
        drawings = self.drawings
        if len(drawings) != sum(figure.drawing is not None for figure in self.figures):
            raise ValueError("two figures name the same file")
        for file, drawing in drawings.items():
            for name, curve in drawing.curves.items():
                if curve.repeats is None:
                    continue
                other, _, legend = curve.repeats.partition("/")
                if other not in drawings or legend not in drawings[other].curves:
                    raise ValueError(
                        f"{file}, curve {name}, repeats '{curve.repeats}', which is no curve"
                    )
