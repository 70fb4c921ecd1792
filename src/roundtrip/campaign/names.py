"""The names of runs, their parts, points, values and raw files: made and read in one place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

CLIENT_LINK, PAIR_LINK, REPLICATION_LINK = "link", "link", "link-replication"
PRIMARY, BACKUP, SECOND = "broker-primary", "broker-backup", "broker-mirror"
REQUEST_QUEUE, REPLY_QUEUE = "REQUEST", "REPLY"
DEEP_QUEUE = "DEEP"
"""Of messages that nobody takes for the round trips."""
LOG_DISK = "log_disk"
"""The event of the log-disk test in a raw file."""
MQ_PORT = 1414
"""Where a queue manager listens whose URL names no port."""
ENDING = ".ndjson.zst"
PARTIAL = ".part"
_RUN = re.compile(r"(?P<combination>.+)-c(?P<requesters>\d+)-r(?P<repetition>\d+)")
_RAW = re.compile(
    rf"(?P<run>.+?)(?:\.(?P<broke_off>failed|interrupted)-(?P<number>\d+))?{re.escape(ENDING)}"
)
_VALUE = re.compile(
    r"(?P<campaign>[^/]+)/runs/(?P<run>.+)\.(?P<metric>\w+)-(?P<statistic>\w+)"
    r"(?:@(?P<interval>.+))?"
)
Break = Literal["failed", "interrupted"]


@dataclass(frozen=True)
class RunName:
    """A run: the combination of factors, its number of requesters, its repetition from 1."""

    combination: str
    requesters: int
    repetition: int

    def __str__(self) -> str:
        return f"{self.point}-r{self.repetition}"

    @property
    def point(self) -> str:
        """Name of the operating point."""
        return f"{self.combination}-c{self.requesters}"

    @classmethod
    def parse(cls, text: str) -> RunName:
        """Read a name; a ValueError says that it is not that of a run."""
        found = _RUN.fullmatch(text)
        if found is None:
            raise ValueError(f"'{text}' is not the name of a run")
        return cls(found["combination"], int(found["requesters"]), int(found["repetition"]))


def combination_of(point: str) -> str:
    """Give the combination of factors that an operating point belongs to, from the point's name.

    Raises
    ------
    ValueError
        If it is not the name of a point.
    """
    return RunName.parse(f"{point}-r1").combination


@dataclass(frozen=True)
class RawName:
    """A raw file: the run it is of and, where that broke off, how and for which time."""

    run: str
    broke_off: Break | None = None
    number: int = 0

    def __str__(self) -> str:
        how = f".{self.broke_off}-{self.number}" if self.broke_off else ""
        return f"{self.run}{how}{ENDING}"

    @classmethod
    def parse(cls, text: str) -> RawName:
        """Read the name of a raw file; other endings belong to the name of the run."""
        found = _RAW.fullmatch(text)
        if found is None:
            raise ValueError(f"'{text}' is not the name of a raw file")
        broke_off: Any = found["broke_off"]
        return cls(found["run"], broke_off, int(found["number"] or 0))


@dataclass(frozen=True)
class ValueName:
    """A value of a run among the observations; of a part of it where an interval is named."""

    campaign: str
    run: str
    metric: str
    statistic: str
    interval: str | None = None

    def __str__(self) -> str:
        part = "" if self.interval is None else f"@{self.interval}"
        return f"{self.of_run}.{self.metric}-{self.statistic}{part}"

    @property
    def of_run(self) -> str:
        """Name of the run among the observations."""
        return f"{self.campaign}/runs/{self.run}"

    @classmethod
    def parse(cls, observation_id: str) -> ValueName | None:
        """Read the id of an observation; None where it is no value of a run."""
        found = _VALUE.fullmatch(observation_id)
        return None if found is None else cls(**found.groupdict())
