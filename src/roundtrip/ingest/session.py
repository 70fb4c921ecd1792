"""One run of ``roundtrip ingest``, from paths to what is said and kept."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roundtrip.dictionary import Dictionary
from roundtrip.errors import DataError
from roundtrip.ingest.context import ASKED, Context, FileContext, context_above
from roundtrip.ingest.context import NAME as CONTEXT
from roundtrip.ingest.points import points_of
from roundtrip.ingest.reader import Reader
from roundtrip.ingest.records import IMPOSSIBLE, Reject
from roundtrip.ingest.registry import reader_named
from roundtrip.ingest.rejects import RejectsFile
from roundtrip.ingest.rows import Row, missing_factors, rows_of
from roundtrip.ingest.run import FileResult, reading
from roundtrip.ingest.store import REJECTS, Store, checked_id
from roundtrip.ingest.tools.csv_table import SUFFIX, CsvTable
from roundtrip.project import Project

_MOST_REJECTS = 10_000


@dataclass
class Entry:
    """What is said about one input.

    Attributes
    ----------
    file, tool, dialects : str
        Its name; the tool and its dialects.
    intervals, points : int
        How much it gave.
    used, ignored, rejected : int
        Where its lines went.
    traps : dict
        How often each known fault of the tool was met.
    settings : dict
        What the output says about how it was made.
    problem : str or None
        Why it could not be read to its end.
    """

    file: str
    tool: str
    title: str
    dialects: tuple[str, ...]
    intervals: int
    points: int
    used: int
    ignored: int
    rejected: int
    traps: dict[str, int]
    settings: dict[str, str]
    sha256: str
    problem: str | None

    @classmethod
    def of(cls, result: FileResult, points: int) -> Entry:
        """Sum up what an input gave."""
        account = result.account
        return cls(
            result.name, result.tool, result.title, result.dialects, result.intervals, points,
            account.used, account.ignored, account.rejected, dict(result.trapped),
            dict(result.settings), result.sha256, result.problem,
        )  # fmt: skip

    @property
    def lines(self) -> int:
        """All lines of the input."""
        return self.used + self.ignored + self.rejected

    def as_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        return {
            "file": self.file, "tool": self.tool or None, "dialects": list(self.dialects),
            "intervals": self.intervals, "points": self.points, "lines": self.lines,
            "used": self.used, "ignored": self.ignored, "rejected": self.rejected,
            "traps": self.traps, "settings": self.settings, "sha256": self.sha256,
            "problem": self.problem,
        }  # fmt: skip


@dataclass
class Outcome:
    """What a run of ``roundtrip ingest`` did.

    Attributes
    ----------
    entries : list of Entry
        Each input.
    explanations : dict
        What each known fault of a tool is.
    missing : dict
        For each factor that chapters need, how many points lack it.
    rejects : Path or None
        Where rejected lines are.
    rejected : int
        How many there are.
    folder : Path or None
        Where the campaign is.
    changed : bool
        Whether it is another one than before.
    """

    entries: list[Entry] = field(default_factory=list)
    explanations: dict[str, str] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)
    rejects: Path | None = None
    rejected: int = 0
    folder: Path | None = None
    changed: bool = False

    def as_text(self) -> list[str]:
        """Give the report as lines of a table, with explanations under it."""
        header = ("file", "tool", "intervals", "points", "used", "ignored", "rejected")
        rows = [
            (
                entry.file,
                f"{entry.title} ({', '.join(entry.dialects)})" if entry.dialects else entry.title,
                *(f"{number:,}" for number in (
                    entry.intervals, entry.points, entry.used, entry.ignored, entry.rejected)),
            )
            for entry in self.entries
        ]  # fmt: skip
        if len(rows) > 1:
            sums = (
                sum(getattr(entry, name) for entry in self.entries)
                for name in ("intervals", "points", "used", "ignored", "rejected")
            )
            rows.append((f"{len(self.entries)} files", "", *(f"{number:,}" for number in sums)))
        widths = [max(len(row[column]) for row in (header, *rows)) for column in range(7)]
        lines = [_aligned(row, widths) for row in (header, *rows)]
        lines.insert(1, "  ".join("-" * width for width in widths))
        for entry in self.entries:
            if entry.problem:
                lines.append(f"{entry.file}: {entry.problem}")
        met: Counter[str] = Counter()
        for entry in self.entries:
            met.update({f"{entry.tool}: {key}": count for key, count in entry.traps.items()})
        for key, count in sorted(met.items()):
            lines.append(f"{count:,} × {key}. {self.explanations.get(key, '')}".rstrip())
        return lines + self._notes()

    def _notes(self) -> list[str]:
        """Say what was kept, what was not understood and what is missing."""
        notes = []
        tables = [entry for entry in self.entries if not entry.tool and ".csv" in entry.file]
        notes += [
            f"{entry.file}: a CSV file is read when {Path(entry.file).name.partition('.csv')[0]}"
            f"{SUFFIX} beside it, or --mapping, says what its columns hold"
            for entry in tables
        ]
        if self.rejected:
            place = self.rejects or "pass --rejects FILE to see where they are"
            notes.append(f"{self.rejected:,} rejected lines: {place}")
        if self.missing:
            named = ", ".join(f"{name} ({count})" for name, count in self.missing.items())
            notes.append(
                f"points that nobody says the {'factor' if len(self.missing) == 1 else 'factors'} "
                f"of: {named}. Give what you know in {CONTEXT}; the rest stays empty"
            )
        if self.folder is not None:
            state = "kept in" if self.changed else "nothing new for"
            notes.append(f"{state} {self.folder}")
        return notes


def _aligned(row: tuple[str, ...], widths: list[int]) -> str:
    cells = [
        cell.ljust(width) if column < 2 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


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
) -> Outcome:
    """Read everything below some paths.

    Parameters
    ----------
    paths : list of Path
    dictionary : Dictionary
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

    Returns
    -------
    Outcome

    Raises
    ------
    DataError
        If a path does not exist, or a ``campaign.yml`` breaks a rule.
    ParameterError
        If there is no such tool.
    """
    if tool:
        reader_named(tool)
    if mapping is not None:
        CsvTable(mapping, dictionary)  # what is wrong with it is said before anything is read
    store = None
    if campaign is not None and project is not None:
        store = Store.opened(project.campaigns / checked_id(campaign), dictionary)
    contexts = _Contexts(dictionary, store)
    outcome = Outcome()
    rows: list[Row] = []
    kept: list[Reject] = []
    with RejectsFile(rejects, reject_text) as file:

        def reject(name: str, item: Reject) -> None:
            file.add(name, item)
            if store is not None and len(kept) < _MOST_REJECTS:
                kept.append(item)

        def tool_of(path: Path, shown: str) -> Reader | str | None:
            named = tool or contexts.of(path, shown).tool
            beside = path.with_name(path.name.partition(".csv")[0] + SUFFIX)
            told = beside if beside.is_file() else mapping
            is_csv = ".csv" in path.suffixes or named == CsvTable.name
            if named in (None, CsvTable.name) and is_csv and told is not None:
                return CsvTable(told, dictionary)
            if named == CsvTable.name:
                raise DataError(
                    "nothing says what the columns of the file hold", where=path,
                    remedy=f"write {beside.name} beside it, or name a mapping with --mapping",
                )  # fmt: skip
            return named

        with reading(paths, reject, tool_of, reject_text) as results:
            for result in results:
                context = contexts.of(result.path, result.name)
                points = points_of(result, context.steady) if result.reader else []
                made = rows_of(result, context, points, dictionary)
                outcome.entries.append(Entry.of(result, len(points)))
                rows += made
                if result.reader:
                    for trap in (*result.reader.traps, IMPOSSIBLE):
                        outcome.explanations[f"{result.tool}: {trap.key}"] = trap.says
                if store is not None:
                    store.add(result, made, kept)
                kept.clear()
    for name, count in missing_factors(rows, ASKED).items():
        outcome.missing[name] = count
    if store is not None:
        if contexts.text is not None:
            store.context = contexts.text
        outcome.changed = store.write()
        outcome.folder = store.folder
    outcome.rejected = sum(entry.rejected for entry in outcome.entries)
    outcome.rejects = rejects or (store.folder / REJECTS if store is not None else None)
    return outcome


class _Contexts:
    """The ``campaign.yml`` of each file, read once."""

    def __init__(self, dictionary: Dictionary, store: Store | None) -> None:
        self._dictionary = dictionary
        self._found: dict[Path | None, Context] = {}
        self._of: dict[Path, Path | None] = {}
        self._kept = store.folder / CONTEXT if store is not None and store.context else None
        self.text: str | None = None

    def of(self, path: Path, shown: str) -> FileContext:
        """Give what is known of a file from outside of it."""
        if path.parent not in self._of:
            above = context_above(path)
            self._of[path.parent] = above or self._kept
        source = self._of[path.parent]
        if source not in self._found:
            self._found[source] = Context(source, self._dictionary)
            if source is not None and source != self._kept:
                self.text = source.read_text(encoding="utf-8")
        name = shown
        if source is not None and source != self._kept:
            inside = path.resolve().relative_to(source.parent.resolve()).as_posix()
            name = inside + shown[len(shown.split("!")[0]) :]
        return self._found[source].of(name)
