"""Points that a reader may set side by side: series over the message size, ready for a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from os.path import commonprefix
from statistics import fmean
from typing import Any

from roundtrip.dictionary import RATES
from roundtrip.files import sha256_of_json
from roundtrip.present.anchors import cell_anchor, is_listed
from roundtrip.present.arguments import whole
from roundtrip.present.chapter import MESSAGES_PER_ROUND_TRIP, RATE, Chapter
from roundtrip.present.comparability import MEASURED, MUST_MATCH, examined
from roundtrip.present.machines import TRAITS, machine_of
from roundtrip.present.numbers import decimals_of, size_label
from roundtrip.present.repeats import ratio_margins
from roundtrip.sources.cells import CLIENTS
from roundtrip.typography import with_apostrophes

Row = dict[Any, Any]

_SIZE, _REQUESTERS = "message_bytes", "requesters"
_KINDS = ("table", MEASURED, "ingested")
_WHOLE = ("mean", "peak", "rated", "single", "comparison", "steady")
"""Statistics of a point as a whole."""
_OF_HOSTS = {f"hosts: {trait}": trait for trait in TRAITS}
"""Traits of machines beside factors, under names that no factor can have."""
_PERCENTILES = {"p50": "median", "p99": "99th percentile"}
_TIMES = {"ms": ("µs", 1000.0), "µs": ("ms", 0.001)}
"""Units of time, each with the one that a reader may switch to."""


def comparison(chapter: Chapter) -> dict[str, Any] | None:
    """Collect what can be compared over the message size.

    A series is what one table or campaign gives for one combination of factors, at one value or
    more of the message size. Points of curves are left out: there each size has many.

    Parameters
    ----------
    chapter : Chapter
        Access to the observations, in the units of the edition.

    Returns
    -------
    dict or None
        For a script: ``separators`` of numbers, the kind of ``measured`` points, ``metrics``,
        ``sizes``, ``factors`` (in the order and with the strictness of the gate), ``sources`` and
        ``series``; ``variants`` are levels as the data name them. None where fewer than two series
        share a metric.
    """
    factors = [name for name in chapter.dictionary.factors if name not in (_SIZE, _REQUESTERS)]
    # In each series, a metric has one point for each size. Where sizes would have several, the
    # number of requesters tells them apart; where it does not, each point stands alone.
    found = _values(chapter)
    set_to = dict.fromkeys((name, row[name]) for row in found for name in factors)
    variants = {(name, chapter.level(name, value)): str(whole(value)) for name, value in set_to}
    series = [
        _series_of(chapter, factors, rows)
        for alike in _grouped(found, "source", "table_id", "how", *factors)
        for part in _divided(alike, _REQUESTERS)
        for rows in _divided(part, "point_id")
    ]
    factors += _OF_HOSTS
    shared = Counter(metric for each in series for metric in each["values"])
    metrics = [metric for metric, count in shared.most_common() if count > 1]
    series = [each for each in series if set(metrics) & set(each["values"])]
    if not series:
        return None
    watched = examined([_SIZE], factors)
    levels = {
        name: list(dict.fromkeys(one["factors"][name] for one in series if name in one["factors"]))
        for name in factors
    }
    drawn = [point for each in series for part in each["values"].values() for point in part]
    sizes = sorted({point[0] for point in drawn})
    sources, known = list(dict.fromkeys(each["source"] for each in series)), chapter.observations
    return {
        "separators": chapter.numbers.plotly_separators,
        "measured": MEASURED,
        "metrics": [_metric(chapter, metric) for metric in metrics],
        "sizes": {str(size): size_label(size) for size in sizes},
        "factors": [
            {
                "label": _OF_HOSTS.get(name) or chapter.factor_label(name), "levels": levels[name],
                "examined": name in watched, "must": name in MUST_MATCH,
                "delivery": name == "delivery", "machine": name in _OF_HOSTS,
                "told": TRAITS.get(_OF_HOSTS.get(name, ""), True),
                "variants": [variants.get((name, level)) for level in levels[name]],
            }
            for name in factors
        ],
        "sources": [
            {
                "id": name, "margin": " ".join(ratio_margins(chapter, [name])),
                "label": known.report(name).short_title
                if name in known.report_ids else f"Campaign {name}",
            }
            for name in sources
        ],
        "series": [
            _numbered(each, sources, factors, levels, metrics)
            for each in sorted(series, key=lambda each: sources.index(each["source"]))
        ],
    }  # fmt: skip


def _values(chapter: Chapter) -> list[Row]:
    """Give the observed values that belong to a series, with the name of what they are."""
    frame = chapter.observations.frame
    frame = frame[
        frame["source_kind"].isin(_KINDS)
        & frame[_SIZE].notna()
        & frame["interval"].isna()
        & frame["statistic"].isin((*_WHOLE, *_PERCENTILES))
        & (frame["metric"] != CLIENTS)
    ].copy()
    frame["decimals"] = decimals_of(frame, chapter.dictionary)
    frame["value"] = frame["value_corrected"].fillna(frame["value"])
    observations = chapter.observations
    replaced = {name: observations.campaign(name).replaced for name in observations.campaign_ids}
    found = []
    for row in frame.astype(object).where(frame.notna(), None).to_dict("records"):
        metric, statistic = row["metric"], row["statistic"]
        if row["source_kind"] == MEASURED and (
            not is_listed(metric, statistic) or row["row_label"] in replaced[row["source"]]
        ):
            continue
        if metric == RATE:
            row["value"] *= chapter.rate_scale
        row["how"] = "mean" if statistic in _PERCENTILES else statistic
        row["shown"] = (metric, _PERCENTILES.get(statistic, ""))
        found.append(row)
    return found


def _divided(rows: list[Row], by: str) -> Iterable[list[Row]]:
    """Divide rows by a column, unless each message size has a single point already."""
    points = {row["point_id"]: row[_SIZE] for row in rows}
    return [rows] if len(set(points.values())) == len(points) else _grouped(rows, by)


def _grouped(rows: list[Row], *keys: str) -> list[list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return list(groups.values())


def _metric(chapter: Chapter, metric: tuple[str, str]) -> dict[str, Any]:
    name, part = metric
    unit = chapter.unit(name)
    label = chapter.label(name) if name == RATE else chapter.dictionary.metrics[name].label
    label = with_apostrophes(f"{label}, {part}" if part else label)
    units = [{"unit": unit, "label": label, "factor": 1.0}]
    if name == RATE:
        factor = MESSAGES_PER_ROUND_TRIP / chapter.rate_scale**2
        other = "messages/s" if factor > 1 else "round trips/s"
        units.append({"unit": other, "label": other[0].upper() + other[1:], "factor": factor})
    elif unit in _TIMES:
        other, factor = _TIMES[unit]
        units.append({"unit": other, "label": label, "factor": factor})
    return {
        "id": f"{name}-{part.split(' ')[0]}" if part else name,
        "units": units, "rate": unit.endswith("/s"), "margin": name in RATES,
    }  # fmt: skip


def _series_of(chapter: Chapter, factors: list[str], rows: list[Row]) -> dict[str, Any]:
    """Give one series: where it is from, what was set (a level for each factor), its points."""
    first = rows[0]
    source, kind = str(first["source"]), str(first["source_kind"])
    levels = {name: chapter.level(name, first[name]) for name in factors if first[name] is not None}
    machine = machine_of(chapter, source, first["host_set"])
    traits = {name: machine[trait] for name, trait in _OF_HOSTS.items()}
    levels |= {name: value for name, value in traits.items() if value is not None}
    requesters = {row[_REQUESTERS] for row in rows}
    (only,) = requesters if len(requesters) == 1 else (None,)
    counts = sorted(int(count) for count in requesters - {None})
    anchors = {row["observation_id"]: cell_anchor(row["observation_id"]) for row in rows}
    prefix = commonprefix(list(anchors.values()))  # noqa: RUF071 - of texts, not of paths
    ends = {cell: anchor[len(prefix) :] for cell, anchor in anchors.items()}
    runs = {same[0][_SIZE]: {row["row_label"] for row in same} for same in _grouped(rows, _SIZE)}
    values = {}
    for part in _grouped(rows, "shown"):
        points = [
            _point(same, ends)
            for same in sorted(_grouped(part, _SIZE), key=lambda same: float(same[0][_SIZE]))
            # A percentile is that of all runs: slow ones have too few round trips for one.
            if not (part[0]["shown"][1] and kind != "table")
            or len(same) == len(runs[same[0][_SIZE]])
        ]
        if points:
            values[part[0]["shown"]] = points
    return {
        "source": source, "kind": kind, "place": str(first["table"]) if kind == "table" else "",
        "how": str(first["how"]), "requesters": None if only is None else int(only),
        "ends": [] if None in requesters else [counts[0], counts[-1]],
        "cores": _cores(chapter, source, kind, first),
        "factors": levels, "prefix": prefix, "values": values,
    }  # fmt: skip


def _numbered(
    one: dict[str, Any], sources: list[str], factors: list[str], levels: dict[str, list[str]],
    metrics: list[tuple[str, str]],
) -> dict[str, Any]:  # fmt: skip
    """Give a series an id, and in place of each name its position in the lists beside it."""
    key = [one[name] for name in ("source", "place", "how", "requesters", "factors", "prefix")]
    set_to = one["factors"]
    return {
        "id": sha256_of_json(key)[:8],
        **one,
        "source": sources.index(one["source"]),
        "factors": {
            str(at): levels[name].index(set_to[name])
            for at, name in enumerate(factors) if name in set_to
        },
        "values": {
            str(metrics.index(metric)): points
            for metric, points in one["values"].items() if metric in metrics
        },
    }  # fmt: skip


def _point(rows: list[Row], ends: dict[str, str]) -> list[Any]:
    """Give a point: size, mean over runs, decimals, end of its anchor, doubt, lowest, highest.

    The last two are left out where there was one run.
    """
    values = [float(row["value"]) for row in rows]
    doubts = [row["status"] for row in rows if row["status"] != "as_printed"]
    point = [
        int(rows[0][_SIZE]), round(fmean(values), 6), max(row["decimals"] for row in rows),
        ends[rows[0]["observation_id"]], doubts[0] if doubts else "",
    ]  # fmt: skip
    return point + ([round(min(values), 6), round(max(values), 6)] if len(values) > 1 else [])


def _cores(chapter: Chapter, source: str, kind: str, row: Row) -> int | None:
    """Count the physical cores under test; None where they are not known, or on several hosts."""
    if kind == MEASURED:
        manifest = chapter.observations.campaign(source)
        cores = None if manifest.broker_elsewhere else manifest.host.get("physical_cores")
        return int(cores) if isinstance(cores, int) else None
    # Between queue managers, the work is spread over the hosts of both.
    if kind != "table" or row["workload"] == "RR-DQ-BB":
        return None
    under_test = chapter.observations.report(source).host_sets.get(str(row["host_set"]))
    return under_test.cores if under_test else None
