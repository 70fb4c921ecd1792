"""HdrHistogram: interval logs (``.hlog``) of format 1.0 to 1.3, and distributions (``.hgrm``).

Neither says what unit was recorded. In a log, the column of the interval's maximum is divided by a
ratio of the writer's choice, one million by default: values are kept as recorded. A run's values
come from the sum of its intervals' histograms: percentiles have no mean.
"""

from __future__ import annotations

import re
from typing import ClassVar

from roundtrip.ingest.printed import number
from roundtrip.ingest.reader import Head, LineReader
from roundtrip.ingest.records import Fault, Quantity, Sink
from roundtrip.stats.hdr import Histogram, Shape, decode

_QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "p9999": 0.9999}
_VERSION = re.compile(r"^#\[Histogram log format version ([\d.]+)\]")
_START = re.compile(r"^#\[(StartTime|BaseTime): (\d{1,12}(?:[.,]\d{1,9})?) \(seconds since epoch\)")
_LEGEND = re.compile(r'^"StartTimestamp","')
_INTERVAL = re.compile(
    r"^(?:Tag=(?P<tag>[^,]{0,200}),)?(?P<start>\d{1,12}\.\d{1,9}),(?P<length>\d{1,12}\.\d{1,9}),"
    r"(?P<max>\d{1,18}(?:\.\d{1,9})?),(?P<histogram>HISTi?[A-Za-z0-9+/=]{8,})$"
)
_HEADING = re.compile(r'^\s*"?Value"?[\s,]+"?Percentile"?[\s,]+"?TotalCount"?')
_ROW = re.compile(
    r"^\s*(?P<value>\d{1,20}(?:[.,]\d{1,9})?)[\s,]+(?P<percentile>[01][.,]\d{1,16})[\s,]+"
    r"(?P<count>\d{1,20})(?:[\s,]+(?:\d{1,20}[.,]\d{1,6}|inf|Infinity|∞))?\s*$"
)
_MOMENTS = re.compile(r"^#\[Mean\s*=\s*([\d.,]+|NaN), StdDeviation\s*=\s*([\d.,]+|NaN)\]$")
_TOTAL = re.compile(r"^#\[Max\s*=\s*([\d.,]+), Total count\s*=\s*(\d+)\]$")
_VERSIONS = {"HISTi": 0, "HISTI": 1, "HISTg": 1, "HISTF": 2}
"""How the Base64 of a histogram of each version begins."""
_YEAR = 365 * 86400.0


