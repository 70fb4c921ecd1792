"""The kept logs of a campaign, read again: whether its points follow from them."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import zstandard

from roundtrip.dictionary import Dictionary
from roundtrip.errors import DataError
from roundtrip.files import sha256_of, sha256_of_file, temporary_folder
from roundtrip.ingest.context import CONTEXT, Context
from roundtrip.ingest.inputs import inputs_of
from roundtrip.ingest.joins import joinable
from roundtrip.ingest.manifest import InputEntry, load_inputs
from roundtrip.ingest.points import points_of
from roundtrip.ingest.registry import reader_named
from roundtrip.ingest.result import KEPT_BYTES, read_input
from roundtrip.ingest.rows import RUNS, Row, rows_of
from roundtrip.ingest.store import Store, files_of
from roundtrip.ingest.tools.csv_table import CsvTable

_NAMED = ("file", "line", "run", "quantity", "statistic")
"""Those that tell which value it is."""
_COMPARED = (*_NAMED, *RUNS, "metric", "value", "low", "high", "unit", "status")
_DIGITS = ".8g"
_WRITTEN = ".10g"  # as `rows` writes values: what is rounded twice may differ in its last digit


@dataclass(frozen=True)
class Again:
    """What a campaign's kept logs say now.

    Attributes
    ----------
    read : int
        How many of them were read.
    unchecked : list of str
        Those that cannot be: the log, its mapping or its ``campaign.yml`` is not kept.
    wrong : list of str
        Values that they do not give, or give and the campaign lacks.
    """

    read: int
    unchecked: list[str]
    wrong: list[str]


def kept_logs(folder: Path) -> dict[str, bool | None]:
    """Say of each log of a campaign whether the one that it keeps is what was read; None for none.

    Parameters
    ----------
    folder : Path
        ``data/campaigns/<id>``.

    Raises
    ------
    DataError
        If its manifest is not as ingest writes it.
    """
    found: dict[str, bool | None] = {}
    for entry in load_inputs(folder):
        if not entry.tool:
            continue
        path, found[entry.name] = folder / str(entry.raw), None
        if entry.raw and path.is_file():
            found[entry.name] = False
            with path.open("rb") as packed, suppress(zstandard.ZstdError):
                content = zstandard.ZstdDecompressor().stream_reader(packed).read(KEPT_BYTES + 1)
                found[entry.name] = sha256_of(content) == entry.sha256
    return found


def read_again(folder: Path, dictionary: Dictionary, names: Collection[str]) -> Again:
    """Read logs that a campaign keeps with the readers that they were read with.

    Parameters
    ----------
    folder : Path
        ``data/campaigns/<id>``.
    names : collection of str
        Which of its inputs to read.

    Raises
    ------
    DataError
        If the campaign is not as ingest writes it.
    """
    store = Store.opened(folder, dictionary)
    before = _compared(chain.from_iterable(store.rows.values()), dictionary)
    context = folder / CONTEXT if (folder / CONTEXT).is_file() else None
    noted = sha256_of_file(context) if context else None
    unchecked, wrong, read = [], [], 0
    for name in sorted(names):
        entry = store.inputs[name]
        kept = [entry.raw, entry.mapping] if entry.tool == CsvTable.name else [entry.raw]
        if entry.context_sha256 not in (None, noted) or not all(
            file and (folder / file).is_file() for file in kept
        ):
            unchecked.append(name)
            continue
        told = Context(context if entry.context_sha256 else None, dictionary)
        read += 1
        if not _read(store, entry, told, dictionary):
            wrong.append(f"{folder.name}/{entry.raw} is not what was read of {name}")
    after = _compared(store.whole(), dictionary)
    wrong += [f"{folder.name}: {one}" for one in _apart(before - after, after - before, dictionary)]
    return Again(read, unchecked, sorted(wrong))


def _read(store: Store, entry: InputEntry, context: Context, dictionary: Dictionary) -> bool:
    """Put in the place of an input's rows what its kept log gives; say whether it is that log."""
    raw = store.folder / str(entry.raw)
    kind = reader_named(str(entry.tool))
    mapping = store.folder / str(entry.mapping)
    reader = CsvTable(mapping, dictionary) if kind is CsvTable else kind()
    inputs = inputs_of(raw, raw.name)  # they are open as long as this is
    with temporary_folder(Path(tempfile.gettempdir())) as work:
        source = next(inputs, None)  # of an empty archive, there is none
        if source is None:
            return False
        try:
            result = read_input(source, work, lambda _: None, reader)
        except DataError:  # of a changed table, another's headings
            return False
        if result.problem:
            return False
        same = result.sha256 == entry.sha256
        result.name, result.sha256 = entry.name, entry.sha256
        known = context.of(entry.called or entry.name)
        rows = rows_of(result, known, points_of(result, known.steady), dictionary)
        store.add(entry, files_of(result), rows, ())
    return same


def _compared(rows: Iterable[Row], dictionary: Dictionary) -> Counter[tuple[str, ...]]:
    """Count what must be the same, as text: words of notes may have changed since.

    A joined value has file, run and line of the monitor: whose it is, those of its point's own
    values tell, as the names of points count what a log gives.
    """
    rows, names, monitors = list(rows), (*_COMPARED, *dictionary.factors), joinable()
    own: dict[str, tuple[bool, str, int, int]] = {}
    for row in rows:
        place = (row["tool"] in monitors, row["file"], row["run"], row["line"])
        own[row["point"]] = min(own.get(row["point"], place), place)
    return Counter(
        tuple(
            "" if value is None
            else f"{float(format(value, _WRITTEN)):{_DIGITS}}" if isinstance(value, float)
            else str(value)
            for value in (*(row.get(name) for name in names), *own[row["point"]])
        )
        for row in rows
    )  # fmt: skip


def _apart(
    kept: Counter[tuple[str, ...]], read: Counter[tuple[str, ...]], dictionary: Dictionary
) -> Iterator[str]:
    """Say of each value in what it differs, or on which side alone it is."""
    columns = (*_COMPARED, *dictionary.factors)
    others: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for row in read.elements():
        others.setdefault(row[: len(_NAMED)], []).append(row)
    for row in kept.elements():
        said, same = dict(zip(columns, row, strict=False)), others.get(row[: len(_NAMED)])
        if not same:
            yield f"{_shown(said)} is not in the logs"
            continue
        differ = [
            f"{name} is {ours or 'empty'}, by the logs {theirs or 'empty'}"
            for name, ours, theirs in zip(columns, row, same.pop(), strict=False)
            if ours != theirs
        ]
        yield f"{_shown(said)}: {'; '.join(differ) or 'the logs give it for another point'}"
    for row in chain.from_iterable(others.values()):
        yield f"{_shown(dict(zip(columns, row, strict=False)))} is missing"


def _shown(said: dict[str, str]) -> str:
    where = f"{said['file']}:{said['line']}"
    return f"{where}: {said['quantity']} ({said['statistic']}) {said['value']} {said['unit']}"
