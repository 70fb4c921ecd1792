"""The schema of ``params/campaigns/*.yml``: what a campaign varies, on which broker."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from roundtrip.campaign.java_options import JvmOption
from roundtrip.campaign.method import Guard, Precision, Search, Seconds, WarmUp
from roundtrip.params.edition import Place
from roundtrip.secrets import holds_secret
from roundtrip.yamlfile import Strict, Text, matching

Profile = Literal["smoke", "quick", "full"]
PROFILES: tuple[Profile, ...] = ("smoke", "quick", "full")
CourseName = Literal["steady", "connections", "failover", "background", "mirrored", "backlog"]
"""What happens in a run; see `roundtrip.campaign.courses`."""
Level = str | int | float | bool
Point = Mapping[str, Level]
"""Every factor of one operating point, with its level."""
_PLAIN = re.compile(r"[\w.:+-]{1,200}")
Levels = Annotated[tuple[Level, ...], Field(min_length=1, max_length=200)]
Line = Annotated[str, StringConstraints(min_length=1, max_length=300, strip_whitespace=True)]


def heap_bytes(options: Sequence[str]) -> int | None:
    """Give the largest heap that options of a Java machine allow, or None where they do not say."""
    sizes = [option.removeprefix("-Xmx") for option in options if option.startswith("-Xmx")]
    if not sizes:
        return None
    return int(sizes[-1][:-1]) << {"k": 10, "m": 20, "g": 30}[sizes[-1][-1].lower()]


class Journal(Strict):
    """Recovery log of the embedded broker.

    Attributes
    ----------
    sync : bool
        Whether a persistent message is on stable storage before it is acknowledged.
    buffer_timeout_us : int
        How long writes are gathered; stated because the default differs between types.
    """

    type: Literal["NIO", "ASYNCIO"] = "NIO"
    sync: bool = True
    buffer_timeout_us: Annotated[int, Field(ge=0, le=10_000_000)] = 500
    min_files: Annotated[int, Field(ge=2, le=1000)] = 4


class Model(Strict):
    """What of the machine the brokers of an appliance model may use, all of them together.

    Attributes
    ----------
    processor_share : float
        Share of the machine's processors; may come to less than one of them.
    memory_mb : int
        Java heap, divided among the model's brokers; 1 MB = 2^20 B, as Java counts.
    disk_mb_per_s : float or None
        Most that they write to the disk of their recovery logs, in 10^6 B/s; None: no limit.
    """

    processor_share: Annotated[float, Field(gt=0, le=1)] = 1
    memory_mb: Annotated[int, Field(ge=64, le=1_000_000)] = 512
    disk_mb_per_s: Annotated[float, Field(gt=0, le=1_000_000)] | None = None


class BrokerSettings(Strict):
    """Settings of the embedded broker that are the same in every run.

    Attributes
    ----------
    journal_path : str or None
        Folder in which the broker's data is made, and removed after each run; inside the
        project's cache when None. With the factor `log_file_system` it is the given path.
    file_system_mb : int
        Size of the file systems that are made for the recovery log; 1 MB = 2^20 B.
    log_test_seconds : float
        How long the log-disk test writes before each run whose recovery log is placed.
    models : dict
        What the levels of the factor `model` are.
    port : int
        Port to listen on; 0 takes a free one.
    jvm : tuple of str
        Options of its Java machine.
    """

    journal: Journal = Journal()
    journal_path: Line | None = None
    file_system_mb: Annotated[int, Field(ge=320, le=1_000_000)] = 512
    log_test_seconds: Annotated[float, Field(ge=0.1, le=600)] = 1
    models: dict[str, Model] = Field(default_factory=dict)
    port: Annotated[int, Field(ge=0, le=65_535)] = 0
    jvm: tuple[JvmOption, ...] = ("-Xms512m", "-Xmx512m")


class DriverSettings(Strict):
    """Settings of the load driver that are the same in every run.

    Attributes
    ----------
    processes : int
        Java machines that share the requesters.
    payload : str
        ``json``, ``random`` or ``file``, where the factor of this name does not say it.
    payload_file : str
        The file, in a folder of the project and named from there.
    compressibility : float or None
        Of JSON and random payloads, 0 to 1; None for what they have of themselves.
    reply_timeout_seconds : float
        After which a reply counts as lost.
    jvm : tuple of str
        Options of its Java machines.
    """

    processes: Annotated[int, Field(ge=1, le=64)] = 1
    payload: Literal["json", "random", "file"] = "json"
    payload_file: Place = "data/payloads/mixed.txt"
    compressibility: Annotated[float, Field(ge=0, le=1)] | None = 0.5
    reply_timeout_seconds: Seconds = 10
    jvm: tuple[JvmOption, ...] = ("-Xms256m", "-Xmx256m")


BROKER_SETTINGS: Mapping[str, type[int] | type[bool] | tuple[str, ...]] = {
    "address.max_size_bytes": int, "address.page_size_bytes": int, "address.page_messages": int,
    "address.full_policy": ("PAGE", "BLOCK", "FAIL", "DROP"),
    "journal.type": ("NIO", "ASYNCIO"), "journal.sync": bool, "journal.datasync": bool,
    "journal.buffer_timeout_us": int, "journal.buffer_bytes": int, "journal.file_bytes": int,
    "journal.min_files": int, "journal.max_io": int,
}  # fmt: skip
"""Keys of the embedded broker's configuration that a plan's own factors can set, with the type of
their values."""
_OptionName = Annotated[
    str, matching("[A-Za-z][A-Za-z0-9_.-]{0,80}", "a letter, then letters, digits and _ . -")
]
_SettingName = Annotated[
    str, matching("|".join(map(re.escape, BROKER_SETTINGS)), f"one of {', '.join(BROKER_SETTINGS)}")
]

_REFUSED = re.compile(
    r"(java|javax|jdk|sun|com\.sun|user|https?|socksProxy\w*|jna|io\.netty\.native)(\.|$)"
)


class Setter(Strict):
    """How a plan sets a factor that a campaign cannot set by itself: one of four ways.

    Attributes
    ----------
    url_option : str or None
        Option of the URL that requesters and responders connect to.
    client_property : str or None
        System property of their Java machines.
    broker_setting : str or None
        Key of `BROKER_SETTINGS`; only the embedded broker has it.
    broker_url : dict or None
        Level, as `written`, to the URL of a broker that has it and runs already: the runs of one
        campaign take turns on them.
    """

    url_option: _OptionName | None = None
    client_property: _OptionName | None = None
    broker_setting: _SettingName | None = None
    broker_url: dict[str, Line] | None = Field(default=None, min_length=2, max_length=20)

    @model_validator(mode="after")
    def _one_way(self) -> Setter:
        ways = self.model_dump(exclude_none=True)
        if len(ways) != 1:
            raise ValueError(
                "must have one of url_option, client_property, broker_setting and broker_url"
            )
        if _REFUSED.match(self.client_property or ""):
            raise ValueError(
                "client_property must not be one of Java's own, of proxies or of native libraries"
            )
        if self.broker_url is None and holds_secret(f"{next(iter(ways.values()))}: …"):
            raise ValueError("must not name a password: levels are printed in the report")
        return self

    def refusal(self, level: Level) -> str | None:
        """Say why a level cannot be set in this way, or None."""
        if self.broker_url is not None:
            return None  # what has no URL is refused with the plan's file
        if self.broker_setting is None:
            return None if _PLAIN.fullmatch(written(level)) else "must be a plain word or number"
        kind = BROKER_SETTINGS[self.broker_setting]
        if isinstance(kind, tuple):
            return None if level in kind else f"must be one of {', '.join(kind)}"
        right = isinstance(level, kind) and not (kind is int and isinstance(level, bool))
        return None if right else f"must be {'a whole number' if kind is int else 'true or false'}"


def written(level: Level) -> str:
    """Write a level as options, properties and CSV have it."""
    return str(level).lower() if isinstance(level, bool) else str(level)


class System(Strict):
    """The broker of a plan, where it is not the embedded one: what a report discloses of it.

    Attributes
    ----------
    product, version : str or None
        As its vendor writes them; None where the plan varies them.
    what : str or None
        What kind of system it is: an appliance, a container, a cluster of three, …
    host : str or None
        What it runs on.
    url : str or None
        Where it is, in the terms of ``--broker``, which comes before it.
    started : str
        How it was started.
    """

    product: Line | None = None
    version: Line | None = None
    what: Line | None = None
    host: Line | None = None
    url: Line | None = None
    started: Line = "was running already"


class Settings(Strict):
    """Everything of a plan that a profile may set: what is said there is put into the rest.

    Attributes
    ----------
    factors : dict
        Factor of the dictionary to the levels it takes; every combination is run.
    parts : tuple of dict
        Factors that differ between parts of a campaign: each part is crossed with `factors` by
        itself.
    repetitions : int
        Whole restarts of broker and drivers for each point.
    precision : Precision
        When a point is run more often than that; without it never.
    seed : int
        Gives the order of the runs.
    measure_seconds, interval_seconds : float
        Length of the measured part, and of the intervals that the drivers report.
    attempts : int
        How often a run that breaks off is tried before it is recorded as failed.
    budget_minutes : float
        A plan that needs more is refused; a campaign that takes more is stopped.
    least_free_mb : int
        Disk space without which no run starts.
    set_by : dict
        Factor of the project's own dictionary to how it is set.
    system : System
        The broker, where it is not the embedded one.
    """

    factors: dict[str, Levels] = Field(default_factory=dict)
    parts: tuple[dict[str, Levels], ...] = ()
    search: Search = Search()
    repetitions: Annotated[int, Field(ge=1, le=1000)] = 3
    precision: Precision | None = Field(default=None, exclude_if=operator.not_)
    seed: Annotated[int, Field(ge=0)] = 1
    warm_up: WarmUp = WarmUp()
    measure_seconds: Seconds = 10
    interval_seconds: Annotated[float, Field(ge=0.1, le=60)] = 1
    guard: Guard = Guard()
    broker: BrokerSettings = BrokerSettings()
    driver: DriverSettings = DriverSettings()
    attempts: Annotated[int, Field(ge=1, le=10)] = 2
    budget_minutes: Annotated[float, Field(gt=0)] = 60
    least_free_mb: Annotated[int, Field(ge=0)] = 1024
    set_by: dict[str, Setter] = Field(default_factory=dict)
    system: System | None = None


class Control(Strict):
    """What a campaign must show to be able to answer its question: a positive control.

    Attributes
    ----------
    says : str
        What would have to be seen, as the end of a sentence: ``a recovery log lowers the rate``.
    metric, statistic : str
        What is compared.
    of, base : dict
        Factors that select one operating point each.
    least_ratio : float
        How many times the second the first must be, at least.
    """

    says: Line
    metric: str = "round_trip_rate"
    statistic: str = "mean"
    of: dict[str, Level] = Field(min_length=1)
    base: dict[str, Level] = Field(min_length=1)
    least_ratio: Annotated[float, Field(gt=0, le=1000)]


class PlanFile(Settings):
    """A plan as its file holds it: common settings, and what each profile changes.

    Attributes
    ----------
    course : {"steady", "connections", "failover", "background", "mirrored", "backlog"}
        What happens in a run.
    chapters : tuple of str
        Chapters that show it, by file stem: a rerun of one of them runs it.
    control : Control or None
        What would have to be seen for the campaign to answer its question.
    profiles : dict
        Settings that take the place of the common ones. Factors are replaced one by one.
    """

    title: Line
    question: Text
    course: CourseName = "steady"
    chapters: tuple[Line, ...] = ()
    control: Control | None = None
    profiles: dict[Profile, Settings] = Field(default_factory=dict)


class Plan(Settings):
    """A plan with one profile and the command line's parameters applied: nothing is left open.

    Attributes
    ----------
    control : Control or None
        As it was stated when the campaign began: what was asked for beforehand is not changed by
        whoever edits the plan afterwards.
    """

    name: Annotated[
        str, matching("[a-z0-9][a-z0-9-]{0,60}", "lower case letters, digits and hyphens")
    ]
    profile: Profile
    title: Line
    question: str
    course: CourseName = "steady"
    control: Control | None = Field(default=None, exclude_if=operator.not_)
    factors: dict[str, Levels] = Field(min_length=1)

    @model_validator(mode="after")
    def _more_than_planned(self) -> Plan:
        if self.precision and self.precision.most_repetitions <= self.repetitions:
            raise ValueError(
                f"precision.most_repetitions must be more than repetitions, {self.repetitions}"
            )
        return self

    @property
    def own_campaign(self) -> str:
        """Id of the campaign that is measured into the plan's own folder, where none is named."""
        return f"{self.name}-{self.profile}"

    @property
    def factor_of_brokers(self) -> str | None:
        """Factor of which each level is a broker that runs already; None where none is."""
        return next((name for name, way in self.set_by.items() if way.broker_url is not None), None)

    @property
    def levels_of_brokers(self) -> tuple[str, ...]:
        """The levels, as `written`, each of which is a broker that runs already."""
        parts = (self.factors, *self.parts)
        levels = (level for part in parts for level in part.get(self.factor_of_brokers or "", ()))
        return tuple(dict.fromkeys(map(written, levels)))

    @property
    def most_repetitions(self) -> int:
        """How often a point is run at the most, in one block."""
        return self.precision.most_repetitions if self.precision else self.repetitions

    def block_of(self, repetition: int) -> int:
        """Give the block, from 1, of a repetition.

        Those of a later block are numbered after all that the blocks before it might have taken.
        """
        return 1 + (repetition - 1) // self.most_repetitions