class HdrHistogram(LineReader):
    """Reads HdrHistogram logs and distributions."""

    name = "hdrhistogram"
    title = "HdrHistogram"
    ramps_up = False
    quantities: ClassVar[dict[str, Quantity]] = {
        "length": Quantity("s", combine="none"),
        "count": Quantity("values"),
        "rate": Quantity("1/s"),
        **{
            f"{whole}{name}": Quantity("as recorded", combine="none")
            for whole in ("", "run_")
            for name in ("mean", "min", "max", *_QUANTILES)
        },
        "run_count": Quantity("values", combine="none"),
    }  # fmt: skip
    faults = (
        Fault("unit unknown", "suspect",
              "HdrHistogram does not record the unit of its values. They are kept as they are; "
              "`histogram_unit` of campaign.yml gives the unit."),
    )  # fmt: skip

    def __init__(self) -> None:
        self._base = 0.0
        self._start = 0.0
        self._relative: bool | None = None
        self._sums: dict[tuple[str, Shape], Histogram] = {}
        self._distribution: dict[str, float | None] = {}
        self._pending = dict(_QUANTILES)
        self._at = 0
        self._last_value = -1.0

    def confidence(self, head: Head) -> float:
        """Look for intervals, the version of the format and the headings of a distribution."""
        for line in head.lines[:400]:
            if _VERSION.match(line) or _INTERVAL.match(line) or _LEGEND.match(line):
                return 0.98
            if _HEADING.match(line):
                return 0.9
        return 0.0

    def line(self, number_: int, text: str, sink: Sink) -> str | None:
        """Read one line."""
        bare = text.rstrip()
        bare = bare.lstrip() if bare.lstrip().startswith("#") else bare
        if match := _INTERVAL.match(bare):
            return self._interval(number_, match, sink)
        if bare.startswith("#"):
            return self._comment(bare, sink)
        if _LEGEND.match(bare):
            return sink.count_ignored()
        if _HEADING.match(bare):
            self._finish(sink)
            self._at, self._last_value = number_, -1.0
            sink.dialect("distribution")
            return sink.count_ignored()
        if self._at and (match := _ROW.match(bare)):
            return self._row(match, sink)
        if not bare:
            return sink.count_ignored()
        return "not a line of HdrHistogram that is known"

    def end(self, sink: Sink) -> None:
        """Hand over what all intervals add up to."""
        self._finish(sink)
        self._sum_up(sink)

    def _sum_up(self, sink: Sink) -> None:
        for (tag, _), total in self._sums.items():
            values = {f"run_{name}": value for name, value in total.statistics(_QUANTILES).items()}
            sink.row("summary", 0, values, stream=tag, fault="unit unknown")
        self._sums = {}

    def _interval(self, line: int, match: re.Match[str], sink: Sink) -> str | None:
        histogram = decode(match["histogram"])
        tag = match["tag"] or ""
        key = (tag, histogram.shape)
        if key in self._sums:
            self._sums[key].add(histogram)
        elif len(self._sums) < 1000:
            self._sums[key] = Histogram(histogram.shape, histogram.counts)
        start, length = float(match["start"]), float(match["length"])
        if self._relative is None:
            self._relative = start < self._start - _YEAR
        base = self._base or (self._start if self._relative else 0.0)
        values: dict[str, float | None] = {"length": length}
        values |= histogram.statistics(_QUANTILES)
        if length > 0:
            values["rate"] = (values["count"] or 0.0) / length
        version = _VERSIONS.get(match["histogram"][:5], 2)
        sink.dialect(f"log V{version}" + (" with tags" if tag else ""))
        sink.row("interval", line, values, stream=tag, time=base + start, fault="unit unknown")
        return sink.count_used()

    def _comment(self, bare: str, sink: Sink) -> str | None:
        if match := _START.match(bare):
            if self._sums:  # another log was appended
                self._sum_up(sink)
                sink.run += 1
                self._base, self._start, self._relative = 0.0, 0.0, None
            if match[1] == "StartTime":
                self._start = number(match[2])
            else:
                self._base = number(match[2])
            return sink.count_used()
        if match := _VERSION.match(bare):
            sink.setting("format", match[1])
            return sink.count_used()
        if self._at and (match := _MOMENTS.match(bare)):
            for name, text in zip(("run_mean", "run_sd"), match.groups(), strict=True):
                if text != "NaN":
                    self._distribution[name] = number(text)
            return sink.count_used()
        if self._at and (match := _TOTAL.match(bare)):
            self._distribution["run_max"] = number(match[1])
            self._distribution["run_count"] = float(match[2])
            return sink.count_used()
        return sink.count_ignored()

    def _row(self, match: re.Match[str], sink: Sink) -> str | None:
        value, percentile = number(match["value"]), number(match["percentile"])
        if value < self._last_value or percentile > 1:
            return "a distribution whose values fall"
        self._last_value = value
        if "run_min" not in self._distribution:
            self._distribution["run_min"] = value
        for name, wanted in list(self._pending.items()):
            if percentile >= wanted:
                self._distribution[f"run_{name}"] = value
                del self._pending[name]
        return sink.count_used()

    def _finish(self, sink: Sink) -> None:
        if self._at and self._distribution:
            sink.row("summary", self._at, self._distribution, fault="unit unknown")
        self._distribution, self._pending, self._at = {}, dict(_QUANTILES), 0
