"""A broker that others use too: two named queues of it, looked at before and drained after."""

from __future__ import annotations

import json
import os
import queue
import secrets
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from roundtrip.campaign.broker_choice import ExternalBroker
from roundtrip.campaign.brokers import Endpoints
from roundtrip.campaign.harness import Harness
from roundtrip.campaign.live_run import RunFailedError
from roundtrip.campaign.plan import Point
from roundtrip.campaign.processes import BrokerError, Message
from roundtrip.campaign.raw import RawFile
from roundtrip.errors import SetupError
from roundtrip.files import write_atomically

_SECONDS = 120
_QUICK = ("-XX:TieredStopAtLevel=1", "-Xmx256m")
_GIVE_UP_SECONDS = 5
"""How long a driver tries to connect again: a broker that is gone must be noticed."""
_COUNTED = 1000
_REFUSED = (
    "see that the broker runs and that --broker names its host and port; if it asks who you are, "
    "set ROUNDTRIP_USER, and ROUNDTRIP_PASSWORD or ROUNDTRIP_PASSWORD_FILE; that user must be "
    "allowed to browse both queues, to put messages on them and to take messages from them"
)


@dataclass(frozen=True)
class Seen:
    """What was found on a queue: messages of this rerun, taken or left there, and those of others.

    Those still there are counted up to a thousand, both kinds together.
    """

    taken: int
    marked: int
    others: int


@dataclass
class SharedBroker(ExternalBroker):
    """Two queues of a broker that somebody else runs and others may use.

    Every message that is put bears a mark, which the drivers select; nothing else is ever taken.
    What was put is noted in a file first, so that whatever ends the runner, the next one drains it.

    Parameters
    ----------
    queues : (str, str)
        Of requests and of replies.
    say : callable
        Is told what is done to the queues.
    """

    harness: Harness = field(kw_only=True)
    queues: tuple[str, str] = field(kw_only=True)
    note: Path = field(kw_only=True)
    say: Callable[[str], None] = field(kw_only=True)
    mark: str = field(default_factory=lambda: secrets.token_hex(8), kw_only=True)
    further_seconds: float = 4.0  # for looking at the queues and draining them
    _puts: bool = False

    def begin(self) -> None:
        """Drain what a killed runner has left, see that both queues are empty, and try them out.

        Refuses a broker that refuses, has messages of others on a queue, does not keep to
        selectors, whose client holds what a killed runner has left, or whose client library is not
        there.
        """
        self._drain_leftovers()
        self._refuse_messages_of_others()
        content = {"broker": self.name, "queues": self.queues, "mark": self.mark}
        write_atomically(self.note, json.dumps(content))
        self._ask("--trial")  # takes what it puts; where it cannot, the note stays

    def start(self, point: Point, raw: RawFile, inbox: queue.Queue[Message]) -> Endpoints:
        """Look at the queues again, and say where they are."""
        del point, inbox
        seen = self._refuse_messages_of_others()
        if any(one.marked for one in seen.values()):  # what the run before could not take
            seen = self._ask("--drain")
        held = sum(one.marked for one in seen.values())
        if held:
            raise RunFailedError(f"a client still holds {held} messages of the run before")
        raw.record("runner", event="queues", empty=True)
        self._puts = True
        options = (*self.endpoint.options, "-mark", self.mark, "-ro", str(_GIVE_UP_SECONDS))
        return Endpoints.same(replace(self.endpoint, options=options, queues=self.queues))

    def stop(self) -> None:
        """Take the messages that were put and not taken; what cannot be drained stays noted."""
        if not self._puts:
            return
        try:
            seen = self._ask("--drain")
        except (BrokerError, SetupError) as problem:
            self.say(f"the queues could not be drained: {problem.what}")
            return
        self._puts = any(one.marked for one in seen.values())

    def end(self) -> None:
        """Forget the note, where nothing is left; otherwise say what is."""
        if not self._puts:
            with suppress(OSError):
                self.note.unlink()
            return
        self.say(
            f"{' and '.join(self.queues)} may still hold messages of this rerun (their property "
            f"roundtrip_run is {self.mark}); the next rerun against this broker takes them"
        )

    def _drain_leftovers(self) -> None:
        try:
            left = json.loads(self.note.read_text(encoding="utf-8"))
            broker, mark = str(left["broker"]), str(left["mark"])
            queues = (str(left["queues"][0]), str(left["queues"][1]))
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            return
        if broker != self.name:
            raise BrokerError(
                f"an earlier rerun may have left messages on {' and '.join(queues)} of the "
                f"{broker}",
                where=self.note, remedy="rerun against that broker, which drains them; or remove "
                "this file, where the broker is no more",
            )  # fmt: skip
        earlier = replace(self, queues=queues, mark=mark)
        seen = earlier._ask("--drain").values()
        if any(one.marked for one in seen):
            raise BrokerError(
                f"a client still holds messages of an earlier rerun on {' and '.join(queues)}",
                where=self.note, remedy="end that client, then run the command again",
            )  # fmt: skip
        self.say(f"took {sum(one.taken for one in seen)} messages that an earlier rerun had left")
        self.note.unlink()

    def _refuse_messages_of_others(self) -> dict[str, Seen]:
        found = self._ask()
        for name, seen in found.items():
            if seen.others:
                count = f"at least {_COUNTED}" if seen.others >= _COUNTED else str(seen.others)
                raise BrokerError(
                    f"the queue {name} of the {self.name} holds messages of others ({count}); none "
                    "was taken, and nothing more is put",
                    remedy="name queues that nothing else uses, or empty this one",
                )
        return found

    def _ask(self, *flags: str) -> dict[str, Seen]:
        """Have the harness look at the queues."""
        words = (
            "-q", ",".join(self.queues), "-mark", self.mark, "-pc", self.endpoint.provider,
            *self.endpoint.options, *flags,
        )  # fmt: skip
        try:
            done = subprocess.run(
                self.harness.command("queues", words, _QUICK), capture_output=True, text=True,
                timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL, start_new_session=True,
                env={**os.environ, **self.endpoint.environment},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise BrokerError(f"the {self.name} does not answer within {_SECONDS} s") from None
        except OSError as problem:
            raise SetupError(f"Java does not start: {problem.strerror}") from problem
        try:
            said = json.loads(done.stdout.splitlines()[-1])
        except (ValueError, IndexError):
            said = {}
        if said.get("event") == "queues":
            return {name: Seen(**seen) for name, seen in said["queues"].items()}
        if "NoClassDefFoundError" in done.stderr or "ClassNotFoundException" in done.stderr:
            raise SetupError(
                f"the load driver has no client library for {self.endpoint.provider}",
                remedy="make harness builds it with all of them; for a queue manager that is "
                "com.ibm.mq.jakarta.client",
            )
        if gone := self.unreachable({}):
            raise BrokerError(f"the {self.name} cannot be reached: {gone}", remedy=_REFUSED)
        code = f" (reason code {said['mq_reason']})" if said.get("mq_reason") else ""
        reason = said.get("reason") or "it gives no reason"
        raise BrokerError(f"the {self.name} refuses: {reason}{code}", remedy=_REFUSED)
