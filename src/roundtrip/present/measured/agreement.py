"""Whether what was published agrees with what was measured: an equivalence test with a margin."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from roundtrip.claims.repeatability import source_spreads
from roundtrip.comparison_marks import ALL_VERDICTS, TALLY, Outcome, Sides, mark
from roundtrip.methodology.scatter import Scatter, scatter_of
from roundtrip.present.chapter import Text
from roundtrip.present.figure import Figure
from roundtrip.present.measured.means import Measured
from roundtrip.present.measured.shares import Share
from roundtrip.present.numbers import NumberFormat, Quantity
from roundtrip.present.suspect_cells import doubted_cells
from roundtrip.stats.intervals import TESTED, Interval

WIDEST = 1.25
"""Factor beyond which nothing is called equal, however badly a campaign repeats.

It is the limit of equivalence that trials of medicines use (0.80 to 1.25): a campaign whose own
runs differ by more cannot say that a size agrees.
"""
TEST = (
    "A measured share agrees with a published one if the 90\u00a0% confidence interval of their "
    "ratio lies inside the margin, and disagrees if the 95\u00a0% interval lies wholly outside; "
    "otherwise the comparison is inconclusive."
)
"""How a comparison is judged, in words."""

_LEAST = 1e-9
"""In percent; stands for a published share of 0, to which there is no ratio."""


@dataclass(frozen=True)
class Margin:
    """How far two sizes may lie apart and still agree.

    Attributes
    ----------
    factor : float
        At least 1.
    repeats_within : float
        Factor that two runs of one point differ by at most in 95 % of cases, apart from what an
        hour changes in all points alike; NaN where no point was run twice.
    points : int
        Points with several runs that it rests on.
    withheld : str
        Why no verdict may rest on the campaign; empty where one may.
    hours_apart : float
        Least time between blocks of runs; 0 where all are of one block.
    numbers : NumberFormat
        How the words write factors.
    """

    factor: float
    repeats_within: float
    points: int
    withheld: str = ""
    hours_apart: float = 0.0
    numbers: NumberFormat = field(default_factory=NumberFormat)

    @property
    def rule(self) -> str:
        """The margin in words, for a section with verdicts; empty where they are withheld."""
        if self.withheld:
            return ""
        if not self.points:
            return "No point was repeated, so there is no verdict on magnitude."
        apart, common = "", ""
        if hours := math.floor(self.hours_apart):
            apart = f", at least {hours}\u00a0h apart,"
            common = ", not counting what the hour changed in all points alike"
        rests = (
            f"In 95\u00a0% of cases, two runs of the same point{apart} differ by a factor of at "
            f"most {factor_words(self.repeats_within, self.numbers)}{common}"
        )
        if self.repeats_within > self.factor:
            widest = self.numbers.write(WIDEST, 2)
            return f"{rests}; the margin of agreement is narrower, at most {widest}."
        return f"{rests}: this is the margin within which shares agree."


@dataclass(frozen=True)
class ShareVerdict:
    """What a comparison came to.

    Attributes
    ----------
    words : str
        A sentence, or several; empty where the verdict is withheld.
    sides : Sides or None
        What was compared, for the drawing of all comparisons.
    """

    outcome: Outcome
    words: str
    sides: Sides | None = None

    def __str__(self) -> str:
        """Give the words for a sentence, with the mark that the build counts verdicts by."""
        return self.words + mark(self.outcome, self.sides)


def factor_words(factor: float, numbers: NumberFormat) -> str:
    """Write a factor with two decimals, or as many more as tell it from 1, up to six."""
    decimals = next((n for n in range(2, 6) if factor - 1 >= 0.5 * 10**-n), 6)
    return numbers.write(factor, decimals) if factor > 1 else numbers.exact(factor)


def tally() -> Text:
    """Give a mark in whose place the build writes the tally of all verdicts of the report."""
    return Text(TALLY)


def all_verdicts() -> Figure:
    """Give an empty figure in whose place the build draws all comparisons of the report.

    Several such figures share the comparisons between them, by chapter.
    """
    words = "The build draws the comparisons of all chapters here."
    empty = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 40"><title>{words}</title></svg>'
    )
    return Figure(title=words, caption=ALL_VERDICTS, alt=words, svg=empty)


def margin_of(here: Measured, scatter: Scatter | None = None) -> Margin:
    """Give the margin of a campaign: how far its own runs of the same point differ.

    The standard deviation of the logarithms is pooled over all points that were run several times,
    without marked runs where that leaves two of a point. Where the campaign has blocks hours apart,
    it is that of intermediate precision (ISO 5725-3): what runs differ by within a block and what
    blocks differ by.

    Parameters
    ----------
    here : Measured
        Its campaigns count whole, whatever is selected of them.
    scatter : Scatter, optional
        Of what is compared, where that is not the rate.
    """
    known, numbers = here.chapter.observations, here.chapter.numbers
    scatter = scatter or scatter_of(known, here.campaigns)
    if not scatter.known:
        return Margin(1.0, math.nan, 0, here.withheld, numbers=numbers)
    repeats = scatter.factor
    hours = min(known.campaign(name).hours_apart for name in here.campaigns)
    return Margin(min(repeats, WIDEST), repeats, scatter.points, here.withheld, hours, numbers)


def source_spread(here: Measured, printed: Quantity) -> float:
    """Give how far a published value may be off, by its source's repeated measurements."""
    spreads = source_spreads(here.chapter.observations)
    return max(
        (spreads.get(cell.partition("/")[0], spreads[""]) for cell in printed.cells), default=0.0
    )


