"""One run of ``roundtrip ingest``, from paths to what is said and kept."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from roundtrip.dictionary import Dictionary
from roundtrip.errors import DataError
from roundtrip.files import alone_in, temporary_folder
from roundtrip.ingest.context import CONTEXT, Context, FileContext, context_above
from roundtrip.ingest.fast import Matching
from roundtrip.ingest.inputs import files_below, inputs_of
from roundtrip.ingest.joins import INSTEAD, clock_apart
from roundtrip.ingest.manifest import InputEntry
from roundtrip.ingest.points import points_of
from roundtrip.ingest.reader import Reader
from roundtrip.ingest.records import Reject, printable
from roundtrip.ingest.registry import reader_named
from roundtrip.ingest.repetitions import numbered
from roundtrip.ingest.result import read_input
from roundtrip.ingest.rows import Row, missing_factors, rows_of
from roundtrip.ingest.store import REJECTS, Store, entry_of, files_of, rejects_file
from roundtrip.ingest.tools.csv_table import SUFFIX, CsvTable
from roundtrip.project import Project, refuse_id
from roundtrip.secrets import name_without_secrets

_MOST_REJECTS = 10_000
_FIRST = 3


@dataclass(frozen=True)
class Reading:
    """What came of one input.

    Attributes
    ----------
    entry : InputEntry
        Its tool, how much it gave, and where its lines went.
    title : str
        The tool as shown.
    rows : list of Row
        Every value of its points.
    files : dict
        What else a campaign keeps of it: its intervals and events, and itself where it is short.
    context : Path or None
        The ``campaign.yml`` that it came with.
    """

    entry: InputEntry
    title: str
    points: int
    rows: list[Row]
    files: dict[str, bytes]
    context: Path | None

    @property
    def counts(self) -> tuple[int, ...]:
        """Intervals and points, then lines that were used, ignored and rejected."""
        entry = self.entry
        return (entry.intervals, self.points, entry.used, entry.ignored, entry.rejected)

    def as_dict(self) -> dict[str, Any]:
        """Give what is said about it as plain data."""
        entry = self.entry
        return {
            "file": entry.name, "tool": entry.tool, "dialects": list(entry.dialects),
            "intervals": entry.intervals, "points": self.points, "lines": entry.lines,
            "used": entry.used, "ignored": entry.ignored, "rejected": entry.rejected,
            "faults": {met.fault: met.times for met in entry.faults}, "settings": entry.settings,
            "sha256": entry.sha256, "problem": entry.problem,
        }  # fmt: skip


@dataclass
class Outcome:
    """What a run of ``roundtrip ingest`` did.

    Attributes
    ----------
    missing : dict
        For each factor that chapters need, how many points lack it.
    rejects : Path or None
        Where rejected lines are.
    changed : bool
        Whether the campaign differs from what was kept before.
    reasons : list of str
        Of the first rejected lines, each with its place.
    instead : list of str
        Files of monitors of whose values another's are shown.
    unmatched : list of str
        Patterns of a ``campaign.yml`` that fit no file, each with its place.
    """

    readings: list[Reading] = field(default_factory=list)
    missing: dict[str, int] = field(default_factory=dict)
    rejects: Path | None = None
    rejected: int = 0
    folder: Path | None = None
    changed: bool = False
    reasons: list[str] = field(default_factory=list)
    instead: list[str] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)

    def as_text(self) -> list[str]:
        """Give the report as lines of a table, with explanations under it."""
        rows: list[tuple[str, ...]] = [
            ("file", "tool", "intervals", "points", "used", "ignored", "rejected")
        ]
        for reading in self.readings:
            dialects = ", ".join(reading.entry.dialects)
            tool = f"{reading.title} ({dialects})" if dialects else reading.title
            rows.append((reading.entry.name, tool, *map("{:,}".format, reading.counts)))
        if len(self.readings) > 1:
            sums = map(sum, zip(*(reading.counts for reading in self.readings), strict=True))
            rows.append((f"{len(self.readings)} files", "", *map("{:,}".format, sums)))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = []
        for row in rows:
            cells = [*map(str.ljust, row[:2], widths[:2])]  # names, then numbers
            cells += map(str.rjust, row[2:], widths[2:])
            lines.append("  ".join(cells).rstrip())
        lines.insert(1, "  ".join("-" * width for width in widths))
        entries = [reading.entry for reading in self.readings]
        lines += [f"{entry.name}: {entry.problem}" for entry in entries if entry.problem]
        met: dict[tuple[str, str], dict[str, int]] = {}
        for entry in entries:
            for fault in entry.faults:
                shown = met.setdefault((f"{entry.tool}: {fault.fault}", fault.explained), {})
                shown[entry.name] = fault.times
        for (name, explained), times in sorted(met.items()):
            where = f" in {next(iter(times))}" if len(times) == 1 < len(entries) else ""
            lines.append(f"{sum(times.values()):,} × {name}{where}. {explained}".rstrip())
        return lines + self._notes()

    def unmapped(self) -> list[str]:
        """Say which CSV files nothing could be read of without a mapping."""
        return [
            f"{name}: a CSV file is read when {Path(name).name.partition('.csv')[0]}{SUFFIX} "
            "beside it, or --mapping, says what its columns hold"
            for name in (one.entry.name for one in self.readings if not one.entry.tool)
            if ".csv" in name
        ]  # fmt: skip

    def _notes(self) -> list[str]:
        """Say what was kept, what was not understood and what is missing."""
        notes = self.unmapped()
        notes += [
            f"{one}: it is to match the whole path from the folder of {CONTEXT}"
            for one in self.unmatched
        ]
        if self.rejected:
            place = self.rejects or "pass --rejects FILE to see where they are"
            notes.append(f"{self.rejected:,} rejected line{'s' * (self.rejected != 1)}: {place}")
            notes += [f"the first is {one}" for one in self.reasons[:1]]
        if apart := clock_apart(row for reading in self.readings for row in reading.rows):
            notes.append(f"{apart} prints times without a zone, which others are not joined to by "
                         f"time: give its zone in {CONTEXT}")  # fmt: skip
        if self.missing:
            named = ", ".join(f"{name} ({count})" for name, count in self.missing.items())
            notes.append(
                f"not stated, with the number of points: {named}. Give what you know in {CONTEXT}; "
                "the rest stays empty"
            )
        notes += [
            f"{name}: another monitor beside it tells the same of the load, and the report shows "
            f"what that one says. If this one is of another host, give its host in {CONTEXT}"
            for name in self.instead
        ]
        if not any(reading.points for reading in self.readings):
            notes.append("no points: there is nothing that a report could show")
        if self.folder is not None:
            state = "kept in" if self.changed else "nothing new for"
            notes.append(f"{state} {self.folder}")
        return notes


class _Contexts:
    """The ``campaign.yml`` of each file, read once; `kept` is that of the campaign."""

    def __init__(self, dictionary: Dictionary, kept: Path | None) -> None:
        self.kept = kept
        self._dictionary = dictionary
        self._found: dict[Path | None, Context] = {}
        self._above: dict[Path, Path | None] = {}

    def of(self, path: Path, own: str, shown: str) -> FileContext:
        """Give what is known of an input from outside of it: its file, and the names of both."""
        if path.parent not in self._above:
            self._above[path.parent] = context_above(path.parent)
        source = self._above[path.parent] or self.kept
        if source not in self._found:
            made = Context(source, self._dictionary)
            for entry in made.campaign.files:
                if entry.tool:  # refused here, before a file that its pattern fits is met
                    reader_named(entry.tool, f"{source}: files: tool")
            self._found[source] = made
        if source not in (None, self.kept):
            # A link counts as what it is named, wherever it leads.
            link, folder = path.parent.resolve() / path.name, source.parent.resolve()
            members = shown.split("!")[own.count("!") + 1 :]
            shown = "!".join([link.relative_to(folder).as_posix(), *members])
        return self._found[source].of(shown)


@dataclass(frozen=True)
class Job:
    """What reading a file needs to know, wherever it is read and whatever was read before.

    Attributes
    ----------
    contexts : _Contexts
        What is known of each file from outside of it.
    tool : str or None
        Name of the reader for all files.
    mapping : Path or None
        What the columns of CSV files hold that have no mapping beside them.
    reject_text : bool
        Whether the text of rejected lines is asked for.
    for_campaign : bool
        Whether a campaign keeps what is read.
    most_rejects : int
        How many rejected lines of an input are wanted.
    """

    dictionary: Dictionary
    contexts: _Contexts
    tool: str | None
    mapping: Path | None
    reject_text: bool
    for_campaign: bool
    most_rejects: int

    def read(
        self, path: Path, shown: str, reject: Callable[[str, Reject], None],
        matching: Matching | None = None,
    ) -> Iterator[Reading]:  # fmt: skip
        """Read a file and make points of it, for each input inside it.

        Parameters
        ----------
        shown : str
            Its name, relative to the path that was given.
        reject : callable
            Takes the name of an input and each line of it that was not understood.
        matching : callable, optional
            As for `read_input`.

        Raises
        ------
        DataError
            If its ``campaign.yml`` breaks a rule, or nothing says what its columns hold.
        """
        for source in inputs_of(path, shown):
            with temporary_folder(Path(tempfile.gettempdir())) as folder:
                to = partial(reject, name_without_secrets(source.name))
                reader = self._reader_of(path, shown)
                result = read_input(source, folder, to, reader, self.reject_text, matching)
                result.mask()
                own = printable(name_without_secrets(shown))
                context = self.contexts.of(path, own, result.name)
                points = points_of(result, context.steady) if result.reader else []
                rows = rows_of(result, context, points, self.dictionary)
                files = files_of(result) if self.for_campaign and result.reader else {}
                yield Reading(
                    entry_of(result, files, context), result.title,
                    len({row["point"] for row in rows}), rows, files, context.path,
                )  # fmt: skip

    def _reader_of(self, path: Path, shown: str) -> Reader | None:
        """Give the reader of a file; None where its content is to tell."""
        named = self.tool or self.contexts.of(path, shown, shown).tool
        beside = path.with_name(path.name.partition(".csv")[0] + SUFFIX)
        told = beside if beside.is_file() else self.mapping
        is_csv = ".csv" in path.suffixes or named == CsvTable.name
        if named in (None, CsvTable.name) and is_csv and told is not None:
            return CsvTable(told, self.dictionary, printable(name_without_secrets(shown)))
        if named == CsvTable.name:
            raise DataError(
                "nothing says what the columns of the file hold", where=path,
                remedy=f"write {beside.name} beside it, or name a mapping with --mapping",
            )  # fmt: skip
        return reader_named(named)() if named else None


Files = Iterator[tuple[Path, str]]
Rejecting = Callable[[str, Reject], None]
Spread = Callable[[Job, Files, Rejecting], Iterator[Reading]]
"""Has a job done for each file, here or elsewhere, and gives what comes of them in their order."""


def one_by_one(job: Job, files: Files, reject: Rejecting) -> Iterator[Reading]:
    """Read the files in this process."""
    for path, shown in files:
        yield from job.read(path, shown, reject)


def ingest_paths(
    paths: list[Path],
    *,
    dictionary: Dictionary,
    project: Project | None = None,
    campaign: str | None = None,
    tool: str | None = None,
    mapping: Path | None = None,
    rejects: Path | None = None,
    reject_text: bool = False,
    spread: Spread = one_by_one,
    waiting: Callable[[str], None] = lambda process: None,
) -> Outcome:
    """Read everything below some paths.

    Parameters
    ----------
    project : Project, optional
        Where the campaign is kept.
    campaign : str, optional
        Its id; nothing is kept without it.
    tool : str, optional
        Name of the reader for all of it.
    mapping : Path, optional
        What the columns of CSV files hold that have no mapping beside them; files that end in
        ``.csv`` are read by it.
    rejects : Path, optional
        Where it is written which lines were not understood, beside what the campaign keeps.
    reject_text : bool
        Whether the text of these lines, their secrets replaced, is kept beside their hashes.
    spread : callable
        Has the files read; in this process, one by one, without it.
    waiting : callable, optional
        Takes which process is waited for, as it ingests into the same campaign.

    Raises
    ------
    DataError
        If a path does not exist, a ``campaign.yml`` breaks a rule, two of them for a campaign
        differ, or two inputs for it have one name and differ.
    ParameterError
        If there is no such tool.
    """
    if tool:
        reader_named(tool)
    if mapping is not None:
        CsvTable(mapping, dictionary)  # what is wrong with it is said before anything is read
    with ExitStack() as stack:
        store = None
        if campaign is not None and project is not None:
            refuse_id("campaign", campaign, "--campaign")
            # What another process adds between reading and writing it would be lost.
            stack.enter_context(alone_in(project.cache / "ingest" / campaign, wait=waiting))
            store = Store.opened(project.campaigns / campaign, dictionary)
        kept = store.folder / CONTEXT if store is not None and store.context else None
        most = (
            sys.maxsize if rejects is not None else _MOST_REJECTS if store is not None else _FIRST
        )
        contexts = _Contexts(dictionary, kept)
        job = Job(dictionary, contexts, tool, mapping, reject_text, store is not None, most)
        return _ingested(paths, job, store, rejects, spread)


def _ingested(
    paths: list[Path], job: Job, store: Store | None, rejects: Path | None, spread: Spread
) -> Outcome:
    contexts: dict[Path, str] = {}
    outcome = Outcome()
    rejected: list[Reject] = []
    given: dict[str, tuple[str, list[Row]]] = {}
    with rejects_file(rejects, job.reject_text) as write:

        def reject(name: str, item: Reject) -> None:
            write(name, item)
            if len(outcome.reasons) < _FIRST:
                outcome.reasons.append(f"{printable(name)}:{item.line}: {item.reason}")
            if store is not None and len(rejected) < _MOST_REJECTS:
                rejected.append(item)

        files = (
            (path, shown)
            for path, shown in files_below(paths)
            if path.name != CONTEXT and not path.name.endswith(SUFFIX)
        )
        for reading in spread(job, files, reject):
            outcome.readings.append(reading)
            told = reading.context
            if told is not None and told not in (job.contexts.kept, *contexts):
                contexts[told] = told.read_text(encoding="utf-8")
                if store is not None and len(set(contexts.values())) > 1:
                    raise DataError(
                        f"these {CONTEXT} differ, and a campaign keeps one",
                        where=", ".join(str(path) for path in contexts),
                        remedy=f"put one {CONTEXT} above all logs, or ingest each folder into a "
                        "campaign of its own",
                    )
            if store is not None:
                name, held = reading.entry.name, (reading.entry.sha256, reading.rows)
                if given.setdefault(name, held) != held:
                    raise DataError(
                        f"two inputs have the name '{name}', and one would replace the other",
                        where=store.folder,
                        remedy="name the folder above both, so that their paths differ, or give "
                        "them other names",
                    )
                store.add(reading.entry, reading.files, reading.rows, rejected)
            rejected.clear()
    entries = [reading.entry for reading in outcome.readings]
    entries += store.inputs.values() if store is not None else ()  # of earlier commands too
    names = [entry.called or entry.name for entry in entries]
    for context in contexts:
        outcome.unmatched += Context(context, job.dictionary).unmatched(names)
    read = (row for reading in outcome.readings for row in reading.rows)
    outcome.missing = missing_factors(numbered(read, job.dictionary.factors))
    if store is not None:
        if contexts:
            store.context = next(iter(contexts.values()))
        if not any(store.rows.values()):
            raise DataError(
                "nothing could be taken from the files" + "".join(
                    f"\n  {one}" for one in (*outcome.reasons, *outcome.unmapped())
                ),
                where=", ".join(map(str, paths)),
                remedy="correct the files or the mapping; without --campaign, the command says "
                "where every line went",
            )  # fmt: skip
        whole = store.whole()
        outcome.instead = sorted({row["file"] for row in whole if INSTEAD in row["note"]})
        outcome.changed = store.write(whole)
        outcome.folder = store.folder
    outcome.rejected = sum(reading.entry.rejected for reading in outcome.readings)
    outcome.rejects = rejects or (store.folder / REJECTS if store is not None else None)
    return outcome
