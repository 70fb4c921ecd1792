"""What an output says about how it was made: of the whole file, and of each run in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_NAMES = 2000
_RUNS = 4096
_VALUES = 20


@dataclass
class _Run:
    """What is said of one run: by its programs, and by the commands that started them.

    The last command may go on in the next line.
    """

    said: dict[str, dict[str, None]] = field(default_factory=dict)
    options: dict[str, dict[str, None]] = field(default_factory=dict)
    last: dict[str, str] | None = None


class Settings(dict[str, str]):
    """All values of each setting of a file; `of` and `one` give those of one of its runs.

    What is printed for a run is said of no other. A run for which nothing is printed has what was
    printed before it, where the file nowhere says otherwise.
    """

    def __init__(self) -> None:
        super().__init__()
        self._values: dict[str, dict[str, int]] = {}  # each with the run that has it first
        self._runs: dict[int, _Run] = {}

    def say(self, run: int, name: str, value: str) -> None:
        """Note a setting of a run."""
        self._note(run, name, value)
        if told := self._run(run):
            _add(told.said, name, value)

    def command(self, run: int, options: Mapping[str, str], *, wrapped: bool) -> None:
        """Note a command line of a run, or the rest of one; what it leaves out is empty."""
        for name, value in options.items():
            if value or not wrapped:
                self._note(run, name, value)
        if told := self._run(run):
            more = {name: value for name, value in options.items() if value}
            if wrapped and told.last and not any(told.last.get(name) for name in more):
                told.last |= more
                return
            for name, value in (told.last or {}).items():
                _add(told.options, name, value)
            told.last = dict(options)

    def of(self, run: int, name: str) -> tuple[str, ...]:
        """Give every value that is said of a run; an empty one stands for a command without it."""
        told = self._runs.get(run, _Run())
        said, options = told.said.get(name, {}), dict(told.options.get(name, {}))
        if told.last is not None:
            options.setdefault(told.last.get(name, ""))
        if found := said | dict.fromkeys(value for value in options if value or not said):
            return tuple(found)
        every = self._values.get(name, {})
        return tuple(every) if len(every) == 1 and min(every.values()) < run else ()

    def one(self, run: int, name: str) -> str:
        """Give the value of a run's setting; empty where there is none, or more than one."""
        values = self.of(run, name)
        return values[0] if len(values) == 1 else ""

    def _note(self, run: int, name: str, value: str) -> None:
        if name not in self._values and len(self._values) >= _NAMES:
            return
        values = self._values.setdefault(name, {})
        if value not in values and len(values) < _VALUES:
            values[value] = run
            if value:
                self[name] = ", ".join(filter(None, values))

    def _run(self, run: int) -> _Run | None:
        """Give what is said of a run; None of one beyond those that are told apart."""
        if run not in self._runs and len(self._runs) >= _RUNS:
            return None
        return self._runs.setdefault(run, _Run())


def _add(values: dict[str, dict[str, None]], name: str, value: str) -> None:
    told = values.setdefault(name, {})
    if len(told) < _VALUES:
        told.setdefault(value)
