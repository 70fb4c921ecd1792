"""Rules about curves that were read off figures."""

from __future__ import annotations

import pandas as pd

from roundtrip.checks.laws import above_peak
from roundtrip.checks.precision import Cell, alike
from roundtrip.checks.reference import Finding, Reference
from roundtrip.checks.selection import records, rows_alike
from roundtrip.dictionary import RATE
from roundtrip.errors import CheckError, unknown

_CURVE = ["source", "table_id", "row_label"]


def curves_meet_peaks(
    cells: pd.DataFrame,
    reference: Reference,
    metrics: list[str],
    exceptions: dict[str, str] | None = None,
) -> Finding:
    """Hold curves against the peaks that tables print for the same set-up.

    At the peak's number of requesters a curve has a point as far from it as its drawing may be
    off, at most, and nowhere a rate that is higher than that. A curve that cannot be held against
    a table is named in `exceptions`, as ``figure-a/one-host``, with the reason.
    """
    exceptions = exceptions or {}
    wanted = cells["metric"].isin(metrics)
    drawn = cells[wanted & (cells["source_kind"] == "figure")]
    peaks = cells[wanted & (cells["source_kind"] == "table") & (cells["statistic"] == "peak")]
    factors = [name for name in reference.dictionary.factors if name != "requesters"]
    known = [_name(curve.iloc[0]) for _, curve in drawn.groupby(_CURVE, dropna=False)]
    for name in exceptions:
        if name not in known:
            raise unknown(CheckError, "curve", name, known)
    finding = Finding(len(drawn))
    for _, curve in drawn.groupby(_CURVE, dropna=False, sort=False):
        of_curve = peaks[rows_alike(peaks, curve.iloc[0], factors)]
        mine = of_curve.drop_duplicates(["metric", "requesters", "settled"])
        _hold(finding, curve, mine, exceptions.get(_name(curve.iloc[0])))
    return finding


def _hold(
    finding: Finding, curve: pd.DataFrame, peaks: pd.DataFrame, exception: str | None
) -> None:
    """Hold one curve against its peaks."""
    faults: list[tuple[list[Cell], str]] = []
    [first] = records(curve.iloc[:1])
    if peaks.empty:
        faults.append(([first], "no table prints a peak of this curve"))
    for peak in records(peaks):
        same = curve[curve["metric"] == peak["metric"]]
        at_peak = same[same["requesters"] == peak["requesters"]]
        said = f"{peak['table']} has its peak, {peak['value_printed']}, "
        if at_peak.empty:
            figure = f"{curve['table'].iloc[0]} has no point of this curve"
            faults.append(
                ([peak, first], f"{figure} at the peak's {peak['requesters']} requesters")
            )
        for point in records(at_peak):
            if not alike(point, peak):
                faults.append(([point, peak], f"{said}here"))
        if peak["metric"] == RATE:
            problem = f"{said}at {peak['requesters']} requesters, which is lower"
            faults += [([point, peak], problem) for point in above_peak(peak, records(same))]
    if exception is not None:
        for (cell, *_), problem in faults:
            drawn = cell["source_kind"] == "figure"
            finding.exclude(cell["position"], f"{problem}. {exception}" if drawn else exception)
        if not faults:
            finding.add_row(first["position"], "is named as an exception, and meets its table")
        return
    for rows, problem in faults:
        finding.add_contradiction(rows, problem)


def curves_agree(cells: pd.DataFrame, reference: Reference) -> Finding:
    """See that curves of one measurement agree, and that they are declared to be of one.

    Two points of one set-up may differ by what both drawings may be off.
    """
    drawn = cells[cells["source_kind"] == "figure"]
    factors = list(reference.dictionary.factors)
    finding = Finding(len(drawn))
    for _, points in drawn.groupby(["source", *factors, "metric"], dropna=False, sort=False):
        original, *others = records(points)
        for other in others:
            origin = _origin(reference, other)
            if origin != _origin(reference, original):
                problem = f"is set up as {_name(original)}, but not declared to repeat it"
                finding.add_row(other["position"], problem)
            if not alike(other, original):
                problem = f"{original['table']} draws {original['settled']:g} for it"
                finding.add_contradiction([other, original], problem)
    _find_false_repeats(finding, drawn, reference, factors)
    return finding


def _find_false_repeats(
    finding: Finding, drawn: pd.DataFrame, reference: Reference, factors: list[str]
) -> None:
    """Look for curves that are declared to repeat one with another set-up."""
    held = [name for name in factors if name != "requesters"]
    set_ups = {
        (str(curve["source"].iloc[0]), _name(curve.iloc[0])): (
            int(curve["position"].iloc[0]),
            [None if pd.isna(value) else value for value in curve[held].iloc[0]],
            _origin(reference, curve.iloc[0]),
        )
        for _, curve in drawn.groupby(_CURVE, dropna=False, sort=False)
    }
    for (source, _), (position, set_up, origin) in set_ups.items():
        if set_ups.get((source, origin), (0, set_up, ""))[1] != set_up:
            finding.add_row(position, f"repeats {origin}, whose set-up is another")


def _origin(reference: Reference, cell: Cell | pd.Series) -> str:
    """Name the curve that a point's curve repeats; itself where it repeats none."""
    drawing = reference.reports[str(cell["source"])].drawings[str(cell["table_id"])]
    return drawing.curves[str(cell["row_label"])].repeats or _name(cell)


def _name(cell: Cell | pd.Series) -> str:
    return f"{cell['table_id']}/{cell['row_label']}"
