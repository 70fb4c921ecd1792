"""The embedded broker, Apache Artemis: one or several, arranged anew for every run."""

from __future__ import annotations

import queue
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtrip.campaign.arrangements import arrange
from roundtrip.campaign.bench import Bench
from roundtrip.campaign.brokers import BrokerError, Endpoints
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.made import MadeNote
from roundtrip.campaign.plan import BrokerSettings, Level
from roundtrip.campaign.processes import Message
from roundtrip.campaign.raw import RawFile


@dataclass
class EmbeddedBrokers:
    """Apache Artemis in processes of the harness, arranged as a point asks for it.

    Parameters
    ----------
    harness : Harness
    settings : BrokerSettings
    folder : Path
        Made for the brokers' data, and removed after each run.
    made : MadeNote

    Attributes
    ----------
    bench : Bench or None
        Of the run in hand.
    """

    harness: Harness
    settings: BrokerSettings
    folder: Path
    made: MadeNote
    name: str = "embedded Apache Artemis"
    restarts: bool = True
    bench: Bench | None = None

    def start(
        self, point: Mapping[str, Level], raw: RawFile, inbox: queue.Queue[Message]
    ) -> Endpoints:
        """Start what the point asks for and wait until it is ready.

        Raises
        ------
        BrokerError
            If a part does not start; with the reason and the last lines of its log.
        """
        self.bench = Bench(self.harness, self.settings, self.folder, point, raw, inbox, self.made)
        return arrange(self.bench)

    def effective(self) -> dict[str, Any]:
        """Give what the running servers say of themselves."""
        return {} if self.bench is None else self.bench.effective()

    def processes(self) -> dict[str, int]:
        """Give the processes of brokers and links."""
        return {} if self.bench is None else self.bench.processes()

    def kill(self, name: str) -> None:
        """End a broker at once, without a warning.

        Raises
        ------
        BrokerError
            If the point's arrangement has none of this name.
        """
        if self.bench is None or name not in self.bench.brokers:
            raise BrokerError(f"there is no {name} to be killed")
        self.bench.brokers[name].kill()

    def log_tail(self) -> list[str]:
        """Give the last lines of the brokers' logs."""
        return [] if self.bench is None else self.bench.log_tail()

    def stop(self) -> None:
        """Stop everything and remove its data."""
        if self.bench is not None:
            self.bench.take_down()
            self.bench = None
