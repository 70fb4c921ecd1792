"""Measured cases, each beside its own base: for variants that no single factor tells apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

from roundtrip.present.chapter import RATE, Text
from roundtrip.present.figure import Figure
from roundtrip.present.measured.agreement import compared
from roundtrip.present.measured.means import Measured, Share, differing, share_of
from roundtrip.present.measured.variants import USUAL, Metric, heads_of, without_counterpart
from roundtrip.present.measured.words import RATIOS, means_note
from roundtrip.present.numbers import Quantity
from roundtrip.present.quantities import Row, quantity_table
from roundtrip.present.suspect_cells import doubted_cells
from roundtrip.present.tables import Table
from support.shared.forest import Compared, forest
from support.shared.quantities_at import row_at


@dataclass(frozen=True)
class Case:
    """One measured point, and what it is compared with.

    Attributes
    ----------
    name : str
        What sets it apart, for readers.
    of : mapping
        Factors that select its point; None for a factor that was not set.
    base : mapping or None
        Likewise of the point that it is a share of; None for a case that stands for itself.
    published : mapping
        Name of a published product or test to its share of its own base, in percent.
    group : str
        Cases of a group stand together.
    """

    name: str
    of: Mapping[str, Any]
    base: Mapping[str, Any] | None = None
    published: Mapping[str, Quantity] = field(default_factory=dict)
    group: str = ""

    @property
    def whole_name(self) -> str:
        """Its name with that of its group."""
        return f"{self.group}, {self.name}" if self.group else self.name

    def share(self, here: Measured) -> Share | None:
        """Give its share of its base; None where either was not measured, or it has none."""
        return None if self.base is None else share_of(here, self.of, self.base)


@dataclass(frozen=True)
class Cases:
    """Cases of one measurement, listed, drawn and compared together.

    Attributes
    ----------
    here : Measured
        Where they were measured; nothing is shown where nothing was.
    all : sequence of Case
        One that was not measured is passed over.
    """

    here: Measured
    all: Sequence[Case]

    def shares(self) -> list[tuple[Case, Share]]:
        """Give each case that has a base, with its share of it."""
        if not self.here.exists:
            return []
        found = ((case, case.share(self.here)) for case in self.all)
        return [(case, share) for case, share in found if share is not None]

    def table(
        self,
        *,
        head: str,
        share: str,
        caption: str,
        metrics: Sequence[Metric] = USUAL,
        notes: Sequence[str] = (),
    ) -> Table | None:
        """List them: rate with its interval, share of the base, and more.

        Parameters
        ----------
        head : str
            Over the names.
        share : str
            Over the shares, such as ``Of an empty queue (%)``.
        metrics : sequence of (metric, statistic)
            Further columns, means over the runs.

        Returns
        -------
        Table or None
            None when nothing of it was measured.
        """
        here, chapter = self.here, self.here.chapter
        rows: list[Row] = []
        group = ""
        for case in self.all if here.exists else ():
            row = row_at(here, case.name, case.of, case.base, metrics)
            if row is None:
                continue
            if case.group and case.group != group:
                rows.append(Row(case.group))
            group = case.group
            rows.append(row)
        if not rows:
            return None
        heads, over = heads_of(here, metrics)
        return quantity_table(
            chapter,
            rows,
            header=[head, chapter.label(RATE), "95 % interval", share, "Runs", *heads],
            over=over and [("", 4), *over],
            caption=caption,
            notes=(f"{means_note(here)} {RATIOS}", *notes),
            by_row=True,
        )  # fmt: skip

    def agreement(self, *, head: str) -> Text | None:
        """Compare each share with published ones, each formed on its own side.

        Parameters
        ----------
        head : str
            What the shares are of, in words; a colon follows.

        Returns
        -------
        Text or None
            A list with a verdict for each published share; None when nothing was measured.
        """
        here, chapter = self.here, self.here.chapter
        shown = chapter.inline
        lines: list[str] = []
        alone: list[tuple[str, str]] = []
        for case, share in self.shares():
            found = f"{shown(share.quantity)}{share.words(chapter)}"
            if not case.published:
                alone.append((shown(case.whole_name), found))
                continue
            beside = []
            for name, printed in case.published.items():
                told = case.whole_name + (f" beside {name}" if len(case.published) > 1 else "")
                words = compared(here, printed, share, name=told)
                beside.append(f"{shown(name)}: {shown(printed)}. {words}")
            lines.append(f"- {shown(case.whole_name)}: here {found}; {' '.join(beside)}")
        if lines:
            lines += without_counterpart([", ".join(one) for one in alone])
        else:
            lines = [f"- {name}: here {found}." for name, found in alone]
        return Text("\n".join([f"{head}:\n", *lines])) if lines else None

    def forest(self, *, what: str, of: str, caption: str) -> Figure | None:
        """Draw each share with its interval, and the published ones beside it.

        Parameters
        ----------
        what, of, caption : str
            As for `support.shared.forest.forest`.
        """
        if not self.here.exists:
            return None
        drawn = [Compared(case.name, share, case.published) for case, share in self.shares()]
        return forest(self.here, drawn, what=what, of=of, caption=caption)

    def title(self, *, of: str, otherwise: str) -> str:
        """Name the finding: the case that keeps least of its base, of those that differ.

        Parameters
        ----------
        of : str
            What the shares are of, such as ``the rate of an empty queue``.
        otherwise : str
            The title where nothing was measured, or nothing may be concluded.
        """
        found = self.shares()
        if self.here.withheld or not found:
            return otherwise
        told = list(compress(found, differing([share for _, share in found])))
        if not told:
            return f"No case differs significantly from {of}"
        # Marked runs are named only where no others differ, and as such.
        chapter = self.here.chapter
        calm = [each for each in told if not doubted_cells(chapter, each[1].quantity.cells)]
        case, share = min(calm or told, key=lambda each: each[1].quantity.value)
        found_of = f"{case.whole_name}: {chapter.write(share.quantity)} of {of}"
        return found_of if calm else f"{found_of} (from marked runs)"
