"""What a published report says of itself: the schema of ``report.yml``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from roundtrip.dictionary import FactorValue
from roundtrip.sources.declared import (
    TEXT_TABLE,
    Drawing,
    Figure,
    Slug,
    SuspectCell,
    Table,
    TextValues,
)
from roundtrip.yamlfile import Strict, Text


class Hardware(Strict):
    """What is told of a machine of any kind."""

    processor: Text | None = None
    sockets: int | None = None
    cores_per_socket: int | None = None
    clock_ghz: float | None = None
    memory_gb: float | None = None
    storage: Text | None = None

    @property
    def cores(self) -> int | None:
        """Physical cores of one machine, None where they are not told."""
        if self.sockets is None or self.cores_per_socket is None:
            return None
        return self.sockets * self.cores_per_socket


class Host(Hardware):
    """Machines of one kind in a host set."""

    roles: tuple[Text, ...] = Field(min_length=1)
    count: int = Field(ge=1)
    model: Text
    network: Text | None = None
    operating_system: Text | None = None
    settings: tuple[Text, ...] = ()


class Link(Strict):
    """A network link between hosts of a set."""

    between: Text
    bandwidth_gbps: float | None = None
    carries: Text | None = None


class HostSet(Strict):
    """The machines, links and software of one test bed."""

    section: Text
    title: Text
    hosts: tuple[Host, ...] = Field(min_length=1)
    links: tuple[Link, ...] = ()
    storage: tuple[Text, ...] = ()
    software: tuple[Text, ...] = ()
    note: Text | None = None

    @property
    def cores(self) -> int | None:
        """Physical cores of the host under test, which is listed first."""
        return self.hosts[0].cores


class Model(Hardware):
    """One model of a product that is sold as hardware, as its publisher describes it."""

    section: Text
    io_subsystem: Text | None = None
    raid: Text | None = None
    workload_network: tuple[Text, ...] = ()
    management_network: tuple[Text, ...] = ()
    note: Text | None = None


class Setting(Strict):
    """One tuning setting, as the source gives it."""

    section: Text
    place: Text
    name: Text
    value: Text
    applies_to: Text | None = None
    note: Text | None = None


class Workload(Strict):
    """One workload, described in our words."""

    section: Text
    title: Text
    requesters: Text
    responders: Text
    queues: Text
    flows: Text
    driver: Text | None = None
    note: Text | None = None


class Scenario(Strict):
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
    factors: dict[str, FactorValue | None] = Field(default_factory=dict)
    tables: tuple[Slug, ...] = ()
    note: Text | None = None


class Fact(Strict):
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


class Statement(Strict):
    """What a source says of how it measured.

    Attributes
    ----------
    section, says : str
        Where it stands; the statement, in our words.
    holds : bool
        Whether that is what the rule of the same name asks for; see ``docs/methodology.md``.
    """

    section: Text
    says: Text
    holds: bool = True


Topic = Literal[
    "repetitions", "steady_state", "warm_up", "run_length", "restarts", "order", "raw_data",
    "driver", "open_load", "hosts_apart",
]  # fmt: skip


class MessageSizes(Strict):
    """How the report's size labels translate to bytes, and on what ground."""

    basis: Text
    bytes: dict[str, int]


class PublishedReport(Strict):
    """The whole of ``report.yml``.

    What `method` gives None for, the source says nothing of; what it leaves out nobody has looked
    for yet.
    """

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
    factors: dict[str, FactorValue | None] = Field(default_factory=dict)
    message_sizes: MessageSizes
    host_sets: dict[str, HostSet] = Field(min_length=1)
    models: dict[str, Model] = Field(default_factory=dict)
    workloads: dict[str, Workload] = Field(default_factory=dict)
    scenarios: tuple[Scenario, ...] = ()
    tuning: tuple[Setting, ...] = ()
    facts: tuple[Fact, ...] = ()
    method: dict[Topic, Statement | None] = Field(default_factory=dict)
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
