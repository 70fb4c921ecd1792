"""A form on the web page of a chapter that answers a reader's own workload as it is filled in."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from roundtrip.outputs import CALCULATOR, MARKDOWN
from roundtrip.present.chapter import Chapter
from roundtrip.sizing.answer import Sizing
from roundtrip.sizing.export import exported
from roundtrip.sizing.workload import OFF, Link, Log, Messages, Workload, highest_rate, names_of

# Key, label, unit, and what an empty field means; a field without that must be filled in.
_GROUPS: Mapping[str, tuple[tuple[str, str, str, str], ...]] = {
    "Messages": (
        ("messages", "Sizes", "B", ""),
        ("rate", "Rate now", "round trips/s", ""),
        ("rate_in_two_years", "Rate in two years", "round trips/s", "as now"),
        ("connections", "Requesters", "", ""),
        ("workload", "Placement of applications", "", ""),
        ("delivery", "Delivery", "", ""),
        ("syncpoint", "Syncpoint", "", "as in each source"),
    ),
    "Protection": (
        ("tls", "CipherSpec", "", ""),
        ("compression", "Compression", "", ""),
        ("ha", "High availability", "", ""),
        ("ha_link.rtt_ms", "Round-trip time of the HA link", "ms", ""),
        ("ha_link.gbps", "Bandwidth of the HA link", "Gb/s", "no limit"),
        ("replication", "Replication", "", ""),
        ("replication_link.rtt_ms", "Round-trip time of the replication link", "ms", ""),
        ("replication_link.gbps", "Bandwidth of the replication link", "Gb/s", "no limit"),
    ),
    "Machine": (
        ("cores", "Processor cores", "", "as in each source"),
        ("core_speed", "Core speed, relative to the source", "", ""),
        ("target_utilisation", "Target utilisation", "of the highest rate", ""),
        ("client_gbps", "Bandwidth to the applications", "Gb/s", "no limit"),
        ("log.mb_per_second", "Bandwidth of the recovery log", "MB/s", "no limit"),
        ("log.write_ms", "Extra log write time over the source", "ms", ""),
        ("log.writes", "Log writes per round trip (waited for)", "", ""),
    ),
}
_PARTS: Mapping[str, type[BaseModel]] = {
    "ha_link": Link, "replication_link": Link, "log": Log,
}  # fmt: skip
_IDLE_WITH = {
    "ha_link": ("ha", OFF), "replication_link": ("replication", OFF),
    "log": ("delivery", "nonpersistent"), "client_gbps": ("workload", "RR-BB"),
}  # fmt: skip
"""What means nothing in a workload beside a value of another key."""
_BOUNDS = ("minimum", "exclusiveMinimum", "maximum")


@dataclass(frozen=True)
class Calculator:
    """A calculator as a chapter shows it; elsewhere than on its web page it is a sentence.

    Attributes
    ----------
    chapter : Chapter
        Says how numbers are written.
    sizing : Sizing
        All models.
    workload : Workload
        What the form begins with.
    """

    chapter: Chapter
    sizing: Sizing
    workload: Workload

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Mapping[str, Any]:
        models = exported(self.sizing)
        # Points and factors that no answer is computed from would double the page.
        for system in models["systems"]:
            del system["peaks"]
        sentence = "A calculator for other workloads is on the web page of this chapter."
        return {
            CALCULATOR: {
                "models": models,
                "groups": [[title, list(self._fields(title))] for title in _GROUPS],
                "sizes": _bounds(Messages, "bytes"),
                "separators": self.chapter.numbers.plotly_separators,
            },
            MARKDOWN: sentence,
            "text/plain": sentence,
        }

    def _fields(self, group: str) -> Iterator[dict[str, Any]]:
        names = names_of(self.sizing.observations)
        highest = highest_rate(self.sizing.observations)
        values = self.workload.model_dump(exclude={"messages"})
        for key, label, unit, empty in _GROUPS[group]:
            part, _, name = key.rpartition(".")
            field: dict[str, Any] = {"key": key, "label": label, "unit": unit, "empty": empty}
            if part:
                field["start"] = values[part][name]
            elif key == "messages":
                sizes = [(one.bytes, 100 * one.share) for one in self.workload.messages]
                field["start"] = ", ".join(f"{size} {share:.10g}%" for size, share in sizes)
                if len(sizes) == 1:
                    field["start"] = str(sizes[0][0])
            else:
                field["start"] = values[name]
            if (part or key) in _IDLE_WITH:
                field["idle"] = _IDLE_WITH[part or key]
            if key in names:
                field["names"] = names[key]
            elif key != "messages":
                field |= _bounds(_PARTS.get(part, Workload), name)
            if key in ("rate", "rate_in_two_years") and math.isfinite(highest):
                field["measured"] = highest
            yield field


def _bounds(model: type[BaseModel], name: str) -> dict[str, Any]:
    """Give what a number must be, in the words of JSON Schema."""
    schema = model.model_json_schema()["properties"][name]
    schema = schema.get("anyOf", [schema])[0]
    found = {bound: schema[bound] for bound in _BOUNDS if bound in schema}
    return found | {"whole": schema["type"] == "integer"}
