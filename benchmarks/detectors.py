"""What the detectors find: ``python benchmarks/detectors.py``.

Against the errata that people found by reading the reports beside their data
(``data/published/*/errata.yml``), for each report and rule

- errata that are visible in numbers and found, and those missed, by name;
- proposals that belong to no such erratum, by how sure they are, each with what it says;
- precision and recall for each level of certainty.

An erratum counts as found if it shares two cells with a proposal, or all cells of the one that has
fewer, or if each has the cell that the other doubts first: any single cell in common may be chance.
A proposal is a false alarm if it finds no erratum so, and the cell it doubts first is in none.

Where ``ROUNDTRIP_SEEDS`` names the folder of the documents' texts, these are printed to PDF and
read again as ``roundtrip import`` reads them, and the rules over sentences are counted too: all
known errata, found from the sentences alone and by all rules, and false alarms.

Known errata are few, and the rules were written with some of them in mind. The second part asks
for more: into copies of the observations it plants one slip of the pen at a time, into table cells
that no erratum and no proposal touches, and counts how many slips are proposed: by any rule, and by
a rule that is sure to a level. The cells are chosen by a fixed seed.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.table import Table
from rich.text import Text

from roundtrip.checks.reference import Reference
from roundtrip.checks.selection import to_frame
from roundtrip.claims import Erratum, load_ledger
from roundtrip.detectors import (
    RULES,
    Proposal,
    ReportText,
    Subject,
    Sure,
    detect,
    detect_in,
    finds,
)
from roundtrip.detectors.flow import named_limits
from roundtrip.detectors.subject import printed_cells, text_beside
from roundtrip.drafting.document import open_document
from roundtrip.drafting.sentences import find_sentences
from roundtrip.observations import Observations, load_observations
from roundtrip.project import find_project
from roundtrip.sources.cells import parse_printed
from seeds import printed_seed, seed_texts

ROOT = Path(__file__).resolve().parents[1]
LEVELS = list(reversed(Sure))

Slip = tuple[str, str, Sure | None]
"""Report, slip, and how sure the surest proposal for it is; None without a proposal."""


@dataclass(frozen=True)
class Outcome:
    """Proposals of one report beside its errata."""

    report: str
    proposals: list[Proposal]
    visible: list[Erratum]
    hidden: list[Erratum]
    from_text: list[Proposal] | None = None

    def hits(self, erratum: Erratum) -> list[Proposal]:
        """Give the proposals that find an erratum."""
        return [one for one in self.proposals if finds(one, erratum)]

    @property
    def found(self) -> list[Erratum]:
        """Errata visible in numbers that a proposal finds."""
        return [erratum for erratum in self.visible if self.hits(erratum)]

    @property
    def missed(self) -> list[Erratum]:
        """Errata visible in numbers that no proposal finds."""
        return [erratum for erratum in self.visible if not self.hits(erratum)]

    @property
    def errata(self) -> list[Erratum]:
        """All that are known."""
        return [*self.visible, *self.hidden]

    @property
    def alarms(self) -> list[Proposal]:
        """Proposals that find no erratum, and doubt a cell that is in none."""
        known = {cell for item in self.errata for cell in item.cells}
        return [
            one
            for one in self.proposals
            if not known & set(one.cells[:1]) and not any(finds(one, item) for item in self.errata)
        ]


def texts_of(observations: Observations) -> dict[str, ReportText]:
    """Read the documents whose texts are at hand, as an import reads their PDF."""
    cells = to_frame(observations.table)
    found = {}
    with tempfile.TemporaryDirectory() as place:
        for report, text in seed_texts().items():
            path = Path(place) / "report.pdf"
            path.write_bytes(printed_seed(text))
            with open_document(path) as document:
                pages = document.read(document.numbers(None), lambda done, pages: None)["pdfminer"]
            said = find_sentences(pages)
            found[report] = text_beside(
                observations.project, report, cells[cells["source"] == report], *said
            )
    return found


def outcomes(observations: Observations, texts: Mapping[str, ReportText]) -> list[Outcome]:
    ledger = load_ledger(observations)
    found = []
    for report in observations.report_ids:
        errata = [one.erratum for one in ledger.errata if one.report == report]
        limits = named_limits(ledger, report)
        subject = replace(Subject.of(observations, report, limits), text=texts.get(report))
        found.append(
            Outcome(
                report,
                detect(subject),
                [one for one in errata if one.in_numbers],
                [one for one in errata if not one.in_numbers],
                detect_in(subject.text) if subject.text else None,
            )
        )
    return found


def show_reports(found: Sequence[Outcome], console: Console) -> None:
    table = Table(title="Errata visible in numbers, and proposals", title_justify="left")
    table.add_column("Report")
    for name in ("Errata", "Found", "Missed", "Proposals", "False alarms"):
        table.add_column(name, justify="right")
    for level in LEVELS:
        table.add_column(f"… {level}", justify="right")
    for one in found:
        alarms = Counter(alarm.sure for alarm in one.alarms)
        row = [len(one.visible), len(one.found), len(one.missed), len(one.proposals)]
        row += [len(one.alarms), *(alarms[level] for level in LEVELS)]
        table.add_row(one.report, *map(str, row))
    console.print(table)


def show_texts(found: Sequence[Outcome], console: Console) -> None:
    table = Table(title="All known errata, from sentences and by all rules", title_justify="left")
    table.add_column("Report")
    for name in ("Errata", "From sentences", "False alarms", "By all rules", "… all rules"):
        table.add_column(name, justify="right")
    counts = [text_counts(one) for one in found]
    for one, row in zip(found, counts, strict=True):
        table.add_row(one.report, *map(str, row))
    table.add_row("all", *(str(sum(column)) for column in zip(*counts, strict=True)))
    console.print(table)


def text_counts(one: Outcome) -> tuple[int, int, int, int, int]:
    """Count errata, those found from sentences with false alarms, and those by all rules."""
    said = one.from_text or []
    alarms = one.alarms
    return (
        len(one.errata),
        sum(any(finds(item, erratum) for item in said) for erratum in one.errata),
        sum(item in alarms for item in said),
        sum(bool(one.hits(erratum)) for erratum in one.errata),
        len(alarms),
    )


def show_rules(found: Sequence[Outcome], console: Console) -> None:
    table = Table(title="By rule and report", title_justify="left")
    for name in ("Rule", "Report"):
        table.add_column(name)
    for name in ("Proposals", "Errata found", "False alarms"):
        table.add_column(name, justify="right")
    for rule in RULES:
        silent = True
        for one in found:
            proposals = [item for item in one.proposals if item.rule == rule]
            if not proposals:
                continue
            silent = False
            errata = [item for item in one.errata if any(finds(p, item) for p in proposals)]
            alarms = [item for item in one.alarms if item.rule == rule]
            table.add_row(
                rule, one.report, *(str(len(part)) for part in (proposals, errata, alarms))
            )
        if silent:
            table.add_row(rule, "any", "0", "0", "0")
    console.print(table)


def show_levels(found: Sequence[Outcome], console: Console) -> None:
    table = Table(title="By how sure, all reports", title_justify="left")
    for name in ("At least", "Proposals", "Precision", "Errata found", "Recall"):
        table.add_column(name, justify="right")
    visible = sum(len(one.visible) for one in found)
    for count, level in enumerate(LEVELS, start=1):
        taken = LEVELS[:count]
        proposals = [item for one in found for item in one.proposals if item.sure in taken]
        alarms = [item for one in found for item in one.alarms if item.sure in taken]
        errata = [
            item for one in found for item in one.visible
            if any(hit.sure in taken for hit in one.hits(item))
        ]  # fmt: skip
        table.add_row(
            level,
            str(len(proposals)),
            share(len(proposals) - len(alarms), len(proposals)),
            str(len(errata)),
            share(len(errata), visible),
        )
    console.print(table)


def show_lists(found: Sequence[Outcome], console: Console) -> None:
    for one in found:
        for item in one.missed:
            console.print(Text(f"missed  {one.report}/{item.id} ({item.kind}): {item.says}"))
    for one in found:
        for alarm in one.alarms:
            said = f"alarm   {one.report} {alarm.rule}, {alarm.sure}, {alarm.out_by} "
            console.print(Text(f"{said}(allowed {alarm.allowed:.3g}): {alarm.says}"))


def share(part: int, whole: int) -> str:
    return f"{part / whole:.2f} ({part}/{whole})" if whole else "none"


# --- slips of the pen ------------------------------------------------------------------------


def lost_point(text: str) -> str | None:
    """44.7 becomes 447."""
    return text.replace(".", "", 1) if "." in text else None


def swapped_digits(text: str) -> str | None:
    """131,313 becomes 131,331: the last two digits that differ change places."""
    at = [place for place, sign in enumerate(text) if sign.isdigit()]
    for right, left in zip(reversed(at[1:]), reversed(at[:-1]), strict=True):
        if text[left] != text[right] and not (left == at[0] and text[right] == "0"):
            signs = list(text)
            signs[left], signs[right] = signs[right], signs[left]
            return "".join(signs)
    return None


def wrong_first_digit(text: str) -> str | None:
    """52 becomes 62: the first digit that is not zero is one more."""
    for place, sign in enumerate(text):
        if sign.isdigit() and sign != "0":
            return f"{text[:place]}{int(sign) % 9 + 1}{text[place + 1 :]}"
    return None


SLIPS: dict[str, Callable[[str], str | None]] = {
    "lost decimal point": lost_point,
    "two digits swapped": swapped_digits,
    "wrong first digit": wrong_first_digit,
}


def plant(cells: pd.DataFrame, position: int, text: str) -> pd.DataFrame:
    """Give a copy in which one cell prints something else."""
    values, printed = cells["value"].to_list(), cells["value_printed"].to_list()
    before, _ = parse_printed(str(printed[position]))
    after, _ = parse_printed(text)
    values[position] *= float(Decimal(str(after)) / Decimal(str(before)))
    printed[position] = text
    return cells.assign(value=values, value_printed=printed)


def planted(observations: Observations, found: Sequence[Outcome], count: int) -> Iterable[Slip]:
    """Yield report, slip and the surest proposal for each planted slip."""
    whole = to_frame(observations.table)
    for one in found:
        disclosure = observations.report(one.report)
        reference = Reference(observations.dictionary, {one.report: disclosure})
        cells = whole[whole["source"] == one.report].reset_index(drop=True)
        touched = {cell for item in (*one.visible, *one.hidden) for cell in item.cells}
        touched |= {cell for item in one.proposals for cell in item.cells}
        free = cells[(cells["source_kind"] == "table") & ~cells["observation_id"].isin(touched)]
        for slip, change in SLIPS.items():
            wrong = {int(at): change(str(free["value_printed"][at])) for at in free.index}
            able = [at for at, text in wrong.items() if text and cells["value"].iat[at]]
            for at in random.Random(slip).sample(able, min(count, len(able))):
                copy = plant(cells, at, str(wrong[at]))
                subject = Subject(
                    one.report,
                    printed_cells(copy, reference),
                    observations.dictionary,
                    disclosure,
                )
                cell = cells["observation_id"].iat[at]
                hits = [item for item in detect(subject) if cell in item.cells]
                yield one.report, slip, hits[0].sure if hits else None


def show_planted(results: Sequence[Slip], reports: Sequence[str], console: Console) -> None:
    table = Table(title="Planted slips that are proposed", title_justify="left")
    for name in ("Report", "Slip"):
        table.add_column(name)
    for name in ("Planted", "Proposed", *(f"… {level}" for level in LEVELS)):
        table.add_column(name, justify="right")
    for report in (*reports, "all"):
        for slip in SLIPS:
            levels = [sure for of, what, sure in results if report in (of, "all") and what == slip]
            counts = Counter(levels)
            proposed = len(levels) - counts[None]
            row = [share(proposed, len(levels)), *(str(counts[level]) for level in LEVELS)]
            table.add_row(report, slip, str(len(levels)), *row)
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    said = "slips of each kind for each report; 0 leaves this part out"
    parser.add_argument("--planted", type=int, default=10, metavar="N", help=said)
    parser.add_argument("--json", action="store_true", help="the counts, for programs")
    arguments = parser.parse_args()
    observations = load_observations(find_project(ROOT))
    texts = texts_of(observations)
    found = outcomes(observations, texts)
    results = list(planted(observations, found, arguments.planted)) if arguments.planted else []
    if arguments.json:
        sys.stdout.write(json.dumps(as_data(found, results), indent=2) + "\n")
        return
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False)
    show_reports(found, console)
    if texts:
        show_texts(found, console)
    show_rules(found, console)
    show_levels(found, console)
    show_lists(found, console)
    if results:
        show_planted(results, [one.report for one in found], console)


def as_data(found: Sequence[Outcome], results: Sequence[Slip]) -> dict[str, object]:
    return {
        "reports": {
            one.report: {
                "visible": len(one.visible),
                "found": [item.id for item in one.found],
                "missed": [item.id for item in one.missed],
                "proposals": len(one.proposals),
                **({"from_sentences": text_counts(one)[1]} if one.from_text is not None else {}),
                "false_alarms": {
                    level: sum(item.sure is level for item in one.alarms) for level in LEVELS
                },
            }
            for one in found
        },
        "planted": [
            {"report": report, "slip": slip, "sure": sure} for report, slip, sure in results
        ],
    }


if __name__ == "__main__":
    main()
