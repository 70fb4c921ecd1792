"""What changed from one published report to another, such as two editions of one vendor's."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from roundtrip.claims import Judged, Ledger, Verdict
from roundtrip.detectors.text import quoted
from roundtrip.drafting.contents import load_draft
from roundtrip.drafting.sentences import Sentence, numbers_in
from roundtrip.observations import Observations
from roundtrip.packet.changes import Change
from roundtrip.sources.disclosure import PublishedReport

_LEAST_LIKENESS = 1.5  # of 4: number, caption, columns and rows
_DIGITS = 3  # of a number that is that of a cell, and not of another by chance
_TRUE = (Verdict.holds, Verdict.by_rounding)

Key = tuple[str, str, str, int]
Cells = dict[Key, Mapping[str, Any]]
"""Cells of a table by row, column, statistic, and how often these occurred before."""


@dataclass(frozen=True)
class _Moved:
    """A cell in both reports."""

    where: str
    old: Mapping[str, Any]
    new: Mapping[str, Any]

    @property
    def relative(self) -> float | None:
        old, new = self.old["value"], self.new["value"]
        return new / old - 1 if old else None

    @property
    def changed(self) -> bool:
        return bool(self.old["value"] != self.new["value"])


def published_changes(
    observations: Observations, ledger: Ledger, old: str, new: str
) -> list[Change]:
    """Compare two published reports, cell by cell and sentence by sentence.

    Tables are matched by number, caption, columns and rows. A sentence that both reports state in
    the same words although cells that it rests on changed is told: as stale, where it no longer
    holds. Where both were imported here, their sentences are laid beside each other too.

    Parameters
    ----------
    ledger : Ledger
        With the claims of both.
    old, new : str
        Ids of the reports.

    Returns
    -------
    list of Change
        The most important first.

    Raises
    ------
    DataError
        If there is no such report; the nearest id is given.
    """
    reports = observations.report(old), observations.report(new)
    first, second = (_tables(observations, name, "table") for name in (old, new))
    pairs = _matched(reports, first, second)
    gone = [name for name in first if name not in pairs]
    come = [name for name in second if name not in pairs.values()]
    found = [Change("table", _titled(reports[0], name), "present", "") for name in gone]
    found += [Change("table", _titled(reports[1], name), "", "present") for name in come]
    texts = [_tables(observations, name, "text") for name in (old, new)]
    pairs |= {name: name for name in sorted(texts[0].keys() & texts[1])}
    first, second = first | texts[0], second | texts[1]
    moved: list[_Moved] = []
    for name, other in pairs.items():
        where = " / ".join(dict.fromkeys([reports[0].numbers[name], reports[1].numbers[other]]))
        before, after = first[name], second[other]
        found += _rows_apart(where, before, after)
        moved += [
            _Moved(f"{where}: {', '.join(filter(None, key[:2]))}", before[key], after[key])
            for key in before if key in after
        ]  # fmt: skip
    found += [
        Change("number", one.where, _printed(one.old), _printed(one.new), one.relative)
        for one in moved if one.changed
    ]  # fmt: skip
    drafts = [load_draft(observations.project.drafts / name) for name in (old, new)]
    said = [draft.read.sentences if draft else () for draft in drafts]
    found += [*_stale_claims(ledger, old, new, moved), *_stale_values(moved),
              *_stale_sentences(said[0], said[1], moved)]  # fmt: skip
    return sorted(found, key=lambda change: (change.weight, change.where))


def _titled(report: PublishedReport, table: str) -> str:
    caption = next(one.caption for one in report.tables if one.id == table)
    return f"{report.numbers[table]}: {caption}"


def _tables(observations: Observations, report: str, kind: str) -> dict[str, Cells]:
    frame = observations.choose(source=report, source_kind=kind)
    frame = frame.assign(value=frame["value_corrected"].fillna(frame["value"]))
    version = observations.report(report).product_version
    found: dict[str, Cells] = {}
    seen: Counter[tuple[str, ...]] = Counter()
    records: list[dict[Any, Any]] = frame.to_dict("records")
    for row in records:
        label, column = (_without(version, row[name]) for name in ("row_label", "column_label"))
        named = (label, column, str(row["statistic"]))
        place = (str(row["table_id"]), *named)
        found.setdefault(str(row["table_id"]), {})[*named, seen[place]] = row
        seen[place] += 1
    return found


def _without(version: str, label: Any) -> str:
    """Give a label without the version that its report is about, which another edition changes."""
    named = rf"(?<![\w.,])v?{re.escape(version)}(?!\w|[.,]\d)"
    return " ".join(re.sub(named, "", _text(label), flags=re.I).split()).strip(" /")


def _text(value: Any) -> str:
    return "" if pd.isna(value) else str(value)


def _printed(cell: Mapping[str, Any]) -> str:
    unit = _text(cell["unit_printed"])
    text = str(cell["value_printed"])
    return text if not unit or text.endswith(unit) else f"{text} {unit}"


def _matched(
    reports: tuple[PublishedReport, PublishedReport],
    first: Mapping[str, Cells], second: Mapping[str, Cells],
) -> dict[str, str]:  # fmt: skip
    """Pair tables, the most alike first."""
    old, new = ({table.id: table for table in report.tables} for report in reports)
    alike = []
    for name, cells in first.items():
        for other, others in second.items():
            columns = _shared({key[1] for key in cells}, {key[1] for key in others})
            rows = _shared({key[0] for key in cells}, {key[0] for key in others})
            captions = (old[name].caption, new[other].caption)
            caption = difflib.SequenceMatcher(None, *captions, autojunk=False).ratio()
            number = old[name].number == new[other].number
            if columns and rows and columns + rows + caption + number >= _LEAST_LIKENESS:
                alike.append((columns + rows + caption + number, name, other))
    pairs: dict[str, str] = {}
    for _, name, other in sorted(alike, key=lambda one: (-one[0], one[1], one[2])):
        if name not in pairs and other not in pairs.values():
            pairs[name] = other
    return {name: pairs[name] for name in first if name in pairs}


def _shared(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)


def _rows_apart(where: str, old: Cells, new: Cells) -> Iterator[Change]:
    """Tell rows and single cells that only one of two tables has."""
    labels = [list(dict.fromkeys(key[0] for key in cells)) for cells in (old, new)]
    for label in dict.fromkeys([*labels[0], *labels[1]]):
        was, now = ("present" if label in one else "" for one in labels)
        if was != now:
            yield Change("table", f"{where}: row {label}", was, now)
    for key in [*old, *(key for key in new if key not in old)]:
        if (key in old) != (key in new) and key[0] in labels[0] and key[0] in labels[1]:
            before, after = (_printed(cells[key]) if key in cells else "" for cells in (old, new))
            yield Change("cell", f"{where}: {', '.join(filter(None, key[:2]))}", before, after)


def _stale_claims(ledger: Ledger, old: str, new: str, moved: Iterable[_Moved]) -> Iterator[Change]:
    """Tell the claims that stand in the same words on cells that changed."""
    by_words = {_words(one): one for one in ledger.claims if one.report == old}
    changed = {one.new["observation_id"]: one for one in moved if one.changed}
    for claim in (one for one in ledger.claims if one.report == new):
        before = by_words.get(_words(claim))
        rests = [changed[cell] for cell in claim.cells if cell in changed]
        if before is None or not rests:
            continue
        stale = claim.verdict not in _TRUE and claim.verdict != before.verdict
        most = max(rests, key=lambda one: abs(one.relative or 0))
        yield Change(
            "stale" if stale else "sentence", f"claim {claim.claim.id}, sec {claim.claim.section}",
            f"{claim.claim.says} ({before.verdict})",
            f"the same words ({claim.verdict}), though {len(rests)} of its cells changed: "
            f"{most.where} from {_printed(most.old)} to {_printed(most.new)}",
        )  # fmt: skip


def _words(claim: Judged) -> tuple[str, str | None]:
    return claim.claim.says, claim.claim.printed


def _stale_values(moved: Sequence[_Moved]) -> Iterator[Change]:
    """Tell values of the text that only the older tables still give."""
    cells = [one for one in moved if one.old["source_kind"] == "table"]
    for text in (one for one in moved if one.old["source_kind"] == "text" and not one.changed):
        metric, value = text.old["metric"], text.old["value"]
        from_old = [
            one for one in cells if one.old["metric"] == metric and one.old["value"] == value
        ]
        still = any(one.new["metric"] == metric and one.new["value"] == value for one in cells)
        if from_old and not still:
            yield Change(
                "stale", text.where, _printed(text.old),
                f"the same, though {from_old[0].where} is now {_printed(from_old[0].new)}",
            )  # fmt: skip


def _stale_sentences(
    old: Iterable[Sentence], new: Iterable[Sentence], moved: Iterable[_Moved]
) -> Iterator[Change]:
    """Tell sentences of both documents with a number that only the older tables still print."""
    said = {one.text for one in old}
    cells = [one for one in moved if one.old["source_kind"] == "table"]
    still = {number for one in cells for number in _numbers(one.new["value_printed"])}
    gone = {number: one for one in cells for number in _numbers(one.old["value_printed"]) - still}
    for sentence in new:
        for number in sentence.numbers if sentence.text in said else ():
            if (cell := gone.get(number.replace(",", ""))) is not None:
                yield Change(
                    "stale", f"page {sentence.page}, sec {sentence.place}: {number}",
                    quoted(sentence, number),
                    f"the same sentence, though {cell.where} is now {_printed(cell.new)}",
                )  # fmt: skip


def _numbers(printed: Any) -> set[str]:
    plain = {number.replace(",", "") for number in numbers_in(str(printed))}
    return {number for number in plain if len(number.replace(".", "").strip("0")) >= _DIGITS}
