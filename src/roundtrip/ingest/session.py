"""One run of ``roundtrip ingest``, from paths to what is said and kept."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roundtrip.ingest.rejects import RejectsFile
from roundtrip.ingest.run import FileResult, reading
from roundtrip.project import Project


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
    """What a run of ``roundtrip ingest`` did."""

    entries: list[Entry] = field(default_factory=list)
    explanations: dict[str, str] = field(default_factory=dict)
    rejects: Path | None = None
    notes: list[str] = field(default_factory=list)

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
        return lines + self.notes


def _aligned(row: tuple[str, ...], widths: list[int]) -> str:
    cells = [
        cell.ljust(width) if column < 2 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells).rstrip()


def ingest_paths(
    paths: list[Path],
    *,
    project: Project | None = None,
    campaign: str | None = None,
    tool: str | None = None,
    rejects: Path | None = None,
) -> Outcome:
    """Read everything below some paths.

    Parameters
    ----------
    paths : list of Path
    project : Project, optional
        Where the campaign is kept.
    campaign : str, optional
        Its id; nothing is kept without it.
    tool : str, optional
        Name of the reader for all of it.
    rejects : Path, optional
        Where lines go that were not understood.

    Returns
    -------
    Outcome

    Raises
    ------
    DataError
        If a path does not exist.
    ParameterError
        If there is no such tool.
    """
    outcome = Outcome()
    with RejectsFile(rejects) as kept, reading(paths, kept.add, tool) as results:
        for result in results:
            outcome.entries.append(Entry.of(result, 0))
            if result.reader:
                for trap in result.reader.traps:
                    outcome.explanations[f"{result.tool}: {trap.key}"] = trap.says
    outcome.rejects = kept.path
    if kept.count:
        outcome.notes.append(f"{kept.count:,} rejected lines: {kept.path or 'pass --rejects FILE'}")
    return outcome
