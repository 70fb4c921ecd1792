"""What a topology file may say: parts on a grid and the links between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

PartKind = Literal[
    "group", "host", "queue-manager", "applications", "box", "queues", "storage", "switch",
    "channel", "network", "delay", "note",
]  # fmt: skip
LinkKind = Literal["flow", "replication", "replication-async", "network", "storage", "standby"]

CONTAINERS = ("group", "host", "queue-manager")

Position = tuple[float, float]
Extent = tuple[Annotated[float, Field(gt=0)], Annotated[float, Field(gt=0)]]


class Part(BaseModel):
    """One thing in a drawing.

    Attributes
    ----------
    id : str
        Name used by links; unique in the file.
    kind : str
        What it is, which decides how it is drawn.
    at : tuple of float
        Column and row of its upper left corner, counted from that of the part it is in.
    size : tuple of float
        Columns and rows it covers.
    title, text : str, tuple of str
        Its name and the lines below it; a line break in the title starts a new line.
    names : tuple of str
        Of queues: one queue for each name, "..." for those left out.
    role : {"local", "remote", "transmission"}
        Of queues: which kind of queue.
    stack : int
        How many copies to draw one behind the other, for "several of these".
    standby : bool
        Drawn with a dashed outline: in place, but not in use.
    rack : bool
        Of a host: drawn as a rack-mounted appliance.
    label : {"above", "below", "inside"}
        Of a channel: where its name stands.
    parts : tuple of Part
        Of a group, host or queue manager: what is in it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    kind: PartKind
    at: Position
    size: Extent
    title: str = ""
    text: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    role: Literal["local", "remote", "transmission"] = "local"
    stack: int = Field(default=1, ge=1, le=4)
    standby: bool = False
    rack: bool = False
    label: Literal["above", "below", "inside"] = "below"
    parts: tuple[Part, ...] = ()

    @model_validator(mode="after")
    def _keys_fit_the_kind(self) -> Part:
        owners = {
            "names": ("queues",), "role": ("queues",), "rack": ("host",), "label": ("channel",),
            "parts": CONTAINERS,
            "stack": ("host", "queue-manager", "applications", "storage", "channel"),
            "standby": ("host", "queue-manager", "applications", "storage", "channel"),
        }  # fmt: skip
        for key, kinds in owners.items():
            if key in self.model_fields_set and self.kind not in kinds:
                raise ValueError(f"'{key}' has no meaning for a {self.kind}")
        if self.kind == "queues" and not self.names:
            raise ValueError("queues need 'names'")
        return self


class Link(BaseModel):
    """A line between two parts.

    Attributes
    ----------
    kind : str
        What the line stands for, which decides how it is drawn.
    start, end : str
        ``part.side`` or ``part.side@offset``, written ``from`` and ``to``; the offset counts
        grid units from the part's upper left corner, ``align`` goes where the line is straight,
        the middle is the default.
    via : tuple of tuple of float
        Corners the line goes through, in columns and rows of the whole drawing.
    step : int
        Number in the order of the message flow.
    step_at : float
        Where on the line the number stands, as a part of its length.
    label : str
        Text beside the line; a line break starts a new line.
    label_at : tuple of float
        Where the label stands: column and row of its anchor, on the first baseline.
    label_align : {"start", "middle", "end"}
        Which end of the label is there.
    both : bool
        Arrowheads on both ends.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: LinkKind
    start: str = Field(alias="from")
    end: str = Field(alias="to")
    via: tuple[Position, ...] = ()
    step: int | None = Field(default=None, ge=1, le=99)
    step_at: float = Field(default=0.5, ge=0, le=1)
    label: str = ""
    label_at: Position | None = None
    label_align: Literal["start", "middle", "end"] = "middle"
    both: bool = False


class Topology(BaseModel):
    """A whole topology file.

    Attributes
    ----------
    title, caption, alt : str
        Title drawn above the picture, caption under it, and a complete description in words.
    parts, links : tuple
        What is drawn, in painting order.
    legend : dict
        Other words for the legend, by kind of link.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = Field(min_length=1)
    caption: str = Field(min_length=1)
    alt: str = Field(min_length=1)
    parts: tuple[Part, ...] = Field(min_length=1)
    links: tuple[Link, ...] = ()
    legend: dict[LinkKind, str] = {}


def walk(parts: tuple[Part, ...]) -> Iterator[Part]:
    """Yield every part and the parts in it, outer ones first."""
    for part in parts:
        yield part
        yield from walk(part.parts)