def compared(here: Measured, printed: Quantity, share: Share, *, name: str) -> ShareVerdict:
    """Say whether a published share agrees with a measured one, by the margin of its campaign.

    Parameters
    ----------
    printed : Quantity
        The published share of a rate, in percent.
    name : str
        What is compared, for a drawing of all comparisons.
    """
    margin, spread = margin_of(here), source_spread(here, printed)
    ends = printed.value, printed.value
    sides = sides_of(name, ends, share, margin, spread, printed.cells)
    return replace(judged(here, ends, share, margin, spread), sides=sides)


def judged(
    here: Measured, published: tuple[float, float], share: Share, margin: Margin, spread: float
) -> ShareVerdict:
    """Say whether a published range agrees with a measured share, with and without marked runs.

    One that rests on marked runs is inconclusive where the others come to another verdict; if it
    is, it names no direction.

    Parameters
    ----------
    published, share, margin, spread
        As for `verdict_of_range`.
    """
    found = verdict_of_range(*published, share.interval, margin, spread)
    marked = doubted_cells(here.chapter, share.quantity.cells)
    if not found.words or not marked:
        return found
    if found.outcome == "inconclusive":
        return replace(found, words="Inconclusive; this rests on marked runs.")
    words = f"{found.words.rstrip('.')}; this rests on marked runs"
    calm = share.without(marked)
    if calm is None:
        return replace(found, words=f"{words} alone.")
    shown = f"{here.chapter.inline(calm.quantity)}{calm.words(here.chapter)}"
    without = verdict_of_range(*published, calm.interval, margin, spread)
    if without.outcome == found.outcome:
        said = without.words[:1].lower() + without.words[1:]
        return replace(found, words=f"{words}. Without them, {shown}, {said}")
    return ShareVerdict("inconclusive", f"Inconclusive: without marked runs, the share is {shown}.")


