"""The data dictionary: every factor and metric, those of the package and those of a project."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from roundtrip.errors import DataError, nearest, unknown
from roundtrip.project import PACKAGE
from roundtrip.yamlfile import Strict, line_of, load_model, parse_yaml, text_of, validate

FactorValue = str | int | float | bool

BASE = PACKAGE / "dictionary.yml"
"""The factors and metrics that come with the package."""

# The metrics of the package's dictionary that the tool itself speaks of.
RATE, TIME = "round_trip_rate", "round_trip_time"
END_TO_END, PUBLISH = "end_to_end_latency", "publish_latency"
RATES = (RATE, "message_rate")
TOOL_RATES = (*RATES, "iteration_rate")
"""Metrics that the iterations of a load driver may be."""
SPANS = {
    TIME: "from a request to its reply", END_TO_END: "from producer to consumer",
    PUBLISH: "from producer to the broker's confirmation",
}  # fmt: skip
"""Times of a message, each with what it spans: two that differ in that are never compared."""

_Type = Literal["string", "integer", "number", "boolean"]
PROVENANCE: Mapping[str, _Type] = {
    "observation_id": "string", "point_id": "string", "source_kind": "string",
    "source": "string", "section": "string", "table": "string", "table_id": "string",
    "row_label": "string", "column_label": "string", "value_printed": "string",
    "unit_printed": "string", "file": "string", "line": "integer",
}  # fmt: skip
"""Columns of every observation before its factors, with their types."""
VALUE: Mapping[str, _Type] = {
    "metric": "string", "statistic": "string", "value": "number", "unit": "string",
    "accuracy": "number", "repetition": "integer", "interval": "number", "status": "string",
    "value_corrected": "number", "note": "string",
}  # fmt: skip
"""Columns behind them. No factor can have such a name."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")


def is_percentile(statistic: str) -> bool:
    """Say whether a statistic is a percentile, such as ``p99``, of which no mean is one."""
    return re.fullmatch(r"p\d+", statistic) is not None


class Factor(Strict):
    """What was set: one column of the observations.

    Attributes
    ----------
    type : {"string", "integer", "number", "boolean"}
        Type of its values.
    unit : str or None
        Unit of its values, None when they have none.
    allowed : tuple of str or None
        The values that exist, None when the set is open.
    minimum : float or None
        Smallest value.
    levels : dict
        What a reader is told instead of a value.
    synchronous : tuple of str
        Values under which a commit waits until another host has a copy of the recovery log.
    label, description : str
        For axes and for the data dictionary appendix.
    """

    type: _Type
    label: str
    description: str
    unit: str | None = None
    allowed: tuple[str, ...] | None = None
    minimum: float | None = None
    levels: dict[bool | float | str, str] = Field(default={})
    synchronous: tuple[str, ...] = ()


class Metric(Strict):
    """What was observed.

    Attributes
    ----------
    unit : str
        Unit of every value of this metric.
    minimum, maximum : float or None
        Range of the values; `exclusive` leaves the minimum itself out.
    decimals : int
        Digits after the point when a value is shown.
    printed_units : dict
        What sources print after a value of this metric beside `unit` itself, each with the factor
        that turns such a value into `unit`. Entries with the same factor are spellings of one
        unit, the first of them the one that we use; those with 1 are spellings of `unit`.
    label, description : str
        For axes and for the data dictionary appendix.
    """

    unit: str
    label: str
    description: str
    decimals: Annotated[int, Field(ge=0, le=12)] = 2
    minimum: float | None = None
    maximum: float | None = None
    exclusive: bool = False
    printed_units: dict[str, Annotated[float, Field(gt=0)]] = Field(default={})

    def converted(self, number: float, unit: str) -> float:
        """Turn a number printed in a unit into the metric's own, exactly in decimal digits.

        Raises
        ------
        KeyError
            If the metric is not printed in that unit.
        """
        factor = self._factors[unit]
        return number if factor == 1 else float(Decimal(str(number)) * Decimal(str(factor)))

    def spelled(self, unit: str) -> str:
        """Give our spelling of a unit that the metric is printed in.

        Raises
        ------
        KeyError
            If the metric is not printed in that unit.
        """
        wanted = self._factors[unit]
        return next(name for name, factor in self._factors.items() if factor == wanted)

    @property
    def _factors(self) -> dict[str, float]:
        return {self.unit: 1, **self.printed_units}

    def refusal(self, value: float) -> str | None:
        """Say why a value is outside the metric's range, or None when it is inside."""
        if self.minimum is not None:
            if self.exclusive and value <= self.minimum:
                return f"must be above {self.minimum:g} {self.unit}"
            if value < self.minimum:
                return f"must be at least {self.minimum:g} {self.unit}"
        if self.maximum is not None and value > self.maximum:
            return f"must be at most {self.maximum:g} {self.unit}"
        return None


