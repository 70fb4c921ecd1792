"""What a rerun is to run, and on what: ``rerun`` in a file of parameters."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, model_validator

from roundtrip.errors import ParameterError
from roundtrip.params.edition import Line
from roundtrip.secrets import refuse_secrets
from roundtrip.yamlfile import Strict, load_yaml, matching, place_in, validate

RERUN = "rerun"
# Commas separate names on the driver's command line; quotes and blanks are no part of any name.
QueueName = Annotated[
    str,
    matching(
        "[A-Za-z0-9_][A-Za-z0-9_./:%-]{0,199}",
        "the name of a queue: up to 200 letters, digits and _ . / : % -, the first a letter, a "
        "digit or _",
    ),
]
Levels = Annotated[tuple[str | int | float | bool, ...], Field(min_length=1, max_length=50)]


class Queues(Strict):
    """The only queues that a rerun touches, two different ones."""

    request: QueueName
    reply: QueueName

    @model_validator(mode="after")
    def _two(self) -> Queues:
        if self.request == self.reply:
            raise ValueError("request and reply are the same queue: requests and replies need two")
        return self


class OwnSystem(Strict):
    """What the report discloses of the broker, as `roundtrip.campaign.plan.System` has it."""

    product: Line
    version: Line | None = None
    what: Line | None = None
    host: Line | None = None


class Rerun(Strict):
    """What somebody reruns, and the broker where it is his own."""

    queues: Queues | None = None  # None on the embedded broker
    factors: dict[str, Levels] = Field(default={})  # levels that take the place of the plan's
    system: OwnSystem | None = None


def load_rerun(path: Path) -> Rerun:
    """Read the section of a parameter file.

    Raises
    ------
    ParameterError
        If the file has no such section, or it is wrong; file, line and key are named.
    """
    content = load_yaml(path, ParameterError)
    text = path.read_text(encoding="utf-8")
    refuse_secrets(text, str(path))
    if not isinstance(content, dict) or RERUN not in content:
        raise ParameterError(
            "the file says nothing of a rerun", where=f"{path}: {RERUN}",
            remedy=f"add {RERUN}: {{factors: {{requesters: [1, 8]}}}} for the embedded broker, "
            f"{RERUN}: {{queues: {{request: NAME, reply: NAME}}}} for your own "
            "('roundtrip docs rerun')",
        )  # fmt: skip

    class File(BaseModel):
        rerun: Rerun

    return validate({RERUN: content[RERUN]}, File, str(path), ParameterError, text).rerun


def place(path: Path, *keys: str) -> str:
    """Name file, line and key of something in the section."""
    return f"{place_in(path, RERUN, *keys)}: {'.'.join((RERUN, *keys))}"
