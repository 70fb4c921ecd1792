"""Great Expectations expectations that know the data dictionary and the published reports.

Importing this module imports Great Expectations, which takes seconds: only the process that
runs the checks does it. Each class is a thin cover of a rule in `rows`, `points`,
`tables`, `laws` or `curves`.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Literal

import pandas as pd
from great_expectations.core.metric_domain_types import MetricDomainTypes
from great_expectations.execution_engine.execution_engine import ExecutionEngine
from great_expectations.execution_engine.pandas_execution_engine import PandasExecutionEngine
from great_expectations.expectations.expectation import BatchExpectation
from great_expectations.expectations.metrics.metric_provider import metric_value
from great_expectations.expectations.metrics.table_metric_provider import TableMetricProvider

from roundtrip.checks import curves, laws, points, rows, tables
from roundtrip.checks.reference import Finding, Reference, current_reference
from roundtrip.errors import CheckError

_OBSERVATIONS = "table.observations"
Where = dict[str, Any]


class ObservationsTable(TableMetricProvider):
    """The whole batch as one pandas frame."""

    metric_name = _OBSERVATIONS
    domain_keys = ("batch_id",)

    @metric_value(engine=PandasExecutionEngine)
    def _pandas(
        cls,
        execution_engine: PandasExecutionEngine,
        metric_domain_kwargs: dict[str, Any],
        **_: Any,
    ) -> pd.DataFrame:
        frame, _compute, _accessor = execution_engine.get_compute_domain(
            metric_domain_kwargs, domain_type=MetricDomainTypes.TABLE
        )
        return frame


class ObservationExpectation(BatchExpectation):
    """Base of the expectations below: turns a `Finding` into what Great Expectations reports."""

    metric_dependencies: ClassVar[tuple[str, ...]] = (_OBSERVATIONS,)

    @abstractmethod
    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        """Look for rows that break the rule."""

    def _validate(
        self,
        metrics: dict[str, Any],
        runtime_configuration: dict[str, Any] | None = None,
        execution_engine: ExecutionEngine[Any] | None = None,
    ) -> dict[str, Any]:
        try:
            finding = self._find(metrics[_OBSERVATIONS], current_reference())
        except CheckError as refusal:
            # Great Expectations keeps only the text of an exception.
            return {"success": False, "result": {"details": {"refused": refusal}}}
        positions = sorted(finding.rows)
        return {
            "success": finding.success,
            "result": {
                "element_count": finding.checked,
                "unexpected_count": len(positions),
                "unexpected_index_list": positions,
                "details": {
                    "problems": finding.rows,
                    "general": finding.general,
                    "excluded": finding.excluded,
                },
            },
        }


class ExpectColumnsToMatchDictionary(ObservationExpectation):
    """The columns are those of the dictionary, in its order and of its types."""

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return rows.columns_match(frame, reference)


class ExpectColumnsToBeStated(ObservationExpectation):
    """No row leaves one of `columns` empty; with `source_kinds`, only rows of these kinds."""

    columns: list[str]
    source_kinds: list[str] | None = None

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return rows.columns_stated(frame, self.columns, self.source_kinds)


class ExpectColumnValuesToBeInDictionary(ObservationExpectation):
    """Every value of `column` is a word that the dictionary defines."""

    column: Literal["metric", "statistic", "source_kind", "status"]

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return rows.words_known(frame, reference, self.column)


class ExpectFactorValuesToBeInDictionary(ObservationExpectation):
    """Every factor value is one that the dictionary allows."""

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return rows.factors_known(frame, reference)


class ExpectUnitsToMatchMetric(ObservationExpectation):
    """Every unit is the one that the dictionary gives the metric."""

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return rows.units_match(frame, reference)


class ExpectMetricValuesToBeInRange(ObservationExpectation):
    """Every value is finite and in the range that the dictionary gives its metric."""

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return rows.values_in_range(frame, reference)


class ExpectPrintedValuesToBeReadRight(ObservationExpectation):
    """Every printed value, read again, is the value held."""

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return rows.printed_read_right(frame, reference)


class ExpectDoubtsToBeExplained(ObservationExpectation):
    """Doubtful values carry a note; corrected ones, and only they, a correction."""

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return rows.doubts_explained(frame)


class ExpectTablesToExist(ObservationExpectation):
    """Every table cell refers to a table, column and file that its report declares."""

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return rows.tables_exist(frame, reference)


class ExpectFactorsToBeDisclosed(ObservationExpectation):
    """Factors that name a part of the report's disclosure name one that exists."""

    factors: dict[str, Literal["host_sets", "workloads"]]

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return rows.factors_disclosed(frame, reference, self.factors)