class Dictionary(Strict):
    """All factors and metrics, and the words for statistics, source kinds and statuses."""

    factors: dict[str, Factor]
    metrics: dict[str, Metric]
    statistics: dict[str, str] = Field(min_length=1)
    source_kinds: dict[str, str] = Field(min_length=1)
    statuses: dict[str, str] = Field(min_length=1)

    def metric(self, name: str, where: str) -> Metric:
        """Look a metric up.

        Raises
        ------
        DataError
            If it is not defined; the nearest known name is given.
        """
        if name not in self.metrics:
            raise _undefined("metric", name, self.metrics, where)
        return self.metrics[name]

    def factor(self, name: str, where: str) -> Factor:
        """Look a factor up.

        Raises
        ------
        DataError
            If it is not defined; the nearest known name is given.
        """
        if name not in self.factors:
            raise _undefined("factor", name, self.factors, where)
        return self.factors[name]

    def factor_value(self, name: str, text: object, where: str) -> FactorValue | None:
        """Turn what a file holds for a factor into a value of the factor's type.

        Parameters
        ----------
        text : object
            YAML scalar or CSV text. None and the empty text mean that the source does not say.

        Raises
        ------
        DataError
            If the factor is unknown, or the value is of the wrong type or not allowed.
        """
        factor = self.factor(name, where)
        if text is None or text == "":
            return None
        value = _typed(factor, text)
        if value is None:
            raise DataError(
                f"{name} is '{text}', which is not {_ARTICLE[factor.type]}",
                where=where,
                allowed=_allowed(factor),
                remedy="put it in quotes: YAML reads a bare on, off, yes or no as true or false"
                if isinstance(text, bool)
                else "correct the value, or leave it empty where the source does not say",
            )
        if factor.allowed is not None and value not in factor.allowed:
            raise DataError(
                f"{name} is '{value}'{nearest(str(value), factor.allowed)}",
                where=where,
                allowed=_allowed(factor),
                remedy="correct the value, or add it to data/dictionary.yml",
            )
        if (
            factor.minimum is not None
            and isinstance(value, (int, float))
            and value < factor.minimum
        ):
            raise DataError(f"{name} is {value}", where=where, allowed=_allowed(factor))
        return value

    def level(self, name: str, text: object, where: str) -> FactorValue:
        """Give a level that a factor is to take, in the factor's type.

        Raises
        ------
        DataError
            As `factor_value`, and if the level is empty.
        """
        value = self.factor_value(name, text, where)
        if value is None:
            raise DataError(f"a level of {name} is empty", where=where)
        return value

    def factor_values(self, stated: Mapping[str, object], where: str) -> dict[str, FactorValue]:
        """Give what was set, each factor in its own type, without those that are not stated.

        Raises
        ------
        DataError
            As `factor_value`.
        """
        return {
            name: value
            for name, text in stated.items()
            if (value := self.factor_value(name, text, where)) is not None
        }


def _undefined(what: str, name: str, known: Iterable[str], where: str) -> DataError:
    return unknown(
        DataError, what, name, known, where=where, allowed=", ".join(sorted(known)),
        remedy=f"use a {what} of data/dictionary.yml, or define the new one there",
    )  # fmt: skip


_INTEGER = re.compile(r"-?[0-9]{1,18}")
_NUMBER = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,2})?")
_ARTICLE = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


def _typed(factor: Factor, text: object) -> FactorValue | None:
    """Convert to the factor's type, or None when that cannot be done without a guess."""
    if factor.type == "boolean":
        return {"true": True, "false": False}.get(str(text).lower())
    if isinstance(text, bool):
        return None
    if factor.type == "string":
        return str(text)
    # int() and float() take more than a file should hold: "2_048", "nan", digits of any script.
    if factor.type == "integer":
        return int(str(text)) if _INTEGER.fullmatch(str(text)) else None
    return float(str(text)) if _NUMBER.fullmatch(str(text)) else None


def _allowed(factor: Factor) -> str:
    if factor.allowed is not None:
        return ", ".join(factor.allowed)
    least = f" of at least {factor.minimum:g}" if factor.minimum is not None else ""
    return _ARTICLE[factor.type] + least


