"""From V6 to V7: the ratio of the peaks, and the changes that the source's text states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from roundtrip.present import Chapter, Figure, Quantity, Table, style_of
from support.aix_v7.compared import compared_table
from support.aix_v7.comparisons import (
    FEW_PERCENT,
    Comparison,
    matching,
    mean_share,
    repeats,
)
from support.aix_v7.printed import KINDS, Printed
from support.aix_v7.ratio_dots import Dot, ratio_dots
from support.aix_v7.text_statements import stated_quantities, statements_table

TEST = ("workload", "delivery", "message_bytes", "application_binding", "sharecnv")
"""Factors that tell one test from another."""

_DEFAULT = "default sharing"
_BOTH_WAYS = "V7 clients with the default sharing of sockets, against SHARECNV(0), loss"


@dataclass(frozen=True)
class Ratios:
    """V7's peaks in percent of V6's.

    Attributes
    ----------
    tests : list of Comparison
        Those that are shown and print both versions.
    count, below, others : int
    above, threshold : str
        All tests; those that differ by more than `threshold` in percent; the rest.
    repeats : Quantity
        By how much rates differ that the source prints twice, at most.
    lowest, highest, mean : Quantity
        The mean is geometric, and takes SHARECNV(0) where two ways of sharing are printed.
    lowest_test : str
        Names the test of the lowest.
    """

    chapter: Chapter
    tests: list[Comparison]
    count: int
    below: int
    above: str
    others: int
    threshold: str
    repeats: Quantity
    lowest: Quantity
    highest: Quantity
    mean: Quantity
    lowest_test: str


def ratios(printed: Printed) -> Ratios:
    """Sum up how the versions compare, over the tests that are shown."""
    chapter, complete = printed.chapter, printed.complete
    different = [item.share(chapter).value for item in complete if item.differs(chapter)]
    below = sum(share < 100 for share in different)
    lowest = min(complete, key=lambda item: item.share(chapter).value)
    highest = max(complete, key=lambda item: item.share(chapter).value)
    return Ratios(
        chapter,
        complete,
        count=len(complete),
        below=below,
        above=str(len(different) - below or "none"),
        others=len(complete) - len(different),
        threshold=f"{FEW_PERCENT}\u00a0%",
        repeats=repeats(chapter),
        lowest=lowest.share(chapter),
        highest=highest.share(chapter),
        mean=mean_share(chapter, [item for item in complete if item.variant != _DEFAULT]),
        lowest_test=f"{lowest.group.lower()}, {lowest.name}",
    )


def ratios_figure(found: Ratios, *, caption: str) -> Figure:
    """Draw the ratio of every test, with what rounding and the source's repeats leave open."""
    chapter = found.chapter
    return ratio_dots(
        chapter,
        [
            Dot(
                item.group,
                item.test,
                f"V7, {item.variant}" if item.variant else "V7",
                item.share(chapter),
                *item.band(chapter),
            )
            for item in found.tests
        ],
        axis="Peak rate relative to V6 (%)",
        styles={
            "V7": style_of("V7"),
            "V7, SHARECNV(0)": style_of("SHARECNV(0)", 2),
            f"V7, {_DEFAULT}": style_of(_DEFAULT, 1),
        },
        whole="V6",
        title=(
            f"V7's peaks lie between {chapter.write(found.lowest)} and "
            f"{chapter.write(found.highest)} of V6's; the mean is {chapter.write(found.mean)}"
        ),
        caption=caption,
    )


def versions_table(printed: Printed, workload: str, *, notes: Sequence[str] = ()) -> Table:
    """Lay out both versions for one kind of connection."""
    return compared_table(
        printed.chapter,
        printed.of_kind(workload),
        caption=f"{KINDS[workload]}, V6 and V7: highest rates and points of comparison",
        base="V6",
        other="V7",
        notes=[
            "Ratio: V7 over V6, highest printed rates, whether or not marked as peaks.",
            *notes,
        ],
    )


