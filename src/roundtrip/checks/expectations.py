"""Great Expectations expectations that know the data dictionary and the published reports.

Importing this module imports Great Expectations, which takes seconds: only the process that
runs the checks does it. Each expectation is a rule in `rows`, `points`, `tables`, `laws` or
`curves` under another name. It looks at the observations as a `frame` or, where they need more than
that, as settled `cells`; its further parameters are the expectation's arguments.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, get_type_hints

import numpy as np
import pandas as pd
from great_expectations.expectations.expectation import BatchExpectation

from roundtrip.checks import curves, laws, points, rows, tables
from roundtrip.checks.precision import settled_cells
from roundtrip.checks.reference import Finding, Reference
from roundtrip.errors import CheckError


class ObservationExpectation(BatchExpectation):
    """Base of the expectations below: turns a `Finding` into what Great Expectations reports."""

    # Suites are plain JSON, so that what rules look at and compare with cannot be an argument of
    # them: whoever runs a suite sets both before.
    frame: ClassVar[pd.DataFrame]
    reference: ClassVar[Reference]

    @abstractmethod
    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        """Look for rows that break the rule."""

    def _validate(self, *_: Any, **__: Any) -> dict[str, Any]:
        frame = self.frame
        try:
            finding = self._find(frame, self.reference)
            corrected = frame["value_corrected"].notna()
            if finding.success and corrected.any():
                as_printed = frame.assign(
                    value_corrected=np.nan,
                    status=frame["status"].mask(corrected, "as_printed"),
                )
                broken = self._find(as_printed, self.reference).rows
                finding.corrected = bool(broken.keys() - finding.rows.keys())
        except CheckError as refusal:
            # Great Expectations keeps only the text of an exception.
            return {"success": False, "result": {"details": {"found": refusal}}}
        return {"success": finding.success, "result": {"details": {"found": finding}}}


_RULES: Mapping[str, Callable[..., Finding]] = {
    "ExpectColumnsToMatchDictionary": rows.columns_match,
    "ExpectColumnsToBeStated": rows.columns_stated,
    "ExpectColumnValuesToBeInDictionary": rows.words_known,
    "ExpectFactorValuesToBeInDictionary": rows.factors_known,
    "ExpectUnitsToMatchMetric": rows.units_match,
    "ExpectMetricValuesToBeInRange": rows.values_in_range,
    "ExpectTablesToExist": rows.tables_exist,
    "ExpectFactorsToBeDisclosed": rows.factors_disclosed,
    "ExpectPointsToBeComplete": points.points_complete,
    "ExpectPointsToAgree": points.points_agree,
    "ExpectClientsToEqualRequesters": points.clients_are_requesters,
    "ExpectTablesToHaveCells": tables.cell_counts,
    "ExpectTableToRepeat": tables.table_repeats,
    "ExpectRatiosToBeRecomputed": tables.ratios_recomputed,
    "ExpectPayloadRatesToBeRecomputed": tables.payloads_recomputed,
    "ExpectMemoryPerClientToBeRecomputed": tables.memory_recomputed,
    "ExpectRatesToFitLink": laws.rates_fit_link,
    "ExpectRatesToFallWith": laws.rates_fall_with,
    "ExpectPeaksToBeHighest": laws.peaks_are_highest,
    "ExpectRequestsInFlightToFit": laws.requests_in_flight_fit,
    "ExpectRatesToKeepTarget": laws.rates_keep_target,
    "ExpectTimesToBeReciprocal": laws.times_are_reciprocal,
    "ExpectCurvesToMeetPeaks": curves.curves_meet_peaks,
    "ExpectCurvesToAgree": curves.curves_agree,
}
"""Name of each expectation to its rule; suites write it with underscores."""


def _register(name: str, rule: Callable[..., Finding]) -> None:
    """Make a rule an expectation: to be defined is to be known to Great Expectations."""
    hints = get_type_hints(rule)
    parameters = inspect.signature(rule).parameters
    own = [one for one in parameters if one not in ("frame", "cells", "reference")]
    given = {one: parameters[one].default for one in own}
    defaults = {one: value for one, value in given.items() if value is not inspect.Parameter.empty}

    def find(self: ObservationExpectation, frame: pd.DataFrame, reference: Reference) -> Finding:
        known = {"frame": frame, "reference": reference, **{one: getattr(self, one) for one in own}}
        if "cells" in parameters:
            known["cells"] = settled_cells(frame, reference)
        return rule(**{one: known[one] for one in parameters})

    metaclass: Any = type(ObservationExpectation)  # registers what it makes
    metaclass(
        name, (ObservationExpectation,),
        {
            "__module__": __name__, "__doc__": rule.__doc__, "_find": find,
            "__annotations__": {one: hints[one] for one in own},
            **defaults,
        },
    )  # fmt: skip


for _name, _rule in _RULES.items():
    _register(_name, _rule)
