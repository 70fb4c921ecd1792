"""What a plan says would have to be seen: its positive control."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from roundtrip.campaign.plan import Control, PlanFile
from roundtrip.errors import DataError, ParameterError, again, nearest
from roundtrip.yamlfile import line_of, load_model

if TYPE_CHECKING:
    from collections.abc import Iterable

    from roundtrip.dictionary import Dictionary


def control_in(path: Path, dictionary: Dictionary) -> Control | None:
    """Give the positive control that a plan states; None where it states none.

    Raises
    ------
    ParameterError
        If the plan is no valid one, or its control names an unknown factor, metric or statistic,
        or a value that the factor cannot have.
    """
    control = load_model(path, PlanFile, ParameterError).control
    if control is None:
        return None
    text = path.read_text(encoding="utf-8")

    def where(*keys: str) -> str:
        return f"{path}:{line_of(text, ('control', *keys))}"

    def refuse_unknown(kind: str, name: str, known: Iterable[str], *keys: str) -> None:
        if name not in known:
            raise ParameterError(
                f"the control names the unknown {kind} '{name}'{nearest(name, known)}",
                where=where(*keys), allowed=", ".join(sorted(known)),
                remedy=f"use a {kind} of data/dictionary.yml",
            )  # fmt: skip

    refuse_unknown("metric", control.metric, dictionary.metrics, "metric")
    refuse_unknown("statistic", control.statistic, dictionary.statistics, "statistic")
    typed: dict[str, dict[str, Any]] = {"of": {}, "base": {}}
    for side, found in typed.items():
        for name, level in getattr(control, side).items():
            refuse_unknown("factor", name, dictionary.factors, side, name)
            try:
                found[name] = dictionary.factor_value(name, level, where(side, name))
            except DataError as problem:
                raise again(ParameterError, problem) from problem
    return control.model_copy(update=typed)