@dataclass(frozen=True)
class Changes:
    """Changes from V6 to V7 that the text of the source states, held to the printed peaks.

    Attributes
    ----------
    rows : pandas.DataFrame
        The statements.
    from_peaks : list of str
        What the peaks give for each, negative where it states a gain and they give a loss, or the
        other way round.
    count, contradicted : int
        Statements on one test; those that the peaks do not allow.
    sharing_stated, sharing_printed : Quantity
        What sharing sockets by default takes: as stated, and on average.
    channels, channels_non_trusted : Quantity
        What the rates of distributed queuing differ by, with small non-persistent messages.
    least_gain : Quantity
        Of V7 over V6 in distributed queuing of 200 KB: what rounding leaves of it at least.
    """

    chapter: Chapter
    rows: pd.DataFrame
    from_peaks: list[str]
    count: int
    contradicted: int
    sharing_stated: Quantity
    sharing_printed: Quantity
    channels: Quantity
    channels_non_trusted: Quantity
    least_gain: Quantity


def changes(printed: Printed) -> Changes:
    """Hold what the text states of the change from V6 to V7 to the printed peaks."""
    chapter = printed.chapter
    rows = printed.stated[
        printed.stated["row_label"].str.startswith(("V7 against", "V7 with", "V7 clients"))
    ].reset_index(drop=True)
    complete = [item for item in printed.everything if item.complete]
    of_all = mean_share(chapter, [item for item in complete if item.variant != _DEFAULT])
    of_sharing = mean_share(chapter, _default_against_own_sockets(printed))
    from_peaks, agree = [], []
    for (_, row), change in zip(rows.iterrows(), stated_quantities(chapter, rows), strict=True):
        pair = matching(printed.everything, row, TEST)
        mean = of_sharing if row["workload"] == "RR-CB" else of_all
        share = mean if pair is None else pair.share(chapter)
        grew = pd.notna(row.get("rate_increase"))
        whole = Quantity(100, "%", ())
        fell = share.value < whole.value
        computed = share.percent_below(whole, 1) if fell else share.percent_above(whole, 1)
        other = grew == fell and round(computed.value, 1)
        from_peaks.append(("\u2212" if other else "") + chapter.write(computed))
        if pair is not None:
            agree.append(pair.allows(chapter, change if grew else change.times(-1)))
    channels = printed.find("RR-DQ-BB", "nonpersistent")
    non_trusted = printed.find("RR-DQ-BB", "nonpersistent", binding="non-trusted")
    rounded = printed.find("RR-DQ-BB", "nonpersistent", 204800)
    least = rounded.bounds(chapter)[0] - 100
    return Changes(
        chapter,
        rows,
        from_peaks,
        count=len(agree),
        contradicted=len(agree) - sum(agree),
        sharing_stated=printed.said(_BOTH_WAYS),
        sharing_printed=of_sharing.complement(),
        channels=channels.share(chapter).complement(),
        channels_non_trusted=non_trusted.share(chapter).complement(),
        least_gain=Quantity(least, "%", rounded.share(chapter).cells, 1),
    )


def _default_against_own_sockets(printed: Printed) -> list[Comparison]:
    """Pair the tests of shared sockets with those of SHARECNV(0), both of V7."""
    pairs = []
    for item in printed.everything:
        if item.variant == _DEFAULT:
            delivery, binding = item.factors["delivery"], item.factors["application_binding"]
            own = printed.find("RR-CB", delivery, binding=binding, sharing="0")
            pairs.append(Comparison(item.test, "", item.group, own.other, item.other))
    return pairs


def changes_table(found: Changes, *, caption: str, notes: Sequence[str]) -> Table:
    """List the stated changes beside what the peaks give."""
    return statements_table(
        found.chapter,
        found.rows,
        caption=caption,
        value="Stated",
        computed=("From the peaks", found.from_peaks),
        notes=notes,
    )
