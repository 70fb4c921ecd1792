"""What a document says of itself: its title page, the machines of its tests, their settings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from types import MappingProxyType
from typing import Any

from roundtrip.drafting.folder import PLACEHOLDERS
from roundtrip.drafting.pages import Line, Page, lines_of, parted, without_running_heads
from roundtrip.drafting.sentences import lines_with_kinds, usual_height

_FRONT_KEYS = ("title", "edition", "date")
_FRONT = 3  # pages on which a title page and an imprint stand
_SAME = 0.98  # letters of one height, as read
_LARGER = 1.12  # letters of a title against those of the text
_EDITION = re.compile(
    r"^(?:(?:document |report )?(?:version|revision|issue)\s+\d+(?:\.\d+)*\b|"
    r"(?:first|second|third|fourth|fifth|\d+(?:st|nd|rd|th)) edition\b)", re.I
)  # fmt: skip
_DATE = re.compile(
    r"\b(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October|"
    r"November|December)(?: \d{1,2},)? (?:19|20)\d\d\b"
)
_FIELDS: Mapping[str, re.Pattern[str]] = MappingProxyType({
    "model": re.compile(r"(?:machine|server|system|hardware)?\s*(?:model|type)|machine", re.I),
    "processor": re.compile(r"(?:cpus?|processors?)(?: (?:model|type))?", re.I),
    "memory_gb": re.compile(r"(?:main |system )?(?:memory|ram)(?: \(ram\)| size)?", re.I),
    "storage": re.compile(r"(?:local )?(?:disks?|storage|drives?)", re.I),
    "network": re.compile(r"network(?: (?:adapters?|cards?|interfaces?))?|nics?", re.I),
    "operating_system": re.compile(r"os|o/s|operating system", re.I),
})  # fmt: skip
"""What a row is called that says something of a machine."""
_GIGABYTES = re.compile(r"(\d+(?:\.\d+)?)\s?(?:GB|GiB|Gb)\b(?!/)")
_COLON = re.compile(r"(?P<name>[^\s:=][^:=]{0,38}?):\s+(?P<value>\S.*)")
_SETTING = re.compile(
    r"(?P<name>(?=\S*[A-Za-z]{2})[\w./@-]{3,})\s?=\s?(?P<value>[^\s=,][^=]*(?<!\.))"
)
_SETTING_WORDS = 5
_HEADS = re.compile(r"(?:parameter|setting|option|attribute|property|variable)s?(?: name)?", re.I)
_VALUE = re.compile(r"(?:value|setting)s?", re.I)
_ALIGNED = 2.0  # points by which the lines of a column may differ
_NUMBER = re.compile(r"(?:(?:[A-Z]\.)?\d+(?:\.\d+)*(?=\.?\s)|Appendix [A-Z]\b)")
_ROWS, _STEP = 3.2, 1.9  # steps that part rows of tables, and lines, in letters' heights


@dataclass(frozen=True)
class Said:
    """One thing that a document says of itself."""

    page: int
    section: str  # its number, or what heads it where it has none
    heading: str  # the nearest
    machine: int  # which one of the section, from 1; 0 where of none
    key: str  # of report.yml: title, edition, date; a key of a host; or tuning
    name: str  # as printed
    value: str  # as printed


def said_of_itself(readings: Iterable[Sequence[Page]]) -> list[Said]:
    """Find what a document says of itself, in its order, as far as all readings see the same.

    The title is the one run of largest lines, on page 1; the date the only one of the first pages.
    A machine is named line by line, its processor or memory among others; a setting stands alone on
    its line, or in a table of settings.
    """
    first, *others = (list(_said(pages)) for pages in readings)
    return [one for one in first if all(one in other for other in others)]


def disclosure(said: Sequence[Said]) -> dict[str, Any]:
    """Give what a document says of itself under the keys of ``report.yml``.

    What it does not say is not there, but for a host with its roles and model, which nothing can do
    without.
    """
    told: dict[str, Any] = {one.key: one.value for one in said if one.key in _FRONT_KEYS}
    machines: dict[str, dict[int, list[Said]]] = {}
    for one in said:
        if one.machine:
            machines.setdefault(one.section, {}).setdefault(one.machine, []).append(one)
    told["host_sets"] = {
        f"set{number}": {
            "section": section or PLACEHOLDERS["section"],
            "title": next((one.heading for host in hosts.values() for one in host if one.heading),
                          "All measurements"),
            "hosts": [_host(host) for host in hosts.values()],
        }
        for number, (section, hosts) in enumerate((machines or {"": {1: []}}).items(), 1)
    }  # fmt: skip
    tuning = [
        {"section": one.section, "place": one.heading, "name": one.name, "value": one.value}
        for one in said if one.key == "tuning"
    ]  # fmt: skip
    return told | ({"tuning": tuning} if tuning else {})


def _host(said: Sequence[Said]) -> dict[str, Any]:
    """Give a machine as it is declared: a size that is no number of gigabytes is a setting."""
    host: dict[str, Any] = {"roles": [PLACEHOLDERS["roles"]], "count": 1,
                            "model": PLACEHOLDERS["model"]}  # fmt: skip
    others = []
    for one in said:
        size = _gigabytes(one.value)
        if one.key == "settings" or (one.key == "memory_gb" and size is None):
            others.append(f"{one.name}: {one.value}")
        else:
            host[one.key] = size if one.key == "memory_gb" else one.value
    return host | ({"settings": others} if others else {})


def _gigabytes(text: str) -> float | None:
    found = _GIGABYTES.findall(text)
    return float(found[0]) if len(found) == 1 else None


def _said(pages: Sequence[Page]) -> Iterator[Said]:
    yield from _title_page(pages)
    machines = Counter[str]()
    for section, heading, lines in _below_headings(pages):
        for run in parted(lines, _far):
            for machine in _machines(run):
                machines[section] += 1
                where = (run[0].page, section, heading, machines[section])
                yield from (Said(*where, *one) for one in machine)
        for line, name, value in _settings(lines) if heading else ():
            yield Said(line.page, section, heading, 0, "tuning", name, value)


def _title_page(pages: Sequence[Page]) -> Iterator[Said]:
    read = [lines_of(page) for page in pages]
    largest = max((line.tall for lines in read for line in lines), default=0.0)
    groups = groupby(chain(*read), lambda line: line.tall >= _SAME * largest)
    runs = [list(run) for large, run in groups if large]
    if len(runs) == 1 and runs[0][0].page == 1 and largest > _LARGER * usual_height(read):
        yield Said(1, "", "", 0, "title", "", " ".join(line.text for line in runs[0]))
    lines = [line for page in read[:_FRONT] for line in page if line.page <= _FRONT]
    editions = [(line, found[0]) for line in lines if (found := _EDITION.match(line.text))]
    if editions:
        texts = dict.fromkeys(text for _, text in editions)
        yield Said(editions[0][0].page, "", "", 0, "edition", "", ", ".join(texts))
    dates = [(line, date) for line in lines for date in _DATE.findall(line.text)]
    if len({date for _, date in dates}) == 1:
        yield Said(dates[0][0].page, "", "", 0, "date", "", dates[0][1])


def _below_headings(pages: Sequence[Page]) -> Iterator[tuple[str, str, list[Line]]]:
    """Give section, heading and the lines of a page below it."""
    read = without_running_heads(pages)
    usual = usual_height(read)
    section = heading = ""
    for lines in read:
        held: list[Line] = []
        for line, kind in lines_with_kinds(lines, usual):
            if kind is None:
                held.append(line)
            elif kind == "heading":
                yield section, heading, held
                held = []
                number = _NUMBER.match(line.text)
                heading = line.text[number.end() if number else 0 :].strip(" .:")
                section = number[0].strip(" .:") if number else section or heading
        yield section, heading, held


def _far(one: Line, two: Line) -> bool:
    """Say whether there is more room between lines than between rows of a table or text."""
    far = _ROWS if len(two.pieces) > 1 else _STEP
    return two.box.top - one.box.top > far * two.tall


def _machines(run: Sequence[Line]) -> Iterator[list[tuple[str, str, str]]]:
    """Give the key, name and value of all that a run of lines says of each machine."""
    machines: list[list[tuple[str, str, str]]] = []
    for name, values in _named_values(run):
        key = next((key for key, named in _FIELDS.items() if named.fullmatch(name)), "settings")
        new = not machines or len(values) != len(machines)
        if key != "settings" and (new or any(one[0] == key for one in machines[0])):
            yield from filter(_is_machine, machines)
            machines = [[] for _ in values]
        elif new:
            continue  # before the first, or a row of other columns
        for machine, value in zip(machines, values, strict=True):
            machine.append((key, name, value))
    yield from filter(_is_machine, machines)


def _is_machine(said: Sequence[tuple[str, str, str]]) -> bool:
    values = {key: value for key, _, value in said if key != "settings"}
    processor = re.search(r"[A-Za-z]{2}", values.get("processor", ""))
    return len(values) > 1 and bool(processor or _gigabytes(values.get("memory_gb", "")))


def _named_values(run: Sequence[Line]) -> list[tuple[str, list[str]]]:
    """Give names with their values: rows of a table, a colon in a line; values may go on below."""
    found: list[tuple[str, list[str]]] = []
    lefts: list[float] = []
    for line in run:
        first, *others = line.pieces
        colon = None if others else _COLON.fullmatch(first.text)
        columns = [next((at for at, left in enumerate(lefts)
                         if abs(piece.box.left - left) < _ALIGNED), None)
                   for piece in line.pieces]  # fmt: skip
        if found and None not in columns:
            for column, piece in zip(columns, line.pieces, strict=True):
                found[-1][1][column or 0] += f" {piece.text}"
        elif others:
            found.append((first.text, [piece.text for piece in others]))
            lefts = [piece.box.left for piece in others]
        elif colon:
            found.append((colon["name"], [colon["value"]]))
            lefts = []
    return found


def _settings(lines: Sequence[Line]) -> Iterator[tuple[Line, str, str]]:
    """Give settings with name and value: alone on their line, or in a table headed so."""
    headed = False
    for line in lines:
        pieces = [piece.text for piece in line.pieces]
        parts = [_SETTING.fullmatch(part) for part in re.split(r",\s+", line.text)]
        if len(pieces) == 2 and _HEADS.fullmatch(pieces[0]) and _VALUE.fullmatch(pieces[1]):
            headed = True
        elif headed and len(pieces) == 2:
            yield line, pieces[0], pieces[1]
        else:
            headed = False
            for part in parts if None not in parts else ():
                if part and len(part["value"].split()) <= _SETTING_WORDS:
                    yield line, part["name"], part["value"]