class ExpectPointsToBeComplete(ObservationExpectation):
    """Each point of a table has each of `metrics` exactly once.

    Without `tables`, a metric is demanded at points that have any of them, in tables that
    print it.
    """

    metrics: list[str]
    tables: list[str] | None = None

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return points.points_complete(frame, reference, self.metrics, self.tables)


class ExpectPointsToAgree(ObservationExpectation):
    """All values of a point stand in one printed row, under one setting of the factors."""

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return points.points_agree(frame, reference)


class ExpectClientsToEqualRequesters(ObservationExpectation):
    """The number of clients that a point prints is its factor `requesters`."""

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return points.clients_are_requesters(frame)


class ExpectTablesToHaveCells(ObservationExpectation):
    """Each table has as many numeric cells as `counts` says, and there is no other table."""

    counts: dict[str, int]

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return tables.cell_counts(frame, self.counts)


class ExpectTableToRepeat(ObservationExpectation):
    """Cells of `table` (those `where` selects) print cells of table `repeats` again.

    Of that one, `repeats_where` selects the cells. Cells belong together when they agree in the
    factors `by` and in the metric.
    """

    table: str
    repeats: str
    by: list[str]
    metrics: list[str]
    where: Where | None = None
    repeats_where: Where | None = None

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return tables.table_repeats(
            frame,
            reference,
            self.table,
            self.repeats,
            self.by,
            self.metrics,
            self.where,
            self.repeats_where,
        )


class ExpectRatiosToBeRecomputed(ObservationExpectation):
    """Printed `ratio` values are `dividend` over `divisor`, in percent where that is their unit.

    Both are operands: ``{"metric", "table", "where", "by"}`` (see `tables.Operand`).
    """

    table: str
    ratio: str
    dividend: Where
    divisor: Where

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return tables.ratios_recomputed(
            frame, reference, self.table, self.ratio, self.dividend, self.divisor
        )


class ExpectPayloadRatesToBeRecomputed(ObservationExpectation):
    """Printed KB/s are the point's messages/s times the message size."""

    table: str

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return tables.payloads_recomputed(frame, reference, self.table)


class ExpectMemoryPerClientToBeRecomputed(ObservationExpectation):
    """Printed memory per client follows from free pages and requesters of its row."""

    tables: list[str]

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return tables.memory_recomputed(frame, reference, self.tables)


class ExpectRatesToFitLink(ObservationExpectation):
    """No rate needs more bandwidth in one direction than the link has."""

    messages_each_way: dict[str, int]

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return laws.rates_fit_link(frame, self.messages_each_way)


class ExpectRatesToFallWith(ObservationExpectation):
    """Peak rates fall as `factor` rises and every other factor stays."""

    factor: str

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return laws.rates_fall_with(frame, reference, self.factor)


class ExpectPeaksToBeHighest(ObservationExpectation):
    """No value of `metric` lies above the peak of its series.

    Cells of one table that agree in `by` belong to one series.
    """

    metric: str
    by: list[str]

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return laws.peaks_are_highest(frame, reference, self.metric, self.by)


class ExpectRequestsInFlightToFit(ObservationExpectation):
    """Rate times round-trip time is between `least` and `most` for each requester."""

    least: float
    most: float
    where: Where | None = None

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return laws.requests_in_flight_fit(frame, reference, self.least, self.most, self.where)


class ExpectRatesToKeepTarget(ObservationExpectation):
    """No rate is above `most` times what its requesters were told to keep."""

    most: float

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return laws.rates_keep_target(frame, reference, self.most)


class ExpectTimesToBeReciprocal(ObservationExpectation):
    """The round-trip time of one requester is the reciprocal of its `rate`."""

    rate: str

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return laws.times_are_reciprocal(frame, reference, self.rate)


class ExpectCurvesToMeetPeaks(ObservationExpectation):
    """Curves of figures reach the peaks of tables, and nothing above them.

    `exceptions` name curves that cannot be held against a table, each with the reason.
    """

    metrics: list[str]
    exceptions: dict[str, str] | None = None

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return curves.curves_meet_peaks(frame, reference, self.metrics, self.exceptions or {})


class ExpectCurvesToAgree(ObservationExpectation):
    """Curves of one measurement agree within their accuracy, and are declared to be of one."""

    def _find(self, frame: pd.DataFrame, reference: Reference) -> Finding:
        return curves.curves_agree(frame, reference)