class _Additions(Strict):
    """What the file of a project holds: additions, and definitions of its own."""

    factors: dict[str, dict[str, Any]] = Field(default={})
    metrics: dict[str, dict[str, Any]] = Field(default={})
    statistics: dict[str, str] = Field(default={})


def load_dictionary(path: Path) -> Dictionary:
    """Read the dictionary of the package, with what a project adds to it.

    Parameters
    ----------
    path : Path
        The project's ``data/dictionary.yml``, which need not exist.

    Raises
    ------
    DataError
        If the file is not YAML, breaks the schema, defines a name twice, or would change what a
        factor or metric of the package means.
    """
    if not path.exists():
        return load_model(BASE, Dictionary, DataError)
    return _with_additions(path, text_of(path, DataError))


@lru_cache(maxsize=8)
def _with_additions(path: Path, text: str) -> Dictionary:
    """Read additions; kept by what the file holds, which may change while a kernel goes on."""
    base = load_model(BASE, Dictionary, DataError)
    content = parse_yaml(text, str(path), DataError) or {}
    added = validate(content, _Additions, str(path), DataError, text)

    def refusal(*keys: str) -> DataError:
        """Refuse what would make data of other projects mean something else."""
        return DataError(
            f"{'.'.join(keys)} would change what Roundtrip means by '{keys[1]}'",
            where=f"{path}:{line_of(text, keys)}",
            allowed="further allowed values, printed_units and words of description",
            remedy="define what you mean under another name",
        )

    for name in set(added.statistics) & set(base.statistics):
        raise refusal("statistics", name)
    _refuse_names(added, base, path, text)
    whole = {
        "factors": _extended("factors", base.factors, added.factors, refusal),
        "metrics": _extended("metrics", base.metrics, added.metrics, refusal),
        "statistics": {**base.statistics, **added.statistics},
        "source_kinds": base.source_kinds,
        "statuses": base.statuses,
    }
    return validate(whole, Dictionary, str(path), DataError, text)


def _refuse_names(added: _Additions, base: Dictionary, path: Path, text: str) -> None:
    """Refuse names that no column can have, and labels that tables could not tell apart."""
    labels = {factor.label: name for name, factor in base.factors.items()}
    others = {"factors": {*base.metrics, *added.metrics}, "metrics": {*base.factors}}
    for kind, entries in (("factors", added.factors), ("metrics", added.metrics)):
        for name, entry in entries.items():
            where = f"{path}:{line_of(text, (kind, name))}"
            if name in (*PROVENANCE, *VALUE) or not _NAME.fullmatch(name):
                raise DataError(
                    f"'{name}' cannot be the name of a factor or metric", where=where,
                    allowed="lower case letters, digits and underscores, and none of the columns "
                    "that every observation has",
                )  # fmt: skip
            if name in others[kind]:
                raise DataError(
                    f"'{name}' is defined both as factor and as metric", where=where,
                    remedy="give one of them another name",
                )  # fmt: skip
            label = entry.get("label")
            if kind != "factors" or not isinstance(label, str):
                continue
            if name != labels.setdefault(label, name):
                raise DataError(
                    f"'{name}' has the label of '{labels[label]}', '{label}': no table could tell "
                    "them apart",
                    where=f"{path}:{line_of(text, (kind, name, 'label'))}",
                    remedy="give it a label of its own",
                )  # fmt: skip


def _extended(
    kind: str,
    base: Mapping[str, BaseModel],
    added: Mapping[str, dict[str, Any]],
    refusal: Callable[..., DataError],
) -> dict[str, BaseModel | dict[str, Any]]:
    """Add a project's own definitions, and its additions to those of the package."""
    whole: dict[str, BaseModel | dict[str, Any]] = dict(base)
    for name, entry in added.items():
        known = base.get(name)
        if known is None:
            whole[name] = entry
            continue
        values = known.model_dump()
        more: dict[str, Any] = {
            "description": f"{values['description']} {entry.get('description', '')}".strip()
        }
        for key, value in entry.items():
            if key in ("allowed", "synchronous") and values.get(key) and isinstance(value, list):
                more[key] = [*dict.fromkeys([*values[key], *map(str, value)])]
            elif key == "printed_units" and isinstance(value, dict):
                units = {values["unit"]: 1, **values["printed_units"]}
                if any(units.get(unit, factor) != factor for unit, factor in value.items()):
                    raise refusal(kind, name, key)
                more["printed_units"] = {**values["printed_units"], **value}
            elif key != "description" and values.get(key, entry) != value:
                raise refusal(kind, name, key)
        whole[name] = {**values, **more}
    return whole
