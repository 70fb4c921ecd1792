"""Measured cases, each beside its own base: for variants that no single factor tells apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any

import pandas as pd

from roundtrip.claims.repeatability import source_spreads
from roundtrip.comparison_marks import NO_VERDICT, outcomes_words
from roundtrip.present import Chapter, Figure, Measured, Quantity, Table, Text, chart, style_of
from roundtrip.present.chapter import RATE
from roundtrip.present.left_out import left_out_words
from roundtrip.present.measured.agreement import compared, factor_words, margin_of, source_spread
from roundtrip.present.measured.columns import Metric, heads_of
from roundtrip.present.measured.shares import Share, differing, share_of
from roundtrip.present.measured.variants import USUAL, without_counterpart
from roundtrip.present.measured.words import MEANS, RATIOS
from roundtrip.present.plot.rows import Number
from roundtrip.present.quantities import Row, quantity_table
from roundtrip.present.suspect_cells import doubted_cells
from support.shared.ends import ends
from support.shared.lists import listed_under
from support.shared.quantities_at import row_at

HERE = "measured here"
_EXCLUDING = "No share could agree with both, so no verdict is given."
_KNOWN = 2.0


def is_known(share: Share) -> bool:
    """Whether the interval of a share reaches no further than a factor of two from it."""
    found = share.interval
    return found.low >= found.estimate / _KNOWN and found.high <= found.estimate * _KNOWN


def known_words(share: Share, chapter: Chapter) -> str:
    """Write a share with its interval; of one whose interval is too wide, say only that."""
    if share.interval.known and not is_known(share):
        return "not known to within a factor of two"
    return f"{chapter.inline(share.quantity)}{share.words(chapter)}"


def marked_words(chapter: Chapter, share: Share) -> str:
    """Say of a share without a verdict that it rests on marked runs; empty where it does not."""
    return "; this rests on marked runs" * bool(doubted_cells(chapter, share.quantity.cells))


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
    no_verdict : str
        Why none is given; empty where one is.
    """

    name: str
    of: Mapping[str, Any]
    base: Mapping[str, Any] | None = None
    published: Mapping[str, Quantity] = field(default_factory=dict)
    group: str = ""
    no_verdict: str = ""

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
        for case in self.all:
            row = row_at(here, case.name, case.of, case.base, metrics)
            if row is None:
                continue
            if case.group and case.group != group:
                rows.append(Row(case.group))
            group = case.group
            of = case.share(here)
            ends = "\u2013".join(of.ends(chapter)) if of and of.interval.known else None
            rows.append(replace(row, cells=(*row.cells[:3], ends, *row.cells[3:])))
        if not rows:
            return None
        heads, over = heads_of(here, metrics)
        return quantity_table(
            chapter,
            rows,
            header=[head, chapter.label(RATE), "95 % interval", share, "95 % interval", "Runs",
                    *heads],
            over=over and [("", 5), *over],
            caption=caption,
            notes=(f"{MEANS} {RATIOS}", *notes),
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
            A list with a verdict for each published share, but for cases that name why there is
            none and for shares that exclude each other; None when nothing was measured.
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
            if reason := self._no_verdict(case):
                told = "; ".join(f"{shown(name)}: {shown(q)}" for name, q in case.published.items())
                why = f"{reason}{NO_VERDICT * len(case.published)}"
                found += marked_words(chapter, share)
                lines.append(f"- {shown(case.whole_name)}: here {found}; {told}. {why}")
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
        return listed_under(f"{head}:", lines)

    def _no_verdict(self, case: Case) -> str:
        """Say why there is no verdict: its reason, or that no share could agree with all."""
        printed, margin = [one.value for one in case.published.values()], margin_of(self.here)
        excluding = max(printed) > min(printed) * margin.factor**2
        return case.no_verdict or _EXCLUDING * excluding

    def forest(self, *, what: str, of: str, caption: str) -> Figure | None:
        """Draw each share with its interval, and the published ones beside it.

        Parameters
        ----------
        what, of, caption : str
            As for `forest`.
        """
        return forest(self.here, self.shares(), what=what, of=of, caption=caption)

    def title(self, *, what: str, of: str, otherwise: str) -> str:
        """Name the finding: what the cases keep of their base, of those that differ from it.

        Parameters
        ----------
        what : str
            What sets the cases apart from their bases, such as ``left-over messages``.
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
        chapter = self.here.chapter
        calm = [each for each in told if not doubted_cells(chapter, each[1].quantity.cells)]
        marked = "" if calm else ", from marked runs"
        if len(told) == 1:
            ((case, share),) = told
            kept = f"{chapter.write(share.quantity)}{share.words(chapter)}"
            return f"Only “{case.whole_name}” differs significantly from {of}: {kept}{marked}"
        if 0 < len(calm) < len(told):
            marked = ", some of it from marked runs"
        found_ends = ends(one.quantity for _, one in told)
        low, high = chapter.write(found_ends.low), chapter.write(found_ends.high)
        return (
            f"Where {what} change the rate significantly, {low} to {high} of {of} remains{marked}"
        )


def came_out(*all_cases: Cases, head: str, then: str) -> Text | None:
    """Say how the comparisons of some cases came out, between `head` and `then`.

    Returns
    -------
    Text or None
        None where nothing was judged.
    """
    outcomes: Counter[str] = Counter(
        compared(cases.here, printed, share, name=case.name).outcome
        for cases in all_cases
        for case, share in cases.shares()
        if case.published and not cases._no_verdict(case)
        for printed in case.published.values()
    )
    if not outcomes or "withheld" in outcomes:
        return None
    return Text(f"{head} {outcomes_words(outcomes)}. {then}")


def forest(
    here: Measured, shares: Sequence[tuple[Case, Share]], *, what: str, of: str, caption: str
) -> Figure | None:
    """Draw measured shares with their intervals, and published ones with the margin of agreement.

    Parameters
    ----------
    here : Measured
        Its campaign gives the margin.
    shares : sequence of (Case, Share)
        From top to bottom.
    what : str
        What is compared, for the title, which goes on with how the comparisons came out.
    of : str
        What 100 % is.

    Returns
    -------
    Figure or None
        None without a case.
    """
    outcomes: Counter[str] = Counter()
    rows = []
    for case, share in shares:
        for who, value in case.published.items():
            found = compared(here, value, share, name=case.name)
            outcomes[found.outcome] += 1
            number = _published(here, value, found.sides.reach if found.sides else 1.0)
            rows.append({"case": case.name, "who": who, "share": number})
        rows.append({"case": case.name, "who": HERE, "share": measured_share(here, share)})
    if not rows:
        return None
    told = f"Measured here: {what}"
    caption += " Hollow with a line: measured here, with its 95\u00a0% interval."
    published = [(who, value) for case, _ in shares for who, value in case.published.items()]
    printed = [value for _, value in published]
    if printed:
        withheld = "withheld" in outcomes
        told = f"{what[0].upper()}{what[1:]}: measured beside published"
        if not withheld:
            told = outcomes_words(outcomes, f" of {what}")
            if all(doubted_cells(here.chapter, share.quantity.cells) for _, share in shares):
                told += " (all from marked runs)"
        caption += " Solid: published"
        margin = margin_of(here)
        if margin.points and not margin.withheld:
            reach = f"a factor of {factor_words(margin.factor, margin.numbers)} either way"
            if any(source_spread(here, value) for value in printed):
                reach += ", minus the scatter of repeated tests in the source"
            repeating = source_spreads(here.chapter.observations)
            cells = [cell for value in printed for cell in value.cells]
            if any(cell.partition("/")[0] not in repeating for cell in cells):
                reach += " (for a source that repeats none, the largest scatter of another source)"
            caption += f"; its line is the margin of agreement, {reach}"
        caption += "."
    # Whoever published has the first styles, so that all such figures look alike.
    names = [*dict.fromkeys(who for who, _ in published), HERE]
    return chart(
        here.chapter, pd.DataFrame(rows), mark="dot", horizontal=True, x="case", y="share",
        series="who", reference=(100, of), y_title=f"Share of {of} (%)", x_title="",
        styles={name: style_of(name, at, here.chapter.project) for at, name in enumerate(names)},
        title=told, caption=caption, varied=None,
    )  # fmt: skip


def beside(cases: Cases, *, head: str) -> Text | None:
    """List measured shares with the published ones beside them, without a verdict.

    Returns
    -------
    Text or None
        None when nothing was measured.
    """
    chapter, shown = cases.here.chapter, cases.here.chapter.inline
    lines = []
    for case, share in cases.shares():
        line = f"- {shown(case.whole_name)}: here {known_words(share, chapter)}"
        for printed in case.published.values():
            line += f"; published: {shown(printed)}{NO_VERDICT}"
        line += marked_words(chapter, share)
        # Of a point that several lists hold it is said in the one that sets something beside it.
        named = [(shown(case.whole_name), share.quantity)] if case.published else []
        lines.append(" ".join([f"{line}.", *left_out_words(chapter, named)]))
    return listed_under(f"{head}:", lines)


def measured_share(here: Measured, share: Share) -> Number:
    """Give a measured share in percent, with the ends of its interval, as a chart draws it."""
    found, shown = share.interval, here.chapter.write(share.quantity)
    if not found.known:
        return Number(share.quantity, shown, share.quantity.value, share.quantity.value)
    low, high = max(0.0, 100 * found.low), 100 * found.high
    return Number(share.quantity, shown + share.words(here.chapter), low, high)


def _published(here: Measured, printed: Quantity, reach: float) -> Number:
    shown, write = here.chapter.write(printed), here.chapter.numbers.write
    low, high = printed.value / reach, printed.value * reach
    if low < high:
        shown += f" (agrees from {write(low)} to {write(high)}\u00a0%)"
    return Number(printed, shown, low, high)
