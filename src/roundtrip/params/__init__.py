"""Parameters of a report edition: typed, validated, and refused before anything runs."""

from roundtrip.params.declared import Declaration, load_declarations, parameter_model
from roundtrip.params.edition import NUMBER_FORMATS, Notice, ReportParameters
from roundtrip.params.resolve import resolve_parameters

__all__ = [
    "NUMBER_FORMATS", "Declaration", "Notice", "ReportParameters", "load_declarations",
    "parameter_model", "resolve_parameters",
]  # fmt: skip