def sides_of(
    name: str, published: tuple[float, float], share: Share, margin: Margin, spread: float = 0.0,
    cells: tuple[str, ...] = (),
) -> Sides:  # fmt: skip
    """Give both sides of a comparison.

    Parameters
    ----------
    published : (float, float)
        Ends of the published range in percent; equal for a single share.
    cells : tuple of str
        Of the published share.
    """
    found = share.interval
    tested = found.at(TESTED)
    low, high, least, most = (
        100 * end if found.known else math.nan
        for end in (found.low, found.high, tested.low, tested.high)
    )
    judged = margin.points and not margin.withheld
    reach = max(1.0, margin.factor / (1 + spread)) if judged else 1.0
    beyond = margin.factor * (1 + spread) if judged else math.nan
    every = tuple(dict.fromkeys(cells + share.quantity.cells))
    return Sides(
        name, *published, reach, share.quantity.value, low, high, every, beyond, (least, most)
    )  # fmt: skip


def verdict_of_range(
    least: float, most: float, interval: Interval, margin: Margin, spread: float = 0.0
) -> ShareVerdict:
    """Say whether a published range of shares agrees with a measured share.

    Two shares are compared, each of which was formed on its own side; no value of one side is
    divided by one of the other but to say how far apart the shares are.

    Parameters
    ----------
    least, most : float
        Ends of the range in percent; equal for a single share.
    interval : Interval
        Of the measured ratio: 1 is no difference.
    margin : Margin
        From `margin_of`.
    spread : float
        From `source_spread`: the published share may be off by as much.
    """
    if margin.withheld:
        return ShareVerdict("withheld", "")
    least, most = max(least, _LEAST), max(most, _LEAST)
    nearest = min(max(100 * interval.estimate, least), most)
    size = outcome_of(least / 100, most / 100, interval, margin, spread)
    if size == "agree":
        words = f"The two agree within a factor of {factor_words(margin.factor, margin.numbers)}"
        reach = margin.factor / (1 + spread)
        if not least / reach <= 100 * interval.low <= 100 * interval.high <= most * reach:
            words += ", judged by the 90\u00a0% interval"
        if not interval.is_difference and not least <= 100 <= most:
            words += ", though no difference is significant here"
        return ShareVerdict(size, f"{words}.")
    if not interval.known:
        why = "one run each" if interval.runs < 2 else "the share has no interval"
        return ShareVerdict(size, f"Inconclusive: {why}.")
    shows = interval.is_difference
    along = shows and (nearest < 100) == (interval.estimate < 1) and abs(nearest / 100 - 1) > spread
    if size == "disagree":
        if along:
            words = "The two disagree, though the direction agrees"
        elif not shows:
            words = "The two disagree: no significant difference here"
        elif abs(nearest / 100 - 1) <= spread:
            words = "The two disagree: only the measurement shows a difference"
        else:
            words = "The two disagree: the direction differs"
        return ShareVerdict(size, f"{words}.")
    return ShareVerdict(size, "Inconclusive; the direction agrees." if along else "Inconclusive.")


def outcome_of(
    least: float, most: float, interval: Interval, margin: Margin, spread: float = 0.0
) -> Outcome:
    """Say whether what was measured lies within what was expected, in the unit of the interval.

    It does not where the whole interval, as it is printed, lies outside the range and its
    margin. That it does is decided by two one-sided tests (Schuirmann, *A comparison of the two
    one-sided tests procedure and the power approach*, Journal of Pharmacokinetics and
    Biopharmaceutics 15, 1987, https://doi.org/10.1007/BF01068419) with one error in twenty, so
    by the interval of 90 %. The interval is that of a positive mean or ratio; without it, or
    without a margin, the outcome is inconclusive too.
    """
    if margin.withheld:
        return "withheld"
    tested = interval.at(TESTED)
    if not interval.known or tested.low <= 0 or not margin.points:
        return "inconclusive"
    if least <= 0:
        return "disagree"
    reach = margin.factor / (1 + spread)
    if least / reach <= tested.low and tested.high <= most * reach:
        return "agree"
    beyond = margin.factor * (1 + spread)
    outside = interval.low > most * beyond or interval.high < least / beyond
    return "disagree" if outside else "inconclusive"
